/* States of the page that a real server can't be put into quickly, against the stub. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { alive, close, eventually, faintTexts, launch, open, sidewaysScroll, text } from "./browser.mjs";
import { boardOf, fleet, hex, machine, put, settle, Stub, task } from "./stub.mjs";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

/* One stub and one page for a test; both end with it. */
async function withPage(board, hash, options, run) {
  const stub = new Stub(board);
  await stub.listen();
  const page = await open(browser, `${stub.url}/${hash}`, options);
  try {
    await run(page, stub);
    await close(page);
  } finally {
    await page.context().close();
    await stub.stop();
  }
}

function small() {
  const [a, b] = [machine("node-a"), machine("node-b", { gpus: 4, type: "g5.12xlarge" })];
  const board = boardOf([a, b]);
  const four = put(board, a, [0, 1, 2, 3], task("four", { family: "bert:7", startedBy: "nightly", group: "team-x" }));
  const one = put(board, b, [2], task("one", { family: "resnet:1" }));
  settle(Object.assign(board, { liveTotal: 2 }));
  return { board, a, b, four, one };
}

test("cells stand in slot order, and neighbours of one task are joined", () => {
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
    await page.hover(`.gpu[data-task="${four.id}"]`);
    assert.equal(await page.locator(".gpu.lit").count(), 4);
    assert.equal(await page.isVisible("#card"), true);
    const card = await text(page, "#card");
    for (const word of ["bert:7", four.id, "main", "nightly", "team-x", a.gpus[0].uuid, "Tesla V100-SXM2-16GB, 16 GiB", "node-a, slot 0"]) { assert.ok(card.includes(word), `${word} in ${card}`); }
    await page.hover(".node .gpu.free");
    assert.equal(await page.locator(".gpu.lit").count(), 0);
    assert.match(await text(page, "#card"), /^no taskfree/);
    await page.mouse.move(5, 5);
    assert.equal(await page.isVisible("#card"), false);
    await page.click(`.chip[data-task="${four.id}"]`);
    assert.equal(new URL(page.url()).hash, `#/tasks/${four.id}`);
    assert.match(await text(page, ".panel h2"), /bert:7/);
  });
});

test("a task that starts and stops fills and empties cells without a reload, and nothing else is drawn again", () => {
  const { board, a } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await alive(page);
    await page.evaluate(() => {
      window.drawn = new Set();
      new MutationObserver((records) => { for (const { target } of records) { window.drawn.add((target.nodeType === 1 ? target : target.parentElement)?.closest(".node")?.textContent.slice(0, 6)); } })
        .observe(document.querySelector(".groups"), { subtree: true, childList: true, attributes: true, characterData: true });
    });
    const host = structuredClone(a);
    const started = put({ tasks: [] }, host, [5], task("new", { family: "fresh:1" }));
    stub.change({ instances: [host], tasks: [started] });
    await page.waitForSelector(`.gpu.held[data-task="${started.id}"]`);
    assert.equal(await page.locator(".node .gpu.held").count(), 6);
    assert.deepEqual((await page.evaluate(() => [...window.drawn])).filter((name) => name !== null && name !== undefined), ["node-a"]);

    stub.change({ instances: [a], tasks: [{ ...started, lastStatus: "STOPPED", desiredStatus: "STOPPED", stopped: Date.now(), stopCode: "UserInitiated" }] });
    await eventually("the cell is free again", async () => await page.locator(".node .gpu.held").count() === 5);
    assert.match(await text(page, ".tasks"), /1 stopped/);
    stub.change({ gone: [started.id, hex("machine node-b")] });
    await eventually("the machine is gone", async () => await page.locator(".node").count() === 1);
    assert.match(await text(page, ".tasks"), /0 stopped/);
  });
});

test("reset takes the whole board again", () => {
  const { board } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await alive(page);
    Object.assign(stub.board, boardOf([machine("other")]), { revision: 1 });
    stub.reset();
    await eventually("the other board alone", async () => (await page.locator(".node .name").allTextContents()).join() === "other");
  });
});

