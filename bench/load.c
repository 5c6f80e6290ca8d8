/* load: drives a server with one signed request over many connections, each sending its next request as soon as the answer is
 * whole (a closed loop), and prints one line of JSON.
 *
 *   load setup PORT KEY SECRET INSTANCES               registers instances with endless capacity and the definition "bench"
 *   load run   PORT KEY SECRET CONNECTIONS SECONDS COUNT   RunTask with `count` tasks a call
 *   load post  PORT KEY SECRET CONNECTIONS SECONDS PATH    a POST of the same body to PATH: for the reference
 *
 * An instance counts as connected for half a minute after its last poll, so setup and run follow each other closely. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "bench/client.h"

enum { CONNECTIONS_MAX = 1024, LATENCIES_MAX = 4 * 1000 * 1000 };

struct connection { int fd; int64_t sent_us; struct bench_answer *answer; };
struct tally { uint64_t requests, failures; uint32_t *latencies_us; size_t latency_count; };

static _Noreturn void fail(const char *what, struct str detail)
{
    fprintf(stderr, "load: %s: " STR_FMT "\n", what, STR_ARG(detail));
    exit(1);
}

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static struct str checked_call(const struct bench_target *target, int fd, const char *path, const char *operation, struct str body,
                               struct bench_answer *answer, struct arena *arena)
{
    int status = 0;
    struct str reply = bench_call(fd, bench_request(target, path, operation, body, arena), answer, &status);
    if (status != 200) {
        fail(operation == NULL ? path : operation, reply);
    }
    return reply;
}

static void setup(const struct bench_target *target, int64_t instances)
{
    struct arena arena = { 0 };
    arena_init(&arena, 64 * 1024 * 1024);
    struct bench_answer *answer = calloc(1, sizeof *answer);
    int fd = bench_connect(target);
    checked_call(target, fd, "/", "CreateCluster", STR("{}"), answer, &arena);
    checked_call(target, fd, "/", "RegisterTaskDefinition",
                 STR("{\"family\":\"bench\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"cpu\":1,\"memory\":6}]}"), answer, &arena);
    for (int64_t i = 0; i < instances; i++) {
        struct err err = { 0 };
        arena_reset(&arena);
        struct str reply = checked_call(target, fd, "/", "RegisterContainerInstance",
            STR("{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":2000000000},"
                "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":2000000000}],"
                "\"attributes\":[{\"name\":\"ecs.instance-type\",\"value\":\"bench\"}]}"), answer, &arena);
        struct str arn = json_get_str(json_get(json_parse(reply, &arena, &err), STR("containerInstance")), STR("containerInstanceArn"));
        if (!str_is_set(arn)) {
            fail("RegisterContainerInstance", reply);
        }
        struct str poll = arena_printf(&arena, "{\"cluster\":\"default\",\"containerInstance\":\"" STR_FMT "\",\"waitSeconds\":0}", STR_ARG(arn));
        checked_call(target, fd, "/berth/v1/agent/poll", NULL, poll, answer, &arena);
    }
    close(fd);
    free(answer);
    arena_finish(&arena);
}

static int by_value(const void *a, const void *b)
{
    uint32_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return left < right ? -1 : left > right;
}

static void send_request(struct connection *connection, struct str request)
{
    connection->sent_us = now_us();
    if (write(connection->fd, request.ptr, request.len) != (ssize_t)request.len) {
        fail("write", STR("the request did not fit into the socket"));
    }
}

static void take_answer(struct connection *connection, struct str request, struct tally *tally)
{
    int status = 0;
    struct str body;
    bool closed;
    if (!bench_answer_read(connection->fd, connection->answer, &status, &body, &closed)) {
        if (closed) {
            fail("run", STR("the server closed a connection"));
        }
        return;
    }
    tally->requests++;
    bool refused = status != 200 || memmem(body.ptr, body.len, "\"failures\":[{", 13) != NULL;
    if (refused && tally->failures++ == 0) {
        fprintf(stderr, "load: first failure: " STR_FMT "\n", (int)(body.len > 400 ? 400 : body.len), body.ptr);
    }
    if (tally->latency_count < LATENCIES_MAX) {
        tally->latencies_us[tally->latency_count++] = (uint32_t)(now_us() - connection->sent_us);
    }
    send_request(connection, request);
}

static void report(const struct tally *tally, int64_t elapsed_us, int64_t per_request)
{
    qsort(tally->latencies_us, tally->latency_count, sizeof *tally->latencies_us, by_value);
    double seconds = (double)elapsed_us / 1e6;
    size_t n = tally->latency_count;
    printf("{\"requests_per_s\":%.0f,\"tasks_per_s\":%.0f,\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"failures\":%llu}\n", (double)tally->requests / seconds,
           (double)tally->requests * (double)per_request / seconds, n == 0 ? 0.0 : tally->latencies_us[n / 2] / 1000.0,
           n == 0 ? 0.0 : tally->latencies_us[n * 99 / 100] / 1000.0, (unsigned long long)tally->failures);
}

static void drive(const struct bench_target *target, int64_t connections, int64_t seconds, const char *path, const char *operation, int64_t count)
{
    static struct connection all[CONNECTIONS_MAX];
    struct arena arena = { 0 };
    arena_init(&arena, 64 * 1024 * 1024);
    struct str body = arena_printf(&arena, "{\"taskDefinition\":\"bench\",\"startedBy\":\"bench\",\"count\":%lld}", (long long)count);
    struct str request = bench_request(target, path, operation, body, &arena);
    struct tally tally = { .latencies_us = calloc(LATENCIES_MAX, sizeof *tally.latencies_us) };
    int poll = epoll_create1(EPOLL_CLOEXEC);
    for (int64_t c = 0; c < connections; c++) {
        all[c] = (struct connection){ .fd = bench_connect(target), .answer = calloc(1, sizeof *all[c].answer) };
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = &all[c] };
        epoll_ctl(poll, EPOLL_CTL_ADD, all[c].fd, &event);
    }
    int64_t started = now_us(), end = started + seconds * 1000000;
    for (int64_t c = 0; c < connections; c++) {
        send_request(&all[c], request);
    }
    while (now_us() < end) {
        struct epoll_event events[64];
        int ready = epoll_wait(poll, events, 64, 100);
        for (int e = 0; e < ready; e++) {
            take_answer(events[e].data.ptr, request, &tally);
        }
    }
    report(&tally, now_us() - started, count);
    arena_finish(&arena);
}

static int64_t number(const char *text)
{
    int64_t value;
    if (!str_to_i64(str_from(text), &value) || value < 0) {
        fail("not a number", str_from(text));
    }
    return value;
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        fprintf(stderr, "usage: load setup|run|post PORT KEY SECRET ... (see the head of bench/load.c)\n");
        return 2;
    }
    struct bench_target target = { .host = "127.0.0.1", .port = (int)number(argv[2]), .access_key = argv[3], .secret = argv[4] };
    struct str mode = str_from(argv[1]);
    if (str_eq(mode, STR("setup"))) {
        setup(&target, number(argv[5]));
    } else if (argc == 8 && number(argv[5]) <= CONNECTIONS_MAX && str_eq(mode, STR("run"))) {
        drive(&target, number(argv[5]), number(argv[6]), "/", "RunTask", number(argv[7]));
    } else if (argc == 8 && number(argv[5]) <= CONNECTIONS_MAX && str_eq(mode, STR("post"))) {
        drive(&target, number(argv[5]), number(argv[6]), argv[7], "RunTask", 10);
    } else {
        fail("unknown mode or too many connections", mode);
    }
    return 0;
}
