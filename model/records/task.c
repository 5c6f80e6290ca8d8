/* Written by tools/shapes from model/records/task.shapes. */
#include "model/records/task.h"

#include "base/assert.h"

static const struct str task_status_words[] = { STR_INIT("PROVISIONING"), STR_INIT("PENDING"), STR_INIT("ACTIVATING"),
    STR_INIT("RUNNING"), STR_INIT("DEACTIVATING"), STR_INIT("STOPPING"), STR_INIT("DEPROVISIONING"), STR_INIT("STOPPED") };
const struct enum_names task_status_names = { task_status_words, COUNT_OF(task_status_words) };

#define AT(member) .offset = offsetof(struct task_container, member)
static const struct field task_container_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(index) },
    { STR_INIT(""), 2, FIELD_ENUM, AT(status), .names = &task_status_names },
    { STR_INIT(""), 3, FIELD_INT, AT(exit_code) },
    { STR_INIT(""), 4, FIELD_STR, AT(reason) },
    { STR_INIT(""), 5, FIELD_STR, AT(runtime_id) },
    { STR_INIT(""), 6, FIELD_STR, AT(image_digest) },
    { STR_INIT(""), 7, FIELD_LIST, AT(gpu_ids), .element = FIELD_STR },
    { STR_INIT(""), 8, FIELD_LIST, AT(bindings), .element = FIELD_STRUCT, .schema = &network_binding_schema },
    { STR_INIT(""), 9, FIELD_I64, AT(gpu_share) },
    { STR_INIT(""), 10, FIELD_LIST, AT(managed_agents), .element = FIELD_STRUCT, .schema = &managed_agent_schema },
    { STR_INIT(""), 11, FIELD_ENUM, AT(health), .names = &health_status_names },
};
#undef AT
const struct schema task_container_record = SCHEMA_OF("task container", struct task_container, task_container_record_fields);

#define AT(member) .offset = offsetof(struct task_gang, member)
static const struct field task_gang_record_fields[] = {
    { STR_INIT(""), 1, FIELD_ID, AT(first) },
    { STR_INIT(""), 2, FIELD_I64, AT(rank) },
    { STR_INIT(""), 3, FIELD_I64, AT(size) },
};
#undef AT
const struct schema task_gang_record = SCHEMA_OF("task gang", struct task_gang, task_gang_record_fields);

#define AT(member) .offset = offsetof(struct task_placing, member)
static const struct field task_placing_record_fields[] = {
    { STR_INIT(""), 1, FIELD_BOOL, AT(named) },
    { STR_INIT(""), 2, FIELD_LIST, AT(strategies), .element = FIELD_STRUCT, .schema = &placement_strategy_schema },
    { STR_INIT(""), 3, FIELD_LIST, AT(constraints), .element = FIELD_STRUCT, .schema = &placement_constraint_schema },
};
#undef AT
const struct schema task_placing_record = SCHEMA_OF("task placing", struct task_placing, task_placing_record_fields);

#define AT(member) .offset = offsetof(struct task_wait, member)
static const struct field task_wait_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(since_ms) },
    { STR_INIT(""), 2, FIELD_I64, AT(until_ms) },
    { STR_INIT(""), 3, FIELD_I64, AT(priority) },
    { STR_INIT(""), 4, FIELD_I64, AT(shape) },
    { STR_INIT(""), 5, FIELD_LIST, AT(gang), .element = FIELD_ID },
    { STR_INIT(""), 6, FIELD_BOOL, AT(replaces) },
    { STR_INIT(""), 7, FIELD_I64, AT(barred_ms) },
    { STR_INIT(""), 8, FIELD_I64, AT(none_before_ms) },
    { STR_INIT(""), 9, FIELD_ID, AT(place) },
    { STR_INIT(""), 10, FIELD_I64, AT(gpus) },
    { STR_INIT(""), 11, FIELD_I64, AT(patience_ms) },
    { STR_INIT(""), 12, FIELD_I64, AT(renewals) },
};
#undef AT
const struct schema task_wait_record = SCHEMA_OF("task wait", struct task_wait, task_wait_record_fields);

