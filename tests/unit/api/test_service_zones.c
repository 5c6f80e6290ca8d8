/* Services over zones: where their tasks start, and zone rebalancing with the events that it writes. */
#include "tests/unit/api/service_lives.h"

#define OF_TWO(more) "{\"serviceName\":\"web\",\"taskDefinition\":\"a:1\",\"desiredCount\":2,\"tags\":[{\"key\":\"berth:healthy-after\",\"value\":\"1\"}]" more "}"

static void open_zones(struct api_fixture *f)
{
    services_open(f);
    define(f, "gpu", GPUS("1"), "");
}

/* How many tasks of the service are in each zone: "a1 b2". */
static const char *zones(struct api_fixture *f, const char *service)
{
    int64_t counts[26] = { 0 };
    struct buf out = buf_in(&f->kept);
    struct str list = fixture_call(f, "ListTasks", text(f, "{\"serviceName\":\"%s\"}", service));
    int64_t count = count_at(f, list, "taskArns");
    for (int64_t t = 0; t < count; t++) {
        struct str task = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", at(f, list, text(f, "taskArns[%lld]", (long long)t))));
        counts[at(f, task, "tasks[0].availabilityZone")[0] - 'a']++;
    }
    for (size_t z = 0; z < COUNT_OF(counts); z++) {
        if (counts[z] > 0) { buf_printf(&out, "%s%c%lld", out.len == 0 ? "" : " ", (char)('a' + z), (long long)counts[z]); }
    }
    return arena_cstr(&f->kept, buf_str(&out));
}

static void test_rebalancing(void)
{
    struct api_fixture f;
    open_zones(&f);
    (void)machine_add_in(&f, "node-1", 0, "a");
    create(&f, OF_TWO(""));
    pass(&f, 3);
    CHECK_TEXT("one zone", zones(&f, "web"), "a2");
    CHECK_TEXT("one zone", events(&f, "web", 1), "has reached a steady state.");
    (void)machine_add_in(&f, "node-2", 0, "b");
    settle(&f);
    CHECK_TEXT("a second zone", zones(&f, "web"), "a2 b1");
    CHECK_TEXT("a second zone", events(&f, "web", 2),
               "has started 1 tasks in b to AZ Rebalance:. / is not AZ balanced with 2 tasks in a, 0 in b. AZ Rebalancing in progress.");
    pass(&f, 3);
    CHECK_TEXT("balanced", zones(&f, "web"), "a1 b1");
    CHECK_TEXT("balanced", events(&f, "web", 3), "is AZ balanced with 1 tasks in a, 1 tasks in b. / has reached a steady state. / "
                                                 "has stopped 1 running tasks in a due to AZ rebalancing:.");
    CHECK_TEXT("the deployment is the same", state(&f, "web"), "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 COMPLETED 0");
    pass_idle(&f, 7 * 3600);
    CHECK_TEXT("it stays", zones(&f, "web"), "a1 b1");
    fixture_close(&f);
}

/* Zone b has no room for a task, or only machines that can never take one. */
static void test_no_room(void)
{
    struct api_fixture f;
    open_zones(&f);
    (void)machine_add_in(&f, "node-1", 0, "a");
    define(&f, "large", ",\"cpu\":2000", "");
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"large:1\",\"desiredCount\":2,\"tags\":[{\"key\":\"berth:healthy-after\",\"value\":\"1\"}]}");
    pass(&f, 3);
    define(&f, "all", ",\"cpu\":4000", ",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"attribute:ecs.availability-zone == b\"}]");
    (void)machine_add_in(&f, "node-2", 0, "b");
    struct str run = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"all:1\"}");
    const char *task = at(&f, run, "tasks[0].taskArn");
    pass(&f, 3);
    CHECK_TEXT("no room", zones(&f, "web"), "a2");
    CHECK_TEXT("no room", events(&f, "web", 1), "is unable to place a task in b because no container instance met all of its requirements.");
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", task));
    pass(&f, 70);
    CHECK_TEXT("room a minute later", zones(&f, "web"), "a1 b1");
    fixture_close(&f);

    open_zones(&f);
    (void)machine_add_in(&f, "node-1", 1, "a");
    (void)machine_add_in(&f, "node-2", 1, "a");
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"gpu:1\",\"desiredCount\":2,\"availabilityZoneRebalancing\":\"ENABLED\","
               "\"tags\":[{\"key\":\"berth:healthy-after\",\"value\":\"1\"}]}");
    pass(&f, 3);
    (void)machine_add_in(&f, "node-3", 0, "b");
    pass(&f, 3);
    CHECK_TEXT("a zone that can never take one", events(&f, "web", 1), "has reached a steady state.");
    (void)machine_add_in(&f, "node-4", 1, "c");
    pass(&f, 5);
    CHECK_TEXT("one that can", zones(&f, "web"), "a1 c1");
    CHECK_TEXT("one that can", events(&f, "web", 1), "is AZ balanced with 1 tasks in a, 0 tasks in b, and 1 tasks in c.");
    fixture_close(&f);
}

