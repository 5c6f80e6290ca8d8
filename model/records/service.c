/* Written by tools/shapes from model/records/service.shapes. */
#include "model/records/service.h"

#include "base/assert.h"

static const struct str service_status_words[] = { STR_INIT("ACTIVE"), STR_INIT("DRAINING"), STR_INIT("INACTIVE") };
const struct enum_names service_status_names = { service_status_words, COUNT_OF(service_status_words) };

static const struct str deployment_status_words[] = { STR_INIT("PRIMARY"), STR_INIT("ACTIVE"), STR_INIT("DRAINING"),
    STR_INIT("INACTIVE") };
const struct enum_names deployment_status_names = { deployment_status_words, COUNT_OF(deployment_status_words) };

static const struct str event_cause_words[] = { STR_INIT("STEADY"), STR_INIT("STUCK"), STR_INIT("PROTECTED"), STR_INIT("UNABLE"),
    STR_INIT("NO_ROOM"), STR_INIT("UNBALANCED"), STR_INIT("ZONE_FULL"), STR_INIT("ZONE_PROTECTED"), STR_INIT("SOME_ROOM"),
    STR_INIT("DRAIN"), STR_INIT("GAVE_UP"), STR_INIT("LIMIT"), STR_INIT("THROTTLED") };
const struct enum_names event_cause_names = { event_cause_words, COUNT_OF(event_cause_words) };

#define AT(member) .offset = offsetof(struct event_mark, member)
static const struct field event_mark_record_fields[] = {
    { STR_INIT(""), 1, FIELD_ENUM, AT(cause), .names = &event_cause_names },
    { STR_INIT(""), 2, FIELD_I64, AT(last_ms) },
};
#undef AT
const struct schema event_mark_record = SCHEMA_OF("event mark", struct event_mark, event_mark_record_fields);

#define AT(member) .offset = offsetof(struct kept_place, member)
static const struct field kept_place_record_fields[] = {
    { STR_INIT(""), 1, FIELD_ID, AT(task) },
    { STR_INIT(""), 2, FIELD_I64, AT(until_ms) },
};
#undef AT
const struct schema kept_place_record = SCHEMA_OF("kept place", struct kept_place, kept_place_record_fields);

#define AT(member) .offset = offsetof(struct early_pull, member)
static const struct field early_pull_record_fields[] = {
    { STR_INIT(""), 1, FIELD_ID, AT(instance) },
    { STR_INIT(""), 2, FIELD_I64, AT(revision) },
    { STR_INIT(""), 3, FIELD_I64, AT(since_ms) },
    { STR_INIT(""), 4, FIELD_BOOL, AT(ended) },
};
#undef AT
const struct schema early_pull_record = SCHEMA_OF("early pull", struct early_pull, early_pull_record_fields);

#define AT(member) .offset = offsetof(struct managed_daemon, member)
static const struct field managed_daemon_record_fields[] = {
    { STR_INIT(""), 1, FIELD_DOUBLE, AT(drain_percent) },
    { STR_INIT(""), 2, FIELD_I64, AT(updated_ms) },
};
#undef AT
const struct schema managed_daemon_record = SCHEMA_OF("managed daemon", struct managed_daemon, managed_daemon_record_fields);

#define AT(member) .offset = offsetof(struct daemon_revision_part, member)
static const struct field daemon_revision_part_record_fields[] = {
    { STR_INIT(""), 1, FIELD_LIST, AT(providers), .element = FIELD_STR },
    { STR_INIT(""), 2, FIELD_BOOL, AT(propagate_tags) },
    { STR_INIT(""), 3, FIELD_BOOL, AT(managed_tags) },
    { STR_INIT(""), 4, FIELD_BOOL, AT(execute_command) },
};
#undef AT
const struct schema daemon_revision_part_record = SCHEMA_OF("daemon revision", struct daemon_revision_part,
    daemon_revision_part_record_fields);

