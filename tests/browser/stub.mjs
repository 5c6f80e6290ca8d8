/* stub.mjs: an imitation of the server, for states of the page that a real server can't be put into quickly: a thousand machines,
 * a board that was cut, a stream that breaks off or falls silent, a refusal. It serves web/ unchanged, the two endpoints the
 * board is drawn from, and the answers about one task. What the page must do with a real server is tested against a real one.
 *
 * By hand: node tests/browser/stub.mjs [MACHINES] [PORT] */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const WEB = new URL("../../web/", import.meta.url);
const TYPES = { html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8", svg: "image/svg+xml" };
const CSP = "default-src 'self'";

/* ---- builders: a valid thing, of which a test changes what it is about ---- */

export function hex(text) { return createHash("md5").update(text).digest("hex"); }
export function uuid(text) { return `GPU-${hex(text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")}`; }

export function machine(name, { gpus = 8, type = "p3.16xlarge", cluster = "default", ...more } = {}) {
  const id = hex(`machine ${name}`);
  return {
    id, arn: `arn:aws:ecs:us-east-1:123456789012:container-instance/${cluster}/${id}`, cluster, name, type, status: "ACTIVE", connected: true,
    simulated: true, changed: Date.now() - 3600e3, registered: Date.now() - 7200e3, cpu: 65536, cpuFree: 65536, memory: 499712, memoryFree: 499712,
    running: 0, pending: 0, agentVersion: "0.1.0",
    gpus: Array.from({ length: gpus }, (_, slot) => ({ uuid: uuid(`${name}/${slot}`), model: "Tesla V100-SXM2-16GB", memory: 16384, profile: null, used: 0, fault: null, holders: [] })),
    health: null, healthReason: null, findings: [], islands: null,
    ...more,
  };
}

export function task(name, more = {}) {
  const id = more.id ?? hex(`task ${name}`);
  const cluster = more.cluster ?? "default";
  const { gpuIds = [], ...rest } = more;
  return {
    id, arn: `arn:aws:ecs:us-east-1:123456789012:task/${cluster}/${id}`, cluster, family: "train:3", group: "family:train", startedBy: null, service: null,
    lastStatus: "RUNNING", desiredStatus: "RUNNING", gang: null, instance: null, gpus: gpuIds.length, cpu: 1024, memory: 4096, created: Date.now() - 65e3,
    started: Date.now() - 60e3, stopping: null, stopped: null, stopCode: null, reason: null,
    containers: [{ name: "main", status: "RUNNING", exitCode: null, reason: null, gpuIds, gpuShare: 1 }], ...rest,
  };
}

/* Tasks that wait for room, for the board, and their entry of the queue: one task, or a gang. */
export function waiting(name, position, { size = 1, ...more } = {}) {
  const tasks = Array.from({ length: size }, (_, rank) => task(`${name} ${rank}`, { lastStatus: "PROVISIONING", started: null, created: Date.now() - 65e3, gang: size > 1 ? hex(`task ${name} 0`) : null,
    containers: [{ name: "main", status: "PENDING", exitCode: null, reason: null, gpuIds: [], gpuShare: 1 }], cluster: more.cluster ?? "default" }));
  return { tasks, entry: { position, positionOfShape: 1, tasks: tasks.map(({ id }) => id), cluster: "default", taskDefinition: "train:3", group: "family:train", startedBy: null, priority: 0,
    since: Date.now() - 65e3, until: null, reason: "RESOURCE:GPU", detail: "Needs 8 GPUs on one instance, the largest free slot is 3 (node-a).", ...more } };
}

let services = 0;

export function service(name, more = {}) {
  const cluster = more.cluster ?? "default";
  services += 1;
  return {
    id: String(services), arn: `arn:aws:ecs:us-east-1:123456789012:service/${cluster}/${name}`, name, cluster, status: "ACTIVE", strategy: "ROLLING", scheduling: "REPLICA",
    taskDefinition: `${name}:1`, desired: 2, running: 2, pending: 0, created: Date.now() - 3600e3, targetGroups: [], deployments: [deployment(`${name}:1`)],
    rollout: { status: "SUCCESSFUL", reason: null }, events: [{ at: Date.now() - 60e3, message: `(service ${name}) has reached a steady state.` }], ...more,
  };
}

export function deployment(taskDefinition, more = {}) {
  return { id: `ecs-svc/${hex(taskDefinition)}`, status: "PRIMARY", taskDefinition, desired: 2, running: 2, pending: 0, failed: 0, rollout: "COMPLETED", reason: null, ...more };
}

/* ---- load balancers ---- */

const elb = (rest) => `arn:aws:elasticloadbalancing:us-east-1:123456789012:${rest}`;

export function target(address, state = "healthy", more = {}) {
  return { number: hex(address).slice(0, 16), name: address, address, port: 80, zone: null, task: null, state, reason: null, description: null, since: Date.now() - 300e3, ...more };
}

export function targetGroup(name, targets, more = {}) {
  return {
    name, arn: elb(`targetgroup/${name}/0123456789abcdef`), protocol: "HTTP", protocolVersion: "HTTP1", port: 80, algorithm: "round_robin", stickinessSeconds: 0, slowStartSeconds: 0,
    healthCheck: { enabled: true, protocol: "HTTP", port: "traffic-port", path: "/healthz", intervalSeconds: 5, timeoutSeconds: 2, healthy: 2, unhealthy: 3, codes: "200" }, targets, ...more,
  };
}

/* forward({ blue: 90, green: 10 }) */
export function forward(weights) {
  return { type: "forward", groups: Object.entries(weights).map(([group, weight]) => ({ group, weight })), stickinessSeconds: 0 };
}

export function listener(loadBalancer, port, action, rules = [], more = {}) {
  const arn = elb(`listener/app/${loadBalancer}/0123456789abcdef/${hex(`${loadBalancer} ${port}`).slice(0, 16)}`);
  return { arn, loadBalancer, type: "application", port, protocol: "HTTP", certificates: [], action,
    rules: rules.map(([conditions, does], r) => ({ arn: `${arn}/${r}`, priority: r + 1, conditions, action: does })), ...more };
}

/* Gives the task the machine's slots, all of each or a share, as the server would tell it: on both sides. */
export function put(board, host, slots, given, share = 1) {
  const gpuIds = slots.map((slot) => host.gpus[slot].uuid);
  const placed = { ...given, instance: host.id, gpus: slots.length * share, containers: [{ ...given.containers[0], gpuIds, gpuShare: share }] };
  for (const slot of slots) {
    host.gpus[slot].holders.push({ task: placed.id, container: "main", share });
    host.gpus[slot].used += share;
  }
  host.running += 1;
  host.cpuFree -= placed.cpu;
  host.memoryFree -= placed.memory;
  board.tasks.push(placed);
  return placed;
}

export function boardOf(instances, tasks = []) { return settle({ revision: 1, clusters: [], instances, tasks }); }

/* The counts that follow from the lists. */
export function settle(board) {
  const names = new Set([...board.instances, ...board.tasks].map((item) => item.cluster));
  board.clusters = [...names].map((name) => ({
    name, arn: `arn:aws:ecs:us-east-1:123456789012:cluster/${name}`, status: "ACTIVE", instances: board.instances.filter((i) => i.cluster === name).length,
    running: board.tasks.filter((t) => t.cluster === name && t.lastStatus === "RUNNING").length,
    pending: board.tasks.filter((t) => t.cluster === name && t.lastStatus === "PENDING").length,
    live: board.tasks.filter((t) => t.cluster === name && t.lastStatus !== "STOPPED").length,
  }));
  board.instancesTotal ??= board.instances.length;
  board.services ??= [];
  board.servicesTotal ??= board.services.length;
  board.liveTotal ??= board.tasks.filter((t) => t.lastStatus !== "STOPPED").length;
  return board;
}

/* A fleet at work: three quarters held by tasks of 1, 2, 4 and 8 GPUs, some machines silent and some draining. */
export function fleet(machines, { families = ["bert-pretrain", "resnet50", "llama-13b", "whisper-serve", "stable-diffusion"] } = {}) {
  const board = { revision: 1, clusters: [], instances: [], tasks: [] };
  const types = [["p3.16xlarge", 8], ["p3.8xlarge", 4], ["g5.12xlarge", 4]];
  for (let m = 0; m < machines; m += 1) {
    const [type, gpus] = types[machines >= 1000 ? 0 : m % types.length];
    const host = machine(`node-${m}`, { type, gpus, cluster: m % 5 === 4 ? "research" : "default", simulated: true });
    board.instances.push(host);
    for (let slot = 0, turn = m; slot < gpus; turn += 1) {
      const size = Math.min([1, 4, 2, 8, 1, 2][turn % 6], gpus - slot);
      if ((m * 7 + turn) % 4 !== 0) {
        const family = families[turn % families.length];
        put(board, host, Array.from({ length: size }, (_, s) => slot + s), task(`${m}/${slot}`, {
          family: `${family}:${1 + turn % 4}`, group: `family:${family}`, startedBy: ["nightly", "notebook", null][turn % 3], cluster: host.cluster,
          created: Date.now() - (turn % 50) * 600e3 - 9000, started: Date.now() - (turn % 50) * 600e3 - 4000 }));
      }
      slot += size;
    }
    if (m % 17 === 9) { Object.assign(host, { connected: false, changed: Date.now() - 184e3 }); }
    if (m % 13 === 6) { host.status = "DRAINING"; }
  }
  for (let s = 0; s < Math.min(machines * 2, 150); s += 1) {
    const bad = s % 5 === 0;
    board.tasks.push(task(`old ${s}`, { family: `${families[s % families.length]}:1`, lastStatus: "STOPPED", desiredStatus: "STOPPED", instance: board.instances[s % machines].id,
      created: Date.now() - 5e6 - s * 1e5, started: Date.now() - 4.99e6 - s * 1e5, stopping: Date.now() - 3e6 - s * 1e5, stopped: Date.now() - 2.99e6 - s * 1e5,
      stopCode: bad ? "EssentialContainerExited" : "UserInitiated", reason: bad ? "Essential container in task exited" : "Task stopped by user",
      containers: [{ name: "main", status: "STOPPED", exitCode: bad ? 137 : 0, reason: bad ? "OutOfMemoryError: container killed" : null, gpuIds: [uuid(`gone ${s}`)], gpuShare: 1 }] }));
  }
  return settle(board);
}

/* How much more fits, as the server would count it: machines without a trouble, devices that nobody has any of. */
export function headroomOf(board) {
  return board.clusters.map(({ name }) => {
    const free = board.instances.filter((i) => i.cluster === name && i.connected && i.status === "ACTIVE")
      .map((i) => i.gpus.filter((gpu) => gpu.holders.length === 0 && !gpu.fault).length);
    const part = { gpusFree: free.reduce((sum, n) => sum + n, 0), fits: [1, 2, 4, 8].map((gpus) => ({ gpus, tasks: free.reduce((sum, n) => sum + Math.floor(n / gpus), 0) })) };
    return { name, instances: free.length, ...part, models: free.length > 0 ? [{ model: "V100", instances: free.length, ...part }] : [] };
  });
}

/* A task of the history, as the server tells it. */
export function past(name, more = {}) {
  const { lastStatus, desiredStatus, service: none, gang, ...rest } = task(name, { created: Date.now() - 9e8, started: Date.now() - 8.99e8, stopped: Date.now() - 8e8, stopCode: "EssentialContainerExited", reason: "Essential container in task exited",
    containers: [{ name: "main", exitCode: 3, reason: null, gpuIds: [], gpuShare: 1 }], ...more });
  return { ...rest, instanceName: "node-old", pullStarted: null, pullStopped: null, executionStopped: null, gpuSeconds: 4000, tags: [{ key: "team", value: "vision" }] };
}

function told(why) { return typeof why === "string" ? { detail: why } : why; }

/* ---- the server ---- */

export class Stub {
  constructor(board) {
    Object.assign(this, { board, logs: new Map(), lines: new Map(), whys: new Map(), past: [], samples: [], askedWhy: [], viewers: new Set(), told: [], refuse: null, mute: false, hold: null, asked: [], askedRoom: [], askedPulls: [], pulls: [], room: null, askedTraffic: [], askedQueue: [], queue: [], usage: null, traffic: { revision: 1, groups: [], listeners: [] } });
    this.server = createServer((request, reply) => this.answer(request, reply).catch((error) => reply.destroy(error)));
    this.server.keepAliveTimeout = 0;        /* never in the middle of the browser's next request */
    this.heart = setInterval(() => { if (!this.mute) { this.send(": alive\n\n"); } }, 5000);
  }

  async listen(port = 0) {
    await new Promise((resolve) => this.server.listen(port, "127.0.0.1", resolve));
    this.port = this.server.address().port;
    return this.url;
  }

  get url() { return `http://127.0.0.1:${this.port}`; }

  async answer(request, reply) {
    const url = new URL(request.url, this.url);
    ({ "/berth/v1/headroom": this.askedRoom, "/berth/v1/pulls": this.askedPulls, "/berth/v1/why": this.askedWhy, "/berth/v1/target-groups": this.askedTraffic, "/berth/v1/queue": this.askedQueue }[url.pathname] ?? this.asked).push(request.url);
    if (url.pathname.startsWith("/berth/") && this.refuse) {
      reply.writeHead(this.refuse.status, { "content-type": "application/json" }).end(JSON.stringify({ message: this.refuse.message }));
    } else if (url.pathname === "/berth/v1/state") {
      await this.hold;
      reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(this.board));
    } else if (url.pathname === "/berth/v1/board") {
      const then = this.then?.(Number(url.searchParams.get("at"))) ?? { status: 400, message: "This server keeps no metrics: see metrics-space." };
      reply.writeHead(then.status ?? 200, { "content-type": "application/json" }).end(JSON.stringify(then));
    } else if (url.pathname === "/berth/v1/headroom") {
      reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ revision: this.board.revision, clusters: this.room ?? headroomOf(this.board) }));
    } else if (url.pathname === "/berth/v1/events") {
      this.enter(reply, Number(url.searchParams.get("since")));
    } else if (url.pathname === "/berth/v1/pulls") {
      reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ pulls: this.pulls }));
    } else if (url.pathname === "/berth/v1/target-groups") {
      reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(this.traffic));
    } else if (url.pathname === "/berth/v1/queue") {
      const entries = this.queue.slice(0, 1000);
      reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ now: Date.now(), count: this.queue.length, entries }));
    } else if (url.pathname === "/berth/v1/usage") {
      const usage = this.usage?.(url.searchParams.get("by"), url.searchParams.get("since")) ?? { status: 400, message: "not here" };
      reply.writeHead(usage.status ?? 200, { "content-type": "application/json" }).end(JSON.stringify(usage));
    } else if (url.pathname === "/berth/v1/samples") {
      reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ machines: this.samples.filter(({ id }) => id === url.searchParams.get("instance")) }));
    } else if (url.pathname === "/berth/v1/agent-log") {
      const text = this.lines.get(url.searchParams.get("instance"));
      reply.writeHead(text === undefined ? 404 : 200, { "content-type": "text/plain; charset=utf-8" }).end(text ?? "");
    } else if (url.pathname === "/berth/v1/history") {
      const from = Number(url.searchParams.get("nextToken") ?? 0), tasks = this.past.slice(from, from + 2);
      reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ tasks, nextToken: from + 2 < this.past.length ? String(from + 2) : null }));
    } else if (url.pathname.startsWith("/berth/v1/history/")) {
      const found = this.past.find(({ id }) => url.pathname.endsWith(id));
      reply.writeHead(found ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(found ? { task: found, logs: [{ container: "main", earlierBytes: 0, text: this.logs.get(found.id) ?? "" }] } : { message: "The history does not know this task." }));
    } else if (url.pathname === "/berth/v1/logs") {
      const id = url.searchParams.get("task");
      reply.writeHead(/^[0-9a-f]{32}$/.test(id) ? 200 : 400, { "content-type": "text/plain; charset=utf-8" }).end(this.logs.get(id) ?? "");
    } else if (url.pathname === "/berth/v1/why") {
      reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ detail: "", ...told(this.whys.get(url.searchParams.get("task") ?? url.searchParams.get("service"))) }));
    } else {
      await this.page(url.pathname === "/" ? "/index.html" : url.pathname, reply);
    }
  }

  async page(path, reply) {
    const file = fileURLToPath(new URL(`.${path}`, WEB));
    const bytes = await readFile(file).catch(() => null);
    if (bytes === null) { reply.writeHead(404).end(); return; }
    reply.writeHead(200, { "content-type": TYPES[path.split(".").pop()], "content-security-policy": CSP }).end(bytes);
  }

  /* Like the server: what happened behind the board that the viewer has comes first. */
  enter(reply, since) {
    reply.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    reply.write(": alive\n\n");
    for (const { revision, text } of this.told) { if (revision > since) { reply.write(text); } }
    reply.write(this.useText());
    this.viewers.add(reply);
    reply.on("close", () => this.viewers.delete(reply));
  }

  send(text) { for (const viewer of this.viewers) { viewer.write(text); } }

  /* Takes these instances, tasks and services into the board and tells the viewers. */
  change({ instances = [], tasks = [], services: told = [], gone = [] }) {
    const merge = (old, fresh) => [...old.filter((item) => !gone.includes(item.id) && !fresh.some((other) => other.id === item.id)), ...fresh];
    this.board.instances = merge(this.board.instances, instances);
    this.board.tasks = merge(this.board.tasks, tasks);
    this.board.services = merge(this.board.services, told);
    this.board.revision += 1;
    settle(this.board);
    const { revision, clusters } = this.board;
    const text = `event: changes\ndata: ${JSON.stringify({ revision, clusters, instances, tasks, services: told, gone })}\n\n`;
    this.told.push({ revision, text });
    this.send(text);
  }

  /* The usage of machines, for those who watch and those who come: [machine, [figures of each GPU or null], [containers]]. */
  use(...told) {
    this.used = told.map(([{ id, gpus }, figures, containers = [], at = Date.now()]) => (
      { id, at, simulated: true, gpus: gpus.flatMap(({ uuid: name }, slot) => (figures[slot] ? [[name, 0, ...figures[slot]]] : [])), containers }));
    this.send(this.useText());
  }

  useText() { return this.used ? `event: use\ndata: ${JSON.stringify({ machines: this.used })}\n\n` : ""; }

  /* Reaches those who watch: a test waits for them first. */
  reset() { this.send("event: reset\ndata: {}\n\n"); }

  async stop() {
    clearInterval(this.heart);
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const stub = new Stub(fleet(Number(process.argv[2] ?? 12)));
  console.log(await stub.listen(Number(process.argv[3] ?? 9290)));
}
