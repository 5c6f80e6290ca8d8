/* Torture: each of a row of requests is run while the n-th call of one kind fails, for n = 1, 2, 3 … until it goes through unfailed. Each failure must be
 * answered with a clear error, leave the store as it was and sound, and the world in memory as one that is loaded again from the store; and the request
 * must go through when nothing fails any more.
 * The calls that fail are those to LMDB, those of LMDB to the system, the pages that the map still has, and a request's limit of memory. A malloc that
 * gives nothing is not among them: by base/arena.h the process ends then. */
#include <errno.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "base/log.h"
#include "server/front/services.h"
#include "server/writing/writer.h"
#include "tests/unit/server/server_fixture.h"

/* ---- what fails ---- */

enum fault { FAULT_NONE, FAULT_CHANGE, FAULT_READ, FAULT_READS, FAULT_COMMIT, FAULT_DISK, FAULT_MEMORY, FAULT_COUNT };
static const struct { const char *name; bool lasts; } faults[FAULT_COUNT] = {        /* lasts: the calls behind the n-th fail too */
    { "nothing", false }, { "a change", false }, { "a read", false }, { "every read", true }, { "a commit", false }, { "the disk", true },
    { "the memory of a request", false },
};
static struct { atomic_int kind, calls_left; } armed;      /* 0 calls left: it has failed */

static bool fails(enum fault kind)
{
    if (atomic_load(&armed.kind) != (int)kind) { return false; }
    if (atomic_load(&armed.calls_left) == 0) { return faults[kind].lasts; }
    return atomic_fetch_sub(&armed.calls_left, 1) == 1;
}

static bool change_fails(void) { return fails(FAULT_CHANGE); }
static bool read_fails(void) { return fails(FAULT_READ) || fails(FAULT_READS); }

static void arm(enum fault kind, int nth)
{
    atomic_store(&armed.calls_left, nth);
    atomic_store(&armed.kind, (int)kind);
}

/* Whether it has failed. */
static bool disarm(void)
{
    atomic_store(&armed.kind, FAULT_NONE);
    return atomic_load(&armed.calls_left) == 0;
}

/* The linker leads the calls to LMDB here: tests/CMakeLists.txt. */
#define WRAP(fails_now, name, parameters, arguments) \
    int __real_##name parameters; \
    int __wrap_##name parameters; \
    int __wrap_##name parameters { return fails_now() ? EIO : __real_##name arguments; }
WRAP(change_fails, mdb_put, (void *txn, unsigned table, void *key, void *data, unsigned flags), (txn, table, key, data, flags))
WRAP(change_fails, mdb_del, (void *txn, unsigned table, void *key, void *data), (txn, table, key, data))
WRAP(change_fails, mdb_cursor_put, (void *cursor, void *key, void *data, unsigned flags), (cursor, key, data, flags))
WRAP(change_fails, mdb_cursor_del, (void *cursor, unsigned flags), (cursor, flags))
WRAP(read_fails, mdb_txn_begin, (void *env, void *parent, unsigned flags, void **txn), (env, parent, flags, txn))
WRAP(read_fails, mdb_get, (void *txn, unsigned table, void *key, void *data), (txn, table, key, data))
WRAP(read_fails, mdb_cursor_open, (void *txn, unsigned table, void **cursor), (txn, table, cursor))
WRAP(read_fails, mdb_cursor_get, (void *cursor, void *key, void *data, int op), (cursor, key, data, op))

void mdb_txn_abort(void *txn);
int __real_mdb_txn_commit(void *txn);
int __wrap_mdb_txn_commit(void *txn);
int __wrap_mdb_txn_commit(void *txn)
{
    if (!fails(FAULT_COMMIT)) { return __real_mdb_txn_commit(txn); }
    mdb_txn_abort(txn);
    return ENOSPC;
}

