/* load: prepares a server for benchmarks and drives it; each mode prints one line of JSON.
 *
 *   load MODE PORT KEY SECRET ARGUMENTS
 *
 * Instances have capacity without end. One counts as connected for half a minute after its poll, so `setup` or `poll` and what places tasks
 * follow each other closely. `main` has the table of modes. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "bench/drive.h"

enum { PAGE = 100, PAGES_MAX = 1000, SETUP_CONNECTIONS = 64, DESCRIBED = 10, VARIANTS = 1000, SLICE = 100000, SLICES_MAX = 200, WAIT_LEASE_S = 600 };
static const size_t arena_size = (size_t)1 << 30;

struct requests { struct str *items; size_t count; };
struct names { struct str *items; size_t count; };
struct bench { struct bench_target target; struct arena arena; struct bench_answer *answer; int64_t arguments[5]; const char *words[5]; };

static struct requests requests_of(struct bench *bench, size_t count)
{
    return (struct requests){ ARENA_NEW(&bench->arena, struct str, count == 0 ? 1 : count), 0 };
}

static void add(struct bench *bench, struct requests *requests, const char *path, const char *operation, struct str body)
{
    requests->items[requests->count++] = bench_request(&bench->target, path, operation, body, &bench->arena);
}

static struct drive_plan plan_of(struct bench *bench, struct requests requests)
{
    return (struct drive_plan){ .target = &bench->target, .requests = requests.items, .request_count = requests.count,
                                .connections = bench->arguments[0], .seconds = bench->arguments[1] };
}

/* Replies with failures have them at their end: a look there spares the walk through the whole. */
static bool all_good(int status, struct str body)
{
    return status == 200 && (str_ends_with(body, STR("\"failures\":[]}")) || memmem(body.ptr, body.len, "\"failures\":[{", 13) == NULL);
}

/* Ends the program when any failed. */
static void do_all(struct bench *bench, struct requests requests)
{
    struct drive_plan plan = plan_of(bench, requests);
    plan.connections = SETUP_CONNECTIONS;
    plan.seconds = 0;
    plan.limit = (int64_t)requests.count;
    plan.good = all_good;
    if (requests.count == 0) { return; }
    struct drive_result result = drive(&plan);
    if (result.failures > 0) { bench_fail("setup", STR("a request failed")); }
    drive_free(&result);
}

static void measure(const struct drive_plan *plan, int64_t units)
{
    struct drive_result result = drive(plan);
    drive_print(&result, units);
    drive_free(&result);
}

/* ---- the cluster ---- */

/* Up to `pages` pages of names; *tokens are those that lead to them, the first absent. */
static struct names list_all(struct bench *bench, const char *operation, struct str member, size_t pages, struct names *tokens)
{
    struct names names = { ARENA_NEW(&bench->arena, struct str, pages * PAGE), 0 };
    *tokens = (struct names){ ARENA_NEW(&bench->arena, struct str, pages), 0 };
    int fd = bench_connect(&bench->target);
    struct str token = { NULL, 0 };
    for (size_t page = 0; page < pages && (page == 0 || str_is_set(token)); page++) {
        struct err err = { 0 };
        tokens->items[tokens->count++] = token;
        struct str body = page == 0 ? STR("{}") : arena_printf(&bench->arena, "{\"nextToken\":\"" STR_FMT "\"}", STR_ARG(token));
        struct str reply = arena_str(&bench->arena, bench_ask(&bench->target, fd, operation, body, bench->answer, &bench->arena));
        const struct json *tree = json_parse(reply, &bench->arena, &err), *list = json_get(tree, member);
        if (list == NULL) { bench_fail(operation, reply); }
        for (size_t i = 0; i < list->count; i++) { names.items[names.count++] = list->as.items[i].as.string; }
        token = json_get_str(tree, STR("nextToken"));
    }
    return names;
}

/* ---- getting ready ---- */