#define AT(member) .offset = offsetof(struct service, member)
static const struct field service_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(number) },
    { STR_INIT(""), 2, FIELD_I64, AT(cluster_number) },
    { STR_INIT(""), 3, FIELD_STR, AT(name) },
    { STR_INIT(""), 4, FIELD_ENUM, AT(status), .names = &service_status_names },
    { STR_INIT(""), 5, FIELD_ENUM, AT(controller), .names = &deployment_controller_type_names },
    { STR_INIT(""), 6, FIELD_ENUM, AT(scheduling), .names = &scheduling_strategy_names },
    { STR_INIT(""), 7, FIELD_I64, AT(desired_count) },
    { STR_INIT(""), 8, FIELD_I64, AT(revision) },
    { STR_INIT(""), 9, FIELD_STRUCT, AT(configuration), .schema = &deployment_configuration_schema },
    { STR_INIT(""), 10, FIELD_LIST, AT(placement_constraints), .element = FIELD_STRUCT, .schema = &placement_constraint_schema },
    { STR_INIT(""), 11, FIELD_LIST, AT(placement_strategy), .element = FIELD_STRUCT, .schema = &placement_strategy_schema },
    { STR_INIT(""), 12, FIELD_I64, AT(grace_period) },
    { STR_INIT(""), 13, FIELD_ENUM, AT(zone_rebalancing), .names = &availability_zone_rebalancing_names },
    { STR_INIT(""), 14, FIELD_ENUM, AT(propagate_tags), .names = &propagate_tags_names },
    { STR_INIT(""), 15, FIELD_BOOL, AT(managed_tags) },
    { STR_INIT(""), 16, FIELD_BOOL, AT(execute_command) },
    { STR_INIT(""), 17, FIELD_ENUM, AT(created_launch_type), .names = &launch_type_names },
    { STR_INIT(""), 18, FIELD_STR, AT(role) },
    { STR_INIT(""), 19, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 20, FIELD_LIST, AT(marks), .element = FIELD_STRUCT, .schema = &event_mark_record },
    { STR_INIT(""), 21, FIELD_STR, AT(client_token) },
    { STR_INIT(""), 22, FIELD_I64, AT(request_hash) },
    { STR_INIT(""), 23, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 24, FIELD_STR, AT(created_by) },
    { STR_INIT(""), 25, FIELD_I64, AT(deleted_ms) },
    { STR_INIT(""), 26, FIELD_ID, AT(last_service_deployment) },
    { STR_INIT(""), 27, FIELD_LIST, AT(kept_places), .element = FIELD_STRUCT, .schema = &kept_place_record },
    { STR_INIT(""), 28, FIELD_BOOL, AT(zone_rebalancing_given) },
    { STR_INIT(""), 29, FIELD_LIST, AT(early_pulls), .element = FIELD_STRUCT, .schema = &early_pull_record },
    { STR_INIT(""), 30, FIELD_STR, AT(infrastructure_role) },
    { STR_INIT(""), 31, FIELD_STRUCT, AT(daemon), .schema = &managed_daemon_record },
};
#undef AT
const struct schema service_record = SCHEMA_OF("service", struct service, service_record_fields);

#define AT(member) .offset = offsetof(struct service_events, member)
static const struct field service_events_record_fields[] = {
    { STR_INIT(""), 1, FIELD_LIST, AT(events), .element = FIELD_STRUCT, .schema = &service_event_schema },
};
#undef AT
const struct schema service_events_record = SCHEMA_OF("service events", struct service_events, service_events_record_fields);

#define AT(member) .offset = offsetof(struct service_revision, member)
static const struct field service_revision_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(digits) },
    { STR_INIT(""), 2, FIELD_I64, AT(service) },
    { STR_INIT(""), 3, FIELD_STR, AT(family) },
    { STR_INIT(""), 4, FIELD_I64, AT(revision) },
    { STR_INIT(""), 5, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT(""), 6, FIELD_LIST, AT(capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema },
    { STR_INIT(""), 7, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT(""), 8, FIELD_LIST, AT(load_balancers), .element = FIELD_STRUCT, .schema = &load_balancer_schema },
    { STR_INIT(""), 9, FIELD_LIST, AT(service_registries), .element = FIELD_STRUCT, .schema = &service_registry_schema },
    { STR_INIT(""), 10, FIELD_STRUCT, AT(service_connect_configuration), .schema = &service_connect_configuration_schema },
    { STR_INIT(""), 11, FIELD_STRUCT, AT(monitoring), .schema = &monitoring_configuration_schema },
    { STR_INIT(""), 12, FIELD_LIST, AT(container_images), .element = FIELD_STRUCT, .schema = &container_image_schema },
    { STR_INIT(""), 13, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 14, FIELD_STRUCT, AT(daemon), .schema = &daemon_revision_part_record },
};
#undef AT
const struct schema service_revision_record = SCHEMA_OF("service revision", struct service_revision,
    service_revision_record_fields);

