/* file.h: applies a state by a file that another program reads: written when its text changes, whole or not at all, then a command may be run. */
#ifndef BERTH_CLI_FEED_FILE_H
#define BERTH_CLI_FEED_FILE_H

#include "cli/feed/follow.h"
#include "cli/feed/render.h"

struct feed_file {
    const struct render *render;
    const char *path, *reload;                                   /* reload: a command for the shell, NULL: none */
    bool reload_due; int64_t reloaded_ms;                        /* of file.c, which begin as 0 */
};

bool file_apply(void *file, const struct feed_state *state, struct feed_applied *applied, struct arena *arena, struct err *err);     /* feed_apply */

#endif
