/* ha.c: several servers with one state.
 *
 * GET  /berth/v1/ha              who leads, this member's place in the log, and all members: {"enabled":false} on a server that is alone
 * POST /berth/v1/ha/hand-over    the leader gives up the lead, and another member takes it
 * POST /berth/v1/ha/forget       {"member":"NAME"}: takes a server that is gone out of the list of members
 * GET  /berth/v1/ha/copy, /key   the store, and the key of its secrets, for a member that joins: it says its word (server/members/members.h) */
#include "server/ha.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/front/answers.h"
#include "server/front/audit.h"
#include "wire/own_json.h"

enum { LIST_MS = 1000, PIECE = 64 * 1024, PATH_SIZE = 4096 };

static bool needs_members(const struct front *front, struct http_answer *answer)
{
    struct err err = { 0 };
    if (front->members != NULL) { return true; }
    (void)err_set(&err, ERR_INVALID_PARAMETER, "This server is alone: it was started without --ha.");
    answer_refusal(front, answer, &err);
    return false;
}

static const char *role_word(enum member_role role) { return role == MEMBER_LEADS ? "leader" : role == MEMBER_FOLLOWS ? "follower" : "stopped"; }

static void print_member(struct json_out *json, const struct ha_member *member, const struct member_state *state)
{
    json_open(json, '{');
    own_json_str(json, STR("name"), str_from(member->name));
    own_json_str(json, STR("address"), str_from(member->address));
    own_json_str(json, STR("release"), str_from(member->release));
    own_json_i64(json, STR("durable"), member->durable);
    json_key(json, STR("leads"));
    json_bool(json, state->term != 0 && strcmp(member->name, state->leader) == 0);
    json_close(json, '}');
}

static void print_state(struct json_out *json, struct members *members, const struct member_state *state)
{
    struct ha_member list[HA_MEMBERS_MAX];
    struct ha_engine *engine = members_engine(members);
    size_t count = 0;
    bool known = engine->ops->members(engine, list, &count, clock_monotonic_ms() + LIST_MS) == HA_DONE;
    own_json_str(json, STR("member"), str_from(state->self.name));
    own_json_str(json, STR("role"), str_from(role_word(state->role)));
    own_json_i64(json, STR("term"), state->term);
    own_json_str(json, STR("leader"), str_from(state->leader));
    own_json_str(json, STR("leaderAddress"), str_from(state->address));
    own_json_i64(json, STR("revision"), state->revision);
    own_json_i64(json, STR("logFirst"), state->first);
    own_json_i64(json, STR("logLast"), state->last);
    own_json_i64(json, STR("heardMsAgo"), state->heard_ms);
    own_json_i64(json, STR("appended"), state->appended);
    own_json_i64(json, STR("appendsRefused"), state->refused);
    own_json_i64(json, STR("appendsUnknown"), state->unknown);
    own_json_i64(json, STR("led"), state->led);
    json_key(json, STR("seals"));
    json_bool(json, state->seals);
    json_key(json, STR("logAnswers"));
    json_bool(json, known);
    json_key(json, STR("members"));
    json_open(json, '[');
    for (size_t m = 0; m < count; m++) { print_member(json, &list[m], state); }
    json_close(json, ']');
}

void ha_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    struct member_state state;
    struct json_out json = json_out_to(&answer->body);
    (void)request;
    (void)caller;
    json_open(&json, '{');
    json_key(&json, STR("enabled"));
    json_bool(&json, front->members != NULL);
    if (front->members != NULL) {
        member_look(members_member(front->members), &state);
        print_state(&json, front->members, &state);
    }
    json_close(&json, '}');
    answer_json(front, answer);
}

void ha_hand_over_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    struct err err = { 0 };
    if (!needs_members(front, answer)) { return; }
    member_hand_over(members_member(front->members));
    buf_put(&answer->body, STR("{}"));
    answer_json(front, answer);
    audit_call(front, &(struct audit){
        .request = request, .caller = caller, .service = STR("berth"), .operation = STR("HandOver"), .level = LOG_INFO, .err = &err,
    });
}

