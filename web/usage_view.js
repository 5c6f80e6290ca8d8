/* usage_view.js: who uses the GPUs: hours held, used, idle and waited for, by family, service, startedBy, cluster or a tag, in a time that can be chosen. */
import { command, el, fill, keep, moment, number, setText, shell } from "./dom.js";
import { choice, searchBox, Table, word } from "./controls.js";
import { hashWith, readRoute } from "./route.js";
import { matches } from "./state.js";
import { asCsv, partUsed } from "./usage.js";

const KINDS = [["", "family"], ["service", "service"], ["startedBy", "started by"], ["cluster", "cluster"]];
const TIMES = [["24h", "24 hours"], ["", "7 days"], ["30d", "30 days"]];
const PARTS = ["used", "rest", "idle", "unknown"];

/* "0.004" is not nothing. */
function hours(value) { return value !== 0 && value < 0.01 ? "< 0.01" : value.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 }); }

function percent(part) { return part === null ? "–" : `${Math.round(part * 100)} %`; }

/* Held hours as one bar: used, held without being used, idle, unknown. */
function bar({ held, used, idle, unknown }, most) {
  const parts = { used, rest: Math.max(0, held - used - idle - unknown), idle, unknown };
  const node = el("span.hours", { role: "img", "aria-label": `${hours(used)} used, ${hours(idle)} idle, ${hours(unknown)} unknown` }, PARTS.map((name) => el(`i.${name}`)));
  for (const piece of node.children) { piece.style.flexGrow = held > 0 ? (100 * parts[piece.className]) / held : 0; }      /* their sum fills the bar from 1 on */
  node.style.width = most > 0 ? `${Math.max(1, (held / most) * 100)}%` : "0";
  return node;
}

const figure = (id, label) => ({ id, label, number: true, text: (g) => g[id], cell: (g) => hours(g[id]) });
function columnsFor(view) {
  return [
    { id: "key", label: "Who", text: (g) => g.key ?? "", cell: (g) => (g.key === null ? el("span.soft", {}, g.others ? "all others" : "none") : word(g.key)) },
    { id: "held", label: "Held", number: true, text: (g) => g.held, cell: (g) => hours(g.held) },
    { id: "split", label: "", text: (g) => g.held, cell: (g) => bar(g, view.most) },
    figure("used", "Used"),
    { id: "part", label: "In use", number: true, text: (g) => partUsed(g) ?? -1, cell: (g) => percent(partUsed(g)) },
    figure("idle", "Idle"), figure("unknown", "Unknown"), figure("queued", "Queued"),
    { id: "tasks", label: "Tasks", number: true, text: (g) => g.tasks, cell: (g) => [number(g.tasks), g.running > 0 ? el("span.soft", {}, ` · ${number(g.running)} live`) : null] },
  ];
}

export class UsageView {
  constructor(usage) {
    Object.assign(this, { usage, title: "Usage" });
    this.search = searchBox("Filter names");
    this.choices = el("div.choices");
    this.tag = el("input", { type: "text", placeholder: "tag, for example team", "aria-label": "By the tag", autocomplete: "off", spellcheck: "false", maxlength: "128" });
    this.byTag = el("form.bytag", { submit: (event) => this.onTag(event) }, this.tag, el("button", { type: "submit" }, "By tag"));
    this.save = el("button", { type: "button", click: () => this.saveCsv() }, "Save as CSV");
    this.sum = el("p.sum", { "aria-live": "polite" });
    this.note = el("p.note", { "aria-live": "polite" });
    this.below = el("div.below");
    this.table = new Table({ label: this.title, columns: columnsFor(this), sort: "held-down", key: (g) => `${g.others ?? ""} ${g.key ?? ""} ${g.key === null}`,
      signature: (g) => JSON.stringify([g, this.most]) });
    this.root = el("section.usage", {}, el("h1.hidden", {}, this.title), el("div.tools", {}, this.search, this.choices, this.byTag, this.save), this.sum, this.note, this.table.root, this.below);
  }

  show(route) {
    this.route = route;
    this.search.show(route);
    this.table.show(route);
    this.filter = route.params.get("q") ?? "";
    this.by = route.params.get("by") ?? "family";
    this.since = TIMES.some(([value]) => value !== "" && value === route.params.get("since")) ? route.params.get("since") : "7d";
    const tag = this.by.startsWith("tag:") ? this.by.slice(4) : "";
    if (document.activeElement !== this.tag) { this.tag.value = tag; }
    fill(this.choices, [choice(route, "by", "By", tag ? [...KINDS, [this.by, `tag ${tag}`]] : KINDS), choice(route, "since", "In the last", TIMES)]);
    this.ask();
  }

  ask() { this.usage.ask(this.by, this.since); }

  onTag(event) {
    event.preventDefault();
    const tag = this.tag.value.trim();
    location.hash = hashWith(readRoute(), { by: tag === "" ? null : `tag:${tag}` });
  }

  update() {
    const { answer, refused } = this.usage;
    const rows = answer === null ? [] : [...answer.groups, ...(answer.others ? [{ ...answer.others, key: null, others: true }] : [])];
    const shown = rows.filter((group) => this.filter.trim() === "" || matches(this.filter, group.key ?? "none"));
    this.most = Math.max(0, ...rows.map(({ held }) => held));
    this.table.root.hidden = shown.length === 0;
    this.save.hidden = rows.length === 0;
    fill(this.note, [refused ? `The server did not add it up: ${refused}` : answer === null ? "Adding up." : "",
      answer?.complete === false ? `The history is longer than one answer reads: this is from ${moment(answer.from)} on. ` : "",
      shown.length < rows.length ? `${number(shown.length)} of ${number(rows.length)}. ` : ""]);
    this.drawSum(answer);
    this.table.update(shown);
    this.drawBelow(answer === null ? "" : rows.length === 0 ? "empty" : shown.length === 0 ? "nothing" : "table");
  }

  drawSum(answer) {
    if (answer === null || answer.total.tasks === 0) { fill(this.sum, []); return; }
    const { held, used, idle, queued } = answer.total;
    fill(this.sum, [el("b", {}, hours(held)), " GPU-hours held · ", el("b", {}, hours(used)), ` used (${percent(partUsed(answer.total))}) · `, el("b", {}, hours(idle)), " idle · ",
      el("b", {}, hours(queued)), " waited for"]);
  }

  drawBelow(kind) {
    const words = ["berth", "usage", "--by", this.by, "--since", this.since, "--server", location.origin];
    keep(this.below, [kind], { key: (k) => k, signature: () => words.join(" "), make: () => el("div"), draw: (node) => fill(node, [
      kind === "empty" ? el("p.empty", {}, "No task has held a GPU in this time, or waited for one.") : null,
      kind === "nothing" ? el("p.empty", {}, "Nothing matches this filter.") : null,
      kind === "table" ? el("p.hourkeys", {}, PARTS.map((name) => [el(`i.${name}`, { "aria-hidden": "true" }), ` ${name === "rest" ? "held, not used" : name} `])) : null,
      kind === "table" ? el("details.cli", {}, el("summary", {}, "The same from the command line"), command(shell(...words))) : null,
    ]) });
  }

  saveCsv() {
    const address = URL.createObjectURL(new Blob([asCsv(this.usage.answer)], { type: "text/csv" }));
    const link = el("a", { href: address, download: `berth-usage-${this.by.replace(/[^\w-]+/g, "-")}.csv` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
    setText(this.save, "saved");
    setTimeout(() => setText(this.save, "Save as CSV"), 2000);
  }
}
