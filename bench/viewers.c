/* viewers: how soon all who look at the page see a task. Opens VIEWERS event streams, then starts tasks one by one: how long from the answer to
 * the caller until a viewer has the task's id, over all viewers. Prints a line of JSON. With HOLD they go on reading for HOLD seconds, so that
 * something else can be measured beside them; at its end a second line says how much they read.
 *
 *   viewers PORT KEY SECRET VIEWERS TASKS [HOLD] */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/err.h"
#include "base/id.h"
#include "base/json.h"
#include "bench/client.h"

enum { READY_MAX = 64, PATIENCE_MS = 10000, PIECE = 256 * 1024, VIEWERS_MAX = 1000 };
static const size_t arena_size = 64 * 1024 * 1024;

struct viewer { int fd; bool heard; char text[ID_HEX_LEN + PIECE]; size_t kept; };     /* kept: of what came before, in case an id is cut */
struct bench {
    struct bench_target target;
    struct viewer *all; size_t count;
    int epoll, control;
    uint64_t bytes;
    struct bench_answer *answer;
    struct arena arena;
};

static void open_stream(struct bench *bench, struct viewer *viewer)
{
    static const struct str request = STR_INIT("GET /berth/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    viewer->fd = bench_connect(&bench->target);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = viewer };
    if (!bench_send(viewer->fd, request) || epoll_ctl(bench->epoll, EPOLL_CTL_ADD, viewer->fd, &event) != 0) { bench_fail("viewer", STR("no room")); }
}

/* True when `wanted` is in the bytes that have come just now. */
static bool read_stream(struct bench *bench, struct viewer *viewer, struct str wanted)
{
    ssize_t got = read(viewer->fd, viewer->text + viewer->kept, PIECE);
    if (got <= 0) { bench_fail("viewer", STR("the server ended a stream")); }
    bench->bytes += (uint64_t)got;
    size_t len = viewer->kept + (size_t)got, kept = len < ID_HEX_LEN ? len : ID_HEX_LEN - 1;
    bool found = wanted.len > 0 && memmem(viewer->text, len, wanted.ptr, wanted.len) != NULL;
    memmove(viewer->text, viewer->text + len - kept, kept);
    viewer->kept = kept;
    return found;
}

static struct str run_task(struct bench *bench)
{
    struct err err = { 0 };
    struct str reply = bench_ask(&bench->target, bench->control, "RunTask", STR("{\"taskDefinition\":\"bench\"}"), bench->answer, &bench->arena);
    const struct json *tasks = json_get(json_parse(reply, &bench->arena, &err), STR("tasks"));
    if (tasks == NULL || tasks->count != 1) { bench_fail("RunTask", reply); }
    struct str arn = json_get_str(&tasks->as.items[0], STR("taskArn"));
    return arena_str(&bench->arena, str_slice(arn, arn.len - ID_HEX_LEN, arn.len));
}

/* One task until all viewers have seen it; how long each took, in times_us. */
static void tell_all(struct bench *bench, int64_t *times_us)
{
    arena_reset(&bench->arena);
    struct str id = run_task(bench);
    int64_t answered_us = bench_now_us();
    size_t heard = 0;
    for (size_t v = 0; v < bench->count; v++) { bench->all[v].heard = false; }
    while (heard < bench->count) {
        struct epoll_event events[READY_MAX];
        int ready = epoll_wait(bench->epoll, events, READY_MAX, PATIENCE_MS);
        if (ready <= 0) { bench_fail("viewers", STR("nobody hears")); }
        for (int e = 0; e < ready; e++) {
            struct viewer *viewer = events[e].data.ptr;
            if (!read_stream(bench, viewer, id) || viewer->heard) { continue; }
            viewer->heard = true;
            times_us[heard++] = bench_now_us() - answered_us;
        }
    }
}

static void read_for(struct bench *bench, int64_t seconds)
{
    int64_t until_us = bench_now_us() + seconds * 1000000;
    while (bench_now_us() < until_us) {
        struct epoll_event events[READY_MAX];
        int ready = epoll_wait(bench->epoll, events, READY_MAX, 100);
        for (int e = 0; e < ready; e++) { (void)read_stream(bench, events[e].data.ptr, STR("")); }
    }
}

int main(int argc, char **argv)
{
    if (argc != 6 && argc != 7) { bench_fail("usage", STR("viewers PORT KEY SECRET VIEWERS TASKS [HOLD]")); }
    size_t count = (size_t)bench_number(argv[4]), tasks = (size_t)bench_number(argv[5]), total = count * tasks;
    if (count < 1 || count > VIEWERS_MAX || tasks < 1) { bench_fail("usage", STR("one viewer and one task at least, a thousand viewers at most")); }
    struct bench bench = {
        .target = { "127.0.0.1", (int)bench_number(argv[1]), "/", argv[2], argv[3] }, .all = calloc(count, sizeof *bench.all), .count = count,
        .epoll = epoll_create1(EPOLL_CLOEXEC), .answer = calloc(1, sizeof *bench.answer),
    };
    int64_t *times_us = calloc(total, sizeof *times_us);
    arena_init(&bench.arena, arena_size);
    bench.control = bench_connect(&bench.target);
    for (size_t v = 0; v < count; v++) { open_stream(&bench, &bench.all[v]); }
    read_for(&bench, 1);
    for (size_t t = 0; t < tasks; t++) { tell_all(&bench, times_us + t * count); }
    bench_sort(times_us, total);
    printf("{\"viewers\":%zu,\"told_p50_ms\":%.3f,\"told_p99_ms\":%.3f,\"told_last_ms\":%.3f}\n", count, bench_ms(times_us, total, 50),
           bench_ms(times_us, total, 99), bench_ms(times_us, total, 100));
    fflush(stdout);
    bench.bytes = 0;
    if (argc == 7) {
        read_for(&bench, bench_number(argv[6]));
        printf("{\"bytes\":%llu}\n", (unsigned long long)bench.bytes);
    }
    return 0;
}
