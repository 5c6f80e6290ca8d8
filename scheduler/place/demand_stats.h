/* demand_stats.h: counts of what one cluster is asked for, and the outlook that the policies for GPUs look ahead with. Counts
 * fade, so that last month's work does not weigh like today's. An outlook is made again only when the mix has really changed,
 * since every board that used the old one must then be made again too. It also gives the outlook the free room of each instance.
 * Refuses to know time: it counts tasks. */
#ifndef BERTH_SCHEDULER_PLACE_DEMAND_STATS_H
#define BERTH_SCHEDULER_PLACE_DEMAND_STATS_H

#include "scheduler/place/outlook.h"

enum { STATS_SHAPES_MAX = 1024, STATS_REQUIREMENTS_MAX = 64 };
struct requirement;                                              /* attributes and expressions that some demand named */
struct demand_stats {
    struct arena arena, outlook_arena;
    struct outlook_shape shapes[STATS_SHAPES_MAX]; uint32_t shape_count;
    struct requirement *requirements; uint32_t requirement_count;
    uint64_t counted, look_at;                                   /* tasks so far; when the mix is looked at again */
    uint32_t total;                                              /* of the counts */
    bool fixed;                                                  /* given from outside: nothing is learned */
    struct outlook *outlook;
    uint32_t asked_for[STATS_SHAPES_MAX], asked_total;           /* the counts when the outlook was made, by shape */
    uint64_t version;                                            /* of the outlook */
    uint32_t births;                                             /* of kinds that it knows */
    uint32_t *levels, level_count;                               /* kept while something is tried; NULL otherwise */
};

struct fleet;
struct search;
struct demand_stats *demand_stats_of(struct world *world, struct fleet *fleet);               /* made when it is first asked for; it has an outlook */
void demand_stats_finish(struct world *world, struct fleet *fleet);
/* `count` tasks like this were asked for. `search` tells what they require; NULL when that is not known. */
void demand_stats_count(struct world *world, struct fleet *fleet, const struct ask *ask, const struct search *search, uint32_t count);
void demand_stats_see(struct world *world, uint32_t instance);   /* it has changed; accepts NONE and an unknown one */
void demand_stats_row_leaves(struct fleet *fleet, uint32_t row); /* its instance will leave the fleet */
/* Around what may be taken back: then the outlook is as it was, if nothing was counted in between. */
void demand_stats_begin_trial(struct world *world, struct fleet *fleet);
void demand_stats_end_trial(struct world *world, struct fleet *fleet, bool taken_back);

#endif
