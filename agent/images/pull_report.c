#include "agent/images/pull_report.h"

#include "wire/wire.h"
#include "base/log.h"

enum { TELL_EVERY_MS = 2000, TIMEOUT_MS = 10000, BODY_ARENA_MAX = 256 * 1024 };

static void again(struct pull_reporter *reporter)
{
    timers_set(client_timers(reporter->client), &reporter->timer, client_now(reporter->client) + TELL_EVERY_MS);
}

static void on_answer(void *owner, const struct reply *reply)
{
    struct pull_reporter *reporter = owner;
    if (reply->closing) { return; }
    if (reply->err.code != ERR_NONE) { log_line(LOG_DEBUG, "agent", "the server does not take how far pulls are: %s", reply->err.message); }
    if (reporter->empty && !reply_is_transient(reply)) { reporter->owes = false; }
    again(reporter);
}

static void on_timer(void *owner)
{
    struct pull_reporter *reporter = owner;
    struct arena arena = { .ceiling = BODY_ARENA_MAX };
    struct pull_report report = { .cluster = str_from(reporter->cluster), .container_instance = str_from(reporter->instance) };
    report.pulls = images_pulls(reporter->images, &arena);
    reporter->empty = report.pulls.count == 0;
    if (reporter->instance[0] == '\0' || (reporter->empty && !reporter->owes)) {
        again(reporter);
    } else {
        struct buf body = buf_in(&arena);
        struct json_out out = json_out_to(&body);
        schema_print(&pull_report_schema, &report, &out);
        reporter->owes = true;
        client_start(reporter->client, &reporter->call, buf_str(&body));
    }
    arena_finish(&arena);
}

void pull_reporter_begin(struct pull_reporter *reporter)
{
    reporter->timer = (struct timer){ .fire = on_timer, .owner = reporter };
    reporter->call = (struct call){
        .endpoint = reporter->server, .path = "/berth/v1/agent/pulls", .kind = CALL_SHORT, .timeout_ms = TIMEOUT_MS, .done = on_answer, .owner = reporter,
    };
    again(reporter);
}

void pull_reporter_registered(struct pull_reporter *reporter, struct str arn)
{
    if (!str_to_cstr(arn, reporter->instance, sizeof reporter->instance)) { reporter->instance[0] = '\0'; }
}

void pull_reporter_end(struct pull_reporter *reporter)
{
    if (reporter->timer.fire == NULL) { return; }
    timers_cancel(client_timers(reporter->client), &reporter->timer);
    client_cancel(reporter->client, &reporter->call);
}
