// Commands in running containers: `berth exec` and the calls beneath it, with real processes.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';
import { Server, root, waitFor } from '../lib/lib.mjs';

const program = process.env.PROGRAM_UNDER_TEST ?? path.join(root, 'build/berth');
let server, task;
const ok = (reply) => { assert.strictEqual(reply.status, 200, reply.text); return reply.json; };

async function start(family, more = []) {
    ok(await server.call('RegisterTaskDefinition', { family, containerDefinitions: [{ name: 'main', image: 'none', memory: 8, command: ['sleep', '3600'],
        environment: [{ name: 'HELLO', value: 'there' }] }, ...more] }));
    const { tasks } = ok(await server.call('RunTask', { taskDefinition: family }));
    const arn = tasks[0].taskArn;
    await waitFor(`${family} to run`, async () => ok(await server.call('DescribeTasks', { tasks: [arn] })).tasks[0].lastStatus === 'RUNNING');
    return arn;
}

// Resolves to {code, out, err}; `child` is there at once.
function exec(args, { input, wrap } = {}) {
    const whole = ['exec', '--server', server.url, ...args], quote = (word) => `'${word.replaceAll("'", "'\\''")}'`;
    const [name, words] = wrap ? ['script', ['-qefc', [program, ...whole].map(quote).join(' '), '/dev/null']] : [program, whole];
    const child = spawn(name, words, { env: { PATH: process.env.PATH, ...server.environment() } });
    const result = { child, out: Buffer.alloc(0), err: '' };
    child.stdout.on('data', (data) => { result.out = Buffer.concat([result.out, data]); });
    child.stderr.on('data', (data) => { result.err += data; });
    result.ended = new Promise((resolve) => child.on('close', (code) => { result.code = code; resolve(result); }));
    child.stdin.on('error', () => {});
    if (input !== undefined) child.stdin.end(input);
    return result;
}

before(async () => {
    server = await Server.start();
    await server.agent(['--runtime', 'process']);
    await waitFor('this machine', async () => (await server.connected('default')) === 1);
    task = await start('exec');
});
after(() => server.stop());

test('a command runs with the container\'s environment, and its status comes through', async () => {
    const { code, out, err } = await exec([task, '--', 'sh', '-c', 'echo hello $HELLO; echo to both >&2; exit 7'], { input: '' }).ended;
    assert.deepStrictEqual([code, String(out), err], [7, 'hello there\nto both\n', '']);
});

test('input ends, and bytes go both ways whole and in order', async () => {
    const bytes = randomBytes(3_000_000), sum = createHash('sha256').update(bytes).digest('hex');
    const { code, out } = await exec([task, '--', 'cat'], { input: bytes }).ended;
    assert.deepStrictEqual([code, out.length, createHash('sha256').update(out).digest('hex')], [0, bytes.length, sum]);
});

test('nobody reads the output any more: it ends, without a word', async () => {
    const run = exec([task, '--', 'sh', '-c', 'while echo on; do sleep 0.1; done'], { input: '' });
    await waitFor('some output', () => run.out.length > 0);
    run.child.stdout.destroy();
    await run.ended;
    assert.deepStrictEqual([run.code, run.err], [255, '']);
});

test('a terminal: its name, and Ctrl-C', async () => {
    const run = exec([task, '--', 'sh', '-c', 'trap "echo caught; exit 9" INT; tty; while :; do sleep 0.1; done'], { wrap: true });
    await waitFor(`the terminal's name in ${run.out}`, () => /\/dev\/pts\/\d+/.test(String(run.out)));
    run.child.stdin.write('\x03');
    await run.ended;
    assert.strictEqual(run.code, 9);
    assert.match(String(run.out), /caught/);
});

// The calls beneath: a line of JSON and bytes, both ways.
async function io(words, bytes = '') {
    const reply = await server.raw({ pathname: '/berth/v1/exec/io', body: `${JSON.stringify(words)}\n${bytes}` });
    const [head] = reply.text.split('\n', 1);
    return { status: reply.status, head: JSON.parse(head), bytes: reply.text.slice(head.length + 1) };
}

test('a terminal changes its size', async () => {
    const { session } = ok(await server.raw({ pathname: '/berth/v1/exec', body: JSON.stringify({ task, command: ['sh', '-c', 'stty -echo; stty size; read x; stty size'], tty: true, rows: 31, cols: 101 }) }));
    let text = '', head;
    const until = async (want) => {
        while (!want.test(text) && head?.ended !== true) {
            const reply = await io({ session, from: text.length, wait: 20 });
            ({ head } = reply);
            text += reply.bytes;
        }
    };
    await until(/31 101\r\n/);
    assert.strictEqual((await io({ session, rows: 50, cols: 132 })).head.rows, 50);
    await io({ session, offset: 0 }, '\r');
    await until(/50 132\r\n/);
    assert.match(text, /^31 101\r\n50 132\r\n$/);
});

test('a client that leaves ends the command', async () => {
    const run = exec([task, '--', 'sh', '-c', 'echo $$; exec sleep 1000']);
    const pid = await waitFor('its number', () => /^\d+/.exec(String(run.out))?.[0]);
    run.child.kill('SIGTERM');
    const { code, err } = await run.ended;
    assert.strictEqual(code, 255);
    assert.match(err, /interrupted/);
    await waitFor('the command to be gone', () => { try { process.kill(Number(pid), 0); return false; } catch { return true; } });
});

test('the task stops meanwhile', async () => {
    const short = await start('short'), run = exec([short, '--', 'sh', '-c', 'echo ready; exec sleep 1000']);
    await waitFor('the command', () => String(run.out) === 'ready\n');
    ok(await server.call('StopTask', { task: short }));
    const { code, err } = await run.ended;
    assert.deepStrictEqual([code, err.trim()], [255, 'berth exec: The container has ended.']);
});

test('refusals', async () => {
    const two = await start('two', [{ name: 'side', image: 'none', memory: 8, command: ['sleep', '3600'] }]);
    for (const [args, status, text] of [
        [[task], 2, /a task and a command are needed/],
        [['--', 'ls'], 2, /a task and a command are needed/],
        [['nonsense', '--', 'ls'], 255, /taskId length/],
        [['a'.repeat(32), '--', 'ls'], 255, /The referenced task was not found/],
        [[task, '--container', 'none', '--', 'ls'], 255, /no container named none/],
        [[two, '--', 'ls'], 255, /The task has 2 containers/],
        [[task, '--', '/nonexistent'], 127, /^$/],
    ]) {
        const { code, err } = await exec(args, { input: '' }).ended;
        assert.strictEqual(code, status, `${args}: ${err}`);
        assert.match(err, text);
    }
    assert.strictEqual((await exec([two, '--container', 'side', '--', 'true'], { input: '' }).ended).code, 0);
    assert.strictEqual((await io({ session: '0'.repeat(32), from: 0 })).head.__type, 'InvalidParameterException');
    assert.strictEqual((await io({ session: 'x', from: 0 })).head.__type, 'InvalidParameterException');
    const unsigned = await server.raw({ pathname: '/berth/v1/exec', body: JSON.stringify({ task, command: ['ls'] }), unsigned: true });
    assert.strictEqual(unsigned.json.__type, 'MissingAuthenticationTokenException');
});
