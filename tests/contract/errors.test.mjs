// Each served operation with the errors that it declares, in ECS's own words where those are known: one row, one refusal. The resources
// in capitals are made before: see `things`. Whose rows are alike for all operations (keys, a store that fails) is asked of the whole table of operations.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EcsAgent } from '../lib/agent_client.mjs';
import { Server, account, program, region, root, waitFor } from '../lib/lib.mjs';
import { schemaDump } from '../lib/model.mjs';

const arn = (resource) => `arn:aws:ecs:${region}:${account}:${resource}`;
const nobody = '0123456789abcdef0123456789abcdef';
const noCluster = ['ClusterNotFoundException', 'Cluster not found.'];
const elsewhere = arn(`task/elsewhere/${nobody}`), otherMachine = arn(`container-instance/elsewhere/${nobody}`);
const otherCluster = ['InvalidParameterException', 'Invalid identifier: Identifier is for cluster elsewhere. Your cluster is default'];
const separators = ['InvalidParameterException', 'Invalid identifier: Unexpected number of separators'];
const noTask = ['InvalidParameterException', 'The referenced task was not found.'];
const noMachine = ['InvalidParameterException', 'The referenced container instance was not found.'];
const noProvider = ['ClientException', 'The specified capacity provider does not exist. Specify a valid name or ARN and try again.'];
const badToken = ['InvalidParameterException', /nextToken/];
const tags = [{ key: 'a', value: 'b' }], manyTags = Array.from({ length: 50 }, (_, n) => ({ key: `k${n}`, value: 'v' }));
const attributes = [{ name: 'a', targetId: nobody }], eleven = Array.from({ length: 11 }, (_, n) => ({ name: `k${n}`, targetId: 'MACHINE' }));
const settings = [{ name: 'containerInsights', value: 'enabled' }];
const settingNames = /^name should be one of \[serviceLongArnFormat,.*,fargateEventWindows\], but was 'unknown'\.$/;
const container = { name: 'main', image: 'busybox', cpu: 10, memory: 32 };
const managed = { infrastructureRoleArn: 'r', instanceLaunchTemplate: { ec2InstanceProfileArn: 'i', networkConfiguration: { subnets: ['s'] } } };
const device = { id: 'GPU-a', type: 'GPU' };
const daemon = { daemonName: 'web', daemonTaskDefinitionArn: 'nothing', capacityProviderArns: ['p'] };
const noDaemon = ['DaemonNotFoundException', 'Daemon not found.'];

