/* sessions.c: two locks. `lock` guards the table and the small words of every session; a session's `telling` guards its outbox
 * and is held while the store is read. Order: telling before lock. A session that was closed leaves the table at once and
 * is freed by the last poll that still holds it. */
#include "server/sessions.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"
#include "server/outbox.h"

enum {
    BUCKETS = 16384,
    WAIT_MAX_S = 25,
    LOST_AFTER_MS = 35 * 1000,               /* without a poll */
    GRACE_MS = 60 * 1000,                    /* … after a start of the server */
    TAKEOVERS_MAX = 5, TAKEOVERS_WINDOW_MS = 10 * 1000,   /* two agents with one identity take turns: slowly */
    NAME_LEN = 32,
    SCRATCH_CEILING = 64 * 1024 * 1024,
};

struct session {
    struct session *next;                    /* in its bucket */
    struct id instance;
    char name[NAME_LEN + 1];                 /* what the agent calls it by; empty: no agent has come yet */
    uint64_t serial;                         /* of the newest poll; older ones have been replaced */
    unsigned holders;                        /* polls that run */
    bool open, dirty, closed;                /* a poll waits or works; there may be news; the instance is gone */
    bool present;                            /* the store knows that the agent is there */
    bool lost;                               /* its absence is being written down */
    int64_t heard_ms;                        /* monotonic */
    int64_t window_ms; int takeovers;        /* how often a new session began lately */
    struct lock_signal news;
    struct lock telling;
    struct outbox outbox;                    /* guarded by telling */
};

struct sessions {
    struct sessions_config config;
    struct numbers numbers;
    struct lock lock;
    struct session *buckets[BUCKETS];
    size_t count, waiting;
    bool stopping;
};

/* ---- the table ---- */

/* The last bytes of an id are chance. */
static size_t bucket_of(struct id id)
{
    size_t hash;
    memcpy(&hash, id.bytes + sizeof id.bytes - sizeof hash, sizeof hash);
    return hash % BUCKETS;
}

static struct session *find_session(struct sessions *sessions, struct id id)
{
    struct session *session = sessions->buckets[bucket_of(id)];
    while (session != NULL && !id_eq(session->instance, id)) { session = session->next; }
    return session;
}

static struct session *add_session(struct sessions *sessions, struct id id, int64_t heard_ms)
{
    struct session *session = calloc(1, sizeof *session);
    ASSERT(session != NULL);
    session->instance = id;
    session->heard_ms = heard_ms;
    lock_signal_init(&session->news);
    lock_init(&session->telling);
    outbox_reset(&session->outbox);
    struct session **bucket = &sessions->buckets[bucket_of(id)];
    session->next = *bucket;
    *bucket = session;
    sessions->count++;
    return session;
}

static void free_session(struct session *session)
{
    outbox_finish(&session->outbox);
    lock_finish(&session->telling);
    lock_signal_finish(&session->news);
    free(session);
}

/* Out of the table; its polls, if any, are told. */
static void drop_session(struct sessions *sessions, struct session *session)
{
    struct session **at = &sessions->buckets[bucket_of(session->instance)];
    while (*at != session) { at = &(*at)->next; }
    *at = session->next;
    sessions->count--;
    session->closed = true;
    lock_wake_all(&session->news);
    if (session->holders == 0) { free_session(session); }
}

/* ---- a poll comes in ---- */

struct poll {
    struct sessions *sessions;
    const struct poll_request *request;
    const struct caller *caller;
    struct arena *arena;
    struct arena scratch;                    /* of one look at the store; a poll may look many times */
    struct session *session;                 /* held */
    struct id instance;
    uint64_t serial;
    int64_t until_ms;
    char name[NAME_LEN + 1];                 /* of the session this poll belongs to */
    struct str_list candidates;              /* answered once */
};

static bool inactive(struct err *err)
{
    return err_set(err, ERR_INVALID_PARAMETER, "InactiveInstanceException: The container instance is not registered.");
}

static bool is_registered(struct poll *poll, struct err *err)
{
    struct store_txn *txn = store_read_begin(poll->sessions->config.store);
    const struct instance *instance = store_instance(txn, poll->instance, poll->arena);
    bool registered = instance != NULL && instance->status != INSTANCE_INACTIVE;
    if (!store_read_end(txn)) { return err_set(err, ERR_SERVER, "The store can't be read."); }
    return registered || inactive(err);
}

