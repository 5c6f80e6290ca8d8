/* sessions.c: two locks. `lock` guards the table, the list of visits with news, and all of a session but its outbox; the session's `telling` guards that,
 * and is held while the store is read. Order: telling before lock. A closed session leaves the table at once, and the last visit or job that holds it
 * frees it. */
#include "server/sessions/sessions_internal.h"

#include <stdlib.h>

#include "api/core/binding.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"

enum {
    AGAIN_MS = 30 * 1000,                    /* a visit that stays may take that long to acknowledge */
    GRACE_MS = 60 * 1000,                    /* LOST_AFTER_MS, after a start of the server */
    TAKEOVERS_MAX = 5, TAKEOVERS_WINDOW_MS = 10 * 1000,   /* two agents with one identity take turns: slowly */
    PRESENCE_CEILING = 1024 * 1024,
};

/* ---- the table ---- */

struct session *session_find(const struct sessions *sessions, struct id id) { return id_map_find(&sessions->by_instance, id); }

struct session *session_at(const struct sessions *sessions, size_t seat) { return sessions->by_instance.seats[seat].thing; }

static struct session *add_session(struct sessions *sessions, struct id id, int64_t heard_ms)
{
    ASSERT(session_find(sessions, id) == NULL);
    struct session *session = calloc(1, sizeof *session);
    ASSERT(session != NULL);
    session->instance = id;
    session->heard_ms = heard_ms;
    lock_signal_init(&session->news);
    lock_init(&session->telling);
    outbox_reset(&session->outbox, 0);
    id_map_add(&sessions->by_instance, id, session);
    sessions->count++;
    return session;
}

static void free_session(struct session *session)
{
    ASSERT(session->holders == 0 && session->visits == NULL);
    outbox_finish(&session->outbox);
    lock_finish(&session->telling);
    lock_signal_finish(&session->news);
    free(session);
}

/* Wakes all visits of the session: those that block, and the announced ones. */
static void announce(struct sessions *sessions, struct session *session)
{
    bool first = sessions->ready == NULL;
    lock_wake_all(&session->news);
    for (struct visit *visit = session->visits; visit != NULL; visit = visit->next) {
        ASSERT(visit->announced && visit->session == session);
        if (visit->ready) { continue; }
        visit->ready = true;
        visit->next_ready = NULL;
        *sessions->ready_last = visit;
        sessions->ready_last = &visit->next_ready;
    }
    if (first && sessions->ready != NULL) { sessions->config.announced(sessions->config.context); }
}

void session_drop(struct sessions *sessions, struct session *session)
{
    ASSERT(!session->closed && sessions->count > 0);
    id_map_remove(&sessions->by_instance, session->instance);
    sessions->count--;
    session->closed = true;
    announce(sessions, session);
    if (session->holders == 0) { free_session(session); }
}

/* ---- a visit begins ---- */

static bool unavailable(const struct sessions *sessions, struct err *err)
{
    return err_set(err, ERR_UNAVAILABLE, sessions->stopping ? "The server is stopping." : "This server does not lead. Ask where to poll.");
}

/* The lock is held. */
static bool may_answer(const struct sessions *sessions)
{
    return !sessions->stopping && !sessions->paused && (sessions->config.leads == NULL || sessions->config.leads(sessions->config.context));
}

static bool inactive(struct err *err)
{
    return err_set(err, ERR_INVALID_PARAMETER, "InactiveInstanceException: The container instance is not registered.");
}

static bool is_registered(struct visit *visit, struct arena *arena, struct err *err)
{
    struct store_txn *txn = store_read_begin(visit->sessions->config.store);
    const struct instance *instance = store_instance(txn, visit->instance, arena);
    bool registered = instance != NULL && instance->status != INSTANCE_INACTIVE;
    if (!store_read_end(txn)) { return err_set(err, ERR_SERVER, "The store can't be read."); }
    return registered || inactive(err);
}

