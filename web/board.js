/* board.js: every physical GPU is one cell, always in slot order, in the row of its machine. The colour is the task, the shape
 * is the state, and neighbours of one task are joined, so that a task with four GPUs is seen as one thing. A GPU that is shared
 * is filled as far as it is in use, a piece for each holder. Cells are ordinary elements: rows that did not change are not touched, and rows out of sight are not laid out. A fleet is
 * pictures (fleet.js). */
import { hideCard, showCard } from "./card.js";
import { age, aws, command, count, el, fill, keep, now, number, setText, shell, shortId, span } from "./dom.js";
import { choice, onlyMachine, searchBox } from "./controls.js";
import { FleetMap, Palette } from "./fleet.js";
import { fitsText, fitsTitle } from "./headroom.js";
import { clockText, DAY_MINUTES, momentText, readMoment } from "./past.js";
import { hashFor, hashWith, replaceRoute } from "./route.js";
import { beginsIsland, byWords, COLOURS, gpuState, heldCount, inBoardOrder, isMeant, isOut, matches, namesAlike, ownerOf, problem, tasksOf } from "./state.js";
import { fresh, percent, power, together } from "./use.js";

/* Cells shrink as the fleet grows, unless the address has a size. A fleet is cells alone, so that a thousand machines fit one screen: the card says which. */
const SIZES = [["large", 40], ["medium", 200], ["fleet", Infinity]];
const SIZE_NAMES = ["large", "medium", "small", "fleet"];
const SLOTS_IN_A_LINE = 16;
const COLUMNS_WHEN_NARROW = 8;
const MINUTE_MS = 60000;
const KEYS_MAX = 12;
const MEMORY_STEPS = 20;
const MAP = "canvas.map", GROUP_EDGES = 30;    /* a group's padding and border, left and right */

const shows = {
  all: () => true,
  free: (instance) => instance.gpus.some((gpu) => gpuState(instance, gpu) === "free"),
  problems: (instance) => problem(instance) !== null,
};

export class Board {
  /* live: the State of now; past: the boards of moments before. `state` is the one that is drawn. */
  constructor(live, headroom, past) {
    this.state = live;
    Object.assign(this, { live, headroom, past, at: null });
    this.slider = el("input", { type: "range", min: 0, max: DAY_MINUTES, step: 1, "aria-label": "Moment of the last 24 hours",
      input: () => this.goTo(Number(this.slider.value) === DAY_MINUTES ? null : Math.floor(now() / MINUTE_MS - DAY_MINUTES + Number(this.slider.value)) * MINUTE_MS) });
    this.clock = el("input", { type: "time", "aria-label": "Time of day", change: () => this.goTo(readMoment(this.clock.value || null)) });
    this.ago = el("span.ago");
    this.title = "GPU board";
    this.lit = null;
    this.pointed = null;
    this.search = searchBox("Filter machines, tasks, owners");
    this.choices = el("div.choices");
    /* On a narrow window the choices and the legend would take half of it. */
    this.more = el("button.unfold", { type: "button", "aria-expanded": "false", click: () => this.more.setAttribute("aria-expanded", this.more.parentElement.classList.toggle("open")) }, "Choices, legend");
    this.groups = el("div.groups", {
      pointerover: (event) => this.onPoint(event), pointerleave: () => this.light(null), focusin: (event) => this.onFocus(event),
      pointermove: (event) => { if (event.target.matches(MAP)) { this.onMap(event); } },
      focusout: () => this.light(null), keydown: (event) => this.onKey(event), click: (event) => this.onClick(event),
    });
    this.note = el("p.note", { "aria-live": "polite" });
    this.room = el("div.room");
    this.below = el("div.below");
    this.palette = new Palette();
    this.keys = el("p.keys", { "aria-label": "Colours" });
    this.root = el("section.board", { "aria-label": this.title }, el("h1.hidden", {}, this.title),
      el("div.tools", {}, this.search, this.more, this.choices, legend()), el("div.moment", {}, this.slider, this.clock, this.ago), this.palette.root, this.keys, this.room, this.note, this.groups, this.below);
  }

  /* The picture of a fleet is made for a width. */
  watchWidth() {
    if (this.width !== this.groups.clientWidth && this.fleet) { this.update(); }
  }

