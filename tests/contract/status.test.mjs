// The state in plain text, who the page's reader is, and what protects the page from somebody else's.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { Server, waitFor } from '../lib/lib.mjs';

let server;
const get = async (pathname, headers = {}, more = {}) => {
    const reply = await fetch(`${server.url}${pathname}`, { headers: { ...server.login(), ...headers }, ...more });
    return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
};

before(async () => {
    server = await Server.start();
    await server.call('CreateCluster', {});
});
after(() => server.stop());

test('an empty server, then machines, a queue and problems', async () => {
    const empty = await get('/status.txt');
    assert.strictEqual(empty.headers['content-type'], 'text/plain; charset=utf-8');
    assert.match(empty.text, /^Berth, revision \d+, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n\nagents {4}0 of 0 connected\n[\s\S]*\nNo machine has joined yet\.\n$/);

    await server.fleet('p3.8xlarge:2,c5.2xlarge:1', 3);
    await server.call('RegisterTaskDefinition', { family: 'four', containerDefinitions: [{ name: 'main', image: 'i', memory: 16, resourceRequirements: [{ type: 'GPU', value: '4' }] }] });
    await server.call('RunTask', { taskDefinition: 'four', count: 3, tags: [{ key: 'berth:queue', value: 'wait' }] });
    const busy = await waitFor('two tasks to run', async () => {
        const { text } = await get('/status.txt');
        return /^tasks {5}2 running, 0 pending, 1 waiting$/m.test(text) && text;
    });
    assert.match(busy, /^agents {4}3 of 3 connected\nGPUs {6}8: 8 held, 0 free$/m);
    assert.match(busy, /^fits now {2}default: no GPU task$/m);
    assert.match(busy, /^WAITING.*\n {2}[0-9a-f]{32} {2}four:1 +default +\S+ +RESOURCE:GPU needs 4 GPUs on one instance/m);
    assert.match(busy, /^ {2}c5\.2xlarge-1 .*\n {2}p3\.8xlarge-1 +default +p3\.8xlarge +ACTIVE +#### +4 of 4 held, 1 task$/m);
    assert.doesNotMatch(busy, /PROBLEMS|SERVICES/);
});

test('a terminal obeys nothing that is in a name', async () => {
    const { machines } = JSON.parse((await get('/berth/v1/samples')).text);
    const uuid = machines.find(({ gpus }) => gpus.length > 0).gpus[0].uuid;
    const reason = 'fan\u001b[2J\u202eevil\u009b1m';
    assert.strictEqual((await server.raw({ pathname: '/berth/v1/gpus', body: JSON.stringify({ uuid, state: 'QUARANTINED', reason }) })).status, 200);
    const { text } = await get('/status.txt');
    assert.match(text, /^PROBLEMS\n {2}machine {2}p3\.8xlarge-\d +GPU 0 quarantined: fan\?\[2J\?evil\?1m$/m);
    assert.doesNotMatch(text, /[^\n\x20-\x7e]/);
});

test('the page is for everybody, what it shows is not', async () => {
    const outside = { 'x-forwarded-for': '10.0.0.1' };
    const page = await fetch(`${server.url}/`, { headers: outside });
    assert.strictEqual(page.status, 200);
    for (const pathname of ['/status.txt', '/berth/v1/caller', '/berth/v1/state', '/berth/v1/samples', '/metrics']) {
        const refused = await fetch(`${server.url}${pathname}`, { headers: outside });
        assert.strictEqual(refused.status, 401, pathname);
        assert.doesNotMatch(refused.headers.get('www-authenticate'), /basic/i, 'a browser would ask for a password and keep it');
    }
    assert.deepStrictEqual(JSON.parse((await get('/berth/v1/caller', outside)).text), { region: 'us-east-1', user: 'root', role: 'admin' });
    const nowhere = await get('/nowhere');
    assert.deepStrictEqual([nowhere.status, nowhere.text], [404, 'There is no such page. The dashboard is at /.\n']);
});

test("another site's page can neither frame it nor write through it", async () => {
    for (const pathname of ['/', '/app.js', '/nowhere', '/status.txt', '/berth/v1/state']) {
        const { headers } = await get(pathname);
        assert.match(headers['content-security-policy'], /^default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/, pathname);
        assert.strictEqual(headers['set-cookie'], undefined, pathname);
        assert.strictEqual(headers['access-control-allow-origin'], undefined, pathname);
    }
    const foreign = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' };
    const before = (await server.call('ListTasks', {})).json.taskArns.length;
    for (const [pathname, headers] of [['/', { 'x-amz-target': 'AmazonEC2ContainerServiceV20141113.StopTask' }], ['/berth/v1/gpus', {}]]) {
        for (const login of [{}, server.login()]) {        // a password that a browser might have kept writes nothing
            for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/x-amz-json-1.1']) {
                const reply = await fetch(`${server.url}${pathname}`, { method: 'POST', headers: { ...foreign, 'content-type': type, ...headers, ...login }, body: '{}' });
                assert.ok([400, 403, 404].includes(reply.status), `${pathname} ${type} ${reply.status}`);
                if (type.includes('amz')) assert.match((await reply.json()).__type, /MissingAuthenticationToken|IncompleteSignature/);
            }
        }
    }
    assert.strictEqual((await server.call('ListTasks', {})).json.taskArns.length, before);
});
