/* gpu_pick.c: up to eight free devices are solved exactly, with a table over their subsets; more of them greedily.
 *
 * A pair is worth its score, and a trifle for the nearness of the two slots that no sum of trifles can outweigh: slots of one
 * aligned pair are nearest, then those of one block of four, of eight, and so on. Machines count their devices in the order
 * in which they hang on the bus, so nearness is a good guess where the scores say nothing, and keeps blocks whole. */
#include "scheduler/place/gpu_pick.h"

#include "base/assert.h"
#include "base/num.h"

enum { EXACT_MAX = 8, SUBSETS = 1 << EXACT_MAX };
enum { FARTHEST = DEVICES_MAX / 2, SCORE_UNIT = 1 << 16 };
_Static_assert(FARTHEST * DEVICES_MAX * (DEVICES_MAX - 1) / 2 < SCORE_UNIT, "all nearness together is less than a score of 1");

static unsigned highest_bit(uint32_t bits) { return 31 - (unsigned)__builtin_clz(bits); }

/* Each bigger block is twice as far, so that one pair across halves of a machine is worse than any number within them. */
static int64_t pair_worth(const struct rig *rig, uint32_t a, uint32_t b)
{
    int64_t score = rig->links == NULL ? 0 : rig->links[a * rig->count + b];
    ASSERT(a != b);
    int64_t nearness = FARTHEST - (1 << highest_bit(a ^ b));
    return score * SCORE_UNIT + nearness;
}

/* A set that could be handed out. The first of these that differs decides between two: more score, a smaller aligned block
 * (of four or more) around it, more worth in what stays behind, more worth. */
struct offer { uint64_t bits; int64_t worth, rest; };

static unsigned block_around(uint64_t bits)
{
    uint32_t first = (uint32_t)__builtin_ctzll(bits), last = 63 - (uint32_t)__builtin_clzll(bits);
    return highest_bit((first ^ last) | 3);
}

static bool is_better(const struct offer *a, const struct offer *b)
{
    int64_t a_score = a->worth / SCORE_UNIT, b_score = b->worth / SCORE_UNIT;
    if (a_score != b_score) { return a_score > b_score; }
    unsigned a_block = block_around(a->bits), b_block = block_around(b->bits);
    if (a_block != b_block) { return a_block < b_block; }
    return a->rest != b->rest ? a->rest > b->rest : a->worth > b->worth;
}

static uint32_t list_slots(uint64_t bits, uint32_t slots[DEVICES_MAX])
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) { slots[count++] = (uint32_t)__builtin_ctzll(bits); }
    return count;
}

/* ---- a few devices: exactly ---- */

struct subsets {                             /* of the free devices, one bit each, in slot order */
    int64_t worth[SUBSETS];                  /* the sum of the pairs in it */
    int64_t best[SUBSETS];                   /* of the best split of it; only where it splits into sets and the same rest */
    uint8_t size[SUBSETS];
};

static void weigh_subsets(const struct rig *rig, const uint32_t *slots, uint32_t slot_count, struct subsets *all)
{
    int64_t worth[EXACT_MAX][EXACT_MAX];
    for (uint32_t a = 0; a < slot_count; a++) {
        for (uint32_t b = a + 1; b < slot_count; b++) { worth[a][b] = pair_worth(rig, slots[a], slots[b]); }
    }
    all->worth[0] = 0;
    all->size[0] = 0;
    for (uint32_t set = 1; set < 1u << slot_count; set++) {
        uint32_t first = (uint32_t)__builtin_ctz(set), others = set & (set - 1);
        int64_t sum = all->worth[others];
        for (uint32_t rest = others; rest != 0; rest &= rest - 1) { sum += worth[first][__builtin_ctz(rest)]; }
        all->worth[set] = sum;
        all->size[set] = (uint8_t)(all->size[others] + 1);
    }
}

/* The best split takes the lowest device with some others, and splits the others in the best way: a set of `count`, or once
 * the rest of `odd` devices that makes no whole set. */
