// A task gets the values that it refers to, and no others: secrets of both services, environment files from a folder and from a
// store that speaks S3; real processes, the AWS CLI, signed requests.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import http from 'node:http';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, account, program, region, remove, sign, waitFor } from '../lib/lib.mjs';

const executionRoleArn = `arn:aws:iam::${account}:role/exec`;
const ok = (reply) => { assert.strictEqual(reply.status, 200, reply.text); return reply.json; };
const secrets = (operation, input, more) => server.raw({ target: `secretsmanager.${operation}`, body: JSON.stringify(input), service: 'secretsmanager', ...more });
const ssm = (operation, input, more) => server.raw({ target: `AmazonSSM.${operation}`, body: JSON.stringify(input), service: 'ssm', ...more });
const describe = async (arn) => ok(await server.call('DescribeTasks', { tasks: [arn] })).tasks[0];
const becomes = (arn, status) => waitFor(`${arn} to be ${status}`, async () => { const task = await describe(arn); return task.lastStatus === status && task; });
let server, folder, data, agent;

// The agent with the state of the one before, if there was one. The server may still take that one for connected: the new one speaks for itself.
const startAgent = async (args = [], environment = {}) => {
    await agent?.signal('SIGTERM');
    agent = await server.agentIn(data, ['--runtime', 'process', '--log-level', 'debug', ...args], { environment });
    await waitFor('this machine', async () => {
        if (agent.status) throw new Error(`the agent ended: ${agent.output}`);
        return / registered /.test(agent.output) && (await server.connected('default')) === 1;
    });
};
const define = async (family, container) => {
    const main = { name: 'main', image: 'none', memory: 64, entryPoint: ['sh', '-c'], ...container };
    ok(await server.call('RegisterTaskDefinition', { family, executionRoleArn, containerDefinitions: [main] }));
};
const run = async (family, overrides) => {
    const reply = ok(await server.call('RunTask', { taskDefinition: family, ...(overrides && { overrides: { containerOverrides: [{ name: 'main', ...overrides }] } }) }));
    assert.deepStrictEqual(reply.failures, []);
    return reply.tasks[0].taskArn;
};
const printed = async (arn) => {
    const child = spawnSync(program, ['logs', arn, '--server', server.url], { encoding: 'utf8', env: { PATH: process.env.PATH, ...server.environment() } });
    assert.strictEqual(child.status, 0, child.stderr);
    return child.stdout;
};
// A key of Berth's own, made while the server runs.
const makeKey = (role) => {
    const child = spawnSync(program, ['keys', 'create', '--data', server.data, '--role', role, '--output', 'json'], { encoding: 'utf8', env: { PATH: process.env.PATH } });
    const { AccessKeyId, SecretAccessKey } = JSON.parse(child.stdout).AccessKey;
    return { key: AccessKeyId, secret: SecretAccessKey };
};
// The words are put together by the shell, so that a value that shows anywhere was not said by the test itself.
const show = (name) => `test "$${name}" = "val""ue-${name}" && echo ${name} as it should be`;

before(async () => {
    server = await Server.start({ args: ['--log-level', 'debug'] });
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-env-'));
    data = mkdtempSync(path.join(os.tmpdir(), 'berth-agent-'));
    mkdirSync(path.join(folder, 'settings', 'deep'), { recursive: true });
    writeFileSync(path.join(folder, 'settings', 'one.env'), '# words\nFROM_FILE=value-FROM_FILE\nBOTH=first\nOWN=file\n');
    writeFileSync(path.join(folder, 'settings', 'deep', 'two.env'), 'BOTH=second\r\nMORE=two words\r\n');
    await startAgent(['--s3-endpoint', `file://${folder}`]);
});
after(async () => {
    await server.stop();
    for (const one of [folder, data]) remove(one);
});