  /* comes: the board was not shown until now. */
  show(route, comes) {
    const before = this.place;
    this.route = route;
    this.search.show(route);
    this.filter = route.params.get("q") ?? "";
    this.task = route.params.get("task");
    this.by = Object.hasOwn(COLOURS, route.params.get("by")) ? route.params.get("by") : "task";
    const at = readMoment(route.params.get("at"));
    if (at !== this.at) { this.past.leave(); }
    this.at = at;
    this.only = Object.hasOwn(shows, route.params.get("show")) ? route.params.get("show") : "all";
    this.place = route.id ?? this.task;
    this.wantsPlace = this.place !== null && (comes || this.place !== before);
    this.lit = undefined;                    /* so that light() draws again */
    this.light(null);
    fill(this.choices, [
      choice(route, "show", "Show", [["", "all"], ["free", "with free GPUs"], ["problems", "with problems"]]),
      choice(route, "by", "Colours", [["", "tasks"], ["service", "services"], ["owner", "startedBy"]]),
      choice(route, "size", "Cells", [["", "auto"], ...SIZE_NAMES.map((name) => [name, name])]),
    ]);
  }

  /* Null: to the board of now. */
  goTo(at) { replaceRoute(hashWith(this.route, { at: at === null ? null : momentText(at) })); }
  move(minutes) {
    const at = (this.at ?? Math.floor(now() / MINUTE_MS) * MINUTE_MS) + minutes * MINUTE_MS;
    this.goTo(at < now() - MINUTE_MS ? Math.max(at, now() - DAY_MINUTES * MINUTE_MS) : null);
  }

  drawMoment(found) {
    const then = this.at !== null && found !== null;
    const value = this.at !== null ? DAY_MINUTES - Math.round((now() - this.at) / MINUTE_MS) : DAY_MINUTES;
    this.root.classList.toggle("then", then);
    document.body.classList.toggle("then", then);
    if (document.activeElement !== this.slider || this.at === null) { this.slider.value = value; }
    this.slider.setAttribute("aria-valuetext", this.at !== null ? momentText(this.at).replace("T", " ") : "now");
    if (document.activeElement !== this.clock) { this.clock.value = clockText(this.at ?? now()); }
    const shown = then ? [el("b", {}, `As it was at ${clockText(found.at)}`), `, ${span(now() - found.at)} ago. `, found.left > 0 ? `${count(found.left, "GPU")} could not be read in time. ` : ""] : "";
    const waits = this.past.refused ? `${this.past.refused} ` : found?.at !== this.at ? `Reading ${clockText(this.at)} … ` : "";
    fill(this.ago, this.at === null ? ["now"] : [shown, waits, el("a", { href: hashWith(this.route, { at: null }) }, "Back to now")]);
  }

  update() {
    const found = this.at === null ? null : this.past.at(this.at);
    this.state = found?.state ?? this.live;
    this.state.colourBy(this.by);
    this.drawMoment(found);
    const all = [...this.state.instances.values()];
    const shown = all.filter((instance) => isMeant(this.route.params, instance.id) && shows[this.only](instance) && this.found(instance));
    const size = this.route.params.get("size") || SIZES.find(([, most]) => shown.length <= most)[0];
    this.groups.className = `groups ${SIZE_NAMES.includes(size) ? size : "large"}${this.task ? " spot" : ""}`;
    this.large = this.groups.classList.contains("large");
    this.fleet = this.groups.classList.contains("fleet");
    this.width = this.groups.clientWidth;
    this.colours = this.fleet ? this.palette.read() : null;
    this.steps = this.large ? 50 : 10;
    this.root.classList.toggle("using", this.state.use.size > 0);
    const alike = new Map(groupsOf(all).map((group) => [group.key, namesAlike(group.instances.map(({ name }) => name))]));
    keep(this.groups, groupsOf(inBoardOrder(shown)), {
      key: (group) => group.key,
      signature: () => NaN,                  /* never equal: the rows decide for themselves */
      make: () => groupElement(),
      draw: (node, group) => this.drawGroup(node, group, alike.get(group.key)),
    });
    this.drawKeys(shown);
    this.drawAround(all.length, shown.length);
    this.keepOneTabStop();
    if (this.pointed?.isConnected) { this.point(this.pointed); }
    if (this.wantsPlace) { this.goToTask(); }
  }

