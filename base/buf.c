/* buf.c: growing by doubling inside the arena, in place when the buffer is the arena's newest piece. */
#include "base/buf.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { BUF_CAPACITY_MIN = 256 };

void buf_grow(struct buf *buf, size_t more)
{
    ASSERT(more <= SIZE_MAX / 4 - buf->len);
    size_t wanted = buf->len + more, capacity = buf->capacity < BUF_CAPACITY_MIN ? BUF_CAPACITY_MIN : buf->capacity * 2;
    if (capacity < wanted) { capacity = wanted; }
    buf->ptr = arena_grow(buf->arena, buf->ptr, buf->capacity, capacity);       /* in place, if nothing was allocated since */
    buf->capacity = capacity;
}

void buf_put_i64(struct buf *buf, int64_t value)
{
    char text[1 + STR_DIGITS_MAX], *end = text + sizeof text;      /* with a sign */
    char *at = str_put_digits(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    if (value < 0) { *--at = '-'; }
    buf_put(buf, (struct str){ at, (size_t)(end - at) });
}

void buf_put_hex(struct buf *buf, struct str bytes)
{
    str_put_hex(buf_room(buf, bytes.len * 2), bytes.ptr, bytes.len);
    buf->len += bytes.len * 2;
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list first, second;
    va_start(first, format);
    va_copy(second, first);
    size_t room = buf->capacity - buf->len;
    int len = vsnprintf(buf->ptr == NULL ? NULL : buf->ptr + buf->len, room, format, first);
    va_end(first);
    ASSERT(len >= 0);
    if ((size_t)len >= room) {
        (void)vsnprintf(buf_room(buf, (size_t)len + 1), (size_t)len + 1, format, second);
    }
    va_end(second);
    buf->len += (size_t)len;
}
