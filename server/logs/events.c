/* events.c: events are found again for each request: lines by their ends, text that was sent as one event by its mark. */
#include "server/logs/events.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "base/sigv4.h"

enum { TOKEN_DIGITS = 56, TOKEN_LEN = TOKEN_DIGITS + 2 };

/* ---- events ---- */

static bool is_inside_character(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

/* Where the event ends that begins at `from`: behind its line's end, or in the middle of a long line, between characters. */
static size_t event_end(const struct log_text *log, size_t from)
{
    const struct log_mark *mark = log_marks_at(&log->marks, log->dropped + (int64_t)from);
    bool whole = mark != NULL && mark->length > 0 && mark->offset == log->dropped + (int64_t)from;
    if (whole && mark->length <= (int64_t)(log->text.len - from)) { return from + (size_t)mark->length; }
    struct str rest = str_slice(log->text, from, from + LOG_EVENT_MAX);
    size_t line = str_find(rest, '\n');
    if (line < rest.len) { return from + line + 1; }
    size_t end = from + rest.len;
    if (rest.len < LOG_EVENT_MAX) { return end; }
    while (end > from + LOG_EVENT_MAX - 4 && end < log->text.len && is_inside_character(log->text.ptr[end])) { end--; }
    return end;
}

static bool ends_line(const struct log_text *log, size_t end) { return end > 0 && log->text.ptr[end - 1] == '\n'; }

static struct str without_line_end(struct str text)
{
    if (str_ends_with(text, STR("\n"))) { text.len--; }
    if (str_ends_with(text, STR("\r"))) { text.len--; }
    return text;
}

static void fill(const struct log_text *log, size_t from, size_t end, struct log_event *event)
{
    const struct log_mark *mark = log_marks_at(&log->marks, log->dropped + (int64_t)from);
    *event = (struct log_event){
        .offset = log->dropped + (int64_t)from, .end = log->dropped + (int64_t)end,
        .time_ms = mark != NULL ? mark->time_ms : log->changed_ms, .received_ms = mark != NULL ? mark->received_ms : log->changed_ms,
        .message = without_line_end(str_slice(log->text, from, end)),
    };
}

/* A position within the text that is kept. */
static size_t at_of(const struct log_text *log, int64_t position)
{
    int64_t at = position - log->dropped;
    return at <= 0 ? 0 : at > (int64_t)log->text.len ? log->text.len : (size_t)at;
}

bool log_event_next(const struct log_text *log, bool closed, int64_t *position, struct log_event *event)
{
    for (size_t at = at_of(log, *position); at < log->text.len;) {
        size_t end = event_end(log, at);
        bool open = end == log->text.len && !ends_line(log, end) && end - at < LOG_EVENT_MAX - 4;
        if (open && !closed) { return false; }
        fill(log, at, end, event);
        at = end;
        if (event->message.len == 0) { continue; }
        *position = event->end;
        return true;
    }
    return false;
}

/* The beginning of what ends at `at`: a line's, or that of an event that was handed in whole. */
static size_t begin_before(const struct log_text *log, size_t at)
{
    const struct log_mark *mark = log_marks_at(&log->marks, log->dropped + (int64_t)at - 1);
    if (mark != NULL && mark->length > 0 && mark->offset >= log->dropped && mark->offset + mark->length >= log->dropped + (int64_t)at) {
        return (size_t)(mark->offset - log->dropped);
    }
    size_t begin = at - 1;
    while (begin > 0 && log->text.ptr[begin - 1] != '\n') { begin--; }
    return begin;
}

bool log_event_before(const struct log_text *log, bool closed, int64_t *position, struct log_event *event)
{
    for (size_t at = at_of(log, *position); at > 0;) {
        size_t begin = begin_before(log, at), end = event_end(log, begin);
        while (end < at) {                                /* pieces of a long line: the last that ends here */
            begin = end;
            end = event_end(log, begin);
        }
        bool open = end == log->text.len && !ends_line(log, end) && end - begin < LOG_EVENT_MAX - 4;
        fill(log, begin, end, event);
        at = begin;
        if (event->message.len == 0 || (open && !closed) || event->end > *position) { continue; }
        *position = event->offset;
        return true;
    }
    return false;
}

int64_t log_events_from(const struct log_text *log, int64_t time_ms)
{
    size_t low = 0, high = log->marks.count;              /* the first mark that is not before the time */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (log->marks.items[middle].time_ms < time_ms) { low = middle + 1; } else { high = middle; }
    }
    int64_t from = low < log->marks.count ? log->marks.items[low].offset : log->dropped + (int64_t)log->text.len;
    size_t at = at_of(log, from);
    return log->dropped + (int64_t)(at > 0 && !ends_line(log, at) ? begin_before(log, at) : at);
}

void log_event_id(const struct log_event *event, struct str stream, char out[LOG_EVENT_ID_LEN + 1])
{
    uint8_t hash[32];
    sha256_bytes(stream, hash);
    uint64_t number = 0;
    for (size_t b = 0; b < sizeof number; b++) { number = number << 8 | hash[b]; }
    (void)snprintf(out, LOG_EVENT_ID_LEN + 1, "%017" PRId64 "%020" PRIu64 "%019" PRId64, event->time_ms, number, event->offset);
}

/* ---- tokens ---- */

struct str log_token_text(struct log_token token, struct arena *arena)
{
    return arena_printf(arena, "%c/%056" PRId64, token.backward ? 'b' : 'f', token.position);
}

bool log_token_read(struct str text, struct log_token *token)
{
    if (text.len != TOKEN_LEN || text.ptr[1] != '/' || (text.ptr[0] != 'f' && text.ptr[0] != 'b')) { return false; }
    token->backward = text.ptr[0] == 'b';
    return text.ptr[2] != '-' && str_to_i64(str_slice(text, 2, text.len), &token->position);
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(struct str text, struct str *out, struct arena *arena)
{
    char *bytes = arena_alloc(arena, text.len / 2 + 1, 1);
    for (size_t i = 0; i + 1 < text.len; i += 2) {
        int high = hex_value(text.ptr[i]), low = hex_value(text.ptr[i + 1]);
        if (high < 0 || low < 0) { return false; }
        bytes[i / 2] = (char)(unsigned char)(high << 4 | low);
    }
    *out = (struct str){ bytes, text.len / 2 };
    return text.len % 2 == 0;
}

/* FIRST-LAST-STREAM in hex digits, TIME-OFFSET in decimal ones. */
struct str log_place_text(const struct log_place *place, struct arena *arena)
{
    struct buf out = buf_in(arena);
    const struct str names[] = { place->first, place->last, place->stream };
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        buf_put_hex(&out, names[n]);
        buf_put_char(&out, '-');
    }
    buf_printf(&out, "%" PRId64 "-%" PRId64, place->time_ms, place->offset);
    return buf_str(&out);
}

bool log_place_read(struct str text, struct log_place *place, struct arena *arena)
{
    struct str parts[5], rest = text;
    for (size_t p = 0; p + 1 < COUNT_OF(parts); p++) {
        if (!str_cut(rest, '-', &parts[p], &rest)) { return false; }
    }
    parts[4] = rest;
    return read_hex(parts[0], &place->first, arena) && read_hex(parts[1], &place->last, arena) && read_hex(parts[2], &place->stream, arena)
        && str_to_i64(parts[3], &place->time_ms) && str_to_i64(parts[4], &place->offset);
}