#define AT(member) .offset = offsetof(struct task_terms, member)
static const struct field task_terms_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(priority) },
    { STR_INIT(""), 2, FIELD_BOOL, AT(preemptible) },
    { STR_INIT(""), 3, FIELD_I64, AT(most_ms) },
    { STR_INIT(""), 4, FIELD_BOOL, AT(reserve) },
    { STR_INIT(""), 5, FIELD_I64, AT(retry) },
};
#undef AT
const struct schema task_terms_record = SCHEMA_OF("task terms", struct task_terms, task_terms_record_fields);

#define AT(member) .offset = offsetof(struct task_interface, member)
static const struct field task_interface_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(subnet) },
    { STR_INIT(""), 2, FIELD_STR, AT(address) },
    { STR_INIT(""), 3, FIELD_STR, AT(mac_address) },
};
#undef AT
const struct schema task_interface_record = SCHEMA_OF("task interface", struct task_interface, task_interface_record_fields);

#define AT(member) .offset = offsetof(struct task, member)
static const struct field task_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(cluster_number) },
    { STR_INIT(""), 2, FIELD_STR, AT(family) },
    { STR_INIT(""), 3, FIELD_I64, AT(revision) },
    { STR_INIT(""), 4, FIELD_ID, AT(instance) },
    { STR_INIT(""), 5, FIELD_ENUM, AT(last_status), .names = &task_status_names },
    { STR_INIT(""), 6, FIELD_ENUM, AT(desired_status), .names = &task_status_names },
    { STR_INIT(""), 7, FIELD_STR, AT(group) },
    { STR_INIT(""), 8, FIELD_STR, AT(started_by) },
    { STR_INIT(""), 9, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT(""), 10, FIELD_I64, AT(cpu) },
    { STR_INIT(""), 11, FIELD_I64, AT(memory_mib) },
    { STR_INIT(""), 12, FIELD_LIST, AT(ports), .element = FIELD_INT },
    { STR_INIT(""), 13, FIELD_LIST, AT(containers), .element = FIELD_STRUCT, .schema = &task_container_record },
    { STR_INIT(""), 14, FIELD_I64, AT(version) },
    { STR_INIT(""), 15, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 16, FIELD_STR, AT(reference_id) },
    { STR_INIT(""), 17, FIELD_STRUCT, AT(overrides), .schema = &task_override_schema },
    { STR_INIT(""), 18, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 19, FIELD_BOOL, AT(enable_execute_command) },
    { STR_INIT(""), 20, FIELD_ENUM, AT(stop_code), .names = &task_stop_code_names },
    { STR_INIT(""), 21, FIELD_STR, AT(stopped_reason) },
    { STR_INIT(""), 22, FIELD_I64, AT(pull_started_ms) },
    { STR_INIT(""), 23, FIELD_I64, AT(pull_stopped_ms) },
    { STR_INIT(""), 24, FIELD_I64, AT(started_ms) },
    { STR_INIT(""), 25, FIELD_I64, AT(stopping_ms) },
    { STR_INIT(""), 26, FIELD_I64, AT(execution_stopped_ms) },
    { STR_INIT(""), 27, FIELD_I64, AT(stopped_ms) },
    { STR_INIT(""), 28, FIELD_I64, AT(connectivity_ms) },
    { STR_INIT(""), 29, FIELD_ENUM, AT(connectivity), .names = &connectivity_names },
    { STR_INIT(""), 30, FIELD_STR, AT(client_token) },
    { STR_INIT(""), 31, FIELD_I64, AT(request_hash) },
    { STR_INIT(""), 32, FIELD_LIST, AT(tags_at_stop), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 33, FIELD_I64, AT(interfaces) },
    { STR_INIT(""), 34, FIELD_STRUCT, AT(gang), .schema = &task_gang_record },
    { STR_INIT(""), 35, FIELD_STRUCT, AT(placing), .schema = &task_placing_record },
    { STR_INIT(""), 36, FIELD_STRUCT, AT(interface), .schema = &task_interface_record },
    { STR_INIT(""), 37, FIELD_I64, AT(service) },
    { STR_INIT(""), 38, FIELD_I64, AT(deployment) },
    { STR_INIT(""), 39, FIELD_I64, AT(protected_until_ms) },
    { STR_INIT(""), 40, FIELD_I64, AT(checked) },
    { STR_INIT(""), 41, FIELD_BOOL, AT(keeps_place) },
    { STR_INIT(""), 42, FIELD_BOOL, AT(balanced) },
    { STR_INIT(""), 43, FIELD_STRUCT, AT(wait), .schema = &task_wait_record },
    { STR_INIT(""), 44, FIELD_STR, AT(capacity_provider) },
    { STR_INIT(""), 45, FIELD_BOOL, AT(of_daemon) },
    { STR_INIT(""), 46, FIELD_STRUCT, AT(terms), .schema = &task_terms_record },
    { STR_INIT(""), 47, FIELD_LIST, AT(stopped_for), .element = FIELD_ID },
    { STR_INIT(""), 48, FIELD_I64, AT(placed_ms) },
    { STR_INIT(""), 49, FIELD_I64, AT(asked_gpus) },
};
#undef AT
const struct schema task_record = SCHEMA_OF("task", struct task, task_record_fields);

