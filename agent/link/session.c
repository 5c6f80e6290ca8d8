/* session.c: the conversation as a machine of states. A session has at most one call on its way; every way out of a call ends in
 * session_wait() or in the next call.
 *
 * Messages that were received and not yet acknowledged are kept through failed polls, so that a lost answer costs only a repeat: the server
 * sends a message again until it sees the acknowledgement, and the machine knows its tasks by name. */
#include "agent/link/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "base/rng.h"

enum {
    PAUSE_FIRST_MS = 250, PAUSE_MOST_MS = 30000, CALL_TIMEOUT_MS = 42000, POLL_GRACE_MS = 15000, POLLS_PER_LEASE = 6,
    AWAY_MS = 2000,
    MESSAGE_ARENA_MAX = 192 * 1024 * 1024, POLL_ARENA_MAX = 8 * 1024 * 1024,
};

static void session_next(void *owner);
static void session_answer(void *owner, const struct reply *reply);

int64_t backoff_next(int64_t pause_ms, int64_t first_ms, int64_t most_ms, struct rng *rng)
{
    ASSERT(first_ms > 0 && first_ms <= most_ms);
    int64_t next_ms = pause_ms <= 0 ? first_ms : min_i64(pause_ms + pause_ms / 2, most_ms);
    return next_ms - next_ms / 5 + (int64_t)rng_below(rng, (uint64_t)(next_ms / 5 * 2 + 1));
}

static void session_wait(struct session *session, int64_t ms)
{
    ASSERT(ms >= 0 && !session->call.active && !session->call.queued);
    timers_set(client_timers(session->config->client), &session->timer, client_now(session->config->client) + ms);
}

static void session_pause(struct session *session)
{
    session->pause_ms = backoff_next(session->pause_ms, PAUSE_FIRST_MS, PAUSE_MOST_MS, client_rng(session->config->client));
    session_wait(session, session->pause_ms);
}

/* The one place that changes the state. */
static void enter(struct session *session, enum session_state state)
{
    static const bool may[][SESSION_REFUSED + 1] = {                       /* [from][to] */
        [SESSION_IDLE]        = { [SESSION_REGISTERING] = true },
        [SESSION_REGISTERING] = { [SESSION_REGISTERING] = true, [SESSION_DISCOVERING] = true, [SESSION_REFUSED] = true },
        [SESSION_DISCOVERING] = { [SESSION_POLLING] = true },
        [SESSION_POLLING]     = { [SESSION_REGISTERING] = true, [SESSION_DISCOVERING] = true, [SESSION_REFUSED] = true },
        [SESSION_REFUSED]     = { false },
    };
    ASSERT(may[session->state][state]);
    session->state = state;
}

static void session_refuse(struct session *session, const struct err *err)
{
    enter(session, SESSION_REFUSED);
    session->ops->refused(session->machine, err);
}

/* ---- asking ---- */

static void ask(struct session *session, const char *path, const char *operation, enum call_kind kind, int64_t timeout_ms, struct str body)
{
    bool at_poll = kind == CALL_LONG && session->poll_at != NULL;
    session->call.endpoint = at_poll ? session->poll_at : session->config->server;
    session->call.path = path;
    session->call.operation = operation;
    session->call.kind = kind;
    session->call.timeout_ms = timeout_ms;
    client_start(session->config->client, &session->call, body);
}

static void ask_register(struct session *session, struct arena *arena)
{
    struct str body = session->ops->registration(session->machine, str_from(session->arn), arena);
    ask(session, "/", "RegisterContainerInstance", CALL_SHORT, CALL_TIMEOUT_MS, body);
}

static void ask_create_cluster(struct session *session, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    json_key(&out, STR("clusterName"));
    json_str(&out, str_from(session->config->cluster));
    json_close(&out, '}');
    ask(session, "/", "CreateCluster", CALL_SHORT, CALL_TIMEOUT_MS, buf_str(&body));
}

static void ask_discover(struct session *session, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    json_key(&out, STR("containerInstance"));
    json_str(&out, str_from(session->arn));
    json_key(&out, STR("cluster"));
    json_str(&out, str_from(session->config->cluster));
    json_close(&out, '}');
    ask(session, "/", "DiscoverPollEndpoint", CALL_SHORT, CALL_TIMEOUT_MS, buf_str(&body));
}

static void put_raw_list(struct json_out *out, struct str name, const char *list)
{
    if (list == NULL) { return; }
    json_key(out, name);
    json_raw(out, str_from(list));
}