static void poll_each(struct bench *bench, int64_t lease_s)
{
    struct names tokens, instances = list_all(bench, "ListContainerInstances", STR("containerInstanceArns"), PAGES_MAX, &tokens);
    struct requests requests = requests_of(bench, instances.count);
    struct str lease = lease_s == 0 ? STR("") : arena_printf(&bench->arena, ",\"leaseSeconds\":%lld", (long long)lease_s);
    for (size_t i = 0; i < instances.count; i++) {
        add(bench, &requests, "/berth/v1/agent/poll", NULL,
            arena_printf(&bench->arena, "{\"cluster\":\"default\",\"containerInstance\":\"" STR_FMT "\",\"waitSeconds\":0" STR_FMT "}",
                         STR_ARG(instances.items[i]), STR_ARG(lease)));
    }
    do_all(bench, requests);
    printf("{\"instances\":%zu}\n", instances.count);
}

static void poll_all(struct bench *bench) { poll_each(bench, bench->arguments[0]); }

static void setup(struct bench *bench)
{
    int fd = bench_connect(&bench->target);
    bench_ask(&bench->target, fd, "CreateCluster", STR("{}"), bench->answer, &bench->arena);
    bench_ask(&bench->target, fd, "RegisterTaskDefinition",
              STR("{\"family\":\"bench\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"cpu\":1,\"memory\":6}]}"),
              bench->answer, &bench->arena);
    struct requests requests = requests_of(bench, (size_t)bench->arguments[0]);
    for (int64_t i = 0; i < bench->arguments[0]; i++) {
        add(bench, &requests, "/", "RegisterContainerInstance",
            STR("{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":2000000000},"
                "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":2000000000}],"
                "\"attributes\":[{\"name\":\"ecs.instance-type\",\"value\":\"bench\"}]}"));
    }
    do_all(bench, requests);
    poll_each(bench, 0);
}

/* ---- loads ---- */

static struct str run_body(struct bench *bench, int64_t count)
{
    return arena_printf(&bench->arena, "{\"taskDefinition\":\"bench\",\"startedBy\":\"bench\",\"count\":%lld}", (long long)count);
}

static void run(struct bench *bench)
{
    struct requests requests = requests_of(bench, 1);
    add(bench, &requests, "/", "RunTask", run_body(bench, bench->arguments[2]));
    struct drive_plan plan = plan_of(bench, requests);
    plan.good = all_good;
    plan.rate = bench->arguments[3];
    measure(&plan, bench->arguments[2]);
}

struct slices { int64_t per_request, tasks, count, ends_us[SLICES_MAX]; };

static void count_slice(void *owner, int64_t at_us, struct str body)
{
    struct slices *slices = owner;
    (void)body;
    slices->tasks += slices->per_request;
    if (slices->tasks / SLICE > slices->count && slices->count < SLICES_MAX) { slices->ends_us[slices->count++] = at_us; }
}

/* Starts TASKS tasks; prints how long each hundred thousand took. */
static void fill(struct bench *bench)
{
    struct slices slices = { .per_request = bench->arguments[2] };
    struct requests requests = requests_of(bench, 1);
    add(bench, &requests, "/", "RunTask", run_body(bench, bench->arguments[2]));
    struct drive_plan plan = plan_of(bench, requests);
    plan.seconds = 0;
    plan.limit = bench->arguments[1] / bench->arguments[2];
    plan.good = all_good;
    plan.heard = count_slice;
    plan.owner = &slices;
    struct drive_result result = drive(&plan);
    printf("{\"tasks\":%lld,\"seconds\":%.3f,\"failures\":%llu,\"slices_s\":[", (long long)slices.tasks, result.seconds, (unsigned long long)result.failures);
    for (int64_t s = 0; s < slices.count; s++) {
        printf("%s%.3f", s == 0 ? "" : ",", (double)(slices.ends_us[s] - (s == 0 ? 0 : slices.ends_us[s - 1])) / 1e6);
    }
    printf("]}\n");
    drive_free(&result);
}

