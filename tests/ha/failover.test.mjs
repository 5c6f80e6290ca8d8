// Three servers with one state: any of them is the endpoint; acknowledged changes stay, no GPU is held twice, and no token makes tasks twice.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { randomUUID } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Process, Server, program, remove, root, sleep, waitFor } from '../lib/lib.mjs';
import { Etcd, Members, insist } from '../lib/members.mjs';

const rounds = Number(process.env.HA_ROUNDS ?? 12), pauseS = Number(process.env.HA_PAUSE_S ?? 1);
const definition = { family: 'gpu', containerDefinitions: [{ name: 'a', image: 'i', memory: 16, resourceRequirements: [{ type: 'GPU', value: '1' }] }] };
let etcd, members, fleet;

before(async () => {
    etcd = await Etcd.start(3);
    members = await Members.start(etcd);
    const leader = await members.leader();
    assert.strictEqual((await insist(() => leader.call('CreateCluster'))).status, 200);
    assert.strictEqual((await insist(() => leader.call('RegisterTaskDefinition', definition))).status, 200);
    assert.strictEqual((await insist(() => leader.call('RegisterTaskDefinition', { family: 'plain', containerDefinitions: [{ name: 'a', image: 'i', memory: 8 }] }))).status, 200);
    fleet = await leader.agentIn(leader.data + '-agent', ['--fake', 'p3.16xlarge:8'], { url: members.all.map((member) => member.url).join(',') });
    await waitFor('the machines to connect', async () => (await leader.connected('default')) === 8);
});
after(async () => {
    await fleet?.signal('SIGTERM');
    await members?.stop();
    await etcd?.stop();
});

const gpusOf = (task) => task.containers.flatMap((container) => container.gpuIds ?? []).map((id) => `${task.containerInstanceArn} ${id}`);

async function allTasks(member, desiredStatus = 'RUNNING') {
    const arns = [];
    for (let nextToken; ;) {
        const { json } = await insist(() => member.call('ListTasks', { desiredStatus, nextToken }));
        arns.push(...json.taskArns);
        if (!(nextToken = json.nextToken)) break;
    }
    const tasks = [];
    for (let at = 0; at < arns.length; at += 100) {
        const { json } = await insist(() => member.call('DescribeTasks', { tasks: arns.slice(at, at + 100) }));
        tasks.push(...json.tasks);
    }
    return tasks;
}

function noneTwice(tasks) {
    const held = tasks.filter((task) => task.lastStatus !== 'STOPPED').flatMap(gpusOf);
    assert.strictEqual(new Set(held).size, held.length, 'a GPU is held twice');
}

test('any server is the endpoint, and all have one state', async () => {
    const marks = [];
    for (const member of members.all) {
        const name = `by-${member.name}`;
        assert.strictEqual((await member.call('CreateCluster', { clusterName: name })).status, 200);
        marks.push(name);
        for (const other of members.all) {
            const { json } = await other.call('ListClusters');
            for (const mark of marks) assert.ok(json.clusterArns.some((arn) => arn.endsWith(`/${mark}`)), `${other.name} knows ${mark}`);
        }
    }
    const states = await Promise.all(members.all.map((member) => members.state(member)));
    assert.strictEqual(states.filter((state) => state.role === 'leader').length, 1);
    assert.deepStrictEqual(states[0].members.map((member) => member.name), ['m0', 'm1', 'm2']);
    assert.strictEqual(new Set(states.map((state) => state.leader)).size, 1);
    for (const member of members.all) {
        assert.strictEqual((await fetch(`${member.url}/healthz?role=ready`)).status, 200);
        const board = await member.raw({ method: 'GET', pathname: '/berth/v1/state', contentType: undefined });
        assert.strictEqual(board.status, 200, board.text);
        const page = await fetch(`${member.url}/`);
        assert.strictEqual(page.status, 200);
    }
});

