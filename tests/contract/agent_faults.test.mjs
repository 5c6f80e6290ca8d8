// Faults between server and agents: silence, lost acknowledgements, readers that don't read, everybody at once, garbage, and two
// machines with one identity. All of it at once, because most of it is waiting.
import assert from 'node:assert';
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { test } from 'node:test';
import { EcsAgent, Socket, openTelemetry } from '../lib/agent_client.mjs';
import { Server, sleep, waitFor } from '../lib/lib.mjs';

let clusters = 0;
async function newAgent(server, more = {}) {
    const cluster = more.cluster ?? `f${++clusters}`;
    await server.call('CreateCluster', { clusterName: cluster });
    return new EcsAgent(server, { cluster, ...more }).start();
}
async function run({ server, cluster }, { family = 'sleeper', count = 1 } = {}) {
    const { json } = await server.call('RunTask', { cluster, taskDefinition: family, count });
    assert.deepStrictEqual(json.failures, []);
    return json.tasks.map((task) => task.taskArn);
}
const define = (server, family, more = {}) => server.call('RegisterTaskDefinition', { family, containerDefinitions: [{ name: 'main', image: 'busybox', cpu: 10, memory: 16, ...more }] });
const payloads = (agent, task) => agent.count('PayloadMessage', (m) => m.tasks[0].arn === task);
const gone = (agent) => waitFor('the machine to be called disconnected', async () => !(await agent.isConnected()));
const long = { seconds: 300 };

// ---- silence ----

async function unansweredHeartbeats(server) {
    const mute = await newAgent(server), polite = await newAgent(server), older = await newAgent(server);
    mute.beating = older.beating = false;
    await older.socket.hangUp();
    const asUsual = older.query.bind(older);
    older.query = () => ({ ...asUsual(), protocolVersion: '1' });
    assert.strictEqual(await older.connect(), true);
    await waitFor('the server to lose patience', () => mute.socket.close, long);
    assert.deepStrictEqual(mute.socket.close, { code: 1008, reason: 'Heartbeats were not acknowledged.' });
    assert.strictEqual(mute.count('HeartbeatMessage'), 3);
    await gone(mute);
    for (const agent of [polite, older]) {
        await waitFor('more heartbeats', () => agent.count('HeartbeatMessage') >= 4, long);
        assert.strictEqual(agent.socket.close, undefined);
        assert.strictEqual(await agent.isConnected(), true);
        await agent.socket.hangUp();
    }
    await mute.arrive();                                                     // it may come back
    const [task] = await run(mute);
    await mute.told(task, 'RUNNING');
    await mute.socket.hangUp();
}

// ---- bytes that drop in ----

// Each byte is progress, and the whole never comes: patience counts from the beginning.
async function byteByByte(server) {
    const request = net.connect(server.agentPort, '127.0.0.1');
    request.on('error', () => {});
    request.write('POST /berth/v1/agent/poll HTTP/1.1\r\nContent-Length: 200000\r\n\r\n');
    const frame = await newAgent(server), pieces = await newAgent(server);
    frame.socket.stream.write(Buffer.from([0x81, 0xfe, 0xff, 0xff, 1, 2, 3, 4]));        // of 65535 bytes
    pieces.socket.frame(1, Buffer.from('{'), { last: false });
    const streams = [request, frame.socket.stream, pieces.socket.stream], drops = [() => request.write(' '), () => frame.socket.stream.write('x'), () => pieces.socket.frame(0, Buffer.from(' '), { last: false })];
    const dripping = setInterval(() => streams.forEach((stream, s) => stream.writable && drops[s]()), 200);
    await Promise.all(streams.map((stream) => waitFor('the server to hang up', () => stream.closed, long)));
    clearInterval(dripping);
}

// ---- acknowledgements ----

async function lostAcknowledgements(server) {
    const agent = await newAgent(server), families = ['acked-at-once', 'acked-late', 'never-acked'];
    agent.ack = (message) => {
        const { family, arn } = message.tasks?.[0] ?? {};                                // of a payload; a manifest's tasks have neither
        if (!family || family === families[0] || (family === families[1] && payloads(agent, arn) >= 2)) EcsAgent.prototype.ack.call(agent, message);
    };
    for (const family of families) await define(server, family);
    const [first, second, third] = [await run(agent, { family: families[0] }), await run(agent, { family: families[1] }), await run(agent, { family: families[2] })].flat();
    await waitFor('a payload that is never acknowledged to come again and again', () => payloads(agent, third) >= 4, long);
    assert.strictEqual(payloads(agent, first), 1, 'an acknowledged message does not come again');
    assert.strictEqual(payloads(agent, second), 2, 'nor does it when the acknowledgement came late');
    const ids = agent.received.filter((one) => one.type === 'PayloadMessage' && one.message.tasks[0].arn === third).map((one) => one.message.messageId);
    assert.strictEqual(new Set(ids).size, 1, 'it is the same message each time');
    await agent.socket.hangUp();
}