#define AT(member) .offset = offsetof(struct task_set_part, member)
static const struct field task_set_part_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(external_id) },
    { STR_INIT(""), 2, FIELD_STR, AT(started_by) },
    { STR_INIT(""), 3, FIELD_I64, AT(scale) },
    { STR_INIT(""), 4, FIELD_I64, AT(computed) },
    { STR_INIT(""), 5, FIELD_ENUM, AT(stability), .names = &stability_status_names },
    { STR_INIT(""), 6, FIELD_I64, AT(stability_since_ms) },
    { STR_INIT(""), 7, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 8, FIELD_STR, AT(client_token) },
    { STR_INIT(""), 9, FIELD_I64, AT(request_hash) },
};
#undef AT
const struct schema task_set_part_record = SCHEMA_OF("task set", struct task_set_part, task_set_part_record_fields);

#define AT(member) .offset = offsetof(struct kept_deployment, member)
static const struct field kept_deployment_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(digits) },
    { STR_INIT(""), 2, FIELD_I64, AT(service) },
    { STR_INIT(""), 3, FIELD_ENUM, AT(status), .names = &deployment_status_names },
    { STR_INIT(""), 4, FIELD_ENUM, AT(rollout), .names = &deployment_rollout_state_names },
    { STR_INIT(""), 5, FIELD_BOOL, AT(rolled_back_to) },
    { STR_INIT(""), 6, FIELD_I64, AT(wanted) },
    { STR_INIT(""), 7, FIELD_I64, AT(failed) },
    { STR_INIT(""), 8, FIELD_I64, AT(unstarted) },
    { STR_INIT(""), 9, FIELD_I64, AT(crashed) },
    { STR_INIT(""), 10, FIELD_I64, AT(next_start_ms) },
    { STR_INIT(""), 11, FIELD_I64, AT(no_room_ms) },
    { STR_INIT(""), 12, FIELD_STR, AT(rollout_reason) },
    { STR_INIT(""), 13, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 14, FIELD_I64, AT(updated_ms) },
    { STR_INIT(""), 15, FIELD_I64, AT(rolled_back_ms) },
    { STR_INIT(""), 16, FIELD_STRUCT, AT(task_set), .schema = &task_set_part_record },
    { STR_INIT(""), 17, FIELD_STR, AT(last_failure) },
    { STR_INIT(""), 18, FIELD_I64, AT(progressed_ms) },
    { STR_INIT(""), 19, FIELD_I64, AT(production) },
    { STR_INIT(""), 20, FIELD_I64, AT(test) },
    { STR_INIT(""), 21, FIELD_BOOL, AT(alternate) },
    { STR_INIT(""), 22, FIELD_STR, AT(gave_up) },
};
#undef AT
const struct schema kept_deployment_record = SCHEMA_OF("deployment", struct kept_deployment, kept_deployment_record_fields);

#define AT(member) .offset = offsetof(struct revision_count, member)
static const struct field revision_count_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(digits) },
    { STR_INIT(""), 2, FIELD_I64, AT(requested) },
    { STR_INIT(""), 3, FIELD_I64, AT(running) },
    { STR_INIT(""), 4, FIELD_I64, AT(pending) },
    { STR_INIT(""), 5, FIELD_I64, AT(production) },
    { STR_INIT(""), 6, FIELD_I64, AT(test) },
};
#undef AT
const struct schema revision_count_record = SCHEMA_OF("revision count", struct revision_count, revision_count_record_fields);

#define AT(member) .offset = offsetof(struct kept_hook, member)
static const struct field kept_hook_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(id) },
    { STR_INIT(""), 2, FIELD_I64, AT(place) },
    { STR_INIT(""), 3, FIELD_ENUM, AT(status), .names = &deployment_lifecycle_hook_status_names },
    { STR_INIT(""), 4, FIELD_I64, AT(expires_ms) },
    { STR_INIT(""), 5, FIELD_I64, AT(call_ms) },
    { STR_INIT(""), 6, FIELD_I64, AT(calls) },
    { STR_INIT(""), 7, FIELD_I64, AT(failed_calls) },
    { STR_INIT(""), 8, FIELD_JSON, AT(details) },
    { STR_INIT(""), 9, FIELD_STR, AT(reason) },
};
#undef AT
const struct schema kept_hook_record = SCHEMA_OF("hook", struct kept_hook, kept_hook_record_fields);

