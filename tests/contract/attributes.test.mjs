// Statements from outside about machines and tasks: custom attributes and placement by them, task protection, commands in tasks, updates
// of agents, attachments. With the JavaScript SDK, the AWS CLI and raw calls.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as ecs from '@aws-sdk/client-ecs';
import { EcsAgent } from '../lib/agent_client.mjs';
import { Server, account, region, waitFor } from '../lib/lib.mjs';

let server, client, machines;
const send = (name, input = {}) => client.send(new ecs[`${name}Command`](input));
const nobody = '0123456789abcdef0123456789abcdef';
const targetType = 'container-instance';
const rejects = (promise, name, text) => assert.rejects(promise, (error) => {
    assert.strictEqual(error.name, name, error.message);
    assert.ok(error instanceof ecs[name], `typed as ${name}`);
    if (text) assert.match(error.message, text);
    return true;
});
const values = async (attributeName) => Object.fromEntries((await send('ListAttributes', { targetType, attributeName })).attributes.map((a) => [a.targetId, a.value]));

before(async () => {
    server = await Server.start();
    client = server.sdk();
    await send('CreateCluster');
    await server.fleet('c5.large:3', 3);
    machines = (await send('ListContainerInstances')).containerInstanceArns.sort();
    const main = { name: 'main', image: 'busybox', cpu: 10, memory: 32, command: ['sleep', '600'] };
    await send('RegisterTaskDefinition', { family: 'sleeper', containerDefinitions: [main] });
    await send('RegisterTaskDefinition', { family: 'two', containerDefinitions: [main, { ...main, name: 'other' }] });
});
after(async () => { client.destroy(); await server.stop(); });

async function running(input) {
    const { tasks, failures } = await send('RunTask', input);
    assert.deepStrictEqual(failures, []);
    await waitFor('the task to run', async () => (await send('DescribeTasks', { tasks: [tasks[0].taskArn] })).tasks[0].lastStatus === 'RUNNING');
    return tasks[0].taskArn;
}

test('attributes: put, list, delete, and an id is as good as an ARN', async () => {
    const id = machines[1].split('/').at(-1);
    const put = await send('PutAttributes', { attributes: [{ name: 'rack', value: 'r1', targetId: machines[0] }, { name: 'rack', value: 'r2', targetType, targetId: id },
        { name: 'bare', targetId: machines[0] }] });
    assert.deepStrictEqual(put.attributes, [{ name: 'rack', value: 'r1', targetId: machines[0] }, { name: 'rack', value: 'r2', targetId: machines[1] },
        { name: 'bare', targetId: machines[0] }]);
    assert.deepStrictEqual(await values('rack'), { [machines[0]]: 'r1', [machines[1]]: 'r2' });
    assert.deepStrictEqual((await send('ListAttributes', { targetType, attributeName: 'rack', attributeValue: 'r2' })).attributes.map((a) => a.targetId), [machines[1]]);
    const described = (await send('DescribeContainerInstances', { containerInstances: [machines[0]] })).containerInstances[0];
    assert.ok(described.attributes.some((a) => a.name === 'rack' && a.value === 'r1'));
    await send('PutAttributes', { attributes: [{ name: 'rack', value: 'r3', targetId: machines[0] }] });
    assert.deepStrictEqual((await send('DeleteAttributes', { attributes: [{ name: 'rack', targetId: machines[0] }] })).attributes,
        [{ name: 'rack', value: 'r3', targetId: machines[0] }]);
    assert.deepStrictEqual((await send('DeleteAttributes', { attributes: [{ name: 'rack', targetId: machines[0] }] })).attributes, []);
    assert.deepStrictEqual(await values('rack'), { [machines[1]]: 'r2' });
});

