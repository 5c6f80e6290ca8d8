// Express services: an image in, a URL out, through Debian's HAProxy; a new version without a lost request; a deletion that leaves nothing. Then the errors
// that their operations declare. The SDK that is installed lacks the operations, so they are asked for without it.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { existsSync, mkdtempSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Process, Server, account, region, remove, waitFor } from '../lib/lib.mjs';
import { load } from '../lib/load.mjs';

const skip = existsSync('/usr/sbin/haproxy') ? false : 'there is no haproxy here: apt-get install haproxy';
const role = (name) => `arn:aws:iam::${account}:role/${name}`;
const arn = (name) => `arn:aws:ecs:${region}:${account}:service/default/${name}`;
const freePort = () => new Promise((resolve) => { const made = net.createServer().listen(0, '127.0.0.1', () => { const { port } = made.address(); made.close(() => resolve(port)); }); });
const infrastructureRoleArn = role('infra'), executionRoleArn = role('exec');

let server, folder, ingress, port;
async function send(operation, input) {
    const { status, json } = await server.call(operation, input);
    assert.strictEqual(status, 200, `${operation}: ${JSON.stringify(json)}`);
    return json;
}
const elb = async (action, members = {}) => (await server.raw({ service: 'elasticloadbalancing', contentType: 'application/x-www-form-urlencoded; charset=utf-8',
    body: new URLSearchParams({ Action: action, Version: '2015-12-01', ...members }).toString() })).text;
// A web server that answers with its version, and is healthy at /up-VERSION.
const container = (version, at) => ({ image: `shop:${version}`, containerPort: at, command: [process.execPath, '-e',
    `require('http').createServer((q, r) => { r.statusCode = ['/', '/up-${version}'].includes(q.url) ? 200 : 404; r.end('${version}'); }).listen(${at}, '127.0.0.1')`] });
const get = (host) => new Promise((resolve) => http.get({ host: '127.0.0.1', port, path: '/', headers: { host }, agent: false }, (response) => {
    let text = '';
    response.on('data', (data) => { text += data; });
    response.on('end', () => resolve(`${response.statusCode} ${text}`));
}).on('error', (error) => resolve(error.code)));

before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-express-'));
    port = await freePort();
    server = await Server.start({ args: ['--express-domain', `apps.test:${port}`] });
    await send('CreateCluster', {});
});
after(async () => {
    await ingress?.signal('SIGTERM');
    await server.stop();
    remove(folder);
});

test('an image in, a URL out; a new version; nothing is left', { skip }, async () => {
    await server.agent(['--runtime', 'process', '--address', '127.0.0.1']);
    ingress = new Process(['ingress', '--server', server.url, '--data', folder, '--name', 'edge', '--access-log', 'off'], { ...server.environment(), PATH: `/usr/sbin:${process.env.PATH}` });
    const { service } = await send('CreateExpressGatewayService', { serviceName: 'shop', infrastructureRoleArn, executionRoleArn, healthCheckPath: '/up-one',
        primaryContainer: container('one', await freePort()), memory: '128', scalingTarget: { minTaskCount: 1, maxTaskCount: 3 } });
    const url = new URL(service.activeConfigurations[0].ingressPaths[0].endpoint);
    assert.match(url.host, new RegExp(`^shop-[0-9a-f]{8}\\.apps\\.test:${port}$`));
    await waitFor('an answer at the URL', async () => (await get(url.host)) === '200 one');
    assert.strictEqual(await get('other.apps.test'), '404 There is no service of this name.\n');

    // A newer listener takes no port away, also if its name comes first.
    const [, balancer] = /<LoadBalancerArn>([^<]*)/.exec(await elb('CreateLoadBalancer', { Name: 'a-newer-one', 'Subnets.member.1': 'subnet-1' }));
    const listener = await elb('CreateListener', { LoadBalancerArn: balancer, Protocol: 'HTTP', Port: port, 'DefaultActions.member.1.Type': 'fixed-response',
        'DefaultActions.member.1.FixedResponseConfig.StatusCode': '503' });
    assert.match(listener, /<ListenerArn>/);
    await waitFor('the newer listener to be left out', () => /the listener of a-newer-one at port \d+ \(HTTP\) is left out: another listener has its port/.test(ingress.output));
    assert.strictEqual(await get(url.host), '200 one');
    await elb('DeleteLoadBalancer', { LoadBalancerArn: balancer });

    // The pauses of a canary are minutes: a service can do without them.
    await send('UpdateService', { service: 'shop', deploymentConfiguration: { bakeTimeInMinutes: 0, canaryConfiguration: { canaryPercent: 50, canaryBakeTimeInMinutes: 0 } } });
    const seen = load(port, '/', { clients: 2, headers: { host: url.host } });
    await send('UpdateExpressGatewayService', { serviceArn: arn('shop'), healthCheckPath: '/up-two', primaryContainer: container('two', await freePort()) });
    const configurations = async () => (await send('DescribeExpressGatewayService', { serviceArn: arn('shop') })).service.activeConfigurations.map(
        ({ healthCheckPath, primaryContainer: { image } }) => `${image} ${healthCheckPath}`);
    await waitFor('the new version alone', async () => (await configurations()).join() === 'shop:two /up-two');
    assert.strictEqual(await get(url.host), '200 two');
    const { lost, texts } = await seen.stop();
    assert.deepStrictEqual(lost, []);
    assert.deepStrictEqual(Object.keys(texts).sort(), ['one', 'two']);

    assert.strictEqual((await send('DeleteExpressGatewayService', { serviceArn: arn('shop') })).service.status.statusCode, 'DRAINING');
    await waitFor('the end', async () => (await send('DescribeExpressGatewayService', { serviceArn: arn('shop') })).service.status.statusCode === 'INACTIVE');
    assert.doesNotMatch(await elb('DescribeLoadBalancers') + await elb('DescribeTargetGroups'), /Arn>/);
    await waitFor('the port to close', async () => (await get(url.host)) === 'ECONNREFUSED');
    await ingress.signal('SIGTERM');
});

