/* test_replaced.c: machines that are replaced because they are old, impaired or will be taken away, the time that their tasks have, and empty managed
 * instances. What is decided: test_replace.c of scheduler/. */
#include "api/tell/pulls.h"
#include "tests/unit/api/stage.h"

enum { HOUR_MS = 60 * MINUTE_MS };

static void patches(struct kept_provider *provider)
{
    static struct tag tags[] = { { STR_INIT("berth:patch-after"), STR_INIT("1h") }, { STR_INIT("berth:patch-by"), STR_INIT("3h") } };
    provider->tags = (struct tag_list){ tags, COUNT_OF(tags) };
}

static void repairs(struct kept_provider *provider)
{
    static struct auto_repair_configuration repair = { AUTO_REPAIR_ACTIONS_STATUS_ENABLED };
    provider->managed->auto_repair_configuration = &repair;
}

static struct str why_task(struct stage *stage, const char *task)
{
    struct api_fixture *f = &stage->f;
    struct image_pull_list pulls = { 0 };
    struct buf out = buf_in(&f->kept);
    struct id id;
    struct str arn = str_from(task);
    CHECK("a task", id_parse(str_slice(arn, arn.len - ID_HEX_LEN, arn.len), &id));
    struct store_txn *txn = store_read_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, &f->kept, OP_READ);
    CHECK("why", api_print_why(&ctx, id, &pulls, &out) && store_read_end(txn));
    return buf_str(&out);
}

/* A provider with one machine, and a task on it. Returns the task's ARN. */
static const char *stage_with_task(struct stage *stage, bool managed, int64_t max, void (*change)(struct kept_provider *))
{
    stage_open_as(stage, managed, 100, max, change);
    run_tasks(stage, 1);
    const char *task = at(&stage->f, fixture_call(&stage->f, "ListTasks", "{}"), "taskArns[0]");
    CHECK("a task that waits says where to look", str_contains(why_task(stage, task), STR("`berth why p` says which machines its capacity provider orders.")));
    minutes(stage, 2);
    CHECK_STR("a machine", str_from(states(&stage->f)), STR("A"));
    CHECK_EQ("with a task", placed(stage), 1);
    return task;
}

static struct kept_machine *first_machine(struct stage *stage)
{
    size_t count;
    struct kept_machine *machines = machines_now(&stage->f, &count);
    ASSERT(count > 0);
    return &machines[0];
}

static struct str task_at(struct stage *stage, const char *task, const char *path)
{
    return fixture_at(&stage->f, fixture_call(&stage->f, "DescribeTasks", text(&stage->f, "{\"tasks\":[\"%s\"]}", task)), text(&stage->f, "tasks[0].%s", path));
}

static void told(struct stage *stage, const char *task, const char *status)
{
    (void)fixture_call(&stage->f, "SubmitTaskStateChange", text(&stage->f, "{\"task\":\"%s\",\"status\":\"%s\",\"reason\":\"\"}", task, status));
}

/* ---- by age ---- */

/* The replacement first; a task of nobody's goes on until the deadline. */
static void test_patch(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    const char *task = stage_with_task(&stage, true, 2, patches);
    int64_t ordered_ms = first_machine(&stage)->ordered_ms;
    f->now_ms = ordered_ms + HOUR_MS - 1;
    work(&stage);
    CHECK_STR("young", str_from(states(f)), STR("A"));
    f->now_ms++;
    step(f);
    CHECK_STR("another one is ordered first", str_from(states(f)), STR("AO"));
    CHECK("and it is said", str_contains(f->lines, STR("gets a replacement: The machine is replaced: it is 1h old")));
    work(&stage);
    minutes(&stage, 1);
    CHECK_STR("it has come: the old one drains", str_from(states(f)), STR("DA"));
    CHECK("the task's move is explained", str_contains(why_task(&stage, task), STR("That machine drains: The machine is replaced: it is 1h")));
    CHECK("and its time", str_contains(why_task(&stage, task), STR("for 1h5")));
    CHECK_EQ("as many as before", pool_now(f).desired, 1);
    f->now_ms = ordered_ms + 3 * HOUR_MS - 1;
    work(&stage);
    CHECK_STR("its task goes on", task_at(&stage, task, "desiredStatus"), STR("RUNNING"));
    f->now_ms++;
    work(&stage);
    CHECK_STR("until the deadline", task_at(&stage, task, "stoppedReason"), STR("Task stopped during instance draining"));
    told(&stage, task, "STOPPED");
    minutes(&stage, 1);
    CHECK_STR("then all go: nobody needs them", str_from(states(f)), STR(""));
    stage_close(&stage);
}

