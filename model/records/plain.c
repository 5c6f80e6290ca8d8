/* Written by tools/shapes from model/records/plain.shapes. */
#include "model/records/plain.h"

#include "base/assert.h"

static const struct str plain_kind_words[] = { STR_INIT("role"), STR_INIT("profile"), STR_INIT("security_group"), STR_INIT("vpc"),
    STR_INIT("subnet"), STR_INIT("launch_template"), STR_INIT("template_version"), STR_INIT("log_group") };
const struct enum_names plain_kind_names = { plain_kind_words, COUNT_OF(plain_kind_words) };

#define AT(member) .offset = offsetof(struct iam_policy, member)
static const struct field iam_policy_schema_fields[] = {
    { STR_INIT("PolicyName"), 1, FIELD_STR, AT(name) },
    { STR_INIT("PolicyDocument"), 2, FIELD_STR, AT(document) },
};
#undef AT
const struct schema iam_policy_schema = SCHEMA_OF("Policy", struct iam_policy, iam_policy_schema_fields);

#define AT(member) .offset = offsetof(struct rule_group, member)
static const struct field rule_group_schema_fields[] = {
    { STR_INIT("groupId"), 1, FIELD_STR, AT(id) },
    { STR_INIT("userId"), 2, FIELD_STR, AT(owner) },
};
#undef AT
const struct schema rule_group_schema = SCHEMA_OF("ReferencedSecurityGroup", struct rule_group, rule_group_schema_fields);

#define AT(member) .offset = offsetof(struct security_rule, member)
static const struct field security_rule_schema_fields[] = {
    { STR_INIT("securityGroupRuleId"), 1, FIELD_STR, AT(id) },
    { STR_INIT("isEgress"), 2, FIELD_BOOL, AT(egress), .always = true },
    { STR_INIT("ipProtocol"), 3, FIELD_STR, AT(protocol) },
    { STR_INIT("fromPort"), 4, FIELD_INT, AT(from_port) },
    { STR_INIT("toPort"), 5, FIELD_INT, AT(to_port) },
    { STR_INIT("cidrIpv4"), 6, FIELD_STR, AT(cidr_ipv4) },
    { STR_INIT("cidrIpv6"), 7, FIELD_STR, AT(cidr_ipv6) },
    { STR_INIT("prefixListId"), 8, FIELD_STR, AT(prefix_list_id) },
    { STR_INIT("referencedGroupInfo"), 9, FIELD_STRUCT, AT(peers), .schema = &rule_group_schema },
    { STR_INIT("description"), 10, FIELD_STR, AT(description) },
    { STR_INIT("tagSet"), 11, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT("groupId"), 0, FIELD_STR, AT(group) },
    { STR_INIT("groupOwnerId"), 0, FIELD_STR, AT(owner) },
};
#undef AT
const struct schema security_rule_schema = SCHEMA_OF("SecurityGroupRule", struct security_rule, security_rule_schema_fields);

#define AT(member) .offset = offsetof(struct kept_security_group, member)
static const struct field kept_security_group_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(vpc) },
    { STR_INIT(""), 2, FIELD_STR, AT(description) },
    { STR_INIT(""), 3, FIELD_LIST, AT(rules), .element = FIELD_STRUCT, .schema = &security_rule_schema },
};
#undef AT
const struct schema kept_security_group_record = SCHEMA_OF("security group", struct kept_security_group,
    kept_security_group_record_fields);

#define AT(member) .offset = offsetof(struct kept_vpc, member)
static const struct field kept_vpc_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(cidr) },
    { STR_INIT(""), 2, FIELD_STR, AT(tenancy) },
    { STR_INIT(""), 3, FIELD_BOOL, AT(dns_support) },
    { STR_INIT(""), 4, FIELD_BOOL, AT(dns_hostnames) },
    { STR_INIT(""), 5, FIELD_BOOL, AT(metrics) },
};
#undef AT
const struct schema kept_vpc_record = SCHEMA_OF("VPC", struct kept_vpc, kept_vpc_record_fields);

