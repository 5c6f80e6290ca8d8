// Container instances over their whole life, field by field: members that are there and absent ones when a machine has come, holds tasks,
// comes again with other resources, drains, is deregistered and forgotten; and the cluster query language over a small fleet.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import * as ecs from '@aws-sdk/client-ecs';
import { Server, account, isRecent, region, waitFor } from '../lib/lib.mjs';

let server, client;
const send = (name, input = {}) => client.send(new ecs[`${name}Command`](input));
const arn = (resource) => `arn:aws:ecs:${region}:${account}:${resource}`;
const nobody = '0123456789abcdef0123456789abcdef';
const refused = (promise, name, text) => assert.rejects(promise, (error) => {
    assert.strictEqual(error.name, name, error.message);
    if (text) assert.match(error.message, text);
    return true;
});

before(async () => {
    server = await Server.start();
    client = server.sdk();
    await send('CreateCluster');
    const container = { name: 'main', image: 'busybox', cpu: 256, memory: 64, portMappings: [{ containerPort: 80, hostPort: 8080 }, { containerPort: 53, hostPort: 53, protocol: 'udp' }] };
    await send('RegisterTaskDefinition', { family: 'gpu', containerDefinitions: [{ ...container, resourceRequirements: [{ type: 'GPU', value: '1' }] }] });
    await send('RegisterTaskDefinition', { family: 'plain', containerDefinitions: [{ name: 'main', image: 'busybox', cpu: 10, memory: 16 }] });
});
after(async () => { client.destroy(); await server.stop(); });

// ---- one machine whose agent is this test ----

const number = (name, integerValue) => ({ name, type: 'INTEGER', integerValue });
const set = (name, stringSetValue) => ({ name, type: 'STRINGSET', stringSetValue });
const zeros = { doubleValue: 0, longValue: 0, integerValue: 0 };
const devices = (...ids) => ids.map((id) => ({ id, type: 'GPU' }));
const described = async (containerInstance, more = {}) =>
    (await server.call('DescribeContainerInstances', { cluster: 'lab', containerInstances: [containerInstance], ...more })).json.containerInstances[0];
const resource = (list, name) => list.find((one) => one.name === name);
const report = (task, status) => send('SubmitTaskStateChange', { cluster: 'lab', task, status, containers: [{ containerName: 'main', status }] });

let machine, task;
const attributes = [{ name: 'ecs.os-type', value: 'linux' }, { name: 'ecs.instance-type', value: 'p3.8xlarge' }, { name: 'ecs.availability-zone', value: 'us-east-1a' },
    { name: 'ecs.capability.gpu-driver-version', value: '570.1' }, { name: 'ecs.capability.task-cpu-mem-limit' }, { name: 'rack', value: 'r1' }];
const totalResources = [number('CPU', 4096), number('MEMORY', 2048), set('PORTS', ['22', '2376']), set('PORTS_UDP', [])];

