/* fuzz_head.c: the parts of a request's head lie within it, and the head written again reads as the same. */
#include "base/http/head.h"

#include "base/arena.h"
#include "base/buf.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 1024 * 1024 };

static void check_within(struct str part, struct str bytes)
{
    if (!str_is_set(part) || part.len == 0) { return; }
    ASSERT(part.ptr >= bytes.ptr && part.ptr + part.len <= bytes.ptr + bytes.len);
    ASSERT(str_find(part, '\r') == part.len && str_find(part, '\n') == part.len && str_find(part, '\0') == part.len);
}

static void check_again(const struct head *head, struct arena *arena)
{
    struct buf out = buf_in(arena);
    buf_printf(&out, STR_FMT " " STR_FMT "%s" STR_FMT " HTTP/1.1\r\n", STR_ARG(head->method), STR_ARG(head->path),
               str_is_set(head->query) && head->query.len > 0 ? "?" : "", STR_ARG(head->query));
    for (size_t h = 0; h < head->header_count; h++) {
        buf_printf(&out, STR_FMT ": " STR_FMT "\r\n", STR_ARG(head->headers[h].name), STR_ARG(head->headers[h].value));
    }
    buf_put(&out, STR("\r\n"));
    struct head again;
    if (out.len > HEAD_MAX) { return; }                          /* a blank was put where there was none */
    ASSERT(head_read(buf_str(&out), &again) == HEAD_WHOLE);
    ASSERT(again.size == out.len && again.header_count == head->header_count && again.content_length == head->content_length);
    ASSERT(str_eq(again.method, head->method) && str_eq(again.path, head->path));
    for (size_t h = 0; h < head->header_count; h++) {
        ASSERT(str_eq(again.headers[h].name, head->headers[h].name) && str_eq(again.headers[h].value, head->headers[h].value));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct str bytes = fuzz_str(data, size);
    struct head head;
    if (head_read(bytes, &head) == HEAD_WHOLE) {
        ASSERT(head.size <= size && head.size <= HEAD_MAX);
        check_within(head.method, bytes);
        check_within(head.path, bytes);
        check_within(head.query, bytes);
        for (size_t h = 0; h < head.header_count; h++) {
            check_within(head.headers[h].name, bytes);
            check_within(head.headers[h].value, bytes);
        }
        ASSERT(head_read(str_slice(bytes, 0, head.size), &head) == HEAD_WHOLE);
        ASSERT(head_read(str_slice(bytes, 0, head.size - 1), &head) == HEAD_SHORT);
        (void)head_read(bytes, &head);
        check_again(&head, &arena);
    }
    arena_reset(&arena);
    return 0;
}