/* A service's task starts elsewhere before it stops (case 33), and its stop says why. */
static void test_service_moves(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    (void)stage_with_task(&stage, true, 2, patches);
    stop_all(&stage);
    (void)fixture_call(f, "CreateService", "{\"serviceName\":\"s\",\"taskDefinition\":\"f\",\"desiredCount\":1,\"capacityProviderStrategy\":"
                                           "[{\"capacityProvider\":\"p\",\"weight\":1}]}");
    CHECK_EQ("a service", f->code, ERR_NONE);
    step(f);
    const char *old = at(f, fixture_call(f, "ListTasks", "{\"serviceName\":\"s\"}"), "taskArns[0]");
    told(&stage, old, "RUNNING");
    minutes(&stage, 59);
    for (int m = 0; m < 3 && strcmp(states(f), "DA") != 0; m++) { minutes(&stage, 1); }
    CHECK_STR("the old one drains", str_from(states(f)), STR("DA"));
    step(f);
    struct str tasks = fixture_call(f, "ListTasks", "{\"serviceName\":\"s\"}");
    CHECK_EQ("the replacement starts first", count_at(f, tasks, "taskArns"), 2);
    CHECK_STR("the old one still runs", task_at(&stage, old, "desiredStatus"), STR("RUNNING"));
    for (int t = 0; t < 2; t++) { told(&stage, at(f, tasks, text(f, "taskArns[%d]", t)), "RUNNING"); }
    minutes(&stage, 1);
    struct str why = task_at(&stage, old, "stoppedReason");
    CHECK("it says why it was moved", str_starts_with(why, STR("Task stopped due to instance draining. The machine is replaced: it is 1h")));
    told(&stage, old, "STOPPED");
    minutes(&stage, 1);
    CHECK_STR("then it goes", str_from(states(f)), STR("A"));
    stage_close(&stage);
}

/* At MaxSize it drains first. */
static void test_no_room(void)
{
    static struct stage stage;
    (void)stage_with_task(&stage, true, 1, patches);
    minutes(&stage, 60);
    CHECK_STR("it drains at once, and another one comes", str_from(states(&stage.f)), STR("DA"));
    stage_close(&stage);
}

/* ---- by health, by notice ---- */

static void tell_health(struct api_fixture *f, struct id machine, const char *status)
{
    char hex[ID_HEX_LEN + 1];
    struct api_call call;
    struct err err = { 0 };
    id_hex(machine, hex);
    const char *body = text(f, "{\"containerInstance\":\"%s\",\"status\":\"%s\",\"statusReason\":\"GPU trouble\"}", hex, status);
    CHECK("told", api_prepare_health(&f->config, str_from(body), &f->kept, &call, &err) && fixture_run(f, &call, &f->kept, &err));
}

