// Events in EventBridge's form: webhooks, judged by the reference library of the Standard Webhooks, and the stream. Real tasks, a server that is killed.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import http from 'node:http';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { Server, waitFor } from '../lib/lib.mjs';

const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-webhooks-'));
const data = mkdtempSync(path.join(os.tmpdir(), 'berth-contract-'));

// A receiver, with the bodies that the reference library has verified.
class Receiver {
    constructor() {
        Object.assign(this, { got: [], calls: 0, refuse: 0, hold: null });
        this.server = http.createServer(async (request, response) => {
            const chunks = [];
            for await (const chunk of request) chunks.push(chunk);
            const body = Buffer.concat(chunks).toString();
            this.calls += 1;
            await this.hold;
            if (this.refuse > 0) {
                this.refuse -= 1;
                response.writeHead(503).end();
                return;
            }
            try {
                this.got.push(new Webhook(secret).verify(body, request.headers));
                response.writeHead(204).end();
            } catch (error) {
                this.got.push({ problem: String(error) });
                response.writeHead(400).end();
            }
        });
    }
    async listen() {
        await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
        return `http://127.0.0.1:${this.server.address().port}/hook`;
    }
    close() { this.server.closeAllConnections(); this.server.close(); }
}

const all = new Receiver(), some = new Receiver();
let server, agentData;
const send = async (operation, input = {}) => {
    const { status, json } = await server.call(operation, input);
    assert.strictEqual(status, 200, JSON.stringify(json));
    return json;
};
const start = async () => {
    server = await Server.start({ data, args: ['--webhooks', path.join(folder, 'hooks.json')] });
    await server.agentIn(agentData, ['--runtime', 'process', '--name', 'machine']);
    await waitFor('the machine', async () => (await server.connected('default')) === 1);
};

const get = (address, headers = {}, more = {}) => fetch(`${server.url}${address}`, { headers: { ...headers, ...server.login() }, ...more });