#define AT(member) .offset = offsetof(struct kept_subnet, member)
static const struct field kept_subnet_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(vpc) },
    { STR_INIT(""), 2, FIELD_STR, AT(cidr) },
    { STR_INIT(""), 3, FIELD_STR, AT(zone) },
    { STR_INIT(""), 4, FIELD_BOOL, AT(public_ip) },
};
#undef AT
const struct schema kept_subnet_record = SCHEMA_OF("subnet", struct kept_subnet, kept_subnet_record_fields);

#define AT(member) .offset = offsetof(struct template_profile, member)
static const struct field template_profile_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("name"), 2, FIELD_STR, AT(name) },
};
#undef AT
const struct schema template_profile_schema = SCHEMA_OF("LaunchTemplateIamInstanceProfileSpecification", struct template_profile,
    template_profile_schema_fields);

#define AT(member) .offset = offsetof(struct template_disk, member)
static const struct field template_disk_schema_fields[] = {
    { STR_INIT("encrypted"), 1, FIELD_BOOL, AT(encrypted) },
    { STR_INIT("deleteOnTermination"), 2, FIELD_BOOL, AT(delete_on_termination) },
    { STR_INIT("iops"), 3, FIELD_INT, AT(iops) },
    { STR_INIT("kmsKeyId"), 4, FIELD_STR, AT(kms_key_id) },
    { STR_INIT("snapshotId"), 5, FIELD_STR, AT(snapshot_id) },
    { STR_INIT("volumeSize"), 6, FIELD_INT, AT(volume_size) },
    { STR_INIT("volumeType"), 7, FIELD_STR, AT(volume_type) },
    { STR_INIT("throughput"), 8, FIELD_INT, AT(throughput) },
};
#undef AT
const struct schema template_disk_schema = SCHEMA_OF("LaunchTemplateEbsBlockDevice", struct template_disk,
    template_disk_schema_fields);

#define AT(member) .offset = offsetof(struct template_device, member)
static const struct field template_device_schema_fields[] = {
    { STR_INIT("deviceName"), 1, FIELD_STR, AT(device_name) },
    { STR_INIT("virtualName"), 2, FIELD_STR, AT(virtual_name) },
    { STR_INIT("ebs"), 3, FIELD_STRUCT, AT(ebs), .schema = &template_disk_schema },
    { STR_INIT("noDevice"), 4, FIELD_STR, AT(no_device) },
};
#undef AT
const struct schema template_device_schema = SCHEMA_OF("LaunchTemplateBlockDeviceMapping", struct template_device,
    template_device_schema_fields);

#define AT(member) .offset = offsetof(struct template_monitoring, member)
static const struct field template_monitoring_schema_fields[] = {
    { STR_INIT("enabled"), 1, FIELD_BOOL, AT(enabled) },
};
#undef AT
const struct schema template_monitoring_schema = SCHEMA_OF("LaunchTemplatesMonitoring", struct template_monitoring,
    template_monitoring_schema_fields);

