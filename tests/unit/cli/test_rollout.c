/* A task definition with other images; how far a deployment is, how it ended, and the lines about it. */
#include "cli/rollout.h"
#include "tests/unit/check.h"

static struct arena arena;

static const struct json *parse(const char *text)
{
    struct err err = { 0 };
    const struct json *json = json_parse(str_from(text), &arena, &err);
    CHECK_STR(text, str_from(err.message), STR(""));
    return json;
}

/* ---- the definition ---- */

#define ONE "{\"name\":\"web\",\"image\":\"a:1\",\"memory\":16,\"later\":{\"x\":[1,null,true,0.5]}}"
#define TWO ONE ",{\"image\":\"b:1\",\"name\":\"side\"}"
#define REPLY(members, rest) "{\"taskDefinition\":{" members "}" rest "}"
#define CONTAINERS(list) "\"containerDefinitions\":[" list "]"

static void test_definition(void)
{
    static const struct { const char *name, *reply, *images, *want, *complaint; } rows[] = {
        { "the only container", REPLY("\"family\":\"f\"," CONTAINERS(ONE), ""), "a:2",
          "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"web\",\"memory\":16,\"later\":{\"x\":[1,null,true,0.5]},\"image\":\"a:2\"}]}", NULL },
        { "by name", REPLY(CONTAINERS(TWO), ""), "side=b:2",
          "{\"containerDefinitions\":[" ONE ",{\"name\":\"side\",\"image\":\"b:2\"}]}", NULL },
        { "two", REPLY(CONTAINERS("{\"name\":\"web\"},{\"name\":\"side\"}"), ""), "side=b:2,web=a@sha256:00",
          "{\"containerDefinitions\":[{\"name\":\"web\",\"image\":\"a@sha256:00\"},{\"name\":\"side\",\"image\":\"b:2\"}]}", NULL },
        { "no member of the server", REPLY("\"taskDefinitionArn\":\"x\",\"revision\":3,\"status\":\"ACTIVE\",\"requiresAttributes\":[{}],\"compatibilities\":[],"
          "\"registeredAt\":1.5,\"registeredBy\":\"x\",\"deregisteredAt\":2,\"deleteRequestedAt\":3," CONTAINERS("{\"name\":\"w\"}") ",\"cpu\":\"256\"", ""), "a",
          "{\"containerDefinitions\":[{\"name\":\"w\",\"image\":\"a\"}],\"cpu\":\"256\"}", NULL },
        { "a container's own status stays", REPLY(CONTAINERS("{\"name\":\"w\",\"status\":\"s\"}"), ""), "a",
          "{\"containerDefinitions\":[{\"name\":\"w\",\"status\":\"s\",\"image\":\"a\"}]}", NULL },
        { "members that nobody here knows", REPLY("\"new\":{\"deep\":[{}]}," CONTAINERS("{\"name\":\"w\"}"), ""), "a",
          "{\"new\":{\"deep\":[{}]},\"containerDefinitions\":[{\"name\":\"w\",\"image\":\"a\"}]}", NULL },
        { "tags", REPLY(CONTAINERS("{\"name\":\"w\"}"), ",\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]"), "a",
          "{\"containerDefinitions\":[{\"name\":\"w\",\"image\":\"a\"}],\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]}", NULL },
        { "no tags", REPLY(CONTAINERS("{\"name\":\"w\"}"), ",\"tags\":[]"), "a", "{\"containerDefinitions\":[{\"name\":\"w\",\"image\":\"a\"}]}", NULL },
        { "which container?", REPLY(CONTAINERS(TWO), ""), "a:2", NULL, "--image: the task definition has 2 containers: name one, as in web=a:2." },
        { "no such container", REPLY(CONTAINERS(ONE), ""), "main=a:2", NULL, "--image: the task definition has no container \"main\"." },
        { "two images by name", REPLY(CONTAINERS(TWO), ""), "web=a,side=b,web=c", NULL, "--image: the container \"web\" is given two images." },
        { "two images for the only one", REPLY(CONTAINERS(ONE), ""), "a,web=b", NULL, "--image: the container \"web\" is given two images." },
        { "a name and no image", REPLY(CONTAINERS(ONE), ""), "web=", NULL, "--image: an image is needed after \"web=\"." },
        { "no definition", "{}", "a", NULL, "the server's answer has no task definition." },
        { "no container", REPLY(CONTAINERS(""), ""), "a", NULL, "the server's answer has no task definition." },
        { "no list of objects", REPLY(CONTAINERS("7"), ""), "a", NULL, "the server's answer has no list of containers." },
        { "no object", "[]", "a", NULL, "the server's answer has no task definition." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct buf body = buf_in(&arena);
        struct err err = { 0 };
        bool good = rollout_definition(parse(rows[r].reply), str_from(rows[r].images), &body, &err);
        CHECK_EQ(rows[r].name, good, rows[r].complaint == NULL);
        if (good) { CHECK_STR(rows[r].name, buf_str(&body), str_from(rows[r].want)); }
        if (!good) { CHECK_STR(rows[r].name, str_from(err.message), str_from(rows[r].complaint)); }
    }
}

/* ---- how far ---- */

#define DEPLOYMENT(status, desired, running, pending, failed) \
    "{\"status\":\"" status "\",\"desiredCount\":" desired ",\"runningCount\":" running ",\"pendingCount\":" pending ",\"failedTasks\":" failed "}"
#define SERVICE(list) "{\"deployments\":[" list "]}"

static void test_lines(void)
{
    static const struct { const char *name, *service, *line, *bar; } rows[] = {
        { "nothing yet", SERVICE(DEPLOYMENT("PRIMARY", "2", "0", "0", "0")), "X: 0 of 2 running", "[....................]   0%  X: 0 of 2 running" },
        { "half", SERVICE(DEPLOYMENT("PRIMARY", "4", "2", "1", "3") "," DEPLOYMENT("ACTIVE", "3", "3", "0", "9")), "X: 2 of 4 running, 1 pending, 3 old, 3 failed",
          "[##########..........]  50%  X: 2 of 4 running, 1 pending, 3 old, 3 failed" },
        { "two older ones", SERVICE(DEPLOYMENT("ACTIVE", "1", "1", "5", "0") "," DEPLOYMENT("PRIMARY", "4", "3", "0", "0") "," DEPLOYMENT("ACTIVE", "2", "2", "0", "0")),
          "X: 3 of 4 running, 3 old", "[###############.....]  75%  X: 3 of 4 running, 3 old" },
        { "done", SERVICE(DEPLOYMENT("PRIMARY", "2", "2", "0", "0")), "X: 2 of 2 running", "[####################] 100%  X: 2 of 2 running" },
        { "just not done", SERVICE(DEPLOYMENT("PRIMARY", "1000", "999", "0", "0")), "X: 999 of 1000 running", "[###################.]  99%  X: 999 of 1000 running" },
        { "none wanted", SERVICE(DEPLOYMENT("PRIMARY", "0", "0", "0", "0")), "X: 0 of 0 running", "[####################] 100%  X: 0 of 0 running" },
        { "no deployment", SERVICE(""), "X: 0 of 0 running", "[####################] 100%  X: 0 of 0 running" },
        { "texts and huge numbers are no counts", SERVICE(DEPLOYMENT("PRIMARY", "-1", "\"2\"", "9223372036854775807", "null")), "X: 0 of 0 running, 2147483647 pending",
          "[####################] 100%  X: 0 of 0 running, 2147483647 pending" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct progress progress = rollout_progress(parse(rows[r].service));
        struct buf line = buf_in(&arena), bar = buf_in(&arena);
        rollout_line(STR("X"), &progress, &line);
        rollout_bar(STR("X"), &progress, &bar);
        CHECK_STR(rows[r].name, buf_str(&line), str_from(rows[r].line));
        CHECK_STR(rows[r].name, buf_str(&bar), str_from(rows[r].bar));
    }
}

static void test_settled(void)
{
    static const struct { const char *service; bool want; } rows[] = {
        { "{\"desiredCount\":2,\"runningCount\":2,\"pendingCount\":0}", true },  { "{\"desiredCount\":2,\"runningCount\":1,\"pendingCount\":0}", false },
        { "{\"desiredCount\":2,\"runningCount\":3,\"pendingCount\":0}", false }, { "{\"desiredCount\":2,\"runningCount\":2,\"pendingCount\":1}", false },
        { "{\"desiredCount\":0,\"runningCount\":0,\"pendingCount\":0}", true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ(rows[r].service, rollout_is_settled(parse(rows[r].service)), rows[r].want); }
}

/* Every status of a service deployment. */
static void test_ends(void)
{
    static const struct { const char *status; enum rollout_end want; } rows[] = {
        { "PENDING", ROLLOUT_GOES_ON }, { "IN_PROGRESS", ROLLOUT_GOES_ON }, { "STOP_REQUESTED", ROLLOUT_GOES_ON }, { "ROLLBACK_REQUESTED", ROLLOUT_GOES_ON },
        { "ROLLBACK_IN_PROGRESS", ROLLOUT_GOES_ON }, { "SUCCESSFUL", ROLLOUT_SUCCEEDED }, { "STOPPED", ROLLOUT_FAILED },
        { "ROLLBACK_SUCCESSFUL", ROLLOUT_FAILED }, { "ROLLBACK_FAILED", ROLLOUT_FAILED }, { "", ROLLOUT_GOES_ON },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ(rows[r].status, rollout_end(str_from(rows[r].status)), rows[r].want); }
}

static void test_new_events(void)
{
    static const struct { const char *name, *events, *seen; size_t want; } rows[] = {
        { "none", "[]", "", 0 }, { "the first ones", "[{\"id\":\"b\"},{\"id\":\"a\"}]", "", 2 }, { "no new one", "[{\"id\":\"b\"},{\"id\":\"a\"}]", "b", 0 },
        { "one", "[{\"id\":\"b\"},{\"id\":\"a\"}]", "a", 1 }, { "the seen one is gone", "[{\"id\":\"c\"},{\"id\":\"b\"}]", "a", 2 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ(rows[r].name, rollout_new_events(parse(rows[r].events), str_from(rows[r].seen)), rows[r].want); }
}

static void test_names(void)
{
    static const struct { const char *arn, *want; } rows[] = {
        { "arn:aws:ecs:r:1:task-definition/web:3", "web:3" }, { "arn:aws:ecs:r:1:service/c/web", "web" }, { "web:3", "web:3" }, { "", "" }, { "x/", "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_STR(rows[r].arn, rollout_name(str_from(rows[r].arn)), str_from(rows[r].want)); }
}

int main(void)
{
    arena_init(&arena, 64 * 1024 * 1024);
    test_definition();
    test_lines();
    test_settled();
    test_ends();
    test_new_events();
    test_names();
    arena_finish(&arena);
    return check_report();
}
