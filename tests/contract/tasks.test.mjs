// Tasks as the SDK meets them, field by field: the replies of RunTask and StartTask, changes by agents' reports, refusals and
// where each limit lies. The agents here are the test itself, so that every step of a task's life can be looked at.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import * as ecs from '@aws-sdk/client-ecs';
import { Server, account, isRecent, region } from '../lib/lib.mjs';

let server, client;
const send = (name, input = {}) => client.send(new ecs[`${name}Command`](input));
const arn = (resource) => `arn:aws:ecs:${region}:${account}:${resource}`;
const plain = (value) => JSON.parse(JSON.stringify(value));
const nobody = '0123456789abcdef0123456789abcdef';
const many = (count, make) => Array.from({ length: count }, (_, n) => make(n));

async function refusal(promise) {
    try { await promise; } catch (error) { return `${error.name}: ${error.message}`; }
    return 'accepted';
}

const capabilities = ['container-health-check', 'task-cpu-mem-limit', 'container-ordering', 'execute-command'].map((name) => ({ name: `ecs.capability.${name}` }));
let machines = 0;
// A machine whose agent is there.
async function machine({ cluster = 'default', cpu = 4096, memory = 8192, gpus = 0, attributes = [], present = true } = {}) {
    machines++;
    const { containerInstance: { containerInstanceArn } } = await send('RegisterContainerInstance', { cluster, attributes: [...capabilities, ...attributes],
        totalResources: [{ name: 'CPU', type: 'INTEGER', integerValue: cpu }, { name: 'MEMORY', type: 'INTEGER', integerValue: memory },
            { name: 'PORTS', type: 'STRINGSET', stringSetValue: ['22'] }],
        platformDevices: many(gpus, (n) => ({ id: `GPU-${cluster}-${machines}-${n}`, type: 'GPU' })) });
    if (present) await server.attend(containerInstanceArn, cluster);
    return containerInstanceArn;
}


const define = async (family, container = {}, task = {}) => {
    await send('RegisterTaskDefinition', { family, containerDefinitions: [{ name: 'main', image: 'busybox', memory: 64, ...container }], ...task });
    return family;
};
const run = async (input) => {
    const { tasks, failures } = await send('RunTask', input);
    assert.deepStrictEqual(failures, [], 'placed');
    return tasks;
};
const describe = async (task, more = {}) => (await send('DescribeTasks', { tasks: [task.taskArn ?? task], ...more })).tasks[0];
const report = (task, status, more = {}) => send('SubmitTaskStateChange', { cluster: 'default', task: task.taskArn, status, ...more });
const stop = (task) => report(task, 'STOPPED');

let home;
before(async () => {
    server = await Server.start();
    client = server.sdk();
    await send('CreateCluster');
    home = await machine({ memory: 65536, gpus: 4, attributes: [{ name: 'ecs.availability-zone', value: 'us-east-1b' }, { name: 'ecs.cpu-architecture', value: 'x86_64' }] });
    await define('plain', { cpu: 10 });
    await define('two', {}, { containerDefinitions: [{ name: 'main', image: 'busybox', memory: 64 }, { name: 'side', image: 'busybox', memory: 32, essential: false }],
        tags: [{ key: 'team', value: 'definition' }, { key: 'copied', value: 'yes' }] });
    await define('gpu', { resourceRequirements: [{ type: 'GPU', value: '1' }] });
    await define('vpc', {}, { networkMode: 'awsvpc' });
    await define('old');
    await send('DeregisterTaskDefinition', { taskDefinition: 'old:1' });
});
after(async () => { client.destroy(); await server.stop(); });

// ---- replies, whole ----

test('RunTask shows a task as ECS does, every member of it', async () => {
    const [task] = await run({ taskDefinition: 'two', startedBy: 'me/it-1_x', group: 'my group', referenceId: 'r', enableExecuteCommand: true, enableECSManagedTags: true,
        propagateTags: 'TASK_DEFINITION', tags: [{ key: 'team', value: 'own' }], overrides: { containerOverrides: [{ name: 'side', cpu: 7, environment: [{ name: 'A', value: '1' }] }],
            ephemeralStorage: { sizeInGiB: 30 } } });
    const id = task.taskArn.split('/').at(-1);
    assert.match(id, /^[0-9a-f]{32}$/);
    const { createdAt, containers, ...rest } = plain(task);
    assert.ok(isRecent(new Date(createdAt)));
    assert.deepStrictEqual(rest, {
        attachments: [], attributes: [{ name: 'ecs.cpu-architecture', value: 'x86_64' }], availabilityZone: 'us-east-1b', clusterArn: arn('cluster/default'),
        containerInstanceArn: home, cpu: '7', memory: '96', desiredStatus: 'RUNNING', lastStatus: 'PENDING', enableExecuteCommand: true, ephemeralStorage: { sizeInGiB: 30 },
        group: 'my group', healthStatus: 'UNKNOWN', launchType: 'EC2', startedBy: 'me/it-1_x', taskArn: arn(`task/default/${id}`),
        overrides: { containerOverrides: [{ name: 'main' }, { name: 'side', cpu: 7, environment: [{ name: 'A', value: '1' }] }], inferenceAcceleratorOverrides: [],
            ephemeralStorage: { sizeInGiB: 30 } },
        tags: [{ key: 'team', value: 'own' }, { key: 'copied', value: 'yes' }, { key: 'aws:ecs:clusterName', value: 'default' }],
        taskDefinitionArn: arn('task-definition/two:1'), version: 1 });
    containers.forEach((container) => assert.match(container.containerArn, new RegExp(`^${arn(`container/default/${id}`)}/[0-9a-f-]{36}$`)));
    const shown = (name, more) => ({ containerArn: containers.find((one) => one.name === name).containerArn, taskArn: task.taskArn, name, image: 'busybox', lastStatus: 'PENDING',
        networkInterfaces: [], healthStatus: 'UNKNOWN', managedAgents: [{ name: 'ExecuteCommandAgent', lastStatus: 'PENDING' }], ...more });
    assert.deepStrictEqual(containers, [shown('main', { cpu: '0', memory: '64' }), shown('side', { cpu: '7', memory: '32' })]);
    assert.deepStrictEqual(plain(await describe(task, { include: ['TAGS'] })), plain(task), 'DescribeTasks shows the same');
    assert.deepStrictEqual((await describe(task)).tags, [], 'tags only when asked for');
    await stop(task);
});

