// The JavaScript SDK: every served operation with success and its errors as typed classes, paginators, waiters, idempotency.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import * as ecs from '@aws-sdk/client-ecs';
import { STSClient, GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { Server, account, region, waitFor } from '../lib/lib.mjs';

let server, client;
const send = (name, input = {}) => client.send(new ecs[`${name}Command`](input));
const arn = (resource) => `arn:aws:ecs:${region}:${account}:${resource}`;
const rejects = (promise, name, text) => assert.rejects(promise, (error) => {
    assert.strictEqual(error.name, name, error.message);
    assert.ok(error instanceof (ecs[name] ?? ecs.ECSServiceException), `typed as ${name}`);
    if (text) assert.match(error.message, text);
    return true;
});

before(async () => {
    server = await Server.start();
    client = server.sdk();
    await send('CreateCluster');
    await server.fleet('p3.8xlarge:2,c5.large', 3);
    await send('RegisterTaskDefinition', { family: 'sleeper', containerDefinitions: [{ name: 'main', image: 'busybox', cpu: 10, memory: 32, command: ['sleep', '600'] }] });
});
after(async () => { client.destroy(); await server.stop(); });

test('clusters', async () => {
    const { cluster } = await send('CreateCluster', { clusterName: 'sdk', tags: [{ key: 'team', value: 'ml' }] });
    assert.deepStrictEqual({ ...cluster }, { clusterArn: arn('cluster/sdk'), clusterName: 'sdk', status: 'ACTIVE', registeredContainerInstancesCount: 0, runningTasksCount: 0,
        pendingTasksCount: 0, activeServicesCount: 0, statistics: [], tags: [{ key: 'team', value: 'ml' }], settings: [{ name: 'containerInsights', value: 'disabled' }],
        capacityProviders: [], defaultCapacityProviderStrategy: [] });
    assert.strictEqual((await send('CreateCluster', { clusterName: 'sdk' })).cluster.clusterArn, cluster.clusterArn, 'idempotent by name');
    const described = await send('DescribeClusters', { clusters: ['sdk', arn('cluster/nowhere'), 'lost'], include: ['TAGS'] });
    assert.deepStrictEqual(described.clusters.map((c) => c.clusterName), ['sdk']);
    assert.deepStrictEqual(described.clusters[0].tags, [{ key: 'team', value: 'ml' }]);
    assert.deepStrictEqual(described.failures, [{ arn: arn('cluster/nowhere'), reason: 'MISSING' }, { arn: arn('cluster/lost'), reason: 'MISSING' }]);
    await rejects(send('CreateCluster', { clusterName: 'no blanks' }), 'InvalidParameterException');
    await rejects(send('DeleteCluster', { cluster: 'nowhere' }), 'ClusterNotFoundException', /^Cluster not found\.$/);
    await rejects(send('DeleteCluster', { cluster: 'default' }), 'ClusterContainsContainerInstancesException');
    assert.strictEqual((await send('DeleteCluster', { cluster: 'sdk' })).cluster.status, 'INACTIVE');
    await rejects(send('RunTask', { cluster: 'sdk', taskDefinition: 'sleeper' }), 'ClusterNotFoundException');
});

test('ListClusters pages, each exactly once', async () => {
    const made = [];
    for (let n = 0; n < 7; n++) made.push((await send('CreateCluster', { clusterName: `page-${n}` })).cluster.clusterArn);
    const listed = [];
    for await (const page of ecs.paginateListClusters({ client, pageSize: 3 }, {})) {
        assert.ok(page.clusterArns.length <= 3);
        listed.push(...page.clusterArns);
    }
    assert.strictEqual(new Set(listed).size, listed.length);
    assert.ok(made.every((one) => listed.includes(one)));
    await rejects(send('ListClusters', { nextToken: 'not a token' }), 'InvalidParameterException');
    for (const maxResults of [0, 101]) await rejects(send('ListClusters', { maxResults }), 'InvalidParameterException', /maxResults/);
    for (const maxResults of [1, 100]) await send('ListClusters', { maxResults });
});

test('task definitions', async () => {
    const containerDefinitions = [{ name: 'main', image: 'busybox', memory: 64, portMappings: [{ containerPort: 80 }], environment: [{ name: 'A', value: '' }],
        resourceRequirements: [{ type: 'GPU', value: '2' }] }];
    const { taskDefinition } = await send('RegisterTaskDefinition', { family: 'sdk-def', containerDefinitions, tags: [{ key: 'a', value: 'b' }] });
    assert.strictEqual(taskDefinition.taskDefinitionArn, arn('task-definition/sdk-def:1'));
    assert.strictEqual(taskDefinition.containerDefinitions[0].essential, true);
    assert.strictEqual(taskDefinition.containerDefinitions[0].cpu, 0);
    assert.deepStrictEqual(taskDefinition.containerDefinitions[0].portMappings, [{ containerPort: 80, hostPort: 0, protocol: 'tcp' }]);
    await send('RegisterTaskDefinition', { family: 'sdk-def', containerDefinitions });
    const latest = await send('DescribeTaskDefinition', { taskDefinition: 'sdk-def' });
    assert.strictEqual(latest.taskDefinition.revision, 2);
    const first = await send('DescribeTaskDefinition', { taskDefinition: 'sdk-def:1', include: ['TAGS'] });
    assert.deepStrictEqual(first.tags, [{ key: 'a', value: 'b' }]);
    assert.deepStrictEqual({ ...first.taskDefinition }, { ...taskDefinition }, 'Describe gives back what Register gave');
    assert.deepStrictEqual((await send('ListTaskDefinitions', { familyPrefix: 'sdk-def', sort: 'DESC' })).taskDefinitionArns,
        [arn('task-definition/sdk-def:2'), arn('task-definition/sdk-def:1')]);
    assert.strictEqual((await send('DeregisterTaskDefinition', { taskDefinition: 'sdk-def:2' })).taskDefinition.status, 'INACTIVE');
    assert.strictEqual((await send('DescribeTaskDefinition', { taskDefinition: 'sdk-def' })).taskDefinition.revision, 1);
    assert.ok((await send('ListTaskDefinitionFamilies', { familyPrefix: 'sdk', status: 'ACTIVE' })).families.includes('sdk-def'));
    await rejects(send('DescribeTaskDefinition', { taskDefinition: 'nothing' }), 'ClientException', /^Unable to describe task definition\.$/);
    await rejects(send('DeregisterTaskDefinition', { taskDefinition: 'sdk-def' }), 'ClientException', /Revision is missing/);
    await rejects(send('RunTask', { taskDefinition: 'sdk-def:2' }), 'InvalidParameterException', /inactive/);
    for (const value of ['0', '-1', 'x', '1.5e1']) {
        await rejects(send('RegisterTaskDefinition', { family: 'bad', containerDefinitions: [{ name: 'm', image: 'i', memory: 64, resourceRequirements: [{ type: 'GPU', value }] }] }), 'ClientException');
    }
    await rejects(send('RegisterTaskDefinition', { family: 'bad', containerDefinitions: [{ name: 'm', image: 'i' }] }), 'ClientException', /At least one of 'memory' or 'memoryReservation'/);
});

test('tasks: run, describe, list, wait, stop', async () => {
    const { tasks, failures } = await send('RunTask', { taskDefinition: 'sleeper', count: 3, startedBy: 'sdk-test', group: 'sdk-group', tags: [{ key: 'k', value: 'v' }] });
    assert.deepStrictEqual(failures, []);
    assert.strictEqual(tasks.length, 3);
    const arns = tasks.map((task) => task.taskArn);
    assert.deepStrictEqual([...arns].sort(), arns, 'ids sort by creation');
    assert.strictEqual(tasks[0].lastStatus, 'PENDING');
    assert.strictEqual(tasks[0].desiredStatus, 'RUNNING');
    assert.strictEqual(tasks[0].version, 1);
    assert.deepStrictEqual(tasks[0].overrides.containerOverrides, [{ name: 'main' }]);
    await ecs.waitUntilTasksRunning({ client, maxWaitTime: 300, minDelay: 1, maxDelay: 1 }, { tasks: arns });
    const described = await send('DescribeTasks', { tasks: [...arns, arn('task/default/ffffffffffffffffffffffffffffffff')], include: ['TAGS'] });
    assert.deepStrictEqual(described.tasks.map((task) => task.taskArn), arns, 'in the order of the request');
    assert.strictEqual(described.failures[0].reason, 'MISSING');
    assert.deepStrictEqual(described.tasks[0].tags, [{ key: 'k', value: 'v' }]);
    assert.ok(described.tasks[0].startedAt >= described.tasks[0].createdAt);
    const list = async (input) => (await send('ListTasks', input)).taskArns;
    assert.deepStrictEqual(await list({ startedBy: 'sdk-test' }), arns);
    assert.deepStrictEqual((await list({ family: 'sleeper', maxResults: 2 })).length, 2);
    assert.deepStrictEqual(await list({ startedBy: 'sdk-test', desiredStatus: 'STOPPED' }), []);
    const onFirst = await list({ containerInstance: described.tasks[0].containerInstanceArn });
    assert.ok(onFirst.includes(arns[0]));
    for (const task of arns) await send('StopTask', { task, reason: 'enough' });
    await ecs.waitUntilTasksStopped({ client, maxWaitTime: 300, minDelay: 1, maxDelay: 1 }, { tasks: arns });
    const stopped = (await send('DescribeTasks', { tasks: arns })).tasks[0];
    assert.strictEqual(stopped.stopCode, 'UserInitiated');
    assert.match(stopped.stoppedReason, /enough/);
    assert.ok(stopped.stoppedAt >= stopped.stoppingAt);
    assert.deepStrictEqual(await list({ startedBy: 'sdk-test', desiredStatus: 'STOPPED' }), arns);
});

test('tasks: refusals', async () => {
    await rejects(send('RunTask', { taskDefinition: 'nothing' }), 'ClientException', /^TaskDefinition not found\.$/);
    for (const count of [0, 11]) await rejects(send('RunTask', { taskDefinition: 'sleeper', count }), 'InvalidParameterException', /count/);
    await rejects(send('RunTask', { taskDefinition: 'sleeper', overrides: { containerOverrides: [{ name: 'other' }] } }), 'InvalidParameterException',
        /^Override for container named other is not a container in the TaskDefinition\.$/);
    await rejects(send('RunTask', { cluster: 'page-0', taskDefinition: 'sleeper' }), 'InvalidParameterException', /^No Container Instances were found in your cluster\.$/);
    await rejects(send('RunTask', { taskDefinition: 'sleeper', placementConstraints: [{ type: 'memberOf', expression: 'attribute:x ==' }] }), 'InvalidParameterException', /position/);
    await rejects(send('StopTask', { task: '0123456789abcdef0123456789abcdef' }), 'InvalidParameterException', /^The referenced task was not found\.$/);
    await rejects(send('DescribeTasks', { tasks: [] }), 'InvalidParameterException', /^Tasks cannot be empty\.$/);
    await rejects(send('DescribeTasks', { tasks: ['xyz'] }), 'InvalidParameterException');
    await rejects(send('DescribeTasks', { tasks: [arn('task/elsewhere/0123456789abcdef0123456789abcdef')] }), 'InvalidParameterException', /Your cluster is default/);
});

test('the same clientToken gives the same tasks, also from callers at once', async () => {
    const input = { taskDefinition: 'sleeper', count: 2, clientToken: 'once-only' };
    const replies = await Promise.all(Array.from({ length: 8 }, () => send('RunTask', input)));
    const sets = new Set(replies.map((reply) => reply.tasks.map((task) => task.taskArn).join()));
    assert.strictEqual(sets.size, 1);
    await rejects(send('RunTask', { ...input, count: 3 }), 'ConflictException');
    for (const task of replies[0].tasks) await send('StopTask', { task: task.taskArn });
});

test('a definition made for ECS, with roles, sizes and a health check, finds a place', async () => {
    await send('RegisterTaskDefinition', { family: 'from-ecs', cpu: '256', memory: '512', taskRoleArn: 'app', executionRoleArn: 'arn:aws:iam::123456789012:role/exec',
        containerDefinitions: [{ name: 'main', image: 'busybox', healthCheck: { command: ['CMD-SHELL', 'true'] },
            logConfiguration: { logDriver: 'awslogs', options: { 'awslogs-group': 'g', 'awslogs-region': 'us-east-1', 'awslogs-stream-prefix': 'p' } } }] });
    const { tasks, failures } = await send('RunTask', { taskDefinition: 'from-ecs' });
    assert.deepStrictEqual(failures, []);
    assert.strictEqual(tasks[0].cpu, '256');
    assert.strictEqual(tasks[0].memory, '512');
    await send('StopTask', { task: tasks[0].taskArn });
});

test('overrides reach the task: GPUs taken away and given', async () => {
    const { tasks } = await send('RunTask', { taskDefinition: 'sleeper', overrides: { containerOverrides: [{ name: 'main', resourceRequirements: [{ type: 'GPU', value: '3' }],
        environment: [{ name: 'X', value: '1' }] }] } });
    assert.strictEqual(tasks[0].containers[0].gpuIds.length, 3);
    await send('StopTask', { task: tasks[0].taskArn });
    await waitFor('its GPUs to be free', async () => (await send('DescribeTasks', { tasks: [tasks[0].taskArn] })).tasks[0].lastStatus === 'STOPPED');
});

test('container instances: describe, filter, start a task on one, drain, deregister', async () => {
    const { containerInstanceArns } = await send('ListContainerInstances', { filter: 'attribute:ecs.instance-type == p3.8xlarge' });
    assert.strictEqual(containerInstanceArns.length, 2);
    await rejects(send('ListContainerInstances', { filter: 'attribute:' }), 'InvalidParameterException', /position/);
    const [one, other] = containerInstanceArns;
    const described = await send('DescribeContainerInstances', { containerInstances: [one, 'ffffffffffffffffffffffffffffffff'] });
    assert.strictEqual(described.failures[0].reason, 'MISSING');
    const instance = described.containerInstances[0];
    assert.strictEqual(instance.status, 'ACTIVE');
    assert.strictEqual(instance.agentConnected, true);
    assert.strictEqual(instance.registeredResources.find((r) => r.name === 'GPU').stringSetValue.length, 4);
    assert.strictEqual(instance.registeredResources.find((r) => r.name === 'CPU').integerValue, 32 * 1024);
    const started = await send('StartTask', { taskDefinition: 'sleeper', containerInstances: [one, 'ffffffffffffffffffffffffffffffff'] });
    assert.strictEqual(started.tasks[0].containerInstanceArn, one);
    assert.strictEqual(started.failures[0].reason, 'MISSING');
    await waitFor('it to run', async () => (await send('DescribeTasks', { tasks: [started.tasks[0].taskArn] })).tasks[0].lastStatus === 'RUNNING');
    await rejects(send('DeregisterContainerInstance', { containerInstance: one }), 'InvalidParameterException', /^Found running tasks on the instance\.$/);
    const drained = await send('UpdateContainerInstancesState', { containerInstances: [one], status: 'DRAINING' });
    assert.strictEqual(drained.containerInstances[0].status, 'DRAINING');
    await rejects(send('UpdateContainerInstancesState', { containerInstances: [one], status: 'DEREGISTERING' }), 'InvalidParameterException', /should be one of \[ACTIVE, ?DRAINING\]/);
    const gpuTask = await send('RunTask', { taskDefinition: 'sleeper', overrides: { containerOverrides: [{ name: 'main', resourceRequirements: [{ type: 'GPU', value: '4' }] }] } });
    assert.strictEqual(gpuTask.tasks[0].containerInstanceArn, other, 'nothing is placed on a draining machine');
    const gone = await send('DeregisterContainerInstance', { containerInstance: one, force: true });
    assert.strictEqual(gone.containerInstance.status, 'INACTIVE');
    const orphan = (await send('DescribeTasks', { tasks: [started.tasks[0].taskArn] })).tasks[0];
    assert.strictEqual(orphan.lastStatus, 'STOPPED');
    assert.match(orphan.stoppedReason, /Container instance deregistration forced by user/);
    await send('StopTask', { task: gpuTask.tasks[0].taskArn });
});

test('what agents call', async () => {
    const totalResources = [{ name: 'CPU', type: 'INTEGER', integerValue: 2048 }, { name: 'MEMORY', type: 'INTEGER', integerValue: 1024 }];
    const attributes = [{ name: 'ecs.os-type', value: 'linux' }, { name: 'ecs.capability.full-sync' }];
    const { containerInstance } = await send('RegisterContainerInstance', { cluster: 'page-1', totalResources, attributes, platformDevices: [{ id: 'GPU-a', type: 'GPU' }] });
    for (const attribute of attributes) assert.ok(containerInstance.attributes.some((a) => a.name === attribute.name && a.value === attribute.value), 'every attribute comes back');
    assert.deepStrictEqual(containerInstance.registeredResources.find((r) => r.name === 'GPU').stringSetValue, ['GPU-a']);
    const again = await send('RegisterContainerInstance', { cluster: 'page-1', totalResources, attributes, containerInstanceArn: containerInstance.containerInstanceArn });
    assert.strictEqual(again.containerInstance.containerInstanceArn, containerInstance.containerInstanceArn);
    const { endpoint, telemetryEndpoint } = await send('DiscoverPollEndpoint', { cluster: 'page-1', containerInstance: containerInstance.containerInstanceArn });
    assert.match(endpoint, /^http:/);
    assert.notStrictEqual(endpoint, telemetryEndpoint);
    await rejects(send('RegisterContainerInstance', { cluster: 'nowhere', totalResources }), 'ClusterNotFoundException', /^Cluster not found\.$/);
    await rejects(send('SubmitTaskStateChange', { task: '0123456789abcdef0123456789abcdef', status: 'RUNNING' }), 'InvalidParameterException');
    const { failures } = await send('RunTask', { cluster: 'page-1', taskDefinition: 'sleeper' });
    assert.strictEqual(failures[0].reason, 'AGENT', 'its agent has never polled');
    await send('DeregisterContainerInstance', { cluster: 'page-1', containerInstance: containerInstance.containerInstanceArn });
});

test('SubmitTaskStateChange and SubmitContainerStateChange move a task forward only', async () => {
    const { tasks: [task] } = await send('RunTask', { taskDefinition: 'sleeper' });
    const report = (status, more = {}) => send('SubmitTaskStateChange', { cluster: 'default', task: task.taskArn, status, ...more });
    const now = async () => (await send('DescribeTasks', { tasks: [task.taskArn] })).tasks[0];
    await waitFor('its agent to run it', async () => (await now()).lastStatus === 'RUNNING');
    await send('SubmitContainerStateChange', { cluster: 'default', task: task.taskArn, containerName: 'main', status: 'STOPPED', exitCode: 3 });
    await report('STOPPED', { containers: [{ containerName: 'main', status: 'STOPPED', exitCode: 3 }] });
    await report('RUNNING');
    const ended = await now();
    assert.strictEqual(ended.lastStatus, 'STOPPED');
    assert.strictEqual(ended.containers[0].exitCode, 3);
    assert.strictEqual(ended.stopCode, 'EssentialContainerExited');
    assert.strictEqual(ended.stoppedReason, 'Essential container in task exited');
});

test('the SDK\'s STS client', async () => {
    const sts = new STSClient({ region, endpoint: server.url, credentials: { accessKeyId: server.key, secretAccessKey: server.secret } });
    const identity = await sts.send(new GetCallerIdentityCommand({}));
    assert.strictEqual(identity.Account, account);
    sts.destroy();
});
