/* search.h: one search for places, as its files share it: what the demand comes down to, the filters, the ranks, and the
 * evidence of a search that failed. */
#ifndef BERTH_SCHEDULER_SEARCH_H
#define BERTH_SCHEDULER_SEARCH_H

#include "scheduler/world.h"

/* A demand in the columns' own numbers. More than any instance can have is AMOUNT_NEVER. */
enum { AMOUNT_NEVER = INT32_MAX };
struct need { int32_t cpu, memory, gpus; bool all_gpus; uint64_t port_bits; };
struct wanted { uint32_t name, value; bool any_value; };         /* an attribute by its texts; a name that nobody has is NONE */

struct search {
    struct world *world;
    const struct demand *demand;
    struct need need;
    struct wanted *wanted;                                       /* as many as the demand's attributes */
    uint32_t group;                                              /* held; NONE without a group */
    struct rng rng;
};
void search_begin(struct search *search, struct world *world, const struct demand *demand);
void search_end(struct search *search);

/* gpu.c: how many devices, and which. */
void gpu_need(const struct demand *demand, struct need *need);
void gpu_choose(const struct demand *demand, uint64_t all, uint64_t free_bits, uint64_t slots[DEMAND_CONTAINERS_MAX]);

/* check.c: one instance, thoroughly. `what` and `port` tell what was missing where that has a name. */
struct look { enum verdict verdict; int lacking; bool impossible; struct str what; int64_t port; };
struct look check_instance(const struct search *search, uint32_t instance);
const struct wanted *check_kind(const struct search *search, uint32_t kind);     /* the first attribute it lacks; NULL for none */

/* The race: a rank is a column in which less is better. In the race are the rows whose `key` equals `least`; each further
 * rank keeps, of those, the ones with the least of it. One pass over the columns per rank, and only over the blocks of rows
 * in which somebody is left. */
#define RANK_OUT  INT32_MAX
#define RANK_LAST (INT32_MAX - 1)
struct race { struct fleet *fleet; int32_t least; };

/* filter.c: all instances of a cluster, fast; the rows that fit enter the race with their first rank. Agrees with
 * check_instance (a test compares them). False: nothing fits. */
bool filter_fleet(const struct search *search, struct race *race, const int32_t *first_rank);
void race_find_least(struct race *race);                         /* after rows were taken out */

/* score.c */
const int32_t *score_first_rank(struct search *search, struct fleet *fleet);
uint32_t       score_pick(struct search *search, struct race *race);             /* the winner's row */

/* evidence.c: why nothing fitted. */
void evidence_of_fleet(const struct search *search, struct evidence *evidence);
void evidence_of_one(const struct search *search, uint32_t instance, const struct look *look, struct evidence *evidence);

#endif
