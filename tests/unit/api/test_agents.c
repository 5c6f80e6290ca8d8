/* Reports of agents, in order and out of it, and Berth's internal operations. */
#include "wire/wire.h"
#include "tests/unit/api/machines.h"

static const char *run_one(struct api_fixture *f, const char *family)
{
    struct str reply = fixture_call(f, "RunTask", text(f, "{\"taskDefinition\":\"%s\"}", family));
    CHECK_EQ(family, count_at(f, reply, "tasks"), 1);
    return at(f, reply, "tasks[0].taskArn");
}

static struct str task_of(struct api_fixture *f, const char *arn)
{
    return fixture_at(f, fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"],\"include\":[\"TAGS\"]}", arn)), "tasks[0]");
}

static void agents_open(struct api_fixture *f)
{
    cluster_open(f);
    (void)machine_add(f, "a", 2);
    define(f, "f", "", "");
    (void)fixture_call(f, "RegisterTaskDefinition",
                       "{\"family\":\"two\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"i\",\"memory\":64},"
                       "{\"name\":\"side\",\"image\":\"i\",\"memory\":64,\"essential\":false}]}");
}

/* ---- what a report may leave in the store ---- */

static const char *many(struct api_fixture *f, const char *what, size_t count)
{
    struct buf out = buf_in(&f->kept);
    for (size_t i = 0; i < count; i++) { buf_printf(&out, "%s", what); }
    return arena_cstr(&f->kept, buf_str(&out));
}

static const char *bindings(struct api_fixture *f, size_t count)
{
    struct buf out = buf_in(&f->kept);
    for (size_t i = 0; i < count; i++) { buf_printf(&out, "%s{\"bindIP\":\"0.0.0.0\",\"containerPort\":%zu,\"hostPort\":%zu}", i == 0 ? "" : ",", i + 1, i + 1); }
    return arena_cstr(&f->kept, buf_str(&out));
}

static void test_lengths(void)
{
    static const struct { const char *label, *member; size_t sent, kept; } texts[] = {
        { "a container's reason", "reason", 1024, 1024 }, { "cut", "reason", 1025, 1024 }, { "still", "reason", 4096, 1024 },
        { "refused at the door", "reason", 4097, 0 },
        { "its id", "runtimeId", 255, 255 }, { "refused at the door", "runtimeId", 256, 0 },
        { "its digest", "imageDigest", 255, 255 }, { "refused at the door", "imageDigest", 256, 0 },
    };
    struct api_fixture f;
    agents_open(&f);
    for (size_t t = 0; t < COUNT_OF(texts); t++) {
        const char *arn = run_one(&f, "f");
        (void)fixture_call(&f, "SubmitTaskStateChange",
                           text(&f, "{\"task\":\"%s\",\"status\":\"RUNNING\",\"reason\":\"\",\"containers\":["
                                    "{\"containerName\":\"main\",\"status\":\"RUNNING\",\"%s\":\"%s\"}]}",
                                arn, texts[t].member, many(&f, "x", texts[t].sent)));
        CHECK_EQ(texts[t].label, fixture_at(&f, task_of(&f, arn), text(&f, "containers[0].%s", texts[t].member)).len, texts[t].kept);
        report(&f, arn, "STOPPED", "");
    }
    const char *arn = run_one(&f, "f");
    report(&f, arn, "RUNNING", text(&f, "{\"containerName\":\"main\",\"status\":\"RUNNING\",\"networkBindings\":[%s]}", bindings(&f, 100)));
    CHECK_EQ("as many as ECS's agent sends", count_at(&f, task_of(&f, arn), "containers[0].networkBindings"), 100);
    report(&f, arn, "RUNNING", text(&f, "{\"containerName\":\"main\",\"status\":\"RUNNING\",\"networkBindings\":[%s]}", bindings(&f, 101)));
    CHECK_EQ("no more", count_at(&f, task_of(&f, arn), "containers[0].networkBindings"), 100);
    report(&f, arn, "RUNNING", text(&f, "{\"containerName\":\"main\",\"status\":\"RUNNING\",\"networkBindings\":[{\"bindIP\":\"%s\",\"containerPort\":1}]}",
                                    many(&f, "x", 65)));
    CHECK_EQ("an address", fixture_at(&f, task_of(&f, arn), "containers[0].networkBindings[0].bindIP").len, 64);
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"%s\"}", arn, many(&f, "\xC3\xA4", 600)));
    CHECK_EQ("the task's reason, no character broken", fixture_at(&f, task_of(&f, arn), "stoppedReason").len, 1024);
    arn = run_one(&f, "f");
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"x%s\"}", arn, many(&f, "\xC3\xA4", 600)));
    CHECK_EQ("one byte less where it would be", fixture_at(&f, task_of(&f, arn), "stoppedReason").len, 1023);
    fixture_close(&f);
}

