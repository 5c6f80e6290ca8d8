/* The texts in which agents report their GPUs: a printed text is read again, and any other text is refused. */
#include "base/assert.h"
#include "base/rng.h"
#include "model/instance.h"
#include "tests/unit/check.h"

static struct arena arena;

static struct gpu gpu_of(const char *model, int64_t memory_mib, const char *profile)
{
    return (struct gpu){ STR("GPU-1"), str_from(model), memory_mib, str_from(profile) };
}

static void test_kinds_text(void)
{
    struct gpu alike[] = { gpu_of("V100", 16384, NULL), gpu_of("V100", 16384, NULL) };
    struct gpu mixed[] = {
        gpu_of("H200", 143771, NULL), gpu_of("H200", 143771, NULL), gpu_of("H200", 18176, "1g.18gb"), gpu_of("H200", 35840, "2g.35gb"),
        gpu_of("H200", 143771, NULL), gpu_of("RTX/4090,*", 24564, NULL),
    };
    struct gpu_list list = { alike, 2 };
    CHECK("alike devices need no text", gpu_list_is_plain(&list));
    CHECK_STR("but have one", gpu_kinds_text(&list, &arena), STR("2*V100/16384"));
    list = (struct gpu_list){ mixed, 2 };
    CHECK("two whole ones of more", gpu_list_is_plain(&list));
    list = (struct gpu_list){ &mixed[2], 1 };
    CHECK("a partition is never plain", !gpu_list_is_plain(&list));
    list = (struct gpu_list){ mixed, COUNT_OF(mixed) };
    CHECK("unlike", !gpu_list_is_plain(&list));
    CHECK_STR("in slot order, marks of the text made harmless", gpu_kinds_text(&list, &arena),
              STR("2*H200/143771,H200/18176/1g.18gb,H200/35840/2g.35gb,H200/143771,RTX-4090--/24564"));
    list = (struct gpu_list){ NULL, 0 };
    CHECK("none are plain", gpu_list_is_plain(&list));
    CHECK_STR("none", gpu_kinds_text(&list, &arena), STR(""));
}

