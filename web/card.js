/* card.js: what floats beside a cell: who holds this GPU, since when, and which GPU it is. */
import { age, el, fill, mib, shortId } from "./dom.js";
import { gpuState, hue } from "./state.js";

const card = document.getElementById("card");
const GAP = 10;

const stateWords = {
  held: "held", free: "free", draining: "free, but its machine takes no new tasks", unknown: "unknown: the agent is silent",
};

export function hideCard() { card.hidden = true; }

export function showCard(cell, state, instance, slot) {
  const gpu = instance.gpus[slot];
  if (!gpu) { hideCard(); return; }
  const task = gpu.task === null ? null : state.tasks.get(gpu.task);
  const rows = [
    ["task", gpu.task && el("span.mono", {}, gpu.task)],
    ["container", gpu.container],
    ["group", task?.group],
    ["started by", task?.startedBy],
    ["status", task?.lastStatus],
    ["since", task && age(task.started ?? task.created)],
    ["GPUs", task && task.gpus > 1 ? `${task.gpus}` : null],
    ["machine", `${instance.name}, slot ${slot}`],
    ["GPU", el("span.mono", {}, gpu.uuid)],
    ["model", [gpu.model, gpu.memory > 0 ? mib(gpu.memory) : null].filter(Boolean).join(", ")],
    ["simulated", instance.simulated ? "yes: no such hardware" : null],
  ].filter(([, value]) => value);
  const kind = gpuState(instance, gpu);
  fill(card, [
    el("p.head", {}, gpu.task ? el(`i.swatch.h${hue(gpu.task)}`) : null,
      el("b", {}, gpu.task ? task?.family ?? `task ${shortId(gpu.task)}` : "no task"), el("span.kind", {}, stateWords[kind])),
    el("dl", {}, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
  ]);
  card.hidden = false;
  place(cell.getBoundingClientRect());
  cell.setAttribute("aria-describedby", "card");
}

/* Below the cell, above it where there is no room, and never outside of the window. */
function place(cell) {
  const { offsetWidth: width, offsetHeight: height } = card;
  const edge = document.documentElement;
  const below = cell.bottom + GAP + height <= edge.clientHeight;
  card.style.left = `${Math.max(GAP, Math.min(cell.left, edge.clientWidth - width - GAP))}px`;
  card.style.top = `${below ? cell.bottom + GAP : Math.max(GAP, cell.top - GAP - height)}px`;
}
