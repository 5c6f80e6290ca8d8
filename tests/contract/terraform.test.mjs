// Calls of the Terraform AWS provider for its ECS resources, call by call: create, wait, read, update, destroy. A read is right when
// it gives the state that was planned, or Terraform would change it again at the next apply; a deleted resource must look deleted; and the words
// that the provider looks for must be in the messages. The raw JSON is looked at, for absent and empty are different states.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { Server, account, region } from '../lib/lib.mjs';

let server;
const arn = (resource) => `arn:aws:ecs:${region}:${account}:${resource}`;
before(async () => { server = await Server.start(); });
after(async () => { await server.stop(); });

async function done(operation, input) {
    const reply = await server.call(operation, input);
    assert.strictEqual(reply.status, 200, `${operation}: ${reply.text}`);
    return reply.json;
}
async function refused(operation, input) {
    const reply = await server.call(operation, input);
    assert.strictEqual(reply.status, 400, reply.text);
    return reply.json;
}

// ---- the provider's own steps ----

// Exactly one, or gone: not there, not found, or INACTIVE.
async function readCluster(reference) {
    const { json } = await server.call('DescribeClusters', { clusters: [reference], include: ['TAGS', 'CONFIGURATIONS', 'SETTINGS'] });
    if (json.__type === 'ClusterNotFoundException') return undefined;
    assert.strictEqual(json.__type, undefined, json.message);
    assert.ok(json.clusters.length <= 1);
    return json.clusters.find((cluster) => cluster.status !== 'INACTIVE');
}

// PROVISIONING is waited for, ACTIVE is the end; any other status fails an apply.
async function waitForCluster(reference) {
    for (;;) {
        const { status } = await readCluster(reference) ?? {};
        if (status === 'ACTIVE') return;
        assert.strictEqual(status, 'PROVISIONING');
    }
}

// ACTIVE and DEPROVISIONING are waited for, the end is that it is gone.
async function waitForEnd(reference) {
    for (let cluster = await readCluster(reference); cluster; cluster = await readCluster(reference)) assert.ok(['ACTIVE', 'DEPROVISIONING'].includes(cluster.status), cluster.status);
}

const asMap = (tags) => Object.fromEntries(tags.map(({ key, value }) => [key, value]));
const asList = (map) => Object.entries(map).map(([key, value]) => ({ key, value }));

// First the tags that are no longer wanted, then new and changed ones.
async function updateTags(resourceArn, before, wanted) {
    const removed = Object.keys(before).filter((key) => !(key in wanted));
    const updated = Object.fromEntries(Object.entries(wanted).filter(([key, value]) => before[key] !== value));
    if (removed.length > 0) assert.deepStrictEqual(await done('UntagResource', { resourceArn, tagKeys: removed }), {});
    if (Object.keys(updated).length > 0) assert.deepStrictEqual(await done('TagResource', { resourceArn, tags: asList(updated) }), {});
}

// ---- aws_ecs_cluster ----

test('aws_ecs_cluster: as little as can be said', async () => {
    const { cluster } = await done('CreateCluster', { clusterName: 'small' });
    assert.strictEqual(cluster.clusterArn, arn('cluster/small'));
    await waitForCluster(cluster.clusterArn);
    assert.deepStrictEqual(await readCluster(cluster.clusterArn), { clusterArn: arn('cluster/small'), clusterName: 'small', status: 'ACTIVE', registeredContainerInstancesCount: 0,
        runningTasksCount: 0, pendingTasksCount: 0, activeServicesCount: 0, statistics: [], tags: [], settings: [{ name: 'containerInsights', value: 'disabled' }], capacityProviders: [],
        defaultCapacityProviderStrategy: [] }, 'neither configuration nor serviceConnectDefaults, which would be a drift');
    await done('DeleteCluster', { cluster: cluster.clusterArn });
    await waitForEnd(cluster.clusterArn);
});

