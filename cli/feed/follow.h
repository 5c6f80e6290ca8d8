/* follow.h: follows a state at the server, of load balancers or of names: gets each change, lets a proxy apply it, and reports that to the server.
 * The same for all feeds. While the server does not answer, the last state is applied again and again, and the server is asked for ever. */
#ifndef BERTH_CLI_FEED_FOLLOW_H
#define BERTH_CLI_FEED_FOLLOW_H

#include "cli/feed/state.h"
#include "cli/remote.h"

/* A counter of requests, which began at 0 with this process of the proxy (`source`). */
struct feed_count { struct str group, source; int64_t requests; };
struct feed_count_list { struct feed_count *items; size_t count; };
struct feed_applied {
    struct str_list busy;                                        /* targets that drain and may have requests */
    struct feed_count_list counts;                               /* of the target groups, if the proxy counts */
    bool soon;                                                   /* look again in a moment, else in a second */
    bool partly;                                                 /* the proxy has refused something: *err says what */
};
/* Makes the proxy be as the state says. Called again and again, also without a change. False and *err: it is not known how the proxy is. */
typedef bool feed_apply(void *context, const struct feed_state *state, struct feed_applied *applied, struct arena *arena, struct err *err);

struct feed {
    const struct remote *remote; const char *name;               /* name: at the server; NULL: it hears nothing, as when files are written for others */
    bool names;                                                  /* follows the names, not the load balancers */
    feed_apply *apply; void *context;
    bool (*ended)(void *context);                                /* is it time to end? NULL: never */
    bool once;                                                   /* one state, applied once */
};
/* Returns when the feed has ended. False and *err: a thread can't be started, or with `once` anything else. */
MUST_USE bool feed_follow(const struct feed *feed, struct arena *arena, struct err *err);

/* NULL and *err: it is no state. The text must live as long as the state. */
const struct feed_state *feed_read(struct str text, struct arena *arena, struct err *err);

#endif
