/* taskmeta_routes.c: the table of paths, and the answer to each. The texts of refusals are those of the ECS agent. */
#include "agent/inside/taskmeta_internal.h"

#include "base/clock.h"
#include "base/num.h"

enum { STATS_APART_MS = 1000, SERVER_TIMEOUT_MS = 15 * 1000, PARTS_MAX = 8 };

struct ask {
    struct taskmeta *metadata;
    const struct container_request *request;
    struct container_answer *answer;
    enum taskmeta_version version;
    struct str id;                           /* the part of the path that a container knows */
    struct str parts[PARTS_MAX]; size_t count;           /* the path's */
    struct shown_task task;
};

static const struct str json_type = STR_INIT("application/json");

/* ---- answers ---- */

static void answer_text(struct container_answer *answer, int status, struct str text)
{
    *answer = (struct container_answer){ status, STR("text/plain; charset=utf-8"), text };
}

static void answer_json(struct container_answer *answer, int status, const struct buf *body)
{
    *answer = (struct container_answer){ status, json_type, buf_str(body) };
}

static void answer_too_often(struct container_answer *answer) { answer_text(answer, 429, STR("You have reached maximum request limit.\n")); }

/* One JSON string, as the metadata paths refuse. */
static void refuse(struct ask *ask, const char *handler, const char *why)
{
    struct buf body = buf_in(ask->request->arena);
    struct json_out out = json_out_to(&body);
    json_str(&out, arena_printf(ask->request->arena, "V%d %s: %s" STR_FMT, (int)ask->version, handler, why, STR_ARG(ask->id)));
    answer_json(ask->answer, ask->version == TASKMETA_V4 ? 404 : 400, &body);
}

static bool is_get(const struct container_request *request)
{
    return str_eq(request->method, STR("GET")) || str_eq(request->method, STR("HEAD"));
}

/* "%3A" → ":" */
static struct str decode(struct str text, struct arena *arena)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    char *out = arena_alloc(arena, text.len + 1, 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char *high = i + 2 < text.len ? memchr(digits, text.ptr[i + 1], sizeof digits - 1) : NULL;
        const char *low = i + 2 < text.len ? memchr(digits, text.ptr[i + 2], sizeof digits - 1) : NULL;
        if (text.ptr[i] != '%' || high == NULL || low == NULL) {
            out[len++] = text.ptr[i];
            continue;
        }
        out[len++] = (char)((high - digits) % 16 * 16 + (low - digits) % 16);
        i += 2;
    }
    return (struct str){ out, len };
}

static struct str parameter(const struct container_request *request, struct str name)
{
    struct str pair, key, value, rest = request->query;
    while (rest.len > 0) {
        str_cut(rest, '&', &pair, &rest);
        str_cut(pair, '=', &key, &value);
        if (str_eq(key, name)) { return decode(value, request->arena); }
    }
    return (struct str){ 0 };
}

/* ---- keys ---- */

