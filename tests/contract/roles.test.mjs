// The keys of tasks' roles: how agents get them, and what real clients may do with them.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { DescribeTasksCommand, ListTasksCommand, RunTaskCommand, UpdateTaskProtectionCommand } from '@aws-sdk/client-ecs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { EcsAgent } from '../lib/agent_client.mjs';
import { account, program, region, Server, waitFor } from '../lib/lib.mjs';

const app = `arn:aws:iam::${account}:role/team/app`;
let server, hasty;
const agents = [];

async function define(at, family, more) {
    const reply = await at.call('RegisterTaskDefinition', { family, containerDefinitions: [{ name: 'main', image: 'busybox', memory: 16 }], ...more });
    assert.strictEqual(reply.status, 200, reply.text);
}
before(async () => {
    [server, hasty] = await Promise.all([Server.start(), Server.start({ args: ['--role-keys-last', '10s'] })]);
    for (const one of [server, hasty]) await define(one, 'app', { taskRoleArn: app, executionRoleArn: 'puller' });
    await define(server, 'plain', {});
});
after(async () => {
    for (const agent of agents) await agent.socket?.hangUp();
    await Promise.all([server.stop(), hasty.stop()]);
});

let clusters = 0;
async function newAgent(at = server) {
    const cluster = `r${++clusters}`;
    await at.call('CreateCluster', { clusterName: cluster });
    const agent = new EcsAgent(at, { cluster });
    agents.push(agent);
    return agent.start();
}
async function run(agent, family = 'app', more = {}) {
    const { json } = await agent.server.call('RunTask', { cluster: agent.cluster, taskDefinition: family, ...more });
    assert.deepStrictEqual(json.failures, []);
    return json.tasks[0].taskArn;
}
// A running task, and the keys of its own role and of its execution role.
async function start(agent, ...more) {
    const task = await run(agent, ...more);
    const { payload } = await agent.told(task, 'RUNNING');
    await agent.report(task, 'RUNNING');
    return { task, payload, keys: payload.roleCredentials, execution: payload.executionRoleCredentials };
}
const credentials = (keys) => ({ accessKeyId: keys.accessKeyId, secretAccessKey: keys.secretAccessKey, sessionToken: keys.sessionToken });
const signed = (keys) => ({ key: keys.accessKeyId, secret: keys.secretAccessKey, token: keys.sessionToken });
const environment = (keys) => ({ AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey, AWS_SESSION_TOKEN: keys.sessionToken });
const idOf = (arn) => arn.split('/').pop();
const roleMessages = (agent, task) => agent.received.filter((one) => one.type === 'IAMRoleCredentialsMessage' && one.message.taskArn === task).map((one) => one.message);

