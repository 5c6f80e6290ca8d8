/* agent_connections.c: connections at the agents' listener: long polls of Berth's agent, the ECS agent's websocket (ACS) and its telemetry, and clients of
 * ExecuteCommand, whose messages command_sessions.h reads and writes.
 * All of it runs on the listener's thread. It reads the store in transactions that never wait, and hands writes to the writer without waiting. */
#include "server/paths/agent_connections.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "server/front/access.h"
#include "server/front/answers.h"

enum {
    HEARTBEAT_MS = 25 * 1000,                /* the agent hangs up after a minute of silence */
    UNANSWERED_MAX = 3,                      /* heartbeats */
    ANSWERS_HEARTBEATS = 2,                  /* the version of the protocol that does */
    BACKLOG_MAX = 256 * 1024,                /* bytes that the peer has not read: then nothing new is said */
    BACKLOG_PAUSE_MS = 100,
    CANDIDATES_MAX = 10000,
    CLOSE_GOING_AWAY = 1001, CLOSE_POLICY = 1008, CLOSE_TRY_LATER = 1013,      /* 1008, 1013: the agent waits before it comes back */
};

enum kind { KIND_POLL, KIND_SOCKET, KIND_TELEMETRY, KIND_COMMAND };

struct agent_connection {
    enum kind kind;
    const struct agent_port *port;
    struct connection *connection;
    struct visit visit;                      /* of KIND_POLL and KIND_SOCKET */
    struct id instance;                      /* of KIND_TELEMETRY */
    struct command_client *command;      /* of KIND_COMMAND */
    char *logs_endpoint;                     /* of KIND_SOCKET; owned, lent to the visit */
    int64_t next_due_ms, until_ms;           /* until: a poll is answered, or the next heartbeat is sent */
    unsigned unanswered;
    bool answers_heartbeats;
};

static const struct str_list no_candidates;

static struct agent_connection *own_connection(const struct agent_port *port, struct connection *connection, enum kind kind)
{
    ASSERT(connection_owner(connection) == NULL);         /* a connection has one owner, from a request to its answer or end */
    struct agent_connection *own = calloc(1, sizeof *own);
    ASSERT(own != NULL);
    *own = (struct agent_connection){ .kind = kind, .port = port, .connection = connection, .next_due_ms = INT64_MIN };
    connection_own(connection, own);
    return own;
}

static void disown_connection(struct agent_connection *own)
{
    ASSERT(connection_owner(own->connection) == own);     /* the two point at each other until here */
    if (own->visit.session != NULL) { visit_end(&own->visit); }
    if (own->command != NULL) { command_client_gone(own->command); }
    connection_own(own->connection, NULL);
    free(own->logs_endpoint);
    free(own);
}

static void answer_with_error(const struct agent_port *port, struct connection *connection, const struct err *err, struct arena *arena)
{
    struct http_answer answer = { .body = buf_in(arena) };
    (void)buf_room(&answer.body, HTTP_HEAD_ROOM);
    answer.body.len = HTTP_HEAD_ROOM;
    metrics_count(port->front->metrics, NULL, err->code);
    answer_error(&answer, err);
    connection_answer(connection, answer.status, answer.headers, http_answer_body(&answer));
}

/* ---- long polls ---- */

static void end_poll(struct agent_connection *own, const struct str_list *messages, struct arena *arena)
{
    struct connection *connection = own->connection;
    struct buf body = buf_in(arena);
    visit_print_poll(&own->visit, messages, arena, &body);
    metrics_count(own->port->front->metrics, NULL, ERR_NONE);
    disown_connection(own);
    connection_answer(connection, 200, STR(""), buf_str(&body));
}

static void fail_poll(struct agent_connection *own, const struct err *err, struct arena *arena)
{
    const struct agent_port *port = own->port;
    struct connection *connection = own->connection;
    disown_connection(own);
    answer_with_error(port, connection, err, arena);
}

