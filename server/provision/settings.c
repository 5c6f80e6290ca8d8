#include "server/provision/settings.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"

enum { FILE_MAX = 1024 * 1024, TIMEOUT_USUAL_S = 120, TIMEOUT_MAX_S = 3600, NAME_MAX_BYTES = 128, ENVIRONMENT_MAX = 100 };

/* ---- one provisioner ---- */

struct reading { struct arena *arena; struct provisioner_setting *setting; struct err *err; };

static bool refuse(struct reading *reading, const char *what)
{
    return err_set(reading->err, ERR_INVALID_PARAMETER, "The provisioner \"" STR_FMT "\": %s.", STR_ARG(reading->setting->name), what);
}

static bool is_mac(struct str text)
{
    bool good = text.len == 17;
    for (size_t c = 0; good && c < text.len; c++) { good = c % 3 == 2 ? text.ptr[c] == ':' : strchr("0123456789abcdefABCDEF", text.ptr[c]) != NULL; }
    return good;
}

/* "NAME=VALUE" for each, behind those that every program gets. */
static bool read_environment(struct reading *reading, const struct json *object)
{
    static const char *const usual[] = { "PATH", "HOME", "LANG" };
    struct arena *arena = reading->arena;
    const char **environment = ARENA_NEW(arena, const char *, ENVIRONMENT_MAX + COUNT_OF(usual) + 1);
    size_t count = 0;
    for (size_t u = 0; u < COUNT_OF(usual); u++) {
        const char *value = getenv(usual[u]);
        if (value != NULL) { environment[count++] = arena_printf(arena, "%s=%s", usual[u], value).ptr; }
    }
    reading->setting->environment = environment;
    if (object == NULL) { return true; }
    if (object->type != JSON_OBJECT || object->count > ENVIRONMENT_MAX) { return refuse(reading, "\"environment\" is an object of at most 100 strings"); }
    for (size_t m = 0; m < object->count; m++) {
        const struct json_member *member = &object->as.members[m];
        bool good = member->value.type == JSON_STRING && member->key.len > 0 && !str_contains(member->key, STR("="));
        if (!good) { return refuse(reading, "\"environment\" is an object of at most 100 strings"); }
        environment[count++] = arena_printf(arena, STR_FMT "=" STR_FMT, STR_ARG(member->key), STR_ARG(member->value.as.string)).ptr;
    }
    return true;
}

static bool read_host(struct reading *reading, const struct json *object, struct provisioner_host *host)
{
    static const struct str members[] = { STR_INIT("name"), STR_INIT("type"), STR_INIT("mac"), STR_INIT("up"), STR_INIT("down") };
    struct str *const texts[] = { &host->name, &host->type, &host->mac, &host->up, &host->down };
    for (size_t m = 0; object->type == JSON_OBJECT && m < object->count; m++) {
        const struct json_member *member = &object->as.members[m];
        size_t at = 0;
        while (at < COUNT_OF(members) && !str_eq(members[at], member->key)) { at++; }
        if (at == COUNT_OF(members) || member->value.type != JSON_STRING) { return refuse(reading, "a host has the texts name, type, mac, up and down"); }
        *texts[at] = member->value.as.string;
    }
    if (host->name.len == 0 || host->name.len > NAME_MAX_BYTES) { return refuse(reading, "a host has a name of 1 to 128 bytes"); }
    return !str_is_set(host->mac) || is_mac(host->mac) || refuse(reading, "a mac is written like 00:1a:2b:3c:4d:5e");
}

static bool read_hosts(struct reading *reading, const struct json *list)
{
    struct provisioner_setting *setting = reading->setting;
    bool good = list != NULL && list->type == JSON_ARRAY && list->count > 0 && list->count <= PROVISIONER_HOSTS_MAX;
    if (!good) { return refuse(reading, "\"static\" is a list of 1 to 1000 hosts"); }
    setting->hosts = ARENA_NEW(reading->arena, struct provisioner_host, list->count);
    for (size_t h = 0; h < list->count; h++) {
        if (!read_host(reading, &list->as.items[h], &setting->hosts[h])) { return false; }
        for (size_t g = 0; g < h; g++) {
            if (str_eq(setting->hosts[g].name, setting->hosts[h].name)) { return refuse(reading, "two hosts have the same name"); }
        }
        setting->host_count++;
    }
    return true;
}

