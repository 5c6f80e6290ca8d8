/* command_sessions.c: one lock for all sessions, of which there are few. Only the listener's thread sends to clients; other threads make sessions, renew
 * tokens and end commands, and exec.h wakes the loop when anything has changed. */
#include "server/exec/command_sessions.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"
#include "server/exec/data_channel.h"

enum {
    MESSAGE_ARENA = 1024 * 1024, ROWS_USUAL = 24, COLS_USUAL = 80,
    LOOK_MS = 1000,                          /* exec.h needs a sign of the client at least this often */
    END_PATIENCE_MS = 10 * 1000,             /* until the last output is acknowledged */
    CLOSE_NORMAL = 1000, CLOSE_POLICY = 1008,
};
static const char session_prefix[] = "ecs-execute-command-";

struct command_session {
    struct command_session *next;
    struct command_sessions *all;
    struct command_ticket ticket;            /* an empty token: it was used */
    int64_t token_until_ms;                  /* monotonic */
    struct id instance;
    struct arena arena;                      /* of the message */
    struct wire_exec message;
    struct command_client *client;           /* NULL: no client is connected */
    struct data_channel *channel;            /* NULL: no client has connected yet */
    char command[ID_HEX_LEN + 1];            /* its session of exec.h; empty: the command was not begun */
    bool command_over;                       /* exec.h no longer knows it */
    bool terminated;                         /* by another thread; the client does not know yet */
    int64_t taken, read;                     /* bytes of input that it took, of output that were read */
    int64_t rows, cols;
    int64_t end_until_ms;                    /* 0: it has not ended */
};

struct command_client {
    struct command_sessions *all;
    struct connection *connection;
    char name[COMMAND_SESSION_MAX];          /* of the session that it wants */
    struct command_session *session;         /* NULL: it has shown no token, or the session is over */
};

struct command_sessions {
    struct command_sessions_config config;
    struct lock lock;
    struct command_session *first;           /* guarded by lock, with all in them */
    size_t count;
};

/* ---- the command beneath ---- */

/* False: it is over, and *err says why. */
static bool call(struct command_session *session, struct exec_ask *ask, struct str bytes, struct exec_answer *answer, struct buf *out, struct err *err)
{
    ask->session = str_from(session->command);
    ask->rows = opt_int_of(session->rows);
    ask->cols = opt_int_of(session->cols);
    if (session->command_over) { return err_set(err, ERR_INVALID_PARAMETER, "The command has ended."); }
    bool good = exec_call(session->all->config.exec, EXEC_STARTER, ask, bytes, answer, out, err);
    session->command_over = !good;
    return good;
}

/* A call whose answer is not needed. */
static void tell(struct command_session *session, struct exec_ask ask)
{
    struct arena arena;
    struct exec_answer answer;
    struct err err = { 0 };
    arena_init(&arena, MESSAGE_ARENA);
    struct buf out = buf_in(&arena);
    if (session->command[0] != '\0') { (void)call(session, &ask, STR(""), &answer, &out, &err); }
    arena_finish(&arena);
}

static void end(struct command_session *session, struct str text)
{
    int64_t now_ms = clock_monotonic_ms();
    if (session->end_until_ms != 0) { return; }
    session->end_until_ms = now_ms + END_PATIENCE_MS;
    data_channel_end(session->channel, text, now_ms);
}

/* In words for a person; empty where there is nothing to add. */
static struct str end_text(const struct exec_answer *answer, struct arena *arena)
{
    if (str_is_set(answer->reason)) { return answer->reason; }
    if (!answer->exit_code.set || answer->exit_code.value == 0) { return STR(""); }
    return arena_printf(arena, "The command has ended with exit status %lld.", (long long)answer->exit_code.value);
}

/* ---- what the data channel asks for ---- */

static void on_send(void *context, struct str frame)
{
    struct command_session *session = context;
    if (session->client != NULL) { connection_send_bytes(session->client->connection, frame); }
}

static void on_open(void *context)
{
    struct command_session *session = context;
    ASSERT(session->command[0] == '\0');     /* the channel opens once */
    struct err err = { 0 };
    struct wire_exec message = session->message;
    message.tty = OPT_TRUE;
    message.rows = opt_int_of(session->rows);
    message.cols = opt_int_of(session->cols);
    if (exec_start(session->all->config.exec, session->instance, &message, session->command, &err)) {
        session->all->config.wake(session->all->config.context, session->instance);
    } else {
        session->command[0] = '\0';
        end(session, str_from(err.message));
    }
}

