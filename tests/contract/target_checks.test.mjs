// Health checks of targets: a real HTTP server in a task, which its machine's agent checks; an address outside, which the server checks; and the targets of a
// simulated machine. All of it goes on at once, because ELB's shortest interval is five seconds.
import { describe, test, before, after } from 'node:test';
import assert from 'node:assert';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Server, waitFor } from '../lib/lib.mjs';

let server, folder, outside, outsideCode = 200;
const elb = (action, input) => server.raw({ service: 'elasticloadbalancing', contentType: 'application/x-www-form-urlencoded; charset=utf-8',
    body: new URLSearchParams({ Action: action, Version: '2015-12-01', ...input }).toString() });
const listening = (made) => new Promise((resolve) => made.listen(0, '127.0.0.1', () => resolve(made.address().port)));
const code = (status) => writeFileSync(path.join(folder, 'code'), String(status));

before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-checks-'));
    server = await Server.start();
    await server.call('CreateCluster', { clusterName: 'default' });
    outside = http.createServer((request, response) => { response.statusCode = outsideCode; response.end(); });
});
after(async () => {
    outside.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
});

async function group(name) {
    const { text } = await elb('CreateTargetGroup', { Name: name, Protocol: 'HTTP', Port: 80, VpcId: 'vpc-1', TargetType: 'ip', HealthCheckIntervalSeconds: 5,
        HealthCheckTimeoutSeconds: 2, HealthyThresholdCount: 2, UnhealthyThresholdCount: 2, HealthCheckPath: '/up' });
    return /<TargetGroupArn>(.*?)<\/TargetGroupArn>/.exec(text)[1];
}
// "unhealthy Target.Timeout Request timed out" of the one target; empty: there is none yet.
async function health(arn) {
    const { text } = await elb('DescribeTargetHealth', { TargetGroupArn: arn });
    return ['State', 'Reason', 'Description'].map((member) => new RegExp(`<${member}>(.*?)</${member}>`).exec(text)?.[1]).filter(Boolean).join(' ');
}
const healthIs = (arn, wanted) => waitFor(`a target that is ${wanted}`, async () => (await health(arn)) === wanted);

async function service(name, arn, port, more) {
    const { status, json } = await server.call('CreateService', { serviceName: name, taskDefinition: name, desiredCount: 1, healthCheckGracePeriodSeconds: 3600,
        loadBalancers: [{ targetGroupArn: arn, containerName: 'main', containerPort: port }], ...more });
    assert.strictEqual(status, 200, JSON.stringify(json));
}

describe('targets', { concurrency: true }, () => {
    test('targets that answer 200, then 503, then 200 again', async () => {
        const probe = net.createServer(), port = await listening(probe), outsidePort = await listening(outside);
        await new Promise((resolve) => probe.close(resolve));
        code(200);
        await server.agent(['--runtime', 'process', '--address', '127.0.0.1']);
        const script = `require('http').createServer((q, r) => { r.statusCode = q.url === '/up' ? +require('fs').readFileSync('${folder}/code') : 404; r.end(); }).listen(${port}, '127.0.0.1')`;
        await server.call('RegisterTaskDefinition', { family: 'web', networkMode: 'host', containerDefinitions: [{ name: 'main', image: 'x', memory: 64,
            command: [process.execPath, '-e', script], portMappings: [{ containerPort: port }] }] });
        const real = await group('real'), outsiders = await group('outsiders');
        await service('web', real, port);
        await elb('RegisterTargets', { TargetGroupArn: outsiders, 'Targets.member.1.Id': '127.0.0.1', 'Targets.member.1.Port': outsidePort });
        for (const arn of [real, outsiders]) await healthIs(arn, 'healthy');
        await waitFor('the deployment', async () => (await server.call('DescribeServices', { services: ['web'] })).json.services[0].deployments[0].rolloutState === 'COMPLETED');

        code(503);
        outsideCode = 502;
        await healthIs(real, 'unhealthy Target.ResponseCodeMismatch Health checks failed with these codes: [503]');
        await healthIs(outsiders, 'unhealthy Target.ResponseCodeMismatch Health checks failed with these codes: [502]');

        code(200);
        outsideCode = 200;
        for (const arn of [real, outsiders]) await healthIs(arn, 'healthy');
    });

    test('targets of a simulated machine are healthy, until --fake-faults says otherwise', async () => {
        await server.call('CreateCluster', { clusterName: 'fake' });
        await server.agent(['--cluster', 'fake', '--fake', 'c5.large', '--instance-attributes', '{"berth.address":"10.9.9.9"}', '--fake-faults', 'c5.large-1/targets=timeout@4s+2s']);
        await server.call('RegisterTaskDefinition', { family: 'pretend', networkMode: 'host', containerDefinitions: [{ name: 'main', image: 'x', memory: 64, portMappings: [{ containerPort: 81 }] }] });
        const arn = await group('pretend');
        await service('pretend', arn, 81, { cluster: 'fake' });
        await healthIs(arn, 'healthy');
        await healthIs(arn, 'unhealthy Target.Timeout Request timed out');
        await healthIs(arn, 'healthy');
    });
});
