#include "server/webhooks/settings.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text/base64.h"

enum { FILE_MAX = 1024 * 1024, TIMEOUT_USUAL_S = 10, TIMEOUT_MAX_S = 60, NAME_MOST = 64, SECRET_LEAST = 24, SECRET_MOST = 64, URL_MOST = 2048 };

struct reading { struct arena *arena; struct webhook_setting *setting; struct err *err; };

static bool refuse(struct reading *reading, const char *what)
{
    return err_set(reading->err, ERR_INVALID_PARAMETER, "The webhook \"" STR_FMT "\": %s.", STR_ARG(reading->setting->name), what);
}

static bool is_name(struct str name)
{
    bool good = name.len > 0 && name.len <= NAME_MOST;
    for (size_t c = 0; good && c < name.len; c++) {
        char byte = name.ptr[c];
        good = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
    }
    return good;
}

/* As the Standard Webhooks have it. */
static bool read_secret(struct reading *reading, struct str text)
{
    static const struct str prefix = STR_INIT("whsec_");
    static const char wants[] = "\"secret\" is whsec_ and 24 to 64 bytes in base64: openssl rand -base64 32";
    if (!str_is_set(text) || !str_starts_with(text, prefix)) { return refuse(reading, wants); }
    reading->setting->secret = base64_decode(str_slice(text, prefix.len, text.len), reading->arena);
    bool good = str_is_set(reading->setting->secret) && reading->setting->secret.len >= SECRET_LEAST && reading->setting->secret.len <= SECRET_MOST;
    return good || refuse(reading, wants);
}

static bool read_types(struct reading *reading, const struct json *list)
{
    static const char wants[] = "\"types\" is a list of at most 16 texts, each a detail-type such as \"ECS Task State Change\"";
    if (list == NULL) { return true; }
    if (list->type != JSON_ARRAY || list->count > WEBHOOK_TYPES_MAX) { return refuse(reading, wants); }
    for (size_t t = 0; t < list->count; t++) {
        if (list->as.items[t].type != JSON_STRING) { return refuse(reading, wants); }
        reading->setting->types[reading->setting->type_count++] = list->as.items[t].as.string;
    }
    return true;
}

static bool read_one(struct reading *reading, const struct json *object)
{
    static const struct str members[] = { STR_INIT("url"), STR_INIT("secret"), STR_INIT("types"), STR_INIT("timeout_s") };
    struct webhook_setting *setting = reading->setting;
    if (object->type != JSON_OBJECT) { return refuse(reading, "it is an object"); }
    if (!is_name(setting->name)) { return refuse(reading, "a name has 1 to 64 letters, digits, - and _"); }
    for (size_t m = 0; m < object->count; m++) {
        size_t at = 0;
        while (at < COUNT_OF(members) && !str_eq(members[at], object->as.members[m].key)) { at++; }
        if (at < COUNT_OF(members)) { continue; }
        return refuse(reading, arena_printf(reading->arena, "\"" STR_FMT "\" is not known", STR_ARG(object->as.members[m].key)).ptr);
    }
    int64_t timeout_s = json_get_i64(object, STR("timeout_s"), TIMEOUT_USUAL_S);
    setting->timeout_ms = timeout_s * 1000;
    setting->url = json_get_str(object, STR("url"));
    bool is_url = str_is_set(setting->url) && setting->url.len <= URL_MOST
        && (str_starts_with(setting->url, STR("http://")) || str_starts_with(setting->url, STR("https://")));
    if (!is_url) { return refuse(reading, "\"url\" begins with http:// or https://"); }
    if (timeout_s < 1 || timeout_s > TIMEOUT_MAX_S) { return refuse(reading, "\"timeout_s\" is 1 to 60"); }
    return read_secret(reading, json_get_str(object, STR("secret"))) && read_types(reading, json_get(object, STR("types")));
}

bool webhooks_parse(struct str text, struct webhook_settings *settings, struct arena *arena, struct err *err)
{
    const struct json *tree = json_parse(text, arena, err);
    *settings = (struct webhook_settings){ NULL, 0 };
    if (tree == NULL) { return false; }
    if (tree->type != JSON_OBJECT || tree->count == 0 || tree->count > WEBHOOKS_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "The webhooks are a JSON object of 1 to %d of them, by name.", WEBHOOKS_MAX);
    }
    settings->items = ARENA_NEW(arena, struct webhook_setting, tree->count);
    for (size_t h = 0; h < tree->count; h++) {
        settings->items[h].name = tree->as.members[h].key;
        struct reading reading = { arena, &settings->items[h], err };
        if (!read_one(&reading, &tree->as.members[h].value)) { return false; }
        settings->count++;
    }
    return true;
}

bool webhooks_read(const char *path, struct webhook_settings *settings, struct arena *arena, struct err *err)
{
    struct buf text = buf_in(arena);
    struct err why = { 0 };
    if (!file_read_whole(path, FILE_MAX, &text, err)) { return false; }
    return webhooks_parse(buf_str(&text), settings, arena, &why) || err_set(err, ERR_INVALID_PARAMETER, "%s: %s", path, why.message);
}

bool webhook_wants(const struct webhook_setting *setting, struct str type)
{
    bool wants = setting->type_count == 0;
    for (size_t t = 0; t < setting->type_count; t++) { wants = wants || str_eq(setting->types[t], type); }
    return wants;
}
