// Gangs as a user of the JavaScript SDK meets them: all or none, and the settings of each container; in the payload of an agent, before
// and after the server was killed, and in the environment of real processes.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import http from 'node:http';
import { DescribeTasksCommand, ListTasksCommand, RegisterTaskDefinitionCommand, RunTaskCommand, StartTaskCommand, StopTaskCommand } from '@aws-sdk/client-ecs';
import { Server, waitFor } from '../lib/lib.mjs';

const gang = [{ key: 'berth:gang', value: 'true' }];
let server, ecs;

const send = (command) => ecs.send(command);
const run = (input) => send(new RunTaskCommand(input));
const idOf = (arn) => arn.split('/').at(-1);
const gpuIds = (task) => task.containers.flatMap((container) => container.gpuIds ?? []);
const define = (family, container = {}) => send(new RegisterTaskDefinitionCommand({ family, containerDefinitions: [{ name: 'main', image: 'busybox', memory: 16, ...container }] }));
const gpu = (value) => ({ resourceRequirements: [{ type: 'GPU', value }] });
const fitting = async (cluster) => (await server.raw({ method: 'GET', pathname: `/berth/v1/headroom?cluster=${cluster}` })).json.clusters[0].gpusFree;

before(async () => {
    server = await Server.start();
    ecs = server.sdk();
    for (const clusterName of ['default', 'wire', 'real']) await server.call('CreateCluster', { clusterName });
    await define('two', gpu('2'));
    await server.fleet('p3.8xlarge:2', 2);
});
after(async () => { ecs.destroy(); await server.stop(); });

test('all of them start, each on its own GPUs, or none does and every entry says why', async () => {
    const { tasks, failures } = await run({ taskDefinition: 'two', count: 3, tags: gang });
    assert.deepStrictEqual(failures, []);
    assert.strictEqual(tasks.length, 3);
    assert.strictEqual(new Set(tasks.flatMap(gpuIds)).size, 6);
    assert.deepStrictEqual(tasks.map((task) => task.tags), [gang, gang, gang]);
    const arns = tasks.map((task) => task.taskArn);
    await waitFor('all of them to run', async () => (await send(new DescribeTasksCommand({ tasks: arns }))).tasks.every((task) => task.lastStatus === 'RUNNING'));

    const refused = await run({ taskDefinition: 'two', count: 2, tags: gang });
    assert.deepStrictEqual(refused.tasks, [], 'one of them would have fitted');
    assert.strictEqual(refused.failures.length, 2);
    for (const failure of refused.failures) assert.strictEqual(failure.reason, 'RESOURCE:GPU');
    assert.deepStrictEqual(refused.failures.map((failure) => failure.detail), ['2 tasks together: 1 fits, and with that in place the next needs 2 GPUs '
        + 'on one instance. 2 instances have 4 GPUs each and all are taken. Room for 1 more is missing.', 'As the first failure says.']);
    await assert.rejects(run({ taskDefinition: 'two', count: 2, tags: [{ key: 'berth:gangg', value: 'true' }] }),
        (error) => error.name === 'InvalidParameterException' && /"berth:gangg" means nothing here.* here may be berth:gang, /.test(error.message));
    assert.strictEqual((await send(new ListTasksCommand({}))).taskArns.length, 3, 'nothing was started');
    assert.strictEqual(await fitting('default'), 2, 'and nothing is held');
    const one = await run({ taskDefinition: 'two', count: 2 });
    assert.deepStrictEqual([one.tasks.length, one.failures.length], [1, 1], 'without the tag one does start');
    for (const task of [...arns, one.tasks[0].taskArn]) await send(new StopTaskCommand({ task }));
    await waitFor('room', async () => (await fitting('default')) === 8);
});

test('each on its own machine, if that is asked for too', async () => {
    const distinct = { taskDefinition: 'two', tags: gang, placementConstraints: [{ type: 'distinctInstance' }] };
    assert.strictEqual((await run({ ...distinct, count: 3 })).failures.length, 3);
    const { tasks } = await run({ ...distinct, count: 2 });
    assert.strictEqual(new Set(tasks.map((task) => task.containerInstanceArn)).size, 2);
    for (const { taskArn: task } of tasks) await send(new StopTaskCommand({ task }));
});

