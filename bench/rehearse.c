/* rehearse: what bench/rehearsal does to a server: places tasks until there are TASKS, through kills of the server meanwhile, and looks
 * afterwards whether everything is as it was promised.
 *
 *   rehearse place PORT KEY SECRET TASKS CONNECTIONS FILE   RunTask of ten until TASKS were acknowledged; their ids go into FILE.
 *                                                           Prints how many there are as it goes; then waits until none lives any more
 *   rehearse verify PORT KEY SECRET FILE                    every task of FILE is known and STOPPED, there is no other, no GPU was held by
 *                                                           two at once, and all that the machines have is free
 *
 * A call that is not answered, because the server is gone or busy, is made again with its client token: so what the server took down before
 * it died is acknowledged later, and not placed twice. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/id.h"
#include "base/json.h"
#include "bench/client.h"

enum {
    CONNECTIONS_MAX = 256, PER_CALL = 10, PAGE = 100, READY_MAX = 64, NAP_MS = 20, FULL_US = 100 * 1000, GONE_US = 50 * 1000, TOLD = 100,
    PATIENCE_US = 300 * 1000 * 1000,
};
static const size_t arena_size = (size_t)256 << 20;

struct link {
    int fd;
    bool asked, again, waits;                    /* an answer is due; the same is to be asked again; there was no room */
    int64_t not_before_us;
    uint64_t number, kind;
    struct bench_answer *answer;
};
struct bench {
    struct bench_target target;
    struct link links[CONNECTIONS_MAX]; size_t link_count;
    int epoll;
    struct id *ids; size_t count, capacity, wanted;
    uint64_t calls, kinds, full, repeated;
    int64_t heard_us;                            /* when the server last answered */
    struct arena arena;
};

static void nap(void) { clock_sleep_ms(NAP_MS); }

/* ---- the requests ---- */

static const char *const families[] = { "rehearsal-one", "rehearsal-two", "rehearsal-eight", "rehearsal-plain" };
static const char *const requirements[] = { "\"1\"", "\"2\"", "\"8\"", NULL };
static const uint8_t mix[] = { 0, 3, 3, 0, 3, 1, 3, 0, 3, 2, 0, 3, 3, 0, 3, 1, 3, 0, 3, 3 };   /* which of them each of twenty calls asks for */

static void define_all(struct bench *bench)
{
    struct bench_answer *answer = calloc(1, sizeof *answer);
    int fd = bench_connect(&bench->target);
    for (size_t f = 0; f < COUNT_OF(families); f++) {
        struct str gpus = requirements[f] == NULL ? STR("")
            : arena_printf(&bench->arena, ",\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":%s}]", requirements[f]);
        bench_ask(&bench->target, fd, "RegisterTaskDefinition",
            arena_printf(&bench->arena, "{\"family\":\"%s\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"cpu\":128,\"memory\":64"
                         STR_FMT "}]}", families[f], STR_ARG(gpus)), answer, &bench->arena);
    }
    bench_close(fd);
    free(answer);
}

/* ---- placing ---- */

/* A question that was on its way is put again. */
static void lose(struct link *link)
{
    if (link->fd >= 0) { bench_close(link->fd); }
    link->fd = -1;
    link->again = link->again || link->asked;
    link->asked = false;
    link->not_before_us = bench_now_us() + GONE_US;
}

static bool open_link(struct bench *bench, struct link *link)
{
    link->fd = bench_try_connect(&bench->target);
    if (link->fd < 0) { return false; }
    link->answer->len = 0;
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = link };
    if (epoll_ctl(bench->epoll, EPOLL_CTL_ADD, link->fd, &event) != 0) { bench_fail("epoll", STR("no room")); }
    return true;
}

