/* Stores of other versions: one that was written before a table existed is brought forward and reads the same; one of a format
 * that this program does not know is refused, by name, and stays as it was. */
#include "store/store_internal.h"
#include "tests/unit/store/store_fixture.h"

#include <lmdb.h>

/* ---- an older one ---- */

/* One machine with a live and a stopped task, and one that has left. */
static void fill(struct store_fixture *f)
{
    struct store_txn *txn = store_write_begin(f->store);
    int64_t cluster = put_cluster(txn, STR("blue"));
    struct instance here = make_instance(1, cluster), gone = make_instance(2, cluster);
    here.version = 2;
    gone.status = INSTANCE_INACTIVE;
    store_put_instance(txn, &here);
    store_put_instance(txn, &gone);
    struct task live = make_task(11, cluster, here.id), stopped = make_task(12, cluster, here.id);
    stopped.last_status = stopped.desired_status = TASK_STOPPED;
    stopped.stopped_ms = 5000;
    store_put_task(txn, &live);
    store_put_task(txn, &stopped);
    fixture_commit("filled", txn);
}

/* The file as a program wrote it that did not know the table yet. */
static void take_table_away(struct store_fixture *f, enum table table)
{
    int64_t revision;
    struct store_txn *txn = store_write_begin(f->store);
    MDB_dbi dbi;
    CHECK_EQ("the table is there", mdb_dbi_open(txn->engine.handle, layouts[table].name, 0, &dbi), MDB_SUCCESS);
    CHECK_EQ("the table goes", mdb_drop(txn->engine.handle, dbi, 1), MDB_SUCCESS);
    txn->writes++;
    CHECK("and that is kept", store_write_commit(txn, &revision));
    store_close(f->store);
    f->store = NULL;
}

static void check_filled(const char *row, struct store_fixture *f)
{
    struct store_txn *txn = store_read_begin(f->store);
    struct id ids[4];
    struct instance_usage usage;
    const struct cluster *cluster = store_cluster(txn, STR("blue"), &f->arena);
    const struct instance *here = store_instance(txn, id_number(1), &f->arena);
    const struct task *live = store_task(txn, id_number(11), &f->arena);
    CHECK(row, cluster != NULL && here != NULL && live != NULL);
    CHECK_EQ(row, here->version, 2);
    CHECK_EQ(row, live->last_status, TASK_PENDING);
    store_instance_usage(txn, here->id, &usage, &f->arena);
    CHECK_EQ(row, usage.cpu, 256);
    CHECK_EQ("one placed, one placed and stopped", usage.events, 3);
    CHECK_EQ("a machine of which nobody knows when it left may go", store_list_gone_instances(txn, 1, ids, COUNT_OF(ids)), 1);
    CHECK(row, id_eq(ids[0], id_number(2)));
    CHECK(row, store_read_end(txn));
    fixture_check(row, f);
}

static void test_older(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    fill(&f);
    check_filled("as written", &f);
    take_table_away(&f, TABLE_ALARMS);
    if (!fixture_open(&f)) { abort(); }
    check_filled("brought forward by the newest", &f);
    take_table_away(&f, TABLE_SECRETS);
    if (!fixture_open(&f)) { abort(); }
    check_filled("brought forward by one", &f);
    take_table_away(&f, TABLE_PAST_EVENTS);
    if (!fixture_open(&f)) { abort(); }
    check_filled("brought forward", &f);
    struct store_txn *txn = store_write_begin(f.store);
    store_drop_task(txn, id_number(12));
    store_drop_instance(txn, id_number(2));
    fixture_commit("the new table is written", txn);
    CHECK("and read again", fixture_reopen(&f));
    struct instance_usage usage;
    txn = store_read_begin(f.store);
    store_instance_usage(txn, id_number(1), &usage, &f.arena);
    CHECK_EQ("no event is lost", usage.events, 3);
    CHECK("the other machine is gone", store_instance(txn, id_number(2), &f.arena) == NULL);
    CHECK("the store can be read", store_read_end(txn));
    fixture_check("brought forward and changed", &f);
    fixture_end(&f);
}

/* ---- an unknown one ---- */

static void test_unknown(void)
{
    static const struct { const char *row; struct str format; const char *message; } rows[] = {
        { "a newer one",  STR_INIT("2"), "The store has format \"2\"; this program knows \"1\"." },
        { "a word",       STR_INIT("other"), "The store has format \"other\"; this program knows \"1\"." },
        { "no word",      { NULL, 0 }, "The store has format \"\"; this program knows \"1\"." },
        { "the known one", STR_INIT("1"), "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct store_fixture f;
        struct err err = { 0 };
        struct store *again = NULL;
        fixture_begin(&f, 0);
        fill(&f);
        struct store_txn *txn = store_write_begin(f.store);
        store_put_meta(txn, STR("format"), rows[r].format);
        int64_t revision = fixture_commit(rows[r].row, txn);
        store_close(f.store);
        f.store = NULL;
        bool opened = store_open(&(struct store_config){ .dir = f.dir }, &again, &err);
        CHECK_EQ(rows[r].row, opened, rows[r].message[0] == '\0');
        CHECK_STR(rows[r].row, str_from(err.message), str_from(rows[r].message));
        if (!opened) {
            again = NULL;
            CHECK("nothing is put right unasked", !store_open(&(struct store_config){ .dir = f.dir }, &again, &(struct err){ 0 }));
        } else {
            txn = store_read_begin(again);
            CHECK_EQ("nothing was written", store_revision(txn), revision);
            CHECK("the store can be read", store_read_end(txn));
            store_close(again);
        }
        fixture_end(&f);
    }
}

int main(void)
{
    test_older();
    test_unknown();
    return check_report();
}
