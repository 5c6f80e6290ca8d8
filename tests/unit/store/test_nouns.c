/* Clusters, task definitions, instances and access keys: records, and their lists with every filter. */
#include "store/store_internal.h"
#include "tests/unit/store/store_fixture.h"

static void test_clusters(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    CHECK_EQ("the first number", put_cluster(txn, STR("beta")), 1);
    CHECK_EQ("the second", put_cluster(txn, STR("alpha")), 2);
    struct cluster changed = *store_cluster(txn, STR("beta"), &f.arena);
    changed.status = CLUSTER_INACTIVE;
    store_put_cluster(txn, &changed);
    CHECK_EQ("a number stays", store_cluster(txn, STR("beta"), &f.arena)->number, 1);
    CHECK_EQ("the third", put_cluster(txn, STR("gamma")), 3);
    fixture_commit("three", txn);

    txn = store_read_begin(f.store);
    struct str names[4];
    CHECK_EQ("all", store_list_clusters(txn, (struct str){ NULL, 0 }, names, 4, &f.arena), 3);
    CHECK_STR("in byte order", names[0], STR("alpha"));
    CHECK_EQ("a page", store_list_clusters(txn, (struct str){ NULL, 0 }, names, 2, &f.arena), 2);
    CHECK_EQ("the next", store_list_clusters(txn, names[1], names, 4, &f.arena), 1);
    CHECK_STR("has the rest", names[0], STR("gamma"));
    CHECK_EQ("behind a name that is not there", store_list_clusters(txn, STR("b"), names, 4, &f.arena), 2);
    CHECK_STR("by number", store_cluster_by_number(txn, 3, &f.arena)->name, STR("gamma"));
    CHECK("no such number", store_cluster_by_number(txn, 4, &f.arena) == NULL);
    CHECK("number zero", store_cluster_by_number(txn, 0, &f.arena) == NULL);
    CHECK("no such name", store_cluster(txn, STR("delta"), &f.arena) == NULL);
    char longest[2000];
    memset(longest, 'a', sizeof longest);
    CHECK("no name of that length", store_cluster(txn, (struct str){ longest, sizeof longest }, &f.arena) == NULL);
    CHECK("read", store_read_end(txn));
    fixture_check("after", &f);
    fixture_end(&f);
}

/* Behind the highest number that there can be come those that are free. */
static void test_last_number(void)
{
    struct store_fixture f;
    struct key key;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    CHECK("a key", key_make(&key, TABLE_CLUSTER_NUMBERS, &(struct key_parts){ .cluster = CLUSTERS_MAX - 1 }));
    txn_put(txn, TABLE_CLUSTER_NUMBERS, &key, STR("forgotten"), PUT_ANYWHERE);
    CHECK_EQ("the last one", put_cluster(txn, STR("last")), CLUSTERS_MAX);
    int64_t number = put_cluster(txn, STR("next"));
    CHECK("one that is free", number > 0 && number < CLUSTERS_MAX - 1);
    CHECK_EQ("the highest stays", store_last_cluster_number(txn), CLUSTERS_MAX);
    CHECK("nothing is kept under it", store_cluster_is_past(txn, CLUSTERS_MAX, 0));
    store_drop_cluster(txn, (struct cluster_number){ CLUSTERS_MAX, STR("last") });
    CHECK("it is gone", store_cluster(txn, STR("last"), &f.arena) == NULL);
    store_drop_cluster(txn, (struct cluster_number){ CLUSTERS_MAX - 1, STR("forgotten") });
    CHECK_EQ("then the one behind the last again", put_cluster(txn, STR("then")), number + 1);
    fixture_commit("numbers", txn);
    fixture_check("numbers", &f);
    fixture_end(&f);
}

static void put_taskdef(struct store_txn *txn, struct str family, int64_t revision, enum task_definition_status status)
{
    struct taskdef taskdef = { .def = { .family = family, .revision = opt_int_of(revision), .status = status } };
    store_put_taskdef(txn, &taskdef);
}

