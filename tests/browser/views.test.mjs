/* What the views show and where they lead, against the stub. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crossContrast, visit } from "./browser.mjs";
import { put, settle, task } from "./stub.mjs";
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
