/* Clusters: created once, described, listed, deleted, made again. */
#include "tests/unit/api/api_fixture.h"

#define ARN "arn:aws:ecs:us-east-1:123456789012:cluster/"
#define PLAIN(name, status, tags, settings) \
    "{\"clusterArn\":\"" ARN name "\",\"clusterName\":\"" name "\",\"status\":\"" status "\"," \
    "\"registeredContainerInstancesCount\":0,\"runningTasksCount\":0,\"pendingTasksCount\":0,\"activeServicesCount\":0," \
    "\"statistics\":[],\"tags\":[" tags "],\"settings\":[" settings "],\"capacityProviders\":[]," \
    "\"defaultCapacityProviderStrategy\":[]}"
#define INSIGHTS(value) "{\"name\":\"containerInsights\",\"value\":\"" value "\"}"

#define INCONSISTENT \
    "InvalidParameterException: Arguments on this idempotent request are inconsistent with arguments used in previous request(s)."
#define NO_PROVIDER \
    "ClientException: The specified capacity provider does not exist. Specify a valid name or ARN and try again."
#define OVERRIDE \
    "{\"executeCommandConfiguration\":{\"logging\":\"OVERRIDE\",\"logConfiguration\":{\"cloudWatchEncryptionEnabled\":false," \
    "\"s3BucketName\":\"b\",\"s3EncryptionEnabled\":false}}}"

struct row { const char *row, *operation, *body, *want; };

static void run_rows(struct api_fixture *f, const struct row *rows, size_t count)
{
    for (size_t r = 0; r < count; r++) { fixture_check(f, rows[r].row, rows[r].operation, rows[r].body, rows[r].want); }
}

/* ---- create ---- */

static void test_create(struct api_fixture *f)
{
    static const struct row rows[] = {
        { "without a name", "CreateCluster", "{}", "{\"cluster\":" PLAIN("default", "ACTIVE", "", INSIGHTS("disabled")) "}" },
        { "again",          "CreateCluster", "{\"clusterName\":\"default\"}",
          "{\"cluster\":" PLAIN("default", "ACTIVE", "", INSIGHTS("disabled")) "}" },
        { "with settings and tags", "CreateCluster",
          "{\"clusterName\":\"a-1_B\",\"settings\":[" INSIGHTS("enhanced") "],\"tags\":[{\"key\":\"k\",\"value\":\"v\"},{\"key\":\"l\"}]}",
          "{\"cluster\":" PLAIN("a-1_B", "ACTIVE", "{\"key\":\"k\",\"value\":\"v\"},{\"key\":\"l\"}", INSIGHTS("enhanced")) "}" },
        { "again, tags in another order", "CreateCluster", "{\"clusterName\":\"a-1_B\",\"tags\":[{\"key\":\"l\"},{\"key\":\"k\",\"value\":\"v\"}]}",
          "{\"cluster\":" PLAIN("a-1_B", "ACTIVE", "{\"key\":\"k\",\"value\":\"v\"},{\"key\":\"l\"}", INSIGHTS("enhanced")) "}" },
        { "again, only named", "CreateCluster", "{\"clusterName\":\"a-1_B\"}",
          "{\"cluster\":" PLAIN("a-1_B", "ACTIVE", "{\"key\":\"k\",\"value\":\"v\"},{\"key\":\"l\"}", INSIGHTS("enhanced")) "}" },
        { "again, other settings", "CreateCluster", "{\"clusterName\":\"a-1_B\",\"settings\":[" INSIGHTS("enabled") "]}", INCONSISTENT },
        { "again, fewer tags", "CreateCluster", "{\"clusterName\":\"a-1_B\",\"tags\":[{\"key\":\"l\"}]}", INCONSISTENT },
        { "again, another value", "CreateCluster", "{\"clusterName\":\"a-1_B\",\"tags\":[{\"key\":\"l\"},{\"key\":\"k\",\"value\":\"w\"}]}",
          INCONSISTENT },
        { "again, a configuration", "CreateCluster", "{\"clusterName\":\"a-1_B\",\"configuration\":" OVERRIDE "}", INCONSISTENT },
        { "again, a namespace", "CreateCluster", "{\"clusterName\":\"a-1_B\",\"serviceConnectDefaults\":{\"namespace\":\"n\"}}", INCONSISTENT },
        { "empty lists say nothing", "CreateCluster",
          "{\"capacityProviders\":[],\"defaultCapacityProviderStrategy\":[],\"tags\":[],\"settings\":[]}",
          "{\"cluster\":" PLAIN("default", "ACTIVE", "", INSIGHTS("disabled")) "}" },
    };
    run_rows(f, rows, COUNT_OF(rows));
}