static bool on_input(void *context, struct str bytes)
{
    struct command_session *session = context;
    struct arena arena;
    struct exec_answer answer = { 0 };
    struct exec_ask ask = { .offset = opt_int_of(session->taken) };
    struct err err = { 0 };
    if (session->command[0] == '\0' || session->command_over) { return true; }       /* the command has ended, and the client will hear */
    arena_init(&arena, MESSAGE_ARENA);
    struct buf out = buf_in(&arena);
    bool good = call(session, &ask, bytes, &answer, &out, &err);
    arena_finish(&arena);
    bool whole = !good || answer.taken.value >= session->taken + (int64_t)bytes.len;
    if (whole) { session->taken += (int64_t)bytes.len; }
    return whole;
}

static void on_resize(void *context, int64_t rows, int64_t cols)
{
    struct command_session *session = context;
    session->rows = rows;
    session->cols = cols;
    tell(session, (struct exec_ask){ 0 });
}

static void on_leave(void *context)
{
    tell(context, (struct exec_ask){ .leaves = OPT_TRUE });
    end(context, STR(""));
}

static const struct data_channel_ops channel_ops = { on_send, on_open, on_input, on_resize, on_leave };

/* ---- sessions ---- */

static struct command_session *find(struct command_sessions *sessions, struct str name) REQUIRES(sessions->lock)
{
    struct command_session *session = sessions->first;
    while (session != NULL && !str_eq(str_from(session->ticket.session), name)) { session = session->next; }
    return session;
}

static void free_session(struct command_session *session)
{
    if (session->client != NULL) {
        ASSERT(session->client->session == session);
        session->client->session = NULL;
    }
    data_channel_destroy(session->channel);
    arena_finish(&session->arena);
    free(session);
}

/* Can it be freed? A session with a connected client is ended by the listener's thread first. */
static bool is_over(struct command_session *session, int64_t now_ms)
{
    if (session->client != NULL) { return false; }
    if (session->channel == NULL) { return now_ms > session->token_until_ms; }
    bool lives = session->command[0] != '\0' && !session->command_over && exec_lives(session->all->config.exec, str_from(session->command));
    return !lives && now_ms >= session->end_until_ms && now_ms > session->token_until_ms;
}

static void drop_those_over(struct command_sessions *sessions) REQUIRES(sessions->lock)
{
    int64_t now_ms = clock_monotonic_ms();
    for (struct command_session **at = &sessions->first; *at != NULL;) {
        struct command_session *session = *at;
        if (!is_over(session, now_ms)) {
            at = &session->next;
            continue;
        }
        *at = session->next;
        ASSERT(sessions->count > 0);
        sessions->count--;
        free_session(session);
    }
}

static void make_token(struct command_session *session)
{
    struct id halves[COMMAND_TOKEN_LEN / ID_HEX_LEN];
    rng_secret(halves, sizeof halves);
    for (size_t h = 0; h < COUNT_OF(halves); h++) { id_hex(halves[h], session->ticket.token + h * ID_HEX_LEN); }
    session->token_until_ms = clock_monotonic_ms() + session->all->config.token_ms;
}

static void copy_message(struct command_session *session, const struct wire_exec *message)
{
    struct arena *arena = &session->arena;
    session->message = (struct wire_exec){
        .task_arn = arena_str(arena, message->task_arn), .container = arena_str(arena, message->container),
        .command = { ARENA_NEW(arena, struct str, message->command.count), message->command.count },
    };
    for (size_t w = 0; w < message->command.count; w++) { session->message.command.items[w] = arena_str(arena, message->command.items[w]); }
}

bool command_sessions_add(struct command_sessions *sessions, struct id instance, const struct wire_exec *message, struct command_ticket *ticket,
                          struct err *err)
{
    struct command_session *session = calloc(1, sizeof *session);
    ASSERT(session != NULL);
    struct id id;
    rng_secret(id.bytes, sizeof id.bytes);
    arena_init(&session->arena, MESSAGE_ARENA);
    memcpy(session->ticket.session, session_prefix, sizeof session_prefix - 1);
    id_hex(id, session->ticket.session + sizeof session_prefix - 1);
    session->all = sessions;
    session->instance = instance;
    session->rows = ROWS_USUAL;
    session->cols = COLS_USUAL;
    copy_message(session, message);
    make_token(session);
    *ticket = session->ticket;

