// Task sets of services with the controller EXTERNAL, protection of tasks, and operations that meet services. The JavaScript SDK and simulated machines.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import * as ecs from '@aws-sdk/client-ecs';
import { Server, account, region, waitFor } from '../lib/lib.mjs';

let server, client;
const send = (name, input = {}) => client.send(new ecs[`${name}Command`](input));
const arn = (resource) => `arn:aws:ecs:${region}:${account}:${resource}`;
const rejects = (promise, name, text) => assert.rejects(promise, (error) => {
    assert.strictEqual(error.name, name, error.message);
    assert.ok(error instanceof ecs[name], `typed as ${name}`);
    if (text) assert.match(error.message, text);
    return true;
});
const cluster = 'default', unknown = 'ecs-svc/0000000000000000001', percent = (value) => ({ value, unit: 'PERCENT' });
const service = async (name) => (await send('DescribeServices', { cluster, services: [name], include: ['TAGS'] })).services[0];
// Its tasks are healthy as soon as they run.
const makeExternal = (serviceName, desiredCount) => send('CreateService', { cluster, serviceName, desiredCount, deploymentController: { type: 'EXTERNAL' },
    tags: [{ key: 'berth:healthy-after', value: '0' }] });
const makeSet = async (name, more = {}) => (await send('CreateTaskSet', { cluster, service: name, taskDefinition: 'sleeper', ...more })).taskSet;
const describe = async (name, id, more = {}) => (await send('DescribeTaskSets', { cluster, service: name, taskSets: [id], ...more })).taskSets[0];
const steady = (name, id, count) => waitFor(`${count} tasks of ${id}`, async () => {
    const set = await describe(name, id);
    return set.stabilityStatus === 'STEADY_STATE' && set.computedDesiredCount === count && set.runningCount === count && set.pendingCount === 0 && set;
});
async function end(name) {
    await send('DeleteService', { cluster, service: name, force: true });
    await waitFor(`${name} to be INACTIVE`, async () => (await service(name)).status === 'INACTIVE');
}

before(async () => {
    server = await Server.start();
    client = server.sdk();
    await send('CreateCluster');
    await server.fleet('c5.large:3', 3);
    const main = { name: 'main', image: 'busybox', cpu: 10, memory: 32, command: ['sleep', '600'], portMappings: [{ containerPort: 80 }] };
    for (const family of ['sleeper', 'next', 'old']) await send('RegisterTaskDefinition', { family, containerDefinitions: [main] });
    await send('DeregisterTaskDefinition', { taskDefinition: 'old:1' });
});
after(async () => { client.destroy(); await server.stop(); });

test('a task set begins with nothing, is scaled, becomes the PRIMARY, and goes', async () => {
    await makeExternal('life', 10);
    const made = await makeSet('life', { externalId: 'blue', tags: [{ key: 'color', value: 'blue' }] }), { id } = made;
    assert.deepStrictEqual([made.status, made.computedDesiredCount, made.scale, made.stabilityStatus, made.launchType, made.externalId], ['ACTIVE', 0, percent(0), 'STABILIZING', 'EC2', 'blue']);
    assert.deepStrictEqual([made.taskSetArn, made.serviceArn, made.taskDefinition], [arn(`task-set/default/life/${id}`), arn('service/default/life'), arn('task-definition/sleeper:1')]);
    assert.match(id, /^ecs-svc\/\d{19}$/);
    await steady('life', id, 0);

    await send('UpdateTaskSet', { cluster, service: 'life', taskSet: id, scale: percent(25) });
    await steady('life', id, 3);
    const { events } = await service('life');
    for (const words of [`updated computedDesiredCount for taskSet ${id} to 3.`, `(service life, taskSet ${id}) updated state to STEADY_STATE.`]) {
        assert.ok(events.some(({ message }) => message.includes(words)), words);
    }
    const { taskArns } = await send('ListTasks', { startedBy: id });
    const { tasks } = await send('DescribeTasks', { tasks: taskArns });
    assert.deepStrictEqual(tasks.map(({ group, startedBy }) => [group, startedBy]), Array(3).fill(['service:life', id]));
    assert.strictEqual((await service('life')).taskDefinition, undefined, 'there is no PRIMARY set yet');

    assert.strictEqual((await send('UpdateServicePrimaryTaskSet', { cluster, service: 'life', primaryTaskSet: id })).taskSet.status, 'PRIMARY');
    const shown = await service('life');
    assert.deepStrictEqual([shown.taskDefinition, shown.launchType, shown.taskSets.map((set) => [set.id, set.status]), shown.deployments], [arn('task-definition/sleeper:1'), 'EC2', [[id, 'PRIMARY']], []]);
    await rejects(send('DeleteTaskSet', { cluster, service: 'life', taskSet: id }), 'InvalidParameterException', /Primary TaskSet cannot be deleted/);

    const green = await makeSet('life', { taskDefinition: 'next', scale: percent(20) });
    await steady('life', green.id, 2);
    await send('UpdateServicePrimaryTaskSet', { cluster, service: 'life', primaryTaskSet: green.taskSetArn });
    assert.deepStrictEqual((await send('DescribeTaskSets', { cluster, service: 'life' })).taskSets.map((set) => [set.id, set.status]), [[id, 'ACTIVE'], [green.id, 'PRIMARY']]);
    await rejects(send('DeleteTaskSet', { cluster, service: 'life', taskSet: id }), 'InvalidParameterException', /scale is above 0/);
    await send('UpdateTaskSet', { cluster, service: 'life', taskSet: id, scale: percent(0) });
    await steady('life', id, 0);
    assert.strictEqual((await send('DeleteTaskSet', { cluster, service: 'life', taskSet: id })).taskSet.status, 'DRAINING');
    const gone = () => send('DescribeTaskSets', { cluster, service: 'life', taskSets: [id] });
    await waitFor('the set to go', async () => (await gone()).taskSets.length === 0);
    assert.deepStrictEqual((await gone()).failures, [{ arn: made.taskSetArn, reason: 'MISSING' }]);

    const leaving = (await send('DeleteTaskSet', { cluster, service: 'life', taskSet: green.id, force: true })).taskSet;
    assert.deepStrictEqual([leaving.status, leaving.computedDesiredCount], ['DRAINING', 0]);
    await waitFor('the other set to go', async () => (await send('DescribeTaskSets', { cluster, service: 'life' })).taskSets.length === 0);
    assert.strictEqual((await service('life')).taskDefinition, undefined);
    await end('life');
});

