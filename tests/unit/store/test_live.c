/* The memory of live records: a writing transaction sees its own changes, a commit makes them everyone's, a refused one leaves
 * no trace; and thousands of random steps beside a model that is a plain array. */
#include "tests/unit/store/store_fixture.h"

#include "base/rng.h"

static struct task task_with(uint32_t number, int64_t cluster, struct id instance, struct opt_int *port, struct str *gpu,
                             struct task_container *container)
{
    struct task task = make_task(number, cluster, instance);
    if (port->set) { task.ports = (struct int_list){ port, 1 }; }
    *container = (struct task_container){ .status = TASK_PENDING };
    if (str_is_set(*gpu)) { container->gpu_ids = (struct str_list){ gpu, 1 }; }
    task.containers = (struct task_container_list){ container, 1 };
    return task;
}

static struct instance_usage usage_of(struct store_fixture *f, struct store_txn *txn, struct id instance)
{
    struct instance_usage usage;
    store_instance_usage(txn, instance, &usage, &f->arena);
    return usage;
}

static void test_shares(void)
{
    static const struct { uint32_t task, machine; const char *gpu; int64_t share; } rows[] = {
        { 10, 1, "GPU-b", 250 }, { 11, 1, "GPU-a", 0 }, { 12, 1, "GPU-b", 500 }, { 13, 2, "GPU-b", 100 },
    };
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    for (uint32_t m = 1; m <= 2; m++) {
        struct instance machine = make_instance(m, cluster);
        store_put_instance(txn, &machine);
    }
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct task_container container;
        struct opt_int port = opt_int_of((int64_t)r + 1);
        struct str gpu = str_from(rows[r].gpu);
        struct task task = task_with(rows[r].task, cluster, id_number(rows[r].machine), &port, &gpu, &container);
        container.gpu_share = rows[r].share;
        store_put_task(txn, &task);
    }
    fixture_commit("put", txn);
    for (int again = 0; again < 2; again++) {
        txn = store_read_begin(f.store);
        struct instance_usage usage = usage_of(&f, txn, id_number(1));
        CHECK_EQ("one use of each device", usage.gpus.count, 2);
        CHECK_STR("sorted", usage.gpus.items[0].uuid, STR("GPU-a"));
        CHECK_EQ("all of it", usage.gpus.items[0].share, 1000);
        CHECK_EQ("the shares together", usage.gpus.items[1].share, 750);
        CHECK_EQ("elsewhere", usage_of(&f, txn, id_number(2)).gpus.items[0].share, 100);
        CHECK("read", store_read_end(txn));
        CHECK("opens again", again > 0 || fixture_reopen(&f));
    }
    fixture_check("shares", &f);
    fixture_end(&f);
}

static void put_with(struct store_txn *txn, int64_t cluster, uint32_t number, const char *zone, const char *architecture)
{
    struct attribute attributes[] = {
        { .name = STR("other"), .value = STR("x") }, { .name = instance_architecture_name, .value = str_from(architecture) },
        { .name = instance_zone_name, .value = str_from(zone) },
    };
    struct instance machine = make_instance(number, cluster);
    machine.attributes = (struct attribute_list){ attributes, COUNT_OF(attributes) };
    store_put_instance(txn, &machine);
}

static void check_traits(const char *name, struct store_fixture *f, struct store_txn *txn, uint32_t number, const char *zone, const char *architecture)
{
    struct instance_traits traits = store_instance_traits(txn, id_number(number), &f->arena);
    CHECK_STR(name, traits.zone, str_from(zone));
    CHECK_STR(name, traits.architecture, str_from(architecture));
    CHECK(name, str_is_set(traits.zone) == (zone != NULL) && str_is_set(traits.architecture) == (architecture != NULL));
}

static void check_name(const char *what, struct store_fixture *f, struct store_txn *txn, uint32_t number, const char *want)
{
    struct str name = store_instance_traits(txn, id_number(number), &f->arena).name;
    CHECK_STR(what, name, str_from(want));
    CHECK(what, str_is_set(name) == (want != NULL));
}

