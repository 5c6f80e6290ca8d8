/* test_capacity_orders.c: what holds a capacity provider's orders: a person's word, a suspension, a price; machines that prove themselves; tags; and what
 * `berth why PROVIDER` says of all that. */
#include "tests/unit/api/stage.h"

static struct tag_list own_tags;
static void tagged(struct kept_provider *provider) { provider->tags = own_tags; }

static void stage_tagged(struct stage *stage, const char *key, const char *value, int64_t max)
{
    static struct tag tag;
    tag = (struct tag){ str_from(key), str_from(value) };
    own_tags = (struct tag_list){ &tag, 1 };
    stage_open_as(stage, true, 100, max, tagged);
}

static struct str ordered(struct stage *stage, const char *action, const char *provider)
{
    struct api_fixture *f = &stage->f;
    struct api_call call;
    struct err err = { 0 };
    struct str body = str_from(text(f, "{\"provider\":\"%s\",\"action\":\"%s\"}", provider, action));
    bool good = api_prepare_order_capacity(&f->config, body, &f->kept, &call, &err) && fixture_run(f, &call, &f->kept, &err);
    return good ? STR("") : arena_str(&f->kept, str_from(err.message));
}

static struct str why(struct stage *stage, const char *provider)
{
    struct api_fixture *f = &stage->f;
    struct api_call call;
    struct err err = { 0 };
    struct str body = str_from(text(f, "{\"provider\":\"%s\"}", provider));
    bool good = api_prepare_why_provider(&f->config, body, &f->kept, &call, &err) && fixture_run(f, &call, &f->kept, &err);
    return good ? api_why_provider(&call) : arena_str(&f->kept, str_from(err.message));
}

static struct str why_at(struct stage *stage, const char *path) { return fixture_at(&stage->f, why(stage, "p"), path); }

/* ---- orders ---- */

static void test_approve(void)
{
    static struct stage stage;
    stage_tagged(&stage, "berth:approve", "true", 5);
    run_tasks(&stage, 2);
    minutes(&stage, 3);
    CHECK_EQ("nothing is ordered", size_of(&stage), 0);
    CHECK("it asks, once", str_contains(stage.f.lines, STR("asks whether it may have 2 machines: `berth capacity approve p`")));
    CHECK_STR("and says so", why_at(&stage, "askedFor"), STR("2"));
    CHECK_STR("a person", ordered(&stage, "APPROVE", "p"), STR(""));
    minutes(&stage, 2);
    CHECK_EQ("allows it", size_of(&stage), 2);
    CHECK_EQ("both run", placed(&stage), 2);
    run_tasks(&stage, 1);
    minutes(&stage, 3);
    CHECK_EQ("no more than that", size_of(&stage), 2);
    CHECK_STR("one more is asked for", why_at(&stage, "askedFor"), STR("1"));
    stop_all(&stage);
    minutes(&stage, 8);
    CHECK_EQ("they go", size_of(&stage), 0);
    run_tasks(&stage, 1);
    minutes(&stage, 3);
    CHECK_EQ("and it asks again", size_of(&stage), 0);
    stop_all(&stage);
    minutes(&stage, 2);
    CHECK_EQ("what nobody waits for is not asked for any more", pool_now(&stage.f).desired, 0);
    stage_close(&stage);
}

static void test_suspend(void)
{
    static struct stage stage;
    stage_open(&stage, true, 100, 5);
    run_tasks(&stage, 1);
    CHECK_STR("suspended", ordered(&stage, "SUSPEND", "p"), STR(""));
    minutes(&stage, 3);
    CHECK_EQ("nothing is ordered", size_of(&stage), 0);
    CHECK("why says who", str_contains(why_at(&stage, "reasons"), STR("It is suspended by ")));
    CHECK_STR("resumed", ordered(&stage, "RESUME", "arn:aws:ecs:us-east-1:123456789012:capacity-provider/p"), STR(""));
    minutes(&stage, 2);
    CHECK_EQ("it has its machine", size_of(&stage), 1);
    stage_close(&stage);
}

static void test_price(void)
{
    static const struct { const char *row, *cap; size_t want; } rows[] = { { "below one", "0.01", 0 }, { "one of them", "0.30", 1 }, { "both", "1000", 2 } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct stage stage;
        stage_tagged(&stage, "berth:max-price", rows[r].cap, 5);
        run_tasks(&stage, 2);
        minutes(&stage, 4);
        CHECK_EQ(rows[r].row, size_of(&stage), rows[r].want);
        CHECK_EQ(rows[r].row, str_contains(why_at(&stage, "reasons"), STR("berth:max-price")), rows[r].want < 2);
        stage_close(&stage);
    }
}

