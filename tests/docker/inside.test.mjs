// Output of containers, read through CloudWatch Logs' operations, and commands that are run in them, on a real engine.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { DataChannel } from '../lib/data_channel.mjs';
import { Server, waitFor } from '../lib/lib.mjs';

const socket = process.env.DOCKER_SOCKET, program = process.env.PROGRAM_UNDER_TEST ?? 'build/berth';
let server;
const ok = (reply) => { assert.strictEqual(reply.status, 200, reply.text); return reply.json; };
const idOf = (arn) => arn.split('/').pop();
async function run(family, command, more = {}, request = {}) {
    ok(await server.call('RegisterTaskDefinition', { family, containerDefinitions: [{ name: 'main', image: 'busybox:latest', memory: 32, command, ...more }] }));
    return ok(await server.call('RunTask', { taskDefinition: family, ...request })).tasks[0].taskArn;
}
const becomes = (arn, status) => waitFor(`${arn} to be ${status}`, async () => ok(await server.call('DescribeTasks', { tasks: [arn] })).tasks[0].lastStatus === status, { seconds: 300 });

// Resolves to {code, out, err} at its end.
function exec(task, command, input = '') {
    const child = spawn(program, ['exec', '--server', server.url, task, '--', ...command], { env: { PATH: process.env.PATH, ...server.environment() } });
    const result = { child, out: Buffer.alloc(0), err: '' };
    child.stdout.on('data', (data) => { result.out = Buffer.concat([result.out, data]); });
    child.stderr.on('data', (data) => { result.err += data; });
    child.stdin.on('error', () => {});
    if (input !== undefined) child.stdin.end(input);
    result.ended = new Promise((resolve) => child.on('close', (code) => resolve(Object.assign(result, { code }))));
    return result;
}
async function io(words, bytes = '') {
    const reply = await server.raw({ pathname: '/berth/v1/exec/io', body: `${JSON.stringify(words)}\n${bytes}` });
    const [head] = reply.text.split('\n', 1);
    return { head: JSON.parse(head), bytes: reply.text.slice(head.length + 1) };
}

before(async () => {
    server = await Server.start();
    ok(await server.call('CreateCluster'));
    await server.agent(['--docker-socket', socket, '--runtime', 'docker', '--stop-timeout', '2s']);
    await waitFor('the agent to connect', async () => (await server.connected('default')) === 1);
});
after(() => server.stop());

test('awslogs: lines have the times at which the container wrote them', async () => {
    const logConfiguration = { logDriver: 'awslogs', options: { 'awslogs-group': '/ecs/docker', 'awslogs-region': 'us-east-1', 'awslogs-stream-prefix': 'p' } };
    const task = await run('timed', ['sh', '-c', 'for i in 1 2 3; do echo "line $i"; sleep 1; done; printf last'], { logConfiguration });
    await becomes(task, 'STOPPED');
    const { events } = await server.aws('logs', 'filter-log-events', '--log-group-name', '/ecs/docker');
    assert.deepStrictEqual(events.map((event) => [event.logStreamName, event.message]), ['line 1', 'line 2', 'line 3', 'last'].map((line) => [`p/main/${idOf(task)}`, line]));
    // The container's own pauses lie between them, however late they were shipped.
    for (const index of [1, 2, 3]) assert.ok(events[index].timestamp - events[index - 1].timestamp >= 900, JSON.stringify(events));
});

test('a command in a container: status, streams, bytes both ways, the end of the task', async () => {
    const task = await run('inside', ['sleep', '3600'], { environment: [{ name: 'HELLO', value: 'there' }] });
    await becomes(task, 'RUNNING');
    const said = await exec(task, ['sh', '-c', 'echo hello $HELLO; echo to both >&2; exit 7']).ended;
    assert.strictEqual(said.code, 7);
    assert.deepStrictEqual(String(said.out).trimEnd().split('\n').sort(), ['hello there', 'to both']);
    const bytes = randomBytes(2_000_000), back = await exec(task, ['cat'], bytes).ended, sum = (data) => createHash('sha256').update(data).digest('hex');
    assert.deepStrictEqual([back.code, back.out.length, sum(back.out)], [0, bytes.length, sum(bytes)]);
    assert.notStrictEqual((await exec(task, ['/nonexistent']).ended).code, 0);

    const long = exec(task, ['sh', '-c', 'echo ready; exec sleep 1000'], undefined);
    await waitFor('the command', () => String(long.out) === 'ready\n');
    ok(await server.call('StopTask', { task }));
    const { code, err } = await long.ended;
    assert.notStrictEqual(code, 0, err);
});

test('a terminal: its size, a new one, Ctrl-C', async () => {
    const task = await run('terminal', ['sleep', '3600'], {}, { enableExecuteCommand: true });
    await becomes(task, 'RUNNING');
    const sized = (rows, cols) => `until [ "$(busybox stty size 2>/dev/null)" = "${rows} ${cols}" ]; do sleep 0.1; done; echo is ${rows} ${cols}`;
    const script = `trap "echo caught; exit 9" INT; busybox stty -echo; ${sized(31, 101)}; read x; ${sized(50, 132)}; while true; do sleep 0.1; done`;
    const { session } = ok(await server.raw({ pathname: '/berth/v1/exec', body: JSON.stringify({ task, command: ['sh', '-c', script], tty: true, rows: 31, cols: 101 }) }));
    // Docker gives a terminal its size a moment after it has begun.
    let text = '', head;
    const until = async (want) => {
        const end = Date.now() + 300_000;
        while (!want.test(text) && head?.ended !== true && Date.now() < end) {
            const reply = await io({ session, from: text.length, wait: 20 });
            ({ head } = reply);
            text += reply.bytes;
        }
        assert.match(text, want);
    };
    await until(/is 31 101\r\n/);
    await io({ session, rows: 50, cols: 132 });
    await io({ session, offset: 0 }, '\r');
    await until(/is 50 132\r\n/);
    await io({ session, offset: 1 }, '\x03');
    await until(/caught/);
    await waitFor('the end', async () => { ({ head } = await io({ session, from: text.length, wait: 20 })); return head.ended === true; }, { seconds: 300 });
    assert.strictEqual(head.exitCode, 9);

    // The same by ExecuteCommand.
    const channel = await new DataChannel(server, ok(await server.call('ExecuteCommand', { task, command: 'sh', interactive: true })).session).open();
    channel.resize(41, 123);
    channel.type(`${sized(41, 123)}\r`);
    await channel.until(/\nis 41 123\r\n/);
    channel.type('exit 5\r');
    assert.strictEqual(await channel.ended(), 'The command has ended with exit status 5.');
    ok(await server.call('StopTask', { task }));
});
