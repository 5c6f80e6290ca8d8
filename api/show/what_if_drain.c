/* what_if_drain.c: what would become of a machine's tasks if it were DRAINING: a service's tasks are replaced elsewhere, the others stay until they end.
 * It tries on the world as if the machine took no tasks, one service after the other, and leaves no trace. As JSON:
 *
 * {"cluster":"default","instance":{"id":"<32 hex>","arn":"arn:…","name":"node-a"},"status":"ACTIVE",
 *  "tasks":9,"stopping":1,                    live ones on it, and those of them whose stop is ordered already
 *  "empties":false,                           it gets empty without anybody's help
 *  "services":[{"service":"web","arn":"arn:…","strategy":"REPLICA","tasks":3,"fits":2,       replacements that have room now
 *    "verdict":"MOVES",                       MOVES: all leave, each is replaced. SHRINKS: all leave, some without a replacement, as its percents allow.
 *                                             STAYS: some stay, because replacements have no room or the percents allow no step. FOLLOWS: a daemon, which stops
 *                                             with the last other task. UNKNOWN: it can't be said
 *    "stay":0,                                tasks that stay
 *    "detail":"…"}],                          why; null: nothing is to be said
 *  "moves":[{"task":"<32 hex>","service":"web","gpus":1,"to":{"id":…,"arn":…,"name":"node-b"}}],        to null: no room
 *  "standalone":[{"task":…}],                 in the way until they end or are stopped: as blockedBy in api/show/what_if.c
 *  "leftOut":0,                               tasks beyond DRAIN_TASKS_MAX, which were not looked at
 *  "detail":"…"}                              all this as a sentence */
#include <stdlib.h>

#include "api/core/api.h"
#include "api/core/placement.h"
#include "api/services/books.h"
#include "api/show/what_if.h"
#include "base/num.h"

enum { DRAIN_TASKS_MAX = 512, DRAIN_SERVICES_MAX = 64 };
_Static_assert((int)DRAIN_TASKS_MAX <= (int)SCHED_TRIAL_MAX, "each of them can be tried");

struct drain_request { struct str cluster, instance; };
#define AT(member) .offset = offsetof(struct drain_request, member)
static const struct field drain_fields[] = {
    { STR_INIT("cluster"), 0, FIELD_STR, AT(cluster), .max = 2048 },
    { STR_INIT("instance"), 0, FIELD_STR, AT(instance), .required = true, .min = 1, .max = 2048 },
};
#undef AT
static const struct schema drain_schema = SCHEMA_OF("what if a drain", struct drain_request, drain_fields);

struct drain_reply { struct str json; };
static const struct schema drain_reply_schema = { STR_INIT("what if a drain"), sizeof(struct drain_reply), NULL, 0 };

enum drain_verdict { DRAIN_MOVES, DRAIN_SHRINKS, DRAIN_STAYS, DRAIN_FOLLOWS, DRAIN_UNKNOWN };
static const struct str verdict_words[] = { STR_INIT("MOVES"), STR_INIT("SHRINKS"), STR_INIT("STAYS"), STR_INIT("FOLLOWS"), STR_INIT("UNKNOWN") };

struct drain_task { struct id id; int64_t service, gpus; struct id to; };       /* to zero: no room */
struct drain_service {
    int64_t number; struct books books; struct drain_task *tasks;    /* of `drain`, in a row */
    int64_t count, fits, stay; enum drain_verdict verdict; struct str detail;
};
struct drain {
    struct op_ctx *ctx; const struct cluster *cluster; const struct instance *instance;
    int64_t live, stopping;
    struct drain_task *tasks; size_t count;                          /* of services, by service */
    struct id *standalone; size_t standalone_count;
    struct drain_service *services; size_t service_count;
    int64_t left_out;
};

/* ---- the tasks ---- */

static int by_service(const void *a, const void *b)
{
    const struct drain_task *one = a, *other = b;
    if (one->service != other->service) { return one->service < other->service ? -1 : 1; }
    return id_cmp(one->id, other->id);
}

