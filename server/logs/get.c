/* get.c: GetLogEvents: one stream, page by page in both directions. A token is a position and a direction: it never ends, and
 * the token of a page without events is the one that was given. */
#include "server/logs/api.h"

struct range { int64_t start_ms, end_ms; };              /* from start_ms on, below end_ms */

struct found { struct log_event *items; size_t count; };

static void keep(struct found *found, const struct log_event *event, struct arena *arena)
{
    enum { STEP = 64 };
    if (found->count % STEP == 0) {
        size_t old_size = found->count * sizeof *event;
        found->items = arena_grow(arena, found->items, old_size, old_size + STEP * sizeof *event);
    }
    found->items[found->count++] = *event;
}

static void read_forward(const struct log_text *log, bool closed, struct range range, struct logs_page *page, int64_t position,
                         struct found *found, struct arena *arena)
{
    struct log_event event;
    int64_t first = log_events_from(log, range.start_ms);
    if (position < first) { position = first; }
    while (log_event_next(log, closed, &position, &event) && event.time_ms < range.end_ms) {
        if (event.time_ms < range.start_ms) { continue; }
        if (!logs_page_takes(page, &event)) { return; }
        keep(found, &event, arena);
    }
}

static void read_backward(const struct log_text *log, bool closed, struct range range, struct logs_page *page, int64_t position,
                          struct found *found, struct arena *arena)
{
    struct log_event event;
    while (log_event_before(log, closed, &position, &event) && event.time_ms >= range.start_ms) {
        if (event.time_ms >= range.end_ms) { continue; }
        if (!logs_page_takes(page, &event)) { break; }
        keep(found, &event, arena);
    }
    for (size_t low = 0, high = found->count; low + 1 < high; low++) {
        struct log_event one = found->items[low];
        found->items[low] = found->items[--high];
        found->items[high] = one;
    }
}

static void tell(struct logs_call *call, const struct found *found, int64_t position)
{
    struct arena *arena = call->ctx->arena;
    int64_t first = found->count > 0 ? found->items[0].offset : position;
    int64_t last = found->count > 0 ? found->items[found->count - 1].end : position;
    call->output->events.items = LIST_NOTHING;
    for (size_t e = 0; e < found->count; e++) { (void)logs_tell_event(call, &found->items[e]); }
    call->output->forward_token = log_token_text((struct log_token){ false, last }, arena);
    call->output->backward_token = log_token_text((struct log_token){ true, first }, arena);
}

bool logs_get_events(struct op_ctx *ctx, const void *request, void *output, struct err *err)
{
    const struct logs_input *input = request;
    struct logs_call work, *call = &work;
    struct log_stream stream;
    struct log_text log = { 0 };
    bool closed, resumes = str_is_set(input->next_token);
    struct log_token token = { .backward = input->start_from_head != OPT_TRUE };
    if (!logs_begin(call, ctx, request, output, true, err)) { return false; }
    if (resumes && !log_token_read(input->next_token, &token)) {
        return err_set(err, ERR_INVALID_PARAMETER, "The specified nextToken is invalid.");
    }
    if (!logs_find_stream(call, input->stream, &stream, err) || !logs_are_closed(call, &stream, 1, &closed, err)) { return false; }
    (void)logs_load(call->logs, stream.task, stream.container, call->ctx->arena, &log);     /* a stream may be empty */

    struct range range = { input->start_time.set ? input->start_time.value : 0, input->end_time.set ? input->end_time.value : INT64_MAX };
    struct logs_page page = logs_page_of(input);
    struct found found = { 0 };
    if (token.backward) {
        read_backward(&log, closed, range, &page, resumes ? token.position : INT64_MAX, &found, call->ctx->arena);
    } else {
        read_forward(&log, closed, range, &page, token.position, &found, call->ctx->arena);
    }
    tell(call, &found, resumes ? token.position : log.dropped);
    return true;
}
