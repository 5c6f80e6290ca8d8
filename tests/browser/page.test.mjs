/* The page of a real server, with simulated machines that speak the agents' protocol, and with `berth dev`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CreateServiceCommand, DeleteServiceCommand, DescribeTasksCommand, ListContainerInstancesCommand, RegisterTaskDefinitionCommand, RunTaskCommand, StopTaskCommand, UpdateContainerInstancesStateCommand, UpdateServiceCommand } from "@aws-sdk/client-ecs";
import { alive, becomes, chord, counts, eventually, faintTexts, LOOK, pointAt, says, sidewaysScroll, visit } from "./browser.mjs";
import { define, runTask, withBerth } from "./served.mjs";

const SILENCE_MS = 300000;                   /* the server waits for half a minute before it calls an agent silent */

test("from nothing to a running task and back, on one page", () => withBerth((berth) => berth.server(), async (page, berth) => {
  await page.waitForSelector(`code:has-text("berth agent --join ${berth.url}")`);
  await berth.machines("p3.16xlarge:2,c5.2xlarge:1");
  await counts(page, ".node .gpu.free", 16);
  await says(page, "#glance", /^Agents 3\/3GPUs 16 · 0 held · 16 free/);
  await says(page, ".room", /^default fits now: 16×1 · 8×2 · 4×4 · 2×8 tasks×GPUs$/);
  await says(page, "#simulated", /^simulated: all machines$/);

  await define(berth, "four", 4);
  const task = await runTask(berth, "four", { startedBy: "nightly", group: "team-x" });
  await says(page, ".room", /^default fits now: 12×1 · 6×2 · 3×4 · 1×8 tasks×GPUs$/);
  await counts(page, `.node .gpu.held[data-task="${task.id}"]`, 4);
  await says(page, "#glance", /1 running/);
  await pointAt(page, `.node .gpu[data-task="${task.id}"]`, ["four:1", task.id, "nightly", "team-x", "V100", "RUNNING", new RegExp(task.gpuIds.join("|"))]);

  await page.click(`.node .gpu[data-task="${task.id}"]`);
  await page.waitForSelector(".panel h2:has-text('four:1')");
  await becomes("its GPUs", async () => (await page.locator(".panel .uuids .mono").allTextContents()).sort(), [...task.gpuIds].sort());
  await becomes("the command", () => page.locator(".panel code").first().textContent(LOOK), `aws ecs describe-tasks --cluster default --tasks ${task.id} --endpoint-url ${berth.url} --region us-east-1`);

  await berth.ecs.send(new StopTaskCommand({ task: task.arn, reason: "enough" }));
  await page.waitForSelector(".panel .head .badge:has-text('STOPPED')");
  await says(page, ".panel .why", /UserInitiated: .*enough/);
  await says(page, ".timeline", /requested.*started.*stop requested.*stopped/);
  await chord(page, "b", "board");
  await counts(page, ".node .gpu.free", 16);
  await says(page, ".room", /^default fits now: 16×1 · 8×2 · 4×4 · 2×8 tasks×GPUs$/);
  await counts(page, ".node .gpu.held", 0);
}));

test("a service from its creation to its end", () => withBerth(async (berth) => {
  await berth.server();
  await berth.machines("p3.8xlarge:2");
  await define(berth, "web", 1);
  await define(berth, "web", 1);
}, async (page, berth) => {
  assert.equal(await page.isVisible("nav a[data-view=services]"), false);
  await berth.ecs.send(new CreateServiceCommand({ serviceName: "web", taskDefinition: "web:1", desiredCount: 2 }));
  await says(page, "#glance", /Services 1$/);
  await chord(page, "s", "services");
  await becomes("its tasks", () => page.locator("td.count").first().textContent(LOOK), "2 / 2 / 0");
  await says(page, "td.event", /has started 2 tasks|has reached a steady state|deployment/);
  await page.click("td.name a");
  await says(page, ".panel .deployment", /^web:1 PRIMARY/);
  await berth.ecs.send(new UpdateServiceCommand({ service: "web", taskDefinition: "web:2" }));
  await says(page, ".panel .deployment >> nth=0", /^web:2 PRIMARY/);
  await says(page, ".panel .deployment >> nth=0", /^web:2 PRIMARY .*2 of 2 running/);
  await page.click(".panel a:text-is('Show its tasks')");
  await page.click("tbody tr:has-text('web:2') td.id a");
  await page.click(".panel dd a:text-is('web')");
  await says(page, ".panel h2", /^web$/);
  await page.keyboard.press("Escape");
  await berth.ecs.send(new DeleteServiceCommand({ service: "web", force: true }));
  await says(page, ".services .below", /^There are no services\.$/);
}));

