/* gpu_health.c: GPUs that leave the pool and come back, one by one. An agent reports all that is wrong with its machine now, so
 * that the same report twice changes nothing and a GPU that it no longer reports is well again. A person may take a GPU out, and give
 * back one that the agent took out, until the agent finds something new. A device that is out keeps those who hold it, and gets
 * nobody new; only when it is gone do its tasks end, because they have lost it already.
 *
 * GET /berth/v1/gpus: {"gpus":[{"uuid":"GPU-…","cluster":"default","instance":"<32 hex>","name":"node-a","reason":"…",
 *   "since":ms,"by":"alice" (null: its agent),"gone":false,"restoredBy":null}]}, those that are out of the pool or reported */
#include "api/machines/gpu_health.h"

#include "wire/agent_protocol.h"
#include "api/capacity/machines.h"
#include "api/core/binding.h"
#include "api/core/placement.h"
#include "api/handlers.h"
#include "wire/own_json.h"

enum { FAULTS_LISTED_MAX = 10000 };

/* ---- faults of one instance ---- */

static struct gpu_fault *find_fault(struct gpu_fault_list *faults, struct str uuid, bool by_hand)
{
    for (size_t f = 0; f < faults->count; f++) {
        struct gpu_fault *fault = &faults->items[f];
        if (str_eq(fault->uuid, uuid) && str_is_set(fault->by) == by_hand && id_is_zero(fault->holder)) { return fault; }
    }
    return NULL;
}

/* A copy with room for `more`. */
static struct gpu_fault_list copy_faults(const struct gpu_fault_list *faults, size_t more, struct arena *arena)
{
    struct gpu_fault_list copy = { ARENA_NEW(arena, struct gpu_fault, faults->count + more), faults->count };
    for (size_t f = 0; f < faults->count; f++) { copy.items[f] = faults->items[f]; }
    return copy;
}

/* Faults from people and from Berth stay; the other faults are those of the report. A GPU that a person gave back stays in the pool while the agent
 * reports the same fault. */
static struct gpu_fault_list merge_faults(struct gpu_fault_list *known, const struct gpu_fault_list *reported, struct arena *arena)
{
    struct gpu_fault_list merged = { ARENA_NEW(arena, struct gpu_fault, known->count + reported->count), 0 };
    for (size_t f = 0; f < known->count; f++) {
        if (str_is_set(known->items[f].by) || !id_is_zero(known->items[f].holder)) { merged.items[merged.count++] = known->items[f]; }
    }
    for (size_t f = 0; f < reported->count; f++) {
        struct gpu_fault fault = reported->items[f];
        const struct gpu_fault *before = find_fault(known, fault.uuid, false);
        bool same = before != NULL && before->since_ms == fault.since_ms && fault.gone != OPT_TRUE;
        if (find_fault(&merged, fault.uuid, false) != NULL) { continue; }        /* reported twice */
        fault.by = (struct str){ NULL, 0 };
        fault.holder = (struct id){ { 0 } };
        fault.restored_by = same ? before->restored_by : (struct str){ NULL, 0 };
        merged.items[merged.count++] = fault;
    }
    ASSERT(merged.count <= known->count + reported->count);
    return merged;
}

static bool is_same(const struct instance *a, const struct instance *b, struct arena *arena)
{
    struct buf left = buf_in(arena), right = buf_in(arena);
    schema_pack(&instance_record, a, &left);
    schema_pack(&instance_record, b, &right);
    return str_eq(buf_str(&left), buf_str(&right));
}

/* ---- tasks on a device that is gone ---- */

/* The container's first device that is gone; NULL: none is. */
static const struct gpu_fault *lost_of(const struct instance *instance, const struct task_container *container)
{
    for (size_t g = 0; g < container->gpu_ids.count; g++) {
        for (size_t f = 0; f < instance->gpu_faults.count; f++) {
            const struct gpu_fault *fault = &instance->gpu_faults.items[f];
            if (fault->gone == OPT_TRUE && str_eq(fault->uuid, container->gpu_ids.items[g])) { return fault; }
        }
    }
    return NULL;
}

