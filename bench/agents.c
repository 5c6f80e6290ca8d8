/* agents: how many agents can wait at once, what each costs the server, and how soon one hears, or all. Registers machines in the cluster
 * "agents", lets each poll, and then starts tasks one by one on machines by chance: how long from the request until its answer, until the
 * machine's payload, and from the one to the other. Then a task on every machine at once, until the last has heard. Prints a line of JSON.
 * With HOLD the agents go on waiting for HOLD seconds, so that something else can be measured beside them.
 *
 *   agents PORT AGENT-PORT KEY SECRET SERVER-PID AGENTS WAKES [HOLD] */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "bench/client.h"

enum { ARN_MAX = 256, SESSION_MAX = 64, STARTED_AT_ONCE = 10, CALLERS = 64, READY_MAX = 64, PATIENCE_MS = 10000 };
static const int64_t arena_size = 256 * 1024 * 1024;

struct agent { int fd; char arn[ARN_MAX], session[SESSION_MAX]; };
struct bench {
    struct bench_target api, agents;
    struct agent *all; size_t count;
    int epoll, control;
    struct bench_answer *answer;
    struct arena arena;
};

static void send_poll(struct bench *bench, struct agent *agent, struct str acks, int wait_s)
{
    struct str body = agent->session[0] == '\0'
        ? arena_printf(&bench->arena, "{\"cluster\":\"agents\",\"containerInstance\":\"%s\",\"waitSeconds\":%d}", agent->arn, wait_s)
        : arena_printf(&bench->arena, "{\"cluster\":\"agents\",\"containerInstance\":\"%s\",\"session\":\"%s\",\"acks\":[" STR_FMT "],"
                       "\"waitSeconds\":%d}", agent->arn, agent->session, STR_ARG(acks), wait_s);
    struct str request = bench_request(&bench->agents, "/berth/v1/agent/poll", NULL, body, &bench->arena);
    if (!bench_send(agent->fd, request)) { bench_fail("poll", STR("the request did not fit")); }
}

/* Reads a whole answer, and lists the ids of its messages for the next poll. */
static struct str read_poll(struct bench *bench, struct agent *agent)
{
    int status = 0;
    struct str body;
    bool closed = false;
    while (!bench_answer_read(agent->fd, bench->answer, &status, &body, &closed)) {
        if (closed) { bench_fail("poll", STR("the server closed a connection")); }
    }
    if (status != 200) { bench_fail("poll", body); }
    struct err err = { 0 };
    const struct json *tree = json_parse(body, &bench->arena, &err), *messages = json_get(tree, STR("messages"));
    if (!str_to_cstr(json_get_str(tree, STR("session")), agent->session, sizeof agent->session)) { bench_fail("poll", body); }
    struct buf acks = buf_in(&bench->arena);
    for (size_t m = 0; messages != NULL && m < messages->count; m++) {
        struct str id = json_get_str(json_get(&messages->as.items[m], STR("message")), STR("messageId"));
        buf_printf(&acks, "%s\"" STR_FMT "\"", m == 0 ? "" : ",", STR_ARG(id));
    }
    return buf_str(&acks);
}

static void register_all(struct bench *bench)
{
    bench_ask(&bench->api, bench->control, "CreateCluster", STR("{\"clusterName\":\"agents\"}"), bench->answer, &bench->arena);
    bench_ask(&bench->api, bench->control, "RegisterTaskDefinition",
              STR("{\"family\":\"bench\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"cpu\":1,\"memory\":6}]}"),
              bench->answer, &bench->arena);
    for (size_t a = 0; a < bench->count; a++) {
        struct err err = { 0 };
        arena_reset(&bench->arena);
        struct str reply = bench_ask(&bench->api, bench->control, "RegisterContainerInstance",
            STR("{\"cluster\":\"agents\",\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":65536},"
                "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":65536}]}"), bench->answer, &bench->arena);
        struct str arn = json_get_str(json_get(json_parse(reply, &bench->arena, &err), STR("containerInstance")), STR("containerInstanceArn"));
        if (!str_to_cstr(arn, bench->all[a].arn, sizeof bench->all[a].arn)) { bench_fail("RegisterContainerInstance", reply); }
    }
}

/* Polls that have ended begin again; waits for some for `wait_ms`. True when there may be more of them. */
static bool poll_again(struct bench *bench, int wait_ms)
{
    struct epoll_event events[READY_MAX];
    int ready = epoll_wait(bench->epoll, events, READY_MAX, wait_ms);
    arena_reset(&bench->arena);
    for (int e = 0; e < ready; e++) {
        struct agent *agent = events[e].data.ptr;
        send_poll(bench, agent, read_poll(bench, agent), 25);
    }
    return ready == READY_MAX;
}

