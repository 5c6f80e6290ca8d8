/* id.h: identifiers of 16 bytes, written as 32 lower-case hex digits as ECS does, that sort by creation: 48 bits of
 * milliseconds, 16 bits of a counter within the millisecond, 64 bits of chance (the idea of UUIDv7, RFC 9562 section 5.7,
 * without its version bits). A generator never goes back, even when the clock does. */
#ifndef BERTH_BASE_ID_H
#define BERTH_BASE_ID_H

#include "base/rng.h"
#include "base/str.h"

struct id { uint8_t bytes[16]; };
struct id_list { struct id *items; size_t count; };
struct id_gen { int64_t last_ms; uint32_t counter; struct rng *rng; };   /* rng borrowed */

enum { ID_HEX_LEN = 32, ID_UUID_LEN = 36 };

struct id id_new(struct id_gen *gen, int64_t now_ms);                    /* a time before 1970 or after 10889 counts as the last valid one */
struct id id_random(struct rng *rng);                                    /* a random UUID: without order, and not secret */
void      id_mark_random(struct id *id);                                 /* version and variant of one (RFC 9562, version 4); other bits stay */
void      id_hex(struct id id, char out[ID_HEX_LEN + 1]);                 /* closing NUL included */
void      id_uuid(struct id id, char out[ID_UUID_LEN + 1]);               /* with hyphens, closing NUL included */
bool      id_parse(struct str text, struct id *id);                      /* 32 hex digits, or 36 with hyphens as in a UUID */
static inline int  id_cmp(struct id a, struct id b) { return memcmp(a.bytes, b.bytes, sizeof a.bytes); }

/* Compared in halves, which stay in registers: compared at once, an id argument would be read from memory again, after all pending writes. */
static inline bool id_eq(struct id a, struct id b)
{
    uint64_t left[2], right[2];
    memcpy(left, a.bytes, sizeof left);
    memcpy(right, b.bytes, sizeof right);
    return ((left[0] ^ right[0]) | (left[1] ^ right[1])) == 0;
}
static inline bool id_is_zero(struct id id) { return id_eq(id, (struct id){ { 0 } }); }

#endif
