#include "agent/link/pull_report.h"

#include "wire/wire.h"
#include "base/log.h"

enum { TELL_EVERY_MS = 2000, TIMEOUT_MS = 10000, BODY_ARENA_MAX = 256 * 1024 };

static void again(struct pull_line *line)
{
    timers_set(client_timers(line->client), &line->timer, client_now(line->client) + TELL_EVERY_MS);
}

static void on_answer(void *owner, const struct reply *reply)
{
    struct pull_line *line = owner;
    if (reply->closing) { return; }
    if (reply->err.code != ERR_NONE) { log_line(LOG_DEBUG, "agent", "the server does not take how far pulls are: %s", reply->err.message); }
    if (line->empty && !reply_is_transient(reply)) { line->owes = false; }
    again(line);
}

static void on_timer(void *owner)
{
    struct pull_line *line = owner;
    struct arena arena = { .ceiling = BODY_ARENA_MAX };
    struct pull_report report = { .cluster = str_from(line->cluster), .container_instance = str_from(line->instance) };
    report.pulls = images_pulls(line->images, &arena);
    line->empty = report.pulls.count == 0;
    if (line->instance[0] == '\0' || (line->empty && !line->owes)) {
        again(line);
    } else {
        struct buf body = buf_in(&arena);
        struct json_out out = json_out_to(&body);
        schema_print(&pull_report_schema, &report, &out);
        line->owes = true;
        client_start(line->client, &line->call, buf_str(&body));
    }
    arena_finish(&arena);
}

void pull_line_begin(struct pull_line *line)
{
    line->timer = (struct timer){ .fire = on_timer, .owner = line };
    line->call = (struct call){
        .endpoint = line->server, .path = "/berth/v1/agent/pulls", .kind = CALL_SHORT, .timeout_ms = TIMEOUT_MS, .done = on_answer, .owner = line,
    };
    again(line);
}

void pull_line_registered(struct pull_line *line, struct str arn)
{
    if (!str_to_cstr(arn, line->instance, sizeof line->instance)) { line->instance[0] = '\0'; }
}

void pull_line_end(struct pull_line *line)
{
    if (line->timer.fire == NULL) { return; }
    timers_cancel(client_timers(line->client), &line->timer);
    client_cancel(line->client, &line->call);
}
