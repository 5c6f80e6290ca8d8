/* The check finds each kind of damage. Every row makes a sound store, breaks one thing in it or does what only looks like it, and expects the kind,
 * the table and the words, or nothing. */
#include "tests/unit/store/store_fixture.h"

#include "store/store_internal.h"

typedef void break_it(struct store_txn *txn);

static void drop_index_entry(struct store_txn *txn)
{
    struct key key;
    struct id id = id_number(2);
    struct task task = make_task(2, 1, id_number(1));
    if (task_index_key(&key, &task, TASKS_BY_FAMILY)) { txn_delete_id(txn, TABLE_TASK_INDEX, &key, id); }
}

static void add_index_entry(struct store_txn *txn)
{
    struct key key;
    struct id id = id_number(77);
    struct task task = make_task(77, 1, id_number(1));
    if (task_index_key(&key, &task, TASKS_BY_CLUSTER)) {
        txn_put_ids(txn, TABLE_TASK_INDEX, &key, &id, 1, PUT_ANYWHERE);
    }
}

static void drop_record(struct store_txn *txn)
{
    struct key key = task_key(id_number(2));
    txn_delete(txn, TABLE_TASKS, &key);
}

static void change_behind_memory(struct store_txn *txn)
{
    struct task task = make_task(2, 1, id_number(1));
    struct key key = task_key(task.id);
    task.cpu++;
    record_put(txn, TABLE_TASKS, &key, &task_record, &task, PUT_ANYWHERE);
}

static void hold_behind_memory(struct store_txn *txn)
{
    struct task task = make_task(2, 1, id_number(1));
    struct opt_int port = opt_int_of(80);
    struct key key = task_key(task.id);
    task.ports = (struct int_list){ &port, 1 };
    record_put(txn, TABLE_TASKS, &key, &task_record, &task, PUT_ANYWHERE);
}

static void spoil_record(struct store_txn *txn)
{
    struct key key = task_key(id_number(2));
    txn_put(txn, TABLE_TASKS, &key, STR("\001\377\377"), PUT_ANYWHERE);
}

/* ---- keys and bytes, put past what the store would do ---- */

static void drop(struct store_txn *txn, enum table table, struct key_parts parts)
{
    struct key key;
    if (key_make(&key, table, &parts)) { txn_delete(txn, table, &key); }
}

static void plant(struct store_txn *txn, enum table table, struct key_parts parts, struct str value)
{
    struct key key;
    if (key_make(&key, table, &parts)) { txn_put(txn, table, &key, value, PUT_ANYWHERE); }
}

static void plant_record(struct store_txn *txn, enum table table, struct key_parts parts, const struct schema *schema, const void *record)
{
    struct key key;
    if (key_make(&key, table, &parts)) { record_put(txn, table, &key, schema, record, PUT_ANYWHERE); }
}

static void spoil_key(struct store_txn *txn)
{
    struct key key = { 3, { 1, 2, 3 } };
    txn_put(txn, TABLE_TASKS, &key, STR("\001"), PUT_ANYWHERE);
}

/* ---- indexes ---- */

static void lose_instance_entry(struct store_txn *txn) { drop(txn, TABLE_INSTANCE_INDEX, (struct key_parts){ .cluster = 1, .id = id_number(1) }); }
static void add_instance_entry(struct store_txn *txn) { plant(txn, TABLE_INSTANCE_INDEX, (struct key_parts){ .cluster = 1, .id = id_number(9) }, STR("\003")); }
static void list_as_draining(struct store_txn *txn) { plant(txn, TABLE_INSTANCE_INDEX, (struct key_parts){ .cluster = 1, .id = id_number(1) }, STR("\006")); }
static void lose_taskdef_entry(struct store_txn *txn) { drop(txn, TABLE_TASKDEF_INDEX, (struct key_parts){ .status = TASK_DEFINITION_STATUS_ACTIVE, .text = STR("web"), .number = 1 }); }
static void add_taskdef_entry(struct store_txn *txn)
{
    plant(txn, TABLE_TASKDEF_INDEX, (struct key_parts){ .status = TASK_DEFINITION_STATUS_INACTIVE, .text = STR("web"), .number = 1 }, STR(""));
}
static void lose_daemon_taskdef_entry(struct store_txn *txn)
{
    drop(txn, TABLE_DAEMON_TASKDEF_INDEX, (struct key_parts){ .status = DAEMON_TASK_DEFINITION_STATUS_ACTIVE, .text = STR("agent"), .number = 1 });
}
static void add_daemon_taskdef_entry(struct store_txn *txn)
{
    plant(txn, TABLE_DAEMON_TASKDEF_INDEX, (struct key_parts){ .status = DAEMON_TASK_DEFINITION_STATUS_DELETED, .text = STR("agent"), .number = 1 }, STR(""));
}
static void lose_stopped_entry(struct store_txn *txn) { drop(txn, TABLE_STOPPED, (struct key_parts){ .number = 2000, .id = id_number(8) }); }
static void add_stopped_entry(struct store_txn *txn) { plant(txn, TABLE_STOPPED, (struct key_parts){ .number = 2000, .id = id_number(2) }, STR("")); }
static void lose_history_entry(struct store_txn *txn) { drop(txn, TABLE_HISTORY_INDEX, (struct key_parts){ .id = id_number(8) }); }
static void add_history_entry(struct store_txn *txn) { plant(txn, TABLE_HISTORY_INDEX, (struct key_parts){ .id = id_number(7) }, (struct str){ "\0\0\0\0\0\0\0\1", 8 }); }

