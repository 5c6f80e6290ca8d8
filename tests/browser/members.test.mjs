/* The page of a server that follows another, and then leads: two real servers with one state, and simulated machines. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { waitFor } from "../lib/lib.mjs";
import { Etcd, Members, insist, withoutEtcd } from "../lib/members.mjs";
import { alive, close, counts, launch, open, says } from "./browser.mjs";

const skip = withoutEtcd();
let browser, etcd, members;

before(async () => {
  if (skip) { return; }
  browser = await launch();
  etcd = await Etcd.start(1);
  members = await Members.start(etcd, { count: 2, args: ["--open-dashboard", "loopback"] });
});
after(async () => {
  await browser?.close();
  await members?.stop();
  await etcd?.stop();
});

test("a follower's page shows all, and acts; it goes on when its server leads", { skip }, async () => {
  const leader = await members.leader(), follower = await members.follower();
  const call = async (operation, input = {}) => {
    const reply = await insist(() => follower.call(operation, input), { seconds: 60 });
    assert.equal(reply.status, 200, reply.text);
    return reply.json;
  };
  await call("CreateCluster");
  await call("RegisterTaskDefinition", { family: "four", containerDefinitions: [{ name: "main", image: "busybox", memory: 64, resourceRequirements: [{ type: "GPU", value: "4" }] }] });
  await follower.agentIn(`${follower.data}-agent`, ["--fake", "p3.16xlarge:2"], { url: `${leader.url},${follower.url}` });
  await waitFor("the machines to connect", async () => (await follower.connected("default")) === 2);

  const page = await open(browser, follower.url);
  await alive(page);
  await counts(page, ".node .gpu.free", 16);
  await says(page, "#glance", /^Agents 2\/2GPUs 16 · 0 held · 16 free/);
  const [task] = (await call("RunTask", { taskDefinition: "four" })).tasks, id = task.taskArn.split("/").pop();
  await counts(page, `.node .gpu.held[data-task="${id}"]`, 4);

  await page.click(`.node .gpu.held[data-task="${id}"] >> nth=0`);
  await page.click(".panel .acts button:text-is('Sign in to act')");
  await page.fill("dialog input[name=id]", follower.key);
  await page.fill("dialog input[name=secret]", follower.secret);
  await page.click("dialog .go");
  await page.click(".panel .acts button:text-is('Stop')");
  await page.click("dialog .go");
  await says(page, ".panel .why", /^UserInitiated/);
  await counts(page, ".node .gpu.held", 0);

  await leader.kill9();
  leader.stopped = true;
  await waitFor("the follower to lead", async () => (await members.leader()) === follower);
  await waitFor("the machines to connect", async () => (await follower.connected("default")) === 2);
  const [more] = (await call("RunTask", { taskDefinition: "four" })).tasks, next = more.taskArn.split("/").pop();
  await counts(page, `.node .gpu.held[data-task="${next}"]`, 4);
  await alive(page);
  await says(page, "#glance", /^Agents 2\/2GPUs 16 · 4 held · 12 free/);
  if (process.env.PICTURE) { await page.screenshot({ path: process.env.PICTURE }); }
  await close(page);
});
