// How far pulls are, as agents tell it and people read it: waiting tasks, refusals, and when a pull is forgotten. And pulls before a task stops to make room.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { Server, program, waitFor } from '../lib/lib.mjs';

const ok = (reply) => { assert.strictEqual(reply.status, 200, reply.text); return reply.json; };
const idOf = (arn) => arn.split('/').pop();
const pull = { image: 'registry.example/train:3', layers: 9, layersDone: 3, bytes: 312 * 2 ** 20 + 5, bytesKnown: 840 * 2 ** 20 };
let server, machine, other;

const tell = (body, more) => server.raw({ pathname: '/berth/v1/agent/pulls', body: JSON.stringify(body), ...more });
const report = (containerInstance, pulls) => tell({ cluster: 'default', containerInstance, pulls });
const pulls = async () => ok(await server.raw({ method: 'GET', pathname: '/berth/v1/pulls', contentType: undefined })).pulls;
const why = async (arn) => ok(await server.raw({ method: 'GET', pathname: `/berth/v1/why?task=${idOf(arn)}`, contentType: undefined })).detail;
async function register() {
    const resources = [['CPU', 4096], ['MEMORY', 8192]].map(([name, integerValue]) => ({ name, type: 'INTEGER', integerValue }));
    const { containerInstance: { containerInstanceArn } } = ok(await server.call('RegisterContainerInstance', { totalResources: resources }));
    await server.attend(containerInstanceArn);
    return containerInstanceArn;
}
async function start(family, image, containerInstance = machine) {
    ok(await server.call('RegisterTaskDefinition', { family, containerDefinitions: [{ name: 'main', image, memory: 64 }] }));
    return ok(await server.call('StartTask', { taskDefinition: family, containerInstances: [containerInstance] })).tasks[0].taskArn;
}

before(async () => {
    server = await Server.start();
    ok(await server.call('CreateCluster'));
    machine = await register();
    other = await register();
});
after(() => server.stop());

test('who waits for it, until it runs', async () => {
    const waits = await start('waits', pull.image), another = await start('another', 'busybox'), elsewhere = await start('elsewhere', pull.image, other);
    assert.deepStrictEqual(await pulls(), []);
    ok(await report(machine, [pull, { image: 'early:1' }]));
    assert.deepStrictEqual(await pulls(), [
        { instance: idOf(machine), ...pull, tasks: [idOf(waits)] },
        { instance: idOf(machine), image: 'early:1', layers: 0, layersDone: 0, bytes: 0, bytesKnown: 0, tasks: [] },
    ]);
    assert.match(await why(waits), / is pulling registry\.example\/train:3: 312 of 840 MiB that are known of, 3 of 9 layers are done\./);
    for (const arn of [another, elsewhere]) assert.ok(!(await why(arn)).includes('pulling'), arn);
    const said = spawnSync(program, ['why', waits, '--server', server.url], { encoding: 'utf8', env: { PATH: process.env.PATH, ...server.environment() } });
    assert.match(said.stdout.replace(/\s+/g, ' '), /is pulling registry\.example\/train:3: 312 of 840 MiB/, said.stderr);

    ok(await server.call('SubmitTaskStateChange', { task: waits, status: 'RUNNING', containers: [{ containerName: 'main', status: 'RUNNING' }] }));
    assert.deepStrictEqual((await pulls()).map(({ tasks }) => tasks), [[], []]);
    assert.ok(!(await why(waits)).includes('pulling'));
});

test('the last word of a machine counts, and nothing is left of it when it is done', async () => {
    ok(await report(other, [pull]));
    ok(await report(machine, [{ ...pull, bytes: 400 * 2 ** 20 }]));
    const bytes = async () => Object.fromEntries((await pulls()).map((one) => [one.instance, one.bytes >> 20]));
    assert.deepStrictEqual(await bytes(), { [idOf(machine)]: 400, [idOf(other)]: 312 });
    ok(await report(machine, []));
    assert.deepStrictEqual(await bytes(), { [idOf(other)]: 312 });
    ok(await tell({ containerInstance: other }));
    assert.deepStrictEqual(await pulls(), []);
});

test('refusals', async () => {
    const rows = [
        ['a machine that is not there', { containerInstance: machine.replace(/.{32}$/, '0'.repeat(32)) }, 'InvalidParameterException'],
        ['no machine', {}, 'InvalidParameterException'],
        ['no such cluster', { cluster: 'none', containerInstance: machine }, 'ClusterNotFoundException'],
        ['a pull of nothing', { containerInstance: machine, pulls: [{}] }, 'InvalidParameterException'],
        ['less than nothing', { containerInstance: machine, pulls: [{ ...pull, bytes: -1 }] }, 'InvalidParameterException'],
        ['too many', { containerInstance: machine, pulls: Array(9).fill(pull) }, 'InvalidParameterException'],
    ];
    for (const [name, body, type] of rows) {
        const reply = await tell(body);
        assert.deepStrictEqual([reply.status, reply.json.__type], [400, type], `${name}: ${reply.text}`);
    }
    assert.strictEqual((await tell({ containerInstance: machine, pulls: [pull] }, { unsigned: true })).json.__type, 'MissingAuthenticationTokenException');
    assert.deepStrictEqual(await pulls(), []);
});

