// GPUs that leave the pool and come back: simulated ones that fail on request, and by hand at the shell.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { Server, program, root, waitFor } from '../lib/lib.mjs';

let server, arn;

async function berth(...args) {
    const child = spawn(program, [...args, '--server', server.url], { cwd: root, env: { PATH: process.env.PATH, ...server.environment() } });
    let out = '', err = '';
    child.stdout.on('data', (data) => { out += data; });
    child.stderr.on('data', (data) => { err += data; });
    const code = await new Promise((resolve) => child.on('close', resolve));
    return { code, out, err };
}
const machine = async () => (await server.aws('ecs', 'describe-container-instances', '--container-instances', arn, '--include', 'CONTAINER_INSTANCE_HEALTH')).containerInstances[0];
const freeGpus = (it) => it.remainingResources.find((resource) => resource.name === 'GPU').stringSetValue.length;
const allGpus = (it) => it.registeredResources.find((resource) => resource.name === 'GPU').stringSetValue;
const accelerators = (it) => it.healthStatus.details.find((detail) => detail.type === 'ACCELERATED_COMPUTE');
const task = async (taskArn) => (await server.aws('ecs', 'describe-tasks', '--tasks', taskArn)).tasks[0];

before(async () => {
    server = await Server.start();
    await server.call('CreateCluster', {});
    for (const gpus of ['1', '8']) {
        await server.call('RegisterTaskDefinition', { family: `gpus-${gpus}`, containerDefinitions: [{ name: 'main', image: 'i', memory: 16, resourceRequirements: [{ type: 'GPU', value: gpus }] }] });
    }
});
after(() => server.stop());

test('by hand: who, why, and the reason for tasks that find no place', async () => {
    await server.fleet('p3.16xlarge', 1, { args: ['--name', 'hand'] });
    [arn] = (await server.aws('ecs', 'list-container-instances')).containerInstanceArns;
    assert.match((await berth('gpu')).out, /^Every GPU is in the pool\.$/m);
    const [first] = allGpus(await machine());
    assert.deepStrictEqual(await berth('gpu', 'quarantine', first, '--reason', 'the fan is loud'), { code: 0, out: '', err: '' });
    const it = await machine();
    assert.strictEqual(freeGpus(it), 7);
    assert.strictEqual(it.healthStatus.overallStatus, 'IMPAIRED');
    assert.strictEqual(it.statusReason, `${first} is quarantined: the fan is loud`);
    const { json } = await server.call('DescribeContainerInstances', { containerInstances: [arn], include: ['CONTAINER_INSTANCE_HEALTH'] });
    assert.strictEqual(accelerators(json.containerInstances[0]).statusReason, `${first} is quarantined: the fan is loud`);
    const { failures } = await server.aws('ecs', 'run-task', '--task-definition', 'gpus-8');
    assert.strictEqual(failures[0].reason, 'RESOURCE:GPU');
    assert.strictEqual(failures[0].detail, 'needs 8 GPUs on one instance. 1 instance has 8 GPUs, of which at most 7 are free and 1 is quarantined. Would fit when quarantined GPUs come back.');
    assert.match((await berth('why', '--task-definition', 'gpus-8')).out, /1 is quarantined/);
    assert.match((await berth('headroom')).out, /1 GPU quarantined/);
    const listed = JSON.parse((await berth('gpu', 'list', '--output', 'json')).out).gpus;
    assert.deepStrictEqual(listed.map(({ uuid, reason, gone }) => ({ uuid, reason, gone })), [{ uuid: first, reason: 'the fan is loud', gone: false }]);
    assert.match((await server.raw({ method: 'GET', pathname: '/metrics', body: '' })).text, /^berth_quarantined_gpus\{cluster="default"\} 1$/m);
    assert.strictEqual((await berth('gpu', 'restore', first)).code, 0);
    assert.strictEqual(freeGpus(await machine()), 8);
    const again = await berth('gpu', 'restore', first);
    assert.strictEqual(again.code, 1);
    assert.match(again.err, /is not in quarantine/);
    assert.match((await berth('gpu', 'quarantine', 'GPU-nobody')).err, /No machine has a GPU with the UUID GPU-nobody/);
    assert.match((await berth('gpu', 'remove', first)).err, /use `berth gpu list`/);
});

