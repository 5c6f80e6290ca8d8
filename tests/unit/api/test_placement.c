/* Where tasks go and what they take: GPUs pinned and given back, amounts, ports, attributes, constraints, and the world that is
 * always what the store would give. */
#include "tests/unit/api/machines.h"

/* ---- the walk over two GPUs ---- */

static void test_gpu_walk(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id machine = machine_add(&f, "a", 2);
    define(&f, "one", GPUS("1"), "");
    struct str first = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\"}");
    struct str second = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\"}");
    struct str third = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\"}");
    struct str a = fixture_at(&f, first, "tasks[0].containers[0].gpuIds[0]"), b = fixture_at(&f, second, "tasks[0].containers[0].gpuIds[0]");
    CHECK("the first GPU is one of the machine's", str_starts_with(a, STR("GPU-a-")));
    CHECK("the second GPU is one of the machine's", str_starts_with(b, STR("GPU-a-")));
    CHECK("no GPU is held twice", !str_eq(a, b));

    CHECK_EQ("the third call succeeds", f.code, ERR_NONE);
    CHECK_STR("the third task is not there", fixture_at(&f, third, "tasks"), STR("[]"));
    CHECK_STR("ECS's word", fixture_at(&f, third, "failures[0].reason"), STR("RESOURCE:GPU"));
    CHECK_STR("the nearest machine", fixture_at(&f, third, "failures[0].arn"), fixture_at(&f, first, "tasks[0].containerInstanceArn"));
    struct str detail = fixture_at(&f, third, "failures[0].detail");
    CHECK("a text for a person", detail.len > 20 && detail.len <= 1024);
    check_world(&f, "two GPUs held");

    const char *task = at(&f, first, "tasks[0].taskArn");
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", task));
    struct str early = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\"}");
    CHECK_STR("an order to stop gives nothing back", fixture_at(&f, early, "failures[0].reason"), STR("RESOURCE:GPU"));
    report(&f, task, "RUNNING", "");
    early = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\"}");
    CHECK_STR("nor does another report", fixture_at(&f, early, "failures[0].reason"), STR("RESOURCE:GPU"));
    report(&f, task, "STOPPED", "");
    struct sched_free available;
    CHECK("the machine is known", sched_free_on(f.world, machine, &available));
    CHECK_EQ("the report does", __builtin_popcountll(available.gpu_slots), 1);
    struct str again = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\"}");
    CHECK_STR("the same GPU goes to the next", fixture_at(&f, again, "tasks[0].containers[0].gpuIds[0]"), a);
    check_world(&f, "after a walk");
    fixture_close(&f);
}

/* Several containers, ALL, and a mixed call: some placed, some not. */
static void test_pinning(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 4);
    (void)machine_add(&f, "b", 4);
    (void)fixture_call(&f, "RegisterTaskDefinition",
                       "{\"family\":\"pair\",\"containerDefinitions\":[{\"name\":\"x\",\"image\":\"i\",\"memory\":64" GPUS("2") "},"
                       "{\"name\":\"y\",\"image\":\"i\",\"memory\":64" GPUS("1") "},{\"name\":\"z\",\"image\":\"i\",\"memory\":64}]}");
    struct str reply = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"pair\",\"count\":3}");
    CHECK_EQ("one for each machine", count_at(&f, reply, "tasks"), 2);
    CHECK_EQ("one entry per task that found no place", count_at(&f, reply, "failures"), 1);
    CHECK_EQ("two GPUs for x", count_at(&f, reply, "tasks[0].containers[0].gpuIds"), 2);
    CHECK_EQ("one for y", count_at(&f, reply, "tasks[0].containers[1].gpuIds"), 1);
    CHECK_EQ("no member for z", count_at(&f, reply, "tasks[0].containers[2].gpuIds"), -1);
    struct str y = fixture_at(&f, reply, "tasks[0].containers[1].gpuIds[0]");
    CHECK("x and y share none", !str_eq(y, fixture_at(&f, reply, "tasks[0].containers[0].gpuIds[0]")));
    CHECK("x and y share none", !str_eq(y, fixture_at(&f, reply, "tasks[0].containers[0].gpuIds[1]")));

    define(&f, "all", GPUS("ALL"), "");
    CHECK_STR("ALL needs an empty machine", fixture_at(&f, fixture_call(&f, "RunTask", "{\"taskDefinition\":\"all\"}"), "failures[0].reason"),
              STR("RESOURCE:GPU"));
    (void)machine_add(&f, "c", 3);
    reply = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"all\"}");
    CHECK_EQ("ALL takes the machine's", count_at(&f, reply, "tasks[0].containers[0].gpuIds"), 3);
    check_world(&f, "pinned");
    fixture_close(&f);
}