test('a key that was revoked, a bad signature, an unknown operation: a server that follows answers as the one that leads', async () => {
    const leader = await members.leader(), follower = await members.follower();
    for (const ask of [
        (member) => member.call('RunTask', { taskDefinition: 'no-such' }),
        (member) => member.call('DescribeTasks', { tasks: ['nonsense'], cluster: 'no-such' }),
        (member) => member.call('CreateCluster', {}, { secret: 'wrong' }),
        (member) => member.call('ListTasks', {}, { secret: 'wrong' }),
        (member) => member.raw({ operation: undefined, target: 'AmazonEC2ContainerServiceV20141113.Nonsense', body: '{}' }),
        (member) => member.raw({ operation: 'CreateCluster', body: '{"clusterName":' }),
    ]) {
        const here = await ask(leader), there = await ask(follower);
        assert.strictEqual(there.status, here.status);
        assert.deepStrictEqual(there.json, here.json);
    }
});

const shell = (member, ...args) => {
    const done = spawnSync(program, args, { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: '/nonexistent', ...member.environment() } });
    return { code: done.status, out: done.stdout, err: done.stderr };
};

test('berth ha shows the servers; berth keys asks the one that leads', async () => {
    const follower = await members.follower(), leader = await members.leader(), at = ['--server', follower.url];
    const shown = shell(follower, 'ha', ...at);
    assert.strictEqual(shown.code, 0, shown.err);
    for (const member of members.all) assert.match(shown.out, new RegExp(`${member === leader ? '\\*' : ' '} ${member.name} `), shown.out);
    assert.match(shown.out, new RegExp(`${leader.name} leads, in term \\d+\\. The log has entries \\d+ to \\d+ and answers\\.`));
    const made = shell(follower, 'keys', 'create', '--role', 'viewer', '--user', 'eve', '--data', follower.data, ...at);
    assert.strictEqual(made.code, 0, made.err);
    const [, key, secret] = /AWS_ACCESS_KEY_ID=(\S+)\nAWS_SECRET_ACCESS_KEY=(\S+)/.exec(made.out);
    for (const member of members.all) {
        assert.strictEqual((await member.call('ListClusters', {}, { key, secret })).status, 200);
        assert.strictEqual((await member.call('CreateCluster', {}, { key, secret })).json.__type, 'AccessDeniedException');
    }
    assert.match(shell(follower, 'keys', 'list', '--data', follower.data, ...at).out, new RegExp(`${key}  active    viewer .*eve`));
    assert.strictEqual(shell(follower, 'keys', 'revoke', key, '--data', follower.data, ...at).code, 0);
    for (const member of members.all) assert.strictEqual((await member.call('ListClusters', {}, { key, secret })).json.__type, 'UnrecognizedClientException', member.name);
    const unknown = shell(follower, 'keys', 'revoke', 'AKIANOSUCH', '--data', follower.data, ...at);
    assert.match(unknown.err, /There is no key AKIANOSUCH/);
    const denied = shell({ environment: () => ({ ...follower.environment(), AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret }) }, 'keys', 'list', '--data', follower.data, ...at);
    assert.notStrictEqual(denied.code, 0);
});

// Clients at all servers that insist as SDKs do; they end when `running` says so.
function load(acknowledged, running, clients = 6) {
    const client = async (number) => {
        for (let n = 0; running(); n++) {
            const clientToken = randomUUID(), input = { taskDefinition: n % 3 === 0 ? 'gpu' : 'plain', count: 1 + (n % 3), clientToken };
            const reply = await insist(() => members.all[(number + n) % members.all.length].call('RunTask', input), { seconds: 40 });
            assert.ok(reply.status === 200 || reply.status < 500, `RunTask never succeeded: ${reply.status} ${reply.text}`);
            if (reply.status !== 200) continue;
            acknowledged.set(clientToken, reply.json.tasks.map((task) => ({ arn: task.taskArn, gpus: gpusOf(task) })));
            for (const task of reply.json.tasks) {
                if (n % 2 === 0) await insist(() => members.all[number % members.all.length].call('StopTask', { task: task.taskArn }), { seconds: 40 });
            }
            await sleep(20);
        }
    };
    return Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
}

async function checkAcknowledged(acknowledged) {
    const follower = await members.follower();
    const arns = [...acknowledged.values()].flat().map((task) => task.arn);
    assert.strictEqual(new Set(arns).size, arns.length, 'a task was answered to two tokens');
    for (let at = 0; at < arns.length; at += 100) {
        const { json } = await insist(() => follower.call('DescribeTasks', { tasks: arns.slice(at, at + 100) }));
        assert.deepStrictEqual(json.failures, [], 'an acknowledged task is gone');
    }
    noneTwice(await allTasks(follower));
    return arns.length;
}