test("a lost connection is said, tried again, and mended with the whole board", () => {
  const { board, a } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await alive(page);
    const { port } = stub;
    await stub.stop();
    await page.waitForSelector("#alive[data-state=lost]");
    assert.match(await text(page, "#notice"), /connection to the server is lost.*as it was last told/);
    assert.equal(await page.locator(".node .gpu.held").count(), 5);

    const again = new Stub(stub.board);
    again.board.revision += 3;
    again.board.instances = again.board.instances.slice(0, 1);
    await again.listen(port);
    await page.click("#notice button");
    await alive(page);
    assert.equal(await page.isVisible("#notice"), false);
    assert.deepEqual(again.asked.filter((path) => path.startsWith("/berth/")), ["/berth/v1/state", "/berth/v1/events?since=4"]);
    await eventually("the other board", async () => await page.locator(".node").count() === 1);
    again.change({ instances: [{ ...a, status: "DRAINING" }] });
    await page.waitForSelector(".node.draining");
    await again.stop();
    await page.waitForSelector("#alive[data-state=lost]");
  });
});

test("silence turns amber by itself, and a dead stream is begun anew", () => {
  const { board } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await page.clock.install();
    await page.reload();
    await alive(page);
    stub.mute = true;
    await page.clock.fastForward(21000);
    await page.waitForSelector("#alive[data-state=stale]");
    assert.match(await text(page, "#alive"), /stale last event 2\d s ago/);
    const asked = stub.asked.length;
    await page.clock.fastForward(25000);
    await eventually("a new stream", async () => {
      await page.clock.fastForward(1000);
      return stub.asked.slice(asked).some((path) => path.startsWith("/berth/v1/events"));
    });
    await alive(page);
  });
});

test("a refusal is said in the server's words", () => {
  const { board } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await alive(page);
    stub.refuse = { status: 503, message: "Too many <b>viewers</b> watch at once." };
    for (const viewer of stub.viewers) { viewer.destroy(); }
    await page.waitForSelector("#notice:not([hidden])");
    await eventually("the words", async () => (await text(page, "#notice")).includes("Too many <b>viewers</b> watch at once."));
    stub.refuse = null;
    await page.click("#notice button");
    await alive(page);
  });
});