static void step_poll(struct agent_connection *own, const struct str_list *candidates, struct arena *arena)
{
    ASSERT(own->kind == KIND_POLL);                       /* the kind is set by the path, once */
    struct err err = { 0 };
    struct str_list messages;
    switch (visit_step(&own->visit, candidates, arena, &messages, &own->next_due_ms, &err)) {
    case VISIT_NEWS:
    case VISIT_REPLACED: end_poll(own, &messages, arena); return;
    case VISIT_FAILED:   fail_poll(own, &err, arena); return;
    case VISIT_WAITS:    break;
    }
    bool looked = own->next_due_ms != INT64_MIN;          /* also a poll that does not wait gets the messages that are due */
    if (looked && clock_monotonic_ms() >= own->until_ms) {
        end_poll(own, &messages, arena);
    } else if (looked) {
        connection_set_timer(own->connection, min_i64(own->until_ms, own->next_due_ms));
    }
}

static void begin_poll(const struct agent_port *port, struct connection *connection, struct http_request *request, const struct caller *caller)
{
    struct err err = { 0 };
    struct poll_request poll;
    const struct json *json = json_parse(request->body, request->arena, &err);
    if (json == NULL || !schema_decode(&poll_request_schema, json, &poll, request->arena, ERR_INVALID_PARAMETER, &err)) {
        answer_with_error(port, connection, &err, request->arena);
        return;
    }
    struct agent_connection *own = own_connection(port, connection, KIND_POLL);
    struct visit_wish wish = poll_wish(&poll, caller);
    wish.announced = true;
    wish.owner = own;
    own->until_ms = poll_until_ms(&poll);
    if (visit_begin(port->sessions, &own->visit, &wish, request->arena, &err)) {
        step_poll(own, &poll.stop_candidates, request->arena);
    } else {
        fail_poll(own, &err, request->arena);
    }
}

/* ---- the ECS agent's websocket ---- */

static const struct str inactive_name = STR_INIT("InactiveInstanceException");

/* As the ECS agent knows them: it waits an hour after the first one, and comes back soon after the others. */
static struct str refusal_name(const struct err *err)
{
    static const struct { enum err_code code; struct str name; } names[] = {
        { ERR_INVALID_PARAMETER, STR_INIT("InvalidInstanceException") }, { ERR_CLUSTER_NOT_FOUND, STR_INIT("InvalidClusterException") },
        { ERR_THROTTLING, STR_INIT("ServerException") }, { ERR_UNAVAILABLE, STR_INIT("ServerException") },
        { ERR_SERVER, STR_INIT("ServerException") }, { ERR_CLIENT, STR_INIT("BadRequestException") },
    };
    if (str_starts_with(str_from(err->message), inactive_name)) { return inactive_name; }
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        if (names[n].code == err->code) { return names[n].name; }
    }
    return STR("AccessDeniedException");
}

/* A refused handshake: {"<name>":"<text>"}. */
static void refuse_socket(const struct agent_port *port, struct connection *connection, const struct err *err, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    json_key(&out, refusal_name(err));
    json_str(&out, str_from(err->message));
    json_close(&out, '}');
    metrics_count(port->front->metrics, NULL, err->code);
    log_line(LOG_INFO, "agents", "a websocket was refused: %s", err->message);
    connection_answer(connection, err->code == ERR_THROTTLING ? 503 : err_http_status(err->code), STR(""), buf_str(&body));
}

static void close_socket(struct agent_connection *own, unsigned code, const char *reason)
{
    struct connection *connection = own->connection;
    disown_connection(own);
    connection_close(connection, code, str_from(reason));
}

static void fail_socket(struct agent_connection *own, const struct err *err)
{
    bool inactive = str_starts_with(str_from(err->message), inactive_name), stopping = err->code == ERR_UNAVAILABLE;
    close_socket(own, inactive ? CLOSE_POLICY : stopping ? CLOSE_GOING_AWAY : CLOSE_TRY_LATER, err->message);
}

