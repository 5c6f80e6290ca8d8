/* metric.js: the words for a figure of a GPU, whose unit is in its name. Refuses to know the page. */
import { mib, number } from "./dom.js";

const MIB = 1048576;
const units = [
  [/BytesPerSecond$/, (value) => `${mib(Math.round(value / MIB))}/s`], [/Bytes$/, (value) => mib(Math.round(value / MIB))], [/Celsius$/, (value) => `${Math.round(value)} °C`],
  [/Watts$/, (value) => `${Math.round(value)} W`], [/Hertz$/, (value) => `${Math.round(value / 1e6)} MHz`], [/Joules$/, (value) => `${number(Math.round(value))} J`], [/Ratio$/, percent],
];

function percent(value) { return `${Math.round(100 * value)} %`; }

/* ["memory used", "3 MiB"] of "memoryUsedBytes". */
export function metric(name, value) {
  const [unit, write] = /tilization$/.test(name) ? [/$/, percent] : units.find(([pattern]) => pattern.test(name)) ?? [/$/, (plain) => number(Math.round(100 * plain) / 100)];
  return [name.replace(unit, "").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`), write(value)];
}
