/* roles.c: the keys of a task's roles. They come with the payload and in separate messages, live in memory and are never written down: the
 * task's file has their ids only, and after a restart the server sends them again. */
#include "agent/task/task.h"

enum { KEYS_ARENA_MAX = 256 * 1024 };

void task_keys_set(struct task_keys *keys, const struct wire_role_credentials *told)
{
    task_keys_finish(keys);
    arena_init(&keys->arena, KEYS_ARENA_MAX);
    ASSERT(keys->told == NULL);
    keys->told = ARENA_NEW(&keys->arena, struct wire_role_credentials, 1);
    task_keys_copy(told, keys->told, &keys->arena);
}

void task_keys_finish(struct task_keys *keys)
{
    arena_finish(&keys->arena);
    *keys = (struct task_keys){ 0 };
}

void task_keys_copy(const struct wire_role_credentials *from, struct wire_role_credentials *to, struct arena *arena)
{
    *to = (struct wire_role_credentials){
        .credentials_id = arena_str(arena, from->credentials_id), .role_arn = arena_str(arena, from->role_arn),
        .access_key_id = arena_str(arena, from->access_key_id), .secret_access_key = arena_str(arena, from->secret_access_key),
        .session_token = arena_str(arena, from->session_token), .expiration = arena_str(arena, from->expiration),
        .credential_scope = arena_str(arena, from->credential_scope),
    };
}

struct wire_role_credentials *task_role_keys(const struct task_keys *keys, struct arena *arena)
{
    if (keys->told == NULL) { return NULL; }
    struct wire_role_credentials *copy = ARENA_NEW(arena, struct wire_role_credentials, 1);
    task_keys_copy(keys->told, copy, arena);
    return copy;
}

struct str task_role_id(const struct task *task)
{
    return task->wire->role_credentials != NULL ? task->wire->role_credentials->credentials_id : (struct str){ 0 };
}

void task_take_payload_keys(struct task *task, const struct wire_task *wire)
{
    lock_take(&task->lock);
    if (wire->role_credentials != NULL) { task_keys_set(&task->role, wire->role_credentials); }
    if (wire->execution_role_credentials != NULL) { task_keys_set(&task->execution_role, wire->execution_role_credentials); }
    lock_drop(&task->lock);
}

bool task_take_keys(struct task *task, const struct wire_role_message *message)
{
    bool own = str_eq(message->role_type, STR("TaskApplication")), known = own || str_eq(message->role_type, STR("TaskExecution"));
    if (!known) { return false; }
    lock_take(&task->lock);
    task_keys_set(own ? &task->role : &task->execution_role, message->role_credentials);
    lock_drop(&task->lock);
    return true;
}

/* ---- the payload without them ---- */

static const struct str secret_members[] = { STR_INIT("accessKeyId"), STR_INIT("secretAccessKey"), STR_INIT("sessionToken"), STR_INIT("expiration") };

static bool is_secret(struct str key)
{
    for (size_t s = 0; s < COUNT_OF(secret_members); s++) {
        if (str_eq(secret_members[s], key)) { return true; }
    }
    return false;
}

/* A copy of the object's list of members, so that their values can be changed. */
static struct json own_members(const struct json *object, struct arena *arena)
{
    struct json copy = *object;
    copy.as.members = arena_copy(arena, object->as.members, object->count * sizeof *object->as.members);
    return copy;
}

static void strip_keys(struct json *keys, struct arena *arena)
{
    if (keys->type != JSON_OBJECT) { return; }
    struct json kept = own_members(keys, arena);
    kept.count = 0;
    for (size_t m = 0; m < keys->count; m++) {
        if (!is_secret(keys->as.members[m].key)) { kept.as.members[kept.count++] = keys->as.members[m]; }
    }
    *keys = kept;
}

static void strip_task(struct json *task, struct arena *arena)
{
    if (task->type != JSON_OBJECT) { return; }
    *task = own_members(task, arena);
    for (size_t m = 0; m < task->count; m++) {
        struct json_member *member = &task->as.members[m];
        bool holds = str_eq(member->key, STR("roleCredentials")) || str_eq(member->key, STR("executionRoleCredentials"));
        if (holds) { strip_keys(&member->value, arena); }
    }
}

const struct json *task_without_keys(const struct json *payload, struct arena *arena)
{
    if (payload->type != JSON_OBJECT) { return payload; }
    struct json *out = ARENA_NEW(arena, struct json, 1);
    *out = own_members(payload, arena);
    for (size_t m = 0; m < out->count; m++) {
        struct json *tasks = &out->as.members[m].value;
        if (!str_eq(out->as.members[m].key, STR("tasks")) || tasks->type != JSON_ARRAY) { continue; }
        tasks->as.items = arena_copy(arena, tasks->as.items, tasks->count * sizeof *tasks->as.items);
        for (size_t t = 0; t < tasks->count; t++) { strip_task(&tasks->as.items[t], arena); }
    }
    return out;
}