#define AT(member) .offset = offsetof(struct task, member)
static const struct field task_key_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(cluster_number) },
    { STR_INIT(""), 2, FIELD_STR, AT(family) },
    { STR_INIT(""), 4, FIELD_ID, AT(instance) },
    { STR_INIT(""), 5, FIELD_ENUM, AT(last_status), .names = &task_status_names },
    { STR_INIT(""), 6, FIELD_ENUM, AT(desired_status), .names = &task_status_names },
    { STR_INIT(""), 7, FIELD_STR, AT(group) },
    { STR_INIT(""), 8, FIELD_STR, AT(started_by) },
    { STR_INIT(""), 10, FIELD_I64, AT(cpu) },
    { STR_INIT(""), 11, FIELD_I64, AT(memory_mib) },
    { STR_INIT(""), 12, FIELD_LIST, AT(ports), .element = FIELD_INT },
    { STR_INIT(""), 13, FIELD_LIST, AT(containers), .element = FIELD_STRUCT, .schema = &task_container_key_record },
    { STR_INIT(""), 24, FIELD_I64, AT(started_ms) },
    { STR_INIT(""), 27, FIELD_I64, AT(stopped_ms) },
    { STR_INIT(""), 30, FIELD_STR, AT(client_token) },
    { STR_INIT(""), 33, FIELD_I64, AT(interfaces) },
    { STR_INIT(""), 37, FIELD_I64, AT(service) },
    { STR_INIT(""), 38, FIELD_I64, AT(deployment) },
    { STR_INIT(""), 39, FIELD_I64, AT(protected_until_ms) },
    { STR_INIT(""), 40, FIELD_I64, AT(checked) },
    { STR_INIT(""), 41, FIELD_BOOL, AT(keeps_place) },
    { STR_INIT(""), 42, FIELD_BOOL, AT(balanced) },
    { STR_INIT(""), 46, FIELD_STRUCT, AT(terms), .schema = &task_terms_record },
};
#undef AT
const struct schema task_key_record = SCHEMA_OF("task", struct task, task_key_record_fields);

#define AT(member) .offset = offsetof(struct task_container, member)
static const struct field task_container_key_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(index) },
    { STR_INIT(""), 7, FIELD_LIST, AT(gpu_ids), .element = FIELD_STR },
    { STR_INIT(""), 9, FIELD_I64, AT(gpu_share) },
    { STR_INIT(""), 11, FIELD_ENUM, AT(health), .names = &health_status_names },
};
#undef AT
const struct schema task_container_key_record = SCHEMA_OF("task container", struct task_container,
    task_container_key_record_fields);
