/* queue.js: the tasks that wait for room, as the server tells them (GET /berth/v1/queue). The thread that writes the store answers, so it is asked
 * only while the page shows them, and not often. Refuses to know the page. */
import { session } from "./session.js";

const PAUSE_MS = 3000;
const ANSWER_MS = 10000;

export class Queue {
  /* changed(): there is a new answer. */
  constructor({ changed }) {
    Object.assign(this, { changed, version: 0, count: 0, entries: [], byTask: new Map(), refused: null, asking: false, askedAt: -Infinity });
  }

  /* Asks again, if the last question is long enough ago. */
  async ask() {
    if (this.asking || document.hidden || performance.now() < this.askedAt + PAUSE_MS) { return; }
    this.asking = true;
    this.askedAt = performance.now();
    try {
      const reply = await session.ask("/berth/v1/queue", { signal: AbortSignal.timeout(ANSWER_MS) });
      this.refused = reply.ok ? null : reply.status;
      if (reply.ok) { this.take(await reply.json()); }
      this.changed();
    } catch {                                /* the top line shows that the server is gone; this is asked again */
    } finally {
      this.asking = false;
    }
  }

  /* The place of an entry is that in its cluster: each cluster has its own room. */
  take({ count, entries }) {
    const last = new Map();
    this.count = count;
    this.entries = entries.map((entry) => {
      const place = (last.get(entry.cluster) ?? 0) + 1;
      last.set(entry.cluster, place);
      return { ...entry, place };
    });
    this.byTask = new Map(this.entries.flatMap((entry) => entry.tasks.map((id) => [id, entry])));
    this.version += 1;
  }
}

/* Entries with the same lack have the same text. It is shown with the first of them; the others name the place of that one. Gives each entry with `first`, that one. */
export function withFirst(entries) {
  const firsts = new Map();
  return entries.map((entry) => {
    const lack = JSON.stringify([entry.cluster, entry.reason, entry.detail]);
    if (!firsts.has(lack)) { firsts.set(lack, entry); }
    return { ...entry, first: firsts.get(lack) };
  });
}
