// Three hosts, each a network namespace with etcd and a server, set up by the blocks of docs/high-availability.md; clients and machines are on a fourth. One
// host is cut off, one goes silent, one dies. Runs in a separate network namespace: `unshare --net --mount node tests/ha/hosts.mjs`.
import assert from 'node:assert';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import https from 'node:https';
import { Process, Server, program, remove, root, sleep, waitFor } from '../lib/lib.mjs';
import { insist } from '../lib/members.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-hosts-')), keys = { BERTH_ROOT_ACCESS_KEY_ID: 'AKIATHREEHOSTSTHREEH', BERTH_ROOT_SECRET_ACCESS_KEY: 'three/hosts/secret/of/forty/characters/x' };
const run = (name, ...args) => execFileSync(name, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
const say = (words) => console.log(`  ${words}`);

// ---- the blocks of the docs ----

const page = readFileSync(path.join(root, 'docs/high-availability.md'), 'utf8'), chapter = page.slice(page.indexOf('\n## Three machines'));
const [certificates, etcdFile, serverFile, look] = [...chapter.matchAll(/^```(?:sh)?\n([^]*?)^```$/gm)].map(([, text]) => text);
assert.match(certificates, /^berth tls create/);
assert.match(etcdFile, /^ETCD_NAME=h1\n/);
assert.match(serverFile, /^listen = 10\.0\.0\.1:9280\n/);
assert.match(look, /^berth doctor/);
// The first host's name and address become those of host n; lists of all stay.
const own = (line, n) => (line.includes('10.0.0.2') ? line : line.replace('10.0.0.1', `10.0.0.${n}`).replace(/\bh1\b/, `h${n}`));
const linesFor = (text, n) => text.trim().split('\n').map((line) => own(line, n).replaceAll('/etc/berth/tls', path.join(folder, 'tls')));
const inShell = (script) => spawnSync('bash', ['-ec', script.replaceAll('/etc/berth/tls', path.join(folder, 'tls')).replaceAll('/etc/berth/server.conf', hosts[0].file)], { encoding: 'utf8', cwd: folder,
    env: { PATH: `${folder}/bin:${process.env.PATH}`, HOME: folder, AWS_ACCESS_KEY_ID: keys.BERTH_ROOT_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: keys.BERTH_ROOT_SECRET_ACCESS_KEY } });

// ---- hosts ----

class Host {
    constructor(n) {
        Object.assign(this, { n, name: `h${n}`, address: `10.0.0.${n}`, url: `https://10.0.0.${n}:9280`, data: path.join(folder, `h${n}`), file: path.join(folder, `h${n}.conf`) });
        mkdirSync(path.join(this.data, 'etcd'), { recursive: true, mode: 0o700 });
        this.holder = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
    }
    async connect() {
        await waitFor('its own network', () => readlink(`/proc/${this.holder.pid}/ns/net`) !== readlink('/proc/self/ns/net'));
        run('ip', 'link', 'add', `port${this.n}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(this.holder.pid));
        run('ip', 'link', 'set', `port${this.n}`, 'master', 'switch', 'up');
        for (const words of [['link', 'set', 'lo', 'up'], ['addr', 'add', `${this.address}/24`, 'dev', 'eth0'], ['link', 'set', 'eth0', 'up']]) this.run('ip', ...words);
    }
    run(...words) { return run('nsenter', '-t', String(this.holder.pid), '-n', ...words); }
    start(name, args, env = {}) { return new Process(['-t', String(this.holder.pid), '-n', name, ...args], env, 'nsenter'); }
    startEtcd() {
        const env = Object.fromEntries(linesFor(etcdFile, this.n).map((line) => line.split(/=(.*)/s)));
        this.etcd = this.start('etcd', ['--data-dir', path.join(this.data, 'etcd')], env);
    }
    startServer() {
        writeFileSync(this.file, `${linesFor(serverFile, this.n).join('\n')}\n`);
        this.server = this.start(program, ['server', '--config', this.file, '--data', this.data, '--log-level', 'info'], keys);
    }
    cable(state) { run('ip', 'link', 'set', `port${this.n}`, state); }
    async die() {
        await Promise.all([this.server, this.etcd].map((one) => one.signal('SIGKILL')));
    }
    get client() { return Object.assign(Object.create(Server.prototype), { key: keys.BERTH_ROOT_ACCESS_KEY_ID, secret: keys.BERTH_ROOT_SECRET_ACCESS_KEY, port: 9280, url: this.url, address: this.address,
        way: { request: (options, done) => https.request({ ...options, host: this.address, timeout: 5000, agent: false }, done).on('timeout', function late() { this.destroy(new Error('no answer in 5 s')); }), options: { ca } } }); }
    async role(role) {
        const args = ['-s', '-o', '/dev/null', '-w', '%{http_code}', '-m', '2', '--cacert', path.join(folder, 'tls/ca.pem'), `${this.url}/healthz?role=${role}`];
        return spawnSync('nsenter', ['-t', String(this.holder.pid), '-n', 'curl', ...args], { encoding: 'utf8' }).stdout;
    }
}
function readlink(file) { try { return run('readlink', file).trim(); } catch { return ''; } }

let hosts = [], ca, fleet;
const leaderAmong = (some) => waitFor('a leader', async () => { for (const host of some) if (await host.role('leader') === '200') return host; });
// etcd's own leader moves to this host.
function askEtcd(host, what, input) {
    const files = [['--cacert', 'ca'], ['--cert', 'cert'], ['--key', 'key']].flatMap(([option, name]) => [option, path.join(folder, `tls/${name}.pem`)]);
    const { stdout } = spawnSync('curl', ['-s', '-m', '2', ...files, '-d', JSON.stringify(input), `https://${host.address}:2379/v3/maintenance/${what}`], { encoding: 'utf8' });
    return JSON.parse(stdout || '{}');
}
const moveEtcdTo = (host) => waitFor("etcd's leader to be there", () => {
    const { header: { member_id: own } = {}, leader } = askEtcd(host, 'status', {});
    if (leader !== undefined && leader !== own) for (const one of hosts) askEtcd(one, 'transfer-leadership', { targetID: own });
    return leader !== undefined && leader === own;
});
const others = (host) => hosts.filter((one) => one !== host);

// ---- clients: they insist as SDKs do, each with its own tokens, at any host ----

const acknowledged = new Map();
const gpusOf = (task) => task.containers.flatMap((container) => container.gpuIds ?? []).map((id) => `${task.containerInstanceArn} ${id}`);
async function work(running, number) {
    for (let n = 0; running(); n++) {
        const clientToken = randomUUID();
        const reply = await insist(() => hosts[(number + n) % 3].client.call('RunTask', { cluster: 'default', taskDefinition: 'gpu', clientToken }), { seconds: 60 });
        assert.ok(reply.status === 200 || reply.status === 400, `${reply.status} ${reply.text}`);
        for (const task of reply.status === 200 ? reply.json.tasks : []) {
            acknowledged.set(clientToken, task.taskArn);
            if (n % 2 === 0) await insist(() => hosts[(number + n + 1) % 3].client.call('StopTask', { task: task.taskArn }), { seconds: 60 });
        }
        await sleep(50);
    }
}

async function story() {
    const first = hosts[0].client;
    assert.strictEqual((await insist(() => first.call('CreateCluster'), { seconds: 60 })).status, 200);
    assert.strictEqual((await insist(() => first.call('RegisterTaskDefinition', { family: 'gpu',
        containerDefinitions: [{ name: 'a', image: 'i', memory: 16, resourceRequirements: [{ type: 'GPU', value: '1' }] }] }))).status, 200);
    fleet = new Process(['agent', '--fake', 'p3.16xlarge:4', '--join', hosts.map(({ url }) => url).join(), '--ca', path.join(folder, 'tls/ca.pem'), '--data', path.join(folder, 'fleet')],
        { AWS_ACCESS_KEY_ID: first.key, AWS_SECRET_ACCESS_KEY: first.secret });
    const connected = async () => {
        const { json } = await insist(() => others(null)[0].client.call('ListContainerInstances'), { seconds: 60 });
        return json.containerInstanceArns?.length === 4;
    };
    await waitFor('the machines', connected);

    const told = inShell(look);
    assert.strictEqual(told.status, 0, told.stdout + told.stderr);
    assert.strictEqual(told.stdout.match(/^OK +etcd /gm).length, 3, told.stdout);
    assert.match(told.stdout, /3 servers share the state/);
    assert.match(told.stdout, /^\* h\d +https:\/\/10\.0\.0\.\d:9280/m);
    say('set up as the docs say; berth doctor and berth ha find all well');

    const stranger = spawnSync('curl', ['-s', '--cacert', path.join(folder, 'tls/ca.pem'), `${hosts[0].url}/berth/v1/ha/key`], { encoding: 'utf8' }).stdout;
    assert.match(stranger, /it shows the certificate of its --ha-cert/);
    const member = spawnSync('curl', ['-s', '--cacert', path.join(folder, 'tls/ca.pem'), '--cert', path.join(folder, 'tls/cert.pem'), '--key', path.join(folder, 'tls/key.pem'),
        `${hosts[0].url}/berth/v1/ha/key`], { encoding: 'utf8' }).stdout;
    assert.match(member, /Only a member that joins may ask for this\./, 'a certificate without a word in the list');
    const forged = spawnSync('bash', ['-c', `cd ${folder} && openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=h9 -keyout forged.key -out forged.pem 2>/dev/null &&
        curl -s --cacert tls/ca.pem --cert forged.pem --key forged.key ${hosts[0].url}/healthz`], { encoding: 'utf8' });
    assert.notStrictEqual(forged.status, 0, 'a certificate of another authority');
    say('only a member, with its certificate, gets the key');

    let going = true;
    const clients = Promise.all([0, 1, 2].map((number) => work(() => going, number)));
    try {
        await sleep(1000);
        const cut = await leaderAmong(hosts);
        await moveEtcdTo(cut);
        const began = Date.now();
        cut.cable('down');
        const next = await leaderAmong(others(cut)), took = Date.now() - began;
        await waitFor('the old leader to know', async () => (await cut.role('leader')) === '503');
        await waitFor('it to say that its state is old', async () => (await cut.role('ready')) === '503');
        assert.strictEqual((await insist(() => next.client.call('CreateCluster', { clusterName: 'while-cut' }), { seconds: 60 })).status, 200);
        cut.cable('up');
        await waitFor('it to be back', async () => (await cut.role('ready')) === '200');
        const { json } = await insist(() => cut.client.call('ListClusters'), { seconds: 60 });
        assert.ok(json.clusterArns.some((arn) => arn.endsWith('/while-cut')));
        say(`the cable of a host with the leader and with etcd's own leader: another led after ${took} ms; it came back as a follower with all that it had missed`);

        const deaf = await leaderAmong(hosts);
        deaf.run('iptables', '-A', 'INPUT', '-i', 'eth0', '-j', 'DROP');
        const after = await leaderAmong(others(deaf));
        assert.strictEqual((await insist(() => after.client.call('CreateCluster', { clusterName: 'while-deaf' }), { seconds: 60 })).status, 200);
        deaf.run('iptables', '-F', 'INPUT');
        await waitFor('it to be back', async () => (await deaf.role('ready')) === '200');
        say('a leader that hears nothing, but can speak: another led');

        const blind = await leaderAmong(hosts), since = Date.now();
        blind.run('iptables', '-A', 'OUTPUT', '-p', 'tcp', '--dport', '2379', '-j', 'DROP');
        const seeing = await leaderAmong(others(blind)), later = Date.now() - since;
        assert.notStrictEqual(await blind.role('leader'), '200', 'two lead');
        const said = await Promise.all([['CreateCluster', { clusterName: 'by-the-blind' }], ['ListClusters']].map((call) => blind.client.call(...call).catch(() => ({ status: 0 }))));
        for (const { status } of said) assert.ok(status === 0 || status === 503, `an answer without etcd: ${status}`);
        assert.strictEqual((await insist(() => seeing.client.call('CreateCluster', { clusterName: 'while-blind' }), { seconds: 60 })).status, 200);
        blind.run('iptables', '-F', 'OUTPUT');
        await waitFor('it to be back', async () => (await blind.role('ready')) === '200');
        const names = (await insist(() => blind.client.call('ListClusters'), { seconds: 60 })).json.clusterArns.map((arn) => arn.split('/').pop());
        assert.ok(names.includes('while-blind'));
        say(`a leader without etcd, which clients and machines reach: another led after ${later} ms, and it answered nothing meanwhile`);

        const dead = await leaderAmong(hosts);
        await moveEtcdTo(dead);
        const fell = Date.now();
        await dead.die();
        const last = await leaderAmong(others(dead)), alone = Date.now() - fell;
        assert.strictEqual((await insist(() => last.client.call('CreateCluster', { clusterName: 'while-dead' }), { seconds: 60 })).status, 200);
        dead.startEtcd();
        dead.startServer();
        await waitFor('it to be back', async () => (await dead.role('ready')) === '200');
        say(`a host with the leader and with etcd's own leader killed: another led after ${alone} ms, and the host came back`);

        await Promise.all(hosts.map((host) => host.die()));
        for (const host of hosts) { host.startEtcd(); host.startServer(); }
        await leaderAmong(hosts);
        say('all hosts lost their power: they went on');
        await sleep(1000);
    } finally {
        going = false;
        await clients;
    }
    const arns = [...acknowledged.values()], held = [], missing = [];
    assert.strictEqual(new Set(arns).size, arns.length, 'a task was answered to two tokens');
    for (let at = 0; at < arns.length; at += 100) {
        const { json } = await insist(() => hosts[at / 100 % 3].client.call('DescribeTasks', { tasks: arns.slice(at, at + 100) }), { seconds: 60 });
        missing.push(...json.failures);
        held.push(...json.tasks.filter((task) => task.lastStatus !== 'STOPPED').flatMap(gpusOf));
    }
    assert.deepStrictEqual(missing, [], 'an acknowledged task is gone');
    assert.strictEqual(new Set(held).size, held.length, 'a GPU is held twice');
    assert.ok(arns.length > 20, `${arns.length} tasks`);
    await waitFor('the machines to be there', connected);
    say(`${arns.length} acknowledged tasks are all there, and no GPU is held twice`);
}

let status = 1;
try {
    run('ip', 'link', 'set', 'lo', 'up');
    run('ip', 'link', 'add', 'switch', 'type', 'bridge');
    run('ip', 'addr', 'add', '10.0.0.9/24', 'dev', 'switch');
    run('ip', 'link', 'set', 'switch', 'up');
    mkdirSync(path.join(folder, 'bin'));
    symlinkSync(program, path.join(folder, 'bin/berth'));
    hosts = [1, 2, 3].map((n) => new Host(n));
    const made = inShell(certificates);
    assert.strictEqual(made.status, 0, made.stderr);
    for (const name of ['ca.key', 'ca.pem', 'cert.pem', 'key.pem']) assert.match(made.stdout, new RegExp(`^${name}$`, 'm'));
    symlinkSync(path.join(folder, 'made/tls'), path.join(folder, 'tls'));
    ca = readFileSync(path.join(folder, 'tls/ca.pem'));
    for (const host of hosts) await host.connect();
    for (const host of hosts) host.startEtcd();
    for (const host of hosts) host.startServer();
    await story();
    status = 0;
} catch (error) {
    console.log(error);
    for (const host of hosts) for (const [name, one] of [['etcd', host.etcd], ['server', host.server]]) console.log(`---- ${name} of ${host.name}\n${one?.output.slice(-3000)}`);
    console.log(`---- the machines\n${fleet?.output.slice(-2000)}`);
} finally {
    await fleet?.signal('SIGTERM');
    for (const host of hosts) {
        await Promise.all([host.server, host.etcd].map((one) => one?.signal('SIGKILL')));
        host.holder.kill('SIGKILL');
    }
    remove(folder);
    process.exit(status);
}
