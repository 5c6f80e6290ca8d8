/* tasks.js: the list of tasks, with the recently stopped ones. */
import { age, aws, command, count, el, fill, keep, live, moment, number, setText, shortId, span } from "./dom.js";
import { choice, onlyMachine, searchBox, Table, word } from "./controls.js";
import { hashFor } from "./route.js";
import { isLive, isMeant, matches, outcome, phase, pullText, waitsForRoom } from "./state.js";
import { badge } from "./panel.js";
import { gpuText, percent, together } from "./use.js";

const PHASES = ["waiting", "pending", "running", "stopped"];

/* When it started, or when it was requested: the newest first. */
function when(task) { return task.started ?? task.created ?? 0; }

export function lifetime(task) {
  if (task.stopped) { return task.started ? `ran ${span(task.stopped - task.started)}` : "never ran"; }
  return age(when(task), task.started ? {} : { before: "waits " });
}

function columnsFor(view) {
  const instance = (task) => view.state.instances.get(task.instance)?.name ?? task.instanceName ?? (task.instance ? shortId(task.instance) : "");
  const pull = (task) => { const found = view.state.pullOf(task); return found ? el("span.pulling", { title: found.image }, ` ${pullText(found)}`) : null; };
  const silent = (task) => (isLive(task) && view.state.instances.get(task.instance)?.connected === false ? [" ", el("span.tag.warn", {}, "agent silent")] : null);
  const use = (task) => together(view.state.taskUse(task));
  const useCell = (task) => live("span.use", (node) => {
    const figures = use(task);
    setText(node, figures ? percent(figures.busy) || "–" : "–");
    node.title = figures ? `${gpuText(figures)}: all of its GPUs, with all tasks that share them` : "";
  });
  return [
    { id: "id", label: "Task", text: (t) => t.id, cell: (t) => el("a.mono", { href: view.hrefOf(t), title: t.arn }, shortId(t.id)) },
    { id: "family", label: "Definition", text: (t) => t.family, cell: (t) => [el("span.family", {}, word(t.family)), t.startedBy ? el("span.by", {}, " by ", word(t.startedBy)) : null] },
    { id: "state", label: "State", text: (t) => t.lastStatus, cell: (t) => [badge(t), pull(t), silent(t)] },
    { id: "instance", label: "Instance", text: instance, cell: (t) => (waitsForRoom(t) ? el("a", { href: hashFor("waiting", t.id) }, "waits for room") : word(instance(t) || "–")) },
    { id: "gpus", label: "GPUs", number: true, text: (t) => t.gpus, cell: (t) => (t.gpus > 0 ? number(t.gpus) : "–") },
    { id: "use", label: "GPU busy", number: true, text: (t) => use(t)?.busy ?? -1, cell: useCell },
    { id: "started", label: "Started", number: true, text: when, cell: (t) => (t.started ? el("time", { datetime: new Date(t.started).toISOString(), title: new Date(t.started).toString() }, moment(t.started)) : "–") },
    { id: "age", label: "Age", number: true, text: (t) => (t.stopped ?? Date.now()) - when(t), cell: lifetime },
    { id: "reason", label: "Outcome", text: outcome, cell: (t) => outcome(t) && el("span.words", {}, outcome(t)) },
  ];
}

export class TasksView {
  constructor(state, older) {
    Object.assign(this, { state, history: older, older: older.button() });
    this.title = "Tasks";
    this.search = searchBox("Filter tasks, machines, owners");
    this.choices = el("div.choices");
    this.note = el("p.note", { "aria-live": "polite" });
    this.below = el("div.below");
    this.table = new Table({
      label: this.title, columns: columnsFor(this), sort: "started-down", key: (t) => t.id, href: (t) => this.hrefOf(t), current: () => this.route.id,
      signature: (t) => `${JSON.stringify([t, this.state.pullOf(t)])} ${this.machineText(t)} ${this.route.params}`,
    });
    this.root = el("section.tasks", {}, el("h1.hidden", {}, this.title), el("div.tools", {}, this.search, this.choices, this.older), this.note, this.table.root, this.below);
  }

