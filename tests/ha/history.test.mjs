// The calls of clients to three servers are linearizable, while leaders are killed, paused and hand over: checked by porcupine, a Go library.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { remove, root, sleep, waitFor } from '../lib/lib.mjs';
import { Etcd, Members, insist } from '../lib/members.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-history-')), checker = path.join(folder, 'history');
const built = spawnSync('go', ['build', '-o', checker, '.'], { cwd: path.join(root, 'tests/ha/history'), encoding: 'utf8', timeout: 300000 });
const skip = built.status === 0 ? false : `NOT CHECKED: Go, or the module porcupine, is not there: ${built.error?.message ?? built.stderr.slice(-300)}`;
if (skip) console.log(`!! SKIPPED: ${skip}`);

function check(history) {
    const file = path.join(folder, 'history.jsonl');
    writeFileSync(file, history.map((one) => JSON.stringify(one)).join('\n'));
    return spawnSync(checker, [file], { encoding: 'utf8' });
}

const KEYS = ['a', 'b', 'c'], CLIENTS = 6, ROUNDS = 3;
let etcd, members;
before(async () => {
    if (skip) return;
    etcd = await Etcd.start(3);
    members = await Members.start(etcd);
    for (const clusterName of KEYS) assert.strictEqual((await insist(() => members.all[0].call('CreateCluster', { clusterName }))).status, 200);
});
after(async () => {
    await members?.stop();
    await etcd?.stop();
    remove(folder);
});

test('the checker finds a stale read, and takes a write without an answer as done or not', { skip }, () => {
    const write = (value, call, end) => ({ client: 0, key: 'a', writes: true, value, call, return: end }), read = (value, call, end) => ({ client: 1, key: 'a', writes: false, value, call, return: end });
    assert.strictEqual(check([write('1', 0, 10), read('1', 20, 30)]).status, 0);
    assert.strictEqual(check([write('1', 0, 10), read('', 20, 30)]).status, 1, 'an acknowledged write is gone');
    assert.strictEqual(check([write('1', 0, 10), read('', 5, 30)]).status, 0, 'beside each other');
    assert.strictEqual(check([write('1', 0, undefined), read('', 20, 30), read('1', 40, 50)]).status, 0);
    assert.strictEqual(check([write('1', 0, undefined), read('1', 20, 30), read('', 40, 50)]).status, 1, 'and not back');
});

// A register is a tag of a cluster. Reads and writes go to any server.
test('leaders are killed, paused and hand over: all calls can be put in one order', { skip }, async () => {
    const history = [], now = () => Math.round(performance.now() * 1e6), arnOf = (key) => `arn:aws:ecs:us-east-1:123456789012:cluster/${key}`;
    let going = true, written = 0;
    const client = async (number) => {
        for (let n = number; going; n++) {
            const key = KEYS[n % KEYS.length], member = members.all[Math.floor(Math.random() * members.all.length)], resourceArn = arnOf(key);
            const writes = Math.random() < 0.4, value = String(++written), call = now();
            const reply = await (writes ? member.call('TagResource', { resourceArn, tags: [{ key: 'value', value }] })
                : member.call('ListTagsForResource', { resourceArn })).catch(() => ({ status: 0 }));
            const good = reply.status === 200;
            if (writes) history.push({ client: number, key, writes, value, call, return: good ? now() : undefined });
            else if (good) history.push({ client: number, key, writes, value: reply.json.tags.find((tag) => tag.key === 'value')?.value ?? '', call, return: now() });
            if (!good) await sleep(20);
        }
    };
    const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
    for (let round = 0; round < ROUNDS; round++) {
        await sleep(500);
        const killed = await members.leader();
        await killed.kill9();
        await waitFor('another leader', async () => (await members.leader()) !== killed);
        await members.restart(killed);
        await sleep(300);
        const paused = await members.leader();
        paused.process.child.kill('SIGSTOP');
        paused.stopped = true;
        await waitFor('the next leader', async () => (await members.leader()) !== paused);
        await sleep(300);
        paused.process.child.kill('SIGCONT');
        paused.stopped = false;
        await sleep(300);
        await insist(() => members.all[0].raw({ method: 'POST', pathname: '/berth/v1/ha/hand-over', body: '{}' }));
    }
    await sleep(500);
    going = false;
    await Promise.all(clients);
    const answered = history.filter((one) => one.return !== undefined), told = check(history);
    assert.ok(answered.filter((one) => one.writes).length > 50 && answered.filter((one) => !one.writes).length > 50, `${answered.length} answers`);
    console.log(`  ${told.stdout.trim()}, ${history.length - answered.length} of them without an answer`);
    assert.strictEqual(told.status, 0, told.stdout + told.stderr);
});