/* The agent ends its containers and reports it: until then the task holds all its resources. */
static void order_end(struct op_ctx *ctx, const struct task *found, const struct gpu_fault *lost)
{
    ASSERT(lost->gone == OPT_TRUE);
    struct str reason = arena_printf(ctx->arena, "InfrastructureHealth: " STR_FMT " is gone: " STR_FMT, STR_ARG(lost->uuid), STR_ARG(lost->reason));
    struct task task = *found;
    if (!task_order_stop(&task, (struct stop_cause){ TASK_STOP_CODE_INFRASTRUCTUREHEALTH, reason }, ctx->now_ms)) { return; }
    task.version++;
    placement_change_task(ctx, found, &task);
}

struct without_gpu { const struct instance *instance; size_t *ordered; };

static void end_without_gpu(struct op_ctx *ctx, struct id id, const void *given)
{
    const struct without_gpu *without = given;
    const struct task *task = store_task(ctx->txn, id, ctx->arena);
    const struct gpu_fault *lost = NULL;
    if (task == NULL || task->desired_status == TASK_STOPPED) { return; }
    for (size_t c = 0; c < task->containers.count && lost == NULL; c++) { lost = lost_of(without->instance, &task->containers.items[c]); }
    if (lost == NULL) { return; }
    order_end(ctx, task, lost);
    (*without->ordered)++;
}

static void end_tasks_without_gpu(struct op_ctx *ctx, const struct instance *instance)
{
    size_t ordered = 0;
    (void)support_each_task(ctx, instance->id, SIZE_MAX, end_without_gpu, &(struct without_gpu){ instance, &ordered });
    if (ordered > 0) { support_effect(ctx, EFFECT_WAKE_INSTANCE, instance->id); }
}

/* ---- an agent's report ---- */

static struct machine_health *health_told(struct op_ctx *ctx, const struct instance *instance, const struct health_report *report)
{
    struct machine_health *health = ARENA_NEW(ctx->arena, struct machine_health, 1);
    bool same_state = instance->health != NULL && instance->health->state == report->state;
    *health = (struct machine_health){
        .state = report->state, .reason = report->reason, .findings = report->findings,
        .changed_ms = same_state ? instance->health->changed_ms : ctx->now_ms,
        .told_ms = instance->health == NULL ? ctx->now_ms : instance->health->told_ms,
    };
    return health;
}

static bool op_report_health(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct health_report *report = input;
    const struct instance *found = support_find_reporter(ctx, report->cluster, report->container_instance, err);
    (void)output;
    if (found == NULL) { return false; }
    struct instance instance = *found;
    struct gpu_fault_list known = copy_faults(&found->gpu_faults, 0, ctx->arena);
    instance.health = health_told(ctx, found, report);
    instance.gpu_faults = merge_faults(&known, &report->gpus, ctx->arena);
    if (!is_same(found, &instance, ctx->arena)) {
        instance.health->told_ms = ctx->now_ms;
        instance.version++;
        placement_put_instance(ctx, &instance);
    }
    machine_health_told(ctx, &instance);
    end_tasks_without_gpu(ctx, &instance);
    return true;
}

static const struct operation report_operation = {
    .name = STR_INIT("berth:ReportHealth"), .input = &health_report_schema, .access = OP_WRITE, .invalid = ERR_INVALID_PARAMETER,
    .run = op_report_health,
};

bool api_prepare_health(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err)
{
    return api_decode(config, &report_operation, body, arena, call, err);
}

/* ---- by hand ---- */

enum gpu_order { GPU_ORDER_UNSET, GPU_ORDER_QUARANTINED, GPU_ORDER_AVAILABLE, GPU_ORDER_COUNT };
static const struct str gpu_order_words[] = { STR_INIT("QUARANTINED"), STR_INIT("AVAILABLE") };
static const struct enum_names gpu_order_names = { gpu_order_words, COUNT_OF(gpu_order_words) };
_Static_assert(COUNT_OF(gpu_order_words) == GPU_ORDER_COUNT - 1, "one word per value");

