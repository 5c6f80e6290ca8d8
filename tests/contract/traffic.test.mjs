// A service of real processes behind Debian's HAProxy, which `berth ingress` runs, under clients that ask on and on and never try again: a rolling update, a canary
// that goes back, linear, blue/green, and an update in whose middle the server is killed lose no request, nor does one with a proxy that applies nothing. A machine that
// dies loses the requests that it has.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Process, Server, endProcesses, remove, sleep, waitFor } from '../lib/lib.mjs';
import { elb as ask, forward, freePort, load } from '../lib/load.mjs';

const skip = existsSync('/usr/sbin/haproxy') ? false : 'there is no haproxy here: apt-get install haproxy';
const VERSIONS = 8, CLIENTS = 6, MACHINES = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
let server, ingress, folder, port, rule, pairPort;
const groups = {}, ports = [], machines = new Map();

const elb = (action, input) => ask(server, action, input);
async function send(operation, input) {
    const { status, json } = await server.call(operation, input);
    assert.strictEqual(status, 200, json.message);
    return json;
}
const balancer = (version, advanced) => [{ targetGroupArn: groups.blue, containerName: 'main', containerPort: ports[version],
    ...(advanced && { advancedConfiguration: { alternateTargetGroupArn: groups.green, productionListenerRule: rule, roleArn: 'arn:aws:iam::123456789012:role/r' } }) }];

async function deployed(cluster = 'default', service = 'web') {
    return waitFor('the end of the deployment', async () => {
        const { services } = await send('DescribeServices', { cluster, services: [service] });
        const { serviceDeployments } = await send('DescribeServiceDeployments', { serviceDeploymentArns: [services[0].currentServiceDeployment] });
        return serviceDeployments[0].finishedAt && serviceDeployments[0].status;
    });
}
async function update(version, strategy) {
    await send('UpdateService', { service: 'web', taskDefinition: `web:${version + 1}`, loadBalancers: balancer(version, strategy),
        ...(strategy && { deploymentConfiguration: { bakeTimeInMinutes: 0, ...strategy } }) });
}

// A server on the address of its machine, which the folder of its agent has in its name; the answer is a text.
const define = (family, text, at) => send('RegisterTaskDefinition', { family, networkMode: 'host', containerDefinitions: [{ name: 'main', image: 'x', memory: 64,
    command: [process.execPath, '-e', "const [machine] = require('fs').readFileSync(`/proc/${process.ppid}/cmdline`, 'utf8').match(/127[.][.0-9]+/);"
        + `require('http').createServer((q, r) => setTimeout(() => r.end(${text}), 10)).listen(${at}, machine);`
        + 'process.on(\'SIGTERM\', () => process.exit());'], portMappings: [{ containerPort: at }] }] });
const machine = async (address, ...args) => {
    machines.set(address, await server.agentIn(mkdtempSync(path.join(os.tmpdir(), `berth-${address}-`)), ['--runtime', 'process', '--address', address, ...args]));
};

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
    await server.call('CreateCluster', { clusterName: 'pair' });
    await machine('127.0.0.1');
    for (const address of MACHINES) await machine(address, '--cluster', 'pair');
    for (let version = 0; version < VERSIONS; version++) {
        ports.push(await freePort());
        await define('web', `'v${version}'`, ports[version]);
    }
    const ofPair = await freePort();
    await define('pair', 'machine', ofPair);
    for (const name of ['blue', 'green', 'pair']) {
        groups[name] = (await elb('CreateTargetGroup', { Name: name, Protocol: 'HTTP', Port: 80, TargetType: 'ip', HealthCheckIntervalSeconds: 5, HealthCheckTimeoutSeconds: 2 }))('TargetGroupArn');
    }
    const front = (await elb('CreateLoadBalancer', { Name: 'front', 'Subnets.member.1': 'local' }))('LoadBalancerArn');
    const listener = (await elb('CreateListener', { LoadBalancerArn: front, Protocol: 'HTTP', Port: 80, ...forward('DefaultActions', groups.blue) }))('ListenerArn');
    rule = (await elb('CreateRule', { ListenerArn: listener, Priority: 1, 'Conditions.member.1.Field': 'path-pattern', 'Conditions.member.1.Values.member.1': '/*',
        ...forward('Actions', groups.blue) }))('RuleArn');
    await elb('CreateListener', { LoadBalancerArn: front, Protocol: 'HTTP', Port: 81, ...forward('DefaultActions', groups.pair) });
    [port, pairPort] = [await freePort(), await freePort()];
    ingress = new Process(['ingress', '--server', server.url, '--data', path.join(folder, 'ingress'), '--map-ports', `80=${port},81=${pairPort}`, '--access-log', 'off'], server.environment());
    await send('CreateService', { serviceName: 'web', taskDefinition: 'web:1', desiredCount: 1, loadBalancers: balancer(0) });
    await send('CreateService', { cluster: 'pair', serviceName: 'pair', taskDefinition: 'pair', desiredCount: 2, placementConstraints: [{ type: 'distinctInstance' }],
        loadBalancers: [{ targetGroupArn: groups.pair, containerName: 'main', containerPort: ofPair }] });
    assert.strictEqual(await deployed(), 'SUCCESSFUL', server.process.output);
    assert.strictEqual(await deployed('pair', 'pair'), 'SUCCESSFUL', server.process.output);
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

