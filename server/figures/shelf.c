#include "server/figures/shelf.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

void shelf_init(struct shelf *shelf, size_t size, size_t most)
{
    ASSERT(size >= sizeof(struct shelf_head) && most < TABLE_NONE);
    *shelf = (struct shelf){ .size = size, .most = most };
}

static struct shelf_head *item_at(const struct shelf *shelf, size_t n)
{
    union { char *bytes; struct shelf_head *head; } item = { shelf->items + n * shelf->size };
    return item.head;
}

static uint64_t hash_of(struct str name) { return hash_bytes(name.ptr, name.len); }
static struct str name_of(const struct shelf_head *head) { return (struct str){ head->name, head->len }; }

void shelf_finish(struct shelf *shelf)
{
    for (size_t n = 0; n < shelf->count; n++) { free(item_at(shelf, n)->name); }
    free(shelf->items);
    table_finish(&shelf->table);
}

void *shelf_find(const struct shelf *shelf, struct str name)
{
    uint64_t hash = hash_of(name);
    size_t at;
    for (uint32_t n = table_first(&shelf->table, hash, &at); n != TABLE_NONE; n = table_next(&shelf->table, hash, &at)) {
        if (str_eq(name_of(item_at(shelf, n)), name)) { return item_at(shelf, n); }
    }
    return NULL;
}

void *shelf_add(struct shelf *shelf, struct str name)
{
    if (shelf->count == shelf->most) { return NULL; }
    shelf->items = array_grow(shelf->items, &shelf->capacity, shelf->count + 1, shelf->size);
    struct shelf_head *head = item_at(shelf, shelf->count);
    memset(head, 0, shelf->size);
    head->name = array_zeroed(name.len + 1, 1);
    head->len = name.len;
    str_copy(head->name, name);
    table_add(&shelf->table, hash_of(name), (uint32_t)shelf->count++);
    return head;
}

void shelf_remove_old(struct shelf *shelf, int64_t before_ms)
{
    size_t kept = 0;
    table_clear(&shelf->table);
    for (size_t n = 0; n < shelf->count; n++) {
        struct shelf_head *head = item_at(shelf, n);
        if (head->told_ms < before_ms) {
            free(head->name);
            continue;
        }
        table_add(&shelf->table, hash_of(name_of(head)), (uint32_t)kept);
        if (kept != n) { memcpy(item_at(shelf, kept), head, shelf->size); }
        kept++;
    }
    shelf->count = kept;
}
