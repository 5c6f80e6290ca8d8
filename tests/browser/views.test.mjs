/* The contents of the views and where they lead, against the stub. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { alive, becomes, chord, counts, crossContrast, eventually, faintTexts, LOOK, says, sidewaysScroll, stands, text, visit } from "./browser.mjs";
import { boardOf, fleet, hex, machine, put, settle, task, waiting } from "./stub.mjs";
import { small, withPage } from "./stubbed.mjs";

for (const scheme of ["light", "dark"]) {
  test(`the cross of a GPU in quarantine is seen on every colour, ${scheme}`, () => {
    const { board, a } = small();
    put(board, a, [5], task("half", { family: "serve:2" }), 0.5);
    for (const gpu of a.gpus) { gpu.fault = { reason: "Xid 48", since: Date.now() - 60e3, by: null, gone: false }; }
    const row = ".node:has-text('node-a') .gpu";
    return withPage(settle(Object.assign(board, { liveTotal: 3 })), "", { scheme }, async (page) => {
      await alive(page);
      const seen = (cell, words) => eventually(words, async () => {              /* a cell that comes into sight is painted a little later */
        const contrast = await crossContrast(page, cell);
        assert.ok(contrast >= 3, `contrast ${contrast}`);
        return true;
      });
      for (const size of ["large", "medium", "small"]) {
        await visit(page, `#/board?size=${size}`);
        await page.waitForSelector(`.groups.${size}`);
        await counts(page, row, 8);
        for (let n = 0; n < 10; n += 1) {
          await page.locator(row).first().evaluate((cell, hue) => { cell.className = `gpu held task out h${hue}`; }, n);
          await seen(`${row} >> nth=0`, `${size}, hue ${n}`);
        }
        for (const [slot, words] of [[5, "shared"], [6, "free"]]) { await seen(`${row} >> nth=${slot}`, `${size}, ${words}`); }
      }
    });
  });
}

/* The element that has the focus: a cell by its label, a link by its text. */
const focused = (page) => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent);

test("a cell opens its task beside the board, and closing it gives the focus back", () => {
  const { board, four, one } = small();
  return withPage(board, "#/board?size=medium", { width: 1440, height: 900 }, async (page) => {
    await alive(page);
    const cell = (id) => `.node .gpu[data-task="${id}"]`;
    const label = await page.locator(cell(one.id)).getAttribute("aria-label");
    for (const [name, opens, closes] of [
      ["by mouse", () => page.click(cell(one.id)), () => page.click(".panel .close")],
      ["by key", async () => { await page.focus(cell(one.id)); await page.keyboard.press("Enter"); }, () => page.keyboard.press("Escape")],
    ]) {
      await opens();
      await says(page, ".panel h2", /^resnet:1$/);
      await stands(page, `#/board/${one.id}?size=medium`);
      await becomes(`${name}: the focus is in the panel`, () => focused(page), "Task");
      await page.waitForSelector("#card", { state: "hidden" });
      assert.deepEqual(await page.evaluate(() => ["section.board", ".panel"].map((part) => document.querySelector(part).getBoundingClientRect()).map(({ left, right, width }) => [left >= 0 && right <= innerWidth, width > 300])),
        [[true, true], [true, true]], `${name}: both are in sight`);
      await counts(page, ".node .gpu.lit", 1);
      await closes();
      await stands(page, "#/board?size=medium");
      await page.waitForSelector(".panel", { state: "hidden" });
      await becomes(`${name}: the focus is back`, () => focused(page), label);
    }
    await page.keyboard.press("Tab");
    await counts(page, ".gpu[tabindex='0']", 1);
    await page.click(cell(four.id) + " >> nth=2");
    await counts(page, ".node .gpu.lit", 4);
    await page.keyboard.press("Escape");
    await becomes("the cell that was clicked", () => focused(page).then((name) => name.split(":")[0]), "GPU 2 of node-a");
    await page.click(cell(one.id), { modifiers: ["Shift"] }).catch(() => null);
    assert.equal(await page.locator(".panel").isVisible(), false, "a click that means another window opens no panel here");

    await visit(page, "#/tasks");
    await page.click(`tr:has(a[href*="${one.id}"]) td.gpus`);
    await says(page, ".panel h2", /^resnet:1$/);
    await page.keyboard.press("Escape");
    await becomes("the row's link", () => focused(page), one.id.slice(-6));

    await page.setViewportSize({ width: 390, height: 844 });
    await visit(page, `#/board/${one.id}`);
    assert.deepEqual([await page.isVisible(".panel"), await page.isVisible("section.board")], [true, false], "one thing at a time");
    assert.equal(await sidewaysScroll(page), 0);
    await page.click(".panel .close");
    await page.waitForSelector("section.board");
  });
});

