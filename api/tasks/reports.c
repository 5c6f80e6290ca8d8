/* reports.c: what agents ask and report. A report only ever moves things forward: what comes late, twice or out of order is
 * acknowledged and changes nothing. Resources are given back by the report that a task is STOPPED, by nothing earlier. ECS's shape
 * of a report does not name the machine: an agent whose key is bound reports of tasks that are placed where it may act, any other of all. */
#include "api/core/binding.h"
#include "api/core/placement.h"
#include "api/handlers.h"
#include "api/tasks/overrides.h"
#include "api/schemas/agents.h"
#include "api/core/support.h"
#include "base/canary.h"
#include "wire/wire.h"

/* ---- DiscoverPollEndpoint ---- */

/* Both sockets get the same path behind their base, so the bases differ. */
bool op_discover_poll_endpoint(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct discover_poll_endpoint_response *response = output;
    struct str base = ctx->config->endpoint;
    (void)input;
    (void)err;
    if (str_ends_with(base, STR("/"))) { base.len--; }
    response->endpoint = arena_printf(ctx->arena, STR_FMT "/acs/", STR_ARG(base));
    response->telemetry_endpoint = arena_printf(ctx->arena, STR_FMT "/tcs/", STR_ARG(base));
    response->service_connect_endpoint = arena_printf(ctx->arena, STR_FMT "/sc/", STR_ARG(base));
    return true;
}

/* ---- a report, whichever operation brought it ---- */

/* The ECS agent cuts its texts to these lengths. Texts of other agents are cut here: a refused report would be sent for ever. */
enum { REASON_MAX = 1024, BINDINGS_MAX = 100, BINDING_TEXT_MAX = 64 };

struct report {
    struct op_ctx *ctx;
    const struct task_definition *def;       /* NULL: could not be read; then containers can't be found by name */
    const struct task *found;                /* as the store has it */
    struct task task;                        /* … and with the report */
    bool changed;
};

/* A deleted cluster has no tasks. The agent drops a report for this answer only, and repeats it after any other. */
static bool report_begin(struct op_ctx *ctx, struct str cluster_reference, struct str task_reference, struct report *report,
                         struct err *err)
{
    struct err unknown = { 0 };
    struct id id;
    const struct cluster *cluster = support_kept_cluster(ctx, cluster_reference, &unknown);
    if (unknown.code == ERR_ACCESS_DENIED) { return err_set(err, unknown.code, "%s", unknown.message); }
    if (cluster == NULL) { return err_set(err, ERR_INVALID_PARAMETER, "The referenced task was not found."); }
    if (!names_read_id(&ctx->config->names, task_reference, STR("task"), cluster->name, &id, err)) { return false; }
    const struct task *found = store_task(ctx->txn, id, ctx->arena);
    if (found == NULL || found->cluster_number != cluster->number) {
        return err_set(err, ERR_INVALID_PARAMETER, "The referenced task was not found.");
    }
    if (!binding_check(ctx, found->instance, err)) { return false; }
    const struct taskdef *taskdef = support_kept_taskdef(ctx, found);
    *report = (struct report){ .ctx = ctx, .def = taskdef == NULL ? NULL : &taskdef->def, .found = found, .task = *found };
    report->task.containers.items =
        arena_copy(ctx->arena, found->containers.items, found->containers.count * sizeof *found->containers.items);
    return true;
}

static void report_end(struct report *report)
{
    if (!report->changed) { return; }
    ASSERT(task_is_live(report->found));
    ASSERT(report->task.version == report->found->version);
    CANARY(REPORT_IS_LOST, if (report->task.last_status == TASK_STOPPED) { return; });
    report->task.version++;
    placement_change_task(report->ctx, report->found, &report->task);
}

/* ---- containers ---- */

