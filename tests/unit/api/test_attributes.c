/* Custom attributes of machines: putting, deleting, listing, and that placement uses them at once. */
#include "tests/unit/api/machines.h"

static const char *hex_of(struct api_fixture *f, struct id id)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    return text(f, "%s", hex);
}

static const char *word(struct api_fixture *f, int len)
{
    char *out = arena_alloc(&f->kept, (size_t)len + 1, 1);
    memset(out, 'x', (size_t)len);
    return out;
}

/* {"attributes":[{<attribute>,"targetId":"<machine>"}]} */
static const char *one(struct api_fixture *f, struct id machine, const char *attribute)
{
    return text(f, "{\"attributes\":[{%s,\"targetId\":\"%s\"}]}", attribute, hex_of(f, machine));
}

static struct str list_custom(struct api_fixture *f, const char *name)
{
    struct str reply = fixture_call(f, "ListAttributes", text(f, "{\"targetType\":\"container-instance\",\"attributeName\":\"%s\"}", name));
    return fixture_at(f, reply, "attributes");
}

/* ---- refusals ---- */

static void test_refusals(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)fixture_call(&f, "CreateCluster", "{\"clusterName\":\"other\"}");
    const char *id = hex_of(&f, machine_add(&f, "a", 0));
    const struct { const char *row, *attribute; enum err_code put, delete; } rows[] = {
        { "by id",                  text(&f, "\"name\":\"a\",\"targetId\":\"%s\"", id), ERR_NONE, ERR_NONE },
        { "by ARN",                 text(&f, "\"name\":\"a\",\"targetId\":\"" ARN_OF("container-instance") "%s\"", id), ERR_NONE, ERR_NONE },
        { "with its type",          text(&f, "\"name\":\"a\",\"targetType\":\"container-instance\",\"targetId\":\"%s\"", id), ERR_NONE, ERR_NONE },
        { "of another type",        text(&f, "\"name\":\"a\",\"targetType\":\"task\",\"targetId\":\"%s\"", id), ERR_INVALID_PARAMETER, ERR_INVALID_PARAMETER },
        { "nowhere",                "\"name\":\"a\"", ERR_INVALID_PARAMETER, ERR_INVALID_PARAMETER },
        { "on nobody",              "\"name\":\"a\",\"targetId\":\"" NOBODY "\"", ERR_TARGET_NOT_FOUND, ERR_TARGET_NOT_FOUND },
        { "on no id",               "\"name\":\"a\",\"targetId\":\"a:b:c\"", ERR_INVALID_PARAMETER, ERR_INVALID_PARAMETER },
        { "in another cluster",     text(&f, "\"name\":\"a\",\"targetId\":\"arn:aws:ecs:us-east-1:123456789012:container-instance/other/%s\"", id),
          ERR_INVALID_PARAMETER, ERR_INVALID_PARAMETER },
        { "no name",                text(&f, "\"value\":\"a\",\"targetId\":\"%s\"", id), ERR_INVALID_PARAMETER, ERR_INVALID_PARAMETER },
        { "an empty name",          text(&f, "\"name\":\"\",\"targetId\":\"%s\"", id), ERR_INVALID_PARAMETER, ERR_INVALID_PARAMETER },
        { "a name of 128",          text(&f, "\"name\":\"%s\",\"targetId\":\"%s\"", word(&f, 128), id), ERR_NONE, ERR_NONE },
        { "a name of 129",          text(&f, "\"name\":\"%s\",\"targetId\":\"%s\"", word(&f, 129), id), ERR_INVALID_PARAMETER, ERR_INVALID_PARAMETER },
        { "all signs of a name",    text(&f, "\"name\":\"aZ9-_./\\\\\",\"targetId\":\"%s\"", id), ERR_NONE, ERR_NONE },
        { "a blank in a name",      text(&f, "\"name\":\"a b\",\"targetId\":\"%s\"", id), ERR_INVALID_PARAMETER, ERR_INVALID_PARAMETER },
        { "a value of 128",         text(&f, "\"name\":\"a\",\"value\":\"%s\",\"targetId\":\"%s\"", word(&f, 128), id), ERR_NONE, ERR_NONE },
        { "a value of 129",         text(&f, "\"name\":\"a\",\"value\":\"%s\",\"targetId\":\"%s\"", word(&f, 129), id), ERR_INVALID_PARAMETER, ERR_NONE },
        { "an empty value",         text(&f, "\"name\":\"a\",\"value\":\"\",\"targetId\":\"%s\"", id), ERR_INVALID_PARAMETER, ERR_NONE },
        { "all signs of a value",   text(&f, "\"name\":\"a\",\"value\":\"aZ9-_./\\\\@: x\",\"targetId\":\"%s\"", id), ERR_NONE, ERR_NONE },
        { "another sign",           text(&f, "\"name\":\"a\",\"value\":\"a=b\",\"targetId\":\"%s\"", id), ERR_INVALID_PARAMETER, ERR_NONE },
        { "a blank first",          text(&f, "\"name\":\"a\",\"value\":\" a\",\"targetId\":\"%s\"", id), ERR_INVALID_PARAMETER, ERR_NONE },
        { "a blank last",           text(&f, "\"name\":\"a\",\"value\":\"a \",\"targetId\":\"%s\"", id), ERR_INVALID_PARAMETER, ERR_NONE },
        { "ECS's own",              text(&f, "\"name\":\"ecs.instance-type\",\"targetId\":\"%s\"", id), ERR_INVALID_PARAMETER, ERR_INVALID_PARAMETER },
        { "the agent's own",        text(&f, "\"name\":\"com.amazonaws.ecs.x\",\"targetId\":\"%s\"", id), ERR_INVALID_PARAMETER, ERR_INVALID_PARAMETER },
        { "Berth's own",            text(&f, "\"name\":\"berth.name\",\"targetId\":\"%s\"", id), ERR_INVALID_PARAMETER, ERR_INVALID_PARAMETER },
        { "only nearly its own",    text(&f, "\"name\":\"ecsx\",\"targetId\":\"%s\"", id), ERR_NONE, ERR_NONE },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        (void)fixture_call(&f, "PutAttributes", text(&f, "{\"attributes\":[{%s}]}", rows[r].attribute));
        CHECK_EQ(rows[r].row, f.code, rows[r].put);
        (void)fixture_call(&f, "DeleteAttributes", text(&f, "{\"attributes\":[{%s}]}", rows[r].attribute));
        CHECK_EQ(rows[r].row, f.code, rows[r].delete);
    }
    fixture_check(&f, "how it reads", "PutAttributes", "{\"attributes\":[{\"name\":\"a\",\"targetId\":\"" NOBODY "\"}]}",
                  "TargetNotFoundException: Could not find " NOBODY);
    static const char *const operations[] = { "PutAttributes", "DeleteAttributes" };
    for (size_t o = 0; o < COUNT_OF(operations); o++) {
        (void)fixture_call(&f, operations[o], "{\"cluster\":\"none\",\"attributes\":[{\"name\":\"a\",\"targetId\":\"" NOBODY "\"}]}");
        CHECK_EQ("no such cluster", f.code, ERR_CLUSTER_NOT_FOUND);
        (void)fixture_call(&f, operations[o], text(&f, "{\"cluster\":\"other\",\"attributes\":[{\"name\":\"a\",\"targetId\":\"%s\"}]}", id));
        CHECK_EQ("the machine is in another cluster", f.code, ERR_TARGET_NOT_FOUND);
        (void)fixture_call(&f, operations[o], "{\"attributes\":[]}");
        CHECK_EQ("none at all", f.code, ERR_INVALID_PARAMETER);
    }
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", id));
    (void)fixture_call(&f, "PutAttributes", text(&f, "{\"attributes\":[{\"name\":\"a\",\"targetId\":\"%s\"}]}", id));
    CHECK_EQ("a machine that left", f.code, ERR_TARGET_NOT_FOUND);
    fixture_close(&f);
}

