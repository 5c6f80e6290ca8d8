// HAProxy before the API's port, with the settings that docs/withstands.md gives.
import assert from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Authority } from '../lib/certificates.mjs';
import { root, Server, waitFor } from '../lib/lib.mjs';
import { dial, drip, flood, hangUp } from './lib.mjs';

const there = spawnSync('haproxy', ['-v']).status === 0;
const skip = there ? false : 'HAProxy is not installed: apt-get install haproxy';
let server, proxy, folder, front;

before(async () => {
    if (!there) return;
    server = await Server.start({ args: ['--open-dashboard', 'loopback'] });
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-proxy-'));
    const authority = new Authority(), { cert, key, ca } = authority.issue('proxy');
    writeFileSync(`${folder}/berth.pem`, readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'));
    const port = 20000 + process.pid % 20000;
    const page = readFileSync(`${root}/docs/withstands.md`, 'utf8');
    const settings = /```\n(defaults[\s\S]*?)```/.exec(page)[1].replace(':443', `127.0.0.1:${port}`).replace('/etc/haproxy', folder).replace('127.0.0.1:9280', `127.0.0.1:${server.port}`);
    writeFileSync(`${folder}/haproxy.cfg`, settings);
    proxy = spawn('haproxy', ['-f', `${folder}/haproxy.cfg`], { stdio: 'inherit' });
    front = Object.assign(Object.create(server), { port, url: `https://127.0.0.1:${port}`, tls: { ca } });
    front.way = { get: undefined, request: (await import('node:https')).request, options: { ca: readFileSync(ca) } };
    await waitFor('HAProxy to serve', async () => (await front.raw({ method: 'GET', pathname: '/healthz' }).catch(() => ({}))).status === 200);
});
after(async () => {
    proxy?.kill();
    await server?.stop();
    if (folder) rmSync(folder, { recursive: true });
});

test('signed clients are served through it', { skip }, async () => {
    const reply = await front.call('CreateCluster', { clusterName: 'through' });
    assert.equal(reply.status, 200, reply.text);
});

test('who comes through it is no reader on the server\'s own machine', { skip }, async () => {
    assert.equal((await front.raw({ method: 'GET', pathname: '/metrics', unsigned: true })).status, 401);
    assert.equal((await front.raw({ method: 'GET', pathname: '/metrics' })).status, 200);
});

test('strangers that drip before it keep nobody out', { skip }, async () => {
    const strangers = await flood(front.port, 150, { ca: front.tls.ca }, (socket) => socket.write('POST / HTTP/1.1\r\nHost: x\r\n'));
    const stop = drip(strangers, (socket) => socket.write('X-More: y\r\n'));
    assert.equal((await front.call('ListClusters', {})).status, 200);
    stop();
    await hangUp(strangers);
});