test("the list of tasks tells how each ended", () => {
  const stopped = (name, containers, more) => task(name, { family: `${name}:1`, lastStatus: "STOPPED", desiredStatus: "STOPPED", stopped: Date.now(), ...more,
    containers: containers.map((container) => ({ name: "main", status: "STOPPED", exitCode: null, reason: null, gpuIds: [], gpuShare: 1, ...container })) });
  const board = boardOf([], [
    stopped("a", [{ exitCode: 137, reason: "OutOfMemoryError: container killed" }], { reason: "Essential container in task exited", stopCode: "EssentialContainerExited" }),
    stopped("b", [{ reason: "CannotPullContainerError: no such image\nsecond line" }], { reason: "Task failed to start", stopCode: "TaskFailedToStart" }),
    task("c", { family: "c:1" }),
  ]);
  return withPage(board, "#/tasks?sort=family", {}, async (page) => {
    await becomes("the ends", () => page.locator("td.reason").allTextContents(), ["exit code 137 · OutOfMemoryError: container killed", "CannotPullContainerError: no such image", ""]);
    await page.fill("main input", "exit 137");
    await counts(page, "tbody tr", 1);
    await page.click("tbody tr td.state");
    await page.waitForSelector(".panel h2");
    assert.equal(await page.isVisible("td.reason"), true, "beside the panel too");
  });
});

test("a task that waits on a silent machine: the page says what the server says of it", () => {
  const { board, a } = small();
  const waiting = put(board, a, [6], task("waiting", { family: "vit:1", lastStatus: "PENDING", started: null }));
  settle(Object.assign(board, { liveTotal: 3 }));
  return withPage(board, `#/board/${waiting.id}`, {}, async (page, stub) => {
    stub.whys.set(waiting.id, "It has its place on node-a, where the agent is to start it.");
    stub.change({ tasks: [{ ...waiting, group: "another" }] });
    await says(page, ".panel .place", /^It has its place on node-a, where the agent is to start it\.$/);
    const silent = "It has its place on node-a, where the agent is to start it. That agent is not connected.";
    stub.whys.set(waiting.id, silent);
    stub.change({ instances: [{ ...a, connected: false, changed: Date.now() }] });
    await becomes("the new words", () => text(page, ".panel .place"), silent);
    const asked = stub.askedWhy.length;
    await page.evaluate(() => new Promise((done) => { setTimeout(done, 5000); }));
    assert.equal(stub.askedWhy.length, asked, "asked again only when something has changed");
    await visit(page, "#/tasks?state=pending");
    await says(page, "td.state", /PENDING agent silent$/);
    await visit(page, `#/tasks/${waiting.id}`);
    stub.change({ tasks: [{ ...waiting, lastStatus: "STOPPED", desiredStatus: "STOPPED", stopped: Date.now(), stopCode: "UserInitiated" }] });
    await says(page, ".panel .why", /^UserInitiated$/);
    await counts(page, ".panel .place", 0);
  });
});

