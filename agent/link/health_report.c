#include "agent/link/health_report.h"

#include <stdlib.h>

#include "agent/link/session.h"
#include "base/log.h"

enum { PAUSE_FIRST_MS = 500, PAUSE_MOST_MS = 60000, TIMEOUT_MS = 30000 };

static void line_next(void *owner)
{
    struct health_line *line = owner;
    line->newer = false;
    if (line->body != NULL) { client_start(line->client, &line->call, (struct str){ line->body, line->len }); }
}

static void line_answer(void *owner, const struct reply *reply)
{
    struct health_line *line = owner;
    if (reply->closing) { return; }
    if (reply->err.code != ERR_NONE && reply_is_transient(reply)) {
        line->pause_ms = backoff_next(line->pause_ms, PAUSE_FIRST_MS, PAUSE_MOST_MS, client_rng(line->client));
        timers_set(client_timers(line->client), &line->timer, client_now(line->client) + line->pause_ms);
        return;
    }
    if (reply->err.code != ERR_NONE) { log_line(LOG_WARN, "agent", "the server does not take a report on GPUs: %s", reply->err.message); }
    line->pause_ms = 0;
    if (line->newer) {
        line_next(line);
    } else {
        free(line->body);
        line->body = NULL;
    }
}

void health_line_init(struct health_line *line, struct client *client, const struct endpoint *server)
{
    *line = (struct health_line){ .client = client, .timer = { .fire = line_next, .owner = line } };
    line->call = (struct call){
        .endpoint = server, .path = "/berth/v1/agent/health", .kind = CALL_SHORT, .timeout_ms = TIMEOUT_MS, .done = line_answer, .owner = line,
    };
}

void health_line_send(struct health_line *line, struct str body)
{
    bool waits = line->body != NULL;
    char *copy = malloc(body.len + 1);
    ASSERT(copy != NULL);
    memcpy(copy, body.ptr, body.len);
    free(line->body);
    line->body = copy;
    line->len = body.len;
    line->newer = waits;
    if (!waits) { line_next(line); }
}

void health_line_finish(struct health_line *line)
{
    if (line->client == NULL) { return; }
    timers_cancel(client_timers(line->client), &line->timer);
    client_cancel(line->client, &line->call);
    free(line->body);
    line->body = NULL;
}

struct str health_body(const struct health_report *report, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    schema_print(&health_report_schema, report, &out);
    return buf_str(&body);
}