/* ---- limits ---- */

/* `count` attributes k<from>, k<from+1> … */
static const char *many(struct api_fixture *f, struct id machine, int from, int count)
{
    struct buf out = buf_in(&f->kept);
    buf_put(&out, STR("{\"attributes\":["));
    for (int a = 0; a < count; a++) {
        buf_printf(&out, "%s{\"name\":\"k%d\",\"targetId\":\"%s\"}", a == 0 ? "" : ",", from + a, hex_of(f, machine));
    }
    buf_put(&out, STR("]}"));
    return arena_cstr(&f->kept, buf_str(&out));
}

static void test_limits(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id a = machine_add(&f, "a", 0), b = machine_add(&f, "b", 0);
    (void)fixture_call(&f, "PutAttributes", many(&f, a, 0, 11));
    CHECK_EQ("eleven in one call", f.code, ERR_INVALID_PARAMETER);
    (void)fixture_call(&f, "PutAttributes", many(&f, a, 0, 9));
    CHECK_EQ("nine", f.code, ERR_NONE);
    (void)fixture_call(&f, "PutAttributes", many(&f, a, 9, 2));
    CHECK_EQ("two more are one too many", f.code, ERR_ATTRIBUTE_LIMIT_EXCEEDED);
    CHECK_STR("nothing of it was written", list_custom(&f, "k9"), STR("[]"));
    (void)fixture_call(&f, "PutAttributes", many(&f, a, 9, 1));
    CHECK_EQ("the tenth", f.code, ERR_NONE);
    fixture_check(&f, "the eleventh", "PutAttributes", many(&f, a, 10, 1),
                  "AttributeLimitExceededException: A container instance can have at most 10 custom attributes.");
    (void)fixture_call(&f, "PutAttributes", many(&f, a, 0, 10));
    CHECK_EQ("the same ten again", f.code, ERR_NONE);
    (void)fixture_call(&f, "PutAttributes", many(&f, b, 0, 10));
    CHECK_EQ("each machine has its own ten", f.code, ERR_NONE);
    (void)fixture_call(&f, "DeleteAttributes", many(&f, a, 0, 11));
    CHECK_EQ("eleven in one call", f.code, ERR_INVALID_PARAMETER);
    CHECK_EQ("ten go", count_at(&f, fixture_call(&f, "DeleteAttributes", many(&f, a, 0, 10)), "attributes"), 10);
    CHECK_EQ("there is nothing left to go", count_at(&f, fixture_call(&f, "DeleteAttributes", many(&f, a, 0, 10)), "attributes"), 0);
    (void)fixture_call(&f, "PutAttributes", many(&f, a, 10, 10));
    CHECK_EQ("and there is room again", f.code, ERR_NONE);
    check_world(&f, "limits");
    fixture_close(&f);
}