static void test_create_full(struct api_fixture *f)
{
    static const char body[] = "{\"clusterName\":\"full\",\"configuration\":" OVERRIDE ",\"serviceConnectDefaults\":{\"namespace\":\"n\"}}";
    for (int again = 0; again < 2; again++) {
        struct str reply = fixture_call(f, "CreateCluster", body);
        CHECK_STR("configuration comes back", fixture_at(f, reply, "cluster.configuration"), STR(OVERRIDE));
        CHECK_STR("namespace comes back", fixture_at(f, reply, "cluster.serviceConnectDefaults.namespace"), STR("n"));
    }
    fixture_check(f, "another configuration", "CreateCluster",
                  "{\"clusterName\":\"full\",\"configuration\":{\"executeCommandConfiguration\":{\"logging\":\"NONE\"}}}", INCONSISTENT);
    fixture_check(f, "another namespace", "CreateCluster", "{\"clusterName\":\"full\",\"serviceConnectDefaults\":{\"namespace\":\"m\"}}",
                  INCONSISTENT);
}

static void test_create_refused(struct api_fixture *f)
{
    static const struct row rows[] = {
        { "an empty name", "CreateCluster", "{\"clusterName\":\"\"}",
          "InvalidParameterException: Cluster must match ^[a-zA-Z0-9\\-_]{1,255}$, but was " },
        { "a bad name", "CreateCluster", "{\"clusterName\":\"a b\"}",
          "InvalidParameterException: Cluster must match ^[a-zA-Z0-9\\-_]{1,255}$, but was a b" },
        { "a provider", "CreateCluster", "{\"clusterName\":\"p\",\"capacityProviders\":[\"nope\"]}", NO_PROVIDER },
        { "a strategy", "CreateCluster", "{\"clusterName\":\"p\",\"defaultCapacityProviderStrategy\":[{\"capacityProvider\":\"x\"}]}",
          "InvalidParameterException: defaultCapacityProviderStrategy[0] names a capacity provider that is not associated with the cluster: \"x\"." },
        { "an unknown setting", "CreateCluster", "{\"settings\":[{\"name\":\"x\",\"value\":\"enabled\"}]}",
          "InvalidParameterException: settings[0].name should be one of [containerInsights], but was 'x'." },
        { "an unknown value", "CreateCluster", "{\"settings\":[{\"name\":\"containerInsights\",\"value\":\"on\"}]}",
          "InvalidParameterException: Invalid cluster setting: settings[0] must be containerInsights with the value enabled, disabled or "
          "enhanced." },
        { "a setting twice", "CreateCluster", "{\"settings\":[" INSIGHTS("enabled") "," INSIGHTS("enabled") "]}",
          "InvalidParameterException: Cluster setting containerInsights is given more than once." },
        { "OVERRIDE without a log configuration", "CreateCluster",
          "{\"configuration\":{\"executeCommandConfiguration\":{\"logging\":\"OVERRIDE\"}}}",
          "InvalidParameterException: executeCommandConfiguration.logConfiguration must be given when logging is OVERRIDE." },
        { "a reserved tag", "CreateCluster", "{\"tags\":[{\"key\":\"aws:a\"}]}",
          "InvalidParameterException: Tag keys that begin with \"aws:\" are reserved: \"aws:a\"." },
        { "nothing of it was made", "ListClusters", "{}", "{\"clusterArns\":[]}" },
    };
    run_rows(f, rows, COUNT_OF(rows));
}

static void test_name_length(struct api_fixture *f)
{
    char name[257] = { 0 };
    memset(name, 'n', 256);
    (void)fixture_call_str(f, "CreateCluster", arena_printf(&f->kept, "{\"clusterName\":\"%.255s\"}", name));
    CHECK_EQ("a name of 255", f->code, ERR_NONE);
    (void)fixture_call_str(f, "CreateCluster", arena_printf(&f->kept, "{\"clusterName\":\"%.256s\"}", name));
    CHECK_EQ("a name of 256", f->code, ERR_INVALID_PARAMETER);
}

