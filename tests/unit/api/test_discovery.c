/* test_discovery.c: the endpoints of services, and their names. */
#include "tests/unit/api/service_lives.h"
#include "tests/unit/api/traffic.h"

#define PORT     ",\"portMappings\":[{\"containerPort\":80,\"name\":\"http\"}]"
#define REGISTRY ",\"serviceRegistries\":[{\"registryArn\":\"arn:aws:servicediscovery:us-east-1:123456789012:service/api.shop\"}]"
#define CONNECT  ",\"serviceConnectConfiguration\":{\"enabled\":true,\"namespace\":\"prod\",\"services\":[{\"portName\":\"http\",\"discoveryName\":\"front\"}]}"
#define SERVICE(more) "{\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":2" more "}"

static void open_with_ports(struct api_fixture *f)
{
    life_open(f);
    define(f, "web", PORT, "");
    define(f, "web2", PORT, "");
    addresses_add(f);
}

static struct str endpoints_of(struct api_fixture *f, const char *cluster, const char *service, int64_t *revision)
{
    struct buf out = buf_in(&f->kept);
    struct err err = { 0 };
    struct op_ctx ctx = { .config = &f->config, .txn = store_read_begin(f->store), .arena = &f->kept };
    bool good = api_print_endpoints(&ctx, str_from(cluster), str_from(service), revision, &out, &err);
    CHECK("read", store_read_end(ctx.txn));
    return good ? buf_str(&out) : arena_printf(&f->kept, "%s: %s", err_wire_name(err.code), err.message);
}

/* "10.0.0.1 UNKNOWN web.default": without the ports, which are others in each run, and sorted by address as tasks are spread. */
static const char *shown(struct api_fixture *f)
{
    int64_t revision;
    struct str reply = endpoints_of(f, "", "web", &revision);
    struct buf out = buf_in(&f->kept);
    for (int address = 1; address <= 2; address++) {
        for (int64_t e = 0; e < count_at(f, reply, "endpoints"); e++) {
            const char *endpoint = text(f, "endpoints[%lld].", (long long)e), *found = at(f, reply, text(f, "%saddress", endpoint));
            if (strcmp(found, text(f, "10.0.0.%d", address)) != 0) { continue; }
            int64_t port = strtol(at(f, reply, text(f, "%sport", endpoint)), NULL, 10);
            CHECK("a port of the machine", port > 32768 && port <= 60999);
            CHECK_TEXT("the container", at(f, reply, text(f, "%scontainer", endpoint)), "main");
            CHECK_TEXT("its port", at(f, reply, text(f, "%scontainerPort", endpoint)), "80");
            buf_printf(&out, "%s%s %s %s", out.len == 0 ? "" : ", ", found, at(f, reply, text(f, "%shealth", endpoint)), at(f, reply, text(f, "%snames", endpoint)));
        }
    }
    return arena_cstr(&f->kept, buf_str(&out));
}

/* "web.default 10.0.0.1 tcp": the rows of all names, ports as 0 or p. */
static const char *names(struct api_fixture *f)
{
    struct buf text_of = buf_in(&f->kept), out = buf_in(&f->kept);
    struct op_ctx ctx = { .config = &f->config, .txn = store_read_begin(f->store), .arena = &f->kept };
    (void)api_print_names(&ctx, &text_of);
    CHECK("read", store_read_end(ctx.txn));
    struct str reply = buf_str(&text_of);
    for (int64_t n = 0; n < count_at(f, reply, "names"); n++) {
        const char *row = text(f, "names[%lld].", (long long)n);
        buf_printf(&out, "%s%s %s %s", n == 0 ? "" : ", ", at(f, reply, text(f, "%sname", row)), at(f, reply, text(f, "%saddress", row)),
                   strcmp(at(f, reply, text(f, "%sport", row)), "0") == 0 ? "0" : at(f, reply, text(f, "%sprotocol", row)));
    }
    return arena_cstr(&f->kept, buf_str(&out));
}

