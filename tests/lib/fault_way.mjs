// fault_way.mjs: a way between agents and the server on which messages are lost, late, repeated and out of order, from a seed. It
// knows requests, not their meaning. Requests reach the server as they were sent: they are signed.
//
// Each rule is a chance from 0 to 1: `refuse` hangs up before the request is at the server, `lose` when it has answered, `repeat` sends the
// request once more, a while after its answer, and throws the second answer away. `delay` is the most that a request or its answer
// may wait, in ms. `cut`: nothing passes, and open connections are closed.
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

// mulberry32: a number from 0 to 1.
function chances(seed) {
    return () => {
        seed = (seed + 0x6d2b79f5) | 0;
        let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
}

export class FaultWay {
    static async start(seed = 1, host = '127.0.0.1') {
        const way = new FaultWay();
        way.chance = chances(seed);
        way.rules = {};
        way.counts = { passed: 0, refused: 0, lost: 0, repeated: 0 };
        way.agent = new http.Agent({ keepAlive: false });
        way.server = http.createServer((request, response) => way.take(request, response).catch(() => request.socket.destroy()));
        way.server.keepAliveTimeout = 60000;
        await new Promise((resolve) => way.server.listen(0, host, resolve));
        way.url = `http://${host}:${way.server.address().port}`;
        return way;
    }
    // Where it leads, which may be known later than its own address.
    to(port) { this.port = port; return this; }
    set(rules) {
        this.rules = rules;
        if (rules.cut) this.server.closeAllConnections();
    }
    happens(rule) { return this.chance() < (this.rules[rule] ?? 0); }
    late() { return sleep(this.chance() * (this.rules.delay ?? 0)); }

    async take(request, response) {
        const parts = [];
        for await (const part of request) parts.push(part);
        const body = Buffer.concat(parts);
        if (this.rules.cut || this.happens('refuse')) {
            this.counts.refused++;
            request.socket.destroy();
            return;
        }
        const repeat = this.happens('repeat'), lose = this.happens('lose');
        await this.late();
        const answer = await this.pass(request, body);
        if (repeat) this.again(request, body);
        await this.late();
        if (this.rules.cut || lose) {
            this.counts.lost++;
            request.socket.destroy();
            return;
        }
        this.counts.passed++;
        response.writeHead(answer.status, answer.headers);
        response.end(answer.body);
    }
    async again(request, body) {
        this.counts.repeated++;
        await this.late();
        await this.late();
        if (!this.rules.cut) await this.pass(request, body).catch(() => {});
    }
    pass(request, body) {
        return new Promise((resolve, reject) => {
            const { method, url, headers } = request;
            const sent = http.request({ host: '127.0.0.1', port: this.port, method, path: url, headers, agent: this.agent }, (answer) => {
                const parts = [];
                answer.on('data', (part) => parts.push(part));
                answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) }));
                answer.on('error', reject);
            });
            sent.on('error', reject);
            request.socket.once('close', () => sent.destroy());
            sent.end(body);
        });
    }
    async stop() {
        this.server.closeAllConnections();
        await new Promise((resolve) => this.server.close(resolve));
    }
}

// A server and both ways to it, that of the API and that of the polls, under the same rules. `start` starts the server.
export async function faultyServer(start, seed, host) {
    const api = await FaultWay.start(seed, host), polls = await FaultWay.start(seed + 1, host);
    const server = await start({ args: ['--endpoint', polls.url] });
    api.to(server.port);
    polls.to(server.agentPort);
    const set = (rules) => { for (const way of [api, polls]) way.set(rules); };
    const stop = async () => { await api.stop(); await polls.stop(); };
    return { server, url: api.url, set, stop, counts: [api.counts, polls.counts] };
}
