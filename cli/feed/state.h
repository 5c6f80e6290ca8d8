/* state.h: the state of load balancers, as the server tells it to proxies (GET /berth/v1/target-groups): target groups with their
 * targets, and listeners with their rules; and names, as GET /berth/v1/names tells them. Members that no feed needs are left out.
 * Written by tools/shapes from cli/feed/state.shapes. */
#ifndef BERTH_CLI_FEED_STATE_H
#define BERTH_CLI_FEED_STATE_H

#include "model/schema.h"

struct feed_target {
    struct str number;
    struct str address;
    struct opt_int port;
    struct str task;
    struct str zone;
    struct str state;
    struct opt_int since;
};
struct feed_target_list { struct feed_target *items; size_t count; };
extern const struct schema feed_target_schema;

struct feed_check {
    enum opt_bool enabled;
    struct str protocol;
    struct str path;
    struct str port;
    struct opt_int interval_seconds;
    struct opt_int timeout_seconds;
    struct opt_int healthy;
    struct opt_int unhealthy;
    struct str codes;
};
struct feed_check_list { struct feed_check *items; size_t count; };
extern const struct schema feed_check_schema;

struct feed_group {
    struct str name;
    struct str protocol;
    struct str protocol_version;
    struct str algorithm;
    struct opt_int stickiness_seconds;
    struct opt_int slow_start_seconds;
    struct feed_check *health_check;
    struct feed_target_list targets;
};
struct feed_group_list { struct feed_group *items; size_t count; };
extern const struct schema feed_group_schema;

struct feed_choice {
    struct str group;
    struct opt_int weight;
};
struct feed_choice_list { struct feed_choice *items; size_t count; };
extern const struct schema feed_choice_schema;

/* A member is set when the type has it: groups and stickinessSeconds of forward, protocol to query of redirect, contentType and
 * body of fixed-response, status of both. */
struct feed_action {
    struct str type;
    struct feed_choice_list groups;
    struct opt_int stickiness_seconds;
    struct str protocol;
    struct str port;
    struct str host;
    struct str path;
    struct str query;
    struct opt_int status;
    struct str content_type;
    struct str body;
};
struct feed_action_list { struct feed_action *items; size_t count; };
extern const struct schema feed_action_schema;

struct feed_condition {
    struct str field;
    struct str header;
    struct str_list values;
};
struct feed_condition_list { struct feed_condition *items; size_t count; };
extern const struct schema feed_condition_schema;

struct feed_rule {
    struct str arn;
    struct opt_int priority;
    struct feed_condition_list conditions;
    struct feed_action *action;
};
struct feed_rule_list { struct feed_rule *items; size_t count; };
extern const struct schema feed_rule_schema;

struct feed_listener {
    struct str arn;
    struct str load_balancer;
    struct str type;
    struct opt_int port;
    struct str protocol;
    struct str_list certificates;
    struct feed_action *action;
    struct feed_rule_list rules;
};
struct feed_listener_list { struct feed_listener *items; size_t count; };
extern const struct schema feed_listener_schema;

/* In the order of name, address and port. port 0: the name has several. */
struct feed_name {
    struct str name;
    struct str address;
    struct opt_int port;
    struct str protocol;
};
struct feed_name_list { struct feed_name *items; size_t count; };
extern const struct schema feed_name_schema;

struct feed_state {
    struct opt_int revision;
    struct feed_group_list groups;
    struct feed_listener_list listeners;
    struct opt_int commit;
    struct feed_name_list names;
};
struct feed_state_list { struct feed_state *items; size_t count; };
extern const struct schema feed_state_schema;

#endif
