// Errors before an operation runs: bad JSON, bad signatures, bad targets. Each gets ECS's form of error, nothing is
// written, and the server goes on.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import http from 'node:http';
import net from 'node:net';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Server, amzTime, root, sleep } from '../lib/lib.mjs';

let server;
before(async () => { server = await Server.start(); });
after(async () => { await server.stop(); });

const create = 'AmazonEC2ContainerServiceV20141113.CreateCluster';
const body = JSON.stringify({ clusterName: 'never-made' });
const minutes = (n) => amzTime(Date.now() + n * 60000);

const refusals = [
    { name: 'malformed JSON', with: { target: create, body: '{"clusterName":' }, type: 'SerializationException' },
    { name: 'a JSON text that is no object', with: { target: create, body: '[1]' }, type: 'SerializationException' },
    { name: 'an empty body', with: { target: create, body: '' }, type: 'SerializationException' },
    { name: 'duplicate members', with: { target: create, body: '{"clusterName":"a","clusterName":"b"}' }, type: 'SerializationException' },
    { name: 'a number for a string', with: { target: create, body: '{"clusterName":7}' }, type: 'SerializationException', text: /clusterName/ },
    { name: 'a string for a list', with: { target: create, body: '{"tags":"x"}' }, type: 'SerializationException', text: /tags/ },
    { name: 'deep nesting', with: { target: create, body: '['.repeat(200) + ']'.repeat(200) }, type: 'SerializationException' },
    { name: 'no target', with: { body }, type: 'UnknownOperationException' },
    { name: 'an unknown operation', with: { target: 'AmazonEC2ContainerServiceV20141113.MakeTea', body }, type: 'UnknownOperationException' },
    { name: 'an unknown prefix', with: { target: 'DynamoDB_20120810.CreateCluster', body }, type: 'UnknownOperationException' },
    { name: 'an operation in the wrong case', with: { target: create.toLowerCase(), body }, type: 'UnknownOperationException' },
    { name: 'no signature', with: { target: create, body, unsigned: true }, type: 'MissingAuthenticationTokenException', text: /^Missing Authentication Token$/ },
    { name: 'signed twice', with: { target: create, body, pathname: '/?X-Amz-Algorithm=AWS4-HMAC-SHA256' }, type: 'InvalidSignatureException',
        text: /^Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header\.$/ },
    { name: 'half an authorization', with: { target: create, body, authorization: 'AWS4-HMAC-SHA256 Credential=a/b' }, type: 'IncompleteSignatureException',
        text: /^Authorization header requires 'Signature' parameter\. Authorization header requires 'SignedHeaders' parameter\. Authorization=AWS4-HMAC-SHA256 Credential=a\/b$/ },
    { name: 'an unknown key', with: { target: create, body, key: 'AKIANOBODYNOBODYNOBO' }, type: 'UnrecognizedClientException', text: /^The security token included in the request is invalid\.$/ },
    { name: 'a wrong secret', with: { target: create, body, secret: 'wrong' }, type: 'InvalidSignatureException', text: /^The request signature we calculated does not match the signature you provided\. Check/ },
    { name: 'a body altered on the way', with: { target: create, body, tamper: body.replace('never', 'neber') }, type: 'InvalidSignatureException' },
    { name: 'six minutes old', with: { target: create, body }, minutes: -6, type: 'InvalidSignatureException', text: /^Signature expired: \d{8}T\d{6}Z is now earlier than .* \(.* - 5 min\.\)$/ },
    { name: 'six minutes early', with: { target: create, body }, minutes: 6, type: 'InvalidSignatureException', text: /^Signature not yet current: \d{8}T\d{6}Z is still later than .* \(.* \+ 5 min\.\)$/ },
    { name: 'another service', with: { target: create, body, service: 'ec2' }, type: 'InvalidSignatureException', text: /^Credential should be scoped to correct service: 'ecs'\.$/ },
    { name: 'another region', with: { target: create, body, scopeRegion: 'eu-west-9' }, type: 'InvalidSignatureException', text: /^Credential should be scoped to a valid region, not 'eu-west-9'\./ },
];

for (const row of refusals) {
    test(`refused: ${row.name}`, async () => {
        const asked = Date.now();
        const reply = await server.raw({ ...row.with, time: minutes(row.minutes ?? 0) });
        const answered = Date.parse(reply.headers.date);
        assert.ok(answered > asked - 1000 && answered <= Date.now(), 'clients correct their clock by the Date header');
        assert.strictEqual(reply.status, 400, reply.text);
        assert.strictEqual(reply.json.__type, row.type, reply.text);
        assert.strictEqual(reply.headers['content-type'], 'application/x-amz-json-1.1');
        assert.match(reply.headers['x-amzn-requestid'], /^[0-9a-f-]{36}$/);
        if (row.text) assert.match(reply.json.message, row.text);
        const clusters = await server.call('ListClusters');
        assert.deepStrictEqual(clusters.json.clusterArns, [], 'nothing was written');
    });
}

