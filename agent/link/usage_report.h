/* usage_report.h: sends the usage of machines and their containers to the server: in rounds, one machine after the other. The loop's thread. */
#ifndef BERTH_AGENT_LINK_USAGE_REPORT_H
#define BERTH_AGENT_LINK_USAGE_REPORT_H

#include "agent/link/client.h"
#include "wire/wire.h"

struct usage_reporter {
    /* set by the owner of the machines */
    struct client *client;                       /* lent */
    const struct endpoint *server;
    int64_t every_ms;                            /* 0: never */
    /* The samples of machine `index`, false when it has none. *samples lives in `arena`. */
    bool (*ask)(void *owner, size_t index, struct wire_samples *samples, struct arena *arena);
    void *owner;
    /* its own */
    size_t next, count;
    struct call call;
    struct timer timer;
    int64_t begun_ms;
    bool refused;                                /* the server refuses them, which the log says */
};
void usage_reporter_start(struct usage_reporter *reporter, size_t count);  /* `count` machines */
void usage_reporter_finish(struct usage_reporter *reporter);  /* never started: nothing */

#endif
