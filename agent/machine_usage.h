/* machine_usage.h: the usage of this machine's GPUs and containers, for its reports. The loop's thread. */
#ifndef BERTH_AGENT_MACHINE_USAGE_H
#define BERTH_AGENT_MACHINE_USAGE_H

#include "agent/task/container_watch.h"
#include "agent/machine_gpus.h"
#include "agent/task/task.h"
#include "agent/link/usage_report.h"

struct machine_usage {
    /* set by the machine */
    const struct agent_config *config;
    struct machine_gpus *gpus;                   /* lent; has begun */
    struct task_host *host;                      /* lent */
    struct task *const *tasks;                   /* the machine's table */
    /* its own */
    struct usage_reporter reporter;
    struct container_watch *watch;               /* NULL: no usage is reported */
    bool said_too_many;
};

void machine_usage_begin(struct machine_usage *usage);
void machine_usage_leave(struct machine_usage *usage);  /* host->stopping was set; not begun: nothing */
void machine_usage_end(struct machine_usage *usage);  /* when its thread has ended or will at once; not begun: nothing */

#endif
