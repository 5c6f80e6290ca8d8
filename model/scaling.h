/* scaling.h: Berth's record of a scalable target: one service, its limits, and all that belongs to them. scheduler/scaling decides by it. */
#ifndef BERTH_MODEL_SCALING_H
#define BERTH_MODEL_SCALING_H

#include "base/arena.h"
#include "model/records/scaling.h"

enum { SCALING_POLICIES_MAX = 50, SCALING_ACTIONS_MAX = 200, SCALING_ACTIVITIES_MAX = 100, SCALING_COOLDOWN_S = 300 };

/* A minute of scaling may be set to be shorter: then all that is counted in minutes is. */
enum { SCALING_OUT_MINUTES = 3, SCALING_IN_MINUTES = 15, SCALING_MINUTE_MS = 60 * 1000 };
struct scaling_history { size_t count; double values[SCALING_IN_MINUTES]; };      /* of minutes that follow each other, newest first; 0: no data now */

/* The measures that Berth takes of a service. CLIENT: a metric that clients put (PutMetricData), of which a service may have several. */
enum scaling_measure { MEASURE_CPU, MEASURE_MEMORY, MEASURE_GPU, MEASURE_GPU_MEMORY, MEASURE_REQUESTS, MEASURE_COUNT, MEASURE_CLIENT = MEASURE_COUNT,
                       MEASURE_UNKNOWN };
struct client_minutes { struct str policy; struct scaling_history of; };      /* of the metric that this policy tracks */
struct service_minutes { int64_t service; struct scaling_history of[MEASURE_COUNT]; struct client_minutes *client; size_t client_count; };
enum scaling_measure scaling_measure_of(const struct target_tracking *tracking);
struct str           scaling_measure_name(enum scaling_measure measure);      /* below MEASURE_COUNT */
struct str           scaling_client_key(const struct customized_metric_specification *metric, struct arena *arena);      /* metric_key */
/* The target group that an ARN or the label of ALBRequestCountPerTarget names: behind "targetgroup/". Absent: it names none. */
struct str           scaling_group_in(struct str text);

/* The activity that goes on; NULL: there is none. */
const struct kept_activity *scaling_going_on(const struct kept_scaling *target);
void scaling_settle(struct kept_scaling *target, enum scaling_status status, int64_t now_ms);      /* it has ended so */
/* Puts an activity before the others: of a changed count, or with `reason`, of a count that did not change. An activity that goes on is overridden by a
 * change. The list is in `arena`. */
void scaling_add_activity(struct kept_scaling *target, int64_t desired, struct str cause, struct not_scaled_reason *reason, int64_t now_ms,
                          struct arena *arena);

#endif
