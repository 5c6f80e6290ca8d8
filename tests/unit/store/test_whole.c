/* A store's file that was cut off is refused and nobody dies of it; one that merely lacks pages that nobody uses is none of those. */
#include "store/store_internal.h"
#include "tests/unit/store/store_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, TASKS = 2000 };

static const char *file_of(const struct store_fixture *f)
{
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/data.mdb", f->dir);
    return path;
}

static int64_t size_of(const struct store_fixture *f)
{
    struct stat facts;
    CHECK("there is a file", stat(file_of(f), &facts) == 0);
    return facts.st_size;
}

static void fill(struct store_fixture *f)
{
    for (uint32_t n = 0; n < TASKS; n += 100) {
        struct store_txn *txn = store_write_begin(f->store);
        int64_t cluster = n == 0 ? put_cluster(txn, STR("blue")) : 1;
        for (uint32_t t = n; t < n + 100; t++) {
            struct task task = make_task(100 + t, cluster, (struct id){ { 0 } });
            store_put_task(txn, &task);
        }
        fixture_commit("filled", txn);
    }
    store_close(f->store);
    f->store = NULL;
}

static void test_cut(void)
{
    static const struct { const char *row; int parts, behind; bool opens; } rows[] = {    /* parts: of 8; behind: bytes more */
        { "as it was", 8, 0, true },
        { "with something behind it", 8, 3 * PAGE, true },
        { "the last page", 8, -PAGE, false },
        { "a byte", 8, -1, false },
        { "a part", 7, 0, false },
        { "the half", 4, 0, false },
        { "most of it", 1, 0, false },
        { "all but the first pages", 0, 3 * PAGE, false },
        { "all but the first two", 0, 2 * PAGE, false },
        { "not even those", 0, PAGE, false },
        { "a few bytes", 0, 10, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct store_fixture f;
        fixture_begin(&f, 0);
        fill(&f);
        int64_t size = size_of(&f);
        CHECK("cut", truncate(file_of(&f), size / 8 / PAGE * PAGE * rows[r].parts + (rows[r].parts == 8 ? size % ((int64_t)8 * PAGE) : 0) + rows[r].behind) == 0);
        struct err err = { 0 };
        const struct store_config config = { .dir = f.dir, .sync = true };
        bool opened = store_open(&config, &f.store, &err);
        CHECK(rows[r].row, opened == rows[r].opens);
        if (!opened) {
            CHECK(rows[r].row, str_contains(str_from(err.message), STR("damaged")) && str_contains(str_from(err.message), STR("Restore a copy")));
            f.store = NULL;
        }
        fixture_end(&f);
    }
}

/* Pages that were taken and given back in one commit are behind the end of the file. */
static void test_free_tail(void)
{
    static char large[40 * PAGE];
    struct store_fixture f;
    struct key key;
    fixture_begin(&f, 0);
    fill(&f);                                            /* whose commits leave free pages: LMDB looks for more of them */
    CHECK("open", fixture_open(&f));
    struct store_txn *txn = store_write_begin(f.store);
    memset(large, 'x', sizeof large);
    store_put_meta(txn, STR("large"), (struct str){ large, sizeof large });
    CHECK("a key", key_make(&key, TABLE_META, &(struct key_parts){ .text = STR("large") }));
    txn_delete(txn, TABLE_META, &key);
    store_put_meta(txn, STR("small"), STR("y"));
    fixture_commit("taken and given back", txn);
    CHECK("the file is shorter than it says", size_of(&f) < (int64_t)engine_pages(f.store->engine) * PAGE);
    CHECK("and whole", fixture_reopen(&f));
    txn = store_read_begin(f.store);
    CHECK_STR("it is read", store_meta(txn, STR("small"), &f.arena), STR("y"));
    CHECK("read", store_read_end(txn));
    fixture_end(&f);
}

/* A record that can't be read is named by its table and its key. */
static void test_record(void)
{
    struct store_fixture f;
    char hex[ID_HEX_LEN + 1];
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    struct task task = make_task(7, put_cluster(txn, STR("blue")), (struct id){ { 0 } });
    store_put_task(txn, &task);
    struct key key = task_key(task.id);
    struct buf packed = buf_in(&f.arena);
    task.cpu = -1;                                       /* it decodes, but nobody writes such a task */
    buf_put_char(&packed, RECORD_VERSION);
    schema_pack(&task_record, &task, &packed);
    txn_put(txn, TABLE_TASKS, &key, buf_str(&packed), PUT_ANYWHERE);
    fixture_commit("changed on the disk", txn);
    store_close(f.store);
    f.store = NULL;
    struct err err = { 0 };
    const struct store_config config = { .dir = f.dir, .sync = true };
    CHECK("it is refused", !store_open(&config, &f.store, &err));
    id_hex(task.id, hex);
    CHECK("by its table", str_contains(str_from(err.message), STR("table tasks")));
    CHECK("and its id", str_contains(str_from(err.message), str_from(hex)));
    f.store = NULL;
    fixture_end(&f);
}

/* ---- bytes that a disk has changed are an error where they are used, and end nothing ---- */

static void plant(struct store_fixture *f, enum table table, struct key_parts parts, struct str value)
{
    struct engine_txn txn = { NULL, NULL };
    struct key key;
    CHECK("a key", key_make(&key, table, &parts));
    CHECK_EQ("begins", engine_write_begin(f->store->engine, &txn), ENGINE_OK);
    CHECK_EQ("planted", engine_put(&txn, table, key_str(&key), value, PUT_ANYWHERE), ENGINE_OK);
    CHECK_EQ("kept", engine_commit(&txn), ENGINE_OK);
}

static struct str packed(struct store_fixture *f, const struct schema *schema, const void *record)
{
    struct buf buf = buf_in(&f->arena);
    buf_put_char(&buf, RECORD_VERSION);
    schema_pack(schema, record, &buf);
    return buf_str(&buf);
}

static void use_counter(struct store_fixture *f, struct store_txn *txn) { (void)f; CHECK_EQ("no revision", store_next_revision(txn, STR("web")), 1); }
static void use_cluster(struct store_fixture *f, struct store_txn *txn) { CHECK("no cluster", store_cluster(txn, STR("blue"), &f->arena) == NULL); }
static void use_events(struct store_fixture *f, struct store_txn *txn) { (void)f; store_drop_task(txn, id_number(7)); }
static void use_instance(struct store_fixture *f, struct store_txn *txn) { (void)f; store_drop_instance(txn, id_number(1)); }
static void use_revision(struct store_fixture *f, struct store_txn *txn) { (void)f; CHECK_EQ("no revision", store_revision(txn), 0); }

static void test_changed_bytes(void)
{
    static const char damaged[] = "the store's file is damaged", unread[] = "a record of the store can not be read";
    static const struct str zero = STR_INIT("\0\0\0\0\0\0\0\0"), two = STR_INIT("\0\0\0\0\0\0\0\2");
    static const struct str ones = STR_INIT("\377\377\377\377\377\377\377\377"), most = STR_INIT("\177\377\377\377\377\377\377\377");
    const struct cluster no_number = { .name = STR("blue"), .number = -5, .status = CLUSTER_ACTIVE }, no_status = { .name = STR("blue"), .number = 1 };
    const struct instance active = make_instance(1, 1);
    const struct key_parts web = { .text = STR("web") }, blue = { .text = STR("blue") }, one = { .id = id_number(1) };
    struct store_fixture values = { 0 };
    arena_init(&values.arena, 1 << 20);
    const struct {
        const char *row; enum table table; struct key_parts parts; struct str value; void (*use)(struct store_fixture *f, struct store_txn *txn); const char *problem;
    } rows[] = {
        { "a counter that is zero",          TABLE_FAMILIES,    web,  zero,                            use_counter, damaged },
        { "a counter below zero",            TABLE_FAMILIES,    web,  ones,                            use_counter, damaged },
        { "a counter that has no next",      TABLE_FAMILIES,    web,  most,                            use_counter, damaged },
        { "a counter that is cut",           TABLE_FAMILIES,    web,  STR("\1\1\1"),                     use_counter, damaged },
        { "a cluster's number below zero",   TABLE_CLUSTERS,    blue, packed(&values, &cluster_record, &no_number), use_cluster, unread },
        { "a cluster without a status",      TABLE_CLUSTERS,    blue, packed(&values, &cluster_record, &no_status), use_cluster, unread },
        { "events below zero",               TABLE_PAST_EVENTS, one,  ones,                            use_events, damaged },
        { "events as they are written",      TABLE_PAST_EVENTS, one,  two,                             use_events, NULL },
        { "an instance that is ACTIVE",      TABLE_INSTANCES,   one,  packed(&values, &instance_record, &active), use_instance, damaged },
        { "a revision that has no next",     TABLE_CHANGES,     { .number = INT64_MAX }, STR(""),      use_revision, damaged },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct store_fixture f;
        fixture_begin(&f, 0);
        struct store_txn *txn = store_write_begin(f.store);
        struct task task = make_task(7, put_cluster(txn, STR("blue")), id_number(1));
        task.last_status = task.desired_status = TASK_STOPPED;
        task.stopped_ms = 5;
        store_put_task(txn, &task);
        fixture_commit(rows[r].row, txn);
        plant(&f, rows[r].table, rows[r].parts, rows[r].value);
        txn = store_write_begin(f.store);
        rows[r].use(&f, txn);
        const char *problem = store_txn_problem(txn);
        CHECK_EQ(rows[r].row, problem == NULL, rows[r].problem == NULL);
        CHECK(rows[r].row, problem == NULL || str_contains(str_from(problem), str_from(rows[r].problem)));
        store_write_abort(txn);
        fixture_end(&f);
    }
    arena_finish(&values.arena);
}

int main(void)
{
    test_cut();
    test_free_tail();
    test_record();
    test_changed_bytes();
    return check_report();
}