// ---- who does not read ----

async function slowReader(server) {
    const environment = Array.from({ length: 30 }, (_, n) => ({ name: `V${n}`, value: 'x'.repeat(1000) }));
    await define(server, 'large', { environment });
    const patient = await newAgent(server), gone1 = await newAgent(server), other = await newAgent(server);
    for (const agent of [patient, gone1]) agent.socket.stream.pause();
    const tasks = [], lost = [];
    for (let r = 0; r < 20; r++) {
        tasks.push(...await run(patient, { family: 'large', count: 10 }));
        lost.push(...await run(gone1, { family: 'large', count: 10 }));
    }
    const [task] = await run(other);
    await other.told(task, 'RUNNING');
    assert.strictEqual(patient.count('PayloadMessage'), 0);
    patient.socket.stream.resume();
    for (const one of tasks) await patient.told(one, 'RUNNING');
    assert.strictEqual(patient.socket.close, undefined, 'it was slow, and is there');

    await waitFor('the one that never reads to be given up', async () => !(await gone1.isConnected()), long);
    await gone1.socket.hangUp();
    assert.strictEqual(await gone1.connect(), true);
    for (const one of lost) await gone1.told(one, 'RUNNING');
    for (const agent of [patient, gone1, other]) await agent.socket.hangUp();
}

// Telemetry has its own heartbeats, which must not keep a dead connection alive.
async function slowTelemetry(server) {
    const agent = await newAgent(server), socket = await openTelemetry(agent);
    let closed = false;
    socket.ended.then(() => { closed = true; });
    socket.stream.pause();
    const metadata = { cluster: agent.cluster, containerInstance: agent.arn, messageId: 'one', fin: true };
    const flood = setInterval(() => { for (let m = 0; m < 300; m++) socket.publish('PublishMetricsRequest', { metadata, instanceMetrics: {}, taskMetrics: [] }); }, 100);
    await waitFor('it to be given up', () => closed || socket.stream.destroyed || socket.stream.errored, long);
    clearInterval(flood);
    await agent.socket.hangUp();
}

// A websocket that says nothing for long is pinged: a client that is there answers, beside anything else that it sends.
async function silentSockets(server) {
    const agent = await newAgent(server), there = await openTelemetry(agent), mute = await openTelemetry(agent);
    const frame = there.frame;
    let pings = 0, over = false;
    there.frame = function (opcode, payload, more) { pings += opcode === 10; return frame.call(this, opcode, payload, more); };
    mute.frame = () => {};
    mute.ended.then(() => { over = true; });
    await waitFor('the one that does not answer to be given up', () => over, long);
    assert.ok(pings > 0);
    there.frame(9, Buffer.from('and you?'));
    await waitFor('the other one to be there', () => there.pongs === 1);
    await there.hangUp();
    await agent.socket.hangUp();
}

// ---- everybody at once ----

async function reconnectStorm() {
    let own = await Server.start();
    try {
        await define(own, 'sleeper');
        const agents = await Promise.all(Array.from({ length: 120 }, () => newAgent(own, { cluster: 'storm' })));
        const ask = async (during) => {
            let calls = 0, ended = false;
            during.finally(() => { ended = true; }).catch(() => {});
            for (; !ended; calls++) assert.strictEqual((await own.call('ListClusters')).status, 200);
            await during;
            assert.ok(calls > 0);
        };
        const comeBack = () => Promise.all(agents.map(async (agent) => {
            agent.received = [];
            for (let answer = await agent.connect(); answer !== true; answer = await agent.connect()) {
                assert.strictEqual(answer.refused, 503);
                await sleep(500);
            }
            await agent.until('the manifest', () => agent.count('TaskManifestMessage') > 0);
        }));
        await Promise.all(agents.map((agent) => agent.socket.hangUp()));
        await ask(comeBack());
        const { data, port, agentPort } = own;
        await own.kill9();
        await Promise.all(agents.map((agent) => agent.socket.ended));
        own = await Server.start({ data, port, agentPort });
        for (const agent of agents) agent.server = own;
        await ask(comeBack());
        const tasks = [];
        for (let t = 0; t < 12; t++) tasks.push(...await run(agents[0], { count: 10 }));
        for (const task of tasks) await waitFor('each task to be sent', () => agents.some((agent) => agent.tasks.get(task)?.desired === 'RUNNING'));
        assert.strictEqual(agents.reduce((sum, agent) => sum + agent.tasks.size, 0), tasks.length, 'and to one machine only');
        assert.doesNotMatch(own.process.output, /agent lost/);
        assert.strictEqual(await own.connected('storm'), 100, 'of the first hundred, which are listed, each is there');
        await Promise.all(agents.map((agent) => agent.socket.hangUp()));
    } finally { await own.stop(); }
}

// ---- garbage ----

