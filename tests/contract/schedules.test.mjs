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
    const call = async (name, input) => (await server.raw({ service: 'events', target: `AWSEvents.${name}`, body: JSON.stringify(input) })).json;
    assert.strictEqual((await call('ListTargetsByRule', { Rule: 'nightly' })).Targets[0].EcsParameters.TaskDefinitionArn, 'job');
    assert.deepStrictEqual((await call('ListRuleNamesByTarget', { TargetArn: cluster })).RuleNames, ['nightly']);
    assert.deepStrictEqual((await call('ListTagsForResource', { ResourceARN: rule('nightly') })).Tags, [{ Key: 'team', Value: 'ml' }]);
    await assert.rejects(cli('delete-rule', '--name', 'nightly'), { code: 'ValidationException', text: "Rule can't be deleted since it has targets." });
    assert.deepStrictEqual(await call('RemoveTargets', { Rule: 'nightly', Ids: ['one'] }), put);
    assert.deepStrictEqual(await call('DeleteRule', { Name: 'nightly' }), {});
    assert.strictEqual((await call('DescribeRule', { Name: 'nightly' })).__type, 'ResourceNotFoundException');
    assert.match((await call('PutEvents', { Entries: [] })).message, /^Berth does not serve events:PutEvents\. /);
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
    assert.deepStrictEqual((await rest('GET', '/schedule-groups')).json.ScheduleGroups.map((one) => one.Name), ['default']);
    assert.deepStrictEqual((await cli('list-tags-for-resource', '--resource-arn', `arn:aws:scheduler:${region}:${account}:schedule-group/default`)).Tags, []);
    await cli('delete-schedule', '--name', 'now');
    assert.match((await rest('POST', '/schedule-groups/g', '{}')).json.Message, /^Berth does not serve scheduler:CreateScheduleGroup\. /);
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

test('a time that comes while the server is down runs once, when the server and its agent are there again', async () => {
    const at = new Date(Date.now() + 4000).toISOString().slice(0, 19);
    const body = { ScheduleExpression: `at(${at})`, FlexibleTimeWindow: { Mode: 'OFF' }, ActionAfterCompletion: 'DELETE', Target: JSON.parse(target()) };
    assert.strictEqual((await rest('POST', '/schedules/late', JSON.stringify(body))).status, 200);
    const { agents, data, port, agentPort } = server;
    await server.kill9();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, Date.parse(`${at}Z`) + 500 - Date.now())));
    server = await Server.start({ data, port, agentPort });
    server.agents = agents;
    const tasks = await waitFor('its task', async () => { const found = await started('chronos-schedule/late'); return found.length > 0 && found; });
    assert.strictEqual(tasks.length, 1);
    assert.strictEqual((await rest('GET', '/schedules/late')).status, 404, 'it is deleted after its run');
});