/* ---- the usual life ---- */

static void test_life(void)
{
    struct api_fixture f;
    agents_open(&f);
    const char *arn = run_one(&f, "f");
    f.now_ms += 1000;
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"cluster\":\"default\",\"task\":\"%s\",\"status\":\"PENDING\",\"reason\":\"\","
        "\"pullStartedAt\":1700000000.5,\"containers\":[{\"containerName\":\"main\",\"status\":\"PENDING\",\"imageDigest\":\"sha256:1\"}]}", arn));
    struct str task = task_of(&f, arn);
    CHECK_STR("pending still", fixture_at(&f, task, "lastStatus"), STR("PENDING"));
    CHECK_STR("the agent is there", fixture_at(&f, task, "connectivity"), STR("CONNECTED"));
    CHECK_STR("since now", fixture_at(&f, task, "connectivityAt"), STR("1700000001.0"));
    CHECK_STR("it pulls", fixture_at(&f, task, "pullStartedAt"), STR("1700000000.5"));
    CHECK_STR("digest", fixture_at(&f, task, "containers[0].imageDigest"), STR("sha256:1"));
    CHECK_STR("a visible change", fixture_at(&f, task, "version"), STR("2"));

    f.now_ms += 1000;
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"RUNNING\",\"reason\":\"\",\"pullStartedAt\":1,"
        "\"pullStoppedAt\":1700000001.5,\"containers\":[{\"containerName\":\"main\",\"status\":\"RUNNING\",\"runtimeId\":\"abc\","
        "\"networkBindings\":[{\"bindIP\":\"0.0.0.0\",\"containerPort\":80,\"hostPort\":32768,\"protocol\":\"tcp\"}]}]}", arn));
    task = task_of(&f, arn);
    CHECK_STR("running", fixture_at(&f, task, "lastStatus"), STR("RUNNING"));
    CHECK_STR("since the report came", fixture_at(&f, task, "startedAt"), STR("1700000002.0"));
    CHECK_STR("the first time stays", fixture_at(&f, task, "pullStartedAt"), STR("1700000000.5"));
    CHECK_STR("bindings", fixture_at(&f, task, "containers[0].networkBindings[0].hostPort"), STR("32768"));
    CHECK_STR("runtime id", fixture_at(&f, task, "containers[0].runtimeId"), STR("abc"));
    check_world(&f, "running");

    f.now_ms += 1000;
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"\",\"executionStoppedAt\":1700000002,"
        "\"containers\":[{\"containerName\":\"main\",\"status\":\"STOPPED\",\"exitCode\":0}]}", arn));
    task = task_of(&f, arn);
    CHECK_STR("stopped", fixture_at(&f, task, "lastStatus"), STR("STOPPED"));
    CHECK_STR("should be", fixture_at(&f, task, "desiredStatus"), STR("STOPPED"));
    CHECK_STR("since the report came", fixture_at(&f, task, "stoppedAt"), STR("1700000003.0"));
    CHECK_STR("code", fixture_at(&f, task, "stopCode"), STR("EssentialContainerExited"));
    CHECK_STR("reason", fixture_at(&f, task, "stoppedReason"), STR("Essential container in task exited"));
    CHECK_STR("exit code", fixture_at(&f, task, "containers[0].exitCode"), STR("0"));
    CHECK_STR("four changes", fixture_at(&f, task, "version"), STR("4"));
    check_world(&f, "stopped");
    fixture_close(&f);
}

