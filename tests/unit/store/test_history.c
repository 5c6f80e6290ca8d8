/* The history: kept in order of the end, found by id, listed newest first, put again in place, trimmed from the old end. */
#include "tests/unit/store/store_fixture.h"

#include "store/store_internal.h"

static struct history make_history(uint32_t number, int64_t cluster, int64_t stopped_ms)
{
    return (struct history){ .id = id_number(number), .stopped_ms = stopped_ms, .cluster_number = cluster, .family = STR("web"),
                             .revision = 1, .created_ms = 1000, .stop_code = TASK_STOP_CODE_USERINITIATED };
}

static const struct history_place the_end = { INT64_MAX, { { 0 } } };

/* The numbers of the entries from below `before` on, as text: "3 1 2". */
static struct str listed(struct store_fixture *f, struct history_place before, size_t limit)
{
    struct history entries[16];
    struct buf out = buf_in(&f->arena);
    struct store_txn *txn = store_read_begin(f->store);
    size_t count = store_list_history(txn, before, entries, limit, &f->arena);
    CHECK("the read is sound", store_read_end(txn));
    for (size_t e = 0; e < count; e++) {
        const uint8_t *bytes = entries[e].id.bytes;
        buf_printf(&out, "%s%d", e == 0 ? "" : " ", bytes[4] << 24 | bytes[5] << 16 | bytes[6] << 8 | bytes[7]);
    }
    return buf_str(&out);
}

static void put(struct store_txn *txn, int64_t cluster, uint32_t number, int64_t stopped_ms)
{
    struct history history = make_history(number, cluster, stopped_ms);
    store_put_history(txn, &history);
}

