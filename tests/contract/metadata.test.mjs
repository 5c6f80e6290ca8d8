// Requests of a task's processes about themselves: metadata, the keys of its role, protection. A real agent with plain processes; the SDKs that look
// for keys are given only the environment that the agent made.
import assert from 'node:assert';
import { after, before, test } from 'node:test';
import { existsSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fromContainerMetadata } from '@smithy/credential-provider-imds';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { account, region, remove, Server, waitFor } from '../lib/lib.mjs';

const app = `arn:aws:iam::${account}:role/app`;
const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-metadata-'));
const agentArgs = ['--runtime', 'process', '--metadata-listen', 'loopback', '--instance-attributes', '{"ecs.availability-zone":"room-2"}'];
let server, agent, wanted = 0;

before(async () => {
    server = await Server.start();
    await server.call('CreateCluster', { clusterName: 'default' });
    agent = await server.agent(agentArgs);
    await waitFor('the agent to connect', async () => (await server.connected('default')) === 1);
});
after(async () => {
    const { json } = await server.call('ListTasks', {});
    for (const task of json.taskArns) await server.call('StopTask', { task });
    await waitFor('the tasks to end', async () => (await server.call('ListTasks', {})).json.taskArns.length === 0);
    await server.stop();
    remove(folder);
});

const show = async (task) => (await server.call('DescribeTasks', { tasks: [task] })).json.tasks[0];
const runTask = async (family, request) => (await server.call('RunTask', { taskDefinition: family, ...request })).json.tasks[0].taskArn;
async function runService(family) {
    const reply = await server.call('CreateService', { serviceName: family, taskDefinition: family, desiredCount: 1 });
    assert.strictEqual(reply.status, 200, reply.text);
    return waitFor('the service to start a task', async () => (await server.call('ListTasks', { serviceName: family })).json.taskArns[0]);
}
// Runs a shell's words; what they print to $OUT comes back once they have renamed it.
async function run(words, more = {}, request = {}, start = runTask) {
    const out = path.join(folder, `out-${++wanted}`), family = `f${wanted}`;
    const command = ['sh', '-c', `(${words}) >${out}.new 2>&1; mv ${out}.new ${out}; exec sleep 1d`];
    await server.call('RegisterTaskDefinition', { family, containerDefinitions: [{ name: 'main', image: 'none', memory: 16, cpu: 64, command }, { name: 'side', image: 'none', memory: 8, essential: false, command: ['sleep', '1d'] }], ...more });
    const task = await start(family, request);
    await waitFor('the words to be said', async () => {
        if (existsSync(out)) return true;
        const now = await show(task);
        assert.notStrictEqual(now.lastStatus, 'STOPPED', JSON.stringify(now));
        return false;
    });
    await waitFor('the task to run', async () => (await show(task)).lastStatus === 'RUNNING');
    return { task, family, text: readFileSync(out, 'utf8') };
}
async function runWithEnvironment(more, request, start) {
    const started = await run('env', more, request, start);
    return { ...started, env: Object.fromEntries(started.text.split('\n').filter((line) => line.includes('=')).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])) };
}
function get(url, { method = 'GET', body = '' } = {}) {
    return new Promise((resolve, reject) => {
        const request = http.request(url, { method, agent: false, headers: { 'content-length': Buffer.byteLength(body) } }, (response) => {
            let text = '';
            response.on('data', (data) => { text += data; });
            response.on('end', () => { let json; try { json = JSON.parse(text); } catch { /* text it is */ } resolve({ status: response.statusCode, text, json, type: response.headers['content-type'] }); });
        });
        request.on('error', reject);
        request.end(body);
    });
}

test('a container knows itself and its task', async () => {
    const { task, family, env } = await runWithEnvironment({ taskRoleArn: 'app', cpu: '256', memory: '512' }, { tags: [{ key: 'team', value: 'red' }] });
    const base = new URL(env.ECS_CONTAINER_METADATA_URI_V4);
    assert.strictEqual(base.hostname, '127.0.0.1');
    assert.match(base.pathname, /^\/v4\/[0-9a-f]{32}-0$/);
    assert.deepStrictEqual([env.ECS_CONTAINER_METADATA_URI, env.ECS_AGENT_URI], [base.href.replace('/v4/', '/v3/'), base.href.replace('/v4/', '/api/')]);
    assert.deepStrictEqual([env.AWS_REGION, env.AWS_DEFAULT_REGION, env.BERTH_TASK_ARN], [region, region, task]);

    const described = await show(task);
    const container = (await get(base)).json;
    assert.deepStrictEqual([container.Name, container.Image, container.DesiredStatus, container.KnownStatus, container.Type], ['main', 'none', 'RUNNING', 'RUNNING', 'NORMAL']);
    assert.deepStrictEqual([container.ContainerARN, container.DockerId], [described.containers[0].containerArn, described.containers[0].runtimeId]);
    assert.deepStrictEqual(container.Limits, { CPU: 64, Memory: 16 });
    assert.ok(Math.abs(Date.parse(container.StartedAt) - Date.now()) < 3600000);

    const whole = (await get(`${base}/task`)).json;
    assert.deepStrictEqual([whole.Cluster, whole.TaskARN, whole.Family, whole.Revision, whole.LaunchType, whole.AvailabilityZone], ['default', task, family, '1', 'EC2', 'room-2']);
    assert.deepStrictEqual([whole.DesiredStatus, whole.KnownStatus, whole.FaultInjectionEnabled, whole.Limits], ['RUNNING', 'RUNNING', false, { CPU: 0.25, Memory: 512 }]);
    assert.deepStrictEqual(whole.Containers.map((one) => one.Name), ['main', 'side']);
    assert.strictEqual(whole.TaskTags, undefined);
    assert.deepStrictEqual((await get(`${base}/taskWithTags`)).json.TaskTags, { team: 'red' });
    const v3 = (await get(`${env.ECS_CONTAINER_METADATA_URI}/task`)).json;
    assert.deepStrictEqual([v3.TaskARN, v3.FaultInjectionEnabled], [task, undefined]);
    assert.deepStrictEqual((await get(`${base}/associations/gpu`)).json, { Associations: [] });
    assert.strictEqual((await get(`${base}/stats`)).text, 'null', 'a plain process has no statistics');
});

