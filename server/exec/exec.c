/* exec.c: one lock and one signal for all sessions, of which there are few. Each thread that waits looks again when anything has changed. Time limits
 * are looked at in the same place, so they need no separate thread. */
#include "server/exec/exec.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/num.h"

enum { MESSAGE_ARENA = 1024 * 1024, REASON_SIZE = 1025, LOOK_MS = 1000 };

struct pipe {
    char *bytes;                             /* room for EXEC_PIPE_MAX; those that were not read yet */
    int64_t start, end;                      /* offsets of the bytes that it holds, counted from the first byte ever */
    bool ended;                              /* no more will come */
};

struct exec_session {
    struct exec_session *next;
    char name[ID_HEX_LEN + 1];
    struct id instance;
    char *message;                           /* for the agent, as JSON; NULL once it was offered */
    struct pipe pipes[EXEC_SIDE_COUNT];      /* by the side that writes it */
    int64_t heard_ms[EXEC_SIDE_COUNT], moved_ms;     /* monotonic */
    bool taken, over;                        /* by the agent; the agent has nothing more to do */
    bool known;                              /* the starter knows the end */
    int64_t rows, cols;
    struct opt_int exit_code;
    char reason[REASON_SIZE];
};

struct exec {
    struct exec_config config;
    struct lock lock;
    struct lock_signal changed;
    void (*watcher)(void *context); void *watcher_context;       /* set once, before the first call */
    struct exec_session *all;                /* from here on: guarded by lock */
    size_t count;
    bool stopping;
};

/* ---- pipes ---- */

/* Takes the bytes that are new and fit. False: `offset` is beyond the end, so that bytes are missing. */
static bool pipe_write(struct pipe *pipe, int64_t offset, struct str bytes)
{
    if (offset > pipe->end) { return false; }
    struct str fresh = str_slice(bytes, (size_t)min_i64(pipe->end - offset, (int64_t)bytes.len), bytes.len);
    fresh = str_slice(fresh, 0, (size_t)(EXEC_PIPE_MAX - (pipe->end - pipe->start)));
    if (fresh.len == 0) { return true; }
    memcpy(pipe->bytes + (pipe->end - pipe->start), fresh.ptr, fresh.len);
    pipe->end += (int64_t)fresh.len;
    ASSERT(pipe->start <= pipe->end && pipe->end - pipe->start <= EXEC_PIPE_MAX);
    return true;
}

/* Drops the bytes before `from`: the reader has them. */
static void pipe_forget(struct pipe *pipe, int64_t from)
{
    from = min_i64(from, pipe->end);
    if (from <= pipe->start) { return; }
    memmove(pipe->bytes, pipe->bytes + (from - pipe->start), (size_t)(pipe->end - from));
    pipe->start = from;
    ASSERT(pipe->start <= pipe->end);
}

/* ---- sessions ---- */

static void say_changed(struct exec *exec) REQUIRES(exec->lock)
{
    lock_wake_all(&exec->changed);
    if (exec->watcher != NULL) { exec->watcher(exec->watcher_context); }
}

static struct exec_session *find(struct exec *exec, struct str name) REQUIRES(exec->lock)
{
    struct exec_session *session = exec->all;
    while (session != NULL && !str_eq(str_from(session->name), name)) { session = session->next; }
    return session;
}

static void free_session(struct exec_session *session)
{
    for (size_t p = 0; p < EXEC_SIDE_COUNT; p++) { free(session->pipes[p].bytes); }
    free(session->message);
    free(session);
}

static void end_session(struct exec *exec, struct exec_session *session, const char *reason) REQUIRES(exec->lock)
{
    if (session->over) { return; }
    ASSERT(strlen(reason) < REASON_SIZE);
    session->over = true;
    session->pipes[EXEC_AGENT].ended = true;
    if (session->reason[0] == '\0') { memcpy(session->reason, reason, strlen(reason) + 1); }
    say_changed(exec);
}