/* ---- describe ---- */

static void test_describe(struct api_fixture *f)
{
    fixture_check(f, "the default, which is not there", "DescribeClusters", "{}",
                  "{\"clusters\":[],\"failures\":[{\"arn\":\"" ARN "default\",\"reason\":\"MISSING\"}]}");
    (void)fixture_call(f, "CreateCluster", "{}");
    (void)fixture_call(f, "CreateCluster", "{\"clusterName\":\"a\",\"tags\":[{\"key\":\"k\"}],\"configuration\":" OVERRIDE "}");
    static const struct row rows[] = {
        { "the default", "DescribeClusters", "{}", "{\"clusters\":[" PLAIN("default", "ACTIVE", "", "") "],\"failures\":[]}" },
        { "an empty list", "DescribeClusters", "{\"clusters\":[]}", "{\"clusters\":[" PLAIN("default", "ACTIVE", "", "") "],\"failures\":[]}" },
        { "by name and ARN, in order, once", "DescribeClusters", "{\"clusters\":[\"a\",\"default\",\"" ARN "a\",\"a\"]}",
          "{\"clusters\":[" PLAIN("a", "ACTIVE", "", "") "," PLAIN("default", "ACTIVE", "", "") "],\"failures\":[]}" },
        { "missing ones", "DescribeClusters", "{\"clusters\":[\"x\",\"a\",\"" ARN "y\",\"x\"]}",
          "{\"clusters\":[" PLAIN("a", "ACTIVE", "", "") "],\"failures\":[{\"arn\":\"" ARN "x\",\"reason\":\"MISSING\"},"
          "{\"arn\":\"" ARN "y\",\"reason\":\"MISSING\"}]}" },
        { "an ARN is echoed as it was", "DescribeClusters", "{\"clusters\":[\"arn:aws-cn:ecs:us-east-1:123456789012:cluster/z\"]}",
          "{\"clusters\":[],\"failures\":[{\"arn\":\"arn:aws-cn:ecs:us-east-1:123456789012:cluster/z\",\"reason\":\"MISSING\"}]}" },
        { "another region", "DescribeClusters", "{\"clusters\":[\"a\",\"arn:aws:ecs:eu-west-9:123456789012:cluster/a\"]}",
          "InvalidParameterException: Invalid Region in ARN" },
        { "another account", "DescribeClusters", "{\"clusters\":[\"arn:aws:ecs:us-east-1:999999999999:cluster/a\"]}",
          "InvalidParameterException: Invalid Account in ARN" },
        { "a blank one", "DescribeClusters", "{\"clusters\":[\"a\",\" \"]}", "InvalidParameterException: Clusters can not be blank." },
        { "an empty one", "DescribeClusters", "{\"clusters\":[\"\"]}", "InvalidParameterException: Clusters can not be blank." },
        { "settings alone", "DescribeClusters", "{\"clusters\":[\"a\"],\"include\":[\"SETTINGS\"]}",
          "{\"clusters\":[" PLAIN("a", "ACTIVE", "", INSIGHTS("disabled")) "],\"failures\":[]}" },
        { "tags alone", "DescribeClusters", "{\"clusters\":[\"a\"],\"include\":[\"TAGS\"]}",
          "{\"clusters\":[" PLAIN("a", "ACTIVE", "{\"key\":\"k\"}", "") "],\"failures\":[]}" },
    };
    run_rows(f, rows, COUNT_OF(rows));
}

