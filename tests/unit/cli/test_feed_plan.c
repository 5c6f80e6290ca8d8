/* The planner of a feed for HAProxy, and the texts of HAProxy that it reads. */
#include "../check.h"
#include "base/num.h"
#include "cli/feed/follow.h"
#include "cli/feed/plan.h"
#include "cli/feed/runtime.h"

#define A "00000000000000aa"
#define B "00000000000000bb"
#define TARGET(number, state) "{\"number\":\"" number "\",\"address\":\"10.0.0.7\",\"port\":8080,\"state\":\"" state "\",\"since\":100000}"
#define TARGET_AT(address, port) "{\"number\":\"" A "\",\"address\":\"" address "\",\"port\":" port ",\"state\":\"healthy\",\"since\":1}"
#define GROUP(more, targets) "[{\"name\":\"web\",\"protocol\":\"HTTP\"" more ",\"targets\":[" targets "]}]"
#define CHECKED ",\"healthCheck\":{\"enabled\":true,\"port\":\"traffic-port\",\"intervalSeconds\":10,\"unhealthy\":2}"
#define SERVER(name, admin, weight) "4 tg_web 1 " name " 10.0.0.7 2 " admin " " weight " 100\n"
#define STAT(name, waiting, sent) "tg_web," name "," waiting ",0," sent ",0\n"
#define READY(name) "set server tg_web/" name " state ready\n"

/* The servers and their requests as HAProxy prints them; the commands, one a line; the busy targets, one a line. */
static const struct { const char *row, *groups, *servers, *stat, *commands, *busy; bool waits; } rows[] = {
    { "no target, no server", GROUP("", ""), "", "", "", "", false },
    { "a healthy target is added", GROUP("", TARGET(A, "healthy")), "", "", "add server tg_web/" A " 10.0.0.7:8080 weight 100\n" READY(A), "", false },
    { "… with its checks", GROUP(CHECKED, TARGET(A, "healthy")), "", "",
      "add server tg_web/" A " 10.0.0.7:8080 check inter 10s rise 1 fall 2 weight 100\nenable health tg_web/" A "\n" READY(A), "", false },
    { "an initial one is not", GROUP("", TARGET(A, "initial")), "", "", "", "", false },
    { "nor an unhealthy one", GROUP("", TARGET(A, "unhealthy")), "", "", "", "", false },
    { "nor a draining one", GROUP("", TARGET(A, "draining")), "", "", "", "", false },
    { "servers that are there stay", GROUP("", TARGET(A, "healthy")), SERVER(A, "0", "100"), STAT(A, "0", "3"), "", "", false },
    { "added and not enabled, as after a crash", GROUP("", TARGET(A, "healthy")), SERVER(A, "1", "100"), "", READY(A), "", false },
    { "drained, and healthy again", GROUP("", TARGET(A, "healthy")), SERVER(A, "8", "100"), "", READY(A), "", false },
    { "draining: first no new request; it may have one", GROUP("", TARGET(A, "draining")), SERVER(A, "0", "100"), "",
      "set server tg_web/" A " state drain\n", A "\n", true },
    { "drained with a request", GROUP("", TARGET(A, "draining")), SERVER(A, "8", "100"), STAT(A, "0", "1"), "", A "\n", true },
    { "drained with a waiting request", GROUP("", TARGET(A, "draining")), SERVER(A, "8", "100"), STAT(A, "1", "0"), "", A "\n", true },
    { "drained without one", GROUP("", TARGET(A, "draining")), SERVER(A, "8", "100"), STAT(A, "0", "0"),
      "set server tg_web/" A " state maint\ndel server tg_web/" A "\n", "", false },
    { "out and not deleted, as after a crash", GROUP("", TARGET(A, "draining")), SERVER(A, "9", "100"), "", "del server tg_web/" A "\n", "", false },
    { "unhealthy: leaves, and is not called busy", GROUP("", TARGET(A, "unhealthy")), SERVER(A, "8", "100"), STAT(A, "0", "1"), "", "", true },
    { "gone: leaves", GROUP("", ""), SERVER(A, "0", "100"), "", "set server tg_web/" A " state drain\n", "", true },
    { "a server of others is left alone", GROUP("", ""), SERVER("backup", "0", "100"), "", "", "", false },
    { "one leaves, one comes", GROUP("", TARGET(A, "draining") "," TARGET(B, "healthy")), SERVER(A, "0", "100"), "",
      "add server tg_web/" B " 10.0.0.7:8080 weight 100\n" READY(B) "set server tg_web/" A " state drain\n", A "\n", true },
    { "stickiness: out at once, or its cookie would bring requests", GROUP(",\"stickinessSeconds\":60", TARGET(A, "draining")), SERVER(A, "0", "100"), "",
      "set server tg_web/" A " state maint\n", A "\n", true },
    { "… with a request", GROUP(",\"stickinessSeconds\":60", TARGET(A, "draining")), SERVER(A, "1", "100"), STAT(A, "0", "1"), "", A "\n", true },
    { "… without", GROUP(",\"stickinessSeconds\":60", TARGET(A, "draining")), SERVER(A, "1", "100"), STAT(A, "0", "0"), "del server tg_web/" A "\n", "", false },
    { "slow start", GROUP(",\"slowStartSeconds\":100", TARGET(A, "healthy")), "", "", "add server tg_web/" A " 10.0.0.7:8080 weight 50\n" READY(A), "", false },
    { "… begins with a tenth", GROUP(",\"slowStartSeconds\":900", TARGET(A, "healthy")), "", "", "add server tg_web/" A " 10.0.0.7:8080 weight 10\n" READY(A), "", false },
    { "… goes on", GROUP(",\"slowStartSeconds\":100", TARGET(A, "healthy")), SERVER(A, "0", "40"), "", "set server tg_web/" A " weight 50\n", "", false },
    { "… in steps", GROUP(",\"slowStartSeconds\":91", TARGET(A, "healthy")), SERVER(A, "0", "50"), "", "", "", false },
    { "… has ended", GROUP(",\"slowStartSeconds\":50", TARGET(A, "healthy")), SERVER(A, "0", "90"), "", "set server tg_web/" A " weight 100\n", "", false },
    { "IPv6", GROUP("", TARGET_AT("fd00::7", "1")), "", "", "add server tg_web/" A " [fd00::7]:1 weight 100\n" READY(A), "", false },
    { "the last port", GROUP("", TARGET_AT("10.0.0.7", "65535")), "", "", "add server tg_web/" A " 10.0.0.7:65535 weight 100\n" READY(A), "", false },
    { "no port", GROUP("", TARGET_AT("10.0.0.7", "65536")), "", "", "", "", false },
    { "an address that would be more than one word", GROUP("", TARGET_AT("10.0.0.7 disabled", "1")), "", "", "", "", false },
    { "TLS behind", "[{\"name\":\"web\",\"protocol\":\"HTTPS\",\"targets\":[" TARGET(A, "healthy") "]}]", "", "",
      "add server tg_web/" A " 10.0.0.7:8080 ssl verify none weight 100\n" READY(A), "", false },
    { "gRPC behind", GROUP(",\"protocolVersion\":\"GRPC\"", TARGET(A, "healthy")), "", "",
      "add server tg_web/" A " 10.0.0.7:8080 proto h2 weight 100\n" READY(A), "", false },
    { "a group that this HAProxy does not carry", "[{\"name\":\"other\",\"targets\":[" TARGET(A, "healthy") "]}]", "", "", "", "", false },
    { "a name that would be more than one word", "[{\"name\":\"web x\",\"targets\":[" TARGET(A, "healthy") "]}]", "", "", "", "", false },
};