/* Why a session ends without a call; NULL: it goes on. */
static const char *why_over(const struct exec *exec, const struct exec_session *session, int64_t now_ms) REQUIRES(exec->lock)
{
    int64_t agent_ms = now_ms - session->heard_ms[EXEC_AGENT];
    if (exec->stopping) { return "The server is stopping."; }
    if (!session->taken && agent_ms > exec->config.take_ms) { return "The machine's agent did not begin the command: it is not there, or too old for it."; }
    if (session->taken && agent_ms > exec->config.gone_ms) { return "The machine's agent is gone."; }
    if (now_ms - session->heard_ms[EXEC_STARTER] > exec->config.gone_ms) { return "The client that started the command is gone."; }
    return now_ms - session->moved_ms > exec->config.idle_ms ? "Nothing was typed or printed for too long." : NULL;
}

/* Ends sessions whose time is over, and frees those that no client will ask for again. */
static void look_at_all(struct exec *exec) REQUIRES(exec->lock)
{
    int64_t now_ms = clock_monotonic_ms();
    for (struct exec_session **at = &exec->all; *at != NULL;) {
        struct exec_session *session = *at;
        const char *why = why_over(exec, session, now_ms);
        if (why != NULL) { end_session(exec, session, why); }
        bool unasked = session->known || now_ms - session->heard_ms[EXEC_STARTER] > exec->config.gone_ms;
        if (!session->over || !unasked) {
            at = &session->next;
            continue;
        }
        *at = session->next;
        ASSERT(exec->count > 0);
        exec->count--;
        free_session(session);
    }
}

static char *make_message(const struct wire_exec *message, const char *name)
{
    struct arena arena;
    arena_init(&arena, MESSAGE_ARENA);
    struct wire_exec whole = *message;
    whole.session = str_from(name);
    whole.message_id = arena_printf(&arena, "x%s", name);
    struct buf text = buf_in(&arena);
    struct json_out out = json_out_to(&text);
    wire_print(STR("BerthExecMessage"), &wire_exec_schema, &whole, &out);
    char *copy = strndup(text.ptr, text.len);
    ASSERT(copy != NULL);
    arena_finish(&arena);
    return copy;
}

bool exec_start(struct exec *exec, struct id instance, const struct wire_exec *message, char name[ID_HEX_LEN + 1], struct err *err)
{
    struct exec_session *session = calloc(1, sizeof *session);
    ASSERT(session != NULL);
    struct id id;
    rng_secret(id.bytes, sizeof id.bytes);
    id_hex(id, session->name);
    memcpy(name, session->name, sizeof session->name);
    session->instance = instance;
    session->rows = message->rows.value;
    session->cols = message->cols.value;
    session->message = make_message(message, session->name);
    session->heard_ms[EXEC_STARTER] = session->heard_ms[EXEC_AGENT] = session->moved_ms = clock_monotonic_ms();
    for (size_t p = 0; p < EXEC_SIDE_COUNT; p++) {
        session->pipes[p].bytes = malloc(EXEC_PIPE_MAX);
        ASSERT(session->pipes[p].bytes != NULL);
    }
    ASSERT(strlen(session->name) == ID_HEX_LEN);
    lock_take(&exec->lock);
    look_at_all(exec);
    bool room = exec->count < exec->config.sessions_max && !exec->stopping;
    if (room) {
        session->next = exec->all;
        exec->all = session;
        exec->count++;
    }
    lock_drop(&exec->lock);
    if (room) { return true; }
    free_session(session);
    return err_set(err, ERR_LIMIT_EXCEEDED, "%zu commands run in containers through this server; more are not taken.", exec->config.sessions_max);
}

