/* buf.h: output being printed, in an arena. Grows by doubling; the arena's ceiling is its maximum. */
#ifndef BERTH_BASE_BUF_H
#define BERTH_BASE_BUF_H

#include "base/arena.h"

struct buf { struct arena *arena; char *ptr; size_t len; size_t capacity; };

static inline struct buf buf_in(struct arena *arena) { return (struct buf){ .arena = arena }; }
static inline struct str buf_str(const struct buf *buf) { return (struct str){ buf->ptr == NULL ? "" : buf->ptr, buf->len }; }

void  buf_grow(struct buf *buf, size_t more);                    /* room for `more` bytes after the end */

/* At least `more` writable bytes at the end; add to len what you used. */
static inline char *buf_room(struct buf *buf, size_t more)
{
    if (buf->ptr == NULL || more > buf->capacity - buf->len) { buf_grow(buf, more); }
    return buf->ptr + buf->len;
}

static inline void buf_put(struct buf *buf, struct str s)
{
    if (s.len == 0) { return; }
    memcpy(buf_room(buf, s.len), s.ptr, s.len);
    buf->len += s.len;
}

static inline void buf_put_char(struct buf *buf, char c)
{
    *buf_room(buf, 1) = c;
    buf->len++;
}

void  buf_put_i64(struct buf *buf, int64_t value);
void  buf_put_hex(struct buf *buf, struct str bytes);             /* two lower-case digits each */
void  buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
