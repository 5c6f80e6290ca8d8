// `berth deploy` and `berth services`: rollouts of real tasks that succeed, are rolled back, are superseded or take too long, and each exit status;
// then answers that this server does not give, from a stub.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import http from 'node:http';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, program, root, waitFor } from '../lib/lib.mjs';

let server;
const children = [];
const send = async (operation, input = {}) => {
    const { status, json } = await server.call(operation, input);
    assert.strictEqual(status, 200, JSON.stringify(json));
    return json;
};
const describe = async (service) => (await send('DescribeServices', { services: [service] })).services[0];
const act = async (service) =>
    (await send('DescribeServiceDeployments', { serviceDeploymentArns: [(await describe(service)).currentServiceDeployment] })).serviceDeployments[0];
const definition = async (taskDefinition) => (await send('DescribeTaskDefinition', { taskDefinition, include: ['TAGS'] }));

// A command that has started; `ended` resolves when it has ended.
function start(args, { url = server.url, run = program, before: words = [] } = {}) {
    const child = spawn(run, [...words, ...args, '--server', url], { cwd: root, env: { PATH: process.env.PATH, ...server.environment() } });
    children.push(child);
    const command = { child, out: '', err: '' };
    child.stdout.on('data', (data) => { command.out += data; });
    child.stderr.on('data', (data) => { command.err += data; });
    command.ended = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, out: command.out, err: command.err })));
    return command;
}
const berth = (...args) => start(args).ended;

// A rollout and its checks take their time side by side.
const container = { name: 'main', image: 'i:1', memory: 16, command: ['sleep', '1000'], stopTimeout: 2, environment: [{ name: 'A', value: 'b' }] };
const services = ['one', 'two', 'three'];
before(async () => {
    server = await Server.start();
    await send('CreateCluster');
    await server.agentIn(mkdtempSync(path.join(os.tmpdir(), 'berth-agent-')), ['--runtime', 'process', '--name', 'machine']);
    await waitFor('the machine', async () => (await server.connected('default')) === 1);
    await send('RegisterTaskDefinition', { family: 'web', tags: [{ key: 'team', value: 'a' }],
        containerDefinitions: [container, { ...container, name: 'side', essential: false }] });
    await send('RegisterTaskDefinition', { family: 'bad', containerDefinitions: [{ ...container, command: ['false'] }] });
    for (const serviceName of services) {
        await send('CreateService', { serviceName, taskDefinition: 'web', desiredCount: 1, deploymentConfiguration: { deploymentCircuitBreaker: { enable: true, rollback: true } } });
    }
});
after(async () => {
    for (const child of children) child.kill();          // after a test that failed, some still wait
    await server.stop();
});

test('without a change it waits for the present deployment', async () => {
    const [late, ...rest] = await Promise.all([berth('deploy', 'one', '--timeout', '0s'), ...services.map((name) => berth('deploy', name))]);
    assert.deepStrictEqual([late.code, late.err], [4, 'berth deploy: the deployment did not end within 0s. It goes on.\n']);
    for (const one of rest) {
        assert.strictEqual(one.code, 0, one.err);
        assert.match(one.out, /\nSUCCESSFUL: 1 of 1 running\n$/);
        assert.match(one.out, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}\(service \w+\) has reached a steady state\.$/m);
    }
    for (const name of services) assert.strictEqual((await act(name)).status, 'SUCCESSFUL');
});

async function succeeds() {
    const done = await berth('deploy', 'one', '--image', 'main=i:2', '--image', 'side=j:2');
    assert.strictEqual(done.code, 0, done.err);
    assert.match(done.out, /^Registered web:2\.\n[^]*IN_PROGRESS: 1 of 1 running, 1 old\n[^]*deployment completed\.\n[^]*\nSUCCESSFUL: 1 of 1 running\n$/);
    assert.match((await describe('one')).taskDefinition, /web:2$/);
    const [old, young] = [await definition('web:1'), await definition('web:2')];
    assert.deepStrictEqual(young.taskDefinition.containerDefinitions.map((one) => one.image), ['i:2', 'j:2']);
    for (const one of [old, young]) {
        for (const member of ['taskDefinitionArn', 'revision', 'registeredAt']) delete one.taskDefinition[member];
        for (const each of one.taskDefinition.containerDefinitions) delete each.image;
    }
    assert.deepStrictEqual(young, old, 'all else is as it was, and the tags are too');
}

async function isRolledBack() {
    const done = await berth('deploy', 'two', '--task-definition', 'bad');
    assert.strictEqual(done.code, 3, done.err);
    const { status, statusReason } = await act('two');
    assert.strictEqual(done.err, `berth deploy: the deployment ended as ${status}: ${statusReason}\n`);
    assert.match(done.out, /IN_PROGRESS: 0 of 1 running.* \d failed\n[^]*rolling back to deployment [^]*\nROLLBACK_SUCCESSFUL: 1 of 1 running\n$/);
    assert.match((await describe('two')).taskDefinition, /web:1$/);
}

