// The calls of Terraform and its AWS provider 5.100 for the files of examples/terraform, as terraform_examples.test.mjs has recorded them, made again where there is no
// Terraform: apply, plans, changes by hand and by file, refusals and destroy. Each is answered as then, except names that a server gives and how far tasks are.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { Server, endProcesses, program, remove, waitFor } from '../lib/lib.mjs';
import { isSame, masked, translated } from '../lib/recorder.mjs';

const calls = JSON.parse(readFileSync(new URL('terraform_calls.json', import.meta.url), 'utf8'));
const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-calls-'));
let server;
before(async () => {
    const file = path.join(folder, 'provisioners.json'), temporary = path.join(folder, 'tmp');
    mkdirSync(temporary);
    const environment = { AWS_ACCESS_KEY_ID: 'AKIACONTRACTTESTROOT', AWS_SECRET_ACCESS_KEY: 'contract/test/secret/of/forty/characters' };
    writeFileSync(file, JSON.stringify({ test: { fake: 'g4dn.xlarge', environment } }));
    server = await Server.start({ args: ['--provisioners', file], env: { TMPDIR: temporary } });
    const made = execFileSync(program, ['keys', 'create', '--data', server.data, '--output', 'json'], { stdio: ['ignore', 'pipe', 'ignore'] });
    ({ AccessKeyId: server.key, SecretAccessKey: server.secret } = JSON.parse(made).AccessKey);       // the user admin, as in the recording
});
after(async () => {
    await server.stop();
    await endProcesses(folder);
    remove(folder);
});

// A read is made until its answer is as recorded: machines come, tasks end, targets leave. So is a call that was refused because something was still going on then;
// one that succeeds now though it was refused then has only come later.
const names = new Map();
// Machines have other ids in each run, and may be more of them.
async function withMachines(body) {
    const form = new URLSearchParams(body), name = form.get('AutoScalingGroupName');
    const { Instances: instances } = (await server.aws('autoscaling', 'describe-auto-scaling-groups', '--auto-scaling-group-names', name)).AutoScalingGroups[0];
    for (const key of [...form.keys()].filter((one) => one.startsWith('InstanceIds.'))) form.delete(key);
    for (const [at, { InstanceId: id }] of instances.entries()) form.set(`InstanceIds.member.${at + 1}`, id);
    return form.toString();
}
async function again({ operation, scopeRegion, target, body, status, reply }) {
    const service = operation.split(':')[0], contentType = target ? 'application/x-amz-json-1.1' : 'application/x-www-form-urlencoded; charset=utf-8';
    if (operation === 'autoscaling:SetInstanceProtection') body = await withMachines(body);
    const isRead = /:(Describe|List|Get)/.test(operation);
    let last;
    const matches = async () => {
        last = await server.raw({ service, scopeRegion, target, contentType, body: translated(body, names) });
        return last.status === status && isSame(reply, masked(last.text), names);
    };
    if (!await matches() && (isRead || (status === 200 && last.status !== 200))) {
        await waitFor(`${operation} to be answered as recorded`, matches, { seconds: 60 }).catch(() => assert.strictEqual(masked(last.text), reply, `${operation} ${body}`));
        return;
    }
    const settled = status !== 200 && last.status === 200;
    if (!settled) assert.deepStrictEqual([last.status, isSame(reply, masked(last.text), names)], [status, true], `${operation} ${body}\n${reply}\n${masked(last.text)}`);
}

// As then, tasks run on the machines that come, each with its own address.
async function settle(name) {
    const cluster = `gpu-inference-${name}`, serviceName = `llm-inference-${name}`;
    const { desiredCount } = await waitFor(`the tasks of ${name}`, async () => {
        const { services: [service] } = (await server.call('DescribeServices', { cluster, services: [serviceName] })).json;
        return service.deployments.length === 1 && service.runningCount === service.desiredCount && service;
    });
    const { taskArns } = (await server.call('ListTasks', { cluster, serviceName })).json, { tasks } = (await server.call('DescribeTasks', { cluster, tasks: taskArns })).json;
    const addresses = tasks.filter((task) => task.lastStatus === 'RUNNING').map(({ attachments: [attached] }) => attached.details.find((one) => one.name === 'privateIPv4Address').value);
    assert.strictEqual(new Set(addresses).size, desiredCount);
    for (const address of addresses) assert.match(address, /^2[45]\d(\.\d+){3}$/);
}

test('each call of the recording is answered as it was', async () => {
    assert.ok(calls.length > 100);
    for (const call of calls) {
        await again(call);
        if (call.operation === 'autoscaling:SetDesiredCapacity') for (const name of ['managed', 'traditional']) await settle(name);
    }
});

test('nothing is left', async () => {
    assert.deepStrictEqual((await server.aws('autoscaling', 'describe-auto-scaling-groups')).AutoScalingGroups, []);
    assert.deepStrictEqual((await server.aws('iam', 'list-roles')).Roles, []);
    assert.deepStrictEqual((await server.aws('ec2', 'describe-launch-templates')).LaunchTemplates, []);
    assert.deepStrictEqual(readdirSync(path.join(folder, 'tmp')).filter((name) => name.startsWith('berth-fake-')), []);
});
