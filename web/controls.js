/* controls.js: the filter, the choices and the table that views share. All of them live in the address. */
import { el, fill, keep, number } from "./dom.js";
import { hashWith, readRoute, replaceRoute } from "./route.js";

const ROWS_AT_ONCE = 200;
const WHOLE_MAX = 24;

export function searchBox(label) {
  const input = el("input", { type: "search", placeholder: `${label}  ( / )`, "aria-label": label, autocomplete: "off", spellcheck: "false",
    input: () => replaceRoute(hashWith(readRoute(), { q: input.value, n: null })) });
  return Object.assign(el("span.search", {}, input), { show: (route) => {
    const wanted = route.params.get("q") ?? "";
    if (input.value !== wanted) { input.value = wanted; }
  } });
}

/* Links, one of which is current: [["", "all"], ["free", "only free"]]. */
export function choice(route, name, label, options) {
  const current = route.params.get(name) ?? "";
  return el("span.choice", { role: "group", "aria-label": label }, el("span.label", { "aria-hidden": "true" }, label),
    options.map(([value, words]) => el("a", { href: hashWith(route, { [name]: value, n: null }), "aria-current": value === current ? "true" : null }, words)));
}

/* A short name stays whole in a narrow column; a long one may break anywhere. */
export function word(text) { return el(text.length <= WHOLE_MAX ? "span.whole" : "span.long", {}, text); }

/* The note for an address with one machine; null for others. */
export function onlyMachine(state, route) {
  const id = route.params.get("machine");
  if (id === null) { return null; }
  const name = state.instances.get(id)?.name;
  return [name ? ["Only ", el("b", {}, name)] : `There is no machine ${id} here`, ". ", el("a", { href: hashWith(route, { machine: null }) }, "Show all machines"), ". "];
}

/* columns: { id, label, text(item) for sorting and the default cell, cell(item), number: right-aligned, wide: shortened first }. */
export class Table {
  constructor({ label, columns, sort, key, signature, href, current }) {
    Object.assign(this, { columns, defaultSort: sort, key, signature, href, current });
    this.head = el("tr", { role: "row" });
    this.body = el("tbody", { role: "rowgroup", click: (event) => this.onClick(event) });
    this.more = el("p.more");
    this.root = el("div.tablebox", {}, el("table", { role: "table", "aria-label": label }, el("thead", { role: "rowgroup" }, this.head), this.body), this.more);
  }

  show(route) {
    this.route = route;
    const [id, order] = (route.params.get("sort") ?? this.defaultSort).split("-");
    this.sort = this.columns.some((column) => column.id === id) ? { id, down: order === "down" } : { id: this.defaultSort.split("-")[0], down: this.defaultSort.endsWith("-down") };
    this.limit = Math.max(ROWS_AT_ONCE, Number.parseInt(route.params.get("n") ?? "", 10) || 0);
    fill(this.head, this.columns.map((column) => this.header(column)));
  }

  header(column) {
    const sorted = this.sort.id === column.id;
    const next = `${column.id}${sorted ? (this.sort.down ? "" : "-down") : column.number ? "-down" : ""}`;
    return el("th", { scope: "col", role: "columnheader", class: `${column.id}${column.number ? " number" : ""}`,
      "aria-sort": sorted ? (this.sort.down ? "descending" : "ascending") : null },
    el("a", { href: hashWith(this.route, { sort: next }) }, column.label, el("span.arrow", { "aria-hidden": "true" }, sorted ? (this.sort.down ? "▾" : "▴") : "")));
  }

  update(items) {
    const column = this.columns.find(({ id }) => id === this.sort.id);
    const sign = this.sort.down ? -1 : 1;
    const sorted = items.map((item) => [column.order ? column.order(item) : column.text(item), item])
      .sort(([a, x], [b, y]) => sign * compare(a, b) || compare(this.key(x), this.key(y))).map(([, item]) => item);
    keep(this.body, sorted.slice(0, this.limit), {
      key: this.key,
      signature: (item) => `${this.signature(item)} ${this.current?.() === this.key(item)}`,
      make: () => el("tr", { role: "row" }),
      draw: (row, item) => this.drawRow(row, item),
    });
    const left = sorted.length - this.limit;
    setMore(this.more, left, () => hashWith(this.route, { n: this.limit + ROWS_AT_ONCE }));
  }

  drawRow(row, item) {
    row.className = this.current?.() === this.key(item) ? "current" : "";
    row.dataset.href = this.href?.(item) ?? "";
    fill(row, this.columns.map((column) => el("td", { role: "cell", class: `${column.id}${column.number ? " number" : ""}`, "data-label": column.label },
      column.cell ? column.cell(item) : String(column.text(item) ?? ""))));
  }

  /* The whole row leads where its link does; selecting text in it is not a click. */
  onClick(event) {
    const href = event.target.closest("tr")?.dataset.href;
    if (href && !event.target.closest("a, button") && String(getSelection()) === "") { location.hash = href; }
  }
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") { return a - b; }
  return String(a ?? "").localeCompare(String(b ?? ""), "en", { numeric: true });
}

function setMore(node, left, href) {
  if (left <= 0) { fill(node, []); return; }
  fill(node, [el("a", { href: href() }, `Show ${number(Math.min(left, ROWS_AT_ONCE))} more`), ` of ${number(left)} that are not shown`]);
}
