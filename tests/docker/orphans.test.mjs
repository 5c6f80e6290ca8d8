// An agent has lost its folder and comes back as a new machine, while the containers of its earlier run go on. DOCKER_SOCKET as in
// e2e.test.mjs.
import { test } from 'node:test';
import assert from 'node:assert';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { remove, waitFor } from '../lib/lib.mjs';
import { Scene, agentArgs, containers } from './faults.mjs';

const port = 18473;
const slow = 'trap "sleep 3; exit 0" TERM; while :; do sleep 0.1; done';     // takes its time to end, and is given it
const main = (more) => ({ name: 'main', image: 'busybox:latest', memory: 16, command: ['sh', '-c', slow], stopTimeout: 60, ...more });
const network = { own: { networkConfiguration: { awsvpcConfiguration: { subnets: ['subnet-1'] } } } };
const gpu = { resourceRequirements: [{ type: 'GPU', value: '1' }] };

async function inScene(body) {
    const scene = await Scene.open();
    try {
        await scene.call('RegisterTaskDefinition', { family: 'plain', containerDefinitions: [main({})] });
        await scene.call('RegisterTaskDefinition', { family: 'slow', containerDefinitions: [main(gpu)] });
        await scene.call('RegisterTaskDefinition', { family: 'port', containerDefinitions: [main({ ...gpu, portMappings: [{ containerPort: 80, hostPort: port }] })] });
        await scene.call('RegisterTaskDefinition', { family: 'own', networkMode: 'awsvpc', containerDefinitions: [main({})] });
        await body(scene);
        assert.deepStrictEqual(scene.watcher.trouble, [], 'no GPU was held twice');
        assert.strictEqual(scene.watcher.most, 2, 'both were in use');
    } finally {
        await scene.close();
    }
}
const ids = async (all) => (await containers(all)).map((one) => one.Id);
const describe = async (scene, arn, cluster = 'default') => (await scene.call('DescribeTasks', { cluster, tasks: [arn] })).tasks[0];
async function run(scene, family, cluster = 'default') {
    const made = await waitFor(`a place for ${family}`, async () => {
        const reply = await scene.call('RunTask', { cluster, taskDefinition: family, ...network[family] });
        return reply?.tasks.length === 1 && reply;
    });
    return waitFor(`${family} to run`, async () => {
        const task = await describe(scene, made.tasks[0].taskArn, cluster);
        assert.notStrictEqual(task.lastStatus, 'STOPPED', `${task.stoppedReason} ${task.containers[0].reason}`);
        return task.lastStatus === 'RUNNING' && task;
    }, { seconds: 300 });
}
async function stopAll(scene, cluster = 'default') {
    for (const task of (await scene.call('ListTasks', { cluster })).taskArns) await scene.call('StopTask', { cluster, task });
}

test('its containers are ended, and their GPUs and ports go to others when they are gone', () => inScene(async (scene) => {
    const before = [await run(scene, 'port'), await run(scene, 'slow'), await run(scene, 'own')];
    const old = await ids(true);
    assert.strictEqual(old.length, 4, 'with the one that holds an address');
    await scene.agent.signal('SIGKILL');
    rmSync(scene.data, { recursive: true });
    await scene.startAgent();
    const after = await Promise.all(['port', 'slow'].map((family) => run(scene, family)));
    assert.notStrictEqual(after[0].containerInstanceArn, before[0].containerInstanceArn, 'it is a new machine');
    const gpus = (tasks) => tasks.flatMap((task) => task.containers[0].gpuIds ?? []).sort();
    assert.deepStrictEqual(gpus(after), gpus(before), 'with the same GPUs');
    await waitFor('the earlier containers to be gone', async () => (await ids(true)).every((id) => !old.includes(id)), { seconds: 300 });
    assert.match(scene.agent.output, /a container of an earlier life belongs to no task any more and is being ended .*gpus=GPU-/);
    await stopAll(scene);
    await waitFor('all to be gone', async () => (await ids(true)).length === 0, { seconds: 300 });
}));

test("one task's file is lost, another agent's tasks and the others run on", () => inScene(async (scene) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-former-'));
    await scene.call('CreateCluster', { clusterName: 'other' });
    await scene.server.agentIn(folder, [...agentArgs, '0s', '--cluster', 'other']);
    const others = await run(scene, 'plain', 'other'), kept = await run(scene, 'slow'), lost = await run(scene, 'port');
    await scene.agent.signal('SIGKILL');
    const files = readdirSync(path.join(scene.data, 'tasks')), file = `${lost.taskArn.split('/').pop()}.json`;
    assert.ok(files.includes(file), `${files}`);
    rmSync(path.join(scene.data, 'tasks', file));
    await scene.startAgent();
    await waitFor('the lost one to end', async () => !(await ids(true)).includes(lost.containers[0].runtimeId), { seconds: 300 });
    const left = await ids();
    for (const task of [others, kept]) assert.ok(left.includes(task.containers[0].runtimeId), `${task.taskDefinitionArn} runs on`);
    assert.strictEqual((await describe(scene, others.taskArn, 'other')).lastStatus, 'RUNNING');
    await stopAll(scene);
    await stopAll(scene, 'other');
    await waitFor('all to be gone', async () => (await ids(true)).length === 0, { seconds: 300 });
    remove(folder);
}));