    lock_take(&sessions->lock);
    drop_those_over(sessions);
    bool room = sessions->count < sessions->config.sessions_max;
    if (room) {
        session->next = sessions->first;
        sessions->first = session;
        sessions->count++;
    }
    lock_drop(&sessions->lock);
    if (room) { return true; }
    free_session(session);
    return err_set(err, ERR_CLIENT, "%zu sessions are open, or wait to be opened; more are not taken.", sessions->config.sessions_max);
}

bool command_sessions_renew(struct command_sessions *sessions, struct str name, struct command_ticket *ticket)
{
    lock_take(&sessions->lock);
    drop_those_over(sessions);
    struct command_session *session = find(sessions, name);
    bool lives = session != NULL && session->end_until_ms == 0;
    if (lives) {
        make_token(session);
        *ticket = session->ticket;
    }
    lock_drop(&sessions->lock);
    return lives;
}

void command_sessions_end(struct command_sessions *sessions, struct str name)
{
    lock_take(&sessions->lock);
    struct command_session *session = find(sessions, name);
    if (session != NULL) {
        session->ticket.token[0] = '\0';
        session->token_until_ms = 0;
        session->terminated = true;
        tell(session, (struct exec_ask){ .leaves = OPT_TRUE });
    }
    lock_drop(&sessions->lock);
}

/* ---- connections ---- */

static void close_client(struct command_client *client, unsigned code, struct str reason)
{
    if (client->session != NULL) { client->session->client = NULL; }
    client->session = NULL;
    connection_close(client->connection, code, reason);
}

static void leave(struct command_session *session)
{
    tell(session, (struct exec_ask){ .leaves = OPT_TRUE });
    if (session->end_until_ms == 0) { session->end_until_ms = clock_monotonic_ms(); }
}

/* Output on its way to the client, as much as it takes; and the end behind it. */
static void pump(struct command_session *session)
{
    struct arena arena;
    arena_init(&arena, MESSAGE_ARENA);
    bool more = session->command[0] != '\0' && session->end_until_ms == 0;
    while (more) {
        arena_reset(&arena);
        struct exec_answer answer = { 0 };
        struct exec_ask ask = { 0 };
        struct err err = { 0 };
        struct buf out = buf_in(&arena);
        size_t room = data_channel_room(session->channel);
        if (room > 0) { ask.from = opt_int_of(session->read); }
        if (!call(session, &ask, STR(""), &answer, &out, &err)) {
            end(session, session->terminated ? STR("The session was terminated.") : str_from(err.message));
            break;
        }
        struct str bytes = str_slice(buf_str(&out), 0, room);
        data_channel_output(session->channel, bytes, clock_monotonic_ms());
        session->read += (int64_t)bytes.len;
        if (room > 0 && answer.ended == OPT_TRUE) {
            session->command_over = true;
            end(session, end_text(&answer, &arena));
        }
        more = bytes.len > 0;
    }
    arena_finish(&arena);
}

static void step(struct command_session *session)
{
    ASSERT(session->channel != NULL && session->client != NULL && session->client->session == session);
    pump(session);
    int64_t now_ms = clock_monotonic_ms(), due_ms = data_channel_step(session->channel, now_ms);
    bool waited = session->end_until_ms != 0 && now_ms > session->end_until_ms;
    if (data_channel_has_ended(session->channel) || waited) {
        session->end_until_ms = now_ms;
        close_client(session->client, CLOSE_NORMAL, STR(""));
    } else {
        connection_set_timer(session->client->connection, min_i64(due_ms, now_ms + LOOK_MS));
    }
}

