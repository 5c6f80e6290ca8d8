/* The life of a task against a scripted runtime and a real loop: order, the essential rule, stops, reports, and what an agent
 * that comes back does. */
#include "agent/task/task.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/link/session.h"
#include "model/gpu.h"
#include "tests/unit/agent/scripted_runtime.h"
#include "tests/unit/agent/stub_server.h"
#include "tests/unit/check.h"

#define TASK_ARN "arn:aws:ecs:us-east-1:1:task/lab/0011"
#define CONTAINER(name, essential, more) "{\"name\":\"" name "\",\"image\":\"" name "\",\"essential\":" essential more "}"
#define AFTER(name, condition) ",\"dependsOn\":[{\"containerName\":\"" name "\",\"condition\":\"" condition "\"}]"
#define PAYLOAD(containers) "{\"clusterArn\":\"c\",\"containerInstanceArn\":\"i\",\"messageId\":\"m\",\"tasks\":[{\"arn\":\"" TASK_ARN "\"," \
                            "\"family\":\"f\",\"version\":\"1\",\"desiredStatus\":\"RUNNING\",\"containers\":[" containers "]}]}"

static char dir[] = "/tmp/berth-task-XXXXXX", images_dir[] = "/tmp/berth-images-XXXXXX";

/* ---- the stage: a server that takes everything, one host; the test turns the loop while it waits ---- */

struct stage {
    struct stub_server server; struct client *client; struct endpoint endpoint; struct credentials credentials;
    struct scripted runtime; struct task_host host; struct agent_config config;
    bool over;
    atomic_bool deaf;                            /* the server answers reports with 500 */
    atomic_int lost_logs;                        /* this many chunks of output are answered with 500 */
    struct task *task;
    struct arena arena;
};

static void answer(void *owner, const struct stub_request *request, struct stub_answer *out)
{
    struct stage *stage = owner;
    bool report = stub_is_reports(request), log = strcmp(request->path, "/berth/v1/agent/logs") == 0;
    out->status = (report && atomic_load(&stage->deaf)) || (log && atomic_fetch_sub(&stage->lost_logs, 1) > 0) ? 500 : 200;
    snprintf(out->body, sizeof out->body, "{}");
    if (report) { stub_acknowledge(request, out); }
}

/* For conditions that come true or never. */
static bool turn_while(struct stage *stage, int64_t until_ms)
{
    client_turn(stage->client, 5);
    return clock_monotonic_ms() < until_ms;
}

/* As the machine does. */
static void on_over(void *owner, void *task)
{
    struct stage *stage = owner;
    CHECK("the one there is", task == stage->task);
    task_destroy(task);
    stage->task = NULL;
    stage->over = true;
}

static void open_agent(struct stage *stage)
{
    struct err err = { 0 };
    stage->client = client_create(&stage->credentials, "us-east-1", &err);
    stage->over = false;
    stage->host = (struct task_host){
        .runtime = &stage->runtime.base, .client = stage->client, .server = &stage->endpoint,
        .reporter = reporter_create(stage->client, &stage->endpoint), .cluster = "lab", .dir = dir, .region = "us-east-1",
        .stop_timeout_s = 30, .over = on_over, .owner = stage,
    };
    gpu_books_init(&stage->host.gpu_books);
    stage->host.logs = logs_create(stage->client, &stage->endpoint, "lab", &stage->runtime.base, &err);
    stage->config.data_dir = images_dir;
    stage->host.images = images_create(&stage->runtime.base, &stage->config, &stage->host.threads, &err);
    CHECK("an agent", stage->client != NULL && stage->host.logs != NULL && stage->host.images != NULL);
}

static void open_stage(struct stage *stage, const struct scripted_rule *rules, size_t count)
{
    struct err err = { 0 };
    memset(stage, 0, sizeof *stage);
    arena_init(&stage->arena, 4 << 20);
    stage->credentials = (struct credentials){ STR("AKID"), STR("SECRET"), { NULL, 0 } };
    stub_start(&stage->server, answer, stage);
    CHECK("an address", endpoint_parse(str_from(stage->server.url), &stage->endpoint, &err));
    scripted_open(&stage->runtime, rules, count);
    open_agent(stage);
}

