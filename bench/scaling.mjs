// A service that follows a load which rises and falls: real tasks behind HAProxy, run by `berth ingress`, scaled by requests a target. A minute of scaling lasts five
// seconds here. Prints a line for each second, and at the end one JSON line with the figures.
import http from 'node:http';
import { mkdtempSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Process, Server, remove, sleep, waitFor } from '../tests/lib/lib.mjs';

const MACHINES = 10, EACH = 20, PORT = 8000, MINUTE_S = 5;                          // EACH: requests a second that a task is to have
const LOW = 10, HIGH = 160;
// Seconds, and the rate at their end.
const PROFILE = [[20, LOW], [60, HIGH], [60, HIGH], [60, LOW], [150, LOW]];

function rateAt(second) {
    let from = LOW;
    for (const [length, to] of PROFILE) {
        if (second < length) return from + (to - from) * second / length;
        second -= length;
        from = to;
    }
    return 0;
}
const TOTAL = PROFILE.reduce((sum, [length]) => sum + length, 0);

const freePort = () => new Promise((resolve) => {
    const probe = net.createServer();
    probe.listen(0, '127.0.0.1', () => { const found = probe.address().port; probe.close(() => resolve(found)); });
});
async function call(server, operation, input, target) {
    const { status, json } = await (target ? server.raw({ service: target.service, target: target.head + operation, body: JSON.stringify(input) })
        : server.call(operation, input));
    if (status !== 200) throw new Error(`${operation}: ${JSON.stringify(json)}`);
    return json;
}
async function elb(server, action, input) {
    const { status, text } = await server.raw({ service: 'elasticloadbalancing', contentType: 'application/x-www-form-urlencoded; charset=utf-8',
        body: new URLSearchParams({ Action: action, Version: '2015-12-01', ...input }).toString() });
    if (status !== 200) throw new Error(text);
    return (member) => new RegExp(`<${member}>(.*?)</${member}>`).exec(text)?.[1];
}

async function setUp(server, folder, port) {
    await server.call('CreateCluster');
    for (let machine = 1; machine <= MACHINES; machine++) {
        const address = `127.0.1.${machine}`;
        await server.agentIn(path.join(folder, address), ['--runtime', 'process', '--address', address]);
    }
    // The task is on the machine whose folder it runs in, and listens at its address.
    const script = `const address = /127\\.0\\.1\\.\\d+/.exec(process.cwd() + JSON.stringify(process.env))[0];
        require('http').createServer((q, r) => setTimeout(() => r.end(address), 10)).listen(${PORT}, address);
        process.on('SIGTERM', () => process.exit());`;
    await call(server, 'RegisterTaskDefinition', { family: 'web', networkMode: 'host', containerDefinitions: [{ name: 'main', image: 'x', memory: 64,
        command: [process.execPath, '-e', script], portMappings: [{ containerPort: PORT }] }] });
    const group = (await elb(server, 'CreateTargetGroup', { Name: 'web', Protocol: 'HTTP', Port: PORT, TargetType: 'ip', HealthCheckIntervalSeconds: 5, HealthCheckTimeoutSeconds: 2 }))('TargetGroupArn');
    const balancer = (await elb(server, 'CreateLoadBalancer', { Name: 'web', 'Subnets.member.1': 'local' }))('LoadBalancerArn');
    await elb(server, 'CreateListener', { LoadBalancerArn: balancer, Protocol: 'HTTP', Port: 80, 'DefaultActions.member.1.Type': 'forward', 'DefaultActions.member.1.TargetGroupArn': group });
    const ingress = new Process(['ingress', '--server', server.url, '--data', path.join(folder, 'ingress'), '--map-ports', `80=${port}`, '--access-log', 'off'], server.environment());
    await call(server, 'CreateService', { serviceName: 'web', taskDefinition: 'web', desiredCount: 1,
        loadBalancers: [{ targetGroupArn: group, containerName: 'main', containerPort: PORT }] });
    const of = { ServiceNamespace: 'ecs', ScalableDimension: 'ecs:service:DesiredCount', ResourceId: 'service/default/web' };
    const scaling = { service: 'application-autoscaling', head: 'AnyScaleFrontendService.' };
    await call(server, 'RegisterScalableTarget', { ...of, MinCapacity: 1, MaxCapacity: MACHINES }, scaling);
    await call(server, 'PutScalingPolicy', { ...of, PolicyName: 'requests', PolicyType: 'TargetTrackingScaling', TargetTrackingScalingPolicyConfiguration: {
        TargetValue: EACH * 60, ScaleOutCooldown: 3 * MINUTE_S, ScaleInCooldown: 5 * MINUTE_S,
        PredefinedMetricSpecification: { PredefinedMetricType: 'ALBRequestCountPerTarget',
            ResourceLabel: `${balancer.split('loadbalancer/')[1]}/${group.split(':').pop()}` } } }, scaling);
    await waitFor('the first answer', () => new Promise((resolve) => {
        http.get({ host: '127.0.0.1', port }, (response) => { response.resume(); resolve(response.statusCode === 200); }).on('error', () => resolve(false));
    }));
    return ingress;
}

// An open loop: requests go out when they are due, and none is tried again.
function startLoad(port) {
    const seen = { sent: 0, lost: 0, busiest: {}, first: process.hrtime.bigint() };
    const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
    const ask = () => {
        let lost = false;
        const lose = () => { seen.lost += !lost; lost = true; };
        seen.sent++;
        http.get({ host: '127.0.0.1', port, agent }, (response) => {
            if (response.statusCode !== 200) lose();
            response.on('error', lose).resume();
        }).on('error', lose);
    };
    let due = 0;
    const timer = setInterval(() => {
        const second = Number(process.hrtime.bigint() - seen.first) / 1e9;
        due += rateAt(second) / 100;
        for (; due >= 1; due--) ask();
    }, 10);
    return Object.assign(seen, { stop: () => { clearInterval(timer); agent.destroy(); } });
}

async function main() {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-scaling-'));
    const server = await Server.start({ args: ['--scaling-minute', `${MINUTE_S}s`] });
    const port = await freePort(), ingress = await setUp(server, folder, port);
    const load = startLoad(port);
    const counts = [];
    let tasks = 0, ideal = 0;
    for (let second = 0; second < TOTAL; second++) {
        const { services: [service] } = await call(server, 'DescribeServices', { services: ['web'] });
        counts.push(service.desiredCount);
        tasks += service.runningCount;
        ideal += Math.max(1, Math.ceil(rateAt(second) / EACH));
        console.log(`${second} s: ${rateAt(second).toFixed(0)} requests/s, desired ${service.desiredCount}, running ${service.runningCount}, lost ${load.lost}`);
        await sleep(1000 - Number(process.hrtime.bigint() - load.first) / 1e6 % 1000);
    }
    load.stop();
    const moves = counts.slice(1).map((count, n) => Math.sign(count - counts[n])).filter((move) => move !== 0);
    const turns = moves.slice(1).filter((move, n) => move !== moves[n]).length;
    console.log(JSON.stringify({ sent: load.sent, lost: load.lost, most: Math.max(...counts), last: counts.at(-1), flaps: Math.max(0, turns - 1), tasks, ideal }));
    await ingress.signal('SIGTERM');
    await server.stop();
    remove(folder);
}
await main();