/* ---- clusters, definitions, counters, revisions ---- */

static const struct cluster twin = { .name = STR_INIT("twin"), .number = 1, .status = CLUSTER_ACTIVE };
static void share_number(struct store_txn *txn) { plant_record(txn, TABLE_CLUSTERS, (struct key_parts){ .text = twin.name }, &cluster_record, &twin); }
static void misname_cluster(struct store_txn *txn) { plant_record(txn, TABLE_CLUSTERS, (struct key_parts){ .text = STR("default") }, &cluster_record, &twin); }
static void lose_name(struct store_txn *txn) { plant(txn, TABLE_CLUSTER_NUMBERS, (struct key_parts){ .cluster = 7 }, STR("")); }
static void keep_old_number(struct store_txn *txn) { plant(txn, TABLE_CLUSTER_NUMBERS, (struct key_parts){ .cluster = 7 }, STR("default")); }

static void misname_taskdef(struct store_txn *txn)
{
    struct taskdef taskdef = { .def = { .family = STR("web"), .revision = opt_int_of(2), .status = TASK_DEFINITION_STATUS_ACTIVE } };
    plant_record(txn, TABLE_TASKDEFS, (struct key_parts){ .text = STR("web"), .number = 1 }, &taskdef_record, &taskdef);
}

static void misname_daemon_taskdef(struct store_txn *txn)
{
    struct daemon_taskdef taskdef = { .def = { .family = STR("other"), .revision = opt_int_of(1), .status = DAEMON_TASK_DEFINITION_STATUS_ACTIVE } };
    plant_record(txn, TABLE_DAEMON_TASKDEFS, (struct key_parts){ .text = STR("agent"), .number = 1 }, &daemon_taskdef_record, &taskdef);
}
static void lose_daemon_status(struct store_txn *txn)
{
    struct daemon_taskdef taskdef = { .def = { .family = STR("agent"), .revision = opt_int_of(1) } };
    plant_record(txn, TABLE_DAEMON_TASKDEFS, (struct key_parts){ .text = STR("agent"), .number = 1 }, &daemon_taskdef_record, &taskdef);
}

static void lose_daemon_counter(struct store_txn *txn) { drop(txn, TABLE_DAEMON_FAMILIES, (struct key_parts){ .text = STR("agent") }); }
static void lose_counter(struct store_txn *txn) { drop(txn, TABLE_FAMILIES, (struct key_parts){ .text = STR("web") }); }
static void keep_counter(struct store_txn *txn) { plant(txn, TABLE_FAMILIES, (struct key_parts){ .text = STR("web") }, (struct str){ "\0\0\0\0\0\0\0\x9", 8 }); }
static void count_nothing(struct store_txn *txn) { plant(txn, TABLE_PAST_EVENTS, (struct key_parts){ .id = id_number(1) }, (struct str){ "\0\0\0\0\0\0\0\0", 8 }); }
static void count_nobody(struct store_txn *txn) { plant(txn, TABLE_PAST_EVENTS, (struct key_parts){ .id = id_number(99) }, (struct str){ "\0\0\0\0\0\0\0\1", 8 }); }
static void skip_revisions(struct store_txn *txn) { plant(txn, TABLE_CHANGES, (struct key_parts){ .number = 10 }, STR("")); }
static void trim_revisions(struct store_txn *txn) { drop(txn, TABLE_CHANGES, (struct key_parts){ .number = 1 }); }
static void spoil_revision(struct store_txn *txn) { plant(txn, TABLE_CHANGES, (struct key_parts){ .number = 1 }, STR("\143")); }

/* ---- history, access, secrets ---- */

static void put_history_of(struct store_txn *txn, uint32_t number, int64_t stopped_ms, int64_t cluster)
{
    store_put_history(txn, &(struct history){ .id = id_number(number), .stopped_ms = stopped_ms, .cluster_number = cluster, .family = STR("web"), .revision = 1 });
}
static void bury_alive(struct store_txn *txn) { put_history_of(txn, 2, 3000, 1); }
static void bury_elsewhere(struct store_txn *txn) { put_history_of(txn, 7, 3000, 5); }
static void remember_longer(struct store_txn *txn) { put_history_of(txn, 7, 1, 1); }

