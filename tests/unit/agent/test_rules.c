/* The rules of a task: whose turn it is, who may stop, which container runs, which one cannot be resolved. */
#include "agent/task/task.h"

#include "tests/unit/check.h"

enum { CONTAINERS = 3, NOW_MS = 1000000 };

/* Three containers a, b, c; b depends on a in the way of the row. */
struct fixture {
    struct task_host host;
    struct task task; struct task_container containers[CONTAINERS]; struct wire_container wires[CONTAINERS]; struct container_dependency dependency;
};

static void build(struct fixture *fixture, enum container_condition condition)
{
    static const struct str names[CONTAINERS] = { STR_INIT("a"), STR_INIT("b"), STR_INIT("c") };
    *fixture = (struct fixture){ .task = { .host = &fixture->host, .containers = fixture->containers, .count = CONTAINERS, .arn = STR("arn") } };
    for (size_t c = 0; c < CONTAINERS; c++) {
        fixture->wires[c].name = names[c];
        fixture->containers[c].wire = &fixture->wires[c];
        fixture->containers[c].task = &fixture->task;
    }
    fixture->dependency = (struct container_dependency){ STR("a"), condition };
    if (condition != CONTAINER_CONDITION_UNSET) { fixture->wires[1].depends_on = (struct container_dependency_list){ &fixture->dependency, 1 }; }
}

static void test_turns(void)
{
    static const struct {
        const char *row; enum container_condition condition; enum container_phase phase; bool started; struct opt_int code; enum turn turn;
    } rows[] = {
        { "START, not yet", CONTAINER_CONDITION_START, CONTAINER_CREATED, false, { 0, false }, TURN_WAIT },
        { "START, running", CONTAINER_CONDITION_START, CONTAINER_RUNNING, true, { 0, false }, TURN_READY },
        { "START, ran and ended badly", CONTAINER_CONDITION_START, CONTAINER_STOPPED, true, { 1, true }, TURN_READY },
        { "START, never ran", CONTAINER_CONDITION_START, CONTAINER_STOPPED, false, { 0, false }, TURN_NEVER },
        { "COMPLETE, running", CONTAINER_CONDITION_COMPLETE, CONTAINER_RUNNING, true, { 0, false }, TURN_WAIT },
        { "COMPLETE, any code", CONTAINER_CONDITION_COMPLETE, CONTAINER_STOPPED, true, { 3, true }, TURN_READY },
        { "COMPLETE, unknown code", CONTAINER_CONDITION_COMPLETE, CONTAINER_STOPPED, true, { 0, false }, TURN_NEVER },
        { "COMPLETE, never ran", CONTAINER_CONDITION_COMPLETE, CONTAINER_STOPPED, false, { 143, true }, TURN_NEVER },
        { "SUCCESS, code 0", CONTAINER_CONDITION_SUCCESS, CONTAINER_STOPPED, true, { 0, true }, TURN_READY },
        { "SUCCESS, code 1", CONTAINER_CONDITION_SUCCESS, CONTAINER_STOPPED, true, { 1, true }, TURN_NEVER },
        { "SUCCESS, running", CONTAINER_CONDITION_SUCCESS, CONTAINER_RUNNING, true, { 0, false }, TURN_WAIT },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct fixture fixture;
        char reason[TASK_REASON_MAX] = "";
        build(&fixture, rows[r].condition);
        fixture.containers[0].phase = rows[r].phase;
        fixture.containers[0].started = rows[r].started;
        fixture.containers[0].exit_code = rows[r].code;
        CHECK_EQ(rows[r].row, task_turn(&fixture.task, &fixture.containers[1], NOW_MS, reason), rows[r].turn);
        CHECK_EQ(rows[r].row, strncmp(reason, "CannotStartContainerError: dependency graph", 43) == 0, rows[r].turn == TURN_NEVER);
        CHECK_EQ(rows[r].row, task_turn(&fixture.task, &fixture.containers[2], NOW_MS, reason), TURN_READY);
    }
}

static void test_healthy(void)
{
    static const struct { const char *row; enum container_phase phase; enum health_status health; enum turn turn; } rows[] = {
        { "nothing known",     CONTAINER_RUNNING, HEALTH_STATUS_UNSET,     TURN_WAIT  },
        { "starting",          CONTAINER_RUNNING, HEALTH_STATUS_UNKNOWN,   TURN_WAIT  },
        { "healthy",           CONTAINER_RUNNING, HEALTH_STATUS_HEALTHY,   TURN_READY },
        { "it may recover",    CONTAINER_RUNNING, HEALTH_STATUS_UNHEALTHY, TURN_WAIT  },
        { "it was",            CONTAINER_STOPPED, HEALTH_STATUS_HEALTHY,   TURN_NEVER },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct fixture fixture;
        char reason[TASK_REASON_MAX] = "";
        build(&fixture, CONTAINER_CONDITION_HEALTHY);
        fixture.containers[0].started = true;
        fixture.containers[0].phase = rows[r].phase;
        fixture.containers[0].health = rows[r].health;
        CHECK_EQ(rows[r].row, task_turn(&fixture.task, &fixture.containers[1], NOW_MS, reason), rows[r].turn);
    }
}