/* Finds or makes the session and holds it. The store is asked first, so that only what is registered takes memory. */
static bool hold_session(struct poll *poll, struct err *err)
{
    struct sessions *sessions = poll->sessions;
    struct str cluster;
    const struct names *names = &sessions->config.api->names;
    bool read = names_read_cluster(names, poll->request->cluster, &cluster, err)
        && names_read_id(names, poll->request->container_instance, STR("container-instance"), cluster, &poll->instance, err);
    if (!read) { return false; }

    lock_take(&sessions->lock);
    struct session *session = find_session(sessions, poll->instance);
    if (session == NULL) {
        lock_drop(&sessions->lock);
        if (!is_registered(poll, err)) { return false; }
        lock_take(&sessions->lock);
        session = find_session(sessions, poll->instance);
        if (session == NULL) { session = add_session(sessions, poll->instance, clock_monotonic_ms()); }
    }
    session->holders++;
    poll->session = session;
    lock_drop(&sessions->lock);
    return true;
}

static void release_session(struct poll *poll)
{
    struct session *session = poll->session;
    lock_take(&poll->sessions->lock);
    session->heard_ms = max_i64(session->heard_ms, clock_monotonic_ms());
    if (session->serial == poll->serial) { session->open = false; }
    session->holders--;
    bool last = session->closed && session->holders == 0;
    lock_drop(&poll->sessions->lock);
    if (last) { free_session(session); }
}

static bool take_over(struct session *session, int64_t now_ms, struct err *err)
{
    if (now_ms - session->window_ms > TAKEOVERS_WINDOW_MS) {
        session->window_ms = now_ms;
        session->takeovers = 0;
    }
    if (session->takeovers >= TAKEOVERS_MAX) {
        return err_set(err, ERR_THROTTLING, "Rate exceeded: this container instance connects anew too often. Is another agent "
                       "running with its identity?");
    }
    session->takeovers++;
    return true;
}

/* A poll that names the session goes on in it; any other begins a new one and replaces what was there. */
static bool join_session(struct poll *poll, struct err *err)
{
    struct sessions *sessions = poll->sessions;
    struct session *session = poll->session;
    int64_t now_ms = clock_monotonic_ms();
    bool good = true;
    lock_take(&session->telling);
    lock_take(&sessions->lock);
    bool known = session->name[0] != '\0' && str_eq(poll->request->session, str_from(session->name));
    if (!known && (good = take_over(session, now_ms, err))) {
        char name[ID_HEX_LEN + 1];
        struct id id;
        rng_secret(id.bytes, sizeof id.bytes);
        id_hex(id, name);
        memcpy(session->name, name, sizeof session->name);
        outbox_reset(&session->outbox);
        session->present = false;
    }
    for (size_t a = 0; good && known && a < poll->request->acks.count; a++) {
        outbox_ack(&session->outbox, poll->request->acks.items[a]);
    }
    if (good) {
        poll->serial = ++session->serial;
        session->open = session->dirty = true;
        session->heard_ms = now_ms;
        memcpy(poll->name, session->name, sizeof poll->name);
        lock_wake_all(&session->news);       /* an older poll is answered at once */
    }
    lock_drop(&sessions->lock);
    lock_drop(&session->telling);
    return good;
}

/* ---- presence ---- */

static bool tell_presence(struct poll *poll, struct err *err)
{
    struct agent_presence presence = { poll->instance, true };
    struct api_call call;
    api_prepare_presence(&presence, poll->arena, &call);
    struct job job = { .call = &call, .arena = poll->arena, .caller = *poll->caller };
    lock_take(&poll->sessions->lock);
    bool needed = !poll->session->present;
    poll->session->present = true;           /* before the job, so that a loss reported meanwhile is not overlooked */
    lock_drop(&poll->sessions->lock);
    if (!needed) { return true; }
    if (writer_run(poll->sessions->config.writer, &job, err)) {
        log_line(LOG_INFO, "sessions", "agent connected: instance=" STR_FMT, STR_ARG(poll->request->container_instance));
        return true;
    }
    lock_take(&poll->sessions->lock);
    poll->session->present = false;
    lock_drop(&poll->sessions->lock);
    return false;
}

/* ---- looking and waiting ---- */

enum outcome { OUTCOME_NEWS, OUTCOME_NOTHING, OUTCOME_FAILED };

