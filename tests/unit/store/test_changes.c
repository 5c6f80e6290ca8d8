/* The change feed: what a commit touched, once each; following it; being too far behind. */
#include "tests/unit/store/store_fixture.h"

enum { FEED_REVISIONS = 100000, FEED_TRIMMED = 3 };

static size_t changes_since(struct store_fixture *f, int64_t revision, struct change *changes, size_t limit, bool *complete)
{
    struct store_txn *txn = store_read_begin(f->store);
    size_t count = store_changes(txn, revision, changes, limit, complete);
    CHECK("read", store_read_end(txn));
    return count;
}

static void test_what_is_noted(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    int64_t start = fixture_commit("cluster", txn);

    txn = store_write_begin(f.store);
    struct instance instance = make_instance(1, cluster);
    struct task task = make_task(2, cluster, instance.id);
    struct taskdef taskdef = { .def = { .family = STR("web"), .revision = opt_int_of(1), .status = TASK_DEFINITION_STATUS_ACTIVE } };
    store_put_instance(txn, &instance);
    store_put_task(txn, &task);
    store_put_task(txn, &task);
    store_put_taskdef(txn, &taskdef);
    store_put_instance(txn, &instance);
    fixture_commit("many", txn);
    txn = store_write_begin(f.store);
    store_drop_task(txn, task.id);
    fixture_commit("gone", txn);

    struct change changes[8];
    bool complete;
    CHECK_EQ("all", changes_since(&f, start, changes, 8, &complete), 4);
    CHECK("complete", complete);
    CHECK_EQ("instance", changes[0].kind, CHANGE_INSTANCE);
    CHECK("its id", id_eq(changes[0].id, instance.id));
    CHECK_EQ("its cluster", changes[0].cluster_number, cluster);
    CHECK_EQ("task, once", changes[1].kind, CHANGE_TASK);
    CHECK_EQ("definition", changes[2].kind, CHANGE_TASKDEF);
    CHECK_EQ("the next revision", changes[3].revision, start + 2);
    CHECK_EQ("gone", changes[3].kind, CHANGE_TASK_GONE);

    CHECK_EQ("whole revisions only", changes_since(&f, start, changes, 3, &complete), 3);
    CHECK("complete", complete);
    CHECK_EQ("a revision that does not fit", changes_since(&f, start, changes, 2, &complete), 0);
    CHECK("is said", !complete);
    CHECK_EQ("nothing new", changes_since(&f, start + 2, changes, 8, &complete), 0);
    CHECK("complete", complete);
    CHECK_EQ("from the future", changes_since(&f, start + 3, changes, 8, &complete), 0);
    CHECK("not complete", !complete);
    fixture_end(&f);
}

static void test_trim(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn;
    int64_t last = 0;
    for (size_t c = 0; c < FEED_REVISIONS + FEED_TRIMMED; c++) {
        txn = store_write_begin(f.store);
        store_put_meta(txn, STR("word"), STR("x"));
        if (!store_write_commit(txn, &last)) { break; }
    }
    struct change changes[1];
    bool complete;
    CHECK_EQ("a reader at the start is too late", changes_since(&f, 0, changes, 1, &complete), 0);
    CHECK("and told so", !complete);
    int64_t oldest = last - FEED_REVISIONS;
    (void)changes_since(&f, oldest + 1, changes, 1, &complete);
    CHECK("one that is not too far behind is not", complete);
    CHECK("opens again", fixture_reopen(&f));
    txn = store_read_begin(f.store);
    CHECK_EQ("the revision goes on", store_revision(txn), last);
    CHECK("read", store_read_end(txn));
    fixture_end(&f);
}

int main(void)
{
    test_what_is_noted();
    test_trim();
    return check_report();
}
