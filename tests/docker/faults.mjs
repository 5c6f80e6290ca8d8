// faults.mjs: one machine on a real engine, work that comes and goes, and a watcher: in spite of all faults meanwhile, no GPU is in two
// containers at once, and in the end the containers on the machine are those that the store says run.
import assert from 'node:assert';
import { mkdtempSync, realpathSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Server, remove, sleep, waitFor } from '../lib/lib.mjs';

export const socket = process.env.DOCKER_SOCKET;
// The last one wants a value: how long containers stay behind.
export const agentArgs = ['--docker-socket', socket, '--runtime', 'docker', '--fake-gpus', 'V100:2', '--stop-timeout', '2s', '--task-cleanup-wait'];

// undefined: the engine does not answer.
function docker(pathname) {
    return new Promise((resolve) => {
        const request = http.get({ socketPath: socket, path: pathname, timeout: 10000 }, (response) => {
            let text = '';
            response.on('data', (data) => { text += data; });
            response.on('end', () => { try { resolve(response.statusCode === 200 ? JSON.parse(text) : undefined); } catch { resolve(undefined); } });
            response.on('error', () => resolve(undefined));
        });
        request.on('timeout', () => request.destroy()).on('error', () => resolve(undefined));
    });
}
export const answers = () => docker('/version');
const labelled = (label, all) => docker(`/containers/json?all=${all}&filters=${encodeURIComponent(JSON.stringify({ label: [label] }))}`);
export const containers = (all = false) => labelled('com.amazonaws.ecs.task-arn', all);

// Looks at what runs as often as it can.
class Watcher {
    constructor(scene) {
        this.scene = scene;
        this.gpus = new Map();                                       // by container: those that its environment names
        this.looks = 0;
        this.most = 0;                                               // GPUs in use at once
        this.trouble = [];
        this.done = this.watch();
    }
    async gpusOf(id) {
        if (!this.gpus.has(id)) {
            const found = await docker(`/containers/${id}/json`);
            if (!found) return [];
            const visible = found.Config.Env.find((one) => one.startsWith('NVIDIA_VISIBLE_DEVICES='))?.split('=')[1] ?? '';
            this.gpus.set(id, visible.split(',').filter((one) => one !== '' && one !== 'void'));
        }
        return this.gpus.get(id);
    }
    async watch() {
        while (!this.stopped) {
            const running = await this.scene.containers();
            const holders = new Map();
            for (const one of running ?? []) {
                for (const gpu of await this.gpusOf(one.Id)) {
                    if (holders.has(gpu)) this.trouble.push(`${gpu} is in ${holders.get(gpu)} and ${one.Labels['com.amazonaws.ecs.task-arn']}`);
                    holders.set(gpu, one.Labels['com.amazonaws.ecs.task-arn']);
                }
            }
            if (running) this.looks++;
            this.most = Math.max(this.most, holders.size);
            await sleep(30);
        }
    }
    async stop() { this.stopped = true; await this.done; }
}

export class Scene {
    // `start` may put something between the agent and the server: it gives {server, url}.
    static async open({ start = async () => ({ server: await Server.start() }), join, cleanUp = '0s', data = mkdtempSync(path.join(os.tmpdir(), 'berth-faults-agent-')) } = {}) {
        const scene = new Scene();
        Object.assign(scene, await start());
        scene.join = join ?? ((data) => scene.server.agentIn(data, [...agentArgs, cleanUp], { url: scene.url }));
        scene.data = data;
        scene.ran = new Map();                                       // every task that was answered yes
        await scene.call('CreateCluster', {});
        const define = (family, command) => scene.call('RegisterTaskDefinition', { family, containerDefinitions: [
            { name: 'main', image: 'busybox:latest', memory: 16, command, stopTimeout: 1, resourceRequirements: [{ type: 'GPU', value: '1' }] }] });
        await define('short', ['sh', '-c', 'sleep 1; exit 4']);
        await define('long', ['sleep', '3600']);
        await scene.startAgent();
        scene.watcher = new Watcher(scene);
        return scene;
    }
    // Its agent's own: those that an earlier test has left on the engine are not this one's. The folder itself may be away.
    containers(all = false) {
        const folder = path.join(realpathSync(path.dirname(this.data)), path.basename(this.data));
        return labelled(`berth.agent=${os.hostname()}:${folder}`, all);
    }
    async startAgent() {
        this.agent = await this.join(this.data);
        await this.connected();
    }
    // A server that is away answers nothing, which is no answer of no.
    async call(operation, input) {
        const reply = await this.server.call(operation, input).catch(() => undefined);
        return reply?.status === 200 ? reply.json : undefined;
    }
    connected() { return waitFor('the machine', async () => (await this.server.connected('default').catch(() => 0)) === 1, { seconds: 300 }); }
    async killServer() {
        const { data, port, agentPort, agents } = this.server;
        await this.server.kill9();
        this.server = await Server.start({ data, port, agentPort });
        this.server.agents = agents;
    }

