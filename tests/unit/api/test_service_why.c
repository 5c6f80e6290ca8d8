/* test_service_why.c: why a service is as it is; what an update of it would do; the verdict of a deployment that waits, told again when it is another one; and turns. */
#include "tests/unit/api/service_rollouts.h"

static struct str why_of(struct api_fixture *f, const char *body)
{
    struct err err = { 0 };
    struct api_call call;
    if (!api_prepare_why_service(&f->config, str_from(body), &f->kept, &call, &err) || !fixture_run(f, &call, &f->kept, &err)) {
        return str_from(text(f, "%s: %s", err_wire_name(err.code), err.message));
    }
    return api_why_service(&call);
}

static const char *why(struct api_fixture *f, const char *path) { return at(f, why_of(f, OF_WEB("")), path); }

/* node-a has one GPU; "web" runs gpu:1 on it. */
static void one_gpu_open_for(struct api_fixture *f, int64_t seconds)
{
    services_open(f);
    define(f, "gpu", GPUS("1"), "");
    define(f, "gpu", GPUS("1"), "");
    (void)machine_add(f, "node-a", 1);
    create(f, "{\"serviceName\":\"web\",\"taskDefinition\":\"gpu:1\",\"desiredCount\":1}");
    pass(f, seconds);
}

static void one_gpu_open(struct api_fixture *f) { one_gpu_open_for(f, 41); }

#define DEADLOCK "is unable to progress: needs 1 GPU on one instance, the largest free slot is 0 (node-a), and minimumHealthyPercent 100 keeps all 1 old " \
    "tasks, which hold the rest. Tag the service berth:replace=stop-first, or lower minimumHealthyPercent, or free that much."

static void test_verdicts(void)
{
    struct api_fixture f;
    one_gpu_open(&f);
    CHECK_TEXT("all is well", why(&f, "detail"), "1 of 1 tasks run. Nothing is missing.");
    CHECK_TEXT("no verdict is asked for", why(&f, "verdict"), "null");
    CHECK_TEXT("its deployment", why(&f, "deployment.rollout"), "COMPLETED");
    update(&f, OF_WEB(",\"taskDefinition\":\"gpu:2\""));
    pass(&f, 2);
    CHECK_TEXT("its own task holds the room", why(&f, "verdict"), "DEADLOCK");
    CHECK_TEXT("and what helps", why(&f, "reasons[0]"), "Its deployment " DEADLOCK);
    CHECK_TEXT("told once", events(&f, "web", 1), "(deployment ) " DEADLOCK);
    int64_t before = count_at(&f, describe(&f, "web"), "services[0].events");
    pass(&f, 5);
    (void)machine_add(&f, "node-b", 0);
    pass(&f, 5);
    CHECK_EQ("the same verdict is no news", count_at(&f, describe(&f, "web"), "services[0].events"), before);

    /* The old task ends by itself, and another service takes the GPU. */
    define(&f, "other", GPUS("1"), "");
    struct str list = fixture_call(&f, "ListTasks", "{}");
    report_end(&f, at(&f, list, "taskArns[0]"), "", ",\"exitCode\":0");
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"other\"}");
    pass(&f, 5);
    CHECK_TEXT("now others hold it", why(&f, "verdict"), "WAIT");
    CHECK("which is news", strstr(events(&f, "web", 3), "(deployment ) waits for room: needs 1 GPU on one instance, the largest free slot is 0 (node-a).") != NULL);
    fixture_close(&f);
}

static void test_reasons(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"bad\",\"desiredCount\":1" BREAKER("true") "}");
    pass(&f, 4);
    CHECK("failures and the limit", strstr(why(&f, "detail"), " times; at 3 the circuit breaker ends the deployment.") != NULL
          || strstr(why(&f, "detail"), "Its deployment failed: ") != NULL);
    CHECK("the last one", strstr(why(&f, "detail"), "The last failure: (task ") != NULL && strstr(why(&f, "detail"), "CannotPullContainerError") != NULL);
    fixture_close(&f);

    life_open(&f);
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"bad\",\"desiredCount\":1}");
    pass(&f, 100);
    CHECK("a pause", strstr(why(&f, "detail"), "The next start is in ") != NULL);
    CHECK_TEXT("unknown", arena_cstr(&f.kept, why_of(&f, "{\"service\":\"nobody\"}")), "ServiceNotFoundException: Service not found.");
    CHECK_TEXT("no name", arena_cstr(&f.kept, why_of(&f, "{}")), "InvalidParameterException: service can not be blank.");
    (void)fixture_call(&f, "DeleteService", OF_WEB(",\"force\":true"));
    pass(&f, 5);
    CHECK_TEXT("deleted", arena_cstr(&f.kept, why_of(&f, OF_WEB(""))), "ServiceNotActiveException: The service is INACTIVE: it was deleted.");
    fixture_close(&f);

    rollout_open(&f, STRATEGY("\"strategy\":\"BLUE_GREEN\",\"bakeTimeInMinutes\":5,\"lifecycleHooks\":[{\"targetType\":\"PAUSE\",\"lifecycleStages\":[\"PRE_SCALE_UP\"]}]"));
    CHECK("a pause of a rollout", strstr(why(&f, "detail"), "A pause in the stage PRE_SCALE_UP waits for ContinueServiceDeployment (hook ecs-pause-") != NULL);
    fixture_close(&f);
}

