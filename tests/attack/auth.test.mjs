// Unknown callers with careful requests: dates that nobody has, clocks that are not set, doors that are open, guesses.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Server, program, root, waitFor } from '../lib/lib.mjs';

let server, folder;
const others = [];
const start = async (options) => { const one = await Server.start(options); others.push(one); return one; };
before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-attack-'));
    server = await Server.start();
});
after(async () => {
    for (const one of [server, ...others]) await one.stop();
    rmSync(folder, { recursive: true });
});

// A request with just these headers; resolves with its answer or its error.
const ask = (port, { method = 'GET', pathname = '/metrics', headers = {}, body = '' } = {}) => new Promise((resolve) => {
    const request = http.request({ host: '127.0.0.1', port, method, path: pathname, headers, agent: false }, (response) => {
        let text = '';
        response.on('data', (data) => { text += data; });
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
        response.on('error', () => resolve({ status: 'broke off' }));
    });
    request.on('error', (error) => resolve({ status: error.code }));
    request.end(body);
});

const unsignable = 'AWS4-HMAC-SHA256 Credential=A/20260101/us-east-1/ecs/aws4_request, SignedHeaders=host, Signature=aa';

test('dates of no use are refused, and nothing more', async () => {
    const dates = [];
    for (const year of ['0000', '0001', '0999', ' 1', '1969', '9999', '99999']) dates.push({ date: `Sun, 06 Nov ${year} 08:49:37 GMT` }, { 'x-amz-date': `${year.trim().padStart(4, '0')}1106T084937Z` });
    dates.push({ date: '' }, { 'x-amz-date': '' }, { date: 'Sun, 99 Nov 2026 99:99:99 GMT' });
    for (const date of dates) {
        for (const [port, method, pathname] of [[server.port, 'GET', '/metrics'], [server.port, 'POST', '/'], [server.agentPort, 'POST', '/berth/v1/agent/poll']]) {
            const { status } = await ask(port, { method, pathname, headers: { ...date, authorization: unsignable, 'content-type': 'application/x-amz-json-1.1',
                'x-amz-target': 'AmazonEC2ContainerServiceV20141113.ListTasks' } });
            assert.ok(status === 400 || status === 401, `${pathname} with ${JSON.stringify(date)}: ${status}`);
        }
    }
    assert.strictEqual((await server.call('ListClusters')).status, 200, 'the server is there');
});

test('a clock that is not set: nothing starts, nothing is written, and what runs goes on once it is right', async () => {
    const library = path.join(folder, 'clock_shift.so'), shift = path.join(folder, 'shift');
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-Wall', '-Wextra', path.join(root, 'tests/attack/clock_shift.c'), '-o', library, '-ldl']);
    const env = { LD_PRELOAD: library, CLOCK_SHIFT: shift };
    const at = (date) => writeFileSync(shift, String(Math.round((Date.parse(date) - Date.now()) / 1000)));
    const own = await start({ env });
    for (const date of ['1958-01-01', '1970-01-01', '2019-12-31']) {
        at(date);
        await waitFor('the clock to be refused', async () => {
            const reply = await own.call('CreateCluster', { clusterName: 'x' }, { time: new Date(date).toISOString().replace(/[-:]|\.\d+/g, '') });
            if (date < '1970-01-02') return reply.status >= 400;                        // nobody can sign for such a time
            return reply.status === 500 && /clock/.test(reply.text);
        });
        await assert.rejects(Server.start({ env }), /clock of this machine is not set/);
        assert.throws(() => execFileSync(program, ['keys', 'create', '--data', path.join(folder, 'keys')], { env: { ...process.env, ...env }, stdio: 'pipe' }),
            (error) => /clock of this machine is not set/.test(String(error.stderr)));
    }
    rmSync(shift);
    await waitFor('a write', async () => (await own.call('CreateCluster', { clusterName: 'y' })).status === 200);
    assert.deepStrictEqual((await own.call('ListClusters')).json.clusterArns.map((arn) => arn.split('/')[1]), ['y']);
});

test('who reads without a key: until there is one, or as it was said', async () => {
    const read = async (one, headers = {}) => (await ask(one.port, { headers: { host: `127.0.0.1:${one.port}`, ...headers } })).status;
    assert.strictEqual(await read(server), 401, 'there is a key');
    const env = { BERTH_ROOT_ACCESS_KEY_ID: undefined, BERTH_ROOT_SECRET_ACCESS_KEY: undefined };
    const [fresh, open, shut] = await Promise.all([start({ env }), start({ args: ['--open-dashboard', 'loopback'] }), start({ env: { ...env, BERTH_OPEN_DASHBOARD: 'off' } })]);
    assert.deepStrictEqual(await Promise.all([fresh, open, shut].map((one) => read(one))), [200, 200, 401]);
    for (const headers of [{ 'x-forwarded-host': 'a.example' }, { 'x-real-ip': '192.0.2.1' }, { via: '1.1 a' }, { 'sec-fetch-site': 'cross-site' }]) {
        assert.strictEqual(await read(open, headers), 401, JSON.stringify(headers));
    }
    const made = JSON.parse(execFileSync(program, ['keys', 'create', '--data', fresh.data, '--role', 'viewer', '--output', 'json'], { stdio: 'pipe' })).AccessKey;
    assert.strictEqual(await read(fresh), 401, 'the first key shuts it');
    assert.strictEqual(await read(fresh, { authorization: `Basic ${btoa(`${made.AccessKeyId}:${made.SecretAccessKey}`)}` }), 200);
});

test('guesses: a peer with twenty must wait, and no other peer', async () => {
    const own = await start();
    const make = (role) => JSON.parse(execFileSync(program, ['keys', 'create', '--data', own.data, '--role', role, '--output', 'json'], { stdio: 'pipe' })).AccessKey;
    const viewer = make('viewer'), admin = make('admin');
    const login = (secret) => ask(own.port, { headers: { authorization: `Basic ${btoa(`${viewer.AccessKeyId}:${secret}`)}` } });
    for (let n = 0; n < 20; n++) assert.strictEqual((await login('guess')).status, 401);
    for (const secret of ['guess', viewer.SecretAccessKey]) {
        const { status, headers } = await login(secret);
        assert.strictEqual(status, 429);
        assert.ok(Number(headers['retry-after']) >= 1 && Number(headers['retry-after']) <= 60);
    }
    const sign = (secret) => own.call('ListClusters', {}, { key: admin.AccessKeyId, secret });
    for (let n = 0; n < 20; n++) assert.strictEqual((await sign('guess')).status, 400);
    const waits = await sign('guess');
    assert.deepStrictEqual([waits.status, waits.json.__type, waits.headers['x-amzn-errortype']], [400, 'ThrottlingException', 'ThrottlingException']);
    assert.ok(Number(waits.headers['retry-after']) >= 1);
    assert.strictEqual((await sign(admin.SecretAccessKey)).status, 200, 'a right signature from the same address');
    assert.strictEqual((await own.call('ListClusters')).status, 200, 'another key from there');
    const { text } = await own.raw({ method: 'GET', pathname: '/metrics' });
    for (const line of ['wrong-password"} 20', 'wrong-signature"} 20', 'throttled"} 3']) assert.ok(text.includes(`berth_refused_total{reason="${line}\n`), line);
});