  found(instance) {
    if (this.filter.trim() === "") { return true; }
    const tasks = new Set(instance.gpus.flatMap(tasksOf));
    const texts = [...tasks].flatMap((id) => {
      const task = this.state.tasks.get(id);
      return [id, task?.family, task?.startedBy, task?.group];
    });
    return matches(this.filter, instance.name, instance.type, instance.cluster, instance.id, problem(instance), ...texts);
  }

  /* ---- drawing ---- */

  /* Which colour is which service or owner, and its GPUs: the largest ones. A colour for each task needs no list. */
  drawKeys(shown) {
    const gpus = new Map();
    for (const { task, share } of this.by === "task" ? [] : shown.flatMap((instance) => instance.gpus.flatMap((gpu) => gpu.holders))) {
      const key = this.state.hueKey(task);
      gpus.set(key, { task, sum: (gpus.get(key)?.sum ?? 0) + share });
    }
    const sorted = [...gpus].sort(([a, x], [b, y]) => y.sum - x.sum || byWords(a, b)), left = sorted.length - KEYS_MAX;
    fill(this.keys, [sorted.slice(0, KEYS_MAX).map(([key, { task, sum }]) => el("span", {}, el(`i.swatch.h${this.state.hueOf(task)}`), ` ${key || "nobody named"} `, el("b", {}, number(sum)))),
      left > 0 ? el("span", {}, `${number(left)} more`) : null]);
  }

  drawAround(all, shown) {
    const { cut } = this.state;
    const task = this.task ? this.state.tasks.get(this.task) : null;
    const notes = [onlyMachine(this.state, this.route)];
    if (this.task) {
      notes.push(task ? ["Highlighted: ", el("a", { href: hashFor("board", this.task, this.route.params) }, `${task.family} · ${shortId(this.task)}`)] : `There is no task ${this.task} here:`, " ",
        el("a", { href: hashWith(this.route, { task: null }) }, "show all"), ". ");
    }
    if (shown < all) { notes.push(`${number(shown)} of ${count(all, "machine")} shown. `); }
    if (cut.instances > 0) { notes.push(`The server left out ${count(cut.instances, "machine")}: a page shows ${number(all)} at most. `); }
    if (cut.tasks > 0) { notes.push(`The oldest ${count(cut.tasks, "live task")} are not listed. `); }
    fill(this.note, notes);
    fill(this.room, this.state !== this.live ? [] : this.headroom.clusters.filter((cluster) => cluster.models.length > 0).map(roomLine));
    const kind = all === 0 ? "empty" : shown === 0 ? "nothing" : "board";
    if (this.below.dataset.kind === kind && this.below.region === this.state.region) { return; }
    this.below.dataset.kind = kind;
    this.root.classList.toggle("bare", kind === "empty");
    this.below.region = this.state.region;
    fill(this.below, [kind === "empty" ? noMachine() : kind === "nothing" ? el("p.empty", {}, "No machine matches this filter.") : this.commands()]);
  }

  commands() {
    const cluster = this.state.clusters[0]?.name ?? "default";
    return el("details.cli", {}, el("summary", {}, "The same from the command line"),
      command(aws(this.state.region, "list-container-instances", "--cluster", cluster)),
      command(aws(this.state.region, "list-tasks", "--cluster", cluster)));
  }

  /* Only cells whose figures have changed are touched, and no row is drawn again. */
  drawUse(row, instance) {
    const use = fresh(this.state.use.get(instance.id));
    if (row.use === use) { return; }
    row.use = use;
    instance.gpus.forEach((gpu, slot) => drawBusy(row.parts.cells.children[slot], gpu, fresh(use?.gpus.get(gpu.uuid)), this.steps));
  }