static void send_next(struct bench *bench, struct link *link)
{
    if (link->fd < 0 && !open_link(bench, link)) {
        lose(link);
        return;
    }
    if (!link->again && !link->waits) { link->kind = bench->kinds++; }
    if (link->again) { bench->repeated++; } else { link->number = bench->calls++; }
    link->asked = true;
    link->again = link->waits = false;
    arena_reset(&bench->arena);
    struct str body = arena_printf(&bench->arena, "{\"taskDefinition\":\"%s\",\"startedBy\":\"rehearsal\",\"count\":%d,\"clientToken\":\"rehearsal-%llu\"}",
                                   families[mix[link->kind % COUNT_OF(mix)]], (int)PER_CALL, (unsigned long long)link->number);
    if (!bench_send(link->fd, bench_request(&bench->target, "/", "RunTask", body, &bench->arena))) { lose(link); }
}

static void keep_tasks(struct bench *bench, const struct json *tasks, struct str body)
{
    for (size_t t = 0; t < tasks->count; t++) {
        struct str arn = json_get_str(&tasks->as.items[t], STR("taskArn"));
        bench->ids = array_grow(bench->ids, &bench->capacity, bench->count + 1, sizeof *bench->ids);
        if (arn.len < ID_HEX_LEN || !id_parse(str_slice(arn, arn.len - ID_HEX_LEN, arn.len), &bench->ids[bench->count])) { bench_fail("RunTask", body); }
        bench->count++;
        if (bench->count % (bench->wanted / TOLD + 1) == 0) {
            printf("{\"placed\":%zu}\n", bench->count);
            fflush(stdout);
        }
    }
}

/* A request that was throttled is sent later, and one without room now is sent again. */
static void take_reply(struct bench *bench, struct link *link, int status, struct str body)
{
    struct err err = { 0 };
    link->asked = false;
    arena_reset(&bench->arena);
    const struct json *reply = json_parse(body, &bench->arena, &err), *tasks = json_get(reply, STR("tasks"));
    if (status == 200 && tasks != NULL && tasks->type == JSON_ARRAY) {
        bench->heard_us = bench_now_us();
        keep_tasks(bench, tasks, body);
        if (tasks->count > 0) { return; }
        bench->full++;
        link->waits = true;
        link->not_before_us = bench->heard_us + FULL_US;
    } else if (status >= 500 || str_eq(json_get_str(reply, STR("__type")), STR("ThrottlingException"))) {
        link->again = true;
        link->not_before_us = bench_now_us() + GONE_US;
    } else {
        bench_fail("RunTask", body);
    }
}

static void turn(struct bench *bench)
{
    struct epoll_event events[READY_MAX];
    size_t open = 0;
    for (size_t l = 0; l < bench->link_count; l++) {
        struct link *link = &bench->links[l];
        open += link->asked;
        bool may = !link->asked && link->not_before_us <= bench_now_us() && (link->again || bench->count + open * PER_CALL < bench->wanted);
        if (!may) { continue; }
        send_next(bench, link);
        open += link->asked;
    }
    int ready = epoll_wait(bench->epoll, events, READY_MAX, NAP_MS);
    for (int e = 0; e < ready; e++) {
        struct link *link = events[e].data.ptr;
        int status = 0;
        struct str body;
        bool closed = false;
        if (bench_answer_read(link->fd, link->answer, &status, &body, &closed)) {
            take_reply(bench, link, status, body);
        } else if (closed) {
            lose(link);
        }
    }
    if (bench_now_us() - bench->heard_us > PATIENCE_US) { bench_fail("RunTask", STR("the server has not answered for five minutes")); }
}

static bool any_open(const struct bench *bench)
{
    bool open = false;
    for (size_t l = 0; l < bench->link_count; l++) { open = open || bench->links[l].asked || bench->links[l].again; }
    return open;
}

/* Until no task is to run any more. A server that is gone just now is waited for. */
static void settle(struct bench *bench, struct bench_answer *answer)
{
    int64_t until_us = bench_now_us() + PATIENCE_US;
    for (;;) {
        int status = 0;
        arena_reset(&bench->arena);
        int fd = bench_try_connect(&bench->target);
        if (fd >= 0) {
            struct str reply = bench_call(fd, bench_request(&bench->target, "/", "ListTasks", STR("{}"), &bench->arena), answer, &status);
            bool none = status == 200 && memmem(reply.ptr, reply.len, "arn:aws:ecs:", 12) == NULL;
            bench_close(fd);
            if (none) { return; }
        }
        if (bench_now_us() > until_us) { bench_fail("settle", STR("tasks still live after five minutes")); }
        nap();
    }
}

