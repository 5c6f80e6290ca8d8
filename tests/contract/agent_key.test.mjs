// The agent's key is not to be read by the commands that it runs: neither from its own environment, nor from that of a process's shim.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { readFileSync, readdirSync } from 'node:fs';
import * as ecs from '@aws-sdk/client-ecs';
import { Server, waitFor } from '../lib/lib.mjs';

let server, client, agent;
const send = (name, input = {}) => client.send(new ecs[`${name}Command`](input));
const environmentOf = (pid) => readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').filter((word) => word.includes('='));

before(async () => {
    server = await Server.start();
    client = server.sdk();
    await send('CreateCluster');
    agent = await server.agent(['--runtime', 'process', '--metadata-listen', 'off']);
    await waitFor('the machine', async () => (await server.connected('default')) === 1);
});
after(() => server?.stop());

test('the environment of the agent holds its key no more, and it still works', async () => {
    const words = environmentOf(agent.child.pid);
    assert.ok(words.some((word) => word.startsWith('AWS_DEFAULT_REGION=')), 'it is the environment');
    assert.deepStrictEqual(words.filter((word) => /^AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY)=./.test(word)), []);
    assert.ok(!words.some((word) => word.includes(server.secret)));
});

test('neither the shim over a process nor the process has it', async () => {
    await send('RegisterTaskDefinition', { family: 'sleeper', containerDefinitions: [{ name: 'main', image: 'none', memory: 8, command: ['sleep', '600'] }] });
    const { tasks: [{ taskArn }] } = await send('RunTask', { taskDefinition: 'sleeper' });
    await waitFor('the task to run', async () => (await send('DescribeTasks', { tasks: [taskArn] })).tasks[0].lastStatus === 'RUNNING');
    const shims = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).filter((pid) => {
        try {
            const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
            return words[1] === '__shim' && words[2].startsWith(agent.data);
        } catch { return false; }
    });
    assert.strictEqual(shims.length, 1);
    const [command] = readFileSync(`/proc/${shims[0]}/task/${shims[0]}/children`, 'utf8').split(' ');
    for (const pid of [shims[0], command]) {
        assert.ok(environmentOf(pid).some((word) => word.startsWith('PATH=')), 'it is the environment');
        assert.deepStrictEqual(environmentOf(pid).filter((word) => /^(AWS_(ACCESS|SECRET|SESSION)|BERTH_(ROOT|REGISTRY))/.test(word) || word.includes(server.secret)), []);
    }
    await send('StopTask', { task: taskArn });
    await waitFor('the task to stop', async () => (await send('DescribeTasks', { tasks: [taskArn] })).tasks[0].lastStatus === 'STOPPED');
});