  drawGroup(node, group, alike) {
    const free = group.instances.reduce((sum, instance) => sum + instance.gpus.filter((gpu) => gpuState(instance, gpu) === "free").length, 0);
    const rows = group.instances.filter((instance) => instance.gpus.length > 0);
    const bare = group.instances.length - rows.length;
    const slots = Math.min(SLOTS_IN_A_LINE, rows.reduce((most, instance) => Math.max(most, instance.gpus.length), 0));
    const { title, facts, use, sim, map, list, without } = node.parts;
    setText(title, `${group.cluster} · ${group.type ?? "no type"}`);
    setText(facts, group.gpus > 0 ? `${count(group.instances.length, "machine")} · ${count(group.gpus, "GPU")} · ${number(free)} free` : count(bare, "machine"));
    const figures = together(rows.flatMap((instance) => instance.gpus.map((gpu) => this.state.gpuUse(instance.id, gpu.uuid))));
    setText(use, figures ? [figures.busy === null ? "" : `${percent(figures.busy)} busy`, power(figures.watts)].filter(Boolean).join(" · ") : "");
    const simulated = group.instances.filter((instance) => instance.simulated).length;
    const allSimulated = simulated === group.instances.length;
    setText(sim, allSimulated ? "simulated" : simulated > 0 ? `${number(simulated)} simulated` : "");
    list.hidden = this.fleet;
    map.root.hidden = !this.fleet || rows.length === 0;
    if (this.fleet) {
      fill(without, this.withoutGpus(group, bare));
      map.root.setAttribute("aria-label", `GPUs of ${title.textContent}: arrows go from one to the next`);
      map.draw({ rows, slots: Math.max(1, slots), state: this.state, palette: this.colours, isLit: (id) => this.isLit(id), spot: Boolean(this.task), width: this.width - GROUP_EDGES });
      return;
    }
    list.style.setProperty("--slots", slots);
    list.style.setProperty("--columns", Math.min(slots, COLUMNS_WHEN_NARROW));
    list.setAttribute("aria-label", `GPUs of ${title.textContent}`);
    keep(list, rows, {
      key: (instance) => instance.id,
      signature: (instance) => `${alike.head} ${alike.tail} ${this.rowSignature(instance, allSimulated)}`,
      make: rowElement,
      draw: (row, instance) => this.drawRow(row, instance, allSimulated, alike),
    });
    for (const instance of rows) { this.drawUse(list.kept.get(instance.id).node, instance); }
    fill(without, this.withoutGpus(group, bare));
  }

  withoutGpus(group, bare) {
    return bare === 0 ? [] : [el("a", { href: hashFor("instances", null, { q: `${group.cluster} ${group.type ?? ""}`.trim() }) }, `${count(bare, "machine")} without GPUs`)];
  }

  rowSignature(instance, allSimulated) {
    const tasks = instance.gpus.map((gpu) => `${gpu.uuid} ${gpu.fault?.reason ?? ""} ${gpu.holders.map(({ task, share }) => `${task} ${share} ${this.family(task)} ${this.state.hueOf(task)}`)}`);
    return `${instance.islands} ${this.at !== null && instance.gpus.map(({ unknown }) => unknown)} ${instance.name}\n${instance.status} ${instance.connected} ${instance.health} ${instance.changed} ${JSON.stringify(instance.findings ?? [])} ${instance.simulated && !allSimulated} ${this.large}\n${tasks.join("\n")}`;
  }

  drawRow(row, instance, allSimulated, alike) {
    const { name, cells, held, tasks } = row.parts;
    const trouble = problem(instance);
    row.use = undefined;
    row.className = `node${trouble ? ` ${trouble === "silent" || trouble === "impaired" ? trouble : "draining"}` : ""}`;
    fill(name, [el("a", { href: hashFor("machine", instance.id), title: trouble ? `${instance.name}: ${trouble}` : instance.name, tabindex: -1 }, nameParts(instance.name, alike))]);
    while (cells.children.length > instance.gpus.length) { cells.lastChild.remove(); }
    while (cells.children.length < instance.gpus.length) { cells.append(el("a.gpu", { role: "gridcell", tabindex: -1 })); }
    instance.gpus.forEach((gpu, slot) => this.drawCell(cells.children[slot], instance, gpu, slot));
    cells.style.setProperty("--apart", instance.gpus.filter((gpu, slot) => beginsIsland(instance, slot)).length);
    setText(held, `${heldCount(instance)}/${instance.gpus.length}`);
    fill(tasks, [
      trouble === "silent" ? el("span.tag.warn", {}, "silent", instance.changed ? age(instance.changed, { before: " for " }) : "") : null,
      trouble && trouble !== "silent" ? el("span.tag", { title: instance.healthReason ?? "" }, trouble) : null,
      this.large ? instance.gpus.map((gpu, slot) => isOut(gpu) && el("span.tag.warn.fault", {}, `GPU ${slot} ${gpu.fault.gone ? "gone" : "quarantined"}: ${gpu.fault.reason}`)) : null,
      this.large ? (instance.findings ?? []).map(({ check, text, remedy }) => el("span.tag.warn.found", { title: `${text}${remedy ? ` → ${remedy}` : ""}` }, `${check}: ${text}`)) : null,
      instance.simulated && !allSimulated ? el("span.tag.sim", {}, "simulated") : null,
      this.large ? this.chips(instance) : null,
    ]);
  }