static void lose_role(struct store_txn *txn)
{
    store_put_access_key(txn, &(struct access_key){ .id = STR("AKIA1"), .secret = STR("s"), .user = STR("u") });
}
static void set_nothing(struct store_txn *txn)
{
    struct account_settings settings = { .principal = STR("root") };
    plant_record(txn, TABLE_SETTINGS, (struct key_parts){ .text = STR("root") }, &account_settings_record, &settings);
}
static void put_secret(struct store_txn *txn, struct str suffix, struct str sealed)
{
    struct secret_version version = { .number = 1, .created_ms = 5, .sealed = sealed };
    store_put_secret(txn, &(struct kept_secret){ .kind = SECRET_OF_ASM, .name = STR("db"), .suffix = suffix, .versions = { &version, 1 } });
}
static void lose_suffix(struct store_txn *txn) { put_secret(txn, (struct str){ NULL, 0 }, STR("good")); }
static void lose_state(struct store_txn *txn)
{
    struct metric_alarm alarm = { .name = STR("high") };
    store_put_alarm(txn, &(struct kept_alarm){ .alarm = &alarm });
}
static void put_schedule(struct store_txn *txn)
{
    store_put_schedule(txn, &(struct kept_schedule){ .name = STR("daily"), .state = SCHEDULE_STATE_ENABLED, .due_ms = 7 });
    store_put_schedule(txn, &(struct kept_schedule){ .name = STR("daily"), .state = SCHEDULE_STATE_ENABLED, .due_ms = 9 });
}
static void lose_schedule_state(struct store_txn *txn) { store_put_schedule(txn, &(struct kept_schedule){ .name = STR("daily") }); }
static void lose_schedule_time(struct store_txn *txn) { put_schedule(txn); drop(txn, TABLE_SCHEDULE_TIMES, (struct key_parts){ .number = 9, .text = STR("daily") }); }
static void add_schedule_time(struct store_txn *txn) { put_schedule(txn); plant(txn, TABLE_SCHEDULE_TIMES, (struct key_parts){ .number = 8, .text = STR("daily") }, STR("")); }
static void put_machine(struct store_txn *txn)
{
    store_put_pool(txn, &(struct kept_pool){ .name = STR("p"), .kind = POOL_GROUP });
    for (int64_t next_ms = 7; next_ms <= 9; next_ms += 2) {
        store_put_machine(txn, &(struct kept_machine){ .id = { { 9 } }, .pool = STR("p"), .state = MACHINE_ORDERED, .next_ms = next_ms });
    }
}
static void lose_pool(struct store_txn *txn) { put_machine(txn); store_drop_pool(txn, STR("p")); }
static void lose_machine_time(struct store_txn *txn) { put_machine(txn); drop(txn, TABLE_MACHINE_TIMES, (struct key_parts){ .number = 9, .id = { { 9 } } }); }
static void add_machine_time(struct store_txn *txn) { put_machine(txn); plant(txn, TABLE_MACHINE_TIMES, (struct key_parts){ .number = 8, .id = { { 9 } } }, STR("")); }
static void add_pool_entry(struct store_txn *txn) { put_machine(txn); plant(txn, TABLE_POOL_MACHINES, (struct key_parts){ .text = STR("q"), .id = { { 9 } } }, STR("")); }
static void drop_schedule(struct store_txn *txn) { put_schedule(txn); store_drop_schedule(txn, false, STR("daily")); }
static void lose_scaled_service(struct store_txn *txn)
{
    store_put_scaling(txn, &(struct kept_scaling){ .service = 77, .max = 1, .suspended = &(struct suspended_state){ OPT_FALSE, OPT_FALSE, OPT_FALSE } });
}
static void plant_event(struct store_txn *txn)
{
    static const struct kept_event event = { .at_ms = 1, .type = STR_INIT("x"), .text = STR_INIT("{}") };
    struct arena arena;
    arena_init(&arena, 1024 * 1024);
    (void)store_add_event(txn, &event, &arena);
    store_put_meta(txn, STR("outbox/last"), (struct str){ NULL, 0 });
    arena_finish(&arena);
}
static void spoil_seal(struct store_txn *txn) { put_secret(txn, STR("AbCdEf"), STR("spoilt")); }

/* ---- services ---- */

static const struct service web_service = { .number = 1, .cluster_number = 1, .name = STR_INIT("web"), .status = SERVICE_INACTIVE, .deleted_ms = 9 };
static const struct kept_deployment web_deployment = { .digits = 4, .service = 1, .status = DEPLOYMENT_STATUS_ACTIVE };

static void put_service(struct store_txn *txn)
{
    struct service service = web_service;
    service.number = 0;
    store_put_service(txn, &service);
    store_put_deployment(txn, &web_deployment);
}
static void plant_service(struct store_txn *txn, int64_t key, struct service service)
{
    put_service(txn);
    plant_record(txn, TABLE_SERVICES, (struct key_parts){ .number = key }, &service_record, &service);
}
static void lose_service_name(struct store_txn *txn)
{
    put_service(txn);
    drop(txn, TABLE_SERVICE_NAMES, (struct key_parts){ .cluster = 1, .text = STR("web"), .number = 1 });
}
static void list_service_as_active(struct store_txn *txn)
{
    put_service(txn);
    plant(txn, TABLE_SERVICE_NAMES, (struct key_parts){ .cluster = 1, .text = STR("web"), .number = 1 }, STR("\001"));
}
static void add_service_name(struct store_txn *txn) { plant(txn, TABLE_SERVICE_NAMES, (struct key_parts){ .cluster = 1, .text = STR("web"), .number = 2 }, STR("\001")); }
static void put_token(struct store_txn *txn)
{
    struct service service = { .cluster_number = 1, .name = STR_INIT("web"), .status = SERVICE_ACTIVE, .client_token = STR_INIT("t") };
    store_put_service(txn, &service);
}
static void lose_service_token(struct store_txn *txn)
{
    put_token(txn);
    drop(txn, TABLE_SERVICE_TOKENS, (struct key_parts){ .cluster = 1, .text = STR("t"), .number = 1 });
}
static void add_service_token(struct store_txn *txn)
{
    put_token(txn);
    plant(txn, TABLE_SERVICE_TOKENS, (struct key_parts){ .cluster = 1, .text = STR("u"), .number = 1 }, STR(""));
}
static void lose_gone_service(struct store_txn *txn) { put_service(txn); drop(txn, TABLE_GONE_SERVICES, (struct key_parts){ .number = 9, .second = 1 }); }
static void add_gone_service(struct store_txn *txn) { put_service(txn); plant(txn, TABLE_GONE_SERVICES, (struct key_parts){ .number = 8, .second = 1 }, STR("")); }
static void misnumber_service(struct store_txn *txn) { plant_service(txn, 2, web_service); }
static void lose_service_counter(struct store_txn *txn) { put_service(txn); store_put_meta(txn, services_last_number, STR("0")); }
static void lose_services_cluster(struct store_txn *txn) { struct service s = web_service; s.cluster_number = 7; plant_service(txn, 1, s); }
static void move_service_nowhere(struct store_txn *txn) { struct service s = web_service; s.cluster_number = CLUSTERS_MAX + 1; plant_service(txn, 1, s); }
static void misplace_deployment(struct store_txn *txn)
{
    put_service(txn);
    plant_record(txn, TABLE_DEPLOYMENTS, (struct key_parts){ .number = 1, .second = 5 }, &kept_deployment_record, &web_deployment);
}
static void lose_parts_service(struct store_txn *txn) { store_put_deployment(txn, &web_deployment); }
static void lose_events_service(struct store_txn *txn) { store_put_service_events(txn, 1, &(struct service_events){ 0 }); }

