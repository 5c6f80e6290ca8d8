/* docker_runtime_test.c: the Docker runtime against a real engine: docker_runtime_test SOCKET DIRECTORY. The engine has an image
 * busybox:latest; DIRECTORY is empty and may be mounted. Each test removes what it made. */
#include "tests/unit/check.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/core/runtime.h"
#include "base/clock.h"

/* PATIENCE_MS: for what must come; waiting long costs nothing when all is well. */
enum { SECOND_MS = 1000, PATIENCE_MS = 300 * SECOND_MS, LOOK_MS = 50, OOM_TRIES = 20 };

static struct runtime *runtime;
static struct arena arena;
static const char *socket_path, *directory;
static const char *named_file;                       /* allowed by its own name */
static char own_folder[] = "/tmp/berth-docker-runtime-XXXXXX";     /* the agent's own folder */

/* ---- making containers ---- */

/* A test's settings of its container; everything else is the same for all. */
struct wish {
    const char *name;                                /* "main" */
    const char *script;                              /* sh -c */
    struct pair_list environment;
    struct port_mapping_list ports;
    struct mount_point_list mounts;
    struct volume_from_list volumes_from;
    struct str_list links, gpus;
    struct wire_volume_list volumes;
    struct wire_docker_config *docker_config;
    int64_t memory_mib;
    const char *image;
    bool simulated_gpus;
};

static struct str task_arn;                          /* one for each run, so that an earlier run is not found */

static bool create(const struct wish *wish, struct str *id, struct err *err)
{
    struct str command[3] = { STR("sh"), STR("-c"), str_from(wish->script) };
    struct wire_container container = {
        .name = str_from(wish->name == NULL ? "main" : wish->name), .image = str_from(wish->image == NULL ? "busybox" : wish->image),
        .command = { command, 3 }, .port_mappings = wish->ports, .mount_points = wish->mounts, .volumes_from = wish->volumes_from,
        .links = wish->links, .docker_config = wish->docker_config,
        .memory = { wish->memory_mib, wish->memory_mib > 0 },
    };
    struct wire_task task = {
        .arn = task_arn, .family = STR("test"), .version = STR("1"), .volumes = wish->volumes, .containers = { &container, 1 },
    };
    struct container_spec spec = {
        .task_arn = task_arn, .cluster = STR("default"), .family = task.family, .revision = task.version, .container = &container,
        .task = &task, .gpus = wish->gpus, .simulated_gpus = wish->simulated_gpus, .environment = wish->environment,
    };
    return runtime->ops->create(runtime, &spec, id, &arena, err);
}

static struct str start(const char *row, const struct wish *wish)
{
    struct err err = { 0 };
    struct str id = { NULL, 0 };
    bool good = create(wish, &id, &err) && runtime->ops->start(runtime, id, &err);
    CHECK(row, good);
    if (!good) { fprintf(stderr, "%s: %s\n", row, err.message); }
    return id;
}

static struct container_state wait_unless(const char *row, struct str id, int64_t ms, const atomic_bool *stop)
{
    struct err err = { 0 };
    struct container_state state = { 0 };
    CHECK(row, runtime->ops->wait(runtime, id, ms, stop, &state, &arena, &err));
    if (err.code != ERR_NONE) { fprintf(stderr, "%s: %s\n", row, err.message); }
    return state;
}

static struct container_state wait_ms(const char *row, struct str id, int64_t ms) { return wait_unless(row, id, ms, NULL); }

static struct str logs(const char *row, struct str id, int64_t offset, size_t limit)
{
    struct err err = { 0 };
    struct container_output output = { .text = STR("") };
    CHECK(row, runtime->ops->logs(runtime, id, offset, limit, &output, &arena, &err));
    if (err.code != ERR_NONE) { fprintf(stderr, "%s: %s\n", row, err.message); }
    return output.text;
}

/* Waits until the container has printed this and no more. */
static void prints(const char *row, struct str id, struct str want)
{
    struct str text = logs(row, id, 0, 1000);
    for (int64_t until_ms = clock_monotonic_ms() + PATIENCE_MS; !str_eq(text, want) && clock_monotonic_ms() < until_ms;) {
        wait_ms(row, id, LOOK_MS);
        text = logs(row, id, 0, 1000);
    }
    CHECK_STR(row, text, want);
}

static void remove_it(const char *row, struct str id)
{
    struct err err = { 0 };
    CHECK(row, runtime->ops->remove(runtime, id, &err));
    if (err.code != ERR_NONE) { fprintf(stderr, "%s: %s\n", row, err.message); }
}

