/* traffic_view.js: where requests go: load balancers, their listeners, the rules of these in their order, the target groups of a rule with their
 * weights, and the targets that need a look. All targets of one group are in its panel. */
import { age, command, count, el, elbv2, fill, keep, live, number, setText, shortId } from "./dom.js";
import { choice, searchBox } from "./controls.js";
import { hashFor } from "./route.js";
import { byWords, matches } from "./state.js";
import { checkText, doText, isTroubledForward, ranked, shares, shareText, stateCounts, whenText } from "./traffic.js";

const ASK_EVERY_MS = 2000;
const TARGETS_SHOWN = 4;                     /* of a group beside its rule */
const OPEN_MAX = 50;                         /* healthy targets of a group with more are folded */
const BADGES = { unhealthy: "bad", initial: "wait", draining: "off", healthy: "good" };

export function trafficHref(group, params = {}) { return hashFor("traffic", group, params); }

/* ---- one target, one group of a rule, one rule ---- */

function badge(state, words = state) { return el("span.badge", { "data-state": BADGES[state] ?? "off" }, words); }

function targetParts({ address, name, port, task, family, since, reason, description }) {
  const place = address ?? name;
  return [el("span.mono", {}, `${place.includes(":") ? `[${place}]` : place}:${port}`), name === place ? null : el("span", {}, name),
    task ? el("a", { href: hashFor("tasks", task), title: task }, `${family ?? "task"} · ${shortId(task)}`) : null, since ? age(since, { before: "for " }) : null,
    description || reason ? el("span.words", {}, description ?? reason) : null];
}

/* For keep(). */
const asTarget = { key: (target) => target.number, signature: (target) => JSON.stringify(target), make: () => el("li") };

/* With the definition of its task, if that is known. */
function withFamily(state, target) { return { ...target, family: state.tasks.get(target.task)?.family }; }

/* All that is drawn of a group beside a rule; `share` undefined: no rule forwards to it. */
function summary(state, traffic, { name, share }) {
  const group = traffic.groups.get(name);
  const targets = group?.targets ?? [];
  const listed = targets.length <= TARGETS_SHOWN ? ranked(targets) : ranked(targets).filter(({ state: is }) => is !== "healthy").slice(0, TARGETS_SHOWN);
  const families = targets.filter(({ state: is }) => is !== "draining").map(({ task }) => state.tasks.get(task)?.family).filter(Boolean);
  return { name, share, known: Boolean(group), counts: stateCounts(targets), listed: listed.map((target) => withFamily(state, target)),
    rest: targets.length - listed.length, families: [...new Set(families)].sort(byWords) };
}

/* The link to the group stays the same element, so that it keeps the focus. */
function drawForward(node, { name, share, known, counts, listed, rest, families }, traffic, href) {
  const [line, targets, more] = node.children;
  const [before, link, after] = line.children;
  const bar = el("span.meter", { "aria-hidden": "true" }, el("i"));
  bar.firstChild.style.width = `${100 * (share ?? 0)}%`;
  const lack = counts.length === 0 ? "no targets" : counts.some(([state]) => state === "healthy") ? null : "none healthy";
  fill(before, share === undefined ? [] : [el("b.share", {}, shareText(share)), bar]);
  setText(link, known ? name : "a target group that is gone");
  if (known) { link.href = href(name); }
  fill(after, [
    families.length > 0 ? el("span.facts", {}, families.slice(0, 3).join(", "), families.length > 3 ? ` and ${number(families.length - 3)} more` : "") : null,
    counts.map(([state, n]) => badge(state, `${number(n)} ${state}`)),
    known && lack ? badge(share > 0 ? "unhealthy" : "draining", lack) : null,
    live("span.rate", (rate) => setText(rate, traffic.rateText(name))),
  ]);
  keep(targets, listed, { ...asTarget, draw: (item, target) => fill(item, [badge(target.state), targetParts(target)]) });
  fill(more, rest > 0 && listed.length > 0 ? [el("a", { href: href(name) }, `${number(rest)} more`)] : []);
}

function makeForward({ text }) {
  return text ? el("li.forward", {}, text) : el("li.forward", {}, el("div.line", {}, el("span"), el("a.name", { title: "All of its targets" }), el("span")), el("ul.targets"), el("p"));
}

function drawForwards(list, items, traffic, href) {
  keep(list, items, { key: ({ name, text }) => text ?? name, signature: (item) => JSON.stringify(item) + href(""), make: makeForward,
    draw: (node, item) => { if (!item.text) { drawForward(node, item, traffic, href); } } });
}

/* The action of a rule, as items of drawForwards(). */
function itemsOf(state, traffic, { action }) {
  return action.type === "forward" ? shares(action).map((forward) => summary(state, traffic, forward)) : [{ text: doText(action) }];
}

function drawRules(list, rules, { state, traffic, href }) {
  keep(list, rules, {
    key: (rule) => `${rule.arn} ${rule.priority}`,
    signature: () => NaN,                    /* never equal: its parts decide for themselves */
    make: () => el("li.rule", {}, el("p.when", {}, el("span.priority"), el("span.long")), el("ul.forwards")),
    draw: (node, rule) => {
      const [when, then] = node.children;
      setText(when.firstChild, rule.place ?? String(rule.priority ?? "default"));
      setText(when.lastChild, whenText(rule));
      drawForwards(then, itemsOf(state, traffic, rule), traffic, href);
    },
  });
}