test('a new machine: members that are shown, and that are left out', async () => {
    await send('CreateCluster', { clusterName: 'lab' });
    const { containerInstance } = await server.call('RegisterContainerInstance', { cluster: 'lab', totalResources, attributes, platformDevices: devices('GPU-a', 'GPU-b'),
        versionInfo: { agentVersion: '1.90.0', agentHash: 'abcdef01', dockerVersion: 'DockerVersion:25.0.3' }, tags: [{ key: 'team', value: 'ml' }],
        instanceIdentityDocument: '{"instanceId":"i-0123456789abcdef0","imageId":"ami-1"}' }).then((reply) => reply.json);
    machine = containerInstance.containerInstanceArn;
    assert.match(machine, new RegExp(`^${arn('container-instance/lab/')}[0-9a-f]{32}$`));
    const resources = [{ ...zeros, ...number('CPU', 4096) }, { ...zeros, ...number('MEMORY', 2048) }, { ...zeros, ...set('PORTS', ['22', '2376']) },
        { ...zeros, ...set('PORTS_UDP', []) }, { ...zeros, ...set('GPU', ['GPU-a', 'GPU-b']) }];
    const { attributes: echoed, registeredAt, ...rest } = containerInstance;
    assert.deepStrictEqual(rest, { containerInstanceArn: machine, ec2InstanceId: 'i-0123456789abcdef0', version: 1,
        versionInfo: { agentVersion: '1.90.0', agentHash: 'abcdef01', dockerVersion: 'DockerVersion:25.0.3' }, remainingResources: resources, registeredResources: resources,
        status: 'ACTIVE', agentConnected: false, runningTasksCount: 0, pendingTasksCount: 0, attachments: [], tags: [{ key: 'team', value: 'ml' }] });
    assert.deepStrictEqual(echoed.slice(0, attributes.length), attributes, 'every attribute comes back as it was sent, or an ECS agent would end');
    assert.ok(echoed.some((one) => one.name === 'ecs.ami-id' && one.value === 'ami-1'), 'and what the identity document says');
    assert.ok(isRecent(registeredAt * 1000), 'seconds with a fraction');
    await server.attend(machine, 'lab');
    const shown = await described(machine);
    assert.deepStrictEqual([shown.agentConnected, shown.version, shown.tags, shown.healthStatus], [true, 2, [], undefined]);
    const { healthStatus, tags } = await described(machine, { include: ['TAGS', 'CONTAINER_INSTANCE_HEALTH'] });
    assert.deepStrictEqual(tags, [{ key: 'team', value: 'ml' }]);
    assert.deepStrictEqual([healthStatus.overallStatus, healthStatus.details.map((one) => [one.type, one.status])], ['OK', [['AGENT_CONNECTIVITY', 'OK'], ['ACCELERATED_COMPUTE', 'INSUFFICIENT_DATA']]],
        'an agent that says nothing of its GPUs is no reason for worry');
});

test('what a task takes is gone from what remains: numbers fall, ports are added, GPUs leave', async () => {
    const run = await send('RunTask', { cluster: 'lab', taskDefinition: 'gpu' });
    task = run.tasks[0].taskArn;
    const shown = await described(machine);
    assert.strictEqual(resource(shown.remainingResources, 'CPU').integerValue, 4096 - 256);
    assert.strictEqual(resource(shown.remainingResources, 'MEMORY').integerValue, 2048 - 64);
    assert.deepStrictEqual(resource(shown.remainingResources, 'PORTS').stringSetValue, ['22', '2376', '8080']);
    assert.deepStrictEqual(resource(shown.remainingResources, 'PORTS_UDP').stringSetValue, ['53']);
    assert.deepStrictEqual(resource(shown.remainingResources, 'GPU'), { ...zeros, ...set('GPU', ['GPU-a', 'GPU-b'].filter((id) => id !== run.tasks[0].containers[0].gpuIds[0])) });
    assert.deepStrictEqual(resource(shown.registeredResources, 'GPU').stringSetValue, ['GPU-a', 'GPU-b']);
    assert.deepStrictEqual(resource(shown.registeredResources, 'PORTS').stringSetValue, ['22', '2376']);
    assert.deepStrictEqual([shown.runningTasksCount, shown.pendingTasksCount, shown.version], [0, 1, 3], 'a placement is an event');
    await report(task, 'RUNNING');
    const running = await described(machine);
    assert.deepStrictEqual([running.runningTasksCount, running.pendingTasksCount, running.version], [1, 0, 3]);
    const cluster = (await send('DescribeClusters', { clusters: ['lab'], include: ['STATISTICS'] })).clusters[0];
    assert.deepStrictEqual([cluster.registeredContainerInstancesCount, cluster.runningTasksCount, cluster.pendingTasksCount], [1, 1, 0]);
    assert.deepStrictEqual(Object.fromEntries(cluster.statistics.map(({ name, value }) => [name, value])), { runningEC2TasksCount: '1', runningFargateTasksCount: '0',
        pendingEC2TasksCount: '0', pendingFargateTasksCount: '0', activeEC2ServiceCount: '0', activeFargateServiceCount: '0', drainingEC2ServiceCount: '0', drainingFargateServiceCount: '0' });
});

