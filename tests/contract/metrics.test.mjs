// How much of what they have machines use: told by both kinds of agents, shown by /berth/v1/samples and /metrics.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { EcsAgent, openTelemetry } from '../lib/agent_client.mjs';
import { Server, program, root, waitFor } from '../lib/lib.mjs';

let server;
const sockets = [];

before(async () => {
    server = await Server.start();
    await server.call('CreateCluster', {});
    await server.call('RegisterTaskDefinition', { family: 'plain', containerDefinitions: [{ name: 'main', image: 'busybox', memory: 16 }] });
    await server.call('RegisterTaskDefinition', { family: 'gpu', containerDefinitions: [{ name: 'main', image: 'i', memory: 16, resourceRequirements: [{ type: 'GPU', value: '1' }] }] });
});
after(async () => {
    for (const socket of sockets) await socket.hangUp();
    await server.stop();
});

const metrics = async () => (await server.raw({ method: 'GET', pathname: '/metrics', body: '' })).text;
const samples = async (query) => (await server.raw({ method: 'GET', pathname: `/berth/v1/samples?${query}` })).json;
const tell = (body, more = {}) => server.raw({ pathname: '/berth/v1/agent/samples', body: JSON.stringify(body), ...more });
const idOf = (arn) => arn.split('/').at(-1);
// The value of a metric's line that has all these labels.
function value(text, name, labels) {
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && Object.entries(labels).every(([label, want]) => line.includes(`${label}="${want}"`)));
    assert.ok(lines.length <= 1, lines.join('\n'));
    return lines.length === 0 ? undefined : Number(lines[0].split(' ').at(-1));
}

