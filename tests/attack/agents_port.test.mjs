// Attacks of strangers, and of agents with a key, at the agents' port.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { EcsAgent, Socket, openTelemetry } from '../lib/agent_client.mjs';
import { Authority } from '../lib/certificates.mjs';
import { Server, sleep, waitFor } from '../lib/lib.mjs';
import { dial, drip, flood, hangUp, metric, peak, resident, smuggled, smuggling, statuses } from './lib.mjs';

const pollPath = '/berth/v1/agent/poll', links = 64, roomMiB = 64;
const small = ['--agent-links', String(links)];
const request = `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
let server, authority, secure;

before(async () => {
    authority = new Authority();
    server = await Server.start({ args: small });
    secure = await Server.start({ args: small, tls: authority.issue('attack') });
    for (const one of [server, secure]) await one.call('CreateCluster', {});
});
after(async () => {
    for (const one of [server, secure]) await one.stop();
});

// A machine that is registered, and does not poll yet.
async function machine(of = server) {
    const { json } = await of.call('RegisterContainerInstance', { cluster: 'default', totalResources: [{ name: 'CPU', type: 'INTEGER', integerValue: 1024 }, { name: 'MEMORY', type: 'INTEGER', integerValue: 1024 }] });
    return json.containerInstance.containerInstanceArn;
}
const poll = (arn, of = server) => of.raw({ port: of.agentPort, pathname: pollPath, body: JSON.stringify({ cluster: 'default', containerInstance: arn, waitSeconds: 0 }) });
// As agents do: who is sent away comes again.
const comeIn = (arn, of = server) => waitFor('an agent to be answered', async () => (await poll(arn, of).catch(() => ({}))).status === 200);
const closed = (reason, of = server) => metric(of, `berth_agent_connections_closed_total{reason="${reason}"}`);

// The connections that an agent's key can open.
async function websockets(of, count) {
    const agent = new EcsAgent(of);
    agent.arn = await machine(of);
    const sockets = [];
    while (sockets.length < count) sockets.push(...await Promise.all(Array.from({ length: Math.min(64, count - sockets.length) }, () => openTelemetry(agent))));
    return sockets;
}

test('what two servers would read differently is refused, and what follows it is never read', async () => {
    for (const form of smuggling) {
        const socket = await dial(server.agentPort);
        socket.write(smuggled(form, pollPath, '/acs/ws'), 'latin1');
        await socket.ended;
        assert.deepStrictEqual(statuses(socket.text), [400], form.what);
    }
});

// Writes the same bytes for as long as the socket takes them.
function pump(socket, bytes) {
    const more = () => { while (socket.writable && socket.write(bytes)) { /* it takes more */ } };
    socket.on('drain', more);
    more();
}

test('strangers that ask and ask and never read cost next to no memory, and are ended', async () => {
    const rest = resident(server), requests = Buffer.from(request.repeat(1000)), end = Date.now() + 6000;
    const stranger = async () => {
        while (Date.now() < end) {
            const socket = await dial(server.agentPort, { reads: false });
            pump(socket, requests);
            await Promise.race([socket.ended, sleep(end - Date.now())]);
            socket.destroy();
        }
    };
    const most = await peak(server, Promise.all([stranger(), stranger(), stranger(), stranger()]));
    assert.ok(most < rest + roomMiB, `${rest} MiB became ${most}`);
    assert.ok(await closed('unsigned') >= 4, 'though they were always busy');
});

test('a stranger that asks and reads gets all of its answers, one by one', async () => {
    const socket = await dial(server.agentPort), count = 200;
    socket.write(`GET /${'x'.repeat(1000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(count));
    await waitFor('the answers', () => statuses(socket.text).length === count);
    assert.ok(statuses(socket.text).every((status) => status === 400));
    socket.destroy();
});

test('agents get the places that idle strangers hold', async () => {
    const strangers = await flood(server.agentPort, links);
    for (let p = 0; p < 10; p++) assert.strictEqual((await poll(await machine())).status, 200);
    assert.ok(await metric(server, 'berth_agent_connections_unsigned') <= links / 4);
    await Promise.all(strangers.map((socket) => socket.ended));
    assert.ok(await closed('crowded') >= links * 3 / 4, 'the oldest had to leave');
    assert.strictEqual(await metric(server, 'berth_agent_connections_unsigned'), 0);
});

// Twice as many as there are places. Each comes again as soon as it was ended. Resolves, when the places are theirs, to what sends them away.
async function strangersThatReturn(from, first, more) {
    const sockets = new Set();
    let on = true;
    const stranger = async () => {
        while (on) {
            const socket = await dial(server.agentPort, { from });
            sockets.add(socket);
            first(socket);
            await socket.ended;
            sockets.delete(socket);
        }
    };
    const strangers = Array.from({ length: 2 * links }, stranger), dripping = setInterval(() => sockets.forEach((socket) => socket.writable && more(socket)), 100);
    await waitFor('them to crowd', async () => (await metric(server, 'berth_agent_connections')) >= links / 4);
    return async () => {
        on = false;
        clearInterval(dripping);
        while (sockets.size > 0) await hangUp([...sockets]);
        await Promise.all(strangers);
    };
}

