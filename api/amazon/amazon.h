/* amazon.h: IAM and EC2 as clients that manage infrastructure see them: plain records (model/records/plain.shapes), checked, limited, kept and shown.
 * Private to api/amazon/. */
#ifndef BERTH_API_AMAZON_AMAZON_H
#define BERTH_API_AMAZON_AMAZON_H

#include "api/core/api.h"
#include "api/core/support.h"

enum { AMAZON_SHOWN_MAX = 128 };                                   /* bytes of a caller's text in a message */
#define AMAZON_SHOWN(text) STR_ARG(str_slice(text, 0, AMAZON_SHOWN_MAX))

#define AMAZON_OPERATION(name) bool name(struct op_ctx *ctx, const void *input, void *output, struct err *err)

/* ---- amazon.c ---- */
bool amazon_check_tags(const struct tag_list *tags, enum err_code code, struct err *err);
/* The list with the changes. */
struct tag_list amazon_change_tags(struct op_ctx *ctx, const struct tag_list *tags, const struct tag_list *added, const struct str_list *removed);
struct tag_list amazon_shown_tags(const struct tag_list *tags);     /* never absent */
struct str      amazon_encode(struct str text, struct arena *arena);       /* as RFC 3986 has it: IAM's documents are shown so */

/* ---- roles.c ---- */
const struct kept_plain *iam_find_role(struct op_ctx *ctx, struct str name, struct err *err);      /* NULL and ERR_IAM_NOT_FOUND */
struct iam_role;
void iam_show_role(struct op_ctx *ctx, const struct kept_plain *role, struct iam_role *shown);
bool iam_check_path(struct str path, struct err *err);                      /* absent, or between slashes */
bool iam_check_name(struct str name, const char *member, struct err *err);
bool iam_has_room(struct op_ctx *ctx, enum plain_kind kind, size_t most, const char *quota, struct err *err);
struct kept_plain_list iam_profiles_of(struct op_ctx *ctx, struct str role);       /* that have the role */
AMAZON_OPERATION(op_create_role); AMAZON_OPERATION(op_get_role); AMAZON_OPERATION(op_list_roles); AMAZON_OPERATION(op_delete_role);
AMAZON_OPERATION(op_update_role); AMAZON_OPERATION(op_update_role_description); AMAZON_OPERATION(op_update_assume_role_policy);
AMAZON_OPERATION(op_put_role_permissions_boundary); AMAZON_OPERATION(op_delete_role_permissions_boundary);
AMAZON_OPERATION(op_put_role_policy); AMAZON_OPERATION(op_get_role_policy); AMAZON_OPERATION(op_delete_role_policy);
AMAZON_OPERATION(op_list_role_policies);
AMAZON_OPERATION(op_attach_role_policy); AMAZON_OPERATION(op_detach_role_policy); AMAZON_OPERATION(op_list_attached_role_policies);

/* ---- ec2.c ---- */
struct ec2_filter_list;
struct tag_specification_list;
typedef struct str ec2_fact(const struct kept_plain *plain);
struct ec2_filter_row { struct str name; ec2_fact *fact; };                 /* a filter, and what its values are compared with */
struct ec2_filters { const struct ec2_filter_row *rows; size_t count; const struct ec2_filter_list *given; };       /* tag:KEY and tag-key always are filters */
bool ec2_check_filters(const struct ec2_filters *filters, struct err *err); /* are all known? */
bool ec2_passes(const struct ec2_filters *filters, const struct kept_plain *plain);
struct str ec2_id_of(const struct kept_plain *plain);
struct str ec2_new_id(struct op_ctx *ctx, const char *prefix);              /* "sg-" and 17 hexadecimal digits */
bool ec2_has_room(struct op_ctx *ctx, enum plain_kind kind, size_t most, const char *noun, struct err *err);
/* All tags of the specifications. False: one is for another type of resource. */
bool ec2_take_tags(struct op_ctx *ctx, const struct tag_specification_list *specifications, struct str type, struct tag_list *tags, struct err *err);
/* Puts into *items, in `arena`, those of the ids, or when there are no ids all of the kind; only those that pass. False: one is not there, and its `code`. */
struct ec2_search { enum plain_kind kind; const struct str_list *ids; struct ec2_filters filters; enum err_code code; const char *noun; };
bool ec2_search(struct op_ctx *ctx, const struct ec2_search *search, struct kept_plain_list *found, struct err *err);
const struct kept_plain *ec2_find(struct op_ctx *ctx, enum plain_kind kind, struct str id, enum err_code code, const char *noun, struct err *err);

/* ---- security_groups.c, security_rules.c ---- */
struct ip_permission_list;
/* The rules that the permissions mean, each with one source. */
bool security_rules_of(struct op_ctx *ctx, const struct ip_permission_list *permissions, bool egress, struct security_rule_list *rules, struct err *err);
bool security_rule_same(const struct security_rule *a, const struct security_rule *b);
struct ip_permission_list security_permissions(struct op_ctx *ctx, const struct kept_plain *group, bool egress);    /* for DescribeSecurityGroups */
const struct kept_plain *security_group_find(struct op_ctx *ctx, struct str id, struct err *err);
AMAZON_OPERATION(op_create_security_group); AMAZON_OPERATION(op_describe_security_groups); AMAZON_OPERATION(op_delete_security_group);
AMAZON_OPERATION(op_authorize_ingress); AMAZON_OPERATION(op_authorize_egress); AMAZON_OPERATION(op_revoke_ingress); AMAZON_OPERATION(op_revoke_egress);
AMAZON_OPERATION(op_describe_security_group_rules); AMAZON_OPERATION(op_modify_security_group_rules);
AMAZON_OPERATION(op_update_ingress_descriptions); AMAZON_OPERATION(op_update_egress_descriptions);

/* ---- templates.c ---- */
AMAZON_OPERATION(op_create_launch_template); AMAZON_OPERATION(op_create_launch_template_version); AMAZON_OPERATION(op_modify_launch_template);
AMAZON_OPERATION(op_describe_launch_templates); AMAZON_OPERATION(op_describe_launch_template_versions);
AMAZON_OPERATION(op_delete_launch_template); AMAZON_OPERATION(op_delete_launch_template_versions);

/* ---- networks.c ---- */
AMAZON_OPERATION(op_create_vpc); AMAZON_OPERATION(op_describe_vpcs); AMAZON_OPERATION(op_delete_vpc);
AMAZON_OPERATION(op_describe_vpc_attribute); AMAZON_OPERATION(op_modify_vpc_attribute);
AMAZON_OPERATION(op_create_subnet); AMAZON_OPERATION(op_describe_subnets); AMAZON_OPERATION(op_delete_subnet); AMAZON_OPERATION(op_modify_subnet_attribute);
AMAZON_OPERATION(op_describe_availability_zones); AMAZON_OPERATION(op_describe_nothing);

#endif
