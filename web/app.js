/* app.js: the page as a whole: the line at the top, the current view, keys, and when to draw. */
import { Board } from "./board.js";
import { isAsking } from "./dialog.js";
import { count, el, fill, number, refresh, setText, span, tick } from "./dom.js";
import { EventsView } from "./events_view.js";
import { instancesView } from "./instances.js";
import { Headroom } from "./headroom.js";
import { Older } from "./older.js";
import { Past } from "./past.js";
import { TaskPanel } from "./panel.js";
import { MachinePanel } from "./machine_panel.js";
import { Pulls } from "./pulls.js";
import { Queue } from "./queue.js";
import { hashFor, hashWith, readRoute } from "./route.js";
import { ServicePanel } from "./service_panel.js";
import { ServicesView } from "./services.js";
import { session } from "./session.js";
import { Corner, signIn } from "./sign_in.js";
import { isTroubled, State } from "./state.js";
import { Stream } from "./stream.js";
import { TasksView } from "./tasks.js";
import { Traffic } from "./traffic.js";
import { GroupPanel, TrafficView } from "./traffic_view.js";
import { percent, power, together } from "./use.js";
import { Usage } from "./usage.js";
import { UsageView } from "./usage_view.js";
import { WaitingView } from "./waiting.js";

const STALE_MS = 20000;                      /* heartbeats come every few seconds: after this long the page shows the silence */
const REST_AFTER_MS = 60000;                 /* in a hidden tab */
const DRAW_EVERY_MS = 100;                   /* at most, however many changes arrive */
const OLD_EVERY_MS = 15000;                  /* figures get old even without changes */
const QUEUE_LOOK_MS = 500;                   /* does the page show the queue, or the hours? They are asked for less often */
const CHORD_MS = 1500;                       /* between "g" and the letter after it */

const state = new State();
const headroom = new Headroom({ changed: drawSoon });
new Pulls(state, { changed: drawSoon });
const traffic = new Traffic({ changed: drawSoon });
const queue = new Queue({ changed: drawSoon });
const usage = new Usage({ changed: drawSoon });
const older = new Older(state, { changed: drawSoon });
const views = { board: new Board(state, headroom, new Past(state, { changed: drawSoon })), instances: instancesView(state), services: new ServicesView(state), traffic: new TrafficView(state, traffic), tasks: new TasksView(state, older),
  waiting: new WaitingView(state, queue), usage: new UsageView(usage), events: new EventsView(state, older) };
const taskPanel = new TaskPanel(state, queue), machinePanel = new MachinePanel(state), servicePanel = new ServicePanel(state, traffic);
/* Pages of one thing: its panel alone. */
const alone = (title, parent) => ({ title, parent, root: el("section", { hidden: true }), show() {}, update() {}, opener: () => null });
Object.assign(views, { task: alone("Task", "tasks"), machine: alone("Machine", "instances"), service: alone("Service", "services") });
const panels = new Map([[views.instances, machinePanel], [views.machine, machinePanel], [views.services, servicePanel], [views.service, servicePanel], [views.traffic, new GroupPanel(state, traffic)]]);
let panel = taskPanel;
const at = (id) => document.getElementById(id);
let route = null;
let view = null;
let link = { status: "wait" };

/* ---- views ---- */

/* The view for an unknown address. */
const nowhere = {
  title: "No such page",
  root: el("section.nowhere"),
  show() {
    fill(this.root, [el("div.empty", {}, el("h1", {}, "There is no such page"), el("p", {}, "The address ", el("code", {}, location.hash), " does not exist."),
      el("p", {}, el("a", { href: hashFor("board") }, "Go to the board")))]);
  },
  update() {},
};

/* Views that can open a panel have the id of its task, service or target group in their address. */
function viewOf({ view: name, id }) {
  const found = Object.hasOwn(views, name) ? views[name] : nowhere;
  return (id === null ? found.parent : !found.opener) ? nowhere : found;
}