/* In the shape of wire.h's poll_request; the two lists were printed when they came up. */
static void ask_poll(struct session *session, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    json_key(&out, STR("cluster"));
    json_str(&out, str_from(session->config->cluster));
    json_key(&out, STR("containerInstance"));
    json_str(&out, str_from(session->arn));
    if (session->id[0] != '\0') {
        json_key(&out, STR("session"));
        json_str(&out, str_from(session->id));
    }
    put_raw_list(&out, STR("acks"), session->acks);
    put_raw_list(&out, STR("stopCandidates"), session->candidates);
    int64_t lease_s = session->ops->lease_s == NULL ? 0 : session->ops->lease_s(session->machine);
    if (session->ops->lease_s != NULL) {
        json_key(&out, STR("leaseSeconds"));
        json_i64(&out, lease_s);
    }
    int64_t wait_s = lease_s == 0 ? session->config->poll_wait_s : max_i64(1, min_i64(session->config->poll_wait_s, lease_s / POLLS_PER_LEASE));
    if (session->ops->checks_number != NULL) {
        json_key(&out, STR("checks"));
        json_i64(&out, session->ops->checks_number(session->machine));
    }
    json_key(&out, STR("protocol"));
    json_i64(&out, PROTOCOL_NEWEST);
    json_key(&out, STR("oldestProtocol"));
    json_i64(&out, PROTOCOL_OLDEST);
    json_key(&out, STR("waitSeconds"));
    json_i64(&out, wait_s);
    json_close(&out, '}');
    session->sent_ms = clock_boot_ms();
    ask(session, "/berth/v1/agent/poll", NULL, CALL_LONG, wait_s * 1000 + POLL_GRACE_MS, buf_str(&body));
}

/* The timer's callback: the next call of the conversation. */
static void session_next(void *owner)
{
    struct session *session = owner;
    struct arena arena = { .ceiling = POLL_ARENA_MAX };
    if (session->state == SESSION_POLLING && session->register_again) { enter(session, SESSION_REGISTERING); }
    switch (session->state) {
    case SESSION_REGISTERING:
        if (session->creating_cluster) { ask_create_cluster(session, &arena); } else { ask_register(session, &arena); }
        break;
    case SESSION_DISCOVERING:
        ask_discover(session, &arena);
        break;
    case SESSION_POLLING:
        ask_poll(session, &arena);
        break;
    case SESSION_IDLE:
    case SESSION_REFUSED:
        break;
    }
    arena_finish(&arena);
}

/* ---- answers to the calls before the first poll ---- */

static void registered(struct session *session, const struct reply *reply, struct arena *arena)
{
    struct err err = { 0 };
    const struct json *tree = json_parse(reply->body, arena, &err);
    struct str arn = json_get_str(json_get(tree, STR("containerInstance")), STR("containerInstanceArn"));
    if (arn.len == 0 || !str_to_cstr(arn, session->arn, sizeof session->arn)) {
        log_line(LOG_WARN, "agent", "the server's answer to a registration names no container instance, trying again");
        session_pause(session);
        return;
    }
    session->register_again = false;
    session->id[0] = '\0';
    session->pause_ms = 0;
    session->ops->registered(session->machine, str_from(session->arn));
    enter(session, SESSION_DISCOVERING);
    session_next(session);
}

static void registration_failed(struct session *session, const struct reply *reply)
{
    bool may_create = session->config->create_cluster && !session->creating_cluster;
    if (reply_is_transient(reply) || reply->err.code == ERR_LIMIT_EXCEEDED) {
        session_pause(session);
    } else if (reply->err.code == ERR_CLUSTER_NOT_FOUND && may_create) {
        session->creating_cluster = true;
        session_next(session);
    } else {
        session_refuse(session, &reply->err);
    }
}

static void register_answer(struct session *session, const struct reply *reply, struct arena *arena)
{
    if (reply->err.code != ERR_NONE) {
        registration_failed(session, reply);
    } else if (session->creating_cluster) {
        session->creating_cluster = false;
        session_next(session);
    } else {
        registered(session, reply, arena);
    }
}

/* A server that believes to be on loopback gives agents elsewhere an address that is their own. The configured address is better then. Only
 * the origin counts: the path of a poll is fixed. */
