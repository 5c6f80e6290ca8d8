// Three servers with one state, of which one machine has a disk that is full or slow, or a clock that is wrong.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { existsSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { remove, root, sleep, waitFor } from '../lib/lib.mjs';
import { Etcd, Members, insist } from '../lib/members.mjs';

const library = path.join(root, 'build/tests/store_fault.so'), folder = mkdtempSync(path.join(os.tmpdir(), 'berth-machines-'));
let etcd, members;

// With a disk and a clock under the test's hand.
const fileOf = (number, what) => path.join(folder, `${number}-${what}`);
const envOf = (number) => ({ LD_PRELOAD: library, DISK_FAULT: fileOf(number, 'disk'), CLOCK_AHEAD: fileOf(number, 'clock') });
const disk = (member, word) => (word ? writeFileSync(fileOf(member.name, 'disk'), word) : rmSync(fileOf(member.name, 'disk')));
const name = () => `c-${Math.random().toString(36).slice(2)}`;
const create = async (member, clusterName = name()) => {
    assert.strictEqual((await insist(() => member.call('CreateCluster', { clusterName }))).status, 200);
    return clusterName;
};
const has = async (member, cluster) => (await insist(() => member.call('DescribeClusters', { clusters: [cluster] }))).json.clusters.length === 1;
const others = (member) => members.living.filter((one) => one !== member);

before(async () => {
    etcd = await Etcd.start(3);
    members = await Members.start(etcd, { count: 0, args: ['--max-stale', '3s'] });
    for (let n = 0; n < 3; n++) await members.add({ env: envOf(`m${n}`) });
});
after(async () => {
    await members?.stop();
    await etcd?.stop();
    remove(folder);
});

