/* board.c: which task held each GPU at a moment of the past, and how busy it was, from the archive.
 *
 * GET /berth/v1/board?at=MOMENT                at: milliseconds since 1970, or a time before now such as 5h
 *     {"at":ms,"left":0,                       GPUs that were not read: there are too many, or it took too long
 *      "machines":[{"id":"<32 hex>","cluster":"default",
 *        "gpus":[[uuid,age,utilization,usedMib,totalMib,celsius,watts,idle,["<task id>",…]]]}],
 *      "tasks":[{"id":"<32 hex>","family":"train:3","service":null,"startedBy":null}]}
 * as machines told it: the last sample of the 30 seconds before; within a day samples are 15 seconds apart, and before that 15 minutes. The first eight values
 * are those of samples.h; idle: for how long a held GPU had been idle, by the rule of held.h, else null. A GPU without a sample is left out. */
#include "server/paths/figures.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "server/front/answers.h"
#include "wire/own_json.h"

enum { BOARD_GPUS_MAX = 65536, READ_MS = 3000, DAY_MS = 24 * 3600 * 1000, MONTH_DAYS = 30 };
static const size_t BOARD_CEILING = (size_t)256 << 20, SERIES_CEILING = (size_t)64 << 20;

struct past_gpu { struct id instance; struct str cluster; struct gpu_sample sample; };
struct past_board {
    const struct figure_paths *paths;
    int64_t at_ms;
    enum archive_kind kind;
    struct arena arena;
    struct past_gpu *gpus; size_t count, left;
};

/* ---- reading ---- */

/* By the rule of held.h. 0: it was not held, or was used shortly before. */
static int64_t idle_since_ms(const struct archive_series *series, size_t last, const struct idle_rule *rule)
{
    uint32_t owner = series->samples[last].owner;
    size_t s = last + 1;
    for (; s > 0; s--) {
        struct opt_double busy = gpu_figure(&series->samples[s - 1].figures, GPU_UTILIZATION);
        if (series->samples[s - 1].owner != owner || !busy.set || busy.value >= rule->below) { break; }
    }
    bool all = s <= last && series->samples[last].at_ms - series->samples[s].at_ms >= rule->after_ms - 2 * ARCHIVE_DAY_MS;
    return all && series->owners[owner].holders.count > 0 ? series->samples[s].at_ms : 0;
}

static struct gpu_holder_list keep_holders(struct past_board *board, const struct gpu_holder_list *list)
{
    struct gpu_holder_list kept = { ARENA_NEW(&board->arena, struct gpu_holder, list->count + 1), list->count };
    for (size_t h = 0; h < list->count; h++) {
        const struct gpu_holder *holder = &list->items[h];
        kept.items[h] = (struct gpu_holder){ holder->task, arena_str(&board->arena, holder->family), arena_str(&board->arena, holder->service),
                                             arena_str(&board->arena, holder->started_by) };
    }
    return kept;
}

static void read_gpu(struct past_board *board, struct str uuid, struct arena *scratch)
{
    bool exact = board->kind == ARCHIVE_DAY;
    struct archive_series series;
    int64_t step_ms = exact ? ARCHIVE_DAY_MS : ARCHIVE_MONTH_MS, from_ms = board->at_ms - 2 * step_ms - (exact ? held_rule(board->paths->held)->after_ms : 0);
    bool known = archive_read(board->paths->archive, uuid, board->kind, from_ms, board->at_ms + 1, &series, scratch);
    if (!known || series.count == 0) { return; }
    const struct archive_sample *last = &series.samples[series.count - 1];
    if (last->at_ms < board->at_ms - 2 * step_ms || last->owner == OWNERS_NONE) { return; }
    const struct owner_change *owner = &series.owners[last->owner];
    board->gpus[board->count++] = (struct past_gpu){
        .instance = owner->instance, .cluster = arena_str(&board->arena, owner->cluster),
        .sample = { .uuid = uuid, .told = last->figures, .at_ms = last->at_ms, .holders = keep_holders(board, &owner->holders),
                    .idle_since_ms = idle_since_ms(&series, series.count - 1, held_rule(board->paths->held)) },
    };
}

static void read_gpus(struct past_board *board)
{
    struct arena scratch;
    struct str *uuids = ARENA_NEW(&board->arena, struct str, BOARD_GPUS_MAX);
    size_t count = archive_list(board->paths->archive, (struct id){ { 0 } }, uuids, BOARD_GPUS_MAX, &board->arena), g = 0;
    int64_t until_ms = clock_monotonic_ms() + READ_MS;
    board->gpus = ARENA_NEW(&board->arena, struct past_gpu, count + 1);
    arena_init(&scratch, SERIES_CEILING);
    for (; g < count && clock_monotonic_ms() < until_ms; g++) {
        read_gpu(board, uuids[g], &scratch);
        arena_reset(&scratch);
    }
    arena_finish(&scratch);
    board->left = (size_t)archive_count(board->paths->archive).gpus - g;
}

/* ---- printing ---- */

