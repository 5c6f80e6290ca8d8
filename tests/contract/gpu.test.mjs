// GPUs as a user of the AWS CLI meets them: pinned, exclusive, explained when they run out, free again when a task has ended.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { Server, waitFor } from '../lib/lib.mjs';

let server, pair;
before(async () => { server = await Server.start(); await server.aws('ecs', 'create-cluster'); });
after(async () => { await server.stop(); });

const ecs = (...args) => server.aws('ecs', ...args);
const gpuIds = (task) => task.containers.flatMap((container) => container.gpuIds ?? []);
const state = async (arn, cluster = 'default') => (await ecs('describe-tasks', '--cluster', cluster, '--tasks', arn)).tasks[0];

async function instancesByType(cluster) {
    const { containerInstanceArns } = await ecs('list-container-instances', '--cluster', cluster);
    const { containerInstances } = await ecs('describe-container-instances', '--cluster', cluster, '--container-instances', ...containerInstanceArns);
    return containerInstances.map((instance) => ({ arn: instance.containerInstanceArn,
        type: instance.attributes.find((attribute) => attribute.name === 'ecs.instance-type').value,
        gpus: instance.registeredResources.find((resource) => resource.name === 'GPU')?.stringSetValue ?? [],
        free: instance.remainingResources.find((resource) => resource.name === 'GPU')?.stringSetValue ?? [] }));
}

test('the walk-through: two CPU and two GPU machines, then two of eight GPUs each', async (t) => {
    await ecs('create-cluster', '--cluster-name', 'tensorflow-test');
    await server.fleet('c5.2xlarge:2,p3.2xlarge:2', 4, { cluster: 'tensorflow-test' });
    const run = (definition) => ecs('run-task', '--cluster', 'tensorflow-test', '--task-definition', definition);
    for (const gpus of [1, 4, 8]) await ecs('register-task-definition', '--cli-input-json', `file://examples/gpu-${gpus}-taskdef.json`);
    const machines = await instancesByType('tensorflow-test');
    const withGpus = new Map(machines.filter((machine) => machine.gpus.length > 0).map((machine) => [machine.arn, machine]));

    let first, second;
    await t.test('each task gets its own GPU, shown in the reply', async () => {
        assert.strictEqual(withGpus.size, 2);
        first = (await run('tensorflow-1-gpu')).tasks[0];
        second = (await run('tensorflow-1-gpu')).tasks[0];
        for (const task of [first, second]) {
            assert.strictEqual(gpuIds(task).length, 1);
            assert.ok(withGpus.get(task.containerInstanceArn).gpus.includes(gpuIds(task)[0]), 'the GPU is one of its machine');
        }
        assert.notDeepStrictEqual(gpuIds(first), gpuIds(second));
        await ecs('wait', 'tasks-running', '--cluster', 'tensorflow-test', '--tasks', first.taskArn, second.taskArn);
        assert.deepStrictEqual(gpuIds(await state(first.taskArn, 'tensorflow-test')), gpuIds(first), 'pinned for the task\'s whole life');
    });
    await t.test('a third is refused with a reason that a person understands', async () => {
        const refused = await run('tensorflow-1-gpu');
        assert.deepStrictEqual(refused.tasks, []);
        assert.strictEqual(refused.failures.length, 1);
        assert.strictEqual(refused.failures[0].reason, 'RESOURCE:GPU');
        assert.match(refused.failures[0].detail, /needs 1 GPU/);
        assert.ok(withGpus.has(refused.failures[0].arn), 'the nearest miss is a GPU machine');
    });
    await t.test('it succeeds once one has ended', async () => {
        await ecs('stop-task', '--cluster', 'tensorflow-test', '--task', first.taskArn, '--reason', 'make room');
        await ecs('wait', 'tasks-stopped', '--cluster', 'tensorflow-test', '--tasks', first.taskArn);
        const third = (await run('tensorflow-1-gpu')).tasks[0];
        assert.deepStrictEqual(gpuIds(third), gpuIds(first));
    });
    await t.test('four and eight GPUs do not fit on these machines, and never will', async () => {
        const refused = await run('tensorflow-4-gpu');
        assert.strictEqual(refused.failures[0].reason, 'RESOURCE:GPU');
        assert.match(refused.failures[0].detail, /needs 4 GPUs/);
        assert.match(refused.failures[0].detail, /No instance of this cluster can ever hold it/);
    });
    await t.test('on two machines of eight GPUs, four and eight fit side by side', async () => {
        await server.fleet('p3.16xlarge:2', 2, { cluster: 'tensorflow-test' });
        const four = (await run('tensorflow-4-gpu')).tasks[0];
        const eight = (await run('tensorflow-8-gpu')).tasks[0];
        assert.strictEqual(gpuIds(four).length, 4);
        assert.strictEqual(gpuIds(eight).length, 8);
        assert.strictEqual(new Set([...gpuIds(four), ...gpuIds(eight)]).size, 12);
        assert.notStrictEqual(four.containerInstanceArn, eight.containerInstanceArn);
        const again = (await run('tensorflow-4-gpu')).tasks[0];
        assert.strictEqual(again.containerInstanceArn, four.containerInstanceArn, 'packed, not spread');
        const full = await run('tensorflow-8-gpu');
        assert.strictEqual(full.failures[0].reason, 'RESOURCE:GPU');
        const after = await instancesByType('tensorflow-test');
        assert.strictEqual(after.filter((machine) => machine.type === 'p3.16xlarge').reduce((sum, machine) => sum + machine.free.length, 0), 0);
    });
});

