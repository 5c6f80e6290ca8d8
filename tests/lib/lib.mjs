// lib.mjs: a real server, real (simulated) agents and real clients for the contract tests. Every reply and every error that a client
// of these tests sees is checked against the API model that Debian's botocore ships; what does not fit fails the test that saw it.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, existsSync, writeFileSync } from 'node:fs';
import { createHash, createHmac, randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ECSClient } from '@aws-sdk/client-ecs';
import { checkError, checkRefusal, checkReply, model, program, root } from './model.mjs';

const awsProgram = existsSync('/usr/bin/aws') ? '/usr/bin/aws' : 'aws';
export const account = '123456789012';
export const region = 'us-east-1';
export { program, root, sleep };

// Waiting long costs nothing when all is well. It is given up after the time and the tries: a machine that stood still for a while has used
// up the one, but not the other.
export async function waitFor(what, condition, { seconds = 120 } = {}) {
    const end = Date.now() + seconds * 1000;
    for (let tries = 1; ; tries++) {
        const value = await condition();
        if (value) return value;
        if (tries > 30 && Date.now() > end) throw new Error(`waited ${seconds} s in vain for ${what}`);
        await sleep(50);
    }
}

// A moment of now, in milliseconds, and no other unit of time.
export const isRecent = (ms) => Math.abs(Number(ms) - Date.now()) < 3600000;

// Processes that a task leaves behind may still write there. Node then tries to take the folder away again, but not files that came into it meanwhile.
export function remove(folder) {
    for (let tries = 1; ; tries++) {
        try {
            return rmSync(folder, { recursive: true, force: true });
        } catch (error) {
            if (!['ENOTEMPTY', 'EBUSY'].includes(error.code) || tries === 100) throw error;
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
        }
    }
}

// Kills the commands below this folder, and says whether there were any: the shim of each then writes down how it ended.
function killCommands(folder) {
    let found = false;
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        try {
            const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
            if (words[1] !== '__shim' || !words[2].startsWith(`${folder}/`)) continue;
            found = true;
            for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)) process.kill(-Number(child), 'SIGKILL');
        } catch { /* it has ended meanwhile */ }
    }
    return found;
}

// Processes of the process runtime outlive their agent: those below this folder are ended with it.
export const endProcesses = (folder) => waitFor(`the processes below ${folder} to end`, () => !killCommands(folder));

function cleanEnvironment(more) {
    const env = {};
    for (const [name, value] of Object.entries(process.env)) {
        if (!/^(AWS_|ECS_|BERTH_|npm_)/.test(name)) env[name] = value;
    }
    return { ...env, ...more };
}