/* The machine's steps at its end: containers stay as they are. */
static void close_agent(struct stage *stage)
{
    atomic_store(&stage->host.stopping, true);
    images_leave(stage->host.images);
    if (stage->task != NULL) { task_interrupt(stage->task); }
    client_close(stage->client);
    if (stage->task != NULL) { task_destroy(stage->task); }
    stage->task = NULL;
    gpu_books_finish(&stage->host.gpu_books);
    logs_destroy(stage->host.logs);
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; atomic_load(&stage->host.threads) > 0 && clock_monotonic_ms() < until_ms;) { clock_sleep_ms(5); }
    images_destroy(stage->host.images);
    reporter_destroy(stage->host.reporter);
    CHECK_EQ("no thread is left", atomic_load(&stage->host.threads), 0);
    client_destroy(stage->client);
}

static void close_stage(struct stage *stage)
{
    close_agent(stage);
    scripted_close(&stage->runtime);
    stub_stop(&stage->server);
    arena_finish(&stage->arena);
}

static void begin_unwritten(struct stage *stage, const char *payload)
{
    struct err err = { 0 };
    const struct json *tree = json_parse(str_from(payload), &stage->arena, &err);
    stage->task = task_create(&stage->host, tree, &err);
    CHECK_STR("taken on", str_from(err.message), STR(""));
    CHECK("begun", stage->task != NULL && task_begin(stage->task, &err));
}

static void begin(struct stage *stage, const char *payload)
{
    begin_unwritten(stage, payload);
    CHECK("kept", task_keep(stage->task, &(struct err){ 0 }));
}

static void await_over(struct stage *stage)
{
    int64_t until_ms = clock_monotonic_ms() + LONG_MS;
    while (!stage->over && turn_while(stage, until_ms)) { }
    CHECK("over", stage->over);
}

static const struct stub_request *find_report(struct stage *stage, const char *text, size_t nth)
{
    const struct stub_request *found = NULL;
    pthread_mutex_lock(&stage->server.mutex);
    for (size_t r = 0; r < stage->server.count && found == NULL; r++) {
        const struct stub_request *request = &stage->server.requests[r];
        if (stub_is_reports(request) && strstr(request->body, text) != NULL && nth-- == 0) { found = request; }
    }
    pthread_mutex_unlock(&stage->server.mutex);
    return found;
}

static const char *await_report(struct stage *stage, const char *text, size_t nth)
{
    const struct stub_request *found = find_report(stage, text, nth);
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; found == NULL && turn_while(stage, until_ms);) { found = find_report(stage, text, nth); }
    return found == NULL ? "" : found->body;
}

static bool is_noted(struct stage *stage, const char *text)
{
    lock_take(&stage->runtime.lock);
    bool noted = strstr(stage->runtime.notes, text) != NULL;
    lock_drop(&stage->runtime.lock);
    return noted;
}

static size_t count_reports(struct stage *stage, const char *text)
{
    size_t count = 0;
    pthread_mutex_lock(&stage->server.mutex);
    for (size_t r = 0; r < stage->server.count; r++) {
        const struct stub_request *request = &stage->server.requests[r];
        count += stub_is_reports(request) && strstr(request->body, text) != NULL;
    }
    pthread_mutex_unlock(&stage->server.mutex);
    return count;
}

/* `first` was noted, and `then` after it. */
static bool in_order(const struct stage *stage, const char *first, const char *then)
{
    const char *at = strstr(stage->runtime.notes, first);
    return at != NULL && strstr(at, then) != NULL;
}

#define RUNNING_REPORT "\"task\":\"" TASK_ARN "\",\"status\":\"RUNNING\""
#define STOPPED_REPORT "\"task\":\"" TASK_ARN "\",\"status\":\"STOPPED\""

static size_t files_left(void)
{
    DIR *listing = opendir(dir);
    size_t count = 0;
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) { count += entry->d_name[0] != '.'; }
    closedir(listing);
    return count;
}

/* Each test's machine is a new one. */
static bool forget_images(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/images.json", images_dir);
    return unlink(path) == 0;
}

/* ---- lives ---- */