/* ---- the view ---- */

export class TrafficView {
  constructor(state, traffic) {
    Object.assign(this, { state, traffic, title: "Traffic" });
    this.search = searchBox("Filter groups, rules, targets");
    this.choices = el("div.choices");
    this.note = el("p.note", { "aria-live": "polite" });
    this.list = el("div.balancers");
    this.unused = el("ul.forwards");
    this.others = el("div.group", {}, el("h2", {}, "No rule forwards to these target groups"), this.unused);
    this.below = el("div.below");
    this.root = el("section.traffic", {}, el("h1.hidden", {}, this.title), el("div.tools", {}, this.search, this.choices), this.note, this.list, this.others, this.below);
    setInterval(() => this.ask(), ASK_EVERY_MS);
  }

  ask() { if (this.root.isConnected) { this.traffic.ask(); } }

  /* The element that opened the panel of this group, to give it the focus again. */
  opener(name) { return this.root.querySelector(`a.name[href="${CSS.escape(trafficHref(name, this.route.params))}"]`); }

  show(route, comes) {
    this.route = route;
    this.search.show(route);
    this.filter = route.params.get("q") ?? "";
    this.troubled = route.params.get("show") === "problems";
    fill(this.choices, [choice(route, "show", "Show", [["", "all"], ["problems", "with problems"]])]);
    this.drawn = null;
    if (comes) { this.ask(); }
  }

  update() {
    const { traffic } = this;
    const known = traffic.version > 0;
    fill(this.note, [traffic.refused ? `The server did not give the load balancers (${traffic.refused}).` : known ? "" : "Asking for the load balancers."]);
    if (!known || this.drawn === traffic.version) { return; }
    this.drawn = traffic.version;
    const href = (name) => trafficHref(name, this.route.params);
    const listeners = traffic.listeners.map((listener) => ({ ...listener, rules: listener.rules.filter((rule) => this.shows(listener, rule)) })).filter(({ rules }) => rules.length > 0);
    const unused = traffic.unused().map(({ name }) => ({ name })).filter((forward) => this.found([forward]) && (!this.troubled || this.fails(forward)));
    this.drawBalancers(listeners, href);
    this.others.hidden = unused.length === 0;
    drawForwards(this.unused, unused.map((forward) => summary(this.state, traffic, forward)), traffic, href);
    const all = traffic.groups.size + traffic.listeners.length;
    this.drawBelow(all === 0 ? "empty" : listeners.length + unused.length === 0 ? "nothing" : "table");
  }

  shows(listener, rule) {
    const forwards = shares(rule.action);
    return (!this.troubled || forwards.some((forward) => this.fails(forward)))
      && this.found(forwards, listener.loadBalancer, `${listener.protocol} :${listener.port}`, whenText(rule), forwards.length > 0 ? "" : doText(rule.action));
  }

  fails({ name, share }) { return isTroubledForward(this.traffic.groups.get(name)?.targets ?? [], share); }

  found(forwards, ...texts) {
    if (this.filter.trim() === "") { return true; }
    const targets = forwards.flatMap(({ name }) => this.traffic.groups.get(name)?.targets ?? []);
    return matches(this.filter, ...texts, ...forwards.map(({ name }) => name), ...targets.flatMap(({ name, address, port, state, task }) => [name, `${address}:${port}`, state, task]));
  }

  drawBalancers(listeners, href) {
    const names = [...new Set(listeners.map(({ loadBalancer }) => loadBalancer))].sort(byWords);
    keep(this.list, names.map((name) => ({ name, listeners: listeners.filter(({ loadBalancer }) => loadBalancer === name) })), {
      key: ({ name }) => name,
      signature: () => NaN,
      make: ({ name }) => el("div.group", {}, el("h2", {}, el("span.name", {}, name), el("span.facts")), el("div")),
      draw: (node, balancer) => {
        setText(node.querySelector(".facts"), `${balancer.listeners[0].type} load balancer · ${count(this.traffic.listeners.filter(({ loadBalancer }) => loadBalancer === balancer.name).length, "listener")}`);
        keep(node.lastChild, balancer.listeners, {
          key: ({ arn }) => arn, signature: () => NaN, make: () => el("div.listener", {}, el("h3"), el("ul.rules")),
          draw: (box, { protocol, port, rules }) => {
            setText(box.firstChild, `${protocol} :${port}`);
            drawRules(box.lastChild, rules, { state: this.state, traffic: this.traffic, href });
          },
        });
      },
    });
  }

