// docs/terraform.md as it is written, with the real Terraform and its AWS provider and the files of examples/terraform: its commands are run in one shell, and between
// them the test looks at the server's state: machines that register, services that run on them, changes, drifts, refusals, and an empty store in the end.
//
// All calls of Terraform pass a recorder. With RECORD=1 they are kept in terraform_calls.json, which terraform_calls.test.mjs makes where there is no Terraform.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Server, endProcesses, program, remove, root, waitFor } from '../lib/lib.mjs';
import { Recorder } from '../lib/recorder.mjs';
import { Terraform, lacksTerraform, terraformEnvironment } from '../lib/terraform.mjs';

const skip = lacksTerraform('the files of examples/terraform are');
const recording = new URL('terraform_calls.json', import.meta.url);
const clusters = ['gpu-inference-managed', 'gpu-inference-traditional'], groups = ['ecs-managed-gpu', 'gpu-ecs-asg-traditional'];
const services = ['llm-inference-managed', 'llm-inference-traditional'];
let folder, files, shell, server, recorder, tool, port;

// The page's blocks of commands, in their order.
const page = readFileSync(path.join(root, 'docs/terraform.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text);

async function freePort() {
    const taken = net.createServer();
    await new Promise((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port: free } = taken.address();
    await new Promise((resolve) => taken.close(resolve));
    return free;
}

// One bash for the whole page: its variables, folder and processes in the background stay.
class Shell {
    constructor(cwd, env) {
        this.output = '';
        this.child = spawn('bash', ['--norc'], { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
        for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', (data) => { this.output += data; });
        this.child.stdin.write('shopt -s expand_aliases\ntrap \'echo "@@ failed: $BASH_COMMAND"\' ERR\n');
    }
    async run(text) {
        const from = this.output.length;
        this.child.stdin.write(`${text.replaceAll('127.0.0.1:9280', `127.0.0.1:${port}`)}\necho "@@ done"\n`);
        await waitFor(`the end of ${text}`, () => this.output.includes('@@ done', from), { seconds: 600 });
        const said = this.output.slice(from);
        assert.doesNotMatch(said, /^@@ failed/m, said);
        return said;
    }
    async end() {
        const ended = new Promise((resolve) => this.child.on('close', resolve));
        try { process.kill(-this.child.pid, 'SIGTERM'); } catch { /* it has ended */ }
        await ended;
    }
}

before(async () => {
    if (skip) return;
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-examples-'));
    files = path.join(folder, 'examples/terraform');
    cpSync(path.join(root, 'examples/terraform'), files, { recursive: true });
    mkdirSync(path.join(folder, 'bin'));
    mkdirSync(path.join(folder, 'tmp'));
    symlinkSync(program, path.join(folder, 'bin/berth'));
    port = await freePort();
    recorder = await Recorder.start(`http://127.0.0.1:${port}`);
    const environment = { ...terraformEnvironment(folder), PATH: `${folder}/bin:${process.env.PATH}`, TMPDIR: path.join(folder, 'tmp'), AWS_PAGER: '', AWS_EC2_METADATA_DISABLED: 'true',
        BERTH_LISTEN: `127.0.0.1:${port}`, BERTH_AGENT_LISTEN: '127.0.0.1:0', BERTH_SERVER: `http://127.0.0.1:${port}`, TF_VAR_berth: recorder.url, TF_CLI_ARGS: '-no-color' };
    shell = new Shell(folder, environment);
    await shell.run(blocks[0]);
    const [key, secret] = (await shell.run('echo "keys: $AWS_ACCESS_KEY_ID $AWS_SECRET_ACCESS_KEY"')).match(/keys: (\S+) (\S+)/).slice(1);
    server = Server.at(`http://127.0.0.1:${port}`, { key, secret });
    tool = new Terraform(files, { ...environment, ...server.environment() });
});
after(async () => {
    if (skip) return;
    await shell?.end();
    await recorder?.stop();
    await endProcesses(folder);
    remove(folder);
});

const aws = (...args) => Server.at(recorder.url, server).aws(...args);
const describe = async (which) => (await server.call('DescribeServices', { cluster: clusters[which], services: [services[which]] })).json.services[0];
const group = async (which) => (await server.aws('autoscaling', 'describe-auto-scaling-groups', '--auto-scaling-group-names', groups[which])).AutoScalingGroups[0];
const machines = async (which) => {
    const { containerInstanceArns: containerInstances } = (await server.call('ListContainerInstances', { cluster: clusters[which] })).json;
    return containerInstances.length === 0 ? [] : (await server.call('DescribeContainerInstances', { cluster: clusters[which], containerInstances })).json.containerInstances;
};
const size = (which, count) => waitFor(`${groups[which]} to have ${count} machines`, async () => (await machines(which)).length === count);
const want = (which, count) => aws('autoscaling', 'set-desired-capacity', '--auto-scaling-group-name', groups[which], '--desired-capacity', String(count));
const settled = (which, count) => waitFor(`${services[which]} to have ${count} tasks`, async () => {
    const { runningCount, deployments } = await describe(which);
    return runningCount === count && deployments.length === 1 && deployments[0].rolloutState === 'COMPLETED';
});
const edit = (name, ...changes) => {
    const file = path.join(files, name);
    let text = readFileSync(file, 'utf8');
    for (const [before, after] of changes) {
        assert.ok(text.includes(before), `${name}: ${before}`);
        text = text.replace(before, after);
    }
    writeFileSync(file, text);
};
const unchanged = () => tool.works('plan', '-detailed-exitcode');

test('applied, and the next plan is empty', { skip }, async () => {
    const said = await shell.run(blocks[1]);
    assert.match(said, /Resources: 23 added, 0 changed, 0 destroyed/);
    assert.match(said, /No changes\. Your infrastructure matches the configuration\./);
});

test('a machine that came before its capacity provider joins the cluster of its user data, and is the provider\'s', { skip }, async () => {
    const [machine] = await waitFor('the machine', async () => { const all = await machines(1); return all.length > 0 && all; });
    assert.strictEqual(machine.capacityProviderName, 'gpu-traditional-capacity-provider');
    const { DesiredCapacity, Instances: instances } = await group(1);
    assert.ok(DesiredCapacity >= 1);
    const instance = instances.find((one) => one.InstanceId === machine.ec2InstanceId);
    assert.deepStrictEqual([instance.InstanceType, instance.LifecycleState, instance.ProtectedFromScaleIn], ['g4dn.xlarge', 'InService', true]);
});

test('groups and launch templates are shown as they are written', { skip }, async () => {
    const { LaunchTemplates: templates } = await server.aws('ec2', 'describe-launch-templates');
    const data = async (name) => (await server.aws('ec2', 'describe-launch-template-versions', '--versions', '$Latest', '--launch-template-name',
        templates.find((one) => one.LaunchTemplateName.startsWith(name)).LaunchTemplateName)).LaunchTemplateVersions[0].LaunchTemplateData;
    const { AllowedInstanceTypes: types, ...requirements } = (await data('ecs-managed')).InstanceRequirements;
    assert.deepStrictEqual(requirements, { VCpuCount: { Min: 4 }, MemoryMiB: { Min: 16384 }, AcceleratorTypes: ['gpu'], AcceleratorCount: { Min: 1, Max: 1 },
        AcceleratorManufacturers: ['nvidia'] });
    assert.deepStrictEqual(types.sort(), ['g4dn.2xlarge', 'g4dn.xlarge']);
    const traditional = await data('gpu-ecs');
    assert.match(Buffer.from(traditional.UserData, 'base64').toString(), /^ECS_CLUSTER=gpu-inference-traditional$/m);
    assert.strictEqual(traditional.InstanceType, 'g4dn.xlarge');
    const { AutoScalingGroups: shown } = await server.aws('autoscaling', 'describe-auto-scaling-groups');
    assert.deepStrictEqual(shown.map((one) => [one.AutoScalingGroupName, one.MinSize, one.MaxSize, one.NewInstancesProtectedFromScaleIn]), [[groups[0], 0, 2, false], [groups[1], 0, 5, true]]);
    const ami = '/aws/service/ecs/optimized-ami/amazon-linux-2/gpu/recommended';
    assert.match(JSON.parse((await server.aws('ssm', 'get-parameters', '--names', ami)).Parameters[0].Value).image_id, /^ami-[0-9a-f]{17}$/);
});

test('machines by hand: the services run on them, behind their target groups, and the plan stays empty', { skip }, async () => {
    await shell.run(blocks[2]);
    for (const which of [0, 1]) {
        await size(which, 2);
        await settled(which, 2);
        const { TargetGroups: [targets] } = await server.aws('elbv2', 'describe-target-groups', '--names', `inference-${['managed', 'traditional'][which]}`);
        const { TargetHealthDescriptions: health } = await server.aws('elbv2', 'describe-target-health', '--target-group-arn', targets.TargetGroupArn);
        assert.deepStrictEqual(health.map((one) => [one.Target.Port, one.TargetHealth.State]), [[8000, 'healthy'], [8000, 'healthy']]);
        assert.strictEqual(new Set(health.map((one) => one.Target.Id)).size, 2, 'each task has an address');
    }
    await unchanged();
});

test('a tag that was taken off by hand is in the plan, and an apply puts it back', { skip }, async () => {
    await aws('autoscaling', 'delete-tags', '--tags', `ResourceId=${groups[1]},ResourceType=auto-scaling-group,Key=Name`);
    const { code, output } = await tool.run('plan', '-detailed-exitcode');
    assert.strictEqual(code, 2, output);
    assert.match(output, /aws_autoscaling_group\.gpu_traditional will be updated in-place/);
    await tool.works('apply', '-auto-approve');
    assert.deepStrictEqual((await group(1)).Tags.map((tag) => [tag.Key, tag.Value, tag.PropagateAtLaunch]), [['Name', 'ecs-gpu-instance', true]]);
});

test('changes: another image, more machines, other types, tags, fewer tasks; and the next plan is empty', { skip }, async () => {
    edit('managed.tf', ['cuda:12.1.0-runtime', 'cuda:12.4.1-runtime'], ['max_size            = 2', 'max_size            = 4'], ['"g4dn.2xlarge"]', '"g4dn.2xlarge", "g5.xlarge"]'],
        ['    value               = true', '    value               = "true"']);
    edit('traditional.tf', ['desired_count   = 2', 'desired_count   = 1'], ['"ecs-gpu-instance"', '"inference"'], ['health_check_grace_period = 300', 'health_check_grace_period = 200']);
    const said = await tool.works('apply', '-auto-approve');
    assert.match(said, /1 added, 5 changed, 1 destroyed/, 'a task definition is replaced');
    await unchanged();
    const [managed, traditional] = [await group(0), await group(1)];
    assert.deepStrictEqual([managed.MaxSize, traditional.HealthCheckGracePeriod, traditional.Tags[0].Value], [4, 200, 'inference']);
    await want(0, 4);                                  // both revisions run at the same time: 100 percent stay healthy
    await size(0, 4);
    await settled(0, 2);
    await settled(1, 1);
    assert.match((await describe(0)).taskDefinition, /llm-inference-managed:2$/);
});

test('fewer machines by hand: those without tasks go, protected ones stay', { skip }, async () => {
    await want(0, 2);
    await size(0, 2);
    await settled(0, 2);
    await assert.rejects(want(0, 5), { code: 'ValidationError' });
    await want(1, 1);
    const { Instances: both } = await group(1);
    assert.deepStrictEqual(both.map((one) => [one.LifecycleState, one.ProtectedFromScaleIn]), [['InService', true], ['InService', true]]);
    const busy = (await machines(1)).find((one) => one.runningTasksCount === 1).ec2InstanceId, idle = both.find((one) => one.InstanceId !== busy).InstanceId;
    await server.aws('autoscaling', 'set-instance-protection', '--auto-scaling-group-name', groups[1], '--no-protected-from-scale-in', '--instance-ids', idle);
    await size(1, 1);
    assert.strictEqual((await machines(1))[0].ec2InstanceId, busy);
});

test('what Berth does not serve ends a plan at once, with its name', { skip }, async () => {
    const extra = path.join(files, 'extra.tf');
    writeFileSync(extra, 'data "aws_instances" "all" {\n}\n');
    const { code, output } = await tool.run('plan');
    assert.strictEqual(code, 1, output);
    assert.strictEqual(recorder.counts.get('ec2:DescribeInstances'), 1, 'the provider does not try again');
    assert.match(output.replaceAll(/[\s│]+/g, ' '), /InvalidAction: Berth does not serve ec2:DescribeInstances\./);
    writeFileSync(extra, `resource "aws_lb_target_group" "again" {
  name        = "inference-managed"
  port        = 8000
  protocol    = "HTTP"
  target_type = "ip"
  vpc_id      = "vpc-1"
}
`);
    const again = await tool.run('apply', '-auto-approve');
    assert.strictEqual(again.code, 1, again.output);
    assert.match(again.output.replaceAll(/[\s│]+/g, ' '), /ELBv2 Target Group \(inference-managed\) already exists/);
    rmSync(extra);
});

test('destroyed: no machine is left, and the store has none of its records', { skip }, async () => {
    await shell.run(blocks[3]);
    for (const which of [0, 1]) {
        assert.strictEqual((await server.call('DescribeClusters', { clusters: [clusters[which]] })).json.clusters[0].status, 'INACTIVE');
        assert.strictEqual(await group(which), undefined);
    }
    const { capacityProviders } = (await server.call('DescribeCapacityProviders', {})).json;
    assert.deepStrictEqual(capacityProviders.map((one) => one.name), ['FARGATE', 'FARGATE_SPOT']);
    assert.deepStrictEqual((await server.call('ListTaskDefinitions', { status: 'ACTIVE' })).json.taskDefinitionArns, []);
    const lists = [['iam', 'list-roles', 'Roles'], ['iam', 'list-instance-profiles', 'InstanceProfiles'], ['ec2', 'describe-security-groups', 'SecurityGroups'],
        ['ec2', 'describe-launch-templates', 'LaunchTemplates'], ['autoscaling', 'describe-auto-scaling-groups', 'AutoScalingGroups'], ['elbv2', 'describe-target-groups', 'TargetGroups']];
    for (const [service, command, member] of lists) assert.deepStrictEqual((await server.aws(service, command))[member], [], command);
    assert.deepStrictEqual(readdirSync(path.join(folder, 'tmp')).filter((name) => name.startsWith('berth-fake-')), [], 'the folders of simulated machines');
});

test('the recording has every operation that Terraform calls', { skip }, () => {
    if (process.env.RECORD) recorder.keep(recording);
    const known = new Set(JSON.parse(readFileSync(recording, 'utf8')).map((call) => call.operation));
    assert.deepStrictEqual([...new Set(recorder.calls.map((call) => call.operation))].filter((operation) => !known.has(operation)), [], 'RECORD=1 makes it again');
});