test('secrets of both services, by the AWS CLI, in a real process', async () => {
    await server.aws('secretsmanager', 'create-secret', '--name', 'app/db', '--secret-string', '{"user":"value-USER","port":5432}');
    await server.aws('secretsmanager', 'create-secret', '--name', 'plain', '--secret-string', 'value-PLAIN');
    await server.aws('secretsmanager', 'put-secret-value', '--secret-id', 'plain', '--secret-string', 'another');
    await server.aws('ssm', 'put-parameter', '--name', '/app/token', '--type', 'SecureString', '--value', 'value-TOKEN');
    const { ARN } = await server.aws('secretsmanager', 'describe-secret', '--secret-id', 'app/db');
    const arn = (service, rest) => `arn:aws:${service}:${region}:${account}:${rest}`;
    await define('secret', {
        command: [`${['USER', 'PLAIN', 'TOKEN', 'BY_ARN'].map(show).join(' && ')} && test "$PORT" = 5432 && echo and the port`],
        secrets: [
            { name: 'USER', valueFrom: `${ARN}:user::` }, { name: 'PORT', valueFrom: `${ARN}:port::` },
            { name: 'PLAIN', valueFrom: arn('secretsmanager', 'secret:plain::AWSPREVIOUS:') },
            { name: 'TOKEN', valueFrom: '/app/token' }, { name: 'BY_ARN', valueFrom: arn('ssm', 'parameter/app/by-arn') },
        ],
    });
    await server.aws('ssm', 'put-parameter', '--name', '/app/by-arn', '--type', 'String', '--value', 'value-BY_ARN');
    const task = await run('secret'), ended = await becomes(task, 'STOPPED');
    assert.strictEqual(ended.containers[0].exitCode, 0, `${ended.stoppedReason} ${await printed(task)}`);
    assert.strictEqual(await printed(task), 'USER as it should be\nPLAIN as it should be\nTOKEN as it should be\nBY_ARN as it should be\nand the port\n');
});

test('environment files: the first one wins, the environment before it, a secret before all', async () => {
    await define('files', {
        command: ['echo "$FROM_FILE $BOTH $OWN $MORE $LATE"'], environment: [{ name: 'OWN', value: 'own' }], secrets: [{ name: 'LATE', valueFrom: '/app/token' }],
        environmentFiles: [{ type: 's3', value: 'arn:aws:s3:::settings/one.env' }],
    });
    const task = await run('files', { environmentFiles: [{ type: 's3', value: 'arn:aws:s3:::settings/deep/two.env' }] });
    await becomes(task, 'STOPPED');
    assert.strictEqual(await printed(task), 'value-FROM_FILE first own two words value-TOKEN\n');
});

test('a missing secret ends the task with its reason', async () => {
    const pull = 'ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed: ';
    const missing = `arn:aws:secretsmanager:${region}:${account}:secret:nowhere-AbCdEf`;
    const rows = [
        ['no-secret', { secrets: [{ name: 'A', valueFrom: missing }] },
            `${pull}unable to retrieve secret from asm: failed to fetch secret ${missing} from secrets manager: ResourceNotFoundException: Secrets Manager can't find the specified secret.`],
        ['no-parameter', { secrets: [{ name: 'A', valueFrom: '/nowhere' }] }, `${pull}unable to retrieve secrets from ssm: invalid parameters: /nowhere`],
        ['no-key', { secrets: [{ name: 'A', valueFrom: `arn:aws:secretsmanager:${region}:${account}:secret:app/db:none::` }] },
            `${pull}retrieved secret from Secrets Manager did not contain json key none`],
        ['no-file', { environmentFiles: [{ type: 's3', value: 'arn:aws:s3:::settings/none.env' }] },
            `ResourceInitializationError: failed to download env files: arn:aws:s3:::settings/none.env: ${folder}/settings/none.env: No such file or directory`],
    ];
    for (const [family, container, reason] of rows) {
        await define(family, { command: ['echo never'], ...container });
        const task = await run(family), ended = await becomes(task, 'STOPPED');
        assert.deepStrictEqual([ended.stoppedReason, ended.stopCode], [reason, 'TaskFailedToStart']);
        assert.strictEqual(ended.containers[0].exitCode, undefined);
        assert.strictEqual(await printed(task), '');
    }
});