static void test_impaired(void)
{
    static const struct { const char *row; void (*change)(struct kept_provider *); bool recovers; const char *want; } rows[] = {
        { "it is replaced", repairs, false, "DA" }, { "without autoRepairConfiguration it stays", NULL, false, "A" },
        { "one that recovers stays", repairs, true, "A" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct stage stage;
        (void)stage_with_task(&stage, true, 5, rows[r].change);
        struct id instance = first_machine(&stage)->instance;
        tell_health(&stage.f, instance, "IMPAIRED");
        minutes(&stage, 4);
        CHECK_STR(rows[r].row, str_from(states(&stage.f)), STR("A"));
        if (rows[r].recovers) { tell_health(&stage.f, instance, "OK"); }
        minutes(&stage, 3);
        CHECK_STR(rows[r].row, str_from(states(&stage.f)), str_from(rows[r].want));
        stage_close(&stage);
    }
}

/* Its own agent drains it; a person who drains it keeps it. */
static void test_notice(void)
{
    static const struct { const char *row; enum access_role role; const char *want; } rows[] = {
        { "its agent", ACCESS_AGENT, "DO" }, { "a person", ACCESS_ADMIN, "A" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct stage stage;
        struct api_fixture *f = &stage.f;
        (void)stage_with_task(&stage, true, 5, NULL);
        char hex[ID_HEX_LEN + 1];
        id_hex(first_machine(&stage)->instance, hex);
        f->caller.role = rows[r].role;
        (void)fixture_call(f, "UpdateContainerInstancesState", text(f, "{\"containerInstances\":[\"%s\"],\"status\":\"DRAINING\"}", hex));
        CHECK_EQ(rows[r].row, f->code, ERR_NONE);
        f->caller.role = ACCESS_ADMIN;
        step(f);
        CHECK_STR(rows[r].row, str_from(states(f)), str_from(rows[r].want));
        stage_close(&stage);
    }
}

/* ---- scaleInAfter, and draining ---- */

static struct infrastructure_optimization idle;
static void idles(struct kept_provider *provider) { provider->managed->infrastructure_optimization = &idle; }

static void test_idle(void)
{
    static const struct { const char *row; struct opt_int after; int before, gone; } rows[] = {     /* minutes: it is there; it is gone */
        { "five minutes by default", { 0, false }, 4, 8 }, { "at once", { 0, true }, 0, 2 }, { "ten minutes", { 600, true }, 9, 13 }, { "never", { -1, true }, 600, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct stage stage;
        idle = (struct infrastructure_optimization){ .scale_in_after = rows[r].after };
        (void)stage_with_task(&stage, true, 5, idles);
        stop_all(&stage);
        minutes(&stage, rows[r].before);
        CHECK_EQ(rows[r].row, size_of(&stage), 1);
        minutes(&stage, rows[r].gone - rows[r].before > 0 ? rows[r].gone - rows[r].before : 0);
        CHECK_EQ(rows[r].row, size_of(&stage), rows[r].gone == 0);
        stage_close(&stage);
    }
}

static void undrained(struct kept_provider *provider)
{
    static struct auto_scaling_group_provider group;
    group = *provider->group;
    group.managed_draining = MANAGED_DRAINING_DISABLED;
    provider->group = &group;
}

/* A machine with a task that its group is to lose: by hand, as in SetDesiredCapacity. */
static void test_draining(void)
{
    static const struct { const char *row; bool managed; void (*change)(struct kept_provider *); const char *want; } rows[] = {
        { "managed draining is the default", false, NULL, "D" }, { "disabled: at once", false, undrained, "S" }, { "managed instances drain", true, NULL, "D" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct stage stage;
        const char *task = stage_with_task(&stage, rows[r].managed, 5, rows[r].change);
        struct api_fixture *f = &stage.f;
        want(f, &stage.pool, 0);
        step(f);
        CHECK_STR(rows[r].row, str_from(states(f)), str_from(rows[r].want));
        if (rows[r].want[0] == 'D') {                            /* case 34 */
            f->now_ms += 48 * (int64_t)HOUR_MS - 1;
            work(&stage);
            CHECK_STR(rows[r].row, task_at(&stage, task, "desiredStatus"), STR("RUNNING"));
            f->now_ms++;
            work(&stage);
            CHECK_STR(rows[r].row, task_at(&stage, task, "desiredStatus"), STR("STOPPED"));
        }
        stage_close(&stage);
    }
}

int main(void)
{
    test_patch();
    test_service_moves();
    test_no_room();
    test_impaired();
    test_notice();
    test_idle();
    test_draining();
    return check_report();
}