test('a plain RunTask leaves out what nobody said', async () => {
    const [task] = await run({ taskDefinition: 'plain' });
    assert.deepStrictEqual(Object.keys(plain(task)).sort(), ['attachments', 'attributes', 'availabilityZone', 'clusterArn', 'containerInstanceArn', 'containers', 'cpu', 'createdAt',
        'desiredStatus', 'enableExecuteCommand', 'group', 'healthStatus', 'lastStatus', 'launchType', 'memory', 'overrides', 'tags', 'taskArn', 'taskDefinitionArn', 'version']);
    assert.strictEqual(task.group, 'family:plain');
    assert.strictEqual(task.enableExecuteCommand, false);
    assert.deepStrictEqual(task.tags, []);
    await stop(task);
});

test('a machine without a zone gives its tasks none', async () => {
    const there = await machine({ cpu: 10 });
    const { tasks: [task] } = await send('StartTask', { taskDefinition: 'plain', containerInstances: [there] });
    assert.strictEqual(task.availabilityZone, undefined);
    assert.deepStrictEqual(task.attributes, []);
    await stop(task);
    await send('DeregisterContainerInstance', { containerInstance: there });
});

// ---- a life, step by step ----

test('the life of a task: times, versions, containers, and the words of its end', async () => {
    const [task] = await run({ taskDefinition: 'two' });
    const seconds = (date) => Math.round(new Date(date).getTime()) / 1000;
    await report(task, 'PENDING', { pullStartedAt: new Date(1700000000500), containers: [{ containerName: 'main', status: 'PENDING', imageDigest: 'sha256:1' }] });
    let now = await describe(task);
    assert.deepStrictEqual([now.lastStatus, now.version, now.connectivity, seconds(now.pullStartedAt), now.containers[0].imageDigest],
        ['PENDING', 2, 'CONNECTED', 1700000000.5, 'sha256:1']);
    assert.ok(now.connectivityAt >= now.createdAt);
    assert.strictEqual(now.startedAt, undefined);

    const bindings = [{ bindIP: '0.0.0.0', containerPort: 80, hostPort: 32768, protocol: 'tcp' }, { bindIP: '0.0.0.0', containerPortRange: '90-91', hostPortRange: '40000-40001', protocol: 'udp' }];
    await report(task, 'RUNNING', { pullStartedAt: new Date(1), pullStoppedAt: new Date(1700000001500),
        containers: [{ containerName: 'main', status: 'RUNNING', runtimeId: 'abc', networkBindings: bindings }, { containerName: 'side', status: 'RUNNING', runtimeId: 'def' }] });
    now = await describe(task);
    assert.deepStrictEqual([now.lastStatus, now.desiredStatus, now.version, seconds(now.pullStartedAt), seconds(now.pullStoppedAt)], ['RUNNING', 'RUNNING', 3, 1700000000.5, 1700000001.5]);
    assert.deepStrictEqual(plain(now.containers[0].networkBindings), bindings);
    assert.deepStrictEqual([now.containers[0].runtimeId, now.containers[1].runtimeId, now.containers[1].networkBindings], ['abc', 'def', []]);
    assert.ok(now.startedAt >= now.createdAt);

    const running = plain(now);
    await report(task, 'PENDING', { containers: [{ containerName: 'main', status: 'PENDING', reason: 'late' }] });
    await report(task, 'RUNNING', { containers: [{ containerName: 'main', status: 'RUNNING', runtimeId: 'abc' }, { containerName: 'nobody', status: 'STOPPED' }] });
    assert.deepStrictEqual(plain(await describe(task)), running, 'late and repeated reports change nothing');

    await send('SubmitContainerStateChange', { cluster: 'default', task: task.taskArn, containerName: 'side', status: 'STOPPED', exitCode: 0 });
    now = await describe(task);
    assert.deepStrictEqual([now.desiredStatus, now.containers[1].lastStatus, now.containers[1].exitCode, now.version], ['RUNNING', 'STOPPED', 0, 4], 'a side-car may end');
    await send('SubmitContainerStateChange', { cluster: 'default', task: task.taskArn, containerName: 'main', status: 'STOPPED', exitCode: 137,
        reason: 'OutOfMemoryError: Container killed due to memory usage' });
    now = await describe(task);
    assert.deepStrictEqual([now.lastStatus, now.desiredStatus, now.stopCode, now.stoppedReason, now.version],
        ['RUNNING', 'STOPPED', 'EssentialContainerExited', 'Essential container in task exited', 5]);
    assert.ok(now.stoppingAt >= now.startedAt);
    assert.strictEqual(now.stoppedAt, undefined);

    await report(task, 'STOPPED', { executionStoppedAt: new Date(1700000009000) });
    now = await describe(task);
    assert.deepStrictEqual([now.lastStatus, now.version, seconds(now.executionStoppedAt), now.containers[0].reason, now.containers[0].exitCode],
        ['STOPPED', 6, 1700000009, 'OutOfMemoryError: Container killed due to memory usage', 137]);
    assert.ok(now.stoppedAt >= now.stoppingAt);
    const ended = plain(now);
    for (const status of ['RUNNING', 'PENDING', 'STOPPED']) await report(task, status, { reason: 'late', containers: [{ containerName: 'main', status, exitCode: 1 }] });
    await send('StopTask', { task: task.taskArn, reason: 'late' });
    assert.deepStrictEqual(plain(await describe(task)), ended, 'STOPPED is final');
});

