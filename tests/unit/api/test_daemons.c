/* Managed daemons: their operations, and their life on the machines of a capacity provider: first on each machine, drained and replaced by an update,
 * rolled back, and the last to stop. A provisioner and agents obey. */
#include "tests/unit/api/plant.h"

#define DAEMON(name) "arn:aws:ecs:us-east-1:123456789012:daemon/default/" name
#define PROVIDER(name) "arn:aws:ecs:us-east-1:123456789012:capacity-provider/" name
#define AGENT_MIB 256

struct stage { struct api_fixture f; struct plant plant; struct kept_pool pool; int agents; };

static void put_provider(struct api_fixture *f, const char *name, bool managed)
{
    int64_t revision;
    struct arena arena;
    struct auto_scaling_group_provider group = { .auto_scaling_group_arn = STR("arn") };
    struct instance_launch_template template = { .ec2_instance_profile_arn = STR("profile") };
    struct managed_instances_provider of_managed = { .infrastructure_role_arn = STR("role"), .instance_launch_template = &template };
    struct kept_provider provider = { .name = str_from(name), .pool = str_from(name), .status = CAPACITY_PROVIDER_STATUS_ACTIVE };
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    struct store_txn *txn = store_write_begin(f->store);
    store_job_begin(txn);
    if (managed) { provider.managed = &of_managed; } else { provider.group = &group; }
    if (managed) { provider.cluster = 1; }
    store_put_provider(txn, &provider);
    CHECK("kept", store_job_end(txn, true) && store_write_commit(txn, &revision));
    arena_finish(&arena);
}

static void register_daemon(struct api_fixture *f, const char *family, const char *more)
{
    (void)fixture_call(f, "RegisterDaemonTaskDefinition",
                       text(f, "{\"family\":\"%s\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"memory\":%d,\"cpu\":64%s}]}", family, AGENT_MIB, more));
    CHECK_EQ(family, f->code, ERR_NONE);
}

static void stage_open(struct stage *stage)
{
    *stage = (struct stage){ .agents = 0 };
    stage->pool = pool_open(&stage->f);
    stage->pool.kind = POOL_MANAGED;
    stage->pool.max = 20;
    stage->pool.drain_s = 0;                                     /* as a provider makes it */
    put_provider(&stage->f, "p", true);
    put_provider(&stage->f, "q", true);
    put_provider(&stage->f, "group", false);
    want(&stage->f, &stage->pool, 0);
    define(&stage->f, "f", "", "");
    register_daemon(&stage->f, "watch", "");
}

static void stage_close(struct stage *stage) { fixture_close(&stage->f); }

/* ---- agents ---- */

static bool is_of(struct api_fixture *f, struct str described, const char *family)
{
    return strstr(at(f, described, "tasks[0].taskDefinitionArn"), family) != NULL;
}

/* Definitions named "bad" do not start. Tasks of "slow" stay PENDING. Returns whether the agent did something. */
static bool obey_task(struct api_fixture *f, const char *arn)
{
    struct str reply = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", arn));
    const char *last = at(f, reply, "tasks[0].lastStatus"), *desired = at(f, reply, "tasks[0].desiredStatus");
    if (strcmp(last, "STOPPED") == 0 || strcmp(last, "PROVISIONING") == 0 || is_of(f, reply, "/slow:")) { return false; }
    if (strcmp(desired, "STOPPED") == 0) {
        report(f, arn, "STOPPED", "{\"containerName\":\"main\",\"status\":\"STOPPED\",\"exitCode\":0}");
        return true;
    }
    if (strcmp(last, "PENDING") != 0) { return false; }
    bool bad = is_of(f, reply, "/bad:");
    report(f, arn, bad ? "STOPPED" : "RUNNING", bad ? "{\"containerName\":\"main\",\"status\":\"STOPPED\",\"reason\":\"CannotPullContainerError: no\"}"
                                                    : "{\"containerName\":\"main\",\"status\":\"RUNNING\"}");
    return true;
}

static bool obey_all(struct api_fixture *f)
{
    static const char *const bodies[] = { "{}", "{\"desiredStatus\":\"STOPPED\"}" };
    bool any = false;
    for (size_t b = 0; b < COUNT_OF(bodies); b++) {
        struct str list = fixture_call(f, "ListTasks", bodies[b]);
        for (int64_t t = 0, count = count_at(f, list, "taskArns"); t < count; t++) { any |= obey_task(f, at(f, list, text(f, "taskArns[%d]", (int)t))); }
    }
    return any;
}