/* NULL: the definition or the task has no such container. */
static struct task_container *find_container(struct report *report, struct str name, const struct container_definition **def)
{
    for (size_t c = 0; report->def != NULL && c < report->task.containers.count; c++) {
        struct task_container *container = &report->task.containers.items[c];
        if (container->index < 0 || (uint64_t)container->index >= report->def->container_definitions.count) { continue; }
        *def = &report->def->container_definitions.items[container->index];
        if (str_eq((*def)->name, name)) { return container; }
    }
    return NULL;
}

/* Agents know three words; any other word means a state before RUNNING. */
static enum task_status read_status(struct str word)
{
    if (str_eq(word, STR("RUNNING"))) { return TASK_RUNNING; }
    return str_eq(word, STR("STOPPED")) ? TASK_STOPPED : TASK_PENDING;
}

static void set_text(struct report *report, struct str *held, struct str told)
{
    if (told.len == 0 || str_eq(*held, told)) { return; }
    *held = told;
    report->changed = true;
}

static bool same_bindings(const struct network_binding_list *a, const struct network_binding_list *b)
{
    if (a->count != b->count) { return false; }
    for (size_t i = 0; i < a->count; i++) {
        const struct network_binding *left = &a->items[i], *right = &b->items[i];
        bool same = left->host_port.value == right->host_port.value && left->container_port.value == right->container_port.value
            && left->protocol == right->protocol && str_eq(left->bind_ip, right->bind_ip)
            && str_eq(left->host_port_range, right->host_port_range)
            && str_eq(left->container_port_range, right->container_port_range);
        if (!same) { return false; }
    }
    return true;
}

static void set_bindings(struct report *report, struct task_container *container, const struct network_binding_list *sent)
{
    struct network_binding_list told = { sent->items, sent->count < BINDINGS_MAX ? sent->count : BINDINGS_MAX };
    for (size_t b = 0; b < told.count; b++) {
        struct network_binding *binding = &told.items[b];
        binding->bind_ip = str_shorten(binding->bind_ip, BINDING_TEXT_MAX);
        binding->host_port_range = str_shorten(binding->host_port_range, BINDING_TEXT_MAX);
        binding->container_port_range = str_shorten(binding->container_port_range, BINDING_TEXT_MAX);
    }
    if (told.count == 0 || same_bindings(&container->bindings, &told)) { return; }
    container->bindings = told;
    report->changed = true;
}

/* On the host's own network Docker knows of no bindings, so the agent reports none: they follow from the definition. */
static void fill_host_bindings(struct report *report, struct task_container *container, const struct container_definition *def)
{
    const struct port_mapping_list *mappings = &def->port_mappings;
    if (report->def->network_mode != NETWORK_MODE_HOST || container->bindings.count > 0 || mappings->count == 0) { return; }
    struct network_binding_list *bindings = &container->bindings;
    *bindings = (struct network_binding_list){ ARENA_NEW(report->ctx->arena, struct network_binding, mappings->count), mappings->count };
    for (size_t m = 0; m < mappings->count; m++) {
        const struct port_mapping *mapping = &mappings->items[m];
        bindings->items[m] = (struct network_binding){
            .bind_ip = STR("0.0.0.0"),
            .container_port = mapping->container_port,
            .host_port = opt_int_of(overrides_host_port(NETWORK_MODE_HOST, mapping)),
            .protocol = mapping->protocol == TRANSPORT_PROTOCOL_UNSET ? TRANSPORT_PROTOCOL_TCP : mapping->protocol,
        };
    }
    report->changed = true;
}

/* ---- what runs beside a container ---- */

