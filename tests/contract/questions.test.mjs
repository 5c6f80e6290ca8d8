// Questions that change nothing: what RunTask would do, why a task is where it is or can't be, how much more fits; over HTTP and at the
// shell, with what happens next as the judge.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Server, program, root, waitFor } from '../lib/lib.mjs';

let server;

// As a reader on this machine, without a key.
const ask = (method, pathname, body, headers = server.login()) => new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port: server.port, method, path: pathname, agent: false, headers }, (response) => {
        let text = '';
        response.on('data', (data) => { text += data; });
        response.on('end', () => resolve({ status: response.statusCode, text, headers: response.headers, json: response.headers['content-type']?.includes('json') ? JSON.parse(text) : undefined }));
        response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
});
const answer = async (promise) => {
    const reply = await promise;
    assert.strictEqual(reply.status, 200, reply.text);
    assert.strictEqual(reply.headers['cache-control'], 'no-store');
    return reply.json;
};
const whatIf = (input) => answer(ask('POST', '/berth/v1/whatif', JSON.stringify(input)));
const why = (query) => answer(ask('GET', `/berth/v1/why?${new URLSearchParams(query)}`));
const headroom = (query = '') => answer(ask('GET', `/berth/v1/headroom${query}`));
const run = async (input) => (await server.call('RunTask', input)).json;
const idOf = (arn) => arn.split('/').at(-1);
const fits = (...tasks) => tasks.map((n, size) => ({ gpus: 2 ** size, tasks: n }));
const stop = async (...arns) => {
    for (const task of arns) await server.call('StopTask', { task });
    await waitFor('the tasks to stop', async () => (await server.call('DescribeTasks', { tasks: arns })).json.tasks.every((task) => task.lastStatus === 'STOPPED'));
};

async function berth(...args) {
    const child = spawn(program, [...args, '--server', server.url], { cwd: root, env: { PATH: process.env.PATH, ...server.environment() } });
    let out = '', err = '';
    child.stdout.on('data', (data) => { out += data; });
    child.stderr.on('data', (data) => { err += data; });
    const code = await new Promise((resolve) => child.on('close', resolve));
    return { code, out, err };
}

before(async () => {
    server = await Server.start();
    await server.call('CreateCluster', {});
    await server.call('CreateCluster', { clusterName: 'empty' });
    const container = { name: 'main', image: 'i', memory: 16 };
    const gpu = (value) => ({ containerDefinitions: [{ ...container, resourceRequirements: [{ type: 'GPU', value }] }] });
    await server.call('RegisterTaskDefinition', { family: 'plain', containerDefinitions: [container] });
    for (const [family, value] of [['one', '1'], ['three', '3'], ['four', '4'], ['eight', '8'], ['half', '0.5'], ['nine', '9']]) {
        await server.call('RegisterTaskDefinition', { family, ...gpu(value) });
    }
    await server.fleet('p3.16xlarge:2,p3.8xlarge,g4dn.xlarge:2,c5.2xlarge:2', 7);
});
after(async () => { await server.stop(); });

const same = (answered, made) => {
    assert.strictEqual(answered.fits, made.tasks.length);
    assert.deepStrictEqual(answered.placements.map((place) => [place.instance.arn, place.containers[0].name, place.containers[0].gpuIds]),
        made.tasks.map((task) => [task.containerInstanceArn, task.containers[0].name, task.containers[0].gpuIds ?? []]));
    const told = ({ arn, reason, detail }) => [arn, reason, detail.split('.')[0]];      // behind that: who holds the taken part
    assert.deepStrictEqual(answered.failures.map(told), made.failures.map(told));
};

