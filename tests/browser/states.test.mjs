/* States of the page that a real server can't be put into quickly, against the stub. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { alive, becomes, chord, counts, eventually, faintTexts, LOOK, pointAt, says, sidewaysScroll, stands, text, visit } from "./browser.mjs";
import { boardOf, fleet, hex, machine, put, settle, Stub, task, waiting as room } from "./stub.mjs";
import { small, withPage } from "./stubbed.mjs";

/* From the server again, with a clock that the test moves. */
async function reload(page) {
  await page.reload();
  await passes(page, "the page is alive", () => page.locator("body:not(.loading) #alive[data-state=live]").count());
}

/* From here on the page's clock moves only when the test moves it: nothing that the page does by itself comes in between. */
async function freeze(page) {
  const now = Date.now();
  await page.clock.install({ time: now - 3600e3 });
  await page.clock.pauseAt(now);
  await reload(page);
}

/* The server's time, as the page sees it. */
const pageNow = (page) => page.evaluate(async () => (await import("/dom.js")).now());

/* Moves the clock on until it is so. */
async function passes(page, what, check, stepMs = 100) {
  await eventually(what, async () => {
    await page.clock.runFor(stepMs);
    return check();
  });
}

/* Notes in window.drawn which machines' rows are drawn from now on. An age that goes on by itself is no drawing. */
async function watchRows(page) {
  await page.evaluate(() => {
    window.drawn = new Set();
    new MutationObserver((records) => {
      for (const { target } of records) {
        const node = target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement;
        const row = node?.closest("time.age") ? null : node?.closest(".node");
        if (row) { window.drawn.add(row.querySelector(".name").textContent); }
      }
    }).observe(document.querySelector(".groups"), { subtree: true, childList: true, attributes: true, characterData: true });
  });
}

const drawnRows = (page) => page.evaluate(() => [...window.drawn]);

test("how much more fits, as the board changes, and by model where they differ", () => {
  const { board, a, b, four } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await says(page, ".room", /^default fits now: 7×1 · 3×2 · 1×4 tasks×GPUs$/);
    assert.equal(await page.getAttribute(".room span", "title"), "Tasks that fit, if all have that size: 7 with 1 GPU, 3 with 2 GPUs, 1 with 4 GPUs, 0 with 8 GPUs");
    for (const gpu of a.gpus) { gpu.holders = []; }
    stub.change({ instances: [a], tasks: [{ ...four, lastStatus: "STOPPED", stopped: Date.now() }] });
    await says(page, ".room", /^default fits now: 11×1 · 5×2 · 2×4 · 1×8 tasks×GPUs$/);

    const fits = (...tasks) => tasks.map((n, size) => ({ tasks: n, gpus: 2 ** size }));
    const part = (model, ...tasks) => ({ model, instances: 1, gpusFree: tasks[0], fits: fits(...tasks) });
    stub.room = [{ name: "default", ...part(undefined, 1200, 2, 0, 0), models: [part("V100", 1198, 1, 0, 0), part(null, 2, 1, 0, 0)] },
      { name: "full", ...part(undefined, 0, 0, 0, 0), models: [part("T4", 0, 0, 0, 0)] }, { name: "without", ...part(undefined, 0, 0, 0, 0), models: [] }];
    stub.change({ instances: [b] });
    await becomes("the lines", () => page.locator(".room p").allTextContents(),
      ["default fits now: 1,200×1 · 2×2 tasks×GPUs V100 1,198×1 · 1×2 other 2×1 · 1×2", "full fits now: no GPU task"]);
  });
});

test("a GPU in quarantine is crossed, and says why", () => {
  const { board, a, b } = small();
  const fault = { reason: "Xid 48: double bit ECC error", since: Date.now() - 60e3, by: null, gone: false };
  b.gpus[0].fault = fault;
  Object.assign(b, { health: "IMPAIRED", healthReason: "GPU trouble", findings: [{ check: "nvidia-driver", status: "FAIL", text: "no driver", remedy: "install it" }] });
  return withPage(board, "", {}, async (page, stub) => {
    await counts(page, ".groups .gpu.out.quarantined", 1);
    assert.match(await page.locator(".groups .gpu.out").getAttribute("aria-label"), /^GPU 0 of node-b: quarantined, out of the pool: Xid 48: double bit ECC error$/);
    assert.notEqual(await page.locator(".groups .gpu.out").evaluate((cell) => getComputedStyle(cell, "::after").backgroundImage), "none");
    await says(page, ".glance .gpus", /1 quarantined/);
    await says(page, ".groups .fault", /^GPU 0 quarantined: Xid 48: double bit ECC error$/);
    await says(page, ".groups .found", /^nvidia-driver: no driver$/);
    await pointAt(page, ".groups .gpu.out", ["in quarantine: no task gets it", "Xid 48: double bit ECC error", "its agent"]);

    a.gpus[1].fault = { ...fault, by: "alice", gone: true };                     /* somebody holds it: both are seen */
    b.gpus[0].fault = null;
    stub.change({ instances: [a, b] });
    await counts(page, ".groups .gpu.quarantined", 0);
    await counts(page, ".groups .gpu.out.held.task", 1);
    await visit(page, "#instances?show=problems");
    await becomes("the findings", () => page.locator(".findings li").allTextContents(),
      ["GPU 1 gone: Xid 48: double bit ECC error (alice)", "nvidia-driver: no driver → install it"]);
  });
});

