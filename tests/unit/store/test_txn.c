/* Transactions: revisions, jobs, poison, a full map, and the store after a process ends without a word. */
#include "tests/unit/store/store_fixture.h"

#include <sys/stat.h>
#include <sys/wait.h>

static void test_revisions(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_read_begin(f.store);
    int64_t start = store_revision(txn), revision = -1;
    CHECK("a reader", store_read_end(txn));

    txn = store_write_begin(f.store);
    CHECK_EQ("an empty commit keeps the revision", fixture_commit("empty", txn), start);
    txn = store_write_begin(f.store);
    store_put_meta(txn, STR("a"), STR("1"));
    CHECK_EQ("the next one", fixture_commit("one write", txn), start + 1);

    struct store_txn *reader = store_read_begin(f.store);
    CHECK_EQ("a reader begins", store_revision(reader), start + 1);
    txn = store_write_begin(f.store);
    store_put_meta(txn, STR("a"), STR("2"));
    CHECK_STR("a writer sees its own", store_meta(txn, STR("a"), &f.arena), STR("2"));
    CHECK_STR("a reader does not", store_meta(reader, STR("a"), &f.arena), STR("1"));
    CHECK("commit", store_write_commit(txn, &revision));
    CHECK_STR("nor after the commit", store_meta(reader, STR("a"), &f.arena), STR("1"));
    CHECK_EQ("nor its revision", store_revision(reader), start + 1);
    CHECK("read", store_read_end(reader));

    txn = store_write_begin(f.store);
    store_put_meta(txn, STR("a"), STR("3"));
    store_write_abort(txn);
    reader = store_read_begin(f.store);
    CHECK_STR("an aborted write is gone", store_meta(reader, STR("a"), &f.arena), STR("2"));
    CHECK("unset", !str_is_set(store_meta(reader, STR("b"), &f.arena)));
    CHECK("read", store_read_end(reader));
    fixture_end(&f);
}

static void test_jobs(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    store_job_begin(txn);
    store_put_meta(txn, STR("kept"), STR("yes"));
    CHECK("a job that wrote", store_job_end(txn, true));
    store_job_begin(txn);
    CHECK("a job that was refused", store_job_end(txn, false));
    fixture_commit("both", txn);
    txn = store_read_begin(f.store);
    CHECK_STR("kept", store_meta(txn, STR("kept"), &f.arena), STR("yes"));
    CHECK("read", store_read_end(txn));
    fixture_end(&f);
}

static struct str big_text(char *space, size_t size)
{
    memset(space, 'x', size);
    return (struct str){ space, size };
}

/* A full map refuses writes with a clear word while reads go on; earlier records stay, also in memory. */
static void test_full_map(void)
{
    static char space[64 * 1024];
    struct store_fixture f;
    fixture_begin(&f, 512 * 1024);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default")), revision = 0;
    struct task task = make_task(1, cluster, id_number(1000));
    store_put_task(txn, &task);
    fixture_commit("first", txn);

    txn = store_write_begin(f.store);
    store_job_begin(txn);
    task = make_task(2, cluster, id_number(1000));
    store_put_task(txn, &task);
    CHECK("sound so far", store_txn_problem(txn) == NULL);
    for (char name = 'a'; name <= 'z'; name++) {
        store_put_meta(txn, (struct str){ &name, 1 }, big_text(space, sizeof space));
    }
    CHECK("poisoned", store_txn_problem(txn) != NULL);
    CHECK_STR("in words", str_from(store_txn_problem(txn)), STR("the store's map is full"));
    CHECK("reads find nothing any more", store_cluster(txn, STR("default"), &f.arena) == NULL);
    CHECK("the job is unsound", !store_job_end(txn, true));
    CHECK("the commit is refused", !store_write_commit(txn, &revision));

    txn = store_read_begin(f.store);
    struct id *ids;
    CHECK("an earlier task is there", store_task(txn, id_number(1), &f.arena) != NULL);
    CHECK("a refused one is not", store_task(txn, id_number(2), &f.arena) == NULL);
    CHECK_EQ("nor in memory", store_tasks_on_instance(txn, id_number(1000), &ids, &f.arena), 1);
    CHECK("read", store_read_end(txn));
    fixture_check("after", &f);
    txn = store_write_begin(f.store);
    store_put_meta(txn, STR("small"), STR("1"));
    fixture_commit("a small write still works", txn);
    fixture_end(&f);
}

