#include "model/task.h"

#include "base/assert.h"
#include "model/status.h"

static const struct str task_status_words[] = {
    STR_INIT("PROVISIONING"), STR_INIT("PENDING"), STR_INIT("ACTIVATING"), STR_INIT("RUNNING"), STR_INIT("DEACTIVATING"),
    STR_INIT("STOPPING"), STR_INIT("DEPROVISIONING"), STR_INIT("STOPPED"),
};
const struct enum_names task_status_names = { task_status_words, COUNT_OF(task_status_words) };
_Static_assert(COUNT_OF(task_status_words) == TASK_STATUS_COUNT - 1, "one word per value");

/* Forward only. A task that waits for room (PROVISIONING) is on no machine, so it must be PENDING before it can run. */
#define TO STATUS_BIT
#define TO_AN_END (TO(TASK_DEACTIVATING) | TO(TASK_STOPPING) | TO(TASK_DEPROVISIONING) | TO(TASK_STOPPED))
static const uint32_t task_steps[TASK_STATUS_COUNT] = {
    [TASK_STATUS_UNSET]   = TO(TASK_PROVISIONING) | TO(TASK_PENDING),
    [TASK_PROVISIONING]   = TO(TASK_PENDING) | TO_AN_END,
    [TASK_PENDING]        = TO(TASK_ACTIVATING) | TO(TASK_RUNNING) | TO_AN_END,
    [TASK_ACTIVATING]     = TO(TASK_RUNNING) | TO_AN_END,
    [TASK_RUNNING]        = TO_AN_END,
    [TASK_DEACTIVATING]   = TO(TASK_STOPPING) | TO(TASK_DEPROVISIONING) | TO(TASK_STOPPED),
    [TASK_STOPPING]       = TO(TASK_DEPROVISIONING) | TO(TASK_STOPPED),
    [TASK_DEPROVISIONING] = TO(TASK_STOPPED),
    [TASK_STOPPED]        = 0,
};
/* A container's statuses are three of a task's. */
static const uint32_t container_steps[TASK_STATUS_COUNT] = {
    [TASK_STATUS_UNSET] = TO(TASK_PENDING),
    [TASK_PENDING]      = TO(TASK_RUNNING) | TO(TASK_STOPPED),
    [TASK_RUNNING]      = TO(TASK_STOPPED),
};
#undef TO_AN_END
#undef TO

bool task_may_become(enum task_status from, enum task_status to)
{
    return status_may_become(task_steps, TASK_STATUS_COUNT, from, to);
}

bool task_container_may_become(enum task_status from, enum task_status to)
{
    return status_may_become(container_steps, TASK_STATUS_COUNT, from, to);
}

static void set_once(int64_t *at_ms, int64_t now_ms)
{
    if (*at_ms == 0) { *at_ms = now_ms; }
}

void task_container_become(struct task_container *container, enum task_status status)
{
    ASSERT(task_container_may_become(container->status, status));
    container->status = status;
}

static void stop_containers(struct task *task)
{
    for (size_t c = 0; c < task->containers.count; c++) {
        struct task_container *container = &task->containers.items[c];
        if (container->status != TASK_STOPPED) { task_container_become(container, TASK_STOPPED); }
    }
}

void task_become(struct task *task, enum task_status status, int64_t now_ms)
{
    bool is_new = task->last_status == TASK_STATUS_UNSET;
    ASSERT(task_may_become(task->last_status, status));
    ASSERT(is_new == (task->desired_status == TASK_STATUS_UNSET));
    task->last_status = status;
    if (is_new) { task->desired_status = TASK_RUNNING; }
    if (status == TASK_RUNNING) { set_once(&task->started_ms, now_ms); }
    if (status >= TASK_DEACTIVATING) {
        task->desired_status = TASK_STOPPED;
        set_once(&task->stopping_ms, now_ms);
    }
    if (status == TASK_STOPPED) {
        set_once(&task->stopped_ms, now_ms);
        stop_containers(task);
    }
    ASSERT(task->desired_status == TASK_STOPPED || (task->desired_status == TASK_RUNNING && status < TASK_DEACTIVATING));
}

void task_set_cause(struct task *task, struct stop_cause cause)
{
    ASSERT(task->desired_status == TASK_STOPPED);
    if (task->stop_code == TASK_STOP_CODE_UNSET) { task->stop_code = cause.code; }
    if (task->stopped_reason.len == 0) { task->stopped_reason = cause.reason; }
}

bool task_order_stop(struct task *task, struct stop_cause cause, int64_t now_ms)
{
    if (task->desired_status == TASK_STOPPED) { return false; }
    ASSERT(task->desired_status == TASK_RUNNING);
    ASSERT(task_is_live(task));
    task->desired_status = TASK_STOPPED;
    task->stopping_ms = now_ms;
    task_set_cause(task, cause);
    return true;
}