/* ---- answers, and the attributes that stay ---- */

static void test_replies(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id a = machine_add(&f, "a", 0), b = machine_add(&f, "b", 0);
    const char *arn_a = text(&f, ARN_OF("container-instance") "%s", hex_of(&f, a));
    const char *arn_b = text(&f, ARN_OF("container-instance") "%s", hex_of(&f, b));
    fixture_check(&f, "two machines in one call, one name twice", "PutAttributes",
                  text(&f, "{\"attributes\":[{\"name\":\"rack\",\"value\":\"r1\",\"targetId\":\"%s\"},{\"name\":\"rack\",\"targetId\":\"%s\"},"
                       "{\"name\":\"rack\",\"value\":\"r2\",\"targetId\":\"%s\"}]}", hex_of(&f, a), arn_b, arn_a),
                  text(&f, "{\"attributes\":[{\"name\":\"rack\",\"value\":\"r1\",\"targetId\":\"%s\"},{\"name\":\"rack\",\"targetId\":\"%s\"},"
                       "{\"name\":\"rack\",\"value\":\"r2\",\"targetId\":\"%s\"}]}", arn_a, arn_b, arn_a));
    CHECK_STR("the last of two wins", list_custom(&f, "rack"),
              str_from(text(&f, "[{\"name\":\"rack\",\"value\":\"r2\",\"targetId\":\"%s\"},{\"name\":\"rack\",\"targetId\":\"%s\"}]", arn_a, arn_b)));

    struct str reply = fixture_call(&f, "DescribeContainerInstances", text(&f, "{\"containerInstances\":[\"%s\"]}", arn_a));
    CHECK_STR("it is shown", fixture_at(&f, reply, "containerInstances[0].attributes[7]"), STR("{\"name\":\"rack\",\"value\":\"r2\"}"));
    CHECK_STR("no event in ECS", fixture_at(&f, reply, "containerInstances[0].version"), STR("2"));

    /* The agent comes again, and says nothing of it. */
    (void)fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "a", 0, text(&f, ",\"containerInstanceArn\":\"%s\"", arn_a)));
    reply = fixture_call(&f, "ListAttributes", "{\"targetType\":\"container-instance\",\"attributeName\":\"rack\",\"attributeValue\":\"r2\"}");
    CHECK_EQ("it survives a registration", count_at(&f, reply, "attributes"), 1);

    fixture_check(&f, "deleting answers with what went", "DeleteAttributes", one(&f, a, "\"name\":\"rack\",\"value\":\"any\""),
                  text(&f, "{\"attributes\":[{\"name\":\"rack\",\"value\":\"r2\",\"targetId\":\"%s\"}]}", arn_a));
    fixture_check(&f, "an absent attribute is no part of it", "DeleteAttributes", one(&f, a, "\"name\":\"rack\""), "{\"attributes\":[]}");
    (void)fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "a", 0, text(&f, ",\"containerInstanceArn\":\"%s\"", arn_a)));
    CHECK_STR("gone permanently, the other's stays", list_custom(&f, "rack"),
              str_from(text(&f, "[{\"name\":\"rack\",\"targetId\":\"%s\"}]", arn_b)));
    check_world(&f, "replies");
    fixture_close(&f);
}