test("how busy GPUs are: bars, words and sums, without drawing a row again; old figures are said to be old", () => {
  const { board, a, b, four, one } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await freeze(page);
    await becomes("the viewers", () => stub.viewers.size, 1);
    assert.equal(await page.locator(".node .told").count(), 0, "nothing is known, nothing is shown");
    for (const nothing of [".glance .use", ".legend .busy"]) { assert.equal(await page.locator(nothing).isVisible(), false, nothing); }
    await watchRows(page);
    const busy = (part, watts = 200) => [part, 8192, 16384, 60, watts];
    const container = [four.id, "main", 0, 1.5, 3 << 20, 2048, 1024, null, null];
    stub.use([a, [busy(0.96), busy(0), null, null, busy(0), busy(0.5)], [container]], [b, [null, null, [null, 4096, 8192, null, null]]]);
    const bars = () => page.locator(".node .gpu").evaluateAll((cells) => cells.flatMap((cell, slot) => (cell.classList.contains("told") ? [[slot, cell.style.getPropertyValue("--busy")]] : [])));
    await passes(page, "the bars", async () => (await bars()).length > 0);
    assert.deepEqual(await bars(), [[4, "0.96"], [5, "0"], [9, "0.5"]], "held, held and idle, and nobody's that somebody works on");
    assert.deepEqual(await drawnRows(page).then((names) => names.filter((name) => name !== "node-a")), []);
    assert.equal(await text(page, ".glance .use"), "37 % busy · 800 W");
    await becomes("of the groups", () => page.locator(".group .use").allTextContents(), ["", "37 % busy · 800 W"]);
    await pointAt(page, ".node .gpu.told", [/use96\s%\sbusy · 8\sof\s16\sGiB · 60\s°C · 200\sW/]);
    stub.use([a, [busy(0.25), busy(0)], [container]]);
    await passes(page, "the card goes on", async () => /use25\s%\sbusy/.test(await text(page, "#card")));
    assert.deepEqual((await bars()).map(([, length]) => length), ["0.26", "0"], "in steps, and a figure that is not sent is gone");

    await visit(page, "#instances");
    await becomes("of the machines", () => page.locator("td.use").allTextContents().then((all) => all.map((one) => one.replaceAll("\u00a0", " "))),
      ["13 % busy16 of 32 GiB · 60 °C · 400 W", "4 of 8 GiB"]);
    await visit(page, "#tasks?sort=use-down");
    await becomes("of the tasks", () => page.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [row.querySelector(".family").textContent, row.querySelector("td.use").textContent])),
      [["bert:7 by nightly", "13 %"], ["resnet:1", "–"]]);
    await visit(page, `#tasks/${four.id}`);
    await says(page, ".panel p.use", /^1\.50\scores · 3\sMiB · network\s2\sKiB\sin,\s1\sKiB\sout$/);
    await becomes("of its GPUs", () => page.locator(".panel .uuids .use").allTextContents().then((all) => all.map((one) => one.split(" · ")[0])), ["25\u00a0%\u00a0busy", "0\u00a0%\u00a0busy", "", ""]);
    const node = await page.locator(".panel p.use").elementHandle();
    stub.use([a, [busy(0.75)], [[...container.slice(0, 3), 2, ...container.slice(4)]]]);
    await passes(page, "the panel goes on", async () => /^2\.00\scores/.test(await text(page, ".panel p.use")));
    assert.equal(await node.evaluate((element) => element.isConnected), true, "the panel was not drawn again");
    stub.use([a, [busy(0.75)], [[...container.slice(0, 3), 3, ...container.slice(4)]], await pageNow(page) - 50e3]);
    await passes(page, "new figures", async () => /^3\.00\scores/.test(await text(page, ".panel p.use")));
    await passes(page, "old figures, without a word from the server", async () => /^last told 1 m \d\d s ago$/.test(await text(page, ".panel p.use")), 1000);

    await page.clock.fastForward("01:00:00");                                    /* its own clock is wrong now */
    await visit(page, "#board");
    await reload(page);
    assert.ok(Math.abs(await pageNow(page) - Date.now()) < 1800e3, "it follows the server's");
    await becomes("the viewers", () => stub.viewers.size, 1);
    stub.use([a, [busy(1)], [], Date.now()], [b, [busy(1)], [], Date.now()]);
    await passes(page, "the bars", async () => (await bars()).length > 0);
    for (const host of [a, b]) { stub.use([host, host.gpus.map(() => busy(1)), [], await pageNow(page) - 65e3]); }
    await passes(page, "no bars", async () => (await bars()).length === 0);
    assert.equal(await page.locator(".glance .use").isVisible(), false, "and nothing is summed up");
    for (const { id } of [four, one]) { await pointAt(page, `.gpu[data-task="${id}"]`, [/uselast told 1 m \d\d s ago/]); }
  });
});

