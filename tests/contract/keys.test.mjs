// Access keys at the shell, and what each role may do.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { Server, root, waitFor } from '../lib/lib.mjs';

let server;
const program = process.env.PROGRAM_UNDER_TEST ?? path.join(root, 'build/berth');
const berth = (...args) => execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const make = (role) => JSON.parse(berth('keys', 'create', '--data', server.data, '--role', role, '--user', `a-${role}`, '--output', 'json')).AccessKey;
const as = (key, operation, input = {}) => server.call(operation, input, { key: key.AccessKeyId, secret: key.SecretAccessKey });

before(async () => { server = await Server.start(); await server.call('CreateCluster'); });
after(async () => { await server.stop(); });

test('a key made while the server runs works at once, and no more a second after it is revoked', async () => {
    const key = make('admin');
    assert.strictEqual((await as(key, 'ListClusters')).status, 200);
    berth('keys', 'revoke', key.AccessKeyId, '--data', server.data);
    // A thread of the server trusts what it read of a key for a second.
    const refused = await waitFor('the key to be refused', async () => { const reply = await as(key, 'ListClusters'); return reply.status !== 200 && reply; });
    assert.strictEqual(refused.json.__type, 'UnrecognizedClientException');
    const listed = JSON.parse(berth('keys', 'list', '--data', server.data, '--output', 'json')).AccessKeyMetadata;
    assert.strictEqual(listed.find((one) => one.AccessKeyId === key.AccessKeyId).Status, 'Inactive');
    assert.ok(!JSON.stringify(listed).includes(key.SecretAccessKey), 'secrets are never listed');
});

test('a viewer reads and writes nothing; an agent does an agent\'s work and no more', async () => {
    const viewer = make('viewer'), agent = make('agent');
    assert.strictEqual((await as(viewer, 'ListClusters')).status, 200);
    assert.strictEqual((await as(viewer, 'CreateCluster', { clusterName: 'x' })).json.__type, 'AccessDeniedException');
    assert.strictEqual((await as(viewer, 'RegisterContainerInstance', { totalResources: [] })).json.__type, 'AccessDeniedException');
    assert.strictEqual((await as(agent, 'RegisterContainerInstance', { totalResources: [] })).status, 200);
    assert.strictEqual((await as(agent, 'RunTask', { taskDefinition: 'x' })).json.__type, 'AccessDeniedException');
});

test('a key says what it may do and what it is bound to, when it is made and when it is listed', () => {
    const hex = '0123456789abcdef0123456789abcdef', arn = `arn:aws:ecs:us-east-1:123456789012:container-instance/prod/${hex}`;
    const words = (bound) => new RegExp(`role agent\\.\nIt is bound to ${bound}\\.\n$`);
    const rows = [
        [[], {}, /The key has the rights of role agent\.\nAny machine with this key can act as every other machine, and read the secrets of all running tasks\.\n/],
        [['--cluster', 'prod'], { Cluster: 'prod' }, words('cluster prod')],
        [['--instance', 'gpu-1'], { Cluster: 'default', Instance: 'gpu-1' }, words('instance gpu-1 in cluster default')],
        [['--instance', 'gpu-1.rack', '--cluster', 'prod'], { Cluster: 'prod', Instance: 'gpu-1.rack' }, words('instance gpu-1.rack in cluster prod')],
        [['--instance', arn], { Cluster: 'prod', Instance: hex }, words(`instance ${hex} in cluster prod`)],
        [['--instance', hex], { Cluster: 'default', Instance: hex }, words(`instance ${hex} in cluster default`)],
        [['--instance', 'x'.repeat(128)], { Cluster: 'default', Instance: 'x'.repeat(128) }, /is bound to/],
        [['--instance', 'x'.repeat(129)], undefined, /--instance must have 1 to 128 characters/],
        [['--instance', 'a b'], undefined, /--instance must have 1 to 128 characters, without blanks/],
        [['--instance', 'arn:aws:ecs:us-east-1:123456789012:task/prod/' + hex], undefined, /not the ARN of a container instance/],
        [['--instance', arn, '--cluster', 'other'], undefined, /name different clusters/],
        [['--cluster', 'a/b'], undefined, /--cluster/],
        [['--role', 'viewer', '--cluster', 'prod'], undefined, /add --role agent/],
    ];
    for (const [args, want, text] of rows) {
        const { status, stdout, stderr } = spawnSync(program, ['keys', 'create', '--data', server.data, ...(args.includes('--role') ? [] : ['--role', 'agent']), '--output', 'json', ...args], { encoding: 'utf8' });
        assert.match(stderr, text, args.join(' '));
        assert.strictEqual(status, want ? 0 : 1, `${args.join(' ')}: ${stderr}`);
        if (!want) continue;
        const { AccessKeyId, UserName, Cluster, Instance } = JSON.parse(stdout).AccessKey;
        assert.strictEqual(UserName, 'agent');
        assert.deepStrictEqual({ Cluster, Instance }, { Cluster: undefined, Instance: undefined, ...want });
        const listed = JSON.parse(berth('keys', 'list', '--data', server.data, '--output', 'json')).AccessKeyMetadata.find((one) => one.AccessKeyId === AccessKeyId);
        assert.deepStrictEqual([listed.Cluster, listed.Instance], [want.Cluster, want.Instance]);
        const line = berth('keys', 'list', '--data', server.data).split('\n').find((one) => one.startsWith(AccessKeyId));
        assert.strictEqual(/ bound to (.*)$/.exec(line)?.[1], want.Cluster && `${want.Instance ? `instance ${want.Instance} in ` : ''}cluster ${want.Cluster}`);
    }
});

test('a mistyped folder is reported, and none is made', async () => {
    const { existsSync } = await import('node:fs');
    const nowhere = '/tmp/berth-no-such-folder';
    for (const action of [['list'], ['revoke', 'AKIAX']]) {
        assert.throws(() => berth('keys', ...action, '--data', nowhere), (error) => /there is no store in/.test(String(error.stderr)));
    }
    assert.ok(!existsSync(nowhere));
});

test('beyond loopback it refuses to listen until there is a key', async () => {
    const { mkdtempSync, rmSync } = await import('node:fs');
    const data = mkdtempSync('/tmp/berth-nokeys-');
    const { BERTH_ROOT_ACCESS_KEY_ID: _, ...env } = process.env;
    assert.throws(() => execFileSync(program, ['server', '--data', data, '--listen', '0.0.0.0:0'], { env, stdio: 'pipe', timeout: 120000 }),
        (error) => /berth keys create/.test(String(error.stderr)));
    rmSync(data, { recursive: true });
});
