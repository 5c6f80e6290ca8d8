// The ECS agent's websocket and its telemetry channel, by a client that behaves as the agent does (agent_client.mjs).
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { BerthAgent, EcsAgent, openTelemetry } from '../lib/agent_client.mjs';
import { Server, isRecent, program, waitFor } from '../lib/lib.mjs';

let server;
const sockets = new Set();

before(async () => {
    server = await Server.start();
    await server.call('CreateCluster', { clusterName: 'default' });
    await define('sleeper', {});
});
after(async () => {
    for (const agent of sockets) await agent.socket?.hangUp();
    await server.stop();
});

async function define(family, more) {
    const reply = await server.call('RegisterTaskDefinition', { family, containerDefinitions: [{ name: 'main', image: 'busybox', cpu: 10, memory: 16, command: ['sleep', '1d'], ...more }] });
    assert.strictEqual(reply.status, 200, reply.text);
}

// Each test has its own cluster, so that its tasks go to its agents.
let clusters = 0;
async function newAgent(more = {}, from = server) {
    const cluster = more.cluster ?? `c${++clusters}`;
    await from.call('CreateCluster', { clusterName: cluster });
    const agent = new EcsAgent(from, { cluster, ...more });
    sockets.add(agent);
    await agent.start();
    await agent.until('the first manifest', () => agent.count('TaskManifestMessage') > 0);
    return agent;
}

async function run(agent, family = 'sleeper', more = {}) {
    const { json } = await agent.server.call('RunTask', { cluster: agent.cluster, taskDefinition: family, ...more });
    assert.deepStrictEqual(json.failures, []);
    return json.tasks[0].taskArn;
}
const show = async (agent, task) => (await agent.server.call('DescribeTasks', { cluster: agent.cluster, tasks: [task] })).json.tasks[0];
const machine = async (agent) => (await agent.server.call('DescribeContainerInstances', { cluster: agent.cluster, containerInstances: [agent.arn] })).json.containerInstances[0];

test('a task from its payload to its end', async () => {
    const agent = await newAgent({ gpus: ['GPU-one', 'GPU-two'] });
    const { versionInfo } = await waitFor('its version', async () => { const shown = await machine(agent); return shown.versionInfo && shown; });
    assert.deepStrictEqual(versionInfo, { agentVersion: '1.105.1', agentHash: 'a8b3e7d3', dockerVersion: 'DockerVersion: 28.2.2' }, 'the versions in the address that it calls');
    await define('one-gpu', { resourceRequirements: [{ type: 'GPU', value: '1' }] });
    const task = await run(agent, 'one-gpu');
    const { payload } = await agent.told(task, 'RUNNING');
    assert.strictEqual(payload.associations.length, 1);
    assert.ok(['GPU-one', 'GPU-two'].includes(payload.associations[0].name));
    await agent.report(task, 'RUNNING');
    assert.strictEqual((await show(agent, task)).lastStatus, 'RUNNING');
    await server.call('StopTask', { cluster: agent.cluster, task, reason: 'enough' });
    await agent.told(task, 'STOPPED');
    assert.strictEqual((await machine(agent)).remainingResources.find((one) => one.name === 'CPU').integerValue, agent.cpu - 10, 'what it holds is free by its report only');
    await agent.report(task, 'STOPPED', { exitCode: 137 });
    const ended = await show(agent, task);
    assert.deepStrictEqual([ended.lastStatus, ended.stopCode, ended.stoppedReason, ended.containers[0].exitCode], ['STOPPED', 'UserInitiated', 'Task stopped by user (enough)', 137]);
    assert.strictEqual((await machine(agent)).remainingResources.find((one) => one.name === 'CPU').integerValue, agent.cpu);
});

test('berth logs says why there is nothing, and what to do', async () => {
    const agent = await newAgent();
    for (const [more, want] of [
        [[], /container main prints stays with Docker on its machine.*`docker logs`.*needs the log driver awslogs.*executionRoleArn.*docs\/logs\.md/],
        [['--follow'], /container main prints stays with Docker/],
        [['--container', 'main'], /container main prints stays with Docker/],
        [['--container', 'side'], /has no container side/],
    ]) {
        const task = await run(agent);
        const child = spawn(program, ['logs', task, '--server', server.url, ...more], { env: { PATH: process.env.PATH, ...server.environment() } });
        let out = '', err = '';
        child.stdout.on('data', (data) => { out += data; });
        child.stderr.on('data', (data) => { err += data; });
        const code = await new Promise((resolve) => child.on('close', resolve));
        assert.deepStrictEqual([code, out], [1, '']);
        assert.match(err, want);
    }
});