test("a machine's link shows that machine and no other", () => {
  const hosts = [5, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59].map((n) => machine(`p3.16xlarge-${n}`));
  const board = boardOf(hosts);
  const mine = put(board, hosts[0], [0], task("mine", { family: "mine:1" }));
  put(board, hosts[1], [0], task("other", { family: "other:1" }));
  settle(Object.assign(board, { liveTotal: 2 }));
  const only = (view) => `#/${view}?machine=${hosts[0].id}`;
  return withPage(board, "#/instances", {}, async (page) => {
    await counts(page, "tbody tr", 11);
    await page.click("td.name a >> nth=0");
    await stands(page, `#/instances/${hosts[0].id}`);
    await says(page, ".panel h2", /^p3\.16xlarge-5$/);
    await page.click(".panel a:text-is('Show on the board')");
    await stands(page, only("board"));
    await becomes("the machines", () => page.locator(".node .name").allTextContents(), ["p3.16xlarge-5"]);
    await says(page, ".note", /^Only p3\.16xlarge-5\. Show all machines\. 1 of 11 machines shown\.$/);
    await page.click(".node .name a");
    await stands(page, `#/machine/${hosts[0].id}`);
    await page.click(".panel dd a");
    await stands(page, only("tasks"));
    await becomes("its tasks", () => page.locator("td.family .family").allTextContents(), ["mine:1"]);
    await page.click("td.id a");
    await page.click(".panel dl a");
    await stands(page, `#/instances/${hosts[0].id}`);
    await visit(page, only("instances"));
    await becomes("the rows", () => page.locator("td.name a").allTextContents(), ["p3.16xlarge-5"]);
    await visit(page, only("board"));
    await page.keyboard.press("Escape");
    await stands(page, "#/board");
    await counts(page, ".node", 11);
    await visit(page, `#/board?machine=${hex("nobody")}&q=mine`);
    await says(page, ".note", new RegExp(`^There is no machine ${hex("nobody")} here\\. Show all machines\\.`));
    await page.click(".note a");
    await stands(page, "#/board?q=mine");
    await becomes("its task", () => page.locator(".node .gpu.held").getAttribute("data-task", LOOK), mine.id);
  });
});

test("an address that means nothing is said to, and so is a task that is not known", () => {
  const { board } = small();
  return withPage(board, "#/boards", {}, async (page, stub) => {
    for (const hash of ["#/boards", "#/constructor", "#/waiting2", "#/task", "#/machine", "#/events/x"]) {
      await visit(page, hash);
      await says(page, "main h1", /^There is no such page$/);
      assert.equal(await text(page, "main code"), hash);
      await counts(page, "nav a[aria-current]", 0);
      await page.click("main a");
      await stands(page, "#/board");
      await counts(page, ".node", 2);
    }
    for (const [id, view] of [["nonsense", "tasks"], ["nonsense", "board"], [hex("nobody"), "tasks"]]) {
      await visit(page, `#/${view}/${id}`);
      await says(page, ".panel", new RegExp(`^Not known.*There is no task ${id} here, and the history does not know it either\\..*berth history ${id} --server ${stub.url}`));
    }
    await visit(page, "#/instances/nonsense");
    await says(page, ".panel", /^Not known.*There is no machine nonsense here/);
    assert.deepEqual(stub.asked.filter((path) => /^\/berth\/v1\/(logs|samples)/.test(path)), [], "nothing is asked of it");
    assert.deepEqual(stub.asked.filter((path) => path.startsWith("/berth/v1/history")), [`/berth/v1/history/${hex("nobody")}`], "only of what can be an id");
    await visit(page, `#/board?task=${hex("nobody")}`);
    await says(page, ".note", new RegExp(`^There is no task ${hex("nobody")} here: show all\\.`));
    await page.focus(".skip");
    await page.keyboard.press("Enter");
    await becomes("the focus", () => page.evaluate(() => document.activeElement.id), "main");
    await stands(page, `#/board?task=${hex("nobody")}`);
  });
});