/* Finds or makes the session and holds it. The store is asked first, so that only registered machines take memory. */
static bool hold_session(struct visit *visit, const struct visit_wish *wish, struct arena *arena, struct err *err)
{
    struct sessions *sessions = visit->sessions;
    struct str cluster;
    const struct names *names = &sessions->config.api->names;
    bool read = names_read_cluster(names, wish->cluster, &cluster, err)
        && names_read_id(names, wish->container_instance, STR("container-instance"), cluster, &visit->instance, err);
    const struct sessions_config *config = &sessions->config;
    if (!read || !binding_check_stored(config->store, config->api, wish->caller, visit->instance, arena, err)) { return false; }

    lock_take(&sessions->lock);
    if (sessions->paused) {
        lock_drop(&sessions->lock);
        return unavailable(sessions, err);
    }
    struct session *session = session_find(sessions, visit->instance);
    if (session == NULL) {
        lock_drop(&sessions->lock);
        if (!is_registered(visit, arena, err)) { return false; }
        lock_take(&sessions->lock);
        session = session_find(sessions, visit->instance);
        if (session == NULL && sessions->paused) {
            lock_drop(&sessions->lock);
            return unavailable(sessions, err);
        }
        if (session == NULL) { session = add_session(sessions, visit->instance, clock_monotonic_ms()); }
    }
    session->holders++;
    visit->session = session;
    lock_drop(&sessions->lock);
    return true;
}

static void drop_visit(struct visit *visit)
{
    struct sessions *sessions = visit->sessions;
    if (visit->announced) {
        ASSERT(sessions->waiting > 0);
        sessions->waiting--;
        struct visit **at = &visit->session->visits;
        while (*at != visit) { at = &(*at)->next; }
        *at = visit->next;
    }
    if (visit->ready) {
        struct visit **at = &sessions->ready;
        while (*at != visit) { at = &(*at)->next_ready; }
        *at = visit->next_ready;
        if (sessions->ready_last == &visit->next_ready) { sessions->ready_last = at; }
    }
}

void visit_end(struct visit *visit)
{
    struct session *session = visit->session;
    ASSERT(session != NULL);
    lock_take(&visit->sessions->lock);
    ASSERT(session->holders > 0 && visit->serial <= session->serial);
    drop_visit(visit);
    session->heard_ms = max_i64(session->heard_ms, clock_monotonic_ms());
    if (session->serial == visit->serial) { session->open = false; }
    session->holders--;
    bool last = session->closed && session->holders == 0;
    lock_drop(&visit->sessions->lock);
    if (last) { free_session(session); }
    visit->session = NULL;
}

static bool take_over(struct session *session, int64_t now_ms, struct err *err)
{
    if (now_ms - session->window_ms > TAKEOVERS_WINDOW_MS) {
        session->window_ms = now_ms;
        session->takeovers = 0;
    }
    if (session->takeovers >= TAKEOVERS_MAX) {
        return err_set(err, ERR_THROTTLING, "Rate exceeded: this container instance connects again too often. Is another agent "
                       "running with its identity?");
    }
    session->takeovers++;
    return true;
}

/* The longer one of the agent's lease and of the lease that it will get: until the answer arrives, it may use either. */
static int64_t lease_of(const struct sessions *sessions, const struct visit_wish *wish)
{
    return !wish->lease_s.set ? 0 : max_i64(wish->lease_s.value * 1000, sessions->config.lease_ms);
}

static void begin_anew(struct session *session, const struct visit_wish *wish)
{
    char name[ID_HEX_LEN + 1];
    struct id id;
    rng_secret(id.bytes, sizeof id.bytes);
    id_hex(id, name);
    memcpy(session->name, name, sizeof session->name);
    outbox_reset(&session->outbox, wish->stays ? AGAIN_MS : 0);
    outbox_take_checks(&session->outbox, wish->checks);
    if (wish->send_credentials) { outbox_forget_roles(&session->outbox); }
    if (session->presence != PRESENCE_TELLING) { session->presence = PRESENCE_UNTOLD; }
}

