/* machine_panel.js: everything about one machine: its state, how far it drains, what its agent found, its GPUs with all that is measured, its tasks,
 * what it pulls, the last lines of its agent's log. */
import { setGpu, setMachine } from "./acts.js";
import { actRow } from "./acting.js";
import { fillCurves } from "./curves.js";
import { age, aws, command, cores, count, el, fill, live, mib, mibOf, moment, number, shell, shortId } from "./dom.js";
import { metric } from "./metric.js";
import { badge } from "./panel.js";
import { hashFor } from "./route.js";
import { session } from "./session.js";
import { gpuState, isOut, pullText } from "./state.js";

const ASK_EVERY_MS = 3000, LINES_EVERY = 3;              // the lines: each third time

/* "3 of 5 tasks left" */
export function leftText({ left, of }) { return left === 0 ? "drained: no task is left" : `${number(left)} of ${count(of, "task")} left`; }

/* The same, and those that nobody replaces. */
function drainText({ left, of, alone }) {
  return `${leftText({ left, of })}${alone > 0 ? `, ${number(alone)} of no service: ${alone === 1 ? "it runs" : "they run"} until the end` : ""}`;
}

export class MachinePanel {
  constructor(state) {
    Object.assign(this, { state, id: null, samples: new Map(), lines: null, turns: 0 });
    this.root = el("aside.panel", { "aria-label": "Machine", tabindex: -1 });
    this.root.hidden = true;
    setInterval(() => this.ask(), ASK_EVERY_MS);
  }

  show(id, back) {
    if (id !== this.id) { Object.assign(this, { samples: new Map(), lines: null, turns: 0 }); }
    Object.assign(this, { id, back, drawn: null });
    this.root.hidden = id === null;
  }

  update() {
    if (this.id === null) { return; }
    const instance = this.state.instances.get(this.id);
    const tasks = instance ? this.state.tasksOn(this.id) : [];
    const text = JSON.stringify([instance ?? null, tasks, tasks.map((task) => this.state.pullOf(task)), session.key?.role, session.key?.id]);
    if (text === this.drawn) { return; }
    this.drawn = text;
    fill(this.root, instance ? this.parts(instance, tasks) : [this.head("Not known"), el("p", {}, "There is no machine ", el("span.mono.all", {}, this.id), " here. It may have left.")]);
    this.ask();
  }

  /* All that is measured of its GPUs: the stream has only what the board shows. */
  async ask() {
    const { id } = this;
    const instance = this.state.instances.get(id);
    if (this.asking || document.hidden || !this.root.isConnected || !instance) { return; }
    this.asking = true;
    try {
      if (instance.gpus.length > 0) { await this.askSamples(id); }
      if (this.turns++ % LINES_EVERY === 0) { await this.askLines(id); }
    } catch { /* the top line shows that the server is gone; this is asked again */ } finally {
      this.asking = false;
    }
    for (const node of this.root.querySelectorAll(".live")) { node.write(node); }
  }

  async askSamples(id) {
    const reply = await session.ask(`/berth/v1/samples?instance=${encodeURIComponent(id)}`, { signal: AbortSignal.timeout(ASK_EVERY_MS * 3) });
    const [machine] = reply.ok ? (await reply.json()).machines : [];
    if (id === this.id && machine) { this.samples = new Map(machine.gpus.map((gpu) => [gpu.uuid, gpu])); }
  }

  /* 404: its agent has sent none. */
  async askLines(id) {
    const reply = await session.ask(`/berth/v1/agent-log?instance=${encodeURIComponent(id)}`, { signal: AbortSignal.timeout(ASK_EVERY_MS * 3) });
    if (id === this.id && (reply.ok || reply.status === 404)) { this.lines = reply.ok ? await reply.text() : ""; }
  }

  head(title, instance) {
    return el("div.head", {}, el("h2", {}, title), instance ? [el("span.badge", { "data-state": instance.status === "ACTIVE" ? "good" : "wait" }, instance.status),
      el("span.badge", { "data-state": instance.connected ? "good" : "bad" }, instance.connected ? "connected" : "silent")] : null,
    instance ? el("a.page", { href: hashFor("machine", this.id), title: "As a separate page" }, "page") : null, el("a.close", { href: this.back, "aria-label": "Close", title: "Esc" }, "✕"));
  }

