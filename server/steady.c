/* steady.c: small steps add up, so that many of them are a jump too. */
#include "server/steady.h"

#include "base/assert.h"

static bool is_jump(int64_t by_ms) { return by_ms > STEADY_JUMP_MS || by_ms < -STEADY_JUMP_MS; }

struct steady steady_begin(int64_t kept_ms, int64_t wall_ms, int64_t grown_ms)
{
    return (struct steady){ .offset_ms = wall_ms - grown_ms, .waits = kept_ms != 0 && is_jump(wall_ms - kept_ms), .since_ms = grown_ms };
}

int64_t steady_look(struct steady *steady, int64_t wall_ms, int64_t grown_ms)
{
    ASSERT(grown_ms >= steady->since_ms);
    int64_t by_ms = wall_ms - grown_ms - steady->offset_ms;
    if (is_jump(by_ms)) {
        *steady = (struct steady){ .offset_ms = wall_ms - grown_ms, .waits = true, .since_ms = grown_ms };
        return by_ms;
    }
    if (grown_ms - steady->since_ms >= STEADY_WAIT_MS) { steady->waits = false; }
    return 0;
}