test('attributes: errors are typed', async () => {
    const ten = Array.from({ length: 10 }, (_, n) => ({ name: `k${n}`, targetId: machines[2] }));
    await send('PutAttributes', { attributes: ten });
    await send('PutAttributes', { attributes: ten });
    await rejects(send('PutAttributes', { attributes: [{ name: 'k10', targetId: machines[2] }] }), 'AttributeLimitExceededException', /at most 10/);
    await rejects(send('PutAttributes', { attributes: [...ten, { name: 'k10', targetId: machines[2] }] }), 'InvalidParameterException');
    await send('DeleteAttributes', { attributes: ten });
    for (const operation of ['PutAttributes', 'DeleteAttributes']) {
        await rejects(send(operation, { attributes: [{ name: 'a', targetId: nobody }] }), 'TargetNotFoundException', new RegExp(`^Could not find ${nobody}$`));
        await rejects(send(operation, { attributes: [{ name: 'a' }] }), 'InvalidParameterException', /targetId/);
        await rejects(send(operation, { attributes: [{ name: 'ecs.instance-type', targetId: machines[2] }] }), 'InvalidParameterException', /built in/);
        await rejects(send(operation, { cluster: 'nowhere', attributes: [{ name: 'a', targetId: nobody }] }), 'ClusterNotFoundException');
    }
    await rejects(send('PutAttributes', { attributes: [{ name: 'a', value: 'x'.repeat(129), targetId: machines[2] }] }), 'InvalidParameterException', /value/);
    await rejects(send('ListAttributes', { targetType: 'task' }), 'InvalidParameterException', /targetType/);
    await rejects(send('ListAttributes', { targetType, attributeValue: 'x' }), 'InvalidParameterException', /attributeName/);
    await rejects(send('ListAttributes', { targetType, nextToken: 'x' }), 'InvalidParameterException', /nextToken/);
    await rejects(send('ListAttributes', { targetType, cluster: 'nowhere' }), 'ClusterNotFoundException');
});

test('attributes: a listing pages, each exactly once', async () => {
    const whole = (await send('ListAttributes', { targetType })).attributes;
    assert.ok(whole.some((a) => a.name === 'ecs.instance-type' && a.value === 'c5.large'));
    const listed = [];
    for await (const page of ecs.paginateListAttributes({ client, pageSize: 7 }, { targetType })) listed.push(...page.attributes);
    assert.deepStrictEqual(listed.slice(0, whole.length), whole);
    assert.strictEqual(new Set(listed.map((a) => `${a.targetId} ${a.name}`)).size, listed.length);
    assert.deepStrictEqual(new Set(listed.map((a) => a.targetId)), new Set(machines));
});

test('attributes: constraints see them at once, and they survive the agent\'s return', async () => {
    await server.aws('ecs', 'put-attributes', '--attributes', `name=zone,value=quiet,targetId=${machines[2]}`);
    const placementConstraints = [{ type: 'memberOf', expression: 'attribute:zone == quiet' }];
    const { tasks } = await send('RunTask', { taskDefinition: 'sleeper', count: 3, placementConstraints });
    assert.deepStrictEqual(tasks.map((task) => task.containerInstanceArn), [machines[2], machines[2], machines[2]]);
    const filtered = await server.aws('ecs', 'list-container-instances', '--filter', 'attribute:zone == quiet');
    assert.deepStrictEqual(filtered.containerInstanceArns, [machines[2]]);

    const version = async () => (await send('DescribeContainerInstances', { containerInstances: [machines[2]] })).containerInstances[0].version;
    const before = await version();
    const [agent] = server.agents.splice(0);
    await agent.signal('SIGTERM');
    await server.agentIn(agent.data, ['--fake', 'c5.large:3']);
    await waitFor('the agent to register again', async () => (await version()) > before && (await server.connected('default')) === 3);
    const listed = await server.aws('ecs', 'list-attributes', '--target-type', targetType, '--attribute-name', 'zone');
    assert.deepStrictEqual(listed.attributes, [{ name: 'zone', value: 'quiet', targetId: machines[2] }]);

    const deleted = await server.aws('ecs', 'delete-attributes', '--attributes', `name=zone,targetId=${machines[2]}`);
    assert.deepStrictEqual(deleted.attributes, [{ name: 'zone', value: 'quiet', targetId: machines[2] }]);
    const refused = await send('RunTask', { taskDefinition: 'sleeper', placementConstraints });
    assert.strictEqual(refused.failures[0].reason, 'MEMBEROF');
    await assert.rejects(server.aws('ecs', 'put-attributes', '--attributes', `name=zone,targetId=${nobody}`), { code: 'TargetNotFoundException' });
});

