// A group and the example examples/provisioners/processes: no machine, then one with a task, then none; a URL that asks for time; and simulated machines.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import http from 'node:http';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { Server, endProcesses, program, remove, root, waitFor } from '../lib/lib.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-provisioners-')), data = path.join(folder, 'data'), file = path.join(folder, 'provisioners.json');
let server;

const keys = { AWS_ACCESS_KEY_ID: 'AKIACONTRACTTESTROOT', AWS_SECRET_ACCESS_KEY: 'contract/test/secret/of/forty/characters' };
const start = async (...more) => { server = await Server.start({ data, args: ['--provisioners', file, ...more] }); };
const ok = (reply) => { assert.strictEqual(reply.status, 200, reply.text); return reply.json; };
const machines = async () => {
    const { containerInstanceArns } = ok(await server.call('ListContainerInstances'));
    if (containerInstanceArns.length === 0) return [];
    return ok(await server.call('DescribeContainerInstances', { containerInstances: containerInstanceArns })).containerInstances
        .filter(({ status, agentConnected }) => status === 'ACTIVE' && agentConnected);
};
const attribute = ({ attributes }, name) => attributes.find((one) => one.name === name)?.value;
const want = (desired) => server.aws('autoscaling', 'set-desired-capacity', '--auto-scaling-group-name', 'gpu', '--desired-capacity', String(desired));
// Other provisioners: the server reads them when it starts.
async function provision(settings) {
    await server.process.signal('SIGTERM');
    writeFileSync(file, JSON.stringify(settings));
    await start();
}

before(async () => {
    const exec = path.join(root, 'examples/provisioners/processes');
    writeFileSync(file, JSON.stringify({ local: { exec, environment: { ...keys, BERTH: program, STATE: path.join(folder, 'machines') } } }));
    await start();
    ok(await server.call('CreateCluster'));
    await server.makeGroup('gpu');
});
after(async () => {
    await server?.stop();
    await endProcesses(folder);
    remove(folder);
});

test('an empty group gets a machine, which registers and runs a task, and goes', async () => {
    await want(1);
    const [machine] = await waitFor('the machine to register', async () => { const all = await machines(); return all.length === 1 && all; });
    assert.match(attribute(machine, 'berth.machine-id'), /^m-[0-9a-f]{32}$/);
    assert.strictEqual(attribute(machine, 'berth.name'), attribute(machine, 'berth.machine-id'));
    ok(await server.call('RegisterTaskDefinition', { family: 'one', containerDefinitions: [{ name: 'main', image: 'none', memory: 16, command: ['true'] }] }));
    const { tasks } = ok(await server.call('RunTask', { taskDefinition: 'one' }));
    await waitFor('the task to end', async () => ok(await server.call('DescribeTasks', { tasks: [tasks[0].taskArn] })).tasks[0].lastStatus === 'STOPPED');

    await server.kill9();                                        // the machine stays the same one
    await start();
    const [again] = await waitFor('the machine to come back', async () => { const all = await machines(); return all.length === 1 && all; });
    assert.strictEqual(again.containerInstanceArn, machine.containerInstanceArn);

    await want(0);
    await waitFor('the machine to go', async () => (await machines()).length === 0 && spawnSync('pgrep', ['-f', path.join(folder, 'machines')]).status === 1);
});

