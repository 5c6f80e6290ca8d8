// Images from a real registry, through the agent: the four behaviours, digests, one pull for many, logins, registries that are slow, cut or
// gone. DOCKER_SOCKET as in e2e.test.mjs.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, remove, waitFor } from '../lib/lib.mjs';
import { Registry } from './registry.mjs';

const socket = process.env.DOCKER_SOCKET;
const docker = (...args) => execFileSync('docker', ['-H', `unix://${socket}`, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-images-'));
const agents = {};
let server, open, locked;
const ecs = (...args) => server.aws('ecs', ...args);
const isHere = (image) => { try { docker('inspect', '--type', 'image', image); return true; } catch { return false; } };

async function machine(cluster, args = []) {
    if (cluster !== 'default') await ecs('create-cluster', '--cluster-name', cluster);
    agents[cluster] = await server.agent(['--docker-socket', socket, '--runtime', 'docker', '--stop-timeout', '1s', '--cluster', cluster, ...args]);
    await waitFor(`the machine of ${cluster}`, async () => (await server.connected(cluster)) === 1);
}
let families = 0;
async function run(cluster, ...containers) {
    const family = `images-${families++}`;
    const definitions = containers.map((container, c) => ({ name: `c${c}`, memory: 16, command: ['sleep', '600'], ...container }));
    const role = containers.some((container) => container.repositoryCredentials) ? ['--execution-role-arn', 'arn:aws:iam::123456789012:role/run'] : [];
    await ecs('register-task-definition', '--family', family, ...role, '--container-definitions', JSON.stringify(definitions));
    const reply = await ecs('run-task', '--cluster', cluster, '--task-definition', family);
    assert.deepStrictEqual(reply.failures, []);
    return { cluster, arn: reply.tasks[0].taskArn };
}
const describe = async ({ cluster, arn }) => (await ecs('describe-tasks', '--cluster', cluster, '--tasks', arn)).tasks[0];
const becomes = (task, status) => waitFor(`${task.arn} to be ${status}`, async () => { const now = await describe(task); return now.lastStatus === status && now; }, { seconds: 300 });
async function stop(task) {
    await ecs('stop-task', '--cluster', task.cluster, '--task', task.arn);
    return becomes(task, 'STOPPED');
}

before(async () => {
    open = await Registry.start();
    locked = await Registry.start({ username: 'bob', password: 'very-s3cret' });
    server = await Server.start();
    await ecs('create-cluster');
    await machine('default');
});
after(async () => {
    await server.stop();
    await open.stop();
    await locked.stop();
    remove(folder);
});

test('an image is pulled by its digest, and gets its name', async () => {
    const { image, digest } = await open.push('app:1');
    assert.ok(!isHere(image));
    const task = await run('default', { image });
    const running = await becomes(task, 'RUNNING');
    assert.strictEqual(running.containers[0].imageDigest, digest);
    assert.ok(Date.parse(running.pullStartedAt) <= Date.parse(running.pullStoppedAt));
    assert.ok(open.count(`GET /v2/app/manifests/${digest}`) > 0, open.asked.join('\n'));
    assert.ok(isHere(image));
    await stop(task);
});

test('an image that is named by its digest', async () => {
    const { image, digest } = await open.push('named:1');
    const task = await run('default', { image: `${image.slice(0, image.lastIndexOf(':'))}@${digest}` });
    assert.strictEqual((await becomes(task, 'RUNNING')).containers[0].imageDigest, digest);
    await stop(task);
});

test('one pull for all who want the image, who show meanwhile that they pull; a task that is stopped does not wait for it', async () => {
    const { image } = await open.push('slow:1', 8);
    open.holds = (url) => url.includes('/slow/blobs/');
    const tasks = [await run('default', { image }), await run('default', { image }, { image })];
    const pulling = await waitFor('both to pull', async () => { const all = await Promise.all(tasks.map(describe)); return all.every((task) => task.pullStartedAt) && all; });
    assert.deepStrictEqual(pulling.map((task) => [task.lastStatus, task.pullStoppedAt]), [['PENDING', undefined], ['PENDING', undefined]]);
    const third = await run('default', { image });
    await waitFor('the third to pull', async () => (await describe(third)).pullStartedAt);
    const stopped = await stop(third);
    assert.strictEqual(stopped.stopCode, 'UserInitiated');
    open.release();
    for (const task of tasks) await becomes(task, 'RUNNING');
    assert.strictEqual(agents.default.output.split(`an image is here image=${image}`).length - 1, 1, 'one pull');
    for (const task of tasks) await stop(task);
});

test('a pull that nobody wants any more is given up', async () => {
    const { image } = await open.push('unwanted:1');
    open.holds = (url) => url.includes('/unwanted/blobs/');
    const task = await run('default', { image });
    await waitFor('it to pull', () => open.held.length > 0);
    await stop(task);
    open.release();
    const again = await run('default', { image });
    await becomes(again, 'RUNNING');
    await stop(again);
});

test('no such image: said once, not asked for again and again', async () => {
    const task = await run('default', { image: `${open.host}/none:1` });
    const stopped = await becomes(task, 'STOPPED');
    assert.strictEqual(stopped.stopCode, 'TaskFailedToStart');
    assert.match(stopped.containers[0].reason, /^CannotPullContainerError: .*(not found|manifest unknown)/);
    assert.ok(open.count('/v2/none/manifests/1') < 10, open.asked.join('\n'));
    assert.strictEqual(stopped.containers[0].exitCode, undefined);
});

test('the registry gone: default falls back, always and once stop the whole task, prefer-cached does not ask', async () => {
    const { image } = await open.push('behaviour:1');
    for (const behaviour of ['always', 'once', 'prefer-cached']) await machine(behaviour, ['--image-pull', behaviour]);
    const first = await run('default', { image });
    await becomes(first, 'RUNNING');
    const pulledOnce = await run('once', { image });
    await becomes(pulledOnce, 'RUNNING');
    open.cut = true;

    const fallen = await run('default', { image });
    const running = await becomes(fallen, 'RUNNING');
    assert.strictEqual(running.containers[0].reason, undefined, 'it runs');
    assert.match(running.containers[0].imageDigest, /^sha256:/);

    const cached = await run('prefer-cached', { image });
    assert.strictEqual((await becomes(cached, 'RUNNING')).containers[0].reason, undefined);

    const again = await run('once', { image });
    assert.strictEqual((await becomes(again, 'RUNNING')).containers[0].reason, undefined);

    // A final answer of the registry needs no patience; no answer, a minute of it.
    open.cut = false;
    const missing = `${open.host}/behaviour:2`;
    docker('tag', image, missing);
    for (const cluster of ['always', 'once']) {
        const task = await run(cluster, { image }, { image: missing, essential: false });
        const stopped = await becomes(task, 'STOPPED');
        assert.match(stopped.containers.find((one) => one.name === 'c1').reason, /^CannotPullImageManifestError: /, cluster);
    }
    for (const task of [first, pulledOnce, fallen, cached, again]) await stop(task);
});

test('a registry that falls silent: the pull is tried again, and then it is over', async () => {
    await machine('silent', ['--image-pull-inactivity-timeout', '2s']);
    const { image } = await open.push('silent:1');
    open.holds = (url) => url.includes('/silent/blobs/');
    const task = await run('silent', { image });
    const stopped = await becomes(task, 'STOPPED');
    assert.match(stopped.containers[0].reason, /^CannotPullContainerError: the pull made no progress for 2s$/);
    assert.ok(open.held.length >= 5, 'five attempts');
    open.release();
});

test('logins: none, a wrong one, a right one in a file that changes, and one in the settings of the ECS agent; no password is shown', async () => {
    const { image, digest } = await locked.push('private:1');
    const task = await run('default', { image });
    assert.match((await becomes(task, 'STOPPED')).containers[0].reason, /^CannotPullContainerError: .*no basic auth credentials/);

    const logins = path.join(folder, 'logins.json'), settings = path.join(folder, 'ecs.config');
    writeFileSync(logins, locked.logins({ username: 'bob', password: 'wr0ng-s3cret' }));
    writeFileSync(settings, `ECS_ENGINE_AUTH_TYPE=docker\nECS_ENGINE_AUTH_DATA=${JSON.stringify({ [locked.host]: { ...locked.login, email: 'b@example' } })}\n`);
    await machine('file', ['--registry-auth', logins]);
    await machine('settings', ['--ecs-config', settings, '--image-pull', 'always']);

    const asked = locked.asked.length;
    assert.match((await becomes(await run('file', { image }), 'STOPPED')).containers[0].reason, /^CannotPullContainerError: .*unauthorized/);
    assert.ok(locked.asked.length - asked < 20, 'a wrong password is not tried again and again');

    writeFileSync(logins, locked.logins());
    for (const cluster of ['file', 'settings']) {
        const good = await run(cluster, { image });
        assert.strictEqual((await becomes(good, 'RUNNING')).containers[0].imageDigest, digest, cluster);
        await stop(good);
    }
    for (const cluster of ['default', 'file', 'settings']) {
        const files = readdirSync(agents[cluster].data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
        const texts = [agents[cluster].output, ...files.map((entry) => readFileSync(path.join(entry.path ?? entry.parentPath ?? agents[cluster].data, entry.name), 'utf8'))];
        assert.ok(texts.every((text) => !/s3cret/.test(text) && !text.includes(Buffer.from('bob:very-s3cret').toString('base64').slice(0, 12))), cluster);
    }
});

test('a login from a secret: none, one that is no login, a wrong password, the right one; it is nowhere else', async () => {
    const { image, digest } = await locked.push('by-secret:1');
    const arn = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:team/registry';
    const tries = (credentialsParameter) => run('default', { image, repositoryCredentials: { credentialsParameter } });
    const fails = async (pattern) => {
        const stopped = await becomes(await tries(arn), 'STOPPED');
        assert.strictEqual(stopped.stopCode, 'TaskFailedToStart');
        assert.match(stopped.containers[0].reason, pattern);
    };
    await fails(/^CannotPullContainerAuthError: engine: failed to apply private registry credentials: .*team\/registry/);
    await server.aws('secretsmanager', 'create-secret', '--name', 'team/registry', '--secret-string', 'very-s3cret');
    await fails(/^CannotPullContainerAuthError: engine: failed to apply private registry credentials: (?!.*s3cret)/);
    const put = (login) => server.aws('secretsmanager', 'put-secret-value', '--secret-id', 'team/registry', '--secret-string', JSON.stringify(login));
    await put({ username: 'bob', password: 'wr0ng-s3cret' });
    await fails(/^CannotPullContainerError: .*unauthorized(?!.*s3cret)/);
    await put(locked.login);                                    // the next pull asks again
    const good = await tries('team/registry');
    assert.strictEqual((await becomes(good, 'RUNNING')).containers[0].imageDigest, digest);
    await stop(good);
    const files = readdirSync(agents.default.data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const texts = [agents.default.output, server.process.output, ...files.map((entry) => readFileSync(path.join(entry.path ?? entry.parentPath ?? agents.default.data, entry.name), 'utf8'))];
    assert.ok(texts.every((text) => !/s3cret/.test(text)));
});

test('how far a pull is, while a task waits for it', async () => {
    const { image } = await open.push('far:1');
    const ask = async (pathname) => (await server.raw({ method: 'GET', pathname, contentType: undefined })).json;
    const mine = async () => (await ask('/berth/v1/pulls')).pulls.filter((one) => one.image === image);
    open.holds = (url) => url.includes('/far/blobs/');
    const task = await run('default', { image }), id = task.arn.split('/').pop();
    const [pull] = await waitFor('it to be reported', async () => { const found = await mine(); return found.length > 0 && found; });
    assert.deepStrictEqual(pull.tasks, [id]);
    assert.ok((await ask(`/berth/v1/why?task=${id}`)).detail.includes(`That machine is pulling ${image}`));
    open.release();
    await becomes(task, 'RUNNING');
    await waitFor('it to be over', async () => (await mine()).length === 0);
    await stop(task);
});

test('clean-up: kept containers outlive the agent and keep their image; without them the image goes, but not one that was here before', async () => {
    const kept = await open.push('stays:1'), gone = await open.push('leaves:1');
    const args = ['--image-cleanup-interval', '1s', '--image-minimum-age', '0s'];
    await machine('kept', args);
    await machine('tidy', [...args, '--task-cleanup-wait', '0s']);
    const first = await becomes(await run('kept', { image: kept.image, command: ['true'] }), 'STOPPED');
    await agents.kept.signal('SIGTERM');
    agents.kept = await server.agentIn(agents.kept.data, ['--docker-socket', socket, '--runtime', 'docker', '--cluster', 'kept', ...args]);

    const second = await becomes(await run('tidy', { image: gone.image, command: ['true'] }), 'STOPPED');
    await becomes(await run('tidy', { image: 'busybox:latest', command: ['true'] }), 'STOPPED');
    await waitFor('its container to go', () => !docker('ps', '-a', '--no-trunc', '-q').includes(second.containers[0].runtimeId));
    await waitFor('its image to go', () => !isHere(gone.image));
    assert.ok(isHere('busybox:latest'));
    assert.strictEqual(docker('inspect', '--type', 'container', '--format', '{{.State.Status}}', first.containers[0].runtimeId), 'exited', 'to be looked into');
    assert.ok(isHere(kept.image));
});

test('an image that is wanted before any task wants it', async () => {
    const { image } = await open.push('early:1');
    await machine('early', ['--pre-pull', `${image},busybox:latest`, '--image-cleanup-interval', '1s', '--image-minimum-age', '0s']);
    await waitFor('the image', () => isHere(image));
    const task = await run('early', { image });
    await becomes(task, 'RUNNING');
    await stop(task);
    assert.ok(isHere(image));
});

test('images that the cluster wants early, by its tags: a machine that joins later brings them and keeps them, while the tags last', async () => {
    const wanted = [await open.push('ordered:1'), await open.push('ordered:2'), await open.push('ordered:3')];
    const args = ['--image-cleanup-interval', '1s', '--image-minimum-age', '0s'];
    const { cluster: { clusterArn } } = await ecs('create-cluster', '--cluster-name', 'ordered');
    await ecs('tag-resource', '--resource-arn', clusterArn, '--tags', `key=berth:pre-pull,value=${wanted[0].image} ${wanted[1].image}`, `key=berth:pre-pull-eval,value=${wanted[2].image}`,
        'key=team,value=somebody/else:1');
    agents.ordered = await server.agent(['--docker-socket', socket, '--runtime', 'docker', '--stop-timeout', '1s', '--cluster', 'ordered', ...args]);
    await waitFor('all three', () => wanted.every(({ image }) => isHere(image)));
    const task = await run('ordered', { image: wanted[0].image, command: ['true'] });
    await becomes(task, 'STOPPED');
    assert.ok(wanted.every(({ image }) => isHere(image)), 'rounds of tidying have passed');

    await ecs('untag-resource', '--resource-arn', clusterArn, '--tag-keys', 'berth:pre-pull-eval');
    await agents.ordered.signal('SIGTERM');
    agents.ordered = await server.agentIn(agents.ordered.data, ['--docker-socket', socket, '--runtime', 'docker', '--cluster', 'ordered', ...args]);
    await waitFor('what nobody wants any more to go', () => !isHere(wanted[2].image));
    assert.ok(isHere(wanted[1].image), 'an image that is still wanted stays');
});

// One port for one task at a time: the old one has to make room.
test('before a task stops to make room, the image of the new revision is pulled, with its login; a pull that fails holds nothing up', async () => {
    const cluster = 'room', secret = 'team/room', tags = ['key=berth:replace,value=stop-first', 'key=berth:healthy-after,value=1'];
    const first = await locked.push('room:1'), second = await locked.push('room:2');
    await machine(cluster);
    await server.aws('secretsmanager', 'create-secret', '--name', secret, '--secret-string', JSON.stringify(locked.login));
    const define = (image) => ecs('register-task-definition', '--family', 'room', '--execution-role-arn', 'arn:aws:iam::123456789012:role/run', '--container-definitions', JSON.stringify(
        [{ name: 'main', image, memory: 16, command: ['sleep', '600'], portMappings: [{ containerPort: 80, hostPort: 18321 }], repositoryCredentials: { credentialsParameter: secret } }]));
    const service = async () => (await ecs('describe-services', '--cluster', cluster, '--services', 'room')).services[0];
    const rolledOut = (definition) => waitFor(`${definition} to be steady`, async () => { const [one] = (await service()).deployments; return one.taskDefinition.endsWith(definition) && one.rolloutState === 'COMPLETED'; }, { seconds: 120 });
    const taskOf = async () => ({ cluster, arn: (await ecs('list-tasks', '--cluster', cluster, '--desired-status', 'RUNNING')).taskArns[0] });
    const why = async () => (await server.raw({ method: 'GET', pathname: `/berth/v1/why?service=room&cluster=${cluster}`, contentType: undefined })).json.detail;
    await define(first.image);
    await ecs('create-service', '--cluster', cluster, '--service-name', 'room', '--task-definition', 'room:1', '--desired-count', '1', '--tags', ...tags);
    await rolledOut('room:1');

    const old = await taskOf();
    locked.holds = (url) => url.includes('/room/blobs/');
    await define(second.image);
    await ecs('update-service', '--cluster', cluster, '--service', 'room', '--task-definition', 'room:2');
    await waitFor('the pull', () => locked.held.length > 0);
    assert.match(await why(), /The image of the new revision is being pulled on /);
    assert.strictEqual((await describe(old)).desiredStatus, 'RUNNING');
    locked.release();
    await rolledOut('room:2');
    const log = agents[cluster].output, here = log.indexOf(`an image is here image=${second.image}`), ended = log.indexOf(`a task has ended task=${old.arn.split('/').pop()}`);
    assert.ok(here >= 0 && here < ended, log);

    const next = await taskOf();
    await define(`${locked.host}/room:3`);
    await ecs('update-service', '--cluster', cluster, '--service', 'room', '--task-definition', 'room:3');
    await waitFor('its event', async () => (await service()).events.some(({ message }) => /an image cannot be pulled on .* before an old task stops there: CannotPullContainerError: .*not found/.test(message)));
    await becomes(next, 'STOPPED');
    await ecs('delete-service', '--cluster', cluster, '--service', 'room', '--force');
});
