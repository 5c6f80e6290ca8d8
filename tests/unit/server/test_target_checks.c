/* test_target_checks.c: which checks a machine's agent gets, when it gets them again, and which reports of states count. */
#include "server/sessions/outbox.h"

#include "tests/unit/api/service_lives.h"
#include "tests/unit/api/traffic.h"

#define AGAIN_MS 30000
#define CHECKS_TYPE "BerthChecksMessage"

/* A service with one task that is a target of "tg". */
struct stage { struct api_fixture f; struct outbox outbox; struct numbers numbers; struct kept_target target; struct id machine; struct str told; };

static const struct str_list no_candidates;

static void learn_target(struct stage *stage)
{
    struct kept_target *targets;
    struct store_txn *txn = store_read_begin(stage->f.store);
    size_t count = store_list_targets(txn, STR("tg"), &targets, &stage->f.kept);
    if (count > 0) { stage->target = targets[0]; }
    const struct task *task = store_task(txn, stage->target.task, &stage->f.kept);
    if (task != NULL) { stage->machine = task->instance; }
    CHECK("read", store_read_end(txn));
}

/* How many messages with checks came, of which `told` is the last. They are acknowledged. */
static size_t visit(struct stage *stage, bool acks)
{
    struct err err = { 0 };
    struct str_list told;
    size_t count = 0;
    struct store_txn *txn = store_read_begin(stage->f.store);
    struct op_ctx ctx = fixture_ctx(&stage->f, txn, &stage->f.kept, OP_READ);
    CHECK("collected", outbox_collect(&stage->outbox, &ctx, stage->machine, &no_candidates, &stage->numbers, stage->f.now_ms, &told, &err));
    CHECK("read", store_read_end(txn));
    for (size_t m = 0; m < told.count; m++) {
        bool is_checks = str_eq(fixture_at(&stage->f, told.items[m], "type"), STR(CHECKS_TYPE));
        if (is_checks) { stage->told = told.items[m]; count++; }
        if (acks || !is_checks) { outbox_ack(&stage->outbox, fixture_at(&stage->f, told.items[m], "message.messageId")); }
    }
    return count;
}

static void begin_session(struct stage *stage, bool knows, int64_t followed)
{
    outbox_reset(&stage->outbox, AGAIN_MS);
    outbox_take_checks(&stage->outbox, (struct opt_int){ followed, knows });
}

static void open_stage(struct stage *stage)
{
    *stage = (struct stage){ .machine = { { 0 } } };
    life_open(&stage->f);
    define(&stage->f, "web", ",\"portMappings\":[{\"containerPort\":80}]", "");
    group_add(&stage->f, "tg", "60", true);
    addresses_add(&stage->f);
    (void)fixture_call(&stage->f, "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":1" IN_GROUP("tg", "main") "}");
    settle(&stage->f);
    learn_target(stage);
    CHECK_TEXT("one target", targets_of(&stage->f, "tg"), "initial 1");
    begin_session(stage, true, 0);
}

static void close_stage(struct stage *stage)
{
    outbox_finish(&stage->outbox);
    fixture_close(&stage->f);
}

static const char *told_at(struct stage *stage, const char *path) { return at(&stage->f, stage->told, text(&stage->f, "message.checks%s", path)); }

static void change_check(struct stage *stage, const char *path, bool is_on)
{
    struct op_ctx ctx = traffic_begin(&stage->f);
    struct kept_group group = *store_group(ctx.txn, STR("tg"), &stage->f.kept);
    struct target_group shown = *group.group;
    group.group = &shown;
    shown.health_check_path = str_from(path);
    shown.health_check_enabled = opt_bool_of(is_on);
    store_put_group(ctx.txn, &group);
    traffic_check_changed(&ctx, &shown);
    CHECK_EQ("its machine is woken", ctx.effects.count, 1);
    traffic_end(&ctx);
}

