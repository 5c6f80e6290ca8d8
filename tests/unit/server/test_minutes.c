/* The minutes of services that scale: means over tasks and looks, minutes without data, the limit of the row, and services that come and go. */
#include "server/figures/minutes.h"

#include "tests/unit/server/server_fixture.h"

enum { START_MS = 1000000, LOOK_MS = 10000, UNKNOWN = -1 };

static struct store *store;
static struct minutes_sources sources = { .minute_ms = SCALING_MINUTE_MS / 2 };
static struct minutes *minutes;
static struct arena arena;
static int64_t now_ms = START_MS, web;

static const struct id big = { { 1 } }, small = { { 2 } }, pending = { { 3 } };       /* tasks of the service, each on a machine of this id */

static void put_records(void)
{
    static struct str gpu = STR_INIT("GPU-a");
    static struct task_container container = { .gpu_ids = { &gpu, 1 } };
    struct cluster cluster = { .name = STR("default"), .status = CLUSTER_ACTIVE, .created_ms = 1 };
    struct service service = { .name = STR("web"), .status = SERVICE_ACTIVE, .desired_count = 2, .created_ms = 1 };
    const struct { struct id id; int64_t cpu, memory_mib; enum task_status status; bool gpu; } tasks[] = {
        { big, 2048, 400, TASK_RUNNING, true }, { small, 1024, 100, TASK_RUNNING, false }, { pending, 1024, 100, TASK_PENDING, false },
    };
    int64_t revision;
    struct store_txn *txn = store_write_begin(store);
    store_job_begin(txn);
    store_put_cluster(txn, &cluster);
    service.cluster_number = cluster.number;
    store_put_service(txn, &service);
    web = service.number;
    for (size_t t = 0; t < COUNT_OF(tasks); t++) {
        store_put_task(txn, &(struct task){
            .id = tasks[t].id, .instance = tasks[t].id, .cluster_number = cluster.number, .family = STR("web"), .revision = 1, .created_ms = 1,
            .group = STR("service:web"), .service = web, .last_status = tasks[t].status, .desired_status = TASK_RUNNING, .cpu = tasks[t].cpu,
            .memory_mib = tasks[t].memory_mib, .containers = { &container, tasks[t].gpu ? 1 : 0 },
        });
    }
    ASSERT(store_job_end(txn, true));
    ASSERT(store_write_commit(txn, &revision));
}

static void register_target(bool there)
{
    struct suspended_state running = { OPT_FALSE, OPT_FALSE, OPT_FALSE };
    struct predefined_metric_specification metric = { PREDEFINED_REQUESTS, STR("app/l/1/targetgroup/tg/2") };
    struct target_tracking tracking = { .predefined = &metric, .target_value = { 10, true } };
    struct kept_policy policy = { .name = STR("p"), .type = SCALING_TRACKING, .tracking = &tracking };
    int64_t revision;
    struct store_txn *txn = store_write_begin(store);
    store_job_begin(txn);
    if (there) {
        store_put_scaling(txn, &(struct kept_scaling){ .service = web, .min = 1, .max = 9, .suspended = &running, .created_ms = 1, .policies = { &policy, 1 } });
    }
    if (!there) { store_drop_scaling(txn, web); }
    ASSERT(store_job_end(txn, true));
    ASSERT(store_write_commit(txn, &revision));
}

static struct opt_double known(double value) { return (struct opt_double){ value, value >= 0 }; }

/* The machine of a task tells: cores, MiB, and the share of time and of memory in which its GPU is used. */
static void tell(struct id task, double cores, double mib, double busy, double filled)
{
    struct gpu_sample gpu = { .uuid = STR("GPU-a"), .at_ms = now_ms };
    gpu_figure_set(&gpu.told, GPU_UTILIZATION, busy);
    if (filled >= 0) { gpu_figure_set(&gpu.told, GPU_MEMORY_USED, filled * (1 << 30)); }
    gpu_figure_set(&gpu.told, GPU_MEMORY_TOTAL, 1 << 30);
    struct container_sample container = { task, { .container = STR("main"), .cpu_cores = known(cores), .memory_bytes = known(mib * (1 << 20)) }, now_ms };
    const struct machine_sample told = { .instance = task, .at_ms = now_ms, .gpus = { &gpu, busy >= 0 ? 1 : 0 }, .containers = { &container, cores >= 0 ? 1 : 0 } };
    CHECK("room", samples_put(sources.samples, &told, true, now_ms));
}

/* "50.0 20.0": the minutes of a measure, the newest first; "none": the service has no target. */
static struct str look(enum scaling_measure measure, bool ends)
{
    struct service_minutes *items;
    struct buf out = buf_in(&arena);
    size_t count = minutes_look(minutes, store, &sources, now_ms, ends, &items, &arena);
    if (count == 0) { return STR("none"); }
    CHECK("its number", count == 1 && items[0].service == web);
    for (size_t m = 0; m < items[0].of[measure].count; m++) { buf_printf(&out, "%s%.1f", m == 0 ? "" : " ", items[0].of[measure].values[m]); }
    return buf_str(&out);
}