test('what the tag can be', async () => {
    await define('plain');
    for (const value of ['yes', '', 'TRUE', '1']) {
        await assert.rejects(run({ taskDefinition: 'plain', tags: [{ key: 'berth:gang', value }] }),
            (error) => error.name === 'InvalidParameterException' && error.message === `The tag berth:gang can't be "${value}": it should be true or false.`);
    }
    for (const tags of [[{ key: 'berth:gang', value: 'false' }], [{ key: 'berth-else', value: 'x' }]]) {
        const { tasks: [task] } = await run({ taskDefinition: 'plain', tags });
        await send(new StopTaskCommand({ task: task.taskArn }));
    }
    const { containerInstanceArns: [machine] } = (await server.call('ListContainerInstances')).json;
    await assert.rejects(send(new StartTaskCommand({ taskDefinition: 'plain', containerInstances: [machine], tags: gang })), /is for RunTask/);
});

// An agent by hand: the tasks that its machine is to run, from the messages of a session that begins now.
async function payloads(containerInstance, count) {
    const poll = async (more) => {
        const reply = await server.raw({ pathname: '/berth/v1/agent/poll', body: JSON.stringify({ cluster: 'wire', containerInstance, waitSeconds: 0, ...more }) });
        assert.strictEqual(reply.status, 200, reply.text);
        return reply.json;
    };
    const tasks = new Map();
    let session;
    await waitFor(`${count} payloads`, async () => {
        const reply = await poll({ session });
        session = reply.session;
        for (const { type, message } of reply.messages) if (type === 'PayloadMessage') for (const task of message.tasks) tasks.set(task.arn, task);
        return tasks.size === count;
    });
    return tasks;
}

test('the payload names the gang, the rank and the size, and a server that was killed says the same again', async () => {
    await define('told', { environment: [{ name: 'BERTH_GANG_SIZE', value: '99' }, { name: 'MODE', value: 'fast' }] });
    const amount = (name, integerValue) => ({ name, type: 'INTEGER', integerValue });
    const { containerInstance } = (await server.call('RegisterContainerInstance', { cluster: 'wire', totalResources: [amount('CPU', 4096), amount('MEMORY', 8192)] })).json;
    const machine = containerInstance.containerInstanceArn;
    await server.raw({ pathname: '/berth/v1/agent/poll', body: JSON.stringify({ cluster: 'wire', containerInstance: machine, waitSeconds: 0 }) });
    const { tasks } = await run({ cluster: 'wire', taskDefinition: 'told', count: 3, tags: gang });
    const want = tasks.map((task, rank) => [task.taskArn,
        { MODE: 'fast', BERTH_GANG_ID: idOf(tasks[0].taskArn), BERTH_GANG_RANK: String(rank), BERTH_GANG_SIZE: '3' }]);
    const environments = async () => {
        const told = await payloads(machine, want.length);
        return want.map(([arn]) => [arn, told.get(arn).containers[0].environment]);
    };
    assert.deepStrictEqual(await environments(), want);

    const { data, port, agents } = server;
    await server.kill9();
    server = Object.assign(await Server.start({ data, port }), { agents });
    assert.deepStrictEqual(await environments(), want);
});

test('real processes find their rank in the environment', async () => {
    await define('print', { entryPoint: ['sh', '-c'], command: ['echo rank $BERTH_GANG_RANK of $BERTH_GANG_SIZE in $BERTH_GANG_ID at $MASTER_ADDR:$MASTER_PORT'] });
    await server.agent(['--cluster', 'real', '--runtime', 'process', '--address', 'node-a.lan']);
    await waitFor('this machine', async () => (await server.connected('real')) === 1);
    const { tasks } = await run({ cluster: 'real', taskDefinition: 'print', count: 2, tags: gang });
    const log = (task) => new Promise((resolve, reject) => {
        http.get(`${server.url}/berth/v1/logs?task=${idOf(task.taskArn)}`, { agent: false, headers: server.login() }, (response) => {
            let text = '';
            response.on('data', (data) => { text += data; });
            response.on('end', () => resolve(text));
            response.on('error', reject);
        }).on('error', reject);
    });
    const first = idOf(tasks[0].taskArn);
    for (const [rank, task] of tasks.entries()) {
        await waitFor(`the words of rank ${rank}`, async () => (await log(task)) === `rank ${rank} of 2 in ${first} at node-a.lan:29500\n`);
    }
});
