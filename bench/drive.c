#include "bench/drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { LATENCIES_MAX = 8 * 1000 * 1000, READY_MAX = 64, IDLE_NS = 100 * 1000 * 1000 };

struct connection { int fd; int64_t due_us; struct connection *next_free; struct bench_answer *answer; };

struct drive {
    const struct drive_plan *plan;
    struct drive_result result;
    struct connection all[DRIVE_CONNECTIONS_MAX], *free, **free_end;
    int epoll;
    int64_t started_us;
    uint64_t sent;
};

static bool may_send(const struct drive *drive)
{
    return drive->plan->limit == 0 || drive->sent < (uint64_t)drive->plan->limit;
}

static int64_t due_us(const struct drive *drive)
{
    return drive->started_us + (int64_t)((double)drive->sent * 1e6 / (double)drive->plan->rate);
}

static void send_next(struct drive *drive, struct connection *connection, int64_t due)
{
    struct str request = drive->plan->requests[drive->sent % drive->plan->request_count];
    drive->sent++;
    connection->due_us = due;
    if (!bench_send(connection->fd, request)) {
        bench_fail("write", STR("the request did not fit into the socket"));
    }
}

static void set_free(struct drive *drive, struct connection *connection)
{
    connection->next_free = NULL;
    *drive->free_end = connection;
    drive->free_end = &connection->next_free;
}

static struct connection *take_free(struct drive *drive)
{
    struct connection *connection = drive->free;
    drive->free = connection->next_free;
    if (drive->free == NULL) { drive->free_end = &drive->free; }
    return connection;
}

/* The connection that has been free for longest takes a due request: the server closes one that rests for twenty seconds. */
static void send_due(struct drive *drive)
{
    while (drive->free != NULL && may_send(drive)) {
        int64_t due = drive->plan->rate == 0 ? bench_now_us() : due_us(drive);
        if (due > bench_now_us()) { return; }
        send_next(drive, take_free(drive), due);
    }
}

static void open_one(struct drive *drive, struct connection *connection)
{
    connection->fd = bench_connect(drive->plan->target);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = connection };
    if (epoll_ctl(drive->epoll, EPOLL_CTL_ADD, connection->fd, &event) != 0) { bench_fail("epoll", STR("no room")); }
}

static void take_answer(struct drive *drive, struct connection *connection)
{
    const struct drive_plan *plan = drive->plan;
    struct drive_result *result = &drive->result;
    int status = 0;
    struct str body;
    bool closed;
    if (!bench_answer_read(connection->fd, connection->answer, &status, &body, &closed)) {
        if (closed) { bench_fail("drive", STR("the server closed a connection")); }
        return;
    }
    int64_t now = bench_now_us();
    result->requests++;
    result->answer_bytes += body.len;
    bool good = plan->good == NULL ? status == 200 : plan->good(status, body);
    if (!good && result->failures++ == 0) {
        fprintf(stderr, "bench: first failure: %d " STR_FMT "\n", status, (int)(body.len > 400 ? 400 : body.len), body.ptr);
    }
    if (result->latency_count < LATENCIES_MAX) { result->latencies_us[result->latency_count++] = (uint32_t)(now - connection->due_us); }
    if (plan->heard != NULL) { plan->heard(plan->owner, now - drive->started_us, body); }
    if (connection->answer->last) {
        bench_close(connection->fd);
        open_one(drive, connection);
    }
    set_free(drive, connection);
}

static void open_all(struct drive *drive)
{
    if (drive->plan->connections < 1 || drive->plan->connections > DRIVE_CONNECTIONS_MAX) { bench_fail("drive", STR("too many connections, or none")); }
    for (int64_t c = 0; c < drive->plan->connections; c++) {
        struct connection *connection = &drive->all[c];
        *connection = (struct connection){ .answer = calloc(1, sizeof *connection->answer) };
        open_one(drive, connection);
        set_free(drive, connection);
    }
}

static struct timespec patience(const struct drive *drive)
{
    int64_t wait_ns = IDLE_NS;
    if (drive->plan->rate > 0 && drive->free != NULL && may_send(drive)) {
        int64_t left = (due_us(drive) - bench_now_us()) * 1000;
        wait_ns = left < 0 ? 0 : left < IDLE_NS ? left : IDLE_NS;
    }
    return (struct timespec){ .tv_sec = 0, .tv_nsec = wait_ns };
}

static int by_value(const void *a, const void *b)
{
    uint32_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return left < right ? -1 : left > right;
}

static bool goes_on(const struct drive *drive)
{
    const struct drive_plan *plan = drive->plan;
    if (plan->seconds > 0 && bench_now_us() >= drive->started_us + plan->seconds * 1000000) { return false; }
    return plan->limit == 0 || drive->result.requests < (uint64_t)plan->limit;
}

struct drive_result drive(const struct drive_plan *plan)
{
    struct drive *drive = calloc(1, sizeof *drive);
    *drive = (struct drive){ .plan = plan, .epoll = epoll_create1(EPOLL_CLOEXEC),
                             .result.latencies_us = calloc(LATENCIES_MAX, sizeof *drive->result.latencies_us) };
    drive->free_end = &drive->free;
    open_all(drive);
    drive->started_us = bench_now_us();
    while (goes_on(drive)) {
        send_due(drive);
        struct timespec wait = patience(drive);
        struct epoll_event events[READY_MAX];
        int ready = epoll_pwait2(drive->epoll, events, READY_MAX, &wait, NULL);
        for (int e = 0; e < ready; e++) {
            take_answer(drive, events[e].data.ptr);
            send_due(drive);
        }
    }
    struct drive_result result = drive->result;
    result.seconds = (double)(bench_now_us() - drive->started_us) / 1e6;
    for (int64_t c = 0; c < plan->connections; c++) {
        bench_close(drive->all[c].fd);
        free(drive->all[c].answer);
    }
    close(drive->epoll);
    free(drive);
    qsort(result.latencies_us, result.latency_count, sizeof *result.latencies_us, by_value);
    return result;
}

void drive_free(struct drive_result *result)
{
    free(result->latencies_us);
    *result = (struct drive_result){ 0 };
}

static double latency_ms(const struct drive_result *result, size_t per_mille)
{
    return result->latency_count == 0 ? 0.0 : result->latencies_us[(result->latency_count - 1) * per_mille / 1000] / 1000.0;
}

void drive_print(const struct drive_result *result, int64_t units)
{
    double rate = (double)result->requests / result->seconds;
    printf("{\"requests_per_s\":%.0f,\"units_per_s\":%.0f,\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"p999_ms\":%.3f,\"most_ms\":%.3f,\"failures\":%llu,"
           "\"requests\":%llu,\"seconds\":%.3f,\"answer_bytes\":%.0f}\n", rate, rate * (double)units, latency_ms(result, 500), latency_ms(result, 990),
           latency_ms(result, 999), latency_ms(result, 1000), (unsigned long long)result->failures, (unsigned long long)result->requests, result->seconds,
           result->requests == 0 ? 0.0 : (double)result->answer_bytes / (double)result->requests);
}
