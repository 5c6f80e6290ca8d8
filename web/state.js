/* state.js: the board as the server sent it, the machines' resource use, and values derived from them. Knows the JSON of /berth/v1/state and its changes;
 * refuses to know the page and the network, so that tests can run it anywhere. */

import { hue, paint } from "./colours.js";
import { now } from "./dom.js";
import { fresh, readUse } from "./use.js";

const STOPPED_MAX = 1000;                    /* stopped tasks kept: the server sends the last few hundred, the stream adds */
const SERIES_MAX = 2048, POINTS_MAX = 300;   /* GPUs whose use is remembered, and how much of it */
const POINTS_EVERY_MS = 1900;
const SEEN_MAX = 1000;                       /* changes that were seen as they came */

/* The key of a task's hue: its gang or itself; its service, or its family without one; its startedBy. */
export const COLOURS = {
  task: (id, task) => task?.gang ?? id,
  service: (id, task) => task?.service ?? task?.family.split(":")[0] ?? id,
  owner: (id, task) => task?.startedBy ?? "",
};

export class State {
  constructor() {
    this.loaded = false;
    this.by = "task";                        /* one of COLOURS */
    this.hues = new Map();                   /* by hueKey; a hue stays while its task is listed */
    this.series = new Map();                 /* by GPU: what curves.js draws, since the page is open */
    this.seen = [];                          /* changes of which the board keeps no time: { at, kind, item, words, bad } */
    this.past = new Map();                   /* tasks of the history that were asked for */
    this.forget();
  }

  forget() {
    this.revision = 0;
    this.clusters = [];
    this.instances = new Map();
    this.tasks = new Map();
    this.services = new Map();
    this.use = new Map();                    /* by instance: its last report of use */
    this.pulls = new Map();                  /* by task: the image it waits for, as its machine pulls it */
    this.drains = new Map();                 /* by instance that drains: the most tasks that were seen on it */
    this.cut = { instances: 0, tasks: 0, services: 0 };   /* how many the server left out */
  }

  replace(board) {
    const { use } = this;
    this.forget();
    this.take(board);
    this.forgetHues();
    this.use = new Map([...use].filter(([id]) => this.instances.has(id)));       /* the stream sends all of it again */
    const live = [...this.tasks.values()].filter(isLive).length;
    this.cut = {
      instances: Math.max(0, (board.instancesTotal ?? 0) - this.instances.size),
      tasks: Math.max(0, (board.liveTotal ?? 0) - live),
      services: Math.max(0, (board.servicesTotal ?? 0) - this.services.size),
    };
    this.loaded = true;
  }

  change(changes) {
    this.notice(changes);
    this.take(changes);
    for (const id of changes.gone ?? []) {
      this.instances.delete(id);
      this.use.delete(id);
      this.tasks.delete(id);
      this.services.delete(id);
    }
    this.dropOldStopped();
  }

  /* News of the board that has no time is remembered with the time at which it came. */
  notice({ instances, services, gone }) {
    const see = (kind, item, words, bad = false) => this.seen.push({ at: now(), kind, item, words, bad });
    for (const next of instances ?? []) {
      const { status, gpus } = this.instances.get(next.id) ?? next;
      if (status !== next.status) { see("machine", next, `${status} → ${next.status}`, next.status !== "ACTIVE"); }
      const back = gpus.filter(({ uuid, fault }) => fault && next.gpus.some((gpu) => gpu.uuid === uuid && !gpu.fault));
      for (const gpu of back) { see("GPU", next, `GPU ${gpus.indexOf(gpu)} is back in the pool`); }
    }
    for (const next of services ?? []) {
      const { desired, rollout } = this.services.get(next.id) ?? next;
      if (desired !== next.desired) { see("service", next, `desired tasks ${desired} → ${next.desired}`); }
      if (next.rollout && rollout?.status !== next.rollout.status) { see("service", next, ["rollout", next.rollout.status, next.rollout.reason].filter(Boolean).join(" "), isTroubled(next)); }
    }
    for (const id of gone ?? []) {
      if (this.instances.has(id)) { see("machine", this.instances.get(id), "left the cluster", true); }
      if (this.services.has(id)) { see("service", this.services.get(id), "deleted"); }
    }
    this.seen.splice(0, Math.max(0, this.seen.length - SEEN_MAX));
  }

