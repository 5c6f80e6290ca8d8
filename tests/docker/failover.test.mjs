// Real containers under two servers with one state: the leader is killed, a container runs on, and the next leader has all that it printed.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { program, waitFor } from '../lib/lib.mjs';
import { Etcd, Members, insist, withoutEtcd } from '../lib/members.mjs';

const skip = withoutEtcd();
let etcd, members;

before(async () => {
    if (skip) return;
    etcd = await Etcd.start(1);
    members = await Members.start(etcd, { count: 2 });
});
after(async () => {
    await members?.stop();
    await etcd?.stop();
});

test('the log of a running container, before and after another server leads', { skip }, async () => {
    const first = await members.leader(), next = await members.follower();
    const call = async (operation, input = {}) => {
        const reply = await insist(() => next.call(operation, input), { seconds: 60 });
        assert.strictEqual(reply.status, 200, reply.text);
        return reply.json;
    };
    const log = (arn) => execFileSync(program, ['logs', arn, '--server', next.url], { encoding: 'utf8', env: { PATH: process.env.PATH, ...next.environment() } });
    await call('CreateCluster');
    await call('RegisterTaskDefinition', { family: 'numbers', containerDefinitions: [{ name: 'main', image: 'busybox:latest', memory: 32,
        command: ['sh', '-c', 'n=0; while true; do n=$((n + 1)); echo "line $n"; sleep 0.2; done'] }] });
    await next.agentIn(`${next.data}-agent`, ['--docker-socket', process.env.DOCKER_SOCKET, '--runtime', 'docker', '--stop-timeout', '2s'], { url: `${first.url},${next.url}` });
    await waitFor('the agent to connect', async () => (await next.connected('default')) === 1);
    const { tasks: [{ taskArn }] } = await call('RunTask', { taskDefinition: 'numbers' });
    await waitFor('some lines', () => /line 5\n/.test(log(taskArn)), { seconds: 120 });
    await first.kill9();
    first.stopped = true;
    const before = (await waitFor('the next leader to have lines', () => { try { return log(taskArn); } catch { return ''; } }, { seconds: 60 })).trim().split('\n').length;
    const text = await waitFor('the container to print on', () => { const now = log(taskArn); return now.trim().split('\n').length > before + 5 && now; });
    assert.deepStrictEqual(text.trim().split('\n'), text.trim().split('\n').map((_, n) => `line ${n + 1}`), 'each line once, from the first');
    await call('StopTask', { task: taskArn });
    await waitFor('the task to stop', async () => (await call('DescribeTasks', { tasks: [taskArn] })).tasks[0].lastStatus === 'STOPPED', { seconds: 60 });
});