static void test_reopen(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    struct instance instance = make_instance(1000, cluster);
    store_put_instance(txn, &instance);
    for (uint32_t t = 1; t <= 5; t++) {
        struct task task = make_task(t, cluster, instance.id);
        task.client_token = STR("token");
        if (t == 5) { task_become(&task, TASK_STOPPED, 5); }
        store_put_task(txn, &task);
    }
    int64_t revision = fixture_commit("five", txn);

    CHECK("opens again", fixture_reopen(&f));
    txn = store_read_begin(f.store);
    struct id *ids;
    CHECK_EQ("revision", store_revision(txn), revision);
    CHECK_EQ("tasks on the instance", store_tasks_on_instance(txn, instance.id, &ids, &f.arena), 4);
    CHECK_EQ("tasks by token, stopped too", store_tasks_by_token(txn, cluster, STR("token"), &ids, &f.arena), 5);
    struct cluster_counts counts = store_cluster_counts(txn, cluster);
    CHECK_EQ("live", counts.live_tasks, 4);
    CHECK_EQ("pending", counts.pending, 4);
    CHECK_EQ("instances", counts.instances, 1);
    CHECK("read", store_read_end(txn));
    fixture_check("after", &f);
    fixture_end(&f);
}

/* The child commits, begins another transaction, and ends without closing anything, as a kill would end it. */
static void test_sudden_end(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    store_close(f.store);
    f.store = NULL;
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct err err = { 0 };
        struct store_config config = { .dir = f.dir, .sync = true };
        int64_t revision;
        if (!store_open(&config, &f.store, &err)) { _exit(2); }
        struct store_txn *reader = store_read_begin(f.store);
        struct store_txn *txn = store_write_begin(f.store);
        struct task task = make_task(1, put_cluster(txn, STR("default")), id_number(1000));
        store_put_task(txn, &task);
        if (!store_write_commit(txn, &revision)) { _exit(3); }
        txn = store_write_begin(f.store);
        store_drop_task(txn, task.id);
        _exit(reader != NULL ? 0 : 4);
    }
    int status = -1;
    CHECK("the child ends", waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK_EQ("well", WEXITSTATUS(status), 0);
    CHECK("opens", fixture_open(&f));
    struct store_txn *txn = store_read_begin(f.store);
    CHECK("a committed task is there", store_task(txn, id_number(1), &f.arena) != NULL);
    CHECK("read", store_read_end(txn));
    fixture_check("after", &f);
    txn = store_write_begin(f.store);
    store_drop_task(txn, id_number(1));
    fixture_commit("and can be changed", txn);
    fixture_end(&f);
}

/* `berth keys` beside a running server: another process writes a key, the server's next reader sees it. */
static void test_second_process(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct err err = { 0 };
        struct store *store;
        struct store_config config = { .dir = f.dir, .sync = true };
        int64_t revision;
        char path[64];
        (void)snprintf(path, sizeof path, "%s", f.dir);
        config.dir = path;
        if (!store_open(&config, &store, &err)) { _exit(2); }
        struct store_txn *txn = store_write_begin(store);
        struct access_key key = { .id = STR("AKIAEXAMPLE"), .secret = STR("secret"), .role = ACCESS_ADMIN, .created_ms = 5 };
        store_put_access_key(txn, &key);
        if (!store_write_commit(txn, &revision)) { _exit(3); }
        store_close(store);
        _exit(0);
    }
    int status = -1;
    CHECK("the other process ends", waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK_EQ("well", WEXITSTATUS(status), 0);
    struct store_txn *txn = store_read_begin(f.store);
    const struct access_key *key = store_access_key(txn, STR("AKIAEXAMPLE"), &f.arena);
    CHECK("seen", key != NULL && key->role == ACCESS_ADMIN);
    CHECK("read", store_read_end(txn));
    fixture_end(&f);
}

static int64_t file_size(const struct store_fixture *f)
{
    char path[96];
    struct stat status = { 0 };
    (void)snprintf(path, sizeof path, "%s/data.mdb", f->dir);
    CHECK_EQ("the file is there", stat(path, &status), 0);
    return status.st_size;
}

