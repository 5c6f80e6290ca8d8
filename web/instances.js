/* instances.js: one row for each machine. */
import { age, aws, command, cores, count, el, fill, keep, live, mibOf, number, shell } from "./dom.js";
import { choice, onlyMachine, searchBox, Table, word } from "./controls.js";
import { leftText } from "./machine_panel.js";
import { hashFor } from "./route.js";
import { heldCount, isMeant, isOut, matches, problem } from "./state.js";
import { percent, restText, together } from "./use.js";

const shows = { all: () => true, problems: (instance) => problem(instance) !== null, gpu: (instance) => instance.gpus.length > 0 };

/* Free of total, as words, and the used part as a bar. */
function meter(free, total, words) {
  const bar = el("span.meter", { "aria-hidden": "true" }, el("i"));
  bar.firstChild.style.width = `${total > 0 ? 100 * (total - free) / total : 0}%`;
  return [el("span.of", {}, words), bar];
}

function models(instance) { return [...new Set(instance.gpus.map((gpu) => gpu.model).filter(Boolean))].join(", "); }

/* The findings of its agent, and the GPUs out of the pool; nothing if all is well. */
function troubles(instance) {
  const out = instance.gpus.flatMap((gpu, slot) => (isOut(gpu) ? [el("li", {}, el("b", {}, `GPU ${slot} ${gpu.fault.gone ? "gone" : "quarantined"}`), `: ${gpu.fault.reason}${gpu.fault.by ? ` (${gpu.fault.by})` : ""}`)] : []));
  const found = (instance.findings ?? []).map(({ check, text, remedy }) => el("li", {}, el("b", {}, check), `: ${text}${remedy ? ` → ${remedy}` : ""}`));
  return out.length + found.length > 0 ? el("ul.findings", {}, found, out) : null;
}

function useOf(state, instance) { return together(instance.gpus.map((gpu) => state.gpuUse(instance.id, gpu.uuid))); }

/* The load of its GPUs, also as a bar, and their other figures together. */
function useCell(state, instance) {
  return live("span.use", (node) => {
    const figures = useOf(state, instance);
    const at = state.use.get(instance.id)?.at;
    if (!figures) { fill(node, [instance.gpus.length > 0 && at ? age(at, { before: "last told ", after: " ago" }) : "–"]); return; }
    fill(node, [figures.busy !== null && meter(1 - figures.busy, 1, `${percent(figures.busy)} busy`), el("span.rest", {}, restText(figures))]);
  });
}

const columnsFor = (state, hrefOf) => [
  { id: "name", label: "Name", text: (i) => i.name, cell: (i) => [
    el("a", { href: hrefOf(i), title: i.arn }, word(i.name)),
    i.simulated ? [" ", el("span.tag.sim", {}, "simulated")] : null] },
  { id: "cluster", label: "Cluster", text: (i) => i.cluster, cell: (i) => word(i.cluster) },
  { id: "type", label: "Type", text: (i) => i.type ?? "", cell: (i) => word(i.type ?? "–") },
  { id: "status", label: "Status", text: (i) => i.status, cell: (i) => [el("span.badge", { "data-state": i.status === "ACTIVE" ? "good" : "wait" }, i.status),
    state.drainOf(i) ? el("span.drain", {}, leftText(state.drainOf(i))) : null, troubles(i)] },
  { id: "connected", label: "Agent", text: (i) => (i.connected ? "connected" : "silent"), cell: (i) => [
    el("span.badge", { "data-state": i.connected ? "good" : "bad" }, i.connected ? "connected" : "silent"),
    !i.connected && i.changed ? age(i.changed, { before: " for " }) : null] },
  { id: "cpu", label: "CPU free", number: true, text: (i) => i.cpuFree, cell: (i) => meter(i.cpuFree, i.cpu, `${cores(i.cpuFree)} of ${cores(i.cpu)}`) },
  { id: "memory", label: "Memory free", number: true, text: (i) => i.memoryFree, cell: (i) => meter(i.memoryFree, i.memory, mibOf(i.memoryFree, i.memory)) },
  { id: "gpus", label: "GPUs held", number: true, text: heldCount, cell: (i) => (i.gpus.length === 0 ? "–"
    : [el("span.of", { title: models(i) }, `${heldCount(i)} of ${i.gpus.length}`), el("span.dots", { "aria-hidden": "true" }, i.gpus.map((gpu) => el(gpu.holders.length === 0 ? "i" : gpu.used < 1 ? "i.on.some" : "i.on")))]) },
  { id: "use", label: "GPU use", number: true, text: (i) => useOf(state, i)?.busy ?? -1, cell: (i) => useCell(state, i) },
  { id: "tasks", label: "Tasks", number: true, text: (i) => i.running + i.pending, cell: (i) => el("a", { href: hashFor("tasks", null, { machine: i.id }) },
    number(i.running), i.pending > 0 ? ` + ${i.pending} pending` : "") },
  { id: "version", label: "Version", text: (i) => i.agentVersion ?? "", cell: (i) => word(i.agentVersion ?? "–") },
];