test('what-if is what RunTask then does', async () => {
    const rows = [
        { taskDefinition: 'four', count: 3 }, { taskDefinition: 'half', count: 3 }, { taskDefinition: 'one', count: 5 },
        { taskDefinition: 'three', count: 2, placementStrategy: [{ type: 'spread', field: 'instanceId' }] },
        { taskDefinition: 'one', placementConstraints: [{ type: 'memberOf', expression: 'attribute:berth.gpu-model == T4' }] },
        { taskDefinition: 'plain', count: 4, placementConstraints: [{ type: 'distinctInstance' }] },
        { taskDefinition: 'eight', count: 2 }, { taskDefinition: 'eight', count: 2, tags: [{ key: 'berth:gang', value: 'true' }] }, { taskDefinition: 'nine' },
    ];
    const tasks = [];
    for (const input of rows) {
        const listed = (await server.call('ListTasks')).json.taskArns.length;
        const answered = await whatIf(input);
        assert.deepStrictEqual((await server.call('ListTasks')).json.taskArns.length, listed, 'nothing has started');
        assert.deepStrictEqual(await whatIf(input), answered, 'and asking changes no answer');
        const made = await run(input);
        same(answered, made);
        tasks.push(...made.tasks.map((task) => task.taskArn));
    }
    await stop(...tasks);
});

test('what the question itself would take is not held by others', async () => {
    const { failures } = await whatIf({ taskDefinition: 'eight', count: 3 });
    assert.match(failures[0].detail, /all are held by the tasks of this question/);
    assert.strictEqual(failures.length, 1);
});

test('chance falls as it was answered', async () => {
    const input = { taskDefinition: 'plain', count: 10, placementStrategy: [{ type: 'random' }] };
    const rounds = [];
    for (let round = 0; round < 5; round += 1) {
        const answered = await whatIf(input), made = await run(input);
        rounds.push([answered.placements.map((place) => place.instance.arn).join(), made.tasks.map((task) => task.containerInstanceArn).join()]);
        await stop(...made.tasks.map((task) => task.taskArn));
    }
    // Chance is the server's, and an agent that asks for an id in between has drawn from it.
    assert.ok(rounds.some(([answered, made]) => answered === made), JSON.stringify(rounds));
    assert.ok(new Set(rounds.map(([answered]) => answered)).size > 1, 'it is chance');
});

test('what-if refuses what RunTask refuses, in its words', async () => {
    const rows = [{}, { taskDefinition: 'nope' }, { taskDefinition: 'one', cluster: 'nope' }, { taskDefinition: 'one', cluster: 'empty' }, { taskDefinition: 'one', count: 11 },
        { taskDefinition: 'one', tags: [{ key: 'berth:gang', value: 'x' }] }, { taskDefinition: 'one', placementConstraints: [{ type: 'memberOf', expression: 'x ==' }] },
        { taskDefinition: 7 }, { taskDefinition: 'one', launchType: 'FARGATE' }];
    for (const input of rows) {
        const reply = await ask('POST', '/berth/v1/whatif', JSON.stringify(input)), refused = await server.call('RunTask', input);
        assert.strictEqual(reply.status, 400);
        assert.deepStrictEqual(reply.json, refused.json);
    }
    assert.strictEqual((await ask('POST', '/berth/v1/whatif', '{')).json.__type, 'SerializationException');
    assert.strictEqual((await ask('GET', '/berth/v1/whatif')).status, 405);
});

