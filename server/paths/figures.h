/* figures.h: figures of machines and of the server itself: use, pulls, faults of GPUs, metrics, health. */
#ifndef BERTH_SERVER_PATHS_FIGURES_H
#define BERTH_SERVER_PATHS_FIGURES_H

#include "server/archive/archive.h"
#include "server/figures/agent_logs.h"
#include "server/figures/headroom.h"
#include "server/figures/health_counts.h"
#include "server/figures/pulls.h"
#include "server/figures/held.h"
#include "server/figures/samples.h"
#include "server/front/front.h"
#include "server/live/stream.h"
#include "server/net/listener.h"
#include "server/sessions/sessions.h"
#include "server/webhooks/webhooks.h"

struct figure_paths {                        /* all lent */
    const struct front *front;
    struct samples *samples;
    struct pulls *pulls;
    struct archive *archive;                 /* or NULL */
    struct held *held;
    struct agent_logs *agent_logs;
};
PATH_HANDLER(idle_handle);
PATH_HANDLER(samples_handle);
PATH_HANDLER(past_board_handle);
PATH_HANDLER(pulls_handle);
PATH_HANDLER(agent_pulls_handle);
PATH_HANDLER(agent_own_log_handle);
PATH_HANDLER(agent_log_handle);

struct metrics_paths {                       /* all lent */
    const struct front *front;
    struct sessions *sessions;
    struct stream *stream;
    struct headroom_cache *headroom;
    struct health_counts *health;
    struct samples *samples;
    struct archive *archive;                 /* or NULL */
    struct held *held;
    struct webhooks *webhooks;
    struct http *http; struct listener *listener;
    const atomic_bool *clock_doubted;
};
PATH_HANDLER(metrics_handle);

PATH_HANDLER(health_handle);                 /* of struct front, like the rest */
PATH_HANDLER(gpus_handle);
PATH_HANDLER(gpus_set_handle);
PATH_HANDLER(capacity_set_handle);
PATH_HANDLER(agent_health_handle);           /* gpus.c */
PATH_HANDLER(agent_checks_handle);
PATH_HANDLER(agent_pulled_handle);
PATH_HANDLER(alarm_set_handle);
PATH_HANDLER(schedules_handle);

#endif
