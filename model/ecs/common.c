/* Written by tools/shapes from model/ecs/common.shapes. */
#include "model/ecs/common.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct tag, member)
static const struct field tag_schema_fields[] = {
    { STR_INIT("key"), 1, FIELD_STR, AT(key), .min = 1, .max = 512 },
    { STR_INIT("value"), 2, FIELD_STR, AT(value), .max = 1024 },
};
#undef AT
const struct schema tag_schema = SCHEMA_OF("Tag", struct tag, tag_schema_fields);

#define AT(member) .offset = offsetof(struct key_value_pair, member)
static const struct field key_value_pair_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name) },
    { STR_INIT("value"), 2, FIELD_STR, AT(value) },
};
#undef AT
const struct schema key_value_pair_schema = SCHEMA_OF("KeyValuePair", struct key_value_pair, key_value_pair_schema_fields);

static const struct str target_type_words[] = { STR_INIT("container-instance") };
const struct enum_names target_type_names = { target_type_words, COUNT_OF(target_type_words) };

#define AT(member) .offset = offsetof(struct attribute, member)
static const struct field attribute_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name), .required = true },
    { STR_INIT("value"), 2, FIELD_STR, AT(value) },
    { STR_INIT("targetType"), 3, FIELD_ENUM, AT(target_type), .names = &target_type_names },
    { STR_INIT("targetId"), 4, FIELD_STR, AT(target_id) },
};
#undef AT
const struct schema attribute_schema = SCHEMA_OF("Attribute", struct attribute, attribute_schema_fields);

#define AT(member) .offset = offsetof(struct attachment, member)
static const struct field attachment_schema_fields[] = {
    { STR_INIT("id"), 1, FIELD_STR, AT(id) },
    { STR_INIT("type"), 2, FIELD_STR, AT(type) },
    { STR_INIT("status"), 3, FIELD_STR, AT(status) },
    { STR_INIT("details"), 4, FIELD_LIST, AT(details), .element = FIELD_STRUCT, .schema = &key_value_pair_schema },
};
#undef AT
const struct schema attachment_schema = SCHEMA_OF("Attachment", struct attachment, attachment_schema_fields);

#define AT(member) .offset = offsetof(struct failure, member)
static const struct field failure_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("reason"), 2, FIELD_STR, AT(reason) },
    { STR_INIT("detail"), 3, FIELD_STR, AT(detail) },
};
#undef AT
const struct schema failure_schema = SCHEMA_OF("Failure", struct failure, failure_schema_fields);

#define AT(member) .offset = offsetof(struct resource, member)
static const struct field resource_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name) },
    { STR_INIT("type"), 2, FIELD_STR, AT(type) },
    { STR_INIT("doubleValue"), 3, FIELD_DOUBLE, AT(double_value), .always = true },
    { STR_INIT("longValue"), 4, FIELD_LONG, AT(long_value), .always = true },
    { STR_INIT("integerValue"), 5, FIELD_INT, AT(integer_value), .always = true },
    { STR_INIT("stringSetValue"), 6, FIELD_LIST, AT(string_set_value), .element = FIELD_STR },
};
#undef AT
const struct schema resource_schema = SCHEMA_OF("Resource", struct resource, resource_schema_fields);

static const struct str platform_device_type_words[] = { STR_INIT("GPU"), STR_INIT("NEURON_DEVICE") };
const struct enum_names platform_device_type_names = { platform_device_type_words, COUNT_OF(platform_device_type_words) };

#define AT(member) .offset = offsetof(struct platform_device, member)
static const struct field platform_device_schema_fields[] = {
    { STR_INIT("id"), 1, FIELD_STR, AT(id), .required = true },
    { STR_INIT("type"), 2, FIELD_ENUM, AT(type), .names = &platform_device_type_names, .required = true },
};
#undef AT
const struct schema platform_device_schema = SCHEMA_OF("PlatformDevice", struct platform_device, platform_device_schema_fields);

#define AT(member) .offset = offsetof(struct version_info, member)
static const struct field version_info_schema_fields[] = {
    { STR_INIT("agentVersion"), 1, FIELD_STR, AT(agent_version) },
    { STR_INIT("agentHash"), 2, FIELD_STR, AT(agent_hash) },
    { STR_INIT("dockerVersion"), 3, FIELD_STR, AT(docker_version) },
};
#undef AT
const struct schema version_info_schema = SCHEMA_OF("VersionInfo", struct version_info, version_info_schema_fields);

