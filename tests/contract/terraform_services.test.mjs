// The real Terraform and its AWS provider, for aws_ecs_service, aws_ecs_task_set, aws_cloudwatch_event_rule and _target, aws_scheduler_schedule, and aws_lb of both
// types with its target groups, listeners and rules: apply, an empty plan, a change, import, a deployment that fails, destroy.
import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Server, account, region, waitFor } from '../lib/lib.mjs';
import { Terraform, lacksTerraform, provider, terraformEnvironment } from '../lib/terraform.mjs';

const skip = lacksTerraform('services are');
let server, folder, terraform, works;
before(async () => {
    if (skip) return;
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-terraform-'));
    server = await Server.start();
    const tool = new Terraform(folder, { ...terraformEnvironment(folder), ...server.environment() });
    terraform = (...args) => tool.run(...args);
    works = (...args) => tool.works(...args);
    await server.call('CreateCluster', { clusterName: 'default' });
    const agent = await server.agent(['--runtime', 'process']);
    await waitFor('the machine', async () => (await server.connected('default')) === 1 || agent.status);
});
after(async () => {
    if (skip) return;
    rmSync(folder, { recursive: true, force: true });
    await server.stop();
});

const cluster = `arn:aws:ecs:${region}:${account}:cluster/default`;
const head = () => `
terraform {
  required_providers {
    aws = { source = "hashicorp/aws", version = "${provider}" }
  }
}
provider "aws" {
  region                      = "${region}"
  skip_credentials_validation = true
  skip_requesting_account_id  = false
  skip_metadata_api_check     = true
  skip_region_validation      = true
  endpoints {
    ecs       = "${server.url}"
    sts       = "${server.url}"
    iam       = "${server.url}"
    events    = "${server.url}"
    scheduler = "${server.url}"
    ec2       = "${server.url}"
    elbv2     = "${server.url}"

    appautoscaling = "${server.url}"
  }
}
resource "aws_ecs_task_definition" "web" {
  family                = "web"
  container_definitions = jsonencode([{ name = "main", image = "x", cpu = 64, memory = 64, command = [var.program, "1000"] }])
}
variable "program" {
  default = "sleep"
}
variable "count_of_web" {
  default = 2
}
`;
const service = (name, more) => `
resource "aws_ecs_service" "${name}" {
  name            = "${name}"
  cluster         = "${cluster}"
  task_definition = aws_ecs_task_definition.web.arn
  ${more}
}
`;
const overrides = 'jsonencode({ containerOverrides = [{ name = "main", command = ["true"] }] })';
const schedules = `
variable "rate" {
  default = "rate(1 hour)"
}
resource "aws_cloudwatch_event_rule" "hourly" {
  name                = "hourly"
  description         = "a job"
  schedule_expression = var.rate
  tags                = { Team = "x" }
}
resource "aws_cloudwatch_event_target" "hourly" {
  rule     = aws_cloudwatch_event_rule.hourly.name
  arn      = "${cluster}"
  role_arn = "arn:aws:iam::${account}:role/events"
  input    = ${overrides}
  ecs_target {
    task_definition_arn = aws_ecs_task_definition.web.arn
    task_count          = var.count_of_web
    tags                = { "berth:overlap" = "allow" }
  }
}
resource "aws_scheduler_schedule" "nightly" {
  name                         = "nightly"
  schedule_expression          = "cron(30 2 ? * MON-FRI 2190)"
  schedule_expression_timezone = "Europe/Berlin"
  flexible_time_window {
    mode = "OFF"
  }
  target {
    arn      = "${cluster}"
    role_arn = "arn:aws:iam::${account}:role/scheduler"
    input    = ${overrides}
    ecs_parameters {
      task_definition_arn = aws_ecs_task_definition.web.arn
      task_count          = var.count_of_web
      propagate_tags      = "TASK_DEFINITION"
      tags                = { Team = "x" }
      placement_strategy {
        type  = "binpack"
        field = "cpu"
      }
    }
    retry_policy {
      maximum_retry_attempts       = 3
      maximum_event_age_in_seconds = 600
    }
  }
}
resource "aws_scheduler_schedule" "once" {
  name                = "once"
  schedule_expression = "at(2190-01-01T00:00:00)"
  flexible_time_window {
    mode                      = "FLEXIBLE"
    maximum_window_in_minutes = 15
  }
  target {
    arn      = "${cluster}"
    role_arn = "arn:aws:iam::${account}:role/scheduler"
    ecs_parameters {
      task_definition_arn = aws_ecs_task_definition.web.arn
    }
  }
}
`;
const group = (name) => `
resource "aws_lb_target_group" "${name}" {
  name                 = "${name}"
  port                 = 80
  protocol             = "HTTP"
  vpc_id               = "vpc-1"
  target_type          = "ip"
  deregistration_delay = 20
  health_check {
    path    = var.health
    matcher = "200-299"
  }
  tags = { Team = "x" }
}
`;
const balancers = `
variable "health" {
  default = "/up"
}
variable "green" {
  default = 0
}
${group('blue')}
${group('green')}
resource "aws_lb" "front" {
  name               = "front"
  load_balancer_type = "application"
  internal           = true
  subnets            = ["subnet-1", "subnet-2"]
  security_groups    = ["sg-1"]
  idle_timeout       = 90
  tags               = { Team = "x" }
}
resource "aws_lb_listener" "front" {
  load_balancer_arn = aws_lb.front.arn
  port              = 80
  protocol          = "HTTP"
  default_action {
    type = "fixed-response"
    fixed_response {
      content_type = "text/plain"
      message_body = "no"
      status_code  = "404"
    }
  }
}
resource "aws_lb_listener" "secure" {
  load_balancer_arn = aws_lb.front.arn
  port              = 443
  protocol          = "HTTPS"
  certificate_arn   = "arn:aws:acm:${region}:${account}:certificate/1"
  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.blue.arn
  }
}
resource "aws_lb_listener_rule" "weighted" {
  listener_arn = aws_lb_listener.front.arn
  priority     = 10
  action {
    type = "forward"
    forward {
      target_group {
        arn    = aws_lb_target_group.blue.arn
        weight = 100
      }
      target_group {
        arn    = aws_lb_target_group.green.arn
        weight = var.green
      }
    }
  }
  condition {
    path_pattern {
      values = ["/a/*", "/b"]
    }
  }
  condition {
    http_header {
      http_header_name = "X-A"
      values           = ["b"]
    }
  }
}
resource "aws_lb_listener_rule" "moved" {
  listener_arn = aws_lb_listener.front.arn
  priority     = 20
  action {
    type = "redirect"
    redirect {
      protocol    = "HTTPS"
      port        = "443"
      status_code = "HTTP_301"
    }
  }
  condition {
    host_header {
      values = ["old.example.com"]
    }
  }
}
resource "aws_lb_target_group_attachment" "outside" {
  target_group_arn = aws_lb_target_group.blue.arn
  target_id        = "10.0.0.9"
  port             = 8080
}
`;
const network = `
resource "aws_lb_target_group" "raw" {
  name                 = "raw"
  port                 = 5432
  protocol             = "TCP"
  vpc_id               = "vpc-1"
  target_type          = "ip"
  deregistration_delay = var.green + 20
  health_check {
    protocol = "TCP"
    interval = 10
  }
  stickiness {
    type    = "source_ip"
    enabled = true
  }
}
resource "aws_lb" "net" {
  name                             = "net"
  load_balancer_type               = "network"
  internal                         = true
  subnets                          = ["subnet-1"]
  enable_cross_zone_load_balancing = true
  dns_record_client_routing_policy = "availability_zone_affinity"
}
resource "aws_lb_listener" "raw" {
  load_balancer_arn        = aws_lb.net.arn
  port                     = 5432
  protocol                 = "TCP"
  tcp_idle_timeout_seconds = var.green + 100
  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.raw.arn
  }
}
`;
const scaling = `
resource "aws_appautoscaling_target" "web" {
  service_namespace  = "ecs"
  resource_id        = "service/default/\${aws_ecs_service.web.name}"
  scalable_dimension = "ecs:service:DesiredCount"
  min_capacity       = 1
  max_capacity       = var.count_of_web + 2
  tags               = { Team = "x" }
}
resource "aws_appautoscaling_policy" "cpu" {
  name               = "cpu"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.web.service_namespace
  resource_id        = aws_appautoscaling_target.web.resource_id
  scalable_dimension = aws_appautoscaling_target.web.scalable_dimension
  target_tracking_scaling_policy_configuration {
    target_value       = 60
    scale_out_cooldown = 60
    predefined_metric_specification {
      predefined_metric_type = "ECSServiceAverageCPUUtilization"
    }
  }
}
resource "aws_appautoscaling_policy" "gpu" {
  name               = "gpu"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.web.service_namespace
  resource_id        = aws_appautoscaling_target.web.resource_id
  scalable_dimension = aws_appautoscaling_target.web.scalable_dimension
  target_tracking_scaling_policy_configuration {
    target_value = var.count_of_web * 20
    customized_metric_specification {
      metric_name = "GPUUtilization"
      namespace   = "Berth"
      statistic   = "Average"
      dimensions {
        name  = "ServiceName"
        value = "web"
      }
    }
  }
}
resource "aws_appautoscaling_policy" "step" {
  name               = "step"
  policy_type        = "StepScaling"
  service_namespace  = aws_appautoscaling_target.web.service_namespace
  resource_id        = aws_appautoscaling_target.web.resource_id
  scalable_dimension = aws_appautoscaling_target.web.scalable_dimension
  step_scaling_policy_configuration {
    adjustment_type         = "ChangeInCapacity"
    cooldown                = 60
    metric_aggregation_type = "Maximum"
    step_adjustment {
      metric_interval_lower_bound = 0
      metric_interval_upper_bound = 10
      scaling_adjustment          = 1
    }
    step_adjustment {
      metric_interval_lower_bound = 10
      scaling_adjustment          = 2
    }
  }
}
resource "aws_appautoscaling_scheduled_action" "night" {
  name               = "night"
  service_namespace  = aws_appautoscaling_target.web.service_namespace
  resource_id        = aws_appautoscaling_target.web.resource_id
  scalable_dimension = aws_appautoscaling_target.web.scalable_dimension
  schedule           = "cron(0 22 * * ? 2190)"
  timezone           = "Europe/Berlin"
  scalable_target_action {
    min_capacity = 1
    max_capacity = var.count_of_web
  }
}
`;
const configuration = () => [head(), schedules, balancers, network, scaling,
    service('least', ''),
    service('web', `desired_count = var.count_of_web
  wait_for_steady_state = true
  deployment_circuit_breaker {
    enable   = true
    rollback = true
  }
  tags = { "berth:healthy-after" = "1" }`),
    service('most', `desired_count                      = 1
  deployment_maximum_percent         = 150
  deployment_minimum_healthy_percent = 50
  enable_ecs_managed_tags            = true
  propagate_tags                     = "SERVICE"
  health_check_grace_period_seconds  = 30
  availability_zone_rebalancing      = "DISABLED"
  deployment_circuit_breaker {
    enable   = true
    rollback = true
  }
  ordered_placement_strategy {
    type  = "binpack"
    field = "cpu"
  }
  ordered_placement_strategy {
    type  = "spread"
    field = "host"
  }
  placement_constraints {
    type = "distinctInstance"
  }
  tags = { Team = "x" }`),
    service('daemon', 'scheduling_strategy = "DAEMON"'),
    `
resource "aws_ecs_service" "sets" {
  name          = "sets"
  cluster       = "${cluster}"
  desired_count = 2
  tags          = { "berth:healthy-after" = "1" }
  deployment_controller {
    type = "EXTERNAL"
  }
}
resource "aws_ecs_task_set" "one" {
  service           = aws_ecs_service.sets.id
  cluster           = "${cluster}"
  task_definition   = aws_ecs_task_definition.web.arn
  wait_until_stable = true
  force_delete      = true
  scale {
    value = 50
  }
}
`].join('\n');

