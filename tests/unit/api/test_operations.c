/* The table of operations, the way of a call before and around its handler, and what handlers share. */
#include "api/core/support.h"
#include "tests/unit/api/api_fixture.h"

/* ---- the table ---- */

/* ExecuteCommand writes nothing: its sessions are the server's, in memory. */
static bool reads(struct str name)
{
    static const struct str verbs[] = { STR_INIT("Describe"), STR_INIT("List"), STR_INIT("Get"), STR_INIT("Discover"), STR_INIT("ExecuteCommand") };
    for (size_t v = 0; v < COUNT_OF(verbs); v++) {
        if (str_starts_with(name, verbs[v])) { return true; }
    }
    return false;
}

static void test_table(void)
{
    size_t count;
    const struct operation *operations = api_operations(&count);
    CHECK_EQ("operations of the model", count, 77);
    for (size_t o = 0; o < count; o++) {
        const struct operation *operation = &operations[o];
        char row[64];
        CHECK("a name that fits", str_to_cstr(operation->name, row, sizeof row));
        CHECK(row, o == 0 || str_cmp(operations[o - 1].name, operation->name) < 0);
        CHECK(row, api_operation(operation->name) == operation);
        CHECK_EQ(row, operation->access, reads(operation->name) ? OP_READ : OP_WRITE);
        CHECK(row, operation->role > ACCESS_ROLE_UNSET && operation->role < ACCESS_ROLE_COUNT);
        CHECK(row, operation->invalid == ERR_INVALID_PARAMETER || operation->invalid == ERR_CLIENT);
        CHECK(row, operation->input != NULL && operation->run != NULL);
    }
}

static void test_unknown_names(void)
{
    static const char *const names[] = { "", "A", "CreateCluste", "CreateClusterX", "createcluster", "zzz", "RunTask ", "Runtask" };
    for (size_t n = 0; n < COUNT_OF(names); n++) { CHECK(names[n], api_operation(str_from(names[n])) == NULL); }
}

/* ---- before a handler runs ---- */

