/* Which whole devices: known boards with their known answers, and random ones against every possible split. */
#include "../check.h"

#include "base/rng.h"
#include "scheduler/place/gpu_pick.h"

enum { MACHINE = 8, EVERY = 0xff };

/* NVLinks of the hybrid cube mesh: eight V100 in a p3.16xlarge or DGX-1. */
static const int16_t cube_mesh[MACHINE][MACHINE] = {
    { 0, 1, 1, 2, 2, 0, 0, 0 }, { 1, 0, 2, 1, 0, 2, 0, 0 }, { 1, 2, 0, 2, 0, 0, 1, 0 }, { 2, 1, 2, 0, 0, 0, 0, 1 },
    { 2, 0, 0, 0, 0, 1, 1, 2 }, { 0, 2, 0, 0, 1, 0, 2, 1 }, { 0, 0, 1, 0, 1, 2, 0, 2 }, { 0, 0, 0, 1, 2, 1, 2, 0 },
};

static int16_t scores[DEVICES_MAX * DEVICES_MAX];

static struct rig rig_of(uint32_t count, int16_t (*score)(uint32_t a, uint32_t b))
{
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = 0; b < count; b++) { scores[a * count + b] = a == b ? 0 : score(a, b); }
    }
    return (struct rig){ .count = count, .links = scores };
}

static int16_t mesh_links(uint32_t a, uint32_t b) { return (int16_t)(100 * cube_mesh[a][b]); }
static int16_t mesh_bus(uint32_t a, uint32_t b)
{
    int16_t place = a / 4 != b / 4 ? 10 : a / 2 != b / 2 ? 30 : 50;
    return (int16_t)(mesh_links(a, b) + place);
}
static int16_t switched(uint32_t a, uint32_t b) { return a / 4 != b / 4 ? 1810 : 1820; }
static int16_t switched_alike(uint32_t a, uint32_t b) { (void)a; (void)b; return 1810; }
static int16_t two_sockets(uint32_t a, uint32_t b) { return a / 4 != b / 4 ? 10 : a / 2 != b / 2 ? 30 : 50; }
static int16_t odd_and_even(uint32_t a, uint32_t b) { return a % 2 == b % 2 ? 20 : 10; }

/* Hands out sets of `size` until nothing is left, and tells them in their order. */
static struct str hand_out(const struct rig *rig, uint64_t free_bits, uint32_t size)
{
    static char text[256];
    size_t len = 0;
    while (__builtin_popcountll(free_bits) >= (int)size) {
        uint64_t set = gpu_pick_whole(rig, free_bits, size);
        for (uint64_t rest = set; rest != 0; rest &= rest - 1) {
            len += (size_t)snprintf(text + len, sizeof text - len, "%s%d", rest == set && len > 0 ? " " : "", __builtin_ctzll(rest));
        }
        free_bits &= ~set;
    }
    return (struct str){ text, len };
}

static void test_cube_mesh(void)
{
    struct rig rig = rig_of(MACHINE, mesh_bus);
    CHECK_STR("pairs are the double links within a processor", hand_out(&rig, EVERY, 2), STR("12 03 56 47"));
    CHECK_STR("fours are the two halves with nine links each", hand_out(&rig, EVERY, 4), STR("0123 4567"));
    rig = rig_of(MACHINE, mesh_links);
    CHECK_STR("links alone tell the same pairs", hand_out(&rig, EVERY, 2), STR("12 03 56 47"));
    CHECK_STR("and the same fours", hand_out(&rig, EVERY, 4), STR("0123 4567"));
    CHECK_EQ("0 and 4 and 4 and 7 have two, 0 and 7 none", gpu_pick_whole(&rig, 0x91, 2), 0x90);
    CHECK_EQ("0 and 4 have two across the processors", gpu_pick_whole(&rig, 0x51, 2), 0x11);
    CHECK_EQ("one device goes that is least connected to those who stay", gpu_pick_whole(&rig, 0x0b, 1), 0x02);
    CHECK_EQ("the whole four stays where the broken one serves", gpu_pick_whole(&rig, 0x9f, 2), 0x90);
    for (uint64_t free_bits = 1; free_bits <= EVERY; free_bits++) {
        if (__builtin_popcountll(free_bits) < 3) { continue; }
        bool linked = false;
        for (uint32_t a = 0; a < MACHINE; a++) {
            for (uint32_t b = 0; b < a; b++) { linked = linked || ((free_bits >> a & free_bits >> b & 1) != 0 && cube_mesh[a][b] > 0); }
        }
        uint64_t set = gpu_pick_whole(&rig, free_bits, 2);
        int a = __builtin_ctzll(set), b = 63 - __builtin_clzll(set);
        CHECK("a pair without a link only where no free pair has one", !linked || cube_mesh[a][b] > 0);
    }
}