#define AT(member) .offset = offsetof(struct template_tags, member)
static const struct field template_tags_schema_fields[] = {
    { STR_INIT("resourceType"), 1, FIELD_STR, AT(resource_type) },
    { STR_INIT("tagSet"), 2, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
};
#undef AT
const struct schema template_tags_schema = SCHEMA_OF("LaunchTemplateTagSpecification", struct template_tags,
    template_tags_schema_fields);

#define AT(member) .offset = offsetof(struct template_spot, member)
static const struct field template_spot_schema_fields[] = {
    { STR_INIT("maxPrice"), 1, FIELD_STR, AT(max_price) },
    { STR_INIT("spotInstanceType"), 2, FIELD_STR, AT(spot_instance_type) },
    { STR_INIT("blockDurationMinutes"), 3, FIELD_INT, AT(block_duration_minutes) },
    { STR_INIT("instanceInterruptionBehavior"), 4, FIELD_STR, AT(instance_interruption_behavior) },
};
#undef AT
const struct schema template_spot_schema = SCHEMA_OF("LaunchTemplateSpotMarketOptions", struct template_spot,
    template_spot_schema_fields);

#define AT(member) .offset = offsetof(struct template_market, member)
static const struct field template_market_schema_fields[] = {
    { STR_INIT("marketType"), 1, FIELD_STR, AT(market_type) },
    { STR_INIT("spotOptions"), 2, FIELD_STRUCT, AT(spot), .schema = &template_spot_schema },
};
#undef AT
const struct schema template_market_schema = SCHEMA_OF("LaunchTemplateInstanceMarketOptions", struct template_market,
    template_market_schema_fields);

#define AT(member) .offset = offsetof(struct template_credit, member)
static const struct field template_credit_schema_fields[] = {
    { STR_INIT("cpuCredits"), 1, FIELD_STR, AT(cpu_credits) },
};
#undef AT
const struct schema template_credit_schema = SCHEMA_OF("CreditSpecification", struct template_credit,
    template_credit_schema_fields);

#define AT(member) .offset = offsetof(struct template_cpu, member)
static const struct field template_cpu_schema_fields[] = {
    { STR_INIT("coreCount"), 1, FIELD_INT, AT(core_count) },
    { STR_INIT("threadsPerCore"), 2, FIELD_INT, AT(threads_per_core) },
};
#undef AT
const struct schema template_cpu_schema = SCHEMA_OF("LaunchTemplateCpuOptions", struct template_cpu, template_cpu_schema_fields);

#define AT(member) .offset = offsetof(struct template_metadata, member)
static const struct field template_metadata_schema_fields[] = {
    { STR_INIT("httpTokens"), 1, FIELD_STR, AT(http_tokens) },
    { STR_INIT("httpPutResponseHopLimit"), 2, FIELD_INT, AT(http_put_response_hop_limit) },
    { STR_INIT("httpEndpoint"), 3, FIELD_STR, AT(http_endpoint) },
    { STR_INIT("httpProtocolIpv6"), 4, FIELD_STR, AT(http_protocol_ipv6) },
    { STR_INIT("instanceMetadataTags"), 5, FIELD_STR, AT(instance_metadata_tags) },
};
#undef AT
const struct schema template_metadata_schema = SCHEMA_OF("LaunchTemplateInstanceMetadataOptions", struct template_metadata,
    template_metadata_schema_fields);

#define AT(member) .offset = offsetof(struct instance_requirements_request, member)
static const struct field template_requirements_schema_fields[] = {
    { STR_INIT("vCpuCount"), 1, FIELD_STRUCT, AT(v_cpu_count), .schema = &v_cpu_count_range_request_schema },
    { STR_INIT("memoryMiB"), 2, FIELD_STRUCT, AT(memory_mi_b), .schema = &memory_mi_b_request_schema },
    { STR_INIT("cpuManufacturerSet"), 3, FIELD_LIST, AT(cpu_manufacturers), .element = FIELD_ENUM,
      .names = &cpu_manufacturer_names },
    { STR_INIT("memoryGiBPerVCpu"), 4, FIELD_STRUCT, AT(memory_gib_per_v_cpu), .schema = &memory_gib_per_v_cpu_request_schema },
    { STR_INIT("excludedInstanceTypeSet"), 5, FIELD_LIST, AT(excluded_instance_types), .element = FIELD_STR },
    { STR_INIT("instanceGenerationSet"), 6, FIELD_LIST, AT(instance_generations), .element = FIELD_ENUM,
      .names = &instance_generation_names },
    { STR_INIT("spotMaxPricePercentageOverLowestPrice"), 7, FIELD_INT, AT(spot_max_price_percentage_over_lowest_price) },
    { STR_INIT("onDemandMaxPricePercentageOverLowestPrice"), 8, FIELD_INT, AT(on_demand_max_price_percentage_over_lowest_price) },
    { STR_INIT("bareMetal"), 9, FIELD_ENUM, AT(bare_metal), .names = &bare_metal_names },
    { STR_INIT("burstablePerformance"), 10, FIELD_ENUM, AT(burstable_performance), .names = &burstable_performance_names },
    { STR_INIT("requireHibernateSupport"), 11, FIELD_BOOL, AT(require_hibernate_support) },
    { STR_INIT("networkInterfaceCount"), 12, FIELD_STRUCT, AT(network_interface_count),
      .schema = &network_interface_count_request_schema },
    { STR_INIT("localStorage"), 13, FIELD_ENUM, AT(local_storage), .names = &local_storage_names },
    { STR_INIT("localStorageTypeSet"), 14, FIELD_LIST, AT(local_storage_types), .element = FIELD_ENUM,
      .names = &local_storage_type_names },
    { STR_INIT("totalLocalStorageGB"), 15, FIELD_STRUCT, AT(total_local_storage_gb),
      .schema = &total_local_storage_gb_request_schema },
    { STR_INIT("baselineEbsBandwidthMbps"), 16, FIELD_STRUCT, AT(baseline_ebs_bandwidth_mbps),
      .schema = &baseline_ebs_bandwidth_mbps_request_schema },
    { STR_INIT("acceleratorTypeSet"), 17, FIELD_LIST, AT(accelerator_types), .element = FIELD_ENUM,
      .names = &accelerator_type_names },
    { STR_INIT("acceleratorCount"), 18, FIELD_STRUCT, AT(accelerator_count), .schema = &accelerator_count_request_schema },
    { STR_INIT("acceleratorManufacturerSet"), 19, FIELD_LIST, AT(accelerator_manufacturers), .element = FIELD_ENUM,
      .names = &accelerator_manufacturer_names },
    { STR_INIT("acceleratorNameSet"), 20, FIELD_LIST, AT(accelerator_names), .element = FIELD_STR },
    { STR_INIT("acceleratorTotalMemoryMiB"), 21, FIELD_STRUCT, AT(accelerator_total_memory_mi_b),
      .schema = &accelerator_total_memory_mi_b_request_schema },
    { STR_INIT("networkBandwidthGbps"), 22, FIELD_STRUCT, AT(network_bandwidth_gbps),
      .schema = &network_bandwidth_gbps_request_schema },
    { STR_INIT("allowedInstanceTypeSet"), 23, FIELD_LIST, AT(allowed_instance_types), .element = FIELD_STR },
    { STR_INIT("maxSpotPriceAsPercentageOfOptimalOnDemandPrice"), 24, FIELD_INT,
      AT(max_spot_price_as_percentage_of_optimal_on_demand_price) },
};
#undef AT
const struct schema template_requirements_schema = SCHEMA_OF("InstanceRequirements", struct instance_requirements_request,
    template_requirements_schema_fields);

#define AT(member) .offset = offsetof(struct launch_template_data, member)
static const struct field launch_template_data_schema_fields[] = {
    { STR_INIT("ebsOptimized"), 1, FIELD_BOOL, AT(ebs_optimized) },
    { STR_INIT("iamInstanceProfile"), 2, FIELD_STRUCT, AT(profile), .schema = &template_profile_schema },
    { STR_INIT("blockDeviceMappingSet"), 3, FIELD_LIST, AT(devices), .element = FIELD_STRUCT, .schema = &template_device_schema },
    { STR_INIT("imageId"), 4, FIELD_STR, AT(image_id) },
    { STR_INIT("instanceType"), 5, FIELD_STR, AT(instance_type) },
    { STR_INIT("keyName"), 6, FIELD_STR, AT(key_name) },
    { STR_INIT("monitoring"), 7, FIELD_STRUCT, AT(monitoring), .schema = &template_monitoring_schema },
    { STR_INIT("disableApiTermination"), 8, FIELD_BOOL, AT(disable_api_termination) },
    { STR_INIT("disableApiStop"), 9, FIELD_BOOL, AT(disable_api_stop) },
    { STR_INIT("instanceInitiatedShutdownBehavior"), 10, FIELD_STR, AT(shutdown) },
    { STR_INIT("userData"), 11, FIELD_STR, AT(user_data) },
    { STR_INIT("tagSpecificationSet"), 12, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &template_tags_schema },
    { STR_INIT("instanceMarketOptions"), 13, FIELD_STRUCT, AT(market), .schema = &template_market_schema },
    { STR_INIT("creditSpecification"), 14, FIELD_STRUCT, AT(credit), .schema = &template_credit_schema },
    { STR_INIT("cpuOptions"), 15, FIELD_STRUCT, AT(cpu), .schema = &template_cpu_schema },
    { STR_INIT("metadataOptions"), 16, FIELD_STRUCT, AT(metadata), .schema = &template_metadata_schema },
    { STR_INIT("securityGroupIdSet"), 17, FIELD_LIST, AT(group_ids), .element = FIELD_STR },
    { STR_INIT("securityGroupSet"), 18, FIELD_LIST, AT(group_names), .element = FIELD_STR },
    { STR_INIT("instanceRequirements"), 19, FIELD_STRUCT, AT(requirements), .schema = &template_requirements_schema },
};
#undef AT
const struct schema launch_template_data_schema = SCHEMA_OF("ResponseLaunchTemplateData", struct launch_template_data,
    launch_template_data_schema_fields);

#define AT(member) .offset = offsetof(struct kept_template, member)
static const struct field kept_template_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(default_version) },
    { STR_INIT(""), 2, FIELD_I64, AT(latest_version) },
    { STR_INIT(""), 3, FIELD_STR, AT(token) },
};
#undef AT
const struct schema kept_template_record = SCHEMA_OF("launch template", struct kept_template, kept_template_record_fields);