// A process that has ended, but that nobody has waited for, does not live.
export const lives = (pid) => { try { return pid > 0 && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')); } catch { return false; } };

// A child process whose output is kept, for the message of a test that fails.
export class Process {
    constructor(args, env, run = program) {
        this.output = '';
        this.child = spawn(run, args, { env: cleanEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'] });
        for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', (data) => { this.output = (this.output + data).slice(-200000); });
        this.ended = new Promise((resolve) => this.child.on('exit', (code, signal) => { this.status = { code, signal }; resolve(this.status); }));
        this.silent = new Promise((resolve) => this.child.on('close', resolve));       // its output is whole: a little later
    }
    async signal(name) {
        if (!this.status) {
            await this.leaving?.();
            this.child.kill(name);
        }
        return this.ended;
    }
}

// Keeps what the server has counted, before it goes, for coverage.mjs.
async function keepAnswers(server) {
    const folder = process.env.ANSWERS_FOLDER;
    if (!folder) return;
    const asked = { method: 'GET', pathname: '/metrics' };
    let { status, text } = await server.raw(asked);
    if (status !== 200) ({ status, text } = await server.raw({ ...asked, ...server.login() }));       // a password has no date: the server's clock may be wrong
    if (status !== 200) throw new Error(`/metrics was refused: ${text}`);
    writeFileSync(path.join(folder, `${randomUUID()}.metrics`), text);
}

// The CLI's own spelling of each operation: run-task.
const commands = new Map(Object.keys(model.operations).map((name) => [name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase(), name]));

// How to reach a server: as `http` or `https`, with the options that a request then needs.
const plainWay = { get: http.get, request: http.request, options: {} };
const tlsWay = (ca) => ({ get: https.get, request: https.request, options: { ca: readFileSync(ca) } });

export class Server {
    // tls: the paths of a certificate, its key and its authority (certificates.mjs).
    static async start({ data = mkdtempSync(path.join(os.tmpdir(), 'berth-contract-')), port = 0, agentPort = 0, args = [], env = {}, tls } = {}) {
        const server = new Server();
        server.tls = tls;
        server.way = tls ? tlsWay(tls.ca) : plainWay;
        if (tls) args = ['--tls-cert', tls.cert, '--tls-key', tls.key, ...args];
        server.data = data;
        server.key = 'AKIACONTRACTTESTROOT';
        server.secret = 'contract/test/secret/of/forty/characters';
        server.process = new Process(['server', '--data', data, '--listen', `127.0.0.1:${port}`, '--agent-listen', `127.0.0.1:${agentPort}`, ...args],
            { BERTH_ROOT_ACCESS_KEY_ID: server.key, BERTH_ROOT_SECRET_ACCESS_KEY: server.secret, ...env });
        server.agents = [];
        const ready = await waitFor('the server to be ready', async () => {
            if (server.process.status) {
                await server.process.silent;
                throw new Error(`the server ended: ${server.process.output}`);
            }
            return /ready at (https?:\/\/127\.0\.0\.1:(\d+)) agents=https?:\/\/127\.0\.0\.1:(\d+)\s/.exec(server.process.output);
        });
        [, server.url, server.port, server.agentPort] = ready;
        server.process.leaving = () => keepAnswers(server);
        return server;
    }
    // One that something else has started, by its address and a key of it.
    static at(url, { key, secret }) {
        return Object.assign(new Server(), { url, port: Number(new URL(url).port), key, secret, way: plainWay, agents: [] });
    }
    environment() {
        return { AWS_ACCESS_KEY_ID: this.key, AWS_SECRET_ACCESS_KEY: this.secret, AWS_DEFAULT_REGION: region, AWS_EC2_METADATA_DISABLED: 'true', AWS_PAGER: '' };
    }
    agent(args) { return this.agentIn(mkdtempSync(path.join(os.tmpdir(), 'berth-agent-')), args); }
    // An agent with the state of an earlier one; `url`: its way to the server; `run`: a program that is Berth's.
    async agentIn(data, args, { url = this.url, environment = {}, run = program } = {}) {
        const agent = new Process(['agent', '--join', url, '--data', data, ...(this.tls ? ['--ca', this.tls.ca] : []), ...args],
            { ...this.environment(), ...environment }, run);
        agent.data = data;
        this.agents.push(agent);
        return agent;
    }
    // Simulated machines, and nothing goes on before they are connected.
    async fleet(fake, count, { cluster = 'default', args = [] } = {}) {
        const before = await this.connected(cluster);
        const agent = await this.agent(['--fake', fake, '--cluster', cluster, ...args]);
        await waitFor(`${count} machines to connect`, async () => {
            if (agent.status) throw new Error(`the agent ended: ${agent.output}`);
            return (await this.connected(cluster)) >= before + count;
        });
        return agent;
    }
    async connected(cluster) {
        const listed = await this.call('ListContainerInstances', { cluster });
        if (listed.status !== 200 || listed.json.containerInstanceArns.length === 0) return 0;
        const described = await this.call('DescribeContainerInstances', { cluster, containerInstances: listed.json.containerInstanceArns });
        return described.json.containerInstances.filter((i) => i.agentConnected && i.status === 'ACTIVE').length;
    }
    // An agent that is there and does nothing: it polls from now on, until its machine or the server goes.
    async attend(containerInstance, cluster = 'default') {
        const poll = (more) => this.raw({ port: this.agentPort, pathname: '/berth/v1/agent/poll', body: JSON.stringify({ cluster, containerInstance, waitSeconds: 25, ...more }) });
        let reply = await poll({ waitSeconds: 0 });
        if (reply.status !== 200) throw new Error(`the poll was refused: ${reply.text}`);
        (async () => {
            while (reply?.status === 200) {
                const { session, messages } = reply.json;
                reply = await poll({ session, acks: messages.map((one) => one.message.messageId).filter(Boolean) }).catch(() => undefined);
            }
        })();
    }
    // As a browser says who it is.
    login(secret = this.secret) { return { authorization: `Basic ${btoa(`${this.key}:${secret}`)}` }; }
    // One signed request with everything under the test's hand.
    call(operation, input = {}, options = {}) { return rawCall(this, { operation, body: JSON.stringify(input), ...options }); }
    raw(options) { return rawCall(this, options); }
    // The JavaScript SDK, with each reply checked.
    sdk(more = {}) {
        if (this.tls) more = { requestHandler: { httpsAgent: new https.Agent({ ca: this.way.options.ca }) }, ...more };
        const client = new ECSClient({ region, endpoint: this.url, maxAttempts: 1, credentials: { accessKeyId: this.key, secretAccessKey: this.secret }, ...more });
        client.middlewareStack.add((next, context) => async (args) => {
            const operation = context.commandName.replace(/Command$/, '');
            const result = await next(args).catch((error) => {
                if (error.$metadata?.httpStatusCode) checkError(operation, error.name);
                throw error;
            });
            const { $metadata, ...output } = result.output;
            checkReply(operation, JSON.parse(JSON.stringify(output)), { dates: true });
            return result;
        }, { step: 'initialize', name: 'checkReply' });
        return client;
    }
    // The AWS CLI: resolves to its JSON, rejects with {code, message} as the CLI printed them.
    aws(...args) { return this.awsAs({}, ...args); }
    // The same with more in its environment: another's keys.
    async awsAs(environment, ...args) {
        const child = spawn(awsProgram, ['--endpoint-url', this.url, '--output', 'json', ...args], { cwd: root, env: cleanEnvironment({ ...this.environment(), ...environment }) });
        let out = '', err = '';
        child.stdout.on('data', (data) => { out += data; });
        child.stderr.on('data', (data) => { err += data; });
        const code = await new Promise((resolve) => child.on('close', resolve));
        const operation = args[0] === 'ecs' ? commands.get(args[1]) : undefined;
        if (code !== 0) {
            const found = /An error occurred \((\w+)\)[^:]*: ([\s\S]*)/.exec(err);
            if (operation && found) checkError(operation, found[1]);
            throw Object.assign(new Error(err.trim()), { code: found?.[1], text: found?.[2]?.trim() });
        }
        const reply = out.trim() === '' ? undefined : JSON.parse(out);
        if (operation && !args.includes('--query')) checkReply(operation, reply ?? {}, { dates: true });
        return reply;
    }
    // An Auto Scaling group without machines; those that it gets join the cluster default.
    async makeGroup(name) {
        const data = { UserData: Buffer.from('ECS_CLUSTER=default').toString('base64') };
        await this.aws('ec2', 'create-launch-template', '--launch-template-name', `${name}-machines`, '--launch-template-data', JSON.stringify(data));
        await this.aws('autoscaling', 'create-auto-scaling-group', '--auto-scaling-group-name', name, '--min-size', '0', '--max-size', '10', '--availability-zones', 'us-east-1a',
            '--launch-template', `LaunchTemplateName=${name}-machines,Version=$Latest`);
    }
    async kill9() { await this.process.signal('SIGKILL'); }
    // The server is ended though an agent may not be: a process that stays keeps its test file from ending.
    async stop() {
        try {
            for (const agent of this.agents) {
                await agent.signal('SIGTERM');
                await endProcesses(agent.data);
                remove(agent.data);
            }
        } finally {
            const status = await this.process.signal('SIGTERM');
            remove(this.data);
            if (status.code !== 0 && status.signal !== 'SIGKILL') throw new Error(`the server ended badly (${JSON.stringify(status)}): ${this.process.output.slice(-3000)}`);
        }
    }
}

const hex = (data) => createHash('sha256').update(data).digest('hex');
const hmac = (key, data) => createHmac('sha256', key).update(data).digest();

export function sign({ method, pathname, headers, body, key, secret, time, service = 'ecs', scopeRegion = region }) {
    const date = time.slice(0, 8);
    const names = Object.keys(headers).map((name) => name.toLowerCase()).sort();
    const [plain, query = ''] = pathname.split('?');
    const parameters = [...new URLSearchParams(query)].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).sort().join('&');
    const encoded = service === 's3' ? plain : plain.split('/').map(encodeURIComponent).join('/');      // S3 alone signs a path as it is sent
    const canonical = [method, encoded, parameters, ...names.map((name) => `${name}:${headers[name]}`), '', names.join(';'), hex(body)].join('\n');
    const scope = `${date}/${scopeRegion}/${service}/aws4_request`;
    const signingKey = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), scopeRegion), service), 'aws4_request');
    const signature = createHmac('sha256', signingKey).update(['AWS4-HMAC-SHA256', time, scope, hex(canonical)].join('\n')).digest('hex');
    return `AWS4-HMAC-SHA256 Credential=${key}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
}

export const amzTime = (ms = Date.now()) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');

async function rawCall(server, { port = server.port, operation, target = operation && `AmazonEC2ContainerServiceV20141113.${operation}`, body = '', method = 'POST', pathname = '/',
    time = amzTime(), key = server.key, secret = server.secret, token, service, scopeRegion, contentType = 'application/x-amz-json-1.1', authorization, unsigned = false, tamper, agent = false, headers: more = {} }) {
    const headers = { host: `127.0.0.1:${port}`, 'x-amz-date': time };
    if (contentType) headers['content-type'] = contentType;
    if (target) headers['x-amz-target'] = target;
    if (token) headers['x-amz-security-token'] = token;
    const all = { ...headers, ...more, 'content-length': Buffer.byteLength(body) };
    if (!unsigned) all.authorization = authorization ?? sign({ method, pathname, headers, body, key, secret, time, service, scopeRegion });
    const reply = await new Promise((resolve, reject) => {
        const request = server.way.request({ ...server.way.options, host: '127.0.0.1', port, method, path: pathname, headers: all, agent }, (response) => {
            let text = '';
            response.setEncoding('utf8');
            response.on('data', (data) => { text += data; });
            response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
            response.on('error', reject);                                                // it broke off
        });
        request.on('error', reject);
        request.end(tamper ?? body);
    });
    try { reply.json = JSON.parse(reply.text); } catch { /* not every answer is JSON */ }
    if (operation && service !== 'sts' && pathname === '/') {
        if (reply.status === 200) checkReply(operation, reply.json);
        else checkRefusal(operation, reply);
    }
    return reply;
}