static void test_one_shot(void)
{
    static const struct scripted_rule rules[] = { { .name = "main", .ends = true, .exit_code = 3, .output = "hello\nworld\n" } };
    struct stage stage;
    open_stage(&stage, rules, 1);
    atomic_store(&stage.lost_logs, 1);
    begin(&stage, PAYLOAD(CONTAINER("main", "true", "")));
    await_over(&stage);
    CHECK_STR("all steps, once", str_from(stage.runtime.notes), STR("pull main;create main;start main;remove main;"));
    const char *stopped = await_report(&stage, STOPPED_REPORT, 0);
    CHECK("it ran", strstr(await_report(&stage, RUNNING_REPORT, 0), "\"containerName\":\"main\"") != NULL);
    CHECK("its code", strstr(stopped, "\"exitCode\":3") != NULL);
    CHECK("its id", strstr(stopped, "\"runtimeId\":\"0\"") != NULL);
    CHECK("times of the pull", strstr(stopped, "\"pullStartedAt\":") != NULL && strstr(stopped, "\"pullStoppedAt\":") != NULL);
    CHECK("time of the end", strstr(stopped, "\"executionStoppedAt\":") != NULL);
    CHECK("no reason for an ordinary end", strstr(stopped, "\"reason\":\"\"") != NULL);
    size_t log = stub_wait(&stage.server, "/berth/v1/agent/logs", NULL, "hello\\nworld\\n", 1);
    size_t end = stub_wait(&stage.server, "/berth/v1/agent/reports", NULL, STOPPED_REPORT, 0);
    CHECK("its output came before its end, though it had to be sent twice", log != SIZE_MAX && log < end);
    CHECK("from the beginning", log != SIZE_MAX && strstr(stage.server.requests[log].body, "\"offset\":0") != NULL);
    CHECK_EQ("nothing on file", files_left(), 0);
    close_stage(&stage);
}

static void test_dependencies(void)
{
    static const struct scripted_rule rules[] = { { .name = "init", .ends = true }, { .name = "bad", .ends = true, .exit_code = 1 } };
    struct stage stage;
    open_stage(&stage, rules, 2);
    begin(&stage, PAYLOAD(CONTAINER("main", "true", AFTER("init", "SUCCESS")) "," CONTAINER("init", "false", "") ","
                          CONTAINER("side", "false", AFTER("main", "START"))));
    await_report(&stage, RUNNING_REPORT, 0);
    CHECK("main waits for init", in_order(&stage, "start init;", "pull main;"));
    CHECK("side waits for main", in_order(&stage, "start main;", "pull side;"));
    task_stop(stage.task);
    await_over(&stage);
    CHECK("stopped the other way round", in_order(&stage, "stop side/30;", "stop main/30;"));
    CHECK("what had ended is not stopped", strstr(stage.runtime.notes, "stop init") == NULL);
    CHECK("143", strstr(await_report(&stage, STOPPED_REPORT, 0), "\"exitCode\":143") != NULL);
    close_stage(&stage);

    open_stage(&stage, rules, 2);
    begin(&stage, PAYLOAD(CONTAINER("main", "true", AFTER("bad", "SUCCESS")) "," CONTAINER("bad", "false", "")));
    await_over(&stage);
    const char *stopped = await_report(&stage, STOPPED_REPORT, 0);
    CHECK("told why", strstr(stopped, "CannotStartContainerError: dependency graph: container bad will never succeed") != NULL);
    CHECK("with 143", strstr(stopped, "\"exitCode\":143") != NULL);
    CHECK("never pulled", strstr(stage.runtime.notes, "pull main") == NULL);
    close_stage(&stage);
}

/* The check is the definition's: what an image brings along is not told. */
static void test_health(void)
{
    static const struct scripted_rule rules[] = { { .name = "db", .health = HEALTH_STATUS_HEALTHY }, { .name = "web", .health = HEALTH_STATUS_UNHEALTHY } };
    struct stage stage;
    open_stage(&stage, rules, COUNT_OF(rules));
    stage.runtime.wait_most_ms = 100;
    begin(&stage, PAYLOAD(CONTAINER("web", "true", AFTER("db", "HEALTHY")) "," CONTAINER("db", "true", ",\"healthCheckType\":\"docker\"")));
    const char *running = await_report(&stage, RUNNING_REPORT, 0);
    CHECK("web waits for a healthy db", in_order(&stage, "start db;", "pull web;"));
    CHECK("db's health is reported", strstr(running, "\"healthStatus\":\"HEALTHY\"") != NULL);
    enum { LOOKS = 3 };                          /* at its start, while it runs, and again when the result has been noted */
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; scripted_named(&stage.runtime, "web").looks < LOOKS && turn_while(&stage, until_ms);) { }
    CHECK("web is looked at", scripted_named(&stage.runtime, "web").looks >= LOOKS);
    CHECK_EQ("who has a check is asked for its health each second", scripted_named(&stage.runtime, "db").wait_ms, 1000);
    CHECK_EQ("others are left alone, but that an end was missed", scripted_named(&stage.runtime, "web").wait_ms, 10000);
    task_stop(stage.task);
    await_over(&stage);
    CHECK("that of web's image is not", strstr(await_report(&stage, STOPPED_REPORT, 0), "UNHEALTHY") == NULL);
    close_stage(&stage);

    open_stage(&stage, rules, COUNT_OF(rules));
    begin(&stage, PAYLOAD(CONTAINER("web", "true", ",\"healthCheckType\":\"docker\"")));
    CHECK("a change of health is reported", strstr(await_report(&stage, "\"healthStatus\":\"UNHEALTHY\"", 0), "\"status\":\"RUNNING\"") != NULL);
    task_stop(stage.task);
    await_over(&stage);
    close_stage(&stage);
}

