/* lives: whole lives of tasks, as fast as the server can take them down: RunTask over many connections, a fleet of simulated machines
 * that take each task from their polls, and reports that it runs and that it has ended. Everything is signed, every answer durable.
 *
 *   lives PORT AGENT-PORT KEY SECRET MACHINES CONNECTIONS REPORTERS SECONDS ALIVE [LIVES [RATE]]
 *
 * At most ALIVE tasks live at a time, so that the server is neither idle nor buried. After a second of warming up lives are counted for
 * SECONDS, or from the first on until LIVES have begun; then the rest is brought to its end, and every task that RunTask acknowledged must
 * have ended. With a RATE this many begin in a second, and no more. One line of JSON. A life is three durable changes: it is placed and
 * PENDING, it is RUNNING, it is STOPPED. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/id.h"
#include "base/json.h"
#include "bench/client.h"

enum {
    ARN_MAX = 256, SESSION_MAX = 64, PER_CALL = 10, BATCH = 256, READY_MAX = 64, POLL_WAIT_S = 25, WARM_UP_US = 1000 * 1000, SILENCE_MS = 30 * 1000,
    PACE_MS = 5, SIGNED_FOR_US = 500 * 1000,         /* a signature is good for minutes, but clocks may run faster */
};
static const size_t arena_size = (size_t)64 << 20;
#define TASK_PREFIX "arn:aws:ecs:us-east-1:123456789012:task/default/"

struct life { char id[ID_HEX_LEN + 1]; bool runs; struct life *next; };
enum link_kind { LINK_RUN, LINK_MACHINE, LINK_REPORTS };
struct link {
    enum link_kind kind;
    int fd;
    bool asked;                                  /* an answer is due */
    struct bench_answer *answer;
    struct link *next_free;
    char arn[ARN_MAX], session[SESSION_MAX];     /* of a machine */
    struct life *reported[BATCH]; size_t count;  /* of reports on their way */
};
struct bench {
    struct bench_target api, agents;
    struct link *links; size_t link_count;
    struct link *free_runs, *free_reports;
    struct life *waiting, **waiting_end, *spare; /* to be reported, oldest first; that have ended */
    int epoll;
    int64_t alive_max, rate;                     /* rate 0: as many as the server takes */
    int64_t began_us, signed_us, heard_us;
    bool draining;
    uint64_t created, taken, running, stopped, report_calls, polls;
    struct str run_request;
    struct arena arena, kept, run_arena;
};

static void send_or_fail(struct link *link, struct str request)
{
    link->asked = true;
    if (!bench_send(link->fd, request)) { bench_fail("write", STR("the request did not fit into the socket")); }
}

/* ---- getting ready ---- */

static void register_all(struct bench *bench)
{
    struct bench_answer *answer = calloc(1, sizeof *answer);
    int fd = bench_connect(&bench->api);
    bench_ask(&bench->api, fd, "CreateCluster", STR("{}"), answer, &bench->arena);
    bench_ask(&bench->api, fd, "RegisterTaskDefinition",
              STR("{\"family\":\"bench\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"cpu\":1,\"memory\":6}]}"),
              answer, &bench->arena);
    for (size_t l = 0; l < bench->link_count; l++) {
        struct err err = { 0 };
        if (bench->links[l].kind != LINK_MACHINE) { continue; }
        arena_reset(&bench->arena);
        struct str reply = bench_ask(&bench->api, fd, "RegisterContainerInstance",
            STR("{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":2000000000},"
                "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":2000000000}]}"), answer, &bench->arena);
        struct str arn = json_get_str(json_get(json_parse(reply, &bench->arena, &err), STR("containerInstance")), STR("containerInstanceArn"));
        if (!str_to_cstr(arn, bench->links[l].arn, sizeof bench->links[l].arn)) { bench_fail("RegisterContainerInstance", reply); }
    }
    bench_close(fd);
    free(answer);
}

/* ---- a machine: what its poll brings begins to live ---- */