static int by_machine(const void *a, const void *b)
{
    const struct past_gpu *one = a, *other = b;
    int order = id_cmp(one->instance, other->instance);
    return order != 0 ? order : str_cmp(one->sample.uuid, other->sample.uuid);
}

static int by_task(const void *a, const void *b) { return id_cmp(((const struct gpu_holder *)a)->task, ((const struct gpu_holder *)b)->task); }

static void put_gpu(const struct past_board *board, const struct gpu_sample *gpu, struct json_out *out)
{
    json_open(out, '[');
    samples_put_figures(gpu, board->at_ms, out);
    if (gpu->idle_since_ms != 0) { json_i64(out, board->at_ms - gpu->idle_since_ms); } else { json_raw(out, STR("null")); }
    json_open(out, '[');
    for (size_t h = 0; h < gpu->holders.count; h++) {
        char hex[ID_HEX_LEN + 1];
        id_hex(gpu->holders.items[h].task, hex);
        json_str(out, (struct str){ hex, ID_HEX_LEN });
    }
    json_close(out, ']');
    json_close(out, ']');
}

static void put_machines(const struct past_board *board, struct json_out *out)
{
    json_key(out, STR("machines"));
    json_open(out, '[');
    for (size_t g = 0; g < board->count;) {
        struct id instance = board->gpus[g].instance;
        json_open(out, '{');
        own_json_id(out, STR("id"), instance);
        own_json_str(out, STR("cluster"), board->gpus[g].cluster);
        json_key(out, STR("gpus"));
        json_open(out, '[');
        for (; g < board->count && id_eq(board->gpus[g].instance, instance); g++) { put_gpu(board, &board->gpus[g].sample, out); }
        json_close(out, ']');
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_tasks(struct past_board *board, struct json_out *out)
{
    size_t count = 0, all = 0;
    for (size_t g = 0; g < board->count; g++) { all += board->gpus[g].sample.holders.count; }
    struct gpu_holder *holders = ARENA_NEW(&board->arena, struct gpu_holder, all + 1);
    for (size_t g = 0; g < board->count; g++) {
        const struct gpu_holder_list *list = &board->gpus[g].sample.holders;
        for (size_t h = 0; h < list->count; h++) { holders[count++] = list->items[h]; }
    }
    if (count > 1) { qsort(holders, count, sizeof *holders, by_task); }
    json_key(out, STR("tasks"));
    json_open(out, '[');
    for (size_t h = 0; h < count; h++) {
        if (h > 0 && id_eq(holders[h - 1].task, holders[h].task)) { continue; }
        json_open(out, '{');
        own_json_id(out, STR("id"), holders[h].task);
        own_json_str(out, STR("family"), holders[h].family);
        own_json_str(out, STR("service"), holders[h].service);
        own_json_str(out, STR("startedBy"), holders[h].started_by);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void print_board(struct past_board *board, struct buf *text)
{
    struct json_out out = json_out_to(text);
    if (board->count > 1) { qsort(board->gpus, board->count, sizeof *board->gpus, by_machine); }
    json_open(&out, '{');
    own_json_ms(&out, STR("at"), board->at_ms);
    own_json_i64(&out, STR("left"), (int64_t)board->left);
    put_machines(board, &out);
    put_tasks(board, &out);
    json_close(&out, '}');
}

/* ---- the path ---- */

static bool read_at(struct past_board *board, const struct http_request *request, struct err *err)
{
    if (board->paths->archive == NULL) { return err_set(err, ERR_INVALID_PARAMETER, "This server keeps no metrics: see metrics-space."); }
    if (!str_is_set(query_parameter(request, STR("at")))) { return err_set(err, ERR_INVALID_PARAMETER, "Say which moment: /berth/v1/board?at=5h."); }
    if (!query_moment(request, STR("at"), &board->at_ms, err)) { return false; }
    int64_t ago_ms = request->now_ms - board->at_ms;
    board->kind = ago_ms < DAY_MS - 2 * ARCHIVE_DAY_MS ? ARCHIVE_DAY : ARCHIVE_MONTH;
    return (ago_ms >= 0 && ago_ms <= (int64_t)MONTH_DAYS * DAY_MS)
        || err_set(err, ERR_INVALID_PARAMETER, "at is a moment of the last %d days.", (int)MONTH_DAYS);
}

/* It reads a record of each GPU: one at a time, so that few threads and no more memory is taken. */
void past_board_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    static atomic_flag reading = ATOMIC_FLAG_INIT;
    const struct figure_paths *paths = context;
    struct past_board board = { .paths = paths };
    struct err err = { 0 };
    (void)caller;
    bool good = read_at(&board, request, &err);
    bool busy = good && atomic_flag_test_and_set(&reading);
    if (busy) { good = err_set(&err, ERR_UNAVAILABLE, "A board of the past is read for another reader; try again in a moment."); }
    if (!good) {
        answer_refusal(paths->front, answer, &err);
        return;
    }
    arena_init(&board.arena, BOARD_CEILING);
    read_gpus(&board);
    print_board(&board, &answer->body);
    arena_finish(&board.arena);
    atomic_flag_clear(&reading);
    answer_json(paths->front, answer);
}
