/* machine_kinds.c: sets of attributes, each once. */
#include "scheduler/world/world.h"

/* Sorted by the number of the name; a name given twice keeps its last value. Returns how many are left. */
static uint32_t attributes_sort(struct world *world, const struct sched_attribute *from, size_t count, struct kind_attribute *to)
{
    uint32_t kept = 0;
    for (size_t a = 0; a < count; a++) {
        struct kind_attribute held = { interned_hold(&world->interned, from[a].name), interned_hold(&world->interned, from[a].value) };
        ASSERT(held.name != NONE);
        uint32_t at = kept;
        while (at > 0 && to[at - 1].name > held.name) { at--; }
        if (at > 0 && to[at - 1].name == held.name) {
            interned_release(&world->interned, to[at - 1].name);
            interned_release(&world->interned, to[at - 1].value);
            to[at - 1] = held;
            continue;
        }
        memmove(to + at + 1, to + at, (kept - at) * sizeof *to);
        to[at] = held;
        kept++;
        ASSERT(at == 0 || to[at - 1].name < held.name);
    }
    return kept;
}

static void attributes_release(struct world *world, struct kind_attribute *attributes, uint32_t count)
{
    for (uint32_t a = 0; a < count; a++) {
        interned_release(&world->interned, attributes[a].name);
        interned_release(&world->interned, attributes[a].value);
    }
    pool_give(&world->pool, attributes, count * sizeof *attributes);
}

uint32_t kind_hold(struct world *world, const struct sched_attribute *attributes, size_t count)
{
    struct kind_attribute *sorted = pool_take(&world->pool, count * sizeof *sorted);
    uint32_t kept = attributes_sort(world, attributes, count, sorted);
    struct kind_attribute *exact = pool_take(&world->pool, kept * sizeof *exact);
    if (kept > 0) { memcpy(exact, sorted, kept * sizeof *exact); }
    pool_give(&world->pool, sorted, count * sizeof *sorted);

    uint64_t hash = hash_bytes(exact, kept * sizeof *exact);
    size_t at = 0;
    for (uint32_t n = table_first(&world->kinds_by_hash, hash, &at); n != NONE; n = table_next(&world->kinds_by_hash, hash, &at)) {
        struct kind *kind = kind_at(world, n);
        if (kind->count == kept && (kept == 0 || memcmp(kind->attributes, exact, kept * sizeof *exact) == 0)) {
            ASSERT(kind->refs > 0);
            attributes_release(world, exact, kept);
            kind->refs++;
            return n;
        }
    }
    uint32_t made = slots_take(&world->pool, &world->kinds);
    ASSERT(world->kind_births < UINT32_MAX);
    *kind_at(world, made) = (struct kind){ .hash = hash, .refs = 1, .birth = ++world->kind_births, .count = kept, .attributes = exact };
    table_add(&world->kinds_by_hash, hash, made);
    return made;
}

void kind_release(struct world *world, uint32_t number)
{
    struct kind *kind = kind_at(world, number);
    ASSERT(kind->refs > 0);
    if (--kind->refs > 0) { return; }
    table_remove(&world->kinds_by_hash, kind->hash, number);
    attributes_release(world, kind->attributes, kind->count);
    *kind = (struct kind){ 0 };
    slots_give(&world->kinds, number);
}

const struct kind_attribute *kind_attribute(const struct world *world, uint32_t number, uint32_t name)
{
    if (name == NONE) { return NULL; }
    const struct kind *kind = kind_at(world, number);
    ASSERT(kind->refs > 0);
    uint32_t from = 0, to = kind->count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (kind->attributes[middle].name < name) { from = middle + 1; } else { to = middle; }
    }
    return from < kind->count && kind->attributes[from].name == name ? &kind->attributes[from] : NULL;
}