static void send_poll(struct bench *bench, struct link *machine, struct str acks)
{
    struct str session = machine->session[0] == '\0' ? STR("")
        : arena_printf(&bench->arena, "\"session\":\"%s\",\"acks\":[" STR_FMT "],", machine->session, STR_ARG(acks));
    struct str body = arena_printf(&bench->arena, "{\"cluster\":\"default\",\"containerInstance\":\"%s\"," STR_FMT "\"waitSeconds\":%d}",
                                   machine->arn, STR_ARG(session), machine->session[0] == '\0' ? 0 : POLL_WAIT_S);
    send_or_fail(machine, bench_request(&bench->agents, "/berth/v1/agent/poll", NULL, body, &bench->arena));
    bench->polls++;
}

/* The text behind `name` in quotes, from *at on, which moves behind it. */
static bool next_text(struct str body, const char *name, size_t *at, struct str *text)
{
    const char *found = memmem(body.ptr + *at, body.len - *at, name, strlen(name));
    if (found == NULL) { return false; }
    size_t from = (size_t)(found - body.ptr) + strlen(name);
    *text = str_slice(body, from, from + str_find(str_slice(body, from, body.len), '"'));
    *at = from + text->len;
    return true;
}

static void queue_life(struct bench *bench, struct life *life)
{
    life->next = NULL;
    *bench->waiting_end = life;
    bench->waiting_end = &life->next;
}

static void begin_life(struct bench *bench, struct str arn)
{
    struct life *life = bench->spare != NULL ? bench->spare : ARENA_NEW(&bench->kept, struct life, 1);
    if (bench->spare != NULL) { bench->spare = life->next; }
    *life = (struct life){ .runs = false };
    if (arn.len < ID_HEX_LEN || !str_to_cstr(str_slice(arn, arn.len - ID_HEX_LEN, arn.len), life->id, sizeof life->id)) { bench_fail("payload", arn); }
    bench->taken++;
    queue_life(bench, life);
}

/* Berth prints a payload's messageId before its tasks, so that a walk through the text finds the messages to acknowledge and the tasks to begin. */
static void take_poll(struct bench *bench, struct link *machine, struct str body)
{
    static const char task[] = "\"tasks\":[{\"arn\":\"";
    struct str text;
    size_t at = 0, task_at = 0;
    struct buf acks = buf_in(&bench->arena);
    if (machine->session[0] == '\0' && (!next_text(body, "\"session\":\"", &at, &text) || !str_to_cstr(text, machine->session, sizeof machine->session))) {
        bench_fail("poll", body);
    }
    while (next_text(body, "\"messageId\":\"", &at, &text)) { buf_printf(&acks, "%s\"" STR_FMT "\"", acks.len == 0 ? "" : ",", STR_ARG(text)); }
    while (next_text(body, task, &task_at, &text)) { begin_life(bench, text); }
    send_poll(bench, machine, buf_str(&acks));
}

/* ---- reports ---- */

/* The id is between the pieces of these texts. Not printf: the client shares the processors with the server. */
static void put_report(struct buf *body, const struct life *life)
{
    static const struct str runs[] = {
        STR_INIT("{\"cluster\":\"default\",\"task\":\"" TASK_PREFIX),
        STR_INIT("\",\"status\":\"RUNNING\",\"reason\":\"\",\"pullStartedAt\":1900000000.25,\"pullStoppedAt\":1900000000.25,"
                 "\"containers\":[{\"containerName\":\"main\",\"runtimeId\":\"simulated-"),
        STR_INIT("-1\",\"status\":\"RUNNING\"}]}"),
    }, ends[] = {
        STR_INIT("{\"cluster\":\"default\",\"task\":\"" TASK_PREFIX),
        STR_INIT("\",\"status\":\"STOPPED\",\"reason\":\"\",\"executionStoppedAt\":1900000000.25,"
                 "\"containers\":[{\"containerName\":\"main\",\"runtimeId\":\"simulated-"),
        STR_INIT("-1\",\"status\":\"STOPPED\",\"exitCode\":0}]}"),
    };
    const struct str *pieces = life->runs ? ends : runs;
    for (size_t p = 0; p < COUNT_OF(runs); p++) {
        if (p > 0) { buf_put(body, (struct str){ life->id, ID_HEX_LEN }); }
        buf_put(body, pieces[p]);
    }
}

