// Calls of the server over HTTP: lifecycle hooks of a deployment, also when the server is killed in between, and alarms whose names are addresses.
// The services want no tasks, so that their stages wait for the hooks alone.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { Authority } from '../lib/certificates.mjs';
import { Server, remove, waitFor } from '../lib/lib.mjs';

const stages = ['PRE_SCALE_UP', 'POST_SCALE_UP', 'TEST_TRAFFIC_SHIFT', 'POST_TEST_TRAFFIC_SHIFT', 'PRE_PRODUCTION_TRAFFIC_SHIFT', 'PRODUCTION_TRAFFIC_SHIFT',
    'POST_PRODUCTION_TRAFFIC_SHIFT'];
let server, receiver, base;
const calls = [];                    // { path, body } in the order of arrival
const answers = {};                  // path → the next answers, one after the other; then SUCCEEDED. 'never': no answer

before(async () => {
    receiver = http.createServer((request, response) => {
        let text = '';
        request.on('data', (data) => { text += data; });
        request.on('end', () => {
            calls.push({ path: request.url, method: request.method, type: request.headers['content-type'], body: text === '' ? undefined : JSON.parse(text) });
            const answer = answers[request.url]?.shift() ?? { hookStatus: 'SUCCEEDED' };
            if (answer === 'never') return;
            response.statusCode = answer.statusCode ?? 200;
            response.end(JSON.stringify(answer));
        });
    });
    await new Promise((resolve) => { receiver.listen(0, '127.0.0.1', resolve); });
    base = `http://127.0.0.1:${receiver.address().port}`;
    server = await Server.start();
    await server.call('CreateCluster');
    for (let n = 0; n < 2; n++) await server.call('RegisterTaskDefinition', { family: 'web', containerDefinitions: [{ name: 'main', image: 'busybox', memory: 16 }] });
});
after(async () => {
    receiver.closeAllConnections();
    receiver.close();
    await server.stop();
});

async function send(operation, input) {
    const { status, json } = await server.call(operation, input);
    assert.strictEqual(status, 200, json.message);
    return json;
}
const act = async ({ currentServiceDeployment }) => (await send('DescribeServiceDeployments', { serviceDeploymentArns: [currentServiceDeployment] })).serviceDeployments[0];
const ended = (service) => waitFor('the end of the deployment', async () => { const found = await act(service); return found.finishedAt && found; });
const at = (path) => calls.filter((call) => call.path === path);

// A service that runs web:1 and goes to web:2 with these hooks.
async function begin(service, lifecycleHooks, more = {}) {
    const { service: made } = await send('CreateService', { serviceName: service, taskDefinition: 'web:1', desiredCount: 0 });
    await ended(made);
    const deploymentConfiguration = { strategy: 'BLUE_GREEN', bakeTimeInMinutes: 0, lifecycleHooks, ...more };
    return (await send('UpdateService', { service, taskDefinition: 'web:2', deploymentConfiguration })).service;
}

let watched;                         // begins first and ends last: a check is asked for every ten seconds
test('an alarm whose name is an address is asked for at once', async () => {
    answers['/health'] = [{}, { statusCode: 503 }];
    watched = await begin('watched', [{ targetType: 'PAUSE', lifecycleStages: ['PRE_SCALE_UP'] }],
        { alarms: { alarmNames: [`${base}/health`], enable: true, rollback: true } });
    const [{ method, body }] = await waitFor('the first check', () => at('/health').length > 0 && at('/health'));
    assert.deepStrictEqual([method, body], ['GET', undefined]);
});