test('the same machine again, with other resources and attributes: the ARN, its tasks and what others said of it stay', async () => {
    await send('PutAttributes', { cluster: 'lab', attributes: [{ name: 'floor', value: '2', targetId: machine }] });
    const again = await send('RegisterContainerInstance', { cluster: 'lab', containerInstanceArn: machine, totalResources: [number('CPU', 8192), number('MEMORY', 1024)],
        platformDevices: devices('GPU-a', 'GPU-b', 'GPU-c'), attributes: [{ name: 'ecs.os-type', value: 'linux' }, { name: 'ecs.instance-type', value: 'p3.8xlarge' }] });
    const shown = again.containerInstance;
    assert.strictEqual(shown.containerInstanceArn, machine);
    assert.deepStrictEqual(shown.registeredResources.map((one) => [one.name, one.integerValue, one.stringSetValue]),
        [['CPU', 8192, undefined], ['MEMORY', 1024, undefined], ['PORTS', 0, []], ['PORTS_UDP', 0, []], ['GPU', 0, ['GPU-a', 'GPU-b', 'GPU-c']]]);
    assert.deepStrictEqual([resource(shown.remainingResources, 'CPU').integerValue, resource(shown.remainingResources, 'MEMORY').integerValue], [8192 - 256, 1024 - 64]);
    const names = shown.attributes.map((one) => one.name);
    for (const name of ['floor', 'rack', 'ecs.os-type']) assert.ok(names.includes(name), name);
    for (const name of ['ecs.capability.task-cpu-mem-limit', 'ecs.capability.gpu-driver-version']) assert.ok(!names.includes(name), `${name} is no longer said`);
    assert.deepStrictEqual(shown.tags, [{ key: 'team', value: 'ml' }]);
    assert.strictEqual(shown.version, 4);
    assert.strictEqual((await described(machine)).runningTasksCount, 1);
    await refused(send('RegisterContainerInstance', { cluster: 'lab', containerInstanceArn: machine, attributes: [{ name: 'ecs.instance-type', value: 'p3.2xlarge' }] }),
        'ClientException', /^Container instance type changes are not supported\./);
    assert.strictEqual((await described(machine)).version, 4, 'a refused request changes nothing');
});

test('draining: tasks that stand alone stay, nothing new comes, and it may be taken back', async () => {
    const drained = await send('UpdateContainerInstancesState', { cluster: 'lab', containerInstances: [machine, nobody], status: 'DRAINING' });
    assert.deepStrictEqual(drained.containerInstances.map((one) => [one.containerInstanceArn, one.status, one.runningTasksCount, one.version]), [[machine, 'DRAINING', 1, 5]]);
    assert.deepStrictEqual(drained.failures, [{ arn: arn(`container-instance/lab/${nobody}`), reason: 'MISSING' }]);
    assert.deepStrictEqual((await send('ListContainerInstances', { cluster: 'lab', status: 'DRAINING' })).containerInstanceArns, [machine]);
    assert.deepStrictEqual((await send('ListContainerInstances', { cluster: 'lab', status: 'ACTIVE' })).containerInstanceArns, []);
    assert.deepStrictEqual((await send('ListContainerInstances', { cluster: 'lab' })).containerInstanceArns, [machine]);
    assert.strictEqual((await send('DescribeClusters', { clusters: ['lab'] })).clusters[0].registeredContainerInstancesCount, 1, 'it still counts');
    for (const [name, more] of [['RunTask', {}], ['StartTask', { containerInstances: [machine] }]]) {
        const { tasks, failures } = await send(name, { cluster: 'lab', taskDefinition: 'plain', ...more });
        assert.deepStrictEqual([tasks, failures.length], [[], 1], name);
    }
    await send('UpdateContainerInstancesState', { cluster: 'lab', containerInstances: [machine], status: 'ACTIVE' });
    assert.strictEqual((await send('RunTask', { cluster: 'lab', taskDefinition: 'plain' })).tasks.length, 1);
});

