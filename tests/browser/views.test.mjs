/* What the views show and where they lead, against the stub. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { counts, crossContrast, visit } from "./browser.mjs";
import { boardOf, hex, machine, put, settle, task } from "./stub.mjs";
import { small, withPage } from "./stubbed.mjs";

for (const scheme of ["light", "dark"]) {
  test(`the cross of a GPU in quarantine is seen on every colour, ${scheme}`, () => {
    const { board, a } = small();
    put(board, a, [5], task("half", { family: "serve:2" }), 0.5);
    for (const gpu of a.gpus) { gpu.fault = { reason: "Xid 48", since: Date.now() - 60e3, by: null, gone: false }; }
    const row = ".node:has-text('node-a') .gpu";
    return withPage(settle(Object.assign(board, { liveTotal: 3 })), "", { scheme }, async (page) => {
      for (const size of ["large", "medium", "small"]) {
        await visit(page, `#/board?size=${size}`);
        await page.waitForSelector(`.groups.${size}`);
        const cells = page.locator(row);
        assert.equal(await cells.count(), 8);
        for (let n = 0; n < 10; n += 1) {
          await cells.nth(0).evaluate((cell, hue) => { cell.className = `gpu held task out h${hue}`; }, n);
          const seen = await crossContrast(page, `${row} >> nth=0`);
          assert.ok(seen >= 3, `${size}, hue ${n}: ${seen}`);
        }
        for (const slot of [5, 6]) {
          const seen = await crossContrast(page, `${row} >> nth=${slot}`);
          assert.ok(seen >= 3, `${size}, ${slot === 5 ? "shared" : "free"}: ${seen}`);
        }
      }
    });
  });
}

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
  });
});