static void split_subsets(uint32_t everything, uint32_t count, uint32_t odd, struct subsets *all)
{
    uint8_t parts[SUBSETS];
    size_t part_count = 0;
    for (uint32_t set = 1; set <= everything; set++) {
        if (all->size[set] == count || all->size[set] == odd) { parts[part_count++] = (uint8_t)set; }
    }
    all->best[0] = 0;
    for (uint32_t set = 1; set <= everything; set++) {
        uint32_t left_over = all->size[set] % count, lowest = set & (~set + 1);
        if (left_over != 0 && left_over != odd) { continue; }
        int64_t best = INT64_MIN;
        for (size_t p = 0; p < part_count; p++) {
            uint32_t part = parts[p];
            bool may_take = (part & ~set) == 0 && (part & lowest) != 0 && (all->size[part] == count || left_over == odd);
            if (may_take) { best = max_i64(best, all->worth[part] + all->best[set ^ part]); }
        }
        ASSERT(best != INT64_MIN);
        all->best[set] = best;
    }
}

static uint64_t slot_bits(const uint32_t *slots, uint32_t set)
{
    uint64_t bits = 0;
    for (; set != 0; set &= set - 1) { bits |= (uint64_t)1 << slots[__builtin_ctz(set)]; }
    return bits;
}

static uint64_t pick_exactly(const struct rig *rig, const uint32_t *slots, uint32_t slot_count, uint32_t count)
{
    struct subsets all;
    uint32_t everything = (1u << slot_count) - 1;
    struct offer chosen = { 0 };
    weigh_subsets(rig, slots, slot_count, &all);
    split_subsets(everything, count, slot_count % count, &all);
    for (uint32_t set = 1; set <= everything; set++) {
        uint32_t others = everything ^ set;
        if (all.size[set] != count || all.worth[set] + all.best[others] != all.best[everything]) { continue; }
        const struct offer offer = { slot_bits(slots, set), all.worth[set], all.worth[others] };
        if (chosen.bits == 0 || is_better(&offer, &chosen)) { chosen = offer; }
    }
    ASSERT(chosen.bits != 0);
    return chosen.bits;
}

/* ---- many devices: greedily ---- */

/* The set that grows from one device, each time by the one that is worth most to it. `ties` is what each device is worth to
 * all others; the worth of the rest lacks a part that is the same for all sets. */
static struct offer grow_from(const struct rig *rig, const uint32_t *slots, uint32_t slot_count, uint32_t count, uint32_t seed,
                              const int64_t ties[DEVICES_MAX])
{
    int64_t gain[DEVICES_MAX] = { 0 }, lost = 0;
    struct offer set = { 0 };
    for (uint32_t n = 0, next = seed; n < count; n++) {
        set.worth += gain[next];
        lost += ties[next];
        set.bits |= (uint64_t)1 << slots[next];
        uint32_t best = slot_count;
        for (uint32_t other = 0; other < slot_count; other++) {
            if ((set.bits >> slots[other] & 1) != 0) { continue; }
            gain[other] += pair_worth(rig, slots[next], slots[other]);
            bool better = best == slot_count || gain[other] > gain[best] || (gain[other] == gain[best] && ties[other] < ties[best]);
            if (better) { best = other; }
        }
        next = best;
    }
    set.rest = set.worth - lost;
    return set;
}

static uint64_t pick_greedily(const struct rig *rig, const uint32_t *slots, uint32_t slot_count, uint32_t count)
{
    int64_t ties[DEVICES_MAX] = { 0 };
    for (uint32_t a = 0; a < slot_count; a++) {
        for (uint32_t b = 0; b < slot_count; b++) {
            if (a != b) { ties[a] += pair_worth(rig, slots[a], slots[b]); }
        }
    }
    struct offer chosen = grow_from(rig, slots, slot_count, count, 0, ties);
    for (uint32_t seed = 1; seed < slot_count; seed++) {
        const struct offer offer = grow_from(rig, slots, slot_count, count, seed, ties);
        if (is_better(&offer, &chosen)) { chosen = offer; }
    }
    return chosen.bits;
}

uint64_t gpu_pick_whole(const struct rig *rig, uint64_t free_bits, uint32_t count)
{
    uint32_t slots[DEVICES_MAX];
    uint32_t slot_count = list_slots(free_bits, slots);
    ASSERT(rig->count <= DEVICES_MAX);
    ASSERT(slot_count == 0 || slots[slot_count - 1] < rig->count);
    ASSERT(count <= slot_count);
    if (count == 0 || count == slot_count) { return count == 0 ? 0 : free_bits; }
    uint64_t picked = slot_count <= EXACT_MAX ? pick_exactly(rig, slots, slot_count, count) : pick_greedily(rig, slots, slot_count, count);
    ASSERT((uint32_t)bits_count(picked) == count && (picked & ~free_bits) == 0);
    return picked;
}
