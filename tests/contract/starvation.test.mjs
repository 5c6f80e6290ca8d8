// Nobody starves: a flood of writes over more connections than there are threads leaves readers, agents and the page served; a client that reads no
// answers holds nothing of the store, so that it does not grow.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import http from 'node:http';
import net from 'node:net';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Server, amzTime, remove, sign, waitFor } from '../lib/lib.mjs';
import { DescribeTasksCommand, ListTasksCommand, RunTaskCommand } from '@aws-sdk/client-ecs';

let server;
before(async () => {
    server = await Server.start({ args: ['--threads', '32'] });
    await server.call('CreateCluster', {});
    await server.call('RegisterTaskDefinition', { family: 'busy', containerDefinitions: [{ name: 'main', image: 'busybox', cpu: 1, memory: 6 }] });
    await server.fleet('p3.2xlarge:4', 4);
});
after(async () => {
    await server.stop();
    remove(server.data);
});

const page = (pathname) => new Promise((resolve, reject) => {
    http.get(`${server.url}${pathname}`, { agent: false, headers: server.login() }, (response) => { response.resume(); response.on('end', () => resolve(response.statusCode)); }).on('error', reject);
});

// Clients that never rest: each asks again as soon as it is answered, over one connection for as long as the server keeps it.
function flood(count, operation, input) {
    const agent = new http.Agent({ keepAlive: true, maxSockets: count });
    const state = { going: true, answered: 0, refused: 0 };
    const client = async () => {
        while (state.going) {
            const reply = await server.call(operation, input, { agent }).catch(() => ({ status: 0 }));
            if (reply.status === 200) state.answered++;
            else state.refused++;
        }
    };
    const all = Promise.all(Array.from({ length: count }, client));
    state.end = async () => { state.going = false; await all; agent.destroy(); };
    return state;
}

test('a flood of writes leaves readers, agents and the page served', { timeout: 300000 }, async () => {
    const writes = flood(96, 'CreateCluster', { clusterName: 'flooded' });
    const client = server.sdk();
    const seen = { reads: 0, pages: 0, tasks: 0 };
    try {
        await waitFor('the flood', () => writes.answered > 96);
        for (let round = 0; round < 5; round++) {
            const { tasks, failures } = await client.send(new RunTaskCommand({ taskDefinition: 'busy', count: 2 }));
            assert.deepStrictEqual(failures, []);
            const arns = tasks.map((task) => task.taskArn);
            await waitFor('its tasks to run: agents are heard', async () => {
                const told = await client.send(new DescribeTasksCommand({ tasks: arns }));
                seen.reads++;
                return told.tasks.every((task) => ['RUNNING', 'STOPPED'].includes(task.lastStatus));
            });
            seen.tasks += arns.length;
            await client.send(new ListTasksCommand({}));
            for (const pathname of ['/healthz', '/', '/metrics']) {
                assert.strictEqual(await page(pathname), 200, pathname);
                seen.pages++;
            }
        }
    } finally {
        await writes.end();
        client.destroy();
    }
    assert.deepStrictEqual([seen.tasks, seen.pages], [10, 15]);
    assert.ok(writes.answered > 200, `the flood went on: ${writes.answered}`);
    assert.strictEqual(writes.refused, 0);
});

// A request that says nothing of the connection's end, so that many follow each other on it.
function rawRequest(operation, input) {
    const body = JSON.stringify(input);
    const headers = { host: `127.0.0.1:${server.port}`, 'x-amz-date': amzTime(), 'x-amz-target': `AmazonEC2ContainerServiceV20141113.${operation}`,
        'content-type': 'application/x-amz-json-1.1' };
    headers.authorization = sign({ method: 'POST', pathname: '/', headers, body, key: server.key, secret: server.secret, time: headers['x-amz-date'] });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return `POST / HTTP/1.1\r\n${lines}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

test('the writing thread need not wait for large pages to be cleared: the server refuses them', () => {
    assert.doesNotMatch(readFileSync(`/proc/${server.process.child.pid}/status`, 'utf8'), /^THP_enabled:\s+1$/m);      // a kernel without them has no such line
});

test('who reads no answers does not make the store grow', { timeout: 300000 }, async () => {
    const { json } = await server.call('RunTask', { taskDefinition: 'busy', count: 10 });
    const { json: listed } = await server.call('ListTasks', {});
    const arns = [...new Set([...json.tasks.map((task) => task.taskArn), ...listed.taskArns])].slice(0, 10);
    const stuck = Array.from({ length: 6 }, () => {
        const socket = net.connect({ port: Number(server.port), host: '127.0.0.1' });
        socket.pause();
        socket.on('error', () => {});
        const request = rawRequest('DescribeTasks', { tasks: arns, padding: 'x'.repeat(10000) });       // more than the sockets of both sides take
        for (let n = 0; n < 1500; n++) socket.write(request);
        return socket;
    });
    await waitFor('connections', () => stuck.every((socket) => !socket.connecting));
    const file = path.join(server.data, 'data.mdb');
    const churn = async (times) => {
        const change = async () => {
            for (let n = 0; n < times / 4; n++) {
                const reply = await server.call('UpdateClusterSettings', { cluster: 'default', settings: [{ name: 'containerInsights', value: n % 2 ? 'enabled' : 'disabled' }] });
                assert.strictEqual(reply.status, 200, reply.text);
            }
        };
        await Promise.all(Array.from({ length: 4 }, change));
    };
    await churn(200);
    const size = statSync(file).size;
    assert.ok(stuck.filter((socket) => socket.writableLength > 0).length >= 3, 'they are stuck');     // in a crowd the server ends some
    await churn(1200);
    assert.ok(statSync(file).size - size <= 256 * 1024, `the store grew from ${size} to ${statSync(file).size} bytes`);
    for (const socket of stuck) socket.destroy();
});
