// The GPUs in a real container's environment: `berth dev` gives a machine that has none two invented ones, whose ids reach containers
// like those of real ones. DOCKER_SOCKET as in e2e.test.mjs.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { program, remove, waitFor } from '../lib/lib.mjs';

const plain = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS_|ECS_|BERTH_)/.test(name)));
const data = mkdtempSync(path.join(os.tmpdir(), 'berth-docker-gpus-'));
let dev, url, output = '';

const environment = () => ({ ...plain, AWS_SHARED_CREDENTIALS_FILE: path.join(data, 'credentials'), AWS_DEFAULT_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true', AWS_PAGER: '' });
const ecs = (...args) => JSON.parse(execFileSync('aws', ['--endpoint-url', url, '--output', 'json', 'ecs', ...args], { encoding: 'utf8', env: environment() }));
const describe = (arn) => ecs('describe-tasks', '--tasks', arn).tasks[0];
const script = 'env | grep -E "^(NVIDIA_VISIBLE|BERTH_GPU|CUDA)" ; echo .; sleep 600';
const define = (family, resourceRequirements, variables = []) => ecs('register-task-definition', '--family', family, '--container-definitions',
    JSON.stringify([{ name: 'main', image: 'busybox:latest', memory: 32, command: ['sh', '-c', script], stopTimeout: 2, resourceRequirements, environment: variables }]));

async function run(family) {
    const reply = ecs('run-task', '--task-definition', family);
    assert.deepStrictEqual(reply.failures, []);
    const { taskArn } = reply.tasks[0];
    return waitFor(`${family} to run`, () => { const task = describe(taskArn); return task.lastStatus === 'RUNNING' && task; });
}

// The container's own words, as soon as it has said all of them.
async function told(task) {
    const text = await waitFor('its output', () => {
        const log = execFileSync(program, ['logs', task.taskArn, '--server', url], { encoding: 'utf8', env: environment() });
        return /^\.$/m.test(log) && log;
    });
    return Object.fromEntries(text.split('\n').filter((line) => line.includes('=')).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

before(async () => {
    dev = spawn(program, ['dev', '--data', data, '--listen', '127.0.0.1:0', '--runtime', 'docker', '--docker-socket', process.env.DOCKER_SOCKET, '--fake-gpus', 'V100:2'], { env: plain });
    for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (text) => { output += text; });
    await waitFor('dev mode', () => /^Ready in/m.test(output));
    url = readFileSync(path.join(data, 'endpoint'), 'utf8').trim();
    await waitFor('its machine', () => ecs('list-container-instances', '--filter', 'agentConnected == true').containerInstanceArns.length === 1);
});
after(async () => {
    for (const task of ecs('list-tasks').taskArns) ecs('stop-task', '--task', task);
    await waitFor('all to stop', () => ecs('list-tasks').taskArns.every((task) => describe(task).lastStatus === 'STOPPED'));
    const ended = new Promise((resolve) => dev.on('exit', resolve));
    dev.kill('SIGTERM');
    await ended;
    remove(data);
});

test('shares of one GPU, a whole one and none, beside each other', async () => {
    define('half', [{ type: 'GPU', value: '0.5' }], [{ name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' }, { name: 'BERTH_GPU_SHARE', value: '1' }]);
    define('four-gib', [{ type: 'GPU_MEMORY', value: '4096' }]);
    define('whole', [{ type: 'GPU', value: '1' }]);
    define('none', []);
    const half = await run('half'), fourGib = await run('four-gib'), whole = await run('whole'), none = await run('none');
    const [shared] = half.containers[0].gpuIds;
    assert.deepStrictEqual(fourGib.containers[0].gpuIds, [shared], 'both on one GPU');
    assert.notStrictEqual(whole.containers[0].gpuIds[0], shared);
    assert.deepStrictEqual(await told(half), { NVIDIA_VISIBLE_DEVICES: shared, BERTH_GPU_SHARE: '0.5', CUDA_MPS_ACTIVE_THREAD_PERCENTAGE: '50' });
    assert.deepStrictEqual(await told(fourGib),
        { NVIDIA_VISIBLE_DEVICES: shared, BERTH_GPU_SHARE: '0.25', BERTH_GPU_MEMORY_MIB: '4096', CUDA_MPS_PINNED_DEVICE_MEM_LIMIT: '0=4096M' });
    assert.deepStrictEqual(await told(whole), { NVIDIA_VISIBLE_DEVICES: whole.containers[0].gpuIds[0] });
    assert.deepStrictEqual(await told(none), { NVIDIA_VISIBLE_DEVICES: 'void' });
});