struct set_gpu_request { struct str uuid, reason; enum gpu_order state; };
#define AT(member) .offset = offsetof(struct set_gpu_request, member)
static const struct field set_gpu_fields[] = {
    { STR_INIT("uuid"),   0, FIELD_STR,  AT(uuid), .required = true, .min = 1, .max = 128 },
    { STR_INIT("state"),  0, FIELD_ENUM, AT(state), .names = &gpu_order_names, .required = true },
    { STR_INIT("reason"), 0, FIELD_STR,  AT(reason), .max = FINDING_TEXT_MAX },
};
#undef AT
static const struct schema set_gpu_schema = SCHEMA_OF("set GPU", struct set_gpu_request, set_gpu_fields);

/* A deregistered machine has no GPUs, but a fault from its agent or a person may outlive the device. Of the machines that have the same GPU it is
 * the holder; `twin` is Berth's fault on another machine. */
struct hunt { struct arena *arena; struct str uuid; struct id found; bool registered; struct str twin; };

static void hunt_visit(void *context, const struct instance *instance)
{
    struct hunt *hunt = context;
    if (instance->status == INSTANCE_INACTIVE) { return; }
    const struct gpu_fault *twin = gpu_twin_of(instance, hunt->uuid);
    if (twin != NULL) { hunt->twin = arena_str(hunt->arena, twin->reason); }
    if (twin != NULL || hunt->registered) { return; }
    for (size_t g = 0; g < instance->gpus.count; g++) {
        if (!str_eq(instance->gpus.items[g].uuid, hunt->uuid)) { continue; }
        hunt->found = instance->id;
        hunt->registered = true;
    }
    for (size_t f = 0; f < instance->gpu_faults.count; f++) {
        if (str_eq(instance->gpu_faults.items[f].uuid, hunt->uuid)) { hunt->found = instance->id; }
    }
}

static void take_out(struct op_ctx *ctx, const struct set_gpu_request *request, struct gpu_fault_list *faults)
{
    struct gpu_fault *fault = find_fault(faults, request->uuid, true);
    if (fault == NULL) {
        fault = &faults->items[faults->count++];
        *fault = (struct gpu_fault){ .uuid = request->uuid, .since_ms = ctx->now_ms };
    }
    fault->by = ctx->caller.user;
    fault->reason = request->reason.len > 0 ? request->reason : STR("taken out by hand");
}

/* `twin`: the reason of the quarantine that a person can't lift, because another machine has the GPU; absent: no other has it. */
static bool give_back(struct op_ctx *ctx, const struct set_gpu_request *request, struct str twin, struct gpu_fault_list *faults, struct err *err)
{
    struct gpu_fault *own = find_fault(faults, request->uuid, true), *agents = find_fault(faults, request->uuid, false);
    bool is_out = agents != NULL && !str_is_set(agents->restored_by);
    if (is_out && agents->gone == OPT_TRUE) {
        return err_set(err, ERR_INVALID_PARAMETER, "The GPU " STR_FMT " does not answer (" STR_FMT "): it comes back by itself once it does.",
                       STR_ARG(request->uuid), STR_ARG(agents->reason));
    }
    if (own == NULL && !is_out && str_is_set(twin)) {
        return err_set(err, ERR_INVALID_PARAMETER, "The GPU " STR_FMT " can't be given back: " STR_FMT, STR_ARG(request->uuid), STR_ARG(twin));
    }
    if (own == NULL && !is_out) {
        return err_set(err, ERR_INVALID_PARAMETER, "The GPU " STR_FMT " is not in quarantine.", STR_ARG(request->uuid));
    }
    if (is_out) { agents->restored_by = ctx->caller.user; }
    ASSERT(own == NULL || faults->count > 0);
    if (own != NULL) { *own = faults->items[--faults->count]; }
    return true;
}

