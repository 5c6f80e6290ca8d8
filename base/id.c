/* id.c: making, writing and reading identifiers. */
#include "base/id.h"

#include "base/assert.h"

enum { COUNTER_MAX = 0xFFFF };

static const int64_t id_ms_max = ((int64_t)1 << 48) - 1;

static void put_big_endian(uint8_t *out, uint64_t value, unsigned bytes)
{
    for (unsigned b = 0; b < bytes; b++) { out[b] = (uint8_t)(value >> (8 * (bytes - 1 - b))); }
}

struct id id_new(struct id_gen *gen, int64_t now_ms)
{
    ASSERT(now_ms >= 0 && now_ms < id_ms_max);
    if (now_ms > gen->last_ms) {
        gen->last_ms = now_ms;
        gen->counter = 0;
    } else if (gen->counter < COUNTER_MAX) {
        gen->counter++;
    } else {
        gen->last_ms++;                                            /* borrowed from the future; order is worth more than truth */
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

/* Two digits a byte; the hyphens of a UUID stand between bytes. */
static bool is_behind_hyphen(size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

void id_uuid(struct id id, char out[ID_UUID_LEN + 1])
{
    char *at = out;
    for (size_t b = 0; b < sizeof id.bytes; b++) {
        if (is_behind_hyphen(b)) { *at++ = '-'; }
        str_put_hex(at, &id.bytes[b], 1);
        at += 2;
    }
    *at = '\0';
}

bool id_parse(struct str text, struct id *id)
{
    bool uuid = text.len == ID_UUID_LEN;
    if (text.len != ID_HEX_LEN && !uuid) { return false; }
    struct id read;
    const char *at = text.ptr;
    for (size_t b = 0; b < sizeof read.bytes; b++) {
        if (uuid && is_behind_hyphen(b) && *at++ != '-') { return false; }
        int high = str_hex_value(at[0]), low = str_hex_value(at[1]);
        if (high < 0 || low < 0) { return false; }
        read.bytes[b] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    *id = read;
    return true;
}

bool id_is_zero(struct id id)
{
    return id_eq(id, (struct id){ { 0 } });
}