test(`the leader is killed ${rounds} times under load`, async (t) => {
    const acknowledged = new Map(), took = [];
    let going = true;
    const clients = load(acknowledged, () => going);
    try {
        for (let round = 0; round < rounds; round++) {
            const leader = await members.leader();
            await sleep(300 + 40 * (round % 5));
            await leader.kill9();
            const began = Date.now(), other = members.living[round % members.living.length];
            const reply = await insist(() => other.call('CreateCluster', { clusterName: `round-${round % 10}` }));
            assert.strictEqual(reply.status, 200, reply.text);
            took.push(Date.now() - began);
            await members.restart(leader);
        }
    } finally {
        going = false;
        await clients;
    }
    took.sort((a, b) => a - b);
    t.diagnostic(`next acknowledged write after ${took[took.length >> 1]} ms (median), ${took[Math.floor(took.length * 0.99)]} ms (p99), ${took.at(-1)} ms (longest)`);
    t.diagnostic(`${await checkAcknowledged(acknowledged)} acknowledged tasks`);
});

test(`a leader that is paused, ${pauseS} s longer than its lead, and goes on finds itself without it`, async () => {
    const acknowledged = new Map();
    let going = true;
    const clients = load(acknowledged, () => going, 3);
    const leader = await members.leader();
    await sleep(300);
    leader.stopped = true;
    leader.process.child.kill('SIGSTOP');
    const rest = members.all;
    members.all = members.all.filter((member) => member !== leader);
    try {
        const next = await members.leader();
        assert.notStrictEqual(next, leader);
        assert.strictEqual((await insist(() => next.call('CreateCluster', { clusterName: 'while-paused' }))).status, 200);
        await sleep(pauseS * 1000);
    } finally {
        leader.process.child.kill('SIGCONT');
        leader.stopped = false;
        members.all = rest;
    }
    await waitFor('the old leader to follow', async () => (await members.state(leader)).role === 'follower');
    const { json } = await insist(() => leader.call('ListClusters'));
    assert.ok(json.clusterArns.some((arn) => arn.endsWith('/while-paused')));
    going = false;
    await clients;
    await checkAcknowledged(acknowledged);
});

test('a hand-over: no request fails, and the other takes the lead', async () => {
    const leader = await members.leader(), refused = [];
    let going = true, asked = 0;
    const clients = Promise.all(members.all.map(async (member) => {
        while (going) {
            const reply = await member.call('CreateCluster', { clusterName: 'handed-over' });
            asked++;
            if (reply.status !== 200) refused.push(reply.status);
            await sleep(10);
        }
    }));
    await sleep(200);
    const reply = await members.all[0].raw({ method: 'POST', pathname: '/berth/v1/ha/hand-over', body: '{}' });
    assert.strictEqual(reply.status, 200, reply.text);
    await waitFor('another leader', async () => (await members.leader()) !== leader);
    await sleep(500);
    going = false;
    await clients;
    assert.ok(asked > 30);
    assert.ok(refused.length <= 3, `${refused.length} of ${asked} requests failed: ${refused}`);      // those that ran in the old leader at that moment
    assert.ok(refused.every((status) => status === 503));
});

test('tasks on machines run on: nothing was lost by all of that, and the agents are with the leader', async () => {
    const leader = await members.leader();
    await waitFor('the machines to be connected', async () => (await leader.connected('default')) === 8);
    const tasks = await allTasks(leader);
    noneTwice(tasks);
    const { json } = await leader.call('RunTask', { taskDefinition: 'plain', count: 8 });
    const arns = json.tasks.map((task) => task.taskArn);
    await waitFor('new tasks to run', async () => (await leader.call('DescribeTasks', { tasks: arns })).json.tasks.every((task) => task.lastStatus === 'RUNNING'));
    for (const task of await allTasks(leader, 'STOPPED')) assert.doesNotMatch(task.stoppedReason ?? '', /Host|lost|agent/i, task.stoppedReason);
});

