#include "cli/feed/follow.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"

enum { LOOK_MS = 1000, SOON_MS = 100, REPORT_MS = 3000, REPORT_PATIENCE_MS = 3000, RETRY_MS = 500, RETRY_MAX_MS = 10 * 1000, COUNTS_MAX = 10000 };
static const size_t STATE_MAX = (size_t)256 << 20, LOOK_MAX = (size_t)256 << 20;

/* The newest state, from the thread that asks for it, which runs until the program ends: all texts are on the heap. */
struct news { struct remote remote; bool names; struct lock lock; struct lock_signal change; char *text; size_t len; };

/* ---- the thread that asks ---- */

const struct feed_state *feed_read(struct str text, struct arena *arena, struct err *err)
{
    const struct json *json = json_parse(text, arena, err);
    struct feed_state *state = ARENA_NEW(arena, struct feed_state, 1);
    return json != NULL && schema_decode(&feed_state_schema, json, state, arena, ERR_VALIDATION, err) ? state : NULL;
}

static const char *path_of(bool names) { return names ? "/berth/v1/names" : "/berth/v1/target-groups"; }

/* Asks once. `since` below 0: at once. */
static bool ask(const struct news *news, int64_t since, struct str *text, int64_t *revision, struct arena *arena, struct err *err)
{
    const char *path = since < 0 ? path_of(news->names) : arena_printf(arena, "%s?watch=%lld", path_of(news->names), (long long)since).ptr;
    if (!remote_get_text(&news->remote, path, text, arena, err)) { return false; }
    const struct feed_state *state = feed_read(*text, arena, err);
    if (state == NULL) { return false; }
    *revision = state->revision.value;
    return true;
}

static void publish(struct news *news, struct str text)
{
    char *copy = malloc(text.len + 1);
    ASSERT(copy != NULL);
    memcpy(copy, text.ptr, text.len);
    lock_take(&news->lock);
    free(news->text);
    news->text = copy;
    news->len = text.len;
    lock_wake_one(&news->change);
    lock_drop(&news->lock);
}

static void *ask_for_ever(void *context)
{
    struct news *news = context;
    struct arena arena;
    int64_t revision = -1, pause_ms = RETRY_MS;
    arena_init(&arena, STATE_MAX);
    for (;;) {
        struct err err = { 0 };
        struct str text;
        int64_t got = 0;
        if (ask(news, revision, &text, &got, &arena, &err)) {
            if (pause_ms > RETRY_MS) { log_line(LOG_INFO, "feed", "the server answers again"); }
            pause_ms = RETRY_MS;
            if (got != revision) { publish(news, text); }
            revision = got;
        } else {
            if (pause_ms == RETRY_MS) { log_line(LOG_WARN, "feed", "the targets stay as they are: %s", err.message); }
            clock_sleep_ms(pause_ms);
            pause_ms = min_i64(2 * pause_ms, RETRY_MAX_MS);
            revision = -1;                                       /* the next answer comes at once */
        }
        arena_reset(&arena);
    }
    return NULL;
}

/* ---- the report ---- */

/* The last report. revision: that has been applied, below 0: none; busy: a hash of the list; requests: all counters together. */
struct reporter { int64_t revision, sent_ms, requests; uint64_t busy; bool failed; };

static uint64_t hash_of(const struct str_list *list)
{
    uint64_t hash = list->count;
    for (size_t n = 0; n < list->count; n++) {
        for (size_t c = 0; c < list->items[n].len; c++) { hash = (hash ^ (unsigned char)list->items[n].ptr[c]) * 1099511628211u; }
    }
    return hash;
}

