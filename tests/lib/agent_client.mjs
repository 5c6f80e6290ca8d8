// agent_client.mjs: the ECS agent's side of its protocol, as strict as it is: what it can't read it drops, what it has seen it ignores, and
// where it would end, this one ends. It runs nothing: a test says what its tasks do. `Socket` alone is a websocket whose handshake is
// signed as the agent signs it; `EcsAgent` is the agent on top of it.
import assert from 'node:assert';
import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { amzTime, region, waitFor } from './lib.mjs';

const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const hmac = (key, data) => createHmac('sha256', key).update(data).digest();

// RFC 3986, as signatures want it; the request line carries a plus for a space.
const strict = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const asSigned = (query) => Object.keys(query).sort().map((name) => `${strict(name)}=${strict(query[name])}`).join('&');
const asSent = (query) => asSigned(query).replaceAll('%20', '+');

function authorization({ pathname, query, host, time, key, secret }) {
    const headers = { host, 'x-amz-date': time };
    const canonical = ['GET', pathname, asSigned(query), ...Object.keys(headers).map((name) => `${name}:${headers[name]}`), '', Object.keys(headers).join(';'), sha256('')].join('\n');
    const scope = `${time.slice(0, 8)}/${region}/ecs/aws4_request`;
    const signingKey = ['ecs', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${secret}`, time.slice(0, 8)), region));
    const signature = createHmac('sha256', signingKey).update(['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).digest('hex');
    return `AWS4-HMAC-SHA256 Credential=${key}/${scope}, SignedHeaders=host;x-amz-date, Signature=${signature}`;
}

export class Socket {
    // Resolves to an open socket, or to { refused: status, body } when the handshake was answered otherwise.
    static open(server, { pathname, query, secret = server.secret, time = amzTime(), headers = {}, tls = {} }) {
        const host = `127.0.0.1:${server.agentPort}`, webSocketKey = randomBytes(16).toString('base64');
        const request = server.way.get({ ...server.way.options, ...tls, host: '127.0.0.1', port: server.agentPort, path: `${pathname}?${asSent(query)}`, agent: false, headers: {
            host, 'x-amz-date': time, authorization: authorization({ pathname, query, host, time, key: server.key, secret }),
            connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': webSocketKey, ...headers,
        } });
        return new Promise((resolve, reject) => {
            request.on('error', reject);
            request.on('upgrade', (response, stream, first) => {
                const accept = createHash('sha1').update(`${webSocketKey}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
                if (response.headers['sec-websocket-accept'] !== accept) reject(new Error('the handshake was answered wrongly'));
                else resolve(new Socket(stream, first));
            });
            request.on('response', (response) => {
                let text = '';
                response.on('data', (data) => { text += data; });
                response.on('end', () => resolve({ refused: response.statusCode, body: text }));
            });
        });
    }
    constructor(stream, first) {
        this.stream = stream;
        this.input = Buffer.alloc(0);
        this.texts = [];                     // that came and nobody has taken
        this.pongs = 0;
        this.onText = (text) => this.texts.push(text);
        this.ended = new Promise((resolve) => stream.on('close', resolve));
        stream.on('error', () => {});        // 'close' follows
        stream.on('data', (data) => this.take(data));
        if (first.length > 0) this.take(first);
    }
    take(data) {
        this.input = Buffer.concat([this.input, data]);
        while (this.input.length >= 2) {
            const short = this.input[1] & 0x7f, head = short === 126 ? 4 : short === 127 ? 10 : 2;
            assert.strictEqual(this.input[1] & 0x80, 0, 'a server masks nothing');
            if (this.input.length < head) return;
            const size = short === 126 ? this.input.readUInt16BE(2) : short === 127 ? Number(this.input.readBigUInt64BE(2)) : short;
            if (this.input.length < head + size) return;
            const opcode = this.input[0] & 0x0f, payload = this.input.subarray(head, head + size);
            this.input = this.input.subarray(head + size);
            if (opcode === 1) this.onText(payload.toString());
            else if (opcode === 2) this.onBytes(payload);
            else if (opcode === 9) this.frame(10, payload);
            else if (opcode === 10) this.pongs++;
            else if (opcode === 8) this.closed(payload);
        }
    }
    closed(payload) {
        this.close = { code: payload.length >= 2 ? payload.readUInt16BE(0) : 1005, reason: payload.subarray(2).toString() };
        if (!this.closing) this.frame(8, payload.subarray(0, 2));
        this.stream.end();
    }
    frame(opcode, payload, { last = true, masked = true } = {}) {
        const size = payload.length, mask = randomBytes(4);
        const head = Buffer.alloc(size < 126 ? 2 : size < 65536 ? 4 : 10);
        head[0] = (last ? 0x80 : 0) | opcode;
        head[1] = (masked ? 0x80 : 0) | (size < 126 ? size : size < 65536 ? 126 : 127);
        if (head.length === 4) head.writeUInt16BE(size, 2);
        if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
        const body = Buffer.from(payload);
        for (let i = 0; masked && i < size; i++) body[i] ^= mask[i % 4];
        this.stream.write(Buffer.concat(masked ? [head, mask, body] : [head, body]));
    }
    send(text) { this.frame(1, Buffer.from(text)); }
    hangUp() { this.stream.destroy(); return this.ended; }           // as when the machine loses its network
    async goodbye(code = 1000, reason = 'ConnectionExpired: Reconnect to continue') {
        const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
        payload.writeUInt16BE(code, 0);
        payload.write(reason, 2);
        this.closing = true;
        this.frame(8, payload);
        await this.ended;
        return this.close;
    }
}

