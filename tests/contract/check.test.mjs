// `berth check`: what a store holds fits together, beside a server that writes, after it was killed, and once it is at rest; and what does not.
import { test } from 'node:test';
import assert from 'node:assert';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Process, Server, remove, waitFor } from '../lib/lib.mjs';

async function berth(...args) {
    const one = new Process(args);
    const [{ code }] = await Promise.all([one.ended, one.silent]);
    return { code, output: one.output };
}
// {code, lookedAt, broken} by kind of invariant.
async function check(data) {
    const { code, output } = await berth('check', '--output', 'json', '--data', data), { good, invariants } = JSON.parse(output);
    assert.strictEqual(good, code === 0, output);
    for (const { status, breachCount } of invariants) assert.strictEqual(status, breachCount === 0 ? 'OK' : 'FAIL');
    return { code, output, lookedAt: (kind) => invariants.find(({ invariant }) => invariant === kind).lookedAt, broken: invariants.filter(({ breachCount }) => breachCount > 0) };
}
const isSound = async (data) => { const told = await check(data); assert.strictEqual(told.code, 0, told.output); return told; };

const container = (more) => [{ name: 'main', image: 'busybox', memory: 16, ...more }];
const definitions = {
    whole: container({ resourceRequirements: [{ type: 'GPU', value: '1' }] }), half: container({ resourceRequirements: [{ type: 'GPU', value: '0.5' }] }),
    memory: container({ resourceRequirements: [{ type: 'GPU_MEMORY', value: '4000' }] }), port: container({ portMappings: [{ containerPort: 80, hostPort: 8080 }] }),
};

// Tasks of all kinds begin and end, until the server is gone or told to be quiet.
function load(server, told) {
    const client = async (family) => {
        while (!told.quiet) {
            const reply = await server.call('RunTask', { taskDefinition: family, count: 3 }).catch(() => undefined);
            if (reply === undefined) return;
            for (const { taskArn: task } of reply.json.tasks ?? []) {
                told.count++;
                if (told.count % 3 === 0) await server.call('StopTask', { task }).catch(() => undefined);
            }
        }
    };
    return Promise.all(Object.keys(definitions).map(client));
}

test('a store fits together while a server writes it, after a SIGKILL, and at rest', async () => {
    const data = mkdtempSync(path.join(os.tmpdir(), 'berth-check-'));
    const told = { count: 0, quiet: false };
    let server = await Server.start({ data });
    try {
        await server.call('CreateCluster');
        for (const [family, containerDefinitions] of Object.entries(definitions)) {
            const reply = await server.call('RegisterTaskDefinition', { family, containerDefinitions });
            assert.strictEqual(reply.status, 200, reply.text);
        }
        const made = await server.raw({ target: 'secretsmanager.CreateSecret', body: JSON.stringify({ Name: 'db', SecretString: 'x', ClientRequestToken: 'a'.repeat(32) }), service: 'secretsmanager' });
        assert.strictEqual(made.status, 200, made.text);
        await server.fleet('p3.8xlarge:4', 4, { args: ['--fake-task-time', '1s'] });
        const loading = load(server, told);
        await waitFor('tasks', () => told.count > 60);
        for (let n = 0; n < 5; n++) {
            const live = await isSound(data);
            for (const kind of ['statuses', 'references', 'gpus', 'room']) assert.ok(live.lookedAt(kind) > 0, kind);
        }
        assert.match((await berth('doctor', '--data', data)).output, /^OK +store /m);
        await server.kill9();
        await loading;
        const agents = server.agents;
        const killed = await isSound(data);
        assert.strictEqual(killed.lookedAt('seals'), 1);
        assert.ok(killed.lookedAt('revisions') > 60);

        server = await Server.start({ data, port: Number(server.port), agentPort: Number(server.agentPort) });
        server.agents = agents;
        await waitFor('machines', async () => (await server.connected('default')) === 4);
        await isSound(data);
        await waitFor('the ends of all', async () => (await server.call('ListTasks')).json.taskArns.length === 0);
        const ended = await isSound(data);
        assert.ok(ended.lookedAt('history') > 0);
    } finally {
        told.quiet = true;
        await server.stop();
    }
});

test('a breach is reported with table and name, and ends with status 1; an unreadable store with 2', async () => {
    const server = await Server.start(), folder = mkdtempSync(path.join(os.tmpdir(), 'berth-check-'));
    try {
        const made = await server.raw({ target: 'AmazonSSM.PutParameter', body: JSON.stringify({ Name: '/a/b', Value: 'x', Type: 'SecureString' }), service: 'ssm' });
        assert.strictEqual(made.status, 200, made.text);
        const key = path.join(server.data, 'secrets.key'), kept = readFileSync(key, 'utf8');
        await isSound(server.data);
        writeFileSync(key, kept.replace(/^../, (digits) => (digits === '00' ? '01' : '00')));
        const { code, broken } = await check(server.data);
        assert.strictEqual(code, 1);
        assert.deepStrictEqual(broken.map(({ invariant, breaches }) => [invariant, breaches]),
            [['seals', [{ table: 'secrets', id: '/a/b', text: 'a value does not open with this key' }]]]);
        const text = await berth('check', '--data', server.data), doctor = await berth('doctor', '--data', server.data);
        assert.match(text.output, /^FAIL +seals +1 checked: .*\n +secrets \/a\/b: a value does not open with this key$/m);
        assert.match(doctor.output, /^FAIL +store .*broken invariants: 1\n.*berth check --data /m);
        assert.deepStrictEqual([text.code, doctor.code], [1, 1]);

        rmSync(key);                                      // a copy of the store alone
        assert.strictEqual((await isSound(server.data)).lookedAt('seals'), 0);
        writeFileSync(key, 'no key\n', { mode: 0o600 });
        const strange = await berth('check', '--data', server.data);
        assert.strictEqual(strange.code, 2);
        assert.match(strange.output, /holds no key/);
        writeFileSync(key, kept, { mode: 0o600 });

        const none = await berth('check', '--data', folder);
        assert.strictEqual(none.code, 2);
        assert.match(none.output, /There is no store in /);
        assert.throws(() => statSync(path.join(folder, 'data.mdb')), 'none is made');
        copyFileSync(path.join(server.data, 'secrets.key'), path.join(folder, 'data.mdb'));
        assert.strictEqual((await berth('check', '--data', folder)).code, 2);
        assert.strictEqual((await berth('check', 'more')).code, 2);
    } finally {
        await server.stop();
        remove(folder);
    }
});
