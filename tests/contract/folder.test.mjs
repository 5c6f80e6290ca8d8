// An agent that has lost its folder: what it ran is ended, and its earlier record goes. Real processes.
import { test } from 'node:test';
import assert from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Server, lives, program, remove, waitFor } from '../lib/lib.mjs';

const run = promisify(execFile);
const ok = (reply) => { assert.strictEqual(reply.status, 200, reply.text); return reply.json; };

test('what a lost folder left behind is ended, and its record deregistered', async () => {
    const server = await Server.start();
    const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-folder-')), data = path.join(folder, 'data'), says = path.join(folder, 'pid');
    const join = () => server.agentIn(data, ['--runtime', 'process', '--stop-timeout', '2s']);
    const machines = async (status) => ok(await server.call('ListContainerInstances', { status })).containerInstanceArns ?? [];
    const describe = async (arn) => ok(await server.call('DescribeContainerInstances', { containerInstances: [arn] })).containerInstances[0];
    try {
        const first = await join();
        await waitFor('this machine', async () => (await server.connected('default')) === 1);
        const [former] = await machines('ACTIVE');
        ok(await server.call('RegisterTaskDefinition', { family: 'left', containerDefinitions: [{ name: 'main', image: 'none', memory: 8, entryPoint: ['sh', '-c'],
            command: [`echo $$ >${says}; while :; do sleep 0.2; done`] }] }));
        const { tasks: [{ taskArn: task }] } = ok(await server.call('RunTask', { taskDefinition: 'left' }));
        const show = async () => ok(await server.call('DescribeTasks', { tasks: [task] })).tasks[0];
        await waitFor('the task to run', async () => (await show()).lastStatus === 'RUNNING');
        const pid = await waitFor('its number', () => { try { return Number(readFileSync(says, 'utf8')); } catch { return 0; } });
        await first.signal('SIGKILL');
        remove(data);
        assert.ok(lives(pid), 'it outlives its agent and its folder');

        const second = await join();
        await waitFor('the process that was left to be ended', () => !lives(pid));
        await waitFor('the log to mention it', () => /a container of an earlier life is gone container=main/.test(second.output));
        await waitFor('the former record to go', async () => (await describe(former)).status === 'INACTIVE');
        const { statusReason } = await describe(former), [now] = await machines('ACTIVE');
        assert.notStrictEqual(now, former);
        assert.strictEqual(statusReason, `Its agent has lost its folder: the machine is registered as ${now.split('/').at(-1)} now`);
        assert.strictEqual((await show()).stopCode, 'InfrastructureHealth');
        const { status, attributes } = await describe(now);
        assert.strictEqual(status, 'ACTIVE');

        // A person decides what cannot be known for sure.
        const check = async () => {
            const { stdout } = await run(program, ['doctor', '--output', 'json', '--data', server.data]).catch((error) => error);
            return JSON.parse(stdout).findings.find((one) => one.check === 'former-machines');
        };
        assert.strictEqual(await check(), undefined);
        ok(await server.call('RegisterContainerInstance', { attributes: attributes.filter(({ name }) => ['berth.name', 'berth.runtime'].includes(name)).map(({ name, value }) => ({ name, value })) }));
        const finding = await check();
        assert.strictEqual(finding.status, 'WARN');
        assert.match(finding.text, /with a connected one: 1, such as /);
        assert.match(finding.remedy, /deregister-container-instance --force/);
    } finally {
        await server.stop();
        remove(folder);
    }
});
