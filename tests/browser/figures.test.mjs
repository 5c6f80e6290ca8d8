/* Each figure on a page is that of the API: of a fleet with services, tasks that run, wait and have ended. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CreateServiceCommand, DescribeContainerInstancesCommand, DescribeServicesCommand, DescribeTasksCommand, ListContainerInstancesCommand, ListTasksCommand, RunTaskCommand,
  StopTaskCommand, UpdateServiceCommand } from "@aws-sdk/client-ecs";
import { LOOK, becomes, chord, eventually, visit } from "./browser.mjs";
import { define, runTask, withBerth } from "./served.mjs";

/* ---- what the API says ---- */

async function instancesOf({ ecs }) {
  const { containerInstanceArns: containerInstances } = await ecs.send(new ListContainerInstancesCommand({}));
  return (await ecs.send(new DescribeContainerInstancesCommand({ containerInstances }))).containerInstances;
}
async function tasksOf({ ecs }) {
  const lists = await Promise.all(["RUNNING", "STOPPED"].map((desiredStatus) => ecs.send(new ListTasksCommand({ desiredStatus }))));
  return (await ecs.send(new DescribeTasksCommand({ tasks: lists.flatMap(({ taskArns }) => taskArns) }))).tasks;
}
const resource = (instance, kind, name) => {
  const found = instance[kind].find((one) => one.name === name);
  return name === "GPU" ? found?.stringSetValue.length ?? 0 : found.integerValue;
};
const held = (instance) => resource(instance, "registeredResources", "GPU") - resource(instance, "remainingResources", "GPU");
const sum = (items, of) => items.reduce((all, item) => all + of(item), 0);
const count = (tasks, ...statuses) => tasks.filter(({ lastStatus }) => statuses.includes(lastStatus)).length;

/* ---- what the page shows ---- */

/* By column, of each row in order of the row's own address. */
const rows = (page) => page.evaluate(() => [...document.querySelectorAll("main table tbody tr")].map((row) => Object.fromEntries([...row.cells].map((cell) => (
  [cell.dataset.label, cell.querySelector("[title]")?.title.startsWith("arn:") ? cell.querySelector("[title]").title : cell.querySelector("time")?.dateTime ?? cell.innerText.replace(/\s+/g, " ").trim()]))))
  .sort((a, b) => (Object.values(a)[0] < Object.values(b)[0] ? -1 : 1)));
const byArn = (items, arn) => [...items].sort((a, b) => (a[arn] < b[arn] ? -1 : 1));
const asked = async ({ url }, path) => (await fetch(url + path)).json();
const short = (amount) => (amount === 0 ? "0.00" : amount < 0.01 ? "< 0.01" : amount.toFixed(2));

