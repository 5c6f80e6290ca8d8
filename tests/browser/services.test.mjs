/* Services on the page, against the stub. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { alive, becomes, chord, counts, faintTexts, says, sidewaysScroll, stands, text, visit } from "./browser.mjs";
import { boardOf, deployment, machine, put, service, settle, task } from "./stub.mjs";
import { small, withPage } from "./stubbed.mjs";

const LONG = "deployment failed: tasks failed to start; the newest: task 0a1b2c stopped: CannotPullContainerError: no such image registry.example/team/web:broken";

/* One at rest, one in a rollout, one that is rolled back, one that drains. */
function serving() {
  const host = machine("node-a");
  const services = [
    service("web"),
    service("api", { taskDefinition: "api:2", desired: 4, running: 5, pending: 1, rollout: { status: "IN_PROGRESS", reason: null }, deployments: [
      deployment("api:2", { desired: 4, running: 1, pending: 1, rollout: "IN_PROGRESS", reason: "ECS deployment ecs-svc/2 in progress." }),
      deployment("api:1", { desired: 4, running: 4, status: "ACTIVE" })] }),
    service("shop", { running: 1, rollout: { status: "ROLLBACK_IN_PROGRESS", reason: LONG }, events: [{ at: Date.now() - 5e3, message: `(service shop) (deployment ecs-svc/9) ${LONG}.` }], deployments: [
      deployment("shop:1", { running: 1, rollout: "IN_PROGRESS" }), deployment("shop:2", { status: "ACTIVE", running: 0, failed: 3, rollout: "FAILED", reason: LONG })] }),
    service("old", { cluster: "research", status: "DRAINING", desired: 0, running: 1, deployments: [deployment("old:1", { desired: 0, running: 1 })] }),
  ];
  const board = { ...boardOf([host]), services, servicesTotal: services.length };
  const one = put(board, host, [0], task("one", { family: "web:1", service: "web", group: "service:web" }));
  settle(Object.assign(board, { liveTotal: 1 }));
  return { board, services, one };
}

const row = (name) => `tbody tr:has(td.name :text-is("${name}"))`;
const shots = process.env.BERTH_SHOTS;       /* a folder for screenshots, to be looked at */
const shoot = async (page, name) => { if (shots) { await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true }); } };

test("without services nothing is shown of them", () => withPage(small().board, "", {}, async (page, stub) => {
  await alive(page);
  for (const part of ["nav a[data-view=services]", ".glance .services", "footer .services"]) { assert.equal(await page.isVisible(part), false, part); }
  await visit(page, "#/services");
  await says(page, ".below", /^There are no services\.$/);
  stub.change({ services: [service("web")] });
  await counts(page, "tbody tr", 1);
  await says(page, ".glance .services", /^Services 1$/);
  assert.equal(await page.isVisible("nav a[data-view=services]"), true);
}));

test("the list of services follows their changes", () => {
  const { board, services } = serving();
  return withPage(board, "", {}, async (page, stub) => {
    await alive(page);
    await says(page, ".glance .services", /^Services 4 · 1 with problems$/);
    await chord(page, "s", "services");
    await becomes("the names", () => page.locator("td.name a").allTextContents(), ["api", "old", "shop", "web"]);
    await shoot(page, "list");
    for (const [name, count, newest, rollout] of [["web", "2 / 2 / 0", /^2 of 2 running$/, "successful"], ["api", "4 / 5 / 1", /^1 of 4 running · 1 pending$/, "in progress"],
      ["shop", "2 / 1 / 0", /^1 of 2 running$/, "rollback in progress"]]) {
      await says(page, `${row(name)} td.newest`, newest);
      await becomes(`${name}'s rollout`, () => text(page, `${row(name)} td.rollout`), rollout);
      await becomes(`${name}'s tasks`, () => text(page, `${row(name)} td.count`), count);
    }
    await says(page, `${row("old")} td.name`, /^old DRAINING$/);
    await becomes("the bar", () => page.getAttribute(`${row("api")} .meter`, "aria-valuenow"), "25");
    await says(page, `${row("web")} td.event`, /^\(service web\) has reached a steady state\. · 1 m \d\d s ago$/);
    stub.change({ services: [{ ...services[1], running: 4, pending: 0, rollout: { status: "SUCCESSFUL", reason: null }, deployments: [deployment("api:2", { desired: 4, running: 4 })] }], gone: [services[3].id] });
    await becomes("the bar", () => page.getAttribute(`${row("api")} .meter`, "aria-valuenow"), "100");
    await becomes("the names", () => page.locator("td.name a").allTextContents(), ["api", "shop", "web"]);
    await page.fill("main input", "rollback");
    await becomes("the filter", () => page.locator("td.name a").allTextContents(), ["shop"]);
    await page.fill("main input", "");
    await page.click(".choices a:text-is('with problems')");
    await becomes("those with problems", () => page.locator("td.name a").allTextContents(), ["shop"]);
    await page.fill("main input", "nothing");
    await says(page, ".below", /^No service matches this filter\.$/);
  });
});