test('three tasks on two GPUs: two run, the third gets the reason', async () => {
    await ecs('create-cluster', '--cluster-name', 'two');
    pair = await server.fleet('p2.xlarge:2', 2, { cluster: 'two' });
    await ecs('register-task-definition', '--cli-input-json', 'file://examples/hello-gpu.json');
    const reply = await ecs('run-task', '--cluster', 'two', '--task-definition', 'hello-gpu', '--count', '3');
    assert.strictEqual(reply.tasks.length, 2);
    assert.strictEqual(reply.failures.length, 1);
    assert.strictEqual(new Set(reply.tasks.flatMap(gpuIds)).size, 2);
    assert.match(reply.failures[0].detail, /needs 1 GPU/);
});

test('the definition and the command of the developer guide: two GPUs, on a machine type asked for', async () => {
    await ecs('register-task-definition', '--cli-input-json', 'file://examples/nvidia-smi-taskdef.json');
    await server.fleet('p2.8xlarge,g3.8xlarge', 2);
    const byType = new Map((await instancesByType('default')).map((machine) => [machine.type, machine.arn]));
    for (const type of ['g3.8xlarge', 'p2.8xlarge']) {
        const reply = await ecs('run-task', '--cluster', 'default', '--task-definition', 'example-ecs-gpu',
            '--placement-constraints', `type=memberOf,expression=attribute:ecs.instance-type == ${type}`);
        assert.strictEqual(reply.tasks[0].containerInstanceArn, byType.get(type));
        assert.strictEqual(gpuIds(reply.tasks[0]).length, 2);
    }
    const none = await ecs('run-task', '--cluster', 'default', '--task-definition', 'example-ecs-gpu',
        '--placement-constraints', 'type=memberOf,expression=attribute:ecs.instance-type == p2.xlarge');
    assert.strictEqual(none.tasks.length, 0);
    assert.strictEqual(none.failures[0].reason, 'MEMBEROF');
});

test('CPU tasks keep off GPU machines while others fit', async () => {
    await ecs('create-cluster', '--cluster-name', 'mixed');
    await server.fleet('c5.2xlarge,p3.2xlarge', 2, { cluster: 'mixed' });
    await ecs('register-task-definition', '--family', 'cpu-only', '--container-definitions', '[{"name":"main","image":"busybox","cpu":512,"memory":256}]');
    const reply = await ecs('run-task', '--cluster', 'mixed', '--task-definition', 'cpu-only', '--count', '10');
    const types = new Map((await instancesByType('mixed')).map((machine) => [machine.arn, machine.type]));
    assert.deepStrictEqual([...new Set(reply.tasks.map((task) => types.get(task.containerInstanceArn)))], ['c5.2xlarge']);
});