/* ---- amounts ---- */

static void test_amounts(void)
{
    static const struct { const char *row, *containers, *task, *overrides, *cpu, *memory; } rows[] = {
        { "sums over containers", "{\"name\":\"a\",\"image\":\"i\",\"cpu\":100,\"memory\":64},{\"name\":\"b\",\"image\":\"i\",\"cpu\":28,\"memory\":36}",
          "", "{}", "128", "100" },
        { "a reservation counts before a limit", "{\"name\":\"a\",\"image\":\"i\",\"memory\":64,\"memoryReservation\":32}", "", "{}", "0", "32" },
        { "the task's own numbers count before all", "{\"name\":\"a\",\"image\":\"i\",\"cpu\":100,\"memory\":64}",
          ",\"cpu\":\"1 vCPU\",\"memory\":\"1 GB\"", "{}", "1024", "1024" },
        { "container overrides", "{\"name\":\"a\",\"image\":\"i\",\"cpu\":100,\"memory\":64}", "",
          "{\"containerOverrides\":[{\"name\":\"a\",\"cpu\":7,\"memory\":9}]}", "7", "9" },
        { "an override of the reservation", "{\"name\":\"a\",\"image\":\"i\",\"memory\":64}", "",
          "{\"containerOverrides\":[{\"name\":\"a\",\"memoryReservation\":5}]}", "0", "5" },
        { "task overrides", "{\"name\":\"a\",\"image\":\"i\",\"cpu\":100,\"memory\":64}", "", "{\"cpu\":\"512\",\"memory\":\"0.5 GB\"}", "512", "512" },
    };
    struct api_fixture f;
    cluster_open(&f);
    struct str made = fixture_call(&f, "RegisterContainerInstance",
                                   "{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":100000},"
                                   "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":100000}],"
                                   "\"attributes\":[{\"name\":\"ecs.capability.task-cpu-mem-limit\"}]}");
    struct id machine = id_at(&f, made, "containerInstance.containerInstanceArn");
    machine_presence(&f, machine, true);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        (void)fixture_call(&f, "RegisterTaskDefinition",
                           text(&f, "{\"family\":\"f%zu\",\"containerDefinitions\":[%s]%s}", r, rows[r].containers, rows[r].task));
        CHECK_EQ(rows[r].row, f.code, ERR_NONE);
        struct str reply = fixture_call(&f, "RunTask", text(&f, "{\"taskDefinition\":\"f%zu\",\"overrides\":%s}", r, rows[r].overrides));
        CHECK_STR(rows[r].row, fixture_at(&f, reply, "tasks[0].cpu"), str_from(rows[r].cpu));
        CHECK_STR(rows[r].row, fixture_at(&f, reply, "tasks[0].memory"), str_from(rows[r].memory));
    }
    check_world(&f, "amounts");
    fixture_close(&f);
}