test('a URL: the same id after it has asked for time', async () => {
    const asked = [];
    const provisioner = http.createServer(async (request, response) => {
        let text = '';
        for await (const piece of request) text += piece;
        const body = JSON.parse(text), verb = request.url.slice('/v1/'.length);
        asked.push({ verb, body, key: request.headers['idempotency-key'] });
        const busy = verb === 'up' && asked.filter((one) => one.verb === 'up').length === 1;
        response.statusCode = busy ? 503 : 200;
        const state = { up: 'running', down: 'gone' }[verb];
        response.end(JSON.stringify({ machines: (body.machines ?? []).map(({ id }) => ({ id, state, handle: 'host 7' })), complete: true }));
    });
    await new Promise((resolve) => provisioner.listen(0, '127.0.0.1', resolve));
    await provision({ cloud: { http: `http://127.0.0.1:${provisioner.address().port}/v1/` } });
    await want(1);
    const ups = await waitFor('the second attempt', () => { const found = asked.filter(({ verb }) => verb === 'up'); return found.length === 2 && found; });
    assert.strictEqual(asked[0].verb, 'list');
    assert.strictEqual(ups[1].body.machines[0].id, ups[0].body.machines[0].id);
    assert.match(ups[1].body.machines[0].join.token, /^[0-9a-f]{32}$/);
    assert.deepStrictEqual(ups[1].body.machines[0].join, { ...ups[0].body.machines[0].join, cluster: 'default',
        attributes: { 'berth.machine-id': ups[1].body.machines[0].id } });
    for (const { body, key } of asked) assert.ok(body.protocol === 'berth-provisioner/1' && body.pool === 'gpu' && body.request === key, key);
    const resources = [['CPU', 4096], ['MEMORY', 8192]].map(([name, integerValue]) => ({ name, type: 'INTEGER', integerValue }));
    const word = [{ name: 'berth.machine-id', value: ups[1].body.machines[0].id }];
    const { containerInstance } = ok(await server.call('RegisterContainerInstance', { totalResources: resources, attributes: word }));
    await want(0);
    await waitFor('its end', () => asked.find(({ verb, body }) => verb === 'down' && body.machines[0].handle === 'host 7'));
    const gone = async () => ok(await server.call('DescribeContainerInstances', { containerInstances: [containerInstance.containerInstanceArn] })).containerInstances[0].status;
    await waitFor('its container instance to go', async () => (await gone()) === 'INACTIVE');
    provisioner.close();
});

test('simulated machines', async () => {
    await provision({ simulated: { fake: 'p3.2xlarge', environment: keys } });
    await want(2);
    const all = await waitFor('two machines to register', async () => { const found = await machines(); return found.length === 2 && found; });
    assert.deepStrictEqual(all.map((one) => attribute(one, 'ecs.instance-type')), ['p3.2xlarge', 'p3.2xlarge']);
});

test('a capacity provider: tasks that wait get machines, with the AWS CLI from the first call to the last', async () => {
    const aws = (...args) => server.aws(...args);
    await want(0);
    await aws('ec2', 'create-launch-template', '--launch-template-name', 'gpu', '--launch-template-data', '{"InstanceType":"p3.2xlarge"}');
    await aws('autoscaling', 'create-auto-scaling-group', '--auto-scaling-group-name', 'workers', '--min-size', '0', '--max-size', '3',
              '--desired-capacity', '0', '--launch-template', 'LaunchTemplateName=gpu,Version=$Latest', '--availability-zones', 'us-east-1a');
    const group = async () => (await aws('autoscaling', 'describe-auto-scaling-groups', '--auto-scaling-group-names', 'workers')).AutoScalingGroups[0];
    await aws('ecs', 'create-capacity-provider', '--name', 'workers', '--auto-scaling-group-provider', JSON.stringify({
        autoScalingGroupArn: (await group()).AutoScalingGroupARN, managedScaling: { status: 'ENABLED', targetCapacity: 100 } }));
    await aws('ecs', 'put-cluster-capacity-providers', '--cluster', 'default', '--capacity-providers', 'workers',
              '--default-capacity-provider-strategy', 'capacityProvider=workers,weight=1');
    ok(await server.call('RegisterTaskDefinition', { family: 'train', containerDefinitions: [{ name: 'main', image: 'none', memory: 16,
        resourceRequirements: [{ type: 'GPU', value: '1' }] }] }));
    const { tasks, failures } = await aws('ecs', 'run-task', '--task-definition', 'train', '--count', '2');
    assert.deepStrictEqual(failures, []);
    assert.deepStrictEqual(tasks.map((task) => [task.lastStatus, task.capacityProviderName]), [['PROVISIONING', 'workers'], ['PROVISIONING', 'workers']]);
    const shown = async () => (await aws('ecs', 'describe-tasks', '--tasks', ...tasks.map((task) => task.taskArn))).tasks;
    const placed = await waitFor('the tasks to get machines', async () => { const all = await shown(); return all.every((task) => task.containerInstanceArn) && all; });
    assert.strictEqual(new Set(placed.map((task) => task.containerInstanceArn)).size, 2);
    const { containerInstances } = await aws('ecs', 'describe-container-instances', '--container-instances', ...placed.map((task) => task.containerInstanceArn));
    for (const one of containerInstances) assert.deepStrictEqual([one.capacityProviderName, attribute(one, 'ecs.instance-type')], ['workers', 'p3.2xlarge']);
    const why = (await server.raw({ method: 'GET', pathname: '/berth/v1/why?provider=workers', body: '' })).json;
    assert.deepStrictEqual([why.needed, why.size, why.target, why.evidence], [2, 2, 100, [{ use: 'busy', type: 'p3.2xlarge', machines: 2, running: 2, waiting: 0, tasks: [] }]]);
    const said = spawnSync(program, ['why', 'workers', '--server', server.url], { encoding: 'utf8', env: { ...process.env, ...keys } });
    assert.match(said.stdout, /^2 machines are needed, and there are 2\. With a target of 100 percent 2 are wanted: nothing changes\.$/m, said.stderr);
    const told = (await server.raw({ method: 'GET', pathname: '/metrics', body: '' })).text;
    for (const line of ['reservation{provider="workers"} 100', 'needed{provider="workers"} 2', 'machines{provider="workers"} 2']) assert.ok(told.includes(`berth_capacity_provider_${line}\n`), line);
    for (const [action, status] of [['SUSPEND', 200], ['RESUME', 200], ['APPROVE', 400]]) {
        assert.strictEqual((await server.raw({ pathname: '/berth/v1/capacity', body: JSON.stringify({ provider: 'workers', action }) })).status, status, action);
    }
    const stopped = spawnSync(program, ['capacity', 'suspend', 'nobody', '--server', server.url], { encoding: 'utf8', env: { ...process.env, ...keys } });
    assert.match(stopped.stderr, /There is no such capacity provider/);
    const now = await group();
    assert.deepStrictEqual([now.DesiredCapacity, now.Instances.length], [2, 2]);
    for (const task of tasks) await aws('ecs', 'stop-task', '--task', task.taskArn);
    await aws('autoscaling', 'delete-auto-scaling-group', '--auto-scaling-group-name', 'workers', '--force-delete');
    await waitFor('the machines to go', async () => (await machines()).length === 0);
});