/* Asks the store what there is to say. The text lives in the poll's scratch; nothing is sent while the transaction is open. */
static enum outcome look(struct poll *poll, struct buf *messages, int64_t *next_due_ms, struct err *err)
{
    struct sessions *sessions = poll->sessions;
    struct session *session = poll->session;
    lock_take(&session->telling);
    lock_take(&sessions->lock);
    bool mine = session->serial == poll->serial;
    lock_drop(&sessions->lock);
    if (!mine) {
        lock_drop(&session->telling);
        return OUTCOME_NOTHING;
    }
    struct op_ctx ctx = {
        .config = sessions->config.api, .txn = store_read_begin(sessions->config.store), .arena = &poll->scratch,
        .now_ms = clock_now_ms(), .caller = *poll->caller,
    };
    struct json_out out = json_out_to(messages);
    size_t count = 0;
    json_open(&out, '[');
    bool good = outbox_collect(&session->outbox, &ctx, poll->instance, &poll->candidates, &sessions->numbers,
                               clock_monotonic_ms(), &out, &count, err);
    json_close(&out, ']');
    *next_due_ms = session->outbox.next_due_ms;
    lock_drop(&session->telling);
    poll->candidates.count = 0;
    if (!store_read_end(ctx.txn)) {
        *err = (struct err){ 0 };
        good = err_set(err, ERR_SERVER, "The store can't be read.");
    }
    if (!good) { return OUTCOME_FAILED; }
    return count > 0 ? OUTCOME_NEWS : OUTCOME_NOTHING;
}

enum wait { WAIT_LOOK, WAIT_PRESENCE, WAIT_OVER, WAIT_INACTIVE, WAIT_STOPPING, WAIT_CROWDED };

/* Sleeps until there may be news, and says what to do next. */
static enum wait wait_for_news(struct poll *poll, int64_t next_due_ms)
{
    struct sessions *sessions = poll->sessions;
    struct session *session = poll->session;
    enum wait result = WAIT_LOOK;
    lock_take(&sessions->lock);
    for (bool slept = false;;) {
        int64_t now_ms = clock_monotonic_ms();
        if (sessions->stopping) { result = WAIT_STOPPING; break; }
        if (session->closed) { result = WAIT_INACTIVE; break; }
        if (session->serial != poll->serial) { result = WAIT_OVER; break; }
        if (!session->present) { result = WAIT_PRESENCE; break; }
        if (session->dirty || now_ms >= next_due_ms) { break; }
        if (now_ms >= poll->until_ms) { result = WAIT_OVER; break; }
        if (!slept && sessions->waiting >= sessions->config.waiting_max) { result = WAIT_CROWDED; break; }
        slept = true;
        sessions->waiting++;
        (void)lock_wait_until(&session->news, &sessions->lock, min_i64(poll->until_ms, next_due_ms));
        sessions->waiting--;
    }
    if (result == WAIT_LOOK) { session->dirty = false; }     /* a poll that was replaced leaves the news to its successor */
    lock_drop(&sessions->lock);
    return result;
}

static bool poll_until_news(struct poll *poll, struct buf *messages, bool *news, struct err *err)
{
    int64_t next_due_ms = INT64_MIN;
    for (;;) {
        switch (wait_for_news(poll, next_due_ms)) {
        case WAIT_PRESENCE:
            if (!tell_presence(poll, err)) { return false; }
            break;
        case WAIT_LOOK:
            arena_reset(&poll->scratch);
            *messages = buf_in(&poll->scratch);
            switch (look(poll, messages, &next_due_ms, err)) {
            case OUTCOME_NEWS:    *news = true; return true;
            case OUTCOME_FAILED:  return false;
            case OUTCOME_NOTHING: break;
            }
            break;
        case WAIT_OVER:     return true;
        case WAIT_INACTIVE: return inactive(err);
        case WAIT_STOPPING: return err_set(err, ERR_UNAVAILABLE, "The server is stopping.");
        case WAIT_CROWDED:
            return err_set(err, ERR_UNAVAILABLE, "Too many agents wait at once: give the server more --threads.");
        }
    }
}

static void print_answer(struct poll *poll, bool news, const struct buf *messages, struct buf *out)
{
    struct json_out json = json_out_to(out);
    json_open(&json, '{');
    json_key(&json, STR("session"));
    json_str(&json, str_from(poll->name));
    json_key(&json, STR("messages"));
    if (news) {
        json_raw(&json, buf_str(messages));
    } else {
        json_open(&json, '[');
        outbox_print_heartbeat(&poll->sessions->numbers, clock_now_ms(), poll->arena, &json);
        json_close(&json, ']');
    }
    json_close(&json, '}');
}

