/* waiting.js: the tasks that wait for room, in the order in which they are tried, and the words for one of them. */
import { age, aws, command, el, fill, keep, moment, number, shell, shortId } from "./dom.js";
import { searchBox, Table, word } from "./controls.js";
import { withFirst } from "./queue.js";
import { hashFor } from "./route.js";
import { matches } from "./state.js";

function chip({ reason }) { return reason ? el("span.tag.warn", {}, reason) : null; }

function givesUp({ until }) { return until === null ? "never" : age(until, { left: true }); }

/* From half of the cases to nine of ten, as far as past runs tell. */
function known({ expectedStart }) { return Boolean(expectedStart?.p50 ?? expectedStart?.p90); }
function startsIn(entry) {
  const part = (at) => (at ? age(at, { left: true }) : "?");
  return known(entry) ? [part(entry.expectedStart.p50), " to ", part(entry.expectedStart.p90)] : "unknown";
}

/* Room that is kept for it, and tasks that stop for it. */
function keptText({ kept, stoppedFor = [] }) {
  return [kept ? `Room is kept for it on ${kept.instances.map(shortId).join(", ")}. ` : "", stoppedFor.length > 0 ? `${number(stoppedFor.length)} ${stoppedFor.length === 1 ? "task" : "tasks"} stopped for it.` : ""].join("");
}

/* The words for a task that waits, in its panel. */
export function waitParts(task, entry) {
  return el("div.why.place", {}, el("p", {}, el("b", {}, "Waits for room"), ` since ${moment(entry?.since ?? task.created)}`,
    entry ? [` · ${placeText(entry)} · priority ${entry.priority}`, entry.until === null ? "" : [" · gives up in ", givesUp(entry)], known(entry) ? [" · expected to start in ", startsIn(entry)] : ""] : ""),
  entry && keptText(entry) ? el("p", {}, keptText(entry)) : null,
  entry && (entry.reason || entry.detail) ? el("p", {}, chip(entry), " ", entry.detail) : null);
}

export function placeText({ place }) { return `place ${number(place)} in the queue`; }

function columnsFor(view) {
  const link = (id) => el("a.mono", { href: view.hrefOf(id), title: id }, shortId(id));
  const lack = (e) => (e.first.position === e.position ? el("span.words", {}, e.detail) : el("span.soft", {}, ` as place ${number(e.first.place)}`));
  return [
    { id: "position", label: "Place", number: true, text: (e) => e.position, cell: (e) => number(e.place) },
    { id: "id", label: "Task", text: (e) => e.tasks[0], cell: (e) => el("div", {}, e.tasks.length > 1 ? el("span.tag", {}, `gang of ${e.tasks.length}`) : null, e.tasks.map((id) => [" ", link(id)])) },
    { id: "family", label: "Definition", text: (e) => e.taskDefinition, cell: (e) => [word(e.taskDefinition), e.startedBy ? el("span.by", {}, " by ", word(e.startedBy)) : null] },
    { id: "cluster", label: "Cluster", text: (e) => e.cluster, cell: (e) => word(e.cluster) },
    { id: "priority", label: "Priority", number: true, text: (e) => e.priority },
    { id: "age", label: "Waited", number: true, text: (e) => -e.since, cell: (e) => age(e.since) },
    { id: "until", label: "Gives up in", number: true, text: (e) => e.until ?? Number.MAX_VALUE, cell: givesUp },
    { id: "starts", label: "Starts in", number: true, text: (e) => e.expectedStart?.p90 ?? e.expectedStart?.p50 ?? Number.MAX_VALUE, cell: startsIn },
    { id: "lack", label: "Lacks", text: (e) => e.reason ?? "", cell: (e) => el("div", {}, chip(e), e.detail === null ? el("span.soft", {}, "told when it is nearer the front") : lack(e), e.kept ? el("span.tag", {}, "room kept") : null) },
  ];
}

export class WaitingView {
  constructor(state, queue) {
    Object.assign(this, { state, queue, title: "Waiting" });
    this.search = searchBox("Filter tasks, definitions, reasons");
    this.note = el("p.note", { "aria-live": "polite" });
    this.below = el("div.below");
    this.table = new Table({
      label: this.title, columns: columnsFor(this), sort: "position", key: (e) => e.tasks[0], href: (e) => this.hrefOf(e.tasks[0]), current: () => this.queue.byTask.get(this.route.id)?.tasks[0],
      signature: (e) => JSON.stringify([{ ...e, first: e.first.position }, String(this.route.params)]),
    });
    this.root = el("section.waiting", {}, el("h1.hidden", {}, this.title), el("div.tools", {}, this.search), this.note, this.table.root, this.below);
  }

  hrefOf(id) { return hashFor("waiting", id, this.route.params); }

  /* The element that opened the panel of this task, to give it the focus again. */
  opener(id) { return this.root.querySelector(`td.id a[href="${CSS.escape(this.hrefOf(id))}"]`); }

  show(route) {
    this.route = route;
    this.search.show(route);
    this.table.show(route);
    this.filter = route.params.get("q") ?? "";
    this.drawn = null;
    this.queue.ask();
  }

  update() {
    const { queue } = this;
    const known = queue.version > 0;
    const drawn = `${queue.version} ${queue.refused}`;
    if (this.drawn === drawn) { return; }
    this.drawn = drawn;
    const shown = withFirst(queue.entries.filter((entry) => this.found(entry)));
    this.table.root.hidden = shown.length === 0;
    fill(this.note, [queue.refused ? `The server did not give the queue (${queue.refused}). ` : known ? "" : "Asking for the queue.",
      this.filter && shown.length < queue.entries.length ? `${number(shown.length)} of ${number(queue.entries.length)}. ` : "",
      queue.count > queue.entries.length ? `${number(queue.count - queue.entries.length)} more wait behind these.` : ""]);
    this.table.update(shown);
    this.drawBelow(!known ? "" : queue.entries.length === 0 ? "empty" : shown.length === 0 ? "nothing" : "table");
  }

  found({ tasks, taskDefinition, cluster, group, startedBy, reason, detail }) {
    return this.filter.trim() === "" || matches(this.filter, ...tasks, taskDefinition, cluster, group, startedBy, reason, detail);
  }

  drawBelow(kind) {
    const { region } = this.state;
    keep(this.below, [kind], { key: (k) => k, signature: () => String(region), make: () => el("div"), draw: (node) => fill(node, [
      kind === "empty" ? el("div.empty", {}, el("h2", {}, "No task waits for room"), el("p", {}, "A task waits here when RunTask finds no room and the task has the tag ", el("code", {}, "berth:queue"), "."),
        command(aws(region, "run-task", "--task-definition", "train", "--tags", "key=berth:queue,value=wait"))) : null,
      kind === "nothing" ? el("p.empty", {}, "Nothing matches this filter.") : null,
      kind === "table" ? el("details.cli", {}, el("summary", {}, "The same from the command line"), command(shell("berth", "queue", "--server", location.origin))) : null,
    ]) });
  }
}
