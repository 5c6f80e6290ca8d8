/* preempt.h: which running tasks stop so that a waiting one of a higher priority starts now. Pure: the caller stops them. */
#ifndef BERTH_SCHEDULER_QUEUE_PREEMPT_H
#define BERTH_SCHEDULER_QUEUE_PREEMPT_H

#include "scheduler/queue/fit.h"

enum { PREEMPT_PRIORITY_STEP = 10, PREEMPT_RAN_MS = 5 * 60 * 1000, PREEMPT_MOST = 32 };

/* `victims`: places of its occupants. lost: thousandths of a GPU times milliseconds that the victims have run. */
struct preemption { size_t site, count; size_t victims[PREEMPT_MOST]; int64_t lost; };

/* The site where the least work of GPUs is lost. Only preemptible occupants stop whose priority is lower by PREEMPT_PRIORITY_STEP and that have run for
 * PREEMPT_RAN_MS; at most PREEMPT_MOST of them. False: the task can't start now in this way, or fits without it. */
bool preempt_choose(const struct site *sites, size_t count, const struct amount *amount, int64_t priority, struct preemption *best);

#endif