test('taking it out: refused while tasks are there, forced they end with it', async () => {
    await refused(send('DeregisterContainerInstance', { cluster: 'lab', containerInstance: machine }), 'InvalidParameterException', /^Found running tasks on the instance\.$/);
    await refused(send('DeleteCluster', { cluster: 'lab' }), 'ClusterContainsContainerInstancesException');
    const before = await described(machine);
    const { containerInstance } = await send('DeregisterContainerInstance', { cluster: 'lab', containerInstance: machine, force: true });
    assert.deepStrictEqual([containerInstance.status, containerInstance.runningTasksCount, containerInstance.pendingTasksCount, containerInstance.tags], ['INACTIVE', 0, 0, []]);
    assert.strictEqual(containerInstance.version, before.version + 3, 'it left, and two tasks ended');
    const stopped = (await send('DescribeTasks', { cluster: 'lab', tasks: [task] })).tasks[0];
    assert.deepStrictEqual([stopped.lastStatus, stopped.desiredStatus, stopped.stopCode, stopped.stoppedReason, stopped.containerInstanceArn],
        ['STOPPED', 'STOPPED', undefined, 'Container instance deregistration forced by user', machine]);
    assert.strictEqual((await described(machine)).status, 'INACTIVE');
    assert.deepStrictEqual((await send('ListContainerInstances', { cluster: 'lab' })).containerInstanceArns, []);
    assert.strictEqual((await send('DescribeClusters', { clusters: ['lab'] })).clusters[0].registeredContainerInstancesCount, 0);
    const gone = await send('UpdateContainerInstancesState', { cluster: 'lab', containerInstances: [machine], status: 'ACTIVE' });
    assert.deepStrictEqual(gone.failures, [{ arn: machine, reason: 'INACTIVE' }]);
    const poll = await server.raw({ pathname: '/berth/v1/agent/poll', body: JSON.stringify({ cluster: 'lab', containerInstance: machine, waitSeconds: 0 }) });
    assert.match(poll.json.message, /not registered/, 'its agent gets the reason');
    await send('DeleteCluster', { cluster: 'lab' });
    assert.strictEqual((await send('DescribeTasks', { cluster: 'lab', tasks: [task] })).tasks[0].lastStatus, 'STOPPED', 'its tasks outlive the cluster');
});

test('a machine that left is forgotten when its time is over', async () => {
    const short = await Server.start({ args: ['--keep-inactive', '0s'] });
    try {
        await short.call('CreateCluster');
        const kept = (await short.call('RegisterContainerInstance')).json.containerInstance.containerInstanceArn;
        const left = (await short.call('RegisterContainerInstance')).json.containerInstance.containerInstanceArn;
        await short.call('DeregisterContainerInstance', { containerInstance: left });
        const ask = async () => (await short.call('DescribeContainerInstances', { containerInstances: [left, kept] })).json;
        const reply = await waitFor('it to be missing', async () => { const json = await ask(); return json.failures.length > 0 && json; });
        assert.deepStrictEqual([reply.failures, reply.containerInstances.map((one) => one.containerInstanceArn)], [[{ arn: left, reason: 'MISSING' }], [kept]]);
    } finally { await short.stop(); }
});

// ---- limits, each from both sides ----

const ids = (count) => Array.from({ length: count }, (_, n) => (n + 1).toString(16).padStart(32, '0'));
const limits = [
    ['DescribeContainerInstances', (count) => ({ containerInstances: ids(count) }), 100],
    ['UpdateContainerInstancesState', (count) => ({ containerInstances: ids(count), status: 'ACTIVE' }), 10],
    ['ListContainerInstances', (maxResults) => ({ maxResults }), 100],
    ['ListContainerInstances', (length) => ({ filter: 'agentConnected == true'.padEnd(length) }), 2000],
    ['ListAttributes', (maxResults) => ({ targetType: 'container-instance', maxResults }), 100],
    ['DescribeClusters', (count) => ({ clusters: ids(count) }), 100],
    ['ListClusters', (maxResults) => ({ maxResults }), 100],
    ['GetTaskProtection', (count) => ({ cluster: 'default', tasks: ids(count) }), 100],
    ['UpdateTaskProtection', (count) => ({ cluster: 'default', tasks: ids(count), protectionEnabled: true }), 10],
    ['UpdateTaskProtection', (expiresInMinutes) => ({ cluster: 'default', tasks: ids(1), protectionEnabled: true, expiresInMinutes }), 2880],
    ['CreateCluster', (length) => ({ clusterName: 'n'.repeat(length) }), 255],
    ['ListAccountSettings', (maxResults) => ({ maxResults }), 10],
];
for (const [operation, input, most] of limits) {
    test(`${operation} ${Object.keys(input(1)).at(-1)}: ${most} and no more`, async () => {
        assert.strictEqual((await server.call(operation, input(most))).status, 200);
        assert.strictEqual((await server.call(operation, input(most + 1))).json.__type, 'InvalidParameterException');
    });
}

