/* Services and the tables of what belongs to them: each record comes back, lists begin and end where they should, a name that is used again has its newest
 * service, a history has 100 entries, and memory counts live tasks by deployment as the records say. */
#include "store/store_internal.h"
#include "tests/unit/store/store_fixture.h"

static struct service make_service(int64_t cluster, struct str name)
{
    return (struct service){ .cluster_number = cluster, .name = name, .status = SERVICE_ACTIVE, .desired_count = 2, .created_ms = 5 };
}

static int64_t put_service(struct store_txn *txn, int64_t cluster, struct str name)
{
    struct service service = make_service(cluster, name);
    store_put_service(txn, &service);
    return service.number;
}

static void become(struct store_fixture *f, struct store_txn *txn, int64_t number, enum service_status status, int64_t deleted_ms)
{
    struct service service = *store_service(txn, number, &f->arena);
    service.status = status;
    service.deleted_ms = deleted_ms;
    store_put_service(txn, &service);
}

static struct store_txn *begin(struct store_fixture *f, int64_t *cluster)
{
    fixture_begin(f, 0);
    struct store_txn *txn = store_write_begin(f->store);
    *cluster = put_cluster(txn, STR("blue"));
    return txn;
}

static void end(const char *row, struct store_fixture *f)
{
    fixture_check(row, f);
    CHECK(row, fixture_reopen(f));
    fixture_check(row, f);
    fixture_end(f);
}

/* A token is its service's until that is INACTIVE. */
static void test_tokens(void)
{
    struct store_fixture f;
    int64_t cluster;
    struct store_txn *txn = begin(&f, &cluster);
    int64_t other = put_cluster(txn, STR("green"));
    struct service web = { .cluster_number = cluster, .name = STR_INIT("web"), .status = SERVICE_ACTIVE, .client_token = STR_INIT("t"), .created_ms = 1 };
    store_put_service(txn, &web);
    (void)put_service(txn, cluster, STR("api"));
    CHECK_EQ("by its token", store_service_by_token(txn, cluster, STR("t"), &f.arena)->number, web.number);
    CHECK("another cluster's", store_service_by_token(txn, other, STR("t"), &f.arena) == NULL);
    CHECK("no such token", store_service_by_token(txn, cluster, STR("tt"), &f.arena) == NULL);
    CHECK("no token", store_service_by_token(txn, cluster, STR(""), &f.arena) == NULL);
    become(&f, txn, web.number, SERVICE_DRAINING, 0);
    CHECK_EQ("it is DRAINING", store_service_by_token(txn, cluster, STR("t"), &f.arena)->number, web.number);
    fixture_commit("tokens", txn);

    txn = store_write_begin(f.store);
    become(&f, txn, web.number, SERVICE_INACTIVE, 100);
    CHECK("it is INACTIVE", store_service_by_token(txn, cluster, STR("t"), &f.arena) == NULL);
    fixture_commit("tokens", txn);
    end("tokens", &f);
}

static void count_visit(void *context, const struct service *service) { *(int64_t *)context += service->number; }