bool __real_arena_exhausted(const struct arena *arena);
bool __wrap_arena_exhausted(const struct arena *arena);
bool __wrap_arena_exhausted(const struct arena *arena) { return fails(FAULT_MEMORY) || __real_arena_exhausted(arena); }

/* LMDB writes its file with these. */
static bool disk_fails(int error)
{
    if (!fails(FAULT_DISK)) { return false; }
    errno = error;
    return true;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return disk_fails(ENOSPC) ? -1 : (ssize_t)syscall(SYS_pwrite64, fd, bytes, count, at); }
ssize_t writev(int fd, const struct iovec *parts, int count)      { return disk_fails(ENOSPC) ? -1 : (ssize_t)syscall(SYS_writev, fd, parts, count); }
int fdatasync(int fd)                                             { return disk_fails(EIO) ? -1 : (int)syscall(SYS_fdatasync, fd); }

/* ---- the requests ---- */

struct torture {
    char dir[FIXTURE_PATH_MAX];
    struct store *store;
    struct api_config api;
    struct writer *writer;
    char machine[128], task[128];            /* ARNs */
    struct id instance;
    int64_t failures;
    atomic_int effects;                      /* that have left */
};

enum { KEEP_MS = 1, TRIES_MAX = 500, PAGE_BYTES = 4096 };
static const struct caller admin = { .access_key = STR_INIT(ADMIN_ID), .user = STR_INIT("admin"), .role = ACCESS_ADMIN };
static const struct seal_key secret_key = { { 7, 7, 7 } };

static void on_commit(void *context, int64_t revision)
{
    (void)context;
    (void)revision;
}

static void on_effects(void *context, const struct effect_list *effects)
{
    struct torture *t = context;
    atomic_fetch_add(&t->effects, (int)effects->count);
}

static void open_server(struct torture *t, size_t map_size)
{
    struct err err = { 0 };
    struct store_config config = { .dir = t->dir, .map_size = map_size, .sync = true };
    bool opened = store_open(&config, &t->store, &err);
    if (!opened) { fprintf(stderr, "store: %s\n", err.message); }
    ASSERT(opened);
    struct writer_config writer = { .store = t->store, .api = &t->api, .queue_max = 4, .committed = on_commit, .effects = on_effects,
                                    .context = t };
    t->writer = writer_start(&writer, &err);
    ASSERT(t->writer != NULL && writer_ready(t->writer, &err));
}

static void close_server(struct torture *t)
{
    writer_stop(t->writer);
    store_close(t->store);
}

/* ---- the requests ---- */

static void learn_machine(struct torture *t, const struct json *reply)
{
    struct str arn = json_get_str(json_get(reply, STR("containerInstance")), STR("containerInstanceArn"));
    ASSERT(str_to_cstr(arn, t->machine, sizeof t->machine));
    ASSERT(id_parse(str_slice(arn, arn.len - ID_HEX_LEN, arn.len), &t->instance));
}

static void learn_task(struct torture *t, const struct json *reply)
{
    const struct json *tasks = json_get(reply, STR("tasks"));
    ASSERT(tasks != NULL && tasks->count == 2);
    ASSERT(str_to_cstr(json_get_str(&tasks->as.items[0], STR("taskArn")), t->task, sizeof t->task));
}

static bool presence(struct torture *t, struct arena *arena, struct api_call *call, struct err *err)
{
    (void)err;
    struct agent_presence *input = ARENA_NEW(arena, struct agent_presence, 1);
    *input = (struct agent_presence){ .instance = t->instance, .lease_ms = 60000 };
    api_prepare_presence(input, arena, call);
    return true;
}

static struct machine_batch *the_machine(struct torture *t, struct arena *arena)
{
    struct machine_batch *batch = ARENA_NEW(arena, struct machine_batch, 1);
    *batch = (struct machine_batch){ &t->instance, 1, 10 };
    return batch;
}

static bool absence(struct torture *t, struct arena *arena, struct api_call *call, struct err *err)
{
    (void)err;
    api_prepare_absence(the_machine(t, arena), arena, call);
    return true;
}

