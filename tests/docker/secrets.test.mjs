// Secrets and an environment file in a real container, and every place of the machine and of Berth where their values could be left behind.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { account, region, remove } from '../lib/lib.mjs';
import { Stage, docker, inspect, shell } from './stage.mjs';

const files = mkdtempSync(path.join(os.tmpdir(), 'berth-env-'));
const words = { PASSWORD: 's3cret-of-the-database', TOKEN: 's3cret-of-a-parameter', FROM_FILE: 's3cret-of-a-file' };
let stage;

before(async () => {
    mkdirSync(path.join(files, 'settings'));
    writeFileSync(path.join(files, 'settings', 'web.env'), `# words\nFROM_FILE=${words.FROM_FILE}\nBOTH=file\nTOKEN=file\n`);
    stage = await Stage.open({ args: ['--s3-endpoint', `file://${files}`, '--log-level', 'debug'] });
    await stage.server.aws('secretsmanager', 'create-secret', '--name', 'prod/db', '--secret-string', JSON.stringify({ user: 'app', password: words.PASSWORD }));
    await stage.server.aws('ssm', 'put-parameter', '--name', '/prod/token', '--type', 'SecureString', '--value', words.TOKEN);
});
after(async () => {
    await stage.close();
    remove(files);
});

test('a container has them in its environment, and the engine shows them there and nowhere else', async () => {
    const container = shell('main', 'test -n "$PASSWORD" && echo "$USER_NAME $BOTH"; sleep 600', {
        environment: [{ name: 'BOTH', value: 'own' }],
        environmentFiles: [{ type: 's3', value: 'arn:aws:s3:::settings/web.env' }],
        secrets: [
            { name: 'PASSWORD', valueFrom: `arn:aws:secretsmanager:${region}:${account}:secret:prod/db:password::` },
            { name: 'USER_NAME', valueFrom: `arn:aws:secretsmanager:${region}:${account}:secret:prod/db:user::` },
            { name: 'TOKEN', valueFrom: '/prod/token' },
        ],
    });
    const arn = await stage.run('secrets', [container], { task: { executionRoleArn: `arn:aws:iam::${account}:role/exec` } });
    const [{ runtimeId }] = (await stage.becomes(arn, 'RUNNING')).containers;
    assert.strictEqual(await stage.prints(arn, 'main', /\n/), 'app own\n');

    const seen = inspect(runtimeId), environment = Object.fromEntries(seen.Config.Env.map((line) => line.split(/=(.*)/s)));
    assert.deepStrictEqual(Object.fromEntries(Object.keys(words).map((name) => [name, environment[name]])), words);
    delete seen.Config.Env;
    assert.ok(!JSON.stringify(seen).includes('s3cret'), 'docker inspect shows them as the environment only');
    assert.ok(!docker('logs', runtimeId).includes('s3cret'));

    const described = JSON.stringify([await stage.describe(arn), await stage.call('DescribeTaskDefinition', { taskDefinition: 'secrets' })]);
    for (const text of [described, stage.agent.output, stage.server.process.output]) assert.ok(!text.includes('s3cret'), text);
    const { stdout, status } = spawnSync('grep', ['-rl', 's3cret', stage.agent.data, stage.server.data], { encoding: 'utf8' });
    assert.deepStrictEqual([status, stdout], [1, ''], 'nothing is left in the files of agent and server');
    await stage.stop(arn);
});

test('a secret that cannot be read makes no container', async () => {
    const arn = await stage.run('no-secret', [shell('main', 'true', { secrets: [{ name: 'A', valueFrom: '/nowhere' }] })], { task: { executionRoleArn: `arn:aws:iam::${account}:role/exec` } });
    const { stoppedReason, stopCode, containers } = await stage.becomes(arn, 'STOPPED');
    assert.strictEqual(stopCode, 'TaskFailedToStart');
    assert.match(stoppedReason, /^ResourceInitializationError: .*invalid parameters: \/nowhere$/);
    assert.strictEqual(containers[0].runtimeId, undefined);
});