test('the same CreateTaskSet again, tags, and the limit of five', async () => {
    await makeExternal('many', 1);
    const tags = [{ key: 'color', value: 'red' }], one = await makeSet('many', { clientToken: 'x', tags });
    assert.deepStrictEqual(one.tags, tags);
    assert.strictEqual((await makeSet('many', { clientToken: 'x', tags })).id, one.id);
    await rejects(makeSet('many', { clientToken: 'x', taskDefinition: 'next' }), 'InvalidParameterException', /not idempotent/);
    assert.deepStrictEqual([(await describe('many', one.id)).tags, (await describe('many', one.id, { include: ['TAGS'] })).tags], [undefined, tags]);
    await send('TagResource', { resourceArn: one.taskSetArn, tags: [{ key: 'size', value: 's' }] });
    await send('UntagResource', { resourceArn: one.taskSetArn, tagKeys: ['color'] });
    assert.deepStrictEqual((await send('ListTagsForResource', { resourceArn: one.taskSetArn })).tags, [{ key: 'size', value: 's' }]);
    for (let n = 1; n < 5; n++) await makeSet('many');
    await rejects(makeSet('many'), 'InvalidParameterException', /^5 deployments exist on the service\./);
    const cli = await server.aws('ecs', 'describe-task-sets', '--cluster', cluster, '--service', 'many', '--task-sets', one.id, unknown);
    assert.deepStrictEqual([cli.taskSets.length, cli.failures[0].reason], [1, 'MISSING']);
    await rejects(send('DeleteService', { cluster, service: 'many' }), 'InvalidParameterException');
    await end('many');
});

test('each operation on task sets refuses what it must, with the errors that it declares', async () => {
    await makeExternal('set', 1);
    await makeExternal('ended', 0);
    await end('ended');
    await send('CreateService', { cluster, serviceName: 'rolling', taskDefinition: 'sleeper', desiredCount: 0 });
    const { id } = await makeSet('set'), taskSet = { taskSet: id };
    const operations = [['CreateTaskSet', { taskDefinition: 'sleeper' }], ['UpdateTaskSet', { ...taskSet, scale: percent(1) }], ['DeleteTaskSet', taskSet],
        ['UpdateServicePrimaryTaskSet', { primaryTaskSet: id }], ['DescribeTaskSets', {}]];
    for (const [name, more] of operations) {
        await rejects(send(name, { cluster: 'nowhere', service: 'set', ...more }), 'ClusterNotFoundException');
        await rejects(send(name, { cluster, service: 'nothing', ...more }), 'ServiceNotFoundException');
        await rejects(send(name, { cluster, service: 'ended', ...more }), 'ServiceNotActiveException');
        await rejects(send(name, { cluster, service: 'rolling', ...more }), 'InvalidParameterException', /external deployment controllers/);
    }
    for (const [name, more] of [['UpdateTaskSet', { taskSet: unknown, scale: percent(1) }], ['DeleteTaskSet', { taskSet: unknown }], ['UpdateServicePrimaryTaskSet', { primaryTaskSet: unknown }]]) {
        await rejects(send(name, { cluster, service: 'set', ...more }), 'TaskSetNotFoundException', /^The specified task set does not exist\.$/);
    }
    await rejects(makeSet('set', { taskDefinition: 'nothing' }), 'ClientException', /^TaskDefinition not found\.$/);
    await rejects(makeSet('set', { taskDefinition: 'old:1' }), 'ClientException', /^TaskDefinition is inactive$/);
    await rejects(makeSet('set', { launchType: 'FARGATE' }), 'UnsupportedFeatureException', /FARGATE/);
    for (const value of [-0.1, 100.1]) {
        await rejects(makeSet('set', { scale: percent(value) }), 'InvalidParameterException', /scale/);
        await rejects(send('UpdateTaskSet', { cluster, service: 'set', ...taskSet, scale: percent(value) }), 'InvalidParameterException', /scale/);
    }
    await rejects(send('UpdateService', { cluster, service: 'set', taskDefinition: 'sleeper' }), 'InvalidParameterException');
    await end('set');
    await end('rolling');
});