static void agents_come(struct stage *stage)
{
    for (size_t t = 0; t < stage->plant.count; t++) {
        struct thing *thing = &stage->plant.things[t];
        if (!thing->runs || thing->registered) { continue; }
        thing->registered = true;
        (void)agent_comes(&stage->f, text(&stage->f, "agent%d", stage->agents++), thing->id);
    }
}

static void settle(struct stage *stage)
{
    char verbs[16];
    bool any = true;
    for (int rounds = 0; any && rounds < 50; rounds++) {
        any = run_all(&stage->f, &stage->plant, verbs) > 0;
        agents_come(stage);
        step(&stage->f);
        any |= obey_all(&stage->f);
        step(&stage->f);
    }
    CHECK("a moment comes to an end", !any);
    check_world(&stage->f, "the world is that of the store");
}

static void pass(struct stage *stage, int seconds)
{
    for (int s = 0; s < seconds; s += 5) {
        stage->f.now_ms += 5000;
        settle(stage);
    }
}

/* ---- questions ---- */

static int count_tasks(struct stage *stage, const char *filter)
{
    return (int)count_at(&stage->f, fixture_call(&stage->f, "ListTasks", text(&stage->f, "{%s}", filter)), "taskArns");
}

static const char *first_task(struct stage *stage, const char *filter)
{
    return at(&stage->f, fixture_call(&stage->f, "ListTasks", text(&stage->f, "{%s}", filter)), "taskArns[0]");
}

static struct str describe(struct stage *stage, const char *daemon)
{
    return fixture_call(&stage->f, "DescribeDaemon", text(&stage->f, "{\"daemonArn\":\"%s\"}", daemon));
}

/* The newest deployment of the daemon: "SUCCESSFUL watch". */
static struct str deployment(struct stage *stage, const char *daemon)
{
    struct api_fixture *f = &stage->f;
    const char *arn = at(f, describe(stage, daemon), "daemon.deploymentArn");
    return fixture_call(f, "DescribeDaemonDeployments", text(f, "{\"daemonDeploymentArns\":[\"%s\"]}", arn));
}

static struct str deployment_status(struct stage *stage, const char *daemon) { return fixture_at(&stage->f, deployment(stage, daemon), "daemonDeployments[0].status"); }

static int instances(struct stage *stage, const char *status)
{
    return (int)count_at(&stage->f, fixture_call(&stage->f, "ListContainerInstances", text(&stage->f, "{\"status\":\"%s\"}", status)), "containerInstanceArns");
}

static void create(struct stage *stage, const char *name, const char *family, const char *more)
{
    (void)fixture_call(&stage->f, "CreateDaemon", text(&stage->f, "{\"daemonName\":\"%s\",\"daemonTaskDefinitionArn\":\"%s\",\"capacityProviderArns\":[\"" PROVIDER("p") "\"],"
                       "\"tags\":[{\"key\":\"berth:healthy-after\",\"value\":\"0\"}]%s}", name, family, more));
    CHECK_EQ(name, stage->f.code, ERR_NONE);
}

static void update(struct stage *stage, const char *daemon, const char *family, const char *more)
{
    (void)fixture_call(&stage->f, "UpdateDaemon", text(&stage->f, "{\"daemonArn\":\"%s\",\"daemonTaskDefinitionArn\":\"%s\",\"capacityProviderArns\":[\"" PROVIDER("p") "\"]%s}",
                       daemon, family, more));
    CHECK_EQ(daemon, stage->f.code, ERR_NONE);
}

static void machines(struct stage *stage, int64_t count)
{
    want(&stage->f, &stage->pool, count);
    pass(stage, 15);
    CHECK_EQ("machines", instances(stage, "ACTIVE"), count);
}

/* Tasks that need a whole machine each. */
static void run_tasks(struct stage *stage, int count)
{
    (void)fixture_call(&stage->f, "RunTask", text(&stage->f, "{\"taskDefinition\":\"f\",\"count\":%d,\"placementConstraints\":[{\"type\":\"distinctInstance\"}],"
                       "\"capacityProviderStrategy\":[{\"capacityProvider\":\"p\",\"weight\":1}]}", count));
    CHECK_EQ("a task waits for a provider that scales", stage->f.code, ERR_NONE);
}

/* ---- tests ---- */

