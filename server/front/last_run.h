/* last_run.h: the last RunTask, when not all of its tasks could start, so that one can ask why. In memory alone. Thread-safe. */
#ifndef BERTH_SERVER_FRONT_LAST_RUN_H
#define BERTH_SERVER_FRONT_LAST_RUN_H

#include "base/arena.h"

struct last_run;
struct last_run *last_run_create(void);                                  /* owned */
void             last_run_destroy(struct last_run *last);                /* accepts NULL */
void             last_run_left_out(struct last_run *last, struct str body);      /* copied; one of more than 64 KiB is not kept */
void             last_run_all_started(struct last_run *last);
struct str       last_run_body(struct last_run *last, struct arena *arena);      /* absent: all of its tasks could start, or there was none */

#endif
