/* services.js: the list of services. The words for one service's deployments are here too, its panel uses them. */
import { age, aws, command, count, el, fill, keep, number, shell } from "./dom.js";
import { choice, searchBox, Table, word } from "./controls.js";
import { hashFor } from "./route.js";
import { isRolling, isTroubled, matches, share } from "./state.js";

const shows = { all: () => true, rolling: isRolling, problems: isTroubled };
const STATES = {
  COMPLETED: "good", SUCCESSFUL: "good", PENDING: "wait", IN_PROGRESS: "wait", STOP_REQUESTED: "wait", STOPPED: "off", FAILED: "bad",
  ROLLBACK_REQUESTED: "bad", ROLLBACK_IN_PROGRESS: "bad", ROLLBACK_SUCCESSFUL: "bad", ROLLBACK_FAILED: "bad",
};

/* "ROLLBACK_IN_PROGRESS" is shown as "rollback in progress". */
export function rolloutBadge(status) {
  return el("span.badge", { "data-state": STATES[status] ?? "off" }, status.replaceAll("_", " ").toLowerCase());
}

export function statusBadge({ status }) { return el("span.badge", { "data-state": status === "ACTIVE" ? "good" : "wait" }, status); }

/* Running of desired tasks in words, and as a bar. */
export function progress({ desired, running, pending }) {
  const part = share({ desired, running });
  const bar = el("span.meter", { role: "progressbar", "aria-valuenow": part, "aria-valuemin": 0, "aria-valuemax": 100, "aria-label": "Running of desired tasks" }, el("i"));
  bar.firstChild.style.width = `${part}%`;
  return [el("span.of", {}, `${number(running)} of ${number(desired)} running`, pending > 0 ? ` · ${number(pending)} pending` : ""), bar];
}

function columnsFor(view) {
  const newest = (s) => s.deployments[0];
  const event = (s) => s.events[0];
  return [
    { id: "name", label: "Service", text: (s) => s.name, cell: (s) => [el("a", { href: view.hrefOf(s), title: s.arn }, word(s.name)),
      s.status === "ACTIVE" ? null : [" ", statusBadge(s)]] },
    { id: "cluster", label: "Cluster", text: (s) => s.cluster, cell: (s) => word(s.cluster) },
    { id: "definition", label: "Definition", text: (s) => s.taskDefinition ?? "", cell: (s) => word(s.taskDefinition ?? "–") },
    { id: "count", label: "Desired / running / pending", number: true, text: (s) => s.running, cell: (s) => el("a", { href: tasksHref(s) },
      `${number(s.desired)} / ${number(s.running)} / ${number(s.pending)}`) },
    { id: "newest", label: "Newest deployment", number: true, text: (s) => (newest(s) ? share(newest(s)) : -1), cell: (s) => (newest(s) ? progress(newest(s)) : "–") },
    { id: "rollout", label: "Rollout", text: (s) => s.rollout?.status ?? "", cell: (s) => (s.rollout ? rolloutBadge(s.rollout.status) : "–") },
    { id: "event", label: "Last event", text: (s) => event(s)?.at ?? 0, cell: (s) => event(s) && el("span.words", {}, event(s).message, " ", age(event(s).at, { before: "· ", after: " ago" })) },
  ];
}

export class ServicesView {
  constructor(state) {
    this.state = state;
    this.title = "Services";
    this.search = searchBox("Filter services, clusters, definitions");
    this.choices = el("div.choices");
    this.note = el("p.note", { "aria-live": "polite" });
    this.below = el("div.below");
    this.table = new Table({
      label: this.title, columns: columnsFor(this), sort: "name", key: (s) => s.id, href: (s) => this.hrefOf(s), current: () => this.route.id,
      signature: (s) => `${JSON.stringify(s)} ${this.route.params}`,
    });
    this.root = el("section.services", {}, el("h1.hidden", {}, this.title), el("div.tools", {}, this.search, this.choices), this.note, this.table.root, this.below);
  }

  hrefOf(service) { return hashFor("services", service.id, this.route.params); }

  /* The element that opened the panel of this service, to give it the focus again. */
  opener(id) { return this.root.querySelector(`td.name a[href="${CSS.escape(hashFor("services", id, this.route.params))}"]`); }

  show(route) {
    this.route = route;
    this.search.show(route);
    this.table.show(route);
    this.filter = route.params.get("q") ?? "";
    this.only = Object.hasOwn(shows, route.params.get("show")) ? route.params.get("show") : "all";
    fill(this.choices, [choice(route, "show", "Show", [["", "all"], ["rolling", "with a rollout"], ["problems", "with problems"]])]);
  }

  update() {
    const all = [...this.state.services.values()];
    const shown = all.filter((s) => shows[this.only](s) && this.found(s));
    const { cut } = this.state;
    this.table.root.hidden = shown.length === 0;
    fill(this.note, [shown.length < all.length ? `${number(shown.length)} of ${count(all.length, "service")}. ` : "",
      cut.services > 0 ? `The server left out ${count(cut.services, "service")}.` : ""]);
    this.table.update(shown);
    this.drawBelow(all.length === 0 ? "empty" : shown.length === 0 ? "nothing" : "table");
  }

  found(service) {
    return this.filter.trim() === "" || matches(this.filter, service.name, service.cluster, service.taskDefinition, service.status, service.rollout?.status, service.scheduling);
  }

  drawBelow(kind) {
    const { region } = this.state;
    const cluster = this.state.services.values().next().value?.cluster ?? "default";
    keep(this.below, [kind], { key: (k) => k, signature: () => `${cluster} ${region}`, make: () => el("div"), draw: (node) => fill(node, [
      kind === "empty" ? el("p.empty", {}, "There are no services.") : null,
      kind === "nothing" ? el("p.empty", {}, "No service matches this filter.") : null,
      kind === "table" ? el("details.cli", {}, el("summary", {}, "The same from the command line"),
        command(aws(region, "list-services", "--cluster", cluster)),
        command(shell("berth", "services", "--cluster", cluster, "--server", location.origin))) : null,
    ]) });
  }
}

export function tasksHref(service) { return hashFor("tasks", null, { q: `service:${service.name} ${service.cluster}` }); }
