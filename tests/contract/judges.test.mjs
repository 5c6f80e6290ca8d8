// Clients that judge a deployment by polling: each must see a good one succeed and a bad one fail, on a machine that runs plain processes. Real tools where
// they are here: the AWS CLI, the waiters of the JavaScript SDK, and fabfuel's ecs-deploy (ECS_DEPLOY names its program, else `ecs` in the PATH), which is
// skipped with a loud line where it is not. Other tools' calls and judgements are repeated with the SDK: the action amazon-ecs-deploy-task-definition,
// ecspresso and the hotswap of the CDK.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import * as ecs from '@aws-sdk/client-ecs';
import { Server, region, sleep, waitFor } from '../lib/lib.mjs';

const fabfuel = process.env.ECS_DEPLOY ?? 'ecs';
const version = spawnSync(fabfuel, ['--version'], { encoding: 'utf8' }).stdout ?? '';
const skip = /^ecs-deploy, version/.test(version) ? false : "fabfuel's ecs-deploy is not here";
if (skip) console.log(`!! SKIPPED: ${skip}, so deployments are not tested with it`);

let server, client;
const send = (name, input = {}) => client.send(new ecs[`${name}Command`](input));
const cluster = 'default', main = { name: 'main', image: 'i:1', memory: 16, command: ['sleep', '1000'], stopTimeout: 2 };
const service = async (name) => (await send('DescribeServices', { cluster, services: [name] })).services[0];
// The newest service deployment, as ecspresso finds it.
async function act(name) {
    const { serviceDeployments: briefs } = await send('ListServiceDeployments', { cluster, service: name });
    const [{ serviceDeploymentArn }] = briefs.sort((a, b) => b.createdAt - a.createdAt);
    return (await send('DescribeServiceDeployments', { serviceDeploymentArns: [serviceDeploymentArn] })).serviceDeployments[0];
}
const settled = (name) => waitFor(`${name} to settle`, async () => /^(SUCCESSFUL|STOPPED|ROLLBACK_(SUCCESSFUL|FAILED))$/.test((await act(name)).status));

// A service with two tasks that are healthy after a second.
async function create(serviceName, rollback) {
    await send('CreateService', { cluster, serviceName, taskDefinition: 'good', desiredCount: 2, tags: [{ key: 'berth:healthy-after', value: '1' }],
        deploymentConfiguration: { deploymentCircuitBreaker: { enable: true, rollback } } });
    await settled(serviceName);
    assert.strictEqual((await act(serviceName)).status, 'SUCCESSFUL');
}

before(async () => {
    server = await Server.start();
    client = server.sdk();
    await send('CreateCluster');
    const agent = await server.agent(['--runtime', 'process']);
    await waitFor('the machine', async () => (await server.connected(cluster)) === 1 || agent.status);
    for (const family of ['good', 'next']) await send('RegisterTaskDefinition', { family, containerDefinitions: [main] });
    await send('RegisterTaskDefinition', { family: 'bad', containerDefinitions: [{ ...main, command: ['false'] }] });
});
after(async () => { client.destroy(); await server.stop(); });

test('the AWS CLI waits until the new revision is healthy, and knows what is missing', async () => {
    await create('cli', true);
    await send('UpdateService', { cluster, service: 'cli', taskDefinition: 'next' });
    const stable = server.aws('ecs', 'wait', 'services-stable', '--services', 'cli').then(async () => assert.strictEqual((await act('cli')).status, 'SUCCESSFUL'));
    await assert.rejects(server.aws('ecs', 'wait', 'services-stable', '--services', 'nope'), /terminal failure state/);
    await stable;
    await send('DeleteService', { cluster, service: 'cli', force: true });
    await waitFor('cli to be INACTIVE', async () => (await service('cli')).status === 'INACTIVE');
    await server.aws('ecs', 'wait', 'services-inactive', '--services', 'cli');
    await assert.rejects(server.aws('ecs', 'wait', 'services-stable', '--services', 'cli'), /terminal failure state/);
    await assert.rejects(server.aws('ecs', 'wait', 'services-inactive', '--services', 'nope'), /terminal failure state/);
});

// The action's calls, in its order. Returns why it fails; undefined: it succeeds.
async function action(name, taskDefinition, forceNewDeployment) {
    const { services: [known], failures } = await send('DescribeServices', { cluster, services: [name] });
    if (failures.length > 0) return `${failures[0].arn} is ${failures[0].reason}`;
    if (known.status !== 'ACTIVE') return `Service is ${known.status}`;
    if (known.deploymentController && known.deploymentController.type !== 'ECS') return `Unsupported deployment controller: ${known.deploymentController.type}`;
    const update = { cluster, service: name, taskDefinition, forceNewDeployment, enableECSManagedTags: null, propagateTags: null, volumeConfigurations: [] };
    const { status, json } = await server.call('UpdateService', update);
    assert.strictEqual(status, 200, JSON.stringify(json));
    const { id } = json.service.deployments.find((one) => one.status === 'PRIMARY');
    await ecs.waitUntilServicesStable({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 1 }, { cluster, services: [name] });
    const mine = (await service(name)).deployments.find((one) => one.id === id);
    if (!mine) return `Deployment ${id} was rolled back`;
    return mine.rolloutState === 'FAILED' ? mine.rolloutStateReason : undefined;
}

