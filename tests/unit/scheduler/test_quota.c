/* test_quota.c: quotas by tag: their text, and what tasks are charged. */
#include "scheduler/queue/quota.h"
#include "tests/unit/check.h"

static struct id id_of(uint8_t number) { return (struct id){ { 1, number } }; }

static void test_text(void)
{
    static const struct { const char *text; bool good; size_t count; int64_t first, last; } rows[] = {
        { "team:ml:8", true, 1, 8000, 8000 }, { "team:ml:8 team:web:2.5", true, 2, 8000, 2500 }, { " team:ml:8  team:web:0 ", true, 2, 8000, 0 },
        { "team:a:b:0.125", true, 1, 125, 125 }, { "", false, 0, 0, 0 }, { " ", false, 0, 0, 0 }, { "team", false, 0, 0, 0 }, { "team:8", false, 0, 0, 0 },
        { "team::8", false, 0, 0, 0 }, { ":ml:8", false, 0, 0, 0 }, { "team:ml:-1", false, 0, 0, 0 }, { "team:ml:1.2345", false, 0, 0, 0 },
        { "team:ml:1.", false, 0, 0, 0 }, { "team:ml:x", false, 0, 0, 0 }, { "team:ml:1000001", false, 0, 0, 0 }, { "team:ml:8 team:ml:9", false, 0, 0, 0 },
        { "a:a:1 a:b:1 a:c:1 a:d:1 a:e:1 a:f:1 a:g:1 a:h:1 a:i:1 a:j:1 a:k:1 a:l:1 a:m:1 a:n:1 a:o:1 a:p:1", true, 16, 1000, 1000 },
        { "a:a:1 a:b:1 a:c:1 a:d:1 a:e:1 a:f:1 a:g:1 a:h:1 a:i:1 a:j:1 a:k:1 a:l:1 a:m:1 a:n:1 a:o:1 a:p:1 a:q:1", false, 0, 0, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct quota_item items[QUOTA_ITEMS_MAX];
        struct err err = { 0 };
        size_t count;
        CHECK(rows[r].text, quota_parse(str_from(rows[r].text), items, &count, &err) == rows[r].good);
        if (!rows[r].good) { continue; }
        CHECK_EQ(rows[r].text, count, rows[r].count);
        CHECK_EQ(rows[r].text, items[0].limit, rows[r].first);
        CHECK_EQ(rows[r].text, items[count - 1].limit, rows[r].last);
    }
}

static void set(struct quotas *quotas, const char *text)
{
    struct quota_item items[QUOTA_ITEMS_MAX];
    struct err err = { 0 };
    size_t count;
    CHECK(text, quota_parse(str_from(text), items, &count, &err));
    quotas_set(quotas, 7, items, count);
}

static int64_t used(const struct quotas *quotas, size_t item)
{
    const struct quota_item *items;
    return item < quotas_of(quotas, 7, &items) ? items[item].used : -1;
}

static void test_charges(void)
{
    struct arena arena;
    arena_init(&arena, 1 << 20);
    struct quotas *quotas = quotas_create(&arena);
    struct tag ml[] = { { STR("team"), STR("ml") }, { STR("who"), STR("ann") } }, web[] = { { STR("team"), STR("web") } };
    const struct tag_list ml_tags = { ml, 2 }, web_tags = { web, 1 };
    const struct quota_item *tightest;
    CHECK_EQ("no quota", quotas_room(quotas, 7, 0, 1000, &tightest), INT64_MAX);
    set(quotas, "team:ml:8 who:ann:3");
    uint32_t mask = quotas_mask(quotas, 7, &ml_tags);
    CHECK_EQ("both", mask, 3);
    CHECK_EQ("none", quotas_mask(quotas, 7, &web_tags), 0);
    CHECK_EQ("another cluster", quotas_mask(quotas, 8, &ml_tags), 0);
    CHECK_EQ("the tightest", quotas_room(quotas, 7, mask, 1000, &tightest), 3);
    CHECK_STR("its key", tightest->key, STR("who"));
    quotas_charge(quotas, 7, id_of(1), mask, 2500);
    quotas_charge(quotas, 7, id_of(1), mask, 2500);
    CHECK_EQ("once", used(quotas, 0), 2500);
    CHECK_EQ("half a GPU is left", quotas_room(quotas, 7, mask, 500, NULL), 1);
    CHECK_EQ("not a whole one", quotas_room(quotas, 7, mask, 1000, NULL), 0);
    quotas_charge(quotas, 7, id_of(2), 1, 1000);
    struct quota_trial trial = { .cluster = 0 };
    CHECK("tried", quotas_try(quotas, &trial, 7, 1, 4000));
    CHECK("too much", !quotas_try(quotas, &trial, 7, 1, 501));
    CHECK("the rest", quotas_try(quotas, &trial, 7, 1, 500));
    CHECK_EQ("nothing changed", used(quotas, 0), 3500);
    set(quotas, "team:ml:2");
    CHECK_EQ("it counts from 0 again", used(quotas, 0), 0);
    quotas_charge(quotas, 7, id_of(1), 1, 2500);
    CHECK_EQ("over it", quotas_room(quotas, 7, 1, 1, NULL), 0);
    quotas_free(quotas, id_of(1));
    quotas_free(quotas, id_of(2));
    quotas_free(quotas, id_of(3));
    CHECK_EQ("free", used(quotas, 0), 0);
    quotas_set(quotas, 7, NULL, 0);
    CHECK_EQ("gone", used(quotas, 0), -1);
    arena_finish(&arena);
}

int main(void)
{
    test_text();
    test_charges();
    return check_report();
}