test('one task a payload, with numbers that grow', async () => {
    const agent = await newAgent();
    const tasks = [];
    for (let t = 0; t < 5; t++) tasks.push(await run(agent));
    for (const task of tasks) await agent.told(task, 'RUNNING');
    const payloads = agent.received.filter((one) => one.type === 'PayloadMessage').map((one) => one.message);
    assert.ok(payloads.every((one) => one.tasks.length === 1 && one.seqNum > 0 && one.timeline === one.seqNum));
    const numbers = payloads.map((one) => one.seqNum);
    assert.deepStrictEqual(numbers, [...numbers].sort((a, b) => a - b));
    assert.strictEqual(new Set(payloads.map((one) => one.messageId)).size, payloads.length);
});

test('unacknowledged messages come again on the next connection, acknowledged ones do not', async () => {
    const agent = await newAgent();
    const first = await run(agent);
    await agent.told(first, 'RUNNING');
    await agent.report(first, 'RUNNING');
    agent.acking = false;
    const second = await run(agent);
    await agent.told(second, 'RUNNING');
    await agent.socket.hangUp();
    const newest = agent.newest;
    agent.acking = true;
    agent.received = [];
    assert.strictEqual(await agent.connect(), true);
    await agent.until('the payload to come again', () => agent.count('PayloadMessage', (m) => m.tasks[0].arn === second) === 1);
    assert.strictEqual(agent.received[0].type, 'TaskManifestMessage', 'the manifest comes first');
    assert.ok(agent.received[0].message.timeline > newest, 'an older number would be dropped');
    assert.deepStrictEqual(agent.received[0].message.tasks.map((one) => one.taskArn).sort(), [first, second].sort());
    assert.strictEqual(agent.count('PayloadMessage', (m) => m.tasks[0].arn === first), 0, 'what runs is in the manifest only');
});

test('acknowledgements that are doubled, foreign, or of nothing change nothing', async () => {
    const agent = await newAgent();
    const first = await run(agent);
    await agent.told(first, 'RUNNING');
    const { message } = agent.received.find((one) => one.type === 'PayloadMessage');
    for (const messageId of [message.messageId, message.messageId, 'm1', '', 'x']) agent.say('AckRequest', { cluster: agent.cluster, containerInstance: agent.arn, messageId });
    agent.say('NackRequest', { cluster: agent.cluster, containerInstance: agent.arn, messageId: 'm2', reason: 'Updates are disabled' });
    agent.say('IAMRoleCredentialsAckRequest', { messageId: 'm3', expiration: '2030-01-01T00:00:00Z', credentialsId: 'c' });
    for (const text of ['', '{', '[]', '{"type":"NoSuchMessage","message":{}}', '{"type":"AckRequest"}', '{"type":"TaskStopVerificationMessage","message":{"stopCandidates":[{},1,null]}}']) agent.socket.send(text);
    const second = await run(agent);
    await agent.told(second, 'RUNNING');
    assert.strictEqual(agent.socket.close, undefined, 'the connection is the one of the beginning');
});

test('a task that is not listed is asked about, and stopped when the server says so', async () => {
    const agent = await newAgent();
    const stranger = `arn:aws:ecs:us-east-1:123456789012:task/${agent.cluster}/00112233445566778899aabbccddeeff`;
    const task = await run(agent);
    await agent.told(task, 'RUNNING');
    await agent.report(task, 'RUNNING');
    agent.tasks.set(stranger, { desired: 'RUNNING', payload: { containers: [] } });
    await agent.socket.goodbye();
    assert.strictEqual(await agent.connect(), true);
    await agent.told(stranger, 'STOPPED');
    assert.strictEqual(agent.tasks.get(task).desired, 'RUNNING');
});