test("how much more fits is asked once a second at most, until the answer is as new as the board", () => {
  const { board, b } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await freeze(page);
    await passes(page, "the line", () => page.locator(".room p").count());
    const before = stub.askedRoom.length, { revision } = board;
    stub.room = stub.board.clusters.map(({ name }) => ({ name, fits: [{ gpus: 1, tasks: 42 }], models: [{ model: "V100", fits: [] }] }));
    for (let n = 0; n < 10; n += 1) { stub.change({ instances: [{ ...b, running: n }] }); }
    await passes(page, "the new line", async () => /42×1/.test(await text(page, ".room")), 50);
    assert.equal(stub.askedRoom.length, before + 1, "ten changes, one question");

    stub.change({ instances: [b] });
    board.revision = revision;               /* the server's answer lags behind */
    await passes(page, "it asks again and again", () => stub.askedRoom.length >= before + 3, 500);
    board.revision = revision + 11;
    const old = stub.askedRoom.length;
    await passes(page, "once more", () => stub.askedRoom.length > old, 500);
    const last = stub.askedRoom.length;
    await page.clock.runFor(10000);
    assert.ok(stub.askedRoom.length <= last + 1, "then it is content");
  });
});

test("cells are in slot order, and neighbours of one task are joined", () => {
  const { board, four } = small();
  return withPage(board, "", {}, async (page) => {
    await alive(page);
    const row = page.locator(".node", { hasText: "node-a" });
    const cells = await row.locator(".gpu").evaluateAll((nodes) => nodes.map((node) => [node.className.replace(/ h\d/, ""), node.textContent]));
    const id = four.id.slice(-6);
    assert.deepEqual(cells, [["gpu held task right", id], ["gpu held task left right", id], ["gpu held task left right", id], ["gpu held task left", id],
      ["gpu free", ""], ["gpu free", ""], ["gpu free", ""], ["gpu free", ""]]);
    assert.equal(await text(page, "#glance"), "Agents 2/2GPUs 12 · 5 held · 7 free Tasks 2 running · 0 pending · 0 stopped".replace("free Tasks", "freeTasks"));
    assert.equal(await text(page, "#simulated"), "simulated: all machines");
  });
});

test("pointing at a cell lights its task everywhere and tells who holds it", () => {
  const { board, four, a } = small();
  return withPage(board, "", {}, async (page) => {
    /* The page may still move cells away from below the pointer: then it is moved again. */
    const lights = (selector, words, lit) => eventually(`${lit} cells lit`, async () => {
      await pointAt(page, selector, words);
      assert.equal(await page.locator(".gpu.lit").count(), lit);
      return true;
    });
    await lights(`.gpu[data-task="${four.id}"]`, ["bert:7", four.id, "main", "nightly", "team-x", a.gpus[0].uuid, "Tesla V100-SXM2-16GB, 16 GiB", "node-a, slot 0"], 4);
    await lights(".node .gpu.free", [/^no taskfree/], 0);
    await page.mouse.move(5, 5);
    await page.waitForSelector("#card", { state: "hidden" });
    await page.click(`.chip[data-task="${four.id}"]`);
    await stands(page, `#/board/${four.id}`);
    await says(page, ".panel h2", /bert:7/);
  });
});

const exactly = (words) => new RegExp(words.replace(/[.()]/g, "\\$&"));