static void test_order(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    CHECK_STR("nothing yet", listed(&f, the_end, 16), STR(""));
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    put(txn, cluster, 5, 2000);
    put(txn, cluster, 2, 2000);                           /* the same millisecond, an older task: not behind the newest */
    fixture_commit("two", txn);
    txn = store_write_begin(f.store);
    put(txn, cluster, 7, 3000);
    put(txn, cluster, 9, 1500);                           /* the clock was set back */
    put(txn, cluster, 8, 3000);
    fixture_commit("three", txn);
    fixture_check("sound", &f);

    const struct { const char *row; struct history_place before; size_t limit; const char *want; } rows[] = {
        { "all",                    the_end,                       16, "8 7 5 2 9" },
        { "a page",                 the_end,                       2,  "8 7" },
        { "the next",               { 3000, id_number(7) },        2,  "5 2" },
        { "the last",               { 2000, id_number(2) },        2,  "9" },
        { "behind it",              { 1500, id_number(9) },        2,  "" },
        { "below a time",           { 3000, { { 0 } } },           16, "5 2 9" },
        { "at a time between",      { 2001, { { 0 } } },           16, "5 2 9" },
        { "below the first",        { 0, { { 0 } } },              16, "" },
        { "nothing asked for",      the_end,                       0,  "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_STR(rows[r].row, listed(&f, rows[r].before, rows[r].limit), str_from(rows[r].want)); }
    CHECK("opens again", fixture_reopen(&f));
    CHECK_STR("all of it is kept", listed(&f, the_end, 16), STR("8 7 5 2 9"));
    fixture_end(&f);
}

static void test_one(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    struct str gpus[2] = { STR("GPU-1"), STR("GPU-2") };
    struct history_container container = { .name = STR("main"), .reason = STR("killed"), .exit_code = opt_int_of(137), .gpu_ids = { gpus, 2 } };
    struct history history = make_history(4, cluster, 5000);
    history.containers = (struct history_container_list){ &container, 1 };
    history.instance_name = STR("node-a");
    store_put_history(txn, &history);
    history.group = STR("changed later");
    store_put_history(txn, &history);
    put(txn, cluster, 5, 5000);
    fixture_commit("put", txn);
    fixture_check("the same task twice is one entry", &f);
    CHECK_STR("listed once", listed(&f, the_end, 16), STR("5 4"));

    txn = store_read_begin(f.store);
    const struct history *found = store_history(txn, id_number(4), &f.arena);
    CHECK("found", found != NULL);
    if (found != NULL) {
        CHECK("its id", id_eq(found->id, id_number(4)));
        CHECK_EQ("its end", found->stopped_ms, 5000);
        CHECK_STR("as put last", found->group, STR("changed later"));
        CHECK_STR("container", found->containers.items[0].name, STR("main"));
        CHECK_EQ("exit code", found->containers.items[0].exit_code.value, 137);
        CHECK_EQ("GPUs", history_gpu_thousandths(found), 2000);
        CHECK_EQ("GPU time from the placement to the end", history_gpu_ms(found), 2 * (5000 - 1000));
    }
    CHECK("another is not there", store_history(txn, id_number(6), &f.arena) == NULL);
    CHECK("read", store_read_end(txn));
    container.gpu_share = 250;
    container.gpu_ids.count = 1;
    txn = store_write_begin(f.store);
    store_put_history(txn, &history);
    found = store_history(txn, id_number(4), &f.arena);
    CHECK_EQ("a quarter of a GPU", history_gpu_thousandths(found), 250);
    CHECK_EQ("a quarter of its time", history_gpu_ms(found), (5000 - 1000) / 4);
    store_write_abort(txn);
    struct history odd = make_history(1, 1, 999);
    odd.containers = history.containers;
    CHECK_EQ("a clock set back gives no negative time", history_gpu_ms(&odd), 0);
    fixture_end(&f);
}

static void test_trim(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    for (uint32_t t = 1; t <= 6; t++) { put(txn, cluster, t, 1000 * t); }
    CHECK_EQ("as many as asked for", (int64_t)store_trim_history(txn, 4000, 2), 2);
    CHECK_EQ("before the time, not at it", (int64_t)store_trim_history(txn, 4000, 10), 1);
    CHECK_EQ("no more", (int64_t)store_trim_history(txn, 4000, 10), 0);
    put(txn, cluster, 7, 7000);
    fixture_commit("trimmed", txn);
    fixture_check("sound", &f);
    CHECK_STR("the newest stay", listed(&f, the_end, 16), STR("7 6 5 4"));
    txn = store_write_begin(f.store);
    CHECK("one that is gone is not found", store_history(txn, id_number(3), &f.arena) == NULL);
    CHECK_EQ("all", (int64_t)store_trim_history(txn, INT64_MAX, 10), 4);
    put(txn, cluster, 8, 10);                             /* older than the earlier ones */
    fixture_commit("begun again", txn);
    fixture_check("sound", &f);
    CHECK_STR("begun again", listed(&f, the_end, 16), STR("8"));
    fixture_end(&f);
}

/* The words of store_check for each kind of damage. */
static void test_damage(void)
{
    enum damage { LOSE_INDEX, LEAD_ELSEWHERE, LOSE_ENTRY, SPOIL, LEAVE_CLUSTER };
    static const struct { const char *row, *words; enum damage damage; } rows[] = {
        { "the index lacks it",      "missing or leads elsewhere", LOSE_INDEX },
        { "another time",            "missing or leads elsewhere", LEAD_ELSEWHERE },
        { "an index entry too many", "without a record",           LOSE_ENTRY },
        { "no record",               "can not be read",            SPOIL },
        { "no cluster",              "no such cluster",            LEAVE_CLUSTER },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct store_fixture f;
        struct err err = { 0 };
        struct key entry, index;
        fixture_begin(&f, 0);
        struct store_txn *txn = store_write_begin(f.store);
        int64_t cluster = put_cluster(txn, STR("default"));
        put(txn, cluster, 1, 1000);
        if (!key_make(&entry, TABLE_HISTORY, &(struct key_parts){ .number = 1000, .id = id_number(1) })
            || !key_make(&index, TABLE_HISTORY_INDEX, &(struct key_parts){ .id = id_number(1) })) { abort(); }
        switch (rows[r].damage) {
        case LOSE_INDEX:     txn_delete(txn, TABLE_HISTORY_INDEX, &index);                                        break;
        case LEAD_ELSEWHERE: txn_put(txn, TABLE_HISTORY_INDEX, &index, (struct str){ "\0\0\0\0\0\0\0\1", 8 }, PUT_ANYWHERE);       break;
        case LOSE_ENTRY:     txn_delete(txn, TABLE_HISTORY, &entry);                                              break;
        case SPOIL:          txn_put(txn, TABLE_HISTORY, &entry, STR("\001\377\377"), PUT_ANYWHERE);                               break;
        case LEAVE_CLUSTER:  put(txn, cluster + 1, 2, 2000);                                                            break;
        }
        fixture_commit(rows[r].row, txn);
        txn = store_read_begin(f.store);
        CHECK(rows[r].row, !store_check(txn, &err));
        CHECK(rows[r].row, strstr(err.message, rows[r].words) != NULL);
        CHECK(rows[r].row, store_read_end(txn));
        txn = store_read_begin(f.store);
        const struct history *found = store_history(txn, id_number(1), &f.arena);
        bool sound = store_read_end(txn), lost = rows[r].damage == LOSE_INDEX || rows[r].damage == LEAVE_CLUSTER;
        CHECK(rows[r].row, sound == lost && (found != NULL) == (rows[r].damage == LEAVE_CLUSTER));
        fixture_end(&f);
    }
}

int main(void)
{
    test_order();
    test_one();
    test_trim();
    test_damage();
    return check_report();
}