static void read_tasks(struct drain *drain)
{
    struct op_ctx *ctx = drain->ctx;
    struct live_task *live;
    size_t count = store_live_on_instance(ctx->txn, drain->instance->id, &live, ctx->arena), taken = 0;
    drain->live = (int64_t)count;
    drain->tasks = ARENA_NEW(ctx->arena, struct drain_task, DRAIN_TASKS_MAX);
    drain->standalone = ARENA_NEW(ctx->arena, struct id, DRAIN_TASKS_MAX);
    for (size_t t = 0; t < count; t++) {
        if (live[t].desired_status == TASK_STOPPED) { drain->stopping++; continue; }
        if (taken == DRAIN_TASKS_MAX) { drain->left_out++; continue; }
        const struct task *task = store_task(ctx->txn, live[t].id, ctx->arena);
        if (task == NULL) { continue; }
        taken++;
        if (task->service == 0) {
            drain->standalone[drain->standalone_count++] = task->id;
        } else {
            drain->tasks[drain->count++] = (struct drain_task){ .id = task->id, .service = task->service, .gpus = task_gpu_thousandths(task) };
        }
    }
    if (drain->count > 1) { qsort(drain->tasks, drain->count, sizeof *drain->tasks, by_service); }
}

static void group_tasks(struct drain *drain)
{
    drain->services = ARENA_NEW(drain->ctx->arena, struct drain_service, DRAIN_SERVICES_MAX);
    for (size_t t = 0; t < drain->count; t++) {
        struct drain_service *last = drain->service_count == 0 ? NULL : &drain->services[drain->service_count - 1];
        if (last != NULL && last->number == drain->tasks[t].service) { last->count++; continue; }
        if (drain->service_count == DRAIN_SERVICES_MAX) {
            drain->left_out += (int64_t)(drain->count - t);
            drain->count = t;
            return;
        }
        drain->services[drain->service_count++] = (struct drain_service){ .number = drain->tasks[t].service, .tasks = &drain->tasks[t], .count = 1 };
    }
}

/* ---- one service ---- */

static int64_t staying(const struct books *books)
{
    int64_t count = 0;
    for (size_t t = 0; t < books->state.task_count; t++) { count += !books->state.tasks[t].leaving; }
    return count;
}

static const char *plural(int64_t count) { return count == 1 ? "" : "s"; }

/* How many leave: with a replacement, or because the lower limit does without them. */
static void judge(struct drain *drain, struct drain_service *service, struct str lack)
{
    const struct service_state *state = &service->books.state;
    int64_t lower = reconcile_lower(state->desired, state->min_percent), upper = reconcile_upper(state->desired, state->max_percent);
    int64_t now = staying(&service->books), spare = max_i64(0, now - lower);
    bool may_start = upper > now || spare > 0 || state->stops_first > 0;
    int64_t replaced = may_start ? service->fits : 0, leave = min_i64(service->count, max_i64(replaced, now + replaced - lower));
    service->stay = service->count - leave;
    service->verdict = service->stay > 0 ? DRAIN_STAYS : replaced < service->count ? DRAIN_SHRINKS : DRAIN_MOVES;
    if (!may_start) {
        service->detail = arena_printf(drain->ctx->arena, "minimumHealthyPercent %lld and maximumPercent %lld allow no step: neither may a task stop first, "
                                       "nor a replacement start first.", (long long)state->min_percent, (long long)state->max_percent);
    } else if (service->fits < service->count) {
        service->detail = arena_printf(drain->ctx->arena, "%lld of %lld replacement%s fit%s now: " STR_FMT ".", (long long)service->fits,
                                       (long long)service->count, plural(service->count), service->fits == 1 ? "s" : "", STR_ARG(lack));
    }
}

static void try_service(struct drain *drain, struct sched_trial *trial, struct drain_service *service)
{
    struct op_ctx *ctx = drain->ctx;
    struct placement placements[SCHED_TRY_MAX];
    struct evidence evidence = { 0 };
    struct err err = { 0 };
    struct demand demand;
    if (!books_open(ctx, service->number, &service->books) || service->books.service.status != SERVICE_ACTIVE) {
        service->verdict = DRAIN_MOVES;                              /* its tasks stop in any case */
        service->fits = service->count;
        service->detail = STR("The service is deleted: its tasks stop.");
        return;
    }
    books_fill(&service->books, 0);
    if (service->books.state.strategy == ROLLOUT_DAEMON) {
        service->verdict = DRAIN_FOLLOWS;
        service->detail = STR("A daemon's task stops when no other task is left on the machine.");
        return;
    }
    if (!starts_demand(&service->books, &demand, &err)) {
        service->verdict = DRAIN_UNKNOWN;
        service->stay = service->count;
        service->detail = arena_printf(ctx->arena, "No task can be made of its definition: %s", err.message);
        return;
    }
    while (service->fits < service->count) {
        int64_t want = min_i64(service->count - service->fits, SCHED_TRY_MAX);
        int64_t placed = (int64_t)sched_trial_place(ctx->world, trial, &demand, (size_t)want, placements, &evidence);
        for (int64_t p = 0; p < placed; p++) { service->tasks[service->fits + p].to = placements[p].instance; }
        service->fits += placed;
        if (placed < want) { break; }
    }
    judge(drain, service, evidence.group_count == 0 ? STR("no other instance takes tasks") : services_lack_text(ctx, &demand, &evidence));
}