test("a shared GPU is filled as far as it is in use, and names everybody who holds some of it", () => {
  const { board, a } = small();
  const half = put(board, a, [5], task("half", { family: "serve:2", startedBy: "anna" }), 0.5);
  const quarter = put(board, a, [5], task("quarter", { family: "notebook:1" }), 0.25);
  settle(Object.assign(board, { liveTotal: 4 }));
  return withPage(board, "", {}, async (page, stub) => {
    await alive(page);
    const cell = page.locator(".node .gpu.shared");
    const look = () => cell.evaluate((node) => ({
      pieces: [...node.children].map((child) => [Math.round(100 * child.getBoundingClientRect().width / node.clientWidth), getComputedStyle(child).backgroundColor]),
      label: node.getAttribute("aria-label"), href: node.getAttribute("href"), text: node.textContent }));
    const { pieces, ...words } = await look();
    assert.deepEqual(pieces.map(([width]) => width), [50, 25]);
    assert.notEqual(pieces[0][1], pieces[1][1]);
    const names = [`0.5 by serve:2, task ${half.id.slice(-6)}`, `0.25 by notebook:1, task ${quarter.id.slice(-6)}`];
    assert.deepEqual(words, { label: `GPU 5 of node-a: held, 0.75 in use: ${names.join("; ")}`, href: `#/board/${half.id}`, text: "" });
    const card = ["2 tasks", "held, 0.75 of it", `0.5 serve:2 · ${half.id.slice(-6)} · main · anna`, `0.25 notebook:1 · ${quarter.id.slice(-6)} · main`];
    await pointAt(page, ".node .gpu.shared", card);
    await page.mouse.move(5, 5);
    await page.waitForSelector("#card", { state: "hidden" });
    await cell.focus();
    for (const words of card) { await says(page, "#card", exactly(words)); }
    await page.hover(`.chip[data-task="${quarter.id}"]`);
    await counts(page, ".node .gpu.lit", 1);
    await says(page, `.chip[data-task="${quarter.id}"]`, /×0\.25$/);

    const host = structuredClone(a);
    Object.assign(host.gpus[5], { used: 0.25, holders: [host.gpus[5].holders[1]] });
    stub.change({ instances: [host], tasks: [{ ...half, lastStatus: "STOPPED", desiredStatus: "STOPPED", stopped: Date.now() }] });
    await becomes("the rest of it", async () => (await look()).pieces.map(([width]) => width).join(), "25");
    await visit(page, `#/tasks/${quarter.id}`);
    await says(page, ".panel", /0\.25 GPU/);
    await says(page, ".panel .uuids", exactly(`${host.gpus[5].uuid} (0.25 of it)`));
  });
});

test("a task that starts and stops fills and empties cells without a reload, and nothing else is drawn again", () => {
  const { board, a } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await alive(page);
    await watchRows(page);
    const host = structuredClone(a);
    const started = put({ tasks: [] }, host, [5], task("new", { family: "fresh:1" }));
    stub.change({ instances: [host], tasks: [started] });
    await page.waitForSelector(`.gpu.held[data-task="${started.id}"]`);
    await counts(page, ".node .gpu.held", 6);
    assert.deepEqual(await drawnRows(page), ["node-a"]);

    stub.change({ instances: [a], tasks: [{ ...started, lastStatus: "STOPPED", desiredStatus: "STOPPED", stopped: Date.now(), stopCode: "UserInitiated" }] });
    await counts(page, ".node .gpu.held", 5);
    await says(page, ".tasks", /1 stopped/);
    stub.change({ gone: [started.id, hex("machine node-b")] });
    await counts(page, ".node", 1);
    await says(page, ".tasks", /0 stopped/);
  });
});

test("reset takes the whole board again", () => {
  const { board } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await alive(page);
    await becomes("the viewers", () => stub.viewers.size, 1);
    Object.assign(stub.board, boardOf([machine("other")]), { revision: 1 });
    stub.reset();
    await becomes("the machines", () => page.locator(".node .name").allTextContents(), ["other"]);
  });
});