test('task protection: tasks that stand alone can\'t be protected', async () => {
    const [task] = (await send('RunTask', { taskDefinition: 'sleeper' })).tasks;
    const missing = `arn:aws:ecs:${region}:${account}:task/default/${nobody}`;
    for (const [name, more] of [['GetTaskProtection', {}], ['UpdateTaskProtection', { protectionEnabled: true, expiresInMinutes: 60 }]]) {
        const { protectedTasks, failures } = await send(name, { cluster: 'default', tasks: [task.taskArn, nobody], ...more });
        assert.deepStrictEqual(protectedTasks, []);
        assert.deepStrictEqual(failures.map(({ arn, reason }) => ({ arn, reason })), [{ arn: task.taskArn, reason: 'TASK_NOT_VALID' }, { arn: missing, reason: 'MISSING' }]);
        await rejects(send(name, { cluster: 'nowhere', tasks: [nobody], ...more }), 'ClusterNotFoundException');
    }
    for (const expiresInMinutes of [0, 2881]) {
        await rejects(send('UpdateTaskProtection', { cluster: 'default', tasks: [nobody], protectionEnabled: true, expiresInMinutes }), 'InvalidParameterException', /expiresInMinutes/);
    }
    const told = await server.aws('ecs', 'get-task-protection', '--cluster', 'default', '--tasks', task.taskArn);
    assert.strictEqual(told.failures[0].reason, 'TASK_NOT_VALID');
});

test('ExecuteCommand says precisely why it can\'t', async () => {
    const off = await running({ taskDefinition: 'sleeper' });
    await send('CreateCluster', { clusterName: 'open' });
    const agent = await new EcsAgent(server, { cluster: 'open', executes: true }).start();
    const run = { cluster: 'open', taskDefinition: 'two', enableExecuteCommand: true }, on = (await send('RunTask', run)).tasks[0].taskArn;
    await agent.told(on, 'RUNNING');
    await agent.report(on, 'RUNNING');
    assert.strictEqual((await send('RunTask', { ...run, cluster: 'default' })).failures[0].reason, 'ATTRIBUTE', 'simulated machines have no way in');
    const common = { command: 'ls', interactive: true };
    await rejects(send('ExecuteCommand', { ...common, task: nobody }), 'InvalidParameterException', /^The referenced task was not found\.$/);
    await rejects(send('ExecuteCommand', { ...common, task: off, interactive: false }), 'InvalidParameterException', /Interactive/);
    await rejects(send('ExecuteCommand', { ...common, task: off }), 'InvalidParameterException', /^The execute command failed because execute command was not enabled/);
    await rejects(send('ExecuteCommand', { ...common, cluster: 'open', task: on }), 'InvalidParameterException', /2 containers/);
    await rejects(send('ExecuteCommand', { ...common, cluster: 'open', task: on, container: 'none' }), 'InvalidParameterException', /none/);
    await rejects(send('ExecuteCommand', { ...common, cluster: 'open', task: on, container: 'other' }), 'TargetNotConnectedException', /not connected/);
    await rejects(send('ExecuteCommand', { ...common, cluster: 'nowhere', task: on }), 'ClusterNotFoundException');
});

