/* use.js: the machines' resource use, as in the stream (server/figures/samples.h), and its texts. A figure older than a minute
 * is marked as old, and is not counted. Figures that an agent does not know are null. */
import { age, mib, mibOf, now } from "./dom.js";

const OLD_MS = 60000;

export function readUse({ at, gpus, containers }) {
  return {
    at,
    gpus: new Map(gpus.map(([uuid, before, busy, used, total, celsius, watts, idle]) => [uuid, { at: at - before, busy, used, total, celsius, watts, idle: idle ?? null }])),
    containers: containers.map(([task, name, before, cores, memory, received, sent, read, written]) => (
      { task, name, at: at - before, cores, memory, received, sent, read, written })),
  };
}

export function isOld({ at }) { return now() - at > OLD_MS; }
export function fresh(figures) { return figures && !isOld(figures) ? figures : null; }

/* Several GPUs as one: average load, sums of used and total, the highest temperature. Null: no figures. */
export function together(list) {
  const known = list.filter(fresh);
  if (known.length === 0) { return null; }
  const of = (name, join) => {
    const values = known.map((figures) => figures[name]).filter((value) => value !== null);
    return values.length > 0 ? join(values) : null;
  };
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  return { at: Math.min(...known.map(({ at }) => at)), busy: of("busy", (values) => sum(values) / values.length), used: of("used", sum), total: of("total", sum),
    celsius: of("celsius", (values) => Math.max(...values)), watts: of("watts", sum) };
}

export function percent(busy) { return busy === null ? "" : `${Math.round(100 * busy)} %`; }
export function power(watts) { return watts === null ? "" : watts < 1000 ? `${Math.round(watts)} W` : `${(watts / 1000).toFixed(1)} kW`; }
function memory({ used, total }) { return used === null ? "" : total === null ? mib(used) : mibOf(used, total); }
/* Parts of a line, each of which stays whole. */
function join(parts) { return parts.filter(Boolean).map((part) => part.replaceAll(" ", "\u00a0")).join(" · "); }
function size(bytes) { return bytes < 1048576 ? `${Math.ceil(bytes / 1024)} KiB` : mib(Math.round(bytes / 1048576)); }

/* "9.6 of 16 GiB · 61 °C · 250 W", and "87 % busy" before it. */
export function restText(figures) { return join([memory(figures), figures.celsius !== null && `${figures.celsius} °C`, power(figures.watts)]); }
export function gpuText(figures) {
  const idle = figures.idle ?? null;
  return join([figures.busy !== null && `${percent(figures.busy)} busy`, idle !== null && `held idle for ${Math.round(idle / 60000)} min`, restText(figures)]);
}

export function containerText({ cores, memory: bytes, received, sent, read, written }) {
  return join([cores !== null && `${cores.toFixed(2)} cores`, bytes !== null && size(bytes),
    received !== null && `network ${size(received)} in, ${size(sent ?? 0)} out`, read !== null && `disk ${size(read)} read, ${size(written ?? 0)} written`]);
}

/* The text, or the age of the last figures; nothing if there were none. */
export function orOld(figures, words) {
  if (!figures) { return null; }
  return isOld(figures) ? age(figures.at, { before: "last told ", after: " ago" }) : words(figures);
}