test('why not: the needs, every group of machines, and the tasks in the way', async () => {
    const { tasks } = await run({ taskDefinition: 'three', count: 2, startedBy: 'nightly' });
    const held = tasks.map((task) => task.taskArn);
    const answered = await why({ taskDefinition: 'eight', count: 2 });
    assert.strictEqual(answered.count, 2);
    assert.ok(answered.fits < 2);
    assert.deepStrictEqual(answered.needs.gpus, [{ container: 'main', count: 8, share: 1, memory: 0 }]);
    assert.strictEqual(answered.needs.memory, 16);
    const { evidence } = answered;
    assert.strictEqual(evidence.detail, answered.failures[0].detail);
    assert.ok(Buffer.byteLength(evidence.detail) <= 1024);
    assert.strictEqual(evidence.instances, 7);
    assert.strictEqual(evidence.impossible, false);
    assert.strictEqual(evidence.groups.reduce((sum, group) => sum + group.instances, 0), 7, 'every machine is in one group');
    const [nearest] = evidence.groups;
    assert.deepStrictEqual([nearest.reason, nearest.busy, nearest.most], ['RESOURCE:GPU', true, 8]);
    assert.match(nearest.nearest.name, /p3\.16xlarge/);
    assert.ok(evidence.groups.some((group) => !group.busy && group.most === 4), 'the machine of four is told apart');
    assert.ok(evidence.blockedBy.length >= 1);
    for (const blocker of evidence.blockedBy) {
        assert.ok(held.includes(blocker.arn));
        assert.deepStrictEqual([blocker.family, blocker.startedBy, blocker.gpus], ['three:1', 'nightly', 3]);
    }
    await stop(...evidence.blockedBy.map((blocker) => blocker.arn));
    assert.strictEqual((await why({ taskDefinition: 'eight', count: 1 })).fits, 1, 'without them it fits');
    await stop(...held);

    const never = await why({ taskDefinition: 'nine', cluster: 'default' });
    assert.strictEqual(never.evidence.impossible, true);
    assert.deepStrictEqual(never.evidence.blockedBy, []);
    assert.match(never.evidence.detail, /No instance of this cluster can ever hold it/);
});