test("a lost connection is said, tried again, and mended with the whole board", () => {
  const { board, a } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await freeze(page);
    const { port } = stub;
    await stub.stop();
    await page.waitForSelector("#alive[data-state=lost]");
    await says(page, "#notice", /connection to the server is lost.*the last known state/);
    await counts(page, ".node .gpu.held", 5);

    const again = new Stub(stub.board);
    again.board.revision += 3;
    again.board.instances = again.board.instances.slice(0, 1);
    await again.listen(port);
    try {
      await page.click("#notice button");    /* the clock is stopped: nothing else tries */
      await alive(page);
      await page.waitForSelector("#notice", { state: "hidden" });
      await becomes("the requests", () => again.asked.filter((path) => path.startsWith("/berth/")), ["/berth/v1/state", "/berth/v1/events?since=4"]);
      await passes(page, "the other board", async () => await page.locator(".node").count() === 1);
      again.change({ instances: [{ ...a, status: "DRAINING" }] });
      await passes(page, "a change of it", () => page.locator(".node.draining").count());
    } finally {
      await again.stop();
    }
    await page.waitForSelector("#alive[data-state=lost]");
  });
});

test("a lost connection is tried again by itself", () => {
  const { board } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await alive(page);
    const { port } = stub;
    await stub.stop();
    await page.waitForSelector("#alive[data-state=lost]");
    await stub.listen(port);
    await alive(page);
  });
});

test("silence turns amber by itself, and a dead stream is begun again", () => {
  const { board } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await freeze(page);
    stub.mute = true;
    const asked = stub.asked.length;
    await passes(page, "amber", () => page.locator("#alive[data-state=stale]").count(), 1000);
    assert.match(await text(page, "#alive"), /stale last event 2\d s ago/);
    await passes(page, "a new stream", () => stub.asked.slice(asked).some((path) => path.startsWith("/berth/v1/events")), 1000);
    await alive(page);
  });
});

test("a refusal is said in the server's words", () => {
  const { board } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await freeze(page);
    stub.refuse = { status: 503, message: "Too many <b>viewers</b> watch at once." };
    for (const viewer of stub.viewers) { viewer.destroy(); }
    await passes(page, "the words", async () => (await text(page, "#notice")).includes("Too many <b>viewers</b> watch at once."));
    await page.waitForSelector("#notice:not([hidden])");
    stub.refuse = null;
    await page.click("#notice button");
    await alive(page);
  });
});

const see = (page, hidden) => page.evaluate((value) => {
  Object.defineProperty(document, "hidden", { value, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}, hidden);

test("a hidden page lets the server go and comes back", () => {
  const { board } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await freeze(page);
    await becomes("the viewers", () => stub.viewers.size, 1);
    await see(page, true);
    await passes(page, "the page rests", () => page.locator("#alive[data-state=rest]").count(), 10000);
    await becomes("the viewers", () => stub.viewers.size, 0);
    await see(page, false);
    await alive(page);
    await becomes("the viewers", () => stub.viewers.size, 1);
  });
});

test("a page that is hidden while it takes the board still rests", () => {
  const { board } = small();
  return withPage(board, "", {}, async (page, stub) => {
    let release;
    await freeze(page);
    await becomes("the viewers", () => stub.viewers.size, 1);
    stub.hold = new Promise((resolve) => { release = resolve; });
    stub.reset();
    const asked = stub.asked.length;
    await passes(page, "the board is asked for", () => stub.asked.slice(asked).includes("/berth/v1/state"));
    await see(page, true);
    await page.clock.runFor(61000);
    release();
    await page.waitForSelector("#alive[data-state=rest]");
    await becomes("the viewers", () => stub.viewers.size, 0);
  });
});

test("a page that is seen again in the moment it rests goes on, and nothing was lost", () => {
  const { board } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await freeze(page);
    await becomes("the viewers", () => stub.viewers.size, 1);
    const asked = stub.asked.length;
    await page.evaluate(() => {
      window.states = new Set();
      new MutationObserver(() => window.states.add(document.getElementById("alive").dataset.state)).observe(document.getElementById("alive"), { attributes: true });
      const see = (value) => {
        Object.defineProperty(document, "hidden", { value, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      };
      const { abort } = AbortController.prototype;
      AbortController.prototype.abort = function abortAndLook() {
        AbortController.prototype.abort = abort;
        this.abort();
        see(false);
      };
      see(true);
    });
    stub.mute = true;
    await page.clock.fastForward(25000);
    await passes(page, "amber", () => page.locator("#alive[data-state=stale]").count(), 1000);
    stub.send(": alive\n\n");                /* or the stream would be called dead before the page rests */
    await alive(page);
    await passes(page, "a new beginning", () => stub.asked.length >= asked + 2, 1000);
    await alive(page);
    assert.deepEqual(stub.asked.slice(asked), ["/berth/v1/state", "/berth/v1/events?since=1"]);
    assert.equal((await page.evaluate(() => [...window.states])).includes("lost"), false);
  });
});

