// Output of tasks, through CloudWatch Logs' own operations: real processes write it, the AWS CLI and signed requests read it.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, isRecent, program, remove, waitFor } from '../lib/lib.mjs';

let server, folder, gate;
const group = '/ecs/train', idOf = (arn) => arn.split('/').pop();
const awslogs = (options) => ({ logDriver: 'awslogs', options: { 'awslogs-group': group, 'awslogs-region': 'us-east-1', 'awslogs-stream-prefix': 'p', ...options } });
const ok = (reply) => { assert.strictEqual(reply.status, 200, reply.text); return reply.json; };
const logs = (operation, input, more) => server.raw({ target: `Logs_20140328.${operation}`, body: JSON.stringify(input), service: 'logs', ...more });
const read = async (operation, input) => ok(await logs(operation, input));
const messages = (events) => events.map((event) => event.message);

async function run(family, script, logConfiguration) {
    ok(await server.call('RegisterTaskDefinition', { family, containerDefinitions: [{ name: 'main', image: 'none', memory: 64, entryPoint: ['sh', '-c'], command: [script], logConfiguration }] }));
    const { tasks } = ok(await server.call('RunTask', { taskDefinition: family }));
    return idOf(tasks[0].taskArn);
}

const stopped = (id) => waitFor(`${id} to end`, async () => ok(await server.call('DescribeTasks', { tasks: [id] })).tasks[0].lastStatus === 'STOPPED');

before(async () => {
    server = await Server.start();
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-logs-'));
    gate = (name) => path.join(folder, name);
    await server.agent(['--runtime', 'process']);
    await waitFor('this machine', async () => (await server.connected('default')) === 1);
});
after(async () => {
    await server.stop();
    remove(folder);
});

test('lines, their times, and both directions', async () => {
    const begun = Date.now();
    const id = await run('lines', 'for i in 1 2 3 4 5; do echo "step $i"; done; printf "no end"', awslogs());
    await stopped(id);
    const stream = `p/main/${id}`, all = ['step 1', 'step 2', 'step 3', 'step 4', 'step 5', 'no end'];
    const query = { logGroupName: group, logStreamName: stream };

    const last = await read('GetLogEvents', query);
    assert.deepStrictEqual(messages(last.events), all);
    for (const [index, { timestamp, ingestionTime }] of last.events.entries()) {
        assert.ok(isRecent(timestamp) && timestamp >= begun - 1000 && ingestionTime >= timestamp - 1000, JSON.stringify({ begun, timestamp, ingestionTime }));
        assert.ok(index === 0 || timestamp >= last.events[index - 1].timestamp);
    }
    // Forward by pages; the token of the end is given again and again.
    let seen = [], token, page;
    for (;;) {
        page = await read('GetLogEvents', { ...query, startFromHead: true, limit: 4, ...(token && { nextToken: token }) });
        if (page.nextForwardToken === token) break;
        seen.push(...messages(page.events));
        token = page.nextForwardToken;
    }
    assert.deepStrictEqual([seen, page.events], [all, []]);
    // Backward too.
    for (seen = [], token = undefined; ;) {
        page = await read('GetLogEvents', { ...query, limit: 4, ...(token && { nextToken: token }) });
        if (page.nextBackwardToken === token) break;
        seen.unshift(...messages(page.events));
        token = page.nextBackwardToken;
    }
    assert.deepStrictEqual([seen, page.events], [all, []]);
    const between = await read('GetLogEvents', { ...query, startTime: last.events[0].timestamp, endTime: last.events[0].timestamp });
    assert.deepStrictEqual(between.events, [], 'the end is not included');
    const later = await read('GetLogEvents', { ...query, startTime: Date.now() + 3600000 });
    assert.deepStrictEqual(later.events, []);
    const byArn = await read('GetLogEvents', { logGroupIdentifier: `arn:aws:logs:us-east-1:123456789012:log-group:${group}:*`, logStreamName: stream });
    assert.deepStrictEqual(byArn, last);
});