/* As if the machine took no tasks. */
static void try_all(struct drain *drain)
{
    struct world *world = drain->ctx->world;
    struct instance draining = *drain->instance;
    bool is_active = draining.status == INSTANCE_ACTIVE;             /* otherwise it takes no tasks as it is */
    if (is_active) {
        instance_become(&draining, INSTANCE_DRAINING, drain->ctx->now_ms);
        placement_tell_instance(world, &draining, drain->ctx->arena);
    }
    struct sched_trial trial = sched_trial_begin(world, drain->cluster->number);
    for (size_t s = 0; s < drain->service_count; s++) { try_service(drain, &trial, &drain->services[s]); }
    sched_trial_end(world, &trial);
    if (is_active) { placement_tell_instance(world, drain->instance, drain->ctx->arena); }
}

/* ---- the answer ---- */

static int64_t count_staying(const struct drain *drain)
{
    int64_t count = 0;
    for (size_t s = 0; s < drain->service_count; s++) { count += drain->services[s].stay; }
    return count;
}

static struct str detail_of(const struct drain *drain)
{
    int64_t stay = count_staying(drain), alone = (int64_t)drain->standalone_count;
    struct buf out = buf_in(drain->ctx->arena);
    if (drain->live == 0) { return STR("No task is on it: it can go at once."); }
    if (stay == 0 && alone == 0 && drain->left_out == 0) { return STR("It would get empty by itself."); }
    buf_put(&out, STR("It would not get empty by itself:"));
    if (alone > 0) {
        buf_printf(&out, " %lld task%s of no service stay%s until %s end%s or %s stopped", (long long)alone, plural(alone), alone == 1 ? "s" : "",
                   alone == 1 ? "it" : "they", alone == 1 ? "s" : "", alone == 1 ? "is" : "are");
    }
    if (stay > 0) {
        buf_printf(&out, "%s %lld task%s of services stay%s for lack of room elsewhere or as their percents say", alone > 0 ? ", and" : "", (long long)stay,
                   plural(stay), stay == 1 ? "s" : "");
    }
    if (drain->left_out > 0) { buf_printf(&out, "%s %lld more tasks were not looked at", alone + stay > 0 ? "," : "", (long long)drain->left_out); }
    buf_put_char(&out, '.');
    return buf_str(&out);
}

static void put_service(const struct drain *drain, struct json_out *out, const struct drain_service *service)
{
    const struct service *record = &service->books.service;
    struct op_ctx *ctx = drain->ctx;
    bool known = record->number != 0;
    json_open(out, '{');
    own_json_str(out, STR("service"), record->name);
    own_json_str(out, STR("arn"), known ? names_service_arn(&ctx->config->names, drain->cluster->name, record->name, ctx->arena) : (struct str){ NULL, 0 });
    own_json_str(out, STR("strategy"), known ? enum_word(&scheduling_strategy_names, (int)record->scheduling) : (struct str){ NULL, 0 });
    own_json_i64(out, STR("tasks"), service->count);
    own_json_i64(out, STR("fits"), service->fits);
    own_json_str(out, STR("verdict"), verdict_words[service->verdict]);
    own_json_i64(out, STR("stay"), service->stay);
    own_json_str(out, STR("detail"), service->detail);
    json_close(out, '}');
}

static void put_moves(const struct drain *drain, struct json_out *out)
{
    json_key(out, STR("moves"));
    json_open(out, '[');
    for (size_t s = 0; s < drain->service_count; s++) {
        const struct drain_service *service = &drain->services[s];
        for (int64_t t = 0; t < service->count && service->verdict <= DRAIN_STAYS; t++) {
            json_open(out, '{');
            own_json_id(out, STR("task"), service->tasks[t].id);
            own_json_str(out, STR("service"), service->books.service.name);
            own_json_thousandths(out, STR("gpus"), service->tasks[t].gpus);
            what_if_put_instance(drain->ctx, out, STR("to"), drain->cluster, service->tasks[t].to);
            json_close(out, '}');
        }
    }
    json_close(out, ']');
}

