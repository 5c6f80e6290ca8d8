/* fuzz_docker_logs.c: a log stream reads the same however it is cut into pieces, and no more than was asked for. The first two bytes say
 * how long a piece is and how much is wanted. */
#include "agent/docker/docker.h"

#include "base/num.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 8 * 1024 * 1024 };

static struct str read_in(struct str stream, size_t piece, size_t limit, struct docker_log_cursor *cursor, bool *good, struct arena *arena)
{
    struct docker_log_reader reader;
    docker_log_begin(&reader, cursor, 0, limit, arena);
    bool more = true;
    while (stream.len > 0 && more) {
        struct str part = str_slice(stream, 0, piece);
        more = docker_log_feed(&reader, part);
        stream = str_slice(stream, part.len, stream.len);
    }
    *good = docker_log_end(&reader);
    for (size_t t = 1; t < reader.times.count; t++) { ASSERT(reader.times.items[t].at.value >= reader.times.items[t - 1].at.value); }
    return buf_str(&reader.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    if (size < 2) { return 0; }
    struct str stream = fuzz_str(data + 2, size - 2);
    size_t piece = (size_t)data[0] % 17 + 1, limit = (size_t)data[1] * 8 + 1;
    for (int tty = 0; tty < 2; tty++) {
        struct docker_log_cursor one = { .is_tty = tty != 0 }, two = one;
        bool first_good, second_good;
        struct str whole = read_in(stream, SIZE_MAX, limit, &one, &first_good, &arena);
        struct str parts = read_in(stream, piece, limit, &two, &second_good, &arena);
        ASSERT(first_good == second_good && whole.len <= limit && str_eq(whole, parts));
        ASSERT(!first_good || (one.offset == two.offset && one.since_ns == two.since_ns && one.frames == two.frames && one.partial == two.partial));
        ASSERT(one.offset == (int64_t)whole.len || !first_good);
    }
    arena_reset(&arena);
    return 0;
}