static void place(struct bench *bench, const char *file)
{
    struct bench_answer *answer = calloc(1, sizeof *answer);
    define_all(bench);
    for (size_t l = 0; l < bench->link_count; l++) { bench->links[l] = (struct link){ .fd = -1, .answer = calloc(1, sizeof *bench->links[l].answer) }; }
    int64_t began_us = bench->heard_us = bench_now_us();
    while (bench->count < bench->wanted || any_open(bench)) { turn(bench); }
    int64_t placed_us = bench_now_us();
    settle(bench, answer);
    FILE *out = fopen(file, "we");
    bool written = out != NULL && fwrite(bench->ids, sizeof *bench->ids, bench->count, out) == bench->count;
    if (!written || fclose(out) != 0) { bench_fail(file, STR("can't be written")); }
    printf("{\"tasks\":%zu,\"placing_s\":%.1f,\"settling_s\":%.1f,\"calls\":%llu,\"full\":%llu,\"repeated\":%llu}\n", bench->count,
           (double)(placed_us - began_us) / 1e6, (double)(bench_now_us() - placed_us) / 1e6, (unsigned long long)bench->calls,
           (unsigned long long)bench->full, (unsigned long long)bench->repeated);
    free(answer);
}

/* ---- looking at the cluster ---- */

struct hold { uint64_t gpu; int64_t from_ms, until_ms; };
struct looks { struct bench *bench; int fd; struct bench_answer *answer; struct hold *holds; size_t hold_count, hold_capacity; };

static uint64_t hash_of(struct str text)         /* FNV-1a */
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < text.len; i++) { hash = (hash ^ (unsigned char)text.ptr[i]) * 0x100000001b3u; }
    return hash;
}

static int64_t read_ms(const struct json *task, struct str name)
{
    const struct json *time = json_get(task, name);
    if (time == NULL || (time->type != JSON_REAL && time->type != JSON_INT)) { return 0; }
    return time->type == JSON_INT ? time->as.integer * 1000 : llround(time->as.real * 1000);
}

static void take_task(struct looks *looks, const struct json *task)
{
    int64_t from_ms = read_ms(task, STR("createdAt")), until_ms = read_ms(task, STR("stoppedAt"));
    struct str arn = json_get_str(task, STR("taskArn"));
    if (!str_eq(json_get_str(task, STR("lastStatus")), STR("STOPPED")) || from_ms == 0 || until_ms < from_ms) { bench_fail("this task has not ended", arn); }
    const struct json *containers = json_get(task, STR("containers"));
    for (size_t c = 0; containers != NULL && c < containers->count; c++) {
        const struct json *gpus = json_get(&containers->as.items[c], STR("gpuIds"));
        for (size_t g = 0; gpus != NULL && g < gpus->count; g++) {
            looks->holds = array_grow(looks->holds, &looks->hold_capacity, looks->hold_count + 1, sizeof *looks->holds);
            looks->holds[looks->hold_count++] = (struct hold){ hash_of(gpus->as.items[g].as.string), from_ms, until_ms };
        }
    }
}

/* One page of what DescribeX says of these names, JSON strings with commas between them. */
static const struct json *describe(struct looks *looks, const char *operation, const char *member, struct str names, size_t count)
{
    struct err err = { 0 };
    struct str body = arena_printf(&looks->bench->arena, "{\"%s\":[" STR_FMT "]}", member, STR_ARG(names));
    struct str reply = bench_ask(&looks->bench->target, looks->fd, operation, body, looks->answer, &looks->bench->arena);
    const struct json *list = json_get(json_parse(reply, &looks->bench->arena, &err), str_from(member));
    if (list == NULL || list->count != count) { bench_fail(operation, STR("something that was acknowledged is not known")); }
    return list;
}