test('why tasks stop, in ECS\'s words', async () => {
    const container = (more) => ({ containers: [{ containerName: 'main', status: 'STOPPED', ...more }] });
    const rows = [
        ['an ordinary end', { ran: true }, container({ exitCode: 0 }), 'EssentialContainerExited', 'Essential container in task exited'],
        ['no image', {}, container({ reason: 'CannotPullContainerError: no such image' }), 'TaskFailedToStart', 'Task failed to start'],
        ['the agent\'s own reason', {}, { reason: 'ResourceInitializationError: no network', ...container({}) }, 'TaskFailedToStart', 'ResourceInitializationError: no network'],
        ['an order', { ran: true, order: {} }, container({ exitCode: 143 }), 'UserInitiated', 'Task stopped by user'],
        ['an order with a reason', { ran: true, order: { reason: 'enough' } }, container({ exitCode: 143 }), 'UserInitiated', 'Task stopped by user (enough)'],
        ['an order before it began', { order: { reason: 'x' } }, container({}), 'UserInitiated', 'Task stopped by user (x)'],
    ];
    for (const [row, { ran, order }, end, stopCode, stoppedReason] of rows) {
        const [task] = await run({ taskDefinition: 'plain' });
        if (ran) await report(task, 'RUNNING', { containers: [{ containerName: 'main', status: 'RUNNING' }] });
        if (order) {
            const { task: stopping } = await send('StopTask', { task: task.taskArn, ...order });
            assert.deepStrictEqual([stopping.lastStatus, stopping.desiredStatus, stopping.stopCode], [ran ? 'RUNNING' : 'PENDING', 'STOPPED', 'UserInitiated'], row);
        }
        await report(task, 'STOPPED', end);
        const now = await describe(task);
        assert.deepStrictEqual([now.lastStatus, now.stopCode, now.stoppedReason], ['STOPPED', stopCode, stoppedReason], row);
        assert.strictEqual(now.startedAt !== undefined, ran === true, `${row}: startedAt only when it ran`);
    }
});

test('the host\'s network: bindings follow from the definition', async () => {
    await define('host', { portMappings: [{ containerPort: 8080 }, { containerPort: 53, protocol: 'udp' }] }, { networkMode: 'host' });
    const [task] = await run({ taskDefinition: 'host' });
    await report(task, 'RUNNING', { containers: [{ containerName: 'main', status: 'RUNNING' }] });
    assert.deepStrictEqual(plain((await describe(task)).containers[0].networkBindings), [{ bindIP: '0.0.0.0', containerPort: 8080, hostPort: 8080, protocol: 'tcp' },
        { bindIP: '0.0.0.0', containerPort: 53, hostPort: 53, protocol: 'udp' }]);
    const { failures } = await send('RunTask', { taskDefinition: 'host' });
    assert.deepStrictEqual(failures.map((failure) => [failure.arn, failure.reason]), [[home, 'RESOURCE:PORTS']]);
    await stop(task);
});

test('the agent reports health: of containers, and of the task from the essential ones that have a check', async () => {
    const healthCheck = { command: ['CMD', 'true'] };
    await define('healthy', {}, { containerDefinitions: [{ name: 'main', image: 'i', memory: 8, healthCheck }, { name: 'db', image: 'i', memory: 8, healthCheck },
        { name: 'side', image: 'i', memory: 8, essential: false, healthCheck }] });
    const [task] = await run({ taskDefinition: 'healthy' });
    // Only Berth's agent says it this way; the SDK would not send it.
    const tell = (words) => server.call('SubmitTaskStateChange', { cluster: 'default', task: task.taskArn, status: 'RUNNING',
        containers: Object.entries(words).map(([containerName, healthStatus]) => ({ containerName, status: 'RUNNING', healthStatus })) });
    for (const [words, whole] of [[{ main: 'HEALTHY' }, 'UNKNOWN'], [{ db: 'HEALTHY', side: 'UNHEALTHY' }, 'HEALTHY'], [{ db: 'UNHEALTHY' }, 'UNHEALTHY'],
        [{ main: 'UNKNOWN' }, 'UNHEALTHY'], [{ db: 'HEALTHY' }, 'UNKNOWN'], [{ main: 'HEALTHY' }, 'HEALTHY']]) {
        assert.strictEqual((await tell(words)).status, 200);
        const now = await describe(task);
        assert.strictEqual(now.healthStatus, whole, JSON.stringify(words));
        for (const [name, health] of Object.entries(words)) assert.strictEqual(now.containers.find((container) => container.name === name).healthStatus, health);
    }
    await stop(task);
});

test('managed agents: reported beside containers, started again when they end', async () => {
    const [task] = await run({ taskDefinition: 'plain', enableExecuteCommand: true });
    const tell = async (status, reason) => {
        await send('SubmitTaskStateChange', { cluster: 'default', task: task.taskArn, managedAgents: [{ containerName: 'main', managedAgentName: 'ExecuteCommandAgent', status, reason }] });
        return (await describe(task)).containers[0].managedAgents[0];
    };
    assert.strictEqual((await tell('CREATED')).lastStatus, 'PENDING');
    const running = await tell('RUNNING');
    assert.strictEqual(running.lastStatus, 'RUNNING');
    assert.ok(running.lastStartedAt >= task.createdAt);
    const ended = await tell('STOPPED', 'crashed');
    assert.deepStrictEqual([ended.lastStatus, ended.reason, ended.lastStartedAt], ['STOPPED', 'crashed', running.lastStartedAt]);
    const back = await tell('RUNNING');
    assert.ok(back.lastStartedAt >= running.lastStartedAt && back.reason === undefined);
    await stop(task);
    assert.strictEqual((await describe(task)).containers[0].managedAgents[0].lastStatus, 'STOPPED');
});

test('reports that are refused, and attachments, of which there are none', async () => {
    const rows = [
        ['SubmitTaskStateChange', { cluster: 'default', task: nobody, status: 'RUNNING' }, 'InvalidParameterException: The referenced task was not found.'],
        ['SubmitContainerStateChange', { cluster: 'default', task: nobody, containerName: 'x', status: 'RUNNING' }, 'InvalidParameterException: The referenced task was not found.'],
        ['SubmitTaskStateChange', { cluster: 'gone', task: nobody, status: 'RUNNING' }, 'InvalidParameterException: The referenced task was not found.'],
        ['SubmitTaskStateChange', { cluster: 'default', task: 'x', status: 'RUNNING' }, 'InvalidParameterException: taskId length should be one of [32,36]'],
        ['SubmitAttachmentStateChanges', { cluster: 'default', attachments: [{ attachmentArn: arn('attachment/x'), status: 'ATTACHED' }] },
            `InvalidParameterException: The referenced attachment was not found: ${arn('attachment/x')}`],
    ];
    for (const [operation, input, text] of rows) assert.strictEqual(await refusal(send(operation, input)), text);
    const [task] = await run({ taskDefinition: 'plain' });
    await send('SubmitTaskStateChange', { cluster: 'default', task: task.taskArn, attachments: [{ attachmentArn: arn('attachment/x'), status: 'ATTACHED' }] });
    assert.strictEqual((await describe(task)).version, 1);
    await stop(task);
});