static struct str lines_of(const struct str_list *list, struct arena *arena)
{
    struct buf text = buf_in(arena);
    for (size_t n = 0; n < list->count; n++) { buf_printf(&text, STR_FMT "\n", STR_ARG(list->items[n])); }
    return buf_str(&text);
}

static const struct feed_state *state_of(const char *row, const char *groups, const char *listeners, struct arena *arena)
{
    static const struct feed_state nothing;
    struct err err = { 0 };
    const struct feed_state *state = feed_read(arena_printf(arena, "{\"revision\":1,\"groups\":%s,\"listeners\":%s}", groups, listeners), arena, &err);
    CHECK_STR(row, str_from(err.message), STR(""));
    return state == NULL ? &nothing : state;
}

static void test_plan(void)
{
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena;
        struct plan_seen seen = { .server_count = 0 };
        struct plan plan;
        arena_init(&arena, 1 << 20);
        runtime_read_servers(arena_printf(&arena, "1\n# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight\n%s", rows[r].servers),
                             &seen, &arena);
        runtime_read_stat(arena_printf(&arena, "# pxname,svname,qcur,qmax,scur\nfront,FRONTEND,,,9\n%stg_web,BACKEND,0,0,0\n", rows[r].stat), &seen, &arena);
        plan_sort(&seen);
        plan_make(state_of(rows[r].row, rows[r].groups, "[]", &arena), &seen, 150000, &plan, &arena);
        CHECK_STR(rows[r].row, lines_of(&plan.commands, &arena), str_from(rows[r].commands));
        CHECK_STR(rows[r].row, lines_of(&plan.busy, &arena), str_from(rows[r].busy));
        CHECK_EQ(rows[r].row, plan.waits, rows[r].waits);
        arena_finish(&arena);
    }
}

