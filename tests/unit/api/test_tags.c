/* TagResource, UntagResource, ListTagsForResource: on everything that has an ARN here, with their limits and complaints. */
#include "tests/unit/api/machines.h"

#define ARN(resource) "arn:aws:ecs:us-east-1:123456789012:" resource
#define TAGS(arn, tags) "{\"resourceArn\":\"" arn "\",\"tags\":[" tags "]}"
#define A1 "{\"key\":\"a\",\"value\":\"1\"}"
#define INVALID "InvalidParameterException: The ARN provided is invalid."

static const char *tag_list(struct api_fixture *f, const char *arn)
{
    struct str reply = fixture_call(f, "ListTagsForResource", text(f, "{\"resourceArn\":\"%s\"}", arn));
    return at(f, reply, "tags");
}

static void check_tags(struct api_fixture *f, const char *row, const char *arn, const char *want)
{
    CHECK_STR(row, str_from(tag_list(f, arn)), str_from(want));
}

/* The same story for each kind of thing: put, overwrite, take away, read. */
static void test_kind(struct api_fixture *f, const char *row, const char *arn)
{
    check_tags(f, row, arn, "[]");
    fixture_check(f, row, "TagResource", text(f, "{\"resourceArn\":\"%s\",\"tags\":[" A1 ",{\"key\":\"b\",\"value\":\"2\"}]}", arn), "{}");
    fixture_check(f, row, "TagResource", text(f, "{\"resourceArn\":\"%s\",\"tags\":[{\"key\":\"c\"},{\"key\":\"a\",\"value\":\"9\"}]}", arn), "{}");
    const char *all = "[{\"key\":\"a\",\"value\":\"9\"},{\"key\":\"b\",\"value\":\"2\"},{\"key\":\"c\"}]";
    check_tags(f, row, arn, all);
    fixture_check(f, row, "UntagResource", text(f, "{\"resourceArn\":\"%s\",\"tagKeys\":[\"nobody\",\"A\"]}", arn), "{}");
    check_tags(f, row, arn, all);
    fixture_check(f, row, "UntagResource", text(f, "{\"resourceArn\":\"%s\",\"tagKeys\":[\"a\",\"c\",\"a\"]}", arn), "{}");
    check_tags(f, row, arn, "[{\"key\":\"b\",\"value\":\"2\"}]");
    fixture_check(f, row, "UntagResource", text(f, "{\"resourceArn\":\"%s\",\"tagKeys\":[\"b\"]}", arn), "{}");
    check_tags(f, row, arn, "[]");
}

static void test_kinds(struct api_fixture *f)
{
    struct str instances = fixture_call(f, "ListContainerInstances", "{}");
    const char *instance = at(f, instances, "containerInstanceArns[0]");
    struct str run = fixture_call(f, "RunTask", "{\"taskDefinition\":\"web\"}");
    const char *task = at(f, run, "tasks[0].taskArn");
    test_kind(f, "a cluster", ARN("cluster/default"));
    test_kind(f, "a task definition", ARN("task-definition/web:1"));
    test_kind(f, "a daemon's task definition", ARN("daemon-task-definition/agent:1"));
    test_kind(f, "an instance", instance);
    test_kind(f, "a task", task);
    check_world(f, "tags change nothing in the world");

    (void)fixture_call(f, "TagResource", text(f, "{\"resourceArn\":\"%s\",\"tags\":[" A1 "]}", task));
    struct str shown = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"],\"include\":[\"TAGS\"]}", task));
    CHECK_STR("a task shows its tags", fixture_at(f, shown, "tasks[0].tags[0].value"), STR("1"));
    (void)fixture_call(f, "StopTask", text(f, "{\"task\":\"%s\"}", task));
    report(f, task, "STOPPED", "");
    fixture_check(f, "a stopped task", "TagResource", text(f, "{\"resourceArn\":\"%s\",\"tags\":[]}", task),
                  "InvalidParameterException: The specified task is stopped. Specify a running task and try again.");
    (void)fixture_call(f, "DeregisterContainerInstance", text(f, "{\"containerInstance\":\"%s\"}", instance));
    fixture_check(f, "an instance that is gone", "ListTagsForResource", text(f, "{\"resourceArn\":\"%s\"}", instance),
                  "InvalidParameterException: The specified container instance is inactive. Specify an active container instance and try again.");
}

