/* run_facts.h: what the world knows of how long tasks run and what may stop them (scheduler/queue/runs.h), told from the records. Private to api/. */
#ifndef BERTH_API_CORE_RUN_FACTS_H
#define BERTH_API_CORE_RUN_FACTS_H

#include "api/core/context.h"

uint64_t run_facts_family(int64_t cluster, struct str family);
/* A live task that has its place, new or changed; and one that has ended. */
void     run_facts_put(struct world *world, const struct task *task);
void     run_facts_end(struct world *world, const struct task *task);
/* One that had ended before the world was built. */
void     run_facts_past(struct world *world, const struct history *history);

#endif