/* ---- what tasks refer to ---- */

static void put_changed_task(struct store_txn *txn, uint32_t number, void (*change)(struct task *task))
{
    struct task task = make_task(number, 1, id_number(1));
    change(&task);
    store_put_task(txn, &task);
}
static void to_no_cluster(struct task *task) { task->cluster_number = 9; }
static void to_no_definition(struct task *task) { task->revision = 2; }
static void to_no_instance(struct task *task) { task->instance = id_number(99); }
static void to_nowhere(struct task *task) { task->instance = (struct id){ { 0 } }; }
static void to_wait(struct task *task) { to_nowhere(task); task->last_status = TASK_PROVISIONING; }
static void to_gone_instance(struct task *task) { task->instance = id_number(6); }
static void to_end_there(struct task *task)
{
    to_gone_instance(task);
    task->last_status = task->desired_status = TASK_STOPPED;
    task->stopped_ms = 5;
}
static void leave_cluster(struct store_txn *txn) { put_changed_task(txn, 30, to_no_cluster); }
static void leave_definition(struct store_txn *txn) { put_changed_task(txn, 30, to_no_definition); }
static void leave_instance(struct store_txn *txn) { put_changed_task(txn, 30, to_no_instance); }
static void run_nowhere(struct store_txn *txn) { put_changed_task(txn, 30, to_nowhere); }
static void wait_nowhere(struct store_txn *txn) { put_changed_task(txn, 30, to_wait); }
static void live_where_none_lives(struct store_txn *txn) { put_changed_task(txn, 30, to_gone_instance); }
static void have_ended_there(struct store_txn *txn) { put_changed_task(txn, 30, to_end_there); }
static void lose_instances_cluster(struct store_txn *txn)
{
    struct instance instance = make_instance(9, 5);
    store_put_instance(txn, &instance);
}

/* ---- statuses ---- */

static void as_stopped(struct task *task) { task->last_status = TASK_STOPPED; task->stopped_ms = 5; }
static void as_stopping(struct task *task) { task->last_status = TASK_STOPPING; }
static void as_ordered(struct task *task) { task->desired_status = TASK_STOPPED; }
static void as_ended(struct task *task) { task->stopped_ms = 5; }
static void as_endless(struct task *task) { task->last_status = task->desired_status = TASK_STOPPED; }
static void forget_stopping(struct store_txn *txn) { put_changed_task(txn, 30, as_stopped); }
static void stop_unasked(struct store_txn *txn) { put_changed_task(txn, 30, as_stopping); }
static void order_stop(struct store_txn *txn) { put_changed_task(txn, 30, as_ordered); }
static void end_alive(struct store_txn *txn) { put_changed_task(txn, 30, as_ended); }
static void stop_at_no_time(struct store_txn *txn) { put_changed_task(txn, 30, as_endless); }
static void put_container(struct store_txn *txn, enum task_status status, bool stopped)
{
    struct task task = make_task(30, 1, id_number(1));
    struct task_container container = { .status = status };
    task.containers = (struct task_container_list){ &container, 1 };
    if (stopped) { as_stopped(&task); as_ordered(&task); }
    store_put_task(txn, &task);
}
static void wait_in_container(struct store_txn *txn) { put_container(txn, TASK_PROVISIONING, false); }
static void run_in_container(struct store_txn *txn) { put_container(txn, TASK_RUNNING, false); }
static void run_on_in_container(struct store_txn *txn) { put_container(txn, TASK_RUNNING, true); }
static void stop_in_container(struct store_txn *txn) { put_container(txn, TASK_STOPPED, true); }

/* ---- amounts that are held ---- */

