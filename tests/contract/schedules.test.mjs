// EventBridge's rules and EventBridge Scheduler's schedules by the AWS CLI, and as requests of a REST service: a schedule starts a real task.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { Server, account, region, waitFor } from '../lib/lib.mjs';

let server;
const cluster = `arn:aws:ecs:${region}:${account}:cluster/default`;
before(async () => {
    server = await Server.start();
    await server.call('CreateCluster', { clusterName: 'default' });
    const agent = await server.agent(['--runtime', 'process']);
    await waitFor('the machine', async () => (await server.connected('default')) === 1 || agent.status);
    await server.call('RegisterTaskDefinition', { family: 'job', containerDefinitions: [{ name: 'main', image: 'x', memory: 32, command: ['sleep', '1000'] }] });
});
after(async () => { await server.stop(); });

const rule = (name) => `arn:aws:events:${region}:${account}:rule/${name}`;
const target = (more) => JSON.stringify({ Arn: cluster, RoleArn: `arn:aws:iam::${account}:role/r`, EcsParameters: { TaskDefinitionArn: 'job', ...more } });
const started = async (startedBy) => (await server.call('ListTasks', { startedBy })).json.taskArns;
const rest = (method, pathname, body = '', more = {}) => server.raw({ service: 'scheduler', method, pathname, body, contentType: 'application/json', ...more });

test('the CLI: a rule, its target and its tags', async () => {
    const cli = (...words) => server.aws('events', ...words);
    assert.strictEqual((await cli('put-rule', '--name', 'nightly', '--schedule-expression', 'cron(0 2 * * ? *)', '--tags', 'Key=team,Value=ml')).RuleArn, rule('nightly'));
    const put = await cli('put-targets', '--rule', 'nightly', '--targets', JSON.stringify([{ Id: 'one', ...JSON.parse(target()) }]));
    assert.deepStrictEqual(put, { FailedEntryCount: 0, FailedEntries: [] });
    assert.deepStrictEqual((await cli('describe-rule', '--name', 'nightly')), { Name: 'nightly', Arn: rule('nightly'), ScheduleExpression: 'cron(0 2 * * ? *)', State: 'ENABLED', EventBusName: 'default' });
    assert.strictEqual((await cli('list-targets-by-rule', '--rule', 'nightly')).Targets[0].EcsParameters.TaskDefinitionArn, 'job');
    assert.deepStrictEqual((await cli('list-rule-names-by-target', '--target-arn', cluster)).RuleNames, ['nightly']);
    assert.deepStrictEqual((await cli('list-tags-for-resource', '--resource-arn', rule('nightly'))).Tags, [{ Key: 'team', Value: 'ml' }]);
    await assert.rejects(cli('delete-rule', '--name', 'nightly'), { code: 'ValidationException', text: "Rule can't be deleted since it has targets." });
    await cli('remove-targets', '--rule', 'nightly', '--ids', 'one');
    await cli('delete-rule', '--name', 'nightly');
    await assert.rejects(cli('describe-rule', '--name', 'nightly'), { code: 'ResourceNotFoundException' });
    await assert.rejects(cli('put-events', '--entries', 'Source=a'), { code: 'UnknownOperationException' });
});

test('the CLI: a schedule starts a real task', async () => {
    const cli = (...words) => server.aws('scheduler', ...words);
    const words = ['--name', 'now', '--flexible-time-window', 'Mode=OFF', '--target', target()];
    const made = await cli('create-schedule', ...words, '--schedule-expression', 'rate(1 hour)');
    assert.strictEqual(made.ScheduleArn, `arn:aws:scheduler:${region}:${account}:schedule/default/now`);
    const [task] = await waitFor('its task', async () => { const tasks = await started('chronos-schedule/now'); return tasks.length > 0 && tasks; });
    await waitFor('it runs', async () => (await server.call('DescribeTasks', { tasks: [task] })).json.tasks[0].lastStatus === 'RUNNING');
    const [kept] = (await server.raw({ method: 'GET', pathname: '/berth/v1/schedules' })).json.schedules;
    assert.deepStrictEqual([kept.name, kept.zone, kept.runs[0].outcome, kept.runs[0].tasks, kept.runs[0].lost], ['now', 'UTC', 'started 1 tasks', [task], null]);
    await assert.rejects(cli('create-schedule', ...words, '--schedule-expression', 'rate(1 hour)'), { code: 'ConflictException' });
    await cli('update-schedule', ...words, '--schedule-expression', 'at(2190-01-01T12:00:00)', '--schedule-expression-timezone', 'Europe/Berlin', '--state', 'DISABLED');
    const shown = await cli('get-schedule', '--name', 'now', '--group-name', 'default');
    assert.deepStrictEqual([shown.ScheduleExpression, shown.ScheduleExpressionTimezone, shown.State, shown.Target],
        ['at(2190-01-01T12:00:00)', 'Europe/Berlin', 'DISABLED', JSON.parse(target())]);
    assert.deepStrictEqual((await cli('list-schedules', '--name-prefix', 'n', '--state', 'DISABLED', '--max-results', '1')).Schedules.map((one) => one.Name), ['now']);
    assert.deepStrictEqual((await cli('list-schedule-groups')).ScheduleGroups.map((one) => one.Name), ['default']);
    assert.deepStrictEqual((await cli('list-tags-for-resource', '--resource-arn', `arn:aws:scheduler:${region}:${account}:schedule-group/default`)).Tags, []);
    await cli('delete-schedule', '--name', 'now');
    await assert.rejects(cli('get-schedule', '--name', 'now'), { code: 'ResourceNotFoundException' });
    await assert.rejects(cli('create-schedule-group', '--name', 'g'), { code: 'UnknownOperationException' });
});

test('requests of a REST service: paths, bodies and signatures', async () => {
    const body = JSON.stringify({ ScheduleExpression: 'at(2190-01-01T00:00:00)', FlexibleTimeWindow: { Mode: 'OFF' }, Target: JSON.parse(target()) });
    const made = await rest('POST', '/schedules/raw', body);
    assert.deepStrictEqual([made.status, made.headers['content-type']], [200, 'application/json']);
    const rows = [
        [404, 'ResourceNotFoundException', await rest('GET', '/schedules/no')],
        [409, 'ConflictException', await rest('POST', '/schedules/raw', body)],
        [400, 'UnknownOperationException', await rest('GET', '/schedules/a/b')],
        [400, 'UnknownOperationException', await rest('PATCH', '/schedules/raw')],
        [400, 'ValidationException', await rest('POST', '/schedules/b~c', body)],
        [400, 'ValidationException', await rest('POST', '/schedules/b', '{}')],
        [400, 'SerializationException', await rest('POST', '/schedules/b', '[]')],
        [400, 'SerializationException', await rest('POST', '/schedules/b', '{"Name":"c"}')],
        [400, 'InvalidSignatureException', await rest('DELETE', '/schedules/raw', '', { secret: 'wrong' })],
    ];
    for (const [status, code, reply] of rows) assert.deepStrictEqual([reply.status, reply.headers['x-amzn-errortype']], [status, code], reply.text);
    assert.strictEqual(typeof rows[0][2].json.Message, 'string');
    const page = await rest('GET', '/schedules/raw', '', { service: 'ecs' });
    assert.deepStrictEqual([page.status, page.headers['x-amzn-errortype']], [404, undefined], 'the scope of the signature names the service');
    assert.strictEqual((await rest('DELETE', '/schedules/raw')).status, 200);
});