static void test_refusals(struct api_fixture *f)
{
    static const struct { const char *row, *operation, *body, *want; } rows[] = {
        { "unknown operation",     "Frobnicate", "{}", "UnknownOperationException: There is no operation \"Frobnicate\"." },
        { "a list, by its ARN", "ListDaemons", "{\"clusterArn\":\"arn:aws:ecs:us-east-1:123456789012:cluster/nope\"}",
          "ClusterNotFoundException: Cluster not found." },
        { "of a cluster and a service that are not there", "UpdateService", "{\"service\":\"web\",\"cluster\":\"nope\"}",
          "ClusterNotFoundException: Cluster not found." },
        { "of a service that is not there", "UpdateService", "{\"service\":\"web\"}", "ServiceNotFoundException: Service not found." },
        { "a broken limit first", "UpdateService", "{\"cluster\":\"nope\"}", "InvalidParameterException: service can not be blank." },
        { "of a cluster when it says so", "DescribeCapacityProviders", "{\"cluster\":\"nope\"}", "ClusterNotFoundException: Cluster not found." },
        { "of a daemon behind a wrong type", "CreateDaemon", "{\"daemonName\":7}",
          "SerializationException: NUMBER_VALUE can not be converted to a String (member daemonName)" },
        { "of a daemon behind a broken limit", "CreateDaemon", "{}", "InvalidParameterException: daemonName can not be blank." },
        { "a string for a list",   "DescribeClusters", "{\"clusters\":\"a\"}",
          "SerializationException: Expected list or null (member clusters)" },
        { "a number for a string", "DescribeClusters", "{\"clusters\":[1]}",
          "SerializationException: NUMBER_VALUE can not be converted to a String (member clusters[0])" },
        { "a required member",     "DeleteCluster", "{}", "InvalidParameterException: cluster can not be blank." },
        { "required, called ClientException", "DescribeTaskDefinition", "{}",
          "ClientException: TaskDefinition should not be null or empty." },
        { "an unknown word",       "DescribeClusters", "{\"include\":[\"TAG\"]}",
          "InvalidParameterException: include[0] should be one of [ATTACHMENTS,CONFIGURATIONS,SETTINGS,STATISTICS,TAGS], but was 'TAG'." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { fixture_check(f, rows[r].row, rows[r].operation, rows[r].body, rows[r].want); }

    static const char *const bodies[] = { "", " ", "{", "[]", "null", "1", "\"a\"", "{\"a\":1,\"a\":2}", "{}{}" };
    for (size_t b = 0; b < COUNT_OF(bodies); b++) {
        (void)fixture_call(f, "ListClusters", bodies[b]);
        CHECK_EQ(bodies[b], f->code, ERR_SERIALIZATION);
    }
    fixture_check(f, "unknown members are ignored", "ListClusters", "{\"a\":{\"b\":[1]},\"nextToken\":null}",
                  "{\"clusterArns\":[\"arn:aws:ecs:us-east-1:123456789012:cluster/default\"]}");
}

static void test_roles(struct api_fixture *f)
{
    static const struct { const char *row, *operation, *body; enum access_role role; enum err_code want; } rows[] = {
        { "nobody reads",            "ListClusters",  "{}", ACCESS_ROLE_UNSET, ERR_ACCESS_DENIED },
        { "a viewer reads",          "ListClusters",  "{}", ACCESS_VIEWER,     ERR_NONE },
        { "an agent reads",          "ListClusters",  "{}", ACCESS_AGENT,      ERR_NONE },
        { "an admin reads",          "ListClusters",  "{}", ACCESS_ADMIN,      ERR_NONE },
        { "a viewer makes nothing",  "CreateCluster", "{}", ACCESS_VIEWER,     ERR_ACCESS_DENIED },
        { "an agent makes its cluster", "CreateCluster", "{}", ACCESS_AGENT,   ERR_NONE },
        { "an admin makes a cluster", "CreateCluster", "{}", ACCESS_ADMIN,     ERR_NONE },
        { "a viewer deletes nothing", "DeleteCluster", "{\"cluster\":\"default\"}", ACCESS_VIEWER, ERR_ACCESS_DENIED },
        { "an agent deletes nothing", "DeleteCluster", "{\"cluster\":\"default\"}", ACCESS_AGENT, ERR_ACCESS_DENIED },
        { "an admin deletes",        "DeleteCluster", "{\"cluster\":\"default\"}", ACCESS_ADMIN,   ERR_NONE },
        { "a caller without the right learns no more", "DeleteCluster", "{\"cluster\":7}", ACCESS_VIEWER, ERR_ACCESS_DENIED },
        { "… nor of a daemon", "DeleteDaemon", "{}", ACCESS_AGENT, ERR_ACCESS_DENIED },
        { "reads a daemon", "DescribeDaemon", "{\"daemonArn\":\"a\"}", ACCESS_VIEWER, ERR_INVALID_PARAMETER },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        f->caller.role = rows[r].role;
        (void)fixture_call(f, rows[r].operation, rows[r].body);
        CHECK_EQ(rows[r].row, f->code, rows[r].want);
    }
    f->caller.role = ACCESS_VIEWER;
    fixture_check(f, "how a refusal reads", "CreateCluster", "{}",
                  "AccessDeniedException: User: arn:aws:iam::123456789012:user/tester is not authorized to perform: ecs:CreateCluster "
                  "on resource: * because no identity-based policy allows the ecs:CreateCluster action");
    f->caller.role = ACCESS_ADMIN;
}

static void test_denials(struct api_fixture *f)
{
#define WHO "User: arn:aws:iam::123456789012:user/tester is not authorized to "
    static const struct { const char *row; struct denial denial; const char *want; } rows[] = {
        { "of an action on a resource", { STR_INIT("ecs:Poll"), STR_INIT("*"), { 0 } },
          WHO "perform: ecs:Poll on resource: * because no identity-based policy allows the ecs:Poll action" },
        { "of an action", { STR_INIT("logs:PutLogEvents"), { 0 }, { 0 } },
          WHO "perform: logs:PutLogEvents because no identity-based policy allows the logs:PutLogEvents action" },
        { "with its reason", { STR_INIT("ecs:A"), STR_INIT("r"), STR_INIT("of this") }, WHO "perform: ecs:A on resource: r because of this" },
        { "to act for something", { { 0 }, STR_INIT("r"), STR_INIT("of this") }, WHO "act for r: of this" },
        { "of no action", { { 0 }, { 0 }, STR_INIT("of this") }, WHO "perform: of this" },
    };
#undef WHO
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        CHECK(rows[r].row, !caller_deny(&f->config.names, &f->caller, &rows[r].denial, &f->kept, &err));
        CHECK_EQ(rows[r].row, err.code, ERR_ACCESS_DENIED);
        CHECK_STR(rows[r].row, str_from(err.message), str_from(rows[r].want));
    }
}

/* A reply that takes more memory than the arena's ceiling is refused as well: ten names take little, their clusters more. */
static void test_large_reply(struct api_fixture *f)
{
    static const struct { const char *row; size_t ceiling; enum err_code want; } rows[] = {
        { "room enough", 1 << 20, ERR_NONE }, { "too little room", 16 << 10, ERR_CLIENT },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena = { 0 };
        struct api_call call = { 0 };
        struct err err = { 0 };
        arena_init(&arena, rows[r].ceiling);
        struct buf body = buf_in(&f->kept);
        buf_put(&body, STR("{\"clusters\":["));
        for (int i = 0; i < 40; i++) { buf_printf(&body, "%s\"c%d\"", i == 0 ? "" : ",", i); }
        buf_put(&body, STR("]}"));
        CHECK(rows[r].row, api_prepare(&f->config, &f->caller, STR("DescribeClusters"), buf_str(&body), &arena, &call, &err));
        (void)fixture_run(f, &call, &arena, &err);
        CHECK_EQ(rows[r].row, err.code, rows[r].want);
        arena_finish(&arena);
    }
}

/* Berth's internal operations have no role, no output, and no caller. */
static bool run_nothing(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    (void)ctx;
    (void)err;
    return input == NULL && output == NULL;
}

static void test_own_operation(struct api_fixture *f)
{
    static const struct operation own = { .name = STR_INIT("Own"), .access = OP_WRITE, .run = run_nothing };
    struct api_call call = { .operation = &own };
    struct err err = { 0 };
    struct buf out = buf_in(&f->kept);
    f->caller.role = ACCESS_ROLE_UNSET;
    CHECK("it runs", fixture_run(f, &call, &f->kept, &err));
    api_print(&call, &out);
    CHECK_STR("it prints an empty object", buf_str(&out), STR("{}"));
    f->caller.role = ACCESS_ADMIN;
}

/* A request that takes more memory than its arena's ceiling is refused, before anything runs. */
static void test_large_request(void)
{
    static const struct { const char *row; size_t ceiling; bool want; } rows[] = {
        { "room enough", 1 << 20, true }, { "too little room", 16 << 10, false },
    };
    static const struct caller reader = { .role = ACCESS_VIEWER };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena = { 0 }, text = { 0 };
        struct api_call call = { 0 };
        struct err err = { 0 };
        arena_init(&text, 1 << 20);
        arena_init(&arena, rows[r].ceiling);
        struct buf body = buf_in(&text);
        buf_put(&body, STR("{\"clusters\":["));
        for (int i = 0; i < 100; i++) { buf_printf(&body, "%s\"%0200d\"", i == 0 ? "" : ",", i); }
        buf_put(&body, STR("]}"));
        bool prepared = api_prepare(&(struct api_config){ 0 }, &reader, STR("DescribeClusters"), buf_str(&body), &arena, &call, &err);
        CHECK_EQ(rows[r].row, prepared, rows[r].want);
        CHECK_EQ(rows[r].row, err.code, rows[r].want ? ERR_NONE : ERR_REQUEST_TOO_LARGE);
        arena_finish(&arena);
        arena_finish(&text);
    }
}

