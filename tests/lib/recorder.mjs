// recorder.mjs: calls of a client of AWS on their way to a server, kept so that they can be made again: terraform_calls.json. What depends on the moment is left out of
// the replies (masked). Of the reads between two writes only the last of its kind is kept, and none whose answer is known already.
import http from 'node:http';
import { writeFileSync } from 'node:fs';

// How far services and groups are, when, and in which words: two runs differ there.
const moments = new Set(['events', 'runningCount', 'pendingCount', 'runningTasksCount', 'pendingTasksCount', 'registeredContainerInstancesCount', 'statistics', 'deployments',
    'currentServiceDeployment', 'currentServiceRevisions', 'createdAt', 'updatedAt', 'registeredAt', 'deregisteredAt', 'startedAt', 'finishedAt']);
const isMoment = (key, value) => (moments.has(key) ? undefined : value);
export function masked(text) {
    if (text.startsWith('{')) return JSON.stringify(JSON.parse(text), isMoment);
    return text.replaceAll(/<(requestId|RequestId|RequestID)>[^<]*<\/\1>/g, '').replaceAll(/<DesiredCapacity>\d+<\/DesiredCapacity>|<Instances>.*?<\/Instances>/g, '')
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'DATE');
}

// Names that a server gives. Those of a recording are replaced by those of the run.
const given = /(?<=ecs-svc\/)\d+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?:lt|sg|sgr|i|m)-[0-9a-f]{17,32}\b|\b(?:AROA|AIPA|AIDA)[A-Z0-9]{8,}\b|\b[0-9a-f]{32}\b|\b[0-9a-f]{16}\b/g;
const translate = (text, names) => text.replaceAll(given, (name) => names.get(name) ?? name);
// A body of a request with the names of the run: JSON, or a form.
export const translated = (body, names) => (body.startsWith('{') ? translate(body, names)
    : new URLSearchParams([...new URLSearchParams(body)].map(([key, value]) => [key, translate(value, names)])).toString());

// The same answer, except names that a server gives: each of them replaces one other. Those that are new are learned.
export function isSame(recorded, reply, names) {
    if (recorded.replaceAll(given, '#') !== reply.replaceAll(given, '#')) return false;
    const learned = new Map(names), [from, to] = [recorded.match(given) ?? [], reply.match(given) ?? []];
    for (const [at, name] of from.entries()) {
        if ((learned.get(name) ?? to[at]) !== to[at]) return false;
        learned.set(name, to[at]);
    }
    for (const [name, other] of learned) names.set(name, other);
    return true;
}

export class Recorder {
    // A server on its own port that hands everything on to `url`.
    static async start(url) {
        const recorder = Object.assign(new Recorder(), { calls: [], seen: new Map(), counts: new Map(), writes: new Map() });
        recorder.server = http.createServer((request, response) => recorder.pass(url, request, response));
        await new Promise((resolve) => recorder.server.listen(0, '127.0.0.1', resolve));
        recorder.url = `http://127.0.0.1:${recorder.server.address().port}`;
        return recorder;
    }
    async pass(url, request, response) {
        const pieces = [];
        for await (const piece of request) pieces.push(piece);
        const body = Buffer.concat(pieces), { method, headers } = request;
        const way = http.request(`${url}${request.url}`, { method, headers, agent: false }, async (reply) => {
            const answer = [];
            for await (const piece of reply) answer.push(piece);
            const text = Buffer.concat(answer);
            this.take(headers, body.toString(), reply.statusCode, text.toString());
            const { 'transfer-encoding': chunked, connection, ...told } = reply.headers;
            response.writeHead(reply.statusCode, { ...told, 'content-length': text.length });
            response.end(text);
        });
        way.on('error', () => response.destroy());
        way.end(body);
    }
    take(headers, body, status, reply) {
        const [, scopeRegion, service] = /Credential=[^/]*\/\d+\/([^/]*)\/([^/]*)\//.exec(headers.authorization ?? '') ?? [];
        const target = headers['x-amz-target'], action = target ? target.split('.').at(-1) : new URLSearchParams(body).get('Action');
        const call = { operation: `${service}:${action}`, scopeRegion, target, body, status, reply: masked(reply) };
        this.counts.set(call.operation, (this.counts.get(call.operation) ?? 0) + 1);
        this.add(call);
    }
    add(call) {
        const service = call.operation.split(':')[0], key = JSON.stringify([call.operation, call.body]), known = this.seen.get(key);
        const isRead = /:(Describe|List|Get)/.test(call.operation);
        if (!isRead) this.writes.set(service, this.calls.length);
        if (isRead && known?.reply === call.reply) return;
        if (isRead && known && this.calls.indexOf(known) > (this.writes.get(service) ?? -1)) this.calls.splice(this.calls.indexOf(known), 1);
        this.seen.set(key, call);
        this.calls.push(call);
    }
    keep(file) { writeFileSync(file, `[\n${this.calls.map((call) => JSON.stringify(call)).join(',\n')}\n]\n`); }
    stop() { return new Promise((resolve) => { this.server.close(resolve); this.server.closeAllConnections(); }); }
}