test('domains that no host name can have, and a port of none', async () => {
    for (const [domain, good] of [[`${'a'.repeat(96)}:1`, true], [`${'a'.repeat(97)}:1`, false], ['Apps.test:1', false], ['a_b:1', false], ['apps.test:0', false]]) {
        const other = await Server.start({ args: ['--express-domain', domain] }).catch((error) => error.message);
        if (good) await other.stop(); else assert.ok(other.includes(`express-domain can't be ${domain}: it should be a host name in small letters and a port of 1 or more.`), other);
    }
});

test('errors', async () => {
    const image = { infrastructureRoleArn, executionRoleArn, primaryContainer: { image: 'shop:1' }, scalingTarget: { minTaskCount: 0, maxTaskCount: 0 } };
    await send('RegisterTaskDefinition', { family: 'disk', containerDefinitions: [{ name: 'Main', image: 'x', memory: 16, portMappings: [{ containerPort: 80, name: 'web' }] }],
        volumes: [{ name: 'v', configuredAtLaunch: true }] });
    await send('CreateExpressGatewayService', { ...image, serviceName: 'kept' });
    await send('CreateExpressGatewayService', { ...image, serviceName: 'gone' });
    await send('DeleteExpressGatewayService', { serviceArn: arn('gone') });
    const nowhere = `arn:aws:ecs:${region}:${account}:service/nope/shop`;
    const rows = [
        ['Create', { ...image, cluster: 'nope' }, 'ClusterNotFoundException'],
        ['Create', { ...image, taskDefinitionArn: 'disk' }, 'InvalidParameterException'],
        ['Create', { infrastructureRoleArn, taskDefinitionArn: 'nope' }, 'ClientException'],
        ['Create', { infrastructureRoleArn, taskDefinitionArn: 'disk' }, 'UnsupportedFeatureException'],
        ['Update', { serviceArn: nowhere }, 'ClusterNotFoundException'],
        ['Update', { serviceArn: arn('nope') }, 'ServiceNotFoundException'],
        ['Update', { serviceArn: arn('gone') }, 'ServiceNotActiveException'],
        ['Update', { serviceArn: arn('kept'), healthCheckPath: 'x' }, 'InvalidParameterException'],
        ['Update', { serviceArn: arn('kept'), taskDefinitionArn: 'nope' }, 'ClientException'],
        ['Update', { serviceArn: arn('kept'), taskDefinitionArn: 'disk' }, 'UnsupportedFeatureException'],
        ['Delete', { serviceArn: nowhere }, 'ClusterNotFoundException'],
        ['Delete', { serviceArn: arn('nope') }, 'ServiceNotFoundException'],
        ['Delete', { serviceArn: arn('gone') }, 'ServiceNotActiveException'],
        ['Delete', { serviceArn: 'kept' }, 'InvalidParameterException'],
        ['Describe', { serviceArn: nowhere }, 'ClusterNotFoundException'],
        ['Describe', { serviceArn: arn('nope') }, 'ResourceNotFoundException'],
        ['Describe', { serviceArn: 'kept' }, 'InvalidParameterException'],
    ];
    for (const [verb, input, type] of rows) {
        const { json } = await server.call(`${verb}ExpressGatewayService`, input);
        assert.strictEqual(json.__type, type, `${verb} ${JSON.stringify(input)}: ${JSON.stringify(json)}`);
    }
    assert.strictEqual((await send('DescribeExpressGatewayService', { serviceArn: arn('kept') })).service.activeConfigurations.length, 1);
});