test('a service on an empty cluster: its machines come, it runs, and at 0 they go', async () => {
    const aws = (...args) => server.aws(...args);
    await aws('ec2', 'create-launch-template', '--launch-template-name', 'serve', '--launch-template-data', '{"InstanceType":"p3.2xlarge"}');
    await aws('autoscaling', 'create-auto-scaling-group', '--auto-scaling-group-name', 'serve', '--min-size', '0', '--max-size', '3',
              '--desired-capacity', '0', '--launch-template', 'LaunchTemplateName=serve,Version=$Latest', '--availability-zones', 'us-east-1a');
    const group = async () => (await aws('autoscaling', 'describe-auto-scaling-groups', '--auto-scaling-group-names', 'serve')).AutoScalingGroups[0];
    await aws('ecs', 'create-capacity-provider', '--name', 'serve', '--auto-scaling-group-provider', JSON.stringify({
        autoScalingGroupArn: (await group()).AutoScalingGroupARN, managedScaling: { status: 'ENABLED', targetCapacity: 100 } }));
    const { cluster } = await aws('ecs', 'put-cluster-capacity-providers', '--cluster', 'default', '--capacity-providers', 'workers', 'serve',
                                  '--default-capacity-provider-strategy', 'capacityProvider=workers,weight=1');
    assert.strictEqual(cluster.attachmentsStatus, 'UPDATE_COMPLETE');
    assert.deepStrictEqual(cluster.attachments.filter(({ details }) => details[0].value === 'serve').map(({ type, status }) => [type, status]),
                           [['as_policy', 'CREATED'], ['managed_draining', 'CREATED']]);
    const { service } = await aws('ecs', 'create-service', '--service-name', 'serve', '--task-definition', 'train', '--desired-count', '2',
                                  '--capacity-provider-strategy', 'capacityProvider=serve,weight=1', '--tags', 'key=berth:healthy-after,value=0');
    assert.deepStrictEqual(service.capacityProviderStrategy, [{ capacityProvider: 'serve', weight: 1, base: 0 }]);
    assert.strictEqual(service.launchType, undefined);
    const shown = async () => (await aws('ecs', 'describe-services', '--services', 'serve')).services[0];
    const running = await waitFor('the service to run', async () => { const one = await shown(); return one.runningCount === 2 && one.deployments[0].rolloutState === 'COMPLETED' && one; });
    const words = running.events.map(({ message }) => message);
    assert.ok(words.some((text) => text.endsWith('waits for a machine: the capacity provider serve will order machines.')), words.join('\n'));
    assert.ok(!words.some((text) => /unable/.test(text)), words.join('\n'));
    const { taskArns } = await aws('ecs', 'list-tasks', '--service-name', 'serve');
    const { tasks } = await aws('ecs', 'describe-tasks', '--tasks', ...taskArns);
    assert.deepStrictEqual(tasks.map(({ capacityProviderName, lastStatus }) => [capacityProviderName, lastStatus]), [['serve', 'RUNNING'], ['serve', 'RUNNING']]);
    assert.strictEqual(new Set(tasks.map((task) => task.containerInstanceArn)).size, 2);
    assert.strictEqual((await group()).Instances.length, 2);
    await assert.rejects(aws('ecs', 'delete-capacity-provider', '--capacity-provider', 'serve'), /in use by/);
    await assert.rejects(aws('ecs', 'put-cluster-capacity-providers', '--cluster', 'default', '--capacity-providers', 'workers',
                             '--default-capacity-provider-strategy', 'capacityProvider=workers,weight=1'), /ResourceInUseException/);

    await aws('ecs', 'update-service', '--service', 'serve', '--desired-count', '4');       // one more than machines: it waits
    const pending = await waitFor('one to wait at the largest size', async () => {
        const one = await shown();
        return one.runningCount === 3 && one.pendingCount === 1 && (await aws('ecs', 'list-tasks', '--service-name', 'serve')).taskArns;
    });
    const all = (await aws('ecs', 'describe-tasks', '--tasks', ...pending)).tasks;
    assert.deepStrictEqual(all.filter((task) => task.containerInstanceArn === undefined).map(({ lastStatus, desiredStatus }) => [lastStatus, desiredStatus]),
                           [['PROVISIONING', 'RUNNING']]);
    await aws('ecs', 'update-service', '--service', 'serve', '--desired-count', '0');
    await waitFor('the tasks to stop', async () => { const one = await shown(); return one.runningCount + one.pendingCount === 0; });
    await aws('ecs', 'update-capacity-provider', '--name', 'serve', '--auto-scaling-group-provider', 'managedScaling={targetCapacity=90}');
    await waitFor('the change', async () => (await aws('ecs', 'describe-capacity-providers', '--capacity-providers', 'serve')).capacityProviders[0].updateStatus === 'UPDATE_COMPLETE');
    await aws('ecs', 'delete-service', '--service', 'serve');
    await aws('autoscaling', 'delete-auto-scaling-group', '--auto-scaling-group-name', 'serve', '--force-delete');
    await waitFor('the machines to go', async () => (await machines()).length === 0);
});