/* A writing transaction knows a machine as it has put it, and from memory what it has not. */
static void test_machine_names(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct attribute named = { .name = STR("berth.name"), .value = STR("node-a") };
    char hex[ID_HEX_LEN + 1];
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    struct instance machine = make_instance(1, cluster), other = make_instance(2, cluster);
    other.attributes = (struct attribute_list){ &named, 1 };
    store_put_instance(txn, &machine);
    store_put_instance(txn, &other);
    check_name("noted", &f, txn, 2, "node-a");
    fixture_commit("two", txn);

    struct str short_id = instance_name(&machine, hex);
    CHECK_EQ("digits of the id", short_id.len, 8);
    hex[8] = '\0';
    txn = store_write_begin(f.store);
    check_name("from memory", &f, txn, 2, "node-a");
    check_name("has none", &f, txn, 1, hex);
    check_name("nobody", &f, txn, 3, NULL);
    machine.ec2_instance_id = STR("i-1");
    store_put_instance(txn, &machine);
    check_name("changed here", &f, txn, 1, "i-1");
    struct store_txn *reader = store_read_begin(f.store);
    check_name("nobody else knows yet", &f, reader, 1, hex);
    CHECK("read", store_read_end(reader));
    fixture_commit("changed", txn);
    fixture_check("after", &f);
    fixture_end(&f);
}

static void check_contact(const char *name, struct store_txn *txn, bool connected, int64_t came_ms, struct arena *arena)
{
    struct instance_traits traits = store_instance_traits(txn, id_number(1), arena);
    CHECK(name, traits.connected == connected);
    CHECK_EQ(name, traits.came_ms, came_ms);
}

static void test_agent_contact(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    struct instance machine = make_instance(1, put_cluster(txn, STR("default")));
    machine.agent_connected = OPT_UNSET;
    store_put_instance(txn, &machine);
    check_contact("nobody has come yet", txn, false, 0, &f.arena);
    machine.agent_connected = OPT_TRUE;
    machine.agent_came_ms = 7;
    store_put_instance(txn, &machine);
    check_contact("in the transaction", txn, true, 7, &f.arena);
    fixture_commit("put", txn);
    CHECK("opens again", fixture_reopen(&f));
    txn = store_write_begin(f.store);
    check_contact("from memory", txn, true, 7, &f.arena);
    machine.agent_connected = OPT_FALSE;
    store_put_instance(txn, &machine);
    fixture_commit("gone", txn);
    txn = store_read_begin(f.store);
    check_contact("gone", txn, false, 7, &f.arena);
    CHECK("read", store_read_end(txn));
    fixture_check("after", &f);
    fixture_end(&f);
}

/* Readers get records from memory, a writing transaction sees what it wrote, and a refused one leaves nothing. */
static void test_traits(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    put_with(txn, cluster, 1, "zone-a", "x86_64");
    put_with(txn, cluster, 2, "zone-b", NULL);
    put_with(txn, cluster, 3, NULL, "arm64");
    struct instance bare = make_instance(4, cluster);
    store_put_instance(txn, &bare);
    check_traits("in the transaction", &f, txn, 1, "zone-a", "x86_64");
    fixture_commit("put", txn);
    for (int again = 0; again < 2; again++) {
        txn = store_read_begin(f.store);
        check_traits("both", &f, txn, 1, "zone-a", "x86_64");
        check_traits("a zone", &f, txn, 2, "zone-b", NULL);
        check_traits("an architecture", &f, txn, 3, NULL, "arm64");
        check_traits("neither", &f, txn, 4, NULL, NULL);
        check_traits("no such machine", &f, txn, 5, NULL, NULL);
        const struct id together[] = { id_number(3), id_number(5), id_number(1), id_number(3) };
        struct instance_traits many[COUNT_OF(together)];
        store_many_traits(txn, together, COUNT_OF(together), many, &f.arena);
        CHECK_STR("the first of many", many[0].architecture, STR("arm64"));
        CHECK("no such machine among them", !str_is_set(many[1].zone) && !str_is_set(many[1].architecture) && !str_is_set(many[1].name));
        CHECK_STR("the third", many[2].zone, STR("zone-a"));
        CHECK_STR("asked for twice", many[3].architecture, STR("arm64"));
        store_many_traits(txn, NULL, 0, NULL, &f.arena);
        CHECK("read", store_read_end(txn));
        fixture_check("traits", &f);
        CHECK("opens again", again > 0 || fixture_reopen(&f));
    }
    txn = store_write_begin(f.store);
    put_with(txn, cluster, 1, "zone-b", "x86_64");
    put_with(txn, cluster, 1, "zone-c", "x86_64");
    check_traits("changed twice", &f, txn, 1, "zone-c", "x86_64");
    store_write_abort(txn);
    txn = store_read_begin(f.store);
    check_traits("nothing of it", &f, txn, 1, "zone-a", "x86_64");
    CHECK("read", store_read_end(txn));
    txn = store_write_begin(f.store);
    put_with(txn, cluster, 1, "zone-d", NULL);
    fixture_commit("changed", txn);
    txn = store_read_begin(f.store);
    check_traits("changed", &f, txn, 1, "zone-d", NULL);
    CHECK("read", store_read_end(txn));
    fixture_check("after", &f);
    fixture_end(&f);
}