// Reads the stream until `enough` says so of its events.
async function stream(query, enough, headers = {}) {
    const stop = new AbortController();
    const reply = await get(`/berth/v1/ecs-events${query}`, headers, { signal: stop.signal });
    if (reply.status !== 200) return { status: reply.status, text: await reply.text() };
    const events = [];
    let left = '';
    for await (const chunk of reply.body) {
        left += Buffer.from(chunk).toString();
        for (let end; (end = left.indexOf('\n\n')) >= 0; left = left.slice(end + 2)) {
            const lines = Object.fromEntries(left.slice(0, end).split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
            if (lines.data) events.push({ id: Number(lines.id), event: lines.event, data: JSON.parse(lines.data) });
        }
        if (enough(events)) break;
    }
    stop.abort();
    return { status: 200, events };
}

before(async () => {
    agentData = mkdtempSync(path.join(os.tmpdir(), 'berth-agent-'));
    writeFileSync(path.join(folder, 'hooks.json'), JSON.stringify({ all: { url: await all.listen(), secret }, some: { url: await some.listen(), secret, types: ['ECS Service Action'], timeout_s: 5 } }));
    await start();
    await send('CreateCluster');
    await send('RegisterTaskDefinition', { family: 'job', containerDefinitions: [{ name: 'main', image: 'i', memory: 16, command: ['sh', '-c', 'exit 3'] }] });
});
after(async () => {
    await server.stop();
    all.close();
    some.close();
});
const of = (receiver, task) => receiver.got.filter(({ resources }) => resources?.[0] === task);

test('a task, from its place to its end, as EventBridge has it', async () => {
    const task = (await send('RunTask', { taskDefinition: 'job', startedBy: 'nightly' })).tasks[0];
    const last = await waitFor('its end', () => of(all, task.taskArn).find(({ detail }) => detail.lastStatus === 'STOPPED'));
    const events = of(all, task.taskArn);
    assert.deepStrictEqual(all.got.filter(({ problem }) => problem), [], 'every signature is good');
    assert.deepStrictEqual(events.map(({ detail }) => detail.version), events.map((_, at) => at + 1), 'each version once, in order');
    assert.strictEqual(events[0].detail.lastStatus, 'PENDING');
    assert.match(last.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.match(last.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepStrictEqual([last.version, last['detail-type'], last.source, last.account, last.region], ['0', 'ECS Task State Change', 'aws.ecs', '123456789012', 'us-east-1']);
    const { detail } = last, told = (await send('DescribeTasks', { tasks: [task.taskArn] })).tasks[0];
    assert.deepStrictEqual([detail.taskArn, detail.clusterArn, detail.startedBy, detail.stopCode, detail.containers[0].exitCode], [task.taskArn, task.clusterArn, 'nightly', 'EssentialContainerExited', 3]);
    for (const [name, value] of Object.entries(told)) {
        if (!/At$/.test(name)) continue;
        assert.match(detail[name], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, name);
        assert.ok(Math.abs(Date.parse(detail[name]) - value * 1000) < 2, `${name} is the same time`);
    }
    assert.ok(Date.parse(detail.updatedAt) > 0);
    assert.ok(all.got.some((event) => event['detail-type'] === 'ECS Container Instance State Change' && event.detail.agentConnected === true));
});

test('a service, and a webhook that wants one kind', async () => {
    await send('RegisterTaskDefinition', { family: 'web', containerDefinitions: [{ name: 'main', image: 'i', memory: 16, command: ['sleep', '1000'], stopTimeout: 2 }] });
    const { service } = await send('CreateService', { serviceName: 'web', taskDefinition: 'web', desiredCount: 1 });
    const steady = await waitFor('steady', () => some.got.find(({ detail }) => detail?.eventName === 'SERVICE_STEADY_STATE'));
    assert.deepStrictEqual([steady.resources, steady.detail.eventType, steady.detail.clusterArn], [[service.serviceArn], 'INFO', service.clusterArn]);
    assert.deepStrictEqual([...new Set(some.got.map((event) => event['detail-type']))], ['ECS Service Action']);
    const done = await waitFor('the deployment', () => all.got.find(({ detail }) => detail?.eventName === 'SERVICE_DEPLOYMENT_COMPLETED'));
    assert.strictEqual(done['detail-type'], 'ECS Deployment State Change');
    assert.strictEqual(done.detail.deploymentId, service.deployments[0].id);
    await send('DeleteService', { service: 'web', force: true });
});

test('a receiver that fails gets the event again, and nothing before it', async () => {
    all.refuse = 2;
    const task = (await send('RunTask', { taskDefinition: 'job' })).tasks[0].taskArn;
    await waitFor('its end', () => of(all, task).find(({ detail }) => detail.lastStatus === 'STOPPED'));
    assert.deepStrictEqual(of(all, task).map(({ detail }) => detail.version), of(all, task).map((_, at) => at + 1));
    const text = await (await get('/metrics')).text();
    assert.match(text, /^berth_webhook_failures_total\{webhook="all"\} [2-9]$/m);
    assert.match(text, /^berth_webhook_behind\{webhook="all"\} \d+$/m);
});

test('a server that is killed in the middle: each event comes at least once, and the stream has them all', async () => {
    const before = new Set(all.got.map(({ id }) => id)).size;
    let release;
    all.hold = new Promise((resolve) => { release = resolve; });
    const tasks = (await send('RunTask', { taskDefinition: 'job', count: 5 })).tasks.map(({ taskArn }) => taskArn);
    await waitFor('a call that is on its way', () => all.calls > before);
    await Promise.all([server.kill9(), ...server.agents.map((agent) => agent.signal('SIGKILL'))]);
    all.hold = null;
    release();
    await start();
    await Promise.all(tasks.map((task) => waitFor('its end', () => of(all, task).find(({ detail }) => detail.lastStatus === 'STOPPED'))));
    for (const task of tasks) {
        const versions = [...new Set(of(all, task).map(({ detail }) => detail.version))];
        assert.deepStrictEqual(versions, versions.map((_, at) => at + 1), 'none is left out');
    }
    const { events } = await stream('?since=0', (got) => tasks.every((task) => got.some(({ data: { resources, detail } }) => resources[0] === task && detail.lastStatus === 'STOPPED')));
    assert.deepStrictEqual(events.map(({ id }) => id), events.map((_, at) => at + 1));
    const told = new Set(all.got.map(({ id }) => id));
    const missing = events.filter(({ data }) => !told.has(data.id)).map(({ id }) => id);
    assert.ok(missing.length === 0 || Math.min(...missing) > events.length - 3, `not told: ${missing}`);
});

test('the stream: from a number, of one kind, from now; a number of another store; bad ones', async () => {
    const { events } = await stream('?since=3', (got) => got.length >= 2);
    assert.deepStrictEqual([events[0].id, events[0].event], [4, 'ecs']);
    const again = await stream('', (got) => got.length >= 1, { 'Last-Event-ID': '7' });
    assert.strictEqual(again.events[0].id, 8);
    const kind = await stream('?since=0&type=ECS%20Service%20Action', (got) => got.length >= 1);
    assert.strictEqual(kind.events[0].data['detail-type'], 'ECS Service Action');
    const live = stream('?since=999999999', (got) => got.some(({ data }) => data.detail.lastStatus === 'STOPPED'));
    await new Promise((resolve) => { setTimeout(resolve, 500); });
    const task = (await send('RunTask', { taskDefinition: 'job' })).tasks[0].taskArn;
    assert.deepStrictEqual([...new Set((await live).events.flatMap(({ data }) => data.resources))].includes(task), true);
    const bad = await stream('?since=soon', () => true);
    assert.strictEqual(bad.status, 400);
    assert.match(bad.text, /since should be the number of an event/);
});

test('without --keep-events there are none, and the answer says how to have them', async () => {
    const other = await Server.start();
    const reply = await fetch(`${other.url}/berth/v1/ecs-events`, { headers: other.login() });
    assert.strictEqual(reply.status, 400);
    assert.match(await reply.text(), /start it with --keep-events, for example 24h/);
    await other.stop();
});
