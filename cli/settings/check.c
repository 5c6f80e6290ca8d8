#include <stdio.h>

#include "base/assert.h"
#include "base/log.h"
#include "base/text/duration.h"
#include "base/num.h"
#include "cli/settings/config_internal.h"

enum { FILE_SIZE_MAX = 1024 * 1024 };

static bool check_text(struct str value) { return value.len > 0; }

static bool check_list(struct str value)
{
    struct str item, rest = value;
    bool more = true;
    while (more) {
        more = str_cut(rest, ',', &item, &rest);
        if (item.len == 0) { return false; }
    }
    return true;
}

static bool check_flag(struct str value) { return str_eq(value, STR("true")) || str_eq(value, STR("false")); }

static bool check_number(struct str value)
{
    int64_t number;
    return str_to_i64(value, &number) && number >= 0 && number <= INT32_MAX;
}

static bool check_duration(struct str value)
{
    int64_t ms;
    return duration_parse(value, &ms);
}

static bool check_port(struct str text)
{
    int64_t port;
    return str_to_i64(text, &port) && port >= 0 && port <= 65535;
}

/* HOST:PORT, split at the last colon, so that [::1]:9280 works. */
static bool check_address(struct str value)
{
    size_t colon = value.len;
    for (size_t c = 0; c < value.len; c++) {
        if (value.ptr[c] == ':') {
            colon = c;
        }
    }
    return colon > 0 && colon < value.len && check_port(str_slice(value, colon + 1, value.len));
}

static bool check_url(struct str value)
{
    bool http = str_starts_with(value, STR("http://")) && value.len > strlen("http://");
    return http || (str_starts_with(value, STR("https://")) && value.len > strlen("https://"));
}

static bool check_urls(struct str value)
{
    struct str url;
    bool more = true, good = true;
    while (good && more) {
        more = str_cut(value, ',', &url, &value);
        good = check_url(url);
    }
    return good;
}

static bool check_name(struct str value)
{
    for (size_t c = 0; c < value.len; c++) {
        char letter = value.ptr[c];
        bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
        if (!plain && strchr("-_.@+=,", letter) == NULL) {
            return false;
        }
    }
    return value.len > 0 && value.len <= 64;
}

static bool check_account(struct str value)
{
    for (size_t c = 0; c < value.len; c++) {
        if (value.ptr[c] < '0' || value.ptr[c] > '9') {
            return false;
        }
    }
    return value.len == 12;
}

static bool one_of(struct str value, const struct str *words, size_t count)
{
    for (size_t w = 0; w < count; w++) {
        if (str_eq(value, words[w])) {
            return true;
        }
    }
    return false;
}

#define CHOICE(name, ...)                                                                       \
    static bool name(struct str value)                                                          \
    {                                                                                           \
        static const struct str words[] = { __VA_ARGS__ };                                      \
        return one_of(value, words, COUNT_OF(words));                                           \
    }
CHOICE(check_runtime, STR_INIT("auto"), STR_INIT("docker"), STR_INIT("process"))
CHOICE(check_gpu_support, STR_INIT("auto"), STR_INIT("on"), STR_INIT("off"))
CHOICE(check_image_pull, STR_INIT("default"), STR_INIT("always"), STR_INIT("once"), STR_INIT("prefer-cached"))
CHOICE(check_dashboard, STR_INIT("loopback"), STR_INIT("off"))
CHOICE(check_role, STR_INIT("admin"), STR_INIT("agent"), STR_INIT("viewer"))
CHOICE(check_output, STR_INIT("text"), STR_INIT("json"))
CHOICE(check_log_level, STR_INIT("debug"), STR_INIT("info"), STR_INIT("warn"), STR_INIT("error"))

static const struct { bool (*check)(struct str value); const char *wanted; } kinds[SETTING_KIND_COUNT] = {
    [KIND_TEXT]        = { check_text,        "some text" },
    [KIND_LIST]        = { check_list,        "one or more items with commas between" },
    [KIND_FLAG]        = { check_flag,        "true or false" },
    [KIND_NUMBER]      = { check_number,      "a number, 0 or more" },
    [KIND_DURATION]    = { check_duration,    "a time such as 30s, 5m or 1h30m, of a hundred years at most" },
    [KIND_ADDRESS]     = { check_address,     "HOST:PORT, such as 127.0.0.1:9280" },
    [KIND_URL]         = { check_url,         "a URL that begins with http:// or https://" },
    [KIND_URLS]        = { check_urls,        "one or more URLs that begin with http:// or https://, with commas between" },
    [KIND_NAME]        = { check_name,        "1 to 64 letters, digits and -_.@+=," },
    [KIND_ACCOUNT]     = { check_account,     "12 digits" },
    [KIND_RUNTIME]     = { check_runtime,     "auto, docker or process" },
    [KIND_GPU_SUPPORT] = { check_gpu_support, "auto, on or off" },
    [KIND_IMAGE_PULL]  = { check_image_pull,  "default, always, once or prefer-cached" },
    [KIND_DASHBOARD]   = { check_dashboard,   "loopback or off" },
    [KIND_ROLE]        = { check_role,        "admin, agent or viewer" },
    [KIND_OUTPUT]      = { check_output,      "text or json" },
    [KIND_LOG_LEVEL]   = { check_log_level,   "debug, info, warn or error" },
};

bool config_check(enum setting_kind kind, struct str value)
{
    ASSERT(kind < SETTING_KIND_COUNT);                          /* of the table of settings */
    return kinds[kind].check(value);
}

const char *config_wanted(enum setting_kind kind)
{
    ASSERT(kind < SETTING_KIND_COUNT);                          /* of the table of settings, too */
    return kinds[kind].wanted;
}

bool config_load_file(const char *path, struct arena *arena, struct str *text)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    char *bytes = ARENA_NEW(arena, char, FILE_SIZE_MAX);
    size_t size = fread(bytes, 1, FILE_SIZE_MAX, file);
    bool whole = feof(file) != 0 && ferror(file) == 0;
    fclose(file);
    *text = (struct str){ bytes, size };
    return whole;
}
