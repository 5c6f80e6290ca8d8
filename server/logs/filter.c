/* filter.c: FilterLogEvents: the events of a group's streams in order of their times. SEARCH_STREAMS streams are searched
 * together, by name; events are in order among those. One search runs at a time, because it loads many logs. */
#include "server/logs/api.h"

enum {
    SEARCH_STREAMS = 64, SEARCH_ROUNDS = 16,              /* rounds without an event in a request: an empty page may have a token */
    SEARCH_CEILING = SEARCH_STREAMS * (LOGS_FILE_MAX + LOGS_TIMES_MAX + 256 * 1024),
};

struct cursor {
    const struct log_stream *stream;
    struct log_text log;
    bool closed, has;
    int64_t position;
    struct log_event event;                               /* the next one, when it `has` one */
};

struct search {
    struct logs_call *call;
    struct log_stream_list streams;                       /* that are searched, by name */
    struct log_pattern pattern;
    struct logs_page page;
    int64_t start_ms, end_ms;                             /* both included */
    struct log_place place;
    struct cursor *cursors; size_t cursor_count;
    struct arena scratch;                                 /* the logs of a round */
};

/* ---- which streams ---- */

static bool is_named(const struct logs_input *input, struct str name)
{
    return str_list_has(&input->streams, name)
        || (input->streams.count == 0 && (!str_is_set(input->stream_prefix) || str_starts_with(name, input->stream_prefix)));
}

static bool is_there(const struct log_stream_list *list, struct str name)
{
    for (size_t s = 0; s < list->count; s++) {
        if (str_eq(list->items[s].name, name)) { return true; }
    }
    return false;
}

static bool choose_streams(struct search *search, struct err *err)
{
    const struct logs_call *call = search->call;
    struct log_stream_list *list = &search->streams;
    if (call->input->streams.count > 0 && str_is_set(call->input->stream_prefix)) {
        return err_set(err, ERR_INVALID_PARAMETER, "logStreamNames and logStreamNamePrefix can't be given together.");
    }
    if (!logs_streams(call, list, err)) { return false; }
    for (size_t n = 0; n < call->input->streams.count; n++) {
        if (is_there(list, call->input->streams.items[n])) { continue; }
        return err_set(err, ERR_RESOURCE_NOT_FOUND, "The specified log stream does not exist.");
    }
    size_t kept = 0;
    for (size_t s = 0; s < list->count; s++) {
        if (is_named(call->input, list->items[s].name)) { list->items[kept++] = list->items[s]; }
    }
    list->count = kept;
    return true;
}

/* ---- a round: the streams from place.first to place.last ---- */

static int place_cmp(const struct cursor *cursor, int64_t time_ms, struct str stream, int64_t offset)
{
    const struct log_event *event = &cursor->event;
    if (event->time_ms != time_ms) { return event->time_ms < time_ms ? -1 : 1; }
    int order = str_cmp(cursor->stream->name, stream);
    return order != 0 ? order : (event->offset > offset) - (event->offset < offset);
}

static void step(struct search *search, struct cursor *cursor)
{
    cursor->has = log_event_next(&cursor->log, cursor->closed, &cursor->position, &cursor->event)
        && cursor->event.time_ms <= search->end_ms;
}

/* Puts it before the first event that was not given yet. */
static void begin_cursor(struct search *search, struct cursor *cursor)
{
    const struct log_place *place = &search->place;
    int64_t from_ms = place->time_ms > search->start_ms ? place->time_ms : search->start_ms;
    struct log_mark first, last;
    struct logs *logs = search->call->logs;
    bool touched = !logs_span(logs, cursor->stream->task, cursor->stream->container, &first, &last)
        || (last.time_ms >= from_ms && first.time_ms <= search->end_ms);
    if (!touched || !logs_load(logs, cursor->stream->task, cursor->stream->container, &search->scratch, &cursor->log)) { return; }
    cursor->position = log_events_from(&cursor->log, from_ms);
    do {
        step(search, cursor);
    } while (cursor->has && (cursor->event.time_ms < search->start_ms
                             || place_cmp(cursor, place->time_ms, place->stream, place->offset) <= 0));
}

