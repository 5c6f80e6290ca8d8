// A real agent, the test's own driver's library, and an imitation of NVIDIA's MPS: a daemon for each GPU that is shared, only while it is, with its limits; one
// that dies is started again, and tasks with whole GPUs have nothing to do with it.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, lives, remove, root, sleep, waitFor } from '../lib/lib.mjs';

// -d leaves a process that writes its number down; "quit" ends it. With a file "broken" beside it, it does not start.
const standIn = `#!/bin/bash
# An imitation of nvidia-cuda-mps-control: it holds nobody to anything.
pipe=$CUDA_MPS_PIPE_DIRECTORY
if [ "$1" = -d ]; then
    [ -e "$(dirname "$0")/broken" ] && exit 1
    echo "$CUDA_VISIBLE_DEVICES" >>"$(dirname "$0")/started"
    setsid sleep 1000 </dev/null >/dev/null 2>&1 &
    echo $! >"$pipe/nvidia-cuda-mps-control.pid"
    exit 0
fi
read -r command
[ "$command" = quit ] && kill "$(cat "$pipe/nvidia-cuda-mps-control.pid")" && rm "$pipe/nvidia-cuda-mps-control.pid"
`;

let server, folder, agent, arn;
const bin = () => path.join(folder, 'bin');
const started = () => (existsSync(path.join(bin(), 'started')) ? readFileSync(path.join(bin(), 'started'), 'utf8').trim().split('\n') : []);
const pidFile = (gpu) => path.join(agent.data, 'mps', gpu, 'pipe/nvidia-cuda-mps-control.pid');
const daemon = (gpu) => (existsSync(pidFile(gpu)) ? Number(readFileSync(pidFile(gpu), 'utf8')) : 0);
const machine = async () => (await server.call('DescribeContainerInstances', { containerInstances: [arn] })).json.containerInstances[0];
const attribute = async (name) => (await machine()).attributes.find((one) => one.name === name);

async function run(family, requirements, command = 'echo pipe=$CUDA_MPS_PIPE_DIRECTORY threads=$CUDA_MPS_ACTIVE_THREAD_PERCENTAGE memory=$CUDA_MPS_PINNED_DEVICE_MEM_LIMIT; exec sleep 1000') {
    await server.call('RegisterTaskDefinition', { family, containerDefinitions: [{ name: 'a', image: 'i', memory: 16, entryPoint: ['sh', '-c'], command: [command], resourceRequirements: requirements }] });
    const { json } = await server.call('RunTask', { taskDefinition: family });
    assert.deepStrictEqual(json.failures, []);
    return json.tasks[0].taskArn;
}
const describe = async (task) => (await server.call('DescribeTasks', { tasks: [task] })).json.tasks[0];
const running = (task) => waitFor('the task to run', async () => (await describe(task)).lastStatus === 'RUNNING');
const stopped = (task) => waitFor('the task to stop', async () => { const it = await describe(task); return it.lastStatus === 'STOPPED' && it; });
const stop = async (task) => { await server.call('StopTask', { task }); return stopped(task); };
const logOf = (task) => waitFor('its log', async () => {
    const reply = await server.raw({ method: 'GET', pathname: `/berth/v1/logs?task=${task.split('/').pop()}&container=a`, contentType: undefined });
    return reply.text.includes('pipe=') && reply.text;
});

before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-mps-'));
    mkdirSync(bin());
    writeFileSync(path.join(bin(), 'nvidia-cuda-mps-control'), standIn);
    chmodSync(path.join(bin(), 'nvidia-cuda-mps-control'), 0o755);
    execFileSync('cc', ['-shared', '-fPIC', '-Wall', '-Wextra', '-o', path.join(folder, 'libnvidia-ml.so.1'), path.join(root, 'tests/contract/fake_nvml.c')]);
    writeFileSync(path.join(folder, 'order'), '2 0 0 -1\n');
    server = await Server.start();
    await server.call('CreateCluster', {});
    server.environment = ((environment) => () => ({ ...environment.call(server), PATH: `${bin()}:${process.env.PATH}`, LD_LIBRARY_PATH: folder, FAKE_NVML: path.join(folder, 'order') }))(server.environment);
    agent = await server.agent(['--runtime', 'process', '--name', 'real', '--stop-timeout', '1s']);
    await waitFor('the machine', async () => { [arn] = (await server.call('ListContainerInstances', {})).json.containerInstanceArns; return arn && (await machine()).agentConnected; });
});
after(async () => {
    for (const gpu of ['GPU-fake-0', 'GPU-fake-1']) if (lives(daemon(gpu))) process.kill(daemon(gpu), 'SIGKILL');
    await server.stop();
    remove(folder);
});

