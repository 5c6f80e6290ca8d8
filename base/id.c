/* id.c: making, writing and reading identifiers. */
#include "base/id.h"

#include "base/assert.h"

enum { UUID_LEN = 36, COUNTER_MAX = 0xFFFF };

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

void id_hex(struct id id, char out[ID_HEX_LEN + 1])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t b = 0; b < sizeof id.bytes; b++) {
        out[2 * b] = digits[id.bytes[b] >> 4];
        out[2 * b + 1] = digits[id.bytes[b] & 15];
    }
    out[ID_HEX_LEN] = '\0';
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') { return c - '0'; }
    if (c >= 'a' && c <= 'f') { return c - 'a' + 10; }
    if (c >= 'A' && c <= 'F') { return c - 'A' + 10; }
    return -1;
}

static bool is_hyphen_place(size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

bool id_parse(struct str text, struct id *id)
{
    if (text.len != ID_HEX_LEN && text.len != UUID_LEN) { return false; }
    struct id read = { { 0 } };
    size_t digit = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.len == UUID_LEN && is_hyphen_place(i)) {
            if (text.ptr[i] != '-') { return false; }
            continue;
        }
        int value = hex_value(text.ptr[i]);
        if (value < 0) { return false; }
        read.bytes[digit / 2] = (uint8_t)(read.bytes[digit / 2] << 4 | value);
        digit++;
    }
    ASSERT(digit == ID_HEX_LEN);
    *id = read;
    return true;
}

bool id_is_zero(struct id id)
{
    return id_eq(id, (struct id){ { 0 } });
}
