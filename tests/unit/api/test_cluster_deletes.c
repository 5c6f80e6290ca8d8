/* Which callers make clusters, and when a deleted one is forgotten, with its number. */
#include "machines.h"

enum { HOUR_MS = 3600 * 1000, DAY_MS = 24 * HOUR_MS };

static const char *hex_of(struct api_fixture *f, struct id id)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    return text(f, "%s", hex);
}

/* 0: it is forgotten. */
static int64_t number_of(struct api_fixture *f, const char *name)
{
    struct store_txn *txn = store_read_begin(f->store);
    const struct cluster *cluster = store_cluster(txn, str_from(name), &f->kept);
    CHECK("read", store_read_end(txn));
    return cluster == NULL ? 0 : cluster->number;
}

static void check_store(struct api_fixture *f, const char *row)
{
    struct err err = { 0 };
    struct store_txn *txn = store_read_begin(f->store);
    CHECK(row, store_check(txn, &err));
    CHECK_STR(row, str_from(err.message), STR(""));
    CHECK(row, store_read_end(txn));
}

static void test_agents(void)
{
    static const struct { const char *row, *body; enum access_role role; enum err_code code; } rows[] = {
        { "an agent makes no other", "{\"clusterName\":\"other\"}", ACCESS_AGENT, ERR_ACCESS_DENIED },
        { "an admin does", "{\"clusterName\":\"other\"}", ACCESS_ADMIN, ERR_NONE },
        { "an agent finds it", "{\"clusterName\":\"other\"}", ACCESS_AGENT, ERR_NONE },
        { "and makes the default one", "{}", ACCESS_AGENT, ERR_NONE },
        { "also by name", "{\"clusterName\":\"default\"}", ACCESS_AGENT, ERR_NONE },
    };
    struct api_fixture f;
    fixture_open(&f);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        f.caller.role = rows[r].role;
        (void)fixture_call(&f, "CreateCluster", rows[r].body);
        CHECK_EQ(rows[r].row, f.code, rows[r].code);
    }
    f.caller.role = ACCESS_ADMIN;
    (void)fixture_call(&f, "DeleteCluster", "{\"cluster\":\"other\"}");
    f.caller.role = ACCESS_AGENT;
    (void)fixture_call(&f, "CreateCluster", "{\"clusterName\":\"other\"}");
    CHECK_EQ("an agent does not make a deleted cluster again", f.code, ERR_ACCESS_DENIED);
    fixture_close(&f);
}

/* A cluster with a machine and a task that has stopped there, deleted. */
static void use_and_delete(struct api_fixture *f)
{
    cluster_open(f);
    struct id machine = machine_add(f, "a", 0);
    define(f, "f", "", "");
    struct str made = fixture_call(f, "RunTask", "{\"taskDefinition\":\"f\"}");
    report(f, at(f, made, "tasks[0].taskArn"), "STOPPED", "");
    (void)fixture_call(f, "DeregisterContainerInstance", text(f, "{\"containerInstance\":\"%s\"}", hex_of(f, machine)));
    (void)fixture_call(f, "DeleteCluster", "{\"cluster\":\"default\"}");
    CHECK_EQ("deleted", f->code, ERR_NONE);
}

/* The longer of two keeps decides, and the history a day longer. */
static void test_keeps(void)
{
    static const struct { const char *row; int64_t stopped_keep_ms, history_keep_ms, stays_ms, goes_ms; } rows[] = {
        { "a task is kept", 2 * HOUR_MS, 0, 2 * HOUR_MS, 2 * HOUR_MS + 1 },
        { "history is kept", HOUR_MS, (int64_t)3 * DAY_MS, (int64_t)3 * DAY_MS, (int64_t)3 * DAY_MS + 1 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        use_and_delete(&f);
        int64_t deleted_ms = f.now_ms;
        f.config.stopped_task_keep_ms = rows[r].stopped_keep_ms;
        f.config.history_keep_ms = rows[r].history_keep_ms;
        f.config.inactive_instance_keep_ms = 0;
        f.now_ms = deleted_ms + rows[r].stays_ms;
        for (int turns = 0; turns < 3; turns++) { (void)expire(&f, 100); }
        CHECK_EQ(rows[r].row, number_of(&f, "default"), 1);
        check_store(&f, rows[r].row);
        f.now_ms = deleted_ms + rows[r].goes_ms;
        for (int turns = 0; turns < 3; turns++) { (void)expire(&f, 100); }
        CHECK_EQ(rows[r].row, number_of(&f, "default"), 0);
        check_store(&f, rows[r].row);
        CHECK_STR("it is missing", fixture_at(&f, fixture_call(&f, "DescribeClusters", "{}"), "failures[0].reason"), STR("MISSING"));
        (void)fixture_call(&f, "CreateCluster", "{\"clusterName\":\"another\"}");
        CHECK_EQ("its number is given again", number_of(&f, "another"), 1);
        check_store(&f, "made again");
        fixture_close(&f);
    }
}

/* The old number of a name that was made again goes alone; the new one stays. */
static void test_made_anew(void)
{
    struct api_fixture f;
    use_and_delete(&f);
    f.now_ms += 1000;
    (void)fixture_call(&f, "CreateCluster", "{}");
    CHECK_EQ("a new number", number_of(&f, "default"), 2);
    f.config.history_keep_ms = 0;
    f.now_ms += (int64_t)DAY_MS;
    for (int turns = 0; turns < 3; turns++) { (void)expire(&f, 100); }
    CHECK_EQ("it stays", number_of(&f, "default"), 2);
    check_store(&f, "one number less");
    struct store_txn *txn = store_read_begin(f.store);
    CHECK("the old one is gone", store_cluster_by_number(txn, 1, &f.kept) == NULL);
    CHECK("read", store_read_end(txn));
    fixture_close(&f);
}

int main(void)
{
    test_agents();
    test_keeps();
    test_made_anew();
    return check_report();
}