  family(id) { return this.state.tasks.get(id)?.family ?? "task"; }

  chips(instance) {
    const counts = new Map();
    for (const { task, share } of instance.gpus.flatMap((gpu) => gpu.holders)) { counts.set(task, (counts.get(task) ?? 0) + share); }
    return [...counts].map(([id, gpus]) => el("a.chip", { href: hashFor("board", id), "data-task": id, tabindex: -1 },
      el(`i.swatch.h${this.state.hueOf(id)}`), el("span.family", {}, this.family(id)), el("span.id", {}, shortId(id)), number(gpus) === "1" ? "" : ` ×${number(gpus)}`));
  }

  drawCell(cell, instance, gpu, slot) {
    const kind = gpuState(instance, gpu);
    const tasks = tasksOf(gpu);
    const owner = ownerOf(gpu);
    const joins = (other) => instance.gpus[other] !== undefined && ownerOf(instance.gpus[other]) === owner;
    const look = owner !== null ? ` task h${this.state.hueOf(owner)}${joins(slot - 1) ? " left" : ""}${joins(slot + 1) ? " right" : ""}` : tasks.length > 0 ? " shared" : "";
    cell.className = `gpu ${kind}${look}${beginsIsland(instance, slot) ? " apart" : ""}${isOut(gpu) ? " out" : ""}${tasks.some((id) => this.isLit(id)) ? " lit" : ""}`;
    cell.spot = { instance: instance.id, slot };
    cell.setAttribute("aria-label", `GPU ${slot} of ${instance.name}: ${kind}${this.holdersInWords(gpu, owner)}${isOut(gpu) ? `, ${gpu.fault.gone ? "gone" : "out of the pool"}: ${gpu.fault.reason}` : ""}`);
    fill(cell, tasks.length > 0 && owner === null ? gpu.holders.map((holder) => this.piece(holder)) : [owner !== null ? shortId(owner) : kind === "unknown" ? "?" : null]);
    if (tasks.length === 0) {
      cell.removeAttribute("href");
      delete cell.dataset.task;
    } else {
      cell.href = hashFor("board", tasks[0]);
      cell.dataset.task = tasks.join(" ");
    }
  }

  holdersInWords(gpu, owner) {
    if (gpu.holders.length === 0) { return ""; }
    const named = (id) => `${this.family(id)}, task ${shortId(id)}`;
    if (owner !== null) { return `, ${named(owner)}`; }
    return `, ${number(gpu.used)} in use: ${gpu.holders.map(({ task, share }) => `${number(share)} by ${named(task)}`).join("; ")}`;
  }

  piece({ task, share }) {
    const node = el(`i.piece.h${this.state.hueOf(task)}`);
    node.style.width = `${100 * share}%`;
    return node;
  }

  /* The task under the pointer, in the address, or in the panel. */
  litTasks() { return [...(this.lit ?? "").split(" "), this.task, this.route.id].filter(Boolean); }
  isLit(id) { return this.litTasks().includes(id); }

  /* ---- pointing and keys ---- */

  onPoint(event) {
    if (event.target.matches(MAP)) { return; }
    const target = event.target.closest(".gpu, [data-task]");
    if (!target) { this.light(null); return; }
    this.pointed = null;
    this.light(target.dataset.task ?? null);
    if (!target.spot) { this.unpoint(); return; }
    this.point(target);
  }

  point(target) {
    const instance = this.state.instances.get(target.spot.instance);
    this.pointed = target;
    if (instance) { showCard(target, this.state, instance, target.spot.slot); }
  }

  /* ---- in a fleet ---- */

  onMap(event) {
    const map = event.target.map, spot = map.at(event.offsetX, event.offsetY);
    if (spot === null) { this.light(null); } else { this.pointAt(map, spot); }
    return spot;
  }

