/* test_provider_choice.c: capacity provider strategies of RunTask, services and task sets: errors, the order of tasks over providers, instances of
 * providers, tasks that wait, and which tasks of a service stop. */
#include "api/capacity/machines.h"
#include "tests/unit/api/service_lives.h"

#define ITEM(name, base, weight) "{\"capacityProvider\":\"" name "\",\"base\":" base ",\"weight\":" weight "}"
#define RUN(count, items)        "{\"taskDefinition\":\"a\",\"count\":" count ",\"capacityProviderStrategy\":[" items "]}"
#define WEB_OF(items)            WEB(",\"capacityProviderStrategy\":[" items "]")

/* ---- the stage ---- */

struct made { const char *name; bool managed, scales, of_cluster; enum capacity_provider_status status; };

/* Providers and their pools, which have the same names, in the store; those of the cluster are associated with it. */
static void put_providers(struct api_fixture *f, const struct made *made, size_t count)
{
    struct arena arena;
    int64_t revision;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    struct store_txn *txn = store_write_begin(f->store);
    struct cluster cluster = *store_cluster(txn, STR("default"), &arena);
    cluster.capacity_providers.items = ARENA_NEW(&arena, struct str, count);
    store_job_begin(txn);
    for (size_t p = 0; p < count; p++) {
        struct managed_scaling scaling = { .status = made[p].scales ? MANAGED_SCALING_STATUS_ENABLED : MANAGED_SCALING_STATUS_DISABLED };
        struct auto_scaling_group_provider group = { .auto_scaling_group_arn = STR("arn"), .managed_scaling = &scaling };
        struct managed_instances_provider managed = { .infrastructure_role_arn = STR("role") };
        struct kept_provider provider = { .name = str_from(made[p].name), .pool = str_from(made[p].name), .status = made[p].status };
        if (made[p].managed) { provider.managed = &managed; } else { provider.group = &group; }
        if (made[p].managed && made[p].of_cluster) { provider.cluster = cluster.number; }
        if (!made[p].managed && made[p].of_cluster) { cluster.capacity_providers.items[cluster.capacity_providers.count++] = provider.name; }
        store_put_provider(txn, &provider);
        store_put_pool(txn, &(struct kept_pool){ .name = provider.name, .kind = made[p].managed ? POOL_MANAGED : POOL_GROUP, .max = 10 });
    }
    store_put_cluster(txn, &cluster);
    CHECK("kept", store_job_end(txn, true) && store_write_commit(txn, &revision));
    arena_finish(&arena);
}

/* A machine of the pool, which registers. */
static struct id join(struct api_fixture *f, const char *pool, uint8_t number)
{
    static const char attributes[] = "\"attributes\":[";
    int64_t revision;
    struct kept_machine machine = { .id = { { number, number } }, .pool = str_from(pool), .type = STR("t"), .state = MACHINE_ORDERED };
    struct store_txn *txn = store_write_begin(f->store);
    store_job_begin(txn);
    store_put_machine(txn, &machine);
    CHECK("kept", store_job_end(txn, true) && store_write_commit(txn, &revision));
    const char *body = machine_body(f, text(f, "%s-%d", pool, number), 0, ""), *rest = strstr(body, attributes) + sizeof attributes - 1;
    struct str word = machine_id_text(machine.id, &f->kept);
    struct str reply = fixture_call(f, "RegisterContainerInstance", text(f, "%.*s{\"name\":\"" MACHINE_ID_ATTRIBUTE "\",\"value\":\"" STR_FMT "\"},%s",
                                                                         (int)(rest - body), body, STR_ARG(word), rest));
    CHECK_EQ(pool, f->code, ERR_NONE);
    struct id id = id_at(f, reply, "containerInstance.containerInstanceArn");
    machine_presence(f, id, true);
    return id;
}

static const struct made usual[] = {
    { "A", false, false, true, CAPACITY_PROVIDER_STATUS_ACTIVE }, { "B", false, false, true, CAPACITY_PROVIDER_STATUS_ACTIVE },
    { "S", false, true, true, CAPACITY_PROVIDER_STATUS_ACTIVE }, { "M", true, true, true, CAPACITY_PROVIDER_STATUS_ACTIVE },
    { "far", false, false, false, CAPACITY_PROVIDER_STATUS_ACTIVE }, { "gone", false, false, true, CAPACITY_PROVIDER_STATUS_DEPROVISIONING },
    { "other", true, true, false, CAPACITY_PROVIDER_STATUS_ACTIVE },
};