/* Two services wait for one GPU: the older deployment gets it, though the other one was touched later and first. */
static void test_turns(void)
{
    struct api_fixture f;
    one_gpu_open(&f);
    f.now_ms += SECOND_MS;
    create(&f, "{\"serviceName\":\"older\",\"taskDefinition\":\"gpu:1\",\"desiredCount\":1}");
    pass(&f, 3);
    create(&f, "{\"serviceName\":\"newer\",\"taskDefinition\":\"gpu:1\",\"desiredCount\":1}");
    pass(&f, 3);
    (void)fixture_call(&f, "UpdateService", "{\"service\":\"older\",\"propagateTags\":\"SERVICE\"}");
    pass(&f, 3);
    CHECK("the newer one knows it", strstr(at(&f, why_of(&f, "{\"service\":\"newer\"}"), "detail"), " One service comes before it.") != NULL);
    (void)fixture_call(&f, "DeleteService", OF_WEB(",\"force\":true"));
    pass(&f, 10);
    CHECK("the older one has it", strstr(state(&f, "older"), "D 1 R 1 P 0") != NULL);
    CHECK("the newer one waits", strstr(state(&f, "newer"), "D 1 R 0 P 0") != NULL);
    fixture_close(&f);
}

static struct str what_if_of(struct api_fixture *f, const char *body)
{
    struct err err = { 0 };
    struct api_call call;
    if (!api_prepare_what_if_update(&f->config, str_from(body), &f->kept, &call, &err) || !fixture_run(f, &call, &f->kept, &err)) {
        return str_from(text(f, "%s: %s", err_wire_name(err.code), err.message));
    }
    return api_what_if_update(&call);
}

/* "web" runs gpu:1 on the one GPU of node-a; another task holds one of the two GPUs of node-b. */
static void what_if_open(struct api_fixture *f)
{
    services_open(f);
    define(f, "gpu", GPUS("1"), "");
    define(f, "gpu", GPUS("1"), "");
    define(f, "two", GPUS("2"), "");
    define(f, "four", GPUS("4"), "");
    (void)machine_add(f, "node-a", 1);
    create(f, "{\"serviceName\":\"web\",\"taskDefinition\":\"gpu:1\",\"desiredCount\":1}");
    pass(f, 41);
    (void)machine_add(f, "node-b", 2);
    (void)fixture_call(f, "RunTask", "{\"taskDefinition\":\"gpu\"}");
}

#define PERCENTS(low, high) ",\"deploymentConfiguration\":{\"minimumHealthyPercent\":" low ",\"maximumPercent\":" high "}"

