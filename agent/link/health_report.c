#include "agent/link/health_report.h"

#include <stdlib.h>

#include "agent/link/session.h"
#include "base/log.h"

enum { PAUSE_FIRST_MS = 500, PAUSE_MOST_MS = 60000, TIMEOUT_MS = 30000 };

static void send_next(void *owner)
{
    struct health_reporter *reporter = owner;
    reporter->newer = false;
    if (reporter->body != NULL) { client_start(reporter->client, &reporter->call, (struct str){ reporter->body, reporter->len }); }
}

static void on_answer(void *owner, const struct reply *reply)
{
    struct health_reporter *reporter = owner;
    if (reply->closing) { return; }
    if (reply->err.code != ERR_NONE && reply_is_transient(reply)) {
        reporter->pause_ms = backoff_next(reporter->pause_ms, PAUSE_FIRST_MS, PAUSE_MOST_MS, client_rng(reporter->client));
        timers_set(client_timers(reporter->client), &reporter->timer, client_now(reporter->client) + reporter->pause_ms);
        return;
    }
    reporter->refused = reply->err.code != ERR_NONE;
    if (reporter->refused) { log_line(LOG_WARN, "agent", "the server does not take a report path=%s: %s", reporter->call.path, reply->err.message); }
    ASSERT(reporter->body != NULL);                               /* kept until an answer has come */
    reporter->pause_ms = 0;
    if (reporter->newer) {
        send_next(reporter);
    } else {
        free(reporter->body);
        reporter->body = NULL;
    }
}

void health_reporter_init(struct health_reporter *reporter, struct client *client, const struct endpoint *server, const char *path)
{
    *reporter = (struct health_reporter){ .client = client, .timer = { .fire = send_next, .owner = reporter } };
    reporter->call = (struct call){
        .endpoint = server, .path = path, .kind = CALL_SHORT, .timeout_ms = TIMEOUT_MS, .done = on_answer, .owner = reporter,
    };
}

void health_reporter_send(struct health_reporter *reporter, struct str body)
{
    ASSERT(reporter->client != NULL && body.len > 0);             /* begun, and printed by us */
    bool waits = reporter->body != NULL;
    char *copy = malloc(body.len + 1);
    ASSERT(copy != NULL);
    memcpy(copy, body.ptr, body.len);
    free(reporter->body);
    reporter->body = copy;
    reporter->len = body.len;
    reporter->newer = waits;
    if (!waits) { send_next(reporter); }
}

void health_reporter_finish(struct health_reporter *reporter)
{
    if (reporter->client == NULL) { return; }
    timers_cancel(client_timers(reporter->client), &reporter->timer);
    client_cancel(reporter->client, &reporter->call);
    free(reporter->body);
    reporter->body = NULL;
}

static struct str body_of(const struct schema *schema, const void *report, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    schema_print(schema, report, &out);
    return buf_str(&body);
}

struct str health_body(const struct health_report *report, struct arena *arena) { return body_of(&health_report_schema, report, arena); }

struct str checks_body(const struct checks_report *report, struct arena *arena) { return body_of(&checks_report_schema, report, arena); }

struct str pulled_body(const struct pulled_report *report, struct arena *arena) { return body_of(&pulled_report_schema, report, arena); }

struct str own_log_body(const struct own_log_report *report, struct arena *arena) { return body_of(&own_log_report_schema, report, arena); }
