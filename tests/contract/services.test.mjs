// Services, service deployments and revisions: replies member by member, pages, and each declared error. Members and operations that the installed SDK
// lacks are asked for without it; all else is asked of the SDK too. Nothing here needs a machine: a service without one waits for room, or wants no tasks.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import * as ecs from '@aws-sdk/client-ecs';
import { Server, account, isRecent, region, waitFor } from '../lib/lib.mjs';

let server, client;
const sdk = (name, input = {}) => client.send(new ecs[`${name}Command`](input));
async function send(operation, input = {}) {
    const { status, json } = await server.call(operation, input);
    if (status !== 200) throw Object.assign(new Error(json.message), { name: json.__type, resourceIds: json.resourceIds });
    return json;
}
const arn = (resource) => `arn:aws:ecs:${region}:${account}:${resource}`;
const create = async (serviceName, more = {}) => (await send('CreateService', { serviceName, taskDefinition: 'web', desiredCount: 0, ...more })).service;
const update = async (service, more = {}) => (await send('UpdateService', { service, ...more })).service;
const describe = async (...services) => (await send('DescribeServices', { services, include: ['TAGS'] })).services;
const act = async (service) => (await send('DescribeServiceDeployments', { serviceDeploymentArns: [service.currentServiceDeployment] })).serviceDeployments[0];

async function refusal(promise) {
    try { await promise; } catch (error) { return `${error.name}: ${error.message}`; }
    return 'accepted';
}

before(async () => {
    server = await Server.start();
    client = server.sdk();
    for (const clusterName of ['default', 'other']) await send('CreateCluster', { clusterName });
    await send('CreateCluster', { clusterName: 'spaced', serviceConnectDefaults: { namespace: 'mesh' } });
    for (const family of ['web', 'web', 'old']) await send('RegisterTaskDefinition', { family, containerDefinitions: [{ name: 'main', image: 'busybox', memory: 16 }] });
    await send('DeregisterTaskDefinition', { taskDefinition: 'old:1' });
});
after(async () => { client.destroy(); await server.stop(); });

// ---- services ----

test('CreateService shows a service as ECS does, every member of it', async () => {
    const before = Date.now();
    const service = await create('whole', { desiredCount: 2, tags: [{ key: 'team', value: 'a' }], placementStrategy: [{ type: 'random' }], role: 'ecsRole',
        deploymentConfiguration: { deploymentCircuitBreaker: { enable: true, rollback: true } } });
    assert.ok(service.createdAt * 1000 >= before, 'it is not older than the call');
    assert.ok(isRecent(service.createdAt * 1000));
    const [, digits] = /^ecs-svc\/(\d{19})$/.exec(service.deployments[0].id);
    assert.match(service.currentServiceDeployment, /^arn:aws:ecs:us-east-1:123456789012:service-deployment\/default\/whole\/[A-Za-z0-9_-]{21}$/);
    const { createdAt, currentServiceDeployment, deployments: [{ createdAt: begun, updatedAt, ...deployment }], ...rest } = service;
    assert.strictEqual(begun, createdAt);
    assert.deepStrictEqual(deployment, { id: `ecs-svc/${digits}`, status: 'PRIMARY', taskDefinition: arn('task-definition/web:2'), desiredCount: 2, pendingCount: 0,
        runningCount: 0, failedTasks: 0, launchType: 'EC2', rolloutState: 'IN_PROGRESS', rolloutStateReason: `ECS deployment ecs-svc/${digits} in progress.` });
    assert.deepStrictEqual(rest, {
        serviceArn: arn('service/default/whole'), serviceName: 'whole', clusterArn: arn('cluster/default'), status: 'ACTIVE', desiredCount: 2, runningCount: 0,
        pendingCount: 0, launchType: 'EC2', taskDefinition: arn('task-definition/web:2'), loadBalancers: [], serviceRegistries: [], events: [],
        deploymentConfiguration: { strategy: 'ROLLING', bakeTimeInMinutes: 0, maximumPercent: 200, minimumHealthyPercent: 100,
            deploymentCircuitBreaker: { enable: true, rollback: true, resetOnHealthyTask: true, thresholdConfiguration: { type: 'BOUNDED_PERCENT', value: 50 } },
            alarms: { alarmNames: [], rollback: false, enable: false } },
        currentServiceRevisions: [{ arn: arn(`service-revision/default/whole/${digits}`), requestedTaskCount: 2, runningTaskCount: 0, pendingTaskCount: 0 }],
        placementConstraints: [], placementStrategy: [{ type: 'random' }], healthCheckGracePeriodSeconds: 0, schedulingStrategy: 'REPLICA',
        deploymentController: { type: 'ECS' }, createdBy: arn('user/root').replace('ecs:us-east-1', 'iam:'), enableECSManagedTags: false, propagateTags: 'NONE',
        enableExecuteCommand: false, availabilityZoneRebalancing: 'DISABLED', resourceManagementType: 'CUSTOMER', tags: [{ key: 'team', value: 'a' }],
        roleArn: `arn:aws:iam::${account}:role/ecsRole` });
    const [known] = await describe('whole');
    assert.deepStrictEqual(known.tags, service.tags);
    assert.deepStrictEqual((await send('DescribeServices', { services: ['whole'] })).services[0].tags, undefined);
});