test('groups and streams are listed', async () => {
    const id = await run('plain', 'echo plain');
    const quiet = await run('unnamed', 'echo unnamed', awslogs({ 'awslogs-group': 'other', 'awslogs-stream-prefix': '' }));
    await Promise.all([stopped(id), stopped(quiet)]);
    const { logGroups } = await server.aws('logs', 'describe-log-groups');
    assert.deepStrictEqual(logGroups.map((one) => one.logGroupName), ['/berth/plain', group, 'other']);
    assert.strictEqual(logGroups[1].arn, `arn:aws:logs:us-east-1:123456789012:log-group:${group}:*`);
    assert.ok(isRecent(logGroups[1].creationTime));
    const paged = await read('DescribeLogGroups', { limit: 2 });
    assert.deepStrictEqual((await read('DescribeLogGroups', { limit: 2, nextToken: paged.nextToken })).logGroups.map((one) => one.logGroupName), ['other']);
    assert.deepStrictEqual((await read('DescribeLogGroups', { logGroupNamePrefix: '/berth' })).logGroups.map((one) => one.logGroupName), ['/berth/plain']);
    assert.deepStrictEqual((await read('DescribeLogGroups', { logGroupNamePattern: 'the' })).logGroups.map((one) => one.logGroupName), ['other']);

    const { logStreams } = await server.aws('logs', 'describe-log-streams', '--log-group-name', '/berth/plain');
    assert.deepStrictEqual(logStreams.map((one) => one.logStreamName), [`main/${id}`]);
    assert.ok(isRecent(logStreams[0].firstEventTimestamp) && logStreams[0].lastEventTimestamp >= logStreams[0].firstEventTimestamp && isRecent(logStreams[0].lastIngestionTime));
    assert.deepStrictEqual((await read('DescribeLogStreams', { logGroupName: 'other' })).logStreams.map((one) => one.logStreamName), [`main/${quiet}`]);
    assert.deepStrictEqual((await read('DescribeLogStreams', { logGroupName: 'other', logStreamNamePrefix: 'x' })).logStreams, []);
});

test('events of several streams come in order of time, by pattern, prefix and pages', async () => {
    const ids = [];
    for (const [index, word] of ['one', 'two', 'three'].entries()) {
        const id = await run(`many-${index}`, `echo "ERROR ${word} failed"; echo "INFO ${word}=1"; echo "ERROR not found"`, awslogs({ 'awslogs-group': 'many', 'awslogs-stream-prefix': `s${index}` }));
        await stopped(id);
        ids.push(id);
    }
    const { events } = await read('FilterLogEvents', { logGroupName: 'many' });
    assert.strictEqual(events.length, 9);
    assert.deepStrictEqual(events.map((event) => event.timestamp), events.map((event) => event.timestamp).sort((a, b) => a - b));
    assert.strictEqual(new Set(events.map((event) => event.eventId)).size, 9);
    const errors = await server.aws('logs', 'filter-log-events', '--log-group-name', 'many', '--filter-pattern', 'ERROR -"not found"');
    assert.deepStrictEqual(messages(errors.events), ['ERROR one failed', 'ERROR two failed', 'ERROR three failed']);
    assert.deepStrictEqual(messages((await read('FilterLogEvents', { logGroupName: 'many', filterPattern: '"two=1"' })).events), ['INFO two=1']);
    assert.deepStrictEqual(messages((await read('FilterLogEvents', { logGroupName: 'many', logStreamNamePrefix: 's2', filterPattern: 'INFO' })).events), ['INFO three=1']);
    assert.strictEqual((await read('FilterLogEvents', { logGroupName: 'many', logStreamNames: [`s0/main/${ids[0]}`, `s1/main/${ids[1]}`] })).events.length, 6);
    const late = events[4].timestamp;
    assert.deepStrictEqual((await read('FilterLogEvents', { logGroupName: 'many', startTime: late, endTime: late })).events, events.filter((event) => event.timestamp === late));

    const paged = [];
    for (let token, page; ; token = page.nextToken) {
        page = await read('FilterLogEvents', { logGroupName: 'many', limit: 2, ...(token && { nextToken: token }) });
        assert.ok(page.events.length <= 2);
        paged.push(...page.events);
        if (!page.nextToken) break;
    }
    assert.deepStrictEqual(paged, events);
    const recent = await read('DescribeLogStreams', { logGroupName: 'many', orderBy: 'LastEventTime', descending: true, limit: 2 });
    assert.deepStrictEqual(recent.logStreams.map((one) => one.logStreamName), [`s2/main/${ids[2]}`, `s1/main/${ids[1]}`]);
    const rest = await read('DescribeLogStreams', { logGroupName: 'many', orderBy: 'LastEventTime', descending: true, limit: 2, nextToken: recent.nextToken });
    assert.deepStrictEqual([rest.logStreams.map((one) => one.logStreamName), rest.nextToken], [[`s0/main/${ids[0]}`], undefined]);
});