/* Machines without a zone are one zone. */
static void test_without_zone(void)
{
    struct api_fixture f;
    open_zones(&f);
    (void)machine_add_in(&f, "node-1", 0, "a");
    create(&f, OF_TWO(""));
    pass(&f, 3);
    (void)machine_add(&f, "node-2", 0);
    pass(&f, 3);
    CHECK_TEXT("moved there", events(&f, "web", 1), "is AZ balanced with 1 tasks in no zone, 1 tasks in a.");
    fixture_close(&f);
}

static void test_deployment_ends_it(void)
{
    struct api_fixture f;
    open_zones(&f);
    (void)machine_add_in(&f, "node-1", 0, "a");
    create(&f, OF_TWO(""));
    pass(&f, 3);
    (void)machine_add_in(&f, "node-2", 0, "b");
    settle(&f);
    update(&f, OF_WEB(",\"taskDefinition\":\"a:2\""));
    settle(&f);
    CHECK("told", strstr(events(&f, "web", 10), "stopped AZ Rebalancing.") != NULL);
    pass(&f, 5);
    CHECK_TEXT("new tasks are spread", zones(&f, "web"), "a1 b1");
    fixture_close(&f);
}

/* The member: of a service with GPUs only if it was given. */
static void test_member(void)
{
    static const struct { const char *row, *create, *update, *want; } rows[] = {
        { "by default",                  ",\"taskDefinition\":\"a:1\"", "", "ENABLED" },
        { "with GPUs",                   ",\"taskDefinition\":\"gpu:1\"", "", "DISABLED" },
        { "with GPUs, given",            ",\"taskDefinition\":\"gpu:1\",\"availabilityZoneRebalancing\":\"ENABLED\"", "", "ENABLED" },
        { "GPUs come",                   ",\"taskDefinition\":\"a:1\"", ",\"taskDefinition\":\"gpu:1\"", "DISABLED" },
        { "GPUs come, given",            ",\"taskDefinition\":\"a:1\",\"availabilityZoneRebalancing\":\"ENABLED\"", ",\"taskDefinition\":\"gpu:1\"", "ENABLED" },
        { "GPUs come, given with them",  ",\"taskDefinition\":\"a:1\"",
          ",\"taskDefinition\":\"gpu:1\",\"availabilityZoneRebalancing\":\"ENABLED\"", "ENABLED" },
        { "GPUs go",                     ",\"taskDefinition\":\"gpu:1\"", ",\"taskDefinition\":\"a:1\"", "DISABLED" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        open_zones(&f);
        create(&f, text(&f, "{\"serviceName\":\"web\",\"desiredCount\":0%s}", rows[r].create));
        if (rows[r].update[0] != '\0') { update(&f, text(&f, "{\"service\":\"web\"%s}", rows[r].update)); }
        CHECK_STR(rows[r].row, fixture_at(&f, describe(&f, "web"), "services[0].availabilityZoneRebalancing"), str_from(rows[r].want));
        fixture_close(&f);
    }
}

/* Without strategies. With GPUs: over zones, then the fullest machine that fits. */
static void test_starts(void)
{
    static const struct { const char *row, *definition, *strategy, *want; } rows[] = {
        { "CPU, two zones",           "a:1",   "", "a2 b2" },
        { "GPUs, two zones",          "gpu:1", "", "a2 b2" },
        { "GPUs, a strategy is given", "gpu:1", ",\"placementStrategy\":[{\"type\":\"binpack\",\"field\":\"gpu\"}]", "a4" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        open_zones(&f);
        (void)machine_add_in(&f, "node-1", 4, "a");
        (void)machine_add_in(&f, "node-2", 4, "a");
        (void)machine_add_in(&f, "node-3", 8, "b");
        create(&f, text(&f, "{\"serviceName\":\"web\",\"desiredCount\":4,\"taskDefinition\":\"%s\"%s}", rows[r].definition, rows[r].strategy));
        settle(&f);
        CHECK_STR(rows[r].row, str_from(zones(&f, "web")), str_from(rows[r].want));
        fixture_close(&f);
    }
}

int main(void)
{
    test_rebalancing();
    test_no_room();
    test_without_zone();
    test_deployment_ends_it();
    test_member();
    test_starts();
    return check_report();
}