static void put_some_taskdefs(struct store_txn *txn)
{
    for (int64_t r = 1; r <= 12; r++) { put_taskdef(txn, STR("web"), r, TASK_DEFINITION_STATUS_ACTIVE); }
    put_taskdef(txn, STR("web-admin"), 1, TASK_DEFINITION_STATUS_ACTIVE);
    put_taskdef(txn, STR("api"), 1, TASK_DEFINITION_STATUS_ACTIVE);
    put_taskdef(txn, STR("old"), 1, TASK_DEFINITION_STATUS_INACTIVE);
    put_taskdef(txn, STR("dying"), 1, TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS);
    put_taskdef(txn, STR("web"), 12, TASK_DEFINITION_STATUS_INACTIVE);
}

static void test_taskdef_lists(void)
{
    static const struct {
        const char *name; struct str family; enum task_definition_status status; bool descending; struct taskdef_name after;
        size_t limit, want; struct taskdef_name first, last;
    } rows[] = {
        { "all active",   { NULL, 0 }, TASK_DEFINITION_STATUS_ACTIVE, false, { { NULL, 0 }, 0 }, 20, 13,
          { STR_INIT("api"), 1 }, { STR_INIT("web-admin"), 1 } },
        { "numerically",  STR_INIT("web"), TASK_DEFINITION_STATUS_ACTIVE, false, { { NULL, 0 }, 0 }, 20, 11,
          { STR_INIT("web"), 1 }, { STR_INIT("web"), 11 } },
        { "newest first", STR_INIT("web"), TASK_DEFINITION_STATUS_ACTIVE, true, { { NULL, 0 }, 0 }, 20, 11,
          { STR_INIT("web"), 11 }, { STR_INIT("web"), 1 } },
        { "all, backwards", { NULL, 0 }, TASK_DEFINITION_STATUS_ACTIVE, true, { { NULL, 0 }, 0 }, 20, 13,
          { STR_INIT("web-admin"), 1 }, { STR_INIT("api"), 1 } },
        { "second page",  { NULL, 0 }, TASK_DEFINITION_STATUS_ACTIVE, false, { STR_INIT("web"), 10 }, 20, 2,
          { STR_INIT("web"), 11 }, { STR_INIT("web-admin"), 1 } },
        { "second page backwards", { NULL, 0 }, TASK_DEFINITION_STATUS_ACTIVE, true, { STR_INIT("web"), 2 }, 20, 2,
          { STR_INIT("web"), 1 }, { STR_INIT("api"), 1 } },
        { "page behind one that changed its status", STR_INIT("web"), TASK_DEFINITION_STATUS_ACTIVE, true,
          { STR_INIT("web"), 12 }, 1, 1, { STR_INIT("web"), 11 }, { STR_INIT("web"), 11 } },
        { "inactive",     { NULL, 0 }, TASK_DEFINITION_STATUS_INACTIVE, false, { { NULL, 0 }, 0 }, 20, 2,
          { STR_INIT("old"), 1 }, { STR_INIT("web"), 12 } },
        { "inactive, backwards", { NULL, 0 }, TASK_DEFINITION_STATUS_INACTIVE, true, { { NULL, 0 }, 0 }, 20, 2,
          { STR_INIT("web"), 12 }, { STR_INIT("old"), 1 } },
        { "the last status, backwards", { NULL, 0 }, TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS, true, { { NULL, 0 }, 0 }, 20, 1,
          { STR_INIT("dying"), 1 }, { STR_INIT("dying"), 1 } },
        { "no such family", STR_INIT("we"), TASK_DEFINITION_STATUS_ACTIVE, false, { { NULL, 0 }, 0 }, 20, 0, { { NULL, 0 }, 0 },
          { { NULL, 0 }, 0 } },
    };
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    put_some_taskdefs(txn);
    fixture_commit("definitions", txn);
    txn = store_read_begin(f.store);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct taskdef_name names[20];
        size_t count = store_list_taskdefs(txn, rows[r].family, rows[r].status, rows[r].descending, rows[r].after, names,
                                           rows[r].limit, &f.arena);
        CHECK_EQ(rows[r].name, count, rows[r].want);
        if (count == 0 || count != rows[r].want) { continue; }
        CHECK_STR(rows[r].name, names[0].family, rows[r].first.family);
        CHECK_EQ(rows[r].name, names[0].revision, rows[r].first.revision);
        CHECK_STR(rows[r].name, names[count - 1].family, rows[r].last.family);
        CHECK_EQ(rows[r].name, names[count - 1].revision, rows[r].last.revision);
    }
    CHECK("read", store_read_end(txn));
    fixture_end(&f);
}

