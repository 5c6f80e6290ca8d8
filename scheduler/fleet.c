/* fleet.c: rows in the order of ids. Ids sort by creation, so a new instance nearly always comes last. */
#include "scheduler/fleet.h"

#include "scheduler/world.h"

enum { GAPS_MIN = 64, GAPS_PART = 4 };                           /* gaps are closed when they are a quarter of many rows */

static void row_clear(struct fleet *fleet, uint32_t row)
{
    fleet->instances[row] = NONE;
    fleet->cpu_free[row] = -1;
    fleet->memory_free[row] = fleet->gpus_free[row] = fleet->gpus_total[row] = fleet->gpu_rank[row] = 0;
    fleet->kinds[row] = 0;                                       /* any kind will do: a gap never fits */
    fleet->port_bits[row] = 0;
    fleet->same_group[row] = fleet->key[row] = fleet->rank[row] = 0;
}

static void fleet_grow(struct pool *pool, struct fleet *fleet)
{
    ASSERT(fleet->capacity < NONE / 4);
    uint32_t old = fleet->capacity, more = old == 0 ? FLEET_BLOCK : old * 2;
#define X(type, name) fleet->name = pool_grow(pool, fleet->name, old * sizeof(type), more * sizeof(type));
    FLEET_COLUMNS(X)
#undef X
    fleet->capacity = more;
    for (uint32_t row = old; row < more; row++) { row_clear(fleet, row); }
}

void fleet_finish(struct pool *pool, struct fleet *fleet)
{
#define X(type, name) pool_give(pool, fleet->name, fleet->capacity * sizeof(type));
    FLEET_COLUMNS(X)
#undef X
}

static void row_copy(struct fleet *fleet, uint32_t to, uint32_t from, struct instance_slot *instances)
{
#define X(type, name) fleet->name[to] = fleet->name[from];
    FLEET_COLUMNS(X)
#undef X
    if (fleet->instances[to] != NONE) { instances[fleet->instances[to]].row = to; }
}

/* The first row whose id is not smaller. */
static uint32_t row_after(const struct fleet *fleet, struct id id)
{
    uint32_t from = 0, to = fleet->rows;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (id_cmp(fleet->ids[middle], id) < 0) { from = middle + 1; } else { to = middle; }
    }
    return from;
}

uint32_t fleet_add(struct pool *pool, struct fleet *fleet, struct id id, uint32_t instance, struct instance_slot *instances)
{
    uint32_t row = row_after(fleet, id);
    bool gap_here = row < fleet->rows && fleet->instances[row] == NONE;
    bool gap_before = !gap_here && row > 0 && fleet->instances[row - 1] == NONE;
    if (gap_before) { row--; }
    if (gap_here || gap_before) {
        fleet->gaps--;
    } else {
        if (fleet->rows == fleet->capacity) { fleet_grow(pool, fleet); }
        for (uint32_t r = fleet->rows; r > row; r--) { row_copy(fleet, r, r - 1, instances); }
        fleet->rows++;
    }
    row_clear(fleet, row);
    fleet->ids[row] = id;
    fleet->instances[row] = instance;
    return row;
}

static void fleet_close_gaps(struct fleet *fleet, struct instance_slot *instances)
{
    uint32_t to = 0;
    for (uint32_t from = 0; from < fleet->rows; from++) {
        if (fleet->instances[from] == NONE) { continue; }
        if (to != from) { row_copy(fleet, to, from, instances); }
        to++;
    }
    for (uint32_t row = to; row < fleet->rows; row++) { row_clear(fleet, row); }
    fleet->rows = to;
    fleet->gaps = 0;
}

void fleet_remove(struct fleet *fleet, uint32_t row, struct instance_slot *instances)
{
    ASSERT(row < fleet->rows && fleet->instances[row] != NONE);
    row_clear(fleet, row);
    fleet->gaps++;
    if (fleet->gaps >= GAPS_MIN && fleet->gaps >= fleet->rows / GAPS_PART) { fleet_close_gaps(fleet, instances); }
}