test("a hidden page lets the server go and comes back", () => {
  const { board } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await page.clock.install();
    await page.reload();
    await alive(page);
    const see = (hidden) => page.evaluate((value) => {
      Object.defineProperty(document, "hidden", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
    await see(true);
    await page.clock.fastForward(61000);
    await eventually("the viewer left", () => stub.viewers.size === 0);
    await page.waitForSelector("#alive[data-state=rest]");
    await see(false);
    await alive(page);
    assert.equal(stub.viewers.size, 1);
  });
});

test("a thousand machines: every cell there, one change draws one row", () => withPage(fleet(1000), "", {}, async (page, stub) => {
  await page.waitForSelector(".gpu");
  assert.equal(await page.locator(".node .gpu").count(), 8000);
  assert.equal(await page.locator(".groups.small").count(), 1);
  assert.equal(await sidewaysScroll(page), 0);
  await page.evaluate(() => {
    window.rows = new Set();
    new MutationObserver((records) => { for (const { target } of records) { const row = (target.nodeType === 1 ? target : target.parentElement)?.closest(".node"); if (row) { window.rows.add(row); } } })
      .observe(document.querySelector(".groups"), { subtree: true, childList: true, attributes: true, characterData: true });
  });
  const host = stub.board.instances.find((i) => i.connected && i.status === "ACTIVE" && i.gpus.every((gpu) => gpu.task === null));
  const fresh = structuredClone(host);
  const started = put({ tasks: [] }, fresh, [0, 1, 2, 3, 4, 5, 6, 7], task("late", { cluster: host.cluster }));
  stub.change({ instances: [fresh], tasks: [started] });
  await eventually("eight cells", async () => await page.locator(`.gpu[data-task="${started.id}"]`).count() === 8);
  assert.equal(await page.evaluate(() => window.rows.size), 1);
  await page.goto(`${stub.url}/#/board?task=${started.id}`);
  await eventually("the task's cells are in sight", () => page.evaluate((id) => {
    const { top, bottom } = document.querySelector(`.gpu.lit[data-task="${id}"]`).getBoundingClientRect();
    return top > 0 && bottom < innerHeight;
  }, started.id));
  await page.fill("input[type=search]", "node-999");
  await eventually("one row", async () => await page.locator(".node").count() === 1);
  assert.match(page.url(), /q=node-999/);
  await page.goto(`${stub.url}/#/tasks`);
  await page.waitForSelector("tbody tr");
  assert.equal(await page.locator("tbody tr").count(), 200);
  await page.click(".more a");
  await eventually("more rows", async () => await page.locator("tbody tr").count() === 400);
}));

test("text from outside stays text", () => {
  const evil = (n) => `<img src=x onerror="alert(${n})"><script>alert(${n})</script>"'><b>${n}`;
  const host = machine(evil(1), { type: evil(2), cluster: "default", agentVersion: evil(3), status: "ACTIVE" });
  host.gpus[0].model = evil(4);
  const board = boardOf([host]);
  const bad = put(board, host, [0], task("x", { family: evil(5), group: evil(6), startedBy: evil(7), stopCode: evil(8), reason: evil(9) }));
  bad.containers = [{ name: evil(10), status: "RUNNING", exitCode: 1, reason: evil(11), gpuIds: [evil(12)] }];
  host.gpus[0].container = evil(13);
  settle(board);
  return withPage(board, "", {}, async (page, stub) => {
    stub.logs.set(bad.id, `${evil(14)}\n\x1b[31mred\x1b[0m`);
    await page.hover(".node .gpu.held");
    assert.ok((await text(page, "#card")).includes(evil(7).replace(/\s+/g, " ")));
    for (const hash of ["#/instances", "#/tasks", `#/tasks/${bad.id}`, `#/board?q=${encodeURIComponent("<img")}`, "#/board?show=__proto__&size=%3Cimg&task=%22%5D", `#/tasks/${encodeURIComponent(evil(15))}`]) {
      await page.goto(`${stub.url}/${hash}`);
      await alive(page);
      assert.deepEqual(await page.evaluate(() => [document.querySelectorAll("main img, main script, main b b, #card img").length, document.images.length]), [0, 1], hash);
    }
    await page.goto(`${stub.url}/#/tasks/${bad.id}`);
    await eventually("the log", async () => (await text(page, ".log")).includes("red"));
    assert.ok((await page.textContent(".log")).startsWith(evil(14)));
    assert.ok((await page.textContent(".log")).endsWith("\nred"));
  });
});

test("a log goes on while its task runs, is read a few times more, and then left alone", () => {
  const { board, one } = small();
  return withPage(board, `#/tasks/${one.id}`, {}, async (page, stub) => {
    await page.waitForSelector(".lognote:has-text('Nothing written so far')");
    stub.logs.set(one.id, "first\n");
    await eventually("the first line", async () => (await page.textContent(".log")) === "first\n");
    stub.logs.set(one.id, `first\n${"x".repeat(99)}\n`.padEnd(200000, "y\n"));
    await eventually("the end only", async () => /The end only/.test(await text(page, ".lognote")));
    assert.ok((await page.textContent(".log")).length <= 64 * 1024);
    stub.change({ tasks: [{ ...one, lastStatus: "STOPPED", desiredStatus: "STOPPED", stopped: Date.now() }] });
    stub.logs.set(one.id, "first\nlast\n");
    await eventually("the last line", async () => (await page.textContent(".log")) === "first\nlast\n");
    let asked = -1;
    await eventually("no more questions", async () => {
      const before = asked;
      asked = stub.asked.length;
      await page.waitForTimeout(3000);
      return asked === stub.asked.length && before !== -1;
    }, 20000);
  });
});

test("keys: / filters, g b, g i and g t go places, arrows walk the cells, Escape closes", () => {
  const { board, four } = small();
  return withPage(board, "", {}, async (page, stub) => {
    await alive(page);
    for (const [key, view] of [["t", "tasks"], ["i", "instances"], ["b", "board"]]) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.waitForSelector(`main > section.${view}`);
      assert.equal(await page.getAttribute(`nav [data-view=${view}]`, "aria-current"), "page");
    }
    await page.keyboard.press("/");
    await page.keyboard.type("gt node-a");
    assert.equal(await page.inputValue("main input[type=search]"), "gt node-a");
    assert.equal(await page.locator("section.board").count(), 1);
    await page.fill("main input[type=search]", "");
    await page.keyboard.press("Escape");

    await page.locator(".gpu[tabindex='0']").focus();
    assert.equal(await page.locator(".gpu[tabindex='0']").count(), 1);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), `GPU 1 of node-a: held, bert:7, task ${four.id.slice(-6)}`);
    assert.equal(await page.isVisible("#card"), true);
    stub.change({ instances: [{ ...stub.board.instances[0], status: "DRAINING" }] });
    await page.waitForSelector(".node.draining");
    assert.equal(await page.evaluate(() => document.activeElement.className.startsWith("gpu")), true);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".panel h2");
    await page.keyboard.press("Escape");
    assert.equal(new URL(page.url()).hash, "#/tasks");
  });
});

