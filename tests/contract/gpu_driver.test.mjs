// A real agent with the test's own driver's library: the events that it watches, reports and registers again for.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, remove, root, waitFor } from '../lib/lib.mjs';

let server, folder, arn;
const order = (count, xid = 0, slot = 0, lost = -1) => writeFileSync(path.join(folder, 'order'), `${count} ${xid} ${slot} ${lost}\n`);
const machine = async () => (await server.call('DescribeContainerInstances', { containerInstances: [arn], include: ['CONTAINER_INSTANCE_HEALTH'] })).json.containerInstances[0];
const gpus = (it, kind) => it[kind].find((resource) => resource.name === 'GPU')?.stringSetValue ?? [];
const accelerators = (it) => it.healthStatus.details.find((detail) => detail.type === 'ACCELERATED_COMPUTE');

before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-nvml-'));
    execFileSync('cc', ['-shared', '-fPIC', '-Wall', '-Wextra', '-o', path.join(folder, 'libnvidia-ml.so.1'), path.join(root, 'tests/contract/fake_nvml.c')]);
    order(2);
    server = await Server.start();
    await server.call('CreateCluster', {});
    server.environment = ((environment) => () => ({ ...environment.call(server), LD_LIBRARY_PATH: folder, FAKE_NVML: path.join(folder, 'order') }))(server.environment);
    await server.agent(['--runtime', 'process', '--name', 'real']);
    await waitFor('the machine', async () => { [arn] = (await server.call('ListContainerInstances', {})).json.containerInstanceArns; return arn; });
});
after(async () => { await server.stop(); remove(folder); });

test('an agent finds its GPUs, tells that they are well, and where they are', async () => {
    await waitFor('its word', async () => accelerators(await machine())?.status === 'OK');
    const it = await machine();
    assert.deepStrictEqual(gpus(it, 'registeredResources'), ['GPU-fake-0', 'GPU-fake-1']);
    assert.strictEqual(it.attributes.find(({ name }) => name === 'berth.gpu-bus').value, '00000000:01:00.0,00000000:02:00.0');
});

test('a critical error takes one out, and leaves the other', async () => {
    order(2, 31, 1);
    order(2, 48, 1);
    await waitFor('the quarantine', async () => gpus(await machine(), 'remainingResources').length === 1);
    const it = await machine();
    assert.deepStrictEqual(gpus(it, 'remainingResources'), ['GPU-fake-0']);
    assert.strictEqual(accelerators(it).statusReason, 'GPU-fake-1: Xid 48: double bit ECC error');
});

test('one that is lost is gone, keeps its place, and comes back', async () => {
    order(2, 48, 1, 0);
    await waitFor('it to be missed', async () => gpus(await machine(), 'remainingResources').length === 0);
    assert.deepStrictEqual(gpus(await machine(), 'registeredResources'), ['GPU-fake-0', 'GPU-fake-1']);
    order(2, 48, 1);
    await waitFor('it to be back', async () => gpus(await machine(), 'remainingResources').includes('GPU-fake-0'), { seconds: 240 });
});

test('GPUs that come later are registered without a restart', async () => {
    order(3, 48, 1);
    await waitFor('the third', async () => gpus(await machine(), 'registeredResources').length === 3, { seconds: 240 });
    assert.deepStrictEqual(gpus(await machine(), 'registeredResources'), ['GPU-fake-0', 'GPU-fake-1', 'GPU-fake-2']);
});
