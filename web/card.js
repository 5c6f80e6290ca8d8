/* card.js: the card beside a cell: the tasks that hold this GPU or shares of it, since when, and which GPU it is. */
import { age, count, el, fill, mib, number, shortId } from "./dom.js";
import { gpuState, isOut, ownerOf, pullText, tasksOf } from "./state.js";
import { gpuText, orOld } from "./use.js";

const card = document.getElementById("card");
const GAP = 10;

const stateWords = {
  held: "held", free: "free", draining: "free, but its machine takes no new tasks", unknown: "unknown: the agent is silent",
  quarantined: "in quarantine: no task gets it",
};

export function hideCard() { card.hidden = true; }

export function showCard(cell, state, instance, slot) {
  const gpu = instance.gpus[slot];
  if (!gpu) { hideCard(); return; }
  const owner = ownerOf(gpu);
  const holders = gpu.holders.map((holder) => ({ ...holder, known: state.tasks.get(holder.task) }));
  const pull = holders[0]?.known && state.pullOf(holders[0].known);
  const rows = [
    ...(owner !== null ? [...ownerRows(holders[0]), ["image", pull && pullText(pull)]] : holders.map((holder) => [number(holder.share), sharer(holder, state)])),
    ["machine", `${instance.name}, slot ${slot}`],
    ["GPU", el("span.mono", {}, gpu.uuid)],
    ["model", [gpu.model, gpu.memory > 0 ? mib(gpu.memory) : null, gpu.profile && `MIG ${gpu.profile}`].filter(Boolean).join(", ")],
    ["use", orOld(state.gpuUse(instance.id, gpu.uuid), gpuText) ?? "not told"],
    ...(isOut(gpu) ? faultRows(gpu.fault) : []),
    ...(instance.findings ?? []).map(({ check, text }) => [check, text]),
    ["simulated", instance.simulated ? "yes: no such hardware" : null],
  ].filter(([, value]) => value);
  const kind = gpuState(instance, gpu);
  const title = owner !== null ? holders[0].known?.family ?? `task ${shortId(owner)}` : holders.length > 0 ? count(tasksOf(gpu).length, "task") : "no task";
  fill(card, [
    el("p.head", {}, owner !== null ? el(`i.swatch.h${state.hueOf(owner)}`) : null, el("b", {}, title),
      el("span.kind", {}, stateWords[kind], kind === "held" && owner === null ? `, ${number(gpu.used)} of it` : "")),
    el("dl", {}, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
  ]);
  card.hidden = false;
  place(cell.getBoundingClientRect());
  cell.setAttribute("aria-describedby", "card");
}

function ownerRows({ task, container, known }) {
  return [
    ["task", el("span.mono", {}, task)],
    ["container", container],
    ["group", known?.group],
    ["started by", known?.startedBy],
    ["status", known?.lastStatus],
    ["since", (known?.started ?? known?.created) && age(known.started ?? known.created)],
    ["GPUs", known && known.gpus > 1 ? number(known.gpus) : null],
  ];
}

function faultRows({ reason, by, since, gone }) {
  return [
    [gone ? "gone" : "quarantine", reason],
    ["by", by ?? "its agent"],
    ["for", since && age(since)],
  ];
}

function sharer({ task, container, known }, state) {
  return [el(`i.swatch.h${state.hueOf(task)}`), ` ${known?.family ?? "task"} · ${shortId(task)} · ${container}`, known?.startedBy ? ` · ${known.startedBy}` : ""];
}

/* Below the cell, or above it if there is no room, and never outside the window. */
function place(cell) {
  const { offsetWidth: width, offsetHeight: height } = card;
  const edge = document.documentElement;
  const below = cell.bottom + GAP + height <= edge.clientHeight;
  card.style.left = `${Math.max(GAP, Math.min(cell.left, edge.clientWidth - width - GAP))}px`;
  card.style.top = `${below ? cell.bottom + GAP : Math.max(GAP, cell.top - GAP - height)}px`;
}
