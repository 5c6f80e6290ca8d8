// The first minute as a newcomer has it: the demo, dev mode through a kill and a restart, --help, and what the documents claim.
import { once } from 'node:events';
import { test } from 'node:test';
import assert from 'node:assert';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { program as berth, remove, root, waitFor } from '../lib/lib.mjs';

const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS_|ECS_|BERTH_)/.test(name)));
const help = (command, flag = '--help') => execFileSync(berth, [command, flag], { encoding: 'utf8', env: environment });
const commands = ['dev', 'server', 'agent', 'keys', 'logs', 'history', 'whatif', 'why', 'headroom', 'version'];

test('the demo runs a GPU task from start to STOPPED and ends by itself', () => {
    const out = execFileSync(path.join(root, 'examples/demo'), { encoding: 'utf8', env: environment, timeout: 1200000 });
    assert.match(out, /"state": "STOPPED"/);
    assert.match(out, /"exitCode": 0/);
    const gpu = /my GPUs: (GPU-[0-9a-f-]+)/.exec(out);
    assert.ok(gpu, 'its log names its GPU');
    assert.ok(out.includes(`"${gpu[1]}"`), 'the same that run-task showed');
    assert.match(out, /simulated/);
});

class Dev {
    static async start(data, more = ['--fake-gpus', 'V100:2'], env = environment) {
        const dev = new Dev();
        dev.data = data;
        dev.output = '';
        dev.child = spawn(berth, ['dev', '--data', data, '--listen', '127.0.0.1:0', '--runtime', 'process', ...more], { env });
        for (const stream of [dev.child.stdout, dev.child.stderr]) stream.on('data', (text) => { dev.output += text; });
        dev.ended = new Promise((resolve) => dev.child.on('exit', (code, signal) => { dev.status = { code, signal }; resolve(dev.status); }));
        await waitFor('dev mode', () => {
            assert.strictEqual(dev.status, undefined, dev.output);
            return /^Ready in/m.test(dev.output);
        });
        dev.url = readFileSync(path.join(data, 'endpoint'), 'utf8').trim();
        return dev;
    }
    aws(...args) {
        const program = '/usr/bin/aws';
        return JSON.parse(execFileSync(program, ['--endpoint-url', this.url, '--output', 'json', ...args], { encoding: 'utf8', env: { ...environment,
            AWS_SHARED_CREDENTIALS_FILE: path.join(this.data, 'credentials'), AWS_DEFAULT_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true', AWS_PAGER: '' } }));
    }
    name(arn) {
        return this.aws('ecs', 'describe-container-instances', '--container-instances', arn).containerInstances[0].attributes.find(({ name }) => name === 'berth.name')?.value;
    }
    task(arn) { return this.aws('ecs', 'describe-tasks', '--tasks', arn).tasks[0]; }
    async signal(name) { this.child.kill(name); return this.ended; }
}

test('dev mode survives being killed, with its tasks: same GPUs, same process', async () => {
    const data = mkdtempSync(path.join(os.tmpdir(), 'berth-dev-'));
    let dev = await Dev.start(data);
    const { tasks: [first], failures } = dev.aws('ecs', 'run-task', '--task-definition', 'hello-gpu',
        '--overrides', '{"containerOverrides":[{"name":"hello","command":["echo my GPUs: $NVIDIA_VISIBLE_DEVICES; sleep 900"]}]}');
    assert.deepStrictEqual(failures, [], 'ready means that a task finds a place');
    await waitFor('it to run', () => dev.task(first.taskArn).lastStatus === 'RUNNING');
    const before = dev.task(first.taskArn);
    await dev.signal('SIGKILL');
    dev = await Dev.start(data);
    const after = dev.task(first.taskArn);
    assert.match(dev.output, /^Recovered 1 task, 0 lost\.$/m);
    assert.strictEqual(after.lastStatus, 'RUNNING');
    assert.deepStrictEqual(after.containers[0].gpuIds, before.containers[0].gpuIds);
    assert.strictEqual(after.containers[0].runtimeId, before.containers[0].runtimeId);
    dev.aws('ecs', 'stop-task', '--task', first.taskArn);
    const stopped = await waitFor('it to stop', () => { const task = dev.task(first.taskArn); return task.lastStatus === 'STOPPED' && task; });
    assert.strictEqual(stopped.stopCode, 'UserInitiated');
    assert.deepStrictEqual(await dev.signal('SIGTERM'), { code: 0, signal: null });
    remove(data);
});

test('a task whose process ended while nobody was there is lost', async () => {
    const data = mkdtempSync(path.join(os.tmpdir(), 'berth-dev-'));
    let dev = await Dev.start(data);
    const arns = [1, 2].map(() => dev.aws('ecs', 'run-task', '--task-definition', 'hello-gpu').tasks[0].taskArn);
    await waitFor('both to run', () => arns.every((arn) => dev.task(arn).lastStatus === 'RUNNING'));
    const [lost, kept] = arns.map((arn) => dev.task(arn));
    await dev.signal('SIGKILL');
    const shim = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).find((pid) => {
        try { return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(lost.containers[0].runtimeId); } catch { return false; }
    });
    process.kill(Number(shim), 'SIGKILL');
    dev = await Dev.start(data);
    assert.match(dev.output, /^Recovered 1 task, 1 lost\.$/m);
    await waitFor('the lost one to be STOPPED', () => dev.task(lost.taskArn).lastStatus === 'STOPPED');
    assert.strictEqual(dev.task(kept.taskArn).lastStatus, 'RUNNING');
    dev.aws('ecs', 'stop-task', '--task', kept.taskArn);
    await waitFor('the other to stop', () => dev.task(kept.taskArn).lastStatus === 'STOPPED');
    await dev.signal('SIGTERM');
    remove(data);
});

test('what dev mode prints works when it is pasted, in any folder', async () => {
    const data = mkdtempSync(path.join(os.tmpdir(), 'berth dev\'s ')), onPath = mkdtempSync(path.join(os.tmpdir(), 'berth-path-'));
    symlinkSync(berth, path.join(onPath, 'berth'));
    const withPath = { ...environment, PATH: `${onPath}:${environment.PATH}` };
    for (const [env, more, family, name] of [[environment, ['--fake-gpus', 'V100:2'], 'hello-gpu', realpathSync(berth)], [withPath, ['--no-fake'], /hello(-gpu)?/.source, 'berth']]) {
        const dev = await Dev.start(data, more, env);
        assert.doesNotMatch(dev.output.split('Berth ')[0], / info /, 'nothing before it but warnings');
        const lines = /^Try:  ([^]*?)\n(?=To add a simulated machine)/m.exec(dev.output)[1].split('\n').map((line) => line.trim());
        assert.match(lines[1], new RegExp(`run-task --task-definition ${family}$`));
        assert.match(lines[1], /no GPU/.test(dev.output) ? /definition hello$/ : /definition hello-gpu$/);
        assert.ok(lines[2].startsWith(`${name} why last`), lines[2]);
        const pasted = execFileSync('/bin/sh', ['-ec', lines.join('\n')], { encoding: 'utf8', cwd: '/', env: { ...env, AWS_PAGER: '', AWS_EC2_METADATA_DISABLED: 'true' } });
        assert.match(pasted, /"failures": \[\][^]*\nIt (runs|has its place) on dev/);
        const join = /^To add a simulated machine:\n +(.*)$/m.exec(dev.output)[1];
        const second = spawn('/bin/sh', ['-ec', `${lines[0]}\nexec ${join}`], { cwd: '/', env, stdio: 'ignore' }), ended = once(second, 'exit');
        await waitFor('the second machine', () => dev.aws('ecs', 'list-container-instances').containerInstanceArns.length === 2);
        second.kill('SIGTERM');
        await ended;
        for (const task of dev.aws('ecs', 'list-tasks').taskArns) dev.aws('ecs', 'stop-task', '--task', task);
        await waitFor('its tasks to end', () => dev.aws('ecs', 'list-tasks').taskArns.length === 0);
        for (const arn of dev.aws('ecs', 'list-container-instances').containerInstanceArns.filter((one) => dev.name(one) !== 'dev')) {
            dev.aws('ecs', 'deregister-container-instance', '--force', '--container-instance', arn);
        }
        await dev.signal('SIGTERM');
    }
    remove(data);
    remove(onPath);
});

test('the credentials file is its owner\'s alone', async () => {
    const data = mkdtempSync(path.join(os.tmpdir(), 'berth-dev-'));
    const dev = await Dev.start(data);
    assert.strictEqual(statSync(path.join(data, 'credentials')).mode & 0o777, 0o600);
    await dev.signal('SIGTERM');
    remove(data);
});

for (const command of commands) {
    test(`berth ${command} --help`, () => assert.match(help(command), new RegExp(`^Usage: berth ${command}`)));
}

test('mistakes at the shell get a sentence and a status', () => {
    for (const [args, text] of [[['server', '--lisen', 'x'], /no setting --lisen/], [['agent'], /--join/], [['brew'], /no command "brew"/], [['keys', 'make'], /berth keys create/],
        [['logs'], /berth logs TASK/], [['server', 'now'], /one word too many/], [['help', '--write', '/dev/null'], /can't be written/]]) {
        const run = spawnSync(berth, args, { encoding: 'utf8', env: environment, timeout: 120000 });
        assert.notStrictEqual(run.status, 0, args.join(' '));
        assert.match(run.stderr, text);
    }
});

test('packages that can not be installed: in apt\'s own words', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-packages-'));
    const program = (name, text) => writeFileSync(path.join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    program('id', 'echo 0');
    program('dpkg-query', 'exit 1');
    for (const [fails, apt, seen] of [
        ['update', 'echo "E: The repository has no Release file" >&2; exit 100', /no Release file[\s\S]*this failed: .*apt-get .*update/],
        ['install', 'echo "dpkg: error: no space left"; echo "E: Sub-process /usr/bin/dpkg returned an error code (1)" >&2; exit 100',
            /no space left\nE: Sub-process[\s\S]*this failed: .*apt-get .*install .* cmake/],
        ['nothing', 'exit 1', /^$/],
    ]) {
        program('apt-get', `case " $* " in *" ${fails} "*) ${apt} ;; *) echo "Setting up cmake" ;; esac`);
        const run = spawnSync(path.join(root, 'tools/install-packages'), ['build'], { encoding: 'utf8', env: { ...environment, PATH: `${folder}:${process.env.PATH}` } });
        assert.strictEqual(run.status === 0, fails === 'nothing', run.stderr);
        assert.match(run.stderr, seen);
        assert.match(run.stdout, /^Installing: .*\n$/, 'nothing else where all goes well');
    }
    remove(folder);
});

test('a port that is taken: by whom', async (t) => {
    const other = net.createServer().listen(0, '127.0.0.1'), data = mkdtempSync(path.join(os.tmpdir(), 'berth-taken-'));
    await once(other, 'listening');
    t.after(() => {
        other.close();
        remove(data);
    });
    const taken = `127.0.0.1:${other.address().port}`, by = `\\(process ${process.pid}\\) listens there\\.`;
    for (const [command, args, what] of [
        ['server', ['--listen', taken], `Can't listen on ${taken}: .*`],
        ['server', ['--listen', '127.0.0.1:0', '--agent-listen', taken], `Can't listen for agents on ${taken}: .*`],
        ['server', ['--listen', taken.replace('127.0.0.1', 'localhost')], 'Can\'t listen on .*'],
        ['dev', ['--listen', taken], `Can't listen on ${taken}: .*`],
    ]) {
        const run = spawnSync(berth, [command, '--data', data, ...args], { encoding: 'utf8', env: environment, timeout: 120000 });
        assert.strictEqual(run.status, 1, run.stderr);
        assert.match(run.stderr, new RegExp(`^berth ${command}: ${what}${by}$`, 'm'));
    }
});

test('every flag of berth that a document shows exists', () => {
    const known = Object.fromEntries(commands.map((command) => [command, help(command, '--help-all')]));
    const documents = ['README.md', ...readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
    let seen = 0;
    for (const document of documents) {
        for (const line of readFileSync(path.join(root, document), 'utf8').split('\n')) {
            const call = /(?:^|\s|`)berth (dev|server|agent|keys|logs)\b([^`|#]*)/.exec(line);
            for (const [flag] of call?.[2].matchAll(/--[a-z-]+/g) ?? []) {
                seen++;
                assert.ok(known[call[1]].includes(`  ${flag}`), `${document}: berth ${call[1]} has no ${flag}`);
            }
        }
    }
    assert.ok(seen > 10, 'the documents show some');
});
