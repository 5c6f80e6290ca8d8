/* test_usage.c: hours of GPUs, added up over the history and live tasks: by whom, in which time, shares, waits, and what samples tell. */
#include "tests/unit/api/service_lives.h"

enum { MINUTE_OF_HOUR = 60, HOUR = 3600 * 1000 };
#define TEAM(value, more) ",\"tags\":[{\"key\":\"team\",\"value\":\"" value "\"}" more "]"
#define WAITS ",{\"key\":\"berth:queue\",\"value\":\"wait\"}"

static struct str usage(struct api_fixture *f, const char *by, int64_t since_ms, int64_t until_ms)
{
    struct buf out = buf_in(&f->kept);
    struct err err = { 0 };
    struct store_txn *txn = store_read_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, &f->kept, OP_READ);
    const struct usage_query query = { str_from(by), { NULL, 0 }, since_ms, until_ms };
    if (!api_print_usage(&ctx, &query, &out, &err)) { buf_put(&out, str_from(err.message)); }
    CHECK("the read is sound", store_read_end(txn));
    return buf_str(&out);
}

/* "vision 2/1 held 3 used 1 idle 0 unknown 2 queued 0" */
static const char *row_at(struct api_fixture *f, struct str told, const char *path)
{
    static const char *const members[] = { "held", "used", "idle", "unknown", "queued" };
    struct buf out = buf_in(&f->kept);
    buf_printf(&out, "%s/%s", at(f, told, text(f, "%s.tasks", path)), at(f, told, text(f, "%s.running", path)));
    for (size_t m = 0; m < COUNT_OF(members); m++) { buf_printf(&out, " %s %s", members[m], at(f, told, text(f, "%s.%s", path, members[m]))); }
    return arena_cstr(&f->kept, buf_str(&out));
}

static const char *start(struct api_fixture *f, const char *family, const char *more)
{
    struct str reply = fixture_call(f, "RunTask", text(f, "{\"taskDefinition\":\"%s\"%s}", family, more));
    CHECK_EQ(family, f->code, ERR_NONE);
    return arena_str(&f->kept, str_from(at(f, reply, "tasks[0].taskArn"))).ptr;
}

static void stop(struct api_fixture *f, const char *task)
{
    (void)fixture_call(f, "SubmitTaskStateChange", text(f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"done\"}", task));
    CHECK_EQ("reported", f->code, ERR_NONE);
    (void)steps(f);
}

/* The use of each task, in place of the server's: an hour and a half of samples, of it half an hour used and a quarter idle. */
static struct task_usage told_usage(const void *owner, struct id instance, struct id task)
{
    (void)owner;
    (void)instance;
    (void)task;
    return (struct task_usage){ HOUR * 3 / 2, HOUR / 2, HOUR / 4 };
}

static void open_stage(struct api_fixture *f)
{
    cluster_open(f);
    f->config.history_keep_ms = (int64_t)24 * HOUR;
    (void)machine_add(f, "a", 2);
    define(f, "one", GPUS("1"), "");
    define(f, "half", GPUS("0.5"), "");
    define(f, "pair", GPUS("2"), "");
    define(f, "plain", "", "");
}