static void take_poll_address(struct session *session, struct str text)
{
    struct err err = { 0 };
    struct endpoint found;
    if (!endpoint_parse(text, &found, &err)) {
        log_line(LOG_WARN, "agent", "the server gave no usable address for polls, using its own: %s", err.message);
        return;
    }
    const struct endpoint *server = session->config->server;
    if (found.loopback && !server->loopback) { return; }
    if (strcmp(found.origin, server->origin) == 0) {
        free(session->poll_at);
        session->poll_at = NULL;
        return;
    }
    found.prefix[0] = '\0';
    if (session->poll_at == NULL) { session->poll_at = malloc(sizeof *session->poll_at); }
    ASSERT(session->poll_at != NULL);
    *session->poll_at = found;
}

static void discover_answer(struct session *session, const struct reply *reply, struct arena *arena)
{
    if (reply->err.code != ERR_NONE && reply_is_transient(reply)) {
        session_pause(session);
        return;
    }
    struct err err = { 0 };
    const struct json *tree = reply->err.code == ERR_NONE ? json_parse(reply->body, arena, &err) : NULL;
    struct str endpoint = json_get_str(tree, STR("endpoint"));
    if (str_is_set(endpoint)) { take_poll_address(session, endpoint); }
    enter(session, SESSION_POLLING);
    session_next(session);
}

/* ---- messages ---- */

static void forget_told(struct session *session)
{
    free(session->acks);
    free(session->candidates);
    session->acks = session->candidates = NULL;
}

/* A copy of the printed list that outlives the arena; NULL for an empty one. */
static char *keep_list(const struct str_list *list, struct arena *arena)
{
    if (list->count == 0) { return NULL; }
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '[');
    for (size_t i = 0; i < list->count; i++) { json_str(&out, list->items[i]); }
    json_close(&out, ']');
    char *copy = strndup(buf_str(&text).ptr, text.len);
    ASSERT(copy != NULL);
    return copy;
}

static bool take_payload(struct session *session, const struct json *message, struct arena *arena)
{
    struct err err = { 0 };
    struct wire_payload payload;
    if (!schema_decode(&wire_payload_schema, message, &payload, arena, ERR_INVALID_PARAMETER, &err)) {
        log_line(LOG_WARN, "agent", "a payload cannot be read and is not acknowledged: %s", err.message);
        return false;
    }
    if (payload.seq_num.set) { session->last_number = max_i64(session->last_number, payload.seq_num.value); }
    return session->ops->payload(session->machine, &payload, message);
}

/* A manifest that is older than a later payload says nothing about it: it is acknowledged and ignored. */
static bool take_manifest(struct session *session, const struct json *message, struct str_list *candidates, struct arena *arena)
{
    struct err err = { 0 };
    struct wire_manifest manifest;
    if (!schema_decode(&wire_manifest_schema, message, &manifest, arena, ERR_INVALID_PARAMETER, &err)) {
        log_line(LOG_WARN, "agent", "a manifest cannot be read and is not acknowledged: %s", err.message);
        return false;
    }
    if (manifest.timeline.set && manifest.timeline.value < session->last_number) { return true; }
    if (manifest.timeline.set) { session->last_number = manifest.timeline.value; }
    session->ops->verify(session->machine, &manifest, candidates, arena);
    return true;
}

static bool take_stop_ack(struct session *session, const struct json *message, struct arena *arena)
{
    struct err err = { 0 };
    struct wire_stop_ack ack;
    if (!schema_decode(&wire_stop_ack_schema, message, &ack, arena, ERR_INVALID_PARAMETER, &err)) {
        log_line(LOG_WARN, "agent", "a stop verification cannot be read and is not acknowledged: %s", err.message);
        return false;
    }
    for (size_t t = 0; t < ack.stop_tasks.count; t++) { session->ops->stop_task(session->machine, ack.stop_tasks.items[t].task_arn); }
    return true;
}

static bool take_keys(struct session *session, const struct json *message, struct arena *arena)
{
    struct err err = { 0 };
    struct wire_role_message told;
    if (!schema_decode(&wire_role_message_schema, message, &told, arena, ERR_INVALID_PARAMETER, &err)) {
        log_line(LOG_WARN, "agent", "keys of a role cannot be read and are not acknowledged: %s", err.message);
        return false;
    }
    return session->ops->keys(session->machine, &told);
}

