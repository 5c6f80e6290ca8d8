// TLS on both ports: real clients, the ECS agent's websocket, Berth's own agent, certificates that are wrong, and who is slow.
import assert from 'node:assert';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { after, before, test } from 'node:test';
import tls from 'node:tls';
import { ListClustersCommand } from '@aws-sdk/client-ecs';
import { EcsAgent, Socket } from '../lib/agent_client.mjs';
import { Authority } from '../lib/certificates.mjs';
import { Server, program, remove, waitFor } from '../lib/lib.mjs';

let authority, server;
before(async () => {
    authority = new Authority();
    server = await Server.start({ tls: authority.issue('server') });
    await server.call('CreateCluster', { clusterName: 'default' });
    await server.call('RegisterTaskDefinition', { family: 'sleeper', containerDefinitions: [{ name: 'main', image: 'busybox', cpu: 10, memory: 16 }] });
});
after(async () => {
    await server.stop();
    remove(authority.folder);
});

// The output of a command at the shell, with its status.
function berth(args, env = server.environment()) {
    const { status, stdout, stderr } = spawnSync(program, args, { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8', timeout: 60000 });
    return { status, out: stdout, err: stderr };
}

// A connection with its handshake done; rejects when the handshake fails.
function dial(port, more = {}) {
    return new Promise((resolve, reject) => {
        const socket = tls.connect({ host: '127.0.0.1', port, ca: readFileSync(authority.ca), ...more }, () => resolve(socket));
        socket.on('error', reject);
    });
}
async function shown(port, more) {
    const socket = await dial(port, more);
    const seen = { protocol: socket.getProtocol(), subject: socket.getPeerCertificate().subject.CN };
    socket.destroy();
    return seen;
}

test('clients that trust the authority: the CLI, the SDK, berth itself', async () => {
    assert.deepStrictEqual((await server.aws('ecs', 'list-clusters', '--ca-bundle', authority.ca)).clusterArns.length, 1);
    const client = server.sdk();
    assert.strictEqual((await client.send(new ListClustersCommand({}))).clusterArns.length, 1);
    client.destroy();
    for (const [args, env] of [[['--ca', authority.ca], {}], [[], { AWS_CA_BUNDLE: authority.ca }], [[], { BERTH_CA: authority.ca }]]) {
        const { status, err } = berth(['headroom', '--server', server.url, ...args], { ...server.environment(), ...env });
        assert.strictEqual(status, 0, err);
    }
});

test('a client that does not trust it gets advice', async () => {
    await assert.rejects(server.aws('ecs', 'list-clusters'), /CERTIFICATE_VERIFY_FAILED|certificate verify failed/);
    const other = new Authority();
    const rows = [
        [['--server', server.url], /certificate.*give --ca the file/s],
        [['--server', server.url, '--ca', other.ca], /certificate.*give --ca the file/s],
        [['--server', server.url, '--ca', '/nowhere/ca.pem'], /file \/nowhere\/ca.pem of --ca can't be read: No such file/],
        [['--server', server.url, '--ca', authority.at('ca.key')], /holds no certificate that can be read/],
        [['--server', server.url.replace('https:', 'http:')], /speaks TLS: the address begins with https:/],
    ];
    for (const [args, wanted] of rows) {
        const { status, err } = berth(['headroom', ...args]);
        assert.notStrictEqual(status, 0);
        assert.match(err, wanted);
    }
    remove(other.folder);
});

test('plain HTTP on either port, and TLS on a plain one, are told apart', async () => {
    for (const port of [server.port, server.agentPort]) {
        const reply = await fetch(`http://127.0.0.1:${port}/healthz`);
        assert.strictEqual(reply.status, 400);
        assert.match(await reply.text(), /This port speaks TLS/);
    }
    const plain = await Server.start();
    try {
        assert.match(berth(['headroom', '--server', plain.url.replace('http:', 'https:')]).err, /speaks plain HTTP there/);
    } finally { await plain.stop(); }
});

test('TLS 1.2 and 1.3, no older one, and any name in SNI', async () => {
    for (const port of [server.port, server.agentPort]) {
        for (const version of ['TLSv1.2', 'TLSv1.3']) assert.strictEqual((await shown(port, { minVersion: version, maxVersion: version })).protocol, version);
        await assert.rejects(dial(port, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }), /protocol version|ECONNRESET/);
        assert.strictEqual((await shown(port, { servername: `localhost:${port}`, checkServerIdentity: () => undefined })).subject, 'server');
        assert.strictEqual((await shown(port, { servername: 'localhost' })).subject, 'server');
    }
});

test('an agent finds its endpoint and runs a task to its end', async () => {
    await server.fleet('c5.large', 1, { args: ['--fake-task-time', '100ms'] });
    const { json } = await server.call('DiscoverPollEndpoint', {});
    assert.strictEqual(new URL(json.endpoint).origin, `https://127.0.0.1:${server.agentPort}`);
    const { tasks } = (await server.call('RunTask', { taskDefinition: 'sleeper' })).json;
    await waitFor('the task to end', async () => (await server.call('DescribeTasks', { tasks: [tasks[0].taskArn] })).json.tasks[0].lastStatus === 'STOPPED');
});

async function newAgent(cluster, from = server, more = {}) {
    await from.call('CreateCluster', { clusterName: cluster });
    const agent = await new EcsAgent(from, { cluster }).start(more);
    await agent.until('the first manifest', () => agent.count('TaskManifestMessage') > 0);
    return agent;
}

// With an RSA certificate the agent's own choice of suites works; messages of many records go both ways.
test('the ECS agent\'s websocket, with the agent\'s suites and an RSA certificate', async () => {
    const own = await Server.start({ tls: authority.issue('rsa', { kind: 'rsa' }) });
    try {
        const suites = { tls: { ciphers: 'ECDHE-RSA-AES128-GCM-SHA256', maxVersion: 'TLSv1.2', servername: `localhost:${own.agentPort}`, checkServerIdentity: () => undefined } };
        const agent = await newAgent('wss', own, suites);
        assert.strictEqual(agent.endpoint.protocol, 'https:');
        assert.strictEqual(agent.socket.stream.getProtocol(), 'TLSv1.2');
        const environment = Array.from({ length: 30 }, (_, n) => ({ name: `V${n}`, value: 'x'.repeat(1000) }));
        const made = await own.call('RegisterTaskDefinition', { family: 'large', containerDefinitions: [{ name: 'main', image: 'busybox', memory: 16, environment }] });
        assert.strictEqual(made.status, 200, made.text);
        const { tasks } = (await own.call('RunTask', { cluster: 'wss', taskDefinition: 'large', count: 10 })).json;
        for (const { taskArn } of tasks) await agent.told(taskArn, 'RUNNING');
        const stopCandidates = Array.from({ length: 3000 }, (_, n) => ({ taskArn: `arn:aws:ecs:us-east-1:123456789012:task/wss/${n.toString(16).padStart(32, '0')}` }));
        for (const one of stopCandidates) agent.tasks.set(one.taskArn, { desired: 'RUNNING', payload: { containers: [] } });
        agent.say('TaskStopVerificationMessage', { messageId: agent.manifest ?? 'm', stopCandidates });
        agent.manifest = agent.received.find((one) => one.type === 'TaskManifestMessage').message.messageId;
        await agent.told(stopCandidates.at(-1).taskArn, 'STOPPED');
        const { socket } = agent;
        await own.process.signal('SIGTERM');
        await socket.ended;
        assert.strictEqual(socket.close.code, 1001);
    } finally { await own.stop(); }
});

test('berth tls create: a server with it is trusted, and still is when it is made again for another name', async () => {
    const data = authority.at('own'), at = (name) => `${data}/tls/${name}`;
    const create = (...hosts) => berth(['tls', 'create', '--data', data, '--host', hosts.join(',')]);
    assert.strictEqual(create('gpu.example', '10.0.0.5').status, 0);
    const own = await Server.start({ tls: { cert: at('cert.pem'), key: at('key.pem'), ca: at('ca.pem') } });
    try {
        assert.strictEqual((await own.aws('ecs', 'list-clusters', '--ca-bundle', at('ca.pem'))).clusterArns.length, 0);
        const names = async (servername) => { const socket = await dial(own.port, { ca: readFileSync(at('ca.pem')), servername }); socket.destroy(); return true; };
        assert.ok(await names('gpu.example'));
        await assert.rejects(names('new.example'), /altnames/);
        const ca = readFileSync(at('ca.pem'), 'utf8');
        assert.strictEqual(create('new.example').status, 0);
        assert.strictEqual(readFileSync(at('ca.pem'), 'utf8'), ca);
        await waitFor('the new name', () => names('new.example').catch(() => false));
    } finally { await own.stop(); }
    for (const [hosts, wanted] of [[['a b'], /"a b" is neither a host name/], [['x,,y'], /"" is neither a host name/], [['DNS:x\nIP'], /neither a host name/]]) {
        const { status, err } = create(...hosts);
        assert.deepStrictEqual([status, wanted.test(err)], [1, true], err);
    }
    assert.match(berth(['tls', 'create', '--data', data]).err, /are needed: --host NAME/);
    rmSync(at('ca.key'));
    assert.match(create('x').err, /are not an authority: remove both/);
});

test('what can\'t be served is refused at the start, by name', async () => {
    const good = authority.issue('good'), other = authority.issue('other'), weak = authority.issue('weak', { kind: 'weak' });
    const locked = authority.at('locked.key'), empty = authority.at('empty');
    execFileSync('openssl', ['pkey', '-in', good.key, '-aes256', '-passout', 'pass:x', '-out', locked]);
    writeFileSync(empty, '');
    const rows = [
        ['no key', { 'tls-cert': good.cert }, /tls-key is missing/],
        ['no certificate', { 'tls-key': good.key }, /tls-cert is missing/],
        ['no such certificate', { 'tls-cert': '/nowhere.pem', 'tls-key': good.key }, /\/nowhere.pem can't be read: No such file/],
        ['no such key', { 'tls-cert': good.cert, 'tls-key': '/nowhere.key' }, /\/nowhere.key can't be read: No such file/],
        ['the key of another', { 'tls-cert': good.cert, 'tls-key': other.key }, /other.key does not belong to the certificate in .*good.pem/],
        ['they are exchanged', { 'tls-cert': good.key, 'tls-key': good.cert }, /no certificate in .*good.key/],
        ['an empty key', { 'tls-cert': good.cert, 'tls-key': empty }, /no key in .*empty/],
        ['a passphrase', { 'tls-cert': good.cert, 'tls-key': locked }, /locked.key has a passphrase/],
        ['too weak', { 'tls-cert': weak.cert, 'tls-key': weak.key }, /weak.pem can't be used: .*too small/],
    ];
    for (const [what, settings, wanted] of rows) {
        const data = authority.at(`data-${what.replaceAll(' ', '-')}`);
        const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
        const { status, err } = berth(['server', '--data', data, '--listen', '127.0.0.1:0', ...args], {});
        assert.strictEqual(status, 1, what);
        assert.match(err, wanted, what);
    }
});

test('an expired certificate is warned of, and clients say what is wrong', async () => {
    const own = await Server.start({ tls: authority.issue('expired', { days: -1 }) });
    own.process.leaving = undefined;                     // its figures can't be read without trusting it
    try {
        assert.match(own.process.output, /warn .*expired.pem has expired/);
        assert.match(berth(['headroom', '--server', own.url, '--ca', authority.ca]).err, /certificate has expired; the server needs a new one/);
    } finally { await own.stop(); }
});

test('a certificate for other names is refused by agent and shell', async () => {
    const own = await Server.start({ tls: authority.issue('elsewhere', { names: 'DNS:gpu.example' }) });
    own.process.leaving = undefined;
    try {
        assert.match(berth(['headroom', '--server', own.url, '--ca', authority.ca]).err, /use a name that is in the server's certificate/);
        const agent = await own.agent(['--runtime', 'process']);
        await waitFor('the agent to complain', () => /use a name that is in the server's certificate/.test(agent.output));
    } finally { await own.stop(); }
});

test('a new certificate is taken while connections stay; a bad one is not', async () => {
    const first = authority.issue('first'), second = authority.issue('second');
    const live = { cert: authority.at('live.pem'), key: authority.at('live.key'), ca: authority.ca };
    const put = (from) => {
        for (const [source, target] of [[from.cert, live.cert], [from.key, live.key]]) {
            copyFileSync(source, `${target}.new`);
            renameSync(`${target}.new`, target);
        }
    };
    put(first);
    const own = await Server.start({ tls: live });
    try {
        const agent = await newAgent('reload', own);
        assert.strictEqual((await shown(own.port)).subject, 'first');
        put(second);
        for (const port of [own.port, own.agentPort]) await waitFor('the new certificate', async () => (await shown(port)).subject === 'second');
        put({ cert: first.cert, key: second.key });
        await waitFor('the complaint', () => /certificate stays as it was: The key in .* does not belong/.test(own.process.output));
        rmSync(live.key);
        await waitFor('the other complaint', () => /certificate stays as it was: The file .* can't be read/.test(own.process.output));
        for (const port of [own.port, own.agentPort]) assert.strictEqual((await shown(port)).subject, 'second');
        put(first);
        await waitFor('the first again', async () => (await shown(own.port)).subject === 'first');
        assert.strictEqual(agent.socket.close, undefined, 'who was there before is there still');
        await own.call('RegisterTaskDefinition', { family: 'sleeper', containerDefinitions: [{ name: 'main', image: 'busybox', memory: 16 }] });
        const { tasks } = (await own.call('RunTask', { cluster: 'reload', taskDefinition: 'sleeper' })).json;
        await agent.told(tasks[0].taskArn, 'RUNNING');
        await agent.socket.hangUp();
    } finally { await own.stop(); }
});

// A hundred that begin a handshake and go no further, on each port, some at each point of it.
test('slow handshakes hold up nobody, and are ended', async () => {
    const hello = await new Promise((resolve) => {       // the first bytes of a real one
        const catcher = net.createServer((socket) => socket.once('data', (data) => { resolve(data); socket.destroy(); catcher.close(); }));
        catcher.listen(0, '127.0.0.1', () => tls.connect({ host: '127.0.0.1', port: catcher.address().port }).on('error', () => {}));
    });
    const parts = [Buffer.alloc(0), hello.subarray(0, 1), hello.subarray(0, hello.length - 1), hello, Buffer.concat([hello, Buffer.from('nonsense')])];
    const slow = [];
    for (const port of [server.port, server.agentPort]) {
        for (let s = 0; s < 100; s++) {
            const socket = net.connect({ host: '127.0.0.1', port });
            socket.on('error', () => {});
            slow.push(new Promise((resolve) => socket.on('close', resolve)));
            socket.resume();
            socket.write(parts[s % parts.length]);
        }
    }
    const agent = await newAgent('slow');
    const { tasks } = (await server.call('RunTask', { cluster: 'slow', taskDefinition: 'sleeper' })).json;
    await agent.told(tasks[0].taskArn, 'RUNNING');
    await Promise.all(slow);                             // the server hangs up on each
    assert.strictEqual((await server.call('ListClusters')).status, 200);
    assert.strictEqual(agent.socket.close, undefined);
    await agent.socket.hangUp();
});

test('who breaks off in the middle, or says goodbye first, leaves nothing behind', async () => {
    const gauge = async () => Number(/^berth_agent_connections (\d+)/m.exec((await server.raw({ method: 'GET', pathname: '/metrics' })).text)?.[1]);
    await waitFor('the earlier ones to be gone', async () => (await gauge()) <= 1);      // the fleet's poll
    for (const end of ['destroy', 'end']) {
        const sockets = await Promise.all(Array.from({ length: 20 }, () => dial(server.agentPort)));
        for (const socket of sockets) socket.on('error', () => {});
        await waitFor('them to be there', async () => (await gauge()) >= 20);
        sockets.forEach((socket, s) => { if (s % 2) socket.write('POST /berth/v1/agent/poll HTTP/1.1\r\nContent-Length: 100\r\n\r\n{'); socket[end](); });
        await waitFor('them to be gone', async () => (await gauge()) <= 1);
    }
    const refused = await Socket.open(server, { pathname: '/acs/ws', query: { clusterArn: 'default' }, secret: 'wrong' });
    assert.strictEqual(refused.refused, 400);
});
