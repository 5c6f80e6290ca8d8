/* The process runtime with real processes. This program is its own shim, as berth is. */
#include "agent/process/process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/core/runtime.h"
#include "base/clock.h"
#include "tests/unit/check.h"

enum { LONG_MS = 120000 };           /* for what must come: waiting long costs nothing when all is well */

static char dir[] = "/tmp/berth-process-XXXXXX";
static struct arena arena;

static struct str create(struct runtime *runtime, const char *script, const char *config)
{
    static struct str words[3];
    words[0] = STR("sh");
    words[1] = STR("-c");
    words[2] = str_from(script);
    static struct pair environment[] = { { STR_INIT("A"), STR_INIT("first") }, { STR_INIT("A"), STR_INIT("second") },
                                         { STR_INIT("NVIDIA_VISIBLE_DEVICES"), STR_INIT("void") } };
    static struct port_mapping port = { .container_port = { 8080, true }, .host_port = { 0, true } };
    struct wire_docker_config docker = { .config = str_from(config) };
    struct wire_container container = {
        .name = STR("main"), .image = STR("any"), .docker_config = config == NULL ? NULL : &docker, .port_mappings = { &port, 1 },
    };
    if (script != NULL) {
        container.entry_point = (struct str_list){ words, 2 };
        container.command = (struct str_list){ words + 2, 1 };
    }
    static struct str gpu = STR_INIT("GPU-1");
    struct container_spec spec = {
        .task_arn = STR("arn:x:task/c/1"), .container = &container, .environment = { environment, 3 }, .agent = STR("host:/folder"),
        .gpus = { &gpu, 1 }, .stop_timeout_s = 7,
    };
    struct str id = { 0 };
    struct err err = { 0 };
    bool good = runtime->ops->create(runtime, &spec, &id, &arena, &err);
    CHECK_EQ("created, when there is something to run", good, script != NULL);
    if (!good) { CHECK("says why", strncmp(err.message, "CannotCreateContainerError: ", 28) == 0); }
    return good ? id : (struct str){ 0 };
}

static bool start(struct runtime *runtime, struct str id, const char *wanted_error)
{
    struct err err = { 0 };
    bool good = runtime->ops->start(runtime, id, &err);
    if (wanted_error == NULL) {
        CHECK_STR("started", str_from(err.message), STR(""));
    } else {
        CHECK_STR("refused", str_from(err.message), str_from(wanted_error));
    }
    return good;
}

static struct container_state wait_unless(struct runtime *runtime, struct str id, int64_t ms, const atomic_bool *stop)
{
    struct container_state state;
    struct err err = { 0 };
    CHECK("waited", runtime->ops->wait(runtime, id, ms, stop, &state, &arena, &err));
    return state;
}

static struct container_state wait_for(struct runtime *runtime, struct str id, int64_t ms) { return wait_unless(runtime, id, ms, NULL); }

static struct str output(struct runtime *runtime, struct str id, int64_t offset, size_t limit)
{
    struct container_output read;
    struct err err = { 0 };
    CHECK("read", runtime->ops->logs(runtime, id, offset, limit, &read, &arena, &err));
    return read.text;
}

/* Output appears when it is written: asks until `text` is there. */
static void await_output(struct runtime *runtime, struct str id, const char *text)
{
    int64_t until_ms = clock_monotonic_ms() + LONG_MS;
    while (!str_starts_with(output(runtime, id, 0, 100), str_from(text)) && clock_monotonic_ms() < until_ms) { clock_sleep_ms(5); }
    CHECK("it said so", str_starts_with(output(runtime, id, 0, 100), str_from(text)));
}

static void drop(struct runtime *runtime, struct str id)
{
    struct err err = { 0 };
    CHECK("removed", runtime->ops->remove(runtime, id, &err));
    CHECK("twice", runtime->ops->remove(runtime, id, &err));
    CHECK("gone", !wait_for(runtime, id, 0).exists);
}

