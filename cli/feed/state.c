/* Written by tools/shapes from cli/feed/state.shapes. */
#include "cli/feed/state.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct feed_target, member)
static const struct field feed_target_schema_fields[] = {
    { STR_INIT("number"), 0, FIELD_STR, AT(number), .min = 16, .max = 16, .required = true },
    { STR_INIT("address"), 0, FIELD_STR, AT(address) },
    { STR_INIT("port"), 0, FIELD_INT, AT(port) },
    { STR_INIT("task"), 0, FIELD_STR, AT(task) },
    { STR_INIT("zone"), 0, FIELD_STR, AT(zone) },
    { STR_INIT("state"), 0, FIELD_STR, AT(state) },
    { STR_INIT("since"), 0, FIELD_LONG, AT(since) },
};
#undef AT
const struct schema feed_target_schema = SCHEMA_OF("Target", struct feed_target, feed_target_schema_fields);

#define AT(member) .offset = offsetof(struct feed_check, member)
static const struct field feed_check_schema_fields[] = {
    { STR_INIT("enabled"), 0, FIELD_BOOL, AT(enabled) },
    { STR_INIT("protocol"), 0, FIELD_STR, AT(protocol) },
    { STR_INIT("path"), 0, FIELD_STR, AT(path) },
    { STR_INIT("port"), 0, FIELD_STR, AT(port) },
    { STR_INIT("intervalSeconds"), 0, FIELD_INT, AT(interval_seconds) },
    { STR_INIT("timeoutSeconds"), 0, FIELD_INT, AT(timeout_seconds) },
    { STR_INIT("healthy"), 0, FIELD_INT, AT(healthy) },
    { STR_INIT("unhealthy"), 0, FIELD_INT, AT(unhealthy) },
    { STR_INIT("codes"), 0, FIELD_STR, AT(codes) },
};
#undef AT
const struct schema feed_check_schema = SCHEMA_OF("HealthCheck", struct feed_check, feed_check_schema_fields);

#define AT(member) .offset = offsetof(struct feed_group, member)
static const struct field feed_group_schema_fields[] = {
    { STR_INIT("name"), 0, FIELD_STR, AT(name), .min = 1, .max = 128, .required = true },
    { STR_INIT("protocol"), 0, FIELD_STR, AT(protocol) },
    { STR_INIT("protocolVersion"), 0, FIELD_STR, AT(protocol_version) },
    { STR_INIT("algorithm"), 0, FIELD_STR, AT(algorithm) },
    { STR_INIT("stickinessSeconds"), 0, FIELD_INT, AT(stickiness_seconds) },
    { STR_INIT("slowStartSeconds"), 0, FIELD_INT, AT(slow_start_seconds) },
    { STR_INIT("healthCheck"), 0, FIELD_STRUCT, AT(health_check), .schema = &feed_check_schema },
    { STR_INIT("targets"), 0, FIELD_LIST, AT(targets), .element = FIELD_STRUCT, .schema = &feed_target_schema },
};
#undef AT
const struct schema feed_group_schema = SCHEMA_OF("Group", struct feed_group, feed_group_schema_fields);

#define AT(member) .offset = offsetof(struct feed_choice, member)
static const struct field feed_choice_schema_fields[] = {
    { STR_INIT("group"), 0, FIELD_STR, AT(group) },
    { STR_INIT("weight"), 0, FIELD_INT, AT(weight) },
};
#undef AT
const struct schema feed_choice_schema = SCHEMA_OF("Choice", struct feed_choice, feed_choice_schema_fields);

#define AT(member) .offset = offsetof(struct feed_action, member)
static const struct field feed_action_schema_fields[] = {
    { STR_INIT("type"), 0, FIELD_STR, AT(type) },
    { STR_INIT("groups"), 0, FIELD_LIST, AT(groups), .element = FIELD_STRUCT, .schema = &feed_choice_schema },
    { STR_INIT("stickinessSeconds"), 0, FIELD_INT, AT(stickiness_seconds) },
    { STR_INIT("protocol"), 0, FIELD_STR, AT(protocol) },
    { STR_INIT("port"), 0, FIELD_STR, AT(port) },
    { STR_INIT("host"), 0, FIELD_STR, AT(host) },
    { STR_INIT("path"), 0, FIELD_STR, AT(path) },
    { STR_INIT("query"), 0, FIELD_STR, AT(query) },
    { STR_INIT("status"), 0, FIELD_INT, AT(status) },
    { STR_INIT("contentType"), 0, FIELD_STR, AT(content_type) },
    { STR_INIT("body"), 0, FIELD_STR, AT(body) },
};
#undef AT
const struct schema feed_action_schema = SCHEMA_OF("Action", struct feed_action, feed_action_schema_fields);