test('the ECS agent: containers in cores and bytes, by task and container', async () => {
    await server.call('CreateCluster', { clusterName: 'ecs' });
    const agent = new EcsAgent(server, { cluster: 'ecs' });
    await agent.start();
    sockets.push(agent.socket);
    const { json } = await server.call('RunTask', { cluster: 'ecs', taskDefinition: 'plain' });
    const task = json.tasks[0].taskArn;
    await agent.told(task, 'RUNNING');
    await agent.report(task, 'RUNNING');
    const socket = await openTelemetry(agent);
    sockets.push(socket);
    const { registeredResources } = (await server.call('DescribeContainerInstances', { cluster: 'ecs', containerInstances: [agent.arn] })).json.containerInstances[0];
    const cores = registeredResources.find((resource) => resource.name === 'CPU').integerValue / 1024;
    const metadata = { cluster: 'ecs', containerInstance: agent.arn, idle: false, messageId: 'one', fin: true };
    const set = (mean) => ({ min: 0, max: 100, sampleCount: 4, sum: mean * 4 });
    const publish = (taskMetrics) => socket.publish('PublishMetricsRequest', { metadata, timestamp: Date.now() / 1000, taskMetrics });
    publish([
        { taskArn: task, taskDefinitionFamily: 'plain', taskDefinitionVersion: '1', containerMetrics: [
            { containerName: 'main', cpuStatsSet: set(25), memoryStatsSet: set(64), restartStatsSet: { restartCount: 0 } },
            { containerName: 'no name"', cpuStatsSet: set(1) }, { containerName: 'silent' }, 7, {} ] },
        { taskArn: task.replace(/.{8}$/, '00000000'), containerMetrics: [{ containerName: 'main', cpuStatsSet: set(1) }] },
        { taskArn: 'nonsense', containerMetrics: [{ containerName: 'main', cpuStatsSet: set(1) }] }, null, {} ]);
    const labels = { cluster: 'ecs', container_instance: idOf(agent.arn), task: idOf(task), container: 'main' };
    await waitFor('the container in /metrics', async () => value(await metrics(), 'berth_container_cpu_cores', labels) !== undefined);
    const text = await metrics();
    assert.strictEqual(value(text, 'berth_container_cpu_cores', labels), cores / 4);
    assert.strictEqual(value(text, 'berth_container_memory_bytes', labels), 64 * 1024 * 1024);
    assert.strictEqual(text.match(/^berth_container_cpu_cores\{/gm).length, 1, 'stopped containers, and those without a figure, are not shown');
    assert.strictEqual(text.match(/^# TYPE berth_container_cpu_cores gauge$/gm).length, 1);
    publish([{ taskArn: task, containerMetrics: [{ containerName: 'main', cpuStatsSet: { sampleCount: 1, sum: 1e308 }, memoryStatsSet: { sampleCount: 0, sum: 3 } }] }]);
    await waitFor('figures that cannot be to be dropped', async () => value(await metrics(), 'berth_container_cpu_cores', labels) === undefined);
    publish([{ taskArn: task, containerMetrics: [{ containerName: 'main', cpuStatsSet: set(50) }] }]);
    await waitFor('the new figure', async () => value(await metrics(), 'berth_container_cpu_cores', labels) === cores / 2);
    await agent.report(task, 'STOPPED');
    await waitFor('a stopped task to leave', async () => value(await metrics(), 'berth_container_cpu_cores', labels) === undefined);
});

test('Berth\'s agent: GPUs with their holders; what is wrong is refused by name', async () => {
    await server.call('CreateCluster', { clusterName: 'own' });
    await server.fleet('p3.8xlarge', 1, { cluster: 'own', args: ['--name', 'told', '--sample-interval', '0s'] });
    const [arn] = (await server.call('ListContainerInstances', { cluster: 'own' })).json.containerInstanceArns;
    const { json } = await server.call('RunTask', { cluster: 'own', taskDefinition: 'gpu' });
    const task = json.tasks[0].taskArn;
    const [uuid] = await waitFor('the task to run', async () => {
        const { tasks } = (await server.call('DescribeTasks', { cluster: 'own', tasks: [task] })).json;
        return tasks[0].lastStatus === 'RUNNING' && tasks[0].containers[0].gpuIds;
    });
    const gpu = { uuid, utilization: 0.875, memoryUsedBytes: 1024, memoryTotalBytes: 17179869184, temperatureCelsius: 61, powerWatts: 250.5, processes: 1 };
    const good = { cluster: 'own', containerInstance: arn, gpus: [gpu, { uuid: 'GPU-of-another-machine', utilization: 1 }], containers: [{ task, container: 'main', cpuCores: 1.5, memoryBytes: 4096, networkReceivedBytes: 7, blockWrittenBytes: 8 }] };
    const told = await tell(good);
    assert.deepStrictEqual([told.status, told.text], [200, '{}']);
    const text = await metrics(), labels = { cluster: 'own', gpu: uuid, task: idOf(task) };
    const want = { berth_gpu_utilization_ratio: 0.875, berth_gpu_memory_used_bytes: 1024, berth_gpu_memory_total_bytes: 17179869184, berth_gpu_temperature_celsius: 61, berth_gpu_power_watts: 250.5, berth_gpu_processes: 1 };
    for (const [name, figure] of Object.entries(want)) assert.strictEqual(value(text, name, labels), figure, name);
    assert.strictEqual(value(text, 'berth_gpu_clock_hertz', { gpu: uuid }), undefined, 'a figure that was not reported is not made up');
    assert.doesNotMatch(text, /GPU-of-another-machine/);
    const totals = { container_instance: idOf(arn), container: 'main' };
    assert.deepStrictEqual(['network_receive', 'network_transmit', 'block_read', 'block_write'].map((name) => value(text, `berth_container_${name}_bytes_total`, totals)), [7, undefined, undefined, 8]);
    assert.match(text, /^# TYPE berth_container_block_write_bytes_total counter$/m);
    const listed = await samples('cluster=own');
    assert.strictEqual(listed.total, 1);
    const [machine] = listed.machines;
    assert.deepStrictEqual([machine.id, machine.name, machine.gpus.length, machine.taskCount], [idOf(arn), 'told-p3.8xlarge-1', 4, 1]);
    const shown = machine.gpus.find((one) => one.uuid === uuid);
    assert.deepStrictEqual([shown.tasks, shown.utilization], [[idOf(task)], 0.875]);
    assert.deepStrictEqual(machine.containers.map(({ at, ...rest }) => rest), [{ task: idOf(task), container: 'main', cpuCores: 1.5, memoryBytes: 4096, networkReceivedBytes: 7, blockWrittenBytes: 8 }]);
    assert.strictEqual((await samples('instance=00000000000000000000000000000000')).total, 0);
    assert.strictEqual((await tell({ ...good, gpusAgeMs: 20_000, containersAgeMs: 3_600_000 })).status, 200);
    const [aged] = (await samples('cluster=own')).machines;
    assert.deepStrictEqual([aged.at - aged.gpus.find((one) => one.uuid === uuid).at, aged.containers], [20_000, []], 'read before it was reported; old figures are not kept');
    assert.strictEqual((await tell(good)).status, 200);
    assert.deepStrictEqual((await samples(`instance=${idOf(arn)}`)).machines.map((one) => one.id), [idOf(arn)]);
    assert.strictEqual((await samples('cluster=nobody')).total, 0);
    const refused = [
        [{ ...good, gpus: [{ ...gpu, utilization: 87 }] }, 'InvalidParameterException', /gpus\[0\]\.utilization/],
        [{ ...good, gpusAgeMs: -1 }, 'InvalidParameterException', /gpusAgeMs/],
        [{ ...good, gpus: [{ utilization: 0.5 }] }, 'InvalidParameterException', /uuid/],
        [{ ...good, gpus: [{ ...gpu, powerWatts: 'much' }] }, 'SerializationException', /./],
        [{ ...good, containers: [{ task, container: 'a"b' }] }, 'InvalidParameterException', /container's name/],
        [{ ...good, containerInstance: arn.replace(/.{8}$/, '00000000') }, 'InvalidParameterException', /container instance was not found/],
    ];
    for (const [body, type, message] of refused) {
        const reply = await tell(body);
        assert.strictEqual(reply.json.__type, type, reply.text);
        assert.match(reply.json.message ?? reply.json.Message, message);
    }
    assert.strictEqual((await tell(good, { secret: 'wrong' })).json.__type, 'InvalidSignatureException');
});

const berth = async (...args) => {
    const child = spawn(program, [...args, '--server', server.url], { cwd: root, env: { PATH: process.env.PATH, ...server.environment() } });
    let out = '';
    child.stdout.on('data', (data) => { out += data; });
    assert.strictEqual(await new Promise((resolve) => child.on('close', resolve)), 0);
    return out;
};

test('simulated machines say so, follow their tasks, and are on one screen', async () => {
    await server.call('CreateCluster', { clusterName: 'fleet' });
    await server.fleet('p3.8xlarge:2,c5.2xlarge', 3, { cluster: 'fleet', args: ['--sample-interval', '100ms'] });
    const machines = async () => (await samples('cluster=fleet')).machines;
    await waitFor('both to tell', async () => (await machines()).every((machine) => machine.at !== null));
    assert.deepStrictEqual((await machines()).map((machine) => [machine.simulated, machine.gpus.length]), [[true, 4], [true, 4]], 'and not the one without GPUs');
    for (const machine of await machines()) assert.ok(machine.gpus.every((gpu) => gpu.utilization === 0 && gpu.memoryUsedBytes === 0), 'nobody uses them');
    const { json } = await server.call('RunTask', { cluster: 'fleet', taskDefinition: 'gpu' });
    const [task] = json.tasks;
    const busy = async () => (await machines()).flatMap((machine) => machine.gpus).filter((gpu) => gpu.utilization > 0.5);
    const [gpu] = await waitFor('its GPU to be busy', async () => { const all = await busy(); return all.length > 0 && all; });
    assert.deepStrictEqual([gpu.tasks, (await busy()).length], [[idOf(task.taskArn)], 1]);
    assert.strictEqual(value(await metrics(), 'berth_gpu_processes', { gpu: gpu.uuid, simulated: 'true', task: idOf(task.taskArn) }), 1);
    const table = await berth('top', '--cluster', 'fleet');
    const columns = (name) => table.split('\n').find((line) => line.startsWith(name)).split(/\s+/).slice(2, 5);
    assert.deepStrictEqual(['p3.8xlarge-1', 'p3.8xlarge-2'].map(columns).sort(), [['4', '0', '0'], ['4', '1', '1']]);
    assert.match(table, /^MACHINE +CLUSTER +GPUS HELD TASKS +BUSY/);
    assert.match(table, /s ago \(simulated\)$/m);
    const gpus = await berth('top', '--gpus', '--cluster', 'fleet');
    assert.match(gpus, /^MACHINE +GPU MODEL +BUSY +USED +MEMORY +TEMP +POWER +TASKS$/m);
    assert.deepStrictEqual(gpus.trim().split('\n').slice(1).map((line) => line.split(/\s+/).slice(0, 2).join(' ')), ['p3.8xlarge-1', 'p3.8xlarge-2'].flatMap((name) => [0, 1, 2, 3].map((slot) => `${name} ${slot}`)));
    assert.deepStrictEqual(gpus.match(/ [0-9a-f]{8}$/gm), [` ${idOf(task.taskArn).slice(-8)}`], 'one of them is held');
    const told = JSON.parse(await berth('top', '--output', 'json', '--cluster', 'fleet'));
    assert.strictEqual(told.machines.flatMap((machine) => machine.gpus).filter((one) => one.tasks.length > 0)[0].uuid, gpu.uuid);
    await server.call('StopTask', { cluster: 'fleet', task: task.taskArn });
    await waitFor('its GPU to be idle', async () => (await busy()).length === 0);
});

test('berth top: natural order, all of them elsewhere, and on a terminal what fits', async () => {
    await server.call('CreateCluster', { clusterName: 'many' });
    await server.fleet('p3.2xlarge:24', 24, { cluster: 'many', args: ['--sample-interval', '100ms', '--fake-silent'] });
    await waitFor('all to tell', async () => (await samples('cluster=many')).machines.every((machine) => machine.at !== null));
    const names = (text) => [...text.matchAll(/^(?:\x1b\[[?0-9]*[a-zA-Z])*p3\.2xlarge-(\d+) /gm)].map((found) => Number(found[1]));
    const all = Array.from({ length: 24 }, (_, n) => n + 1);
    assert.deepStrictEqual(names(await berth('top', '--cluster', 'many')), all, 'all of them, -2 before -10');

    const quoted = [program, 'top', '--cluster', 'many', '--server', server.url].map((word) => `'${word}'`).join(' ');
    const screen = spawn('script', ['-qefc', `stty rows 12 cols 80; ${quoted}`, '/dev/null'], { env: { PATH: process.env.PATH, TERM: 'xterm', ...server.environment() } });
    const ended = new Promise((resolve) => screen.on('close', resolve));
    let shown = '';
    screen.stdout.on('data', (data) => { shown += data; });
    const last = () => shown.split('\x1b[H\x1b[J').at(-1).replaceAll('\r', '');
    const showsFrom = (first, keys) => {
        screen.stdin.write(keys);
        return waitFor(`lines from ${first} on (${last()})`, () => JSON.stringify(names(last())) === JSON.stringify(all.slice(first - 1, first + 9))
            && last().includes(`${first}-${first + 9} of 24 machines`));
    };
    await showsFrom(1, '');
    assert.strictEqual(last().trimEnd().split('\n').length, 12, 'the screen has twelve lines');
    await showsFrom(2, '\x1b[B');
    await showsFrom(12, '\x1b[6~');
    await showsFrom(15, '\x1b[F');
    await showsFrom(15, 'j');
    await showsFrom(14, '\x1b[A');
    await showsFrom(4, 'b');
    await showsFrom(1, '\x1b[5~x\x1b[5~');
    screen.stdin.write('c');
    await waitFor('GPUs one by one', () => /^(\x1b\[[?0-9]*[a-zA-Z])*MACHINE +GPU MODEL/.test(last()) && last().includes('1-10 of 24 GPUs   arrows') && last().includes('c shows machines'));
    screen.stdin.write('q');
    assert.strictEqual(await ended, 0);
});

test('the containers of Berth\'s agent: told, listed, streamed, and gone with their task', async () => {
    await server.call('CreateCluster', { clusterName: 'real' });
    const agent = await server.agent(['--cluster', 'real', '--runtime', 'process', '--name', 'real', '--sample-interval', '200ms']);
    await waitFor('this machine', async () => (await server.connected('real')) === 1);
    await server.call('RegisterTaskDefinition', { family: 'busy', containerDefinitions: [
        { name: 'main', image: 'none', memory: 16, command: ['sh', '-c', 'while :; do :; done'] }, { name: 'side', image: 'none', memory: 16, command: ['sleep', '3600'] }] });
    const { json } = await server.call('RunTask', { cluster: 'real', taskDefinition: 'busy' });
    const task = idOf(json.tasks[0].taskArn);
    const told = async () => ((await samples('cluster=real')).machines[0]?.containers ?? []).sort((a, b) => (a.container < b.container ? -1 : 1));
    const [main, side] = await waitFor('both containers with a rate', async () => { const all = await told(); return all.length === 2 && all.every((one) => one.cpuCores !== undefined) && all[0].cpuCores > 0 && all; });
    assert.deepStrictEqual([main.task, main.container, side.task, side.container], [task, 'main', task, 'side']);
    assert.ok(main.cpuCores > side.cpuCores && side.cpuCores < 0.5 && main.memoryBytes > 0 && main.blockReadBytes >= 0, JSON.stringify([main, side]));
    assert.strictEqual(main.networkReceivedBytes, undefined, 'a process has no network of its own');
    const labels = { cluster: 'real', task, container: 'main' };
    await waitFor('them in /metrics', async () => value(await metrics(), 'berth_container_cpu_cores', labels) > 0 && value(await metrics(), 'berth_container_memory_bytes', labels) > 0);

    const stream = await fetch(`${server.url}/berth/v1/events`, { headers: server.login() }), reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const machine = await waitFor('the stream to tell', async () => {
        text += (await reader.read()).value;
        const events = [...text.matchAll(/^event: use\ndata: (.*)$/gm)].flatMap((match) => JSON.parse(match[1]).machines);
        return events.find((one) => one.containers.some(([id, name]) => id === task && name === 'main'));
    });
    await reader.cancel();
    assert.deepStrictEqual([machine.simulated, machine.containers.length, machine.containers[0].length], [false, 2, 9]);

    await server.call('StopTask', { cluster: 'real', task });
    await waitFor('they to be gone', async () => (await told()).length === 0);
    await agent.signal('SIGTERM');
});

test('docs/metrics.md has a word for each metric, and for each reason why an agent\'s connection ends', async () => {
    const text = await metrics(), page = readFileSync(path.join(root, 'docs/metrics.md'), 'utf8');
    const names = [...text.matchAll(/^# TYPE (\w+) /gm)].map((found) => found[1]), reasons = [...text.matchAll(/_closed_total\{reason="(\w+)"\}/g)].map((found) => found[1]);
    assert.ok(names.length > 20 && reasons.length > 10);
    assert.deepStrictEqual([...names, ...reasons].filter((name) => !page.includes(`\`${name}\``)), []);
});