static void test_refusals(void)
{
#define CREATE(name, family, providers, more) "{\"daemonName\":\"" name "\",\"daemonTaskDefinitionArn\":\"" family "\",\"capacityProviderArns\":[" providers "]" more "}"
    static struct stage stage;
    static const struct { const char *row, *operation, *body, *want; } rows[] = {
        { "no cluster", "CreateDaemon", CREATE("a", "watch", "\"p\"", ",\"clusterArn\":\"nope\""), "ClusterNotFoundException: Cluster not found." },
        { "a name", "CreateDaemon", CREATE("a b", "watch", "\"p\"", ""),
          "InvalidParameterException: daemonName must have 1 to 255 letters, digits, hyphens and underscores." },
        { "no definition", "CreateDaemon", CREATE("a", "nope", "\"p\"", ""), "ClientException: The specified daemon task definition does not exist." },
        { "no provider", "CreateDaemon", CREATE("a", "watch", "", ""), "InvalidParameterException: capacityProviderArns must have 1 to 20 items." },
        { "an unknown provider", "CreateDaemon", CREATE("a", "watch", "\"" PROVIDER("x") "\"", ""),
          "InvalidParameterException: The specified capacity provider 'x' was not found." },
        { "of a group", "CreateDaemon", CREATE("a", "watch", "\"" PROVIDER("group") "\"", ""),
          "InvalidParameterException: The specified capacity provider 'group' is not of managed instances. Daemons run on those; use a service with "
          "schedulingStrategy DAEMON for other machines." },
        { "twice", "CreateDaemon", CREATE("a", "watch", "\"p\",\"" PROVIDER("p") "\"", ""),
          "InvalidParameterException: capacityProviderArns names 'p' more than once." },
        { "drain", "CreateDaemon", CREATE("a", "watch", "\"p\"", ",\"deploymentConfiguration\":{\"drainPercent\":-1}"), NULL },
        { "bake", "CreateDaemon", CREATE("a", "watch", "\"p\"", ",\"deploymentConfiguration\":{\"bakeTimeInMinutes\":-1}"), NULL },
        { "an alarm", "CreateDaemon", CREATE("a", "watch", "\"p\"", ",\"deploymentConfiguration\":{\"alarms\":{\"alarmNames\":[\"x\"],\"enable\":true}}"), NULL },
        { "a tag", "CreateDaemon", CREATE("a", "watch", "\"p\"", ",\"tags\":[{\"key\":\"berth:healthy-after\",\"value\":\"x\"}]"), NULL },
        { "no ARN", "DescribeDaemon", "{\"daemonArn\":\"a\"}", "InvalidParameterException: Daemon Identifier is invalid" },
        { "not there", "DescribeDaemon", "{\"daemonArn\":\"" DAEMON("a") "\"}", "DaemonNotFoundException: Daemon not found." },
        { "not there", "DeleteDaemon", "{\"daemonArn\":\"" DAEMON("a") "\"}", "DaemonNotFoundException: Daemon not found." },
        { "not there", "UpdateDaemon", "{\"daemonArn\":\"" DAEMON("a") "\",\"daemonTaskDefinitionArn\":\"watch\",\"capacityProviderArns\":[\"p\"]}",
          "DaemonNotFoundException: Daemon not found." },
        { "not there", "ListDaemonDeployments", "{\"daemonArn\":\"" DAEMON("a") "\"}", "InvalidParameterException: Daemon not found." },
        { "not there", "ListTasks", "{\"daemonName\":\"a\"}", "InvalidParameterException: Daemon not found." },
        { "a group", "RunTask", "{\"taskDefinition\":\"f\",\"group\":\"daemon:a\"}", "InvalidParameterException: The group name must not begin with daemon:." },
    };
    stage_open(&stage);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (rows[r].want != NULL) { fixture_check(&stage.f, rows[r].row, rows[r].operation, rows[r].body, rows[r].want); continue; }
        (void)fixture_call(&stage.f, rows[r].operation, rows[r].body);
        CHECK_EQ(rows[r].row, stage.f.code, ERR_INVALID_PARAMETER);
    }
    CHECK_EQ("nothing was made", count_at(&stage.f, fixture_call(&stage.f, "ListDaemons", "{}"), "daemonSummariesList"), 0);
    stage_close(&stage);
}

