// Daemon task definitions as clients meet them; the daemons themselves are in managed_daemons.test.mjs. The pinned SDK is older than their operations: requests are signed here, and replies are compared with
// the shapes in lib/model.mjs. Their tags are read by the SDK.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { ListTagsForResourceCommand, TagResourceCommand, UntagResourceCommand } from '@aws-sdk/client-ecs';
import { Server, account, isRecent, region } from '../lib/lib.mjs';

let server, client;
before(async () => { server = await Server.start(); client = server.sdk(); });
after(async () => { client.destroy(); await server.stop(); });

const arn = (name) => `arn:aws:ecs:${region}:${account}:daemon-task-definition/${name}`;
const bare = { name: 'main', image: 'busybox', memory: 64 };

async function send(operation, input = {}) {
    const { status, json, text } = await server.call(operation, input);
    assert.strictEqual(status, 200, text);
    return json;
}
const register = async (family, more = {}) => (await send('RegisterDaemonTaskDefinition', { family, containerDefinitions: [bare], ...more })).daemonTaskDefinitionArn;
const describe = async (daemonTaskDefinition) => (await send('DescribeDaemonTaskDefinition', { daemonTaskDefinition })).daemonTaskDefinition;
const remove = async (daemonTaskDefinition) => (await send('DeleteDaemonTaskDefinition', { daemonTaskDefinition })).daemonTaskDefinitionArn;
const names = async (filter) => (await send('ListDaemonTaskDefinitions', filter)).daemonTaskDefinitions.map((one) => one.arn.split('/')[1]);