test('more streams than are searched together', async () => {
    const count = 70;
    ok(await server.call('CreateCluster', { clusterName: 'wide' }));
    await server.fleet('c5.24xlarge', 1, { cluster: 'wide' });
    ok(await server.call('RegisterTaskDefinition', { family: 'wide', containerDefinitions: [{ name: 'main', image: 'none', memory: 8 }] }));
    const ids = [];
    while (ids.length < count) ids.push(...ok(await server.call('RunTask', { cluster: 'wide', taskDefinition: 'wide', count: 10 })).tasks.map((task) => idOf(task.taskArn)));
    for (const [index, id] of ids.entries()) {
        await logs('CreateLogStream', { logGroupName: '/berth/wide', logStreamName: `main/${id}` });     // or the simulated machine was first
        ok(await logs('PutLogEvents', { logGroupName: '/berth/wide', logStreamName: `main/${id}`, logEvents: [{ timestamp: Date.now(), message: `number ${index}` }] }));
    }
    const all = [];
    for (let token, page; ; token = page.nextToken) {
        page = await read('FilterLogEvents', { logGroupName: '/berth/wide', filterPattern: 'number', ...(token && { nextToken: token }) });
        all.push(...messages(page.events));
        if (!page.nextToken) break;
    }
    assert.deepStrictEqual(all.sort(), ids.map((_, index) => `number ${index}`).sort());
    const last = await read('FilterLogEvents', { logGroupName: '/berth/wide', filterPattern: `"number ${count - 1}"` });
    assert.deepStrictEqual([messages(last.events), last.nextToken], [[`number ${count - 1}`], undefined], 'rounds without an event go on by themselves');
});

// A task that prints a line whenever the test asks, and `berth logs --follow` of it. The output goes to `to`.
async function talker(name) {
    const files = ['2', '3'].map((line) => gate(`${name}-${line}`));
    const id = await run(name, `echo line 1; while [ ! -e ${files[0]} ]; do sleep 0.1; done; echo line 2; while [ ! -e ${files[1]} ]; do sleep 0.1; done; echo line 3`);
    await waitFor('the first line', async () => (await logs('FilterLogEvents', { logGroupName: `/berth/${name}` })).json.events?.length === 1);
    return { id, speak: (line) => writeFileSync(gate(`${name}-${line}`), '') };
}
function follow(id, to) {
    const child = spawn(program, ['logs', id, '--follow', '--server', server.url], { env: { PATH: process.env.PATH, HOME: folder, ...server.environment() }, stdio: ['ignore', to, 'pipe'] });
    child.err = '';
    child.stderr.on('data', (data) => { child.err += data; });
    child.ended = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
    return child;
}

test('berth logs --follow writes each line when it comes, into a pipe and into a file', async () => {
    for (const kind of ['pipe', 'file']) {
        const { id, speak } = await talker(`talks-${kind}`), file = gate(`${kind}.out`), fd = openSync(file, 'w');
        const child = follow(id, kind === 'pipe' ? 'pipe' : fd);
        let piped = '';
        child.stdout?.on('data', (data) => { piped += data; });
        const out = () => (kind === 'pipe' ? piped : readFileSync(file, 'utf8'));
        await waitFor(`line 1 in a ${kind}`, () => out() === 'line 1\n');
        speak(2);
        await waitFor(`line 2 in a ${kind}`, () => out() === 'line 1\nline 2\n');
        child.kill(kind === 'pipe' ? 'SIGTERM' : 'SIGINT');
        await child.ended;
        assert.strictEqual(out(), 'line 1\nline 2\n', 'a signal loses nothing');
        speak(3);
        await stopped(id);
        closeSync(fd);
    }
});

