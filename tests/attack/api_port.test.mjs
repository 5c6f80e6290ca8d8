// The API's port under attack: peers without a key that come, say little and stay; readers that hang up; requests that two servers read differently.
import assert from 'node:assert';
import { after, before, test } from 'node:test';
import tls from 'node:tls';
import http from 'node:http';
import net from 'node:net';
import { Authority } from '../lib/certificates.mjs';
import { amzTime, Server, sign, sleep, waitFor } from '../lib/lib.mjs';
import { dial, drip, flood, hangUp, metric, peak, resident, smuggled, smuggling, statuses } from './lib.mjs';

const threads = 256;                         // what a server has if nobody says otherwise
let server, secure, agent;

before(async () => {
    const authority = new Authority();
    [server, secure] = await Promise.all([Server.start({ args: ['--open-dashboard', 'loopback'] }), Server.start({ tls: authority.issue('server') })]);
    for (const one of [server, secure]) {
        const made = await one.call('CreateCluster', { clusterName: 'default' });
        assert.equal(made.status, 200, made.text);
    }
    const registered = await server.call('RegisterContainerInstance', { cluster: 'default', totalResources: [{ name: 'CPU', type: 'INTEGER', integerValue: 4096 }, { name: 'MEMORY', type: 'INTEGER', integerValue: 8192 }] });
    assert.equal(registered.status, 200, registered.text);
    agent = { containerInstance: registered.json.containerInstance.containerInstanceArn };
});
after(async () => { await Promise.all([server?.stop(), secure?.stop()]); });

// How long signed requests take, one after the other, each on its own connection: the slowest but one in a hundred, in seconds.
async function slowest(one, count = 100) {
    const took = [];
    for (let r = 0; r < count; r++) {
        const began = performance.now();
        const reply = await one.call('DescribeClusters', {});
        assert.equal(reply.status, 200, reply.text);
        took.push((performance.now() - began) / 1000);
    }
    return took.sort((a, b) => a - b)[Math.ceil(count * 0.99) - 1];
}

// Answers that everybody needs from a server: a signed client is answered, the health page too, and an agent's poll.
async function isServing(one) {
    assert.equal((await one.call('DescribeClusters', {})).status, 200);
    assert.equal((await one.raw({ method: 'GET', pathname: '/healthz', unsigned: true })).status, 200);
    if (one === server) {
        const poll = await one.raw({ port: one.agentPort, pathname: '/berth/v1/agent/poll', body: JSON.stringify({ cluster: 'default', waitSeconds: 0, ...agent }) });
        assert.equal(poll.status, 200, poll.text);
        agent.session = poll.json.session;
    }
}

// Holds `count` places by sockets that come again when they are ended, until the function that it returns is called.
async function hold(count, open) {
    let over = false;
    const sockets = new Set();
    const stay = async () => {
        while (!over) {
            const socket = await open();
            sockets.add(socket);
            if (over) socket.destroy();
            await socket.ended;
            sockets.delete(socket);
            await sleep(200);
        }
    };
    const all = Array.from({ length: count }, stay);
    await sleep(1000);
    return async () => {
        over = true;
        for (const socket of sockets) socket.destroy();
        await Promise.all(all);
    };
}

// A TLS hello, and nothing behind it; `short`: this many bytes of it never come.
async function hello(port, short) {
    const bytes = await new Promise((resolve) => {
        const catcher = net.createServer((socket) => socket.once('data', (data) => { socket.destroy(); catcher.close(); resolve(data); }));
        catcher.listen(0, '127.0.0.1', () => tls.connect({ host: '127.0.0.1', port: catcher.address().port }).on('error', () => {}));
    });
    const socket = await dial(port);
    socket.write(bytes.subarray(0, bytes.length - short));
    return socket;
}

test('strangers that drip their requests keep nobody out', async () => {
    const sockets = new Set();
    const release = await hold(1500, async () => {
        const socket = await dial(server.port);
        socket.write('POST / HTTP/1.1\r\nHost: x\r\n');
        sockets.add(socket);
        socket.ended.then(() => sockets.delete(socket));
        return socket;
    });
    const timer = setInterval(() => { for (const socket of sockets) if (socket.writable) socket.write('X-More: y\r\n'); }, 500);
    try {
        await isServing(server);
        const p99 = await slowest(server);
        console.log(`# 1,500 dripping: p99 of a signed client ${(p99 * 1000).toFixed(1)} ms`);
        assert.ok(await metric(server, 'berth_http_connections{peer="waiting"}') > threads, 'they wait without a thread');
        await isServing(server);
    } finally {
        clearInterval(timer);
        await release();
    }
});