test('the action amazon-ecs-deploy-task-definition', async () => {
    await create('action', true);
    const primary = async () => (await service('action')).deployments[0].id, first = await primary();
    assert.strictEqual(await action('action', 'good', false), undefined);
    assert.strictEqual(await primary(), first, 'nulls and an empty list are no change');
    assert.strictEqual(await action('action', 'next', false), undefined);
    const second = await primary();
    assert.notStrictEqual(second, first);
    assert.strictEqual((await act('action')).status, 'SUCCESSFUL', 'it did not end too early');
    assert.match(await action('action', 'bad', true), /was rolled back$/);
    assert.strictEqual(await primary(), second);
    assert.match((await service('action')).taskDefinition, /\/next:1$/);
    assert.match(await action('nope', 'good', false), /nope is MISSING$/);
    await send('CreateService', { cluster, serviceName: 'external', desiredCount: 0, deploymentController: { type: 'EXTERNAL' } });
    assert.match(await action('external', 'good', false), /: EXTERNAL$/);
});

// ecspresso: the newest service deployment says how it ended. It ends with an error at once when it sees STOP_REQUESTED.
async function ecspresso(name) {
    for (;;) {
        const { status } = await act(name);
        if (['SUCCESSFUL', 'ROLLBACK_SUCCESSFUL', 'STOPPED', 'ROLLBACK_FAILED', 'STOP_REQUESTED'].includes(status)) return status;
        await sleep(100);
    }
}

test('ecspresso', async () => {
    await create('ecspresso', true);
    for (const [taskDefinition, want] of [['next', 'SUCCESSFUL'], ['bad', 'ROLLBACK_SUCCESSFUL']]) {
        await send('UpdateService', { cluster, service: 'ecspresso', taskDefinition });
        assert.strictEqual(await ecspresso('ecspresso'), want);
    }
    await send('UpdateService', { cluster, service: 'ecspresso', taskDefinition: 'good' });
    await send('UpdateService', { cluster, service: 'ecspresso', forceNewDeployment: true });
    assert.strictEqual(await ecspresso('ecspresso'), 'SUCCESSFUL', 'a deployment that was superseded is not the newest one');
});

test('the hotswap of the CDK waits for the new tasks from the first look on', async () => {
    await create('hotswap', true);
    await send('UpdateService', { cluster, service: 'hotswap', taskDefinition: 'next', forceNewDeployment: true,
        deploymentConfiguration: { minimumHealthyPercent: 0 } });
    const waits = (one) => one.deployments.some(({ status, runningCount, desiredCount }) => status === 'PRIMARY' && runningCount < desiredCount);
    assert.ok(waits(await service('hotswap')), 'its PRIMARY wants two tasks and has none yet');
    await waitFor('the hotswap', async () => !waits(await service('hotswap')));
    const { taskArns } = await send('ListTasks', { cluster, serviceName: 'hotswap' }), { tasks } = await send('DescribeTasks', { cluster, tasks: taskArns });
    const running = tasks.filter((task) => task.lastStatus === 'RUNNING' && task.taskDefinitionArn.endsWith('/next:1'));
    assert.strictEqual(running.length, 2);
});

// `ecs deploy`: its exit status and what it prints.
async function deploy(name, ...args) {
    const child = spawn(fabfuel, ['deploy', cluster, name, '--timeout', '40', ...args],
        { env: { PATH: process.env.PATH, AWS_ENDPOINT_URL: server.url, ...server.environment(), AWS_DEFAULT_REGION: region, LC_ALL: 'C.UTF-8' } });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { out += data; });
    const code = await new Promise((resolve) => child.on('close', resolve));
    return { code, out };
}

test("fabfuel's ecs-deploy", { skip }, async () => {
    await create('fabfuel', false);
    const good = await deploy('fabfuel', '--image', 'main', 'i:2');
    assert.strictEqual(good.code, 0, good.out);
    assert.match(good.out, /Deployment successful/);
    const old = (await service('fabfuel')).taskDefinition;
    assert.match(old, /\/good:2$/);
    assert.strictEqual((await act('fabfuel')).status, 'SUCCESSFUL', 'it did not end too early');

    const bad = await deploy('fabfuel', '--command', 'main', 'false', '--no-deregister');
    assert.notStrictEqual(bad.code, 0, bad.out);
    assert.match(bad.out, /Deployment Failed! ECS deployment circuit breaker: /);
    const { deployments, runningCount } = await service('fabfuel');
    assert.deepStrictEqual([deployments[0].rolloutState, deployments[1].taskDefinition, runningCount], ['FAILED', old, 2], 'the old tasks go on');

    const again = await deploy('fabfuel', '--command', 'main', 'sleep 1000', '--no-deregister');
    assert.strictEqual(again.code, 0, again.out);
    assert.strictEqual((await service('fabfuel')).deployments.length, 1, 'the next update ends the failed one');
});
