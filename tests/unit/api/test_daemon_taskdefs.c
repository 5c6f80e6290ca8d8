/* Daemon task definitions: answers after registering, refusals, lists, and the end of a revision that is deleted. */
#include "tests/unit/api/machines.h"

#define ARN "arn:aws:ecs:us-east-1:123456789012:daemon-task-definition/"
#define REGISTER "RegisterDaemonTaskDefinition"
#define DESCRIBE "DescribeDaemonTaskDefinition"
#define LIST "ListDaemonTaskDefinitions"
#define DELETE "DeleteDaemonTaskDefinition"
#define UNKNOWN "ClientException: Unable to describe daemon task definition."

/* A definition that is good; `task` and `container` are added to its members (with a comma before). */
static const char *body_with(struct api_fixture *f, const char *family, const char *task, const char *container)
{
    return text(f, "{\"family\":\"%s\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"i\",\"memory\":128%s}]%s}", family, container, task);
}

static struct str describe(struct api_fixture *f, const char *reference)
{
    return fixture_call(f, DESCRIBE, text(f, "{\"daemonTaskDefinition\":\"%s\"}", reference));
}

static void check_describe(struct api_fixture *f, const char *row, const char *reference, const char *path, const char *want)
{
    CHECK_STR(row, fixture_at(f, describe(f, reference), path), str_from(want));
}

/* ---- answers ---- */

static void test_plain(struct api_fixture *f)
{
    static const char want[] =
        "{\"daemonTaskDefinition\":{\"daemonTaskDefinitionArn\":\"" ARN "plain:1\",\"family\":\"plain\",\"revision\":1,\"containerDefinitions\":"
        "[{\"name\":\"c\",\"image\":\"i\",\"memory\":128,\"cpu\":0,\"essential\":true,\"environment\":[],\"mountPoints\":[],\"systemControls\":[]}],"
        "\"volumes\":[],\"status\":\"ACTIVE\",\"registeredAt\":1700000000.000,\"registeredBy\":\"arn:aws:iam::123456789012:user/tester\"}}";
    fixture_check(f, "the reply is the ARN", REGISTER, body_with(f, "plain", "", ""), "{\"daemonTaskDefinitionArn\":\"" ARN "plain:1\"}");
    fixture_check(f, "described", DESCRIBE, "{\"daemonTaskDefinition\":\"plain\"}", want);
    fixture_check(f, "by its revision", DESCRIBE, "{\"daemonTaskDefinition\":\"plain:1\"}", want);
    fixture_check(f, "by its ARN", DESCRIBE, "{\"daemonTaskDefinition\":\"" ARN "plain:1\"}", want);
    fixture_check(f, "it is no task definition", "DescribeTaskDefinition", "{\"taskDefinition\":\"plain\"}", "ClientException: Unable to describe task definition.");
}

