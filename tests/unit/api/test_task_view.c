/* Members of a task beyond its record: of its machine, of its containers' health, of the agents beside them, of its storage. */
#include "api/show/view.h"
#include "tests/unit/api/machines.h"

/* A machine with these attributes and no others. */
static struct id add_with(struct api_fixture *f, const char *name, const char *attributes)
{
    static const char body[] =
        "{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":4096},{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":8192}],"
        "\"attributes\":[{\"name\":\"berth.name\",\"value\":\"%s\"}%s]}";
    struct str reply = fixture_call(f, "RegisterContainerInstance", text(f, body, name, attributes));
    CHECK_EQ(name, f->code, ERR_NONE);
    struct id id = id_at(f, reply, "containerInstance.containerInstanceArn");
    machine_presence(f, id, true);
    return id;
}

static struct str task_of(struct api_fixture *f, const char *arn)
{
    return fixture_at(f, fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", arn)), "tasks[0]");
}

/* ---- the machine ---- */

#define ZONE(name) ",{\"name\":\"ecs.availability-zone\",\"value\":\"" name "\"}"
#define ARM        ",{\"name\":\"ecs.cpu-architecture\",\"value\":\"arm64\"}"
#define SHOWN_AS(word) "[{\"name\":\"ecs.cpu-architecture\",\"value\":\"" word "\"}]"

static void test_machine(void)
{
    static const struct { const char *name, *given, *family, *zone, *attributes; } rows[] = {
        { "a", ZONE("us-east-1a"),     "f",   "us-east-1a", "[]" },
        { "b", ZONE("us-east-1b") ARM, "f",   "us-east-1b", SHOWN_AS("arm64") },
        { "c", "",                     "f",   "(absent)",   "[]" },
        { "d", ARM,                    "arm", "(absent)",   SHOWN_AS("arm64") },
    };
    struct api_fixture f;
    cluster_open(&f);
    define(&f, "f", "", "");
    define(&f, "arm", "", ",\"runtimePlatform\":{\"cpuArchitecture\":\"ARM64\"}");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char hex[ID_HEX_LEN + 1];
        id_hex(add_with(&f, rows[r].name, rows[r].given), hex);
        struct str made = fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"%s\",\"containerInstances\":[\"%s\",\"%s\"]}", rows[r].family, hex, hex));
        const char *arn = at(&f, made, "tasks[1].taskArn");
        struct str stopped = fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", arn));
        (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\",\"force\":true}", hex));
        struct str gone = fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", arn));
        const struct { const char *row; struct str task; } shown[] = {
            { "as it is placed", fixture_at(&f, made, "tasks[0]") }, { "beside another", fixture_at(&f, made, "tasks[1]") },
            { "as it is stopped", fixture_at(&f, stopped, "task") }, { "when its machine is gone", fixture_at(&f, gone, "task") },
            { "described", task_of(&f, arn) },
        };
        for (size_t s = 0; s < COUNT_OF(shown); s++) {
            CHECK_STR(shown[s].row, str_from(at(&f, shown[s].task, "availabilityZone")), str_from(rows[r].zone));
            CHECK_STR(shown[s].row, str_from(at(&f, shown[s].task, "attributes")), str_from(rows[r].attributes));
        }
    }
    fixture_close(&f);
}

/* Tasks of one reply on machines of different zones, in the order of the request. */
static void test_zones_of_many(void)
{
    enum { MACHINES = 12 };                                      /* more than a cache has room for at first */
    struct api_fixture f;
    cluster_open(&f);
    define(&f, "f", "", "");
    struct buf asked = buf_in(&f.kept);
    for (int m = 0; m < MACHINES; m++) {
        char hex[ID_HEX_LEN + 1];
        id_hex(add_with(&f, "m", text(&f, ZONE("zone-%d"), m)), hex);
        struct str made = fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"f\",\"containerInstances\":[\"%s\"]}", hex));
        buf_printf(&asked, "%s\"%s\"", m == 0 ? "" : ",", at(&f, made, "tasks[0].taskArn"));
    }
    struct str reply = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[" STR_FMT "]}", STR_ARG(buf_str(&asked))));
    for (int m = 0; m < MACHINES; m++) {
        CHECK_STR("its own zone", fixture_at(&f, reply, text(&f, "tasks[%d].availabilityZone", m)), str_from(text(&f, "zone-%d", m)));
    }
    fixture_close(&f);
}