static void test_families(void)
{
    static const struct {
        const char *name; struct str prefix; enum family_filter filter; struct str after; size_t want; struct str first;
    } rows[] = {
        { "any",               { NULL, 0 },       FAMILY_ANY,      { NULL, 0 },     4, STR_INIT("api") },
        { "active",            { NULL, 0 },       FAMILY_ACTIVE,   { NULL, 0 },     3, STR_INIT("api") },
        { "only inactive",     { NULL, 0 },       FAMILY_INACTIVE, { NULL, 0 },     1, STR_INIT("old") },
        { "prefix",            STR_INIT("web"),   FAMILY_ANY,      { NULL, 0 },     2, STR_INIT("web") },
        { "prefix and behind", STR_INIT("web"),   FAMILY_ANY,      STR_INIT("web"), 1, STR_INIT("web-admin") },
        { "behind a lesser",   STR_INIT("web"),   FAMILY_ANY,      STR_INIT("api"), 2, STR_INIT("web") },
        { "behind the last",   { NULL, 0 },       FAMILY_ANY,      STR_INIT("x"),   0, { NULL, 0 } },
        { "being deleted",     STR_INIT("dying"), FAMILY_ANY,      { NULL, 0 },     0, { NULL, 0 } },
    };
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    put_some_taskdefs(txn);
    fixture_commit("definitions", txn);
    txn = store_read_begin(f.store);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str names[8];
        size_t count = store_list_families(txn, rows[r].prefix, rows[r].filter, rows[r].after, names, 8, &f.arena);
        CHECK_EQ(rows[r].name, count, rows[r].want);
        if (count > 0) { CHECK_STR(rows[r].name, names[0], rows[r].first); }
    }
    CHECK("read", store_read_end(txn));
    fixture_end(&f);
}

static void test_revision_counter(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    CHECK_EQ("a new family", store_next_revision(txn, STR("web")), 1);
    put_some_taskdefs(txn);
    CHECK_EQ("after twelve", store_next_revision(txn, STR("web")), 13);
    CHECK_EQ("latest active", store_latest_active_revision(txn, STR("web")), 11);
    CHECK_EQ("none active", store_latest_active_revision(txn, STR("old")), 0);
    CHECK_EQ("none at all", store_latest_active_revision(txn, STR("we")), 0);
    store_drop_taskdef(txn, STR("dying"), 1);
    store_drop_taskdef(txn, STR("dying"), 1);
    CHECK("gone", store_taskdef(txn, STR("dying"), 1, &f.arena) == NULL);
    CHECK_EQ("its counter stays", store_next_revision(txn, STR("dying")), 2);
    const struct taskdef *got = store_taskdef(txn, STR("web"), 12, &f.arena);
    CHECK("any status is found", got != NULL && got->def.status == TASK_DEFINITION_STATUS_INACTIVE);
    CHECK("revision zero is not", store_taskdef(txn, STR("web"), 0, &f.arena) == NULL);
    fixture_commit("definitions", txn);
    fixture_check("after", &f);
    fixture_end(&f);
}

/* ---- of daemons ---- */

static void put_daemon_taskdef(struct store_txn *txn, struct str family, int64_t revision, enum daemon_task_definition_status status)
{
    struct daemon_taskdef taskdef = { .def = { .family = family, .revision = opt_int_of(revision), .status = status } };
    store_put_daemon_taskdef(txn, &taskdef);
}