function showRoute() {
  const before = route, viewBefore = view;
  route = readRoute();
  view = viewOf(route);
  const chosen = view.opener ? route.id : null;
  if (viewBefore !== view) {
    panel = panels.get(view) ?? taskPanel;
    at("main").replaceChildren(view.root, panel.root);
    if (before) {
      at("main").focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    for (const anchor of document.querySelectorAll("nav a")) {
      if (view !== nowhere && anchor.dataset.view === (view.parent ?? route.view)) { anchor.setAttribute("aria-current", "page"); } else { anchor.removeAttribute("aria-current"); }
    }
  }
  at("card").hidden = true;
  at("main").classList.toggle("open", chosen !== null && !view.parent);
  at("main").classList.toggle("alone", view.parent !== undefined);
  panel.show(chosen, view.parent ? hashFor(view.parent, chosen) : hashFor(route.view, null, route.params));
  view.show(route, viewBefore !== view);
  const same = before && viewBefore === view && chosen === before.id;        /* another filter, another moment: several may come in a row */
  if (same) { drawSoon(); } else { draw(); }
  if (before && chosen !== before.id) { moveFocus(chosen, viewBefore === view ? before.id : null); }
}

/* Moves the focus into the panel that opens, and back to the element that opened it. */
function moveFocus(chosen, left) {
  if (chosen !== null) {
    panel.root.focus({ preventScroll: true });
    if (panel.root.getBoundingClientRect().top < 0) { panel.root.scrollIntoView(); }
  } else if (left !== null) {
    (view.opener?.(left) ?? at("main")).focus();
  }
}

let drawnAt = 0;
let waiting = false;

/* Combines changes: the first is drawn at once, later ones together. */
function drawSoon() {
  if (waiting) { return; }
  waiting = true;
  setTimeout(() => requestAnimationFrame(draw), Math.max(0, drawnAt + DRAW_EVERY_MS - performance.now()));
}

function onChange() {
  headroom.follow(state.revision);
  drawSoon();
}

function draw() {
  waiting = false;
  drawGlance();
  if (state.loaded) {
    if (view !== views.board) { document.body.classList.remove("then"); }
    view.update();
    panel.update();
    refresh();
  }
  document.body.classList.toggle("loading", !state.loaded);
  document.title = `${view.title} · Berth`;
  drawnAt = performance.now();
}

/* ---- the line at a glance ---- */

const part = (className, href, title) => el(`a.part.${className}`, { href, title });
const glance = {
  agents: part("agents", hashFor("instances"), "All instances"),
  gpus: part("gpus", hashFor("board"), "The board"),
  bar: el("span.gpubar", { "aria-hidden": "true" }, ...["held", "draining", "quarantined", "unknown", "free"].map((name) => el(`i.${name}`))),
  use: el("span.part.use", { title: "Average of all GPUs with known use" }),
  tasks: el("span.part.tasks"),
  services: part("services", hashFor("services"), "All services"),
};
at("glance").append(glance.agents, el("span.part.gpupart", {}, glance.gpus, glance.bar), glance.use, glance.tasks, glance.services);

function drawGlance() {
  const totals = state.totals();
  const problems = totals.connected < totals.instances;
  fill(glance.agents, ["Agents ", el("b", {}, `${number(totals.connected)}/${number(totals.instances)}`), problems ? " connected" : ""]);
  glance.agents.classList.toggle("warn", problems);
  glance.agents.href = problems ? hashFor("instances", null, { show: "problems" }) : hashFor("instances");

  const words = [["held", "held"], ["free", "free"], ["draining", "draining"], ["unknown", "unknown"], ["out", "quarantined"]]
    .filter(([name]) => totals[name] > 0 || name === "held" || name === "free");
  fill(glance.gpus, ["GPUs ", el("b", {}, number(totals.gpus)), words.map(([name, word]) => [" · ", el("b", {}, number(totals[name])), ` ${word}`])]);
  for (const piece of glance.bar.children) { piece.style.flexGrow = totals[piece.className]; }

  const use = together(state.allUse());
  glance.use.hidden = use === null;
  fill(glance.use, use ? [[percent(use.busy), "busy"], [power(use.watts), ""]].filter(([figure]) => figure)
    .map(([figure, word], index) => [index > 0 ? " · " : "", el("b", {}, figure), word && ` ${word}`]) : []);

  const phases = ["running", "pending", "stopped"];
  fill(glance.tasks, ["Tasks", phases.map((name, index) => [index > 0 ? " · " : " ",
    el("a", { href: hashFor("tasks", null, { state: name }) }, el("b", {}, number(totals[name])), ` ${name}`)])]);

  drawServices([...state.services.values()]);
  setText(at("waiting"), totals.waiting > 0 ? `${number(totals.waiting)}${state.cut.tasks > 0 ? "+" : ""}` : "");

  setText(at("simulated"), totals.simulated === 0 ? "" : totals.simulated === totals.instances ? "simulated: all machines"
    : `simulated: ${count(totals.simulated, "machine")} of ${number(totals.instances)}`);
}

/* Without services, nothing on the page is about them. */
function drawServices(services) {
  const troubled = services.filter(isTroubled).length;
  const all = services.length + state.cut.services;
  document.body.classList.toggle("serviceless", services.length === 0);
  fill(glance.services, all > 0 ? ["Services ", el("b", {}, number(all)), troubled > 0 ? [" · ", el("b", {}, number(troubled)), " with problems"] : ""] : []);
  glance.services.classList.toggle("warn", troubled > 0);
  glance.services.href = hashFor("services", null, { show: troubled > 0 ? "problems" : null });
}

/* ---- is it alive? ---- */

function drawAlive() {
  const silence = link.heard === null || link.heard === undefined ? null : Date.now() - link.heard;
  const status = link.status === "live" && silence > STALE_MS ? "stale" : link.status;
  const words = { wait: "connecting", live: "live", rest: "paused", stale: "stale", lost: "connection lost", never: "not connected", locked: "needs a key" };
  at("alive").dataset.state = status;
  setText(at("alive-text"), words[status]);
  setText(at("alive-age"), silence === null ? "" : `last event ${span(silence)} ago`);
  document.body.classList.toggle("old", ["lost", "stale", "locked"].includes(status));
  drawNotice(status);
}

let noticed = "";
function drawNotice(status) {
  const told = ["lost", "never", "locked"].includes(status) ? `${status} ${link.refusal ?? ""} ${session.key?.id}` : "";
  if (told === noticed) { return; }
  noticed = told;
  at("notice").hidden = told === "";
  if (told === "") { return; }
  if (status === "locked") {
    const why = session.key ? `The server refused this key: ${link.refusal}` : "This dashboard needs an access key.";
    fill(at("notice"), [el("b", {}, why), " ", el("button", { type: "button", click: () => signIn(why) }, "Sign in")]);
    signIn(why);
    return;
  }
  const what = link.refusal ? `The server refused: ${link.refusal}` : status === "lost" ? "The connection to the server is lost." : "The server can't be reached.";
  fill(at("notice"), [el("b", {}, what), status === "lost" ? " The page shows the last known state." : "", " Retrying. ",
    el("button", { type: "button", click: () => stream.hurry() }, "Try now")]);
}

/* ---- keys ---- */

const places = { b: "board", i: "instances", s: "services", r: "traffic", t: "tasks", w: "waiting", u: "usage", e: "events" };
/* On the board: five minutes before, after, and back to now. */
const moments = { ",": () => views.board.move(-5), ".": () => views.board.move(5), l: () => views.board.goTo(null) };
let chord = 0;

function onKey(event) {
  if (isAsking() || event.ctrlKey || event.metaKey || event.altKey) { return; }
  if (event.key === "Escape") { onEscape(event); return; }
  if (event.target.closest("input, textarea, select")) { return; }
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector("main input[type=search]")?.select();
  } else if (event.key === "g") {
    chord = performance.now();
  } else if (view === views.board && event.key in moments) {
    moments[event.key]();
  } else if (event.key in places && performance.now() - chord < CHORD_MS) {
    chord = 0;
    location.hash = hashFor(places[event.key]);
  }
}

