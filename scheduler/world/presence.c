/* presence.c: how many tasks of a group are where. Asked by distinctInstance, spread and task:group, so that none of them
 * has to walk through tasks. */
#include "scheduler/world/world.h"

static uint64_t pair_hash(uint32_t instance, uint32_t group) { return hash_mix((uint64_t)instance << 32 | group); }

/* The group that came last to an instance is asked for most. */
static uint32_t presence_find(const struct world *world, uint32_t instance, uint32_t group)
{
    uint32_t newest = instance_at(world, instance)->presences;
    if (newest == NONE || presence_at(world, newest)->group == group) { return newest; }
    uint64_t hash = pair_hash(instance, group);
    size_t at = 0;
    for (uint32_t n = table_first(&world->presences_by_pair, hash, &at); n != NONE;
         n = table_next(&world->presences_by_pair, hash, &at)) {
        const struct presence *presence = presence_at(world, n);
        if (presence->instance == instance && presence->group == group) { return n; }
    }
    return NONE;
}

uint32_t presence_count(const struct world *world, uint32_t instance, uint32_t group)
{
    if (group == NONE) { return 0; }
    uint32_t found = presence_find(world, instance, group);
    return found == NONE ? 0 : presence_at(world, found)->count;
}

void presence_add(struct world *world, uint32_t instance, uint32_t group)
{
    if (group == NONE) { return; }
    uint32_t found = presence_find(world, instance, group);
    if (found != NONE) {
        presence_at(world, found)->count++;
        return;
    }
    uint32_t made = slots_take(&world->pool, &world->presences);
    uint32_t *here = &instance_at(world, instance)->presences, *elsewhere = &text_at(&world->texts, group)->presences;
    *presence_at(world, made) = (struct presence){
        .instance = instance, .group = group, .count = 1, .next_here = *here, .previous_here = NONE,
        .next_elsewhere = *elsewhere, .previous_elsewhere = NONE,
    };
    if (*here != NONE) { presence_at(world, *here)->previous_here = made; }
    if (*elsewhere != NONE) { presence_at(world, *elsewhere)->previous_elsewhere = made; }
    *here = *elsewhere = made;
    table_add(&world->presences_by_pair, pair_hash(instance, group), made);
}

static void presence_unlink(struct world *world, const struct presence *gone)
{
    uint32_t *here = gone->previous_here == NONE ? &instance_at(world, gone->instance)->presences
                                                 : &presence_at(world, gone->previous_here)->next_here;
    uint32_t *elsewhere = gone->previous_elsewhere == NONE ? &text_at(&world->texts, gone->group)->presences
                                                           : &presence_at(world, gone->previous_elsewhere)->next_elsewhere;
    *here = gone->next_here;
    *elsewhere = gone->next_elsewhere;
    if (gone->next_here != NONE) { presence_at(world, gone->next_here)->previous_here = gone->previous_here; }
    if (gone->next_elsewhere != NONE) {
        presence_at(world, gone->next_elsewhere)->previous_elsewhere = gone->previous_elsewhere;
    }
}

void presence_remove(struct world *world, uint32_t instance, uint32_t group)
{
    if (group == NONE) { return; }
    uint32_t found = presence_find(world, instance, group);
    ASSERT(found != NONE);
    struct presence *presence = presence_at(world, found);
    if (--presence->count > 0) { return; }
    presence_unlink(world, presence);
    table_remove(&world->presences_by_pair, pair_hash(instance, group), found);
    slots_give(&world->presences, found);
}
