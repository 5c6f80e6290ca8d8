/* usage.c: hours of GPUs, added up over tasks that have stopped (the history) and those that live. As JSON, in GPU-hours; half of a GPU for two is one:
 *
 * {"by":"tag:team","since":ms,"until":ms,
 *  "complete":true,"from":ms,                 complete false: the history is longer than one answer reads; it was read back to `from`
 *  "groups":[{"key":"vision",                 null: tasks without such a tag, startedBy or service
 *    "tasks":12,"running":3,                  that held a GPU or waited for one in that time; of them, those that still live
 *    "held":40.5,"used":22.1,"idle":6,        used: held times the load, as it was sampled; idle: berth idle tells when
 *    "unknown":1.5,                           held, but no sample covers it: neither used nor idle
 *    "queued":8}],                            GPUs that were asked for, while the task waited for room
 *  "others":null,                             beyond USAGE_GROUPS_MAX keys, all together, as a group without a key
 *  "total":{…}}                               a group without a key
 *
 * The time that a task held its GPUs is cut where the asked time begins and ends; its use, of which only the sum is known, counts in proportion. */
#include <stdlib.h>

#include "api/core/api.h"
#include "api/show/history.h"
#include "base/num.h"
#include "base/table.h"
#include "wire/own_json.h"

enum { USAGE_GROUPS_MAX = 1000, LOOKED_AT_MAX = 5000000, PIECE = 64, PAGE = 64 };
static const size_t SCRATCH_CEILING = (size_t)64 << 20;
static const struct str service_prefix = STR_INIT("service:"), tag_prefix = STR_INIT("tag:");

struct usage_sums { int64_t tasks, running, held_ms, used_ms, idle_ms, sampled_ms, queued_ms; };         /* GPU-milliseconds */
struct usage_group { struct str key; struct usage_sums sums; };                  /* key absent: the tasks have none */
struct usage {
    struct op_ctx *ctx;
    const struct usage_query *query;
    int64_t cluster;                         /* its number; 0: all */
    struct usage_group *groups; size_t count;
    struct hash_table by_key;
    struct usage_sums others, total;
    bool has_others, complete;
    int64_t from_ms;
    struct arena scratch;                    /* for a piece of the history, or an instance */
};

/* ---- one task ---- */

static int64_t part_of(int64_t value, int64_t part, int64_t whole) { return whole <= 0 ? 0 : (int64_t)((double)value * (double)part / (double)whole); }

static int64_t overlap(int64_t from, int64_t to, const struct usage_query *query)
{
    return max_i64(0, min_i64(to, query->until_ms) - max_i64(from, query->since_ms));
}

/* The sums of one task. For a task that lives, stopped_ms is now. */
static struct usage_sums sums_of(const struct history *entry, const struct usage_query *query, bool lives)
{
    int64_t gpus = history_gpu_thousandths(entry), from = history_held_from_ms(entry), whole = max_i64(0, entry->stopped_ms - from);
    int64_t here = overlap(from, entry->stopped_ms, query);
    bool waited_in_vain = id_is_zero(entry->instance), waited = waited_in_vain || entry->placed_ms > 0;
    int64_t waited_ms = waited ? overlap(entry->created_ms, waited_in_vain ? entry->stopped_ms : entry->placed_ms, query) : 0;
    struct usage_sums sums = {
        .held_ms = gpus * here / GPU_SHARE_WHOLE, .used_ms = part_of(entry->used_gpu_ms, here, whole), .idle_ms = part_of(entry->idle_gpu_ms, here, whole),
        .sampled_ms = part_of(entry->sampled_gpu_ms, here, whole), .queued_ms = max_i64(entry->asked_gpus, gpus) * waited_ms / GPU_SHARE_WHOLE,
    };
    sums.sampled_ms = min_i64(sums.sampled_ms, sums.held_ms);    /* samples and the store may have different clocks */
    sums.used_ms = min_i64(sums.used_ms, sums.sampled_ms);
    sums.idle_ms = min_i64(sums.idle_ms, sums.held_ms);
    sums.tasks = sums.held_ms > 0 || sums.queued_ms > 0;
    sums.running = lives ? sums.tasks : 0;
    return sums;
}

static void add(struct usage_sums *into, const struct usage_sums *more)
{
    into->tasks += more->tasks;
    into->running += more->running;
    into->held_ms += more->held_ms;
    into->used_ms += more->used_ms;
    into->idle_ms += more->idle_ms;
    into->sampled_ms += more->sampled_ms;
    into->queued_ms += more->queued_ms;
}

/* ---- whose it is ---- */

static struct str key_family(struct usage *usage, const struct history *entry) { (void)usage; return entry->family; }
static struct str key_started_by(struct usage *usage, const struct history *entry) { (void)usage; return entry->started_by; }