const changed = ['-var', 'program=/bin/sleep', '-var', 'count_of_web=3', '-var', 'rate=rate(2 hours)', '-var', 'green=5', '-var', 'health=/ready'];
const describe = async (name) => (await server.call('DescribeServices', { services: [name] })).json.services[0];

const rules = async () => (await server.raw({ service: 'events', target: 'AWSEvents.ListRules', body: '{}' })).json.Rules;
const elb = (...words) => server.aws('elbv2', ...words);
test('services, a task set, schedules and load balancers: applied, and the next plan is empty', { skip }, async () => {
    writeFileSync(path.join(folder, 'main.tf'), configuration());
    await works('init');
    await works('apply', '-auto-approve');
    await works('plan', '-detailed-exitcode');
    const web = await describe('web');
    assert.deepStrictEqual([web.runningCount, web.deployments.length, web.deployments[0].rolloutState], [2, 1, 'COMPLETED'], 'Terraform has waited for it');
});

test('a change is a rolling deployment, and the next plan is empty', { skip }, async () => {
    await works('apply', '-auto-approve', ...changed);
    await works('plan', '-detailed-exitcode', ...changed);
    const web = await describe('web');
    assert.deepStrictEqual([web.runningCount, web.deployments.length, web.taskDefinition.split('/').at(-1)], [3, 1, 'web:2']);
    assert.deepStrictEqual((await rules()).map((rule) => [rule.Name, rule.ScheduleExpression]), [['hourly', 'rate(2 hours)']]);
    const [front] = (await elb('describe-load-balancers', '--names', 'front')).LoadBalancers;
    assert.strictEqual(front.State.Code, 'active');
    const listener = (await elb('describe-listeners', '--load-balancer-arn', front.LoadBalancerArn)).Listeners.find((one) => one.Port === 80);
    const shown = (await elb('describe-rules', '--listener-arn', listener.ListenerArn)).Rules;
    assert.deepStrictEqual(shown.map((one) => one.Priority), ['10', '20', 'default']);
    assert.deepStrictEqual(shown[0].Actions[0].ForwardConfig.TargetGroups.map((one) => one.Weight).sort(), [100, 5]);
    const [blue] = (await elb('describe-target-groups', '--names', 'blue')).TargetGroups;
    assert.strictEqual(blue.HealthCheckPath, '/ready');
    const [target] = (await elb('describe-target-health', '--target-group-arn', blue.TargetGroupArn)).TargetHealthDescriptions;
    assert.deepStrictEqual([target.Target.Id, target.Target.Port], ['10.0.0.9', 8080]);
    const [raw] = (await elb('describe-target-groups', '--names', 'raw')).TargetGroups;
    const { Attributes } = await elb('describe-target-group-attributes', '--target-group-arn', raw.TargetGroupArn);
    const value = (key) => Attributes.find((one) => one.Key === key)?.Value;
    assert.deepStrictEqual([value('deregistration_delay.timeout_seconds'), value('stickiness.type'), value('slow_start.duration_seconds')], ['25', 'source_ip', undefined]);
    await assert.rejects(elb('delete-target-group', '--target-group-arn', blue.TargetGroupArn), { code: 'ResourceInUse' });
});

