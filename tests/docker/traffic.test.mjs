// A service of containers behind Debian's HAProxy, which `berth ingress` runs, under clients that ask on and on and never try again: a rolling update and blue/green
// lose no request.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Process } from '../lib/lib.mjs';
import { elb, forward, freePort, load } from '../lib/load.mjs';
import { Stage, shell, waitFor } from './stage.mjs';

const lacks = !process.env.DOCKER_SOCKET ? 'no engine: run it by tests/docker/with_engine.sh' : existsSync('/usr/sbin/haproxy') ? undefined : 'no haproxy: apt-get install haproxy';
const skip = lacks ?? false;
if (skip) console.log(`!! SKIPPED: there is ${skip}`);
const SERVICE = 'web', VERSIONS = 3;
let stage, ingress, folder, port, rule;
const groups = {};

const balancer = (advanced) => [{ targetGroupArn: groups.blue, containerName: 'main', containerPort: 8080,
    ...(advanced && { advancedConfiguration: { alternateTargetGroupArn: groups.green, productionListenerRule: rule, roleArn: 'arn:aws:iam::123456789012:role/r' } }) }];
const deployed = () => waitFor('the end of the deployment', async () => {
    const { serviceDeployments: [newest] } = await stage.call('ListServiceDeployments', { service: SERVICE });
    return newest?.finishedAt && newest.status;
}, { seconds: 300 });

async function updates(version, more) {
    const clients = load(port, '/');
    await stage.call('UpdateService', { service: SERVICE, taskDefinition: `web:${version}`, ...more });
    assert.strictEqual(await deployed(), 'SUCCESSFUL');
    await waitFor('the new version', () => clients.texts[`v${version}\n`] > 0);
    const { lost, texts } = await clients.stop();
    assert.deepStrictEqual(lost, [], `of ${JSON.stringify(texts)}`);
    assert.deepStrictEqual(Object.keys(texts), [`v${version - 1}\n`, `v${version}\n`]);
}

before(async () => {
    if (skip) return;
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-traffic-'));
    stage = await Stage.open({ args: ['--dynamic-ports', '50400-50599', '--address', '127.0.0.1'] });
    for (let version = 1; version <= VERSIONS; version++) {
        await stage.define('web', [shell('main', `mkdir /www; echo v${version} >/www/index.html; exec busybox httpd -f -p 8080 -h /www`, { portMappings: [{ containerPort: 8080 }] })]);
    }
    for (const name of ['blue', 'green']) {
        groups[name] = (await elb(stage.server, 'CreateTargetGroup', { Name: name, Protocol: 'HTTP', Port: 80, TargetType: 'ip', HealthCheckIntervalSeconds: 5, HealthCheckTimeoutSeconds: 2 }))('TargetGroupArn');
    }
    const front = (await elb(stage.server, 'CreateLoadBalancer', { Name: 'front', 'Subnets.member.1': 'local' }))('LoadBalancerArn');
    const listener = (await elb(stage.server, 'CreateListener', { LoadBalancerArn: front, Protocol: 'HTTP', Port: 80, ...forward('DefaultActions', groups.blue) }))('ListenerArn');
    rule = (await elb(stage.server, 'DescribeRules', { ListenerArn: listener }))('RuleArn');
    port = await freePort();
    ingress = new Process(['ingress', '--server', stage.server.url, '--data', path.join(folder, 'ingress'), '--map-ports', `80=${port}`, '--access-log', 'off'], stage.server.environment());
    await stage.call('CreateService', { serviceName: SERVICE, taskDefinition: 'web:1', desiredCount: 2, loadBalancers: balancer() });
    assert.strictEqual(await deployed(), 'SUCCESSFUL');
});
after(async () => {
    if (skip) return;
    await ingress.signal('SIGTERM');
    await stage.close();
    rmSync(folder, { recursive: true, force: true });
});

test('a rolling update loses no request', { skip }, () => updates(2, {}));
test('blue/green loses no request', { skip }, () => updates(3, { loadBalancers: balancer(true), deploymentConfiguration: { strategy: 'BLUE_GREEN', bakeTimeInMinutes: 0 } }));
