/* keeps.c: see keeps.h. There are few keeps, and few for each instance or entry. */
#include "scheduler/queue/keeps.h"

#include "base/table.h"
#include "scheduler/world/pool.h"

struct look { int64_t cluster, last_ms; };                     /* last_ms 0: it is to be looked at */
struct kept { struct keep keep; uint32_t slot, before, behind; };
struct keeps {
    struct pool pool;
    struct slots slots;
    struct hash_table by_instance, by_first;
    uint32_t first;
    size_t count;
    bool news;
    struct look *looks; size_t look_count, look_capacity;         /* of clusters in which room was kept */
};

static struct kept *kept_at(const struct keeps *keeps, uint32_t n) { return SLOTS_AT(&keeps->slots, struct kept, n); }

static void finish(void *given)
{
    struct keeps *keeps = given;
    table_finish(&keeps->by_instance);
    table_finish(&keeps->by_first);
}

struct keeps *keeps_create(struct arena *arena)
{
    struct keeps *keeps = ARENA_NEW(arena, struct keeps, 1);
    keeps->pool.arena = arena;
    keeps->first = NONE;
    slots_init(&keeps->slots, sizeof(struct kept));
    arena_at_end(arena, finish, keeps);
    return keeps;
}

size_t keeps_count(const struct keeps *keeps) { return keeps->count; }

/* The next one with this instance, or, where it is NULL, with this first task. */
static struct kept *next_with(const struct keeps *keeps, const struct id *instance, const struct id *first, const struct keep *last)
{
    const struct hash_table *table = instance != NULL ? &keeps->by_instance : &keeps->by_first;
    const struct id *wanted = instance != NULL ? instance : first;
    bool passed = last == NULL;
    size_t at;
    for (uint32_t n = table_first(table, hash_id(*wanted), &at); n != NONE; n = table_next(table, hash_id(*wanted), &at)) {
        struct kept *kept = kept_at(keeps, n);
        if (!id_eq(instance != NULL ? kept->keep.instance : kept->keep.first, *wanted)) { continue; }
        if (passed) { return kept; }
        passed = &kept->keep == last;
    }
    return NULL;
}

static struct kept *find(const struct keeps *keeps, struct id first, struct id instance)
{
    for (struct kept *kept = next_with(keeps, NULL, &first, NULL); kept != NULL; kept = next_with(keeps, NULL, &first, &kept->keep)) {
        if (id_eq(kept->keep.instance, instance)) { return kept; }
    }
    return NULL;
}

void keeps_put(struct keeps *keeps, const struct keep *keep)
{
    struct kept *kept = find(keeps, keep->first, keep->instance);
    if (kept != NULL) {
        int64_t barred_ms = kept->keep.barred_ms;
        kept->keep = *keep;
        if (barred_ms != 0) { kept->keep.barred_ms = barred_ms; }
        return;
    }
    uint32_t slot = slots_take(&keeps->pool, &keeps->slots);
    kept = kept_at(keeps, slot);
    *kept = (struct kept){ *keep, slot, NONE, keeps->first };
    if (keeps->first != NONE) { kept_at(keeps, keeps->first)->before = slot; }
    keeps->first = slot;
    table_add(&keeps->by_instance, hash_id(keep->instance), slot);
    table_add(&keeps->by_first, hash_id(keep->first), slot);
    keeps->count++;
}

void keeps_drop(struct keeps *keeps, struct id first, struct id instance)
{
    struct kept *kept = find(keeps, first, instance);
    if (kept == NULL) { return; }
    if (kept->before == NONE) { keeps->first = kept->behind; } else { kept_at(keeps, kept->before)->behind = kept->behind; }
    if (kept->behind != NONE) { kept_at(keeps, kept->behind)->before = kept->before; }
    table_remove(&keeps->by_instance, hash_id(instance), kept->slot);
    table_remove(&keeps->by_first, hash_id(first), kept->slot);
    slots_give(&keeps->slots, kept->slot);
    keeps->count--;
}

