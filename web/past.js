/* past.js: the board as it was at a moment of the last day (GET /berth/v1/board): which moment an address means, what the server answered, and a State of it, from
 * which the board is drawn as from the one of now. Refuses to know the page. */
import { now, shortId } from "./dom.js";
import { refusalOf, session } from "./session.js";
import { State } from "./state.js";

const MINUTE_MS = 60000;
const ANSWER_MS = 10000;
const BUSY_MS = 300;                         /* the server reads one board at a time */
const AGAIN_MS = 15000;                      /* after a refusal */
const KEPT_MAX = 60;                         /* moments, so that the way back needs no request */
export const DAY_MINUTES = 24 * 60;

const two = (n) => String(n).padStart(2, "0");

/* "2026-11-27T03:10", by the clock of this browser. */
export function momentText(at) {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${clockText(at)}`;
}
export function clockText(at) {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/* The minute that the text means: "03:10", the last one; "2026-11-27T03:10"; or milliseconds since 1970. Null: none, or one that has not come. */
export function readMoment(text, today = now()) {
  if (text === null) { return null; }
  const clock = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  const at = clock ? new Date(today).setHours(Number(clock[1]), Number(clock[2]), 0, 0) : /^\d{12,14}$/.test(text) ? Number(text) : Date.parse(text);
  const last = clock && at > today ? new Date(at).setDate(new Date(at).getDate() - 1) : at;
  return Number.isFinite(last) && last <= today ? Math.floor(last / MINUTE_MS) * MINUTE_MS : null;
}

/* The live board says names, types and slots of machines, and all that is known of tasks; the answer says who held what. Figures of then do not get old.
 * hues: those that are known, which gets the new ones. */
export function pastState(live, { machines, tasks }, hues = new Map(live.hues)) {
  const state = new State();
  const told = new Map(machines.map((machine) => [machine.id, machine]));
  state.by = live.by;
  state.hues = hues;
  state.clusters = live.clusters;
  const list = [...live.instances.values()].map((instance) => thenOf(instance, told.get(instance.id)));
  for (const { id, cluster, gpus } of machines) {
    if (!live.instances.has(id)) { list.push(thenOf({ id, cluster, name: shortId(id), type: null, simulated: false, gpus: gpus.map(([uuid]) => ({ uuid, model: null, memory: 0, profile: null })) }, told.get(id))); }
  }
  const known = tasks.map((task) => live.task(task.id) ?? { ...task, group: null, gang: null, lastStatus: null, started: null, created: null, containers: [] });
  state.take({ revision: 0, instances: list, tasks: known });
  for (const { id, gpus } of machines) {
    const figures = gpus.map(([uuid, , busy, used, total, celsius, watts, idle]) => [uuid, { at: Infinity, busy, used, total, celsius, watts, idle }]);
    state.use.set(id, { at: Infinity, gpus: new Map(figures), containers: [] });
  }
  state.loaded = true;
  return state;
}

/* A machine without samples counts as silent. Parts of a GPU are not kept: its holders share it equally. */
function thenOf(instance, told) {
  const holders = new Map(told?.gpus.map((gpu) => [gpu[0], gpu[8]]) ?? []);
  const gpus = [...instance.gpus, ...(told?.gpus ?? []).filter(([uuid]) => !instance.gpus.some((gpu) => gpu.uuid === uuid)).map(([uuid]) => ({ uuid, model: null, memory: 0, profile: null }))];
  return { ...instance, status: "ACTIVE", connected: told !== undefined, changed: null, health: null, healthReason: null, findings: [],
    gpus: gpus.map((gpu) => {
      const tasks = holders.get(gpu.uuid) ?? [];
      return { ...gpu, fault: null, unknown: !holders.has(gpu.uuid), used: tasks.length > 0 ? 1 : 0, holders: tasks.map((task) => ({ task, container: "", share: 1 / tasks.length })) };
    }) };
}

export class Past {
  /* changed(): there is a new answer. */
  constructor(live, { changed }) { Object.assign(this, { live, changed, kept: new Map(), wanted: null, asking: false, refused: null, refusedAt: -Infinity, shown: null, by: null, hues: new Map() }); }

  /* The board of this moment, or of the last one that is known while it is asked for; null: none yet. */
  at(moment) {
    const found = this.kept.get(moment);
    if (found) { Object.assign(this, { shown: found, refused: null }); } else if (!this.refused || performance.now() > this.refusedAt + AGAIN_MS) { this.ask(moment); }
    return this.shown;
  }

  /* Another moment, or none, is looked at. */
  leave() { Object.assign(this, { wanted: null, refused: null }); }

  /* One request at a time; of those that were wanted meanwhile, the last. */
  async ask(moment) {
    this.wanted = moment;
    if (this.asking) { return; }
    this.asking = true;
    while (this.wanted !== null && !this.kept.has(this.wanted)) { await this.askOne(this.wanted); }
    this.asking = false;
  }

  async askOne(moment) {
    try {
      const reply = await session.ask(`/berth/v1/board?at=${moment}`, { signal: AbortSignal.timeout(ANSWER_MS) });
      if (reply.status === 503) {
        await new Promise((resolve) => { setTimeout(resolve, BUSY_MS); });
        return;
      }
      this.refused = reply.ok ? null : await refusalOf(reply);
      if (reply.ok) { this.keep(moment, await reply.json()); }
    } catch {
      this.refused = "The server did not answer.";
    }
    this.refusedAt = performance.now();
    if (this.refused && this.wanted === moment) { this.wanted = null; }
    this.changed();
  }

  keep(moment, answer) {
    if (this.by !== this.live.by) { Object.assign(this, { by: this.live.by, hues: new Map() }); }
    for (const [key, hue] of this.live.hues) { this.hues.set(key, hue); }        /* a task has one colour at all moments */
    this.kept.set(moment, { at: moment, state: pastState(this.live, answer, this.hues), left: answer.left });
    if (this.kept.size > KEPT_MAX) { this.kept.delete(this.kept.keys().next().value); }
  }
}