test('many reports in one call, as Berth\'s agent sends them: each is taken or refused by itself', async () => {
    const [a] = await run({ taskDefinition: 'plain' }), [b] = await run({ taskDefinition: 'plain' });
    const tell = async (reports, more) => server.raw({ pathname: '/berth/v1/agent/reports', body: JSON.stringify({ reports }), ...more });
    const change = (task, status) => ({ cluster: 'default', task: task.taskArn ?? task, status, reason: '', containers: [{ containerName: 'main', status, exitCode: status === 'STOPPED' ? 3 : undefined }] });
    const reports = [change(a, 'RUNNING'), change(nobody, 'RUNNING'), change(b, 'RUNNING'), change(b, 'STOPPED'), { ...change(a, 'RUNNING'), reason: 'x'.repeat(4097) }];
    const answers = [{ acknowledgment: 'ACK' }, { __type: 'InvalidParameterException', message: 'The referenced task was not found.' }, { acknowledgment: 'ACK' },
        { acknowledgment: 'ACK' }, { __type: 'InvalidParameterException', message: 'reason length should be between 0 and 4096, but was 4097.' }];
    const reply = await tell(reports);
    assert.deepStrictEqual([reply.status, reply.json], [200, { answers }]);
    assert.strictEqual((await describe(a)).lastStatus, 'RUNNING');
    const ended = await describe(b);
    assert.deepStrictEqual([ended.lastStatus, ended.containers[0].exitCode], ['STOPPED', 3]);
    assert.deepStrictEqual((await tell(reports)).json, { answers }, 'told again');
    assert.deepStrictEqual(await describe(b), ended, 'nothing has changed');
    const refused = async (body, more) => { const { status, json } = await tell(body, more); return [status, json.__type, json.message]; };
    assert.deepStrictEqual(await refused([]), [400, 'InvalidParameterException', 'reports must have 1 to 256 items.']);
    assert.deepStrictEqual(await refused(many(257, () => change(a, 'RUNNING'))), [400, 'InvalidParameterException', 'reports must have 1 to 256 items.']);
    assert.deepStrictEqual(await refused(undefined), [400, 'InvalidParameterException', 'reports must be a list.']);
    assert.strictEqual((await tell(many(256, () => change(a, 'RUNNING')))).json.answers.length, 256);
    assert.strictEqual((await refused(reports, { unsigned: true }))[1], 'MissingAuthenticationTokenException');
    await stop(a);
});

// ---- RunTask: refusals, in ECS's words ----

const vpc = { awsvpcConfiguration: { subnets: ['subnet-1'] } };
const override = (more) => ({ containerOverrides: [{ name: 'main', ...more }] });
const noWeight = 'There are no capacity providers with a weight value greater than zero defined in the capacity provider strategy. At least one capacity provider must have '
    + 'a weight value greater than zero specified. Specify a valid capacity provider strategy and try again.';
const refused = [
    ['ClusterNotFoundException: Cluster not found.', { cluster: 'nowhere' }],
    ['ClientException: TaskDefinition not found.', { taskDefinition: 'nothing' }],
    ['ClientException: TaskDefinition not found.', { taskDefinition: 'plain:99' }],
    ['InvalidParameterException: TaskDefinition is inactive', { taskDefinition: 'old:1' }],
    ['InvalidParameterException: Invalid revision number. Number: x', { taskDefinition: 'plain:x' }],
    ['InvalidParameterException: Specify either Launch Type or Capacity Provider Strategy, but not both.',
        { launchType: 'EC2', capacityProviderStrategy: [{ capacityProvider: 'p', weight: 1 }] }],
    [`InvalidParameterException: ${noWeight}`, { capacityProviderStrategy: [{ capacityProvider: 'p' }] }],
    ["InvalidParameterException: The specified capacity provider 'p' was not found. Specify a valid name or ARN and try again.",
        { capacityProviderStrategy: [{ capacityProvider: 'p', weight: 1 }] }],
    ['InvalidParameterException: Task definition does not support launch_type EXTERNAL.', { taskDefinition: 'vpc', launchType: 'EXTERNAL', networkConfiguration: vpc }],
    ["InvalidParameterException: Network Configuration must be provided when networkMode 'awsvpc' is specified.", { taskDefinition: 'vpc' }],
    ['InvalidParameterException: Network Configuration is not valid for the given networkMode of this task definition.', { networkConfiguration: vpc }],
    ['InvalidParameterException: subnets can not be empty.', { taskDefinition: 'vpc', networkConfiguration: { awsvpcConfiguration: { subnets: [] } } }],
    ['InvalidParameterException: Override for container named other is not a container in the TaskDefinition.', { overrides: { containerOverrides: [{ name: 'other' }] } }],
    ['InvalidParameterException: Role is not valid', { overrides: { taskRoleArn: 'a b' } }],
    ["InvalidParameterException: Unsupported field 'inferenceAcceleratorOverrides'", { overrides: { inferenceAcceleratorOverrides: [{ deviceName: 'd', deviceType: 't' }] } }],
    ['InvalidParameterException: propagateTags SERVICE is for tasks of a service only.', { propagateTags: 'SERVICE' }],
    ['InvalidParameterException: A distinctInstance constraint takes no expression.', { placementConstraints: [{ type: 'distinctInstance', expression: 'attribute:a exists' }] }],
    ['InvalidParameterException: clientToken may have characters of ASCII from 33 to 126 only.', { clientToken: 'a b' }],
    ['InvalidParameterException: startedBy may have letters, digits, hyphens, slashes and underscores only.', { startedBy: 'a b' }],
    ['InvalidParameterException: Tag keys that begin with "aws:" are reserved: "AWS:x".', { tags: [{ key: 'AWS:x', value: 'y' }] }],
];
for (const [text, input] of refused) {
    test(`RunTask refuses: ${text.slice(0, 100)} ${JSON.stringify(input).slice(0, 60)}`,
        async () => assert.strictEqual(await refusal(send('RunTask', { taskDefinition: 'plain', ...input })), text));
}