struct contact task_contact(const struct task *task, bool agent_connected, int64_t agent_came_ms)
{
    struct contact contact = { task->connectivity, task->connectivity_ms };
    if (!task_is_live(task) || id_is_zero(task->instance)) { return contact; }
    if (agent_came_ms > task->created_ms && agent_came_ms > contact.since_ms) { contact.since_ms = agent_came_ms; }
    contact.connectivity = !agent_connected ? CONNECTIVITY_DISCONNECTED : contact.since_ms > 0 ? CONNECTIVITY_CONNECTED : CONNECTIVITY_UNSET;
    return contact;
}

int64_t task_gpu_thousandths(const struct task *task)
{
    int64_t sum = 0;
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        sum += (int64_t)container->gpu_ids.count * gpu_share_of(container->gpu_share);
    }
    return sum;
}

#define AT(member) .offset = offsetof(struct task_container, member)
static const struct field task_container_fields[] = {
    { STR_INIT(""), 1, FIELD_I64,  AT(index) },
    { STR_INIT(""), 2, FIELD_ENUM, AT(status), .names = &task_status_names },
    { STR_INIT(""), 3, FIELD_INT,  AT(exit_code) },
    { STR_INIT(""), 4, FIELD_STR,  AT(reason) },
    { STR_INIT(""), 5, FIELD_STR,  AT(runtime_id) },
    { STR_INIT(""), 6, FIELD_STR,  AT(image_digest) },
    { STR_INIT(""), 7, FIELD_LIST, AT(gpu_ids), .element = FIELD_STR },
    { STR_INIT(""), 8, FIELD_LIST, AT(bindings), .element = FIELD_STRUCT, .schema = &network_binding_schema },
    { STR_INIT(""), 9, FIELD_I64,  AT(gpu_share) },
    { STR_INIT(""), 10, FIELD_LIST, AT(managed_agents), .element = FIELD_STRUCT, .schema = &managed_agent_schema },
    { STR_INIT(""), 11, FIELD_ENUM, AT(health), .names = &health_status_names },
};
#undef AT
static const struct schema task_container_record = SCHEMA_OF("task container", struct task_container, task_container_fields);

#define AT(member) .offset = offsetof(struct task_gang, member)
static const struct field task_gang_fields[] = {
    { STR_INIT(""), 1, FIELD_ID,  AT(first) },
    { STR_INIT(""), 2, FIELD_I64, AT(rank) },
    { STR_INIT(""), 3, FIELD_I64, AT(size) },
};
#undef AT
static const struct schema task_gang_record = SCHEMA_OF("task gang", struct task_gang, task_gang_fields);

#define AT(member) .offset = offsetof(struct task_placing, member)
static const struct field task_placing_fields[] = {
    { STR_INIT(""), 1, FIELD_BOOL, AT(named) },
    { STR_INIT(""), 2, FIELD_LIST, AT(strategies), .element = FIELD_STRUCT, .schema = &placement_strategy_schema },
    { STR_INIT(""), 3, FIELD_LIST, AT(constraints), .element = FIELD_STRUCT, .schema = &placement_constraint_schema },
};
#undef AT
static const struct schema task_placing_record = SCHEMA_OF("task placing", struct task_placing, task_placing_fields);

#define AT(member) .offset = offsetof(struct task_interface, member)
static const struct field task_interface_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(subnet) },
    { STR_INIT(""), 2, FIELD_STR, AT(address) },
    { STR_INIT(""), 3, FIELD_STR, AT(mac_address) },
};
#undef AT
static const struct schema task_interface_record = SCHEMA_OF("task interface", struct task_interface, task_interface_fields);