test('an agent learns on its return of a task that was stopped meanwhile', async () => {
    const agent = await newAgent();
    const task = await run(agent);
    await agent.told(task, 'RUNNING');
    await agent.report(task, 'RUNNING');
    await agent.socket.hangUp();
    await server.call('StopTask', { cluster: agent.cluster, task });
    assert.strictEqual(await agent.connect(), true);
    await agent.told(task, 'STOPPED');
    await agent.report(task, 'STOPPED', { exitCode: 0 });
    assert.strictEqual((await show(agent, task)).lastStatus, 'STOPPED');
});

test('an invalid task is reported STOPPED, is never acknowledged, and is not told again', async () => {
    const agent = await newAgent();
    agent.acking = false;
    const task = await run(agent);
    await agent.told(task, 'RUNNING');
    const reply = await server.call('SubmitTaskStateChange', { cluster: agent.cluster, task, status: 'STOPPED', reason: 'UnrecogniedTaskError: Error loading task - x' });
    assert.strictEqual(reply.status, 200);
    const ended = await show(agent, task);
    assert.deepStrictEqual([ended.lastStatus, ended.stopCode, ended.stoppedReason], ['STOPPED', 'TaskFailedToStart', 'UnrecogniedTaskError: Error loading task - x']);
    agent.acking = true;
    agent.received = [];
    await agent.socket.hangUp();
    assert.strictEqual(await agent.connect(), true);
    const next = await run(agent);
    await agent.told(next, 'RUNNING');
    assert.strictEqual(agent.count('PayloadMessage', (m) => m.tasks[0].arn === task), 0);
});

test('the newest connection of an instance wins', async () => {
    const agent = await newAgent();
    const old = agent.socket;
    assert.strictEqual(await agent.connect(), true);
    await old.ended;
    assert.strictEqual(old.close.code, 1008);
    assert.match(old.close.reason, /newer connection/);
    await agent.told(await run(agent), 'RUNNING');
});

test('an agent that connects again and again is slowed down', async () => {
    const agent = await newAgent();
    let refusal = true;
    for (let c = 0; c < 20 && refusal === true; c++) refusal = await agent.connect();
    assert.strictEqual(refusal.refused, 503);
    assert.match(JSON.parse(refusal.body).ServerException, /connects again too often/);
});

test('a handshake is refused in the agent\'s words', async () => {
    const agent = await newAgent();
    const wrong = await agent.connect({ secret: 'not the secret' });
    assert.strictEqual(wrong.refused, 400);
    assert.match(JSON.parse(wrong.body).AccessDeniedException, /signature we calculated does not match/);
    const plain = await agent.connect({ headers: { upgrade: 'h2c' } });
    assert.match(JSON.parse(plain.body).BadRequestException, /no handshake/);
    const stranger = new EcsAgent(server, { cluster: agent.cluster });
    stranger.arn = `arn:aws:ecs:us-east-1:123456789012:container-instance/${agent.cluster}/00112233445566778899aabbccddeeff`;
    assert.deepStrictEqual(Object.keys(JSON.parse((await stranger.connect()).body)), ['InactiveInstanceException']);
    stranger.arn = 'nonsense';
    stranger.endpoint = agent.endpoint;
    assert.deepStrictEqual(Object.keys(JSON.parse((await stranger.connect()).body)), ['InvalidInstanceException']);
});

test('a deregistered instance is closed with the word that makes the agent wait, and its telemetry refused', async () => {
    const agent = await newAgent();
    await server.call('DeregisterContainerInstance', { cluster: agent.cluster, containerInstance: agent.arn, force: true });
    await agent.socket.ended;
    assert.strictEqual(agent.socket.close.code, 1008);
    assert.match(agent.socket.close.reason, /^InactiveInstanceException/);
    const refusal = await agent.connect();
    assert.deepStrictEqual(Object.keys(JSON.parse(refusal.body)), ['InactiveInstanceException']);
    assert.deepStrictEqual(Object.keys(JSON.parse((await openTelemetry(agent)).body)), ['InactiveInstanceException']);
});

