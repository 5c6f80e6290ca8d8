/* Requests from outside about single tasks and machines: protection, commands, updates of agents, attachments; and the
 * earlier call that a conflict names. */
#include "tests/unit/api/machines.h"

#define MISSING_TASK ARN_OF("task") NOBODY

/* The id of a task that runs on a machine. */
static const char *run(struct api_fixture *f, const char *family, const char *more)
{
    struct str reply = fixture_call(f, "RunTask", text(f, "{\"taskDefinition\":\"%s\"%s}", family, more));
    CHECK_EQ(family, f->code, ERR_NONE);
    const char *arn = at(f, reply, "tasks[0].taskArn");
    report(f, arn, "RUNNING", "");
    return arn;
}

static void test_protection(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 0);
    define(&f, "f", "", "");
    const char *arn = run(&f, "f", "");
    const char *failures = text(&f, "{\"protectedTasks\":[],\"failures\":[{\"arn\":\"%s\",\"reason\":\"TASK_NOT_VALID\",\"detail\":\"The task is not "
                                "part of a service: only tasks of services can be protected.\"},{\"arn\":\"" MISSING_TASK "\",\"reason\":\"MISSING\"}]}", arn);
    fixture_check(&f, "get", "GetTaskProtection", text(&f, "{\"cluster\":\"default\",\"tasks\":[\"%s\",\"" NOBODY "\",\"%s\"]}", arn, arn), failures);
    fixture_check(&f, "update", "UpdateTaskProtection",
                  text(&f, "{\"cluster\":\"default\",\"protectionEnabled\":true,\"tasks\":[\"%s\",\"" NOBODY "\"]}", arn), failures);
    fixture_check(&f, "none asked for", "GetTaskProtection", "{\"cluster\":\"default\"}", "InvalidParameterException: Tasks cannot be empty.");
    fixture_close(&f);
}

/* ["…0","…1", …]: ids of nobody. */
static const char *nobodies(struct api_fixture *f, int count)
{
    struct buf out = buf_in(&f->kept);
    for (int t = 0; t < count; t++) { buf_printf(&out, "%s\"%032x\"", t == 0 ? "" : ",", t + 1); }
    return arena_cstr(&f->kept, buf_str(&out));
}

static void test_protection_refusals(void)
{
    struct api_fixture f;
    cluster_open(&f);
    const struct { const char *row, *operation, *body; enum err_code want; } rows[] = {
        { "get: no cluster named",    "GetTaskProtection", "{}", ERR_INVALID_PARAMETER },
        { "get: no such cluster",     "GetTaskProtection", "{\"cluster\":\"none\"}", ERR_CLUSTER_NOT_FOUND },
        { "get: no id",               "GetTaskProtection", "{\"cluster\":\"default\",\"tasks\":[\"a:b\"]}", ERR_INVALID_PARAMETER },
        { "get: a hundred",           "GetTaskProtection", text(&f, "{\"cluster\":\"default\",\"tasks\":[%s]}", nobodies(&f, 100)), ERR_NONE },
        { "get: a hundred and one",   "GetTaskProtection", text(&f, "{\"cluster\":\"default\",\"tasks\":[%s]}", nobodies(&f, 101)), ERR_INVALID_PARAMETER },
        { "update: no tasks",         "UpdateTaskProtection", "{\"cluster\":\"default\",\"protectionEnabled\":true}", ERR_INVALID_PARAMETER },
        { "update: an empty list",    "UpdateTaskProtection", "{\"cluster\":\"default\",\"protectionEnabled\":true,\"tasks\":[]}", ERR_INVALID_PARAMETER },
        { "update: on or off",        "UpdateTaskProtection", "{\"cluster\":\"default\",\"tasks\":[\"" NOBODY "\"]}", ERR_INVALID_PARAMETER },
        { "update: ten",              "UpdateTaskProtection", text(&f, "{\"cluster\":\"default\",\"protectionEnabled\":false,\"tasks\":[%s]}", nobodies(&f, 10)), ERR_NONE },
        { "update: eleven",           "UpdateTaskProtection", text(&f, "{\"cluster\":\"default\",\"protectionEnabled\":false,\"tasks\":[%s]}", nobodies(&f, 11)), ERR_INVALID_PARAMETER },
        { "update: no time",          "UpdateTaskProtection", "{\"cluster\":\"default\",\"protectionEnabled\":true,\"tasks\":[\"" NOBODY "\"],\"expiresInMinutes\":0}", ERR_INVALID_PARAMETER },
        { "update: a minute",         "UpdateTaskProtection", "{\"cluster\":\"default\",\"protectionEnabled\":true,\"tasks\":[\"" NOBODY "\"],\"expiresInMinutes\":1}", ERR_NONE },
        { "update: two days",         "UpdateTaskProtection", "{\"cluster\":\"default\",\"protectionEnabled\":true,\"tasks\":[\"" NOBODY "\"],\"expiresInMinutes\":2880}", ERR_NONE },
        { "update: longer",           "UpdateTaskProtection", "{\"cluster\":\"default\",\"protectionEnabled\":true,\"tasks\":[\"" NOBODY "\"],\"expiresInMinutes\":2881}", ERR_INVALID_PARAMETER },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        (void)fixture_call(&f, rows[r].operation, rows[r].body);
        CHECK_EQ(rows[r].row, f.code, rows[r].want);
    }
    fixture_close(&f);
}