static void test_names(void)
{
    struct store_fixture f;
    int64_t cluster, sum = 0, gone[3];
    struct service_number found[4];
    struct store_txn *txn = begin(&f, &cluster);
    int64_t other = put_cluster(txn, STR("green"));
    int64_t old = put_service(txn, cluster, STR("web"));
    become(&f, txn, old, SERVICE_INACTIVE, 100);
    int64_t web = put_service(txn, cluster, STR("web")), webb = put_service(txn, cluster, STR("webb")), api = put_service(txn, cluster, STR("api"));
    int64_t elsewhere = put_service(txn, other, STR("web"));
    become(&f, txn, webb, SERVICE_DRAINING, 0);
    CHECK("numbers grow", old < web && web < webb && webb < api && api < elsewhere);
    CHECK_EQ("the newest of a name", store_service_named(txn, cluster, STR("web"), &f.arena)->number, web);
    CHECK_EQ("of another cluster", store_service_named(txn, other, STR("web"), &f.arena)->number, elsewhere);
    CHECK("a name that begins as one", store_service_named(txn, cluster, STR("we"), &f.arena) == NULL);
    CHECK("no such number", store_service(txn, 99, &f.arena) == NULL && store_service(txn, 0, &f.arena) == NULL);
    CHECK_EQ("ACTIVE ones by name", store_list_services(txn, cluster, (struct str){ 0 }, found, 4, &f.arena), 2);
    CHECK("in order", found[0].number == api && found[1].number == web);
    CHECK_EQ("behind the first", store_list_services(txn, cluster, STR("api"), found, 4, &f.arena), 1);
    CHECK_EQ("behind the last", store_list_services(txn, cluster, STR("web"), found, 4, &f.arena), 0);
    CHECK_EQ("as many as fit", store_list_services(txn, cluster, (struct str){ 0 }, found, 1, &f.arena), 1);
    CHECK_EQ("counted in the writing transaction", store_cluster_counts(txn, cluster).services, 2);
    store_scan_services(txn, count_visit, &sum);
    CHECK_EQ("all but INACTIVE ones are visited", sum, web + webb + api + elsewhere);
    CHECK_EQ("at its time it is not gone", store_list_gone_services(txn, 100, gone, 3), 0);
    CHECK_EQ("behind it, it is", store_list_gone_services(txn, 101, gone, 3), 1);
    CHECK_EQ("that one", gone[0], old);
    fixture_commit("names", txn);

    txn = store_write_begin(f.store);
    become(&f, txn, web, SERVICE_INACTIVE, 50);
    CHECK_EQ("seen by the transaction", store_cluster_counts(txn, cluster).services, 1);
    store_write_abort(txn);
    txn = store_write_begin(f.store);
    CHECK_EQ("an aborted one counts nothing", store_cluster_counts(txn, cluster).services, 2);
    become(&f, txn, web, SERVICE_INACTIVE, 50);
    CHECK_EQ("oldest first", store_list_gone_services(txn, 101, gone, 1), 1);
    CHECK_EQ("by time, not by number", gone[0], web);
    fixture_commit("stopped", txn);
    end("names", &f);
}

static void test_past_cluster(void)
{
    struct store_fixture f;
    int64_t cluster;
    struct store_txn *txn = begin(&f, &cluster);
    int64_t number = put_service(txn, cluster, STR("web"));
    CHECK("a draining cluster has services", store_has_services(txn, cluster));
    become(&f, txn, number, SERVICE_DRAINING, 0);
    CHECK("DRAINING ones too", store_has_services(txn, cluster));
    become(&f, txn, number, SERVICE_INACTIVE, 7);
    CHECK("not INACTIVE ones", !store_has_services(txn, cluster));
    CHECK("whose records keep the number", !store_cluster_is_past(txn, cluster, 7));
    store_drop_service(txn, number);
    CHECK("until they go", store_cluster_is_past(txn, cluster, 7));
    CHECK("a number is never given again", put_service(txn, cluster, STR("web")) > number);
    fixture_commit("past", txn);
    end("past", &f);
}

static void put_parts(struct store_txn *txn, int64_t service, int64_t digits)
{
    store_put_service_revision(txn, &(struct service_revision){ .digits = digits, .service = service, .family = STR("web"), .revision = 1 });
    store_put_deployment(txn, &(struct kept_deployment){ .digits = digits, .service = service, .status = DEPLOYMENT_STATUS_ACTIVE });
}

static void put_act(struct store_txn *txn, int64_t service, uint32_t number, enum service_deployment_status status)
{
    struct revision_count target = { .digits = number };
    store_put_service_deployment(txn, &(struct service_deployment){ .id = id_number(number), .service = service, .status = status, .target = &target });
}

