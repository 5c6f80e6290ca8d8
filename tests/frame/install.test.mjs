// `make install`: the program, the units, the manual pages and the completion of the shells, below DESTDIR and PREFIX.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { remove, root } from '../lib/lib.mjs';

const PREFIX = '/opt/berth';
const environment = { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS_|ECS_|BERTH_|MAKE|MFLAGS|DESTDIR|PREFIX)/.test(name))), LC_ALL: 'C.UTF-8' };
const isHere = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const skip = (program) => (isHere(program) ? false : `NOT CHECKED: ${program} is not installed`);
const units = ['server', 'agent', 'ingress'];
const run = (program, args, more = {}) => execFileSync(program, args, { encoding: 'utf8', timeout: 120000, env: environment, ...more });

let destination, place;
const file = (name) => readFileSync(path.join(place, name), 'utf8');
const pages = () => readdirSync(path.join(place, 'share/man/man1')).map((name) => path.join(place, 'share/man/man1', name));

before(() => {
    destination = mkdtempSync(path.join(os.tmpdir(), 'berth-install-'));
    place = path.join(destination, PREFIX);
    run('make', ['install', `DESTDIR=${destination}`, `PREFIX=${PREFIX}`], { cwd: root, timeout: 1200000 });
});
after(() => remove(destination));

test('the program runs where it was put, and nothing lies elsewhere', () => {
    assert.match(run(path.join(place, 'bin/berth'), ['version']), /^berth \d+\.\d+\.\d+\n$/);
    assert.deepStrictEqual(readdirSync(destination), ['opt']);
    assert.deepStrictEqual(readdirSync(place).sort(), ['bin', 'lib', 'share']);
});

test('the units start the program that was installed', () => {
    for (const name of units) {
        const unit = file(`lib/systemd/system/berth-${name}.service`);
        assert.match(unit, new RegExp(`^ExecStart=${PREFIX}/bin/berth ${name} `, 'm'));
        assert.doesNotMatch(unit, /\/usr\/local|\/etc\/systemd/);
    }
});

test('systemd has nothing to complain of', { skip: skip('systemd-analyze') }, () => {
    const lines = units.map((name) => path.join(place, `lib/systemd/system/berth-${name}.service`)).flatMap((unit) => spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' }).stderr.split('\n'));
    assert.deepStrictEqual(lines.filter((line) => line.includes('berth') && !line.includes('is not executable')), [], 'the program is not below /');
});

test('all may read the installed files', () => {
    for (const page of [...pages(), path.join(place, 'share/bash-completion/completions/berth'), path.join(place, 'lib/systemd/system/berth-server.service')]) {
        assert.strictEqual(statSync(page).mode & 0o444, 0o444, page);
    }
});

test('each command has a manual page, and each page names its command', () => {
    const commands = [...run(path.join(place, 'bin/berth'), ['help']).matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
    assert.ok(commands.length > 10);
    assert.deepStrictEqual(pages().map((page) => path.basename(page)).sort(), ['berth.1', ...commands.map((name) => `berth-${name}.1`)].sort());
    for (const name of commands) assert.ok(file('share/man/man1/berth.1').includes(`.BR berth\\-${name} (1)`), name);
});

test('man has nothing to complain of', { skip: skip('man') || skip('groff') }, () => {
    for (const page of pages()) {
        const result = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', '-Tutf8', page], { encoding: 'utf8', env: { ...environment, MANWIDTH: '80', MANPAGER: 'cat' } });
        assert.strictEqual(result.stderr, '', page);
        assert.match(result.stdout, /^ {7}berth(-[a-z]+)? - /m);
    }
});

// No page has a date: two builds of one source are the same.
test('mandoc has nothing to complain of', { skip: skip('mandoc') }, () => {
    for (const page of pages()) {
        const { stdout, stderr } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', page], { encoding: 'utf8' });
        assert.deepStrictEqual(`${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !line.includes('missing date')), []);
    }
});

const completions = [
    [['s'], ['server', 'services']], [['he'], ['headroom', 'help']], [['server', '--li'], ['--listen']], [['server', '--help'], ['--help', '--help-all']],
    [['server', '--join'], []], [['keys', 'rot'], ['rotate-roles']], [['agent', '--runtime', 'd'], ['docker']], [['agent', '--join', 'h'], []],
    [['keys', '--role', ''], ['admin', 'agent', 'viewer']],
];

test('bash completes commands, settings and values', { skip: skip('bash') }, () => {
    const script = path.join(place, 'share/bash-completion/completions/berth');
    const complete = (words) => run('bash', ['-uc', `. "$1"; shift; COMP_WORDS=(berth "$@"); COMP_CWORD=$#; _berth; printf '%s\\n' "\${COMPREPLY[@]}"`,
        'bash', script, ...words]).split('\n').filter((word) => word !== '').sort();
    for (const [words, wanted] of completions) assert.deepStrictEqual(complete(words), wanted, words.join(' '));
    assert.deepStrictEqual(complete(['agent', '--runtime', '=']), ['auto', 'docker', 'process'], 'bash parts words at an equals sign');
    assert.deepStrictEqual(complete(['agent', '--runtime', '=', 'p']), ['process']);
    assert.deepStrictEqual(complete(['server', '--data', `${place}/l`]), [`${place}/lib`], 'folders');
    assert.deepStrictEqual(complete(['server', '--config', `${place}/bin/b`]), [`${place}/bin/berth`], 'files');
    assert.match(run('bash', ['-euc', '. "$1"; complete -p berth', 'bash', script]), /-F _berth berth/);
});

test('fish completes commands, settings and values', { skip: skip('fish') }, () => {
    const script = path.join(place, 'share/fish/vendor_completions.d/berth.fish');
    const home = { env: { ...environment, HOME: destination, XDG_CONFIG_HOME: path.join(destination, 'config') } };
    for (const [words, wanted] of completions) {
        const line = `berth ${words.join(' ')}`;
        const lines = run('fish', ['--no-config', '-c', `source ${script}; complete --do-complete '${line}'`], home).split('\n');
        assert.deepStrictEqual(lines.map((one) => one.split('\t')[0]).filter((word) => word !== '').sort(), wanted, line);
    }
});

// zsh completes on a terminal only: what it would ask _arguments and _describe for is shown instead.
test('zsh completes commands, settings and values', { skip: skip('zsh') }, () => {
    const script = path.join(place, 'share/zsh/site-functions/_berth');
    const asked = (...words) => run('zsh', ['-fc', `_describe() { print -rl -- $commands }; _arguments() { print -rl -- "$@" }; words=(berth "$@"); CURRENT=$(( $# + 1 ))
        source ${script}`, 'zsh', ...words]);
    assert.match(asked('s'), /^server:the control plane: /m);
    assert.match(asked('server', '--li'), /^--listen=\[.*\]:HOST\\:PORT: $/m);
    assert.match(asked('agent', ''), /^--runtime=\[.*\]:.*:\(auto docker process\)$/m);
    assert.match(asked('agent', ''), /^--data=\[.*\]:DIR:_files -\/$/m);
    assert.match(asked('keys', 'r'), /^\*:word:\(create list revoke rotate-roles\)$/m);
    assert.doesNotMatch(asked('server', ''), /--join/);
});