static void test_messages(void)
{
    struct stage stage;
    open_stage(&stage);
    CHECK_EQ("one message", visit(&stage, false), 1);
    CHECK_EQ("one check", count_at(&stage.f, stage.told, "message.checks"), 1);
    CHECK_STR("of its address", str_from(told_at(&stage, "[0].address")), stage.target.address);
    CHECK_TEXT("as the group says", told_at(&stage, "[0].path"), "/");
    CHECK_EQ("not acknowledged, and not due", visit(&stage, false), 0);
    stage.f.now_ms += AGAIN_MS;
    CHECK_EQ("due again", visit(&stage, true), 1);
    stage.f.now_ms += AGAIN_MS;
    CHECK_EQ("acknowledged", visit(&stage, true), 0);

    targets_are(&stage.f, "tg", TARGET_HEALTHY);
    CHECK_EQ("a state that changes is no other check", visit(&stage, true), 0);
    change_check(&stage, "/up", true);
    CHECK_EQ("another path is", visit(&stage, true), 1);
    CHECK_TEXT("which", told_at(&stage, "[0].path"), "/up");

    targets_are(&stage.f, "tg", TARGET_UNHEALTHY);
    change_check(&stage, "/up", false);
    CHECK_EQ("checks that are off", visit(&stage, true), 1);
    CHECK_EQ("are in no list", count_at(&stage.f, stage.told, "message.checks"), 0);
    CHECK_TEXT("and its targets are healthy", targets_of(&stage.f, "tg"), "healthy 1");
    change_check(&stage, "/up", true);
    CHECK_EQ("on again", visit(&stage, true), 1);

    begin_session(&stage, true, 5);
    CHECK_EQ("a new session", visit(&stage, true), 1);
    begin_session(&stage, false, 0);
    CHECK_EQ("an agent that does not know them", visit(&stage, true), 0);
    begin_session(&stage, true, 0);
    CHECK_EQ("and one that does", visit(&stage, true), 1);

    (void)fixture_call(&stage.f, "UpdateService", "{\"service\":\"web\",\"desiredCount\":0}");
    settle(&stage.f);
    CHECK_TEXT("it drains", targets_of(&stage.f, "tg"), "draining 1");
    CHECK_EQ("which ends the check", visit(&stage, true), 1);
    CHECK_EQ("the list is empty", count_at(&stage.f, stage.told, "message.checks"), 0);
    begin_session(&stage, true, 0);
    CHECK_EQ("an agent without checks needs no empty list", visit(&stage, true), 0);
    begin_session(&stage, true, 5);
    CHECK_EQ("one that follows a list does", visit(&stage, true), 1);
    close_stage(&stage);
}

/* ---- reports ---- */

static enum err_code report_of(struct stage *stage, struct id machine, int64_t registration, int64_t number, const char *words)
{
    char hex[ID_HEX_LEN + 1];
    struct api_call call;
    struct err err = { 0 };
    struct arena arena;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    id_hex(machine, hex);
    const char *body = text(&stage->f, "{\"containerInstance\":\"%s\",\"targets\":[{\"group\":\"tg\",\"name\":\"" STR_FMT "\",\"port\":%lld,\"registration\":%lld,"
                            "\"number\":%lld,%s}]}", hex, STR_ARG(stage->target.name), (long long)stage->target.port, (long long)registration, (long long)number, words);
    if (api_prepare_checks(&stage->f.config, str_from(body), &arena, &call, &err)) { (void)fixture_run(&stage->f, &call, &arena, &err); }
    arena_finish(&arena);
    return err.code;
}

static const char *shown(struct stage *stage)
{
    learn_target(stage);
    return text(&stage->f, STR_FMT " " STR_FMT " " STR_FMT, STR_ARG(enum_word(&target_state_names, (int)stage->target.state)), STR_ARG(stage->target.reason),
                STR_ARG(stage->target.description));
}

#define GOOD    "\"state\":\"healthy\",\"cause\":\"good\""
#define GOOD_AGAIN "\"state\":\"healthy\",\"from\":\"unhealthy\",\"cause\":\"good\""
#define BAD     "\"state\":\"unhealthy\",\"from\":\"healthy\",\"cause\":\"code\",\"code\":502"
#define LATE    "\"state\":\"unhealthy\",\"from\":\"healthy\",\"cause\":\"timeout\""
#define BEGINS  "\"state\":\"initial\",\"cause\":\"failed\""
#define IS_GOOD "healthy  "
#define IS_BAD  "unhealthy Target.ResponseCodeMismatch Health checks failed with these codes: [502]"

