/* events_view.js: everything that happened, filtered, as JSON for a report, each with a link to its object. */
import { aws, command, count, el, fill, keep, moment, number, setText } from "./dom.js";
import { choice, searchBox, Table, word } from "./controls.js";
import { asJson, happenings, keyOf, KINDS } from "./happenings.js";
import { hashFor } from "./route.js";
import { matches } from "./state.js";

const COPIED_MAX = 2000;

const columns = [
  { id: "at", label: "When", text: (e) => e.at, cell: (e) => el("time", { datetime: new Date(e.at).toISOString(), title: new Date(e.at).toString() }, moment(e.at)) },
  { id: "kind", label: "Kind", text: (e) => e.kind },
  { id: "name", label: "Of", text: (e) => e.name, cell: (e) => el("a", { href: hashFor(e.view, e.target), title: e.id }, word(e.name)) },
  { id: "cluster", label: "Cluster", text: (e) => e.cluster ?? "", cell: (e) => word(e.cluster ?? "–") },
  { id: "told", label: "Event", text: (e) => e.words, cell: (e) => el("span.words", { "data-bad": e.bad }, e.words) },
];

export class EventsView {
  constructor(state, older) {
    Object.assign(this, { state, history: older, title: "Events" });
    this.search = searchBox("Filter events, names, reasons");
    this.choices = el("div.choices");
    this.note = el("p.note", { "aria-live": "polite" });
    this.copy = el("button", { type: "button", click: () => this.copyJson() }, "Copy as JSON");
    this.older = older.button();
    this.below = el("div.below");
    this.table = new Table({ label: this.title, columns, sort: "at-down", key: keyOf, signature: keyOf, href: (e) => hashFor(e.view, e.target) });
    this.root = el("section.events-view", {}, el("h1.hidden", {}, this.title), el("div.tools", {}, this.search, this.choices, this.copy, this.older), this.note, this.table.root, this.below);
  }

  show(route) {
    this.route = route;
    this.search.show(route);
    this.table.show(route);
    this.filter = route.params.get("q") ?? "";
    this.kind = KINDS.includes(route.params.get("kind")) ? route.params.get("kind") : null;
    this.bad = route.params.get("only") === "bad";
    fill(this.choices, [choice(route, "kind", "Kind", [["", "all"], ...KINDS.map((kind) => [kind, kind])]), choice(route, "only", "Show", [["", "all"], ["bad", "bad ones"]])]);
  }

  update() {
    const all = happenings(this.state);
    this.shown = all.filter((e) => (this.kind === null || e.kind === this.kind) && (!this.bad || e.bad) && matches(this.filter, e.name, e.id, e.cluster, e.kind, e.words));
    this.table.root.hidden = this.shown.length === 0;
    fill(this.note, [this.shown.length < all.length ? `${number(this.shown.length)} of ${count(all.length, "event")}. ` : "", this.history.refused ?? ""]);
    this.table.update(this.shown);
    this.older.update();
    const kind = all.length === 0 ? "empty" : this.shown.length === 0 ? "nothing" : "table";
    const cluster = this.state.clusters[0]?.name ?? "default";
    keep(this.below, [kind], { key: (k) => k, signature: () => `${cluster} ${this.state.region}`, make: () => el("div"), draw: (node) => fill(node, [
      kind === "empty" ? el("p.empty", {}, "Nothing has happened yet.") : null,
      kind === "nothing" ? el("p.empty", {}, "No event matches this filter.") : null,
      kind === "table" ? el("details.cli", {}, el("summary", {}, "The same from the command line"),
        command(aws(this.state.region, "describe-services", "--cluster", cluster, "--services", "NAME", "--query", "services[].events")),
        command(aws(this.state.region, "list-tasks", "--cluster", cluster, "--desired-status", "STOPPED"))) : null,
    ]) });
  }

  async copyJson() {
    const text = asJson(this.shown.slice(0, COPIED_MAX));
    let said = "copied";
    try { await navigator.clipboard.writeText(text); } catch { said = copyByHand(text) ? "copied" : "can't copy here"; }
    setText(this.copy, said);
    setTimeout(() => setText(this.copy, "Copy as JSON"), 2000);
  }
}

/* The clipboard exists in secure contexts only. */
function copyByHand(text) {
  const box = el("textarea", { "aria-hidden": "true" });
  box.value = text;
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  return done;
}
