// ecs_agent.mjs: the ECS agent itself, whose program BERTH_ECS_AGENT names, beside a server and on the engine of DOCKER_SOCKET. It is
// started as its own documentation says, outside of EC2 or, with GPUs that nobody has, on a machine of EC2 that `Metadata` plays.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Process, Server, program as berth, region, remove, root } from '../lib/lib.mjs';
import { freePort } from '../lib/load.mjs';
import { Etcd, Members } from '../lib/members.mjs';
import { Stage, waitFor } from './stage.mjs';

const program = process.env.BERTH_ECS_AGENT;
export const skip = program ? false : 'BERTH_ECS_AGENT names no program of the ECS agent';

const mac = '02:00:00:00:00:01';

// The metadata that the agent asks a machine of EC2 for at its start (IMDSv2).
export class Metadata {
    static async start(instanceId = 'i-0123456789abcdef0') {
        const metadata = new Metadata();
        metadata.asked = [];
        metadata.words = {
            'meta-data/mac': mac,
            [`meta-data/network/interfaces/macs/${mac}/vpc-id`]: 'vpc-1',
            [`meta-data/network/interfaces/macs/${mac}/subnet-id`]: 'subnet-1',
            'meta-data/instance-id': instanceId,
            'meta-data/placement/availability-zone-id': 'use1-az1',
            'dynamic/instance-identity/document': JSON.stringify({ region, instanceId, instanceType: 'p4d.24xlarge', availabilityZone: `${region}a`, imageId: 'ami-1' }),
            'dynamic/instance-identity/signature': 'c2lnbmF0dXJl',
        };
        metadata.http = http.createServer((request, response) => {
            const { pathname } = new URL(request.url, 'http://metadata');
            const word = request.method === 'PUT' ? 'token' : metadata.words[pathname.replace('/latest/', '').replace(/\/$/, '')];
            metadata.asked.push(`${request.method} ${pathname}`);
            response.writeHead(word === undefined ? 404 : 200, { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' });
            response.end(word);
        });
        await new Promise((resolve) => metadata.http.listen(0, '127.0.0.1', resolve));
        metadata.url = `http://127.0.0.1:${metadata.http.address().port}`;
        return metadata;
    }
    close() { this.http.closeAllConnections(); return new Promise((resolve) => this.http.close(resolve)); }
}

// The way from containers to the agent, as ecs-init makes it: the agent itself does not.
let opened = false;
function openWay() {
    if (opened) return;
    opened = true;
    const nat = (...args) => execFileSync('iptables', ['-w', '-t', 'nat', '-A', ...args]);
    execFileSync('ip', ['route', 'replace', '169.254.170.2', 'dev', 'lo']);        // elsewhere the default route does
    execFileSync('sysctl', ['-qw', 'net.ipv4.conf.all.route_localnet=1']);
    nat('PREROUTING', '-p', 'tcp', '-d', '169.254.170.2', '--dport', '80', '-j', 'DNAT', '--to-destination', '127.0.0.1:51679');
    nat('OUTPUT', '-p', 'tcp', '-d', '169.254.170.2', '--dport', '80', '-j', 'REDIRECT', '--to-ports', '51679');
}

// The agent looks for its GPUs in a file below /var/lib, at a fixed path: it gets its own /var/lib.
const script = 'mount -t tmpfs none /var/lib && mkdir -p /var/lib/ecs/gpu && printf %s "$GPUS" >/var/lib/ecs/gpu/nvidia-gpu-info.json && exec "$0"';

export class RealAgent {
    constructor(server, { cluster = 'default', metadata, gpus = [], environment = {}, keysFrom = [] } = {}) {
        const words = ['keys', 'create', '--data', server.data, '--role', 'agent', '--output', 'json', ...keysFrom];
        const made = execFileSync(berth, words, { encoding: 'utf8', env: keysFrom.length > 0 ? server.environment() : {} });
        const { AccessKeyId, SecretAccessKey } = JSON.parse(made).AccessKey;
        Object.assign(this, { server, data: mkdtempSync(path.join(os.tmpdir(), 'berth-ecs-agent-')) });
        const outside = metadata
            ? { AWS_EC2_METADATA_SERVICE_ENDPOINT: metadata.url, AWS_EC2_METADATA_DISABLED: 'false' }
            : { ECS_EXTERNAL: 'true' };
        this.environment = {
            ...server.environment(), AWS_ACCESS_KEY_ID: AccessKeyId, AWS_SECRET_ACCESS_KEY: SecretAccessKey,
            ECS_BACKEND_HOST: server.url, ECS_CLUSTER: cluster, ECS_DATADIR: this.data, DOCKER_HOST: `unix://${process.env.DOCKER_SOCKET}`,
            ECS_ENABLE_TASK_CPU_MEM_LIMIT: 'false', ECS_AUDIT_LOGFILE_DISABLED: 'true', ECS_AVAILABLE_LOGGING_DRIVERS: '["json-file","awslogs","none"]',
            ECS_IMAGE_PULL_BEHAVIOR: 'prefer-cached', ECS_EBSTA_SUPPORTED: 'false', ECS_INSTANCE_IP_COMPATIBILITY: 'ipv4', ECS_LOGLEVEL: 'debug',
            ECS_ENGINE_TASK_CLEANUP_WAIT_DURATION: '10s', ECS_CONTAINER_STOP_TIMEOUT: '2s',
            ECS_ENABLE_TASK_IAM_ROLE: 'true', ECS_ENABLE_AWSLOGS_EXECUTIONROLE_OVERRIDE: 'true',
            AWS_ENDPOINT_URL_SSM: server.url, AWS_ENDPOINT_URL_SECRETS_MANAGER: server.url,
            ...(gpus.length > 0 && { ECS_ENABLE_GPU_SUPPORT: 'true', ECS_NVIDIA_RUNTIME: 'runc', GPUS: JSON.stringify({ DriverVersion: '550.54.15', GPUIDs: gpus }) }),
            ...outside, ...environment,
        };
    }
    start() {
        this.process = new Process(['--mount', '--propagation', 'private', 'sh', '-c', script, program], this.environment, 'unshare');
        return this;
    }
    get output() { return this.process.output; }
    // Its own word about itself and its tasks.
    async ask(pathname) { return (await fetch(`http://127.0.0.1:51678${pathname}`)).json(); }
    stop() { return this.process.signal('SIGTERM'); }
    async end() {
        await this.stop();
        remove(this.data);
    }
}

export class AgentStage extends Stage {
    // server: what Server.start takes; environment: more for the agent, or a function of the server that gives it.
    static async open({ server, environment, ...options } = {}) {
        const stage = new AgentStage();
        openWay();
        stage.server = await Server.start(server);
        stage.client = stage.server.sdk({ maxAttempts: 3 });                           // connections end while a test waits
        await stage.call('CreateCluster');
        stage.agent = new RealAgent(stage.server, { environment: typeof environment === 'function' ? environment(stage.server) : environment, ...options }).start();
        await stage.connected();
        return stage;
    }
    async connected() {
        await waitFor('the ECS agent to connect', async () => {
            if (this.agent.process.status) throw new Error(`it ended (${JSON.stringify(this.agent.process.status)}): ${this.agent.output.slice(-3000)}`);
            return (await this.server.connected('default')) === 1;
        });
    }
    async machine(...include) {
        const { containerInstanceArns } = await this.call('ListContainerInstances');
        return (await this.call('DescribeContainerInstances', { containerInstances: containerInstanceArns, include })).containerInstances[0];
    }
    async metrics() { return (await this.server.raw({ method: 'GET', pathname: '/metrics' })).text; }
    killServer() { return this.server.kill9(); }
    async startServer() {
        const { data, port, agentPort } = this.server;
        this.server = await Server.start({ data, port, agentPort });
    }
    async close() {
        await this.agent.end();
        await this.server.stop();
    }
}

// Three servers with one state behind one address, which deploy/haproxy-servers.cfg keeps.
export class SharedStage extends AgentStage {
    static async open() {
        const stage = new SharedStage(), folder = mkdtempSync(path.join(os.tmpdir(), 'berth-shared-')), ports = [await freePort(), await freePort()];
        openWay();
        stage.folder = folder;
        stage.etcd = await Etcd.start(3);
        stage.members = await Members.start(stage.etcd, { args: ['--endpoint', `http://127.0.0.1:${ports[1]}`] });
        let config = readFileSync(path.join(root, 'deploy/haproxy-servers.cfg'), 'utf8').replace('bind :9280', `bind 127.0.0.1:${ports[0]}`).replace('bind :9281', `bind 127.0.0.1:${ports[1]}`)
            .replace('maxconn 20000', 'maxconn 200');
        for (const [n, { port, agentPort }] of stage.members.all.entries()) {
            config = config.replace(`10.0.0.${n + 1}:9280`, `127.0.0.1:${port}`).replace(`10.0.0.${n + 1}:9281`, `127.0.0.1:${agentPort} port ${port}`);
        }
        writeFileSync(path.join(folder, 'haproxy.cfg'), config.replace('check port 9280', 'check'));
        stage.proxy = new Process(['-db', '-f', path.join(folder, 'haproxy.cfg')], {}, 'haproxy');
        const [{ key, secret, data, url }] = stage.members.all;
        stage.server = Object.assign(Server.at(`http://127.0.0.1:${ports[0]}`, { key, secret }), { data });
        stage.client = stage.server.sdk({ maxAttempts: 10 });
        await waitFor('the shared address', async () => !stage.proxy.status && (await stage.server.call('CreateCluster').catch(() => undefined))?.status === 200);
        stage.agent = new RealAgent(stage.server, { keysFrom: ['--server', url] }).start();
        await stage.connected();
        return stage;
    }
    connected() { return waitFor('the ECS agent to connect', async () => (await this.server.connected('default').catch(() => 0)) === 1); }
    async close() {
        await this.agent?.end();
        await this.proxy?.signal('SIGKILL');
        await this.members?.stop();
        await this.etcd?.stop();
        remove(this.folder);
    }
}
