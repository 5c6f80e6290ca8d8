// The audit: each line names what the call was about, and no value can look like a member of the line.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { BerthAgent } from '../lib/agent_client.mjs';
import { Server, account, program, region, waitFor } from '../lib/lib.mjs';

let server, agent, task;
const ok = (reply) => { assert.strictEqual(reply.status, 200, reply.text); return reply.json; };
const arn = (rest) => `arn:aws:ecs:${region}:${account}:${rest}`;
const makeKey = (...args) => {
    const out = execFileSync(program, ['keys', 'create', '--data', server.data, '--output', 'json', ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    const { UserName, AccessKeyId, SecretAccessKey } = JSON.parse(out).AccessKey;
    return { user: UserName, key: AccessKeyId, secret: SecretAccessKey };
};
// The one line that a call leaves, as { name, level, members }.
async function audited(call) {
    const from = server.process.output.length;
    const reply = await call();
    const found = await waitFor('a line of the audit', () => [...server.process.output.slice(from).matchAll(/^\S+ (\w+) +audit: (.*)\n/gm)].at(-1));
    const [name, ...words] = found[2].split(' ');
    return { reply, line: found[2], level: found[1], name, members: Object.fromEntries(words.map((word) => word.split(/=(.*)/s).slice(0, 2))) };
}
const secrets = (operation, input, more) => server.raw({ target: `secretsmanager.${operation}`, body: JSON.stringify(input), service: 'secretsmanager', ...more });
const ssm = (operation, input, more) => server.raw({ target: `AmazonSSM.${operation}`, body: JSON.stringify(input), service: 'ssm', ...more });

before(async () => {
    server = await Server.start({ args: ['--log-level', 'debug'] });
    ok(await server.call('CreateCluster', { clusterName: 'prod' }));
    agent = new BerthAgent(server, { cluster: 'prod' });
    ok(await agent.register());
    await server.attend(agent.arn, 'prod');
    await waitFor('the machine to be connected', async () => (await server.connected('prod')) === 1);
    ok(await server.call('RegisterTaskDefinition', { family: 'job', containerDefinitions: [{ name: 'main', image: 'none', memory: 16 }] }));
    task = ok(await server.call('RunTask', { cluster: 'prod', taskDefinition: 'job' })).tasks[0].taskArn;
});
after(async () => { await server.stop(); });

test('each write names its object by its ARN', async () => {
    const id = (text) => text.split('/').at(-1), cluster = 'prod';
    const rows = [
        ['CreateCluster', { clusterName: 'new' }, { cluster: arn('cluster/new') }],
        ['DeleteCluster', { cluster: 'new' }, { cluster: arn('cluster/new') }],
        ['RegisterTaskDefinition', { family: 'other', containerDefinitions: [{ name: 'main', image: 'none', memory: 16 }] }, { definition: arn('task-definition/other:1') }],
        ['DeregisterTaskDefinition', { taskDefinition: 'other:1' }, { definition: arn('task-definition/other:1') }],
        ['DeleteTaskDefinitions', { taskDefinitions: ['other:1'] }, { definition: arn('task-definition/other:1') }],
        ['RegisterDaemonTaskDefinition', { family: 'daemon', containerDefinitions: [{ name: 'main', image: 'none', memory: 16 }] },
            { definition: arn('daemon-task-definition/daemon:1') }],
        ['DeleteDaemonTaskDefinition', { daemonTaskDefinition: 'daemon:1' }, { definition: arn('daemon-task-definition/daemon:1') }],
        ['TagResource', { resourceArn: task, tags: [{ key: 'a', value: 'b' }] }, { resource: task }],
        ['PutAttributes', { cluster, attributes: [{ name: 'x', targetId: id(agent.arn) }, { name: 'y', targetId: id(agent.arn) }] }, { instance: agent.arn }],
        ['UpdateContainerInstancesState', { cluster, containerInstances: [id(agent.arn)], status: 'DRAINING' }, { instance: agent.arn }],
        ['UpdateContainerInstancesState', { cluster, containerInstances: [agent.arn], status: 'ACTIVE' }, { instance: agent.arn }],
        ['StopTask', { cluster, task: id(task) }, { task }],
        ['CreateService', { cluster, serviceName: 'web', taskDefinition: 'job', desiredCount: 0 }, { service: arn('service/prod/web') }],
        ['UpdateService', { cluster, service: 'web', enableECSManagedTags: true }, { service: arn('service/prod/web') }],
        ['DeleteService', { cluster, service: 'web' }, { service: arn('service/prod/web') }],
        ['PutAccountSetting', { name: 'containerInsights', value: 'enabled' }, { name: 'containerInsights' }],
    ];
    for (const [operation, input, members] of rows) {
        const found = await audited(() => server.call(operation, input));
        assert.strictEqual(found.reply.status, 200, found.reply.text);
        assert.strictEqual(found.name, operation);
        assert.strictEqual(found.level, 'info');
        assert.deepStrictEqual(found.members, { user: 'root', key: server.key, peer: '127.0.0.1', result: 'ok', request: found.members.request, ...members }, found.line);
    }
});

test('RunTask names the definition and the tasks', async () => {
    const { reply, members } = await audited(() => server.call('RunTask', { cluster: 'prod', taskDefinition: 'job', count: 2 }));
    assert.strictEqual(members.definition, arn('task-definition/job:1'));
    assert.strictEqual(members.task, reply.json.tasks.map((one) => one.taskArn).join());
    const missing = await audited(() => server.call('RunTask', { cluster: 'prod', taskDefinition: 'nothing' }));
    assert.strictEqual(missing.members.result, 'ClientException');
    assert.strictEqual(missing.members.definition, 'nothing', 'a refused request is named as it was asked');
    assert.strictEqual(missing.members.cluster, 'prod');
});

test('writes of agents are in the audit like those of users, except their reports', async () => {
    const { user, ...key } = makeKey('--role', 'agent', '--instance', agent.arn);
    assert.strictEqual(user, 'agent');
    const bound = Object.assign(Object.create(server), key), containerInstance = agent.arn, cluster = 'prod';
    for (const [operation, input, members] of [
        ['RegisterContainerInstance', { cluster, containerInstanceArn: agent.arn, attributes: agent.attributes, totalResources: [{ name: 'MEMORY', type: 'INTEGER', integerValue: 8192 }] }, { instance: agent.arn }],
        ['UpdateContainerInstancesState', { cluster, containerInstances: [agent.arn], status: 'ACTIVE' }, { instance: agent.arn }],
        ['CreateCluster', { clusterName: 'prod' }, { cluster: arn('cluster/prod') }],
        ['DeregisterContainerInstance', { cluster, containerInstance, force: true }, { instance: agent.arn }],
    ]) {
        const found = await audited(() => bound.call(operation, input));
        assert.strictEqual(found.reply.status, 200, found.reply.text);
        assert.deepStrictEqual([found.name, found.level], [operation, 'info']);
        assert.deepStrictEqual(found.members, { user: 'agent', key: key.key, peer: '127.0.0.1', result: 'ok', request: found.members.request, ...members });
    }
    const denied = await audited(() => bound.call('CreateCluster', { clusterName: 'mine' }));
    assert.deepStrictEqual([denied.members.result, denied.members.cluster], ['AccessDeniedException', 'mine']);
    const report = await audited(() => bound.call('SubmitTaskStateChange', { cluster, task, status: 'STOPPED' }));
    assert.strictEqual(report.level, 'debug');
    for (const [named, result] of [[task, 'ok'], ['no\nsuch task', 'InvalidParameterException']]) {
        const body = JSON.stringify({ reports: [{ cluster, task: named, status: 'STOPPED' }] });
        const told = await audited(() => bound.raw({ pathname: '/berth/v1/agent/reports', body }));
        assert.deepStrictEqual([told.name, told.level, told.members.result], ['SubmitTaskStateChange', 'debug', result]);
        assert.deepStrictEqual([told.members.user, told.members.task], ['agent', named.replace('\n', '\\x0a').replace(' ', '\\x20')]);
    }
});

test('a secret is named by an HMAC of its name, the same in every line', async () => {
    const created = await audited(() => secrets('CreateSecret', { Name: 'db-password', SecretString: 'x' }));
    const { secret } = created.members, secretArn = created.reply.json.ARN;
    assert.match(secret, /^hmac-[0-9a-f]{32}$/);
    for (const [operation, input] of [['GetSecretValue', { SecretId: 'db-password' }], ['GetSecretValue', { SecretId: secretArn }], ['DescribeSecret', { SecretId: secretArn }],
        ['TagResource', { SecretId: secretArn, Tags: [] }]]) {
        const found = await audited(() => secrets(operation, input));
        assert.strictEqual(found.name, `secretsmanager:${operation}`);
        assert.deepStrictEqual([found.members.secret, found.level], [secret, 'info'], found.line);
    }
    const { user, ...viewer } = makeKey('--role', 'viewer');
    const denied = await audited(() => secrets('GetSecretValue', { SecretId: secretArn }, viewer));
    assert.deepStrictEqual(denied.members, { ...denied.members, user: 'viewer', secret, result: 'AccessDeniedException' });
    assert.strictEqual(user, 'viewer');
    const put = await audited(() => ssm('PutParameter', { Name: '/prod/db-password', Value: 'x', Type: 'SecureString' }));
    assert.match(put.members.secret, /^hmac-/);
    for (const [operation, input] of [['GetParameter', { Name: '/prod/db-password' }], ['GetParameter', { Name: `arn:aws:ssm:${region}:${account}:parameter/prod/db-password` }],
        ['GetParameters', { Names: ['/prod/db-password'] }], ['GetParametersByPath', { Path: '/prod' }], ['DeleteParameters', { Names: ['/prod/db-password'] }]]) {
        assert.strictEqual((await audited(() => ssm(operation, input))).members.secret, put.members.secret, operation);
    }
    assert.notStrictEqual(put.members.secret, secret);
    assert.ok(!/audit.*db-password/.test(server.process.output), 'no name is in the log');
});

test('no value can look like a member, and lines are bounded', async () => {
    const forged = await audited(() => server.call('StopTask', { cluster: 'prod', task: 'x result=ok\n2026 info  audit: StopTask user=somebody' }));
    assert.strictEqual(forged.members.result, 'InvalidParameterException');
    assert.strictEqual(forged.members.task, 'x\\x20result\\x3dok\\x0a2026\\x20info\\x20\\x20audit:\\x20StopTask\\x20user\\x3dsomebody');
    const long = await audited(() => server.call('StopTask', { cluster: 'prod', task: 'x'.repeat(100000) }));
    assert.ok(long.line.length < 2048 && long.members.task === `${'x'.repeat(256)}...` && long.members.result && long.members.request);
    const many = await audited(() => server.call('UpdateContainerInstancesState', { cluster: 'prod', containerInstances: Array.from({ length: 10 }, (_, i) => `${i}`.repeat(300)), status: 'DRAINING' }));
    assert.match(many.members.instance, /,\+\d+$/);
    assert.ok(many.members.result && many.members.request);
});

test('a GPU that is taken out by hand is in the audit too', async () => {
    const found = await audited(() => server.raw({ pathname: '/berth/v1/gpus', body: JSON.stringify({ uuid: 'GPU-1', state: 'QUARANTINED', reason: 'x' }) }));
    assert.deepStrictEqual([found.name, found.members.gpu, found.members.user], ['SetGpu', 'GPU-1', 'root']);
});
