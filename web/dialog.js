/* dialog.js: a question over the page. It asks once, says what the server refused, and ends when the request is done. */
import { el, fill } from "./dom.js";

/* run() does it; what it throws is shown, and the dialog stays. Escape closes it, and the focus goes back. */
export function openDialog({ title, parts, button, bad = false, run }) {
  const refused = el("p.refused", { role: "alert" });
  const go = el("button.go", { type: "submit", "data-bad": bad }, button);
  const submit = async (event) => {
    event.preventDefault();
    if (go.disabled) { return; }
    go.disabled = true;
    fill(refused, []);
    try {
      await run();
      box.close();
    } catch (error) { fill(refused, [error.name === "TimeoutError" || error instanceof TypeError ? "The server can't be reached." : error.message]); }
    go.disabled = false;
  };
  const form = el("form", { submit }, el("h2", {}, title), parts, refused, el("p.buttons", {}, el("button", { type: "button", click: () => box.close() }, "Cancel"), go));
  const box = el("dialog", { "aria-label": title, close: () => box.remove() }, form);
  document.body.append(box);
  box.showModal();
  return box;
}

export function isAsking() { return document.querySelector("dialog[open]") !== null; }

/* A named input of a dialog. */
export function field(label, attributes) {
  const input = el("input", { autocomplete: "off", spellcheck: "false", autocapitalize: "off", ...attributes });
  return { input, root: el("label.field", {}, el("span", {}, label), input) };
}