test('berth logs --follow ends without a word when nobody reads it any more', async () => {
    const { id, speak } = await talker('unheard');
    const child = follow(id, 'pipe');
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.stdout.destroy();                                              // the task is silent meanwhile
    assert.deepStrictEqual([await child.ended, child.err], [{ code: 0, signal: null }, '']);
    speak(2);
    speak(3);
    await stopped(id);
});

test('berth logs of a silent task, and of one that does not exist', async () => {
    const { id, speak } = await talker('silent'), quiet = await run('quiet', `while [ ! -e ${gate('quiet')} ]; do sleep 0.1; done; echo at last`);
    const read = async (...args) => {
        const child = spawn(program, ['logs', ...args, '--server', server.url], { env: { PATH: process.env.PATH, HOME: folder, ...server.environment() } });
        let out = '', err = '';
        child.stdout.on('data', (data) => { out += data; });
        child.stderr.on('data', (data) => { err += data; });
        return { code: await new Promise((resolve) => child.on('close', resolve)), out, err };
    };
    assert.deepStrictEqual(await read(id), { code: 0, out: 'line 1\n', err: '' });
    assert.deepStrictEqual(await read(quiet), { code: 0, out: '', err: '' }, 'it may still print');
    assert.match((await read(id, '--container', 'side')).err, /has no container side/);
    const unknown = await read('0123456789abcdef0123456789abcdef');
    assert.deepStrictEqual([unknown.code, unknown.out], [1, '']);
    assert.match(unknown.err, /no such task.*berth history/);
    const followed = read(quiet, '--follow');                            // its one container has no log yet
    writeFileSync(gate('quiet'), '');
    assert.deepStrictEqual(await followed, { code: 0, out: 'at last\n', err: '' });
    speak(2);
    speak(3);
    await stopped(id);
});

test('aws logs tail --follow prints what comes', async () => {
    const id = await run('live', `echo first; while [ ! -e ${gate('second')} ]; do sleep 0.1; done; echo second; while [ ! -e ${gate('third')} ]; do sleep 0.1; done; echo third`,
        awslogs({ 'awslogs-group': 'live' }));
    await waitFor('the first line', async () => (await logs('FilterLogEvents', { logGroupName: 'live' })).json.events?.length === 1);
    const aws = existsSync('/usr/bin/aws') ? '/usr/bin/aws' : 'aws';
    const child = spawn(aws, ['--endpoint-url', server.url, 'logs', 'tail', 'live', '--follow', '--format', 'short'],
        { env: { PATH: process.env.PATH, HOME: folder, PYTHONUNBUFFERED: '1', ...server.environment() } });
    let out = '', err = '';
    child.stdout.on('data', (data) => { out += data; });
    child.stderr.on('data', (data) => { err += data; });
    const ended = new Promise((resolve) => child.on('close', resolve));
    const lines = () => out.trimEnd().split('\n').map((line) => line.split(' ').slice(1).join(' '));
    try {
        for (const [want, open] of [['first', 'second'], ['second', 'third'], ['third', 'none']]) {
            await waitFor(`the line ${want} (${err})`, () => lines().includes(want));
            writeFileSync(gate(open), '');
        }
        assert.deepStrictEqual(lines(), ['first', 'second', 'third'], 'each line once');
    } finally {
        child.kill('SIGINT');
        await ended;
    }
    await stopped(id);
    const plain = await new Promise((resolve) => {
        const once = spawn(aws, ['--endpoint-url', server.url, 'logs', 'tail', 'live'], { env: { PATH: process.env.PATH, HOME: folder, ...server.environment() } });
        let text = '';
        once.stdout.on('data', (data) => { text += data; });
        once.on('close', () => resolve(text));
    });
    assert.match(plain, new RegExp(`^\\S+ p/main/${id} first\\n\\S+ p/main/${id} second\\n\\S+ p/main/${id} third\\n$`));
});

