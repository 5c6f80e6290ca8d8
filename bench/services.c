/* services: the life of a large service, and how soon a task of a small one is replaced. A fleet of simulated machines runs the tasks.
 *
 *   services PORT AGENT-PORT KEY SECRET MACHINES TASKS ENDS
 *
 * The service "large" gets TASKS tasks, then a new revision, then none; each takes until the service and the machines agree. Then the service
 * "small" of ten tasks loses a task ENDS times, one after another: how long from the report that it has stopped until a machine has its
 * successor. "small" has a maximum of 100 %, so that nothing starts before the report. One line of JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "bench/fleet.h"

enum { REPORTERS = 4, LOOK_US = 50 * 1000, WAIT_MS = 5, SMALL = 10, FRESH_US = 10 * 1000 * 1000 };
static const size_t arena_size = (size_t)16 << 20;

struct bench {
    struct fleet fleet;
    struct bench_answer *answer;
    int control;
    int64_t asked_us;                            /* the last time on it */
    char newest[ID_HEX_LEN + 1];                 /* of the tasks that run */
    struct arena arena;
};

static void heard_running(void *owner, const char *id) { memcpy(((struct bench *)owner)->newest, id, ID_HEX_LEN + 1); }

static struct str ask(struct bench *bench, const char *operation, struct str body)
{
    /* The server ends a connection that says nothing for 20 s, and on a slow machine a service of 100,000 takes longer to roll. */
    if (bench_now_us() - bench->asked_us > FRESH_US) {
        (void)close(bench->control);
        bench->control = bench_connect(&bench->fleet.api);
    }
    bench->asked_us = bench_now_us();
    arena_reset(&bench->arena);
    return bench_ask(&bench->fleet.api, bench->control, operation, body, bench->answer, &bench->arena);
}

/* All of its `tasks` run, and there is nothing else of it: one deployment is left. */
static bool is_there(struct bench *bench, const char *service, int64_t tasks)
{
    struct err err = { 0 };
    char body[64];
    (void)snprintf(body, sizeof body, "{\"services\":[\"%s\"]}", service);
    struct str reply = ask(bench, "DescribeServices", str_from(body));
    const struct json *services = json_get(json_parse(reply, &bench->arena, &err), STR("services"));
    if (services == NULL || services->count != 1) { bench_fail("DescribeServices", reply); }
    const struct json *one = &services->as.items[0], *deployments = json_get(one, STR("deployments"));
    return json_get_i64(one, STR("runningCount"), 0) == tasks && json_get_i64(one, STR("pendingCount"), 0) == 0 && deployments != NULL
        && deployments->count == 1;
}

/* Seconds until the service has got there. */
static double wait_for(struct bench *bench, const char *service, int64_t tasks, uint64_t stopped)
{
    int64_t began_us = bench_now_us(), look_us = began_us;
    for (;;) {
        fleet_turn(&bench->fleet, WAIT_MS);
        if (bench_now_us() < look_us) { continue; }
        if (bench->fleet.stopped >= stopped && is_there(bench, service, tasks)) { break; }
        look_us = bench_now_us() + LOOK_US;
    }
    return (double)(bench_now_us() - began_us) / 1e6;
}

static void live_large(struct bench *bench, int64_t tasks)
{
    char body[200];
    (void)snprintf(body, sizeof body, "{\"serviceName\":\"large\",\"taskDefinition\":\"bench\",\"desiredCount\":%lld}", (long long)tasks);
    ask(bench, "CreateService", str_from(body));
    double grown_s = wait_for(bench, "large", tasks, 0);
    ask(bench, "UpdateService", STR("{\"service\":\"large\",\"forceNewDeployment\":true}"));
    double rolled_s = wait_for(bench, "large", tasks, (uint64_t)tasks);
    ask(bench, "UpdateService", STR("{\"service\":\"large\",\"desiredCount\":0}"));
    double gone_s = wait_for(bench, "large", 0, 2 * (uint64_t)tasks);
    printf("{\"grown_s\":%.3f,\"rolled_s\":%.3f,\"gone_s\":%.3f", grown_s, rolled_s, gone_s);
}

static void lose_one(struct bench *bench, int64_t *us)
{
    char body[128];
    struct fleet *fleet = &bench->fleet;
    uint64_t stopped = fleet->stopped, running = fleet->running, taken = fleet->taken;
    (void)snprintf(body, sizeof body, "{\"task\":\"%s\"}", bench->newest);
    ask(bench, "StopTask", str_from(body));
    while (fleet->stopped == stopped) { fleet_turn(fleet, WAIT_MS); }
    while (fleet->taken == taken) { fleet_turn(fleet, WAIT_MS); }
    *us = fleet->taken_us - fleet->ended_us;
    while (fleet->running == running) { fleet_turn(fleet, WAIT_MS); }
}

static void live_small(struct bench *bench, size_t ends)
{
    int64_t *times_us = calloc(ends, sizeof *times_us);
    ask(bench, "CreateService", STR("{\"serviceName\":\"small\",\"taskDefinition\":\"bench\",\"desiredCount\":10,"
                                    "\"deploymentConfiguration\":{\"maximumPercent\":100,\"minimumHealthyPercent\":0}}"));
    (void)wait_for(bench, "small", SMALL, 0);
    for (size_t e = 0; e < ends; e++) { lose_one(bench, &times_us[e]); }
    bench_sort(times_us, ends);
    printf(",\"successor_p50_ms\":%.3f,\"successor_p99_ms\":%.3f}\n", bench_ms(times_us, ends, 50), bench_ms(times_us, ends, 99));
    free(times_us);
}

int main(int argc, char **argv)
{
    if (argc != 8) { bench_fail("usage", STR("services PORT AGENT-PORT KEY SECRET MACHINES TASKS ENDS")); }
    static struct bench bench;
    size_t ends = (size_t)bench_number(argv[7]);
    if (ends == 0) { bench_fail("usage", STR("one end at least")); }
    bench_begin();
    bench.fleet = (struct fleet){
        .api = { "127.0.0.1", (int)bench_number(argv[1]), "/", argv[3], argv[4] }, .agents = { "127.0.0.1", (int)bench_number(argv[2]), "/", argv[3], argv[4] },
        .keeps = true, .heard_running = heard_running, .owner = &bench,
    };
    bench.answer = calloc(1, sizeof *bench.answer);
    arena_init(&bench.arena, arena_size);
    fleet_open(&bench.fleet, (size_t)bench_number(argv[5]), 0, REPORTERS);
    bench.control = bench_connect(&bench.fleet.api);
    bench.asked_us = bench_now_us();
    live_large(&bench, bench_number(argv[6]));
    live_small(&bench, ends);
    return 0;
}