test('a hook is called at each stage, again while it is in progress, and sees the weights', async () => {
    answers['/all'] = [{ hookStatus: 'IN_PROGRESS', callBackDelay: 1, hookDetails: { seen: true } }];
    const service = await begin('hooked', [{ hookTargetArn: `${base}/all`, lifecycleStages: stages, hookDetails: { team: 'a' } }]);
    const waiting = await waitFor('the hook', async () => { const found = await act(service); return found.lifecycleHookDetails?.length > 0 && found; });
    const [{ expiresAt, ...hook }] = waiting.lifecycleHookDetails;
    const done = await ended(service);
    assert.strictEqual(done.status, 'SUCCESSFUL', done.statusReason);
    const seen = at('/all');
    assert.deepStrictEqual(seen.map(({ body }) => body.lifecycleStage), ['PRE_SCALE_UP', ...stages]);
    assert.strictEqual(seen[0].body.executionId, seen[1].body.executionId, 'the same execution');
    assert.strictEqual(new Set(seen.map(({ body }) => body.executionId)).size, stages.length, 'one for each stage');
    assert.deepStrictEqual(seen.slice(0, 3).map(({ body }) => body.hookDetails), [{ team: 'a' }, { team: 'a', seen: true }, { team: 'a' }]);
    assert.ok(expiresAt > waiting.startedAt);
    assert.deepStrictEqual(hook, { hookId: seen[0].body.executionId, targetType: 'AWS_LAMBDA', targetArn: `${base}/all`, status: 'IN_PROGRESS', timeoutAction: 'ROLLBACK' });
    const green = done.targetServiceRevision.arn, blue = done.sourceServiceRevisions[0].arn;
    const details = { serviceArn: service.serviceArn, targetServiceRevisionArn: green, testTrafficWeights: {}, productionTrafficWeights: {} };
    assert.deepStrictEqual(seen[0], { path: '/all', method: 'POST', type: 'application/json', body: { executionId: hook.hookId, lifecycleStage: 'PRE_SCALE_UP',
        resourceArn: service.currentServiceDeployment, executionDetails: details, hookDetails: { team: 'a' } } });
    const production = (stage) => seen.find(({ body }) => body.lifecycleStage === stage).body.executionDetails.productionTrafficWeights;
    assert.deepStrictEqual([production('PRE_PRODUCTION_TRAFFIC_SHIFT'), production('PRODUCTION_TRAFFIC_SHIFT')], [{ [green]: 0, [blue]: 100 }, { [green]: 100, [blue]: 0 }]);
    assert.match(server.process.output, new RegExp(`service: eventName=HOOK_SUCCEEDED eventType=INFO service=${service.serviceArn} hook=${hook.hookId}`));
});

test('a hook that fails brings the blue revision back, and the reason names it', async () => {
    answers['/bad'] = [{ hookStatus: 'FAILED' }];
    answers['/broken'] = [{ hookStatus: undefined }];
    answers['/gone'] = [{ statusCode: 404 }];
    for (const [name, says] of [
        ['bad', `Lifecycle hook target ${base}/bad returned FAILED status.`],
        ['broken', `ECS was unable to parse the response from ${base}/broken due to HookStatus must not be null`],
        ['gone', `ECS was unable to invoke hook target ${base}/gone due to status 404`],
    ]) {
        const service = await begin(name, [{ hookTargetArn: `${base}/${name}`, lifecycleStages: ['POST_SCALE_UP'], roleArn: 'arn:aws:iam::123456789012:role/r' }]);
        const done = await ended(service);
        assert.strictEqual(done.status, 'ROLLBACK_SUCCESSFUL');
        assert.strictEqual(done.statusReason, `Service deployment rolled back because POST_SCALE_UP lifecycle hook(s) failed. ${says}`);
        assert.strictEqual((await send('DescribeServices', { services: [name] })).services[0].taskDefinition, service.taskDefinition.replace(/2$/, '1'));
    }
});

test('a receiver whose certificate nobody trusts is not called', async () => {
    const authority = new Authority(), { cert, key } = authority.issue('receiver');
    let called = false;
    const secure = https.createServer({ cert: readFileSync(cert), key: readFileSync(key) }, () => { called = true; });
    await new Promise((resolve) => { secure.listen(0, '127.0.0.1', resolve); });
    const service = await begin('secure', [{ hookTargetArn: `https://127.0.0.1:${secure.address().port}/`, lifecycleStages: ['PRE_SCALE_UP'] }]);
    await waitFor('the refusal', () => /calls: no answer for ecs-lambda-[0-9a-f]{32}: .*certificate/.test(server.process.output));
    assert.strictEqual((await act(service)).lifecycleHookDetails[0].status, 'IN_PROGRESS', 'it is tried again');
    await send('StopServiceDeployment', { serviceDeploymentArn: service.currentServiceDeployment });
    assert.strictEqual((await ended(service)).status, 'ROLLBACK_SUCCESSFUL');
    assert.strictEqual(called, false);
    secure.close();
    remove(authority.folder);
});

test('a server that was killed calls the hook again, as the same execution', async () => {
    answers['/kill'] = ['never'];
    const service = await begin('killed', [{ hookTargetArn: `${base}/kill`, lifecycleStages: ['PRE_SCALE_UP', 'POST_SCALE_UP'] }]);
    await waitFor('the call', () => at('/kill').length === 1);
    await server.kill9();
    server = await Server.start({ data: server.data });
    const done = await ended(service);
    assert.strictEqual(done.status, 'SUCCESSFUL', done.statusReason);
    const [first, again, next] = at('/kill').map(({ body }) => body);
    assert.deepStrictEqual([first, next.lifecycleStage], [again, 'POST_SCALE_UP']);
});

test('the alarm ends the deployment when its address answers no more with 200', async () => {
    const done = await ended(watched);
    assert.deepStrictEqual([done.status, done.statusReason, done.alarms.triggeredAlarmNames],
        ['ROLLBACK_SUCCESSFUL', 'Service deployment rolled back because alarm(s) were triggered.', [`${base}/health`]]);
    assert.strictEqual(at('/health').length, 2);
});
