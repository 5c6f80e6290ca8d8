/* Task protection: which tasks can have it, how many of a deployment, and until when. */
#include "tests/unit/api/kept_services.h"

#define NOT_VALID(detail) "\"reason\":\"TASK_NOT_VALID\",\"detail\":\"" detail "\"}"
#define BLOCKED "\"reason\":\"DEPLOYMENT_BLOCKED\",\"detail\":\"As many tasks of the deployment are protected as the service's desiredCount.\"}"
enum { FIRST = 11, SECOND = 22, MINUTE = 60 * 1000 };

struct shop { struct api_fixture f; int64_t web; };

static void shop_open(struct shop *shop, int64_t desired)
{
    cluster_open(&shop->f);
    (void)machine_add(&shop->f, "a", 0);
    define(&shop->f, "f", "", "");
    shop->web = service_add(&shop->f, "web", DEPLOYMENT_CONTROLLER_TYPE_ECS, desired);
}

static const char *run(struct shop *shop)
{
    struct str reply = fixture_call(&shop->f, "RunTask", "{\"taskDefinition\":\"f\"}");
    CHECK_EQ("a task", shop->f.code, ERR_NONE);
    return at(&shop->f, reply, "tasks[0].taskArn");
}

static const char *run_in(struct shop *shop, int64_t deployment)
{
    const char *arn = run(shop);
    service_adopt(&shop->f, arn, "web", shop->web, deployment);
    return arn;
}

/* `tasks`: ARNs in quotes, with commas. */
static struct str update(struct shop *shop, const char *tasks, const char *more)
{
    return fixture_call(&shop->f, "UpdateTaskProtection", text(&shop->f, "{\"cluster\":\"default\",\"tasks\":[%s]%s}", tasks, more));
}

static struct str get(struct shop *shop, const char *tasks)
{
    return fixture_call(&shop->f, "GetTaskProtection", text(&shop->f, "{\"cluster\":\"default\",\"tasks\":[%s]}", tasks));
}

#define ON ",\"protectionEnabled\":true"
#define OFF ",\"protectionEnabled\":false"

static const char *quoted(struct shop *shop, const char *arn) { return text(&shop->f, "\"%s\"", arn); }

/* "on", "off", or the reason of the failure. */
static struct str outcome(struct shop *shop, struct str reply)
{
    struct str enabled = fixture_at(&shop->f, reply, "protectedTasks[0].protectionEnabled");
    int64_t entries = count_at(&shop->f, reply, "protectedTasks") + count_at(&shop->f, reply, "failures");
    CHECK_EQ("one entry for one task", entries, 1);
    if (str_is_set(enabled)) { return str_eq(enabled, STR("true")) ? STR("on") : STR("off"); }
    return fixture_at(&shop->f, reply, "failures[0].reason");
}

static void test_times(void)
{
    static const struct { const char *row, *more; int64_t minutes; } rows[] = {
        { "two hours by default", ON, 120 },          { "a minute", ON ",\"expiresInMinutes\":1", 1 },
        { "two days", ON ",\"expiresInMinutes\":2880", 2880 }, { "shorter", ON ",\"expiresInMinutes\":5", 5 },
        { "off", OFF, 0 },                            { "off, a time has no effect", OFF ",\"expiresInMinutes\":9", 0 },
    };
    struct shop shop;
    shop_open(&shop, 1);
    const char *task = quoted(&shop, run_in(&shop, FIRST));
    CHECK_STR("a new task has none", outcome(&shop, get(&shop, task)), STR("off"));
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = update(&shop, task, rows[r].more), shown = get(&shop, task);
        CHECK_STR(rows[r].row, shown, reply);
        CHECK_STR(rows[r].row, outcome(&shop, reply), rows[r].minutes > 0 ? STR("on") : STR("off"));
        const char *until = rows[r].minutes > 0 ? text(&shop.f, "%lld", (long long)(shop.f.now_ms + rows[r].minutes * MINUTE) / 1000) : "(absent)";
        CHECK(rows[r].row, str_starts_with(str_from(at(&shop.f, shown, "protectedTasks[0].expirationDate")), str_from(until)));
    }
    (void)update(&shop, task, ON ",\"expiresInMinutes\":1");
    shop.f.now_ms += MINUTE - 1;
    CHECK_STR("up to its end", outcome(&shop, get(&shop, task)), STR("on"));
    shop.f.now_ms += 1;
    CHECK_STR("at its end", outcome(&shop, get(&shop, task)), STR("off"));
    check_world(&shop.f, "protection takes no resources");
    fixture_close(&shop.f);
}

