/* queue.c: the tasks that wait for room, in the order in which they are tried, each with what it lacks now. As JSON:
 *
 * {"now":ms,"count":3,                       all that wait in the cluster, or in all
 *  "entries":[{"position":1,"positionOfShape":1,"tasks":["<32 hex>"],"cluster":"default","taskDefinition":"train:4","group":"…","startedBy":"…",
 *   "priority":0,"since":ms,"until":ms,       until null: it waits without an end
 *   "expectedStart":{"p50":ms,"p90":ms},      null: unknown
 *   "kept":{"why":"large","instances":["<32 hex>"],"starts":ms,"heldBackSince":ms},      room that is kept for it (large, stopped or ordered); null: none
 *   "keptAgain":ms,                           no room is kept for it before; null: it may be
 *   "stoppedFor":["<32 hex>"],                tasks that were stopped so that it can start
 *   "reason":"RESOURCE:GPU","detail":"…"}],   null behind the first shapes: to work it out takes the writer's time
 *
 *  "quotas":[{"cluster":"default","tag":"team","value":"ml","limit":8,"used":2.5}]}      GPUs, of the clusters that have entries, or of the one asked about
 *
 * An operation of Berth's own, asked where the world is. */
#include "api/core/api.h"
#include "api/core/quotas.h"
#include "api/tasks/keeping.h"
#include "scheduler/place/sites.h"
#include "scheduler/queue/keeps.h"
#include "scheduler/queue/queue.h"
#include "scheduler/queue/quota.h"
#include "scheduler/queue/reserve.h"
#include "scheduler/queue/runs.h"
#include "wire/own_json.h"

/* STARTS_KEPT_MS: an expected start costs as much as the cluster is large, so it is worked out again after this time, for STARTS_AT_ONCE shapes at once. */
enum { SHOWN_MAX = 1000, SHAPES_MAX = 16, STARTS_KEPT_MS = 10 * 1000, STARTS_AT_ONCE = 4, CLUSTERS_SHOWN = 64 };

struct queue_request { struct str cluster; };
#define AT(member) .offset = offsetof(struct queue_request, member)
static const struct field queue_request_fields[] = { { STR_INIT("cluster"), 0, FIELD_STR, AT(cluster), .max = 255 } };
#undef AT
static const struct schema queue_request_schema = SCHEMA_OF("queue", struct queue_request, queue_request_fields);
struct queue_reply { struct str json; };
static const struct schema queue_reply_schema = { STR_INIT("queue"), sizeof(struct queue_reply), NULL, 0 };

/* The lack of one shape. A gang lacks more than one task of its shape. `told`: what it lacks was worked out. */
struct lack { uint64_t shape, provider, quota; int64_t cluster; size_t tasks, seen; bool told; struct str reason, detail; const struct queue_starts *starts; };
struct lacks { struct lack items[SHOWN_MAX]; size_t count, told, starts; };

static struct lack *find_lack(struct lacks *lacks, const struct waiting *waiting)
{
    for (size_t l = 0; l < lacks->count; l++) {
        struct lack *lack = &lacks->items[l];
        bool same = lack->shape == waiting->shape && lack->provider == waiting->provider && lack->cluster == waiting->cluster
            && lack->quota == waiting->quota;
        if (same && lack->tasks == waiting->count) { return lack; }
    }
    return NULL;
}

/* Expected starts of half of them and of nine of ten, as far as past runs tell (RUNS_SHOWN). */
static void work_out_starts(struct op_ctx *ctx, const struct waiting *waiting, const struct demand *demand)
{
    static const size_t scratch_max = (size_t)512 << 20;
    const struct sites_ask half = { ctx->now_ms, RUNS_HALF, RUNS_SHOWN, RUNS_MOST }, most = { ctx->now_ms, RUNS_MOST, RUNS_SHOWN, 0 };
    struct queue_starts starts = { .at_ms = ctx->now_ms };
    struct arena scratch;
    struct amount amount;
    struct site_list list;
    if (amount_of(demand, &amount)) {
        arena_init(&scratch, scratch_max);
        sites_read(ctx->world, demand, &amount, &half, &scratch, &list);
        starts.half_count = reserve_starts(list.sites, list.count, &amount, QUEUE_STARTS, ctx->now_ms, starts.half);
        sites_read(ctx->world, demand, &amount, &most, &scratch, &list);
        starts.most_count = reserve_starts(list.sites, list.count, &amount, QUEUE_STARTS, ctx->now_ms, starts.most);
        arena_finish(&scratch);
    }
    queue_set_starts(sched_queue(ctx->world), waiting->tasks[0], &starts);
}