test("a service's panel has its deployments and its events, and its task's panel its name", () => {
  const { board, services, one } = serving();
  return withPage(board, "#/services", { width: 1440, height: 900 }, async (page, stub) => {
    await page.click(`${row("shop")} td.rollout`);
    await stands(page, `#/services/${services[2].id}`);
    await says(page, ".panel h2", /^shop$/);
    await shoot(page, "panel");
    await says(page, ".panel > .why", /^rollback in progress deployment failed: tasks failed to start/);
    await becomes("the deployments", () => page.locator(".panel .deployment > p:first-child").allTextContents(), ["shop:1 PRIMARY in progress", "shop:2 ACTIVE failed"]);
    await says(page, ".panel .failures", /^3 failed$/);
    await says(page, ".panel .events", /\(service shop\)/);
    await says(page, ".panel .command >> nth=0", /^aws ecs describe-services --cluster default --services shop /);
    await page.keyboard.press("Escape");
    await becomes("the focus is back", () => page.evaluate(() => document.activeElement.textContent), "shop");
    const lack = "1 of 4 tasks run. Its deployment waits for room: needs 1 GPUs on one instance, the largest free slot is 0 (node-a).";
    stub.whys.set(services[1].arn, lack);
    await visit(page, `#/services/${services[1].id}`);
    await becomes("why it waits, under the newest deployment", () => page.locator(".panel .deployment:has-text('api:2') + .why").textContent(), lack);
    stub.whys.set(services[1].arn, "1 of 4 tasks run. Its deployment is unable to progress.");
    stub.change({ services: [{ ...services[1], pending: 2 }] });
    await says(page, ".panel .deployment + .why", /unable to progress\.$/);
    await visit(page, `#/services/${services[0].id}`);
    await says(page, ".panel h2", /^web$/);
    assert.equal(await page.locator(".panel .why.place").count(), 0, "nothing waits there");
    stub.change({ gone: [services[2].id] });
    await visit(page, `#/services/${services[2].id}`);
    await says(page, ".panel", /^Not known.*There is no service \d+ here/);

    await visit(page, `#/tasks/${one.id}`);
    await page.click(".panel dd a:text-is('web')");
    await says(page, ".panel h2", /^web$/);
    await page.click(".panel a:text-is('Show its tasks')");
    await becomes("its tasks", () => page.locator("td.family .family").allTextContents(), ["web:1"]);
  });
});

for (const scheme of ["light", "dark"]) {
  test(`services can be read in ${scheme}, and nothing is wider than the window`, () => {
    const { board, services } = serving();
    return withPage(board, "#/services", { scheme, width: 1280, height: 800 }, async (page) => {
      await counts(page, "tbody tr", 4);
      for (const [width, height] of [[1280, 800], [1000, 800], [390, 844]]) {
        await page.setViewportSize({ width, height });
        for (const hash of ["#/services", `#/services/${services[2].id}`]) {
          await visit(page, hash);
          await shoot(page, `${scheme}-${width}-${hash.endsWith("services") ? "list" : "one"}`);
          assert.deepEqual(await faintTexts(page), [], `${hash} at ${width}`);
          assert.equal(await sidewaysScroll(page), 0, `${hash} at ${width}`);
          assert.equal(await page.evaluate(() => [...document.querySelectorAll(".tablebox")].every((box) => box.scrollWidth <= box.clientWidth)), true, `the list at ${width}`);
        }
      }
    });
  });
}