static struct str print(const struct drain *drain)
{
    struct op_ctx *ctx = drain->ctx;
    struct buf buf = buf_in(ctx->arena);
    struct json_out out = json_out_to(&buf);
    json_open(&out, '{');
    own_json_str(&out, STR("cluster"), drain->cluster->name);
    what_if_put_instance(ctx, &out, STR("instance"), drain->cluster, drain->instance->id);
    own_json_str(&out, STR("status"), enum_word(&instance_status_names, (int)drain->instance->status));
    own_json_i64(&out, STR("tasks"), drain->live);
    own_json_i64(&out, STR("stopping"), drain->stopping);
    json_key(&out, STR("empties"));
    json_bool(&out, count_staying(drain) == 0 && drain->standalone_count == 0 && drain->left_out == 0);
    json_key(&out, STR("services"));
    json_open(&out, '[');
    for (size_t s = 0; s < drain->service_count; s++) { put_service(drain, &out, &drain->services[s]); }
    json_close(&out, ']');
    put_moves(drain, &out);
    json_key(&out, STR("standalone"));
    json_open(&out, '[');
    for (size_t t = 0; t < drain->standalone_count; t++) { what_if_put_task(ctx, &out, drain->cluster, drain->standalone[t]); }
    json_close(&out, ']');
    own_json_i64(&out, STR("leftOut"), drain->left_out);
    own_json_str(&out, STR("detail"), detail_of(drain));
    json_close(&out, '}');
    return buf_str(&buf);
}

static bool ask(struct op_ctx *ctx, const struct drain_request *request, struct drain_reply *reply, struct err *err)
{
    struct drain drain = { .ctx = ctx };
    struct id id;
    drain.cluster = support_cluster(ctx, request->cluster, err);
    if (drain.cluster == NULL) { return false; }
    if (!names_read_id(&ctx->config->names, request->instance, STR("container-instance"), drain.cluster->name, &id, err)) { return false; }
    drain.instance = store_instance(ctx->txn, id, ctx->arena);
    bool there = drain.instance != NULL && drain.instance->cluster_number == drain.cluster->number && drain.instance->status != INSTANCE_INACTIVE;
    if (!there) { return err_set(err, ERR_INVALID_PARAMETER, "The cluster has no such container instance."); }
    read_tasks(&drain);
    group_tasks(&drain);
    try_all(&drain);
    reply->json = print(&drain);
    return true;
}

/* The random numbers go on as if nobody had asked. */
static bool op_what_if_drain(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct rng chance = *ctx->rng;
    bool good = ask(ctx, input, output, err);
    *ctx->rng = chance;
    return good;
}

static const struct operation what_if_drain_operation = {
    .name = STR_INIT("berth:WhatIfDrain"), .input = &drain_schema, .output = &drain_reply_schema, .access = OP_LOOK, .role = ACCESS_VIEWER,
    .invalid = ERR_INVALID_PARAMETER, .run = op_what_if_drain,
};

bool api_prepare_what_if_drain(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err)
{
    return api_decode(config, &what_if_drain_operation, body, arena, call, err);
}

struct str api_what_if_drain(const struct api_call *call) { return ((const struct drain_reply *)call->output)->json; }

/* ---- a machine by its name ---- */

bool api_find_machine(struct op_ctx *ctx, struct str cluster_reference, struct str name, struct id *found, struct err *err)
{
    enum { PAGE = 100 };
    struct id ids[PAGE], after = { 0 };
    int64_t count = 0;
    const struct cluster *cluster = support_cluster(ctx, cluster_reference, err);
    if (cluster == NULL) { return false; }
    struct err not_an_id = { 0 };
    if (names_read_id(&ctx->config->names, name, STR("container-instance"), cluster->name, found, &not_an_id)) { return true; }
    for (size_t page = PAGE; page == PAGE;) {
        page = store_list_instances(ctx->txn, cluster->number, INSTANCE_STATUS_UNSET, after, ids, PAGE);
        for (size_t i = 0; i < page; i++) {
            if (!str_eq(store_instance_traits(ctx->txn, ids[i], ctx->arena).name, name)) { continue; }
            *found = ids[i];
            count++;
        }
        if (page > 0) { after = ids[page - 1]; }
    }
    if (count == 1) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, count == 0 ? "No machine of this cluster is called \"" STR_FMT "\"." :
                   "Several machines of this cluster are called \"" STR_FMT "\": name one by its id or ARN.", STR_ARG(str_slice(name, 0, 255)));
}