test('RunTask in a cluster without machines is an error, with machines that do not fit an answer', async () => {
    await send('CreateCluster', { clusterName: 'empty' });
    assert.strictEqual(await refusal(send('RunTask', { cluster: 'empty', taskDefinition: 'plain' })), 'InvalidParameterException: No Container Instances were found in your cluster.');
    const reasons = [
        [{ taskDefinition: 'plain', overrides: { cpu: '5000' } }, 'RESOURCE:CPU'], [{ taskDefinition: 'plain', overrides: { memory: '100000' } }, 'RESOURCE:MEMORY'],
        [{ taskDefinition: 'plain', overrides: override({ resourceRequirements: [{ type: 'GPU', value: '5' }] }) }, 'RESOURCE:GPU'],
        [{ taskDefinition: 'vpc', networkConfiguration: vpc }, 'ATTRIBUTE'],
        [{ taskDefinition: 'plain', placementConstraints: [{ type: 'memberOf', expression: 'attribute:ecs.availability-zone == mars' }] }, 'MEMBEROF'],
    ];
    for (const [input, reason] of reasons) {
        const { tasks, failures } = await send('RunTask', { ...input, count: 2 });
        assert.deepStrictEqual(tasks, []);
        assert.deepStrictEqual(failures.map((failure) => [failure.arn, failure.reason]), [[home, reason], [home, reason]]);
        assert.ok(failures[0].detail.length > 10);
    }
});

// ---- limits, from both sides ----

const overridesOf = (length) => { const empty = JSON.stringify(override({ command: [''] })).length; return override({ command: ['x'.repeat(length - empty)] }); };
const limits = [
    ['count from 1', 'RunTask', (good) => ({ count: good ? 1 : 0 })],
    ['count to 10', 'RunTask', (good) => ({ count: good ? 10 : 11 })],
    ['group of 255', 'RunTask', (good) => ({ group: 'x'.repeat(good ? 255 : 256) })],
    ['startedBy of 128', 'RunTask', (good) => ({ startedBy: 'x'.repeat(good ? 128 : 129) })],
    ['clientToken of 64', 'RunTask', (good) => ({ clientToken: 'x'.repeat(good ? 64 : 65) })],
    ['referenceId of 1024', 'RunTask', (good) => ({ referenceId: 'x'.repeat(good ? 1024 : 1025) })],
    ['overrides of 8192 characters', 'RunTask', (good) => ({ overrides: overridesOf(good ? 8192 : 8193) })],
    ['ten constraints', 'RunTask', (good) => ({ placementConstraints: many(good ? 10 : 11, () => ({ type: 'distinctInstance' })), group: `g${good}` })],
    ['five strategies', 'RunTask', (good) => ({ placementStrategy: many(good ? 5 : 6, () => ({ type: 'random' })) })],
    ['fifty tags', 'RunTask', (good) => ({ tags: many(good ? 50 : 51, (n) => ({ key: `k${n}`, value: '' })) })],
    ['a tag key of 128', 'RunTask', (good) => ({ tags: [{ key: 'x'.repeat(good ? 128 : 129), value: '' }] })],
    ['a tag value of 256', 'RunTask', (good) => ({ tags: [{ key: 'k', value: 'x'.repeat(good ? 256 : 257) }] })],
    ['an expression of 2000', 'RunTask', (good) => ({ placementConstraints: [{ type: 'memberOf', expression: 'attribute:ecs.availability-zone exists'.padEnd(good ? 2000 : 2001) }] })],
    ['ephemeral storage from 21', 'RunTask', (good) => ({ overrides: { ephemeralStorage: { sizeInGiB: good ? 21 : 20 } } })],
    ['ephemeral storage to 200', 'RunTask', (good) => ({ overrides: { ephemeralStorage: { sizeInGiB: good ? 200 : 201 } } })],
    ['startedBy of 36', 'StartTask', (good) => ({ startedBy: 'x'.repeat(good ? 36 : 37), containerInstances: [home] })],
    ['one to ten machines', 'StartTask', (good) => ({ containerInstances: many(good ? 10 : 11, () => home) })],
    ['group of 255', 'StartTask', (good) => ({ group: 'x'.repeat(good ? 255 : 256), containerInstances: [home] })],
];
for (const [name, operation, input] of limits) {
    test(`limit of ${operation}: ${name}`, async () => {
        const { tasks } = await send(operation, { taskDefinition: 'plain', ...input(true) });
        assert.ok(tasks.length > 0);
        for (const task of tasks) await stop(task);
        assert.match(await refusal(send(operation, { taskDefinition: 'plain', ...input(false) })), /^InvalidParameterException: /);
    });
}

test('subnets up to 16, security groups up to 5', async () => {
    const ask = (subnets, groups) => refusal(send('RunTask', { taskDefinition: 'vpc', networkConfiguration: { awsvpcConfiguration:
        { subnets: many(subnets, (n) => `subnet-${n}`), securityGroups: many(groups, (n) => `sg-${n}`) } } }));
    assert.strictEqual(await ask(16, 5), 'accepted');
    assert.match(await ask(17, 5), /^InvalidParameterException: .*subnets/);
    assert.match(await ask(16, 6), /^InvalidParameterException: .*securityGroups/);
});

// ---- idempotency ----