  take({ revision, clusters, instances, tasks, services }) {
    this.revision = revision;
    if (clusters) { this.clusters = clusters; }
    for (const instance of instances ?? []) { this.instances.set(instance.id, instance); }
    for (const task of tasks ?? []) { this.tasks.set(task.id, task); }
    for (const service of services ?? []) { this.services.set(service.id, service); }
    this.giveHues(instances ?? []);
    for (const { id, status } of instances ?? []) {
      if (status === "DRAINING") { this.drains.set(id, Math.max(this.drains.get(id) ?? 0, this.tasksOn(id).length)); } else { this.drains.delete(id); }
    }
  }

  tasksOn(id) { return [...this.tasks.values()].filter((task) => task.instance === id && isLive(task)); }
  task(id) { return this.tasks.get(id) ?? this.past.get(id); }

  /* How far a machine is that drains: tasks that are left of the most that were seen, and those that no service replaces. Null: it does not drain. */
  drainOf({ id, status }) {
    if (status !== "DRAINING") { return null; }
    const left = this.tasksOn(id);
    return { left: left.length, of: Math.max(this.drains.get(id) ?? 0, left.length), alone: left.filter(({ service }) => !service).length };
  }

  /* ---- colours ---- */

  hueOf(id) { return this.hues.get(this.hueKey(id)) ?? hue(this.hueKey(id)); }
  hueKey(id) { return COLOURS[this.by](id, this.tasks.get(id)); }

  colourBy(by) {
    if (this.by === by) { return; }
    Object.assign(this, { by, hues: new Map() });
    this.giveHues([...this.instances.values()]);
  }

  heldKeys(instance) { return instance.gpus.map((gpu) => tasksOf(gpu).map((id) => this.hueKey(id))); }

  giveHues(instances) {
    if (instances.some((instance) => this.heldKeys(instance).flat().some((key) => !this.hues.has(key)))) {
      paint(this.hues, inBoardOrder(this.instances.values()).map((instance) => this.heldKeys(instance)));
    }
  }

  forgetHues() {
    const listed = new Set([...this.tasks.keys()].map((id) => this.hueKey(id)));
    for (const instance of this.instances.values()) { for (const key of this.heldKeys(instance).flat()) { listed.add(key); } }
    for (const key of this.hues.keys()) { if (!listed.has(key)) { this.hues.delete(key); } }
  }

  /* Machines that are not on the board, because it was cut, are not kept. */
  takeUse({ machines }) {
    for (const told of machines) {
      if (this.instances.has(told.id)) {
        this.use.set(told.id, readUse(told));
        for (const [uuid, figures] of this.use.get(told.id).gpus) { this.remember(uuid, figures); }
      }
    }
  }

  remember(uuid, { at, busy, used, celsius, watts }) {
    const known = this.series.get(uuid) ?? [];
    if (known.length === 0 && this.series.size >= SERIES_MAX) { return; }
    if (known.length > 0 && at - known.at(-1)[0] < POINTS_EVERY_MS) { return; }
    known.push([at, busy, used, celsius, watts]);
    if (known.length > POINTS_MAX) { known.shift(); }
    this.series.set(uuid, known);
  }

  /* Tasks of the history (api/show/history.c) in the board's shape. */
  takePast(tasks) {
    for (const told of tasks) {
      this.past.set(told.id, { ...told, service: told.group?.startsWith("service:") ? told.group.slice("service:".length) : null, gang: null, lastStatus: "STOPPED", desiredStatus: "STOPPED",
        containers: told.containers.map((one) => ({ ...one, status: "STOPPED" })) });
    }
  }

