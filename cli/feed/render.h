/* render.h: the healthy targets of all target groups, or all names, in the formats that other programs read from a file. Pure. */
#ifndef BERTH_CLI_FEED_RENDER_H
#define BERTH_CLI_FEED_RENDER_H

#include "cli/feed/state.h"

struct render {
    struct str kind;                                             /* "nginx" */
    bool carries;                                                /* it is a proxy's: the server waits for what it has applied */
    bool names;                                                  /* of names (GET /berth/v1/names), not of targets */
    void (*put)(const struct feed_state *state, struct buf *out);
};
const struct render *render_find(struct str kind);               /* NULL: there is none */

#endif
