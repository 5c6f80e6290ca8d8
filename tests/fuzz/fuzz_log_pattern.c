/* fuzz_log_pattern.c: a pattern written again from its terms reads as the same terms; what fits a message of all its terms; and the
 * tokens of searches, which clients send back, never read as something that is written otherwise. */
#include "server/logs/pattern.h"

#include "base/buf.h"
#include "server/logs/events.h"
#include "tests/fuzz/fuzz.h"

static void put_quoted(struct buf *out, const struct log_term *term)
{
    static const char *const kinds[] = { [LOG_TERM_ALL] = "", [LOG_TERM_ANY] = "?", [LOG_TERM_NOT] = "-" };
    buf_printf(out, "%s\"", kinds[term->kind]);
    for (size_t i = 0; i < term->text.len; i++) {
        if (term->text.ptr[i] == '"' || term->text.ptr[i] == '\\') { buf_put_char(out, '\\'); }
        buf_put_char(out, term->text.ptr[i]);
    }
    buf_put(out, STR("\" "));
}

static void check_pattern(struct str text, struct arena *arena)
{
    struct err err = { 0 };
    struct log_pattern *pattern = ARENA_NEW(arena, struct log_pattern, 1), *again = ARENA_NEW(arena, struct log_pattern, 1);
    if (!log_pattern_read(text, pattern, arena, &err)) {
        ASSERT(err.code == ERR_INVALID_PARAMETER);
        return;
    }
    struct buf out = buf_in(arena), message = buf_in(arena);
    bool excludes = false;
    for (size_t t = 0; t < pattern->count; t++) {
        put_quoted(&out, &pattern->terms[t]);
        buf_put(&message, pattern->terms[t].text);
        excludes = excludes || pattern->terms[t].kind == LOG_TERM_NOT;
    }
    ASSERT(excludes || log_pattern_fits(pattern, buf_str(&message)));
    if (out.len > LOG_PATTERN_MAX) { return; }
    ASSERT(log_pattern_read(buf_str(&out), again, arena, &err) && again->count == pattern->count);
    for (size_t t = 0; t < pattern->count; t++) {
        ASSERT(again->terms[t].kind == pattern->terms[t].kind && str_eq(again->terms[t].text, pattern->terms[t].text));
    }
}

static void check_tokens(struct str text, struct arena *arena)
{
    struct log_token token, token_again;
    struct log_place place, place_again;
    if (log_token_read(text, &token)) { ASSERT(log_token_read(log_token_text(token, arena), &token_again) && token_again.position == token.position); }
    if (!log_place_read(text, &place, arena)) { return; }
    ASSERT(log_place_read(log_place_text(&place, arena), &place_again, arena));
    ASSERT(str_eq(place.first, place_again.first) && str_eq(place.last, place_again.last) && str_eq(place.stream, place_again.stream));
    ASSERT(place.time_ms == place_again.time_ms && place.offset == place_again.offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, 1 << 24); }
    check_pattern(fuzz_str(data, size), &arena);
    check_tokens(fuzz_str(data, size), &arena);
    arena_reset(&arena);
    return 0;
}