test('who may read: an agent what a live task refers to, a viewer nothing', async () => {
    const agentKey = makeKey('agent'), viewer = makeKey('viewer');
    await server.aws('ssm', 'put-parameter', '--name', '/held', '--type', 'SecureString', '--value', 'value-HELD');
    await define('holds', { command: ['while true; do sleep 0.1; done'], secrets: [{ name: 'HELD', valueFrom: '/held' }] });
    const ask = (key) => ssm('GetParameters', { Names: ['/held'], WithDecryption: true }, key);
    const denied = (reply) => assert.deepStrictEqual([reply.status, reply.json.__type], [400, 'AccessDeniedException'], reply.text);
    denied(await ask(agentKey));
    const task = await run('holds');
    assert.strictEqual(ok(await ask(agentKey)).Parameters[0].Value, 'value-HELD');
    denied(await ask(viewer));
    denied(await ssm('GetParameters', { Names: ['/app/token'] }, agentKey));
    denied(await secrets('ListSecrets', {}, agentKey));
    denied(await secrets('ListSecrets', {}, viewer));
    denied(await secrets('CreateSecret', { Name: 'mine', SecretString: 'x' }, agentKey));
    ok(await server.call('StopTask', { task }));
    await becomes(task, 'STOPPED');
    denied(await ask(agentKey));
});

test('signatures are for the service that is asked, errors in its form', async () => {
    const wrong = await secrets('ListSecrets', {}, { service: 'ecs' });
    assert.deepStrictEqual([wrong.json.__type, wrong.json.Message], ['InvalidSignatureException', "Credential should be scoped to correct service: 'secretsmanager'."]);
    const none = await ssm('GetParameter', { Name: 'none' });
    assert.deepStrictEqual([none.status, none.json], [400, { __type: 'ParameterNotFound', message: 'Parameter none not found.' }]);
    assert.strictEqual(none.headers['x-amzn-errortype'], 'ParameterNotFound');
    const unknown = await ssm('StartSession', {});
    assert.strictEqual(unknown.json.__type, 'UnknownOperationException');
});

test('a task waits while the server is away', async () => {
    await define('patient', { command: [`${show('TOKEN')}`], secrets: [{ name: 'TOKEN', valueFrom: '/app/token' }], dependsOn: [] });
    const port = server.port, agentPort = server.agentPort;
    const task = await run('patient');                           // told, or not yet: the server goes at once
    await server.kill9();
    server = await Server.start({ data: server.data, port, agentPort, args: ['--log-level', 'debug'] });
    server.agents.push(agent);
    const ended = await becomes(task, 'STOPPED');
    assert.strictEqual(ended.containers[0].exitCode, 0, ended.stoppedReason);
});

test('no value shows where none belongs', async () => {
    ok(await ssm('GetParameters', { Names: ['/app/token'] }));               // counted by this server: the calls before may have been to an earlier one
    const metrics = await server.raw({ method: 'GET', pathname: '/metrics', contentType: undefined });
    const board = await server.raw({ method: 'GET', pathname: '/berth/v1/state', contentType: undefined });
    const history = await server.raw({ method: 'GET', pathname: '/berth/v1/history', contentType: undefined });
    const described = [await secrets('ListSecrets', {}), await ssm('DescribeParameters', {}), await server.call('DescribeTaskDefinition', { taskDefinition: 'secret' })];
    for (const { status, text } of [metrics, board, history, ...described]) {
        assert.strictEqual(status, 200, text);
        assert.ok(!text.includes('value-'), text);
    }
    assert.match(metrics.text, /^berth_requests_total\{operation="ssm:GetParameters",result="ok"\} \d+$/m);
    for (const { output: text } of [server.process, agent]) assert.ok(!text.includes('value-'), text);
    // On disk: sealed values, and a command's description of itself. The logs of tasks are theirs.
    const grep = (...where) => spawnSync('grep', ['-rlE', '--exclude-dir=logs', '--exclude=output.log', 'value-(USER|PLAIN|TOKEN|BY_ARN|HELD)', ...where], { encoding: 'utf8' });
    assert.strictEqual(grep(server.data, data).stdout, '');
});