test("the leader's disk is full: it leaves the change open, another leads, and it has all when there is room again", async () => {
    const leader = await members.leader(), [other] = others(leader), cluster = name();
    disk(leader, 'full');
    const reply = await leader.call('CreateCluster', { clusterName: cluster });
    assert.strictEqual(reply.status, 500);
    assert.match(reply.text, /It is not known whether this was done/);
    await waitFor('another leader', async () => (await members.leader()) !== leader);
    assert.ok(await has(other, cluster), 'the entry was in the log, so it is done');
    const more = await create(other);
    await waitFor('it to say so', () => /entry \d+ of the log can't be kept, and is tried again/.test(leader.process.output));
    disk(leader);
    await waitFor('it to go on', () => /the store takes entries again/.test(leader.process.output));
    assert.ok(await has(leader, more));
    const healthy = await fetch(`${leader.url}/healthz?role=ready`);
    assert.strictEqual(healthy.status, 200, await healthy.text());
});

test("a follower's disk is full: the others go on, and when there is room again it has all", async () => {
    const leader = await members.leader(), [full] = others(leader);
    disk(full, 'full');
    const cluster = await create(leader);
    await waitFor('it to say so', () => /entry \d+ of the log can't be kept, and is tried again/.test(full.process.output));
    assert.strictEqual((await full.call('ListClusters')).status, 503, 'what it has is old');
    assert.strictEqual(await members.leader(), leader);
    const more = await create(leader);
    disk(full);
    for (const one of [cluster, more]) assert.ok(await has(full, one));
});

test('a leader whose disk is slow hands over to another, and nothing is lost', async () => {
    const slow = await members.leader(), made = [];
    disk(slow, 'slow');
    let going = true;
    const client = (async () => { while (going) made.push(await create(others(slow)[0])); })();
    await waitFor('another leader', async () => (await members.leader()) !== slow, { seconds: 120 });
    going = false;
    await client;
    disk(slow);
    assert.match(slow.process.output, /disk has been slow for 10 s: another one will lead/);
    const leader = await members.leader();
    for (const one of made) assert.ok(await has(leader, one));
});

test('a follower whose disk is too slow for the changes is left out of `ready` until it has all again', async () => {
    const slow = await members.follower(), leader = await members.leader(), made = [], ready = async () => (await fetch(`${slow.url}/healthz?role=ready`)).status;
    const local = () => slow.call('ListClusters', {}, { headers: { 'x-berth-read': 'local' } });
    await waitFor('it to be ready', async () => (await ready()) === 200);
    disk(slow, 'slow');
    let going = true;
    const clients = Promise.all([0, 1, 2, 3].map(async () => { while (going) made.push(await create(leader)); }));
    await waitFor('it to be left out', async () => (await ready()) === 503, { seconds: 60 });
    assert.match((await local()).text, /has not had all of the servers' log/);
    assert.strictEqual((await fetch(`${leader.url}/healthz?role=ready`)).status, 200);
    going = false;
    await clients;
    disk(slow);
    await waitFor('it to be ready again', async () => (await ready()) === 200, { seconds: 60 });
    assert.strictEqual((await local()).status, 200);
    assert.ok(await has(slow, made.at(-1)));
});

// A member that stops by itself: its status, and what it has said.
async function ends(member) {
    const ended = await Promise.race([member.process.ended, sleep(60000, undefined, { ref: false })]);
    assert.deepStrictEqual(ended, { code: 1, signal: null }, member.process.output);
    await member.process.silent;
    return member.process.output;
}

test('an entry that can not be applied: the others stop at it and say so, the leader leads on and tells; a server with an empty folder begins behind it', async () => {
    const leader = await members.leader(), stopped = members.all.filter((one) => one !== leader);
    for (const one of stopped) one.process.child.kill('SIGSTOP');
    const bad = await create(leader), { revision } = await members.state(leader);
    const key = btoa(`/berth/test/shard/0/log/${revision.toString(16).padStart(16, '0')}`);
    const value = Buffer.from((await (await etcd.call('kv/range', { key })).json()).kvs[0].value, 'base64');
    value.fill(7, 24);
    assert.ok((await etcd.call('kv/put', { key, value: value.toString('base64') })).ok);
    for (const one of stopped) one.process.child.kill('SIGCONT');
    for (const one of stopped) assert.match(await ends(one), /this member stops: /);
    const more = await create(leader);
    await waitFor('the leader to tell', () => /no other server keeps up with this one/.test(leader.process.output));
    const same = await members.restart(stopped[0]).then(() => undefined, (error) => error);
    assert.ok(same, 'it does not go past the entry');
    for (const one of stopped) {
        rmSync(one.data, { recursive: true });
        const back = await members.restart(one);
        assert.match(back.process.output, /this server begins from a copy of/);
        for (const cluster of [bad, more]) assert.ok(await has(back, cluster));
    }
    await waitFor('the leader to tell', () => /another server keeps up with this one again/.test(leader.process.output));
});

test("a store that is damaged, at the start or while it runs: the server stops, keeps it, and begins from a copy of another's", async () => {
    const [first] = members.all, file = path.join(first.data, 'data.mdb'), cluster = await create(await members.leader());
    await first.kill9();
    truncateSync(file, statSync(file).size / 2);
    const refused = await members.restart(first).then(() => undefined, (error) => error);
    assert.match(String(refused), /is kept as data\.mdb\.damaged\. Start this server again: it begins from a copy/);
    assert.ok(existsSync(`${file}.damaged`) && !existsSync(file));
    const back = await members.restart(first);
    assert.match(back.process.output, /this server begins from a copy of/);
    assert.ok(await has(back, cluster));

    const running = await members.follower();
    disk(running, 'lost');
    const more = await create(await members.leader());
    assert.match(await ends(running), /is kept as data\.mdb\.damaged/);
    disk(running);
    assert.ok(await has(await members.restart(running), more));
});

test('a machine whose clock is wrong does not lead while another can, and says so; alone it does', async () => {
    const wrong = await members.follower();
    writeFileSync(fileOf(wrong.name, 'clock'), '400');
    await wrong.kill9();
    const late = await members.restart(wrong);
    await waitFor('it to tell', () => /clock differs from those of etcd's machines by \d+ s: set it/.test(late.process.output));
    for (let round = 0; round < 3; round++) {
        const leader = await members.leader();
        assert.notStrictEqual(leader.name, late.name);
        await leader.kill9();
        const next = await members.leader();
        assert.notStrictEqual(next.name, late.name);
        await members.restart(leader);
    }
    const cluster = await create(await members.leader());
    for (const one of others(late)) {
        one.stopped = true;
        await one.kill9();
    }
    assert.strictEqual((await members.leader()).name, late.name);
    // Signatures are of the wrong clock's time: it takes none.
    const reply = await late.call('DescribeClusters', { clusters: [cluster] });
    assert.ok(reply.status === 400 || reply.status === 403 || reply.json.clusters.length === 1, reply.text);
});

test('etcd has no space: changes are refused with that word, reads go on, and all heals when there is space again', async () => {
    const small = await Etcd.start(1, { args: ['--quota-backend-bytes', String(16 << 20)] }), own = await Members.start(small, { count: 1 });
    try {
        const leader = await own.leader(), before = await create(leader), filling = (n) => btoa(`filling/${n}`);
        for (let n = 0, filled = false; !filled; n++) filled = !(await small.call('kv/put', { key: filling(n), value: btoa('x'.repeat(1 << 20)) })).ok;
        const reply = await leader.call('CreateCluster', { clusterName: name() });
        assert.strictEqual(reply.status, 503, reply.text);
        assert.match(reply.json.message, /Nothing was changed: etcd has no space left \(NOSPACE\)/);
        await sleep(3000);                                  // longer than its lease
        assert.strictEqual((await leader.call('ListClusters')).status, 200, 'it leads on');
        assert.ok(await has(leader, before));
        const { header: { revision } } = await (await small.call('kv/deleterange', { key: filling(''), range_end: btoa('filling0') })).json();
        await small.call('kv/compaction', { revision, physical: true });
        await small.call('maintenance/defragment', {});
        const { alarms: [{ memberID }] } = await (await small.call('maintenance/alarm', { action: 'GET' })).json();
        await small.call('maintenance/alarm', { action: 'DEACTIVATE', memberID, alarm: 'NOSPACE' });
        await create(leader);
    } finally {
        await own.stop();
        await small.stop();
    }
});