static void stage_open(struct api_fixture *f)
{
    services_open(f);
    put_providers(f, usual, COUNT_OF(usual));
}

/* The providers of the tasks of a reply, in their order: "A B B". */
static const char *providers_of(struct api_fixture *f, struct str reply)
{
    const char *all = "";
    for (int t = 0; t < 100; t++) {
        struct str name = fixture_at(f, reply, text(f, "tasks[%d].capacityProviderName", t));
        if (!str_is_set(name)) { break; }
        all = text(f, "%s%s" STR_FMT, all, t == 0 ? "" : " ", STR_ARG(name));
    }
    return all;
}

/* ---- errors ---- */

#define NOT_FOUND(name)  INVALID "The specified capacity provider '" name "' was not found. Specify a valid name or ARN and try again."
#define NO_WEIGHT        INVALID "There are no capacity providers with a weight value greater than zero defined in the capacity provider strategy. At least one " \
    "capacity provider must have a weight value greater than zero specified. Specify a valid capacity provider strategy and try again."
#define NOT_OF(name)     INVALID "The specified capacity provider '" name "' is not associated with the cluster. Associate the capacity provider with the " \
    "cluster and try again."

static void test_errors(void)
{
    static const struct { const char *row, *items, *want; } rows[] = {
        { "unknown", ITEM("nope", "0", "1"), NOT_FOUND("nope") },
        { "unknown, by ARN", ITEM(ACCOUNT_ARN "capacity-provider/nope", "0", "1"), NOT_FOUND("nope") },
        { "not of the cluster", ITEM("far", "0", "1"), NOT_OF("far") },
        { "of another cluster", ITEM("other", "0", "1"), NOT_OF("other") },
        { "not ACTIVE", ITEM("gone", "0", "1"), INVALID "The specified capacity provider 'gone' is not in an ACTIVE state. Specify a valid capacity provider and "
          "try again." },
        { "Fargate", ITEM("FARGATE", "0", "1"), "ClientException: Capacity provider FARGATE is not available: Berth runs tasks on the machines that are "
          "registered with it." },
        { "no weight", ITEM("A", "0", "0") "," ITEM("B", "0", "0"), NO_WEIGHT },
        { "a base and no weight", ITEM("A", "1", "0"), NO_WEIGHT },
        { "two bases", ITEM("A", "1", "1") "," ITEM("B", "1", "1"), INVALID "Only one capacity provider in a capacity provider strategy can have a base." },
        { "twice", ITEM("A", "0", "1") "," ITEM(ACCOUNT_ARN "capacity-provider/A", "0", "1"), INVALID "The capacity provider strategy names 'A' more "
          "than once." },
        { "two kinds", ITEM("A", "0", "1") "," ITEM("M", "0", "1"), INVALID "A capacity provider strategy can't have both Auto Scaling group and managed "
          "instances capacity providers." },
    };
    struct api_fixture f;
    stage_open(&f);
    (void)machine_add(&f, "plain", 0);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        fixture_check(&f, rows[r].row, "RunTask", text(&f, RUN("1", "%s"), rows[r].items), rows[r].want);
        fixture_check(&f, rows[r].row, "CreateService", text(&f, WEB_OF("%s"), rows[r].items), rows[r].want);
    }
    fixture_check(&f, "with a launch type", "RunTask", "{\"taskDefinition\":\"a\",\"launchType\":\"EC2\",\"capacityProviderStrategy\":[" ITEM("A", "0", "1") "]}",
                  INVALID "Specify either Launch Type or Capacity Provider Strategy, but not both.");
    (void)fixture_call(&f, "RunTask", RUN("1", ITEM("A", "0", "1001")));
    CHECK_EQ("weight 1001", f.code, ERR_INVALID_PARAMETER);
    (void)fixture_call(&f, "RunTask", RUN("1", ITEM("A", "100001", "1")));
    CHECK_EQ("base 100001", f.code, ERR_INVALID_PARAMETER);
    check_world(&f, "refusals change nothing");
    fixture_close(&f);
}

/* ---- RunTask ---- */

