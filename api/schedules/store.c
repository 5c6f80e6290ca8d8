/* store.c: reading and writing schedules, for the operations of both services. */
#include "api/schedules/schedules.h"

#include "scheduler/reconcile/roster.h"

enum { PAGE_MAX = 100 };

bool schedules_check_name(struct str name, struct err *err)
{
    bool good = name.len >= 1 && name.len <= SCHEDULE_NAME_MAX;
    for (size_t c = 0; good && c < name.len; c++) {
        char byte = name.ptr[c];
        good = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.';
    }
    return good || err_set(err, ERR_VALIDATION, "A name has 1 to %d characters: letters, digits, \"-\", \"_\" and \".\".", SCHEDULE_NAME_MAX);
}

/* ---- one ---- */

static const struct schedule_run *find_run(const struct kept_schedule *schedule, struct str target)
{
    for (size_t r = 0; r < schedule->runs.count; r++) {
        if (str_eq(schedule->runs.items[r].target, target)) { return &schedule->runs.items[r]; }
    }
    return NULL;
}

/* One run a target, in their order; a disabled schedule tries nothing again. */
static void keep_runs(struct op_ctx *ctx, struct kept_schedule *schedule, const struct kept_schedule *known)
{
    struct schedule_run *runs = ARENA_NEW(ctx->arena, struct schedule_run, schedule->targets.count);
    for (size_t t = 0; t < schedule->targets.count; t++) {
        struct str id = schedule->targets.items[t].id;
        const struct schedule_run *run = known == NULL ? NULL : find_run(known, id);
        runs[t] = run != NULL ? *run : (struct schedule_run){ .target = id };
        if (schedule->state != SCHEDULE_STATE_ENABLED) { runs[t].left = 0; }
    }
    schedule->runs = (struct schedule_run_list){ runs, schedule->targets.count };
}

static bool has_same_times(const struct kept_schedule *a, const struct kept_schedule *b)
{
    return str_eq(a->expression, b->expression) && str_eq(a->zone, b->zone) && a->start_ms == b->start_ms && a->end_ms == b->end_ms;
}

void schedules_take_over(struct op_ctx *ctx, struct kept_schedule *schedule, const struct kept_schedule *known, bool first_now)
{
    bool same = known != NULL && has_same_times(schedule, known);
    schedule->created_ms = known == NULL ? ctx->now_ms : known->created_ms;
    schedule->changed_ms = ctx->now_ms;
    schedule->counts_ms = same ? known->counts_ms : schedule->start_ms > 0 ? schedule->start_ms : ctx->now_ms;
    keep_runs(ctx, schedule, known);
    if (same && known->next_ms != 0 && schedule->state == SCHEDULE_STATE_ENABLED && schedule->targets.count > 0) {
        schedule->next_ms = known->next_ms;
        schedule_set_due(schedule);
    } else {
        schedule_set_next(schedule, !same && first_now ? ctx->now_ms - 1 : ctx->now_ms, ctx->arena);
    }
}

static void tell_due(struct op_ctx *ctx)
{
    const struct kept_schedule *first = store_first_schedule(ctx->txn, ctx->arena);
    roster_schedules_due(sched_roster(ctx->world), first == NULL ? 0 : first->due_ms);
}

void schedules_put(struct op_ctx *ctx, const struct kept_schedule *schedule)
{
    store_put_schedule(ctx->txn, schedule);
    tell_due(ctx);
}

void schedules_drop(struct op_ctx *ctx, const struct kept_schedule *schedule)
{
    store_drop_schedule(ctx->txn, schedule->rule == OPT_TRUE, schedule->name);
    tell_due(ctx);
}

/* ---- lists ---- */

bool schedules_page(struct op_ctx *ctx, const struct schedules_ask *ask, struct kept_schedule **items, size_t *count, struct str *token, struct err *err)
{
    size_t limit = ask->limit.set ? (size_t)ask->limit.value : PAGE_MAX;
    struct kept_schedule *page = ARENA_NEW(ctx->arena, struct kept_schedule, PAGE_MAX);
    struct str after;
    struct err refused = { 0 };
    *items = ARENA_NEW(ctx->arena, struct kept_schedule, limit);
    *count = 0;
    *token = (struct str){ NULL, 0 };
    if (!paging_position(ctx, str_from(ask->list), ask->token, &after, &refused)) {
        return err_set(err, ERR_VALIDATION, "NextToken must be the one that the page before gave.");
    }
    for (size_t found = PAGE_MAX; found == PAGE_MAX && !arena_exhausted(ctx->arena);) {
        found = store_list_schedules(ctx->txn, ask->rules, ask->prefix, after, page, PAGE_MAX, ctx->arena);
        for (size_t s = 0; s < found; s++) {
            bool shown = ask->shown == NULL || ask->shown(&page[s], ask->given);
            if (shown && *count == limit) {
                *token = paging_token(ctx, str_from(ask->list), after);
                return true;
            }
            if (shown) { (*items)[(*count)++] = page[s]; }
            after = page[s].name;
        }
    }
    return true;
}
