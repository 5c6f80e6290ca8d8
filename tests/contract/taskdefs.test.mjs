// Task definitions as the SDK and the CLI meet them: everything that is registered is given back with ECS's defaults, every rule says
// no in ECS's words, and revisions live, end and go as in ECS.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import * as ecs from '@aws-sdk/client-ecs';
import { Server, account, isRecent, region, waitFor } from '../lib/lib.mjs';

let server, client;
const send = (name, input = {}) => client.send(new ecs[`${name}Command`](input));
const arn = (resource) => `arn:aws:ecs:${region}:${account}:${resource}`;
const plain = (value) => JSON.parse(JSON.stringify(value));

// SDK errors as "Name: text".
async function refusal(promise) {
    try { await promise; } catch (error) { return `${error.name}: ${error.message}`; }
    return 'accepted';
}

before(async () => { server = await Server.start(); client = server.sdk(); await send('CreateCluster'); });
after(async () => { client.destroy(); await server.stop(); });

const bare = { name: 'main', image: 'busybox', memory: 64 };
const register = (task = {}, container = {}) => send('RegisterTaskDefinition', { family: 'f', containerDefinitions: [{ ...bare, ...container }], ...task });
const pair = (a, b, task = {}) => send('RegisterTaskDefinition',
    { family: 'f', containerDefinitions: [{ ...bare, name: 'a', ...a }, { ...bare, name: 'b', essential: false, ...b }], ...task });

