// The ECS agent itself against this server, on a real engine: BERTH_ECS_AGENT=/path/to/amazon-ecs-agent names its program; without it nothing
// of this is tried. What the server makes of each message is tried by tests/contract/ecs_agent.test.mjs, with a client instead of the agent.
import assert from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, renameSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { account, program, region, remove } from '../lib/lib.mjs';
import { freePort } from '../lib/load.mjs';
import { byName, docker, inspect, shell, waitFor } from './stage.mjs';
import { AgentStage, Metadata, SharedStage, skip } from './ecs_agent.mjs';

const role = (name) => `arn:aws:iam::${account}:role/${name}`;
const idOf = (arn) => arn.split('/').pop();
const environment = (container) => Object.fromEntries(inspect(container.runtimeId).Config.Env.map((line) => line.split(/=(.*)/s)));
const printed = (container) => docker('logs', container.runtimeId);
const inside = (container, words) => docker('exec', container.runtimeId, 'sh', '-c', words);
const keysOf = (container) => JSON.parse(inside(container, 'wget -qO- http://169.254.170.2$AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'));
const prints = (container, pattern) => waitFor(`${pattern} from ${container.name}`, () => { const text = printed(container); return pattern.test(text) && text; });
const forever = 'trap "exit 7" TERM; sleep 1000 & wait';
const logs = { logDriver: 'awslogs', options: { 'awslogs-group': '/ecs/real', 'awslogs-region': 'eu-north-1', 'awslogs-stream-prefix': 'p' } };

