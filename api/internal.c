/* internal.c: operations that Berth calls itself, in their own table: the same path as the ECS operations, no name on the wire. The
 * rows ask for no role, because nobody outside can reach them. */
#include "api/capacity/machines.h"
#include "api/clusters/deletes.h"
#include "api/core/placement.h"
#include "api/handlers.h"
#include "api/outbox/outbox.h"
#include "api/secrets/secrets.h"
#include "api/definitions/deletes.h"
#include "api/tell/role_credentials.h"
#include "base/sigv4.h"
#include "api/traffic/traffic.h"

#define AT(member) .offset = offsetof(struct agent_presence, member)
static const struct field agent_presence_fields[] = {
    { STR_INIT(""), 0, FIELD_ID, AT(instance) },
};
#undef AT
static const struct schema agent_presence_schema = SCHEMA_OF("agent presence", struct agent_presence, agent_presence_fields);

#define AT(member) .offset = offsetof(struct machine_report, member)
static const struct field machine_report_fields[] = {
    { STR_INIT(""), 0, FIELD_ID, AT(instance) },
};
#undef AT
static const struct schema machine_report_schema = SCHEMA_OF("machine report", struct machine_report, machine_report_fields);

static const struct schema machine_batch_schema = { STR_INIT("machine batch"), sizeof(struct machine_batch), NULL, 0 };

#define AT(member) .offset = offsetof(struct expire_tasks, member)
static const struct field expire_tasks_fields[] = {
    { STR_INIT(""), 0, FIELD_I64, AT(limit) },
};
#undef AT
static const struct schema expire_tasks_schema = SCHEMA_OF("expire tasks", struct expire_tasks, expire_tasks_fields);

#define AT(member) .offset = offsetof(struct service_called, member)
static const struct field service_called_fields[] = {
    { STR_INIT(""), 0, FIELD_I64, AT(service) },
};
#undef AT
static const struct schema service_called_schema = SCHEMA_OF("service called", struct service_called, service_called_fields);

static const struct schema provisioned_schema = { STR_INIT("provisioned"), sizeof(struct provisioned), NULL, 0 };

static const struct schema step_services_schema = { STR_INIT("step services"), sizeof(struct step_services), NULL, 0 };

static const struct schema scale_services_schema = { STR_INIT("scale services"), sizeof(struct scale_services), NULL, 0 };

static const struct schema kept_clock_schema = { STR_INIT("kept clock"), sizeof(struct kept_clock), NULL, 0 };

static const struct schema kept_log_group_schema = { STR_INIT("kept log group"), sizeof(struct kept_log_group), NULL, 0 };

static const struct schema events_told_schema = { STR_INIT("events told"), sizeof(struct events_told), NULL, 0 };

static const struct schema key_order_schema = { STR_INIT("key order"), sizeof(struct key_order), NULL, 0 };

struct expired { bool again; };
static const struct schema expired_schema = { STR_INIT("expired"), sizeof(struct expired), NULL, 0 };                /* nobody prints these */
static const struct schema machines_done_schema = { STR_INIT("machines done"), sizeof(struct machines_done), NULL, 0 };

enum { INTERNAL_PRESENCE, INTERNAL_ABSENCE, INTERNAL_MACHINE, INTERNAL_FENCE, INTERNAL_EXPIRE, INTERNAL_CLOCK, INTERNAL_STEPS, INTERNAL_CALLED,
       INTERNAL_SCALE, INTERNAL_PROVISIONED, INTERNAL_KEY, INTERNAL_LOG_GROUP, INTERNAL_TOLD };