/* ---- health ---- */

#define H HEALTH_STATUS_HEALTHY
#define S HEALTH_STATUS_UNHEALTHY
#define U HEALTH_STATUS_UNKNOWN
#define N HEALTH_STATUS_UNSET

static void test_health_rule(void)
{
    enum { CONTAINERS = 3 };
    static const struct {
        const char *row; bool essential[CONTAINERS], checked[CONTAINERS]; enum health_status told[CONTAINERS], want;
    } rows[] = {
        { "no checks at all",               { true, true, true },    { false, false, false }, { H, H, H }, U },
        { "all well",                       { true, true, true },    { true, true, true },    { H, H, H }, H },
        { "one is not",                     { true, true, true },    { true, true, true },    { H, S, H }, S },
        { "one is not, of one nobody knows", { true, true, true },   { true, true, true },    { U, S, H }, S },
        { "of one nobody knows",            { true, true, true },    { true, true, true },    { H, U, H }, U },
        { "one has not been reported",      { true, true, true },    { true, true, true },    { H, N, H }, U },
        { "none has",                       { true, true, true },    { true, true, true },    { N, N, N }, U },
        { "those without a check don't count", { true, true, true }, { true, false, false },  { H, S, U }, H },
        { "those that may end don't count", { true, false, false },  { true, true, true },    { H, S, U }, H },
        { "only such",                      { false, false, false }, { true, true, true },    { H, H, H }, U },
    };
    static struct str command[] = { STR_INIT("CMD"), STR_INIT("true") }, none[] = { STR_INIT("NONE") };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct health_check check = { .command = { command, 2 } }, off = { .command = { none, 1 } };
        struct container_definition definitions[CONTAINERS] = { 0 };
        struct task_container containers[CONTAINERS] = { 0 };
        struct task_definition def = { .container_definitions = { definitions, CONTAINERS } };
        for (size_t c = 0; c < CONTAINERS; c++) {
            definitions[c].essential = opt_bool_of(rows[r].essential[c]);
            definitions[c].health_check = rows[r].checked[c] ? &check : &off;
            containers[c] = (struct task_container){ .index = (int64_t)c, .health = rows[r].told[c] };
        }
        CHECK_EQ(rows[r].row, view_health(&def, &(struct task_container_list){ containers, CONTAINERS }), rows[r].want);
    }
}

#define TOLD(health) "{\"containerName\":\"main\",\"status\":\"RUNNING\",\"healthStatus\":\"" health "\"}"

static void test_health_reports(void)
{
    static const struct { const char *row, *told, *want, *version; } rows[] = {
        { "it starts",     TOLD("UNKNOWN"),   "UNKNOWN",   "2" },
        { "it is well",    TOLD("HEALTHY"),   "HEALTHY",   "3" },
        { "told again",    TOLD("HEALTHY"),   "HEALTHY",   "3" },
        { "it fell ill",   TOLD("UNHEALTHY"), "UNHEALTHY", "4" },
        { "nothing new",   "{\"containerName\":\"main\",\"status\":\"RUNNING\"}", "UNHEALTHY", "4" },
        { "it recovered",  TOLD("HEALTHY"),   "HEALTHY",   "5" },
    };
    struct api_fixture f;
    cluster_open(&f);
    (void)fixture_call(&f, "RegisterTaskDefinition", "{\"family\":\"web\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"i\",\"memory\":64,"
        "\"healthCheck\":{\"command\":[\"CMD\",\"true\"]}},{\"name\":\"side\",\"image\":\"i\",\"memory\":64,\"essential\":false}]}");
    (void)add_with(&f, "a", ",{\"name\":\"ecs.capability.container-health-check\"}");
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"web\"}");
    const char *arn = at(&f, made, "tasks[0].taskArn");
    CHECK_STR("nothing known", fixture_at(&f, made, "tasks[0].healthStatus"), STR("UNKNOWN"));
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        report(&f, arn, "RUNNING", rows[r].told);
        struct str task = task_of(&f, arn);
        CHECK_STR(rows[r].row, fixture_at(&f, task, "healthStatus"), str_from(rows[r].want));
        CHECK_STR(rows[r].row, fixture_at(&f, task, "containers[0].healthStatus"), str_from(rows[r].want));
        CHECK_STR(rows[r].row, fixture_at(&f, task, "containers[1].healthStatus"), STR("UNKNOWN"));
        CHECK_STR(rows[r].row, fixture_at(&f, task, "version"), str_from(rows[r].version));
    }
    fixture_check(&f, "no such health", "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"RUNNING\",\"containers\":[" TOLD("FINE") "]}", arn),
                  "InvalidParameterException: containers[0].healthStatus should be one of [HEALTHY,UNHEALTHY,UNKNOWN], but was 'FINE'.");
    fixture_close(&f);
}

