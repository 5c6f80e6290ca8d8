/* fleet.js: a group of many machines as one picture: each GPU five by seven points, in slot order, the machines in the board's order, from left to right. The colour is
 * the task's, filled as high as the GPU is busy. Thousands of elements would take a second to draw again, a picture takes milliseconds. */
import { el } from "./dom.js";
import { beginsIsland, gpuState, isOut, ownerOf, tasksOf } from "./state.js";
import { fresh } from "./use.js";
import { HUES } from "./colours.js";

const WIDE = 5, HIGH = 7, BESIDE = 4, BELOW = 2;      /* a cell; between machines */
const BUSY = 0.4, FAINT = 0.25;

/* The colours of the theme, as the browser has them now. */
export class Palette {
  constructor() {
    this.names = ["free", "edge", "unknown", "draining", "out", "ink", "lit", ...Array.from({ length: HUES }, (_, n) => `h${n}`)];
    this.root = el("span.palette", { "aria-hidden": "true" }, this.names.map((name) => el(`i.${name}`)));
  }
  read() { return new Map(this.names.map((name, n) => [name, getComputedStyle(this.root.children[n]).backgroundColor])); }
}

export class FleetMap {
  constructor() {
    this.root = Object.assign(el("canvas.map", { tabindex: 0, role: "img" }), { map: this });
    this.last = null;                        /* the arguments of the last drawing */
    this.rows = [];
    this.cursor = { row: 0, slot: 0 };
  }

  /* Where things are, for a picture of this width. */
  place(width, slots) {
    const lines = Math.max(1, ...this.rows.map(({ gpus }) => Math.ceil(gpus.length / slots)));
    const step = { x: slots * WIDE + BESIDE, y: lines * HIGH + BELOW };
    const across = Math.max(1, Math.floor((width + BESIDE) / step.x));
    Object.assign(this, { slots, step, across, width, height: Math.ceil(this.rows.length / across) * step.y });
  }

  corner(row, slot) {
    return { x: (row % this.across) * this.step.x + (slot % this.slots) * WIDE, y: Math.floor(row / this.across) * this.step.y + Math.floor(slot / this.slots) * HIGH };
  }

  /* The cell at a point of the picture, or null. */
  at(x, y) {
    const column = Math.floor(x / this.step.x), row = Math.floor(y / this.step.y) * this.across + column;
    const slot = Math.floor((y % this.step.y) / HIGH) * this.slots + Math.floor((x % this.step.x) / WIDE);
    const inside = x >= 0 && y >= 0 && column < this.across && x % this.step.x < this.slots * WIDE && slot < (this.rows[row]?.gpus.length ?? 0);
    return inside ? { row, slot, instance: this.rows[row] } : null;
  }

  /* How far from the top of the window the task's first cell is; null: it is not here. */
  topOf(task) {
    const row = this.rows.findIndex(({ gpus }) => gpus.some((gpu) => tasksOf(gpu).includes(task)));
    return row < 0 ? null : this.root.getBoundingClientRect().top + this.corner(row, 0).y;
  }

  /* In place of the element of a cell, for the card beside it. */
  anchor({ row, slot }) {
    const { left, top } = this.root.getBoundingClientRect(), { x, y } = this.corner(row, slot);
    return { getBoundingClientRect: () => new DOMRect(left + x, top + y, WIDE, HIGH), setAttribute() {} };
  }

  /* The cell that the keys are at, moved by this number of cells and lines, within the rows. */
  move(across, down) {
    const row = Math.max(0, Math.min(this.cursor.row + down * this.across, this.rows.length - 1));
    const last = (this.rows[row]?.gpus.length ?? 1) - 1, slot = this.cursor.slot + across;
    if (slot > last && row + 1 < this.rows.length) { this.cursor = { row: row + 1, slot: 0 }; } else if (slot < 0 && row > 0) { this.cursor = { row: row - 1, slot: this.rows[row - 1].gpus.length - 1 };
    } else { this.cursor = { row, slot: Math.max(0, Math.min(slot, last)) }; }
    return { ...this.cursor, instance: this.rows[this.cursor.row] };
  }

  redraw() { if (this.last) { this.draw(this.last); } }

  draw(given) {
    const { rows, slots, state, palette, isLit, spot, width } = given;
    this.last = given;
    this.rows = rows;
    this.place(width, slots);
    const scale = devicePixelRatio || 1, pen = this.root.getContext("2d");
    this.root.width = Math.round(this.width * scale);
    this.root.height = Math.round(this.height * scale);
    this.root.style.width = `${this.width}px`;
    this.root.style.height = `${this.height}px`;
    pen.scale(scale, scale);
    rows.forEach((instance, row) => {
      const use = fresh(state.use.get(instance.id));
      instance.gpus.forEach((gpu, slot) => this.drawCell(pen, palette, { instance, gpu, slot, at: this.corner(row, slot), figures: fresh(use?.gpus.get(gpu.uuid)), state, isLit, spot }));
    });
  }

  drawCell(pen, palette, { instance, gpu, slot, at: { x, y }, figures, state, isLit, spot }) {
    const kind = gpuState(instance, gpu), tasks = tasksOf(gpu), lit = tasks.some(isLit), owner = ownerOf(gpu);
    const paint = (name, left, top, wide, high) => { pen.fillStyle = palette.get(name); pen.fillRect(left, top, wide, high); };
    const joins = owner !== null && slot % this.slots !== this.slots - 1 && instance.gpus[slot + 1] !== undefined && ownerOf(instance.gpus[slot + 1]) === owner;
    const wide = joins ? WIDE : WIDE - 0.5;
    pen.globalAlpha = spot && !lit ? FAINT : 1;
    paint("edge", x, y, wide, HIGH - 0.5);
    if (isOut(gpu)) { paint("out", x, y, wide, HIGH - 0.5); } else if (tasks.length === 0) { paint(kind, x + 0.5, y + 0.5, WIDE - 1.5, HIGH - 1.5); }
    let left = x;
    for (const { task, share } of gpu.holders) {
      paint(`h${state.hueOf(task)}`, left, y, share * wide, HIGH - 0.5);
      left += share * wide;
    }
    if (kind === "unknown" && tasks.length > 0) {
      pen.globalAlpha *= 0.6;
      paint("unknown", x, y, wide, HIGH - 0.5);
    }
    if (figures?.busy > 0) {
      pen.globalAlpha = (spot && !lit ? FAINT : 1) * BUSY;
      paint("ink", x, y + (HIGH - 0.5) * (1 - figures.busy), wide, (HIGH - 0.5) * figures.busy);
    }
    pen.globalAlpha = 1;
    if (figures && figures.idle !== null && gpu.holders.length > 0) {
      pen.strokeStyle = palette.get("free");
      pen.beginPath();
      pen.moveTo(x, y + HIGH - 0.5);
      pen.lineTo(x + wide, y);
      pen.stroke();
    }
    if (lit) {
      pen.strokeStyle = palette.get("lit");
      pen.strokeRect(x, y, wide, HIGH - 0.5);
    }
    if (slot % this.slots > 0 && beginsIsland(instance, slot)) { pen.clearRect(x - 0.5, y, 1.5, HIGH); }
  }
}
