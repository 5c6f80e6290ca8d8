// Several servers with one state, over an etcd of one node or three.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, remove, sleep, waitFor } from './lib.mjs';
import { freePort } from './load.mjs';

const memory = existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir();

// Why tests with etcd are skipped; false: they are not.
export const withoutEtcd = () => (spawnSync('etcd', ['--version']).error ? 'there is no etcd here (Debian: etcd-server)' : false);

export class Etcd {
    // Another program may take a port before a node has it: then all start again, with other ports.
    static async start(count = 1, { args = [], tries = 3 } = {}) {
        const etcd = Object.assign(new Etcd(), { nodes: [], args, folder: mkdtempSync(path.join(memory, 'berth-etcd-')) });
        for (let n = 0; n < count; n++) etcd.nodes.push({ name: `n${n}`, client: await freePort(), peer: await freePort() });
        etcd.cluster = etcd.nodes.map((node) => `${node.name}=http://127.0.0.1:${node.peer}`).join(',');
        for (const node of etcd.nodes) etcd.run(node);
        await waitFor('etcd to answer', async () => etcd.nodes.some(({ status }) => status) || etcd.answers());
        await sleep(count > 1 ? 200 : 0);
        const ended = etcd.nodes.find(({ status }) => status);
        if (!ended) return etcd;
        await etcd.stop();
        if (tries === 1) throw new Error(`etcd ended: ${ended.output}`);
        return Etcd.start(count, { args, tries: tries - 1 });
    }
    run(node) {
        const client = `http://127.0.0.1:${node.client}`, peer = `http://127.0.0.1:${node.peer}`;
        node.child = spawn('etcd', ['--name', node.name, '--data-dir', path.join(this.folder, node.name), '--listen-client-urls', client, '--advertise-client-urls', client,
            '--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', this.cluster, '--heartbeat-interval', '50', '--election-timeout', '500',
            '--snapshot-count', '1000', ...this.args], { stdio: ['ignore', 'ignore', 'pipe'] });
        Object.assign(node, { output: '', status: undefined });
        node.child.stderr.on('data', (data) => { node.output = (node.output + data).slice(-3000); });
        node.ended = new Promise((resolve) => node.child.on('exit', (code, signal) => {
            node.status = { code, signal };
            if (!signal) console.log(`etcd ${node.name} has ended by itself, with ${code}: ${node.output}`);
            resolve();
        }));
    }
    // By its JSON gateway, with keys and values as texts.
    call(what, input) { return fetch(`http://127.0.0.1:${this.nodes[0].client}/v3/${what}`, { method: 'POST', body: JSON.stringify(input), signal: AbortSignal.timeout(5000) }); }
    async answers() {
        try { return (await this.call('kv/range', { key: btoa('a') })).ok; } catch { return false; }
    }
    url(name) { return `etcd://${this.nodes.map((node) => `127.0.0.1:${node.client}`).join(',')}/${name}`; }
    signal(name, nodes = this.nodes) { for (const node of nodes) node.child.kill(name); }
    async stop() {
        this.signal('SIGCONT');
        this.signal('SIGKILL');
        await Promise.all(this.nodes.map((node) => node.ended));
        remove(this.folder);
    }
}

export class Members {
    static async start(etcd, { count = 3, name = 'test', args = [], env = {} } = {}) {
        const members = Object.assign(new Members(), { etcd, name, args, env, all: [] });
        for (let n = 0; n < count; n++) await members.add();
        return members;
    }
    async add({ data, args = [], env = this.env } = {}) {
        const number = this.all.length, port = await freePort(), agentPort = await freePort();
        const more = ['--ha', this.etcd.url(this.name), '--ha-member', `m${number}`, '--advertise', `http://127.0.0.1:${port}`, '--ha-lease', '2s', ...this.args, ...args];
        const member = await Server.start({ data, port, agentPort, args: more, env });
        member.again = { data: member.data, port, agentPort, args: more, env };
        member.name = `m${number}`;
        this.all.push(member);
        return member;
    }
    // With the folder and the ports that it had.
    async restart(member) {
        const place = this.all.indexOf(member), back = await Server.start(member.again);
        this.all[place] = Object.assign(back, { again: member.again, name: member.name, agents: member.agents });
        return back;
    }
    get living() { return this.all.filter((member) => !member.process.status && !member.stopped); }
    async state(member) {
        const reply = await member.raw({ method: 'GET', pathname: '/berth/v1/ha', contentType: undefined });
        return reply.json;
    }
    leader() {
        return waitFor('a leader', async () => {
            for (const member of this.living) {
                const reply = await fetch(`${member.url}/healthz?role=leader`, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);
                if (reply?.status === 200) return member;
            }
        });
    }
    async follower() {
        const leader = await this.leader();
        return this.living.find((member) => member !== leader);
    }
    async stop() {
        for (const member of this.all) await member.stop().catch((error) => { this.failed ??= error; });
        if (this.failed) throw this.failed;
    }
}

// As an SDK does: three to five tries within seconds, with one token.
export async function insist(ask, { seconds = 30 } = {}) {
    for (const end = Date.now() + seconds * 1000; ;) {
        const reply = await ask().catch((error) => ({ status: 0, text: String(error) }));
        if (reply.status === 200 || (reply.status >= 400 && reply.status < 500)) return reply;
        if (Date.now() > end) return reply;
        await sleep(100);
    }
}
