/* Replies of the operations on a service between its steps, while its tasks come and go. The steps are decided in scheduler/reconcile, whose tests walk
 * through them. */
#include "tests/unit/api/services.h"

#define DEFINITION(n) ACCOUNT_ARN "task-definition/a:" #n

static void step(struct api_fixture *f)
{
    struct api_call call;
    api_prepare_step_services(false, &f->kept, &call);
    fixture_internal(f, &call);
}

static void report_all(struct api_fixture *f, const char *desired)
{
    struct str tasks = fixture_call(f, "ListTasks", text(f, "{\"desiredStatus\":\"%s\"}", desired));
    for (int64_t t = 0; t < count_at(f, tasks, "taskArns"); t++) { report(f, at(f, tasks, text(f, "taskArns[%d]", (int)t)), desired, ""); }
}

/* The machines obey, and after a minute tasks that run count as healthy. */
static void machines_work(struct api_fixture *f)
{
    report_all(f, "STOPPED");
    report_all(f, "RUNNING");
    step(f);
    f->now_ms += 60 * 1000;
    step(f);
}

struct look { const char *path, *want; };

static void check_looks(struct api_fixture *f, const char *row, struct str reply, const struct look *looks, size_t count)
{
    for (size_t l = 0; l < count; l++) { CHECK_STR(text(f, "%s: %s", row, looks[l].path), fixture_at(f, reply, looks[l].path), str_from(looks[l].want)); }
}

static struct str act_of(struct api_fixture *f, const char *arn)
{
    return fixture_call(f, "DescribeServiceDeployments", text(f, "{\"serviceDeploymentArns\":[\"%s\"]}", arn));
}

/* Two machines, and a service whose two tasks of a:1 are RUNNING. */
static void open_steady(struct api_fixture *f)
{
    services_open(f);
    (void)machine_add(f, "m", 0);
    (void)machine_add(f, "n", 0);
    (void)fixture_call(f, "CreateService", WEB(""));
    step(f);
    machines_work(f);
}

static void test_no_tasks(void)
{
    static const struct look done[] = { { "serviceDeployments[0].status", "SUCCESSFUL" }, { "serviceDeployments[0].targetServiceRevision.requestedTaskCount", "0" } };
    struct api_fixture f;
    services_open(&f);
    (void)fixture_call(&f, "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"a:1\",\"desiredCount\":0}");
    step(&f);
    struct str moved = fixture_call(&f, "UpdateService", OF_WEB(",\"taskDefinition\":\"a:2\""));
    step(&f);
    check_looks(&f, "no tasks are wanted", act_of(&f, at(&f, moved, "service.currentServiceDeployment")), done, COUNT_OF(done));
    CHECK_STR("completed at once", fixture_at(&f, describe(&f, "web"), "services[0].deployments[0].rolloutState"), STR("COMPLETED"));
    CHECK_EQ("alone", count_at(&f, describe(&f, "web"), "services[0].deployments"), 1);
    fixture_close(&f);
}

static void test_rollout(void)
{
    static const struct look steady[] = { { "services[0].runningCount", "2" }, { "services[0].pendingCount", "0" },
        { "services[0].deployments[0].rolloutState", "COMPLETED" }, { "services[0].deployments[0].runningCount", "2" },
        { "services[0].currentServiceRevisions[0].runningTaskCount", "2" } };
    static const struct look moved[] = { { "service.taskDefinition", DEFINITION(2) }, { "service.runningCount", "2" },
        { "service.deployments[0].status", "PRIMARY" }, { "service.deployments[0].taskDefinition", DEFINITION(2) },
        { "service.deployments[0].desiredCount", "2" }, { "service.deployments[0].runningCount", "0" }, { "service.deployments[0].rolloutState", "IN_PROGRESS" },
        { "service.deployments[1].status", "ACTIVE" }, { "service.deployments[1].taskDefinition", DEFINITION(1) },
        { "service.deployments[1].desiredCount", "2" }, { "service.deployments[1].runningCount", "2" }, { "service.deployments[1].rolloutState", "COMPLETED" } };
    static const struct look begun[] = { { "serviceDeployments[0].status", "IN_PROGRESS" }, { "serviceDeployments[0].sourceServiceRevisions[0].runningTaskCount", "2" },
        { "serviceDeployments[0].targetServiceRevision.pendingTaskCount", "2" }, { "serviceDeployments[0].targetServiceRevision.requestedTaskCount", "2" } };
    static const struct look back[] = { { "services[0].taskDefinition", DEFINITION(1) }, { "services[0].deployments[0].taskDefinition", DEFINITION(1) },
        { "services[0].deployments[0].status", "PRIMARY" } };
    struct api_fixture f;
    open_steady(&f);
    check_looks(&f, "steady", describe(&f, "web"), steady, COUNT_OF(steady));
    struct str same = fixture_call(&f, "UpdateService", OF_WEB(",\"taskDefinition\":\"a:1\""));
    CHECK_EQ("the same definition: no new deployment", count_at(&f, same, "service.deployments"), 1);

    struct str reply = fixture_call(&f, "UpdateService", OF_WEB(",\"taskDefinition\":\"a:2\""));
    const char *act = at(&f, reply, "service.currentServiceDeployment");
    check_looks(&f, "moved", reply, moved, COUNT_OF(moved));
    step(&f);
    check_looks(&f, "begun", act_of(&f, act), begun, COUNT_OF(begun));

    const char *stop = text(&f, "{\"serviceDeploymentArn\":\"%s\"}", act);
    fixture_check(&f, "stopped", "StopServiceDeployment", stop, stop);
    CHECK_STR("asked for", fixture_at(&f, act_of(&f, act), "serviceDeployments[0].status"), STR("ROLLBACK_REQUESTED"));
    fixture_check(&f, "asked for again", "StopServiceDeployment", stop, stop);
    step(&f);
    check_looks(&f, "back", describe(&f, "web"), back, COUNT_OF(back));
    machines_work(&f);
    CHECK_STR("rolled back", fixture_at(&f, act_of(&f, act), "serviceDeployments[0].status"), STR("ROLLBACK_SUCCESSFUL"));
    fixture_check(&f, "after the end", "StopServiceDeployment", stop,
                  "ConflictException: The service deployment is in a terminal state and can't be stopped.");
    fixture_close(&f);
}

