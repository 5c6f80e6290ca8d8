/* viewers.h: what browsers and the command line read: the page's files, the board, its changes as they happen, output of tasks, history. */
#ifndef BERTH_SERVER_PATHS_VIEWERS_H
#define BERTH_SERVER_PATHS_VIEWERS_H

#include "server/figures/requests.h"
#include "server/figures/samples.h"
#include "server/front/front.h"
#include "server/live/board_cache.h"
#include "server/live/event_cache.h"
#include "server/live/stream.h"
#include "server/logs/logs.h"

struct viewer_paths {                        /* all lent */
    const struct front *front;
    struct stream *stream;
    struct event_cache *events;
    struct board_cache *boards;
    struct logs *logs;
    struct samples *samples;
    struct requests *requests;
};

PATH_HANDLER(page_handle);                   /* page.c; of struct front, as the next */
PATH_HANDLER(caller_handle);
PATH_HANDLER(state_handle);                  /* board.c */
PATH_HANDLER(events_handle);
PATH_HANDLER(ecs_events_handle);
PATH_HANDLER(logs_handle);                   /* task_logs.c */
PATH_HANDLER(history_handle);
PATH_HANDLER(usage_handle);
PATH_HANDLER(history_task_handle);
PATH_HANDLER(traffic_handle);                /* traffic.c */
PATH_HANDLER(endpoints_handle);
PATH_HANDLER(names_handle);
PATH_HANDLER(feed_applied_handle);

/* Each answer without an end holds a thread, so their number is bounded. Ends with stream_leave. */
MUST_USE bool viewers_enter(struct stream *stream, struct err *err);

#endif
