/* plain.h: records of IAM and EC2 that Berth keeps and shows for its clients: roles, instance profiles, security groups, VPCs and
 * subnets. They change nothing on machines. Written by tools/shapes from model/records/plain.shapes. */
#ifndef BERTH_MODEL_RECORDS_PLAIN_H
#define BERTH_MODEL_RECORDS_PLAIN_H

#include "model/ecs/common.h"

enum plain_kind { PLAIN_KIND_UNSET, PLAIN_KIND_ROLE, PLAIN_KIND_PROFILE, PLAIN_KIND_SECURITY_GROUP, PLAIN_KIND_VPC,
    PLAIN_KIND_SUBNET, PLAIN_KIND_COUNT };
extern const struct enum_names plain_kind_names;

struct iam_policy {
    struct str name;
    struct str document;
};
struct iam_policy_list { struct iam_policy *items; size_t count; };
extern const struct schema iam_policy_schema;

struct rule_group {
    struct str id;
    struct str owner;
};
struct rule_group_list { struct rule_group *items; size_t count; };
extern const struct schema rule_group_schema;

struct security_rule {
    struct str id;
    struct str group;
    struct str owner;
    enum opt_bool egress;
    struct str protocol;
    struct opt_int from_port;
    struct opt_int to_port;
    struct str cidr_ipv4;
    struct str cidr_ipv6;
    struct str prefix_list_id;
    struct rule_group *peers;
    struct str description;
    struct tag_list tags;
};
struct security_rule_list { struct security_rule *items; size_t count; };
extern const struct schema security_rule_schema;

struct kept_security_group {
    struct str vpc;
    struct str description;
    struct security_rule_list rules;
};
struct kept_security_group_list { struct kept_security_group *items; size_t count; };
extern const struct schema kept_security_group_record;

struct kept_vpc {
    struct str cidr;
    struct str tenancy;
    enum opt_bool dns_support;
    enum opt_bool dns_hostnames;
    enum opt_bool metrics;                   /* enableNetworkAddressUsageMetrics */
};
struct kept_vpc_list { struct kept_vpc *items; size_t count; };
extern const struct schema kept_vpc_record;

struct kept_subnet {
    struct str vpc;
    struct str cidr;
    struct str zone;
    enum opt_bool public_ip;                 /* mapPublicIpOnLaunch */
};
struct kept_subnet_list { struct kept_subnet *items; size_t count; };
extern const struct schema kept_subnet_record;

struct kept_plain {
    enum plain_kind kind;
    struct str id;                           /* with the kind the key: IAM's name, EC2's id */
    struct str name;                         /* of EC2's kinds that have one */
    struct tag_list tags;
    int64_t created_ms;
    struct str path;                         /* of a role or an instance profile */
    struct str description;
    struct str trust;                        /* the document that says who may have the role */
    int64_t session_s;                       /* MaxSessionDuration */
    struct str boundary;                     /* the ARN of the permissions boundary; absent: there is none */
    struct iam_policy_list inlined;          /* of a role */
    struct str_list attached;                /* ARNs */
    struct str_list roles;                   /* names, of an instance profile: 1 at most */
    struct kept_security_group *group;       /* of the kind alone, as the following */
    struct kept_vpc *vpc;
    struct kept_subnet *subnet;
};
struct kept_plain_list { struct kept_plain *items; size_t count; };
extern const struct schema kept_plain_record;

#endif