static void test_keys(void)
{
    struct api_fixture f;
    open_stage(&f);
    int64_t begin = f.now_ms;
    const char *one = start(&f, "one", TEAM("vision", "") ",\"startedBy\":\"ann\""), *half = start(&f, "half", TEAM("speech", ""));
    (void)start(&f, "plain", TEAM("vision", ""));
    f.now_ms += 2 * HOUR;
    stop(&f, half);
    f.now_ms += HOUR;

    struct str told = usage(&f, "tag:team", begin, f.now_ms);
    CHECK_TEXT("who held most comes first", at(&f, told, "groups[0].key"), "vision");
    CHECK_TEXT("one that runs; a task without GPUs does not count", row_at(&f, told, "groups[0]"), "1/1 held 3 used 0 idle 0 unknown 3 queued 0");
    CHECK_TEXT("half of a GPU for two hours", row_at(&f, told, "groups[1]"), "1/0 held 1 used 0 idle 0 unknown 1 queued 0");
    CHECK_TEXT("in all", row_at(&f, told, "total"), "2/1 held 4 used 0 idle 0 unknown 4 queued 0");
    CHECK_TEXT("all was read", at(&f, told, "complete"), "true");
    CHECK_TEXT("and fitted", at(&f, told, "others"), "null");

    static const struct { const char *by, *first; int64_t count; } rows[] = {
        { "family", "one", 2 }, { "startedBy", "ann", 2 }, { "service", "null", 1 }, { "cluster", "default", 1 }, { "tag:nothing", "null", 1 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        told = usage(&f, rows[r].by, begin, f.now_ms);
        CHECK_STR(rows[r].by, str_from(at(&f, told, "groups[0].key")), str_from(rows[r].first));
        CHECK_EQ(rows[r].by, count_at(&f, told, "groups"), rows[r].count);
    }
    CHECK_STR("by what?", usage(&f, "colour", begin, f.now_ms),
              STR("by can't be \"colour\": it should be family, service, startedBy, cluster or tag:KEY."));
    CHECK_STR("a tag without a key", usage(&f, "tag:", begin, f.now_ms),
              STR("by can't be \"tag:\": it should be family, service, startedBy, cluster or tag:KEY."));
    CHECK_STR("backwards", usage(&f, "family", f.now_ms, begin), STR("since should be before until."));
    stop(&f, one);
    fixture_close(&f);
}

/* The time is cut where the asked time begins and ends. */
static void test_time(void)
{
    struct api_fixture f;
    open_stage(&f);
    int64_t begin = f.now_ms;
    f.config.usage_of = told_usage;
    const char *one = start(&f, "one", "");
    f.now_ms += 3 * HOUR;
    static const struct { const char *row; int from, until; const char *want; } rows[] = {
        { "all of it", 0, 3, "held 3 used 0.5 idle 0.25 unknown 1.5 queued 0" },
        { "the last two hours of three", 1, 3, "held 2 used 0.333333 idle 0.166666 unknown 1 queued 0" },
        { "the first", 0, 1, "held 1 used 0.166666 idle 0.083333 unknown 0.5 queued 0" },
        { "in between", 1, 2, "held 1 used 0.166666 idle 0.083333 unknown 0.5 queued 0" },
        { "longer than the task", -5, 9, "held 3 used 0.5 idle 0.25 unknown 1.5 queued 0" },
    };
    for (int life = 0; life < 2; life++) {                       /* while it runs, and from the history */
        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            struct str told = usage(&f, "family", begin + rows[r].from * HOUR, begin + rows[r].until * HOUR);
            CHECK_STR(rows[r].row, str_from(row_at(&f, told, "groups[0]")), str_from(text(&f, "1/%d %s", 1 - life, rows[r].want)));
        }
        struct str before = usage(&f, "family", begin - 2 * HOUR, begin);
        CHECK_EQ("nothing before it", count_at(&f, before, "groups"), 0);
        if (life == 0) { stop(&f, one); }
    }
    f.config.usage_of = NULL;
    struct str told = usage(&f, "family", begin, f.now_ms);
    CHECK_TEXT("what the history has does not need the server's memory", row_at(&f, told, "total"), "1/0 held 3 used 0.5 idle 0.25 unknown 1.5 queued 0");
    fixture_close(&f);
}

static void test_waits(void)
{
    struct api_fixture f;
    open_stage(&f);
    int64_t begin = f.now_ms;
    const char *holder = start(&f, "pair", ""), *waits = start(&f, "pair", TEAM("late", WAITS)), *in_vain = start(&f, "one", TEAM("vain", WAITS));
    f.now_ms += HOUR;
    CHECK_TEXT("it waits for two GPUs", row_at(&f, usage(&f, "tag:team", begin, f.now_ms), "groups[1]"), "1/1 held 0 used 0 idle 0 unknown 0 queued 2");
    stop(&f, holder);
    f.now_ms += 2 * HOUR;
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", in_vain));
    struct str told = usage(&f, "tag:team", begin, f.now_ms);
    CHECK_TEXT("then it held them", at(&f, told, "groups[0].key"), "late");
    CHECK_TEXT("from its placement on", row_at(&f, told, "groups[0]"), "1/1 held 4 used 0 idle 0 unknown 4 queued 2");
    CHECK_TEXT("one that never got any", at(&f, told, "groups[2].key"), "vain");
    CHECK_TEXT("has waited for three hours", row_at(&f, told, "groups[2]"), "1/0 held 0 used 0 idle 0 unknown 0 queued 3");
    stop(&f, waits);
    struct str history = usage(&f, "tag:team", begin, f.now_ms);
    CHECK_TEXT("the history has the same", row_at(&f, history, "groups[0]"), "1/0 held 4 used 0 idle 0 unknown 4 queued 2");
    fixture_close(&f);
}

static void test_many_keys(void)
{
    enum { KEYS = 1003 };
    struct api_fixture f;
    open_stage(&f);
    int64_t begin = f.now_ms;
    for (int k = 0; k < KEYS; k++) {
        const char *task = start(&f, "one", text(&f, ",\"startedBy\":\"user-%d\"", k));
        f.now_ms += MINUTE_OF_HOUR * 1000;
        stop(&f, task);
    }
    struct str told = usage(&f, "startedBy", begin, f.now_ms);
    CHECK_EQ("a thousand keys", count_at(&f, told, "groups"), 1000);
    CHECK_TEXT("and the rest together", at(&f, told, "others.tasks"), "3");
    CHECK_TEXT("all of them", at(&f, told, "total.tasks"), "1003");
    fixture_close(&f);
}

int main(void)
{
    test_keys();
    test_time();
    test_waits();
    test_many_keys();
    return check_report();
}