static void step_socket(struct agent_connection *own, const struct str_list *candidates, struct arena *arena)
{
    ASSERT(own->kind == KIND_SOCKET);                     /* the kind is set by the path, once */
    struct err err = { 0 };
    struct str_list messages;
    while (connection_backlog(own->connection) < BACKLOG_MAX || candidates->count > 0) {
        switch (visit_step(&own->visit, candidates, arena, &messages, &own->next_due_ms, &err)) {
        case VISIT_WAITS:
            connection_set_timer(own->connection, own->next_due_ms == INT64_MIN ? own->until_ms : min_i64(own->until_ms, own->next_due_ms));
            return;
        case VISIT_REPLACED:
            close_socket(own, CLOSE_POLICY, "A newer connection of this container instance has taken the place of this one.");
            return;
        case VISIT_FAILED: fail_socket(own, &err); return;
        case VISIT_NEWS:   break;
        }
        for (size_t m = 0; m < messages.count; m++) { connection_send(own->connection, messages.items[m]); }
        candidates = &no_candidates;
    }
    connection_set_timer(own->connection, clock_monotonic_ms() + BACKLOG_PAUSE_MS);
}

static void beat(struct agent_connection *own, struct arena *arena)
{
    if (own->answers_heartbeats && own->unanswered >= UNANSWERED_MAX) {
        close_socket(own, CLOSE_POLICY, "Heartbeats were not acknowledged.");
        return;
    }
    own->unanswered++;
    own->until_ms = clock_monotonic_ms() + HEARTBEAT_MS;
    connection_send(own->connection, visit_heartbeat(&own->visit, arena));
    step_socket(own, &no_candidates, arena);
}

static bool answers_heartbeats(const struct http_request *request)
{
    int64_t version;
    return str_to_i64(http_parameter(request, STR("protocolVersion")), &version) && version >= ANSWERS_HEARTBEATS;
}

static bool upgrade(struct connection *connection, const struct http_request *request, struct err *err)
{
    return connection_upgrade(connection, request) || err_set(err, ERR_CLIENT, "This is no handshake of a websocket.");
}

static void begin_socket(const struct agent_port *port, struct connection *connection, struct http_request *request, const struct caller *caller)
{
    struct err err = { 0 };
    struct agent_connection *own = own_connection(port, connection, KIND_SOCKET);
    struct str endpoint = front_api_endpoint(port->front, request);
    own->logs_endpoint = strndup(endpoint.ptr, endpoint.len);
    ASSERT(own->logs_endpoint != NULL);
    const struct visit_wish wish = {
        .caller = caller, .cluster = http_parameter(request, STR("clusterArn")),
        .container_instance = http_parameter(request, STR("containerInstanceArn")), .stays = true, .announced = true, .owner = own,
        .logs_endpoint = str_from(own->logs_endpoint),
        .send_credentials = str_eq_nocase(http_parameter(request, STR("sendCredentials")), STR("true")),
    };
    own->answers_heartbeats = answers_heartbeats(request);
    own->until_ms = clock_monotonic_ms() + HEARTBEAT_MS;
    if (visit_begin(port->sessions, &own->visit, &wish, request->arena, &err) && upgrade(connection, request, &err)) {
        metrics_count(port->front->metrics, NULL, ERR_NONE);
        telemetry_take_version(port->front, request);
        step_socket(own, &no_candidates, request->arena);
    } else {
        disown_connection(own);
        refuse_socket(port, connection, &err, request->arena);
    }
}

/* ---- messages of the ECS agent ---- */

static struct str message_id(const struct json *message) { return json_get_str(message, STR("messageId")); }

static void take_ack(struct agent_connection *own, const struct json *message, struct arena *arena)
{
    (void)arena;
    visit_ack(&own->visit, message_id(message));
}

/* A message that the agent refuses is not sent again; if it was about a task, the agent's report ends that task. */
static void take_nack(struct agent_connection *own, const struct json *message, struct arena *arena)
{
    (void)arena;
    struct str id = message_id(message), reason = json_get_str(message, STR("reason"));
    log_line(LOG_WARN, "agents", "an agent refuses a message: id=" STR_FMT " reason=" STR_FMT, STR_ARG(str_slice(id, 0, 64)),
             STR_ARG(str_slice(reason, 0, 256)));
    visit_ack(&own->visit, id);
}

static void take_beat(struct agent_connection *own, const struct json *message, struct arena *arena)
{
    (void)message;
    (void)arena;
    own->unanswered = 0;
}