static void find_starts(struct op_ctx *ctx, struct lacks *lacks, struct lack *lack, const struct waiting *waiting, const struct demand *demand)
{
    lack->starts = queue_starts(sched_queue(ctx->world), waiting->tasks[0]);
    bool fresh = lack->starts != NULL && lack->starts->at_ms <= ctx->now_ms && ctx->now_ms - lack->starts->at_ms < STARTS_KEPT_MS;
    if (fresh || lacks->starts == STARTS_AT_ONCE) { return; }
    work_out_starts(ctx, waiting, demand);
    lacks->starts++;
    lack->starts = queue_starts(sched_queue(ctx->world), waiting->tasks[0]);
}

/* The lack of this shape; the first SHAPES_MAX shapes get details. */
static struct lack *lack_of(struct op_ctx *ctx, struct lacks *lacks, const struct waiting *waiting, const struct task *task)
{
    struct lack *lack = find_lack(lacks, waiting);
    struct launch launch;
    struct err err = { 0 };
    if (lack != NULL) { return lack; }
    ASSERT(lacks->count < SHOWN_MAX);
    lack = &lacks->items[lacks->count++];
    *lack = (struct lack){
        .shape = waiting->shape, .provider = waiting->provider, .quota = waiting->quota, .cluster = waiting->cluster, .tasks = waiting->count,
    };
    if (lacks->told == SHAPES_MAX) { return lack; }
    lack->told = true;
    lacks->told++;
    if (!launch_waiting(ctx, task, &launch, &err)) {
        lack->detail = arena_str(ctx->arena, str_from(err.message));
        return lack;
    }
    struct placement placements[QUEUE_GANG_MAX];
    struct evidence evidence = { 0 };
    keeping_refresh(ctx, waiting->cluster);
    struct failure failure;
    if (quotas_allow(ctx, launch.cluster, &task->tags, &launch.demand, waiting->count, true, &failure) < waiting->count) {
        lack->reason = failure.reason;
        lack->detail = failure.detail;
        return lack;
    }
    size_t fit = sched_try(ctx->world, &launch.demand, waiting->count, waiting->count > 1, placements, &evidence);
    find_starts(ctx, lacks, lack, waiting, &launch.demand);
    if (fit == waiting->count) {
        lack->detail = STR("It has room now, and is tried in a moment.");
        return lack;
    }
    failure = launch_failure(ctx, &launch, &evidence);
    lack->reason = failure.reason;
    lack->detail = failure.detail;
    return lack;
}

static void put_ids(struct json_out *out, const char *name, const struct id *ids, size_t count)
{
    json_name(out, str_from(name));
    json_open(out, '[');
    for (size_t i = 0; i < count; i++) {
        char hex[ID_HEX_LEN + 1];
        id_hex(ids[i], hex);
        json_str(out, str_from(hex));
    }
    json_close(out, ']');
}

/* The start of the entry's last task: those of its shape that are before it have theirs first. */
static int64_t start_of(const int64_t *starts, size_t count, const struct lack *lack)
{
    size_t last = lack->seen * lack->tasks;
    return last >= 1 && last <= count ? starts[last - 1] : 0;
}

static void put_starts(struct json_out *out, const struct lack *lack)
{
    const struct queue_starts *starts = lack->starts;
    json_name(out, STR("expectedStart"));
    json_open(out, '{');
    own_json_ms(out, STR("p50"), starts == NULL ? 0 : start_of(starts->half, starts->half_count, lack));
    own_json_ms(out, STR("p90"), starts == NULL ? 0 : start_of(starts->most, starts->most_count, lack));
    json_close(out, '}');
}

static void put_kept(struct op_ctx *ctx, struct json_out *out, const struct waiting *waiting, const struct task *task)
{
    static const char *const why[] = { [KEEP_LARGE] = "large", [KEEP_STOPPED] = "stopped", [KEEP_ORDERED] = "ordered" };
    struct id instances[QUEUE_GANG_MAX];
    size_t count = 0;
    const struct keeps *keeps = sched_keeps(ctx->world);
    const struct keep *first = keeps_for(keeps, waiting->tasks[0], NULL);
    for (const struct keep *keep = first; keep != NULL && count < QUEUE_GANG_MAX; keep = keeps_for(keeps, waiting->tasks[0], keep)) {
        instances[count++] = keep->instance;
    }
    if (first == NULL) {
        own_json_str(out, STR("kept"), (struct str){ NULL, 0 });
    } else {
        json_name(out, STR("kept"));
        json_open(out, '{');
        own_json_str(out, STR("why"), str_from(why[first->kind]));
        put_ids(out, "instances", instances, count);
        own_json_ms(out, STR("starts"), first->starts_ms);
        own_json_ms(out, STR("heldBackSince"), first->barred_ms);
        json_close(out, '}');
    }
    own_json_ms(out, STR("keptAgain"), task->wait != NULL && task->wait->none_before_ms > ctx->now_ms ? task->wait->none_before_ms : 0);
    put_ids(out, "stoppedFor", task->stopped_for.items, task->stopped_for.count);
}

