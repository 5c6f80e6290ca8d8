/* board.c: GET /berth/v1/state, the whole board; api/show/board.c has its shape. */
#include "server/paths/viewers.h"

#include "base/clock.h"
#include "server/front/answers.h"

/* The same for all viewers. */
static bool print_state(const void *context, struct buf *out)
{
    const struct viewer_paths *paths = context;
    struct op_ctx ctx = { .config = paths->front->api, .txn = store_read_begin(paths->front->store), .arena = out->arena, .now_ms = clock_now_ms() };
    api_print_board(&ctx, out);
    return store_read_end(ctx.txn);
}

void state_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct viewer_paths *paths = context;
    (void)request;
    (void)caller;
    answer->headers = live_headers;
    answer->type = STR("application/json");
    if (board_cache_take(paths->boards, print_state, paths, &answer->body)) {
        metrics_count(paths->front->metrics, NULL, ERR_NONE);
    } else {
        answer_unreadable(paths->front, answer);
    }
}