/* log:1..3, log-all:1..2, net:1; the last of net is DELETED, as is log:3. */
static void put_some_daemon_taskdefs(struct store_txn *txn)
{
    for (int64_t r = 1; r <= 3; r++) { put_daemon_taskdef(txn, STR("log"), r, DAEMON_TASK_DEFINITION_STATUS_ACTIVE); }
    for (int64_t r = 1; r <= 2; r++) { put_daemon_taskdef(txn, STR("log-all"), r, DAEMON_TASK_DEFINITION_STATUS_ACTIVE); }
    for (int64_t r = 1; r <= 2; r++) { put_daemon_taskdef(txn, STR("net"), r, DAEMON_TASK_DEFINITION_STATUS_ACTIVE); }
    put_daemon_taskdef(txn, STR("log"), 3, DAEMON_TASK_DEFINITION_STATUS_DELETED);
    put_daemon_taskdef(txn, STR("net"), 2, DAEMON_TASK_DEFINITION_STATUS_DELETED);
}

static void test_daemon_taskdef_lists(void)
{
    enum { ANY = DAEMON_TASK_DEFINITION_STATUS_UNSET, ACTIVE = DAEMON_TASK_DEFINITION_STATUS_ACTIVE, DELETED = DAEMON_TASK_DEFINITION_STATUS_DELETED };
    static const struct {
        const char *name; const char *family; int status; bool exact, latest, descending; struct taskdef_name after; size_t limit; const char *want;
    } rows[] = {
        { "active",                      "",     ACTIVE,  false, false, false, { { NULL, 0 }, 0 },          9, "log:1 log:2 log-all:1 log-all:2 net:1 " },
        { "of any status",               "",     ANY,     false, false, false, { { NULL, 0 }, 0 },          9, "log:1 log:2 log:3 log-all:1 log-all:2 net:1 net:2 " },
        { "deleted",                     "",     DELETED, false, false, false, { { NULL, 0 }, 0 },          9, "log:3 net:2 " },
        { "backwards",                   "",     ACTIVE,  false, false, true,  { { NULL, 0 }, 0 },          9, "net:1 log-all:2 log-all:1 log:2 log:1 " },
        { "any status, backwards",       "",     ANY,     false, false, true,  { { NULL, 0 }, 0 },          9, "net:2 net:1 log-all:2 log-all:1 log:3 log:2 log:1 " },
        { "a prefix",                    "lo",   ACTIVE,  false, false, false, { { NULL, 0 }, 0 },          9, "log:1 log:2 log-all:1 log-all:2 " },
        { "a prefix that is a family",   "log",  ACTIVE,  false, false, false, { { NULL, 0 }, 0 },          9, "log:1 log:2 log-all:1 log-all:2 " },
        { "a prefix, backwards",         "lo",   ANY,     false, false, true,  { { NULL, 0 }, 0 },          9, "log-all:2 log-all:1 log:3 log:2 log:1 " },
        { "a prefix of none",            "x",    ANY,     false, false, true,  { { NULL, 0 }, 0 },          9, "" },
        { "a family",                    "log",  ACTIVE,  true,  false, false, { { NULL, 0 }, 0 },          9, "log:1 log:2 " },
        { "a family, any status",        "log",  ANY,     true,  false, true,  { { NULL, 0 }, 0 },          9, "log:3 log:2 log:1 " },
        { "a part of a family's name",   "lo",   ANY,     true,  false, false, { { NULL, 0 }, 0 },          9, "" },
        { "latest",                      "",     ACTIVE,  false, true,  false, { { NULL, 0 }, 0 },          9, "log:2 log-all:2 net:1 " },
        { "latest of any status",        "",     ANY,     false, true,  false, { { NULL, 0 }, 0 },          9, "log:3 log-all:2 net:2 " },
        { "latest, backwards",           "",     ACTIVE,  false, true,  true,  { { NULL, 0 }, 0 },          9, "net:1 log-all:2 log:2 " },
        { "latest of a family",          "log",  ACTIVE,  true,  true,  true,  { { NULL, 0 }, 0 },          9, "log:2 " },
        { "latest with a prefix",        "log",  ANY,     false, true,  true,  { { NULL, 0 }, 0 },          9, "log-all:2 log:3 " },
        { "the second page",             "",     ACTIVE,  false, false, false, { STR_INIT("log"), 2 },      2, "log-all:1 log-all:2 " },
        { "the second page, backwards",  "",     ANY,     false, false, true,  { STR_INIT("log-all"), 2 },  2, "log-all:1 log:3 " },
        { "the second page of latest",   "",     ACTIVE,  false, true,  false, { STR_INIT("log"), 1 },      9, "log-all:2 net:1 " },
        { "backwards",                   "",     ACTIVE,  false, true,  true,  { STR_INIT("log-all"), 2 },  9, "log:2 " },
        { "behind the last",             "",     ANY,     false, false, false, { STR_INIT("net"), 2 },      9, "" },
        { "before the first",            "",     ANY,     false, true,  true,  { STR_INIT("log"), 1 },      9, "" },
    };
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    put_some_daemon_taskdefs(txn);
    put_taskdef(txn, STR("log"), 7, TASK_DEFINITION_STATUS_ACTIVE);
    fixture_commit("definitions", txn);
    txn = store_read_begin(f.store);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct taskdef_name names[9];
        struct buf got = buf_in(&f.arena);
        const struct daemon_taskdef_filter filter = {
            str_from(rows[r].family), (enum daemon_task_definition_status)rows[r].status, rows[r].exact, rows[r].latest, rows[r].descending,
        };
        size_t count = store_list_daemon_taskdefs(txn, &filter, rows[r].after, names, rows[r].limit, &f.arena);
        for (size_t n = 0; n < count; n++) { buf_printf(&got, STR_FMT ":%d ", STR_ARG(names[n].family), (int)names[n].revision); }
        CHECK_STR(rows[r].name, buf_str(&got), str_from(rows[r].want));
    }
    CHECK("read", store_read_end(txn));
    fixture_check("after", &f);
    fixture_end(&f);
}