// The provider reads the cluster of an imported service as its ARN, on ECS too: so the configuration names it so.
test('a service is imported without a difference', { skip }, async () => {
    await works('state', 'rm', 'aws_ecs_service.most', 'aws_ecs_service.daemon');
    for (const name of ['most', 'daemon']) await works('import', ...changed, `aws_ecs_service.${name}`, `default/${name}`);
    const { output } = await terraform('plan', ...changed);
    assert.ok(!/must be replaced|to destroy/.test(output.replace('0 to destroy', '')), output);
});

// This version of the provider waits until one deployment is left and all of its tasks run, so that a rollback ends the apply well.
test('a deployment that fails is rolled back, and the next plan shows the difference', { skip }, async () => {
    const broken = ['-var', 'program=/no/such', '-var', 'count_of_web=3', '-target', 'aws_ecs_service.web'];
    await works('apply', '-auto-approve', ...broken);
    await waitFor('the rollback', async () => (await describe('web')).taskDefinition.endsWith('web:2'));
    const { serviceDeployments: [last] } = (await server.call('ListServiceDeployments', { service: 'web' })).json;
    assert.strictEqual(last.status, 'ROLLBACK_SUCCESSFUL');
    assert.match(last.statusReason, /circuit breaker threshold was exceeded\. Last failure: .*CannotStartContainerError/);
    assert.strictEqual((await terraform('plan', '-detailed-exitcode', ...broken)).code, 2);
});

test('destroyed: all are INACTIVE', { skip }, async () => {
    await works('destroy', '-auto-approve');
    for (const name of ['least', 'web', 'most', 'daemon', 'sets']) assert.strictEqual((await describe(name)).status, 'INACTIVE', name);
    assert.deepStrictEqual((await server.call('ListServices', {})).json.serviceArns, []);
    assert.deepStrictEqual(await rules(), []);
    assert.deepStrictEqual((await elb('describe-target-groups')).TargetGroups, []);
});
