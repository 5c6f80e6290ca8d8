// A small server that tells feeds the state of load balancers, as a Berth server does, so that each step is the test's own; and targets.
import assert from 'node:assert';
import http from 'node:http';
import net from 'node:net';
import { waitFor } from './lib.mjs';

export const keys = { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'B', PATH: `/usr/sbin:${process.env.PATH}` };
export const listen = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

// Requests of a feed to a server, and what it has told.
export class Source {
    static async start() {
        const source = new Source();
        source.state = { revision: 1, groups: [], listeners: [] };
        source.reports = new Map();
        source.waiting = new Set();
        source.server = http.createServer((request, response) => source.answer(request, response));
        source.url = `http://127.0.0.1:${await listen(source.server)}`;
        return source;
    }
    answer(request, response) {
        const url = new URL(request.url, this.url), feed = /^\/berth\/v1\/feeds\/([^/]+)\/applied$/.exec(url.pathname)?.[1];
        assert.match(request.headers.authorization, /^AWS4-HMAC-SHA256 /);
        if (feed) {
            let text = '';
            request.on('data', (data) => { text += data; });
            request.on('end', () => { this.reports.set(feed, JSON.parse(text)); response.end('{}'); });
        } else if (url.searchParams.get('watch') === String(this.state.revision)) {
            this.waiting.add(response);
        } else {
            response.end(JSON.stringify(this.state));
        }
    }
    push(edit) {
        edit(this.state);
        this.state = { ...this.state, revision: this.state.revision + 1 };
        for (const response of this.waiting) response.end(JSON.stringify(this.state));
        this.waiting.clear();
    }
    // Resolves when the feed has applied the change.
    async change(feed, edit) {
        this.push(edit);
        await this.applied(feed);
    }
    applied(feed, revision = this.state.revision) { return waitFor(`revision ${revision} to be applied`, () => this.reports.get(feed)?.revision === revision); }
    group(name) { return this.state.groups.find((group) => group.name === name); }
    stop() { this.server.closeAllConnections(); this.server.close(); }
}

// A target that answers with its name. /slow answers when the test says so. It keeps no connection alive: the end of one is not HAProxy's matter.
export class Target {
    static async start(name, number) {
        const target = new Target();
        target.held = [];
        target.server = http.createServer((request, response) => {
            if (request.headers.upgrade) return;
            if (request.url.startsWith('/a/slow')) target.held.push(() => response.end(name));
            else response.end(`${name} ${request.headers['x-forwarded-proto']} ${request.headers['x-forwarded-port']}`);
        });
        target.server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello'));
        target.row = { number: number.repeat(16), address: '127.0.0.1', port: await listen(target.server), task: null, zone: 'a', state: 'healthy', since: 1 };
        return target;
    }
    stop() { this.server.closeAllConnections(); this.server.close(); }
}

export const freePort = async () => { const server = net.createServer(), port = await listen(server); await new Promise((resolve) => server.close(resolve)); return port; };
export const get = (port, pathname, headers = {}, agent = false, method = 'GET') => new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path: pathname, headers, agent, method }, (response) => {
        let text = '';
        response.on('data', (data) => { text += data; });
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
        response.on('error', reject);
    });
    request.on('error', reject).end();
});

const check = { enabled: true, protocol: 'HTTP', path: '/health', port: 'traffic-port', intervalSeconds: 5, timeoutSeconds: 2, healthy: 2, unhealthy: 2, codes: '200-299' };
export const group = (name, ...targets) => ({ name, arn: `arn:x:targetgroup/${name}/1`, protocol: 'HTTP', port: 80, algorithm: 'round_robin', stickinessSeconds: 0,
    slowStartSeconds: 0, healthCheck: check, targets: targets.map(({ row }) => row) });
export const forward = (...groups) => ({ type: 'forward', stickinessSeconds: 0, groups: groups.map(([name, weight]) => ({ group: name, weight })) });
export const rule = (id, priority, field, values, action, more = {}) => ({ arn: `arn:x:listener-rule/app/web/1/2/${id}`, priority, conditions: [{ field, values, ...more }], action });
