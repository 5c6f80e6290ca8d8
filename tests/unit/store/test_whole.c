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

/* Pages that were taken and given back in one commit stand behind the end of the file. */
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

/* A record that can't be read is told by its table and its key. */
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
    task.cpu = -1;                                       /* it decodes, and is none that anybody wrote */
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

int main(void)
{
    test_cut();
    test_free_tail();
    test_record();
    return check_report();
}
