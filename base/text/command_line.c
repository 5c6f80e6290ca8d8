/* command_line.c: POSIX's rules of quoting (XCU 2.2), and no other feature of a shell. */
#include "base/text/command_line.h"

#include "base/buf.h"

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Inside double quotes a backslash has a meaning only before these. */
static bool is_escaped_in_quotes(char c) { return c == '"' || c == '\\' || c == '$' || c == '`'; }

/* Reads one word from *at on, which moves after it. Returns what is wrong with it, or NULL. */
static const char *read_word(struct str text, size_t *at, struct buf *word)
{
    char quote = '\0';
    for (; *at < text.len && (quote != '\0' || !is_blank(text.ptr[*at])); (*at)++) {
        char c = text.ptr[*at];
        bool more = *at + 1 < text.len;
        if (c == '\\' && quote != '\'' && !more) { return "ends with a backslash"; }
        if (c == '\\' && (quote == '\0' || (quote == '"' && is_escaped_in_quotes(text.ptr[*at + 1])))) {
            buf_put_char(word, text.ptr[++*at]);
        } else if (quote == '\0' && (c == '"' || c == '\'')) {
            quote = c;
        } else if (c == quote) {
            quote = '\0';
        } else {
            buf_put_char(word, c);
        }
    }
    return quote == '\0' ? NULL : "has a quote that is not closed";
}

bool command_line_split(struct str text, struct command_line *out, struct arena *arena, struct err *err)
{
    if (str_find(text, '\0') < text.len) { return err_set(err, ERR_INVALID_PARAMETER, "The command has a zero byte."); }
    *out = (struct command_line){ ARENA_NEW(arena, struct str, text.len / 2 + 1), 0 };
    for (size_t at = 0; at < text.len;) {
        if (is_blank(text.ptr[at])) {
            at++;
            continue;
        }
        struct buf word = buf_in(arena);
        const char *problem = read_word(text, &at, &word);
        if (problem != NULL) { return err_set(err, ERR_INVALID_PARAMETER, "The command %s.", problem); }
        out->words[out->count++] = buf_str(&word);
    }
    return out->count > 0 || err_set(err, ERR_INVALID_PARAMETER, "command can not be blank.");
}
