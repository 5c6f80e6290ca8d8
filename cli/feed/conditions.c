#include "cli/feed/conditions.h"

#include "cli/feed/plan.h"

/* ---- words ---- */

/* In double quotes HAProxy reads backslashes and variables, so these are escaped, and so is each byte that does not print. */
void conditions_put_quoted(struct str text, struct buf *out)
{
    buf_put_char(out, '"');
    for (size_t c = 0; c < text.len; c++) {
        unsigned char byte = (unsigned char)text.ptr[c];
        if (byte < ' ' || byte == 0x7F) {
            buf_printf(out, "\\x%02x", byte);
        } else {
            if (byte == '"' || byte == '\\' || byte == '$') { buf_put_char(out, '\\'); }
            buf_put_char(out, (char)byte);
        }
    }
    buf_put_char(out, '"');
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-_/=&:,;~@!%", c) != NULL || (unsigned char)c >= 0x80;
}

void conditions_put_pattern(struct str pattern, const char *one, struct buf *out)
{
    for (size_t c = 0; c < pattern.len; c++) {
        char letter = pattern.ptr[c];
        if (letter == '*' || letter == '?') {
            buf_printf(out, "%s%s", one, letter == '*' ? "*" : "");
        } else if (letter != '\0' && is_plain(letter)) {
            buf_put_char(out, letter);
        } else {
            buf_printf(out, "\\x%02x", (unsigned char)letter);
        }
    }
}

/* ---- conditions ---- */

/* How a field is matched. `start` and `end` are put around the pattern of each value. */
static const struct field_words { struct str field; const char *sample, *start, *end, *one; } fields[] = {
    { STR_INIT("path-pattern"),        "path -m reg",                          "^",            "$",      "." },
    { STR_INIT("host-header"),         "req.hdr(host),field(1,:) -m reg -i",   "^",            "$",      "." },
    { STR_INIT("http-header"),         NULL,                                   "^",            "$",      "." },      /* the sample has its name */
    { STR_INIT("http-request-method"), "method -m reg",                        "^",            "$",      "." },
    { STR_INIT("query-string"),        "query -m reg -i",                      "(^|&)",        "(&|$)",  "[^&]" },
    { STR_INIT("source-ip"),           "src",                                  NULL,           NULL,     NULL },
};

static const struct field_words *words_of(struct str field)
{
    for (size_t f = 0; f < COUNT_OF(fields); f++) {
        if (str_eq(fields[f].field, field)) { return &fields[f]; }
    }
    return NULL;
}

bool conditions_is_network(struct str text)
{
    for (size_t c = 0; c < text.len; c++) {
        if (str_hex_value(text.ptr[c]) < 0 && strchr(".:/", text.ptr[c]) == NULL) { return false; }
    }
    return text.len > 0;
}

/* One value's pattern. A query string without a key matches the value of any. */
static struct str pattern_of(const struct field_words *words, struct str value, struct arena *arena)
{
    struct buf pattern = buf_in(arena);
    bool any_key = str_eq(words->field, STR("query-string")) && str_find(value, '=') == value.len;
    buf_put(&pattern, str_from(words->start));
    if (any_key) { buf_put(&pattern, STR("[^&=]*=")); }
    conditions_put_pattern(value, words->one, &pattern);
    buf_put(&pattern, str_from(words->end));
    return buf_str(&pattern);
}

static void put_condition(struct str name, const struct feed_condition *condition, struct buf *out)
{
    const struct field_words *words = words_of(condition->field);
    bool header = str_eq(condition->field, STR("http-header"));
    size_t written = 0;
    for (size_t v = 0; words != NULL && (!header || plan_is_name(condition->header)) && v < condition->values.count; v++) {
        struct str value = condition->values.items[v];
        if (words->start == NULL && !conditions_is_network(value)) { continue; }
        buf_printf(out, "  acl " STR_FMT " ", STR_ARG(name));
        if (header) {
            buf_printf(out, "req.fhdr(" STR_FMT ") -m reg -i", STR_ARG(condition->header));
        } else {
            buf_put(out, str_from(words->sample));
        }
        buf_put_char(out, ' ');
        conditions_put_quoted(words->start == NULL ? value : pattern_of(words, value, out->arena), out);
        buf_put_char(out, '\n');
        written++;
    }
    if (written == 0) { buf_printf(out, "  acl " STR_FMT " always_false\n", STR_ARG(name)); }
}

void conditions_put(const struct feed_rule *rule, struct buf *out)
{
    struct str id = plan_end_of(rule->arn);
    for (size_t c = 0; c < rule->conditions.count; c++) {
        put_condition(arena_printf(out->arena, "r_" STR_FMT "_%zu", STR_ARG(id), c), &rule->conditions.items[c], out);
    }
    buf_printf(out, "  http-request set-var(txn.berth_rule) str(" STR_FMT ") if !{ var(txn.berth_rule) -m found }", STR_ARG(id));
    for (size_t c = 0; c < rule->conditions.count; c++) { buf_printf(out, " r_" STR_FMT "_%zu", STR_ARG(id), c); }
    buf_put_char(out, '\n');
}

/* ---- redirects ---- */

struct words { const struct conditions_url *url; struct str port, protocol; };         /* port, protocol: of the listener */

/* A text with #{host}, #{path}, #{query}, #{port} and #{protocol}. */
static void put_text(struct str text, const struct words *words, struct buf *out)
{
    const struct { struct str word, format; } formats[] = {
        { STR("/#{path}"), words->url->path }, { STR("#{path}"), words->url->path }, { STR("#{host}"), words->url->host },
        { STR("#{query}"), words->url->query }, { STR("#{port}"), words->port }, { STR("#{protocol}"), words->protocol },
    };
    while (text.len > 0) {
        size_t f = 0;
        while (f < COUNT_OF(formats) && !str_starts_with(text, formats[f].word)) { f++; }
        if (f < COUNT_OF(formats)) {
            buf_put(out, formats[f].format);
            text = str_slice(text, formats[f].word.len, text.len);
            continue;
        }
        if (text.ptr[0] == words->url->special) { buf_put_char(out, words->url->special); }
        buf_put_char(out, text.ptr[0]);
        text = str_slice(text, 1, text.len);
    }
}

void conditions_put_location(const struct feed_action *action, bool encrypted, int64_t port, const struct conditions_url *url, struct buf *out)
{
    bool to_encrypted = str_eq_nocase(action->protocol, STR("HTTPS")) || (!str_eq_nocase(action->protocol, STR("HTTP")) && encrypted);
    struct str here = arena_printf(out->arena, "%lld", (long long)port), to_port = action->port;
    const struct words words = { url, here, encrypted ? STR("https") : STR("http") };
    if (to_port.len == 0 || str_eq(to_port, STR("#{port}"))) { to_port = here; }
    buf_printf(out, "%s://", to_encrypted ? "https" : "http");
    put_text(action->host.len == 0 ? STR("#{host}") : action->host, &words, out);
    if (!str_eq(to_port, to_encrypted ? STR("443") : STR("80"))) {
        buf_put_char(out, ':');
        put_text(to_port, &words, out);
    }
    put_text(str_is_set(action->path) ? action->path : STR("/#{path}"), &words, out);
    if (!str_is_set(action->query) || str_eq(action->query, STR("#{query}"))) {
        buf_put(out, url->question);
    } else if (action->query.len > 0) {
        buf_put_char(out, '?');
        put_text(action->query, &words, out);
    }
}
