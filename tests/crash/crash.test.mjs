// The server killed with SIGKILL at numbered points (around each commit's flush, around each answer, in the middle of a write to the
// data file) and in the middle of its work, under load: each change that was answered yes is there after a restart, with the same GPUs, and no
// GPU is held twice.
import { test } from 'node:test';
import assert from 'node:assert';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Process, Server, remove, root, waitFor } from '../lib/lib.mjs';

const killer = path.join(root, 'build/tests/kill_at.so');
const gpuIds = (task) => task.containers.flatMap((container) => container.gpuIds ?? []);
const definition = { family: 'crash', containerDefinitions: [{ name: 'a', image: 'i', memory: 16, resourceRequirements: [{ type: 'GPU', value: '1' }] }] };

async function prepare(server) {
    const must = async (operation, input) => { const reply = await server.call(operation, input); assert.strictEqual(reply.status, 200, reply.text); };
    await must('CreateCluster');
    await must('RegisterTaskDefinition', definition);
    await must('RegisterTaskDefinition', { family: 'plain', containerDefinitions: [{ name: 'a', image: 'i', memory: 8 }] });
    return register(server);
}

// A machine that is connected but does nothing: its GPUs stay held, so that every assignment can be compared.
async function register(server, arn) {
    const reply = await server.call('RegisterContainerInstance', { containerInstanceArn: arn,
        totalResources: [{ name: 'CPU', type: 'INTEGER', integerValue: 65536 }, { name: 'MEMORY', type: 'INTEGER', integerValue: 1000000 }],
        platformDevices: Array.from({ length: 64 }, (_, n) => ({ id: `GPU-${String(n).padStart(2, '0')}`, type: 'GPU' })) });
    const containerInstance = reply.json.containerInstance.containerInstanceArn;
    await server.attend(containerInstance);
    return containerInstance;
}

// Runs and stops tasks from several clients until the server is gone, or each has asked so often; notes the requests that were answered yes.
async function load(server, acknowledged, most, clients = 4) {
    const client = async (number) => {
        for (let n = 0; n < most; n++) {
            try {
                const reply = await server.call('RunTask', { taskDefinition: n % 4 === 0 ? 'crash' : 'plain', count: 1 + (n % 3) });
                if (reply.status !== 200) continue;
                for (const task of reply.json.tasks) acknowledged.set(task.taskArn, { gpus: gpuIds(task), stopped: false });
                if (n % 5 === number && reply.json.tasks.length > 0) {
                    const arn = reply.json.tasks[0].taskArn;
                    const stopped = await server.call('StopTask', { task: arn });
                    if (stopped.status === 200) acknowledged.get(arn).stopped = true;
                }
            } catch { return; }
        }
    };
    await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
}

async function check(server, acknowledged) {
    const arns = [...acknowledged.keys()];
    for (let from = 0; from < arns.length; from += 100) {
        const { json } = await server.call('DescribeTasks', { tasks: arns.slice(from, from + 100) });
        assert.deepStrictEqual(json.failures, [], 'an acknowledged task is gone');
        for (const task of json.tasks) {
            assert.deepStrictEqual(gpuIds(task), acknowledged.get(task.taskArn).gpus);
            if (acknowledged.get(task.taskArn).stopped) assert.strictEqual(task.desiredStatus, 'STOPPED');
        }
    }
    const holders = new Map();
    for (const desiredStatus of ['RUNNING', 'STOPPED']) {
        let nextToken;
        do {
            const { json } = await server.call('ListTasks', { desiredStatus, nextToken });
            nextToken = json.nextToken;
            if (json.taskArns.length === 0) continue;
            for (const task of (await server.call('DescribeTasks', { tasks: json.taskArns })).json.tasks) {
                for (const gpu of task.lastStatus === 'STOPPED' ? [] : gpuIds(task)) {
                    assert.ok(!holders.has(gpu), `${gpu} is held by ${holders.get(gpu)} and by ${task.taskArn}`);
                    holders.set(gpu, task.taskArn);
                }
            }
        } while (nextToken);
    }
}

// Everything in the file fits together, as the killed server has left it.
async function checkFile(data) {
    const looks = new Process(['check', '--data', data]);
    const [{ code }] = await Promise.all([looks.ended, looks.silent]);
    assert.strictEqual(code, 0, looks.output);
}

async function round(how) {
    const data = mkdtempSync(path.join(os.tmpdir(), 'berth-crash-'));
    const servers = [];
    try {
        await lives(data, servers, how);
    } finally {
        for (const server of servers) await server.kill9();
        remove(data);
    }
}

// Three lives of one store: it is filled; the server is killed at a point, or once this many tasks were acknowledged; all is looked at.
async function lives(data, servers, { killAt, killAfter }) {
    const acknowledged = new Map();
    const start = async () => { const started = await Server.start({ data }); servers.push(started); return started; };
    let server = await start();
    const machine = await prepare(server);
    await server.kill9();
    if (killAt) { process.env.LD_PRELOAD = killer; process.env.KILL_AT = killAt; }
    try { server = await start(); } catch { server = undefined; } finally { delete process.env.LD_PRELOAD; delete process.env.KILL_AT; }
    if (server) {
        const loading = (async () => { try { await register(server, machine); } catch { return; } await load(server, acknowledged, killAfter ? Infinity : 400); })();
        if (killAfter) {
            await waitFor(`${killAfter} tasks to lose`, () => acknowledged.size >= killAfter);
            await server.kill9();
        }
        await loading;
        await server.kill9();
    }
    await checkFile(data);
    server = await start();
    await check(server, acknowledged);
    await register(server, machine);
    const more = await server.call('RunTask', { taskDefinition: 'plain' });
    assert.strictEqual(more.json.tasks?.length, 1, `it takes work again: ${more.text}`);
}

const points = [1, 2, 3, 5, 8, 13, 30, 60].flatMap((n) => [`fdatasync:before:${n}`, `fdatasync:after:${n}`]);
points.push(...[2, 5, 9, 20, 60].flatMap((n) => [`send:before:${n}`, `send:after:${n}`]), ...[3, 10, 40, 90].map((n) => `pwrite:half:${n}`));
for (const killAt of points) test(`killed at ${killAt}`, () => round({ killAt }));

for (let n = 0; n < 10; n++) test(`killed when ${20 + n * 80} tasks were acknowledged`, () => round({ killAfter: 20 + n * 80 }));

test('a second server on the same folder refuses to start, and one after a SIGKILL starts', async () => {
    const data = mkdtempSync(path.join(os.tmpdir(), 'berth-crash-'));
    const first = await Server.start({ data });
    await assert.rejects(Server.start({ data }), /Another server is running with the folder/);
    assert.strictEqual((await first.call('ListClusters')).status, 200);
    await first.kill9();
    const next = await Server.start({ data });
    assert.strictEqual((await next.call('ListClusters')).status, 200);
    await next.stop();
    remove(data);
});
