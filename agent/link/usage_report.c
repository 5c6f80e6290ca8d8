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

static void end_round(struct use *use)
{
    int64_t due_ms = use->begun_ms + use->every_ms, now_ms = client_now(use->client);
    timers_set(client_timers(use->client), &use->timer, due_ms > now_ms ? due_ms : now_ms + use->every_ms / 2);
}

static void tell_next(struct use *use)
{
    bool told = false;
    while (!told && use->next < use->count) {
        struct arena arena = { .ceiling = USE_ARENA_MAX };
        struct wire_samples samples = { 0 };
        told = use->ask(use->owner, use->next++, &samples, &arena);
        if (told) { client_start(use->client, &use->call, print_body(&samples, &arena)); }
        arena_finish(&arena);
    }
    if (!told) { end_round(use); }
}

static void begin_round(void *owner)
{
    struct use *use = owner;
    use->next = 0;
    use->begun_ms = client_now(use->client);
    tell_next(use);
}

/* A sample that got lost is not sent again: the next one is newer. */
static void on_answer(void *owner, const struct reply *reply)
{
    struct use *use = owner;
    if (reply->closing) { return; }
    bool refused = reply->err.code != ERR_NONE;
    if (refused && !use->refused) { log_line(LOG_WARN, "agent", "the server does not take what is used here: %s", reply->err.message); }
    use->refused = refused;
    if (refused && reply_is_transient(reply)) { end_round(use); } else { tell_next(use); }
}

void use_start(struct use *use, size_t count)
{
    use->count = count;
    use->timer = (struct timer){ .fire = begin_round, .owner = use };
    use->call = (struct call){
        .endpoint = use->server, .path = "/berth/v1/agent/samples", .kind = CALL_SHORT, .timeout_ms = TIMEOUT_MS, .done = on_answer, .owner = use,
    };
    if (use->every_ms == 0) { return; }
    use->begun_ms = client_now(use->client);
    end_round(use);
}

void use_finish(struct use *use)
{
    if (use->count == 0) { return; }
    timers_cancel(client_timers(use->client), &use->timer);
    client_cancel(use->client, &use->call);
}