/* How much larger the file is when something large was written again and again. */
static int64_t growth(const char *row, struct store_fixture *f)
{
    enum { COMMITS = 50, SIZE = 64 * 1024 };
    int64_t before = file_size(f);
    for (int c = 0; c < COMMITS; c++) {
        struct store_txn *txn = store_write_begin(f->store);
        store_put_meta(txn, STR("large"), (struct str){ arena_alloc(&f->arena, 1, SIZE), SIZE });
        (void)fixture_commit(row, txn);
    }
    return file_size(f) - before;
}

/* The pages that `berth doctor` was reading when it was killed are not kept until the server starts again. */
static void test_killed_reader(void)
{
    enum { FEW = 512 * 1024, MANY = 2 * 1024 * 1024 };
    struct store_fixture f;
    fixture_begin(&f, 0);
    CHECK("grows to its size", growth("first", &f) < FEW);
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct store_fixture own = { .map_size = f.map_size };
        memcpy(own.dir, f.dir, sizeof own.dir);
        if (!fixture_open(&own)) { _exit(2); }
        _exit(store_read_begin(own.store) != NULL ? 0 : 3);
    }
    int status = -1;
    CHECK("the child ends", waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK_EQ("while it reads", WEXITSTATUS(status), 0);
    CHECK("grows with each commit", growth("pinned", &f) > MANY);
    store_forget_dead_readers(f.store);
    CHECK("and no more", growth("cleared", &f) < FEW);
    fixture_check("after", &f);
    fixture_end(&f);
}

/* The store that readers leave for the next ones: no pages of the file, nothing that they saw, and place for as many as come at once. */
static void test_readers_again(void)
{
    enum { FEW = 512 * 1024, READERS = 100 };
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *readers[READERS], *txn = store_write_begin(f.store);
    struct cluster cluster = { .name = STR("main"), .status = CLUSTER_ACTIVE };
    store_put_cluster(txn, &cluster);
    struct task task = make_task(7, cluster.number, id_number(1));
    store_put_task(txn, &task);
    (void)fixture_commit("a task", txn);
    for (int64_t round = 1; round <= 3; round++) {
        size_t wrong = 0;
        for (size_t r = 0; r < READERS; r++) { readers[r] = store_read_begin(f.store); }
        for (size_t r = 0; r < READERS; r++) {
            for (uint32_t number = 6; number <= 8; number++) {
                const struct task *seen = store_task(readers[r], id_number(number), &f.arena);
                if (number == 7 ? seen == NULL || seen->version != task.version : seen != NULL) { wrong++; }
            }
            if (!store_read_end(readers[r])) { wrong++; }
        }
        CHECK_EQ("each reader sees the tasks", wrong, 0);
        txn = store_write_begin(f.store);
        task.version++;
        store_put_task(txn, &task);
        (void)fixture_commit("another version", txn);
        CHECK("and holds nothing behind its end", growth("ended", &f) < FEW);
    }
    fixture_check("after", &f);
    fixture_end(&f);
}

static void test_refusals_to_open(void)
{
    struct err err = { 0 };
    struct store *store = NULL;
    struct store_config config = { .dir = "/proc/nowhere/berth" };
    CHECK("a directory that can not be made", !store_open(&config, &store, &err));
    CHECK_EQ("is an error of the server", err.code, ERR_SERVER);
    CHECK("that names it", strstr(err.message, "/proc/nowhere/berth") != NULL);

    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    store_put_meta(txn, STR("format"), STR("999"));
    fixture_commit("a newer format", txn);
    store_close(f.store);
    config.dir = f.dir;
    struct err second = { 0 };
    CHECK("a newer format is refused", !store_open(&config, &f.store, &second));
    CHECK("by name", strstr(second.message, "\"999\"") != NULL);
    f.store = NULL;
    fixture_end(&f);
}

int main(void)
{
    test_revisions();
    test_jobs();
    test_full_map();
    test_reopen();
    test_sudden_end();
    test_second_process();
    test_killed_reader();
    test_readers_again();
    test_refusals_to_open();
    return check_report();
}
