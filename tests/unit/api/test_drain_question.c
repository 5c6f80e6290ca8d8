/* test_drain_question.c: what would become of a machine's tasks if it drained, and what then becomes of them. */
#include "tests/unit/api/service_rollouts.h"

static struct str drain_of(struct api_fixture *f, const char *cluster, struct id instance)
{
    struct err err = { 0 };
    struct api_call call;
    char hex[ID_HEX_LEN + 1];
    id_hex(instance, hex);
    const char *body = text(f, "{\"cluster\":\"%s\",\"instance\":\"%s\"}", cluster, hex);
    struct rng chance = f->rng;
    struct str told;
    if (!api_prepare_what_if_drain(&f->config, str_from(body), &f->kept, &call, &err) || !fixture_run(f, &call, &f->kept, &err)) {
        told = str_from(text(f, "%s: %s", err_wire_name(err.code), err.message));
    } else {
        told = api_what_if_drain(&call);
    }
    CHECK("chance is as it was", memcmp(&chance, &f->rng, sizeof chance) == 0);
    return told;
}

/* "web 2/3 STAYS 1": replacements that fit, and tasks that stay, of the service at `place`. */
static const char *service_at(struct api_fixture *f, struct str told, int place)
{
    return text(f, "%s %s/%s %s %s", at(f, told, text(f, "services[%d].service", place)), at(f, told, text(f, "services[%d].fits", place)),
                at(f, told, text(f, "services[%d].tasks", place)), at(f, told, text(f, "services[%d].verdict", place)),
                at(f, told, text(f, "services[%d].stay", place)));
}

/* node-a has four GPUs: "web" runs two tasks there and "api" one; a task of no service holds the fourth. node-b comes later, with `gpus`. */
static struct id drain_open(struct api_fixture *f, const char *web_percents, int gpus)
{
    services_open(f);
    define(f, "gpu", GPUS("1"), "");
    struct id node = machine_add(f, "node-a", 4);
    create(f, text(f, "{\"serviceName\":\"web\",\"taskDefinition\":\"gpu\",\"desiredCount\":2%s}", web_percents));
    create(f, "{\"serviceName\":\"api\",\"taskDefinition\":\"gpu\",\"desiredCount\":1}");
    pass(f, 41);
    (void)fixture_call(f, "RunTask", "{\"taskDefinition\":\"gpu\",\"startedBy\":\"ann\"}");
    if (gpus >= 0) { (void)machine_add(f, "node-b", gpus); }
    return node;
}

#define PERCENTS(low, high) ",\"deploymentConfiguration\":{\"minimumHealthyPercent\":" low ",\"maximumPercent\":" high "}"

