/* merge.c: the payload's dockerConfig over the agent's own settings. The ECS agent unmarshals the one over the other in Go, and servers rely
 * on the rules that follow from it: names of members are matched without regard to case, keys of maps exactly, and null empties what can be
 * nil.
 *
 * A payload may not set what the agent decides itself. With devices, runtime or host paths a task definition could reach a GPU or a directory
 * that it was not given, against the books of the server and the list of the machine's owner. Restarts are the agent's: before each it looks
 * at the mounts. */
#include "agent/docker/docker.h"

static const struct { enum docker_section section; struct str key; } reserved_keys[] = {
    { DOCKER_CONFIG,      STR_INIT("Env") },
    { DOCKER_CONFIG,      STR_INIT("HostConfig") },
    { DOCKER_CONFIG,      STR_INIT("NetworkingConfig") },
    { DOCKER_HOST_CONFIG, STR_INIT("Binds") },
    { DOCKER_HOST_CONFIG, STR_INIT("Mounts") },
    { DOCKER_HOST_CONFIG, STR_INIT("VolumesFrom") },
    { DOCKER_HOST_CONFIG, STR_INIT("Runtime") },
    { DOCKER_HOST_CONFIG, STR_INIT("CgroupParent") },
    { DOCKER_HOST_CONFIG, STR_INIT("DeviceRequests") },
    { DOCKER_HOST_CONFIG, STR_INIT("RestartPolicy") },
};

/* Values that are structs in Go: null leaves them, and their members' case does not count. */
static const struct str struct_keys[] = { STR_INIT("LogConfig"), STR_INIT("Healthcheck") };

static bool is_struct_key(struct str key)
{
    for (size_t k = 0; k < COUNT_OF(struct_keys); k++) {
        if (str_eq_nocase(struct_keys[k], key)) { return true; }
    }
    return false;
}

static bool is_empty(const struct json *value)
{
    return value->type == JSON_NULL || (value->type == JSON_ARRAY && value->count == 0);
}

static struct json_member *find_member(struct json_member *members, size_t count, struct str key, bool fold)
{
    for (size_t m = 0; m < count; m++) {
        if (fold ? str_eq_nocase(members[m].key, key) : str_eq(members[m].key, key)) { return &members[m]; }
    }
    return NULL;
}

static struct json merge(const struct json *base, const struct json *over, bool fold, struct arena *arena);

static struct json merge_value(const struct json_member *base, const struct json *over, struct arena *arena)
{
    bool is_struct = is_struct_key(base->key), can_be_nil = base->value.type == JSON_OBJECT || base->value.type == JSON_ARRAY;
    if (over->type == JSON_NULL) { return can_be_nil && !is_struct ? *over : base->value; }
    if (over->type == JSON_OBJECT && base->value.type == JSON_OBJECT) { return merge(&base->value, over, is_struct, arena); }
    return *over;
}

static struct json merge(const struct json *base, const struct json *over, bool fold, struct arena *arena)
{
    struct json out = { .type = JSON_OBJECT };
    out.as.members = ARENA_NEW(arena, struct json_member, base->count + over->count);
    for (size_t m = 0; m < base->count; m++) { out.as.members[out.count++] = base->as.members[m]; }
    for (size_t m = 0; m < over->count; m++) {
        const struct json_member *from = &over->as.members[m];
        struct json_member *to = find_member(out.as.members, out.count, from->key, fold);
        if (to != NULL) {
            to->value = merge_value(to, &from->value, arena);
        } else if (from->value.type != JSON_NULL) {
            out.as.members[out.count++] = *from;
        }
    }
    return out;
}

const struct json *docker_merge(const struct json *base, const struct json *over, struct arena *arena)
{
    if (over == NULL) { return base; }
    ASSERT(base->type == JSON_OBJECT);                          /* what we printed */
    ASSERT(over->type == JSON_OBJECT);                          /* docker_parse_overlay refuses all other types */
    struct json *out = ARENA_NEW(arena, struct json, 1);
    *out = merge(base, over, true, arena);
    return out;
}

const struct json *docker_get_nocase(const struct json *object, struct str key)
{
    if (object == NULL || object->type != JSON_OBJECT) { return NULL; }
    const struct json_member *member = find_member(object->as.members, object->count, key, true);
    return member == NULL ? NULL : &member->value;
}

/* Go folds more letters than ASCII has (the long s is an s to it), so a name that is not ASCII could mean a refused one. No setting of
 * Docker's has such a name. */
static bool is_ascii(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] >= 0x80) { return false; }
    }
    return true;
}

static bool is_reserved(enum docker_section section, struct str key)
{
    for (size_t k = 0; k < COUNT_OF(reserved_keys); k++) {
        if (reserved_keys[k].section == section && str_eq_nocase(reserved_keys[k].key, key)) { return true; }
    }
    return false;
}

bool docker_parse_overlay(enum docker_section section, struct str text, const struct json **overlay, struct arena *arena,
                          struct err *err)
{
    static const struct { const char *error, *member; } words[] = {
        [DOCKER_CONFIG] = { "DockerClientConfigError", "config" }, [DOCKER_HOST_CONFIG] = { "HostConfigError", "hostConfig" },
    };
    *overlay = NULL;
    if (str_trim(text).len == 0) { return true; }
    struct err cause = { 0 };
    const struct json *tree = json_parse(text, arena, &cause);
    if (tree == NULL || tree->type != JSON_OBJECT) {
        return err_set(err, ERR_SERVER, "%s: dockerConfig.%s is not a JSON object. %s", words[section].error, words[section].member,
                       cause.message);
    }
    /* A reserved member that is empty is dropped: servers send "DeviceRequests":[] to agents that would ask for devices. */
    struct json *kept = ARENA_NEW(arena, struct json, 1);
    *kept = (struct json){ .type = JSON_OBJECT, .as.members = ARENA_NEW(arena, struct json_member, tree->count) };
    for (size_t m = 0; m < tree->count; m++) {
        const struct json_member *member = &tree->as.members[m];
        bool reserved = is_reserved(section, member->key);
        if (!is_ascii(member->key) || (reserved && !is_empty(&member->value))) {
            return err_set(err, ERR_SERVER, "%s: dockerConfig.%s may not set " STR_FMT ", which the agent decides",
                           words[section].error, words[section].member, STR_ARG(member->key));
        }
        if (!reserved) { kept->as.members[kept->count++] = *member; }
    }
    *overlay = kept;
    return true;
}
