/* swell: what those who look at the page hear while a great many tasks come and go. Opens viewers that do as the page does (web/stream.js): the
 * whole board, then the stream of what changed behind it, and the board again when the stream says so. Meanwhile it starts markers, tasks in a
 * separate cluster, and asks for that cluster again and again: how long from a marker's answer until a viewer has counted it, how long a
 * viewer hears nothing new, and how long the small read takes. Ends when its standard input does, and prints a line of JSON.
 *
 *   swell PORT KEY SECRET VIEWERS
 *
 * A viewer counts the marker's cluster and not its tasks: of these the board lists the newest 5,000. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/json.h"
#include "bench/client.h"

enum {
    READY_MAX = 64, PIECE = 256 * 1024, KEPT = 512, VIEWERS_MAX = 1000, MARKERS_MAX = 4096,
    BOARD_AGAIN_US = 500 * 1000,                 /* as in web/stream.js */
    MARKER_EVERY_US = 210 * 1000,                /* not a part of the moments at which viewers get news */
    READ_EVERY_US = 10 * 1000, CONNECTED_EVERY_US = 10 * 1000 * 1000, PATIENCE_US = 10 * 1000 * 1000,
};
static const size_t arena_size = 64 * 1024 * 1024;

enum stage { LOADING, FOLLOWING, PAUSING };
struct viewer {
    enum stage stage;
    int fd;
    int64_t revision, due_us, asked_us, heard_us;        /* due: of a pause's end. asked: for a board. heard: something new, last */
    size_t seen, counted;                        /* markers: that live by what it heard; whose time was taken */
    char text[KEPT + PIECE]; size_t kept;        /* kept: of what came before, in case a word is cut */
};
/* A question that is put again and again; its time counts from when it was due. */
struct asking { int fd; struct str request; struct bench_answer *answer; int64_t due_us, every_us; bool asked; };
struct times { int64_t *items; size_t count, capacity; };
struct bench {
    struct bench_target target;
    struct viewer *viewers; size_t viewer_count;
    struct asking marker, read;
    int64_t answered_us[MARKERS_MAX]; size_t markers;
    struct times told, reads, gaps, boards;
    size_t dropped;
    int epoll;
    struct str poll;                             /* keeps the markers' machine connected */
    int64_t connected_us;
    struct arena arena;
};

static void add_time(struct times *times, int64_t us)
{
    times->items = array_grow(times->items, &times->capacity, times->count + 1, sizeof *times->items);
    times->items[times->count++] = us;
}

static void watch(struct bench *bench, int fd, void *what)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = what };
    if (epoll_ctl(bench->epoll, EPOLL_CTL_ADD, fd, &event) != 0) { bench_fail("epoll", STR("no room")); }
}

/* ---- viewers ---- */

static void open_viewer(struct bench *bench, struct viewer *viewer, enum stage stage)
{
    char path[96] = "/berth/v1/state", request[160];
    if (stage == FOLLOWING) { (void)snprintf(path, sizeof path, "/berth/v1/events?since=%lld", (long long)viewer->revision); }
    (void)snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", path);
    viewer->fd = bench_connect(&bench->target);
    viewer->stage = stage;
    viewer->kept = 0;
    if (stage == LOADING) { viewer->revision = -1; }
    viewer->asked_us = bench_now_us();
    if (!bench_send(viewer->fd, str_from(request))) { bench_fail("viewer", STR("the request did not fit")); }
    watch(bench, viewer->fd, viewer);
}

static void pause_viewer(struct viewer *viewer)
{
    viewer->stage = PAUSING;
    viewer->due_us = bench_now_us() + BOARD_AGAIN_US;
}

/* *at moves behind `wanted`. */
static bool find(struct str text, struct str wanted, size_t *at)
{
    const char *found = memmem(text.ptr + *at, text.len - *at, wanted.ptr, wanted.len);
    if (found != NULL) { *at = (size_t)(found - text.ptr) + wanted.len; }
    return found != NULL;
}

/* False: it is not there as a whole. */
static bool number_behind(struct str text, struct str name, size_t *at, int64_t *number)
{
    if (!find(text, name, at)) { return false; }
    size_t to = *at;
    while (to < text.len && text.ptr[to] >= '0' && text.ptr[to] <= '9') { to++; }
    return to < text.len && str_to_i64(str_slice(text, *at, to), number);
}

/* The markers that the viewer has seen and that have been answered by now: a viewer that sees one before its answer counts as at once. */
static void settle(struct bench *bench, struct viewer *viewer, int64_t now_us)
{
    for (; viewer->counted < viewer->seen && viewer->counted < bench->markers; viewer->counted++) {
        add_time(&bench->told, now_us - bench->answered_us[viewer->counted]);
    }
}

