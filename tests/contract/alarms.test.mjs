// Alarms of CloudWatch: by the AWS CLI, which speaks its JSON protocol, and by the JavaScript SDK and signed requests, which speak the query protocol.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import * as cloudwatch from '@aws-sdk/client-cloudwatch';
import { Server, account, program, region } from '../lib/lib.mjs';

let server;
before(async () => { server = await Server.start(); });
after(async () => { await server.stop(); });

const form = 'application/x-www-form-urlencoded; charset=utf-8';
const query = (action, input = {}) => server.raw({ service: 'monitoring', contentType: form,
    body: new URLSearchParams({ Action: action, Version: '2010-08-01', ...input }).toString() });
const cli = (...words) => server.aws('cloudwatch', ...words);
const arn = (name) => `arn:aws:cloudwatch:${region}:${account}:alarm:${name}`;
const metric = { ComparisonOperator: 'GreaterThanThreshold', EvaluationPeriods: '1', MetricName: 'Errors', Namespace: 'App', Period: '60', Statistic: 'Sum', Threshold: '0.5' };
const words = ['--comparison-operator', 'GreaterThanThreshold', '--evaluation-periods', '1', '--metric-name', 'Errors', '--namespace', 'App', '--period', '60', '--statistic', 'Sum',
    '--threshold', '0.5'];
const names = (reply) => [...reply.text.matchAll(/<AlarmName>(.*?)<\/AlarmName>/g)].map((found) => found[1]);

test('the CLI puts an alarm, sets its state, describes and deletes it', async () => {
    await cli('put-metric-alarm', '--alarm-name', 'cli', ...words, '--dimensions', 'Name=Service,Value=web', '--alarm-actions', 'arn:aws:sns:us-east-1:123456789012:t',
        '--tags', 'Key=team,Value=ml');
    const [first] = (await cli('describe-alarms', '--alarm-names', 'cli', '--alarm-types', 'MetricAlarm')).MetricAlarms;
    assert.deepStrictEqual([first.AlarmArn, first.StateValue, first.ActionsEnabled, first.Threshold, first.Period, first.Statistic, first.Dimensions],
        [arn('cli'), 'INSUFFICIENT_DATA', true, 0.5, 60, 'Sum', [{ Name: 'Service', Value: 'web' }]]);
    await cli('set-alarm-state', '--alarm-name', 'cli', '--state-value', 'ALARM', '--state-reason', 'too many', '--state-reason-data', '{"n":3}');
    const [second] = (await cli('describe-alarms', '--state-value', 'ALARM')).MetricAlarms;
    assert.deepStrictEqual([second.AlarmName, second.StateReason, second.StateReasonData], ['cli', 'too many', '{"n":3}']);
    assert.deepStrictEqual((await cli('list-tags-for-resource', '--resource-arn', arn('cli'))).Tags, [{ Key: 'team', Value: 'ml' }]);
    await cli('put-metric-alarm', '--alarm-name', 'cli', ...words, '--alarm-description', 'again');
    const [third] = (await cli('describe-alarms', '--alarm-name-prefix', 'cl')).MetricAlarms;
    assert.deepStrictEqual([third.StateValue, third.StateReason, third.AlarmDescription, third.Dimensions], ['ALARM', 'too many', 'again', []]);
    await cli('delete-alarms', '--alarm-names', 'cli');
    assert.deepStrictEqual((await cli('describe-alarms')).MetricAlarms, []);
});

test('metrics of clients are put by the CLI and by the query protocol', async () => {
    await cli('put-metric-data', '--namespace', 'App', '--metric-name', 'Depth', '--value', '5', '--dimensions', 'Queue=a');
    await cli('put-metric-data', '--namespace', 'App', '--metric-data', JSON.stringify([{ MetricName: 'Depth', Values: [1, 2.5], Counts: [3, 1], Unit: 'Count' },
        { MetricName: 'Wait', StatisticValues: { SampleCount: 2, Sum: 3, Minimum: 1, Maximum: 2 }, Timestamp: new Date().toISOString() }]));
    const member = 'MetricData.member.1.';
    const put = await query('PutMetricData', { Namespace: 'App', [`${member}MetricName`]: 'Depth', [`${member}Values.member.1`]: '2' });
    assert.match(put.text, /^<PutMetricDataResponse/);
    const set = (count, least, most) => Object.fromEntries(Object.entries({ SampleCount: count, Sum: 1, Minimum: least, Maximum: most })
        .map(([name, value]) => [`StatisticValues.${name}`, value]));
    const rows = [
        ['AWS/ECS', { Value: 1 }, /The value AWS\/ECS for parameter Namespace is invalid/], ['Berth', { Value: 1 }, /Namespace is invalid/],
        ['App', {}, /The parameter MetricData.member.1.Value is required, or Values, or StatisticValues/],
        ['App', { Value: 1, 'Values.member.1': 1 }, /mutually exclusive/], ['App', { 'Values.member.1': 1, 'Values.member.2': 1, 'Counts.member.1': 1 }, /as many items as Values/],
        ['App', { 'Values.member.1': 1, 'Counts.member.1': 0 }, /Counts must have numbers above 0/], ['App', { Value: '1e300' }, /from -2\^360 to 2\^360/],
        ['App', set(0, 1, 1), /a SampleCount above 0/], ['App', set(1, 2, 1), /a Minimum that is not above its Maximum/],
    ];
    for (const [space, datum, text] of rows) {
        const reply = await query('PutMetricData', { Namespace: space, [`${member}MetricName`]: 'x', ...Object.fromEntries(Object.entries(datum).map(([name, value]) => [member + name, value])) });
        assert.deepStrictEqual([reply.status, /<Code>(.*)<\/Code>/.exec(reply.text)?.[1]], [400, 'InvalidParameterValue'], reply.text);
        assert.match(reply.text, text);
    }
});