static void test_daemon_taskdefs(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    put_some_taskdefs(txn);
    CHECK_EQ("a new family", store_next_daemon_revision(txn, STR("log")), 1);
    CHECK_EQ("not one of tasks", store_next_daemon_revision(txn, STR("web")), 1);
    put_some_daemon_taskdefs(txn);
    CHECK_EQ("nor the reverse", store_next_revision(txn, STR("log")), 1);
    CHECK_EQ("after three", store_next_daemon_revision(txn, STR("log")), 4);
    CHECK_EQ("latest active", store_latest_daemon_revision(txn, STR("log")), 2);
    CHECK_EQ("none of that name", store_latest_daemon_revision(txn, STR("lo")), 0);
    CHECK_EQ("no name", store_latest_daemon_revision(txn, STR("")), 0);
    store_drop_daemon_taskdef(txn, STR("log"), 3);
    store_drop_daemon_taskdef(txn, STR("log"), 3);
    CHECK("gone", store_daemon_taskdef(txn, STR("log"), 3, &f.arena) == NULL);
    CHECK_EQ("its counter stays", store_next_daemon_revision(txn, STR("log")), 4);
    CHECK("revision zero is not there", store_daemon_taskdef(txn, STR("log"), 0, &f.arena) == NULL);

    struct container_definition container = { .name = STR("main"), .image = STR("i"), .memory = opt_int_of(64) };
    struct tag tag = { STR("k"), STR("v") };
    struct daemon_taskdef full = {
        .def = { .family = STR("full"), .revision = opt_int_of(1), .status = DAEMON_TASK_DEFINITION_STATUS_ACTIVE, .container_definitions = { &container, 1 },
                 .pid_mode = DAEMON_PID_MODE_SHARED, .registered_at = 7 },
        .tags = { &tag, 1 },
    };
    store_put_daemon_taskdef(txn, &full);
    fixture_commit("definitions", txn);
    CHECK("opens again", fixture_reopen(&f));
    txn = store_read_begin(f.store);
    const struct daemon_taskdef *got = store_daemon_taskdef(txn, STR("full"), 1, &f.arena);
    bool whole = got != NULL && got->def.container_definitions.count == 1 && got->tags.count == 1;
    CHECK("with its container and its tag", whole);
    if (whole) { CHECK_STR("the container", got->def.container_definitions.items[0].name, container.name); }
    CHECK("its modes and times", whole && got->def.pid_mode == DAEMON_PID_MODE_SHARED && got->def.ipc_mode == DAEMON_IPC_MODE_UNSET && got->def.registered_at == 7);
    CHECK("read", store_read_end(txn));
    fixture_check("after", &f);
    fixture_end(&f);
}