static void test_overlay(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct task_container container;
    struct opt_int port = opt_int_of(8080), other_port = opt_int_of(80);
    struct str gpu = STR("GPU-b"), other_gpu = STR("GPU-a");
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    struct instance machine = make_instance(1, cluster);
    store_put_instance(txn, &machine);
    struct task first = task_with(10, cluster, machine.id, &port, &gpu, &container);
    store_put_task(txn, &first);
    CHECK_EQ("its own task, before the commit", usage_of(&f, txn, machine.id).cpu, 256);
    CHECK_EQ("its own instance", store_cluster_counts(txn, cluster).instances, 1);
    struct store_txn *reader = store_read_begin(f.store);
    CHECK_EQ("nobody else's", usage_of(&f, reader, machine.id).cpu, 0);
    CHECK("read", store_read_end(reader));
    fixture_commit("first", txn);

    txn = store_write_begin(f.store);
    first.last_status = TASK_RUNNING;
    store_put_task(txn, &first);
    struct task second = task_with(11, cluster, machine.id, &other_port, &other_gpu, &container);
    store_put_task(txn, &second);
    struct instance_usage usage = usage_of(&f, txn, machine.id);
    CHECK_EQ("each once", usage.cpu, 512);
    CHECK_EQ("running", usage.running, 1);
    CHECK_EQ("pending", usage.pending, 1);
    CHECK_EQ("ports", usage.ports.count, 2);
    CHECK_EQ("sorted", usage.ports.items[0].value, 80);
    CHECK_STR("gpus sorted", usage.gpus.items[0].uuid, STR("GPU-a"));
    struct cluster_counts counts = store_cluster_counts(txn, cluster);
    CHECK_EQ("counted running", counts.running, 1);
    CHECK_EQ("counted pending", counts.pending, 1);
    CHECK_EQ("counted live", counts.live_tasks, 2);
    struct err err = { 0 };
    CHECK("the check sees it too", store_check_bare(txn, &err));
    store_write_abort(txn);

    reader = store_read_begin(f.store);
    CHECK_EQ("an abort leaves the earlier usage", usage_of(&f, reader, machine.id).cpu, 256);
    CHECK_EQ("and its status", usage_of(&f, reader, machine.id).pending, 1);
    CHECK("read", store_read_end(reader));

    txn = store_write_begin(f.store);
    task_become(&first, TASK_STOPPED, 50);
    store_put_task(txn, &first);
    CHECK_EQ("stopped gives back at once", usage_of(&f, txn, machine.id).gpus.count, 0);
    fixture_commit("stopped", txn);
    reader = store_read_begin(f.store);
    CHECK_EQ("for all", usage_of(&f, reader, machine.id).cpu, 0);
    CHECK_EQ("live", store_cluster_counts(reader, cluster).live_tasks, 0);
    CHECK_EQ("unknown instance", usage_of(&f, reader, id_number(999)).cpu, 0);
    CHECK_EQ("unknown cluster", store_cluster_counts(reader, 999).live_tasks, 0);
    CHECK("read", store_read_end(reader));
    fixture_check("after", &f);
    fixture_end(&f);
}

