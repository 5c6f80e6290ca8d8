/* Services and their load balancers on the page, against the stub. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { alive, becomes, chord, counts, faintTexts, says, sidewaysScroll, stands, text, visit } from "./browser.mjs";
import { boardOf, deployment, forward, listener, machine, put, service, settle, target, targetGroup, task } from "./stub.mjs";
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
    const lack = "1 of 4 tasks run. Its deployment waits for room: needs 1 GPU on one instance, the largest free slot is 0 (node-a).";
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

/* A service in a canary behind two listeners, with rules of all kinds, and a group that no rule forwards to. */
function balanced() {
  const { board, services, one } = serving();
  const failing = { reason: "Target.ResponseCodeMismatch", description: "Health checks failed with these codes: [502]" };
  const groups = [
    targetGroup("blue", [target("10.0.0.1", "healthy", { task: one.id, port: 32768 })], { requestsPerSecond: 123.4 }),
    targetGroup("green", [target("10.0.0.2", "initial")]),
    targetGroup("api", [...Array.from({ length: 493 }, (_, n) => target(`10.1.${n >> 8}.${n & 255}`)), ...Array.from({ length: 7 }, (_, n) => target(`10.2.0.${n}`, "unhealthy", failing))], { requestsPerSecond: 1 }),
    targetGroup("idle", []),
  ];
  const to = (path) => [{ field: "path-pattern", values: [path] }];
  const traffic = { revision: 1, groups, listeners: [
    listener("web", 8081, forward({ blue: 0, green: 100 })),
    listener("web", 80, forward({ blue: 90, green: 10 }), [
      [to("/api/*"), forward({ api: 1 })], [[{ field: "http-header", header: "X-Old", values: ["a", "b"] }], { type: "fixed-response", status: 410, contentType: "text/plain", body: "Gone." }]]),
  ] };
  services[0].targetGroups = [groups[0].arn, groups[1].arn];
  return { board, services, traffic, one };
}

test("where requests go: listeners, rules in their order, weights, and the targets that need a look", () => {
  const { board, traffic, one } = balanced();
  return withPage(board, "", { width: 1440, height: 900 }, async (page, stub) => {
    await alive(page);
    await chord(page, "r", "traffic");
    await says(page, ".below", /^No load balancer yet.*aws elbv2 create-target-group/);
    const texts = (selector) => page.locator(selector).allTextContents();
    stub.traffic = traffic;
    await visit(page, "#/tasks");
    await visit(page, "#/traffic");
    await becomes("the listeners", () => texts(".listener h3"), ["HTTP :80", "HTTP :8081"]);
    await becomes("the rules", () => texts(".when"), ["1path is /api/*", "2header X-Old is a or b", "defaultall other requests", "defaultall requests"]);
    await says(page, ".rule >> nth=1", /answers 410 · text\/plain · Gone\.$/);
    await becomes("the shares", () => texts(".share"), ["100 %", "90 %", "10 %", "0 %", "100 %"]);
    await becomes("the request rates", () => texts(".rate"), ["1 request/s", "123 requests/s in all", "", "123 requests/s in all", "", ""]);
    await says(page, ".rule >> nth=2", new RegExp(`blueweb:11 healthy123 requests/s in allhealthy10\\.0\\.0\\.1:32768web:1 · ${one.id.slice(-6)}for`));
    await says(page, ".rule >> nth=2", /green1 initialnone healthyinitial10\.0\.0\.2:80/);
    await becomes("of 500 targets", () => texts(".rule >> nth=0 >> .targets li .mono"), [0, 1, 2, 3].map((n) => `10.2.0.${n}:80`));
    await says(page, ".rule >> nth=0", /api7 unhealthy493 healthy1 request\/s.*\[502\]496 more$/);
    await says(page, ".traffic > .group", /^No rule forwards to these target groupsidleno targets$/);

    await page.focus(".rule a.name:text-is('green')");
    stub.traffic = structuredClone(traffic);
    stub.traffic.listeners[1].action = forward({ blue: 0, green: 1 });
    stub.traffic.groups[1].requestsPerSecond = 0;
    await becomes("the shares", () => texts(".share"), ["100 %", "0 %", "100 %", "0 %", "100 %"]);
    await becomes("the request rates", () => texts(".rate"), ["1 request/s", "123 requests/s in all", "0 requests/s in all", "123 requests/s in all", "0 requests/s in all", ""]);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "green", "it keeps the focus");

    await page.focus(".rule a.name:text-is('api')");
    await page.keyboard.press("Enter");
    await stands(page, "#/traffic/api");
    await becomes("the targets by state", () => texts(".panel summary"), ["7 unhealthy", "493 healthy"]);
    assert.equal(await page.isVisible(".panel .mono:text-is('10.1.0.0:80')"), false);
    await page.click(".panel summary:has-text('493')");
    assert.equal(await page.isVisible(".panel .mono:text-is('10.1.0.0:80')"), true);
    await page.keyboard.press("Escape");
    await becomes("the focus is back", () => page.evaluate(() => document.activeElement.textContent), "api");
    await page.click(".choices a:text-is('with problems')");
    await becomes("those with problems", () => texts(".when"), ["1path is /api/*", "defaultall other requests", "defaultall requests"]);
    await visit(page, "#/traffic?q=10.2.0.6%3A80");
    await becomes("found by a target", () => texts(".when"), ["1path is /api/*"]);
    await visit(page, "#/traffic?q=nothing");
    await says(page, ".below", /^Nothing matches this filter\.$/);
    await visit(page, "#/traffic/none");
    await says(page, ".panel", /^Not known.*There is no target group none here/);
  });
});