/* ---- ExecuteCommand ---- */

#define EXECUTE(task, more) "{\"task\":\"" task "\",\"command\":\"ls\",\"interactive\":true" more "}"
#define NOT_ENABLED \
    "InvalidParameterException: The execute command failed because execute command was not enabled when the task was run or the execute " \
    "command agent isn't running. Wait and try again or run a new task with execute command enabled and try again."
/* The answer without a session: that is the server's to add. */
static const char *answer(struct api_fixture *f, const char *task, int index, const char *name)
{
    struct str reply = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", task));
    const char *container = at(f, reply, text(f, "tasks[0].containers[%d].containerArn", index));
    return text(f, "{\"clusterArn\":\"arn:aws:ecs:us-east-1:123456789012:cluster/default\",\"containerArn\":\"%s\",\"containerName\":\"%s\","
                "\"interactive\":true,\"taskArn\":\"%s\"}", container, name, task);
}

static void test_execute(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 0);
    define(&f, "f", "", "");
    (void)fixture_call(&f, "RegisterTaskDefinition", "{\"family\":\"two\",\"containerDefinitions\":[{\"name\":\"a\",\"image\":\"i\",\"memory\":8},"
                       "{\"name\":\"b\",\"image\":\"i\",\"memory\":8}]}");
    const char *off = run(&f, "f", ""), *on = run(&f, "f", ",\"enableExecuteCommand\":true"), *two = run(&f, "two", ",\"enableExecuteCommand\":true");
    struct str reply = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"enableExecuteCommand\":true}");
    const char *pending = at(&f, reply, "tasks[0].taskArn");
    const struct { const char *row, *body, *want; } rows[] = {
        { "no such cluster",     EXECUTE(NOBODY, ",\"cluster\":\"none\""), "ClusterNotFoundException: Cluster not found." },
        { "no task named",       "{\"command\":\"ls\",\"interactive\":true}", "InvalidParameterException: task can not be blank." },
        { "no command",          "{\"task\":\"" NOBODY "\",\"interactive\":true}", "InvalidParameterException: command can not be blank." },
        { "an empty command",    "{\"task\":\"" NOBODY "\",\"command\":\"\",\"interactive\":true}", "InvalidParameterException: command can not be blank." },
        { "not interactive",     "{\"task\":\"" NOBODY "\",\"command\":\"ls\",\"interactive\":false}",
          "InvalidParameterException: Interactive is the only mode supported currently." },
        { "no such task",        EXECUTE(NOBODY, ""), "InvalidParameterException: The referenced task was not found." },
        { "which of two",        text(&f, "{\"task\":\"%s\",\"command\":\"ls\",\"interactive\":true}", two),
          "InvalidParameterException: The task has 2 containers: container must say in which one the command is to run." },
        { "neither of two",      text(&f, "{\"task\":\"%s\",\"command\":\"ls\",\"interactive\":true,\"container\":\"c\"}", two),
          "InvalidParameterException: The task has no container named c." },
        { "one of two",          text(&f, "{\"task\":\"%s\",\"command\":\"ls\",\"interactive\":true,\"container\":\"b\"}", two), answer(&f, two, 1, "b") },
        { "not enabled",         text(&f, "{\"task\":\"%s\",\"command\":\"ls\",\"interactive\":true}", off), NOT_ENABLED },
        { "not running yet",     text(&f, "{\"task\":\"%s\",\"command\":\"ls\",\"interactive\":true}", pending), NOT_ENABLED },
        { "enabled",             text(&f, "{\"task\":\"%s\",\"command\":\"ls\",\"interactive\":true}", on), answer(&f, on, 0, "main") },
        { "enabled, by name",    text(&f, "{\"task\":\"%s\",\"command\":\"ls\",\"interactive\":true,\"container\":\"main\"}", on), answer(&f, on, 0, "main") },
        { "blanks alone",        text(&f, "{\"task\":\"%s\",\"command\":\" \",\"interactive\":true}", on), "InvalidParameterException: command can not be blank." },
        { "an open quote",       text(&f, "{\"task\":\"%s\",\"command\":\"sh -c 'ls\",\"interactive\":true}", on),
          "InvalidParameterException: The command has a quote that is not closed." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { fixture_check(&f, rows[r].row, "ExecuteCommand", rows[r].body, rows[r].want); }
    report(&f, on, "STOPPED", "");
    fixture_check(&f, "stopped", "ExecuteCommand", text(&f, "{\"task\":\"%s\",\"command\":\"ls\",\"interactive\":true}", on), NOT_ENABLED);
    fixture_close(&f);
}

/* ---- UpdateContainerAgent ---- */

static void test_update_agent(void)
{
    struct api_fixture f;
    cluster_open(&f);
    char hex[ID_HEX_LEN + 1];
    struct id id = machine_add(&f, "a", 0);
    id_hex(id, hex);
    const char *body = text(&f, "{\"containerInstance\":\"%s\"}", hex);
    fixture_check(&f, "no such cluster", "UpdateContainerAgent", "{\"cluster\":\"none\",\"containerInstance\":\"" NOBODY "\"}",
                  "ClusterNotFoundException: Cluster not found.");
    fixture_check(&f, "no such machine", "UpdateContainerAgent", "{\"containerInstance\":\"" NOBODY "\"}",
                  "InvalidParameterException: The referenced container instance was not found.");
    fixture_check(&f, "an agent that is there", "UpdateContainerAgent", body,
                  "NoUpdateAvailableException: There is no update available for your container agent, version 0.1.0.");
    machine_presence(&f, id, false);
    fixture_check(&f, "an agent that is not", "UpdateContainerAgent", body,
                  "ClientException: The container agent is not connected, so that it can't be updated.");
    struct str reply = fixture_call(&f, "RegisterContainerInstance", "{}");
    machine_presence(&f, id_at(&f, reply, "containerInstance.containerInstanceArn"), true);
    fixture_check(&f, "an agent of no known version", "UpdateContainerAgent",
                  text(&f, "{\"containerInstance\":\"%s\"}", at(&f, reply, "containerInstance.containerInstanceArn")),
                  "MissingVersionException: The version of the container agent is not known, so that no update can be chosen.");
    (void)fixture_call(&f, "DeregisterContainerInstance", body);
    fixture_check(&f, "a machine that left", "UpdateContainerAgent", body,
                  "InvalidParameterException: The referenced container instance was not found.");
    fixture_close(&f);
}

/* ---- SubmitAttachmentStateChanges ---- */

static void test_attachments(void)
{
    struct api_fixture f;
    cluster_open(&f);
    f.caller.role = ACCESS_AGENT;
    fixture_check(&f, "nothing to say", "SubmitAttachmentStateChanges", "{\"attachments\":[]}", "{\"acknowledgment\":\"ACK\"}");
    fixture_check(&f, "one that is not known", "SubmitAttachmentStateChanges", "{\"attachments\":[{\"attachmentArn\":\"arn:x\",\"status\":\"ATTACHED\"}]}",
                  "InvalidParameterException: The referenced attachment was not found: arn:x");
    fixture_check(&f, "no such cluster", "SubmitAttachmentStateChanges", "{\"cluster\":\"none\",\"attachments\":[]}",
                  "ClusterNotFoundException: Cluster not found.");
    fixture_close(&f);
}

/* ---- what a conflict tells ---- */

static void test_conflict(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 0);
    define(&f, "f", "", "");
    struct str reply = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":3,\"clientToken\":\"t\"}");
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"clientToken\":\"u\"}");
    struct arena arena;
    struct api_call call = { 0 };
    struct err err = { 0 };
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    CHECK("a sound request", api_prepare(&f.config, &f.caller, STR("RunTask"), STR("{\"taskDefinition\":\"f\",\"count\":2,\"clientToken\":\"t\"}"), &arena, &call, &err));
    CHECK("is refused", !fixture_run(&f, &call, &arena, &err));
    CHECK_EQ("as a conflict", err.code, ERR_CONFLICT);
    CHECK_EQ("with all tasks of the earlier call", err.resource_id_count, 3);
    for (size_t t = 0; t < err.resource_id_count; t++) {
        CHECK_STR("in order", err.resource_ids[t], fixture_at(&f, reply, text(&f, "tasks[%zu].taskArn", t)));
    }
    arena_finish(&arena);
    fixture_close(&f);
}

int main(void)
{
    test_protection();
    test_protection_refusals();
    test_execute();
    test_update_agent();
    test_attachments();
    test_conflict();
    return check_report();
}
