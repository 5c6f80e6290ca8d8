// Commands in the pages: every block of sh and Python is run as it is written, page by page, in one shell a page, on a dev server with
// simulated GPUs. A block that can't be run here has a comment above it, in the page's source, that says why:
//     <!-- not run: needs systemd -->
// Only addresses, folders and ids are put in the place of the page's own.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, closeSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { endProcesses, program as berth, remove, root, waitFor } from '../lib/lib.mjs';

const PAGE_SECONDS = 90, AWS = '/usr/bin/aws', PYTHON = '/usr/bin/python3';           // Debian's own
const pages = ['README.md', ...readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
const changesMachine = /\b(sudo|systemctl|iptables|ip route|useradd|docker|make)\b/;
const isCommand = /^(sudo )?(aws|berth|curl|docker|make|python3?|systemctl) /;

// {language, line, text, mark} of each fenced block.
function blocksOf(page) {
    const blocks = [], lines = readFileSync(path.join(root, page), 'utf8').split('\n');
    let open, mark;
    for (const [number, line] of lines.entries()) {
        const fence = /^```(\w*)$/.exec(line);
        if (!open && fence) open = { language: fence[1], line: number + 1, text: '', mark };
        else if (open && fence) { blocks.push(open); open = undefined; }
        else if (open) open.text += `${line}\n`;
        if (!open) mark = /^<!-- not run: (.{8,}) -->$/.exec(line)?.[1];
    }
    assert.strictEqual(open, undefined, `${page}: a block is not closed`);
    return blocks;
}

let folder, dev, url, task, gpu, machine, pair;
const counts = { run: 0, not: 0 };
const environment = () => ({ ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS_|ECS_|BERTH_|npm_)/.test(name))),
    PATH: `${folder}/bin:${process.env.PATH}`, AWS_SHARED_CREDENTIALS_FILE: `${folder}/berth-data/credentials`, AWS_DEFAULT_REGION: 'us-east-1',
    AWS_EC2_METADATA_DISABLED: 'true', AWS_PAGER: '', ...(url ? { BERTH_SERVER: url } : {}) });

// A shell in its own process group, so that what it leaves in the background can be ended. Resolves to its output.
async function shell(name, script) {
    const file = path.join(folder, `${name}.sh`), log = path.join(folder, `${name}.log`), out = openSync(log, 'w');
    writeFileSync(file, script);
    const child = spawn('bash', [file], { cwd: folder, env: environment(), detached: true, stdio: ['ignore', out, out] });
    closeSync(out);
    const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)));
    const late = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), PAGE_SECONDS * 1000);
    const status = await ended;
    clearTimeout(late);
    const leave = (signal) => { try { process.kill(-child.pid, signal); return true; } catch { return false; } };
    leave('SIGTERM');
    await waitFor('what a page has left to end', () => !leave(0));
    return { status, text: readFileSync(log, 'utf8') };
}

before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-docs-'));
    mkdirSync(path.join(folder, 'bin'));
    const links = [['bin/berth', berth], ['bin/aws', AWS], ['bin/python3', PYTHON], ['examples', path.join(root, 'examples')]];
    for (const [name, target] of links) symlinkSync(target, path.join(folder, name));
    const log = openSync(path.join(folder, 'dev.log'), 'w');
    dev = spawn(berth, ['dev', '--listen', '127.0.0.1:0', '--runtime', 'process', '--fake-gpus', 'V100:4'], { cwd: folder, env: environment(), stdio: ['ignore', log, log] });
    closeSync(log);
    await waitFor('dev mode', () => /^Ready in/m.test(readFileSync(path.join(folder, 'dev.log'), 'utf8')));
    url = readFileSync(path.join(folder, 'berth-data/endpoint'), 'utf8').trim();
    const credentials = readFileSync(path.join(folder, 'berth-data/credentials'), 'utf8');
    pair = ['aws_access_key_id', 'aws_secret_access_key'].map((name) => new RegExp(`^${name} *= *(\\S+)$`, 'm').exec(credentials)[1]).join(':');
    // What the pages take for granted: a task that has run, whose log has a group.
    const definition = JSON.stringify([{ name: 'main', image: 'busybox', memory: 64, command: ['sh', '-c', 'echo ERROR 1'],
        logConfiguration: { logDriver: 'awslogs', options: { 'awslogs-group': '/ecs/train', 'awslogs-region': 'us-east-1' } },
        resourceRequirements: [{ type: 'GPU', value: '1' }] }]);
    const made = await shell('before', `set -e\naws --endpoint-url ${url} ecs register-task-definition --family train --execution-role-arn run --container-definitions '${definition}' >/dev/null
        aws --endpoint-url ${url} ecs run-task --task-definition train --query 'tasks[0].[taskArn, containers[0].gpuIds[0], containerInstanceArn]' --output text`);
    [, task, gpu, machine] = /task\/default\/(\w+)\s+(GPU-\S+)\s+(\S+)/.exec(made.text) ?? assert.fail(made.text);
    await waitFor('its end', async () => (await fetch(`${url}/berth/v1/history/${task}`)).ok);
});

after(async () => {
    if (dev) {
        const ended = new Promise((resolve) => dev.on('exit', resolve));
        dev.kill('SIGTERM');
        await ended;
    }
    await endProcesses(path.join(folder, 'berth-data'));
    remove(folder);
});

const asHere = (text) => text.replaceAll(/http:\/\/(127\.0\.0\.1|SERVER|HOST):9280/g, url).replaceAll('/var/lib/berth', `${folder}/server`).replaceAll('KEY-ID:SECRET', pair)
    .replaceAll(/\bTASK(-ID)?\b/g, task).replaceAll(/GPU-5a0e4c1e(-\w+)+/g, gpu);

// The trap reports errors, so that the commands behind them still run. The next block finds the simulated machines of the one before.
function scriptOf(name, blocks) {
    let fleets = 0;
    const parts = ['shopt -s expand_aliases', 'curl() { command curl -fsS "$@"; }', 'trap \'echo "@@ $line: status $?: $BASH_COMMAND"\' ERR'];
    for (const { language, line, text } of blocks) {
        parts.push(`line=${line}`, language === 'python' ? `python3 - <<'END'\n${asHere(text)}END` : asHere(text));
        fleets += text.match(/^berth agent .*--fake .*&$/gm)?.length ?? 0;
        parts.push(`until [ "$(grep -c 'all simulated machines are registered' '${folder}/${name}.log')" -ge ${fleets} ]; do sleep 0.1; done`);
    }
    return `${parts.join('\n')}\necho "@@ done"\n`;
}

// The machines of a page's agents have ended with it. Until the server misses them it would place tasks of the next page there.
const forgetMachines = () => shell('machines', `for one in $(aws --endpoint-url ${url} ecs list-container-instances --query 'containerInstanceArns[]' --output text); do
    [ "$one" = "${machine}" ] || aws --endpoint-url ${url} ecs deregister-container-instance --force --container-instance "$one" >/dev/null
done`);

for (const page of pages) {
    test(`${page} does what it says`, async () => {
        const blocks = blocksOf(page);
        for (const { language, line, text } of blocks) assert.ok(language || !isCommand.test(text), `${page}:${line}: a command, but the block is not called sh`);
        const runnable = blocks.filter(({ language }) => language === 'sh' || language === 'python');
        for (const { line, mark } of blocks.filter((block) => block.mark && !runnable.includes(block))) assert.fail(`${page}:${line}: "not run: ${mark}" of no commands`);
        for (const { line, text } of runnable.filter(({ mark }) => !mark)) {
            assert.doesNotMatch(text, changesMachine, `${page}:${line}: changes this machine, so it needs a mark "not run"`);
        }
        const told = runnable.filter(({ mark }) => !mark);
        counts.run += told.length;
        counts.not += runnable.length - told.length;
        if (told.length === 0) return;
        const name = page.replaceAll('/', '-');
        const { status, text } = await shell(name, scriptOf(name, told));
        if (told.some((block) => /berth agent /.test(block.text))) await forgetMachines();
        const failed = text.split('\n').filter((line) => /^@@ \d/.test(line)).map((line) => line.replace('@@ ', `${page}:`));
        assert.deepStrictEqual(failed, [], text);
        assert.ok(text.includes('@@ done'), `${page} was not done: ${status}\n${text}`);
    });
}

test('most blocks can be run', (t) => {
    t.diagnostic(`${counts.run} blocks of commands run, ${counts.not} not`);
    assert.ok(counts.run >= 25, `only ${counts.run} were run`);
});