const struct keep *keeps_walk(const struct keeps *keeps, const struct keep *last)
{
    uint32_t next = last == NULL ? keeps->first : ((const struct kept *)last)->behind;
    return next == NONE ? NULL : &kept_at(keeps, next)->keep;
}

const struct keep *keeps_for(const struct keeps *keeps, struct id first, const struct keep *last)
{
    const struct kept *kept = next_with(keeps, NULL, &first, last);
    return kept == NULL ? NULL : &kept->keep;
}

const struct keep *keeps_find(const struct keeps *keeps, struct id first, struct id instance)
{
    const struct kept *kept = find(keeps, first, instance);
    return kept == NULL ? NULL : &kept->keep;
}

/* ---- looks ---- */

static struct look *look_of(struct keeps *keeps, int64_t cluster)
{
    for (size_t l = 0; l < keeps->look_count; l++) {
        if (keeps->looks[l].cluster == cluster) { return &keeps->looks[l]; }
    }
    if (keeps->look_count == keeps->look_capacity) {
        size_t capacity = keeps->look_capacity == 0 ? 4 : 2 * keeps->look_capacity;
        keeps->looks = pool_grow(&keeps->pool, keeps->looks, keeps->look_capacity * sizeof *keeps->looks, capacity * sizeof *keeps->looks);
        keeps->look_capacity = capacity;
    }
    keeps->looks[keeps->look_count] = (struct look){ cluster, 0 };
    return &keeps->looks[keeps->look_count++];
}

bool keeps_look(struct keeps *keeps, int64_t cluster, int64_t now_ms, int64_t every_ms)
{
    struct look *look = look_of(keeps, cluster);
    if (look->last_ms != 0 && now_ms >= look->last_ms && now_ms - look->last_ms < every_ms) { return false; }
    look->last_ms = now_ms;
    return true;
}

void keeps_look_again(struct keeps *keeps, int64_t cluster) { look_of(keeps, cluster)->last_ms = 0; }
bool keeps_news(const struct keeps *keeps) { return keeps->news; }
void keeps_took_news(struct keeps *keeps) { keeps->news = false; }

/* ---- who may start ---- */

/* It is the one that room is kept for, goes before it, or is none of those that are held back. */
static bool is_free_of(const struct keep *keep, const struct asker *asker)
{
    bool service = asker->of_service && keep->kind == KEEP_LARGE;
    return asker->now_ms == 0 || service || id_eq(keep->first, asker->first) || asker->rank > keep->rank;
}

static bool fits(struct room spare, const struct amount *amount, size_t times)
{
    for (; times > 1 && fit_has(&spare, amount); times--) { (void)fit_take(&spare, amount); }
    return fit_has(&spare, amount);
}

const struct keep *keeps_bar(struct keeps *keeps, struct id instance, const struct amount *amount, size_t times, const struct asker *asker, bool notes)
{
    struct kept *kept = keeps->count == 0 ? NULL : next_with(keeps, &instance, NULL, NULL);
    bool own = kept != NULL && asker->now_ms != 0 && find(keeps, asker->first, instance) != NULL;       /* it was ordered for several */
    for (; kept != NULL; kept = next_with(keeps, &instance, NULL, &kept->keep)) {
        struct keep *keep = &kept->keep;
        bool is_own = own && keep->kind == KEEP_ORDERED;
        if (is_own || is_free_of(keep, asker) || asker->ends_ms <= keep->starts_ms || fits(keep->spare, amount, times)) { continue; }
        if (notes && keep->barred_ms == 0) {
            keep->barred_ms = asker->now_ms;
            keeps->news = true;
        }
        return keep;
    }
    return NULL;
}

void keeps_started(struct keeps *keeps, struct id instance, const struct amount *amount, const struct asker *asker)
{
    struct kept *kept = keeps->count == 0 ? NULL : next_with(keeps, &instance, NULL, NULL);
    for (; kept != NULL; kept = next_with(keeps, &instance, NULL, &kept->keep)) {
        bool stays = !id_eq(kept->keep.first, asker->first) && asker->ends_ms > kept->keep.starts_ms;
        if (stays && fit_has(&kept->keep.spare, amount)) { (void)fit_take(&kept->keep.spare, amount); }
    }
}