/* A visit that names the session goes on in it; any other begins a new one and replaces the earlier one. */
static bool join_session(struct visit *visit, const struct visit_wish *wish, struct err *err)
{
    struct sessions *sessions = visit->sessions;
    struct session *session = visit->session;
    int64_t now_ms = clock_monotonic_ms();
    bool good = true;
    lock_take(&session->telling);
    lock_take(&sessions->lock);
    bool known = session->name[0] != '\0' && str_eq(wish->session, str_from(session->name));
    if (!known && (good = take_over(session, now_ms, err))) { begin_anew(session, wish); }
    for (size_t a = 0; good && known && a < wish->acks.count; a++) { outbox_ack(&session->outbox, wish->acks.items[a]); }
    if (good) {
        ASSERT(session->holders > 0 && session->name[0] != '\0');
        visit->serial = ++session->serial;
        session->open = session->dirty = true;
        session->polls = !wish->stays;
        session->heard_ms = now_ms;
        session->absent = false;
        if (session->lease_ms != lease_of(sessions, wish)) {
            session->lease_ms = lease_of(sessions, wish);
            if (session->presence != PRESENCE_TELLING) { session->presence = PRESENCE_UNTOLD; }
        }
        memcpy(visit->name, session->name, sizeof visit->name);
        announce(sessions, session);         /* an older visit is ended at once */
        if (wish->announced) {
            visit->announced = true;
            visit->next = session->visits;
            session->visits = visit;
            sessions->waiting++;
        }
    }
    lock_drop(&sessions->lock);
    lock_drop(&session->telling);
    return good;
}

bool visit_begin(struct sessions *sessions, struct visit *visit, const struct visit_wish *wish, struct arena *arena, struct err *err)
{
    *visit = (struct visit){ .sessions = sessions, .owner = wish->owner, .lease_ms = sessions->config.lease_ms, .logs_endpoint = wish->logs_endpoint };
    if (!wish->stays && !protocol_check_agent(wish->protocol, STR(""), err)) { return false; }
    if (!hold_session(visit, wish, arena, err)) { return false; }
    if (join_session(visit, wish, err)) { return true; }
    visit_end(visit);
    return false;
}

/* ---- presence ---- */

static const struct caller presence_caller = { .access_key = STR_INIT(""), .user = STR_INIT("berth"), .role = ACCESS_AGENT };

struct presence_job { struct job job; struct api_call call; struct arena arena; struct sessions *sessions; struct session *session; int64_t lease_ms; };

static void free_presence(struct presence_job *told)
{
    arena_finish(&told->arena);
    free(told);
}

static void set_presence(struct presence_job *told, bool good, enum err_code code)
{
    struct sessions *sessions = told->sessions;
    struct session *session = told->session;
    lock_take(&sessions->lock);
    ASSERT(session->holders > 0);                            /* this job's is among them */
    bool stale = told->lease_ms != session->lease_ms;        /* it has changed meanwhile */
    if (session->presence == PRESENCE_TELLING) { session->presence = !good ? PRESENCE_FAILED : stale ? PRESENCE_UNTOLD : PRESENCE_TOLD; }
    session->presence_err = code;
    announce(sessions, session);
    session->holders--;
    bool last = session->closed && session->holders == 0;
    lock_drop(&sessions->lock);
    if (last) { free_session(session); }
}

/* On the writer's thread. */
static void presence_told(struct job *job)
{
    struct presence_job *told = (struct presence_job *)job;
    if (job->ok) {
        char hex[ID_HEX_LEN + 1];
        id_hex(told->session->instance, hex);
        log_line(LOG_INFO, "sessions", "agent connected: instance=%s", hex);
    }
    set_presence(told, job->ok, job->err.code);
    free_presence(told);
}

/* The session's presence is TELLING, so that a loss that is reported meanwhile is not overlooked. */
static void tell_presence(struct visit *visit)
{
    struct presence_job *told = calloc(1, sizeof *told);
    ASSERT(told != NULL);
    arena_init(&told->arena, PRESENCE_CEILING);
    told->sessions = visit->sessions;
    told->session = visit->session;
    lock_take(&visit->sessions->lock);
    told->lease_ms = visit->session->lease_ms;
    lock_drop(&visit->sessions->lock);
    const struct agent_presence presence = { visit->instance, told->lease_ms };
    api_prepare_presence(&presence, &told->arena, &told->call);
    told->job = (struct job){ .call = &told->call, .arena = &told->arena, .caller = presence_caller, .done = presence_told };
    struct err err = { 0 };
    if (writer_submit(visit->sessions->config.writer, &told->job, &err)) { return; }
    set_presence(told, false, err.code);
    free_presence(told);
}

