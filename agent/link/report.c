/* report.c: a queue of lines, each with its first report, and a few calls that take what waits: so the busier the server, the more
 * reports travel in one call. A line is posted once when it has a report; while reports wait it goes from one to the next by itself.
 *
 * A call that fails as a whole says nothing about its reports: its lines go back into the queue, and all wait a while. When the
 * server refused it finally, the next call takes one report: if it is refused again, the refusal is of that report, and the
 * others go on. */
#include "agent/link/report.h"

#include <stdlib.h>

#include "agent/link/session.h"
#include "wire/wire.h"
#include "base/log.h"

enum {
    PAUSE_FIRST_MS = 300, PAUSE_MOST_MS = 30000, TIMEOUT_MS = 30000, CALLS = 4, BYTES_MAX = 512 * 1024, CALL_ARENA_MAX = 8 * 1024 * 1024,
};

struct report { struct report *next; bool final; size_t len; char body[]; };

struct report_call {
    struct reporter *reporter;
    struct call call;
    struct report_line *lines[WIRE_REPORTS_MAX]; size_t count;       /* NULL: that line is gone */
    size_t most;                                 /* as many as it might have taken */
    bool busy;
};

struct reporter {
    struct client *client;
    const struct endpoint *server;
    struct report_line *first, *last;            /* lines that wait, in order */
    struct report_call calls[CALLS];
    size_t most;                                 /* reports in the next call */
    struct timer timer;                          /* set: nothing is sent before it */
    int64_t pause_ms;
};

/* ---- the queue ---- */

static void enqueue(struct reporter *reporter, struct report_line *line)
{
    ASSERT(!line->waits && line->call == NULL);
    line->waits = true;
    line->next = NULL;
    line->previous = reporter->last;
    if (reporter->last == NULL) { reporter->first = line; } else { reporter->last->next = line; }
    reporter->last = line;
}

static void dequeue(struct reporter *reporter, struct report_line *line)
{
    if (line->previous == NULL) { reporter->first = line->next; } else { line->previous->next = line->next; }
    if (line->next == NULL) { reporter->last = line->previous; } else { line->next->previous = line->previous; }
    line->waits = false;
}

/* ---- one line ---- */

static struct report *line_first(struct report_line *line)
{
    lock_take(&line->lock);
    struct report *report = line->first;
    if (report == NULL) { line->posted = false; }
    lock_drop(&line->lock);
    return report;
}

static void send_waiting(void *owner);

static void line_next(void *owner)
{
    struct report_line *line = owner;
    if (line_first(line) == NULL) { return; }
    enqueue(line->reporter, line);
    send_waiting(line->reporter);
}

/* True: that was the last one. */
static bool line_pop(struct report_line *line)
{
    lock_take(&line->lock);
    struct report *report = line->first;
    ASSERT(report != NULL);
    line->first = report->next;
    if (line->first == NULL) { line->last = NULL; }
    lock_drop(&line->lock);
    bool final = report->final;
    free(report);
    return final;
}

/* The server's answer to the line's first report. */
static void line_answer(struct report_line *line, enum err_code code, struct str message)
{
    line->call = NULL;
    if (code != ERR_NONE && code != ERR_INVALID_PARAMETER) {
        struct client *client = line->reporter->client;
        line->pause_ms = backoff_next(line->pause_ms, PAUSE_FIRST_MS, PAUSE_MOST_MS, client_rng(client));
        log_line(LOG_DEBUG, "agent", "a report was not taken, trying again: " STR_FMT, STR_ARG(message));
        timers_set(client_timers(client), &line->timer, client_now(client) + line->pause_ms);
        return;
    }
    if (code == ERR_INVALID_PARAMETER) {
        log_line(LOG_WARN, "agent", "the server refuses a report finally, it is dropped: " STR_FMT, STR_ARG(message));
    }
    line->pause_ms = 0;
    if (line_pop(line)) {
        line->settled(line->owner);
    } else {
        line_next(line);
    }
}

/* ---- one call ---- */

/* Takes lines while there is room; the first always fits. */
static struct str fill_call(struct report_call *call, struct arena *arena)
{
    struct reporter *reporter = call->reporter;
    struct buf body = buf_in(arena);
    buf_put(&body, STR("{\"reports\":["));
    call->most = reporter->most;
    for (call->count = 0; reporter->first != NULL && call->count < call->most; call->count++) {
        struct report_line *line = reporter->first;
        const struct report *report = line_first(line);
        ASSERT(report != NULL);
        if (call->count > 0 && body.len + report->len > BYTES_MAX) { break; }
        if (call->count > 0) { buf_put_char(&body, ','); }
        buf_put(&body, (struct str){ report->body, report->len });
        dequeue(reporter, line);
        line->call = call;
        call->lines[call->count] = line;
    }
    buf_put(&body, STR("]}"));
    return buf_str(&body);
}

static void send_waiting(void *owner)
{
    struct reporter *reporter = owner;
    for (size_t c = 0; c < CALLS && reporter->first != NULL && reporter->timer.place == 0; c++) {
        struct report_call *call = &reporter->calls[c];
        if (call->busy) { continue; }
        struct arena arena = { .ceiling = CALL_ARENA_MAX };
        struct str body = fill_call(call, &arena);
        call->busy = true;
        client_start(reporter->client, &call->call, body);
        arena_finish(&arena);
    }
}