test("a thousand machines: every cell there, one change draws one row", () => withPage(fleet(1000), "#/board?size=small", {}, async (page, stub) => {
  await counts(page, ".node .gpu", 8000);
  await counts(page, ".groups.small", 1);
  assert.equal(await sidewaysScroll(page), 0);
  await watchRows(page);
  const host = stub.board.instances.find((i) => i.connected && i.status === "ACTIVE" && i.gpus.every((gpu) => gpu.holders.length === 0));
  const fresh = structuredClone(host);
  const started = put({ tasks: [] }, fresh, [0, 1, 2, 3, 4, 5, 6, 7], task("late", { cluster: host.cluster }));
  stub.change({ instances: [fresh], tasks: [started] });
  await counts(page, `.gpu[data-task="${started.id}"]`, 8);
  assert.deepEqual(await drawnRows(page), [host.name]);
  await visit(page, `#/board?size=small&task=${started.id}`);
  await eventually("the task's cells are in sight", () => page.evaluate((id) => {
    const { top, bottom } = document.querySelector(`.gpu.lit[data-task="${id}"]`).getBoundingClientRect();
    return top > 0 && bottom < innerHeight;
  }, started.id));
  await page.fill("input[type=search]", "node-999");
  await counts(page, ".node", 1);
  await stands(page, `#/board?size=small&task=${started.id}&q=node-999`);
  await visit(page, "#/tasks");
  await counts(page, "tbody tr", 200);
  await page.click(".more a");
  await counts(page, "tbody tr", 400);
}));

test("a task that waits for its image shows how far it is, until it runs; nobody asks while none waits", () => {
  const { board, a } = small();
  const waiting = put(board, a, [5], task("waiting", { family: "vit:1", lastStatus: "PENDING", started: null }));
  board.tasks.push(...room("room", 1).tasks);
  const pull = { instance: a.id, image: "registry.example/vit:1", layers: 9, layersDone: 3, bytes: 312 * 2 ** 20, bytesKnown: 840 * 2 ** 20, tasks: [waiting.id] };
  settle(board);
  return withPage(board, "#tasks", {}, async (page, stub) => {
    await counts(page, ".pulling", 0);
    stub.pulls = [pull];
    await says(page, "td .pulling", /^pulling 312 of 840 MiB$/);
    await counts(page, ".pulling", 1);
    await page.click(`td a[href*="${waiting.id}"]`);
    await says(page, "p.pulling", /^pulling 312 of 840 MiB that are known of, 3 of 9 layers are done: registry\.example\/vit:1$/);
    stub.pulls = [{ ...pull, layers: 0, bytes: 0, bytesKnown: 0 }];
    await says(page, "p.pulling", /^pulling: registry\.example\/vit:1$/);
    stub.change({ tasks: [{ ...waiting, lastStatus: "RUNNING", started: Date.now() }] });
    await counts(page, ".pulling", 0);
    await eventually("one more look, then none", async () => {
      const before = stub.askedPulls.length;
      await new Promise((resolve) => { setTimeout(resolve, 5000); });
      return stub.askedPulls.length === before;
    });
    assert.ok(stub.askedPulls.length > 0);
    assert.deepEqual(stub.askedQueue, [], "a task waits for room, but no view shows the queue");
  });
});

test("text from outside stays text", () => {
  const evil = (n) => `<img src=x onerror="alert(${n})"><script>alert(${n})</script>"'><b>${n}`;
  const host = machine(evil(1), { type: evil(2), cluster: "default", agentVersion: evil(3), status: "ACTIVE" });
  host.gpus[0].model = evil(4);
  const board = boardOf([host]);
  const bad = put(board, host, [0], task("x", { family: evil(5), group: evil(6), startedBy: evil(7), stopCode: evil(8), reason: evil(9) }));
  bad.containers = [{ name: evil(10), status: "RUNNING", exitCode: 1, reason: evil(11), gpuIds: [evil(12)] }];
  host.gpus[0].holders[0].container = evil(13);
  settle(board);
  return withPage(board, "", {}, async (page, stub) => {
    stub.logs.set(bad.id, `${evil(14)}\n\x1b[31mred\x1b[0m`);
    await pointAt(page, ".node .gpu.held", [evil(7).replace(/\s+/g, " ")]);
    for (const hash of ["#/instances", "#/tasks", `#/tasks/${bad.id}`, `#/board?q=${encodeURIComponent("<img")}`, "#/board?show=__proto__&size=%3Cimg&task=%22%5D", `#/tasks/${encodeURIComponent(evil(15))}`]) {
      await visit(page, hash);
      await alive(page);
      assert.deepEqual(await page.evaluate(() => [document.querySelectorAll("main img, main script, main b b, #card img").length, document.images.length]), [0, 1], hash);
    }
    await visit(page, `#/tasks/${bad.id}`);
    await becomes("the log", () => page.textContent(".log", LOOK), `${evil(14)}\nred`);
  });
});

