// Tags, account settings, changes of clusters and deleted task definitions with the JavaScript SDK and the AWS CLI: each operation
// with success and with the errors that it declares and that can be provoked.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import * as ecs from '@aws-sdk/client-ecs';
import { Server, account, region, waitFor } from '../lib/lib.mjs';

let server, client;
const send = (name, input = {}) => client.send(new ecs[`${name}Command`](input));
const cli = (...args) => server.aws('ecs', ...args);
const arn = (resource) => `arn:aws:ecs:${region}:${account}:${resource}`;
const user = `arn:aws:iam::${account}:user/root`, root = `arn:aws:iam::${account}:root`;
const rejects = (promise, name, text) => assert.rejects(promise, (error) => {
    assert.strictEqual(error.name, name, error.message);
    assert.ok(error instanceof (ecs[name] ?? ecs.ECSServiceException), `typed as ${name}`);
    if (text) assert.match(error.message, text);
    return true;
});
const container = { name: 'main', image: 'busybox', cpu: 10, memory: 32, command: ['sleep', '600'] };
const nobody = '0123456789abcdef0123456789abcdef';

before(async () => {
    server = await Server.start();
    client = server.sdk();
    await send('CreateCluster');
    await server.fleet('c5.large', 1);
    await send('RegisterTaskDefinition', { family: 'sleeper', containerDefinitions: [container] });
});
after(async () => { client.destroy(); await server.stop(); });

test('tags of all that can have them', async () => {
    const [instance] = (await send('ListContainerInstances')).containerInstanceArns;
    const task = (await send('RunTask', { taskDefinition: 'sleeper' })).tasks[0].taskArn;
    for (const resourceArn of [arn('cluster/default'), arn('task-definition/sleeper:1'), instance, task]) {
        await send('TagResource', { resourceArn, tags: [{ key: 'team', value: 'ml' }, { key: 'empty', value: '' }] });
        await send('TagResource', { resourceArn, tags: [{ key: 'team', value: 'web' }] });
        assert.deepStrictEqual((await send('ListTagsForResource', { resourceArn })).tags, [{ key: 'team', value: 'web' }, { key: 'empty', value: '' }], resourceArn);
        await send('UntagResource', { resourceArn, tagKeys: ['empty', 'never there'] });
        assert.deepStrictEqual((await send('ListTagsForResource', { resourceArn })).tags, [{ key: 'team', value: 'web' }], resourceArn);
    }
    assert.deepStrictEqual((await send('DescribeClusters', { include: ['TAGS'] })).clusters[0].tags, [{ key: 'team', value: 'web' }]);
    assert.deepStrictEqual((await send('DescribeTasks', { tasks: [task], include: ['TAGS'] })).tasks[0].tags, [{ key: 'team', value: 'web' }]);
    assert.deepStrictEqual((await send('DescribeTaskDefinition', { taskDefinition: 'sleeper', include: ['TAGS'] })).tags, [{ key: 'team', value: 'web' }]);
    assert.deepStrictEqual((await send('DescribeContainerInstances', { containerInstances: [instance], include: ['TAGS'] })).containerInstances[0].tags,
        [{ key: 'team', value: 'web' }]);
    await send('StopTask', { task });
    await waitFor('the task to stop', async () => (await send('DescribeTasks', { tasks: [task] })).tasks[0].lastStatus === 'STOPPED');
    await rejects(send('TagResource', { resourceArn: task, tags: [] }), 'InvalidParameterException', /is stopped/);
});

test('tags with the AWS CLI', async () => {
    const resource = arn('cluster/default');
    await cli('tag-resource', '--resource-arn', resource, '--tags', 'key=cli,value=yes');
    assert.ok((await cli('list-tags-for-resource', '--resource-arn', resource)).tags.some((tag) => tag.key === 'cli' && tag.value === 'yes'));
    await cli('untag-resource', '--resource-arn', resource, '--tag-keys', 'cli');
    assert.ok(!(await cli('list-tags-for-resource', '--resource-arn', resource)).tags.some((tag) => tag.key === 'cli'));
    await assert.rejects(cli('tag-resource', '--resource-arn', arn('service/default/web'), '--tags', 'key=a,value=b'), { code: 'ResourceNotFoundException' });
});