// Each protocol of AWS has its own form of an error, which names an operation or service that is not served.
const served = 'It serves ecs, secretsmanager, ssm, logs, sts and parts of autoscaling, cloudwatch, ec2, elasticloadbalancing, events, iam, scheduler and application-autoscaling.';
const form = 'application/x-www-form-urlencoded; charset=utf-8';
const others = [
    { name: 'JSON', with: { service: 'ecr', target: 'AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken', body: '{}' },
        says: 'ecr:GetAuthorizationToken', json: true },
    { name: 'query', with: { service: 'sns', contentType: form, body: 'Action=ListTopics&Version=2010-03-31' },
        says: 'sns:ListTopics', text: /^<ErrorResponse><Error><Type>Sender<\/Type><Code>InvalidAction<\/Code><Message>(.*)<\/Message><\/Error><RequestId>/ },
    { name: 'query without an action', with: { service: 'sqs', contentType: form, body: '' }, says: 'sqs (POST /)', text: /<Message>(.*)<\/Message>/ },
    { name: 'query with markup', with: { service: 'sqs', contentType: form, body: 'Action=%3Cx%3E' }, says: 'sqs:&lt;x&gt;', text: /<Message>(.*)<\/Message>/ },
    { name: 'REST with XML', with: { service: 's3', method: 'GET', contentType: '' }, says: 's3 (GET /)', text: /^<Error><Code>NotImplemented<\/Code><Message>(.*)<\/Message><RequestId>/ },
    { name: 'REST with XML, a path', with: { service: 's3', method: 'PUT', pathname: '/bucket/key', body: 'x' }, says: 's3 (PUT /bucket/key)', text: /<Message>(.*)<\/Message>/ },
    { name: 'REST with JSON', with: { service: 'lambda', method: 'GET', pathname: '/2015-03-31/functions', contentType: '' },
        says: 'lambda (GET /2015-03-31/functions)', json: true },
    { name: 'REST with JSON, a path of the page', with: { service: 'eks', method: 'GET', pathname: '/index.html', contentType: '' }, says: 'eks (GET /index.html)', json: true },
];
for (const row of others) {
    test(`another service is named: ${row.name}`, async () => {
        const reply = await server.raw(row.with);
        assert.strictEqual(reply.status, 400, reply.text);
        if (row.json) assert.deepStrictEqual([reply.json.__type, reply.headers['x-amzn-errortype']], ['UnknownOperationException', 'UnknownOperationException']);
        else assert.match(reply.text, row.text);
        assert.strictEqual(row.json ? reply.json.message : row.text.exec(reply.text)[1], `Berth does not serve ${row.says}. ${served}`);
    });
}

test('another service is named: CBOR', async () => {
    const reply = await new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/cbor', 'smithy-protocol': 'rpc-v2-cbor',
            authorization: 'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/monitoring/aws4_request, SignedHeaders=host, Signature=a' };
        http.request({ host: '127.0.0.1', port: server.port, method: 'POST', path: '/service/GraniteServiceVersion20100801/operation/DescribeAlarms', headers }, (response) => {
            const parts = [];
            response.on('data', (data) => parts.push(data));
            response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(parts) }));
        }).on('error', reject).end(Buffer.from([0xa0]));
    });
    const texts = [];
    assert.strictEqual(reply.body[0], 0xa2, 'a map of two');
    for (let at = 1; at < reply.body.length; at += 3 + reply.body.readUInt16BE(at + 1)) {
        assert.strictEqual(reply.body[at], 0x79, 'a text with two bytes of length');
        texts.push(reply.body.toString('utf8', at + 3, at + 3 + reply.body.readUInt16BE(at + 1)));
    }
    assert.deepStrictEqual(texts, ['__type', 'UnknownOperationException', 'message', `Berth does not serve cloudwatch:DescribeAlarms in CBOR. ${served}`]);
    assert.deepStrictEqual([reply.headers['smithy-protocol'], reply.headers['content-type']], ['rpc-v2-cbor', 'application/cbor']);
});

