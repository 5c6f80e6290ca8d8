/* DescribeServices, ListServices and ListServicesByNamespace. */
#include "tests/unit/api/services.h"

static void test_describe(void)
{
    static const struct call calls[] = {
        { "a service", "CreateService", WEB(",\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]"), "service.status", "ACTIVE" },
        { "another cluster", "CreateCluster", "{\"clusterName\":\"other\"}", "cluster.status", "ACTIVE" },
        { "by name", "DescribeServices", "{\"services\":[\"web\"]}", "services[0].serviceName", "web" },
        { "by ARN", "DescribeServices", "{\"services\":[\"" ACCOUNT_ARN "service/default/web\"]}", "services[0].serviceName", "web" },
        { "by ARN, with the cluster", "DescribeServices", "{\"cluster\":\"default\",\"services\":[\"" ACCOUNT_ARN "service/default/web\"]}",
          "services[0].serviceName", "web" },
        { "no tags", "DescribeServices", "{\"services\":[\"web\"]}", "services[0].tags", NULL },
        { "tags", "DescribeServices", "{\"services\":[\"web\"],\"include\":[\"TAGS\"]}", "services[0].tags", "[{\"key\":\"k\",\"value\":\"v\"}]" },
        { "one is missing", "DescribeServices", "{\"services\":[\"nope\",\"web\"]}", "failures",
          "[{\"arn\":\"" ACCOUNT_ARN "service/default/nope\",\"reason\":\"MISSING\"}]" },
        { "the other is there", "DescribeServices", "{\"services\":[\"nope\",\"web\"]}", "services[0].serviceName", "web" },
        { "in the other cluster it is missing", "DescribeServices", "{\"cluster\":\"other\",\"services\":[\"web\"]}", NULL,
          "{\"services\":[],\"failures\":[{\"arn\":\"" ACCOUNT_ARN "service/other/web\",\"reason\":\"MISSING\"}]}" },
        { "an ARN of another cluster than the request's", "DescribeServices", "{\"cluster\":\"other\",\"services\":[\"" ACCOUNT_ARN "service/default/web\"]}",
          "failures", "[{\"arn\":\"" ACCOUNT_ARN "service/default/web\",\"reason\":\"MISSING\"}]" },
        { "twice", "DescribeServices", "{\"services\":[\"web\",\"web\"]}", "services[1].serviceName", "web" },
        { "none", "DescribeServices", "{\"services\":[]}", NULL, INVALID "Services cannot be empty." },
        { "no cluster", "DescribeServices", "{\"cluster\":\"nope\",\"services\":[\"web\"]}", NULL, "ClusterNotFoundException: Cluster not found." },
        { "no name", "DescribeServices", "{\"services\":[\"a.b\"]}", NULL, INVALID "Service Identifier is invalid" },
        { "another account", "DescribeServices", "{\"services\":[\"arn:aws:ecs:us-east-1:1:service/default/web\"]}", NULL, INVALID "Invalid Account in ARN" },
    };
    run_calls(calls, COUNT_OF(calls));
}

/* The names of a page, as "s00 s01 …". */
static struct str names_of(struct api_fixture *f, struct str reply)
{
    struct buf names = buf_in(&f->kept);
    int64_t count = count_at(f, reply, "serviceArns");
    for (int64_t n = 0; n < count; n++) {
        struct str arn = fixture_at(f, reply, text(f, "serviceArns[%d]", (int)n));
        buf_printf(&names, "%s%.*s", n == 0 ? "" : " ", (int)arn.len - (int)strlen(ACCOUNT_ARN "service/default/"),
                   arn.ptr + strlen(ACCOUNT_ARN "service/default/"));
    }
    return buf_str(&names);
}

/* All pages, joined by " | ". */
static struct str pages_of(struct api_fixture *f, const char *filter)
{
    struct buf all = buf_in(&f->kept);
    const char *token = "";
    for (int page = 0; page < 20; page++) {
        struct str reply = fixture_call(f, "ListServices", text(f, "{%s%s}", filter, token));
        struct str names = names_of(f, reply);
        buf_printf(&all, "%s" STR_FMT, page == 0 ? "" : " | ", STR_ARG(names));
        if (!str_is_set(fixture_at(f, reply, "nextToken"))) { break; }
        token = text(f, "%s\"nextToken\":\"%s\"", filter[0] == '\0' ? "" : ",", at(f, reply, "nextToken"));
    }
    return buf_str(&all);
}

