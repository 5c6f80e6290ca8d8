// Managed daemons on the machines of a capacity provider, which the example examples/provisioners/processes starts: real agents run them. The pinned SDK and Debian's
// AWS CLI are older than these operations: requests are signed here, and replies are compared with the shapes in lib/model.mjs.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, account, endProcesses, isRecent, program, region, remove, root, waitFor } from '../lib/lib.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-daemons-')), data = path.join(folder, 'data'), file = path.join(folder, 'provisioners.json');
const arn = (resource) => `arn:aws:ecs:${region}:${account}:${resource}`;
const keys = { AWS_ACCESS_KEY_ID: 'AKIACONTRACTTESTROOT', AWS_SECRET_ACCESS_KEY: 'contract/test/secret/of/forty/characters' };
const daemonArn = arn('daemon/default/watch'), providers = [arn('capacity-provider/metal')];
let server;

// The same ports again, which the machines know.
const start = async () => { server = await Server.start({ data, port: server?.port, agentPort: server?.agentPort, args: ['--provisioners', file] }); };
async function send(operation, input = {}) {
    const { status, json, text } = await server.call(operation, input);
    assert.strictEqual(status, 200, text);
    return json;
}
async function refused(operation, input, type) {
    const { json } = await server.call(operation, input);
    assert.strictEqual(json.__type, type, JSON.stringify(json));
}
const container = (command) => [{ name: 'main', image: 'none', memory: 16, command }];
const tasks = async (filter) => {
    const { taskArns } = await send('ListTasks', filter);
    return taskArns.length === 0 ? [] : (await send('DescribeTasks', { tasks: taskArns })).tasks;
};
const watchers = () => tasks({ daemonName: 'watch' });
const running = (list) => list.filter(({ lastStatus }) => lastStatus === 'RUNNING');
const machines = async (status) => (await send('ListContainerInstances', { status })).containerInstanceArns;
const describe = async () => (await send('DescribeDaemon', { daemonArn })).daemon;
const newest = async () => (await send('DescribeDaemonDeployments', { daemonDeploymentArns: [(await describe()).deploymentArn] })).daemonDeployments[0];
const ends = (status) => waitFor(`the deployment to be ${status}`, async () => { const one = await newest(); return one.status === status && one; });
const update = (definition, more = {}) => send('UpdateDaemon', { daemonArn, daemonTaskDefinitionArn: arn(`daemon-task-definition/${definition}`), capacityProviderArns: providers, ...more });
async function runTask() {
    const { tasks: [task], failures } = await send('RunTask', { taskDefinition: 'job', capacityProviderStrategy: [{ capacityProvider: 'metal', weight: 1 }] });
    assert.deepStrictEqual(failures, []);
    const one = async () => (await send('DescribeTasks', { tasks: [task.taskArn] })).tasks[0];
    return waitFor('the task to run', async () => { const shown = await one(); return shown.lastStatus === 'RUNNING' && shown; });
}

before(async () => {
    const exec = path.join(root, 'examples/provisioners/processes');
    writeFileSync(file, JSON.stringify({ local: { exec, environment: { ...keys, BERTH: program, STATE: path.join(folder, 'machines') } } }));
    await start();
    await send('CreateCluster');
    await send('CreateCapacityProvider', { name: 'metal', cluster: 'default', managedInstancesProvider: { infrastructureRoleArn: 'r',
        instanceLaunchTemplate: { ec2InstanceProfileArn: 'i', networkConfiguration: { subnets: ['s'] } } } });
    await send('RegisterTaskDefinition', { family: 'job', containerDefinitions: container(['sleep', '3600']) });
    for (const family of ['one', 'two']) await send('RegisterDaemonTaskDefinition', { family, containerDefinitions: container(['sleep', '3601']) });
    await send('RegisterDaemonTaskDefinition', { family: 'broken', containerDefinitions: container(['/no/such/program']) });
});
after(async () => {
    await server?.stop();
    await endProcesses(folder);
    remove(folder);
});