test("where the requests of a service go", () => withBerth(async (berth) => {
  await berth.server();
  await berth.machines("p3.8xlarge:1");
  await berth.ecs.send(new RegisterTaskDefinitionCommand({ family: "shop", networkMode: "host", containerDefinitions: [{ name: "main", image: "busybox", memory: 64, portMappings: [{ containerPort: 8123 }] }] }));
  const group = (await berth.elb("CreateTargetGroup", { Name: "shop", Protocol: "HTTP", Port: "8123", TargetType: "ip", VpcId: "vpc-1" }))("TargetGroupArn");
  const balancer = (await berth.elb("CreateLoadBalancer", { Name: "web", "Subnets.member.1": "subnet-1" }))("LoadBalancerArn");
  const listener = (await berth.elb("CreateListener", { LoadBalancerArn: balancer, Protocol: "HTTP", Port: "8080", "DefaultActions.member.1.Type": "forward", "DefaultActions.member.1.TargetGroupArn": group }))("ListenerArn");
  await berth.elb("CreateRule", { ListenerArn: listener, Priority: "7", "Conditions.member.1.Field": "path-pattern", "Conditions.member.1.Values.member.1": "/old/*",
    "Actions.member.1.Type": "redirect", "Actions.member.1.RedirectConfig.StatusCode": "HTTP_301", "Actions.member.1.RedirectConfig.Path": "/new" });
  await berth.elb("RegisterTargets", { TargetGroupArn: group, "Targets.member.1.Id": "127.0.0.9", "Targets.member.1.Port": "1" });
  await berth.ecs.send(new CreateServiceCommand({ serviceName: "shop", taskDefinition: "shop", desiredCount: 1, loadBalancers: [{ targetGroupArn: group, containerName: "main", containerPort: 8123 }] }));
}, async (page) => {
  await chord(page, "r", "traffic");
  await says(page, ".rule >> nth=0", /^7path is \/old\/\*redirects \(301\) to path \/new$/);
  await says(page, ".rule >> nth=1", /^defaultall other requests100 %shop1 (initial|unhealthy)none healthy.*127\.0\.0\.9:1/);
  await page.click(".rule a.name");
  await says(page, ".targetlist .targets", /^127\.0\.0\.9:1for /);
  await page.click(".panel dd a:text-is('shop')");
  await says(page, ".panel .traffic", /^Trafficweb HTTP :8080all other requests100 %shop1 /);
}));

test("a machine that drains, an agent that falls silent", () => withBerth(async (berth) => {
  await berth.server();
  berth.fleet = await berth.machines("p3.8xlarge:2");
}, async (page, berth) => {
  await counts(page, ".node .gpu.free", 8);
  const { containerInstanceArns } = await berth.ecs.send(new ListContainerInstancesCommand({}));
  await berth.ecs.send(new UpdateContainerInstancesStateCommand({ containerInstances: [containerInstanceArns[0]], status: "DRAINING" }));
  await page.waitForSelector(".node.draining .tag:has-text('draining')");
  await counts(page, ".node .gpu.draining", 4);
  await berth.end(berth.fleet, "SIGKILL");
  await eventually("both silent", async () => await page.locator(".node.silent").count() === 2, SILENCE_MS);
  await says(page, "#glance", /Agents 0\/2 connectedGPUs 8 · 0 held · 0 free · 8 unknown/);
}));

test("a task on a machine whose agent has just died: the page says what `berth why` says", () => withBerth(async (berth) => {
  await berth.server();
  berth.fleet = await berth.machines("p3.8xlarge:1");
  await define(berth, "one", 1);
}, async (page, berth) => {
  await berth.end(berth.fleet, "SIGKILL");
  const task = await runTask(berth, "one");
  await page.click(`.node .gpu[data-task="${task.id}"]`);
  const said = async () => (await (await fetch(`${berth.url}/berth/v1/why?task=${task.id}`)).json()).detail;
  await says(page, ".panel .place", /has its place on p3\.8xlarge-1/);
  assert.equal(await page.textContent(".panel .place", LOOK), await said());
  await eventually("the agent is silent", async () => /That agent is not connected/.test(await page.textContent(".panel .place", LOOK)), SILENCE_MS);
  assert.equal(await page.textContent(".panel .place", LOOK), await said());
}));