/* ---- a network interface of its own ---- */

static void attach(struct api_fixture *f, const char *arn, const char *status, const char *attachment, const char *address)
{
    (void)fixture_call(f, "SubmitTaskStateChange", text(f, "{\"task\":\"%s\",\"status\":\"%s\",\"attachments\":[{\"attachmentArn\":\"%s\","
        "\"status\":\"ATTACHED\",\"details\":[{\"name\":\"privateIPv4Address\",\"value\":\"%s\"},{\"name\":\"macAddress\",\"value\":\"02:42\"}]}]}",
        arn, status, attachment, address));
    CHECK_EQ(status, f->code, ERR_NONE);
}

static void test_interface(void)
{
    struct api_fixture f;
    agents_open(&f);
    define(&f, "vpc", "", ",\"networkMode\":\"awsvpc\"");
    static const char run[] = "{\"taskDefinition\":\"vpc\",\"networkConfiguration\":{\"awsvpcConfiguration\":{\"subnets\":[\"subnet-a\",\"subnet-b\"],"
        "\"securityGroups\":[\"sg-1\"]}}}";
    struct str reply = fixture_call(&f, "RunTask", run);
    CHECK_STR("an agent that offers none gets none", fixture_at(&f, reply, "failures[0].reason"), STR("ATTRIBUTE"));
    reply = fixture_call(&f, "RegisterContainerInstance", "{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":1024},"
        "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":1024}],\"attributes\":[{\"name\":\"ecs.capability.task-eni\"}]}");
    machine_presence(&f, id_at(&f, reply, "containerInstance.containerInstanceArn"), true);
    reply = fixture_call(&f, "RunTask", run);
    const char *arn = at(&f, reply, "tasks[0].taskArn"), *id = at(&f, reply, "tasks[0].attachments[0].id");
    const char *attachment = text(&f, "arn:aws:ecs:us-east-1:123456789012:attachment/%s", id);
    CHECK_STR("an attachment", fixture_at(&f, reply, "tasks[0].attachments[0].type"), STR("ElasticNetworkInterface"));
    CHECK_STR("not there yet", fixture_at(&f, reply, "tasks[0].attachments[0].status"), STR("PRECREATED"));
    CHECK_STR("the first subnet", fixture_at(&f, reply, "tasks[0].attachments[0].details[0].value"), STR("subnet-a"));
    CHECK_EQ("no more is known", count_at(&f, reply, "tasks[0].attachments[0].details"), 1);
    CHECK_EQ("nor has the container one", count_at(&f, reply, "tasks[0].containers[0].networkInterfaces"), 0);

    attach(&f, arn, "PENDING", "arn:aws:ecs:us-east-1:123456789012:attachment/other", "10.0.0.9");
    CHECK_STR("another's attachment", fixture_at(&f, task_of(&f, arn), "attachments[0].status"), STR("PRECREATED"));
    attach(&f, arn, "", attachment, "10.0.0.5");
    attach(&f, arn, "RUNNING", attachment, "10.0.0.6");
    struct str task = task_of(&f, arn);
    CHECK_STR("attached", fixture_at(&f, task, "attachments[0].status"), STR("ATTACHED"));
    CHECK_STR("its hardware", fixture_at(&f, task, "attachments[0].details[1].value"), STR("02:42"));
    CHECK_STR("its address, which never changes", fixture_at(&f, task, "attachments[0].details[2].value"), STR("10.0.0.5"));
    CHECK_STR("of each container too", fixture_at(&f, task, "containers[0].networkInterfaces[0].privateIpv4Address"), STR("10.0.0.5"));
    CHECK_STR("by the same name", fixture_at(&f, task, "containers[0].networkInterfaces[0].attachmentId"), str_from(id));
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"STOPPED\"}", arn));
    CHECK_STR("its end", fixture_at(&f, task_of(&f, arn), "attachments[0].status"), STR("DELETED"));
    check_world(&f, "stopped");
    fixture_close(&f);
}