static void put_registered_again(struct store_txn *txn)
{
    struct gpu gpu = { .uuid = STR("GPU-1") };
    struct instance instance = make_instance(1, 1);
    instance.gpus = (struct gpu_list){ &gpu, 1 };
    instance.session_epoch = 2;
    store_put_instance(txn, &instance);
}
/* Three tasks hold 256 CPU units and 512 MiB each, of 4096 and 8192. */
static void as_all_cpu(struct task *task) { task->cpu = 4096 - 3 * 256; }
static void as_more_cpu(struct task *task) { task->cpu = 4097 - 3 * 256; }
static void as_all_memory(struct task *task) { task->memory_mib = 8192 - 3 * 512; }
static void as_more_memory(struct task *task) { task->memory_mib = 8193 - 3 * 512; }
static void take_all_cpu(struct store_txn *txn) { put_changed_task(txn, 30, as_all_cpu); }
static void take_more_cpu(struct store_txn *txn) { put_changed_task(txn, 30, as_more_cpu); }
static void take_all_memory(struct store_txn *txn) { put_changed_task(txn, 30, as_all_memory); }
static void take_more_memory(struct store_txn *txn) { put_changed_task(txn, 30, as_more_memory); }
/* Bytes that a disk has changed are no reason to end, nor to count past the end of a number. */
static void as_beyond_numbers(struct task *task) { task->cpu = INT64_MAX; }
static void take_beyond_numbers(struct store_txn *txn)
{
    put_changed_task(txn, 30, as_beyond_numbers);
    put_changed_task(txn, 31, as_beyond_numbers);
}
static void count_below_nothing(struct store_txn *txn)
{
    struct task task = make_task(2, 1, id_number(1));
    task.revision = -1;
    plant_record(txn, TABLE_TASKS, (struct key_parts){ .id = task.id }, &task_record, &task);
}
static void write_long_text(struct store_txn *txn)
{
    char text[KEY_TEXT_MAX + 1];
    struct task task = make_task(2, 1, id_number(1));
    memset(text, 'x', sizeof text);
    task.started_by = (struct str){ text, sizeof text };
    plant_record(txn, TABLE_TASKS, (struct key_parts){ .id = task.id }, &task_record, &task);
}
static void come_again_smaller(struct store_txn *txn) { put_registered_again(txn); take_more_cpu(txn); }

static void hold_ports(struct store_txn *txn, int64_t first, int64_t second)
{
    const int64_t numbers[] = { first, second };
    for (uint32_t t = 0; t < 2; t++) {
        struct opt_int port = opt_int_of(numbers[t]);
        struct task task = make_task(20 + t, 1, id_number(1));
        task.ports = (struct int_list){ &port, 1 };
        store_put_task(txn, &task);
    }
}
static void hold_port_twice(struct store_txn *txn) { hold_ports(txn, 80, 80); }
static void hold_tcp_and_udp(struct store_txn *txn) { hold_ports(txn, 80, 80 | PORT_UDP); }

static void hold_shares_of(struct store_txn *txn, struct str gpu, int64_t first, int64_t second)
{
    const int64_t shares[] = { first, second };
    for (uint32_t t = 0; t < 2; t++) {
        struct task_container container = { .status = TASK_PENDING, .gpu_ids = { &gpu, 1 }, .gpu_share = shares[t] };
        struct task task = make_task(20 + t, 1, id_number(1));
        task.containers = (struct task_container_list){ &container, 1 };
        store_put_task(txn, &task);
    }
}
static void hold_gpu_twice(struct store_txn *txn) { hold_shares_of(txn, STR("GPU-1"), 0, 0); }
static void hold_halves(struct store_txn *txn) { hold_shares_of(txn, STR("GPU-1"), 500, 500); }
static void hold_too_much(struct store_txn *txn) { hold_shares_of(txn, STR("GPU-1"), 500, 501); }
static void hold_less_than_nothing(struct store_txn *txn) { hold_shares_of(txn, STR("GPU-1"), -1, 1); }
static void hold_whole_and_share(struct store_txn *txn) { hold_shares_of(txn, STR("GPU-1"), 0, 1); }
static void hold_strange_gpu(struct store_txn *txn) { hold_shares_of(txn, STR("GPU-9"), 1, 1); }
static void come_again_without_gpu(struct store_txn *txn) { put_registered_again(txn); hold_strange_gpu(txn); }

/* A definition whose container asks for memory of a GPU that has 1000 MiB: only the sum tells, when a record's share is too small. */
static void hold_memory(struct store_txn *txn, const char *first, const char *second)
{
    const char *const texts[] = { first, second };
    for (uint32_t t = 0; t < 2; t++) {
        struct resource_requirement wish = { .type = RESOURCE_TYPE_GPU_MEMORY, .value = str_from(texts[t]) };
        struct container_definition container = { .name = STR("main"), .resource_requirements = { &wish, 1 } };
        struct taskdef taskdef = { .def = { .family = STR("gpu"), .revision = opt_int_of(t + 1), .status = TASK_DEFINITION_STATUS_ACTIVE } };
        struct str gpu = STR("GPU-1");
        struct task_container held = { .status = TASK_PENDING, .gpu_ids = { &gpu, 1 }, .gpu_share = 1 };
        struct task task = make_task(20 + t, 1, id_number(1));
        taskdef.def.container_definitions = (struct container_definition_list){ &container, 1 };
        task.family = taskdef.def.family;
        task.revision = t + 1;
        task.containers = (struct task_container_list){ &held, 1 };
        store_put_taskdef(txn, &taskdef);
        store_put_task(txn, &task);
    }
}
static void hold_all_memory(struct store_txn *txn) { hold_memory(txn, "400", "600"); }
static void hold_more_memory(struct store_txn *txn) { hold_memory(txn, "400", "601"); }

static void touch_nothing(struct store_txn *txn) { (void)txn; }

/* ---- the tests ---- */