test("one gang, one colour", () => withBerth(async (berth) => {
  await berth.server();
  await berth.machines("p3.8xlarge:2");
  await define(berth, "four", 4);
}, async (page, berth) => {
  await berth.ecs.send(new RunTaskCommand({ taskDefinition: "four", count: 2, tags: [{ key: "berth:gang", value: "true" }] }));
  await counts(page, ".node .gpu.held", 8);
  const cells = () => page.locator(".node .gpu.held").evaluateAll((all) => ["background-color", "href"].map((of) => (
    new Set(all.map((cell) => (of === "href" ? cell.href : getComputedStyle(cell).getPropertyValue(of)))).size)));
  await becomes("colours and tasks", cells, [1, 2]);
}));

test("the server dies and comes back: said, and mended without a reload", () => withBerth(async (berth) => {
  await berth.server();
  await berth.machines("p3.8xlarge:1");
  await define(berth, "two", 2);
}, async (page, berth) => {
  const task = await runTask(berth, "two");
  await counts(page, ".node .gpu.held", 2);
  const { port } = new URL(berth.url);
  await berth.end(berth.serverProcess, "SIGKILL");
  await page.waitForSelector("#alive[data-state=lost]");
  await says(page, "#notice", /connection to the server is lost/);
  await berth.server(port);
  await alive(page);
  await counts(page, `.node .gpu[data-task="${task.id}"]`, 2);
  await says(page, "#glance", /Agents 1\/1/);
  await berth.ecs.send(new StopTaskCommand({ task: task.arn }));
  await counts(page, ".node .gpu.free", 4);
}));

test("what users may write stays text", () => withBerth(async (berth) => {
  await berth.server();
  await berth.machines("p3.8xlarge:1", "--name", "<img src=x onerror=alert(1)>");
  await define(berth, "one", 1);
}, async (page, berth) => {
  const evil = "<img src=x onerror=alert(2)>";
  const refused = [];
  const more = {};
  for (const name of ["startedBy", "group"]) {
    await berth.ecs.send(new RunTaskCommand({ taskDefinition: "one", [name]: evil })).then(({ tasks }) => { more[name] = tasks[0].taskArn; }, () => refused.push(name));
  }
  await assert.rejects(define(berth, evil, 1), { name: /ClientException|InvalidParameterException/ });
  const arn = Object.values(more)[0] ?? (await runTask(berth, "one")).arn;
  await pointAt(page, ".node .gpu.held", ["one:1"]);
  await eventually("running", async () => (await berth.ecs.send(new DescribeTasksCommand({ tasks: [arn] }))).tasks[0].lastStatus === "RUNNING");
  await berth.ecs.send(new StopTaskCommand({ task: arn, reason: evil }));
  await chord(page, "t", "tasks");
  await page.waitForSelector("td.reason:has-text('<img src=x onerror=alert(2)>')");
  await page.click("td.reason:has-text('<img')");
  await page.waitForSelector(".panel .why:has-text('<img')");
  assert.equal(await page.evaluate(() => document.images.length), 1, `only the page's own mark is an image (refused: ${refused})`);
}));

test("berth dev: the first task, its GPU and its log", () => withBerth((berth) => berth.dev(), async (page, berth) => {
  await page.waitForSelector(".node");
  await berth.connected();
  await says(page, "#simulated", /simulated/);
  const task = await runTask(berth, "hello-gpu");
  await page.waitForSelector(`.node .gpu.held[data-task="${task.id}"]`);
  await page.click(`.node .gpu[data-task="${task.id}"]`);
  await says(page, ".log", new RegExp(`my GPUs: ${task.gpuIds[0]}`));
  await says(page, ".panel .uuids .use", /^\d+\s%\sbusy · \d/);
  await says(page, ".panel p.use", /^\d+\.\d\d\scores · \d.*disk/);
  await says(page, "#glance .use", /^\d+ % busy · \d+ W$/);
  await berth.ecs.send(new StopTaskCommand({ task: task.arn }));
  await page.waitForSelector(".panel .head .badge:has-text('STOPPED')");
}));

test("a thousand real registrations, and all that is shown can be read", () => withBerth((berth) => berth.server(), async (page, berth) => {
  await berth.machines("p3.16xlarge:1000");
  await becomes("a fleet is a picture", () => page.locator("canvas.map").count(), 1);
  await visit(page, "#/board?size=small");
  await counts(page, ".node .gpu.free", 8000);
  await says(page, "#glance", /Agents 1,000\/1,000GPUs 8,000/);
  await define(berth, "eight", 8);
  const task = await runTask(berth, "eight");
  await counts(page, `.node .gpu[data-task="${task.id}"]`, 8);
  assert.equal(await sidewaysScroll(page), 0);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await sidewaysScroll(page), 0);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await faintTexts(page), []);
}));
