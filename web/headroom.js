/* headroom.js: how many more GPU tasks fit in each cluster. Asked of the server after the board has changed, at most once a second;
 * an answer that is older than the board is asked for again. Refuses to know the page. */
import { session } from "./session.js";

const PAUSE_MS = 1000;
const RETRY_MS = 5000;

export class Headroom {
  /* changed(): there is a new answer. */
  constructor({ changed }) {
    Object.assign(this, { changed, clusters: [], wanted: null, answered: null, askedAt: -Infinity, busy: false });
  }

  /* The board now has this revision. */
  follow(revision) {
    this.wanted = revision;
    if (!this.busy && this.wanted !== this.answered) { this.askIn(Math.max(0, this.askedAt + PAUSE_MS - performance.now())); }
  }

  askIn(ms) {
    this.busy = true;
    setTimeout(() => this.ask(), ms);
  }

  async ask() {
    const { wanted } = this;
    this.askedAt = performance.now();
    let pause = PAUSE_MS;
    try {
      const reply = await session.ask("/berth/v1/headroom", { signal: AbortSignal.timeout(RETRY_MS) });
      if (!reply.ok) { throw new Error(`the server answered ${reply.status}`); }
      const { revision, clusters } = await reply.json();
      if (revision >= wanted) { this.answered = wanted; }
      this.clusters = clusters;
      this.changed();
    } catch {                                /* the top line shows that the server is gone; this is asked again */
      pause = RETRY_MS;
    }
    this.busy = false;
    if (this.wanted !== this.answered) { this.askIn(pause); }
  }
}

/* "22×1 · 4×4 · 1×8": tasks × GPUs. */
export function fitsText(fits) {
  return fits.filter(({ tasks }) => tasks > 0).map(({ tasks, gpus }) => `${tasks.toLocaleString("en")}×${gpus}`).join(" · ") || "no GPU task";
}

export function fitsTitle(fits) {
  return "Tasks that fit, if all have that size: " + fits.map(({ tasks, gpus }) => `${tasks.toLocaleString("en")} with ${gpus} GPU${gpus === 1 ? "" : "s"}`).join(", ");
}
