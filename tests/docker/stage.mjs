// stage.mjs: one server, one agent on the engine of DOCKER_SOCKET, and the few words in which the tests of this folder speak. The
// client is the JavaScript SDK. Tests of one file may run side by side: each has its own families and files.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import assert from 'node:assert';
import * as sdk from '@aws-sdk/client-ecs';
import { Server, program, waitFor } from '../lib/lib.mjs';

export { sleep, waitFor } from '../lib/lib.mjs';
const patience = 300;                                // seconds, for what must come
export const allowed = process.env.DOCKER_ALLOWED;
export const docker = (...args) => execFileSync('docker', ['-H', `unix://${process.env.DOCKER_SOCKET}`, ...args], { encoding: 'utf8' }).trim();
export const inspect = (id) => JSON.parse(docker('inspect', id))[0];

// A folder that tasks may mount, of this name.
export function folder(name) {
    const dir = path.join(allowed, name);
    mkdirSync(dir, { recursive: true });
    return dir;
}

// A container with a shell's script for a command. What it prints comes by one stream: Docker keeps no order between two.
export const shell = (name, script, more = {}) => ({ name, image: 'busybox:latest', memory: 32, command: ['sh', '-c', `exec 2>&1; ${script}`], ...more });

export class Stage {
    static async open({ args = [] } = {}) {
        const stage = new Stage();
        stage.args = ['--docker-socket', process.env.DOCKER_SOCKET, '--runtime', 'docker', '--image-pull', 'prefer-cached', '--task-cleanup-wait', '1s', '--stop-timeout', '2s', '--allow-volumes', allowed, ...args];
        stage.server = await Server.start();
        stage.client = stage.server.sdk();
        await stage.call('CreateCluster');
        stage.agent = await stage.server.agent(stage.args);
        await stage.connected();
        return stage;
    }
    connected() { return waitFor('the agent to connect', async () => (await this.server.connected('default')) === 1); }
    close() { return this.server.stop(); }
    call(operation, input = {}) { return this.client.send(new sdk[`${operation}Command`](input)); }

    define(family, containers, more = {}) { return this.call('RegisterTaskDefinition', { family, containerDefinitions: containers, ...more }); }
    async start(family, more = {}) {
        const reply = await this.call('RunTask', { taskDefinition: family, ...more });
        assert.deepStrictEqual(reply.failures, []);
        return reply.tasks[0].taskArn;
    }
    // Defines and starts.
    async run(family, containers, { task, ...more } = {}) {
        await this.define(family, containers, task);
        return this.start(family, more);
    }
    async describe(arn) { return (await this.call('DescribeTasks', { tasks: [arn] })).tasks[0]; }
    becomes(arn, status) {
        return waitFor(`${arn} to be ${status}`, async () => {
            const task = await this.describe(arn);
            if (task.lastStatus === 'STOPPED' && status !== 'STOPPED') {
                throw new Error(`${task.taskDefinitionArn} has stopped: ${task.stoppedReason}: ${task.containers.map((container) => `${container.name}: ${container.reason}`)}`);
            }
            return task.lastStatus === status && task;
        }, { seconds: patience });
    }
    async stop(arn) {
        await this.call('StopTask', { task: arn });
        return this.becomes(arn, 'STOPPED');
    }
    // The output of a container, as it is kept when the container is gone.
    output(arn, container) {
        const args = ['logs', arn, '--server', this.server.url, ...(container ? ['--container', container] : [])];
        return new Promise((resolve, reject) => execFile(program, args, { encoding: 'utf8', env: { PATH: process.env.PATH, ...this.server.environment() } },
            (error, out) => (error ? reject(error) : resolve(out))));
    }
    prints(arn, container, pattern) {
        return waitFor(`${container} to print ${pattern}`, async () => { const text = await this.output(arn, container); return pattern.test(text) && text; }, { seconds: patience });
    }
}

// By name: { main: …, side: … }.
export const byName = (task, member) => Object.fromEntries(task.containers.map((container) => [container.name, member ? container[member] : container]));