static void test_refusals(void)
{
    static const struct { const char *row, *action, *provider, *want; } rows[] = {
        { "no such provider", "SUSPEND", "nope", "There is no such capacity provider, or its group does not exist any more." },
        { "one that does not ask", "APPROVE", "p", "The capacity provider p does not ask: it has no tag berth:approve with the value true." },
        { "no such action", "EXPLODE", "p", NULL },
    };
    static struct stage stage;
    stage_open(&stage, true, 100, 5);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str said = ordered(&stage, rows[r].action, rows[r].provider);
        CHECK(rows[r].row, rows[r].want == NULL ? said.len > 0 : str_eq(said, str_from(rows[r].want)));
    }
    CHECK_STR("why of nobody", why(&stage, "nope"), STR("There is no such capacity provider."));
    stage_close(&stage);
}

/* ---- tags ---- */

static void test_tags(void)
{
    static const struct { const char *row, *tags, *want; } rows[] = {
        { "a time", "[{\"key\":\"berth:patch-after\",\"value\":\"14d\"},{\"key\":\"berth:patch-by\",\"value\":\"21d\"}]", "{}" },
        { "no time", "[{\"key\":\"berth:patch-after\",\"value\":\"soon\"}]",
          "InvalidParameterException: The tag berth:patch-after can't be \"soon\": it should be a time from 1m to 365d, for example 14d." },
        { "too short", "[{\"key\":\"berth:patch-after\",\"value\":\"59s\"}]",
          "InvalidParameterException: The tag berth:patch-after can't be \"59s\": it should be a time from 1m to 365d, for example 14d." },
        { "by before after", "[{\"key\":\"berth:patch-by\",\"value\":\"13d\"}]",
          "InvalidParameterException: The time of berth:patch-by can't be less than that of berth:patch-after." },
        { "a price", "[{\"key\":\"berth:max-price\",\"value\":\"12.50\"}]", "{}" },
        { "no price", "[{\"key\":\"berth:max-price\",\"value\":\"0\"}]",
          "InvalidParameterException: The tag berth:max-price can't be \"0\": it should be US dollars an hour for all machines, for example 12.50." },
        { "no truth", "[{\"key\":\"berth:approve\",\"value\":\"yes\"}]",
          "InvalidParameterException: The tag berth:approve can't be \"yes\": it should be true or false." },
        { "another noun's", "[{\"key\":\"berth:queue\",\"value\":\"wait\"}]",
          "InvalidParameterException: The tag \"berth:queue\" means nothing here. Tags that begin with \"berth:\" are Berth's own, and here may be "
          "berth:patch-after, berth:patch-by, berth:max-price, berth:approve, berth:token, berth:adopt, berth:suspend." },
    };
    static struct stage stage;
    stage_open(&stage, true, 100, 5);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        fixture_check(&stage.f, rows[r].row, "TagResource", text(&stage.f, "{\"resourceArn\":\"arn:aws:ecs:us-east-1:123456789012:capacity-provider/p\",\"tags\":%s}",
                                                                 rows[r].tags), rows[r].want);
    }
    stage_close(&stage);
}

/* ---- tokens ---- */

/* The order of the only machine, as the provisioner sees it: its id and its token. */
static void order_one(struct stage *stage, struct str *id, struct str *token)
{
    struct api_fixture *f = &stage->f;
    const struct provision_call *call = named(f);
    for (; call != NULL && !str_eq(call->verb, STR("up")); call = named(f)) { answered(f, call, PROVISIONED_ANSWERED, plant_obeys(f, &stage->plant, call)); }
    ASSERT(call != NULL);
    *id = fixture_at(f, call->body, "machines[0].id");
    *token = fixture_at(f, call->body, "machines[0].join.token");
    answered(f, call, PROVISIONED_ANSWERED, plant_obeys(f, &stage->plant, call));
}

