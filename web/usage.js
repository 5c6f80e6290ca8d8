/* usage.js: GPU-hours by whom, as the server adds them up (GET /berth/v1/usage), and as CSV. Refuses to know the page. */
import { refusalOf, session } from "./session.js";

const PAUSE_MS = 15000;
const ANSWER_MS = 30000;

export const FIGURES = ["tasks", "running", "held", "used", "idle", "unknown", "queued"];

export class Usage {
  /* changed(): there is a new answer. */
  constructor({ changed }) { Object.assign(this, { changed, version: 0, answer: null, refused: null, asked: null, askedAt: -Infinity, asking: false }); }

  /* Asks for this question if it is another one than before, or the last answer is long enough ago. */
  async ask(by, since) {
    const path = `/berth/v1/usage?by=${encodeURIComponent(by)}&since=${since}`;
    if (path !== this.asked) { Object.assign(this, { answer: null, refused: null, asked: path, askedAt: -Infinity }); }
    if (this.asking || document.hidden || performance.now() < this.askedAt + PAUSE_MS) { return; }
    this.asking = true;
    this.askedAt = performance.now();
    try {
      const reply = await session.ask(path, { signal: AbortSignal.timeout(ANSWER_MS) });
      const refused = reply.ok ? null : await refusalOf(reply), answer = reply.ok ? await reply.json() : null;
      if (path === this.asked) {
        Object.assign(this, { answer, refused, version: this.version + 1 });
        this.changed();
      }
    } catch {                                /* the top line shows that the server is gone; this is asked again */
    } finally {
      this.asking = false;
    }
  }
}

/* Held hours that were used, from 0 to 1; null where no sample says. */
export function partUsed({ held, used, unknown }) { return held - unknown > 0 ? used / (held - unknown) : null; }

/* A text that begins as a formula would is one in a spreadsheet; a quotation mark before it keeps it a text. */
function cell(text) {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function asCsv({ by, groups, others, total }) {
  const line = (key, sums) => [cell(key), ...FIGURES.map((name) => String(sums[name]))].join(",");
  return [[cell(by), ...FIGURES].join(","), ...groups.map((group) => line(group.key ?? "", group)), ...(others ? [line("(others)", others)] : []), line("(all)", total), ""].join("\r\n");
}