/* ---- a reason that no longer holds ---- */

static void test_reason_goes(void)
{
    static const struct { const char *row, *running, *want; } rows[] = {
        { "it runs after all",       "{\"containerName\":\"main\",\"status\":\"RUNNING\"}",                       "" },
        { "an agent that keeps it",  "{\"containerName\":\"main\",\"status\":\"RUNNING\",\"reason\":\"no route\"}", "no route" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        agents_open(&f);
        const char *arn = run_one(&f, "f");
        report(&f, arn, "PENDING", "{\"containerName\":\"main\",\"status\":\"PENDING\",\"reason\":\"no route\"}");
        CHECK_STR(rows[r].row, fixture_at(&f, task_of(&f, arn), "containers[0].reason"), STR("no route"));
        report(&f, arn, "RUNNING", rows[r].running);
        CHECK_STR(rows[r].row, fixture_at(&f, task_of(&f, arn), "containers[0].reason"), str_from(rows[r].want));
        check_world(&f, rows[r].row);
        fixture_close(&f);
    }
}

/* ---- late, twice, out of order ---- */

static void test_old_reports(void)
{
    struct api_fixture f;
    agents_open(&f);
    const char *arn = run_one(&f, "f");
    report(&f, arn, "RUNNING", "{\"containerName\":\"main\",\"status\":\"RUNNING\",\"runtimeId\":\"abc\"}");
    struct str before = task_of(&f, arn);
    static const struct { const char *row, *status, *containers; } rows[] = {
        { "the same again",           "RUNNING", "{\"containerName\":\"main\",\"status\":\"RUNNING\",\"runtimeId\":\"abc\"}" },
        { "an earlier one",           "PENDING", "{\"containerName\":\"main\",\"status\":\"PENDING\",\"reason\":\"late\"}" },
        { "of a container not there", "RUNNING", "{\"containerName\":\"other\",\"status\":\"STOPPED\",\"exitCode\":1}" },
        { "of no container",          "RUNNING", "{\"status\":\"STOPPED\"}" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        report(&f, arn, rows[r].status, rows[r].containers);
        CHECK_STR(rows[r].row, task_of(&f, arn), before);
    }
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"attachments\":[{\"attachmentArn\":\"x\",\"status\":\"ATTACHED\"}]}", arn));
    CHECK_EQ("attachments only", f.code, ERR_NONE);
    CHECK_STR("change nothing", task_of(&f, arn), before);

    report(&f, arn, "STOPPED", "{\"containerName\":\"main\",\"status\":\"STOPPED\",\"exitCode\":3}");
    struct str stopped = task_of(&f, arn);
    report(&f, arn, "RUNNING", "{\"containerName\":\"main\",\"status\":\"RUNNING\"}");
    report(&f, arn, "STOPPED", "{\"containerName\":\"main\",\"status\":\"STOPPED\",\"exitCode\":4}");
    (void)fixture_call(&f, "SubmitContainerStateChange", text(&f, "{\"task\":\"%s\",\"containerName\":\"main\",\"status\":\"STOPPED\",\"exitCode\":5}", arn));
    CHECK_STR("STOPPED is final", task_of(&f, arn), stopped);

    static const struct { const char *row, *body, *want; } refused[] = {
        { "unknown task",    "{\"task\":\"" NOBODY "\",\"status\":\"RUNNING\"}", "InvalidParameterException: The referenced task was not found." },
        { "unknown cluster", "{\"cluster\":\"none\",\"task\":\"" NOBODY "\",\"status\":\"RUNNING\"}",
          "InvalidParameterException: The referenced task was not found." },
        { "another cluster's", "{\"task\":\"arn:aws:ecs:us-east-1:123456789012:task/other/" NOBODY "\",\"status\":\"RUNNING\"}",
          "InvalidParameterException: Invalid identifier: Identifier is for cluster other. Your cluster is default" },
    };
    for (size_t r = 0; r < COUNT_OF(refused); r++) {
        fixture_check(&f, refused[r].row, "SubmitTaskStateChange", refused[r].body, refused[r].want);
        fixture_check(&f, refused[r].row, "SubmitContainerStateChange", refused[r].body, refused[r].want);
    }
    check_world(&f, "old reports");
    fixture_close(&f);
}