test("a service's panel has its groups with their weights", () => {
  const { board, services, traffic, one } = balanced();
  return withPage(board, `#/services/${services[0].id}`, {}, async (page, stub) => {
    stub.traffic = traffic;
    await becomes("its rules", () => page.locator(".panel .when").allTextContents(), ["web HTTP :80all other requests", "web HTTP :8081all requests"]);
    await becomes("the shares", () => page.locator(".panel .share").allTextContents(), ["90 %", "10 %", "0 %", "100 %"]);
    await page.click(`.panel .targets a[href="#/tasks/${one.id}"]`);
    await says(page, ".panel h2", /^web:1$/);
    await visit(page, `#/services/${services[1].id}`);
    await says(page, ".panel h2", /^api$/);
    assert.equal(await page.locator(".panel .traffic").count(), 0, "it has no load balancer");
  });
});

test("text of load balancers stays text", () => {
  const evil = (n) => `<img src=x onerror="alert(${n})"><script>alert(${n})</script>"'><b>${n}`;
  const group = targetGroup(evil(1), [target(evil(2), "unhealthy", { name: evil(3), reason: evil(4), description: evil(5), task: evil(6) })], { algorithm: evil(7), protocolVersion: evil(8) });
  Object.assign(group.healthCheck, { path: evil(9), codes: evil(10) });
  return withPage(boardOf([]), "", {}, async (page, stub) => {
    stub.traffic = { revision: 1, groups: [group], listeners: [listener(evil(11), 80, forward({ [evil(1)]: 1 }), [
      [[{ field: "http-header", header: evil(12), values: [evil(13)] }, { field: evil(14), values: [evil(15)] }], { type: "fixed-response", status: 200, contentType: evil(16), body: evil(17) }],
      [[{ field: "path-pattern", values: [evil(18)] }], { type: "redirect", protocol: "HTTPS", host: evil(19), path: evil(20), query: evil(21), status: 301 }]], { type: evil(22) })] };
    await alive(page);
    for (const hash of ["#/traffic", `#/traffic/${encodeURIComponent(evil(1))}`, "#/traffic/__proto__?show=__proto__&q=%3Cimg"]) {
      await visit(page, hash);
      await says(page, "main", /<img src=x/);
      assert.deepEqual(await page.evaluate(() => [document.querySelectorAll("main img, main script, main b b").length, document.images.length]), [0, 1], hash);
    }
  });
});

for (const scheme of ["light", "dark"]) {
  test(`services can be read in ${scheme}, and nothing is wider than the window`, () => {
    const { board, services, traffic } = balanced();
    return withPage(board, "#/services", { scheme, width: 1280, height: 800 }, async (page, stub) => {
      stub.traffic = traffic;
      await counts(page, "tbody tr", 4);
      for (const [width, height] of [[1280, 800], [1000, 800], [390, 844]]) {
        await page.setViewportSize({ width, height });
        for (const hash of ["#/services", ...[0, 2].map((s) => `#/services/${services[s].id}`), "#/traffic", "#/traffic/api"]) {
          await visit(page, hash);
          if (/traffic/.test(hash)) { await page.waitForSelector(".targets", { state: "attached" }); }
          await shoot(page, `${scheme}-${width}-${hash.slice(2).replace("/", "-")}`);
          assert.deepEqual(await faintTexts(page), [], `${hash} at ${width}`);
          assert.equal(await sidewaysScroll(page), 0, `${hash} at ${width}`);
          assert.equal(await page.evaluate(() => [...document.querySelectorAll(".tablebox")].every((box) => box.scrollWidth <= box.clientWidth)), true, `the list at ${width}`);
        }
      }
    });
  });
}