function onEscape(event) {
  const goal = readRoute();                  /* the address may be newer than the shown view */
  at("card").hidden = true;
  if (event.target.matches("input[type=search]")) {
    event.target.blur();
  } else if (goal.id) {
    location.hash = view.parent ? hashFor(view.parent, goal.id) : hashFor(goal.view, null, goal.params);
  } else {
    const given = ["task", "machine"].find((name) => goal.params.has(name));
    if (given) { location.hash = hashWith(goal, { [given]: null }); }
  }
}

/* ---- start ---- */

const stream = new Stream(state, { changed: onChange, told: (news) => {
  link = news;
  drawAlive();
} });
const corner = new Corner(at("corner"));
session.changed = () => {
  if (!session.key) { location.reload(); return; }       /* what only that key could read must not stay on the page */
  corner.draw();
  stream.hurry();
  drawSoon();
};
corner.draw();
addEventListener("hashchange", showRoute);
addEventListener("keydown", onKey);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();                    /* its address is not a page */
  at("main").focus();
});
addEventListener("online", () => stream.hurry());
addEventListener("resize", () => views.board.watchWidth());
let restTimer = 0;
document.addEventListener("visibilitychange", () => {
  clearTimeout(restTimer);
  if (document.hidden) { restTimer = setTimeout(() => stream.rest(), REST_AFTER_MS); } else { stream.resume(); }
});
setInterval(() => {
  tick();
  drawAlive();
}, 1000);
setInterval(() => { if (view === views.usage) { view.ask(); } }, QUEUE_LOOK_MS);
setInterval(() => { if (view === views.waiting || taskPanel.waits()) { queue.ask(); } }, QUEUE_LOOK_MS);
setInterval(() => { if (state.use.size > 0) { drawSoon(); } }, OLD_EVERY_MS);
showRoute();
stream.start();