/* ---- why it stopped ---- */

static void test_causes(void)
{
    static const struct { const char *row; bool ran, ordered; const char *reason, *container, *code, *want; } rows[] = {
        { "an ordinary end", true, false, "", "\"exitCode\":1", "EssentialContainerExited", "Essential container in task exited" },
        { "a quick one that was never seen running", false, false, "", "\"exitCode\":0", "EssentialContainerExited", "Essential container in task exited" },
        { "no image", false, false, "", "\"reason\":\"CannotPullContainerError: no such image\"", "TaskFailedToStart", "Task failed to start" },
        { "no image, but a local copy ran", false, false, "", "\"exitCode\":0,\"reason\":\"CannotPullContainerError: x\"", "EssentialContainerExited",
          "Essential container in task exited" },
        { "a dependency failed", false, false, "", "\"exitCode\":143,\"reason\":\"CannotStartContainerError: dependency graph: x\"", "TaskFailedToStart",
          "Task failed to start" },
        { "an order", true, true, "", "\"exitCode\":137", "UserInitiated", "Task stopped by user" },
        { "an order before it began", false, true, "", "\"reason\":\"TaskStoppedBeforePullBeginError: x\"", "UserInitiated", "Task stopped by user" },
        { "the agent's own reason", false, false, "CgroupError: no", "\"reason\":\"\"", "TaskFailedToStart", "CgroupError: no" },
        { "the agent's reason after an order", true, true, "TaskStateError: no", "\"exitCode\":1", "UserInitiated", "TaskStateError: no" },
        { "the agent's reason at the end", true, false, "TaskStateError: no", "\"exitCode\":1", "EssentialContainerExited", "TaskStateError: no" },
    };
    struct api_fixture f;
    agents_open(&f);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const char *arn = run_one(&f, "f");
        if (rows[r].ran) { report(&f, arn, "RUNNING", "{\"containerName\":\"main\",\"status\":\"RUNNING\"}"); }
        if (rows[r].ordered) { (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", arn)); }
        (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"%s\","
            "\"containers\":[{\"containerName\":\"main\",\"status\":\"STOPPED\",%s}]}",
                                                             arn, rows[r].reason, rows[r].container));
        struct str task = task_of(&f, arn);
        CHECK_STR(rows[r].row, fixture_at(&f, task, "stopCode"), str_from(rows[r].code));
        CHECK_STR(rows[r].row, fixture_at(&f, task, "stoppedReason"), str_from(rows[r].want));
    }
    fixture_close(&f);
}

/* ---- single containers ---- */