static const struct str transport_protocol_words[] = { STR_INIT("tcp"), STR_INIT("udp") };
const struct enum_names transport_protocol_names = { transport_protocol_words, COUNT_OF(transport_protocol_words) };

#define AT(member) .offset = offsetof(struct network_binding, member)
static const struct field network_binding_schema_fields[] = {
    { STR_INIT("bindIP"), 1, FIELD_STR, AT(bind_ip) },
    { STR_INIT("containerPort"), 2, FIELD_INT, AT(container_port) },
    { STR_INIT("hostPort"), 3, FIELD_INT, AT(host_port) },
    { STR_INIT("protocol"), 4, FIELD_ENUM, AT(protocol), .names = &transport_protocol_names },
    { STR_INIT("containerPortRange"), 5, FIELD_STR, AT(container_port_range) },
    { STR_INIT("hostPortRange"), 6, FIELD_STR, AT(host_port_range) },
};
#undef AT
const struct schema network_binding_schema = SCHEMA_OF("NetworkBinding", struct network_binding, network_binding_schema_fields);

#define AT(member) .offset = offsetof(struct network_interface, member)
static const struct field network_interface_schema_fields[] = {
    { STR_INIT("attachmentId"), 1, FIELD_STR, AT(attachment_id) },
    { STR_INIT("privateIpv4Address"), 2, FIELD_STR, AT(private_ipv4_address) },
    { STR_INIT("ipv6Address"), 3, FIELD_STR, AT(ipv6_address) },
};
#undef AT
const struct schema network_interface_schema = SCHEMA_OF("NetworkInterface", struct network_interface,
    network_interface_schema_fields);

static const struct str managed_agent_name_words[] = { STR_INIT("ExecuteCommandAgent") };
const struct enum_names managed_agent_name_names = { managed_agent_name_words, COUNT_OF(managed_agent_name_words) };

#define AT(member) .offset = offsetof(struct managed_agent, member)
static const struct field managed_agent_schema_fields[] = {
    { STR_INIT("lastStartedAt"), 1, FIELD_TIME, AT(last_started_at) },
    { STR_INIT("name"), 2, FIELD_ENUM, AT(name), .names = &managed_agent_name_names },
    { STR_INIT("reason"), 3, FIELD_STR, AT(reason) },
    { STR_INIT("lastStatus"), 4, FIELD_STR, AT(last_status) },
};
#undef AT
const struct schema managed_agent_schema = SCHEMA_OF("ManagedAgent", struct managed_agent, managed_agent_schema_fields);

static const struct str placement_constraint_type_words[] = { STR_INIT("distinctInstance"), STR_INIT("memberOf") };
const struct enum_names placement_constraint_type_names = { placement_constraint_type_words,
    COUNT_OF(placement_constraint_type_words) };

#define AT(member) .offset = offsetof(struct placement_constraint, member)
static const struct field placement_constraint_schema_fields[] = {
    { STR_INIT("type"), 1, FIELD_ENUM, AT(type), .names = &placement_constraint_type_names },
    { STR_INIT("expression"), 2, FIELD_STR, AT(expression), .max = 2000 },
};
#undef AT
const struct schema placement_constraint_schema = SCHEMA_OF("PlacementConstraint", struct placement_constraint,
    placement_constraint_schema_fields);

static const struct str placement_strategy_type_words[] = { STR_INIT("random"), STR_INIT("spread"), STR_INIT("binpack") };
const struct enum_names placement_strategy_type_names = { placement_strategy_type_words,
    COUNT_OF(placement_strategy_type_words) };

#define AT(member) .offset = offsetof(struct placement_strategy, member)
static const struct field placement_strategy_schema_fields[] = {
    { STR_INIT("type"), 1, FIELD_ENUM, AT(type), .names = &placement_strategy_type_names },
    { STR_INIT("field"), 2, FIELD_STR, AT(field) },
};
#undef AT
const struct schema placement_strategy_schema = SCHEMA_OF("PlacementStrategy", struct placement_strategy,
    placement_strategy_schema_fields);