describe('outside of EC2', { skip }, () => {
    let stage;
    const files = http.createServer((request, response) => {                       // S3, as far as the agent asks
        const word = { '/settings': '', '/settings/web.env': 'FROM_FILE=yes\n' }[request.url.split('?')[0]];
        const head = { 'x-amz-bucket-region': region, 'content-length': Buffer.byteLength(word ?? ''), etag: '"1"', 'last-modified': new Date(0).toUTCString() };
        response.writeHead(word === undefined ? 404 : 200, head);
        response.end(request.method === 'HEAD' ? undefined : word);
    });
    before(async () => {
        await new Promise((resolve) => files.listen(0, '127.0.0.1', resolve));
        const s3 = `http://127.0.0.1:${files.address().port}`;
        stage = await AgentStage.open({ environment: { AWS_ENDPOINT_URL_S3: s3, ECS_CONTAINER_INSTANCE_TAGS: '{"of":"machine"}' } });
    });
    after(async () => {
        files.closeAllConnections();
        files.close();
        await stage.close();
    });

    test('it registers once, opens both of its connections, and knows who it is', async () => {
        const { Cluster, ContainerInstanceArn, Version } = await stage.agent.ask('/v1/metadata'), machine = await stage.machine();
        assert.deepStrictEqual([Cluster, ContainerInstanceArn], ['default', machine.containerInstanceArn]);
        assert.match(Version, /^Amazon ECS Agent - v/);
        const { attributes, registeredResources } = machine, has = (name) => attributes.find((one) => one.name === name);
        assert.ok(has('ecs.capability.external') && has('ecs.os-type').value === 'linux' && registeredResources.every((one) => one.name !== 'GPU'));
        const { versionInfo } = await waitFor('its version', async () => { const shown = await stage.machine(); return shown.versionInfo && shown; });
        assert.ok(Version.includes(`v${versionInfo.agentVersion} `) && versionInfo.dockerVersion.endsWith(docker('version', '--format', '{{.Server.Version}}')), JSON.stringify(versionInfo));
        await waitFor('both connections', async () => /^berth_agent_connections 2$/m.test(await stage.metrics()));
    });

    describe('tasks', { concurrency: 8 }, () => {
        test('one that is stopped: its ports, its states, its exit code', async () => {
            const portMappings = [{ containerPort: 80 }, { containerPort: 81, hostPort: 18181, protocol: 'udp' }];
            const arn = await stage.run('stopped', [shell('main', `(while true; do echo served | nc -l -p 80; done) & ${forever}`, { portMappings })]);
            const { networkBindings, runtimeId } = (await stage.becomes(arn, 'RUNNING')).containers[0];
            const [dynamic, fixed] = networkBindings.toSorted((a, b) => a.containerPort - b.containerPort);
            assert.deepStrictEqual(fixed, { bindIP: '0.0.0.0', containerPort: 81, hostPort: 18181, protocol: 'udp' });
            assert.ok(dynamic.hostPort >= 32768 && dynamic.containerPort === 80);
            await waitFor('a word from its port', () => new Promise((resolve) => {
                const socket = net.connect({ host: '127.0.0.1', port: dynamic.hostPort }, () => socket.end());
                let text = '';
                socket.on('data', (data) => { text += data; }).on('close', () => resolve(text.includes('served'))).on('error', () => {});
            }));
            assert.match(inspect(runtimeId).Name, /^\/ecs-stopped-1-main-/);
            const ended = await stage.stop(arn);
            assert.deepStrictEqual([ended.stopCode, ended.stoppedReason, ended.containers[0].exitCode], ['UserInitiated', 'Task stopped by user', 7]);
            assert.ok(ended.startedAt <= ended.stoppingAt && ended.stoppingAt <= ended.stoppedAt);
        });

        test('one whose containers wait for each other, and whose last word decides', async () => {
            const health = { command: ['CMD-SHELL', 'test -e /tmp/ready'], interval: 5, timeout: 5, retries: 10 };
            const arn = await stage.run('ordered', [
                shell('init', 'sleep 1; exit 0', { essential: false }),
                shell('db', `sleep 1; echo >/tmp/ready; ${forever}`, { healthCheck: health, dependsOn: [{ containerName: 'init', condition: 'SUCCESS' }], essential: false }),
                shell('main', 'exit 3', { dependsOn: [{ containerName: 'db', condition: 'HEALTHY' }], links: ['db'] }),
            ]);
            const ended = await stage.becomes(arn, 'STOPPED');
            assert.deepStrictEqual([ended.stopCode, ended.stoppedReason, byName(ended, 'exitCode')], ['EssentialContainerExited', 'Essential container in task exited', { init: 0, db: 7, main: 3 }]);
        });

        test('a condition that can never come true', async () => {
            const arn = await stage.run('hopeless', [shell('init', 'exit 5', { essential: false }), shell('main', 'sleep 600', { dependsOn: [{ containerName: 'init', condition: 'SUCCESS' }] })]);
            const ended = await stage.becomes(arn, 'STOPPED');
            assert.match(byName(ended, 'reason').main, /^CannotStartContainerError: dependency graph/);
            assert.strictEqual(byName(ended, 'exitCode').init, 5);
        });

        test('containers that can not start, or had no memory: the agent\'s own words', async () => {
            const rows = [
                [{ ...shell('main', ''), command: ['/no/such'] }, 'TaskFailedToStart', /^CannotStartContainerError: .*no such file/, undefined],
                [shell('main', 'head -c 90000000 /dev/zero | tail -c 80000000'), 'EssentialContainerExited', /^OutOfMemoryError: Container killed due to memory usage/, 137],
            ];
            for (const [index, [container, stopCode, reason, exitCode]] of rows.entries()) {
                const ended = await stage.becomes(await stage.run(`fails-${index}`, [container]), 'STOPPED'), [main] = ended.containers;
                assert.deepStrictEqual([ended.stopCode, main.exitCode, reason.test(main.reason)], [stopCode, exitCode, true], main.reason);
            }
        });

        test('overrides, volumes, and the settings that only Docker has', async () => {
            const volumes = [{ name: 'scratch' }, { name: 'kept', dockerVolumeConfiguration: { scope: 'shared', autoprovision: true, driver: 'local' } }];
            const arn = await stage.run('settings', [
                shell('main', 'echo "$WORD" >/scratch/word; ls -d /kept; cat /proc/sys/net/core/somaxconn; busybox hostname; sleep 600', {
                    mountPoints: [{ sourceVolume: 'scratch', containerPath: '/scratch' }, { sourceVolume: 'kept', containerPath: '/kept' }],
                    systemControls: [{ namespace: 'net.core.somaxconn', value: '77' }], hostname: 'worker-7', linuxParameters: { initProcessEnabled: true }, user: '0',
                    ulimits: [{ name: 'nofile', softLimit: 99, hardLimit: 99 }],
                }),
                shell('side', 'until cat /seen/word; do sleep 0.1; done; exit 0', { essential: false, mountPoints: [{ sourceVolume: 'scratch', containerPath: '/seen', readOnly: true }] }),
            ], { task: { volumes }, overrides: { containerOverrides: [{ name: 'main', environment: [{ name: 'WORD', value: 'over' }], memory: 48, cpu: 64 }] } });
            const task = await stage.becomes(arn, 'RUNNING'), { main, side } = byName(task), engine = inspect(main.runtimeId);
            assert.strictEqual(await prints(main, /worker-7/), '/kept\n77\nworker-7');
            assert.match(await prints(side, /over/), /over$/);
            assert.deepStrictEqual([engine.HostConfig.Memory, engine.HostConfig.CpuShares, engine.HostConfig.Init, engine.HostConfig.Ulimits[0].Soft], [48 * 1024 * 1024, 64, true, 99]);
            await waitFor('the end of the container beside it', async () => byName(await stage.describe(arn), 'exitCode').side === 0);
            assert.strictEqual((await stage.describe(arn)).lastStatus, 'RUNNING');
            await stage.stop(arn);
        });

        test('host networking, whose ports Docker does not tell', async () => {
            const arn = await stage.run('on-host', [shell('main', forever, { portMappings: [{ containerPort: 18191 }] })], { task: { networkMode: 'host' } });
            const { containers: [{ networkBindings, runtimeId }] } = await stage.becomes(arn, 'RUNNING');
            assert.deepStrictEqual([networkBindings, inspect(runtimeId).HostConfig.NetworkMode], [[{ bindIP: '0.0.0.0', containerPort: 18191, hostPort: 18191, protocol: 'tcp' }], 'host']);
            await stage.stop(arn);
        });

        test('a container that is started again', async () => {
            const arn = await stage.run('again', [shell('main', 'echo once; sleep 61; exit 1', { restartPolicy: { enabled: true, restartAttemptPeriod: 60 } })]);
            const { containers: [main] } = await stage.becomes(arn, 'RUNNING');
            assert.deepStrictEqual((await prints(main, /once/)).split('\n'), ['once']);
            await prints(main, /once\nonce/);
            assert.strictEqual((await stage.describe(arn)).lastStatus, 'RUNNING');
            await stage.stop(arn);
        });

        test('keys of its role, by the address that SDKs insist on, and its metadata', async () => {
            const arn = await stage.run('keys', [shell('main', forever)], { task: { taskRoleArn: role('app') }, tags: [{ key: 'of', value: 'task' }] });
            const [main] = (await stage.becomes(arn, 'RUNNING')).containers;
            const keys = keysOf(main);
            assert.strictEqual(keys.RoleArn, role('app'));
            const who = await stage.server.awsAs({ AWS_ACCESS_KEY_ID: keys.AccessKeyId, AWS_SECRET_ACCESS_KEY: keys.SecretAccessKey, AWS_SESSION_TOKEN: keys.Token }, 'sts', 'get-caller-identity');
            assert.strictEqual(who.Arn, `arn:aws:sts::${account}:assumed-role/app/${idOf(arn)}`);
            const metadata = JSON.parse(inside(main, 'wget -qO- $ECS_CONTAINER_METADATA_URI_V4/task'));
            assert.deepStrictEqual([metadata.TaskARN, metadata.Family, metadata.KnownStatus, metadata.LaunchType], [arn, 'keys', 'RUNNING', 'EC2']);
            const tagged = JSON.parse(inside(main, 'wget -qO- $ECS_CONTAINER_METADATA_URI_V4/taskWithTags'));
            assert.deepStrictEqual([tagged.TaskTags, tagged.ContainerInstanceTags], [{ of: 'task' }, { of: 'machine' }]);
            const protection = environment(main).ECS_AGENT_URI.replace('169.254.170.2', '127.0.0.1:51679');
            const { failure } = await (await fetch(`${protection}/task-protection/v1/state`, { method: 'PUT', body: '{"ProtectionEnabled":true}' })).json();
            assert.strictEqual(failure.Reason, 'TASK_NOT_VALID', 'only tasks of services can be protected');
            await stage.stop(arn);
        });

        test('Docker\'s awslogs driver writes here, with the keys of the execution role', async () => {
            const arn = await stage.run('logged', [shell('main', 'echo first; echo second; sleep 600', { logConfiguration: logs })], { task: { executionRoleArn: role('exec') } });
            const [main] = (await stage.becomes(arn, 'RUNNING')).containers;
            assert.deepStrictEqual([await stage.prints(arn, 'main', /second/), inspect(main.runtimeId).HostConfig.LogConfig.Type], ['first\nsecond\n', 'awslogs']);
            const { events } = await stage.server.aws('logs', 'get-log-events', '--log-group-name', '/ecs/real', '--log-stream-name', `p/main/${idOf(arn)}`);
            assert.deepStrictEqual(events.map((one) => one.message), ['first', 'second']);
            await stage.stop(arn);
        });

        test('the same without a role stays with Docker', async () => {
            const arn = await stage.run('unlogged', [shell('main', 'echo here; sleep 600', { logConfiguration: logs })]);
            const [main] = (await stage.becomes(arn, 'RUNNING')).containers;
            assert.strictEqual(await prints(main, /here/), 'here');
            await stage.stop(arn);
        });

        test('values of secrets, and of a file in a store', async () => {
            await stage.server.aws('secretsmanager', 'create-secret', '--name', 'prod/db', '--secret-string', JSON.stringify({ user: 'app', password: 's3cret' }));
            await stage.server.aws('ssm', 'put-parameter', '--name', '/prod/token', '--type', 'SecureString', '--value', 't0ken');
            await stage.server.aws('ssm', 'put-parameter', '--name', 'plain', '--type', 'String', '--value', 'word');
            const secret = `arn:aws:secretsmanager:${region}:${account}:secret:prod/db`;
            const arn = await stage.run('secrets', [shell('main', forever, { secrets: [
                { name: 'PASSWORD', valueFrom: `${secret}:password::` }, { name: 'TOKEN', valueFrom: '/prod/token' }, { name: 'WORD', valueFrom: `arn:aws:ssm:${region}:${account}:parameter/plain` },
            ], environmentFiles: [{ type: 's3', value: 'arn:aws:s3:::settings/web.env' }] })], { task: { executionRoleArn: role('exec') } });
            const { PASSWORD, TOKEN, WORD, FROM_FILE } = environment((await stage.becomes(arn, 'RUNNING')).containers[0]);
            assert.deepStrictEqual([PASSWORD, TOKEN, WORD, FROM_FILE], ['s3cret', 't0ken', 'word', 'yes']);
            await stage.stop(arn);
        });

        test('a secret that is not there', async () => {
            const bad = await stage.run('no-secret', [shell('main', 'true', { secrets: [{ name: 'A', valueFrom: '/nowhere' }] })], { task: { executionRoleArn: role('exec') } });
            const { stopCode, stoppedReason } = await stage.becomes(bad, 'STOPPED');
            assert.deepStrictEqual([stopCode, /^Fetching secret data from SSM Parameter Store in .*: invalid parameters: \/nowhere/.test(stoppedReason)], ['TaskFailedToStart', true], stoppedReason);
        });

        test('what its containers use and how they are, and how its Docker is', async () => {
            const holds = '(head -c 9000000 /dev/zero; sleep 1000) | tail -c 8388608 &';
            const healthCheck = { command: ['CMD-SHELL', 'test -e /tmp/well'], interval: 5, timeout: 5, retries: 1 };
            const arn = await stage.run('watched', [shell('main', `echo >/tmp/well; ${holds} ${forever}`, { healthCheck })]);
            const [main] = (await stage.becomes(arn, 'RUNNING')).containers, health = () => stage.describe(arn).then((task) => task.healthStatus);
            await waitFor('it to be well', async () => await health() === 'HEALTHY');
            await waitFor('its figures', async () => new RegExp(`^berth_container_memory_bytes\\{.*task="${idOf(arn)}",container="main"\\} [1-9]\\d{6}`, 'm').test(await stage.metrics()));
            inside(main, 'busybox rm /tmp/well');
            await waitFor('it to be unwell', async () => await health() === 'UNHEALTHY');
            const shown = () => stage.machine('CONTAINER_INSTANCE_HEALTH');
            const { healthStatus } = await waitFor('its Docker to be well', async () => { const machine = await shown(); return machine.healthStatus.details[1]?.status === 'OK' && machine; });
            assert.deepStrictEqual([healthStatus.overallStatus, healthStatus.details.map((one) => one.type)], ['OK', ['AGENT_CONNECTIVITY', 'CONTAINER_RUNTIME']]);
            await stage.stop(arn);
        });
    });

    const untilTold = 'until test -e /tmp/end; do sleep 0.1; done; exit 9';
    test('the server is killed and comes back: the same machine, its tasks, and what ended meanwhile', async () => {
        const runs = await stage.run('runs-on', [shell('main', forever)]), ends = await stage.run('ends', [shell('main', untilTold)]);
        const [main] = (await stage.becomes(runs, 'RUNNING')).containers, [ending] = (await stage.becomes(ends, 'RUNNING')).containers;
        const before = await stage.machine();
        await stage.killServer();
        inside(ending, 'echo >/tmp/end');
        await waitFor('its end', () => inspect(ending.runtimeId).State.Status === 'exited');
        await stage.startServer();
        await stage.connected();
        assert.strictEqual((await stage.becomes(ends, 'STOPPED')).containers[0].exitCode, 9);
        const now = await stage.machine();
        assert.deepStrictEqual([now.containerInstanceArn, now.registeredAt], [before.containerInstanceArn, before.registeredAt]);
        assert.ok(!/operation="RegisterContainerInstance"/.test(await stage.metrics()), 'it does not register again');
        assert.strictEqual(inspect(main.runtimeId).State.Running, true);
        await stage.becomes(await stage.run('after', [shell('main', 'exit 0')]), 'STOPPED');
        assert.strictEqual((await stage.stop(runs)).containers[0].exitCode, 7);
    });

    test('a server with an older store: what that does not know is stopped, the rest runs on', async () => {
        const known = await stage.run('known', [shell('main', forever)]), [main] = (await stage.becomes(known, 'RUNNING')).containers;
        const copy = `${stage.server.data}.old`, { data } = stage.server;
        await stage.server.process.signal('SIGTERM');
        cpSync(data, copy, { recursive: true });
        await stage.startServer();
        await stage.connected();
        const [lost] = (await stage.becomes(await stage.run('lost', [shell('main', forever)]), 'RUNNING')).containers;
        await stage.killServer();
        remove(data);
        renameSync(copy, data);
        await stage.startServer();
        await waitFor('the end of what nobody knows', () => !inspect(lost.runtimeId).State.Running);
        await stage.connected();
        assert.strictEqual(inspect(main.runtimeId).State.Running, true);
        await stage.stop(known);
    });

    test('the agent goes and comes back: the same machine, containers that ran on, and their keys', async () => {
        const runs = await stage.run('outlives', [shell('main', forever)], { task: { taskRoleArn: role('app') } }), ends = await stage.run('ends', [shell('main', untilTold)]);
        const [main] = (await stage.becomes(runs, 'RUNNING')).containers, [ending] = (await stage.becomes(ends, 'RUNNING')).containers;
        const before = await stage.machine();
        await stage.agent.stop();
        await waitFor('its absence', async () => !(await stage.machine()).agentConnected);
        inside(ending, 'echo >/tmp/end');
        await stage.agent.start();
        await stage.connected();
        assert.strictEqual((await stage.becomes(ends, 'STOPPED')).containers[0].exitCode, 9);
        assert.strictEqual((await stage.machine()).containerInstanceArn, before.containerInstanceArn);
        assert.strictEqual(inspect(main.runtimeId).State.Running, true);
        assert.strictEqual((await waitFor('keys', () => { try { return keysOf(main); } catch { return false; } })).RoleArn, role('app'));
        assert.strictEqual((await stage.stop(runs)).containers[0].exitCode, 7);
    });

    test('a machine that is deregistered: the agent learns it, and waits', async () => {
        await stage.call('DeregisterContainerInstance', { containerInstance: (await stage.machine()).containerInstanceArn, force: true });
        await waitFor('its word', () => /InactiveInstanceException/.test(stage.agent.output));
    });
});