static void test_essential(void)
{
    struct api_fixture f;
    agents_open(&f);
    const char *arn = run_one(&f, "two");
    report(&f, arn, "RUNNING", "{\"containerName\":\"main\",\"status\":\"RUNNING\"},{\"containerName\":\"side\",\"status\":\"RUNNING\"}");
    (void)fixture_call(&f, "SubmitContainerStateChange", text(&f, "{\"task\":\"%s\",\"containerName\":\"side\",\"status\":\"STOPPED\",\"exitCode\":0}", arn));
    struct str task = task_of(&f, arn);
    CHECK_STR("a side-car may end", fixture_at(&f, task, "desiredStatus"), STR("RUNNING"));
    CHECK_STR("it is noted", fixture_at(&f, task, "containers[1].lastStatus"), STR("STOPPED"));
    f.now_ms += 500;
    (void)fixture_call(&f, "SubmitContainerStateChange", text(&f, "{\"task\":\"%s\",\"containerName\":\"main\",\"status\":\"STOPPED\",\"exitCode\":2,"
        "\"reason\":\"why\"}", arn));
    CHECK_EQ("the agent gets the order to stop the rest", (int64_t)f.effects.count, 1);
    task = task_of(&f, arn);
    CHECK_STR("the rest is to end", fixture_at(&f, task, "desiredStatus"), STR("STOPPED"));
    CHECK_STR("but runs", fixture_at(&f, task, "lastStatus"), STR("RUNNING"));
    CHECK_STR("why", fixture_at(&f, task, "stopCode"), STR("EssentialContainerExited"));
    CHECK_STR("since", fixture_at(&f, task, "stoppingAt"), STR("1700000000.5"));
    CHECK_STR("what the container said", fixture_at(&f, task, "containers[0].reason"), STR("why"));
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", arn));
    CHECK_STR("an order that comes later changes nothing", fixture_at(&f, task_of(&f, arn), "stopCode"), STR("EssentialContainerExited"));
    check_world(&f, "stopping holds on");
    report(&f, arn, "STOPPED", "");
    CHECK_STR("the end", fixture_at(&f, task_of(&f, arn), "stoppedReason"), STR("Essential container in task exited"));
    check_world(&f, "the end");
    fixture_close(&f);
}

/* Docker knows of no bindings on the host's network. */
static void test_host_bindings(void)
{
    struct api_fixture f;
    agents_open(&f);
    define(&f, "host", ",\"portMappings\":[{\"containerPort\":8080},{\"containerPort\":53,\"protocol\":\"udp\"}]", ",\"networkMode\":\"host\"");
    const char *arn = run_one(&f, "host");
    report(&f, arn, "RUNNING", "{\"containerName\":\"main\",\"status\":\"RUNNING\"}");
    CHECK_STR("made from the definition", fixture_at(&f, task_of(&f, arn), "containers[0].networkBindings"),
              STR("[{\"bindIP\":\"0.0.0.0\",\"containerPort\":8080,\"hostPort\":8080,\"protocol\":\"tcp\"},"
                  "{\"bindIP\":\"0.0.0.0\",\"containerPort\":53,\"hostPort\":53,\"protocol\":\"udp\"}]"));
    arn = run_one(&f, "f");
    report(&f, arn, "RUNNING", "{\"containerName\":\"main\",\"status\":\"RUNNING\"}");
    CHECK_STR("none in bridge mode", fixture_at(&f, task_of(&f, arn), "containers[0].networkBindings"), STR("[]"));
    fixture_close(&f);
}

/* ---- many reports in one call ---- */

/* The result of each, in the words of the errors; "OK" when it was taken. The error when that is so of all. */
static struct str report_list(struct api_fixture *f, struct str body)
{
    struct arena arena = { 0 };
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    struct api_call call = { 0 };
    struct err err = { 0 };
    struct buf out = buf_in(&f->kept);
    bool good = api_prepare_reports(body, &arena, &call, &err) && fixture_run(f, &call, &arena, &err);
    size_t count = 0;
    const struct err *const *refusals = good ? api_report_refusals(&call, &count) : NULL;
    for (size_t r = 0; r < count; r++) { buf_printf(&out, "%s%s", r == 0 ? "" : "; ", refusals[r] == NULL ? "OK" : refusals[r]->message); }
    if (!good) { buf_printf(&out, "%s: %s", err_wire_name(err.code), err.message); }
    arena_finish(&arena);
    return buf_str(&out);
}