static void test_verdicts(void)
{
    static const struct { const char *row, *percents; int gpus; const char *web, *api, *detail; } rows[] = {
        { "room for all", "", 3, "web 2/2 MOVES 0", "api 1/1 MOVES 0",
          "It would not get empty by itself: 1 task of no service stays until it ends or is stopped." },
        { "room for two", "", 2, "web 2/2 MOVES 0", "api 0/1 STAYS 1",
          "It would not get empty by itself: 1 task of no service stays until it ends or is stopped, and 1 task of services stays for lack of room elsewhere "
          "or as their percents say." },
        { "room for one", "", 1, "web 1/2 STAYS 1", "api 0/1 STAYS 1", NULL },
        { "it may shrink", PERCENTS("50", "200"), 1, "web 1/2 SHRINKS 0", "api 0/1 STAYS 1", NULL },
        { "none is needed", PERCENTS("0", "100"), 0, "web 0/2 SHRINKS 0", "api 0/1 STAYS 1", NULL },
        { "the percents allow nothing", PERCENTS("100", "120"), 3, "web 2/2 STAYS 2", "api 1/1 MOVES 0", NULL },
        { "no other machine", "", -1, "web 0/2 STAYS 2", "api 0/1 STAYS 1", NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        struct id node = drain_open(&f, rows[r].percents, rows[r].gpus);
        struct str told = drain_of(&f, "default", node);
        CHECK_STR(rows[r].row, str_from(service_at(&f, told, 0)), str_from(rows[r].web));
        CHECK_STR(rows[r].row, str_from(service_at(&f, told, 1)), str_from(rows[r].api));
        if (rows[r].detail != NULL) { CHECK_STR(rows[r].row, str_from(at(&f, told, "detail")), str_from(rows[r].detail)); }
        CHECK_TEXT(rows[r].row, at(&f, told, "standalone[0].startedBy"), "ann");
        CHECK_EQ(rows[r].row, count_at(&f, told, "standalone"), 1);
        CHECK_EQ(rows[r].row, count_at(&f, told, "moves"), 3);
        CHECK_TEXT(rows[r].row, at(&f, told, "empties"), "false");
        CHECK_TEXT(rows[r].row, at(&f, told, "status"), "ACTIVE");
        check_world(&f, rows[r].row);
        CHECK_STR("asked again it is the same", drain_of(&f, "default", node), told);
        fixture_close(&f);
    }
}

/* Then it drains, and all goes as was said. */
static void test_comes_true(void)
{
    struct api_fixture f;
    struct id node = drain_open(&f, "", 2);
    char hex[ID_HEX_LEN + 1];
    id_hex(node, hex);
    struct str told = drain_of(&f, "default", node);
    CHECK_TEXT("the others of web have a place", at(&f, told, "moves[0].to.name"), "node-b");
    CHECK_TEXT("and api has none", at(&f, told, "moves[2].to"), "null");
    CHECK_TEXT("why", at(&f, told, "services[1].detail"), "0 of 1 replacement fit now: needs 1 GPU on one instance, the largest free slot is 0 (node-b).");
    (void)fixture_call(&f, "UpdateContainerInstancesState", text(&f, "{\"containerInstances\":[\"%s\"],\"status\":\"DRAINING\"}", hex));
    pass(&f, 60);
    told = drain_of(&f, "default", node);
    CHECK_TEXT("draining by now", at(&f, told, "status"), "DRAINING");
    CHECK_TEXT("one of api and one of nobody are left", at(&f, told, "tasks"), "2");
    CHECK_STR("api", str_from(service_at(&f, told, 0)), STR("api 0/1 STAYS 1"));
    check_world(&f, "a machine that drains is as before");
    fixture_close(&f);
}

static void test_others(void)
{
    struct api_fixture f;
    services_open(&f);
    define(&f, "a", "", "");
    struct id node = machine_add(&f, "node-a", 0);
    CHECK_TEXT("an empty one", at(&f, drain_of(&f, "default", node), "detail"), "No task is on it: it can go at once.");
    CHECK_TEXT("which is empty", at(&f, drain_of(&f, "default", node), "empties"), "true");
    create(&f, "{\"serviceName\":\"each\",\"taskDefinition\":\"a\",\"schedulingStrategy\":\"DAEMON\"}");
    pass(&f, 41);
    struct str told = drain_of(&f, "default", node);
    CHECK_STR("a daemon follows", str_from(service_at(&f, told, 0)), STR("each 0/1 FOLLOWS 0"));
    CHECK_EQ("it moves nowhere", count_at(&f, told, "moves"), 0);
    CHECK_TEXT("so that it gets empty", at(&f, told, "empties"), "true");
    CHECK_STR("another id", drain_of(&f, "default", (struct id){ { 1 } }), STR("InvalidParameterException: The cluster has no such container instance."));
    CHECK_STR("another cluster", drain_of(&f, "nope", node), STR("ClusterNotFoundException: Cluster not found."));
    fixture_close(&f);
}

static void test_names(void)
{
    static const struct { const char *name, *wanted; } rows[] = {
        { "node-a", "" }, { "nobody", "No machine of this cluster is called \"nobody\"." },
        { "twin", "Several machines of this cluster are called \"twin\": name one by its id or ARN." },
    };
    struct api_fixture f;
    services_open(&f);
    struct id node = machine_add(&f, "node-a", 0), found = { 0 };
    (void)machine_add(&f, "twin", 0);
    (void)machine_add(&f, "twin", 0);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        struct store_txn *txn = store_read_begin(f.store);
        struct op_ctx ctx = fixture_ctx(&f, txn, &f.kept, OP_READ);
        bool there = api_find_machine(&ctx, STR(""), str_from(rows[r].name), &found, &err);
        CHECK("the read is sound", store_read_end(txn));
        CHECK(rows[r].name, there == (rows[r].wanted[0] == '\0'));
        CHECK_STR(rows[r].name, str_from(err.message), str_from(rows[r].wanted));
        CHECK(rows[r].name, !there || id_eq(found, node));
    }
    fixture_close(&f);
}

int main(void)
{
    test_verdicts();
    test_comes_true();
    test_others();
    test_names();
    return check_report();
}