void exec_offer(struct exec *exec, struct id instance, struct str_list *messages, struct arena *arena)
{
    lock_take(&exec->lock);
    for (struct exec_session *session = exec->all; session != NULL; session = session->next) {
        if (session->message == NULL || session->over || !id_eq(session->instance, instance)) { continue; }
        struct str *items = ARENA_NEW(arena, struct str, messages->count + 1);
        if (messages->count > 0) { memcpy(items, messages->items, messages->count * sizeof *items); }
        items[messages->count] = arena_str(arena, str_from(session->message));
        *messages = (struct str_list){ items, messages->count + 1 };
        free(session->message);
        session->message = NULL;
    }
    lock_drop(&exec->lock);
}

/* ---- one call ---- */

static bool take_bytes(struct exec *exec, struct exec_session *session, enum exec_side side, const struct exec_ask *ask, struct str bytes,
                       struct err *err) REQUIRES(exec->lock)
{
    struct pipe *pipe = &session->pipes[side];
    int64_t before = pipe->end;
    if (pipe->ended || bytes.len == 0) { return true; }
    if (!ask->offset.set || !pipe_write(pipe, ask->offset.value, bytes)) {
        return err_set(err, ERR_INVALID_PARAMETER, "The bytes begin behind byte %lld, up to which they were taken.", (long long)pipe->end);
    }
    if (pipe->end != before) {
        session->moved_ms = clock_monotonic_ms();
        say_changed(exec);
    }
    return true;
}

static void take_words(struct exec *exec, struct exec_session *session, enum exec_side side, const struct exec_ask *ask) REQUIRES(exec->lock)
{
    bool agent = side == EXEC_AGENT;
    session->heard_ms[side] = clock_monotonic_ms();
    if (agent) { session->taken = true; }
    if (!agent && ask->rows.value > 0 && ask->cols.value > 0 && (ask->rows.value != session->rows || ask->cols.value != session->cols)) {
        session->rows = ask->rows.value;
        session->cols = ask->cols.value;
        say_changed(exec);
    }
    if (ask->ended == OPT_TRUE && !session->pipes[side].ended) {
        session->pipes[side].ended = true;
        if (agent && !session->over) {
            session->exit_code = ask->exit_code;
            (void)str_to_cstr(str_slice(ask->reason, 0, REASON_SIZE - 1), session->reason, sizeof session->reason);
            session->over = true;
        }
        say_changed(exec);
    }
    if (!agent && ask->leaves == OPT_TRUE) {
        end_session(exec, session, "The client that started the command has left.");
        session->known = true;
    }
}

/* Is there anything that this side does not know yet? */
static bool has_news(const struct exec_session *session, enum exec_side side, const struct exec_ask *ask)
{
    const struct pipe *pipe = &session->pipes[side == EXEC_AGENT ? EXEC_STARTER : EXEC_AGENT];
    if (session->over || pipe->end > ask->from.value || pipe->ended) { return true; }
    return side == EXEC_AGENT && (session->rows != ask->rows.value || session->cols != ask->cols.value);
}

static void fill_answer(struct exec_session *session, enum exec_side side, const struct exec_ask *ask, struct exec_answer *answer,
                        struct buf *out)
{
    struct pipe *pipe = &session->pipes[side == EXEC_AGENT ? EXEC_STARTER : EXEC_AGENT];
    *answer = (struct exec_answer){
        .taken = opt_int_of(session->pipes[side].end), .rows = opt_int_of(session->rows), .cols = opt_int_of(session->cols),
    };
    bool all_read = false;
    if (ask->from.set) {
        pipe_forget(pipe, ask->from.value);
        struct str bytes = str_slice((struct str){ pipe->bytes, (size_t)(pipe->end - pipe->start) }, 0, EXEC_PIECE_MAX);
        answer->offset = opt_int_of(pipe->start);
        buf_put(out, bytes);
        all_read = bytes.len == 0;
    }
    bool agent_over = side == EXEC_AGENT && session->over;
    if (!agent_over && !(pipe->ended && all_read)) { return; }
    answer->ended = OPT_TRUE;
    if (side == EXEC_AGENT) {
        if (session->over) { answer->reason = arena_str(out->arena, str_from(session->reason[0] != '\0' ? session->reason : "It is over.")); }
        return;
    }
    answer->exit_code = session->exit_code;
    if (session->reason[0] != '\0') { answer->reason = arena_str(out->arena, str_from(session->reason)); }
    session->known = true;
}

