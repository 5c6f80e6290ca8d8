/* test_outbox.c: events for others: each version of a task once, instances, and nothing where no events are kept. */
#include "base/time/moment.h"
#include "tests/unit/api/machines.h"

static size_t events_of(struct api_fixture *f, int64_t after, struct kept_event **events)
{
    struct store_txn *txn = store_read_begin(f->store);
    size_t count = store_list_events(txn, after, events, 100, &f->kept);
    CHECK("the read is sound", store_read_end(txn));
    return count;
}

static const char *member(struct api_fixture *f, const struct kept_event *event, const char *path)
{
    return arena_cstr(&f->kept, fixture_at(f, event->text, path));
}

static void test_life(void)
{
    struct api_fixture f;
    struct kept_event *events;
    cluster_open(&f);
    f.config.events_keep_ms = 3600 * 1000;
    (void)machine_add(&f, "node-a", 2);
    size_t before = events_of(&f, 0, &events);
    CHECK("its instance", before > 0 && strcmp(member(&f, &events[0], "detail-type"), "ECS Container Instance State Change") == 0);
    CHECK("of a cluster", strstr(member(&f, &events[0], "detail.clusterArn"), ":cluster/default") != NULL);
    define(&f, "train", GPUS("1"), "");
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\"}");
    const char *arn = at(&f, made, "tasks[0].taskArn");
    f.now_ms += 1234;
    report(&f, arn, "RUNNING", "{\"containerName\":\"main\",\"status\":\"RUNNING\"}");
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", arn));
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", arn));
    report(&f, arn, "STOPPED", "{\"containerName\":\"main\",\"status\":\"STOPPED\",\"exitCode\":0}");
    int64_t version = 0;
    const char *last = "";
    size_t count = events_of(&f, (int64_t)before, &events);
    for (size_t e = 0; e < count; e++) {
        if (strcmp(member(&f, &events[e], "resources[0]"), arn) != 0) { continue; }
        CHECK_TEXT("each version once", member(&f, &events[e], "detail.version"), text(&f, "%lld", (long long)++version));
        last = member(&f, &events[e], "detail.lastStatus");
    }
    CHECK("several", version >= 4);
    CHECK_TEXT("to its end", last, "STOPPED");
    char moment[MOMENT_TEXT_SIZE];
    (void)moment_print(f.now_ms, true, moment);
    CHECK_TEXT("times are texts", member(&f, &events[count - 1], "detail.updatedAt"), moment);
    fixture_close(&f);
}

static void test_none(void)
{
    struct api_fixture f;
    struct kept_event *events;
    cluster_open(&f);
    (void)machine_add(&f, "node-a", 2);
    define(&f, "train", GPUS("1"), "");
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\"}");
    CHECK_EQ("none is written", events_of(&f, 0, &events), 0);
    fixture_close(&f);
}

static void test_old(void)
{
    struct api_fixture f;
    struct kept_event *events;
    struct arena arena;
    struct api_call call;
    cluster_open(&f);
    f.config.events_keep_ms = 60 * 1000;
    (void)machine_add(&f, "node-a", 2);
    size_t count = events_of(&f, 0, &events);
    for (int minute = 0; minute < 2; minute++) {
        CHECK_EQ("they are there for a minute", events_of(&f, 0, &events), minute == 0 ? count : 0);
        f.now_ms += 60 * 1000 + 1;
        arena_init(&arena, FIXTURE_ARENA_BYTES);
        api_prepare_expire(&(struct expire_tasks){ 100 }, &arena, &call);
        fixture_internal_in(&f, &call, &arena);
        arena_finish(&arena);
    }
    fixture_close(&f);
}

static void test_told(void)
{
    struct api_fixture f;
    struct arena arena;
    struct api_call call;
    cluster_open(&f);
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    for (int64_t number = -1; number < 9; number += 5) {
        struct store_txn *txn = store_read_begin(f.store);
        CHECK_EQ("how far it is", api_events_told(txn, STR("a"), &arena), number);
        CHECK_EQ("another one is new", api_events_told(txn, STR("b"), &arena), -1);
        CHECK("the read is sound", store_read_end(txn));
        api_prepare_events_told(&(struct events_told){ STR("a"), number + 5 }, &arena, &call);
        fixture_internal_in(&f, &call, &arena);
    }
    arena_finish(&arena);
    fixture_close(&f);
}

int main(void)
{
    test_life();
    test_none();
    test_old();
    test_told();
    return check_report();
}