static void test_instances(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default")), other = put_cluster(txn, STR("other"));
    for (uint32_t i = 1; i <= 6; i++) {
        struct instance instance = make_instance(i, i == 6 ? other : cluster);
        if (i == 2) { instance.status = INSTANCE_DRAINING; }
        if (i == 3) { instance.status = INSTANCE_INACTIVE; }
        store_put_instance(txn, &instance);
    }
    struct instance changed = make_instance(4, cluster);
    changed.status = INSTANCE_DRAINING;
    store_put_instance(txn, &changed);
    changed.status = INSTANCE_INACTIVE;
    store_put_instance(txn, &changed);
    fixture_commit("six", txn);

    const struct { const char *name; enum instance_status status; size_t want; } rows[] = {
        { "any that is there", INSTANCE_STATUS_UNSET, 3 }, { "active",   INSTANCE_ACTIVE,   2 },
        { "draining",          INSTANCE_DRAINING,     1 }, { "inactive", INSTANCE_INACTIVE, 2 },
        { "registering",       INSTANCE_REGISTERING,  0 },
    };
    txn = store_read_begin(f.store);
    struct id ids[8];
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_EQ(rows[r].name, store_list_instances(txn, cluster, rows[r].status, (struct id){ { 0 } }, ids, 8), rows[r].want);
    }
    CHECK_EQ("a page", store_list_instances(txn, cluster, INSTANCE_STATUS_UNSET, (struct id){ { 0 } }, ids, 2), 2);
    CHECK_EQ("the next", store_list_instances(txn, cluster, INSTANCE_STATUS_UNSET, ids[1], ids, 2), 1);
    CHECK_EQ("the last page ends at the cluster", store_list_instances(txn, cluster, INSTANCE_STATUS_UNSET, ids[0], ids, 2), 0);
    CHECK_EQ("counted", store_cluster_counts(txn, cluster).instances, 3);
    CHECK_EQ("elsewhere", store_cluster_counts(txn, other).instances, 1);
    const struct instance *got = store_instance(txn, id_number(4), &f.arena);
    CHECK("found", got != NULL && got->status == INSTANCE_INACTIVE && id_eq(got->id, id_number(4)));
    CHECK("read", store_read_end(txn));
    fixture_check("after", &f);
    fixture_end(&f);
}

static void test_access_keys(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    for (char last = 'a'; last < 'a' + 20; last++) {
        char id[] = "AKIAEXAMPLE?";
        id[sizeof id - 2] = last;
        struct access_key key = { .id = str_from(id), .secret = STR("s"), .user = STR("u"), .role = ACCESS_AGENT };
        store_put_access_key(txn, &key);
    }
    struct access_key key = {
        .id = STR("AKIAEXAMPLEa"), .secret = STR("s"), .role = ACCESS_AGENT, .revoked_ms = 5, .binding = { STR("prod"), STR("gpu-1") },
    };
    store_put_access_key(txn, &key);
    fixture_commit("twenty", txn);
    txn = store_read_begin(f.store);
    struct access_key_list keys;
    CHECK_EQ("all", store_list_access_keys(txn, &keys, &f.arena), 20);
    CHECK_STR("in order", keys.items[19].id, STR("AKIAEXAMPLEt"));
    CHECK_EQ("put again", keys.items[0].revoked_ms, 5);
    CHECK_STR("its cluster", keys.items[0].binding.cluster, STR("prod"));
    CHECK_STR("its machine", keys.items[0].binding.instance, STR("gpu-1"));
    CHECK_EQ("bound to nothing", keys.items[1].binding.cluster.len + keys.items[1].binding.instance.len, 0);
    CHECK("no such key", store_access_key(txn, STR("AKIA"), &f.arena) == NULL);
    CHECK("read", store_read_end(txn));
    fixture_check("after", &f);
    fixture_end(&f);
}

