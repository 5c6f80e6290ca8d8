/* The page of a real server, with simulated machines that speak the agents' protocol, and with `berth dev`. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DescribeTasksCommand, ListContainerInstancesCommand, RegisterTaskDefinitionCommand, RunTaskCommand, StopTaskCommand, UpdateContainerInstancesStateCommand } from "@aws-sdk/client-ecs";
import { Berth } from "./berth.mjs";
import { alive, close, eventually, faintTexts, launch, open, sidewaysScroll, text } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

async function withBerth(begin, run) {
  const berth = await Berth.make();
  try {
    await begin(berth);
    const page = await open(browser, berth.url);
    await alive(page);
    await page.evaluate(() => { window.sameDocument = true; });
    await run(page, berth);
    assert.equal(await page.evaluate(() => window.sameDocument), true, "no reload");
    await close(page);
  } finally {
    await berth.stop();
  }
}

async function define(berth, family, gpus) {
  await berth.ecs.send(new RegisterTaskDefinitionCommand({ family, containerDefinitions: [{ name: "main", image: "busybox", cpu: 100, memory: 64, essential: true,
    resourceRequirements: gpus > 0 ? [{ type: "GPU", value: String(gpus) }] : undefined }] }));
}

async function runTask(berth, family, more = {}) {
  const { tasks, failures } = await berth.ecs.send(new RunTaskCommand({ taskDefinition: family, ...more }));
  assert.deepEqual(failures, []);
  return { arn: tasks[0].taskArn, id: tasks[0].taskArn.split("/").pop(), gpuIds: tasks[0].containers[0].gpuIds };
}

const held = (page) => page.locator(".node .gpu.held").count();

test("from nothing to a running task and back, on one page", () => withBerth((berth) => berth.server(), async (page, berth) => {
  await page.waitForSelector(`code:has-text("berth agent --join ${berth.url}")`);
  await berth.machines("p3.16xlarge:2,c5.2xlarge:1");
  await eventually("sixteen free cells", async () => await page.locator(".node .gpu.free").count() === 16);
  assert.match(await text(page, "#glance"), /^Agents 3\/3GPUs 16 · 0 held · 16 free/);
  assert.equal(await text(page, "#simulated"), "simulated: all machines");

  await define(berth, "four", 4);
  const task = await runTask(berth, "four", { startedBy: "nightly", group: "team-x" });
  await eventually("four held cells", async () => await page.locator(`.node .gpu.held[data-task="${task.id}"]`).count() === 4);
  await eventually("one running", async () => /1 running/.test(await text(page, "#glance")));
  await page.hover(`.node .gpu[data-task="${task.id}"]`);
  const card = await text(page, "#card");
  for (const word of ["four:1", task.id, "nightly", "team-x", "V100", "RUNNING"]) { assert.ok(card.includes(word), `${word} in ${card}`); }
  assert.ok(task.gpuIds.some((uuid) => card.includes(uuid)), card);

  await page.click(`.node .gpu[data-task="${task.id}"]`);
  await page.waitForSelector(".panel h2:has-text('four:1')");
  assert.deepEqual((await page.locator(".panel .uuids li").allTextContents()).sort(), [...task.gpuIds].sort());
  const said = await page.locator(".panel code").first().textContent();
  assert.equal(said, `aws ecs describe-tasks --cluster default --tasks ${task.id} --endpoint-url ${berth.url} --region us-east-1`);

  await berth.ecs.send(new StopTaskCommand({ task: task.arn, reason: "enough" }));
  await page.waitForSelector(".panel .badge:has-text('STOPPED')");
  assert.match(await text(page, ".panel .why"), /UserInitiated: .*enough/);
  assert.match(await text(page, ".timeline"), /asked for.*started.*told to stop.*stopped/);
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  await eventually("all free", async () => await page.locator(".node .gpu.free").count() === 16 && await held(page) === 0);
}));

test("a machine that drains, an agent that falls silent", () => withBerth(async (berth) => {
  await berth.server();
  berth.fleet = await berth.machines("p3.8xlarge:2");
}, async (page, berth) => {
  await page.waitForSelector(".node");
  const { containerInstanceArns } = await berth.ecs.send(new ListContainerInstancesCommand({}));
  await berth.ecs.send(new UpdateContainerInstancesStateCommand({ containerInstances: [containerInstanceArns[0]], status: "DRAINING" }));
  await page.waitForSelector(".node.draining .tag:has-text('draining')");
  assert.equal(await page.locator(".node .gpu.draining").count(), 4);
  await berth.end(berth.fleet, "SIGKILL");
  await eventually("both silent", async () => await page.locator(".node.silent").count() === 2, 90000);
  assert.match(await text(page, "#glance"), /Agents 0\/2 connectedGPUs 8 · 0 held · 0 free · 8 unknown/);
}));

test("the server dies and comes back: said, and mended without a reload", () => withBerth(async (berth) => {
  await berth.server();
  await berth.machines("p3.8xlarge:1");
  await define(berth, "two", 2);
}, async (page, berth) => {
  const task = await runTask(berth, "two");
  await eventually("two held", async () => await held(page) === 2);
  const { port } = new URL(berth.url);
  await berth.end(berth.serverProcess, "SIGKILL");
  await page.waitForSelector("#alive[data-state=lost]");
  assert.match(await text(page, "#notice"), /connection to the server is lost/);
  await berth.server(port);
  await alive(page);
  await eventually("its cells", async () => await page.locator(`.node .gpu[data-task="${task.id}"]`).count() === 2);
  await eventually("the agent is back", async () => /Agents 1\/1/.test(await text(page, "#glance")), 30000);
  await berth.ecs.send(new StopTaskCommand({ task: task.arn }));
  await eventually("free again", async () => await page.locator(".node .gpu.free").count() === 4);
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
  await eventually("held", async () => await held(page) >= 1);
  await page.hover(".node .gpu.held");
  await eventually("running", async () => (await berth.ecs.send(new DescribeTasksCommand({ tasks: [arn] }))).tasks[0].lastStatus === "RUNNING");
  await berth.ecs.send(new StopTaskCommand({ task: arn, reason: evil }));
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.waitForSelector("td.reason:has-text('<img src=x onerror=alert(2)>')");
  await page.click("td.reason:has-text('<img')");
  await page.waitForSelector(".panel .why:has-text('<img')");
  assert.equal(await page.evaluate(() => document.images.length), 1, `only the page's own mark is an image (refused: ${refused})`);
}));

test("berth dev: the first task, its GPU and its log", () => withBerth((berth) => berth.dev(), async (page, berth) => {
  await page.waitForSelector(".node");
  assert.match(await text(page, "#simulated"), /simulated/);
  const task = await runTask(berth, "hello-gpu");
  await page.waitForSelector(`.node .gpu.held[data-task="${task.id}"]`);
  await page.click(`.node .gpu[data-task="${task.id}"]`);
  await eventually("the log", async () => (await page.textContent(".log")).includes(`my GPUs: ${task.gpuIds[0]}`));
  await berth.ecs.send(new StopTaskCommand({ task: task.arn }));
  await page.waitForSelector(".panel .badge:has-text('STOPPED')");
}));

test("a thousand real registrations, and all that is shown can be read", () => withBerth((berth) => berth.server(), async (page, berth) => {
  await berth.machines("p3.16xlarge:1000");
  await eventually("eight thousand cells", async () => await page.locator(".node .gpu.free").count() === 8000, 60000);
  assert.match(await text(page, "#glance"), /Agents 1,000\/1,000GPUs 8,000/);
  await define(berth, "eight", 8);
  const task = await runTask(berth, "eight");
  await eventually("eight held", async () => await page.locator(`.node .gpu[data-task="${task.id}"]`).count() === 8);
  assert.equal(await sidewaysScroll(page), 0);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await sidewaysScroll(page), 0);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await faintTexts(page), []);
}));