static const struct operation internal_operations[] = {
    [INTERNAL_PRESENCE] = { .name = STR_INIT("berth:AgentPresence"), .input = &agent_presence_schema, .access = OP_WRITE,
                            .invalid = ERR_INVALID_PARAMETER, .run = op_agent_presence },
    [INTERNAL_MACHINE]  = { .name = STR_INIT("berth:MachineReport"), .input = &machine_report_schema, .access = OP_WRITE,
                            .invalid = ERR_INVALID_PARAMETER, .run = op_machine_report },
    [INTERNAL_ABSENCE]  = { .name = STR_INIT("berth:AgentsAbsent"), .input = &machine_batch_schema, .output = &machines_done_schema, .access = OP_WRITE,
                            .invalid = ERR_INVALID_PARAMETER, .run = op_agents_absent },
    [INTERNAL_FENCE]    = { .name = STR_INIT("berth:FenceInstances"), .input = &machine_batch_schema, .output = &machines_done_schema, .access = OP_WRITE,
                            .invalid = ERR_INVALID_PARAMETER, .run = op_fence_instances },
    [INTERNAL_EXPIRE]   = { .name = STR_INIT("berth:ExpireTasks"), .input = &expire_tasks_schema, .output = &expired_schema, .access = OP_WRITE,
                            .invalid = ERR_INVALID_PARAMETER, .run = op_expire_tasks },
    [INTERNAL_CLOCK]    = { .name = STR_INIT("berth:KeepClock"), .input = &kept_clock_schema, .access = OP_WRITE, .invalid = ERR_INVALID_PARAMETER,
                            .run = op_keep_clock },
    [INTERNAL_STEPS]    = { .name = STR_INIT("berth:StepServices"), .input = &step_services_schema, .access = OP_WRITE, .invalid = ERR_INVALID_PARAMETER,
                            .run = op_step_services },
    [INTERNAL_CALLED]   = { .name = STR_INIT("berth:ServiceCalled"), .input = &service_called_schema, .access = OP_WRITE, .invalid = ERR_INVALID_PARAMETER,
                            .run = op_service_called },
    [INTERNAL_SCALE]    = { .name = STR_INIT("berth:ScaleServices"), .input = &scale_services_schema, .access = OP_WRITE, .invalid = ERR_INVALID_PARAMETER,
                            .run = op_scale_services },
    [INTERNAL_PROVISIONED] = { .name = STR_INIT("berth:Provisioned"), .input = &provisioned_schema, .access = OP_WRITE, .invalid = ERR_INVALID_PARAMETER,
                            .run = op_provisioned },
    [INTERNAL_KEY]      = { .name = STR_INIT("berth:KeyOrder"), .input = &key_order_schema, .access = OP_WRITE, .invalid = ERR_INVALID_PARAMETER,
                            .run = op_key_order },
    [INTERNAL_TOLD]     = { .name = STR_INIT("berth:EventsTold"), .input = &events_told_schema, .access = OP_WRITE, .invalid = ERR_INVALID_PARAMETER,
                            .run = op_events_told },
    [INTERNAL_LOG_GROUP] = { .name = STR_INIT("berth:KeepLogGroup"), .input = &kept_log_group_schema, .access = OP_WRITE, .invalid = ERR_INVALID_PARAMETER,
                            .run = op_log_group },
};

static void prepare(const struct operation *operation, const void *input, struct arena *arena, struct api_call *call)
{
    *call = (struct api_call){ .operation = operation, .input = arena_copy(arena, input, operation->input->size) };
}

void api_prepare_presence(const struct agent_presence *input, struct arena *arena, struct api_call *call)
{
    prepare(&internal_operations[INTERNAL_PRESENCE], input, arena, call);
}

void api_prepare_machine_report(const struct machine_report *input, struct arena *arena, struct api_call *call)
{
    prepare(&internal_operations[INTERNAL_MACHINE], input, arena, call);
}

void api_prepare_absence(const struct machine_batch *input, struct arena *arena, struct api_call *call)
{
    prepare(&internal_operations[INTERNAL_ABSENCE], input, arena, call);
}

void api_prepare_fence(const struct machine_batch *input, struct arena *arena, struct api_call *call)
{
    prepare(&internal_operations[INTERNAL_FENCE], input, arena, call);
}

size_t api_machines_done(const struct api_call *call)
{
    const struct machines_done *done = call->output;
    return done->count;
}

void api_prepare_expire(const struct expire_tasks *input, struct arena *arena, struct api_call *call)
{
    prepare(&internal_operations[INTERNAL_EXPIRE], input, arena, call);
}

bool api_expire_again(const struct api_call *call)
{
    const struct expired *expired = call->output;
    return expired->again;
}

void api_prepare_step_services(bool alone, struct arena *arena, struct api_call *call)
{
    prepare(&internal_operations[INTERNAL_STEPS], &(struct step_services){ alone }, arena, call);
}

void api_prepare_service_called(const struct service_called *input, struct arena *arena, struct api_call *call)
{
    prepare(&internal_operations[INTERNAL_CALLED], input, arena, call);
}

void api_prepare_scale_services(const struct scale_services *input, struct arena *arena, struct api_call *call)
{
    prepare(&internal_operations[INTERNAL_SCALE], input, arena, call);
}

void api_prepare_provisioned(const struct provisioned *input, struct arena *arena, struct api_call *call)
{
    prepare(&internal_operations[INTERNAL_PROVISIONED], input, arena, call);
}

/* ---- the clock ---- */

static const struct str clock_name = STR_INIT("clock");

void api_prepare_keep_clock(const struct kept_clock *input, struct arena *arena, struct api_call *call)
{
    prepare(&internal_operations[INTERNAL_CLOCK], input, arena, call);
}

void api_prepare_key_order(const struct key_order *input, struct arena *arena, struct api_call *call)
{
    prepare(&internal_operations[INTERNAL_KEY], input, arena, call);
}