// Every member that a container of the EC2 launch type can have, with values that are not the defaults.
const maximal = {
    name: 'maximal', image: '123456789012.dkr.ecr.us-east-1.amazonaws.com/app:1', repositoryCredentials: { credentialsParameter: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:s' },
    cpu: 128, memory: 512, memoryReservation: 256, links: ['side:alias'],
    portMappings: [{ containerPort: 80, hostPort: 8080, protocol: 'tcp', name: 'web', appProtocol: 'http2' }, { containerPortRange: '9000-9005', protocol: 'udp' }],
    essential: true, restartPolicy: { enabled: true, ignoredExitCodes: [0, 143], restartAttemptPeriod: 60 }, entryPoint: ['/bin/sh', '-c'], command: ['run', ''],
    environment: [{ name: 'A', value: '' }, { name: 'B', value: 'b' }], environmentFiles: [{ value: 'arn:aws:s3:::bucket/x.env', type: 's3' }],
    mountPoints: [{ sourceVolume: 'data', containerPath: '/data', readOnly: false }, { sourceVolume: 'shared', containerPath: '/shared' }],
    volumesFrom: [{ sourceContainer: 'side', readOnly: true }],
    linuxParameters: { capabilities: { add: ['SYS_PTRACE'], drop: ['MKNOD'] }, devices: [{ hostPath: '/dev/fuse', containerPath: '/dev/fuse', permissions: ['read', 'mknod'] }],
        initProcessEnabled: true, sharedMemorySize: 64, tmpfs: [{ containerPath: '/run', size: 16, mountOptions: ['noexec'] }], maxSwap: 0, swappiness: 10 },
    secrets: [{ name: 'S', valueFrom: 'arn:aws:ssm:us-east-1:123456789012:parameter/p' }], dependsOn: [{ containerName: 'side', condition: 'HEALTHY' }],
    startTimeout: 30, stopTimeout: 90, versionConsistency: 'disabled', hostname: 'host', user: '1000:1000', workingDirectory: '/work', disableNetworking: false,
    privileged: true, readonlyRootFilesystem: true, dnsServers: ['10.0.0.2'], dnsSearchDomains: ['example.com'], extraHosts: [{ hostname: 'h', ipAddress: '10.0.0.3' }],
    dockerSecurityOptions: ['label:type:container_t'], interactive: true, pseudoTerminal: true, dockerLabels: { team: 'ml', empty: '' },
    ulimits: [{ name: 'nofile', softLimit: 0, hardLimit: 4096 }],
    logConfiguration: { logDriver: 'awslogs', options: { 'awslogs-group': 'g', 'awslogs-region': 'us-east-1' }, secretOptions: [{ name: 'token', valueFrom: 'p' }] },
    healthCheck: { command: ['CMD-SHELL', 'true'], interval: 10, timeout: 3, retries: 2, startPeriod: 5 }, systemControls: [{ namespace: 'net.core.somaxconn', value: '1024' }],
    resourceRequirements: [{ value: '2', type: 'GPU' }], firelensConfiguration: { type: 'fluentbit', options: { 'enable-ecs-log-metadata': 'true' } },
    credentialSpecs: ['credentialspec:arn:aws:s3:::bucket/spec'],
};
const side = { name: 'side', image: 'side', memory: 32, essential: false, healthCheck: { command: ['CMD', 'true'] }, portMappings: [{ containerPort: 7 }],
    logConfiguration: { logDriver: 'json-file' }, restartPolicy: { enabled: true } };
const sideShown = { ...side, cpu: 0, portMappings: [{ containerPort: 7, hostPort: 0, protocol: 'tcp' }], environment: [], mountPoints: [], volumesFrom: [], systemControls: [],
    healthCheck: { command: ['CMD', 'true'], interval: 30, timeout: 5, retries: 3 },
    restartPolicy: { enabled: true, restartAttemptPeriod: 300 } };

test('a definition with everything in it comes back as it was given, from Register and from Describe', async () => {
    const volumes = [{ name: 'data', host: { sourcePath: '/srv' } },
        { name: 'shared', dockerVolumeConfiguration: { scope: 'shared', autoprovision: true, driver: 'local', driverOpts: { type: 'nfs' }, labels: { a: 'b' } } },
        { name: 'efs', efsVolumeConfiguration: { fileSystemId: 'fs-1', rootDirectory: '/r', transitEncryption: 'ENABLED', transitEncryptionPort: 2999,
            authorizationConfig: { accessPointId: 'ap', iam: 'DISABLED' } } }];
    const tags = [{ key: 'team', value: 'ml' }, { key: 'empty', value: '' }];
    const input = { family: 'maximal', taskRoleArn: 'worker', executionRoleArn: 'arn:aws:iam::123456789012:role/path/exec', networkMode: 'bridge',
        containerDefinitions: [maximal, side], volumes, placementConstraints: [{ type: 'memberOf', expression: 'attribute:ecs.os-type == linux' }],
        requiresCompatibilities: ['EC2'], cpu: '1 vCPU', memory: '2 GB', tags, pidMode: 'task', ipcMode: 'none', ephemeralStorage: { sizeInGiB: 21 },
        runtimePlatform: { cpuArchitecture: 'X86_64', operatingSystemFamily: 'LINUX' }, enableFaultInjection: true };
    const registered = await send('RegisterTaskDefinition', input);
    const { requiresAttributes, registeredAt, ...shown } = plain(registered.taskDefinition);
    assert.deepStrictEqual(shown, {
        taskDefinitionArn: arn('task-definition/maximal:1'), containerDefinitions: [maximal, sideShown], family: 'maximal', taskRoleArn: `arn:aws:iam::${account}:role/worker`,
        executionRoleArn: input.executionRoleArn, networkMode: 'bridge', revision: 1, volumes, status: 'ACTIVE', placementConstraints: input.placementConstraints,
        compatibilities: ['EC2'], runtimePlatform: input.runtimePlatform, requiresCompatibilities: ['EC2'], cpu: '1024', memory: '2048', pidMode: 'task', ipcMode: 'none',
        registeredBy: `arn:aws:iam::${account}:user/root`, ephemeralStorage: { sizeInGiB: 21 }, enableFaultInjection: true });
    assert.deepStrictEqual(registered.tags, tags);
    assert.ok(isRecent(new Date(registeredAt)));
    const names = requiresAttributes.map((attribute) => attribute.name);
    for (const name of ['com.amazonaws.ecs.capability.docker-remote-api.1.18', 'com.amazonaws.ecs.capability.docker-remote-api.1.19', 'com.amazonaws.ecs.capability.ecr-auth',
        'ecs.capability.execution-role-ecr-pull', 'com.amazonaws.ecs.capability.logging-driver.awslogs', 'ecs.capability.execution-role-awslogs',
        'com.amazonaws.ecs.capability.task-iam-role', 'ecs.capability.task-cpu-mem-limit', 'ecs.capability.secrets.ssm.environment-variables', 'ecs.capability.env-files.s3',
        'ecs.capability.container-ordering', 'ecs.capability.container-health-check', 'ecs.capability.pid-ipc-namespace-sharing', 'ecs.capability.efsAuth',
        'com.amazonaws.ecs.capability.privileged-container', 'ecs.capability.fault-injection', 'ecs.capability.container-restart-policy', 'ecs.capability.docker-plugin.local',
        'ecs.capability.network.container-port-range', 'ecs.capability.firelens.fluentbit', 'com.amazonaws.ecs.capability.selinux', 'ecs.capability.gmsa',
        'ecs.capability.private-registry-authentication.secretsmanager', 'ecs.capability.secrets.ssm.bootstrap.log-driver']) {
        assert.ok(names.includes(name), `requires ${name}`);
    }
    assert.strictEqual(new Set(names).size, names.length, 'each once');
    assert.ok(!names.some((name) => /gpu/i.test(name)), 'GPUs are a resource, no attribute');

    const described = await send('DescribeTaskDefinition', { taskDefinition: 'maximal', include: ['TAGS'] });
    assert.deepStrictEqual(plain(described.taskDefinition), plain(registered.taskDefinition));
    assert.deepStrictEqual(described.tags, tags);
    assert.strictEqual((await send('DescribeTaskDefinition', { taskDefinition: arn('task-definition/maximal:1') })).tags, undefined, 'only when asked for');
});

test('a described definition can be registered again, with its read-only members', async () => {
    const { taskDefinition } = await send('DescribeTaskDefinition', { taskDefinition: 'maximal' });
    const again = await server.call('RegisterTaskDefinition', plain(taskDefinition));
    assert.strictEqual(again.status, 200, again.text);
    const { revision, taskDefinitionArn, registeredAt, ...second } = again.json.taskDefinition;
    assert.strictEqual(revision, 2);
    const first = plain(taskDefinition);
    for (const name of ['revision', 'taskDefinitionArn', 'registeredAt']) delete first[name];
    assert.deepStrictEqual(second, first);
});

test('the CLI gives a bare definition back with its defaults and nothing else', async () => {
    const { taskDefinition } = await server.aws('ecs', 'register-task-definition', '--family', 'bare', '--container-definitions', JSON.stringify([bare]));
    delete taskDefinition.registeredAt;
    assert.deepStrictEqual(taskDefinition, { taskDefinitionArn: arn('task-definition/bare:1'), family: 'bare', revision: 1, status: 'ACTIVE', volumes: [], placementConstraints: [],
        containerDefinitions: [{ ...bare, cpu: 0, portMappings: [], essential: true, environment: [], mountPoints: [], volumesFrom: [], systemControls: [] }],
        requiresAttributes: [{ name: 'com.amazonaws.ecs.capability.docker-remote-api.1.18' }], compatibilities: ['EXTERNAL', 'EC2'],
        registeredBy: `arn:aws:iam::${account}:user/root` });
});

test('defaults that depend on something', async () => {
    const ports = async (networkMode, mapping) => (await register({ networkMode }, { portMappings: [mapping] })).taskDefinition.containerDefinitions[0].portMappings[0];
    assert.deepStrictEqual(await ports(undefined, { containerPort: 80 }), { containerPort: 80, hostPort: 0, protocol: 'tcp' });
    assert.deepStrictEqual(await ports('awsvpc', { containerPort: 80 }), { containerPort: 80, hostPort: 80, protocol: 'tcp' });
    assert.deepStrictEqual(await ports('host', { containerPort: 80, protocol: 'udp' }), { containerPort: 80, hostPort: 80, protocol: 'udp' });
    const volume = async (more) => (await register({ volumes: [{ name: 'v', ...more }] })).taskDefinition.volumes[0];
    assert.deepStrictEqual(await volume({ dockerVolumeConfiguration: { driver: 'x' } }), { name: 'v', dockerVolumeConfiguration: { scope: 'task', driver: 'x' } });
    assert.deepStrictEqual(await volume({ efsVolumeConfiguration: { fileSystemId: 'fs' } }), { name: 'v', efsVolumeConfiguration: { fileSystemId: 'fs', rootDirectory: '/' } });
    for (const [cpu, memory, shown] of [['.5 vcpu', '0.5 GB', ['512', '512']], ['1vCPU', '1GB', ['1024', '1024']], ['256', '512', ['256', '512']]]) {
        const { taskDefinition } = await register({ cpu, memory });
        assert.deepStrictEqual([taskDefinition.cpu, taskDefinition.memory], shown);
    }
    for (const [networkMode, more, compatibilities] of [['bridge', {}, ['EXTERNAL', 'EC2']], ['none', {}, ['EXTERNAL', 'EC2']], ['awsvpc', {}, ['EC2']],
        ['awsvpc', { cpu: '256', memory: '512' }, ['EC2', 'FARGATE', 'MANAGED_INSTANCES']]]) {
        assert.deepStrictEqual((await register({ networkMode, ...more })).taskDefinition.compatibilities, compatibilities, networkMode);
    }
});

// ---- refusals: all of them ClientException, in ECS's words ----

const gpu = (value) => ({ resourceRequirements: [{ type: 'GPU', value }] });
const fargate = { requiresCompatibilities: ['FARGATE'], networkMode: 'awsvpc', cpu: '256', memory: '512' };
const awslogs = (options) => ({ logConfiguration: { logDriver: 'awslogs', options } });
const invalid = (text) => `Invalid setting for container 'main'. ${text}`;
const refused = [
    ['Container.name should not be null or empty.', () => register({}, { name: '' })],
    ['Container.name contains invalid characters.', () => register({}, { name: 'a b' })],
    ['Container.image should not be null or empty.', () => register({}, { image: '' })],
    ['Container.image should be 255 characters or less', () => register({}, { image: 'x'.repeat(256) })],
    [invalid("At least one of 'memory' or 'memoryReservation' must be specified."), () => register({}, { memory: undefined })],
    ["The 'memory' setting for container 'main' is greater than for the task.", () => register({ memory: '63' })],
    ["The sum of all container 'cpu' values cannot be greater than the value of the task 'cpu'.", () => pair({ cpu: 100 }, { cpu: 57 }, { cpu: '156' })],
    ["Invalid 'cpu' setting for task.", () => register({ cpu: '127' })],
    ["Invalid 'cpu' setting for task.", () => register({ cpu: 'lots' })],
    ["Invalid 'containerPort' setting for container 'main'.", () => register({}, { portMappings: [{ containerPort: 65536 }] })],
    ['When networkMode=awsvpc, the host ports and container ports in port mappings must match.',
        () => register({ networkMode: 'awsvpc' }, { portMappings: [{ containerPort: 80, hostPort: 81 }] })],
    ['Log driver awslogs requires options: awslogs-region, awslogs-group', () => register({}, awslogs({}))],
    ['Log driver awslogs requires options: awslogs-group', () => register({}, awslogs({ 'awslogs-region': 'r' }))],
    ['A dependency container with SUCCESS or COMPLETE condition cannot be an essential container',
        () => pair({ dependsOn: [{ containerName: 'b', condition: 'SUCCESS' }] }, { essential: true })],
    ['Role is not valid', () => register({ taskRoleArn: 'arn:aws:iam::1:user/x' })],
    ["Task definition doesn't have any essential container", () => register({}, { essential: false })],
    ['Disable Networking is not supported on container when networkMode=awsvpc', () => register({ networkMode: 'awsvpc' }, { disableNetworking: true })],
    ['hostname is not supported on container when networkMode=awsvpc', () => register({ networkMode: 'awsvpc' }, { hostname: 'h' })],
    ['links is not supported on container when networkMode=awsvpc', () => pair({ links: ['b'] }, {}, { networkMode: 'awsvpc' })],
    ['dnsServers is not supported on container when networkMode=awsvpc', () => register({ networkMode: 'awsvpc' }, { dnsServers: ['10.0.0.2'] })],
    ['extraHosts is not supported on container when networkMode=awsvpc', () => register({ networkMode: 'awsvpc' }, { extraHosts: [{ hostname: 'h', ipAddress: '10.0.0.2' }] })],
    ['cannot specify both single port and port range', () => register({}, { portMappings: [{ containerPort: 1, containerPortRange: '2-3' }] })],
    ["When you are specifying container secrets, you must also specify a value for 'executionRoleArn'", () => register({}, { secrets: [{ name: 'S', valueFrom: 'p' }] })],
    ['Invalid arn syntax', () => register({}, { environmentFiles: [{ type: 's3', value: 'x.env' }] })],
    ['Ingress port not found', () => register({ networkMode: 'awsvpc', proxyConfiguration: { type: 'APPMESH', containerName: 'main', properties: [] } })],
    ["Unsupported field 'inferenceAccelerators'", () => register({ inferenceAccelerators: [{ deviceName: 'd', deviceType: 'eia2.medium' }] })],
    ['Too many containers.', () => register({ containerDefinitions: Array.from({ length: 11 }, (_, n) => ({ ...bare, name: `c${n}` })) })],
    ['Fargate only supports network mode ‘awsvpc’.', () => register({ ...fargate, networkMode: 'bridge' })],
    ["Fargate requires that 'cpu' be defined at the task level.", () => register({ ...fargate, cpu: undefined })],
    ["Fargate requires that 'memory' be defined at the task level.", () => register({ ...fargate, memory: undefined })],
    ['No Fargate configuration exists for given values: 512 CPU, 512 memory. See the Amazon ECS documentation for the valid values.', () => register({ ...fargate, cpu: '512' })],
    ['Fargate requires task definition to have execution role ARN to support ECR images.',
        () => register(fargate, { image: '123456789012.dkr.ecr.us-east-1.amazonaws.com/app' })],
    ['Fargate requires task definition to have execution role ARN to support log driver awslogs.',
        () => register(fargate, awslogs({ 'awslogs-region': 'r', 'awslogs-group': 'g' }))],
    ['Fargate requires log configuration options to include awslogs-stream-prefix',
        () => register({ ...fargate, executionRoleArn: 'r' }, awslogs({ 'awslogs-region': 'r', 'awslogs-group': 'g' }))],
    ['Fargate compatible task definitions do not support dockerVolumeConfiguration', () => register({ ...fargate, volumes: [{ name: 'v', dockerVolumeConfiguration: {} }] })],
    ['Fargate compatible task definitions do not support sourcePath', () => register({ ...fargate, volumes: [{ name: 'v', host: { sourcePath: '/x' } }] })],
    ["Tasks using the Fargate launch type do not support pidMode 'host'. The supported value for pidMode is 'task'.", () => register({ ...fargate, pidMode: 'host' })],
    ['Fargate compatible task definitions do not support resourceRequirements', () => register(fargate, gpu('1'))],
    ["Tasks using the External launch type do not support network mode 'awsvpc'.", () => register({ requiresCompatibilities: ['EXTERNAL'], networkMode: 'awsvpc' })],
    [invalid('Resource type GPU is not supported on Windows.'), () => register({ runtimePlatform: { operatingSystemFamily: 'WINDOWS_SERVER_2022_CORE' } }, gpu('1'))],
    [invalid('The value of a NeuronDevice resource requirement must be ALL.'), () => register({}, { resourceRequirements: [{ type: 'NeuronDevice', value: '1' }] })],
    ["Unknown volume 'v' in 'mountPoints' of container 'main'.", () => register({}, { mountPoints: [{ sourceVolume: 'v', containerPath: '/v' }] })],
    ["Unknown container 'x' in 'volumesFrom' of container 'main'.", () => register({}, { volumesFrom: [{ sourceContainer: 'x' }] })],
    ["The 'dependsOn' settings of the containers form a cycle: none of them could start first.",
        () => pair({ dependsOn: [{ containerName: 'b', condition: 'START' }] }, { dependsOn: [{ containerName: 'a', condition: 'START' }] })],
];
for (const [text, call] of refused) {
    test(`refused: ${text}`, async () => assert.strictEqual(await refusal(call()), `ClientException: ${text}`));
}

test('refused: wrong numbers of GPUs', async () => {
    for (const value of ['0', '-1', 'x', '', '1.5', 'all']) assert.match(await refusal(register({}, gpu(value))), /^ClientException: Invalid setting for container 'main'\. .*GPU/, value);
});

test('64 KiB fit, a byte more does not, and the error has the length', async () => {
    const filled = (length) => register({}, { command: ['x'.repeat(length)] });
    const [, length] = /^ClientException: Actual length: '(\d+)'\. Max allowed length is '65536' bytes\.$/.exec(await refusal(filled(66000)));
    const fits = 66000 - (Number(length) - 65536);
    assert.strictEqual(await refusal(filled(fits + 1)), "ClientException: Actual length: '65537'. Max allowed length is '65536' bytes.");
    assert.strictEqual(await refusal(filled(fits)), 'accepted');
});

// Both sides of each limit; the good side first.
const health = (more) => ({ healthCheck: { command: ['CMD', 'true'], ...more } });
const many = (count, make) => Array.from({ length: count }, (_, n) => make(n));
const limits = [
    ['family of 255', (good) => register({ family: 'x'.repeat(good ? 255 : 256) })],
    ['container name of 255', (good) => register({}, { name: 'x'.repeat(good ? 255 : 256) })],
    ['image of 255', (good) => register({}, { image: 'x'.repeat(good ? 255 : 256) })],
    ['ten containers', (good) => register({ containerDefinitions: many(good ? 10 : 11, (n) => ({ ...bare, name: `c${n}` })) })],
    ['ten constraints', (good) => register({ placementConstraints: many(good ? 10 : 11, (n) => ({ type: 'memberOf', expression: `attribute:a == ${n}` })) })],
    ['fifty tags', (good) => register({ tags: many(good ? 50 : 51, (n) => ({ key: `k${n}`, value: 'v' })) })],
    ['ten environment files', (good) => register({}, { environmentFiles: many(good ? 10 : 11, (n) => ({ type: 's3', value: `arn:aws:s3:::b/${n}.env` })) })],
    ['fifty ignored exit codes', (good) => register({}, { restartPolicy: { enabled: true, ignoredExitCodes: many(good ? 50 : 51, (n) => n) } })],
    ['a hundred port ranges', (good) => register({}, { portMappings: many(good ? 100 : 101, (n) => ({ containerPortRange: `${1000 + 10 * n}-${1009 + 10 * n}` })) })],
    ['memory of 6 MiB', (good) => register({}, { memory: good ? 6 : 5 })],
    ['a reservation below the limit', (good) => register({}, { memoryReservation: good ? 63 : 64 })],
    ['task cpu of 128', (good) => register({ cpu: good ? '128' : '127' })],
    ['task cpu of 196608', (good) => register({ cpu: good ? '196608' : '196609' })],
    ['ephemeral storage of 21', (good) => register({ ephemeralStorage: { sizeInGiB: good ? 21 : 20 } })],
    ['ephemeral storage of 200', (good) => register({ ephemeralStorage: { sizeInGiB: good ? 200 : 201 } })],
    ['restart period of 60', (good) => register({}, { restartPolicy: { enabled: true, restartAttemptPeriod: good ? 60 : 59 } })],
    ['restart period of 1800', (good) => register({}, { restartPolicy: { enabled: true, restartAttemptPeriod: good ? 1800 : 1801 } })],
    ['health interval of 5', (good) => register({}, health({ interval: good ? 5 : 4 }))],
    ['health interval of 300', (good) => register({}, health({ interval: good ? 300 : 301 }))],
    ['health timeout of 2', (good) => register({}, health({ timeout: good ? 2 : 1 }))],
    ['health timeout of 60', (good) => register({}, health({ timeout: good ? 60 : 61 }))],
    ['one health retry', (good) => register({}, health({ retries: good ? 1 : 0 }))],
    ['ten health retries', (good) => register({}, health({ retries: good ? 10 : 11 }))],
    ['health start period of 300', (good) => register({}, health({ startPeriod: good ? 300 : 301 }))],
    ['port 1', (good) => register({}, { portMappings: [{ containerPort: good ? 1 : 0 }] })],
    ['port 65535', (good) => register({}, { portMappings: [{ containerPort: good ? 65535 : 65536 }] })],
    ['port name of 64', (good) => register({}, { portMappings: [{ containerPort: 1, name: 'x'.repeat(good ? 64 : 65) }] })],
    ['stopTimeout on Fargate of 120', (good) => register(fargate, { stopTimeout: good ? 120 : 121 })],
    ['swappiness of 100', (good) => register({}, { linuxParameters: { swappiness: good ? 100 : 101 } })],
];
for (const [name, call] of limits) {
    test(`limit: ${name}`, async () => {
        assert.strictEqual(await refusal(call(true)), 'accepted');
        assert.match(await refusal(call(false)), /^ClientException: /);
    });
}

// ---- the life of a revision ----

test('revisions count up for ever; the latest ACTIVE one is what a family means', async () => {
    const family = 'life';
    const revision = async (input) => (await send('DescribeTaskDefinition', input)).taskDefinition.revision;
    for (let n = 1; n <= 3; n++) assert.strictEqual((await register({ family })).taskDefinition.revision, n);
    assert.strictEqual(await revision({ taskDefinition: family }), 3);
    const { taskDefinition } = await send('DeregisterTaskDefinition', { taskDefinition: `${family}:3` });
    assert.strictEqual(taskDefinition.status, 'INACTIVE');
    assert.ok(taskDefinition.deregisteredAt >= taskDefinition.registeredAt);
    assert.deepStrictEqual(plain((await send('DeregisterTaskDefinition', { taskDefinition: arn(`task-definition/${family}:3`) })).taskDefinition), plain(taskDefinition), 'twice is harmless');
    assert.strictEqual(await revision({ taskDefinition: family }), 2);
    assert.strictEqual(await revision({ taskDefinition: `${family}:3` }), 3, 'an INACTIVE one can be described');
    assert.strictEqual((await register({ family })).taskDefinition.revision, 4, 'its number is not used again');
    for (const n of [1, 2, 4]) await send('DeregisterTaskDefinition', { taskDefinition: `${family}:${n}` });
    assert.strictEqual(await refusal(send('DescribeTaskDefinition', { taskDefinition: family })), 'ClientException: Unable to describe task definition.');
    assert.strictEqual(await refusal(send('RunTask', { taskDefinition: family })), 'ClientException: TaskDefinition not found.');
    assert.strictEqual(await refusal(send('RunTask', { taskDefinition: `${family}:4` })), 'InvalidParameterException: TaskDefinition is inactive');
});

test('what references are refused', async () => {
    const rows = [
        ['DescribeTaskDefinition', 'nothing', 'ClientException: Unable to describe task definition.'],
        ['DescribeTaskDefinition', 'f:99999', 'ClientException: Unable to describe task definition.'],
        ['DescribeTaskDefinition', 'f:foo', 'InvalidParameterException: Invalid revision number. Number: foo'],
        ['DescribeTaskDefinition', 'f:1:2', 'InvalidParameterException: Invalid identifier: Unexpected number of separators'],
        ['DeregisterTaskDefinition', 'f', 'ClientException: Revision is missing.'],
        ['DeregisterTaskDefinition', arn('task-definition/f:*'), 'ClientException: Revision is missing.'],
        ['DeregisterTaskDefinition', 'f:99999', 'ClientException: Unable to describe task definition.'],
    ];
    for (const [operation, taskDefinition, text] of rows) assert.strictEqual(await refusal(send(operation, { taskDefinition })), text, `${operation} ${taskDefinition}`);
});

test('lists: families in order, revisions by number, both turned round by DESC, and every status', async () => {
    for (const family of ['list-a', 'list-b']) for (let n = 0; n < 11; n++) await register({ family });
    await send('DeregisterTaskDefinition', { taskDefinition: 'list-a:1' });
    await register({ family: 'list-gone' });
    await send('DeregisterTaskDefinition', { taskDefinition: 'list-gone:1' });
    const list = async (input) => {
        const found = [];
        for await (const page of ecs.paginateListTaskDefinitions({ client, pageSize: 4 }, input)) found.push(...page.taskDefinitionArns.map((one) => one.split('/')[1]));
        return found;
    };
    const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
    assert.deepStrictEqual(await list({ familyPrefix: 'list-a' }), numbers(2, 11).map((n) => `list-a:${n}`));
    assert.deepStrictEqual(await list({ familyPrefix: 'list-a', sort: 'DESC' }), numbers(2, 11).reverse().map((n) => `list-a:${n}`));
    assert.deepStrictEqual(await list({ familyPrefix: 'list-a', status: 'INACTIVE' }), ['list-a:1']);
    assert.deepStrictEqual(await list({ familyPrefix: 'list-' }), [], 'familyPrefix is the whole family here');
    const all = (await list({})).filter((one) => one.startsWith('list-'));
    assert.deepStrictEqual(all, ['list-a', 'list-b'].flatMap((family) => numbers(family === 'list-a' ? 2 : 1, 11).map((n) => `${family}:${n}`)));
    assert.deepStrictEqual((await list({ sort: 'DESC' })).filter((one) => one.startsWith('list-')), all.toReversed());
    const families = async (status) => {
        const found = [];
        for await (const page of ecs.paginateListTaskDefinitionFamilies({ client, pageSize: 1 }, { familyPrefix: 'list-', status })) found.push(...page.families);
        return found;
    };
    assert.deepStrictEqual(await families('ACTIVE'), ['list-a', 'list-b']);
    assert.deepStrictEqual(await families('INACTIVE'), ['list-gone']);
    assert.deepStrictEqual(await families('ALL'), ['list-a', 'list-b', 'list-gone']);
    assert.deepStrictEqual(await families(undefined), ['list-a', 'list-b', 'list-gone']);
    for (const operation of ['ListTaskDefinitions', 'ListTaskDefinitionFamilies']) {
        for (const maxResults of [0, 101]) assert.match(await refusal(send(operation, { maxResults })), /^InvalidParameterException: maxResults/);
        for (const maxResults of [1, 100]) await send(operation, { maxResults });
        assert.match(await refusal(send(operation, { nextToken: 'not a token' })), /^InvalidParameterException: Invalid token/);
    }
});

test('deleting: DELETE_IN_PROGRESS while a task of it is known, then gone; the rest are failures', async () => {
    await server.fleet('c5.large', 1);
    await register({ family: 'del' });
    await register({ family: 'del' });
    const { tasks: [task] } = await send('RunTask', { taskDefinition: 'del:1' });
    for (const n of [1, 2]) await send('DeregisterTaskDefinition', { taskDefinition: `del:${n}` });
    await register({ family: 'del' });
    const { taskDefinitions, failures } = await send('DeleteTaskDefinitions', { taskDefinitions: ['del:1', arn('task-definition/del:2'), 'del:3', 'del:4', 'del', 'del:x', 'del:1'] });
    assert.deepStrictEqual(taskDefinitions.map((one) => [one.revision, one.status]), [[1, 'DELETE_IN_PROGRESS'], [2, 'DELETE_IN_PROGRESS']]);
    const raw = await server.call('DescribeTaskDefinition', { taskDefinition: 'del:1' });          // this SDK does not know the member
    assert.ok(raw.json.taskDefinition.deleteRequestedAt >= raw.json.taskDefinition.deregisteredAt);
    const identifier = 'The specified task definition identifier is invalid. Specify a valid name or ARN and try again.';
    assert.deepStrictEqual(failures, [
        { arn: 'del:3', reason: 'The specified task definition is still in ACTIVE status. Please deregister the target and try again.' },
        { arn: 'del:4', reason: 'The specified task definition does not exist. Specify a valid account, family, revision and try again.' },
        { arn: 'del', reason: identifier }, { arn: 'del:x', reason: identifier }]);
    const gone = (taskDefinition) => refusal(send('DescribeTaskDefinition', { taskDefinition })).then((text) => text !== 'accepted');
    await waitFor('what nobody uses to go', () => gone('del:2'));
    assert.strictEqual((await send('DescribeTaskDefinition', { taskDefinition: 'del:1' })).taskDefinition.status, 'DELETE_IN_PROGRESS', 'a task runs of it');
    assert.deepStrictEqual((await send('ListTaskDefinitions', { familyPrefix: 'del', status: 'DELETE_IN_PROGRESS' })).taskDefinitionArns, [arn('task-definition/del:1')]);
    assert.strictEqual(await refusal(send('RunTask', { taskDefinition: 'del:1' })), 'InvalidParameterException: TaskDefinition is inactive');
    assert.strictEqual((await send('DescribeTasks', { tasks: [task.taskArn] })).tasks[0].taskDefinitionArn, arn('task-definition/del:1'));
    await send('StopTask', { task: task.taskArn });
    assert.strictEqual(await refusal(send('DeleteTaskDefinitions', { taskDefinitions: [] })),
        'InvalidParameterException: size of TaskDefinition references list must be greater than 0');
    assert.strictEqual(await refusal(send('DeleteTaskDefinitions', { taskDefinitions: Array(11).fill('del:1') })),
        'InvalidParameterException: Size of TaskDefinition references list cannot exceed 10');
    assert.strictEqual((await send('DeleteTaskDefinitions', { taskDefinitions: Array(10).fill('del:1') })).taskDefinitions.length, 1, 'ten, each once');
});
