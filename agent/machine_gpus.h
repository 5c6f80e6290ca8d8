/* machine_gpus.h: the GPUs of this machine, as the server gets them: the list, and the faults. The loop's thread. */
#ifndef BERTH_AGENT_MACHINE_GPUS_H
#define BERTH_AGENT_MACHINE_GPUS_H

#include "agent/gpu/watch.h"
#include "agent/link/health_report.h"
#include "agent/registration/register.h"

struct machine_gpus {
    /* set by the machine */
    const struct agent_config *config;
    struct client *client;                       /* lent */
    const struct endpoint *server;
    const char *cluster;
    struct inventory *inventory;                 /* the machine's: its GPUs change here */
    struct gpu_books *books;                     /* lent */
    void (*changed)(void *owner);                /* the inventory has: register again */
    void *owner;
    /* its own */
    struct arena arena;                          /* of the inventory's GPUs and of their faults, once they changed */
    struct gpu_watch *watch;                     /* NULL: nothing to watch */
    struct gpu_trouble_list troubles;
    struct post post;
    struct lock lock;
    bool posted;                                 /* guarded by lock */
    struct health_reporter reporter;
    char instance[256];                          /* ARN; empty: not registered yet */
};

bool machine_gpus_begin(struct machine_gpus *gpus, struct err *err);
void machine_gpus_registered(struct machine_gpus *gpus, struct str arn);     /* a new server may know nothing yet: reports again */
bool machine_gpus_end(struct machine_gpus *gpus);                            /* false: a thread still holds it */

/* Their usage, and how long ago it was read; empty where nothing is known. Lives in `arena`. */
struct wire_gpu_sample_list machine_gpus_usage(const struct machine_gpus *gpus, int64_t *age_ms, struct arena *arena);

/* The report for this inventory. In the header for its tests. */
struct str machine_gpus_report(const struct machine_gpus *gpus, struct arena *arena);

#endif
