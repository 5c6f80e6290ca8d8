/* rules.h: decisions about images, without doing anything: whether an image is pulled, which failures are worth another try, and which images
 * are removed when the disk is cleaned. Pure. */
#ifndef BERTH_AGENT_IMAGES_RULES_H
#define BERTH_AGENT_IMAGES_RULES_H

#include "agent/core/config.h"
#include "base/str.h"

/* ECS's four behaviours. */
struct image_rule {
    bool keeps_local;                            /* an image that is here is enough */
    bool keeps_pulled;                           /* an image that is here is enough if the agent pulled it */
    bool falls_back;                             /* when the pull fails, an image that is here will do */
    bool stops_task;                             /* when the pull fails, the whole task stops, essential container or not */
    bool cleans;                                 /* unused images are removed in time */
};
const struct image_rule *image_rule(enum image_pull behaviour);
bool image_must_be_pulled(const struct image_rule *rule, bool is_here, bool was_pulled);

/* The registry said no, and would say it again. */
bool image_failure_is_final(const char *message);
/* How long to wait before the attempt after this one: 1.1 s, then twice as long each time, 5 s at most. `attempt` from 1. */
int64_t image_pause_ms(int attempt);

struct image_candidate {
    struct str image;
    bool own;                                    /* the agent brought it here */
    bool in_use;                                 /* a container was made of it, or soon will be */
    int64_t pulled_ms, used_ms;
};
/* Images to remove now: own, unused, pulled longer ago than min_age_ms; those unused for the longest time first, at most `most`. Fills chosen
 * with indexes, in order; returns how many. `chosen` has room for `count`. */
size_t image_choose(const struct image_candidate *candidates, size_t count, int64_t now_ms, int64_t min_age_ms, size_t most, size_t *chosen);

#endif