/* Each polls twice: the first brings the manifest, the second waits. */
static void connect_all(struct bench *bench)
{
    for (size_t a = 0; a < bench->count; a++) {
        struct agent *agent = &bench->all[a];
        arena_reset(&bench->arena);
        agent->fd = bench_connect(&bench->agents);
        send_poll(bench, agent, STR(""), 0);
        send_poll(bench, agent, read_poll(bench, agent), 25);
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = agent };
        if (epoll_ctl(bench->epoll, EPOLL_CTL_ADD, agent->fd, &event) != 0) { bench_fail("epoll", STR("no room")); }
        if (a % READY_MAX == 0) { while (poll_again(bench, 0)) { } }
    }
}

static long read_kib(long pid, const char *name)
{
    char path[64], line[256];
    long kib = -1;
    snprintf(path, sizeof path, "/proc/%ld/status", pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) { kib = strtol(line + strlen(name), NULL, 10); }
    }
    if (file != NULL) { fclose(file); }
    return kib;
}

static void print_times(const char *name, int64_t *times_us, size_t count)
{
    bench_sort(times_us, count);
    printf(",\"%s_p50_ms\":%.3f,\"%s_p99_ms\":%.3f", name, bench_ms(times_us, count, 50), name, bench_ms(times_us, count, 99));
}

/* Starts one task and hears its answer and its payload, in any order; polls that end meanwhile begin again. */
static void wake_one(struct bench *bench, struct agent *chosen, int64_t *answer_us, int64_t *payload_us)
{
    arena_reset(&bench->arena);
    struct str body = arena_printf(&bench->arena, "{\"cluster\":\"agents\",\"taskDefinition\":\"bench\",\"containerInstances\":[\"%s\"]}", chosen->arn);
    struct str request = bench_request(&bench->api, "/", "StartTask", body, &bench->arena);
    int64_t began_us = bench_now_us();
    *answer_us = *payload_us = -1;
    if (!bench_send(bench->control, request)) { bench_fail("StartTask", STR("the request did not fit")); }
    while (*answer_us < 0 || *payload_us < 0) {
        struct epoll_event events[READY_MAX];
        int ready = epoll_wait(bench->epoll, events, READY_MAX, PATIENCE_MS);
        if (ready <= 0) { bench_fail("wake", STR("nobody heard")); }
        int64_t at_us = bench_now_us() - began_us;
        for (int e = 0; e < ready; e++) {
            struct agent *agent = events[e].data.ptr;
            if (agent == NULL) {
                int status = 0;
                struct str reply;
                bool closed = false;
                while (!bench_answer_read(bench->control, bench->answer, &status, &reply, &closed) && !closed) { }
                if (status != 200 || memmem(reply.ptr, reply.len, "\"failures\":[]", 13) == NULL) { bench_fail("StartTask", reply); }
                *answer_us = at_us;
                continue;
            }
            send_poll(bench, agent, read_poll(bench, agent), 25);
            if (agent == chosen) { *payload_us = at_us; }
        }
    }
}

/* ---- all at once ---- */

/* Some of StartTask's callers: each sends its next request when the answer to the last is there. */
struct callers { struct str *requests; size_t count, sent, answered; struct agent all[CALLERS]; };

static struct str start_request(struct bench *bench, size_t from)
{
    struct buf body = buf_in(&bench->arena);
    buf_put(&body, STR("{\"cluster\":\"agents\",\"taskDefinition\":\"bench\",\"containerInstances\":["));
    for (size_t a = from; a < bench->count && a < from + STARTED_AT_ONCE; a++) { buf_printf(&body, "%s\"%s\"", a == from ? "" : ",", bench->all[a].arn); }
    buf_put(&body, STR("]}"));
    return bench_request(&bench->api, "/", "StartTask", buf_str(&body), &bench->arena);
}

static void send_start(struct callers *callers, struct agent *caller)
{
    if (callers->sent == callers->count) { return; }
    if (!bench_send(caller->fd, callers->requests[callers->sent++])) { bench_fail("StartTask", STR("the request did not fit")); }
}

static void hear_answer(struct bench *bench, struct callers *callers, struct agent *caller)
{
    int status = 0;
    struct str reply;
    bool closed = false;
    while (!bench_answer_read(caller->fd, bench->answer, &status, &reply, &closed)) {
        if (closed) { bench_fail("StartTask", STR("the server closed a connection")); }
    }
    if (status != 200 || memmem(reply.ptr, reply.len, "\"failures\":[]", 13) == NULL) { bench_fail("StartTask", reply); }
    callers->answered++;
    send_start(callers, caller);
}

