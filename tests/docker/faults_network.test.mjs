// The network between agent and server is cut: the agent has its own network, and the cable between the two is pulled, so that
// neither side is notified.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, program, remove, sleep, waitFor } from '../lib/lib.mjs';
import { faultyServer } from '../lib/fault_way.mjs';
import { agentArgs, inScene } from './faults.mjs';

const here = '10.99.99.1', there = '10.99.99.2';
const ip = (...args) => execFileSync('ip', args, { stdio: 'pipe' });
const cable = (state) => ip('link', 'set', 'berth-here', state);
let folder, holder, run;

before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-faults-network-'));
    holder = spawn('unshare', ['--net', 'sleep', '1000000'], { stdio: 'ignore' });
    await waitFor('the other network', () => execFileSync('readlink', [`/proc/${holder.pid}/ns/net`], { encoding: 'utf8' }) !== execFileSync('readlink', ['/proc/self/ns/net'], { encoding: 'utf8' }));
    ip('link', 'add', 'berth-here', 'type', 'veth', 'peer', 'name', 'berth-there', 'netns', String(holder.pid));
    ip('address', 'add', `${here}/24`, 'dev', 'berth-here');
    cable('up');
    const inside = (...args) => execFileSync('nsenter', [`--net=/proc/${holder.pid}/ns/net`, 'ip', ...args]);
    inside('address', 'add', `${there}/24`, 'dev', 'berth-there');
    inside('link', 'set', 'berth-there', 'up');
    run = path.join(folder, 'berth');
    writeFileSync(run, `#!/bin/sh\nexec nsenter --net=/proc/${holder.pid}/ns/net '${path.resolve(program)}' "$@"\n`);
    chmodSync(run, 0o755);
});
after(() => {
    ip('link', 'del', 'berth-here');
    holder.kill('SIGKILL');
    remove(folder);
});

async function behindCable(args, body) {
    let way;
    const start = async () => { way = await faultyServer((more) => Server.start({ args: [...more.args, ...args] }), 1, here); return way; };
    const options = { start };
    options.join = (data) => way.server.agentIn(data, [...agentArgs, '0s'], { url: way.url, run });
    await inScene(options, body);
    await way.stop();
}
const isLost = (scene) => waitFor('the loss to be seen', async () => (await scene.server.connected('default')) === 0, { seconds: 300 });

test('cut for a moment', () => behindCable([], (scene) => scene.work(async () => {
    for (let time = 0; time < 3; time++) {
        await sleep(2000);
        cable('down');
        await sleep(7000);
        cable('up');
    }
    await scene.connected();
})));

test('cut long enough that the machine counts as lost: its tasks run on', () => behindCable([], async (scene) => {
    const { tasks: [kept] } = await scene.call('RunTask', { taskDefinition: 'long' });
    const one = async () => (await scene.tasks()).find((task) => task.taskArn === kept.taskArn);
    await waitFor('it to run', async () => (await one()).lastStatus === 'RUNNING', { seconds: 300 });
    cable('down');
    await scene.work(() => isLost(scene));
    assert.deepStrictEqual([(await one()).lastStatus, (await one()).connectivity], ['RUNNING', 'DISCONNECTED']);
    assert.ok((await scene.containers()).some((each) => each.Labels['com.amazonaws.ecs.task-arn'] === kept.taskArn));
    cable('up');
    await scene.connected();
    assert.strictEqual((await one()).lastStatus, 'RUNNING');
}));

test('fenced: nothing runs any more when the server says so', () => behindCable(['--fence-after', '10s'], async (scene) => {
    for (let count = 0; count < 2; count++) await scene.call('RunTask', { taskDefinition: 'long' });
    await waitFor('both to run', async () => (await scene.containers()).length === 2, { seconds: 300 });
    cable('down');
    await isLost(scene);
    await waitFor('the server to say so', async () => (await scene.tasks()).every((task) => task.lastStatus === 'STOPPED'), { seconds: 300 });
    assert.deepStrictEqual(await scene.containers(), []);
    cable('up');
    await scene.connected();
}));
