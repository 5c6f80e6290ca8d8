/* interned.h: every text of the world once, under a number: attribute names and values, groups, device ids. Comparing two texts
 * is then comparing two numbers, and ten thousand instances with the same attributes keep them once. Each text
 * has a count of its holders and goes with the last one. */
#ifndef BERTH_SCHEDULER_WORLD_INTERNED_H
#define BERTH_SCHEDULER_WORLD_INTERNED_H

#include "scheduler/world/pool.h"

struct text {
    char *bytes; size_t len;                                                 /* len + 1 bytes are taken */
    uint64_t hash;
    uint32_t refs;
    uint32_t group_counts;                                                   /* where tasks of this group are (world.h) */
    uint32_t tellers;                                                        /* instances that have this device: a list (world.h) */
};
struct interned { struct pool *pool; struct slots slots; struct hash_table table; };

void       interned_init(struct interned *interned, struct pool *pool);
uint32_t   interned_hold(struct interned *interned, struct str str);              /* copied; NONE for an absent text */
void       interned_release(struct interned *interned, uint32_t text);            /* accepts NONE */
uint32_t   interned_find(const struct interned *interned, struct str str);        /* NONE: the world does not have it */
uint32_t   interned_find_hashed(const struct interned *interned, struct str str, uint64_t hash);
struct str interned_str(const struct interned *interned, uint32_t text);          /* NONE gives the absent text */

static inline struct text *text_at(const struct interned *interned, uint32_t text)
{
    return SLOTS_AT(&interned->slots, struct text, text);
}

#endif
