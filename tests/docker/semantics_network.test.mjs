// Networks of tasks on a real engine: bridge, host, none, links and names, host ports, and awsvpc with an address of the task's own.
import { describe, test, before, after } from 'node:test';
import assert from 'node:assert';
import net from 'node:net';
import os from 'node:os';
import { Stage, byName, docker, inspect, shell, waitFor } from './stage.mjs';

let stage;
before(async () => { stage = await Stage.open({ args: ['--task-subnet', '10.213.7.0/24', '--dynamic-ports', '50200-50399', '--address', '127.0.0.1'] }); });
after(() => stage.close());

const serves = (port, word) => `while true; do echo ${word} | nc -l -p ${port}; done`;
const asks = (host, port) => `until nc ${host} ${port} </dev/null; do sleep 0.1; done`;
const vpc = { networkConfiguration: { awsvpcConfiguration: { subnets: ['subnet-a', 'subnet-b'], securityGroups: ['sg-1'] } } };

// The text at host:port, from this machine.
const hears = (host, port) => waitFor(`a word from ${host}:${port}`, () => new Promise((resolve) => {
    let text = '';
    const socket = net.connect({ host, port, timeout: 5000 }, () => socket.end());
    socket.on('data', (data) => { text += data; }).on('close', () => resolve(text)).on('timeout', () => socket.destroy()).on('error', () => {});
}), { seconds: 300 });