static bool presence_failed(enum err_code code, struct err *err)
{
    return err_set(err, code, code == ERR_THROTTLING ? "Rate exceeded" : "The agent's presence can't be written down.");
}

/* ---- looking and waiting ---- */

static bool is_newest(struct visit *visit)
{
    lock_take(&visit->sessions->lock);
    bool newest = visit->session->serial == visit->serial;
    lock_drop(&visit->sessions->lock);
    return newest;
}

static bool take_pulls_news(struct visit *visit)
{
    lock_take(&visit->sessions->lock);
    bool news = visit->session->pulls_news;
    visit->session->pulls_news = false;
    lock_drop(&visit->sessions->lock);
    return news;
}

/* Collects the messages that are due. The texts live in the arena; nothing is sent while the transaction is open. */
static bool look(struct visit *visit, const struct str_list *candidates, struct arena *arena, struct str_list *messages,
                 int64_t *next_due_ms, struct err *err)
{
    struct sessions *sessions = visit->sessions;
    struct session *session = visit->session;
    lock_take(&session->telling);
    if (!is_newest(visit)) {
        lock_drop(&session->telling);
        return true;
    }
    if (take_pulls_news(visit)) { outbox_forget_pulls(&session->outbox); }
    struct api_config config = *sessions->config.api;
    config.logs_endpoint = visit->logs_endpoint;
    struct op_ctx ctx = { .config = &config, .arena = arena, .now_ms = clock_now_ms(), .caller = presence_caller };
    ctx.txn = store_read_begin(sessions->config.store);
    bool good = outbox_collect(&session->outbox, &ctx, visit->instance, candidates, &sessions->numbers, clock_monotonic_ms(), messages, err);
    *next_due_ms = session->outbox.next_due_ms;
    bool offers = good && sessions->config.offer != NULL && session->polls;
    lock_drop(&session->telling);
    if (offers) { sessions->config.offer(sessions->config.context, visit->instance, messages, arena); }
    if (store_read_end(ctx.txn)) { return good; }
    *err = (struct err){ 0 };
    return err_set(err, ERR_SERVER, "The store can't be read.");
}

enum next { NEXT_WAIT, NEXT_LOOK, NEXT_TELL, NEXT_REPLACED, NEXT_FAILED };

/* The next thing to do. The lock is held. */
static enum next find_next(struct visit *visit, bool asked, bool due, struct err *err)
{
    struct session *session = visit->session;
    if (session->left || !may_answer(visit->sessions)) {
        (void)unavailable(visit->sessions, err);
        return NEXT_FAILED;
    }
    if (session->closed) {
        (void)inactive(err);
        return NEXT_FAILED;
    }
    if (session->serial != visit->serial) { return NEXT_REPLACED; }          /* the newer visit gets the news */
    if (asked) { return NEXT_LOOK; }                                         /* the agent asks once */
    switch (session->presence) {
    case PRESENCE_UNTOLD:
        session->presence = PRESENCE_TELLING;
        session->holders++;
        return NEXT_TELL;
    case PRESENCE_TELLING: return NEXT_WAIT;
    case PRESENCE_FAILED:
        session->presence = PRESENCE_UNTOLD;
        (void)presence_failed(session->presence_err, err);
        return NEXT_FAILED;
    case PRESENCE_TOLD: break;
    }
    if (!session->dirty && !due) { return NEXT_WAIT; }
    session->dirty = false;
    return NEXT_LOOK;
}

enum visit_state visit_step(struct visit *visit, const struct str_list *candidates, struct arena *arena, struct str_list *messages,
                            int64_t *next_due_ms, struct err *err)
{
    ASSERT(visit->session != NULL);
    *messages = (struct str_list){ 0 };
    for (;;) {
        lock_take(&visit->sessions->lock);
        bool due = clock_monotonic_ms() >= *next_due_ms;
        enum next next = find_next(visit, candidates->count > 0, due, err);
        lock_drop(&visit->sessions->lock);
        switch (next) {
        case NEXT_WAIT:     return VISIT_WAITS;
        case NEXT_REPLACED: return VISIT_REPLACED;
        case NEXT_FAILED:   return VISIT_FAILED;
        case NEXT_TELL:     tell_presence(visit); break;
        case NEXT_LOOK:
            *next_due_ms = INT64_MAX;
            if (!look(visit, candidates, arena, messages, next_due_ms, err)) { return VISIT_FAILED; }
            if (messages->count > 0) { return VISIT_NEWS; }
            break;
        }
    }
}