/* The only task has a check, which says this; UNSET: it has said nothing yet. `interface`: its own, or NULL. */
static void health_is(struct api_fixture *f, enum health_status health, struct task_interface *interface)
{
    struct op_ctx ctx = traffic_begin(f);
    const struct task *found = store_task(ctx.txn, id_at(f, fixture_call(f, "ListTasks", "{}"), "taskArns[0]"), &f->kept);
    struct task changed = *found;
    changed.checked = 1;
    changed.interface = interface;
    changed.containers.items = arena_copy(&f->kept, found->containers.items, found->containers.count * sizeof *found->containers.items);
    changed.containers.items[0].health = health;
    placement_change_task(&ctx, found, &changed);
    traffic_end(&ctx);
}

#define TWO "10.0.0.1 UNKNOWN [\"web.default\"], 10.0.0.2 UNKNOWN [\"web.default\"]"

static void test_endpoints(void)
{
    struct api_fixture f;
    int64_t first = 0, second = 0;
    open_with_ports(&f);
    create(&f, SERVICE(""));
    (void)endpoints_of(&f, "", "web", &first);
    CHECK_TEXT("no task runs", shown(&f), "");
    pass(&f, 2);
    CHECK_TEXT("two run", shown(&f), TWO);
    struct str reply = endpoints_of(&f, "default", ACCOUNT_ARN "service/default/web", &second);
    CHECK_TEXT("by the ARN", at(&f, reply, "service"), "web");
    CHECK_TEXT("the task", at(&f, reply, "endpoints[0].protocol"), "tcp");
    CHECK("the time", strlen(at(&f, reply, "endpoints[0].since")) == 13);
    CHECK("another state has another revision", first != second);
    pass(&f, 60);
    (void)endpoints_of(&f, "", "web", &first);
    CHECK_EQ("the same one has the same", first, second);
    CHECK_TEXT("by names", names(&f), "web.default 10.0.0.1 tcp, web.default 10.0.0.2 tcp");

    update(&f, OF_WEB(",\"desiredCount\":1"));
    (void)steps(&f);
    CHECK_EQ("a task that is to stop is out at once", count_at(&f, endpoints_of(&f, "", "web", &first), "endpoints"), 1);
    pass(&f, 2);
    struct str tasks = fixture_call(&f, "ListTasks", "{}");
    report_end(&f, at(&f, tasks, "taskArns[0]"), "", ",\"exitCode\":1");
    CHECK_TEXT("one that ended too", shown(&f), "");
    CHECK_STR("no service", endpoints_of(&f, "", "other", &first), STR("ResourceNotFoundException: There is no service other in the cluster default."));
    CHECK_STR("no cluster", endpoints_of(&f, "blue", "web", &first), STR("ResourceNotFoundException: There is no service web in the cluster blue."));
    CHECK_STR("no name", endpoints_of(&f, "a b", "web", &first), STR("InvalidParameterException: Cluster must match ^[a-zA-Z0-9\\-_]{1,255}$, but was a b"));
    (void)fixture_call(&f, "DeleteService", OF_WEB(",\"force\":true"));
    pass(&f, 60);
    CHECK_STR("deleted", endpoints_of(&f, "", "web", &first), STR("ResourceNotFoundException: There is no service web in the cluster default."));
    CHECK_TEXT("it has no names", names(&f), "");
    fixture_close(&f);
}