const gpus = ['GPU-5a0e4c1e-1111-2222-3333-444455556666', 'GPU-9b7d0f3a-1111-2222-3333-444455556666'];
const want = (value) => ({ resourceRequirements: [{ type: 'GPU', value }] });

describe('in EC2, with two GPUs that nobody has', { skip }, () => {
    let stage, metadata;
    before(async () => {
        metadata = await Metadata.start();
        stage = await AgentStage.open({ metadata, gpus, environment: { ECS_ENABLE_SPOT_INSTANCE_DRAINING: 'true' } });
    });
    after(async () => {
        await stage.close();
        await metadata.close();
    });
    const visible = async (arn) => Object.fromEntries((await stage.becomes(arn, 'RUNNING')).containers.map((one) => [one.name, environment(one).NVIDIA_VISIBLE_DEVICES]));

    test('the machine has what its metadata and its file of GPUs say', async () => {
        const machine = await stage.machine(), value = (name) => machine.attributes.find((one) => one.name === name)?.value;
        assert.deepStrictEqual(machine.registeredResources.find((one) => one.name === 'GPU').stringSetValue, gpus);
        assert.deepStrictEqual([machine.ec2InstanceId, value('ecs.instance-type'), value('ecs.availability-zone'), value('ecs.capability.gpu-driver-version')],
            [metadata.words['meta-data/instance-id'], 'p4d.24xlarge', `${region}a`, '550.54.15']);
    });

    test('a GPU for each of two tasks, and none for a third until one ends', async () => {
        await stage.define('one-gpu', [shell('main', forever, want('1')), shell('side', forever)]);
        const first = await stage.start('one-gpu'), second = await stage.start('one-gpu');
        const seen = [await visible(first), await visible(second)];
        assert.deepStrictEqual([seen.map((one) => one.main).toSorted(), seen.map((one) => one.side)], [gpus, ['void', 'void']]);
        const { failures } = await stage.call('RunTask', { taskDefinition: 'one-gpu' });
        assert.deepStrictEqual(failures.map((one) => one.reason), ['RESOURCE:GPU']);
        await stage.stop(first);
        const third = await stage.start('one-gpu');
        assert.strictEqual((await visible(third)).main, seen[0].main);
        for (const arn of [second, third]) await stage.stop(arn);
    });

    test('both for one container, and two halves of one', async () => {
        const both = await stage.run('both', [shell('main', forever, want('2'))]);
        assert.deepStrictEqual((await visible(both)).main.split(',').toSorted(), gpus);
        await stage.stop(both);
        await stage.define('half', [shell('main', forever, want('0.5'))]);
        const halves = [await stage.start('half'), await stage.start('half')];
        assert.strictEqual((await visible(halves[0])).main, (await visible(halves[1])).main);
        for (const arn of halves) await stage.stop(arn);
    });

    test('a machine that is taken away is drained', async () => {
        metadata.words['meta-data/spot/instance-action'] = JSON.stringify({ action: 'terminate', time: new Date(Date.now() + 120000).toISOString() });
        await waitFor('it to be DRAINING', async () => (await stage.machine()).status === 'DRAINING');
    });
});

