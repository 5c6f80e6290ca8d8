// The GPU requirement of tutorials, {"type":"gpu","count":1,"capabilities":[…]}, which no client of AWS sends: raw requests alone bring it.
import { test } from 'node:test';
import assert from 'node:assert';
import { Server } from '../lib/lib.mjs';

const definition = (resourceRequirements, more = {}) => ({ family: 'odd', containerDefinitions: [{ name: 'main', image: 'busybox', memory: 32, resourceRequirements, ...more }] });
const odd = [{ type: 'gpu', count: 1, capabilities: ['compute', 'utility'] }];
const own = [{ type: 'GPU', value: '1' }];

test('it is read as ECS\'s own, with a warning in the reply and in the log', async () => {
    const server = await Server.start();
    try {
        const reply = await server.call('RegisterTaskDefinition', definition(odd));
        assert.strictEqual(reply.status, 200, reply.text);
        assert.match(reply.headers['x-berth-warning'], /^containerDefinitions\[0\]\.resourceRequirements\[0\] was read .*"type":"GPU","value":"1"/);
        assert.match(server.process.output, /warn +api: RegisterTaskDefinition user=root request=\S+: containerDefinitions\[0\]\.resourceRequirements\[0\] was read/);
        const described = await server.aws('ecs', 'describe-task-definition', '--task-definition', 'odd');
        assert.deepStrictEqual(described.taskDefinition.containerDefinitions[0].resourceRequirements, own);
        assert.deepStrictEqual(described.taskDefinition.containerDefinitions[0].environment, [{ name: 'NVIDIA_DRIVER_CAPABILITIES', value: 'compute,utility' }]);

        await server.call('CreateCluster');
        await server.fleet('p3.8xlarge', 1);
        const containerOverrides = [{ name: 'main', resourceRequirements: [{ type: 'gpu', count: 3 }] }];
        const run = await server.call('RunTask', { taskDefinition: 'odd', overrides: { containerOverrides } });
        assert.strictEqual(run.json.tasks[0].containers[0].gpuIds.length, 3);
        assert.match(run.headers['x-berth-warning'], /^containerOverrides\[0\]/);

        for (const requirements of [own, [{ ...own[0], count: 5, capabilities: ['video'] }]]) {
            const untouched = await server.call('RegisterTaskDefinition', definition(requirements));
            assert.strictEqual(untouched.headers['x-berth-warning'], undefined);
            assert.deepStrictEqual(untouched.json.taskDefinition.containerDefinitions[0].environment, []);
        }
    } finally { await server.stop(); }
});

test('with --strict-aws it is refused, and so are parts of GPUs, and the right form is named', async () => {
    const server = await Server.start({ args: ['--strict-aws'] });
    try {
        for (const requirements of [odd, [{ type: 'GPU', value: '0.5' }], [{ type: 'GPU_MEMORY', value: '8192' }]]) {
            const reply = await server.call('RegisterTaskDefinition', definition(requirements));
            assert.strictEqual(reply.status, 400);
            assert.deepStrictEqual(reply.json, { __type: 'ClientException',
                message: 'containerDefinitions[0].resourceRequirements[0] does not have the form of ECS, which is {"type":"GPU","value":"1"}.' });
        }
        assert.strictEqual((await server.call('RegisterTaskDefinition', definition(own))).status, 200);
    } finally { await server.stop(); }
});

test('--threads is checked against what the server can have', async () => {
    for (const threads of ['3', '30001']) {
        await assert.rejects(Server.start({ args: ['--threads', threads] }), new RegExp(`threads can't be ${threads}: it should be between 4 and 30000`));
    }
});