static void look_at_tasks(struct looks *looks)
{
    struct bench *bench = looks->bench;
    for (size_t from = 0; from < bench->count; from += PAGE) {
        size_t count = bench->count - from < PAGE ? bench->count - from : PAGE;
        arena_reset(&bench->arena);
        struct buf names = buf_in(&bench->arena);
        for (size_t t = 0; t < count; t++) {
            char hex[ID_HEX_LEN + 1];
            id_hex(bench->ids[from + t], hex);
            buf_printf(&names, "%s\"%s\"", t == 0 ? "" : ",", hex);
        }
        const struct json *tasks = describe(looks, "DescribeTasks", "tasks", buf_str(&names), count);
        for (size_t t = 0; t < count; t++) { take_task(looks, &tasks->as.items[t]); }
    }
}

/* Calls `take` with each page of names, as JSON strings with commas between them. How many there are. */
static size_t each_page(struct looks *looks, const char *operation, const char *member, const char *filter,
                        void (*take)(struct looks *looks, struct str names, size_t count))
{
    char token[256] = "";
    size_t total = 0;
    do {
        struct err err = { 0 };
        arena_reset(&looks->bench->arena);
        struct str body = token[0] == '\0' ? arena_printf(&looks->bench->arena, "{%s}", filter)
            : arena_printf(&looks->bench->arena, "{%s%s\"nextToken\":\"%s\"}", filter, filter[0] == '\0' ? "" : ",", token);
        struct str reply = bench_ask(&looks->bench->target, looks->fd, operation, body, looks->answer, &looks->bench->arena);
        const struct json *tree = json_parse(reply, &looks->bench->arena, &err), *list = json_get(tree, str_from(member));
        if (list == NULL) { bench_fail(operation, reply); }
        if (!str_to_cstr(json_get_str(tree, STR("nextToken")), token, sizeof token)) { bench_fail(operation, STR("the token is too long")); }
        struct buf names = buf_in(&looks->bench->arena);
        for (size_t n = 0; n < list->count; n++) { buf_printf(&names, "%s\"" STR_FMT "\"", n == 0 ? "" : ",", STR_ARG(list->as.items[n].as.string)); }
        total += list->count;
        if (take != NULL && list->count > 0) { take(looks, buf_str(&names), list->count); }
    } while (token[0] != '\0');
    return total;
}

static struct str as_text(const struct json *tree, struct arena *arena)
{
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    if (tree != NULL) { json_dump(&out, tree); }
    return buf_str(&text);
}

/* All that a machine has is free again. */
static void take_machines(struct looks *looks, struct str names, size_t count)
{
    const struct json *machines = describe(looks, "DescribeContainerInstances", "containerInstances", names, count);
    for (size_t m = 0; m < count; m++) {
        const struct json *machine = &machines->as.items[m];
        struct str has = as_text(json_get(machine, STR("registeredResources")), &looks->bench->arena);
        struct str free_now = as_text(json_get(machine, STR("remainingResources")), &looks->bench->arena);
        bool idle = json_get_i64(machine, STR("runningTasksCount"), -1) == 0 && json_get_i64(machine, STR("pendingTasksCount"), -1) == 0;
        if (!idle || has.len == 0 || !str_eq(has, free_now)) { bench_fail("something is still held on a machine", as_text(machine, &looks->bench->arena)); }
    }
}

static int by_gpu_and_time(const void *a, const void *b)
{
    const struct hold *left = a, *right = b;
    if (left->gpu != right->gpu) { return left->gpu < right->gpu ? -1 : 1; }
    if (left->from_ms != right->from_ms) { return left->from_ms < right->from_ms ? -1 : 1; }
    return (left->until_ms > right->until_ms) - (left->until_ms < right->until_ms);
}

