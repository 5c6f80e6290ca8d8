// The history of stopped tasks as its readers meet it: over HTTP and from `berth history`, after a restart and after SIGKILL.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import path from 'node:path';
import http from 'node:http';
import { Server, root, waitFor } from '../lib/lib.mjs';

const program = process.env.PROGRAM_UNDER_TEST ?? path.join(root, 'build/berth');
let server, agent, finished;

// As the page reads it.
const get = (pathname) => new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port: server.port, path: pathname, agent: false, headers: server.login() }, (response) => {
        let text = '';
        response.on('data', (data) => { text += data; });
        response.on('end', () => resolve({ status: response.statusCode, text, json: JSON.parse(text) }));
        response.on('error', reject);
    }).on('error', reject);
});
const history = async (query = '') => {
    const reply = await get(`/berth/v1/history${query}`);
    assert.strictEqual(reply.status, 200, reply.text);
    return reply.json;
};
const idOf = (arn) => arn.split('/').at(-1);

async function berth(...args) {
    const child = spawn(program, ['history', '--server', server.url, ...args], { env: { PATH: process.env.PATH, ...server.environment() } });
    let out = '', err = '';
    child.stdout.on('data', (data) => { out += data; });
    child.stderr.on('data', (data) => { err += data; });
    const code = await new Promise((resolve) => child.on('close', resolve));
    return { code, out, err };
}

async function run(input) {
    const { json } = await server.call('RunTask', input);
    assert.deepStrictEqual(json.failures, []);
    return json.tasks.map((task) => task.taskArn);
}
const known = (count, query = '') => waitFor(`${count} tasks in the history`, async () => (await history(query)).tasks.length === count);

before(async () => {
    server = await Server.start();
    await server.call('CreateCluster', {});
    await server.call('CreateCluster', { clusterName: 'other' });
    await server.fleet('p3.8xlarge:2', 2, { args: ['--fake-task-time', '1s'] });
    agent = await server.fleet('c5.2xlarge', 1, { cluster: 'other', args: ['--fake-silent'] });
    const container = { name: 'main', image: 'i', memory: 16 };
    await server.call('RegisterTaskDefinition', { family: 'train', containerDefinitions: [{ ...container, resourceRequirements: [{ type: 'GPU', value: '2' }] }] });
    await server.call('RegisterTaskDefinition', { family: 'serve', containerDefinitions: [container] });
    finished = await run({ taskDefinition: 'train', count: 3, startedBy: 'night', tags: [{ key: 'team', value: 'vision' }] });
    await known(3);
});
after(async () => { await server.stop(); });

test('a stopped task is shown with its timeline, its GPUs and the end of its log', async () => {
    const { tasks, nextToken } = await history();
    assert.strictEqual(nextToken, null);
    assert.deepStrictEqual(tasks.map((task) => task.arn).sort(), [...finished].sort());
    const described = (await server.call('DescribeTasks', { tasks: finished })).json.tasks;
    for (const task of tasks) {
        const seen = described.find((one) => one.taskArn === task.arn);
        assert.strictEqual(task.family, 'train:1');
        assert.strictEqual(task.startedBy, 'night');
        assert.match(task.instanceName, /p3\.8xlarge/);
        assert.strictEqual(task.stopCode, 'EssentialContainerExited');
        assert.deepStrictEqual(task.tags, [{ key: 'team', value: 'vision' }]);
        assert.deepStrictEqual(task.containers.map(({ name, exitCode, gpuIds }) => ({ name, exitCode, gpuIds })),
            [{ name: 'main', exitCode: 0, gpuIds: seen.containers[0].gpuIds }]);
        assert.strictEqual(Math.round(seen.stoppedAt * 1000), task.stopped);
        assert.strictEqual(task.gpus, 2);
        assert.ok(Math.abs(task.gpuSeconds - 2 * (task.stopped - task.created) / 1000) < 1e-6);
        assert.ok(task.created <= task.pullStarted && task.pullStarted <= task.started && task.started <= task.stopped);
        const one = await get(`/berth/v1/history/${task.id}`);
        assert.deepStrictEqual(one.json.task, task);
        assert.strictEqual(one.json.logs[0].container, 'main');
        assert.match(one.json.logs[0].text, new RegExp(`simulated: .*${task.id}`));
    }
});

test('a log is shown from its end, in whole lines', async () => {
    const lines = Array.from({ length: 1000 }, (_, n) => `step ${n} ${'.'.repeat(90)}\n`).join('');
    const reply = await server.raw({ pathname: '/berth/v1/agent/logs', body: JSON.stringify({ cluster: 'default', task: finished[0], container: 'long', offset: 0, text: lines }) });
    assert.strictEqual(reply.status, 200, reply.text);
    const { logs } = (await get(`/berth/v1/history/${idOf(finished[0])}`)).json;
    const log = logs.find(({ container }) => container === 'long');
    assert.ok(log.text.length <= 65536 && log.text.length > 65536 - 110);
    assert.match(log.text, /^step /);
    assert.ok(lines.endsWith(log.text));
    assert.strictEqual(log.earlierBytes + log.text.length, lines.length);
});

test('one that a person stopped says so, and keeps the tags that the stop took off', async () => {
    const [arn] = await run({ cluster: 'other', taskDefinition: 'serve', tags: [{ key: 'team', value: 'web' }] });
    await waitFor('it runs', async () => (await server.call('DescribeTasks', { cluster: 'other', tasks: [arn] })).json.tasks[0].lastStatus === 'RUNNING');
    await server.aws('ecs', 'stop-task', '--cluster', 'other', '--task', arn, '--reason', 'enough');
    await known(1, '?cluster=other');
    const [task] = (await history('?cluster=other')).tasks;
    assert.strictEqual(task.stopCode, 'UserInitiated');
    assert.match(task.reason, /enough/);
    assert.deepStrictEqual(task.tags, [{ key: 'team', value: 'web' }]);
    assert.strictEqual(task.gpuSeconds, 0);
    assert.deepStrictEqual((await get(`/berth/v1/history/${task.id}`)).json.logs, [], 'the machine is a silent one');
});

