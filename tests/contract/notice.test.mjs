// A machine that will be taken away: by whichever way word of it comes, it drains first, then its tasks are stopped in time, as interrupted.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Server, program, remove, waitFor } from '../lib/lib.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-notice-'));
const soon = (seconds) => new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+/, '');
let server, count = 0;
before(async () => { server = await Server.start(); });
after(async () => { await server.stop(); remove(folder); });

// The instance metadata service, with tokens, and no notice until the test sets one.
async function metadataService() {
    const service = { action: undefined, tokens: 0, asked: [] };
    service.server = http.createServer((request, response) => {
        service.asked.push(`${request.method} ${request.url}`);
        const reply = (status, text) => { response.writeHead(status); response.end(text); };
        if (request.method === 'PUT') return request.headers['x-aws-ec2-metadata-token-ttl-seconds'] ? reply(200, `token-${++service.tokens}`) : reply(400, '');
        if (request.headers['x-aws-ec2-metadata-token'] !== `token-${service.tokens}`) return reply(401, '');
        return service.action ? reply(200, JSON.stringify(service.action)) : reply(404, 'not found');
    });
    await new Promise((resolve) => service.server.listen(0, '127.0.0.1', resolve));
    service.url = `http://127.0.0.1:${service.server.address().port}`;
    return service;
}

// One machine in its own cluster, with a task that says when it was asked to end.
async function scene(args = [], environment = {}) {
    const cluster = `notice-${++count}`, file = path.join(folder, cluster), data = mkdtempSync(path.join(folder, 'agent-'));
    await server.call('CreateCluster', { clusterName: cluster });
    const agent = await server.agentIn(data, ['--cluster', cluster, '--runtime', 'process', ...args], { environment });
    await waitFor('the machine', async () => (await server.connected(cluster)) === 1);
    const command = ['sh', '-c', `trap 'date +%s.%N >${file}.term; exit 7' TERM; echo $$ >${file}.pid; while true; do sleep 0.05; done`];
    await server.call('RegisterTaskDefinition', { family: cluster, containerDefinitions: [{ name: 'main', image: 'none', memory: 16, command, stopTimeout: 60 }] });
    const { json } = await server.call('RunTask', { taskDefinition: cluster, cluster });
    assert.deepStrictEqual(json.failures, []);
    const arn = json.tasks[0].taskArn;
    const describe = async () => (await server.call('DescribeTasks', { tasks: [arn], cluster })).json.tasks[0];
    await waitFor('the task', async () => existsSync(`${file}.pid`) && (await describe()).lastStatus === 'RUNNING');
    const status = async () => {
        const { containerInstanceArn } = await describe();
        return (await server.call('DescribeContainerInstances', { cluster, containerInstances: [containerInstanceArn] })).json.containerInstances[0].status;
    };
    return { cluster, file, agent, describe, status };
}

async function interrupted({ cluster, file, agent, describe, status }) {
    await waitFor('the machine to drain', async () => (await status()) === 'DRAINING');
    const task = await waitFor('the task to end', async () => { const one = await describe(); return one.lastStatus === 'STOPPED' && one; });
    assert.deepStrictEqual([task.stopCode, task.stoppedReason, task.containers[0].exitCode], ['SpotInterruption', 'Your Spot Task was interrupted', 7]);
    assert.ok(task.startedAt <= task.stoppingAt && task.stoppingAt <= task.stoppedAt, 'its times are in order');
    assert.ok(Number(readFileSync(`${file}.term`, 'utf8')) <= task.stoppedAt, 'SIGTERM came before its end');
    const order = ['will be taken away', 'this machine is DRAINING', 'stopping all tasks'].map((text) => agent.output.indexOf(text));
    assert.deepStrictEqual(order, [...order].sort((a, b) => a - b));
    assert.ok(!order.includes(-1), agent.output);
    assert.strictEqual(agent.output.split('this machine is DRAINING').length, 2, 'once, successfully');
    const refused = await server.call('RunTask', { taskDefinition: cluster, cluster });
    assert.strictEqual(refused.json.tasks.length, 0, 'nothing more is placed there');
}

test('berth agent notice', async () => {
    const machine = await scene();
    const said = execFileSync(program, ['agent', 'notice', '--in', '90s', '--data', machine.agent.data], { encoding: 'utf8' });
    assert.match(said, /: 90 s left\.$/m);
    await interrupted(machine);
});

test('a signal', async () => {
    const machine = await scene();
    machine.agent.child.kill('SIGUSR1');
    await interrupted(machine);
    assert.strictEqual(machine.agent.status, undefined, 'the agent itself goes on');
});

