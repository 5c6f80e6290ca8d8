/* test_early_pulls.c: before a task stops to make room, its machine pulls the images of the new revision: the message to the machine, and the ends of the wait. */
#include "server/sessions/outbox.h"

#include "tests/unit/api/service_lives.h"

#define AGAIN_MS   30000
#define STOPPED    "has stopped 1 running tasks:. Its 1 GPUs are kept for the replacement."
#define LOGIN      ",\"repositoryCredentials\":{\"credentialsParameter\":\"registry\"}"
#define ROLE       ",\"executionRoleArn\":\"arn:aws:iam::123456789012:role/run\""
#define STOP_FIRST ",\"tags\":[{\"key\":\"berth:replace\",\"value\":\"stop-first\"}]"

/* Machines of one GPU, and a service that has all of them; an update to gpu:2 has begun. */
struct stage { struct api_fixture f; struct id machines[2]; struct outbox outbox; struct numbers numbers; struct str told; };

static const struct str_list no_candidates;

static struct id pulling_machine(struct api_fixture *f, const char *name)
{
    static const char attributes[] = "\"attributes\":[";
    const char *body = machine_body(f, name, 1, ""), *rest = strstr(body, attributes) + sizeof attributes - 1;
    struct str reply = fixture_call(f, "RegisterContainerInstance", text(f, "%.*s{\"name\":\"" EARLY_PULLS_ATTRIBUTE "\",\"value\":\"true\"},"
        "{\"name\":\"ecs.capability.private-registry-authentication.secretsmanager\"},%s", (int)(rest - body), body, rest));
    CHECK_EQ(name, f->code, ERR_NONE);
    struct id id = id_at(f, reply, "containerInstance.containerInstanceArn");
    machine_presence(f, id, true);
    return id;
}

static void open_stage(struct stage *stage, int machines)
{
    *stage = (struct stage){ .told = { NULL, 0 } };
    services_open(&stage->f);
    define(&stage->f, "gpu", GPUS("1"), "");
    define(&stage->f, "gpu", GPUS("1") LOGIN, ROLE);
    for (int m = 0; m < machines; m++) { stage->machines[m] = pulling_machine(&stage->f, m == 0 ? "node-a" : "node-b"); }
    create(&stage->f, text(&stage->f, "{\"serviceName\":\"web\",\"taskDefinition\":\"gpu:1\",\"desiredCount\":%d" STOP_FIRST BREAKER("false") "}", machines));
    pass(&stage->f, 41);
    outbox_reset(&stage->outbox, AGAIN_MS);
    update(&stage->f, OF_WEB(",\"taskDefinition\":\"gpu:2\""));
    settle(&stage->f);
}

static void close_stage(struct stage *stage)
{
    outbox_finish(&stage->outbox);
    fixture_close(&stage->f);
}

/* How many messages of early pulls came, of which `told` is the last. */
static size_t visit(struct stage *stage, struct id machine, bool acks)
{
    struct err err = { 0 };
    struct str_list told;
    size_t count = 0;
    struct store_txn *txn = store_read_begin(stage->f.store);
    struct op_ctx ctx = fixture_ctx(&stage->f, txn, &stage->f.kept, OP_READ);
    CHECK("collected", outbox_collect(&stage->outbox, &ctx, machine, &no_candidates, &stage->numbers, stage->f.now_ms, &told, &err));
    CHECK("read", store_read_end(txn));
    for (size_t m = 0; m < told.count; m++) {
        bool is_pulls = str_eq(fixture_at(&stage->f, told.items[m], "type"), STR("BerthPullsMessage"));
        if (is_pulls) { stage->told = told.items[m]; count++; }
        if (acks || !is_pulls) { outbox_ack(&stage->outbox, fixture_at(&stage->f, told.items[m], "message.messageId")); }
    }
    return count;
}

