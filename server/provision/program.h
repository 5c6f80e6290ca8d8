/* program.h: runs a program once: JSON on its input, JSON from its output, both bounded in size and time. It gets a separate session and no descriptors
 * of the server. Programs that it leaves behind in the background go on. */
#ifndef BERTH_SERVER_PROVISION_PROGRAM_H
#define BERTH_SERVER_PROVISION_PROGRAM_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"

enum { PROGRAM_OUTPUT_MAX = 1024 * 1024, PROGRAM_WORDS_MAX = 64 * 1024, PROGRAM_TERM_MS = 10 * 1000, PROGRAM_LATER = 75 };

struct program {
    const char *const *words;                /* its path, in whose folder it runs, and its arguments; ends with NULL, as the next */
    const char *const *environment;
    struct str input;
    int64_t timeout_ms;                      /* then SIGTERM to its process group, and SIGKILL after PROGRAM_TERM_MS */
    const atomic_bool *stopping;             /* set: as a time-out, with a tenth of PROGRAM_TERM_MS */
};
struct program_end {                         /* in the arena */
    bool exited; int code;                   /* false: a signal ended it, its time was over, or its output too large */
    struct str output, words;                /* words: the last line of its standard error */
    struct str why;                          /* not exited: why */
};
/* False and *err: it can't be started. */
MUST_USE bool program_run(const struct program *program, struct arena *arena, struct program_end *end, struct err *err);

#endif