static void test_records(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage);
    create(&stage, "a", "watch", ",\"clientToken\":\"t\"");
    const char *first = at(f, fixture_call(f, "ListDaemons", "{}"), "daemonSummariesList[0].daemonArn");
    CHECK_STR("its ARN", str_from(first), STR(DAEMON("a")));
    create(&stage, "a", "watch", ",\"clientToken\":\"t\"");
    CHECK_EQ("the same call again", count_at(f, fixture_call(f, "ListDaemonDeployments", "{\"daemonArn\":\"" DAEMON("a") "\"}"), "daemonDeployments"), 1);
    (void)fixture_call(f, "CreateDaemon", "{\"daemonName\":\"a\",\"daemonTaskDefinitionArn\":\"watch\",\"capacityProviderArns\":[\"p\"]}");
    CHECK_EQ("the name is taken", f->code, ERR_INVALID_PARAMETER);
    settle(&stage);
    CHECK_STR("no machines: done at once", deployment_status(&stage, DAEMON("a")), STR("SUCCESSFUL"));
    struct str shown = deployment(&stage, DAEMON("a"));
    CHECK_STR("defaults", fixture_at(f, shown, "daemonDeployments[0].deploymentConfiguration.drainPercent"), STR("25.0"));
    CHECK_STR("defaults", fixture_at(f, shown, "daemonDeployments[0].deploymentConfiguration.bakeTimeInMinutes"), STR("0"));
    CHECK_STR("the breaker is on", fixture_at(f, shown, "daemonDeployments[0].circuitBreaker.threshold"), STR("3"));
    const char *revision = at(f, shown, "daemonDeployments[0].targetDaemonRevision.arn");
    struct str described = fixture_call(f, "DescribeDaemonRevisions", text(f,
        "{\"daemonRevisionArns\":[\"%s\",\"arn:aws:ecs:us-east-1:123456789012:daemon-revision/default/a/0000000000000000001\"]}", revision));
    CHECK_STR("its definition", fixture_at(f, described, "daemonRevisions[0].daemonTaskDefinitionArn"),
              STR("arn:aws:ecs:us-east-1:123456789012:daemon-task-definition/watch:1"));
    CHECK_STR("its image", fixture_at(f, described, "daemonRevisions[0].containerImages[0].image"), STR("busybox"));
    CHECK_STR("another one", fixture_at(f, described, "failures[0].reason"), STR("MISSING"));
    (void)fixture_call(f, "DescribeServices", "{\"services\":[\"a\"]}");
    CHECK_EQ("no service", count_at(f, fixture_call(f, "ListServices", "{}"), "serviceArns"), 0);
    create(&stage, "b", "watch", "");
    CHECK_EQ("of a provider", count_at(f, fixture_call(f, "ListDaemons", "{\"capacityProviderArns\":[\"" PROVIDER("q") "\"]}"), "daemonSummariesList"), 0);
    struct str page = fixture_call(f, "ListDaemons", "{\"maxResults\":1}");
    page = fixture_call(f, "ListDaemons", text(f, "{\"maxResults\":1,\"nextToken\":\"%s\"}", at(f, page, "nextToken")));
    CHECK_STR("the second page", fixture_at(f, page, "daemonSummariesList[0].daemonArn"), STR(DAEMON("b")));
    CHECK("is the last", !str_is_set(fixture_at(f, page, "nextToken")));

    (void)fixture_call(f, "TagResource", "{\"resourceArn\":\"" DAEMON("a") "\",\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]}");
    CHECK_EQ("tags", count_at(f, fixture_call(f, "ListTagsForResource", "{\"resourceArn\":\"" DAEMON("a") "\"}"), "tags"), 2);
    (void)fixture_call(f, "DeleteDaemonTaskDefinition", "{\"daemonTaskDefinition\":\"watch:1\"}");
    struct str taskdef = fixture_call(f, "DescribeDaemonTaskDefinition", "{\"daemonTaskDefinition\":\"watch:1\"}");
    CHECK_STR("in use", fixture_at(f, taskdef, "daemonTaskDefinition.status"), STR("DELETE_IN_PROGRESS"));
    (void)fixture_call(f, "DeleteCapacityProvider", "{\"capacityProvider\":\"p\"}");
    CHECK_EQ("in use, too", f->code, ERR_CLIENT);
    static const char *const gone[] = { DAEMON("a"), DAEMON("b") };
    for (size_t g = 0; g < COUNT_OF(gone); g++) {
        struct str reply = fixture_call(f, "DeleteDaemon", text(f, "{\"daemonArn\":\"%s\"}", gone[g]));
        CHECK_STR("deleted", fixture_at(f, reply, "status"), STR("DELETE_IN_PROGRESS"));
        (void)describe(&stage, gone[g]);
        CHECK_EQ("nothing ran", f->code, ERR_DAEMON_NOT_FOUND);
    }
    taskdef = fixture_call(f, "DescribeDaemonTaskDefinition", "{\"daemonTaskDefinition\":\"watch:1\"}");
    CHECK_STR("used no more", fixture_at(f, taskdef, "daemonTaskDefinition.status"), STR("DELETED"));
    stage_close(&stage);
}