test('clients that call at once with one token get one set of tasks', async () => {
    const clients = many(4, () => server.sdk());
    const input = { taskDefinition: 'plain', count: 3, startedBy: 'once', clientToken: 'one-token!' };
    const replies = await Promise.all(clients.flatMap((one) => many(5, () => one.send(new ecs.RunTaskCommand(input)))));
    clients.forEach((one) => one.destroy());
    const arns = replies[0].tasks.map((task) => task.taskArn);
    assert.strictEqual(arns.length, 3);
    for (const reply of replies) assert.deepStrictEqual(reply.tasks.map((task) => task.taskArn), arns);
    assert.deepStrictEqual((await send('ListTasks', { startedBy: 'once' })).taskArns, arns, 'nothing else was started');

    await send('RunTask', { ...input, count: 2 }).then(() => assert.fail('another request under the same token'), (error) => {
        assert.strictEqual(error.name, 'ConflictException');
        assert.ok(error instanceof ecs.ConflictException);
        assert.deepStrictEqual(error.resourceIds, arns);
    });
    assert.strictEqual((await send('RunTask', { ...input, cluster: arn('cluster/default') })).tasks[0].taskArn, arns[0], 'the same cluster by its ARN');
    await stop(replies[0].tasks[0]);
    assert.deepStrictEqual((await send('RunTask', input)).tasks.map((task) => task.lastStatus), ['STOPPED', 'PENDING', 'PENDING'], 'in their present state');
    await send('CreateCluster', { clusterName: 'other' });
    await machine({ cluster: 'other' });
    assert.notStrictEqual((await send('RunTask', { ...input, cluster: 'other' })).tasks[0].taskArn, arns[0], 'a token belongs to its cluster');
    for (const task of replies[0].tasks.slice(1)) await stop(task);
});

// ---- StartTask ----

test('StartTask: each machine a task or a failure', async () => {
    await send('CreateCluster', { clusterName: 'start' });
    const there = await machine({ cluster: 'start', cpu: 10 }), silent = await machine({ cluster: 'start', present: false }), draining = await machine({ cluster: 'start' });
    const gone = await machine({ cluster: 'start' });
    await send('UpdateContainerInstancesState', { cluster: 'start', containerInstances: [draining], status: 'DRAINING' });
    await send('DeregisterContainerInstance', { cluster: 'start', containerInstance: gone });
    const id = there.split('/').at(-1);
    const { tasks, failures } = await send('StartTask', { cluster: 'start', taskDefinition: 'plain', startedBy: 'hand', containerInstances: [id, there, silent, draining, gone, nobody] });
    assert.deepStrictEqual(tasks.map((task) => [task.containerInstanceArn, task.startedBy, task.group]), [[there, 'hand', 'family:plain']]);
    assert.deepStrictEqual(failures.map((failure) => [failure.arn, failure.reason]), [[there, 'RESOURCE:CPU'], [silent, 'AGENT'], [draining, 'INACTIVE'], [gone, 'INACTIVE'],
        [arn(`container-instance/start/${nobody}`), 'MISSING']]);
    const start = (more) => refusal(send('StartTask', { cluster: 'start', taskDefinition: 'plain', containerInstances: [there], ...more }));
    assert.strictEqual(await start({ containerInstances: [] }), 'ClientException: Container Instances cannot be empty.');
    assert.strictEqual(await start({ containerInstances: ['x'] }), 'InvalidParameterException: containerInstanceId length should be one of [32,36]');
    assert.strictEqual(await start({ containerInstances: [home] }), 'InvalidParameterException: Invalid identifier: Identifier is for cluster default. Your cluster is start');
    assert.strictEqual(await start({ taskDefinition: 'nothing' }), 'ClientException: TaskDefinition not found.');
    assert.strictEqual(await start({ taskDefinition: 'old:1' }), 'InvalidParameterException: TaskDefinition is inactive');
    assert.strictEqual(await start({ cluster: 'nowhere' }), 'ClusterNotFoundException: Cluster not found.');
    assert.strictEqual(await start({ overrides: { containerOverrides: [{ name: 'x' }] } }),
        'InvalidParameterException: Override for container named x is not a container in the TaskDefinition.');
    const { failures: [attribute] } = await send('StartTask', { cluster: 'start', taskDefinition: 'vpc', containerInstances: [draining, there], networkConfiguration: vpc })
        .then((reply) => ({ failures: reply.failures.slice(1) }));
    assert.deepStrictEqual([attribute.arn, attribute.reason], [there, 'ATTRIBUTE']);
    await send('StopTask', { cluster: 'start', task: tasks[0].taskArn });
});

// ---- GPUs and other overrides ----

test('GPUs: given, changed, taken away by an override, and ALL of them', async () => {
    const ids = (task) => task.containers[0].gpuIds ?? [];
    const requirement = (value) => override({ resourceRequirements: [{ type: 'GPU', value }] });
    const [one] = await run({ taskDefinition: 'gpu' });
    assert.strictEqual(ids(one).length, 1);
    const [three] = await run({ taskDefinition: 'gpu', overrides: requirement('3') });
    assert.strictEqual(new Set([...ids(one), ...ids(three)]).size, 4);
    const full = await send('RunTask', { taskDefinition: 'gpu' });
    assert.strictEqual(full.failures[0].reason, 'RESOURCE:GPU');
    const [none] = await run({ taskDefinition: 'gpu', overrides: requirement('0') });
    assert.strictEqual(none.containers[0].gpuIds, undefined);
    assert.deepStrictEqual(plain(none.overrides.containerOverrides), [{ name: 'main', resourceRequirements: [{ type: 'GPU', value: '0' }] }]);
    await stop(one);
    assert.strictEqual((await send('RunTask', { taskDefinition: 'gpu', overrides: requirement('ALL') })).failures[0].reason, 'RESOURCE:GPU', 'three are still held');
    await stop(three);
    const [all] = await run({ taskDefinition: 'gpu', overrides: requirement('ALL') });
    assert.strictEqual(ids(all).length, 4);
    const instance = (await send('DescribeContainerInstances', { containerInstances: [home] })).containerInstances[0];
    assert.deepStrictEqual(instance.remainingResources.find((resource) => resource.name === 'GPU').stringSetValue, []);
    for (const task of [none, all]) await stop(task);
    for (const value of ['-1', 'x', '']) {
        assert.match(await refusal(send('RunTask', { taskDefinition: 'gpu', overrides: requirement(value) })), /^InvalidParameterException: /, value);
    }
});

