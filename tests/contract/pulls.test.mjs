// How far pulls are, as agents tell it and people read it: waiting tasks, refusals, and when a pull is forgotten.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { Server, program } from '../lib/lib.mjs';

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
