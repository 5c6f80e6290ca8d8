/* Many services of two tasks, and a machine that is lost: all of its tasks get successors, and the work is that of the tasks that were lost, whether
 * there are ten times as many services or not. Work is counted in entries of the store, not timed. */
#include "scheduler/reconcile/roster.h"
#include "tests/unit/api/machines.h"

enum { EACH = 2, TO_A_MACHINE = 50, WORK_A_TASK = 20 };         /* services; entries for an end, the look at its service, and a start */

/* Returns the entries that it touched. */
static uint64_t run_counted(struct api_fixture *f, struct api_call *call, struct arena *arena)
{
    struct err err = { 0 };
    int64_t revision;
    struct store_txn *txn = store_write_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, arena, OP_WRITE);
    store_job_begin(txn);
    CHECK("it runs", api_run(call, &ctx, &err));
    uint64_t work = store_touched(txn);
    CHECK("and is kept", store_job_end(txn, true) && store_write_commit(txn, &revision));
    return work;
}

static uint64_t do_steps(struct api_fixture *f)
{
    uint64_t work = 0;
    int64_t due_ms;
    while ((due_ms = api_services_due_ms(f->world, f->now_ms)) != 0 && due_ms <= f->now_ms) {
        struct arena arena;
        struct api_call call;
        arena_init(&arena, FIXTURE_ARENA_BYTES);
        api_prepare_step_services(false, &arena, &call);
        work += run_counted(f, &call, &arena);
        arena_finish(&arena);
    }
    return work;
}

static uint64_t lose(struct api_fixture *f, struct id machine)
{
    struct arena arena;
    struct api_call call;
    machine_presence(f, machine, false);
    f->now_ms++;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    api_prepare_fence(&(struct machine_batch){ &machine, 1, 100000 }, &arena, &call);
    uint64_t work = run_counted(f, &call, &arena);
    CHECK_EQ("all of its tasks have ended", api_machines_done(&call), 1);
    arena_finish(&arena);
    return work + do_steps(f);
}

/* Services that have not as many tasks as they want. */
static int64_t lacking(struct api_fixture *f, int64_t services)
{
    int64_t count = 0;
    for (int64_t number = 1; number <= services; number++) { count += roster_count(sched_roster(f->world), number) != EACH; }
    return count;
}

/* The tasks of a machine, and the work of its loss. */
struct loss { uint64_t tasks, work; };

static struct loss lose_one_of(const char *row, int64_t services)
{
    struct api_fixture f;
    struct id machine = { 0 };
    struct sched_free before, after;
    cluster_open(&f);
    (void)fixture_call(&f, "RegisterTaskDefinition", "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"memory\":6}]}");
    for (int64_t m = 0; m < services / TO_A_MACHINE; m++) { machine = machine_add(&f, "a", 0); }
    for (int64_t s = 0; s < services; s++) {
        (void)fixture_call(&f, "CreateService", text(&f, "{\"serviceName\":\"s%lld\",\"taskDefinition\":\"f\",\"desiredCount\":2,"
                                                      "\"placementStrategy\":[{\"type\":\"random\"}]}", (long long)s));
    }
    (void)do_steps(&f);
    CHECK_EQ(row, lacking(&f, services), 0);
    CHECK(row, sched_free_on(f.world, machine, &before) && before.tasks > 0);
    const struct loss loss = { before.tasks, lose(&f, machine) };
    CHECK_EQ(row, lacking(&f, services), 0);
    CHECK(row, sched_free_on(f.world, machine, &after) && after.tasks == 0);
    CHECK(row, loss.work > 0 && loss.work <= loss.tasks * WORK_A_TASK);
    fixture_close(&f);
    return loss;
}

int main(void)
{
    const struct loss few = lose_one_of("a thousand services", 1000), many = lose_one_of("ten thousand services", 10000);
    CHECK("a lost task is as much work among ten times as many services", many.work * few.tasks * 10 <= few.work * many.tasks * 11);
    printf("entries for a lost task: %.1f of %llu, %.1f of %llu\n", (double)few.work / (double)few.tasks, (unsigned long long)few.tasks,
           (double)many.work / (double)many.tasks, (unsigned long long)many.tasks);
    return check_report();
}