#define WEIGHTED(weights) "[{\"arn\":\"a/l1\",\"action\":{\"type\":\"forward\",\"groups\":" weights "},\"rules\":[]}]"
#define TWO(first, second) "[{\"group\":\"x\",\"weight\":" first "},{\"group\":\"y\",\"weight\":" second "}]"
static const struct { const char *row, *listeners, *entries, *commands; } weights[] = {
    { "one group needs no weight", WEIGHTED("[{\"group\":\"x\",\"weight\":5}]"), "", "" },
    { "none is known", WEIGHTED(TWO("90", "10")), "", "add map /m l1/x 900\nadd map /m l1/y 1000\n" },
    { "all are right", WEIGHTED(TWO("90", "10")), "0x1 l1/x 900\n0x2 l1/y 1000\n", "" },
    { "a change", WEIGHTED(TWO("50", "50")), "0x1 l1/x 900\n0x2 l1/y 1000\n", "set map /m l1/x 500\n" },
    { "all to the first", WEIGHTED(TWO("1", "0")), "0x1 l1/x 900\n0x2 l1/y 1000\n", "set map /m l1/x 1000\n" },
    { "all to the second", WEIGHTED(TWO("0", "999")), "0x1 l1/x 900\n0x2 l1/y 1000\n", "set map /m l1/x 0\n" },
    { "to none", WEIGHTED(TWO("0", "0")), "0x1 l1/x 900\n0x2 l1/y 1000\n", "set map /m l1/x 0\nset map /m l1/y 0\n" },
    { "three", WEIGHTED("[{\"group\":\"x\",\"weight\":1},{\"group\":\"y\",\"weight\":1},{\"group\":\"z\",\"weight\":1}]"), "",
      "add map /m l1/x 333\nadd map /m l1/y 666\nadd map /m l1/z 1000\n" },
    { "of a rule", "[{\"arn\":\"a/l1\",\"action\":{\"type\":\"forward\",\"groups\":[]},\"rules\":[{\"arn\":\"a/l1/r1\",\"action\":{\"groups\":" TWO("1", "1") "}}]}]",
      "", "add map /m r1/x 500\nadd map /m r1/y 1000\n" },
};

static void test_weights(void)
{
    for (size_t r = 0; r < COUNT_OF(weights); r++) {
        struct arena arena;
        struct plan_seen seen = { .map = STR("/m") };
        struct plan plan;
        arena_init(&arena, 1 << 20);
        runtime_read_map(str_from(weights[r].entries), &seen, &arena);
        plan_make(state_of(weights[r].row, "[]", weights[r].listeners, &arena), &seen, 0, &plan, &arena);
        CHECK_STR(weights[r].row, lines_of(&plan.commands, &arena), str_from(weights[r].commands));
        arena_finish(&arena);
    }
}

/* A state in which the traffic moves from x to y: y has its server first, and x loses its own last, so no request finds a group without a server. */
static void test_order(void)
{
    struct arena arena;
    struct plan_seen seen = { .map = STR("/m") };
    struct plan plan;
    arena_init(&arena, 1 << 20);
    runtime_read_servers(STR("1\n# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight\n4 tg_x 1 " A " 10.0.0.7 2 0 100 100\n"), &seen, &arena);
    runtime_read_stat(STR("# pxname,svname,qcur,qmax,scur\ntg_x,BACKEND,0,0,0\ntg_y,BACKEND,0,0,0\n"), &seen, &arena);
    runtime_read_map(STR("0x1 l1/x 1000\n0x2 l1/y 1000\n"), &seen, &arena);
    plan_sort(&seen);
    const char *groups = "[{\"name\":\"x\",\"targets\":[" TARGET(A, "draining") "]},{\"name\":\"y\",\"targets\":[" TARGET(B, "healthy") "]}]";
    plan_make(state_of("order", groups, WEIGHTED(TWO("0", "100")), &arena), &seen, 150000, &plan, &arena);
    CHECK_STR("order", lines_of(&plan.commands, &arena),
              STR("add server tg_y/" B " 10.0.0.7:8080 weight 100\nset server tg_y/" B " state ready\nset map /m l1/x 0\nset server tg_x/" A " state drain\n"));
    arena_finish(&arena);
}

static void test_texts(void)
{
    struct arena arena;
    struct str_list workers;
    arena_init(&arena, 1 << 20);
    runtime_read_workers(STR("#<PID>          <type>          <reloads>       <uptime>        <version>      \n"
                             "16681           master          1 [failed: 0]   0d00h10m23s     2.6.12-1+deb12u4\n# workers\n"
                             "16700           worker          0               0d00h00m01s     2.6.12-1+deb12u4\n# old workers\n"
                             "16693           worker          1               0d00h10m23s     2.6.12-1+deb12u4\n# programs\n\n"), &workers, &arena);
    CHECK_STR("workers, the newest first", lines_of(&workers, &arena), STR("@!16700 \n@!16693 \n"));
    CHECK_STR("the map", runtime_find_map(STR("# id (file) description\n3 (/x/other.map) pattern loaded\n10 (/x/berth-weights.map) pattern loaded\n")),
              STR("/x/berth-weights.map"));
    CHECK("no map", !str_is_set(runtime_find_map(STR("# id (file) description\n3 (/x/other.map) pattern loaded\n"))));
    arena_finish(&arena);
}

int main(void)
{
    test_plan();
    test_weights();
    test_order();
    test_texts();
    return check_report();
}