static void begin(struct store_fixture *f, const char *row, break_it *breaks)
{
    fixture_begin(f, 0);
    struct store_txn *txn = store_write_begin(f->store);
    int64_t cluster = put_cluster(txn, STR("default"));
    struct gpu gpu = { .uuid = STR("GPU-1"), .memory_mib = 1000 };
    struct instance instance = make_instance(1, cluster), gone = make_instance(6, cluster);
    struct taskdef taskdef = { .def = { .family = STR("web"), .revision = opt_int_of(1), .status = TASK_DEFINITION_STATUS_ACTIVE } };
    struct daemon_taskdef daemon_taskdef = { .def = { .family = STR("agent"), .revision = opt_int_of(1), .status = DAEMON_TASK_DEFINITION_STATUS_ACTIVE } };
    struct task stopped = make_task(8, cluster, instance.id);
    instance.gpus = (struct gpu_list){ &gpu, 1 };
    gone.status = INSTANCE_INACTIVE;
    stopped.last_status = stopped.desired_status = TASK_STOPPED;
    stopped.stopped_ms = 2000;
    store_put_instance(txn, &instance);
    store_put_instance(txn, &gone);
    store_put_taskdef(txn, &taskdef);
    store_put_daemon_taskdef(txn, &daemon_taskdef);
    for (uint32_t t = 2; t < 5; t++) {
        struct task task = make_task(t, cluster, instance.id);
        store_put_task(txn, &task);
    }
    store_put_task(txn, &stopped);
    put_history_of(txn, 8, 2000, cluster);
    put_secret(txn, STR("AbCdEf"), STR("good"));
    fixture_commit(row, txn);
    txn = store_write_begin(f->store);
    breaks(txn);
    fixture_commit(row, txn);
}

static bool opens(void *context, const struct kept_secret *secret)
{
    (void)context;
    return str_eq(secret->name, STR("db")) && secret->kind == SECRET_OF_ASM && str_eq(secret->versions.items[0].sealed, STR("good"));
}

struct row { const char *name; break_it *breaks; const char *words, *table; enum invariant invariant; };    /* words NULL: it is sound */

static bool tells(const struct looked_at *looked, const struct row *row)
{
    for (int64_t b = 0; b < looked->breaches && b < BREACHES_SHOWN_MAX; b++) {
        if (strstr(looked->first[b].what, row->words) != NULL && strcmp(looked->first[b].table, row->table) == 0) { return true; }
    }
    return false;
}

static void check_row(const struct row *row)
{
    struct store_fixture f;
    struct check_report report;
    begin(&f, row->name, row->breaks);
    struct store_txn *txn = store_read_begin(f.store);
    CHECK(row->name, store_check_file(txn, (struct check_seals){ opens, NULL }, &report));
    CHECK_EQ(row->name, check_report_breaches(&report) == 0, row->words == NULL);
    if (row->words != NULL) { CHECK(row->name, tells(&report.of[row->invariant], row)); }
    CHECK(row->name, store_read_end(txn));
    fixture_end(&f);
}

