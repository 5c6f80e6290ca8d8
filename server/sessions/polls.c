/* polls.c: long polls: from request to wish, how long they wait, and their answer. */
#include "server/sessions/sessions.h"

#include "base/clock.h"
#include "base/num.h"

enum { SCRATCH_CEILING = 64 * 1024 * 1024 };

void visit_print_poll(struct visit *visit, const struct str_list *messages, struct arena *arena, struct buf *out)
{
    ASSERT(visit->name[0] != '\0');           /* the visit has begun */
    struct json_out json = json_out_to(out);
    json_open(&json, '{');
    json_key(&json, STR("session"));
    json_str(&json, str_from(visit->name));
    json_key(&json, STR("messages"));
    json_open(&json, '[');
    for (size_t m = 0; m < messages->count; m++) { json_raw(&json, messages->items[m]); }
    if (messages->count == 0) { json_raw(&json, visit_heartbeat(visit, arena)); }
    json_close(&json, ']');
    json_key(&json, STR("protocol"));
    json_i64(&json, PROTOCOL_NEWEST);
    json_key(&json, STR("oldestProtocol"));
    json_i64(&json, PROTOCOL_OLDEST);
    json_key(&json, STR("version"));
    json_str(&json, STR(BERTH_VERSION));
    if (visit->lease_ms > 0) {
        json_key(&json, STR("leaseSeconds"));
        json_i64(&json, visit->lease_ms / 1000);
    }
    json_close(&json, '}');
}

static struct protocol_range protocol_of(const struct poll_request *request)
{
    return (struct protocol_range){
        .oldest = request->oldest_protocol.set ? request->oldest_protocol.value : PROTOCOL_UNTOLD,
        .newest = request->protocol.set ? request->protocol.value : PROTOCOL_UNTOLD,
    };
}

struct visit_wish poll_wish(const struct poll_request *request, const struct caller *caller)
{
    return (struct visit_wish){
        .caller = caller, .cluster = request->cluster, .container_instance = request->container_instance, .session = request->session,
        .acks = request->acks, .send_credentials = true, .lease_s = request->lease_seconds, .checks = request->checks,
        .protocol = protocol_of(request),
    };
}

int64_t poll_until_ms(const struct poll_request *request)
{
    int64_t wait_s = request->wait_seconds.set ? min_i64(request->wait_seconds.value, POLL_WAIT_MAX_S) : POLL_WAIT_MAX_S;
    return clock_monotonic_ms() + wait_s * 1000;
}

static bool poll_until_news(struct visit *visit, const struct poll_request *request, struct arena *scratch, struct str_list *messages,
                            struct err *err)
{
    struct str_list candidates = request->stop_candidates;
    int64_t until_ms = poll_until_ms(request), next_due_ms = INT64_MIN;
    for (;;) {
        arena_reset(scratch);
        switch (visit_step(visit, &candidates, scratch, messages, &next_due_ms, err)) {
        case VISIT_NEWS:
        case VISIT_REPLACED: return true;
        case VISIT_FAILED:   return false;
        case VISIT_WAITS:    break;
        }
        bool looked = next_due_ms != INT64_MIN;           /* also a poll that does not wait gets the messages that are due */
        if (looked && clock_monotonic_ms() >= until_ms) { return true; }
        if (!visit_sleep(visit, looked ? min_i64(until_ms, next_due_ms) : until_ms, err)) { return false; }
    }
}

bool sessions_poll(struct sessions *sessions, const struct poll_request *request, const struct caller *caller, struct arena *arena, struct buf *out,
                   struct err *err)
{
    struct visit visit;
    struct visit_wish wish = poll_wish(request, caller);
    if (!visit_begin(sessions, &visit, &wish, arena, err)) { return false; }
    struct arena scratch;                    /* of one look at the store; a poll may look many times */
    arena_init(&scratch, SCRATCH_CEILING);
    struct str_list messages;
    bool good = poll_until_news(&visit, request, &scratch, &messages, err);
    if (good) { visit_print_poll(&visit, &messages, arena, out); }
    visit_end(&visit);
    arena_finish(&scratch);
    return good;
}