test('filters and pages', async () => {
    const count = async (query) => (await history(query)).tasks.length;
    const [last] = (await history('?limit=1')).tasks;
    const rows = [['', 4], ['?family=train', 3], ['?family=train:1', 3], ['?family=train:2', 0], ['?startedBy=night', 3], ['?cluster=other&family=train', 0],
        ['?since=1h', 4], ['?until=1h', 0], [`?since=${last.stopped}`, 1], [`?until=${last.stopped}`, 3], ['?family=&cluster=', 4]];
    for (const [query, want] of rows) assert.strictEqual(await count(query), want, query);
    const paged = [];
    for (let token = ''; token !== null;) {
        const page = await history(`?limit=3&nextToken=${token}`);
        assert.ok(page.tasks.length <= 3);
        paged.push(...page.tasks);
        token = page.nextToken;
    }
    assert.deepStrictEqual(paged, (await history()).tasks);
    for (const query of ['?limit=0', '?limit=101', '?since=yesterday', '?since=-1', '?nextToken=x']) {
        const refused = await get(`/berth/v1/history${query}`);
        assert.strictEqual(refused.status, 400, query);
        assert.strictEqual(refused.json.__type, 'InvalidParameterException', query);
    }
    assert.strictEqual((await get('/berth/v1/history/0123456789abcdef0123456789abcdef')).status, 404);
    assert.strictEqual((await get('/berth/v1/history/nonsense')).status, 400);
});

test('readers of the board may read it: a wrong key is refused', async () => {
    const reply = await server.raw({ method: 'GET', pathname: '/berth/v1/history', secret: 'wrong' });
    assert.strictEqual(reply.status, 401);
    const signed = await server.raw({ method: 'GET', pathname: '/berth/v1/history' });
    assert.strictEqual(signed.status, 200);
});

test('berth history', async (t) => {
    await t.test('a table, the last to stop first', async () => {
        const { code, out } = await berth();
        assert.strictEqual(code, 0);
        const lines = out.trimEnd().split('\n');
        assert.match(lines[0], /^STOPPED \(UTC\) +RAN +GPUS +GPU-SECS +EXIT +FAMILY +MACHINE +TASK +REASON$/);
        assert.deepStrictEqual(lines.slice(1).map((line) => /[0-9a-f]{32}/.exec(line)[0]), (await history()).tasks.map(({ id }) => id));
        assert.match(lines[2], / [\d.]+m?s +2 +\d+\.\d 0 +train:1 /);
    });
    await t.test('filtered, limited, as JSON', async () => {
        assert.strictEqual((await berth('--family', 'train', '--limit', '2')).out.trimEnd().split('\n').length, 3);
        const { out } = await berth('--output', 'json', '--since', '24h', '--cluster', 'default', '--started-by', 'night', '--limit', '0');
        assert.deepStrictEqual(JSON.parse(out), { tasks: (await history('?cluster=default')).tasks });
        assert.deepStrictEqual(JSON.parse((await berth('--output', 'json', '--family', 'none')).out), { tasks: [] });
    });
    await t.test('one task, by id or ARN', async () => {
        const { out } = await berth(finished[0]);
        for (const words of [/^Family +train:1$/m, /^Started by +night$/m, /^Tags +team=vision$/m, /^Reason +Essential container in task exited$/m,
            /^ {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +created and placed$/m, /\+[\d.]+m?s +stopping$/m, /stopped$/m, /^ {2}main {2}exit 0 {2}GPU-[^,]+, GPU-/m, /^Log of main$/m]) {
            assert.match(out, words);
        }
        const asJson = JSON.parse((await berth(idOf(finished[0]), '--output', 'json')).out);
        assert.strictEqual(asJson.task.arn, finished[0]);
    });
    await t.test('what it can not find', async () => {
        const nobody = await berth('0123456789abcdef0123456789abcdef');
        assert.strictEqual(nobody.code, 1);
        assert.match(nobody.err, /has not stopped yet, or too long ago/);
        assert.match((await berth('nonsense')).err, /should be an id or an ARN/);
        assert.match((await berth('--since', 'yesterday')).err, /30m, 24h or 7d/);
    });
});

async function again(how, args = []) {
    const { data, port, agents } = server;
    if (how === 'SIGKILL') await server.kill9();
    else await server.process.signal(how);
    server = await Server.start({ data, port, args });
    server.agents = agents;
}

test('a restart keeps the history, and so does SIGKILL', async () => {
    const kept = await history();
    assert.strictEqual(kept.tasks.length, 4);
    await again('SIGTERM');
    assert.deepStrictEqual(await history(), kept);
    await waitFor('the machines to return', async () => (await server.connected('default')) === 2);
    await run({ taskDefinition: 'train', count: 2 });
    await known(6);
    const more = await history();
    assert.deepStrictEqual(more.tasks.slice(2), kept.tasks);
    await again('SIGKILL');
    assert.deepStrictEqual(await history(), more);
    assert.match((await get(`/berth/v1/history/${more.tasks[0].id}`)).json.logs[0].text, /simulated: /);
});

test('a server that keeps no history removes it', async () => {
    await again('SIGTERM', ['--keep-history', '0s']);
    await known(0);
    assert.strictEqual((await server.call('DescribeTasks', { tasks: finished })).json.failures.length, 0, 'the tasks themselves are still described');
    assert.strictEqual(agent.status, undefined);
});