/* Every member of a container, in the order of the model. */
#define RICH_CONTAINER \
    "{\"name\":\"log\",\"image\":\"example.com/log:1\",\"memory\":256,\"memoryReservation\":128," \
    "\"repositoryCredentials\":{\"credentialsParameter\":\"arn:aws:secretsmanager:x\"}," \
    "\"healthCheck\":{\"command\":[\"CMD-SHELL\",\"true\"],\"interval\":5,\"timeout\":2,\"retries\":1,\"startPeriod\":0},\"cpu\":100,\"essential\":true," \
    "\"entryPoint\":[\"/bin/sh\",\"-c\"],\"command\":[\"run\",\"\"],\"workingDirectory\":\"/w\"," \
    "\"environmentFiles\":[{\"value\":\"arn:aws:s3:::bucket/x.env\",\"type\":\"s3\"}],\"environment\":[{\"name\":\"A\",\"value\":\"\"}]," \
    "\"secrets\":[{\"name\":\"S\",\"valueFrom\":\"arn:aws:secretsmanager:us-east-1:123456789012:secret:s\"}],\"readonlyRootFilesystem\":true," \
    "\"mountPoints\":[{\"sourceVolume\":\"data\",\"containerPath\":\"/data\",\"readOnly\":true}]," \
    "\"logConfiguration\":{\"logDriver\":\"awslogs\",\"options\":{\"awslogs-group\":\"g\",\"awslogs-region\":\"us-east-1\"}}," \
    "\"firelensConfiguration\":{\"type\":\"fluentbit\",\"options\":{\"a\":\"b\"}},\"privileged\":true,\"user\":\"1000:1000\"," \
    "\"ulimits\":[{\"name\":\"nofile\",\"softLimit\":1024,\"hardLimit\":2048}]," \
    "\"linuxParameters\":{\"capabilities\":{\"add\":[\"SYS_PTRACE\"],\"drop\":[\"ALL\"]},\"devices\":[{\"hostPath\":\"/dev/fuse\"," \
    "\"containerPath\":\"/dev/fuse\",\"permissions\":[\"read\",\"mknod\"]}],\"initProcessEnabled\":true," \
    "\"tmpfs\":[{\"containerPath\":\"/tmp\",\"size\":16,\"mountOptions\":[\"noexec\"]}]}," \
    "\"dependsOn\":[{\"containerName\":\"side\",\"condition\":\"START\"}],\"startTimeout\":30,\"stopTimeout\":120," \
    "\"systemControls\":[{\"namespace\":\"net.core.somaxconn\",\"value\":\"1024\"}],\"interactive\":true,\"pseudoTerminal\":false," \
    "\"restartPolicy\":{\"enabled\":true,\"ignoredExitCodes\":[0,137],\"restartAttemptPeriod\":60}}"
#define RICH_VOLUMES "[{\"name\":\"data\",\"host\":{\"sourcePath\":\"/srv\"}}]"

static void test_rich(struct api_fixture *f)
{
    static const struct { const char *path, *want; } rows[] = {
        { "containerDefinitions[0]", RICH_CONTAINER },
        { "containerDefinitions[1]", "{\"name\":\"side\",\"image\":\"s\",\"memory\":64,\"healthCheck\":{\"command\":[\"CMD\",\"true\"],\"interval\":30,\"timeout\":5,"
                                     "\"retries\":3},\"cpu\":0,\"essential\":true,\"environment\":[],\"mountPoints\":[],\"systemControls\":[],"
                                     "\"restartPolicy\":{\"enabled\":false,\"restartAttemptPeriod\":300}}" },
        { "taskRoleArn",             "arn:aws:iam::123456789012:role/worker" },
        { "executionRoleArn",        "arn:aws:iam::1:role/path/r" },
        { "volumes",                 RICH_VOLUMES },
        { "cpu",                     "1024" },
        { "memory",                  "512" },
        { "pidMode",                 "shared" },
        { "ipcMode",                 "none" },
        { "tags",                    NULL },
        { "deleteRequestedAt",       NULL },
    };
    (void)fixture_call(f, REGISTER,
        "{\"family\":\"rich\",\"taskRoleArn\":\"worker\",\"executionRoleArn\":\"arn:aws:iam::1:role/path/r\",\"containerDefinitions\":[" RICH_CONTAINER ","
        "{\"name\":\"side\",\"image\":\"s\",\"memory\":64,\"healthCheck\":{\"command\":[\"CMD\",\"true\"]},\"restartPolicy\":{\"enabled\":false},"
        "\"portMappings\":[{\"containerPort\":99999}],\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"none\"}],\"links\":[\"nobody\"]}],"
        "\"volumes\":" RICH_VOLUMES ",\"cpu\":\"1 vCPU\",\"memory\":\"0.5 GB\",\"pidMode\":\"shared\",\"ipcMode\":\"none\","
        "\"tags\":[{\"key\":\"k\",\"value\":\"v\"}],\"networkMode\":\"host\",\"placementConstraints\":[{\"type\":\"memberOf\"}]}");
    CHECK_EQ("members that a daemon does not have are ignored", f->code, ERR_NONE);
    struct str described = describe(f, "rich");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_STR(rows[r].path, fixture_at(f, described, text(f, "daemonTaskDefinition.%s", rows[r].path)), str_from(rows[r].want));
    }
    fixture_check(f, "its tags", "ListTagsForResource", "{\"resourceArn\":\"" ARN "rich:1\"}", "{\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]}");
}