// Its requests are POST, which no proxy may send twice. Each client has one at most. An operator gives the machine up.
test('an agent that dies loses no request, a machine those that it has, and the service is whole again on another one', { skip }, async () => {
    const clients = load(pairPort, '/', { clients: CLIENTS, method: 'POST' });
    const more = (address, from = clients.texts[address] ?? 0) => waitFor(`answers of ${address}`, () => clients.texts[address] > from + 50);
    await waitFor('answers of both machines', () => Object.keys(clients.texts).length === 2);
    const [dead, other] = Object.keys(clients.texts), third = MACHINES.find((address) => address !== dead && address !== other);
    machines.get(dead).child.kill('SIGKILL');
    await more(dead);
    assert.deepStrictEqual(clients.lost, [], 'without its agent alone it goes on');
    await endProcesses(machines.get(dead).data);
    const { [dead]: last } = clients.texts;
    await more(other);
    const { containerInstanceArns: containerInstances } = await send('ListContainerInstances', { cluster: 'pair' });
    const { containerInstances: instances } = await send('DescribeContainerInstances', { cluster: 'pair', containerInstances });
    const gone = instances.find(({ attributes }) => attributes.some(({ name, value }) => name === 'berth.address' && value === dead));
    await send('DeregisterContainerInstance', { cluster: 'pair', containerInstance: gone.containerInstanceArn, force: true });
    await more(third);
    const lost = clients.lost.length;
    console.log(`${lost} requests of ${clients.answers} are lost: ${clients.lost}`);
    assert.ok(lost <= CLIENTS);
    await more(other);
    const seen = await clients.stop();
    assert.deepStrictEqual([seen.lost.length, seen.texts[dead]], [lost, last], 'nothing is lost when it is whole');
    const { services: [service] } = await send('DescribeServices', { cluster: 'pair', services: ['pair'] });
    assert.deepStrictEqual([service.runningCount, service.desiredCount], [2, 2]);
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

test('the proxy dies in the middle of an update, is started again, and the update ends', { skip }, async () => {
    const [master] = readFileSync(`/proc/${ingress.child.pid}/task/${ingress.child.pid}/children`, 'utf8').split(' ');
    await update(5, { strategy: 'BLUE_GREEN' });
    process.kill(Number(master), 'SIGKILL');
    await waitFor('the end in the log', () => /HAProxy has ended, and is started again/.test(ingress.output));
    await waitFor('an answer', async () => {
        const client = load(port, '/', { clients: 1 });
        await sleep(50);
        return (await client.stop()).lost.length === 0;
    });
    const clients = load(port, '/');
    assert.strictEqual(await deployed(), 'SUCCESSFUL');
    await waitFor('answers of the new version', () => clients.texts.v5 > 0);
    assert.deepStrictEqual((await clients.stop()).lost, []);
});

test('an update in whose middle the server is killed loses no request', { skip }, () => underLoad(['v5', 'v6'], async () => {
    await update(6, { strategy: 'BLUE_GREEN' });
    await sleep(500);
    const { data, port: own, agents } = server;
    await server.kill9();
    await sleep(1000);
    server = await Server.start({ data, port: own });
    server.agents = agents;
    assert.strictEqual(await deployed(), 'SUCCESSFUL');
}));

// It reports on and on, and applies nothing.
test('a proxy that applies nothing holds an update for a time only, is named, and nothing is lost', { skip }, () => underLoad(['v6', 'v7'], async () => {
    await elb('ModifyTargetGroupAttributes', { TargetGroupArn: groups.green, 'Attributes.member.1.Key': 'deregistration_delay.timeout_seconds', 'Attributes.member.1.Value': 1 });
    await elb('ModifyTargetGroupAttributes', { TargetGroupArn: groups.blue, 'Attributes.member.1.Key': 'deregistration_delay.timeout_seconds', 'Attributes.member.1.Value': 1 });
    const stuck = setInterval(() => server.raw({ pathname: '/berth/v1/feeds/stuck/applied', body: JSON.stringify({ revision: 0, busy: [] }) }).catch(() => {}), 500);
    try {
        await update(7, { strategy: 'BLUE_GREEN' });
        await waitFor('the reason', async () => {
            const { json } = await server.raw({ method: 'GET', pathname: '/berth/v1/why?service=web', contentType: undefined });
            return json.reasons?.some((reason) => reason.startsWith('The proxy stuck has not taken over'));
        });
        assert.strictEqual(await deployed(), 'SUCCESSFUL');
    } finally {
        clearInterval(stuck);
    }
    const { services } = await send('DescribeServices', { services: ['web'] });
    assert.ok(services[0].events.some(({ message }) => message.includes('no longer waits for the proxy stuck')), JSON.stringify(services[0].events));
}));