static struct str key_service(struct usage *usage, const struct history *entry)
{
    (void)usage;
    bool of_service = str_starts_with(entry->group, service_prefix);
    return of_service ? str_slice(entry->group, service_prefix.len, entry->group.len) : (struct str){ NULL, 0 };
}

static struct str key_cluster(struct usage *usage, const struct history *entry)
{
    const struct cluster *cluster = store_cluster_by_number(usage->ctx->txn, entry->cluster_number, &usage->scratch);
    return cluster == NULL ? (struct str){ NULL, 0 } : cluster->name;
}

static struct str key_tag(struct usage *usage, const struct history *entry)
{
    struct str wanted = str_slice(usage->query->by, tag_prefix.len, usage->query->by.len);
    for (size_t t = 0; t < entry->tags.count; t++) {
        if (str_eq(entry->tags.items[t].key, wanted)) { return entry->tags.items[t].value; }
    }
    return (struct str){ NULL, 0 };
}

typedef struct str key_of(struct usage *usage, const struct history *entry);
static const struct { struct str word; key_of *key; } kinds[] = {
    { STR_INIT("family"), key_family }, { STR_INIT("service"), key_service }, { STR_INIT("startedBy"), key_started_by }, { STR_INIT("cluster"), key_cluster },
};

static key_of *find_kind(struct str by)
{
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        if (str_eq(by, kinds[k].word)) { return kinds[k].key; }
    }
    return str_starts_with(by, tag_prefix) && by.len > tag_prefix.len ? key_tag : NULL;
}

/* NULL: there are enough keys. */
static struct usage_group *group_of(struct usage *usage, struct str key)
{
    uint64_t hash = hash_bytes(key.ptr, key.len);
    size_t at;
    for (uint32_t n = table_first(&usage->by_key, hash, &at); n != TABLE_NONE; n = table_next(&usage->by_key, hash, &at)) {
        if (str_eq(usage->groups[n].key, key)) { return &usage->groups[n]; }
    }
    if (usage->count == USAGE_GROUPS_MAX) { return NULL; }
    table_add(&usage->by_key, hash, (uint32_t)usage->count);
    struct usage_group *group = &usage->groups[usage->count++];
    *group = (struct usage_group){ .key = arena_str(usage->ctx->arena, key) };
    return group;
}

static void offer(struct usage *usage, const struct history *entry, bool lives)
{
    if (usage->cluster != 0 && entry->cluster_number != usage->cluster) { return; }
    struct usage_sums sums = sums_of(entry, usage->query, lives);
    if (sums.tasks == 0) { return; }
    struct usage_group *group = group_of(usage, find_kind(usage->query->by)(usage, entry));
    usage->has_others |= group == NULL;
    add(group == NULL ? &usage->others : &group->sums, &sums);
    add(&usage->total, &sums);
}

/* ---- all tasks ---- */

static void take_live(struct usage *usage, struct id instance)
{
    struct op_ctx one = *usage->ctx;
    struct id *ids;
    one.arena = &usage->scratch;
    size_t count = store_tasks_on_instance(usage->ctx->txn, instance, &ids, &usage->scratch);
    for (size_t t = 0; t < count; t++) {
        const struct task *task = store_task(usage->ctx->txn, ids[t], &usage->scratch);
        if (task == NULL || !task_is_live(task)) { continue; }           /* a task that has stopped since is in the history */
        struct history entry = history_of(&one, task);
        entry.stopped_ms = usage->ctx->now_ms;
        offer(usage, &entry, true);
    }
    arena_reset(&usage->scratch);
}

/* Machines without held GPUs are passed by. */
static void take_cluster(struct usage *usage, const struct cluster *cluster)
{
    struct id ids[PAGE], after = { 0 };
    for (size_t page = PAGE; page == PAGE;) {
        page = store_list_instances(usage->ctx->txn, cluster->number, INSTANCE_STATUS_UNSET, after, ids, PAGE);
        for (size_t i = 0; i < page; i++) {
            struct instance_usage taken;
            store_instance_usage(usage->ctx->txn, ids[i], &taken, &usage->scratch);
            if (taken.gpus.count > 0) { take_live(usage, ids[i]); }
            arena_reset(&usage->scratch);
        }
        if (page > 0) { after = ids[page - 1]; }
    }
}

static void take_clusters(struct usage *usage)
{
    struct str names[PAGE], after = { NULL, 0 };
    for (size_t page = PAGE; page == PAGE;) {
        page = store_list_clusters(usage->ctx->txn, after, names, PAGE, usage->ctx->arena);
        for (size_t c = 0; c < page; c++) {
            const struct cluster *cluster = store_cluster(usage->ctx->txn, names[c], usage->ctx->arena);
            if (cluster != NULL && (usage->cluster == 0 || usage->cluster == cluster->number)) { take_cluster(usage, cluster); }
        }
        if (page > 0) { after = names[page - 1]; }
    }
}