static void add_describes(struct bench *bench, struct requests *requests, struct names tasks, size_t count)
{
    uint64_t state = BENCH_SEED;
    if (tasks.count < DESCRIBED) { bench_fail("describe", STR("there are too few tasks")); }
    for (size_t v = 0; v < count; v++) {
        struct buf body = buf_in(&bench->arena);
        buf_put(&body, STR("{\"tasks\":["));
        for (int t = 0; t < DESCRIBED; t++) {
            buf_printf(&body, "%s\"" STR_FMT "\"", t == 0 ? "" : ",", STR_ARG(tasks.items[bench_chance(&state) % tasks.count]));
        }
        buf_put(&body, STR("]}"));
        add(bench, requests, "/", "DescribeTasks", buf_str(&body));
    }
}

static void add_lists(struct bench *bench, struct requests *requests, struct names tokens, size_t count)
{
    for (size_t v = 0; v < count; v++) {
        struct str token = tokens.items[v % tokens.count];
        add(bench, requests, "/", "ListTasks",
            str_is_set(token) ? arena_printf(&bench->arena, "{\"nextToken\":\"" STR_FMT "\"}", STR_ARG(token)) : STR("{}"));
    }
}

static void describe(struct bench *bench)
{
    struct names tokens, tasks = list_all(bench, "ListTasks", STR("taskArns"), PAGES_MAX, &tokens);
    struct requests requests = requests_of(bench, VARIANTS);
    add_describes(bench, &requests, tasks, VARIANTS);
    struct drive_plan plan = plan_of(bench, requests);
    plan.good = all_good;
    plan.rate = bench->arguments[2];
    measure(&plan, 1);
}

static void list(struct bench *bench)
{
    struct names tokens;
    list_all(bench, "ListTasks", STR("taskArns"), PAGES_MAX, &tokens);
    struct requests requests = requests_of(bench, VARIANTS);
    add_lists(bench, &requests, tokens, VARIANTS);
    struct drive_plan plan = plan_of(bench, requests);
    plan.rate = bench->arguments[2];
    measure(&plan, 1);
}

static void register_definitions(struct bench *bench)
{
    struct requests requests = requests_of(bench, VARIANTS);
    for (int v = 0; v < VARIANTS; v++) {
        add(bench, &requests, "/", "RegisterTaskDefinition",
            arena_printf(&bench->arena, "{\"family\":\"bench-%d\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"cpu\":1,"
                         "\"memory\":6}]}", v));
    }
    struct drive_plan plan = plan_of(bench, requests);
    plan.rate = bench->arguments[2];
    measure(&plan, 1);
}

/* Ten requests: five DescribeTasks, three ListTasks, two RunTask of one. */
static void mix(struct bench *bench)
{
    struct names tokens, tasks = list_all(bench, "ListTasks", STR("taskArns"), PAGES_MAX, &tokens);
    struct requests requests = requests_of(bench, VARIANTS * 10);
    for (int v = 0; v < VARIANTS; v++) {
        add_describes(bench, &requests, tasks, 5);
        add_lists(bench, &requests, (struct names){ &tokens.items[(size_t)v % tokens.count], 1 }, 3);
        for (int r = 0; r < 2; r++) { add(bench, &requests, "/", "RunTask", run_body(bench, 1)); }
    }
    struct drive_plan plan = plan_of(bench, requests);
    plan.good = all_good;
    plan.rate = bench->arguments[2];
    measure(&plan, 1);
}

/* Until a page of tasks is answered: as soon as the port is open, again and again. Tells when, on the clock of the whole machine. */
static void wait_for_tasks(struct bench *bench)
{
    static const struct timespec moment = { 0, 500 * 1000 };
    int status = 0;
    for (;;) {
        int fd = bench_try_connect(&bench->target);
        if (fd < 0) {
            nanosleep(&moment, NULL);
            continue;
        }
        struct str reply = bench_call(fd, bench_request(&bench->target, "/", "ListTasks", STR("{}"), &bench->arena), bench->answer, &status);
        if (status == 200 && memmem(reply.ptr, reply.len, "arn:aws:ecs:", 12) != NULL) { break; }
        if (status < 500) { bench_fail("wait", reply); }
        bench_close(fd);
        nanosleep(&moment, NULL);
    }
    printf("{\"at_s\":%.6f}\n", (double)bench_now_us() / 1e6);
}