static const struct { const char *name; uint64_t free_bits; uint32_t size; const char *want; } block_rows[] = {
    { "pairs",                                     0xff, 2, "01 23 45 67" },
    { "fours",                                     0xff, 4, "0123 4567" },
    { "one by one, pair by pair",                  0xff, 1, "0 1 2 3 4 5 6 7" },
    { "three and three",                           0xff, 3, "012 456" },
    { "one from the broken pair",                  0xef, 1, "5 6 7 0 1 2 3" },
    { "three from the broken block",               0xef, 3, "567 012" },
    { "a whole four beside a broken one",          0xfe, 4, "4567" },
    { "within one block rather than across",       0x2b, 2, "01 35" },
    { "all of the block before some of the next",  0xf8, 5, "34567" },
    { "across blocks where nothing else is left",  0x11, 2, "04" },
};

static void test_blocks(void)
{
    static const struct { const char *name; int16_t (*score)(uint32_t, uint32_t); } boards[] = {
        { "unknown", NULL }, { "alike", switched_alike }, { "switched, two processors", switched }, { "PCIe", two_sockets },
    };
    for (size_t b = 0; b < COUNT_OF(boards); b++) {
        struct rig rig = boards[b].score == NULL ? (struct rig){ .count = MACHINE } : rig_of(MACHINE, boards[b].score);
        for (size_t r = 0; r < COUNT_OF(block_rows); r++) {
            char row[128];
            (void)snprintf(row, sizeof row, "%s: %s", boards[b].name, block_rows[r].name);
            CHECK_STR(row, hand_out(&rig, block_rows[r].free_bits, block_rows[r].size), str_from(block_rows[r].want));
        }
    }
    struct rig rig = { .count = MACHINE };
    CHECK_STR("unknown: a broken block before a whole one", hand_out(&rig, 0x6f, 2), STR("56 01 23"));
    rig = rig_of(MACHINE, switched);
    CHECK_STR("switched: a broken block before a whole one", hand_out(&rig, 0x6f, 2), STR("56 01 23"));
    rig = rig_of(MACHINE, two_sockets);
    CHECK_STR("PCIe: those behind one switch are worth a block", hand_out(&rig, 0x6f, 2), STR("01 23 56"));
}

static void test_edges(void)
{
    struct rig rig = rig_of(MACHINE, odd_and_even);
    CHECK_STR("scores go before the numbers of slots", hand_out(&rig, EVERY, 4), STR("0246 1357"));
    CHECK_EQ("none of none", gpu_pick_whole(&rig, 0, 0), 0);
    CHECK_EQ("none of some", gpu_pick_whole(&rig, EVERY, 0), 0);
    CHECK_EQ("all of some", gpu_pick_whole(&rig, 0xa5, 4), 0xa5);
    CHECK_EQ("all but one", gpu_pick_whole(&rig, 0x7f, 6) | 0x7f, 0x7f);
}

static void test_many(void)
{
    struct rig rig = { .count = 16 };
    CHECK_STR("eights", hand_out(&rig, 0xffff, 8), STR("01234567 89101112131415"));
    CHECK_STR("fours", hand_out(&rig, 0xffff, 4), STR("0123 4567 891011 12131415"));
    CHECK_STR("the broken eight first", hand_out(&rig, 0xffef, 2), STR("67 01 23 89 1011 1213 1415"));
    rig = rig_of(16, switched);
    CHECK_EQ("within one processor", gpu_pick_whole(&rig, 0xeee7, 3), 0x0007);
    rig = (struct rig){ .count = DEVICES_MAX };
    CHECK_EQ("the most that there can be", __builtin_popcountll(gpu_pick_whole(&rig, UINT64_MAX, 63)), 63);
    CHECK_EQ("every slot counts", gpu_pick_whole(&rig, (uint64_t)3 << 62, 1), (uint64_t)1 << 62);
}