static void test_report_list(void)
{
    struct api_fixture f;
    agents_open(&f);
    const char *a = run_one(&f, "f"), *b = run_one(&f, "f");
    const char *body = text(&f, "{\"reports\":[{\"task\":\"%s\",\"status\":\"RUNNING\"},{\"task\":\"" NOBODY "\",\"status\":\"RUNNING\"},{\"task\":7},"
                            "{\"task\":\"%s\",\"status\":\"RUNNING\"},{\"task\":\"%s\",\"status\":\"STOPPED\"}]}", a, b, b);
    static const char want[] = "OK; The referenced task was not found.; NUMBER_VALUE can not be converted to a String (member task); OK; OK";
    CHECK_STR("one that is refused refuses no other", report_list(&f, str_from(body)), str_from(want));
    CHECK_STR("runs", fixture_at(&f, task_of(&f, a), "lastStatus"), STR("RUNNING"));
    struct str ended = task_of(&f, b);
    CHECK_STR("in their order", fixture_at(&f, ended, "lastStatus"), STR("STOPPED"));
    f.now_ms += 1000;
    CHECK_STR("told again", report_list(&f, str_from(body)), str_from(want));
    CHECK_STR("changes nothing", task_of(&f, b), ended);
    check_world(&f, "reports in one call");

    static const struct { const char *row, *body, *want; } rows[] = {
        { "no JSON",  "{",                  "SerializationException: Line 1: the document ends too early." },
        { "no list",  "{}",                 "InvalidParameterException: reports must be a list." },
        { "no array", "{\"reports\":{}}",   "InvalidParameterException: reports must be a list." },
        { "none",     "{\"reports\":[]}",   "InvalidParameterException: reports must have 1 to 256 items." },
        { "not objects", "{\"reports\":[1,null]}", "" },
    };
    for (size_t r = 0; r + 1 < COUNT_OF(rows); r++) { CHECK_STR(rows[r].row, report_list(&f, str_from(rows[r].body)), str_from(rows[r].want)); }
    struct str odd = report_list(&f, str_from(rows[COUNT_OF(rows) - 1].body));
    CHECK("each is refused by itself", !str_contains(odd, STR("OK")) && str_contains(odd, STR("; ")));
    for (size_t count = WIRE_REPORTS_MAX; count <= WIRE_REPORTS_MAX + 1; count++) {
        struct buf many = buf_in(&f.kept);
        buf_put(&many, STR("{\"reports\":["));
        for (size_t r = 0; r < count; r++) { buf_printf(&many, "%s{\"task\":\"%s\",\"status\":\"RUNNING\"}", r == 0 ? "" : ",", a); }
        buf_put(&many, STR("]}"));
        struct str got = report_list(&f, buf_str(&many));
        CHECK_EQ("as many as may be, and one more", str_starts_with(got, STR("OK; OK")), count == WIRE_REPORTS_MAX);
    }
    fixture_close(&f);
}

static void test_limits(void)
{
    static const struct { const char *row, *member; int len; enum err_code code; } rows[] = {
        { "a runtime id of 255", "runtimeId", 255,  ERR_NONE },
        { "a runtime id of 256", "runtimeId", 256,  ERR_INVALID_PARAMETER },
        { "a reason of 4096",    "reason",    4096, ERR_NONE },
        { "a reason of 4097",    "reason",    4097, ERR_INVALID_PARAMETER },
    };
    struct api_fixture f;
    agents_open(&f);
    const char *arn = run_one(&f, "f");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char word[4098] = { 0 };
        memset(word, 'x', (size_t)rows[r].len);
        (void)fixture_call(&f, "SubmitContainerStateChange", text(&f, "{\"task\":\"%s\",\"containerName\":\"main\",\"status\":\"RUNNING\","
            "\"%s\":\"%s\"}", arn, rows[r].member, word));
        CHECK_EQ(rows[r].row, f.code, rows[r].code);
    }
    fixture_close(&f);
}

/* ---- where agents connect, and who may ask ---- */

