// The last lines of an agent's own log, as people read them at the server: also when the machine is lost.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { Server, waitFor } from '../lib/lib.mjs';

const ok = (reply) => { assert.strictEqual(reply.status, 200, reply.text); return reply.json; };
let server, arn, id;
const lines = (query) => server.raw({ method: 'GET', pathname: `/berth/v1/agent-log${query}`, contentType: undefined });
const tell = (body) => server.raw({ pathname: '/berth/v1/agent/own-log', body: JSON.stringify(body) });

before(async () => {
    server = await Server.start();
    ok(await server.call('CreateCluster'));
});
after(() => server.stop());

test('the lines of an agent come, and stay when it is gone', async () => {
    const agent = await server.agent(['--runtime', 'process', '--name', 'talks']);
    await waitFor('the machine', async () => (await server.connected('default')) === 1);
    [arn] = ok(await server.call('ListContainerInstances')).containerInstanceArns;
    id = arn.split('/').pop();
    const shown = await waitFor('its lines', async () => { const reply = await lines(`?instance=${id}`); return reply.status === 200 && /registered/.test(reply.text) && reply; });
    assert.match(shown.headers['content-type'], /^text\/plain/);
    for (const line of shown.text.trimEnd().split('\n')) assert.ok(agent.output.includes(line), line);
    ok(await server.call('RegisterTaskDefinition', { family: 'missing', containerDefinitions: [{ name: 'main', image: 'none', memory: 8, entryPoint: ['/no/such/program'] }] }));
    ok(await server.call('RunTask', { taskDefinition: 'missing' }));
    await waitFor('a later line', async () => (await lines(`?instance=${id}`)).text.includes('/no/such/program'));
    await agent.signal('SIGKILL');
    assert.match((await lines(`?instance=${id}`)).text, /\/no\/such\/program/);
});

test('who has none, and who may not', async () => {
    const none = await lines(`?instance=${'0'.repeat(32)}`);
    assert.strictEqual(none.status, 404);
    assert.match(none.text, /has told no lines of its log/);
    for (const query of ['', '?instance=x']) {
        const refused = await lines(query);
        assert.strictEqual(refused.status, 400);
        assert.match(refused.text, /Say which container instance: \?instance=<id>\./);
    }
    const rows = [
        [{ text: 'x' }, /containerInstance/],
        [{ containerInstance: arn, text: 'x'.repeat(48 * 1024 + 1) }, /text/],
        [{ containerInstance: arn.replace(id, '1'.repeat(32)), text: 'x' }, /The referenced container instance was not found/],
        [{ cluster: 'elsewhere', containerInstance: arn, text: 'x' }, /Cluster not found/],
    ];
    for (const [body, says] of rows) {
        const refused = await tell(body);
        assert.strictEqual(refused.status, 400);
        assert.match(refused.text, says);
    }
    ok(await tell({ containerInstance: arn, text: '<script>\u0000</script> ü\n' }));
    assert.strictEqual((await lines(`?instance=${id}`)).text, '<script>\u0000</script> ü\n');
});