test('a file; an expired or unreadable one is ignored', async () => {
    const file = path.join(folder, 'word.json');
    writeFileSync(file, JSON.stringify({ action: 'terminate', time: soon(-3600) }));
    const machine = await scene(['--spot-notice-file', file]);
    writeFileSync(file, 'soon');
    await waitFor('a complaint', () => machine.agent.output.includes('a notice cannot be read'));
    assert.strictEqual(await machine.status(), 'ACTIVE');
    writeFileSync(file, JSON.stringify({ action: 'terminate', time: soon(60) }));
    await interrupted(machine);
});

test('the metadata service', async () => {
    const service = await metadataService();
    const machine = await scene([], { ECS_ENABLE_SPOT_INSTANCE_DRAINING: 'true', AWS_EC2_METADATA_DISABLED: 'false', AWS_EC2_METADATA_SERVICE_ENDPOINT: service.url });
    await waitFor('it to ask', () => service.asked.filter((one) => one === 'GET /latest/meta-data/spot/instance-action').length >= 2);
    assert.strictEqual(service.tokens, 1, 'one token for many questions');
    assert.strictEqual(await machine.status(), 'ACTIVE');
    service.tokens++;
    await waitFor('a new token for an old one', () => service.tokens === 3);
    service.action = { action: 'terminate', time: soon(100) };
    await interrupted(machine);
    service.server.close();
});

test('a notice of an hour: the machine drains at once, its task runs on', async () => {
    const machine = await scene();
    execFileSync(program, ['agent', 'notice', '--in', '1h', '--data', machine.agent.data]);
    await waitFor('the machine to drain', async () => (await machine.status()) === 'DRAINING');
    assert.deepStrictEqual([(await machine.describe()).desiredStatus, existsSync(`${machine.file}.term`)], ['RUNNING', false]);
    execFileSync(program, ['agent', 'notice', '--in', '30s', '--data', machine.agent.data]);
    await interrupted(machine);
});

test('ACTIVE ends a notice: tasks that are placed then run on, and the same word counts no more', async () => {
    const machine = await scene(), { cluster } = machine;
    const { containerInstanceArn } = await machine.describe();
    const active = () => server.call('UpdateContainerInstancesState', { cluster, containerInstances: [containerInstanceArn], status: 'ACTIVE' });
    // Long before the end: its task is not even told to stop.
    const notice = (time) => execFileSync(program, ['agent', 'notice', '--in', time, '--data', machine.agent.data]);
    notice('1h');
    await waitFor('the machine to drain', async () => (await machine.status()) === 'DRAINING' && machine.agent.output.includes('this machine is DRAINING'));
    await active();
    await waitFor('the agent to notice', () => machine.agent.output.includes('set ACTIVE again'));
    assert.deepStrictEqual([await machine.status(), (await machine.describe()).desiredStatus], ['ACTIVE', 'RUNNING']);

    notice('100s');
    await waitFor('its task to end', async () => (await machine.describe()).lastStatus === 'STOPPED');
    assert.strictEqual((await machine.describe()).stopCode, 'SpotInterruption', 'another word is heard');
    await active();
    await server.call('RegisterTaskDefinition', { family: cluster, containerDefinitions: [{ name: 'main', image: 'none', memory: 16, command: ['sleep', '4'] }] });
    const { json } = await server.call('RunTask', { taskDefinition: cluster, cluster });
    assert.deepStrictEqual(json.failures, []);
    const ended = await waitFor('the new task to end by itself', async () => {
        const [task] = (await server.call('DescribeTasks', { tasks: [json.tasks[0].taskArn], cluster })).json.tasks;
        return task.lastStatus === 'STOPPED' && task;
    });
    assert.deepStrictEqual([ended.stopCode, ended.containers[0].exitCode], ['EssentialContainerExited', 0]);
    assert.strictEqual(await machine.status(), 'ACTIVE');
});

test('draining alone tells no agent anything: tasks run on, and ACTIVE takes new ones again', async () => {
    const { cluster, describe, status } = await scene();
    const { containerInstanceArn } = await describe();
    const set = (word) => server.call('UpdateContainerInstancesState', { cluster, containerInstances: [containerInstanceArn], status: word });
    await set('DRAINING');
    assert.strictEqual((await server.call('RunTask', { taskDefinition: cluster, cluster })).json.tasks.length, 0);
    assert.strictEqual((await server.call('StartTask', { taskDefinition: cluster, cluster, containerInstances: [containerInstanceArn] })).json.tasks.length, 0);
    assert.deepStrictEqual([(await describe()).lastStatus, (await describe()).desiredStatus], ['RUNNING', 'RUNNING']);
    await set('ACTIVE');
    assert.strictEqual(await status(), 'ACTIVE');
    assert.strictEqual((await server.call('RunTask', { taskDefinition: cluster, cluster })).json.tasks.length, 1);
});