/* ---- agents beside containers ---- */

static void submit_agents(struct api_fixture *f, const char *arn, const char *agents)
{
    struct str reply = fixture_call(f, "SubmitTaskStateChange", text(f, "{\"task\":\"%s\",\"managedAgents\":[%s]}", arn, agents));
    CHECK_STR("a report is acknowledged", reply, STR("{\"acknowledgment\":\"ACK\"}"));
}

#define AGENT(container, status, more) \
    "{\"containerName\":\"" container "\",\"managedAgentName\":\"ExecuteCommandAgent\",\"status\":\"" status "\"" more "}"

static void test_managed_agents(void)
{
    static const struct { const char *row, *told, *want, *version; } rows[] = {
        { "made",         AGENT("main", "CREATED", ""), "[{\"name\":\"ExecuteCommandAgent\",\"lastStatus\":\"PENDING\"}]", "2" },
        { "it runs",      AGENT("main", "RUNNING", ""), "[{\"lastStartedAt\":1700000002.0,\"name\":\"ExecuteCommandAgent\",\"lastStatus\":\"RUNNING\"}]", "3" },
        { "told again",   AGENT("main", "RUNNING", ""), "[{\"lastStartedAt\":1700000002.0,\"name\":\"ExecuteCommandAgent\",\"lastStatus\":\"RUNNING\"}]", "3" },
        { "it ended",     AGENT("main", "STOPPED", ",\"reason\":\"crash\""),
          "[{\"lastStartedAt\":1700000002.0,\"name\":\"ExecuteCommandAgent\",\"reason\":\"crash\",\"lastStatus\":\"STOPPED\"}]", "4" },
        { "and is back",  AGENT("main", "RUNNING", ""), "[{\"lastStartedAt\":1700000005.0,\"name\":\"ExecuteCommandAgent\",\"lastStatus\":\"RUNNING\"}]", "5" },
        { "of nobody",    AGENT("other", "STOPPED", ""), "[{\"lastStartedAt\":1700000005.0,\"name\":\"ExecuteCommandAgent\",\"lastStatus\":\"RUNNING\"}]", "5" },
    };
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 0);
    define(&f, "f", "", "");
    struct str plain = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\"}");
    CHECK_STR("none where nobody executes commands", str_from(at(&f, plain, "tasks[0].containers[0].managedAgents")), STR("(absent)"));
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"enableExecuteCommand\":true}");
    const char *arn = at(&f, made, "tasks[0].taskArn");
    CHECK_STR("one, of which nothing is known", fixture_at(&f, made, "tasks[0].containers[0].managedAgents"),
              STR("[{\"name\":\"ExecuteCommandAgent\",\"lastStatus\":\"PENDING\"}]"));
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        f.now_ms += 1000;
        submit_agents(&f, arn, rows[r].told);
        struct str task = task_of(&f, arn);
        CHECK_STR(rows[r].row, fixture_at(&f, task, "containers[0].managedAgents"), str_from(rows[r].want));
        CHECK_STR(rows[r].row, fixture_at(&f, task, "lastStatus"), STR("PENDING"));
        CHECK_STR(rows[r].row, fixture_at(&f, task, "version"), str_from(rows[r].version));
    }
    report(&f, arn, "STOPPED", "");
    CHECK_STR("it ends with the task", fixture_at(&f, task_of(&f, arn), "containers[0].managedAgents[0].lastStatus"), STR("STOPPED"));
    struct str stopped = task_of(&f, arn);
    submit_agents(&f, arn, AGENT("main", "RUNNING", ""));
    CHECK_STR("ended", task_of(&f, arn), stopped);

    /* Berth's own agent is the way in by itself, as long as the container runs. */
    static const char attributes[] = "\"attributes\":[";
    const char *body = machine_body(&f, "own", 0, ""), *list = strstr(body, attributes) + sizeof attributes - 1;
    struct str machine = fixture_call(&f, "RegisterContainerInstance", text(&f, "%.*s{\"name\":\"berth.runtime\",\"value\":\"docker\"},%s", (int)(list - body), body, list));
    const char *home = at(&f, machine, "containerInstance.containerInstanceArn");
    machine_presence(&f, id_at(&f, machine, "containerInstance.containerInstanceArn"), true);
    struct str own = fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"f\",\"enableExecuteCommand\":true,\"containerInstances\":[\"%s\"]}", home));
    const char *ours = at(&f, own, "tasks[0].taskArn");
    CHECK_STR("not before it runs", fixture_at(&f, own, "tasks[0].containers[0].managedAgents[0].lastStatus"), STR("PENDING"));
    report(&f, ours, "RUNNING", "{\"containerName\":\"main\",\"status\":\"RUNNING\"}");
    struct str running = task_of(&f, ours);
    CHECK_STR("then", fixture_at(&f, running, "containers[0].managedAgents[0].lastStatus"), STR("RUNNING"));
    CHECK_STR("since then", fixture_at(&f, running, "containers[0].managedAgents[0].lastStartedAt"), fixture_at(&f, running, "startedAt"));
    report(&f, ours, "STOPPED", "{\"containerName\":\"main\",\"status\":\"STOPPED\"}");
    CHECK_STR("until it ends", fixture_at(&f, task_of(&f, ours), "containers[0].managedAgents[0].lastStatus"), STR("STOPPED"));

    struct str quiet = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"enableExecuteCommand\":true}");
    report(&f, at(&f, quiet, "tasks[0].taskArn"), "STOPPED", "");
    CHECK_STR("also where nothing was reported", fixture_at(&f, task_of(&f, at(&f, quiet, "tasks[0].taskArn")), "containers[0].managedAgents"),
              STR("[{\"name\":\"ExecuteCommandAgent\",\"lastStatus\":\"STOPPED\"}]"));
    fixture_close(&f);
}