static void test_essential(void)
{
    struct stage stage;
    open_stage(&stage, NULL, 0);
    begin(&stage, PAYLOAD(CONTAINER("main", "true", "") "," CONTAINER("side", "false", ",\"stopTimeout\":7") "," CONTAINER("extra", "false", "")));
    await_report(&stage, RUNNING_REPORT, 0);
    scripted_end(&stage.runtime, "extra", 0);
    const char *later = await_report(&stage, RUNNING_REPORT, 1);
    CHECK("a side-car's end is reported, the task runs on", strstr(later, "\"containerName\":\"extra\",\"status\":\"STOPPED\"") != NULL);
    scripted_end(&stage.runtime, "main", 5);
    await_over(&stage);
    CHECK("the rest is stopped, in its own time", strstr(stage.runtime.notes, "stop side/7;") != NULL);
    CHECK("the code", strstr(await_report(&stage, STOPPED_REPORT, 0), "\"exitCode\":5") != NULL);
    CHECK_EQ("one end", count_reports(&stage, STOPPED_REPORT), 1);
    close_stage(&stage);
}

/* Containers that are to be kept stay; the task itself is over. */
static void test_kept(void)
{
    static const struct scripted_rule rules[] = { { .name = "main", .ends = true } };
    struct stage stage;
    struct err err = { 0 };
    open_stage(&stage, rules, 1);
    stage.host.cleanup = cleanup_create(&stage.runtime.base, dir, 3600 * 1000, &stage.host.threads, &err);
    begin(&stage, PAYLOAD(CONTAINER("main", "true", "")));
    await_over(&stage);
    CHECK("kept", strstr(stage.runtime.notes, "remove main;") == NULL);
    CHECK("noted", cleanup_knows(stage.host.cleanup, "0011"));
    CHECK_EQ("only its leftovers are on file", files_left(), 1);
    cleanup_destroy(stage.host.cleanup);
    char path[64];
    snprintf(path, sizeof path, "%s/0011.left", dir);
    CHECK("under its name", unlink(path) == 0);
    close_stage(&stage);
}