async function isSuperseded() {
    const late = await berth('deploy', 'three', '--force', '--timeout', '0s');
    assert.strictEqual(late.code, 4, late.err);
    assert.notStrictEqual((await act('three')).status, 'SUCCESSFUL');
    const waits = start(['deploy', 'three']), leaves = start(['deploy', 'three']);
    await waitFor('both to look', () => waits.out !== '' && leaves.out !== '');
    leaves.child.kill('SIGINT');
    const left = await leaves.ended;
    assert.deepStrictEqual([left.signal, left.err], ['SIGINT', '\nThe deployment goes on. `berth deploy three` waits for it again.\n']);
    await send('UpdateService', { service: 'three', forceNewDeployment: true });
    const done = await waits.ended;
    assert.strictEqual(done.code, 3, done.err);
    assert.match(done.err, /^berth deploy: the deployment ended as STOPPED: .*a new service deployment was started/);
    assert.match((await berth('services')).out, /^three .*\n {50}web:1 +COMPLETED +-$/m, 'an older deployment has its line');
}

test('each end of a deployment has its exit status', async () => { await Promise.all([succeeds(), isRolledBack(), isSuperseded()]); });

test('a change without a deployment waits for the tasks', async () => {
    const fewer = await berth('deploy', 'one', '--desired-count', '0');
    assert.strictEqual(fewer.code, 0, fewer.err);
    assert.match(fewer.out, /^No new deployment is needed\.\n[^]*ACTIVE: 0 of 0 running\n$/);
    assert.match((await berth('deploy', 'one', '--task-definition', 'web:2')).out, /^No new deployment is needed\.\nACTIVE: 0 of 0 running\n$/);
});

