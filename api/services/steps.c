/* steps.c: the next steps of services: each is planned by scheduler/reconcile and done in one piece. An operation of Berth's own,
 * which runs the schedules that are due, tries the tasks that wait for room, and looks at the pools that are due, too. Services come before those. */
#include "api/services/books.h"

#include "api/capacity/machines.h"
#include "api/handlers.h"
#include "api/schedules/schedules.h"
#include "api/tasks/waits.h"
#include "base/num.h"
#include "scheduler/queue/keeps.h"
#include "scheduler/queue/queue.h"

enum { STEP_SERVICES = 64, STEP_MOVES = 1000, STEP_MOVES_ALONE = 4000 };         /* in one commit: other jobs wait no longer than for these */
static const size_t SCRATCH_MAX = (size_t)1 << 30;

/* Returns the number of tasks that were started or stopped. */
static int64_t step(struct op_ctx *ctx, int64_t service, int64_t most_moves)
{
    struct books books;
    if (!books_open(ctx, service, &books)) {
        roster_drop_service(sched_roster(ctx->world), service);
        return 0;
    }
    books.service_changed = places_expire(ctx, &books.service, books.service.status != SERVICE_ACTIVE, &books.place_ends_ms);
    targets_settle(&books);
    books_fill(&books, most_moves);
    bool planned = reconcile(&books.state, ctx->arena, &books.plan);
    if (!planned) { return 0; }
    books_place(&books);
    books_start(&books);
    books_close(&books);
    return (int64_t)(books.placed_count + books.plan.stop_count);
}

/* Each step has a separate arena, which is emptied after it: a service may have very many tasks. */
bool op_step_services(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct arena scratch;
    int64_t moves = 0, service, most_moves = ((const struct step_services *)input)->alone ? STEP_MOVES_ALONE : STEP_MOVES;
    (void)output;
    (void)err;
    arena_init(&scratch, SCRATCH_MAX);
    for (int n = 0; n < STEP_SERVICES && moves < most_moves; n++) {
        service = roster_next(sched_roster(ctx->world), ctx->now_ms);
        if (service == 0) { break; }
        ASSERT(moves >= 0 && service > 0);
        struct op_ctx one = *ctx;
        one.arena = &scratch;
        one.effects = (struct effect_list){ 0 };
        moves += step(&one, service, most_moves - moves);
        support_hand_on(ctx, &one.effects);
        arena_reset(&scratch);
    }
    arena_finish(&scratch);
    schedules_run_due(ctx);
    waits_run_due(ctx);
    machines_keep_due(ctx);
    return true;
}

size_t api_waiting_tasks(struct world *world) { return queue_count(sched_queue(world)); }

int64_t api_services_due_ms(struct world *world, int64_t now_ms)
{
    int64_t steps_ms = roster_due_ms(sched_roster(world), now_ms), queue_ms = queue_due_ms(sched_queue(world), now_ms);
    if (keeps_news(sched_keeps(world))) { return now_ms; }
    return steps_ms == 0 || queue_ms == 0 ? max_i64(steps_ms, queue_ms) : min_i64(steps_ms, queue_ms);
}