describe('outside of EC2, with two GPUs that nobody has', { skip }, () => {
    let stage;
    before(async () => { stage = await AgentStage.open({ gpus }); });
    after(() => stage.close());

    test('Docker is asked for a GPU where there is one, and only there', async () => {
        const without = await stage.run('without', [shell('main', 'exit 4')]);
        assert.strictEqual((await stage.becomes(without, 'STOPPED')).containers[0].exitCode, 4);
        for (const [family, value] of [['whole', '1'], ['part', '0.5']]) {
            const { stopCode, containers: [main] } = await stage.becomes(await stage.run(family, [shell('main', 'true', want(value))]), 'STOPPED');
            assert.strictEqual(stopCode, 'TaskFailedToStart');
            assert.match(main.reason, /^Cannot(Create|Start)ContainerError: .*gpu/);
        }
    });
});

// The ECS agent looks for the port of its websocket in the certificate.
describe('over TLS', { skip }, () => {
    let stage, certificates;
    before(async () => {
        const agentPort = await freePort();
        certificates = mkdtempSync(path.join(os.tmpdir(), 'berth-tls-'));
        execFileSync(program, ['tls', 'create', '--data', certificates, '--host', `localhost,localhost:${agentPort}`], { env: {} });
        const [cert, key, ca] = ['cert', 'key', 'ca'].map((name) => path.join(certificates, 'tls', `${name}.pem`));
        const environment = (server) => ({ ECS_BACKEND_HOST: `https://localhost:${server.port}`, SSL_CERT_FILE: ca });
        stage = await AgentStage.open({ server: { tls: { cert, key, ca }, agentPort }, environment });
    });
    after(async () => {
        await stage.close();
        remove(certificates);
    });

    test('a task from its beginning to its end', async () => {
        assert.strictEqual((await stage.becomes(await stage.run('task', [shell('main', 'exit 6')]), 'STOPPED')).containers[0].exitCode, 6);
    });
});

