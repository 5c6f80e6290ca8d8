/* orphans.h: containers that belong to no task that the agent knows. An agent that has lost its folder comes back as a new machine, while the
 * containers that it ran before still run. Nobody would ever stop these, and their GPUs would be given away a second time. So labels of a
 * container say which agent made it and which GPUs it has. Containers made from this folder on this machine are ended. Those of another agent
 * are left alone, and their GPUs stay in the books until they end by themselves. */
#ifndef BERTH_AGENT_TASK_ORPHANS_H
#define BERTH_AGENT_TASK_ORPHANS_H

#include "agent/task/task.h"

enum orphan_fate {
    ORPHAN_LEAVE,                                    /* it does not concern this agent */
    ORPHAN_HOLD,                                     /* its GPUs stay in the books until it ends */
    ORPHAN_END,                                      /* the same, and it is stopped and removed */
};
/* `agent`: as in struct task_host. `on_file`: a file of its task exists, but could not be read. `simulated`: the ids of our GPUs are invented,
 * so an equal id of another agent names another GPU. */
enum orphan_fate orphan_fate_of(const struct container_found *found, struct str agent, bool on_file, bool simulated);

struct orphans;
/* Looks at all containers except those of known tasks, puts their GPUs into the books and begins to end the agent's own; before any task
 * begins. Owned; `host` and `owner` are lent. NULL and *err: the runtime does not answer. */
struct orphans *orphans_begin(struct task_host *host, bool (*is_known)(void *owner, struct str task_arn), void *owner, struct err *err);
void orphans_leave(struct orphans *orphans);         /* after host->stopping: its threads end soon; NULL: nothing */
void orphans_destroy(struct orphans *orphans);       /* NULL: nothing */

/* "host:/folder", as a label says who made a container. Lives in `arena`. */
bool orphans_agent_name(const char *data_dir, struct str *name, struct arena *arena, struct err *err);
/* A word that names this folder on this machine until it is started again: made of that name and of the kernel's id of this boot. A copy of
 * the machine has another word, and so has the same machine after a restart. Absent: the kernel has no such id. Lives in `arena`. */
struct str orphans_machine_word(struct str agent_name, struct arena *arena);

#endif
