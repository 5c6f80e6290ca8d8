/* test_capacity_chaos.c: a capacity provider that scales and replaces its machines, while tasks come and go and the server crashes between each call of its
 * provisioner and its record. No machine is lost track of or started twice, none goes with a task on it, there are never more than MaxSize, and in the end
 * none is left. */
#include "tests/unit/api/stage.h"

enum { STEPS = 220, SEEDS = 6, MOST = 4, QUIET_MINUTES = 40, TASKS_END_MS = 150 * 1000 };

static void protects_and_patches(struct kept_provider *provider)
{
    static struct auto_scaling_group_provider group;
    static struct tag tags[] = { { STR_INIT("berth:patch-after"), STR_INIT("40m") }, { STR_INIT("berth:patch-by"), STR_INIT("2h") } };
    group = *provider->group;
    group.managed_termination_protection = MANAGED_TERMINATION_PROTECTION_ENABLED;
    provider->group = &group;
    provider->tags = (struct tag_list){ tags, COUNT_OF(tags) };
}

static void crash(struct stage *stage)
{
    struct api_fixture *f = &stage->f;
    f->world = sched_world_create(&f->kept);
    struct store_txn *txn = store_read_begin(f->store);
    api_load_world(f->world, txn);
    CHECK("loaded", store_read_end(txn));
}

/* ---- what must hold ---- */

static size_t tasks_on(struct stage *stage, const struct kept_machine *machine)
{
    struct id *tasks;
    struct store_txn *txn = store_read_begin(stage->f.store);
    size_t count = id_is_zero(machine->instance) ? 0 : store_tasks_on_instance(txn, machine->instance, &tasks, &stage->f.kept);
    CHECK("read", store_read_end(txn));
    return count;
}

/* No machine that the call ends has a task, unless its agent has not ended it in its time. */
static void check_down(struct stage *stage, const struct provision_call *call)
{
    struct err err = { 0 };
    struct id id;
    const struct json *asked = json_get(json_parse(call->body, &stage->f.kept, &err), STR("machines"));
    size_t count;
    const struct kept_machine *machines = machines_now(&stage->f, &count);
    for (size_t a = 0; str_eq(call->verb, STR("down")) && a < asked->count; a++) {
        CHECK("an id", machine_id_read(json_get_str(&asked->as.items[a], STR("id")), &id));
        for (size_t m = 0; m < count; m++) {
            bool in_time = machines[m].drain_by_ms == 0 || stage->f.now_ms < machines[m].drain_by_ms + TASKS_END_MS;
            if (id_eq(machines[m].id, id) && in_time) { CHECK_EQ("no task is on a machine that goes", (int64_t)tasks_on(stage, &machines[m]), 0); }
        }
    }
}

static void check_pool(struct stage *stage)
{
    size_t count;
    int64_t stay = 0, marked = 0;
    const struct kept_machine *machines = machines_now(&stage->f, &count);
    for (size_t m = 0; m < count; m++) {
        stay += machine_stays(&machines[m]);
        marked += machine_stays(&machines[m]) && !machine_counts(&machines[m]);
        if (machines[m].state < MACHINE_ACTIVE) { CHECK_EQ("no task is where no agent is", (int64_t)tasks_on(stage, &machines[m]), 0); }
    }
    CHECK("no more than MaxSize", stay <= MOST);
    CHECK("one is replaced at a time", marked <= 1);
    for (size_t t = 0; t < stage->plant.count; t++) { CHECK("none is started twice", stage->plant.things[t].starts <= 1); }
}

/* ---- chaos ---- */

static void end_some(struct stage *stage, struct rng *rng)
{
    struct api_fixture *f = &stage->f;
    struct str list = fixture_call(f, "ListTasks", "{}");
    for (int64_t t = 0, count = count_at(f, list, "taskArns"); t < count; t++) {
        if (rng_below(rng, 2) == 0) { continue; }
        const char *arn = at(f, list, text(f, "taskArns[%d]", (int)t));
        (void)fixture_call(f, "StopTask", text(f, "{\"task\":\"%s\"}", arn));
        (void)fixture_call(f, "SubmitTaskStateChange", text(f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"\"}", arn));
    }
}

static void call_in_chaos(struct stage *stage, const struct provision_call *call, struct rng *rng)
{
    struct api_fixture *f = &stage->f;
    uint64_t luck = rng_below(rng, 8);
    check_down(stage, call);
    if (luck == 0) {
        crash(stage);                                            /* before the call */
    } else if (luck <= 2) {
        (void)plant_obeys(f, &stage->plant, call);
        crash(stage);                                            /* between the call and its record */
    } else if (luck == 3) {
        if (rng_below(rng, 2) == 0) { (void)plant_obeys(f, &stage->plant, call); }
        answered(f, call, PROVISIONED_UNKNOWN, STR("killed"));
    } else {
        struct str reply = plant_obeys(f, &stage->plant, call);
        answered(f, call, PROVISIONED_ANSWERED, reply);
        if (luck == 4) { crash(stage); }
        answered(f, call, PROVISIONED_ANSWERED, reply);          /* twice */
    }
}

static void chaos(struct stage *stage, struct rng *rng)
{
    struct api_fixture *f = &stage->f;
    if (rng_below(rng, 12) == 0 && tasks_of(stage, "RUNNING") < 6) { run_tasks(stage, 1 + (int)rng_below(rng, 3)); }
    if (rng_below(rng, 15) == 0) { end_some(stage, rng); }
    const struct provision_call *call = named(f);
    if (call != NULL) { call_in_chaos(stage, call, rng); } else { f->now_ms += (int64_t)rng_below(rng, 4 * MINUTE_MS); }
    if (rng_below(rng, 3) == 0) { agents_come(stage); }
    check_pool(stage);
}

static void test_chaos(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        static struct stage stage;
        struct rng rng;
        unsigned long failed = check_failed_count;
        int64_t running = 0;
        rng_seed(&rng, seed);
        stage_open_as(&stage, false, 100, MOST, protects_and_patches);
        for (int n = 0; n < STEPS; n++) { chaos(&stage, &rng); }
        for (int m = 0; m < QUIET_MINUTES; m++) {
            end_some(&stage, &rng);
            minutes(&stage, 1);
            check_pool(&stage);
        }
        stop_all(&stage);
        minutes(&stage, 40);
        for (size_t t = 0; t < stage.plant.count; t++) { running += stage.plant.things[t].runs; }
        CHECK("machines came", stage.plant.count > 0);
        CHECK_STR("nobody needs one: none is left", str_from(states(&stage.f)), STR(""));
        CHECK_EQ("and none is lost track of", running, 0);
        if (check_failed_count > failed) { fprintf(stderr, "seed %llu failed\n", (unsigned long long)seed); }
        stage_close(&stage);
    }
}

int main(void)
{
    test_chaos();
    return check_report();
}