static void take_question(struct agent_connection *own, const struct json *message, struct arena *arena)
{
    const struct json *tasks = json_get(message, STR("stopCandidates"));
    size_t count = tasks == NULL || tasks->type != JSON_ARRAY ? 0 : tasks->count < CANDIDATES_MAX ? tasks->count : CANDIDATES_MAX;
    struct str_list candidates = { ARENA_NEW(arena, struct str, count), 0 };
    for (size_t t = 0; t < count; t++) {
        struct str arn = json_get_str(&tasks->as.items[t], STR("taskArn"));
        if (arn.len > 0) { candidates.items[candidates.count++] = arn; }
    }
    step_socket(own, &candidates, arena);
}

static void take_role_ack(struct agent_connection *own, const struct json *message, struct arena *arena)
{
    (void)arena;
    visit_ack_role(&own->visit, message_id(message));
}

static const struct { struct str type; void (*take)(struct agent_connection *own, const struct json *message, struct arena *arena); } types[] = {
    { STR_INIT("AckRequest"),                   take_ack },
    { STR_INIT("NackRequest"),                  take_nack },
    { STR_INIT("HeartbeatAckRequest"),          take_beat },
    { STR_INIT("TaskStopVerificationMessage"),  take_question },
    { STR_INIT("IAMRoleCredentialsAckRequest"), take_role_ack },
};

/* A message that can't be read is ignored, as the agent does. */
static void take_text(struct agent_connection *own, struct str text, struct arena *arena)
{
    struct err err = { 0 };
    const struct json *envelope = json_parse(text, arena, &err);
    struct str type = json_get_str(envelope, STR("type"));
    visit_heard(&own->visit);
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        if (str_eq(type, types[t].type)) {
            types[t].take(own, json_get(envelope, STR("message")), arena);
            return;
        }
    }
    log_line(LOG_WARN, "agents", "an agent's message was ignored: type=" STR_FMT " %s", STR_ARG(str_slice(type, 0, 64)), err.message);
}

/* ---- telemetry ---- */

static const char telemetry_heartbeat[] = "{\"type\":\"HeartbeatMessage\",\"message\":{\"healthy\":true}}";

static bool is_registered(const struct agent_port *port, const struct http_request *request, struct id *id, struct err *err)
{
    struct str cluster;
    const struct names *names = &port->front->api->names;
    bool read = names_read_cluster(names, http_parameter(request, STR("cluster")), &cluster, err)
        && names_read_id(names, http_parameter(request, STR("containerInstance")), STR("container-instance"), cluster, id, err);
    if (!read) { return false; }
    struct store_txn *txn = store_read_begin(port->front->store);
    const struct instance *instance = store_instance(txn, *id, request->arena);
    bool registered = instance != NULL && instance->status != INSTANCE_INACTIVE;
    if (!store_read_end(txn)) { return err_set(err, ERR_SERVER, "The store can't be read."); }
    return registered || err_set(err, ERR_INVALID_PARAMETER, "InactiveInstanceException: The container instance is not registered.");
}

static void begin_telemetry(const struct agent_port *port, struct connection *connection, struct http_request *request, const struct caller *caller)
{
    struct err err = { 0 };
    struct id instance;
    if (!is_registered(port, request, &instance, &err) || !access_check_binding(port->front, request, caller, instance, &err)
        || !upgrade(connection, request, &err)) {
        refuse_socket(port, connection, &err, request->arena);
        return;
    }
    own_connection(port, connection, KIND_TELEMETRY)->instance = instance;
    connection_set_timer(connection, clock_monotonic_ms() + HEARTBEAT_MS);
}

/* ---- sessions of ExecuteCommand ---- */

static void begin_command(const struct agent_port *port, struct connection *connection, struct http_request *request, const struct caller *caller)
{
    (void)caller;                                         /* the token shows who it is */
    struct err err = { 0 };
    struct command_client *command = command_client_begin(port->commands, connection, request, &err);
    if (command == NULL) {
        answer_with_error(port, connection, &err, request->arena);
        return;
    }
    metrics_count(port->front->metrics, NULL, ERR_NONE);
    own_connection(port, connection, KIND_COMMAND)->command = command;
}

/* ---- the listener's calls ---- */

