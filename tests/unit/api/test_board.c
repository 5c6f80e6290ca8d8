/* The board: what the page reads, whole and as changes. */
#include "tests/unit/api/kept_services.h"
#include "tests/unit/api/traffic.h"

static struct str board(struct api_fixture *f)
{
    struct store_txn *txn = store_read_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, &f->kept, OP_READ);
    struct buf out = buf_in(&f->kept);
    api_print_board(&ctx, &out);
    CHECK("the read is sound", store_read_end(txn));
    return buf_str(&out);
}

/* The absent string when the feed does not reach. */
static struct str changes(struct api_fixture *f, int64_t revision)
{
    struct store_txn *txn = store_read_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, &f->kept, OP_READ);
    struct buf out = buf_in(&f->kept);
    bool reached = api_print_board_changes(&ctx, revision, &out);
    CHECK("the read is sound", store_read_end(txn));
    return reached ? buf_str(&out) : (struct str){ 0 };
}

static int64_t revision_of(struct api_fixture *f, struct str reply)
{
    int64_t revision = -1;
    (void)str_to_i64(fixture_at(f, reply, "revision"), &revision);
    return revision;
}

static void test_board(void)
{
    struct api_fixture f;
    fixture_open(&f);
    CHECK_STR("nothing", fixture_at(&f, board(&f), "instances"), STR("[]"));
    (void)fixture_call(&f, "CreateCluster", "{}");
    (void)machine_add(&f, "node-a", 2);
    define(&f, "train", GPUS("1"), "");
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\",\"startedBy\":\"me\"}");
    struct str shown = board(&f);
    struct str id = fixture_at(&f, shown, "tasks[0].id");
    const struct { const char *path, *want; } rows[] = {
        { "clusters", "[{\"name\":\"default\",\"arn\":\"arn:aws:ecs:us-east-1:123456789012:cluster/default\",\"status\":\"ACTIVE\",\"instances\":1,"
                      "\"running\":0,\"pending\":1,\"live\":1}]" },
        { "instances[0].arn", at(&f, made, "tasks[0].containerInstanceArn") },
        { "instances[0].cluster", "default" },
        { "instances[0].name", "node-a" },
        { "instances[0].type", "p3.8xlarge" },
        { "instances[0].status", "ACTIVE" },
        { "instances[0].connected", "true" },
        { "instances[0].simulated", "false" },
        { "instances[0].cpu", "4096" }, { "instances[0].cpuFree", "4096" },
        { "instances[0].memory", "8192" }, { "instances[0].memoryFree", "8064" },
        { "instances[0].running", "0" }, { "instances[0].pending", "1" },
        { "instances[0].agentVersion", "0.1.0" },
        { "instances[0].changed", "1700000000000" },
        { "instances[0].gpus[0].model", "V100" },
        { "instances[0].gpus[0].memory", "16384" },
        { "instances[0].gpus[1].uuid", "GPU-node-a-1" },
        { "instancesTotal", "1" },
        { "tasks[0].arn", at(&f, made, "tasks[0].taskArn") },
        { "tasks[0].family", "train:1" },
        { "tasks[0].group", "family:train" },
        { "tasks[0].startedBy", "me" },
        { "tasks[0].lastStatus", "PENDING" }, { "tasks[0].desiredStatus", "RUNNING" },
        { "tasks[0].instance", at(&f, shown, "instances[0].id") },
        { "tasks[0].gpus", "1" }, { "tasks[0].cpu", "0" }, { "tasks[0].memory", "128" },
        { "tasks[0].created", "1700000000000" },
        { "tasks[0].started", "null" }, { "tasks[0].stopped", "null" },
        { "tasks[0].stopCode", "null" }, { "tasks[0].reason", "null" },
        { "tasks[0].gang", "null" },
        { "tasks[0].containers[0].name", "main" },
        { "tasks[0].containers[0].status", "PENDING" },
        { "tasks[0].containers[0].exitCode", "null" },
        { "tasks[0].containers[0].gpuShare", "1" },
        { "tasks[0].containers[0].gpuIds", text(&f, "[\"%s\"]", at(&f, made, "tasks[0].containers[0].gpuIds[0]")) },
        { "liveTotal", "1" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_STR(rows[r].path, str_from(at(&f, shown, rows[r].path)), str_from(rows[r].want)); }

    bool first = str_ends_with(fixture_at(&f, made, "tasks[0].containers[0].gpuIds[0]"), STR("-0"));
    CHECK_STR("who holds it", fixture_at(&f, shown, text(&f, "instances[0].gpus[%d].holders[0].task", first ? 0 : 1)), id);
    CHECK_STR("which container", fixture_at(&f, shown, text(&f, "instances[0].gpus[%d].holders[0].container", first ? 0 : 1)), STR("main"));
    CHECK_STR("nobody holds the other", fixture_at(&f, shown, text(&f, "instances[0].gpus[%d].holders", first ? 1 : 0)), STR("[]"));
    fixture_close(&f);
}

