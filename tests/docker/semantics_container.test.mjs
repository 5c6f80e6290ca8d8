// A container's settings, seen from its inside, on a real engine: name spaces, rights, limits, users, and volumes behind the list of
// the machine's owner.
import { describe, test, before, after } from 'node:test';
import assert from 'node:assert';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { Stage, allowed, byName, docker, folder, inspect, shell, waitFor } from './stage.mjs';

let stage;
before(async () => { stage = await Stage.open(); });
after(() => stage.close());

// Runs one container to its end and gives what it printed.
async function prints(family, script, more = {}, task = {}) {
    const arn = await stage.run(family, [shell('main', script, more)], { task });
    const ended = await stage.becomes(arn, 'STOPPED');
    assert.deepStrictEqual([ended.containers[0].exitCode, ended.containers[0].reason], [0, undefined], await stage.output(arn));
    return stage.output(arn);
}
// Runs one container that can't, and gives the reason.
async function fails(family, more, task) {
    const ended = await stage.becomes(await stage.run(family, [shell('main', 'true', more)], { task }), 'STOPPED');
    assert.deepStrictEqual([ended.stopCode, ended.containers[0].exitCode], ['TaskFailedToStart', undefined]);
    return ended.containers[0].reason;
}
const capabilities = async (family, more) => BigInt(`0x${(await prints(family, 'busybox grep CapEff /proc/self/status', more)).split(/\s+/)[1]}`);
const mount = (containerPath, more = {}) => ({ mountPoints: [{ sourceVolume: 'v', containerPath, ...more }] });
const host = (sourcePath) => ({ volumes: [{ name: 'v', host: { sourcePath } }] });

