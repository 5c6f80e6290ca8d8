/* task.h: the tasks of a simulated machine: a few timers instead of containers. For this wing only; the loop's thread. */
#ifndef BERTH_AGENT_FAKE_TASK_H
#define BERTH_AGENT_FAKE_TASK_H

#include "agent/link/report.h"
#include "wire/wire.h"

struct fake_task;

/* State that all simulated machines share. */
struct fake_host {
    struct client *client;                       /* lent */
    const struct endpoint *server;               /* borrowed */
    struct reporter *reporter;                   /* lent: one for all machines, since a report does not name its own */
    const char *cluster;
    int64_t task_ms;                             /* how long a task runs; 0: until it is stopped */
    bool silent;                                 /* tasks print nothing */
    void (*over)(void *machine, struct fake_task *task);   /* it has ended, the server knows, and it must be freed */
};

enum fake_state { FAKE_STARTING, FAKE_RUNNING, FAKE_STOPPING, FAKE_STOPPED };

struct fake_task {
    struct fake_task *next;
    const struct fake_host *host;
    void *machine;
    const char *machine_name;                    /* borrowed */
    enum fake_state state;
    char *arn, *names, *gpus;                    /* owned; names: one after the other, each with its NUL */
    char *attachment;                            /* owned: the ARN of its own network interface; NULL: it has none */
    size_t count, logged;                        /* containers; how many have had their line of output */
    int64_t pull_ms, stopped_ms;                 /* wall clock */
    struct timer timer, log_timer;
    struct call log_call;
    struct report_line line;
};

/* `wire` NULL: it was running before this process began, and its definition is not known. */
struct fake_task *fake_task_create(const struct fake_host *host, void *machine, const char *machine_name, struct str arn,
                                   const struct wire_task *wire);
void fake_task_stop(struct fake_task *task);
void fake_task_destroy(struct fake_task *task);

#endif
