/* Names of log groups and streams. */
#include "api/log_names.h"

#include "model/ecs_container.h"
#include "tests/unit/check.h"

int main(void)
{
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