  /* The figures of a GPU, a task's GPUs, a task's container, old or not. Undefined: none. */
  gpuUse(instance, uuid) { return this.use.get(instance)?.gpus.get(uuid); }
  taskUse(task) { return isLive(task) ? task.containers.flatMap(({ gpuIds }) => gpuIds.map((uuid) => this.gpuUse(task.instance, uuid))) : []; }
  containerUse(task, name) { return isLive(task) ? this.use.get(task.instance)?.containers.find((told) => told.task === task.id && told.name === name) : undefined; }
  allUse() { return [...this.use.values()].filter(fresh).flatMap(({ gpus }) => [...gpus.values()]); }

  takePulls(pulls) {
    this.pulls = new Map(pulls.flatMap((pull) => pull.tasks.map((id) => [id, pull])));
  }

  /* Undefined: it waits for no image. An answer from a moment ago may be out of date. */
  pullOf(task) { return phase(task) === "pending" ? this.pulls.get(task.id) : undefined; }

  /* Undefined: the task has no service, or the service is not on the board. */
  serviceOf(task) {
    return task.service ? [...this.services.values()].find((service) => service.name === task.service && service.cluster === task.cluster) : undefined;
  }

  dropOldStopped() {
    const stopped = [...this.tasks.values()].filter((task) => !isLive(task));
    if (stopped.length <= STOPPED_MAX) { return; }
    stopped.sort((a, b) => b.stopped - a.stopped);
    for (const task of stopped.slice(STOPPED_MAX)) { this.tasks.delete(task.id); }
    if (this.hues.size > 2 * (this.tasks.size + STOPPED_MAX)) { this.forgetHues(); }
  }

  get region() { return (this.clusters[0]?.arn ?? "").split(":")[3] || null; }

  totals() {
    const totals = { instances: 0, connected: 0, simulated: 0, gpus: 0, held: 0, free: 0, draining: 0, unknown: 0, quarantined: 0, out: 0, running: 0, pending: 0, stopped: 0, waiting: 0 };
    for (const instance of this.instances.values()) {
      totals.instances += 1;
      totals.connected += instance.connected;
      totals.simulated += instance.simulated;
      for (const gpu of instance.gpus) {
        totals.gpus += 1;
        totals[gpuState(instance, gpu)] += 1;
        totals.out += isOut(gpu);
      }
    }
    for (const cluster of this.clusters) {
      totals.running += cluster.running;
      totals.pending += cluster.pending;
    }
    for (const task of this.tasks.values()) {
      totals.stopped += !isLive(task);
      totals.waiting += waitsForRoom(task);
    }
    return totals;
  }
}

export function isLive(task) { return task.lastStatus !== "STOPPED"; }

/* It is on no machine, and in the queue. */
export function waitsForRoom(task) { return task.lastStatus === "PROVISIONING" && !task.instance; }

/* Four words for eight statuses, for filters. */
export function phase(task) {
  if (task.lastStatus === "STOPPED") { return "stopped"; }
  if (waitsForRoom(task)) { return "waiting"; }
  return ["PROVISIONING", "PENDING", "ACTIVATING"].includes(task.lastStatus) ? "pending" : "running";
}

/* "312 of 840 MiB": of the layers whose size is known so far. */
export function pullText({ layers, bytes, bytesKnown }) {
  const whole = (n) => Math.floor(n / 1048576).toLocaleString("en");
  return layers > 0 ? `pulling ${whole(bytes)} of ${whole(bytesKnown)} MiB` : "pulling";
}

/* A silent agent's GPUs are unknown, even if a task held them, and those of the past without a sample; free means that a task could start there now. */
export function gpuState(instance, gpu) {
  if (!instance.connected || gpu.unknown) { return "unknown"; }
  if (gpu.holders.length > 0) { return "held"; }
  if (isOut(gpu)) { return "quarantined"; }
  return instance.status === "ACTIVE" ? "free" : "draining";
}

/* Out of the pool: no new task gets it, but a task may still hold it. */
export function isOut(gpu) { return Boolean(gpu.fault); }