test("a log goes on while its task runs, is read a few times more, and then left alone", () => {
  const { board, one } = small();
  return withPage(board, `#/tasks/${one.id}`, {}, async (page, stub) => {
    const reads = () => stub.asked.filter((path) => path.startsWith("/berth/v1/logs")).length;
    const log = () => page.textContent(".log", LOOK);
    await freeze(page);
    await says(page, ".lognote", /No output so far/);
    stub.logs.set(one.id, "first\n");
    await passes(page, "the first line", async () => await log() === "first\n", 1000);
    stub.logs.set(one.id, `first\n${"x".repeat(99)}\n`.padEnd(200000, "y\n"));
    await passes(page, "the end only", async () => /Only the end/.test(await text(page, ".lognote")), 1000);
    assert.ok((await log()).length <= 64 * 1024);
    stub.change({ tasks: [{ ...one, lastStatus: "STOPPED", desiredStatus: "STOPPED", stopped: Date.now() }] });
    stub.logs.set(one.id, "first\nlast\n");
    await passes(page, "the last line", async () => await log() === "first\nlast\n", 1000);
    await eventually("no more questions", async () => {
      const before = reads();
      for (let n = 0; n < 5; n += 1) {
        await page.clock.runFor(3000);
        await page.evaluate(() => fetch("/berth/v1/state").then((reply) => reply.text()));    /* earlier requests have arrived too */
      }
      return reads() === before;
    });
  });
});

test("keys: / filters, g b, g i and g t go places, arrows walk the cells, Escape closes", () => {
  const { board, four } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await alive(page);
    for (const [letter, view] of [["t", "tasks"], ["i", "instances"], ["b", "board"]]) {
      await chord(page, letter, view);
      assert.equal(await page.getAttribute(`nav [data-view=${view}]`, "aria-current"), "page");
    }
    await page.keyboard.press("/");
    await page.keyboard.type("gt node-a");
    await becomes("the filter", () => page.inputValue("main input[type=search]", LOOK), "gt node-a");
    await counts(page, "section.board", 1);
    await page.fill("main input[type=search]", "");
    await page.keyboard.press("Escape");

    await counts(page, ".node", 2);
    await counts(page, ".gpu[tabindex='0']", 1);
    await page.locator(".gpu[tabindex='0']").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await becomes("the focus", () => page.evaluate(() => document.activeElement.getAttribute("aria-label")), `GPU 1 of node-a: held, bert:7, task ${four.id.slice(-6)}`);
    await page.waitForSelector("#card:not([hidden])");
    stub.change({ instances: [{ ...stub.board.instances[0], status: "DRAINING" }] });
    await page.waitForSelector(".node.draining");
    assert.equal(await page.evaluate(() => document.activeElement.className.startsWith("gpu")), true);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".panel h2");
    await page.keyboard.press("Escape");
    await stands(page, "#/board");
  });
});

test("an address that is pasted shows what it showed", () => {
  const { board, four } = small();
  board.tasks.push(task("old", { family: "gone:2", lastStatus: "STOPPED", desiredStatus: "STOPPED", stopped: Date.now() - 5000, stopCode: "EssentialContainerExited", reason: "Essential container in task exited",
    containers: [{ name: "main", status: "STOPPED", exitCode: 137, reason: "OutOfMemoryError", gpuIds: [] }] }));
  settle(board);
  return withPage(board, "#/tasks?q=gone&state=stopped&sort=family", {}, async (page) => {
    await counts(page, "tbody tr", 1);
    assert.equal(await page.inputValue("main input"), "gone");
    assert.equal(await page.getAttribute("th.family", "aria-sort"), "ascending");
    await page.click("tbody tr td.reason");
    await says(page, ".panel", /EssentialContainerExited: Essential container in task exited.*exit code 137OutOfMemoryError/);
    await stands(page, `#/tasks/${hex("task old")}?q=gone&state=stopped&sort=family`);
    await visit(page, `#/board?task=${four.id}`);
    await counts(page, ".spot .gpu.lit", 4);
    await visit(page, "#/board?show=problems");
    await page.waitForSelector("p.empty:has-text('No machine matches')");
    await visit(page, "#/instances?sort=gpus-down");
    await says(page, "tbody tr", /^node-a/);
  });
});

