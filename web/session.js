/* session.js: who is signed in, and every request of the page. A key is kept for this tab alone; its secret only signs. There is no cookie, so a page of
 * another site can do nothing in this one's name. Refuses to know the page. */
import { learnTime, now } from "./dom.js";
import { authorization, canonicalQuery, timeText } from "./sigv4.js";

const NAME = "berth-key";
const TARGET = "AmazonEC2ContainerServiceV20141113.";
const ANSWER_MS = 30000;

class Session {
  constructor() {
    this.region = null;
    this.key = null;                         /* { id, secret, region, user, role } */
    this.changed = () => {};
    try { this.key = JSON.parse(globalThis.sessionStorage?.getItem(NAME) ?? "null"); } catch { /* a browser may refuse storage: the key is kept until the page is left */ }
  }

  get canAct() { return this.key?.role === "admin"; }

  /* A request, signed if somebody is signed in. `path` may have a query. */
  async ask(path, options = {}) { return fetch(...this.signed(path, options, this.key)); }

  signed(path, options, key) {
    const given = { cache: "no-store", ...options };
    if (!key) { return [path, given]; }
    const [pathname, query = ""] = path.split("?");
    const sorted = canonicalQuery(query);
    const { accept, ...more } = given.headers ?? {};
    const headers = { ...more, "x-amz-date": timeText(now()) };
    const sign = authorization({ method: given.method ?? "GET", path: pathname, query: sorted, headers: { host: location.host, ...headers }, body: given.body ?? "",
      key: key.id, secret: key.secret, region: key.region });
    return [sorted === "" ? pathname : `${pathname}?${sorted}`, { ...given, headers: { ...headers, ...(accept ? { accept } : {}), authorization: sign } }];
  }

  /* Throws with the server's words. */
  async post(path, input, target = null) {
    const reply = await this.ask(path, { method: "POST", body: JSON.stringify(input), signal: AbortSignal.timeout(ANSWER_MS),
      headers: { "content-type": "application/x-amz-json-1.1", ...(target ? { "x-amz-target": TARGET + target } : {}) } });
    if (!reply.ok) { throw new Error(await refusalOf(reply)); }
    return reply.json();
  }

  /* An operation of ECS. */
  call(operation, input) { return this.post("/", input, operation); }

  /* Throws with the reason; then nothing has changed. */
  async signIn(id, secret) {
    const region = await this.regionOf();
    const key = { id, secret, region };
    const reply = await fetch(...this.signed("/berth/v1/caller", {}, key));
    if (!reply.ok) { throw new Error(await refusalOf(reply)); }
    const { user, role } = await reply.json();
    this.keep({ ...key, user, role });
  }

  signOut() { this.keep(null); }

  keep(key) {
    this.key = key;
    try {
      if (key) { sessionStorage.setItem(NAME, JSON.stringify(key)); } else { sessionStorage.removeItem(NAME); }
    } catch { /* as above */ }
    this.changed();
  }

  /* The region is part of the signed text. The server says it also to those it does not know. */
  async regionOf() {
    const reply = await fetch("/berth/v1/caller", { cache: "no-store" });
    learnTime(reply.headers.get("date"));
    const region = reply.ok ? (await reply.json()).region : reply.headers.get("www-authenticate")?.match(/region="([^"]+)"/)?.[1];
    if (!region) { throw new Error(await refusalOf(reply)); }
    return region;
  }
}

export async function refusalOf(reply) {
  const said = await reply.json().then((json) => json.message ?? json.Message, () => null);
  return said || `the server answered ${reply.status} ${reply.statusText}`;
}

export const session = new Session();
