// Steps that clients take by themselves, with the JavaScript SDK and the AWS CLI: following pages one entry at a time, waiting, and trying again
// when the way to the server fails. boto3's part is boto3_test.py.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import * as ecs from '@aws-sdk/client-ecs';
import { Server, account, region, waitFor } from '../lib/lib.mjs';
import { Proxy } from './proxy.mjs';

let server, client, proxy;
const send = (name, input = {}) => client.send(new ecs[`${name}Command`](input));
const arn = (resource) => `arn:aws:ecs:${region}:${account}:${resource}`;
const nobody = '0123456789abcdef0123456789abcdef';
const container = { name: 'main', image: 'busybox', cpu: 1, memory: 8 };

before(async () => {
    server = await Server.start();
    proxy = await Proxy.start(server.port);
    client = server.sdk();
    for (const clusterName of ['default', 'one', 'two']) await send('CreateCluster', { clusterName });
    for (const family of ['long', 'short', 'third']) await send('RegisterTaskDefinition', { family, containerDefinitions: [container] });
    for (const name of ['containerInsights', 'awsvpcTrunking', 'fargateFIPSMode']) await send('PutAccountSetting', { name, value: 'enabled' });
    await server.fleet('c5.large:3', 3);
    await send('RunTask', { taskDefinition: 'long', count: 3 });
});
after(async () => { client.destroy(); await proxy.stop(); await server.stop(); });

// ---- pages ----

const lists = [
    ['ListClusters', 'clusterArns', {}, []],
    ['ListContainerInstances', 'containerInstanceArns', { filter: 'attribute:ecs.instance-type == c5.large' }, ['--filter', 'attribute:ecs.instance-type == c5.large']],
    ['ListTaskDefinitions', 'taskDefinitionArns', { sort: 'DESC' }, ['--sort', 'DESC']],
    ['ListTaskDefinitionFamilies', 'families', { status: 'ACTIVE' }, ['--status', 'ACTIVE']],
    ['ListTasks', 'taskArns', { family: 'long' }, ['--family', 'long']],
    ['ListAttributes', 'attributes', { targetType: 'container-instance', attributeName: 'ecs.os-type' }, ['--target-type', 'container-instance', '--attribute-name', 'ecs.os-type']],
    ['ListAccountSettings', 'settings', {}, []],
];
const dashed = (name) => name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();

for (const [operation, member, input, words] of lists) {
    test(`${operation}: one at a time gives each once, in the SDK and in the CLI`, async () => {
        const whole = (await send(operation, input))[member];
        assert.strictEqual(whole.length, 3);
        const pages = [];
        for await (const page of ecs[`paginate${operation}`]({ client, pageSize: 1 }, input)) pages.push(page);
        assert.deepStrictEqual(pages.map((page) => page[member].length).filter((length) => length > 0), [1, 1, 1]);
        assert.deepStrictEqual(pages.flatMap((page) => page[member]), whole);
        assert.strictEqual(pages.at(-1).nextToken, undefined, 'no token, not an empty one');
        const cli = (...more) => server.aws('ecs', dashed(operation), ...words, ...more);
        const known = ({ type, ...rest }) => rest;                                   // the type of a setting is younger than the CLI
        const wanted = operation === 'ListAccountSettings' ? whole.map(known) : whole;
        assert.deepStrictEqual((await cli('--page-size', '1'))[member], wanted);
    });
}

test('the CLI stops at the given page, and goes on from there', async () => {
    const first = await server.aws('ecs', 'list-clusters', '--page-size', '1', '--max-items', '2', '--query', '{arns: clusterArns, token: NextToken}');
    assert.strictEqual(first.arns.length, 2);
    const rest = await server.aws('ecs', 'list-clusters', '--starting-token', first.token);
    assert.deepStrictEqual([...first.arns, ...rest.clusterArns], (await send('ListClusters')).clusterArns);
});

// ---- waiters ----

const patience = { maxWaitTime: 300, minDelay: 1, maxDelay: 1 };
const run = async (family = 'long') => (await send('RunTask', { taskDefinition: family })).tasks[0].taskArn;
const stopped = async (task) => {
    await send('StopTask', { task });
    await waitFor('it to stop', async () => (await send('DescribeTasks', { tasks: [task] })).tasks[0].lastStatus === 'STOPPED');
    return task;
};

test('TasksRunning: all run; one that has stopped, or is not there, ends the wait at once', async () => {
    const tasks = [await run(), await run()];
    assert.strictEqual((await ecs.waitUntilTasksRunning({ client, ...patience }, { tasks })).state, 'SUCCESS');
    await server.aws('ecs', 'wait', 'tasks-running', '--tasks', ...tasks);
    const bad = { STOPPED: await stopped(await run()), MISSING: nobody };
    for (const [why, task] of Object.entries(bad)) {
        await assert.rejects(ecs.waitUntilTasksRunning({ client, ...patience }, { tasks: [tasks[0], task] }), (error) => {
            assert.strictEqual(JSON.parse(error.message).state, 'FAILURE', why);
            return true;
        });
        await assert.rejects(server.aws('ecs', 'wait', 'tasks-running', '--tasks', tasks[0], task), /Waiter TasksRunning failed: Waiter encountered a terminal failure state/);
    }
});

test('TasksStopped: all have stopped, and stay to be seen', async () => {
    const tasks = [await stopped(await run()), await stopped(await run())];
    assert.strictEqual((await ecs.waitUntilTasksStopped({ client, ...patience }, { tasks })).state, 'SUCCESS');
    await server.aws('ecs', 'wait', 'tasks-stopped', '--tasks', ...tasks);
    await assert.rejects(ecs.waitUntilTasksStopped({ client, maxWaitTime: 2, minDelay: 1, maxDelay: 1 }, { tasks: [tasks[0], await run()] }), { name: 'TimeoutError' });
});