test("an empty server teaches the next step", () => withPage(boardOf([]), "", {}, async (page, stub) => {
  await page.waitForSelector(`code:has-text("berth agent --join ${stub.url}")`);
  assert.match(await text(page, ".below"), /berth agent --fake p3.16xlarge:4 --join http/);
  await chord(page, "t", "tasks");
  await page.waitForSelector("code:has-text('aws ecs run-task --cluster default --task-definition hello-gpu')");
  await chord(page, "w", "waiting");
  await says(page, ".below", /^No task waits for room.*the tag berth:queue\..*aws ecs run-task/);
  stub.change({ instances: [machine("first")] });
  await chord(page, "b", "board");
  await page.waitForSelector(".node:has-text('first')");
  await counts(page, ".empty", 0);
}));

test("silent and draining machines look it and say it", () => {
  const [a, b, c] = [machine("node-a", { connected: false, changed: Date.now() - 5400e3 }), machine("node-b", { status: "DRAINING" }), machine("cpu-1", { gpus: 0, type: "c5.2xlarge", simulated: false })];
  const board = boardOf([a, b, c]);
  put(board, a, [0], task("t"));
  return withPage(settle(board), "", {}, async (page) => {
    await alive(page);
    await counts(page, ".node .gpu.unknown", 8);
    assert.match(await text(page, ".node.silent"), /silent for 1 h 3\d m/);
    assert.match(await text(page, ".node.draining"), /0\/8draining/);
    assert.match(await text(page, "#glance"), /Agents 2\/3 connected.*GPUs 16 · 0 held · 0 free · 8 draining · 8 unknown/);
    assert.equal(await text(page, "#simulated"), "simulated: 2 machines of 3");
    assert.match(await text(page, ".groups"), /1 machine without GPUs/);
    await page.click("#glance .agents");
    await counts(page, "tbody tr", 2);
  });
});

for (const scheme of ["light", "dark"]) {
  test(`every text can be read, ${scheme}`, () => {
    const board = fleet(24);
    const stopped = board.tasks.find((t) => t.stopCode === "EssentialContainerExited");
    return withPage(board, "", { scheme }, async (page, stub) => {
      stub.logs.set(stopped.id, "a line");
      await alive(page);
      await pointAt(page, ".node .gpu.held", ["held"]);
      assert.deepEqual(await faintTexts(page), [], "the board and a card");
      for (const hash of ["#/instances", "#/tasks", `#/tasks/${stopped.id}`]) {
        await visit(page, hash);
        await alive(page);
        assert.deepEqual(await faintTexts(page), [], hash);
      }
      await says(page, ".log", /a line/);
      assert.deepEqual(await faintTexts(page), [], "a log");
      await stub.stop();
      await page.waitForSelector("#notice:not([hidden])");
      assert.deepEqual(await faintTexts(page), [], "lost");
    });
  });
}

test("390 pixels are enough, and nothing jumps sideways", () => {
  const board = fleet(24);
  const long = "x".repeat(180);
  put(board, board.instances[0] = machine(`host-${long}`, { type: `type-${long}` }), [0], task("long", { family: `${long}:1`, startedBy: long, group: long }));
  settle(board);
  return withPage(board, "", { width: 390, height: 844 }, async (page, stub) => {
    await alive(page);
    for (const hash of ["#/board", "#/board?size=medium", "#/board?size=small", "#/instances", "#/tasks", `#/tasks/${hex("task long")}`, `#/board?task=${hex("task long")}`]) {
      await visit(page, hash);
      await alive(page);
      assert.equal(await sidewaysScroll(page), 0, hash);
    }
    await visit(page, "#/board");
    for (const open of [false, true, false]) {
      assert.deepEqual(await Promise.all([".choices", ".board .legend"].map((part) => page.locator(part).isVisible())), [open, open]);
      await page.click("text=Choices, legend");
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const hash of ["#/board", "#/instances", "#/tasks", `#/tasks/${hex("task long")}`]) {
      await visit(page, hash);
      assert.equal(await sidewaysScroll(page), 0, `${hash} wide`);
    }
  });
});

test("printed, the board is there and the controls are not", () => {
  const { board } = small();
  return withPage(board, "", { scheme: "dark" }, async (page) => {
    await alive(page);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.isVisible(".node .gpu.held"), true);
    assert.equal(await page.isVisible("nav"), false);
    assert.equal(await page.isVisible("input[type=search]"), false);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    assert.deepEqual(await faintTexts(page), []);
  });
});
