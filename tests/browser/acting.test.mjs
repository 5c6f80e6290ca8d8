/* Signing in, and acting: with a real server and simulated machines. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { CreateServiceCommand, DescribeContainerInstancesCommand, DescribeServiceDeploymentsCommand, DescribeServicesCommand, DescribeTasksCommand, ListContainerInstancesCommand, ListServiceDeploymentsCommand, ListTasksCommand } from "@aws-sdk/client-ecs";
import { alive, becomes, counts, says, stands, text, visit } from "./browser.mjs";
import { define, runTask, withBerth } from "./served.mjs";

async function signIn(page, { accessKeyId, secretAccessKey }) {
  await page.fill("dialog input[name=id]", accessKeyId);
  await page.fill("dialog input[name=secret]", secretAccessKey);
  await page.click("dialog .go");
}

test("a dashboard that is not open asks for a key itself, and keeps it for the tab alone", () => withBerth(async (berth) => {
  await berth.server(0, "off");
  await berth.machines("p3.8xlarge:1");
  await define(berth, "one", 1);
}, async (page, berth) => {
  await says(page, "dialog h2", /^Sign in$/);
  await says(page, "#notice", /needs an access key/);
  await counts(page, ".node .gpu", 0);
  await signIn(page, { ...berth.key, secretAccessKey: "wrong" });
  await says(page, "dialog .refused", /signature we calculated does not match/);
  await signIn(page, { accessKeyId: "AKIANOBODY0000000000", secretAccessKey: "x" });
  await says(page, "dialog .refused", /security token included in the request is invalid/);

  const sent = [];
  page.on("request", (request) => sent.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ""}`));
  const viewer = await berth.makeKey("viewer");
  await signIn(page, viewer);
  await alive(page);
  await counts(page, "dialog", 0);
  await says(page, "#corner", /^viewer · viewer$/);
  await counts(page, ".node .gpu", 4);
  const task = await runTask(berth, "one");
  await counts(page, `.node .gpu.held[data-task="${task.id}"]`, 1);
  assert.ok(sent.length > 3);
  assert.deepEqual(sent.filter((text) => text.includes(viewer.secretAccessKey)), [], "the secret stays");
  assert.deepEqual(await page.context().cookies(), []);
  assert.equal(await page.evaluate(() => JSON.stringify(localStorage)), "{}");

  await page.reload();
  await alive(page);
  await says(page, "#corner", /viewer/);
  const other = await page.context().newPage();
  await other.goto(berth.url);
  await says(other, "dialog h2", /^Sign in$/);
  await other.close();

  await page.click("#corner button");
  await says(page, "dialog h2", /^Signed in as viewer$/);
  await page.click("dialog .go");
  await says(page, "dialog h2", /^Sign in$/);
  await becomes("the number of kept items", () => page.evaluate(() => sessionStorage.length), 0);
  await counts(page, ".node .gpu", 0);
}, { opens: false, reloads: true }));

/* Opens the question, and says yes when it has shown this command. */
async function agree(page, selector, command) {
  await page.click(selector);
  await page.waitForSelector("dialog[open]");
  await says(page, "dialog .command code", command);
  await page.click("dialog .go");
  await counts(page, "dialog", 0);
}

async function asAdmin(page, berth) {
  await page.click("#corner button");
  await signIn(page, berth.key);
  await says(page, "#corner", /root · admin/);
}

const act = (label) => `.panel .acts button:text-is('${label}')`;