test('ServicesStable: all tasks of one deployment run, also after a rollout', async () => {
    await send('CreateService', { serviceName: 'steady', taskDefinition: 'long', desiredCount: 2 });
    assert.strictEqual((await ecs.waitUntilServicesStable({ client, ...patience }, { services: ['steady'] })).state, 'SUCCESS');
    await send('UpdateService', { service: 'steady', forceNewDeployment: true });
    await server.aws('ecs', 'wait', 'services-stable', '--services', 'steady');
    const { services: [{ deployments, runningCount }] } = await send('DescribeServices', { services: ['steady'] });
    assert.deepStrictEqual([deployments.length, runningCount], [1, 2]);
    await send('DeleteService', { service: 'steady', force: true });
    assert.strictEqual((await ecs.waitUntilServicesInactive({ client, ...patience }, { services: ['steady'] })).state, 'SUCCESS');
});

test('ServicesInactive: a deleted service ends the wait, and so does a missing one', async () => {
    await send('CreateService', { serviceName: 'web', taskDefinition: 'short', desiredCount: 0 });
    await send('DeleteService', { service: 'web' });
    assert.strictEqual((await ecs.waitUntilServicesInactive({ client, ...patience }, { services: ['web'] })).state, 'SUCCESS');
    await server.aws('ecs', 'wait', 'services-inactive', '--services', 'web');
    for (const waiter of [ecs.waitUntilServicesStable, ecs.waitUntilServicesInactive]) {
        await assert.rejects(waiter({ client, ...patience }, { services: ['nowhere'] }), (error) => {
            assert.strictEqual(JSON.parse(error.message).state, 'FAILURE');
            return true;
        });
    }
    await assert.rejects(server.aws('ecs', 'wait', 'services-stable', '--services', 'web'), /Waiter ServicesStable failed: Waiter encountered a terminal failure state/);
});

// ---- trying again ----

const troubles = [
    ['a connection that is refused', 'refuse'],
    ['an answer that is lost', 'lose'],
    ['ThrottlingException', [400, 'ThrottlingException']],
    ['ServerException', [500, 'ServerException']],
    ['ServiceUnavailable', [503, 'ServiceUnavailable']],
];
const ofPlan = async (startedBy) => (await send('ListTasks', { startedBy })).taskArns;

for (const [what, step] of troubles) {
    test(`after ${what} the SDK asks again, and what it wanted is done once`, async () => {
        const far = server.sdk({ endpoint: proxy.url, maxAttempts: 3 });
        try {
            const startedBy = `sdk-${[step].flat().at(-1)}`;
            proxy.plan(step);
            const { tasks, $metadata } = await far.send(new ecs.RunTaskCommand({ taskDefinition: 'long', count: 2, startedBy, clientToken: startedBy }));
            assert.strictEqual($metadata.attempts, 2);
            assert.deepStrictEqual(await ofPlan(startedBy), tasks.map((task) => task.taskArn));
        } finally { far.destroy(); }
    });
}

test('the SDK names its own token when the caller does not, so that a lost answer starts nothing twice', async () => {
    const far = server.sdk({ endpoint: proxy.url, maxAttempts: 3 });
    proxy.plan('lose', 'lose');
    const { tasks } = await far.send(new ecs.RunTaskCommand({ taskDefinition: 'long', startedBy: 'untold' }));
    far.destroy();
    assert.deepStrictEqual(await ofPlan('untold'), [tasks[0].taskArn]);
});

test('what is wrong with the request is not tried again', async () => {
    const far = server.sdk({ endpoint: proxy.url, maxAttempts: 3 });
    proxy.plan();
    await assert.rejects(far.send(new ecs.DescribeTasksCommand({ cluster: 'nowhere', tasks: [nobody] })), (error) => {
        assert.ok(error instanceof ecs.ClusterNotFoundException);
        assert.strictEqual(error.$metadata.attempts, 1);
        return true;
    });
    far.destroy();
});

test('the CLI asks again too, and a cluster is made once', async () => {
    proxy.plan('lose', [500, 'ServerException']);
    const { url } = server;
    server.url = proxy.url;
    try {
        const { cluster } = await server.aws('ecs', 'create-cluster', '--cluster-name', 'far');
        assert.strictEqual(cluster.clusterArn, arn('cluster/far'));
    } finally { server.url = url; }
    assert.strictEqual(proxy.connections, 3);
});

test('the AWS CLI shows which service and operation is not served', async () => {
    for (const [words, says] of [[['ec2', 'describe-instances'], 'ec2:DescribeInstances'], [['cloudwatch', 'list-dashboards'], 'cloudwatch:ListDashboards'],
        [['s3', 'ls'], 's3 \\(GET /\\)'], [['s3api', 'list-objects', '--bucket', 'b'], 's3 \\(GET /b/?\\)'], [['lambda', 'list-functions'], 'lambda \\(GET /2015-03-31/functions/?\\)'],
        [['ecr', 'get-authorization-token'], 'ecr:GetAuthorizationToken'], [['sqs', 'list-queues'], 'sqs:ListQueues'], [['ssm', 'send-command', '--document-name', 'x'], 'ssm:SendCommand'],
        [['route53', 'list-hosted-zones'], 'route53 \\(GET /2013-04-01/hostedzone\\)']]) {
        await assert.rejects(server.aws(...words), new RegExp(`Berth does not serve ${says}\\.`));
    }
});