test("names that begin alike show what differs, and no word of the instances is broken", () => {
  const board = fleet(1000);
  for (const host of board.instances) { host.name = `big-${host.type}-${host.name.split("-")[1]}`; }
  return withPage(board, "", { width: 1440, height: 900 }, async (page, stub) => {
    for (const hash of ["#/board?size=small", "#/board?size=medium", "#/board?size=large"]) {
      await visit(page, hash);
      await counts(page, ".node .gpu", 8000);
      const seen = await page.evaluate(() => [...document.querySelectorAll(".node .own")].slice(0, 60).map((part) => {
        const cell = part.closest(".name").getBoundingClientRect(), { left, right } = part.getBoundingClientRect();
        return part.textContent !== "" && part.scrollWidth <= part.clientWidth && left >= cell.left && right <= cell.right + 0.5;
      }));
      assert.deepEqual([seen.length, seen.indexOf(false)], [60, -1], hash);
    }
    assert.equal(await page.locator(".node .name").first().textContent(), "big-p3.16xlarge-0", "the whole name is there");
    Object.assign(stub.board.instances[0], { type: "c5.2xlarge", findings: [{ check: "nvidia-driver", status: "FAIL", text: "no driver was found", remedy: "install it" }] });
    stub.change({ instances: [stub.board.instances[0]] });
    stub.use(...stub.board.instances.slice(0, 9).map((host) => [host, host.gpus.map(() => [0.7, 8192, 16384, 61, 230])]));
    await visit(page, "#/instances");
    await page.waitForSelector("td.use .rest");
    await says(page, "tbody", /no driver was found/);
    for (const width of [1440, 1280, 1100]) {
      await page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await page.evaluate(() => {
        const range = document.createRange(), broken = [];
        const walker = document.createTreeWalker(document.querySelector("table"), NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          for (const { 0: word, index } of node.textContent.matchAll(/\S+/g)) {
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) { broken.push(word); }
          }
        }
        const box = document.querySelector(".tablebox");
        return [broken, box.scrollWidth - box.clientWidth];
      }), [[], 0], `${width}`);
    }
  });
});

test("neighbours differ in colour, and a gang has one", () => {
  const [a, b] = [machine("node-a"), machine("node-b")];
  const board = boardOf([a, b]);
  const gang = hex("gang 0");
  const members = [[a, 0], [b, 0], [b, 7]].map(([host, slot], rank) => put(board, host, [slot], task(`gang ${rank}`, { gang })));
  for (const host of [a, b]) { for (let slot = 1; slot < 7; slot += 1) { put(board, host, [slot], task(`${host.name} ${slot}`)); } }
  settle(Object.assign(board, { liveTotal: board.tasks.length }));
  return withPage(board, "", {}, async (page, stub) => {
    await counts(page, ".node .gpu.held", 15);
    const colour = (id) => page.locator(`.node .gpu[data-task="${id}"]`).evaluate((cell) => getComputedStyle(cell).backgroundColor);
    assert.equal(new Set(await Promise.all(members.map(({ id }) => colour(id)))).size, 1);
    const rows = await page.locator(".node").evaluateAll((nodes) => nodes.map((node) => [...node.querySelectorAll(".gpu.held")].map((cell) => getComputedStyle(cell).backgroundColor)));
    for (const row of rows) { assert.equal(new Set(row).size, 7, "all tasks of a machine differ"); }
    const before = await colour(hex("task node-a 1"));
    const fresh = structuredClone(a);
    const late = put({ tasks: [] }, fresh, [7], task("late"));
    stub.change({ instances: [fresh], tasks: [late] });
    await counts(page, ".node .gpu.held", 16);
    assert.equal(await colour(hex("task node-a 1")), before, "who has a colour keeps it");
    await page.click(`.node .gpu[data-task="${members[2].id}"]`);
    await becomes("in the panel", () => page.locator(".panel .swatch").evaluate((swatch) => getComputedStyle(swatch).backgroundColor), await colour(members[0].id));
  });
});

/* Three that wait for one lack, a gang for another, one of another cluster, and one whose lack is not worked out. */
function queued() {
  const { board, a } = small();
  const until = Date.now() + 3600e3;
  const told = [
    waiting("first", 1, { priority: 10, startedBy: "nightly", until }),
    waiting("gang", 2, { size: 4, taskDefinition: "llama:7", reason: "RESOURCE:MEMORY", detail: "Needs 64 GiB on each of 4 instances." }),
    waiting("other", 3, { cluster: "research", reason: null, detail: "It has room now, and is tried in a moment." }),
    waiting("second", 4, { positionOfShape: 2 }),
    waiting("last", 5, { taskDefinition: "rare:1", reason: null, detail: null }),
  ];
  board.tasks.push(...told.flatMap(({ tasks }) => tasks));
  return { board: settle(board), a, told, queue: told.map(({ entry }) => entry) };
}

const shots = process.env.BERTH_SHOTS;       /* a folder for screenshots, to be looked at */
const shoot = async (page, name) => { if (shots) { await page.screenshot({ path: `${shots}/${name}.png` }); } };