static bool take_exec(struct session *session, const struct json *message, struct arena *arena)
{
    struct err err = { 0 };
    struct wire_exec exec;
    if (!schema_decode(&wire_exec_schema, message, &exec, arena, ERR_INVALID_PARAMETER, &err)) {
        log_line(LOG_WARN, "agent", "a command for a container cannot be read: %s", err.message);
    } else if (session->ops->exec != NULL) {
        session->ops->exec(session->machine, &exec);
    }
    return true;                                                           /* it is sent once; the server reports a failure to the client */
}

static bool take_checks(struct session *session, const struct json *message, struct arena *arena)
{
    struct err err = { 0 };
    struct wire_checks checks;
    if (!schema_decode(&wire_checks_schema, message, &checks, arena, ERR_INVALID_PARAMETER, &err)) {
        log_line(LOG_WARN, "agent", "checks of targets cannot be read and are not acknowledged: %s", err.message);
        return false;
    }
    if (session->ops->checks != NULL) { session->ops->checks(session->machine, &checks); }
    return true;
}

static bool take_pulls(struct session *session, const struct json *message, struct arena *arena)
{
    struct err err = { 0 };
    struct wire_pulls pulls;
    if (!schema_decode(&wire_pulls_schema, message, &pulls, arena, ERR_INVALID_PARAMETER, &err)) {
        log_line(LOG_WARN, "agent", "early pulls cannot be read and are not acknowledged: %s", err.message);
        return false;
    }
    if (session->ops->pulls != NULL) { session->ops->pulls(session->machine, &pulls); }
    return true;
}

/* True: the message may be acknowledged. */
static bool take_message(struct session *session, const struct json *envelope, struct str_list *candidates, struct arena *arena)
{
    struct str type = json_get_str(envelope, STR("type"));
    const struct json *message = json_get(envelope, STR("message"));
    if (str_eq(type, STR("HeartbeatMessage"))) { return true; }
    if (str_eq(type, STR("PayloadMessage"))) { return take_payload(session, message, arena); }
    if (str_eq(type, STR("TaskManifestMessage"))) { return take_manifest(session, message, candidates, arena); }
    if (str_eq(type, STR("TaskStopVerificationAck"))) { return take_stop_ack(session, message, arena); }
    if (str_eq(type, STR("IAMRoleCredentialsMessage"))) { return take_keys(session, message, arena); }
    if (str_eq(type, STR("BerthExecMessage"))) { return take_exec(session, message, arena); }
    if (str_eq(type, STR("BerthChecksMessage"))) { return take_checks(session, message, arena); }
    if (str_eq(type, STR("BerthPullsMessage"))) { return take_pulls(session, message, arena); }
    if (!session->puzzled) {
        log_line(LOG_WARN, "agent", "a message of unknown type was acknowledged and ignored, as all such will be: is the server newer? type="
                 STR_FMT, STR_ARG(type));
    }
    session->puzzled = true;
    return true;
}

static void take_messages(struct session *session, const struct json *messages, struct arena *arena)
{
    size_t count = messages != NULL && messages->type == JSON_ARRAY ? messages->count : 0;
    struct str_list acks = { ARENA_NEW(arena, struct str, count), 0 }, candidates = { 0 };
    for (size_t m = 0; m < count; m++) {
        const struct json *envelope = &messages->as.items[m];
        struct str id = json_get_str(json_get(envelope, STR("message")), STR("messageId"));
        if (take_message(session, envelope, &candidates, arena) && id.len > 0) { acks.items[acks.count++] = id; }
    }
    ASSERT(session->acks == NULL && session->candidates == NULL);
    session->acks = keep_list(&acks, arena);
    session->candidates = keep_list(&candidates, arena);
}

static bool is_inactive(const struct reply *reply)
{
    return strstr(reply->err.message, "InactiveInstanceException") != NULL;
}

static void poll_failed(struct session *session, const struct reply *reply)
{
    if (is_inactive(reply)) {
        session_refuse(session, &reply->err);
        return;
    }
    if (!reply_is_transient(reply)) {                                      /* it no longer knows us, or not this session */
        session->id[0] = '\0';
        enter(session, SESSION_REGISTERING);
    } else if (session->poll_at != NULL) {                                 /* the server may have come back elsewhere */
        enter(session, SESSION_DISCOVERING);
    }
    session_pause(session);
}

