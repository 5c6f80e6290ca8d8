// `make deb`: the packages are installed, upgraded, removed and purged in a clean Debian 12 root.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { remove, root } from '../lib/lib.mjs';

const environment = { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS_|ECS_|BERTH_|MAKE|MFLAGS)/.test(name))), LC_ALL: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' };
const run = (program, args, more = {}) => execFileSync(program, args, { encoding: 'utf8', timeout: 1200000, env: environment, ...more });
const libraries = 'libcivetweb1,liblmdb0,libcurl4,libssl3,libprotobuf-c1';

let folder, debian, missing;
const at = (name) => path.join(debian, name);
const inside = (...command) => run('chroot', [debian, ...command]);
const state = (name) => inside('dpkg-query', '-W', '-f', '${Status} ${Version}', name);

// The same package with a later version and other default settings.
function later(file) {
    const tree = path.join(folder, 'later'), control = path.join(tree, 'DEBIAN/control');
    run('dpkg-deb', ['-R', at(file), tree]);
    writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, 'Version: 99'));
    const settings = path.join(tree, 'etc/berth');
    for (const name of existsSync(settings) ? readdirSync(settings) : []) writeFileSync(path.join(settings, name), '# a later default\n');
    run('dpkg-deb', ['-b', tree, at(`later-${file}`)]);
    remove(tree);
    return `/later-${file}`;
}

before(() => {
    const here = ['debootstrap', 'dpkg-deb', 'dpkg-shlibdeps', 'chroot'].filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
    if (here.length > 0 || process.getuid() !== 0) {
        missing = `NOT CHECKED: ${here.length > 0 ? `${here.join(', ')} is not installed` : 'needs root'}`;
        return;
    }
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-packages-'));
    debian = path.join(folder, 'debian');
    const made = spawnSync('debootstrap', ['--variant=minbase', `--include=${libraries}`, 'bookworm', debian], { encoding: 'utf8', env: environment, timeout: 1200000 });
    if (made.status !== 0) {
        missing = `NOT CHECKED: debootstrap can't make a Debian root here: ${`${made.stdout}${made.stderr}`.trim().split('\n').at(-1)}`;
        return;
    }
    run('make', ['deb'], { cwd: root });
    for (const name of readdirSync(path.join(root, 'build/packages')).filter((one) => one.endsWith('.deb'))) copyFileSync(path.join(root, 'build/packages', name), at(name));
});
after(() => folder && remove(folder));

test('the packages: installed, upgraded, removed and purged', (t) => {
    if (missing) {
        t.skip(missing);
        return;
    }
    const files = readdirSync(debian).filter((name) => name.endsWith('.deb'));
    assert.deepStrictEqual(files.map((name) => name.split('_')[0]).sort(), ['berth', 'berth-agent', 'berth-ingress', 'berth-server']);
    inside('dpkg', '-i', ...files.map((name) => `/${name}`));
    assert.match(inside('berth', 'version'), /^berth /);
    for (const user of ['berth', 'berth-ingress']) assert.ok(inside('id', user).includes(`(${user})`));
    const data = statSync(at('var/lib/berth'));
    assert.strictEqual(data.mode & 0o777, 0o700);
    assert.strictEqual(`${data.uid}`, inside('id', '-u', 'berth').trim());
    for (const part of ['server', 'agent', 'ingress']) {
        assert.match(readFileSync(at(`usr/lib/systemd/system/berth-${part}.service`), 'utf8'), /^ExecStart=\/usr\/bin\/berth /m);
        assert.ok(!existsSync(at(`etc/systemd/system/multi-user.target.wants/berth-${part}.service`)), 'starts only when enabled: it has no key yet');
    }
    for (const place of ['zsh/vendor-completions/_berth', 'bash-completion/completions/berth']) assert.ok(existsSync(at(`usr/share/${place}`)), place);

    // The server's user makes a key; the settings are changed.
    assert.match(run('chroot', ['--userspec=berth:berth', debian, 'berth', 'keys', 'create', '--data', '/var/lib/berth']), /AKIA/);
    const settings = { server: 'listen = 127.0.0.1:9280\n', agent: 'join = http://127.0.0.1:9280\n', ingress: 'server = http://127.0.0.1:9280\n' };
    for (const [part, text] of Object.entries(settings)) writeFileSync(at(`etc/berth/${part}.conf`), text);
    for (const part of ['agent', 'ingress']) writeFileSync(at(`etc/berth/${part}.credentials`), '[default]\n');
    inside('dpkg', '--force-confdef', '--force-confold', '-i', ...files.map(later));
    for (const [part, text] of Object.entries(settings)) {
        assert.strictEqual(state(`berth-${part}`), 'install ok installed 99');
        assert.strictEqual(readFileSync(at(`etc/berth/${part}.conf`), 'utf8'), text, 'kept');
    }

    inside('dpkg', '-r', 'berth-server', 'berth-agent', 'berth-ingress', 'berth');
    assert.ok(!existsSync(at('usr/bin/berth')));
    for (const name of ['server.conf', 'agent.conf', 'agent.credentials', 'ingress.conf', 'ingress.credentials']) assert.ok(existsSync(at(`etc/berth/${name}`)), `${name}: kept until a purge`);
    inside('dpkg', '-P', 'berth-server', 'berth-agent', 'berth-ingress');
    assert.ok(!existsSync(at('etc/berth')));
    assert.ok(existsSync(at('var/lib/berth/data.mdb')), 'the store stays');
});
