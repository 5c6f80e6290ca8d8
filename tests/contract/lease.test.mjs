// A machine that loses its server: by default its tasks run on; with --fence-after it stops them by itself, before the server gives
// away what they held.
import { test, after } from 'node:test';
import assert from 'node:assert';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, remove, sleep, waitFor } from '../lib/lib.mjs';
import { faultyServer } from '../lib/fault_way.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-lease-'));
const ways = [];
after(async () => {
    for (const { server, way } of ways) { await way.stop(); await server.stop(); }
    remove(folder);
});

async function start(args) {
    const way = await faultyServer((more) => Server.start({ ...more, args: [...more.args, ...args] }), 1);
    ways.push({ server: way.server, way });
    const join = async (data) => {
        const agent = await way.server.agentIn(data, ['--runtime', 'process', '--fake-gpus', 'V100:1', '--stop-timeout', '2s'], { url: way.url });
        await waitFor('the machine', async () => (await way.server.connected('default')) === 1, { seconds: 300 });
        return agent;
    };
    await way.server.call('CreateCluster', {});
    return { ...way, join };
}

async function run(server, name) {
    const file = path.join(folder, name);
    const containerDefinitions = [{ name: 'main', image: 'none', memory: 16, command: ['sh', '-c', `echo $$ >${file}; while true; do sleep 0.1; done`],
        resourceRequirements: [{ type: 'GPU', value: '1' }] }];
    await server.call('RegisterTaskDefinition', { family: name, containerDefinitions });
    const { json } = await server.call('RunTask', { taskDefinition: name });
    assert.deepStrictEqual(json.failures, []);
    const pid = await waitFor(`${name} to run`, () => existsSync(file) && Number(readFileSync(file, 'utf8')));
    return { arn: json.tasks[0].taskArn, pid };
}
const describe = async (server, arn) => (await server.call('DescribeTasks', { tasks: [arn] })).json.tasks[0];
const runs = (pid) => existsSync(`/proc/${pid}`);

test('fenced: the machine stops its tasks, then the server says so, and messages that came too late are ignored', async () => {
    const { server, set, join } = await start(['--fence-after', '10s']);
    const agent = await join(mkdtempSync(path.join(folder, 'agent-')));
    const task = await run(server, 'fenced');
    await waitFor('the lease', () => existsSync(path.join(agent.data, 'lease')));
    await waitFor('the server to know that it runs', async () => (await describe(server, task.arn)).lastStatus === 'RUNNING');
    set({ cut: true });
    await waitFor('its process to end', () => !runs(task.pid), { seconds: 300 });
    assert.match(agent.output, /longer than the lease of 10 s: all tasks are being stopped/);
    const waiting = await describe(server, task.arn);
    assert.strictEqual(waiting.lastStatus, 'RUNNING', 'the server waits for longer than the machine');
    const refused = await server.call('RunTask', { taskDefinition: 'fenced' });
    assert.notDeepStrictEqual(refused.json.failures, [], 'until then it keeps its GPU');
    const stopped = await waitFor('the server to say so', async () => { const one = await describe(server, task.arn); return one.lastStatus === 'STOPPED' && one; }, { seconds: 600 });
    assert.deepStrictEqual([stopped.stopCode, stopped.stoppedReason], ['InfrastructureHealth', 'The machine was out of the server\'s reach for longer than its lease']);

    set({});
    await waitFor('the machine to be back', async () => (await server.connected('default')) === 1, { seconds: 300 });
    const next = await run(server, 'next');
    await waitFor('the next one', async () => (await describe(server, next.arn)).lastStatus === 'RUNNING');
    assert.deepStrictEqual((await describe(server, task.arn)).stoppedAt, stopped.stoppedAt, 'a late report changes nothing');
    await agent.signal('SIGKILL');
    set({ cut: true });

    // Nobody is there to stop it: the server gives up on it, and the agent learns it when it comes back.
    await waitFor('the lease to be over for the server', async () => (await describe(server, next.arn)).lastStatus === 'STOPPED', { seconds: 600 });
    assert.ok(runs(next.pid));
    set({});
    const again = await join(agent.data);
    await waitFor('the process to end', () => !runs(next.pid));
    assert.match(again.output, /all tasks are being stopped/);
});

test('not fenced: the task runs on, however long, and keeps its GPU', async () => {
    const { server, set, join } = await start([]);
    await join(mkdtempSync(path.join(folder, 'agent-')));
    const task = await run(server, 'kept');
    await waitFor('the server to know that it runs', async () => (await describe(server, task.arn)).lastStatus === 'RUNNING');
    set({ cut: true });
    await waitFor('the loss to be seen', async () => (await server.connected('default')) === 0, { seconds: 300 });
    await sleep(1000);
    const lost = await describe(server, task.arn);
    assert.deepStrictEqual([lost.lastStatus, lost.connectivity], ['RUNNING', 'DISCONNECTED']);
    assert.ok(runs(task.pid));
    set({});
    await waitFor('it to be back', async () => (await describe(server, task.arn)).connectivity === 'CONNECTED', { seconds: 300 });
    assert.ok(runs(task.pid));
    await server.call('StopTask', { task: task.arn });
    await waitFor('it to stop', async () => (await describe(server, task.arn)).lastStatus === 'STOPPED');
    assert.ok(!runs(task.pid));
});