const rows = [
    ['CreateCluster', { clusterName: 'no blanks' }, 'InvalidParameterException', /no blanks/],
    ['CreateCluster', { tags }, 'InvalidParameterException', 'Arguments on this idempotent request are inconsistent with arguments used in previous request(s).'],
    ['CreateCluster', { clusterName: 'provided', capacityProviders: ['a'] }, ...noProvider],
    ['DescribeClusters', { clusters: [''] }, 'InvalidParameterException', 'Clusters can not be blank.'],
    ['ListClusters', { nextToken: 'x' }, ...badToken],
    ['ListClusters', { maxResults: 101 }, 'InvalidParameterException', /maxResults/],
    ['UpdateCluster', { cluster: 'nowhere' }, ...noCluster],
    ['UpdateCluster', { cluster: 'GONE' }, ...noCluster],
    ['UpdateCluster', { cluster: 'default', settings: [{ name: 'containerInsights', value: 'loud' }] }, 'InvalidParameterException', /containerInsights/],
    ['UpdateClusterSettings', { cluster: 'nowhere', settings }, ...noCluster],
    ['UpdateClusterSettings', { cluster: 'default', settings: [{ name: 'unknown', value: 'enabled' }] }, 'InvalidParameterException', /settings/],
    ['PutClusterCapacityProviders', { cluster: 'nowhere', capacityProviders: [], defaultCapacityProviderStrategy: [] }, ...noCluster],
    ['PutClusterCapacityProviders', { cluster: 'default', capacityProviders: ['nope'], defaultCapacityProviderStrategy: [] }, ...noProvider],
    ['PutClusterCapacityProviders', { cluster: 'default', capacityProviders: Array.from({ length: 21 }, (_, n) => `p${n}`), defaultCapacityProviderStrategy: [] },
        'InvalidParameterException', 'The maximum number of capacity providers per cluster has been exceeded.'],
    ['CreateCapacityProvider', { name: 'aws-x', autoScalingGroupProvider: { autoScalingGroupArn: 'g' } }, 'InvalidParameterException', /can't begin with aws/],
    ['CreateCapacityProvider', { name: 'p', autoScalingGroupProvider: { autoScalingGroupArn: 'g' } }, 'ClientException',
        /^The specified Auto Scaling group ARN is not valid/],
    ['CreateCapacityProvider', { name: 'p', cluster: 'nowhere', managedInstancesProvider: managed }, ...noCluster],
    ['UpdateCapacityProvider', { name: 'p', autoScalingGroupProvider: {} }, ...noProvider],
    ['DeleteCapacityProvider', { capacityProvider: 'p' }, ...noProvider],
    ['DeleteCapacityProvider', {}, 'InvalidParameterException', /capacityProvider/],
    ['DescribeCapacityProviders', { cluster: 'nowhere' }, ...noCluster],
    ['DescribeCapacityProviders', { maxResults: 11 }, 'InvalidParameterException', /maxResults/],
    ['DeleteCluster', { cluster: 'nowhere' }, ...noCluster],
    ['DeleteCluster', { cluster: 'GONE' }, ...noCluster],
    ['DeleteCluster', { cluster: arn('cluster/a/b') }, ...separators],
    ['DeleteCluster', { cluster: 'default' }, 'ClusterContainsContainerInstancesException', 'The Cluster cannot be deleted while Container Instances are active or draining.'],

    ['RegisterTaskDefinition', { family: 'bad', containerDefinitions: [{ ...container, name: '' }] }, 'ClientException', 'Container.name should not be null or empty.'],
    ['RegisterTaskDefinition', { family: 'bad', containerDefinitions: [{ name: 'X', image: 'i' }] }, 'ClientException',
        "Invalid setting for container 'X'. At least one of 'memory' or 'memoryReservation' must be specified."],
    ['RegisterTaskDefinition', { family: 'bad', containerDefinitions: [container], tags: [{ key: 'aws:x', value: 'b' }] }, 'InvalidParameterException', /reserved/],
    ['DescribeTaskDefinition', { taskDefinition: 'nothing' }, 'ClientException', 'Unable to describe task definition.'],
    ['DescribeTaskDefinition', { taskDefinition: 'sleeper:foo' }, 'InvalidParameterException', 'Invalid revision number. Number: foo'],
    ['DeregisterTaskDefinition', { taskDefinition: 'sleeper' }, 'ClientException', 'Revision is missing.'],
    ['DeregisterTaskDefinition', { taskDefinition: 'sleeper:99' }, 'ClientException', 'Unable to describe task definition.'],
    ['DeregisterTaskDefinition', { taskDefinition: 'sleeper:foo' }, 'InvalidParameterException', 'Invalid revision number. Number: foo'],
    ['DeleteTaskDefinitions', { taskDefinitions: [] }, 'InvalidParameterException', 'size of TaskDefinition references list must be greater than 0'],
    ['DeleteTaskDefinitions', { taskDefinitions: Array(11).fill('a:1') }, 'InvalidParameterException', 'Size of TaskDefinition references list cannot exceed 10'],
    ['RegisterDaemonTaskDefinition', { family: 'bad', containerDefinitions: [{ name: 'X', image: 'i' }] }, 'ClientException',
        "Invalid setting for container 'X'. At least one of 'memory' or 'memoryReservation' must be specified."],
    ['RegisterDaemonTaskDefinition', { family: 'bad', containerDefinitions: [container], tags: [{ key: 'aws:x', value: 'b' }] }, 'InvalidParameterException', /reserved/],
    ['DescribeDaemonTaskDefinition', { daemonTaskDefinition: 'nothing' }, 'ClientException', 'Unable to describe daemon task definition.'],
    ['DescribeDaemonTaskDefinition', { daemonTaskDefinition: 'sleeper:foo' }, 'InvalidParameterException', 'Invalid revision number. Number: foo'],
    ['DeleteDaemonTaskDefinition', { daemonTaskDefinition: 'sleeper' }, 'ClientException', 'Revision is missing.'],
    ['DeleteDaemonTaskDefinition', { daemonTaskDefinition: arn('task-definition/sleeper:1') }, 'InvalidParameterException', 'Daemon Task Definition Identifier is invalid'],
    ['ListDaemonTaskDefinitions', { nextToken: 'x' }, ...badToken],
    ['CreateDaemon', { ...daemon, daemonName: 'no blanks' }, 'InvalidParameterException', /daemonName/],
    ['CreateDaemon', { ...daemon, clusterArn: 'nowhere' }, ...noCluster],
    ['CreateDaemon', daemon, 'ClientException', 'The specified daemon task definition does not exist.'],
    ['UpdateDaemon', { ...daemon, daemonArn: arn('daemon/default/web') }, ...noDaemon],
    ['UpdateDaemon', { ...daemon, daemonArn: arn('daemon/nowhere/web') }, ...noCluster],
    ['UpdateDaemon', { ...daemon, daemonArn: 'web' }, 'InvalidParameterException', 'Daemon Identifier is invalid'],
    ['DeleteDaemon', { daemonArn: arn('daemon/default/web') }, ...noDaemon],
    ['DeleteDaemon', { daemonArn: arn('daemon/nowhere/web') }, ...noCluster],
    ['DeleteDaemon', { daemonArn: 'web' }, 'InvalidParameterException', 'Daemon Identifier is invalid'],
    ['DescribeDaemon', { daemonArn: arn('daemon/default/web') }, ...noDaemon],
    ['DescribeDaemon', { daemonArn: arn('daemon/nowhere/web') }, ...noCluster],
    ['DescribeDaemon', { daemonArn: 'arn:aws:ecs:us-west-1:123456789012:daemon/default/web' }, 'InvalidParameterException', 'Invalid Region in ARN'],
    ['ListDaemons', { clusterArn: 'nowhere' }, ...noCluster],
    ['ListDaemons', { nextToken: 'x' }, ...badToken],
    ['ListDaemonDeployments', { daemonArn: arn('daemon/nowhere/web') }, ...noCluster],
    ['ListDaemonDeployments', { daemonArn: arn('daemon/default/web') }, 'InvalidParameterException', 'Daemon not found.'],
    ['DescribeDaemonDeployments', { daemonDeploymentArns: ['x'] }, 'InvalidParameterException', 'Daemon Deployment Identifier is invalid'],
    ['DescribeDaemonRevisions', { daemonRevisionArns: ['x'] }, 'InvalidParameterException', 'Daemon Revision Identifier is invalid'],
    ['ListDaemonTaskDefinitions', { family: 'a', familyPrefix: 'a' }, 'InvalidParameterException', 'Only one of family and familyPrefix can be specified.'],
    ['ListTaskDefinitions', { nextToken: 'x' }, ...badToken],
    ['ListTaskDefinitions', { maxResults: 0 }, 'InvalidParameterException', /maxResults/],
    ['ListTaskDefinitionFamilies', { nextToken: 'x' }, ...badToken],
    ['ListTaskDefinitionFamilies', { maxResults: 101 }, 'InvalidParameterException', /maxResults/],

    ['RunTask', { cluster: 'nowhere', taskDefinition: 'sleeper' }, ...noCluster],
    ['RunTask', { taskDefinition: 'nothing' }, 'ClientException', 'TaskDefinition not found.'],
    ['RunTask', { taskDefinition: 'old:1' }, 'InvalidParameterException', 'TaskDefinition is inactive'],
    ['RunTask', { taskDefinition: 'sleeper', count: 11 }, 'InvalidParameterException', /count/],
    ['RunTask', { taskDefinition: 'sleeper', cluster: 'idle' }, 'InvalidParameterException', 'No Container Instances were found in your cluster.'],
    ['RunTask', { taskDefinition: 'sleeper', overrides: { containerOverrides: [{ name: 'X' }] } }, 'InvalidParameterException',
        'Override for container named X is not a container in the TaskDefinition.'],
    ['RunTask', { taskDefinition: 'sleeper', networkConfiguration: { awsvpcConfiguration: { subnets: ['s'] } } }, 'InvalidParameterException',
        'Network Configuration is not valid for the given networkMode of this task definition.'],
    ['RunTask', { taskDefinition: 'apart' }, 'InvalidParameterException', "Network Configuration must be provided when networkMode 'awsvpc' is specified."],
    ['RunTask', { taskDefinition: 'apart', networkConfiguration: { awsvpcConfiguration: { subnets: [] } } }, 'InvalidParameterException', 'subnets can not be empty.'],
    ['RunTask', { taskDefinition: 'sleeper', launchType: 'FARGATE' }, 'UnsupportedFeatureException', /FARGATE/],
    ['RunTask', { taskDefinition: 'sleeper', count: 2, clientToken: 'used' }, 'ConflictException', /clientToken/],
    ['StartTask', { cluster: 'nowhere', taskDefinition: 'sleeper', containerInstances: ['MACHINE'] }, ...noCluster],
    ['StartTask', { taskDefinition: 'nothing', containerInstances: ['MACHINE'] }, 'ClientException', 'TaskDefinition not found.'],
    ['StartTask', { taskDefinition: 'old:1', containerInstances: ['MACHINE'] }, 'InvalidParameterException', 'TaskDefinition is inactive'],
    ['StartTask', { taskDefinition: 'sleeper', containerInstances: [otherMachine] }, ...otherCluster],
    ['StartTask', { taskDefinition: 'sleeper', containerInstances: ['MACHINE'], volumeConfigurations: [{ name: 'v', managedEBSVolume: { roleArn: 'r' } }] },
        'UnsupportedFeatureException', /volumeConfigurations/],
    ['StopTask', { cluster: 'nowhere', task: nobody }, ...noCluster],
    ['StopTask', { task: nobody }, ...noTask],
    ['StopTask', { task: elsewhere }, ...otherCluster],
    ['DescribeTasks', { cluster: 'nowhere', tasks: [nobody] }, ...noCluster],
    ['DescribeTasks', { tasks: [] }, 'InvalidParameterException', 'Tasks cannot be empty.'],
    ['DescribeTasks', { tasks: ['xyz'] }, 'InvalidParameterException', 'taskId length should be one of [32,36]'],
    ['DescribeTasks', { tasks: ['x'.repeat(32)] }, 'InvalidParameterException', 'Task Identifier is invalid'],
    ['ListTasks', { cluster: 'nowhere' }, ...noCluster],
    ['ListTasks', { serviceName: 'web' }, 'ServiceNotFoundException', 'Service not found.'],
    ['ListTasks', { nextToken: 'x' }, ...badToken],
    ['GetTaskProtection', { cluster: 'nowhere', tasks: [nobody] }, ...noCluster],
    ['GetTaskProtection', { cluster: 'default', tasks: [elsewhere] }, ...otherCluster],
    ['UpdateTaskProtection', { cluster: 'nowhere', tasks: [nobody], protectionEnabled: true }, ...noCluster],
    ['UpdateTaskProtection', { cluster: 'default', tasks: [nobody], protectionEnabled: true, expiresInMinutes: 2881 }, 'InvalidParameterException', /expiresInMinutes/],
    ['ExecuteCommand', { cluster: 'nowhere', task: 'TASK', command: 'ls', interactive: true }, ...noCluster],
    ['ExecuteCommand', { task: nobody, command: 'ls', interactive: true }, ...noTask],
    ['ExecuteCommand', { task: 'TASK', command: 'ls', interactive: true }, 'InvalidParameterException', 'The execute command failed because execute command was not enabled '
        + "when the task was run or the execute command agent isn't running. Wait and try again or run a new task with execute command enabled and try again."],
    ['ExecuteCommand', { cluster: 'open', task: 'OPEN_TASK', command: 'ls', interactive: true }, 'TargetNotConnectedException', /not connected/],

    ['RegisterContainerInstance', { cluster: 'nowhere' }, ...noCluster],
    ['RegisterContainerInstance', { attributes: [{ name: 'a', value: 'x'.repeat(129) }] }, 'InvalidParameterException', /128/],
    ['RegisterContainerInstance', { platformDevices: [device, device] }, 'ClientException', /GPU-a/],
    ['DeregisterContainerInstance', { cluster: 'nowhere', containerInstance: nobody }, ...noCluster],
    ['DeregisterContainerInstance', { containerInstance: nobody }, ...noMachine],
    ['DeregisterContainerInstance', { containerInstance: 'MACHINE' }, 'InvalidParameterException', 'Found running tasks on the instance.'],
    ['DescribeContainerInstances', { cluster: 'nowhere', containerInstances: [nobody] }, ...noCluster],
    ['DescribeContainerInstances', { containerInstances: [] }, 'ClientException', 'Container Instances cannot be empty.'],
    ['DescribeContainerInstances', { containerInstances: [otherMachine] }, ...otherCluster],
    ['ListContainerInstances', { cluster: 'nowhere' }, ...noCluster],
    ['ListContainerInstances', { filter: 'attribute:' }, 'InvalidParameterException', /position/],
    ['UpdateContainerInstancesState', { cluster: 'nowhere', containerInstances: [nobody], status: 'DRAINING' }, ...noCluster],
    ['UpdateContainerInstancesState', { containerInstances: [], status: 'DRAINING' }, 'ClientException', 'Container Instances cannot be empty.'],
    ['UpdateContainerInstancesState', { containerInstances: ['MACHINE'], status: 'INACTIVE' }, 'InvalidParameterException',
        'Container instance status should be one of [ACTIVE, DRAINING]'],
    ['UpdateContainerInstancesState', { containerInstances: ['MACHINE'], status: 'REGISTERING' }, 'InvalidParameterException',
        'Container instance status should be one of [ACTIVE, DRAINING]'],
    ['UpdateContainerAgent', { cluster: 'nowhere', containerInstance: nobody }, ...noCluster],
    ['UpdateContainerAgent', { containerInstance: nobody }, ...noMachine],
    ['UpdateContainerAgent', { containerInstance: 'SILENT' }, 'ClientException', /not connected/],
    ['UpdateContainerAgent', { containerInstance: 'UNVERSIONED' }, 'MissingVersionException', /version/],
    ['UpdateContainerAgent', { containerInstance: 'MACHINE' }, 'NoUpdateAvailableException', /no update available/],
    ['PutAttributes', { cluster: 'nowhere', attributes }, ...noCluster],
    ['PutAttributes', { attributes }, 'TargetNotFoundException', `Could not find ${nobody}`],
    ['PutAttributes', { attributes: [{ name: 'ecs.os-type', targetId: 'MACHINE' }] }, 'InvalidParameterException', /ecs\.os-type/],
    ['PutAttributes', { attributes: [{ name: 'k10', targetId: 'FULL' }] }, 'AttributeLimitExceededException', /10/],
    ['PutAttributes', { attributes: eleven }, 'InvalidParameterException', /attributes/],
    ['DeleteAttributes', { cluster: 'nowhere', attributes }, ...noCluster],
    ['DeleteAttributes', { attributes }, 'TargetNotFoundException', `Could not find ${nobody}`],
    ['DeleteAttributes', { attributes: [{ name: 'ecs.os-type', targetId: 'MACHINE' }] }, 'InvalidParameterException', /ecs\.os-type/],
    ['ListAttributes', { cluster: 'nowhere', targetType: 'container-instance' }, ...noCluster],
    ['ListAttributes', { targetType: 'task' }, 'InvalidParameterException', 'targetType must be container-instance'],

    ['SubmitTaskStateChange', { task: nobody, status: 'RUNNING' }, ...noTask],
    ['SubmitTaskStateChange', { cluster: 'nowhere', task: nobody, status: 'RUNNING' }, ...noTask],
    ['SubmitContainerStateChange', { task: nobody, containerName: 'main', status: 'RUNNING' }, ...noTask],
    ['SubmitAttachmentStateChanges', { cluster: 'nowhere', attachments: [] }, ...noCluster],
    ['SubmitAttachmentStateChanges', { attachments: [{ attachmentArn: 'arn:x', status: 'ATTACHED' }] }, 'InvalidParameterException', /arn:x/],

    ...[['TagResource', { tags }], ['UntagResource', { tagKeys: ['a'] }], ['ListTagsForResource', {}]].flatMap(([operation, more]) => [
        [operation, { resourceArn: 'default', ...more }, 'InvalidParameterException', 'The ARN provided is invalid.'],
        [operation, { resourceArn: arn('service/web'), ...more }, 'InvalidParameterException',
            'The new ARN and resource ID format must be enabled to add tags to the service. Opt in to the new format and try again.'],
        [operation, { resourceArn: 'GONE_ARN', ...more }, 'InvalidParameterException', 'The specified cluster is inactive. Specify an active cluster and try again.'],
        [operation, { resourceArn: arn('cluster/nowhere'), ...more }, ...noCluster],
        [operation, { resourceArn: arn('task-definition/nothing:1'), ...more }, 'ClientException', /task definition/],
        [operation, { resourceArn: arn(`task/default/${nobody}`), ...more }, operation === 'ListTagsForResource' ? 'InvalidParameterException' : 'ResourceNotFoundException', /not found/],
    ]),
    ['TagResource', { resourceArn: arn('cluster/tagged'), tags }, 'LimitExceededException', /50/],
    ['PutAccountSetting', { name: 'unknown', value: 'enabled' }, 'InvalidParameterException', settingNames],
    ['PutAccountSettingDefault', { name: 'unknown', value: 'enabled' }, 'InvalidParameterException', settingNames],
    ['DeleteAccountSetting', { name: 'unknown' }, 'InvalidParameterException', settingNames],
    ['ListAccountSettings', { maxResults: 11 }, 'InvalidParameterException', /maxResults/],
];

let server, things;

async function done(operation, input = {}) {
    const reply = await server.call(operation, input);
    assert.strictEqual(reply.status, 200, `${operation}: ${reply.text}`);
    return reply.json;
}
const run = async (more = {}) => (await done('RunTask', { taskDefinition: 'sleeper', ...more })).tasks[0].taskArn;

async function makeThings() {
    for (const clusterName of ['default', 'idle', 'gone']) await done('CreateCluster', { clusterName });
    await done('CreateCluster', { clusterName: 'tagged', tags: manyTags });
    await done('DeleteCluster', { cluster: 'gone' });
    await server.fleet('c5.large', 1);
    const [machine] = (await done('ListContainerInstances')).containerInstanceArns;
    for (const family of ['sleeper', 'old']) await done('RegisterTaskDefinition', { family, containerDefinitions: [container] });
    await done('RegisterTaskDefinition', { family: 'apart', networkMode: 'awsvpc', containerDefinitions: [container] });
    await done('DeregisterTaskDefinition', { taskDefinition: 'old:1' });
    const register = async () => (await done('RegisterContainerInstance')).containerInstance.containerInstanceArn;
    const silent = await register(), unversioned = await register(), full = await register();
    await server.attend(unversioned);
    await done('PutAttributes', { attributes: eleven.slice(0, 10).map((one) => ({ ...one, targetId: full })) });
    const task = await run({ clientToken: 'used' });
    await waitFor('the task to run', async () => (await done('DescribeTasks', { tasks: [task] })).tasks[0].lastStatus === 'RUNNING');
    await done('CreateCluster', { clusterName: 'open' });
    const agent = await new EcsAgent(server, { cluster: 'open', executes: true }).start(), open = await run({ cluster: 'open', enableExecuteCommand: true });
    await agent.told(open, 'RUNNING');
    await agent.report(open, 'RUNNING');
    return { MACHINE: machine, SILENT: silent, UNVERSIONED: unversioned, FULL: full, TASK: task, OPEN_TASK: open, GONE: 'gone', GONE_ARN: arn('cluster/gone') };
}

before(async () => {
    server = await Server.start();
    things = await makeThings();
});
after(async () => { await server.stop(); });

for (const [operation, input, type, text] of rows) {
    test(`${operation} ${JSON.stringify(input).slice(0, 100)}: ${type}`, async () => {
        const filled = JSON.parse(JSON.stringify(input), (_, value) => things[value] ?? value);
        const reply = await server.call(operation, filled);
        assert.strictEqual(reply.json.__type, type, reply.text);
        assert.strictEqual(reply.headers['x-amzn-errortype'], type);
        if (text instanceof RegExp) assert.match(reply.json.message, text);
        else assert.strictEqual(reply.json.message, text);
    });
}

// ---- the whole table ----

const table = schemaDump();
const schemas = new Map();
(function collect(value) {
    if (value === null || typeof value !== 'object') return;
    if (value.name && value.members) schemas.set(value.name, value);
    Object.values(value).forEach(collect);
})(table);

// The smallest request that the schema allows: the required members, with one item in each list.
function smallest(schema) {
    const { members } = typeof schema === 'string' ? schemas.get(schema) : schema;
    return Object.fromEntries(Object.entries(members).filter(([, field]) => field.required).map(([name, field]) => [name, smallestValue(field, field.kind)]));
}
function smallestValue(field, kind) {
    switch (kind) {
    case 'structure': return field.schema ? smallest(field.schema) : {};
    case 'list': return [smallestValue(field, field.element)];
    case 'map': return {};
    case 'enum': return field.words[0];
    case 'string': return 'a';
    case 'boolean': return true;
    default: return 1;
    }
}

test('a key that only reads is refused all else, before a word is said of the request', async () => {
    const made = JSON.parse(execFileSync(program, ['keys', 'create', '--data', server.data, '--role', 'viewer', '--user', 'reader', '--output', 'json'], { encoding: 'utf8' }));
    const viewer = { key: made.AccessKey.AccessKeyId, secret: made.AccessKey.SecretAccessKey };
    for (const operation of Object.keys(table)) {
        const { __type, message } = (await server.raw({ operation, body: '[]', ...viewer })).json;
        if (/^(Describe|List|Get)/.test(operation)) {
            assert.strictEqual(__type, 'SerializationException', operation);
        } else {
            assert.strictEqual(__type, 'AccessDeniedException', operation);
            assert.strictEqual(message, `User: arn:aws:iam::${account}:user/reader is not authorized to perform: ecs:${operation} on resource: * because no `
                + `identity-based policy allows the ecs:${operation} action`);
        }
    }
});

// Operations that read ARNs before they ask the store.
const oneDeployment = arn(`service-deployment/default/web/${'A'.repeat(21)}`);
const named = {
    CreateCapacityProvider: { autoScalingGroupProvider: { autoScalingGroupArn: 'g' } }, UpdateCapacityProvider: { autoScalingGroupProvider: {} },
    ContinueServiceDeployment: { serviceDeploymentArn: oneDeployment, hookId: 'ecs-pause-a' },
    DeleteDaemon: { daemonArn: arn('daemon/default/web') }, DescribeDaemon: { daemonArn: arn('daemon/default/web') },
    DescribeDaemonDeployments: { daemonDeploymentArns: [arn(`daemon-deployment/default/web/${'A'.repeat(21)}`)] },
    DescribeDaemonRevisions: { daemonRevisionArns: [arn(`daemon-revision/default/web/${'1'.repeat(19)}`)] },
    ListDaemonDeployments: { daemonArn: arn('daemon/default/web') }, UpdateDaemon: { daemonArn: arn('daemon/default/web') },
    DeleteExpressGatewayService: { serviceArn: arn('service/default/web') },
    DescribeExpressGatewayService: { serviceArn: arn('service/default/web') },
    DescribeServiceDeployments: { serviceDeploymentArns: [oneDeployment] },
    DescribeServiceRevisions: { serviceRevisionArns: [arn(`service-revision/default/web/${'1'.repeat(19)}`)] },
    ListTagsForResource: { resourceArn: arn('cluster/default') },
    StopServiceDeployment: { serviceDeploymentArn: oneDeployment },
    UpdateExpressGatewayService: { serviceArn: arn('service/default/web') },
};

test('every operation reports a failing store as ServerException, and nothing of it stays', async () => {
    const data = path.join(server.data, 'faulty'), fault = path.join(server.data, 'fault');
    const library = process.env.STORE_FAULT_UNDER_TEST ?? path.join(root, 'build/tests/store_fault.so');
    const faulty = await Server.start({ data, env: { LD_PRELOAD: library, STORE_FAULT: fault } });
    try {
        await faulty.call('CreateCluster');
        const earlier = await faulty.call('DescribeClusters');
        writeFileSync(fault, '');
        for (const operation of Object.keys(table).filter((name) => name !== 'DiscoverPollEndpoint')) {
            const input = { ...smallest(table[operation].input), ...named[operation] };
            const reply = await faulty.call(operation, input);
            assert.strictEqual(reply.json.__type, 'ServerException', `${operation}: ${reply.text}`);
            assert.match(reply.json.message, /disk reports an error|store can't be read/);
        }
        assert.strictEqual((await faulty.call('DiscoverPollEndpoint')).status, 200, 'which asks the store nothing');
        rmSync(fault);
        assert.deepStrictEqual((await faulty.call('DescribeClusters')).json, earlier.json);
        assert.strictEqual((await faulty.call('CreateCluster', { clusterName: 'a' })).status, 200);
    } finally { await faulty.stop(); }
});