/* As `berth keys` does in the folder of a server that is alone (server/keys.h). */
bool op_key_order(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct key_order *order = input;
    (void)output;
    if (order->action == KEY_ROTATE_ROLES) {
        store_put_meta(ctx->txn, role_key_name, (struct str){ order->role_key, order->role_key_len });
        return true;
    }
    struct access_key key = order->key;
    if (order->action == KEY_REVOKE) {
        const struct access_key *found = store_access_key(ctx->txn, order->key.id, ctx->arena);
        if (found == NULL) { return err_set(err, ERR_RESOURCE_NOT_FOUND, "There is no key " STR_FMT ".", STR_ARG(str_slice(order->key.id, 0, 128))); }
        key = *found;
        if (key.revoked_ms != 0) { return true; }
        key.revoked_ms = ctx->now_ms;
    } else {
        key.created_ms = ctx->now_ms;
    }
    store_put_access_key(ctx->txn, &key);
    return true;
}

void api_prepare_log_group(const struct kept_log_group *input, struct arena *arena, struct api_call *call)
{
    prepare(&internal_operations[INTERNAL_LOG_GROUP], input, arena, call);
}

/* A name may be longer than a key. */
static struct str log_group_id(struct str name, struct arena *arena)
{
    char hash[SIGV4_HEX_LEN + 1];
    sha256_hex(name, hash);
    return arena_str(arena, (struct str){ hash, SIGV4_HEX_LEN });
}

bool api_log_group_is_kept(struct store_txn *txn, struct str name, struct arena *arena)
{
    return store_plain(txn, PLAIN_KIND_LOG_GROUP, log_group_id(name, arena), arena) != NULL;
}

bool op_log_group(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct kept_log_group *group = input;
    (void)output;
    if (api_log_group_is_kept(ctx->txn, group->name, ctx->arena)) { return err_set(err, ERR_ALREADY_EXISTS, "The specified log group already exists"); }
    if (store_count_plain(ctx->txn, PLAIN_KIND_LOG_GROUP, STR("")) >= LOG_GROUPS_KEPT_MAX) {
        return err_set(err, ERR_LIMIT_EXCEEDED, "There are %d log groups; more are not kept.", LOG_GROUPS_KEPT_MAX);
    }
    store_put_plain(ctx->txn, &(struct kept_plain){
        .kind = PLAIN_KIND_LOG_GROUP, .id = log_group_id(group->name, ctx->arena), .name = group->name, .created_ms = ctx->now_ms,
    });
    return true;
}

/* ---- webhooks ---- */

void api_prepare_events_told(const struct events_told *input, struct arena *arena, struct api_call *call)
{
    prepare(&internal_operations[INTERNAL_TOLD], input, arena, call);
}

static struct str told_name(struct str webhook, struct arena *arena) { return arena_printf(arena, "outbox/told/" STR_FMT, STR_ARG(webhook)); }

int64_t api_events_told(struct store_txn *txn, struct str webhook, struct arena *arena)
{
    int64_t number;
    return str_to_i64(store_meta(txn, told_name(webhook, arena), arena), &number) && number >= 0 ? number : -1;
}

bool op_events_told(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct events_told *told = input;
    (void)output;
    (void)err;
    store_put_meta(ctx->txn, told_name(told->webhook, ctx->arena), arena_printf(ctx->arena, "%lld", (long long)told->number));
    return true;
}

int64_t api_kept_clock(struct store_txn *txn, struct arena *arena)
{
    int64_t kept_ms;
    return str_to_i64(store_meta(txn, clock_name, arena), &kept_ms) && kept_ms > 0 ? kept_ms : 0;
}

bool op_keep_clock(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct kept_clock *kept = input;
    (void)output;
    (void)err;
    store_put_meta(ctx->txn, clock_name, arena_printf(ctx->arena, "%lld", (long long)kept->wall_ms));
    return true;
}

/* ---- an agent came ---- */

/* Its tasks are not written: task_contact derives their connectivity. A second call, or one for a removed instance, changes nothing. */
bool op_agent_presence(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct agent_presence *presence = input;
    (void)output;
    (void)err;
    const struct instance *found = store_instance(ctx->txn, presence->instance, ctx->arena);
    if (found == NULL || found->status == INSTANCE_INACTIVE) { return true; }
    struct instance instance = *found;
    instance.lease_ms = presence->lease_ms;
    if (found->agent_connected != OPT_TRUE) {
        instance.agent_connected = OPT_TRUE;
        instance.agent_changed_ms = instance.agent_came_ms = ctx->now_ms;
        instance.version++;
    } else if (found->lease_ms == instance.lease_ms) {
        return true;
    }
    placement_put_instance(ctx, &instance);
    return true;
}

/* ---- reports of the ECS agent about its machine ---- */

