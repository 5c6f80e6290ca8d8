// A disk that fails and a clock that is wrong: what the server says of itself, and what it keeps.
import assert from 'node:assert';
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { Process, Server, amzTime, remove, root, sleep, waitFor } from '../lib/lib.mjs';

const library = process.env.STORE_FAULT_UNDER_TEST ?? path.join(root, 'build/tests/store_fault.so');

// A server whose disk and clock do what these files say.
async function fragile(data = mkdtempSync(path.join(os.tmpdir(), 'berth-disk-'))) {
    const fault = path.join(data, 'fault'), ahead = path.join(data, 'ahead');
    const server = await Server.start({ data, env: { LD_PRELOAD: library, DISK_FAULT: fault, CLOCK_AHEAD: ahead } });
    const get = (pathname) => server.raw({ method: 'GET', pathname, ...server.login() });     // a password has no date
    const metric = async (name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec((await get('/metrics')).text)?.[1]);
    return { server, data, get, metric, fail: (how) => writeFileSync(fault, how), mend: () => rmSync(fault), setAhead: (seconds) => writeFileSync(ahead, `${seconds}`) };
}

for (const [how, reason] of [['sync', /disk reports an error/], ['full', /no space left on device/]]) {
    test(`healthz is 503 from a commit that failed until one works, and the server sees to that itself: ${how}`, async () => {
        const { server, get, metric, fail, mend } = await fragile();
        try {
            assert.strictEqual((await server.call('CreateCluster')).status, 200);
            assert.strictEqual((await get('/healthz')).json.status, 'ok');
            assert.strictEqual(await metric('berth_store_failing'), 0);
            fail(how);
            assert.match((await server.call('CreateCluster', { clusterName: 'a' })).json.message, reason);
            const health = await get('/healthz');
            assert.strictEqual(health.status, 503);
            assert.strictEqual(health.json.status, 'failing');
            assert.match(health.json.reason, reason);
            assert.strictEqual(health.json.protocol > 0, true, 'agents that ask still get the rest');
            assert.strictEqual(await metric('berth_store_failing'), 1);
            assert.strictEqual((await server.call('DescribeClusters')).status, 200, 'reads go on');
            mend();
            await waitFor('the server to find that it can write again', async () => (await get('/healthz')).status === 200);
            assert.strictEqual(await metric('berth_store_failing'), 0);
            assert.strictEqual((await server.call('CreateCluster', { clusterName: 'a' })).status, 200);
        } finally { await server.stop(); }
    });
}

for (const [how, line] of [
    ['meta', /can't go on: the disk failed in the middle of a commit .*What was acknowledged is safe\. Start again/],
    ['lost', /can't go on: the store's file is damaged .*Restore a copy: docs\/scale\.md/],
]) {
    test(`what LMDB can't recover from ends the server, with a word and a status, and nothing that was acknowledged is lost: ${how}`, async () => {
        const { server, data, fail, mend } = await fragile();
        try {
            await server.call('CreateCluster', { clusterName: 'kept' });
            fail(how);
            const refused = await server.call('CreateCluster', { clusterName: 'lost' });
            assert.strictEqual(refused.status, 500, refused.text);
            await server.call('DescribeClusters').catch(() => {});
            const ended = await Promise.race([server.process.ended, sleep(60000, undefined, { ref: false })]);
            assert.deepStrictEqual(ended, { code: 1, signal: null }, server.process.output);
            await server.process.silent;
            assert.match(server.process.output, line);
            mend();
            const again = await fragile(data), described = await again.server.call('DescribeClusters', { clusters: ['kept'] });
            await again.server.stop();
            assert.deepStrictEqual(described.json.clusters?.map((cluster) => cluster.status), ['ACTIVE'], described.text);
        } finally {
            await server.process.signal('SIGKILL');
            remove(data);
        }
    });
}

test('a truncated store is reported at the start and by the doctor, and no process crashes', async () => {
    const { server, data } = await fragile();
    await server.call('CreateCluster');
    for (let n = 0; n < 100; n++) await server.call('RegisterTaskDefinition', { family: `f-${n}`, containerDefinitions: [{ name: 'main', image: 'i', memory: 16 }] });
    await server.process.signal('SIGTERM');
    const file = path.join(data, 'data.mdb'), size = statSync(file).size;
    try {
        for (const length of [size / 2, 3 * 4096, 100, 0]) {
            truncateSync(file, length);
            for (const args of [['server', '--data', data, '--listen', '127.0.0.1:0'], ['doctor', '--data', data]]) {
                if (length === 0 && args[0] === 'doctor') continue;                       // to it that is a store that never was
                const one = new Process(args, {});
                const ended = await Promise.race([one.ended, sleep(60000, undefined, { ref: false })]);
                if (!ended) await one.signal('SIGKILL');
                assert.deepStrictEqual(ended, { code: 1, signal: null }, `${length}: ${one.output}`);
                await one.silent;
                assert.match(one.output, /damaged.*[Kk]eep a copy/s, `${length} ${args[0]}`);
            }
        }
    } finally { remove(data); }
});

test('a clock that is 40 days ahead ends nothing, neither while the server runs nor at its start', async () => {
    const first = await fragile();
    const { server, data } = first, day = 86400;
    const secrets = (one, operation, input, time) => one.raw({ target: `secretsmanager.${operation}`, body: JSON.stringify(input), service: 'secretsmanager', time });
    let again;
    try {
        await server.call('CreateCluster');
        await server.call('RegisterTaskDefinition', { family: 'short', containerDefinitions: [{ name: 'main', image: 'i', memory: 16 }] });
        await server.fleet('g4dn.xlarge:1', 1);
        const task = (await server.call('RunTask', { taskDefinition: 'short' })).json.tasks[0].taskArn;
        await server.call('StopTask', { task });
        await waitFor('the task to stop', async () => (await server.call('DescribeTasks', { tasks: [task] })).json.tasks[0].lastStatus === 'STOPPED');
        assert.strictEqual((await secrets(server, 'CreateSecret', { Name: 'dear', SecretString: 'x' })).status, 200);
        assert.strictEqual((await secrets(server, 'DeleteSecret', { SecretId: 'dear', RecoveryWindowInDays: 7 })).status, 200);

        const check = async (one) => {
            await sleep(3000);                                                           // some turns of the ticker
            const there = await one.server.call('DescribeTasks', { tasks: [task] }, { time: amzTime(Date.now() + 40 * day * 1000) });
            assert.strictEqual(there.json.tasks?.length, 1, there.text);
            assert.strictEqual((await one.get('/berth/v1/history')).json.tasks.length, 1);
            assert.strictEqual(await one.metric('berth_clock_doubted'), 1);
        };
        first.setAhead(40 * day);
        await check(first);
        assert.match(server.process.output, /the clock has jumped by 345[56]\d{3} s: nothing that is past its term is removed/);
        await server.kill9();
        again = await fragile(data);
        await check(again);
        assert.match(again.server.process.output, /the clock is 345[56]\d{3} s away from when the server last ran/);
        await again.server.kill9();
        again.setAhead(0);
        again = await fragile(data);
        await sleep(2000);
        assert.strictEqual(await again.metric('berth_clock_doubted'), 0);
        assert.strictEqual((await again.server.call('DescribeTasks', { tasks: [task] })).json.tasks.length, 1);
        assert.strictEqual((await secrets(again.server, 'RestoreSecret', { SecretId: 'dear' })).status, 200);
    } finally {
        if (again) await again.server.process.signal('SIGKILL');
        await server.stop();
    }
});
