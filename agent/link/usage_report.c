#include "agent/link/usage_report.h"

#include "base/log.h"

enum { TIMEOUT_MS = 30000, USE_ARENA_MAX = 1024 * 1024 };

static struct str print_body(const struct wire_samples *samples, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    schema_print(&wire_samples_schema, samples, &out);
    return buf_str(&body);
}

static void end_round(struct usage_reporter *reporter)
{
    int64_t due_ms = reporter->begun_ms + reporter->every_ms, now_ms = client_now(reporter->client);
    timers_set(client_timers(reporter->client), &reporter->timer, due_ms > now_ms ? due_ms : now_ms + reporter->every_ms / 2);
}

static void tell_next(struct usage_reporter *reporter)
{
    bool told = false;
    while (!told && reporter->next < reporter->count) {
        struct arena arena = { .ceiling = USE_ARENA_MAX };
        struct wire_samples samples = { 0 };
        told = reporter->ask(reporter->owner, reporter->next++, &samples, &arena);
        if (told) { client_start(reporter->client, &reporter->call, print_body(&samples, &arena)); }
        arena_finish(&arena);
    }
    ASSERT(reporter->next <= reporter->count);
    if (!told) { end_round(reporter); }
}

static void begin_round(void *owner)
{
    struct usage_reporter *reporter = owner;
    reporter->next = 0;
    reporter->begun_ms = client_now(reporter->client);
    tell_next(reporter);
}

/* A sample that got lost is not sent again: the next one is newer. */
static void on_answer(void *owner, const struct reply *reply)
{
    struct usage_reporter *reporter = owner;
    if (reply->closing) { return; }
    bool refused = reply->err.code != ERR_NONE;
    if (refused && !reporter->refused) { log_line(LOG_WARN, "agent", "the server refuses the usage report: %s", reply->err.message); }
    reporter->refused = refused;
    if (refused && reply_is_transient(reply)) { end_round(reporter); } else { tell_next(reporter); }
}

void usage_reporter_start(struct usage_reporter *reporter, size_t count)
{
    ASSERT(reporter->client != NULL && reporter->ask != NULL);
    reporter->count = count;
    reporter->timer = (struct timer){ .fire = begin_round, .owner = reporter };
    reporter->call = (struct call){
        .endpoint = reporter->server, .path = "/berth/v1/agent/samples", .kind = CALL_SHORT, .timeout_ms = TIMEOUT_MS, .done = on_answer, .owner = reporter,
    };
    if (reporter->every_ms == 0) { return; }
    reporter->begun_ms = client_now(reporter->client);
    end_round(reporter);
}

void usage_reporter_finish(struct usage_reporter *reporter)
{
    if (reporter->count == 0) { return; }
    timers_cancel(client_timers(reporter->client), &reporter->timer);
    client_cancel(reporter->client, &reporter->call);
}