const required = (message, ...names) => names.every((name) => typeof message[name] === 'string' && message[name] !== '');
const shapes = {
    HeartbeatMessage: (m) => required(m, 'messageId') && typeof m.healthy === 'boolean',
    PayloadMessage: (m) => required(m, 'clusterArn', 'containerInstanceArn', 'messageId') && Array.isArray(m.tasks) && m.tasks.length > 0,
    TaskManifestMessage: (m) => required(m, 'clusterArn', 'containerInstanceArn', 'messageId') && Number.isInteger(m.timeline),
    IAMRoleCredentialsMessage: (m) => required(m, 'messageId', 'taskArn') && ['TaskApplication', 'TaskExecution'].includes(m.roleType) && required(m.roleCredentials ?? {}, 'credentialsId'),
    TaskStopVerificationAck: (m) => required(m, 'messageId') && (m.stopTasks === undefined || Array.isArray(m.stopTasks)),
};

function checkContainer(container) {
    for (const name of ['name', 'image', 'overrides']) assert.strictEqual(typeof container[name], 'string', `a container has its ${name}`);
    assert.strictEqual(typeof container.essential, 'boolean', 'absent would mean false');
    assert.deepStrictEqual(JSON.parse(container.overrides), {}, 'other keys would make the task invalid');
    for (const text of [container.dockerConfig.config, container.dockerConfig.hostConfig]) JSON.parse(text);
    assert.match(container.dockerConfig.version, /^1\.(1[789]|[23]\d|4[0-4])$/);
    for (const port of container.portMappings ?? []) assert.match(port.protocol, /^(tcp|udp)$/);
}

// Throws where the agent would call the task invalid, fail it at its start, or crash.
function checkTask(task) {
    assert.match(task.arn, /^arn:aws:ecs:[^:]+:\d{12}:task\/[^/]+\/[0-9a-f]{32}$/);
    assert.match(task.desiredStatus, /^(RUNNING|STOPPED)$/);
    assert.ok(['bridge', 'host', 'none', 'awsvpc'].includes(task.networkMode));
    assert.strictEqual(task.overrides, '{}');
    assert.notStrictEqual(task.launchType, 'FARGATE', 'it would switch the agent\'s books off');
    for (const association of (task.associations ?? []).filter((one) => one.type === 'gpu')) assert.strictEqual(association.containers.length, 1);
    for (const volume of task.volumes ?? []) assert.ok(volume.host || volume.dockerVolumeConfiguration, 'a volume has its configuration');
    task.containers.forEach(checkContainer);
}

