// ExecuteCommand as `aws ecs execute-command` uses it: the answer, the token, the data channel to a real process, broken connections, every
// way to end; over TLS too; and with Session Manager's own plugin where it is installed.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { ExecuteCommandCommand } from '@aws-sdk/client-ecs';
import { Authority } from '../lib/certificates.mjs';
import { DataChannel, payloadTypes } from '../lib/data_channel.mjs';
import { Server, remove, waitFor } from '../lib/lib.mjs';

let server, client, task;
const ok = (reply) => { assert.strictEqual(reply.status, 200, reply.text); return reply.json; };

async function start(on = server) {
    const main = { image: 'none', memory: 8, command: ['sleep', '3600'], environment: [{ name: 'HELLO', value: 'there' }] };
    ok(await on.call('RegisterTaskDefinition', { family: 'two', containerDefinitions: [{ name: 'main', ...main }, { name: 'side', ...main, essential: false }] }));
    const { tasks, failures } = ok(await on.call('RunTask', { taskDefinition: 'two', enableExecuteCommand: true }));
    assert.deepStrictEqual(failures, []);
    const described = async () => ok(await on.call('DescribeTasks', { tasks: [tasks[0].taskArn] })).tasks[0];
    await waitFor('the task to run', async () => (await described()).lastStatus === 'RUNNING');
    return described();
}
const machine = async (on) => {
    await on.agent(['--runtime', 'process']);
    await waitFor('this machine', async () => (await on.connected('default')) === 1);
};

const execute = (command, more = {}) => client.send(new ExecuteCommandCommand({ task: task.taskArn, container: 'main', command, interactive: true, ...more }));
const channelOf = async (command, more) => new DataChannel(server, (await execute(command, more)).session);
const ssm = async (operation, SessionId) => ok(await server.raw({ target: `AmazonSSM.${operation}`, service: 'ssm', body: JSON.stringify({ SessionId }) }));
const isThere = (pid) => { try { process.kill(Number(pid), 0); return true; } catch { return false; } };

before(async () => {
    server = await Server.start();
    client = server.sdk();
    await machine(server);
    task = await start();
});
after(() => server.stop());

test('the answer, and what a task says of its way in', async () => {
    const side = task.containers.find((one) => one.name === 'side');
    assert.deepStrictEqual(side.managedAgents.map(({ name, lastStatus, lastStartedAt }) => [name, lastStatus, typeof lastStartedAt]), [['ExecuteCommandAgent', 'RUNNING', 'number']]);
    const { $metadata, session, ...rest } = await execute('sh', { container: 'side', task: task.taskArn.split('/').at(-1) });
    assert.deepStrictEqual(rest, { clusterArn: task.clusterArn, containerArn: side.containerArn, containerName: 'side', interactive: true, taskArn: task.taskArn });
    assert.match(session.sessionId, /^ecs-execute-command-[0-9a-f]{32}$/);
    assert.strictEqual(session.streamUrl, `ws://127.0.0.1:${server.agentPort}/v1/data-channel/${session.sessionId}?role=publish_subscribe`);
    assert.match(session.tokenValue, /^[0-9a-f]{64}$/);
    assert.deepStrictEqual(await ssm('TerminateSession', session.sessionId), { SessionId: session.sessionId });
    assert.match(server.process.output, new RegExp(`audit: Exec user=root .*container=side result=ok`));
});