static void give_back(struct report_call *call, const struct reply *reply)
{
    struct reporter *reporter = call->reporter;
    reporter->most = reply_is_transient(reply) ? reporter->most : 1;
    reporter->pause_ms = backoff_next(reporter->pause_ms, PAUSE_FIRST_MS, PAUSE_MOST_MS, client_rng(reporter->client));
    log_line(LOG_DEBUG, "agent", "reports were not taken, trying again count=%zu: %s", call->count, reply->err.message);
    timers_set(client_timers(reporter->client), &reporter->timer, client_now(reporter->client) + reporter->pause_ms);
    for (size_t l = 0; l < call->count; l++) {
        struct report_line *line = call->lines[l];
        if (line == NULL) { continue; }
        line->call = NULL;
        enqueue(reporter, line);
    }
}

/* False: the body has not one answer for each report. */
static bool read_answers(const struct report_call *call, struct str body, const struct json **answers, struct arena *arena)
{
    struct err err = { 0 };
    const struct json *list = json_get(json_parse(body, arena, &err), STR("answers"));
    *answers = list == NULL || list->type != JSON_ARRAY ? NULL : list->as.items;
    return *answers != NULL && list->count == call->count;
}

static void take_answers(struct report_call *call, const struct json *answers)
{
    for (size_t l = 0; l < call->count; l++) {
        struct str name = json_get_str(&answers[l], STR("__type"));
        if (call->lines[l] == NULL) { continue; }
        line_answer(call->lines[l], str_is_set(name) ? reply_error_code(name, 400) : ERR_NONE, json_get_str(&answers[l], STR("message")));
    }
}

static void call_answer(void *owner, const struct reply *reply)
{
    struct report_call *call = owner;
    struct reporter *reporter = call->reporter;
    struct arena arena = { .ceiling = CLIENT_REPLY_MAX };
    const struct json *answers = NULL;
    bool answered = reply->err.code == ERR_NONE && read_answers(call, reply->body, &answers, &arena);
    bool refused = reply->err.code != ERR_NONE && !reply_is_transient(reply) && call->count == 1;
    if (!answered && !refused) {
        give_back(call, reply);
    } else {
        reporter->pause_ms = 0;
        bool tried = call->count == call->most && call->most == reporter->most;
        if (tried) { reporter->most = call->most < WIRE_REPORTS_MAX / 2 ? call->most * 2 : WIRE_REPORTS_MAX; }
        if (answered) {
            take_answers(call, answers);
        } else if (call->lines[0] != NULL) {
            line_answer(call->lines[0], reply->err.code, str_from(reply->err.message));
        }
    }
    arena_finish(&arena);
    call->busy = false;
    send_waiting(reporter);
}

/* ---- beginning and end ---- */

struct reporter *reporter_create(struct client *client, const struct endpoint *server)
{
    struct reporter *reporter = calloc(1, sizeof *reporter);
    ASSERT(reporter != NULL);
    *reporter = (struct reporter){ .client = client, .server = server, .most = WIRE_REPORTS_MAX };
    reporter->timer = (struct timer){ .fire = send_waiting, .owner = reporter };
    for (size_t c = 0; c < CALLS; c++) {
        reporter->calls[c].reporter = reporter;
        reporter->calls[c].call = (struct call){
            .endpoint = server, .path = "/berth/v1/agent/reports", .kind = CALL_SHORT, .timeout_ms = TIMEOUT_MS,
            .done = call_answer, .owner = &reporter->calls[c],
        };
    }
    return reporter;
}

void reporter_destroy(struct reporter *reporter)
{
    if (reporter == NULL) { return; }
    ASSERT(reporter->first == NULL);
    timers_cancel(client_timers(reporter->client), &reporter->timer);
    for (size_t c = 0; c < CALLS; c++) { client_cancel(reporter->client, &reporter->calls[c].call); }
    free(reporter);
}

void report_line_init(struct report_line *line, struct reporter *reporter, void (*settled)(void *owner), void *owner)
{
    *line = (struct report_line){ .reporter = reporter, .settled = settled, .owner = owner };
    lock_init(&line->lock);
    line->post = (struct post){ .run = line_next, .owner = line };
    line->timer = (struct timer){ .fire = line_next, .owner = line };
}

bool report_send(struct report_line *line, struct str body, bool final)
{
    struct report *report = malloc(sizeof *report + body.len);
    ASSERT(report != NULL);
    *report = (struct report){ .final = final, .len = body.len };
    memcpy(report->body, body.ptr, body.len);
    lock_take(&line->lock);
    if (line->last == NULL) { line->first = report; } else { line->last->next = report; }
    line->last = report;
    bool tell = !line->posted;
    line->posted = true;
    lock_drop(&line->lock);
    return !tell || client_post(line->reporter->client, &line->post);
}

void report_line_finish(struct report_line *line)
{
    if (line->timer.place != 0) { timers_cancel(client_timers(line->reporter->client), &line->timer); }
    if (line->waits) { dequeue(line->reporter, line); }
    for (size_t l = 0; line->call != NULL && l < line->call->count; l++) {
        if (line->call->lines[l] == line) { line->call->lines[l] = NULL; }
    }
    while (line->first != NULL) { line_pop(line); }
    lock_finish(&line->lock);
}
