/* test_capacity.c: capacity providers, pools and machines: by name, by pool, by the time of the next look; and the order of a machine's states. */
#include "store/store_internal.h"
#include "tests/unit/store/store_fixture.h"

static struct kept_machine machine_of(struct str pool, uint32_t number, int64_t next_ms)
{
    return (struct kept_machine){ .id = id_number(number), .pool = pool, .type = STR("g5.xlarge"), .state = MACHINE_ORDERED, .next_ms = next_ms };
}

static void test_records(struct store_fixture *f)
{
    struct auto_scaling_group_provider group = { .auto_scaling_group_arn = STR("arn") };
    struct kept_provider *providers;
    struct kept_pool *pools;
    struct kept_machine *machines;
    struct id ids[4];
    struct store_txn *txn = store_write_begin(f->store);
    store_put_provider(txn, &(struct kept_provider){ .name = STR("b"), .group = &group, .pool = STR("p") });
    store_put_provider(txn, &(struct kept_provider){ .name = STR("a"), .group = &group, .pool = STR("pp") });
    CHECK_EQ("providers", store_list_providers(txn, &providers, &f->arena), 2);
    CHECK_STR("in order of names", providers[0].name, STR("a"));
    CHECK("one", store_provider(txn, STR("b"), &f->arena) != NULL && store_provider(txn, STR("c"), &f->arena) == NULL);
    store_drop_provider(txn, STR("b"));
    CHECK_EQ("one less", store_list_providers(txn, &providers, &f->arena), 1);
    store_put_pool(txn, &(struct kept_pool){ .name = STR("p"), .kind = POOL_GROUP, .max = 4 });
    store_put_pool(txn, &(struct kept_pool){ .name = STR("pp"), .kind = POOL_MANAGED });
    CHECK_EQ("pools", store_list_pools(txn, &pools, &f->arena), 2);
    struct kept_machine one = machine_of(STR("p"), 1, 50), two = machine_of(STR("p"), 2, 20), three = machine_of(STR("pp"), 3, 0);
    store_put_machine(txn, &one);
    store_put_machine(txn, &two);
    store_put_machine(txn, &three);
    CHECK_EQ("machines of a pool, not of one whose name begins alike", store_list_machines(txn, STR("p"), &machines, &f->arena), 2);
    CHECK_EQ("the next time", store_next_machine_ms(txn), 20);
    CHECK_EQ("due before", store_list_due_machines(txn, 19, ids, 4), 0);
    CHECK_EQ("due at", store_list_due_machines(txn, 20, ids, 4), 1);
    CHECK_EQ("due later", store_list_due_machines(txn, 50, ids, 4), 2);
    CHECK("the oldest first", id_eq(ids[0], two.id) && id_eq(ids[1], one.id));
    two.next_ms = 0;
    store_put_machine(txn, &two);
    CHECK_EQ("no time any more", store_list_due_machines(txn, 50, ids, 4), 1);
    store_drop_machine(txn, one.id);
    CHECK_EQ("no time", store_next_machine_ms(txn), 0);
    CHECK_EQ("one machine less", store_list_machines(txn, STR("p"), &machines, &f->arena), 1);
    CHECK("by id", store_machine(txn, two.id, &f->arena) != NULL && store_machine(txn, one.id, &f->arena) == NULL);
    fixture_commit("records of capacity", txn);
    fixture_check("records of capacity", f);
}

static void test_states(void)
{
    static const struct { enum machine_state from, to; bool may; } rows[] = {
        { MACHINE_ORDERED, MACHINE_BOOTING, true }, { MACHINE_ORDERED, MACHINE_ACTIVE, true }, { MACHINE_BOOTING, MACHINE_ORDERED, false },
        { MACHINE_ACTIVE, MACHINE_ACTIVE, false }, { MACHINE_ACTIVE, MACHINE_STOPPING, true }, { MACHINE_STOPPING, MACHINE_LEAVING, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ("may move", machine_may_move(rows[r].from, rows[r].to), rows[r].may); }
    struct kept_machine machine = { .state = MACHINE_ACTIVE, .attempts = 3 };
    char name[MACHINE_EC2_ID_LEN + 1];
    CHECK("it counts", machine_counts(&machine));
    machine_move(&machine, MACHINE_LEAVING, STR("empty"), 7);
    CHECK("moved", machine.state == MACHINE_LEAVING && machine.since_ms == 7 && machine.attempts == 0 && !machine_counts(&machine));
    CHECK_STR("its name", machine_ec2_id((struct id){ { 1, 2, 3, 4, 5, 6, 7, 8, 0x9a } }, name), STR("i-01020304050607089"));
    CHECK("matches", machine_has_ec2_id(STR("i-01020304050607089"), (struct id){ { 1, 2, 3, 4, 5, 6, 7, 8, 0x9b } }));
    CHECK("does not", !machine_has_ec2_id(STR("i-01020304050607089"), (struct id){ { 1, 2, 3, 4, 5, 6, 7, 8, 0x8b } }));
}

int main(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    test_records(&f);
    test_states();
    fixture_end(&f);
    return check_report();
}