static void test_exit_codes(struct runtime *runtime)
{
    static const struct { const char *script; int64_t code; } rows[] = {
        { "exit 0", 0 }, { "exit 7", 7 }, { "exit 255", 255 }, { "kill -TERM $$", 143 }, { "kill -KILL $$", 137 }, { "kill -SEGV $$", 139 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str id = create(runtime, rows[r].script, NULL);
        struct container_state before = wait_for(runtime, id, 0);
        CHECK("made, not started", before.exists && !before.running && !before.exit_code.set && before.started_ms == 0);
        start(runtime, id, NULL);
        struct container_state state = wait_for(runtime, id, LONG_MS);
        CHECK(rows[r].script, state.exists && !state.running && state.exit_code.set);
        CHECK_EQ(rows[r].script, state.exit_code.value, rows[r].code);
        CHECK(rows[r].script, state.started_ms > 0 && state.finished_ms >= state.started_ms);
        drop(runtime, id);
    }
}

/* All processes of the command are counted, also those that it has left behind and those that have ended; a stranger is not. */
static void test_use(struct runtime *runtime)
{
    static const atomic_bool stop;
    struct container_usage uses[3];
    struct str busy = create(runtime, "(exec 9>big; sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; head -c 5000000 /dev/zero >&9; echo done; "
                             "exec sleep 600) & sleep 600", NULL);
    struct str idle = create(runtime, "echo up; exec sleep 600", NULL);
    struct str ids[] = { busy, STR("00000000000000000000000000000000"), idle };
    const struct str_list list = { ids, COUNT_OF(ids) };
    runtime->ops->usage(runtime, &list, uses, &stop);
    CHECK("made is not started", uses[0].read_ms == 0 && !uses[0].cpu_seconds.set);
    start(runtime, busy, NULL);
    start(runtime, idle, NULL);
    await_output(runtime, busy, "done");
    await_output(runtime, idle, "up");
    runtime->ops->usage(runtime, &list, uses, &stop);
    CHECK("the busy one", uses[0].read_ms > 0 && uses[0].cpu_seconds.set && uses[0].cpu_seconds.value > 0);
    CHECK("more than the idle one", uses[0].cpu_seconds.value > uses[2].cpu_seconds.value && uses[0].memory_bytes.value > uses[2].memory_bytes.value);
    CHECK("memory", uses[2].memory_bytes.set && uses[2].memory_bytes.value > 0);
    CHECK("disks are known", uses[0].block_written_bytes.set && uses[0].block_read_bytes.set);
    CHECK("nobody there", uses[1].read_ms == 0);
    CHECK("processes have no separate network", !uses[0].network_received_bytes.set);
    for (size_t i = 0; i < 3; i += 2) {
        struct err err = { 0 };
        CHECK("stopped", runtime->ops->stop(runtime, ids[i], 0, &err));
        drop(runtime, ids[i]);
    }
    runtime->ops->usage(runtime, &list, uses, &stop);
    CHECK("gone", uses[0].read_ms == 0 && uses[2].read_ms == 0);
}

/* As the restart policy does it: at once, while the shim of the first run may still be on its way out. */
static void test_start_again(struct runtime *runtime)
{
    enum { ROUNDS = 10 };
    struct str id = create(runtime, "echo run >>runs; n=$(wc -l <runs); echo $n; exit $n", NULL);
    for (int round = 1; round <= ROUNDS; round++) {
        start(runtime, id, NULL);
        struct container_state state = wait_for(runtime, id, LONG_MS);
        CHECK("it has ended", state.exists && !state.running && state.exit_code.set);
        CHECK_EQ("with its own code", state.exit_code.value, round);
    }
    CHECK_STR("its output goes on", output(runtime, id, 0, 100), STR("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"));
    drop(runtime, id);
}

/* Is `text` in any file below the runtime's folder? */
static bool is_on_disk(const char *text)
{
    return system(arena_printf(&arena, "grep -rqF -- '%s' %s", text, dir).ptr) == 0;
}

static void test_values(struct runtime *runtime)
{
    static struct str words[] = { STR_INIT("sh"), STR_INIT("-c"), STR_INIT("test \"$A\" = fetched-$((40+2)); echo $? $B") };
    static struct pair environment[] = { { STR_INIT("A"), STR_INIT("plain") }, { STR_INIT("B"), STR_INIT("kept") } };
    static struct pair values[] = { { STR_INIT("A"), STR_INIT("fetched-42") }, { STR_INIT("C"), STR_INIT("") } };
    struct wire_container container = { .name = STR("main"), .image = STR("any"), .command = { words, 3 } };
    struct container_spec spec = {
        .task_arn = STR("arn:x:task/c/1"), .container = &container, .environment = { environment, 2 }, .values = { values, 2 },
    };
    struct str id;
    struct err err = { 0 };
    CHECK("made", runtime->ops->create(runtime, &spec, &id, &arena, &err));
    CHECK("a plain value is in its file", is_on_disk("B=kept"));
    CHECK("a fetched value is not", !is_on_disk("fetched-42") && !is_on_disk("A=plain"));
    for (int round = 0; round < 2; round++) {
        start(runtime, id, NULL);
        (void)wait_for(runtime, id, LONG_MS);
    }
    CHECK_STR("it sees them, at each start", output(runtime, id, 0, 100), STR("0 kept\n0 kept\n"));
    CHECK("and none is left", !is_on_disk("fetched-42"));

    struct runtime *later = runtime_process_create(dir, &err);
    CHECK("another life of the agent", later != NULL);
    start(later, id, "CannotStartContainerError: the values of its secrets went with the agent that fetched them");
    later->ops->destroy(later);
    drop(runtime, id);
    start(runtime, id, "CannotStartContainerError: there is no such container");
}

static void test_environment_and_output(struct runtime *runtime)
{
    setenv("AWS_SECRET_ACCESS_KEY", "do-not-tell", 1);
    struct str id = create(runtime, "echo A=$A; echo err >&2; echo secret=$AWS_SECRET_ACCESS_KEY; "
                           "echo gpu=$NVIDIA_VISIBLE_DEVICES; pwd | sed 's/.*\\///'", NULL);
    start(runtime, id, NULL);
    wait_for(runtime, id, LONG_MS);
    CHECK_STR("both streams in order, no keys", output(runtime, id, 0, 1000), STR("A=second\nerr\nsecret=\ngpu=void\nwork\n"));
    CHECK_STR("a piece", output(runtime, id, 2, 6), STR("second"));
    CHECK_STR("the end", output(runtime, id, 35, 100), STR(""));
    CHECK_STR("beyond it", output(runtime, id, 1000, 100), STR(""));
    drop(runtime, id);
    id = create(runtime, "pwd", "{\"WorkingDir\":\"/usr\"}");
    start(runtime, id, NULL);
    wait_for(runtime, id, LONG_MS);
    CHECK_STR("where it says", output(runtime, id, 0, 100), STR("/usr\n"));
    drop(runtime, id);
}

static void test_refusals(struct runtime *runtime)
{
    CHECK("nothing to run", !str_is_set(create(runtime, NULL, NULL)));
    struct str id = create(runtime, "true", "{\"WorkingDir\":\"/no/such\"}");
    CHECK("no folder", !start(runtime, id, "CannotStartContainerError: /no/such: No such file or directory"));
    drop(runtime, id);
    CHECK("no container", !start(runtime, STR("00000000000000000000000000000000"), "CannotStartContainerError: there is no such container"));
    CHECK("no id at all", !wait_for(runtime, STR("../../etc"), 0).exists);
}

static void test_stop(struct runtime *runtime)
{
    struct err err = { 0 };
    struct str id = create(runtime, "trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.05; done", NULL);
    start(runtime, id, NULL);
    await_output(runtime, id, "up\n");
    struct container_state state = wait_for(runtime, id, 0);
    CHECK("running, with its port", state.running && state.bindings.count == 1 && state.bindings.items[0].host_port.value == 8080);
    static const atomic_bool stopping = true;
    int64_t asked_ms = clock_monotonic_ms();
    CHECK("who is to stop does not wait for it", wait_unless(runtime, id, LONG_MS, &stopping).running && clock_monotonic_ms() - asked_ms < LONG_MS);
    CHECK("not removed while it runs", !runtime->ops->remove(runtime, id, &err));
    err = (struct err){ 0 };
    CHECK("stopped politely", runtime->ops->stop(runtime, id, LONG_MS / 1000, &err));
    CHECK_EQ("its own code", wait_for(runtime, id, 0).exit_code.value, 5);
    CHECK("its last word", str_ends_with(output(runtime, id, 3, 100), STR("bye\n")));
    CHECK("stopped again: nothing", runtime->ops->stop(runtime, id, LONG_MS / 1000, &err));
    drop(runtime, id);

    id = create(runtime, "trap '' TERM; echo up; while :; do sleep 0.05; done", NULL);
    start(runtime, id, NULL);
    await_output(runtime, id, "up\n");
    int64_t began_ms = clock_monotonic_ms();
    CHECK("killed", runtime->ops->stop(runtime, id, 1, &err));
    CHECK("not before the time-out", clock_monotonic_ms() - began_ms >= 1000);
    CHECK_EQ("137", wait_for(runtime, id, 0).exit_code.value, 137);
    drop(runtime, id);
}

/* Processes that a command leaves behind in other sessions end with it, as in a container. */
static void test_leftovers(struct runtime *runtime)
{
    struct str id = create(runtime, "setsid sh -c 'echo $$; sleep 1000' & while [ -z \"$(cat ../output.log)\" ]; do sleep 0.01; done; exit 0", NULL);
    start(runtime, id, NULL);
    CHECK("ended", !wait_for(runtime, id, LONG_MS).running);
    int64_t pid = 0;
    CHECK("its number", str_to_i64(str_trim(output(runtime, id, 0, 20)), &pid) && pid > 1);
    CHECK_EQ("is nobody's now", process_start_time((pid_t)pid), -1);
    drop(runtime, id);
}

/* The agent that started it dies with kill -9; another finds it by the list, sees it run, and sees it end. */
static void test_survival(struct runtime *runtime)
{
    int words[2];
    CHECK("a pipe", pipe(words) == 0);
    pid_t agent = fork();
    if (agent == 0) {
        struct err err = { 0 };
        struct runtime *own = runtime_process_create(dir, &err);
        struct str id = create(own, "echo up; while [ ! -e go ]; do sleep 0.02; done; exit 9", NULL);
        if (!start(own, id, NULL) || write(words[1], id.ptr, id.len) != (ssize_t)id.len) { _exit(1); }
        pause();
    }
    char text[33] = "";
    CHECK("told", read(words[0], text, 32) == 32);
    kill(agent, SIGKILL);
    waitpid(agent, NULL, 0);
    struct str id = str_from(text);
    struct container_found_list found;
    struct err err = { 0 };
    CHECK("listed", runtime->ops->list(runtime, &found, &arena, &err));
    CHECK_EQ("one", found.count, 1);
    if (found.count == 1) {
        CHECK_STR("its id", found.items[0].id, id);
        CHECK_STR("its task", found.items[0].task_arn, STR("arn:x:task/c/1"));
        CHECK_STR("its name", found.items[0].container_name, STR("main"));
    }
    CHECK("it runs on", wait_for(runtime, id, 0).running);
    CHECK("a second start starts nothing", start(runtime, id, NULL));
    await_output(runtime, id, "up\n");
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s/work/go", dir, text);
    FILE *go = fopen(path, "w");
    CHECK("go", go != NULL && fclose(go) == 0);
    CHECK_EQ("and ends", wait_for(runtime, id, LONG_MS).exit_code.value, 9);
    CHECK_STR("once", output(runtime, id, 0, 100), STR("up\n"));
    drop(runtime, id);
    close(words[0]);
    close(words[1]);
}

/* A shim that is killed takes its command along, and nobody waits for ever. */
static void test_shim_killed(struct runtime *runtime)
{
    struct str id = create(runtime, "echo up; sleep 1000", NULL);
    start(runtime, id, NULL);
    await_output(runtime, id, "up\n");
    char path[256];
    struct process_pids pids;
    (void)snprintf(path, sizeof path, "%s/" STR_FMT, dir, STR_ARG(id));
    CHECK("its numbers", process_read_pids(path, &pids) && process_is_alive(&pids.shim));
    kill(pids.shim.pid, SIGKILL);
    struct container_state state = wait_for(runtime, id, LONG_MS);
    CHECK("over, and nobody knows how", state.exists && !state.running && !state.exit_code.set);
    int64_t until_ms = clock_monotonic_ms() + LONG_MS;
    while (process_is_alive(&pids.command) && clock_monotonic_ms() < until_ms) { clock_sleep_ms(5); }
    CHECK("the command too", !process_is_alive(&pids.command));
    drop(runtime, id);
}

/* Somebody cleared the data folder away: the shim has nobody to tell, and ends. */
static void test_folder_gone(struct runtime *runtime)
{
    struct str id = create(runtime, "echo up; sleep 1000", NULL);
    start(runtime, id, NULL);
    await_output(runtime, id, "up\n");
    char path[256], command[300];
    struct process_pids pids;
    (void)snprintf(path, sizeof path, "%s/" STR_FMT, dir, STR_ARG(id));
    (void)snprintf(command, sizeof command, "rm -rf %s", path);
    CHECK("its numbers", process_read_pids(path, &pids) && system(command) == 0);
    kill(pids.shim.pid, PROCESS_SIGNAL_KILL);
    int64_t until_ms = clock_monotonic_ms() + LONG_MS;
    while (process_is_alive(&pids.shim) && clock_monotonic_ms() < until_ms) { clock_sleep_ms(5); }
    CHECK("ended", !process_is_alive(&pids.shim) && !process_is_alive(&pids.command));
}

/* A process that was started like a shim, but is no shim. It says when it is there. */
static pid_t start_stranger(const char *folder, const char *mark)
{
    char path[300], byte;
    int told[2];
    (void)snprintf(path, sizeof path, "%s/%032d", folder, 1);
    CHECK("a pipe", pipe(told) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(told[1], STDOUT_FILENO);
        setenv("TEST_STRANGER", "1", 1);
        execl("/proc/self/exe", "berth", "__shim", path, mark, (char *)NULL);
        _exit(1);
    }
    close(told[1]);
    CHECK("it is there", read(told[0], &byte, 1) == 1);
    close(told[0]);
    return pid;
}

static int be_strange(void)
{
    (void)!write(STDOUT_FILENO, "x", 1);
    return pause();
}

/* The same for all folders, and an agent that comes back: what runs is found again and can be ended. What only looks like it is not. */
static void test_taken_up(struct runtime *runtime)
{
    static const struct { const char *folder, *mark; } likes[] = {
        { dir, NULL }, { dir, "{\"task\":7}" }, { "/tmp/berth-other", "{\"task\":\"arn:x:task/c/1\",\"container\":\"main\"}" },
    };
    pid_t strangers[COUNT_OF(likes)];
    for (size_t s = 0; s < COUNT_OF(likes); s++) { strangers[s] = start_stranger(likes[s].folder, likes[s].mark); }
    struct str id = create(runtime, "trap 'echo bye; exit 6' TERM; echo up; while :; do sleep 0.05; done", NULL);
    start(runtime, id, NULL);
    await_output(runtime, id, "up\n");
    char path[256], command[300];
    struct process_pids pids;
    struct container_found_list found;
    struct err err = { 0 };
    (void)snprintf(path, sizeof path, "%s/" STR_FMT, dir, STR_ARG(id));
    (void)snprintf(command, sizeof command, "rm -rf %s", path);
    CHECK("its numbers", process_read_pids(path, &pids) && system(command) == 0);

    CHECK("listed", runtime->ops->list(runtime, &found, &arena, &err));
    CHECK_EQ("one, and no stranger", found.count, 1);
    CHECK("there again", found.count == 1 && str_eq(found.items[0].id, id) && str_eq(found.items[0].agent, STR("host:/folder")));
    if (found.count == 1) {
        CHECK_STR("its task", found.items[0].task_arn, STR("arn:x:task/c/1"));
        CHECK_STR("its name", found.items[0].container_name, STR("main"));
        CHECK_EQ("its GPUs", found.items[0].gpus.count, 1);
        CHECK_EQ("its patience", found.items[0].stop_timeout_s, 7);
    }
    struct container_state state = wait_for(runtime, id, 0);
    CHECK("it runs", state.running && state.started_ms > 0 && state.started_ms <= clock_now_ms());
    CHECK("and ends when it is asked to", runtime->ops->stop(runtime, id, LONG_MS / 1000, &err));
    CHECK_EQ("as it wishes", wait_for(runtime, id, 0).exit_code.value, 6);
    CHECK("all of it", !process_is_alive(&pids.shim) && !process_is_alive(&pids.command));
    drop(runtime, id);
    for (size_t s = 0; s < COUNT_OF(likes); s++) {
        CHECK("strangers live on", waitpid(strangers[s], NULL, WNOHANG) == 0 && kill(strangers[s], SIGKILL) == 0);
        waitpid(strangers[s], NULL, 0);
    }
}

/* Looks until the check says `wanted`. */
static void await_health(const char *row, struct runtime *runtime, struct str id, enum health_status wanted)
{
    struct container_state state = wait_for(runtime, id, 0);
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; state.health != wanted && clock_monotonic_ms() < until_ms;) {
        clock_sleep_ms(5);
        state = wait_for(runtime, id, 0);
    }
    CHECK_EQ(row, state.health, wanted);
    CHECK(row, state.running);
}

