// A server that has lost its data, while its machines run; and a provisioner that has plans.
import { after, afterEach, test } from 'node:test';
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import http from 'node:http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, endProcesses, lives, program, remove, root, waitFor } from '../lib/lib.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-adoption-')), file = path.join(folder, 'provisioners.json');
const keys = { AWS_ACCESS_KEY_ID: 'AKIACONTRACTTESTROOT', AWS_SECRET_ACCESS_KEY: 'contract/test/secret/of/forty/characters' };
let server;
const ok = (reply) => { assert.strictEqual(reply.status, 200, reply.text); return reply.json; };
const described = async (server) => {
    const { containerInstanceArns } = ok(await server.call('ListContainerInstances'));
    return containerInstanceArns.length === 0 ? [] : ok(await server.call('DescribeContainerInstances', { containerInstances: containerInstanceArns })).containerInstances;
};
const connected = (server) => waitFor('the machine', async () => (await described(server)).find((one) => one.agentConnected));
async function group(server, tags) {
    ok(await server.call('CreateCluster'));
    await server.makeGroup('gpu');
    const [{ AutoScalingGroupARN }] = (await server.aws('autoscaling', 'describe-auto-scaling-groups', '--auto-scaling-group-names', 'gpu')).AutoScalingGroups;
    ok(await server.call('CreateCapacityProvider', { name: 'gpu', autoScalingGroupProvider: { autoScalingGroupArn: AutoScalingGroupARN }, tags }));
    ok(await server.call('PutClusterCapacityProviders', { cluster: 'default', capacityProviders: ['gpu'], defaultCapacityProviderStrategy: [] }));
}

afterEach(() => server?.stop());
after(async () => {
    await endProcesses(folder);
    remove(folder);
});

test('a server that has lost its data adopts the machines that are there', async () => {
    const exec = path.join(root, 'examples/provisioners/processes'), state = path.join(folder, 'machines'), environment = { ...keys, BERTH: program, STATE: state };
    writeFileSync(file, JSON.stringify({ local: { exec, environment } }));
    server = await Server.start({ args: ['--provisioners', file] });
    await group(server, []);
    await server.aws('autoscaling', 'set-desired-capacity', '--auto-scaling-group-name', 'gpu', '--desired-capacity', '1');
    const before = await connected(server);
    assert.strictEqual(before.capacityProviderName, 'gpu');

    const { data, port, agentPort } = server;
    await server.kill9();
    rmSync(data, { recursive: true });
    server = await Server.start({ data, port, agentPort, args: ['--provisioners', file] });
    await group(server, [{ key: 'berth:adopt', value: 'true' }]);
    // Its agent has ended, because the server does not know its container instance. It starts again, without that.
    const id = before.attributes.find((one) => one.name === 'berth.machine-id').value;
    await waitFor('the agent to end', () => !lives(Number(readFileSync(path.join(state, id, 'pid'), 'utf8'))));
    assert.match(readFileSync(path.join(state, id, 'log'), 'utf8'), /The server no longer takes this machine/);
    for (const name of ['agent.json', 'pid']) rmSync(path.join(state, id, name));
    const join = { server: server.url, cluster: 'default', token: 'of an order that nobody knows' };
    const up = spawnSync(exec, ['up'], { input: JSON.stringify({ machines: [{ id, join }] }), env: { ...process.env, ...environment }, encoding: 'utf8' });
    assert.strictEqual(up.status, 0, up.stderr);
    await connected(server);
    const [adopted] = await waitFor('the adoption', async () => { const all = await described(server); return all.some((one) => one.capacityProviderName === 'gpu') && all; }, { seconds: 300 });
    assert.strictEqual(adopted.status, 'ACTIVE');
    assert.strictEqual(adopted.attributes.find((one) => one.name === 'berth.machine-id').value, id);
    const [{ DesiredCapacity, Instances }] = (await server.aws('autoscaling', 'describe-auto-scaling-groups', '--auto-scaling-group-names', 'gpu')).AutoScalingGroups;
    assert.deepStrictEqual([DesiredCapacity, Instances.length], [1, 1]);
    await server.aws('autoscaling', 'set-desired-capacity', '--auto-scaling-group-name', 'gpu', '--desired-capacity', '0');
    await waitFor('the machine to go', async () => (await described(server)).length === 0, { seconds: 300 });
});

test('a plan: a type that there is none of is not ordered, and a machine that leaves is suspended', async () => {
    const asked = [];
    const provisioner = http.createServer(async (request, response) => {
        let text = '';
        for await (const piece of request) text += piece;
        const body = JSON.parse(text), verb = request.url.slice(1);
        asked.push({ verb, body });
        const answers = {
            list: { plan: true, complete: true, machines: [] },
            plan: { types: [{ type: 'g4dn.xlarge', available: 0 }, { type: 'g4dn.2xlarge', available: 1, price: 0.61 }] },
            up: { machines: body.machines?.map(({ id }) => ({ id, state: 'starting' })) },
            down: { machines: body.machines?.map(({ id }) => ({ id, state: 'suspended' })) },
        };
        response.end(JSON.stringify(answers[verb]));
    });
    await new Promise((resolve) => provisioner.listen(0, '127.0.0.1', resolve));
    provisioner.unref();
    writeFileSync(file, JSON.stringify({ cloud: { http: `http://127.0.0.1:${provisioner.address().port}` } }));
    server = await Server.start({ args: ['--provisioners', file] });
    await group(server, [{ key: 'berth:suspend', value: 'true' }]);
    await server.aws('ec2', 'create-launch-template-version', '--launch-template-name', 'gpu-machines', '--launch-template-data', JSON.stringify({ InstanceRequirements: {
        VCpuCount: { Min: 1 }, MemoryMiB: { Min: 1 }, AcceleratorCount: { Min: 1 }, AllowedInstanceTypes: ['g4dn.xlarge', 'g4dn.2xlarge'] } }));
    const first = (verb) => waitFor(verb, () => asked.find((one) => one.verb === verb), { seconds: 300 });
    await first('plan');
    await server.aws('autoscaling', 'set-desired-capacity', '--auto-scaling-group-name', 'gpu', '--desired-capacity', '1');
    assert.strictEqual((await first('up')).body.machines[0].type, 'g4dn.2xlarge');
    await server.aws('autoscaling', 'set-desired-capacity', '--auto-scaling-group-name', 'gpu', '--desired-capacity', '0');
    assert.strictEqual((await first('down')).body.machines[0].mode, 'suspend');
    provisioner.close();
});