/* The first message shows the token; it is the only one that is text. */
static void show_token(struct command_client *client, struct str message, struct arena *arena) REQUIRES(client->all->lock)
{
    struct err err = { 0 };
    const struct json *input = json_parse(message, arena, &err);
    struct command_session *session = find(client->all, str_from(client->name));
    int64_t now_ms = clock_monotonic_ms();
    bool good = input != NULL && session != NULL && now_ms <= session->token_until_ms && session->ticket.token[0] != '\0'
        && str_eq_constant_time(json_get_str(input, STR("TokenValue")), str_from(session->ticket.token));
    if (!good) {
        log_line(LOG_INFO, "exec", "a data channel was refused session=%s", client->name);
        close_client(client, CLOSE_POLICY, STR("The token is not this session's, was used before, or is too old."));
        return;
    }
    session->ticket.token[0] = '\0';
    session->token_until_ms = 0;
    if (session->client != NULL) { close_client(session->client, CLOSE_POLICY, STR("A newer connection has taken the place of this one.")); }
    session->client = client;
    client->session = session;
    connection_admit(client->connection);
    if (session->channel == NULL) {
        session->channel = data_channel_create(&channel_ops, session, str_from(client->name), clock_now_ms(), now_ms);
    }
    data_channel_connect(session->channel, now_ms);
    step(session);
}

static bool read_name(const struct http_request *request, char name[COMMAND_SESSION_MAX])
{
    struct str text = str_slice(request->path, sizeof COMMAND_SESSION_PATH - 1, request->path.len);
    return str_to_cstr(text, name, COMMAND_SESSION_MAX);
}

struct command_client *command_client_begin(struct command_sessions *sessions, struct connection *connection, const struct http_request *request,
                                            struct err *err)
{
    struct command_client *own = calloc(1, sizeof *own);
    ASSERT(own != NULL);
    own->all = sessions;
    own->connection = connection;
    lock_take(&sessions->lock);
    bool known = read_name(request, own->name) && find(sessions, str_from(own->name)) != NULL;
    lock_drop(&sessions->lock);
    if (!known) {
        err_set(err, ERR_CLIENT, "There is no such session: it has ended.");
    } else if (!connection_upgrade(connection, request)) {
        err_set(err, ERR_CLIENT, "This is no handshake of a websocket.");
    }
    if (err->code == ERR_NONE) { return own; }
    free(own);
    return NULL;
}

void command_client_message(struct command_client *client, struct str message, struct arena *arena)
{
    struct err err = { 0 };
    lock_take(&client->all->lock);
    if (client->session == NULL) {
        show_token(client, message, arena);
    } else if (data_channel_take(client->session->channel, message, clock_monotonic_ms(), arena, &err)) {
        step(client->session);
    } else {
        log_line(LOG_INFO, "exec", "a data channel was closed session=%s: %s", client->name, err.message);
        leave(client->session);
        close_client(client, CLOSE_POLICY, str_from(err.message));
    }
    lock_drop(&client->all->lock);
}

void command_client_timer(struct command_client *client)
{
    lock_take(&client->all->lock);
    if (client->session != NULL) { step(client->session); }
    lock_drop(&client->all->lock);
}

/* A client that closes the websocket ends the command; one that loses the connection has lost_ms to come back. */
void command_client_gone(struct command_client *client)
{
    struct command_sessions *sessions = client->all;
    lock_take(&sessions->lock);
    struct command_session *session = client->session;
    if (session != NULL) {
        ASSERT(session->client == client);
        session->client = NULL;
        if (connection_said_goodbye(client->connection)) {
            leave(session);
        } else {
            exec_lost(sessions->config.exec, str_from(session->command), sessions->config.lost_ms);
        }
        drop_those_over(sessions);
    }
    lock_drop(&sessions->lock);
    free(client);
}

void command_sessions_woken(struct command_sessions *sessions)
{
    lock_take(&sessions->lock);
    for (struct command_session *session = sessions->first; session != NULL; session = session->next) {
        if (session->client != NULL) { step(session); }
    }
    drop_those_over(sessions);
    lock_drop(&sessions->lock);
}

/* ---- life ---- */

struct command_sessions *command_sessions_create(const struct command_sessions_config *config)
{
    struct command_sessions *sessions = calloc(1, sizeof *sessions);
    ASSERT(sessions != NULL);
    sessions->config = *config;
    lock_init(&sessions->lock);
    return sessions;
}

void command_sessions_destroy(struct command_sessions *sessions)
{
    if (sessions == NULL) { return; }
    while (sessions->first != NULL) {
        struct command_session *session = sessions->first;
        sessions->first = session->next;
        free_session(session);
    }
    lock_finish(&sessions->lock);
    free(sessions);
}
