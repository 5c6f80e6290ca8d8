// The example examples/provisioners/containers on a real engine: a group gets a machine in a container, which registers, and goes. DOCKER_SOCKET as in e2e.test.mjs.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, program, remove, root, waitFor } from '../lib/lib.mjs';

const socket = process.env.DOCKER_SOCKET, image = 'berth-machine:latest';
const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-containers-')), data = path.join(folder, 'data'), file = path.join(folder, 'provisioners.json');
const exec = path.join(root, 'examples/provisioners/containers');
const keys = { AWS_ACCESS_KEY_ID: 'AKIACONTRACTTESTROOT', AWS_SECRET_ACCESS_KEY: 'contract/test/secret/of/forty/characters' };
const environment = { ...keys, DOCKER_HOST: `unix://${socket}`, IMAGE: image };
const run = (verb, more) => spawnSync(exec, [verb], { input: JSON.stringify({ pool: 'gpu', ...more }), encoding: 'utf8', env: { ...process.env, ...environment } });
const machines = async () => (await server.aws('ecs', 'list-container-instances')).containerInstanceArns.length;
let server;

// Only the program and its libraries.
function makeImage() {
    const tree = path.join(folder, 'image'), add = (from, to) => { mkdirSync(path.dirname(to), { recursive: true }); copyFileSync(from, to); };
    for (const library of execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g)) add(library, path.join(tree, library));
    add(program, path.join(tree, 'usr/local/bin/berth'));
    for (const dir of ['tmp', 'var/lib/berth']) mkdirSync(path.join(tree, dir), { recursive: true });
    const tar = execFileSync('tar', ['-C', tree, '-c', '.'], { maxBuffer: 2 ** 30 });
    execFileSync('docker', ['-H', `unix://${socket}`, 'import', '--change', 'ENTRYPOINT ["/usr/local/bin/berth"]', '-', image], { input: tar, stdio: ['pipe', 'ignore', 'inherit'] });
}
const want = (desired) => server.aws('autoscaling', 'set-desired-capacity', '--auto-scaling-group-name', 'gpu', '--desired-capacity', String(desired));

before(async () => {
    makeImage();
    writeFileSync(file, JSON.stringify({ docker: { exec, environment } }));
    server = await Server.start({ data, args: ['--provisioners', file] });
    await server.aws('ecs', 'create-cluster');
    await server.makeGroup('gpu');
});
after(async () => {
    await server?.stop();
    remove(folder);
});

test('a machine in a container comes and goes', async () => {
    await want(1);
    await waitFor('the machine to register', async () => (await machines()) === 1);
    const [machine, ...others] = JSON.parse(run('list').stdout).machines;
    assert.ok(/^m-[0-9a-f]{32}$/.test(machine.id) && others.length === 0);
    await want(0);
    await waitFor('the machine to go', async () => (await machines()) === 0);
    assert.deepStrictEqual(JSON.parse(run('list').stdout), { machines: [], complete: true });
});

test('a call twice makes one container, and an engine that does not answer no answer', () => {
    const id = 'm-0123456789abcdef0123456789abcdef', call = { machines: [{ id, join: { server: 'http://127.0.0.1:9', cluster: 'default' } }] };
    for (let times = 0; times < 2; times++) assert.strictEqual(JSON.parse(run('up', call).stdout).machines[0].state, 'starting');
    for (let times = 0; times < 2; times++) assert.strictEqual(JSON.parse(run('down', call).stdout).machines[0].state, 'gone');
    environment.DOCKER_HOST = 'unix:///nowhere';
    for (const verb of ['up', 'down', 'list']) {
        const said = run(verb, call);
        assert.ok(said.status !== 0 && said.stdout === '', `${verb} ${said.stdout}`);
    }
});