/* From the last to stop back to the begin of the asked time: what stopped after its end may have run in it. */
static void take_history(struct usage *usage)
{
    struct history_place last = { INT64_MAX, { { 0 } } };
    usage->complete = true;
    for (size_t read = PIECE, looked_at = 0; read == PIECE; looked_at += read) {
        if (looked_at >= LOOKED_AT_MAX) {
            usage->complete = false;
            usage->from_ms = last.stopped_ms;
            return;
        }
        struct history *entries = ARENA_NEW(&usage->scratch, struct history, PIECE);
        read = store_list_history(usage->ctx->txn, last, entries, PIECE, &usage->scratch);
        for (size_t e = 0; e < read; e++) {
            if (entries[e].stopped_ms < usage->query->since_ms) { return; }
            offer(usage, &entries[e], false);
            last = (struct history_place){ entries[e].stopped_ms, entries[e].id };
        }
        arena_reset(&usage->scratch);
    }
}

/* ---- the answer ---- */

static int most_held_first(const void *a, const void *b)
{
    const struct usage_group *one = a, *other = b;
    if (one->sums.held_ms != other->sums.held_ms) { return one->sums.held_ms > other->sums.held_ms ? -1 : 1; }
    return str_cmp(one->key, other->key);
}

/* To six digits behind the point. */
static void put_hours(struct json_out *out, struct str key, int64_t gpu_ms)
{
    static const int64_t million = 1000000, million_s = 3600 * 1000;
    int64_t millionths = gpu_ms / million_s * million + gpu_ms % million_s * million / million_s;
    json_key(out, key);
    if (millionths % million == 0) { json_i64(out, millionths / million); } else { json_double(out, (double)millionths / (double)million); }
}

static void put_sums(struct json_out *out, const struct usage_sums *sums)
{
    own_json_i64(out, STR("tasks"), sums->tasks);
    own_json_i64(out, STR("running"), sums->running);
    put_hours(out, STR("held"), sums->held_ms);
    put_hours(out, STR("used"), sums->used_ms);
    put_hours(out, STR("idle"), sums->idle_ms);
    put_hours(out, STR("unknown"), sums->held_ms - sums->sampled_ms);
    put_hours(out, STR("queued"), sums->queued_ms);
}

static void put_all(struct json_out *out, struct str key, const struct usage_sums *sums)
{
    json_key(out, key);
    json_open(out, '{');
    put_sums(out, sums);
    json_close(out, '}');
}

static void print(struct usage *usage, struct buf *text)
{
    struct json_out out = json_out_to(text);
    if (usage->count > 1) { qsort(usage->groups, usage->count, sizeof *usage->groups, most_held_first); }
    json_open(&out, '{');
    own_json_str(&out, STR("by"), usage->query->by);
    own_json_i64(&out, STR("since"), usage->query->since_ms);
    own_json_i64(&out, STR("until"), usage->query->until_ms);
    json_key(&out, STR("complete"));
    json_bool(&out, usage->complete);
    own_json_i64(&out, STR("from"), usage->complete ? usage->query->since_ms : usage->from_ms);
    json_key(&out, STR("groups"));
    json_open(&out, '[');
    for (size_t g = 0; g < usage->count; g++) {
        json_open(&out, '{');
        own_json_str(&out, STR("key"), usage->groups[g].key);
        put_sums(&out, &usage->groups[g].sums);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    if (usage->has_others) { put_all(&out, STR("others"), &usage->others); } else { own_json_str(&out, STR("others"), (struct str){ NULL, 0 }); }
    put_all(&out, STR("total"), &usage->total);
    json_close(&out, '}');
}

static bool check(struct op_ctx *ctx, const struct usage_query *query, struct usage *usage, struct err *err)
{
    if (find_kind(query->by) == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "by can't be \"" STR_FMT "\": it should be family, service, startedBy, cluster or tag:KEY.",
                       STR_ARG(str_slice(query->by, 0, 64)));
    }
    if (query->since_ms >= query->until_ms) { return err_set(err, ERR_INVALID_PARAMETER, "since should be before until."); }
    if (!str_is_set(query->cluster)) { return true; }
    const struct cluster *cluster = support_cluster_ever(ctx, query->cluster, err);
    if (cluster != NULL) { usage->cluster = cluster->number; }
    return cluster != NULL;
}

bool api_print_usage(struct op_ctx *ctx, const struct usage_query *query, struct buf *out, struct err *err)
{
    struct usage usage = { .ctx = ctx, .query = query };
    if (!check(ctx, query, &usage, err)) { return false; }
    arena_init(&usage.scratch, SCRATCH_CEILING);
    usage.groups = ARENA_NEW(ctx->arena, struct usage_group, USAGE_GROUPS_MAX);
    take_clusters(&usage);
    take_live(&usage, (struct id){ { 0 } });                     /* those that wait for room */
    take_history(&usage);
    print(&usage, out);
    table_finish(&usage.by_key);
    arena_finish(&usage.scratch);
    return true;
}