static void test_reports(void)
{
    struct stage stage;
    open_stage(&stage);
    int64_t registration = stage.target.registration;
    struct id other = machine_add(&stage.f, "other", 0), nobody = { { 9 } };
    const struct { const char *row; struct id machine; int64_t registration, number; const char *words; enum err_code code; const char *want; } rows[] = {
        { "checked, and not good yet",        stage.machine, registration, 10, BEGINS, ERR_NONE, "initial Elb.InitialHealthChecking Initial health checks in progress" },
        { "healthy",                          stage.machine, registration, 11, GOOD, ERR_NONE, IS_GOOD },
        { "healthy again, after a new begin", stage.machine, registration, 12, GOOD, ERR_NONE, IS_GOOD },
        { "initial again, after a new begin", stage.machine, registration, 13, BEGINS, ERR_NONE, IS_GOOD },
        { "another machine",                  other,         registration, 20, BAD, ERR_NONE, IS_GOOD },
        { "no machine",                       nobody,        registration, 20, BAD, ERR_INVALID_PARAMETER, IS_GOOD },
        { "another registration",             stage.machine, registration + 1, 20, BAD, ERR_NONE, IS_GOOD },
        { "the same number",                  stage.machine, registration, 11, BAD, ERR_NONE, IS_GOOD },
        { "the next number",                  stage.machine, registration, 12, BAD, ERR_NONE, IS_BAD },
        { "repeated",                         stage.machine, registration, 12, BAD, ERR_NONE, IS_BAD },
        { "an earlier one that comes late",   stage.machine, registration, 11, GOOD, ERR_NONE, IS_BAD },
        { "for another reason",               stage.machine, registration, 30, LATE, ERR_NONE, "unhealthy Target.Timeout Request timed out" },
        { "no state of a check",              stage.machine, registration, 40, "\"state\":\"draining\",\"cause\":\"good\"", ERR_NONE,
          "unhealthy Target.Timeout Request timed out" },
        { "good again",                       stage.machine, registration, 41, GOOD_AGAIN, ERR_NONE, IS_GOOD },
        { "good, which was lost on its way",  stage.machine, registration, 43, GOOD_AGAIN, ERR_NONE, IS_GOOD },
        { "the bad one between them",         stage.machine, registration, 42, BAD, ERR_NONE, IS_GOOD },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_EQ(rows[r].row, report_of(&stage, rows[r].machine, rows[r].registration, rows[r].number, rows[r].words), rows[r].code);
        CHECK_STR(rows[r].row, str_from(shown(&stage)), str_from(rows[r].want));
    }
    settle(&stage.f);
    CHECK_TEXT("the service knows", state(&stage.f, "web"), "D 1 R 1 P 0 web:1 | PRIMARY web:1 1/1/0 COMPLETED 0");
    (void)fixture_call(&stage.f, "UpdateService", "{\"service\":\"web\",\"desiredCount\":0}");
    settle(&stage.f);
    CHECK_EQ("it drains", report_of(&stage, stage.machine, registration, 99, BAD), ERR_NONE);
    CHECK_TEXT("and goes on", targets_of(&stage.f, "tg"), "draining 1");
    close_stage(&stage);
}

/* ---- the server's own ---- */

static size_t server_list(struct stage *stage)
{
    struct store_txn *txn = store_read_begin(stage->f.store);
    struct op_ctx ctx = fixture_ctx(&stage->f, txn, &stage->f.kept, OP_READ);
    size_t count = api_server_checks(&ctx).count;
    CHECK("read", store_read_end(txn));
    return count;
}

static void server_tells(struct stage *stage, const struct kept_target *target, int64_t number)
{
    struct check_told told = { .group = target->group, .name = target->name, .port = opt_int_of(target->port), .registration = opt_int_of(target->registration),
                               .number = opt_int_of(number), .state = TARGET_HEALTHY, .cause = CHECK_GOOD };
    struct api_call call;
    struct arena arena;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    api_prepare_server_checks(&(struct check_told_list){ &told, 1 }, &arena, &call);
    fixture_internal_in(&stage->f, &call, &arena);
    arena_finish(&arena);
}

static void make_own(struct stage *stage)
{
    struct op_ctx ctx = traffic_begin(&stage->f);
    struct instance instance = *store_instance(ctx.txn, stage->machine, &stage->f.kept);
    struct attribute *attributes = ARENA_NEW(&stage->f.kept, struct attribute, instance.attributes.count + 1);
    for (size_t a = 0; a < instance.attributes.count; a++) { attributes[a] = instance.attributes.items[a]; }
    attributes[instance.attributes.count] = (struct attribute){ .name = STR(PROTOCOL_ATTRIBUTE), .value = STR("1") };
    instance.attributes = (struct attribute_list){ attributes, instance.attributes.count + 1 };
    placement_put_instance(&ctx, &instance);
    traffic_end(&ctx);
}

static void test_server(void)
{
    struct stage stage;
    open_stage(&stage);
    CHECK_EQ("the ECS agent knows no checks", server_list(&stage), 1);
    make_own(&stage);
    CHECK_EQ("Berth's agent does", server_list(&stage), 0);
    server_tells(&stage, &stage.target, 5);
    CHECK_TEXT("so the server is not believed", targets_of(&stage.f, "tg"), "initial 1");

    struct op_ctx ctx = traffic_begin(&stage.f);
    struct kept_target outside = { .group = STR("tg"), .name = STR("192.0.2.1"), .address = STR("192.0.2.1"), .port = 8080 };
    traffic_register(&ctx, store_group(ctx.txn, STR("tg"), &stage.f.kept), &outside);
    outside = *store_target(ctx.txn, STR("tg"), STR("192.0.2.1"), 8080, &stage.f.kept);
    traffic_end(&ctx);
    CHECK_EQ("an outsider is the server's", server_list(&stage), 1);
    learn_target(&stage);
    CHECK_EQ("and no machine's", visit(&stage, true), 1);
    CHECK_EQ("its one target", count_at(&stage.f, stage.told, "message.checks"), 1);
    server_tells(&stage, &outside, 5);
    CHECK_TEXT("which the server names", targets_of(&stage.f, "tg"), "initial 1 healthy 1");
    close_stage(&stage);
}

int main(void)
{
    test_messages();
    test_reports();
    test_server();
    return check_report();
}