test("what Docker's own driver does: a stream is made, events are put", async () => {
    ok(await server.call('CreateCluster', { clusterName: 'put' }));
    const totalResources = ['CPU', 'MEMORY'].map((name) => ({ name, type: 'INTEGER', integerValue: 1024 }));
    const { containerInstance } = ok(await server.call('RegisterContainerInstance', { cluster: 'put', totalResources, attributes: [{ name: 'com.amazonaws.ecs.capability.logging-driver.awslogs' }] }));
    await server.attend(containerInstance.containerInstanceArn, 'put');
    ok(await server.call('RegisterTaskDefinition', { family: 'put', containerDefinitions: [{ name: 'main', image: 'none', memory: 8, logConfiguration: awslogs({ 'awslogs-group': 'put' }) }] }));
    const { tasks } = ok(await server.call('RunTask', { cluster: 'put', taskDefinition: 'put' }));
    const query = { logGroupName: 'put', logStreamName: `p/main/${idOf(tasks[0].taskArn)}` }, now = Date.now();
    ok(await logs('CreateLogStream', query));
    assert.strictEqual((await logs('CreateLogStream', query)).json.__type, 'ResourceAlreadyExistsException');
    assert.deepStrictEqual((await read('GetLogEvents', query)).events, []);
    const put = await read('PutLogEvents', { ...query, logEvents: [{ timestamp: now - 5, message: 'one' }, { timestamp: now - 5, message: 'two\nlines' }, { timestamp: now, message: 'grün' }] });
    assert.match(put.nextSequenceToken, /^\d{56}$/);
    const { events } = await read('GetLogEvents', { ...query, startFromHead: true });
    assert.deepStrictEqual(events.map(({ timestamp, message }) => [timestamp, message]), [[now - 5, 'one'], [now - 5, 'two\nlines'], [now, 'grün']]);
    const rejected = await read('PutLogEvents', { ...query, sequenceToken: put.nextSequenceToken,
        logEvents: [{ timestamp: now - 15 * 86400000, message: 'old' }, { timestamp: now + 1, message: 'now' }, { timestamp: now + 3 * 3600000, message: 'new' }] });
    assert.deepStrictEqual(rejected.rejectedLogEventsInfo, { tooOldLogEventEndIndex: 1, tooNewLogEventStartIndex: 2 });
    assert.deepStrictEqual(messages((await read('GetLogEvents', { ...query, limit: 1 })).events), ['now']);

    ok(await logs('CreateLogGroup', { logGroupName: 'made' }));
    assert.strictEqual((await logs('CreateLogGroup', { logGroupName: 'made' })).json.__type, 'ResourceAlreadyExistsException');
    assert.deepStrictEqual((await read('DescribeLogStreams', { logGroupName: 'made' })).logStreams, []);
    assert.deepStrictEqual((await read('FilterLogEvents', { logGroupName: 'made' })).events, []);
    const { data, port, agents } = server;
    await server.kill9();
    server = Object.assign(await Server.start({ data, port }), { agents });
    assert.deepStrictEqual(messages((await read('GetLogEvents', { ...query, startFromHead: true })).events), ['one', 'two\nlines', 'grün', 'now'], 'over a restart');
});