test('only an administrator may', async () => {
    const created = JSON.parse((await (async () => {
        const child = spawn(program, ['keys', 'create', '--role', 'viewer', '--data', server.data, '--output', 'json']);
        let out = '';
        child.stdout.on('data', (data) => { out += data; });
        await new Promise((resolve) => child.on('close', resolve));
        return out;
    })()));
    const key = created.AccessKey ?? created;
    const body = JSON.stringify({ uuid: allGpus(await machine())[0], state: 'QUARANTINED' });
    const reply = await server.raw({ pathname: '/berth/v1/gpus', body, key: key.AccessKeyId, secret: key.SecretAccessKey });
    assert.strictEqual(reply.status, 400, reply.text);
    assert.strictEqual(reply.json.__type, 'AccessDeniedException');
    const health = await server.raw({ pathname: '/berth/v1/agent/health', body: JSON.stringify({ containerInstance: arn, status: 'OK' }), key: key.AccessKeyId, secret: key.SecretAccessKey });
    assert.strictEqual(health.json.__type, 'AccessDeniedException');
});

test('a simulated GPU falls off the bus: its task ends, the others go on, and it comes back', async () => {
    await server.call('UpdateContainerInstancesState', { containerInstances: [arn], status: 'DRAINING' });
    const known = (await server.aws('ecs', 'list-container-instances')).containerInstanceArns;
    const faults = 'fall-p3.8xlarge-1/0=xid79@20s+6s,fall-p3.8xlarge-1/1=xid31@1s,fall-p3.8xlarge-1/2=xid48@20s+6s';
    await server.fleet('p3.8xlarge', 1, { args: ['--name', 'fall', '--fake-faults', faults] });
    const { tasks } = (await server.call('RunTask', { taskDefinition: 'gpus-1', count: 4 })).json;       // at once: well before the first fails
    arn = (await server.aws('ecs', 'list-container-instances')).containerInstanceArns.find((one) => !known.includes(one));
    const gpus = allGpus(await machine());
    assert.strictEqual(tasks.length, 4);
    const on = (slot) => tasks.find((one) => one.containers[0].gpuIds[0] === gpus[slot]).taskArn;
    await waitFor('the task to end', async () => (await task(on(0))).lastStatus === 'STOPPED');
    const ended = await task(on(0));
    assert.strictEqual(ended.stopCode, 'InfrastructureHealth');
    assert.strictEqual(ended.stoppedReason, `InfrastructureHealth: ${gpus[0]} is gone: Xid 79: it has fallen off the bus`);
    for (const slot of [1, 2, 3]) assert.strictEqual((await task(on(slot))).desiredStatus, 'RUNNING', `slot ${slot}`);
    await waitFor('all to be well again', async () => accelerators(await machine()).status === 'OK');
    assert.strictEqual(freeGpus(await machine()), 1);
    for (const slot of [1, 2, 3]) assert.strictEqual((await task(on(slot))).desiredStatus, 'RUNNING', `slot ${slot}`);
});

test('what can not be read as faults is refused by name', async () => {
    for (const [text, complaint] of [
        ['x', /should have the form MACHINE\/GPU=EVENT@AFTER/], ['p3.8xlarge-1/0=xid@1s', /should have the form/], ['p3.8xlarge-1/9=gone@1s', /has 4 GPUs, counted from 0/],
        ['other-1/0=gone@1s', /No simulated machine is called other-1/], ['p3.8xlarge-1/0=gone@soon', /should have the form/],
    ]) {
        const agent = await server.agent(['--fake', 'p3.8xlarge', '--fake-faults', text]);
        await waitFor('the agent to end', () => agent.status);
        await agent.silent;
        assert.match(agent.output, complaint);
    }
});