/* Seconds from the first request until the last machine has its task. A machine whose poll was empty polls again; one with its task waits. */
static double wake_all(struct bench *bench)
{
    struct callers *callers = calloc(1, sizeof *callers);
    size_t heard = 0;
    arena_reset(&bench->arena);
    bench_close(bench->control);                 /* nobody reads it from here */
    callers->count = (bench->count + STARTED_AT_ONCE - 1) / STARTED_AT_ONCE;
    callers->requests = ARENA_NEW(&bench->arena, struct str, callers->count);
    for (size_t r = 0; r < callers->count; r++) { callers->requests[r] = start_request(bench, r * STARTED_AT_ONCE); }
    for (size_t c = 0; c < CALLERS; c++) {
        callers->all[c].fd = bench_connect(&bench->api);
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = &callers->all[c] };
        if (epoll_ctl(bench->epoll, EPOLL_CTL_ADD, callers->all[c].fd, &event) != 0) { bench_fail("epoll", STR("no room")); }
    }
    struct str *acks = ARENA_NEW(&bench->arena, struct str, bench->count);
    int64_t began_us = bench_now_us();
    for (size_t c = 0; c < CALLERS; c++) { send_start(callers, &callers->all[c]); }
    while (heard < bench->count || callers->answered < callers->count) {
        struct epoll_event events[READY_MAX];
        int ready = epoll_wait(bench->epoll, events, READY_MAX, PATIENCE_MS);
        if (ready <= 0) { bench_fail("wake", STR("nobody heard")); }
        for (int e = 0; e < ready; e++) {
            struct agent *agent = events[e].data.ptr;
            bool is_caller = agent >= callers->all && agent < callers->all + CALLERS;
            if (is_caller) { hear_answer(bench, callers, agent); continue; }
            struct str ids = read_poll(bench, agent);
            acks[agent - bench->all] = ids;
            if (ids.len == 0) { send_poll(bench, agent, ids, 25); } else { heard++; }
        }
    }
    double seconds = (double)(bench_now_us() - began_us) / 1e6;
    for (size_t c = 0; c < CALLERS; c++) { bench_close(callers->all[c].fd); }
    for (size_t a = 0; a < bench->count; a++) { send_poll(bench, &bench->all[a], acks[a], 25); }
    free(callers);
    return seconds;
}

static void hold(struct bench *bench, int64_t seconds)
{
    int64_t until_us = bench_now_us() + seconds * 1000000;
    while (bench_now_us() < until_us) { (void)poll_again(bench, 100); }
}

int main(int argc, char **argv)
{
    if (argc != 8 && argc != 9) { bench_fail("usage", STR("agents PORT AGENT-PORT KEY SECRET SERVER-PID AGENTS WAKES [HOLD]")); }
    bench_begin();
    const struct rlimit files = { 1 << 18, 1 << 18 }, some = { 20000, 20000 };
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) { (void)setrlimit(RLIMIT_NOFILE, &some); }
    size_t count = (size_t)bench_number(argv[6]), wakes = (size_t)bench_number(argv[7]);
    long pid = (long)bench_number(argv[5]);
    struct bench bench = {
        .api = { "127.0.0.1", (int)bench_number(argv[1]), "/", argv[3], argv[4] }, .agents = { "127.0.0.1", (int)bench_number(argv[2]), "/", argv[3], argv[4] },
        .all = calloc(count, sizeof(struct agent)), .count = count, .epoll = epoll_create1(EPOLL_CLOEXEC), .answer = calloc(1, sizeof(struct bench_answer)),
    };
    int64_t *answers = calloc(wakes, sizeof *answers), *payloads = calloc(wakes, sizeof *payloads), *later = calloc(wakes, sizeof *later);
    arena_init(&bench.arena, (size_t)arena_size);
    bench.control = bench_connect(&bench.api);
    register_all(&bench);
    long before_kib = read_kib(pid, "RssAnon:");
    int64_t began_us = bench_now_us();
    connect_all(&bench);
    double connected_s = (double)(bench_now_us() - began_us) / 1e6;
    bench_close(bench.control);                  /* idle long enough that the server may have closed it */
    bench.control = bench_connect(&bench.api);
    long after_kib = read_kib(pid, "RssAnon:");
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = NULL };
    if (epoll_ctl(bench.epoll, EPOLL_CTL_ADD, bench.control, &event) != 0) { bench_fail("epoll", STR("no room")); }
    uint64_t chance = BENCH_SEED;
    for (size_t w = 0; w < wakes; w++) {
        wake_one(&bench, &bench.all[bench_chance(&chance) % count], &answers[w], &payloads[w]);
        later[w] = payloads[w] - answers[w];
    }
    printf("{\"agents\":%zu,\"connected_s\":%.1f,\"rss_anon_before_kib\":%ld,\"rss_anon_after_kib\":%ld", count, connected_s, before_kib, after_kib);
    print_times("answer", answers, wakes);
    print_times("payload", payloads, wakes);
    print_times("later", later, wakes);
    printf(",\"all_heard_s\":%.3f}\n", wake_all(&bench));
    fflush(stdout);
    if (argc == 9) { hold(&bench, bench_number(argv[8])); }
    return 0;
}
