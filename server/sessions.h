/* sessions.h: the agents that talk to us by long polling, one session object per instance. Knows who is there, who waits, and
 * whom to wake; what there is to say comes from the store by way of the outbox. Presence is written down through the writer
 * like everything else. */
#ifndef BERTH_SERVER_SESSIONS_H
#define BERTH_SERVER_SESSIONS_H

#include "api/wire.h"
#include "server/writer.h"

struct sessions_config {
    struct store *store; struct writer *writer;      /* lent */
    const struct api_config *api;                    /* borrowed */
    size_t waiting_max;                              /* polls that may wait at once: each holds a thread */
};
struct sessions_counts { size_t sessions, waiting; };

struct sessions;
/* Instances that the store calls connected get a minute to come back. NULL: the store can't be read. */
struct sessions *sessions_create(const struct sessions_config *config, struct err *err);
void             sessions_stop(struct sessions *sessions);           /* answers all that wait, and every poll from now on */
void             sessions_destroy(struct sessions *sessions);        /* no poll may be running; accepts NULL */

/* One poll, for as long as it takes. The answer's JSON goes into `out`, which is only touched at the end. */
MUST_USE bool    sessions_poll(struct sessions *sessions, const struct poll_request *poll, const struct caller *caller,
                               struct arena *arena, struct buf *out, struct err *err);
void             sessions_apply(struct sessions *sessions, const struct effect_list *effects);       /* any thread */

/* Instances whose agents have not been heard of for too long at `monotonic_ms`; each is reported again until
 * sessions_forget says that its absence is written down. */
size_t           sessions_lost(struct sessions *sessions, int64_t monotonic_ms, struct id *ids, size_t limit);
void             sessions_forget(struct sessions *sessions, struct id id);
struct sessions_counts sessions_count(struct sessions *sessions);

#endif
