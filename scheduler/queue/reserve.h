/* reserve.h: room that is kept for a large task or gang: where it can start first, and which other tasks may start there before. It follows
 * from the tasks that run now, so nothing of it is stored and it moves when a better place appears. docs/internals/queue.md says how it was chosen. */
#ifndef BERTH_SCHEDULER_QUEUE_RESERVE_H
#define BERTH_SCHEDULER_QUEUE_RESERVE_H

#include "scheduler/queue/fit.h"
#include "scheduler/queue/queue.h"

/* RESERVE_LARGE: whole GPUs of a large task or gang. RESERVE_SHARE: thousandths of all GPUs of a cluster and provider: what needs more does not count as large,
 * because a small pool that waits for it loses too much. */
enum { RESERVE_LARGE = 4, RESERVE_SHARE = 100 };

struct reserved { size_t site; struct room spare; };             /* spare: the free part at the start, beside the tasks that it is kept for */
struct reservation { int64_t starts_ms; size_t count; struct reserved sites[QUEUE_GANG_MAX]; };

/* Is an entry of this number of tasks, each with this need, large, and may room be kept for it? `gpus`: all of the cluster and provider. */
bool reserve_is_large(const struct amount *amount, size_t tasks, int64_t gpus);
/* Where `tasks` (1 to QUEUE_GANG_MAX) of this need can start first. Occupants must be in order of ends_ms. False: nobody knows when. */
bool reserve_choose(const struct site *sites, size_t count, const struct amount *amount, size_t tasks, int64_t now_ms, struct reservation *reservation);
/* When the first `most` (1 to QUEUE_STARTS) tasks of this need can start, in order. Returns of how many it is known. */
size_t reserve_starts(const struct site *sites, size_t count, const struct amount *amount, size_t most, int64_t now_ms, int64_t *starts_ms);
/* May a task start on this site that is expected to end then (INT64_MAX: nobody knows)? It has room there now. */
bool reserve_lets(const struct reservation *reservation, size_t site, const struct amount *amount, int64_t ends_ms);
/* It has started there. */
void reserve_started(struct reservation *reservation, size_t site, const struct amount *amount, int64_t ends_ms);

#endif