/* ---- services ---- */

static int64_t tasks_of_service(struct bench *bench, int fd)
{
    struct err err = { 0 };
    struct str reply = bench_ask(&bench->target, fd, "DescribeServices", STR("{\"services\":[\"large\"]}"), bench->answer, &bench->arena);
    const struct json *services = json_get(json_parse(reply, &bench->arena, &err), STR("services"));
    if (services == NULL || services->count != 1) { bench_fail("DescribeServices", reply); }
    return json_get_i64(&services->as.items[0], STR("pendingCount"), 0) + json_get_i64(&services->as.items[0], STR("runningCount"), 0);
}

/* Creates the service "large" of TASKS, and waits until all are placed. The times are on the clock of the whole machine. */
static void grow(struct bench *bench)
{
    static const struct timespec moment = { 0, 5 * 1000 * 1000 };
    int64_t tasks = bench->arguments[0];
    int fd = bench_connect(&bench->target);
    bench_ask(&bench->target, fd, "CreateService",
              arena_printf(&bench->arena, "{\"serviceName\":\"large\",\"taskDefinition\":\"bench\",\"desiredCount\":%lld}", (long long)tasks), bench->answer,
              &bench->arena);
    int64_t began_us = bench_now_us();
    while (tasks_of_service(bench, fd) < tasks) { nanosleep(&moment, NULL); }
    int64_t ended_us = bench_now_us();
    printf("{\"seconds\":%.3f,\"ended_s\":%.6f}\n", (double)(ended_us - began_us) / 1e6, (double)ended_us / 1e6);
}

static void create_services(struct bench *bench)
{
    struct requests requests = requests_of(bench, (size_t)bench->arguments[0]);
    for (int64_t s = 0; s < bench->arguments[0]; s++) {
        add(bench, &requests, "/", "CreateService",
            arena_printf(&bench->arena, "{\"serviceName\":\"s%lld\",\"taskDefinition\":\"bench\",\"desiredCount\":%lld}", (long long)s,
                         (long long)bench->arguments[1]));
    }
    do_all(bench, requests);
    printf("{\"services\":%zu}\n", requests.count);
}

static void describe_service(struct bench *bench)
{
    struct requests requests = requests_of(bench, 1);
    add(bench, &requests, "/", "DescribeServices", STR("{\"services\":[\"large\"]}"));
    struct drive_plan plan = plan_of(bench, requests);
    plan.good = all_good;
    plan.rate = bench->arguments[2];
    measure(&plan, 1);
}

/* ---- the queue ---- */

/* Registers machines of eight GPUs, fills them, and lets TASKS more wait, of SHAPES shapes and three priorities. */
static void wait_in_queue(struct bench *bench)
{
    enum { GPUS = 8, PER_CALL = 10 };
    int64_t tasks = bench->arguments[0], shapes = bench->arguments[1], machines = bench->arguments[2];
    struct requests requests = requests_of(bench, (size_t)(shapes + machines + machines * GPUS + tasks / PER_CALL));
    int fd = bench_connect(&bench->target);
    for (int64_t m = 0; m < machines; m++) {
        struct buf gpus = buf_in(&bench->arena);
        for (int g = 0; g < GPUS; g++) { buf_printf(&gpus, "%s{\"id\":\"GPU-%lld-%d\",\"type\":\"GPU\"}", g == 0 ? "" : ",", (long long)m, g); }
        bench_ask(&bench->target, fd, "RegisterContainerInstance",
                  arena_printf(&bench->arena, "{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":96000},{\"name\":\"MEMORY\","
                               "\"type\":\"INTEGER\",\"integerValue\":400000}],\"platformDevices\":[" STR_FMT "]}",
                               STR_ARG(buf_str(&gpus))), bench->answer, &bench->arena);
    }
    for (int64_t s = 0; s < shapes; s++) {
        bench_ask(&bench->target, fd, "RegisterTaskDefinition",
                  arena_printf(&bench->arena, "{\"family\":\"gpu%lld\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"cpu\":1,"
                               "\"memory\":%lld,\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"1\"}]}]}", (long long)s, (long long)(100 + s)),
                  bench->answer, &bench->arena);
    }
    poll_each(bench, WAIT_LEASE_S);
    for (int64_t t = 0; t < machines * GPUS; t++) { add(bench, &requests, "/", "RunTask", STR("{\"taskDefinition\":\"gpu0\",\"startedBy\":\"holder\"}")); }
    do_all(bench, requests);
    requests = requests_of(bench, (size_t)(tasks / PER_CALL) + 1);
    for (int64_t t = 0; t < tasks / PER_CALL; t++) {
        add(bench, &requests, "/", "RunTask",
            arena_printf(&bench->arena, "{\"taskDefinition\":\"gpu%lld\",\"count\":%d,\"startedBy\":\"waits\",\"tags\":[{\"key\":\"berth:queue\","
                         "\"value\":\"wait\"},{\"key\":\"berth:priority\",\"value\":\"%lld\"}]}", (long long)(t % shapes), (int)PER_CALL, (long long)(t % 3)));
    }
    do_all(bench, requests);
}

