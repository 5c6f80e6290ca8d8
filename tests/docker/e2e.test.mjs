// Real containers through the agent, with the AWS CLI as the only client. DOCKER_SOCKET names the engine's socket, whose engine has
// the image busybox:latest (tests/docker/run sees to both).
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Server, program, waitFor, sleep } from '../lib/lib.mjs';

const socket = process.env.DOCKER_SOCKET;
const docker = (...args) => execFileSync('docker', ['-H', `unix://${socket}`, ...args], { encoding: 'utf8' }).trim();
const agentArgs = ['--docker-socket', socket, '--runtime', 'docker', '--stop-timeout', '2s'];
let server, agent;
const ecs = (...args) => server.aws('ecs', ...args);
const describe = async (arn) => (await ecs('describe-tasks', '--tasks', arn)).tasks[0];
const define = (family, container) => ecs('register-task-definition', '--family', family, '--container-definitions',
    JSON.stringify([{ name: 'main', image: 'busybox:latest', memory: 32, ...container }]));
const run = async (family, ...args) => {
    const reply = await ecs('run-task', '--task-definition', family, ...args);
    assert.deepStrictEqual(reply.failures, []);
    return reply.tasks[0].taskArn;
};
const becomes = (arn, status) => waitFor(`${arn} to be ${status}`, async () => { const task = await describe(arn); return task.lastStatus === status && task; }, { seconds: 300 });
// A shell that has set its traps says so; before that, a signal means nothing to it.
const waits = 'echo ready; while true; do sleep 0.1; done';
async function ready(arn) {
    const task = await becomes(arn, 'RUNNING');
    await waitFor('its traps', () => docker('logs', task.containers[0].runtimeId) === 'ready');
    return task;
}

async function startAgent() {
    agent = await server.agent(agentArgs);
    await waitFor('the agent to connect', async () => (await server.connected('default')) === 1);
}

before(async () => {
    server = await Server.start();
    await ecs('create-cluster');
    await startAgent();
});
after(async () => { await server.stop(); });

test('a container runs to its end: exit code, log, stop code', async () => {
    await define('hello', { command: ['sh', '-c', 'echo "hello $GREETING"; exit 3'], environment: [{ name: 'GREETING', value: 'world' }] });
    const task = await becomes(await run('hello'), 'STOPPED');
    assert.strictEqual(task.containers[0].exitCode, 3);
    assert.strictEqual(task.stopCode, 'EssentialContainerExited');
    assert.match(task.containers[0].runtimeId, /^[0-9a-f]{64}$/);
    const text = execFileSync(process.env.PROGRAM_UNDER_TEST ?? 'build/berth', ['logs', task.taskArn, '--server', server.url], { encoding: 'utf8', env: { PATH: process.env.PATH, ...server.environment() } });
    assert.strictEqual(text, 'hello world\n');
});

test("what the server has lost of a running container's log is sent again, from its beginning or as much as is kept", async () => {
    const output = (arn) => execFileSync(program, ['logs', arn, '--server', server.url], { encoding: 'utf8', env: { PATH: process.env.PATH, ...server.environment() }, maxBuffer: 1 << 26 });
    const numbers = 'n=0; while true; do n=$((n + 1)); echo "line $n"; sleep 0.1; done';
    await define('numbers', { command: ['sh', '-c', numbers] });
    await define('euros', { command: ['sh', '-c', `yes ${'€'.repeat(100)} | head -n 4000; ${numbers}`] });
    const lost = await run('numbers'), much = await run('euros');
    for (const arn of [lost, much]) {
        await becomes(arn, 'RUNNING');
        await waitFor('some lines', () => /line 5\n/.test(output(arn)));
        const folder = path.join(server.data, 'logs', arn.split('/').pop());
        assert.ok(existsSync(path.join(folder, 'main.log')));
        rmSync(folder, { recursive: true });
    }
    const whole = await waitFor('the whole log', () => { const text = output(lost); return /line 8\n/.test(text) && text; });
    assert.match(whole, /^line 1\nline 2\nline 3\n/);
    const end = await waitFor('the end of the other', () => { const text = output(much); return /line 8\n/.test(text) && text; });
    assert.match(end, /^\[berth: \d+ earlier bytes are not kept\]\n€*\n/);
    assert.ok(end.length > 150000 && !end.includes('\uFFFD'), `${end.length}`);
    for (const arn of [lost, much]) await ecs('stop-task', '--task', arn);
});

test('stop: SIGTERM first, and SIGKILL when the time is over', async () => {
    await define('polite', { command: ['sh', '-c', `trap "exit 0" TERM; ${waits}`], stopTimeout: 100 });
    await define('stubborn', { command: ['sh', '-c', `trap "" TERM; ${waits}`], stopTimeout: 2 });
    const polite = await run('polite'), stubborn = await run('stubborn');
    await ready(polite);
    await ready(stubborn);
    for (const task of [polite, stubborn]) await ecs('stop-task', '--task', task, '--reason', 'enough');
    const politeEnd = await becomes(polite, 'STOPPED'), stubbornEnd = await becomes(stubborn, 'STOPPED');
    assert.strictEqual(politeEnd.containers[0].exitCode, 0);
    assert.strictEqual(stubbornEnd.containers[0].exitCode, 137);
    assert.strictEqual(stubbornEnd.stopCode, 'UserInitiated');
    assert.match(stubbornEnd.stoppedReason, /enough/);
});