test('an operation that a served service does not have is named with it', async () => {
    const sts = await server.raw({ service: 'sts', contentType: form, body: 'Action=GetSessionToken' });
    assert.match(sts.text, /<Code>InvalidAction<\/Code><Message>Berth does not serve sts:GetSessionToken\. Of STS it serves GetCallerIdentity alone\.<\/Message>/);
    const ec2 = await server.raw({ service: 'ec2', contentType: form, body: 'Action=Describe%49nstances&Version=2016-11-15' });
    assert.deepStrictEqual([ec2.status, ec2.headers['content-type']], [400, 'text/xml']);
    assert.match(ec2.text, /^<Response><Errors><Error><Code>InvalidAction<\/Code><Message>Berth does not serve ec2:DescribeInstances\. .*<\/Message><\/Error><\/Errors><RequestID>/);
    for (const [service, target, says] of [['ssm', 'AmazonSSM.SendCommand', 'ssm:SendCommand'], ['ecs', 'AmazonEC2ContainerServiceV20141113.MakeTea', 'ecs:MakeTea'],
        ['ecs', 'DynamoDB_20120810.ListTables', 'DynamoDB_20120810.ListTables']]) {
        const { json } = await server.raw({ service, target, body: '{}' });
        assert.deepStrictEqual([json.__type, json.message], ['UnknownOperationException', `Berth does not serve ${says}.`]);
    }
});

test('four minutes either way are good', async () => {
    for (const time of [minutes(-4), minutes(4)]) {
        assert.strictEqual((await server.raw({ target: create.replace('CreateCluster', 'ListClusters'), body: '{}', time })).status, 200);
    }
});

test('unknown members are ignored at every depth, as ECS does, and null is absent', async () => {
    const reply = await server.call('CreateCluster', { clusterName: 'lenient', wanted: 1, tags: [{ key: 'a', value: 'b', colour: 'red' }], settings: null });
    assert.strictEqual(reply.status, 200, reply.text);
    assert.deepStrictEqual(reply.json.cluster.tags, [{ key: 'a', value: 'b' }]);
    await server.call('DeleteCluster', { cluster: 'lenient' });
});

test('the content type may name a character set, and its case says nothing', async () => {
    for (const contentType of ['application/x-amz-json-1.1; charset=utf-8', 'Application/X-Amz-Json-1.1', 'application/x-amz-json-1.0']) {
        const reply = await server.raw({ operation: 'ListClusters', body: '{}', contentType });
        assert.strictEqual(reply.status, 200, contentType);
        assert.match(reply.headers['x-amzn-requestid'], /^[0-9a-f-]{36}$/);
        assert.strictEqual(reply.headers['content-type'], 'application/x-amz-json-1.1');
    }
});

// A member of the wrong type gives the words of ECS's front end, and behind them which member it was.
const coercions = [
    ['ListClusters', '{"maxResults":5.0}', null],
    ['ListClusters', '{"maxResults":1e1}', null],
    ['ListClusters', '{"maxResults":null}', null],
    ['ListClusters', '{"maxResults":5.5}', 'NUMBER_VALUE can not be converted to an Integer (member maxResults)'],
    ['ListClusters', '{"maxResults":"5"}', 'STRING_VALUE can not be converted to an Integer (member maxResults)'],
    ['ListClusters', '{"maxResults":true}', 'TRUE_VALUE can not be converted to an Integer (member maxResults)'],
    ['ListClusters', '{"maxResults":2147483648}', 'NUMBER_VALUE can not be converted to an Integer (member maxResults)'],
    ['ListClusters', '{"maxResults":[]}', 'Start of list found where not expected (member maxResults)'],
    ['ListClusters', '{"maxResults":{}}', 'Start of structure or map found where not expected. (member maxResults)'],
    ['DescribeClusters', '{"clusters":"a"}', 'Expected list or null (member clusters)'],
    ['DescribeClusters', '{"clusters":[1]}', 'NUMBER_VALUE can not be converted to a String (member clusters[0])'],
    ['CreateCluster', '{"clusterName":false}', 'FALSE_VALUE can not be converted to a String (member clusterName)'],
    ['CreateCluster', '{"configuration":[]}', 'Start of list found where not expected (member configuration)'],
    ['CreateCluster', '{"configuration":{"executeCommandConfiguration":{"logConfiguration":{"s3EncryptionEnabled":"true"}}}}',
        'STRING_VALUE can not be converted to a Boolean (member configuration.executeCommandConfiguration.logConfiguration.s3EncryptionEnabled)'],
    ['CreateCluster', '{"tags":[{"key":7}]}', 'NUMBER_VALUE can not be converted to a String (member tags[0].key)'],
    ['ListAccountSettings', '{"effectiveSettings":1}', 'NUMBER_VALUE can not be converted to a Boolean (member effectiveSettings)'],
];
for (const [operation, text, message] of coercions) {
    test(`${operation} ${text}: ${message ?? 'good'}`, async () => {
        const reply = await server.raw({ operation, body: text });
        if (message === null) assert.strictEqual(reply.status, 200, reply.text);
        else assert.deepStrictEqual([reply.status, reply.json], [400, { __type: 'SerializationException', message }]);
    });
}