test('the same CreateService again changes nothing; another one is refused', async () => {
    const input = { desiredCount: 1, clientToken: 'token' };
    const made = await create('again', input);
    assert.deepStrictEqual((await create('again', input)).createdAt, made.createdAt);
    assert.deepStrictEqual((await create('again', { desiredCount: 1 })).deployments[0].id, made.deployments[0].id);
    const other = 'InvalidParameterException: Creation of service was not idempotent.';
    assert.strictEqual(await refusal(create('again', { ...input, desiredCount: 2 })), other);
    assert.strictEqual(await refusal(create('again', { desiredCount: 2 })), other);
    await update('again', { desiredCount: 3 });
    assert.strictEqual((await create('again', input)).desiredCount, 3, 'a reply that was lost can be asked for after any change');
});

test('UpdateService: a changed workload is a new deployment, a changed count is not', async () => {
    const made = await create('changed', { desiredCount: 1, taskDefinition: 'web:1' });
    const counted = await update('changed', { desiredCount: 2, taskDefinition: 'web:1' });
    assert.deepStrictEqual(counted.deployments.map(({ id, desiredCount }) => [id, desiredCount]), [[made.deployments[0].id, 2]]);
    const moved = await update('changed', { taskDefinition: 'web' });
    assert.strictEqual(moved.taskDefinition, arn('task-definition/web:2'));
    assert.deepStrictEqual(moved.deployments.map(({ status, taskDefinition }) => [status, taskDefinition])[0], ['PRIMARY', arn('task-definition/web:2')]);
    assert.strictEqual(moved.deployments[0].desiredCount, 2, 'at once');
    const forced = await update('changed', { forceNewDeployment: true });
    assert.notStrictEqual(forced.deployments[0].id, moved.deployments[0].id);
    const acts = (await send('ListServiceDeployments', { service: 'changed' })).serviceDeployments;
    assert.deepStrictEqual(acts.slice(1).map(({ status }) => status), ['STOPPED', 'STOPPED'], 'the newest wins');
    assert.strictEqual(acts[0].serviceDeploymentArn, forced.currentServiceDeployment);
});

test('DeleteService: DRAINING, INACTIVE, and a free name', async () => {
    await create('short', { desiredCount: 1 });
    assert.strictEqual(await refusal(send('DeleteService', { service: 'short' })), 'InvalidParameterException: The service cannot be stopped while it is scaled above 0.');
    const { service } = await send('DeleteService', { service: 'short', force: true });
    assert.strictEqual(service.desiredCount, 0);
    await waitFor('it to be INACTIVE', async () => (await describe('short'))[0].status === 'INACTIVE');
    assert.strictEqual((await send('DeleteService', { service: 'short' })).service.status, 'INACTIVE', 'again');
    assert.strictEqual(await refusal(update('short', { desiredCount: 1 })), 'ServiceNotActiveException: Service was not ACTIVE.');
    assert.ok(!(await send('ListServices', { maxResults: 100 })).serviceArns.includes(service.serviceArn));
    assert.strictEqual((await create('short')).status, 'ACTIVE');
});