static void test_means(void)
{
    static const struct row {
        const char *row; double big_cores, big_mib, big_gpu, filled, small_cores, small_mib; enum scaling_measure measure; bool ends; const char *want;
    } rows[] = {
        /*                                                  cores MiB  GPU    filled  cores  MiB */
        { "no target, no minutes",                          0,    0,   UNKNOWN, 0,    0,     0,  MEASURE_CPU,        true,  "none" },
        { "in a minute nothing is given",                   1,    100, 0.25,  0.5,    0.5,   50, MEASURE_CPU,        false, "" },
        { "at its end the mean of both tasks and looks",    2,    100, 0.25,  0.5,    1,     50, MEASURE_CPU,        true,  "75.0" },
        { "the newest first",                               1,    100, 0.25,  0.5,    0,     50, MEASURE_CPU,        true,  "25.0 75.0" },
        { "memory",                                         1,    100, 0.25,  0.5,    0,     75, MEASURE_MEMORY,     true,  "50.0 37.5 37.5" },
        { "GPUs: of the task that has one",                 1,    100, 0.75,  0.5,    0,     50, MEASURE_GPU,        true,  "75.0 25.0 25.0 25.0" },
        { "memory of GPUs",                                 1,    100, 0.25,  1,      0,     50, MEASURE_GPU_MEMORY, true,  "100.0 50.0 50.0 50.0 50.0" },
        { "a GPU that is not told ends its row",            1,    100, UNKNOWN, 0,    0,     50, MEASURE_GPU,        true,  "" },
        { "and no other one; one task alone is the mean",   UNKNOWN, 0, 0.5,  0,      1,     50, MEASURE_CPU,        true,  "100.0 25.0 25.0 25.0 25.0 25.0 75.0" },
        { "nobody tells: no minutes are left",              UNKNOWN, 0, UNKNOWN, 0,   UNKNOWN, 0, MEASURE_CPU,       true,  "" },
        { "then they begin again",                          1,    100, 0.5,   0.5,    1,     50, MEASURE_CPU,        true,  "75.0" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (r == 1) { register_target(true); }
        now_ms += LOOK_MS;
        tell(big, rows[r].big_cores, rows[r].big_mib, rows[r].big_gpu, rows[r].filled);
        tell(small, rows[r].small_cores, rows[r].small_mib, UNKNOWN, 0);
        tell(pending, 1, 100, UNKNOWN, 0);
        CHECK_STR(rows[r].row, look(rows[r].measure, rows[r].ends), str_from(rows[r].want));
    }
}

static void test_row(void)
{
    struct str shown = { NULL, 0 };
    for (int minute = 0; minute <= SCALING_IN_MINUTES; minute++) {
        now_ms += LOOK_MS;
        tell(big, 0.02 * minute, 0, UNKNOWN, 0);
        tell(small, UNKNOWN, 0, UNKNOWN, 0);
        shown = look(MEASURE_CPU, true);
    }
    CHECK_STR("the newest 15 are kept", shown, STR("15.0 14.0 13.0 12.0 11.0 10.0 9.0 8.0 7.0 6.0 5.0 4.0 3.0 2.0 1.0"));
    now_ms += SAMPLES_KEPT_MS;
    CHECK_STR("old samples are no data", look(MEASURE_CPU, true), STR(""));
    tell(big, 1, 0, UNKNOWN, 0);
    CHECK_STR("known", look(MEASURE_CPU, true), STR("50.0"));
    register_target(false);
    CHECK_STR("the target goes", look(MEASURE_CPU, true), STR("none"));
    register_target(true);
    CHECK_STR("a new one knows nothing of before", look(MEASURE_CPU, true), STR("50.0"));
}

/* Requests of the policy's group in a minute, for each healthy target. A minute of the test is half of one, so the numbers are twice as high. */
static void test_requests(void)
{
    static const struct { const char *row; int64_t counter; int healthy; bool ends; const char *want; } rows[] = {
        { "the first report is where counting begins", 1000, 2, true, "" },
        { "for each target", 1100, 2, true, "100.0" },
        { "one target for half of the minute", 1160, 1, false, "" },
        { "two for the rest: the mean", 1190, 2, true, "120.0 100.0" },
        { "no request is data too", 1190, 2, true, "0.0 120.0 100.0" },
        { "no healthy target: no data", 1290, 0, true, "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        int64_t revision;
        struct request_count count = { STR("tg"), STR("1"), { rows[r].counter, true } };
        struct store_txn *txn = store_write_begin(store);
        store_job_begin(txn);
        for (int t = 0; t < 2; t++) {
            struct kept_target target = { .group = STR("tg"), .name = STR("10.0.0.1"), .port = 80 + t, .state = t < rows[r].healthy ? TARGET_HEALTHY : TARGET_UNHEALTHY };
            store_put_target(txn, &target);
        }
        ASSERT(store_job_end(txn, true));
        ASSERT(store_write_commit(txn, &revision));
        requests_put(sources.requests, STR("proxy"), &(struct request_count_list){ &count, 1 }, clock_monotonic_ms());
        CHECK_STR(rows[r].row, look(MEASURE_REQUESTS, rows[r].ends), str_from(rows[r].want));
    }
}

int main(void)
{
    char dir[FIXTURE_PATH_MAX];
    fixture_make_dir(dir);
    store = fixture_open_store(dir, FIXTURE_MAP_BYTES);
    sources.samples = samples_create(100);
    sources.requests = requests_create();
    sources.metrics = client_metrics_create(sources.minute_ms);
    minutes = minutes_create();
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    put_records();
    test_means();
    test_row();
    test_requests();
    arena_finish(&arena);
    minutes_destroy(minutes);
    client_metrics_destroy(sources.metrics);
    requests_destroy(sources.requests);
    samples_destroy(sources.samples);
    store_close(store);
    fixture_remove_dir(dir);
    return check_report();
}
