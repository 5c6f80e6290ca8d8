// A service of containers behind Debian's HAProxy, which `berth ingress` runs, under clients that ask on and on and never try again. A rolling update, blue/green,
// linear steps, a canary that is stopped, and an update in whose middle the server is killed lose no request.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Process, Server } from '../lib/lib.mjs';
import { elb, forward, freePort, load } from '../lib/load.mjs';
import { Stage, shell, sleep, waitFor } from './stage.mjs';

const lacks = !process.env.DOCKER_SOCKET ? 'no engine: run it by tests/docker/with_engine.sh' : existsSync('/usr/sbin/haproxy') ? undefined : 'no haproxy: apt-get install haproxy';
const skip = lacks ?? false;
if (skip) console.log(`!! SKIPPED: there is ${skip}`);
const SERVICE = 'web', VERSIONS = 6;
let stage, ingress, folder, port, rule;
const groups = {};

const balancer = (advanced) => [{ targetGroupArn: groups.blue, containerName: 'main', containerPort: 8080,
    ...(advanced && { advancedConfiguration: { alternateTargetGroupArn: groups.green, productionListenerRule: rule, roleArn: 'arn:aws:iam::123456789012:role/r' } }) }];
const deployed = () => waitFor('the end of the deployment', async () => {
    const { serviceDeployments: [newest] } = await stage.call('ListServiceDeployments', { service: SERVICE });
    return newest?.finishedAt && newest.status;
}, { seconds: 300 });

// `meanwhile` runs in the middle of it. `stays`: the answers go back to those of the version before.
async function updates(version, more, { end = 'SUCCESSFUL', stays = false, meanwhile = async () => {} } = {}) {
    const clients = load(port, '/');
    await stage.call('UpdateService', { service: SERVICE, taskDefinition: `web:${version}`, ...more });
    await meanwhile(clients);
    assert.strictEqual(await deployed(), end);
    const last = `v${stays ? version - 1 : version}\n`, seen = clients.texts[last] ?? 0;
    await waitFor('answers of the version that stays', () => clients.texts[last] > seen + 100);
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

const shifts = (deploymentConfiguration) => ({ loadBalancers: balancer(true), deploymentConfiguration });

test('a rolling update loses no request', { skip }, () => updates(2, {}));
test('blue/green loses no request', { skip }, () => updates(3, shifts({ strategy: 'BLUE_GREEN', bakeTimeInMinutes: 0 })));
test('linear steps lose no request', { skip }, () => updates(4, shifts({ strategy: 'LINEAR', bakeTimeInMinutes: 0, linearConfiguration: { stepPercent: 50, stepBakeTimeInMinutes: 0 } })));
test('an update in whose middle the server is killed loses no request', { skip }, () => updates(5, shifts({ strategy: 'BLUE_GREEN', bakeTimeInMinutes: 0 }), {
    meanwhile: async () => {
        const { data, port: own, agentPort, agents } = stage.server;
        await sleep(500);
        await stage.server.kill9();
        await sleep(1000);
        stage.server = Object.assign(await Server.start({ data, port: own, agentPort }), { agents });
    },
}));
test('a canary that is stopped goes back and loses no request', { skip }, () => updates(6,
    shifts({ strategy: 'CANARY', bakeTimeInMinutes: 0, canaryConfiguration: { canaryPercent: 20, canaryBakeTimeInMinutes: 10 } }), {
        end: 'ROLLBACK_SUCCESSFUL',
        stays: true,
        meanwhile: async (clients) => {
            await waitFor('answers of the canary', () => clients.texts['v6\n'] > 10, { seconds: 120 });
            const { serviceDeployments: [{ serviceDeploymentArn }] } = await stage.call('ListServiceDeployments', { service: SERVICE });
            await stage.call('StopServiceDeployment', { serviceDeploymentArn });
        },
    }));