static void look_at_holds(struct looks *looks)
{
    if (looks->hold_count > 0) { qsort(looks->holds, looks->hold_count, sizeof *looks->holds, by_gpu_and_time); }
    for (size_t h = 1; h < looks->hold_count; h++) {
        const struct hold *before = &looks->holds[h - 1], *after = &looks->holds[h];
        if (before->gpu == after->gpu && after->from_ms < before->until_ms) { bench_fail("verify", STR("a GPU was held by two tasks at once")); }
    }
}

static int by_id(const void *a, const void *b) { return id_cmp(*(const struct id *)a, *(const struct id *)b); }

static void read_ids(struct bench *bench, const char *file)
{
    FILE *in = fopen(file, "re");
    size_t got = 1;
    while (in != NULL && got > 0) {
        bench->ids = array_grow(bench->ids, &bench->capacity, bench->count + PAGE, sizeof *bench->ids);
        got = fread(&bench->ids[bench->count], sizeof *bench->ids, PAGE, in);
        bench->count += got;
    }
    if (in == NULL || ferror(in) || bench->count == 0) { bench_fail(file, STR("can't be read, or is empty")); }
    fclose(in);
    qsort(bench->ids, bench->count, sizeof *bench->ids, by_id);
    for (size_t t = 1; t < bench->count; t++) {
        if (id_eq(bench->ids[t - 1], bench->ids[t])) { bench_fail("verify", STR("a task was acknowledged twice")); }
    }
}

static void verify(struct bench *bench, const char *file)
{
    struct looks looks = { .bench = bench, .fd = bench_connect(&bench->target), .answer = calloc(1, sizeof *looks.answer) };
    int64_t began_us = bench_now_us();
    read_ids(bench, file);
    look_at_tasks(&looks);
    look_at_holds(&looks);
    size_t stopped = each_page(&looks, "ListTasks", "taskArns", "\"desiredStatus\":\"STOPPED\"", NULL);
    size_t live = each_page(&looks, "ListTasks", "taskArns", "", NULL);
    if (stopped != bench->count || live > 0) { bench_fail("verify", STR("the server has tasks that were never acknowledged")); }
    size_t machines = each_page(&looks, "ListContainerInstances", "containerInstanceArns", "", take_machines);
    printf("{\"tasks\":%zu,\"gpu_holds\":%zu,\"machines\":%zu,\"seconds\":%.1f}\n", bench->count, looks.hold_count, machines,
           (double)(bench_now_us() - began_us) / 1e6);
    bench_close(looks.fd);
    free(looks.answer);
    free(looks.holds);
}

int main(int argc, char **argv)
{
    int64_t port = 0, tasks = 0, connections = 0;
    signal(SIGPIPE, SIG_IGN);
    struct str mode = str_from(argc > 1 ? argv[1] : "");
    if (argc < 6 || !str_to_i64(str_from(argv[2]), &port)) { bench_fail("usage", STR("rehearse place|verify PORT KEY SECRET ...")); }
    struct bench *bench = calloc(1, sizeof *bench);
    bench->target = (struct bench_target){ .host = "127.0.0.1", .port = (int)port, .path = "/", .access_key = argv[3], .secret = argv[4] };
    bench->epoll = epoll_create1(EPOLL_CLOEXEC);
    arena_init(&bench->arena, arena_size);
    bool counted = argc == 8 && str_to_i64(str_from(argv[5]), &tasks) && str_to_i64(str_from(argv[6]), &connections);
    if (str_eq(mode, STR("place")) && counted && tasks > 0 && connections > 0 && connections <= CONNECTIONS_MAX) {
        bench->wanted = (size_t)tasks;
        bench->link_count = (size_t)connections;
        place(bench, argv[7]);
    } else if (str_eq(mode, STR("verify")) && argc == 6) {
        verify(bench, argv[5]);
    } else {
        bench_fail("usage", STR("rehearse place PORT KEY SECRET TASKS CONNECTIONS FILE, or rehearse verify PORT KEY SECRET FILE"));
    }
    return 0;
}
