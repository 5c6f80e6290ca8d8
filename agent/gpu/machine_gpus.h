/* machine_gpus.h: the GPUs of this machine as its agent speaks of them: which there are, and what is wrong with them. The loop's
 * thread. */
#ifndef BERTH_AGENT_GPU_MACHINE_GPUS_H
#define BERTH_AGENT_GPU_MACHINE_GPUS_H

#include "agent/gpu/watch.h"
#include "agent/link/health_report.h"
#include "agent/register.h"

struct machine_gpus {
    /* set by the machine */
    const struct agent_config *config;
    struct client *client;                       /* lent */
    const struct endpoint *server;
    const char *cluster;
    struct inventory *inventory;                 /* the machine's: its GPUs change here */
    struct gpu_books *books;                     /* lent */
    void (*changed)(void *owner);                /* the facts have: register again */
    void *owner;
    /* its own */
    struct arena arena;                          /* of the facts' GPUs and of what is wrong with them, once they changed */
    struct gpu_watch *watch;                     /* NULL: nothing to watch */
    struct gpu_trouble_list troubles;
    struct post post;
    struct lock lock;
    bool posted;                                 /* guarded by lock */
    struct health_reporter reporter;
    char instance[256];                          /* ARN; empty: not registered yet */
};

bool machine_gpus_begin(struct machine_gpus *gpus, struct err *err);
void machine_gpus_registered(struct machine_gpus *gpus, struct str arn);     /* the server may know nothing of before: told again */
bool machine_gpus_end(struct machine_gpus *gpus);                            /* false: a thread still holds it */

/* What they use, and how long ago that was read; none where nothing is known. Lives in `arena`. */
struct wire_gpu_sample_list machine_gpus_usage(const struct machine_gpus *gpus, int64_t *age_ms, struct arena *arena);

/* The report for these facts. Inside the room for tests. */
struct str machine_gpus_report(const struct machine_gpus *gpus, struct arena *arena);

#endif
