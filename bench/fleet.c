/* fleet.c: see fleet.h. */
#include "bench/fleet.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/json.h"

enum { READY_MAX = 64, POLL_WAIT_S = 25, SILENCE_US = 30 * 1000 * 1000 };
static const size_t arena_size = (size_t)64 << 20, kept_size = (size_t)1 << 30;
#define TASK_PREFIX "arn:aws:ecs:us-east-1:123456789012:task/default/"

void fleet_send(struct link *link, struct str request)
{
    link->asked = true;
    if (!bench_send(link->fd, request)) { bench_fail("write", STR("the request did not fit into the socket")); }
}

/* ---- getting ready ---- */

static void register_all(struct fleet *fleet)
{
    struct bench_answer *answer = calloc(1, sizeof *answer);
    int fd = bench_connect(&fleet->api);
    bench_ask(&fleet->api, fd, "CreateCluster", STR("{}"), answer, &fleet->arena);
    bench_ask(&fleet->api, fd, "RegisterTaskDefinition",
              STR("{\"family\":\"bench\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"cpu\":1,\"memory\":6}]}"),
              answer, &fleet->arena);
    for (size_t l = 0; l < fleet->link_count; l++) {
        struct err err = { 0 };
        if (fleet->links[l].kind != LINK_MACHINE) { continue; }
        arena_reset(&fleet->arena);
        struct str reply = bench_ask(&fleet->api, fd, "RegisterContainerInstance",
            STR("{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":2000000000},"
                "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":2000000000}]}"), answer, &fleet->arena);
        struct str arn = json_get_str(json_get(json_parse(reply, &fleet->arena, &err), STR("containerInstance")), STR("containerInstanceArn"));
        if (!str_to_cstr(arn, fleet->links[l].arn, sizeof fleet->links[l].arn)) { bench_fail("RegisterContainerInstance", reply); }
    }
    bench_close(fd);
    free(answer);
}

/* ---- a machine: what its poll brings begins to live ---- */

