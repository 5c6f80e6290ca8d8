// What strangers, and agents with a key, can do at the agents' port.
import assert from 'node:assert';
import { after, before, test } from 'node:test';
import { Server } from '../contract/lib.mjs';
import { dial, smuggled, smuggling, statuses } from './lib.mjs';

const pollPath = '/berth/v1/agent/poll';
let server;

before(async () => { server = await Server.start(); });
after(() => server.stop());

test('what two servers would read differently is refused, and what follows it is never read', async () => {
    for (const form of smuggling) {
        const socket = await dial(server.agentPort);
        socket.write(smuggled(form, pollPath, '/acs/ws'), 'latin1');
        await socket.ended;
        assert.deepStrictEqual(statuses(socket.text), [400], form.what);
    }
});