test('a machine that will be taken away gets another one, and each proves itself with its token', async () => {
    const exec = path.join(root, 'examples/provisioners/processes'), state = path.join(folder, 'proven');
    const key = JSON.parse(spawnSync(program, ['keys', 'create', '--data', data, '--role', 'agent', '--output', 'json'], { encoding: 'utf8' }).stdout).AccessKey;
    const environment = { AWS_ACCESS_KEY_ID: key.AccessKeyId, AWS_SECRET_ACCESS_KEY: key.SecretAccessKey, BERTH: program, STATE: state };
    writeFileSync(file, JSON.stringify({ local: { exec, environment } }));
    await server.process.signal('SIGTERM');
    await start();
    const managedInstancesProvider = { infrastructureRoleArn: 'arn:aws:iam::123456789012:role/i', instanceLaunchTemplate: {
        ec2InstanceProfileArn: 'arn:aws:iam::123456789012:instance-profile/i', networkConfiguration: { subnets: ['subnet-1'] } } };
    ok(await server.call('CreateCapacityProvider', { name: 'proven', cluster: 'default', managedInstancesProvider, tags: [{ key: 'berth:token', value: 'true' }] }));
    await waitFor('the provider', async () => ok(await server.call('DescribeCapacityProviders', { capacityProviders: ['proven'], cluster: 'default' })).capacityProviders[0]?.status === 'ACTIVE');
    ok(await server.call('RegisterTaskDefinition', { family: 'stays', containerDefinitions: [{ name: 'main', image: 'none', memory: 16, command: ['sleep', '300'] }] }));
    const run = async () => ok(await server.call('RunTask', { taskDefinition: 'stays', capacityProviderStrategy: [{ capacityProvider: 'proven', weight: 1 }] })).tasks[0].taskArn;
    const task = await run();
    const describe = async (arn) => ok(await server.call('DescribeTasks', { tasks: [arn] })).tasks[0];
    await waitFor('the task to run', async () => (await describe(task)).lastStatus === 'RUNNING');
    const [machine] = await machines();
    const id = attribute(machine, 'berth.machine-id');
    const stranger = await server.call('RegisterContainerInstance', { totalResources: [], attributes: [{ name: 'berth.machine-id', value: id }] });
    assert.match(stranger.text, /registers with the token of its order only/);
    spawnSync(program, ['agent', 'notice', '--in', '90s', '--data', path.join(state, id)], { encoding: 'utf8' });
    const why = async () => (await server.raw({ method: 'GET', pathname: '/berth/v1/why?provider=proven', body: '' })).json;
    const seen = new Set();
    await waitFor('another machine', async () => {
        const all = (await why()).machines;
        for (const one of all) if (one.id === id && one.replaced) seen.add(one.replaced);
        return all.length === 1 && all[0].state === 'ACTIVE' && all[0].id !== id;
    });
    assert.deepStrictEqual([...seen], ['The machine is replaced: it will be taken away']);
    assert.strictEqual((await describe(task)).stoppedReason, 'Your Spot Task was interrupted');
    ok(await server.call('DeleteCapacityProvider', { capacityProvider: 'proven', cluster: 'default' }));
});

