/* Services that a drain can't move, and starts that have room for some of their tasks: the events, and stop-first. */
#include "tests/unit/api/service_lives.h"

#define TAG(key, value) "{\"key\":\"berth:" key "\",\"value\":\"" value "\"}"

static void set_status(struct api_fixture *f, const char *machine, const char *status)
{
    (void)fixture_call(f, "UpdateContainerInstancesState", text(f, "{\"containerInstances\":[\"%s\"],\"status\":\"%s\"}", machine, status));
    CHECK_EQ(status, f->code, ERR_NONE);
}

static const char *machine_of(struct api_fixture *f, const char *family)
{
    struct str list = fixture_call(f, "ListTasks", text(f, "{\"family\":\"%s\"}", family));
    return at(f, fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", at(f, list, "taskArns[0]"))), "tasks[0].containerInstanceArn");
}

/* The machine of the service's one task drains, and the other machine has no room for it. */
static void test_no_room(void)
{
    static const struct { const char *row, *container, *other, *want; } rows[] = {
        { "GPUs", GPUS("2"), GPUS("1"), "keeps on draining node-a: needs 2 GPUs elsewhere, largest free slot 1, minimumHealthyPercent 100." },
        { "CPU", ",\"cpu\":3000", ",\"cpu\":2000", "keeps on draining node-a: needs 3000 CPU units elsewhere, largest free slot 2096, minimumHealthyPercent 100." },
        { "room elsewhere", ",\"memoryReservation\":100", ",\"cpu\":4096", NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        services_open(&f);
        define(&f, "web", rows[r].container, "");
        define(&f, "other", rows[r].other, ",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"attribute:berth.name == node-b\"}]");
        (void)machine_add(&f, "node-a", 2);
        create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":1,\"tags\":[" TAG("healthy-after", "1") "]}");
        pass(&f, 3);
        (void)machine_add(&f, "node-b", 2);
        (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"other\"}");
        const char *machine = machine_of(&f, "web"), *other = at(&f, fixture_call(&f, "ListTasks", "{\"family\":\"other\"}"), "taskArns[0]");
        set_status(&f, machine, "DRAINING");
        pass(&f, 3);
        if (rows[r].want == NULL) {
            CHECK(rows[r].row, strstr(events(&f, "web", EVENTS_SHOWN), "keeps") == NULL && strcmp(machine_of(&f, "web"), machine) != 0);
        } else {
            CHECK_STR(rows[r].row, str_from(events(&f, "web", 1)), str_from(rows[r].want));
            CHECK("the task stays", strcmp(machine_of(&f, "web"), machine) == 0);
            pass_idle(&f, 5 * 3600);
            const char *all = events(&f, "web", EVENTS_SHOWN), *told = strstr(all, "keeps");
            CHECK("once in six hours", told != NULL && strstr(told + 1, "keeps") == NULL);
            (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", other));
            pass(&f, 5);
            CHECK("it moves when there is room", strcmp(machine_of(&f, "web"), machine) != 0);
        }
        fixture_close(&f);
    }
}

/* The limits of 100 and 150 percent allow one task no move. */
static void test_stop_first(void)
{
    static const struct { const char *row, *tags; bool room, moves; } rows[] = {
        { "ECS's rule", TAG("healthy-after", "1"), true, false },
        { "stop-first", TAG("healthy-after", "1") "," TAG("replace", "stop-first"), true, true },
        { "stop-first without room", TAG("healthy-after", "1") "," TAG("replace", "stop-first"), false, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        services_open(&f);
        define(&f, "gpu", GPUS("2"), "");
        (void)machine_add(&f, "node-a", 2);
        create(&f, text(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"gpu\",\"desiredCount\":1,\"tags\":[%s],"
                            "\"deploymentConfiguration\":{\"minimumHealthyPercent\":100,\"maximumPercent\":150}}", rows[r].tags));
        pass(&f, 3);
        (void)machine_add(&f, "node-b", rows[r].room ? 2 : 1);
        const char *machine = machine_of(&f, "gpu");
        set_status(&f, machine, "DRAINING");
        pass(&f, 3);
        CHECK_EQ(rows[r].row, strcmp(machine_of(&f, "gpu"), machine) != 0, rows[r].moves);
        CHECK_EQ(rows[r].row, strstr(events(&f, "web", EVENTS_SHOWN), "has stopped 1 running tasks") != NULL, rows[r].moves);
        CHECK_TEXT(rows[r].row, state(&f, "web"), "D 1 R 1 P 0 gpu:1 | PRIMARY gpu:1 1/1/0 COMPLETED 0");
        fixture_close(&f);
    }
}

/* Two of three tasks fit. */
static void test_some_room(void)
{
    static const struct { const char *row, *breaker; bool told; } rows[] = {
        { "with the circuit breaker", ",\"deploymentConfiguration\":{\"deploymentCircuitBreaker\":{\"enable\":true,\"rollback\":false}}", true },
        { "without", "", false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        services_open(&f);
        define(&f, "gpu", GPUS("1"), "");
        (void)machine_add(&f, "node-a", 2);
        create(&f, text(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"gpu\",\"desiredCount\":3,\"tags\":[" TAG("placement-failures", "wait") "]%s}",
                        rows[r].breaker));
        pass(&f, 50);
        const char *all = events(&f, "web", EVENTS_SHOWN), *told = strstr(all, "could not launch 1 tasks for deployment . The closest matching (container-instance ");
        CHECK_EQ(rows[r].row, told != NULL, rows[r].told);
        CHECK(rows[r].row, told == NULL || strstr(told + 1, "could not launch") == NULL);
        fixture_close(&f);
    }
}

int main(void)
{
    test_no_room();
    test_stop_first();
    test_some_room();
    return check_report();
}