void visit_heard(struct visit *visit)
{
    lock_take(&visit->sessions->lock);
    visit->session->heard_ms = clock_monotonic_ms();
    lock_drop(&visit->sessions->lock);
}

void visit_ack(struct visit *visit, struct str message_id)
{
    lock_take(&visit->session->telling);
    if (is_newest(visit)) { outbox_ack(&visit->session->outbox, message_id); }
    lock_drop(&visit->session->telling);
}

void visit_ack_role(struct visit *visit, struct str message_id)
{
    lock_take(&visit->session->telling);
    if (is_newest(visit)) { outbox_ack_role(&visit->session->outbox, message_id); }
    lock_drop(&visit->session->telling);
}

struct str visit_heartbeat(struct visit *visit, struct arena *arena)
{
    return outbox_heartbeat(&visit->sessions->numbers, clock_now_ms(), arena);
}

struct visit *sessions_next_ready(struct sessions *sessions)
{
    lock_take(&sessions->lock);
    struct visit *visit = sessions->ready;
    if (visit != NULL) {
        ASSERT(visit->ready && visit->announced && visit->session != NULL);
        visit->ready = false;
        sessions->ready = visit->next_ready;
        if (sessions->ready == NULL) { sessions->ready_last = &sessions->ready; }
    }
    lock_drop(&sessions->lock);
    return visit;
}

static bool has_news(const struct visit *visit)
{
    const struct session *session = visit->session;
    if (visit->sessions->stopping || visit->sessions->paused || session->closed || session->serial != visit->serial) { return true; }
    if (session->presence == PRESENCE_TELLING) { return false; }
    return session->dirty || session->presence != PRESENCE_TOLD;
}

bool visit_sleep(struct visit *visit, int64_t until_ms, struct err *err)
{
    struct sessions *sessions = visit->sessions;
    struct session *session = visit->session;
    ASSERT(session != NULL && !visit->announced);
    lock_take(&sessions->lock);
    bool room = session->presence == PRESENCE_TELLING || sessions->blocked < sessions->config.waiting_max;
    if (session->presence == PRESENCE_TELLING) { until_ms = clock_monotonic_ms() + POLL_WAIT_MAX_S * 1000; }     /* the writer always answers */
    if (room && !has_news(visit)) {
        sessions->blocked++;
        sessions->waiting++;
        (void)lock_wait_until(&session->news, &sessions->lock, until_ms);
        sessions->waiting--;
        sessions->blocked--;
    }
    lock_drop(&sessions->lock);
    return room || err_set(err, ERR_UNAVAILABLE, "Too many agents wait at once: give the server more --threads.");
}

/* ---- effects ---- */

void session_wake(struct sessions *sessions, struct session *session)
{
    session->dirty = true;
    if (session->open) { announce(sessions, session); }
}

static void apply(struct sessions *sessions, const struct effect *effect)
{
    struct session *session = session_find(sessions, effect->instance);
    if (session == NULL) { return; }
    session->pulls_news |= effect->kind == EFFECT_PULLS_INSTANCE;
    switch (effect->kind) {
    case EFFECT_PULLS_INSTANCE:
    case EFFECT_WAKE_INSTANCE:  session_wake(sessions, session); break;
    case EFFECT_CLOSE_INSTANCE: session_drop(sessions, session); break;
    }
}

/* The sessions of a batch lie all over memory: what comes is fetched while those before it are applied. */
void sessions_apply(struct sessions *sessions, const struct effect_list *effects)
{
    lock_take(&sessions->lock);
    for (size_t e = 0; e < effects->count + 2 * AHEAD; e++) {
        if (e < effects->count) { id_map_fetch(&sessions->by_instance, effects->items[e].instance); }
        if (e >= AHEAD && e - AHEAD < effects->count) { id_map_fetch_thing(&sessions->by_instance, effects->items[e - AHEAD].instance); }
        if (e >= 2 * AHEAD) { apply(sessions, &effects->items[e - 2 * AHEAD]); }
    }
    lock_drop(&sessions->lock);
}