static bool has_started(struct bench *bench, int fd, struct str machine, size_t tasks)
{
    struct err err = { 0 };
    struct str body = arena_printf(&bench->arena, "{\"containerInstance\":\"" STR_FMT "\"}", STR_ARG(machine));
    struct str reply = bench_ask(&bench->target, fd, "ListTasks", body, bench->answer, &bench->arena);
    const struct json *list = json_get(json_parse(reply, &bench->arena, &err), STR("taskArns"));
    return list != NULL && list->count == tasks;
}

static int by_number(const void *a, const void *b) { return *(const int64_t *)a < *(const int64_t *)b ? -1 : *(const int64_t *)a > *(const int64_t *)b; }

/* Tasks that hold GPUs end one by one: how long until one that waits has the GPU, from before the report of the end is sent. */
static void free_gpus(struct bench *bench)
{
    enum { TIMES_MAX = 500 };
    int64_t times[TIMES_MAX], count = bench->arguments[0] < TIMES_MAX ? bench->arguments[0] : TIMES_MAX;
    struct err err = { 0 };
    int fd = bench_connect(&bench->target);
    struct str reply = arena_str(&bench->arena, bench_ask(&bench->target, fd, "ListTasks", STR("{\"startedBy\":\"holder\"}"), bench->answer, &bench->arena));
    const struct json *tasks = json_get(json_parse(reply, &bench->arena, &err), STR("taskArns"));
    if (tasks == NULL || (int64_t)tasks->count < count) { bench_fail("ListTasks", reply); }
    for (int64_t n = 0; n < count; n++) {
        struct str arn = tasks->as.items[n].as.string;
        struct str body = arena_printf(&bench->arena, "{\"tasks\":[\"" STR_FMT "\"]}", STR_ARG(arn));
        reply = arena_str(&bench->arena, bench_ask(&bench->target, fd, "DescribeTasks", body, bench->answer, &bench->arena));
        const struct json *found = json_get(json_parse(reply, &bench->arena, &err), STR("tasks"));
        struct str machine = found == NULL || found->count == 0 ? (struct str){ NULL, 0 } : json_get_str(&found->as.items[0], STR("containerInstanceArn"));
        int64_t began_us = bench_now_us();
        bench_ask(&bench->target, fd, "SubmitTaskStateChange", arena_printf(&bench->arena, "{\"task\":\"" STR_FMT "\",\"status\":\"STOPPED\",\"reason\":\"\"}",
                  STR_ARG(arn)), bench->answer, &bench->arena);
        while (!has_started(bench, fd, machine, 8)) { }
        times[n] = bench_now_us() - began_us;
    }
    qsort(times, (size_t)count, sizeof *times, by_number);
    printf("{\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f}\n", (double)times[count / 2] / 1e3, (double)times[count * 99 / 100] / 1e3,
           (double)times[count - 1] / 1e3);
}

