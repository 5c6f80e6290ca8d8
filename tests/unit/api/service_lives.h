/* service_lives.h: services whose tasks run: an obedient agent starts and stops them, steps are done when they are due, and hours pass. Families
 * "bad…" do not start, families "crash…" exit after two seconds. */
#ifndef BERTH_TESTS_SERVICE_LIVES_H
#define BERTH_TESTS_SERVICE_LIVES_H

#include "scheduler/reconcile/roster.h"
#include "tests/unit/api/services.h"

#define BREAKER(rollback) ",\"deploymentConfiguration\":{\"deploymentCircuitBreaker\":{\"enable\":true,\"rollback\":" rollback "}}"

enum { SECOND_MS = 1000, EVENTS_SHOWN = 100 };

/* ---- a life ---- */

static inline bool steps(struct api_fixture *f)
{
    int count = 0;
    for (; api_services_due_ms(f->world, f->now_ms) != 0 && api_services_due_ms(f->world, f->now_ms) <= f->now_ms && count < 100; count++) {
        struct arena arena;
        struct api_call call;
        arena_init(&arena, FIXTURE_ARENA_BYTES);
        api_prepare_step_services(false, &arena, &call);
        fixture_internal_in(f, &call, &arena);
        arena_finish(&arena);
    }
    CHECK("steps come to an end", count < 100);
    return count > 0;
}

static inline void report_end_of(struct api_fixture *f, const char *task, const char *container, const char *reason, const char *exit_code)
{
    (void)fixture_call(f, "SubmitTaskStateChange",
                       text(f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"%s\",\"containers\":[{\"containerName\":\"%s\",\"status\":\"STOPPED\"%s}]}",
                            task, reason, container, exit_code));
}

static inline void report_end(struct api_fixture *f, const char *task, const char *reason, const char *exit_code)
{
    report_end_of(f, task, "main", reason, exit_code);
}

/* Its port 80 is reached at another port of the machine, which no task had before. */
static inline void report_running(struct api_fixture *f, const char *task, const char *container)
{
    static int port = 32768;
    port = port == 60999 ? 32768 : port + 1;
    report(f, task, "RUNNING", text(f, "{\"containerName\":\"%s\",\"status\":\"RUNNING\",\"networkBindings\":[{\"containerPort\":80,\"hostPort\":%d}]}",
                                    container, port));
}

/* The agent obeys the order for one task. Returns whether it did something. */
static inline bool obey(struct api_fixture *f, const char *arn)
{
    struct str reply = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", arn));
    const char *last = at(f, reply, "tasks[0].lastStatus"), *desired = at(f, reply, "tasks[0].desiredStatus"), *group = at(f, reply, "tasks[0].taskDefinitionArn");
    const char *container = at(f, reply, "tasks[0].containers[0].name");
    struct str started = fixture_at(f, reply, "tasks[0].startedAt");
    int64_t started_ms = str_is_set(started) ? (int64_t)(strtod(arena_cstr(&f->kept, started), NULL) * 1000) : 0;
    bool is_bad = strstr(group, "task-definition/bad") != NULL, crashes = strstr(group, "task-definition/crash") != NULL;
    if (strcmp(last, "STOPPED") == 0 || strcmp(last, "DEACTIVATING") == 0) { return false; }
    if (strcmp(desired, "STOPPED") == 0) { report_end_of(f, arn, container, "", ",\"exitCode\":0"); return true; }
    if (strcmp(last, "PENDING") == 0) {
        if (is_bad) { report_end(f, arn, "CannotPullContainerError: no such image", ""); } else { report_running(f, arn, container); }
        return true;
    }
    if (crashes && f->now_ms - started_ms >= 2 * SECOND_MS) { report_end(f, arn, "", ",\"exitCode\":1"); return true; }
    return false;
}

static inline bool agents(struct api_fixture *f)
{
    static const char *const bodies[] = { "{}", "{\"desiredStatus\":\"STOPPED\"}" };
    bool any = false;
    for (size_t b = 0; b < COUNT_OF(bodies); b++) {
        struct str reply = fixture_call(f, "ListTasks", bodies[b]);
        int64_t count = count_at(f, reply, "taskArns");
        for (int64_t t = 0; t < count; t++) { any |= obey(f, at(f, reply, text(f, "taskArns[%lld]", (long long)t))); }
    }
    return any;
}