static void test_checked(void)
{
    struct api_fixture f;
    int64_t revision;
    open_with_ports(&f);
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":1}");
    pass(&f, 2);
    health_is(&f, HEALTH_STATUS_UNSET, NULL);
    CHECK_TEXT("not checked yet", shown(&f), "");
    health_is(&f, HEALTH_STATUS_HEALTHY, NULL);
    CHECK("healthy", strstr(shown(&f), " HEALTHY [\"web.default\"]") != NULL);
    health_is(&f, HEALTH_STATUS_UNHEALTHY, NULL);
    CHECK_TEXT("unhealthy", shown(&f), "");
    health_is(&f, HEALTH_STATUS_HEALTHY, &(struct task_interface){ .subnet = STR("s"), .address = STR("10.32.0.5") });
    struct str reply = endpoints_of(&f, "", "web", &revision);
    CHECK_TEXT("an interface has an address", at(&f, reply, "endpoints[0].address"), "10.32.0.5");
    CHECK_TEXT("and the container's port", at(&f, reply, "endpoints[0].port"), "80");
    health_is(&f, HEALTH_STATUS_HEALTHY, &(struct task_interface){ .subnet = STR("s") });
    CHECK_STR("not attached yet", str_from(at(&f, endpoints_of(&f, "", "web", &revision), "endpoints")), STR("[]"));
    fixture_close(&f);
}

static void test_targets(void)
{
    struct api_fixture f;
    open_with_ports(&f);
    group_add(&f, "tg", "20", true);
    create(&f, SERVICE(IN_GROUP("tg", "main")));
    pass(&f, 2);
    CHECK_TEXT("targets are not healthy yet", shown(&f), "");
    targets_are(&f, "tg", TARGET_HEALTHY);
    CHECK_TEXT("now they are", shown(&f), "10.0.0.1 HEALTHY [\"web.default\"], 10.0.0.2 HEALTHY [\"web.default\"]");
    CHECK_TEXT("the group is a name", names(&f), "tg 10.0.0.1 tcp, tg 10.0.0.2 tcp, web.default 10.0.0.1 tcp, web.default 10.0.0.2 tcp");
    update(&f, OF_WEB(",\"desiredCount\":0"));
    pass(&f, 2);
    CHECK_TEXT("draining ones are out", names(&f), "");
    fixture_close(&f);
}

/* Tasks have the names of their own revision. */
static void test_names(void)
{
    struct api_fixture f;
    open_with_ports(&f);
    create(&f, SERVICE(REGISTRY));
    pass(&f, 50);
    CHECK_TEXT("a registry", shown(&f), "10.0.0.1 UNKNOWN [\"web.default\",\"api.shop\"], 10.0.0.2 UNKNOWN [\"web.default\",\"api.shop\"]");
    CHECK_TEXT("in order", names(&f), "api.shop 10.0.0.1 tcp, api.shop 10.0.0.2 tcp, web.default 10.0.0.1 tcp, web.default 10.0.0.2 tcp");
    update(&f, OF_WEB(",\"serviceRegistries\":[]" CONNECT));
    pass(&f, 200);
    CHECK_TEXT("Connect", shown(&f), "10.0.0.1 UNKNOWN [\"web.default\",\"front.prod\"], 10.0.0.2 UNKNOWN [\"web.default\",\"front.prod\"]");
    CHECK_TEXT("it is shown", at(&f, describe(&f, "web"), "services[0].deployments[0].serviceConnectConfiguration.namespace"), "prod");
    CHECK_TEXT("its names too", at(&f, describe(&f, "web"), "services[0].deployments[0].serviceConnectResources"), "[{\"discoveryName\":\"front\"}]");
    fixture_close(&f);
}

/* A name of both ports of a task has no port; others are of one port. */
static void test_ports(void)
{
    struct api_fixture f;
    int64_t revision;
    open_with_ports(&f);
    define(&f, "both", ",\"portMappings\":[{\"containerPort\":80,\"hostPort\":4000,\"name\":\"http\"},{\"containerPort\":81,\"protocol\":\"udp\"}]", "");
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"both\",\"desiredCount\":1,\"serviceRegistries\":[{\"registryArn\":"
               "\"arn:aws:servicediscovery:us-east-1:123456789012:service/dns.shop\",\"containerName\":\"main\",\"containerPort\":81}],"
               "\"serviceConnectConfiguration\":{\"enabled\":true,\"namespace\":\"prod\",\"services\":[{\"portName\":\"http\",\"clientAliases\":[{\"port\":4000,\"dnsName\":\"www\"}]}]}}");
    (void)steps(&f);
    struct str tasks = fixture_call(&f, "ListTasks", "{}");
    report(&f, at(&f, tasks, "taskArns[0]"), "RUNNING", "{\"containerName\":\"main\",\"status\":\"RUNNING\",\"networkBindings\":[{\"containerPort\":80,\"hostPort\":4000},"
           "{\"containerPort\":81,\"hostPort\":40001,\"protocol\":\"udp\"}]}");
    const char *address = at(&f, endpoints_of(&f, "", "web", &revision), "endpoints[0].address");
    CHECK_STR("names", str_from(names(&f)), str_from(text(&f, "dns.shop %s udp, http.prod %s tcp, web.default %s 0, www %s tcp", address, address, address, address)));
    fixture_close(&f);
}

