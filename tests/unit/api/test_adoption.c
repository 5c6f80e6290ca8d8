/* test_adoption.c: machines that a provisioner has and Berth did not order, with the tag berth:adopt: theirs is the instance that has registered already, MaxSize
 * is their limit, and nothing is ended that was not ordered. And what a provisioner says of its types, and `mode` of a machine that leaves. */
#include "tests/unit/api/stage.h"

#define FIRST  STR("m-00000000000000000000000000000001")
#define SECOND STR("m-00000000000000000000000000000002")

static struct tag own_tag;
static void tagged(struct kept_provider *provider) { provider->tags = (struct tag_list){ &own_tag, 1 }; }

static void open_with(struct stage *stage, const char *key, const char *value, int64_t max)
{
    own_tag = (struct tag){ str_from(key), str_from(value) };
    stage_open_as(stage, false, 100, max, tagged);
    scaling_off(stage);
}

/* Until the list has been asked for that many times. */
static void lists(struct stage *stage, int count)
{
    struct api_fixture *f = &stage->f;
    while (count > 0) {
        f->now_ms += MINUTE_MS;
        char verbs[16];
        (void)run_all(f, &stage->plant, verbs);
        count -= strchr(verbs, 'l') != NULL;
    }
}

static struct str instance_member(struct stage *stage, struct id id, const char *member)
{
    struct api_fixture *f = &stage->f;
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    return fixture_at(f, fixture_call(f, "DescribeContainerInstances", text(f, "{\"containerInstances\":[\"%s\"]}", hex)),
                      text(f, "containerInstances[0].%s", member));
}

static void test_registered_before(void)
{
    static struct stage stage;
    open_with(&stage, "berth:adopt", "true", 5);
    struct id instance = agent_comes(&stage.f, "a", FIRST);
    (void)start_thing(&stage.f, &stage.plant, FIRST);
    CHECK("nobody's yet", !str_is_set(instance_member(&stage, instance, "capacityProviderName")));
    lists(&stage, 1);
    CHECK("one list is no proof", size_of(&stage) == 0 && str_contains(stage.f.lines, STR("it is adopted if the next list has it, too")));
    lists(&stage, 1);
    CHECK_STR("two are: its agent is there", str_from(states(&stage.f)), STR("A"));
    CHECK_EQ("the group has one more", pool_now(&stage.f).desired, 1);
    CHECK_EQ("and no stray", (int64_t)pool_now(&stage.f).strays.count, 0);
    CHECK_STR("its instance is the provider's", instance_member(&stage, instance, "capacityProviderName"), STR("p"));
    CHECK_STR("and takes tasks", instance_status(&stage.f, instance), STR("ACTIVE"));
    CHECK("it is said", str_contains(stage.f.lines, STR("(pool p) adopts m-00000000000000000000000000000001: the provisioner has it, and it was not ordered")));
    want(&stage.f, &stage.pool, 0);
    lists(&stage, 1);
    CHECK("it is ended as any other", size_of(&stage) == 0 && !stage.plant.things[0].runs);
    stage_close(&stage);
}

static void test_registers_later(void)
{
    static struct stage stage;
    open_with(&stage, "berth:adopt", "true", 5);
    (void)start_thing(&stage.f, &stage.plant, FIRST);
    (void)start_thing(&stage.f, &stage.plant, SECOND);
    lists(&stage, 2);
    CHECK_STR("both boot, as far as anybody knows", str_from(states(&stage.f)), STR("BB"));
    static const char token[] = "{\"name\":\"" MACHINE_TOKEN_ATTRIBUTE "\",\"value\":\"of an order that is lost\"},";
    struct id instance = agent_comes_with(&stage.f, "a", FIRST, token);
    CHECK_STR("its agent comes", str_from(states(&stage.f)), STR("AB"));
    CHECK_STR("to the provider", instance_member(&stage, instance, "capacityProviderName"), STR("p"));
    stage.f.now_ms += 15 * MINUTE_MS;
    lists(&stage, 1);
    CHECK("the other one never comes, and is ended", !stage.plant.things[1].runs);
    stage_close(&stage);
}

/* The list was empty, and the next one is ten minutes away: an agent that comes makes it come soon. */
static void test_comes_behind_a_list(void)
{
    static const struct { const char *adopts; int64_t desired; } rows[] = { { "true", 1 }, { "false", 0 } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct stage stage;
        open_with(&stage, "berth:adopt", rows[r].adopts, 5);
        lists(&stage, 1);
        (void)start_thing(&stage.f, &stage.plant, FIRST);
        (void)agent_comes(&stage.f, "a", FIRST);
        minutes(&stage, 3);
        CHECK_EQ(rows[r].adopts, pool_now(&stage.f).desired, rows[r].desired);
        CHECK_EQ("adopted, or still unseen", (int64_t)size_of(&stage), rows[r].desired);
        CHECK("it runs", stage.plant.things[0].runs);
        stage_close(&stage);
    }
}