/* ---- every split, one after the other ---- */

static const struct rig *tried;

/* A split's total: scores first, then how near the slots of a pair are. */
static int64_t total_of(uint64_t set)
{
    int64_t sum = 0;
    for (uint32_t a = 0; a < MACHINE; a++) {
        for (uint32_t b = 0; b < a; b++) {
            if ((set >> a & set >> b & 1) == 0) { continue; }
            int64_t near = a / 2 == b / 2 ? 31 : a / 4 == b / 4 ? 30 : 28;
            sum += 65536 * (int64_t)(tried->links == NULL ? 0 : tried->links[a * tried->count + b]) + near;
        }
    }
    return sum;
}

/* The best total of the devices in `left`, in sets of `size`, with at most one smaller. */
static int64_t best_total(uint64_t left, uint32_t size, bool odd_used)
{
    if (left == 0) { return 0; }
    int64_t best = INT64_MIN;
    uint64_t lowest = left & (~left + 1), odd = (uint64_t)__builtin_popcountll(left) % size;
    for (uint64_t set = left; set != 0; set = (set - 1) & left) {
        uint64_t width = (uint64_t)__builtin_popcountll(set);
        bool is_odd = !odd_used && odd != 0 && width == odd;
        if ((set & lowest) == 0 || (width != size && !is_odd)) { continue; }
        int64_t rest = best_total(left & ~set, size, odd_used || is_odd);
        if (rest != INT64_MIN && total_of(set) + rest > best) { best = total_of(set) + rest; }
    }
    return best;
}

static bool in_one_four(uint64_t set) { return (set & 0x0f) == 0 || (set & 0xf0) == 0; }

static void check_against_all(const struct rig *rig, uint64_t free_bits, uint32_t size)
{
    tried = rig;
    uint64_t want = 0;
    int64_t best = best_total(free_bits, size, false), want_key[4] = { 0 };
    for (uint64_t set = 1; set <= free_bits; set++) {
        if ((set & ~free_bits) != 0 || __builtin_popcountll(set) != (int)size) { continue; }
        int64_t others = best_total(free_bits & ~set, size, false);
        if (others == INT64_MIN || total_of(set) + others != best) { continue; }
        const int64_t key[4] = { total_of(set) / 65536, in_one_four(set), total_of(free_bits & ~set), total_of(set) };
        size_t k = 0;
        while (k < 4 && want != 0 && key[k] == want_key[k]) { k++; }
        if (want == 0 || (k < 4 && key[k] > want_key[k])) {
            want = set;
            memcpy(want_key, key, sizeof key);
        }
    }
    char row[96];
    (void)snprintf(row, sizeof row, "%u of %#llx", size, (unsigned long long)free_bits);
    CHECK_EQ(row, gpu_pick_whole(rig, free_bits, size), want);
}

static void test_every_split(void)
{
    struct rng rng;
    rng_seed(&rng, 7);
    int16_t random_scores[MACHINE * MACHINE];
    for (int n = 0; n < 150; n++) {
        struct rig rig = { .count = 2 + (uint32_t)rng_below(&rng, MACHINE - 1), .links = random_scores };
        for (uint32_t a = 0; a < rig.count; a++) {
            for (uint32_t b = 0; b <= a; b++) {
                int16_t score = (int16_t)(10 * rng_below(&rng, 4) + 100 * rng_below(&rng, 3));
                random_scores[a * rig.count + b] = random_scores[b * rig.count + a] = a == b ? 0 : score;
            }
        }
        if (n % 10 == 0) { rig.links = NULL; }
        uint64_t free_bits = 1 + rng_below(&rng, (1u << rig.count) - 1);
        uint32_t size = 1 + (uint32_t)rng_below(&rng, (uint64_t)__builtin_popcountll(free_bits));
        check_against_all(&rig, free_bits, size);
    }
}

int main(void)
{
    test_cube_mesh();
    test_blocks();
    test_edges();
    test_many();
    test_every_split();
    return check_report();
}
