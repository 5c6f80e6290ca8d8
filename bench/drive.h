/* drive.h: sends signed requests over many connections and keeps the times. Closed loop: each connection sends its next request as soon as the
 * answer is whole. Open loop: request k is due at k / rate, waits for a free connection when all are busy, and its latency counts from when it
 * was due, so that a server that stalls is seen to stall. One thread. */
#ifndef BERTH_BENCH_DRIVE_H
#define BERTH_BENCH_DRIVE_H

#include "bench/client.h"

enum { DRIVE_CONNECTIONS_MAX = 1024 };

struct drive_plan {
    const struct bench_target *target;
    const struct str *requests; size_t request_count;    /* sent in turn, and again from the first; borrowed */
    int64_t connections;
    int64_t seconds;                                     /* 0: until `limit` */
    int64_t limit;                                       /* requests in all; 0: until the time is over */
    int64_t rate;                                        /* requests per second of an open loop; 0: closed */
    bool (*good)(int status, struct str body);           /* NULL: a 200 is */
    void (*heard)(void *owner, int64_t at_us, struct str body); void *owner;     /* of each answer, since the start; may be NULL */
};
struct drive_result {
    uint64_t requests, failures, answer_bytes;
    double seconds;
    uint32_t *latencies_us; size_t latency_count;        /* sorted; owned */
};

/* Ends the program when a connection is lost. The first failure is printed on standard error. */
struct drive_result drive(const struct drive_plan *plan);
void drive_free(struct drive_result *result);
/* One line of JSON; `units` are what a request is worth: tasks. */
void drive_print(const struct drive_result *result, int64_t units);

#endif