/* Returns the session, or NULL when it has ended meanwhile. */
static struct exec_session *wait_for_news(struct exec *exec, enum exec_side side, const struct exec_ask *ask) REQUIRES(exec->lock)
{
    int64_t now_ms = clock_monotonic_ms(), until_ms = now_ms + ask->wait.value * 1000;
    struct exec_session *session = find(exec, ask->session);
    while (session != NULL && !has_news(session, side, ask) && now_ms < until_ms) {
        session->heard_ms[side] = now_ms;
        (void)lock_wait_until(&exec->changed, &exec->lock, min_i64(until_ms, now_ms + LOOK_MS));
        look_at_all(exec);
        session = find(exec, ask->session);
        now_ms = clock_monotonic_ms();
    }
    return session;
}

bool exec_call(struct exec *exec, enum exec_side side, const struct exec_ask *ask, struct str bytes, struct exec_answer *answer,
               struct buf *out, struct err *err)
{
    lock_take(&exec->lock);
    look_at_all(exec);
    struct exec_session *session = find(exec, ask->session);
    bool good = true;
    if (session != NULL) {
        take_words(exec, session, side, ask);
        good = take_bytes(exec, session, side, ask, bytes, err);
    }
    if (good && ask->from.set) { session = wait_for_news(exec, side, ask); }
    if (good && session != NULL) { fill_answer(session, side, ask, answer, out); }
    lock_drop(&exec->lock);
    if (good && session == NULL) { good = err_set(err, ERR_INVALID_PARAMETER, "There is no such session: it has ended."); }
    return good;
}

bool exec_instance(struct exec *exec, struct str name, struct id *instance)
{
    lock_take(&exec->lock);
    const struct exec_session *session = find(exec, name);
    if (session != NULL) { *instance = session->instance; }
    lock_drop(&exec->lock);
    return session != NULL;
}

bool exec_lives(struct exec *exec, struct str name)
{
    lock_take(&exec->lock);
    look_at_all(exec);
    bool lives = find(exec, name) != NULL;
    lock_drop(&exec->lock);
    return lives;
}

void exec_lost(struct exec *exec, struct str name, int64_t ms)
{
    lock_take(&exec->lock);
    struct exec_session *session = find(exec, name);
    if (session != NULL) { session->heard_ms[EXEC_STARTER] = clock_monotonic_ms() - exec->config.gone_ms + ms; }
    lock_drop(&exec->lock);
}

/* ---- life ---- */

const struct exec_config exec_usual = { EXEC_SESSIONS_MAX, 20 * 1000, 60 * 1000, 20 * 60 * 1000 };      /* idle: as in ECS */

struct exec *exec_create(const struct exec_config *config)
{
    struct exec *exec = calloc(1, sizeof *exec);
    ASSERT(exec != NULL);
    exec->config = *config;
    lock_init(&exec->lock);
    lock_signal_init(&exec->changed);
    return exec;
}

void exec_watch(struct exec *exec, void (*changed)(void *context), void *context)
{
    ASSERT(exec->watcher == NULL);
    exec->watcher = changed;
    exec->watcher_context = context;
}

void exec_stop(struct exec *exec)
{
    lock_take(&exec->lock);
    exec->stopping = true;
    look_at_all(exec);
    say_changed(exec);
    lock_drop(&exec->lock);
}

void exec_destroy(struct exec *exec)
{
    if (exec == NULL) { return; }
    while (exec->all != NULL) {
        struct exec_session *session = exec->all;
        exec->all = session->next;
        free_session(session);
    }
    lock_signal_finish(&exec->changed);
    lock_finish(&exec->lock);
    free(exec);
}