static bool op_set_gpu(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct set_gpu_request *request = input;
    struct hunt hunt = { .arena = ctx->arena, .uuid = request->uuid };
    (void)output;
    store_scan_instances(ctx->txn, hunt_visit, &hunt);
    bool wanted_out = request->state == GPU_ORDER_QUARANTINED;
    const struct instance *found = id_is_zero(hunt.found) || (wanted_out && !hunt.registered) ? NULL : store_instance(ctx->txn, hunt.found, ctx->arena);
    if (found == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "No machine has a GPU with the UUID " STR_FMT ".", STR_ARG(request->uuid));
    }
    ASSERT(id_eq(found->id, hunt.found) && found->status != INSTANCE_INACTIVE);
    struct instance instance = *found;
    instance.gpu_faults = copy_faults(&found->gpu_faults, 1, ctx->arena);
    if (wanted_out) {
        take_out(ctx, request, &instance.gpu_faults);
    } else if (!give_back(ctx, request, hunt.twin, &instance.gpu_faults, err)) {
        return false;
    }
    instance.version++;
    placement_put_instance(ctx, &instance);
    machine_health_told(ctx, &instance);
    return true;
}

static const struct operation set_gpu_operation = {
    .name = STR_INIT("berth:SetGpu"), .input = &set_gpu_schema, .access = OP_WRITE, .invalid = ERR_INVALID_PARAMETER, .run = op_set_gpu,
};

bool api_prepare_set_gpu(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err)
{
    return api_decode(config, &set_gpu_operation, body, arena, call, err);
}

/* ---- the list ---- */

struct listing { struct op_ctx *ctx; struct json_out *out; size_t count; const struct instance *instance; struct str cluster; };

static void put_listed(struct listing *listing, const struct gpu_fault *fault)
{
    struct json_out *out = listing->out;
    json_open(out, '{');
    own_json_str(out, STR("uuid"), fault->uuid);
    own_json_str(out, STR("cluster"), listing->cluster);
    own_json_id(out, STR("instance"), listing->instance->id);
    own_json_str(out, STR("name"), support_instance_name(listing->instance, listing->ctx->arena));
    own_json_str(out, STR("reason"), fault->reason);
    own_json_ms(out, STR("since"), fault->since_ms);
    own_json_str(out, STR("by"), fault->by);
    json_key(out, STR("gone"));
    json_bool(out, fault->gone == OPT_TRUE);
    own_json_str(out, STR("restoredBy"), fault->restored_by);
    json_close(out, '}');
}

static void list_visit(void *context, const struct instance *instance)
{
    struct listing *listing = context;
    if (instance->status == INSTANCE_INACTIVE || instance->gpu_faults.count == 0) { return; }
    const struct cluster *cluster = store_cluster_by_number(listing->ctx->txn, instance->cluster_number, listing->ctx->arena);
    listing->instance = instance;
    listing->cluster = cluster == NULL ? (struct str){ NULL, 0 } : cluster->name;
    for (size_t f = 0; f < instance->gpu_faults.count && listing->count < FAULTS_LISTED_MAX; f++, listing->count++) {
        put_listed(listing, &instance->gpu_faults.items[f]);
    }
}

void api_print_gpu_faults(struct op_ctx *ctx, struct buf *out)
{
    struct json_out json = json_out_to(out);
    struct listing listing = { .ctx = ctx, .out = &json };
    json_open(&json, '{');
    json_key(&json, STR("gpus"));
    json_open(&json, '[');
    store_scan_instances(ctx->txn, list_visit, &listing);
    json_close(&json, ']');
    json_close(&json, '}');
}

/* ---- as ECS shows it ---- */

static const struct gpu_fault *first_out(const struct instance *instance, size_t *count)
{
    const struct gpu_fault *first = NULL;
    *count = 0;
    for (size_t f = 0; f < instance->gpu_faults.count; f++) {
        if (str_is_set(instance->gpu_faults.items[f].restored_by)) { continue; }
        if (first == NULL) { first = &instance->gpu_faults.items[f]; }
        (*count)++;
    }
    return first;
}