export function instancesView(state) {
  const title = "Instances";
  const hrefOf = (instance) => hashFor("instances", instance.id, at.params);
  const search = searchBox("Filter names, types, clusters");
  const choices = el("div.choices");
  const note = el("p.note", { "aria-live": "polite" });
  const below = el("div.below");
  const table = new Table({ label: title, columns: columnsFor(state, hrefOf), sort: "name", key: (i) => i.id, href: hrefOf, current: () => at.id,
    signature: (i) => JSON.stringify([i, state.drainOf(i), String(at.params)]) });
  const root = el("section.instances", {}, el("h1.hidden", {}, title), el("div.tools", {}, search, choices), note, table.root, below);
  let filter = "";
  let at = null;
  let only = "all";
  const show = (route) => {
    at = route;
    search.show(route);
    table.show(route);
    filter = route.params.get("q") ?? "";
    only = Object.hasOwn(shows, route.params.get("show")) ? route.params.get("show") : "all";
    fill(choices, [choice(route, "show", "Show", [["", "all"], ["gpu", "with GPUs"], ["problems", "with problems"]])]);
  };
  const update = () => {
    const all = [...state.instances.values()];
    const shown = all.filter((i) => isMeant(at.params, i.id) && shows[only](i) && matches(filter, i.name, i.type, i.cluster, i.id, i.status, i.agentVersion, models(i)));
    table.root.hidden = shown.length === 0;
    fill(note, [onlyMachine(state, at), shown.length < all.length ? `${number(shown.length)} of ${count(all.length, "instance")}.` : "",
      state.cut.instances > 0 ? ` The server left out ${count(state.cut.instances, "more", "more")}.` : ""]);
    table.update(shown);
    drawBelow(below, state, all.length === 0 ? "empty" : shown.length === 0 ? "nothing" : "table");
  };
  const opener = (id) => root.querySelector(`td.name a[href="${CSS.escape(hashFor("instances", id, at.params))}"]`);
  return { root, title, show, update, opener };
}

function drawBelow(below, state, kind) {
  const cluster = state.clusters[0]?.name ?? "default";
  keep(below, [kind], { key: (k) => k, signature: () => `${cluster} ${state.region}`, make: () => el("div"), draw: (node) => fill(node, [
    kind === "empty" ? el("div.empty", {}, el("h2", {}, "No machine has joined yet"), el("p", {}, "Run the agent on a machine with GPUs:"),
      command(shell("berth", "agent", "--join", location.origin))) : null,
    kind === "nothing" ? el("p.empty", {}, "No instance matches this filter.") : null,
    kind === "table" ? el("details.cli", {}, el("summary", {}, "The same from the command line"),
      command(aws(state.region, "list-container-instances", "--cluster", cluster)),
      command(aws(state.region, "describe-container-instances", "--cluster", cluster, "--container-instances", firstId(state, cluster)))) : null,
  ]) });
}

function firstId(state, cluster) {
  return [...state.instances.values()].find((i) => i.cluster === cluster)?.id ?? "ID";
}