static void test_abort(void)
{
    static const struct look stopped[] = { { "serviceDeployments[0].status", "STOPPED" }, { "serviceDeployments[0].targetServiceRevision.pendingTaskCount", "2" } };
    struct api_fixture f;
    open_steady(&f);
    struct str moved = fixture_call(&f, "UpdateService", OF_WEB(",\"taskDefinition\":\"a:2\""));
    const char *act = at(&f, moved, "service.currentServiceDeployment");
    step(&f);
    (void)fixture_call(&f, "StopServiceDeployment", text(&f, "{\"serviceDeploymentArn\":\"%s\",\"stopType\":\"ABORT\"}", act));
    step(&f);
    check_looks(&f, "aborted", act_of(&f, act), stopped, COUNT_OF(stopped));
    CHECK_EQ("all tasks stay", count_at(&f, fixture_call(&f, "ListTasks", "{}"), "taskArns"), 4);
    fixture_close(&f);
}

static void test_delete(void)
{
    static const struct call while_draining[] = {
        { "DRAINING", "DeleteService", OF_WEB(",\"force\":true"), "service.status", "DRAINING" },
        { "described so", "DescribeServices", "{\"services\":[\"web\"]}", "services[0].runningCount", "2" },
        { "no change", "UpdateService", OF_WEB(",\"desiredCount\":1"), NULL, "ServiceNotActiveException: Service was not ACTIVE." },
        { "again", "DeleteService", OF_WEB(""), "service.status", "DRAINING" },
        { "the name is taken", "CreateService", WEB(""), NULL, INVALID "Unable to Start a service that is still Draining." },
        { "not listed", "ListServices", "{}", "serviceArns", "[]" },
    };
    static const struct look ended[] = { { "services[0].status", "INACTIVE" }, { "services[0].desiredCount", "0" }, { "services[0].deployments", "[]" } };
    static const struct look again[] = { { "services[0].status", "ACTIVE" }, { "services[0].runningCount", "0" }, { "services[0].pendingCount", "2" } };
    struct api_fixture f;
    open_steady(&f);
    (void)fixture_call(&f, "UpdateService", OF_WEB(",\"taskDefinition\":\"a:2\""));
    step(&f);
    (void)fixture_call(&f, "UpdateService", OF_WEB(",\"desiredCount\":0"));
    fixture_check(&f, "an old deployment has tasks", "DeleteService", OF_WEB(""), INVALID "The service cannot be stopped while deployments are active.");
    check_calls(&f, while_draining, COUNT_OF(while_draining));
    step(&f);
    check_looks(&f, "its tasks are leaving", describe(&f, "web"), ended, COUNT_OF(ended));
    struct str tasks = fixture_call(&f, "ListTasks", "{\"desiredStatus\":\"STOPPED\"}");
    CHECK_EQ("all of them", count_at(&f, tasks, "taskArns"), 4);
    CHECK_STR("the name is free", fixture_at(&f, fixture_call(&f, "CreateService", WEB("")), "service.status"), STR("ACTIVE"));
    step(&f);
    check_looks(&f, "the new service counts its own tasks", describe(&f, "web"), again, COUNT_OF(again));
    check_world(&f, "the world is that of the records");
    fixture_close(&f);
}

int main(void)
{
    test_no_tasks();
    test_rollout();
    test_abort();
    test_delete();
    return check_report();
}