static void test_refusals(struct api_fixture *f)
{
    static const struct { const char *row, *arn, *want; } rows[] = {
        { "no ARN",               "default", INVALID },
        { "nothing",              "", INVALID },
        { "another service",      "arn:aws:ec2:us-east-1:123456789012:cluster/default", INVALID },
        { "another region",       "arn:aws:ecs:eu-west-1:123456789012:cluster/default", INVALID },
        { "another account",      "arn:aws:ecs:us-east-1:210987654321:cluster/default", INVALID },
        { "another kind",         ARN("teapot/default"), INVALID },
        { "no name",              ARN("cluster/"), INVALID },
        { "no slash",             ARN("cluster"), INVALID },
        { "a cluster in parts",   ARN("cluster/default/x"), INVALID },
        { "a task without id",    ARN("task/default"), INVALID },
        { "a task with half an id", ARN("task/default/12"), INVALID },
        { "a text that is no revision", ARN("task-definition/web:x"), INVALID },
        { "an unknown cluster",   ARN("cluster/nowhere"), "ClusterNotFoundException: Cluster not found." },
        { "a deleted cluster",    ARN("cluster/gone"),
          "InvalidParameterException: The specified cluster is inactive. Specify an active cluster and try again." },
        { "a task of no cluster", ARN("task/nowhere/" NOBODY), "ClusterNotFoundException: Cluster not found." },
        { "an unknown revision",  ARN("task-definition/web:99"), "ClientException: Unable to describe task definition." },
        { "a daemon's text that is no revision", ARN("daemon-task-definition/agent:x"), INVALID },
        { "a daemon's family alone", ARN("daemon-task-definition/agent"), "ClientException: Revision is missing." },
        { "a family alone",       ARN("task-definition/web"), "ClientException: Revision is missing." },
        { "a short service ARN",  ARN("service/web"),
          "InvalidParameterException: The new ARN and resource ID format must be enabled to add tags to the service. Opt in to the new "
          "format and try again." },
        { "a service of no cluster", ARN("service/nowhere/web"), "ClusterNotFoundException: Cluster not found." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        fixture_check(f, rows[r].row, "TagResource", text(f, "{\"resourceArn\":\"%s\",\"tags\":[" A1 "]}", rows[r].arn), rows[r].want);
        fixture_check(f, rows[r].row, "UntagResource", text(f, "{\"resourceArn\":\"%s\",\"tagKeys\":[\"a\"]}", rows[r].arn), rows[r].want);
        fixture_check(f, rows[r].row, "ListTagsForResource", text(f, "{\"resourceArn\":\"%s\"}", rows[r].arn), rows[r].want);
    }
}

/* An absent resource is named by the error that the operation declares. */
static void test_missing(struct api_fixture *f)
{
    static const char *const arns[] = {
        ARN("task/default/" NOBODY), ARN("container-instance/default/" NOBODY), ARN("service/default/web"), ARN("capacity-provider/p"),
        ARN("task-set/default/web/ecs-svc/1"), ARN("daemon/default/d"), ARN("daemon-task-definition/d:1"),
    };
    for (size_t a = 0; a < COUNT_OF(arns); a++) {
        struct str missing = arena_printf(&f->kept, "ResourceNotFoundException: The specified resource was not found: %s", arns[a]);
        struct str invalid = arena_printf(&f->kept, "InvalidParameterException: The specified resource was not found: %s", arns[a]);
        CHECK_STR(arns[a], fixture_call(f, "TagResource", text(f, "{\"resourceArn\":\"%s\",\"tags\":[]}", arns[a])), missing);
        CHECK_STR(arns[a], fixture_call(f, "UntagResource", text(f, "{\"resourceArn\":\"%s\",\"tagKeys\":[]}", arns[a])), missing);
        CHECK_STR(arns[a], fixture_call(f, "ListTagsForResource", text(f, "{\"resourceArn\":\"%s\"}", arns[a])), invalid);
    }
}

/* Tags "k<first>" to "k<last>", each once. */
static const char *many(struct api_fixture *f, int first, int last)
{
    struct buf body = buf_in(&f->kept);
    buf_put(&body, STR("{\"resourceArn\":\"" ARN("cluster/full") "\",\"tags\":["));
    for (int k = first; k <= last; k++) { buf_printf(&body, "%s{\"key\":\"k%d\",\"value\":\"v\"}", k == first ? "" : ",", k); }
    buf_put(&body, STR("]}"));
    return arena_cstr(&f->kept, buf_str(&body));
}

static void test_limits(struct api_fixture *f)
{
    static const struct { const char *row; int first, last; enum err_code want; } rows[] = {
        { "fifty-one at once", 1, 51, ERR_INVALID_PARAMETER }, { "fifty", 1, 50, ERR_NONE }, { "the same fifty", 1, 50, ERR_NONE },
        { "one more", 51, 51, ERR_LIMIT_EXCEEDED }, { "one of them", 50, 50, ERR_NONE },
    };
    (void)fixture_call(f, "CreateCluster", "{\"clusterName\":\"full\"}");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        (void)fixture_call(f, "TagResource", many(f, rows[r].first, rows[r].last));
        CHECK_EQ(rows[r].row, f->code, rows[r].want);
    }
    static const struct { const char *row, *key; int repeat; enum err_code want; } keys[] = {
        { "a key of 128", "k", 128, ERR_NONE }, { "a key of 129", "k", 129, ERR_INVALID_PARAMETER }, { "no key", "", 1, ERR_INVALID_PARAMETER },
        { "128 characters, not bytes", "\u00e9", 128, ERR_NONE }, { "129 of them", "\u00e9", 129, ERR_INVALID_PARAMETER },
        { "a reserved key", "aws:x", 1, ERR_INVALID_PARAMETER }, { "a reserved key, shouted", "AWS:x", 1, ERR_INVALID_PARAMETER },
        { "nearly reserved", "awsx", 1, ERR_NONE }, { "a sign that is not allowed", "a*b", 1, ERR_INVALID_PARAMETER },
    };
    for (size_t k = 0; k < COUNT_OF(keys); k++) {
        struct buf key = buf_in(&f->kept);
        for (int i = 0; i < keys[k].repeat; i++) { buf_put(&key, str_from(keys[k].key)); }
        struct str made = buf_str(&key);
        (void)fixture_call(f, "TagResource", text(f, TAGS(ARN("cluster/default"), "{\"key\":\"%.*s\",\"value\":\"\"}"), (int)made.len,
                                                  made.len == 0 ? "" : made.ptr));
        CHECK_EQ(keys[k].row, f->code, keys[k].want);
    }
    static const struct { const char *row, *value; int repeat; enum err_code want; } values[] = {
        { "a value of 256", "v", 256, ERR_NONE }, { "a value of 257", "v", 257, ERR_INVALID_PARAMETER },
        { "256 characters, not bytes", "\u00e9", 256, ERR_NONE }, { "257 of them", "\u00e9", 257, ERR_INVALID_PARAMETER },
    };
    for (size_t v = 0; v < COUNT_OF(values); v++) {
        struct buf value = buf_in(&f->kept);
        for (int i = 0; i < values[v].repeat; i++) { buf_put(&value, str_from(values[v].value)); }
        (void)fixture_call(f, "TagResource", text(f, TAGS(ARN("cluster/default"), "{\"key\":\"k\",\"value\":\"%.*s\"}"), (int)value.len, value.ptr));
        CHECK_EQ(values[v].row, f->code, values[v].want);
    }
    fixture_check(f, "a key twice", "TagResource", TAGS(ARN("cluster/default"), A1 "," A1), "InvalidParameterException: Tag key \"a\" is given twice.");
    fixture_check(f, "untag a reserved key", "UntagResource", "{\"resourceArn\":\"" ARN("cluster/default") "\",\"tagKeys\":[\"aws:x\"]}",
                  "InvalidParameterException: Tag keys that begin with \"aws:\" are reserved: \"aws:x\".");
    fixture_check(f, "untag an empty key", "UntagResource", "{\"resourceArn\":\"" ARN("cluster/default") "\",\"tagKeys\":[\"\"]}",
                  "InvalidParameterException: tagKeys[0] must have 1 to 128 characters.");
    fixture_check(f, "no tags", "TagResource", "{\"resourceArn\":\"" ARN("cluster/default") "\"}", "InvalidParameterException: tags can not be blank.");
    fixture_check(f, "no ARN", "ListTagsForResource", "{}", "InvalidParameterException: resourceArn can not be blank.");
}