static void test_shared_gpu(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "node-a", 2);
    define(&f, "half", GPUS("0.5"), "");
    define(&f, "quarter", GPUS("0.25"), "");
    struct str half = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"half\"}"), quarter = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"quarter\"}");
    struct str shown = board(&f);
    CHECK_STR("the part of it in use", fixture_at(&f, shown, "instances[0].gpus[0].used"), STR("0.75"));
    CHECK_STR("by whom", fixture_at(&f, shown, "instances[0].gpus[0].holders"),
              str_from(text(&f, "[{\"task\":\"%.32s\",\"container\":\"main\",\"share\":0.5},{\"task\":\"%.32s\",\"container\":\"main\",\"share\":0.25}]",
                            strrchr(at(&f, half, "tasks[0].taskArn"), '/') + 1, strrchr(at(&f, quarter, "tasks[0].taskArn"), '/') + 1)));
    CHECK_STR("no partition", fixture_at(&f, shown, "instances[0].gpus[0].profile"), STR("null"));
    CHECK_STR("the other is free", fixture_at(&f, shown, "instances[0].gpus[1].used"), STR("0"));
    CHECK_STR("of a task", fixture_at(&f, shown, "tasks[0].gpus"), STR("0.25"));
    CHECK_STR("of a container", fixture_at(&f, shown, "tasks[0].containers[0].gpuShare"), STR("0.25"));
    fixture_close(&f);
}

static void test_gang(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "node-a", 2);
    define(&f, "one", GPUS("1"), "");
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\",\"count\":2,\"tags\":[{\"key\":\"berth:gang\",\"value\":\"true\"}]}");
    const char *first = strrchr(at(&f, made, "tasks[0].taskArn"), '/') + 1;
    struct str shown = board(&f);
    for (size_t t = 0; t < 2; t++) { CHECK_STR("named by its first task", fixture_at(&f, shown, text(&f, "tasks[%zu].gang", t)), str_from(first)); }
    fixture_close(&f);
}