/* An agent refuses a server whose answers it would misread; nothing of this answer is used. */
static bool understands(const struct json *answer, struct err *err)
{
    const struct protocol_range range = {
        .oldest = json_get_i64(answer, STR("oldestProtocol"), PROTOCOL_UNTOLD), .newest = json_get_i64(answer, STR("protocol"), PROTOCOL_UNTOLD),
    };
    return protocol_check_server(range, json_get_str(answer, STR("version")), err);
}

static void poll_answer(struct session *session, const struct reply *reply, struct arena *arena)
{
    if (reply->err.code != ERR_NONE) {
        poll_failed(session, reply);
        return;
    }
    struct err err = { 0 };
    const struct json *tree = json_parse(reply->body, arena, &err);
    if (tree == NULL) {
        log_line(LOG_WARN, "agent", "the server's answer to a poll cannot be read: %s", err.message);
        session_pause(session);
        return;
    }
    if (!understands(tree, &err)) {
        session_refuse(session, &err);
        return;
    }
    forget_told(session);
    if (!str_to_cstr(json_get_str(tree, STR("session")), session->id, sizeof session->id)) { session->id[0] = '\0'; }
    if (session->ops->answered != NULL) { session->ops->answered(session->machine, session->sent_ms, json_get_i64(tree, STR("leaseSeconds"), 0)); }
    take_messages(session, json_get(tree, STR("messages")), arena);
    session->pause_ms = 0;
    session_wait(session, 0);
}

/* One warning when trouble begins and one line when it ends; a fleet says neither for each of its machines. */
static void tell_trouble(struct session *session, const struct reply *reply)
{
    bool trouble = reply->err.code != ERR_NONE && reply_is_transient(reply);
    enum log_level level = session->config->quiet || trouble == session->troubled ? LOG_DEBUG : trouble ? LOG_WARN : LOG_INFO;
    if (trouble) {
        log_line(level, "agent", "the server does not serve this agent now, trying again: %s", reply->err.message);
    } else if (session->troubled) {
        log_line(level, "agent", "the server serves this agent again");
    }
    session->troubled = trouble;
}

/* For all of a fleet once: one machine without an answer means little while others have one. */
static void tell_reach(struct session *session, const struct reply *reply)
{
    struct session_reach *reach = session->config->reach;
    int64_t now_ms = client_now(session->config->client);
    if (reach == NULL) { return; }
    if (reply->status != 0) {
        if (reach->away) { log_line(LOG_INFO, "agent", "the server answers the simulated machines again"); }
        *reach = (struct session_reach){ .answered_ms = now_ms };
    } else if (!reach->away && now_ms - reach->answered_ms >= AWAY_MS) {
        reach->away = true;
        log_line(LOG_WARN, "agent", "the server does not answer any of the simulated machines, they try again: %s", reply->err.message);
    }
}

static void session_answer(void *owner, const struct reply *reply)
{
    struct session *session = owner;
    if (reply->closing) { return; }
    struct arena arena = { .ceiling = MESSAGE_ARENA_MAX };
    tell_trouble(session, reply);
    tell_reach(session, reply);
    switch (session->state) {
    case SESSION_REGISTERING: register_answer(session, reply, &arena); break;
    case SESSION_DISCOVERING: discover_answer(session, reply, &arena); break;
    case SESSION_POLLING:     poll_answer(session, reply, &arena);     break;
    case SESSION_IDLE:
    case SESSION_REFUSED:
        break;
    }
    arena_finish(&arena);
}

/* ---- beginning and end ---- */

void session_init(struct session *session, const struct session_config *config, const struct session_machine *ops, void *machine,
                  struct str arn)
{
    ASSERT(config != NULL && ops->registration != NULL && ops->registered != NULL && ops->payload != NULL && ops->refused != NULL);
    *session = (struct session){ .config = config, .ops = ops, .machine = machine };
    session->call.done = session_answer;
    session->call.owner = session;
    session->timer = (struct timer){ .fire = session_next, .owner = session };
    if (!str_to_cstr(arn, session->arn, sizeof session->arn)) { session->arn[0] = '\0'; }
}

void session_start(struct session *session, int64_t after_ms)
{
    enter(session, SESSION_REGISTERING);
    session_wait(session, after_ms);
}

void session_register_again(struct session *session) { session->register_again = true; }

void session_finish(struct session *session)
{
    session->state = SESSION_REFUSED;
    timers_cancel(client_timers(session->config->client), &session->timer);
    client_cancel(session->config->client, &session->call);
    forget_told(session);
    free(session->poll_at);
    session->poll_at = NULL;
}
