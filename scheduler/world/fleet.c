/* fleet.c: rows in the order of ids. Ids sort by creation, so a new instance nearly always comes last. */
#include "scheduler/world/fleet.h"

#include "scheduler/world/instance.h"

enum { GAPS_MIN = 64, GAPS_PART = 4 };                           /* gaps are closed when they are a quarter of many rows */

/* ---- which rows changed last ---- */
static void unlink_row(struct fleet *fleet, uint32_t number)
{
    const struct row *row = &fleet->rows[number];
    ASSERT((row->newer == NONE) == (fleet->newest == number));
    if (row->newer == NONE) { fleet->newest = row->older; } else { fleet->rows[row->newer].older = row->older; }
    if (row->older != NONE) { fleet->rows[row->older].newer = row->newer; }
}

static void link_row(struct fleet *fleet, uint32_t number)
{
    struct row *row = &fleet->rows[number];
    ASSERT(fleet->newest != number);
    row->newer = NONE;
    row->older = fleet->newest;
    row->stamp = ++fleet->stamp;
    if (fleet->newest != NONE) { fleet->rows[fleet->newest].newer = number; }
    fleet->newest = number;
}

/* A row that has changed since the last look is new to every reader already. */
void fleet_touch(struct fleet *fleet, uint32_t number)
{
    ASSERT(number < fleet->count && fleet->seen <= fleet->stamp);
    if (fleet->rows[number].stamp > fleet->seen) { return; }
    unlink_row(fleet, number);
    link_row(fleet, number);
}

/* After rows moved, the list of changes starts again, and readers that kept something by the number of a row must start again too. */
static void rows_moved(struct fleet *fleet)
{
    fleet->newest = NONE;
    for (uint32_t row = 0; row < fleet->count; row++) { link_row(fleet, row); }
    fleet->order++;
}

/* ---- rows ---- */
static void fleet_grow(struct pool *pool, struct fleet *fleet)
{
    ASSERT(fleet->capacity < NONE / 4);
    uint32_t old = fleet->capacity, more = old == 0 ? FLEET_BLOCK : old * 2;
    fleet->rows = pool_grow(pool, fleet->rows, old * sizeof *fleet->rows, more * sizeof *fleet->rows);
    fleet->capacity = more;
}

void fleet_finish(struct pool *pool, struct fleet *fleet)
{
    ASSERT(fleet->zone_count == 0);
    pool_give(pool, fleet->rows, fleet->capacity * sizeof *fleet->rows);
    pool_give(pool, fleet->zones, fleet->zone_capacity * sizeof *fleet->zones);
}

static void row_move(struct fleet *fleet, uint32_t to, uint32_t from, const struct slots *instances)
{
    ASSERT(to != from && to < fleet->capacity && from < fleet->capacity);
    fleet->rows[to] = fleet->rows[from];
    if (fleet->rows[to].instance != NONE) { SLOTS_AT(instances, struct instance_slot, fleet->rows[to].instance)->row = to; }
}

/* The first row whose id is not smaller. */
static uint32_t row_after(const struct fleet *fleet, struct id id)
{
    uint32_t from = 0, to = fleet->count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (id_cmp(fleet->rows[middle].id, id) < 0) { from = middle + 1; } else { to = middle; }
    }
    return from;
}

/* The rows beside it have a smaller and a larger id. */
static void check_order(const struct fleet *fleet, uint32_t number)
{
    const struct row *row = &fleet->rows[number];
    ASSERT(number < fleet->count && fleet->gaps < fleet->count);
    ASSERT(number == 0 || id_cmp(row[-1].id, row->id) < 0);
    ASSERT(number + 1 == fleet->count || id_cmp(row->id, row[1].id) < 0);
}

uint32_t fleet_add(struct pool *pool, struct fleet *fleet, struct id id, uint32_t instance, const struct slots *instances)
{
    ASSERT(instance != NONE);
    uint32_t number = row_after(fleet, id);
    bool gap_here = number < fleet->count && fleet->rows[number].instance == NONE;
    bool gap_before = !gap_here && number > 0 && fleet->rows[number - 1].instance == NONE;
    if (gap_here || gap_before) {
        number -= gap_before;
        ASSERT(fleet->gaps > 0);
        fleet->gaps--;
        fleet->rows[number].id = id;
        fleet->rows[number].instance = instance;
        check_order(fleet, number);
        fleet_touch(fleet, number);
        return number;
    }
    if (fleet->count == fleet->capacity) { fleet_grow(pool, fleet); }
    bool is_last = number == fleet->count;
    for (uint32_t row = fleet->count; row > number; row--) { row_move(fleet, row, row - 1, instances); }
    fleet->count++;
    fleet->rows[number] = (struct row){ .id = id, .instance = instance };
    check_order(fleet, number);
    if (is_last) { link_row(fleet, number); } else { rows_moved(fleet); }
    return number;
}

static void fleet_close_gaps(struct fleet *fleet, const struct slots *instances)
{
    uint32_t to = 0, live = fleet_live(fleet);
    for (uint32_t from = 0; from < fleet->count; from++) {
        if (fleet->rows[from].instance == NONE) { continue; }
        if (to != from) { row_move(fleet, to, from, instances); }
        to++;
    }
    ASSERT(to == live);
    fleet->count = to;
    fleet->gaps = 0;
    rows_moved(fleet);
}

void fleet_remove(struct fleet *fleet, uint32_t number, const struct slots *instances)
{
    ASSERT(number < fleet->count && fleet->rows[number].instance == NONE);
    fleet->gaps++;
    ASSERT(fleet->gaps <= fleet->count);
    fleet_touch(fleet, number);
    if (fleet->gaps >= GAPS_MIN && fleet->gaps >= fleet->count / GAPS_PART) { fleet_close_gaps(fleet, instances); }
}
