/* acting.js: the buttons beside a task, a machine or a service, and the question that each asks once: what will happen, the command that does the same,
 * and for a service whether there is room. Only with a key that may act; without one the page only reads. */
import { commandOf, deploy, goOn, rollBack } from "./acts.js";
import { field, openDialog } from "./dialog.js";
import { command, el, fill } from "./dom.js";
import { session } from "./session.js";
import { signIn } from "./sign_in.js";
import { isRolling } from "./state.js";

const PREFLIGHT_AFTER_MS = 300;
const REVISIONS_ASKED = 20;

/* list: { label, bad, act(): an act or a promise of one; null: there is nothing to do }, or null. */
export function actRow(list, region) {
  if (!session.key) { return el("p.acts", {}, el("button", { type: "button", click: () => signIn() }, "Sign in to act")); }
  if (!session.canAct) { return el("p.acts.soft", {}, `The key of ${session.key.user} (${session.key.role}) may read, not act.`); }
  return el("p.acts", {}, list.filter(Boolean).map(({ label, bad, act, nothing }) => el("button", { type: "button", "data-bad": bad, click: () => begin(act, label, nothing, region) }, label)));
}

async function begin(act, label, nothing, region) {
  try {
    const made = await act();
    if (made) { ask(made, region); } else { tell(label, nothing); }
  } catch (error) { tell(label, error.message); }
}

function tell(title, words) { openDialog({ title, button: "OK", parts: [el("p", { role: "alert" }, words)], run: () => {} }); }

function ask(act, region) {
  let { input } = act;
  const cli = el("div"), room = el("p.why.room", { "aria-live": "polite" });
  const inputs = (act.fields ?? []).map((one, n) => {
    const { input: node, root } = field(one.label, { ...one.attributes, value: one.value, list: one.choices ? `choices-${n}` : null });
    if (one.choices) { root.append(el("datalist", { id: `choices-${n}` }, one.choices.map((choice) => el("option", { value: choice })))); }
    return { ...one, node, root };
  });
  const preflight = new Preflight(act, room);
  const read = () => {
    input = inputs.reduce((given, { node, put }) => put(given, node.value.trim()), act.input);
    fill(cli, [command(commandOf(act, input, region))]);
    preflight.look(input);
  };
  for (const { node } of inputs) { node.addEventListener("input", read); }
  read();
  openDialog({ title: act.title, button: act.button, bad: act.bad, parts: [el("p", {}, act.words), inputs.map(({ root }) => root), act.preflight ? room : null,
    el("p.soft", {}, "The same from the command line:"), cli], run: () => perform(act, input) });
}

async function perform(act, input) {
  const reply = act.path ? await session.post(act.path, input) : await session.call(act.operation, input);
  const [failure] = reply.failures ?? [];
  if (failure) { throw new Error([failure.reason, failure.detail].filter(Boolean).join(": ")); }
}

/* Whether a change of a service would have room, asked while it is being written. */
class Preflight {
  constructor(act, root) { Object.assign(this, { act, root, round: 0 }); }

  look(input) {
    if (!this.act.preflight) { return; }
    this.round += 1;
    const { round } = this;
    setTimeout(async () => {
      if (round !== this.round || !this.root.isConnected) { return; }
      const words = await session.post(this.act.preflight, input).then(({ detail }) => detail, (error) => error.message);
      if (round === this.round) { fill(this.root, [words]); }
    }, PREFLIGHT_AFTER_MS);
  }
}

/* ---- what must be asked before the question ---- */

export async function deployAct(service) {
  const [familyPrefix] = (service.taskDefinition ?? "").split(":");
  if (!familyPrefix) { return deploy(service); }
  const { taskDefinitionArns } = await session.call("ListTaskDefinitions", { familyPrefix, sort: "DESC", maxResults: REVISIONS_ASKED });
  return deploy(service, taskDefinitionArns.map(shortName));
}

export async function rollBackAct(service) {
  const { serviceDeployments } = await session.call("ListServiceDeployments", { cluster: service.cluster, service: service.name, maxResults: REVISIONS_ASKED });
  if (isRolling(service) && serviceDeployments.length > 0) { return rollBack(service, { rolling: serviceDeployments[0].serviceDeploymentArn }); }
  const serviceRevisionArns = [...new Set(serviceDeployments.map(({ targetServiceRevisionArn }) => targetServiceRevisionArn))];
  if (serviceRevisionArns.length === 0) { return null; }
  const { serviceRevisions } = await session.call("DescribeServiceRevisions", { serviceRevisionArns });
  const definitions = new Map(serviceRevisions.map(({ serviceRevisionArn, taskDefinition }) => [serviceRevisionArn, shortName(taskDefinition)]));
  return rollBack(service, { before: serviceRevisionArns.map((arn) => definitions.get(arn)).find((name) => name && name !== service.taskDefinition) });
}

export async function goOnAct(service) {
  const { serviceDeployments: [newest] } = await session.call("ListServiceDeployments", { cluster: service.cluster, service: service.name, maxResults: 1 });
  if (!newest) { return null; }
  const { serviceDeployments: [told] } = await session.call("DescribeServiceDeployments", { serviceDeploymentArns: [newest.serviceDeploymentArn] });
  return goOn(service, told);
}

export async function taskAsTold(task) {
  const { tasks } = await session.call("DescribeTasks", { cluster: task.cluster, tasks: [task.id], include: ["TAGS"] });
  return tasks[0];                           /* undefined: its record is removed */
}

/* "web:3" of the definition's ARN. */
function shortName(arn) { return (arn ?? "").split("/").pop(); }
