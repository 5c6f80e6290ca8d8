/* pictures.mjs FOLDER [SCHEME]: pictures of the pages of a real server with simulated machines, for the documents. `make pictures` puts them into docs/pictures. */
import { mkdir } from "node:fs/promises";
import { CreateServiceCommand, ListTasksCommand, RegisterTaskDefinitionCommand, RunTaskCommand, StopTaskCommand } from "@aws-sdk/client-ecs";
import { Berth } from "./berth.mjs";
import { alive, eventually, launch, open, says, visit } from "./browser.mjs";

const [folder = "docs/pictures", scheme = "light"] = process.argv.slice(2);
const SIZE = { width: 1280, height: 760, scheme };

async function define(berth, family, gpus) {
  await berth.ecs.send(new RegisterTaskDefinitionCommand({ family, containerDefinitions: [{ name: "main", image: `registry.example/${family}`, cpu: 512, memory: 2048,
    resourceRequirements: [{ type: "GPU", value: String(gpus) }] }] }));
}

async function run(berth, family, count, startedBy, tags = []) {
  const { tasks } = await berth.ecs.send(new RunTaskCommand({ taskDefinition: family, count, startedBy, tags: Object.entries(tags).map(([key, value]) => ({ key, value })) }));
  return tasks;
}

/* Two groups with weights behind a listener; the targets are the server itself, and a port at which nobody answers. */
async function balance(berth) {
  const port = Number(new URL(berth.url).port), group = {};
  for (const [name, ports] of [["embed-blue", [port]], ["embed-green", [port, 9]]]) {
    group[name] = (await berth.elb("CreateTargetGroup", { Name: name, Protocol: "HTTP", Port: 80, TargetType: "ip", HealthCheckPath: "/healthz", HealthCheckIntervalSeconds: 5,
      HealthCheckTimeoutSeconds: 2, HealthyThresholdCount: 2 }))("TargetGroupArn");
    for (const one of ports) {
      await berth.elb("RegisterTargets", { TargetGroupArn: group[name], "Targets.member.1.Id": "127.0.0.1", "Targets.member.1.Port": one });
    }
  }
  const front = (await berth.elb("CreateLoadBalancer", { Name: "front", "Subnets.member.1": "local" }))("LoadBalancerArn");
  const weights = Object.fromEntries([["embed-blue", 90], ["embed-green", 10]].flatMap(([name, weight], at) => {
    const place = `DefaultActions.member.1.ForwardConfig.TargetGroups.member.${at + 1}`;
    return [[`${place}.TargetGroupArn`, group[name]], [`${place}.Weight`, weight]];
  }));
  await berth.elb("CreateListener", { LoadBalancerArn: front, Protocol: "HTTP", Port: 80, "DefaultActions.member.1.Type": "forward", ...weights });
}

/* A small lab: machines of two kinds, trainings, a service that is rolled out, a task that waits, one that was stopped. */
async function begin(berth) {
  await berth.server();
  await berth.machines("p3.16xlarge:3,p4d.24xlarge:1,g4dn.12xlarge:2", "--sample-interval", "1s");
  for (const [family, gpus] of [["llama-tune", 8], ["bert", 4], ["resnet", 2], ["notebook", 1], ["embed", 1]]) { await define(berth, family, gpus); }
  await run(berth, "llama-tune", 2, "nightly", { team: "language" });
  await run(berth, "bert", 2, "paper", { team: "language" });
  await run(berth, "resnet", 3, "vision-ci", { team: "vision" });
  await run(berth, "notebook", 2, "lab", { team: "vision" });
  await berth.ecs.send(new CreateServiceCommand({ serviceName: "embed", taskDefinition: "embed", desiredCount: 3 }));
  await run(berth, "llama-tune", 1, "nightly", { "berth:queue": "wait:2h", "berth:priority": "10" });
  await run(berth, "llama-tune", 1, "paper", { "berth:queue": "wait" });
  const [stopped] = await run(berth, "notebook", 1, "lab", { team: "vision" });
  await balance(berth);
  await eventually("its tasks run", async () => (await berth.ecs.send(new ListTasksCommand({ desiredStatus: "RUNNING" }))).taskArns.length >= 12);
  await berth.ecs.send(new StopTaskCommand({ task: stopped.taskArn, reason: "not needed any more" }));
}

const berth = await Berth.make();
const browser = await launch();
try {
  await mkdir(folder, { recursive: true });
  await begin(berth);
  const page = await open(browser, berth.url, SIZE);
  await alive(page);
  await says(page, "#glance", /running/);
  await new Promise((resolve) => { setTimeout(resolve, 20000); });             /* figures of GPUs, the rollout */
  const shoot = async (name) => {
    await new Promise((resolve) => { setTimeout(resolve, 1500); });
    await page.screenshot({ path: `${folder}/${name}.png` });
    console.log(`${folder}/${name}.png`);
  };
  await shoot("board");
  await page.click(".node .gpu.held >> nth=0");
  await shoot("task");
  for (const name of ["instances", "services", "traffic", "tasks", "waiting", "usage", "events"]) {
    await visit(page, `#/${name}`);
    await shoot(name);
  }
  await visit(page, "#/instances");
  await page.click("td.name a >> nth=0");
  await shoot("machine");
  await visit(page, "#/services");
  await page.click("td.name a >> nth=0");
  await shoot("service");
  if (page.complaints.length > 0) { throw new Error(page.complaints.join("\n")); }
  await page.context().close();
} finally {
  await browser.close();
  await berth.stop();
}
