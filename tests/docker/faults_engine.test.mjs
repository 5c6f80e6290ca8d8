// The engine itself goes while containers run: in order, or killed. It comes back without them, as it does where live-restore is off.
import { test } from 'node:test';
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Server, remove, sleep, waitFor } from '../lib/lib.mjs';
import { agentArgs, answers, inScene, random, socket } from './faults.mjs';

const engine = process.env.DOCKERD;                                  // another's engine is left alone

const gone = (pid) => { try { return /\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8')); } catch { return true; } };

async function restart(signal) {
    const pid = Number(readFileSync(`${engine}.pid`, 'utf8'));
    process.kill(pid, signal);
    await waitFor('the engine to end', () => gone(pid), { seconds: 300 });
    await sleep(random(3000));
    spawn(engine, { detached: true, stdio: 'ignore' }).unref();
    await waitFor('the engine to answer', () => answers(), { seconds: 300 });
}

for (const [name, signal, cleanUp] of [['restarted', 'SIGTERM', '1s'], ['killed', 'SIGKILL', '0s']]) {
    test(`the engine is ${name} under running tasks`, { skip: !engine }, () => inScene({ cleanUp }, (scene) => scene.work(async () => {
        for (let time = 0; time < 2; time++) {
            await waitFor('something that runs', async () => (await scene.containers())?.length > 0);
            await sleep(1000 + random(1500));
            await restart(signal);
        }
        await sleep(2000);
    })));
}

// A way to the engine that forwards the next start, keeps its answer to itself, and is closed for two seconds then.
async function lossyWay() {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-lossy-way-')), way = { socket: path.join(folder, 'docker.sock'), lost: 0, wanted: 0 };
    const open = new Set();
    let closedUntil = 0;
    const server = net.createServer((agent) => {
        if (Date.now() < closedUntil) { agent.destroy(); return; }
        const engine = net.connect(socket);
        let starts = false;
        open.add(agent);
        agent.on('data', (bytes) => {
            starts ||= way.lost < way.wanted && /^POST \S*\/start /.test(bytes.toString('latin1'));
            engine.write(bytes);
        });
        engine.on('data', (bytes) => {
            if (!starts) { agent.write(bytes); return; }
            way.lost++;
            closedUntil = Date.now() + 2000;
            for (const one of open) one.destroy();
        });
        for (const [one, other] of [[agent, engine], [engine, agent]]) {
            one.on('error', () => other.destroy());
            one.on('close', () => { open.delete(agent); other.destroy(); });
        }
    });
    await new Promise((resolve) => { server.listen(way.socket, resolve); });
    way.close = () => { for (const one of open) one.destroy(); server.close(); remove(folder); };
    return way;
}

test('the answer to a start is lost: nobody hears that the task has stopped while its container runs', async () => {
    const way = await lossyWay(), server = await Server.start();
    const join = (data) => server.agentIn(data, [...agentArgs.map((one) => (one === socket ? way.socket : one)), '0s'], { url: server.url });
    try {
        await inScene({ start: async () => ({ server }), join }, async (scene) => {
            way.wanted = 1;
            const { tasks: [task] } = await scene.call('RunTask', { taskDefinition: 'long' });
            scene.ran.set(task.taskArn, 'asked for');
            await waitFor('the answer to be lost', () => way.lost === 1);
            const both = await waitFor('the task to have stopped', async () => {
                const found = (await scene.tasks()).find((one) => one.taskArn === task.taskArn), running = await scene.containers();
                return found?.lastStatus === 'STOPPED' && { found, running };
            }, { seconds: 60 });
            assert.deepStrictEqual(both.running, []);
            assert.match(both.found.containers[0].reason, /^CannotStartContainerError: /);
        });
    } finally {
        way.close();
    }
});
