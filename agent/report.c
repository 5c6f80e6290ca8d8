/* report.c: one call per line at a time. The loop is told once; while reports wait it goes from one to the next by itself. */
#include "agent/report.h"

#include <stdlib.h>

#include "agent/session.h"
#include "base/log.h"

enum { REPORT_PAUSE_FIRST_MS = 300, REPORT_PAUSE_MOST_MS = 30000, REPORT_TIMEOUT_MS = 30000 };

struct report { struct report *next; bool final; size_t len; char body[]; };

static struct report *line_first(struct report_line *line)
{
    lock_take(&line->lock);
    struct report *report = line->first;
    if (report == NULL) { line->posted = false; }
    lock_drop(&line->lock);
    return report;
}

static void line_next(void *owner)
{
    struct report_line *line = owner;
    struct report *report = line_first(line);
    if (report != NULL) { client_start(line->client, &line->call, (struct str){ report->body, report->len }); }
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

static void line_answer(void *owner, const struct reply *reply)
{
    struct report_line *line = owner;
    if (reply->err.code != ERR_NONE && reply->err.code != ERR_INVALID_PARAMETER) {
        line->pause_ms = backoff_next(line->pause_ms, REPORT_PAUSE_FIRST_MS, REPORT_PAUSE_MOST_MS, client_rng(line->client));
        log_line(LOG_DEBUG, "agent", "a report was not taken, trying again: %s", reply->err.message);
        timers_set(client_timers(line->client), &line->timer, client_now(line->client) + line->pause_ms);
        return;
    }
    if (reply->err.code == ERR_INVALID_PARAMETER) {
        log_line(LOG_WARN, "agent", "the server refuses a report for good, it is dropped: %s", reply->err.message);
    }
    line->pause_ms = 0;
    if (line_pop(line)) {
        line->settled(line->owner);
    } else {
        line_next(line);
    }
}

void report_line_init(struct report_line *line, struct client *client, const struct endpoint *server, void (*settled)(void *owner), void *owner)
{
    *line = (struct report_line){ .client = client, .server = server, .settled = settled, .owner = owner };
    lock_init(&line->lock);
    line->post = (struct post){ .run = line_next, .owner = line };
    line->timer = (struct timer){ .fire = line_next, .owner = line };
    line->call = (struct call){
        .endpoint = server, .path = "/", .operation = "SubmitTaskStateChange", .kind = CALL_SHORT, .timeout_ms = REPORT_TIMEOUT_MS,
        .done = line_answer, .owner = line,
    };
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
    return !tell || client_post(line->client, &line->post);
}

void report_line_finish(struct report_line *line)
{
    timers_cancel(client_timers(line->client), &line->timer);
    client_cancel(line->client, &line->call);
    while (line->first != NULL) { line_pop(line); }
    lock_finish(&line->lock);
}