/* ---- placement ---- */

#define ON_RACK(value) "{\"taskDefinition\":\"f\",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"attribute:rack == " value "\"}]}"

static void test_placement(void)
{
    struct api_fixture f;
    cluster_open(&f);
    define(&f, "f", "", "");
    (void)machine_add(&f, "a", 0);
    struct id b = machine_add(&f, "b", 0);
    const char *arn = text(&f, ARN_OF("container-instance") "%s", hex_of(&f, b));
    struct str reply = fixture_call(&f, "RunTask", ON_RACK("r1"));
    CHECK_STR("nothing is there yet", fixture_at(&f, reply, "failures[0].reason"), STR("MEMBEROF"));
    (void)fixture_call(&f, "PutAttributes", one(&f, b, "\"name\":\"rack\",\"value\":\"r1\""));
    reply = fixture_call(&f, "RunTask", ON_RACK("r1"));
    CHECK_STR("at once", fixture_at(&f, reply, "tasks[0].containerInstanceArn"), str_from(arn));
    (void)fixture_call(&f, "PutAttributes", one(&f, b, "\"name\":\"rack\",\"value\":\"r2\""));
    reply = fixture_call(&f, "RunTask", ON_RACK("r1"));
    CHECK_STR("another value", fixture_at(&f, reply, "failures[0].reason"), STR("MEMBEROF"));
    reply = fixture_call(&f, "RunTask", ON_RACK("r2"));
    CHECK_STR("is the value now", fixture_at(&f, reply, "tasks[0].containerInstanceArn"), str_from(arn));
    (void)fixture_call(&f, "DeleteAttributes", one(&f, b, "\"name\":\"rack\""));
    reply = fixture_call(&f, "RunTask", ON_RACK("r2"));
    CHECK_STR("gone", fixture_at(&f, reply, "failures[0].reason"), STR("MEMBEROF"));
    reply = fixture_call(&f, "ListContainerInstances", "{\"filter\":\"runningTasksCount == 0\"}");
    CHECK_EQ("the machines and what runs on them are as they were", count_at(&f, reply, "containerInstanceArns"), 2);
    check_world(&f, "placement");
    fixture_close(&f);
}

/* ---- ListAttributes ---- */

static void test_list_refusals(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 0);
    static const struct { const char *row, *body; enum err_code want; } rows[] = {
        { "no type",            "{}", ERR_INVALID_PARAMETER },
        { "another type",       "{\"targetType\":\"task\"}", ERR_INVALID_PARAMETER },
        { "no such cluster",    "{\"targetType\":\"container-instance\",\"cluster\":\"none\"}", ERR_CLUSTER_NOT_FOUND },
        { "a value alone",      "{\"targetType\":\"container-instance\",\"attributeValue\":\"x\"}", ERR_INVALID_PARAMETER },
        { "a page of 0",        "{\"targetType\":\"container-instance\",\"maxResults\":0}", ERR_INVALID_PARAMETER },
        { "a page of 1",        "{\"targetType\":\"container-instance\",\"maxResults\":1}", ERR_NONE },
        { "a page of 100",      "{\"targetType\":\"container-instance\",\"maxResults\":100}", ERR_NONE },
        { "a page of 101",      "{\"targetType\":\"container-instance\",\"maxResults\":101}", ERR_INVALID_PARAMETER },
        { "a foreign token",    "{\"targetType\":\"container-instance\",\"nextToken\":\"x\"}", ERR_INVALID_PARAMETER },
        { "a token of its form that it never gave", "{\"targetType\":\"container-instance\",\"nextToken\":\"TGlzdEF0dHJpYnV0ZXMgeA\"}",
          ERR_INVALID_PARAMETER },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        (void)fixture_call(&f, "ListAttributes", rows[r].body);
        CHECK_EQ(rows[r].row, f.code, rows[r].want);
    }
    fixture_close(&f);
}