/* Berth's own tags are taken only where they mean something on the resource. */
static void test_own(struct api_fixture *f)
{
    const char *instance = at(f, fixture_call(f, "ListContainerInstances", "{}"), "containerInstanceArns[0]");
    const char *task = at(f, fixture_call(f, "RunTask", "{\"taskDefinition\":\"web\"}"), "tasks[0].taskArn");
    const struct { const char *row, *arn; bool gang, pre_pull; } kinds[] = {
        { "a cluster", ARN("cluster/default"), false, true }, { "a task definition", ARN("task-definition/web:1"), true, false },
        { "a daemon's task definition", ARN("daemon-task-definition/agent:1"), false, false },
        { "a task", task, true, false },                      { "an instance", instance, false, false },
    };
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        const struct { const char *key; bool good; } keys[] = {
            { "berth:gang", kinds[k].gang },   { "berth:gangg", false },                   { "berth:", false },     { "Berth:gang", false },
            { "berth:queued", false },         { "berth:pre-pull", kinds[k].pre_pull },    { "berth:pre-pull-2", kinds[k].pre_pull },
            { "berth:pre-pul", false },        { "berth", true },                          { "berth-gang", true },  { "a:berth:x", true },
        };
        for (size_t r = 0; r < COUNT_OF(keys); r++) {
            (void)fixture_call(f, "TagResource", text(f, "{\"resourceArn\":\"%s\",\"tags\":[{\"key\":\"%s\",\"value\":\"true\"}]}", kinds[k].arn, keys[r].key));
            CHECK_EQ(text(f, "%s: %s", kinds[k].row, keys[r].key), f->code, keys[r].good ? ERR_NONE : ERR_INVALID_PARAMETER);
        }
    }
    static const struct { const char *operation, *more; } makers[] = {
        { "CreateCluster", "\"clusterName\":\"own\"" },
        { "RegisterTaskDefinition", "\"family\":\"own\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"i\",\"memory\":9}]" },
        { "RegisterDaemonTaskDefinition", "\"family\":\"own\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"i\",\"memory\":9}]" },
        { "RunTask", "\"taskDefinition\":\"web\"" },
        { "StartTask", "\"taskDefinition\":\"web\",\"containerInstances\":[\"00000000000000000000000000000001\"]" },
        { "RegisterContainerInstance", "\"totalResources\":[]" },
    };
    for (size_t m = 0; m < COUNT_OF(makers); m++) {
        struct str reply = fixture_call(f, makers[m].operation, text(f, "{%s,\"tags\":[{\"key\":\"berth:queued\",\"value\":\"x\"}]}", makers[m].more));
        CHECK(makers[m].operation, str_starts_with(reply, STR("InvalidParameterException: The tag \"berth:queued\" means nothing here.")));
    }
    CHECK("a secret", str_starts_with(fixture_call(f, "secretsmanager.CreateSecret", "{\"Name\":\"own\",\"SecretString\":\"x\",\"ClientRequestToken\":"
        "\"12345678901234567890123456789012\",\"Tags\":[{\"Key\":\"berth:gang\",\"Value\":\"x\"}]}"), STR("InvalidParameterException: The tag \"berth:gang\"")));
}