test('what tags refuse', async () => {
    const tags = [{ key: 'a', value: 'b' }];
    const rows = [
        ['default', 'InvalidParameterException', /^The ARN provided is invalid\.$/],
        [`arn:aws:ecs:eu-west-9:${account}:cluster/default`, 'InvalidParameterException', /^The ARN provided is invalid\.$/],
        [arn('cluster/nowhere'), 'ClusterNotFoundException', /^Cluster not found\.$/],
        [arn('task-definition/nobody:1'), 'ClientException', /^Unable to describe task definition\.$/],
        [arn('service/web'), 'InvalidParameterException', /^The new ARN and resource ID format must be enabled/],
        [arn(`task/default/${nobody}`), 'ResourceNotFoundException'],
        [arn(`container-instance/default/${nobody}`), 'ResourceNotFoundException'],
        [arn('service/default/web'), 'ResourceNotFoundException'],
        [arn('capacity-provider/FARGATE'), 'ResourceNotFoundException'],
    ];
    for (const [resourceArn, name, text] of rows) {
        await rejects(send('TagResource', { resourceArn, tags }), name, text);
        await rejects(send('UntagResource', { resourceArn, tagKeys: ['a'] }), name, text);
        await rejects(send('ListTagsForResource', { resourceArn }), name === 'ResourceNotFoundException' ? 'InvalidParameterException' : name, text);
    }
    await send('CreateCluster', { clusterName: 'gone' });
    await send('DeleteCluster', { cluster: 'gone' });
    await rejects(send('TagResource', { resourceArn: arn('cluster/gone'), tags }), 'InvalidParameterException', /^The specified cluster is inactive\./);
    await rejects(send('TagResource', { resourceArn: arn('cluster/default'), tags: [{ key: 'aws:x', value: 'b' }] }), 'InvalidParameterException', /reserved/);
    await send('CreateCluster', { clusterName: 'full' });
    const full = arn('cluster/full'), numbered = (count) => Array.from({ length: count }, (_, n) => ({ key: `k${n}`, value: 'v' }));
    await rejects(send('TagResource', { resourceArn: full, tags: numbered(51) }), 'InvalidParameterException', /between 0 and 50/);
    await send('TagResource', { resourceArn: full, tags: numbered(50) });
    await rejects(send('TagResource', { resourceArn: full, tags }), 'LimitExceededException', /at most 50/);
    await send('TagResource', { resourceArn: full, tags: [{ key: 'k7', value: 'new' }] });
});

test('a managed instances provider is made, shown, changed and deleted, and its cluster stays while it has it', async () => {
    const template = { ec2InstanceProfileArn: 'i', networkConfiguration: { subnets: ['s'] } };
    await send('CreateCluster', { clusterName: 'managed' });
    const { capacityProvider } = await send('CreateCapacityProvider', { name: 'mi', cluster: 'managed',
        managedInstancesProvider: { infrastructureRoleArn: 'r', instanceLaunchTemplate: template } });
    assert.deepStrictEqual([capacityProvider.status, capacityProvider.updateStatus, capacityProvider.type], ['PROVISIONING', 'CREATE_IN_PROGRESS', 'MANAGED_INSTANCES']);
    const mine = async () => (await send('DescribeCapacityProviders', { cluster: 'managed' })).capacityProviders[2];
    await waitFor('it to be ACTIVE', async () => { const one = await mine(); return one.status === 'ACTIVE' && one.updateStatus === 'CREATE_COMPLETE'; });
    const changed = await send('UpdateCapacityProvider', { name: 'mi', cluster: 'managed', managedInstancesProvider: { infrastructureRoleArn: 'q', instanceLaunchTemplate: {} } });
    assert.strictEqual(changed.capacityProvider.updateStatus, 'UPDATE_IN_PROGRESS');
    await waitFor('the change', async () => (await mine()).updateStatus === 'UPDATE_COMPLETE');
    const shown = await send('DescribeCapacityProviders', { cluster: 'managed' });
    assert.deepStrictEqual(shown.capacityProviders.map(({ name, status }) => `${name} ${status}`), ['FARGATE ACTIVE', 'FARGATE_SPOT ACTIVE', 'mi ACTIVE']);
    assert.strictEqual(shown.capacityProviders[2].managedInstancesProvider.infrastructureRoleArn, 'q');
    await rejects(send('DeleteCluster', { cluster: 'managed' }), 'ClusterContainsCapacityProviderException', /managed instances/);
    await rejects(send('UpdateCapacityProvider', { name: '' }), 'InvalidParameterException');
    const deleted = await send('DeleteCapacityProvider', { capacityProvider: 'mi', cluster: 'managed' });
    assert.strictEqual(deleted.capacityProvider.updateStatus, 'DELETE_IN_PROGRESS');
    await send('DeleteCluster', { cluster: 'managed' });
});

