/* process.h: HAProxy as a child: a master with its workers. Started again when it ends, later each time up to a limit; made to read its configuration
 * again. It ends with this process, also when this one is killed. One thread uses it: the one that made it. */
#ifndef BERTH_CLI_FEED_PROCESS_H
#define BERTH_CLI_FEED_PROCESS_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct proxy_process {
    const char *program, *configuration, *socket;                /* the program, the file that it reads, and its master's socket as -S takes it */
    pid_t pid;                                                   /* 0: it does not run */
    int64_t started_ms, next_ms; int64_t pause_ms;               /* monotonic; when it may be started, and the pause before that */
};

/* Runs a program until it ends. False and *err: it can't be run, it does not end in time, or its status is not 0; its words are in *err. */
MUST_USE bool process_run(char *const argv[], int64_t patience_ms, struct arena *arena, struct err *err);

/* Can HAProxy read the configuration in this file? False: its words are in *err. */
MUST_USE bool process_check(const struct proxy_process *process, const char *configuration, struct arena *arena, struct err *err);
bool process_runs(struct proxy_process *process);                /* notices its end, and logs it */
bool process_may_start(const struct proxy_process *process);     /* it does not run, and its pause is over */
MUST_USE bool process_start(struct proxy_process *process, struct err *err);
void process_reload(const struct proxy_process *process);
/* Ends it: requests that are being answered have `patience_ms`. */
void process_end(struct proxy_process *process, int64_t patience_ms);

#endif