/* A store of before may have such tags: they are read, propagated, kept beside new ones, and taken away. */
static void test_own_of_before(struct api_fixture *f)
{
    struct tag tags[] = { { STR("berth:queued"), STR("x") } };
    struct store_txn *txn = store_write_begin(f->store);
    struct taskdef old = *store_taskdef(txn, STR("web"), 1, &f->kept);
    int64_t revision;
    old.tags = (struct tag_list){ tags, 1 };
    store_put_taskdef(txn, &old);
    CHECK("stored", store_write_commit(txn, &revision));
    check_tags(f, "read", ARN("task-definition/web:1"), "[{\"key\":\"berth:queued\",\"value\":\"x\"}]");
    struct str run = fixture_call(f, "RunTask", "{\"taskDefinition\":\"web:1\",\"propagateTags\":\"TASK_DEFINITION\"}");
    CHECK_STR("propagated", fixture_at(f, run, "tasks[0].tags[0].key"), STR("berth:queued"));
    fixture_check(f, "another beside it", "TagResource", TAGS(ARN("task-definition/web:1"), A1), "{}");
    check_tags(f, "both", ARN("task-definition/web:1"), "[{\"key\":\"berth:queued\",\"value\":\"x\"}," A1 "]");
    fixture_check(f, "taken away", "UntagResource", "{\"resourceArn\":\"" ARN("task-definition/web:1") "\",\"tagKeys\":[\"berth:queued\"]}", "{}");
    check_tags(f, "gone", ARN("task-definition/web:1"), "[" A1 "]");
}

static void define_both(struct api_fixture *f)
{
    define(f, "web", "", "");
    (void)fixture_call(f, "RegisterDaemonTaskDefinition", "{\"family\":\"agent\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"i\",\"memory\":9}]}");
}

int main(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)fixture_call(&f, "CreateCluster", "{\"clusterName\":\"gone\"}");
    (void)fixture_call(&f, "DeleteCluster", "{\"cluster\":\"gone\"}");
    define_both(&f);
    (void)machine_add(&f, "m", 1);
    test_kinds(&f);
    test_refusals(&f);
    test_missing(&f);
    test_limits(&f);
    fixture_close(&f);

    cluster_open(&f);
    define_both(&f);
    (void)machine_add(&f, "m", 1);
    test_own_of_before(&f);
    test_own(&f);
    fixture_close(&f);
    return check_report();
}