test('a daemon without machines is deployed at once', async () => {
    const input = { daemonName: 'watch', daemonTaskDefinitionArn: arn('daemon-task-definition/one:1'), capacityProviderArns: providers, clientToken: 'once',
        tags: [{ key: 'berth:healthy-after', value: '1' }, { key: 'team', value: 'ops' }], propagateTags: 'DAEMON', enableECSManagedTags: true };
    const made = await send('CreateDaemon', input);
    assert.deepStrictEqual([made.daemonArn, made.status], [daemonArn, 'ACTIVE']);
    assert.match(made.deploymentArn, new RegExp(`^${arn('daemon-deployment/default/watch/')}[A-Za-z0-9_-]{21}$`));
    assert.deepStrictEqual(await send('CreateDaemon', input), made, 'the same call again');
    await refused('CreateDaemon', { ...input, clientToken: 'twice' }, 'InvalidParameterException');
    const { createdAt, startedAt, finishedAt, targetDaemonRevision, ...rest } = await ends('SUCCESSFUL');
    for (const time of [createdAt, startedAt, finishedAt]) assert.ok(isRecent(time * 1000));
    assert.deepStrictEqual(rest, { daemonDeploymentArn: made.deploymentArn, clusterArn: arn('cluster/default'), status: 'SUCCESSFUL', sourceDaemonRevisions: [],
        circuitBreaker: { failureCount: 0, status: 'MONITORING_COMPLETE', threshold: 3 }, alarms: { status: 'DISABLED', alarmNames: [] },
        deploymentConfiguration: { drainPercent: 25, alarms: { alarmNames: [], enable: false }, bakeTimeInMinutes: 0 } });
    assert.deepStrictEqual(targetDaemonRevision.totalRunningInstanceCount, 0);
    const { daemonRevisions: [revision] } = await send('DescribeDaemonRevisions', { daemonRevisionArns: [targetDaemonRevision.arn] });
    assert.deepStrictEqual([revision.daemonArn, revision.daemonTaskDefinitionArn, revision.propagateTags, revision.enableECSManagedTags, revision.enableExecuteCommand],
        [daemonArn, arn('daemon-task-definition/one:1'), 'DAEMON', true, false]);
    assert.deepStrictEqual((await send('ListDaemons')).daemonSummariesList.map((one) => one.daemonArn), [daemonArn]);
    assert.deepStrictEqual((await send('ListServices')).serviceArns, []);
    assert.deepStrictEqual(await machines('ACTIVE'), [], 'it orders no machine');
    await refused('DeleteCapacityProvider', { capacityProvider: 'metal' }, 'ClientException');
    await refused('UpdateDaemon', { daemonArn, daemonTaskDefinitionArn: 'nothing:1', capacityProviderArns: providers }, 'ClientException');
});

test('a machine that comes for a task runs the daemon first', async () => {
    const task = await runTask(), [watcher] = running(await watchers());
    assert.strictEqual(watcher.containerInstanceArn, task.containerInstanceArn);
    assert.deepStrictEqual([watcher.group, watcher.capacityProviderName, watcher.launchType, watcher.taskDefinitionArn],
        ['daemon:watch', 'metal', 'MANAGED_INSTANCES', arn('daemon-task-definition/one:1')]);
    assert.strictEqual(watcher.startedBy, (await describe()).deploymentArn.split('/').at(-1));
    assert.ok(watcher.tags === undefined || watcher.tags.length === 0);
    assert.ok(task.startedAt >= watcher.startedAt, `${task.startedAt} and ${watcher.startedAt}`);
    const { currentRevisions } = await describe();
    assert.deepStrictEqual(currentRevisions.map((one) => [one.totalRunningCount, one.capacityProviders]), [[1, [{ arn: providers[0], runningCount: 1 }]]]);
    const tagged = (await send('ListTagsForResource', { resourceArn: watcher.taskArn })).tags.map(({ key, value }) => `${key}=${value}`);
    assert.deepStrictEqual(tagged.sort(), ['aws:ecs:clusterName=default', 'team=ops']);
});

