/* stubbed.mjs: a page of the stub for one test, in the browser that all tests of a file share. */
import { after, before } from "node:test";
import { close, launch, open } from "./browser.mjs";
import { boardOf, machine, put, settle, Stub, task } from "./stub.mjs";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

/* One stub and one page for a test; both end with it. */
export async function withPage(board, hash, options, run) {
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

/* Two machines, a task with four GPUs and one with one. */
export function small() {
  const [a, b] = [machine("node-a"), machine("node-b", { gpus: 4, type: "g5.12xlarge" })];
  const board = boardOf([a, b]);
  const four = put(board, a, [0, 1, 2, 3], task("four", { family: "bert:7", startedBy: "nightly", group: "team-x" }));
  const one = put(board, b, [2], task("one", { family: "resnet:1" }));
  settle(Object.assign(board, { liveTotal: 2 }));
  return { board, a, b, four, one };
}