static void test_tokens(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default")), other = put_cluster(txn, STR("other"));
    for (uint32_t t = 1; t <= 12; t++) {
        struct task task = make_task(t, t == 6 ? other : cluster, id_number(1000));
        task.client_token = t % 3 == 0 ? STR("three") : t == 1 ? STR("one") : (struct str){ NULL, 0 };
        store_put_task(txn, &task);
    }
    struct id *ids;
    CHECK_EQ("before the commit", store_tasks_by_token(txn, cluster, STR("three"), &ids, &f.arena), 3);
    fixture_commit("twelve", txn);
    txn = store_read_begin(f.store);
    CHECK_EQ("of this cluster", store_tasks_by_token(txn, cluster, STR("three"), &ids, &f.arena), 3);
    CHECK("in order", id_eq(ids[0], id_number(3)) && id_eq(ids[2], id_number(12)));
    CHECK_EQ("of the other", store_tasks_by_token(txn, other, STR("three"), &ids, &f.arena), 1);
    CHECK_EQ("one", store_tasks_by_token(txn, cluster, STR("one"), &ids, &f.arena), 1);
    CHECK_EQ("unknown", store_tasks_by_token(txn, cluster, STR("two"), &ids, &f.arena), 0);
    CHECK_EQ("none given", store_tasks_by_token(txn, cluster, (struct str){ NULL, 0 }, &ids, &f.arena), 0);
    CHECK("read", store_read_end(txn));

    txn = store_write_begin(f.store);
    store_drop_task(txn, id_number(3));
    CHECK_EQ("one dropped", store_tasks_by_token(txn, cluster, STR("three"), &ids, &f.arena), 2);
    store_drop_task(txn, id_number(9));
    store_drop_task(txn, id_number(12));
    fixture_commit("all dropped", txn);
    txn = store_read_begin(f.store);
    CHECK_EQ("forgotten", store_tasks_by_token(txn, cluster, STR("three"), &ids, &f.arena), 0);
    CHECK_EQ("the other's stays", store_tasks_by_token(txn, other, STR("three"), &ids, &f.arena), 1);
    CHECK("read", store_read_end(txn));
    fixture_check("after", &f);
    fixture_end(&f);
}

/* A writing transaction finds what it did itself: made, stopped, dropped, refused, and the earlier tasks beside them. */
static void test_tokens_in_transaction(void)
{
    enum { CALLS = 300 };
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct id *ids;
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    for (uint32_t t = 1; t <= CALLS; t++) {
        struct task task = make_task(t, cluster, id_number(1000));
        task.client_token = arena_printf(&f.arena, "call-%u", (t - 1) / 2);
        store_put_task(txn, &task);
    }
    for (unsigned c = 0; c < CALLS / 2; c++) {
        struct str token = arena_printf(&f.arena, "call-%u", c);
        CHECK_EQ("two of each call", store_tasks_by_token(txn, cluster, token, &ids, &f.arena), 2);
        CHECK("in order", id_eq(ids[0], id_number(2 * c + 1)) && id_eq(ids[1], id_number(2 * c + 2)));
    }
    CHECK_EQ("of no call", store_tasks_by_token(txn, cluster, STR("call-150"), &ids, &f.arena), 0);
    store_drop_task(txn, id_number(1));
    CHECK_EQ("one of two dropped", store_tasks_by_token(txn, cluster, STR("call-0"), &ids, &f.arena), 1);
    store_drop_task(txn, id_number(2));
    CHECK_EQ("both dropped", store_tasks_by_token(txn, cluster, STR("call-0"), &ids, &f.arena), 0);
    fixture_commit("many calls", txn);

    txn = store_write_begin(f.store);
    CHECK_EQ("the next transaction knows them", store_tasks_by_token(txn, cluster, STR("call-1"), &ids, &f.arena), 2);
    struct task late = make_task(CALLS + 1, cluster, id_number(1000));
    late.client_token = STR("call-1");
    store_put_task(txn, &late);
    CHECK_EQ("and adds its own", store_tasks_by_token(txn, cluster, STR("call-1"), &ids, &f.arena), 3);
    CHECK("behind the others", id_eq(ids[2], id_number(CALLS + 1)));
    store_write_abort(txn);
    txn = store_write_begin(f.store);
    CHECK_EQ("an aborted task is forgotten", store_tasks_by_token(txn, cluster, STR("call-1"), &ids, &f.arena), 2);
    store_write_abort(txn);
    fixture_check("after", &f);
    fixture_end(&f);
}

/* ---- beside a model ---- */

enum { MODEL_TASKS = 200, MODEL_INSTANCES = 7, MODEL_STEPS = 2000 };
struct model_task { bool exists, live, running; uint32_t instance; int64_t cpu; };       /* instance MODEL_INSTANCES: it has none */