describe('settings', { concurrency: 16 }, () => {
    test('user, folder, a root that is read-only, memory file systems and shared memory', async () => {
        const text = await prints('inside', 'id -u; id -g; busybox pwd; echo >/x || echo refused; echo fine >/scratch/x && cat /scratch/x; busybox grep -E "/scratch|/dev/shm" /proc/mounts; busybox df -m /dev/shm', {
            user: '1000:1001', workingDirectory: '/tmp', readonlyRootFilesystem: true,
            linuxParameters: { sharedMemorySize: 96, tmpfs: [{ containerPath: '/scratch', size: 7, mountOptions: ['mode=1777', 'noexec'] }] },
        });
        assert.match(text, /Read-only file system/);
        assert.match(text, /^1000\n1001\n\/tmp\n[^]*refused\nfine\n/m);
        assert.match(text, /\/scratch tmpfs .*noexec.*size=7168k/);
        assert.match(text, /shm +96 /);
    });

    test('ulimits, kernel parameters, an init process, labels, security options', async () => {
        const arn = await stage.run('limits', [shell('main', 'ulimit -Sn; ulimit -Hn; cat /proc/sys/net/core/somaxconn; cat /proc/1/comm; busybox grep NoNewPrivs /proc/self/status; sleep 600', {
            ulimits: [{ name: 'nofile', softLimit: 1234, hardLimit: 2345 }], systemControls: [{ namespace: 'net.core.somaxconn', value: '321' }],
            linuxParameters: { initProcessEnabled: true }, dockerLabels: { team: 'vision', 'com.amazonaws.ecs.task-arn': 'mine' }, dockerSecurityOptions: ['no-new-privileges:true'],
        })]);
        const task = await stage.becomes(arn, 'RUNNING');
        assert.match(await stage.prints(arn, 'main', /NoNewPrivs/), /^1234\n2345\n321\n(docker-init|tini)\nNoNewPrivs:\s+1\n/);
        const { Labels } = inspect(task.containers[0].runtimeId).Config;
        assert.deepStrictEqual([Labels.team, Labels['com.amazonaws.ecs.task-arn']], ['vision', arn]);        // ours can't be taken
        await stage.stop(arn);
    });

    test('a terminal and an open input', async () => {
        const arn = await stage.run('terminal', [shell('main', 'busybox tty; sleep 600', { pseudoTerminal: true, interactive: true })]);
        const task = await stage.becomes(arn, 'RUNNING');
        assert.match(await stage.prints(arn, 'main', /\n/), /^\/dev\/pts\/0\r\n/);
        const { Config } = inspect(task.containers[0].runtimeId);
        assert.deepStrictEqual([Config.Tty, Config.OpenStdin], [true, true]);
        await stage.stop(arn);
    });

    test('capabilities: some more, some less, and all', async () => {
        const kill = 1n << 5n, admin = 1n << 21n;
        const usual = await capabilities('caps-usual', {});
        assert.deepStrictEqual([usual & kill, usual & admin], [kill, 0n]);
        const changed = await capabilities('caps-changed', { linuxParameters: { capabilities: { add: ['SYS_ADMIN'], drop: ['KILL'] } } });
        assert.deepStrictEqual([changed & kill, changed & admin], [0n, admin]);
        assert.strictEqual(await capabilities('caps-none', { linuxParameters: { capabilities: { drop: ['ALL'] } } }), 0n);
        const task = await stage.becomes(await stage.run('caps-all', [shell('main', 'busybox grep CapEff /proc/self/status', { privileged: true })]), 'STOPPED');
        // Where this machine lacks a capability itself, the engine says that it cannot give all of them: so all were asked for.
        if (task.containers[0].exitCode === 0) assert.strictEqual(BigInt(`0x${(await stage.output(task.taskArn)).split(/\s+/)[1]}`) & admin, admin);
        else assert.match(task.containers[0].reason, /^CannotStartContainerError: .*unable to apply caps/);
    });

    test('devices, with the rights that were given', async () => {
        const arn = await stage.run('devices', [shell('main', 'head -c 3 /dev/other | busybox wc -c; sleep 600', {
            linuxParameters: { devices: [{ hostPath: '/dev/zero', containerPath: '/dev/other', permissions: ['read'] }, { hostPath: '/dev/full' }] },
        })]);
        const task = await stage.becomes(arn, 'RUNNING');
        await stage.prints(arn, 'main', /^3\n/);
        assert.deepStrictEqual(inspect(task.containers[0].runtimeId).HostConfig.Devices, [
            { PathOnHost: '/dev/zero', PathInContainer: '/dev/other', CgroupPermissions: 'r' },
            { PathOnHost: '/dev/full', PathInContainer: '/dev/full', CgroupPermissions: 'rwm' },
        ]);
        await stage.stop(arn);
    });

    test('memory, its reservation, swap and CPU shares are limits of the engine', async () => {
        const arn = await stage.run('sizes', [shell('main', 'sleep 600', { memory: 64, memoryReservation: 32, cpu: 256, linuxParameters: { maxSwap: 16, swappiness: 10 } }),
            shell('least', 'sleep 600', { cpu: 0 })]);
        const task = await stage.becomes(arn, 'RUNNING');
        const sizes = inspect(byName(task).main.runtimeId).HostConfig, least = inspect(byName(task).least.runtimeId).HostConfig;
        const mib = 1 << 20;
        assert.deepStrictEqual([sizes.Memory, sizes.MemoryReservation, sizes.CpuShares, least.CpuShares], [64 * mib, 32 * mib, 256, 2]);
        assert.ok([80 * mib, -1].includes(sizes.MemorySwap));                       // -1: the kernel counts no swap
        await stage.stop(arn);
    });
});

// Where the engine keeps its cgroups by itself; elsewhere the limits bound each container.
const info = JSON.parse(docker('info', '--format', '{{json .}}'));
const cgroupFile = (id, old, now) => (info.CgroupVersion === '2' ? `/sys/fs/cgroup/berth/${id}/${now}` : `/sys/fs/cgroup/${old.split('.')[0]}/berth/${id}/${old}`);

