// A machine whose owner gives nothing away, on a real engine: what amounts to privileged is placed elsewhere, or refused by the agent; what
// every container has anyway, and what the owner has named, works.
import { describe, test, before, after } from 'node:test';
import assert from 'node:assert';
import { Stage, shell } from './stage.mjs';

let stage;
before(async () => { stage = await Stage.open({ args: ['--no-privileged', '--allow-devices', '/dev/zero'] }); });
after(() => stage.close());

const device = (hostPath) => ({ linuxParameters: { devices: [{ hostPath }] } });
const add = (...names) => ({ linuxParameters: { capabilities: { add: names } } });

describe('not placed', { concurrency: true }, () => {
    const rows = [['privileged', { privileged: true }], ['capability', add('CHOWN', 'SYS_PTRACE')], ['processes', add('SYS_PTRACE'), { pidMode: 'host' }], ['host-pid', {}, { pidMode: 'host' }],
        ['host-ipc', {}, { ipcMode: 'host' }]];
    for (const [name, container, task] of rows) {
        test(name, async () => {
            await stage.define(name, [shell('main', 'true', container)], task);
            const { tasks, failures } = await stage.call('RunTask', { taskDefinition: name });
            assert.deepStrictEqual([tasks, failures.map((one) => one.reason)], [[], ['ATTRIBUTE']]);
        });
    }
});

describe('refused by the agent', { concurrency: true }, () => {
    for (const [name, container, reason] of [['device', device('/dev/full'), /^CannotCreateContainerError: device \/dev\/full is not one that this machine gives/]]) {
        test(name, async () => {
            const ended = await stage.becomes(await stage.run(name, [shell('main', 'true', container)]), 'STOPPED');
            assert.deepStrictEqual([ended.stopCode, ended.containers[0].exitCode], ['TaskFailedToStart', undefined]);
            assert.match(ended.containers[0].reason, reason);
        });
    }
});

describe('works', { concurrency: true }, () => {
    const rows = [['usual', add('CHOWN', 'KILL'), 'echo 1'], ['named', device('/dev/zero'), 'head -c 1 /dev/zero | busybox wc -c'], ['fewer', { dockerSecurityOptions: ['no-new-privileges'] }, 'echo 1'],
        ['network', {}, 'echo 1', { networkMode: 'host' }]];
    for (const [name, container, script, task] of rows) {
        test(name, async () => {
            const arn = await stage.run(name, [shell('main', script, container)], { task });
            assert.strictEqual((await stage.becomes(arn, 'STOPPED')).containers[0].exitCode, 0, await stage.output(arn));
            assert.strictEqual((await stage.output(arn)).trim(), '1');
        });
    }
});