static struct str comes(struct stage *stage, const char *name, struct str id, struct str token)
{
    static const char attributes[] = "\"attributes\":[";
    struct api_fixture *f = &stage->f;
    const char *body = machine_body(f, name, 1, ""), *rest = strstr(body, attributes) + sizeof attributes - 1;
    const char *said = token.len == 0 ? "" : text(f, "{\"name\":\"" MACHINE_TOKEN_ATTRIBUTE "\",\"value\":\"" STR_FMT "\"},", STR_ARG(token));
    return fixture_call(f, "RegisterContainerInstance", text(f, "%.*s%s{\"name\":\"" MACHINE_ID_ATTRIBUTE "\",\"value\":\"" STR_FMT "\"},%s", (int)(rest - body), body,
                                                             said, STR_ARG(id), rest));
}

static void test_tokens(void)
{
    static const struct { const char *row; bool asked; char token; enum err_code want; } rows[] = {      /* r: the right one, w: a wrong one, n: none */
        { "asked for: the right one", true, 'r', ERR_NONE }, { "asked for: none", true, 'n', ERR_CLIENT }, { "asked for: a wrong one", true, 'w', ERR_CLIENT },
        { "not asked for: none", false, 'n', ERR_NONE }, { "not asked for: a wrong one", false, 'w', ERR_CLIENT },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct stage stage;
        struct str id, token;
        stage_tagged(&stage, "berth:token", rows[r].asked ? "true" : "false", 5);
        run_tasks(&stage, 1);
        order_one(&stage, &id, &token);
        CHECK_EQ("a token", (int64_t)token.len, ID_HEX_LEN);
        (void)comes(&stage, "a", id, rows[r].token == 'r' ? token : rows[r].token == 'w' ? STR("0123456789abcdef0123456789abcdef") : STR(""));
        CHECK_EQ(rows[r].row, stage.f.code, rows[r].want);
        CHECK_STR(rows[r].row, str_from(states(&stage.f)), rows[r].want == ERR_NONE ? STR("A") : STR("B"));
        if (rows[r].want == ERR_NONE) {
            (void)comes(&stage, "b", id, token);
            CHECK_EQ("it counts once", stage.f.code, ERR_CLIENT);
        }
        stage_close(&stage);
    }
}

/* ---- why ---- */

static void test_why(void)
{
    static struct stage stage;
    stage_open(&stage, true, 100, 5);
    run_tasks(&stage, 3);
    CHECK_STR("M", why_at(&stage, "needed"), STR("3"));
    CHECK_STR("N", why_at(&stage, "size"), STR("0"));
    CHECK_STR("the target", why_at(&stage, "target"), STR("100"));
    CHECK_STR("what it would order", why_at(&stage, "evidence[0].use"), STR("new"));
    CHECK_STR("for how many", why_at(&stage, "evidence[0].waiting"), STR("3"));
    CHECK_EQ("which", count_at(&stage.f, why(&stage, "p"), "evidence[0].tasks"), 3);
    struct str id, token;
    order_one(&stage, &id, &token);
    CHECK_STR("an ordered machine", why_at(&stage, "evidence[0].use"), STR("on order"));
    CHECK_STR("a machine that boots", why_at(&stage, "machines[0].state"), STR("BOOTING"));
    CHECK_STR("is not late", why_at(&stage, "machines[0].late"), STR("false"));
    stage.f.now_ms += 8 * MINUTE_MS;
    CHECK_STR("but after half of its time", why_at(&stage, "machines[0].late"), STR("true"));
    CHECK("and it is said", str_contains(why_at(&stage, "reasons"), STR("is late: it was started 8m ago and has not registered.")));
    CHECK("what comes next", str_contains(why_at(&stage, "next"), STR("is given up if it has not registered")));
    stage_close(&stage);

    stage_open(&stage, true, 100, 5);
    define(&stage.f, "huge", GPUS("99"), "");
    (void)fixture_call(&stage.f, "RunTask", "{\"taskDefinition\":\"huge\",\"capacityProviderStrategy\":[{\"capacityProvider\":\"p\",\"weight\":1}]}");
    work(&stage);
    CHECK_EQ("no order for what fits nowhere (case 29)", size_of(&stage), 0);
    CHECK("and why", str_contains(why_at(&stage, "reasons"), STR("1 waiting tasks fit on no machine that the group can have: one needs 99 GPUs")));
    stage_close(&stage);
}

int main(void)
{
    test_approve();
    test_suspend();
    test_price();
    test_refusals();
    test_tags();
    test_tokens();
    test_why();
    return check_report();
}
