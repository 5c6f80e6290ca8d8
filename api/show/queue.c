/* queue.c: the tasks that wait for room, in the order in which they are tried, each with what it lacks now. As JSON:
 *
 * {"now":ms,"count":3,                       all that wait in the cluster, or in all
 *  "entries":[{"position":1,"positionOfShape":1,"tasks":["<32 hex>"],"cluster":"default","taskDefinition":"train:4","group":"…","startedBy":"…",
 *   "priority":0,"since":ms,"until":ms,       until null: it waits without an end
 *   "reason":"RESOURCE:GPU","detail":"…"}]}   null behind the first shapes: to work it out takes the writer's time
 *
 * An operation of Berth's own, asked where the world is. */
#include "api/core/api.h"
#include "api/tasks/waits.h"
#include "scheduler/queue/queue.h"
#include "wire/own_json.h"

enum { SHOWN_MAX = 1000, SHAPES_MAX = 16 };

struct queue_request { struct str cluster; };
#define AT(member) .offset = offsetof(struct queue_request, member)
static const struct field queue_request_fields[] = { { STR_INIT("cluster"), 0, FIELD_STR, AT(cluster), .max = 255 } };
#undef AT
static const struct schema queue_request_schema = SCHEMA_OF("queue", struct queue_request, queue_request_fields);
struct queue_reply { struct str json; };
static const struct schema queue_reply_schema = { STR_INIT("queue"), sizeof(struct queue_reply), NULL, 0 };

/* The lack of one shape. A gang lacks more than one task of its shape. */
struct lack { uint64_t shape, provider; int64_t cluster; size_t tasks, seen; struct str reason, detail; };
struct lacks { struct lack items[SHAPES_MAX]; size_t count; };

static struct lack *find_lack(struct lacks *lacks, const struct waiting *waiting)
{
    for (size_t l = 0; l < lacks->count; l++) {
        struct lack *lack = &lacks->items[l];
        bool same = lack->shape == waiting->shape && lack->provider == waiting->provider && lack->cluster == waiting->cluster;
        if (same && lack->tasks == waiting->count) { return lack; }
    }
    return NULL;
}

/* NULL: there were enough shapes already. */
static struct lack *lack_of(struct op_ctx *ctx, struct lacks *lacks, const struct waiting *waiting, const struct task *task)
{
    struct lack *lack = find_lack(lacks, waiting);
    struct launch launch;
    struct err err = { 0 };
    if (lack != NULL || lacks->count == SHAPES_MAX) { return lack; }
    lack = &lacks->items[lacks->count++];
    *lack = (struct lack){ .shape = waiting->shape, .provider = waiting->provider, .cluster = waiting->cluster, .tasks = waiting->count };
    if (!waits_launch(ctx, task, &launch, &err)) {
        lack->detail = arena_str(ctx->arena, str_from(err.message));
        return lack;
    }
    struct placement placements[QUEUE_GANG_MAX];
    struct evidence evidence = { 0 };
    size_t fit = sched_try(ctx->world, &launch.demand, waiting->count, waiting->count > 1, placements, &evidence);
    if (fit == waiting->count) {
        lack->detail = STR("It has room now, and is tried in a moment.");
        return lack;
    }
    struct failure failure = launch_failure(ctx, &launch, &evidence);
    lack->reason = failure.reason;
    lack->detail = failure.detail;
    return lack;
}

static void put_entry(struct op_ctx *ctx, struct json_out *out, struct lacks *lacks, const struct waiting *waiting, size_t position)
{
    const struct task *task = store_task(ctx->txn, waiting->tasks[0], ctx->arena);
    const struct cluster *cluster = support_kept_cluster_by_number(ctx, waiting->cluster);
    if (task == NULL || cluster == NULL) { return; }
    struct lack *lack = lack_of(ctx, lacks, waiting, task);
    json_open(out, '{');
    own_json_i64(out, STR("position"), (int64_t)position);
    if (lack != NULL) { own_json_i64(out, STR("positionOfShape"), (int64_t)++lack->seen); }
    json_name(out, STR("tasks"));
    json_open(out, '[');
    for (size_t t = 0; t < waiting->count; t++) {
        char hex[ID_HEX_LEN + 1];
        id_hex(waiting->tasks[t], hex);
        json_str(out, str_from(hex));
    }
    json_close(out, ']');
    own_json_str(out, STR("cluster"), cluster->name);
    own_json_str(out, STR("taskDefinition"), arena_printf(ctx->arena, STR_FMT ":%lld", STR_ARG(task->family), (long long)task->revision));
    own_json_str(out, STR("group"), task->group);
    own_json_str(out, STR("startedBy"), task->started_by);
    own_json_i64(out, STR("priority"), waiting->priority);
    own_json_ms(out, STR("since"), waiting->since_ms);
    own_json_ms(out, STR("until"), waiting->until_ms);
    own_json_str(out, STR("reason"), lack == NULL ? (struct str){ NULL, 0 } : lack->reason);
    own_json_str(out, STR("detail"), lack == NULL ? (struct str){ NULL, 0 } : lack->detail);
    json_close(out, '}');
}

static bool op_queue(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct queue_request *request = input;
    struct queue_reply *reply = output;
    struct queue *queue = sched_queue(ctx->world);
    struct lacks lacks = { .count = 0 };
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
    for (size_t e = 0; e < count && e < SHOWN_MAX; e++) { put_entry(ctx, &out, &lacks, entries[e], e + 1); }
    json_close(&out, ']');
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