test('nor do those that send a body a byte at a time, or never read their answers', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n';
    const bodies = await flood(server.port, 2 * threads, {}, (socket) => socket.write(head));
    const readers = await flood(server.port, 2 * threads, { reads: false }, (socket) => socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(100)));
    const stop = drip(bodies, (socket) => socket.write('x'));
    await isServing(server);
    assert.ok(await metric(server, 'berth_http_connections_ended_total{why="stranger"}') > 0);
    stop();
    await hangUp([...bodies, ...readers]);
});

for (const short of [10, 0]) {
    test(`nor those that begin a handshake and do not end it: ${short ? 'half a hello' : 'a hello alone'}`, async () => {
        const release = await hold(300, () => hello(secure.port, short));
        try {
            await isServing(secure);
            const p99 = await slowest(secure);
            console.log(`# 300 unfinished handshakes: p99 of a signed client ${(p99 * 1000).toFixed(1)} ms`);
        } finally {
            await release();
        }
    });
}

test('who has shown a key keeps the connection while strangers come', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set();
    const ask = () => new Promise((resolve, reject) => {
        const time = amzTime(), headers = { host: `127.0.0.1:${server.port}`, 'x-amz-date': time, 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AmazonEC2ContainerServiceV20141113.ListClusters' };
        const authorization = sign({ method: 'POST', pathname: '/', headers, body: '{}', key: server.key, secret: server.secret, time });
        const sent = http.request({ agent, host: '127.0.0.1', port: server.port, method: 'POST', path: '/', headers: { ...headers, authorization } }, (reply) => {
            ports.add(reply.socket.localPort);
            reply.resume().on('end', () => resolve(reply.statusCode));
        });
        sent.on('error', reject).end('{}');
    });
    assert.equal(await ask(), 200);
    for (let round = 0; round < 3; round++) {
        const sockets = await flood(server.port, threads + 10);
        assert.equal(await ask(), 200);
        await hangUp(sockets);
    }
    assert.equal(ports.size, 1, 'one connection all the time');
    agent.destroy();
});

test('followers of a silent log have their bound, and leave when they hang up', async () => {
    const defined = await server.call('RegisterTaskDefinition', { family: 'silent', containerDefinitions: [{ name: 'm', image: 'busybox', memory: 16 }] });
    assert.equal(defined.status, 200, defined.text);
    const started = await server.call('RunTask', { taskDefinition: 'silent' });
    const task = started.json.tasks[0].taskArn.split('/').at(-1);
    const silent = `GET /berth/v1/logs?task=${task}&container=m&follow=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
    for (let round = 0; round < 3; round++) {
        const sockets = await flood(server.port, threads, {}, (socket) => socket.write(silent));
        await isServing(server);
        await hangUp(sockets);
        await isServing(server);
    }
    await waitFor('a follower to be let in again', async () => {
        const socket = await dial(server.port);
        socket.write(silent);
        await waitFor('its answer', () => socket.text.length > 0);
        const [status] = statuses(socket.text);
        await hangUp([socket]);
        return status === 200;
    });
});

test('four strangers that pipeline and never read take no memory', async () => {
    const rest = resident(server);
    const most = await peak(server, (async () => {
        const sockets = await flood(server.port, 4, { reads: false });
        const stop = drip(sockets, (socket) => socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000)), 20);
        await sleep(5000);
        stop();
        await hangUp(sockets);
    })());
    console.log(`# four that never read: ${(most - rest).toFixed(1)} MiB above rest`);
    assert.ok(most - rest < 64, `${most - rest} MiB above its rest`);
});

for (const form of smuggling) {
    test(`two servers could read it differently: ${form.what}`, async () => {
        const socket = await dial(server.port);
        socket.end(Buffer.from(smuggled(form, '/', '/healthz'), 'latin1'));
        await socket.ended;
        const [status, ...more] = statuses(socket.text);
        assert.ok(status >= 400, socket.text);
        assert.deepEqual(more, [], 'what follows is not read');
    });
}