static void test_account_settings(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct pair values[] = { { STR("awsvpcTrunking"), STR("enabled") }, { STR("containerInsights"), STR("enhanced") } };
    struct account_settings root = { STR("arn:aws:iam::123456789012:root"), { values, 2 } };
    struct account_settings user = { STR("arn:aws:iam::123456789012:user/a"), { values, 1 } };
    struct store_txn *txn = store_write_begin(f.store);
    store_put_account_settings(txn, &root);
    store_put_account_settings(txn, &user);
    fixture_commit("two principals", txn);
    CHECK("opens again", fixture_reopen(&f));

    txn = store_read_begin(f.store);
    const struct account_settings *read = store_account_settings(txn, root.principal, &f.arena);
    CHECK("there", read != NULL && read->values.count == 2);
    CHECK_STR("the second value", read->values.items[1].value, STR("enhanced"));
    CHECK("another principal", store_account_settings(txn, STR("arn:aws:iam::123456789012:user/b"), &f.arena) == NULL);
    CHECK("read", store_read_end(txn));
    fixture_check("after", &f);

    user.values.count = 0;
    txn = store_write_begin(f.store);
    store_put_account_settings(txn, &user);
    CHECK("without values it is forgotten", store_account_settings(txn, user.principal, &f.arena) == NULL);
    store_put_account_settings(txn, &user);
    fixture_commit("forgotten twice", txn);
    fixture_check("at the end", &f);
    fixture_end(&f);
}

static struct task made_task(uint32_t number, int64_t cluster, int64_t revision, int64_t created_ms, enum task_status status)
{
    return (struct task){ .id = id_number(number), .cluster_number = cluster, .family = STR("web"), .revision = revision,
                          .last_status = status, .desired_status = status, .created_ms = created_ms, .stopped_ms = created_ms };
}

static void test_taskdef_is_used(void)
{
    static const struct { const char *name; const char *family; int64_t revision, before_ms; size_t budget; bool want; size_t left; } rows[] = {
        { "a running task",                      "web",  1, 1000, 9, true,  8 },
        { "a stopped task of another cluster",   "web",  2, 1000, 9, true,  7 },
        { "no task of the revision",             "web",  3, 1000, 9, false, 6 },
        { "no task of the family",               "webs", 1, 1000, 9, false, 9 },
        { "only tasks that are younger",         "web",  1, 100,  9, false, 7 },
        { "a task just old enough",              "web",  1, 101,  9, true,  8 },
        { "the budget ends with the answer",     "web",  2, 1000, 2, true,  0 },
        { "the budget ends before the answer",   "web",  3, 1000, 2, true,  0 },
        { "no budget",                           "web",  3, 1000, 0, true,  0 },
    };
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t first = put_cluster(txn, STR("one")), second = put_cluster(txn, STR("two"));
    const struct task tasks[] = {
        made_task(1, first, 1, 100, TASK_RUNNING), made_task(2, second, 2, 100, TASK_STOPPED), made_task(3, second, 4, 200, TASK_STOPPED),
    };
    for (size_t t = 0; t < COUNT_OF(tasks); t++) { store_put_task(txn, &tasks[t]); }
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        size_t budget = rows[r].budget;
        CHECK_EQ(rows[r].name, store_taskdef_is_used(txn, str_from(rows[r].family), rows[r].revision, rows[r].before_ms, &budget), rows[r].want);
        CHECK_EQ(rows[r].name, budget, rows[r].left);
    }
    fixture_commit("three tasks", txn);
    fixture_end(&f);
}

int main(void)
{
    test_account_settings();
    test_taskdef_is_used();
    test_clusters();
    test_last_number();
    test_taskdef_lists();
    test_families();
    test_revision_counter();
    test_daemon_taskdef_lists();
    test_daemon_taskdefs();
    test_instances();
    test_access_keys();
    return check_report();
}