/* ---- refusals ---- */

static void test_refusals(struct api_fixture *f)
{
#define LOGS(driver) ",\"logConfiguration\":{\"logDriver\":\"" driver "\"}"
#define SECRET ",\"secrets\":[{\"name\":\"S\",\"valueFrom\":\"p\"}]"
#define NO_PATH "ClientException: Volume 'v' of a daemon task definition must have a 'host.sourcePath'."
    static const struct { const char *row, *task, *container, *want; } rows[] = {
        { "a secret without the role that reads it", "", SECRET,
          "ClientException: When you are specifying container secrets, you must also specify a value for 'executionRoleArn'" },
        { "a secret",             ",\"executionRoleArn\":\"r\"", SECRET, NULL },
        { "more than the task",   ",\"memory\":\"127\"", "", "ClientException: The 'memory' setting for container 'c' is greater than for the task." },
        { "no essential container", "", ",\"essential\":false", "ClientException: Task definition doesn't have any essential container" },
        { "no role",              ",\"taskRoleArn\":\"a b\"", "", "ClientException: Role is not valid" },
        { "an empty role",        ",\"taskRoleArn\":\"\",\"executionRoleArn\":\"\"", "", NULL },
        { "too little CPU",       ",\"cpu\":\"127\"", "", "ClientException: Invalid 'cpu' setting for task." },
        { "waits for itself",     "", ",\"dependsOn\":[{\"containerName\":\"c\",\"condition\":\"START\"}]",
          "ClientException: The 'dependsOn' settings of the containers form a cycle: none of them could start first." },
        { "awslogs",              "", ",\"logConfiguration\":{\"logDriver\":\"awslogs\",\"options\":{\"awslogs-group\":\"g\",\"awslogs-region\":\"r\"}}", NULL },
        { "awslogs without its options", "", LOGS("awslogs"), "ClientException: Log driver awslogs requires options: awslogs-region, awslogs-group" },
        { "splunk",               "", LOGS("splunk"), NULL },
        { "awsfirelens",          "", LOGS("awsfirelens"), NULL },
        { "another driver",       "", LOGS("json-file"),
          "ClientException: Log driver 'json-file' is not supported in a daemon task definition. Use awslogs, splunk or awsfirelens." },
        { "a volume of the host", ",\"volumes\":[{\"name\":\"v\",\"host\":{\"sourcePath\":\"/v\"}}]", "", NULL },
        { "a volume of nothing",  ",\"volumes\":[{\"name\":\"v\"}]", "", NO_PATH },
        { "without a path",       ",\"volumes\":[{\"name\":\"v\",\"host\":{}}]", "", NO_PATH },
        { "with an empty path",   ",\"volumes\":[{\"name\":\"v\",\"host\":{\"sourcePath\":\"\"}}]", "", NO_PATH },
        { "a mount of no volume", "", ",\"mountPoints\":[{\"sourceVolume\":\"v\",\"containerPath\":\"/v\"}]",
          "ClientException: Unknown volume 'v' in 'mountPoints' of container 'c'." },
        { "a mode of tasks",      ",\"pidMode\":\"host\"", "", "ClientException: pidMode should be one of [none,shared], but was 'host'." },
        { "of its IPC",           ",\"ipcMode\":\"task\"", "", "ClientException: ipcMode should be one of [none,shared], but was 'task'." },
        { "a time below zero",    "", ",\"stopTimeout\":-1", "ClientException: containerDefinitions[0].stopTimeout should be between 0 and 2147483647, but was -1." },
        { "a reserved tag",       ",\"tags\":[{\"key\":\"aws:x\"}]", "", "InvalidParameterException: Tag keys that begin with \"aws:\" are reserved: \"aws:x\"." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str got = fixture_call(f, REGISTER, body_with(f, "refused", rows[r].task, rows[r].container));
        if (rows[r].want == NULL) { CHECK_EQ(rows[r].row, f->code, ERR_NONE); } else { CHECK_STR(rows[r].row, got, str_from(rows[r].want)); }
    }
    struct str got = fixture_call(f, REGISTER, body_with(f, "refused", ",\"tags\":[{\"key\":\"berth:gang\",\"value\":\"true\"}]", ""));
    CHECK("a tag of tasks", str_starts_with(got, STR("InvalidParameterException: The tag \"berth:gang\"")));
    fixture_check(f, "a bad family", REGISTER, body_with(f, "a b", "", ""), "ClientException: Family contains invalid characters.");
    fixture_check(f, "no containers", REGISTER, "{\"family\":\"f\",\"containerDefinitions\":[]}", "ClientException: ContainerDefinitions should not be null or empty.");
    fixture_check(f, "no family", REGISTER, "{\"containerDefinitions\":[]}", "ClientException: Family should not be null or empty.");
}

/* The members that a container must have. */
static void test_container(struct api_fixture *f)
{
    static const struct { const char *row, *task, *container, *want; } rows[] = {
        { "no memory",        "", ",\"image\":\"i\"",
          "ClientException: Invalid setting for container 'c'. At least one of 'memory' or 'memoryReservation' must be specified." },
        { "a task's memory",  ",\"memory\":\"256\"", ",\"image\":\"i\"", NULL },
        { "a reservation",    "", ",\"image\":\"i\",\"memoryReservation\":64", NULL },
        { "no image",         "", ",\"memory\":64", "ClientException: ContainerDefinitions[0].image should not be null or empty." },
        { "an empty image",   "", ",\"memory\":64,\"image\":\"\"", "ClientException: Container.image should not be null or empty." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str got = fixture_call(f, REGISTER, text(f, "{\"family\":\"refused\",\"containerDefinitions\":[{\"name\":\"c\"%s}]%s}", rows[r].container, rows[r].task));
        if (rows[r].want == NULL) { CHECK_EQ(rows[r].row, f->code, ERR_NONE); } else { CHECK_STR(rows[r].row, got, str_from(rows[r].want)); }
    }
}

/* Both sides of the limits of the request. */
static void test_limits(struct api_fixture *f)
{
    static const struct { const char *row; size_t family, containers; enum err_code want; } rows[] = {
        { "a family of 255", 255, 1, ERR_NONE }, { "of 256", 256, 1, ERR_CLIENT }, { "ten containers", 5, 10, ERR_NONE }, { "eleven", 5, 11, ERR_CLIENT },
    };
    char family[257];
    memset(family, 'a', sizeof family);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct buf body = buf_in(&f->kept);
        buf_printf(&body, "{\"family\":\"%.*s\",\"containerDefinitions\":[", (int)rows[r].family, family);
        for (size_t c = 0; c < rows[r].containers; c++) {
            buf_printf(&body, "%s{\"name\":\"c%zu\",\"image\":\"i\",\"memory\":8}", c == 0 ? "" : ",", c);
        }
        buf_put(&body, STR("]}"));
        (void)fixture_call_str(f, REGISTER, buf_str(&body));
        CHECK_EQ(rows[r].row, f->code, rows[r].want);
    }
}

/* Describe and Delete read a reference alike; a family alone is for Describe only. */
static void test_references(struct api_fixture *f)
{
    static const struct { const char *row, *reference, *want; } rows[] = {
        { "an unknown family",   "nobody:1", UNKNOWN },
        { "an unknown revision", "plain:9", UNKNOWN },
        { "an unknown ARN",      ARN "plain:9", UNKNOWN },
        { "no number",           "plain:x", "InvalidParameterException: Invalid revision number. Number: x" },
        { "revision zero",       "plain:0", "InvalidParameterException: Invalid revision number. Number: 0" },
        { "nothing",             "", "InvalidParameterException: Daemon Task Definition Identifier is invalid" },
        { "a task definition",   "arn:aws:ecs:us-east-1:123456789012:task-definition/plain:1",
          "InvalidParameterException: Daemon Task Definition Identifier is invalid" },
        { "another region",      "arn:aws:ecs:eu-west-1:123456789012:daemon-task-definition/plain:1", "InvalidParameterException: Invalid Region in ARN" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const char *body = text(f, "{\"daemonTaskDefinition\":\"%s\"}", rows[r].reference);
        fixture_check(f, rows[r].row, DESCRIBE, body, rows[r].want);
        fixture_check(f, rows[r].row, DELETE, body, rows[r].want);
    }
    fixture_check(f, "a family that is unknown", DESCRIBE, "{\"daemonTaskDefinition\":\"nobody\"}", UNKNOWN);
    fixture_check(f, "a family is deleted by revisions", DELETE, "{\"daemonTaskDefinition\":\"plain\"}", "ClientException: Revision is missing.");
    fixture_check(f, "no reference", DELETE, "{}", "ClientException: DaemonTaskDefinition should not be null or empty.");
}

/* ---- lists ---- */

static void check_list(struct api_fixture *f, const char *row, const char *filter, const char *want)
{
    struct str reply = fixture_call(f, LIST, text(f, "{%s}", filter));
    struct buf got = buf_in(&f->kept);
    int64_t count = f->code == ERR_NONE ? count_at(f, reply, "daemonTaskDefinitions") : 0;
    for (int64_t n = 0; n < count; n++) {
        const char *arn = at(f, reply, text(f, "daemonTaskDefinitions[%d].arn", (int)n));
        CHECK(row, str_starts_with(str_from(arn), STR(ARN)));
        buf_printf(&got, "%s ", arn + sizeof ARN - 1);
    }
    CHECK_STR(row, buf_str(&got), str_from(want));
}

/* Registers l-a:1, l-a:2, l-b:1 and l:1, and deletes l-a:1. */
static void test_lists(struct api_fixture *f)
{
    static const struct { const char *row, *filter, *want; } rows[] = {
        { "ACTIVE",                 "\"familyPrefix\":\"l\"",                                               "l:1 l-a:2 l-b:1 " },
        { "the same",               "\"familyPrefix\":\"l\",\"status\":\"ACTIVE\",\"sort\":\"ASC\"",        "l:1 l-a:2 l-b:1 " },
        { "backwards",              "\"familyPrefix\":\"l\",\"sort\":\"DESC\"",                             "l-b:1 l-a:2 l:1 " },
        { "of any status",          "\"familyPrefix\":\"l\",\"status\":\"ALL\"",                            "l:1 l-a:1 l-a:2 l-b:1 " },
        { "any, backwards",         "\"familyPrefix\":\"l\",\"status\":\"ALL\",\"sort\":\"DESC\"",          "l-b:1 l-a:2 l-a:1 l:1 " },
        { "being deleted",          "\"familyPrefix\":\"l\",\"status\":\"DELETE_IN_PROGRESS\"",             "" },
        { "a longer prefix",        "\"familyPrefix\":\"l-\"",                                              "l-a:2 l-b:1 " },
        { "a family",               "\"family\":\"l\"",                                                     "l:1 " },
        { "a family, any status",   "\"family\":\"l-a\",\"status\":\"ALL\"",                                "l-a:1 l-a:2 " },
        { "a family and no prefix", "\"family\":\"l-a\",\"familyPrefix\":\"\"",                             "l-a:2 " },
        { "the last of each",       "\"familyPrefix\":\"l\",\"status\":\"ALL\",\"revision\":\"LAST_REGISTERED\"", "l:1 l-a:2 l-b:1 " },
        { "the last of one",        "\"family\":\"l-a\",\"status\":\"ALL\",\"revision\":\"LAST_REGISTERED\"", "l-a:2 " },
        { "a family of none",       "\"family\":\"l-\"",                                                    "" },
    };
    static const char *const families[] = { "l-a", "l-a", "l-b", "l" };
    for (size_t n = 0; n < COUNT_OF(families); n++) { (void)fixture_call(f, REGISTER, body_with(f, families[n], "", "")); }
    (void)fixture_call(f, DELETE, "{\"daemonTaskDefinition\":\"l-a:1\"}");
    for (size_t r = 0; r < COUNT_OF(rows); r++) { check_list(f, rows[r].row, rows[r].filter, rows[r].want); }
    fixture_check(f, "a summary", LIST, "{\"family\":\"l-a\",\"status\":\"ALL\",\"maxResults\":2}",
                  "{\"daemonTaskDefinitions\":[{\"arn\":\"" ARN "l-a:1\",\"registeredAt\":1700000000.000,\"registeredBy\":"
                  "\"arn:aws:iam::123456789012:user/tester\",\"deleteRequestedAt\":1700000000.000,\"status\":\"DELETED\"},{\"arn\":\"" ARN "l-a:2\","
                  "\"registeredAt\":1700000000.000,\"registeredBy\":\"arn:aws:iam::123456789012:user/tester\",\"status\":\"ACTIVE\"}]}");
    fixture_check(f, "nothing", LIST, "{\"family\":\"nobody\"}", "{\"daemonTaskDefinitions\":[]}");
    fixture_check(f, "a family and a prefix", LIST, "{\"family\":\"l\",\"familyPrefix\":\"l\"}",
                  "InvalidParameterException: Only one of family and familyPrefix can be specified.");
    fixture_check(f, "a page of 0", LIST, "{\"maxResults\":0}", "InvalidParameterException: maxResults should be between 1 and 100, but was 0.");
    fixture_check(f, "a page of 101", LIST, "{\"maxResults\":101}", "InvalidParameterException: maxResults should be between 1 and 100, but was 101.");
    fixture_check(f, "a bad token", LIST, "{\"nextToken\":\"x\"}", "InvalidParameterException: Invalid token: nextToken must be the one that the page before gave.");
}

/* Every entry is on one page, in either direction, whether or not pages end within a family. */
static void test_pages(struct api_fixture *f)
{
    static const char *const orders[] = { "", ",\"sort\":\"DESC\"", ",\"revision\":\"LAST_REGISTERED\"", ",\"revision\":\"LAST_REGISTERED\",\"sort\":\"DESC\"" };
    for (size_t o = 0; o < COUNT_OF(orders); o++) {
        const char *filter = text(f, "\"familyPrefix\":\"l\",\"status\":\"ALL\"%s", orders[o]);
        struct buf pages = buf_in(&f->kept), whole = buf_in(&f->kept);
        const char *token = "";
        for (size_t page = 0; page < 9 && token != NULL; page++) {
            struct str reply = fixture_call(f, LIST, text(f, "{%s,\"maxResults\":1%s}", filter, token));
            buf_printf(&pages, "%s ", at(f, reply, "daemonTaskDefinitions[0].arn"));
            token = str_is_set(fixture_at(f, reply, "nextToken")) ? text(f, ",\"nextToken\":\"%s\"", at(f, reply, "nextToken")) : NULL;
        }
        struct str reply = fixture_call(f, LIST, text(f, "{%s}", filter));
        for (int64_t n = 0; n < count_at(f, reply, "daemonTaskDefinitions"); n++) {
            buf_printf(&whole, "%s ", at(f, reply, text(f, "daemonTaskDefinitions[%d].arn", (int)n)));
        }
        CHECK(orders[o], token == NULL && buf_str(&whole).len > 0);
        CHECK_STR(orders[o], buf_str(&pages), buf_str(&whole));
    }
}

/* ---- the end of a revision ---- */

static void test_deletes(struct api_fixture *f)
{
    for (int n = 0; n < 3; n++) { (void)fixture_call(f, REGISTER, body_with(f, "d", "", "")); }
    f->now_ms += 1000;
    fixture_check(f, "the reply is the ARN", DELETE, "{\"daemonTaskDefinition\":\"d:3\"}", "{\"daemonTaskDefinitionArn\":\"" ARN "d:3\"}");
    check_describe(f, "it can be described", "d:3", "daemonTaskDefinition.status", "DELETED");
    check_describe(f, "since when", "d:3", "daemonTaskDefinition.deleteRequestedAt", "1700000001.0");
    check_describe(f, "with its containers", "d:3", "daemonTaskDefinition.containerDefinitions[0].name", "c");
    check_describe(f, "the family is its latest that is ACTIVE", "d", "daemonTaskDefinition.revision", "2");
    fixture_check(f, "deleted again", DELETE, "{\"daemonTaskDefinition\":\"d:3\"}", "ClientException: The specified daemon task definition is not in ACTIVE status.");
    fixture_check(f, "no tags", "ListTagsForResource", "{\"resourceArn\":\"" ARN "d:3\"}",
                  "InvalidParameterException: The specified resource was not found: " ARN "d:3");
    fixture_check(f, "another by its ARN", DELETE, "{\"daemonTaskDefinition\":\"" ARN "d:1\"}", "{\"daemonTaskDefinitionArn\":\"" ARN "d:1\"}");
    f->now_ms += f->config.stopped_task_keep_ms;
    expire(f, 10);
    check_describe(f, "kept to the last moment", "d:3", "daemonTaskDefinition.status", "DELETED");
    f->now_ms += 1;
    expire(f, 10);
    fixture_check(f, "then it is gone", DESCRIBE, "{\"daemonTaskDefinition\":\"d:3\"}", UNKNOWN);
    fixture_check(f, "the other too", DESCRIBE, "{\"daemonTaskDefinition\":\"d:1\"}", UNKNOWN);
    check_list(f, "the revision that is left", "\"family\":\"d\",\"status\":\"ALL\"", "d:2 ");
    fixture_check(f, "the counter goes on", REGISTER, body_with(f, "d", "", ""), "{\"daemonTaskDefinitionArn\":\"" ARN "d:4\"}");
}

/* Families of task definitions are others. */
static void test_families(struct api_fixture *f)
{
    define(f, "both", "", "");
    define(f, "both", "", "");
    fixture_check(f, "the first", REGISTER, body_with(f, "both", "", ""), "{\"daemonTaskDefinitionArn\":\"" ARN "both:1\"}");
    struct str families = fixture_call(f, "ListTaskDefinitionFamilies", "{\"familyPrefix\":\"plain\"}");
    CHECK_EQ("a daemon's family is not in the other list", count_at(f, families, "families"), 0);
    (void)fixture_call(f, DELETE, "{\"daemonTaskDefinition\":\"both:1\"}");
    struct str other = fixture_call(f, "DescribeTaskDefinition", "{\"taskDefinition\":\"both:1\"}");
    CHECK_STR("the other of this name stays", fixture_at(f, other, "taskDefinition.status"), STR("ACTIVE"));
}

int main(void)
{
    struct api_fixture f;
    cluster_open(&f);
    test_plain(&f);
    test_rich(&f);
    test_refusals(&f);
    test_container(&f);
    test_limits(&f);
    test_references(&f);
    test_lists(&f);
    test_pages(&f);
    test_families(&f);
    test_deletes(&f);
    f.config.strict_aws = true;
    fixture_check(&f, "an empty role, as ECS has it", REGISTER, body_with(&f, "strict", ",\"taskRoleArn\":\"\"", ""), "ClientException: Role is not valid");
    fixture_close(&f);
    return check_report();
}