    // Tasks come, end and are stopped, until `whole` of the requests have been done.
    async work(until) {
        let over = false;
        const end = until().then(() => { over = true; });
        for (let turn = 0; !over; turn++) {
            const made = await this.call('RunTask', { taskDefinition: turn % 3 === 0 ? 'long' : 'short' });
            for (const { taskArn } of made?.tasks ?? []) this.ran.set(taskArn, 'asked for');
            const running = [...this.ran.keys()].slice(-4);
            if (turn % 4 === 3 && running.length > 0) await this.call('StopTask', { task: running[turn % running.length] });
            await sleep(300);
        }
        await end;
    }
    async tasks() {
        const found = [];
        for (const desiredStatus of ['RUNNING', 'STOPPED']) {
            const listed = (await this.call('ListTasks', { desiredStatus }))?.taskArns ?? [];
            for (let at = 0; at < listed.length; at += 100) found.push(...((await this.call('DescribeTasks', { tasks: listed.slice(at, at + 100) }))?.tasks ?? []));
        }
        return found;
    }
    // The containers that run are those of the store, one by one.
    async agree() {
        const last = {};
        await waitFor('machine and store to agree', async () => {
            const tasks = await this.tasks(), running = await this.containers();
            if (!running) return false;
            const live = tasks.filter((task) => task.lastStatus !== 'STOPPED');
            last.store = live.map((task) => `${task.taskArn} ${task.lastStatus} ${task.desiredStatus} ${task.containers[0].runtimeId}`).sort();
            last.machine = running.map((one) => `${one.Labels['com.amazonaws.ecs.task-arn']} RUNNING RUNNING ${one.Id}`).sort();
            return JSON.stringify(last.store) === JSON.stringify(last.machine);
        }, { seconds: 300 }).catch((error) => { throw new Error(`${error.message}: ${JSON.stringify(last, null, 1)}\n${this.agent.output.slice(-3000)}`); });
    }
    // All is well: nothing was held twice, machine and store agree, new work runs, and everything can be ended.
    async check() {
        await this.agree();
        for (const task of (await this.tasks()).filter((one) => one.lastStatus !== 'STOPPED')) await this.call('StopTask', { task: task.taskArn });
        const { tasks: [last] } = await waitFor('room for one more', async () => { const made = await this.call('RunTask', { taskDefinition: 'short' }); return made?.tasks.length === 1 && made; });
        await waitFor('it to run to its end', async () => (await this.tasks()).find((task) => task.taskArn === last.taskArn)?.containers[0].exitCode === 4, { seconds: 300 });
        await waitFor('all to end', async () => (await this.tasks()).every((task) => task.lastStatus === 'STOPPED'), { seconds: 300 });
        // An engine that is killed while it starts a container may never be able to remove it ("device or resource busy"): it is dead then, which the engine's list
        // may still call "removing". The agent tries again each minute.
        let left;
        await waitFor('all containers to be gone', async () => { left = await this.containers(true); return left?.every((one) => ['dead', 'removing'].includes(one.State)); }, { seconds: 300 })
            .catch((error) => { throw new Error(`${error.message}: ${JSON.stringify(left, null, 1)}\n${this.agent.output.slice(-3000)}`); });
        const known = new Set((await this.tasks()).map((task) => task.taskArn));
        assert.deepStrictEqual([...this.ran.keys()].filter((arn) => !known.has(arn)), [], 'each acknowledged task is there');
        assert.deepStrictEqual(this.watcher.trouble, [], 'no GPU was held twice');
        assert.ok(this.watcher.looks > 20 && this.watcher.most > 0, 'the watcher has seen something');
    }
    async close() {
        await this.watcher?.stop();
        await this.server.stop();
        remove(this.data);
    }
}
export async function inScene(options, body) {
    const scene = await Scene.open(options);
    try {
        await body(scene);
        await scene.check();
    } finally {
        await scene.close();
    }
}
export const random = (most) => Math.floor(Math.random() * most);