static const struct row file_rows[] = {
    { "sound",                                  touch_nothing,           NULL, NULL, 0 },
    { "a record can not be read",               spoil_record,            "a record can not be read", "tasks", INVARIANT_RECORDS },
    { "and its index entries are for nothing",  spoil_record,            "without a record", "task_index", INVARIANT_INDEXES },
    { "a key can not be read",                  spoil_key,               "a key can not be read", "tasks", INVARIANT_RECORDS },
    { "a share below nothing",                  hold_less_than_nothing,  "a record can not be read", "tasks", INVARIANT_RECORDS },
    { "a task's index entry is missing",        drop_index_entry,        "an index entry is missing", "task_index", INVARIANT_INDEXES },
    { "one too many",                           add_index_entry,         "without a record", "task_index", INVARIANT_INDEXES },
    { "a record is missing",                    drop_record,             "without a record", "task_index", INVARIANT_INDEXES },
    { "an instance's entry is missing",         lose_instance_entry,     "an index entry is missing", "instance_index", INVARIANT_INDEXES },
    { "one too many",                           add_instance_entry,      "without a record", "instance_index", INVARIANT_INDEXES },
    { "another status",                         list_as_draining,        "another status", "instances", INVARIANT_INDEXES },
    { "a definition's entry is missing",        lose_taskdef_entry,      "an index entry is missing", "taskdef_index", INVARIANT_INDEXES },
    { "one too many",                           add_taskdef_entry,       "without a record", "taskdef_index", INVARIANT_INDEXES },
    { "of a daemon's definition",               lose_daemon_taskdef_entry, "an index entry is missing", "daemon_taskdef_index", INVARIANT_INDEXES },
    { "one too many",                           add_daemon_taskdef_entry, "without a record", "daemon_taskdef_index", INVARIANT_INDEXES },
    { "a stopped task's entry is missing",      lose_stopped_entry,      "an index entry is missing", "stopped", INVARIANT_INDEXES },
    { "one too many",                           add_stopped_entry,       "without a record", "stopped", INVARIANT_INDEXES },
    { "the history's entry is missing",         lose_history_entry,      "missing or leads elsewhere", "history_index", INVARIANT_INDEXES },
    { "one too many",                           add_history_entry,       "without a record", "history_index", INVARIANT_INDEXES },
    { "two clusters have one number",           share_number,            "another cluster's", "clusters", INVARIANT_CLUSTERS },
    { "a cluster under another name",           misname_cluster,         "another name", "clusters", INVARIANT_CLUSTERS },
    { "a number without a name",                lose_name,               "no name", "cluster_numbers", INVARIANT_CLUSTERS },
    { "a number of an earlier life",            keep_old_number,         NULL, NULL, 0 },
    { "a definition under another revision",    misname_taskdef,         "another family or revision", "taskdefs", INVARIANT_DEFINITIONS },
    { "a daemon's definition of another family", misname_daemon_taskdef, "another family or revision", "daemon_taskdefs", INVARIANT_DEFINITIONS },
    { "one without a status",                   lose_daemon_status,      "can not be read", "daemon_taskdefs", INVARIANT_RECORDS },
    { "a counter behind a daemon's family",     lose_daemon_counter,     "counter is behind", "daemon_families", INVARIANT_COUNTERS },
    { "a service as it is",                     put_service,             NULL, NULL, 0 },
    { "a service that is not in the names",     lose_service_name,       "an index entry is missing", "service_names", INVARIANT_INDEXES },
    { "one with another status there",          list_service_as_active,  "another status", "services", INVARIANT_INDEXES },
    { "a name without a service",               add_service_name,        "without a record", "service_names", INVARIANT_INDEXES },
    { "a token without an entry",               lose_service_token,      "an index entry is missing", "service_tokens", INVARIANT_INDEXES },
    { "another token's entry",                  add_service_token,       "without a record", "service_tokens", INVARIANT_INDEXES },
    { "one that is not among the gone",         lose_gone_service,       "an index entry is missing", "gone_services", INVARIANT_INDEXES },
    { "or twice",                               add_gone_service,        "without a record", "gone_services", INVARIANT_INDEXES },
    { "another number than its key",            misnumber_service,       "another number", "services", INVARIANT_RECORDS },
    { "a counter behind a service",             lose_service_counter,    "counter of services is behind", "meta", INVARIANT_COUNTERS },
    { "a service of no cluster",                lose_services_cluster,   "there is no such cluster", "services", INVARIANT_REFERENCES },
    { "of one that can not be",                 move_service_nowhere,    "a record can not be read", "services", INVARIANT_RECORDS },
    { "a deployment under other digits",        misplace_deployment,     "other digits than its key", "deployments", INVARIANT_RECORDS },
    { "a deployment of no service",             lose_parts_service,      "its service is not there", "deployments", INVARIANT_REFERENCES },
    { "events of no service",                   lose_events_service,     "its service is not there", "service_events", INVARIANT_REFERENCES },
    { "a counter behind its family",            lose_counter,            "counter is behind", "families", INVARIANT_COUNTERS },
    { "a counter ahead of its family",          keep_counter,            NULL, NULL, 0 },
    { "no number of events",                    count_nothing,           "no number", "past_events", INVARIANT_COUNTERS },
    { "revisions are missing",                  skip_revisions,          "does not follow", "changes", INVARIANT_REVISIONS },
    { "the oldest revisions are gone",          trim_revisions,          NULL, NULL, 0 },
    { "a revision can not be read",             spoil_revision,          "can not be read", "changes", INVARIANT_REVISIONS },
    { "the history of a live task",             bury_alive,              "has not stopped", "history", INVARIANT_HISTORY },
    { "the history of no cluster",              bury_elsewhere,          "no such cluster", "history", INVARIANT_HISTORY },
    { "the history of a task that is gone",     remember_longer,         NULL, NULL, 0 },
    { "an access key without a role",           lose_role,               "no role", "access_keys", INVARIANT_ACCESS },
    { "account settings without one",           set_nothing,             "without one", "settings", INVARIANT_ACCESS },
    { "a secret without a suffix",              lose_suffix,             "not as its kind is", "secrets", INVARIANT_SECRETS },
    { "an alarm without a state",               lose_state,              "no state", "alarms", INVARIANT_ALARMS },
    { "a schedule as it is, put twice",         put_schedule,            NULL, NULL, 0 },
    { "a schedule that is dropped",             drop_schedule,           NULL, NULL, 0 },
    { "a schedule without a state",             lose_schedule_state,     "no state", "schedules", INVARIANT_SCHEDULES },
    { "a schedule that is not in the times",    lose_schedule_time,      "an index entry is missing", "schedule_times", INVARIANT_INDEXES },
    { "a time without a schedule",              add_schedule_time,       "without a record", "schedule_times", INVARIANT_INDEXES },
    { "a machine as it is, put twice",          put_machine,             NULL, NULL, 0 },
    { "a machine of no pool",                   lose_pool,               "of no pool", "machines", INVARIANT_REFERENCES },
    { "a machine that is not in the times",     lose_machine_time,       "no index entry", "machines", INVARIANT_INDEXES },
    { "a time without a machine",               add_machine_time,        "without a record", "machine_times", INVARIANT_INDEXES },
    { "a machine in another pool",              add_pool_entry,          "without a record", "pool_machines", INVARIANT_INDEXES },
    { "a scalable target of no service",        lose_scaled_service,     "of no service", "scaling", INVARIANT_REFERENCES },
    { "an event whose number was not given",    plant_event,             "another number than its key", "outbox", INVARIANT_RECORDS },
    { "a seal that does not open",              spoil_seal,              "does not open", "secrets", INVARIANT_SEALS },
    { "a task in no cluster",                   leave_cluster,           "no such cluster", "tasks", INVARIANT_REFERENCES },
    { "a task of no definition",                leave_definition,        "definition is not there", "tasks", INVARIANT_REFERENCES },
    { "a task on no instance",                  leave_instance,          "instance is not there", "tasks", INVARIANT_REFERENCES },
    { "a task that is nowhere",                 run_nowhere,             "instance is not there", "tasks", INVARIANT_REFERENCES },
    { "a task that waits",                      wait_nowhere,            NULL, NULL, 0 },
    { "a live task on an INACTIVE instance",    live_where_none_lives,   "INACTIVE", "tasks", INVARIANT_REFERENCES },
    { "a stopped one",                          have_ended_there,        NULL, NULL, 0 },
    { "an instance in no cluster",              lose_instances_cluster,  "no such cluster", "instances", INVARIANT_REFERENCES },
    { "events of no instance",                  count_nobody,            "instance that is not there", "past_events", INVARIANT_REFERENCES },
    { "a stopped task that wants to run",       forget_stopping,         "wants to run", "tasks", INVARIANT_STATUSES },
    { "a stopping task that wants to run",      stop_unasked,            "wants to run", "tasks", INVARIANT_STATUSES },
    { "a task that is to stop",                 order_stop,              NULL, NULL, 0 },
    { "a live task that has ended",             end_alive,               "time of its end", "tasks", INVARIANT_STATUSES },
    { "a task that stopped at no time",         stop_at_no_time,         "time of its end", "tasks", INVARIANT_STATUSES },
    { "a container's status",                   wait_in_container,       "a container", "tasks", INVARIANT_STATUSES },
    { "a container that runs",                  run_in_container,        NULL, NULL, 0 },
    { "a container runs in a stopped task",     run_on_in_container,     "a container", "tasks", INVARIANT_STATUSES },
    { "a container that stopped with its task", stop_in_container,       NULL, NULL, 0 },
    { "all CPU",                                take_all_cpu,            NULL, NULL, 0 },
    { "more CPU",                               take_more_cpu,           "more CPU or memory", "instances", INVARIANT_ROOM },
    { "all memory",                             take_all_memory,         NULL, NULL, 0 },
    { "more memory",                            take_more_memory,        "more CPU or memory", "instances", INVARIANT_ROOM },
    { "more than a number can say",             take_beyond_numbers,     "more CPU or memory", "instances", INVARIANT_ROOM },
    { "a revision below nothing",               count_below_nothing,     "definition is not there", "tasks", INVARIANT_REFERENCES },
    { "a text that no key can hold",            write_long_text,         "a record can not be read", "tasks", INVARIANT_RECORDS },
    { "an instance that came again with less",  come_again_smaller,      NULL, NULL, 0 },
    { "a port given twice",                     hold_port_twice,         "two live tasks hold one port", "instances", INVARIANT_PORTS },
    { "a port of both protocols",               hold_tcp_and_udp,        NULL, NULL, 0 },
    { "a GPU given twice",                      hold_gpu_twice,          "more than once over", "tasks", INVARIANT_GPUS },
    { "a GPU shared",                           hold_halves,             NULL, NULL, 0 },
    { "more than a GPU shared",                 hold_too_much,           "more than once over", "tasks", INVARIANT_GPUS },
    { "a GPU whole and shared",                 hold_whole_and_share,    "more than once over", "tasks", INVARIANT_GPUS },
    { "a GPU that is not there",                hold_strange_gpu,        "does not have", "tasks", INVARIANT_GPUS },
    { "all of a GPU's memory",                  hold_all_memory,         NULL, NULL, 0 },
    { "more than all of it",                    hold_more_memory,        "memory is held", "tasks", INVARIANT_GPUS },
    { "an instance that came again without it", come_again_without_gpu,  NULL, NULL, 0 },
};