test('errors have the codes that the CLI knows', async () => {
    const rows = [
        ['ResourceNotFound', ['set-alarm-state', '--alarm-name', 'no', '--state-value', 'OK', '--state-reason', 'x']],
        ['ResourceNotFound', ['delete-alarms', '--alarm-names', 'no']],
        ['ResourceNotFound', ['list-tags-for-resource', '--resource-arn', arn('no')]],
        ['ValidationError', ['put-metric-alarm', '--alarm-name', 'no', ...words, '--period', '61']],
        ['ValidationError', ['set-alarm-state', '--alarm-name', 'no', '--state-value', 'BAD', '--state-reason', 'x']],
        ['InvalidFormat', ['set-alarm-state', '--alarm-name', 'no', '--state-value', 'OK', '--state-reason', 'x', '--state-reason-data', '{']],
        ['InvalidNextToken', ['describe-alarms', '--no-paginate', '--next-token', 'x']],
        ['InvalidAction', ['describe-alarm-history']],
    ];
    for (const [code, call] of rows) await assert.rejects(cli(...call), (error) => { assert.strictEqual(error.code, code, error.message); return true; });
});

test('the query protocol: XML of the same alarms, by pages', async () => {
    await query('PutMetricAlarm', { AlarmName: 'p', ...metric });
    for (const name of ['q-1', 'q-2', 'q-3']) assert.match((await query('PutMetricAlarm', { AlarmName: name, ...metric })).text, /^<PutMetricAlarmResponse xmlns="http:\/\/monitoring/);
    assert.strictEqual((await query('SetAlarmState', { AlarmName: 'q-2', StateValue: 'OK', StateReason: '<good>' })).status, 200);
    const one = await query('DescribeAlarms', { 'AlarmNames.member.1': 'q-2', 'AlarmTypes.member.1': 'MetricAlarm' });
    for (const text of ['<MetricAlarms><member>', '<StateValue>OK</StateValue>', '<StateReason>&lt;good&gt;</StateReason>', `<AlarmArn>${arn('q-2')}</AlarmArn>`,
        '<CompositeAlarms></CompositeAlarms>', '<Threshold>0.5</Threshold>', '<EvaluationPeriods>1</EvaluationPeriods>']) assert.ok(one.text.includes(text), `${text} in ${one.text}`);
    const first = await query('DescribeAlarms', { AlarmNamePrefix: 'q', MaxRecords: '2' });
    assert.deepStrictEqual(names(first), ['q-1', 'q-2']);
    const rest = await query('DescribeAlarms', { AlarmNamePrefix: 'q', MaxRecords: '2', NextToken: /<NextToken>(.*)<\/NextToken>/.exec(first.text)[1] });
    assert.deepStrictEqual(names(rest), ['q-3']);
    assert.ok(!rest.text.includes('NextToken'));
    const gone = await query('SetAlarmState', { AlarmName: 'no', StateValue: 'OK', StateReason: '' });
    assert.deepStrictEqual([gone.status, /<Code>(.*?)<\/Code><Message>(.*)<\/Message>/.exec(gone.text).slice(1)], [404, ['ResourceNotFound', 'The alarm &quot;no&quot; does not exist.']]);
    const unserved = await query('ListDashboards');
    assert.match(unserved.text, /<Code>InvalidAction<\/Code><Message>Berth does not serve cloudwatch:ListDashboards\. /);
    assert.match((await query('DeleteAlarms', { 'AlarmNames.member.1': 'q-1', 'AlarmNames.member.2': 'no', 'AlarmNames.member.3': 'q-2' })).text, /DeleteAlarmsResponse/);
    assert.deepStrictEqual(names(await query('DescribeAlarms')), ['p', 'q-3'], 'a name without an alarm is ignored');
});

test('viewers read, administrators write', async () => {
    const made = JSON.parse(execFileSync(program, ['keys', 'create', '--data', server.data, '--role', 'viewer', '--output', 'json'], { encoding: 'utf8' }));
    const viewer = { key: made.AccessKey.AccessKeyId, secret: made.AccessKey.SecretAccessKey };
    const call = (action, key) => server.raw({ service: 'monitoring', target: `GraniteServiceVersion20100801.${action}`, body: '{"AlarmName":"q-3","StateValue":"OK","StateReason":"x"}', ...key });
    assert.strictEqual((await call('DescribeAlarms', viewer)).status, 200);
    const refused = await call('SetAlarmState', viewer);
    assert.deepStrictEqual([refused.status, refused.json.__type], [403, 'AccessDenied']);
    assert.match(refused.json.message, /is not authorized to perform: monitoring:SetAlarmState on resource: \*/);
});

test('POST /berth/v1/alarms/NAME sets the state, too', async () => {
    await query('PutMetricAlarm', { AlarmName: 'own / 1', ...metric });
    const set = (name, body, more) => server.raw({ pathname: `/berth/v1/alarms/${encodeURIComponent(name)}`, body, ...more });
    assert.deepStrictEqual((await set('own / 1', '{"state":"ALARM","reason":"the canary"}')).json, {});
    const [alarm] = (await cli('describe-alarms', '--alarm-names', 'own / 1')).MetricAlarms;
    assert.deepStrictEqual([alarm.StateValue, alarm.StateReason], ['ALARM', 'the canary']);
    assert.strictEqual((await set('own / 1', '{"state":"OK"}')).status, 200, 'without a reason');
    for (const [name, body, status] of [['no', '{"state":"OK"}', 404], ['own / 1', '{"state":"BAD"}', 400], ['own / 1', '{}', 400], ['own / 1', '[', 400], ['', '{"state":"OK"}', 400]]) {
        assert.strictEqual((await set(name, body)).status, status, `${name} ${body}`);
    }
    const made = JSON.parse(execFileSync(program, ['keys', 'create', '--data', server.data, '--role', 'viewer', '--output', 'json'], { encoding: 'utf8' }));
    const refused = await set('own / 1', '{"state":"ALARM"}', { key: made.AccessKey.AccessKeyId, secret: made.AccessKey.SecretAccessKey });
    assert.deepStrictEqual([refused.status, refused.json.__type], [400, 'AccessDeniedException']);
    assert.match(server.process.output, /audit: monitoring:SetAlarmState user=root .*\n.*POST \/berth\/v1\/alarms\/no /);
});

test('the JavaScript SDK: what it puts is what it reads, page by page', async () => {
    const credentials = { accessKeyId: server.key, secretAccessKey: server.secret };
    const client = new cloudwatch.CloudWatchClient({ region, endpoint: server.url, credentials, maxAttempts: 1 });
    const send = (name, input) => client.send(new cloudwatch[`${name}Command`](input));
    const given = { AlarmDescription: '<&>', ActionsEnabled: false, OKActions: ['arn:ok'], AlarmActions: ['arn:a', 'arn:b'], InsufficientDataActions: [], EvaluationPeriods: 2,
        DatapointsToAlarm: 1, Threshold: 1e-7, ComparisonOperator: 'LessThanThreshold', TreatMissingData: 'notBreaching', Dimensions: [],
        Metrics: [{ Id: 'e', Expression: 'm/2', Label: 'half', ReturnData: true }, { Id: 'm', ReturnData: false, MetricStat: { Period: 60, Stat: 'p99', Unit: 'Bytes/Second',
            Metric: { Namespace: 'N', MetricName: 'M', Dimensions: [{ Name: 'a', Value: 'b' }, { Name: 'c', Value: 'd' }] } } }] };
    for (const AlarmName of ['sdk 1', 'sdk 2', 'sdk 3']) await send('PutMetricAlarm', { AlarmName, ...given });
    const seen = [];
    for await (const page of cloudwatch.paginateDescribeAlarms({ client, pageSize: 2 }, { AlarmNamePrefix: 'sdk' })) seen.push(page.MetricAlarms);
    assert.deepStrictEqual(seen.map((page) => page.map((alarm) => alarm.AlarmName)), [['sdk 1', 'sdk 2'], ['sdk 3']]);
    const [[{ AlarmName, AlarmArn, StateValue, StateReason, ...rest }]] = seen;
    assert.deepStrictEqual([AlarmArn, StateValue], [arn('sdk 1'), 'INSUFFICIENT_DATA']);
    for (const name of Object.keys(rest).filter((name) => name.endsWith('Timestamp'))) { assert.ok(rest[name] instanceof Date, name); delete rest[name]; }
    assert.deepStrictEqual(rest, given);
    await assert.rejects(send('SetAlarmState', { AlarmName: 'no', StateValue: 'OK', StateReason: 'x' }), (error) => error instanceof cloudwatch.ResourceNotFound);
    await assert.rejects(send('DescribeAlarms', { NextToken: 'x' }), (error) => error instanceof cloudwatch.InvalidNextToken);
    client.destroy();
});