static bool read_kind(struct reading *reading, const struct json *object)
{
    static const struct { struct str word; const char *wants; } kinds[] = {
        [PROVISIONER_EXEC]   = { STR_INIT("exec"),   "\"exec\" is the path of a program, from /" },
        [PROVISIONER_HTTP]   = { STR_INIT("http"),   "\"http\" is a URL" },
        [PROVISIONER_STATIC] = { STR_INIT("static"), NULL },
        [PROVISIONER_FAKE]   = { STR_INIT("fake"),   "\"fake\" is a type of machine" },
    };
    struct provisioner_setting *setting = reading->setting;
    size_t found = COUNT_OF(kinds), count = 0;
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        if (json_get(object, kinds[k].word) == NULL) { continue; }
        found = k;
        count++;
    }
    if (count != 1) { return refuse(reading, "it has one of exec, http, static and fake"); }
    setting->kind = (enum provisioner_kind)found;
    setting->target = json_get_str(object, kinds[found].word);
    if (setting->kind == PROVISIONER_STATIC) {
        setting->target = json_get_str(object, STR("broadcast"));
        if (!str_is_set(setting->target)) { setting->target = STR("255.255.255.255"); }
        return read_hosts(reading, json_get(object, kinds[found].word));
    }
    bool http = str_starts_with(setting->target, STR("http://")) || str_starts_with(setting->target, STR("https://"));
    bool path = str_starts_with(setting->target, STR("/")), is_exec = setting->kind == PROVISIONER_EXEC, is_http = setting->kind == PROVISIONER_HTTP;
    bool good = is_exec ? path : is_http ? http : setting->target.len > 0;
    return good || refuse(reading, kinds[found].wants);
}

static bool read_one(struct reading *reading, const struct json *object)
{
    static const struct str members[] = { STR_INIT("exec"), STR_INIT("http"), STR_INIT("static"), STR_INIT("fake"), STR_INIT("timeout_s"),
                                          STR_INIT("environment"), STR_INIT("broadcast") };
    struct str name = reading->setting->name;
    if (object->type != JSON_OBJECT) { return refuse(reading, "it is an object"); }
    if (name.len == 0 || name.len > NAME_MAX_BYTES) { return refuse(reading, "a name has 1 to 128 bytes"); }
    for (size_t m = 0; m < object->count; m++) {
        size_t at = 0;
        while (at < COUNT_OF(members) && !str_eq(members[at], object->as.members[m].key)) { at++; }
        struct str unknown = arena_printf(reading->arena, "\"" STR_FMT "\" is not known", STR_ARG(object->as.members[m].key));
        if (at == COUNT_OF(members)) { return refuse(reading, unknown.ptr); }
    }
    int64_t timeout_s = json_get_i64(object, STR("timeout_s"), TIMEOUT_USUAL_S);
    reading->setting->timeout_ms = timeout_s * 1000;
    if (timeout_s < 1 || timeout_s > TIMEOUT_MAX_S) { return refuse(reading, "\"timeout_s\" is 1 to 3600"); }
    return read_kind(reading, object) && read_environment(reading, json_get(object, STR("environment")));
}

bool settings_parse(struct str text, struct provisioner_settings *settings, struct arena *arena, struct err *err)
{
    const struct json *tree = json_parse(text, arena, err);
    *settings = (struct provisioner_settings){ NULL, 0 };
    if (tree == NULL) { return false; }
    if (tree->type != JSON_OBJECT || tree->count == 0 || tree->count > PROVISIONERS_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "The provisioners are a JSON object of 1 to %d of them, by name.", PROVISIONERS_MAX);
    }
    settings->items = ARENA_NEW(arena, struct provisioner_setting, tree->count);
    for (size_t p = 0; p < tree->count; p++) {
        settings->items[p].name = tree->as.members[p].key;
        struct reading reading = { arena, &settings->items[p], err };
        if (!read_one(&reading, &tree->as.members[p].value)) { return false; }
        settings->count++;
    }
    return true;
}

bool settings_read(const char *path, struct provisioner_settings *settings, struct arena *arena, struct err *err)
{
    struct buf text = buf_in(arena);
    struct err why = { 0 };
    if (!file_read_whole(path, FILE_MAX, &text, err)) { return false; }
    return settings_parse(buf_str(&text), settings, arena, &why) || err_set(err, ERR_INVALID_PARAMETER, "%s: %s", path, why.message);
}