// Every member that a daemon's container can have, with values that are not the defaults.
const maximal = {
    name: 'maximal', image: 'example.com/agent:1', memory: 512, memoryReservation: 256,
    repositoryCredentials: { credentialsParameter: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:s' },
    healthCheck: { command: ['CMD-SHELL', 'true'], interval: 10, timeout: 3, retries: 2, startPeriod: 5 }, cpu: 128, essential: true, entryPoint: ['/bin/sh', '-c'],
    command: ['run', ''], workingDirectory: '/work', environmentFiles: [{ value: 'arn:aws:s3:::bucket/x.env', type: 's3' }], environment: [{ name: 'A', value: '' }],
    secrets: [{ name: 'S', valueFrom: 'arn:aws:ssm:us-east-1:123456789012:parameter/p' }], readonlyRootFilesystem: true,
    mountPoints: [{ sourceVolume: 'data', containerPath: '/data', readOnly: false }],
    logConfiguration: { logDriver: 'splunk', options: { 'splunk-url': 'https://example.com' }, secretOptions: [{ name: 'splunk-token', valueFrom: 'p' }] },
    firelensConfiguration: { type: 'fluentbit', options: { 'enable-ecs-log-metadata': 'true' } }, privileged: true, user: '1000:1000',
    ulimits: [{ name: 'nofile', softLimit: 0, hardLimit: 4096 }],
    linuxParameters: { capabilities: { add: ['SYS_PTRACE'], drop: ['MKNOD'] }, devices: [{ hostPath: '/dev/fuse', containerPath: '/dev/fuse', permissions: ['read'] }],
        initProcessEnabled: true, tmpfs: [{ containerPath: '/run', size: 16, mountOptions: ['noexec'] }] },
    dependsOn: [{ containerName: 'side', condition: 'START' }], startTimeout: 30, stopTimeout: 90,
    systemControls: [{ namespace: 'net.core.somaxconn', value: '1024' }], interactive: true, pseudoTerminal: true,
    restartPolicy: { enabled: true, ignoredExitCodes: [0, 143], restartAttemptPeriod: 60 },
};

test('a definition with everything in it comes back as it was given, also from a server that was started again', async () => {
    const volumes = [{ name: 'data', host: { sourcePath: '/srv' } }], side = { name: 'side', image: 'side', memory: 32, essential: false };
    const input = { family: 'maximal', taskRoleArn: 'worker', executionRoleArn: 'arn:aws:iam::123456789012:role/path/exec', containerDefinitions: [maximal, side],
        cpu: '1 vCPU', memory: '2 GB', volumes, pidMode: 'shared', ipcMode: 'none', tags: [{ key: 'team', value: 'ml' }] };
    assert.strictEqual((await send('RegisterDaemonTaskDefinition', input)).daemonTaskDefinitionArn, arn('maximal:1'));
    const definition = await describe('maximal'), { registeredAt, ...shown } = definition;
    assert.ok(isRecent(new Date(registeredAt * 1000)));
    assert.deepStrictEqual(shown, { daemonTaskDefinitionArn: arn('maximal:1'), family: 'maximal', revision: 1, taskRoleArn: `arn:aws:iam::${account}:role/worker`,
        executionRoleArn: input.executionRoleArn, containerDefinitions: [maximal, { ...side, cpu: 0, environment: [], mountPoints: [], systemControls: [] }], volumes,
        cpu: '1024', memory: '2048', status: 'ACTIVE', registeredBy: `arn:aws:iam::${account}:user/root`, pidMode: 'shared', ipcMode: 'none' });
    const again = await server.call('RegisterDaemonTaskDefinition', definition);
    assert.strictEqual(again.json.daemonTaskDefinitionArn, arn('maximal:2'), 'a described definition can be registered again');
    const second = await describe('maximal');
    await server.kill9();
    client.destroy();
    server = await Server.start({ data: server.data });
    client = server.sdk();
    assert.deepStrictEqual(await describe('maximal'), second);
    assert.deepStrictEqual(await describe(arn('maximal:1')), definition);
    assert.strictEqual(await register('maximal'), arn('maximal:3'), 'the counter goes on');
});

test('families are apart from those of task definitions', async () => {
    await register('apart');
    for (const call of [server.call('DescribeTaskDefinition', { taskDefinition: 'apart' }), server.call('RunTask', { taskDefinition: 'apart' })]) {
        assert.notStrictEqual((await call).status, 200);
    }
    assert.deepStrictEqual((await send('ListTaskDefinitionFamilies', { familyPrefix: 'apart' })).families, []);
    assert.strictEqual((await send('RegisterTaskDefinition', { family: 'apart', containerDefinitions: [bare] })).taskDefinition.revision, 1);
});

test('lists, by family, prefix, status and revision, in pages', async () => {
    for (const family of ['list', 'list-a', 'list-a', 'list-b']) await register(family);
    await remove('list-a:1');
    assert.deepStrictEqual(await names({ familyPrefix: 'list' }), ['list:1', 'list-a:2', 'list-b:1']);
    assert.deepStrictEqual(await names({ familyPrefix: 'list', status: 'ALL', sort: 'DESC' }), ['list-b:1', 'list-a:2', 'list-a:1', 'list:1']);
    assert.deepStrictEqual(await names({ family: 'list' }), ['list:1']);
    assert.deepStrictEqual(await names({ family: 'list-a', status: 'DELETE_IN_PROGRESS' }), []);
    await register('list-a');
    assert.deepStrictEqual(await names({ familyPrefix: 'list', status: 'ACTIVE', revision: 'LAST_REGISTERED' }), ['list:1', 'list-a:3', 'list-b:1']);
    const pages = [];
    for (let token, page = 0; page === 0 || token; page++) {
        const reply = await send('ListDaemonTaskDefinitions', { familyPrefix: 'list', status: 'ALL', maxResults: 2, nextToken: token });
        pages.push(reply.daemonTaskDefinitions.map((one) => one.arn.split('/')[1]));
        token = reply.nextToken;
    }
    assert.deepStrictEqual(pages, [['list:1', 'list-a:1'], ['list-a:2', 'list-a:3'], ['list-b:1']]);
});

test('a deleted revision can be described as DELETED, and is no longer the latest', async () => {
    await register('ending');
    await register('ending');
    assert.strictEqual(await remove('ending:2'), arn('ending:2'));
    const { status, deleteRequestedAt } = await describe('ending:2');
    assert.strictEqual(status, 'DELETED');
    assert.ok(isRecent(new Date(deleteRequestedAt * 1000)));
    assert.strictEqual((await describe('ending')).revision, 1);
    const twice = await server.call('DeleteDaemonTaskDefinition', { daemonTaskDefinition: 'ending:2' });
    assert.deepStrictEqual([twice.json.__type, twice.json.message], ['ClientException', 'The specified daemon task definition is not in ACTIVE status.']);
});

test('tags are read and changed by the ARN, until the revision is deleted', async () => {
    const resourceArn = await register('tagged', { tags: [{ key: 'a', value: '1' }] });
    const tags = async () => (await client.send(new ListTagsForResourceCommand({ resourceArn }))).tags;
    assert.deepStrictEqual(await tags(), [{ key: 'a', value: '1' }]);
    await client.send(new TagResourceCommand({ resourceArn, tags: [{ key: 'b', value: '2' }] }));
    await client.send(new UntagResourceCommand({ resourceArn, tagKeys: ['a'] }));
    assert.deepStrictEqual(await tags(), [{ key: 'b', value: '2' }]);
    await remove('tagged:1');
    await assert.rejects(client.send(new TagResourceCommand({ resourceArn, tags: [] })), { name: 'ResourceNotFoundException' });
});

// ---- refusals ----

test('members that a daemon cannot have are refused', async () => {
    const rows = [
        [{}, { secrets: [{ name: 'S', valueFrom: 'p' }] }, "When you are specifying container secrets, you must also specify a value for 'executionRoleArn'"],
        [{}, { essential: false }, "Task definition doesn't have any essential container"],
        [{}, { logConfiguration: { logDriver: 'json-file' } },
            "Log driver 'json-file' is not supported in a daemon task definition. Use awslogs, splunk or awsfirelens."],
        [{ volumes: [{ name: 'v' }] }, {}, "Volume 'v' of a daemon task definition must have a 'host.sourcePath'."],
        [{ pidMode: 'host' }, {}, "pidMode should be one of [none,shared], but was 'host'."],
    ];
    for (const [task, container, message] of rows) {
        const { json } = await server.call('RegisterDaemonTaskDefinition', { family: 'refused', containerDefinitions: [{ ...bare, ...container }], ...task });
        assert.deepStrictEqual([json.__type, json.message], ['ClientException', message]);
    }
    assert.deepStrictEqual(await names({ family: 'refused', status: 'ALL' }), []);
});