test('the SDK makes, changes, describes and deletes a service', async () => {
    const before = new Date(), input = { cluster: 'default', service: 'typed' };
    const { service } = await sdk('CreateService', { cluster: 'default', serviceName: 'typed', taskDefinition: 'web', desiredCount: 0 });
    assert.ok(service.createdAt >= before && service.deployments[0].createdAt >= before);
    assert.strictEqual((await sdk('UpdateService', { ...input, healthCheckGracePeriodSeconds: 7 })).service.healthCheckGracePeriodSeconds, 7);
    assert.strictEqual((await sdk('DescribeServices', { services: ['typed'] })).services[0].healthCheckGracePeriodSeconds, 7);
    assert.strictEqual((await sdk('DeleteService', input)).service.status, 'INACTIVE');
    await assert.rejects(sdk('UpdateService', input), (error) => error instanceof ecs.ServiceNotActiveException);
});

test('a service of task sets has no deployments', async () => {
    const service = await create('sets', { taskDefinition: undefined, deploymentController: { type: 'EXTERNAL' }, desiredCount: 1 });
    assert.deepStrictEqual([service.taskSets, service.deployments, service.taskDefinition, service.launchType], [[], [], undefined, 'EC2']);
    assert.strictEqual(service.currentServiceDeployment, undefined);
});

test('DescribeServices names what is missing by its ARN', async () => {
    await create('here');
    const { services, failures } = await send('DescribeServices', { services: ['here', 'nowhere', arn('service/other/here')] });
    assert.deepStrictEqual(services.map(({ serviceName }) => serviceName), ['here']);
    assert.deepStrictEqual(failures.map(({ arn, reason }) => [arn, reason]), [[arn('service/default/nowhere'), 'MISSING'], [arn('service/other/here'), 'MISSING']]);
});

test('ListServices: pages of ten by name, and filters', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `s${10 + n}`);
    for (const name of names) await create(name, { cluster: 'other' });
    await create('daemon', { cluster: 'other', desiredCount: undefined, schedulingStrategy: 'DAEMON' });
    const all = [...names.map((name) => arn(`service/other/${name}`))];
    const first = await send('ListServices', { cluster: 'other' });
    assert.deepStrictEqual(first.serviceArns, [arn('service/other/daemon'), ...all.slice(0, 9)]);
    const second = await send('ListServices', { cluster: 'other', nextToken: first.nextToken });
    assert.deepStrictEqual([second.serviceArns, second.nextToken], [all.slice(9), undefined]);
    const pages = [];
    for await (const page of ecs.paginateListServices({ client, pageSize: 5 }, { cluster: 'other', schedulingStrategy: 'REPLICA' })) pages.push(page.serviceArns);
    assert.deepStrictEqual(pages.flat(), all);
    assert.deepStrictEqual((await send('ListServices', { cluster: 'other', launchType: 'EXTERNAL' })).serviceArns, []);
    assert.deepStrictEqual((await send('ListServices', { cluster: 'other', schedulingStrategy: 'DAEMON' })).serviceArns, [arn('service/other/daemon')]);
    assert.deepStrictEqual((await send('ListServicesByNamespace', { namespace: 'mesh' })).serviceArns, []);
});

// ---- service deployments and revisions ----

test('a service deployment and its revision, member by member', async () => {
    const service = await create('act');
    const [, digits] = service.deployments[0].id.split('/');
    const { createdAt, startedAt, finishedAt, updatedAt, status, ...rest } = await act(service);
    assert.ok(['PENDING', 'IN_PROGRESS', 'SUCCESSFUL'].includes(status));
    assert.strictEqual(createdAt, service.createdAt);
    assert.deepStrictEqual(rest, {
        serviceDeploymentArn: service.currentServiceDeployment, serviceArn: service.serviceArn, clusterArn: service.clusterArn, sourceServiceRevisions: [],
        targetServiceRevision: { arn: arn(`service-revision/default/act/${digits}`), requestedTaskCount: 0, runningTaskCount: 0, pendingTaskCount: 0,
            requestedTestTrafficWeight: 0, requestedProductionTrafficWeight: 0 },
        deploymentConfiguration: service.deploymentConfiguration, deploymentCircuitBreaker: { status: 'DISABLED', failureCount: 0, threshold: 3 },
        alarms: { status: 'DISABLED' } });
    const { serviceRevisions: [revision], failures } = await send('DescribeServiceRevisions', { serviceRevisionArns: [rest.targetServiceRevision.arn] });
    assert.deepStrictEqual(failures, []);
    assert.deepStrictEqual(revision, {
        serviceRevisionArn: rest.targetServiceRevision.arn, serviceArn: service.serviceArn, clusterArn: service.clusterArn, taskDefinition: arn('task-definition/web:2'),
        launchType: 'EC2', loadBalancers: [], serviceRegistries: [], containerImages: [{ containerName: 'main', image: 'busybox' }], guardDutyEnabled: false,
        serviceConnectConfiguration: { enabled: false }, createdAt });
    const gone = [arn(`service-deployment/default/act/${'A'.repeat(21)}`), arn(`service-revision/default/act/${'1'.repeat(19)}`)];
    assert.deepStrictEqual((await send('DescribeServiceDeployments', { serviceDeploymentArns: [gone[0]] })).failures.map(({ arn, reason }) => [arn, reason]), [[gone[0], 'MISSING']]);
    assert.deepStrictEqual((await send('DescribeServiceRevisions', { serviceRevisionArns: [gone[1]] })).failures.map(({ arn, reason }) => [arn, reason]), [[gone[1], 'MISSING']]);
});