for (const [what, first, more] of [
    ['nothing at all', () => {}, () => {}],
    ['a request byte by byte', (socket) => socket.write(`POST ${pollPath} HTTP/1.1\r\nX: `), (socket) => socket.write('x')],
    ['a body byte by byte', (socket) => socket.write(`POST ${pollPath} HTTP/1.1\r\nContent-Length: 200000\r\n\r\n`), (socket) => socket.write(' ')],
    ['requests without a signature', () => {}, (socket) => socket.write(request)],
]) {
    test(`strangers that come again and again, and say ${what}, keep no agent out`, async () => {
        const far = await strangersThatReturn('127.0.0.9', first, more);
        try {
            for (let p = 0; p < 20; p++) assert.strictEqual((await poll(await machine())).status, 200, 'from an address of its own');
        } finally { await far(); }
        const near = await strangersThatReturn('127.0.0.1', first, more);
        try {
            await comeIn(await machine());
        } finally { await near(); }
    });
}

test('agents that come all at once from one address all come in', async () => {
    for (const of of [server, secure]) {
        const arns = await Promise.all(Array.from({ length: links }, () => machine(of)));
        await Promise.all(arns.map((arn) => comeIn(arn, of)));
    }
});

test('a known connection keeps its place beside any strangers', async () => {
    const sockets = await websockets(server, 4), strangers = await flood(server.agentPort, 3 * links);
    for (const socket of sockets) socket.frame(9, Buffer.from('there'));
    await waitFor('the pongs', () => sockets.every((socket) => socket.pongs === 1));
    await hangUp([...strangers, ...sockets.map((socket) => Object.assign(socket.stream, { ended: socket.ended }))]);
});

test('unfinished hellos of TLS take a quarter of the places, and a few seconds', async () => {
    const hello = Buffer.from('16030100c8010000c40303', 'hex');                                  // the beginning of one of 200 bytes
    const strangers = await flood(secure.agentPort, 300, {}, (socket, s) => socket.write(hello.subarray(0, s % (hello.length + 1))));
    for (let p = 0; p < 10; p++) assert.strictEqual((await poll(await machine(secure), secure)).status, 200);
    assert.ok(await metric(secure, 'berth_agent_connections_unsigned') <= links / 4);
    await Promise.all(strangers.map((socket) => socket.ended));
    assert.ok(await closed('crowded', secure) > 0 && await closed('unsigned', secure) > 0);
});

test('large hellos of TLS that are never finished cost little memory', async () => {
    const own = await Server.start({ tls: authority.issue('large') });
    try {
        const rest = resident(own), start = (record, hello) => Buffer.from(`160301${record.toString(16).padStart(4, '0')}01${hello.toString(16).padStart(6, '0')}0303`, 'hex');
        const hellos = [
            ['half a record', Buffer.concat([start(16384, 16000), Buffer.alloc(16000)])],
            ['half a hello in a whole record', Buffer.concat([start(16000, 16384), Buffer.alloc(15994)])],
            ['the length of a very large one', Buffer.concat([start(100, 131072), Buffer.alloc(94)])],
        ];
        for (const [what, hello] of hellos) {
            const most = await peak(own, flood(own.agentPort, 2000, {}, (socket) => socket.write(hello)).then(hangUp));
            assert.ok(most < rest + roomMiB, `${what}: ${rest} MiB became ${most}`);
        }
    } finally { await own.stop(); }
});

test('strangers that take all files leave one for an agent', async () => {
    const own = await Server.start();
    try {
        await own.call('CreateCluster', {});
        const arn = await machine(own);
        execFileSync('prlimit', ['--pid', String(own.process.child.pid), '--nofile=400:400']);
        const strangers = await flood(own.agentPort, 1000);
        await comeIn(arn, own);
        assert.ok(await closed('crowded', own) > 0);
        await hangUp(strangers);
    } finally { await own.stop(); }
});

// ---- with an agent's key ----

// A frame whose mask is zero.
function frame(opcode, payload, last = true) {
    const head = Buffer.alloc(payload.length < 126 ? 6 : 14);
    head[0] = (last ? 0x80 : 0) | opcode;
    head[1] = 0x80 | (payload.length < 126 ? payload.length : 127);
    if (payload.length >= 126) head.writeBigUInt64BE(BigInt(payload.length), 2);
    return Buffer.concat([head, payload]);
}

test('what the key of an agent can make the server hold is bounded, by one socket and by many', async (t) => {
    const own = await Server.start();
    try {
        await own.call('CreateCluster', {});
        const rows = [
            ['one that pings and does not read', 1, (socket) => pump(socket.stream.pause(), Buffer.concat(Array(500).fill(frame(9, Buffer.alloc(125)))))],
            ['800 that ping and do not read', 800, (socket) => pump(socket.stream.pause(), Buffer.concat(Array(500).fill(frame(9, Buffer.alloc(125)))))],
            ['800 fragments that are never finished', 800, (socket) => socket.stream.write(frame(1, Buffer.alloc(1000 * 1000, ' '), false))],
            ['800 frames that are never finished', 800, (socket) => socket.stream.write(frame(1, Buffer.alloc(1000 * 1000, ' ')).subarray(0, -1))],
        ];
        for (const [what, count, act] of rows) {
            await t.test(what, async () => {
                const sockets = await websockets(own, count), rest = resident(own);
                sockets.forEach(act);
                const most = await peak(own, sleep(3000));
                const held = await metric(own, 'berth_agent_connections_held_bytes');
                for (const socket of sockets) socket.stream.destroy();
                await Promise.all(sockets.map((socket) => socket.ended));
                assert.ok(most < rest + roomMiB, `${rest} MiB became ${most}`);
                assert.ok(held <= roomMiB * 1024 * 1024, `${held} bytes`);
            });
        }
        assert.ok(await closed('memory', own) > 0);
        assert.strictEqual((await poll(await machine(own), own)).status, 200);
        await waitFor('all of it to be given back', async () => (await metric(own, 'berth_agent_connections_held_bytes')) === 0);
    } finally { await own.stop(); }
});