static bool is_other_version(const struct version_info *known, const struct version_info *told)
{
    return told != NULL && (known == NULL || !str_eq(known->agent_version, told->agent_version) || !str_eq(known->agent_hash, told->agent_hash)
                            || !str_eq(known->docker_version, told->docker_version));
}

static bool is_other_state(const struct runtime_health *known, enum instance_health_check_state told)
{
    return told != INSTANCE_HEALTH_CHECK_STATE_UNSET && (known == NULL || known->state != told);
}

bool api_machine_report_is_news(const struct instance *instance, const struct machine_report *report, int64_t now_ms)
{
    static const int64_t again_ms = 10 * 60 * 1000;
    bool is_old = report->docker != INSTANCE_HEALTH_CHECK_STATE_UNSET && instance->runtime != NULL && now_ms - instance->runtime->told_ms >= again_ms;
    return is_old || is_other_state(instance->runtime, report->docker) || is_other_version(instance->version_info, report->version);
}

/* A newer time of the same state of Docker is no event. */
bool op_machine_report(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct machine_report *report = input;
    (void)output;
    (void)err;
    const struct instance *found = store_instance(ctx->txn, report->instance, ctx->arena);
    bool there = found != NULL && found->status != INSTANCE_INACTIVE;
    if (!there || !api_machine_report_is_news(found, report, ctx->now_ms)) { return true; }
    struct instance instance = *found;
    bool other_state = is_other_state(found->runtime, report->docker), other_version = is_other_version(found->version_info, report->version);
    if (report->docker != INSTANCE_HEALTH_CHECK_STATE_UNSET) {
        instance.runtime = ARENA_NEW(ctx->arena, struct runtime_health, 1);
        *instance.runtime = (struct runtime_health){ report->docker, other_state ? ctx->now_ms : found->runtime->changed_ms, ctx->now_ms };
    }
    if (other_version) { instance.version_info = arena_copy(ctx->arena, report->version, sizeof *report->version); }
    if (other_state || other_version) { instance.version++; }
    placement_put_instance(ctx, &instance);
    if (other_state) { machine_health_told(ctx, &instance); }
    return true;
}

/* ---- stopped tasks and deregistered machines are forgotten ---- */

/* A machine's token went when it was deregistered; what an older version left is gone with it now. */
static void drop_gone_instances(struct op_ctx *ctx, size_t limit)
{
    struct id *ids = ARENA_NEW(ctx->arena, struct id, limit);
    size_t count = store_list_gone_instances(ctx->txn, ctx->now_ms - ctx->config->inactive_instance_keep_ms, ids, limit);
    for (size_t i = 0; i < count; i++) {
        const struct instance *instance = store_instance(ctx->txn, ids[i], ctx->arena);
        if (instance == NULL) { continue; }
        support_forget_registration(ctx, instance);
        store_drop_instance(ctx->txn, ids[i]);           /* deregistered: the world forgot it long ago */
    }
}

/* INACTIVE ones, which can be described as long as stopped tasks. True: there may be more. */
static bool drop_gone_services(struct op_ctx *ctx)
{
    enum { SERVICES_MAX = 100 };                         /* each has a history with it */
    int64_t numbers[SERVICES_MAX];
    size_t count = store_list_gone_services(ctx->txn, ctx->now_ms - ctx->config->stopped_task_keep_ms, numbers, SERVICES_MAX);
    for (size_t s = 0; s < count; s++) { store_drop_service(ctx->txn, numbers[s]); }
    return count == SERVICES_MAX;
}

bool op_expire_tasks(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    enum { EXPIRE_MAX = 10000 };
    const struct expire_tasks *request = input;
    struct expired *expired = output;
    (void)err;
    size_t limit = request->limit < 0 ? 0 : request->limit > EXPIRE_MAX ? EXPIRE_MAX : (size_t)request->limit;
    struct id *ids = ARENA_NEW(ctx->arena, struct id, limit);
    size_t count = store_list_stopped(ctx->txn, ctx->now_ms - ctx->config->stopped_task_keep_ms, ids, limit);
    for (size_t t = 0; t < count; t++) { store_drop_task(ctx->txn, ids[t]); }    /* stopped: the world forgot them long ago */
    taskdef_drop_deleted(ctx);
    daemon_taskdef_drop_deleted(ctx);
    clusters_forget_deleted(ctx);
    traffic_expire(ctx);
    drop_gone_instances(ctx, limit);
    secrets_expire(ctx, limit);
    bool more_services = drop_gone_services(ctx);
    size_t told = store_trim_events(ctx->txn, ctx->now_ms - ctx->config->events_keep_ms, OUTBOX_EVENTS_MAX, limit, ctx->arena);
    size_t past = store_trim_history(ctx->txn, ctx->now_ms - ctx->config->history_keep_ms, limit);
    expired->again = limit > 0 && (count == limit || past == limit || told == limit || more_services);
    return true;
}
