/* id.c: making, writing and reading identifiers. */
#include "base/id.h"

#include "base/assert.h"

enum { COUNTER_MAX = 0xFFFF };

static const int64_t id_ms_max = ((int64_t)1 << 48) - 1;           /* in the year 10889 */

static void put_big_endian(uint8_t *out, uint64_t value, unsigned bytes)
{
    for (unsigned b = 0; b < bytes; b++) { out[b] = (uint8_t)(value >> (8 * (bytes - 1 - b))); }
}

struct id id_new(struct id_gen *gen, int64_t now_ms)
{
    if (now_ms > gen->last_ms && now_ms < id_ms_max) {
        gen->last_ms = now_ms;
        gen->counter = 0;
    } else if (gen->counter < COUNTER_MAX) {
        gen->counter++;
    } else {
        gen->last_ms++;                                            /* a little ahead of the clock: order matters more */
        gen->counter = 0;
    }
    struct id id;
    put_big_endian(id.bytes, (uint64_t)gen->last_ms, 6);
    put_big_endian(id.bytes + 6, gen->counter, 2);
    put_big_endian(id.bytes + 8, rng_next(gen->rng), 8);
    return id;
}

struct id id_random(struct rng *rng)
{
    struct id id;
    put_big_endian(id.bytes, rng_next(rng), 8);
    put_big_endian(id.bytes + 8, rng_next(rng), 8);
    id_mark_random(&id);
    return id;
}

void id_mark_random(struct id *id)
{
    id->bytes[6] = (uint8_t)(0x40 | (id->bytes[6] & 0x0F));
    id->bytes[8] = (uint8_t)(0x80 | (id->bytes[8] & 0x3F));
}

void id_hex(struct id id, char out[ID_HEX_LEN + 1])
{
    str_put_hex(out, id.bytes, sizeof id.bytes);
    out[ID_HEX_LEN] = '\0';
}

/* As in a UUID: 8, 4, 4, 4 and 12 digits, a hyphen between two groups. */
static const struct { uint8_t byte, place, size; } groups[] = { { 0, 0, 4 }, { 4, 9, 2 }, { 6, 14, 2 }, { 8, 19, 2 }, { 10, 24, 6 } };

void id_uuid(struct id id, char out[ID_UUID_LEN + 1])
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    memset(out, '-', ID_UUID_LEN);
    for (size_t g = 0; g < COUNT_OF(groups); g++) {
        str_copy(out + groups[g].place, (struct str){ hex + 2 * (size_t)groups[g].byte, 2 * (size_t)groups[g].size });
    }
    out[ID_UUID_LEN] = '\0';
}

static bool read_groups(const char *text, struct id *id)
{
    bool good = true;
    for (size_t g = 0; g < COUNT_OF(groups); g++) {
        const char *at = text + groups[g].place;
        good = good && (g == 0 || at[-1] == '-') && str_read_hex(at, id->bytes + groups[g].byte, groups[g].size);
    }
    return good;
}

bool id_parse(struct str text, struct id *id)
{
    struct id read = { { 0 } };
    bool good = text.len == ID_HEX_LEN ? str_read_hex(text.ptr, read.bytes, sizeof read.bytes)
              : text.len == ID_UUID_LEN && read_groups(text.ptr, &read);
    if (good) { *id = read; }
    return good;
}

