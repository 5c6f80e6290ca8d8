/* ARNs made and references read, with ECS's words for what can not be read. */
#include "model/names.h"
#include "tests/unit/check.h"

#define ID  "0123456789abcdef0123456789abcdef"
#define PRE "arn:aws:ecs:us-east-1:123456789012:"
#define FAR "arn:aws:ecs:eu-west-9:123456789012:"
#define NOT_OURS "arn:aws:ecs:us-east-1:999999999999:"

static const struct names names = { STR_INIT("us-east-1"), STR_INIT("123456789012") };

static void test_made(struct arena *arena)
{
    struct id id = { { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef } };
    CHECK_STR("cluster", names_cluster_arn(&names, STR("blue"), arena), STR(PRE "cluster/blue"));
    CHECK_STR("instance", names_instance_arn(&names, STR("blue"), id, arena), STR(PRE "container-instance/blue/" ID));
    CHECK_STR("task", names_task_arn(&names, STR("blue"), id, arena), STR(PRE "task/blue/" ID));
    CHECK_STR("definition", names_taskdef_arn(&names, STR("web"), 1, arena), STR(PRE "task-definition/web:1"));
    CHECK_STR("daemon's definition", names_daemon_taskdef_arn(&names, STR("agent"), 2, arena), STR(PRE "daemon-task-definition/agent:2"));
    CHECK_STR("a large revision", names_taskdef_arn(&names, STR("web"), 2147483647, arena), STR(PRE "task-definition/web:2147483647"));
    struct str first = names_container_arn(&names, STR("blue"), id, 0, arena), second = names_container_arn(&names, STR("blue"), id, 1, arena);
    CHECK("container", str_starts_with(first, STR(PRE "container/blue/" ID "/")));
    CHECK_EQ("a UUID behind it", first.len, sizeof(PRE "container/blue/" ID "/") - 1 + 36);
    CHECK("of version 4", first.ptr[first.len - 22] == '4');
    CHECK("another for each", !str_eq(first, second));
    CHECK_STR("always this one", first, STR(PRE "container/blue/" ID "/01234567-89ab-4def-957a-3807a48faa9d"));
    CHECK_STR("an attachment's", names_attachment_id(id, arena), STR("01234567-89ab-4def-ad9e-3ec4e3805daf"));
    struct id other = id;
    other.bytes[15] = 0x00;
    struct stems stems = names_stems(&names, STR("blue"), arena);
    struct str *many = names_many_behind(stems.task, (struct id[]){ id, other, id }, 3, arena);
    CHECK_STR("the first of many", many[0], STR(PRE "task/blue/" ID));
    CHECK_STR("the next", many[1], STR(PRE "task/blue/0123456789abcdef0123456789abcd00"));
    CHECK_STR("the last", many[2], many[0]);
    CHECK("the same each time", str_eq(first, names_container_arn(&names, STR("blue"), id, 0, arena)));
    CHECK_STR("a task behind its stem", names_behind(stems.task, id, arena), STR(PRE "task/blue/" ID));
    CHECK_STR("an instance", names_behind(stems.instance, id, arena), STR(PRE "container-instance/blue/" ID));
    CHECK_STR("a container", names_container_behind(stems.container, id, 1, arena), second);
    CHECK("none", names_many_behind(stems.task, NULL, 0, arena) != NULL);
}

static void test_valid(void)
{
    char text[256];
    memset(text, 'a', sizeof text);
    CHECK("255 bytes", names_is_valid((struct str){ text, 255 }));
    CHECK("256 bytes", !names_is_valid((struct str){ text, 256 }));
    CHECK("none", !names_is_valid(STR("")));
    CHECK("all kinds", names_is_valid(STR("aZ-_09")));
    CHECK("a dot", !names_is_valid(STR("a.b")));
    CHECK("a space", !names_is_valid(STR("a b")));
}