/* The newest status counts: unlike a container, a managed agent is started again when it ends. */
static void merge_managed_agent(struct report *report, const struct managed_agent_state_change *told)
{
    const struct container_definition *def;
    struct task_container *container = find_container(report, told->container_name, &def);
    if (container == NULL) { return; }
    struct managed_agent_list *list = &container->managed_agents;
    size_t at = 0;
    while (at < list->count && list->items[at].name != told->managed_agent_name) { at++; }
    struct managed_agent agent = { .name = told->managed_agent_name, .last_status = enum_word(&task_status_names, (int)read_status(told->status)) };
    struct managed_agent known = at < list->count ? list->items[at] : (struct managed_agent){ 0 };
    struct str reason = str_shorten(told->reason, REASON_MAX);
    if (str_eq(known.last_status, agent.last_status) && str_eq(known.reason, reason)) { return; }

    bool starts = str_eq(agent.last_status, STR("RUNNING")) && !str_eq(known.last_status, agent.last_status);
    agent.last_started_at = starts ? report->ctx->now_ms : known.last_started_at;
    if (reason.len > 0) { agent.reason = reason; }
    ASSERT(at <= list->count);
    struct managed_agent *items = ARENA_NEW(report->ctx->arena, struct managed_agent, list->count + 1);
    for (size_t a = 0; a < list->count; a++) { items[a] = list->items[a]; }
    items[at] = agent;
    if (at == list->count) { list->count++; }
    list->items = items;
    report->changed = true;
}

static void stop_managed_agents(struct report *report, struct task_container *container)
{
    struct managed_agent_list *list = &container->managed_agents;
    if (list->count == 0) { return; }
    list->items = arena_copy(report->ctx->arena, list->items, list->count * sizeof *list->items);
    for (size_t a = 0; a < list->count; a++) { list->items[a].last_status = STR("STOPPED"); }
}

/* ---- the end of a task ---- */

/* A container that failed because another one is missing has an exit code though it never ran. */
static bool has_run(const struct task_container *container)
{
    bool never = str_starts_with(container->reason, STR("CannotStartContainerError: dependency graph"));
    return container->status == TASK_RUNNING || (container->exit_code.set && !never);
}

/* The errors that keep a container from starting begin with these names; other errors end it later. */
static bool could_not_start(struct str reason)
{
    static const struct str names[] = {
        STR_INIT("Cannot"), STR_INIT("ContainerNetworkingError"), STR_INIT("DockerTimeoutError"), STR_INIT("HostConfigError"),
        STR_INIT("DockerClientConfigError"),
    };
    bool found = false;
    for (size_t n = 0; n < COUNT_OF(names); n++) { found = found || str_starts_with(reason, names[n]); }
    return found;
}

static bool failed_to_start(const struct task *task)
{
    bool could_not = false, ran = task->started_ms != 0;
    for (size_t c = 0; c < task->containers.count; c++) {
        ran = ran || has_run(&task->containers.items[c]);
        could_not = could_not || could_not_start(task->containers.items[c].reason);
    }
    return could_not && !ran;
}

/* Why it ends when nobody ordered it: ECS's own words, because an agent gives no reason for an ordinary end. */
static struct stop_cause usual_cause(const struct task *task)
{
    return failed_to_start(task)
        ? (struct stop_cause){ TASK_STOP_CODE_TASKFAILEDTOSTART, STR("Task failed to start") }
        : (struct stop_cause){ TASK_STOP_CODE_ESSENTIALCONTAINEREXITED, STR("Essential container in task exited") };
}

/* The rest of the task must end too. Its agent is woken, in case it does not know. */
static void order_stop(struct report *report, struct stop_cause cause)
{
    ASSERT(cause.code != TASK_STOP_CODE_UNSET && cause.reason.len > 0);
    if (!task_order_stop(&report->task, cause, report->ctx->now_ms)) { return; }
    report->changed = true;
    support_effect(report->ctx, EFFECT_WAKE_INSTANCE, report->task.instance);
}

/* Reasons for which Berth's agent stops a task by itself. It reports the beginning of that stop too, with a status before STOPPED. */
static enum task_stop_code code_of_reason(struct str reason)
{
    static const struct { struct str reason; enum task_stop_code code; } rows[] = {
        { STR_INIT(WIRE_REASON_SPOT),   TASK_STOP_CODE_SPOTINTERRUPTION },
        { STR_INIT(WIRE_REASON_FENCED), TASK_STOP_CODE_INFRASTRUCTUREHEALTH },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (str_eq(reason, rows[r].reason)) { return rows[r].code; }
    }
    return TASK_STOP_CODE_UNSET;
}