/* A path that ends with a slash is for every path below it. `open`: the first message shows who it is, and admits the connection. */
static const struct way {
    struct str method, path; bool socket, open;
    void (*begin)(const struct agent_port *port, struct connection *connection, struct http_request *request, const struct caller *caller);
} ways[] = {
    { STR_INIT("POST"), STR_INIT("/berth/v1/agent/poll"), false, false, begin_poll },
    { STR_INIT("GET"),  STR_INIT("/acs/ws"),              true,  false, begin_socket },
    { STR_INIT("GET"),  STR_INIT("/tcs/ws"),              true,  false, begin_telemetry },
    { STR_INIT("GET"),  STR_INIT(COMMAND_SESSION_PATH),   true,  true,  begin_command },
};

static const struct way *find_way(const struct http_request *request)
{
    for (size_t w = 0; w < COUNT_OF(ways); w++) {
        struct str path = ways[w].path;
        bool fits = str_ends_with(path, STR("/")) ? str_starts_with(request->path, path) : str_eq(request->path, path);
        if (fits && str_eq(ways[w].method, request->method)) { return &ways[w]; }
    }
    return NULL;
}

static bool check_request(const struct agent_port *port, const struct way *way, const struct http_request *request, struct caller *caller, struct err *err)
{
    if (atomic_load(port->front->stopping)) { return err_set(err, ERR_SERVER, "The server is starting or stopping; try again."); }
    return way->open || access_check_agent(port->front, request, caller, err);
}

static void on_request(void *context, struct connection *connection, struct http_request *request)
{
    const struct agent_port *port = context;
    struct err err = { 0 };
    struct caller caller = { 0 };
    const struct way *way = find_way(request);
    if (way == NULL) {
        err_set(&err, ERR_CLIENT, "Agents poll and open websockets here, and sessions of ExecuteCommand; nothing else.");
        answer_with_error(port, connection, &err, request->arena);
    } else if (check_request(port, way, request, &caller, &err)) {
        if (!way->open) { connection_admit(connection); }
        way->begin(port, connection, request, &caller);
    } else if (way->socket) {
        refuse_socket(port, connection, &err, request->arena);
    } else {
        answer_with_error(port, connection, &err, request->arena);
    }
}

static void on_text(void *context, struct connection *connection, struct str text, struct arena *arena)
{
    const struct agent_port *port = context;
    struct agent_connection *own = connection_owner(connection);
    if (own == NULL) { return; }
    if (own->kind == KIND_SOCKET) {
        take_text(own, text, arena);
        return;
    }
    if (own->kind == KIND_COMMAND) {
        command_client_message(own->command, text, arena);
        return;
    }
    struct str answer = telemetry_take(port->agents, own->instance, text, arena);
    if (str_is_set(answer) && connection_backlog(connection) < BACKLOG_MAX) { connection_send(connection, answer); }
}

static void on_timer(void *context, struct connection *connection, struct arena *arena)
{
    (void)context;
    struct agent_connection *own = connection_owner(connection);
    if (own == NULL) { return; }
    switch (own->kind) {
    case KIND_POLL: step_poll(own, &no_candidates, arena); break;
    case KIND_SOCKET:
        if (clock_monotonic_ms() >= own->until_ms) { beat(own, arena); } else { step_socket(own, &no_candidates, arena); }
        break;
    case KIND_COMMAND: command_client_timer(own->command); break;
    case KIND_TELEMETRY:
        connection_send(connection, str_from(telemetry_heartbeat));
        connection_set_timer(connection, clock_monotonic_ms() + HEARTBEAT_MS);
        break;
    }
}

static void on_gone(void *context, struct connection *connection)
{
    (void)context;
    disown_connection(connection_owner(connection));
}

static void on_woken(void *context, struct arena *arena)
{
    const struct agent_port *port = context;
    command_sessions_woken(port->commands);
    for (;;) {
        struct visit *visit = sessions_next_ready(port->sessions);
        if (visit == NULL) { return; }
        struct agent_connection *own = visit->owner;
        ASSERT(own != NULL);
        if (own->kind == KIND_POLL) { step_poll(own, &no_candidates, arena); } else { step_socket(own, &no_candidates, arena); }
        arena_reset(arena);
    }
}

const struct listener_ops agent_connection_ops = { on_request, on_text, on_timer, on_gone, on_woken };