test('refusals and their words', async () => {
    const stream = (await read('DescribeLogStreams', { logGroupName: group })).logStreams[0].logStreamName, there = { logGroupName: group, logStreamName: stream };
    const event = (timestamp) => ({ timestamp, message: 'x' }), now = Date.now();
    for (const [operation, input, code, text] of [
        ['DescribeLogStreams', { logGroupName: 'none' }, 'ResourceNotFoundException', 'The specified log group does not exist.'],
        ['GetLogEvents', { logGroupName: 'none', logStreamName: 's' }, 'ResourceNotFoundException', 'The specified log group does not exist.'],
        ['FilterLogEvents', { logGroupName: 'none' }, 'ResourceNotFoundException', 'The specified log group does not exist.'],
        ['GetLogEvents', { logGroupName: group, logStreamName: 's' }, 'ResourceNotFoundException', 'The specified log stream does not exist.'],
        ['FilterLogEvents', { logGroupName: group, logStreamNames: ['s'] }, 'ResourceNotFoundException', 'The specified log stream does not exist.'],
        ['PutLogEvents', { logGroupName: group, logStreamName: 's', logEvents: [event(now)] }, 'ResourceNotFoundException', 'The specified log stream does not exist.'],
        ['PutLogEvents', { ...there, logEvents: [event(now), event(now - 1)] }, 'InvalidParameterException', 'Log events in a single PutLogEvents request must be in chronological order.'],
        ['PutLogEvents', { ...there, logEvents: [] }, 'InvalidParameterException', /logEvents/],
        ['PutLogEvents', { ...there, logEvents: [{ timestamp: now, message: '' }] }, 'InvalidParameterException', /message/],
        ['CreateLogStream', { logGroupName: group, logStreamName: 'mine' }, 'InvalidParameterException', /Berth keeps the logs of its tasks/],
        ['CreateLogStream', { logGroupName: 'elsewhere', logStreamName: stream }, 'InvalidParameterException', /Berth keeps the logs of its tasks/],
        ['CreateLogStream', { logGroupName: group, logStreamName: 'a:b' }, 'InvalidParameterException', /logStreamName/],
        ['CreateLogGroup', { logGroupName: 'a b' }, 'InvalidParameterException', /logGroupName/],
        ['GetLogEvents', { ...there, nextToken: 'f/1' }, 'InvalidParameterException', 'The specified nextToken is invalid.'],
        ['FilterLogEvents', { logGroupName: group, nextToken: 'x' }, 'InvalidParameterException', 'The specified nextToken is invalid.'],
        ['DescribeLogGroups', { nextToken: 'x' }, 'InvalidParameterException', 'The specified nextToken is invalid.'],
        ['DescribeLogGroups', { logGroupNamePrefix: 'a', logGroupNamePattern: 'b' }, 'InvalidParameterException', /together/],
        ['DescribeLogGroups', { limit: 51 }, 'InvalidParameterException', /limit/],
        ['FilterLogEvents', { logGroupName: group, filterPattern: '{ $.a = 1 }' }, 'InvalidParameterException', /no patterns for JSON/],
        ['FilterLogEvents', { logGroupName: group, filterPattern: 'a=b' }, 'InvalidParameterException', /^Invalid character\(s\) in term 'a=b'/],
        ['FilterLogEvents', { logGroupName: group, logStreamNames: [stream], logStreamNamePrefix: 'p' }, 'InvalidParameterException', /together/],
        ['DescribeLogStreams', { logGroupName: group, orderBy: 'LastEventTime', logStreamNamePrefix: 'p' }, 'InvalidParameterException', 'Cannot order by LastEventTime with a logStreamNamePrefix.'],
        ['DescribeLogStreams', { logGroupName: group, orderBy: 'Size' }, 'InvalidParameterException', /orderBy/],
        ['GetLogEvents', { logStreamName: stream }, 'InvalidParameterException', /logGroupName/],
        ['GetLogEvents', { ...there, logGroupIdentifier: group }, 'InvalidParameterException', /logGroupName/],
        ['GetLogEvents', { ...there, limit: 'x' }, 'SerializationException', /limit/],
        ['StartLiveTail', { logGroupIdentifiers: [group] }, 'UnknownOperationException', /does not serve StartLiveTail.*aws logs tail --follow/],
    ]) {
        const reply = await logs(operation, input), row = `${operation} ${JSON.stringify(input)}`;
        assert.strictEqual(reply.status, 400, row);
        assert.strictEqual(reply.json.__type, code, row);
        if (text instanceof RegExp) assert.match(reply.json.message, text, row);
        else assert.strictEqual(reply.json.message, text, row);
    }
    const unsigned = await logs('DescribeLogGroups', {}, { unsigned: true });
    assert.strictEqual(unsigned.json.__type, 'MissingAuthenticationTokenException');
    const wrong = await logs('DescribeLogGroups', {}, { service: 'ecs' });
    assert.match(wrong.json.message, /Credential should be scoped to correct service: 'logs'/);
    await assert.rejects(server.aws('logs', 'get-log-events', '--log-group-name', 'none', '--log-stream-name', 's'), { code: 'ResourceNotFoundException', text: 'The specified log group does not exist.' });
});