test("a task is stopped and run again: asked once, with the command that does the same", () => withBerth(async (berth) => {
  await berth.server();
  await berth.machines("p3.8xlarge:1");
  await define(berth, "train", 2);
}, async (page, berth) => {
  const task = await runTask(berth, "train", { startedBy: "nightly" });
  await page.click(`.node .gpu.held[data-task="${task.id}"] >> nth=0`);
  await says(page, ".panel .acts", /^Sign in to act$/);
  await page.click(".panel .acts button");
  await signIn(page, berth.key);
  await page.click(act("Stop"));
  await page.keyboard.press("Escape");
  await counts(page, "dialog", 0);
  await stands(page, `#/board/${task.id}`);
  assert.equal((await berth.ecs.send(new DescribeTasksCommand({ tasks: [task.arn] }))).tasks[0].desiredStatus, "RUNNING", "nothing was done");

  await page.click(act("Stop"));
  await page.fill("dialog .field input", "it's enough <b>");
  await says(page, "dialog .command code", new RegExp(`^aws ecs stop-task --cluster default --task ${task.id} --reason 'it'\\\\''s enough <b>' --endpoint-url ${berth.url} --region us-east-1$`));
  await page.click("dialog .go");
  await says(page, ".panel .why", /^UserInitiated: .*it's enough <b>/);
  await counts(page, ".node .gpu.held", 0);
  await counts(page, act("Stop"), 0);

  await agree(page, act("Run again"), /^aws ecs run-task --cluster default --task-definition train:1 --count 1 --started-by nightly --endpoint-url /);
  await counts(page, ".node .gpu.held", 2);
  await becomes("who started it", async () => {
    const { taskArns } = await berth.ecs.send(new ListTasksCommand({}));
    return (await berth.ecs.send(new DescribeTasksCommand({ tasks: taskArns }))).tasks.map(({ startedBy }) => startedBy);
  }, ["nightly"]);
}));

test("a machine drains with its progress and comes back; a GPU goes out of the pool and comes back", () => withBerth(async (berth) => {
  await berth.server();
  await berth.machines("p3.8xlarge:1");
  await define(berth, "train", 1);
  await runTask(berth, "train");
}, async (page, berth) => {
  await asAdmin(page, berth);
  const { containerInstanceArns: [arn] } = await berth.ecs.send(new ListContainerInstancesCommand({}));
  const id = arn.split("/").pop();
  const state = async () => (await berth.ecs.send(new DescribeContainerInstancesCommand({ containerInstances: [arn] }))).containerInstances[0].status;
  await visit(page, `#/instances/${id}`);
  await agree(page, act("Drain"), new RegExp(`^aws ecs update-container-instances-state --cluster default --container-instances ${id} --status DRAINING `));
  await says(page, ".panel .drain", /^1 of 1 task left, 1 of no service: it runs until the end$/);
  await becomes("the machine", state, "DRAINING");
  await says(page, "td.status", /DRAINING1 of 1 task left/);
  await agree(page, act("Activate"), /--status ACTIVE /);
  await counts(page, ".panel .drain", 0);
  await becomes("the machine", state, "ACTIVE");

  await agree(page, `.panel .container >> nth=3 >> button`, /^berth gpu quarantine GPU-\S+ --reason 'Quarantined on the dashboard' --server http/);
  await says(page, ".panel .container >> nth=3", /Quarantined by root: Quarantined on the dashboard/);
  await visit(page, "#/events?kind=GPU");
  await says(page, "tbody", /GPU 3 quarantined: Quarantined on the dashboard \(root\)/);
  await page.click("tbody td.name a");
  await stands(page, `#/instances/${id}`);
  await agree(page, `.panel .container >> nth=3 >> button`, /^berth gpu restore GPU-\S+ --server http/);
  await counts(page, ".panel .container .why", 0);
  await visit(page, "#/events");
  await says(page, "tbody", /GPU 3 is back in the pool/);
  await says(page, "tbody", /DRAINING → ACTIVE/);
}));

test("a service is scaled, deployed with a look before, and rolled back", () => withBerth(async (berth) => {
  await berth.server();
  await berth.machines("p3.8xlarge:1");
  await define(berth, "web", 1);
  await define(berth, "web", 1);
  await berth.ecs.send(new CreateServiceCommand({ serviceName: "web", taskDefinition: "web:1", desiredCount: 1 }));
}, async (page, berth) => {
  const service = async () => (await berth.ecs.send(new DescribeServicesCommand({ services: ["web"] }))).services[0];
  await asAdmin(page, berth);
  await visit(page, "#/services");
  await page.click("td.name a");
  await says(page, ".panel .why", /successful/);
  await page.click(act("Roll back"));
  await says(page, "dialog", /There is no earlier definition/);
  await page.click("dialog .go");
  await page.click(act("Scale"));
  await page.fill("dialog .field input", "2");
  await says(page, "dialog .command code", /^aws ecs update-service --cluster default --service web --desired-count 2 /);
  await page.click("dialog .go");
  await says(page, ".panel .deployment >> nth=0", /2 of 2 running/);

  await page.click(act("Deploy"));
  await becomes("the newest definition", () => page.inputValue("dialog .field input"), "web:2");
  await says(page, "dialog .room", /\S/);
  await says(page, "dialog .command code", /--task-definition web:2 --endpoint-url/);
  await page.fill("dialog .field input", "nothing:7");
  await page.click("dialog .go");
  await says(page, "dialog .refused", /^TaskDefinition not found\.$/);
  await page.fill("dialog .field input", "web:2");
  await page.click("dialog .go");
  await says(page, ".panel .deployment >> nth=0", /^web:2 PRIMARY.*2 of 2 running/);
  await becomes("the rollout", async () => (await service()).deployments[0].rolloutState, "COMPLETED");
  await says(page, ".panel .why", /successful/);
  await agree(page, act("Roll back"), /^aws ecs update-service --cluster default --service web --task-definition web:1 /);
  await says(page, ".panel .deployment >> nth=0", /^web:1 PRIMARY/);
}));

test("a deployment that waits at a pause goes on from the page", () => withBerth(async (berth) => {
  await berth.server();
  await berth.machines("p3.8xlarge:1");
  await define(berth, "web", 1);
  const lifecycleHooks = [{ targetType: "PAUSE", lifecycleStages: ["PRE_SCALE_UP"] }];
  await berth.ecs.send(new CreateServiceCommand({ serviceName: "web", taskDefinition: "web:1", desiredCount: 1, deploymentConfiguration: { strategy: "BLUE_GREEN", bakeTimeInMinutes: 0, lifecycleHooks } }));
}, async (page, berth) => {
  await asAdmin(page, berth);
  await visit(page, "#/services");
  await page.click("td.name a");
  await becomes("it waits for a person", async () => {
    await page.click(act("Continue"));
    const said = await text(page, "dialog");
    if (/waits at the stage PRE_SCALE_UP/.test(said)) { return true; }
    await page.keyboard.press("Escape");
    return /No pause of its deployment waits for a person/.test(said) ? false : said;
  }, true);
  await says(page, "dialog .command code", /^aws ecs continue-service-deployment --service-deployment-arn \S+ --hook-id ecs-pause-\S+ --action CONTINUE /);
  await page.click("dialog .go");
  await becomes("the hook", async () => {
    const { serviceDeployments: [{ serviceDeploymentArn }] } = await berth.ecs.send(new ListServiceDeploymentsCommand({ service: "web" }));
    const { serviceDeployments: [told] } = await berth.ecs.send(new DescribeServiceDeploymentsCommand({ serviceDeploymentArns: [serviceDeploymentArn] }));
    return (told.lifecycleHookDetails ?? []).filter(({ status }) => status === "AWAITING_ACTION").length;
  }, 0);
  await becomes("its task runs", async () => (await berth.ecs.send(new DescribeServicesCommand({ services: ["web"] }))).services[0].runningCount, 1);
}));

test("a viewer's key is refused all of it, by the page and by the server", () => withBerth(async (berth) => {
  await berth.server(0, "off");
  await berth.machines("p3.8xlarge:1");
  await define(berth, "web", 1);
  await berth.ecs.send(new CreateServiceCommand({ serviceName: "web", taskDefinition: "web:1", desiredCount: 1 }));
}, async (page, berth) => {
  await signIn(page, await berth.makeKey("viewer"));
  await alive(page);
  await counts(page, ".node .gpu.held", 1);
  const [task, machine] = [await page.getAttribute(".node .gpu.held", "data-task"), (await berth.ecs.send(new ListContainerInstancesCommand({}))).containerInstanceArns[0].split("/").pop()];
  const [service] = await page.evaluate(async () => (await (await import("./session.js")).session.ask("/berth/v1/state")).json().then(({ services }) => services.map(({ id }) => id)));
  for (const hash of [`#/board/${task}`, `#/task/${task}`, `#/instances/${machine}`, `#/machine/${machine}`, `#/services/${service}`]) {
    await visit(page, hash);
    await says(page, ".panel .acts", /may read, not act\.$/);
    await counts(page, ".panel .acts button", 0);
  }
  /* And had the page shown them, the server would refuse. */
  const refused = await page.evaluate(async ([taskId, machineId]) => {
    const { session } = await import("./session.js");
    const calls = [["StopTask", { task: taskId }], ["UpdateContainerInstancesState", { containerInstances: [machineId], status: "DRAINING" }], ["UpdateService", { service: "web", desiredCount: 0 }],
      ["RunTask", { taskDefinition: "web:1" }], ["StopServiceDeployment", { serviceDeploymentArn: "arn:aws:ecs:us-east-1:123456789012:service-deployment/default/web/abcdefghijklmnopqrstu" }]];
    const said = [];
    for (const [operation, input] of calls) { said.push(await session.call(operation, input).then(() => `${operation} was done`, (error) => error.message)); }
    said.push(await session.post("/berth/v1/gpus", { uuid: "GPU-x", state: "QUARANTINED" }).then(() => "done", (error) => error.message));
    return said;
  }, [task, machine]);
  assert.equal(refused.length, 6);
  for (const message of refused) { assert.match(message, /not authorized|administrator/); }
  await counts(page, ".node .gpu.held", 0);      /* not on this page */
  await visit(page, "#/board");
  await counts(page, ".node .gpu.held", 1);
}, { opens: false }));

test("the stuck task and its reason, in two clicks from the board", () => withBerth(async (berth) => {
  await berth.server();
  await berth.machines("p3.8xlarge:1");
  await define(berth, "big", 8);
}, async (page, berth) => {
  const { id } = await runTask(berth, "big", { tags: [{ key: "berth:queue", value: "wait" }] });
  await says(page, "nav", /Waiting 1/);
  await page.click("nav a[data-view=waiting]");
  await says(page, "td.lack", /^RESOURCE:GPU.*needs 8 GPUs on one instance/);
  await page.click("td.id a");
  await stands(page, `#/waiting/${id}`);
  await says(page, ".panel .why.place", /needs 8 GPUs on one instance/);
}));

test("hostile names are text, in events, in questions and in commands", () => withBerth(async (berth) => {
  await berth.server();
  await berth.machines("p3.8xlarge:1", "--name", "<img src=x onerror=alert(1)>");
  await define(berth, "train", 1);
}, async (page, berth) => {
  const name = `"'><img src=x onerror=alert(1)>\u202e`;
  await asAdmin(page, berth);
  await runTask(berth, "train", { startedBy: `'"><script>alert(1)</script>`.slice(0, 36) }).catch(() => runTask(berth, "train"));
  const [machine] = (await berth.ecs.send(new ListContainerInstancesCommand({}))).containerInstanceArns.map((arn) => arn.split("/").pop());
  await visit(page, `#/machine/${machine}`);
  const title = await text(page, ".panel h2");
  await page.click(act("Drain"));
  await becomes("the question", () => text(page, "dialog h2"), `Drain ${title}?`);
  await page.keyboard.press("Escape");
  await page.click(`.panel .container >> nth=0 >> button`);
  await page.fill("dialog .field input", name);
  await says(page, "dialog .command code", /--reason '"'\\''><img src=x onerror=alert\(1\)>/);
  await page.click("dialog .go");
  await says(page, ".panel .container >> nth=0", /<img src=x onerror=alert\(1\)>/);
  await visit(page, "#/events");
  await says(page, "tbody", /quarantined: "'><img src=x onerror=alert\(1\)>/);
  await counts(page, "img[src=x], main script, dialog script", 0);
}));

test("another site's page can't show it in a frame, nor write in the name of who is signed in", () => withBerth(async (berth) => {
  await berth.server();
  await berth.machines("p3.8xlarge:1");
  await define(berth, "train", 1);
}, async (page, berth) => {
  await asAdmin(page, berth);
  const { id } = await runTask(berth, "train");
  await counts(page, ".node .gpu.held", 1);
  const evil = createServer((request, reply) => reply.setHeader("content-type", "text/html").end(`<iframe src="${berth.url}/"></iframe><form action="${berth.url}/" method="post" enctype="text/plain"><input name='{"task":"${id}"}' value=""></form>`));
  await new Promise((resolve) => evil.listen(0, "127.0.0.1", resolve));
  const other = await page.context().newPage();
  try {
    await other.goto(`http://localhost:${evil.address().port}/`);
    await becomes("the frame", async () => (await other.frames()[1].content()).includes("Berth"), false);
    const refused = await other.evaluate(async ([url, task]) => {
      const send = (path, headers) => fetch(`${url}${path}`, { method: "POST", mode: "no-cors", credentials: "include", headers, body: JSON.stringify({ task, uuid: "GPU-x", state: "QUARANTINED" }) }).then(({ type }) => type, () => "refused");
      const read = await fetch(`${url}/berth/v1/state`, { credentials: "include" }).then(() => "read", () => "refused");
      const asked = await fetch(url, { method: "POST", headers: { "x-amz-target": "AmazonEC2ContainerServiceV20141113.StopTask" }, body: "{}" }).then(() => "sent", () => "refused");
      return [await send("/", {}), await send("/berth/v1/gpus", {}), read, asked];
    }, [berth.url, id]);
    assert.deepEqual(refused.slice(2), ["refused", "refused"], "it can neither read nor name an operation");
    await other.evaluate(() => document.forms[0].submit());
    await other.waitForLoadState();
  } finally {
    await other.close();
    evil.closeAllConnections();
    await new Promise((resolve) => evil.close(resolve));
  }
  const { tasks: [task] } = await berth.ecs.send(new DescribeTasksCommand({ tasks: [id] }));
  assert.equal(task.desiredStatus, "RUNNING");
  await counts(page, ".node .gpu.out", 0);
}));