static void test_what_if(void)
{
    static const struct { const char *row, *more, *verdict, *deploys, *detail; } rows[] = {
        { "nothing changes", "", "ROOM", "false", "The tasks that would start now have room." },
        { "one GPU is free", ",\"forceNewDeployment\":true", "ROOM", "true", "The tasks that would start now have room." },
        { "one task more", ",\"desiredCount\":2", "ROOM", "false", "The tasks that would start now have room." },
        { "two tasks more", ",\"desiredCount\":3", "SOME_ROOM", "false", "1 of 2 new tasks fit now (" },
        { "all others' GPU", ",\"taskDefinition\":\"two\"", "WAIT", "true", "It waits for room: needs 2 GPUs on one instance, the largest free slot is 1 (node-b). "
          "There is room on node-b when task " },
        { "no such machine", ",\"taskDefinition\":\"four\"", "INFEASIBLE", "true", "It is unable to progress: no instance has 4 GPUs; the largest has 2 (node-b)." },
        { "a definition that is not there", ",\"taskDefinition\":\"nope\"", NULL, NULL, "ClientException: TaskDefinition not found." },
    };
    struct api_fixture f;
    what_if_open(&f);
    struct str before = describe(&f, "web");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str told = what_if_of(&f, text(&f, OF_WEB("%s"), rows[r].more));
        if (rows[r].verdict == NULL) { CHECK_STR(rows[r].row, told, str_from(rows[r].detail)); continue; }
        CHECK_STR(rows[r].row, str_from(at(&f, told, "verdict")), str_from(rows[r].verdict));
        CHECK_STR(rows[r].row, str_from(at(&f, told, "deploys")), str_from(rows[r].deploys));
        CHECK(rows[r].row, str_starts_with(str_from(at(&f, told, "detail")), str_from(rows[r].detail)));
    }
    CHECK("nothing is written", str_eq(describe(&f, "web"), before));
    check_world(&f, "the world is as before");
    CHECK_TEXT("nothing has begun", why(&f, "detail"), "1 of 1 tasks run. Nothing is missing.");
    fixture_close(&f);

    one_gpu_open(&f);
    CHECK_TEXT("its own task holds it", at(&f, what_if_of(&f, OF_WEB(",\"taskDefinition\":\"gpu:2\"")), "detail"), "It " DEADLOCK);
    CHECK_TEXT("in place", at(&f, what_if_of(&f, OF_WEB(",\"taskDefinition\":\"gpu:2\"" PERCENTS("0", "100"))), "verdict"), "SWAP");
    CHECK_TEXT("the percents are as before", at(&f, what_if_of(&f, OF_WEB(",\"taskDefinition\":\"gpu:2\"")), "verdict"), "DEADLOCK");
    CHECK_TEXT("unknown", arena_cstr(&f.kept, what_if_of(&f, "{\"service\":\"nobody\"}")), "ServiceNotFoundException: Service not found.");
    create(&f, "{\"serviceName\":\"each\",\"taskDefinition\":\"gpu:1\",\"schedulingStrategy\":\"DAEMON\"}");
    CHECK_TEXT("a daemon", arena_cstr(&f.kept, what_if_of(&f, "{\"service\":\"each\"}")),
               "InvalidParameterException: There is no verdict for a daemon, or for a service whose deployment controller is EXTERNAL.");
    fixture_close(&f);

    services_open(&f);
    define(&f, "a", "", "");
    define(&f, "four", GPUS("4"), "");
    define(&f, "greedy", ",\"cpu\":4097" GPUS("2"), "");
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"a\",\"desiredCount\":1}");
    CHECK_TEXT("no machine", arena_cstr(&f.kept, what_if_of(&f, OF_WEB(""))), "InvalidParameterException: No Container Instances were found in your cluster.");
    (void)fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "node-big", 2, ""));
    (void)machine_add(&f, "node-small", 1);
    CHECK_TEXT("a larger one lacks something else", at(&f, what_if_of(&f, OF_WEB(",\"taskDefinition\":\"four\"")), "detail"),
               "It is unable to progress: no instance has 4 GPUs; the largest has 2.");
    machine_presence(&f, id_at(&f, fixture_call(&f, "ListContainerInstances", "{}"), "containerInstanceArns[0]"), true);
    CHECK_TEXT("the nearest is not the largest", at(&f, what_if_of(&f, OF_WEB(",\"taskDefinition\":\"greedy\"")), "detail"),
               "It is unable to progress: no instance has 4097 CPU units; the largest has 4096 (node-big).");
    fixture_close(&f);
}

/* An old task that has not run for 40 s counts for nothing, so an update replaces it at once. */
static void test_young(void)
{
    struct api_fixture f;
    one_gpu_open_for(&f, 20);
    CHECK_TEXT("it makes room", at(&f, what_if_of(&f, OF_WEB(",\"taskDefinition\":\"gpu:2\"")), "verdict"), "SWAP");
    update(&f, OF_WEB(",\"taskDefinition\":\"gpu:2\""));
    CHECK("the first event says so", strstr(events(&f, "web", 1), "(deployment ) no room is free (needs 1 GPU on one instance, the largest free slot is 0 (node-a)); "
                                            "replaces in place, 1 tasks at a time") != NULL);
    pass(&f, 5);
    CHECK_EQ("the new one runs", (int64_t)count_at(&f, describe(&f, "web"), "services[0].deployments"), 1);
    fixture_close(&f);
}

int main(void)
{
    test_verdicts();
    test_young();
    test_what_if();
    test_reasons();
    test_turns();
    return check_report();
}