test("the tasks that wait for room, in their order, each with what it lacks", () => {
  const { board, a, told, queue } = queued();
  return withPage(board, "", { width: 1440, height: 900 }, async (page, stub) => {
    await says(page, "nav [data-view=waiting]", /^Waiting 8$/);
    stub.queue = queue;
    await chord(page, "w", "waiting");
    const column = (name) => page.locator(`td.${name}`).allTextContents();
    await becomes("the places, of each cluster", () => column("position"), ["1", "2", "1", "3", "4"]);
    await becomes("the tasks", () => column("id"), told.map(({ tasks }) => `${tasks.length > 1 ? "gang of 4" : ""}${tasks.map(({ id }) => ` ${id.slice(-6)}`).join("")}`));
    await becomes("the lacks", () => column("lack"), [`RESOURCE:GPU${queue[0].detail}`, `RESOURCE:MEMORY${queue[1].detail}`, queue[2].detail, "RESOURCE:GPU as place 1", "told when it is nearer the front"]);
    await becomes("the definitions", () => column("family"), ["train:3 by nightly", "llama:7", "train:3", "train:3", "rare:1"]);
    for (const [name, pattern] of [["priority", /^10$/], ["age", /^1 m \d\d s$/], ["until", /^59 m \d\d s$/]]) { await says(page, `td.${name} >> nth=0`, pattern); }
    await says(page, "td.until >> nth=1", /^never$/);
    for (const scheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: scheme });
      await shoot(page, `waiting-${scheme}`);
      assert.deepEqual(await faintTexts(page), [], scheme);
    }

    await page.focus("td.id a >> nth=2");
    await page.keyboard.press("Enter");
    await stands(page, `#/waiting/${told[1].tasks[1].id}`);
    await says(page, ".panel .place", /^Waits for room since .* · place 2 in the queue · priority 0RESOURCE:MEMORY Needs 64 GiB/);
    await says(page, ".panel dl", /instanceplace 2 in the queue/);
    await counts(page, "tr.current", 1);
    await shoot(page, "waiting-panel");
    await page.keyboard.press("Escape");
    await becomes("the focus is back", () => page.evaluate(() => document.activeElement.getAttribute("title")), told[1].tasks[1].id);
    assert.deepEqual(stub.askedWhy, [], "the queue says more");

    await visit(page, "#/waiting?q=second%20nothing");
    await says(page, ".below", /^Nothing matches this filter\.$/);
    await visit(page, `#/waiting?q=${told[3].tasks[0].id}`);
    await becomes("the text is with the first that is shown", () => column("lack"), [`RESOURCE:GPU${queue[3].detail}`]);
    await visit(page, `#/tasks/${told[0].tasks[0].id}`);
    await says(page, ".panel .place", /place 1 in the queue · priority 10 · gives up in 59 m/);
    await says(page, `tr:has(a[title="${told[0].tasks[0].arn}"]) td.instance`, /^waits for room$/);
    stub.queue = queue.slice(1);
    stub.change({ instances: [a], tasks: [{ ...told[0].tasks[0], lastStatus: "PENDING", instance: a.id }] });
    await says(page, ".panel dl", /instancenode-a/);
    await says(page, "nav [data-view=waiting]", /^Waiting 7$/);
  });
});

test("a thousand that wait can be read everywhere, and their text stays text", () => {
  const evil = (n) => `<img src=x onerror="alert(${n})"><script>alert(${n})</script>"'><b>${n}`;
  const { board, queue } = queued();
  const many = Array.from({ length: 1200 }, (_, n) => waiting(`many ${n}`, n + 6, { taskDefinition: `job-${n % 7}:1`, reason: `RESOURCE:${n % 3 ? "GPU" : "CPU"}`, detail: `Lacks the shape ${n % 16}.` }).entry);
  return withPage(board, "#/waiting", {}, async (page, stub) => {
    stub.queue = [waiting("evil", 1, { taskDefinition: evil(1), cluster: evil(2), startedBy: evil(3), group: evil(4), reason: evil(5), detail: `${evil(6)} ${"x".repeat(300)}` }).entry, ...queue.slice(1), ...many];
    await says(page, ".note", /^205 more wait behind these\.$/);
    await says(page, ".more", /^Show 200 more of 800/);
    for (const [width, height] of [[1280, 800], [390, 844]]) {
      await page.setViewportSize({ width, height });
      await shoot(page, `waiting-${width}`);
      assert.equal(await sidewaysScroll(page), 0, `at ${width}`);
    }
    assert.deepEqual(await page.evaluate(() => [document.querySelectorAll("main img, main script, main b b").length, document.images.length]), [0, 1]);
    await page.emulateMedia({ media: "print" });
    assert.deepEqual([await page.isVisible("nav"), await page.isVisible("td.lack")], [false, true]);
  });
});

