/* steady.h: whether the wall clock can be believed when something has a term. A clock that is set wrong, or right again, jumps against the clock that only
 * grows. After a jump nothing ends for an hour, in which a person can look. Pure: callers pass both times. */
#ifndef BERTH_SERVER_STEADY_H
#define BERTH_SERVER_STEADY_H

#include <stdbool.h>
#include <stdint.h>

enum { STEADY_JUMP_MS = 3600 * 1000, STEADY_WAIT_MS = 3600 * 1000 };

struct steady {
    int64_t offset_ms;                       /* the wall clock less the one that only grows, as it was when it last jumped */
    bool waits;
    int64_t since_ms;                        /* of the clock that only grows: when the wait began */
};

/* `kept_ms`: the wall clock as it was last believed, by this process or an earlier one; 0: not known. A difference counts as a jump. */
struct steady steady_begin(int64_t kept_ms, int64_t wall_ms, int64_t grown_ms);
/* By how much the wall clock has jumped since the last look, ahead or back (negative); 0: by an hour or less. */
int64_t steady_look(struct steady *steady, int64_t wall_ms, int64_t grown_ms);

#endif
