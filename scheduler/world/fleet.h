/* fleet.h: the instances of one cluster as rows in the order of their ids, so that "the first row" is "the smaller id" and a
 * plan does not depend on what happened before; and which rows changed last, so that a board (place/boards.h) looks again
 * at those alone. A row whose instance is gone stays as a gap until there are many gaps. */
#ifndef BERTH_SCHEDULER_WORLD_FLEET_H
#define BERTH_SCHEDULER_WORLD_FLEET_H

#include "scheduler/world/machine.h"
#include "scheduler/world/pool.h"

enum { FLEET_BLOCK = 64 };                   /* capacity grows in these */

struct row {
    struct id id;                            /* also of a gap: it keeps the order */
    uint32_t instance;                       /* number in the world; NONE for a gap */
    uint32_t newer, older;                   /* rows by their last change; NONE at the ends */
    uint64_t stamp;                          /* when it changed last, in changes of the fleet */
    struct outlook_stake stake;              /* kept by place/demand_stats.h */
};

struct zone { uint32_t name, instances; };   /* zones.c. name: a text that the entry holds; NONE: of instances without a zone */

struct demand_stats;
struct fleet {
    int64_t cluster;
    struct row *rows;
    uint32_t count, gaps, capacity;          /* rows up to here, gaps among them */
    uint32_t newest;                         /* the row that changed last; NONE without rows */
    uint64_t stamp;                          /* changes so far */
    uint64_t seen;                           /* … at the last look of a reader at the rows that changed */
    struct demand_stats *stats;              /* kept by place/demand_stats.h; NULL until the first question */
    struct zone *zones; uint32_t zone_count, zone_capacity;      /* in the order of their names */
    uint64_t order;                          /* how often rows moved: a move voids all that is kept by row's number */
};

struct instance_slot;
/* The row for a new instance. Rows behind it may move: `instances` is the world's list, whose `row` fields follow. */
uint32_t fleet_add(struct pool *pool, struct fleet *fleet, struct id id, uint32_t instance, const struct slots *instances);
void     fleet_remove(struct fleet *fleet, uint32_t row, const struct slots *instances);   /* its instance is NONE already */
void     fleet_finish(struct pool *pool, struct fleet *fleet);       /* gives the memory back */
void     fleet_touch(struct fleet *fleet, uint32_t row);             /* it changed now */

static inline uint32_t fleet_live(const struct fleet *fleet) { return fleet->count - fleet->gaps; }

#endif