/* The checks leave marks in the command's folder. */
static void test_health(struct runtime *runtime)
{
#define TIMED(test, timeout, more) "{\"Healthcheck\":{\"Test\":[" test "],\"Interval\":10000000,\"Timeout\":" timeout ",\"Retries\":2" more "}}"
#define CHECKED(test, more) TIMED(test, "60000000000", more)
    static const struct { const char *row, *config; enum health_status first, then; } rows[] = {
        { "a shell, and the environment", CHECKED("\"CMD-SHELL\",\"test $A = second && test -e well\"", ""), HEALTH_STATUS_UNHEALTHY, HEALTH_STATUS_HEALTHY },
        { "without a shell", CHECKED("\"CMD\",\"test\",\"-e\",\"well\"", ""), HEALTH_STATUS_UNHEALTHY, HEALTH_STATUS_HEALTHY },
        { "no such program", CHECKED("\"CMD\",\"/no/such\"", ""), HEALTH_STATUS_UNHEALTHY, HEALTH_STATUS_UNHEALTHY },
        { "it takes too long", TIMED("\"CMD-SHELL\",\"sleep 1000\"", "10000000", ""), HEALTH_STATUS_UNHEALTHY, HEALTH_STATUS_UNHEALTHY },
        { "in the start period",
          CHECKED("\"CMD-SHELL\",\"test -e well || { echo >>../runs; exit 1; }\"", ",\"StartPeriod\":3600000000000"),
          HEALTH_STATUS_UNSET, HEALTH_STATUS_HEALTHY },
        { "none", CHECKED("\"NONE\"", ""), HEALTH_STATUS_UNSET, HEALTH_STATUS_UNSET },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char path[PROCESS_PATH_MAX];
        struct err err = { 0 };
        struct stat info = { 0 };
        struct str id = create(runtime, "while :; do sleep 1000; done", rows[r].config);
        start(runtime, id, NULL);
        (void)snprintf(path, sizeof path, "%s/" STR_FMT "/runs", dir, STR_ARG(id));
        while (strstr(rows[r].config, "runs") != NULL && info.st_size < 4) { (void)stat(path, &info); clock_sleep_ms(5); }
        await_health(rows[r].row, runtime, id, rows[r].first);
        (void)snprintf(path, sizeof path, "%s/" STR_FMT "/work/well", dir, STR_ARG(id));
        FILE *well = fopen(path, "we");
        CHECK(rows[r].row, well != NULL && fclose(well) == 0);
        await_health(rows[r].row, runtime, id, rows[r].then);
        CHECK(rows[r].row, runtime->ops->stop(runtime, id, 0, &err) && runtime->ops->remove(runtime, id, &err));
    }
}

int main(int argc, char **argv)
{
    if (getenv("TEST_STRANGER") != NULL) { return be_strange(); }
    if (argc > 1 && strcmp(argv[1], "__shim") == 0) { return runtime_process_shim(argc, argv); }
    arena_init(&arena, 64 << 20);
    CHECK("a folder", mkdtemp(dir) != NULL);
    struct err err = { 0 };
    struct runtime *runtime = runtime_process_create(dir, &err);
    CHECK("made", runtime != NULL);
    test_exit_codes(runtime);
    test_use(runtime);
    test_start_again(runtime);
    test_values(runtime);
    test_environment_and_output(runtime);
    test_refusals(runtime);
    test_health(runtime);
    test_stop(runtime);
    test_leftovers(runtime);
    test_survival(runtime);
    test_shim_killed(runtime);
    test_folder_gone(runtime);
    test_taken_up(runtime);
    runtime->ops->destroy(runtime);
    CHECK("nothing is left", rmdir(dir) == 0);
    arena_finish(&arena);
    return check_report();
}