static void test_describe_include(struct api_fixture *f)
{
    static const struct { const char *include, *path, *want; } rows[] = {
        { "CONFIGURATIONS", "clusters[0].configuration", OVERRIDE },
        { "TAGS",           "clusters[0].configuration", NULL },
        { "ATTACHMENTS",    "clusters[0].attachments", "[]" },
        { "TAGS",           "clusters[0].attachments", NULL },
        { "TAGS",           "clusters[0].statistics", "[]" },
        { "STATISTICS",     "clusters[0].statistics[0]", "{\"name\":\"runningEC2TasksCount\",\"value\":\"0\"}" },
        { "STATISTICS",     "clusters[0].statistics[7]", "{\"name\":\"drainingFargateServiceCount\",\"value\":\"0\"}" },
        { "STATISTICS",     "clusters[0].statistics[8]", NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str body = arena_printf(&f->kept, "{\"clusters\":[\"a\"],\"include\":[\"%s\"]}", rows[r].include);
        struct str reply = fixture_call_str(f, "DescribeClusters", body);
        CHECK_STR(rows[r].path, fixture_at(f, reply, rows[r].path), str_from(rows[r].want));
    }
}

static void test_describe_limit(struct api_fixture *f)
{
    for (int count = 100; count <= 101; count++) {
        struct buf body = buf_in(&f->kept);
        buf_put(&body, STR("{\"clusters\":["));
        for (int c = 0; c < count; c++) { buf_printf(&body, "%s\"c%d\"", c == 0 ? "" : ",", c); }
        buf_put(&body, STR("]}"));
        (void)fixture_call_str(f, "DescribeClusters", buf_str(&body));
        CHECK_EQ("a hundred and one more", f->code, count == 100 ? ERR_NONE : ERR_INVALID_PARAMETER);
    }
}

/* ---- list ---- */

/* The names of all pages joined, and how many pages there were. */
static struct str list_all(struct api_fixture *f, int max_results, int *pages)
{
    struct buf names = buf_in(&f->kept);
    struct str token = { 0 }, before = { 0 };
    *pages = 0;
    do {
        struct str body = arena_printf(&f->kept, "{\"maxResults\":%d%s" STR_FMT "%s}", max_results,
                                       str_is_set(token) ? ",\"nextToken\":\"" : "", STR_ARG(token), str_is_set(token) ? "\"" : "");
        struct str reply = fixture_call_str(f, "ListClusters", body);
        for (int n = 0; n < 100; n++) {
            char path[32];
            snprintf(path, sizeof path, "clusterArns[%d]", n);
            struct str arn = fixture_at(f, reply, path);
            if (!str_is_set(arn)) { break; }
            buf_put(&names, str_slice(arn, sizeof ARN - 1, arn.len));
            buf_put_char(&names, ' ');
        }
        before = token;
        token = fixture_at(f, reply, "nextToken");
        CHECK("a token is not repeated", !str_is_set(token) || !str_eq(token, before));
        *pages += 1;
    } while (str_is_set(token) && *pages < 20);
    return buf_str(&names);
}

static void test_list(struct api_fixture *f)
{
    static const char *const names[] = { "delta", "alpha", "charlie", "bravo", "echo" };
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        (void)fixture_call_str(f, "CreateCluster", arena_printf(&f->kept, "{\"clusterName\":\"%s\"}", names[n]));
    }
    (void)fixture_call(f, "DeleteCluster", "{\"cluster\":\"bravo\"}");
    static const struct { int max_results, pages; } rows[] = { { 1, 4 }, { 2, 2 }, { 3, 2 }, { 4, 1 }, { 100, 1 } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        int pages;
        CHECK_STR("all of them, those that are deleted left out", list_all(f, rows[r].max_results, &pages),
                  STR("alpha charlie delta echo "));
        CHECK_EQ("pages", pages, rows[r].pages);
    }
    static const struct row refused[] = {
        { "no page", "ListClusters", "{\"maxResults\":0}", "InvalidParameterException: maxResults should be between 1 and 100, but was 0." },
        { "too large a page", "ListClusters", "{\"maxResults\":101}",
          "InvalidParameterException: maxResults should be between 1 and 100, but was 101." },
        { "a made-up token", "ListClusters", "{\"nextToken\":\"abc\"}",
          "InvalidParameterException: Invalid token: nextToken must be the one that the page before gave." },
    };
    run_rows(f, refused, COUNT_OF(refused));
}

/* ---- delete ---- */

static void put_instance(struct api_fixture *f, enum instance_status status)
{
    int64_t revision;
    struct instance instance = { .id = { { 1 } }, .cluster_number = 1, .status = status, .registered_ms = f->now_ms, .version = 1 };
    struct store_txn *txn = store_write_begin(f->store);
    store_put_instance(txn, &instance);
    CHECK("an instance is stored", store_write_commit(txn, &revision));
}

