/* logs.c: one thread goes round all containers that are followed. A container that printed something is asked again soon, a quiet one once a
 * second at least; no container gets more than one chunk per round, so that none starves the others, and a round pauses, which bounds the
 * rate. After a restart of the agent the output is sent again from its beginning: the server recognizes repeats by their offset. A server that lacks earlier
 * bytes, since another one had the lead or a disk was lost, asks for them.
 *
 * Offsets count bytes of the cleaned text, as the server counts them. */
#include "agent/task/logs.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"

enum {
    CHUNK_MAX = 64 * 1024, ROUND_MS = 100, QUIET_MOST_MS = 1000, TROUBLE_MS = 1000, LAST_CHUNKS = 8, CALL_TIMEOUT_MS = 20000,
    ROUND_ARENA_MAX = 16 * 1024 * 1024,
};

struct log_follow {
    struct log_follow *next;
    char *task_arn, *container, *runtime_id;     /* owned */
    int64_t raw_offset, sent_offset;             /* the thread's own */
    int64_t due_ms, quiet_ms;                    /* the thread's own */
    bool troubled;                               /* the thread's own: the last chunk did not go through */
    bool resent;                                 /* the thread's own: asked for earlier bytes, it sends these, and no earlier ones */
    bool ended, sent, released;                  /* guarded by the logs' lock */
};

struct logs {
    struct client *client;
    const struct endpoint *server;
    const char *cluster;
    struct runtime *runtime;
    pthread_t thread;
    struct lock lock;
    struct lock_signal changed;
    struct log_follow *all;                      /* guarded by lock */
    bool stopping, hurry;                        /* guarded by lock; hurry: a thread waits for the last chunk */
};

/* ---- text ---- */

/* How many bytes the sequence at `at` has when it is sound; 0 when it is not, and *cut when it only lacks its end. RFC 3629. */
static size_t sequence(const unsigned char *at, size_t len, bool *cut)
{
    unsigned char lead = at[0];
    size_t wanted = lead >= 0xC2 && lead < 0xE0 ? 2 : lead >= 0xE0 && lead < 0xF0 ? 3 : lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
    if (lead < 0x80) { return lead == 0 ? 0 : 1; }                         /* NUL is no text */
    if (wanted == 0) { return 0; }
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    for (size_t i = 1; i < wanted; i++) {
        if (i == len) {
            *cut = true;
            return 0;
        }
        if (at[i] < low || at[i] > high) { return 0; }
        low = 0x80;
        high = 0xBF;
    }
    return wanted;
}

struct str logs_clean(struct str raw, bool end, size_t *used, struct log_time_list *times, struct arena *arena)
{
    struct buf out = buf_in(arena);
    size_t at = 0, time = 0;
    while (at < raw.len) {
        for (; time < times->count && times->items[time].at.value <= (int64_t)at; time++) { times->items[time].at.value = (int64_t)out.len; }
        bool cut = false;
        size_t len = sequence((const unsigned char *)raw.ptr + at, raw.len - at, &cut);
        if (cut && !end) { break; }
        buf_put(&out, len > 0 ? str_slice(raw, at, at + len) : STR("\xEF\xBF\xBD"));
        at += len > 0 ? len : 1;
    }
    while (time > 0 && times->items[time - 1].at.value >= (int64_t)out.len) { time--; }        /* a character that waits takes its time along */
    times->count = time;
    *used = at;
    return buf_str(&out);
}

/* ---- one container ---- */

static struct str chunk_body(const struct logs *logs, const struct log_follow *follow, struct str text, const struct log_time_list *times,
                             struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    struct log_chunk chunk = {
        .cluster = str_from(logs->cluster), .task = str_from(follow->task_arn), .container = str_from(follow->container),
        .offset = opt_int_of(follow->sent_offset), .text = text, .times = *times, .resends = follow->resent ? OPT_FALSE : OPT_TRUE,
    };
    schema_print(&log_chunk_schema, &chunk, &out);
    return buf_str(&body);
}

enum progress { PROGRESS_QUIET, PROGRESS_MORE, PROGRESS_TROUBLE, PROGRESS_OVER };

/* Is this the end of the output? Only then is a cut character really cut. */
static bool is_last(const struct container_output *output)
{
    return output->text.len < CHUNK_MAX && output->times.count < LOG_TIMES_MAX;
}

/* Goes back as the server's answer asks. Only while each byte of the output was one of the text is the place of a byte known; otherwise it goes back to the
 * beginning. False: nothing was asked for. */
