// `berth watch`: real tasks that end in each way, and each exit status; then the progress of a pull, from a stub.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import http from 'node:http';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, program, root, waitFor } from '../lib/lib.mjs';

let server;
const children = [];
const send = async (operation, input = {}) => {
    const { status, json } = await server.call(operation, input);
    assert.strictEqual(status, 200, JSON.stringify(json));
    return json;
};

function start(args, { url = server.url, terminal = false } = {}) {
    const words = ['watch', ...args, '--server', url];
    const [run, whole] = terminal ? ['script', ['-qec', [program, ...words].join(' '), '/dev/null']] : [program, words];
    const child = spawn(run, whole, { cwd: root, env: { PATH: process.env.PATH, ...server.environment() } });
    children.push(child);
    const command = { child, out: '', err: '' };
    child.stdout.on('data', (data) => { command.out += data; });
    child.stderr.on('data', (data) => { command.err += data; });
    command.ended = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, out: command.out, err: command.err })));
    return command;
}

before(async () => {
    server = await Server.start();
    await send('CreateCluster');
    await server.agentIn(mkdtempSync(path.join(os.tmpdir(), 'berth-agent-')), ['--runtime', 'process', '--name', 'machine']);
    await waitFor('the machine', async () => (await server.connected('default')) === 1);
});
after(async () => {
    for (const child of children) child.kill();
    await server.stop();
});

async function run(family, containers, more = {}) {
    await send('RegisterTaskDefinition', { family, containerDefinitions: containers.map((one, at) => ({ name: `c${at}`, image: 'i', memory: 16, ...one })) });
    return (await send('RunTask', { taskDefinition: family, ...more })).tasks[0].taskArn;
}
const shell = (command) => ({ command: ['sh', '-c', command] });

test('each way in which a task ends', async () => {
    const rows = [
        { name: 'good', containers: [shell('exit 0')], code: 0, want: /STOPPED +EssentialContainerExited: .*; c0: exit code 0\n$/ },
        { name: 'bad', containers: [shell('sleep 2; exit 7')], code: 7, want: /RUNNING +on machine\n(.*\n)*.*STOPPED .*c0: exit code 7\n$/ },
        { name: 'one-of-two', containers: [shell('exit 0'), { ...shell('exit 3'), essential: false, dependsOn: [] }], code: 3, want: /c0: exit code 0; c1: exit code 3\n$/ },
    ];
    await Promise.all(rows.map(async (row) => {
        const done = await start([await run(row.name, row.containers)]).ended;
        assert.strictEqual(done.code, row.code, `${row.name}: ${done.out}${done.err}`);
        assert.match(done.out, row.want, row.name);
        for (const line of done.out.trimEnd().split('\n')) assert.match(line, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}[A-Z]+ +/, row.name);
        assert.strictEqual(done.err, '', row.name);
    }));
});

test('a task that waits, and is stopped before it runs', async () => {
    const task = await run('large', [{ image: 'i', memory: 16, resourceRequirements: [{ type: 'GPU', value: '4' }] }], { tags: [{ key: 'berth:queue', value: 'wait' }] });
    const watch = start([task.split('/').pop()]);
    await waitFor('the wait', () => /PROVISIONING +waits for room/.test(watch.out));
    await send('StopTask', { task, reason: 'enough' });
    const done = await watch.ended;
    assert.strictEqual(done.code, 125, done.out);
    assert.match(done.out, /STOPPED +UserInitiated: Task stopped by user \(enough\); c0: no exit code\n$/);
});

test('one that has stopped, one that nobody knows, and none', async () => {
    const task = await run('again', [shell('exit 9')]);
    await start([task]).ended;
    assert.strictEqual((await start([task]).ended).code, 9);
    const unknown = await start([task.replace(/.{4}$/, '0000')]).ended;
    assert.strictEqual(unknown.code, 2);
    assert.match(unknown.err, /^berth watch: .*\n$/);
    const none = await start([]).ended;
    assert.strictEqual(none.code, 2);
    assert.match(none.err, /a task is needed/);
});

test('Ctrl-C ends the command, and the task goes on', async () => {
    const task = await run('long', [shell('sleep 60')]);
    const watch = start([task]);
    await waitFor('it runs', () => /RUNNING/.test(watch.out));
    watch.child.kill('SIGINT');
    const done = await watch.ended;
    assert.strictEqual(done.signal, 'SIGINT');
    assert.match(done.err, /The task goes on\. `berth watch [0-9a-f]{32}` follows it again\./);
    assert.strictEqual((await send('DescribeTasks', { tasks: [task] })).tasks[0].desiredStatus, 'RUNNING');
    await send('StopTask', { task });
});

test('a pull, and errors that pass', async () => {
    const id = '0123456789abcdef0123456789abcdef', mib = 1024 * 1024;
    const task = { id, instance: id, instanceName: 'm1', gpus: 2, containers: [{ name: 'main', exitCode: 0, reason: null }], stopCode: null, reason: null };
    const pulls = (bytes) => ({ task, lastStatus: 'PENDING', desiredStatus: 'RUNNING', pull: { image: 'a:1', layers: 9, layersDone: 3, bytes: bytes * mib, bytesKnown: 400 * mib } });
    const replies = [pulls(40), pulls(44), null, pulls(130), { task, lastStatus: 'RUNNING', desiredStatus: 'RUNNING', pull: null },
        { task, lastStatus: 'RUNNING', desiredStatus: 'STOPPED', pull: null }, { task, lastStatus: 'STOPPED', desiredStatus: 'STOPPED', pull: null }];
    const stub = async () => {
        let asked = 0;
        const other = http.createServer((request, response) => {
            const reply = replies[Math.min(asked++, replies.length - 1)];
            response.writeHead(reply === null ? 503 : 200, { 'Content-Type': 'application/json' });
            response.end(reply === null ? 'busy' : JSON.stringify(reply));
        });
        await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
        return other;
    };
    const plain = await stub(), drawn = await stub();
    const [lines, terminal] = await Promise.all([
        start([id], { url: `http://127.0.0.1:${plain.address().port}` }).ended,
        start([id], { url: `http://127.0.0.1:${drawn.address().port}`, terminal: true }).ended,
    ]);
    plain.close();
    drawn.close();
    assert.strictEqual(lines.code, 0, lines.err);
    assert.deepStrictEqual(lines.out.trimEnd().split('\n').map((line) => line.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}/, '')), [
        'PENDING       pulls a:1: 10 %', 'the server answered with status 503: busy', 'PENDING       pulls a:1: 30 %', 'RUNNING       on m1, 2 GPUs',
        'RUNNING       on m1, 2 GPUs; its stop is ordered', 'STOPPED       main: exit code 0',
    ]);
    assert.match(terminal.out, /PENDING +\[##\.{18}\] {2}10% {2}pulls a:1, 40 of 400 MiB, 3 of 9 layers/);
    assert.match(terminal.out, /\r\x1b\[K\x1b\[\?7l.*\[######\.{14}\] {2}32% {2}pulls a:1, 130 of 400 MiB/);
});