static void test_list(void)
{
    static const struct { const char *row, *filter, *want; } rows[] = {
        { "10 on a page", "", "s00 s01 s02 s03 s04 s05 s06 s07 s08 s09 | s10 s11" },
        { "as many as are asked for", "\"maxResults\":5", "s00 s01 s02 s03 s04 | s05 s06 s07 s08 s09 | s10 s11" },
        { "exactly all", "\"maxResults\":12", "s00 s01 s02 s03 s04 s05 s06 s07 s08 s09 s10 s11" },
        { "daemons", "\"schedulingStrategy\":\"DAEMON\"", "s03" },
        { "replicas", "\"schedulingStrategy\":\"REPLICA\",\"maxResults\":10", "s00 s01 s02 s04 s05 s06 s07 s08 s09 s10 | s11" },
        { "a launch type", "\"launchType\":\"EXTERNAL\"", "s05" },
        { "both", "\"launchType\":\"EXTERNAL\",\"schedulingStrategy\":\"DAEMON\"", "" },
        { "their owners'", "\"resourceManagementType\":\"CUSTOMER\",\"maxResults\":100", "s00 s01 s02 s03 s04 s05 s06 s07 s08 s09 s10 s11" },
        { "managed by ECS", "\"resourceManagementType\":\"ECS\"", "" },
    };
    struct api_fixture f;
    services_open(&f);
    fixture_check(&f, "none", "ListServices", "{}", "{\"serviceArns\":[]}");
    for (int s = 11; s >= 0; s--) {
        const char *more = s == 3 ? ",\"schedulingStrategy\":\"DAEMON\"" : s == 5 ? ",\"desiredCount\":1,\"launchType\":\"EXTERNAL\"" : ",\"desiredCount\":1";
        (void)fixture_call(&f, "CreateService", text(&f, "{\"serviceName\":\"s%02d\",\"taskDefinition\":\"a\"%s}", s, more));
        CHECK_EQ("made", f.code, ERR_NONE);
    }
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_STR(rows[r].row, pages_of(&f, rows[r].filter), str_from(rows[r].want)); }
    (void)fixture_call(&f, "DeleteService", "{\"service\":\"s00\",\"force\":true}");
    CHECK_STR("not a deleted one", pages_of(&f, "\"maxResults\":3"), STR("s01 s02 s03 | s04 s05 s06 | s07 s08 s09 | s10 s11"));

    static const struct call refused[] = {
        { "no cluster", "ListServices", "{\"cluster\":\"nope\"}", NULL, "ClusterNotFoundException: Cluster not found." },
        { "another list's token", "ListServices", "{\"nextToken\":\"x\"}", NULL,
          INVALID "Invalid token: nextToken must be the one that the page before gave." },
    };
    check_calls(&f, refused, COUNT_OF(refused));
    fixture_close(&f);
}

static void test_namespaces(void)
{
    static const struct call calls[] = {
        { "unknown", "ListServicesByNamespace", "{\"namespace\":\"n\"}", NULL, "NamespaceNotFoundException: Namespace not found." },
        { "a cluster has it", "CreateCluster", "{\"clusterName\":\"c\",\"serviceConnectDefaults\":{\"namespace\":\"n\"}}", "cluster.status", "ACTIVE" },
        { "no service uses it", "ListServicesByNamespace", "{\"namespace\":\"n\"}", NULL, "{\"serviceArns\":[]}" },
        { "another", "ListServicesByNamespace", "{\"namespace\":\"m\"}", NULL, "NamespaceNotFoundException: Namespace not found." },
        { "the cluster is deleted", "DeleteCluster", "{\"cluster\":\"c\"}", "cluster.status", "INACTIVE" },
        { "with its namespace", "ListServicesByNamespace", "{\"namespace\":\"n\"}", NULL, "NamespaceNotFoundException: Namespace not found." },
    };
    run_calls(calls, COUNT_OF(calls));
}

#define IN(cluster, name, connect) "{\"cluster\":\"" cluster "\",\"serviceName\":\"" name "\",\"taskDefinition\":\"a:1\",\"desiredCount\":1,\"serviceConnectConfiguration\":" connect "}"

/* Over all clusters, by a namespace of a service or a cluster's default. */
static void test_connected(void)
{
    static const struct call calls[] = {
        { "a cluster with a default", "CreateCluster", "{\"clusterName\":\"zoo\",\"serviceConnectDefaults\":{\"namespace\":\"prod\"}}", "cluster.status", "ACTIVE" },
        { "by name", "CreateService", IN("default", "a", "{\"enabled\":true,\"namespace\":\"prod\"}"), "service.status", "ACTIVE" },
        { "another namespace", "CreateService", IN("default", "b", "{\"enabled\":true,\"namespace\":\"test\"}"), "service.status", "ACTIVE" },
        { "off", "CreateService", IN("zoo", "c", "{\"enabled\":false,\"namespace\":\"prod\"}"), "service.status", "ACTIVE" },
        { "by the default", "CreateService", IN("zoo", "d", "{\"enabled\":true}"), "service.status", "ACTIVE" },
        { "by ARN", "CreateService", IN("zoo", "e", "{\"enabled\":true,\"namespace\":\"arn:aws:servicediscovery:us-east-1:1:namespace/prod\"}"), "service.status", "ACTIVE" },
        { "three", "ListServicesByNamespace", "{\"namespace\":\"prod\"}", NULL,
          "{\"serviceArns\":[\"" ACCOUNT_ARN "service/default/a\",\"" ACCOUNT_ARN "service/zoo/d\",\"" ACCOUNT_ARN "service/zoo/e\"]}" },
        { "one", "ListServicesByNamespace", "{\"namespace\":\"test\"}", NULL, "{\"serviceArns\":[\"" ACCOUNT_ARN "service/default/b\"]}" },
        { "none", "ListServicesByNamespace", "{\"namespace\":\"dev\"}", NULL, "NamespaceNotFoundException: Namespace not found." },
    };
    struct api_fixture f;
    services_open(&f);
    check_calls(&f, calls, COUNT_OF(calls));
    const char *token = "", *ends[] = { "default/a", "zoo/d", "zoo/e" };
    for (size_t page = 0; page < COUNT_OF(ends); page++) {
        struct str reply = fixture_call(&f, "ListServicesByNamespace", text(&f, "{\"namespace\":\"prod\",\"maxResults\":1%s}", token));
        CHECK_STR("a page", str_from(at(&f, reply, "serviceArns[0]")), str_from(text(&f, ACCOUNT_ARN "service/%s", ends[page])));
        token = text(&f, ",\"nextToken\":\"%s\"", at(&f, reply, "nextToken"));
    }
    CHECK_STR("the last one", str_from(token), STR(",\"nextToken\":\"(absent)\""));
    fixture_close(&f);
}

int main(void)
{
    test_describe();
    test_list();
    test_namespaces();
    test_connected();
    return check_report();
}
