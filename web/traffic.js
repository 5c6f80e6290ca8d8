/* traffic.js: load balancers as the server tells them to proxies (GET /berth/v1/target-groups), their words and their sums. They are asked for
 * while the page shows them, and without `watch`, because the request rates change without a commit. Refuses to know the page. */
import { session } from "./session.js";

const ANSWER_MS = 10000;

const TARGET_STATES = ["unhealthy", "initial", "draining", "healthy"];   /* those that need a look come first */

export class Traffic {
  /* changed(): there is a new answer. */
  constructor({ changed }) {
    Object.assign(this, { changed, text: null, version: 0, groups: new Map(), listeners: [], uses: new Map(), refused: null, asking: false });
  }

  async ask() {
    if (this.asking || document.hidden) { return; }
    this.asking = true;
    try {
      const reply = await session.ask("/berth/v1/target-groups", { signal: AbortSignal.timeout(ANSWER_MS) });
      const text = await reply.text();
      const refused = reply.ok ? null : reply.status;
      const isNew = reply.ok && text !== this.text;
      if (!isNew && refused === this.refused) { return; }
      this.refused = refused;
      if (isNew) {
        this.take(JSON.parse(text));
        this.text = text;
      }
      this.changed();
    } catch {                                /* the top line shows that the server is gone; this is asked again */
    } finally {
      this.asking = false;
    }
  }

  take({ groups, listeners }) {
    this.groups = new Map(groups.map((group) => [group.name, group]));
    this.listeners = listeners.map((listener) => ({ ...listener, rules: rulesOf(listener) })).sort((a, b) => a.port - b.port);
    this.uses = new Map();
    for (const { name } of this.listeners.flatMap(({ rules }) => rules).flatMap(({ action }) => shares(action))) { this.uses.set(name, (this.uses.get(name) ?? 0) + 1); }
    this.version += 1;
  }

  /* The groups that no rule forwards to. */
  unused() { return [...this.groups.values()].filter(({ name }) => !this.uses.has(name)); }

  /* The rate of a group is that of all rules together. */
  rateText(name) {
    const text = rateText(this.groups.get(name)?.requestsPerSecond);
    return text && this.uses.get(name) > 1 ? `${text} in all` : text;
  }
}

/* In the order in which they are tried. The default action is a rule too: the last one, without a priority. */
function rulesOf({ arn, rules, action }) {
  return [...rules].sort((a, b) => a.priority - b.priority).concat({ arn, priority: null, conditions: [], action, only: rules.length === 0 });
}

/* The groups that an action forwards to, each with its part of the requests, 0 to 1. */
export function shares({ groups = [] }) {
  const all = groups.reduce((sum, { weight }) => sum + weight, 0);
  return groups.map(({ group, weight }) => ({ name: group, share: all > 0 ? weight / all : 0 }));
}

export function shareText(share) {
  const tenths = Math.round(1000 * share);
  return tenths === 0 && share > 0 ? "<0.1 %" : tenths === 1000 && share < 1 ? ">99.9 %" : `${tenths / 10} %`;
}

/* Empty: no proxy reports it. */
export function rateText(rate) {
  if (rate === undefined || rate === null) { return ""; }
  const shown = rate > 0 && rate < 0.05 ? "<0.1" : (rate < 10 ? Math.round(10 * rate) / 10 : Math.round(rate)).toLocaleString("en");
  return `${shown} ${shown === "1" ? "request" : "requests"}/s`;
}

const FIELDS = { "host-header": "host is", "path-pattern": "path is", "http-request-method": "method is", "source-ip": "source is in", "query-string": "query has" };

/* Which requests a rule takes. */
export function whenText({ priority, conditions, only }) {
  if (priority === null) { return only ? "all requests" : "all other requests"; }
  return conditions.map(({ field, header, values }) => `${field === "http-header" ? `header ${header} is` : FIELDS[field] ?? field} ${values.join(" or ")}`).join(" and ");
}

/* An action that forwards to no group. The members that a redirect does not change are absent, or have ELB's placeholder alone. */
export function doText({ type, status, protocol, port, host, path, query, contentType, body }) {
  if (type === "fixed-response") { return [`answers ${status}`, contentType, body].filter(Boolean).join(" · "); }
  if (type !== "redirect") { return "no action"; }
  const changes = [["protocol", protocol, ""], ["host", host, "host "], ["port", port, "port "], ["path", path?.replace(/^\//, ""), "path /"], ["query", query, "query "]]
    .filter(([name, value]) => value && value !== `#{${name}}`).map(([, value, word]) => word + value);
  return `redirects (${status}) to ${changes.join(", ")}`;
}

/* How many targets of a group are in each state: [["unhealthy", 2], …], of states that it has. */
export function stateCounts(targets) {
  return TARGET_STATES.map((state) => [state, targets.filter((target) => target.state === state).length]).filter(([, n]) => n > 0);
}

/* Those that need a look come first. */
export function ranked(targets) {
  return [...targets].sort((a, b) => TARGET_STATES.indexOf(a.state) - TARGET_STATES.indexOf(b.state));
}

/* Does it get requests that no healthy target takes, or does a target of it fail? */
export function isTroubledForward(targets, share) {
  return targets.some(({ state }) => state === "unhealthy") || (share > 0 && !targets.some(({ state }) => state === "healthy"));
}

export function checkText({ enabled, protocol, path, port, intervalSeconds, timeoutSeconds, healthy, unhealthy, codes }) {
  if (!enabled) { return "off: all targets are healthy"; }
  const to = [protocol, path, port === "traffic-port" ? null : `port ${port}`].filter(Boolean).join(" ");
  return `${to} every ${intervalSeconds} s, timeout ${timeoutSeconds} s${codes ? `, expects ${codes}` : ""}; healthy after ${healthy}, unhealthy after ${unhealthy}`;
}