test('an agent that registers again under its ARN gets everything again', async () => {
    const agent = await newAgent();
    const task = await run(agent);
    await agent.told(task, 'RUNNING');
    await agent.socket.hangUp();
    const again = new EcsAgent(server, { cluster: agent.cluster });
    sockets.add(again);
    again.arn = agent.arn;
    await again.start();
    assert.strictEqual(again.arn, agent.arn);
    await again.told(task, 'RUNNING');
});

test('a websocket by its rules: pings, fragments, and frames that break them', async () => {
    const agent = await newAgent();
    agent.socket.frame(9, Buffer.from('are you there'));
    await agent.until('the pong', () => agent.socket.pongs === 1);
    const task = await run(agent);
    await agent.told(task, 'RUNNING');
    const text = Buffer.from(JSON.stringify({ type: 'TaskStopVerificationMessage', message: { messageId: agent.manifest, stopCandidates: [] } }));
    agent.socket.frame(1, text.subarray(0, 10), { last: false });
    agent.socket.frame(9, Buffer.alloc(0));
    agent.socket.frame(0, text.subarray(10));
    await agent.until('the second pong', () => agent.socket.pongs === 2);
    const bad = [
        ['not masked', (socket) => socket.frame(1, Buffer.from('{}'), { masked: false }), 1002],
        ['a long ping', (socket) => socket.frame(9, Buffer.alloc(126)), 1002],
        ['more of nothing', (socket) => socket.frame(0, Buffer.from('{}')), 1002],
        ['an unknown opcode', (socket) => socket.frame(5, Buffer.alloc(0)), 1002],
        ['too long', (socket) => socket.frame(1, Buffer.alloc(1024 * 1024 + 1, 32)), 1009],
    ];
    for (const [what, send, code] of bad) {
        const other = await newAgent();
        send(other.socket);
        await other.socket.ended;
        assert.strictEqual(other.socket.close?.code, code, what);
    }
});

test('the server goes and comes back: the same instance, the same tasks, nothing twice', async () => {
    let own = await Server.start();
    try {
        await own.call('RegisterTaskDefinition', { family: 'sleeper', containerDefinitions: [{ name: 'main', image: 'busybox', memory: 16 }] });
        const agent = await newAgent({}, own);
        const runs = await run(agent), starts = await run(agent);
        await agent.told(runs, 'RUNNING');
        await agent.told(starts, 'RUNNING');
        await agent.report(runs, 'RUNNING');
        const { data, port, agentPort } = own, newest = agent.newest;
        for (const [how, signal] of [['killed', 'SIGKILL'], ['stopped', 'SIGTERM']]) {
            const { socket } = agent;
            await own.process.signal(signal);
            await socket.ended;
            if (signal === 'SIGTERM') assert.strictEqual(socket.close.code, 1001, 'all come back at once');
            own = agent.server = await Server.start({ data, port, agentPort });
            agent.received = [];
            assert.strictEqual(await agent.connect(), true, how);
            await agent.until('the manifest', () => agent.count('TaskManifestMessage', (m) => m.timeline > newest) === 1);
            await agent.until('the task that has not started', () => agent.count('PayloadMessage', (m) => m.tasks[0].arn === starts) === 1);
            assert.strictEqual(agent.count('PayloadMessage', (m) => m.tasks[0].arn === runs), 0);
        }
        await agent.report(starts, 'RUNNING');
        assert.strictEqual((await show(agent, starts)).lastStatus, 'RUNNING');
        await agent.socket.hangUp();
    } finally { await own.stop(); }
});

