/* older.js: the button that brings more stopped tasks from the history, a page at a time. Lists share how far it is. */
import { el } from "./dom.js";
import { session } from "./session.js";

const PAGE = 100;

export class Older {
  /* changed(): there are more, or a refusal. */
  constructor(state, { changed }) { Object.assign(this, { state, changed, nextToken: undefined, refused: null, asking: false }); }

  button() {
    const node = el("button", { type: "button", click: () => this.ask() }, "Older stopped tasks");
    return Object.assign(node, { update: () => {
      node.disabled = this.asking;
      node.hidden = this.nextToken === null;
    } });
  }

  async ask() {
    this.asking = true;
    this.changed();
    try {
      const token = this.nextToken ? `&nextToken=${encodeURIComponent(this.nextToken)}` : "";
      const reply = await session.ask(`/berth/v1/history?limit=${PAGE}${token}`);
      if (!reply.ok) { throw new Error(`The history can't be read (${reply.status}).`); }
      const { tasks, nextToken } = await reply.json();
      this.state.takePast(tasks);
      this.nextToken = nextToken;
      this.refused = null;
    } catch (error) { this.refused = error instanceof TypeError ? "The server can't be reached." : error.message; }
    this.asking = false;
    this.changed();
  }
}