/* Runs to its end and gives what it printed. */
static struct str output_of(const char *row, const struct wish *wish, int64_t exit_code)
{
    struct str id = start(row, wish);
    struct container_state state = wait_ms(row, id, PATIENCE_MS);
    CHECK_EQ(row, state.exit_code.value, exit_code);
    struct str text = logs(row, id, 0, 64 * 1024);
    remove_it(row, id);
    return text;
}

static bool starts_with(const char *message, const char *front) { return strncmp(message, front, strlen(front)) == 0; }

/* ---- tests ---- */

static void test_exit_codes(void)
{
    static const struct { const char *name, *script; int64_t code; } rows[] = { { "true", "exit 0", 0 }, { "seven", "exit 7", 7 } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        int64_t before_ms = clock_now_ms();
        struct wish wish = { .script = rows[r].script };
        struct str id = start(rows[r].name, &wish);
        CHECK_EQ(rows[r].name, id.len, 64);
        struct container_state state = wait_ms(rows[r].name, id, PATIENCE_MS);
        CHECK(rows[r].name, state.exists && !state.running && state.exit_code.set && !state.oom_killed);
        CHECK_EQ(rows[r].name, state.exit_code.value, rows[r].code);
        CHECK(rows[r].name, state.started_ms >= before_ms && state.finished_ms >= state.started_ms && state.finished_ms <= clock_now_ms());
        remove_it(rows[r].name, id);
        remove_it("a second time", id);
        CHECK("it is gone", !wait_ms(rows[r].name, id, PATIENCE_MS).exists);
        struct err err = { 0 };
        CHECK("stopping a container that is gone", runtime->ops->stop(runtime, id, 1, &err));
    }
}

static void test_wait_and_stop(void)
{
    struct wish wish = { .script = "trap 'exit 5' TERM; echo ready; while true; do sleep 0.1; done" };
    struct str id = start("gives in", &wish);
    prints("its trap is set", id, STR("ready\n"));
    struct container_state state = wait_ms("still running", id, 300);
    CHECK("still running", state.exists && state.running && !state.exit_code.set && state.started_ms > 0 && state.finished_ms == 0);
    struct err err = { 0 };
    struct image_facts image = { 0 };
    CHECK("its image", runtime->ops->images->find(runtime, state.image, &image, &arena, &err) && image.exists);
    CHECK_STR("by the id that the container tells", image.id, state.image);
    CHECK("an imported image has no digest", !str_is_set(image.digest));
    static const atomic_bool stopping = true;
    int64_t asked_ms = clock_monotonic_ms();
    state = wait_unless("who is to stop", id, PATIENCE_MS, &stopping);
    CHECK("does not wait for it", state.running && clock_monotonic_ms() - asked_ms < PATIENCE_MS);
    CHECK("started twice", runtime->ops->start(runtime, id, &err));
    CHECK("stopped", runtime->ops->stop(runtime, id, 100, &err));
    CHECK_EQ("its own code", wait_ms("stopped", id, 0).exit_code.value, 5);
    CHECK("stopped twice", runtime->ops->stop(runtime, id, 100, &err));
    remove_it("gives in", id);

    struct wish stubborn = { .script = "trap '' TERM; echo ready; while true; do sleep 0.1; done" };
    id = start("stubborn", &stubborn);
    prints("its trap is set", id, STR("ready\n"));
    CHECK("killed", runtime->ops->stop(runtime, id, 1, &err));
    CHECK_EQ("by SIGKILL", wait_ms("killed", id, 0).exit_code.value, 137);
    remove_it("stubborn", id);

    struct wish running = { .script = "sleep 100" };
    id = start("removed while it runs", &running);
    remove_it("removed while it runs", id);
    CHECK("and is gone", !wait_ms("gone", id, 0).exists);
}

/* A file in the folder that containers see as /gate: they go on when it is there. */
static const char *gate_path(const char *name) { return arena_printf(&arena, "%s/%s", directory, name).ptr; }