test('etcd without a quorum: no writes and no checked reads, but the page; then all goes on', async () => {
    const leader = await members.leader(), follower = await members.follower();
    etcd.signal('SIGSTOP', etcd.nodes.slice(1));
    try {
        await sleep(1500);
        const wrote = await leader.call('CreateCluster', { clusterName: 'never' });
        assert.ok(wrote.status >= 500, `${wrote.status}`);
        const read = await follower.call('ListClusters');
        assert.strictEqual(read.status, 503, read.text);
    } finally {
        etcd.signal('SIGCONT');
    }
    assert.strictEqual((await insist(() => follower.call('CreateCluster', { clusterName: 'again' }), { seconds: 40 })).status, 200);
});

test('a server that has run alone becomes the first of several, and another joins with a copy', async () => {
    const alone = await Server.start();
    for (let n = 0; n < 5; n++) assert.strictEqual((await alone.call('CreateCluster', { clusterName: `old-${n}` })).status, 200);
    assert.strictEqual((await alone.raw({ target: 'AmazonSSM.PutParameter', service: 'ssm', body: JSON.stringify({ Name: '/a', Type: 'SecureString', Value: 'hidden' }) })).status, 200);
    await alone.process.signal('SIGTERM');
    const two = await Members.start(etcd, { count: 0, name: 'grown' });
    try {
        await two.add({ data: alone.data });
        const first = await two.leader();
        assert.strictEqual((await first.call('CreateCluster', { clusterName: 'new' })).status, 200);
        const second = await two.add();
        const { json } = await second.call('ListClusters');
        assert.strictEqual(json.clusterArns.length, 6);
        const secret = await second.raw({ target: 'AmazonSSM.GetParameter', service: 'ssm', body: JSON.stringify({ Name: '/a', WithDecryption: true }) });
        assert.strictEqual(secret.json.Parameter.Value, 'hidden');
        await first.kill9();
        assert.strictEqual((await insist(() => second.call('CreateCluster', { clusterName: 'by-second' }))).status, 200);
        assert.strictEqual((await second.raw({ target: 'AmazonSSM.GetParameter', service: 'ssm', body: JSON.stringify({ Name: '/a', WithDecryption: true }) })).json.Parameter.Value, 'hidden');
        const refused = await fetch(`${second.url}/berth/v1/ha/key`);
        assert.strictEqual(refused.status, 400, 'only a member that joins gets the key');
    } finally {
        await two.stop();
    }
});