static void test_kinds_read(void)
{
    static const struct { const char *text; size_t count; bool good; } rows[] = {
        { "2*V100/16384", 2, true },               { "V100/16384,V100/16384", 2, true },      { "V100/0", 1, true },
        { "2*V100/16384", 1, false },              { "2*V100/16384", 3, false },              { "", 1, false },
        { "V100", 1, false },                      { "/16384", 1, false },                    { "V100/x", 1, false },
        { "V100/-1", 1, false },                   { "V100/1/", 1, false },                   { "0*V100/1,V100/1", 1, false },
        { "V100/1,0*V100/1", 1, false },           { "-1*V100/1", 1, false },                 { "V100/1,,", 1, false },
        { "9223372036854775807*V100/1", 1, false },{ "V100/99999999999", 1, false },          { "*V100/1", 1, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct gpu items[4] = { { .uuid = STR("GPU-1") }, { .uuid = STR("GPU-2") }, { .uuid = STR("GPU-3") } };
        struct gpu_list list = { items, rows[r].count };
        CHECK_EQ(rows[r].text, gpu_kinds_read(str_from(rows[r].text), &list), rows[r].good);
        CHECK_STR(rows[r].text, items[0].uuid, STR("GPU-1"));
        CHECK_EQ(rows[r].text, str_is_set(items[0].model), rows[r].good);
    }
    struct gpu items[3] = { { .uuid = STR("MIG-1") }, { .uuid = STR("MIG-2") }, { .uuid = STR("GPU-3") } };
    struct gpu_list list = { items, 3 };
    CHECK("a mixed machine", gpu_kinds_read(STR("2*H200/18176/1g.18gb,A100/40960"), &list));
    CHECK_STR("profile", items[1].profile, STR("1g.18gb"));
    CHECK("partition", gpu_is_partition(&items[1]) && !gpu_is_partition(&items[2]));
    CHECK_EQ("memory", items[2].memory_mib, 40960);
    CHECK_STR("model", items[0].model, STR("H200"));
    CHECK_STR("the UUID stays", items[1].uuid, STR("MIG-2"));
}

static void test_links(void)
{
    static const int64_t alike[] = { 0, 1850, 1850, 1850, 0, 1850, 1850, 1850, 0 };
    static const int64_t unlike[] = { 0, 260, 20, 260, 0, 10, 20, 10, 0 };
    CHECK_STR("alike", gpu_links_text(alike, 3, &arena), STR("3*1850"));
    CHECK_STR("unlike", gpu_links_text(unlike, 3, &arena), STR("260,20,10"));
    CHECK_STR("one device", gpu_links_text(alike, 1, &arena), STR(""));
    static const struct { const char *text; size_t count; bool good; } rows[] = {
        { "260,20,10", 3, true },  { "3*0", 3, true },     { "2*9999,0", 3, true },  { "", 1, true },     { "", 0, true },
        { "260,20", 3, false },    { "4*1", 3, false },    { "2*1,2*1", 3, false },  { "", 2, false },    { "1,1,x", 3, false },
        { "1,1,10000", 3, false }, { "1,1,-1", 3, false }, { "0*1,3*1", 3, false },  { "1", 1, false },   { "1,1,1,1", 3, false },
        { "-3*1", 3, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        int64_t scores[9];
        CHECK_EQ(rows[r].text, gpu_links_read(str_from(rows[r].text), rows[r].count, scores), rows[r].good);
    }
    struct rng rng;
    rng_seed(&rng, 3);
    for (size_t count = 0; count <= GPUS_MAX; count++) {
        int64_t *scores = ARENA_NEW(&arena, int64_t, count * count), *read = ARENA_NEW(&arena, int64_t, count * count);
        for (size_t a = 0; a < count; a++) {
            for (size_t b = 0; b < a; b++) { scores[a * count + b] = scores[b * count + a] = (int64_t)rng_below(&rng, 3) * 4999; }
        }
        CHECK("round trip", gpu_links_read(gpu_links_text(scores, count, &arena), count, read));
        CHECK("the same", count == 0 || memcmp(scores, read, count * count * sizeof *scores) == 0);
    }
}

/* Scores of pairs in the order of a triangle's rows. */
static void test_islands(void)
{
    static const struct { const char *row, *text, *want; size_t count; } rows[] = {
        { "two pairs by a bridge", "260,2*20,2*20,260", "0011", 4 }, { "two processors", "2*60,3*10,60,3*10,3*10,2*60,60", "000111", 6 },
        { "pairs that cross", "20,260,20,20,260,20", "0101", 4 }, { "all alike", "6*1850", "", 4 }, { "switches, and two processors", "1260,4*1210,1260", "", 4 },
        { "more links in pairs", "460,4*210,460", "0011", 4 }, { "one more link, another place", "260,4*240,260", "", 4 }, { "one is alone", "260,20,20", "", 3 },
        { "a ring has none", "2*260,20,20,2*260", "", 4 }, { "processors, and pairs in them", "260,2*60,4*10,2*60,4*10,260,4*10,4*10,260,2*60,2*60,260", "00001111", 8 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        int64_t scores[64];
        size_t islands[8] = { 0 };
        char text[9] = "";
        CHECK(rows[r].row, gpu_links_read(str_from(rows[r].text), rows[r].count, scores));
        size_t found = gpu_islands(scores, rows[r].count, islands);
        for (size_t g = 0; found > 0 && g < rows[r].count; g++) { text[g] = (char)('0' + (int)islands[g]); }
        CHECK_STR(rows[r].row, str_from(text), str_from(rows[r].want));
    }
    CHECK_EQ("no device", gpu_islands(NULL, 0, NULL), 0);
}

static void test_long_attribute(void)
{
    struct attribute attributes[] = {
        { .name = STR("berth.gpu-links.3"), .value = STR("c") }, { .name = STR("berth.gpu-links"), .value = STR("a") },
        { .name = STR("berth.gpu-links.2"), .value = STR("b") }, { .name = STR("berth.gpu-links.5"), .value = STR("x") },
    };
    struct instance instance = { .attributes = { attributes, COUNT_OF(attributes) } };
    CHECK_STR("parts in their order", instance_long_attribute(&instance, STR("berth.gpu-links"), &arena), STR("abc"));
    CHECK_STR("none", instance_long_attribute(&instance, STR("berth.gpu-kinds"), &arena), STR(""));
}

int main(void)
{
    arena_init(&arena, 16 << 20);
    test_kinds_text();
    test_kinds_read();
    test_links();
    test_islands();
    test_long_attribute();
    arena_finish(&arena);
    return check_report();
}