test('a client that took the time before its call finds the service deployment of the call', async () => {
    const { createdAt } = await create('timed');
    await waitFor('the next millisecond', () => Date.now() > createdAt * 1000);
    const after = new Date();
    const service = await update('timed', { forceNewDeployment: true });
    const { serviceDeployments } = await sdk('ListServiceDeployments', { service: 'timed', createdAt: { after } });
    assert.deepStrictEqual(serviceDeployments.map(({ serviceDeploymentArn }) => serviceDeploymentArn), [service.currentServiceDeployment]);
    assert.ok(serviceDeployments[0].targetServiceRevisionArn.endsWith(service.deployments[0].id.split('/')[1]));
    const first = await send('ListServiceDeployments', { service: 'timed', maxResults: 1 });
    const second = await send('ListServiceDeployments', { service: 'timed', maxResults: 1, nextToken: first.nextToken });
    assert.strictEqual(second.nextToken, undefined);
    assert.notStrictEqual(first.serviceDeployments[0].serviceDeploymentArn, second.serviceDeployments[0].serviceDeploymentArn);
});

test('StopServiceDeployment rolls back; an ended one is a conflict', async () => {
    const made = await create('stopped', { desiredCount: 1 });
    const service = await update('stopped', { forceNewDeployment: true });
    const serviceDeploymentArn = service.currentServiceDeployment;
    assert.strictEqual((await send('StopServiceDeployment', { serviceDeploymentArn })).serviceDeploymentArn, serviceDeploymentArn);
    assert.match((await act(service)).status, /^ROLLBACK_/);
    await assert.rejects(send('StopServiceDeployment', { serviceDeploymentArn: made.currentServiceDeployment }), (error) => {
        assert.strictEqual(error.name, 'ConflictException');
        assert.strictEqual(error.message, "The service deployment is in a terminal state and can't be stopped.");
        assert.deepStrictEqual(error.resourceIds, [made.currentServiceDeployment]);
        return true;
    });
    const hookId = `ecs-pause-${'x'.repeat(43)}`;
    const resume = (input) => refusal(send('ContinueServiceDeployment', { serviceDeploymentArn: made.currentServiceDeployment, hookId, ...input }));
    assert.strictEqual(await resume({ hookId: 'pause' }), 'InvalidParameterException: Invalid hookId: hookId must follow the format: ecs-{hookType}-{id}');
    assert.strictEqual(await resume(), 'InvalidParameterException: Continuing a service deployment is not allowed for service deployment in terminal states.');
});

test('a deployment waits at a pause until ContinueServiceDeployment', async () => {
    const lifecycleHooks = [{ targetType: 'PAUSE', lifecycleStages: ['PRE_SCALE_UP'] }];
    const service = await create('paused', { deploymentConfiguration: { strategy: 'BLUE_GREEN', bakeTimeInMinutes: 0, lifecycleHooks } });
    const paused = await waitFor('the pause', async () => { const found = await act(service); return found.lifecycleHookDetails?.length > 0 && found; });
    const [hook] = paused.lifecycleHookDetails, serviceDeploymentArn = service.currentServiceDeployment;
    assert.deepStrictEqual([paused.status, paused.lifecycleStage, hook.targetType, hook.status, hook.timeoutAction],
        ['IN_PROGRESS', 'PRE_SCALE_UP', 'PAUSE', 'AWAITING_ACTION', 'ROLLBACK']);
    assert.ok(hook.expiresAt > paused.startedAt);
    assert.strictEqual((await send('ContinueServiceDeployment', { serviceDeploymentArn, hookId: hook.hookId })).serviceDeploymentArn, serviceDeploymentArn);
    const done = await waitFor('the end', async () => { const found = await act(service); return found.status === 'SUCCESSFUL' && found; });
    assert.strictEqual(done.targetServiceRevision.requestedProductionTrafficWeight, 100);
});