  drawBelow(kind) {
    const { region } = this.state;
    keep(this.below, [kind], { key: (k) => k, signature: () => String(region), make: () => el("div"), draw: (node) => fill(node, [
      kind === "empty" ? el("div.empty", {}, el("h2", {}, "No load balancer yet"), el("p", {}, "Create a target group, then a load balancer and a listener (docs/traffic.md):"),
        command(elbv2(region, "create-target-group", "--name", "web", "--protocol", "HTTP", "--port", "80", "--target-type", "ip", "--vpc-id", "vpc-1"))) : null,
      kind === "nothing" ? el("p.empty", {}, "Nothing matches this filter.") : null,
      kind === "table" ? el("details.cli", {}, el("summary", {}, "The same from the command line"),
        command(elbv2(region, "describe-load-balancers")), command(elbv2(region, "describe-target-groups"))) : null,
    ]) });
  }
}

/* ---- all of one group ---- */

export class GroupPanel {
  constructor(state, traffic) {
    Object.assign(this, { state, traffic, id: null });
    this.facts = el("div");
    this.lists = el("div");
    this.commands = el("div");
    this.root = el("aside.panel", { "aria-label": "Target group", tabindex: -1 }, this.facts, this.lists, this.commands);
    this.root.hidden = true;
  }

  show(id, back) {
    Object.assign(this, { id, back, drawn: null });
    this.root.hidden = id === null;
  }

  update() {
    if (this.id === null || this.traffic.version === 0) { return; }
    const group = this.traffic.groups.get(this.id);
    const { targets = [], requestsPerSecond, ...settings } = group ?? {};
    const services = [...this.state.services.values()].filter(({ targetGroups }) => targetGroups?.includes(settings.arn));
    const text = JSON.stringify([settings, stateCounts(targets), services.map(({ id }) => id), this.state.region]);
    if (text !== this.drawn) {
      this.drawn = text;
      fill(this.facts, group ? this.parts(settings, targets, services) : [this.head("Not known"), el("p", {}, "There is no target group ", el("span.mono.all", {}, this.id), " here. It may be deleted.")]);
      fill(this.commands, group ? [el("h3", {}, "From the command line"), command(elbv2(this.state.region, "describe-target-health", "--target-group-arn", group.arn))] : []);
    }
    this.drawTargets(targets);
  }

  head(title) { return el("div.head", {}, el("h2", {}, title), el("a.close", { href: this.back, "aria-label": "Close", title: "Esc" }, "✕")); }

  parts(group, targets, services) {
    const rate = () => this.traffic.rateText(group.name) || "no proxy reports them";
    const rows = [
      ["services", services.map(({ id, name }, s) => [s > 0 ? ", " : "", el("a", { href: hashFor("services", id) }, name)])],
      ["requests", live("span", (node) => setText(node, rate()))],
      ["protocol", [group.protocol, group.protocolVersion, group.port && `port ${group.port}`].filter(Boolean).join(" · ")],
      ["algorithm", (group.algorithm ?? "").replaceAll("_", " ")],
      ["stickiness", group.stickinessSeconds > 0 ? `${number(group.stickinessSeconds)} s` : null],
      ["slow start", group.slowStartSeconds > 0 ? `${number(group.slowStartSeconds)} s` : null],
      ["check", checkText(group.healthCheck)],
      ["ARN", el("span.mono.all", {}, group.arn)],
    ].filter(([, value]) => value && value.length !== 0);
    return [this.head(group.name), el("dl", {}, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      targets.length === 0 ? el("p.why", {}, "It has no targets.") : null];
  }

  drawTargets(targets) {
    const lists = stateCounts(targets).map(([state, n]) => ({ state, n, targets: targets.filter((target) => target.state === state) }));
    keep(this.lists, lists, {
      key: ({ state }) => `${this.id} ${state}`,
      signature: () => NaN,
      make: ({ state, n }) => el("details.targetlist", { open: state !== "healthy" || n <= OPEN_MAX }, el("summary"), el("ul.targets")),
      draw: (node, list) => {
        fill(node.firstChild, [badge(list.state, `${number(list.n)} ${list.state}`)]);
        keep(node.lastChild, list.targets.map((target) => withFamily(this.state, target)), { ...asTarget, draw: (item, target) => fill(item, targetParts(target)) });
      },
    });
  }
}

/* ---- a service's groups, in its panel ---- */

/* The rules that forward to them, and those of them that none forwards to. */
export class ServiceTraffic {
  constructor(state, traffic) {
    Object.assign(this, { state, traffic });
    this.rules = el("ul.rules");
    this.unused = el("ul.forwards");
    this.root = el("section.traffic", {}, el("h3", {}, "Traffic"), this.rules, this.unused);
  }

  update({ targetGroups }) {
    const { state, traffic } = this;
    this.root.hidden = traffic.version === 0;
    const mine = new Set([...traffic.groups.values()].filter(({ arn }) => targetGroups.includes(arn)).map(({ name }) => name));
    const rules = traffic.listeners.flatMap((listener) => listener.rules.filter(({ action }) => shares(action).some(({ name }) => mine.has(name)))
      .map((rule) => ({ ...rule, place: `${listener.loadBalancer} ${listener.protocol} :${listener.port}` })));
    drawRules(this.rules, rules, { state, traffic, href: trafficHref });
    drawForwards(this.unused, traffic.unused().filter(({ name }) => mine.has(name)).map(({ name }) => summary(state, traffic, { name })), traffic, trafficHref);
  }
}