test('a wrong request is refused as the ECS agent refuses it', async () => {
    const { env } = await runWithEnvironment({});
    assert.ok(!('AWS_CONTAINER_CREDENTIALS_FULL_URI' in env) && !('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI' in env), 'without a role there are no keys to look for');
    const { origin } = new URL(env.ECS_CONTAINER_METADATA_URI_V4), nobody = '0123456789abcdef0123456789abcdef-0';
    const keys = (code, message, status = 400) => ({ code, message, HTTPErrorCode: status });
    for (const [where, status, json] of [
        [`/v4/${nobody}`, 404, `V4 container metadata handler: unable to get container ID from request: unable to get docker ID from v3 endpoint ID: ${nobody}`],
        [`/v4/${nobody}/task`, 404, `V4 task metadata handler: unable to get task arn from request: unable to get task Arn from v3 endpoint ID: ${nobody}`],
        [`/v3/${nobody}/task`, 400, `V3 task metadata handler: unable to get task arn from request: unable to get task Arn from v3 endpoint ID: ${nobody}`],
        [`/v4/${nobody}/stats`, 404, `V4 container handler: unable to get task arn from request: unable to get task Arn from v3 endpoint ID: ${nobody}`],
        ['/v4/', 404, 'V4 container metadata handler: unable to get container ID from request: unable to get docker ID from v3 endpoint ID: '],
        ['/v2/credentials/', 400, keys('NoIdInRequest', 'CredentialsV2Request: No Credential ID in the request')],
        ['/v1/credentials', 400, keys('NoIdInRequest', 'CredentialsV1Request: No Credential ID in the request')],
        [`/v2/credentials/${nobody}`, 400, keys('InvalidIdInRequest', 'CredentialsV2Request: Credentials not found')],
        [`/api/${nobody}/task-protection/v1/state`, 404, { error: { Code: 'ResourceNotFoundException', Message: 'Failed to find a task for the request' } }],
    ]) {
        const reply = await get(origin + where);
        assert.deepStrictEqual([reply.status, reply.json], [status, json], where);
    }
    for (const where of ['/', '/v5/x', `/v4/${nobody}/nothing`, '/v1/tasks', '/v1/metadata']) assert.strictEqual((await get(origin + where)).status, 404, where);
    const id = env.ECS_AGENT_URI;
    assert.deepStrictEqual((await get(`${id}/task-protection/v1/state`)).json.error.Code, 'AccessDeniedException', 'a task without a role has no keys to ask with');
    assert.strictEqual((await get(env.ECS_CONTAINER_METADATA_URI_V4, { method: 'POST' })).status, 405);
    const replies = await Promise.all(Array.from({ length: 90 }, () => get(env.ECS_CONTAINER_METADATA_URI_V4)));
    const limited = replies.filter((one) => one.status === 429);
    assert.ok(limited.every((one) => one.text === 'You have reached maximum request limit.\n') && replies.some((one) => one.status === 200));
});

test('the keys of the role: by its address, for the JavaScript SDK and for boto3', async () => {
    const { task, env } = await runWithEnvironment({ taskRoleArn: app, executionRoleArn: 'puller' });
    const keys = (await get(env.AWS_CONTAINER_CREDENTIALS_FULL_URI)).json;
    assert.deepStrictEqual(Object.keys(keys), ['RoleArn', 'AccessKeyId', 'SecretAccessKey', 'Token', 'Expiration']);
    assert.strictEqual(keys.RoleArn, app);
    const { origin, pathname } = new URL(env.AWS_CONTAINER_CREDENTIALS_FULL_URI);
    assert.deepStrictEqual((await get(`${origin}/v1/credentials?id=${pathname.split('/').pop()}`)).json, keys);

    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = env.AWS_CONTAINER_CREDENTIALS_FULL_URI;
    const found = await fromContainerMetadata()();
    delete process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI;
    assert.deepStrictEqual([found.accessKeyId, found.sessionToken], [keys.AccessKeyId, keys.Token]);
    const who = (await new STSClient({ region, endpoint: server.url, credentials: found }).send(new GetCallerIdentityCommand({}))).Arn;
    assert.strictEqual(who, `arn:aws:sts::${account}:assumed-role/app/${task.split('/').pop()}`);

    const python = `import boto3; sts = boto3.client("sts", endpoint_url="${server.url}"); print(sts.get_caller_identity()["Arn"]); print(boto3.client("ecs", endpoint_url="${server.url}").list_tasks()["taskArns"] != [])`;
    const inside = await run(`/usr/bin/python3 -c '${python}'`, { taskRoleArn: app });
    assert.strictEqual(inside.text, `arn:aws:sts::${account}:assumed-role/app/${inside.task.split('/').pop()}\nTrue\n`);
});

