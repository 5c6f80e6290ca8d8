/* lease.h: how long this machine may run tasks without an answer from its server. The server says the length with each answer to a poll. The
 * lease counts from when that poll was *sent*, so that it ends here before it ends for the server, also when the answer was lost. Counted by
 * the clock that runs on while a machine sleeps. Kept in DIR/lease, so that a restart of the agent does not begin it again; a restart of the
 * machine does not matter, because no container survives it. Used by the loop's thread. */
#ifndef BERTH_AGENT_LINK_LEASE_H
#define BERTH_AGENT_LINK_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

static const int64_t LEASE_MOST_MS = (int64_t)100 * 365 * 24 * 3600 * 1000;   /* and of a time since boot: sums of two fit 64 bits */

struct lease {
    int file;                                    /* -1: not open */
    bool troubled;                               /* the file could not be written, which the log says */
    char boot[64];                               /* the start of the machine that the clock counts from */
    int64_t length_ms;                           /* 0: none, tasks run for ever */
    int64_t sent_ms;                             /* of the last poll that was answered; clock_boot_ms */
};

bool    lease_open(struct lease *lease, const char *dir, struct err *err);      /* goes on with the lease of an earlier run */
void    lease_close(struct lease *lease);                                       /* all zero: nothing */
void    lease_renew(struct lease *lease, int64_t sent_ms, int64_t length_ms);   /* length: 0 to LEASE_MOST_MS */
int64_t lease_left_ms(const struct lease *lease, int64_t now_ms);               /* 0: it is over; INT64_MAX: no lease */

#endif