/* The machine has 4096 CPU units and 8192 MiB: both sides of each. */
static void test_capacity(void)
{
    static const struct { const char *row, *overrides, *reason; } rows[] = {
        { "all of the CPU",      "{\"containerOverrides\":[{\"name\":\"main\",\"cpu\":4096}]}",    "(absent)" },
        { "one unit too much",   "{\"containerOverrides\":[{\"name\":\"main\",\"cpu\":4097}]}",    "RESOURCE:CPU" },
        { "all of the memory",   "{\"containerOverrides\":[{\"name\":\"main\",\"memory\":8192}]}", "(absent)" },
        { "one MiB too much",    "{\"containerOverrides\":[{\"name\":\"main\",\"memory\":8193}]}", "RESOURCE:MEMORY" },
        { "all GPUs",            "{\"containerOverrides\":[{\"name\":\"main\"" GPUS("2") "}]}",    "(absent)" },
        { "one GPU too many",    "{\"containerOverrides\":[{\"name\":\"main\"" GPUS("3") "}]}",    "RESOURCE:GPU" },
        { "GPUs taken away",     "{\"containerOverrides\":[{\"name\":\"main\",\"resourceRequirements\":[]}]}", "(absent)" },
        { "GPUs set to nothing", "{\"containerOverrides\":[{\"name\":\"main\"" GPUS("0") "}]}",    "(absent)" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        cluster_open(&f);
        (void)machine_add(&f, "a", 2);
        define(&f, "f", GPUS("1"), "");
        struct str reply = fixture_call(&f, "RunTask", text(&f, "{\"taskDefinition\":\"f\",\"overrides\":%s}", rows[r].overrides));
        CHECK_STR(rows[r].row, str_from(at(&f, reply, "failures[0].reason")), str_from(rows[r].reason));
        check_world(&f, rows[r].row);
        fixture_close(&f);
    }
}

/* ---- ports ---- */

static void test_ports(void)
{
    static const struct { const char *row, *family, *want; } rows[] = {
        { "a fixed port",                      "tcp80",  "(absent)" },
        { "is taken once",                     "tcp80",  "RESOURCE:PORTS" },
        { "UDP is another",                    "udp80",  "(absent)" },
        { "a port that the machine keeps",     "tcp22",  "RESOURCE:PORTS" },
        { "a dynamic port",                    "any80",  "(absent)" },
        { "takes nothing",                     "any80",  "(absent)" },
        { "on the host's network",             "host90", "(absent)" },
        { "the container's port is the host's", "host90", "RESOURCE:PORTS" },
    };
    struct api_fixture f;
    cluster_open(&f);
    struct id machine = machine_add(&f, "a", 0);
    define(&f, "tcp80", ",\"portMappings\":[{\"containerPort\":8000,\"hostPort\":80}]", "");
    define(&f, "udp80", ",\"portMappings\":[{\"containerPort\":8000,\"hostPort\":80,\"protocol\":\"udp\"}]", "");
    define(&f, "tcp22", ",\"portMappings\":[{\"containerPort\":22,\"hostPort\":22}]", "");
    define(&f, "any80", ",\"portMappings\":[{\"containerPort\":80}]", "");
    define(&f, "host90", ",\"portMappings\":[{\"containerPort\":90}]", ",\"networkMode\":\"host\"");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(&f, "RunTask", text(&f, "{\"taskDefinition\":\"%s\"}", rows[r].family));
        CHECK_STR(rows[r].row, str_from(at(&f, reply, "failures[0].reason")), str_from(rows[r].want));
    }
    char hex[ID_HEX_LEN + 1];
    id_hex(machine, hex);
    struct str shown = fixture_call(&f, "DescribeContainerInstances", text(&f, "{\"containerInstances\":[\"%s\"]}", hex));
    CHECK_STR("taken ports, reserved first", fixture_at(&f, shown, "containerInstances[0].remainingResources[2].stringSetValue"),
              STR("[\"22\",\"2375\",\"80\",\"90\"]"));
    CHECK_STR("UDP beside", fixture_at(&f, shown, "containerInstances[0].remainingResources[3].stringSetValue"), STR("[\"80\"]"));
    CHECK_STR("registered ones", fixture_at(&f, shown, "containerInstances[0].registeredResources[2].stringSetValue"), STR("[\"22\",\"2375\"]"));
    check_world(&f, "ports");
    fixture_close(&f);
}

/* ---- attributes and constraints ---- */

static void test_where(void)
{
    static const struct { const char *row, *body, *want; } rows[] = {
        { "an attribute that is there", "{\"taskDefinition\":\"ordered\"}", "(absent)" },
        { "one that is not", "{\"taskDefinition\":\"limited\"}", "ATTRIBUTE" },
        { "a constraint that holds", "{\"taskDefinition\":\"f\",\"placementConstraints\":[{\"type\":\"memberOf\","
          "\"expression\":\"attribute:berth.gpu-model == V100\"}]}",
          "(absent)" },
        { "one that does not", "{\"taskDefinition\":\"f\",\"placementConstraints\":[{\"type\":\"memberOf\","
          "\"expression\":\"attribute:berth.gpu-model == A100\"}]}",
          "MEMBEROF" },
        { "the definition's own", "{\"taskDefinition\":\"a100\"}", "MEMBEROF" },
        { "the architecture", "{\"taskDefinition\":\"arm\"}", "ATTRIBUTE" },
        { "the first of a group", "{\"taskDefinition\":\"f\",\"group\":\"g\",\"placementConstraints\":[{\"type\":\"distinctInstance\"}]}", "(absent)" },
        { "the second of a group", "{\"taskDefinition\":\"f\",\"group\":\"g\",\"placementConstraints\":[{\"type\":\"distinctInstance\"}]}",
          "DISTINCTINSTANCE" },
        { "another group", "{\"taskDefinition\":\"f\",\"group\":\"h\",\"placementConstraints\":[{\"type\":\"distinctInstance\"}]}", "(absent)" },
        { "strategies", "{\"taskDefinition\":\"f\",\"placementStrategy\":[{\"type\":\"binpack\",\"field\":\"memory\"},{\"type\":\"random\"}]}", "(absent)" },
    };
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 1);
    define(&f, "f", "", "");
    define(&f, "a100", "", ",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"attribute:berth.gpu-model == A100\"}]");
    define(&f, "arm", "", ",\"runtimePlatform\":{\"cpuArchitecture\":\"ARM64\"}");
    define(&f, "limited", "", ",\"cpu\":\"256\",\"memory\":\"512\"");
    (void)fixture_call(&f, "RegisterTaskDefinition",
                       "{\"family\":\"ordered\",\"containerDefinitions\":[{\"name\":\"a\",\"image\":\"i\",\"memory\":64},"
                       "{\"name\":\"b\",\"image\":\"i\",\"memory\":64,\"dependsOn\":[{\"containerName\":\"a\",\"condition\":\"START\"}]}]}");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(&f, "RunTask", rows[r].body);
        CHECK_EQ(rows[r].row, f.code, ERR_NONE);
        CHECK_STR(rows[r].row, str_from(at(&f, reply, "failures[0].reason")), str_from(rows[r].want));
    }
    fixture_close(&f);
}