test("GPU-hours: by whom, in which time, as a file", () => {
  const sums = (held, used, more = {}) => ({ tasks: 3, running: 1, held, used, idle: 0, unknown: 0, queued: 0, ...more });
  const evil = "<img src=x onerror=alert(1)>";
  const answers = {
    "family 7d": { by: "family", complete: true, from: 0, groups: [{ key: "train", ...sums(1234.5, 617.25, { idle: 20 }) }, { key: evil, ...sums(1, 0.004) }, { key: null, ...sums(0.25, 0, { unknown: 0.25 }) }], others: null, total: sums(1235.75, 617.254) },
    "family 24h": { by: "family", complete: false, from: Date.now() - 3600000, groups: [{ key: "train", ...sums(2, 1) }], others: sums(5, 1), total: sums(7, 2) },
    "tag:team 24h": { by: "tag:team", complete: true, from: 0, groups: [{ key: "ml", ...sums(2, 1) }], others: null, total: sums(2, 1) },
    "service 7d": { by: "service", complete: true, from: 0, groups: [], others: null, total: sums(0, 0, { tasks: 0 }) },
  };
  return withPage(small().board, "", { width: 1440, height: 900 }, async (page, stub) => {
    const asked = [];
    stub.usage = (by, since) => {
      asked.push(`${by} ${since}`);
      return answers[`${by} ${since}`];
    };
    await chord(page, "u", "usage");
    await says(page, ".sum", /^1,235\.75 GPU-hours held · 617\.25 used \(50 %\) · 0\.00 idle · 0\.00 waited for$/);
    const column = (name) => page.locator(`td.${name}`).allTextContents();
    await becomes("who", () => column("key"), ["train", evil, "none"]);
    await becomes("in use", () => column("part"), ["50 %", "0 %", "–"]);
    await becomes("used", () => column("used"), ["617.25", "< 0.01", "0.00"]);
    for (const scheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: scheme });
      await shoot(page, `usage-${scheme}`);
      assert.deepEqual(await faintTexts(page), [], scheme);
    }
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("text=Save as CSV")]);
    assert.equal(file.suggestedFilename(), "berth-usage-family.csv");

    await page.click(".choices >> text=24 hours");
    await says(page, ".note", /^The history is longer than one answer reads: this is from .* on\.$/);
    await becomes("and the rest", () => column("key"), ["all others", "train"]);
    await page.fill(".bytag input", "team");
    await page.keyboard.press("Enter");
    await stands(page, "#/usage?since=24h&by=tag%3Ateam");
    await becomes("by the tag", () => column("key"), ["ml"]);
    await visit(page, "#/usage?by=service");
    await says(page, ".below", /^No task has held a GPU in this time, or waited for one\.$/);
    await visit(page, "#/usage?by=nonsense");
    await says(page, ".note", /^The server did not add it up: not here$/);
    await page.setViewportSize({ width: 390, height: 844 });
    await visit(page, "#/usage");
    await becomes("again", () => column("key"), ["train", evil, "none"]);
    await shoot(page, "usage-390");
    assert.equal(await sidewaysScroll(page), 0);
    assert.deepEqual([...new Set(asked)], ["family 7d", "family 24h", "tag:team 24h", "service 7d", "nonsense 7d"]);
  });
});

