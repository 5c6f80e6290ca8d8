/* The modules of the page that need no browser: what follows from the board, the stream's format, commands, addresses, size. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { commandOf, deploy, rollBack, runAgain, scale, setGpu, setMachine, stopTask } from "../../web/acts.js";
import { linesOf } from "../../web/curves.js";
import { asJson, happenings } from "../../web/happenings.js";
import { asCsv, partUsed } from "../../web/usage.js";
import { metric } from "../../web/metric.js";
import { aws, cores, mib, mibOf, shellWord, span } from "../../web/dom.js";
import { Queue, withFirst } from "../../web/queue.js";
import { clockText, momentText, Past, pastState, readMoment } from "../../web/past.js";
import { hashFor, readRoute } from "../../web/route.js";
import { authorization, canonicalQuery, sha256 } from "../../web/sigv4.js";
import { hue, HUES, paint } from "../../web/colours.js";
import { byWords, gpuState, inBoardOrder, isMeant, isRolling, isTroubled, matches, namesAlike, outcome, phase, share, State } from "../../web/state.js";
import { Events } from "../../web/stream.js";
import { checkText, doText, isTroubledForward, ranked, rateText, shares, shareText, stateCounts, Traffic, whenText } from "../../web/traffic.js";
import { containerText, fresh, gpuText, isOld, percent, power, readUse, restText, together } from "../../web/use.js";
import { boardOf, deployment, fleet, forward, hex, listener, machine, put, service, target, targetGroup, task } from "./stub.mjs";

const WEB = new URL("../../web/", import.meta.url);

test("a GPU is held, free, draining or unknown", () => {
  const rows = [
    ["free", {}, null, "free"],
    ["held", {}, "a", "held"],
    ["draining and free", { status: "DRAINING" }, null, "draining"],
    ["draining and held is held", { status: "DRAINING" }, "a", "held"],
    ["silent", { connected: false }, null, "unknown"],
    ["silent is said before held", { connected: false }, "a", "unknown"],
    ["a machine that is just registering takes nothing", { status: "REGISTERING" }, null, "draining"],
  ];
  for (const [name, change, holder, want] of rows) {
    assert.equal(gpuState(machine("m", change), { holders: holder === null ? [] : [{ task: holder, container: "main", share: 1 }] }), want, name);
  }
});

test("every status of a task is waiting, pending, running or stopped", () => {
  const rows = { PROVISIONING: "waiting", PENDING: "pending", ACTIVATING: "pending", RUNNING: "running", DEACTIVATING: "running", STOPPING: "running", DEPROVISIONING: "running", STOPPED: "stopped" };
  for (const [status, want] of Object.entries(rows)) { assert.equal(phase({ lastStatus: status, instance: null }), want, status); }
  assert.equal(phase({ lastStatus: "PROVISIONING", instance: "i" }), "pending", "it is on a machine");
});

test("totals are the sum of the listed tasks, and of the clusters' counts", () => {
  const [a, b, c] = [machine("a"), machine("b", { connected: false, gpus: 4 }), machine("c", { status: "DRAINING", gpus: 2, simulated: false })];
  const board = boardOf([a, b, c]);
  put(board, a, [0, 1, 2], task("t"));
  board.tasks.push(task("old", { lastStatus: "STOPPED" }), task("late", { lastStatus: "PROVISIONING" }));
  board.clusters = [{ name: "x", arn: "arn:aws:ecs:eu-west-9:1:cluster/x", running: 7, pending: 2 }];
  const state = new State();
  state.replace(board);
  assert.deepEqual(state.totals(), { instances: 3, connected: 2, simulated: 2, gpus: 14, held: 3, free: 5, draining: 2, unknown: 4, quarantined: 0, out: 0, running: 7, pending: 2, stopped: 1, waiting: 1 });
  assert.equal(state.region, "eu-west-9");
});

test("changes replace known items, and an item that is gone is forgotten", () => {
  const state = new State();
  const a = machine("a");
  state.replace(boardOf([a, machine("b")], [task("t")]));
  state.change({ revision: 9, clusters: [], instances: [{ ...a, status: "DRAINING" }], tasks: [task("u")], gone: [hex("machine b"), hex("task t"), "never known"] });
  assert.equal(state.revision, 9);
  assert.deepEqual([...state.instances.values()].map((i) => [i.name, i.status]), [["a", "DRAINING"]]);
  assert.deepEqual([...state.tasks.keys()], [hex("task u")]);
});

test("services: the state knows them, and forgets one that is gone", () => {
  const state = new State();
  const [old, other] = [service("web"), service("web", { cluster: "research" })];
  state.replace({ ...boardOf([], []), services: [old, other], servicesTotal: 5 });
  assert.equal(state.cut.services, 3);
  assert.equal(state.serviceOf(task("t", { service: "web" })).id, old.id);
  assert.equal(state.serviceOf(task("t", { service: "web", cluster: "research" })).id, other.id);
  assert.equal(state.serviceOf(task("t")), undefined);
  const next = service("web");
  state.change({ revision: 9, services: [next, { ...other, running: 1 }], gone: [old.id] });
  assert.deepEqual([...state.services.values()].map(({ id, running }) => [id, running]), [[other.id, 1], [next.id, 2]]);
});

test("a deployment's share of running tasks, and how a rollout goes", () => {
  for (const [desired, running, want] of [[0, 0, 100], [2, 0, 0], [3, 1, 33], [3, 2, 66], [2, 2, 100], [2, 4, 100]]) { assert.equal(share({ desired, running }), want, `${running} of ${desired}`); }
  const rows = { PENDING: [true, false], IN_PROGRESS: [true, false], STOP_REQUESTED: [true, false], SUCCESSFUL: [false, false], STOPPED: [false, false],
    ROLLBACK_REQUESTED: [true, true], ROLLBACK_IN_PROGRESS: [true, true], ROLLBACK_SUCCESSFUL: [false, true], ROLLBACK_FAILED: [false, true] };
  for (const [status, want] of Object.entries(rows)) {
    const told = service("s", { rollout: { status, reason: null } });
    assert.deepEqual([isRolling(told), isTroubled(told)], want, status);
  }
  const sets = service("sets", { rollout: null, deployments: [] });
  assert.deepEqual([isRolling(sets), isTroubled(sets)], [false, false]);
  assert.equal(isTroubled(service("f", { deployments: [deployment("f:1", { rollout: "FAILED" })] })), true);
});

test("stopped tasks do not pile up, and the oldest go first", () => {
  const state = new State();
  const stopped = (n) => task(`s${n}`, { lastStatus: "STOPPED", stopped: n });
  state.replace(boardOf([], []));
  state.change({ revision: 2, tasks: Array.from({ length: 1000 }, (_, n) => stopped(n)), gone: [] });
  assert.equal(state.tasks.size, 1000);
  state.change({ revision: 3, tasks: [stopped(5000), task("live")], gone: [] });
  assert.equal(state.tasks.size, 1001);
  assert.equal(state.tasks.has(hex("task s0")), false);
  assert.equal(state.tasks.has(hex("task s1")), true);
});

test("what the server left out is counted", () => {
  const state = new State();
  state.replace({ ...boardOf([machine("a")], [task("t"), task("u", { lastStatus: "STOPPED" })]), instancesTotal: 6100, liveTotal: 40 });
  assert.deepEqual(state.cut, { instances: 6099, tasks: 39, services: 0 });
});

test("machines are sorted by cluster, type and name, with numbers as numbers", () => {
  const names = [machine("n-10"), machine("n-9"), machine("z", { type: "a1" }), machine("a", { cluster: "zoo" }), machine("q", { type: null })];
  assert.deepEqual(inBoardOrder(names).map((i) => i.name), ["q", "z", "n-9", "n-10", "a"]);
  assert.equal(byWords(null, "a") < 0, true);
});

test("a filter finds all of its words, in any text", () => {
  assert.equal(matches("", "x"), true);
  assert.equal(matches("node 9", "Node-9", null), true);
  assert.equal(matches("node bert", "node-9", undefined, "BERT:4"), true);
  assert.equal(matches("node 8", "node-9"), false);
});

test("a task's colour is the same everywhere, and all colours are used", () => {
  assert.equal(hue("0193a0000000000000000000000000ff"), hue("0193a0000000000000000000000000ff"));
  const used = new Set(Array.from({ length: 500 }, (_, n) => hue(hex(`task ${n}`))));
  assert.equal(used.size, HUES);
  for (const n of used) { assert.equal(Number.isInteger(n) && n >= 0 && n < HUES, true, `hue ${n}`); }
});

test("a new task gets a colour that no neighbour has, and the others keep theirs", () => {
  const like = (n, word) => { for (let i = 0; ; i += 1) { if (hue(`${word}${i}`) === n) { return `${word}${i}`; } } };
  const [a, b, c, d] = ["a", "b", "c", "d"].map((word) => like(3, word));
  const rows = [
    ["alone", [[[a]]], [[a, 3]]],
    ["twice in a row is one", [[[a], [a]]], [[a, 3]]],
    ["beside", [[[a], [b]]], [[a, 3], [b, 4]]],
    ["in one cell", [[[a, b, c]]], [[a, 3], [b, 4], [c, 5]]],
    ["above", [[[a]], [[b]]], [[a, 3], [b, 4]]],
    ["six rows away", [[[a]], [], [], [], [], [], [[b]]], [[a, 3], [b, 4]]],
    ["seven rows away", [[[a]], [], [], [], [], [], [], [[b]]], [[a, 3], [b, 3]]],
    ["not beside, but of the same machine", [[[a], [], [b]]], [[a, 3], [b, 4]]],
    ["a gang between them", [[[a], [d]], [[d], [c]]], [[a, 3], [c, 3], [d, 4]]],
  ];
  for (const [name, board, want] of rows) {
    const known = new Map();
    paint(known, board);
    assert.deepEqual([...known].sort(), want, name);
  }
  const known = new Map([[b, 3]]);
  paint(known, [[[a], [b], [c]]]);
  assert.deepEqual([...known].sort(), [[a, 4], [b, 3], [c, 5]], "who has one keeps it, though another comes first");
  const crowd = Array.from({ length: 2 * HUES }, (_, n) => `k${String(n).padStart(2, "0")}`);
  const full = new Map();
  paint(full, [[crowd]]);
  for (let n = 0; n < HUES; n += 1) { assert.equal([...full.values()].filter((one) => one === n).length, 2, "where all are taken, the one that fewest have"); }
});

test("of a whole fleet no two tasks side by side have one colour; a gang has one; a task that is gone is forgotten", () => {
  const board = fleet(300);
  const [first, second] = board.tasks;
  first.gang = second.gang = first.id;
  const state = new State();
  state.replace(board);
  for (const { gpus } of board.instances) {
    gpus.slice(1).forEach((gpu, n) => {
      const [left, right] = [gpus[n], gpu].map(({ holders }) => holders[0]?.task);
      if (left && right && state.hueKey(left) !== state.hueKey(right)) { assert.notEqual(state.hueOf(left), state.hueOf(right)); }
    });
  }
  assert.equal(state.hueOf(first.id), state.hueOf(second.id));
  const before = board.tasks.map(({ id }) => state.hueOf(id));
  state.replace(board);
  assert.deepEqual(board.tasks.map(({ id }) => state.hueOf(id)), before, "the board taken again changes no colour");
  state.replace(boardOf([]));
  assert.equal(state.hues.size, 0);
});

test("how a task ended, in a line", () => {
  const container = (exitCode, reason, name = "main") => ({ name, exitCode, reason });
  const rows = [
    ["it runs", { lastStatus: "RUNNING" }, [container(1, "x")], ""],
    ["well", { reason: "Essential container in task exited" }, [container(0, null)], "exit code 0 · Essential container in task exited"],
    ["a failure says more than the task's reason", { reason: "Essential container in task exited" }, [container(137, "OutOfMemoryError: killed")], "exit code 137 · OutOfMemoryError: killed"],
    ["the first line of an error", { stopCode: "TaskFailedToStart", reason: "Task failed to start" }, [container(null, "CannotPullContainerError: no\nsuch\nimage")], "CannotPullContainerError: no"],
    ["the one that failed", { reason: "r" }, [container(0, null, "a"), container(2, null, "b")], "b: exit code 2 · r"],
    ["the one with an error, where none failed", { reason: "r" }, [container(0, null, "a"), container(null, "e", "b")], "b: e"],
    ["before it ran", { reason: "Task stopped by user", stopCode: "UserInitiated" }, [container(null, null)], "Task stopped by user"],
    ["of several none knows anything", { stopCode: "UserInitiated" }, [container(null, null, "a"), container(null, null, "b")], "UserInitiated"],
    ["nothing is known", {}, [], ""],
  ];
  for (const [name, more, containers, want] of rows) { assert.equal(outcome(task("t", { lastStatus: "STOPPED", ...more, containers })), want, name); }
});

test("where names differ: the beginning and the end that all have, and no number is cut", () => {
  const rows = [
    [["only-1"], "", "only-1", ""],
    [["node-1", "node-12"], "node-", "1", ""],
    [["node10", "node11"], "node", "10", ""],
    [["ip-10-0-1-7.internal", "ip-10-0-2-7.internal"], "ip-10-0-", "1", "-7.internal"],
    [["a", "b"], "", "a", ""],
    [["same", "same"], "same", "", ""],
    [["x-1-x", "x-x"], "x-", "1-", "x"],
    [["7", "17"], "", "7", ""],
  ];
  for (const [names, ...want] of rows) {
    const { head, tail } = namesAlike(names), [name] = names;
    assert.deepEqual([name.slice(0, head), name.slice(head, name.length - tail), name.slice(name.length - tail)], want, names.join());
  }
});

test("an address may mean one machine", () => {
  for (const [query, want] of [["", true], ["machine=a", true], ["machine=aa", false], ["machine=", false]]) { assert.equal(isMeant(new URLSearchParams(query), "a"), want, query); }
});

test("the stream's format, cut at every byte", () => {
  const text = ": alive\n\nretry: 1000\n\nid: 4\nevent: changes\ndata: {\"a\":\ndata: 1}\n\nevent: reset\r\ndata: {}\r\n\r\ndata: plain\n\n";
  const want = [{ name: "changes", data: "{\"a\":\n1}" }, { name: "reset", data: "{}" }, { name: "message", data: "plain" }];
  for (let at = 0; at <= text.length; at += 1) {
    const events = new Events();
    assert.deepEqual([...events.take(text.slice(0, at)), ...events.take(text.slice(at))], want, `cut at ${at}`);
  }
});

test("a command that is copied means what it shows", () => {
  for (const [word, want] of [["train:3", "train:3"], ["", "''"], ["a b", "'a b'"], ["$(reboot)", "'$(reboot)'"], ["it's;", "'it'\\''s;'"], ["x\ny", "'x\ny'"], ["é", "'é'"]]) {
    assert.equal(shellWord(word), want);
  }
  globalThis.location = { origin: "http://h:1" };
  assert.equal(aws("us-east-1", "list-tasks", "--cluster", "a;b"), "aws ecs list-tasks --cluster 'a;b' --endpoint-url http://h:1 --region us-east-1");
});

test("spans, sizes and cores are short and never negative", () => {
  for (const [ms, want] of [[-5, "0 s"], [59999, "59 s"], [60000, "1 m 00 s"], [3599999, "59 m 59 s"], [3600000, "1 h 00 m"], [86399999, "23 h 59 m"], [86400000, "1 d 0 h"]]) {
    assert.equal(span(ms), want);
  }
  for (const [n, want] of [[512, "512 MiB"], [1024, "1 GiB"], [31232, "30.5 GiB"], [499712, "488 GiB"]]) { assert.equal(mib(n), want); }
  for (const [n, want] of [[1024, "1"], [100, "0.1"], [2560, "2.5"]]) { assert.equal(cores(n), want); }
});

test("addresses go there and back", () => {
  const route = readRoute(hashFor("tasks", "a/b?c#d", { q: "x & y", state: "", n: null }));
  assert.deepEqual([route.view, route.id, [...route.params]], ["tasks", "a/b?c#d", [["q", "x & y"]]]);
  assert.equal(readRoute("#/tasks/%zz").id, "%zz");
  assert.deepEqual([readRoute("").view, readRoute("#/").view, readRoute("#/tasks").id], ["board", "board", null]);
});

const use = (more = {}) => ({ at: Date.now(), busy: 0.5, used: 1024, total: 16384, celsius: 60, watts: 200, ...more });
const plain = (text) => text.replaceAll("\u00a0", " ");

test("several GPUs as one: the mean, the sums, the hottest, of those that are known", () => {
  const rows = [
    ["none", [], null],
    ["nothing known", [undefined, null], null],
    ["one", [use()], "50 % busy · 1 of 16 GiB · 60 °C · 200 W"],
    ["two", [use(), use({ busy: 1, used: 3072, celsius: 71, watts: 900 })], "75 % busy · 4 of 32 GiB · 71 °C · 1.1 kW"],
    ["an old one does not count", [use(), use({ at: Date.now() - 61e3, busy: 1 })], "50 % busy · 1 of 16 GiB · 60 °C · 200 W"],
    ["only old ones", [use({ at: Date.now() - 61e3 })], null],
    ["what one does not know, the other does", [use({ busy: null, watts: null }), use()], "50 % busy · 2 of 32 GiB · 60 °C · 200 W"],
    ["a MIG instance", [use({ busy: null, watts: null, celsius: null, used: 0 })], "0 of 16 GiB"],
  ];
  for (const [name, list, want] of rows) {
    const figures = together(list);
    assert.equal(figures && plain(gpuText(figures)), want, name);
  }
  assert.equal(plain(restText(use({ used: null, celsius: null }))), "200 W");
  assert.deepEqual([percent(0.004), percent(0.996), percent(null), power(999.4), power(1000), power(null)], ["0 %", "100 %", "", "999 W", "1.0 kW", ""]);
  assert.deepEqual([mibOf(512, 768), mibOf(512, 2048), mibOf(0, 2048), mibOf(1536, 2048)], ["512 of 768 MiB", "512 MiB of 2 GiB", "0 of 2 GiB", "1.5 of 2 GiB"]);
});

test("what a machine tells replaces what it told, and goes with it", () => {
  const state = new State();
  const [a, b] = [machine("a"), machine("b")];
  const board = boardOf([a, b]);
  const placed = put(board, a, [0, 1], task("t"));
  state.replace(board);
  const at = Date.now();
  const container = [placed.id, "main", 500, 1.25, 3 << 20, 2048, null, null, null];
  const told = (host, more = {}) => ({ id: host.id, at, simulated: true, gpus: [[host.gpus[0].uuid, 250, 0.5, 1, 2, 60, null]], containers: [container], ...more });
  state.takeUse({ machines: [told(a), told(machine("nobody"))] });
  assert.deepEqual([...state.use.keys()], [a.id], "a machine that is not on the board is ignored");
  assert.deepEqual(state.gpuUse(a.id, a.gpus[0].uuid), { at: at - 250, busy: 0.5, used: 1, total: 2, celsius: 60, watts: null, idle: null });
  assert.equal(state.gpuUse(a.id, a.gpus[1].uuid), undefined);
  assert.deepEqual(state.taskUse(placed).map((figures) => figures?.busy), [0.5, undefined]);
  assert.equal(state.containerUse(placed, "main").at, at - 500);
  assert.equal(plain(containerText(state.containerUse(placed, "main"))), "1.25 cores · 3 MiB · network 2 KiB in, 0 KiB out");
  assert.equal(state.containerUse(placed, "other"), undefined);
  const stopped = { ...placed, lastStatus: "STOPPED" };
  assert.deepEqual([state.taskUse(stopped), state.containerUse(stopped, "main")], [[], undefined], "the GPUs of a task that has ended are others' now");
  state.takeUse({ machines: [told(a, { gpus: [] })] });
  assert.equal(state.gpuUse(a.id, a.gpus[0].uuid), undefined);
  state.replace(boardOf([a, b]));
  assert.equal(state.use.size, 1, "the board taken again does not blank the figures");
  state.change({ revision: 9, gone: [a.id] });
  assert.equal(state.use.size, 0);
});

test("figures are old after a minute", () => {
  const { gpus } = readUse({ at: Date.now(), gpus: [["a", 59e3, 1, null, null, null, null], ["b", 61e3, 1, null, null, null, null]], containers: [] });
  assert.deepEqual([isOld(gpus.get("a")), isOld(gpus.get("b")), fresh(gpus.get("b")), fresh(undefined)], [false, true, null, null]);
});

test("weights in percent, and request rates, also where they are small or not known", () => {
  assert.deepEqual(shares(forward({ blue: 125, green: 875 })), [{ name: "blue", share: 0.125 }, { name: "green", share: 0.875 }]);
  assert.deepEqual([shares(forward({ only: 1 })), shares(forward({ a: 0, b: 0 })), shares({ type: "redirect" })], [[{ name: "only", share: 1 }], [{ name: "a", share: 0 }, { name: "b", share: 0 }], []]);
  assert.deepEqual([0, 0.0004, 0.0005, 0.125, 1 / 3, 0.9994, 0.9996, 1].map(shareText), ["0 %", "<0.1 %", "0.1 %", "12.5 %", "33.3 %", "99.9 %", ">99.9 %", "100 %"]);
  assert.deepEqual([undefined, null, 0, 0.04, 0.05, 1, 9.94, 9.96, 10.4, 12345.6].map(rateText), ["", "", "0 requests/s", "<0.1 requests/s", "0.1 requests/s", "1 request/s", "9.9 requests/s", "10 requests/s",
    "10 requests/s", "12,346 requests/s"]);
});

test("rules and checks in words", () => {
  const condition = (field, values, header) => ({ field, values, header });
  assert.equal(whenText({ priority: 1, conditions: [condition("host-header", ["a.example", "*.b.example"]), condition("path-pattern", ["/x*"])] }), "host is a.example or *.b.example and path is /x*");
  assert.equal(whenText({ priority: 1, conditions: [condition("http-header", ["1"], "X-A"), condition("source-ip", ["10.0.0.0/8"]), condition("query-string", ["v=2"]), condition("http-request-method", ["GET"])] }),
    "header X-A is 1 and source is in 10.0.0.0/8 and query has v=2 and method is GET");
  assert.deepEqual([whenText({ priority: null, only: true }), whenText({ priority: null, only: false })], ["all requests", "all other requests"]);
  assert.equal(doText({ type: "redirect", status: 301, protocol: "HTTPS", port: "443", host: "#{host}", path: "/#{path}", query: "#{query}" }), "redirects (301) to HTTPS, port 443");
  assert.equal(doText({ type: "redirect", status: 302, protocol: null, port: null, host: "b.example", path: "/v2/#{path}", query: "from=a" }), "redirects (302) to host b.example, path /v2/#{path}, query from=a");
  assert.equal(doText({ type: "fixed-response", status: 503, contentType: null, body: null }), "answers 503");
  const { healthCheck } = targetGroup("a", []);
  assert.equal(checkText(healthCheck), "HTTP /healthz every 5 s, timeout 2 s, expects 200; healthy after 2, unhealthy after 3");
  assert.equal(checkText({ ...healthCheck, protocol: "TCP", path: null, port: "81", codes: null }), "TCP port 81 every 5 s, timeout 2 s; healthy after 2, unhealthy after 3");
  assert.equal(checkText({ ...healthCheck, enabled: false }), "off: all targets are healthy");
});

test("targets that fail come first, and a group without a healthy one is a problem where it gets requests", () => {
  const [good, bad, fresh, leaving] = ["healthy", "unhealthy", "initial", "draining"].map((state) => target(state, state));
  assert.deepEqual(ranked([good, leaving, fresh, bad]), [bad, fresh, leaving, good]);
  assert.deepEqual(stateCounts([good, leaving, good]), [["draining", 1], ["healthy", 2]]);
  assert.deepEqual([[[good], 1], [[good, bad], 0], [[fresh], 0], [[fresh], 0.1], [[], 0], [[], 1], [[], undefined]].map((row) => isTroubledForward(...row)), [false, true, false, true, false, true, false]);
  const traffic = new Traffic({});
  const to = [{ field: "path-pattern", values: ["/"] }];
  traffic.take({ groups: [targetGroup("a", []), targetGroup("b", []), targetGroup("c", [])], listeners: [
    listener("web", 443, forward({ a: 1 }), [[to, forward({ b: 0 })], [to, { type: "fixed-response", status: 200 }]]), listener("web", 80, { type: "redirect" })] });
  assert.deepEqual([traffic.listeners.map(({ port }) => port), traffic.unused().map(({ name }) => name)], [[80, 443], ["c"]]);
  traffic.take({ groups: [], listeners: [{ ...listener("web", 80, forward({ a: 1 })), rules: [7, 30, 4].map((priority) => ({ priority, action: forward({ a: 1 }) })) }] });
  assert.deepEqual(traffic.listeners[0].rules.map(({ priority }) => priority), [4, 7, 30, null]);
});

test("the place of a task that waits is that in its cluster; a lack of several is shown with the first of them", () => {
  const queue = new Queue({ changed() {} });
  const entry = (position, cluster, detail, tasks = [`t${position}`]) => ({ position, cluster, reason: "RESOURCE:GPU", detail, tasks });
  queue.take({ count: 9, entries: [entry(1, "a", "x"), entry(2, "b", "x"), entry(3, "a", "x", ["g0", "g1"]), entry(4, "a", "y"), entry(5, "b", "x")] });
  assert.deepEqual([queue.count, queue.entries.map(({ place }) => place), queue.byTask.get("g1").place], [9, [1, 1, 2, 3, 2], 2]);
  assert.deepEqual(withFirst(queue.entries).map(({ first }) => first.position), [1, 2, 1, 4, 2]);
  assert.deepEqual(withFirst(queue.entries.slice(2)).map(({ first }) => first.position), [3, 4, 5], "of those that are shown");
});

test("the queue is asked for once in three seconds at most, and a refusal is kept until an answer comes", async (t) => {
  let asked = 0, changed = 0, at = 0;
  const queue = new Queue({ changed() { changed += 1; } });
  t.mock.method(performance, "now", () => at);
  t.mock.method(globalThis, "fetch", async () => { asked += 1; return asked === 1 ? { ok: false, status: 403 } : { ok: true, json: async () => ({ count: 0, entries: [] }) }; });
  globalThis.document = { hidden: false };
  for (const [now, want] of [[0, [1, 1, 403, 0]], [2999, [1, 1, 403, 0]], [3000, [2, 2, null, 1]]]) {
    at = now;
    await queue.ask();
    assert.deepEqual([asked, changed, queue.refused, queue.version], want, `at ${now} ms`);
  }
  document.hidden = true;
  at = 9000;
  await queue.ask();
  assert.equal(asked, 2, "not in a hidden tab");
  delete globalThis.document;
});

test("SHA-256 of every length around a block, and signatures as AWS documents them", () => {
  for (let length = 0; length <= 200; length += 1) {
    const text = "é".repeat(length % 7) + "x".repeat(length);
    assert.equal(Buffer.from(sha256(text)).toString("hex"), createHash("sha256").update(text).digest("hex"), `${length} bytes`);
  }
  /* "get-vanilla-query-order-key-case" and "post-vanilla" of AWS's test suite for Signature Version 4 */
  const given = { path: "/", headers: { host: "example.amazonaws.com", "x-amz-date": "20150830T123600Z" }, key: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", region: "us-east-1", service: "service" };
  const signature = (more) => authorization({ ...given, ...more }).match(/Signature=(\w+)$/)[1];
  assert.equal(signature({ method: "GET", query: canonicalQuery("Param2=value2&Param1=value1") }), "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
  assert.equal(signature({ method: "POST" }), "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
  assert.equal(canonicalQuery("b=x y&a=%2F&a=!"), "a=%21&a=%2F&b=x%20y");
});

test("an act's command is that of the AWS CLI, and says no more than is sent", () => {
  globalThis.location = { origin: "http://h:1" };
  const [host, one] = [machine("a"), task("t", { group: "team-x", startedBy: "nightly" })];
  const end = " --endpoint-url http://h:1 --region r";
  const rows = [
    [stopTask(one), `aws ecs stop-task --cluster default --task ${one.id} --reason 'Stopped on the dashboard'${end}`],
    [setMachine(host, "DRAINING"), `aws ecs update-container-instances-state --cluster default --container-instances ${host.id} --status DRAINING${end}`],
    [setGpu(host, 1, "AVAILABLE"), `berth gpu restore ${host.gpus[1].uuid} --server http://h:1`],
    [scale(service("web", { desired: 3 })), `aws ecs update-service --cluster default --service web --desired-count 3${end}`],
    [deploy(service("web"), ["web:2"]), `aws ecs update-service --cluster default --service web --task-definition web:2${end}`],
    [deploy(service("web"), ["web:1"]), `aws ecs update-service --cluster default --service web --task-definition web:1 --force-new-deployment${end}`],
    [rollBack(service("web"), { before: "web:0" }), `aws ecs update-service --cluster default --service web --task-definition web:0${end}`],
    [rollBack(service("web"), { rolling: "arn:x" }), `aws ecs stop-service-deployment --service-deployment-arn arn:x --stop-type ROLLBACK${end}`],
    [runAgain(one), `aws ecs run-task --cluster default --task-definition train:3 --count 1 --group team-x --started-by nightly${end}`],
    [runAgain(task("s", { group: "service:web", service: "web", startedBy: "ecs-svc/1" })), `aws ecs run-task --cluster default --task-definition train:3 --count 1${end}`],
    [runAgain(task("f"), { overrides: { containerOverrides: [{ name: "main", command: ["a", "b c"], environment: [] }, { name: "plain", command: [] }], inferenceAcceleratorOverrides: [] },
      tags: [{ key: "berth:queue", value: "wait" }, { key: "aws:ecs:x", value: "y" }] }),
    `aws ecs run-task --cluster default --task-definition train:3 --count 1 --overrides '{"containerOverrides":[{"name":"main","command":["a","b c"]}]}' --tags '[{"key":"berth:queue","value":"wait"}]'${end}`],
  ];
  for (const [act, want] of rows) { assert.equal(commandOf(act, act.input, "r"), want, act.title); }
  assert.equal(rollBack(service("web"), {}), null);
  const [{ put: type }] = stopTask(one).fields;
  assert.equal(commandOf(stopTask(one), type(stopTask(one).input, ""), "r"), `aws ecs stop-task --cluster default --task ${one.id}${end}`);
});

test("what happened: of tasks, machines, GPUs and services, each once, the newest first; what came without a time has that of its coming", () => {
  const state = new State();
  const host = machine("a", { registered: 1000, changed: 2000, connected: false });
  host.gpus[2].fault = { reason: "Xid 79", since: 3000, by: null, gone: false };
  const twice = { at: 900, message: "was unable to place a task" };
  const web = service("web", { created: 500, events: [twice, twice] });
  state.replace({ ...boardOf([host], [task("t", { created: 4000, pullStarted: 4500, started: 5000, stopping: 6000, stopped: 7000, lastStatus: "STOPPED", reason: "enough", startedBy: "me",
    containers: [{ name: "main", exitCode: 9, reason: null, gpuIds: [] }] })]), services: [web] });
  const told = () => happenings(state).map(({ kind, words, bad }) => `${kind}: ${words}${bad ? " !" : ""}`);
  assert.deepEqual(told(), ["task: stopped: exit code 9 · enough !", "task: stop requested", "task: started", "task: pull started", "task: requested by me", "GPU: GPU 2 quarantined: Xid 79 !",
    "machine: agent silent !", "machine: registered", "service: was unable to place a task !", "service: created"]);
  state.change({ revision: 2, instances: [{ ...host, status: "DRAINING", gpus: host.gpus.map((gpu) => ({ ...gpu, fault: null })) }], services: [{ ...web, desired: 5 }], gone: [] });
  state.change({ revision: 3, gone: [host.id, web.id] });
  assert.deepEqual(told().slice(0, 5).sort(), ["GPU: GPU 2 is back in the pool", "machine: ACTIVE → DRAINING !", "machine: left the cluster !", "service: deleted", "service: desired tasks 2 → 5"]);
  assert.equal(JSON.parse(asJson(happenings(state)))[5].event, "stopped: exit code 9 · enough");
});

test("how far a machine drains; figures by their units; a curve has a gap where samples are missing", () => {
  const state = new State();
  const host = machine("a", { status: "DRAINING" });
  const on = (name, more) => task(name, { instance: host.id, ...more });
  state.replace(boardOf([host], [on("a", { service: "web" }), on("b"), on("c")]));
  assert.deepEqual(state.drainOf(host), { left: 3, of: 3, alone: 2 });
  state.change({ revision: 2, tasks: [on("b", { lastStatus: "STOPPED", stopped: 1 })], instances: [host], gone: [] });
  assert.deepEqual(state.drainOf(host), { left: 2, of: 3, alone: 1 });
  state.change({ revision: 3, instances: [{ ...host, status: "ACTIVE" }], gone: [] });
  assert.deepEqual([state.drainOf({ ...host, status: "ACTIVE" }), state.drains.size], [null, 0]);
  assert.deepEqual([["memoryUsedBytes", 3 << 20], ["temperatureCelsius", 61.4], ["utilization", 0.5], ["clockHertz", 1.38e9], ["powerWatts", 99.6], ["processes", 2]].map((row) => metric(...row)),
    [["memory used", "3 MiB"], ["temperature", "61 °C"], ["utilization", "50 %"], ["clock", "1380 MHz"], ["power", "100 W"], ["processes", "2"]]);
  assert.deepEqual(linesOf([[0, 0], [30000, 1], [60000, null], [120000, 0.5], [150000, 1]], 1, 1), [["0.0,40.0", "48.0,0.0"], ["192.0,20.0", "240.0,0.0"]]);
});

test("the page is small, and never makes elements out of text", async () => {
  let sent = 0;
  for (const file of await readdir(WEB)) {
    const text = await readFile(new URL(file, WEB), "utf8");
    sent += gzipSync(text, { level: 9 }).length;
    if (file.endsWith(".js")) { assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|srcdoc/, file); }
    assert.doesNotMatch(text, /(src|href|url)\s*[=(]\s*["']?(https?:)?\/\//, `${file} loads from elsewhere`);
    if (file.endsWith(".html")) { assert.doesNotMatch(text, /<script(?![^>]*src=)|\son\w+=|\sstyle=|<style/, `${file} has something inline`); }
  }
  assert.equal(sent < 120 * 1024, true, `${sent} bytes`);
});

test("GPU-hours as CSV: names stay texts in a spreadsheet, and the part in use counts known hours alone", () => {
  const sums = (held, used, unknown = 0) => ({ tasks: 1, running: 0, held, used, idle: 0, unknown, queued: 0 });
  const answer = { by: "tag:team", groups: [{ key: "a,\"b\"", ...sums(2, 1) }, { key: "=1+1", ...sums(1, 0) }, { key: null, ...sums(0.5, 0) }], others: sums(3, 1), total: sums(6.5, 2) };
  assert.deepEqual(asCsv(answer).split("\r\n"), ["tag:team,tasks,running,held,used,idle,unknown,queued", '"a,""b""",1,0,2,1,0,0,0', "'=1+1,1,0,1,0,0,0,0", ",1,0,0.5,0,0,0,0",
    "(others),1,0,3,1,0,0,0", "(all),1,0,6.5,2,0,0,0", ""]);
  assert.deepEqual([partUsed(sums(2, 1)), partUsed(sums(3, 1, 1)), partUsed(sums(1, 0, 1)), partUsed(sums(0, 0))], [0.5, 0.5, null, null]);
});

test("a moment in the address: the last time of day, a date, milliseconds; not one that has not come", () => {
  const today = new Date(2026, 10, 27, 12, 30, 20).getTime(), at = (day, hour, minute) => new Date(2026, 10, day, hour, minute).getTime();
  const rows = [["03:10", at(27, 3, 10)], ["12:30", at(27, 12, 30)], ["12:31", at(26, 12, 31)], ["2026-11-26T23:59", at(26, 23, 59)], ["2026-11-27T12:31", null], [String(at(27, 3, 10) + 59e3), at(27, 3, 10)],
    ["", null], ["soon", null], ["25:00", null], [null, null]];
  for (const [text, want] of rows) { assert.equal(readMoment(text, today), want, String(text)); }
  assert.deepEqual([clockText(at(27, 3, 10)), momentText(at(27, 3, 10))], ["03:10", "2026-11-27T03:10"]);
  assert.equal(readMoment(momentText(at(5, 0, 0)), today), at(5, 0, 0), "there and back");
});

test("the board of the past: holders and figures of then, names and slots of now", () => {
  const [a, b] = [machine("a", { gpus: 4, status: "DRAINING" }), machine("b", { gpus: 1 })];
  const board = boardOf([a, b]), known = task("known", { family: "train:3" });
  put(board, a, [0, 1], known);
  const live = new State();
  live.replace(board);
  const [gone, other, lost] = [hex("gone machine"), hex("other"), hex("lost")];
  const gpu = (uuid, tasks, busy = 0.5, idle = null) => [uuid, 900, busy, 1024, 16384, 50, 100, idle, tasks];
  const then = pastState(live, { left: 0, tasks: [{ id: known.id, family: "train:3", service: null, startedBy: null }, { id: other, family: "serve:1", service: "web", startedBy: null }],
    machines: [{ id: a.id, cluster: "default", gpus: [gpu(a.gpus[2].uuid, [other]), gpu(a.gpus[3].uuid, [known.id, other], 0.01, 700e3), gpu(a.gpus[0].uuid, [])] }, { id: gone, cluster: "lab", gpus: [gpu("GPU-9", [lost])] }] });
  const at = then.instances.get(a.id), old = then.instances.get(gone);
  assert.deepEqual(at.gpus.map((one) => gpuState(at, one)), ["free", "unknown", "held", "held"], "drains are not kept");
  assert.deepEqual(at.gpus.map(({ holders }) => holders.map(({ task: id, share: part }) => [id, part])), [[], [], [[other, 1]], [[known.id, 0.5], [other, 0.5]]]);
  assert.deepEqual([at.name, gpuState(then.instances.get(b.id), then.instances.get(b.id).gpus[0])], ["a", "unknown"], "b did not report");
  assert.deepEqual([old.cluster, old.gpus.length, gpuState(old, old.gpus[0])], ["lab", 1, "held"], "a machine that has left since");
  assert.deepEqual([then.tasks.get(other).family, then.tasks.get(known.id).containers.length], ["serve:1", 1]);
  assert.deepEqual([fresh(then.gpuUse(a.id, a.gpus[3].uuid)).idle, then.hueOf(known.id)], [700e3, live.hueOf(known.id)], "its colour is that of now");
  assert.equal(live.instances.get(a.id).status, "DRAINING", "the board of now is as it was");
});

test("moments are asked for one at a time, and of those wanted meanwhile the last", async () => {
  const asked = [], before = globalThis.fetch;
  globalThis.fetch = async (path) => {
    asked.push(path);
    const busy = asked.length === 1;
    await new Promise((resolve) => { setTimeout(resolve, 5); });
    return { ok: !busy, status: busy ? 503 : 200, json: async () => ({ at: 0, left: 0, machines: [], tasks: [] }) };
  };
  try {
    let changes = 0;
    const past = new Past(new State(), { changed: () => { changes += 1; } });
    assert.equal(past.at(60e3), null);
    past.at(120e3);
    past.at(180e3);
    while (changes === 0) { await new Promise((resolve) => { setTimeout(resolve, 5); }); }
    assert.deepEqual(asked.map((path) => path.split("=")[1]), ["60000", "180000"], "the first was busy, the second is not wanted any more");
    assert.equal(past.at(180e3).left, 0);
    past.at(180e3);
    assert.equal(asked.length, 2, "it is kept");
  } finally {
    globalThis.fetch = before;
  }
});

test("colours by service or by owner: one for each, and others for neighbours", () => {
  const [a] = [machine("a", { gpus: 8 })], board = boardOf([a]);
  const tasks = [task("w1", { service: "web", startedBy: "ann" }), task("w2", { service: "web", startedBy: "bob" }), task("t", { family: "train:3", startedBy: "ann" }), task("n", { family: "other:1" })];
  tasks.forEach((one, slot) => put(board, a, [slot], one));
  const state = new State();
  state.replace(board);
  const hues = () => tasks.map(({ id }) => state.hueOf(id));
  assert.equal(new Set(hues()).size, 4);
  state.colourBy("service");
  let [w1, w2, t, n] = hues();
  assert.ok(w1 === w2 && new Set([w1, t, n]).size === 3);
  assert.deepEqual(tasks.map(({ id }) => state.hueKey(id)), ["web", "web", "train", "other"]);
  state.colourBy("owner");
  [w1, w2, t, n] = hues();
  assert.ok(w1 === t && new Set([w1, w2, n]).size === 3);
  state.colourBy("task");
  assert.equal(new Set(hues()).size, 4);
});