/* Everything that happens in this moment. */
static inline void settle(struct api_fixture *f)
{
    int rounds = 0;
    for (bool any = true; any && rounds < 200; rounds++) {
        any = steps(f);
        any |= agents(f);
    }
    CHECK("a moment comes to an end", rounds < 200);
    check_world(f, "the world is that of the store");
}

static inline void pass(struct api_fixture *f, int64_t seconds)
{
    int64_t end_ms = f->now_ms + seconds * SECOND_MS;
    settle(f);
    while (f->now_ms < end_ms) {
        f->now_ms += SECOND_MS;
        settle(f);
    }
}

/* Hours in which only steps happen: the clock jumps to the next one. */
static inline void pass_idle(struct api_fixture *f, int64_t seconds)
{
    int64_t end_ms = f->now_ms + seconds * SECOND_MS, due_ms;
    while ((due_ms = api_services_due_ms(f->world, f->now_ms)) != 0 && due_ms <= end_ms) {
        f->now_ms = due_ms;
        settle(f);
    }
    f->now_ms = end_ms;
}

/* "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 COMPLETED 0 | ACTIVE …": per deployment desired, running, pending, and failed tasks. */
static inline const char *state(struct api_fixture *f, const char *service)
{
    struct str reply = describe(f, service);
    struct buf out = buf_in(&f->kept);
    const char *def = at(f, reply, "services[0].taskDefinition");
    buf_printf(&out, "D %s R %s P %s %s", at(f, reply, "services[0].desiredCount"), at(f, reply, "services[0].runningCount"),
               at(f, reply, "services[0].pendingCount"), strrchr(def, '/') != NULL ? strrchr(def, '/') + 1 : def);
    int64_t count = count_at(f, reply, "services[0].deployments");
    for (int64_t d = 0; d < count; d++) {
        const char *const members[] = { "status", "taskDefinition", "desiredCount", "runningCount", "pendingCount", "rolloutState", "failedTasks" };
        const char *values[COUNT_OF(members)];
        for (size_t m = 0; m < COUNT_OF(members); m++) { values[m] = at(f, reply, text(f, "services[0].deployments[%lld].%s", (long long)d, members[m])); }
        buf_printf(&out, " | %s %s %s/%s/%s %s %s", values[0], strrchr(values[1], '/') + 1, values[2], values[3], values[4], values[5], values[6]);
    }
    return arena_cstr(&f->kept, buf_str(&out));
}

/* The newest events, the newest first, without the ids in them and without "(service web) ". */
static inline const char *events(struct api_fixture *f, const char *service, int64_t most)
{
    struct str reply = describe(f, service);
    struct buf out = buf_in(&f->kept);
    int64_t count = count_at(f, reply, "services[0].events");
    for (int64_t e = 0; e < count && e < most; e++) {
        const char *message = at(f, reply, text(f, "services[0].events[%lld].message", (long long)e));
        const char *name_end = strstr(message, ") "), *body = name_end == NULL ? message : name_end + 2;
        buf_put(&out, e == 0 ? STR("") : STR(" / "));
        for (; *body != '\0'; body++) {
            if (strncmp(body, " (task ", 7) == 0) { body += 7 + ID_HEX_LEN; continue; }
            if (strncmp(body, "ecs-svc/", 8) == 0) { body += 8 + 18; continue; }
            buf_put_char(&out, *body);
        }
    }
    return arena_cstr(&f->kept, buf_str(&out));
}

static inline void life_open(struct api_fixture *f)
{
    services_open(f);
    define(f, "bad", "", "");
    define(f, "crash", "", "");
    define(f, "b", "", "");
    (void)machine_add(f, "node-a", 0);
    (void)machine_add(f, "node-b", 0);
}

static inline void create(struct api_fixture *f, const char *body)
{
    struct str reply = fixture_call(f, "CreateService", body);
    if (f->code != ERR_NONE) { fprintf(stderr, STR_FMT "\n", STR_ARG(reply)); }
    CHECK_EQ("created", f->code, ERR_NONE);
}

static inline void update(struct api_fixture *f, const char *body)
{
    struct str reply = fixture_call(f, "UpdateService", body);
    if (f->code != ERR_NONE) { fprintf(stderr, STR_FMT "\n", STR_ARG(reply)); }
    CHECK_EQ("updated", f->code, ERR_NONE);
}

#endif