static void put_counts(struct json_out *out, const struct feed_count_list *counts)
{
    json_name(out, STR("requests"));
    json_open(out, '[');
    for (size_t c = 0; c < counts->count && c < COUNTS_MAX; c++) {
        json_open(out, '{');
        json_name(out, STR("group"));
        json_str(out, counts->items[c].group);
        json_name(out, STR("source"));
        json_str(out, counts->items[c].source);
        json_name(out, STR("count"));
        json_i64(out, counts->items[c].requests);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static bool send_report(const struct feed *feed, int64_t revision, const struct feed_applied *applied, struct arena *arena, struct err *err)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    struct remote remote = *feed->remote;
    struct str reply;
    remote.timeout_ms = REPORT_PATIENCE_MS;
    json_open(&out, '{');
    json_name(&out, STR("revision"));
    json_i64(&out, revision);
    json_name(&out, STR("busy"));
    json_open(&out, '[');
    for (size_t b = 0; b < applied->busy.count; b++) { json_str(&out, applied->busy.items[b]); }
    json_close(&out, ']');
    put_counts(&out, &applied->counts);
    json_close(&out, '}');
    return remote_post(&remote, arena_printf(arena, "/berth/v1/feeds/%s/applied", feed->name).ptr, buf_str(&body), &reply, arena, err);
}

static int64_t requests_in(const struct feed_count_list *counts)
{
    int64_t sum = 0;
    for (size_t c = 0; c < counts->count; c++) { sum += counts->items[c].requests; }
    return sum;
}

/* Sends a report at once if it says something new, after a second if only counters have grown, and after some seconds if nothing has changed. */
static void report(struct reporter *reporter, const struct feed *feed, int64_t revision, const struct feed_applied *applied, struct arena *arena)
{
    int64_t age_ms = clock_monotonic_ms() - reporter->sent_ms, requests = requests_in(&applied->counts);
    uint64_t hash = hash_of(&applied->busy);
    struct err err = { 0 };
    bool same = revision == reporter->revision && hash == reporter->busy, soon = reporter->failed || requests != reporter->requests;
    if (feed->name == NULL || (age_ms < (soon ? LOOK_MS : REPORT_MS) && (same || reporter->failed))) { return; }
    bool good = send_report(feed, revision, applied, arena, &err);
    if (!good && !reporter->failed) { log_line(LOG_WARN, "feed", "the server does not get the report of the proxy: %s", err.message); }
    *reporter = (struct reporter){ revision, clock_monotonic_ms(), requests, hash, !good };
}

/* ---- the thread that applies ---- */

/* Waits for a change, or for the time to look again. True: *state is a new one, in `arena`, which is emptied first. */
static bool wait_for_state(struct news *news, int64_t until_ms, const struct feed_state **state, struct arena *arena)
{
    struct err err = { 0 };
    lock_take(&news->lock);
    while (news->text == NULL && lock_wait_until(&news->change, &news->lock, until_ms)) { }
    char *text = news->text;
    size_t len = news->len;
    news->text = NULL;
    lock_drop(&news->lock);
    if (text == NULL) { return false; }
    arena_reset(arena);
    *state = feed_read(arena_str(arena, (struct str){ text, len }), arena, &err);        /* it has been read once */
    free(text);
    return *state != NULL;
}

static void tell_change(char *told, const char *message)
{
    if (strcmp(told, message) == 0) { return; }
    if (message[0] != '\0') {
        log_line(LOG_ERROR, "feed", "%s", message);
    } else {
        log_line(LOG_INFO, "feed", "the proxy is as it should be again");
    }
    memcpy(told, message, strlen(message) + 1);
}

static void apply_for_ever(const struct feed *feed, struct news *news, struct arena *states, struct arena *looks)
{
    const struct feed_state *state = NULL;
    struct reporter reporter = { .revision = -1 };
    int64_t next_ms = clock_monotonic_ms(), applied_revision = -1;
    char told[sizeof ((struct err *)0)->message] = "";           /* the last error, told once */
    while (feed->ended == NULL || !feed->ended(feed->context)) {
        struct feed_applied applied = { .soon = false };
        struct err err = { 0 };
        (void)wait_for_state(news, next_ms, &state, states);
        arena_reset(looks);
        bool known = state != NULL && feed->apply(feed->context, state, &applied, looks, &err);
        if (known && !applied.partly) { applied_revision = state->revision.value; }
        if (known || err.message[0] != '\0') { tell_change(told, err.message); }
        if (known && applied_revision >= 0) { report(&reporter, feed, applied_revision, &applied, looks); }
        next_ms = clock_monotonic_ms() + (applied.soon ? SOON_MS : LOOK_MS);
    }
}

static bool apply_once(const struct feed *feed, struct arena *arena, struct err *err)
{
    struct feed_applied applied = { .soon = false };
    struct str text;
    if (!remote_get_text(feed->remote, path_of(feed->names), &text, arena, err)) { return false; }
    const struct feed_state *state = feed_read(text, arena, err);
    return state != NULL && feed->apply(feed->context, state, &applied, arena, err) && !applied.partly;
}

static const char *copied(const char *text)
{
    if (text == NULL) { return NULL; }
    char *copy = strdup(text);
    ASSERT(copy != NULL);
    return copy;
}

static struct remote copy_of(const struct remote *remote)
{
    return (struct remote){ .url = copied(remote->url), .region = copied(remote->region), .access_key = copied(remote->access_key),
                            .secret = copied(remote->secret), .session_token = copied(remote->session_token), .ca_file = copied(remote->ca_file) };
}

bool feed_follow(const struct feed *feed, struct arena *arena, struct err *err)
{
    struct arena states, looks;
    pthread_t asker;
    if (feed->once) { return apply_once(feed, arena, err); }
    struct news *news = array_zeroed(1, sizeof *news);           /* the asking thread has it until the program ends */
    news->remote = copy_of(feed->remote);
    news->names = feed->names;
    lock_init(&news->lock);
    lock_signal_init(&news->change);
    if (pthread_create(&asker, NULL, ask_for_ever, news) != 0) {
        free(news);
        return err_set(err, ERR_SERVER, "a thread can't be started.");
    }
    pthread_detach(asker);
    arena_init(&states, STATE_MAX);
    arena_init(&looks, LOOK_MAX);
    apply_for_ever(feed, news, &states, &looks);
    arena_finish(&looks);
    arena_finish(&states);
    return true;
}
