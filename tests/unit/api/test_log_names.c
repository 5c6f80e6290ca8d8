/* Names of log groups and streams. */
#include "api/tell/log_names.h"

#include "model/ecs/container.h"
#include "tests/unit/check.h"

/* Where output goes that Berth does not have: the beginning of the sentence, and the advice. */
static void test_elsewhere(void)
{
    enum machine { OWN, ECS, ECS_OFFERS };
    static const struct { const char *row; enum machine machine; enum log_driver driver; bool has_role; const char *endpoint, *where, *missing; } rows[] = {
        { "Berth's agent reads Docker's files", OWN, LOG_DRIVER_JSON_FILE, false, NULL, NULL, NULL },
        { "without a driver", OWN, LOG_DRIVER_UNSET, false, NULL, NULL, NULL },
        { "awslogs is Berth's own there", OWN, LOG_DRIVER_AWSLOGS, false, "http://x", NULL, NULL },
        { "a driver that sends it away", OWN, LOG_DRIVER_SYSLOG, false, NULL, "goes where its log driver, syslog, sends it", "json-file, awslogs or none" },
        { "the ECS agent leaves it to Docker", ECS_OFFERS, LOG_DRIVER_JSON_FILE, true, NULL, "stays with Docker", "driver awslogs, and the task an executionRoleArn" },
        { "no driver is json-file", ECS_OFFERS, LOG_DRIVER_UNSET, true, NULL, "stays with Docker", "driver awslogs" },
        { "sent away there, too", ECS_OFFERS, LOG_DRIVER_FLUENTD, true, NULL, "its log driver, fluentd", "driver awslogs" },
        { "awslogs without a role", ECS_OFFERS, LOG_DRIVER_AWSLOGS, false, NULL, "stays with Docker", "the task needs an executionRoleArn" },
        { "not offered", ECS, LOG_DRIVER_AWSLOGS, true, NULL, "stays with Docker", "ECS_ENABLE_AWSLOGS_EXECUTIONROLE_OVERRIDE=true" },
        { "all is there", ECS_OFFERS, LOG_DRIVER_AWSLOGS, true, NULL, NULL, NULL },
        { "another service", ECS_OFFERS, LOG_DRIVER_AWSLOGS, true, "http://x", "goes to http://x, the awslogs-endpoint", "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena;
        arena_init(&arena, 1 << 16);
        struct pair options[] = { { STR("awslogs-endpoint"), str_from(rows[r].endpoint) } };
        struct log_configuration logs = { .log_driver = rows[r].driver, .options = { options, COUNT_OF(options) } };
        struct container_definition container = { .name = STR("main"), .log_configuration = rows[r].driver == LOG_DRIVER_UNSET ? NULL : &logs };
        struct attribute attributes[] = { { .name = rows[r].machine == OWN ? STR("berth.runtime") : STR("ecs.capability.execution-role-awslogs") } };
        struct instance instance = { .attributes = { attributes, rows[r].machine == ECS ? 0 : 1 } };
        struct str said = log_elsewhere(&instance, &container, rows[r].has_role, &arena);
        CHECK_EQ(rows[r].row, str_is_set(said), rows[r].where != NULL);
        CHECK(rows[r].row, rows[r].where == NULL || (str_starts_with(said, STR("What container main prints ")) && str_contains(said, str_from(rows[r].where))
                                                      && str_contains(said, str_from(rows[r].missing))));
        arena_finish(&arena);
    }
}

int main(void)
{
    test_elsewhere();
    static const struct id task = { { 0x12, 0x34 } };
#define TASK "12340000000000000000000000000000"
    static const struct { const char *row; enum log_driver driver; const char *group, *prefix, *container, *want_group, *want_stream; } rows[] = {
        { "as CloudWatch has it", LOG_DRIVER_AWSLOGS, "/ecs/train", "p", "main", "/ecs/train", "p/main/" TASK },
        { "a prefix with a slash", LOG_DRIVER_AWSLOGS, "g", "a/b", "main", "g", "a/b/main/" TASK },
        { "without a prefix", LOG_DRIVER_AWSLOGS, "g", NULL, "main", "g", "main/" TASK },
        { "another driver", LOG_DRIVER_JSON_FILE, "g", "p", "main", "/berth/fam", "main/" TASK },
        { "no driver", LOG_DRIVER_UNSET, NULL, NULL, "main", "/berth/fam", "main/" TASK },
        { "a container that is not in the definition", LOG_DRIVER_AWSLOGS, "g", "p", "other", "/berth/fam", "other/" TASK },
        { "what CloudWatch would not take", LOG_DRIVER_AWSLOGS, "my group", "a:b*c\n", "main", "my-group", "a-b-c-/main/" TASK },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena;
        arena_init(&arena, 1 << 16);
        struct pair options[] = { { STR("awslogs-group"), str_from(rows[r].group) }, { STR("awslogs-stream-prefix"), str_from(rows[r].prefix) } };
        struct log_configuration logs = { .log_driver = rows[r].driver, .options = { options, COUNT_OF(options) } };
        struct container_definition container = { .name = STR("main"), .log_configuration = rows[r].driver == LOG_DRIVER_UNSET ? NULL : &logs };
        struct task_definition def = { .family = STR("fam"), .container_definitions = { &container, 1 } };
        struct log_names names = log_names_of(&def, str_from(rows[r].container), task, &arena);
        CHECK_STR(rows[r].row, names.group, str_from(rows[r].want_group));
        CHECK_STR(rows[r].row, names.stream, str_from(rows[r].want_stream));
        CHECK(rows[r].row, log_group_name_is_valid(names.group) && log_stream_name_is_valid(names.stream));
        arena_finish(&arena);
    }
    CHECK("an empty name", !log_group_name_is_valid(STR("")) && !log_stream_name_is_valid(STR("")));
    CHECK("a blank", !log_group_name_is_valid(STR("a b")) && log_stream_name_is_valid(STR("a b")));
    return check_report();
}
