/* panel.js: everything about one task, beside the view in which it was selected: its stage, why it runs where it does, its
 * containers, its GPUs and the end of its log. */
import { runAgain, stopTask } from "./acts.js";
import { actRow, taskAsTold } from "./acting.js";
import { fillCurves } from "./curves.js";
import { age, aws, command, cores, count, el, fill, live, mib, moment, number, setText, shell, shortId, span } from "./dom.js";
import { hashFor } from "./route.js";
import { session } from "./session.js";
import { failed, isLive, matches, phase, pullText, waitsForRoom } from "./state.js";
import { containerText, gpuText, orOld } from "./use.js";
import { placeText, waitParts } from "./waiting.js";
import { Why } from "./why.js";

const ASK_EVERY_MS = 2000;
const LOG_READS_AFTER = 3;                   /* an agent may send the last lines a little later than the end */
const LOG_TAIL = 64 * 1024;                  /* characters shown; the log command prints all */

export function badge(task) {
  const shown = phase(task) === "stopped" && failed(task) ? "bad" : { waiting: "wait", pending: "wait", running: "good", stopped: "off" }[phase(task)];
  const stopping = isLive(task) && task.desiredStatus === "STOPPED" && !/STOPPING|DEPROV|DEACT/.test(task.lastStatus);
  return [el("span.badge", { "data-state": shown }, task.lastStatus), stopping ? " → stop" : ""];
}

const steps = [["created", "requested"], ["pullStarted", "pull"], ["pullStopped", "pulled"], ["started", "started"], ["stopping", "stop requested"], ["stopped", "stopped"]];
const stages = { created: "waiting", pullStarted: "pulling", pullStopped: "starting", started: "running", stopping: "stopping" };

export class TaskPanel {
  constructor(state, queue) {
    Object.assign(this, { state, queue });
    this.id = null;
    this.facts = el("div.facts");
    this.why = new Why();
    this.log = el("pre.log", { tabindex: 0, "aria-label": "Log" });
    this.logNote = el("p.lognote");
    this.logSearch = el("input", { type: "search", placeholder: "Search the log", "aria-label": "Search the log", autocomplete: "off", spellcheck: "false", input: () => this.drawLog() });
    this.logTools = el("p.logtools", {}, el("span.search", {}, this.logSearch), el("button", { type: "button", click: (event) => this.download(event.currentTarget) }, "Download"));
    this.logBox = el("section.logbox", {}, el("h3", {}, "Log"), this.logTools, this.logNote, this.log);
    this.commands = el("div");
    this.root = el("aside.panel", { "aria-label": "Task", tabindex: -1 }, this.facts, this.logBox, this.commands);
    this.root.hidden = true;
    setInterval(() => this.ask(), ASK_EVERY_MS);
  }

  show(id, back) {
    this.back = back;
    this.root.hidden = id === null;
    if (id === this.id) { this.drawn = null; return; }
    this.id = id;
    this.drawn = null;
    this.readsAfter = 0;
    this.logText = "";
    this.logSearch.value = "";
    this.pastRefused = null;
    this.drawLog();
    setText(this.logNote, "");
    this.why.forget();
  }

  update() {
    if (this.id === null) { return; }
    const task = this.state.task(this.id);
    const instance = task && this.state.instances.get(task.instance);
    const text = JSON.stringify([session.key?.id, this.pastRefused, task ?? null, instance?.name, instance?.connected, task && this.state.pullOf(task), task && this.state.serviceOf(task)?.id, this.waits() && this.queue.byTask.get(this.id)]);
    if (text === this.drawn) { return; }
    this.drawn = text;
    this.logBox.hidden = !task;
    fill(this.facts, task ? this.parts(task, instance) : [this.head("Not known"), el("p", {}, "There is no task ", el("span.mono.all", {}, this.id), " here, and the history ",
      this.pastRefused ? "does not know it either." : "is asked.")]);
    fill(this.commands, task ? this.commandParts(task) : [command(shell("berth", "history", this.id, "--server", location.origin))]);
    if (!task) { this.askHistory(); }
    this.ask();
  }

  /* The board has the tasks that stopped last; the history those before. */
  async askHistory() {
    const { id } = this;
    if (this.pastRefused || this.askingPast) { return; }
    if (!/^[0-9a-f]{32}$/.test(id)) {
      this.pastRefused = "it is no id";
      this.update();
      return;
    }
    this.askingPast = true;
    try {
      const reply = await session.ask(`/berth/v1/history/${id}`);
      const { task, logs } = reply.ok ? await reply.json() : {};
      if (task) { this.state.takePast([task]); }
      if (id === this.id && logs) { this.showLog(logs.map(({ text }) => text).join(""), 200, true); }
      if (id === this.id && !task) { this.pastRefused = reply.status; }
    } catch { /* the top line shows that the server is gone; this is asked again */ } finally {
      this.askingPast = false;
    }
    if (id === this.id) { this.update(); }
  }