static bool fence(struct torture *t, struct arena *arena, struct api_call *call, struct err *err)
{
    (void)err;
    api_prepare_fence(the_machine(t, arena), arena, call);
    return true;
}

static bool reports(struct torture *t, struct arena *arena, struct api_call *call, struct err *err)
{
    struct str body = arena_printf(arena, "{\"reports\":[{\"task\":\"%s\",\"status\":\"RUNNING\",\"containers\":[{\"containerName\":\"main\","
                                          "\"status\":\"RUNNING\"}]}]}", t->task);
    return api_prepare_reports(body, arena, call, err);
}

static bool faulty_gpu(struct torture *t, struct arena *arena, struct api_call *call, struct err *err)
{
    struct str body = arena_printf(arena, "{\"containerInstance\":\"%s\",\"status\":\"IMPAIRED\",\"gpus\":[{\"uuid\":\"GPU-0\",\"reason\":\"Xid 79\","
                                          "\"since\":1,\"gone\":true}]}", t->machine);
    return api_prepare_health(&t->api, body, arena, call, err);
}

/* Records past their keep go: tasks, the history, the definition, the machine. */
static bool trim(struct torture *t, struct arena *arena, struct api_call *call, struct err *err)
{
    (void)t;
    (void)err;
    (void)usleep(10 * KEEP_MS * 1000);
    struct expire_tasks *input = ARENA_NEW(arena, struct expire_tasks, 1);
    input->limit = 100;
    api_prepare_expire(input, arena, call);
    return true;
}

/* Either an operation with its body, where $MACHINE and $TASK are ARNs; or a request of the server's own. */
struct request {
    const char *name, *operation, *body;
    bool (*prepare)(struct torture *t, struct arena *arena, struct api_call *call, struct err *err);
    void (*learn)(struct torture *t, const struct json *reply);
};

