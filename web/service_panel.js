/* service_panel.js: everything about one service, beside the list: how its last deployment went, its deployments, its last events. */
import { scale } from "./acts.js";
import { actRow, deployAct, goOnAct, rollBackAct } from "./acting.js";
import { aws, command, el, fill, moment, number, shell } from "./dom.js";
import { hashFor } from "./route.js";
import { session } from "./session.js";
import { isRolling, isTroubled } from "./state.js";
import { progress, rolloutBadge, statusBadge, tasksHref } from "./services.js";
import { ServiceTraffic } from "./traffic_view.js";
import { Why } from "./why.js";

const ASK_EVERY_MS = 2000;

export class ServicePanel {
  constructor(state, traffic) {
    this.state = state;
    this.traffic = traffic;
    this.id = null;
    this.why = new Why();
    this.routes = new ServiceTraffic(state, traffic);
    this.root = el("aside.panel", { "aria-label": "Service", tabindex: -1 });
    this.root.hidden = true;
    setInterval(() => this.ask(), ASK_EVERY_MS);
  }

  show(id, back) {
    if (id !== this.id) { this.why.forget(); }
    this.id = id;
    this.back = back;
    this.drawn = null;
    this.root.hidden = id === null;
  }

  update() {
    if (this.id === null) { return; }
    const service = this.state.services.get(this.id);
    if (service) { this.routes.update(service); }
    const text = JSON.stringify([service ?? null, session.key?.id]);
    if (text === this.drawn) { return; }
    this.drawn = text;
    fill(this.root, service ? this.parts(service) : [this.head("Not known"), el("p", {}, "There is no service ", el("span.mono.all", {}, this.id), " here. It may be deleted.")]);
    this.ask();
  }

  /* Why its rollout is not further, and where its requests go. */
  ask() {
    const service = this.state.services.get(this.id);
    if (!service || document.hidden || !this.root.isConnected) { return; }
    if (isRolling(service)) { this.why.ask({ service: service.arn }, this.drawn); }
    if (service.targetGroups.length > 0) { this.traffic.ask(); }
  }

  head(title, service) {
    return el("div.head", {}, el("h2", {}, title), service ? statusBadge(service) : null,
      service ? el("a.page", { href: hashFor("service", service.id), title: "As a separate page" }, "page") : null, el("a.close", { href: this.back, "aria-label": "Close", title: "Esc" }, "✕"));
  }

  parts(service) {
    const { rollout } = service;
    const rows = [
      ["cluster", service.cluster],
      ["scheduling", service.scheduling],
      ["strategy", service.strategy],
      ["definition", service.taskDefinition],
      ["tasks", `${number(service.desired)} desired · ${number(service.running)} running · ${number(service.pending)} pending`],
      ["created", moment(service.created)],
      ["ARN", el("span.mono.all", {}, service.arn)],
    ].filter(([, value]) => value);
    return [
      this.head(service.name, service),
      service.status === "ACTIVE" ? actRow([service.scheduling === "REPLICA" ? { label: "Scale", act: () => scale(service) } : null, service.strategy ? { label: "Deploy", act: () => deployAct(service) } : null,
        isRolling(service) ? { label: "Continue", act: () => goOnAct(service), nothing: "No pause of its deployment waits for a person." } : null,
        service.strategy ? { label: "Roll back", bad: true, act: () => rollBackAct(service), nothing: "There is no earlier definition to go back to." } : null], this.state.region) : null,
      rollout ? el("p.why", { "data-bad": isTroubled(service) }, rolloutBadge(rollout.status), rollout.reason ? ` ${rollout.reason}` : "") : null,
      el("dl", {}, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      el("p", {}, el("a", { href: tasksHref(service) }, "Show its tasks")),
      service.deployments.length > 0 ? [el("h3", {}, service.strategy ? "Deployments" : "Task sets"), service.deployments.map((item, d) => [deployment(item), d === 0 && isRolling(service) ? this.why.root : null])] : null,
      service.targetGroups.length > 0 ? this.routes.root : null,
      service.events.length > 0 ? [el("h3", {}, "Events"), el("ol.events", {}, service.events.map(({ at, message }) => el("li", {},
        el("time", { datetime: new Date(at).toISOString() }, moment(at)), " ", message)))] : null,
      el("h3", {}, "From the command line"),
      command(aws(this.state.region, "describe-services", "--cluster", service.cluster, "--services", service.name)),
      command(shell("berth", "services", service.name, "--cluster", service.cluster, "--server", location.origin)),
    ];
  }
}

function deployment(item) {
  return el("div.container.deployment", {}, el("p", {}, el("b", {}, item.taskDefinition ?? "no definition"), ` ${item.status} `, item.rollout ? rolloutBadge(item.rollout) : null),
    el("div", {}, progress(item)),
    item.failed > 0 ? el("p.failures", {}, `${number(item.failed)} failed`) : null,
    item.reason ? el("p.why", { "data-bad": item.rollout === "FAILED" }, item.reason) : null);
}
