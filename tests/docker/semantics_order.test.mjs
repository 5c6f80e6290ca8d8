// The order of containers, the meaning of an end, and its report: dependencies, the essential rule, restart policies, stops, and what a person
// does to containers behind the agent's back. On a real engine.
import { describe, test, before, after } from 'node:test';
import assert from 'node:assert';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Stage, byName, docker, folder, inspect, shell, sleep, waitFor } from './stage.mjs';

let stage;
before(async () => { stage = await Stage.open(); });
after(() => stage.close());

const after_ = (containerName, condition) => ({ dependsOn: [{ containerName, condition }] });
const aside = { essential: false };
const files = (name) => ({ volumes: [{ name: 'files', host: { sourcePath: folder(name) } }] });
const mounted = { mountPoints: [{ sourceVolume: 'files', containerPath: '/files' }] };
const absent = { name: 'target', image: 'busybox:latest', memory: 32, command: ['/no/such/program'], ...aside };     // never starts
const graph = 'CannotStartContainerError: dependency graph: container ';

describe('order', { concurrency: 16 }, () => {
    test('SUCCESS and COMPLETE: the last of a chain runs when the others have ended as they should', async () => {
        const arn = await stage.run('chain', [
            shell('last', 'cat /files/log', { ...mounted, ...after_('any', 'COMPLETE') }),
            shell('any', 'echo any >>/files/log; exit 3', { ...aside, ...mounted, ...after_('good', 'SUCCESS') }),
            shell('good', 'echo good >>/files/log', { ...aside, ...mounted }),
        ], { task: files('chain') });
        const task = await stage.becomes(arn, 'STOPPED');
        assert.deepStrictEqual(byName(task, 'exitCode'), { last: 0, any: 3, good: 0 });
        assert.strictEqual(await stage.output(arn, 'last'), 'good\nany\n');
    });

    const never = [
        ['SUCCESS', 'bad', shell('target', 'exit 4', aside), 'will never succeed', 4],
        ['COMPLETE', 'absent', absent, 'will never complete', undefined],
        ['SUCCESS', 'late', shell('target', 'sleep 600', { ...aside, startTimeout: 3 }), 'will never succeed', 143],
        ['HEALTHY', 'ill', shell('target', 'sleep 600', { ...aside, startTimeout: 3, healthCheck: { command: ['CMD-SHELL', 'exit 1'], interval: 5 } }),
            'will never be found healthy', 143],
    ];
    for (const [condition, name, target, words, code] of never) {
        test(`${condition} that can't come true (${name}): 143 and the reason, and the task ends`, async () => {
            const arn = await stage.run(`never-${name}`, [shell('main', 'true', after_('target', condition)), target]);
            const task = await stage.becomes(arn, 'STOPPED');
            const { main, target: other } = byName(task);
            assert.deepStrictEqual([main.exitCode, main.reason], [143, `${graph}target ${words}`]);
            if (name === 'late' || name === 'ill') assert.ok([137, code].includes(other.exitCode));      // sleep as the first process hears no SIGTERM
            else assert.strictEqual(other.exitCode, code);
            assert.strictEqual(main.runtimeId, undefined);
        });
    }

    test('START and links that can\'t come true', async () => {
        const arn = await stage.run('never-start', [
            shell('main', 'true', { links: ['target'] }), shell('side', 'true', { ...aside, ...after_('target', 'START') }),
            absent,
        ]);
        const task = await stage.becomes(arn, 'STOPPED');
        assert.deepStrictEqual([task.stopCode, task.stoppedReason], ['TaskFailedToStart', 'Task failed to start']);
        const { main, side, target } = byName(task);
        assert.deepStrictEqual([main.exitCode, main.reason], [143, `${graph}target will never start`]);
        assert.match(side.reason, /^(CannotStartContainerError: dependency graph|TaskStoppedBeforePullBeginError)/);     // main's end may come first
        assert.match(target.reason, /^CannotStartContainerError: /);
    });

    test('a stop goes the other way round', async () => {
        const says = (name) => `trap 'echo ${name} >>/files/log; exit 0' TERM; echo ready; while true; do sleep 0.1; done`;
        const arn = await stage.run('backwards', [
            shell('db', says('db'), { ...mounted, stopTimeout: 60 }),
            shell('app', says('app'), { ...mounted, stopTimeout: 60, ...after_('db', 'START') }),
            shell('web', says('web'), { ...mounted, stopTimeout: 60, links: ['app'] }),
        ], { task: files('backwards') });
        const { containers } = await stage.becomes(arn, 'RUNNING');
        for (const { runtimeId } of containers) await waitFor('its trap', () => docker('logs', runtimeId) === 'ready');
        const task = await stage.stop(arn);
        assert.strictEqual(readFileSync(path.join(folder('backwards'), 'log'), 'utf8'), 'web\napp\ndb\n');
        assert.deepStrictEqual(byName(task, 'exitCode'), { db: 0, app: 0, web: 0 });
        assert.strictEqual(task.stopCode, 'UserInitiated');
    });

    test('a container that is not essential may end, and the task runs on; the end of an essential one ends it all', async () => {
        const arn = await stage.run('essential', [
            shell('main', 'until [ -e /files/end ]; do sleep 0.1; done; exit 5', mounted), shell('side', 'exit 6', aside),
            shell('helper', 'sleep 600', { ...aside, stopTimeout: 2 }),
        ], { task: files('essential') });
        await waitFor('the side-car to end', async () => { const task = await stage.describe(arn); return task.lastStatus === 'RUNNING' && byName(task).side.exitCode === 6; }, { seconds: 300 });
        writeFileSync(path.join(folder('essential'), 'end'), '');
        const task = await stage.becomes(arn, 'STOPPED');
        assert.deepStrictEqual([task.stopCode, task.stoppedReason], ['EssentialContainerExited', 'Essential container in task exited']);
        assert.deepStrictEqual(byName(task, 'exitCode'), { main: 5, side: 6, helper: 137 });
        assert.ok(task.containers.every((container) => container.reason === undefined));
    });

    const restartPolicy = { enabled: true, ignoredExitCodes: [9], restartAttemptPeriod: 60 };

    test('the same container runs again, the server hears nothing, and an ignored code ends it', async () => {
        const script = 'echo run; if [ -e /files/again ]; then until [ -e /files/end ]; do sleep 0.1; done; exit 9; fi; echo >/files/again; sleep 61; exit 1';
        const arn = await stage.run('restarts', [shell('main', script, { ...mounted, restartPolicy, portMappings: [{ containerPort: 80 }] })],
            { task: files('restarts') });
        const before_ = await stage.becomes(arn, 'RUNNING');
        const { runtimeId, networkBindings } = before_.containers[0];
        await waitFor('the second run', () => docker('logs', runtimeId) === 'run\nrun', { seconds: 300 });
        const after = await stage.describe(arn);
        assert.deepStrictEqual([after.lastStatus, after.version, after.startedAt], ['RUNNING', before_.version, before_.startedAt]);
        assert.deepStrictEqual([after.containers[0].runtimeId, after.containers[0].networkBindings], [runtimeId, networkBindings]);
        assert.strictEqual(inspect(runtimeId).NetworkSettings.Ports['80/tcp'][0].HostPort, String(networkBindings[0].hostPort));
        await waitFor('the agent to tell', () => stage.agent.output.includes('was started again'));
        writeFileSync(path.join(folder('restarts'), 'end'), '');
        const task = await stage.becomes(arn, 'STOPPED');
        assert.deepStrictEqual([task.containers[0].exitCode, task.containers[0].runtimeId], [9, runtimeId]);
        assert.strictEqual(await stage.output(arn), 'run\nrun\n');
    });

    test('an end before the period is over counts', async () => {
        const task = await stage.becomes(await stage.run('restarts-not', [shell('main', 'exit 1', { restartPolicy })]), 'STOPPED');
        assert.deepStrictEqual([task.containers[0].exitCode, task.stopCode], [1, 'EssentialContainerExited']);
    });
});