/* ---- storage ---- */

static void test_storage(void)
{
    static const struct { const char *row, *definition, *request, *want; } rows[] = {
        { "none",              "",                                           "",                                                          "(absent)" },
        { "the definition's",  ",\"ephemeralStorage\":{\"sizeInGiB\":30}", "",                                                          "{\"sizeInGiB\":30}" },
        { "the request's",     ",\"ephemeralStorage\":{\"sizeInGiB\":30}", ",\"overrides\":{\"ephemeralStorage\":{\"sizeInGiB\":40}}", "{\"sizeInGiB\":40}" },
    };
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 0);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        define(&f, "f", "", rows[r].definition);
        struct str made = fixture_call(&f, "RunTask", text(&f, "{\"taskDefinition\":\"f\"%s}", rows[r].request));
        CHECK_STR(rows[r].row, str_from(at(&f, made, "tasks[0].ephemeralStorage")), str_from(rows[r].want));
        CHECK_STR(rows[r].row, task_of(&f, at(&f, made, "tasks[0].taskArn")), fixture_at(&f, made, "tasks[0]"));
    }
    fixture_close(&f);
}

int main(void)
{
    test_machine();
    test_zones_of_many();
    test_health_rule();
    test_health_reports();
    test_managed_agents();
    test_storage();
    return check_report();
}