static void note_agents_stop(struct report *report, struct str reason)
{
    enum task_stop_code code = code_of_reason(reason);
    if (code != TASK_STOP_CODE_UNSET) { order_stop(report, (struct stop_cause){ code, reason }); }
}

/* The agent's own reason replaces that of the order: it describes the real end. */
static void stop_task(struct report *report, struct str agents_reason)
{
    struct task *task = &report->task;
    struct instance_traits machine = store_instance_traits(report->ctx->txn, task->instance, report->ctx->arena);
    struct contact contact = task_contact(task, machine.connected, machine.came_ms);
    if (!task_may_become(task->last_status, TASK_STOPPED)) { return; }
    task_become(task, TASK_STOPPED, report->ctx->now_ms);
    for (size_t c = 0; c < task->containers.count; c++) { stop_managed_agents(report, &task->containers.items[c]); }
    struct stop_cause cause = usual_cause(task);
    if (agents_reason.len > 0 && code_of_reason(agents_reason) == TASK_STOP_CODE_UNSET) {
        task->stopped_reason = str_shorten(agents_reason, REASON_MAX);
        if (task->started_ms == 0) { cause.code = TASK_STOP_CODE_TASKFAILEDTOSTART; }
    }
    task_set_cause(task, cause);
    ASSERT(!task_is_live(task) && task->desired_status == TASK_STOPPED);
    ASSERT(task->stop_code != TASK_STOP_CODE_UNSET && task->stopped_reason.len > 0);
    task->connectivity_ms = contact.since_ms;
    report->changed = true;
}

/* ---- merging ---- */

/* A report adds to the record of a container and takes nothing away; the status only moves forward. */
static void merge_container(struct report *report, const struct container_state_change *told)
{
    const struct container_definition *def;
    struct task_container *container = find_container(report, told->container_name, &def);
    if (container == NULL) { return; }
    enum task_status status = read_status(told->status);
    bool moves = status != container->status;
    if (moves && !task_container_may_become(container->status, status)) { return; }

    if (moves) {
        task_container_become(container, status);
        report->changed = true;
        if (status == TASK_RUNNING) { container->reason = (struct str){ NULL, 0 }; }      /* it did not keep the container from running */
    }
    if (told->exit_code.set && !container->exit_code.set) {
        container->exit_code = told->exit_code;
        report->changed = true;
    }
    set_text(report, &container->reason, str_shorten(told->reason, REASON_MAX));
    set_text(report, &container->runtime_id, told->runtime_id);
    set_text(report, &container->image_digest, told->image_digest);
    set_bindings(report, container, &told->network_bindings);
    if (told->health_status != HEALTH_STATUS_UNSET && told->health_status != container->health) {
        container->health = told->health_status;
        report->changed = true;
    }
    if (status == TASK_RUNNING) { fill_host_bindings(report, container, def); }
}

static bool essential_has_stopped(const struct report *report)
{
    for (size_t c = 0; report->def != NULL && c < report->task.containers.count; c++) {
        const struct task_container *container = &report->task.containers.items[c];
        bool known = container->index >= 0 && (uint64_t)container->index < report->def->container_definitions.count;
        if (!known || container->status != TASK_STOPPED) { continue; }
        if (report->def->container_definitions.items[container->index].essential != OPT_FALSE) { return true; }
    }
    return false;
}

/* A task's own network interface: the first report of its address counts. Other attachments are ignored. */
static void merge_attachment(struct report *report, const struct attachment_state_change *told)
{
    enum { TEXT_MAX = 64 };
    const struct task_interface *held = report->task.interface;
    struct op_ctx *ctx = report->ctx;
    bool known = held != NULL && str_eq(told->attachment_arn, names_attachment_arn(&ctx->config->names, report->task.id, ctx->arena));
    if (!known || held->address.len > 0 || !str_eq(told->status, STR("ATTACHED"))) { return; }
    struct task_interface *interface = ARENA_NEW(ctx->arena, struct task_interface, 1);
    *interface = *held;
    for (size_t d = 0; d < told->details.count; d++) {
        const struct key_value_pair *detail = &told->details.items[d];
        if (detail->value.len > TEXT_MAX) { continue; }
        if (str_eq(detail->name, STR("privateIPv4Address"))) { interface->address = detail->value; }
        if (str_eq(detail->name, STR("macAddress"))) { interface->mac_address = detail->value; }
    }
    if (interface->address.len == 0) { return; }
    report->task.interface = interface;
    report->changed = true;
}