#define AT(member) .offset = offsetof(struct kept_check, member)
static const struct field kept_check_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(url) },
    { STR_INIT(""), 2, FIELD_ENUM, AT(state), .names = &alarm_state_names },
    { STR_INIT(""), 3, FIELD_I64, AT(call_ms) },
    { STR_INIT(""), 4, FIELD_I64, AT(calls) },
    { STR_INIT(""), 5, FIELD_I64, AT(failed_calls) },
};
#undef AT
const struct schema kept_check_record = SCHEMA_OF("check", struct kept_check, kept_check_record_fields);

#define AT(member) .offset = offsetof(struct service_rollback, member)
static const struct field service_rollback_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(reason) },
    { STR_INIT(""), 2, FIELD_I64, AT(started_ms) },
    { STR_INIT(""), 3, FIELD_I64, AT(digits) },
};
#undef AT
const struct schema service_rollback_record = SCHEMA_OF("rollback", struct service_rollback, service_rollback_record_fields);

#define AT(member) .offset = offsetof(struct service_deployment, member)
static const struct field service_deployment_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(service) },
    { STR_INIT(""), 2, FIELD_ENUM, AT(status), .names = &service_deployment_status_names },
    { STR_INIT(""), 3, FIELD_STR, AT(status_reason) },
    { STR_INIT(""), 4, FIELD_ENUM, AT(stage), .names = &service_deployment_lifecycle_stage_names },
    { STR_INIT(""), 5, FIELD_I64, AT(stage_since_ms) },
    { STR_INIT(""), 6, FIELD_STRUCT, AT(target), .schema = &revision_count_record },
    { STR_INIT(""), 7, FIELD_LIST, AT(sources), .element = FIELD_STRUCT, .schema = &revision_count_record },
    { STR_INIT(""), 8, FIELD_STRUCT, AT(configuration), .schema = &deployment_configuration_schema },
    { STR_INIT(""), 9, FIELD_STRUCT, AT(rollback), .schema = &service_rollback_record },
    { STR_INIT(""), 10, FIELD_ENUM, AT(breaker), .names = &service_deployment_rollback_monitors_status_names },
    { STR_INIT(""), 11, FIELD_I64, AT(failures) },
    { STR_INIT(""), 12, FIELD_I64, AT(failure_threshold) },
    { STR_INIT(""), 13, FIELD_ENUM, AT(alarms), .names = &service_deployment_rollback_monitors_status_names },
    { STR_INIT(""), 14, FIELD_LIST, AT(triggered_alarms), .element = FIELD_STR },
    { STR_INIT(""), 15, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 16, FIELD_I64, AT(started_ms) },
    { STR_INIT(""), 17, FIELD_I64, AT(finished_ms) },
    { STR_INIT(""), 18, FIELD_I64, AT(stopped_ms) },
    { STR_INIT(""), 19, FIELD_I64, AT(updated_ms) },
    { STR_INIT(""), 20, FIELD_LIST, AT(armed_alarms), .element = FIELD_STR },
    { STR_INIT(""), 21, FIELD_BOOL, AT(before_shift) },
    { STR_INIT(""), 22, FIELD_I64, AT(step) },
    { STR_INIT(""), 23, FIELD_I64, AT(blue) },
    { STR_INIT(""), 24, FIELD_BOOL, AT(blue_stops) },
    { STR_INIT(""), 25, FIELD_LIST, AT(hooks), .element = FIELD_STRUCT, .schema = &kept_hook_record },
    { STR_INIT(""), 26, FIELD_LIST, AT(checks), .element = FIELD_STRUCT, .schema = &kept_check_record },
    { STR_INIT(""), 27, FIELD_I64, AT(verdict) },
    { STR_INIT(""), 28, FIELD_DOUBLE, AT(drain_percent) },
};
#undef AT
const struct schema service_deployment_record = SCHEMA_OF("service deployment", struct service_deployment,
    service_deployment_record_fields);
