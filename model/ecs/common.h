/* common.h: the small shapes of the ECS API that several resources share, as the wire names them. Members are in the order of the
 * API model; a record tag is the place in that order and never changes. tests/contract compares these tables with the model of an
 * installed SDK. Written by tools/shapes from model/ecs/common.shapes. */
#ifndef BERTH_MODEL_ECS_COMMON_H
#define BERTH_MODEL_ECS_COMMON_H

#include "model/schema.h"

struct tag {
    struct str key;
    struct str value;
};
struct tag_list { struct tag *items; size_t count; };
extern const struct schema tag_schema;

struct key_value_pair {
    struct str name;
    struct str value;
};
struct key_value_pair_list { struct key_value_pair *items; size_t count; };
extern const struct schema key_value_pair_schema;

enum target_type { TARGET_TYPE_UNSET, TARGET_TYPE_CONTAINER_INSTANCE, TARGET_TYPE_COUNT };
extern const struct enum_names target_type_names;

struct attribute {
    struct str name;
    struct str value;
    enum target_type target_type;
    struct str target_id;
};
struct attribute_list { struct attribute *items; size_t count; };
extern const struct schema attribute_schema;

struct attachment {
    struct str id;
    struct str type;
    struct str status;
    struct key_value_pair_list details;
};
struct attachment_list { struct attachment *items; size_t count; };
extern const struct schema attachment_schema;

struct failure {
    struct str arn;
    struct str reason;
    struct str detail;
};
struct failure_list { struct failure *items; size_t count; };
extern const struct schema failure_schema;

struct resource {
    struct str name;
    struct str type;
    struct opt_double double_value;
    struct opt_int long_value;
    struct opt_int integer_value;
    struct str_list string_set_value;
};
struct resource_list { struct resource *items; size_t count; };
extern const struct schema resource_schema;

enum platform_device_type { PLATFORM_DEVICE_TYPE_UNSET, PLATFORM_DEVICE_TYPE_GPU, PLATFORM_DEVICE_TYPE_NEURON_DEVICE,
    PLATFORM_DEVICE_TYPE_COUNT };
extern const struct enum_names platform_device_type_names;

struct platform_device {
    struct str id;
    enum platform_device_type type;
};
struct platform_device_list { struct platform_device *items; size_t count; };
extern const struct schema platform_device_schema;

struct version_info {
    struct str agent_version;
    struct str agent_hash;
    struct str docker_version;
};
struct version_info_list { struct version_info *items; size_t count; };
extern const struct schema version_info_schema;

enum transport_protocol { TRANSPORT_PROTOCOL_UNSET, TRANSPORT_PROTOCOL_TCP, TRANSPORT_PROTOCOL_UDP, TRANSPORT_PROTOCOL_COUNT };
extern const struct enum_names transport_protocol_names;

struct network_binding {
    struct str bind_ip;
    struct opt_int container_port;
    struct opt_int host_port;
    enum transport_protocol protocol;
    struct str container_port_range;
    struct str host_port_range;
};
struct network_binding_list { struct network_binding *items; size_t count; };
extern const struct schema network_binding_schema;

struct network_interface {
    struct str attachment_id;
    struct str private_ipv4_address;
    struct str ipv6_address;
};
struct network_interface_list { struct network_interface *items; size_t count; };
extern const struct schema network_interface_schema;

enum managed_agent_name { MANAGED_AGENT_NAME_UNSET, MANAGED_AGENT_NAME_EXECUTECOMMANDAGENT, MANAGED_AGENT_NAME_COUNT };
extern const struct enum_names managed_agent_name_names;

struct managed_agent {
    int64_t last_started_at;
    enum managed_agent_name name;
    struct str reason;
    struct str last_status;
};
struct managed_agent_list { struct managed_agent *items; size_t count; };
extern const struct schema managed_agent_schema;

enum placement_constraint_type { PLACEMENT_CONSTRAINT_TYPE_UNSET, PLACEMENT_CONSTRAINT_TYPE_DISTINCTINSTANCE,
    PLACEMENT_CONSTRAINT_TYPE_MEMBEROF, PLACEMENT_CONSTRAINT_TYPE_COUNT };
extern const struct enum_names placement_constraint_type_names;

struct placement_constraint {
    enum placement_constraint_type type;
    struct str expression;
};
struct placement_constraint_list { struct placement_constraint *items; size_t count; };
extern const struct schema placement_constraint_schema;

enum placement_strategy_type { PLACEMENT_STRATEGY_TYPE_UNSET, PLACEMENT_STRATEGY_TYPE_RANDOM, PLACEMENT_STRATEGY_TYPE_SPREAD,
    PLACEMENT_STRATEGY_TYPE_BINPACK, PLACEMENT_STRATEGY_TYPE_COUNT };
extern const struct enum_names placement_strategy_type_names;

struct placement_strategy {
    enum placement_strategy_type type;
    struct str field;
};
struct placement_strategy_list { struct placement_strategy *items; size_t count; };
extern const struct schema placement_strategy_schema;

struct capacity_provider_strategy_item {
    struct str capacity_provider;
    struct opt_int weight;
    struct opt_int base;
};
struct capacity_provider_strategy_item_list { struct capacity_provider_strategy_item *items; size_t count; };
extern const struct schema capacity_provider_strategy_item_schema;

enum assign_public_ip { ASSIGN_PUBLIC_IP_UNSET, ASSIGN_PUBLIC_IP_ENABLED, ASSIGN_PUBLIC_IP_DISABLED, ASSIGN_PUBLIC_IP_COUNT };
extern const struct enum_names assign_public_ip_names;

struct aws_vpc_configuration {
    struct str_list subnets;
    struct str_list security_groups;
    enum assign_public_ip assign_public_ip;
};
struct aws_vpc_configuration_list { struct aws_vpc_configuration *items; size_t count; };
extern const struct schema aws_vpc_configuration_schema;

struct network_configuration {
    struct aws_vpc_configuration *awsvpc_configuration;
};
struct network_configuration_list { struct network_configuration *items; size_t count; };
extern const struct schema network_configuration_schema;

struct ephemeral_storage {
    struct opt_int size_in_gib;
};
struct ephemeral_storage_list { struct ephemeral_storage *items; size_t count; };
extern const struct schema ephemeral_storage_schema;

/* GPU_MEMORY is Berth's own. */
enum resource_type { RESOURCE_TYPE_UNSET, RESOURCE_TYPE_GPU, RESOURCE_TYPE_INFERENCEACCELERATOR, RESOURCE_TYPE_NEURONDEVICE,
    RESOURCE_TYPE_GPU_MEMORY, RESOURCE_TYPE_COUNT };
extern const struct enum_names resource_type_names;

struct resource_requirement {
    struct str value;
    enum resource_type type;
};
struct resource_requirement_list { struct resource_requirement *items; size_t count; };
extern const struct schema resource_requirement_schema;

enum environment_file_type { ENVIRONMENT_FILE_TYPE_UNSET, ENVIRONMENT_FILE_TYPE_S3, ENVIRONMENT_FILE_TYPE_COUNT };
extern const struct enum_names environment_file_type_names;

struct environment_file {
    struct str value;
    enum environment_file_type type;
};
struct environment_file_list { struct environment_file *items; size_t count; };
extern const struct schema environment_file_schema;

struct inference_accelerator {
    struct str device_name;
    struct str device_type;
};
struct inference_accelerator_list { struct inference_accelerator *items; size_t count; };
extern const struct schema inference_accelerator_schema;

#endif
