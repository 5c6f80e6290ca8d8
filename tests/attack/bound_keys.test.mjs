// Effects of one machine's key on another machine: nothing, on any path. Machines a and b are in cluster default, machine far in another one;
// each row of `paths` is asked with a key that may not act for its machine and with one that may.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { BerthAgent, EcsAgent, Socket, openTelemetry } from '../lib/agent_client.mjs';
import { Server, account, program, region, remove, waitFor } from '../lib/lib.mjs';

let server;
const machines = {}, keys = {};
const executionRoleArn = `arn:aws:iam::${account}:role/exec`;
const ok = (reply) => { assert.strictEqual(reply.status, 200, reply.text); return reply.json; };
const idOf = (arn) => arn.split('/').at(-1);
// The same server for somebody with another key.
const as = (key) => Object.assign(Object.create(server), key);
function makeKey(...args) {
    const out = execFileSync(program, ['keys', 'create', '--data', server.data, '--role', 'agent', '--output', 'json', ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    const { AccessKeyId, SecretAccessKey } = JSON.parse(out).AccessKey;
    return { key: AccessKeyId, secret: SecretAccessKey };
}
const own = (asker, pathname, body, more = {}) => asker.raw({ pathname, body: JSON.stringify(body), ...more });
const service = (asker, name, target, input) => asker.raw({ target, body: JSON.stringify(input), service: name });

// A machine with a task that has a secret, runs, and has a command begun in it.
async function makeMachine(name, cluster) {
    ok(await server.call('CreateCluster', { clusterName: cluster }));
    const agent = new BerthAgent(server, { cluster, attributes: { 'berth.name': name, 'com.amazonaws.ecs.capability.logging-driver.awslogs': '', 'ecs.capability.execution-role-awslogs': '', 'ecs.capability.secrets.asm.environment-variables': '', 'ecs.capability.secrets.ssm.environment-variables': '' } });
    ok(await agent.register());
    await waitFor('the machine to be connected', async () => {
        ok(await agent.poll());
        return (await server.call('DescribeContainerInstances', { cluster, containerInstances: [agent.arn] })).json.containerInstances[0].agentConnected;
    });
    const machine = { name, cluster, agent, arn: agent.arn };
    ok(await service(server, 'secretsmanager', 'secretsmanager.CreateSecret', { Name: `of-${name}`, SecretString: 'x' }));
    ok(await service(server, 'ssm', 'AmazonSSM.PutParameter', { Name: `of-${name}`, Value: 'x', Type: 'String' }));
    const arn = (await service(server, 'secretsmanager', 'secretsmanager.DescribeSecret', { SecretId: `of-${name}` })).json.ARN;
    ok(await server.call('RegisterTaskDefinition', { family: `on-${name}`, executionRoleArn, containerDefinitions: [{ name: 'main', image: 'none', memory: 16, command: ['x'],
        secrets: [{ name: 'S', valueFrom: arn }, { name: 'P', valueFrom: `of-${name}` }],
        logConfiguration: { logDriver: 'awslogs', options: { 'awslogs-group': 'g', 'awslogs-region': region, 'awslogs-stream-prefix': name } } }] }));
    const started = ok(await server.call('StartTask', { cluster, taskDefinition: `on-${name}`, containerInstances: [agent.arn] }));
    assert.deepStrictEqual(started.failures, []);
    machine.task = started.tasks[0].taskArn;
    await waitFor('the task to be sent', async () => { ok(await agent.poll()); return agent.told.has(machine.task); });
    ok(await agent.report(machine.task, 'RUNNING'));
    ok(await service(server, 'logs', 'Logs_20140328.CreateLogStream', { logGroupName: 'g', logStreamName: `${name}/main/${idOf(machine.task)}` }));
    machine.command = ok(await own(server, '/berth/v1/exec', { cluster, task: machine.task, container: 'main', command: ['ls'] })).session;
    return machine;
}

before(async () => {
    server = await Server.start();
    machines.a = await makeMachine('a', 'default');
    machines.b = await makeMachine('b', 'default');
    machines.far = await makeMachine('far', 'other');
    keys.b = makeKey('--instance', 'b');
    keys.a = makeKey('--instance', machines.a.arn);
    keys.byId = makeKey('--instance', idOf(machines.b.arn));
    keys.farById = makeKey('--instance', idOf(machines.far.arn), '--cluster', 'other');
    keys.cluster = makeKey('--cluster', 'default');
    keys.other = makeKey('--cluster', 'other');
    keys.any = makeKey();
});
after(async () => { await server.stop(); });

// Each is asked for a machine by somebody, and says { status, type } of the answer. A request that would change the machine for those behind it is last.
const answer = ({ status, json, headers }) => ({ status, type: json?.__type ?? headers['x-amzn-errortype'] });
const handshake = async (asker, pathname, query) => {
    const socket = await Socket.open(asker, { pathname, query });
    if (!socket.refused) {
        await socket.hangUp();
        return { status: 200 };
    }
    return { status: socket.refused, type: Object.keys(JSON.parse(socket.body))[0] };
};
const container = { containerName: 'main', status: 'RUNNING' };
const paths = {
    'a poll on the agents\' port': async (asker, { arn, cluster }) => answer(await own(asker, '/berth/v1/agent/poll', { cluster, containerInstance: arn, waitSeconds: 0 }, { port: server.agentPort })),
    'a poll on the API\'s port': async (asker, { arn, cluster }) => answer(await own(asker, '/berth/v1/agent/poll', { cluster, containerInstance: arn, waitSeconds: 0 })),
    'the ECS agent\'s websocket': (asker, { arn, cluster }) => handshake(asker, '/acs/ws', { clusterArn: cluster, containerInstanceArn: arn, agentVersion: '1.105.1', protocolVersion: '2', seqNum: '1' }),
    'its telemetry': (asker, { arn, cluster }) => handshake(asker, '/tcs/ws', { cluster, containerInstance: arn }),
    'SubmitTaskStateChange': async (asker, { task, cluster }) => answer(await asker.call('SubmitTaskStateChange', { cluster, task, status: 'RUNNING', containers: [container] })),
    'SubmitContainerStateChange': async (asker, { task, cluster }) => answer(await asker.call('SubmitContainerStateChange', { cluster, task, ...container })),
    'reports': async (asker, { task, cluster }) => {
        const reply = await own(asker, '/berth/v1/agent/reports', { reports: [{ cluster, task, status: 'RUNNING', containers: [container] }] });
        const [one] = ok(reply).answers;
        return { status: one.__type ? 400 : 200, type: one.__type };
    },
    'logs': async (asker, { task, cluster }) => answer(await own(asker, '/berth/v1/agent/logs', { cluster, task, container: 'main', offset: 0, text: 'x\n' })),
    'health': async (asker, { arn, cluster }) => answer(await own(asker, '/berth/v1/agent/health', { cluster, containerInstance: arn, status: 'OK' })),
    'checks': async (asker, { arn, cluster }) => answer(await own(asker, '/berth/v1/agent/checks', { cluster, containerInstance: arn, targets: [] })),
    'samples': async (asker, { arn, cluster }) => answer(await own(asker, '/berth/v1/agent/samples', { cluster, containerInstance: arn, gpus: [], containers: [] })),
    'pulls': async (asker, { arn, cluster }) => answer(await own(asker, '/berth/v1/agent/pulls', { cluster, containerInstance: arn, pulls: [] })),
    'pulled': async (asker, { arn, cluster }) => answer(await own(asker, '/berth/v1/agent/pulled', { cluster, containerInstance: arn, pulls: [] })),
    'its own log': async (asker, { arn, cluster }) => answer(await own(asker, '/berth/v1/agent/own-log', { cluster, containerInstance: arn, text: 'x' })),
    'a command\'s channel': async (asker, { command }) => answer(await asker.raw({ pathname: '/berth/v1/agent/exec', body: `${JSON.stringify({ session: command, offset: 0 })}\n` })),
    'GetSecretValue': async (asker, { name }) => answer(await service(asker, 'secretsmanager', 'secretsmanager.GetSecretValue', { SecretId: `of-${name}` })),
    'GetParameter': async (asker, { name }) => answer(await service(asker, 'ssm', 'AmazonSSM.GetParameter', { Name: `of-${name}` })),
    'GetParameters': async (asker, { name }) => answer(await service(asker, 'ssm', 'AmazonSSM.GetParameters', { Names: [`of-${name}`] })),
    'CreateLogStream': async (asker, { name, task }) => {
        const reply = await service(asker, 'logs', 'Logs_20140328.CreateLogStream', { logGroupName: 'g', logStreamName: `${name}/main/${idOf(task)}` });
        return reply.json.__type === 'ResourceAlreadyExistsException' ? { status: 200 } : answer(reply);
    },
    'PutLogEvents': async (asker, { name, task }) => answer(await service(asker, 'logs', 'Logs_20140328.PutLogEvents', { logGroupName: 'g', logStreamName: `${name}/main/${idOf(task)}`,
        logEvents: [{ timestamp: Date.now(), message: 'x' }] })),
    'ListTagsForResource of the machine': async (asker, { arn }) => answer(await asker.call('ListTagsForResource', { resourceArn: arn })),
    'ListTagsForResource of its task': async (asker, { task }) => answer(await asker.call('ListTagsForResource', { resourceArn: task })),
    'DescribeContainerInstances': async (asker, { arn, cluster }) => answer(await asker.call('DescribeContainerInstances', { cluster, containerInstances: [arn] })),
    'UpdateContainerInstancesState': async (asker, { arn, cluster }) => answer(await asker.call('UpdateContainerInstancesState', { cluster, containerInstances: [arn], status: 'ACTIVE' })),
    'RegisterContainerInstance under its ARN': async (asker, { arn, cluster, agent }) => answer(await asker.call('RegisterContainerInstance', { cluster, containerInstanceArn: arn,
        attributes: agent.attributes, totalResources: [{ name: 'CPU', type: 'INTEGER', integerValue: 4096 }, { name: 'MEMORY', type: 'INTEGER', integerValue: 8192 }] })),
    'DeregisterContainerInstance': async (asker, { arn, cluster }) => {
        const reply = await asker.call('DeregisterContainerInstance', { cluster, containerInstance: arn });
        return /Found running tasks/.test(reply.text) ? { status: 200 } : answer(reply);      // it might
    },
};
// The same of a cluster; a key of one machine may do it in that machine's cluster.
const clusterPaths = {
    'CreateCluster': async (asker, { cluster }) => answer(await asker.call('CreateCluster', { clusterName: cluster })),
    'DescribeClusters': async (asker, { cluster }) => answer(await asker.call('DescribeClusters', { clusters: [cluster] })),
    'ListTagsForResource of the cluster': async (asker, { cluster }) => answer(await asker.call('ListTagsForResource', { resourceArn: `arn:aws:ecs:${region}:${account}:cluster/${cluster}` })),
    'SubmitAttachmentStateChanges': async (asker, { cluster }) => answer(await asker.call('SubmitAttachmentStateChanges', { cluster, attachments: [] })),
};

async function walk(rows, key, machine, may) {
    for (const [what, ask] of Object.entries(rows)) {
        const { status, type } = await ask(as(keys[key]), machines[machine]);
        const about = `${what}: key ${key}, machine ${machine}`;
        // Agents that come again too often get an error, when they may come at all.
        if (may) assert.ok(status === 200 || ['ThrottlingException', 'ServerException'].includes(type), `${about}: ${type}`);
        else assert.match(type ?? `status ${status}`, /^AccessDenied(Exception)?$/, about);
    }
}

for (const [key, machine, may] of [
    ['b', 'a', false], ['b', 'far', false], ['b', 'b', true], ['a', 'b', false], ['a', 'a', true], ['byId', 'a', false], ['byId', 'b', true],
    ['farById', 'b', false], ['farById', 'far', true], ['cluster', 'far', false], ['cluster', 'a', true], ['cluster', 'b', true],
    ['other', 'a', false], ['other', 'far', true], ['any', 'a', true], ['any', 'far', true],
]) {
    test(`key ${key} ${may ? 'may act' : 'may not act'} for machine ${machine}, on every path`, async () => {
        await walk(paths, key, machine, may);
        await walk(clusterPaths, key, machine, may || machines[machine].cluster === 'default' && key !== 'farById' && key !== 'other');
    });
}

test('a bound key reads nothing of others: neither by the API nor on Berth\'s own pages', async () => {
    const { cluster, arn, task } = machines.b;
    const reads = [
        ['ListClusters', {}], ['ListContainerInstances', { cluster }], ['ListTasks', { cluster }],
        ['DescribeTasks', { cluster, tasks: [task] }], ['DescribeTaskDefinition', { taskDefinition: 'on-a' }], ['ListTaskDefinitions', {}], ['ListTaskDefinitionFamilies', {}],
        ['ListAttributes', { cluster, targetType: 'container-instance' }], ['ListAccountSettings', {}], ['GetTaskProtection', { cluster, tasks: [task] }],
        ['PutAttributes', { cluster, attributes: [{ name: 'x', targetId: arn }] }], ['DeleteAttributes', { cluster, attributes: [{ name: 'x', targetId: arn }] }],
        ['UpdateContainerAgent', { cluster, containerInstance: arn }], ['StopTask', { cluster, task }],
        ['ListTagsForResource', { resourceArn: `arn:aws:ecs:${region}:${account}:task-definition/on-b:1` }],
        ['DescribeDaemonTaskDefinition', { daemonTaskDefinition: 'daemon' }], ['ListDaemonTaskDefinitions', {}],
        ['ListTagsForResource', { resourceArn: `arn:aws:ecs:${region}:${account}:daemon-task-definition/daemon:1` }],
    ];
    const pages = ['/berth/v1/state', '/berth/v1/logs?task=x&container=main', '/berth/v1/history', '/berth/v1/why?task=x', '/berth/v1/headroom', '/berth/v1/samples', '/berth/v1/pulls',
        '/berth/v1/gpus', '/berth/v1/board', '/berth/v1/idle', '/berth/v1/usage', '/berth/v1/queue', '/berth/v1/schedules', '/berth/v1/rules', '/berth/v1/names', '/berth/v1/target-groups',
        '/status.txt', '/metrics'].filter((page) => !page.includes('?'));
    for (const key of ['b', 'cluster']) {
        for (const [operation, input] of reads) assert.strictEqual((await as(keys[key]).call(operation, input)).json.__type, 'AccessDeniedException', `${operation}, key ${key}`);
        for (const pathname of pages) {
            const reply = await as(keys[key]).raw({ method: 'GET', pathname, contentType: undefined });
            assert.match(reply.text, /AccessDeniedException/, `${pathname}, key ${key}`);
        }
        for (const target of ['DescribeLogGroups', 'FilterLogEvents']) {
            const reply = await service(as(keys[key]), 'logs', `Logs_20140328.${target}`, target === 'DescribeLogGroups' ? {} : { logGroupName: 'g' });
            assert.strictEqual(reply.json.__type, 'AccessDeniedException', `${target}, key ${key}`);
        }
    }
});

test('a new machine comes under the name that its key is bound to, and under no other', async () => {
    const register = (key, input) => as(keys[key]).call('RegisterContainerInstance', { cluster: 'default', totalResources: [], ...input });
    const named = (value) => ({ attributes: [{ name: 'berth.name', value }] });
    keys.fresh = makeKey('--instance', 'fresh');
    for (const input of [{}, named('a'), named('fresher'), { ...named('fresh'), cluster: 'other' }, { instanceIdentityDocument: '{"instanceId":"a"}' }]) {
        assert.strictEqual((await register('fresh', input)).json.__type, 'AccessDeniedException', JSON.stringify(input));
    }
    const { containerInstance } = ok(await register('fresh', named('fresh')));
    const containerInstanceArn = containerInstance.containerInstanceArn;
    const again = ok(await register('fresh', { containerInstanceArn }));
    assert.ok(again.containerInstance.attributes.some((one) => one.name === 'berth.name' && one.value === 'fresh'), 'an agent that tells its name once keeps it');
    assert.strictEqual((await register('fresh', { containerInstanceArn, ...named('a') })).json.__type, 'AccessDeniedException', 'it takes no other name');
    assert.strictEqual((await register('b', { containerInstanceArn, ...named('b') })).json.__type, 'AccessDeniedException', 'nor does another take its place');
    keys.ec2 = makeKey('--instance', 'i-0123');
    ok(await register('ec2', { instanceIdentityDocument: '{"instanceId":"i-0123"}' }));
    ok(await as(keys.fresh).call('DeregisterContainerInstance', { containerInstance: containerInstanceArn, force: true }));
    assert.strictEqual((await register('b', { containerInstanceArn, ...named('b') })).json.__type, 'AccessDeniedException', 'not when it is gone either');
    ok(await register('fresh', { containerInstanceArn, ...named('fresh') }));
});

test('the telemetry channel of one machine tells nothing of another', async () => {
    const agent = new EcsAgent(as(keys.b), { cluster: 'default' });
    agent.arn = machines.b.arn;
    const socket = await openTelemetry(agent);
    const health = async (machine, status) => {
        socket.publish('PublishHealthRequest', { metadata: { cluster: 'default', containerInstance: machines.b.arn }, tasks: [{ taskArn: machine.task, containers: [{ containerName: 'main', healthStatus: status }] }] });
    };
    const shown = async (machine) => ok(await server.call('DescribeTasks', { cluster: 'default', tasks: [machine.task] })).tasks[0].containers[0].healthStatus;
    await health(machines.a, 'UNHEALTHY');
    await health(machines.b, 'UNHEALTHY');
    await waitFor('its own health', async () => await shown(machines.b) === 'UNHEALTHY');
    assert.notStrictEqual(await shown(machines.a), 'UNHEALTHY');
    await socket.hangUp();
});

test('the keys of an execution role write the logs of their task and of no other', async () => {
    ok(await server.call('RegisterTaskDefinition', { family: 'with-role', executionRoleArn, containerDefinitions: [{ name: 'main', image: 'none', memory: 16, command: ['x'],
        logConfiguration: { logDriver: 'awslogs', options: { 'awslogs-group': 'g', 'awslogs-region': region, 'awslogs-stream-prefix': 'r' } } }] }));
    const { agent, arn } = machines.b;
    const { tasks: [{ taskArn }] } = ok(await server.call('StartTask', { taskDefinition: 'with-role', containerInstances: [arn] }));
    await waitFor('the task to be sent', async () => { await agent.poll(); return agent.told.has(taskArn); });       // it may have come too often
    const { accessKeyId: key, secretAccessKey: secret, sessionToken: token } = agent.told.get(taskArn).executionRoleCredentials;
    const put = (name, task) => server.raw({ target: 'Logs_20140328.CreateLogStream', service: 'logs', key, secret, token,
        body: JSON.stringify({ logGroupName: 'g', logStreamName: `${name}/main/${idOf(task)}` }) });
    ok(await put('r', taskArn));
    assert.strictEqual((await put('a', machines.a.task)).json.__type, 'AccessDeniedException');
});

test('the ECS agent works whole with a key that is bound to its machine', async () => {
    ok(await server.call('CreateCluster', { clusterName: 'ecs' }));
    const first = new EcsAgent(server, { cluster: 'ecs' });
    await first.register();
    const agent = new EcsAgent(as(makeKey('--instance', first.arn)), { cluster: 'ecs' });
    agent.arn = first.arn;
    agent.isConnected = async () => (await server.call('DescribeContainerInstances', { cluster: 'ecs', containerInstances: [agent.arn] })).json.containerInstances[0].agentConnected;
    await agent.start();
    const telemetry = await openTelemetry(agent);
    assert.ok(!telemetry.refused);
    ok(await server.call('RegisterTaskDefinition', { family: 'plain', containerDefinitions: [{ name: 'main', image: 'none', memory: 16 }] }));
    const { tasks: [{ taskArn }], failures } = ok(await server.call('RunTask', { cluster: 'ecs', taskDefinition: 'plain' }));
    assert.deepStrictEqual(failures, []);
    await agent.told(taskArn, 'RUNNING');
    await agent.report(taskArn, 'RUNNING');
    ok(await server.call('StopTask', { cluster: 'ecs', task: taskArn }));
    await agent.told(taskArn, 'STOPPED');
    await agent.report(taskArn, 'STOPPED');
    ok(await agent.server.call('UpdateContainerInstancesState', { cluster: 'ecs', containerInstances: [agent.arn], status: 'DRAINING' }));
    ok(await agent.server.call('ListTagsForResource', { resourceArn: agent.arn }));
    await agent.register();
    ok(await agent.server.call('DeregisterContainerInstance', { cluster: 'ecs', containerInstance: agent.arn, force: true }));
    await telemetry.hangUp();
});

test('Berth\'s agent works whole with a key that is bound to its machine\'s name', async () => {
    ok(await server.call('CreateCluster', { clusterName: 'own' }));
    const { key, secret } = makeKey('--instance', 'mine', '--cluster', 'own'), data = mkdtempSync(path.join(os.tmpdir(), 'berth-agent-'));
    const start = (...args) => server.agentIn(data, ['--runtime', 'process', '--cluster', 'own', ...args], { environment: { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret } });
    const agent = await start('--name', 'mine', '--sample-interval', '1s');
    await waitFor('this machine', async () => (await server.connected('own')) === 1);
    ok(await server.call('RegisterTaskDefinition', { family: 'says', executionRoleArn, containerDefinitions: [{ name: 'main', image: 'none', memory: 16, entryPoint: ['sh', '-c'], command: ['echo "$S"'],
        secrets: [{ name: 'S', valueFrom: 'of-b' }] }] }));
    const { tasks: [{ taskArn }] } = ok(await server.call('RunTask', { cluster: 'own', taskDefinition: 'says' }));
    const ended = await waitFor('its end', async () => {
        const [task] = ok(await server.call('DescribeTasks', { cluster: 'own', tasks: [taskArn] })).tasks;
        return task.lastStatus === 'STOPPED' && task;
    });
    assert.strictEqual(ended.containers[0].exitCode, 0, JSON.stringify(ended));
    const log = await server.raw({ method: 'GET', pathname: '/berth/v1/logs', unsigned: true, contentType: undefined });
    assert.notStrictEqual(log.status, 200);
    assert.ok(!/AccessDenied/.test(agent.output), agent.output);
    await agent.signal('SIGTERM');
    remove(data);
});