// ---- identifiers ----

test('an id, a UUID, an ARN of today and an older one mean the same machine', async () => {
    const { containerInstance } = await send('RegisterContainerInstance');
    const id = containerInstance.containerInstanceArn.split('/').at(-1), uuid = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    for (const reference of [id, uuid, containerInstance.containerInstanceArn, arn(`container-instance/${uuid}`)]) {
        for (const cluster of [undefined, 'default', arn('cluster/default')]) {
            const { containerInstances, failures } = await send('DescribeContainerInstances', { cluster, containerInstances: [reference] });
            assert.deepStrictEqual([containerInstances.map((one) => one.containerInstanceArn), failures], [[containerInstance.containerInstanceArn], []], reference);
        }
    }
    await send('DeregisterContainerInstance', { containerInstance: id });
});

const far = `arn:aws:ecs:eu-west-9:${account}:`, foreign = `arn:aws:ecs:${region}:999999999999:`;
const references = [
    ['DescribeTasks', (prefix) => ({ cluster: `${prefix}cluster/default`, tasks: [nobody] })],
    ['DescribeClusters', (prefix) => ({ clusters: [`${prefix}cluster/default`] })],
    ['DeleteCluster', (prefix) => ({ cluster: `${prefix}cluster/default` })],
    ['DescribeTasks', (prefix) => ({ tasks: [`${prefix}task/default/${nobody}`] })],
    ['StopTask', (prefix) => ({ task: `${prefix}task/default/${nobody}` })],
    ['DescribeContainerInstances', (prefix) => ({ containerInstances: [`${prefix}container-instance/default/${nobody}`] })],
    ['PutAttributes', (prefix) => ({ attributes: [{ name: 'a', targetId: `${prefix}container-instance/default/${nobody}` }] })],
    ['RegisterContainerInstance', (prefix) => ({ containerInstanceArn: `${prefix}container-instance/default/${nobody}` })],
    ['DescribeTaskDefinition', (prefix) => ({ taskDefinition: `${prefix}task-definition/plain:1` })],
    ['RunTask', (prefix) => ({ taskDefinition: `${prefix}task-definition/plain:1` })],
];
for (const [operation, input] of references) {
    test(`${operation}: an ARN of another region or account is not ours: ${Object.keys(input('')).at(-1)}`, async () => {
        for (const [prefix, message] of [[far, 'Invalid Region in ARN'], [foreign, 'Invalid Account in ARN']]) {
            assert.deepStrictEqual((await server.call(operation, input(prefix))).json, { __type: 'InvalidParameterException', message });
        }
    });
}

// ---- the query language ----

