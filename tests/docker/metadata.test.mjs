// Containers on a bridge ask about themselves at the address that SDKs insist on, 169.254.170.2. tests/docker/with_engine.sh gives this
// test its own network, in which the agent may add it.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import http from 'node:http';
import { fromContainerMetadata } from '@smithy/credential-provider-imds';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { account, region, Server, waitFor } from '../lib/lib.mjs';

const socket = process.env.DOCKER_SOCKET;
const docker = (...args) => execFileSync('docker', ['-H', `unix://${socket}`, ...args], { encoding: 'utf8' });
const inside = (id, words) => docker('exec', id, 'sh', '-c', words);
const agentArgs = ['--docker-socket', socket, '--runtime', 'docker', '--stop-timeout', '2s', '--sample-interval', '1s'];
const role = `arn:aws:iam::${account}:role/app`;
let server, agent;

before(async () => {
    server = await Server.start();
    await server.call('CreateCluster', {});
    agent = await server.agent(agentArgs);
    await waitFor('the agent to connect', async () => (await server.connected('default')) === 1);
});
after(async () => { await server.stop(); });

const show = async (task) => (await server.call('DescribeTasks', { tasks: [task] })).json.tasks[0];
let families = 0;
async function run(more = {}, container = {}) {
    const family = `m${++families}`;
    const made = await server.call('RegisterTaskDefinition', { family, containerDefinitions: [{ name: 'main', image: 'busybox:latest', memory: 32, command: ['sleep', '1d'], ...container }], ...more });
    assert.strictEqual(made.status, 200, made.text);
    const { json } = await server.call('RunTask', { taskDefinition: family });
    assert.deepStrictEqual(json.failures, []);
    const task = json.tasks[0].taskArn;
    await waitFor('the task to run', async () => { const now = await show(task); assert.notStrictEqual(now.lastStatus, 'STOPPED', JSON.stringify(now)); return now.lastStatus === 'RUNNING'; }, { seconds: 300 });
    return { task, family, id: (await show(task)).containers[0].runtimeId };
}
async function stop(task) {
    await server.call('StopTask', { task });
    await waitFor('the task to end', async () => (await show(task)).lastStatus === 'STOPPED', { seconds: 300 });
}

test('a container on the bridge reads its metadata and gets its keys', async () => {
    const { task, family, id } = await run({ taskRoleArn: role }, { portMappings: [{ containerPort: 80 }], dockerLabels: { colour: 'red' } });
    assert.match(agent.output, /find their metadata at http:\/\/169\.254\.170\.2\s/);
    const whole = JSON.parse(inside(id, 'wget -qO- $ECS_CONTAINER_METADATA_URI_V4/task'));
    assert.deepStrictEqual([whole.TaskARN, whole.Family, whole.KnownStatus], [task, family, 'RUNNING']);
    const [container] = whole.Containers, engine = JSON.parse(docker('inspect', id))[0];
    assert.deepStrictEqual([container.DockerId, container.DockerName, container.ImageID, container.CreatedAt, container.StartedAt],
        [id, engine.Name.slice(1), engine.Image, engine.Created, engine.State.StartedAt]);
    assert.deepStrictEqual(container.Networks, [{ NetworkMode: 'bridge', IPv4Addresses: [engine.NetworkSettings.Networks.bridge.IPAddress] }]);
    assert.deepStrictEqual([container.Ports[0].ContainerPort, container.Ports[0].Protocol, String(container.Ports[0].HostPort)], [80, 'tcp', engine.NetworkSettings.Ports['80/tcp'][0].HostPort]);
    assert.deepStrictEqual([container.Labels.colour, container.LogDriver], ['red', 'json-file']);
    assert.deepStrictEqual(JSON.parse(inside(id, 'wget -qO- $ECS_CONTAINER_METADATA_URI')).DockerId, id);

    const keys = JSON.parse(inside(id, 'wget -qO- http://169.254.170.2$AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'));
    assert.strictEqual(keys.RoleArn, role);
    process.env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI = inside(id, 'echo $AWS_CONTAINER_CREDENTIALS_RELATIVE_URI').trim();
    const found = await fromContainerMetadata()();                                 // on the host, by the same address
    delete process.env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
    assert.strictEqual(found.accessKeyId, keys.AccessKeyId);
    const who = (await new STSClient({ region, endpoint: server.url, credentials: found }).send(new GetCallerIdentityCommand({}))).Arn;
    assert.strictEqual(who, `arn:aws:sts::${account}:assumed-role/app/${task.split('/').pop()}`);
    await stop(task);
});

