// A service of real processes behind Debian's HAProxy, which `berth ingress` runs, under clients that ask on and on and never try again: a rolling update, a canary
// that goes back, linear, blue/green, and an update in whose middle the server is killed lose no request.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { existsSync, mkdtempSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Process, Server, remove, sleep, waitFor } from '../lib/lib.mjs';
import { load } from '../lib/load.mjs';

const skip = existsSync('/usr/sbin/haproxy') ? false : 'there is no haproxy here: apt-get install haproxy';
const VERSIONS = 6;
let server, ingress, folder, port, rule;
const groups = {}, ports = [];

const freePort = () => new Promise((resolve) => {
    const probe = net.createServer();
    probe.listen(0, '127.0.0.1', () => { const found = probe.address().port; probe.close(() => resolve(found)); });
});

async function elb(action, input) {
    const { status, text } = await server.raw({ service: 'elasticloadbalancing', contentType: 'application/x-www-form-urlencoded; charset=utf-8',
        body: new URLSearchParams({ Action: action, Version: '2015-12-01', ...input }).toString() });
    assert.strictEqual(status, 200, text);
    return (member) => new RegExp(`<${member}>(.*?)</${member}>`).exec(text)?.[1];
}
async function send(operation, input) {
    const { status, json } = await server.call(operation, input);
    assert.strictEqual(status, 200, json.message);
    return json;
}
const balancer = (version, advanced) => [{ targetGroupArn: groups.blue, containerName: 'main', containerPort: ports[version],
    ...(advanced && { advancedConfiguration: { alternateTargetGroupArn: groups.green, productionListenerRule: rule, roleArn: 'arn:aws:iam::123456789012:role/r' } }) }];

async function deployed() {
    return waitFor('the end of the deployment', async () => {
        const { services } = await send('DescribeServices', { services: ['web'] });
        const { serviceDeployments } = await send('DescribeServiceDeployments', { serviceDeploymentArns: [services[0].currentServiceDeployment] });
        return serviceDeployments[0].finishedAt && serviceDeployments[0].status;
    });
}
async function update(version, strategy) {
    await send('UpdateService', { service: 'web', taskDefinition: `web:${version + 1}`, loadBalancers: balancer(version, strategy),
        ...(strategy && { deploymentConfiguration: { bakeTimeInMinutes: 0, ...strategy } }) });
}

async function underLoad(versions, doing) {
    const clients = load(port, '/');
    await doing();
    await sleep(200);
    const seen = await clients.stop();
    assert.deepStrictEqual(seen.lost.slice(0, 3), [], `${seen.lost.length} are lost`);
    assert.deepStrictEqual(Object.keys(seen.texts).sort(), versions);
}

before(async () => {
    if (skip) return;
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-traffic-'));
    server = await Server.start();
    await server.call('CreateCluster');
    await server.agent(['--runtime', 'process', '--address', '127.0.0.1']);
    for (let version = 0; version < VERSIONS; version++) {
        ports.push(await freePort());
        const script = `const server = require('http').createServer((q, r) => setTimeout(() => r.end('v${version}'), 10)).listen(${ports[version]}, '127.0.0.1');`
            + 'process.on(\'SIGTERM\', () => process.exit());';
        await send('RegisterTaskDefinition', { family: 'web', networkMode: 'host', containerDefinitions: [{ name: 'main', image: 'x', memory: 64,
            command: [process.execPath, '-e', script], portMappings: [{ containerPort: ports[version] }] }] });
    }
    for (const name of ['blue', 'green']) {
        groups[name] = (await elb('CreateTargetGroup', { Name: name, Protocol: 'HTTP', Port: 80, TargetType: 'ip', HealthCheckIntervalSeconds: 5, HealthCheckTimeoutSeconds: 2 }))('TargetGroupArn');
    }
    const front = (await elb('CreateLoadBalancer', { Name: 'front', 'Subnets.member.1': 'local' }))('LoadBalancerArn');
    const forward = (name, arn) => ({ [`${name}.member.1.Type`]: 'forward', [`${name}.member.1.TargetGroupArn`]: arn });
    const listener = (await elb('CreateListener', { LoadBalancerArn: front, Protocol: 'HTTP', Port: 80, ...forward('DefaultActions', groups.blue) }))('ListenerArn');
    rule = (await elb('CreateRule', { ListenerArn: listener, Priority: 1, 'Conditions.member.1.Field': 'path-pattern', 'Conditions.member.1.Values.member.1': '/*',
        ...forward('Actions', groups.blue) }))('RuleArn');
    port = await freePort();
    ingress = new Process(['ingress', '--server', server.url, '--data', path.join(folder, 'ingress'), '--map-ports', `80=${port}`, '--access-log', 'off'], server.environment());
    await send('CreateService', { serviceName: 'web', taskDefinition: 'web:1', desiredCount: 1, loadBalancers: balancer(0) });
    assert.strictEqual(await deployed(), 'SUCCESSFUL', server.process.output);
    await waitFor('the proxy', async () => {
        const client = load(port, '/', { clients: 1 });
        await sleep(100);
        return (await client.stop()).texts.v0 > 0;
    });
});
after(async () => {
    if (skip) return;
    await ingress.signal('SIGTERM');
    await server.stop();
    remove(folder);
});

test('a rolling update loses no request', { skip }, () => underLoad(['v0', 'v1'], async () => {
    await update(1);
    assert.strictEqual(await deployed(), 'SUCCESSFUL');
}));

test('a canary that is stopped goes back and loses no request', { skip }, () => underLoad(['v1', 'v2'], async () => {
    await update(2, { strategy: 'CANARY', canaryConfiguration: { canaryPercent: 20, canaryBakeTimeInMinutes: 10 } });
    await waitFor('the weights of the canary', async () => (await elb('DescribeRules', { 'RuleArns.member.1': rule }))('Rules').includes('<Weight>20</Weight>'));
    await sleep(1500);
    const { services } = await send('DescribeServices', { services: ['web'] });
    await send('StopServiceDeployment', { serviceDeploymentArn: services[0].currentServiceDeployment });
    assert.strictEqual(await deployed(), 'ROLLBACK_SUCCESSFUL');
}));

test('linear steps lose no request', { skip }, () => underLoad(['v1', 'v3'], async () => {
    await update(3, { strategy: 'LINEAR', linearConfiguration: { stepPercent: 50, stepBakeTimeInMinutes: 0 } });
    assert.strictEqual(await deployed(), 'SUCCESSFUL');
}));

test('blue/green loses no request', { skip }, () => underLoad(['v3', 'v4'], async () => {
    await update(4, { strategy: 'BLUE_GREEN' });
    assert.strictEqual(await deployed(), 'SUCCESSFUL');
}));

test('an update in whose middle the server is killed loses no request', { skip }, () => underLoad(['v4', 'v5'], async () => {
    await update(5, { strategy: 'BLUE_GREEN' });
    await sleep(500);
    const { data, port: own, agents } = server;
    await server.kill9();
    await sleep(1000);
    server = await Server.start({ data, port: own });
    server.agents = agents;
    assert.strictEqual(await deployed(), 'SUCCESSFUL');
}));