export function problem(instance) {
  if (!instance.connected) { return "silent"; }
  if (instance.status !== "ACTIVE") { return instance.status.toLowerCase(); }
  return instance.health === "IMPAIRED" || instance.gpus.some(isOut) ? "impaired" : null;
}

/* Running tasks in percent of the desired ones. */
export function share({ desired, running }) { return desired > 0 ? Math.min(100, Math.floor(100 * running / desired)) : 100; }

/* Is its newest service deployment, or its rollback, still to end? */
export function isRolling({ rollout }) { return /^(PENDING|IN_PROGRESS|STOP_REQUESTED|ROLLBACK_REQUESTED|ROLLBACK_IN_PROGRESS)$/.test(rollout?.status ?? ""); }

/* Is it rolled back, or has the rollout of its newest deployment failed? */
export function isTroubled({ rollout, deployments }) { return /^ROLLBACK/.test(rollout?.status ?? "") || deployments[0]?.rollout === "FAILED"; }

export function heldCount(instance) { return instance.gpus.filter((gpu) => gpu.holders.length > 0).length; }

/* The tasks that hold a share of a GPU, each once; and the one that holds all of it, or null. */
export function tasksOf(gpu) { return [...new Set(gpu.holders.map((holder) => holder.task))]; }
export function ownerOf(gpu) {
  const tasks = tasksOf(gpu);
  return tasks.length === 1 && gpu.used === 1 ? tasks[0] : null;
}

/* GPUs from here on are better connected among themselves than with the one before. */
export function beginsIsland({ islands }, slot) { return Boolean(islands) && slot > 0 && islands[slot] !== islands[slot - 1]; }

const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
export function byWords(a, b) { return words.compare(a ?? "", b ?? ""); }

/* The board's order: cluster, type, name; node-9 before node-10. */
export function inBoardOrder(instances) {
  return [...instances].sort((a, b) => byWords(a.cluster, b.cluster) || byWords(a.type, b.type) || byWords(a.name, b.name) || (a.id < b.id ? -1 : 1));
}

/* All words of the filter must be found somewhere in the texts. */
export function matches(filter, ...texts) {
  const text = texts.filter(Boolean).join("\n").toLowerCase();
  return filter.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/* Do these parameters of the address include the machine? If they name one, only that one. */
export function isMeant(params, id) { return !params.has("machine") || params.get("machine") === id; }

/* Did it fail? A container failed, or the task never started. */
export function failed(task) { return task.stopCode === "TaskFailedToStart" || task.containers.some(hasFailed); }
function hasFailed({ exitCode }) { return (exitCode ?? 0) !== 0; }

/* How a stopped task ended, in a line: an exit code, and the first line of the error or of the reason. */
export function outcome(task) {
  if (isLive(task)) { return ""; }
  const { containers } = task;
  const told = containers.find(hasFailed) ?? containers.find(({ reason }) => reason) ?? containers.find(({ exitCode }) => exitCode !== null);
  const code = told && told.exitCode !== null ? `exit code ${told.exitCode}` : "";
  const [line] = (told?.reason || task.reason || task.stopCode || "").trim().split("\n");
  const words = [code, line].filter(Boolean).join(" · ");
  return told && containers.length > 1 ? `${told.name}: ${words}` : words;
}

/* For a group of names: the lengths of their common beginning and end. The names differ between these; a number is not cut. */
export function namesAlike(names) {
  const [first, ...others] = names;
  if (others.length === 0) { return { head: 0, tail: 0 }; }
  const length = Math.min(...names.map((name) => name.length));
  let head = 0, tail = 0;
  while (head < length && others.every((name) => name[head] === first[head])) { head += 1; }
  while (tail < length - head && others.every((name) => name.at(-1 - tail) === first.at(-1 - tail))) { tail += 1; }
  const digits = /\d/;
  while (head > 0 && digits.test(first[head - 1])) { head -= 1; }
  while (tail > 0 && digits.test(first.at(-tail))) { tail -= 1; }
  return { head, tail };
}