test('tasks of a service are protected, as many as it wants; they are found by its name', async () => {
    await send('CreateService', { cluster, serviceName: 'web', taskDefinition: 'sleeper', desiredCount: 2 });
    const list = async () => (await send('ListTasks', { serviceName: 'web' })).taskArns;
    await waitFor('two tasks', async () => (await service('web')).runningCount === 2);
    const tasks = await list();
    assert.strictEqual(tasks.length, 2);
    assert.deepStrictEqual((await send('ListTasks', { serviceName: arn('service/default/web') })).taskArns, tasks);
    await rejects(send('ListTasks', { serviceName: 'nothing' }), 'ServiceNotFoundException', /^Service not found\.$/);

    const off = tasks.map((taskArn) => ({ taskArn, protectionEnabled: false }));
    assert.deepStrictEqual((await send('GetTaskProtection', { cluster, tasks })).protectedTasks, off);
    const on = await send('UpdateTaskProtection', { cluster, tasks, protectionEnabled: true, expiresInMinutes: 60 });
    assert.deepStrictEqual(on.failures, []);
    for (const { expirationDate, protectionEnabled } of on.protectedTasks) assert.deepStrictEqual([expirationDate instanceof Date, protectionEnabled], [true, true]);
    assert.deepStrictEqual((await send('GetTaskProtection', { cluster, tasks })).protectedTasks, on.protectedTasks);

    await send('UpdateService', { cluster, service: 'web', desiredCount: 1 });
    const blocked = await send('UpdateTaskProtection', { cluster, tasks: [tasks[0]], protectionEnabled: true });
    assert.deepStrictEqual([blocked.protectedTasks, blocked.failures.map(({ reason }) => reason)], [[], ['DEPLOYMENT_BLOCKED']]);
    assert.deepStrictEqual(await list(), tasks, 'both stay');
    assert.deepStrictEqual((await send('UpdateTaskProtection', { cluster, tasks: [tasks[0]], protectionEnabled: false })).protectedTasks, [off[0]]);
    await waitFor('the other one to be left', async () => (await list()).length === 1);
    assert.deepStrictEqual(await list(), [tasks[1]]);

    await rejects(send('RunTask', { taskDefinition: 'sleeper', group: 'service:web' }), 'InvalidParameterException', /^The group name must not begin with service:\.$/);
    await end('web');
});

test('a cluster counts its services, and can not be deleted while it has some', async () => {
    await send('CreateCluster', { clusterName: 'busy' });
    await send('CreateService', { cluster: 'busy', serviceName: 'web', taskDefinition: 'sleeper', desiredCount: 0 });
    const shown = (await send('DescribeClusters', { clusters: ['busy'], include: ['STATISTICS'] })).clusters[0];
    assert.deepStrictEqual([shown.activeServicesCount, shown.statistics.find(({ name }) => name === 'activeEC2ServiceCount').value], [1, '1']);
    await rejects(send('DeleteCluster', { cluster: 'busy' }), 'ClusterContainsServicesException', /^The Cluster cannot be deleted while Services are active\.$/);
    await send('DeleteService', { cluster: 'busy', service: 'web' });
    await waitFor('the service to go', async () => (await send('DescribeServices', { cluster: 'busy', services: ['web'] })).services[0].status === 'INACTIVE');
    assert.strictEqual((await send('DeleteCluster', { cluster: 'busy' })).cluster.status, 'INACTIVE');
});

test('tags of a service', async () => {
    await send('CreateService', { cluster, serviceName: 'tagged', taskDefinition: 'sleeper', desiredCount: 0 });
    const resourceArn = arn('service/default/tagged'), replace = (value) => ({ resourceArn, tags: [{ key: 'berth:replace', value }] });
    await send('TagResource', replace('stop-first'));
    assert.deepStrictEqual((await service('tagged')).tags, replace('stop-first').tags);
    await rejects(send('TagResource', replace('never')), 'InvalidParameterException', /berth:replace/);
    await rejects(send('TagResource', { resourceArn, tags: [{ key: 'berth:replaces', value: 'x' }] }), 'InvalidParameterException', /means nothing here/);
    await send('UntagResource', { resourceArn, tagKeys: ['berth:replace'] });
    assert.deepStrictEqual((await send('ListTagsForResource', { resourceArn })).tags, []);
    await end('tagged');
    await rejects(send('TagResource', replace('stop-first')), 'InvalidParameterException', /inactive/);
});
