/* pulls.js: progress of the images that tasks wait for. Commits do not include it, so the page asks the server repeatedly, but only
 * while a task is pending. Refuses to know the page. */
import { session } from "./session.js";
import { phase } from "./state.js";

const EVERY_MS = 2000;

export class Pulls {
  /* changed(): there is a new answer. */
  constructor(state, { changed }) {
    Object.assign(this, { state, changed, busy: false });
    setInterval(() => this.look(), EVERY_MS);
  }

  async look() {
    const waits = [...this.state.tasks.values()].some((task) => phase(task) === "pending");
    if (this.busy || document.hidden || (!waits && this.state.pulls.size === 0)) { return; }
    this.busy = true;
    try {
      const reply = waits ? await session.ask("/berth/v1/pulls", { signal: AbortSignal.timeout(EVERY_MS * 5) }) : null;
      this.state.takePulls(reply?.ok ? (await reply.json()).pulls : []);
    } catch {                                /* the top line shows that the server is gone; its answer is old by then */
      this.state.takePulls([]);
    }
    this.busy = false;
    this.changed();
  }
}