describe('behind the agent\'s back', { concurrency: 4 }, () => {
    test('a container removed by hand has vanished', async () => {
        const arn = await stage.run('vanishes', [shell('main', 'sleep 600')]);
        const { containers } = await stage.becomes(arn, 'RUNNING');
        docker('rm', '-f', containers[0].runtimeId);
        const task = await stage.becomes(arn, 'STOPPED');
        assert.match(`${task.containers[0].reason} ${task.containers[0].exitCode}`, /^(ContainerVanishedError: No container matching saved ID found undefined|undefined 137)$/);
    });

    test('a container killed or stopped by hand has ended with its code', async () => {
        const arn = await stage.run('killed', [shell('main', 'sleep 600')]);
        const { containers } = await stage.becomes(arn, 'RUNNING');
        docker('kill', containers[0].runtimeId);
        const task = await stage.becomes(arn, 'STOPPED');
        assert.deepStrictEqual([task.containers[0].exitCode, task.containers[0].reason, task.stopCode], [137, undefined, 'EssentialContainerExited']);
    });

    test('a paused container still runs', async () => {
        const arn = await stage.run('paused', [shell('main', 'sleep 600')]);
        const { containers } = await stage.becomes(arn, 'RUNNING');
        docker('pause', containers[0].runtimeId);
        await sleep(2000);
        assert.strictEqual((await stage.describe(arn)).lastStatus, 'RUNNING');
        docker('unpause', containers[0].runtimeId);
        await stage.stop(arn);
    });

    test('while the agent is away: one removed, one ended, one that runs on', async () => {
        const names = ['gone', 'over', 'stays'];
        const arns = await Promise.all(names.map((name) => stage.run(`away-${name}`, [shell('main', 'sleep 600')])));
        const tasks = await Promise.all(arns.map((arn) => stage.becomes(arn, 'RUNNING')));
        const ids = tasks.map((task) => task.containers[0].runtimeId);
        await stage.agent.signal('SIGKILL');
        docker('rm', '-f', ids[0]);
        docker('kill', ids[1]);
        stage.agent = await stage.server.agentIn(stage.agent.data, stage.args);
        const gone = await stage.becomes(arns[0], 'STOPPED'), over = await stage.becomes(arns[1], 'STOPPED');
        assert.strictEqual(gone.containers[0].reason, 'ContainerVanishedError: No container matching saved ID found');
        assert.deepStrictEqual([over.containers[0].exitCode, over.containers[0].reason], [137, undefined]);
        const stays = await stage.describe(arns[2]);
        assert.deepStrictEqual([stays.lastStatus, stays.containers[0].runtimeId], ['RUNNING', ids[2]]);
        await stage.stop(arns[2]);
    });
});