/* As UpdateAutoScalingGroup does. */
static void change_pool(struct stage *stage, int64_t max, struct str template)
{
    int64_t revision;
    struct store_txn *txn = store_write_begin(stage->f.store);
    struct kept_pool pool = *store_pool(txn, STR("p"), &stage->f.kept);
    pool.max = max;
    pool.template = template;
    if (str_is_set(template)) { pool.template_version = STR("$Latest"); }
    store_job_begin(txn);
    store_put_pool(txn, &pool);
    CHECK("written", store_job_end(txn, true) && store_write_commit(txn, &revision));
}

static void test_max_size(void)
{
    static struct stage stage;
    open_with(&stage, "berth:adopt", "true", 1);
    struct id ids[] = { agent_comes(&stage.f, "a", FIRST), agent_comes(&stage.f, "b", SECOND) };
    (void)start_thing(&stage.f, &stage.plant, FIRST);
    (void)start_thing(&stage.f, &stage.plant, SECOND);
    lists(&stage, 4);
    CHECK_EQ("up to MaxSize", (int64_t)size_of(&stage), 1);
    CHECK("the other one is left alone", stage.plant.things[0].runs && stage.plant.things[1].runs);
    CHECK_STR("its instance takes no tasks", instance_status(&stage.f, ids[1]), STR("DRAINING"));
    CHECK_STR("and says why", instance_member(&stage, ids[1], "statusReason"), STR("The machine was not ordered, and its group has MaxSize machines"));
    CHECK_STR("the first one does", instance_status(&stage.f, ids[0]), STR("ACTIVE"));
    change_pool(&stage, 2, (struct str){ NULL, 0 });
    lists(&stage, 1);
    CHECK_STR("with a greater MaxSize", str_from(states(&stage.f)), STR("AA"));
    CHECK_STR("it takes tasks", instance_status(&stage.f, ids[1]), STR("ACTIVE"));
    stage_close(&stage);
}

static void test_other_ids(void)
{
    static struct stage stage;
    open_with(&stage, "berth:adopt", "true", 5);
    (void)start_thing(&stage.f, &stage.plant, STR("box7"));
    lists(&stage, 4);
    CHECK("an id of another form is neither adopted nor ended", size_of(&stage) == 0 && stage.plant.things[0].runs);
    stage_close(&stage);
    open_with(&stage, "berth:adopt", "false", 5);
    (void)start_thing(&stage.f, &stage.plant, FIRST);
    lists(&stage, 2);
    CHECK("without the tag's word it is ended", size_of(&stage) == 0 && !stage.plant.things[0].runs);
    stage_close(&stage);
}

/* ---- the way in which a machine leaves ---- */

static void test_mode(void)
{
    static const struct { const char *value, *mode; } rows[] = { { "true", "suspend" }, { "false", "terminate" } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct stage stage;
        struct api_fixture *f = &stage.f;
        open_with(&stage, "berth:suspend", rows[r].value, 5);
        want(f, &stage.pool, 1);
        work(&stage);
        CHECK_STR("it is there", str_from(states(f)), STR("A"));
        want(f, &stage.pool, 0);
        const struct provision_call *call = named(f);
        ASSERT(call != NULL);
        CHECK_STR("it is to leave", call->verb, STR("down"));
        CHECK_STR(rows[r].mode, fixture_at(f, call->body, "machines[0].mode"), str_from(rows[r].mode));
        answered(f, call, PROVISIONED_ANSWERED, str_from(text(f, "{\"machines\":[{\"id\":\"" STR_FMT "\",\"state\":\"suspended\"}]}",
                                                              STR_ARG(fixture_at(f, call->body, "machines[0].id")))));
        CHECK_EQ("and has left", (int64_t)size_of(&stage), 0);
        stage_close(&stage);
    }
}

/* ---- plans ---- */

/* The next call that is no list: lists say that the provisioner has plans. */
static const struct provision_call *next_call(struct stage *stage)
{
    struct api_fixture *f = &stage->f;
    const struct provision_call *call = named(f);
    for (; call != NULL && str_eq(call->verb, STR("list")); call = named(f)) {
        answered(f, call, PROVISIONED_ANSWERED, STR("{\"plan\":true,\"complete\":true,\"machines\":[]}"));
    }
    ASSERT(call != NULL);
    return call;
}

static void plan_is(struct stage *stage, const char *types)
{
    const struct provision_call *call = next_call(stage);
    CHECK_STR("it is asked for a plan", call->verb, STR("plan"));
    answered(&stage->f, call, PROVISIONED_ANSWERED, str_from(text(&stage->f, "{\"types\":%s}", types)));
}

