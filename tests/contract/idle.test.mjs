// GPUs that tasks hold and do not use: listed, counted, told once, and given back by tag; and the hours of all of them, by whom. Samples are sent with
// their age, so that minutes pass at once.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { Server, program, root, waitFor } from '../lib/lib.mjs';

let server, machine;
const settings = { args: ['--idle-after', '2m'] };
const idOf = (arn) => arn.split('/').at(-1);
const get = async (pathname) => (await server.raw({ method: 'GET', pathname, body: '' })).json;
const described = async (...tasks) => (await server.call('DescribeTasks', { tasks })).json.tasks;
const gauge = async () => Number((await server.raw({ method: 'GET', pathname: '/metrics', body: '' })).text.match(/^berth_gpu_idle_held (.*)$/m)[1]);

async function berth(...args) {
    const child = spawn(program, [...args, '--server', server.url], { cwd: root, env: { PATH: process.env.PATH, ...server.environment() } });
    let out = '', err = '';
    child.stdout.on('data', (data) => { out += data; });
    child.stderr.on('data', (data) => { err += data; });
    const code = await new Promise((resolve) => child.on('close', resolve));
    return { code, out, err };
}

// A running task of that many GPUs, with its GPUs.
async function run(taskDefinition, more = {}) {
    const [task] = (await server.call('RunTask', { taskDefinition, ...more })).json.tasks;
    await waitFor('the task to run', async () => (await described(task.taskArn))[0].lastStatus === 'RUNNING');
    return { arn: task.taskArn, id: idOf(task.taskArn), gpus: task.containers[0].gpuIds };
}

// One sample a minute, the last one of now. `loads`: by GPU, a number or one for each minute.
async function tell(minutes, loads) {
    for (let minute = 0; minute < minutes; minute++) {
        const gpus = Object.entries(loads).map(([uuid, load]) => ({ uuid, utilization: Array.isArray(load) ? load[minute] : load, memoryUsedBytes: 3 * 2 ** 30 }));
        const body = { cluster: 'default', containerInstance: machine, gpusAgeMs: (minutes - 1 - minute) * 60_000, gpus, containers: [] };
        assert.strictEqual((await server.raw({ pathname: '/berth/v1/agent/samples', body: JSON.stringify(body) })).status, 200);
    }
}

before(async () => {
    server = await Server.start(settings);
    await server.call('CreateCluster', {});
    const gpu = (family, value) => server.call('RegisterTaskDefinition', { family, containerDefinitions: [{ name: 'main', image: 'i', memory: 16, resourceRequirements: [{ type: 'GPU', value }] }] });
    for (const [family, value] of [['two', '2'], ['one', '1'], ['half', '0.5'], ['eight', '8']]) await gpu(family, value);
    await server.fleet('p3.16xlarge', 1, { args: ['--sample-interval', '0s'] });
    [machine] = (await server.call('ListContainerInstances', {})).json.containerInstanceArns;
});
after(async () => { await server.stop(); });

test('held idle: listed, counted, told once; a tag excuses, and a tag ends it', async () => {
    assert.strictEqual((await berth('idle')).out, 'No task holds idle GPUs.\n');
    const lazy = await run('two', { startedBy: 'ann' }), excused = await run('one', { tags: [{ key: 'berth:idle-ok', value: 'true' }] });
    const part = await run('half'), ends = await run('one', { tags: [{ key: 'berth:idle-stop', value: '3s' }, { key: 'team', value: 'vision' }] });
    const all = [lazy, excused, part, ends].flatMap((task) => task.gpus);
    await tell(3, { ...Object.fromEntries(all.map((uuid) => [uuid, 0.02])), [lazy.gpus[0]]: [0, 0.9, 0] });
    const idle = await get('/berth/v1/idle');
    assert.deepStrictEqual([idle.below, idle.afterSeconds, idle.gpus], [0.05, 120, 2.5]);
    const rows = Object.fromEntries(idle.tasks.map((task) => [task.task, task]));
    assert.deepStrictEqual(Object.keys(rows).sort(), [lazy.id, part.id, ends.id].sort());
    assert.deepStrictEqual([rows[lazy.id].gpus, rows[lazy.id].idleGpus, rows[lazy.id].gpuIds, rows[lazy.id].startedBy, rows[lazy.id].memoryUsedBytes],
        [2, 1, [lazy.gpus[1]], 'ann', 3 * 2 ** 30]);
    assert.deepStrictEqual([rows[lazy.id].idleGpuSeconds, rows[part.id].idleGpuSeconds].map(Math.round), [120, 60]);
    assert.strictEqual(rows[lazy.id].stopsAt, null);
    assert.ok(Math.abs(rows[ends.id].stopsAt - (idle.now + 3000)) < 2500, 'two minutes are over, and the grace begins');
    assert.strictEqual(await gauge(), 2.5);
    assert.strictEqual((await get('/berth/v1/idle?cluster=nobody')).tasks.length, 0);
    const { out } = await berth('idle');
    assert.match(out, new RegExp(`${lazy.id} two:1 +\\S+ +2 +1 2m\\S* +3\\.0 +0\\.03  - +ann\\n`));
    assert.deepStrictEqual(JSON.parse((await berth('idle', '--output', 'json')).out).tasks.map((task) => task.task), idle.tasks.map((task) => task.task));
    const lines = () => server.process.output.split('\n').filter((line) => line.includes('holds idle GPUs') && line.includes(lazy.id));
    await waitFor('the line', async () => lines().length === 1);

    await new Promise((resolve) => setTimeout(resolve, 3100));
    await tell(1, Object.fromEntries(all.map((uuid) => [uuid, uuid === part.gpus[0] ? 0.5 : 0])));
    const [stopped] = await waitFor('the end', async () => { const tasks = await described(ends.arn); return tasks[0].lastStatus === 'STOPPED' && tasks; });
    assert.match(stopped.stoppedReason, /^Stopped by the tag berth:idle-stop=3s: it held its GPUs idle, below 5 % of use, for \d+(\.\d)?s\.$/);
    assert.strictEqual(stopped.stopCode, 'UserInitiated');
    assert.deepStrictEqual((await described(lazy.arn, excused.arn, part.arn)).map((task) => task.desiredStatus), ['RUNNING', 'RUNNING', 'RUNNING']);
    assert.deepStrictEqual((await get('/berth/v1/idle')).tasks.map((task) => task.task), [lazy.id], 'one is busy again');
    assert.strictEqual(lines().length, 1, 'told once');
    for (const [key, value, error] of [['berth:idle-stop', 'soon', /berth:idle-stop can't be "soon"/], ['berth:idle-ok', 'maybe', /berth:idle-ok can't be "maybe"/]]) {
        const refused = await server.call('RunTask', { taskDefinition: 'one', tags: [{ key, value }] });
        assert.match(refused.json.message, error);
    }
});

