// The figures of GPUs with their owners: in /metrics under three kinds of names, read by Prometheus, and kept for later.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import * as cloudwatch from '@aws-sdk/client-cloudwatch';
import { Process, Server, waitFor } from '../lib/lib.mjs';

const PROMETHEUS = '/usr/bin/prometheus', PROMTOOL = '/usr/bin/promtool';
const skip = existsSync(PROMETHEUS) ? false : 'there is no Prometheus here: apt-get install prometheus';
const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-metrics-'));
let server, arn;

before(async () => {
    server = await Server.start();
    await server.call('CreateCluster', { clusterName: 'lab' });
    await server.call('RegisterTaskDefinition', { family: 'train', containerDefinitions: [{ name: 'main', image: 'i', memory: 16, resourceRequirements: [{ type: 'GPU', value: '4' }] }] });
    await server.fleet('p3.8xlarge', 1, { cluster: 'lab', args: ['--name', 'told', '--sample-interval', '0s'] });
    [arn] = (await server.call('ListContainerInstances', { cluster: 'lab' })).json.containerInstanceArns;
});
after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
});

const idOf = (name) => name.split('/').at(-1);
const metrics = async (query = '', headers = {}) => {
    const answer = await fetch(`${server.url}/metrics${query}`, { headers: { ...server.login(), ...headers } });
    assert.strictEqual(answer.status, 200);
    return { type: answer.headers.get('content-type'), text: await answer.text() };
};
const tell = async (gpus, gpusAgeMs = 0) => {
    const { status, text } = await server.raw({ pathname: '/berth/v1/agent/samples', body: JSON.stringify({ cluster: 'lab', containerInstance: arn, gpus, gpusAgeMs }) });
    assert.strictEqual(status, 200, text);
};
const run = async (more) => {
    const { tasks } = (await server.call('RunTask', { cluster: 'lab', taskDefinition: 'train', ...more })).json;
    return waitFor('the task to run', async () => {
        const [task] = (await server.call('DescribeTasks', { cluster: 'lab', tasks: [tasks[0].taskArn] })).json.tasks;
        return task.lastStatus === 'RUNNING' && { arn: task.taskArn, id: idOf(task.taskArn), gpus: task.containers[0].gpuIds, created: task.createdAt * 1000 };
    });
};
const stop = async (task) => {
    await server.call('StopTask', { cluster: 'lab', task: task.arn });
    return waitFor('the task to stop', async () => {
        const [found] = (await server.call('DescribeTasks', { cluster: 'lab', tasks: [task.arn] })).json.tasks;
        return found.lastStatus === 'STOPPED' && found.stoppedAt * 1000;
    });
};
const linesOf = (text, name) => text.split('\n').filter((line) => line.startsWith(`${name}{`));
const labelsOf = (line) => Object.fromEntries([...line.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map((found) => [found[1], found[2]]));
const valueOf = (text, name, uuid) => {
    const lines = linesOf(text, name).filter((line) => line.includes(`"${uuid}"`));
    return lines.length === 0 ? undefined : Number(lines[0].split(' ').at(-1));
};

// Figures as the agent reports them, and each of their names with its value there.
const FIGURES = [
    ['utilization', 0.5, { berth_gpu_utilization_ratio: 0.5, nvidia_smi_utilization_gpu: 50, DCGM_FI_DEV_GPU_UTIL: 50 }],
    ['memoryUtilization', 0.25, { berth_gpu_memory_utilization_ratio: 0.25, nvidia_smi_utilization_memory: 25, DCGM_FI_DEV_MEM_COPY_UTIL: 25 }],
    ['memoryTotalBytes', 17179869184, { berth_gpu_memory_total_bytes: 17179869184, nvidia_smi_memory_total: 16384, DCGM_FI_DEV_FB_TOTAL: 16384 }],
    ['memoryUsedBytes', 1073741824, { berth_gpu_memory_used_bytes: 1073741824, nvidia_smi_memory_used: 1024, DCGM_FI_DEV_FB_USED: 1024 }],
    ['memoryFreeBytes', 2147483648, { berth_gpu_memory_free_bytes: 2147483648, nvidia_smi_memory_free: 2048, DCGM_FI_DEV_FB_FREE: 2048 }],
    ['temperatureCelsius', 61, { berth_gpu_temperature_celsius: 61, nvidia_smi_temperature_gpu: 61, DCGM_FI_DEV_GPU_TEMP: 61 }],
    ['powerWatts', 250.5, { berth_gpu_power_watts: 250.5, nvidia_smi_power_draw: 250.5, DCGM_FI_DEV_POWER_USAGE: 250.5 }],
    ['fanSpeed', 0.75, { berth_gpu_fan_speed_ratio: 0.75, nvidia_smi_fan_speed: 75, DCGM_FI_DEV_FAN_SPEED: 75 }],
    ['pcieGeneration', 4, { berth_gpu_pcie_link_generation: 4, nvidia_smi_pcie_link_gen_current: 4, DCGM_FI_DEV_PCIE_LINK_GEN: 4 }],
    ['pcieWidth', 16, { berth_gpu_pcie_link_width: 16, nvidia_smi_pcie_link_width_current: 16, DCGM_FI_DEV_PCIE_LINK_WIDTH: 16 }],
    ['encoderSessions', 2, { berth_gpu_encoder_sessions: 2, nvidia_smi_encoder_stats_session_count: 2 }],
    ['encoderFps', 60, { berth_gpu_encoder_average_fps: 60, nvidia_smi_encoder_stats_average_fps: 60 }],
    ['encoderLatencySeconds', 0.002, { berth_gpu_encoder_average_latency_seconds: 0.002, nvidia_smi_encoder_stats_average_latency: 2000 }],
    ['graphicsClockHertz', 1410e6, { berth_gpu_graphics_clock_hertz: 1410e6, nvidia_smi_clocks_current_graphics: 1410 }],
    ['clockHertz', 1400e6, { berth_gpu_clock_hertz: 1400e6, nvidia_smi_clocks_current_sm: 1400, DCGM_FI_DEV_SM_CLOCK: 1400 }],
    ['memoryClockHertz', 1593e6, { berth_gpu_memory_clock_hertz: 1593e6, nvidia_smi_clocks_current_memory: 1593, DCGM_FI_DEV_MEM_CLOCK: 1593 }],
    ['videoClockHertz', 1275e6, { berth_gpu_video_clock_hertz: 1275e6, nvidia_smi_clocks_current_video: 1275, DCGM_FI_DEV_VIDEO_CLOCK: 1275 }],
];

test('17 figures of a GPU, under three names each; a figure that is not reported has no line', async () => {
    const task = await run({ startedBy: 'alice' }), [uuid, other] = task.gpus;
    const told = { uuid, ...Object.fromEntries(FIGURES.map(([member, value]) => [member, value])) };
    await tell([told, { uuid: other, utilization: 0 }]);
    const { text, type } = await metrics();
    assert.strictEqual(type, 'text/plain; version=0.0.4; charset=utf-8');
    for (const [member, , names] of FIGURES) {
        for (const [name, value] of Object.entries(names)) {
            assert.strictEqual(valueOf(text, name, uuid), value, name);
            assert.strictEqual(valueOf(text, name, other), member === 'utilization' ? 0 : undefined, `${name}: unknown is not 0`);
        }
    }
    const owner = { cluster: 'lab', task: task.id, family: 'train', service: '', started_by: 'alice' };
    for (const name of ['berth_gpu_power_watts', 'nvidia_smi_power_draw', 'DCGM_FI_DEV_POWER_USAGE']) {
        const labels = labelsOf(linesOf(text, name)[0]);
        assert.deepStrictEqual(Object.fromEntries(Object.keys(owner).map((label) => [label, labels[label]])), owner, name);
    }
    const only = await metrics('?names=dcgm');
    assert.deepStrictEqual(['DCGM_FI_DEV_GPU_UTIL', 'nvidia_smi_utilization_gpu', 'berth_gpu_utilization_ratio'].map((name) => linesOf(only.text, name).length), [2, 0, 0]);
    assert.strictEqual((await fetch(`${server.url}/metrics?names=mine`, { headers: server.login() })).status, 400);
    await stop(task);
});

test('a sample belongs to the task that held the GPU when it was read, whenever it arrives', async () => {
    const first = await run({ startedBy: 'first' }), [uuid] = first.gpus, gpu = { uuid, utilization: 0.9 };
    const ownerOf = async () => labelsOf(linesOf((await metrics()).text, 'berth_gpu_utilization_ratio').find((line) => line.includes(uuid))).started_by;
    const at = async (ms) => { await tell([gpu], Math.round(Date.now() - ms)); return ownerOf(); };
    await tell([gpu]);
    assert.strictEqual(await ownerOf(), 'first');
    const stopped = await stop(first);
    await new Promise((resolve) => setTimeout(resolve, 400));
    const second = await run({ startedBy: 'second' });
    assert.ok(second.gpus.includes(uuid));
    assert.strictEqual(await at(stopped - 50), 'first', 'read while the first had it, and told when the second has it');
    assert.strictEqual(await at((stopped + second.created) / 2), '', 'read when nobody had it');
    assert.strictEqual(await at(Date.now()), 'second');
    await stop(second);
    await tell([gpu]);
    assert.strictEqual(await ownerOf(), '');
});

test('the server\'s own: latencies by operation, batches, the store', async () => {
    const { text } = await metrics();
    const count = Number(text.match(/^berth_request_duration_seconds_count\{operation="RunTask"\} (\d+)$/m)[1]);
    assert.ok(count >= 3);
    const buckets = [...text.matchAll(/^berth_request_duration_seconds_bucket\{operation="RunTask",le="([^"]+)"\} (\d+)$/gm)];
    assert.deepStrictEqual([buckets.length, buckets.at(-1)[1], Number(buckets.at(-1)[2])], [15, '+Inf', count]);
    assert.ok(buckets.every((bucket, b) => b === 0 || Number(bucket[2]) >= Number(buckets[b - 1][2])), 'each bucket has those below it');
    for (const name of ['berth_writer_batch_jobs', 'berth_writer_run_duration_seconds', 'berth_writer_commit_duration_seconds']) {
        assert.match(text, new RegExp(`^# TYPE ${name} histogram$`, 'm'));
        assert.ok(Number(text.match(new RegExp(`^${name}_count (\\d+)$`, 'm'))[1]) > 0, name);
    }
    assert.ok(Number(text.match(/^berth_store_bytes (\d+)$/m)[1]) > 4096);
    assert.match(text, /^berth_scheduler_waiting 0$/m);
});

const again = async (signal) => {
    const { data, port, agentPort } = server;
    await server.process.signal(signal);
    server.process = (await Server.start({ data, port, agentPort })).process;
};
const overTime = async (query) => {
    const { status, json } = await server.raw({ method: 'GET', pathname: `/berth/v1/samples?${query}`, body: '' });
    return status === 200 ? json : { status, ...json };
};

test('over time: figures with the owner of each, after a restart and a kill, too', async () => {
    const task = await run({ startedBy: 'kept' }), [uuid, other] = task.gpus;
    await tell([{ uuid, utilization: 0.75, powerWatts: 300.5 }, { uuid: other, utilization: 0.5 }]);
    const check = async (what) => {
        const { gpus, stepMs } = await overTime(`gpu=${uuid}&since=10m`);
        assert.deepStrictEqual([stepMs, gpus.length, gpus[0].uuid], [15000, 1, uuid], what);
        const [gpu] = gpus, last = gpu.at.length - 1, owner = gpu.owners[gpu.owner[last]];
        assert.deepStrictEqual([gpu.utilization[last], gpu.powerWatts[last], gpu.fanSpeed?.[last] ?? null], [0.75, 300.5, null], what);
        assert.deepStrictEqual(owner, { containerInstance: idOf(arn), cluster: 'lab', tasks: [{ task: task.id, family: 'train', service: null, startedBy: 'kept' }] }, what);
        assert.ok(Date.now() - gpu.at[last] < 60_000 && gpu.at[last] % 15000 === 0);
    };
    await check('at once');
    const byTask = await overTime(`task=${task.id}&since=1h&figures=utilization`);
    assert.deepStrictEqual(byTask.gpus.filter((gpu) => gpu.at.length > 0).map((gpu) => [gpu.uuid, gpu.utilization, gpu.powerWatts]).sort(), [[uuid, [0.75], undefined], [other, [0.5], undefined]].sort());
    assert.ok((await overTime(`instance=${idOf(arn)}&since=1d&step=5m`)).gpus.length >= 2);
    assert.deepStrictEqual((await overTime('gpu=GPU-of-nobody&since=1h')).gpus, []);
    assert.deepStrictEqual((await overTime(`gpu=${uuid}&since=20d`)).gpus[0].at, [], 'no quarter has ended yet');
    for (const [query, message] of [['since=1h', /gpu=UUID, task=ID or instance=ID/], [`gpu=${uuid}&since=soon`, /since can't be/], [`gpu=${uuid}&since=1h&figures=speed`, /no figure "speed"/],
        [`gpu=${uuid}&since=1h&step=0s`, /step can't be/], ['task=7&since=1h', /32 digits/], [`gpu=${uuid}&since=1h&until=2h`, /before until/]]) {
        assert.match((await overTime(query)).message, message);
    }
    await again('SIGTERM');
    await check('after a restart');
    await new Promise((resolve) => setTimeout(resolve, 16_000));
    await again('SIGKILL');
    await check('after a kill');
    await stop(task);
});

const boardAt = (at) => server.raw({ method: 'GET', pathname: `/berth/v1/board?at=${at}`, body: '' });

test('the board of a moment: who held each GPU then', async () => {
    const task = await run({ startedBy: 'before' }), [uuid, other] = task.gpus;
    await tell([{ uuid, utilization: 0.75, memoryUsedBytes: 2 ** 30, memoryTotalBytes: 2 ** 34, temperatureCelsius: 61 }, { uuid: other, utilization: 0.5 }]);
    const then = Date.now();
    await stop(task);
    await new Promise((resolve) => setTimeout(resolve, 31_000));                 // beyond the samples of `then`
    await tell([{ uuid, utilization: 0 }]);
    const past = (await boardAt(then)).json, now = (await boardAt('0s')).json;
    const shown = ({ machines }) => machines.find(({ id }) => id === idOf(arn)).gpus.map(([gpu, age, ...rest]) => (assert.ok(age >= 0 && age <= 30_000), [gpu, ...rest]));
    assert.deepStrictEqual(shown(past).filter(([gpu]) => gpu === uuid || gpu === other).sort(), [[uuid, 0.75, 1024, 16384, 61, null, null, [task.id]], [other, 0.5, null, null, null, null, null, [task.id]]].sort());
    assert.deepStrictEqual(past.tasks, [{ id: task.id, family: 'train', service: null, startedBy: 'before' }]);
    assert.deepStrictEqual([past.at, past.left, past.machines[0].cluster], [then, 0, 'lab']);
    assert.deepStrictEqual([shown(now), now.tasks], [[[uuid, 0, null, null, null, null, null, []]], []], 'a GPU that told nothing is left out');
    for (const [at, message] of [['', /Say which moment/], ['soon', /at can't be/], ['31d', /the last 30 days/], [Date.now() + 60_000, /the last 30 days/]]) {
        const { status, json } = await boardAt(at);
        assert.deepStrictEqual([status, message.test(json.message)], [400, true], json.message);
    }
});

test('CloudWatch: get-metric-data, get-metric-statistics and list-metrics', async () => {
    const task = await run({ startedBy: 'watched' }), [uuid, other] = task.gpus;
    await tell([{ uuid, utilization: 0.25, memoryUsedBytes: 2 ** 30 }, { uuid: other, utilization: 0.75 }]);
    const cli = (...words) => server.aws('cloudwatch', ...words);
    const range = ['--start-time', new Date(Date.now() - 3_600_000).toISOString(), '--end-time', new Date(Date.now() + 60_000).toISOString()];
    const query = (Id, MetricName, dimensions, Stat = 'Average', Namespace = 'ECS/GPU', Period = 3600) => ({ Id, MetricStat: { Stat, Period, Metric: { Namespace, MetricName,
        Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })) } } });
    const ask = async (...queries) => (await cli('get-metric-data', ...range, '--metric-data-queries', JSON.stringify(queries))).MetricDataResults;
    const busy = 'nvidia_smi_utilization_gpu', mine = { ClusterName: 'lab', TaskId: task.id };
    const found = await ask(query('one', busy, mine), query('most', busy, mine, 'Maximum'), query('count', busy, mine, 'SampleCount'), query('memory', 'nvidia_smi_memory_used', { GpuId: uuid, TaskId: task.id }),
        query('family', busy, { TaskDefinitionFamily: 'train', GpuId: uuid }, 'Minimum'), query('nobody', busy, { ...mine, ServiceName: 'web' }), query('running', 'RunningTaskCount', { ClusterName: 'lab' }, 'Average', 'ECS/ContainerInsights'),
        query('unknown', 'Speed', mine), query('all', busy, {}));
    const values = Object.fromEntries(found.map((result) => [result.Id, result.Values]));
    assert.deepStrictEqual([values.one, values.most, values.count, values.memory], [[50], [75], [2], [1024]]);
    assert.deepStrictEqual([values.family, values.nobody, values.running, values.unknown, values.all], [[25], [], [1], [], []]);
    assert.deepStrictEqual([found[0].Label, found[0].StatusCode, found[0].Timestamps.length], [busy, 'Complete', 1]);
    const statistics = async (...more) => cli('get-metric-statistics', '--namespace', 'ECS/GPU', '--metric-name', busy, ...range, '--period', '3600', ...more);
    const { Label, Datapoints } = await statistics('--dimensions', `Name=TaskId,Value=${task.id}`, '--statistics', 'Average', 'Sum');
    assert.deepStrictEqual([Label, Datapoints.map(({ Timestamp, ...rest }) => rest)], [busy, [{ Sum: 100, Average: 50, Unit: 'Percent' }]]);
    assert.strictEqual(new Date(Datapoints[0].Timestamp).getTime() % 3_600_000, 0);
    assert.deepStrictEqual((await statistics('--dimensions', `Name=TaskId,Value=${task.id}`, '--statistics', 'Sum', '--unit', 'Seconds')).Datapoints, []);

    const { Metrics } = await cli('list-metrics', '--namespace', 'ECS/GPU', '--metric-name', busy, '--dimensions', 'Name=ClusterName,Value=lab');
    assert.deepStrictEqual(Metrics.map((metric) => metric.Dimensions.find(({ Name }) => Name === 'GpuId').Value).sort(), [...task.gpus].sort());
    const all = (await cli('list-metrics')).Metrics;
    assert.deepStrictEqual([all.length, new Set(all.map((metric) => metric.Namespace)).size], [10 + 4 * 17, 3], 'a cluster and four GPUs');
    assert.deepStrictEqual((await cli('list-metrics', '--namespace', 'AWS/EC2')).Metrics, []);

    for (const [words, message] of [[['get-metric-data', ...range, '--metric-data-queries', JSON.stringify([{ Id: 'e', Expression: 'm1 / 2' }])], /evaluates no Expression/],
        [['get-metric-data', ...range, '--metric-data-queries', JSON.stringify([query('p', busy, mine, 'p99')])], /Stat must be/],
        [['get-metric-data', ...range, '--metric-data-queries', JSON.stringify([query('p', busy, mine, 'Sum', 'ECS/GPU', 61)])], /multiple of 60/],
        [['get-metric-statistics', '--namespace', 'a', '--metric-name', 'b', ...range, '--period', '1', '--statistics', 'Sum'], /limit of 1440/],
        [['get-metric-statistics', '--namespace', 'a', '--metric-name', 'b', ...range, '--period', '60', '--extended-statistics', 'p99'], /ExtendedStatistics/],
        [['list-metrics', '--no-paginate', '--next-token', 'x'], /InvalidNextToken/]]) {
        await assert.rejects(cli(...words), message);
    }
    const client = new cloudwatch.CloudWatchClient({ region: 'us-east-1', endpoint: server.url, credentials: { accessKeyId: server.key, secretAccessKey: server.secret }, maxAttempts: 1 });
    const { MetricDataResults: [result] } = await client.send(new cloudwatch.GetMetricDataCommand({ StartTime: new Date(Date.now() - 3_600_000), EndTime: new Date(), MetricDataQueries: [query('q', busy, mine)] }));
    assert.deepStrictEqual([result.Values, result.Timestamps[0] instanceof Date, Math.abs(result.Timestamps[0] - Date.now()) < 7_200_000], [[50], true, true]);
    await stop(task);
});

test('promtool finds nothing, and Prometheus reads OpenMetrics', { skip }, async () => {
    const task = await run({ startedBy: 'seen' });
    await tell(task.gpus.map((uuid) => ({ uuid, ...Object.fromEntries(FIGURES.map(([member, value]) => [member, value])) })));
    const { text } = await metrics();
    assert.strictEqual(execFileSync(PROMTOOL, ['check', 'metrics'], { input: text, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] }), '');
    const open = await metrics('', { Accept: 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5' });
    assert.strictEqual(open.type, 'application/openmetrics-text; version=1.0.0; charset=utf-8');
    assert.ok(open.text.endsWith('\n# EOF\n') && /^# TYPE berth_requests counter$/m.test(open.text) && /^berth_requests_total\{/m.test(open.text));

    const { hostname, port } = new URL(server.url);
    const spare = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => spare.once('listening', resolve));
    const web = spare.address().port;
    await new Promise((resolve) => spare.close(resolve));
    const file = path.join(folder, 'prometheus.yml'), keys = server.environment();
    writeFileSync(file, `scrape_configs:\n- job_name: berth\n  scrape_interval: 1s\n  static_configs:\n  - targets: ['${hostname}:${port}']\n`
        + `  basic_auth: {username: '${keys.AWS_ACCESS_KEY_ID}', password: '${keys.AWS_SECRET_ACCESS_KEY}'}\n`);
    execFileSync(PROMTOOL, ['check', 'config', file], { stdio: 'pipe' });
    const prometheus = new Process([`--config.file=${file}`, `--storage.tsdb.path=${path.join(folder, 'tsdb')}`, `--web.listen-address=127.0.0.1:${web}`], {}, PROMETHEUS);
    const ask = async (query) => (await (await fetch(`http://127.0.0.1:${web}/api/v1/query?query=${encodeURIComponent(query)}`)).json()).data.result;
    const found = await waitFor('Prometheus to have it', async () => {
        try { const all = await ask('berth_gpu_power_watts{started_by="seen"}'); return all.length === 4 && all; } catch { return false; }
    });
    assert.deepStrictEqual([found[0].metric.task, found[0].value[1]], [task.id, '250.5']);
    assert.strictEqual((await ask('DCGM_FI_DEV_GPU_UTIL * on (UUID) group_left () label_replace(nvidia_smi_utilization_gpu, "UUID", "$1", "uuid", "(.*)")'))[0].value[1], '2500');
    assert.ok(Number((await ask('histogram_quantile(0.5, berth_request_duration_seconds_bucket{operation="RunTask"})'))[0].value[1]) > 0);
    const { data } = await (await fetch(`http://127.0.0.1:${web}/api/v1/targets`)).json();
    assert.deepStrictEqual(data.activeTargets.map((target) => [target.health, target.lastError]), [['up', '']]);
    await prometheus.signal('SIGTERM');
    await stop(task);
});