#define AT(member) .offset = offsetof(struct feed_condition, member)
static const struct field feed_condition_schema_fields[] = {
    { STR_INIT("field"), 0, FIELD_STR, AT(field) },
    { STR_INIT("header"), 0, FIELD_STR, AT(header) },
    { STR_INIT("values"), 0, FIELD_LIST, AT(values), .element = FIELD_STR },
};
#undef AT
const struct schema feed_condition_schema = SCHEMA_OF("Condition", struct feed_condition, feed_condition_schema_fields);

#define AT(member) .offset = offsetof(struct feed_rule, member)
static const struct field feed_rule_schema_fields[] = {
    { STR_INIT("arn"), 0, FIELD_STR, AT(arn), .required = true },
    { STR_INIT("priority"), 0, FIELD_INT, AT(priority) },
    { STR_INIT("conditions"), 0, FIELD_LIST, AT(conditions), .element = FIELD_STRUCT, .schema = &feed_condition_schema },
    { STR_INIT("action"), 0, FIELD_STRUCT, AT(action), .schema = &feed_action_schema, .required = true },
};
#undef AT
const struct schema feed_rule_schema = SCHEMA_OF("Rule", struct feed_rule, feed_rule_schema_fields);

#define AT(member) .offset = offsetof(struct feed_listener, member)
static const struct field feed_listener_schema_fields[] = {
    { STR_INIT("arn"), 0, FIELD_STR, AT(arn), .required = true },
    { STR_INIT("loadBalancer"), 0, FIELD_STR, AT(load_balancer) },
    { STR_INIT("type"), 0, FIELD_STR, AT(type) },
    { STR_INIT("port"), 0, FIELD_INT, AT(port) },
    { STR_INIT("protocol"), 0, FIELD_STR, AT(protocol) },
    { STR_INIT("certificates"), 0, FIELD_LIST, AT(certificates), .element = FIELD_STR },
    { STR_INIT("action"), 0, FIELD_STRUCT, AT(action), .schema = &feed_action_schema, .required = true },
    { STR_INIT("rules"), 0, FIELD_LIST, AT(rules), .element = FIELD_STRUCT, .schema = &feed_rule_schema },
};
#undef AT
const struct schema feed_listener_schema = SCHEMA_OF("Listener", struct feed_listener, feed_listener_schema_fields);

#define AT(member) .offset = offsetof(struct feed_name, member)
static const struct field feed_name_schema_fields[] = {
    { STR_INIT("name"), 0, FIELD_STR, AT(name), .required = true },
    { STR_INIT("address"), 0, FIELD_STR, AT(address) },
    { STR_INIT("port"), 0, FIELD_INT, AT(port) },
    { STR_INIT("protocol"), 0, FIELD_STR, AT(protocol) },
};
#undef AT
const struct schema feed_name_schema = SCHEMA_OF("Name", struct feed_name, feed_name_schema_fields);

#define AT(member) .offset = offsetof(struct feed_state, member)
static const struct field feed_state_schema_fields[] = {
    { STR_INIT("revision"), 0, FIELD_LONG, AT(revision), .required = true },
    { STR_INIT("groups"), 0, FIELD_LIST, AT(groups), .element = FIELD_STRUCT, .schema = &feed_group_schema },
    { STR_INIT("listeners"), 0, FIELD_LIST, AT(listeners), .element = FIELD_STRUCT, .schema = &feed_listener_schema },
    { STR_INIT("commit"), 0, FIELD_LONG, AT(commit) },
    { STR_INIT("names"), 0, FIELD_LIST, AT(names), .element = FIELD_STRUCT, .schema = &feed_name_schema },
};
#undef AT
const struct schema feed_state_schema = SCHEMA_OF("State", struct feed_state, feed_state_schema_fields);
