/* boards.h: the ranks that hold until something changes. For each shape of demand that was asked for lately, a board keeps the ranks of all instances of the
 * cluster and a tree of the best of them; before it is read it looks again only at the instances that changed since. So a
 * placement costs what changed, times the depth of the tree, and not the number of instances. Boards together have a ceiling;
 * the one that was not asked for the longest goes first, and is computed again when it is needed again. */
#ifndef BERTH_SCHEDULER_PLACE_BOARDS_H
#define BERTH_SCHEDULER_PLACE_BOARDS_H

#include "scheduler/world/pool.h"
#include "scheduler/scheduler.h"

enum { BOARDS_MAX = 512 };
struct board;
struct rng;
struct search;
struct boards {
    struct board *list[BOARDS_MAX];          /* NULL: no board */
    struct hash_table by_hash;
    size_t bytes;                            /* of all boards */
    uint64_t asked;                          /* how often a board was asked for */
    uint64_t ranked;                         /* how often an instance was ranked: the work that was done */
};

/* The board of the demand's shape, as the world is now; NULL when its cluster has no instances. It stays until the next call. */
struct board *board_open(struct world *world, const struct demand *demand);
/* The instance to take, after the changes up to now; NONE: no instance fits. `rng` deals among equals where the shape says so. */
uint32_t board_pick(struct world *world, struct board *board, struct rng *rng);
/* Where machines are too many for the caches: what the next picks will read is fetched side by side. A hint, and nothing else: they may
 * turn out otherwise. `rng` as it will be for the first of them. */
void board_foresee(struct world *world, struct board *board, const struct rng *rng, size_t count);
/* The next picks leave the instance out, until it is shown again. After the last pick of a call all are shown again. */
void board_hide(struct world *world, struct board *board, uint32_t instance);
void board_show(struct world *world, struct board *board, uint32_t instance);
struct search *board_search(struct board *board);
/* Why none of those that are not hidden fits, after board_pick said NONE: what changed since it was asked last is looked at, and the rows beside it counted
 * again. */
const struct evidence *board_evidence(struct world *world, struct board *board);
void boards_finish(struct world *world);
void boards_forget(struct world *world, uint32_t fleet);         /* it is gone */

#endif