/* The id has no tag: it is the record's key. The first fifteen tags, which take one byte, go to what every task has. */
#define AT(member) .offset = offsetof(struct task, member)
static const struct field task_fields[] = {
    { STR_INIT(""),  1, FIELD_I64,    AT(cluster_number) },
    { STR_INIT(""),  2, FIELD_STR,    AT(family) },
    { STR_INIT(""),  3, FIELD_I64,    AT(revision) },
    { STR_INIT(""),  4, FIELD_ID,     AT(instance) },
    { STR_INIT(""),  5, FIELD_ENUM,   AT(last_status), .names = &task_status_names },
    { STR_INIT(""),  6, FIELD_ENUM,   AT(desired_status), .names = &task_status_names },
    { STR_INIT(""),  7, FIELD_STR,    AT(group) },
    { STR_INIT(""),  8, FIELD_STR,    AT(started_by) },
    { STR_INIT(""),  9, FIELD_ENUM,   AT(launch_type), .names = &launch_type_names },
    { STR_INIT(""), 10, FIELD_I64,    AT(cpu) },
    { STR_INIT(""), 11, FIELD_I64,    AT(memory_mib) },
    { STR_INIT(""), 12, FIELD_LIST,   AT(ports), .element = FIELD_INT },
    { STR_INIT(""), 13, FIELD_LIST,   AT(containers), .element = FIELD_STRUCT, .schema = &task_container_record },
    { STR_INIT(""), 14, FIELD_I64,    AT(version) },
    { STR_INIT(""), 15, FIELD_I64,    AT(created_ms) },
    { STR_INIT(""), 16, FIELD_STR,    AT(reference_id) },
    { STR_INIT(""), 17, FIELD_STRUCT, AT(overrides), .schema = &task_override_schema },
    { STR_INIT(""), 18, FIELD_LIST,   AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 19, FIELD_BOOL,   AT(enable_execute_command) },
    { STR_INIT(""), 20, FIELD_ENUM,   AT(stop_code), .names = &task_stop_code_names },
    { STR_INIT(""), 21, FIELD_STR,    AT(stopped_reason) },
    { STR_INIT(""), 22, FIELD_I64,    AT(pull_started_ms) },
    { STR_INIT(""), 23, FIELD_I64,    AT(pull_stopped_ms) },
    { STR_INIT(""), 24, FIELD_I64,    AT(started_ms) },
    { STR_INIT(""), 25, FIELD_I64,    AT(stopping_ms) },
    { STR_INIT(""), 26, FIELD_I64,    AT(execution_stopped_ms) },
    { STR_INIT(""), 27, FIELD_I64,    AT(stopped_ms) },
    { STR_INIT(""), 28, FIELD_I64,    AT(connectivity_ms) },
    { STR_INIT(""), 29, FIELD_ENUM,   AT(connectivity), .names = &connectivity_names },
    { STR_INIT(""), 30, FIELD_STR,    AT(client_token) },
    { STR_INIT(""), 31, FIELD_I64,    AT(request_hash) },
    { STR_INIT(""), 32, FIELD_LIST,   AT(tags_at_stop), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 33, FIELD_I64,    AT(interfaces) },
    { STR_INIT(""), 34, FIELD_STRUCT, AT(gang), .schema = &task_gang_record },
    { STR_INIT(""), 35, FIELD_STRUCT, AT(placing), .schema = &task_placing_record },
    { STR_INIT(""), 36, FIELD_STRUCT, AT(interface), .schema = &task_interface_record },
};
#undef AT
const struct schema task_record = SCHEMA_OF("task", struct task, task_fields);

/* The same bytes, fewer members. */
#define AT(member) .offset = offsetof(struct task_container, member)
static const struct field task_container_key_fields[] = {
    { STR_INIT(""), 7, FIELD_LIST, AT(gpu_ids), .element = FIELD_STR },
    { STR_INIT(""), 9, FIELD_I64,  AT(gpu_share) },
};
#undef AT
static const struct schema task_container_key_record =
    SCHEMA_OF("task container", struct task_container, task_container_key_fields);

#define AT(member) .offset = offsetof(struct task, member)
static const struct field task_key_fields[] = {
    { STR_INIT(""),  1, FIELD_I64,    AT(cluster_number) },
    { STR_INIT(""),  2, FIELD_STR,    AT(family) },
    { STR_INIT(""),  4, FIELD_ID,     AT(instance) },
    { STR_INIT(""),  5, FIELD_ENUM,   AT(last_status), .names = &task_status_names },
    { STR_INIT(""),  6, FIELD_ENUM,   AT(desired_status), .names = &task_status_names },
    { STR_INIT(""),  7, FIELD_STR,    AT(group) },
    { STR_INIT(""),  8, FIELD_STR,    AT(started_by) },
    { STR_INIT(""), 10, FIELD_I64,    AT(cpu) },
    { STR_INIT(""), 11, FIELD_I64,    AT(memory_mib) },
    { STR_INIT(""), 12, FIELD_LIST,   AT(ports), .element = FIELD_INT },
    { STR_INIT(""), 13, FIELD_LIST,   AT(containers), .element = FIELD_STRUCT, .schema = &task_container_key_record },
    { STR_INIT(""), 27, FIELD_I64,    AT(stopped_ms) },
    { STR_INIT(""), 30, FIELD_STR,    AT(client_token) },
    { STR_INIT(""), 33, FIELD_I64,    AT(interfaces) },
};
#undef AT
const struct schema task_key_record = SCHEMA_OF("task", struct task, task_key_fields);