#define GPUS "\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"1\"}]"
static const struct request requests[] = {
    { "a cluster", "CreateCluster", "{}", NULL, NULL },
    { "a setting", "PutAccountSetting", "{\"name\":\"containerInsights\",\"value\":\"enabled\"}", NULL, NULL },
    { "a definition", "RegisterTaskDefinition", "{\"family\":\"train\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"i\",\"memory\":64," GPUS "}]}",
      NULL, NULL },
    { "a machine", "RegisterContainerInstance", "{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":4096},{\"name\":\"MEMORY\","
      "\"type\":\"INTEGER\",\"integerValue\":8192}],\"platformDevices\":[{\"id\":\"GPU-0\",\"type\":\"GPU\"},{\"id\":\"GPU-1\",\"type\":\"GPU\"},"
      "{\"id\":\"GPU-2\",\"type\":\"GPU\"}]}", NULL, learn_machine },
    { "a machine whose agent comes", NULL, NULL, presence, NULL },
    { "a gang", "RunTask", "{\"taskDefinition\":\"train\",\"count\":2,\"startedBy\":\"me\",\"clientToken\":\"once\",\"tags\":[{\"key\":\"berth:gang\","
      "\"value\":\"true\"}]}", NULL, learn_task },
    { "reports of a task that runs", NULL, NULL, reports, NULL },
    { "tags", "TagResource", "{\"resourceArn\":\"$TASK\",\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]}", NULL, NULL },
    { "attributes", "PutAttributes", "{\"attributes\":[{\"name\":\"rack\",\"value\":\"7\",\"targetType\":\"container-instance\",\"targetId\":\"$MACHINE\"}]}",
      NULL, NULL },
    { "a machine that is registered again", "RegisterContainerInstance", "{\"containerInstanceArn\":\"$MACHINE\",\"totalResources\":[{\"name\":\"CPU\","
      "\"type\":\"INTEGER\",\"integerValue\":4096},{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":8192}],\"platformDevices\":[{\"id\":\"GPU-0\","
      "\"type\":\"GPU\"},{\"id\":\"GPU-1\",\"type\":\"GPU\"},{\"id\":\"GPU-2\",\"type\":\"GPU\"},{\"id\":\"GPU-3\",\"type\":\"GPU\"}]}", NULL, NULL },
    { "a stop", "StopTask", "{\"task\":\"$TASK\",\"reason\":\"enough\"}", NULL, NULL },
    { "a GPU that is gone", NULL, NULL, faulty_gpu, NULL },
    { "a report of a task that has stopped", "SubmitTaskStateChange", "{\"task\":\"$TASK\",\"status\":\"STOPPED\",\"containers\":[{\"containerName\":\"main\","
      "\"status\":\"STOPPED\",\"exitCode\":0}]}", NULL, NULL },
    { "a secret", "secretsmanager.CreateSecret", "{\"Name\":\"s\",\"SecretString\":\"x\"}", NULL, NULL },
    { "another value of a secret", "secretsmanager.PutSecretValue", "{\"SecretId\":\"s\",\"SecretString\":\"y\"}", NULL, NULL },
    { "a secret that goes", "secretsmanager.DeleteSecret", "{\"SecretId\":\"s\",\"ForceDeleteWithoutRecovery\":true}", NULL, NULL },
    { "a parameter", "AmazonSSM.PutParameter", "{\"Name\":\"/p\",\"Value\":\"x\",\"Type\":\"SecureString\"}", NULL, NULL },
    { "a parameter that goes", "AmazonSSM.DeleteParameter", "{\"Name\":\"/p\"}", NULL, NULL },
    { "an Express service", "CreateExpressGatewayService", "{\"serviceName\":\"shop\",\"infrastructureRoleArn\":\"r\",\"executionRoleArn\":\"r\","
      "\"primaryContainer\":{\"image\":\"i\"},\"scalingTarget\":{\"minTaskCount\":0,\"maxTaskCount\":0}}", NULL, NULL },
    { "one that changes", "UpdateExpressGatewayService", "{\"serviceArn\":\"arn:aws:ecs:us-east-1:123456789012:service/default/shop\",\"cpu\":\"128\","
      "\"healthCheckPath\":\"/up\",\"scalingTarget\":{\"autoScalingTargetValue\":50}}", NULL, NULL },
    { "one that goes", "DeleteExpressGatewayService", "{\"serviceArn\":\"arn:aws:ecs:us-east-1:123456789012:service/default/shop\"}", NULL, NULL },
    { "a definition that is deregistered", "DeregisterTaskDefinition", "{\"taskDefinition\":\"train:1\"}", NULL, NULL },
    { "a definition that is deleted", "DeleteTaskDefinitions", "{\"taskDefinitions\":[\"train:1\"]}", NULL, NULL },
    { "a daemon's definition", "RegisterDaemonTaskDefinition", "{\"family\":\"log\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"i\",\"memory\":64}]}",
      NULL, NULL },
    { "one that is deleted", "DeleteDaemonTaskDefinition", "{\"daemonTaskDefinition\":\"log:1\"}", NULL, NULL },
    { "a machine that drains", "UpdateContainerInstancesState", "{\"containerInstances\":[\"$MACHINE\"],\"status\":\"DRAINING\"}", NULL, NULL },
    { "a machine whose agent goes", NULL, NULL, absence, NULL },
    { "a machine whose lease is over", NULL, NULL, fence, NULL },
    { "a machine that is deregistered", "DeregisterContainerInstance", "{\"containerInstance\":\"$MACHINE\",\"force\":true}", NULL, NULL },
    { "records past their keep", NULL, NULL, trim, NULL },
    { "a cluster that goes", "DeleteCluster", "{\"cluster\":\"default\"}", NULL, NULL },
};