/* Every board and every piece of news names all clusters, and how much lives there. How much of `text` is done with. */
static size_t count_markers(struct bench *bench, struct viewer *viewer, struct str text)
{
    static const struct str cluster = STR_INIT("\"name\":\"marker\","), live = STR_INIT("\"live\":");
    size_t at = 0, done = 0;
    int64_t seen;
    while (find(text, cluster, &at) && number_behind(text, live, &at, &seen)) {
        int64_t now_us = bench_now_us();
        if (viewer->heard_us > 0) { add_time(&bench->gaps, now_us - viewer->heard_us); }
        viewer->heard_us = now_us;
        viewer->seen = (size_t)seen;
        settle(bench, viewer, now_us);
        done = at;
    }
    return done;
}

static void end_connection(struct bench *bench, struct viewer *viewer)
{
    bench_close(viewer->fd);
    if (viewer->stage == LOADING && viewer->revision >= 0) {
        add_time(&bench->boards, bench_now_us() - viewer->asked_us);
        open_viewer(bench, viewer, FOLLOWING);
        return;
    }
    bench->dropped++;
    pause_viewer(viewer);
}

static void read_viewer(struct bench *bench, struct viewer *viewer)
{
    static const struct str reset = STR_INIT("event: reset");
    size_t at = 0;
    ssize_t got = read(viewer->fd, viewer->text + viewer->kept, PIECE);
    if (got <= 0) {
        end_connection(bench, viewer);
        return;
    }
    struct str text = { viewer->text, viewer->kept + (size_t)got };
    if (viewer->stage == LOADING && viewer->revision < 0 && !number_behind(text, STR("{\"revision\":"), &at, &viewer->revision)) { viewer->revision = -1; }
    size_t done = count_markers(bench, viewer, text);
    if (viewer->stage == FOLLOWING && memmem(text.ptr, text.len, reset.ptr, reset.len) != NULL) {
        bench_close(viewer->fd);
        pause_viewer(viewer);
        return;
    }
    viewer->kept = text.len - done < KEPT ? text.len - done : KEPT;
    memmove(viewer->text, text.ptr + text.len - viewer->kept, viewer->kept);
}

/* ---- markers and small reads ---- */

static void ask_when_due(struct asking *asking)
{
    if (asking->asked || bench_now_us() < asking->due_us) { return; }
    asking->asked = true;
    if (!bench_send(asking->fd, asking->request)) { bench_fail("ask", STR("the request did not fit")); }
}

static void hear_marker(struct bench *bench, int64_t now_us, struct str body)
{
    if (memmem(body.ptr, body.len, "\"failures\":[]", 13) == NULL || bench->markers == MARKERS_MAX) { bench_fail("RunTask", body); }
    bench->answered_us[bench->markers++] = now_us;
    for (size_t v = 0; v < bench->viewer_count; v++) { settle(bench, &bench->viewers[v], now_us); }
}

/* It rested, and others want its thread. */
static void open_again(struct bench *bench, struct asking *asking)
{
    bench_close(asking->fd);
    asking->fd = bench_connect(&bench->target);
    asking->answer->len = 0;
    watch(bench, asking->fd, asking);
}

static void hear_answer(struct bench *bench, struct asking *asking)
{
    int status = 0;
    struct str body;
    bool closed;
    if (!bench_answer_read(asking->fd, asking->answer, &status, &body, &closed)) {
        if (closed && asking->asked) { bench_fail("ask", STR("the server closed a connection")); }
        if (closed) { open_again(bench, asking); }
        return;
    }
    if (status != 200) { bench_fail("ask", body); }
    int64_t now_us = bench_now_us();
    if (asking->answer->last) { open_again(bench, asking); }
    if (asking == &bench->marker) { hear_marker(bench, now_us, body); } else { add_time(&bench->reads, now_us - asking->due_us); }
    asking->asked = false;
    asking->due_us = asking == &bench->marker ? now_us + asking->every_us : asking->due_us + asking->every_us;
}

/* ---- all of it ---- */

static struct str ask(struct bench *bench, const char *operation, struct str body)
{
    return bench_ask(&bench->target, bench->read.fd, operation, body, bench->read.answer, &bench->arena);
}

static void keep_connected(struct bench *bench)
{
    int status = 0;
    struct bench_answer *answer = bench->read.answer;
    struct str reply = bench_call(bench->read.fd, bench->poll, answer, &status);
    if (status != 200) { bench_fail("poll", reply); }
    bench->connected_us = bench_now_us();
}

