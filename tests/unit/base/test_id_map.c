/* Things by their ids, beside a plain array; a thing keeps its seat while others come and go. */
#include "base/id_map.h"

#include "base/assert.h"
#include "base/rng.h"
#include "tests/unit/check.h"

enum { ITEMS = 500, STEPS = 20000 };
static struct id id_of(uint32_t n) { return (struct id){ { (uint8_t)n, (uint8_t)(n >> 8), 1 } }; }

int main(void)
{
    static struct { bool in; size_t seat; } items[ITEMS];
    struct id_map map = { 0 };
    struct rng rng;
    rng_seed(&rng, 3);
    size_t wrong = 0, count = 0, most = 0, walked = 0;
    for (size_t step = 0; step < STEPS; step++) {
        size_t i = rng_below(&rng, step % 4000 < 2000 ? ITEMS : 40), look = rng_below(&rng, ITEMS);
        struct id id = id_of((uint32_t)i);
        if (items[i].in) {
            wrong += map.seats[items[i].seat].thing != &items[i];            /* it has kept its seat */
            id_map_remove(&map, id);
            count--;
        } else {
            id_map_add(&map, id, &items[i]);
            for (size_t s = 0; s < map.seat_count; s++) { items[i].seat = map.seats[s].thing == &items[i] ? s : items[i].seat; }
            count++;
        }
        items[i].in = !items[i].in;
        most = count > most ? count : most;
        id_map_fetch(&map, id);
        id_map_fetch_thing(&map, id);
        wrong += id_map_find(&map, id_of((uint32_t)look)) != (items[look].in ? &items[look] : NULL);
    }
    CHECK_EQ("every look-up is right", wrong, 0);
    CHECK_EQ("no more seats than there were things at one time", map.seat_count, most);
    for (size_t s = 0; s < map.seat_count; s++) { walked += map.seats[s].thing != NULL; }
    CHECK_EQ("a walk meets each", walked, count);
    id_map_finish(&map);
    CHECK("none is there after the end", id_map_find(&map, id_of(1)) == NULL && map.seat_count == 0);
    return check_report();
}