static void test_discover(void)
{
    struct api_fixture f;
    cluster_open(&f);
    static const char want[] = "{\"endpoint\":\"http://127.0.0.1:9280/acs/\",\"telemetryEndpoint\":\"http://127.0.0.1:9280/tcs/\","
                               "\"serviceConnectEndpoint\":\"http://127.0.0.1:9280/sc/\"}";
    fixture_check(&f, "two bases that differ", "DiscoverPollEndpoint", "{\"zoneId\":\"z\"}", want);
    f.config.endpoint = STR("http://127.0.0.1:9280/");
    fixture_check(&f, "one slash is enough", "DiscoverPollEndpoint", "{}", want);
    f.caller.role = ACCESS_VIEWER;
    (void)fixture_call(&f, "DiscoverPollEndpoint", "{}");
    CHECK_EQ("viewers are not agents", f.code, ERR_ACCESS_DENIED);
    (void)fixture_call(&f, "SubmitTaskStateChange", "{}");
    CHECK_EQ("viewers report nothing", f.code, ERR_ACCESS_DENIED);
    f.caller.role = ACCESS_AGENT;
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\"}");
    CHECK_EQ("agents run nothing", f.code, ERR_ACCESS_DENIED);
    f.caller.role = ACCESS_ADMIN;
    fixture_close(&f);
}

/* ---- presence and expiry ---- */

static void test_presence(void)
{
    struct api_fixture f;
    agents_open(&f);
    const char *arn = run_one(&f, "f");
    struct str shown = fixture_call(&f, "ListContainerInstances", "{}");
    struct id machine = id_at(&f, shown, "containerInstanceArns[0]");
    const char *body = text(&f, "{\"containerInstances\":[\"%s\"]}", at(&f, shown, "containerInstanceArns[0]"));
    f.now_ms += 1000;
    machine_presence(&f, machine, false);
    struct str gone = fixture_call(&f, "DescribeContainerInstances", body);
    CHECK_STR("the agent is gone", fixture_at(&f, gone, "containerInstances[0].agentConnected"), STR("false"));
    CHECK_STR("came, connected, got a task, left", fixture_at(&f, gone, "containerInstances[0].version"), STR("4"));
    CHECK_STR("its task is out of touch", fixture_at(&f, task_of(&f, arn), "connectivity"), STR("DISCONNECTED"));
    machine_presence(&f, machine, false);
    CHECK_STR("told twice", fixture_call(&f, "DescribeContainerInstances", body), gone);
    f.now_ms += 1000;
    machine_presence(&f, machine, true);
    struct str task = task_of(&f, arn);
    CHECK_STR("back in touch", fixture_at(&f, task, "connectivity"), STR("CONNECTED"));
    CHECK_STR("since then", fixture_at(&f, task, "connectivityAt"), STR("1700000002.0"));
    machine_presence(&f, (struct id){ { 1 } }, true);
    check_world(&f, "presence");
    fixture_close(&f);
}

static void test_expire(void)
{
    struct api_fixture f;
    agents_open(&f);
    const char *first = run_one(&f, "f"), *second = run_one(&f, "f"), *live = run_one(&f, "f");
    report(&f, first, "STOPPED", "");
    f.now_ms += 10;
    report(&f, second, "STOPPED", "");
    f.now_ms = FIXTURE_START_MS + f.config.stopped_task_keep_ms;
    expire(&f, 100);
    CHECK("an hour is kept", str_is_set(task_of(&f, first)));
    f.now_ms += 1;
    expire(&f, 0);
    CHECK("none at most", str_is_set(task_of(&f, first)));
    expire(&f, 100);
    CHECK("past its keep", !str_is_set(task_of(&f, first)));
    CHECK("not yet", str_is_set(task_of(&f, second)));
    f.now_ms += 3600000;
    CHECK("as many as might: there may be more", expire(&f, 1));
    CHECK("but there are not", !expire(&f, 1));
    CHECK("now it is", !str_is_set(task_of(&f, second)));
    CHECK("what lives stays", str_is_set(task_of(&f, live)));
    fixture_check(&f, "a report of a forgotten task", "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"STOPPED\"}", first),
                  "InvalidParameterException: The referenced task was not found.");
    check_world(&f, "expired");
    fixture_close(&f);
}

int main(void)
{
    test_lengths();
    test_life();
    test_interface();
    test_reason_goes();
    test_old_reports();
    test_causes();
    test_essential();
    test_host_bindings();
    test_report_list();
    test_limits();
    test_discover();
    test_presence();
    test_expire();
    return check_report();
}
