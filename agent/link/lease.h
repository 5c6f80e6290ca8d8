/* lease.h: how long this machine may run tasks without a word from its server. The server says the length with each answer to a
 * poll; the lease counts from when that poll was *sent*, so that it is over here before it is for the server, whatever became of
 * the answer. Counted by the clock that runs on while a machine sleeps. Kept in DIR/lease, so that a restart of the agent does not
 * begin it anew; a restart of the machine does not matter, because no container survives it. Used by the loop's thread. */
#ifndef BERTH_AGENT_LINK_LEASE_H
#define BERTH_AGENT_LINK_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct lease {
    int file;                                    /* -1: not open */
    bool troubled;                               /* the file could not be written, which was told */
    char boot[64];                               /* which start of the machine the clock counts from */
    int64_t length_ms;                           /* 0: none, tasks run for ever */
    int64_t sent_ms;                             /* of the last poll that was answered; clock_boot_ms */
};

bool    lease_open(struct lease *lease, const char *dir, struct err *err);      /* goes on with what an earlier life has left */
void    lease_close(struct lease *lease);                                       /* all zero: nothing */
void    lease_renew(struct lease *lease, int64_t sent_ms, int64_t length_ms);
int64_t lease_left_ms(const struct lease *lease, int64_t now_ms);               /* 0: it is over; INT64_MAX: there is none */

#endif