static void test_failures(void)
{
    struct shop shop;
    shop_open(&shop, 9);
    const char *alone = run(&shop), *stopping = run_in(&shop, FIRST), *stopped = run_in(&shop, FIRST), *good = run_in(&shop, FIRST), *other = run_in(&shop, FIRST);
    int64_t draining = service_add(&shop.f, "leaving", DEPLOYMENT_CONTROLLER_TYPE_ECS, 0);
    const char *leaving = run(&shop);
    service_adopt(&shop.f, leaving, "leaving", draining, SECOND);
    service_end(&shop.f, draining, SERVICE_DRAINING);
    report(&shop.f, stopping, "RUNNING", "");
    (void)fixture_call(&shop.f, "StopTask", text(&shop.f, "{\"task\":\"%s\"}", stopping));
    report(&shop.f, stopped, "STOPPED", "");
    const char *tasks = text(&shop.f, "\"%s\",\"" NOBODY "\",\"%s\",\"%s\",\"%s\",\"%s\",\"%s\",\"%s\"", other, alone, stopping, stopped, leaving, good, other);
    const char *failures = text(&shop.f, "[{\"arn\":\"" ARN_OF("task") NOBODY "\",\"reason\":\"MISSING\"},"
        "{\"arn\":\"%s\"," NOT_VALID("The task is not part of a service: only tasks of services can be protected.") ","
        "{\"arn\":\"%s\"," NOT_VALID("The task is stopped, or is stopping.") ",{\"arn\":\"%s\"," NOT_VALID("The task is stopped, or is stopping.") ","
        "{\"arn\":\"%s\"," NOT_VALID("The service of the task is not ACTIVE.") "]", alone, stopping, stopped, leaving);
    struct str replies[] = { get(&shop, tasks), update(&shop, tasks, ON), update(&shop, tasks, OFF) };
    for (size_t r = 0; r < COUNT_OF(replies); r++) {
        CHECK_STR("failures in the order of the request", fixture_at(&shop.f, replies[r], "failures"), str_from(failures));
        CHECK_EQ("each task once", count_at(&shop.f, replies[r], "protectedTasks"), 2);
        CHECK_STR("tasks in the order of the request", fixture_at(&shop.f, replies[r], "protectedTasks[0].taskArn"), str_from(other));
    }
    fixture_check(&shop.f, "none", "GetTaskProtection", "{\"cluster\":\"default\"}", "InvalidParameterException: Tasks cannot be empty.");
    fixture_check(&shop.f, "an empty list", "GetTaskProtection", "{\"cluster\":\"default\",\"tasks\":[]}", "InvalidParameterException: Tasks cannot be empty.");
    fixture_check(&shop.f, "no cluster", "GetTaskProtection", "{\"cluster\":\"none\"}", "ClusterNotFoundException: Cluster not found.");
    fixture_close(&shop.f);
}

/* A deployment can have as many as the service wants tasks. */
static void test_blocked(void)
{
    struct shop shop;
    shop_open(&shop, 2);
    const char *a = quoted(&shop, run_in(&shop, FIRST)), *b = quoted(&shop, run_in(&shop, FIRST)), *c = quoted(&shop, run_in(&shop, FIRST));
    const char *next = quoted(&shop, run_in(&shop, SECOND));
    struct str reply = update(&shop, text(&shop.f, "%s,%s,%s,%s", a, b, c, next), ON);
    CHECK_EQ("two, and one of another deployment", count_at(&shop.f, reply, "protectedTasks"), 3);
    CHECK_STR("the third", fixture_at(&shop.f, reply, "failures"), str_from(text(&shop.f, "[{\"arn\":%s," BLOCKED "]", c)));
    CHECK_STR("it is not protected", outcome(&shop, get(&shop, c)), STR("off"));
    CHECK_STR("by another call", outcome(&shop, update(&shop, c, ON)), STR("DEPLOYMENT_BLOCKED"));
    CHECK_STR("off is never blocked", outcome(&shop, update(&shop, c, OFF)), STR("off"));
    CHECK_STR("again", outcome(&shop, update(&shop, a, ON)), STR("on"));
    (void)update(&shop, a, OFF);
    CHECK_STR("a place that is free", outcome(&shop, update(&shop, c, ON ",\"expiresInMinutes\":1")), STR("on"));
    CHECK_STR("it is taken", outcome(&shop, update(&shop, a, ON)), STR("DEPLOYMENT_BLOCKED"));
    shop.f.now_ms += MINUTE;
    CHECK_STR("one that is over does not count", outcome(&shop, update(&shop, a, ON)), STR("on"));
    (void)fixture_call(&shop.f, "StopTask", text(&shop.f, "{\"task\":%s}", b));
    CHECK_STR("one that is stopping does not count", outcome(&shop, update(&shop, c, ON)), STR("on"));
    fixture_close(&shop.f);
}

/* The world that is built at a start knows of protections. */
static void test_after_start(void)
{
    struct shop shop;
    shop_open(&shop, 1);
    const char *a = quoted(&shop, run_in(&shop, FIRST)), *b = quoted(&shop, run_in(&shop, FIRST));
    (void)update(&shop, a, ON);
    struct store_txn *txn = store_read_begin(shop.f.store);
    shop.f.world = sched_world_create(&shop.f.kept);
    api_load_world(shop.f.world, txn);
    CHECK("the store can be read", store_read_end(txn));
    CHECK_STR("the other", outcome(&shop, update(&shop, b, ON)), STR("DEPLOYMENT_BLOCKED"));
    CHECK_STR("itself", outcome(&shop, update(&shop, a, ON)), STR("on"));
    fixture_close(&shop.f);
}

int main(void)
{
    test_times();
    test_failures();
    test_blocked();
    test_after_start();
    return check_report();
}