  pointAt(map, { row, slot, instance }) {
    const gpu = instance?.gpus[slot];
    if (!gpu) { return; }
    this.light(tasksOf(gpu).join(" ") || null);
    map.cursor = { row, slot };
    map.root.setAttribute("aria-label", `GPU ${slot} of ${instance.name}: ${gpuState(instance, gpu)}${this.holdersInWords(gpu, ownerOf(gpu))}`);
    showCard(map.anchor({ row, slot }), this.state, instance, slot);
  }

  openAt(spot) {
    const [task] = spot ? tasksOf(spot.instance.gpus[spot.slot]) : [];
    if (task) { location.hash = hashFor("board", task, this.route.params); }
  }

  drawMaps() { for (const { node } of this.groups.kept?.values() ?? []) { node.parts.map.redraw(); } }

  unpoint() {
    this.pointed = null;
    hideCard();
  }

  light(task) {
    if (task === null) { this.unpoint(); }
    if (task === this.lit) { return; }
    this.lit = task;
    if (this.fleet) { this.drawMaps(); return; }
    for (const cell of this.groups.querySelectorAll(".gpu.lit")) { cell.classList.remove("lit"); }
    for (const id of this.litTasks()) { for (const cell of this.groups.querySelectorAll(cellOf(id))) { cell.classList.add("lit"); } }
  }