/* Each attribute exactly once, in the same order, for any size of the pages. */
static void check_pages(struct api_fixture *f, const char *filter, int page, struct str whole)
{
    struct buf all = buf_in(&f->kept);
    struct str token = STR("");
    int calls = 0;
    do {
        const char *more = token.len == 0 ? "" : text(f, ",\"nextToken\":\"%.*s\"", (int)token.len, token.ptr);
        struct str reply = fixture_call(f, "ListAttributes", text(f, "{\"targetType\":\"container-instance\",\"maxResults\":%d%s%s}", page, filter, more));
        CHECK_EQ("a page", f->code, ERR_NONE);
        struct str items = fixture_at(f, reply, "attributes");
        if (items.len > 2) {
            if (all.len > 0) { buf_put_char(&all, ','); }
            buf_put(&all, str_slice(items, 1, items.len - 1));
        }
        CHECK("no page is too long", count_at(f, reply, "attributes") <= page);
        token = fixture_at(f, reply, "nextToken");
        CHECK("a token only where a full page was", token.len == 0 || count_at(f, reply, "attributes") == page);
    } while (token.len > 0 && ++calls < 200);
    CHECK_STR(filter, buf_str(&all), str_slice(whole, 1, whole.len - 1));
}

static void test_pages(void)
{
    struct api_fixture f;
    cluster_open(&f);
    for (int m = 0; m < 5; m++) {
        struct id machine = machine_add(&f, text(&f, "m%d", m), 0);
        (void)fixture_call(&f, "PutAttributes", one(&f, machine, text(&f, "\"name\":\"rack\",\"value\":\"r%d\"", m % 2)));
    }
    struct str whole = fixture_call(&f, "ListAttributes", "{\"targetType\":\"container-instance\"}");
    CHECK_EQ("all of five machines", count_at(&f, whole, "attributes"), 40);
    CHECK("in one page", !str_is_set(fixture_at(&f, whole, "nextToken")));
    CHECK_STR("by name", fixture_at(&f, whole, "attributes[0].name"), STR("berth.gpu-count"));
    CHECK_STR("by name", fixture_at(&f, whole, "attributes[7].name"), STR("rack"));
    static const int pages[] = { 1, 2, 7, 8, 9, 39, 40, 41, 100 };
    for (size_t p = 0; p < COUNT_OF(pages); p++) { check_pages(&f, "", pages[p], fixture_at(&f, whole, "attributes")); }
    struct str some = fixture_call(&f, "ListAttributes", "{\"targetType\":\"container-instance\",\"attributeName\":\"rack\",\"attributeValue\":\"r0\"}");
    CHECK_EQ("three of five", count_at(&f, some, "attributes"), 3);
    for (int p = 1; p <= 4; p++) { check_pages(&f, ",\"attributeName\":\"rack\",\"attributeValue\":\"r0\"", p, fixture_at(&f, some, "attributes")); }
    CHECK_STR("none has it", list_custom(&f, "nothing"), STR("[]"));
    fixture_close(&f);
}

/* The machines of one index page and one more; and one that left between two pages. */
static void test_many_machines(void)
{
    struct api_fixture f;
    struct id machines[129];
    cluster_open(&f);
    for (int m = 0; m < 129; m++) { machines[m] = machine_add(&f, text(&f, "m%d", m), 0); }
    struct str first = fixture_call(&f, "ListAttributes", "{\"targetType\":\"container-instance\",\"attributeName\":\"berth.name\"}");
    CHECK_EQ("a full page", count_at(&f, first, "attributes"), 100);
    const char *next = text(&f, "{\"targetType\":\"container-instance\",\"attributeName\":\"berth.name\",\"nextToken\":\"%s\"}", at(&f, first, "nextToken"));
    struct str second = fixture_call(&f, "ListAttributes", next);
    CHECK_EQ("the rest", count_at(&f, second, "attributes"), 29);
    CHECK("no more", !str_is_set(fixture_at(&f, second, "nextToken")));
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", hex_of(&f, machines[99])));
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", hex_of(&f, machines[110])));
    CHECK_EQ("without those that left", count_at(&f, fixture_call(&f, "ListAttributes", next), "attributes"), 28);
    fixture_close(&f);
}

int main(void)
{
    test_refusals();
    test_limits();
    test_replies();
    test_placement();
    test_list_refusals();
    test_pages();
    test_many_machines();
    return check_report();
}
