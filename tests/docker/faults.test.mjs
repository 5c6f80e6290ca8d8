// Processes are killed, messages lost and late, disks full while tasks come and go. DOCKER_SOCKET as in e2e.test.mjs.
import { test } from 'node:test';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, sleep, waitFor } from '../lib/lib.mjs';
import { faultyServer } from '../lib/fault_way.mjs';
import { inScene, random } from './faults.mjs';

// While tasks come and go, the same thing again and again.
const again = (scene, times, step) => scene.work(async () => {
    for (let time = 0; time < times; time++) {
        await sleep(500 + random(2500));
        await step();
    }
    await sleep(2000);
});

test('the agent is killed, again and again', () => inScene({}, (scene) => again(scene, 5, async () => {
    await scene.agent.signal('SIGKILL');
    await sleep(random(1500));
    await scene.startAgent();
})));

test('the server is killed, again and again', () => inScene({}, (scene) => again(scene, 5, () => scene.killServer())));

test('both are killed', () => inScene({}, (scene) => again(scene, 4, async () => {
    await scene.agent.signal('SIGKILL');
    await scene.killServer();
    await scene.startAgent();
})));

test('messages are lost, repeated, late and out of order', async () => {
    let way;
    const start = async () => { way = await faultyServer((more) => Server.start(more), 2026); return way; };
    const counts = () => ['refused', 'lost', 'repeated'].map((kind) => way.counts.reduce((sum, one) => sum + one[kind], 0));
    try {
        await inScene({ start }, async (scene) => {
            way.set({ refuse: 0.1, lose: 0.2, repeat: 0.3, delay: 1500 });
            await scene.work(async () => {
                await sleep(45000);
                await waitFor('a fault of each kind', () => counts().every((count) => count > 0));       // chance decides how soon
            });
            way.set({});
        });
    } finally {
        await way?.stop();                       // else it would keep this file from ending
    }
});

test('the disk of the agent is full', async () => {
    const data = mkdtempSync(path.join(os.tmpdir(), 'berth-faults-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', data]);
    const ballast = path.join(data, 'ballast');
    const fill = () => { for (let size = 256 * 1024; size > 0; size = Math.floor(size / 2)) { try { writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' }); } catch { /* full */ } } };
    try {
        await inScene({ data: path.join(data, 'agent') }, async (scene) => {
            await scene.work(() => sleep(4000));
            fill();
            await scene.work(() => sleep(10000));
            await waitFor('a complaint', () => /cannot be (taken on|kept)/.test(scene.agent.output));
            await scene.agent.signal('SIGKILL');
            await scene.startAgent();                                // it needs no room for that
            await scene.work(() => sleep(3000));
            rmSync(ballast);
        });
    } finally {
        execFileSync('umount', [data]);
        rmSync(data, { recursive: true, force: true });
    }
});