test('why a task is where it is, through its life', async () => {
    const { tasks: [task] } = await run({ taskDefinition: 'four', startedBy: 'me', placementStrategy: [{ type: 'binpack', field: 'memory' }],
        placementConstraints: [{ type: 'memberOf', expression: 'attribute:ecs.instance-type == p3.8xlarge' }, { type: 'distinctInstance' }] });
    await waitFor('it to run', async () => (await why({ task: task.taskArn })).lastStatus === 'RUNNING');
    let told = await why({ task: idOf(task.taskArn) });
    assert.strictEqual(told.task.arn, task.taskArn);
    assert.deepStrictEqual(told.task.containers[0].gpuIds, task.containers[0].gpuIds);
    assert.match(told.task.instanceName, /p3\.8xlarge/);
    assert.deepStrictEqual([told.strategies, told.constraints, told.gang], [['binpack (memory)'], ['attribute:ecs.instance-type == p3.8xlarge', 'distinctInstance'], null]);
    assert.match(told.choice, /^As the request says among the machines with room: binpack \(memory\); among equals by gpu-mix, Berth's own policy/);
    assert.match(told.detail, /^It runs on p3\.8xlarge-\d+\. It has 4 GPUs, 0 CPU units and 16 MiB of memory/);
    await server.call('StopTask', { task: task.taskArn, reason: 'enough' });
    told = await waitFor('it to stop', async () => { const now = await why({ task: task.taskArn }); return now.lastStatus === 'STOPPED' && now; });
    assert.match(told.detail, /^It stopped \(UserInitiated\): Task stopped by user \(enough\)\./);
    assert.deepStrictEqual([told.task.stopCode, told.task.reason], ['UserInitiated', 'Task stopped by user (enough)']);

    for (const [query, status, pattern] of [['task=x', 400, /is no task/], [`task=${'0'.repeat(32)}`, 404, /Nobody knows/], ['', 400, /Say what/], ['taskDefinition=one&count=x', 400, /count can't be/]]) {
        const reply = await ask('GET', `/berth/v1/why?${query}`);
        assert.strictEqual(reply.status, status);
        assert.match(reply.json.message, pattern);
    }
});

test('headroom counts free resources, and follows changes', async () => {
    const { clusters } = await headroom();
    assert.deepStrictEqual(clusters.map((cluster) => cluster.name), ['default', 'empty']);
    const [{ models, ...all }, empty] = clusters;
    assert.deepStrictEqual([all.instances, all.gpusFree, all.fits], [7, 22, fits(22, 10, 5, 2)]);
    assert.deepStrictEqual(models.map(({ model, instances, fits: list }) => [model, instances, list]).sort(), [['T4', 2, fits(2, 0, 0, 0)], ['V100', 3, fits(20, 10, 5, 2)]]);
    assert.deepStrictEqual([empty.instances, empty.gpusFree, empty.models], [0, 0, []]);

    const { tasks } = await run({ taskDefinition: 'three', count: 2 });
    const after = await waitFor('the new figures', async () => { const now = (await headroom('?cluster=default')).clusters; return now[0].gpusFree === 16 && now; });
    assert.strictEqual(after.length, 1);
    const metrics = (await ask('GET', '/metrics')).text;
    assert.ok(metrics.includes(`berth_headroom_tasks{cluster="default",model="T4",gpus="1"} 2\n`));
    assert.ok(metrics.includes(`berth_free_gpus{cluster="default"} 16\n`));
    await stop(...tasks.map((task) => task.taskArn));

    for (const [size, family] of [[1, 'one'], [4, 'four'], [8, 'eight']]) {
        const told = await waitFor('the old figures', async () => { const [now] = (await headroom()).clusters; return now.gpusFree === 22 && now; });
        const room = told.fits.find((one) => one.gpus === size).tasks, started = [];
        while (started.length <= room) {
            const made = await run({ taskDefinition: family });
            if (made.tasks.length === 0) break;
            started.push(made.tasks[0].taskArn);
        }
        assert.strictEqual(started.length, room, `this many of ${size} did start`);
        await stop(...started);
    }
    assert.strictEqual((await ask('GET', '/berth/v1/headroom?cluster=nope')).json.__type, 'ClusterNotFoundException');
});

test('only who may read may ask', async () => {
    const questions = [['POST', '/berth/v1/whatif', '{"taskDefinition":"one"}'], ['GET', '/berth/v1/why?taskDefinition=one'], ['GET', '/berth/v1/headroom'], ['GET', '/berth/v1/queue']];
    for (const [method, pathname, body] of questions) {
        const refused = await ask(method, pathname, body, { 'x-forwarded-for': '10.0.0.1' });
        assert.strictEqual(refused.status, 401, pathname);
        assert.match(refused.headers['www-authenticate'], /^AWS4-HMAC-SHA256 .*region="us-east-1"/);
        const wrong = await ask(method, pathname, body, server.login('wrong'));
        assert.strictEqual(wrong.status, 401, pathname);
        const good = await ask(method, pathname, body, { 'x-forwarded-for': '10.0.0.1', ...server.login() });
        assert.strictEqual(good.status, 200, good.text);
    }
});

test('berth whatif takes the words of aws ecs run-task, and its status tells', async () => {
    const input = path.join(server.data, 'run.json');
    writeFileSync(input, JSON.stringify({ taskDefinition: 'eight', count: 1, tags: [{ key: 'berth:gang', value: 'true' }] }));
    const rows = [
        { args: ['--task-definition', 'eight', '--count', '2'], code: 0, want: /^2 of 2 tasks of eight:1 would start now\./ },
        { args: ['--task-definition', 'eight:1', '--count', '3', '--cluster', 'default'], code: 3, want: /^2 of 3 tasks of eight:1 would start now\.[^]*Why not: needs 8 GPUs/ },
        { args: ['--task-definition', 'eight', '--count', '3', '--tags', 'key=berth:gang,value=true'], code: 3, want: /^0 of 3 tasks .*all together or none\.[^]*3 tasks together: 2 fit/ },
        { args: ['--cli-input-json', `file://${input}`, '--count', '3'], code: 3, want: /^0 of 3 tasks of eight:1 .*all together/ },
        { args: ['--cli-input-json', '{"taskDefinition":"one"}'], code: 0, want: /^1 of 1 task of one:1/ },
        { args: ['--task-definition', 'one', '--placement-constraints', 'type=memberOf,expression=attribute:berth.gpu-model in [A100, H100]'], code: 3, want: /do not match the constraint attribute:berth.gpu-model in \[A100, H100\]/ },
        { args: ['--task-definition', 'plain', '--placement-strategy', 'type=spread,field=instanceId', '--placement-constraints', '[{"type":"distinctInstance"}]'], code: 0, want: /spread \(instanceId\)/ },
        { args: ['--task-definition', 'plain', '--overrides', '{"memory":"99999999"}'], code: 3, want: /RESOURCE:MEMORY/ },
        { args: ['--task-definition', 'one', '--tags', 'berth:gang=true'], code: 1, error: /should have the form key=\.\.\.,value=\.\.\. or be a JSON list/ },
        { args: ['--task-definition', 'nope'], code: 1, error: /TaskDefinition not found/ },
        { args: ['--cli-input-json', 'file:///nowhere'], code: 1, error: /can't be read/ },
    ];
    for (const { args, code, want, error } of rows) {
        const done = await berth('whatif', ...args);
        assert.strictEqual(done.code, code, `${args.join(' ')}: ${done.out}${done.err}`);
        assert.match(want ? done.out : done.err, want ?? error);
    }
    const { out } = await berth('whatif', '--task-definition', 'four', '--count', '2', '--output', 'json');
    assert.deepStrictEqual(JSON.parse(out), await whatIf({ taskDefinition: 'four', count: 2 }));
});

test('berth why last: of the last RunTask, or of the task that was made last', async () => {
    const last = async () => (await berth('why', 'last', '--output', 'json')).out;
    const { tasks: [first] } = await run({ taskDefinition: 'plain' });
    assert.strictEqual(JSON.parse(await last()).task.id, idOf(first.taskArn));
    const { failures } = await run({ taskDefinition: 'nine', count: 2 });
    assert.strictEqual(failures.length, 2);
    assert.deepStrictEqual(JSON.parse(await last()), await whatIf({ taskDefinition: 'nine', count: 2 }));
    assert.match((await berth('why', 'last')).out, /^0 of 2 tasks of nine:1 would start now\.[^]*Why not: /);
    await server.call('RunTask', { taskDefinition: 'no-such' });
    assert.strictEqual(JSON.parse(await last()).taskDefinition, 'nine:1', 'an error says all there is to say');
    const { tasks: [second] } = await run({ taskDefinition: 'plain' });
    assert.strictEqual(JSON.parse(await last()).task.id, idOf(second.taskArn));
    await stop(first.taskArn, second.taskArn);
});

test('berth why and berth headroom say the same at the shell', async () => {
    const { tasks: [task] } = await run({ taskDefinition: 'eight', startedBy: 'nightly' });
    const place = await berth('why', task.taskArn);
    assert.match(place.out, /^It (runs on|has its place on) p3\.16xlarge-\d+/);
    assert.match(place.out, new RegExp(`GPUs +main: ${task.containers[0].gpuIds.join(', ')}`));
    const blocked = await berth('why', '--task-definition', 'eight', '--count', '2');
    assert.strictEqual(blocked.code, 0, blocked.err);
    assert.match(blocked.out, /^1 of 2 tasks of eight:1 would start now\./);
    assert.match(blocked.out, /RESOURCE:GPU +2 +0 +8 +yes +p3\.16xlarge-\d+/);
    assert.match(blocked.out, new RegExp(`It would fit on p3\\.16xlarge-\\d+ without:\\n.*\\n${idOf(task.taskArn)} +eight:1 +8 .*nightly`));
    assert.deepStrictEqual(JSON.parse((await berth('why', idOf(task.taskArn), '--output', 'json')).out).task.id, idOf(task.taskArn));
    const room = await waitFor('the figures', async () => { const done = await berth('headroom'); return / 14×1 · 6×2 · 3×4 · 1×8 /.test(done.out) && done; });
    assert.match(room.out, /^CLUSTER +FITS NOW/);
    assert.match(room.out, /\n {2}T4 +2×1 /);
    assert.match(room.out, /\nempty +no GPU task /);
    assert.match((await berth('why')).err, /a task, a service, a capacity provider or a definition is needed/);
    assert.match((await berth('why', 'x')).err, /Service not found/);
    assert.match((await berth('why', 'a/b')).err, /"a\/b" is not a task/);
    await stop(task.taskArn);
});

test('the queue: the order, and what each lacks in the words of RunTask; over HTTP and at the shell', async () => {
    const waits = (value, ...more) => ({ tags: [{ key: 'berth:queue', value }, ...more] });
    const wait = async (input) => {
        const { tasks, failures } = await run(input);
        assert.deepStrictEqual([failures, tasks.map((task) => task.lastStatus)], [[], tasks.map(() => 'PROVISIONING')]);
        return tasks.map((task) => task.taskArn);
    };
    const held = (await run({ taskDefinition: 'eight', count: 2 })).tasks.map((task) => task.taskArn);
    const refused = (await run({ taskDefinition: 'eight' })).failures[0];
    const [first] = await wait({ taskDefinition: 'eight', startedBy: 'nightly', ...waits('wait:1h') });
    const gang = await wait({ taskDefinition: 'eight', count: 2, group: 'trials', ...waits('wait', { key: 'berth:gang', value: 'true' }) });
    const [second] = await wait({ taskDefinition: 'eight', ...waits('wait') });
    const [urgent] = await wait({ taskDefinition: 'nine', ...waits('wait', { key: 'berth:priority', value: '10' }) });
    const [other] = await wait({ cluster: 'empty', taskDefinition: 'plain', ...waits('wait') });

    const queue = (query = '', headers = server.login()) => answer(ask('GET', `/berth/v1/queue${query}`, undefined, headers));
    const { count, entries } = await queue('?cluster=default');
    assert.deepStrictEqual([count, entries.map((entry) => [entry.position, entry.tasks, entry.priority])],
        [4, [[urgent], [first], gang, [second]].map((arns, e) => [e + 1, arns.map(idOf), e === 0 ? 10 : 0])]);
    const [nine, eight, both, late] = entries;
    assert.deepStrictEqual([eight.cluster, eight.taskDefinition, eight.group, eight.startedBy, both.group, late.startedBy], ['default', 'eight:1', 'family:eight', 'nightly', 'trials', null]);
    assert.deepStrictEqual([eight.until - eight.since, late.until], [3600000, null]);
    assert.deepStrictEqual([eight.reason, eight.detail, late.reason, late.detail], [refused.reason, refused.detail, refused.reason, refused.detail]);
    assert.deepStrictEqual([eight, both, late, nine].map((entry) => entry.positionOfShape), [1, 1, 2, 1], 'a gang is another shape');
    assert.deepStrictEqual([eight.expectedStart, eight.kept, eight.keptAgain, eight.stoppedFor], [{ p50: null, p90: null }, null, null, []]);
    assert.match(nine.detail, /^needs 9 GPUs on one instance/);
    assert.match(both.detail, /needs 8 GPUs on one instance/);

    const all = await queue();
    assert.deepStrictEqual([all.count, all.entries.map((entry) => entry.tasks[0])], [5, [urgent, first, gang[0], second, other].map(idOf)]);
    assert.deepStrictEqual((await queue('?cluster=empty')).entries.map((entry) => [entry.position, entry.cluster, entry.tasks]), [[1, 'empty', [idOf(other)]]]);
    assert.strictEqual((await ask('GET', '/berth/v1/queue?cluster=nope')).json.__type, 'ClusterNotFoundException');
    const made = JSON.parse(execFileSync(program, ['keys', 'create', '--data', server.data, '--role', 'viewer', '--output', 'json'], { encoding: 'utf8' })).AccessKey;
    const viewer = { authorization: `Basic ${btoa(`${made.AccessKeyId}:${made.SecretAccessKey}`)}` };
    assert.strictEqual((await queue('', viewer)).count, 5);

    const told = (await berth('queue', '--cluster', 'default')).out.split('\n');
    assert.match(told[0], /^ +TASK +CLUSTER +DEFINITION +PRIORITY +WAITED +GIVES UP +STARTS IN +LACKS$/);
    const row = (position, arns, definition, priority, until) => new RegExp(
        `^ +${position} +${idOf(arns[0])}${arns.length > 1 ? ` \\+${arns.length - 1}` : ''} +default +${definition} +${priority} +\\S+ +${until} +unknown +RESOURCE:GPU$`);
    [row(1, [urgent], 'nine:1', 10, '-'), row(2, [first], 'eight:1', 0, '(59m|1h)\\S*'), row(3, gang, 'eight:1', 0, '-'), row(4, [second], 'eight:1', 0, '-')]
        .forEach((want, r) => assert.match(told[r + 1], want));
    assert.ok(told.includes(`2: ${refused.detail}`), 'the text of a shape');
    assert.strictEqual(told.some((line) => line.startsWith('4: ')), false, 'once');
    assert.deepStrictEqual(JSON.parse((await berth('queue', '--cluster', 'empty', '--output', 'json')).out).entries.map((entry) => entry.tasks), [[idOf(other)]]);
    assert.match((await berth('queue', '--cluster', 'nope')).err, /Cluster not found/);

    await server.call('StopTask', { cluster: 'empty', task: other });
    await stop(urgent, gang[1]);
    assert.deepStrictEqual((await queue()).entries.map((entry) => entry.tasks), [[idOf(first)], [idOf(second)]], 'a gang ends as a whole');
    await stop(...held);
    await waitFor('room for both', async () => (await server.call('DescribeTasks', { tasks: [first, second] })).json.tasks.every((task) => task.lastStatus === 'RUNNING'));
    assert.deepStrictEqual((await queue()).entries, []);
    assert.strictEqual((await berth('queue')).out, 'No task waits for room.\n');
    await stop(first, second);
});

test('berth whatif SERVICE: whether an update has room, and its status tells', async () => {
    await server.call('CreateService', { serviceName: 'web', taskDefinition: 'eight', desiredCount: 2, tags: [{ key: 'berth:healthy-after', value: '0' }] });
    const described = async () => (await server.call('DescribeServices', { services: ['web'] })).json.services[0];
    await waitFor('the service', async () => (await described()).runningCount === 2);
    const rows = [
        { args: ['web'], code: 0, want: /^ROOM: web with 2 tasks of eight:1, without a new deployment\.\nThe tasks that would start now have room\.\n$/ },
        { args: ['web', '--force'], code: 3, want: /^DEADLOCK: web with 2 tasks of eight:1, in a new deployment\.\nIt is unable to progress: needs 8 GPUs/ },
        { args: [(await described()).serviceArn, '--task-definition', 'one', '--desired-count', '1'], code: 0, want: /^ROOM: web with 1 task of one:1, in a new deployment/ },
        { args: ['web', '--force', '--cli-input-json', '{"service":"x","deploymentConfiguration":{"minimumHealthyPercent":50}}'], code: 0, want: /^SWAP: [^]*\nAt present no room is free/ },
        { args: ['web', '--task-definition', 'nine', '--cluster', 'default'], code: 3, want: /^INFEASIBLE: / },
        { args: ['web', '--desired-count', '3'], code: 3, want: /^WAIT: [^]*without a new deployment\.\nIt waits for room/ },
        { args: ['nobody'], code: 1, error: /Service not found/ },
        { args: ['web', '--count', '2'], code: 1, error: /--count is for tasks: leave SERVICE out/ },
        { args: ['--task-definition', 'one', '--force'], code: 1, error: /--force is for a service: `berth whatif SERVICE`/ },
    ];
    const before = await described();
    for (const { args, code, want, error } of rows) {
        const done = await berth('whatif', ...args);
        assert.strictEqual(done.code, code, `${args.join(' ')}: ${done.out}${done.err}`);
        assert.match(want ? done.out : done.err, want ?? error);
    }
    assert.deepStrictEqual(await described(), before, 'nothing has changed');
    const { out } = await berth('whatif', 'web', '--force', '--output', 'json');
    assert.deepStrictEqual(JSON.parse(out), await answer(ask('POST', '/berth/v1/whatif/service', '{"service":"web","forceNewDeployment":true}')));
    assert.strictEqual((await ask('POST', '/berth/v1/whatif/service', '{}')).json.__type, 'InvalidParameterException');

    const updated = await server.call('UpdateService', { service: 'web', forceNewDeployment: true });
    assert.match(updated.headers['x-berth-warning'], /is unable to progress: needs 8 GPUs/, 'what the update then does');
    await server.call('DeleteService', { service: 'web', force: true });
    await waitFor('the end', async () => (await described()).status === 'INACTIVE');
});

test('berth whatif --drain: what would become of a machine\'s tasks', async () => {
    await server.call('CreateService', { serviceName: 'web', taskDefinition: 'four', desiredCount: 3 });
    const described = async () => (await server.call('DescribeServices', { services: ['web'] })).json.services[0];
    await waitFor('the service', async () => (await described()).runningCount === 3);
    const places = async () => (await server.call('DescribeTasks', { tasks: (await server.call('ListTasks', { serviceName: 'web' })).json.taskArns })).json.tasks;
    const machine = (await places())[0].containerInstanceArn;
    const there = (await places()).filter((task) => task.containerInstanceArn === machine).length;
    const { name } = (await answer(ask('GET', `/berth/v1/whatif/drain?${new URLSearchParams({ instance: machine })}`))).instance;

    const told = await berth('whatif', '--drain', name);
    assert.strictEqual(told.code, 0, told.out + told.err);
    assert.match(told.out, new RegExp(`^${name} has ${there} tasks?\\. It would get empty by itself\\.\n\nSERVICE [^]*\nweb +${there} +${there} +0  MOVES +-\n`));
    const json = JSON.parse((await berth('whatif', '--drain', machine, '--output', 'json')).out);
    assert.deepStrictEqual([json.tasks, json.empties, json.standalone, json.moves.length], [there, true, [], there]);
    assert.ok(json.moves.every((move) => move.to.arn !== machine));

    const alone = (await server.call('StartTask', { taskDefinition: 'plain', containerInstances: [machine], startedBy: 'ann' })).json.tasks[0].taskArn;
    const now = await berth('whatif', '--drain', idOf(machine));
    assert.strictEqual(now.code, 3);
    assert.match(now.out, /1 task of no service stays until it ends or is stopped\.[^]*\nIn the way, of no service:\nTASK [^]* ann\n/);
    for (const [args, error] of [[['--drain', 'nobody'], /No machine of this cluster is called "nobody"/], [['web', '--drain', name], /leave out the service/],
        [['--drain', name, '--cluster', 'empty'], /No machine of this cluster is called/]]) {
        const done = await berth('whatif', ...args);
        assert.strictEqual(done.code, 1);
        assert.match(done.err, error);
    }
    assert.strictEqual((await ask('GET', '/berth/v1/whatif/drain')).json.__type, 'InvalidParameterException');

    await stop(alone);
    await server.call('DeleteService', { service: 'web', force: true });
    await waitFor('the end', async () => (await described()).status === 'INACTIVE');
});