  /* The panel of a task opens beside the current view. The browser handles clicks for another tab or window. */
  onClick(event) {
    if (event.target.matches(MAP)) {
      this.openAt(this.onMap(event));
      return;
    }
    const link = event.target.closest("a[data-task]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) { return; }
    event.preventDefault();
    this.unpoint();
    location.hash = hashFor("board", link.dataset.task.split(" ")[0], this.route.params);
  }

  /* The element that opened the panel of this task, to give it the focus again. */
  opener(id) { return this.fleet ? this.groups.querySelector(MAP) : this.stop?.matches(cellOf(id)) ? this.stop : this.groups.querySelector(cellOf(id)); }

  /* A board is one stop of the Tab key; arrows go from cell to cell. */
  keepOneTabStop() {
    if (!this.groups.contains(this.stop)) { this.stopAt(this.groups.querySelector(".gpu")); }
  }

  stopAt(cell) {
    this.stop?.setAttribute("tabindex", -1);
    this.stop = cell;
    cell?.setAttribute("tabindex", 0);
  }

  onFocus(event) {
    if (event.target.matches(MAP)) {
      const { map } = event.target, { row, slot } = map.cursor;
      this.pointAt(map, { row, slot, instance: map.rows[row] });
      return;
    }
    if (event.target.matches(".gpu")) { this.stopAt(event.target); }
    this.onPoint(event);
  }

  onKey(event) {
    const cell = event.target.closest(".gpu");
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (event.target.matches(MAP)) { this.onMapKey(event, step); }
    if (!cell || !step) { return; }
    event.preventDefault();
    const rows = [...this.groups.querySelectorAll(".cells")];
    const row = rows.indexOf(cell.parentElement) + step[0];
    const cells = rows[row]?.children;
    const next = cells?.[Math.min([...cell.parentElement.children].indexOf(cell) + step[1], step[0] === 0 ? Infinity : cells.length - 1)];
    next?.focus();
  }

  onMapKey(event, step) {
    const { map } = event.target;
    if (step) {
      event.preventDefault();
      this.pointAt(map, map.move(step[1], step[0]));
    } else if (event.key === "Enter") {
      this.openAt({ ...map.cursor, instance: map.rows[map.cursor.row] });
    }
  }

  goToTask() {
    this.wantsPlace = false;
    if (this.fleet) {
      const top = [...this.groups.kept.values()].map(({ node }) => node.parts.map.topOf(this.place)).find((found) => found !== null) ?? 0;
      if (top < 0 || top > innerHeight) { scrollBy(0, top - innerHeight / 2); }
      return;
    }
    const cell = this.groups.querySelector(cellOf(this.place));
    const { top, bottom } = cell?.getBoundingClientRect() ?? {};
    if (top < 0 || bottom > innerHeight) { cell.scrollIntoView({ block: "center" }); }
  }
}

/* GPUs that are better connected among themselves are drawn together, apart from the others of the machine. */

/* A bar whose length is the load of the GPU, and one at the right whose height is its used memory, in steps, so that invisible changes cost the browser
 * nothing. A free GPU has them only if it is busy anyway. One that is held idle is hatched. */
function drawBusy(cell, gpu, figures, steps) {
  const busy = figures?.busy ?? null;
  cell.classList.toggle("idle", (figures?.idle ?? null) !== null && gpu.holders.length > 0);
  const length = busy === null || (busy === 0 && gpu.holders.length === 0) ? null : String(Math.round(busy * steps) / steps);
  cell.classList.toggle("told", length !== null);
  setShare(cell, "--busy", length);
  setShare(cell, "--memory", length === null || !figures.total || figures.used === null ? null : String(Math.round(figures.used / figures.total * MEMORY_STEPS) / MEMORY_STEPS));
}

function setShare(cell, name, value) {
  if (cell.style.getPropertyValue(name) === (value ?? "")) { return; }
  if (value === null) { cell.style.removeProperty(name); } else { cell.style.setProperty(name, value); }
}

/* A shared cell names several tasks. */
function cellOf(task) { return `.gpu[data-task~="${CSS.escape(task)}"]`; }

/* The common part of a group's names is shortened first. */
function nameParts(name, { head, tail }) {
  const end = name.length - tail;
  return [el("span.alike", {}, name.slice(0, head)), el("span.own", {}, name.slice(head, end)), el("span.alike", {}, name.slice(end))];
}

/* In a cluster, machines without GPUs come last: this is a board of GPUs. */
function groupsOf(instances) {
  const groups = new Map();
  for (const instance of instances) {
    const key = `${instance.cluster}\n${instance.type ?? ""}`;
    if (!groups.has(key)) { groups.set(key, { key, cluster: instance.cluster, type: instance.type, gpus: 0, instances: [] }); }
    const group = groups.get(key);
    group.instances.push(instance);
    group.gpus += instance.gpus.length;
  }
  return [...groups.values()].sort((a, b) => byWords(a.cluster, b.cluster) || Number(a.gpus === 0) - Number(b.gpus === 0) || byWords(a.type, b.type));
}

function groupElement() {
  const parts = { title: el("span.name"), facts: el("span.facts"), use: el("span.facts.use"), sim: el("span.tag.sim"), map: new FleetMap(), list: el("div.rows", { role: "grid" }), without: el("p.without") };
  return Object.assign(el("section.group", {}, el("h2", {}, parts.title, parts.facts, parts.use, parts.sim), parts.map.root, parts.list, parts.without), { parts });
}

function rowElement() {
  const parts = { name: el("span.name", { role: "rowheader" }), cells: el("span.cells", { role: "presentation" }), held: el("span.count", { title: "held of all" }), tasks: el("span.tasks") };
  return Object.assign(el("div.node", { role: "row" }, parts.name, parts.cells, parts.held, parts.tasks), { parts });
}

/* By model only if they differ. */
function roomLine({ name, fits, models }) {
  const part = (label, list) => el("span", { title: fitsTitle(list) }, label, el("b", {}, fitsText(list)));
  return el("p", {}, part(`${name} fits now: `, fits), fits.some(({ tasks }) => tasks > 0) && " tasks×GPUs",
    models.length > 1 && models.map((model) => [" ", part(`${model.model ?? "other"} `, model.fits)]));
}

function legend() {
  const item = (cell, words, ...pieces) => el("span", {}, el(`i.gpu.${cell}`, { "aria-hidden": "true" }, pieces), words);
  const busy = item("held.task.h3.told", "how busy, memory");
  busy.classList.add("busy");
  return el("p.legend", { "aria-label": "Legend" }, item("held.task.h3", "held, a colour for each task or gang"), busy, item("held.shared", "shared", el("i.piece.h3.half")), item("held.task.h3.idle", "held idle"), item("free", "free"),
    item("draining", "draining"), item("quarantined.out", "quarantined"), item("unknown", "agent silent"));
}

function noMachine() {
  return el("div.empty", {}, el("h2", {}, "No machine has joined yet"),
    el("p", {}, "Run the agent on each machine with GPUs. It finds them and appears on this board within seconds."),
    command(shell("berth", "agent", "--join", location.origin)),
    el("p", {}, "No GPU machine? Simulated machines use the same protocol:"),
    command(shell("berth", "agent", "--fake", "p3.16xlarge:4", "--join", location.origin)),
    el("p", {}, "Agents sign their requests with the access key in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Create a key in the server's data folder:"),
    command(shell("berth", "keys", "create", "--role", "agent")));
}
