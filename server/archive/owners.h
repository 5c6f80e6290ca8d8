/* owners.h: who held each GPU since when, in a file of a fixed size that is written round and round: the newest changes replace the oldest. Each change
 * names the one before it of the same GPU, so that all changes of a GPU are found from its last one on, backwards, until one is met that has been replaced.
 * Knows holders and numbers; refuses to know samples. One thread puts, any lists.
 *
 * A change lies in cells of 32 bytes, one after the other: check (4), the GPU (4), when it begins (4: the first sample's number), the cell of the change before
 * (4), bytes that follow (2), nothing (2), container instance (16), cluster, and of each holder: task (16), family, service, startedBy. A text has a byte of
 * length. */
#ifndef BERTH_SERVER_ARCHIVE_OWNERS_H
#define BERTH_SERVER_ARCHIVE_OWNERS_H

#include "server/figures/samples.h"

#define OWNERS_NONE UINT32_MAX
enum { OWNERS_CELL = 32, OWNERS_BYTES_MAX = 4096 };

struct owners { int file; uint32_t cells, next; };               /* next: the cell of the next change */
struct owner_change { uint32_t from; struct id instance; struct str cluster; struct gpu_holder_list holders; };

/* A text that is the same for the same holders in the same place; holders that are too many are left out. In `bytes`, which has OWNERS_BYTES_MAX. */
size_t   owners_print(const struct owner_change *change, unsigned char *bytes);
/* The cell where it lies. OWNERS_NONE: it could not be written. */
uint32_t owners_put(struct owners *owners, uint32_t gpu, uint32_t from, uint32_t before, const unsigned char *bytes, size_t size);
/* The changes of a GPU from its last one on, backwards, until one that begins at `since` or before; at most `most`. In `arena`. */
size_t   owners_list(const struct owners *owners, uint32_t gpu, uint32_t last, uint32_t since, size_t most, struct owner_change **changes, struct arena *arena);

#endif