test('types of machines of yours', async () => {
    const types = path.join(folder, 'types.csv');
    writeFileSync(types, 'instance_type,vcpus,memory_mib,accelerator_type,accelerator_count,accelerator_manufacturer,accelerator_name,accelerator_mib_each,usd_per_hour\n'
        + 'lab.2xt4,16,65536,gpu,2,nvidia,T4,16384,0.40\n');
    await server.process.signal('SIGTERM');
    writeFileSync(file, JSON.stringify({ lab: { fake: 'lab.2xt4', environment: { ...keys, BERTH_INSTANCE_TYPES: types } } }));
    await start('--instance-types', types);
    const aws = (...args) => server.aws(...args);
    await aws('ec2', 'create-launch-template', '--launch-template-name', 'lab', '--launch-template-data', JSON.stringify({ InstanceRequirements: {
        VCpuCount: { Min: 8 }, MemoryMiB: { Min: 1024 }, AcceleratorCount: { Min: 2, Max: 2 }, AcceleratorManufacturers: ['nvidia'], AllowedInstanceTypes: ['lab.*'] } }));
    await aws('autoscaling', 'create-auto-scaling-group', '--auto-scaling-group-name', 'lab', '--min-size', '0', '--max-size', '1', '--desired-capacity', '1',
              '--launch-template', 'LaunchTemplateName=lab,Version=$Latest', '--availability-zones', 'us-east-1a');
    const [machine] = await waitFor('the machine', async () => { const all = await machines(); return all.some((one) => attribute(one, 'ecs.instance-type') === 'lab.2xt4') && all; });
    const [group] = (await aws('autoscaling', 'describe-auto-scaling-groups', '--auto-scaling-group-names', 'lab')).AutoScalingGroups;
    assert.deepStrictEqual(group.Instances.map((one) => one.InstanceType), ['lab.2xt4']);
    assert.strictEqual(machine.registeredResources.find((one) => one.name === 'GPU').stringSetValue.length, 2);
    writeFileSync(types, 'instance_type,vcpus,memory_mib\nbox,none,1024\n');
    const said = spawnSync(program, ['server', '--data', path.join(folder, 'other'), '--instance-types', types], { encoding: 'utf8' });
    assert.strictEqual(said.status, 1);
    assert.match(said.stderr, /types\.csv: Line 2 of the instance types: vcpus is "none"/);
});

test('settings that say nothing that is known', () => {
    const wrong = path.join(folder, 'wrong.json');
    writeFileSync(wrong, '{"gpu":{"exec":"provision"}}');
    const said = spawnSync(program, ['server', '--data', path.join(folder, 'x'), '--listen', '127.0.0.1:0', '--provisioners', wrong], { encoding: 'utf8' });
    assert.strictEqual(said.status, 1);
    assert.match(said.stderr, /wrong\.json: The provisioner "gpu": "exec" is the path of a program, from \/\./);
});