test('on a terminal one line is drawn again', async () => {
    const word = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
    const done = await start(['deploy', 'one', '--force'], { run: '/usr/bin/python3', before: ['-c', word, program] }).ended;
    assert.strictEqual(done.code, 0, done.out);
    assert.match(done.out, /\r\x1b\[K\x1b\[\?7l\[#{20}\] 100% {2}SUCCESSFUL: 0 of 0 running\x1b\[\?7h\r\n$/);
});

test('a refusal registers nothing', async () => {
    const before = await send('ListTaskDefinitions');
    const rows = [
        [['nope'], /there is no service "nope" in the cluster default\./], [['one', '--cluster', 'nope'], /ClusterNotFoundException/],
        [['one', '--image', 'i:3'], /has 2 containers: name one/], [['one', '--image', 'x=i:3'], /has no container "x"/],
        [['one', '--task-definition', 'nope', '--image', 'i:3'], /ClientException/], [['one', '--task-definition', 'nope'], /ClientException/],
        [[], /a service is needed/],
    ];
    for (const [args, complaint] of rows) {
        const refused = await berth('deploy', ...args);
        assert.strictEqual(refused.code, 1, refused.out);
        assert.match(refused.err, complaint);
    }
    assert.deepStrictEqual(await send('ListTaskDefinitions'), before);
});

test('berth services', async () => {
    assert.match((await berth('services')).out, /^SERVICE +DESIRED +RUNNING +PENDING +DEPLOYMENT +ROLLOUT +DONE +LAST EVENT \(UTC\)\n/);
    assert.match((await berth('services')).out, /^one +0 +0 +0 +web:2 +COMPLETED +100% +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}\(service one\) .* deployment completed\.$/m);
    const whole = await berth('services', 'two'), { currentServiceDeployment, events, deployments } = await describe('two');
    assert.match(whole.out, /^Service +arn:.*\/two\nStatus +ACTIVE\nDefinition +web:1\nTasks +1 of 1 running, 0 pending\nDeployment +ROLLBACK_SUCCESSFUL\nReason +Service deployment rolled back/);
    assert.match(whole.out, new RegExp(`\\n${deployments[0].id} +PRIMARY +1 +1 +0 +0 +web:1 +COMPLETED +100% +ECS deployment`));
    assert.strictEqual(whole.out.split('Last events (UTC)\n')[1].trimEnd().split('\n').length, Math.min(events.length, 10));
    const json = JSON.parse((await berth('services', 'two', '--output', 'json')).out);
    assert.deepStrictEqual([json.service, json.serviceDeployment.serviceDeploymentArn], [await describe('two'), currentServiceDeployment]);
    assert.match((await berth('services', 'nope')).err, /there is no service "nope" in the cluster default\./);

    await send('CreateCluster', { clusterName: 'many' });
    assert.strictEqual((await berth('services', '--cluster', 'many')).out, 'There is no service in the cluster many.\n');
    assert.strictEqual((await berth('services', '--cluster', 'many', '--output', 'json')).out, '{"services":[]}\n');
    const names = Array.from({ length: 21 }, (_, n) => `s${String(n).padStart(2, '0')}`);
    for (const serviceName of names) await send('CreateService', { cluster: 'many', serviceName, taskDefinition: 'web', desiredCount: 0 });
    const { services: listed } = JSON.parse((await berth('services', '--cluster', 'many', '--output', 'json')).out);
    assert.deepStrictEqual(listed.map((one) => one.serviceName), names);
    assert.deepStrictEqual((await berth('services', '--cluster', 'many')).out.trim().split('\n').slice(1).map((line) => line.split(' ')[0]), names);
});

// Answers each operation with the next of its replies: [status, JSON or text, headers]; the last one stays.
async function stub(replies) {
    const asked = [];
    const listener = http.createServer((request, response) => {
        const operation = request.headers['x-amz-target'].split('.')[1], list = replies[operation];
        asked.push(operation);
        const [status, body, headers = {}] = list.length > 1 ? list.shift() : list[0];
        request.resume().on('end', () => response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body)));
    });
    await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return { asked, url: `http://127.0.0.1:${listener.address().port}`, close: () => listener.close() };
}
const service = (more) => ({ serviceName: 's', status: 'ACTIVE', desiredCount: 1, runningCount: 1, pendingCount: 0, currentServiceDeployment: 'arn:2', events: [],
    deployments: [{ status: 'PRIMARY', desiredCount: 1, runningCount: 1, pendingCount: 0 }], ...more });
const services1 = (more) => [200, { services: [service(more)], failures: [] }];
const deployment = (status, statusReason) => [200, { serviceDeployments: [{ status, statusReason }], failures: [] }];
const event = (id, message) => ({ id, createdAt: 1750000000.5, message });

test('what a server may answer', async () => {
    const rows = [
        { name: 'a warning, and events once each, with the oldest first', code: 0, args: ['--force'], 
            want: /^Warning: no room here\n2025-06-15 15:06:40 {2}b c\nIN_PROGRESS: 1 of 1 running\n2025-06-15 15:06:40 {2}d\nSUCCESSFUL: 1 of 1 running\n$/,
            replies: { UpdateService: [[200, { service: service() }, { 'X-Berth-Warning': 'no room\there' }]],
                DescribeServiceDeployments: [deployment('IN_PROGRESS'), deployment('SUCCESSFUL')],
                DescribeServices: [services1({ currentServiceDeployment: 'arn:1', events: [event('a', 'old')] }), services1({ events: [event('b', 'b\nc'), event('a', 'old')] }),
                    services1({ events: [event('d', 'd'), event('b', 'b\nc'), event('a', 'old')] })] } },
        { name: 'errors that pass', code: 0, args: [], want: /^the server answered with status 502: gone\nServerException: x\n.*not JSON.*\nSUCCESSFUL: 1 of 1 running\n$/s,
            replies: { DescribeServices: [services1()],
                DescribeServiceDeployments: [[502, 'gone'], [500, { __type: 'ServerException', message: 'x' }], [200, '{'], deployment('SUCCESSFUL')] } },
        { name: 'an error that stays', code: 1, args: [], err: /AccessDeniedException: no/,
            replies: { DescribeServices: [services1()], DescribeServiceDeployments: [[400, { __type: 'AccessDeniedException', message: 'no' }]] } },
        { name: 'a deployment that is gone', code: 1, args: [], err: /there is no service deployment arn:2 any more/,
            replies: { DescribeServices: [services1()], DescribeServiceDeployments: [[200, { serviceDeployments: [], failures: [{ arn: 'arn:2', reason: 'MISSING' }] }]] } },
        { name: 'no rollback', code: 3, args: [], err: /ended as ROLLBACK_FAILED: none was found/,
            replies: { DescribeServices: [services1()], DescribeServiceDeployments: [deployment('ROLLBACK_FAILED', 'none was found')] } },
        { name: 'a service without service deployments', code: 0, args: [], want: /^No new deployment is needed\.\nACTIVE: 1 of 1 running\n$/,
            replies: { DescribeServices: [services1({ currentServiceDeployment: undefined })] } },
        { name: 'an answer without a service', code: 1, args: ['--force'], err: /the server's answer has no service/,
            replies: { DescribeServices: [services1()], UpdateService: [[200, {}]] } },
        { name: 'an answer of another form', code: 1, args: [], err: /there is no service "s"/, replies: { DescribeServices: [[200, []]] } },
    ];
    for (const row of rows) {
        const other = await stub(row.replies);
        const done = await start(['deploy', 's', '--timeout', '20s', ...row.args], { url: other.url }).ended;
        other.close();
        assert.strictEqual(done.code, row.code, `${row.name}: ${done.out}${done.err}`);
        assert.match(done.out, row.want ?? /^/, row.name);
        assert.match(done.err, row.err ?? /^$/, row.name);
        assert.strictEqual(other.asked.includes('UpdateService'), row.args.length > 0, row.name);
    }
});