#define AT(member) .offset = offsetof(struct capacity_provider_strategy_item, member)
static const struct field capacity_provider_strategy_item_schema_fields[] = {
    { STR_INIT("capacityProvider"), 1, FIELD_STR, AT(capacity_provider), .required = true },
    { STR_INIT("weight"), 2, FIELD_INT, AT(weight), .max = 1000 },
    { STR_INIT("base"), 3, FIELD_INT, AT(base), .max = 100000 },
};
#undef AT
const struct schema capacity_provider_strategy_item_schema = SCHEMA_OF("CapacityProviderStrategyItem",
    struct capacity_provider_strategy_item, capacity_provider_strategy_item_schema_fields);

static const struct str assign_public_ip_words[] = { STR_INIT("ENABLED"), STR_INIT("DISABLED") };
const struct enum_names assign_public_ip_names = { assign_public_ip_words, COUNT_OF(assign_public_ip_words) };

#define AT(member) .offset = offsetof(struct aws_vpc_configuration, member)
static const struct field aws_vpc_configuration_schema_fields[] = {
    { STR_INIT("subnets"), 1, FIELD_LIST, AT(subnets), .element = FIELD_STR, .max = 16, .required = true },
    { STR_INIT("securityGroups"), 2, FIELD_LIST, AT(security_groups), .element = FIELD_STR, .max = 5 },
    { STR_INIT("assignPublicIp"), 3, FIELD_ENUM, AT(assign_public_ip), .names = &assign_public_ip_names },
};
#undef AT
const struct schema aws_vpc_configuration_schema = SCHEMA_OF("AwsVpcConfiguration", struct aws_vpc_configuration,
    aws_vpc_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct network_configuration, member)
static const struct field network_configuration_schema_fields[] = {
    { STR_INIT("awsvpcConfiguration"), 1, FIELD_STRUCT, AT(awsvpc_configuration), .schema = &aws_vpc_configuration_schema },
};
#undef AT
const struct schema network_configuration_schema = SCHEMA_OF("NetworkConfiguration", struct network_configuration,
    network_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct ephemeral_storage, member)
static const struct field ephemeral_storage_schema_fields[] = {
    { STR_INIT("sizeInGiB"), 1, FIELD_INT, AT(size_in_gib), .min = 21, .max = 200, .required = true, .always = true },
};
#undef AT
const struct schema ephemeral_storage_schema = SCHEMA_OF("EphemeralStorage", struct ephemeral_storage,
    ephemeral_storage_schema_fields);

static const struct str resource_type_words[] = { STR_INIT("GPU"), STR_INIT("InferenceAccelerator"), STR_INIT("NeuronDevice"),
    STR_INIT("GPU_MEMORY") };
const struct enum_names resource_type_names = { resource_type_words, COUNT_OF(resource_type_words) };

#define AT(member) .offset = offsetof(struct resource_requirement, member)
static const struct field resource_requirement_schema_fields[] = {
    { STR_INIT("value"), 1, FIELD_STR, AT(value), .required = true },
    { STR_INIT("type"), 2, FIELD_ENUM, AT(type), .names = &resource_type_names, .required = true },
};
#undef AT
const struct schema resource_requirement_schema = SCHEMA_OF("ResourceRequirement", struct resource_requirement,
    resource_requirement_schema_fields);

static const struct str environment_file_type_words[] = { STR_INIT("s3") };
const struct enum_names environment_file_type_names = { environment_file_type_words, COUNT_OF(environment_file_type_words) };

#define AT(member) .offset = offsetof(struct environment_file, member)
static const struct field environment_file_schema_fields[] = {
    { STR_INIT("value"), 1, FIELD_STR, AT(value), .required = true },
    { STR_INIT("type"), 2, FIELD_ENUM, AT(type), .names = &environment_file_type_names, .required = true },
};
#undef AT
const struct schema environment_file_schema = SCHEMA_OF("EnvironmentFile", struct environment_file,
    environment_file_schema_fields);

#define AT(member) .offset = offsetof(struct inference_accelerator, member)
static const struct field inference_accelerator_schema_fields[] = {
    { STR_INIT("deviceName"), 1, FIELD_STR, AT(device_name), .required = true },
    { STR_INIT("deviceType"), 2, FIELD_STR, AT(device_type), .required = true },
};
#undef AT
const struct schema inference_accelerator_schema = SCHEMA_OF("InferenceAccelerator", struct inference_accelerator,
    inference_accelerator_schema_fields);
