/* group_counts.c: how many tasks of a group are where. Asked by distinctInstance, spread and task:group, so that none of them
 * has to walk through tasks. */
#include "scheduler/world/world.h"

static uint64_t pair_hash(uint32_t instance, uint32_t group) { return hash_mix((uint64_t)instance << 32 | group); }

/* The group that came last to an instance is asked for most. */
static uint32_t group_count_find(const struct world *world, uint32_t instance, uint32_t group)
{
    uint32_t newest = instance_at(world, instance)->group_counts;
    if (newest == NONE || group_count_at(world, newest)->group == group) { return newest; }
    uint64_t hash = pair_hash(instance, group);
    size_t at = 0;
    for (uint32_t n = table_first(&world->group_counts_by_pair, hash, &at); n != NONE;
         n = table_next(&world->group_counts_by_pair, hash, &at)) {
        const struct group_count *group_count = group_count_at(world, n);
        if (group_count->instance == instance && group_count->group == group) { return n; }
    }
    return NONE;
}

uint32_t group_count_of(const struct world *world, uint32_t instance, uint32_t group)
{
    if (group == NONE) { return 0; }
    uint32_t found = group_count_find(world, instance, group);
    return found == NONE ? 0 : group_count_at(world, found)->count;
}

void group_count_add(struct world *world, uint32_t instance, uint32_t group)
{
    if (group == NONE) { return; }
    uint32_t found = group_count_find(world, instance, group);
    if (found != NONE) {
        ASSERT(group_count_at(world, found)->count > 0);
        group_count_at(world, found)->count++;
        return;
    }
    uint32_t made = slots_take(&world->pool, &world->group_counts);
    uint32_t *here = &instance_at(world, instance)->group_counts, *elsewhere = &text_at(&world->interned, group)->group_counts;
    *group_count_at(world, made) = (struct group_count){
        .instance = instance, .group = group, .count = 1, .next_here = *here, .previous_here = NONE,
        .next_elsewhere = *elsewhere, .previous_elsewhere = NONE,
    };
    if (*here != NONE) { group_count_at(world, *here)->previous_here = made; }
    if (*elsewhere != NONE) { group_count_at(world, *elsewhere)->previous_elsewhere = made; }
    *here = *elsewhere = made;
    table_add(&world->group_counts_by_pair, pair_hash(instance, group), made);
}

static void group_count_unlink(struct world *world, const struct group_count *gone)
{
    uint32_t *here = gone->previous_here == NONE ? &instance_at(world, gone->instance)->group_counts
                                                 : &group_count_at(world, gone->previous_here)->next_here;
    uint32_t *elsewhere = gone->previous_elsewhere == NONE ? &text_at(&world->interned, gone->group)->group_counts
                                                           : &group_count_at(world, gone->previous_elsewhere)->next_elsewhere;
    ASSERT(gone->count == 0 && group_count_at(world, *here) == gone && group_count_at(world, *elsewhere) == gone);
    *here = gone->next_here;
    *elsewhere = gone->next_elsewhere;
    if (gone->next_here != NONE) { group_count_at(world, gone->next_here)->previous_here = gone->previous_here; }
    if (gone->next_elsewhere != NONE) {
        group_count_at(world, gone->next_elsewhere)->previous_elsewhere = gone->previous_elsewhere;
    }
}

void group_count_remove(struct world *world, uint32_t instance, uint32_t group)
{
    if (group == NONE) { return; }
    uint32_t found = group_count_find(world, instance, group);
    ASSERT(found != NONE);
    struct group_count *group_count = group_count_at(world, found);
    ASSERT(group_count->count > 0 && group_count->instance == instance && group_count->group == group);
    if (--group_count->count > 0) { return; }
    group_count_unlink(world, group_count);
    table_remove(&world->group_counts_by_pair, pair_hash(instance, group), found);
    slots_give(&world->group_counts, found);
}