static struct id model_instance(uint32_t i) { return i == MODEL_INSTANCES ? (struct id){ 0 } : id_number(5000 + i); }

static void check_model(const char *row, struct store_fixture *f, struct store_txn *txn, const struct model_task *model,
                        int64_t cluster)
{
    int64_t live = 0, running = 0;
    for (uint32_t i = 0; i <= MODEL_INSTANCES; i++) {
        int64_t cpu = 0;
        size_t count = 0;
        for (size_t t = 0; t < MODEL_TASKS; t++) {
            if (!model[t].exists || !model[t].live || model[t].instance != i) { continue; }
            cpu += model[t].cpu;
            count++;
        }
        struct id *ids;
        CHECK_EQ(row, usage_of(f, txn, model_instance(i)).cpu, cpu);
        CHECK_EQ(row, store_tasks_on_instance(txn, model_instance(i), &ids, &f->arena), count);
    }
    for (size_t t = 0; t < MODEL_TASKS; t++) {
        if (model[t].exists && model[t].live) { live++; }
        if (model[t].exists && model[t].live && model[t].running) { running++; }
    }
    struct cluster_counts counts = store_cluster_counts(txn, cluster);
    CHECK_EQ(row, counts.live_tasks, live);
    CHECK_EQ(row, counts.running, running);
}

static void random_step(struct store_txn *txn, struct rng *rng, struct model_task *model, int64_t cluster)
{
    static const struct str tokens[] = { { NULL, 0 }, STR_INIT("t1"), STR_INIT("t2"), STR_INIT("t3") };
    size_t t = rng_below(rng, MODEL_TASKS);
    if (model[t].exists && rng_below(rng, 4) == 0) {
        store_drop_task(txn, id_number((uint32_t)t + 1));
        model[t].exists = false;
        return;
    }
    model[t] = (struct model_task){ true, rng_below(rng, 4) > 0, rng_below(rng, 2) == 0,
                                    (uint32_t)rng_below(rng, MODEL_INSTANCES + 1), (int64_t)rng_below(rng, 1000) };
    if (model[t].instance == MODEL_INSTANCES) { model[t].running = false; }
    struct task task = make_task((uint32_t)t + 1, cluster, model_instance(model[t].instance));
    struct opt_int port = opt_int_of((int64_t)t + 1);              /* one each: the check refuses a port held twice */
    task.ports = (struct int_list){ &port, 1 };
    task.cpu = model[t].cpu;
    task.client_token = tokens[rng_below(rng, COUNT_OF(tokens))];
    task.last_status = model[t].running ? TASK_RUNNING : id_is_zero(task.instance) ? TASK_PROVISIONING : TASK_PENDING;
    if (!model[t].live) { task_become(&task, TASK_STOPPED, (int64_t)rng_below(rng, 100) + 1); }
    store_put_task(txn, &task);
}

static void test_random(uint64_t seed)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct rng rng;
    rng_seed(&rng, seed);
    static struct model_task model[MODEL_TASKS], before[MODEL_TASKS];
    memset(model, 0, sizeof model);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    fixture_commit("cluster", txn);
    for (size_t step = 0; step < MODEL_STEPS;) {
        memcpy(before, model, sizeof before);
        txn = store_write_begin(f.store);
        size_t steps = 1 + rng_below(&rng, 60);
        for (size_t s = 0; s < steps; s++, step++) { random_step(txn, &rng, model, cluster); }
        check_model("within", &f, txn, model, cluster);
        if (rng_below(&rng, 5) == 0) {
            store_write_abort(txn);
            memcpy(model, before, sizeof model);
        } else {
            fixture_commit("steps", txn);
        }
        if (rng_below(&rng, 8) == 0) { CHECK("opens again", fixture_reopen(&f)); }
        txn = store_read_begin(f.store);
        check_model("after", &f, txn, model, cluster);
        CHECK("read", store_read_end(txn));
        fixture_check("every invariant", &f);
        arena_reset(&f.arena);
    }
    fixture_end(&f);
}

int main(void)
{
    test_traits();
    test_agent_contact();
    test_machine_names();
    test_overlay();
    test_shares();
    test_tokens();
    test_tokens_in_transaction();
    test_random(1);
    test_random(20260727);
    return check_report();
}
