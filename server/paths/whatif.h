/* whatif.h: questions that change nothing: what would happen, why a task is where it is, how much more fits. */
#ifndef BERTH_SERVER_PATHS_WHATIF_H
#define BERTH_SERVER_PATHS_WHATIF_H

#include "server/figures/headroom.h"
#include "server/figures/pulls.h"
#include "server/front/front.h"
#include "server/front/last_run.h"

struct whatif_paths {                        /* all lent */
    const struct front *front;
    struct headroom_cache *headroom;
    struct last_run *last_run;
    struct pulls *pulls;
};

PATH_HANDLER(what_if_handle);
PATH_HANDLER(what_if_update_handle);
PATH_HANDLER(what_if_drain_handle);
PATH_HANDLER(why_handle);
PATH_HANDLER(headroom_handle);
PATH_HANDLER(queue_handle);
PATH_HANDLER(status_handle);

#endif
