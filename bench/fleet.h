/* fleet.h: simulated machines for benchmarks. Each takes its tasks from its polls; a few connections report for all that a task runs, and that
 * it has ended. Everything is signed. One thread: fleet_turn does the work that is due. */
#ifndef BERTH_BENCH_FLEET_H
#define BERTH_BENCH_FLEET_H

#include "base/id.h"
#include "bench/client.h"

enum { FLEET_ARN_MAX = 256, FLEET_SESSION_MAX = 64, FLEET_BATCH = 256 };

struct life { char id[ID_HEX_LEN + 1]; bool runs; struct life *next; };     /* runs: the end is the next that is reported */
enum link_kind { LINK_RUN, LINK_MACHINE, LINK_REPORTS };
struct link {
    enum link_kind kind;
    int fd;
    bool asked;                                  /* an answer is due */
    struct bench_answer *answer;
    struct link *next_free;
    char arn[FLEET_ARN_MAX], session[FLEET_SESSION_MAX];    /* of a machine */
    struct life *reported[FLEET_BATCH]; size_t count; int64_t sent_us;       /* of reports on their way */
};
struct fleet {
    struct bench_target api, agents;             /* given, as the next four */
    bool keeps;                                  /* a task runs until its machine hears that it stops; else it ends as soon as it runs */
    void (*take_run)(struct fleet *fleet, struct link *link, struct str body);      /* an answer on a LINK_RUN */
    void (*heard_running)(void *owner, const char *id); void *owner;                /* of each task that runs; may be NULL */
    struct link *links; size_t link_count;
    struct link *free_runs, *free_reports;
    struct life *waiting, **waiting_end, *spare; /* to be reported, oldest first; that have ended */
    int epoll;
    int64_t heard_us, taken_us, ended_us;        /* of the last answer, of the last task that a machine took, of the last report that one has ended */
    uint64_t taken, running, stopped, report_calls, polls;
    struct arena arena, kept;
};

/* Makes the cluster "default", the definition "bench" and the machines, whose polls begin. `runs`: connections for the caller's own requests. */
void fleet_open(struct fleet *fleet, size_t machines, size_t runs, size_t reporters);
/* Sends the reports that wait, and takes the answers that come within `wait_ms`. Ends the program when nothing came for half a minute. */
void fleet_turn(struct fleet *fleet, int wait_ms);
/* A request on a LINK_RUN that is free. */
void fleet_send(struct link *link, struct str request);

#endif
