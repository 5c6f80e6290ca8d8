/* ticker.h: the one timer. It decides nothing: it only hands in Berth's own operations, which the writer runs like any other,
 * removes the logs of tasks that are gone, and lets TLS look after its certificate. While the clock can't be believed (steady.h) nothing ends that
 * has a term. After a commit that failed it makes a small write each second, until one works. */
#ifndef BERTH_SERVER_TICKER_H
#define BERTH_SERVER_TICKER_H

#include <stdatomic.h>

#include "server/logs/logs.h"
#include "server/sessions/sessions.h"
#include "server/net/tls.h"

struct ticker_config {                                                               /* all lent */
    struct store *store;
    struct writer *writer;
    struct sessions *sessions;
    struct logs *logs;
    struct tls *tls;
    atomic_bool *clock_doubted;                                                      /* set: nothing ends, since the clock has jumped */
};

struct ticker;
struct ticker *ticker_start(const struct ticker_config *config, struct err *err);    /* owned; NULL: no thread */
void           ticker_stop(struct ticker *ticker);                                   /* accepts NULL */

#endif
