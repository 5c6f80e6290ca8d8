// What a task refers to reaches it, and nothing else: secrets of both services, environment files from a folder; real
// processes, the AWS CLI, signed requests.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, account, program, region, remove, waitFor } from './lib.mjs';

const executionRoleArn = `arn:aws:iam::${account}:role/exec`;
const ok = (reply) => { assert.strictEqual(reply.status, 200, reply.text); return reply.json; };
const secrets = (operation, input, more) => server.raw({ target: `secretsmanager.${operation}`, body: JSON.stringify(input), service: 'secretsmanager', ...more });
const ssm = (operation, input, more) => server.raw({ target: `AmazonSSM.${operation}`, body: JSON.stringify(input), service: 'ssm', ...more });
const describe = async (arn) => ok(await server.call('DescribeTasks', { tasks: [arn] })).tasks[0];
const becomes = (arn, status) => waitFor(`${arn} to be ${status}`, async () => { const task = await describe(arn); return task.lastStatus === status && task; });
let server, folder, data, agent;

const startAgent = async (endpoint, environment = {}) => {
    agent = await server.agentIn(data, ['--runtime', 'process', '--log-level', 'debug', ...(endpoint ? ['--s3-endpoint', endpoint] : [])], server.url, environment);
    await waitFor('this machine', async () => (await server.connected('default')) === 1);
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
    await startAgent(`file://${folder}`);
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

test('what can not be had ends the task with its reason', async () => {
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
    ok(await ssm('GetParameters', { Names: ['/app/token'] }));               // counted by this server, whoever asked the one before
    const metrics = await server.raw({ method: 'GET', pathname: '/metrics', unsigned: true, contentType: undefined });
    const board = await server.raw({ method: 'GET', pathname: '/berth/v1/state', unsigned: true, contentType: undefined });
    const history = await server.raw({ method: 'GET', pathname: '/berth/v1/history', unsigned: true, contentType: undefined });
    const described = [await secrets('ListSecrets', {}), await ssm('DescribeParameters', {}), await server.call('DescribeTaskDefinition', { taskDefinition: 'secret' })];
    for (const { status, text } of [metrics, board, history, ...described]) {
        assert.strictEqual(status, 200, text);
        assert.ok(!text.includes('value-'), text);
    }
    assert.match(metrics.text, /^berth_requests_total\{operation="ssm:GetParameters",result="ok"\} \d+$/m);
    for (const { output: text } of [server.process, agent]) assert.ok(!text.includes('value-'), text);
    // On disk: what was sealed, and what a command says of itself. The logs of tasks are theirs.
    const grep = (...where) => spawnSync('grep', ['-rlE', '--exclude-dir=logs', '--exclude=output.log', 'value-(USER|PLAIN|TOKEN|BY_ARN|HELD)', ...where], { encoding: 'utf8' });
    assert.strictEqual(grep(server.data, data).stdout, '');
});