static void test_parts(void)
{
    struct store_fixture f;
    int64_t cluster;
    struct kept_deployment *list;
    struct service_event event = { .message = STR("hello") };
    struct store_txn *txn = begin(&f, &cluster);
    int64_t web = put_service(txn, cluster, STR("web")), api = put_service(txn, cluster, STR("api"));
    CHECK_EQ("no events yet", store_service_events(txn, web, &f.arena)->events.count, 0);
    store_put_service_events(txn, web, &(struct service_events){ .events = { &event, 1 } });
    for (int64_t digits = 3; digits > 0; digits--) { put_parts(txn, web, digits); }
    put_parts(txn, api, 2);
    put_act(txn, web, 1, SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS);
    put_act(txn, api, 2, SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS);
    CHECK_STR("an event", store_service_events(txn, web, &f.arena)->events.items[0].message, STR("hello"));
    CHECK_STR("a revision", store_service_revision(txn, web, 3, &f.arena)->family, STR("web"));
    CHECK("of its service only", store_service_revision(txn, api, 3, &f.arena) == NULL && store_deployment(txn, api, 3, &f.arena) == NULL);
    CHECK_EQ("deployments", store_list_deployments(txn, web, &list, &f.arena), 3);
    CHECK("oldest first", list[0].digits == 1 && list[2].digits == 3);
    CHECK("a service deployment", store_service_deployment(txn, web, id_number(1), &f.arena)->target->digits == 1);
    CHECK("of its service only", store_service_deployment(txn, web, id_number(2), &f.arena) == NULL);
    store_drop_deployment(txn, web, 2);
    store_drop_service_revision(txn, web, 2);
    store_drop_deployment(txn, web, 9);
    CHECK_EQ("one less", store_list_deployments(txn, web, &list, &f.arena), 2);
    CHECK("both parts", store_service_revision(txn, web, 2, &f.arena) == NULL);
    become(&f, txn, web, SERVICE_INACTIVE, 7);
    store_drop_service(txn, web);
    CHECK("all of it goes", store_service(txn, web, &f.arena) == NULL && store_list_deployments(txn, web, &list, &f.arena) == 0
          && store_service_revision(txn, web, 1, &f.arena) == NULL && store_service_deployment(txn, web, id_number(1), &f.arena) == NULL
          && store_service_events(txn, web, &f.arena)->events.count == 0);
    CHECK("and nothing of another", store_deployment(txn, api, 2, &f.arena) != NULL && store_service_deployment(txn, api, id_number(2), &f.arena) != NULL);
    fixture_commit("parts", txn);
    end("parts", &f);
}

static void test_history(void)
{
    static const struct { const char *row; enum service_deployment_status oldest; size_t puts, kept; } rows[] = {
        { "99",                            SERVICE_DEPLOYMENT_STATUS_SUCCESSFUL,  99,  99 },
        { "100",                           SERVICE_DEPLOYMENT_STATUS_SUCCESSFUL,  100, 100 },
        { "101: the oldest goes",          SERVICE_DEPLOYMENT_STATUS_SUCCESSFUL,  101, 100 },
        { "101: the oldest has not ended", SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS, 101, 101 },
    };
    static struct service_deployment found[SERVICE_DEPLOYMENTS_MAX + 2];
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct store_fixture f;
        int64_t cluster;
        struct store_txn *txn = begin(&f, &cluster);
        int64_t web = put_service(txn, cluster, STR("web"));
        for (uint32_t n = 1; n <= rows[r].puts; n++) { put_act(txn, web, n, n == 1 ? rows[r].oldest : SERVICE_DEPLOYMENT_STATUS_SUCCESSFUL); }
        size_t count = store_list_service_deployments(txn, web, (struct id){ 0 }, found, COUNT_OF(found), &f.arena);
        CHECK_EQ(rows[r].row, count, rows[r].kept);
        CHECK_EQ(rows[r].row, found[0].target->digits, (int64_t)rows[r].puts);
        CHECK_EQ(rows[r].row, found[count - 1].target->digits, (int64_t)(rows[r].puts - rows[r].kept + 1));
        count = store_list_service_deployments(txn, web, id_number(4), found, 2, &f.arena);
        CHECK("those below one, as many as fit", count == 2 && found[0].target->digits == 3 && found[1].target->digits == 2);
        fixture_commit(rows[r].row, txn);
        end(rows[r].row, &f);
    }
}

