/* quota.c: see quota.h. */
#include "scheduler/queue/quota.h"

#include "base/num.h"
#include "base/table.h"
#include "scheduler/world/pool.h"

enum { TEXT_MAX = 256, GPUS_MAX = 1000000 };
struct text { uint16_t key_len, value_len; char bytes[TEXT_MAX]; };      /* of an item: key and value behind each other */
struct cluster_quotas { int64_t cluster; size_t count; struct quota_item items[QUOTA_ITEMS_MAX]; struct text texts[QUOTA_ITEMS_MAX]; };
struct charge { struct id task; int64_t gpus; uint32_t clusters_slot, mask; };
struct quotas {
    struct pool pool;
    struct slots clusters, charges;
    struct hash_table clusters_by_number, charges_by_task;
};

/* ---- the text ---- */

static bool is_wrong(struct str item, struct err *err)
{
    return err_set(err, ERR_INVALID_PARAMETER, "The tag berth:quota can't have \"" STR_FMT "\": it should have up to %d items KEY:VALUE:GPUS with blanks "
                   "between them, for example \"team:ml:8 team:web:2.5\".", STR_ARG(str_slice(item, 0, TEXT_MAX)), (int)QUOTA_ITEMS_MAX);
}

/* "8", "2.5", "0.125" */
static bool read_gpus(struct str text, int64_t *thousandths)
{
    struct str whole, part = { NULL, 0 };
    int64_t number = 0, digits = 0;
    bool has_part = str_cut(text, '.', &whole, &part);
    if (!str_to_i64(whole, &number) || number < 0 || number > GPUS_MAX) { return false; }
    if (has_part && (part.len < 1 || part.len > 3 || !str_to_i64(part, &digits) || digits < 0)) { return false; }
    for (size_t n = part.len; has_part && n < 3; n++) { digits *= 10; }
    *thousandths = number * 1000 + digits;
    return true;
}

static bool read_item(struct str text, struct quota_item *item)
{
    struct str rest;
    if (!str_cut(text, ':', &item->key, &rest) || item->key.len == 0) { return false; }
    size_t last = rest.len;
    while (last > 0 && rest.ptr[last - 1] != ':') { last--; }
    if (last < 2) { return false; }
    item->value = str_slice(rest, 0, last - 1);
    item->used = 0;
    return read_gpus(str_slice(rest, last, rest.len), &item->limit);
}

bool quota_parse(struct str text, struct quota_item *items, size_t *count, struct err *err)
{
    *count = 0;
    for (struct str rest = text; rest.len > 0;) {
        struct str item, left = { NULL, 0 };
        if (!str_cut(rest, ' ', &item, &left)) { item = rest; }
        rest = left;
        if (item.len == 0) { continue; }
        if (*count == QUOTA_ITEMS_MAX || !read_item(item, &items[*count])) { return is_wrong(item, err); }
        for (size_t i = 0; i < *count; i++) {
            if (str_eq(items[i].key, items[*count].key) && str_eq(items[i].value, items[*count].value)) { return is_wrong(item, err); }
        }
        ++*count;
    }
    return *count > 0 || is_wrong(text, err);
}

/* ---- clusters ---- */

static struct cluster_quotas *cluster_at(const struct quotas *quotas, uint32_t n) { return SLOTS_AT(&quotas->clusters, struct cluster_quotas, n); }
static struct charge *charge_at(const struct quotas *quotas, uint32_t n) { return SLOTS_AT(&quotas->charges, struct charge, n); }

static void finish(void *given)
{
    struct quotas *quotas = given;
    table_finish(&quotas->clusters_by_number);
    table_finish(&quotas->charges_by_task);
}

struct quotas *quotas_create(struct arena *arena)
{
    struct quotas *quotas = ARENA_NEW(arena, struct quotas, 1);
    quotas->pool.arena = arena;
    slots_init(&quotas->clusters, sizeof(struct cluster_quotas));
    slots_init(&quotas->charges, sizeof(struct charge));
    arena_at_end(arena, finish, quotas);
    return quotas;
}

static uint32_t find_cluster(const struct quotas *quotas, int64_t cluster)
{
    size_t at;
    for (uint32_t n = table_first(&quotas->clusters_by_number, hash_mix((uint64_t)cluster), &at); n != NONE;
         n = table_next(&quotas->clusters_by_number, hash_mix((uint64_t)cluster), &at)) {
        if (cluster_at(quotas, n)->cluster == cluster) { return n; }
    }
    return NONE;
}