static void test_names(void)
{
    static const struct { const char *row, *body, *want, *simulated; } rows[] = {
        { "its own name", "{\"attributes\":[{\"name\":\"berth.name\",\"value\":\"n\"},{\"name\":\"berth.simulated\",\"value\":\"true\"}]}", "n", "true" },
        { "its EC2 id",   "{\"instanceIdentityDocument\":\"{\\\"instanceId\\\":\\\"i-7\\\"}\"}", "i-7", "false" },
        { "a short id",   "{}", "", "false" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        cluster_open(&f);
        (void)fixture_call(&f, "RegisterContainerInstance", rows[r].body);
        struct str shown = board(&f), name = fixture_at(&f, shown, "instances[0].name");
        struct str want = rows[r].want[0] != '\0' ? str_from(rows[r].want) : str_slice(fixture_at(&f, shown, "instances[0].id"), 0, 8);
        CHECK_STR(rows[r].row, name, want);
        CHECK_STR(rows[r].row, fixture_at(&f, shown, "instances[0].simulated"), str_from(rows[r].simulated));
        fixture_close(&f);
    }
}

/* Live ones first, the newest of them first; then the stopped, the last to stop first. */
static void test_order(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 0);
    define(&f, "f", "", "");
    const char *arns[4];
    for (size_t t = 0; t < 4; t++) {
        f.now_ms += 1;
        arns[t] = at(&f, fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\"}"), "tasks[0].taskArn");
    }
    f.now_ms += 1;
    report(&f, arns[2], "STOPPED", "");
    f.now_ms += 1;
    report(&f, arns[0], "STOPPED", "");
    static const size_t order[] = { 3, 1, 0, 2 };
    struct str shown = board(&f);
    CHECK_EQ("all four", count_at(&f, shown, "tasks"), 4);
    for (size_t t = 0; t < COUNT_OF(order); t++) {
        CHECK_STR("in order", fixture_at(&f, shown, text(&f, "tasks[%zu].arn", t)), str_from(arns[order[t]]));
    }
    CHECK_STR("two live", fixture_at(&f, shown, "liveTotal"), STR("2"));
    CHECK_STR("why it stopped", fixture_at(&f, shown, "tasks[2].stopCode"), STR("EssentialContainerExited"));

    enum { STOPPED_SHOWN = 200 };
    for (int t = 0; t < 21; t++) {
        struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":10}");
        for (int i = 0; i < 10; i++) { report(&f, at(&f, made, text(&f, "tasks[%d].taskArn", i)), "STOPPED", ""); }
    }
    CHECK_EQ("two live and the last stopped", count_at(&f, board(&f), "tasks"), STOPPED_SHOWN + 2);
    fixture_close(&f);
}

static void test_changes(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id machine = machine_add(&f, "a", 1);
    define(&f, "f", GPUS("1"), "");
    int64_t revision = revision_of(&f, board(&f));
    struct str none = changes(&f, revision);
    CHECK_EQ("nothing changed", revision_of(&f, none), revision);
    CHECK_STR("no instances", fixture_at(&f, none, "instances"), STR("[]"));
    CHECK_STR("no tasks", fixture_at(&f, none, "tasks"), STR("[]"));
    CHECK_STR("nothing gone", fixture_at(&f, none, "gone"), STR("[]"));

    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\"}");
    const char *arn = at(&f, made, "tasks[0].taskArn");
    struct str placed = changes(&f, revision);
    CHECK("a later revision", revision_of(&f, placed) > revision);
    CHECK_EQ("the task", count_at(&f, placed, "tasks"), 1);
    CHECK_EQ("and its machine", count_at(&f, placed, "instances"), 1);
    CHECK_STR("as the whole board has them", fixture_at(&f, placed, "instances"), fixture_at(&f, board(&f), "instances"));
    CHECK_STR("as the whole board has them", fixture_at(&f, placed, "tasks"), fixture_at(&f, board(&f), "tasks"));
    CHECK_STR("and the counts", fixture_at(&f, placed, "clusters[0].live"), STR("1"));

    revision = revision_of(&f, placed);
    report(&f, arn, "STOPPED", "");
    struct str stopped = changes(&f, revision);
    CHECK_STR("its GPU is free", fixture_at(&f, stopped, "instances[0].gpus[0].holders"), STR("[]"));
    CHECK_STR("it is stopped", fixture_at(&f, stopped, "tasks[0].lastStatus"), STR("STOPPED"));

    revision = revision_of(&f, stopped);
    f.now_ms += f.config.stopped_task_keep_ms + 1;
    expire(&f, 10);
    char hex[ID_HEX_LEN + 1];
    id_hex(machine, hex);
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", hex));
    struct str gone = changes(&f, revision);
    CHECK_EQ("both are gone", count_at(&f, gone, "gone"), 2);
    CHECK_EQ("and not listed", count_at(&f, gone, "instances"), 0);
    CHECK_EQ("and not listed", count_at(&f, gone, "tasks"), 0);
    fixture_close(&f);
}

static int64_t newest_deployment(struct api_fixture *f)
{
    int64_t digits = 0;
    struct str id = fixture_at(f, describe(f, "web"), "services[0].deployments[0].id");
    CHECK("its id ends with its digits", str_to_i64(str_slice(id, strlen("ecs-svc/"), id.len), &digits));
    return digits;
}