// ---- refusals ----

const noCluster = 'ClusterNotFoundException: Cluster not found.', noService = 'ServiceNotFoundException: Service not found.';
const badToken = 'InvalidParameterException: Invalid token: nextToken must be the one that the page before gave.';
const noAct = 'ServiceDeploymentNotFoundException: The service deployment does not exist.', gone = arn(`service-deployment/default/nowhere/${'A'.repeat(21)}`);
const web = { serviceName: 'refused', taskDefinition: 'web', desiredCount: 1 };

for (const [operation, input, says] of [
    ['CreateService', { ...web, cluster: 'nowhere' }, noCluster],
    ['CreateService', { ...web, desiredCount: -1 }, 'InvalidParameterException: desiredCount cannot be a negative number.'],
    ['CreateService', { ...web, desiredCount: undefined }, 'InvalidParameterException: DesiredCount can not be blank.'],
    ['CreateService', { ...web, taskDefinition: 'nothing' }, 'ClientException: TaskDefinition not found.'],
    ['CreateService', { ...web, taskDefinition: 'old:1' }, 'ClientException: TaskDefinition is inactive'],
    ['CreateService', { ...web, deploymentController: { type: 'CODE_DEPLOY' } }, 'UnsupportedFeatureException: The CODE_DEPLOY deployment controller is not available. '
        + 'Use the ECS deployment controller with the deployment strategy BLUE_GREEN.'],
    ['UpdateService', { service: 'kept', cluster: 'nowhere' }, noCluster],
    ['UpdateService', { service: 'nowhere' }, noService],
    ['UpdateService', { service: 'kept', taskDefinition: 'nothing' }, 'ClientException: TaskDefinition not found.'],
    ['UpdateService', { service: 'kept', desiredCount: -1 }, 'InvalidParameterException: desiredCount cannot be a negative number.'],
    ['UpdateService', { service: 'kept', deploymentController: { type: 'EXTERNAL' } }, 'UnsupportedFeatureException: The deployment controller of a service can\'t be changed. '
        + 'Create another service with it.'],
    ['DeleteService', { service: 'kept', cluster: 'nowhere' }, noCluster],
    ['DeleteService', { service: 'nowhere' }, noService],
    ['DescribeServices', { services: ['kept'], cluster: 'nowhere' }, noCluster],
    ['DescribeServices', { services: ['a.b'] }, 'InvalidParameterException: Service Identifier is invalid'],
    ['ListServices', { cluster: 'nowhere' }, noCluster],
    ['ListServices', { nextToken: 'x' }, badToken],
    ['ListServicesByNamespace', { namespace: 'unknown' }, 'NamespaceNotFoundException: Namespace not found.'],
    ['ListServicesByNamespace', { namespace: 'mesh', nextToken: 'x' }, badToken],
    ['ListServiceDeployments', { service: 'kept', cluster: 'nowhere' }, noCluster],
    ['ListServiceDeployments', { service: 'nowhere' }, noService],
    ['ListServiceDeployments', { service: 'kept', nextToken: 'x' }, badToken],
    ['DescribeServiceDeployments', { serviceDeploymentArns: ['kept'] }, 'InvalidParameterException: Service Deployment Identifier is invalid'],
    ['DescribeServiceRevisions', { serviceRevisionArns: ['kept'] }, 'InvalidParameterException: Service Revision Identifier is invalid'],
    ['StopServiceDeployment', { serviceDeploymentArn: gone }, noAct],
    ['StopServiceDeployment', { serviceDeploymentArn: 'kept' }, 'InvalidParameterException: Service Deployment Identifier is invalid'],
    ['ContinueServiceDeployment', { serviceDeploymentArn: gone, hookId: 'ecs-pause-x' }, noAct],
]) {
    test(`${operation} ${JSON.stringify(input).slice(0, 100)}: ${says.slice(0, 60)}`, async () => {
        if (input.service === 'kept') await create('kept');
        assert.strictEqual(await refusal(send(operation, input)), says);
    });
}