/* The amounts in memory can be compared only where memory is. */
static void test_memory(void)
{
    static const struct { const char *name; break_it *breaks; const char *words; } rows[] = {
        { "sound",                            touch_nothing,        NULL },
        { "memory says something else",       change_behind_memory, "memory and record differ" },
        { "memory knows nothing of a port",   hold_behind_memory,   "memory and record differ" },
        { "what the file says comes first",   drop_record,          "without a record" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct store_fixture f;
        struct err err = { 0 };
        begin(&f, rows[r].name, rows[r].breaks);
        struct store_txn *txn = store_read_begin(f.store);
        CHECK_EQ(rows[r].name, store_check(txn, &err), rows[r].words == NULL);
        CHECK(rows[r].name, rows[r].words == NULL || strstr(err.message, rows[r].words) != NULL);
        CHECK(rows[r].name, store_read_end(txn));
        fixture_end(&f);
    }
}

/* All of many breaches are counted and the first are named, by table and id. */
static void test_many(void)
{
    struct store_fixture f;
    struct check_report report;
    char hex[ID_HEX_LEN + 1];
    begin(&f, "many", touch_nothing);
    struct store_txn *txn = store_write_begin(f.store);
    for (uint32_t t = 0; t < BREACHES_SHOWN_MAX + 5; t++) { put_changed_task(txn, 100 + t, as_ended); }
    fixture_commit("many", txn);
    txn = store_read_begin(f.store);
    CHECK("many", store_check_file(txn, (struct check_seals){ NULL, NULL }, &report));
    const struct looked_at *statuses = &report.of[INVARIANT_STATUSES];
    CHECK_EQ("all are counted", statuses->breaches, BREACHES_SHOWN_MAX + 5);
    id_hex(id_number(100 + BREACHES_SHOWN_MAX - 1), hex);
    CHECK("the last that is named", strcmp(statuses->first[BREACHES_SHOWN_MAX - 1].id, hex) == 0);
    CHECK_EQ("without a key", report.of[INVARIANT_SEALS].count, 0);
    CHECK("read", store_read_end(txn));
    fixture_end(&f);
}

int main(void)
{
    for (size_t r = 0; r < COUNT_OF(file_rows); r++) { check_row(&file_rows[r]); }
    test_memory();
    test_many();
    return check_report();
}