static void test_start_timeout(void)
{
    struct fixture fixture;
    char reason[TASK_REASON_MAX];
    build(&fixture, CONTAINER_CONDITION_SUCCESS);
    fixture.wires[0].start_timeout = opt_int_of(10);
    fixture.containers[0].phase = CONTAINER_RUNNING;
    fixture.containers[0].started = true;
    fixture.containers[0].started_ms = NOW_MS - 10000;
    CHECK_EQ("just in time", task_turn(&fixture.task, &fixture.containers[1], NOW_MS, reason), TURN_WAIT);
    CHECK_EQ("a moment late", task_turn(&fixture.task, &fixture.containers[1], NOW_MS + 1, reason), TURN_NEVER);
    fixture.wires[0].start_timeout.set = false;
    CHECK_EQ("none given", task_turn(&fixture.task, &fixture.containers[1], NOW_MS + 1, reason), TURN_WAIT);
}

static void test_links_and_volumes(void)
{
    struct fixture fixture;
    char reason[TASK_REASON_MAX];
    struct str link = STR("a:alias");
    struct volume_from volume = { .source_container = STR("a") };
    build(&fixture, CONTAINER_CONDITION_UNSET);
    fixture.wires[1].links = (struct str_list){ &link, 1 };
    fixture.wires[2].volumes_from = (struct volume_from_list){ &volume, 1 };
    CHECK("resolved", task_check(&fixture.task, reason));
    CHECK_EQ("a link waits for the start", task_turn(&fixture.task, &fixture.containers[1], NOW_MS, reason), TURN_WAIT);
    CHECK_EQ("a volume waits for the container", task_turn(&fixture.task, &fixture.containers[2], NOW_MS, reason), TURN_WAIT);
    fixture.containers[0].phase = CONTAINER_CREATED;
    memcpy(fixture.containers[0].id, "x", 2);
    CHECK_EQ("which need not run", task_turn(&fixture.task, &fixture.containers[2], NOW_MS, reason), TURN_READY);
    CHECK_EQ("the link still waits", task_turn(&fixture.task, &fixture.containers[1], NOW_MS, reason), TURN_WAIT);
    CHECK("a may not stop while they are there", !task_may_stop(&fixture.task, &fixture.containers[0]));
    fixture.containers[1].phase = fixture.containers[2].phase = CONTAINER_STOPPED;
    CHECK("now it may", task_may_stop(&fixture.task, &fixture.containers[0]));
}

static void test_check(void)
{
    struct fixture fixture;
    char reason[TASK_REASON_MAX];
    struct container_dependency back = { STR("b"), CONTAINER_CONDITION_START }, own = { STR("c"), CONTAINER_CONDITION_START };
    build(&fixture, CONTAINER_CONDITION_START);
    CHECK("a chain", task_check(&fixture.task, reason));
    fixture.wires[0].depends_on = (struct container_dependency_list){ &back, 1 };
    CHECK("a circle", !task_check(&fixture.task, reason));
    CHECK_STR("in ECS's words", str_from(reason), STR("Task dependencies cannot be resolved, taskArn: arn"));
    build(&fixture, CONTAINER_CONDITION_START);
    fixture.wires[2].depends_on = (struct container_dependency_list){ &own, 1 };
    CHECK("itself", !task_check(&fixture.task, reason));
    build(&fixture, CONTAINER_CONDITION_START);
    fixture.dependency.container_name = STR("nobody");
    CHECK("an unknown name", !task_check(&fixture.task, reason));
    build(&fixture, CONTAINER_CONDITION_HEALTHY);
    CHECK("one that waits for health", task_check(&fixture.task, reason));
    build(&fixture, CONTAINER_CONDITION_START);
    fixture.task.count = 0;
    CHECK("no container at all", !task_check(&fixture.task, reason));
}