describe('the task as a whole', { concurrency: 4, skip: info.CgroupDriver !== 'cgroupfs' && 'systemd has the cgroups' }, () => {
    test('its memory and CPU are limits of all its containers together, and go with it', async () => {
        const arn = await stage.run('whole', [shell('first', 'sleep 600', { memory: undefined }), shell('second', 'sleep 600', { memory: undefined })],
            { task: { cpu: '512', memory: '64' } });
        const task = await stage.becomes(arn, 'RUNNING');
        const id = arn.split('/').at(-1), memory = cgroupFile(id, 'memory.limit_in_bytes', 'memory.max');
        assert.strictEqual(readFileSync(memory, 'utf8'), `${64 << 20}\n`);
        assert.match(readFileSync(cgroupFile(id, 'cpu.cfs_quota_us', 'cpu.max'), 'utf8'), /^50000( 100000)?\n$/);
        for (const { runtimeId } of task.containers) assert.ok(existsSync(path.join(path.dirname(memory), runtimeId)));
        await stage.stop(arn);
        assert.ok(!existsSync(path.dirname(memory)));
        assert.ok(!existsSync(`/sys/fs/cgroup/pids/berth/${id}`));
    });

    test('containers that want more together than the task has are out of memory', async () => {
        const eats = (name) => shell(name, 'dd if=/dev/zero of=/dev/null bs=40M count=100000', { memory: undefined });
        const task = await stage.becomes(await stage.run('whole-hungry', [eats('first'), eats('second')], { task: { memory: '64' } }), 'STOPPED');
        assert.ok(task.containers.some((container) => container.exitCode === 137));
        assert.strictEqual(task.stopCode, 'EssentialContainerExited');
    });
});

describe('name spaces', { concurrency: 8 }, () => {
    const pair = (script, more = {}) => [
        shell('first', 'echo shared >/dev/shm/word; exec sleep 4321', more),
        shell('second', script, { dependsOn: [{ containerName: 'first', condition: 'START' }] }),
    ];
    async function second(family, script, task) {
        const arn = await stage.run(family, pair(script), { task });
        await stage.becomes(arn, 'STOPPED');
        return stage.output(arn, 'second');
    }

    test('each container has processes and shared memory of its own', async () => {
        assert.strictEqual(await second('own', 'busybox ps -o args | busybox grep -c "[s]leep 4321"; ls /dev/shm'), '0\n');
    });
    test('pidMode task: they see each other\'s processes, after a restart of either', async () => {
        assert.strictEqual(await second('pid-task', 'busybox ps -o args | busybox grep -E "^/pause|[s]leep 4321"; ls /dev/shm', { pidMode: 'task' }), '/pause\nsleep 4321\n');
    });
    test('ipcMode task: they share memory', async () => {
        assert.strictEqual(await second('ipc-task', 'until [ -e /dev/shm/word ]; do sleep 0.1; done; cat /dev/shm/word; busybox ps -o args | busybox grep -c "[s]leep 4321"', { ipcMode: 'task' }), 'shared\n0\n');
    });
    test('the container that holds them goes with the task', async () => {
        const arn = await stage.run('holder', [shell('first', 'sleep 600'), shell('second', 'sleep 600')], { task: { pidMode: 'task', ipcMode: 'task', networkMode: 'host' } });
        const { containers } = await stage.becomes(arn, 'RUNNING');
        const holder = `berth-pause-${arn.split('/').at(-1)}`;
        assert.strictEqual(inspect(holder).HostConfig.NetworkMode, 'none');
        for (const { runtimeId } of containers) assert.strictEqual(inspect(runtimeId).HostConfig.NetworkMode, 'host');
        await stage.stop(arn);
        assert.strictEqual(docker('ps', '-aq', '--filter', `name=${holder}`), '');
    });
    test('pidMode and ipcMode host', async () => {
        const text = await prints('host-spaces', 'busybox ps -o args | busybox grep -c "[d]ockerd"', {}, { pidMode: 'host', ipcMode: 'host' });
        assert.match(text, /^[1-9]/);
    });
    test('ipcMode none', async () => {
        assert.strictEqual(await prints('ipc-none', 'busybox grep -c /dev/shm /proc/mounts || true', {}, { ipcMode: 'none' }), '0\n');
    });
});

