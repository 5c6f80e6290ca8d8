/* happenings.js: what happened, the newest first: made of the times and texts that tasks, machines and services carry, and of the changes that the page saw
 * come. Refuses to know the page.
 *
 * Each: { at, kind, id, name, cluster, words, bad, view, target }, where view and target are the address of its object. */
import { failed, outcome } from "./state.js";
import { shortId } from "./dom.js";

export const KINDS = ["task", "machine", "GPU", "service"];
const TASK_STEPS = [["created", "requested"], ["pullStarted", "pull started"], ["started", "started"], ["stopping", "stop requested"], ["stopped", "stopped"]];

function ofTask(task) {
  return TASK_STEPS.flatMap(([step, words]) => {
    if (!task[step]) { return []; }
    const told = step === "stopped" ? [words, outcome(task)].filter(Boolean).join(": ") : step === "created" && task.startedBy ? `${words} by ${task.startedBy}` : words;
    return [{ at: task[step], kind: "task", id: task.id, name: `${task.family} · ${shortId(task.id)}`, cluster: task.cluster, words: told, bad: step === "stopped" && failed(task), view: "tasks", target: task.id }];
  });
}

const machineEvent = (instance, at, kind, words, bad) => ({ at, kind, id: instance.id, name: instance.name, cluster: instance.cluster, words, bad, view: "instances", target: instance.id });
const serviceEvent = (service, at, words, bad = false) => ({ at, kind: "service", id: service.id, name: service.name, cluster: service.cluster, words, bad, view: "services", target: service.id });

function ofMachine(instance) {
  const faults = instance.gpus.flatMap(({ fault }, slot) => (fault?.since
    ? [machineEvent(instance, fault.since, "GPU", `GPU ${slot} ${fault.gone ? "gone" : "quarantined"}: ${fault.reason}${fault.by ? ` (${fault.by})` : ""}`, true)] : []));
  const came = instance.changed && instance.changed !== instance.registered;
  return [...faults, instance.registered ? machineEvent(instance, instance.registered, "machine", "registered", false) : null,
    came ? machineEvent(instance, instance.changed, "machine", instance.connected ? "agent connected" : "agent silent", !instance.connected) : null].filter(Boolean);
}

function ofService(service) {
  return [...service.events.map(({ at, message }) => serviceEvent(service, at, message, /unable|fail|unhealthy|rolled back|roll back/i.test(message))), serviceEvent(service, service.created, "created")];
}

function ofSeen({ at, kind, item, words, bad }) { return kind === "service" ? serviceEvent(item, at, words, bad) : machineEvent(item, at, kind, words, bad); }

export function happenings(state) {
  const past = [...state.past.values()].filter(({ id }) => !state.tasks.has(id));
  return [...[...state.tasks.values(), ...past].flatMap(ofTask), ...[...state.instances.values()].flatMap(ofMachine), ...[...state.services.values()].flatMap(ofService), ...state.seen.map(ofSeen)]
    .filter(once()).sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1));
}

/* A service may say the same twice within a millisecond. */
function once() {
  const known = new Set();
  return (event) => known.size < known.add(keyOf(event)).size;
}

export function keyOf({ at, kind, id, words }) { return `${at} ${kind} ${id} ${words}`; }

/* As JSON, for a report: times as ISO, and nothing of the page. */
export function asJson(list) {
  return JSON.stringify(list.map(({ at, kind, id, name, cluster, words, bad }) => ({ at: new Date(at).toISOString(), kind, id, name, cluster, event: words, bad })), null, 2);
}
