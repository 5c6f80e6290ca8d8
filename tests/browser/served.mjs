/* served.mjs: a page of a real server for one test, in the browser that all tests of a file share, and what tests ask of the server. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { RegisterTaskDefinitionCommand, RunTaskCommand } from "@aws-sdk/client-ecs";
import { Berth } from "./berth.mjs";
import { alive, close, launch, open } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

/* The page is not loaded again while `run` goes, unless it `reloads`; where it is not open it has no board at first. */
export async function withBerth(begin, run, { opens = true, reloads = false } = {}) {
  const berth = await Berth.make();
  let page;
  try {
    await begin(berth);
    page = await open(browser, berth.url);
    if (opens) { await alive(page); }
    await page.evaluate(() => { window.sameDocument = true; });
    await run(page, berth);
    if (!reloads) { assert.equal(await page.evaluate(() => window.sameDocument), true, "no reload"); }
    await close(page);
  } finally {
    await page?.context().close();
    await berth.stop();
  }
}

export async function define(berth, family, gpus) {
  await berth.ecs.send(new RegisterTaskDefinitionCommand({ family, containerDefinitions: [{ name: "main", image: "busybox", cpu: 100, memory: 64, essential: true,
    resourceRequirements: gpus > 0 ? [{ type: "GPU", value: String(gpus) }] : undefined }] }));
}

export async function runTask(berth, family, more = {}) {
  const { tasks, failures } = await berth.ecs.send(new RunTaskCommand({ taskDefinition: family, ...more }));
  assert.deepEqual(failures, []);
  return { arn: tasks[0].taskArn, id: tasks[0].taskArn.split("/").pop(), gpuIds: tasks[0].containers[0].gpuIds };
}