static void test_services(void)
{
    struct api_fixture f;
    services_open(&f);
    CHECK_STR("no service", fixture_at(&f, board(&f), "services"), STR("[]"));
    CHECK_STR("no service", fixture_at(&f, board(&f), "servicesTotal"), STR("0"));
    (void)machine_add(&f, "node-a", 0);
    (void)fixture_call(&f, "CreateService", WEB(""));
    (void)fixture_call(&f, "CreateService", SETS(""));
    (void)fixture_call(&f, "CreateTaskSet", "{\"service\":\"sets\",\"cluster\":\"default\",\"taskDefinition\":\"a:2\",\"externalId\":\"x\"}");
    struct str shown = board(&f);
    const struct { const char *path, *want; } rows[] = {
        { "services[0].id", "1" },
        { "services[0].arn", ACCOUNT_ARN "service/default/web" },
        { "services[0].name", "web" }, { "services[0].cluster", "default" }, { "services[0].status", "ACTIVE" },
        { "services[0].strategy", "ROLLING" }, { "services[0].scheduling", "REPLICA" },
        { "services[0].taskDefinition", "a:1" },
        { "services[0].desired", "2" }, { "services[0].running", "0" }, { "services[0].pending", "0" },
        { "services[0].created", "1700000000001" },
        { "services[0].deployments[0].id", at(&f, describe(&f, "web"), "services[0].deployments[0].id") },
        { "services[0].deployments[0].status", "PRIMARY" },
        { "services[0].deployments[0].taskDefinition", "a:1" },
        { "services[0].deployments[0].desired", "2" }, { "services[0].deployments[0].running", "0" },
        { "services[0].deployments[0].pending", "0" }, { "services[0].deployments[0].failed", "0" },
        { "services[0].deployments[0].rollout", "IN_PROGRESS" },
        { "services[0].deployments[0].reason", at(&f, describe(&f, "web"), "services[0].deployments[0].rolloutStateReason") },
        { "services[0].rollout", "{\"status\":\"PENDING\",\"reason\":null}" },
        { "services[1].name", "sets" }, { "services[1].taskDefinition", "null" }, { "services[1].rollout", "null" },
        { "services[1].deployments[0].taskDefinition", "a:2" }, { "services[1].deployments[0].rollout", "null" },
        { "servicesTotal", "2" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_STR(rows[r].path, str_from(at(&f, shown, rows[r].path)), str_from(rows[r].want)); }
    act_goes(&f, "web", (enum service_deployment_status[]){ SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS, SERVICE_DEPLOYMENT_STATUS_ROLLBACK_IN_PROGRESS,
                                                            SERVICE_DEPLOYMENT_STATUS_UNSET, SERVICE_DEPLOYMENT_STATUS_UNSET });
    CHECK_STR("it is rolled back", fixture_at(&f, board(&f), "services[0].rollout.status"), STR("ROLLBACK_IN_PROGRESS"));
    fixture_close(&f);
}

/* The newest 10, newest first. */
#define BALANCED(name, more) ",\"loadBalancers\":[{\"targetGroupArn\":\"" GROUP(name) "\",\"containerName\":\"main\",\"containerPort\":80" more "}]"
#define CANARY BALANCED("tg", ",\"advancedConfiguration\":{\"alternateTargetGroupArn\":\"" GROUP("green") "\",\"productionListenerRule\":\"" RULE("1") "\",\"roleArn\":\"r\"}") \
    ",\"deploymentConfiguration\":{\"strategy\":\"CANARY\",\"canaryConfiguration\":{\"canaryPercent\":10,\"canaryBakeTimeInMinutes\":1}}"

/* The groups that the page shows with a service: the usual and the alternate one, and those of task sets. */
static void test_service_groups(void)
{
    struct api_fixture f;
    services_open(&f);
    (void)machine_add(&f, "node-a", 0);
    define(&f, "web", ",\"portMappings\":[{\"containerPort\":80}]", "");
    group_add(&f, "tg", "0", true);
    group_add(&f, "green", "0", true);
    rule_add(&f, "1", GROUP("tg"));
    (void)fixture_call(&f, "CreateService", WEB(""));
    (void)fixture_call(&f, "CreateService", "{\"serviceName\":\"one\",\"taskDefinition\":\"web\",\"desiredCount\":1" BALANCED("tg", "") "}");
    (void)fixture_call(&f, "CreateService", "{\"serviceName\":\"two\",\"taskDefinition\":\"web\",\"desiredCount\":1" CANARY "}");
    (void)fixture_call(&f, "CreateService", SETS(""));
    (void)fixture_call(&f, "CreateTaskSet", "{\"service\":\"sets\",\"cluster\":\"default\",\"taskDefinition\":\"web\"" BALANCED("green", "") "}");
    struct str shown = board(&f);
    CHECK_STR("without load balancers", fixture_at(&f, shown, "services[0].targetGroups"), STR("[]"));
    CHECK_STR("its group", fixture_at(&f, shown, "services[1].targetGroups"), STR("[\"" GROUP("tg") "\"]"));
    CHECK_STR("both groups", fixture_at(&f, shown, "services[2].targetGroups"), STR("[\"" GROUP("tg") "\",\"" GROUP("green") "\"]"));
    CHECK_STR("its task set's", fixture_at(&f, shown, "services[3].targetGroups"), STR("[\"" GROUP("green") "\"]"));
    fixture_close(&f);
}

static void test_service_events(void)
{
    enum { EVENTS = 11 };
    struct api_fixture f;
    services_open(&f);
    (void)fixture_call(&f, "CreateService", WEB(""));
    struct by_hand hand;
    struct op_ctx *ctx = hand_begin(&hand, &f);
    struct service_event kept[EVENTS];
    for (int e = 0; e < EVENTS; e++) {
        kept[e] = (struct service_event){ .id = STR("e"), .created_at = f.now_ms - e, .message = arena_printf(ctx->arena, "message %d", e) };
    }
    store_put_service_events(ctx->txn, 1, &(struct service_events){ .events = { kept, EVENTS } });
    hand_end(&hand);
    struct str shown = board(&f);
    CHECK_EQ("the newest ones", count_at(&f, shown, "services[0].events"), EVENTS - 1);
    CHECK_STR("the newest first", fixture_at(&f, shown, "services[0].events[0]"),
              str_from(text(&f, "{\"at\":%lld,\"message\":\"message 0\"}", (long long)f.now_ms)));
    fixture_close(&f);
}

static void test_service_changes(void)
{
    struct api_fixture f;
    services_open(&f);
    (void)machine_add(&f, "node-a", 0);
    int64_t revision = revision_of(&f, board(&f));
    (void)fixture_call(&f, "CreateService", WEB(""));
    struct str made = changes(&f, revision);
    CHECK_EQ("the service", count_at(&f, made, "services"), 1);
    CHECK_STR("as the whole board has it", fixture_at(&f, made, "services"), fixture_at(&f, board(&f), "services"));

    const char *arn = at(&f, fixture_call(&f, "RunTask", "{\"taskDefinition\":\"a\"}"), "tasks[0].taskArn");
    CHECK_STR("a task without a service", fixture_at(&f, board(&f), "tasks[0].service"), STR("null"));
    service_adopt(&f, arn, "web", 1, newest_deployment(&f));
    CHECK_STR("a task of the service", fixture_at(&f, board(&f), "tasks[0].service"), STR("web"));
    revision = revision_of(&f, board(&f));
    report(&f, arn, "RUNNING", "");
    struct str runs = changes(&f, revision);
    CHECK_STR("its task changed its counts", fixture_at(&f, runs, "services[0].running"), STR("1"));
    CHECK_STR("and its deployment's", fixture_at(&f, runs, "services[0].deployments[0].running"), STR("1"));
    CHECK_STR("it is not gone", fixture_at(&f, runs, "gone"), STR("[]"));

    revision = revision_of(&f, runs);
    service_end(&f, 1, SERVICE_DRAINING);
    CHECK_STR("a draining one is shown", fixture_at(&f, changes(&f, revision), "services[0].status"), STR("DRAINING"));
    CHECK_STR("and counted", fixture_at(&f, board(&f), "servicesTotal"), STR("1"));
    revision = revision_of(&f, board(&f));
    service_end(&f, 1, SERVICE_INACTIVE);
    (void)fixture_call(&f, "CreateService", WEB(""));
    struct str ended = changes(&f, revision);
    CHECK_STR("the first one is gone", fixture_at(&f, ended, "gone"), STR("[\"1\"]"));
    CHECK_EQ("the next of its name is not", count_at(&f, ended, "services"), 1);
    CHECK_STR("it has another id", fixture_at(&f, ended, "services[0].id"), STR("2"));
    CHECK_EQ("the whole board has that one only", count_at(&f, board(&f), "services"), 1);
    fixture_close(&f);
}

/* A board that was cut says how many there are. */
static void test_many_services(void)
{
    enum { SERVICES = 1001, SERVICES_SHOWN = 1000 };
    struct api_fixture f;
    services_open(&f);
    for (int s = 0; s < SERVICES; s++) {
        if (s == SERVICES - 1) { CHECK_EQ("all", count_at(&f, board(&f), "services"), SERVICES_SHOWN); }
        (void)service_add(&f, text(&f, "s%d", s), DEPLOYMENT_CONTROLLER_TYPE_ECS, 0);
    }
    struct str shown = board(&f);
    CHECK_EQ("no more", count_at(&f, shown, "services"), SERVICES_SHOWN);
    CHECK_STR("there is one more", fixture_at(&f, shown, "servicesTotal"), STR("1001"));
    fixture_close(&f);
}

/* Behind the placed ones, newest first; the oldest thousand of them. */
static void test_waiting(void)
{
    struct api_fixture f;
    fixture_open(&f);
    (void)fixture_call(&f, "CreateCluster", "{}");
    (void)machine_add(&f, "node-a", 1);
    define(&f, "train", GPUS("1"), "");
    static const char wait[] = "{\"taskDefinition\":\"train\",\"count\":%d,\"tags\":[{\"key\":\"berth:queue\",\"value\":\"wait\"}]}";
    struct str placed = str_from(at(&f, fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\"}"), "tasks[0].taskArn"));
    struct str first = str_from(at(&f, fixture_call(&f, "RunTask", text(&f, wait, 1)), "tasks[0].taskArn"));
    for (int n = 0; n < 99; n++) { (void)fixture_call(&f, "RunTask", text(&f, wait, 10)); }
    struct str last = str_from(at(&f, fixture_call(&f, "RunTask", text(&f, wait, 9)), "tasks[8].taskArn"));
    struct str shown = board(&f);
    CHECK_STR("the placed one comes first", fixture_at(&f, shown, "tasks[0].arn"), placed);
    CHECK_STR("the newest that waits", fixture_at(&f, shown, "tasks[1].arn"), last);
    CHECK_STR("on no instance", fixture_at(&f, shown, "tasks[1].instance"), STR("null"));
    CHECK_STR("it waits", fixture_at(&f, shown, "tasks[1].lastStatus"), STR("PROVISIONING"));
    CHECK_STR("the oldest", fixture_at(&f, shown, "tasks[1000].arn"), first);
    CHECK_STR("all are live", fixture_at(&f, shown, "liveTotal"), STR("1001"));
    (void)fixture_call(&f, "RunTask", text(&f, wait, 1));
    shown = board(&f);
    CHECK_STR("one too many is not shown", fixture_at(&f, shown, "tasks[1].arn"), last);
    CHECK_STR("but counted", fixture_at(&f, shown, "liveTotal"), STR("1002"));
    fixture_close(&f);
}

int main(void)
{
    test_services();
    test_service_groups();
    test_service_events();
    test_service_changes();
    test_many_services();
    test_waiting();
    test_board();
    test_shared_gpu();
    test_gang();
    test_names();
    test_order();
    test_changes();
    return check_report();
}