test('aws_ecs_cluster: everything, changed, and destroyed', async () => {
    const planned = {
        settings: [{ name: 'containerInsights', value: 'enhanced' }],
        configuration: { executeCommandConfiguration: { kmsKeyId: arn('key/1').replace(':ecs:', ':kms:'), logging: 'OVERRIDE',
            logConfiguration: { cloudWatchLogGroupName: 'g', cloudWatchEncryptionEnabled: true, s3BucketName: 'b', s3EncryptionEnabled: false, s3KeyPrefix: 'p' } },
        managedStorageConfiguration: { kmsKeyId: 'k', fargateEphemeralStorageKmsKeyId: 'f' } },
        serviceConnectDefaults: { namespace: `arn:aws:servicediscovery:${region}:${account}:namespace/ns-1` },
    };
    const tags = { Name: 'web', team: 'ml', empty: '' };
    const { cluster } = await done('CreateCluster', { clusterName: 'web', tags: asList(tags), ...planned });
    const id = cluster.clusterArn;
    await waitForCluster(id);
    const drift = async (wanted, wantedTags) => {
        const { settings, configuration, serviceConnectDefaults, ...read } = await readCluster(id);
        assert.deepStrictEqual({ settings, configuration, serviceConnectDefaults }, wanted);
        assert.deepStrictEqual(asMap(read.tags), wantedTags);
    };
    await drift(planned, tags);

    const changed = { ...planned, settings: [{ name: 'containerInsights', value: 'disabled' }],
        configuration: { executeCommandConfiguration: { logging: 'DEFAULT', logConfiguration: { cloudWatchEncryptionEnabled: false, s3EncryptionEnabled: false } } } };
    await done('UpdateCluster', { cluster: id, ...changed });
    await waitForCluster(id);
    await updateTags(id, tags, { team: 'web', size: '2' });
    await drift(changed, { team: 'web', size: '2' });

    // A destroy is tried again for minutes while machines are there, for they leave on their own.
    const { containerInstance } = await done('RegisterContainerInstance', { cluster: 'web' });
    assert.strictEqual((await refused('DeleteCluster', { cluster: id })).__type, 'ClusterContainsContainerInstancesException');
    await done('DeregisterContainerInstance', { cluster: 'web', containerInstance: containerInstance.containerInstanceArn });
    assert.strictEqual((await done('DeleteCluster', { cluster: id })).cluster.status, 'INACTIVE');
    await waitForEnd(id);
    assert.strictEqual((await refused('DeleteCluster', { cluster: id })).__type, 'ClusterNotFoundException');

    const again = (await done('CreateCluster', { clusterName: 'web' })).cluster;
    assert.deepStrictEqual([again.status, again.tags, again.settings, again.configuration, again.serviceConnectDefaults],
        ['ACTIVE', [], [{ name: 'containerInsights', value: 'disabled' }], undefined, undefined], 'nothing of the one before shows');
    await done('DeleteCluster', { cluster: id });
});

test('aws_ecs_cluster: one that was never there reads as gone', async () => {
    assert.strictEqual(await readCluster(arn('cluster/never')), undefined);
    const { failures } = await done('DescribeClusters', { clusters: [arn('cluster/never')] });
    assert.deepStrictEqual(failures, [{ arn: arn('cluster/never'), reason: 'MISSING' }]);
});

// ---- aws_ecs_cluster_capacity_providers ----

test('aws_ecs_cluster_capacity_providers: none, put, read, taken away, and after the cluster itself', async () => {
    await done('CreateCluster', { clusterName: 'plain', tags: asList({ a: 'b' }) });
    const none = { cluster: 'plain', capacityProviders: [], defaultCapacityProviderStrategy: [] };
    for (let apply = 0; apply < 2; apply++) {
        const { cluster } = await done('PutClusterCapacityProviders', none);
        assert.deepStrictEqual([cluster.status, cluster.attachmentsStatus], ['ACTIVE', undefined], 'nothing is attached, so nothing is waited for');
        await waitForCluster('plain');
        const read = await readCluster('plain');
        assert.deepStrictEqual([read.clusterName, read.capacityProviders, read.defaultCapacityProviderStrategy, read.tags], ['plain', [], [], [{ key: 'a', value: 'b' }]]);
    }
    await done('DeleteCluster', { cluster: 'plain' });
    assert.strictEqual((await refused('PutClusterCapacityProviders', none)).__type, 'ClusterNotFoundException', 'which a destroy ignores');
});

// ---- aws_ecs_task_definition ----

// Differences that the provider ignores: defaults that ECS fills in, empty lists, the order of names.
function reduced(definitions) {
    const byName = (a, b) => (a.name < b.name ? -1 : 1);
    return definitions.map((definition) => {
        const one = structuredClone(definition);
        one.essential ??= true;
        one.cpu ??= 0;
        if (one.healthCheck) one.healthCheck = { interval: 30, retries: 3, timeout: 5, ...one.healthCheck };
        for (const mapping of one.portMappings ?? []) {
            if (mapping.protocol === 'tcp') delete mapping.protocol;
            if (!mapping.hostPort) delete mapping.hostPort;
        }
        one.environment?.sort(byName);
        one.secrets?.sort(byName);
        for (const [name, value] of Object.entries(one)) if (Array.isArray(value) && value.length === 0) delete one[name];
        return one;
    }).sort(byName);
}