/* RunTask's body to a path: for the references. */
static void post(struct bench *bench)
{
    struct requests requests = requests_of(bench, 1);
    struct str body = run_body(bench, 10);
    int64_t size = bench->arguments[3];
    if (size > (int64_t)body.len) {
        char *text = ARENA_NEW(&bench->arena, char, (size_t)size);
        memset(text, ' ', (size_t)size);
        memcpy(text, body.ptr, body.len);
        body = (struct str){ text, (size_t)size };
    }
    add(bench, &requests, bench->words[2], "RunTask", body);
    struct drive_plan plan = plan_of(bench, requests);
    plan.rate = bench->arguments[4];
    measure(&plan, 10);
}

static const struct {
    const char *name, *arguments;
    int least, most;
    void (*run)(struct bench *bench);
} modes[] = {
    { "setup",    "INSTANCES                       registers them and the definition \"bench\", and polls for each",   1, 1, setup },
    { "poll",     "[LEASE]                         polls once for every instance: connected for half a minute; LEASE in s", 0, 1, poll_all },
    { "run",      "CONNECTIONS SECONDS COUNT [RATE]  RunTask of COUNT; with a RATE, requests/s of an open loop",       3, 4, run },
    { "fill",     "CONNECTIONS TASKS COUNT         RunTask of COUNT until there are TASKS more",                       3, 3, fill },
    { "describe", "CONNECTIONS SECONDS [RATE]      DescribeTasks of ten by chance",                                    2, 3, describe },
    { "list",     "CONNECTIONS SECONDS [RATE]      ListTasks, pages of a hundred",                                     2, 3, list },
    { "register", "CONNECTIONS SECONDS [RATE]      RegisterTaskDefinition",                                            2, 3, register_definitions },
    { "mix",      "CONNECTIONS SECONDS [RATE]      80 % reads",                                                        2, 3, mix },
    { "grow",     "TASKS                           a service of TASKS, until all are placed",                          1, 1, grow },
    { "services", "COUNT TASKS                     COUNT services of TASKS each",                                      2, 2, create_services },
    { "service",  "CONNECTIONS SECONDS [RATE]      DescribeServices of the service that grows",                        2, 3, describe_service },
    { "queue",    "TASKS SHAPES MACHINES           full machines of eight GPUs, and TASKS that wait for them",        3, 3, wait_in_queue },
    { "free",     "COUNT                           COUNT of their tasks end, until others have their GPUs",            1, 1, free_gpus },
    { "wait",     "                                until a page of tasks is answered, and when that was",              0, 0, wait_for_tasks },
    { "post",     "CONNECTIONS SECONDS PATH [BYTES [RATE]]  a POST of so large a body",                                3, 5, post },
};

int main(int argc, char **argv)
{
    enum { FIXED = 5 };
    struct bench bench = { .answer = calloc(1, sizeof *bench.answer) };
    int given = argc - FIXED;
    int64_t port = 0;
    bench_begin();
    for (size_t m = 0; given >= 0 && m < COUNT_OF(modes); m++) {
        if (!str_eq(str_from(argv[1]), str_from(modes[m].name)) || given < modes[m].least || given > modes[m].most) { continue; }
        bool good = str_to_i64(str_from(argv[2]), &port);
        for (int a = 0; a < given; a++) {
            bench.words[a] = argv[FIXED + a];
            bool word = argv[FIXED + a][0] == '/';
            good = good && (word || (str_to_i64(str_from(argv[FIXED + a]), &bench.arguments[a]) && bench.arguments[a] >= 0));
        }
        if (!good) { break; }
        bench.target = (struct bench_target){ .host = "127.0.0.1", .port = (int)port, .access_key = argv[3], .secret = argv[4] };
        arena_init(&bench.arena, arena_size);
        modes[m].run(&bench);
        return 0;
    }
    fprintf(stderr, "usage: load MODE PORT KEY SECRET ...\n");
    for (size_t m = 0; m < COUNT_OF(modes); m++) { fprintf(stderr, "  %-9s %s\n", modes[m].name, modes[m].arguments); }
    return 2;
}
