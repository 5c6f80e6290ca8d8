/* stream.js: keeps a State up to date with the server. Reads the event stream with fetch rather than EventSource, which hides
 * the heartbeats (comments) that prove a quiet server alive, and the status of a refusal. Each loss is followed by a new try
 * that begins with the whole board: behind the same address may be a server with another store, whose revisions mean nothing here. */
import { learnTime } from "./dom.js";
import { refusalOf, session } from "./session.js";

const SILENCE_MS = 45000;                    /* the server's heartbeats come more often: the connection is dead, start again */
const RETRY_MS = [500, 1000, 2000, 5000];
const LOCKED_MS = 30000;                     /* without the right key; a key ends the wait */
const TAKE_AGAIN_MS = 500;                   /* at most two whole boards per second, however often the server sends "reset" */

export class Stream {
  /* changed(): the state is new. told(link): the link is. */
  constructor(state, { changed, told }) {
    this.state = state;
    this.changed = changed;
    this.told = told;
    this.link = { status: "wait", heard: null, changed: null, refusal: null };
    this.failures = 0;
    this.resting = null;                     /* a promise while the page is hidden, which ends when it is shown; run() clears it */
  }

  start() { this.run(); }

  /* Ends the wait before a retry: the page is shown, or the network is back. */
  hurry() { this.wake?.(); }

  /* A hidden page closes its connection: each viewer costs the server a thread. */
  rest() {
    this.resting = new Promise((resolve) => { this.rise = resolve; });
    this.abort?.abort();
  }

  resume() {
    this.rise?.();
    this.hurry();
  }

  async run() {
    for (;;) {
      while (this.resting) {
        const { resting } = this;
        this.tell({ status: "rest" });
        await resting;
        this.tell({ status: "wait" });
        if (this.resting === resting) { this.resting = null; }     /* otherwise it has started again */
      }
      try {
        await this.load();
        if (this.resting) { continue; }
        await this.follow();
        await this.pause(TAKE_AGAIN_MS);     /* the server said "reset" */
      } catch (error) {
        if (this.resting) { continue; }
        this.tell({ status: error.locked ? "locked" : this.state.loaded ? "lost" : "never", refusal: error.refused ? error.message : null });
        await this.pause(error.locked ? LOCKED_MS : RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)]);
        this.failures += 1;
      }
    }
  }

  pause(ms) {
    return new Promise((resolve) => {
      this.wake = resolve;
      setTimeout(resolve, ms);
    });
  }

  tell(news) {
    Object.assign(this.link, news);
    this.told(this.link);
  }

  heard() {
    this.failures = 0;
    this.tell({ status: "live", heard: Date.now(), refusal: null });
  }

  async load() {
    const reply = await answered(session.ask("/berth/v1/state", { signal: AbortSignal.timeout(SILENCE_MS) }));
    learnTime(reply.headers.get("date"));    /* before the board, which may take a while to come */
    this.state.replace(await reply.json());
    this.heard();
    this.changed();
  }

  /* Returns when the whole board must be loaded again; throws when the stream ends. */
  async follow() {
    const abort = new AbortController();
    this.abort = abort;
    let watch = setTimeout(() => abort.abort(), SILENCE_MS);
    try {
      const reply = await answered(session.ask(`/berth/v1/events?since=${this.state.revision}`,
        { headers: { accept: "text/event-stream" }, signal: abort.signal }));
      const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
      const events = new Events();
      this.heard();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) { throw new Error("the server ended the stream"); }
        clearTimeout(watch);
        watch = setTimeout(() => abort.abort(), SILENCE_MS);
        this.heard();
        for (const event of events.take(value)) {
          if (event.name === "reset") { return; }
          if (event.name === "changes") { this.take(JSON.parse(event.data)); }
          if (event.name === "use") {
            this.state.takeUse(JSON.parse(event.data));
            this.changed();
          }
        }
      }
    } finally {
      clearTimeout(watch);
      abort.abort();
    }
  }

  take(changes) {
    this.state.change(changes);
    this.tell({ changed: Date.now() });
    this.changed();
  }
}

async function answered(request) {
  const reply = await request;
  if (reply.ok) { return reply; }
  throw Object.assign(new Error(await refusalOf(reply)), { refused: true, locked: reply.status === 401 });
}

/* The text/event-stream format: lines "event: name" and "data: text", an empty line ends an event, ":" begins a comment. */
export class Events {
  constructor() { Object.assign(this, { rest: "", name: "", data: [] }); }

  take(text) {
    const lines = (this.rest + text).split(/\r\n|\n/);
    this.rest = lines.pop();
    const events = [];
    for (const line of lines) {
      if (line === "") {
        if (this.data.length > 0 || this.name !== "") { events.push({ name: this.name || "message", data: this.data.join("\n") }); }
        this.name = "";
        this.data = [];
        continue;
      }
      const [, field, value] = line.match(/^([^:]*):? ?(.*)$/);
      if (field === "event") { this.name = value; }
      if (field === "data") { this.data.push(value); }
    }
    return events;
  }
}
