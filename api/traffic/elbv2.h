/* elbv2.h: what the files of Elastic Load Balancing's calls share. Private to api/traffic/. */
#ifndef BERTH_API_TRAFFIC_ELBV2_H
#define BERTH_API_TRAFFIC_ELBV2_H

#include "api/aws/elbv2.h"
#include "api/traffic/traffic.h"

enum { ELB_PAGE_MAX = 400, ELB_SHOWN_MAX = 300 };

/* ELB's default limits, except that it has 50 load balancers of each type, and the 100 rules for a whole load balancer: nobody could raise them here. */
enum {
    ELB_BALANCERS_MAX = 500, ELB_GROUPS_MAX = 3000,
    ELB_LISTENERS_MAX = 50, ELB_CERTIFICATES_MAX = 25, ELB_RULES_MAX = 100,      /* of a load balancer, of a listener without the default ones */
    ELB_ACTION_GROUPS_MAX = 5, ELB_CONDITION_VALUES_MAX = 5,                     /* of an action, of a rule */
};
/* Whether one more has room beside `count`. */
bool elb_check_room(size_t count, size_t most, enum err_code code, const char *noun, struct err *err);

/* ---- finding: NULL and *err where there is none ---- */
const struct kept_group    *elb_find_group(struct op_ctx *ctx, struct str arn, struct err *err);
const struct kept_balancer *elb_find_balancer(struct op_ctx *ctx, struct str arn, struct err *err);
const struct kept_listener *elb_find_listener(struct op_ctx *ctx, struct str arn, const struct kept_balancer **balancer, struct err *err);
const struct kept_rule     *elb_find_rule(struct op_ctx *ctx, struct str arn, const struct kept_balancer **balancer, struct err *err);
/* The rules of a listener by priority; in the context's arena. */
size_t elb_rules(struct op_ctx *ctx, const struct kept_listener *listener, struct kept_rule **rules);
struct str elb_new_id(struct op_ctx *ctx);                                 /* 16 hex digits */

/* ---- checks ---- */
/* 1 to 32 letters, digits and hyphens, none at the ends. `noun`: "target group", "load balancer". */
bool elb_check_name(struct str name, const char *noun, struct err *err);
bool elb_check_tags(const struct tag_list *tags, struct err *err);
bool elb_policy_known(struct str name);                                    /* an SSL policy */
bool elb_same(struct op_ctx *ctx, const struct schema *schema, const void *a, const void *b);        /* all members that are kept */
/* One action that forwards, redirects or answers, to target groups that there are. `type`: of the load balancer. */
bool elb_check_actions(struct op_ctx *ctx, const struct elb_action_list *actions, enum elb_balancer_type type, struct err *err);

/* ---- attributes (attributes.c) ---- */
/* Those of a noun; `type`: one of the two. */
struct elb_attributes { const char *noun; const struct elb_attribute *rows; size_t count; enum elb_types type; };
/* Replaces the list in `set` by one with the changes. */
bool elb_set_attributes(struct op_ctx *ctx, const struct elb_attributes *known, struct elb_pair_list *set, const struct elb_pair_list *changes,
                        struct err *err);
/* All attributes: as they were set, or their defaults. */
void elb_show_attributes(struct op_ctx *ctx, const struct elb_attributes *known, const struct elb_pair_list *set, struct attributes_response *out);

/* ---- shown ---- */
void elb_show_listener(struct op_ctx *ctx, const struct kept_balancer *balancer, const struct kept_listener *kept, struct elb_listener *shown);

/* With its rules. */
void elb_drop_listener(struct op_ctx *ctx, const struct kept_listener *listener);

/* Whether a listener or a rule forwards to the group; and the load balancers that do. */
struct str_list elb_users_of(struct op_ctx *ctx, struct str group_arn);

/* ---- the operations, by file: rows of elbv2.c ---- */
#define ELB_OPERATION(name) bool name(struct op_ctx *ctx, const void *input, void *output, struct err *err)
/* groups.c */
ELB_OPERATION(op_create_target_group); ELB_OPERATION(op_describe_target_groups); ELB_OPERATION(op_modify_target_group);
ELB_OPERATION(op_delete_target_group);
ELB_OPERATION(op_modify_target_group_attributes); ELB_OPERATION(op_describe_target_group_attributes);
/* registering.c */
ELB_OPERATION(op_register_targets); ELB_OPERATION(op_deregister_targets); ELB_OPERATION(op_describe_target_health);
/* balancers.c */
ELB_OPERATION(op_create_load_balancer); ELB_OPERATION(op_describe_load_balancers); ELB_OPERATION(op_delete_load_balancer);
ELB_OPERATION(op_modify_load_balancer_attributes); ELB_OPERATION(op_describe_load_balancer_attributes); ELB_OPERATION(op_set_security_groups);
ELB_OPERATION(op_set_subnets); ELB_OPERATION(op_set_ip_address_type); ELB_OPERATION(op_describe_capacity_reservation);
/* listeners.c */
ELB_OPERATION(op_create_listener); ELB_OPERATION(op_describe_listeners); ELB_OPERATION(op_modify_listener); ELB_OPERATION(op_delete_listener);
ELB_OPERATION(op_describe_listener_attributes); ELB_OPERATION(op_modify_listener_attributes); ELB_OPERATION(op_add_listener_certificates);
ELB_OPERATION(op_remove_listener_certificates); ELB_OPERATION(op_describe_listener_certificates);
/* rules.c */
ELB_OPERATION(op_create_rule); ELB_OPERATION(op_describe_rules); ELB_OPERATION(op_modify_rule); ELB_OPERATION(op_delete_rule);
ELB_OPERATION(op_set_rule_priorities);

#endif