test("each figure on the pages is that of the API", () => withBerth(async (berth) => {
  await berth.server();
  await berth.machines("p3.16xlarge:2,c5.2xlarge:1");
  for (const [family, gpus] of [["web", 1], ["three", 3], ["eight", 8], ["none", 0]]) { await define(berth, family, gpus); }
}, async (page, berth) => {
  await berth.ecs.send(new CreateServiceCommand({ serviceName: "web", taskDefinition: "web:1", desiredCount: 3 }));
  await runTask(berth, "three");
  await runTask(berth, "none", { count: 2 });
  const ends = await runTask(berth, "three");
  for (let n = 0; n < 2; n++) { await berth.ecs.send(new RunTaskCommand({ taskDefinition: "eight", tags: [{ key: "berth:queue", value: "wait" }] })); }
  await eventually("all run", async () => count(await tasksOf(berth), "RUNNING") === 7);
  await berth.ecs.send(new StopTaskCommand({ task: ends.arn }));
  await eventually("one has ended, and another has its GPUs", async () => {
    const tasks = await tasksOf(berth);
    return count(tasks, "STOPPED") === 1 && count(tasks, "RUNNING") === 7;
  });

  const instances = await instancesOf(berth), tasks = await tasksOf(berth);
  const gpus = sum(instances, (one) => resource(one, "registeredResources", "GPU")), taken = sum(instances, held);
  await becomes("the top line", async () => (await page.textContent("#glance", LOOK)).replace(/\s+/g, " ").replace(/\d+ % busy · [\d.]+ k?W/, ""),
    `Agents ${instances.filter(({ agentConnected }) => agentConnected).length}/${instances.length}GPUs ${gpus} · ${taken} held · ${gpus - taken} freeTasks ${count(tasks, "RUNNING")} running · ${
      count(tasks, "PENDING", "ACTIVATING")} pending · ${count(tasks, "STOPPED")} stoppedServices 1`);
  await becomes("those that wait", () => page.textContent("#waiting", LOOK), String(count(tasks, "PROVISIONING")));
  await becomes("cells that are held", () => page.locator(".node .gpu.held").count(), taken);

  await chord(page, "i", "instances");
  await becomes("machines", async () => (await rows(page)).map(({ Name, "CPU free": cpu, "Memory free": memory, "GPUs held": own, Tasks, Status, Agent }) => ({ Name, cpu, memory, own, Tasks, Status, Agent })),
    byArn(instances, "containerInstanceArn").map((one) => {
      const of = (name, unit) => ["remainingResources", "registeredResources"].map((kind) => Math.round(resource(one, kind, name) / unit * 10) / 10);
      return {
        Name: one.containerInstanceArn, cpu: of("CPU", 1024).join(" of "), memory: `${of("MEMORY", 1024).map((n) => (n >= 100 ? Math.round(n) : n)).join(" of ")} GiB`,
        own: resource(one, "registeredResources", "GPU") === 0 ? "–" : `${held(one)} of ${resource(one, "registeredResources", "GPU")}`,
        Tasks: String(one.runningTasksCount + one.pendingTasksCount), Status: one.status, Agent: one.agentConnected ? "connected" : "silent",
      };
    }));

  await chord(page, "t", "tasks");
  await becomes("tasks", async () => (await rows(page)).map(({ Task, State, GPUs, Started, Definition }) => ({ Task, State, GPUs, Started, Definition: Definition.split(" ")[0] })),
    byArn(tasks, "taskArn").map((one) => ({
      Task: one.taskArn, State: one.lastStatus, GPUs: String(one.containers[0].gpuIds?.length ?? "–"),
      Started: one.startedAt?.toISOString() ?? "–", Definition: one.taskDefinitionArn.split("/")[1],
    })));

  await chord(page, "s", "services");
  const { services: [web] } = await berth.ecs.send(new DescribeServicesCommand({ services: ["web"] }));
  await becomes("services", async () => (await rows(page)).map((row) => row["Desired / running / pending"]), [`${web.desiredCount} / ${web.runningCount} / ${web.pendingCount}`]);

  await visit(page, "#/waiting");
  const { entries } = await asked(berth, "/berth/v1/queue");
  assert.equal(entries.length, 1);
  await becomes("the queue", async () => (await rows(page)).map(({ Place, Definition, Priority, Lacks }) => ({ Place, Definition, Priority, Lacks: Lacks.split(" ")[0] })),
    entries.map(({ taskDefinition, priority, reason }, at) => ({ Place: String(at + 1), Definition: taskDefinition, Priority: String(priority), Lacks: reason })));

  await berth.ecs.send(new UpdateServiceCommand({ service: "web", desiredCount: 0 }));
  for (const one of tasks) { await berth.ecs.send(new StopTaskCommand({ task: one.taskArn })); }
  await eventually("all have ended", async () => (await tasksOf(berth)).every(({ lastStatus }) => lastStatus === "STOPPED"));
  await visit(page, "#/usage");
  const { groups } = await asked(berth, "/berth/v1/usage?by=family&since=24h");
  assert.deepEqual(groups.map(({ key }) => key).sort(), ["eight", "three", "web"]);
  await becomes("GPU-hours", async () => (await rows(page)).map(({ Who, Held, Queued }) => ({ Who, Held, Queued })),
    byArn(groups, "key").map((one) => ({ Who: one.key, Held: short(one.held), Queued: short(one.queued) })));
}));
