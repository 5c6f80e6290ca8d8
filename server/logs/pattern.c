/* pattern.c: patterns are read by hand, term by term. */
#include "server/logs/pattern.h"

#include "base/buf.h"

static const char whole_patterns[] = "{[%";               /* what a pattern begins with that is no list of terms */

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || ((unsigned char)c & 0x80) != 0;
}

/* Behind the opening quote. A backslash takes the next character as it is. */
static bool read_phrase(struct str *rest, struct str *term, struct arena *arena, struct err *err)
{
    struct buf out = buf_in(arena);
    for (size_t at = 0; at < rest->len; at++) {
        char c = rest->ptr[at];
        if (c == '"') {
            *term = buf_str(&out);
            *rest = str_slice(*rest, at + 1, rest->len);
            return true;
        }
        if (c == '\\' && at + 1 < rest->len) { c = rest->ptr[++at]; }
        buf_put_char(&out, c);
    }
    return err_set(err, ERR_INVALID_PARAMETER, "Invalid filter pattern: a quotation mark is not closed.");
}

static bool read_word(struct str *rest, struct str *term, struct err *err)
{
    size_t len = 0;
    while (len < rest->len && !is_blank(rest->ptr[len])) { len++; }
    *term = str_slice(*rest, 0, len);
    *rest = str_slice(*rest, len, rest->len);
    for (size_t i = 0; i < len; i++) {
        if (!is_plain(term->ptr[i])) {
            return err_set(err, ERR_INVALID_PARAMETER, "Invalid character(s) in term '" STR_FMT "': put it into quotation marks.", STR_ARG(*term));
        }
    }
    return len > 0 || err_set(err, ERR_INVALID_PARAMETER, "Invalid filter pattern: a term is empty.");
}

static enum log_term_kind read_kind(struct str *rest)
{
    enum log_term_kind kind = rest->ptr[0] == '-' ? LOG_TERM_NOT : rest->ptr[0] == '?' ? LOG_TERM_ANY : LOG_TERM_ALL;
    if (kind != LOG_TERM_ALL) { *rest = str_slice(*rest, 1, rest->len); }
    return kind;
}

static bool read_term(struct str *rest, struct log_pattern *pattern, struct arena *arena, struct err *err)
{
    struct log_term term = { .kind = read_kind(rest) };
    bool quoted = rest->len > 0 && rest->ptr[0] == '"';
    if (quoted) { *rest = str_slice(*rest, 1, rest->len); }
    if (quoted ? !read_phrase(rest, &term.text, arena, err) : !read_word(rest, &term.text, err)) { return false; }
    if (pattern->count == LOG_TERMS_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "Invalid filter pattern: it has more than %d terms.", LOG_TERMS_MAX);
    }
    pattern->terms[pattern->count++] = term;
    return true;
}

bool log_pattern_read(struct str text, struct log_pattern *pattern, struct arena *arena, struct err *err)
{
    *pattern = (struct log_pattern){ 0 };
    struct str rest = str_trim(text);
    if (rest.len > LOG_PATTERN_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "Invalid filter pattern: it is longer than %d bytes.", LOG_PATTERN_MAX);
    }
    if (rest.len > 0 && memchr(whole_patterns, rest.ptr[0], sizeof whole_patterns - 1) != NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "Invalid filter pattern: Berth knows terms and \"quoted phrases\", each with '-' or '?' before "
                       "it, and no patterns for JSON, fields or regular expressions.");
    }
    while (rest.len > 0) {
        if (is_blank(rest.ptr[0])) {
            rest = str_slice(rest, 1, rest.len);
        } else if (!read_term(&rest, pattern, arena, err)) {
            return false;
        }
    }
    return true;
}

bool log_pattern_fits(const struct log_pattern *pattern, struct str message)
{
    bool all = true, any = false, asks_all = false, asks_any = false;
    for (size_t t = 0; t < pattern->count; t++) {
        bool found = str_contains(message, pattern->terms[t].text);
        switch (pattern->terms[t].kind) {
        case LOG_TERM_ALL: all = all && found;  asks_all = true; break;
        case LOG_TERM_NOT: all = all && !found; break;
        case LOG_TERM_ANY: any = any || found;  asks_any = true; break;
        }
    }
    return all && (any || asks_all || !asks_any);
}