  machineText(task) {
    const instance = this.state.instances.get(task.instance);
    return `${instance?.name} ${instance?.connected}`;
  }

  /* The element that opened the panel of this task, to give it the focus again. */
  opener(id) { return this.root.querySelector(`td.id a[href="${CSS.escape(hashFor("tasks", id, this.route.params))}"]`); }

  hrefOf(task) { return hashFor("tasks", task.id, this.route.params); }

  show(route) {
    this.route = route;
    this.search.show(route);
    this.table.show(route);
    this.filter = route.params.get("q") ?? "";
    this.phase = PHASES.includes(route.params.get("state")) ? route.params.get("state") : null;
    this.drawChoices();
  }

  drawChoices() {
    const counts = { waiting: 0, pending: 0, running: 0, stopped: 0 };
    const tasks = new Map([...this.state.past, ...this.state.tasks]);
    for (const task of tasks.values()) { counts[phase(task)] += 1; }
    const text = JSON.stringify([counts, location.hash]);
    if (this.choicesDrawn === text) { return; }
    this.choicesDrawn = text;
    fill(this.choices, [choice(this.route, "state", "State", [["", `all ${number(tasks.size)}`], ...PHASES.map((name) => [name, `${name} ${number(counts[name])}`])])]);
  }

  update() {
    const past = [...this.state.past.values()].filter(({ id }) => !this.state.tasks.has(id));
    const all = [...this.state.tasks.values(), ...past];
    const shown = all.filter((task) => isMeant(this.route.params, task.instance) && (this.phase === null || phase(task) === this.phase) && this.found(task));
    this.drawChoices();
    this.table.root.hidden = shown.length === 0;
    const { cut } = this.state;
    fill(this.note, [onlyMachine(this.state, this.route), this.filter && shown.length < all.length ? `${number(shown.length)} of ${count(all.length, "task")}. ` : "",
      cut.tasks > 0 ? `The oldest ${count(cut.tasks, "live task")} are not listed.` : "", this.history.refused ?? ""]);
    this.older.update();
    this.older.hidden ||= this.phase !== null && this.phase !== "stopped";
    this.table.update(shown);
    this.drawBelow(all.length === 0 ? "empty" : shown.length === 0 ? "nothing" : "table");
  }

  found(task) {
    return this.filter.trim() === "" || matches(this.filter, task.id, task.family, task.group, task.startedBy, task.lastStatus, task.cluster,
      task.stopCode, task.reason, outcome(task), task.instance, this.state.instances.get(task.instance)?.name);
  }

  drawBelow(kind) {
    const { region } = this.state;
    const cluster = this.state.clusters[0]?.name ?? "default";
    keep(this.below, [kind], { key: (k) => k, signature: () => `${cluster} ${region} ${this.phase}`, make: () => el("div"), draw: (node) => fill(node, [
      kind === "empty" ? el("div.empty", {}, el("h2", {}, "Nothing has run yet"), el("p", {}, "Register a task definition, then run it:"),
        command(aws(region, "register-task-definition", "--cli-input-json", "file://examples/hello-gpu.json")),
        command(aws(region, "run-task", "--cluster", cluster, "--task-definition", "hello-gpu")),
        el("p", {}, "The task appears here, and its GPU fills on the ", el("a", { href: hashFor("board") }, "board"), ".")) : null,
      kind === "nothing" ? el("p.empty", {}, "No task matches this filter.") : null,
      kind === "table" ? el("details.cli", {}, el("summary", {}, "The same from the command line"),
        command(aws(region, "list-tasks", "--cluster", cluster, ...(this.phase === "stopped" ? ["--desired-status", "STOPPED"] : []))),
        command(aws(region, "describe-tasks", "--cluster", cluster, "--tasks", this.state.tasks.keys().next().value ?? "ID"))) : null,
    ]) });
  }
}
