/* acts.js: what a signed-in person may do, as data: the question, the request, and the command that does the same. Refuses to know the page and the network.
 *
 * An act: { title, button, words, bad, fields, operation, input } for an operation of ECS, or { …, path, input, command } for a path of Berth's own.
 * A field: { label, attributes, value, put(input, value) }. */
import { aws, shell, shortId } from "./dom.js";

const REASON = "Stopped on the dashboard";

/* "StopTask" is "stop-task", and "containerInstances" "container-instances". */
export function dashed(name) { return name.replace(/[A-Z]/g, (letter, at) => `${at > 0 ? "-" : ""}${letter.toLowerCase()}`); }

function wordsOf(name, value) {
  if (value === undefined || value === null) { return []; }
  if (typeof value === "boolean") { return [`--${value ? "" : "no-"}${dashed(name)}`]; }
  const plain = (one) => (typeof one === "object" ? JSON.stringify(one) : one);
  if (Array.isArray(value) && value.some((one) => typeof one === "object")) { return [`--${dashed(name)}`, JSON.stringify(value)]; }
  return [`--${dashed(name)}`, ...[value].flat().map(plain)];
}

export function commandOf(act, input, region) {
  if (act.command) { return act.command(input); }
  return aws(region, dashed(act.operation), ...Object.entries(input).flatMap(([name, value]) => wordsOf(name, value)));
}

/* ---- tasks ---- */

export function stopTask(task, machine) {
  return { title: `Stop task ${shortId(task.id)}?`, button: "Stop the task", bad: true, operation: "StopTask", input: { cluster: task.cluster, task: task.id, reason: REASON },
    words: [`${task.family}${machine ? ` on ${machine}` : ""}. Its containers get SIGTERM, and SIGKILL when their stop timeout is over.`,
      task.service ? `The service ${task.service} will start another one.` : ""],
    fields: [{ label: "Reason", value: REASON, attributes: { maxlength: 255 }, put: (input, value) => ({ ...input, reason: value || undefined }) }] };
}

/* `told`: the task as DescribeTasks has it, with its tags. A tag that begins with "berth:" is a wish for the placement, and is meant again. */
export function runAgain(task, told = {}) {
  const clean = (value) => (Array.isArray(value) ? value.map(clean) : typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, clean(one)]).filter(([, one]) => !isEmpty(one))) : value);
  const overrides = clean({ ...told.overrides, containerOverrides: (told.overrides?.containerOverrides ?? []).filter((one) => Object.entries(one).some(([name, value]) => name !== "name" && !isEmpty(value))) });
  const tags = (told.tags ?? []).filter(({ key }) => !key.startsWith("aws:")).map(({ key, value }) => ({ key, value }));
  return { title: `Run ${task.family} again?`, button: "Run it", operation: "RunTask",
    words: ["A new task with the same definition, overrides and tags. ", task.service ? `It will not belong to the service ${task.service}.` : ""],
    input: { cluster: task.cluster, taskDefinition: task.family, count: 1, group: task.service || !task.group || task.group === `family:${task.family.split(":")[0]}` ? undefined : task.group,
      startedBy: task.service ? undefined : task.startedBy ?? undefined, overrides: isEmpty(overrides) ? undefined : overrides, tags: tags.length > 0 ? tags : undefined },
    fields: [{ label: "How many", value: "1", attributes: { type: "number", min: 1, max: 10, required: true }, put: (input, value) => ({ ...input, count: Number(value) }) }] };
}

function isEmpty(value) { return value === undefined || value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0); }

/* ---- machines ---- */

const STATES = {
  DRAINING: { title: (name) => `Drain ${name}?`, button: "Drain", bad: true, words: ["It gets no new tasks. Tasks of services are replaced elsewhere and then stop; other tasks run on until they end."] },
  ACTIVE: { title: (name) => `Activate ${name}?`, button: "Activate", bad: false, words: ["It gets tasks again."] },
};

export function setMachine(instance, status) {
  const { title, button, bad, words } = STATES[status];
  return { title: title(instance.name), button, bad, words, operation: "UpdateContainerInstancesState", input: { cluster: instance.cluster, containerInstances: [instance.id], status } };
}

export function setGpu(instance, slot, state) {
  const gpu = instance.gpus[slot], out = state === "QUARANTINED";
  return { title: `${out ? "Quarantine" : "Restore"} GPU ${slot} of ${instance.name}?`, button: out ? "Quarantine" : "Restore", bad: out, path: "/berth/v1/gpus",
    words: [`${gpu.uuid}. `, out ? "No new task gets it. A task that holds it keeps it." : "It goes back into the pool."],
    input: { uuid: gpu.uuid, state, ...(out ? { reason: "Quarantined on the dashboard" } : {}) },
    command: ({ uuid, reason }) => shell("berth", "gpu", out ? "quarantine" : "restore", uuid, ...(reason ? ["--reason", reason] : []), "--server", location.origin),
    fields: out ? [{ label: "Reason", value: "Quarantined on the dashboard", attributes: { maxlength: 255 }, put: (input, value) => ({ ...input, reason: value || undefined }) }] : [] };
}

/* ---- services ---- */

const ofService = ({ cluster, name }) => ({ cluster, service: name });

export function scale(service) {
  return { title: `Scale ${service.name}?`, button: "Scale", words: [`It has ${service.running} running of ${service.desired} desired tasks.`], operation: "UpdateService", preflight: "/berth/v1/whatif/service",
    input: { ...ofService(service), desiredCount: service.desired },
    fields: [{ label: "Desired tasks", value: String(service.desired), attributes: { type: "number", min: 0, max: 10000, required: true }, put: (input, value) => ({ ...input, desiredCount: Number(value) }) }] };
}

/* `known`: definitions to choose from, the newest first. The same definition again starts its tasks again. */
export function deploy(service, known = []) {
  const put = (input, value) => ({ ...input, taskDefinition: value, forceNewDeployment: value === service.taskDefinition ? true : undefined });
  const value = known[0] ?? service.taskDefinition ?? "";
  return { title: `Deploy ${service.name}?`, button: "Deploy", words: [`It runs ${service.taskDefinition ?? "no definition"}.`], operation: "UpdateService", preflight: "/berth/v1/whatif/service",
    input: put(ofService(service), value), fields: [{ label: "Task definition", value, choices: known, attributes: { required: true }, put }] };
}

/* `told`: a service deployment as DescribeServiceDeployments has it. Null: no hook of it waits for a person. */
export function goOn(service, told) {
  const hook = (told?.lifecycleHookDetails ?? []).find(({ status }) => status === "AWAITING_ACTION");
  return hook ? { title: `Continue the deployment of ${service.name}?`, button: "Continue", operation: "ContinueServiceDeployment",
    words: [`It waits at the stage ${told.lifecycleStage ?? "?"}, where a pause was asked for. "Roll back" ends it instead.`],
    input: { serviceDeploymentArn: told.serviceDeploymentArn, hookId: hook.hookId, action: "CONTINUE" } } : null;
}

/* While a rollout goes on, it is turned back; afterwards the definition before is deployed. Both null: there is nothing to go back to. */
export function rollBack(service, { rolling, before }) {
  const title = `Roll ${service.name} back?`, button = "Roll back";
  if (rolling) {
    return { title, button, bad: true, words: ["The rollout stops, and the revision before it comes back."], operation: "StopServiceDeployment", input: { serviceDeploymentArn: rolling, stopType: "ROLLBACK" } };
  }
  return before ? { ...deploy(service, [before]), title, button, bad: true, words: [`It runs ${service.taskDefinition}. Before, it ran ${before}.`], fields: [] } : null;
}
