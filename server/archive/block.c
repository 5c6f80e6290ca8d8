#include "server/archive/block.h"

#include <string.h>

#include "base/assert.h"
#include "base/num.h"

enum {
    HEAD = 8, ROOM_BITS = (BLOCK_BYTES - HEAD) * 8,
    KIND_BITS = 2, MASK_BITS = 16, LENGTH_BITS = 6, WIDTH_BITS = 5,
    WIDTH_MAX = 20,                          /* a block always has room for the bases of all figures */
};
enum kind { KIND_NONE, KIND_ALL, KIND_SOME };

uint32_t block_check(uint32_t begin, const void *bytes, size_t size)
{
    uint32_t check = begin ^ 2166136261u;
    for (size_t b = 0; b < size; b++) { check = (check ^ ((const unsigned char *)bytes)[b]) * 16777619u; }
    return check;
}

/* ---- bits ---- */

struct bits { unsigned char *bytes; size_t at; };                /* at: in bits; bytes begin as zero */

static void put_bits(struct bits *bits, uint64_t value, unsigned int count)
{
    ASSERT(bits->at + count <= ROOM_BITS);
    while (count > 0) {
        unsigned int shift = bits->at % 8, some = 8 - shift < count ? 8 - shift : count;
        bits->bytes[bits->at / 8] |= (unsigned char)((value & ((1u << some) - 1)) << shift);
        value >>= some;
        bits->at += some;
        count -= some;
    }
}

/* Behind the end there are zeros: bytes from a file may say anything. */
static uint64_t get_bits(struct bits *bits, unsigned int count)
{
    uint64_t value = 0;
    for (unsigned int got = 0; got < count && bits->at < ROOM_BITS;) {
        unsigned int shift = bits->at % 8, some = 8 - shift < count - got ? 8 - shift : count - got;
        value |= (uint64_t)(bits->bytes[bits->at / 8] >> shift & ((1u << some) - 1)) << got;
        bits->at += some;
        got += some;
    }
    return value;
}

static unsigned int length_of(uint64_t value) { return value == 0 ? 0 : 64 - (unsigned int)__builtin_clzll(value); }
static uint64_t with_sign(int64_t value) { return value < 0 ? (uint64_t)-value << 1 | 1 : (uint64_t)value << 1; }
static int64_t without_sign(uint64_t value) { return (value & 1) != 0 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1); }

/* ---- figures as whole numbers ---- */

struct column { int64_t values[BLOCK_SAMPLES]; uint16_t known; };
struct columns { struct column of[GPU_FIGURES]; };

static void read_columns(const struct block_samples *samples, struct columns *columns)
{
    memset(columns, 0, sizeof *columns);
    for (size_t s = 0; s < BLOCK_SAMPLES; s++) {
        if ((samples->present >> s & 1) == 0) { continue; }
        for (size_t f = 0; f < GPU_FIGURES; f++) {
            if ((samples->samples[s].known >> f & 1) == 0) { continue; }
            columns->of[f].values[s] = samples->samples[s].of[f];
            columns->of[f].known |= (uint16_t)(1u << s);
        }
    }
}

/* A file may say anything: no overflow. */
static int64_t minus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }

/* Both ways the same. Only where the same samples know all of them. */
static void turn_columns(struct columns *columns)
{
    struct column *total = &columns->of[GPU_MEMORY_TOTAL], *used = &columns->of[GPU_MEMORY_USED], *left = &columns->of[GPU_MEMORY_FREE];
    struct column *graphics = &columns->of[GPU_CLOCK_GRAPHICS], *sm = &columns->of[GPU_CLOCK_SM];
    bool memory = total->known == used->known && used->known == left->known, clocks = graphics->known == sm->known;
    for (size_t s = 0; s < BLOCK_SAMPLES; s++) {
        if (memory) { left->values[s] = minus(minus(total->values[s], used->values[s]), left->values[s]); }
        if (clocks) { sm->values[s] = minus(graphics->values[s], sm->values[s]); }
    }
}

/* ---- one figure ---- */

struct plan { int64_t base, step; unsigned int width; size_t count; };