/* One of the last message, as the machine would report it. */
static enum err_code report_pulled(struct stage *stage, struct id machine, int64_t later_revision, const char *reason)
{
    char hex[ID_HEX_LEN + 1];
    struct api_call call;
    struct err err = { 0 };
    struct arena arena;
    int64_t revision = 0;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    id_hex(machine, hex);
    CHECK("a revision", str_to_i64(str_from(at(&stage->f, stage->told, "message.pulls[0].revision")), &revision));
    const char *body = text(&stage->f, "{\"containerInstance\":\"%s\",\"pulls\":[{\"service\":%s,\"revision\":%lld%s}]}", hex,
                            at(&stage->f, stage->told, "message.pulls[0].service"), (long long)(revision + later_revision), reason);
    if (api_prepare_pulled(&stage->f.config, str_from(body), &arena, &call, &err)) { (void)fixture_run(&stage->f, &call, &arena, &err); }
    arena_finish(&arena);
    return err.code;
}

static const char *why(struct stage *stage)
{
    struct err err = { 0 };
    struct api_call call;
    CHECK("asked why", api_prepare_why_service(&stage->f.config, STR(OF_WEB("")), &stage->f.kept, &call, &err)
          && fixture_run(&stage->f, &call, &stage->f.kept, &err));
    return at(&stage->f, api_why_service(&call), "detail");
}

static bool has_stopped(struct stage *stage) { return strstr(events(&stage->f, "web", EVENTS_SHOWN), STOPPED) != NULL; }

/* ---- what ends the wait ---- */

#define REASON ",\"reason\":\"CannotPullContainerError: no such image\""