test("the board of a moment: the slider, a time, keys, and back to now", () => {
  const { board, a, four, one } = small(), before = task("before", { family: "old:7" });
  const minute = (at) => Math.floor(at / 60e3) * 60e3, clock = (at) => new Date(at).toTimeString().slice(0, 5);
  return withPage(board, "", { width: 1280, height: 800 }, async (page, stub) => {
    const asked = [];
    stub.then = (at) => {
      asked.push(at);
      if (at < Date.now() - 20 * 3600e3) { return { status: 400, message: "That is too long ago." }; }
      return { at, left: 0, tasks: [{ id: before.id, family: "old:7", service: null, startedBy: null }],
        machines: [{ id: a.id, cluster: "default", gpus: a.gpus.map(({ uuid }, slot) => [uuid, 900, slot < 3 ? 0.02 : 0, 512, 16384, 40, 60, slot < 3 ? 900e3 : null, slot < 3 ? [before.id] : []]) }] };
    };
    await alive(page);
    await says(page, ".moment .ago", /^now$/);
    const cells = ".node:has-text('node-a') .gpu";
    await counts(page, `${cells}[data-task="${four.id}"]`, 4);
    const then = minute(Date.now() - 5 * 3600e3);
    await visit(page, `#/board?at=${clock(then)}`);
    await says(page, ".moment .ago", new RegExp(`^As it was at ${clock(then)}, 5 h 0\\d m ago\\. Back to now$`));
    await counts(page, `${cells}[data-task="${before.id}"]`, 3);
    await counts(page, `${cells}.idle`, 3);
    await counts(page, `.gpu[data-task="${four.id}"]`, 0);
    assert.equal(asked.at(-1), then);
    await page.locator(cells).first().hover();
    await says(page, "#card", /old:7/);
    await says(page, "#card", /held idle for 15 min/);
    assert.match(await page.evaluate(() => getComputedStyle(document.getElementById("glance"), "::before").content), /Now:/, "the line at the top is that of now");

    await page.keyboard.press(".");
    await says(page, ".moment .ago", new RegExp(`^As it was at ${clock(then + 300e3)},`));
    await page.keyboard.press(",");
    await says(page, ".moment .ago", new RegExp(`^As it was at ${clock(then)},`));
    const seen = asked.length;
    await page.keyboard.press(".");
    await says(page, ".moment .ago", new RegExp(`^As it was at ${clock(then + 300e3)},`));
    assert.equal(asked.length, seen, "a moment that is known is not asked for again");
    await page.keyboard.press("l");
    await says(page, ".moment .ago", /^now$/);
    await counts(page, `${cells}[data-task="${four.id}"]`, 4);
    await stands(page, "#/board");

    await page.fill(".moment input[type=time]", clock(then));
    await says(page, ".moment .ago", new RegExp(`^As it was at ${clock(then)},`));
    await page.locator(".moment input[type=range]").evaluate((slider) => { slider.value = 60; slider.dispatchEvent(new Event("input", { bubbles: true })); });
    await says(page, ".moment .ago", /That is too long ago\. Back to now$/);
    await page.click(".moment .ago a");
    await says(page, ".moment .ago", /^now$/);
    assert.equal(await sidewaysScroll(page), 0);
    assert.ok(one.id);
  });
});

