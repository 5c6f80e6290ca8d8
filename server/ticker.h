/* ticker.h: the one timer. It decides nothing: it submits Berth's own operations, which the writer runs like all others, removes the logs of tasks that
 * are gone, and lets TLS look at its certificate and the server at its targets. While the clock is doubted (steady.h), nothing that has a term ends. After a
 * commit that failed it makes a small write each second, until one works. */
#ifndef BERTH_SERVER_TICKER_H
#define BERTH_SERVER_TICKER_H

#include <stdatomic.h>

#include "server/calls/target_checks.h"
#include "server/figures/held_file.h"
#include "server/figures/minutes.h"
#include "server/logs/logs.h"
#include "server/sessions/sessions.h"
#include "server/net/tls.h"

struct ticker_config {                                                               /* all lent */
    struct store *store;
    struct writer *writer;
    struct sessions *sessions;
    struct minutes_sources figures;
    struct held *held; const char *held_path;                                        /* and the file that keeps it */
    struct logs *logs;
    struct tls *tls;
    struct target_checks *targets;
    atomic_bool *clock_doubted;                                                      /* set: nothing ends, since the clock has jumped */
};

struct ticker;
struct ticker *ticker_start(const struct ticker_config *config, struct err *err);    /* owned; NULL: no thread */
void           ticker_stop(struct ticker *ticker);                                   /* accepts NULL */

#endif