test('parts of GPUs: shares add up on one, whole GPUs are nobody else\'s, memory counts', async (t) => {
    const cluster = 'shares';
    await ecs('create-cluster', '--cluster-name', cluster);
    await server.fleet('g4dn.12xlarge', 1, { cluster });                      // four T4 of 16 GiB
    const requirement = (type, value) => ({ type, value });
    const define = (family, ...resourceRequirements) => ecs('register-task-definition', '--family', family, '--container-definitions',
        JSON.stringify([{ name: 'main', image: 'busybox', memory: 32, resourceRequirements }]));
    const run = (family, ...args) => ecs('run-task', '--cluster', cluster, '--task-definition', family, ...args);
    const gpuOf = async (family, ...args) => gpuIds((await run(family, ...args)).tasks[0])[0];
    const machine = async () => (await instancesByType(cluster))[0];
    await define('half', requirement('GPU', '0.5'));
    await define('most', requirement('GPU', '0.6'));
    await define('one', requirement('GPU', '1'));
    await define('six-gib', requirement('GPU_MEMORY', '6144'));
    await define('small-and-roomy', requirement('GPU', '0.1'), requirement('GPU_MEMORY', '9216'));
    await define('two-big', requirement('GPU', '2'), requirement('GPU_MEMORY', '16384'));
    await define('too-big', requirement('GPU', '1'), requirement('GPU_MEMORY', '16385'));

    let halves, whole;
    await t.test('two halves share one GPU, which is then free for nobody', async () => {
        halves = (await run('half', '--count', '2')).tasks;
        const [first, second] = halves.flatMap(gpuIds);
        assert.strictEqual(first, second);
        assert.strictEqual((await machine()).free.length, 3);
        assert.ok(!(await machine()).free.includes(first));
    });
    await t.test('0.6 and 0.6 need two', async () => {
        const [first, second] = [await gpuOf('most'), await gpuOf('most')];
        assert.notStrictEqual(first, second);
        assert.ok(!halves.flatMap(gpuIds).includes(first) && !halves.flatMap(gpuIds).includes(second));
    });
    await t.test('a whole GPU takes one that nobody uses, and nobody else gets any of it', async () => {
        const { free } = await machine();
        whole = (await run('one')).tasks[0];
        assert.deepStrictEqual(gpuIds(whole), free);
        const refused = await run('one');
        assert.strictEqual(refused.failures[0].reason, 'RESOURCE:GPU', 'the others are in use, if only in part');
        const half = await run('half');
        assert.strictEqual(half.failures[0].reason, 'RESOURCE:GPU', '0.4 is left of two of them, and a whole one is not shared');
        assert.match(half.failures[0].detail, /0\.5/);
    });
    await t.test('a share ends with its task', async () => {
        await ecs('stop-task', '--cluster', cluster, '--task', halves[0].taskArn);
        await ecs('wait', 'tasks-stopped', '--cluster', cluster, '--tasks', halves[0].taskArn);
        assert.strictEqual(await gpuOf('six-gib'), gpuIds(halves[1])[0], '6 GiB of 16 fit in the half that is free, and nowhere else');
        const roomy = await run('small-and-roomy');
        assert.strictEqual(roomy.failures[0].reason, 'RESOURCE:GPU', '9 GiB are more than a half');
    });
    await t.test('memory on whole GPUs', async () => {
        await server.fleet('g4dn.12xlarge', 1, { cluster });
        assert.strictEqual(gpuIds((await run('two-big')).tasks[0]).length, 2);
        assert.ok(await gpuOf('small-and-roomy'));
        const refused = await run('too-big');
        assert.strictEqual(refused.failures[0].reason, 'RESOURCE:GPU');
        assert.match(refused.failures[0].detail, /No instance of this cluster can ever hold it/);
    });
    await t.test('an override asks for another part, or for none', async () => {
        const override = (value) => ['--overrides', JSON.stringify({ containerOverrides: [{ name: 'main', resourceRequirements: [requirement('GPU', value)] }] })];
        const tasks = [(await run('one', ...override('0.25'))).tasks[0], (await run('half', ...override('0'))).tasks[0]];
        assert.deepStrictEqual(tasks.map((task) => gpuIds(task).length), [1, 0]);
        await assert.rejects(run('one', ...override('1.5')), (error) => error.code === 'InvalidParameterException' && /whole GPUs or a share of one/.test(error.message));
    });
});

test('the inference service\'s definition is taken and described back', async () => {
    const { taskDefinition } = await ecs('register-task-definition', '--cli-input-json', 'file://examples/inference-taskdef.json');
    assert.strictEqual(taskDefinition.networkMode, 'awsvpc');
    assert.deepStrictEqual(taskDefinition.containerDefinitions[0].resourceRequirements, [{ value: '1', type: 'GPU' }]);
    assert.strictEqual(taskDefinition.containerDefinitions[0].portMappings[0].hostPort, 8000);
});

test('a task keeps its GPUs through a server killed with SIGKILL', async () => {
    const before = await ecs('list-tasks', '--cluster', 'two');
    const held = (await ecs('describe-tasks', '--cluster', 'two', '--tasks', ...before.taskArns)).tasks.map((task) => [task.taskArn, gpuIds(task)]).sort();
    const { data, port, agents } = server;
    await server.kill9();
    await waitFor('the fleet to say so', () => pair.output.includes('the server does not answer any of the simulated machines'));
    const again = await Server.start({ data, port });
    again.agents = agents;
    server = again;
    await waitFor('the machines to return', async () => (await server.connected('two')) === 2);
    const kept = (await ecs('describe-tasks', '--cluster', 'two', '--tasks', ...before.taskArns)).tasks.map((task) => [task.taskArn, gpuIds(task)]).sort();
    assert.deepStrictEqual(kept, held);
    const said = () => pair.output.match(/the server (does not answer any of|answers) the simulated machines/g);
    await waitFor('the fleet to say that it answers', () => said().length > 1);
    assert.strictEqual(said().length, 2, `that it went and came back, once for all of them: ${said()}`);
    const refused = await ecs('run-task', '--cluster', 'two', '--task-definition', 'hello-gpu');
    assert.strictEqual(refused.failures[0].reason, 'RESOURCE:GPU', 'they are still held');
});