test('clusters change', async () => {
    const { cluster } = await send('UpdateCluster', { cluster: 'default', settings: [{ name: 'containerInsights', value: 'enabled' }],
        configuration: { executeCommandConfiguration: { logging: 'NONE' } }, serviceConnectDefaults: { namespace: 'n' } });
    assert.deepStrictEqual(cluster.settings, [{ name: 'containerInsights', value: 'enabled' }]);
    assert.deepStrictEqual(cluster.attachments, []);
    assert.strictEqual(cluster.serviceConnectDefaults.namespace, 'n');
    assert.strictEqual((await send('UpdateCluster', { cluster: 'default', serviceConnectDefaults: { namespace: '' } })).cluster.serviceConnectDefaults, undefined);
    const changed = await cli('update-cluster-settings', '--cluster', 'default', '--settings', 'name=containerInsights,value=disabled');
    assert.strictEqual(changed.cluster.settings[0].value, 'disabled');
    const described = (await send('DescribeClusters', { include: ['SETTINGS', 'CONFIGURATIONS'] })).clusters[0];
    assert.strictEqual(described.configuration.executeCommandConfiguration.logging, 'NONE');
    assert.strictEqual(described.settings[0].value, 'disabled');
    const none = await send('PutClusterCapacityProviders', { cluster: 'default', capacityProviders: [], defaultCapacityProviderStrategy: [] });
    assert.deepStrictEqual([none.cluster.capacityProviders, none.cluster.defaultCapacityProviderStrategy], [[], []]);
});

test('what changes of clusters refuse', async () => {
    const settings = [{ name: 'containerInsights', value: 'enabled' }];
    await rejects(send('UpdateCluster', { cluster: 'nowhere' }), 'ClusterNotFoundException');
    await rejects(send('UpdateClusterSettings', { cluster: 'nowhere', settings }), 'ClusterNotFoundException');
    const providers = (capacityProviders, defaultCapacityProviderStrategy = [], cluster = 'default') =>
        send('PutClusterCapacityProviders', { cluster, capacityProviders, defaultCapacityProviderStrategy });
    await rejects(providers([], [], 'nowhere'), 'ClusterNotFoundException');
    await rejects(send('UpdateClusterSettings', { cluster: 'default', settings: [] }), 'InvalidParameterException');
    await rejects(send('UpdateCluster', { cluster: 'default', settings: [{ name: 'containerInsights', value: 'loud' }] }), 'InvalidParameterException');
    await rejects(providers(['FARGATE']), 'ClientException', /^Capacity provider FARGATE is not available/);
    await rejects(providers(['a'], [{ capacityProvider: 'a', weight: 0 }]), 'InvalidParameterException', /weight value greater than zero/);
    await rejects(providers(['a', 'b'], [{ capacityProvider: 'a', weight: 1, base: 1 }, { capacityProvider: 'b', base: 1 }]), 'InvalidParameterException', /base/);
    await rejects(providers(Array.from({ length: 21 }, (_, n) => `p${n}`)), 'InvalidParameterException', /maximum number of capacity providers/);
});

test('account settings: own before root before default', async () => {
    const effective = async (name) => (await send('ListAccountSettings', { name, effectiveSettings: true })).settings[0].value;
    assert.strictEqual(await effective('containerInsights'), 'disabled');
    assert.deepStrictEqual((await send('PutAccountSettingDefault', { name: 'containerInsights', value: 'enhanced' })).setting,
        { name: 'containerInsights', value: 'enhanced', principalArn: root, type: 'user' });
    assert.strictEqual(await effective('containerInsights'), 'enhanced');
    assert.strictEqual((await send('CreateCluster', { clusterName: 'watched' })).cluster.settings[0].value, 'enhanced');
    const own = await cli('put-account-setting', '--name', 'containerInsights', '--value', 'enabled');
    assert.strictEqual(own.setting.principalArn, user);
    assert.strictEqual(await effective('containerInsights'), 'enabled');
    assert.deepStrictEqual((await send('ListAccountSettings')).settings, [{ name: 'containerInsights', value: 'enabled', principalArn: user, type: 'user' }]);
    assert.strictEqual((await send('DeleteAccountSetting', { name: 'containerInsights' })).setting.value, 'enhanced');
    await send('DeleteAccountSetting', { name: 'containerInsights', principalArn: root });
    assert.strictEqual(await effective('containerInsights'), 'disabled');
});