// ---- a store that speaks S3 ----

const storeKey = { key: 'STOREKEY', secret: 'store/secret' };

async function startStore(objects) {
    const store = { seen: [] };
    const answer = (request, response) => {
        const authorization = request.headers.authorization ?? '', time = request.headers['x-amz-date'] ?? '';
        const names = (/SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? '').split(';').filter(Boolean);
        const headers = Object.fromEntries(names.map((name) => [name, request.headers[name]]));
        const wanted = names.length > 0 && sign({ method: 'GET', pathname: request.url, headers, body: '', ...storeKey, time, service: 's3' });
        store.seen.push({ url: request.url, good: wanted === authorization, wanted, authorization, hash: request.headers['x-amz-content-sha256'] });
        if (wanted !== authorization) { response.writeHead(403); response.end('<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code></Error>'); return; }
        if (store.failures-- > 0) { response.writeHead(503); response.end('<Error><Code>SlowDown</Code></Error>'); return; }
        const text = objects[decodeURIComponent(request.url)];
        response.writeHead(text === undefined ? 404 : 200);
        response.end(text ?? '<Error><Code>NoSuchKey</Code></Error>');
    };
    store.server = http.createServer(answer);
    await new Promise((resolve) => store.server.listen(0, '127.0.0.1', resolve));
    store.url = `http://127.0.0.1:${store.server.address().port}`;
    return store;
}

test('a store that speaks S3: path style, signed, with patience', async () => {
    const store = await startStore({ '/settings/a dir/one.env': 'FROM_STORE=yes\n', '/settings/large.env': `A=1\n${'#\n'.repeat(600000)}` });
    store.failures = 1;
    const credentials = path.join(folder, 'credentials');
    writeFileSync(credentials, `[store]\naws_access_key_id = ${storeKey.key}\naws_secret_access_key = ${storeKey.secret}\n`);
    await startAgent(['--s3-endpoint', store.url, '--s3-profile', 'store'], { AWS_SHARED_CREDENTIALS_FILE: credentials });
    await define('store', { command: ['echo "$FROM_STORE"'], environmentFiles: [{ type: 's3', value: 'arn:aws:s3:::settings/a dir/one.env' }] });
    const task = await run('store'), ended = await becomes(task, 'STOPPED');
    assert.strictEqual(await printed(task), 'yes\n', `${ended.stoppedReason} ${JSON.stringify(store.seen)}`);
    assert.deepStrictEqual(store.seen.map(({ url, good }) => [url, good]), [['/settings/a%20dir/one.env', true], ['/settings/a%20dir/one.env', true]]);
    assert.match(store.seen[0].authorization, /SignedHeaders=host;x-amz-content-sha256;x-amz-date,/);
    assert.strictEqual(store.seen[0].hash, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');          // of nothing
    const rows = [['none.env', 'the store answers with HTTP status 404, NoSuchKey'], ['large.env', 'it has more than 1048576 bytes']];
    for (const [key, reason] of rows) {
        await define('refused', { command: ['true'], environmentFiles: [{ type: 's3', value: `arn:aws:s3:::settings/${key}` }] });
        const { stoppedReason } = await becomes(await run('refused'), 'STOPPED');
        assert.strictEqual(stoppedReason, `ResourceInitializationError: failed to download env files: arn:aws:s3:::settings/${key}: ${reason}`);
    }
    store.server.close();
});

test('without a store it is said what to set', async () => {
    await startAgent();
    await define('unset', { command: ['true'], environmentFiles: [{ type: 's3', value: 'arn:aws:s3:::settings/one.env' }] });
    const { stoppedReason, stopCode } = await becomes(await run('unset'), 'STOPPED');
    assert.match(stoppedReason, /^ResourceInitializationError: failed to download env files: arn:aws:s3:::settings\/one\.env: this agent has no S3 store: start it with --s3-endpoint /);
    assert.strictEqual(stopCode, 'TaskFailedToStart');
});
