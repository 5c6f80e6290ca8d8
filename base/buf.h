/* buf.h: bytes that are being printed, kept in an arena. Grows by doubling; the arena's ceiling is its maximum. */
#ifndef BERTH_BASE_BUF_H
#define BERTH_BASE_BUF_H

#include "base/arena.h"

struct buf { struct arena *arena; char *ptr; size_t len; size_t capacity; };

static inline struct buf buf_in(struct arena *arena) { return (struct buf){ .arena = arena }; }
static inline struct str buf_str(const struct buf *buf) { return (struct str){ buf->ptr == NULL ? "" : buf->ptr, buf->len }; }

char *buf_room(struct buf *buf, size_t more);                    /* at least `more` writable bytes at the end; add to len what you used */
void  buf_put(struct buf *buf, struct str s);
void  buf_put_char(struct buf *buf, char c);
void  buf_put_i64(struct buf *buf, int64_t value);
void  buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