/* A task waits on a machine that has room until the daemon runs there. */
static void test_first(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage);
    register_daemon(f, "slow", "");
    create(&stage, "a", "slow", "");
    run_tasks(&stage, 1);
    pass(&stage, 120);
    CHECK_EQ("a machine for the task, not for the daemon", instances(&stage, "ACTIVE"), 1);
    CHECK_EQ("the daemon is there", count_tasks(&stage, "\"daemonName\":\"a\""), 1);
    struct str task = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", first_task(&stage, "\"family\":\"f\"")));
    CHECK_STR("the task waits", fixture_at(f, task, "tasks[0].lastStatus"), STR("PROVISIONING"));
    const char *daemon = first_task(&stage, "\"daemonName\":\"a\"");
    struct str shown = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", daemon));
    CHECK_STR("its group", fixture_at(f, shown, "tasks[0].group"), STR("daemon:a"));
    CHECK_STR("its definition", fixture_at(f, shown, "tasks[0].taskDefinitionArn"), STR("arn:aws:ecs:us-east-1:123456789012:daemon-task-definition/slow:1"));
    CHECK_STR("its provider", fixture_at(f, shown, "tasks[0].capacityProviderName"), STR("p"));
    CHECK_STR("its container", fixture_at(f, shown, "tasks[0].containers[0].name"), STR("main"));
    report(f, daemon, "RUNNING", "{\"containerName\":\"main\",\"status\":\"RUNNING\"}");
    settle(&stage);
    task = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", first_task(&stage, "\"family\":\"f\"")));
    CHECK_STR("then it starts", fixture_at(f, task, "tasks[0].lastStatus"), STR("RUNNING"));
    CHECK_STR("counted", fixture_at(f, describe(&stage, DAEMON("a")), "daemon.currentRevisions[0].totalRunningCount"), STR("1"));
    CHECK_STR("by provider", fixture_at(f, describe(&stage, DAEMON("a")), "daemon.currentRevisions[0].capacityProviders[0].runningCount"), STR("1"));
    stage_close(&stage);
}

/* An empty machine keeps running, and one with tasks is drained and replaced. */
static void test_update(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage);
    register_daemon(f, "watch2", "");
    create(&stage, "a", "watch", "");
    machines(&stage, 2);
    CHECK_EQ("one on each", count_tasks(&stage, "\"daemonName\":\"a\""), 2);
    run_tasks(&stage, 1);
    settle(&stage);
    CHECK_EQ("a task on one of them", count_tasks(&stage, "\"family\":\"f\""), 1);
    update(&stage, DAEMON("a"), "watch2", ",\"deploymentConfiguration\":{\"drainPercent\":50}");
    pass(&stage, 30);
    CHECK_STR("goes on while the task runs", deployment_status(&stage, DAEMON("a")), STR("IN_PROGRESS"));
    CHECK_EQ("its machine drains", instances(&stage, "DRAINING"), 1);
    CHECK_EQ("its daemon runs on, and the next batch waits", count_tasks(&stage, "\"family\":\"watch\""), 2);
    CHECK_STR("and is counted", fixture_at(f, deployment(&stage, DAEMON("a")), "daemonDeployments[0].sourceDaemonRevisions[0].totalDrainingInstanceCount"), STR("1"));
    const char *task = first_task(&stage, "\"family\":\"f\"");
    (void)fixture_call(f, "StopTask", text(f, "{\"task\":\"%s\"}", task));
    pass(&stage, 60);
    CHECK_EQ("the old daemon is gone", count_tasks(&stage, "\"family\":\"watch\""), 0);
    CHECK_EQ("the new one is on all", count_tasks(&stage, "\"family\":\"watch2\""), instances(&stage, "ACTIVE"));
    CHECK_EQ("the drained machine is gone", instances(&stage, "DRAINING"), 0);
    CHECK_STR("done", deployment_status(&stage, DAEMON("a")), STR("SUCCESSFUL"));
    stage_close(&stage);
}