const nonsense = [
    '', ' ', 'null', '[]', '"', '{"type":1}', '{"type":"AckRequest","message":[]}', '{"type":"AckRequest","message":{"messageId":{}}}', `${'['.repeat(50000)}`, `${'{"a":'.repeat(20000)}`,
    '{"type":"HeartbeatAckRequest"}', '{"type":"NackRequest","message":null}', '{"type":"TaskStopVerificationMessage","message":{"messageId":1,"stopCandidates":{"taskArn":"x"}}}',
    JSON.stringify({ type: 'TaskStopVerificationMessage', message: { messageId: 'm1', stopCandidates: Array.from({ length: 20000 }, (_, n) => ({ taskArn: `x/${n}` })) } }),
    JSON.stringify({ type: 'x'.repeat(100000), message: {} }), '{"type":"AckRequest","message":{"messageId":"m99999999999999999999999"}}', '\u0000\uffff',
];

async function garbage(server) {
    const agent = await newAgent(server);
    const [task] = await run(agent);
    await agent.told(task, 'RUNNING');
    for (const text of nonsense) agent.socket.send(text);
    agent.socket.frame(2, randomBytes(1000));
    const [next] = await run(agent);
    await agent.told(next, 'RUNNING');
    assert.strictEqual(agent.socket.close, undefined, 'an unreadable message is ignored');

    for (let s = 0; s < 100; s++) {                      // no HTTP at all
        const socket = net.connect({ host: '127.0.0.1', port: server.agentPort });
        socket.on('error', () => {});
        socket.end(randomBytes(1 + s * 50));
        socket.resume();
        await new Promise((resolve) => socket.on('close', resolve));
    }
    for (let s = 0; s < 30; s++) {                       // a good handshake, and then no frames
        const noise = await openTelemetry(agent);
        assert.ok(noise instanceof Socket);
        noise.stream.write(randomBytes(1 + s * 20));
        noise.stream.end();
        await noise.ended;
    }
    const [last] = await run(agent);
    await agent.told(last, 'RUNNING');
    assert.strictEqual(agent.socket.close, undefined);
    await agent.socket.hangUp();
}

// ---- one identity, two machines ----

async function twins(server) {
    const one = await newAgent(server), two = new EcsAgent(server, { cluster: one.cluster });
    two.arn = one.arn;
    let on = true, turns = 0, slowed = 0;
    const insist = async (agent) => {
        while (on) {
            const answer = await agent.connect();
            if (answer === true) {
                turns++;
                await Promise.race([agent.socket.ended, waitFor('the end', () => !on, long)]);
                assert.ok(!agent.socket.close || agent.socket.close.code === 1008);
            } else {
                assert.strictEqual(answer.refused, 503);
                slowed++;
                await sleep(100);
            }
        }
    };
    const both = [one, two].map(insist);
    await waitFor('them to take turns, and to be slowed down', () => turns >= 8 && slowed >= 8);
    const [task] = await run(one);
    await waitFor('one of them to get it', () => [one, two].some((agent) => agent.tasks.get(task)));
    on = false;
    await Promise.all(both);
    await Promise.all([one, two].map((agent) => agent.socket.hangUp()));
    assert.strictEqual(await waitFor('the way to be free', async () => (await one.connect()) === true), true);

    const poll = (more = {}) => server.raw({ port: server.agentPort, pathname: '/berth/v1/agent/poll', body: JSON.stringify({ cluster: one.cluster, containerInstance: one.arn, waitSeconds: 0, ...more }) });
    const polled = await waitFor('a poll of the same machine', async () => { const reply = await poll(); return reply.status === 200 && reply; });
    await one.socket.ended;
    assert.strictEqual(one.socket.close.code, 1008, 'a poll takes the place of a websocket');
    const waiting = poll({ session: polled.json.session, waitSeconds: 25, acks: polled.json.messages.map((m) => m.message.messageId) });
    assert.strictEqual(await waitFor('the websocket again', async () => (await one.connect()) === true), true);
    const replaced = await waiting;
    assert.strictEqual(replaced.status, 200, 'and the other way round: the poll is answered at once');
    assert.ok(replaced.json.messages.every((one) => one.type !== 'PayloadMessage'), 'with nothing to do');
    await one.socket.hangUp();
}

test('faults between server and agents', { concurrency: true }, async (t) => {
    const server = await Server.start();
    await define(server, 'sleeper');
    const parts = [
        ['three heartbeats that nobody answered end a connection', unansweredHeartbeats],
        ['half a request that grows byte by byte is not waited for', byteByByte],
        ['a payload comes again until it is acknowledged', lostAcknowledgements],
        ['who does not read is not waited for, and misses nothing', slowReader],
        ['a telemetry channel that is not read ends', slowTelemetry],
        ['a websocket that answers no ping ends', silentSockets],
        ['all connections break at once, and the server too', reconnectStorm],
        ['garbage is ignored, and disturbs no agent', garbage],
        ['two machines with one identity take turns', twins],
    ];
    await Promise.all(parts.map(([name, part]) => t.test(name, () => part(server))));
    await server.stop();
});