test('the machine says that shares are enforced', async () => {
    assert.strictEqual((await attribute('berth.gpu-shares')).value, 'enforced');
    assert.ok(await attribute('ecs.capability.gpu-sharing-mps'));
    assert.deepStrictEqual(started(), []);
});

test('a share starts a daemon for its GPU, and gets its limits; a whole GPU has none', async () => {
    const one = await run('share', [{ type: 'GPU', value: '0.25' }, { type: 'GPU_MEMORY', value: '4096' }]);
    await running(one);
    const [gpu] = (await describe(one)).containers[0].gpuIds;
    assert.deepStrictEqual(started(), [gpu]);
    assert.ok(lives(daemon(gpu)));
    const text = await logOf(one);
    assert.match(text, new RegExp(`pipe=\\S*/mps/${gpu}/pipe threads=25 memory=0=4096M`));
    const whole = await run('whole', [{ type: 'GPU', value: '1' }]);
    await running(whole);
    assert.notStrictEqual((await describe(whole)).containers[0].gpuIds[0], gpu);
    assert.match(await logOf(whole), /pipe= threads= memory=\s/);
    assert.deepStrictEqual(started(), [gpu]);
    const two = await run('share', [{ type: 'GPU', value: '0.25' }, { type: 'GPU_MEMORY', value: '4096' }]);
    await running(two);
    assert.deepStrictEqual(started(), [gpu], 'the daemon serves both');

    const before = daemon(gpu);
    process.kill(before, 'SIGKILL');
    await waitFor('another daemon', () => daemon(gpu) !== before && lives(daemon(gpu)));
    for (const task of [one, two, whole]) assert.strictEqual((await describe(task)).lastStatus, 'RUNNING');

    const second = daemon(gpu);
    await agent.signal('SIGTERM');
    assert.ok(lives(second), 'it outlives the agent');
    const data = agent.data;
    agent = await server.agentIn(data, ['--runtime', 'process', '--name', 'real', '--stop-timeout', '1s']);
    await waitFor('the agent', async () => (await machine()).agentConnected);
    await sleep(2500);
    assert.strictEqual(daemon(gpu), second, 'the next agent finds it');
    assert.ok(lives(second));

    await stop(one);
    await sleep(2500);
    assert.ok(lives(second), 'one share is left');
    await stop(two);
    await waitFor('the daemon to end', () => !lives(second));
    assert.strictEqual((await describe(whole)).lastStatus, 'RUNNING');
    await stop(whole);
});

test('a task does not start where its share would not be held', async () => {
    writeFileSync(path.join(bin(), 'broken'), '');
    const task = await run('share', [{ type: 'GPU', value: '0.5' }]);
    const it = await stopped(task);
    assert.match(it.containers[0].reason, /^CannotCreateContainerError: MPS: nvidia-cuda-mps-control does not do its work for GPU-fake-\d; its log is in /);
    rmSync(path.join(bin(), 'broken'));
    await waitFor('a task to run again', async () => {
        const again = await run('share', [{ type: 'GPU', value: '0.5' }]);
        const last = await waitFor('its start or its end', async () => /RUNNING|STOPPED/.exec((await describe(again)).lastStatus)?.[0]);
        if (last === 'RUNNING') await stop(again);
        return last === 'RUNNING';
    });
});

test('with --no-mps nothing is enforced, and the machine says so', async () => {
    await agent.signal('SIGTERM');
    const count = started().length;
    agent = await server.agentIn(agent.data, ['--runtime', 'process', '--name', 'real', '--no-mps', '--stop-timeout', '1s']);
    await waitFor('the word', async () => (await attribute('berth.gpu-shares'))?.value === 'not-enforced');
    assert.strictEqual(await attribute('ecs.capability.gpu-sharing-mps'), undefined);
    const task = await run('share', [{ type: 'GPU', value: '0.5' }]);
    await running(task);
    assert.match(await logOf(task), /pipe= threads=50 /);
    assert.strictEqual(started().length, count);
    await stop(task);
});