test('the doctor: a server that answers, a key and a clock, a folder; and what fails', async () => {
    const doctor = async (args, env = {}) => {
        const child = spawn(program, ['doctor', '--output', 'json', ...args], { cwd: root, env: { PATH: process.env.PATH, ...server.environment(), ...env } });
        let out = '';
        child.stdout.on('data', (data) => { out += data; });
        const code = await new Promise((resolve) => child.on('close', resolve));
        const { good, findings } = JSON.parse(out);
        assert.strictEqual(code, good ? 0 : 1);
        assert.strictEqual(good, findings.every(({ status }) => status !== 'FAIL'));
        for (const { status, remedy } of findings) assert.ok(status === 'OK' || remedy, 'no trouble without a cure');
        return (check) => findings.find((one) => one.check === check)?.status;
    };
    const well = await doctor(['--join', server.url]);
    assert.deepStrictEqual(['server', 'protocol', 'key', 'clock', 'disk'].map(well), ['OK', 'OK', 'OK', 'OK', 'OK']);
    const stranger = await doctor(['--join', server.url], { AWS_SECRET_ACCESS_KEY: 'another/secret/of/forty/characters/is/it' });
    assert.deepStrictEqual(['server', 'key'].map(stranger), ['OK', 'FAIL']);
    assert.strictEqual((await doctor(['--join', 'http://127.0.0.1:1']))('server'), 'FAIL');
    const folder = await doctor(['--data', server.data]);
    assert.deepStrictEqual(['folder', 'agents', 'store', 'disk'].map(folder), ['OK', 'OK', 'OK', 'OK']);
    assert.strictEqual((await doctor(['--data', '/nowhere/at/all']))('store'), 'FAIL');
});

test('a GPU that two machines report is given out once: the second waits for the first to go', async () => {
    await server.call('CreateCluster', { clusterName: 'twins' });
    const totalResources = [{ name: 'CPU', type: 'INTEGER', integerValue: 4096 }, { name: 'MEMORY', type: 'INTEGER', integerValue: 4096 }];
    const register = async (cluster) => {
        const { json } = await server.call('RegisterContainerInstance', { cluster, totalResources, platformDevices: [{ id: 'GPU-same-0', type: 'GPU' }] });
        const { containerInstanceArn } = json.containerInstance;
        await server.attend(containerInstanceArn, cluster);
        await waitFor('it to be connected', async () => (await server.call('DescribeContainerInstances', { cluster, containerInstances: [containerInstanceArn] })).json.containerInstances[0].agentConnected);
        return containerInstanceArn;
    };
    const first = await register('twins');
    const second = await register('default');                                            // the same in another cluster
    const run = async (cluster, containerInstance) => (await server.call('StartTask', { cluster, taskDefinition: 'gpus-1', containerInstances: [containerInstance] })).json;
    assert.deepStrictEqual((await run('twins', first)).tasks[0].containers[0].gpuIds, ['GPU-same-0']);
    assert.strictEqual((await run('default', second)).failures[0]?.reason, 'RESOURCE:GPU');
    const reason = new RegExp(`${first.split('/').at(-1)}\\) has this GPU too`);
    assert.match(JSON.parse((await berth('gpu', 'list', '--output', 'json')).out).gpus.find(({ uuid }) => uuid === 'GPU-same-0').reason, reason);
    assert.match((await berth('gpu', 'restore', 'GPU-same-0')).err, reason);
    assert.strictEqual((await server.call('DeregisterContainerInstance', { cluster: 'twins', containerInstance: first, force: true })).status, 200);
    assert.deepStrictEqual((await run('default', second)).tasks[0].containers[0].gpuIds, ['GPU-same-0']);
});