test('protection is asked for with the keys of the task', async () => {
    const { task, env } = await runWithEnvironment({ taskRoleArn: app });
    const where = `${env.ECS_AGENT_URI}/task-protection/v1/state`;
    const read = await get(where);
    assert.deepStrictEqual([read.status, read.json.failure.Arn, read.json.failure.Reason], [200, task, 'TASK_NOT_VALID'], 'only tasks of services can be protected');
    const set = await get(where, { method: 'PUT', body: '{"ProtectionEnabled":true,"ExpiresInMinutes":5}' });
    assert.deepStrictEqual([set.status, set.json.failure.Reason], [200, 'TASK_NOT_VALID']);
    for (const [body, code, message] of [['{', 'InvalidParameterException', /failed to decode/], ['{"Other":1}', 'InvalidParameterException', /failed to decode/], ['{}', 'InvalidParameterException', /does not contain/],
        ['{"ProtectionEnabled":true,"ExpiresInMinutes":0}', 'InvalidParameterException', /./]]) {
        const { status, json } = await get(where, { method: 'PUT', body });
        assert.deepStrictEqual([status, json.error.Code], [400, code], body);
        assert.match(json.error.Message, message);
    }
});

test('a task of a service protects itself, with one entry in each answer', async () => {
    const { task, family, env } = await runWithEnvironment({ taskRoleArn: app }, {}, runService);
    const where = `${env.ECS_AGENT_URI}/task-protection/v1/state`, off = { protection: { TaskArn: task, ProtectionEnabled: false } };
    const put = (body) => get(where, { method: 'PUT', body });
    assert.deepStrictEqual((await get(where)).json, off);
    const { status, json } = await put('{"ProtectionEnabled":true,"ExpiresInMinutes":5}');
    assert.match(json.protection.ExpirationDate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepStrictEqual([status, json.protection.ProtectionEnabled, json.protection.TaskArn], [200, true, task]);
    assert.deepStrictEqual((await get(where)).json, json);
    assert.deepStrictEqual((await put('{"ProtectionEnabled":false}')).json, off);
    await server.call('DeleteService', { service: family, force: true });
});

test('keys are never written down, and addresses stay when the agent starts again', async () => {
    const { env } = await runWithEnvironment({ taskRoleArn: app, executionRoleArn: 'puller' });
    const before = (await get(env.AWS_CONTAINER_CREDENTIALS_FULL_URI)).json, whole = (await get(`${env.ECS_CONTAINER_METADATA_URI_V4}/task`)).json;
    const { data } = agent;
    const secrets = [before.SecretAccessKey, before.Token, before.AccessKeyId];
    for (const name of readdirSync(data, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).map((one) => path.join(one.parentPath ?? one.path, one.name))) {
        const text = readFileSync(name, 'latin1');
        for (const secret of secrets) assert.ok(!text.includes(secret), `${name} holds a secret`);
    }
    await agent.signal('SIGKILL');
    agent = await server.agentIn(data, agentArgs);
    const again = await waitFor('the keys to be sent again', async () => { const reply = await get(env.AWS_CONTAINER_CREDENTIALS_FULL_URI).catch(() => undefined); return reply?.status === 200 && reply.json; });
    assert.strictEqual(again.RoleArn, app);
    const now = (await get(`${env.ECS_CONTAINER_METADATA_URI_V4}/task`)).json;
    assert.deepStrictEqual([now.TaskARN, now.KnownStatus, now.Containers[0].DockerId], [whole.TaskARN, whole.KnownStatus, whole.Containers[0].DockerId]);
});

test('a second agent on the machine finds an address of its own', async () => {
    const other = await server.agent([...agentArgs, '--cluster', 'default', '--name', 'second']);
    await waitFor('it to be there', async () => (await server.connected('default')) === 2);
    const [first, second] = [agent, other].map((one) => /find their metadata at (http:\S+)/.exec(one.output)[1]);
    assert.notStrictEqual(first, second);
    const off = await server.agent([...agentArgs.slice(0, 2), '--metadata-listen', 'nonsense']);
    assert.notStrictEqual((await off.ended).code, 0);
    assert.match(off.output, /metadata-listen can't be "nonsense"/);
});