/* ---- what handlers share ---- */

static void test_tokens(struct api_fixture *f)
{
    struct op_ctx ctx = fixture_ctx(f, NULL, &f->kept, OP_READ);
    static const char letters[] = "a~\xff b\xc3\xa4:0/9";
    struct str last = { 0 }, position;
    for (size_t len = 0; len < sizeof letters; len++) {
        struct err err = { 0 };
        struct str given = { letters, len };
        struct str token = paging_token(&ctx, STR("ListThings"), given);
        CHECK("a token is read again", paging_position(&ctx, STR("ListThings"), token, &position, &err));
        CHECK_STR("the position is the one that was written", position, given);
        CHECK("tokens differ between pages", !str_eq(token, last));
        last = token;
        CHECK("a token of another list", !paging_position(&ctx, STR("ListThing"), token, &position, &err));
        CHECK_EQ("a token of another list", err.code, ERR_INVALID_PARAMETER);
    }
    struct err fine = { 0 };
    CHECK("no token", paging_position(&ctx, STR("ListThings"), (struct str){ 0 }, &position, &fine) && !str_is_set(position));

    static const char *const bad[] = { "", "A", "!!!!", "TGlzdFRoaW5ncw", "TGlzdFRoaW5ncyA=", "TGlzdFRoaW5ncyB", " TGlzdFRoaW5ncyA" };
    for (size_t b = 0; b < COUNT_OF(bad); b++) {
        struct err err = { 0 };
        CHECK(bad[b], !paging_position(&ctx, STR("ListThings"), str_from(bad[b]), &position, &err));
        CHECK_EQ(bad[b], err.code, ERR_INVALID_PARAMETER);
    }
    struct err good = { 0 };
    CHECK("the good one among the bad ones", paging_position(&ctx, STR("ListThings"), STR("TGlzdFRoaW5ncyA"), &position, &good));
}

