/* logs.c: the engine's log stream by byte offset. The stream is a row of frames, each a head of eight bytes, a time and the text; the offset
 * counts text alone. Reading a long log again from its beginning for each new line would cost more and more, so a cursor remembers a moment
 * and how many frames after it were read.
 *
 * The moment lies at least GUARD behind the newest frame: the two streams of a container are stamped and written by two threads of the engine,
 * so that a frame can come with a time a little before one that was read already. Counting frames from a moment well before keeps such frames;
 * they are in the file before the moment moves past them.
 *
 * Two kinds of lines are lost by design: lines that the engine threw away by rotation (reading goes on with the next one), and lines that are
 * stamped earlier than lines that were read, because the machine's clock was set back by more than the guard. */
#include "agent/docker/docker.h"

#include "base/num.h"

static const int64_t guard_ns = 1000 * 1000 * 1000, ns_per_ms = 1000 * 1000;

enum { HEAD_SIZE = 8 };

static void next_frame(struct docker_log_reader *reader)
{
    reader->head_len = reader->stamp_len = 0;
    reader->stamped = false;
    reader->left = reader->text_at = reader->stamp_ns = 0;
}

void docker_log_begin(struct docker_log_reader *reader, struct docker_log_cursor *cursor, int64_t offset, size_t limit, struct arena *arena)
{
    if (offset < cursor->offset || cursor->is_tty) { *cursor = (struct docker_log_cursor){ .is_tty = cursor->is_tty }; }
    *reader = (struct docker_log_reader){
        .cursor = cursor, .out = buf_in(arena), .wanted = offset, .limit = limit, .skip_frames = cursor->frames,
    };
}

/* Notes when the next text was written. False: there is no room for one more time. */
static bool note_time(struct docker_log_reader *reader)
{
    struct log_time_list *times = &reader->times;
    int64_t ms = reader->stamp_ns / ns_per_ms;
    if (reader->cursor->is_tty || (times->count > 0 && times->items[times->count - 1].ms.value == ms)) { return true; }
    if (times->count == LOG_TIMES_MAX) { return false; }
    size_t old_size = times->count * sizeof *times->items;
    times->items = arena_grow(reader->out.arena, times->items, old_size, old_size + sizeof *times->items);
    times->items[times->count++] = (struct log_time){ opt_int_of((int64_t)reader->out.len), opt_int_of(ms) };
    return true;
}

/* Text that was not read before: it moves the offset on, and is kept from `wanted` on. */
static size_t take_text(struct docker_log_reader *reader, struct str text)
{
    struct docker_log_cursor *cursor = reader->cursor;
    size_t passed = (size_t)min_i64((int64_t)text.len, max_i64(reader->wanted - cursor->offset, 0));
    struct str kept = str_slice(text, passed, text.len);
    kept = str_slice(kept, 0, reader->limit - reader->out.len);
    if (kept.len > 0 && !note_time(reader)) { kept.len = 0; }
    buf_put(&reader->out, kept);
    reader->full = passed + kept.len < text.len;
    cursor->offset += (int64_t)(passed + kept.len);
    return passed + kept.len;
}

/* A whole frame was read, for the first time. */
static void count_frame(struct docker_log_reader *reader)
{
    struct docker_log_cursor *cursor = reader->cursor;
    cursor->partial = 0;
    cursor->newest_ns = max_i64(cursor->newest_ns, reader->stamp_ns);
    if (reader->stamp_ns >= cursor->since_ns) { cursor->frames++; }
    if (cursor->next_ns == 0) {
        cursor->next_ns = cursor->newest_ns + 1;
    } else if (reader->stamp_ns >= cursor->next_ns) {
        cursor->next_frames++;
    }
}

static size_t feed_head(struct docker_log_reader *reader, struct str bytes)
{
    size_t used = bytes.len < HEAD_SIZE - reader->head_len ? bytes.len : HEAD_SIZE - reader->head_len;
    memcpy(reader->head + reader->head_len, bytes.ptr, used);
    reader->head_len += used;
    if (reader->head_len == HEAD_SIZE) {
        const unsigned char *head = reader->head;
        reader->left = ((int64_t)head[4] << 24) | (head[5] << 16) | (head[6] << 8) | head[7];
        reader->broken = head[0] > 2 || head[1] != 0 || head[2] != 0 || head[3] != 0 || reader->left == 0;
    }
    return used;
}

static size_t feed_stamp(struct docker_log_reader *reader, struct str bytes)
{
    size_t used = 0;
    while (used < bytes.len && reader->left > 0 && !reader->stamped && !reader->broken) {
        char c = bytes.ptr[used++];
        reader->left--;
        reader->stamped = c == ' ';
        reader->broken = !reader->stamped && reader->stamp_len == sizeof reader->stamp;
        if (!reader->stamped && !reader->broken) { reader->stamp[reader->stamp_len++] = c; }
    }
    if (reader->stamped) {
        reader->broken = !docker_parse_time((struct str){ reader->stamp, reader->stamp_len }, &reader->stamp_ns);
    } else {
        reader->broken = reader->broken || reader->left == 0;
    }
    return used;
}

static size_t feed_text(struct docker_log_reader *reader, struct str bytes)
{
    struct str text = str_slice(bytes, 0, (size_t)reader->left);
    bool is_old = reader->skip_frames > 0;
    size_t used = text.len;
    if (!is_old) {
        /* The frame at which the last call stopped: its front was read. */
        size_t known = (size_t)min_i64((int64_t)text.len, max_i64(reader->cursor->partial - reader->text_at, 0));
        used = known + take_text(reader, str_slice(text, known, text.len));
    }
    reader->left -= (int64_t)used;
    reader->text_at += (int64_t)used;
    if (!is_old) { reader->cursor->partial = max_i64(reader->cursor->partial, reader->text_at); }
    return used;
}

static void end_frame(struct docker_log_reader *reader)
{
    if (reader->skip_frames > 0) { reader->skip_frames--; } else { count_frame(reader); }
    next_frame(reader);
}

bool docker_log_feed(void *context, struct str bytes)
{
    struct docker_log_reader *reader = context;
    if (reader->cursor->is_tty) {
        take_text(reader, bytes);
        return !reader->full;
    }
    while (bytes.len > 0 && !reader->full && !reader->broken) {
        size_t used = 0;
        if (reader->head_len < HEAD_SIZE) {
            used = feed_head(reader, bytes);
        } else if (!reader->stamped) {
            used = feed_stamp(reader, bytes);
        } else {
            used = feed_text(reader, bytes);
        }
        bytes = str_slice(bytes, used, bytes.len);
        if (reader->stamped && reader->left == 0 && !reader->broken) { end_frame(reader); }
    }
    return !reader->full && !reader->broken;
}

bool docker_log_end(struct docker_log_reader *reader)
{
    struct docker_log_cursor *cursor = reader->cursor;
    if (reader->broken) { return false; }
    /* The log is shorter than the part that was read before: rotation took its beginning. The next byte is at `wanted`. */
    if (!reader->full && cursor->offset < reader->wanted) { cursor->offset = reader->wanted; }

    bool between_frames = cursor->partial == 0, in_next = reader->stamped && reader->stamp_ns >= cursor->next_ns;
    if (cursor->next_ns != 0 && cursor->newest_ns >= cursor->next_ns + guard_ns && (between_frames || in_next)) {
        cursor->since_ns = cursor->next_ns;
        cursor->frames = cursor->next_frames;
        cursor->next_ns = cursor->newest_ns + 1;
        cursor->next_frames = 0;
    }
    return true;
}