struct str gpu_health_reason(const struct instance *instance, struct arena *arena)
{
    size_t count;
    const struct gpu_fault *out = first_out(instance, &count);
    bool told = instance->health != NULL && str_is_set(instance->health->reason) && instance->health->state != INSTANCE_HEALTH_CHECK_STATE_OK;
    if (told) { return instance->health->reason; }
    if (out == NULL) { return (struct str){ NULL, 0 }; }
    struct str more = count == 1 ? STR("") : arena_printf(arena, " (and %zu more)", count - 1);
    return arena_printf(arena, STR_FMT " is quarantined: " STR_FMT STR_FMT, STR_ARG(out->uuid), STR_ARG(out->reason), STR_ARG(more));
}

/* The agent's connection. An agent whose version the server no longer supports is not connected, and the text says so. */
static struct instance_health_check_result connection_of(const struct instance *instance, struct arena *arena)
{
    struct err err = { 0 };
    bool is_known = instance->agent_changed_ms != 0, understood = agent_protocol_check(instance, &err);
    return (struct instance_health_check_result){
        .type = INSTANCE_HEALTH_CHECK_TYPE_AGENT_CONNECTIVITY,
        .status = !understood                            ? INSTANCE_HEALTH_CHECK_STATE_IMPAIRED
            : !is_known                                  ? INSTANCE_HEALTH_CHECK_STATE_INITIALIZING
            : instance->agent_connected == OPT_TRUE      ? INSTANCE_HEALTH_CHECK_STATE_OK
                                                         : INSTANCE_HEALTH_CHECK_STATE_IMPAIRED,
        .status_reason = understood ? (struct str){ NULL, 0 } : arena_str(arena, str_from(err.message)),
        .last_updated = instance->agent_changed_ms, .last_status_change = instance->agent_changed_ms,
    };
}

/* For an agent that never reports its GPUs, their health is unknown. */
static struct instance_health_check_result accelerators_of(const struct instance *instance, struct arena *arena)
{
    size_t out;
    (void)first_out(instance, &out);
    const struct machine_health *health = instance->health;
    enum instance_health_check_state told = health == NULL ? INSTANCE_HEALTH_CHECK_STATE_INSUFFICIENT_DATA : health->state;
    return (struct instance_health_check_result){
        .type = INSTANCE_HEALTH_CHECK_TYPE_ACCELERATED_COMPUTE,
        .status = out > 0 ? INSTANCE_HEALTH_CHECK_STATE_IMPAIRED : told,
        .status_reason = gpu_health_reason(instance, arena),
        .last_updated = health == NULL ? instance->registered_ms : health->told_ms,
        .last_status_change = health == NULL ? instance->registered_ms : health->changed_ms,
    };
}

static struct instance_health_check_result docker_of(const struct runtime_health *runtime)
{
    return (struct instance_health_check_result){
        .type = INSTANCE_HEALTH_CHECK_TYPE_CONTAINER_RUNTIME, .status = runtime->state,
        .last_updated = runtime->told_ms, .last_status_change = runtime->changed_ms,
    };
}

struct container_instance_health_status *api_instance_health(const struct instance *instance, struct arena *arena)
{
    enum { DETAILS_MAX = 3 };
    struct container_instance_health_status *health = ARENA_NEW(arena, struct container_instance_health_status, 1);
    struct instance_health_check_result_list *details = &health->details;
    bool has_gpus = instance->gpus.count > 0 || instance->health != NULL;
    details->items = ARENA_NEW(arena, struct instance_health_check_result, DETAILS_MAX);
    details->items[details->count++] = connection_of(instance, arena);
    if (has_gpus) { details->items[details->count++] = accelerators_of(instance, arena); }
    if (instance->runtime != NULL) { details->items[details->count++] = docker_of(instance->runtime); }
    health->overall_status = details->items[0].status;
    for (size_t d = 1; d < details->count; d++) {
        if (details->items[d].status == INSTANCE_HEALTH_CHECK_STATE_IMPAIRED) { health->overall_status = INSTANCE_HEALTH_CHECK_STATE_IMPAIRED; }
    }
    return health;
}