static bool goes_back(struct log_follow *follow, struct str answer, struct arena *arena)
{
    struct err err = { 0 };
    int64_t from = json_get_i64(json_parse(answer, arena, &err), STR("from"), -1);
    if (from < 0 || from >= follow->sent_offset || follow->resent) { return false; }
    if (follow->raw_offset != follow->sent_offset) { from = 0; }
    follow->raw_offset = follow->sent_offset = from;
    follow->resent = true;
    return true;
}

/* The place that was asked for may be inside a character. */
static size_t rest_of_character(struct str raw)
{
    size_t rest = 0;
    while (rest < raw.len && rest < 3 && ((unsigned char)raw.ptr[rest] & 0xC0) == 0x80) { rest++; }
    return rest;
}

static enum progress ship_chunk(struct logs *logs, struct log_follow *follow, bool ended, struct arena *arena)
{
    struct err err = { 0 };
    struct container_output output = { 0 };
    struct str id = str_from(follow->runtime_id);
    int64_t now_ms = clock_now_ms();
    if (!logs->runtime->ops->logs(logs->runtime, id, follow->raw_offset, CHUNK_MAX, &output, arena, &err)) {
        log_line(ended ? LOG_WARN : LOG_DEBUG, "agent", "a container's output cannot be read container=%s: %s", follow->container, err.message);
        return ended ? PROGRESS_OVER : PROGRESS_TROUBLE;
    }
    size_t used, rest = follow->resent ? rest_of_character(output.text) : 0;
    if (rest > 0 && follow->raw_offset > 0) {
        follow->raw_offset += (int64_t)rest;
        follow->sent_offset += (int64_t)rest;
        return PROGRESS_MORE;
    }
    struct log_time read_now = { opt_int_of(0), opt_int_of(now_ms) };
    if (output.times.count == 0) { output.times = (struct log_time_list){ &read_now, 1 }; }      /* no other time is known */
    struct str text = logs_clean(output.text, ended && is_last(&output), &used, &output.times, arena);
    if (text.len == 0) { return ended ? PROGRESS_OVER : PROGRESS_QUIET; }
    struct str answer, body = chunk_body(logs, follow, text, &output.times, arena);
    bool transient;
    if (!client_call(logs->client, logs->server, "/berth/v1/agent/logs", NULL, body, CALL_TIMEOUT_MS, &answer, &transient, arena, &err)) {
        if (transient) { return PROGRESS_TROUBLE; }
        log_line(LOG_WARN, "agent", "the server does not take a container's output container=%s: %s", follow->container, err.message);
        return PROGRESS_OVER;
    }
    ASSERT(used > 0 && used <= output.text.len);     /* a text came of them */
    if (goes_back(follow, answer, arena)) { return PROGRESS_MORE; }
    follow->resent = false;
    follow->raw_offset += (int64_t)used;
    follow->sent_offset += (int64_t)text.len;
    return PROGRESS_MORE;
}

static void ship(struct logs *logs, struct log_follow *follow, struct arena *arena)
{
    lock_take(&logs->lock);
    bool ended = follow->ended, skip = follow->sent || follow->released;
    lock_drop(&logs->lock);
    int64_t now_ms = clock_monotonic_ms();
    bool rested = now_ms >= follow->due_ms || (ended && !follow->troubled);
    if (skip || !rested) { return; }
    enum progress progress = PROGRESS_MORE;
    for (int rest = ended ? LAST_CHUNKS : 1; rest > 0 && progress == PROGRESS_MORE; rest--) {
        progress = ship_chunk(logs, follow, ended, arena);
        arena_reset(arena);
    }
    switch (progress) {
    case PROGRESS_MORE:
        follow->quiet_ms = 0;
        break;
    case PROGRESS_QUIET:
        follow->quiet_ms = min_i64(follow->quiet_ms * 2 + ROUND_MS, QUIET_MOST_MS - ROUND_MS);
        break;
    case PROGRESS_TROUBLE:
        follow->quiet_ms = TROUBLE_MS;
        break;
    case PROGRESS_OVER:
        lock_take(&logs->lock);
        ASSERT(!follow->sent);
        follow->sent = true;
        lock_wake_all(&logs->changed);
        lock_drop(&logs->lock);
        break;
    }
    follow->troubled = progress == PROGRESS_TROUBLE;
    follow->due_ms = now_ms + follow->quiet_ms;
}

