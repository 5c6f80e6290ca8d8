#include "base/id_map.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

static uint32_t seat_of(const struct id_map *map, struct id id, uint64_t hash)
{
    const struct hash_table *table = TABLE_PART(&map->by_id, hash);
    size_t at = 0;
    for (uint32_t n = table_first(table, hash, &at); n != TABLE_NONE; n = table_next(table, hash, &at)) {
        if (id_eq(map->seats[n].id, id)) { return n; }
    }
    return TABLE_NONE;
}

void *id_map_find(const struct id_map *map, struct id id)
{
    uint32_t seat = seat_of(map, id, hash_id(id));
    return seat == TABLE_NONE ? NULL : map->seats[seat].thing;
}

static uint32_t take_seat(struct id_map *map)
{
    if (map->first_free > 0) {
        uint32_t seat = map->first_free - 1;
        map->first_free = map->seats[seat].next_free;
        return seat;
    }
    map->seats = array_grow(map->seats, &map->capacity, map->seat_count + 1, sizeof *map->seats);
    return (uint32_t)map->seat_count++;
}

void id_map_add(struct id_map *map, struct id id, void *thing)
{
    uint64_t hash = hash_id(id);
    ASSERT(thing != NULL && seat_of(map, id, hash) == TABLE_NONE);
    uint32_t seat = take_seat(map);
    map->seats[seat] = (struct id_seat){ .id = id, .thing = thing };
    table_add(TABLE_PART(&map->by_id, hash), hash, seat);
}

void id_map_remove(struct id_map *map, struct id id)
{
    uint64_t hash = hash_id(id);
    uint32_t seat = seat_of(map, id, hash);
    ASSERT(seat != TABLE_NONE);
    table_remove(TABLE_PART(&map->by_id, hash), hash, seat);
    map->seats[seat] = (struct id_seat){ .next_free = map->first_free };
    map->first_free = seat + 1;
}

void id_map_finish(struct id_map *map)
{
    free(map->seats);
    wide_table_finish(&map->by_id);
    *map = (struct id_map){ 0 };
}

void id_map_fetch(const struct id_map *map, struct id id)
{
    uint64_t hash = hash_id(id);
    table_fetch(TABLE_PART(&map->by_id, hash), hash);
}

void id_map_fetch_thing(const struct id_map *map, struct id id)
{
    uint64_t hash = hash_id(id);
    size_t at = 0;
    uint32_t seat = table_first(TABLE_PART(&map->by_id, hash), hash, &at);
    if (seat != TABLE_NONE) { __builtin_prefetch(map->seats[seat].thing); }
}