static void refuse_keys(struct ask *ask, int status, const char *code, const char *why)
{
    struct buf body = buf_in(ask->request->arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    json_key(&out, STR("code"));
    json_str(&out, str_from(code));
    json_key(&out, STR("message"));
    json_str(&out, arena_printf(ask->request->arena, "CredentialsV%dRequest: %s", str_eq(ask->parts[0], STR("v1")) ? 1 : 2, why));
    json_key(&out, STR("HTTPErrorCode"));
    json_i64(&out, status);
    json_close(&out, '}');
    answer_json(ask->answer, status, &body);
}

static void put_member(struct json_out *out, struct str key, struct str value)
{
    json_key(out, key);
    json_str(out, value);
}

static void answer_keys(struct ask *ask)
{
    struct wire_role_credentials *keys = NULL;
    struct arena *arena = ask->request->arena;
    struct str id = str_eq(ask->parts[0], STR("v1")) ? parameter(ask->request, STR("id")) : ask->count > 2 ? ask->parts[2] : STR("");
    if (id.len == 0) {
        refuse_keys(ask, 400, "NoIdInRequest", "No Credential ID in the request");
        return;
    }
    enum found found = taskmeta_find_keys(ask->metadata, id, &keys, arena);
    if (found == FOUND_TOO_OFTEN) {
        answer_too_often(ask->answer);
    } else if (found == FOUND_NOTHING) {
        refuse_keys(ask, 400, "InvalidIdInRequest", "Credentials not found");
    } else if (keys == NULL) {
        refuse_keys(ask, 503, "CredentialsUninitialized", "Credentials uninitialized for ID");
    } else {
        struct buf body = buf_in(arena);
        struct json_out out = json_out_to(&body);
        json_open(&out, '{');
        put_member(&out, STR("RoleArn"), keys->role_arn);
        put_member(&out, STR("AccessKeyId"), keys->access_key_id);
        put_member(&out, STR("SecretAccessKey"), keys->secret_access_key);
        put_member(&out, STR("Token"), keys->session_token);
        put_member(&out, STR("Expiration"), keys->expiration);
        json_close(&out, '}');
        answer_json(ask->answer, 200, &body);
    }
}

/* ---- containers and tasks ---- */

/* Values that the engine does not report stay unknown. */
static void ask_engine(struct ask *ask, struct shown_container *container)
{
    struct runtime *runtime = taskmeta_settings(ask->metadata)->runtime;
    struct err ignored = { 0 };
    if (runtime->ops->inspect == NULL || container->id.len == 0) { return; }
    if (!runtime->ops->inspect(runtime, container->id, &container->engine, ask->request->arena, &ignored)) { container->engine = NULL; }
}

static void answer_container(struct ask *ask)
{
    struct shown_container *container = &ask->task.containers[ask->task.asking];
    struct buf body = buf_in(ask->request->arena);
    struct json_out out = json_out_to(&body);
    ask_engine(ask, container);
    taskmeta_put_container(&out, &ask->task, container, ask->version, ask->request->arena);
    answer_json(ask->answer, 200, &body);
}

static const struct json *fetch_tags(struct ask *ask, struct str arn)
{
    const struct taskmeta_config *config = taskmeta_settings(ask->metadata);
    struct arena *arena = ask->request->arena;
    struct buf request = buf_in(arena);
    struct json_out out = json_out_to(&request);
    json_open(&out, '{');
    put_member(&out, STR("resourceArn"), arn);
    json_close(&out, '}');
    struct str reply;
    bool transient;
    struct err err = { 0 };
    if (arn.len == 0 || !client_call(config->client, config->server, "/", "ListTagsForResource", buf_str(&request), SERVER_TIMEOUT_MS, &reply,
                                     &transient, arena, &err)) {
        return NULL;
    }
    return json_get(json_parse(reply, arena, &err), STR("tags"));
}

static void answer_task_with(struct ask *ask, const struct taskmeta_tags *tags)
{
    struct buf body = buf_in(ask->request->arena);
    struct json_out out = json_out_to(&body);
    for (size_t c = 0; c < ask->task.count; c++) { ask_engine(ask, &ask->task.containers[c]); }
    taskmeta_put_task(&out, taskmeta_settings(ask->metadata), &ask->task, ask->version, tags, ask->request->arena);
    answer_json(ask->answer, 200, &body);
}

static void answer_task(struct ask *ask) { answer_task_with(ask, &(struct taskmeta_tags){ NULL, NULL }); }

/* Without the server there are no tags, and the answer is sent without them. */
static void answer_task_with_tags(struct ask *ask)
{
    const struct taskmeta_tags tags = {
        .task = fetch_tags(ask, ask->task.arn), .instance = fetch_tags(ask, taskmeta_instance(ask->metadata, ask->request->arena)),
    };
    answer_task_with(ask, &tags);
}

/* ---- usage: two samples, a second apart ---- */

static void take_samples(struct ask *ask, const struct json **samples, size_t from, size_t until)
{
    struct runtime *runtime = taskmeta_settings(ask->metadata)->runtime;
    for (size_t c = from; c < until; c++) {
        struct err ignored = { 0 };                       /* a container without a sample is null in the answer */
        const struct shown_container *container = &ask->task.containers[c];
        bool may = runtime->ops->stats != NULL && container->phase == CONTAINER_RUNNING;
        if (!may || !runtime->ops->stats(runtime, container->id, &samples[c], ask->request->arena, &ignored)) { samples[c] = NULL; }
    }
}

static void answer_samples(struct ask *ask, size_t from, size_t until, bool by_id)
{
    struct arena *arena = ask->request->arena;
    const struct json **before = (const struct json **)arena_alloc(arena, ask->task.count, sizeof *before);
    const struct json **now = (const struct json **)arena_alloc(arena, ask->task.count, sizeof *now);
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    take_samples(ask, before, from, until);
    clock_sleep_ms(STATS_APART_MS);
    take_samples(ask, now, from, until);
    if (by_id) { json_open(&out, '{'); }
    for (size_t c = from; c < until; c++) {
        if (by_id && ask->task.containers[c].id.len == 0) { continue; }
        if (by_id) { json_key(&out, ask->task.containers[c].id); }
        taskmeta_put_stats(&out, before[c], now[c], ask->version);
    }
    if (by_id) { json_close(&out, '}'); }
    answer_json(ask->answer, 200, &body);
}

static void answer_stats(struct ask *ask) { answer_samples(ask, ask->task.asking, ask->task.asking + 1, false); }
static void answer_task_stats(struct ask *ask) { answer_samples(ask, 0, ask->task.count, true); }

/* ---- associations ---- */

static bool is_associated(const struct ask *ask, const struct wire_association *association)
{
    struct str name = ask->task.containers[ask->task.asking].name;
    return str_list_has(&association->containers, name) && str_eq_nocase(association->type, ask->parts[3]);
}

static void answer_associations(struct ask *ask)
{
    struct buf body = buf_in(ask->request->arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    json_key(&out, STR("Associations"));
    json_open(&out, '[');
    for (size_t a = 0; a < ask->task.associations.count; a++) {
        if (is_associated(ask, &ask->task.associations.items[a])) { json_str(&out, ask->task.associations.items[a].name); }
    }
    json_close(&out, ']');
    json_close(&out, '}');
    answer_json(ask->answer, 200, &body);
}

/* Berth's agent knows only the name of a GPU. */
static void answer_association(struct ask *ask)
{
    for (size_t a = 0; a < ask->task.associations.count; a++) {
        const struct wire_association *association = &ask->task.associations.items[a];
        if (!is_associated(ask, association) || !str_eq(association->name, ask->parts[4])) { continue; }
        *ask->answer = (struct container_answer){ 200, json_type, STR("{}") };
        return;
    }
    refuse(ask, "container associations handler", "unable to get association value: no such association for container ");
}

/* ---- protection of the task, asked for with the keys of the task's role ---- */

static void answer_protection_error(struct ask *ask, int status, struct str arn, const char *code, const char *message)
{
    struct buf body = buf_in(ask->request->arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    json_key(&out, STR("error"));
    json_open(&out, '{');
    if (arn.len > 0) { put_member(&out, STR("Arn"), arn); }
    put_member(&out, STR("Code"), str_from(code));
    put_member(&out, STR("Message"), str_from(message));
    json_close(&out, '}');
    json_close(&out, '}');
    answer_json(ask->answer, status, &body);
}

/* {"ProtectionEnabled":true,"ExpiresInMinutes":60} as the operation's members. False: answered. */
static bool put_protection(struct ask *ask, struct json_out *out)
{
    struct err err = { 0 };
    const struct json *wish = json_parse(ask->request->body, ask->request->arena, &err);
    const struct json *enabled = json_get(wish, STR("ProtectionEnabled")), *minutes = json_get(wish, STR("ExpiresInMinutes"));
    size_t known = (enabled != NULL ? 1U : 0U) + (minutes != NULL ? 1U : 0U);
    bool good = wish != NULL && wish->type == JSON_OBJECT && wish->count == known
        && (enabled == NULL || enabled->type == JSON_TRUE || enabled->type == JSON_FALSE) && (minutes == NULL || minutes->type == JSON_INT);
    if (!good) {
        answer_protection_error(ask, 400, STR(""), "InvalidParameterException", "UpdateTaskProtection: failed to decode request");
    } else if (enabled == NULL) {
        answer_protection_error(ask, 400, ask->task.arn, "InvalidParameterException", "Invalid request: does not contain 'ProtectionEnabled' field");
    } else {
        json_key(out, STR("protectionEnabled"));
        json_bool(out, enabled->type == JSON_TRUE);
        if (minutes == NULL) { return true; }
        json_key(out, STR("expiresInMinutes"));
        json_i64(out, minutes->as.integer);
    }
    return good && enabled != NULL;
}

/* The key with a capital; seconds as a time, as the ECS agent has it. */
static void put_protected(struct ask *ask, const struct json_member *member, struct json_out *out)
{
    struct arena *arena = ask->request->arena;
    const struct json *value = &member->value;
    char *key = arena_copy(arena, member->key.ptr, member->key.len);
    if (member->key.len > 0 && key[0] >= 'a' && key[0] <= 'z') { key[0] = (char)(key[0] - 'a' + 'A'); }
    if (value->type == JSON_INT || value->type == JSON_REAL) {
        double seconds = value->type == JSON_INT ? (double)value->as.integer : value->as.real;
        bool has_date = seconds > 0 && seconds < 253402300800.0;         /* up to the year 9999 */
        taskmeta_put_time(out, (struct str){ key, member->key.len }, has_date ? (int64_t)(seconds * 1000 + 0.5) : 0, arena);
        return;
    }
    json_key(out, (struct str){ key, member->key.len });
    json_dump(out, value);
}

/* The first of the lists that is not empty: {"failure":{"Arn":…}}. */
static void answer_protection(struct ask *ask, struct str reply)
{
    static const struct { struct str list, name; } lists[] = {
        { STR_INIT("failures"), STR_INIT("failure") }, { STR_INIT("protectedTasks"), STR_INIT("protection") },
    };
    struct arena *arena = ask->request->arena;
    struct err err = { 0 };
    const struct json *tree = json_parse(reply, arena, &err);
    for (size_t l = 0; l < COUNT_OF(lists); l++) {
        const struct json *list = json_get(tree, lists[l].list);
        if (list == NULL || list->type != JSON_ARRAY || list->count == 0 || list->as.items[0].type != JSON_OBJECT) { continue; }
        struct buf body = buf_in(arena);
        struct json_out out = json_out_to(&body);
        json_open(&out, '{');
        json_key(&out, lists[l].name);
        json_open(&out, '{');
        for (size_t m = 0; m < list->as.items[0].count; m++) { put_protected(ask, &list->as.items[0].as.members[m], &out); }
        json_close(&out, '}');
        json_close(&out, '}');
        answer_json(ask->answer, 200, &body);
        return;
    }
    answer_protection_error(ask, 500, ask->task.arn, "ServerException", "Unexpected error occurred");
}

static void ask_protection(struct ask *ask)
{
    const struct taskmeta_config *config = taskmeta_settings(ask->metadata);
    struct arena *arena = ask->request->arena;
    bool update = str_eq(ask->request->method, STR("PUT"));
    struct buf request = buf_in(arena);
    struct json_out out = json_out_to(&request);
    if (ask->task.keys == NULL) {
        answer_protection_error(ask, 403, ask->task.arn, "AccessDeniedException", "Invalid Request: no task IAM role credentials available for task");
        return;
    }
    json_open(&out, '{');
    put_member(&out, STR("cluster"), str_from(config->cluster));
    json_key(&out, STR("tasks"));
    json_open(&out, '[');
    json_str(&out, ask->task.arn);
    json_close(&out, ']');
    if (update && !put_protection(ask, &out)) { return; }
    json_close(&out, '}');
    const struct credentials keys = { ask->task.keys->access_key_id, ask->task.keys->secret_access_key, ask->task.keys->session_token };
    struct str reply;
    bool transient;
    struct err err = { 0 };
    if (client_call_as(config->client, &keys, config->server, "/", update ? "UpdateTaskProtection" : "GetTaskProtection", buf_str(&request),
                       SERVER_TIMEOUT_MS, &reply, &transient, arena, &err)) {
        answer_protection(ask, reply);
    } else {
        answer_protection_error(ask, transient ? 500 : 400, ask->task.arn, err_wire_name(err.code), err.message);
    }
}

static void answer_protection_path(struct ask *ask)
{
    bool right = ask->count == 5 && str_eq(ask->parts[2], STR("task-protection")) && str_eq(ask->parts[3], STR("v1")) && str_eq(ask->parts[4], STR("state"));
    if (!right || (!is_get(ask->request) && !str_eq(ask->request->method, STR("PUT")))) {
        answer_text(ask->answer, right ? 405 : 404, STR("404 page not found\n"));
        return;
    }
    switch (taskmeta_find(ask->metadata, ask->id, &ask->task, ask->request->arena)) {
    case FOUND:           ask_protection(ask); break;
    case FOUND_TOO_OFTEN: answer_too_often(ask->answer); break;
    case FOUND_NOTHING:
        answer_protection_error(ask, 404, STR(""), "ResourceNotFoundException", "Failed to find a task for the request");
        break;
    }
}

/* ---- the paths of a container ---- */

#define NO_CONTAINER "unable to get container ID from request: unable to get docker ID from v3 endpoint ID: "
#define NO_TASK      "unable to get task arn from request: unable to get task Arn from v3 endpoint ID: "
static const struct way {
    size_t count; struct str third, fourth;              /* behind the id; absent: any */
    const char *handler, *unknown;
    void (*run)(struct ask *ask);
} ways[] = {
    { 2, STR_INIT(""),             STR_INIT(""),      "container metadata handler",     NO_CONTAINER, answer_container },
    { 3, STR_INIT("task"),         STR_INIT(""),      "task metadata handler",          NO_TASK,      answer_task },
    { 3, STR_INIT("taskWithTags"), STR_INIT(""),      "task metadata handler",          NO_TASK,      answer_task_with_tags },
    { 3, STR_INIT("stats"),        STR_INIT(""),      "container handler",              NO_TASK,      answer_stats },
    { 4, STR_INIT("task"),         STR_INIT("stats"), "task stats handler",             NO_TASK,      answer_task_stats },
    { 4, STR_INIT("associations"), { NULL, 0 },       "container associations handler", NO_CONTAINER, answer_associations },
    { 5, STR_INIT("associations"), { NULL, 0 },       "container associations handler", NO_CONTAINER, answer_association },
};

static bool fits(const struct ask *ask, const struct way *way)
{
    if (ask->count != way->count) { return false; }
    if (way->count > 2 && !str_eq(ask->parts[2], way->third)) { return false; }
    return way->count < 4 || !str_is_set(way->fourth) || str_eq(ask->parts[3], way->fourth);
}

static void answer_metadata(struct ask *ask)
{
    for (size_t w = 0; w < COUNT_OF(ways); w++) {
        if (!fits(ask, &ways[w])) { continue; }
        switch (taskmeta_find(ask->metadata, ask->id, &ask->task, ask->request->arena)) {
        case FOUND:           ways[w].run(ask); break;
        case FOUND_TOO_OFTEN: answer_too_often(ask->answer); break;
        case FOUND_NOTHING:   refuse(ask, ways[w].handler, ways[w].unknown); break;
        }
        return;
    }
}

/* ---- paths of an operator ---- */

static bool is_wanted(const struct shown_task *task, struct str arn, struct str docker_id)
{
    bool by_id = !str_is_set(docker_id);
    for (size_t c = 0; c < task->count; c++) { by_id = by_id || str_eq(task->containers[c].id, docker_id); }
    return by_id && (!str_is_set(arn) || str_eq(task->arn, arn));
}

static void answer_operator_tasks(struct ask *ask)
{
    struct arena *arena = ask->request->arena;
    struct str arn = parameter(ask->request, STR("taskarn")), docker_id = parameter(ask->request, STR("dockerid"));
    bool one = str_is_set(arn) || str_is_set(docker_id);
    struct shown_task *tasks;
    size_t count = taskmeta_list(ask->metadata, &tasks, arena), shown = 0;
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    if (!one) {
        json_open(&out, '{');
        json_key(&out, STR("Tasks"));
        json_open(&out, '[');
    }
    for (size_t t = 0; t < count && (!one || shown == 0); t++) {
        if (!is_wanted(&tasks[t], arn, docker_id)) { continue; }
        for (size_t c = 0; c < tasks[t].count; c++) { ask_engine(ask, &tasks[t].containers[c]); }
        taskmeta_put_operator_task(&out, &tasks[t], arena);
        shown++;
    }
    if (!one) {
        json_close(&out, ']');
        json_close(&out, '}');
    } else if (shown == 0) {
        json_raw(&out, STR("{}"));
    }
    answer_json(ask->answer, one && shown == 0 ? 400 : 200, &body);
}

static void answer_operator(struct ask *ask)
{
    const struct taskmeta_config *config = taskmeta_settings(ask->metadata);
    bool v1 = ask->count == 2 && str_eq(ask->parts[0], STR("v1"));
    if (v1 && str_eq(ask->parts[1], STR("tasks"))) {
        answer_operator_tasks(ask);
    } else if (v1 && str_eq(ask->parts[1], STR("metadata"))) {
        struct buf body = buf_in(ask->request->arena);
        struct json_out out = json_out_to(&body);
        json_open(&out, '{');
        put_member(&out, STR("Cluster"), str_from(config->cluster));
        put_member(&out, STR("ContainerInstanceArn"), taskmeta_instance(ask->metadata, ask->request->arena));
        put_member(&out, STR("Version"), STR("Berth agent - v" BERTH_VERSION));
        json_close(&out, '}');
        answer_json(ask->answer, 200, &body);
    }
}

/* ---- the handler ---- */

static void split_path(struct ask *ask)
{
    struct str rest = ask->request->path;
    while (rest.len > 0 && ask->count < PARTS_MAX) {
        struct str part;
        str_cut(rest, '/', &part, &rest);
        if (part.len > 0) { ask->parts[ask->count++] = decode(part, ask->request->arena); }
    }
    if (ask->count > 1) { ask->id = ask->parts[1]; }
}

void taskmeta_answer(void *metadata, const struct container_request *request, struct container_answer *answer)
{
    struct ask *ask = ARENA_NEW(request->arena, struct ask, 1);
    *ask = (struct ask){ .metadata = metadata, .request = request, .answer = answer, .id = STR("") };
    answer_text(answer, 404, STR("404 page not found\n"));
    split_path(ask);
    if (ask->count == 0) { return; }
    struct str first = ask->parts[0];
    bool keys = ask->count >= 2 && str_eq(ask->parts[1], STR("credentials")) && (str_eq(first, STR("v1")) || str_eq(first, STR("v2")));
    if (request->door == TASKMETA_CONTAINERS && str_eq(first, STR("api"))) {
        answer_protection_path(ask);
    } else if (!is_get(request)) {
        answer_text(answer, 405, STR("Only GET is answered here.\n"));
    } else if (request->door == TASKMETA_OPERATOR) {
        answer_operator(ask);
    } else if (keys) {
        answer_keys(ask);
    } else if (str_eq(first, STR("v3")) || str_eq(first, STR("v4"))) {
        ask->version = str_eq(first, STR("v4")) ? TASKMETA_V4 : TASKMETA_V3;
        if (ask->count == 1) { ask->count = 2; }          /* an empty id belongs to no container */
        answer_metadata(ask);
    }
}
