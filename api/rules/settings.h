/* settings.h: the tags of a service that begin with "berth:", read and checked. Pure. Private to api/.
 *
 *   berth:replace             stop-first, stop-first:K with K of 1 to 100, or one-first
 *   berth:placement-failures  wait
 *   berth:progress-deadline   1m to 24h
 *   berth:healthy-after       seconds, 0 to 3600
 *   berth:queue, berth:priority   as those of tasks (api/tasks/waits.h), for its tasks that wait for a capacity provider */
#ifndef BERTH_API_RULES_SETTINGS_H
#define BERTH_API_RULES_SETTINGS_H

#include "api/core/support.h"

enum service_replace { REPLACE_AS_ECS, REPLACE_STOP_FIRST, REPLACE_ONE_FIRST };

struct service_settings {
    enum service_replace replace;
    int64_t stops_first;                     /* K of stop-first, 1 without a number; else 0 */
    bool waits_for_room;                     /* a lack of room is no failure */
    int64_t progress_ms;                     /* a deployment that makes no progress for this long fails; 0: it has no such limit */
    int64_t healthy_after_ms;                /* a task without checks is healthy when it has been RUNNING for this long */
};

/* Reads the tags of a service. False and ERR_INVALID_PARAMETER: the value of a tag, the first one that *err names, can't be read. Then that tag counts
 * as absent, and the others are read. */
bool service_settings(const struct tag_list *tags, struct service_settings *settings, struct err *err);
/* All that can be wrong with the tags of a service: support_check_tags, and the values of Berth's own. */
bool service_check_tags(const struct tag_list *tags, struct err *err);

#endif