/* ---- the round ---- */

static void free_follow(struct log_follow *follow)
{
    free(follow->task_arn);
    free(follow->container);
    free(follow->runtime_id);
    free(follow);
}

/* Removes released containers. Only the thread walks and shortens the list; others add at its head. */
static struct log_follow *clear_released(struct logs *logs) REQUIRES(logs->lock)
{
    for (struct log_follow **at = &logs->all; *at != NULL;) {
        struct log_follow *follow = *at;
        if (!follow->released) {
            at = &follow->next;
            continue;
        }
        *at = follow->next;
        free_follow(follow);
    }
    return logs->all;
}

static void *logs_main(void *arg)
{
    struct logs *logs = arg;
    struct arena arena;
    arena_init(&arena, ROUND_ARENA_MAX);
    lock_take(&logs->lock);
    while (!logs->stopping) {
        struct log_follow *follow = clear_released(logs);
        while (follow == NULL && !logs->stopping) {
            lock_wait(&logs->changed, &logs->lock);
            follow = logs->all;
        }
        lock_drop(&logs->lock);
        for (; follow != NULL; follow = follow->next) { ship(logs, follow, &arena); }
        lock_take(&logs->lock);
        int64_t until_ms = clock_monotonic_ms() + ROUND_MS;
        while (!logs->stopping && !logs->hurry && lock_wait_until(&logs->changed, &logs->lock, until_ms)) { }
        logs->hurry = false;
    }
    lock_drop(&logs->lock);
    arena_finish(&arena);
    return NULL;
}

/* ---- the door ---- */

static char *copy(struct str text)
{
    char *bytes = strndup(text.ptr, text.len);
    ASSERT(bytes != NULL);
    return bytes;
}

struct log_follow *logs_follow(struct logs *logs, struct str task_arn, struct str container, struct str runtime_id)
{
    struct log_follow *follow = calloc(1, sizeof *follow);
    ASSERT(follow != NULL);
    follow->task_arn = copy(task_arn);
    follow->container = copy(container);
    follow->runtime_id = copy(runtime_id);
    lock_take(&logs->lock);
    follow->next = logs->all;
    logs->all = follow;
    lock_wake_all(&logs->changed);
    lock_drop(&logs->lock);
    return follow;
}

void logs_ended(struct logs *logs, struct log_follow *follow)
{
    lock_take(&logs->lock);
    ASSERT(!follow->ended && !follow->released);
    follow->ended = true;
    logs->hurry = true;
    lock_wake_all(&logs->changed);
    lock_drop(&logs->lock);
}

bool logs_wait_sent(struct logs *logs, struct log_follow *follow, int64_t until_ms)
{
    lock_take(&logs->lock);
    ASSERT(!follow->released);
    while (!follow->sent && !logs->stopping && lock_wait_until(&logs->changed, &logs->lock, until_ms)) { }
    bool sent = follow->sent;
    lock_drop(&logs->lock);
    return sent;
}

void logs_release(struct logs *logs, struct log_follow *follow)
{
    if (follow == NULL) { return; }
    lock_take(&logs->lock);
    ASSERT(!follow->released);
    follow->released = true;
    lock_wake_all(&logs->changed);
    lock_drop(&logs->lock);
}

struct logs *logs_create(struct client *client, const struct endpoint *server, const char *cluster, struct runtime *runtime, struct err *err)
{
    struct logs *logs = calloc(1, sizeof *logs);
    ASSERT(logs != NULL);
    *logs = (struct logs){ .client = client, .server = server, .cluster = cluster, .runtime = runtime };
    lock_init(&logs->lock);
    lock_signal_init(&logs->changed);
    if (pthread_create(&logs->thread, NULL, logs_main, logs) == 0) { return logs; }
    err_set(err, ERR_SERVER, "A thread cannot be started.");
    lock_signal_finish(&logs->changed);
    lock_finish(&logs->lock);
    free(logs);
    return NULL;
}

void logs_destroy(struct logs *logs)
{
    if (logs == NULL) { return; }
    lock_take(&logs->lock);
    logs->stopping = true;
    lock_wake_all(&logs->changed);
    lock_drop(&logs->lock);
    pthread_join(logs->thread, NULL);
    while (logs->all != NULL) {
        struct log_follow *follow = logs->all;
        logs->all = follow->next;
        free_follow(follow);
    }
    lock_signal_finish(&logs->changed);
    lock_finish(&logs->lock);
    free(logs);
}