static void test_ends(void)
{
    static const struct { const char *row, *reason; int machine; int64_t later_revision, seconds; bool reports, stops; } rows[] = {
        { "all images are there", "", 0, 0, 0, true, true },
        { "one cannot be pulled", REASON, 0, 0, 0, true, true },
        { "a machine that was not asked", "", 1, 0, 0, true, false },
        { "another revision", "", 0, 1, 0, true, false },
        { "just within the time", "", 0, 0, 599, false, false },
        { "the time is over", "", 0, 0, 600, false, true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct stage stage;
        open_stage(&stage, 1);
        stage.machines[1] = machine_add(&stage.f, "other", 0);
        CHECK_EQ(rows[r].row, visit(&stage, stage.machines[0], true), 1);
        CHECK(rows[r].row, !has_stopped(&stage));
        CHECK(rows[r].row, strstr(why(&stage), "The image of the new revision is being pulled on node-a since ") != NULL);
        if (rows[r].reports) { CHECK_EQ(rows[r].row, report_pulled(&stage, stage.machines[rows[r].machine], rows[r].later_revision, rows[r].reason), ERR_NONE); }
        pass_idle(&stage.f, rows[r].seconds);
        settle(&stage.f);
        CHECK_EQ(rows[r].row, has_stopped(&stage), rows[r].stops);
        CHECK_EQ(rows[r].row, strstr(why(&stage), "is being pulled") != NULL, !rows[r].stops);
        bool tells = strstr(events(&stage.f, "web", EVENTS_SHOWN), "(deployment ) an image cannot be pulled on node-a before an old task stops there: "
                                                                    "CannotPullContainerError: no such image") != NULL;
        CHECK_EQ(rows[r].row, tells, rows[r].reason[0] != '\0');
        CHECK(rows[r].row, strstr(state(&stage.f, "web"), " IN_PROGRESS 0") != NULL);          /* the wait is no failure */
        pass(&stage.f, rows[r].stops ? 41 : 0);
        CHECK_EQ(rows[r].row, strcmp(state(&stage.f, "web"), "D 1 R 1 P 0 gpu:2 | PRIMARY gpu:2 1/1/0 COMPLETED 0") == 0, rows[r].stops);
        close_stage(&stage);
    }
}

#define CREATE "{\"serviceName\":\"web\",\"taskDefinition\":\"gpu:2\",\"desiredCount\":1" STOP_FIRST BREAKER("false") "}"

static void test_strangers(void)
{
    struct stage stage;
    open_stage(&stage, 1);
    (void)fixture_call(&stage.f, "CreateService", CREATE);
    CHECK_EQ("the pull is no part of the service for clients: a create that comes again", stage.f.code, ERR_NONE);
    CHECK_EQ("asked", visit(&stage, stage.machines[0], true), 1);
    CHECK_EQ("no such machine", report_pulled(&stage, (struct id){ { 9 } }, 0, ""), ERR_INVALID_PARAMETER);
    CHECK_EQ("once", report_pulled(&stage, stage.machines[0], 0, REASON), ERR_NONE);
    const char *before = events(&stage.f, "web", EVENTS_SHOWN);
    CHECK_EQ("twice", report_pulled(&stage, stage.machines[0], 0, REASON), ERR_NONE);
    CHECK_STR("is no news", str_from(events(&stage.f, "web", EVENTS_SHOWN)), str_from(before));
    close_stage(&stage);
}

/* The machine that pulls is out of reach: the other one is asked, and each of them once. */
static void test_another_machine(void)
{
    struct stage stage;
    open_stage(&stage, 2);
    bool first = strstr(why(&stage), "on node-a since") != NULL;
    struct id asked = stage.machines[first ? 0 : 1], other = stage.machines[first ? 1 : 0];
    const char *names[] = { first ? "on node-a since" : "on node-b since", first ? "on node-b since" : "on node-a since" };
    CHECK("one is asked", strstr(why(&stage), names[0]) != NULL);
    CHECK_EQ("the other is not", visit(&stage, other, true), 0);
    outbox_reset(&stage.outbox, AGAIN_MS);
    CHECK_EQ("told", visit(&stage, asked, true), 1);
    CHECK_EQ("it reports", report_pulled(&stage, asked, 0, ""), ERR_NONE);
    settle(&stage.f);
    pass(&stage.f, 41);
    CHECK("then the other is asked", strstr(why(&stage), names[1]) != NULL);
    machine_presence(&stage.f, other, false);
    settle(&stage.f);
    CHECK_EQ("it alone could make room", (size_t)has_stopped(&stage), 1);
    close_stage(&stage);

    open_stage(&stage, 2);
    machine_presence(&stage.f, asked = stage.machines[strstr(why(&stage), "on node-a since") != NULL ? 0 : 1], false);
    settle(&stage.f);
    other = stage.machines[id_eq(asked, stage.machines[0]) ? 1 : 0];
    CHECK_EQ("the other is asked", visit(&stage, other, true), 1);
    close_stage(&stage);
}

/* ---- the message ---- */

static void test_messages(void)
{
    struct stage stage;
    open_stage(&stage, 1);
    struct id machine = stage.machines[0];
    CHECK_EQ("told at the next visit", visit(&stage, machine, false), 1);
    CHECK_TEXT("an image", at(&stage.f, stage.told, "message.pulls[0].images[0].image"), "busybox");
    CHECK_TEXT("its login", at(&stage.f, stage.told, "message.pulls[0].images[0].registryAuthentication.asmAuthData.credentialsParameter"), "registry");
    CHECK_EQ("one pull", count_at(&stage.f, stage.told, "message.pulls"), 1);
    CHECK_EQ("not twice at once", visit(&stage, machine, true), 0);
    stage.f.now_ms += AGAIN_MS;
    CHECK_EQ("again, until it is acknowledged", visit(&stage, machine, true), 1);
    stage.f.now_ms += AGAIN_MS;
    CHECK_EQ("no more then", visit(&stage, machine, true), 0);
    outbox_forget_pulls(&stage.outbox);
    CHECK_EQ("asked for again", visit(&stage, machine, true), 1);
    outbox_reset(&stage.outbox, AGAIN_MS);
    CHECK_EQ("an agent that begins again", visit(&stage, machine, true), 1);
    CHECK_EQ("it ends", report_pulled(&stage, machine, 0, ""), ERR_NONE);
    bool woken = false;
    for (size_t e = 0; e < stage.f.effects.count; e++) {
        woken |= stage.f.effects.items[e].kind == EFFECT_PULLS_INSTANCE && id_eq(stage.f.effects.items[e].instance, machine);
    }
    CHECK("then others have room in a message", woken);
    outbox_reset(&stage.outbox, AGAIN_MS);
    CHECK_EQ("an end is not asked for again", visit(&stage, machine, true), 0);
    close_stage(&stage);

    open_stage(&stage, 1);
    stage.f.now_ms += PULL_WAIT_MS - 1;
    CHECK_EQ("just within the time", visit(&stage, stage.machines[0], true), 1);
    stage.f.now_ms += 1;
    outbox_reset(&stage.outbox, AGAIN_MS);
    CHECK_EQ("nobody waits any more", visit(&stage, stage.machines[0], true), 0);
    close_stage(&stage);
}

int main(void)
{
    test_ends();
    test_strangers();
    test_another_machine();
    test_messages();
    return check_report();
}
