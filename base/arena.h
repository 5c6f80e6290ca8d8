/* arena.h: memory of one request. Grows in blocks, is freed at once; hands out zeroed, aligned memory.
 *
 * Never returns NULL. An arena that has handed out more than its ceiling is `exhausted`: it still serves up to a hard
 * stop of four ceilings; the code that runs the request calls arena_exhausted() at the end of each stage and makes it an
 * error. Beyond the hard stop, or without memory, the process ends with a message: in both cases a limit is wrong.
 * Owner: one thread at a time. */
#ifndef BERTH_BASE_ARENA_H
#define BERTH_BASE_ARENA_H

#include "base/assert.h"
#include "base/str.h"

struct arena_block;
struct arena_end;
struct arena { struct arena_block *blocks; size_t used, ceiling; struct arena_end *ends; };   /* sizes in bytes */

void  arena_init(struct arena *arena, size_t ceiling);
void  arena_finish(struct arena *arena);                 /* accepts an all-zero arena */
void  arena_reset(struct arena *arena);                  /* empties it, keeps one block for the next request */
bool  arena_exhausted(const struct arena *arena);

/* Runs when the arena is finished or reset, before its memory is freed: for objects in it that own other memory. */
void  arena_at_end(struct arena *arena, void (*run)(void *context), void *context);

void *arena_alloc(struct arena *arena, size_t count, size_t size);              /* zeroed; checks count * size */
void *arena_bytes(struct arena *arena, size_t size);                             /* not zeroed: for bytes that are written at once */
void *arena_copy(struct arena *arena, const void *bytes, size_t size);
/* The same bytes with room for more, in place when they are the newest allocation. The added bytes are not zeroed. `old` may be NULL. */
void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size);
#define ARENA_NEW(arena, type, count) ((type *)arena_alloc((arena), (count), sizeof(type)))

struct str  arena_str(struct arena *arena, struct str s);                       /* copy; absent stays absent; adds a NUL after */
const char *arena_cstr(struct arena *arena, struct str s);                      /* copy with a closing NUL */
struct str  arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
