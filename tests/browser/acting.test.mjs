/* Signing in, and acting: with a real server and simulated machines. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { alive, becomes, counts, eventually, says } from "./browser.mjs";
import { define, runTask, withBerth } from "./served.mjs";

export async function signIn(page, { accessKeyId, secretAccessKey }) {
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
  await says(page, "#corner", /viewer · viewer Sign out$/);
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
  await says(page, "dialog h2", /^Sign in$/);
  await becomes("what is kept", () => page.evaluate(() => sessionStorage.length), 0);
  await counts(page, ".node .gpu", 0);
}, { opens: false, reloads: true }));
