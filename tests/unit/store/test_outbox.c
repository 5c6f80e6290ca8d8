/* test_outbox.c: events for others: their numbers, which never come twice, and what goes when they are old or too many. */
#include "store/store_internal.h"
#include "tests/unit/store/store_fixture.h"

static int64_t add(struct store_txn *txn, struct store_fixture *f, int64_t at_ms)
{
    return store_add_event(txn, &(struct kept_event){ .at_ms = at_ms, .type = STR("ECS Service Action"), .text = STR("{}") }, &f->arena);
}

static void test_numbers(struct store_fixture *f)
{
    struct kept_event *events;
    struct store_txn *txn = store_write_begin(f->store);
    CHECK("nothing", store_last_event(txn, &f->arena) == 0 && store_first_event(txn) == 0 && store_list_events(txn, 0, &events, 9, &f->arena) == 0);
    for (int64_t n = 1; n <= 300; n++) { CHECK_EQ("the next number", add(txn, f, 1000 * n), n); }
    CHECK("first and last", store_first_event(txn) == 1 && store_last_event(txn, &f->arena) == 300);
    CHECK_EQ("a page", store_list_events(txn, 254, &events, 3, &f->arena), 3);
    CHECK("in order of numbers, not of texts", events[0].number == 255 && events[2].number == 257 && events[0].at_ms == 255000);
    CHECK_EQ("the rest", store_list_events(txn, 298, &events, 9, &f->arena), 2);
    CHECK_EQ("behind the last", store_list_events(txn, 300, &events, 9, &f->arena), 0);
    (void)fixture_commit("kept", txn);
}

static void test_trim(struct store_fixture *f)
{
    static const struct { const char *row; int64_t before_ms; size_t most, limit, dropped; int64_t first; } rows[] = {
        { "none is older",            1000, 300, 50, 0, 1 },
        { "one is older",             1001, 300, 50, 1, 2 },
        { "no more than may go",    999000, 300, 50, 50, 52 },
        { "as many as there may be", 0,     249, 50, 0, 52 },
        { "one too many",            0,     248, 50, 1, 53 },
        { "nothing may stay",        0,     0,  999, 248, 0 },
        { "nothing is left",         0,     0,  999, 0, 0 },
    };
    struct store_txn *txn = store_write_begin(f->store);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_EQ(rows[r].row, store_trim_events(txn, rows[r].before_ms, rows[r].most, rows[r].limit, &f->arena), rows[r].dropped);
        CHECK_EQ(rows[r].row, store_first_event(txn), rows[r].first);
    }
    CHECK_EQ("a number is not given twice", add(txn, f, 1), 301);
    (void)fixture_commit("kept", txn);
    struct err err = { 0 };
    struct store_txn *read = store_read_begin(f->store);
    CHECK("all is well", store_check_bare(read, &err));
    CHECK("read", store_read_end(read));
}

int main(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    test_numbers(&f);
    test_trim(&f);
    fixture_end(&f);
    return check_report();
}
