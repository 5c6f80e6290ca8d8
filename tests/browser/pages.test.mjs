/* Events, and the pages of a task and of a machine, with a stub. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { becomes, counts, faintTexts, says, sidewaysScroll, stands, text, visit } from "./browser.mjs";
import { boardOf, fleet, hex, past, put, service, settle, task } from "./stub.mjs";
import { small, withPage } from "./stubbed.mjs";

test("events: filtered by kind and words, with links, as JSON, and older ones from the history", () => {
  const { board, a, four } = small();
  a.gpus[7].fault = { reason: "Xid 79", since: Date.now() - 1000, by: null, gone: false };
  board.services = [service("web")];
  return withPage(board, "#/events", {}, async (page, stub) => {
    stub.past = [1, 2, 3].map((n) => past(`old ${n}`, { family: `old:${n}` }));
    await says(page, "tbody tr >> nth=0", /GPUnode-adefaultGPU 7 quarantined: Xid 79$/);
    await visit(page, "#/events?kind=task");
    await counts(page, "tbody tr", 4);
    await page.fill("main input[type=search]", "nightly bert");
    await says(page, "tbody", /^\S+ ?taskbert:7 · \S+defaultrequested by nightly$/);
    await says(page, ".note", /^1 of \d+ events\./);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.click("button:text-is('Copy as JSON')");
    await says(page, ".tools button >> nth=0", /^copied$/);
    const [copied] = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    assert.deepEqual([copied.kind, copied.id, copied.event, copied.at], ["task", four.id, "requested by nightly", new Date(four.created).toISOString()]);
    await page.click("tbody a");
    await stands(page, `#/tasks/${four.id}`);
    await visit(page, "#/events?q=old");
    await says(page, ".below", /No event matches/);
    await page.click("button:text-is('Older stopped tasks')");
    await says(page, "tbody", /old:2.*stopped: exit code 3/);
    await counts(page, "tbody tr", 6);
    await page.click("button:text-is('Older stopped tasks')");
    await counts(page, "tbody tr", 9);
    await becomes("the button", () => page.isVisible("button:text-is('Older stopped tasks')"), false);
    await visit(page, "#/tasks?state=stopped");
    await counts(page, "tbody tr", 3);
    await says(page, ".choices", /all 5.*stopped 3/);
    await says(page, "tbody", /old:1.*STOPPED.*node-old.*exit code 3/);
    await becomes("the button", () => page.isVisible("button:text-is('Older stopped tasks')"), false);
    await page.click("tbody tr:has-text('old:3') a >> nth=0");
    await says(page, ".panel h2", /^old:3$/);
    await page.keyboard.press("g");
    await page.keyboard.press("e");
    stub.change({ instances: [{ ...a, status: "DRAINING" }] });
    await says(page, "tbody", /ACTIVE → DRAINING/);
  });
});

test("a task's page: pasted, from the history, with its log searched and saved, and how it was placed", () => {
  const { board, four } = small();
  const gone = past("gone", { family: "gone:4" });
  return withPage(board, "", {}, async (page, stub) => {
    stub.past = [gone];
    stub.logs.set(four.id, Array.from({ length: 30 }, (_, n) => `epoch ${n} loss ${n % 10 === 0 ? "NaN" : "1"}`).join("\n"));
    stub.logs.set(gone.id, "out of memory\n");
    stub.whys.set(four.id, { detail: "It runs on node-a.", choice: "The machine with the fewest free GPUs.", strategies: ["binpack (memory)"], constraints: ["distinctInstance"] });
    await visit(page, `#/task/${four.id}`);
    await says(page, ".panel h2", /^bert:7$/);
    await says(page, ".decision", /^How it was placedThe machine with the fewest free GPUs\.Strategies: binpack \(memory\)Constraints: distinctInstance$/);
    await becomes("the list", () => page.isVisible("table"), false);
    await says(page, "nav a[aria-current]", /^Tasks$/);
    await page.fill(".logtools input", "nan loss");
    await becomes("the lines", () => text(page, ".log"), "epoch 0 loss NaN epoch 10 loss NaN epoch 20 loss NaN");
    await says(page, ".lognote", /^3 lines found\.$/);
    const saved = page.waitForEvent("download");
    await page.click(".logtools button");
    const file = await saved;
    assert.equal(file.suggestedFilename(), `task-${four.id}.log`);
    assert.equal(await readFile(await file.path(), "utf8"), stub.logs.get(four.id));
    await page.keyboard.press("Escape");
    await stands(page, `#/tasks/${four.id}`);
    await page.keyboard.press("Escape");
    await stands(page, "#/tasks");

    await visit(page, `#/task/${gone.id}`);
    await says(page, ".panel", /gone:4STOPPED.*node-old.*4,000 GPU seconds.*team=vision.*exit code 3.*out of memory/);
    await visit(page, `#/task/${hex("nobody")}`);
    await says(page, ".panel", /^Not known.*the history does not know it either/);
  });
});

test("a machine's page: all that is measured of its GPUs, curves, findings, tasks, pulls, and the agent's last lines", () => {
  const { board, a, four } = small();
  const pulls = put(board, a, [6], task("pulls", { family: "vit:1", lastStatus: "PENDING", started: null }));
  Object.assign(a, { health: "IMPAIRED", healthReason: "nvidia-driver", findings: [{ check: "nvidia-driver", status: "FAIL", text: "525 is too old", remedy: "install 550" }] });
  settle(Object.assign(board, { liveTotal: 3 }));
  return withPage(board, `#/machine/${a.id}`, {}, async (page, stub) => {
    stub.samples = [{ id: a.id, gpus: [{ uuid: a.gpus[0].uuid, model: "V100", tasks: [], at: Date.now(), utilization: 0.25, clockHertz: 1.38e9, processes: 3 }] }];
    stub.lines.set(a.id, `${Array.from({ length: 200 }, (_, n) => `line ${n} <b>`).join("\n")}\nthe last one\n`);
    stub.pulls = [{ instance: a.id, image: "vit:latest", layers: 4, layersDone: 1, bytes: 3 << 20, bytesKnown: 7 << 20, tasks: [pulls.id] }];
    await says(page, ".panel .findings", /^nvidia-driver FAIL: 525 is too old → install 550$/);
    await says(page, ".panel .metrics >> nth=0", /^utilization25 %clock1380 MHzprocesses3$/);
    await says(page, ".panel pre.log", /^line 0 <b> .*line 199 <b> the last one$/s);
    assert.ok(await page.evaluate(() => { const log = document.querySelector(".panel pre.log"); return log.scrollTop > 0 && log.scrollTop + log.clientHeight >= log.scrollHeight - 4; }), "its end is in sight");
    await says(page, ".panel .targets", /bert:7.*vit:1.*pulling 3 of 7 MiB: vit:latest/);
    for (const ago of [9000, 6000, 3000]) { stub.use([a, a.gpus.map(() => [ago / 10000, 1024, 16384, 60, 200]), [], Date.now() - ago]); }
    await becomes("the curves of the first GPU", () => page.locator(".panel .container >> nth=0 >> .curve").count(), 4);
    await says(page, ".panel .container >> nth=0 >> .curve >> nth=0", /^busy30 %at most 90 %$/);
    await page.click(`.panel .container >> nth=0 >> a`);
    await stands(page, `#/tasks/${four.id}`);
    await page.goBack();
    stub.change({ gone: [a.id] });
    await says(page, ".panel", /^Not known.*It may have left/);
  });
});

for (const scheme of ["light", "dark"]) {
  test(`the new pages in ${scheme}: readable, no wider than a phone, and printed`, () => {
    const board = fleet(12);
    board.services = [service("web")];
    const running = board.tasks.find(({ lastStatus }) => lastStatus === "RUNNING");
    settle(Object.assign(board, { servicesTotal: 1 }));
    return withPage(board, "#/events", { scheme, width: 390, height: 844 }, async (page, stub) => {
      stub.use(...board.instances.slice(0, 2).map((host) => [host, host.gpus.map(() => [0.5, 1024, 16384, 60, 200]), [], Date.now() - 5000]));
      stub.use(...board.instances.slice(0, 2).map((host) => [host, host.gpus.map(() => [0.5, 1024, 16384, 60, 200])]));
      for (const hash of ["#/events", `#/task/${running.id}`, `#/machine/${running.instance}`, `#/instances/${board.instances[6].id}`, `#/service/${board.services[0].id}`]) {
        await visit(page, hash);
        await page.waitForSelector("main :is(.panel h2, tbody tr) >> visible=true");
        assert.deepEqual(await faintTexts(page), [], hash);
        assert.equal(await sidewaysScroll(page), 0, hash);
      }
      await page.click("#corner button");
      assert.deepEqual(await faintTexts(page), []);
      await page.keyboard.press("Escape");
      await page.emulateMedia({ media: "print" });
      await becomes("the buttons", () => page.isVisible(".panel .acts button"), false);
      assert.equal(await page.isVisible(".panel dl"), true);
    });
  });
}

test("an empty server has no event, and its corner signs in", () => withPage(boardOf([]), "#/events", {}, async (page) => {
  await says(page, ".below", /^Nothing has happened yet\.$/);
  await says(page, "#corner", /^Sign in$/);
}));
