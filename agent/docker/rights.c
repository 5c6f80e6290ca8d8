/* rights.c: rights that a container may not have on this machine, checked in the finished HostConfig: there each member is present once, in
 * one spelling.
 *
 * The machine's owner decides by --no-privileged. Privileged is more than one switch: a capability that Docker does not give by itself, a name
 * space or a device of the host, or less of Docker's hiding and filtering: each gives access to the machine, and to the agent's key. */
#include "agent/docker/docker.h"

#include <limits.h>
#include <stdlib.h>

#include "model/capabilities.h"

#define BY "(--no-privileged, ECS_DISABLE_PRIVILEGED)"

/* Docker takes a word where a list of words is meant. */
static size_t word_count(const struct json *value)
{
    return value->type == JSON_STRING ? 1 : value->type == JSON_ARRAY ? value->count : 0;
}

static struct str word_at(const struct json *value, size_t at)
{
    const struct json *item = value->type == JSON_STRING ? value : &value->as.items[at];
    return item->type == JSON_STRING ? item->as.string : STR("");
}

/* ---- kinds of members: each is true with *what when it asks for too much ---- */

static bool is_true(const struct json *value, struct str *what)
{
    *what = STR("true");
    return value->type == JSON_TRUE;
}

static bool adds_capability(const struct json *value, struct str *what)
{
    for (size_t w = 0; w < word_count(value); w++) {
        *what = word_at(value, w);
        if (!capability_is_usual(*what)) { return true; }
    }
    return false;
}

static bool is_host(const struct json *value, struct str *what)
{
    *what = word_count(value) == 1 ? word_at(value, 0) : STR("");
    return str_eq_nocase(*what, STR("host"));
}

static bool loosens(const struct json *value, struct str *what)
{
    for (size_t w = 0; w < word_count(value); w++) {
        *what = word_at(value, w);
        if (!str_starts_with(*what, STR("no-new-privileges"))) { return true; }
    }
    return false;
}

static bool is_said(const struct json *value, struct str *what)
{
    *what = STR("[]");
    return value->type != JSON_NULL;
}

static bool has_items(const struct json *value, struct str *what)
{
    *what = word_count(value) > 0 ? word_at(value, 0) : STR("");
    return word_count(value) > 0;
}

static bool check_rights(const struct json *host, struct err *err)
{
    static const struct { struct str key; bool (*refused)(const struct json *value, struct str *what); } rows[] = {
        { STR_INIT("Privileged"), is_true },   { STR_INIT("CapAdd"), adds_capability }, { STR_INIT("SecurityOpt"), loosens },
        { STR_INIT("PidMode"), is_host },      { STR_INIT("IpcMode"), is_host },        { STR_INIT("UTSMode"), is_host },
        { STR_INIT("UsernsMode"), is_host },   { STR_INIT("CgroupnsMode"), is_host },   { STR_INIT("MaskedPaths"), is_said },
        { STR_INIT("ReadonlyPaths"), is_said }, { STR_INIT("DeviceCgroupRules"), has_items },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const struct json *value = docker_get_nocase(host, rows[r].key);
        struct str what = STR("");
        if (value == NULL || !rows[r].refused(value, &what)) { continue; }
        return err_set(err, ERR_CLIENT, "CannotCreateContainerError: this machine runs no privileged containers, nor any with " STR_FMT " " STR_FMT " " BY,
                       STR_ARG(rows[r].key), STR_ARG(what));
    }
    return true;
}

/* ---- devices ---- */

static struct str real_path(struct str path, struct arena *arena)
{
    char real[PATH_MAX];
    return realpath(arena_cstr(arena, path), real) != NULL ? arena_str(arena, str_from(real)) : path;
}

static bool is_listed(struct str device, const char *const *allow, struct arena *arena)
{
    for (size_t a = 0; allow != NULL && allow[a] != NULL; a++) {
        if (docker_is_below(device, real_path(str_from(allow[a]), arena))) { return true; }
    }
    return false;
}

static bool check_device(const struct docker_plan *plan, struct str path, struct arena *arena, struct err *err)
{
    struct str real = real_path(path, arena);
    /* NVIDIA's devices, or a folder with them in it: Docker gives all that is below. A task that needs a GPU asks for one: the books of the
     * server know who has which. */
    if (str_starts_with(real, STR("/dev/nvidia")) || str_eq(real, STR("/dev")) || str_eq(real, STR("/"))) {
        return err_set(err, ERR_SERVER, "HostConfigError: device " STR_FMT " is a GPU's, which a container gets by a resource requirement only",
                       STR_ARG(path));
    }
    bool any = !plan->no_privileged && plan->device_allow == NULL;
    return any || is_listed(real, plan->device_allow, arena)
        || err_set(err, ERR_CLIENT, "CannotCreateContainerError: device " STR_FMT " is not one that this machine gives to containers (--allow-devices)",
                   STR_ARG(path));
}

static bool check_devices(const struct docker_plan *plan, const struct json *devices, struct arena *arena, struct err *err)
{
    for (size_t d = 0; devices != NULL && devices->type == JSON_ARRAY && d < devices->count; d++) {
        const struct json *device = &devices->as.items[d];
        for (size_t m = 0; device->type == JSON_OBJECT && m < device->count; m++) {       /* in any spelling; Docker takes the last */
            const struct json_member *member = &device->as.members[m];
            if (!str_eq_nocase(member->key, STR("PathOnHost")) || member->value.type != JSON_STRING) { continue; }
            if (!check_device(plan, member->value.as.string, arena, err)) { return false; }
        }
    }
    return true;
}

bool docker_check_rights(const struct docker_plan *plan, const struct json *host, struct arena *arena, struct err *err)
{
    return (!plan->no_privileged || check_rights(host, err)) && check_devices(plan, docker_get_nocase(host, STR("Devices")), arena, err);
}