static void send_poll(struct fleet *fleet, struct link *machine, struct str acks)
{
    struct str session = machine->session[0] == '\0' ? STR("")
        : arena_printf(&fleet->arena, "\"session\":\"%s\",\"acks\":[" STR_FMT "],", machine->session, STR_ARG(acks));
    struct str body = arena_printf(&fleet->arena, "{\"cluster\":\"default\",\"containerInstance\":\"%s\"," STR_FMT "\"waitSeconds\":%d}",
                                   machine->arn, STR_ARG(session), machine->session[0] == '\0' ? 0 : POLL_WAIT_S);
    fleet_send(machine, bench_request(&fleet->agents, "/berth/v1/agent/poll", NULL, body, &fleet->arena));
    fleet->polls++;
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

static void queue_life(struct fleet *fleet, struct life *life)
{
    life->next = NULL;
    *fleet->waiting_end = life;
    fleet->waiting_end = &life->next;
}

/* `stops`: the task is to stop, and its end is the next that is reported. */
static void begin_life(struct fleet *fleet, struct str arn, bool stops)
{
    struct life *life = fleet->spare != NULL ? fleet->spare : ARENA_NEW(&fleet->kept, struct life, 1);
    if (fleet->spare != NULL) { fleet->spare = life->next; }
    *life = (struct life){ .runs = stops };
    if (arn.len < ID_HEX_LEN || !str_to_cstr(str_slice(arn, arn.len - ID_HEX_LEN, arn.len), life->id, sizeof life->id)) { bench_fail("payload", arn); }
    fleet->taken += !stops;
    if (!stops) { fleet->taken_us = bench_now_us(); }
    queue_life(fleet, life);
}

/* Berth prints a payload's messageId before its tasks, so that a walk through the text finds the messages to acknowledge and the tasks to begin. */
static void take_poll(struct fleet *fleet, struct link *machine, struct str body)
{
    static const char task[] = "\"tasks\":[{\"arn\":\"";
    struct str text;
    size_t at = 0, task_at = 0;
    struct buf acks = buf_in(&fleet->arena);
    if (machine->session[0] == '\0' && (!next_text(body, "\"session\":\"", &at, &text) || !str_to_cstr(text, machine->session, sizeof machine->session))) {
        bench_fail("poll", body);
    }
    while (next_text(body, "\"messageId\":\"", &at, &text)) { buf_printf(&acks, "%s\"" STR_FMT "\"", acks.len == 0 ? "" : ",", STR_ARG(text)); }
    while (next_text(body, task, &task_at, &text)) {
        struct str desired = STR("");
        if (!next_text(body, "\"desiredStatus\":\"", &task_at, &desired)) { bench_fail("payload", body); }
        begin_life(fleet, text, str_eq(desired, STR("STOPPED")));
    }
    send_poll(fleet, machine, buf_str(&acks));
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

static void send_reports(struct fleet *fleet, struct link *link)
{
    struct buf body = buf_in(&fleet->arena);
    buf_put(&body, STR("{\"reports\":["));
    for (link->count = 0; link->count < FLEET_BATCH && fleet->waiting != NULL; link->count++) {
        struct life *life = fleet->waiting;
        fleet->waiting = life->next;
        if (fleet->waiting == NULL) { fleet->waiting_end = &fleet->waiting; }
        if (link->count > 0) { buf_put_char(&body, ','); }
        put_report(&body, life);
        link->reported[link->count] = life;
    }
    buf_put(&body, STR("]}"));
    fleet->report_calls++;
    link->sent_us = bench_now_us();
    fleet_send(link, bench_request(&fleet->api, "/berth/v1/agent/reports", NULL, buf_str(&body), &fleet->arena));
}

static void spare_life(struct fleet *fleet, struct life *life)
{
    life->next = fleet->spare;
    fleet->spare = life;
}

static void take_reports(struct fleet *fleet, struct link *link, struct str body)
{
    if (memmem(body.ptr, body.len, "__type", 6) != NULL) { bench_fail("reports", body); }
    for (size_t r = 0; r < link->count; r++) {
        struct life *life = link->reported[r];
        if (life->runs) {
            fleet->stopped++;
            fleet->ended_us = link->sent_us;
            spare_life(fleet, life);
        } else {
            fleet->running++;
            life->runs = true;
            if (fleet->heard_running != NULL) { fleet->heard_running(fleet->owner, life->id); }
            if (fleet->keeps) { spare_life(fleet, life); } else { queue_life(fleet, life); }
        }
    }
    link->next_free = fleet->free_reports;
    fleet->free_reports = link;
}

/* ---- the loop ---- */

static void open_link(struct fleet *fleet, struct link *link)
{
    link->fd = bench_connect(link->kind == LINK_MACHINE ? &fleet->agents : &fleet->api);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = link };
    if (epoll_ctl(fleet->epoll, EPOLL_CTL_ADD, link->fd, &event) != 0) { bench_fail("epoll", STR("no room")); }
}

static void reopen_link(struct fleet *fleet, struct link *link)
{
    bench_close(link->fd);
    open_link(fleet, link);
}

static void take_answer(struct fleet *fleet, struct link *link)
{
    int status = 0;
    struct str body;
    bool closed;
    if (!bench_answer_read(link->fd, link->answer, &status, &body, &closed)) {
        if (closed && link->asked) { bench_fail("lives", STR("the server closed a connection")); }
        if (closed) { reopen_link(fleet, link); }        /* it rested, and others want its thread */
        return;
    }
    if (status != 200) { bench_fail("lives", body); }
    link->asked = false;
    if (link->answer->last) { reopen_link(fleet, link); }
    arena_reset(&fleet->arena);
    if (link->kind == LINK_MACHINE) {
        take_poll(fleet, link, body);
    } else if (link->kind == LINK_REPORTS) {
        take_reports(fleet, link, body);
    } else {
        fleet->take_run(fleet, link, body);
    }
}

static void report_waiting(struct fleet *fleet)
{
    while (fleet->waiting != NULL && fleet->free_reports != NULL) {
        struct link *link = fleet->free_reports;
        fleet->free_reports = link->next_free;
        arena_reset(&fleet->arena);
        send_reports(fleet, link);
    }
}

void fleet_turn(struct fleet *fleet, int wait_ms)
{
    struct epoll_event events[READY_MAX];
    report_waiting(fleet);
    int ready = epoll_wait(fleet->epoll, events, READY_MAX, wait_ms);
    if (ready > 0) { fleet->heard_us = bench_now_us(); }
    if (bench_now_us() - fleet->heard_us >= SILENCE_US) { bench_fail("fleet", STR("nothing came for half a minute")); }
    for (int e = 0; e < ready; e++) { take_answer(fleet, events[e].data.ptr); }
}

static void open_links(struct fleet *fleet)
{
    for (size_t l = 0; l < fleet->link_count; l++) {
        struct link *link = &fleet->links[l];
        link->answer = calloc(1, sizeof *link->answer);
        open_link(fleet, link);
        struct link **free_links = link->kind == LINK_RUN ? &fleet->free_runs : &fleet->free_reports;
        if (link->kind == LINK_MACHINE) {
            arena_reset(&fleet->arena);
            send_poll(fleet, link, STR(""));
        } else {
            link->next_free = *free_links;
            *free_links = link;
        }
    }
}

void fleet_open(struct fleet *fleet, size_t machines, size_t runs, size_t reporters)
{
    const struct rlimit files = { 1 << 18, 1 << 18 }, some = { 20000, 20000 };
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) { (void)setrlimit(RLIMIT_NOFILE, &some); }
    fleet->link_count = machines + runs + reporters;
    fleet->epoll = epoll_create1(EPOLL_CLOEXEC);
    fleet->waiting_end = &fleet->waiting;
    fleet->links = calloc(fleet->link_count, sizeof *fleet->links);
    arena_init(&fleet->arena, arena_size);
    arena_init(&fleet->kept, kept_size);
    for (size_t l = 0; l < fleet->link_count; l++) {
        fleet->links[l].kind = l < machines ? LINK_MACHINE : l < machines + runs ? LINK_RUN : LINK_REPORTS;
    }
    register_all(fleet);
    fleet->heard_us = bench_now_us();
    open_links(fleet);
}