static bool begin_round(struct search *search, struct err *err)
{
    bool closed[SEARCH_STREAMS];
    size_t first = 0, count = 0;
    while (first < search->streams.count && str_cmp(search->streams.items[first].name, search->place.first) < 0) { first++; }
    while (first + count < search->streams.count && count < SEARCH_STREAMS
           && str_cmp(search->streams.items[first + count].name, search->place.last) <= 0) {
        count++;
    }
    if (!logs_are_closed(search->call, search->streams.items + first, count, closed, err)) { return false; }
    arena_reset(&search->scratch);
    search->cursors = ARENA_NEW(&search->scratch, struct cursor, count);
    search->cursor_count = count;
    for (size_t c = 0; c < count; c++) {
        search->cursors[c].stream = &search->streams.items[first + c];
        search->cursors[c].closed = closed[c];
        begin_cursor(search, &search->cursors[c]);
    }
    return true;
}

static struct cursor *earliest(struct search *search)
{
    struct cursor *least = NULL;
    for (size_t c = 0; c < search->cursor_count; c++) {
        struct cursor *cursor = &search->cursors[c];
        if (!cursor->has) { continue; }
        if (least == NULL || place_cmp(cursor, least->event.time_ms, least->stream->name, least->event.offset) < 0) { least = cursor; }
    }
    return least;
}

/* The logs of a round go with it, so the message is copied. */
static void tell_event(struct search *search, const struct cursor *cursor)
{
    struct arena *arena = search->call->ctx->arena;
    char id[LOG_EVENT_ID_LEN + 1];
    log_event_id(&cursor->event, cursor->stream->name, id);
    struct logs_event_view *view = logs_tell_event(search->call, &cursor->event);
    view->stream = cursor->stream->name;
    view->message = arena_str(arena, view->message);
    view->id = arena_str(arena, str_from(id));
}

/* False: the page is full, and `place` is before the event that did not fit. */
static bool run_round(struct search *search)
{
    for (struct cursor *cursor = earliest(search); cursor != NULL; cursor = earliest(search)) {
        bool fits = log_pattern_fits(&search->pattern, cursor->event.message);
        if (fits && !logs_page_takes(&search->page, &cursor->event)) { return false; }
        if (fits) { tell_event(search, cursor); }
        search->place.time_ms = cursor->event.time_ms;
        search->place.stream = cursor->stream->name;
        search->place.offset = cursor->event.offset;
        step(search, cursor);
    }
    return true;
}

/* The streams behind `last`; false: there are none. */
static bool next_streams(struct search *search, struct str last, bool from_start)
{
    const struct log_stream_list *list = &search->streams;
    size_t first = 0;
    while (!from_start && first < list->count && str_cmp(list->items[first].name, last) <= 0) { first++; }
    if (first == list->count) { return false; }
    size_t end = list->count - first > SEARCH_STREAMS ? first + SEARCH_STREAMS : list->count;
    search->place = (struct log_place){ .first = list->items[first].name, .last = list->items[end - 1].name, .offset = -1 };
    return true;
}

static bool run_search(struct search *search, bool *more, struct err *err)
{
    for (size_t round = 0; round < SEARCH_ROUNDS; round++) {
        if (!begin_round(search, err)) { return false; }
        if (!run_round(search)) { return true; }
        *more = next_streams(search, search->place.last, false);
        if (!*more || search->page.events > 0) { return true; }
    }
    return true;
}

bool logs_filter_events(struct op_ctx *ctx, const void *request, void *output, struct err *err)
{
    const struct logs_input *input = request;
    struct logs_call call;
    struct search search = {
        .call = &call, .page = logs_page_of(input), .start_ms = input->start_time.set ? input->start_time.value : 0,
        .end_ms = input->end_time.set ? input->end_time.value : INT64_MAX,
    };
    if (!logs_begin(&call, ctx, request, output, true, err)) { return false; }
    if (!log_pattern_read(input->filter, &search.pattern, ctx->arena, err) || !choose_streams(&search, err)) { return false; }
    bool more = true, good = true;
    if (str_is_set(input->next_token)) {
        if (!log_place_read(input->next_token, &search.place, ctx->arena)) {
            return err_set(err, ERR_INVALID_PARAMETER, "The specified nextToken is invalid.");
        }
    } else {
        more = next_streams(&search, STR(""), true);
    }
    call.output->events.items = LIST_NOTHING;
    call.output->searched.items = LIST_NOTHING;
    if (more) {
        arena_init(&search.scratch, SEARCH_CEILING);
        logs_search_begin(call.logs);
        good = run_search(&search, &more, err);
        logs_search_end(call.logs);
        arena_finish(&search.scratch);
    }
    if (good && more) { call.output->next_token = log_place_text(&search.place, ctx->arena); }
    return good;
}
