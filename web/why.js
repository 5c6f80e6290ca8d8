/* why.js: the server's text of `berth why` about the task or service that a panel shows. */
import { el, fill, setText } from "./dom.js";
import { session } from "./session.js";

export class Why {
  constructor() {
    this.root = el("p.why.place", { "aria-live": "polite" });
    this.decision = el("div.decision");      /* how it was placed, as it was decided then */
    this.round = 0;
  }

  /* The panel shows another task or service. */
  forget() {
    this.round += 1;
    this.told = null;
    setText(this.root, "");
    fill(this.decision, []);
  }

  /* `query` names the task or service. The text is asked for again when `drawn`, the state on the page, has changed. */
  async ask(query, drawn) {
    const { round } = this;
    if (this.asking || this.told === drawn) { return; }
    this.asking = true;
    try {
      const reply = await session.ask(`/berth/v1/why?${new URLSearchParams(query)}`);
      const { detail = "", choice, strategies = [], constraints = [] } = reply.ok ? await reply.json() : {};
      if (round === this.round) {
        setText(this.root, detail);
        const repeats = this.root.isConnected && detail.includes(choice);
        const words = [choice && !repeats ? choice : null, strategies.length > 0 ? `Strategies: ${strategies.join(", ")}` : null, constraints.length > 0 ? `Constraints: ${constraints.join(", ")}` : null].filter(Boolean);
        fill(this.decision, words.length > 0 ? [el("h3", {}, "How it was placed"), words.map((text) => el("p", {}, text))] : []);
        this.told = drawn;
      }
    } catch {                                /* the top line shows that the server is gone; this is asked again */
    } finally {
      this.asking = false;
    }
  }
}