test('usage: hours by tag, the rest of the use over a restart, as a table and as CSV', async () => {
    const usage = async (query) => get(`/berth/v1/usage?${new URLSearchParams(query)}`);
    const task = await run('two', { tags: [{ key: 'team', value: '=vision a' }], startedBy: 'bob' });
    await tell(4, { [task.gpus[0]]: 1, [task.gpus[1]]: 0.5 });
    const row = async () => (await usage({ by: 'tag:team', since: '1h' })).groups.find((group) => group.key?.startsWith('=vision'));
    const live = await row();
    assert.deepStrictEqual([live.tasks, live.running], [1, 1]);
    assert.ok(live.held > 0 && live.held < 0.2, 'seconds of two GPUs');
    assert.ok(live.used > 0 && live.used <= live.held && live.unknown < 0.002, `samples of all the time: ${JSON.stringify(live)}`);

    const { agents, data, port, agentPort } = server;
    assert.strictEqual((await server.process.signal('SIGTERM')).code, 0);
    server = await Server.start({ data, port: Number(port), agentPort: Number(agentPort), ...settings });
    server.agents = agents;
    await waitFor('the use', async () => (await row())?.used > 0);
    assert.ok((await row()).used > 0, 'the use before the restart is known');
    await waitFor('the machine', async () => (await server.call('DescribeContainerInstances', { containerInstances: [machine] })).json.containerInstances[0].agentConnected);
    await server.call('StopTask', { task: task.arn });
    await waitFor('the end', async () => (await described(task.arn))[0].lastStatus === 'STOPPED');
    const past = await row();
    assert.deepStrictEqual([past.tasks, past.running], [1, 0]);
    const { tasks: [entry] } = await get('/berth/v1/history?startedBy=bob');
    assert.ok(entry.usedGpuSeconds > 0 && entry.sampledGpuSeconds >= entry.usedGpuSeconds && entry.idleGpuSeconds === 0, JSON.stringify(entry));

    const { out } = await berth('usage', '--by', 'tag:team', '--since', '1h');
    assert.match(out, /^GPU-hours from \S+ \S+ to \S+ \S+ \(UTC\)\n\ntag:team +TASKS RUNNING +HELD +USED +IDLE +UNKNOWN +QUEUED +IN USE\n/);
    assert.match(out, /\n=vision a +1 +0 +\d/);
    assert.match(out, /\n\(all\) +\d/);
    const csv = (await berth('usage', '--by', 'tag:team', '--since', '1h', '--csv')).out.split('\n');
    assert.strictEqual(csv[0], '"tag:team",tasks,running,held_gpu_hours,used_gpu_hours,idle_gpu_hours,unknown_gpu_hours,queued_gpu_hours');
    assert.ok(csv.some((line) => /^"'=vision a",1,0,\d\.\d{6},/.test(line)), csv.join('\n'));
    assert.deepStrictEqual(JSON.parse((await berth('usage', '--output', 'json')).out).by, 'family');
    assert.match((await berth('usage', '--by', 'colour')).err, /it should be family, service, startedBy, cluster or tag:KEY/);
    assert.match((await berth('usage', '--since', 'soon')).err, /since can't be "soon"/);
    assert.strictEqual((await usage({ cluster: 'nobody' })).__type, 'ClusterNotFoundException');
});