static int64_t divisor_of(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void set_step(struct plan *plan, int64_t range, int64_t step)
{
    plan->step = step;
    plan->width = length_of((uint64_t)((range + step / 2) / step));
}

static struct plan plan_of(const struct column *column, int64_t *range)
{
    struct plan plan = { 0 };
    int64_t least = INT64_MAX, most = INT64_MIN, divisor = 0;
    for (size_t s = 0; s < BLOCK_SAMPLES; s++) {
        if ((column->known >> s & 1) == 0) { continue; }
        if (column->values[s] < least) { least = column->values[s]; }
        if (column->values[s] > most) { most = column->values[s]; }
        plan.count++;
    }
    if (plan.count == 0) { return plan; }
    plan.base = least;
    *range = most - least;
    if (*range == 0) { return plan; }
    for (size_t s = 0; s < BLOCK_SAMPLES && divisor != 1; s++) {
        if ((column->known >> s & 1) != 0) { divisor = divisor_of(column->values[s] - least, divisor); }
    }
    set_step(&plan, *range, divisor);
    while (plan.width > WIDTH_MAX) { set_step(&plan, *range, plan.step * 2); }
    return plan;
}

static size_t size_of(const struct plan *plan, bool all)
{
    if (plan->count == 0) { return KIND_BITS; }
    size_t size = KIND_BITS + (all ? 0u : MASK_BITS) + LENGTH_BITS + length_of(with_sign(plan->base)) + WIDTH_BITS;
    return plan->width == 0 ? size : size + LENGTH_BITS + length_of((uint64_t)plan->step) + plan->width * plan->count;
}

static void put_column(struct bits *bits, const struct column *column, const struct plan *plan, bool all)
{
    put_bits(bits, plan->count == 0 ? KIND_NONE : all ? KIND_ALL : KIND_SOME, KIND_BITS);
    if (plan->count == 0) { return; }
    if (!all) { put_bits(bits, column->known, MASK_BITS); }
    uint64_t base = with_sign(plan->base);
    put_bits(bits, length_of(base), LENGTH_BITS);
    put_bits(bits, base, length_of(base));
    put_bits(bits, plan->width, WIDTH_BITS);
    if (plan->width == 0) { return; }
    put_bits(bits, length_of((uint64_t)plan->step), LENGTH_BITS);
    put_bits(bits, (uint64_t)plan->step, length_of((uint64_t)plan->step));
    for (size_t s = 0; s < BLOCK_SAMPLES; s++) {
        if ((column->known >> s & 1) != 0) { put_bits(bits, (uint64_t)((column->values[s] - plan->base + plan->step / 2) / plan->step), plan->width); }
    }
}

static void get_column(struct bits *bits, uint16_t present, struct column *column)
{
    uint64_t kind = get_bits(bits, KIND_BITS);
    column->known = kind == KIND_NONE ? 0 : kind == KIND_ALL ? present : (uint16_t)(get_bits(bits, MASK_BITS) & present);
    if (kind == KIND_NONE) { return; }
    int64_t base = without_sign(get_bits(bits, (unsigned int)get_bits(bits, LENGTH_BITS)));
    unsigned int width = (unsigned int)get_bits(bits, WIDTH_BITS);
    uint64_t step = width == 0 ? 0 : get_bits(bits, (unsigned int)get_bits(bits, LENGTH_BITS));
    for (size_t s = 0; s < BLOCK_SAMPLES; s++) {
        if ((column->known >> s & 1) != 0) { column->values[s] = (int64_t)((uint64_t)base + step * get_bits(bits, width)); }
    }
}

/* ---- the block ---- */

/* Coarser steps for the figure that takes the most room, until all has room. */
static void make_room(struct plan plans[GPU_FIGURES], const int64_t ranges[GPU_FIGURES], size_t size)
{
    while (size > ROOM_BITS) {
        size_t widest = 0;
        for (size_t f = 0; f < GPU_FIGURES; f++) {
            if (plans[f].width * plans[f].count > plans[widest].width * plans[widest].count) { widest = f; }
        }
        struct plan *plan = &plans[widest];
        ASSERT(plan->width > 0);             /* without widths there is room: ROOM_BITS */
        size -= size_of(plan, false);
        set_step(plan, ranges[widest], plan->step * 2);
        size += size_of(plan, false);
    }
}

void block_write(const struct block_samples *samples, uint32_t gpu, unsigned char bytes[BLOCK_BYTES])
{
    struct columns columns;
    struct plan plans[GPU_FIGURES];
    int64_t ranges[GPU_FIGURES] = { 0 };
    size_t size = MASK_BITS;
    struct bits bits = { bytes + HEAD, 0 };
    read_columns(samples, &columns);
    turn_columns(&columns);
    for (size_t f = 0; f < GPU_FIGURES; f++) {
        plans[f] = plan_of(&columns.of[f], &ranges[f]);
        size += size_of(&plans[f], columns.of[f].known == samples->present);
    }
    make_room(plans, ranges, size);
    memset(bytes, 0, BLOCK_BYTES);
    put_bits(&bits, samples->present, MASK_BITS);
    for (size_t f = 0; f < GPU_FIGURES; f++) { put_column(&bits, &columns.of[f], &plans[f], columns.of[f].known == samples->present); }
    memcpy(bytes + 4, &samples->number, sizeof samples->number);
    uint32_t check = block_check(gpu, bytes + 4, BLOCK_BYTES - 4);
    memcpy(bytes, &check, sizeof check);
}

bool block_read(const unsigned char bytes[BLOCK_BYTES], uint32_t gpu, struct block_samples *samples)
{
    uint32_t check;
    struct columns columns;
    unsigned char copy[BLOCK_BYTES];
    memcpy(copy, bytes, BLOCK_BYTES);
    struct bits bits = { copy + HEAD, 0 };
    memcpy(&check, copy, sizeof check);
    if (check != block_check(gpu, copy + 4, BLOCK_BYTES - 4)) { return false; }
    memset(&columns, 0, sizeof columns);
    memcpy(&samples->number, copy + 4, sizeof samples->number);
    samples->present = (uint16_t)get_bits(&bits, MASK_BITS);
    for (size_t f = 0; f < GPU_FIGURES; f++) { get_column(&bits, samples->present, &columns.of[f]); }
    turn_columns(&columns);
    for (size_t s = 0; s < BLOCK_SAMPLES; s++) {
        samples->samples[s].known = 0;
        for (size_t f = 0; f < GPU_FIGURES; f++) {
            if ((columns.of[f].known >> s & 1) == 0) { continue; }
            samples->samples[s].of[f] = (int32_t)max_i64(-INT32_MAX, min_i64(columns.of[f].values[s], INT32_MAX));
            samples->samples[s].known |= (uint32_t)1 << f;
        }
    }
    return true;
}