test('overrides of sizes are what the task takes and shows', async () => {
    const [task] = await run({ taskDefinition: 'two', overrides: { containerOverrides: [{ name: 'main', cpu: 100, memory: 200, memoryReservation: 150 }, { name: 'side', cpu: 5 }] } });
    assert.deepStrictEqual([task.cpu, task.memory], ['105', '182'], 'a reservation counts before a limit');
    assert.deepStrictEqual(plain(task.containers.map(({ name, cpu, memory, memoryReservation }) => ({ name, cpu, memory, memoryReservation }))),
        [{ name: 'main', cpu: '100', memory: '200', memoryReservation: '150' }, { name: 'side', cpu: '5', memory: '32' }]);
    const [whole] = await run({ taskDefinition: 'two', overrides: { cpu: '1 vCPU', memory: '1GB' } });
    assert.deepStrictEqual([whole.cpu, whole.memory], ['1024', '1024']);
    for (const one of [task, whole]) await stop(one);
});

// ---- tags ----

test('tags: none by default, the definition\'s on request, and a stop takes them all', async () => {
    const keys = (task) => task.tags.map((tag) => `${tag.key}=${tag.value}`);
    const [none] = await run({ taskDefinition: 'two' });
    assert.deepStrictEqual(keys(none), []);
    const [copied] = await run({ taskDefinition: 'two', propagateTags: 'TASK_DEFINITION' });
    assert.deepStrictEqual(keys(copied), ['team=definition', 'copied=yes']);
    const [managed] = await run({ taskDefinition: 'two', enableECSManagedTags: true, propagateTags: 'NONE' });
    assert.deepStrictEqual(keys(managed), ['aws:ecs:clusterName=default']);
    const { task: stopped } = await send('StopTask', { task: copied.taskArn });
    assert.deepStrictEqual(stopped.tags, []);
    assert.deepStrictEqual((await describe(copied, { include: ['TAGS'] })).tags, []);
    for (const task of [none, copied, managed]) await stop(task);
});

// ---- StopTask, DescribeTasks, ListTasks ----

test('StopTask: refusals, and a reason of any length', async () => {
    assert.strictEqual(await refusal(send('StopTask', { task: nobody })), 'InvalidParameterException: The referenced task was not found.');
    assert.strictEqual(await refusal(send('StopTask', { task: 'x' })), 'InvalidParameterException: taskId length should be one of [32,36]');
    assert.strictEqual(await refusal(send('StopTask', { task: arn(`task/other/${nobody}`) })),
        'InvalidParameterException: Invalid identifier: Identifier is for cluster other. Your cluster is default');
    assert.strictEqual(await refusal(send('StopTask', { task: `${nobody}/x` })), 'InvalidParameterException: Invalid identifier: Unexpected number of separators');
    assert.strictEqual(await refusal(send('StopTask', { task: nobody, cluster: 'nowhere' })), 'ClusterNotFoundException: Cluster not found.');
    const [task] = await run({ taskDefinition: 'plain' });
    const { task: stopped } = await send('StopTask', { task: task.taskArn, reason: 'x'.repeat(5000) });
    assert.strictEqual(stopped.stoppedReason, `Task stopped by user (${'x'.repeat(1024)})`);
    const { task: again } = await send('StopTask', { task: task.taskArn, reason: 'other' });
    assert.deepStrictEqual(plain(again), plain(stopped), 'twice is no error and changes nothing');
    await stop(task);
});

test('DescribeTasks: in the order asked, each once, by id or ARN, and missing ones', async () => {
    const tasks = await run({ taskDefinition: 'plain', count: 2 });
    const [one, two] = tasks.map((task) => task.taskArn);
    const id = one.split('/').at(-1), uuid = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const missing = arn(`task/default/${'f'.repeat(32)}`);
    const reply = await send('DescribeTasks', { tasks: [two, nobody, one, id, uuid, missing] });
    assert.deepStrictEqual(reply.tasks.map((task) => task.taskArn), [two, one]);
    assert.deepStrictEqual(reply.failures, [{ arn: arn(`task/default/${nobody}`), reason: 'MISSING' }, { arn: missing, reason: 'MISSING' }]);
    const rows = [
        [{ tasks: [] }, 'InvalidParameterException: Tasks cannot be empty.'],
        [{ tasks: ['x'] }, 'InvalidParameterException: taskId length should be one of [32,36]'],
        [{ tasks: ['g'.repeat(32)] }, 'InvalidParameterException: Task Identifier is invalid'],
        [{ tasks: [arn(`task/other/${nobody}`)] }, 'InvalidParameterException: Invalid identifier: Identifier is for cluster other. Your cluster is default'],
        [{ tasks: [], cluster: 'nowhere' }, 'ClusterNotFoundException: Cluster not found.'],
        [{ tasks: [one], include: ['EVERYTHING'] }, "InvalidParameterException: include[0] should be one of [TAGS], but was 'EVERYTHING'."],
    ];
    for (const [input, text] of rows) assert.strictEqual(await refusal(send('DescribeTasks', input)), text);
    assert.strictEqual((await send('DescribeTasks', { tasks: many(100, (n) => (n + 1).toString(16).padStart(32, '0')) })).failures.length, 100);
    assert.match(await refusal(send('DescribeTasks', { tasks: many(101, (n) => (n + 1).toString(16).padStart(32, '0')) })), /^InvalidParameterException: /);
    for (const task of tasks) await stop(task);
});