/* ---- counts of live tasks ---- */

static void check_counts(const char *row, struct store_txn *txn, int64_t digits, struct deployment_counts want)
{
    struct deployment_counts counts = store_deployment_counts(txn, digits);
    CHECK_EQ(row, counts.running, want.running);
    CHECK_EQ(row, counts.pending, want.pending);
    CHECK_EQ(row, counts.live, want.live);
    CHECK_EQ(row, counts.staying, want.staying);
}

static void put_counted(struct store_txn *txn, int64_t cluster, int64_t digits, enum task_status last, enum task_status desired)
{
    struct task task = make_task(1, cluster, id_number(1));
    task.deployment = digits;
    task.last_status = last;
    task.desired_status = desired;
    if (last == TASK_STOPPED) { task.stopped_ms = 5; }
    store_put_task(txn, &task);
}

static void test_counts(void)
{
    static const struct { const char *row; enum task_status last, desired; struct deployment_counts want; } rows[] = {
        { "provisioning", TASK_PROVISIONING, TASK_RUNNING, { 0, 1, 1, 1 } },
        { "pending",      TASK_PENDING,      TASK_RUNNING, { 0, 1, 1, 1 } },
        { "activating",   TASK_ACTIVATING,   TASK_RUNNING, { 0, 1, 1, 1 } },
        { "running",      TASK_RUNNING,      TASK_RUNNING, { 1, 0, 1, 1 } },
        { "ordered",      TASK_RUNNING,      TASK_STOPPED, { 1, 0, 1, 0 } },
        { "stopping",     TASK_STOPPING,     TASK_STOPPED, { 0, 0, 1, 0 } },
        { "stopped",      TASK_STOPPED,      TASK_STOPPED, { 0, 0, 0, 0 } },
    };
    static const struct deployment_counts nothing = { 0, 0, 0, 0 };
    struct store_fixture f;
    int64_t cluster;
    struct store_txn *txn = begin(&f, &cluster);
    struct instance instance = make_instance(1, cluster);
    store_put_instance(txn, &instance);
    put_counted(txn, cluster, 8, TASK_PENDING, TASK_RUNNING);
    fixture_commit("begin", txn);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        txn = store_write_begin(f.store);
        put_counted(txn, cluster, 9, rows[r].last, rows[r].desired);
        check_counts(rows[r].row, txn, 9, rows[r].want);
        check_counts("it left the other", txn, 8, nothing);
        store_write_abort(txn);
        txn = store_write_begin(f.store);
        check_counts("nothing of an aborted one", txn, 9, r == 0 ? nothing : rows[r - 1].want);
        put_counted(txn, cluster, 9, rows[r].last, rows[r].desired);
        fixture_commit(rows[r].row, txn);
        fixture_check(rows[r].row, &f);
        CHECK(rows[r].row, r % 2 == 0 || fixture_reopen(&f));
        txn = store_read_begin(f.store);
        check_counts(rows[r].row, txn, 9, rows[r].want);
        check_counts("no service", txn, 0, nothing);
        CHECK("read", store_read_end(txn));
    }
    txn = store_write_begin(f.store);
    put_counted(txn, cluster, 10, TASK_RUNNING, TASK_RUNNING);
    fixture_commit("a free place is used again", txn);
    txn = store_write_begin(f.store);
    check_counts("the new one", txn, 10, (struct deployment_counts){ 1, 0, 1, 1 });
    check_counts("not the one before", txn, 9, nothing);
    store_drop_task(txn, id_number(1));
    check_counts("dropped", txn, 10, nothing);
    fixture_commit("dropped", txn);
    end("counts", &f);
}

int main(void)
{
    test_names();
    test_tokens();
    test_past_cluster();
    test_parts();
    test_history();
    test_counts();
    return check_report();
}