describe('volumes', { concurrency: 16 }, () => {
    test('an allowed directory, to write to and to read only', async () => {
        const dir = folder('bound');
        writeFileSync(path.join(dir, 'in'), 'from outside\n');
        assert.strictEqual(await prints('bound', 'cat /v/in; echo from inside >/v/out', mount('/v'), host(dir)), 'from outside\n');
        assert.strictEqual(readFileSync(path.join(dir, 'out'), 'utf8'), 'from inside\n');
        assert.match(await prints('bound-read', 'echo >/v/x || echo refused', mount('/v', { readOnly: true }), host(dir)), /refused\n$/);
        assert.ok(!existsSync(path.join(dir, 'x')));
    });

    test('a GPU\'s device is not given by its path', async () => {
        const reason = await fails('gpu-device', { linuxParameters: { devices: [{ hostPath: '/dev/nvidia0' }] } });
        assert.match(reason, /^HostConfigError: device \/dev\/nvidia0 is a GPU's/);
    });

    test('mounts that are not allowed: another directory, up and out, a link that leads out, a socket', async () => {
        const dir = folder('refused');
        symlinkSync('/etc', path.join(dir, 'out'));
        const socket = net.createServer().listen(path.join(dir, 'socket'));
        const rows = [['etc', '/etc', /not below a directory that this machine's agent allows/], ['up', `${allowed}/../..`, /without "\.\."/],
            ['link', path.join(dir, 'out'), /not below a directory/], ['behind', path.join(dir, 'out/ssl'), /not below a directory/],
            ['docker', process.env.DOCKER_SOCKET, /not below a directory/], ['socket', path.join(dir, 'socket'), /neither a directory nor a file/]];
        await Promise.all(rows.map(async ([name, from, pattern]) => {
            const reason = await fails(`refused-${name}`, mount('/v'), host(from));
            assert.match(reason, /^CannotCreateContainerError: host path /);
            assert.match(reason, pattern);
        }));
        socket.close();
    });

    test('a volume of the task is shared by its containers, and goes with it', async () => {
        const arn = await stage.run('own-volume', [
            shell('main', 'until [ -e /v/word ]; do sleep 0.1; done; cat /v/word', mount('/v')), shell('side', 'echo here >/w/word', { essential: false, ...mount('/w') }),
        ], { task: { volumes: [{ name: 'v', host: {} }] } });
        await stage.becomes(arn, 'STOPPED');
        assert.strictEqual(await stage.output(arn, 'main'), 'here\n');
        await waitFor('the volume to go', () => !docker('volume', 'ls', '-q').includes('own-volume'), { seconds: 300 });
    });

    test('Docker\'s volumes: one that is made and stays, and one that must be there', async () => {
        const shared = (name, autoprovision) => ({ volumes: [{ name, dockerVolumeConfiguration: { scope: 'shared', autoprovision, driver: 'local', labels: { kept: 'yes' } } }] });
        const points = (sourceVolume) => ({ mountPoints: [{ sourceVolume, containerPath: '/v' }] });
        assert.strictEqual(await prints('made', 'echo once >>/v/log; cat /v/log', points('made-here'), shared('made-here', true)), 'once\n');
        assert.strictEqual(await prints('made', 'echo once >>/v/log; cat /v/log', points('made-here'), shared('made-here', true)), 'once\nonce\n');
        assert.match(await fails('missing', points('not-there'), shared('not-there', false)), /^CannotCreateContainerError: .*no such volume|not-there/);
        docker('volume', 'create', 'was-there');
        assert.strictEqual(await prints('was-there', 'echo fine >/v/x; cat /v/x', points('was-there'), shared('was-there', false)), 'fine\n');
    });

    test('volumesFrom: the same mounts, or to read only', async () => {
        const from = (more) => ({ volumesFrom: [{ sourceContainer: 'owner', ...more }] });
        const arn = await stage.run('from', [
            shell('owner', 'echo mine >/v/word; sleep 600', { ...mount('/v'), stopTimeout: 2, essential: false }),
            shell('reader', 'until [ -e /v/word ]; do sleep 0.1; done; cat /v/word; echo >/v/x || echo refused', { ...from({ readOnly: true }), essential: false }),
            shell('writer', 'until [ -e /v/word ]; do sleep 0.1; done; echo more >>/v/word; cat /v/word; sleep 2', from()),
        ], { task: { volumes: [{ name: 'v', host: {} }] } });
        await stage.becomes(arn, 'STOPPED');
        const read = await stage.output(arn, 'reader');
        for (const pattern of [/^mine$/m, /^refused$/m, /Read-only file system/]) assert.match(read, pattern);
        assert.strictEqual(await stage.output(arn, 'writer'), 'mine\nmore\n');
    });
});