  parts(instance, tasks) {
    const drain = this.state.drainOf(instance);
    const rows = [
      ["cluster", instance.cluster], ["type", instance.type],
      ["CPU free", `${cores(instance.cpuFree)} of ${cores(instance.cpu)}`], ["memory free", mibOf(instance.memoryFree, instance.memory)],
      ["tasks", el("a", { href: hashFor("tasks", null, { machine: instance.id }) }, `${number(instance.running)} running${instance.pending > 0 ? `, ${number(instance.pending)} pending` : ""}`)],
      ["agent", [instance.agentVersion ?? "–", instance.changed ? age(instance.changed, { before: instance.connected ? " · connected " : " · silent ", after: instance.connected ? " ago" : "" }) : ""]],
      ["registered", moment(instance.registered)], ["simulated", instance.simulated ? "yes: this machine or its GPUs are not real" : null],
      ["ARN", el("span.mono.all", {}, instance.arn)],
    ].filter(([, value]) => value);
    return [
      this.head(instance.name, instance),
      actRow([instance.status === "ACTIVE" ? { label: "Drain", bad: true, act: () => setMachine(instance, "DRAINING") } : null,
        instance.status === "DRAINING" ? { label: "Activate", act: () => setMachine(instance, "ACTIVE") } : null], this.state.region),
      drain ? el("p.why.drain", {}, el("progress", { value: drain.of - drain.left, max: Math.max(1, drain.of), "aria-label": "Drained" }), ` ${drainText(drain)}`) : null,
      instance.healthReason ? el("p.why", { "data-bad": instance.health === "IMPAIRED" }, `${instance.health}: ${instance.healthReason}`) : null,
      instance.findings.length > 0 ? [el("h3", {}, "What its agent found"), el("ul.findings", {}, instance.findings.map(({ check, status, text, remedy }) => el("li", {}, el("b", {}, check), ` ${status}: ${text}${remedy ? ` → ${remedy}` : ""}`)))] : null,
      el("dl", {}, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      el("p", {}, el("a", { href: hashFor("board", null, { machine: instance.id }) }, "Show on the board")),
      instance.gpus.length > 0 ? [el("h3", {}, "GPUs"), el("div.gpulist", {}, instance.gpus.map((gpu, slot) => this.gpu(instance, gpu, slot)))] : null,
      el("h3", {}, "Tasks"), tasks.length > 0 ? el("ul.targets", {}, tasks.map((task) => this.task(task))) : el("p.soft", {}, "No task is on it."),
      live("div", (node) => this.fillLines(node)),
      el("h3", {}, "From the command line"),
      command(aws(this.state.region, "describe-container-instances", "--cluster", instance.cluster, "--container-instances", instance.id)),
      command(shell("berth", "doctor", "--server", location.origin)),
    ];
  }

  gpu(instance, gpu, slot) {
    const kind = gpuState(instance, gpu);
    const out = isOut(gpu);
    const total = this.state.gpuUse(instance.id, gpu.uuid)?.total ?? gpu.memory;
    return el("div.container", {}, session.canAct ? actRow([out ? { label: "Restore", act: () => setGpu(instance, slot, "AVAILABLE") } : { label: "Quarantine", bad: true, act: () => setGpu(instance, slot, "QUARANTINED") }], this.state.region) : null,
    el("p", {}, el("b", {}, `GPU ${slot}`), ` ${[gpu.model, gpu.profile && `MIG ${gpu.profile}`].filter(Boolean).join(", ")} `,
      el("span.badge", { "data-state": { held: "good", free: "off" }[kind] ?? (kind === "quarantined" ? "bad" : "wait") }, kind),
      gpu.holders.map(({ task, share }) => [" ", el("a.mono", { href: hashFor("tasks", task) }, shortId(task)), share < 1 ? ` (${number(share)})` : ""])),
    out ? el("p.why", { "data-bad": true }, `${gpu.fault.gone ? "Gone" : "Quarantined"}${gpu.fault.by ? ` by ${gpu.fault.by}` : ""}: ${gpu.fault.reason}`) : null,
    el("p.mono.soft", {}, gpu.uuid), live("dl.metrics", (node) => this.fillMetrics(node, gpu)), live("div", (node) => fillCurves(node, this.state.series.get(gpu.uuid), total)));
  }

  fillMetrics(node, { uuid }) {
    const told = this.samples.get(uuid);
    const known = Object.entries(told ?? {}).filter(([name, value]) => typeof value === "number" && name !== "at");
    const text = JSON.stringify([told?.at, known]);
    if (node.told === text) { return; }
    node.told = text;
    fill(node, known.map(([name, value]) => metric(name, value)).map(([name, words]) => [el("dt", {}, name), el("dd", {}, words)]));
  }

  /* The newest line is in sight, unless the reader has gone back. */
  fillLines(node) {
    if (node.told === this.lines || this.lines === null) { return; }
    node.told = this.lines;
    const before = node.querySelector("pre");
    const atEnd = !before || before.scrollTop + before.clientHeight >= before.scrollHeight - 4;
    fill(node, this.lines === "" ? [] : [el("h3", {}, "The last lines of its agent's log"), el("pre.log", { tabindex: 0 }, this.lines)]);
    if (atEnd && this.lines !== "") { node.lastElementChild.scrollTop = node.lastElementChild.scrollHeight; }
  }

  task(task) {
    const pull = this.state.pullOf(task);
    return el("li", {}, badge(task), el("a", { href: hashFor("tasks", task.id) }, `${task.family} · ${shortId(task.id)}`), task.service ? el("span.soft", {}, `service ${task.service}`) : null,
      pull ? el("span.pulling", { title: pull.image }, `${pullText(pull)}: ${pull.image}`) : null);
  }
}
