/* agents.h: what agents say over HTTP and by telemetry: polls, reports, output, use. */
#ifndef BERTH_SERVER_PATHS_AGENTS_H
#define BERTH_SERVER_PATHS_AGENTS_H

#include "base/json.h"
#include "server/archive/archive.h"
#include "server/figures/held.h"
#include "server/figures/samples.h"
#include "server/front/front.h"
#include "server/logs/logs.h"
#include "server/sessions/sessions.h"

struct agent_paths {                         /* all lent */
    const struct front *front;
    struct sessions *sessions;
    struct logs *logs;
    struct samples *samples;
    struct archive *archive;                 /* or NULL */
    struct held *held;
};

PATH_HANDLER(agent_poll_handle);
PATH_HANDLER(agent_reports_handle);
PATH_HANDLER(agent_logs_handle);
PATH_HANDLER(agent_samples_handle);          /* agent_samples.c */

/* A machine that is registered, by the names of its cluster and itself that an agent uses; the cluster's name goes into *cluster. NULL and *err: there
 * is no such machine. */
const struct instance *agents_find_instance(const struct front *front, struct str cluster_reference, struct str instance_reference,
                                            struct str *cluster, struct arena *arena, struct err *err);

/* telemetry.c: one frame of the telemetry channel of that machine's ECS agent; the answer, absent when there is none. News of other machines, or of
 * tasks that are placed elsewhere, is ignored. */
struct str telemetry_take(const struct agent_paths *paths, struct id instance, struct str frame, struct arena *arena);
/* From the handshake of the ECS agent's first websocket. */
void telemetry_take_version(const struct front *front, const struct http_request *request);
/* agent_samples.c: the use of containers, from one such frame. */
void agent_samples_take(const struct agent_paths *paths, struct id instance, const struct json *message, struct arena *arena);

#endif