static void test_rollback(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage);
    register_daemon(f, "bad", "");
    create(&stage, "a", "watch", "");
    machines(&stage, 2);
    update(&stage, DAEMON("a"), "bad", "");
    pass(&stage, 300);
    struct str shown = deployment(&stage, DAEMON("a"));
    CHECK_STR("back", fixture_at(f, shown, "daemonDeployments[0].status"), STR("ROLLBACK_SUCCESSFUL"));
    CHECK("why", strstr(at(f, shown, "daemonDeployments[0].statusReason"), "Daemon deployment rolled back because the circuit breaker threshold was exceeded.") != NULL);
    CHECK_STR("the monitor", fixture_at(f, shown, "daemonDeployments[0].circuitBreaker.status"), STR("TRIGGERED"));
    CHECK_EQ("the old daemon is on all", count_tasks(&stage, "\"family\":\"watch\""), 2);
    stage_close(&stage);
}

static void test_bake(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage);
    register_daemon(f, "watch2", "");
    create(&stage, "a", "watch", "");
    machines(&stage, 2);
    update(&stage, DAEMON("a"), "watch2", ",\"deploymentConfiguration\":{\"drainPercent\":50,\"bakeTimeInMinutes\":2}");
    settle(&stage);
    pass(&stage, 110);
    CHECK_EQ("the first batch bakes", count_tasks(&stage, "\"family\":\"watch2\""), 1);
    pass(&stage, 15);
    CHECK_EQ("then the next", count_tasks(&stage, "\"family\":\"watch2\""), 2);
    CHECK_STR("which bakes, too", deployment_status(&stage, DAEMON("a")), STR("IN_PROGRESS"));
    pass(&stage, 125);
    CHECK_STR("done", deployment_status(&stage, DAEMON("a")), STR("SUCCESSFUL"));
    stage_close(&stage);
}

/* The daemon's end replaces a machine with tasks; on an empty one it starts again. */
static void test_ends(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage);
    create(&stage, "a", "watch", "");
    machines(&stage, 1);
    const char *daemon = first_task(&stage, "\"daemonName\":\"a\"");
    report(f, daemon, "STOPPED", "{\"containerName\":\"main\",\"status\":\"STOPPED\",\"exitCode\":1}");
    pass(&stage, 10);
    CHECK_EQ("starts again", count_tasks(&stage, "\"daemonName\":\"a\""), 1);
    CHECK_EQ("on its machine", instances(&stage, "ACTIVE"), 1);
    run_tasks(&stage, 1);
    settle(&stage);
    report(f, first_task(&stage, "\"daemonName\":\"a\""), "STOPPED", "{\"containerName\":\"main\",\"status\":\"STOPPED\",\"exitCode\":1}");
    pass(&stage, 15);
    CHECK_EQ("the machine drains", instances(&stage, "DRAINING"), 1);
    CHECK_EQ("another one has come", instances(&stage, "ACTIVE"), 1);
    CHECK_EQ("with the daemon", count_tasks(&stage, "\"daemonName\":\"a\""), 1);
    CHECK_EQ("the task runs on", count_tasks(&stage, "\"family\":\"f\""), 1);
    stage_close(&stage);
}

static void test_delete(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage);
    create(&stage, "a", "watch", "");
    machines(&stage, 2);
    run_tasks(&stage, 1);
    settle(&stage);
    (void)fixture_call(f, "DeleteDaemon", "{\"daemonArn\":\"" DAEMON("a") "\"}");
    CHECK_EQ("deleted", f->code, ERR_NONE);
    pass(&stage, 15);
    CHECK_STR("while its machine drains", fixture_at(f, describe(&stage, DAEMON("a")), "daemon.status"), STR("DELETE_IN_PROGRESS"));
    CHECK_EQ("one is left", count_tasks(&stage, "\"daemonName\":\"a\""), 1);
    (void)fixture_call(f, "DeleteDaemon", "{\"daemonArn\":\"" DAEMON("a") "\"}");
    CHECK_EQ("again", f->code, ERR_DAEMON_NOT_ACTIVE);
    (void)fixture_call(f, "StopTask", text(f, "{\"task\":\"%s\"}", first_task(&stage, "\"family\":\"f\"")));
    pass(&stage, 15);
    (void)describe(&stage, DAEMON("a"));
    CHECK_EQ("gone", f->code, ERR_DAEMON_NOT_FOUND);
    CHECK_EQ("all have stopped", count_tasks(&stage, "\"startedBy\":\"\""), 0);
    stage_close(&stage);
}

int main(void)
{
    test_refusals();
    test_records();
    test_first();
    test_update();
    test_rollback();
    test_bake();
    test_ends();
    test_delete();
    return check_report();
}