// Memory for one task, and an agent that polls as the test says.
test('before a task stops to make room, its machine is asked to pull', async () => {
    const cluster = 'early', seen = [];
    ok(await server.call('CreateCluster', { clusterName: cluster }));
    const { containerInstance: { containerInstanceArn } } = ok(await server.call('RegisterContainerInstance', { cluster,
        totalResources: [['CPU', 1024], ['MEMORY', 100]].map(([name, integerValue]) => ({ name, type: 'INTEGER', integerValue })),
        attributes: [{ name: 'berth.name', value: 'node-early' }, { name: 'berth.early-pulls', value: 'true' }] }));
    let session, acks = [], revision;
    const poll = async (waitSeconds) => {
        const answer = await server.raw({ port: server.agentPort, pathname: '/berth/v1/agent/poll', body: JSON.stringify({ cluster, containerInstance: containerInstanceArn, session, acks, waitSeconds }) }), reply = ok(answer);
        [, revision] = answer.text.match(/"revision":(\d+)/) ?? [, revision];        // more digits than a number of JavaScript has
        session = reply.session;
        acks = reply.messages.map((one) => one.message.messageId);
        seen.push(...reply.messages);
    };
    const comes = async (what, wanted) => {
        for (let polls = 0; polls < 30 && !seen.some(wanted); polls++) await poll(2);
        const found = seen.find(wanted);
        assert.ok(found, what);
        return found.message;
    };
    const order = (desired) => (one) => one.type === 'PayloadMessage' && one.message.tasks[0].desiredStatus === desired;
    const early = (one) => one.type === 'BerthPullsMessage';
    const whyService = async () => ok(await server.raw({ method: 'GET', pathname: '/berth/v1/why?service=room&cluster=early', contentType: undefined })).detail;
    const pulled = (pulls) => server.raw({ pathname: '/berth/v1/agent/pulled', body: JSON.stringify({ cluster, containerInstance: containerInstanceArn, pulls }).replaceAll('"R"', revision) });
    await poll(0);
    for (const image of ['room:1', 'room:2']) ok(await server.call('RegisterTaskDefinition', { family: 'room', containerDefinitions: [{ name: 'main', image, memory: 80 }] }));
    ok(await server.call('CreateService', { cluster, serviceName: 'room', taskDefinition: 'room:1', desiredCount: 1,
        tags: [{ key: 'berth:replace', value: 'stop-first' }, { key: 'berth:healthy-after', value: '1' }] }));
    const { tasks: [{ arn: task }] } = await comes('the first task', order('RUNNING'));
    ok(await server.call('SubmitTaskStateChange', { cluster, task, status: 'RUNNING', containers: [{ containerName: 'main', status: 'RUNNING' }] }));
    await waitFor('the service to be steady', async () => ok(await server.call('DescribeServices', { cluster, services: ['room'] })).services[0].deployments[0].rolloutState === 'COMPLETED');
    ok(await server.call('UpdateService', { cluster, service: 'room', taskDefinition: 'room:2' }));

    const { pulls: [{ service, images }] } = await comes('what to pull', early);
    assert.deepStrictEqual(images, [{ image: 'room:2' }]);
    assert.match(await whyService(), /The image of the new revision is being pulled on node-early since \d\d:\d\d:\d\d UTC; an old task stops there when the image has come/);
    assert.ok(!seen.some(order('STOPPED')), 'nothing stops before');
    for (const [name, body] of [['a pull of nothing', [{}]], ['too many', Array(17).fill({ service, revision: 'R' })], ['a long reason', [{ service, revision: 'R', reason: 'x'.repeat(1025) }]]]) {
        assert.strictEqual((await pulled(body)).json.__type, 'InvalidParameterException', name);
    }
    ok(await pulled([{ service, revision: 'R', reason: 'CannotPullContainerError: not found' }]));
    assert.strictEqual((await comes('the stop', order('STOPPED'))).tasks[0].arn, task);
    assert.strictEqual(seen.filter(early).length, 1);
    const messages = ok(await server.call('DescribeServices', { cluster, services: ['room'] })).services[0].events.map((event) => event.message);
    assert.ok(messages.some((message) => /an image cannot be pulled on node-early before an old task stops there: CannotPullContainerError: not found$/.test(message)), messages.join('\n'));
});