test("a fleet fits one screen, and colours may be those of services", () => {
  const board = fleet(1000);
  board.instances[0].islands = [0, 0, 0, 0, 1, 1, 1, 1];
  return withPage(board, "#/board", { width: 1280, height: 800 }, async (page, stub) => {
    await alive(page);
    await counts(page, ".groups.fleet", 1);
    await page.waitForSelector(".room p");   // it comes later and moves the picture down
    const { cells, bottom } = await page.evaluate(() => {
      const maps = [...document.querySelectorAll("canvas.map")];
      return { cells: maps.reduce((sum, { map }) => sum + map.rows.reduce((all, { gpus }) => all + gpus.length, 0), 0), bottom: Math.max(...maps.map((map) => map.getBoundingClientRect().bottom)) };
    });
    assert.equal(cells, board.instances.reduce((sum, { gpus }) => sum + gpus.length, 0));
    assert.ok(bottom <= 800, `the last machine ends at ${bottom}`);
    const apart = await page.evaluate((name) => {
      const { map } = [...document.querySelectorAll("canvas.map")].find(({ map }) => map.rows.some((one) => one.name === name)), row = map.rows.findIndex((one) => one.name === name);
      const from = map.corner(row, 0), { data } = map.root.getContext("2d").getImageData(from.x, from.y + 3, map.step.x, 1);
      return [3, 4, 5].map((slot) => data[4 * (map.corner(row, slot).x - from.x) + 3] === 0);
    }, board.instances[0].name);
    assert.deepEqual(apart, [false, true, false], "a gap between GPUs that are not so well connected");
    const spot = await page.evaluate(() => {
      const map = [...document.querySelectorAll("canvas.map")].at(-1).map, row = map.rows.findLastIndex(({ gpus }) => gpus[7].holders.length > 0), slot = 7;
      const { left, top } = map.root.getBoundingClientRect(), { x, y } = map.corner(row, slot);
      return { x: left + x + 2, y: top + y + 3, name: map.rows[row].name, task: map.rows[row].gpus[7].holders[0].task };
    });
    await page.mouse.move(spot.x, spot.y);
    await says(page, "#card", new RegExp(`${spot.name}, slot 7`));
    await page.mouse.click(spot.x, spot.y);
    await stands(page, `#/board/${spot.task}`);
    await page.keyboard.press("Escape");
    await stands(page, "#/board");
    await becomes("the picture has the focus again", () => page.evaluate(() => document.activeElement.matches("canvas.map")), true);
    await page.mouse.move(1, 1);             // the pointer over a picture says which cell is meant, when the page moves under it, too
    await page.locator("canvas.map").last().focus();
    await page.keyboard.press("ArrowLeft");
    await says(page, "#card", /slot 6/);
    await page.keyboard.press("ArrowRight");
    await says(page, "#card", new RegExp(`${spot.name}, slot 7`));
    await page.keyboard.press("Enter");
    await stands(page, `#/board/${spot.task}`);
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 900, height: 800 });
    await page.setViewportSize({ width: 900, height: 500 });
    await visit(page, `#/board?task=${spot.task}`);
    await becomes("its cells are in sight", () => page.evaluate((task) => [...document.querySelectorAll("canvas.map")].some(({ map }) => map.topOf(task) > 0 && map.topOf(task) < innerHeight), spot.task), true);
    await becomes("another width, another picture", () => page.evaluate(() => document.querySelector("canvas.map").getBoundingClientRect().right <= innerWidth), true);
    assert.equal(await sidewaysScroll(page), 0);
    const tasks = board.tasks.filter(({ family }) => family.startsWith("llama"));
    for (const one of tasks) { one.service = "web"; }
    stub.change({ tasks });
    await visit(page, "#/board?by=service");
    await says(page, ".keys", /\bweb [\d.]+/);
    await visit(page, "#/board?by=owner");
    await says(page, ".keys", /nobody named|more/);
    await visit(page, "#/board");
    await becomes("no list for tasks", () => page.locator(".keys span").count(), 0);
  });
});

test("GPUs that are better connected are drawn together", () => {
  const [a, b] = [machine("pairs", { gpus: 4, islands: [0, 0, 1, 1] }), machine("alike", { gpus: 4 })], board = boardOf([a, b]);
  put(board, a, [0, 1, 2], task("wide"));
  settle(board);
  return withPage(board, "", {}, async (page) => {
    await alive(page);
    for (const size of ["large", "medium", "small"]) {
      await visit(page, `#/board?size=${size}`);
      await page.waitForSelector(`.groups.${size}`);
      const gaps = (name) => page.locator(`.node:has-text('${name}') .cells`).evaluate((cells) => {
        const boxes = [...cells.children].map((cell) => cell.getBoundingClientRect());
        return { lines: new Set(boxes.map(({ top }) => top)).size, gaps: boxes.slice(1).map(({ left }, slot) => left - boxes[slot].right) };
      });
      const { lines, gaps: [first, between, last] } = await gaps("pairs");
      assert.ok(lines === 1 && between > first + 2 && between > last + 1, `${size}: ${[lines, first, between, last]}`);
      const { gaps: alike } = await gaps("alike");
      assert.ok(Math.max(...alike) - Math.min(...alike) < 1, `${size}: ${alike}`);
    }
  });
});
