/* plain.h: records of IAM, EC2 and CloudWatch Logs that Berth keeps and shows for its clients: roles, instance profiles, security
 * groups, launch templates, VPCs, subnets and log groups. They change nothing on machines, except launch templates, which say to
 * provisioners which machines a group wants. Written by tools/shapes from model/records/plain.shapes. */
#ifndef BERTH_MODEL_RECORDS_PLAIN_H
#define BERTH_MODEL_RECORDS_PLAIN_H

#include "model/ecs/capacity.h"

enum plain_kind { PLAIN_KIND_UNSET, PLAIN_KIND_ROLE, PLAIN_KIND_PROFILE, PLAIN_KIND_SECURITY_GROUP, PLAIN_KIND_VPC,
    PLAIN_KIND_SUBNET, PLAIN_KIND_TEMPLATE, PLAIN_KIND_TEMPLATE_VERSION, PLAIN_KIND_LOG_GROUP, PLAIN_KIND_COUNT };
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

struct template_profile {
    struct str arn;
    struct str name;
};
struct template_profile_list { struct template_profile *items; size_t count; };
extern const struct schema template_profile_schema;

struct template_disk {
    enum opt_bool encrypted;
    enum opt_bool delete_on_termination;
    struct opt_int iops;
    struct str kms_key_id;
    struct str snapshot_id;
    struct opt_int volume_size;
    struct str volume_type;
    struct opt_int throughput;
};
struct template_disk_list { struct template_disk *items; size_t count; };
extern const struct schema template_disk_schema;

struct template_device {
    struct str device_name;
    struct str virtual_name;
    struct template_disk *ebs;
    struct str no_device;
};
struct template_device_list { struct template_device *items; size_t count; };
extern const struct schema template_device_schema;

struct template_monitoring {
    enum opt_bool enabled;
};
struct template_monitoring_list { struct template_monitoring *items; size_t count; };
extern const struct schema template_monitoring_schema;

struct template_tags {
    struct str resource_type;
    struct tag_list tags;
};
struct template_tags_list { struct template_tags *items; size_t count; };
extern const struct schema template_tags_schema;

struct template_spot {
    struct str max_price;
    struct str spot_instance_type;
    struct opt_int block_duration_minutes;
    struct str instance_interruption_behavior;
};
struct template_spot_list { struct template_spot *items; size_t count; };
extern const struct schema template_spot_schema;

struct template_market {
    struct str market_type;
    struct template_spot *spot;
};
struct template_market_list { struct template_market *items; size_t count; };
extern const struct schema template_market_schema;

struct template_credit {
    struct str cpu_credits;
};
struct template_credit_list { struct template_credit *items; size_t count; };
extern const struct schema template_credit_schema;

struct template_cpu {
    struct opt_int core_count;
    struct opt_int threads_per_core;
};
struct template_cpu_list { struct template_cpu *items; size_t count; };
extern const struct schema template_cpu_schema;

struct template_metadata {
    struct str http_tokens;
    struct opt_int http_put_response_hop_limit;
    struct str http_endpoint;
    struct str http_protocol_ipv6;
    struct str instance_metadata_tags;
};
struct template_metadata_list { struct template_metadata *items; size_t count; };
extern const struct schema template_metadata_schema;

/* The members of ECS's instance requirements, as EC2 calls them. */
extern const struct schema template_requirements_schema;

struct launch_template_data {
    enum opt_bool ebs_optimized;
    struct template_profile *profile;
    struct template_device_list devices;
    struct str image_id;
    struct str instance_type;
    struct str key_name;
    struct template_monitoring *monitoring;
    enum opt_bool disable_api_termination;
    enum opt_bool disable_api_stop;
    struct str shutdown;
    struct str user_data;
    struct template_tags_list tags;
    struct template_market *market;
    struct template_credit *credit;
    struct template_cpu *cpu;
    struct template_metadata *metadata;
    struct str_list group_ids;
    struct str_list group_names;
    struct instance_requirements_request *requirements;
};
struct launch_template_data_list { struct launch_template_data *items; size_t count; };
extern const struct schema launch_template_data_schema;

struct kept_template {
    int64_t default_version;
    int64_t latest_version;
    struct str token;                        /* of the CreateLaunchTemplate that made it */
};
struct kept_template_list { struct kept_template *items; size_t count; };
extern const struct schema kept_template_record;

struct kept_template_version {
    int64_t number;
    struct str description;
    struct str token;
    struct launch_template_data *data;
};
struct kept_template_version_list { struct kept_template_version *items; size_t count; };
extern const struct schema kept_template_version_record;

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
    struct kept_template *template;
    struct kept_template_version *version;   /* its id is the template's, a slash and 8 digits */
};
struct kept_plain_list { struct kept_plain *items; size_t count; };
extern const struct schema kept_plain_record;

#endif