test('an update drains the machine with a task, and a machine that comes has the new daemon', async () => {
    const [job] = await tasks({ family: 'job' });
    await update('two:1');
    await waitFor('the machine to drain', async () => (await machines('DRAINING')).length === 1);
    const deployment = await newest();
    assert.deepStrictEqual([deployment.status, deployment.sourceDaemonRevisions[0].totalDrainingInstanceCount], ['IN_PROGRESS', 1]);
    assert.strictEqual((await tasks({ family: 'job' }))[0].lastStatus, 'RUNNING', 'its task runs on');
    await server.kill9();
    await start();
    await waitFor('the new daemon on another machine', async () => running(await watchers()).some((one) => one.taskDefinitionArn === arn('daemon-task-definition/two:1')));
    await send('StopTask', { task: job.taskArn });
    await ends('SUCCESSFUL');
    await waitFor('the drained machine to go', async () => (await machines('DRAINING')).length === 0);
    assert.deepStrictEqual((await watchers()).map((one) => one.taskDefinitionArn), [arn('daemon-task-definition/two:1')]);
    const { daemonDeployments } = await send('ListDaemonDeployments', { daemonArn, status: ['SUCCESSFUL'] });
    assert.strictEqual(daemonDeployments.length, 2);
    const page = await send('ListDaemonDeployments', { daemonArn, maxResults: 1 });
    assert.strictEqual(page.daemonDeployments[0].daemonDeploymentArn, deployment.daemonDeploymentArn);
    assert.strictEqual((await send('ListDaemonDeployments', { daemonArn, maxResults: 1, nextToken: page.nextToken })).daemonDeployments.length, 1);
});

test('a daemon that does not start is rolled back', async () => {
    const revision = (await describe()).currentRevisions[0].arn;
    await update('broken:1');
    const { circuitBreaker, rollback, statusReason } = await ends('ROLLBACK_SUCCESSFUL');
    assert.strictEqual(circuitBreaker.status, 'TRIGGERED');
    assert.match(statusReason, /^Daemon deployment rolled back because the circuit breaker threshold was exceeded\./);
    assert.deepStrictEqual([rollback.rollbackTargetDaemonRevisionArn, rollback.rollbackCapacityProviders], [revision, providers]);
    assert.deepStrictEqual(running(await watchers()).map((one) => one.taskDefinitionArn), [arn('daemon-task-definition/two:1')]);
});

test('a deleted daemon stops last on its machine, and is gone then', async () => {
    const job = await runTask();
    const deleted = await send('DeleteDaemon', { daemonArn });
    assert.deepStrictEqual([deleted.daemonArn, deleted.status], [daemonArn, 'DELETE_IN_PROGRESS']);
    await refused('DeleteDaemon', { daemonArn }, 'DaemonNotActiveException');
    await refused('UpdateDaemon', { daemonArn, daemonTaskDefinitionArn: 'two:1', capacityProviderArns: providers }, 'DaemonNotActiveException');
    await waitFor('its machine to drain', async () => (await machines('DRAINING')).length === 1);
    assert.strictEqual(running(await watchers()).length, 1);
    assert.strictEqual((await describe()).status, 'DELETE_IN_PROGRESS');
    const { deploymentArn } = await describe();
    await send('StopTask', { task: job.taskArn });
    await waitFor('the daemon to be gone', async () => (await server.call('DescribeDaemon', { daemonArn })).json.__type === 'DaemonNotFoundException');
    const { failures } = await send('DescribeDaemonDeployments', { daemonDeploymentArns: [deploymentArn] });
    assert.deepStrictEqual(failures, [{ arn: deploymentArn, reason: 'MISSING' }]);
    assert.deepStrictEqual((await send('ListDaemons')).daemonSummariesList, []);
    await runTask();                                             // machines need no daemon any more
});