test("an address that is pasted shows what it showed", () => {
  const { board, four } = small();
  board.tasks.push(task("old", { family: "gone:2", lastStatus: "STOPPED", desiredStatus: "STOPPED", stopped: Date.now() - 5000, stopCode: "EssentialContainerExited", reason: "Essential container in task exited",
    containers: [{ name: "main", status: "STOPPED", exitCode: 137, reason: "OutOfMemoryError", gpuIds: [] }] }));
  settle(board);
  return withPage(board, "#/tasks?q=gone&state=stopped&sort=family", {}, async (page, stub) => {
    await page.waitForSelector("tbody tr");
    assert.equal(await page.locator("tbody tr").count(), 1);
    assert.equal(await page.inputValue("main input"), "gone");
    assert.equal(await page.getAttribute("th.family", "aria-sort"), "ascending");
    await page.click("tbody tr td.reason");
    assert.match(await text(page, ".panel"), /EssentialContainerExited: Essential container in task exited.*exit code 137OutOfMemoryError/);
    assert.equal(new URL(page.url()).hash, `#/tasks/${hex("task old")}?q=gone&state=stopped&sort=family`);
    await page.goto(`${stub.url}/#/board?task=${four.id}`);
    await eventually("lit", async () => await page.locator(".spot .gpu.lit").count() === 4);
    await page.goto(`${stub.url}/#/board?show=problems`);
    await page.waitForSelector("p.empty:has-text('No machine matches')");
    await page.goto(`${stub.url}/#/instances?sort=gpus-down`);
    await page.waitForSelector("tbody tr");
    assert.match(await text(page, "tbody tr"), /^node-a/);
  });
});

test("an empty server teaches the next step", () => withPage(boardOf([]), "", {}, async (page, stub) => {
  await page.waitForSelector(`code:has-text("berth agent --join ${stub.url}")`);
  assert.match(await text(page, ".below"), /berth agent --fake p3.16xlarge:4 --join http/);
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.waitForSelector("code:has-text('aws ecs run-task --cluster default --task-definition hello-gpu')");
  stub.change({ instances: [machine("first")] });
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  await page.waitForSelector(".node:has-text('first')");
  assert.equal(await page.locator(".empty").count(), 0);
}));

test("silent and draining machines look it and say it", () => {
  const [a, b, c] = [machine("node-a", { connected: false, changed: Date.now() - 90e3 }), machine("node-b", { status: "DRAINING" }), machine("cpu-1", { gpus: 0, type: "c5.2xlarge", simulated: false })];
  const board = boardOf([a, b, c]);
  put(board, a, [0], task("t"));
  return withPage(settle(board), "", {}, async (page) => {
    await alive(page);
    assert.equal(await page.locator(".node .gpu.unknown").count(), 8);
    assert.match(await text(page, ".node.silent"), /silent for 1 m 3/);
    assert.match(await text(page, ".node.draining"), /0\/8draining/);
    assert.match(await text(page, "#glance"), /Agents 2\/3 connected.*GPUs 16 · 0 held · 0 free · 8 draining · 8 unknown/);
    assert.equal(await text(page, "#simulated"), "simulated: 2 machines of 3");
    assert.match(await text(page, ".groups"), /1 machine without GPUs/);
    await page.click("#glance .agents");
    await page.waitForSelector("tbody tr");
    assert.equal(await page.locator("tbody tr").count(), 2);
  });
});

for (const scheme of ["light", "dark"]) {
  test(`every text can be read, ${scheme}`, () => {
    const board = fleet(24);
    const stopped = board.tasks.find((t) => t.stopCode === "EssentialContainerExited");
    return withPage(board, "", { scheme }, async (page, stub) => {
      stub.logs.set(stopped.id, "a line");
      await alive(page);
      await page.hover(".node .gpu.held");
      for (const hash of ["", "#/instances", "#/tasks", `#/tasks/${stopped.id}`]) {
        if (hash) { await page.goto(`${stub.url}/${hash}`); }
        await alive(page);
        assert.deepEqual(await faintTexts(page), [], hash);
      }
      await stub.stop();
      await page.waitForSelector("#notice:not([hidden])");
      assert.deepEqual((await faintTexts(page)), [], "lost");
      await stub.listen();
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
      await page.goto(`${stub.url}/${hash}`);
      await alive(page);
      assert.equal(await sidewaysScroll(page), 0, hash);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const hash of ["#/board", "#/instances", "#/tasks", `#/tasks/${hex("task long")}`]) {
      await page.goto(`${stub.url}/${hash}`);
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
  });
});