static const char *constraints(struct api_fixture *f, int count)
{
    struct buf out = buf_in(&f->kept);
    for (int c = 0; c < count; c++) { buf_printf(&out, "%s{\"type\":\"memberOf\",\"expression\":\"agentConnected == true\"}", c == 0 ? "" : ","); }
    return arena_cstr(&f->kept, buf_str(&out));
}

static void test_constraint_limits(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 0);
    define(&f, "one", "", ",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"agentConnected == true\"}]");
    (void)fixture_call(&f, "RunTask", text(&f, "{\"taskDefinition\":\"one\",\"placementConstraints\":[%s]}", constraints(&f, 9)));
    CHECK_EQ("ten together", f.code, ERR_NONE);
    (void)fixture_call(&f, "RunTask", text(&f, "{\"taskDefinition\":\"one\",\"placementConstraints\":[%s]}", constraints(&f, 10)));
    CHECK_EQ("eleven together", f.code, ERR_INVALID_PARAMETER);
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"agentConnected ==\"}]}");
    CHECK_EQ("an expression that can't be read", f.code, ERR_INVALID_PARAMETER);
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\",\"placementConstraints\":[{\"type\":\"memberOf\"}]}");
    CHECK_EQ("no expression", f.code, ERR_INVALID_PARAMETER);
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\",\"placementConstraints\":[{\"expression\":\"agentConnected == true\"}]}");
    CHECK_EQ("no type", f.code, ERR_INVALID_PARAMETER);
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\",\"placementStrategy\":[{\"field\":\"cpu\"}]}");
    CHECK_EQ("a strategy without a type", f.code, ERR_INVALID_PARAMETER);
    check_world(&f, "constraints");
    fixture_close(&f);
}

/* Machines that leave and come back, tasks in every state: the world follows. */
static void test_world_follows(void)
{
    struct api_fixture f;
    cluster_open(&f);
    char hex[ID_HEX_LEN + 1];
    struct id a = machine_add(&f, "a", 2), b = machine_add(&f, "b", 2);
    define(&f, "f", GPUS("1") ",\"portMappings\":[{\"containerPort\":80,\"hostPort\":80}]", "");
    struct str reply = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":2}");
    CHECK_EQ("one on each, for the port", count_at(&f, reply, "tasks"), 2);
    check_world(&f, "placed");

    machine_presence(&f, a, false);
    machine_presence(&f, b, false);
    check_world(&f, "agents gone");
    define(&f, "g", "", "");
    CHECK_STR("no agent, no task", fixture_at(&f, fixture_call(&f, "RunTask", "{\"taskDefinition\":\"g\"}"), "failures[0].reason"), STR("AGENT"));
    machine_presence(&f, a, true);
    id_hex(b, hex);
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\",\"force\":true}", hex));
    check_world(&f, "one machine gone permanently");
    id_hex(a, hex);
    (void)fixture_call(&f, "RegisterContainerInstance", text(&f, "{\"containerInstanceArn\":\"" ARN_OF("container-instance") "%s\"}", hex));
    CHECK_EQ("a machine that shrank to nothing", f.code, ERR_NONE);
    check_world(&f, "shrunk");
    CHECK_STR("it has nothing to give", fixture_at(&f, fixture_call(&f, "RunTask", "{\"taskDefinition\":\"g\"}"), "failures[0].reason"),
              STR("RESOURCE:MEMORY"));
    fixture_close(&f);
}