export class EcsAgent {
    // executes: it has what AWS runs in containers for ExecuteCommand.
    constructor(server, { cluster = 'default', gpus = [], cpu = 4096, memory = 8192, executes = false } = {}) {
        Object.assign(this, { server, cluster, gpus, cpu, memory, executes, token: randomUUID() });
        this.tasks = new Map();              // ARN → { desired, payload }
        this.keys = new Map();               // credentialsId → the keys, which no agent writes down
        this.received = [];                  // envelopes that were read, in order
        this.dropped = [];
        this.newest = 0;                     // of all seqNums and timelines
        this.sendCredentials = true;
        this.acking = true;
        this.beating = true;
    }
    async register() {
        const attributes = [{ name: 'ecs.os-type', value: 'linux' }, { name: 'ecs.capability.full-sync' }, { name: 'ecs.capability.container-health-check' }, { name: 'com.amazonaws.ecs.capability.docker-remote-api.1.24' },
            { name: 'com.amazonaws.ecs.capability.logging-driver.awslogs' }, { name: 'ecs.capability.execution-role-awslogs' },
            ...(this.executes ? [{ name: 'ecs.capability.execute-command' }] : [])];
        const { json, status } = await this.server.call('RegisterContainerInstance', {
            cluster: this.cluster, clientToken: this.token, instanceIdentityDocument: '', instanceIdentityDocumentSignature: '', attributes,
            totalResources: [
                { name: 'CPU', type: 'INTEGER', integerValue: this.cpu }, { name: 'MEMORY', type: 'INTEGER', integerValue: this.memory },
                { name: 'PORTS', type: 'STRINGSET', stringSetValue: ['22', '2375', '2376', '51678', '51679'] }, { name: 'PORTS_UDP', type: 'STRINGSET', stringSetValue: [] },
            ],
            platformDevices: this.gpus.map((id) => ({ id, type: 'GPU' })), containerInstanceArn: this.arn,
        });
        assert.strictEqual(status, 200, JSON.stringify(json));
        for (const { name, value } of attributes.filter((one) => one.value)) {           // the agent ends with 5 otherwise
            assert.ok(json.containerInstance.attributes.some((one) => one.name === name && one.value === value), `${name} comes back as it was sent`);
        }
        this.arn ??= json.containerInstance.containerInstanceArn;
    }
    async discover() {
        const { json } = await this.server.call('DiscoverPollEndpoint', { containerInstance: this.arn, cluster: this.cluster, zoneId: '' });
        this.endpoint = new URL('ws', json.endpoint);
        this.telemetry = new URL('ws', json.telemetryEndpoint);
        assert.strictEqual(this.endpoint.port, this.server.agentPort);
        assert.notStrictEqual(this.endpoint.href, this.telemetry.href);
    }
    query() {
        return {
            agentHash: 'a8b3e7d3', agentVersion: '1.105.1', clusterArn: this.cluster, containerInstanceArn: this.arn, dockerVersion: 'DockerVersion: 28.2.2',
            protocolVersion: '2', sendCredentials: String(this.sendCredentials), seqNum: '1',
        };
    }
    // True, or what the handshake was refused with.
    async connect(more = {}) {
        if (!this.endpoint) await this.discover();
        const socket = await Socket.open(this.server, { pathname: this.endpoint.pathname, query: this.query(), ...more });
        if (socket.refused) return socket;
        this.socket = socket;
        this.sendCredentials = false;
        for (const text of socket.texts.splice(0)) this.take(text);
        socket.onText = (text) => this.take(text);
        return true;
    }
    // Whether the server calls it connected. It does so a moment after the handshake, and places tasks there from then on.
    async isConnected() {
        const { json } = await this.server.call('DescribeContainerInstances', { cluster: this.cluster, containerInstances: [this.arn] });
        return json.containerInstances[0].agentConnected;
    }
    // Connects, and is one that tasks can be placed on.
    async arrive(more = {}) {
        assert.strictEqual(await this.connect(more), true);
        await waitFor('the agent to be called connected', () => this.isConnected());
        return this;
    }
    async start(more) {
        await this.register();
        return this.arrive(more);
    }
    say(type, message) { this.socket.send(JSON.stringify({ type, message })); }
    ack(message) {
        if (this.acking) this.say('AckRequest', { cluster: message.clusterArn, containerInstance: message.containerInstanceArn, messageId: message.messageId });
    }
    take(text) {
        let envelope;
        try { envelope = JSON.parse(text); } catch { envelope = {}; }
        if (!shapes[envelope.type]?.(envelope.message)) {
            this.dropped.push(text);
            return;
        }
        this.received.push(envelope);
        this[envelope.type](envelope.message);
    }
    HeartbeatMessage(message) { if (this.beating) this.say('HeartbeatAckRequest', { messageId: message.messageId }); }
    // Keys of a role have these members; without one of them they are of no use.
    takeKeys(keys, messageId) {
        for (const name of ['credentialsId', 'roleArn', 'accessKeyId', 'secretAccessKey', 'sessionToken']) assert.ok(required(keys, name), `keys have their ${name}`);
        assert.match(keys.expiration, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        this.keys.set(keys.credentialsId, keys);
        if (this.acking) this.say('IAMRoleCredentialsAckRequest', { messageId, expiration: keys.expiration, credentialsId: keys.credentialsId });
    }
    IAMRoleCredentialsMessage(message) {
        if (this.tasks.has(message.taskArn)) this.takeKeys(message.roleCredentials, message.messageId);      // of an unknown task: logged, and that is all
    }
    PayloadMessage(message) {
        this.newest = Math.max(this.newest, message.seqNum);
        for (const task of message.tasks) {
            checkTask(task);
            for (const keys of [task.roleCredentials, task.executionRoleCredentials].filter(Boolean)) this.takeKeys(keys, message.messageId);
            const known = this.tasks.get(task.arn);
            if (!known) this.tasks.set(task.arn, { desired: task.desiredStatus, payload: task });
            else if (task.desiredStatus === 'STOPPED') known.desired = 'STOPPED';
        }
        this.ack(message);
    }
    TaskManifestMessage(message) {
        if (message.timeline <= this.newest) return;                                     // not greater: dropped without a word
        this.newest = message.timeline;
        this.manifest = message.messageId;
        this.ack(message);
        const listed = new Set(message.tasks.filter((task) => task.desiredStatus === 'RUNNING').map((task) => task.taskArn));
        const candidates = [...this.tasks].filter(([arn, task]) => task.desired === 'RUNNING' && !listed.has(arn));
        if (candidates.length === 0) return;
        const stopCandidates = candidates.map(([taskArn]) => ({ taskArn, taskClusterArn: this.cluster, desiredStatus: 'STOPPED' }));
        this.say('TaskStopVerificationMessage', { messageId: message.messageId, stopCandidates });
    }
    TaskStopVerificationAck(message) {
        if (message.messageId !== this.manifest) return;
        this.manifest = undefined;                                                       // good for one use
        for (const { taskArn } of message.stopTasks ?? []) this.tasks.get(taskArn).desired = 'STOPPED';
    }
    count(type, fits = () => true) { return this.received.filter((one) => one.type === type && fits(one.message)).length; }
    until(what, condition) { return waitFor(what, () => { assert.deepStrictEqual(this.dropped, [], 'the agent could read everything'); return condition(); }); }
    // The first payload for the task with that desired status.
    told(arn, desired) { return this.until(`the agent to get ${desired}`, () => this.tasks.get(arn)?.desired === desired && this.tasks.get(arn)); }
    // The report of its engine: PENDING, RUNNING or STOPPED of the task with all its containers.
    async report(arn, status, more = {}) {
        const containers = this.tasks.get(arn).payload.containers.map(({ name }) => ({ containerName: name, runtimeId: sha256(arn + name), status, ...more }));
        const reply = await this.server.call('SubmitTaskStateChange', { cluster: this.cluster, task: arn, status, reason: '', containers });
        assert.strictEqual(reply.status, 200, reply.text);
    }
}

// The telemetry channel. Each frame is a block of headers, an empty line, and the JSON.
export async function openTelemetry(agent) {
    if (!agent.telemetry) await agent.discover();
    const query = { agentHash: 'a8b3e7d3', agentVersion: '1.105.1', cluster: agent.cluster, containerInstance: agent.arn, dockerVersion: '28.2.2' };
    const socket = await Socket.open(agent.server, { pathname: agent.telemetry.pathname, query });
    socket.publish = (type, message) => socket.send(`Authorization: AWS4-HMAC-SHA256 Credential=x\r\nHost: ${agent.telemetry.host}\r\nX-Amz-Date: ${amzTime()}\r\n\r\n`
        + JSON.stringify({ type, message }));
    return socket;
}

// The members that an agent of Berth's with protocol number 1 reads: those that it can't do without, frozen. They may grow fewer only with a new number.
const firstProtocol = {
    answer: ['session', 'messages'],
    PayloadMessage: ['clusterArn', 'containerInstanceArn', 'messageId', 'seqNum', 'tasks'],
    TaskManifestMessage: ['clusterArn', 'containerInstanceArn', 'messageId', 'timeline', 'tasks'],
    TaskStopVerificationAck: ['messageId', 'stopTasks'],
    HeartbeatMessage: ['messageId', 'healthy'],
    task: ['arn', 'taskClusterArn', 'family', 'version', 'desiredStatus', 'networkMode', 'associations', 'volumes', 'containers'],
    container: ['name', 'image', 'command', 'cpu', 'memory', 'essential', 'environment', 'portMappings', 'mountPoints', 'dockerConfig'],
};
const has = (what, value, names) => names.forEach((name) => assert.ok(name in value, `${what} has its ${name}, on which the first protocol relies: ${JSON.stringify(value)}`));

// Berth's own agent, of any version: `attributes` and `spoken` are what it says of its protocol, `unknown` members that this server does not know.
export class BerthAgent {
    constructor(server, { cluster = 'default', attributes = {}, spoken = {}, unknown = {} } = {}) {
        Object.assign(this, { server, cluster, spoken, unknown, acks: [], told: new Map(), types: new Set() });
        this.attributes = Object.entries({ 'berth.name': 'by-hand', 'berth.runtime': 'process', ...attributes }).map(([name, value]) => ({ name, value }));
    }
    async register() {
        const reply = await this.server.call('RegisterContainerInstance', {
            cluster: this.cluster, containerInstanceArn: this.arn, attributes: this.attributes, versionInfo: { agentVersion: '0.0.1' }, ...this.unknown,
            totalResources: [{ name: 'CPU', type: 'INTEGER', integerValue: 4096 }, { name: 'MEMORY', type: 'INTEGER', integerValue: 8192 }],
        });
        this.arn ??= reply.json.containerInstance?.containerInstanceArn;
        return reply;
    }
    async poll(more = {}) {
        const reply = await this.server.raw({ port: this.server.agentPort, pathname: '/berth/v1/agent/poll', body: JSON.stringify({
            cluster: this.cluster, containerInstance: this.arn, session: this.session, acks: this.acks, waitSeconds: 0, ...this.spoken, ...this.unknown, ...more }) });
        if (reply.status === 200) this.take(reply.json);
        return reply;
    }
    take(answer) {
        has('an answer', answer, firstProtocol.answer);
        this.session = answer.session;
        this.acks = [];
        for (const { type, message } of answer.messages) {
            this.types.add(type);
            has(type, message, firstProtocol[type] ?? ['messageId']);                    // a type that it does not know it acknowledges
            for (const task of type === 'PayloadMessage' ? message.tasks : []) {
                has('a task', task, firstProtocol.task);
                for (const container of task.containers) has('a container', container, firstProtocol.container);
                this.told.set(task.arn, task);
            }
            this.acks.push(message.messageId);
        }
    }
    async report(arn, status, more = {}) {
        const containers = this.told.get(arn).containers.map(({ name }) => ({ containerName: name, status, ...more, ...this.unknown }));
        return this.server.call('SubmitTaskStateChange', { cluster: this.cluster, task: arn, status, containers, ...this.unknown });
    }
}