test('nothing to say is said as an empty object, and no reply holds a null', async () => {
    const { json } = await server.call('CreateCluster', { clusterName: 'silent' });
    const resourceArn = json.cluster.clusterArn;
    assert.strictEqual((await server.call('TagResource', { resourceArn, tags: [{ key: 'a', value: 'x' }, { key: 'b', value: '' }] })).text, '{}');
    assert.strictEqual((await server.call('UntagResource', { resourceArn, tagKeys: ['a'] })).text, '{}');
    assert.deepStrictEqual((await server.call('ListTagsForResource', { resourceArn })).json, { tags: [{ key: 'b', value: '' }] });
    await server.call('DeleteCluster', { cluster: 'silent' });
    for (const operation of ['ListClusters', 'DescribeClusters', 'ListAccountSettings']) assert.ok(!(await server.call(operation)).text.includes('null'), operation);
});

test('tokens: none on the last page, another on each, good for their own list alone', async () => {
    for (let n = 0; n < 3; n++) await server.call('CreateCluster', { clusterName: `page-${n}` });
    const tokens = [];
    for (let nextToken, page; page?.nextToken !== undefined || tokens.length === 0; nextToken = page.nextToken) {
        page = (await server.call('ListClusters', { maxResults: 1, nextToken })).json;
        assert.strictEqual(page.clusterArns.length, 1);
        if ('nextToken' in page) assert.ok(page.nextToken.length > 0 && !tokens.includes(page.nextToken));
        tokens.push(page.nextToken);
    }
    assert.strictEqual(tokens.length, 3);
    const refused = await server.call('ListTaskDefinitions', { nextToken: tokens[0] });
    assert.deepStrictEqual([refused.json.__type, refused.status], ['InvalidParameterException', 400]);
    for (let n = 0; n < 3; n++) await server.call('DeleteCluster', { cluster: `page-${n}` });
});

test('a body of 10 MB is refused and the connection after it works', async () => {
    const reply = await server.raw({ target: create, body: JSON.stringify({ clusterName: 'x'.repeat(10 * 1024 * 1024) }) }).catch((error) => error);
    if (!(reply instanceof Error)) {
        assert.strictEqual(reply.status, 413);
        assert.strictEqual(reply.json.__type, 'RequestEntityTooLargeException');
    }
    assert.strictEqual((await server.call('ListClusters')).status, 200);
});

test('a request that is no JSON gets the front end\'s XML', async () => {
    const unable = /^<AccessDeniedException>\s*<Message>Unable to determine service\/operation name to be authorized<\/Message>\s*<\/AccessDeniedException>\s*$/;
    const rows = [
        [{ method: 'PUT', target: create, body }, 403, unable],
        [{ body, contentType: 'text/plain' }, 403, unable],
        [{ target: create, body, contentType: 'text/plain' }, 404, /^<UnknownOperationException\/>\s*$/],
    ];
    for (const [request, status, text] of rows) {
        const reply = await server.raw(request);
        assert.strictEqual(reply.status, status);
        assert.match(reply.text, text);
    }
});

test('a client that stops in the middle of a request harms nobody', async () => {
    const socket = net.connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    await new Promise((resolve) => socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\nX-Amz-Target: ' + create + '\r\n\r\n{"clusterName":', resolve));
    await sleep(100);                                       // the server has most likely begun to read; either way it must go on
    socket.destroy();
    assert.strictEqual((await server.call('ListClusters')).status, 200);
});

test('sts:GetCallerIdentity is answered, which clients call first', async () => {
    const identity = await server.aws('sts', 'get-caller-identity');
    assert.strictEqual(identity.Account, '123456789012');
    assert.strictEqual(identity.Arn, 'arn:aws:iam::123456789012:user/root');
});

test("the page's files are packed for clients that take gzip", async () => {
    const get = (accepted) => new Promise((resolve, reject) => {
        http.get(`${server.url}/app.js`, { agent: false, headers: { ...server.login(), ...(accepted && { 'accept-encoding': accepted }) } }, (response) => {
            const parts = [];
            response.on('data', (part) => parts.push(part));
            response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(parts) }));
        }).on('error', reject);
    });
    const plain = readFileSync(`${root}/web/app.js`), tags = new Set();
    const rows = [['gzip', true], ['gzip, deflate, br', true], ['br;q=1.0, GZIP;q=0.5', true], [undefined, false], ['', false], ['br', false], ['gzip;q=0', false], ['x-gzip', false]];
    for (const [accepted, packed] of rows) {
        const { headers, bytes } = await get(accepted);
        assert.strictEqual(headers['content-encoding'], packed ? 'gzip' : undefined, accepted);
        assert.strictEqual(headers.vary, 'Accept-Encoding');
        assert.deepStrictEqual(packed ? gunzipSync(bytes) : bytes, plain, accepted);
        tags.add(headers.etag);
    }
    assert.strictEqual(tags.size, 2, 'each form has a tag of its own');
});