static void test_restarts(void)
{
    enum { STARTED_MS = 500000 };
    struct opt_int codes[] = { { 0, true }, { 42, true } };
    static const struct { const char *row; bool enabled, stopping; struct opt_int period_s, code; int64_t ran_ms; bool want; } rows[] = {
        { "a failure",                 true,  false, { 60, true },  { 1, true },   60000,  true  },
        { "a moment too early",        true,  false, { 60, true },  { 1, true },   59999,  false },
        { "the usual period",          true,  false, { 0, false },  { 1, true },   300000, true  },
        { "not over yet",              true,  false, { 0, false },  { 1, true },   299999, false },
        { "a code that is ignored",    true,  false, { 60, true },  { 42, true },  60000,  false },
        { "success, ignored too",      true,  false, { 60, true },  { 0, true },   60000,  false },
        { "nobody knows its code",     true,  false, { 60, true },  { 0, false },  60000,  false },
        { "the policy is switched off", false, false, { 60, true },  { 1, true },   60000,  false },
        { "the task is stopped",       true,  true,  { 60, true },  { 1, true },   60000,  false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct fixture fixture;
        build(&fixture, CONTAINER_CONDITION_UNSET);
        struct container_restart_policy policy = {
            .enabled = opt_bool_of(rows[r].enabled), .ignored_exit_codes = { codes, COUNT_OF(codes) }, .restart_attempt_period = rows[r].period_s,
        };
        fixture.wires[0].restart_policy = &policy;
        fixture.task.stop_wanted = rows[r].stopping;
        struct container_state state = { .exists = true, .exit_code = rows[r].code, .started_ms = STARTED_MS, .finished_ms = STARTED_MS + rows[r].ran_ms };
        CHECK_EQ(rows[r].row, task_may_restart(&fixture.containers[0], &state, 100 * NOW_MS), rows[r].want);
        CHECK("no policy", !task_may_restart(&fixture.containers[1], &state, 100 * NOW_MS));
        fixture.containers[0].started_ms = state.started_ms;
        state.started_ms = state.finished_ms = 0;
        CHECK_EQ("by the agent's clock", task_may_restart(&fixture.containers[0], &state, STARTED_MS + rows[r].ran_ms), rows[r].want);
        state.exists = false;
        CHECK("it is gone", !task_may_restart(&fixture.containers[0], &state, 100 * NOW_MS));
    }
}

static void test_ranges(void)
{
    static const struct { int64_t container, host; enum transport_protocol protocol; } told[] = {
        { 80, 50001, TRANSPORT_PROTOCOL_TCP }, { 7001, 60001, TRANSPORT_PROTOCOL_TCP }, { 7000, 60000, TRANSPORT_PROTOCOL_TCP },
        { 7001, 53, TRANSPORT_PROTOCOL_UDP }, { 7002, 60002, TRANSPORT_PROTOCOL_TCP },
    };
    struct network_binding items[COUNT_OF(told)];
    struct network_binding_list list = { items, COUNT_OF(told) };
    for (size_t b = 0; b < COUNT_OF(told); b++) {
        items[b] = (struct network_binding){ STR("0.0.0.0"), .container_port = opt_int_of(told[b].container), .host_port = opt_int_of(told[b].host),
                                             .protocol = told[b].protocol };
    }
    struct port_mapping mappings[] = { { .container_port = opt_int_of(80) }, { .container_port_range = STR("7000-7002") },
                                       { .container_port_range = STR("9000-9001") } };
    struct wire_container wire = { .port_mappings = { mappings, COUNT_OF(mappings) } };
    struct arena arena = { .ceiling = 1 << 20 };
    task_fold_ranges(&wire, &list, &arena);
    CHECK_EQ("one for the row, which has no other's", list.count, 3);
    CHECK("single ones stay", list.items[0].host_port.value == 50001 && list.items[1].host_port.value == 53);
    CHECK_STR("inside", list.items[2].container_port_range, STR("7000-7002"));
    CHECK_STR("outside", list.items[2].host_port_range, STR("60000-60002"));
    CHECK("no single port", !list.items[2].container_port.set && !list.items[2].host_port.set && str_eq(list.items[2].bind_ip, STR("0.0.0.0")));
    arena_finish(&arena);
}

static void test_whole(void)
{
    struct fixture fixture;
    build(&fixture, CONTAINER_CONDITION_UNSET);
    CHECK("pending", !task_is_running(&fixture.task) && !task_all_stopped(&fixture.task));
    fixture.containers[0].phase = fixture.containers[1].phase = CONTAINER_RUNNING;
    fixture.containers[0].started = fixture.containers[1].started = true;
    CHECK("two of three", !task_is_running(&fixture.task));
    fixture.containers[2].phase = CONTAINER_STOPPED;
    CHECK("the third is over", task_is_running(&fixture.task));
    CHECK("and was not essential", !task_essential_ended(&fixture.task));
    fixture.wires[2].essential = OPT_TRUE;
    CHECK("or was", task_essential_ended(&fixture.task));
    for (size_t c = 0; c < CONTAINERS; c++) { fixture.containers[c].phase = CONTAINER_STOPPED; }
    CHECK("all over", task_all_stopped(&fixture.task) && task_is_running(&fixture.task));
    fixture.containers[0].started = fixture.containers[1].started = false;
    CHECK("nothing ever ran", !task_is_running(&fixture.task));
}

static void test_ends(void)
{
    static const struct { const char *row; struct container_state state; const char *reason; } rows[] = {
        { "gone",                { .exists = false },                                                          "ContainerVanishedError" },
        { "gone beats all",      { .exists = false, .oom_killed = true, .exit_code = { 137, true } },          "ContainerVanishedError" },
        { "no memory left",      { .exists = true, .oom_killed = true, .exit_code = { 137, true } },           "OutOfMemoryError" },
        { "no code",             { .exists = true },                                                           "DockerStateError" },
        { "code 0",              { .exists = true, .exit_code = { 0, true } },                                 "" },
        { "another code",        { .exists = true, .exit_code = { 1, true } },                                 "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reason = task_end_reason(&rows[r].state), name;
        if (!str_cut(reason, ':', &name, &reason)) { name = STR(""); }
        CHECK_STR(rows[r].row, name, str_from(rows[r].reason));
    }
}

static void test_failures(void)
{
    static const struct { const char *row, *message, *reason; } rows[] = {
        { "a plain text",                   "no such image",                     "CannotCreateContainerError: no such image" },
        { "its own name",                   "CannotPullContainerError: denied",  "CannotPullContainerError: denied" },
        { "a name later in the text",       "the engine said SomeError: x",      "CannotCreateContainerError: the engine said SomeError: x" },
        { "a name without a text",          "SomeError:",                        "CannotCreateContainerError: SomeError:" },
        { "no text",                        "",                                  "CannotCreateContainerError: " },
    };
    char reason[TASK_REASON_MAX], text[2 * TASK_REASON_MAX];
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        task_failure_reason("CannotCreateContainerError", rows[r].message, reason);
        CHECK_STR(rows[r].row, str_from(reason), str_from(rows[r].reason));
    }
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    task_failure_reason("CannotCreateContainerError", text, reason);
    CHECK_EQ("a long one is cut", strlen(reason), strlen("CannotCreateContainerError: ") + 560);
}

static void test_stop_times(void)
{
    static const struct { const char *row; struct opt_int own; int64_t machine_s, kill_in_ms, seconds; } rows[] = {
        { "the machine's",                      { 0, false }, 30,      0,  30 },
        { "its own",                            { 5, true },  30,      0,   5 },
        { "its own of 0",                       { 0, true },  30,      0,   0 },
        { "a kill that is far away",            { 0, false }, 30,  60000,  30 },
        { "at the same time",                   { 0, false }, 30,  30000,  30 },
        { "a moment earlier, in whole seconds", { 0, false }, 30,  29999,  29 },
        { "less than a second away",            { 0, false }, 30,    999,   0 },
        { "over already",                       { 0, false }, 30,  -5000,   0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct fixture fixture;
        build(&fixture, CONTAINER_CONDITION_UNSET);
        fixture.host.stop_timeout_s = rows[r].machine_s;
        fixture.wires[0].stop_timeout = rows[r].own;
        if (rows[r].kill_in_ms != 0) { fixture.task.kill_at_ms = NOW_MS + rows[r].kill_in_ms; }
        CHECK_EQ(rows[r].row, task_time_to_stop_s(&fixture.containers[0], NOW_MS), rows[r].seconds);
    }
}

static void check_base(const char *row, const char *base, const char *wanted)
{
    CHECK(row, (base == NULL) == (wanted == NULL) && (base == NULL || strcmp(base, wanted) == 0));
}

static void test_metadata_base(void)
{
    const struct metadata_base both = { "http://h", "http://o", false }, host_only = { "http://h", NULL, false };
    static const struct { const char *row; bool is_process; struct str mode; const char *both, *host_only; } rows[] = {
        { "bridge",    false, STR_INIT("bridge"), "http://o", NULL },
        { "awsvpc",    false, STR_INIT("awsvpc"), "http://o", NULL },
        { "the usual", false, STR_INIT(""),       "http://o", NULL },
        { "host",      false, STR_INIT("host"),   "http://h", "http://h" },
        { "none",      false, STR_INIT("none"),   NULL,       NULL },
        { "a process", true,  STR_INIT("none"),   "http://h", "http://h" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        check_base(rows[r].row, metadata_base_for(&both, rows[r].is_process, rows[r].mode), rows[r].both);
        check_base(rows[r].row, metadata_base_for(&host_only, rows[r].is_process, rows[r].mode), rows[r].host_only);
    }
}

int main(void)
{
    test_ends();
    test_failures();
    test_stop_times();
    test_metadata_base();
    test_turns();
    test_healthy();
    test_start_timeout();
    test_links_and_volumes();
    test_check();
    test_restarts();
    test_ranges();
    test_whole();
    return check_report();
}