test('ListTasks: every filter, what excludes what, and pages', async () => {
    await send('CreateCluster', { clusterName: 'list' });
    const [a, b] = [await machine({ cluster: 'list' }), await machine({ cluster: 'list' })];
    const start = async (taskDefinition, machineArn, more = {}) => (await send('StartTask', { cluster: 'list', taskDefinition, containerInstances: [machineArn], ...more })).tasks[0].taskArn;
    const arns = [await start('plain', a, { startedBy: 'me' }), await start('plain', b, { startedBy: 'me' }), await start('two', a, { startedBy: 'you' }), await start('two', b)];
    const ended = await start('two', a, { startedBy: 'me' });
    await send('StopTask', { cluster: 'list', task: ended });
    const list = async (input) => (await send('ListTasks', { cluster: 'list', ...input })).taskArns;
    const rows = [
        [{}, arns], [{ desiredStatus: 'RUNNING' }, arns], [{ desiredStatus: 'STOPPED' }, [ended]], [{ desiredStatus: 'PENDING' }, []],
        [{ family: 'plain' }, arns.slice(0, 2)], [{ family: 'pla' }, []], [{ family: 'two', desiredStatus: 'STOPPED' }, [ended]],
        [{ containerInstance: a }, [arns[0], arns[2]]], [{ containerInstance: a.split('/').at(-1), family: 'two' }, [arns[2]]],
        [{ containerInstance: a, desiredStatus: 'STOPPED' }, [ended]], [{ containerInstance: b, desiredStatus: 'STOPPED' }, []],
        [{ startedBy: 'me' }, arns.slice(0, 2)], [{ startedBy: 'me', desiredStatus: 'STOPPED' }, [ended]], [{ startedBy: 'nobody' }, []],
        [{ launchType: 'EC2' }, arns], [{ launchType: 'EXTERNAL' }, []],
    ];
    for (const [input, want] of rows) assert.deepStrictEqual(await list(input), want, JSON.stringify(input));
    const refusedLists = [
        [{ cluster: 'nowhere' }, 'ClusterNotFoundException: Cluster not found.'], [{ serviceName: 'web' }, 'ServiceNotFoundException: Service not found.'],
        [{ containerInstance: 'x' }, 'InvalidParameterException: containerInstanceId length should be one of [32,36]'],
        ...['family', 'serviceName', 'launchType', 'containerInstance'].map((name) => [{ startedBy: 'me', [name]: { launchType: 'EC2', containerInstance: a }[name] ?? 'x' },
            `InvalidParameterException: When startedBy is specified it must be the only filter, but ${name} is specified too.`]),
        [{ startedBy: 'x'.repeat(129) }, 'InvalidParameterException: startedBy length should be between 0 and 128, but was 129.'],
        [{ maxResults: 0 }, 'InvalidParameterException: maxResults should be between 1 and 100, but was 0.'],
        [{ maxResults: 101 }, 'InvalidParameterException: maxResults should be between 1 and 100, but was 101.'],
        [{ nextToken: 'no token' }, 'InvalidParameterException: Invalid token: nextToken must be the one that the page before gave.'],
    ];
    for (const [input, text] of refusedLists) assert.strictEqual(await refusal(list(input)), text, JSON.stringify(input));
    for (const pageSize of [1, 2, 3, 100]) {
        const found = [], tokens = [];
        for await (const page of ecs.paginateListTasks({ client, pageSize }, { cluster: 'list' })) { found.push(...page.taskArns); tokens.push(page.nextToken); }
        assert.deepStrictEqual(found, arns);
        assert.strictEqual(tokens.at(-1), undefined, 'no token on the last page');
        assert.strictEqual(new Set(tokens).size, tokens.length, 'tokens differ');
    }
});

// ---- single tasks from outside ----

test('protection is for tasks of services: alone they are no valid target', async () => {
    const [task] = await run({ taskDefinition: 'plain' });
    const want = [[task.taskArn, 'TASK_NOT_VALID'], [arn(`task/default/${nobody}`), 'MISSING']];
    const shown = (reply) => { assert.deepStrictEqual(reply.protectedTasks, []); return reply.failures.map((failure) => [failure.arn, failure.reason]); };
    assert.deepStrictEqual(shown(await send('GetTaskProtection', { cluster: 'default', tasks: [task.taskArn, nobody] })), want);
    assert.deepStrictEqual(shown(await send('UpdateTaskProtection', { cluster: 'default', tasks: [task.taskArn, nobody], protectionEnabled: true, expiresInMinutes: 1 })), want);
    const update = (more) => refusal(send('UpdateTaskProtection', { cluster: 'default', tasks: [nobody], protectionEnabled: true, ...more }));
    for (const [good, bad] of [[{ expiresInMinutes: 1 }, { expiresInMinutes: 0 }], [{ expiresInMinutes: 2880 }, { expiresInMinutes: 2881 }],
        [{ tasks: many(10, () => nobody) }, { tasks: many(11, () => nobody) }], [{}, { tasks: [] }]]) {
        assert.strictEqual(await update(good), 'accepted');
        assert.match(await update(bad), /^InvalidParameterException: /);
    }
    const get = (count) => refusal(send('GetTaskProtection', { cluster: 'default', tasks: many(count, () => nobody) }));
    assert.strictEqual(await get(100), 'accepted');
    assert.match(await get(101), /^InvalidParameterException: /);
    assert.strictEqual(await refusal(send('GetTaskProtection', { cluster: 'nowhere', tasks: [nobody] })), 'ClusterNotFoundException: Cluster not found.');
    await stop(task);
});

test('ExecuteCommand says why it can not run', async () => {
    const execute = (task, more = {}) => refusal(send('ExecuteCommand', { task, command: 'sh', interactive: true, ...more }));
    const off = 'InvalidParameterException: The execute command failed because execute command was not enabled when the task was run or the execute command agent isn\'t running. '
        + 'Wait and try again or run a new task with execute command enabled and try again.';
    assert.strictEqual(await execute(nobody), 'InvalidParameterException: The referenced task was not found.');
    const [task] = await run({ taskDefinition: 'plain' }), [enabled] = await run({ taskDefinition: 'two', enableExecuteCommand: true });
    await report(task, 'RUNNING');
    assert.strictEqual(await execute(task.taskArn), off);
    assert.match(await execute(enabled.taskArn), /^InvalidParameterException: The task has 2 containers/);
    assert.match(await execute(enabled.taskArn, { container: 'x' }), /^InvalidParameterException: The task has no container named x\./);
    assert.strictEqual(await execute(enabled.taskArn, { container: 'main' }), off, 'not running yet');
    await report(enabled, 'RUNNING');
    const { session } = await send('ExecuteCommand', { task: enabled.taskArn, container: 'main', command: 'sh', interactive: true });      // its agent polls as Berth's own does
    assert.match(session.streamUrl, /^ws:.*\/v1\/data-channel\/ecs-execute-command-/);
    assert.match(await execute(enabled.taskArn, { container: 'main', interactive: false }), /^InvalidParameterException: /);
    for (const one of [task, enabled]) await stop(one);
});