test('telemetry: everything is acknowledged, and health goes into the task', async () => {
    const agent = await newAgent();
    await define('healthy', { healthCheck: { command: ['CMD', 'true'] } });
    const task = await run(agent, 'healthy');
    const { payload } = await agent.told(task, 'RUNNING');
    assert.strictEqual(payload.containers[0].healthCheckType, 'docker');
    await agent.report(task, 'RUNNING');
    const socket = await openTelemetry(agent);
    sockets.add({ socket });
    const metadata = { cluster: agent.cluster, containerInstance: agent.arn, messageId: 'one', fin: true };
    const tell = async (type, message, answer) => {
        socket.publish(type, { metadata, timestamp: Date.now() / 1000, ...message });
        await waitFor(`the answer to ${type}`, () => socket.texts.some((text) => JSON.parse(text).type === answer));
        socket.texts.length = 0;
    };
    await tell('PublishMetricsRequest', { metadata: { ...metadata, idle: true } }, 'AckPublishMetric');
    for (const healthStatus of ['HEALTHY', 'UNHEALTHY']) {
        await tell('PublishHealthRequest', { tasks: [{ taskArn: task, containers: [{ containerName: 'main', healthStatus, statusSince: 1 }] }] }, 'AckPublishHealth');
        await waitFor('the health', async () => (await show(agent, task)).healthStatus === healthStatus);
    }
    const { version } = await show(agent, task);
    await tell('PublishHealthRequest', { tasks: [{ taskArn: task, containers: [{ containerName: 'main', healthStatus: 'UNHEALTHY' }, { containerName: 'nobody', healthStatus: 'HEALTHY' }] }, {}] },
        'AckPublishHealth');
    assert.strictEqual((await show(agent, task)).version, version, 'a repeat, and an unknown task, change nothing');
    socket.send('no frame of theirs');
    await tell('PublishMetricsRequest', {}, 'AckPublishMetric');
});

// ---- Berth's own agent, of other versions ----

const others = [
    ['one from before the numbers', {}],
    ['one of today', { attributes: { 'berth.protocol': '1', 'berth.oldest-protocol': '1' }, spoken: { protocol: 1, oldestProtocol: 1 } }],
    ['a later one that still speaks today\'s', {
        attributes: { 'berth.protocol': '9', 'berth.oldest-protocol': '1', 'berth.dreams': 'vivid' }, spoken: { protocol: 9, oldestProtocol: 1 },
        unknown: { dreams: [{ of: 'sheep', electric: true }], mood: 'good' } }],
];
for (const [name, how] of others) {
    test(`an agent of another version: ${name}`, async () => {
        const cluster = `c${++clusters}`;
        await server.call('CreateCluster', { clusterName: cluster });
        const agent = new BerthAgent(server, { cluster, ...how });
        assert.strictEqual((await agent.register()).status, 200);
        assert.strictEqual((await agent.poll()).status, 200);
        const task = await run({ server, cluster });
        await waitFor('the payload', async () => { assert.strictEqual((await agent.poll()).status, 200); return agent.told.get(task); });
        for (const [status, more] of [['RUNNING', {}], ['STOPPED', { exitCode: 0 }]]) {
            const reply = await agent.report(task, status, more);
            assert.strictEqual(reply.status, 200, reply.text);
        }
        const { tasks: [ended] } = (await server.call('DescribeTasks', { cluster, tasks: [task] })).json;
        assert.deepStrictEqual([ended.lastStatus, ended.containers[0].exitCode], ['STOPPED', 0]);
        const { containerInstances: [machine] } = (await server.call('DescribeContainerInstances', { cluster, containerInstances: [agent.arn], include: ['CONTAINER_INSTANCE_HEALTH'] })).json;
        assert.deepStrictEqual([machine.versionInfo.agentVersion, machine.healthStatus.overallStatus], ['0.0.1', 'OK']);
        assert.deepStrictEqual([...agent.types].filter((type) => !(/^(Payload|TaskManifest|Heartbeat)Message$/).test(type)), [], 'nothing that the first protocol does not know');
    });
}

test('an agent that can not be spoken with is refused when it registers and when it polls, and told what to update', async () => {
    const cluster = `c${++clusters}`;
    await server.call('CreateCluster', { clusterName: cluster });
    const refusals = [
        [{ 'berth.protocol': '0', 'berth.oldest-protocol': '0' }, { protocol: 0, oldestProtocol: 0 }, 'ClientException', /^The agent .*is too old for this server .* Update the agent\.$/],
        [{ 'berth.protocol': '9', 'berth.oldest-protocol': '2' }, { protocol: 9, oldestProtocol: 2 }, 'ClientException', /^The agent .*is too new for this server .* Update the server\.$/],
        [{ 'berth.protocol': 'new' }, { protocol: -1 }, 'InvalidParameterException', /protocol/],
    ];
    const machine = new BerthAgent(server, { cluster });
    await machine.register();
    for (const [attributes, spoken, type, words] of refusals) {
        for (const reply of [await new BerthAgent(server, { cluster, attributes }).register(), await machine.poll(spoken)]) {
            assert.deepStrictEqual([reply.status, reply.json.__type], [400, type], reply.text);
            assert.match(reply.json.message, words);
        }
    }
    const { containerInstances: [left] } = (await server.call('DescribeContainerInstances', { cluster, containerInstances: [machine.arn] })).json;
    assert.strictEqual(left.agentConnected, false, 'a refused poll is no visit');
    assert.strictEqual((await server.call('ListContainerInstances', { cluster })).json.containerInstanceArns.length, 1, 'nothing was registered');
});