static struct str ordered_type(struct stage *stage)
{
    const struct provision_call *call = next_call(stage);
    return !str_eq(call->verb, STR("up")) ? call->verb : fixture_at(&stage->f, call->body, "machines[0].type");
}

static void test_plan(void)
{
    static const struct { const char *row, *types, *want; } rows[] = {
        { "nothing is said", "[]", "g6f.large" },
        { "the cheapest is gone", "[{\"type\":\"g6f.large\",\"available\":0}]", "g6f.xlarge" },
        { "one is left", "[{\"type\":\"g6f.large\",\"available\":1}]", "g6f.large" },
        { "another one is cheaper", "[{\"type\":\"p3.2xlarge\",\"price\":0.1}]", "p3.2xlarge" },
        { "a plan adds no type", "[{\"type\":\"lab.t4\",\"price\":0.01,\"available\":9}]", "g6f.large" },
        { "no types", "7", "g6f.large" },
        { "no type's name", "[{\"available\":0},3,{\"type\":\"g6f.large\",\"price\":\"dear\",\"available\":-7}]", "g6f.large" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct stage stage;
        stage_open(&stage, true, 100, 5);
        plan_is(&stage, rows[r].types);
        run_tasks(&stage, 1);
        CHECK_STR(rows[r].row, ordered_type(&stage), str_from(rows[r].want));
        stage_close(&stage);
    }
}

/* The number counts down with each order; the next plan has another one. */
static void test_left(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage, true, 100, 5);
    plan_is(&stage, "[{\"type\":\"g6f.large\",\"available\":1}]");
    run_tasks(&stage, 2);
    const struct provision_call *call = next_call(&stage);
    CHECK_STR("the last one of the cheapest", fixture_at(f, call->body, "machines[0].type"), STR("g6f.large"));
    CHECK_STR("and another type", fixture_at(f, call->body, "machines[1].type"), STR("g6f.xlarge"));
    answered(f, call, PROVISIONED_ANSWERED, plant_obeys(f, &stage.plant, call));
    CHECK_EQ("no machine is left", pool_now(f).offers.items[0].left, 0);
    f->now_ms += 10 * MINUTE_MS;
    plan_is(&stage, "[{\"type\":\"g6f.large\",\"available\":3}]");
    CHECK_EQ("a plan with each list", pool_now(f).offers.items[0].left, 3);
    stage_close(&stage);
}

/* A group of one type, of which there is none: the provisioner is asked each minute, and not for a machine. */
static void test_none_left(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage, false, 100, 5);
    struct str made = fixture_call(f, "ec2:CreateLaunchTemplate", "LaunchTemplateName=one&LaunchTemplateData.InstanceType=p3.2xlarge");
    CHECK_EQ("a template of one type", f->code, ERR_NONE);
    change_pool(&stage, 5, fixture_at(f, made, "launchTemplate.launchTemplateId"));
    plan_is(&stage, "[{\"type\":\"p3.2xlarge\",\"available\":0}]");
    run_tasks(&stage, 1);
    CHECK("nothing is ordered", named(f) == NULL && size_of(&stage) == 0);
    struct api_call call;
    struct err err = { 0 };
    bool good = api_prepare_why_provider(&f->config, STR("{\"provider\":\"p\"}"), &f->kept, &call, &err) && fixture_run(f, &call, &f->kept, &err);
    CHECK("and `berth why` says it", good && str_contains(api_why_provider(&call), STR("The provisioner has no more machines of type p3.2xlarge.")));
    f->now_ms += MINUTE_MS;
    plan_is(&stage, "[{\"type\":\"p3.2xlarge\",\"available\":1}]");
    CHECK_STR("as soon as there is one", ordered_type(&stage), STR("p3.2xlarge"));
    stage_close(&stage);
}

static void test_no_plan(void)
{
    static const struct { const char *row; enum provisioned_end end; } rows[] = {
        { "no answer", PROVISIONED_UNKNOWN }, { "later", PROVISIONED_LATER }, { "no program", PROVISIONED_REFUSED }, { "no JSON", PROVISIONED_ANSWERED },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct stage stage;
        stage_open(&stage, true, 100, 5);
        const struct provision_call *call = next_call(&stage);
        answered(&stage.f, call, rows[r].end, STR("oops"));
        run_tasks(&stage, 1);
        CHECK_STR(rows[r].row, ordered_type(&stage), STR("g6f.large"));
        stage_close(&stage);
    }
}

int main(void)
{
    test_registered_before();
    test_registers_later();
    test_comes_behind_a_list();
    test_max_size();
    test_other_ids();
    test_mode();
    test_plan();
    test_left();
    test_none_left();
    test_no_plan();
    return check_report();
}
