/* dom.js: making and keeping elements, and how numbers, times and commands are written. Text from outside goes in as text
 * nodes and attributes only; nothing here or elsewhere in the page parses markup. */

/* el("a.gpu.held", { href, "aria-label": … }, "text", child, null). A function becomes a listener, false and null are left out. */
export function el(kind, attributes, ...children) {
  const [tag, ...classes] = kind.split(".");
  const node = document.createElement(tag || "div");
  if (classes.length > 0) { node.className = classes.join(" "); }
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) { continue; }
    if (typeof value === "function") { node.addEventListener(name, value); } else { node.setAttribute(name, value === true ? "" : value); }
  }
  fill(node, children);
  return node;
}

export function fill(node, children) {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

export function setText(node, text) {
  if (node.textContent !== text) { node.textContent = text; }
}

/* Makes one child of `parent` for each of `items`, in order. An item keeps its element while its key lives, and the element is
 * drawn again only when its signature changes: focus, selection and hover survive an update, and a quiet fleet costs nothing. */
export function keep(parent, items, { key, signature, make, draw }) {
  const known = parent.kept ?? (parent.kept = new Map());
  const unused = new Map(known);
  let place = parent.firstChild;
  for (const item of items) {
    const id = key(item);
    let entry = known.get(id);
    if (!entry) {
      entry = { node: make(item), signature: null };
      known.set(id, entry);
    }
    unused.delete(id);
    const now = signature(item);
    if (entry.signature !== now) {
      entry.signature = now;
      draw(entry.node, item);
    }
    if (entry.node === place) { place = place.nextSibling; } else { parent.insertBefore(entry.node, place); }
  }
  for (const [id, entry] of unused) {
    known.delete(id);
    entry.node.remove();
  }
}

/* ---- times ---- */

const clock = { skew: 0 };

/* The server's clock, so that ages are right on a machine with a wrong clock. */
export function now() { return Date.now() + clock.skew; }

export function learnTime(date) {
  const skew = Date.parse(date ?? "") - Date.now();
  clock.skew = Math.abs(skew) > 5000 ? skew : 0;
}

export function span(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) { return `${seconds} s`; }
  if (seconds < 3600) { return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, "0")} s`; }
  if (seconds < 86400) { return `${Math.floor(seconds / 3600)} h ${String(Math.floor(seconds / 60) % 60).padStart(2, "0")} m`; }
  return `${Math.floor(seconds / 86400)} d ${Math.floor(seconds / 3600) % 24} h`;
}

export function moment(ms) {
  const date = new Date(ms);
  const two = (n) => String(n).padStart(2, "0");
  const day = date.toDateString() === new Date().toDateString() ? "" : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} `;
  return `${day}${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/* An age that updates itself: tick() below writes it again each second. With `left`, the time until then. */
export function age(since, { before = "", after = "", left = false } = {}) {
  const node = el("time.age", { datetime: new Date(since).toISOString(), title: new Date(since).toString() });
  node.since = { since, before, after, left };
  writeAge(node);
  return node;
}

function writeAge(node) {
  const { since, before, after, left } = node.since;
  setText(node, `${before}${span(left ? since - now() : now() - since)}${after}`);
}

export function tick() {
  for (const node of document.querySelectorAll("time.age")) { writeAge(node); }
}

/* ---- figures ---- */

/* An element that write(node) fills, again each time that refresh() is called, because figures change more often than the elements around them. */
export function live(kind, write) {
  const node = el(kind);
  node.classList.add("live");
  node.write = write;
  write(node);
  return node;
}

export function refresh() {
  for (const node of document.querySelectorAll(".live")) { node.write(node); }
}

/* ---- numbers, ids, commands ---- */

export function count(n, one, many = `${one}s`) { return `${n.toLocaleString("en")} ${n === 1 ? one : many}`; }
export function number(n) { return n.toLocaleString("en"); }

export function mib(n) {
  if (n < 1024) { return `${n} MiB`; }
  const gib = n / 1024;
  return `${gib >= 100 || Number.isInteger(gib) ? Math.round(gib) : gib.toFixed(1)} GiB`;
}

/* "9.6 of 16 GiB" */
export function mibOf(part, all) { return `${part === 0 ? "0" : mib(part).replace(all < 1024 ? " MiB" : " GiB", "")} of ${mib(all)}`; }

export function cores(units) { return String(Math.round(units / 102.4) / 10); }

/* Ids begin with the time they were made, so that neighbours differ only at the end. */
export function shortId(id) { return id.slice(-6); }

/* Quotes any text as one word for a POSIX shell: a command from this page must be safe to paste. */
export function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function shell(...words) { return words.map(String).map(shellWord).join(" "); }

function awsOf(service, region, words) { return shell("aws", service, ...words, "--endpoint-url", location.origin, ...(region ? ["--region", region] : [])); }
export function aws(region, ...words) { return awsOf("ecs", region, words); }
export function elbv2(region, ...words) { return awsOf("elbv2", region, words); }

/* A command to copy. The clipboard exists in secure contexts only; elsewhere the button selects the text. */
export function command(text, label = "Copy") {
  const code = el("code", {}, text);
  const button = el("button.copy", { type: "button", "aria-label": `${label}: ${text}`, click: async () => {
    let said = "press Ctrl+C";
    getSelection().selectAllChildren(code);
    try {
      await navigator.clipboard.writeText(text);
      said = "copied";
    } catch { /* the text stays selected, and the button says so */ }
    setText(button, said);
    setTimeout(() => setText(button, "copy"), 2000);
  } }, "copy");
  return el("div.command", {}, code, button);
}