static void send_reports(struct bench *bench, struct link *link)
{
    struct buf body = buf_in(&bench->arena);
    buf_put(&body, STR("{\"reports\":["));
    for (link->count = 0; link->count < BATCH && bench->waiting != NULL; link->count++) {
        struct life *life = bench->waiting;
        bench->waiting = life->next;
        if (bench->waiting == NULL) { bench->waiting_end = &bench->waiting; }
        if (link->count > 0) { buf_put_char(&body, ','); }
        put_report(&body, life);
        link->reported[link->count] = life;
    }
    buf_put(&body, STR("]}"));
    bench->report_calls++;
    send_or_fail(link, bench_request(&bench->api, "/berth/v1/agent/reports", NULL, buf_str(&body), &bench->arena));
}

static void take_reports(struct bench *bench, struct link *link, struct str body)
{
    if (memmem(body.ptr, body.len, "__type", 6) != NULL) { bench_fail("reports", body); }
    for (size_t r = 0; r < link->count; r++) {
        struct life *life = link->reported[r];
        if (life->runs) {
            bench->stopped++;
            life->next = bench->spare;
            bench->spare = life;
        } else {
            bench->running++;
            life->runs = true;
            queue_life(bench, life);
        }
    }
    link->next_free = bench->free_reports;
    bench->free_reports = link;
}

/* ---- RunTask ---- */

static void take_run(struct bench *bench, struct link *link, struct str body)
{
    if (memmem(body.ptr, body.len, "\"failures\":[]", 13) == NULL) { bench_fail("RunTask", body); }
    bench->created += PER_CALL;
    link->next_free = bench->free_runs;
    bench->free_runs = link;
}

/* ---- the loop ---- */

static void sign_run(struct bench *bench)
{
    if (bench->signed_us != 0 && bench_now_us() - bench->signed_us < SIGNED_FOR_US) { return; }
    arena_reset(&bench->run_arena);
    bench->run_request =
        bench_request(&bench->api, "/", "RunTask", STR("{\"taskDefinition\":\"bench\",\"startedBy\":\"bench\",\"count\":10}"), &bench->run_arena);
    bench->signed_us = bench_now_us();
}

static bool may_begin(const struct bench *bench, uint64_t asked)
{
    bool due = bench->rate == 0 || (int64_t)asked < (bench_now_us() - bench->began_us) * bench->rate / 1000000;
    return !bench->draining && due && bench->free_runs != NULL && (int64_t)(asked - bench->stopped) < bench->alive_max;
}

static void send_all(struct bench *bench)
{
    static uint64_t asked;
    sign_run(bench);
    while (may_begin(bench, asked)) {
        struct link *link = bench->free_runs;
        bench->free_runs = link->next_free;
        asked += PER_CALL;
        send_or_fail(link, bench->run_request);
    }
    while (bench->waiting != NULL && bench->free_reports != NULL) {
        struct link *link = bench->free_reports;
        bench->free_reports = link->next_free;
        arena_reset(&bench->arena);
        send_reports(bench, link);
    }
}

static void open_link(struct bench *bench, struct link *link)
{
    link->fd = bench_connect(link->kind == LINK_MACHINE ? &bench->agents : &bench->api);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = link };
    if (epoll_ctl(bench->epoll, EPOLL_CTL_ADD, link->fd, &event) != 0) { bench_fail("epoll", STR("no room")); }
}

static void reopen_link(struct bench *bench, struct link *link)
{
    bench_close(link->fd);
    open_link(bench, link);
}

static void take_answer(struct bench *bench, struct link *link)
{
    static void (*const take[])(struct bench *bench, struct link *link, struct str body) = {
        [LINK_RUN] = take_run, [LINK_MACHINE] = take_poll, [LINK_REPORTS] = take_reports,
    };
    int status = 0;
    struct str body;
    bool closed;
    if (!bench_answer_read(link->fd, link->answer, &status, &body, &closed)) {
        if (closed && link->asked) { bench_fail("lives", STR("the server closed a connection")); }
        if (closed) { reopen_link(bench, link); }        /* it rested, and others want its thread */
        return;
    }
    if (status != 200) { bench_fail("lives", body); }
    link->asked = false;
    if (link->answer->last) { reopen_link(bench, link); }
    arena_reset(&bench->arena);
    take[link->kind](bench, link, body);
}