  /* Does it show a task of the queue? */
  waits() {
    const task = this.state.tasks.get(this.id);
    return task !== undefined && this.root.isConnected && waitsForRoom(task);
  }

  ask() {
    const task = this.state.task(this.id);
    if (!task || document.hidden || !this.root.isConnected) { return; }
    if (this.state.tasks.has(this.id)) { this.readLog(task); }
    if (!waitsForRoom(task)) { this.why.ask({ task: this.id }, this.drawn); }
  }

  head(title, task) {
    return el("div.head", {}, task ? el(`i.swatch.h${this.state.hueOf(task.id)}`) : null, el("h2", {}, title), task ? badge(task) : null,
      task ? el("a.page", { href: hashFor("task", task.id), title: "As a separate page" }, "page") : null, el("a.close", { href: this.back, "aria-label": "Close", title: "Esc" }, "✕"));
  }

  parts(task, instance) {
    const entry = waitsForRoom(task) ? this.queue.byTask.get(task.id) : undefined;
    const held = task.containers.flatMap((container) => container.gpuIds);
    const rows = [
      ["task", el("span.mono.all", {}, task.id)],
      ["cluster", task.cluster],
      ["instance", instance ? el("a", { href: hashFor("instances", instance.id) }, instance.name) : task.instanceName ? task.instanceName : task.instance ? shortId(task.instance) : waitsForRoom(task) ? el("a", { href: hashFor("waiting", task.id) }, entry ? placeText(entry) : "waits for room") : "not placed"],
      ["service", task.service && this.serviceLink(task)],
      ["group", task.group],
      ["started by", task.startedBy],
      ["takes", [`${cores(task.cpu)} CPU`, mib(task.memory), task.gpus > 0 ? `${number(task.gpus)} GPU` : null].filter(Boolean).join(" · ")],
      ["GPU time", task.gpuSeconds ? `${number(Math.round(task.gpuSeconds))} GPU seconds` : null],
      ["tags", (task.tags ?? []).map(({ key, value }) => `${key}=${value}`).join(", ")],
      ["simulated", instance?.simulated ? "yes: this machine or its GPUs are not real" : null],
      ["ARN", el("span.mono.all", {}, task.arn)],
    ].filter(([, value]) => value);
    return [
      this.head(task.family, task),
      actRow([isLive(task) && task.desiredStatus !== "STOPPED" ? { label: "Stop", bad: true, act: () => stopTask(task, instance?.name) } : null,
        { label: "Run again", act: async () => runAgain(task, await taskAsTold(task)) }], this.state.region),
      task.reason || task.stopCode ? el("p.why", { "data-bad": failed(task) }, el("b", {}, task.stopCode ?? "Stopped"), task.reason ? `: ${task.reason}` : "") : null,
      waitsForRoom(task) ? waitParts(task, entry) : isLive(task) ? this.why.root : null,
      pulling(this.state.pullOf(task)),
      timeline(task),
      el("dl", {}, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      held.length > 0 && isLive(task) ? el("p", {}, el("a", { href: hashFor("board", null, { task: task.id }) }, "Show its GPUs on the board")) : null,
      el("h3", {}, "Containers"),
      task.containers.map((item) => container(this.state, task, item)),
      waitsForRoom(task) ? null : this.why.decision,
    ];
  }

  serviceLink(task) {
    const service = this.state.serviceOf(task);
    return service ? el("a", { href: hashFor("services", service.id) }, task.service) : task.service;
  }

  commandParts(task) {
    return [el("h3", {}, "From the command line"),
      command(aws(this.state.region, "describe-tasks", "--cluster", task.cluster, "--tasks", task.id)),
      command(shell("berth", "logs", task.id, "--server", location.origin))];
  }

  /* The end of the log, again and again while the task lives, and a few times after its end. */
  async readLog(task) {
    const { id } = this;
    if (this.readsAfter >= LOG_READS_AFTER || this.reading) { return; }
    this.reading = true;
    const ended = !isLive(task);
    try {
      const reply = await session.ask(`/berth/v1/logs?task=${encodeURIComponent(id)}`);
      const text = reply.ok ? await reply.text() : null;
      if (id !== this.id) { return; }
      this.showLog(text, reply.status, ended);
      this.readsAfter += ended ? 1 : 0;
    } catch {
      if (id === this.id) { setText(this.logNote, "The log can't be read while the server is away."); }
    } finally {
      this.reading = false;
      if (id !== this.id) { this.ask(); }
    }
  }

  showLog(text, status, ended) {
    this.logText = (text ?? "").replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "");
    this.drawLog(text === null && status !== 404 ? `The server did not give the log (${status}).` : this.logText === "" ? (ended ? "No output." : "No output so far.") : "");
  }