static void test_urls(void)
{
    static const struct { const char *text; bool is_url, can_call; } rows[] = {
        { "http://h", true, true }, { "https://h:1/p?q#f", true, true }, { "https://[::1]/", true, true }, { "HTTP://h", false, false }, { "http:/h", false, false },
        { "", false, false }, { "http", false, false }, { "http://", true, false }, { "http:///p", true, false }, { "http://h/!~", true, true },
        { "http://h/ ", true, false }, { "http://h/\x7f", true, false }, { "http://h/\n", true, false }, { "http://h/\xc3\xa9", true, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_EQ(rows[r].text, names_is_url(str_from(rows[r].text)), rows[r].is_url);
        CHECK_EQ(rows[r].text, names_can_call(str_from(rows[r].text)), rows[r].can_call);
    }
    char text[NAMES_URL_MAX + 1];
    memset(text, 'a', sizeof text);
    memcpy(text, "http://", strlen("http://"));
    CHECK("2048 bytes", names_can_call((struct str){ text, NAMES_URL_MAX }));
    CHECK("2049 bytes", !names_can_call((struct str){ text, NAMES_URL_MAX + 1 }));
}

static void test_clusters(void)
{
    static const struct { const char *name; struct str reference, want; const char *message; } rows[] = {
        { "absent",          { NULL, 0 },                          STR_INIT("default"), "" },
        { "empty",           STR_INIT(""),                         STR_INIT("default"), "" },
        { "name",            STR_INIT("blue"),                     STR_INIT("blue"),    "" },
        { "ARN",             STR_INIT(PRE "cluster/blue"),         STR_INIT("blue"),    "" },
        { "ARN of a task",   STR_INIT(PRE "task/blue/" ID),        { NULL, 0 },
          "Cluster must match ^[a-zA-Z0-9\\-_]{1,255}$, but was " PRE "task/blue/" ID },
        { "too many slashes", STR_INIT(PRE "cluster/blue/x"),      { NULL, 0 }, "Invalid identifier: Unexpected number of separators" },
        { "another service", STR_INIT("arn:aws:s3:r:a:cluster/b"), { NULL, 0 },
          "Cluster must match ^[a-zA-Z0-9\\-_]{1,255}$, but was arn:aws:s3:r:a:cluster/b" },
        { "another region",  STR_INIT(FAR "cluster/blue"),         { NULL, 0 }, "Invalid Region in ARN" },
        { "another account", STR_INIT(NOT_OURS "cluster/blue"),    { NULL, 0 }, "Invalid Account in ARN" },
        { "any partition",   STR_INIT("arn:aws-cn:ecs:us-east-1:123456789012:cluster/blue"), STR_INIT("blue"), "" },
        { "a space",         STR_INIT("a b"),                      { NULL, 0 }, "Cluster must match ^[a-zA-Z0-9\\-_]{1,255}$, but was a b" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        struct str name = { NULL, 0 };
        CHECK_EQ(rows[r].name, names_read_cluster(&names, rows[r].reference, &name, &err), str_is_set(rows[r].want));
        CHECK_STR(rows[r].name, name, rows[r].want);
        CHECK_STR(rows[r].name, str_from(err.message), str_from(rows[r].message));
    }
}

static void test_ids(void)
{
    static const struct { const char *name, *kind; struct str reference; const char *message; } rows[] = {
        { "id",                "task", STR_INIT(ID), "" },
        { "UUID",              "task", STR_INIT("01234567-89ab-cdef-0123-456789abcdef"), "" },
        { "ARN",               "task", STR_INIT(PRE "task/blue/" ID), "" },
        { "older ARN",         "task", STR_INIT(PRE "task/01234567-89ab-cdef-0123-456789abcdef"), "" },
        { "instance",          "container-instance", STR_INIT(PRE "container-instance/blue/" ID), "" },
        { "another cluster",   "task", STR_INIT(PRE "task/red/" ID), "Invalid identifier: Identifier is for cluster red. Your cluster is blue" },
        { "another region",    "task", STR_INIT(FAR "task/blue/" ID), "Invalid Region in ARN" },
        { "another account",   "task", STR_INIT(NOT_OURS "task/blue/" ID), "Invalid Account in ARN" },
        { "another kind",      "task", STR_INIT(PRE "container-instance/blue/" ID), "Task Identifier is invalid" },
        { "the other way",     "container-instance", STR_INIT(PRE "task/blue/" ID), "Container Instance Identifier is invalid" },
        { "too many slashes",  "task", STR_INIT(PRE "task/blue/" ID "/x"), "Invalid identifier: Unexpected number of separators" },
        { "too many colons",   "task", STR_INIT(PRE "task/blue/" ID ":1"), "Invalid identifier: Unexpected number of separators" },
        { "no ARN, but parts", "task", STR_INIT("blue/" ID), "Invalid identifier: Unexpected number of separators" },
        { "31 digits",         "task", STR_INIT("0123456789abcdef0123456789abcde"), "taskId length should be one of [32,36]" },
        { "33 digits",         "task", STR_INIT(ID "0"), "taskId length should be one of [32,36]" },
        { "empty",             "container-instance", STR_INIT(""), "containerInstanceId length should be one of [32,36]" },
        { "32 letters",        "task", STR_INIT("gggggggggggggggggggggggggggggggg"), "Task Identifier is invalid" },
        { "all zero",          "task", STR_INIT("00000000000000000000000000000000"), "Task Identifier is invalid" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        struct id id = { { 0 } };
        bool good = names_read_id(&names, rows[r].reference, str_from(rows[r].kind), STR("blue"), &id, &err);
        CHECK_EQ(rows[r].name, good, rows[r].message[0] == '\0');
        CHECK_STR(rows[r].name, str_from(err.message), str_from(rows[r].message));
        CHECK_EQ(rows[r].name, good, id.bytes[1] == 0x23);
    }
}

static void test_taskdefs(void)
{
    static const struct { const char *name; struct str reference, family; int64_t revision; const char *message; } rows[] = {
        { "family",           STR_INIT("web"),                            STR_INIT("web"), 0, "" },
        { "revision",         STR_INIT("web:12"),                         STR_INIT("web"), 12, "" },
        { "ARN",              STR_INIT(PRE "task-definition/web:12"),     STR_INIT("web"), 12, "" },
        { "ARN of a family",  STR_INIT(PRE "task-definition/web"),        STR_INIT("web"), 0, "" },
        { "ARN of all revisions", STR_INIT(PRE "task-definition/web:*"),  STR_INIT("web"), 0, "" },
        { "all, but no ARN",  STR_INIT("web:*"),                          { NULL, 0 }, -1, "Invalid revision number. Number: *" },
        { "the last revision", STR_INIT("web:2147483647"),                STR_INIT("web"), 2147483647, "" },
        { "beyond it",        STR_INIT("web:2147483648"),                 { NULL, 0 }, -1, "Invalid revision number. Number: 2147483648" },
        { "zero",             STR_INIT("web:0"),                          { NULL, 0 }, -1, "Invalid revision number. Number: 0" },
        { "no number",        STR_INIT("web:foo"),                        { NULL, 0 }, -1, "Invalid revision number. Number: foo" },
        { "empty number",     STR_INIT("web:"),                           { NULL, 0 }, -1, "Invalid revision number. Number: " },
        { "two colons",       STR_INIT("web:1:2"),                        { NULL, 0 }, -1, "Invalid identifier: Unexpected number of separators" },
        { "a slash",          STR_INIT("a/web:1"),                        { NULL, 0 }, -1, "Invalid identifier: Unexpected number of separators" },
        { "no family",        STR_INIT(":1"),                             { NULL, 0 }, -1, "Task Definition Identifier is invalid" },
        { "another region",   STR_INIT(FAR "task-definition/web:1"),      { NULL, 0 }, -1, "Invalid Region in ARN" },
        { "another account",  STR_INIT(NOT_OURS "task-definition/web"),   { NULL, 0 }, -1, "Invalid Account in ARN" },
        { "another ARN",      STR_INIT(PRE "cluster/web"),                { NULL, 0 }, -1, "Task Definition Identifier is invalid" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        struct str family = { NULL, 0 };
        int64_t revision = -1;
        CHECK_EQ(rows[r].name, names_read_taskdef(&names, rows[r].reference, &family, &revision, &err), rows[r].revision >= 0);
        CHECK_STR(rows[r].name, family, rows[r].family);
        CHECK_EQ(rows[r].name, revision, rows[r].revision);
        CHECK_STR(rows[r].name, str_from(err.message), str_from(rows[r].message));
    }
}

/* The same rules; only the ARN and the errors name another kind. */
static void test_daemon_taskdefs(void)
{
    static const struct { const char *name; struct str reference, family; int64_t revision; const char *message; } rows[] = {
        { "family",          STR_INIT("agent"),                             STR_INIT("agent"), 0, "" },
        { "revision",        STR_INIT("agent:12"),                          STR_INIT("agent"), 12, "" },
        { "ARN",             STR_INIT(PRE "daemon-task-definition/agent:12"), STR_INIT("agent"), 12, "" },
        { "zero",            STR_INIT("agent:0"),                           { NULL, 0 }, -1, "Invalid revision number. Number: 0" },
        { "another ARN",     STR_INIT(PRE "task-definition/agent:12"),      { NULL, 0 }, -1, "Daemon Task Definition Identifier is invalid" },
        { "no family",       STR_INIT(":1"),                                { NULL, 0 }, -1, "Daemon Task Definition Identifier is invalid" },
        { "another region",  STR_INIT(FAR "daemon-task-definition/a:1"),    { NULL, 0 }, -1, "Invalid Region in ARN" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        struct str family = { NULL, 0 };
        int64_t revision = -1;
        CHECK_EQ(rows[r].name, names_read_daemon_taskdef(&names, rows[r].reference, &family, &revision, &err), rows[r].revision >= 0);
        CHECK_STR(rows[r].name, family, rows[r].family);
        CHECK_EQ(rows[r].name, revision, rows[r].revision);
        CHECK_STR(rows[r].name, str_from(err.message), str_from(rows[r].message));
    }
}

/* ---- services ---- */

static void test_services_made(struct arena *arena)
{
    struct id ones = { { 0 } }, id = { { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef } };
    memset(ones.bytes, 0xFF, sizeof ones.bytes);
    CHECK_STR("service", names_service_arn(&names, STR("blue"), STR("web"), arena), STR(PRE "service/blue/web"));
    CHECK_STR("the least digits", names_deployment_id(1, arena), STR("ecs-svc/0000000000000000001"));
    CHECK_STR("the greatest", names_deployment_id(INT64_MAX, arena), STR("ecs-svc/9223372036854775807"));
    CHECK_STR("task set", names_task_set_arn(&names, STR("blue"), STR("web"), 12, arena), STR(PRE "task-set/blue/web/ecs-svc/0000000000000000012"));
    CHECK_STR("revision", names_revision_arn(&names, STR("blue"), STR("web"), 12, arena), STR(PRE "service-revision/blue/web/0000000000000000012"));
    CHECK_STR("service deployment", names_service_deployment_arn(&names, STR("blue"), STR("web"), id, arena),
              STR(PRE "service-deployment/blue/web/ASNFZ4mrze8BI0VniavN7"));
    CHECK_STR("of the greatest id", names_service_deployment_arn(&names, STR("blue"), STR("web"), ones, arena),
              STR(PRE "service-deployment/blue/web/_____________________"));
    CHECK_EQ("an id is cut once", names_cut_id(ones).bytes[15], 0xFC);
    static const struct { int64_t now_ms; uint64_t chance; int64_t last, want; } rows[] = {
        { 1, 0, 0, 1 << 20 }, { 1, UINT64_MAX, 0, (2 << 20) - 1 }, { 1, 0, 1 << 20, (1 << 20) + 1 }, { 1, 1, 1 << 20, (1 << 20) + 1 },
        { 0, 0, 0, 1 }, { 0x7FFFFFFFFFF, UINT64_MAX, 0, INT64_MAX },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_EQ("digits", names_digits(rows[r].now_ms, rows[r].chance, rows[r].last), rows[r].want);
    }
}

static void test_services_read(void)
{
    static const struct { const char *name; struct str reference, cluster, want_cluster, want; const char *message; } rows[] = {
        { "name",              STR_INIT("web"),                        { NULL, 0 },         STR_INIT("default"), STR_INIT("web"), "" },
        { "name in a cluster", STR_INIT("web"),                        STR_INIT("blue"),    STR_INIT("blue"),    STR_INIT("web"), "" },
        { "ARN alone",         STR_INIT(PRE "service/blue/web"),       { NULL, 0 },         STR_INIT("blue"),    STR_INIT("web"), "" },
        { "ARN and cluster",   STR_INIT(PRE "service/blue/web"),       STR_INIT("blue"),    STR_INIT("blue"),    STR_INIT("web"), "" },
        { "two ARNs",          STR_INIT(PRE "service/blue/web"),       STR_INIT(PRE "cluster/blue"), STR_INIT("blue"), STR_INIT("web"), "" },
        { "an older ARN",      STR_INIT(PRE "service/web"),            STR_INIT("blue"),    STR_INIT("blue"),    STR_INIT("web"), "" },
        { "another cluster",   STR_INIT(PRE "service/red/web"),        STR_INIT("blue"),    { NULL, 0 }, { NULL, 0 }, "Service not found." },
        { "another region",    STR_INIT(FAR "service/blue/web"),       { NULL, 0 },         { NULL, 0 }, { NULL, 0 }, "Invalid Region in ARN" },
        { "another account",   STR_INIT(NOT_OURS "service/blue/web"),  { NULL, 0 },         { NULL, 0 }, { NULL, 0 }, "Invalid Account in ARN" },
        { "another ARN",       STR_INIT(PRE "cluster/blue"),           { NULL, 0 },         { NULL, 0 }, { NULL, 0 }, "Service Identifier is invalid" },
        { "too many slashes",  STR_INIT(PRE "service/blue/web/x"),     { NULL, 0 },         { NULL, 0 }, { NULL, 0 }, "Service Identifier is invalid" },
        { "no name",           STR_INIT(PRE "service/blue/"),          { NULL, 0 },         { NULL, 0 }, { NULL, 0 }, "Service Identifier is invalid" },
        { "a slash",           STR_INIT("blue/web"),                   { NULL, 0 },         { NULL, 0 }, { NULL, 0 }, "Service Identifier is invalid" },
        { "empty",             STR_INIT(""),                           { NULL, 0 },         { NULL, 0 }, { NULL, 0 }, "Service Identifier is invalid" },
        { "a bad cluster",     STR_INIT("web"),                        STR_INIT("a b"),     { NULL, 0 }, { NULL, 0 },
          "Cluster must match ^[a-zA-Z0-9\\-_]{1,255}$, but was a b" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        struct service_name name = { { NULL, 0 }, { NULL, 0 } };
        CHECK_EQ(rows[r].name, names_read_service(&names, rows[r].reference, rows[r].cluster, &name, &err), rows[r].message[0] == '\0');
        CHECK_STR(rows[r].name, name.cluster, rows[r].want_cluster);
        CHECK_STR(rows[r].name, name.service, rows[r].want);
        CHECK_STR(rows[r].name, str_from(err.message), str_from(rows[r].message));
    }
}

#define SET "The specified task set does not exist."
static void test_task_sets_read(void)
{
    static const struct { struct str reference; int64_t digits; const char *message; } rows[] = {
        { STR_INIT("ecs-svc/0000000000000000012"),                         12, "" },
        { STR_INIT("ecs-svc/9223372036854775807"),                         INT64_MAX, "" },
        { STR_INIT(PRE "task-set/blue/web/ecs-svc/0000000000000000012"),   12, "" },
        { STR_INIT(PRE "task-set/red/web/ecs-svc/0000000000000000012"),    0, SET },
        { STR_INIT(PRE "task-set/blue/api/ecs-svc/0000000000000000012"),   0, SET },
        { STR_INIT("ecs-svc/9223372036854775808"),                         0, "TaskSet Identifier is invalid" },
        { STR_INIT("ecs-svc/0000000000000000000"),                         0, "TaskSet Identifier is invalid" },
        { STR_INIT("ecs-svc/000000000000000012"),                          0, "TaskSet Identifier is invalid" },
        { STR_INIT("ecs-svc/00000000000000000012"),                        0, "TaskSet Identifier is invalid" },
        { STR_INIT("ecs-svc/-000000000000000012"),                         0, "TaskSet Identifier is invalid" },
        { STR_INIT("0000000000000000012"),                                 0, "TaskSet Identifier is invalid" },
        { STR_INIT(PRE "task-set/blue/web/0000000000000000012"),           0, "TaskSet Identifier is invalid" },
        { STR_INIT(FAR "task-set/blue/web/ecs-svc/0000000000000000012"),   0, "Invalid Region in ARN" },
    };
    const struct service_name web = { STR("blue"), STR("web") };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        int64_t digits = 0;
        bool good = names_read_task_set(&names, rows[r].reference, &web, &digits, &err);
        CHECK_EQ(rows[r].reference.ptr, good ? digits : 0, rows[r].digits);
        CHECK_STR(rows[r].reference.ptr, str_from(err.message), str_from(rows[r].message));
    }
}

#define NO_REVISION   "Service Revision Identifier is invalid"
#define NO_DEPLOYMENT "Service Deployment Identifier is invalid"
static void test_parts_read(struct arena *arena)
{
    static const struct { const char *arn, *message; } rows[] = {
        { PRE "service-revision/blue/web/0000000000000000012",    "" },
        { PRE "service-deployment/blue/web/ASNFZ4mrze8BI0VniavN7", "" },
        { PRE "service-revision/blue/web/12",                     NO_REVISION },
        { PRE "service-revision/blue/web",                        NO_REVISION },
        { PRE "service-revision/blue//0000000000000000012",       NO_REVISION },
        { "0000000000000000012",                                  NO_REVISION },
        { FAR "service-revision/blue/web/0000000000000000012",    "Invalid Region in ARN" },
        { PRE "service-deployment/blue/web/ASNFZ4mrze8BI0VniavN", NO_DEPLOYMENT },
        { PRE "service-deployment/blue/web/ASNFZ4mrze8BI0VniavN7A", NO_DEPLOYMENT },
        { PRE "service-deployment/blue/web/ASNFZ4mrze8BI0VniavN.", NO_DEPLOYMENT },
        { PRE "service-deployment/blue/ASNFZ4mrze8BI0VniavN7",    NO_DEPLOYMENT },
        { NOT_OURS "service-deployment/blue/web/ASNFZ4mrze8BI0VniavN7", "Invalid Account in ARN" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        struct service_name service = { { NULL, 0 }, { NULL, 0 } };
        struct id id = { { 0 } };
        int64_t digits = 0;
        bool of_deployment = strstr(rows[r].arn, "service-deployment/") != NULL;
        bool good = of_deployment ? names_read_service_deployment(&names, str_from(rows[r].arn), &service, &id, arena, &err)
                                  : names_read_revision(&names, str_from(rows[r].arn), &service, &digits, &err);
        CHECK_EQ(rows[r].arn, good, rows[r].message[0] == '\0');
        CHECK_STR(rows[r].arn, str_from(err.message), str_from(rows[r].message));
        if (!good) { continue; }
        CHECK_STR(rows[r].arn, service.cluster, STR("blue"));
        CHECK_STR(rows[r].arn, service.service, STR("web"));
        struct str back = of_deployment ? names_service_deployment_arn(&names, service.cluster, service.service, id, arena)
                                        : names_revision_arn(&names, service.cluster, service.service, digits, arena);
        CHECK_STR("the way back", back, str_from(rows[r].arn));
    }
}

#define LABEL "a23456789012345678901234567890123456789012345678901234567890123"
#define CLOUD "arn:aws:servicediscovery:us-east-1:123456789012:"
static void test_dns(void)
{
    static const struct { const char *text; bool good; } texts[] = {
        { "a", true }, { "9-A.b", true }, { LABEL, true }, { LABEL "4", false }, { LABEL "." LABEL "." LABEL ".12345678", true }, { LABEL "." LABEL "." LABEL ".123456789", false },
        { "", false }, { ".", false }, { "a.", false }, { ".a", false }, { "a..b", false }, { "-a", false }, { "a-", false }, { "a_b", false }, { "a b", false },
    };
    static const struct { const char *text, *registry, *namespace; } arns[] = {        /* NULL: it names none */
        { CLOUD "service/web.prod", "web.prod", NULL }, { CLOUD "service/srv-1", NULL, NULL }, { CLOUD "service/a_b", NULL, NULL }, { CLOUD "service", NULL, NULL },
        { "arn:aws:servicediscovery:us-west-2:123456789012:service/web", NULL, NULL }, { "arn:aws:servicediscovery:us-east-1:1:service/web", NULL, NULL },
        { PRE "service/web", NULL, NULL }, { CLOUD "namespace/ns-1", NULL, "ns-1" }, { "arn:aws:servicediscovery:us-west-2:1:namespace/prod", NULL, "prod" },
        { CLOUD "namespace/a/b", NULL, NULL }, { "prod.local", NULL, "prod.local" }, { "a_b", NULL, NULL }, { "", NULL, NULL },
    };
    for (size_t t = 0; t < COUNT_OF(texts); t++) { CHECK_EQ(texts[t].text, names_is_dns(str_from(texts[t].text)), texts[t].good); }
    for (size_t a = 0; a < COUNT_OF(arns); a++) {
        struct str text = str_from(arns[a].text), name;
        CHECK_STR(arns[a].text, names_read_registry(&names, text, &name) ? name : STR(""), arns[a].registry == NULL ? STR("") : str_from(arns[a].registry));
        CHECK_STR(arns[a].text, names_read_namespace(text, &name) ? name : STR(""), arns[a].namespace == NULL ? STR("") : str_from(arns[a].namespace));
    }
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, 1024 * 1024);
    test_made(&arena);
    test_valid();
    test_urls();
    test_clusters();
    test_ids();
    test_taskdefs();
    test_daemon_taskdefs();
    test_services_made(&arena);
    test_services_read();
    test_task_sets_read();
    test_parts_read(&arena);
    test_dns();
    arena_finish(&arena);
    return check_report();
}