static void turn(struct bench *bench)
{
    struct epoll_event events[READY_MAX];
    send_all(bench);
    int ready = epoll_wait(bench->epoll, events, READY_MAX, bench->rate > 0 ? PACE_MS : SILENCE_MS);
    if (ready > 0) { bench->heard_us = bench_now_us(); }
    if (bench_now_us() - bench->heard_us >= SILENCE_MS * 1000) { bench_fail("lives", STR("nothing came for half a minute")); }
    for (int e = 0; e < ready; e++) { take_answer(bench, events[e].data.ptr); }
}

static void open_links(struct bench *bench)
{
    for (size_t l = 0; l < bench->link_count; l++) {
        struct link *link = &bench->links[l];
        link->answer = calloc(1, sizeof *link->answer);
        open_link(bench, link);
        struct link **free_links = link->kind == LINK_RUN ? &bench->free_runs : &bench->free_reports;
        if (link->kind == LINK_MACHINE) {
            arena_reset(&bench->arena);
            send_poll(bench, link, STR(""));
        } else {
            link->next_free = *free_links;
            *free_links = link;
        }
    }
}

static void measure(struct bench *bench, int64_t seconds, uint64_t lives_max)
{
    bench->began_us = bench->heard_us = bench_now_us();
    int64_t began_us = bench_now_us() + (lives_max == UINT64_MAX ? WARM_UP_US : 0);
    while (bench_now_us() < began_us) { turn(bench); }
    const struct bench before = *bench;
    began_us = bench_now_us();
    while (bench_now_us() < began_us + seconds * 1000000 && bench->created < lives_max) { turn(bench); }
    double took_s = (double)(bench_now_us() - began_us) / 1e6;
    const struct bench after = *bench;
    bench->draining = true;
    while (bench->stopped < bench->created || bench->taken < bench->created) { turn(bench); }
    double lives = (double)(after.stopped - before.stopped), created = (double)(after.created - before.created);
    double changes = created + (double)(after.running - before.running) + lives;
    printf("{\"lives_per_s\":%.0f,\"changes_per_s\":%.0f,\"placed_per_s\":%.0f,\"reports_a_call\":%.1f,\"tasks_a_poll\":%.2f,\"lives\":%llu,"
           "\"seconds\":%.3f}\n", lives / took_s, changes / took_s, created / took_s, (changes - created) / (double)(after.report_calls - before.report_calls),
           (double)(after.taken - before.taken) / (double)(after.polls - before.polls), (unsigned long long)bench->stopped, took_s);
}

int main(int argc, char **argv)
{
    enum { FIXED = 5, LIVES = 10, RATE = 11, ARGUMENTS = 12 };
    static const char usage[] = "lives PORT AGENT-PORT KEY SECRET MACHINES CONNECTIONS REPORTERS SECONDS ALIVE [LIVES [RATE]]";
    int64_t number[ARGUMENTS] = { 0 };
    bool good = argc >= LIVES && argc <= ARGUMENTS;
    for (int a = 1; good && a < argc; a++) {
        bool text = a == 3 || a == 4;
        good = text || (str_to_i64(str_from(argv[a]), &number[a]) && number[a] > 0);
    }
    if (!good) { bench_fail("usage", str_from(usage)); }
    const struct rlimit files = { 1 << 18, 1 << 18 }, some = { 20000, 20000 };
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) { (void)setrlimit(RLIMIT_NOFILE, &some); }
    struct bench bench = {
        .api = { "127.0.0.1", (int)number[1], "/", argv[3], argv[4] },
        .agents = { "127.0.0.1", (int)number[2], "/", argv[3], argv[4] },
        .link_count = (size_t)(number[5] + number[6] + number[7]), .epoll = epoll_create1(EPOLL_CLOEXEC), .alive_max = number[9], .rate = number[RATE],
    };
    bench.waiting_end = &bench.waiting;
    bench.links = calloc(bench.link_count, sizeof *bench.links);
    arena_init(&bench.arena, arena_size);
    arena_init(&bench.kept, arena_size);
    arena_init(&bench.run_arena, arena_size);
    for (size_t l = 0; l < bench.link_count; l++) {
        bench.links[l].kind = l < (size_t)number[5] ? LINK_MACHINE : l < (size_t)(number[5] + number[6]) ? LINK_RUN : LINK_REPORTS;
    }
    register_all(&bench);
    open_links(&bench);
    measure(&bench, number[FIXED + 3], number[LIVES] > 0 ? (uint64_t)number[LIVES] : UINT64_MAX);
    return 0;
}