test('telemetry: how its Docker is goes into the machine\'s health, and is counted', async () => {
    const agent = await newAgent();
    const socket = await openTelemetry(agent);
    sockets.add({ socket });
    const tell = async (...statuses) => {
        socket.publish('PublishInstanceStatusRequest', { metadata: { cluster: agent.cluster, containerInstance: agent.arn, requestId: 'one' }, timestamp: Date.now() / 1000, statuses });
        await waitFor('the answer', () => socket.texts.some((text) => JSON.parse(text).type === 'AckPublishInstanceStatus'));
        socket.texts.length = 0;
    };
    const asked = { cluster: agent.cluster, containerInstances: [agent.arn], include: ['CONTAINER_INSTANCE_HEALTH'] };
    const health = async () => (await server.call('DescribeContainerInstances', asked)).json.containerInstances[0].healthStatus;
    const impaired = async () => Number(/^berth_instances_impaired\{type="CONTAINER_RUNTIME"\} (\d+)$/m.exec((await server.raw({ method: 'GET', pathname: '/metrics' })).text)[1]);
    await tell({ type: 'SomethingElse', status: 'IMPAIRED' }, { type: 'ContainerRuntime', status: 'SHAKY' }, 7);
    assert.deepStrictEqual((await health()).details.map((one) => one.type), ['AGENT_CONNECTIVITY'], 'an unknown check is ignored');
    for (const [status, overall, count] of [['OK', 'OK', 0], ['IMPAIRED', 'IMPAIRED', 1], ['OK', 'OK', 0]]) {
        await tell({ type: 'ContainerRuntime', status, lastUpdated: Date.now() / 1000, lastStatusChange: Date.now() / 1000 });
        const shown = await waitFor(`the machine to be ${status}`, async () => { const now = await health(); return now.details[1]?.status === status && now; });
        assert.deepStrictEqual([shown.overallStatus, shown.details[1].type], [overall, 'CONTAINER_RUNTIME']);
        assert.ok(isRecent(shown.details[1].lastUpdated * 1000) && isRecent(shown.details[1].lastStatusChange * 1000));
        await waitFor(`${count} to be counted`, async () => await impaired() === count);
    }
});

test('Docker\'s awslogs driver gets this server\'s address, with the keys of the execution role', async () => {
    const agent = await newAgent();
    const log = { logDriver: 'awslogs', options: { 'awslogs-group': '/ecs/app', 'awslogs-region': 'eu-north-1', 'awslogs-stream-prefix': 'p', mode: 'non-blocking' } };
    const logged = async (at, family, executionRoleArn) => {
        const made = await at.call('RegisterTaskDefinition', { family, executionRoleArn, containerDefinitions: [{ name: 'main', image: 'busybox', memory: 16, logConfiguration: log }] });
        assert.strictEqual(made.status, 200, made.text);
    };
    await logged(server, 'logs', 'arn:aws:iam::123456789012:role/exec');
    await logged(server, 'kept', undefined);
    const task = await run(agent, 'logs'), { payload } = await agent.told(task, 'RUNNING'), [container] = payload.containers;
    assert.strictEqual(container.logsAuthStrategy, 'ExecutionRole');
    assert.deepStrictEqual(JSON.parse(container.dockerConfig.hostConfig).LogConfig, { Type: 'awslogs', Config: {
        'awslogs-group': '/ecs/app', 'awslogs-region': 'us-east-1', 'awslogs-stream': `p/main/${task.split('/').pop()}`, 'awslogs-endpoint': server.url, 'awslogs-create-group': 'true', mode: 'non-blocking',
    } });
    const kept = (await agent.told(await run(agent, 'kept'), 'RUNNING')).payload.containers[0];
    assert.deepStrictEqual([kept.logsAuthStrategy, JSON.parse(kept.dockerConfig.hostConfig).LogConfig], [undefined, undefined], 'without a role there are no keys');

    const own = await Server.start({ args: ['--api-endpoint', 'https://berth.example'] });
    try {
        const other = await newAgent({}, own);
        await logged(own, 'logs', 'arn:aws:iam::123456789012:role/exec');
        const { payload: { containers: [told] } } = await other.told(await run(other, 'logs'), 'RUNNING');
        assert.strictEqual(JSON.parse(told.dockerConfig.hostConfig).LogConfig.Config['awslogs-endpoint'], 'https://berth.example');
        await other.socket.hangUp();
    } finally { await own.stop(); }
});