describe('networks', { concurrency: 16 }, () => {
    test('links: the other container has its own name and the alias', async () => {
        const arn = await stage.run('links', [
            shell('db', serves(9000, 'served')),
            shell('web', `busybox grep -E "database|db" /etc/hosts; ${asks('database', 9000)}; ${asks('db', 9000)}`, { links: ['db:database', 'db'] }),
        ]);
        const task = await stage.becomes(arn, 'STOPPED');
        assert.strictEqual(byName(task, 'exitCode').web, 0);
        assert.match(await stage.output(arn, 'web'), /database[^]*served[^]*served/);
    });

    test('host: the machine\'s name and ports', async () => {
        const arn = await stage.run('on-host', [shell('main', `busybox hostname; ${serves(18123, 'host')}`, { portMappings: [{ containerPort: 18123 }] })],
            { task: { networkMode: 'host' } });
        const task = await stage.becomes(arn, 'RUNNING');
        assert.deepStrictEqual(task.containers[0].networkBindings, [{ bindIP: '0.0.0.0', containerPort: 18123, hostPort: 18123, protocol: 'tcp' }]);
        assert.match(await hears('127.0.0.1', 18123), /host/);
        await stage.prints(arn, 'main', new RegExp(`^${os.hostname()}\n`));
        await stage.stop(arn);
    });

    test('host: the others of a gang find the first', async () => {
        await stage.define('meets', [shell('main', `if [ $BERTH_GANG_RANK = 0 ]; then ${serves('$MASTER_PORT', 'the first')}; else ${asks('$MASTER_ADDR', '$MASTER_PORT')}; fi`,
            { environment: [{ name: 'MASTER_PORT', value: '18125' }] })], { networkMode: 'host' });
        const { tasks } = await stage.call('RunTask', { taskDefinition: 'meets', count: 2, tags: [{ key: 'berth:gang', value: 'true' }] });
        await stage.becomes(tasks[1].taskArn, 'STOPPED');
        assert.match(await stage.output(tasks[1].taskArn), /the first/);
        await stage.stop(tasks[0].taskArn);
    });

    test('none: no network', async () => {
        const arn = await stage.run('no-network', [shell('main', 'ls /sys/class/net')], { task: { networkMode: 'none' } });
        await stage.becomes(arn, 'STOPPED');
        assert.strictEqual(await stage.output(arn), 'lo\n');
    });

    test('names: extraHosts, DNS servers, search domains and the hostname', async () => {
        const arn = await stage.run('names', [shell('main', 'busybox hostname; cat /etc/hosts /etc/resolv.conf', {
            extraHosts: [{ hostname: 'ledger', ipAddress: '10.9.8.7' }], dnsServers: ['10.1.1.1'], dnsSearchDomains: ['lab.example'], hostname: 'worker-7',
        })]);
        await stage.becomes(arn, 'STOPPED');
        const text = await stage.output(arn);
        for (const pattern of [/^worker-7\n/, /10\.9\.8\.7\s+ledger/, /nameserver 10\.1\.1\.1/, /search lab\.example/]) assert.match(text, pattern);
    });

    test('a range of ports: one row of host ports, told as one binding', async () => {
        const arn = await stage.run('range', [shell('main', serves(7002, 'third'), { portMappings: [{ containerPortRange: '7000-7003' }, { containerPort: 80 }] })]);
        const { networkBindings } = (await stage.becomes(arn, 'RUNNING')).containers[0];
        assert.strictEqual(networkBindings.length, 2);
        const range = networkBindings.find((binding) => binding.containerPortRange);
        assert.strictEqual(range.containerPortRange, '7000-7003');
        const [first, last] = range.hostPortRange.split('-').map(Number);
        assert.strictEqual(last - first, 3);
        for (const port of [first, last, networkBindings.find((binding) => binding.containerPort === 80).hostPort]) assert.ok(port >= 50200 && port <= 50399, `${port} is of --dynamic-ports`);
        assert.match(await hears('127.0.0.1', first + 2), /third/);
        await stage.stop(arn);
    });

    test('a host port that a foreign program has: the task fails to start and says which', async () => {
        const foreign = net.createServer();
        await new Promise((resolve) => foreign.listen(18124, '0.0.0.0', resolve));
        const arn = await stage.run('taken', [shell('main', 'sleep 60', { portMappings: [{ containerPort: 80, hostPort: 18124 }] })]);
        const task = await stage.becomes(arn, 'STOPPED');
        assert.deepStrictEqual([task.stopCode, task.stoppedReason], ['TaskFailedToStart', 'Task failed to start']);
        assert.match(task.containers[0].reason, /^CannotStartContainerError: .*18124.*address already in use/);
        assert.strictEqual(task.containers[0].exitCode, undefined);
        foreign.close();
    });

    test('awsvpc: one address for the task, whose containers talk over localhost', async () => {
        const containers = [
            shell('web', serves(8080, 'from the task'), { portMappings: [{ containerPort: 8080 }] }),
            shell('probe', `${asks('127.0.0.1', 8080)}; busybox ip -4 -o addr show eth0`, { essential: false, dependsOn: [{ containerName: 'web', condition: 'START' }] }),
        ];
        const arn = await stage.run('vpc', containers, { task: { networkMode: 'awsvpc' }, ...vpc });
        const second = await stage.start('vpc', vpc);                                   // the same port, on another address
        const running = await stage.becomes(arn, 'RUNNING'), other = await stage.becomes(second, 'RUNNING');
        const [attachment] = running.attachments;
        const details = Object.fromEntries(attachment.details.map(({ name, value }) => [name, value]));
        assert.deepStrictEqual([attachment.type, attachment.status, details.subnetId], ['ElasticNetworkInterface', 'ATTACHED', 'subnet-a']);
        assert.match(details.privateIPv4Address, /^10\.213\.7\.\d+$/);
        assert.match(details.macAddress, /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
        for (const container of running.containers) {
            assert.deepStrictEqual(container.networkInterfaces, [{ attachmentId: attachment.id, privateIpv4Address: details.privateIPv4Address }]);
            assert.deepStrictEqual(container.networkBindings, []);
        }
        assert.notStrictEqual(other.attachments[0].details.find((one) => one.name === 'privateIPv4Address').value, details.privateIPv4Address);
        const text = await stage.prints(arn, 'probe', /eth0/);
        assert.match(text, /from the task/);
        assert.ok(text.includes(details.privateIPv4Address));
        assert.match(await hears(details.privateIPv4Address, 8080), /from the task/);    // the machine reaches it

        const third = await stage.run('vpc-asks', [shell('main', asks(details.privateIPv4Address, 8080))], { task: { networkMode: 'awsvpc' }, ...vpc });
        await stage.becomes(third, 'STOPPED');                                          // another task does too
        assert.match(await stage.output(third), /from the task/);

        const holder = `berth-pause-${arn.split('/').at(-1)}`;
        assert.strictEqual(inspect(holder).State.Running, true);
        const stopped = await stage.stop(arn);
        assert.strictEqual(stopped.attachments[0].status, 'DELETED');
        assert.strictEqual(docker('ps', '-aq', '--filter', `name=${holder}`), '');      // free before the end is reported
        await stage.stop(second);
    });

    test('awsvpc: a container that ends does not take the address along', async () => {
        const arn = await stage.run('vpc-ends', [
            shell('first', 'exit 0', { essential: false }),
            shell('main', serves(8080, 'still here'), { dependsOn: [{ containerName: 'first', condition: 'SUCCESS' }] }),
        ], { task: { networkMode: 'awsvpc' }, ...vpc });
        const running = await stage.becomes(arn, 'RUNNING');
        const { privateIpv4Address } = byName(running).main.networkInterfaces[0];
        assert.strictEqual(byName(running).first.lastStatus, 'STOPPED');
        assert.match(await hears(privateIpv4Address, 8080), /still here/);
        await stage.stop(arn);
    });

    test('awsvpc: who kills the container that holds the address ends the task', async () => {
        const arn = await stage.run('vpc-killed', [shell('main', 'trap "exit 3" TERM; while :; do sleep 0.1; done')], { task: { networkMode: 'awsvpc' }, ...vpc });
        await stage.becomes(arn, 'RUNNING');
        docker('kill', `berth-pause-${arn.split('/').at(-1)}`);
        const ended = await stage.becomes(arn, 'STOPPED');
        assert.deepStrictEqual([ended.stopCode, ended.stoppedReason], ['EssentialContainerExited', 'Essential container in task exited']);
        assert.strictEqual(ended.containers[0].exitCode, 3, 'it was asked to end');
        assert.strictEqual(docker('ps', '-aq', '--filter', `name=berth-pause-${arn.split('/').at(-1)}`), '');
    });

    test('awsvpc: the container that holds the address is no part of the task', async () => {
        const arn = await stage.run('vpc-holder', [shell('main', 'sleep 600')], { task: { networkMode: 'awsvpc' }, ...vpc });
        const running = await stage.becomes(arn, 'RUNNING');
        assert.deepStrictEqual(running.containers.map((container) => container.name), ['main']);
        const { Config, HostConfig } = inspect(`berth-pause-${arn.split('/').at(-1)}`);
        assert.strictEqual(Config.Labels['com.amazonaws.ecs.container-name'], '~internal~ecs~pause');
        assert.strictEqual(HostConfig.NetworkMode, 'berth-tasks');
        assert.match(inspect(running.containers[0].runtimeId).HostConfig.NetworkMode, /^container:/);
        await stage.stop(arn);
    });
});