static void put_task(struct api_fixture *f, enum task_status status)
{
    int64_t revision;
    struct task task = {
        .id = { { 2 } }, .cluster_number = 1, .family = STR("f"), .revision = 1, .instance = { { 1 } }, .group = STR("family:f"),
        .last_status = status, .desired_status = status == TASK_STOPPED ? TASK_STOPPED : TASK_RUNNING, .launch_type = LAUNCH_TYPE_EC2,
        .created_ms = f->now_ms, .stopped_ms = status == TASK_STOPPED ? f->now_ms : 0, .version = 1,
    };
    struct store_txn *txn = store_write_begin(f->store);
    f->by_hand = true;
    store_put_task(txn, &task);
    CHECK("a task is stored", store_write_commit(txn, &revision));
}

static void test_delete_checks(struct api_fixture *f)
{
    static const char body[] = "{\"cluster\":\"" ARN "default\"}";
    (void)fixture_call(f, "CreateCluster", "{\"tags\":[{\"key\":\"k\"}]}");
    put_instance(f, INSTANCE_ACTIVE);
    put_task(f, TASK_RUNNING);
    static const char has_instances[] = "ClusterContainsContainerInstancesException: The Cluster cannot be deleted while Container "
                                        "Instances are active or draining.";
    fixture_check(f, "an instance is there", "DeleteCluster", body, has_instances);
    struct str counted = fixture_call(f, "DescribeClusters", "{\"include\":[\"STATISTICS\"]}");
    CHECK_STR("it is counted", fixture_at(f, counted, "clusters[0].registeredContainerInstancesCount"), STR("1"));
    CHECK_STR("so is its task", fixture_at(f, counted, "clusters[0].runningTasksCount"), STR("1"));
    CHECK_STR("also as text", fixture_at(f, counted, "clusters[0].statistics[0].value"), STR("1"));

    put_instance(f, INSTANCE_DRAINING);
    fixture_check(f, "a draining one counts", "DeleteCluster", body, has_instances);
    put_instance(f, INSTANCE_INACTIVE);
    fixture_check(f, "a task is there", "DeleteCluster", body,
                  "ClusterContainsTasksException: The Cluster cannot be deleted while Tasks are active.");
    put_task(f, TASK_STOPPED);
    fixture_check(f, "all is gone", "DeleteCluster", body,
                  "{\"cluster\":" PLAIN("default", "INACTIVE", "", INSIGHTS("disabled")) "}");
}

static void test_deleted(struct api_fixture *f)
{
    static const struct row rows[] = {
        { "deleting twice", "DeleteCluster", "{\"cluster\":\"default\"}", "ClusterNotFoundException: Cluster not found." },
        { "deleting what never was", "DeleteCluster", "{\"cluster\":\"never\"}", "ClusterNotFoundException: Cluster not found." },
        { "deleting by a text that is no name", "DeleteCluster", "{\"cluster\":\"a/b\"}",
          "InvalidParameterException: Cluster must match ^[a-zA-Z0-9\\-_]{1,255}$, but was a/b" },
        { "it can still be described", "DescribeClusters", "{\"include\":[\"TAGS\"]}",
          "{\"clusters\":[" PLAIN("default", "INACTIVE", "", "") "],\"failures\":[]}" },
        { "it is not listed", "ListClusters", "{}", "{\"clusterArns\":[]}" },
        { "it can be made again, as another one", "CreateCluster", "{\"settings\":[" INSIGHTS("enabled") "]}",
          "{\"cluster\":" PLAIN("default", "ACTIVE", "", INSIGHTS("enabled")) "}" },
        { "it is listed again", "ListClusters", "{}", "{\"clusterArns\":[\"" ARN "default\"]}" },
    };
    run_rows(f, rows, COUNT_OF(rows));
    struct store_txn *txn = store_read_begin(f->store);
    const struct cluster *cluster = store_cluster(txn, STR("default"), &f->kept);
    CHECK("the new one has a new number", cluster != NULL && cluster->number == 2);
    CHECK("the store can be read", store_read_end(txn));
}

int main(void)
{
    static void (*const groups[][3])(struct api_fixture *) = {
        { test_create_refused, test_create, test_create_full },
        { test_name_length, NULL, NULL },
        { test_describe, test_describe_include, test_describe_limit },
        { test_list, NULL, NULL },
        { test_delete_checks, test_deleted, NULL },
    };
    for (size_t g = 0; g < COUNT_OF(groups); g++) {
        static struct api_fixture f;
        fixture_open(&f);
        for (size_t t = 0; t < COUNT_OF(groups[g]) && groups[g][t] != NULL; t++) { groups[g][t](&f); }
        fixture_close(&f);
    }
    return check_report();
}
