/* route.js: every state of the page is an address that can be pasted: #/view/id?name=value. */

const HOME = "board";

export function readRoute(hash = location.hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split("?");
  const [view, id] = path.split("/");
  return { view: view || HOME, id: id ? decoded(id) : null, params: new URLSearchParams(query ?? "") };
}

/* An address may be typed by hand: a part that can't be decoded is used unchanged. */
function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

/* Parameters that are null or empty stay out of the address. */
export function hashFor(view, id = null, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of params instanceof URLSearchParams ? params : Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "") { query.set(name, value); }
  }
  const text = query.toString();
  return `#/${view}${id ? `/${encodeURIComponent(id)}` : ""}${text ? `?${text}` : ""}`;
}

/* The address of the same view with some parameters changed. */
export function hashWith(route, changes) {
  return hashFor(route.view, route.id, { ...Object.fromEntries(route.params), ...changes });
}

/* Typing into a filter must not fill the browser's history. */
export function replaceRoute(hash) {
  history.replaceState(null, "", hash);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