void quotas_set(struct quotas *quotas, int64_t cluster, const struct quota_item *items, size_t count)
{
    uint32_t number = find_cluster(quotas, cluster);
    ASSERT(count <= QUOTA_ITEMS_MAX);
    if (number == NONE && count == 0) { return; }
    if (number == NONE) {
        number = slots_take(&quotas->pool, &quotas->clusters);
        table_add(&quotas->clusters_by_number, hash_mix((uint64_t)cluster), number);
    }
    struct cluster_quotas *kept = cluster_at(quotas, number);
    *kept = (struct cluster_quotas){ .cluster = cluster, .count = count };
    for (size_t i = 0; i < count; i++) {
        struct text *text = &kept->texts[i];
        ASSERT(items[i].key.len + items[i].value.len <= TEXT_MAX);           /* of a tag's value, which is as long at most */
        memcpy(text->bytes, items[i].key.ptr, items[i].key.len);
        memcpy(text->bytes + items[i].key.len, items[i].value.ptr, items[i].value.len);
        kept->items[i] = (struct quota_item){ { text->bytes, items[i].key.len }, { text->bytes + items[i].key.len, items[i].value.len }, items[i].limit, 0 };
    }
    for (uint32_t c = 0; c < quotas->charges.count; c++) {
        if (charge_at(quotas, c)->clusters_slot == number) { charge_at(quotas, c)->mask = 0; }
    }
}

size_t quotas_of(const struct quotas *quotas, int64_t cluster, const struct quota_item **items)
{
    uint32_t number = find_cluster(quotas, cluster);
    *items = number == NONE ? NULL : cluster_at(quotas, number)->items;
    return number == NONE ? 0 : cluster_at(quotas, number)->count;
}

uint32_t quotas_mask(const struct quotas *quotas, int64_t cluster, const struct tag_list *tags)
{
    const struct quota_item *items;
    size_t count = quotas_of(quotas, cluster, &items);
    uint32_t mask = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t t = 0; t < tags->count; t++) {
            if (str_eq(tags->items[t].key, items[i].key) && str_eq(tags->items[t].value, items[i].value)) { mask |= 1u << i; }
        }
    }
    return mask;
}

/* ---- charges ---- */

static void count(struct cluster_quotas *kept, uint32_t mask, int64_t gpus)
{
    for (size_t i = 0; i < kept->count; i++) {
        if ((mask >> i & 1) != 0) { kept->items[i].used += gpus; }
        ASSERT(kept->items[i].used >= 0);
    }
}

static uint32_t find_charge(const struct quotas *quotas, struct id task)
{
    size_t at;
    for (uint32_t n = table_first(&quotas->charges_by_task, hash_id(task), &at); n != NONE; n = table_next(&quotas->charges_by_task, hash_id(task), &at)) {
        if (id_eq(charge_at(quotas, n)->task, task)) { return n; }
    }
    return NONE;
}

void quotas_free(struct quotas *quotas, struct id task)
{
    uint32_t number = find_charge(quotas, task);
    if (number == NONE) { return; }
    struct charge *charge = charge_at(quotas, number);
    count(cluster_at(quotas, charge->clusters_slot), charge->mask, -charge->gpus);
    charge->mask = 0;
    table_remove(&quotas->charges_by_task, hash_id(task), number);
    slots_give(&quotas->charges, number);
}

void quotas_charge(struct quotas *quotas, int64_t cluster, struct id task, uint32_t mask, int64_t gpus)
{
    quotas_free(quotas, task);
    uint32_t number = find_cluster(quotas, cluster);
    if (mask == 0 || number == NONE) { return; }
    uint32_t slot = slots_take(&quotas->pool, &quotas->charges);
    *charge_at(quotas, slot) = (struct charge){ task, gpus, number, mask };
    table_add(&quotas->charges_by_task, hash_id(task), slot);
    count(cluster_at(quotas, number), mask, gpus);
}

int64_t quotas_room(const struct quotas *quotas, int64_t cluster, uint32_t mask, int64_t gpus, const struct quota_item **tightest)
{
    const struct quota_item *items;
    size_t count_of = mask == 0 || gpus == 0 ? 0 : quotas_of(quotas, cluster, &items);
    int64_t room = INT64_MAX;
    if (tightest != NULL) { *tightest = NULL; }
    for (size_t i = 0; i < count_of; i++) {
        int64_t here = items[i].limit <= items[i].used ? 0 : (items[i].limit - items[i].used) / gpus;
        if ((mask >> i & 1) == 0 || here >= room) { continue; }
        room = here;
        if (tightest != NULL) { *tightest = &items[i]; }
    }
    return room;
}

bool quotas_try(const struct quotas *quotas, struct quota_trial *trial, int64_t cluster, uint32_t mask, int64_t gpus)
{
    const struct quota_item *items;
    size_t count_of = mask == 0 ? 0 : quotas_of(quotas, cluster, &items);
    if (count_of == 0) { return true; }
    if (trial->cluster != cluster) {
        trial->cluster = cluster;
        for (size_t i = 0; i < count_of; i++) { trial->used[i] = items[i].used; }
    }
    for (size_t i = 0; i < count_of; i++) {
        if ((mask >> i & 1) != 0 && trial->used[i] + gpus > items[i].limit) { return false; }
    }
    for (size_t i = 0; i < count_of; i++) { trial->used[i] += (mask >> i & 1) != 0 ? gpus : 0; }
    return true;
}