static struct str body_of(struct torture *t, const struct request *request, struct arena *arena)
{
    struct buf out = buf_in(arena);
    struct str left = str_from(request->body), before, after;
    for (; str_cut(left, '$', &before, &after); left = str_slice(after, strcspn(after.ptr, "\""), after.len)) {
        buf_put(&out, before);
        buf_put(&out, str_from(str_starts_with(after, STR("TASK")) ? t->task : t->machine));
    }
    buf_put(&out, left);
    return buf_str(&out);
}

static bool prepare(struct torture *t, const struct request *request, struct arena *arena, struct api_call *call, struct err *err)
{
    if (request->prepare != NULL) { return request->prepare(t, arena, call, err); }
    struct str name = str_from(request->operation);
    const struct api_service *service = services_of_target(name, &name);
    return api_prepare_for(service == NULL ? &ecs_service : service, &t->api, &admin, name, body_of(t, request, arena), arena, call, err);
}

static bool run(struct torture *t, const struct request *request, struct err *err)
{
    struct arena arena = { 0 };
    struct api_call call = { 0 };
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    bool good = prepare(t, request, &arena, &call, err);
    int effects = atomic_load(&t->effects);
    struct job job = { .call = &call, .arena = &arena, .caller = admin };
    good = good && writer_run(t->writer, &job, err);
    CHECK("no effect leaves before its change is kept", good || atomic_load(&t->effects) == effects);
    if (good && request->learn != NULL) {
        struct err unread = { 0 };
        struct buf reply = buf_in(&arena);
        api_print(&call, &reply);
        request->learn(t, json_parse(buf_str(&reply), &arena, &unread));
    }
    arena_finish(&arena);
    return good;
}

/* ---- what must be true after each ---- */

/* Asked as an operation, because the world is the writer's. */
struct world_check { bool same; };
static bool compare_worlds(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    enum { MACHINES_MAX = 8 };
    const struct cluster *cluster = store_cluster(ctx->txn, STR("default"), ctx->arena);
    struct world *fresh = sched_world_create(ctx->arena);
    struct id ids[MACHINES_MAX];
    (void)input;
    (void)output;
    api_load_world(fresh, ctx->txn);
    if (cluster == NULL) { return true; }
    size_t count = store_list_instances(ctx->txn, cluster->number, INSTANCE_STATUS_UNSET, (struct id){ 0 }, ids, MACHINES_MAX);
    bool same = sched_instance_count(ctx->world, cluster->number) == sched_instance_count(fresh, cluster->number)
        && sched_instance_count(fresh, cluster->number) == count;
    for (size_t i = 0; same && i < count; i++) {
        struct sched_free used = { 0 }, wanted = { 0 };
        same = sched_free_on(ctx->world, ids[i], &used) && sched_free_on(fresh, ids[i], &wanted) && used.cpu == wanted.cpu
            && used.memory_mib == wanted.memory_mib && used.gpu_slots == wanted.gpu_slots && used.tasks == wanted.tasks
            && memcmp(used.gpu_free, wanted.gpu_free, sizeof used.gpu_free) == 0;
    }
    return same || err_set(err, ERR_SERVER, "the world in memory is not what the store would give");
}

static void check_state(struct torture *t, const char *name)
{
    static const struct operation look = { .name = STR_INIT("CompareWorlds"), .access = OP_LOOK, .run = compare_worlds };
    struct arena arena = { 0 };
    struct err err = { 0 };
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    struct api_call call = { .operation = &look };
    struct job job = { .call = &call, .arena = &arena, .caller = admin };
    bool same = writer_run(t->writer, &job, &err);
    if (!same) { fprintf(stderr, "%s: %s\n", name, err.message); }
    CHECK(name, same);
    arena_finish(&arena);
    fixture_check_store(t->store);
}

static int64_t revision_of(struct store *store)
{
    struct store_txn *txn = store_read_begin(store);
    int64_t revision = store_revision(txn);
    CHECK("the revision can be read", store_read_end(txn));
    return revision;
}