static void test_tags(struct api_fixture *f)
{
    char *k129 = arena_alloc(&f->kept, 130, 1), *v257 = arena_alloc(&f->kept, 258, 1);
    memset(k129, 'k', 129);
    memset(v257, 'v', 257);
    const struct { const char *row; struct tag tags[2]; size_t count; bool want; } rows[] = {
        { "none",                       { { { 0 }, { 0 } } }, 0, true },
        { "one without a value",        { { STR("k"), { 0 } } }, 1, true },
        { "all signs",                  { { STR("a B9_.:/=+-@"), STR(" _.:/=+-@") } }, 1, true },
        { "letters of other scripts",   { { STR("\xC3\xA4\xE4\xB8\xAD"), STR("\xF0\x9D\x84\x9E") } }, 1, true },
        { "a key of 128",               { { { k129, 128 }, { 0 } } }, 1, true },
        { "a key of 129",               { { { k129, 129 }, { 0 } } }, 1, false },
        { "no key",                     { { { 0 }, STR("v") } }, 1, false },
        { "a value of 256",             { { STR("k"), { v257, 256 } } }, 1, true },
        { "a value of 257",             { { STR("k"), { v257, 257 } } }, 1, false },
        { "a sign that is refused",     { { STR("k;"), { 0 } } }, 1, false },
        { "a value that is refused",    { { STR("k"), STR("a\tb") } }, 1, false },
        { "a reserved key",             { { STR("aws:x"), { 0 } } }, 1, false },
        { "reserved in any case",       { { STR("AwS:x"), { 0 } } }, 1, false },
        { "only nearly reserved",       { { STR("awsx:"), { 0 } } }, 1, true },
        { "two keys",                   { { STR("a"), { 0 } }, { STR("A"), { 0 } } }, 2, true },
        { "a key twice",                { { STR("a"), { 0 } }, { STR("a"), STR("x") } }, 2, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        struct tag tags[2] = { rows[r].tags[0], rows[r].tags[1] };
        struct tag_list list = { tags, rows[r].count };
        CHECK_EQ(rows[r].row, support_check_tags(&list, TAGGED_ANY, &err), rows[r].want);
        CHECK_EQ(rows[r].row, err.code, rows[r].want ? ERR_NONE : ERR_INVALID_PARAMETER);
    }
}

static void test_tag_count(struct api_fixture *f)
{
    struct tag *tags = ARENA_NEW(&f->kept, struct tag, 51);
    for (int t = 0; t < 51; t++) { tags[t].key = arena_printf(&f->kept, "k%d", t); }
    struct err fine = { 0 }, err = { 0 };
    CHECK("fifty tags", support_check_tags(&(struct tag_list){ tags, 50 }, TAGGED_ANY, &fine));
    CHECK("fifty-one tags", !support_check_tags(&(struct tag_list){ tags, 51 }, TAGGED_ANY, &err));
}

static void test_effects(struct api_fixture *f)
{
    struct op_ctx ctx = fixture_ctx(f, NULL, &f->kept, OP_WRITE);
    for (unsigned i = 0; i < 40; i++) {
        struct id id = { { (uint8_t)(1 + i % 20) } };
        support_effect(&ctx, EFFECT_WAKE_INSTANCE, id);
    }
    CHECK_EQ("each instance is woken once", ctx.effects.count, 20);
    support_effect(&ctx, EFFECT_CLOSE_INSTANCE, ctx.effects.items[0].instance);
    CHECK_EQ("closing is another hint than waking", ctx.effects.count, 21);
    CHECK_EQ("the last one is it", ctx.effects.items[20].kind, EFFECT_CLOSE_INSTANCE);
}

int main(void)
{
    static struct api_fixture f;
    test_table();
    test_unknown_names();
    test_large_request();
    fixture_open(&f);
    (void)fixture_call(&f, "CreateCluster", "{}");
    test_refusals(&f);
    test_roles(&f);
    test_denials(&f);
    test_own_operation(&f);
    test_large_reply(&f);
    test_tokens(&f);
    test_tags(&f);
    test_tag_count(&f);
    test_effects(&f);
    fixture_close(&f);
    return check_report();
}