test('UpdateContainerAgent and SubmitAttachmentStateChanges', async () => {
    await rejects(send('UpdateContainerAgent', { containerInstance: machines[0] }), 'NoUpdateAvailableException');
    await rejects(send('UpdateContainerAgent', { containerInstance: nobody }), 'InvalidParameterException', /not found/);
    const { containerInstance } = await send('RegisterContainerInstance', {});
    await rejects(send('UpdateContainerAgent', { containerInstance: containerInstance.containerInstanceArn }), 'ClientException', /not connected/);
    assert.strictEqual((await send('SubmitAttachmentStateChanges', { attachments: [] })).acknowledgment, 'ACK');
    await rejects(send('SubmitAttachmentStateChanges', { attachments: [{ attachmentArn: 'arn:x', status: 'ATTACHED' }] }), 'InvalidParameterException', /arn:x/);
});

test('a conflict names the tasks of the earlier call', async () => {
    const first = await send('RunTask', { taskDefinition: 'sleeper', count: 2, clientToken: 'mine' });
    const reply = await server.call('RunTask', { taskDefinition: 'sleeper', count: 3, clientToken: 'mine' });
    assert.strictEqual(reply.status, 400);
    assert.deepStrictEqual(reply.json, { __type: 'ConflictException', message: reply.json.message, resourceIds: first.tasks.map((task) => task.taskArn) });
    await assert.rejects(send('RunTask', { taskDefinition: 'sleeper', count: 3, clientToken: 'mine' }), (error) => {
        assert.ok(error instanceof ecs.ConflictException);
        assert.deepStrictEqual(error.resourceIds, first.tasks.map((task) => task.taskArn));
        return true;
    });
});

test('a machine that runs no privileged containers gets none', async () => {
    await send('CreateCluster', { clusterName: 'careful' });
    const agent = await server.agentIn(mkdtempSync(path.join(os.tmpdir(), 'berth-careful-')), ['--cluster', 'careful', '--runtime', 'process'],
        { environment: { ECS_DISABLE_PRIVILEGED: 'true', ECS_DYNAMIC_HOST_PORT_RANGE: '40000-40100' } });
    await waitFor('the machine', async () => (await server.connected('careful')) === 1);
    const { containerInstanceArns: containerInstances } = await send('ListContainerInstances', { cluster: 'careful' });
    const linux = (linuxParameters) => ({ container: { linuxParameters } });
    const rows = [
        [{ container: { privileged: true } }, false], [linux({ capabilities: { add: ['CHOWN', 'SYS_PTRACE'] } }), false], [{ task: { pidMode: 'host' } }, false],
        [{ task: { ipcMode: 'host' } }, false], [linux({ capabilities: { add: ['CHOWN'], drop: ['ALL'] } }), true], [{ task: { pidMode: 'task' } }, true],
    ];
    for (const [{ container, task }, placed] of rows) {
        await send('RegisterTaskDefinition', { family: 'mighty', ...task, containerDefinitions: [{ name: 'main', image: 'none', memory: 8, command: ['true'], ...container }] });
        for (const [operation, more] of [['RunTask', {}], ['StartTask', { containerInstances }]]) {
            const answer = await send(operation, { cluster: 'careful', taskDefinition: 'mighty', ...more });
            assert.deepStrictEqual([answer.tasks.length, answer.failures.map((one) => one.reason)], placed ? [1, []] : [0, ['ATTRIBUTE']], JSON.stringify({ container, task }));
        }
    }
    assert.doesNotMatch(agent.output, /ECS_DISABLE_PRIVILEGED has no meaning|ECS_DYNAMIC_HOST_PORT_RANGE has no meaning/);
    const wrong = await server.agent(['--cluster', 'careful', '--runtime', 'process', '--dynamic-ports', '50000-40000']);
    await waitFor('the agent to end', () => wrong.status);
    await wrong.silent;
    assert.match(wrong.output, /The dynamic range of host ports is written as 40000-50000, within 1 to 65535; this is not: 50000-40000/);
});
