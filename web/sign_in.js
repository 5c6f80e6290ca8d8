/* sign_in.js: the corner that says who is signed in, and the form for a key. The browser's own window for passwords is not used: it would keep the secret. */
import { field, isAsking, openDialog } from "./dialog.js";
import { el, fill } from "./dom.js";
import { session } from "./session.js";

export function signIn(why = null) {
  if (isAsking()) { return; }
  const id = field("Access key id", { name: "id", required: true, placeholder: "AKIA…" });
  const secret = field("Secret access key", { name: "secret", required: true, type: "password" });
  openDialog({
    title: "Sign in", button: "Sign in",
    parts: [why ? el("p", {}, why) : null, id.root, secret.root,
      el("p.soft", {}, "The secret stays in this tab and is never sent: it signs. A key of the role viewer may read, one of the role admin may also act. ", el("code", {}, "berth keys create --role viewer"), " makes one.")],
    run: () => session.signIn(id.input.value.trim(), secret.input.value.trim()),
  });
}

export class Corner {
  constructor(root) { this.root = root; }

  draw() {
    const { key } = session;
    const text = JSON.stringify(key && [key.id, key.role]);
    if (text === this.drawn) { return; }
    this.drawn = text;
    fill(this.root, key ? [el("button", { type: "button", title: key.id, click: () => askSignOut(key) }, el("b", {}, key.user), ` · ${key.role}`)]
      : [el("button", { type: "button", click: () => signIn() }, "Sign in")]);
  }
}

function askSignOut({ id, user, role }) {
  openDialog({ title: `Signed in as ${user}`, button: "Sign out", parts: [el("p", {}, "With the key ", el("code", {}, id), ` of the role ${role}, in this tab.`)], run: () => session.signOut() });
}