describe('three servers with one address', { skip: skip || (existsSync('/usr/bin/etcd') && existsSync('/usr/sbin/haproxy') ? false : 'no etcd or no haproxy') }, () => {
    let stage;
    before(async () => { stage = await SharedStage.open(); });
    after(() => stage?.close());

    test('the leader is killed twice, and hands over once: the same machine, its tasks run on, and what ended meanwhile is known', async () => {
        const runs = await stage.run('runs-on', [shell('main', forever)]), [main] = (await stage.becomes(runs, 'RUNNING')).containers;
        const before = await stage.machine();
        for (const [round, end] of ['kill', 'hand over', 'kill'].entries()) {
            const ends = await stage.run(`ends-${round}`, [shell('main', 'until test -e /tmp/end; do sleep 0.1; done; exit 9')]), [ending] = (await stage.becomes(ends, 'RUNNING')).containers;
            const leader = await stage.members.leader();
            if (end === 'kill') await leader.kill9();
            else assert.strictEqual((await stage.server.raw({ method: 'POST', pathname: '/berth/v1/ha/hand-over', body: '{}' })).status, 200);
            inside(ending, 'echo >/tmp/end');
            await waitFor('another leader', async () => (await stage.members.leader()) !== leader);
            await stage.connected();
            assert.strictEqual((await stage.becomes(ends, 'STOPPED')).containers[0].exitCode, 9);
            if (end === 'kill') await stage.members.restart(leader);
            const now = await stage.machine();
            assert.deepStrictEqual([now.containerInstanceArn, now.registeredAt], [before.containerInstanceArn, before.registeredAt]);
            assert.strictEqual(inspect(main.runtimeId).State.Running, true);
        }
        assert.strictEqual((await stage.stop(runs)).containers[0].exitCode, 7);
    });
});