  /* The end of the log; or, of the whole log, the last lines that have the words that are searched for. */
  drawLog(note = "") {
    const words = this.logSearch.value.trim();
    const lines = words === "" ? null : this.logText.split("\n").filter((line) => matches(words, line));
    const text = lines ? lines.join("\n") : this.logText;
    const tail = text.length > LOG_TAIL ? text.slice(text.indexOf("\n", text.length - LOG_TAIL) + 1) : text;
    const follow = this.log.scrollTop + this.log.clientHeight >= this.log.scrollHeight - 4;
    this.log.hidden = tail === "";
    this.logTools.hidden = this.logText === "";
    setText(this.log, tail);
    if (follow) { this.log.scrollTop = this.log.scrollHeight; }
    const found = lines ? `${count(lines.length, "line")} found. ` : "";
    setText(this.logNote, note || found + (tail.length < text.length ? "Only the end; the download and the command below have all." : ""));
  }

  /* All that the server has, not only the part on the page. */
  async download(button) {
    const { id } = this;
    try {
      const reply = this.state.tasks.has(id) ? await session.ask(`/berth/v1/logs?task=${encodeURIComponent(id)}`) : null;
      const text = reply?.ok ? await reply.text() : this.logText;
      const href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      el("a", { href, download: `task-${id}.log` }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60000);
    } catch {
      setText(button, "not possible now");
      setTimeout(() => setText(button, "Download"), 2000);
    }
  }
}

function pulling(pull) {
  if (!pull) { return null; }
  const words = pull.layers > 0 ? ` that are known of, ${number(pull.layersDone)} of ${number(pull.layers)} layers are done` : "";
  return el("p.pulling", {}, el("progress", { value: pull.bytes, max: Math.max(1, pull.bytesKnown), "aria-label": "Pull" }), ` ${pullText(pull)}${words}: `,
    el("span.mono.all", {}, pull.image));
}

function container(state, task, item) {
  const use = (kind, known, words) => live(`${kind}.use`, (node) => fill(node, [orOld(known(), words)]));
  return el("div.container", {}, el("p", {}, el("b", {}, item.name ?? "container"), " ",
    el("span.badge", { "data-state": { RUNNING: "good", PENDING: "wait" }[item.status] ?? ((item.exitCode ?? 0) !== 0 ? "bad" : "off") }, item.status),
    item.exitCode === null ? "" : el("span.exit", {}, ` exit code ${item.exitCode}`)),
  item.reason ? el("p.why", {}, item.reason) : null,
  isLive(task) ? use("p", () => state.containerUse(task, item.name), containerText) : null,
  item.gpuIds.length > 0 ? el("ul.uuids", {}, item.gpuIds.map((uuid) => el("li", {}, el("span.mono", {}, uuid, item.gpuShare < 1 ? ` (${number(item.gpuShare)} of it)` : ""),
    isLive(task) ? [use("span", () => state.gpuUse(task.instance, uuid), gpuText), live("div", (node) => fillCurves(node, state.series.get(uuid), state.gpuUse(task.instance, uuid)?.total))] : null))) : null);
}

/* A bar with a piece for each stage, as long as the stage, and the times between them in words. */
function timeline(task) {
  const passed = steps.filter(([name]) => task[name]);
  const bar = el("div.stages", { "aria-hidden": "true" });
  passed.forEach(([name], index) => {
    const next = passed[index + 1];
    if (next === undefined && !isLive(task)) { return; }
    const piece = el(`i.${name}`, { title: stages[name] });
    piece.style.flexGrow = Math.max(1, (next ? task[next[0]] : Date.now()) - task[name]);
    bar.append(piece);
  });
  const list = passed.map(([name, words], index) => el("li", {}, el("span.step", {}, words),
    el("time", { datetime: new Date(task[name]).toISOString() }, moment(task[name])),
    el("span.took", {}, index > 0 ? `+ ${span(task[name] - task[passed[index - 1][0]])}` : ""),
    index === passed.length - 1 && isLive(task) ? age(task[name], { before: "· ", after: " ago" }) : null));
  return el("div.timeline", {}, bar, el("ol", {}, list));
}