const role = `arn:aws:iam::${account}:role/task`;
const planned = {
    family: 'service', taskRoleArn: role, executionRoleArn: role, networkMode: 'bridge', cpu: '512', memory: '1024', ipcMode: 'none', pidMode: 'task', requiresCompatibilities: ['EC2'],
    runtimePlatform: { cpuArchitecture: 'X86_64', operatingSystemFamily: 'LINUX' },
    placementConstraints: [{ type: 'memberOf', expression: 'attribute:ecs.availability-zone in [us-west-2a, us-west-2b]' }],
    volumes: [{ name: 'state', host: { sourcePath: '/srv/state' } },
        { name: 'scratch', dockerVolumeConfiguration: { scope: 'shared', autoprovision: true, driver: 'local', driverOpts: { type: 'tmpfs' }, labels: { a: 'b' } } }],
    containerDefinitions: [
        { name: 'web', image: 'nginx:1.27', memory: 512, memoryReservation: 128, portMappings: [{ containerPort: 80 }, { containerPort: 443, hostPort: 8443, protocol: 'tcp', name: 'tls' }],
            environment: [{ name: 'Z', value: '1' }, { name: 'A', value: '' }],
            secrets: [{ name: 'S', valueFrom: 'arn:aws:ssm:us-east-1:123456789012:parameter/s' }],
            mountPoints: [{ sourceVolume: 'state', containerPath: '/state', readOnly: true }], healthCheck: { command: ['CMD-SHELL', 'true'], startPeriod: 10 },
            dependsOn: [{ containerName: 'init', condition: 'SUCCESS' }], ulimits: [{ name: 'nofile', softLimit: 1024, hardLimit: 4096 }],
            logConfiguration: { logDriver: 'awslogs', options: { 'awslogs-group': 'g', 'awslogs-region': region, 'awslogs-stream-prefix': 's' } },
            linuxParameters: { initProcessEnabled: true, capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] } }, dockerLabels: { app: 'web' }, stopTimeout: 60, readonlyRootFilesystem: true,
            command: [], entryPoint: [], links: [], systemControls: [] },
        { name: 'init', image: 'busybox', essential: false, memory: 64, command: ['true'], user: '1000', workingDirectory: '/w', resourceRequirements: [{ type: 'GPU', value: '1' }] },
    ],
};

async function readDefinition(reference) {
    const { taskDefinition, tags } = await done('DescribeTaskDefinition', { taskDefinition: reference, include: ['TAGS'] });
    return taskDefinition.status === 'INACTIVE' ? undefined : { ...taskDefinition, tags: asMap(tags) };
}

test('aws_ecs_task_definition: a read gives the plan', async () => {
    const { taskDefinition, tags } = await done('RegisterTaskDefinition', { ...planned, tags: asList({ a: 'b' }) });
    assert.deepStrictEqual(tags, [{ key: 'a', value: 'b' }]);
    const read = await readDefinition(taskDefinition.taskDefinitionArn);
    assert.deepStrictEqual([read.taskDefinitionArn, read.family, read.revision, read.status, read.tags], [arn('task-definition/service:1'), 'service', 1, 'ACTIVE', { a: 'b' }]);
    const { containerDefinitions, family, ...state } = planned;
    for (const [name, value] of Object.entries(state)) assert.deepStrictEqual(read[name], value, name);
    assert.deepStrictEqual(reduced(read.containerDefinitions), reduced(containerDefinitions));
    // Terraform sends back what it has read: that must be the same definition once more.
    const second = await done('RegisterTaskDefinition', { ...planned, containerDefinitions: read.containerDefinitions });
    assert.deepStrictEqual(second.taskDefinition.containerDefinitions, read.containerDefinitions);

    await updateTags(read.taskDefinitionArn, { a: 'b' }, { c: 'd' });
    assert.deepStrictEqual((await readDefinition(read.taskDefinitionArn)).tags, { c: 'd' });
    // A replaced definition is registered again, and the old revision is taken out; a destroy finds it INACTIVE.
    await done('DeregisterTaskDefinition', { taskDefinition: read.taskDefinitionArn });
    assert.strictEqual(await readDefinition(read.taskDefinitionArn), undefined);
    assert.strictEqual((await readDefinition('service')).revision, 2, 'the data source asks for the family');
    await done('DeregisterTaskDefinition', { taskDefinition: second.taskDefinition.taskDefinitionArn });
});