static void test_run(void)
{
    static const struct { const char *row, *body, *want; } rows[] = {
        { "weights", RUN("10", ITEM("A", "0", "1") "," ITEM("B", "0", "4")), "B B B A B B B B A B" },
        { "a base", RUN("3", ITEM("A", "1", "0") "," ITEM("B", "0", "1")), "A B B" },
        { "by ARN", RUN("2", ITEM(ACCOUNT_ARN "capacity-provider/A", "0", "1")), "A A" },
        { "a gang has one provider", "{\"taskDefinition\":\"a\",\"count\":3,\"tags\":[{\"key\":\"berth:gang\",\"value\":\"true\"}],\"capacityProviderStrategy\":["
          ITEM("A", "0", "1") "," ITEM("B", "0", "4") "]}", "B B B" },
        { "a launch type has none", "{\"taskDefinition\":\"a\",\"launchType\":\"EC2\"}", "" },
    };
    struct api_fixture f;
    stage_open(&f);
    struct id a = join(&f, "A", 1), b = join(&f, "B", 2);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(&f, "RunTask", rows[r].body);
        CHECK_EQ(rows[r].row, f.code, ERR_NONE);
        CHECK_STR(rows[r].row, str_from(providers_of(&f, reply)), str_from(rows[r].want));
        for (int t = 0; t < 10 && str_is_set(fixture_at(&f, reply, text(&f, "tasks[%d].capacityProviderName", t))); t++) {
            bool on_a = id_eq(id_at(&f, reply, text(&f, "tasks[%d].containerInstanceArn", t)), a);
            CHECK_STR(rows[r].row, fixture_at(&f, reply, text(&f, "tasks[%d].capacityProviderName", t)), on_a ? STR("A") : STR("B"));
        }
    }
    char hex[ID_HEX_LEN + 1];
    id_hex(b, hex);
    struct str reply = fixture_call(&f, "DescribeContainerInstances", text(&f, "{\"containerInstances\":[\"%s\"]}", hex));
    CHECK_STR("the instance", fixture_at(&f, reply, "containerInstances[0].capacityProviderName"), STR("B"));
    CHECK_STR("its name", fixture_at(&f, reply, "containerInstances[0].ec2InstanceId"), STR("i-02020000000000000"));
    check_world(&f, "the world is that of the store");
    fixture_close(&f);
}

/* Without room a task fails where the provider does not scale, and waits where it does; the tag decides before that. */
static void test_no_room(void)
{
#define TAGGED(item) "{\"taskDefinition\":\"a\",\"tags\":[{\"key\":\"berth:queue\",\"value\":\"wait:2h\"}],\"capacityProviderStrategy\":[" item "]}"
    static const struct call calls[] = {
        { "scaling on, no machine", "RunTask", RUN("1", ITEM("S", "0", "1")), "tasks[0].lastStatus", "PROVISIONING" },
        { "managed instances", "RunTask", RUN("1", ITEM("M", "0", "1")), "tasks[0].launchType", "MANAGED_INSTANCES" },
        { "scaling off, no machine", "RunTask", RUN("1", ITEM("A", "0", "1")), NULL, INVALID "No Container Instances were found in your cluster." },
    }, later[] = {
        { "scaling off, none of its machines", "RunTask", RUN("1", ITEM("A", "0", "1")), "failures[0].reason", "ATTRIBUTE" },
        { "scaling off, with the tag", "RunTask", TAGGED(ITEM("A", "0", "1")), "tasks[0].lastStatus", "PROVISIONING" },
        { "one of each", "RunTask", RUN("2", ITEM("A", "0", "1") "," ITEM("S", "0", "1")), "tasks[0].capacityProviderName", "S" },
        { "one of each", "RunTask", RUN("2", ITEM("A", "0", "1") "," ITEM("S", "0", "1")), "failures[0].reason", "ATTRIBUTE" },
    };
    struct api_fixture f;
    stage_open(&f);
    check_calls(&f, calls, COUNT_OF(calls));
    struct str reply = fixture_call(&f, "RunTask", RUN("1", ITEM("S", "0", "1")));
    const char *task = arena_str(&f.kept, fixture_at(&f, reply, "tasks[0].taskArn")).ptr;
    (void)machine_add(&f, "plain", 0);
    (void)steps(&f);
    check_calls(&f, later, COUNT_OF(later));
    reply = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\"]}", task));
    CHECK_STR("another machine is no room", fixture_at(&f, reply, "tasks[0].lastStatus"), STR("PROVISIONING"));
    (void)join(&f, "S", 3);
    (void)steps(&f);
    reply = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\"]}", task));
    CHECK_STR("its machine is", fixture_at(&f, reply, "tasks[0].lastStatus"), STR("PENDING"));
    CHECK_STR("and it keeps its provider", fixture_at(&f, reply, "tasks[0].capacityProviderName"), STR("S"));
    check_world(&f, "the world is that of the store");
    fixture_close(&f);
}

