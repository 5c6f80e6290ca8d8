/* test_traffic.c: the records of load balancers: by name, in lists, by task, and the revision that proxies follow. */
#include "store/store_internal.h"
#include "tests/unit/store/store_fixture.h"

static void put_group(struct store_txn *txn, struct str name)
{
    struct target_group group = { .name = name, .protocol = ELB_PROTOCOL_HTTP };
    store_put_group(txn, &(struct kept_group){ .id = STR("0123456789abcdef"), .group = &group });
}

static void put_target(struct store_txn *txn, struct str group, struct str name, int64_t port, uint32_t task)
{
    struct kept_target target = { .group = group, .name = name, .port = port, .task = task == 0 ? (struct id){ { 0 } } : id_number(task) };
    CHECK("a new target", target_become(&target, TARGET_INITIAL, STR("why"), STR("text"), 5));
    store_put_target(txn, &target);
    CHECK_EQ("a put fills in the revision", target.revision, store_revision(txn) + 1);
}

static void put_rules(struct store_txn *txn)
{
    static const struct { struct str balancer, listener, rule; } rows[] = {
        { STR_INIT("a"), STR_INIT("1"), STR_INIT("10") }, { STR_INIT("a"), STR_INIT("1"), STR_INIT("11") }, { STR_INIT("a"), STR_INIT("12"), STR_INIT("10") },
        { STR_INIT("ab"), STR_INIT("1"), STR_INIT("10") },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct elb_listener listener = { .port = opt_int_of(80) };
        struct elb_rule rule = { .priority = STR("1") };
        store_put_listener(txn, &(struct kept_listener){ .id = rows[r].listener, .listener = &listener, .balancer = rows[r].balancer });
        store_put_rule(txn, &(struct kept_rule){ .id = rows[r].rule, .rule = &rule, .balancer = rows[r].balancer, .listener_id = rows[r].listener });
    }
}

static void test_records(struct store_fixture *f)
{
    struct kept_group *groups;
    struct kept_listener *listeners;
    struct kept_rule *rules;
    struct store_txn *txn = store_write_begin(f->store);
    CHECK_EQ("at first nothing has changed", store_traffic_revision(txn), 0);
    put_group(txn, STR("web"));
    put_group(txn, STR("web-2"));
    put_rules(txn);
    CHECK_EQ("groups", store_list_groups(txn, &groups, &f->arena), 2);
    CHECK("in the order of their names", str_eq(groups[0].group->name, STR("web")) && str_eq(groups[1].group->name, STR("web-2")));
    CHECK_EQ("listeners of a load balancer, not of one whose name begins alike", store_list_listeners(txn, STR("a"), &listeners, &f->arena), 2);
    CHECK_EQ("rules of a listener, not of one whose id begins alike", store_list_rules(txn, STR("a"), STR("1"), &rules, &f->arena), 2);
    CHECK("one rule", store_rule(txn, STR("ab"), STR("1"), STR("10"), &f->arena) != NULL && store_rule(txn, STR("ab"), STR("1"), STR("11"), &f->arena) == NULL);
    store_drop_rule(txn, STR("a"), STR("1"), STR("10"));
    CHECK_EQ("one rule less", store_list_rules(txn, STR("a"), STR("1"), &rules, &f->arena), 1);
    CHECK("a name longer than any", store_group(txn, (struct str){ (char[KEY_TEXT_MAX + 1]){ "x" }, KEY_TEXT_MAX + 1 }, &f->arena) == NULL);
    int64_t next = store_revision(txn) + 1;
    CHECK_EQ("the revision of the traffic", store_traffic_revision(txn), next);
    fixture_commit("records of load balancers", txn);
    fixture_check("records of load balancers", f);
}

static void test_targets(struct store_fixture *f)
{
    struct kept_target *targets;
    struct store_txn *txn = store_write_begin(f->store);
    put_target(txn, STR("web"), STR("10.0.0.1"), 80, 1);
    put_target(txn, STR("web"), STR("10.0.0.1"), 81, 2);
    put_target(txn, STR("web-2"), STR("10.0.0.1"), 80, 1);
    put_target(txn, STR("web"), STR("fd00::1"), 80, 0);
    CHECK_EQ("of a group", store_list_targets(txn, STR("web"), &targets, &f->arena), 3);
    CHECK_EQ("of a task, in two groups", store_targets_of_task(txn, id_number(1), &targets, &f->arena), 2);
    CHECK_EQ("of no task", store_targets_of_task(txn, id_number(9), &targets, &f->arena), 0);
    CHECK("one of them", store_target(txn, STR("web"), STR("10.0.0.1"), 81, &f->arena) != NULL);
    fixture_commit("targets", txn);
    fixture_check("targets", f);
    txn = store_write_begin(f->store);
    const struct kept_target *found = store_target(txn, STR("web"), STR("10.0.0.1"), 80, &f->arena);
    store_drop_target(txn, found);
    CHECK_EQ("one less of the group", store_list_targets(txn, STR("web"), &targets, &f->arena), 2);
    CHECK_EQ("and of the task", store_targets_of_task(txn, id_number(1), &targets, &f->arena), 1);
    fixture_commit("a target less", txn);
    fixture_check("a target less", f);
}

int main(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    test_records(&f);
    test_targets(&f);
    fixture_end(&f);
    return check_report();
}
