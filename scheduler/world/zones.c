/* zones.c: the zones in which a cluster has instances that take tasks and whose agent is there, with how many. A zone is a value of an attribute;
 * instances without it are together in one zone, whose name is absent. */
#include "base/num.h"
#include "scheduler/world/world.h"

static const struct str attribute_name = STR_INIT("ecs.availability-zone");

static struct str name_at(const struct world *world, const struct fleet *fleet, uint32_t z)
{
    return interned_str(&world->interned, fleet->zones[z].name);
}

/* The place of the zone, or where it belongs: zones are in the order of their names. */
static uint32_t place_of(const struct world *world, const struct fleet *fleet, struct str name)
{
    uint32_t z = 0;
    while (z < fleet->zone_count && str_cmp(name_at(world, fleet, z), name) < 0) { z++; }
    return z;
}

static bool enter(struct world *world, struct fleet *fleet, uint32_t zone)
{
    struct str name = interned_str(&world->interned, zone);
    uint32_t z = place_of(world, fleet, name);
    if (z < fleet->zone_count && fleet->zones[z].name == zone) { fleet->zones[z].instances++; return false; }
    if (fleet->zone_count == fleet->zone_capacity) {
        uint32_t old = fleet->zone_capacity, more = old == 0 ? 4 : old * 2;
        fleet->zones = pool_grow(&world->pool, fleet->zones, old * sizeof *fleet->zones, more * sizeof *fleet->zones);
        fleet->zone_capacity = more;
    }
    memmove(fleet->zones + z + 1, fleet->zones + z, (fleet->zone_count++ - z) * sizeof *fleet->zones);
    fleet->zones[z] = (struct zone){ interned_hold(&world->interned, name), 1 };
    return true;
}

static bool leave(struct world *world, struct fleet *fleet, uint32_t zone)
{
    uint32_t z = place_of(world, fleet, interned_str(&world->interned, zone));
    ASSERT(z < fleet->zone_count && fleet->zones[z].name == zone && fleet->zones[z].instances > 0);
    if (--fleet->zones[z].instances > 0) { return false; }
    memmove(fleet->zones + z, fleet->zones + z + 1, (--fleet->zone_count - z) * sizeof *fleet->zones);
    interned_release(&world->interned, zone);
    return true;
}

bool zones_leave(struct world *world, uint32_t number)
{
    struct instance_slot *instance = instance_at(world, number);
    bool changed = instance->in_zone && leave(world, fleet_at(world, instance->fleet), instance->zone);
    instance->in_zone = false;
    return changed;
}

/* An instance that stays in its zone changes nothing. */
bool zones_follow(struct world *world, uint32_t number)
{
    struct instance_slot *instance = instance_at(world, number);
    const struct kind_attribute *has = kind_attribute(world, instance->kind, interned_find(&world->interned, attribute_name));
    uint32_t zone = has == NULL || interned_str(&world->interned, has->value).len == 0 ? NONE : has->value;
    bool counts = instance->active && instance->connected;
    if (counts == instance->in_zone && (!counts || zone == instance->zone)) { return false; }
    bool changed = counts && enter(world, fleet_at(world, instance->fleet), zone);
    changed |= zones_leave(world, number);
    instance->zone = zone;
    instance->in_zone = counts;
    return changed;
}

size_t sched_zones(const struct world *world, int64_t cluster, struct str *names, size_t limit)
{
    const struct fleet *fleet = fleet_find(world, cluster);
    size_t count = fleet == NULL ? 0 : fleet->zone_count;
    for (size_t z = 0; z < min_size(count, limit); z++) { names[z] = name_at(world, fleet, (uint32_t)z); }
    return count;
}