static void set_time(struct report *report, int64_t *held, int64_t told)
{
    if (told <= 0 || *held != 0) { return; }
    *held = told;
    report->changed = true;
}

/* An agent that reports knows the task, and is connected. */
static void set_connected(struct report *report)
{
    report->task.connectivity = CONNECTIVITY_CONNECTED;
    set_time(report, &report->task.connectivity_ms, report->ctx->now_ms);
}

bool op_submit_task_state_change(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct submit_task_state_change_request *request = input;
    struct submit_task_state_change_response *response = output;
    struct report report;
    response->acknowledgment = STR("ACK");
    if (!report_begin(ctx, request->cluster, request->task, &report, err)) { return false; }
    if (!task_is_live(&report.task)) { return true; }            /* STOPPED is final */
    for (size_t a = 0; a < request->attachments.count; a++) { merge_attachment(&report, &request->attachments.items[a]); }
    bool attachments_only = request->status.len == 0 && request->containers.count == 0 && request->managed_agents.count == 0;
    if (attachments_only) {
        report_end(&report);
        return true;
    }

    enum task_status status = read_status(request->status);
    set_connected(&report);
    set_time(&report, &report.task.pull_started_ms, request->pull_started_at);
    set_time(&report, &report.task.pull_stopped_ms, request->pull_stopped_at);
    set_time(&report, &report.task.execution_stopped_ms, request->execution_stopped_at);
    for (size_t c = 0; c < request->containers.count; c++) { merge_container(&report, &request->containers.items[c]); }
    for (size_t a = 0; a < request->managed_agents.count; a++) { merge_managed_agent(&report, &request->managed_agents.items[a]); }
    if (status == TASK_RUNNING && task_may_become(report.task.last_status, TASK_RUNNING)) {
        task_become(&report.task, TASK_RUNNING, ctx->now_ms);
        report.changed = true;
    }
    note_agents_stop(&report, request->reason);
    if (status == TASK_STOPPED) {
        stop_task(&report, request->reason);
    } else if (essential_has_stopped(&report)) {
        order_stop(&report, usual_cause(&report.task));
    }
    report_end(&report);
    return true;
}

bool op_submit_container_state_change(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct submit_container_state_change_request *request = input;
    struct submit_container_state_change_response *response = output;
    struct report report;
    response->acknowledgment = STR("ACK");
    if (!report_begin(ctx, request->cluster, request->task, &report, err)) { return false; }
    if (!task_is_live(&report.task)) { return true; }

    set_connected(&report);
    merge_container(&report, &(struct container_state_change){
        .container_name = request->container_name, .runtime_id = request->runtime_id, .status = request->status,
        .exit_code = request->exit_code, .reason = request->reason, .network_bindings = request->network_bindings,
    });
    if (essential_has_stopped(&report)) { order_stop(&report, usual_cause(&report.task)); }
    report_end(&report);
    return true;
}

/* Attachments are reported with their task: an attachment that is named here is unknown. An empty list is accepted. */
bool op_submit_attachment_state_changes(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct submit_attachment_state_changes_request *request = input;
    struct submit_attachment_state_changes_response *response = output;
    if (support_cluster(ctx, request->cluster, err) == NULL) { return false; }
    if (request->attachments.count > 0) {
        struct str arn = str_slice(request->attachments.items[0].attachment_arn, 0, 255);
        return err_set(err, ERR_INVALID_PARAMETER, "The referenced attachment was not found: " STR_FMT, STR_ARG(arn));
    }
    response->acknowledgment = STR("ACK");
    return true;
}
