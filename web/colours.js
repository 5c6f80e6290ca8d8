/* colours.js: the hue of each task, one of ten. The tasks of a gang share a hue, so each hue has a key: the gang, or the task
 * that is in none. The hue is that of the key's hash; where a neighbour has it, the next that no neighbour has. So two screens mostly
 * agree. Knows no board and no page. */

export const HUES = 10;
const ROWS_NEAR = 6;                         /* small rows are side by side: the row below may be this many rows later */
const BESIDE = 10000, NEAR = 100, SAME_ROW = 1;       /* the cost of having a neighbour's hue */

/* FNV-1a over the key. */
export function hue(key) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) { hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193) >>> 0; }
  return ((hash ^ (hash >>> 15)) >>> 0) % HUES;
}

/* rows: in the board's order, each a list of cells, each a list of the keys that hold a share of it. `known` (a Map of key and hue) gets
 * those that had none; the others keep theirs. */
export function paint(known, rows) {
  const fresh = neighbours(known, rows);
  for (const key of [...fresh.keys()].sort()) {
    const costs = new Array(HUES).fill(0);
    for (const [other, cost] of fresh.get(key)) { if (known.has(other)) { costs[known.get(other)] += cost; } }
    const turn = Array.from({ length: HUES }, (_, n) => (hue(key) + n) % HUES);
    known.set(key, turn.reduce((best, next) => (costs[next] < costs[best] ? next : best)));
  }
}

/* For each key without a hue: its neighbours, and the cost of each. */
function neighbours(known, rows) {
  const found = new Map();
  const note = (key, others, cost) => {
    const costs = found.get(key);
    for (const other of others ?? []) { if (other !== key) { costs.set(other, Math.max(cost, costs.get(other) ?? 0)); } }
  };
  rows.forEach((row, r) => row.forEach((cell, slot) => {
    for (const key of cell.filter((one) => !known.has(one))) {
      if (!found.has(key)) { found.set(key, new Map()); }
      for (const near of [cell, row[slot - 1], row[slot + 1]]) { note(key, near, BESIDE); }
      for (let away = -ROWS_NEAR; away <= ROWS_NEAR; away += 1) { if (away !== 0) { note(key, rows[r + away]?.[slot], NEAR); } }
      note(key, row.flat(), SAME_ROW);
    }
  }));
  return found;
}
