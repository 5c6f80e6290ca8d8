/* orphans.h: containers of no task that the agent knows. An agent that has lost its folder comes back as a new machine, while what it
 * ran before runs on; nobody would ever stop that, and its GPUs would be given away a second time. So containers carry in labels who
 * made them and which GPUs they have. What was made from this folder on this machine is ended; what another agent made is left
 * alone, and its GPUs stay in the books until it ends by itself. */
#ifndef BERTH_AGENT_TASK_ORPHANS_H
#define BERTH_AGENT_TASK_ORPHANS_H

#include "agent/task/task.h"

enum orphan_fate {
    ORPHAN_LEAVE,                                    /* it is none of our business */
    ORPHAN_HOLD,                                     /* its GPUs stay in the books until it ends */
    ORPHAN_END,                                      /* the same, and it is stopped and removed */
};
/* `agent`: as in struct task_host. `on_file`: a file of its task is there, which could not be read. `simulated`: ids of our GPUs are
 * invented, and those of another agent are other ones even where they are called the same. */
enum orphan_fate orphan_fate_of(const struct container_found *found, struct str agent, bool on_file, bool simulated);

struct orphans;
/* Looks at all containers but those of tasks that are known, puts GPUs into the books and begins to end what is to end; before any
 * task begins. Owned; `host` and `owner` are lent. NULL and *err: the runtime does not answer. */
struct orphans *orphans_begin(struct task_host *host, bool (*is_known)(void *owner, struct str task_arn), void *owner, struct err *err);
void orphans_leave(struct orphans *orphans);         /* after host->stopping: its threads end soon; NULL: nothing */
void orphans_destroy(struct orphans *orphans);       /* NULL: nothing */

/* "host:/folder", as a label says who made a container. Lives in `arena`. */
bool orphans_agent_name(const char *data_dir, struct str *name, struct arena *arena, struct err *err);
/* What tells this folder on this machine, for as long as that runs, from all others: made of that name and of the kernel's word for
 * this boot. A copy of the machine, or the same after a restart, has another. Absent: the kernel says nothing. Lives in `arena`. */
struct str orphans_machine_word(struct str agent_name, struct arena *arena);

#endif