static void put_entry(struct op_ctx *ctx, struct json_out *out, struct lacks *lacks, const struct waiting *waiting, size_t position)
{
    const struct task *task = store_task(ctx->txn, waiting->tasks[0], ctx->arena);
    const struct cluster *cluster = support_kept_cluster_by_number(ctx, waiting->cluster);
    if (task == NULL || cluster == NULL) { return; }
    struct lack *lack = lack_of(ctx, lacks, waiting, task);
    json_open(out, '{');
    own_json_i64(out, STR("position"), (int64_t)position);
    own_json_i64(out, STR("positionOfShape"), (int64_t)++lack->seen);
    put_ids(out, "tasks", waiting->tasks, waiting->count);
    own_json_str(out, STR("cluster"), cluster->name);
    own_json_str(out, STR("taskDefinition"), arena_printf(ctx->arena, STR_FMT ":%lld", STR_ARG(task->family), (long long)task->revision));
    own_json_str(out, STR("group"), task->group);
    own_json_str(out, STR("startedBy"), task->started_by);
    own_json_i64(out, STR("priority"), waiting->priority);
    own_json_ms(out, STR("since"), waiting->since_ms);
    own_json_ms(out, STR("until"), waiting->until_ms);
    put_starts(out, lack);
    put_kept(ctx, out, waiting, task);
    own_json_str(out, STR("reason"), lack->reason);
    own_json_str(out, STR("detail"), lack->detail);
    json_close(out, '}');
}

static void put_quotas_of(struct op_ctx *ctx, struct json_out *out, const struct cluster *cluster)
{
    const struct quota_item *items;
    size_t count = quotas_of(sched_quotas(ctx->world), cluster->number, &items);
    for (size_t i = 0; i < count; i++) {
        json_open(out, '{');
        own_json_str(out, STR("cluster"), cluster->name);
        own_json_str(out, STR("tag"), items[i].key);
        own_json_str(out, STR("value"), items[i].value);
        json_name(out, STR("limit"));
        json_double(out, (double)items[i].limit / GPU_WHOLE);
        json_name(out, STR("used"));
        json_double(out, (double)items[i].used / GPU_WHOLE);
        json_close(out, '}');
    }
}

static void put_quotas(struct op_ctx *ctx, struct json_out *out, int64_t number, const struct waiting *const *entries, size_t count)
{
    int64_t last = 0;
    json_name(out, STR("quotas"));
    json_open(out, '[');
    if (number != 0) {
        const struct cluster *cluster = support_kept_cluster_by_number(ctx, number);
        if (cluster != NULL) { put_quotas_of(ctx, out, cluster); }
        count = 0;
    }
    int64_t shown[CLUSTERS_SHOWN];
    size_t shown_count = 0;
    for (size_t e = 0; e < count && shown_count < CLUSTERS_SHOWN; e++) {
        bool known = entries[e]->cluster == last;
        for (size_t s = 0; s < shown_count && !known; s++) { known = shown[s] == entries[e]->cluster; }
        last = entries[e]->cluster;
        const struct cluster *cluster = known ? NULL : support_kept_cluster_by_number(ctx, last);
        if (!known) { shown[shown_count++] = last; }
        if (cluster != NULL) { put_quotas_of(ctx, out, cluster); }
    }
    json_close(out, ']');
}

static bool op_queue(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct queue_request *request = input;
    struct queue_reply *reply = output;
    struct queue *queue = sched_queue(ctx->world);
    struct lacks *lacks = ARENA_NEW(ctx->arena, struct lacks, 1);
    int64_t number = 0;
    if (str_is_set(request->cluster)) {
        const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
        if (cluster == NULL) { return false; }
        number = cluster->number;
    }
    const struct waiting **entries = (const struct waiting **)arena_alloc(ctx->arena, queue_count(queue) + 1, sizeof *entries);
    size_t count = queue_list(queue, number, ctx->now_ms, entries, ctx->arena);
    struct buf json = buf_in(ctx->arena);
    struct json_out out = json_out_to(&json);
    json_open(&out, '{');
    own_json_ms(&out, STR("now"), ctx->now_ms);
    own_json_i64(&out, STR("count"), (int64_t)count);
    json_name(&out, STR("entries"));
    json_open(&out, '[');
    for (size_t e = 0; e < count && e < SHOWN_MAX; e++) { put_entry(ctx, &out, lacks, entries[e], e + 1); }
    json_close(&out, ']');
    put_quotas(ctx, &out, number, entries, count < SHOWN_MAX ? count : SHOWN_MAX);
    json_close(&out, '}');
    reply->json = buf_str(&json);
    return true;
}

static const struct operation queue_operation = {
    STR_INIT("berth:Queue"), &queue_request_schema, &queue_reply_schema, OP_LOOK, ACCESS_VIEWER, ERR_INVALID_PARAMETER, op_queue,
};

bool api_prepare_queue(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err)
{
    return api_decode(config, &queue_operation, body, arena, call, err);
}

struct str api_queue_text(const struct api_call *call) { return ((const struct queue_reply *)call->output)->json; }
