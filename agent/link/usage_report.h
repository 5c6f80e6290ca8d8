/* usage_report.h: what machines and their containers use, on its way to the server: in rounds, one machine after the other. The loop's thread. */
#ifndef BERTH_AGENT_LINK_USAGE_REPORT_H
#define BERTH_AGENT_LINK_USAGE_REPORT_H

#include "agent/link/client.h"
#include "wire/wire.h"

struct usage_reporter {
    /* set by who has the machines */
    struct client *client;                       /* lent */
    const struct endpoint *server;
    int64_t every_ms;                            /* 0: never */
    /* Machine `index`, false when it has nothing to tell. *samples lives in `arena`. */
    bool (*ask)(void *owner, size_t index, struct wire_samples *samples, struct arena *arena);
    void *owner;
    /* its own */
    size_t next, count;
    struct call call;
    struct timer timer;
    int64_t begun_ms;
    bool refused;                                /* the server does not take them, which was said once */
};
void usage_reporter_start(struct usage_reporter *reporter, size_t count);  /* `count` machines */
void usage_reporter_finish(struct usage_reporter *reporter);  /* never started: nothing */

#endif