test('aws_ecs_task_definition: as little as can be said is not filled with more than ECS fills in', async () => {
    const containerDefinitions = [{ name: 'a', image: 'i', memory: 8 }];
    const { taskDefinition } = await done('RegisterTaskDefinition', { family: 'least', containerDefinitions });
    const read = await readDefinition(taskDefinition.taskDefinitionArn);
    for (const name of ['taskRoleArn', 'executionRoleArn', 'cpu', 'memory', 'networkMode', 'ipcMode', 'pidMode', 'runtimePlatform', 'proxyConfiguration', 'ephemeralStorage',
        'requiresCompatibilities']) {
        assert.ok(!(name in read), `${name} was never said`);
    }
    assert.deepStrictEqual([read.volumes, read.placementConstraints, read.tags], [[], [], {}]);
    assert.deepStrictEqual(reduced(read.containerDefinitions), reduced(containerDefinitions));
});

// ---- aws_ecs_tag ----

test('aws_ecs_tag: on each kind of resource, and on removed ones', async () => {
    await done('CreateCluster', { clusterName: 'tagged', tags: asList({ other: 'stays' }) });
    const { containerInstance } = await done('RegisterContainerInstance', { cluster: 'tagged' });
    const { taskDefinition } = await done('RegisterTaskDefinition', { family: 'tagged', containerDefinitions: [{ name: 'a', image: 'i', memory: 8 }] });
    for (const resourceArn of [arn('cluster/tagged'), taskDefinition.taskDefinitionArn, containerInstance.containerInstanceArn]) {
        const read = async () => asMap((await done('ListTagsForResource', { resourceArn })).tags).key;
        await updateTags(resourceArn, {}, { key: 'one' });
        assert.strictEqual(await read(), 'one');
        await updateTags(resourceArn, {}, { key: 'two' });
        assert.strictEqual(await read(), 'two');
        await updateTags(resourceArn, { key: 'two' }, {});
        assert.strictEqual(await read(), undefined);
    }
    assert.deepStrictEqual((await readCluster('tagged')).tags, [{ key: 'other', value: 'stays' }]);
    await done('DeregisterContainerInstance', { cluster: 'tagged', containerInstance: containerInstance.containerInstanceArn });
    await done('DeleteCluster', { cluster: 'tagged' });
    const { __type, message } = await refused('ListTagsForResource', { resourceArn: arn('cluster/tagged') });
    assert.strictEqual(__type, 'InvalidParameterException');
    assert.ok(message.includes('The specified cluster is inactive. Specify an active cluster and try again.'), message);
});

// ---- aws_ecs_account_setting_default ----

test('aws_ecs_account_setting_default: put, read what holds, and destroyed by putting it off', async () => {
    const rows = [
        ['containerInsights', ['enabled', 'enhanced'], 'disabled'], ['awsvpcTrunking', ['enabled'], 'disabled'], ['fargateTaskRetirementWaitPeriod', ['14', '0'], '7'],
        ['taskLongArnFormat', ['enabled'], 'disabled'], ['serviceLongArnFormat', ['enabled'], 'disabled'], ['containerInstanceLongArnFormat', ['enabled'], 'disabled'],
    ];
    for (const [name, values, off] of rows) {
        for (const value of values) {
            const { setting } = await done('PutAccountSettingDefault', { name, value });
            assert.deepStrictEqual([setting.name, setting.value], [name, value]);
            const { settings, nextToken } = await done('ListAccountSettings', { name, effectiveSettings: true });
            assert.deepStrictEqual([settings, nextToken], [[{ name, value, principalArn: `arn:aws:iam::${account}:root`, type: 'user' }], undefined], 'exactly one');
        }
        const { json } = await server.call('PutAccountSettingDefault', { name, value: off });
        if (/LongArnFormat$/.test(name)) {
            assert.strictEqual(json.__type, 'InvalidParameterException');
            assert.ok(json.message.includes('You can no longer disable'), json.message);
        } else {
            assert.strictEqual(json.setting.value, off, json.message);
        }
    }
});