static void open_gate(const char *name)
{
    int fd = open(gate_path(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT(fd >= 0);
    close(fd);
}

static void test_logs(void)
{
    struct wire_host_volume host = { str_from(directory) };
    struct wire_volume volume = { .name = STR("gate"), .host = &host };
    struct mount_point point = { .source_volume = STR("gate"), .container_path = STR("/gate") };
    struct wish wish = {
        .script = "pass() { until [ -e /gate/$1 ]; do sleep 0.05; done; }; echo out1; pass a; echo err1 >&2; pass b; printf out2; pass c; echo late",
        .volumes = { &volume, 1 }, .mounts = { &point, 1 },
    };
    struct str id = start("logs", &wish);
    prints("the first line", id, STR("out1\n"));
    open_gate("a");
    prints("both streams as they came", id, STR("out1\nerr1\n"));
    CHECK_STR("from an offset", logs("logs", id, 3, 1000), STR("1\nerr1\n"));
    CHECK_STR("a limit", logs("logs", id, 5, 2), STR("er"));
    CHECK_STR("and on from there", logs("logs", id, 7, 1000), STR("r1\n"));
    open_gate("b");
    wait_ms("half a line", id, 300);
    CHECK_STR("nothing more yet", logs("logs", id, 10, 1000), STR(""));
    open_gate("c");
    wait_ms("ended", id, PATIENCE_MS);
    CHECK_STR("what came since", logs("logs", id, 10, 1000), STR("out2late\n"));
    CHECK_STR("the end", logs("logs", id, 19, 1000), STR(""));
    CHECK_STR("all again", logs("logs", id, 0, 1000), STR("out1\nerr1\nout2late\n"));
    remove_it("logs", id);
    for (const char *name = "abc"; *name != '\0'; name++) { CHECK("a gate", unlink(gate_path((char[]){ *name, '\0' })) == 0); }
    struct err err = { 0 };
    struct container_output output = { .text = STR("") };
    CHECK("of a container that is gone", !runtime->ops->logs(runtime, id, 0, 10, &output, &arena, &err));
}

static void test_many_logs(void)
{
    struct wish wish = { .script = "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done" };
    struct str id = start("many lines", &wish);
    wait_ms("many lines", id, PATIENCE_MS);
    struct str whole = logs("whole", id, 0, 1 << 20);
    struct buf pieces = buf_in(&arena);
    for (struct str text = STR("x"); text.len > 0;) {
        text = logs("in pieces", id, (int64_t)pieces.len, 1000);
        buf_put(&pieces, text);
    }
    CHECK_EQ("3000 lines", whole.len, 3000 * 6 + 10 + 2 * 90 + 3 * 900 + 4 * 2000);
    CHECK("the same in pieces", str_eq(whole, buf_str(&pieces)));
    remove_it("many lines", id);
}

static void test_tty_logs(void)
{
    static struct wire_docker_config config = { .config = STR_INIT("{\"Tty\":true}") };
    struct wish wish = { .script = "echo one; echo two >&2", .docker_config = &config };
    struct str id = start("tty", &wish);
    wait_ms("tty", id, PATIENCE_MS);
    CHECK_STR("bytes of a terminal", logs("tty", id, 0, 100), STR("one\r\ntwo\r\n"));
    CHECK_STR("from an offset", logs("tty", id, 5, 2), STR("tw"));
    remove_it("tty", id);
}

/* Docker forgets that a container was out of memory when the kernel's word of it comes after the container's end (seen with 20.10):
 * then nobody can know, and it is tried again. */
static void test_memory(void)
{
    bool seen = false;
    for (int tries = 0; tries < OOM_TRIES && !seen; tries++) {
        struct wish wish = { .script = "x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done", .memory_mib = 16 };
        struct str id = start("memory", &wish);
        struct container_state state = wait_ms("memory", id, PATIENCE_MS);
        CHECK("it was killed", !state.running);
        CHECK_EQ("with SIGKILL's code", state.exit_code.value, 137);
        seen = state.oom_killed;
        remove_it("memory", id);
    }
    CHECK("for its memory", seen);
}

/* ---- ports ---- */

static bool can_connect(int64_t port)
{
    int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    bool good = socket_fd >= 0 && connect(socket_fd, (const struct sockaddr *)&address, sizeof address) == 0;
    if (socket_fd >= 0) { close(socket_fd); }
    return good;
}

static const struct network_binding *binding_of(const struct container_state *state, int64_t container_port)
{
    for (size_t b = 0; b < state->bindings.count; b++) {
        if (state->bindings.items[b].container_port.value == container_port) { return &state->bindings.items[b]; }
    }
    return NULL;
}

static void test_ports(void)
{
    struct port_mapping mappings[] = {
        { .container_port = { 8080, true } },
        { .container_port = { 9090, true }, .host_port = { 19090, true } },
        { .container_port = { 5353, true }, .protocol = TRANSPORT_PROTOCOL_UDP },
        { .container_port_range = STR("7000-7002") },
    };
    struct wish wish = { .script = "while true; do sleep 1; done", .ports = { mappings, COUNT_OF(mappings) } };
    struct str id = start("ports", &wish);
    struct container_state state = wait_ms("ports", id, 0);
    CHECK_EQ("one binding for each port", state.bindings.count, 6);
    const struct network_binding *dynamic = binding_of(&state, 8080), *fixed = binding_of(&state, 9090), *udp = binding_of(&state, 5353);
    const struct network_binding *first = binding_of(&state, 7000), *last = binding_of(&state, 7002);
    CHECK("dynamic", dynamic != NULL && dynamic->host_port.value > 1024 && str_eq(dynamic->bind_ip, STR("0.0.0.0")));
    CHECK("as asked", fixed != NULL && fixed->host_port.value == 19090 && fixed->protocol == TRANSPORT_PROTOCOL_TCP);
    CHECK("udp", udp != NULL && udp->protocol == TRANSPORT_PROTOCOL_UDP);
    CHECK("a row", first != NULL && last != NULL && last->host_port.value - first->host_port.value == 2);
    CHECK("somebody listens", dynamic != NULL && can_connect(dynamic->host_port.value) && can_connect(19090));

    struct err err = { 0 };
    struct str second = { NULL, 0 };
    struct wish same = { .name = "second", .script = "true", .ports = { &mappings[1], 1 } };
    CHECK("created", create(&same, &second, &err));
    CHECK("a port that is taken", !runtime->ops->start(runtime, second, &err));
    CHECK("in ECS's words", starts_with(err.message, "CannotStartContainerError: ") && strstr(err.message, "19090") != NULL);
    state = wait_ms("it never ran", second, 0);
    CHECK("it never ran", state.exists && !state.running && !state.exit_code.set && state.started_ms == 0);
    remove_it("second", second);
    remove_it("ports", id);
    CHECK("the port is free again", !can_connect(19090));
}

/* ---- environment, volumes, neighbours ---- */

static void test_environment(void)
{
    struct pair pairs[] = {
        { STR("B"), STR("1") }, { STR("A"), STR("x=y z") }, { STR("B"), STR("2") }, { STR("NVIDIA_VISIBLE_DEVICES"), STR("all") },
    };
    struct wish wish = { .script = "echo \"$A|$B|$NVIDIA_VISIBLE_DEVICES\"", .environment = { pairs, COUNT_OF(pairs) } };
    CHECK_STR("the later one wins, no GPU is seen", output_of("environment", &wish, 0), STR("x=y z|2|void\n"));

    static struct str uuids[] = { STR_INIT("GPU-aa"), STR_INIT("GPU-bb") };
    struct wish gpus = { .script = "echo $NVIDIA_VISIBLE_DEVICES", .gpus = { uuids, 2 }, .simulated_gpus = true };
    CHECK_STR("simulated GPUs", output_of("simulated", &gpus, 0), STR("GPU-aa,GPU-bb\n"));
}

static void test_gpu_without_runtime(void)
{
    static struct str uuids[] = { STR_INIT("GPU-aa") };
    struct wish wish = { .script = "true", .gpus = { uuids, 1 } };
    struct err err = { 0 };
    struct str id = { NULL, 0 };
    CHECK("created", create(&wish, &id, &err));
    CHECK("not started", !runtime->ops->start(runtime, id, &err));
    CHECK("it says why", starts_with(err.message, "CannotStartContainerError: ") && strstr(err.message, "NVIDIA Container Toolkit") != NULL);
    remove_it("gpu", id);
}

static void test_volumes(void)
{
    struct wire_host_volume host = { str_from(directory) }, empty = { { NULL, 0 } }, forbidden = { STR("/etc") };
    struct wire_volume volumes[] = {
        { .name = STR("host"), .host = &host }, { .name = STR("own"), .host = &empty }, { .name = STR("etc"), .host = &forbidden },
    };
    struct mount_point points[] = {
        { .source_volume = STR("host"), .container_path = STR("/h") },
        { .source_volume = STR("own"), .container_path = STR("/o") },
        { .source_volume = STR("own"), .container_path = STR("/r"), .read_only = OPT_TRUE },
    };
    struct wish writer = {
        .name = "writer", .script = "echo hello >/h/file && echo own >/o/file && cat /r/file; echo no >/r/file", .volumes = { volumes, 3 },
        .mounts = { points, 3 },
    };
    struct str first = start("writer", &writer);
    CHECK_EQ("read-only is", wait_ms("writer", first, PATIENCE_MS).exit_code.value, 1);
    /* Its complaint is on the other stream, and which of the two Docker writes down first is nobody's business. */
    CHECK("what it read", strstr(arena_cstr(&arena, logs("writer", first, 0, 1000)), "own\n") != NULL);

    struct volume_from from = { .source_container = STR("writer"), .read_only = OPT_TRUE };
    struct wish reader = { .name = "reader", .script = "cat /o/file /h/file", .volumes = { volumes, 3 }, .volumes_from = { &from, 1 } };
    CHECK_STR("another container of the task sees both", output_of("reader", &reader, 0), STR("own\nhello\n"));
    struct wish again = { .name = "again", .script = "cat /o/file", .volumes = { volumes, 3 }, .mounts = { &points[1], 1 } };
    CHECK_STR("so does a third, by the volume", output_of("again", &again, 0), STR("own\n"));
    remove_it("writer", first);
    struct wish later = { .name = "later", .script = "ls /o", .volumes = { volumes, 3 }, .mounts = { &points[1], 1 } };
    CHECK_STR("the volume went with the last container", output_of("later", &later, 0), STR(""));

    struct mount_point outside = { .source_volume = STR("etc"), .container_path = STR("/e") };
    struct wish refused = { .script = "true", .volumes = { volumes, 3 }, .mounts = { &outside, 1 } };
    struct err err = { 0 };
    struct str id = { NULL, 0 };
    CHECK("a path that is not allowed", !create(&refused, &id, &err));
    CHECK("in ECS's words", starts_with(err.message, "CannotCreateContainerError: host path \"/etc\""));
    char file[512];
    (void)snprintf(file, sizeof file, "%s/file", directory);
    CHECK("the file is on this machine", unlink(file) == 0);
}

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    ASSERT(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static const char *in(const char *folder, const char *name) { return arena_printf(&arena, "%s/%s", folder, name).ptr; }

static size_t entries_of(const char *folder)
{
    size_t count = 0;
    DIR *listing = opendir(folder);
    ASSERT(listing != NULL);
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) { count += entry->d_name[0] != '.'; }
    closedir(listing);
    return count;
}

/* Is anything mounted in the agent's own folder? */
static bool has_mounts(void)
{
    char line[4096];
    bool found = false;
    FILE *file = fopen("/proc/self/mountinfo", "re");
    ASSERT(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) { found = found || strstr(line, own_folder) != NULL; }
    fclose(file);
    return found;
}

/* Whoever may write into an allowed directory leads nobody out of it, at no start. */
static void test_volumes_below(void)
{
    char outside[] = "/tmp/berth-docker-outside-XXXXXX";
    ASSERT(mkdtemp(outside) != NULL);
    put_file(in(outside, "who"), "outside\n");
    const char *sub = in(directory, "sub");
    struct wire_host_volume host = { arena_printf(&arena, "%s/sub/deep", directory) }, who = { arena_printf(&arena, "%s/sub/deep/who", directory) };
    struct wire_volume volumes[] = { { .name = STR("v"), .host = &host }, { .name = STR("w"), .host = &who } };
    struct mount_point points[] = { { .source_volume = STR("v"), .container_path = STR("/v") }, { .source_volume = STR("w"), .container_path = STR("/w") } };
    struct wish wish = { .name = "below", .script = "cat /v/who; echo x >/v/new", .volumes = { volumes, 2 }, .mounts = { points, 1 } };
    struct err err = { 0 };

    struct str id = start("below", &wish);
    CHECK_EQ("an absent folder is made", wait_ms("below", id, PATIENCE_MS).exit_code.value, 0);
    CHECK("and written to", access(in(sub, "deep/new"), F_OK) == 0 && unlink(in(sub, "deep/new")) == 0);
    CHECK("nothing stays mounted", !has_mounts());
    put_file(in(sub, "deep/who"), "inside\n");

    struct str other = { NULL, 0 };
    struct wish one_file = { .script = "cat /w", .volumes = { volumes, 2 }, .mounts = { &points[1], 1 } };
    CHECK_STR("a file", output_of("one file", &one_file, 0), STR("inside\n"));
    put_file(named_file, "named\n");
    struct wire_host_volume named = { str_from(named_file) };
    struct wire_volume named_volume = { .name = STR("w"), .host = &named };
    struct wish by_name = { .script = "cat /w", .volumes = { &named_volume, 1 }, .mounts = { &points[1], 1 } };
    CHECK_STR("a file that is allowed itself", output_of("a named file", &by_name, 0), STR("named\n"));
    struct volume_from from = { .source_container = STR("below"), .read_only = OPT_TRUE };
    struct wish reader = { .name = "below-reader", .script = "cat /v/who", .volumes_from = { &from, 1 } };
    CHECK_STR("another container's", output_of("from another", &reader, 0), STR("inside\n"));
    CHECK("again", runtime->ops->start(runtime, id, &err) && wait_ms("below", id, PATIENCE_MS).exit_code.value == 0);
    CHECK("nothing stays mounted", !has_mounts());

    ASSERT(mkdir(in(outside, "deep"), 0700) == 0);
    put_file(in(outside, "deep/who"), "outside\n");
    const struct { const char *row, *path, *to; } rows[] = {
        { "a link on the way", sub, outside }, { "a link at its end", in(sub, "deep"), in(outside, "deep") },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const char *away = in(directory, "away");
        ASSERT(rename(rows[r].path, away) == 0 && symlink(rows[r].to, rows[r].path) == 0);
        err = (struct err){ 0 };
        CHECK(rows[r].row, !runtime->ops->start(runtime, id, &err));
        CHECK(rows[r].row, starts_with(err.message, "CannotStartContainerError: host path") && strstr(err.message, "a link leads away") != NULL);
        err = (struct err){ 0 };
        CHECK("not created either", !create(&wish, &other, &err) && strstr(err.message, "is not below a directory") != NULL);
        ASSERT(unlink(rows[r].path) == 0 && rename(away, rows[r].path) == 0);
    }
    CHECK("the outside is as it was", access(in(outside, "new"), F_OK) != 0 && access(in(outside, "deep/new"), F_OK) != 0);
    err = (struct err){ 0 };
    CHECK("as it was: it starts again", runtime->ops->start(runtime, id, &err) && wait_ms("below", id, PATIENCE_MS).exit_code.value == 0);
    remove_it("below", id);
    CHECK_EQ("its place has gone", entries_of(in(own_folder, "volumes")), 0);
    CHECK("cleaned", unlink(in(sub, "deep/who")) == 0 && unlink(in(sub, "deep/new")) == 0 && rmdir(in(sub, "deep")) == 0 && rmdir(sub) == 0);
    CHECK("cleaned", unlink(in(outside, "deep/who")) == 0 && unlink(in(outside, "who")) == 0 && rmdir(in(outside, "deep")) == 0 && rmdir(outside) == 0);
}

static void test_docker_volumes(void)
{
    struct docker_volume_configuration missing = { .scope = SCOPE_SHARED }, own = { .scope = SCOPE_TASK, .driver = STR("local") };
    struct wire_volume volumes[] = {
        { .name = STR("berth-test-missing"), .type = STR("docker"), .docker = &missing },
        { .name = STR("own"), .type = STR("docker"), .docker = &own },
    };
    struct mount_point points[] = {
        { .source_volume = STR("berth-test-missing"), .container_path = STR("/m") }, { .source_volume = STR("own"), .container_path = STR("/o") },
    };
    struct err err = { 0 };
    struct str id = { NULL, 0 };
    struct wish shared = { .script = "true", .volumes = { volumes, 2 }, .mounts = { points, 1 } };
    CHECK("a shared volume must be there", !create(&shared, &id, &err));
    CHECK("it says which", strstr(err.message, "berth-test-missing") != NULL);
    struct wish mine = { .script = "echo x >/o/x && ls /o", .volumes = { volumes, 2 }, .mounts = { &points[1], 1 } };
    CHECK_STR("the task's own", output_of("own", &mine, 0), STR("x\n"));
}

static void test_links(void)
{
    struct wish server = { .name = "db", .script = "while true; do sleep 1; done" };
    struct str id = start("db", &server);
    struct str link = STR("db:store");
    struct wish client = { .name = "web", .script = "cat /etc/hosts", .links = { &link, 1 } };
    CHECK("the alias is known", strstr(arena_cstr(&arena, output_of("web", &client, 0)), "store") != NULL);
    remove_it("db", id);
    struct err err = { 0 };
    struct str none = { NULL, 0 };
    CHECK("a link to a container that is gone", !create(&client, &none, &err));
}

/* ---- many threads ---- */

enum { THREADS = 6, ROUNDS = 3 };
struct worker { pthread_t thread; struct str task_arn; int number, good; };

/* One container from its making to its end, as the thread of a task runs it. */
static bool run_one(const struct worker *worker, struct arena *own, struct err *err)
{
    struct str script = arena_printf(own, "echo thread %d; exit %d", worker->number, worker->number);
    struct str command[3] = { STR("sh"), STR("-c"), script }, id = { NULL, 0 };
    struct container_output output = { 0 };
    struct wire_container container = { .name = STR("main"), .image = STR("busybox"), .command = { command, 3 } };
    struct wire_task task = { .arn = worker->task_arn, .family = STR("test"), .version = STR("1"), .containers = { &container, 1 } };
    struct container_spec spec = { .task_arn = task.arn, .family = task.family, .revision = task.version, .container = &container, .task = &task };
    struct container_state state = { 0 };
    return runtime->ops->create(runtime, &spec, &id, own, err) && runtime->ops->start(runtime, id, err)
        && runtime->ops->wait(runtime, id, PATIENCE_MS, NULL, &state, own, err) && runtime->ops->logs(runtime, id, 0, 100, &output, own, err)
        && runtime->ops->remove(runtime, id, err)
        && state.exit_code.value == worker->number && str_eq(output.text, arena_printf(own, "thread %d\n", worker->number));
}

static void *work(void *context)
{
    struct worker *worker = context;
    for (int round = 0; round < ROUNDS; round++) {
        struct arena own;
        arena_init(&own, 1 << 20);
        struct err err = { 0 };
        worker->good += run_one(worker, &own, &err) ? 1 : 0;
        if (err.code != ERR_NONE) { fprintf(stderr, "thread %d: %s\n", worker->number, err.message); }
        arena_finish(&own);
    }
    return NULL;
}

static void test_threads(void)
{
    struct worker workers[THREADS];
    for (int w = 0; w < THREADS; w++) {
        workers[w] = (struct worker){ .task_arn = task_arn, .number = w };
        ASSERT(pthread_create(&workers[w].thread, NULL, work, &workers[w]) == 0);
    }
    for (int w = 0; w < THREADS; w++) {
        ASSERT(pthread_join(workers[w].thread, NULL) == 0);
        CHECK_EQ("each thread's containers", workers[w].good, ROUNDS);
    }
}

/* ---- list, pull, errors ---- */

static size_t count_found(struct runtime *from, struct str id, const char *name)
{
    struct err err = { 0 };
    struct container_found_list found = { 0 };
    CHECK("list", from->ops->list(from, &found, &arena, &err));
    size_t count = 0;
    for (size_t f = 0; f < found.count; f++) {
        count += str_eq(found.items[f].id, id) && str_eq(found.items[f].task_arn, task_arn)
            && str_eq(found.items[f].container_name, str_from(name));
    }
    return count;
}

static void test_list(void)
{
    struct wish running = { .name = "one", .script = "sleep 100" }, ended = { .name = "two", .script = "exit 3" };
    struct str one = start("one", &running), two = start("two", &ended);
    wait_ms("two", two, PATIENCE_MS);
    struct err err = { 0 };
    struct runtime *other = runtime_docker_create(socket_path, &err);
    CHECK("a new life", other != NULL);
    if (other == NULL) { return; }
    CHECK_EQ("finds the one that runs", count_found(other, one, "one"), 1);
    CHECK_EQ("and the one that ended", count_found(other, two, "two"), 1);
    struct container_state state = { 0 };
    CHECK("and can ask it", other->ops->wait(other, two, 1000, NULL, &state, &arena, &err));
    CHECK_EQ("how it ended", state.exit_code.value, 3);
    other->ops->destroy(other);
    remove_it("one", one);
    remove_it("two", two);
    CHECK_EQ("then no more", count_found(runtime, one, "one") + count_found(runtime, two, "two"), 0);
}

static bool pull_image(const char *image, struct err *err)
{
    *err = (struct err){ 0 };
    const struct image_request request = { .image = str_from(image), .begin_ms = PATIENCE_MS, .silence_ms = PATIENCE_MS, .timeout_ms = PATIENCE_MS };
    return runtime->ops->images->pull(runtime, &request, err);
}

static void test_images(void)
{
    const struct image_ops *images = runtime->ops->images;
    struct err err = { 0 };
    struct image_facts facts;
    CHECK("a look", images->find(runtime, STR("busybox"), &facts, &arena, &err));
    CHECK("it is here", facts.exists && starts_with(facts.id.ptr, "sha256:"));
    CHECK("no registry gave it a digest", !str_is_set(facts.digest));
    CHECK("a look for another one", images->find(runtime, STR("busybox:none"), &facts, &arena, &err));
    CHECK("it is not here", !facts.exists);
    CHECK("no registry answers", !pull_image("127.0.0.1:1/busybox:none", &err));
    CHECK("in ECS's words", starts_with(err.message, "CannotPullContainerError: "));
    CHECK("no image at all", !pull_image("NOT/Valid:::", &err));
    CHECK("in ECS's words", starts_with(err.message, "CannotPullContainerError: "));
    struct str digest;
    const struct image_request request = { .image = STR("127.0.0.1:1/busybox"), .timeout_ms = PATIENCE_MS };
    err = (struct err){ 0 };
    CHECK("no digest without a registry", !images->resolve(runtime, &request, &digest, &arena, &err));
    CHECK("in ECS's words", starts_with(err.message, "CannotPullImageManifestError: "));
    err = (struct err){ 0 };
    CHECK("to remove an absent image is no error", images->remove(runtime, STR("busybox:none"), &err));
    err = (struct err){ 0 };
    struct str id = { NULL, 0 };
    struct wish wish = { .script = "true", .image = "127.0.0.1:1/none" };
    CHECK("created without its image", !create(&wish, &id, &err));
    CHECK("in ECS's words", starts_with(err.message, "CannotCreateContainerError: "));
}

static void test_errors(void)
{
    struct err err = { 0 };
    CHECK("no such socket", runtime_docker_create("/nonexistent/docker.sock", &err) == NULL);
    CHECK_EQ("it may come later", err.code, ERR_UNAVAILABLE);
    CHECK("it says where", strstr(err.message, "/nonexistent/docker.sock") != NULL);
    err = (struct err){ 0 };
    CHECK("no such container", !runtime->ops->start(runtime, STR("0123456789abcdef"), &err));
    CHECK("in ECS's words", starts_with(err.message, "CannotStartContainerError: No such container"));
    err = (struct err){ 0 };
    struct str words[] = { STR("/no/such/program") };
    struct wire_container container = { .name = STR("main"), .image = STR("busybox"), .entry_point = { words, 1 } };
    struct wire_task task = { .arn = task_arn, .family = STR("test"), .version = STR("1"), .containers = { &container, 1 } };
    struct container_spec spec = { .task_arn = task_arn, .family = task.family, .revision = task.version, .container = &container, .task = &task };
    struct str id = { NULL, 0 };
    CHECK("created", runtime->ops->create(runtime, &spec, &id, &arena, &err));
    CHECK("a program that is not there", !runtime->ops->start(runtime, id, &err));
    CHECK("in ECS's words", starts_with(err.message, "CannotStartContainerError: ") && strstr(err.message, "/no/such/program") != NULL);
    CHECK("it has no exit code", !wait_ms("never ran", id, 0).exit_code.set);
    remove_it("main", id);
}

int main(int argc, char **argv)
{
    ASSERT(argc == 3);
    socket_path = argv[1];
    directory = argv[2];
    arena_init(&arena, 256 << 20);
    task_arn = arena_printf(&arena, "arn:aws:ecs:us-east-1:123456789012:task/default/%032llx", (unsigned long long)clock_now_ms());
    struct err err = { 0 };
    runtime = runtime_docker_create(socket_path, &err);
    if (runtime == NULL) { fprintf(stderr, "%s\n", err.message); return 1; }
    char named[] = "/tmp/berth-docker-named-XXXXXX";
    int named_fd = mkstemp(named);
    ASSERT(named_fd >= 0 && close(named_fd) == 0);
    named_file = named;
    const char *const allowed[] = { directory, named, NULL };
    ASSERT(mkdtemp(own_folder) != NULL);
    runtime_docker_allow_volumes(runtime, allowed, in(own_folder, "volumes"));
    CHECK("version", str_starts_with(runtime->ops->version(runtime), STR("DockerVersion: ")));

    test_exit_codes();
    test_wait_and_stop();
    test_logs();
    test_many_logs();
    test_tty_logs();
    test_memory();
    test_ports();
    test_environment();
    test_gpu_without_runtime();
    test_volumes();
    test_volumes_below();
    test_docker_volumes();
    test_links();
    test_threads();
    test_list();
    test_images();
    test_errors();
    runtime->ops->destroy(runtime);
    CHECK("cleaned", rmdir(in(own_folder, "volumes")) == 0 && rmdir(own_folder) == 0 && unlink(named) == 0);
    arena_finish(&arena);
    return check_report();
}