test('a shell: its environment, its terminal, and how it ends', async () => {
    const channel = await (await channelOf('sh')).open();
    channel.type('echo "$HELLO"; tty\r');
    await channel.until(/there\r\n\/dev\/pts\/\d+\r\n/);
    const size = channel.resize(41, 123);
    await waitFor('the size to be acknowledged', () => channel.acknowledged.has(size));
    channel.type('until [ "$(stty size)" = "41 123" ]; do sleep 0.1; done; stty size\r');      // it takes its way through the agent
    await channel.until(/\n41 123\r\n/);
    channel.type('sh -c "echo \$((6 * 7)); exec sleep 1000"\r');
    await channel.until(/\n42\r\n/);                    // not the echo of the typed text: the shell may not have read that yet
    const interrupt = channel.type('\x03');
    await waitFor('the interrupt to be acknowledged', () => channel.acknowledged.has(interrupt));
    await channel.until(/\^C[^]*[#$] $/);
    channel.type('exit 3\r');
    assert.strictEqual(await channel.ended(), 'The command has ended with exit status 3.');
});

test('a command\'s words, and much output, whole and in order', async () => {
    const channel = await (await channelOf('sh -c "stty -opost; seq 1 60000"')).open();
    assert.strictEqual(await channel.ended(), '');
    assert.strictEqual(channel.text, Array.from({ length: 60000 }, (_, n) => `${n + 1}\n`).join(''));
});

test('input in disorder and twice is taken once and in order', async () => {
    const channel = await (await channelOf('sh -c "stty -echo; echo ready; read x; echo got $x"')).open();
    await channel.until(/ready/);
    const first = channel.next, say = (n, text) => channel.say(payloadTypes.output, text, first + n);
    say(2, 'c\r');
    say(0, 'a');
    say(0, 'a');
    say(1, 'b');
    assert.strictEqual(await channel.ended(), '');
    assert.match(channel.text, /got abc\r\n$/);
    assert.ok([0, 1, 2].every((n) => channel.acknowledged.has(first + n)));
});

test('a token is good for one connection of its own session', async () => {
    const [one, two] = [await channelOf('cat'), await channelOf('cat')];
    const refused = async (channel, more) => {
        await channel.connect(more);
        await waitFor('the connection to be closed', () => { assert.deepStrictEqual(channel.seen, [], 'it was let in'); return channel.socket.close; });
        return channel.socket.close.code;
    };
    assert.strictEqual(await refused(one, { token: two.session.tokenValue }), 1008);
    assert.strictEqual(await refused(one, { token: '' }), 1008);
    assert.strictEqual(await refused(one, { shows: false }), 1008);                          // after a while
    await one.open();
    assert.strictEqual(await refused(new DataChannel(server, one.session)), 1008);
    one.type('still here\r');
    await one.until(/still here\r\nstill here/);
    const stranger = new DataChannel(server, { ...one.session, streamUrl: one.session.streamUrl.replace(one.session.sessionId, 'ecs-execute-command-0') });
    assert.strictEqual((await stranger.connect()).refused, 400);
    for (const { session } of [one, two]) await ssm('TerminateSession', session.sessionId);
    assert.strictEqual(await one.ended(), 'The session was terminated.');
});

test('a connection breaks, and the session goes on where it was', async () => {
    const channel = await (await channelOf('sh -c "stty -echo; echo before; read x; echo after $x; read y"')).open();
    await channel.until(/before/);
    channel.acking = false;                                                  // what comes now is lost with the connection
    channel.type('1\r');
    await waitFor('output that is not acknowledged', () => channel.seen.some((one) => one.payload.includes('after 1')));
    await channel.socket.hangUp();
    const { SessionId, TokenValue, StreamUrl } = await ssm('ResumeSession', channel.session.sessionId);
    assert.deepStrictEqual([SessionId, StreamUrl], [channel.session.sessionId, channel.session.streamUrl]);
    channel.acking = true;
    assert.strictEqual(await channel.connect({ token: TokenValue }), channel);
    await channel.until(/before\r\nafter 1\r\n/);
    channel.type('2\r');
    assert.strictEqual(await channel.ended(), '');
    assert.match(channel.text, /^before\r\nafter 1\r\n$/);
    await waitFor('the session to be forgotten', async () => (await ssm('ResumeSession', channel.session.sessionId)).TokenValue === undefined);
});

test('a client that leaves ends the command', async () => {
    const begin = async () => {
        const channel = await (await channelOf('sh -c "echo pid $$; exec sleep 1000"')).open();
        return [channel, (await channel.until(/pid (\d+)/))[1]];
    };
    const [polite, itsPid] = await begin();
    await polite.socket.goodbye(1000, '');
    await waitFor('the command to be gone', () => !isThere(itsPid));
    const [flagged, pid] = await begin();
    flagged.say(payloadTypes.flag, Buffer.from([0, 0, 0, 2]));
    assert.strictEqual(await flagged.ended(), '');
    await waitFor('the command to be gone', () => !isThere(pid));
    const [rude, otherPid] = await begin();
    rude.socket.frame(2, Buffer.from('this is no message'));
    await rude.socket.ended;
    assert.strictEqual(rude.socket.close.code, 1008);
    await waitFor('the command to be gone', () => !isThere(otherPid));
});

test('what can\'t run, and more than may be open', async () => {
    const none = await (await channelOf('/nonexistent')).open();
    assert.match(await none.ended(), /exit status 127|No such file/);
    await assert.rejects(execute('sh -c \'open'), { name: 'InvalidParameterException', message: /quote/ });
    const sessions = [];
    await assert.rejects(async () => { for (let n = 0; n <= 16; n++) sessions.push((await execute('sh')).session); }, { name: 'ClientException', message: /^16 sessions/ });
    for (const { sessionId } of sessions) await ssm('TerminateSession', sessionId);
    assert.strictEqual((await execute('true')).containerName, 'main');
});

test('over TLS', async () => {
    const authority = new Authority(), safe = await Server.start({ tls: authority.issue('server') });
    try {
        await machine(safe);
        const { taskArn } = await start(safe);
        const { session } = ok(await safe.call('ExecuteCommand', { task: taskArn, container: 'main', command: 'echo safe', interactive: true }));
        const channel = await new DataChannel(safe, session).open();
        assert.strictEqual(await channel.ended(), '');
        assert.strictEqual(channel.text, 'safe\r\n');
    } finally {
        await safe.stop();
        remove(authority.folder);
    }
});

const plugin = spawnSync('session-manager-plugin', ['--version'], { encoding: 'utf8' });
test('the AWS CLI with Session Manager\'s own plugin', { skip: plugin.status === 0 ? false : 'session-manager-plugin is not on the PATH' }, async () => {
    const words = ['aws', '--endpoint-url', server.url, 'ecs', 'execute-command', '--interactive', '--task', task.taskArn, '--container', 'main', '--command', 'sh'];
    const run = spawn('script', ['-qefc', words.join(' '), '/dev/null'], { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...server.environment() } });
    let text = '';
    run.stdout.on('data', (data) => { text += data; });
    const ended = new Promise((resolve) => run.on('close', resolve));
    await waitFor('the prompt', () => /Starting session[\s\S]*[#$] $/.test(text));
    run.stdin.write('echo $HELLO; tty\r');
    await waitFor(`the answer in ${text}`, () => /there\s+\/dev\/pts\/\d+/.test(text));
    run.stdin.write('exit 4\r');
    assert.strictEqual(await ended, 0);
    assert.match(text, /SessionId: ecs-execute-command-[0-9a-f]+ : The command has ended with exit status 4\./);
});