test('statistics hold two moments, and the rates between them', async () => {
    const { task, id } = await run({}, { command: ['sh', '-c', 'while true; do wget -qO /dev/null $ECS_CONTAINER_METADATA_URI_V4; sleep 0.2; done'] });
    const stats = JSON.parse(inside(id, 'wget -qO- $ECS_CONTAINER_METADATA_URI_V4/stats'));
    assert.ok(Date.parse(stats.read) > Date.parse(stats.preread) && stats.precpu_stats.cpu_usage.total_usage > 0 && stats.cpu_stats.cpu_usage.total_usage >= stats.precpu_stats.cpu_usage.total_usage);
    assert.ok(stats.network_rate_stats.rx_bytes_per_sec >= 0 && stats.network_rate_stats.tx_bytes_per_sec >= 0);
    const whole = JSON.parse(inside(id, 'wget -qO- $ECS_CONTAINER_METADATA_URI_V4/task/stats'));
    assert.deepStrictEqual(Object.keys(whole), [id]);
    assert.ok(whole[id].memory_stats !== undefined);
    const sample = await waitFor('the agent to tell what it uses', async () => {
        const { machines } = (await server.raw({ method: 'GET', pathname: '/berth/v1/samples' })).json;
        const [found] = machines.flatMap((machine) => machine.containers).filter((container) => task.endsWith(container.task));
        return found?.cpuCores > 0 && found.networkReceivedBytes > 0 && found;
    });
    assert.ok(sample.container === 'main' && sample.memoryBytes > 0 && sample.memoryBytes < 32 * 1024 * 1024 && sample.networkSentBytes > 0, JSON.stringify(sample));
    await stop(task);
});

test('the host\'s network reaches it as well, no network does not', async () => {
    const host = await run({ networkMode: 'host', taskRoleArn: role }), none = await run({ networkMode: 'none', taskRoleArn: role });
    assert.strictEqual(JSON.parse(inside(host.id, 'wget -qO- $ECS_CONTAINER_METADATA_URI_V4/task')).TaskARN, host.task);
    assert.doesNotMatch(inside(none.id, 'env'), /METADATA_URI|CREDENTIALS/);
    for (const { task } of [host, none]) await stop(task);
});

test('the agent killed: its containers find it again where it was', async () => {
    const { task, id } = await run({ taskRoleArn: role });
    const before = JSON.parse(inside(id, 'wget -qO- $ECS_CONTAINER_METADATA_URI_V4'));
    await agent.signal('SIGKILL');
    const { data } = agent;
    agent = await server.agentIn(data, agentArgs);
    await waitFor('its keys to be there again', () => { try { return JSON.parse(inside(id, 'wget -qO- http://169.254.170.2$AWS_CONTAINER_CREDENTIALS_RELATIVE_URI 2>/dev/null')).RoleArn === role; } catch { return false; } });
    assert.deepStrictEqual(JSON.parse(inside(id, 'wget -qO- $ECS_CONTAINER_METADATA_URI_V4')).DockerId, before.DockerId);
    await stop(task);
});

test('an operator on the machine asks what runs', async () => {
    const { task, id } = await run();
    const ask = (where) => new Promise((resolve, reject) => {
        http.get(`http://127.0.0.1:51678${where}`, { agent: false }, (response) => {
            let text = '';
            response.on('data', (data) => { text += data; });
            response.on('end', () => resolve({ status: response.statusCode, json: JSON.parse(text) }));
        }).on('error', reject);
    });
    const { json: metadata } = await ask('/v1/metadata');
    assert.strictEqual(metadata.Cluster, 'default');
    assert.match(metadata.ContainerInstanceArn, /:container-instance\/default\/[0-9a-f]{32}$/);
    assert.ok((await ask('/v1/tasks')).json.Tasks.some((one) => one.Arn === task));
    assert.strictEqual((await ask(`/v1/tasks?taskarn=${encodeURIComponent(task)}`)).json.Containers[0].DockerId, id);
    assert.strictEqual((await ask(`/v1/tasks?dockerid=${id}`)).json.Arn, task);
    assert.deepStrictEqual(await ask('/v1/tasks?dockerid=nobody'), { status: 400, json: {} });
    await stop(task);
});

test('a second agent gives way and says why', async () => {
    const second = await server.agent([...agentArgs, '--name', 'second']);
    await waitFor('it to say so', () => /served at http:\/\/127\.0\.0\.1:\d+, to processes and to containers with the host's network only: 169\.254\.170\.2:80: Address already in use/.test(second.output));
});

test('a stopped agent takes its address along', async () => {
    await agent.signal('SIGTERM');
    assert.doesNotMatch(execFileSync('ip', ['address', 'show', 'lo'], { encoding: 'utf8' }), /169\.254/);
});
