/* container_watch.h: reads what the containers of this machine use, in a separate thread, because a runtime may take its time. It rests for
 * nine times as long as it has read: with more containers each is read less often. Knows containers by name; refuses to know tasks and the
 * server. */
#ifndef BERTH_AGENT_TASK_CONTAINER_WATCH_H
#define BERTH_AGENT_TASK_CONTAINER_WATCH_H

#include "agent/core/runtime.h"

enum { CONTAINERS_WATCHED_MAX = 400, CONTAINER_ARN_MAX = 256, CONTAINER_NAME_MAX = 256, CONTAINER_ID_MAX = 80 };

struct watched_container { char task[CONTAINER_ARN_MAX], name[CONTAINER_NAME_MAX], id[CONTAINER_ID_MAX]; };     /* task: ARN; id: the runtime's */

/* The cores kept busy between two readings of the same container, to the thousandth. Unset after the first reading, after a reading that
 * failed, and when the container was started again in between. */
struct opt_double container_cores(const struct container_usage *before, const struct container_usage *now);

struct container_watch;
/* `runtime` is lent; `threads` is counted up while the thread lives, and a call of the thread ends soon after *stop. NULL: no thread. */
struct container_watch *container_watch_start(struct runtime *runtime, atomic_int *threads, const atomic_bool *stop);
/* These run now (copied; at most CONTAINERS_WATCHED_MAX): the thread reads what they use after its rest. Never waits. */
void container_watch_ask(struct container_watch *watch, const struct watched_container *list, size_t count);
/* The last readings, and how long ago they began. Lives in `arena`. */
struct wire_container_sample_list container_watch_take(struct container_watch *watch, int64_t *age_ms, struct arena *arena);
/* After *stop; waits for the thread. NULL: nothing. */
void container_watch_destroy(struct container_watch *watch);
void container_watch_wake(struct container_watch *watch);                    /* makes it look at *stop; NULL: nothing */

#endif