/* A start reads only a part of each task's record: it must be all that decides where the next one goes. */
static void test_what_a_start_reads(void)
{
    static const char port[] = ",\"portMappings\":[{\"containerPort\":80,\"hostPort\":8080}]";
    struct api_fixture f;
    cluster_open(&f);
    struct str reply = fixture_call(&f, "RegisterContainerInstance",
        "{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":4096},{\"name\":\"MEMORY\",\"type\":\"INTEGER\","
        "\"integerValue\":8192}],\"platformDevices\":[{\"id\":\"GPU-a\",\"type\":\"GPU\"},{\"id\":\"GPU-b\",\"type\":\"GPU\"}],\"attributes\":["
        "{\"name\":\"ecs.capability.task-eni\"},{\"name\":\"berth.network-interfaces\",\"value\":\"1\"}]}");
    struct id machine = id_at(&f, reply, "containerInstance.containerInstanceArn");
    machine_presence(&f, machine, true);
    define(&f, "port", port, "");
    define(&f, "shared", GPUS("0.25"), "");
    define(&f, "vpc", GPUS("1"), ",\"networkMode\":\"awsvpc\"");
    struct str running = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"port\",\"group\":\"night\"}");
    CHECK_STR("placed", fixture_at(&f, running, "failures"), STR("[]"));
    report(&f, at(&f, running, "tasks[0].taskArn"), "RUNNING", "");
    CHECK_STR("placed", fixture_at(&f, fixture_call(&f, "RunTask", "{\"taskDefinition\":\"shared\"}"), "failures"), STR("[]"));
    CHECK_STR("placed", fixture_at(&f, fixture_call(&f, "RunTask", "{\"taskDefinition\":\"vpc\",\"networkConfiguration\":{\"awsvpcConfiguration\":"
                                                    "{\"subnets\":[\"subnet-a\"]}}}"), "failures"), STR("[]"));
    check_world(&f, "shares and amounts");

    struct arena arena;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    struct world *worlds[] = { f.world, sched_world_create(&arena) };
    struct store_txn *txn = store_read_begin(f.store);
    CHECK_EQ("how many there will be", store_count_live_tasks(txn), 3);
    api_load_world(worlds[1], txn);
    CHECK("read", store_read_end(txn));
    static const int64_t taken[] = { 8080 };
    const int64_t cluster = 1;
    const struct {
        const char *name;
        struct demand demand;
        enum verdict wanted;
    } rows[] = {
        { "the port is taken",           { .cluster = cluster, .ports = taken, .port_count = 1 },                       LACKS_PORT },
        { "so is the interface",         { .cluster = cluster, .interfaces = 1 },                                       LACKS_INTERFACE },
        { "the group is there",          { .cluster = cluster, .distinct_instance = true, .group = STR("night") },      NOT_DISTINCT },
        { "another is not",              { .cluster = cluster, .distinct_instance = true, .group = STR("day") },        FITS },
        { "no device is left whole",     { .cluster = cluster, .gpus = { { 1, GPU_WHOLE, 0 } }, .container_count = 1 }, LACKS_GPU },
        { "a share of one is",           { .cluster = cluster, .gpus = { { 1, 750, 0 } }, .container_count = 1 },       FITS },
    };
    struct err err = { 0 };
    const struct expression *one_runs = expression_compile(STR("runningTasksCount == 1"), &arena, &err);
    for (size_t w = 0; w < COUNT_OF(worlds); w++) {
        CHECK("one of them runs", sched_matches(worlds[w], machine, one_runs));
        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            struct placement placement;
            struct evidence evidence;
            struct id task = { { (uint8_t)(r + 1) } };
            CHECK_EQ(rows[r].name, sched_place_on(worlds[w], machine, &rows[r].demand, task, &placement, &evidence), rows[r].wanted);
            sched_drop_task(worlds[w], task);
        }
    }
    arena_finish(&arena);
    fixture_close(&f);
}

int main(void)
{
    test_gpu_walk();
    test_pinning();
    test_amounts();
    test_capacity();
    test_ports();
    test_where();
    test_constraint_limits();
    test_world_follows();
    test_what_a_start_reads();
    return check_report();
}