static bool forget(const struct front *front, struct http_request *request, struct err *err)
{
    struct ha_engine *engine = members_engine(front->members);
    struct member_state state;
    char name[HA_NAME_MAX + 1];
    struct str said = json_get_str(json_parse(request->body, request->arena, err), STR("member"));
    if (err->code != ERR_NONE) { return false; }
    if (said.len == 0 || !str_to_cstr(said, name, sizeof name)) { return err_set(err, ERR_INVALID_PARAMETER, "Say which server: {\"member\":\"NAME\"}."); }
    member_look(members_member(front->members), &state);
    if (strcmp(state.leader, name) == 0) { return err_set(err, ERR_INVALID_PARAMETER, "%s leads. Hand over first.", name); }
    switch (engine->ops->forget(engine, name, clock_monotonic_ms() + LIST_MS)) {
    case HA_DONE:    return true;
    case HA_REFUSED: return err_set(err, ERR_INVALID_PARAMETER, "There is no server %s in the list.", name);
    case HA_UNKNOWN:
    case HA_FULL: break;
    }
    return err_set(err, ERR_UNAVAILABLE, "The log of the servers does not answer. Ask again.");
}

void ha_forget_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    struct err err = { 0 };
    if (!needs_members(front, answer)) { return; }
    if (forget(front, request, &err)) {
        buf_put(&answer->body, STR("{}"));
        answer_json(front, answer);
    } else {
        answer_refusal(front, answer, &err);
    }
    audit_call(front, &(struct audit){
        .request = request, .caller = caller, .service = STR("berth"), .operation = STR("Forget"), .level = LOG_INFO, .err = &err,
    });
}

/* A file without a name: it is gone with its last descriptor, however the process ends. */
static int open_nameless(const char *dir) { return open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); }

static bool send_file(struct http_request *request, struct http_answer *answer, int fd, struct err *err)
{
    char *piece = ARENA_NEW(request->arena, char, PIECE);
    ssize_t size = 0;
    if (lseek(fd, 0, SEEK_SET) != 0) { return err_set(err, ERR_SERVER, "The copy can't be read: %s", strerror(errno)); }
    answer->status = 200;
    answer->type = STR("application/octet-stream");
    if (!http_stream_begin(request, answer)) { return true; }
    while ((size = read(fd, piece, PIECE)) > 0 && http_stream_write(request, (struct str){ piece, (size_t)size })) { }
    if (size < 0) { log_line(LOG_WARN, "ha", "a copy for another member broke off: %s", strerror(errno)); }
    return true;
}

void ha_copy_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    struct err err = { 0 };
    (void)caller;
    if (!needs_members(front, answer)) { return; }
    int fd = -1;
    bool good = members_check_joiner(front->members, request, &err);
    if (good && (fd = open_nameless(members_data_dir(front->members))) < 0) { good = err_set(&err, ERR_SERVER, "No file for the copy: %s", strerror(errno)); }
    good = good && store_copy(front->store, fd, &err) && send_file(request, answer, fd, &err);
    if (fd >= 0) { close(fd); }
    if (!good) { answer_refusal(front, answer, &err); }
}

void ha_key_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    char path[PATH_SIZE];
    const struct front *front = context;
    struct err err = { 0 };
    (void)caller;
    if (!needs_members(front, answer)) { return; }
    (void)snprintf(path, sizeof path, "%s/secrets.key", members_data_dir(front->members));
    int fd = -1;
    bool good = members_check_joiner(front->members, request, &err);
    if (good && (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0) { good = err_set(&err, ERR_SERVER, "%s", strerror(errno)); }
    good = good && send_file(request, answer, fd, &err);
    if (fd >= 0) { close(fd); }
    if (!good) { answer_refusal(front, answer, &err); }
}