test('polls share their session with the websocket: the newest one is the agent', async () => {
    const agent = await newAgent();
    const poll = (more) => server.raw({ port: server.agentPort, pathname: '/berth/v1/agent/poll', body: JSON.stringify({ cluster: agent.cluster, containerInstance: agent.arn, ...more }) });
    const first = await poll({ waitSeconds: 0 });
    await agent.socket.ended;
    assert.strictEqual(agent.socket.close.code, 1008);
    assert.deepStrictEqual(first.json.messages.map((one) => one.type), ['TaskManifestMessage']);
    const waits = poll({ session: first.json.session, acks: first.json.messages.map((one) => one.message.messageId), waitSeconds: 25 });
    await waitFor('the poll to wait', async () => /berth_agent_sessions_waiting [1-9]/.test((await server.raw({ method: 'GET', pathname: '/metrics' })).text));
    const task = await run(agent);
    const woken = await waits;
    assert.deepStrictEqual(woken.json.messages.map((one) => one.message.tasks[0].arn), [task]);
    const again = await poll({ session: first.json.session, waitSeconds: 0 });
    assert.strictEqual(again.json.messages[0].message.messageId, woken.json.messages[0].message.messageId, 'its acknowledgement was lost');
    const quiet = await poll({ session: first.json.session, acks: [again.json.messages[0].message.messageId], waitSeconds: 0 });
    assert.deepStrictEqual(quiet.json.messages.map((one) => one.type), ['HeartbeatMessage']);
});

test('open connections of the agents\' listener are counted, closed ones are not', async () => {
    const own = await Server.start();
    try {
        const connections = async () => Number(/^berth_agent_connections (\d+)$/m.exec((await own.raw({ method: 'GET', pathname: '/metrics' })).text)[1]);
        assert.strictEqual(await connections(), 0);
        const one = await newAgent({}, own), two = await newAgent({}, own);
        assert.strictEqual(await connections(), 2);
        await one.socket.hangUp();
        await waitFor('the first to be forgotten', async () => await connections() === 1);
        await two.socket.goodbye();
        assert.strictEqual(two.socket.close.code, 1000, 'a close is answered');
        await waitFor('the second to be forgotten', async () => await connections() === 0);
    } finally { await own.stop(); }
});

test('the agents\' listener refuses unknown paths, and closes connections that are no HTTP', async () => {
    const ask = (more) => server.raw({ port: server.agentPort, ...more });
    assert.strictEqual((await ask({ pathname: '/' })).json.__type, 'ClientException');
    assert.strictEqual((await ask({ pathname: '/berth/v1/agent/poll', unsigned: true })).json.__type, 'MissingAuthenticationTokenException');
    assert.strictEqual((await ask({ pathname: '/berth/v1/agent/poll', secret: 'wrong' })).json.__type, 'InvalidSignatureException');
    assert.strictEqual((await ask({ pathname: '/berth/v1/agent/poll', body: '{' })).json.__type, 'SerializationException');
    assert.strictEqual((await ask({ pathname: '/berth/v1/agent/poll', body: '{}' })).json.__type, 'InvalidParameterException');
    const large = await ask({ pathname: '/berth/v1/agent/poll', body: JSON.stringify({ containerInstance: 'x'.repeat(300000) }) }).catch((error) => error);
    assert.ok(large.status === 413 || large.code === 'EPIPE' || large.code === 'ECONNRESET', String(large));
});