test('ports: a dynamic host port is reported and answers', async () => {
    await define('web', { command: ['sh', '-c', 'while true; do printf "HTTP/1.0 200 OK\\r\\n\\r\\nfrom a container" | nc -l -p 8080; done'], portMappings: [{ containerPort: 8080 }] });
    const task = await becomes(await run('web'), 'RUNNING');
    const [binding] = task.containers[0].networkBindings;
    assert.strictEqual(binding.containerPort, 8080);
    assert.ok(binding.hostPort > 1024);
    const body = await waitFor('an answer', () => new Promise((resolve) => {
        const request = http.get({ host: '127.0.0.1', port: binding.hostPort, timeout: 5000 }, (response) => {
            let text = '';
            response.on('data', (data) => { text += data; });
            response.on('end', () => resolve(text));
            response.on('error', () => resolve(undefined));
        });
        request.on('timeout', () => request.destroy()).on('error', () => resolve(undefined));
    }));
    assert.strictEqual(body, 'from a container');
    await ecs('stop-task', '--task', task.taskArn);
    await becomes(task.taskArn, 'STOPPED');
});

test('a static host port is taken once', async () => {
    await define('fixed', { command: ['sleep', '60'], portMappings: [{ containerPort: 80, hostPort: 18099 }] });
    const first = await run('fixed');
    const second = await ecs('run-task', '--task-definition', 'fixed');
    assert.strictEqual(second.failures[0].reason, 'RESOURCE:PORTS');
    await ecs('stop-task', '--task', first);
    await becomes(first, 'STOPPED');
    const third = await run('fixed');
    await becomes(third, 'RUNNING');
    await ecs('stop-task', '--task', third);
});

test('too much memory is seen as out of memory', async () => {
    await define('hungry', { command: ['sh', '-c', 'x=a; while true; do x=$x$x; done'], memory: 16 });
    // Docker forgets that it was out of memory when the kernel's word of it comes after the container's end (seen with 20.10): then
    // nobody can know, and it is tried again.
    let reason;
    for (let attempt = 0; attempt < 20 && reason === undefined; attempt++) {
        const task = await becomes(await run('hungry'), 'STOPPED');
        assert.strictEqual(task.containers[0].exitCode, 137);
        reason = task.containers[0].reason;
    }
    assert.match(reason, /^OutOfMemoryError: Container killed due to memory usage/);
});

test('an image that is nowhere: the task fails to start and says why', async () => {
    await define('nowhere', { image: '127.0.0.1:1/nothing:here' });
    const task = await becomes(await run('nowhere'), 'STOPPED');
    assert.strictEqual(task.stopCode, 'TaskFailedToStart');
    assert.match(task.containers[0].reason, /^CannotPullContainerError/);
    assert.strictEqual(task.containers[0].exitCode, undefined);
});

test('health: what waits for a healthy container starts after it, and a change of health is seen', async () => {
    const healthCheck = { command: ['CMD-SHELL', 'test ! -e /tmp/ill'], interval: 5, timeout: 60, retries: 1 };
    const db = { name: 'db', image: 'busybox:latest', memory: 32, command: ['sleep', '600'], healthCheck };
    const web = { name: 'web', image: 'busybox:latest', memory: 32, command: ['sleep', '600'], dependsOn: [{ containerName: 'db', condition: 'HEALTHY' }] };
    await ecs('register-task-definition', '--family', 'healthy', '--container-definitions', JSON.stringify([db, web]));
    const running = await becomes(await run('healthy'), 'RUNNING');
    assert.strictEqual(running.healthStatus, 'HEALTHY');
    const health = (task) => Object.fromEntries(task.containers.map((container) => [container.name, container.healthStatus]));
    assert.deepStrictEqual(health(running), { db: 'HEALTHY', web: 'UNKNOWN' });
    docker('exec', running.containers.find((one) => one.name === 'db').runtimeId, 'sh', '-c', 'echo >/tmp/ill');
    const ill = await waitFor('it to fall ill', async () => { const task = await describe(running.taskArn); return task.healthStatus === 'UNHEALTHY' && task; }, { seconds: 300 });
    assert.deepStrictEqual([ill.lastStatus, health(ill)], ['RUNNING', { db: 'UNHEALTHY', web: 'UNKNOWN' }]);
    await ecs('stop-task', '--task', running.taskArn);
    await becomes(running.taskArn, 'STOPPED');
});

test('the agent killed: its container runs on, is found again, and its end is reported', async () => {
    await define('long', { command: ['sh', '-c', `trap "exit 5" USR1; ${waits}`] });
    const arn = await run('long');
    const before = await ready(arn);
    await agent.signal('SIGKILL');
    assert.match(docker('ps', '--no-trunc', '-q'), new RegExp(before.containers[0].runtimeId));
    const { data } = agent;
    agent = await server.agentIn(data, agentArgs);
    await waitFor('the agent to find it', () => agent.output.includes('tasks of an earlier run were taken up'));
    docker('kill', '-s', 'USR1', before.containers[0].runtimeId);
    const task = await becomes(arn, 'STOPPED');
    assert.strictEqual(task.containers[0].exitCode, 5);
    assert.strictEqual(task.containers[0].runtimeId, before.containers[0].runtimeId);
});

test('the server killed: the container runs on, and a stop after the restart reaches it', async () => {
    const arn = await run('stubborn');
    const before = await ready(arn);
    const { data, port, agents } = server;
    await server.kill9();
    await sleep(500);
    server = await Server.start({ data, port });
    server.agents = agents;
    assert.strictEqual((await describe(arn)).lastStatus, 'RUNNING');
    await ecs('stop-task', '--task', arn);
    const task = await becomes(arn, 'STOPPED');
    assert.strictEqual(task.containers[0].exitCode, 137);
    assert.strictEqual(task.containers[0].runtimeId, before.containers[0].runtimeId);
    await waitFor('the container to be gone or stopped', () => !docker('ps', '--no-trunc', '-q').includes(before.containers[0].runtimeId));
});