static void set_up(struct bench *bench)
{
    struct err err = { 0 };
    int64_t now_us = bench_now_us();
    bench->read = (struct asking){ .fd = bench_connect(&bench->target), .answer = calloc(1, sizeof *bench->read.answer), .due_us = now_us,
                                   .every_us = READ_EVERY_US };
    bench->marker = (struct asking){ .fd = bench_connect(&bench->target), .answer = calloc(1, sizeof *bench->marker.answer), .due_us = now_us,
                                     .every_us = MARKER_EVERY_US };
    ask(bench, "CreateCluster", STR("{\"clusterName\":\"marker\"}"));
    ask(bench, "RegisterTaskDefinition",
        STR("{\"family\":\"marker\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"cpu\":1,\"memory\":6}]}"));
    struct str reply = ask(bench, "RegisterContainerInstance",
        STR("{\"cluster\":\"marker\",\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":65536},"
            "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":65536}]}"));
    struct str arn = json_get_str(json_get(json_parse(reply, &bench->arena, &err), STR("containerInstance")), STR("containerInstanceArn"));
    struct str body = arena_printf(&bench->arena, "{\"cluster\":\"marker\",\"containerInstance\":\"" STR_FMT "\",\"waitSeconds\":0}", STR_ARG(arn));
    bench->poll = bench_request(&bench->target, "/berth/v1/agent/poll", NULL, body, &bench->arena);
    bench->read.request = bench_request(&bench->target, "/", "DescribeClusters", STR("{\"clusters\":[\"marker\"]}"), &bench->arena);
    bench->marker.request = bench_request(&bench->target, "/", "RunTask", STR("{\"cluster\":\"marker\",\"taskDefinition\":\"marker\"}"), &bench->arena);
    keep_connected(bench);
}

static bool all_told(const struct bench *bench)
{
    bool all = true;
    for (size_t v = 0; v < bench->viewer_count; v++) { all = all && bench->viewers[v].counted == bench->markers; }
    return all;
}

/* False: the end of standard input was there. */
static bool turn(struct bench *bench, bool asks)
{
    struct epoll_event events[READY_MAX];
    bool goes_on = true;
    for (size_t v = 0; v < bench->viewer_count; v++) {
        struct viewer *viewer = &bench->viewers[v];
        if (viewer->stage == PAUSING && bench_now_us() >= viewer->due_us) { open_viewer(bench, viewer, LOADING); }
    }
    if (asks && !bench->read.asked && bench_now_us() > bench->connected_us + CONNECTED_EVERY_US) { keep_connected(bench); }
    if (asks) { ask_when_due(&bench->marker); }
    if (asks) { ask_when_due(&bench->read); }
    int ready = epoll_wait(bench->epoll, events, READY_MAX, 1);
    for (int e = 0; e < ready; e++) {
        void *what = events[e].data.ptr;
        if (what == NULL) {
            goes_on = false;
        } else if (what == &bench->marker || what == &bench->read) {
            hear_answer(bench, what);
        } else {
            read_viewer(bench, what);
        }
    }
    return goes_on;
}

static void print(struct bench *bench)
{
    struct times *told = &bench->told, *reads = &bench->reads, *gaps = &bench->gaps, *boards = &bench->boards;
    if (told->count == 0 || reads->count == 0 || gaps->count == 0 || boards->count == 0) { bench_fail("swell", STR("nothing was heard")); }
    bench_sort(told->items, told->count);
    bench_sort(reads->items, reads->count);
    bench_sort(gaps->items, gaps->count);
    bench_sort(boards->items, boards->count);
    printf("{\"markers\":%zu,\"told_p50_ms\":%.3f,\"told_p99_ms\":%.3f,\"told_last_ms\":%.3f,\"gap_last_ms\":%.3f,\"read_p50_ms\":%.3f,"
           "\"read_p99_ms\":%.3f,\"board_p50_ms\":%.3f,\"dropped\":%zu,\"boards\":%zu}\n", bench->markers, bench_ms(told->items, told->count, 50),
           bench_ms(told->items, told->count, 99), bench_ms(told->items, told->count, 100), bench_ms(gaps->items, gaps->count, 100),
           bench_ms(reads->items, reads->count, 50), bench_ms(reads->items, reads->count, 99),
           bench_ms(boards->items, boards->count, 50), bench->dropped, boards->count);
}

int main(int argc, char **argv)
{
    if (argc != 5) { bench_fail("usage", STR("swell PORT KEY SECRET VIEWERS")); }
    static struct bench bench;
    bench.target = (struct bench_target){ "127.0.0.1", (int)bench_number(argv[1]), "/", argv[2], argv[3] };
    bench.viewer_count = (size_t)bench_number(argv[4]);
    bench.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (bench.viewer_count < 1 || bench.viewer_count > VIEWERS_MAX) { bench_fail("usage", STR("one viewer at least, a thousand at most")); }
    arena_init(&bench.arena, arena_size);
    set_up(&bench);
    bench.viewers = calloc(bench.viewer_count, sizeof *bench.viewers);
    for (size_t v = 0; v < bench.viewer_count; v++) { open_viewer(&bench, &bench.viewers[v], LOADING); }
    watch(&bench, STDIN_FILENO, NULL);
    watch(&bench, bench.marker.fd, &bench.marker);
    watch(&bench, bench.read.fd, &bench.read);
    while (turn(&bench, true)) { }
    (void)epoll_ctl(bench.epoll, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
    int64_t until_us = bench_now_us() + PATIENCE_US;
    while (!all_told(&bench) && bench_now_us() < until_us) { (void)turn(&bench, false); }
    if (!all_told(&bench)) { bench_fail("swell", STR("a viewer has not seen a marker for ten seconds")); }
    print(&bench);
    return 0;
}
