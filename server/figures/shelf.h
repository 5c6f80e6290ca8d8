/* shelf.h: figures by name, in memory: found by a hash of the name, and removed when nobody has told them for a while. Knows names and times; refuses to
 * know the figures, and locks: the caller has one. */
#ifndef BERTH_SERVER_FIGURES_SHELF_H
#define BERTH_SERVER_FIGURES_SHELF_H

#include "base/str.h"
#include "base/table.h"

/* An item begins with this. The caller sets told_ms. */
struct shelf_head { char *name; size_t len; int64_t told_ms; };      /* name: the shelf's */
struct shelf { char *items; size_t size, count, capacity, most; struct hash_table table; };      /* size: bytes of an item */

void  shelf_init(struct shelf *shelf, size_t size, size_t most);
void  shelf_finish(struct shelf *shelf);
void *shelf_find(const struct shelf *shelf, struct str name);        /* NULL: it is not there. Valid until an item is added or removed, as below */
void *shelf_add(struct shelf *shelf, struct str name);               /* a new item, zeroed behind its head. NULL: there are `most` */
void  shelf_remove_old(struct shelf *shelf, int64_t before_ms);      /* items with an earlier told_ms */

#endif
