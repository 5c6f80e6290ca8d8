/* names.c: names that are not settings: those that Kubernetes makes for Services, and mistyped ones, which have a nearest setting. */
#include "base/assert.h"
#include "cli/settings/config_internal.h"

enum { NAME_MAX_LEN = 64 };

/* ---- Kubernetes ---- */

static bool cut_end(struct str *text, struct str end)
{
    if (!str_ends_with(*text, end)) { return false; }
    *text = str_slice(*text, 0, text->len - end.len);
    return true;
}

static bool cut_digits(struct str *text)
{
    size_t len = text->len;
    while (len > 0 && text->ptr[len - 1] >= '0' && text->ptr[len - 1] <= '9') { len--; }
    bool some = len < text->len;
    *text = str_slice(*text, 0, len);
    return some;
}

/* "..._PORT_9280_TCP", or one part of it: "..._PORT_9280_TCP_ADDR". */
static bool is_of_port(struct str variable)
{
    static const struct str parts[] = { STR_INIT(""), STR_INIT("_PROTO"), STR_INIT("_PORT"), STR_INIT("_ADDR") };
    static const struct str names[] = { STR_INIT("_TCP"), STR_INIT("_UDP"), STR_INIT("_SCTP") };
    for (size_t p = 0; p < COUNT_OF(parts); p++) {
        for (size_t n = 0; n < COUNT_OF(names); n++) {
            struct str rest = variable;
            if (cut_end(&rest, parts[p]) && cut_end(&rest, names[n]) && cut_digits(&rest) && str_ends_with(rest, STR("_PORT_"))) { return true; }
        }
    }
    return false;
}

/* "tcp://10.0.0.7:9280" */
static bool is_port_url(struct str value)
{
    return str_starts_with(value, STR("tcp://")) || str_starts_with(value, STR("udp://")) || str_starts_with(value, STR("sctp://"));
}

bool config_is_kubernetes(struct str variable, struct str value)
{
    return str_ends_with(variable, STR("_SERVICE_HOST")) || str_ends_with(variable, STR("_SERVICE_PORT"))
        || str_contains(variable, STR("_SERVICE_PORT_")) || is_of_port(variable)
        || (str_ends_with(variable, STR("_PORT")) && is_port_url(value));
}

/* ---- mistyped ---- */

/* The number of letters to insert, remove or change to make one from the other. Both have NAME_MAX_LEN bytes at most. */
static size_t distance(struct str a, struct str b)
{
    size_t row[NAME_MAX_LEN + 1];
    for (size_t j = 0; j <= b.len; j++) { row[j] = j; }
    for (size_t i = 0; i < a.len; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.len; j++) {
            size_t changed = diagonal + (a.ptr[i] == b.ptr[j] ? 0 : 1), out = row[j + 1] + 1, in = row[j] + 1;
            diagonal = row[j + 1];
            row[j + 1] = changed < out && changed < in ? changed : out < in ? out : in;
        }
    }
    return row[b.len];
}

const char *config_nearest(struct str name, unsigned commands)
{
    enum { WRONG_OF = 3 };                                       /* one letter in three may be wrong */
    const char *nearest = NULL;
    size_t least = name.len < WRONG_OF ? 2 : name.len / WRONG_OF + 1;
    if (name.len > NAME_MAX_LEN) { return NULL; }
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
        struct str known = str_from(config_rows[s].name);
        if ((config_rows[s].commands & commands) == 0 || known.len > NAME_MAX_LEN) { continue; }
        size_t wrong = distance(name, known);
        if (wrong < least) {
            least = wrong;
            nearest = config_rows[s].name;
        }
    }
    return nearest;
}