/* A pull that fails: with a copy at hand it is a note until that copy runs; for "always" it is the task's end. */
static void test_pull_trouble(void)
{
    static const struct scripted_rule rules[] = {
        { .name = "main" }, { .name = "side", .pull_error = "CannotPullContainerError: no route", .is_here = true },
    };
    static const struct { const char *row; enum image_pull behaviour; bool runs; } rows[] = {
        { "default", IMAGE_PULL_DEFAULT, true }, { "always", IMAGE_PULL_ALWAYS, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct stage stage;
        open_stage(&stage, rules, 2);
        stage.config.image_pull = rows[r].behaviour;
        images_destroy(stage.host.images);
        struct err err = { 0 };
        stage.host.images = images_create(&stage.runtime.base, &stage.config, &stage.host.threads, &err);
        begin(&stage, PAYLOAD(CONTAINER("main", "true", "") "," CONTAINER("side", "false", "")));
        if (rows[r].runs) {
            const char *running = await_report(&stage, RUNNING_REPORT, 0);
            CHECK(rows[r].row, strstr(running, "\"containerName\":\"side\",\"status\":\"RUNNING\"") != NULL);
            CHECK(rows[r].row, strstr(running, "\"imageDigest\":\"sha256:local\"") != NULL && strstr(running, "no route") == NULL);
            task_stop(stage.task);
        }
        await_over(&stage);
        const char *stopped = await_report(&stage, STOPPED_REPORT, 0);
        CHECK_EQ(rows[r].row, strstr(stopped, "CannotPullContainerError: no route") != NULL, !rows[r].runs);
        CHECK_EQ(rows[r].row, strstr(stage.runtime.notes, "start side") != NULL, rows[r].runs);
        close_stage(&stage);
    }
}

static void test_failures(void)
{
    static const struct { const char *row; struct scripted_rule rule; const char *reason, *notes; bool ran; } rows[] = {
        { "pull", { .name = "main", .pull_error = "CannotPullContainerError: manifest unknown" }, "CannotPullContainerError: manifest unknown", "pull main;", false },
        { "pull, unnamed", { .name = "main", .pull_error = "access denied" }, "CannotPullContainerError: access denied", "pull main;", false },
        { "create", { .name = "main", .create_error = "conflict" }, "CannotCreateContainerError: conflict", "pull main;create main;", false },
        { "start", { .name = "main", .start_error = "exec format" }, "CannotStartContainerError: exec format",
          "pull main;create main;start main;remove main;", false },
        { "memory", { .name = "main", .ends = true, .exit_code = 137, .killed_by_memory = true }, "OutOfMemoryError: Container killed due to memory usage",
          "pull main;create main;start main;remove main;", true },
        { "vanished", { .name = "main", .vanishes = true }, "ContainerVanishedError: No container matching saved ID found",
          "pull main;create main;start main;", true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct stage stage;
        open_stage(&stage, &rows[r].rule, 1);
        begin(&stage, PAYLOAD(CONTAINER("main", "true", "")));
        await_over(&stage);
        const char *stopped = await_report(&stage, STOPPED_REPORT, 0);
        CHECK(rows[r].row, strstr(stopped, rows[r].reason) != NULL);
        CHECK_STR(rows[r].row, str_from(stage.runtime.notes), str_from(rows[r].notes));
        CHECK_EQ(rows[r].row, count_reports(&stage, RUNNING_REPORT), rows[r].ran ? 1 : 0);
        CHECK_EQ(rows[r].row, files_left(), 0);
        close_stage(&stage);
    }
}

#define WITH_ADDRESS "{\"clusterArn\":\"c\",\"containerInstanceArn\":\"i\",\"messageId\":\"m\",\"tasks\":[{\"arn\":\"" TASK_ARN "\"," \
                     "\"desiredStatus\":\"RUNNING\",\"elasticNetworkInterfaces\":[{\"attachmentArn\":\"arn:a\"}]," \
                     "\"containers\":[" CONTAINER("main", "true", "") "]}]}"

static void test_address(void)
{
    static const struct scripted_rule failing = { .name = "main", .hold_error = "ContainerNetworkingError: no more addresses" };
    struct stage stage;
    open_stage(&stage, NULL, 0);
    begin(&stage, WITH_ADDRESS);
    CHECK("the address is reported", strstr(await_report(&stage, RUNNING_REPORT, 0),
          "\"attachments\":[{\"attachmentArn\":\"arn:a\",\"status\":\"ATTACHED\",\"details\":[{\"name\":\"privateIPv4Address\","
          "\"value\":\"10.32.0.7\"},{\"name\":\"macAddress\",\"value\":\"02:42:0a:20:00:07\"}]}]") != NULL);
    task_stop(stage.task);
    await_over(&stage);
    CHECK_STR("it is there before the container, and free before it is removed", str_from(stage.runtime.notes),
              STR("pull main;hold main;create main;start main;stop main/30;release ;remove main;"));
    close_stage(&stage);

    open_stage(&stage, NULL, 0);
    begin(&stage, WITH_ADDRESS);
    (void)await_report(&stage, RUNNING_REPORT, 0);
    scripted_kill_held(&stage.runtime);
    await_over(&stage);
    CHECK_STR("who loses it is stopped", str_from(stage.runtime.notes), STR("pull main;hold main;create main;start main;stop main/30;remove main;"));
    CHECK("and gives ECS no own reason", strstr(await_report(&stage, STOPPED_REPORT, 0), "\"reason\":\"The") == NULL);
    close_stage(&stage);

    open_stage(&stage, &failing, 1);
    begin(&stage, WITH_ADDRESS);
    await_over(&stage);
    CHECK("why not", strstr(await_report(&stage, STOPPED_REPORT, 0), "\"reason\":\"ContainerNetworkingError: no more addresses\"") != NULL);
    CHECK_STR("nothing was made", str_from(stage.runtime.notes), STR("pull main;hold main;"));
    close_stage(&stage);
}

static void test_unresolvable(void)
{
    struct stage stage;
    open_stage(&stage, NULL, 0);
    begin(&stage, PAYLOAD(CONTAINER("a", "true", AFTER("b", "START")) "," CONTAINER("b", "true", AFTER("a", "START"))));
    await_over(&stage);
    CHECK("in ECS's words", strstr(await_report(&stage, STOPPED_REPORT, 0), "Task dependencies cannot be resolved, taskArn: " TASK_ARN) != NULL);
    CHECK_STR("nothing was done", str_from(stage.runtime.notes), STR(""));
    close_stage(&stage);
}

/* Its image is fetched while its file is written, its container is made after both. */
static void test_file_first(void)
{
    static const struct scripted_rule rules[] = { { .name = "main", .ends = true } };
    struct stage stage;
    struct err err = { 0 };
    open_stage(&stage, rules, 1);
    begin_unwritten(&stage, PAYLOAD(CONTAINER("main", "true", "")));
    int64_t until_ms = clock_monotonic_ms() + LONG_MS, a_while_ms = clock_monotonic_ms() + 100;
    while (!is_noted(&stage, "pull main") && turn_while(&stage, until_ms)) { }
    while (turn_while(&stage, a_while_ms)) { }
    CHECK("nothing was made", !is_noted(&stage, "create main"));
    CHECK("and nothing told", find_report(&stage, TASK_ARN, 0) == NULL);
    CHECK("kept", task_keep(stage.task, &err) && !task_is_dropped(stage.task));
    await_over(&stage);
    CHECK("made then", is_noted(&stage, "create main;start main;"));
    close_stage(&stage);

    open_stage(&stage, rules, 1);
    stage.host.dir = "/nowhere/at/all";
    begin_unwritten(&stage, PAYLOAD(CONTAINER("main", "true", "")));
    CHECK("not kept", !task_keep(stage.task, &err) && task_is_dropped(stage.task));
    await_over(&stage);
    CHECK("never made", !is_noted(&stage, "create main"));
    CHECK("and no report was sent", find_report(&stage, TASK_ARN, 0) == NULL);
    close_stage(&stage);
}

/* The stub knows no parameter: the task ends before anything of it is made, and says why. */
static void test_references(void)
{
    static const struct scripted_rule rules[] = { { .name = "main" }, { .name = "side" } };
    struct stage stage;
    open_stage(&stage, rules, 2);
    begin(&stage, PAYLOAD(CONTAINER("main", "true", ",\"secrets\":[{\"name\":\"A\",\"valueFrom\":\"/x\",\"provider\":\"ssm\"}]") ","
                          CONTAINER("side", "false", AFTER("main", "START"))));
    await_over(&stage);
    CHECK_STR("nothing is made", str_from(stage.runtime.notes), STR("pull main;"));
    const char *stopped = await_report(&stage, STOPPED_REPORT, 0);
    CHECK("the task's own reason", strstr(stopped, "\"reason\":\"ResourceInitializationError: unable to pull secrets or registry auth: execution"
                                          " resource retrieval failed: unable to retrieve secrets from ssm: invalid parameters: /x\"") != NULL);
    CHECK("it never ran", strstr(stopped, "exitCode") == NULL || strstr(stopped, "\"exitCode\":143") != NULL);
    CHECK_EQ("nor was it told to", count_reports(&stage, RUNNING_REPORT), 0);
    close_stage(&stage);
}

static void test_stop_before_start(void)
{
    struct stage stage;
    open_stage(&stage, NULL, 0);
    begin(&stage, PAYLOAD(CONTAINER("main", "true", AFTER("gate", "COMPLETE")) "," CONTAINER("gate", "false", "")));
    int64_t until_ms = clock_monotonic_ms() + LONG_MS;
    while (!is_noted(&stage, "start gate") && turn_while(&stage, until_ms)) { }
    task_stop(stage.task);
    await_over(&stage);
    CHECK("never pulled", strstr(stage.runtime.notes, "pull main") == NULL);
    CHECK("and says so", strstr(await_report(&stage, STOPPED_REPORT, 0), "TaskStoppedBeforePullBeginError") != NULL);
    close_stage(&stage);
}

/* ---- GPUs that another container still has ---- */

#define WITH_GPU(containers) "{\"clusterArn\":\"c\",\"containerInstanceArn\":\"i\",\"messageId\":\"m\",\"tasks\":[{\"arn\":\"" TASK_ARN "\"," \
                             "\"family\":\"f\",\"version\":\"1\",\"desiredStatus\":\"RUNNING\",\"containers\":[" containers "]," \
                             "\"associations\":[{\"name\":\"GPU-1\",\"type\":\"gpu\",\"containers\":[\"main\"]}]}]}"

static struct str gpu_1[] = { STR_INIT("GPU-1") };
static const struct str_list only_gpu_1 = { gpu_1, 1 };

static void begin_with_held_gpu(struct stage *stage, const char *first)
{
    CHECK("another container has it", gpu_books_take(&stage->host.gpu_books, first, &only_gpu_1, 500));
    begin(stage, WITH_GPU(CONTAINER("main", "true", "")));
    int64_t until_ms = clock_monotonic_ms() + LONG_MS;
    while (!is_noted(stage, "pull main") && turn_while(stage, until_ms)) { }
}

static void test_gpu_wait(void)
{
    static const struct scripted_rule rules[] = { { .name = "main", .ends = true } };
    struct stage stage;
    open_stage(&stage, rules, 1);
    begin_with_held_gpu(&stage, "first");
    CHECK("nobody else gets it meanwhile", !gpu_books_take(&stage.host.gpu_books, "third", &only_gpu_1, GPU_SHARE_WHOLE));
    CHECK("not made", !is_noted(&stage, "create main"));
    gpu_books_give_back(&stage.host.gpu_books, "first");
    await_over(&stage);
    CHECK("made when it was free", is_noted(&stage, "create main"));
    CHECK("and given back", gpu_books_take(&stage.host.gpu_books, "third", &only_gpu_1, GPU_SHARE_WHOLE));
    close_stage(&stage);

    open_stage(&stage, rules, 1);
    begin_with_held_gpu(&stage, "first");
    task_stop(stage.task);
    await_over(&stage);
    CHECK("stopped while it waited: never made", !is_noted(&stage, "create main"));
    close_stage(&stage);
}

/* ---- an agent that goes and comes back ---- */

static void take(void *owner, struct task *task)
{
    struct stage *stage = owner;
    struct err err = { 0 };
    CHECK("one", stage->task == NULL);
    stage->task = task;
    CHECK("begun again", task_begin(task, &err));
}

static void come_back(struct stage *stage)
{
    struct err err = { 0 };
    open_agent(stage);
    CHECK("recovered", recover_tasks(&stage->host, take, stage, &err));
}

/* The container is the same, and the server hears nothing until an end that counts. */
static void test_restart(void)
{
    struct stage stage;
    open_stage(&stage, NULL, 0);
    begin(&stage, PAYLOAD(CONTAINER("main", "true", ",\"restartPolicy\":{\"enabled\":true,\"ignoredExitCodes\":[7],\"restartAttemptPeriod\":60}")));
    await_report(&stage, RUNNING_REPORT, 0);
    scripted_end(&stage.runtime, "main", 1);
    int64_t until_ms = clock_monotonic_ms() + LONG_MS;
    while (!is_noted(&stage, "start main;start main;") && turn_while(&stage, until_ms)) { }
    close_agent(&stage);
    come_back(&stage);
    CHECK_EQ("an agent that comes back knows of it", stage.task->containers[0].restarts, 1);
    scripted_end(&stage.runtime, "main", 2);
    while (!is_noted(&stage, "start main;start main;start main;") && turn_while(&stage, until_ms)) { }
    CHECK_EQ("nothing has changed for the server", count_reports(&stage, STOPPED_REPORT), 0);
    scripted_end(&stage.runtime, "main", 7);
    await_over(&stage);
    CHECK_STR("made once, run three times", str_from(stage.runtime.notes), STR("pull main;create main;start main;start main;start main;remove main;"));
    CHECK("the last end counts", strstr(await_report(&stage, STOPPED_REPORT, 0), "\"exitCode\":7") != NULL);
    close_stage(&stage);
}

static void test_gpu_return(void)
{
    struct stage stage;
    open_stage(&stage, NULL, 0);
    begin(&stage, WITH_GPU(CONTAINER("main", "true", "")));
    await_report(&stage, RUNNING_REPORT, 0);
    CHECK("what runs has it", !gpu_books_take(&stage.host.gpu_books, "other", &only_gpu_1, 1));
    close_agent(&stage);
    come_back(&stage);
    CHECK("still, after a restart", !gpu_books_take(&stage.host.gpu_books, "other", &only_gpu_1, 1));
    task_stop(stage.task);
    await_over(&stage);
    CHECK("until its end", gpu_books_take(&stage.host.gpu_books, "other", &only_gpu_1, 1));
    close_stage(&stage);
}

static void test_return(void)
{
    struct stage stage;
    open_stage(&stage, NULL, 0);
    begin(&stage, PAYLOAD(CONTAINER("main", "true", "") "," CONTAINER("side", "false", "")));
    await_report(&stage, RUNNING_REPORT, 0);
    close_agent(&stage);                         /* which does not wait for containers: these run until they are stopped */
    CHECK("and leaves containers alone", strstr(stage.runtime.notes, "stop") == NULL && strstr(stage.runtime.notes, "remove") == NULL);
    CHECK_EQ("its file stays", files_left(), 1);
    scripted_end(&stage.runtime, "main", 9);                               /* while nobody looks */
    come_back(&stage);
    await_over(&stage);
    CHECK("nothing was run again", strstr(strstr(stage.runtime.notes, "start"), "create") == NULL || !in_order(&stage, "stop side/30;", "start"));
    CHECK_EQ("made once each", stage.runtime.count, 2);
    CHECK("the end was noticed", strstr(await_report(&stage, STOPPED_REPORT, 0), "\"exitCode\":9") != NULL);
    CHECK("the other was stopped", strstr(stage.runtime.notes, "stop side/30;") != NULL);
    close_stage(&stage);
}

static void test_return_vanished(void)
{
    struct stage stage;
    open_stage(&stage, NULL, 0);
    begin(&stage, PAYLOAD(CONTAINER("main", "true", "")));
    await_report(&stage, RUNNING_REPORT, 0);
    close_agent(&stage);
    stage.runtime.containers[0].removed = true;
    come_back(&stage);
    await_over(&stage);
    CHECK("told", strstr(await_report(&stage, STOPPED_REPORT, 0), "ContainerVanishedError: No container matching saved ID found") != NULL);
    CHECK_EQ("not made again", stage.runtime.count, 1);
    close_stage(&stage);
}

/* The server heard nothing of the end before the agent went: the same words are said again, and nothing is run. */
static void test_return_final(void)
{
    static const struct scripted_rule rules[] = { { .name = "main", .ends = true, .exit_code = 4 } };
    struct stage stage;
    open_stage(&stage, rules, 1);
    atomic_store(&stage.deaf, true);
    begin(&stage, PAYLOAD(CONTAINER("main", "true", "")));
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; turn_while(&stage, until_ms);) {
        char path[128];
        struct arena arena = { .ceiling = 1 << 20 };
        struct err err = { 0 };
        struct saved_task saved = { 0 };
        snprintf(path, sizeof path, "%s/0011.json", dir);
        bool final = task_load(path, &saved, &arena, &err) && str_is_set(saved.final_report);
        arena_finish(&arena);
        if (final) { break; }
    }
    close_agent(&stage);
    atomic_store(&stage.deaf, false);
    come_back(&stage);
    await_over(&stage);
    CHECK("told after all", strstr(await_report(&stage, STOPPED_REPORT, 0), "\"exitCode\":4") != NULL);
    CHECK_EQ("run once", stage.runtime.count, 1);
    CHECK("cleared away", strstr(stage.runtime.notes, "remove main;") != NULL && files_left() == 0);
    close_stage(&stage);
}

int main(void)
{
    CHECK("a folder", mkdtemp(dir) != NULL && mkdtemp(images_dir) != NULL);
    test_one_shot();
    test_dependencies();
    test_health();
    test_restart();
    test_essential();
    test_kept();
    test_pull_trouble();
    test_failures();
    test_address();
    test_unresolvable();
    test_file_first();
    test_references();
    test_stop_before_start();
    test_gpu_wait();
    test_gpu_return();
    test_return();
    test_return_vanished();
    test_return_final();
    CHECK("nothing is left", rmdir(dir) == 0);
    CHECK("but the book of images", forget_images() && rmdir(images_dir) == 0);
    return check_report();
}