test('sealed entries: nothing in etcd can be read, a server without --ha-seal reads them, and one with another key does not start', async () => {
    const sealed = await Members.start(etcd, { count: 0, name: 'sealed' });
    const entries = async () => {
        const key = (text) => Buffer.from(text).toString('base64'), from = '/berth/sealed/shard/0/log/', to = '/berth/sealed/shard/0/log0';
        const reply = await fetch(`http://127.0.0.1:${etcd.nodes[0].client}/v3/kv/range`, { method: 'POST', body: JSON.stringify({ key: key(from), range_end: key(to) }) });
        return (await reply.json()).kvs.map(({ value }) => Buffer.from(value, 'base64').subarray(20));
    };
    try {
        for (let n = 0; n < 2; n++) await sealed.add({ args: ['--ha-seal'] });
        const leader = await sealed.leader();
        assert.strictEqual((await leader.call('CreateCluster', { clusterName: 'behind-a-seal' })).status, 200);
        const all = await entries();
        assert.ok(all.length > 0 && all.every((entry) => entry.subarray(0, 8).toString() === 'BERTHSEA'), all.map((entry) => entry.subarray(0, 8).toString()).join());
        assert.strictEqual((await sealed.state(leader)).seals, true);

        const plain = await sealed.add();
        assert.strictEqual((await plain.call('ListClusters')).json.clusterArns.length, 1);
        assert.strictEqual((await sealed.state(plain)).seals, false);
        const data = mkdtempSync(path.join(os.tmpdir(), 'berth-other-key-'));
        writeFileSync(path.join(data, 'secrets.key'), `${'0'.repeat(64)}\n`, { mode: 0o600 });
        await assert.rejects(sealed.add({ data }), /is sealed, and does not open with this server's secrets\.key: every server needs the same one/);
        sealed.all = sealed.all.filter((member) => member.process);
        remove(data);
    } finally {
        await sealed.stop();
    }
});

test('a local read is answered while etcd is silent, and says how old it may be; a checked one is not', async () => {
    const stale = await Members.start(etcd, { count: 2, name: 'stale', args: ['--max-stale', '4s'] });
    try {
        const leader = await stale.leader(), follower = await stale.follower();
        assert.strictEqual((await leader.call('CreateCluster', { clusterName: 'seen' })).status, 200);
        assert.strictEqual((await follower.call('ListClusters')).json.clusterArns.length, 1);
        const list = (member, level) => member.call('ListClusters', {}, { headers: { 'x-berth-read': level } });
        const lag = (reply) => Number(reply.headers['x-berth-lag-ms']);
        for (const member of [leader, follower]) {
            const near = await list(member, 'local');
            assert.strictEqual(near.status, 200, near.text);
            assert.strictEqual(near.json.clusterArns.length, 1);
            assert.ok(lag(near) >= 0 && lag(near) < 4000, near.headers['x-berth-lag-ms']);
            assert.strictEqual((await list(member, 'checked')).headers['x-berth-lag-ms'], undefined);
            assert.match((await list(member, 'near')).json.message, /The header x-berth-read is local or checked\./);
        }
        await sleep(4500);                                  // nobody asks: the one that leads knows by its lease
        for (const member of stale.all) assert.strictEqual((await list(member, 'local')).status, 200, member.name);
        etcd.signal('SIGSTOP', etcd.nodes.slice(1));
        try {
            await sleep(1000);
            const old = await list(follower, 'local');
            assert.strictEqual(old.status, 200, old.text);
            assert.ok(lag(old) > 500, old.headers['x-berth-lag-ms']);
            const late = await waitFor('the state to be too old', async () => { const reply = await list(follower, 'local'); return reply.status === 503 && reply; });
            assert.match(late.json.message, /For 4000 ms this server has not had all of the servers' log: the state here may be old/);
            assert.strictEqual((await fetch(`${follower.url}/healthz?role=ready`)).status, 503);
        } finally {
            etcd.signal('SIGCONT');
        }
        await waitFor('etcd to be back', async () => (await list(follower, 'checked')).status === 200);
    } finally {
        await stale.stop();
    }
});

test('berth doctor --ha: all well, one node silent, most of them silent', async () => {
    const doctor = (...args) => spawnSync(program, ['doctor', ...args], { encoding: 'utf8', env: { PATH: process.env.PATH } });
    const leader = await members.leader(), well = doctor('--ha', etcd.url('test'));
    assert.strictEqual(well.status, 0, well.stdout);
    assert.strictEqual(well.stdout.match(/^OK +etcd +http:\/\/127\.0\.0\.1:\d+ answers: etcd 3\.\d+\.\d+, \d+ MiB$/gm).length, 3, well.stdout);
    assert.match(well.stdout, /^(OK|WARN) +log-writes +a write takes [\d.]+ ms, the longest of 40 took [\d.]+ ms$/m);
    assert.match(well.stdout, new RegExp(`^OK +leader +${leader.name} leads, at ${leader.url}$`, 'm'));
    assert.match(well.stdout, /^OK +servers +3 servers share the state, up to entry \d+$/m);
    assert.match(doctor('--ha', etcd.url('nobody')).stdout, /^FAIL +servers +no server has written itself down there\n +→ the same name/m);
    assert.match(doctor('--ha', 'etcd://').stdout, /^FAIL +etcd +etcd:\/\/ names no etcd\. /m);

    etcd.signal('SIGSTOP', [etcd.nodes[2]]);
    try {
        const one = doctor('--ha', etcd.url('test'));
        assert.strictEqual(one.status, 0, one.stdout);
        assert.match(one.stdout, new RegExp(`^WARN +etcd +http://127\\.0\\.0\\.1:${etcd.nodes[2].client} does not answer: `, 'm'));
        etcd.signal('SIGSTOP', [etcd.nodes[1]]);
        const most = doctor('--ha', etcd.url('test'), '--output', 'json');
        assert.strictEqual(most.status, 1);
        const { good, findings } = JSON.parse(most.stdout);
        assert.strictEqual(good, false);
        assert.strictEqual(findings.filter(({ check, status }) => check === 'etcd' && status === 'FAIL').length, 2, most.stdout);
    } finally {
        etcd.signal('SIGCONT');
    }
    assert.strictEqual((await insist(() => leader.call('CreateCluster', { clusterName: 'after-the-doctor' }), { seconds: 40 })).status, 200);
});

test('a server that is gone is forgotten; the one that leads is not, and one that lives comes back', async () => {
    const leader = await members.leader(), follower = await members.follower(), at = ['--server', follower.url], gone = await members.add();
    const listed = async () => (await members.state(follower)).members.map(({ name }) => name);
    await waitFor('it to be listed', async () => (await listed()).includes(gone.name));
    await gone.kill9();
    members.all.pop();
    const done = shell(follower, 'ha', 'forget', gone.name, ...at);
    assert.strictEqual(done.code, 0, done.err);
    assert.ok(!(await listed()).includes(gone.name));
    assert.match(shell(follower, 'ha', 'forget', gone.name, ...at).err, new RegExp(`There is no server ${gone.name} in the list\\.`));
    assert.match(shell(follower, 'ha', 'forget', leader.name, ...at).err, /leads\. Hand over first\./);
    assert.strictEqual(shell(follower, 'ha', 'forget', follower.name, ...at).code, 0);
    await waitFor('it to come back', async () => (await listed()).includes(follower.name));
    assert.strictEqual(shell(follower, 'ha', 'status', ...at).code, 0);
    assert.notStrictEqual(shell(follower, 'ha', 'forgive', ...at).code, 0);
});

test('etcd is lost with all that it had: begin-again on the folder with the last entry, and nothing that was acknowledged is lost', async () => {
    const old = await Etcd.start(), lost = await Members.start(old, { count: 2, name: 'lost' }), fresh = await Etcd.start();
    const berth = (...args) => spawnSync(program, args, { encoding: 'utf8', env: { PATH: process.env.PATH } });
    let again;
    try {
        const leader = await lost.leader(), data = leader.data;
        for (let n = 0; n < 5; n++) assert.strictEqual((await insist(() => leader.call('CreateCluster', { clusterName: `kept-${n}` }))).status, 200);
        const running = berth('ha', 'begin-again', '--data', data);
        assert.strictEqual(running.status, 1);
        assert.match(running.stderr, /A server is running with the folder/);
        old.signal('SIGKILL');
        await Promise.all(lost.all.map((member) => member.kill9()));
        const unsaid = berth('ha', 'begin-again', '--data', data), [, last] = /the last entry in .* is (\d+)\. /.exec(unsaid.stderr);
        assert.strictEqual(unsaid.status, 1);
        assert.strictEqual(berth('ha', 'begin-again', String(Number(last) + 1), '--data', data).status, 1, 'another number');
        const done = berth('ha', 'begin-again', last, '--data', data);
        assert.strictEqual(done.status, 0, done.stderr);
        assert.match(done.stdout, /begins a new cluster with all up to entry \d+\./);

        again = await Members.start(fresh, { count: 0, name: 'lost' });
        await again.add({ data });
        const first = await again.leader();
        assert.strictEqual((await first.call('CreateCluster', { clusterName: 'new' })).status, 200);
        const second = await again.add(), { json } = await second.call('ListClusters');
        assert.deepStrictEqual(json.clusterArns.map((arn) => arn.split('/')[1]).sort(), ['kept-0', 'kept-1', 'kept-2', 'kept-3', 'kept-4', 'new']);
        await first.kill9();
        assert.strictEqual((await insist(() => second.call('CreateCluster', { clusterName: 'by-second' }))).status, 200);
    } finally {
        await again?.stop();
        await lost.stop().catch(() => {});
        await Promise.all([old.stop(), fresh.stop()]);
    }
});

test('a log group that was made is there on the next leader', async () => {
    const logs = (member, operation, input) => insist(() => member.raw({ target: `Logs_20140328.${operation}`, service: 'logs', body: JSON.stringify(input) }));
    const before = await members.leader(), follower = await members.follower(), logGroupName = `/made/${'long-'.repeat(80)}`;
    assert.strictEqual((await logs(follower, 'CreateLogGroup', { logGroupName })).status, 200);
    await before.raw({ method: 'POST', pathname: '/berth/v1/ha/hand-over', body: '{}' });
    await waitFor('another leader', async () => (await members.leader()) !== before);
    const { json } = await logs(await members.leader(), 'DescribeLogGroups', {});
    assert.ok(json.logGroups.some((group) => group.logGroupName === logGroupName), JSON.stringify(json));
    assert.deepStrictEqual((await logs(before, 'DescribeLogStreams', { logGroupName })).json.logStreams, []);
    assert.strictEqual((await logs(before, 'CreateLogGroup', { logGroupName })).json.__type, 'ResourceAlreadyExistsException');
    assert.strictEqual((await logs(before, 'DescribeLogStreams', { logGroupName: 'none' })).json.__type, 'ResourceNotFoundException');
});

test('the examples for one address are good', async (t) => {
    const checked = spawnSync('haproxy', ['-c', '-f', path.join(root, 'deploy/haproxy-servers.cfg')], { encoding: 'utf8' });
    if (checked.error) return t.skip('there is no haproxy here');
    assert.strictEqual(checked.status, 0, checked.stderr);
});

test('etcd with users: a server with one and its password leads and follows, also after etcd has lost its tokens; one with a wrong password says so, and so does the doctor', async () => {
    const closed = await Etcd.start(1), said = async (what, input) => assert.ok((await closed.call(`auth/${what}`, input)).ok, what);
    let own, stranger, strange;
    try {
        await said('user/add', { name: 'root', password: 'r' });
        await said('user/add', { name: 'berth', password: 'only for etcd' });
        for (const name of ['root', 'servers']) await said('role/add', { name });
        await said('role/grant', { name: 'servers', perm: { permType: 'READWRITE', key: btoa('/berth/users/'), range_end: btoa('/berth/users0') } });
        await said('user/grant', { user: 'root', role: 'root' });
        await said('user/grant', { user: 'berth', role: 'servers' });
        await said('enable', {});
        own = await Members.start(closed, { count: 2, name: 'users', args: ['--ha-user', 'berth'], env: { BERTH_HA_PASSWORD: 'only for etcd' } });
        const leader = await own.leader(), follower = await own.follower();
        assert.strictEqual((await insist(() => leader.call('CreateCluster', { clusterName: 'one' }))).status, 200);
        closed.signal('SIGKILL');
        await closed.nodes[0].ended;
        closed.run(closed.nodes[0]);
        assert.strictEqual((await insist(() => follower.call('CreateCluster', { clusterName: 'two' }))).status, 200);
        const env = { PATH: process.env.PATH, BERTH_HA_PASSWORD: 'wrong' }, args = ['--ha-user', 'berth', '--ha-member', 'm9', '--advertise', 'http://127.0.0.1:1'];
        strange = mkdtempSync(path.join(os.tmpdir(), 'berth-strange-'));
        stranger = new Process(['server', '--data', strange, '--listen', '127.0.0.1:0', '--agent-listen', '127.0.0.1:0', '--ha', closed.url('users'), ...args], env);
        const { stdout } = spawnSync(program, ['doctor', '--ha', closed.url('users'), '--ha-user', 'berth'], { encoding: 'utf8', env });
        assert.match(stdout, /etcd did not take write 1 of 40\n +→ .*may this user write\?/);
        await waitFor('it to say why it waits', () => /this server waits for etcd: http:\S+: etcdserver: authentication failed, invalid user ID or password/.test(stranger.output));
    } finally {
        await stranger?.signal('SIGTERM');
        if (strange) remove(strange);
        await own?.stop();
        await closed.stop();
    }
});

test('a folder of another cluster is refused', async () => {
    const other = await Server.start();
    assert.strictEqual((await other.call('CreateCluster', { clusterName: 'mine' })).status, 200);
    await other.process.signal('SIGTERM');
    await assert.rejects(members.add({ data: other.data }), /holds another cluster's state/);
});
