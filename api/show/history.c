/* history.c: tasks that have stopped, shown for as long as the history keeps them. An entry is written with the record that
 * makes the task STOPPED, in the same transaction, and needs nothing else to be read: names are in it. As JSON:
 *
 * {"tasks":[{"id":"<32 hex>","arn":"arn:…","cluster":"default","family":"train:3",
 *    "group":"family:train","startedBy":null,
 *    "instance":"<32 hex>","instanceName":"node-a",                         null when it was on no machine
 *    "stopCode":"EssentialContainerExited","reason":"Essential container in task exited",
 *    "created":1735689600000,                 ms; it is placed at the same time, unless it waited for room
 *    "placed":ms,                             when its wait for room ended; null: it did not wait, or in vain
 *    "pullStarted":ms,"pullStopped":ms,"started":ms,"stopping":ms,"executionStopped":ms,        null: never happened
 *    "stopped":ms,
 *    "cpu":2048,"memory":4096,                CPU units, MiB
 *    "gpus":2,                                GPUs that it held; 0.5 for half of one
 *    "gpuSeconds":122.5,                      `gpus` times the seconds from its placement to stopped
 *    "usedGpuSeconds":80.1,"idleGpuSeconds":0, of these: in use, and held idle, as far as samples show it
 *    "sampledGpuSeconds":120
 *    "containers":[{"name":"main","exitCode":0,"reason":null,"gpuIds":["GPU-…"],"gpuShare":0.5}],
 *                                             exitCode null: never ran; gpuShare: its part of each of its GPUs
 *    "tags":[{"key":"team","value":"vision"}]}],
 *                                             the last to stop first
 *  "nextToken":"…"}                           null on the last page
 *
 * A page ends when it is full or when PAGE_LOOKED_AT entries were read, so that a filter that no task passes costs no more than
 * one that all pass. So a page may be short or empty and still have a next one. The answer for one task is its object alone. */
#include "api/show/history.h"
#include "api/core/api.h"
#include "wire/own_json.h"
#include "base/num.h"

enum { PAGE_MAX = 100, PAGE_LOOKED_AT = 4096, PIECE = 64, POSITION_MAX = 64 };
static const size_t SCRATCH_CEILING = (size_t)16 << 20;
static const struct str list_name = STR_INIT("History");

/* ---- writing ---- */

static struct history_container_list containers_of(struct op_ctx *ctx, const struct task *task)
{
    const struct taskdef *taskdef = support_kept_taskdef(ctx, task);
    size_t known = taskdef == NULL ? 0 : taskdef->def.container_definitions.count;
    struct history_container_list list = { ARENA_NEW(ctx->arena, struct history_container, task->containers.count), task->containers.count };
    for (size_t c = 0; c < list.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        bool named = container->index >= 0 && (uint64_t)container->index < known;
        list.items[c] = (struct history_container){
            .name = named ? taskdef->def.container_definitions.items[container->index].name : (struct str){ 0 },
            .reason = container->reason, .exit_code = container->exit_code, .gpu_ids = container->gpu_ids,
            .gpu_share = container->gpu_share,
        };
    }
    return list;
}

struct history history_of(struct op_ctx *ctx, const struct task *task)
{
    struct task_usage usage = { 0 };
    if (ctx->config->usage_of != NULL && !id_is_zero(task->instance)) { usage = ctx->config->usage_of(ctx->config->usage_owner, task->instance, task->id); }
    return (struct history){
        .id = task->id,
        .stopped_ms = task->stopped_ms,
        .cluster_number = task->cluster_number,
        .family = task->family, .revision = task->revision,
        .instance = task->instance, .instance_name = store_instance_traits(ctx->txn, task->instance, ctx->arena).name,      /* its present name */
        .group = task->group, .started_by = task->started_by,
        .cpu = task->cpu, .memory_mib = task->memory_mib,
        .stop_code = task->stop_code, .stopped_reason = task->stopped_reason,
        .created_ms = task->created_ms, .pull_started_ms = task->pull_started_ms, .pull_stopped_ms = task->pull_stopped_ms,
        .started_ms = task->started_ms, .stopping_ms = task->stopping_ms, .execution_stopped_ms = task->execution_stopped_ms,
        .containers = containers_of(ctx, task),
        .placed_ms = task->placed_ms, .asked_gpus = task->asked_gpus,
        .sampled_gpu_ms = usage.sampled_gpu_ms, .used_gpu_ms = usage.used_gpu_ms, .idle_gpu_ms = usage.idle_gpu_ms,
        .tags = task->tags.count > 0 ? task->tags : task->tags_at_stop,
    };
}