test('the query language: each form of the guide, over three machines', async (t) => {
    await send('CreateCluster', { clusterName: 'fleet' });
    const register = async (name, type, zone, more = [], version = '1.14.5') => (await send('RegisterContainerInstance', { cluster: 'fleet', totalResources, versionInfo: { agentVersion: version },
        instanceIdentityDocument: JSON.stringify({ instanceId: `i-${name}` }),
        attributes: [{ name: 'ecs.instance-type', value: type }, { name: 'ecs.availability-zone', value: zone }, ...more] })).containerInstance.containerInstanceArn;
    const machines = { a: await register('abcd1234', 't2.small', 'us-east-1a', [{ name: 'stack', value: 'production' }], '1.9.0'),
        b: await register('wxyx7890', 'g2.2xlarge', 'us-east-1b', [{ name: 'gpu' }]), c: await register('c', 'g2.8xlarge', 'us-east-1d') };
    for (const name of ['a', 'b']) await server.attend(machines[name], 'fleet');
    await send('CreateService', { cluster: 'fleet', serviceName: 'production', taskDefinition: 'plain', desiredCount: 1,
        placementConstraints: [{ type: 'memberOf', expression: 'attribute:stack == production' }] });
    const [production] = await waitFor('the task of the service', async () => {
        const { taskArns } = await send('ListTasks', { cluster: 'fleet', serviceName: 'production' });
        return taskArns.length === 1 && taskArns;
    });
    await send('StartTask', { cluster: 'fleet', taskDefinition: 'plain', group: 'database', containerInstances: [machines.b] });
    await send('SubmitTaskStateChange', { cluster: 'fleet', task: production, status: 'RUNNING', containers: [{ containerName: 'main', status: 'RUNNING' }] });
    const filters = {
        'attribute:ecs.instance-type == t2.small': 'a',
        'attribute:ecs.instance-type equals t2.small': 'a',
        'attribute:ecs.availability-zone in [us-east-1a, us-east-1b]': 'ab',
        'attribute:ecs.availability-zone not_in [us-east-1a, us-east-1b]': 'c',
        'attribute:ecs.availability-zone !in [us-east-1a]': 'bc',
        'attribute:ecs.instance-type =~ g2.* and attribute:ecs.availability-zone != us-east-1d': 'b',
        'attribute:ecs.instance-type matches g2': '',
        'attribute:ecs.instance-type !~ g2.*': 'a',
        'attribute:ecs.instance-type not_matches g2.*': 'a',
        'task:group == service:production': 'a',
        'task:group in [database, "service:production"]': 'ab',
        'not(task:group == database)': 'ac',
        'runningTasksCount == 1': 'a',
        'runningTasksCount < 1': 'bc',
        'runningTasksCount greater_than_equal 0': 'abc',
        'agentVersion < 1.14.5': 'a',
        'agentVersion >= 1.14.5': 'bc',
        'attribute:stack exists': 'a',
        'attribute:gpu exists': 'b',
        'attribute:gpu !exists': 'ac',
        'attribute:gpu not_exists': 'ac',
        'registeredAt >= 2018-06-18': 'abc',
        'registeredAt < 2018-06-18T22:28:28+00:00': '',
        'agentConnected==false': 'c',
        'agentConnected == true': 'ab',
        '(attribute:stack == production or attribute:ecs.availability-zone == us-east-1b) and runningTasksCount < 3': 'ab',
        "ec2InstanceId in ['i-abcd1234', 'i-wxyx7890']": 'ab',
        'ec2InstanceId == i-c || attribute:stack == production && runningTasksCount == 9': 'c',
        '!(attribute:stack exists) and !(attribute:gpu exists)': 'c',
        'attribute:ecs.instance-type not_equals g2.8xlarge': 'ab',
    };
    for (const [filter, want] of Object.entries(filters)) {
        await t.test(filter, async () => {
            const { containerInstanceArns } = await send('ListContainerInstances', { cluster: 'fleet', filter });
            assert.deepStrictEqual(containerInstanceArns, [...want].map((name) => machines[name]));
        });
    }
    for (const filter of ['attribute:', 'attribute:x ==', 'x == y', 'attribute:x in [a', 'attribute:x in a', 'runningTasksCount == many', 'agentVersion =~ 1.*', 'registeredAt > yesterday',
        'attribute:x exists and', '(attribute:x exists', 'attribute:x exists)', "attribute:x == 'a", 'attribute:x =~ (', 'agentConnected > true']) {
        await t.test(`refused: ${filter}`, () => refused(send('ListContainerInstances', { cluster: 'fleet', filter }), 'InvalidParameterException'));
    }
});
