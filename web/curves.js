/* curves.js: how the use of a GPU went, as small curves. Series: lists of [at, busy, used, celsius, watts], the oldest first; null: not known. */
import { el, fill, mib, moment, span } from "./dom.js";
import { percent, power } from "./use.js";

const WIDE = 240, HIGH = 40, GAP_MS = 60000;
const KINDS = [
  { name: "busy", at: 1, top: () => 1, words: percent },
  { name: "memory", at: 2, top: (values, total) => total || Math.max(...values), words: (value) => mib(Math.round(value)) },
  { name: "temperature", at: 3, top: (values) => Math.max(100, ...values), words: (value) => `${Math.round(value)} °C` },
  { name: "power", at: 4, top: (values) => Math.max(...values, 1), words: power },
];

function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value); }
  node.append(...children);
  return node;
}

/* The points of the lines of one figure, 0 to WIDE and HIGH to 0; a line ends where samples are missing for a minute. */
export function linesOf(series, at, top) {
  const [first, last] = [series[0][0], series.at(-1)[0]];
  const lines = [];
  let before = -Infinity;
  for (const point of series) {
    if (point[at] === null) { continue; }
    if (point[0] - before > GAP_MS) { lines.push([]); }
    before = point[0];
    lines.at(-1).push(`${(last > first ? (point[0] - first) / (last - first) * WIDE : WIDE).toFixed(1)},${(HIGH - point[at] / top * HIGH).toFixed(1)}`);
  }
  return lines.filter((line) => line.length > 1);
}

/* Nothing is drawn of one moment, and of a figure that is not known. */
export function curves(series, total) {
  if (!series || series.length < 2) { return null; }
  const drawn = KINDS.flatMap(({ name, at, top, words }) => {
    const values = series.map((point) => point[at]).filter((value) => value !== null);
    if (values.length < 2) { return []; }
    const picture = svg("svg", { viewBox: `0 -2 ${WIDE} ${HIGH + 4}`, role: "img", preserveAspectRatio: "none", "aria-label": `${name}: now ${words(values.at(-1))}, at most ${words(Math.max(...values))}` });
    for (const line of linesOf(series, at, top(values, total))) { picture.append(svg("polyline", { points: line.join(" ") })); }
    return [el("div.curve", {}, el("span", {}, name), el("b", {}, words(values.at(-1))), picture, el("span.soft", {}, `at most ${words(Math.max(...values))}`))];
  });
  const [from, to] = [series[0][0], series.at(-1)[0]];
  return el("div.curves", {}, drawn, el("p.soft", {}, `${moment(from)} to ${moment(to)}, ${span(to - from)}`));
}

export function fillCurves(node, series, total) {
  const mark = series ? `${series.length} ${series.at(-1)?.[0]}` : "";
  if (node.mark === mark) { return; }
  node.mark = mark;
  fill(node, [curves(series, total)]);
}