void sessions_wake(struct sessions *sessions, struct id id)
{
    lock_take(&sessions->lock);
    struct session *session = session_find(sessions, id);
    if (session != NULL) { session_wake(sessions, session); }
    lock_drop(&sessions->lock);
}

void sessions_wake_all(struct sessions *sessions)
{
    bool more = true;
    for (size_t s = 0; more;) {
        lock_take(&sessions->lock);
        for (size_t end = s + PIECE; s < end && s < sessions->by_instance.seat_count; s++) {
            if (session_at(sessions, s) != NULL) { session_wake(sessions, session_at(sessions, s)); }
        }
        more = s < sessions->by_instance.seat_count;
        lock_drop(&sessions->lock);
    }
}

bool sessions_polls(struct sessions *sessions, struct id id)
{
    lock_take(&sessions->lock);
    const struct session *session = session_find(sessions, id);
    bool polls = session != NULL && session->polls && session->presence == PRESENCE_TOLD;
    lock_drop(&sessions->lock);
    return polls;
}

/* ---- life ---- */

static void expect_back(void *context, const struct instance *instance)
{
    struct sessions *sessions = context;
    bool absent = instance->agent_connected != OPT_TRUE;
    if (absent && (instance->lease_ms == 0 || instance->status == INSTANCE_INACTIVE)) { return; }
    int64_t heard_ms = clock_monotonic_ms() + (absent ? 0 : GRACE_MS - LOST_AFTER_MS);
    struct session *session = add_session(sessions, instance->id, heard_ms);
    session->absent = absent;
    session->lease_ms = instance->lease_ms;
}

static bool read_instances(struct sessions *sessions, struct err *err)
{
    struct store_txn *txn = store_read_begin(sessions->config.store);
    store_scan_instances(txn, expect_back, sessions);
    return store_read_end(txn) || err_set(err, ERR_SERVER, "The instances can't be read from the store.");
}

struct sessions *sessions_create(const struct sessions_config *config, struct err *err)
{
    struct sessions *sessions = calloc(1, sizeof *sessions);
    ASSERT(sessions != NULL);
    ASSERT(config->store != NULL && config->writer != NULL && config->api != NULL && config->announced != NULL);
    sessions->config = *config;
    sessions->ready_last = &sessions->ready;
    lock_init(&sessions->lock);
    sessions->paused = config->leads != NULL;
    if (sessions->paused || read_instances(sessions, err)) { return sessions; }
    sessions_destroy(sessions);
    return NULL;
}

void sessions_pause(struct sessions *sessions)
{
    lock_take(&sessions->lock);
    sessions->paused = true;
    for (size_t s = 0; s < sessions->by_instance.seat_count; s++) {
        struct session *session = session_at(sessions, s);
        if (session == NULL) { continue; }
        session->left = true;
        session_drop(sessions, session);
    }
    lock_drop(&sessions->lock);
}

bool sessions_resume(struct sessions *sessions, struct err *err)
{
    lock_take(&sessions->lock);
    ASSERT(sessions->paused && sessions->count == 0);
    bool good = read_instances(sessions, err);
    sessions->paused = !good;
    lock_drop(&sessions->lock);
    return good;
}

void sessions_stop(struct sessions *sessions)
{
    lock_take(&sessions->lock);
    sessions->stopping = true;
    for (size_t s = 0; s < sessions->by_instance.seat_count; s++) {
        if (session_at(sessions, s) != NULL) { announce(sessions, session_at(sessions, s)); }
    }
    lock_drop(&sessions->lock);
}

void sessions_destroy(struct sessions *sessions)
{
    if (sessions == NULL) { return; }
    for (size_t s = 0; s < sessions->by_instance.seat_count; s++) {
        if (session_at(sessions, s) == NULL) { continue; }
        ASSERT(session_at(sessions, s)->holders == 0);
        free_session(session_at(sessions, s));
    }
    ASSERT(sessions->ready == NULL && sessions->waiting == 0);
    id_map_finish(&sessions->by_instance);
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