test('a payload brings the keys of its roles, and those of nobody else', async () => {
    const agent = await newAgent();
    const { keys, execution } = await start(agent);
    assert.deepStrictEqual([keys.roleArn, execution.roleArn], [app, `arn:aws:iam::${account}:role/puller`]);
    assert.match(keys.accessKeyId, /^ASIA[A-Z2-7]{16}$/);
    assert.match(keys.credentialsId, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.ok(Date.parse(keys.expiration) > Date.now() + 2 * 3600000, 'hours are left');
    const plain = await start(agent, 'plain');
    assert.deepStrictEqual([plain.keys, plain.execution], [undefined, undefined]);
    const deputy = await start(agent, 'plain', { overrides: { taskRoleArn: 'deputy' } });
    assert.deepStrictEqual([deputy.keys.roleArn, deputy.execution], [`arn:aws:iam::${account}:role/deputy`, undefined]);
    const second = await start(agent);
    assert.strictEqual(new Set([keys, execution, deputy.keys, second.keys, second.execution].map((one) => one.credentialsId)).size, 5);
});

test('an agent that has lost its keys gets new ones, one that has them does not', async () => {
    const agent = await newAgent();
    const { task, keys, execution } = await start(agent), stopped = await start(agent);
    await agent.report(stopped.task, 'STOPPED', { exitCode: 0 });
    await agent.socket.goodbye();
    agent.received = [];
    assert.strictEqual(await agent.connect(), true);
    const third = await start(agent);                                                  // all other messages have been sent before it
    assert.deepStrictEqual(agent.received.filter((one) => one.type === 'IAMRoleCredentialsMessage'), []);

    await agent.socket.goodbye();
    Object.assign(agent, { received: [], sendCredentials: true, keys: new Map() });
    assert.strictEqual(await agent.connect(), true);
    await agent.until('the keys', () => agent.keys.size === 4);
    assert.strictEqual(agent.received[0].type, 'TaskManifestMessage', 'the manifest comes first');
    assert.deepStrictEqual(new Set(agent.keys.keys()), new Set([keys, execution, third.keys, third.execution].map((one) => one.credentialsId)));
    assert.deepStrictEqual(roleMessages(agent, task).map((one) => one.roleType), ['TaskApplication', 'TaskExecution']);
    assert.strictEqual(roleMessages(agent, stopped.task).length, 0, 'a task that is over has no keys');
});

test('keys of a task that the agent does not know are not acknowledged, and told with the next connection', async () => {
    const agent = await newAgent();
    const { task } = await start(agent);
    const known = agent.tasks.get(task);
    agent.tasks.delete(task);
    await agent.socket.goodbye();
    agent.sendCredentials = true;
    assert.strictEqual(await agent.connect(), true);
    await agent.until('the keys', () => roleMessages(agent, task).length === 2);
    agent.tasks.set(task, known);
    agent.received = [];
    await agent.socket.goodbye();
    assert.strictEqual(await agent.connect(), true, 'now without sendCredentials');
    await agent.until('the keys again', () => roleMessages(agent, task).length === 2);
});

test('keys are renewed under the same id, and the old ones end', async () => {
    const agent = await newAgent(hasty);
    const { task, keys } = await start(agent);
    await agent.until('new keys', () => agent.keys.get(keys.credentialsId).accessKeyId !== keys.accessKeyId);
    const [message] = roleMessages(agent, task).filter((one) => one.roleType === 'TaskApplication');
    assert.deepStrictEqual([message.roleCredentials.credentialsId, message.roleCredentials.roleArn], [keys.credentialsId, app]);
    assert.ok(Date.parse(message.roleCredentials.expiration) > Date.parse(keys.expiration));
    let reply;
    await waitFor('the old keys to be over', async () => { reply = await hasty.call('ListTasks', { cluster: agent.cluster }, signed(keys)); return reply.status === 400; });
    assert.deepStrictEqual(reply.json, { __type: 'ExpiredTokenException', message: 'The security token included in the request is expired' });
    await assert.rejects(hasty.awsAs(environment(keys), 'sts', 'get-caller-identity'), { code: 'ExpiredToken' });
    // On a machine that pauses for a while the newest may be over too: then there are newer ones.
    await waitFor('the newest keys to be good', async () => (await hasty.call('ListTasks', { cluster: agent.cluster }, signed(agent.keys.get(keys.credentialsId)))).status === 200);
});

test('a new long poll gets the keys of running tasks, until it says that it has them', async () => {
    const agent = await newAgent();
    const { task, keys } = await start(agent);
    await agent.socket.goodbye();
    const poll = async (more) => (await server.raw({ port: server.agentPort, pathname: '/berth/v1/agent/poll',
        body: JSON.stringify({ cluster: agent.cluster, containerInstance: agent.arn, waitSeconds: 0, ...more }) })).json;
    const first = await poll({});
    const told = first.messages.filter((one) => one.type === 'IAMRoleCredentialsMessage');
    assert.deepStrictEqual(told.map((one) => [one.message.taskArn, one.message.roleType]), [[task, 'TaskApplication'], [task, 'TaskExecution']]);
    assert.strictEqual(told[0].message.roleCredentials.credentialsId, keys.credentialsId);
    const second = await poll({ session: first.session, acks: first.messages.map((one) => one.message.messageId) });
    assert.deepStrictEqual(second.messages.map((one) => one.type), ['HeartbeatMessage']);
});

test('the SDK and the CLI with the keys of a task: it reads, is somebody, and may change itself only', async () => {
    const agent = await newAgent();
    const { task, keys } = await start(agent), other = await start(agent);
    const ecs = server.sdk({ credentials: credentials(keys) });
    assert.deepStrictEqual(new Set((await ecs.send(new ListTasksCommand({ cluster: agent.cluster }))).taskArns), new Set([task, other.task]));
    assert.strictEqual((await ecs.send(new DescribeTasksCommand({ cluster: agent.cluster, tasks: [task] }))).tasks[0].taskArn, task);
    await assert.rejects(ecs.send(new RunTaskCommand({ cluster: agent.cluster, taskDefinition: 'app' })), (error) => error.name === 'AccessDeniedException'
        && error.message.startsWith(`User: arn:aws:sts::${account}:assumed-role/app/${idOf(task)} is not authorized to perform: ecs:RunTask`));
    const protect = (tasks) => ecs.send(new UpdateTaskProtectionCommand({ cluster: agent.cluster, protectionEnabled: true, tasks }));
    assert.strictEqual((await protect([task])).failures[0].arn, task);
    await assert.rejects(protect([task, other.task]), { name: 'AccessDeniedException' });

    const identity = await new STSClient({ region, endpoint: server.url, credentials: credentials(keys) }).send(new GetCallerIdentityCommand({}));
    assert.deepStrictEqual([identity.Arn, identity.Account], [`arn:aws:sts::${account}:assumed-role/app/${idOf(task)}`, account]);
    assert.match(identity.UserId, new RegExp(`^AROA[A-Z2-7]{16}:${idOf(task)}$`));
    const cli = await server.awsAs(environment(keys), 'sts', 'get-caller-identity');
    assert.deepStrictEqual(cli, { UserId: identity.UserId, Account: account, Arn: identity.Arn });
    assert.strictEqual((await server.awsAs(environment(keys), 'ecs', 'list-tasks', '--cluster', agent.cluster)).taskArns.length, 2);
});

test('keys that are not as they were given out are refused', async () => {
    const agent = await newAgent();
    const { keys, execution } = await start(agent), foreign = await start(await newAgent(hasty));
    const list = (more) => server.call('ListTasks', { cluster: agent.cluster }, more);
    const unknown = { __type: 'UnrecognizedClientException', message: 'The security token included in the request is invalid.' };
    const letters = [...keys.sessionToken];
    letters[10] = letters[10] === 'A' ? 'B' : 'A';
    for (const [what, more] of [['a token that was changed', { ...signed(keys), token: letters.join('') }], ['no token', { ...signed(keys), token: undefined }],
        ['the token of other keys', { ...signed(keys), token: execution.sessionToken }], ['another server\'s', signed(foreign.keys)],
        ['a token beside a key that needs none', { token: keys.sessionToken }]]) {
        assert.deepStrictEqual((await list(more)).json, unknown, what);
    }
    assert.strictEqual((await list({ ...signed(keys), secret: execution.secretAccessKey })).json.__type, 'InvalidSignatureException');
    await assert.rejects(server.awsAs(environment(foreign.keys), 'sts', 'get-caller-identity'), { code: 'InvalidClientTokenId' });
    const page = await server.raw({ method: 'GET', pathname: '/berth/v1/state', contentType: undefined, ...signed(keys) });
    assert.deepStrictEqual([page.status, page.json.__type], [401, 'AccessDeniedException'], 'the page is not for tasks');
    const poll = await server.raw({ port: server.agentPort, pathname: '/berth/v1/agent/poll', body: '{}', ...signed(keys) });
    assert.strictEqual(poll.json.__type, 'AccessDeniedException', 'nor is the agents\' work');
});

test('logs are written with the keys of the execution role, and read with none of a task', async () => {
    const agent = await newAgent();
    const logConfiguration = { logDriver: 'awslogs', options: { 'awslogs-group': 'of-roles', 'awslogs-region': region, 'awslogs-stream-prefix': 'p' } };
    await define(server, 'printing', { taskRoleArn: app, executionRoleArn: 'puller', containerDefinitions: [{ name: 'main', image: 'busybox', memory: 16, logConfiguration }] });
    const { task, keys, execution } = await start(agent, 'printing');
    const logs = (action, body, who) => server.raw({ target: `Logs_20140328.${action}`, service: 'logs', body: JSON.stringify(body), ...signed(who) });
    const group = { logGroupName: 'of-roles' }, stream = { ...group, logStreamName: `p/main/${idOf(task)}` };
    assert.strictEqual((await logs('CreateLogGroup', group, keys)).json.__type, 'AccessDeniedException');
    assert.strictEqual((await logs('CreateLogGroup', group, execution)).status, 200);
    const made = await logs('CreateLogStream', stream, execution);
    assert.strictEqual(made.status, 200, made.text);
    assert.strictEqual((await logs('PutLogEvents', { ...stream, logEvents: [{ timestamp: Date.now(), message: 'hello' }] }, execution)).status, 200);
    for (const who of [keys, execution]) {
        for (const action of ['GetLogEvents', 'FilterLogEvents', 'DescribeLogStreams', 'DescribeLogGroups']) assert.strictEqual((await logs(action, stream, who)).json.__type, 'AccessDeniedException', action);
    }
    const read = await server.raw({ target: 'Logs_20140328.GetLogEvents', service: 'logs', body: JSON.stringify(stream) });
    assert.deepStrictEqual(read.json.events.map((one) => one.message), ['hello']);
});

test('keys outlive the server that gave them out', async () => {
    let once = await Server.start();
    await define(once, 'app', { taskRoleArn: app });
    const agent = await newAgent(once);
    const { keys } = await start(agent);
    await agent.socket.hangUp();
    await once.kill9();
    once = await Server.start({ data: once.data });
    assert.strictEqual((await once.call('ListTasks', { cluster: agent.cluster }, signed(keys))).status, 200);
    Object.assign(agent, { server: once, endpoint: undefined, keys: new Map() });
    assert.strictEqual(await agent.connect(), true);
    await agent.until('the keys, which this server does not know to be there', () => agent.keys.size === 1);
    assert.strictEqual([...agent.keys.keys()][0], keys.credentialsId);
    await agent.socket.hangUp();
    await once.stop();
});

const may = async (agent, keys) => { const reply = await agent.server.call('ListTasks', { cluster: agent.cluster }, signed(keys)); return reply.status === 200 ? 'ok' : reply.json.__type; };

test('the keys of a task that has stopped end with it', async () => {
    const agent = await newAgent();
    const { task, keys } = await start(agent), other = await start(agent);
    assert.strictEqual(await may(agent, keys), 'ok');
    await agent.report(task, 'STOPPED', { exitCode: 0 });
    await waitFor('its keys to be refused', async () => (await may(agent, keys)) === 'ExpiredTokenException');
    assert.strictEqual(await may(agent, other.keys), 'ok', 'those of another task are good');
});

test('rotate-roles: old keys are refused, and agents get new ones under the same ids', async () => {
    const agent = await newAgent();
    const { task, keys } = await start(agent);
    agent.received = [];
    execFileSync(program, ['keys', 'rotate-roles', '--data', server.data], { stdio: 'pipe' });
    assert.strictEqual(await may(agent, keys), 'UnrecognizedClientException');
    await agent.until('new keys', () => roleMessages(agent, task).length === 2);
    const next = agent.keys.get(keys.credentialsId);
    assert.notStrictEqual(next.accessKeyId, keys.accessKeyId);
    assert.strictEqual(await may(agent, next), 'ok');
    const after = await start(agent);
    assert.strictEqual(await may(agent, after.keys), 'ok', 'a new task');
});