/* An error that says what it is about; of the store's failures, that nothing was changed. */
static void check_error(const char *name, enum fault kind, const struct err *err)
{
    struct str message = str_from(err->message);
    bool clear = kind == FAULT_MEMORY ? err->code != ERR_NONE && message.len > 0
                                      : err->code == ERR_SERVER && str_starts_with(message, STR("Nothing was changed: "));
    if (!clear) { fprintf(stderr, "%s, %s fails: %d \"%s\"\n", name, faults[kind].name, (int)err->code, err->message); }
    CHECK(name, clear);
}

static void check_failure(struct torture *t, const char *name, enum fault kind, const struct err *err, int64_t revision)
{
    struct err over = { 0 };
    t->failures++;
    check_error(name, kind, err);
    if (store_is_over(t->store, &over)) {                  /* the process ends then, and is started again */
        CHECK("it says why the store is over", over.message[0] != '\0');
        close_server(t);
        open_server(t, FIXTURE_MAP_BYTES);
    }
    CHECK_EQ(name, revision_of(t->store), revision);
    check_state(t, name);
}

/* False: the n-th call did not come, and the request has gone through. */
static bool fail_nth(struct torture *t, const struct request *request, enum fault kind, int nth)
{
    struct err err = { 0 };
    int64_t revision = revision_of(t->store);
    arm(kind, nth);
    bool good = run(t, request, &err);
    bool failed = disarm();
    if (good == failed) { fprintf(stderr, "%s, call %d of %s: %s\n", request->name, nth, faults[kind].name, err.message); }
    CHECK_EQ(request->name, good, !failed);
    if (failed) { check_failure(t, request->name, kind, &err, revision); }
    return failed;
}

/* The same where each page that the map has left is one more. */
static bool fail_with_pages(struct torture *t, const struct request *request, size_t pages)
{
    char path[FIXTURE_PATH_MAX + 16];
    struct stat file;
    struct err err = { 0 };
    close_server(t);
    (void)snprintf(path, sizeof path, "%s/data.mdb", t->dir);
    ASSERT(stat(path, &file) == 0);
    open_server(t, (size_t)file.st_size + pages * PAGE_BYTES);
    int64_t revision = revision_of(t->store);
    bool good = run(t, request, &err);
    if (!good) {
        CHECK(request->name, str_ends_with(str_from(err.message), STR("the store's map is full.")));
        check_failure(t, request->name, FAULT_CHANGE, &err, revision);
    }
    return !good;
}

static void torture(const char *name, enum fault kind, bool pages)
{
    static struct torture t;
    t = (struct torture){ .api = {
        .names = { STR("us-east-1"), STR("123456789012") }, .endpoint = STR("http://127.0.0.1:9280"), .secret_key = &secret_key,
        .stopped_task_keep_ms = KEEP_MS, .inactive_instance_keep_ms = KEEP_MS, .history_keep_ms = KEEP_MS,
    } };
    fixture_make_dir(t.dir);
    open_server(&t, FIXTURE_MAP_BYTES);
    for (size_t r = 0; r < COUNT_OF(requests); r++) {
        int n = 0;
        while (n < TRIES_MAX && (pages ? fail_with_pages(&t, &requests[r], (size_t)n) : fail_nth(&t, &requests[r], kind, n + 1))) { n++; }
        CHECK(requests[r].name, n < TRIES_MAX);
        check_state(&t, requests[r].name);
    }
    printf("%s: %lld failures\n", name, (long long)t.failures);
    CHECK(name, (t.failures > 0) == (pages || kind != FAULT_NONE));
    close_server(&t);
    fixture_remove_dir(t.dir);
}

int main(void)
{
    log_set_level(LOG_ERROR + 1);
    for (enum fault kind = FAULT_NONE; kind < FAULT_COUNT; kind++) { torture(faults[kind].name, kind, false); }
    torture("the map is full", FAULT_NONE, true);
    return check_report();
}