test('ListAccountSettings pages, each exactly once', async () => {
    const names = [];
    for await (const page of ecs.paginateListAccountSettings({ client, pageSize: 4 }, { effectiveSettings: true })) {
        assert.ok(page.settings.length <= 4);
        names.push(...page.settings.map((setting) => setting.name));
    }
    assert.strictEqual(names.length, 12);
    assert.strictEqual(new Set(names).size, 12);
    assert.strictEqual((await cli('list-account-settings', '--effective-settings')).settings.length, 12, 'the CLI follows the token');
    for (const maxResults of [0, 11]) await rejects(send('ListAccountSettings', { maxResults }), 'InvalidParameterException', /maxResults/);
    await rejects(send('ListAccountSettings', { nextToken: 'not a token' }), 'InvalidParameterException');
});

test('what account settings refuse', async () => {
    await rejects(send('PutAccountSetting', { name: 'unknown', value: 'enabled' }), 'InvalidParameterException', /should be one of \[serviceLongArnFormat,/);
    await rejects(send('PutAccountSetting', { name: 'taskLongArnFormat', value: 'disabled' }), 'InvalidParameterException');
    await rejects(send('PutAccountSetting', { name: 'fargateTaskRetirementWaitPeriod', value: '7' }), 'InvalidParameterException', /root user only/);
    await rejects(send('PutAccountSettingDefault', { name: 'guardDutyActivate', value: 'on' }), 'InvalidParameterException', /can not be changed/);
    await rejects(send('PutAccountSetting', { name: 'awsvpcTrunking', value: 'enabled', principalArn: 'arn:aws:iam::999999999999:root' }), 'InvalidParameterException');
    await rejects(send('DeleteAccountSetting', { name: 'awsvpcTrunking', principalArn: 'root' }), 'InvalidParameterException');
    await rejects(send('ListAccountSettings', { value: 'enabled' }), 'InvalidParameterException', /name of the account setting/);
});

test('task definitions are deleted, and their numbers are not used again', async () => {
    const family = 'passing';
    for (let n = 0; n < 2; n++) await send('RegisterTaskDefinition', { family, containerDefinitions: [container] });
    await send('DeregisterTaskDefinition', { taskDefinition: 'passing:1' });
    const { taskDefinitions, failures } = await send('DeleteTaskDefinitions', { taskDefinitions: ['passing:1', 'passing:2', 'passing:9', 'passing'] });
    assert.deepStrictEqual(taskDefinitions.map((one) => [one.taskDefinitionArn, one.status]), [[arn('task-definition/passing:1'), 'DELETE_IN_PROGRESS']]);
    assert.deepStrictEqual(failures.map((failure) => failure.arn), ['passing:2', 'passing:9', 'passing']);
    assert.match(failures[0].reason, /still in ACTIVE status/);
    assert.match(failures[1].reason, /does not exist/);
    assert.match(failures[2].reason, /identifier is invalid/);
    await waitFor('the revision to go', () => send('DescribeTaskDefinition', { taskDefinition: 'passing:1' }).then(() => false, (error) => error.name === 'ClientException'));
    await rejects(send('RunTask', { taskDefinition: 'passing:1' }), 'ClientException', /^TaskDefinition not found\.$/);
    // Debian's CLI is older than DeleteTaskDefinitions.
    await cli('deregister-task-definition', '--task-definition', 'passing:2');
    assert.strictEqual((await send('DeleteTaskDefinitions', { taskDefinitions: [arn('task-definition/passing:2')] })).taskDefinitions[0].status, 'DELETE_IN_PROGRESS');
    assert.deepStrictEqual((await send('ListTaskDefinitionFamilies', { familyPrefix: family })).families, []);
    assert.strictEqual((await send('RegisterTaskDefinition', { family, containerDefinitions: [container] })).taskDefinition.revision, 3);
    await rejects(send('DeleteTaskDefinitions', { taskDefinitions: [] }), 'InvalidParameterException', /^size of TaskDefinition references list must be greater than 0$/);
    await rejects(send('DeleteTaskDefinitions', { taskDefinitions: Array(11).fill('a:1') }), 'InvalidParameterException', /cannot exceed 10$/);
});