bool sessions_poll(struct sessions *sessions, const struct poll_request *request, const struct caller *caller, struct arena *arena,
                   struct buf *out, struct err *err)
{
    int64_t wait_s = request->wait_seconds.set ? min_i64(request->wait_seconds.value, WAIT_MAX_S) : WAIT_MAX_S;
    struct poll poll = {
        .sessions = sessions, .request = request, .caller = caller, .arena = arena, .candidates = request->stop_candidates,
        .until_ms = clock_monotonic_ms() + wait_s * 1000,
    };
    if (!hold_session(&poll, err)) { return false; }
    arena_init(&poll.scratch, SCRATCH_CEILING);
    struct buf messages = buf_in(arena);
    bool news = false;
    bool good = join_session(&poll, err) && poll_until_news(&poll, &messages, &news, err);
    release_session(&poll);
    if (good) { print_answer(&poll, news, &messages, out); }
    arena_finish(&poll.scratch);
    return good;
}

/* ---- effects, and those who went away ---- */

static void wake(struct session *session)
{
    session->dirty = true;
    if (session->open) { lock_wake_all(&session->news); }
}

void sessions_apply(struct sessions *sessions, const struct effect_list *effects)
{
    lock_take(&sessions->lock);
    for (size_t e = 0; e < effects->count; e++) {
        struct session *session = find_session(sessions, effects->items[e].instance);
        if (session == NULL) { continue; }
        switch (effects->items[e].kind) {
        case EFFECT_WAKE_INSTANCE:  wake(session); break;
        case EFFECT_CLOSE_INSTANCE: drop_session(sessions, session); break;
        }
    }
    lock_drop(&sessions->lock);
}

size_t sessions_lost(struct sessions *sessions, int64_t monotonic_ms, struct id *ids, size_t limit)
{
    size_t count = 0;
    lock_take(&sessions->lock);
    for (size_t b = 0; b < BUCKETS && count < limit; b++) {
        for (struct session *session = sessions->buckets[b]; session != NULL && count < limit; session = session->next) {
            if (session->open || monotonic_ms - session->heard_ms <= LOST_AFTER_MS) { continue; }
            session->lost = true;
            ids[count++] = session->instance;
        }
    }
    lock_drop(&sessions->lock);
    return count;
}

/* When the agent has come back while its absence was being written down, its presence is written down again. */
void sessions_forget(struct sessions *sessions, struct id id)
{
    lock_take(&sessions->lock);
    struct session *session = find_session(sessions, id);
    if (session != NULL && session->lost) {
        session->lost = false;
        bool back = session->holders > 0 || clock_monotonic_ms() - session->heard_ms <= LOST_AFTER_MS;
        if (back) {
            session->present = false;
            wake(session);
        } else {
            drop_session(sessions, session);
        }
    }
    lock_drop(&sessions->lock);
}

/* ---- life ---- */

static void expect_back(void *context, const struct instance *instance)
{
    struct sessions *sessions = context;
    if (instance->agent_connected != OPT_TRUE) { return; }
    add_session(sessions, instance->id, clock_monotonic_ms() + GRACE_MS - LOST_AFTER_MS);
}

struct sessions *sessions_create(const struct sessions_config *config, struct err *err)
{
    struct sessions *sessions = calloc(1, sizeof *sessions);
    ASSERT(sessions != NULL);
    sessions->config = *config;
    lock_init(&sessions->lock);
    struct store_txn *txn = store_read_begin(config->store);
    store_scan_instances(txn, expect_back, sessions);
    if (store_read_end(txn)) { return sessions; }
    err_set(err, ERR_SERVER, "The instances can't be read from the store.");
    sessions_destroy(sessions);
    return NULL;
}

void sessions_stop(struct sessions *sessions)
{
    lock_take(&sessions->lock);
    sessions->stopping = true;
    for (size_t b = 0; b < BUCKETS; b++) {
        for (struct session *session = sessions->buckets[b]; session != NULL; session = session->next) {
            lock_wake_all(&session->news);
        }
    }
    lock_drop(&sessions->lock);
}

void sessions_destroy(struct sessions *sessions)
{
    if (sessions == NULL) { return; }
    for (size_t b = 0; b < BUCKETS; b++) {
        while (sessions->buckets[b] != NULL) {
            struct session *session = sessions->buckets[b];
            ASSERT(session->holders == 0);
            sessions->buckets[b] = session->next;
            free_session(session);
        }
    }
    lock_finish(&sessions->lock);
    free(sessions);
}

struct sessions_counts sessions_count(struct sessions *sessions)
{
    lock_take(&sessions->lock);
    struct sessions_counts counts = { sessions->count, sessions->waiting };
    lock_drop(&sessions->lock);
    return counts;
}
