/* id_map.h: from ids to things, for very many of them. Each thing has a seat that it keeps, so that a walk over the seats may stop and go on
 * later. Refuses to know locks and the things: they are the caller's. An all-zero map is an empty one. */
#ifndef BERTH_SERVER_ID_MAP_H
#define BERTH_SERVER_ID_MAP_H

#include "base/table.h"

struct id_seat { struct id id; void *thing; uint32_t next_free; };       /* thing NULL: free. next_free: seat + 1; 0: no other */
struct id_map {
    struct id_seat *seats; size_t seat_count, capacity;          /* a walk looks at seats 0 .. seat_count - 1 */
    uint32_t first_free;                                         /* seat + 1; 0: there is no free one */
    struct wide_table by_id;                                     /* to seats */
};

void *id_map_find(const struct id_map *map, struct id id);       /* NULL: there is none */
void  id_map_add(struct id_map *map, struct id id, void *thing); /* the id must not be there */
void  id_map_remove(struct id_map *map, struct id id);           /* the id must be there */
void  id_map_finish(struct id_map *map);                         /* the things stay the caller's */

/* Hints: brings into the processor's caches where the id's seat is found, and then the thing that is probably the id's. */
void  id_map_fetch(const struct id_map *map, struct id id);
void  id_map_fetch_thing(const struct id_map *map, struct id id);

#endif