void history_keep(struct op_ctx *ctx, const struct task *task)
{
    ASSERT(!task_is_live(task));
    if (ctx->config->history_keep_ms <= 0) { return; }
    struct history entry = history_of(ctx, task);
    store_put_history(ctx->txn, &entry);
}

/* ---- one entry as JSON ---- */

static void put_containers(struct json_out *out, const struct history_container_list *containers)
{
    json_key(out, STR("containers"));
    json_open(out, '[');
    for (size_t c = 0; c < containers->count; c++) {
        const struct history_container *container = &containers->items[c];
        json_open(out, '{');
        own_json_str(out, STR("name"), container->name);
        own_json_opt_int(out, STR("exitCode"), container->exit_code);
        own_json_str(out, STR("reason"), container->reason);
        own_json_strs(out, STR("gpuIds"), &container->gpu_ids);
        own_json_thousandths(out, STR("gpuShare"), gpu_share_of(container->gpu_share));
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_tags(struct json_out *out, const struct tag_list *tags)
{
    json_key(out, STR("tags"));
    json_open(out, '[');
    for (size_t t = 0; t < tags->count; t++) {
        json_open(out, '{');
        own_json_str(out, STR("key"), tags->items[t].key);
        json_key(out, STR("value"));
        json_str(out, tags->items[t].value);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_entry(struct op_ctx *ctx, struct json_out *out, const struct history *entry, struct str cluster, struct arena *scratch)
{
    json_open(out, '{');
    own_json_id(out, STR("id"), entry->id);
    own_json_str(out, STR("arn"), names_task_arn(&ctx->config->names, cluster, entry->id, scratch));
    own_json_str(out, STR("cluster"), cluster);
    own_json_str(out, STR("family"), arena_printf(scratch, STR_FMT ":%lld", STR_ARG(entry->family), (long long)entry->revision));
    own_json_str(out, STR("group"), entry->group);
    own_json_str(out, STR("startedBy"), entry->started_by);
    own_json_id(out, STR("instance"), entry->instance);
    own_json_str(out, STR("instanceName"), entry->instance_name);
    own_json_str(out, STR("stopCode"), enum_word(&task_stop_code_names, (int)entry->stop_code));
    own_json_str(out, STR("reason"), entry->stopped_reason);
    own_json_ms(out, STR("created"), entry->created_ms);
    own_json_ms(out, STR("placed"), entry->placed_ms);
    own_json_ms(out, STR("pullStarted"), entry->pull_started_ms);
    own_json_ms(out, STR("pullStopped"), entry->pull_stopped_ms);
    own_json_ms(out, STR("started"), entry->started_ms);
    own_json_ms(out, STR("stopping"), entry->stopping_ms);
    own_json_ms(out, STR("executionStopped"), entry->execution_stopped_ms);
    own_json_ms(out, STR("stopped"), entry->stopped_ms);
    own_json_i64(out, STR("cpu"), entry->cpu);
    own_json_i64(out, STR("memory"), entry->memory_mib);
    own_json_thousandths(out, STR("gpus"), history_gpu_thousandths(entry));
    json_key(out, STR("gpuSeconds"));
    json_double(out, (double)history_gpu_ms(entry) / 1000);
    own_json_thousandths(out, STR("usedGpuSeconds"), entry->used_gpu_ms);
    own_json_thousandths(out, STR("idleGpuSeconds"), entry->idle_gpu_ms);
    own_json_thousandths(out, STR("sampledGpuSeconds"), entry->sampled_gpu_ms);
    put_containers(out, &entry->containers);
    put_tags(out, &entry->tags);
    json_close(out, '}');
}

/* The store keeps the names of deleted clusters. */
static struct str cluster_name(struct op_ctx *ctx, int64_t number, struct arena *scratch)
{
    const struct cluster *cluster = store_cluster_by_number(ctx->txn, number, scratch);
    return cluster == NULL ? (struct str){ 0 } : cluster->name;
}

void history_put(struct op_ctx *ctx, struct json_out *out, const struct history *entry)
{
    put_entry(ctx, out, entry, cluster_name(ctx, entry->cluster_number, ctx->arena), ctx->arena);
}

bool api_print_history_task(struct op_ctx *ctx, struct id id, struct buf *out)
{
    struct json_out json = json_out_to(out);
    const struct history *entry = store_history(ctx->txn, id, ctx->arena);
    if (entry == NULL) { return false; }
    history_put(ctx, &json, entry);
    return true;
}

/* ---- pages ---- */

struct page {
    struct op_ctx *ctx;
    const struct history_query *query;
    struct str cluster;                      /* the requested name; absent: any */
    size_t limit, count, looked_at;
    struct history_place last;               /* the entry that was read last */
    bool complete;                           /* no entry is left after it */
    struct json_out json;
    struct arena scratch;                    /* for one entry */
};

static void page_finish(struct page *page) { arena_finish(&page->scratch); }

/* "<ms>:<id>": the last entry that the page before has read. */
static bool read_position(struct op_ctx *ctx, struct str token, struct history_place *place, struct err *err)
{
    struct str position, ms, id;
    if (!paging_position(ctx, list_name, token, &position, err)) { return false; }
    if (!str_is_set(position)) { return true; }
    bool good = str_cut(position, ':', &ms, &id) && str_to_i64(ms, &place->stopped_ms) && place->stopped_ms >= 0 && id_parse(id, &place->id);
    return good || err_set(err, ERR_INVALID_PARAMETER, "Invalid token: nextToken must be the one that the page before gave.");
}

static struct str next_token(struct op_ctx *ctx, struct history_place place)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(place.id, hex);
    return paging_token(ctx, list_name, arena_printf(ctx->arena, "%lld:%s", (long long)place.stopped_ms, hex));
}

/* "train" means all revisions, "train:3" only that one. */
static bool family_passes(const struct history *entry, struct str wanted)
{
    struct str family, digits;
    int64_t revision;
    if (!str_is_set(wanted)) { return true; }
    if (!str_cut(wanted, ':', &family, &digits)) { return str_eq(entry->family, wanted); }
    return str_eq(entry->family, family) && str_to_i64(digits, &revision) && revision == entry->revision;
}

static void offer(struct page *page, const struct history *entry)
{
    const struct history_query *query = page->query;
    if (!family_passes(entry, query->family)) { return; }
    if (str_is_set(query->started_by) && !str_eq(query->started_by, entry->started_by)) { return; }
    struct str cluster = cluster_name(page->ctx, entry->cluster_number, &page->scratch);
    if (str_is_set(page->cluster) && !str_eq(page->cluster, cluster)) { return; }
    put_entry(page->ctx, &page->json, entry, cluster, &page->scratch);
    page->count++;
}

/* True while there are more entries and room for them. */
static bool take_piece(struct page *page)
{
    struct history *entries = ARENA_NEW(&page->scratch, struct history, PIECE);
    size_t read = store_list_history(page->ctx->txn, page->last, entries, PIECE, &page->scratch);
    page->complete = read < PIECE;
    for (size_t e = 0; e < read; e++) {
        if (entries[e].stopped_ms < page->query->since_ms) {
            page->complete = true;
            return false;
        }
        if (page->count == page->limit || page->looked_at == PAGE_LOOKED_AT) {
            page->complete = false;
            return false;
        }
        offer(page, &entries[e]);
        page->looked_at++;
        page->last = (struct history_place){ entries[e].stopped_ms, entries[e].id };
    }
    return !page->complete;
}

/* Starts at the end of the requested time, or where the page before ended, whichever is older. */
static bool page_begin(struct page *page, struct op_ctx *ctx, const struct history_query *query, struct err *err)
{
    *page = (struct page){ .ctx = ctx, .query = query, .limit = query->limit == 0 ? PAGE_MAX : query->limit };
    arena_init(&page->scratch, SCRATCH_CEILING);
    if (query->limit > PAGE_MAX) { return err_set(err, ERR_INVALID_PARAMETER, "limit can't be more than %d.", PAGE_MAX); }
    if (str_is_set(query->cluster) && !names_read_cluster(&ctx->config->names, query->cluster, &page->cluster, err)) { return false; }
    struct history_place token = { INT64_MAX, { { 0 } } }, until = { INT64_MAX, { { 0 } } };
    if (query->until_ms > 0) { until.stopped_ms = query->until_ms; }
    if (!read_position(ctx, query->next_token, &token, err)) { return false; }
    page->last = token.stopped_ms < until.stopped_ms ? token : until;
    return true;
}

bool api_print_history(struct op_ctx *ctx, const struct history_query *query, struct buf *out, struct err *err)
{
    AUTO(page_finish) struct page page;
    if (!page_begin(&page, ctx, query, err)) { return false; }
    page.json = json_out_to(out);
    json_open(&page.json, '{');
    json_key(&page.json, STR("tasks"));
    json_open(&page.json, '[');
    while (take_piece(&page)) { arena_reset(&page.scratch); }
    json_close(&page.json, ']');
    own_json_str(&page.json, STR("nextToken"), page.complete ? (struct str){ 0 } : next_token(ctx, page.last));
    json_close(&page.json, '}');
    return true;
}