#define SHIFTED ",\"deploymentConfiguration\":{\"strategy\":\"BLUE_GREEN\",\"bakeTimeInMinutes\":0},\"loadBalancers\":[{\"targetGroupArn\":\"" GROUP("tg") "\"," \
    "\"containerName\":\"main\",\"containerPort\":80,\"advancedConfiguration\":{\"alternateTargetGroupArn\":\"" GROUP("green") "\"," \
    "\"productionListenerRule\":\"" RULE("1") "\",\"testListenerRule\":\"" RULE("2") "\",\"roleArn\":\"r\"}}]"

/* Tasks of green come when they get the traffic, and then those of blue are out. */
static void test_shift(void)
{
    struct api_fixture f;
    open_with_ports(&f);
    group_add(&f, "tg", "60", true);
    group_add(&f, "green", "60", true);
    rule_add(&f, "1", GROUP("tg"));
    rule_add(&f, "2", GROUP("tg"));
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":1" SHIFTED "}");
    pass(&f, 2);
    targets_are(&f, "tg", TARGET_HEALTHY);
    pass(&f, 20);
    const char *blue = at(&f, fixture_call(&f, "ListTasks", "{\"family\":\"web\"}"), "taskArns[0]");
    update(&f, OF_WEB(",\"taskDefinition\":\"web2\",\"deploymentConfiguration\":{\"lifecycleHooks\":[{\"targetType\":\"PAUSE\",\"lifecycleStages\":[\"POST_TEST_TRAFFIC_SHIFT\"]}]}"));
    pass(&f, 2);
    targets_are(&f, "green", TARGET_HEALTHY);
    pass(&f, 20);
    int64_t revision;
    struct str reply = endpoints_of(&f, "", "web", &revision);
    CHECK_EQ("one endpoint", count_at(&f, reply, "endpoints"), 1);
    CHECK_TEXT("both tasks are healthy", targets_of(&f, "green"), "healthy 1");
    CHECK_STR("that of blue", str_from(at(&f, reply, "endpoints[0].task")), str_from(strrchr(blue, '/') + 1));
    const char *act = at(&f, describe(&f, "web"), "services[0].currentServiceDeployment");
    struct str hook = fixture_call(&f, "DescribeServiceDeployments", text(&f, "{\"serviceDeploymentArns\":[\"%s\"]}", act));
    (void)fixture_call(&f, "ContinueServiceDeployment", text(&f, "{\"serviceDeploymentArn\":\"%s\",\"hookId\":\"%s\"}", act,
                                                            at(&f, hook, "serviceDeployments[0].lifecycleHookDetails[0].hookId")));
    CHECK_EQ("continued", f.code, ERR_NONE);
    pass(&f, 5);
    reply = endpoints_of(&f, "", "web", &revision);
    CHECK_EQ("one endpoint", count_at(&f, reply, "endpoints"), 1);
    CHECK("that of green", strcmp(at(&f, reply, "endpoints[0].task"), strrchr(blue, '/') + 1) != 0);
    fixture_close(&f);
}

int main(void)
{
    test_endpoints();
    test_checked();
    test_targets();
    test_names();
    test_ports();
    test_shift();
    return check_report();
}
