// The engine itself goes while containers run: in order, or killed. It comes back without them, as it does where live-restore is off.
import { test } from 'node:test';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { sleep, waitFor } from '../contract/lib.mjs';
import { containers, inScene, random } from './faults.mjs';

const engine = process.env.DOCKERD;                                  // another's engine is left alone

const gone = (pid) => { try { return /\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8')); } catch { return true; } };

async function restart(signal) {
    const pid = Number(readFileSync(`${engine}.pid`, 'utf8'));
    process.kill(pid, signal);
    await waitFor('the engine to end', () => gone(pid), { seconds: 300 });
    await sleep(random(3000));
    spawn(engine, { detached: true, stdio: 'ignore' }).unref();
    await waitFor('the engine to answer', () => containers(), { seconds: 300 });
}

for (const [name, signal, cleanUp] of [['restarted', 'SIGTERM', '1s'], ['killed', 'SIGKILL', '0s']]) {
    test(`the engine is ${name} under running tasks`, { skip: !engine }, () => inScene({ cleanUp }, (scene) => scene.work(async () => {
        for (let time = 0; time < 2; time++) {
            await waitFor('something that runs', async () => (await containers())?.length > 0);
            await sleep(1000 + random(1500));
            await restart(signal);
        }
        await sleep(2000);
    })));
}