#define AT(member) .offset = offsetof(struct kept_template_version, member)
static const struct field kept_template_version_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(number) },
    { STR_INIT(""), 2, FIELD_STR, AT(description) },
    { STR_INIT(""), 3, FIELD_STR, AT(token) },
    { STR_INIT(""), 4, FIELD_STRUCT, AT(data), .schema = &launch_template_data_schema },
};
#undef AT
const struct schema kept_template_version_record = SCHEMA_OF("version of a launch template", struct kept_template_version,
    kept_template_version_record_fields);

#define AT(member) .offset = offsetof(struct kept_plain, member)
static const struct field kept_plain_record_fields[] = {
    { STR_INIT(""), 1, FIELD_ENUM, AT(kind), .names = &plain_kind_names },
    { STR_INIT(""), 2, FIELD_STR, AT(id) },
    { STR_INIT(""), 3, FIELD_STR, AT(name) },
    { STR_INIT(""), 4, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 5, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 6, FIELD_STR, AT(path) },
    { STR_INIT(""), 7, FIELD_STR, AT(description) },
    { STR_INIT(""), 8, FIELD_STR, AT(trust) },
    { STR_INIT(""), 9, FIELD_I64, AT(session_s) },
    { STR_INIT(""), 10, FIELD_STR, AT(boundary) },
    { STR_INIT(""), 11, FIELD_LIST, AT(inlined), .element = FIELD_STRUCT, .schema = &iam_policy_schema },
    { STR_INIT(""), 12, FIELD_LIST, AT(attached), .element = FIELD_STR },
    { STR_INIT(""), 13, FIELD_LIST, AT(roles), .element = FIELD_STR },
    { STR_INIT(""), 14, FIELD_STRUCT, AT(group), .schema = &kept_security_group_record },
    { STR_INIT(""), 15, FIELD_STRUCT, AT(vpc), .schema = &kept_vpc_record },
    { STR_INIT(""), 16, FIELD_STRUCT, AT(subnet), .schema = &kept_subnet_record },
    { STR_INIT(""), 17, FIELD_STRUCT, AT(template), .schema = &kept_template_record },
    { STR_INIT(""), 18, FIELD_STRUCT, AT(version), .schema = &kept_template_version_record },
};
#undef AT
const struct schema kept_plain_record = SCHEMA_OF("plain record", struct kept_plain, kept_plain_record_fields);