/* ---- services ---- */

/* The service's RUNNING tasks: "A 4, B 8". */
static const char *spread(struct api_fixture *f)
{
    struct str list = arena_str(&f->kept, fixture_call(f, "ListTasks", "{\"serviceName\":\"web\",\"desiredStatus\":\"RUNNING\"}"));
    struct str arns = str_slice(list, strlen("{\"taskArns\":"), list.len);
    struct str reply = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":" STR_FMT, STR_ARG(arns)));
    int a = 0, b = 0;
    for (int t = 0; t < 100; t++) {
        char path[64];
        (void)snprintf(path, sizeof path, "tasks[%d].capacityProviderName", t);
        struct str name = fixture_at(f, reply, path);
        if (!str_is_set(name)) { break; }
        a += str_eq(name, STR("A"));
        b += str_eq(name, STR("B"));
    }
    return text(f, "A %d, B %d", a, b);
}

static void test_service(void)
{
    struct api_fixture f;
    stage_open(&f);
    (void)join(&f, "A", 1);
    (void)join(&f, "B", 2);
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"a:1\",\"desiredCount\":12,\"capacityProviderStrategy\":["
               ITEM(ACCOUNT_ARN "capacity-provider/A", "2", "1") "," "{\"capacityProvider\":\"B\",\"weight\":4}]}");
    static const struct call shown[] = {
        { "by its name", "DescribeServices", "{\"services\":[\"web\"]}", "services[0].capacityProviderStrategy[0].capacityProvider", "A" },
        { "the base is filled in", "DescribeServices", "{\"services\":[\"web\"]}", "services[0].capacityProviderStrategy[1].base", "0" },
        { "no launch type", "DescribeServices", "{\"services\":[\"web\"]}", "services[0].launchType", NULL },
    };
    check_calls(&f, shown, COUNT_OF(shown));
    pass(&f, 5);
    CHECK_STR("12 tasks", str_from(spread(&f)), STR("A 4, B 8"));
    static const struct { const char *count, *want; } counts[] = { { "7", "A 3, B 4" }, { "2", "A 2, B 0" }, { "12", "A 4, B 8" } };
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        update(&f, text(&f, OF_WEB(",\"desiredCount\":%s"), counts[c].count));
        pass(&f, 5);
        CHECK_STR(counts[c].count, str_from(spread(&f)), str_from(counts[c].want));
    }
    update(&f, OF_WEB(",\"forceNewDeployment\":true,\"capacityProviderStrategy\":[" ITEM("A", "0", "1") "," ITEM("B", "0", "1") "]"));
    pass(&f, 20);
    CHECK_STR("another strategy", str_from(spread(&f)), STR("A 6, B 6"));
    check_world(&f, "the world is that of the store");
    fixture_close(&f);
}

/* The cluster's default strategy, and a provider that has no room: its tasks do not move to another one. */
static void test_default(void)
{
    struct api_fixture f;
    stage_open(&f);
    (void)join(&f, "A", 1);
    struct arena arena;
    int64_t revision;
    struct capacity_provider_strategy_item items[] = { { .capacity_provider = STR("A"), .weight = { 1, true } }, { .capacity_provider = STR("B"), .weight = { 1, true } } };
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    struct store_txn *txn = store_write_begin(f.store);
    struct cluster cluster = *store_cluster(txn, STR("default"), &arena);
    cluster.default_strategy = (struct capacity_provider_strategy_item_list){ items, COUNT_OF(items) };
    store_job_begin(txn);
    store_put_cluster(txn, &cluster);
    CHECK("kept", store_job_end(txn, true) && store_write_commit(txn, &revision));
    arena_finish(&arena);
    struct str reply = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"a\",\"count\":2}");
    CHECK_STR("of the default", str_from(providers_of(&f, reply)), STR("A"));
    CHECK_STR("the other has no machine", fixture_at(&f, reply, "failures[0].reason"), STR("ATTRIBUTE"));
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"a:1\",\"desiredCount\":4}");
    pass(&f, 5);
    CHECK_STR("half of them", str_from(spread(&f)), STR("A 2, B 0"));
    (void)join(&f, "B", 2);
    pass(&f, 20);
    CHECK_STR("all of them", str_from(spread(&f)), STR("A 2, B 2"));
    fixture_close(&f);
}

int main(void)
{
    test_errors();
    test_run();
    test_no_room();
    test_service();
    test_default();
    return check_report();
}
