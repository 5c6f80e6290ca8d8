/* cleanup.h: removes what stopped tasks leave on the machine. Their containers, and the volumes of these, are kept for a while, so that people
 * can look into them. Then they are removed, also by an agent that was started in between. */
#ifndef BERTH_AGENT_TASK_CLEANUP_H
#define BERTH_AGENT_TASK_CLEANUP_H

#include <stdatomic.h>

#include "agent/core/runtime.h"

struct cleanup;

/* Owned. Reads DIR/<task id>.left of earlier runs; nothing is removed before cleanup_begin. `runtime`, `dir` and *threads are lent: *threads
 * counts our thread while it lives. NULL and *err: the folder cannot be read. */
struct cleanup *cleanup_create(struct runtime *runtime, const char *dir, int64_t keep_ms, atomic_int *threads, struct err *err);
bool cleanup_begin(struct cleanup *cleanup, struct err *err);
void cleanup_leave(struct cleanup *cleanup);             /* its thread ends soon after; NULL: nothing */
void cleanup_destroy(struct cleanup *cleanup);           /* its thread has ended; NULL: nothing */

/* Any thread. The containers of a task that has just ended, by the runtime's ids. True: they are on file, and this module removes them. */
bool cleanup_add(struct cleanup *cleanup, const char *task_id, const struct str_list *containers, struct err *err);
bool cleanup_knows(struct cleanup *cleanup, const char *task_id);            /* it has ended, and its containers are still here */

#endif
