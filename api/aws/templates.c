/* Written by tools/shapes from api/aws/templates.shapes. */
#include "api/aws/templates.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct v_cpu_count_range_request, member)
static const struct field v_cpu_count_range_form_schema_fields[] = {
    { STR_INIT("Min"), 1, FIELD_INT, AT(min), .max = 2147483647, .required = true },
    { STR_INIT("Max"), 2, FIELD_INT, AT(max), .max = 2147483647 },
};
#undef AT
const struct schema v_cpu_count_range_form_schema = SCHEMA_OF("Range", struct v_cpu_count_range_request,
    v_cpu_count_range_form_schema_fields);

#define AT(member) .offset = offsetof(struct memory_mi_b_request, member)
static const struct field memory_mi_b_form_schema_fields[] = {
    { STR_INIT("Min"), 1, FIELD_INT, AT(min), .max = 2147483647, .required = true },
    { STR_INIT("Max"), 2, FIELD_INT, AT(max), .max = 2147483647 },
};
#undef AT
const struct schema memory_mi_b_form_schema = SCHEMA_OF("Range", struct memory_mi_b_request, memory_mi_b_form_schema_fields);

#define AT(member) .offset = offsetof(struct memory_gib_per_v_cpu_request, member)
static const struct field memory_gib_per_v_cpu_form_schema_fields[] = {
    { STR_INIT("Min"), 1, FIELD_DOUBLE, AT(min) },
    { STR_INIT("Max"), 2, FIELD_DOUBLE, AT(max) },
};
#undef AT
const struct schema memory_gib_per_v_cpu_form_schema = SCHEMA_OF("Range", struct memory_gib_per_v_cpu_request,
    memory_gib_per_v_cpu_form_schema_fields);

#define AT(member) .offset = offsetof(struct network_interface_count_request, member)
static const struct field network_interface_count_form_schema_fields[] = {
    { STR_INIT("Min"), 1, FIELD_INT, AT(min), .max = 2147483647 },
    { STR_INIT("Max"), 2, FIELD_INT, AT(max), .max = 2147483647 },
};
#undef AT
const struct schema network_interface_count_form_schema = SCHEMA_OF("Range", struct network_interface_count_request,
    network_interface_count_form_schema_fields);

#define AT(member) .offset = offsetof(struct total_local_storage_gb_request, member)
static const struct field total_local_storage_gb_form_schema_fields[] = {
    { STR_INIT("Min"), 1, FIELD_DOUBLE, AT(min) },
    { STR_INIT("Max"), 2, FIELD_DOUBLE, AT(max) },
};
#undef AT
const struct schema total_local_storage_gb_form_schema = SCHEMA_OF("Range", struct total_local_storage_gb_request,
    total_local_storage_gb_form_schema_fields);

#define AT(member) .offset = offsetof(struct baseline_ebs_bandwidth_mbps_request, member)
static const struct field baseline_ebs_bandwidth_mbps_form_schema_fields[] = {
    { STR_INIT("Min"), 1, FIELD_INT, AT(min), .max = 2147483647 },
    { STR_INIT("Max"), 2, FIELD_INT, AT(max), .max = 2147483647 },
};
#undef AT
const struct schema baseline_ebs_bandwidth_mbps_form_schema = SCHEMA_OF("Range", struct baseline_ebs_bandwidth_mbps_request,
    baseline_ebs_bandwidth_mbps_form_schema_fields);

#define AT(member) .offset = offsetof(struct accelerator_count_request, member)
static const struct field accelerator_count_form_schema_fields[] = {
    { STR_INIT("Min"), 1, FIELD_INT, AT(min), .max = 2147483647 },
    { STR_INIT("Max"), 2, FIELD_INT, AT(max), .max = 2147483647 },
};
#undef AT
const struct schema accelerator_count_form_schema = SCHEMA_OF("Range", struct accelerator_count_request,
    accelerator_count_form_schema_fields);

#define AT(member) .offset = offsetof(struct accelerator_total_memory_mi_b_request, member)
static const struct field accelerator_total_memory_mi_b_form_schema_fields[] = {
    { STR_INIT("Min"), 1, FIELD_INT, AT(min), .max = 2147483647 },
    { STR_INIT("Max"), 2, FIELD_INT, AT(max), .max = 2147483647 },
};
#undef AT
const struct schema accelerator_total_memory_mi_b_form_schema = SCHEMA_OF("Range", struct accelerator_total_memory_mi_b_request,
    accelerator_total_memory_mi_b_form_schema_fields);

#define AT(member) .offset = offsetof(struct network_bandwidth_gbps_request, member)
static const struct field network_bandwidth_gbps_form_schema_fields[] = {
    { STR_INIT("Min"), 1, FIELD_DOUBLE, AT(min) },
    { STR_INIT("Max"), 2, FIELD_DOUBLE, AT(max) },
};
#undef AT
const struct schema network_bandwidth_gbps_form_schema = SCHEMA_OF("Range", struct network_bandwidth_gbps_request,
    network_bandwidth_gbps_form_schema_fields);

#define AT(member) .offset = offsetof(struct instance_requirements_request, member)
static const struct field template_requirements_form_schema_fields[] = {
    { STR_INIT("VCpuCount"), 1, FIELD_STRUCT, AT(v_cpu_count), .schema = &v_cpu_count_range_form_schema, .required = true },
    { STR_INIT("MemoryMiB"), 2, FIELD_STRUCT, AT(memory_mi_b), .schema = &memory_mi_b_form_schema, .required = true },
    { STR_INIT("CpuManufacturer"), 3, FIELD_LIST, AT(cpu_manufacturers), .element = FIELD_ENUM, .names = &cpu_manufacturer_names,
      .max = 10 },
    { STR_INIT("MemoryGiBPerVCpu"), 4, FIELD_STRUCT, AT(memory_gib_per_v_cpu), .schema = &memory_gib_per_v_cpu_form_schema },
    { STR_INIT("ExcludedInstanceType"), 5, FIELD_LIST, AT(excluded_instance_types), .element = FIELD_STR, .max = 400 },
    { STR_INIT("InstanceGeneration"), 6, FIELD_LIST, AT(instance_generations), .element = FIELD_ENUM,
      .names = &instance_generation_names, .max = 10 },
    { STR_INIT("SpotMaxPricePercentageOverLowestPrice"), 7, FIELD_INT, AT(spot_max_price_percentage_over_lowest_price) },
    { STR_INIT("OnDemandMaxPricePercentageOverLowestPrice"), 8, FIELD_INT, AT(on_demand_max_price_percentage_over_lowest_price) },
    { STR_INIT("BareMetal"), 9, FIELD_ENUM, AT(bare_metal), .names = &bare_metal_names },
    { STR_INIT("BurstablePerformance"), 10, FIELD_ENUM, AT(burstable_performance), .names = &burstable_performance_names },
    { STR_INIT("RequireHibernateSupport"), 11, FIELD_BOOL, AT(require_hibernate_support) },
    { STR_INIT("NetworkInterfaceCount"), 12, FIELD_STRUCT, AT(network_interface_count),
      .schema = &network_interface_count_form_schema },
    { STR_INIT("LocalStorage"), 13, FIELD_ENUM, AT(local_storage), .names = &local_storage_names },
    { STR_INIT("LocalStorageType"), 14, FIELD_LIST, AT(local_storage_types), .element = FIELD_ENUM,
      .names = &local_storage_type_names, .max = 10 },
    { STR_INIT("TotalLocalStorageGB"), 15, FIELD_STRUCT, AT(total_local_storage_gb),
      .schema = &total_local_storage_gb_form_schema },
    { STR_INIT("BaselineEbsBandwidthMbps"), 16, FIELD_STRUCT, AT(baseline_ebs_bandwidth_mbps),
      .schema = &baseline_ebs_bandwidth_mbps_form_schema },
    { STR_INIT("AcceleratorType"), 17, FIELD_LIST, AT(accelerator_types), .element = FIELD_ENUM, .names = &accelerator_type_names,
      .max = 10 },
    { STR_INIT("AcceleratorCount"), 18, FIELD_STRUCT, AT(accelerator_count), .schema = &accelerator_count_form_schema },
    { STR_INIT("AcceleratorManufacturer"), 19, FIELD_LIST, AT(accelerator_manufacturers), .element = FIELD_ENUM,
      .names = &accelerator_manufacturer_names, .max = 10 },
    { STR_INIT("AcceleratorName"), 20, FIELD_LIST, AT(accelerator_names), .element = FIELD_STR, .max = 100 },
    { STR_INIT("AcceleratorTotalMemoryMiB"), 21, FIELD_STRUCT, AT(accelerator_total_memory_mi_b),
      .schema = &accelerator_total_memory_mi_b_form_schema },
    { STR_INIT("NetworkBandwidthGbps"), 22, FIELD_STRUCT, AT(network_bandwidth_gbps),
      .schema = &network_bandwidth_gbps_form_schema },
    { STR_INIT("AllowedInstanceType"), 23, FIELD_LIST, AT(allowed_instance_types), .element = FIELD_STR, .max = 400 },
    { STR_INIT("MaxSpotPriceAsPercentageOfOptimalOnDemandPrice"), 24, FIELD_INT,
      AT(max_spot_price_as_percentage_of_optimal_on_demand_price) },
};
#undef AT
const struct schema template_requirements_form_schema = SCHEMA_OF("InstanceRequirementsRequest",
    struct instance_requirements_request, template_requirements_form_schema_fields);

#define AT(member) .offset = offsetof(struct template_profile, member)
static const struct field template_profile_form_schema_fields[] = {
    { STR_INIT("Arn"), 1, FIELD_STR, AT(arn), .max = 2048 },
    { STR_INIT("Name"), 2, FIELD_STR, AT(name), .max = 128 },
};
#undef AT
const struct schema template_profile_form_schema = SCHEMA_OF("LaunchTemplateIamInstanceProfileSpecificationRequest",
    struct template_profile, template_profile_form_schema_fields);

#define AT(member) .offset = offsetof(struct template_disk, member)
static const struct field template_disk_form_schema_fields[] = {
    { STR_INIT("Encrypted"), 1, FIELD_BOOL, AT(encrypted) },
    { STR_INIT("DeleteOnTermination"), 2, FIELD_BOOL, AT(delete_on_termination) },
    { STR_INIT("Iops"), 3, FIELD_INT, AT(iops) },
    { STR_INIT("KmsKeyId"), 4, FIELD_STR, AT(kms_key_id), .max = 2048 },
    { STR_INIT("SnapshotId"), 5, FIELD_STR, AT(snapshot_id), .max = 64 },
    { STR_INIT("VolumeSize"), 6, FIELD_INT, AT(volume_size) },
    { STR_INIT("VolumeType"), 7, FIELD_STR, AT(volume_type), .max = 16 },
    { STR_INIT("Throughput"), 8, FIELD_INT, AT(throughput) },
};
#undef AT
const struct schema template_disk_form_schema = SCHEMA_OF("LaunchTemplateEbsBlockDeviceRequest", struct template_disk,
    template_disk_form_schema_fields);

#define AT(member) .offset = offsetof(struct template_device, member)
static const struct field template_device_form_schema_fields[] = {
    { STR_INIT("DeviceName"), 1, FIELD_STR, AT(device_name), .max = 64 },
    { STR_INIT("VirtualName"), 2, FIELD_STR, AT(virtual_name), .max = 64 },
    { STR_INIT("Ebs"), 3, FIELD_STRUCT, AT(ebs), .schema = &template_disk_form_schema },
    { STR_INIT("NoDevice"), 4, FIELD_STR, AT(no_device), .max = 16 },
};
#undef AT
const struct schema template_device_form_schema = SCHEMA_OF("LaunchTemplateBlockDeviceMappingRequest", struct template_device,
    template_device_form_schema_fields);

#define AT(member) .offset = offsetof(struct template_monitoring, member)
static const struct field template_monitoring_form_schema_fields[] = {
    { STR_INIT("Enabled"), 1, FIELD_BOOL, AT(enabled) },
};
#undef AT
const struct schema template_monitoring_form_schema = SCHEMA_OF("LaunchTemplatesMonitoringRequest", struct template_monitoring,
    template_monitoring_form_schema_fields);

#define AT(member) .offset = offsetof(struct template_tags, member)
static const struct field template_tags_form_schema_fields[] = {
    { STR_INIT("ResourceType"), 1, FIELD_STR, AT(resource_type), .max = 64 },
    { STR_INIT("Tag"), 2, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .max = 50 },
};
#undef AT
const struct schema template_tags_form_schema = SCHEMA_OF("LaunchTemplateTagSpecificationRequest", struct template_tags,
    template_tags_form_schema_fields);

#define AT(member) .offset = offsetof(struct template_spot, member)
static const struct field template_spot_form_schema_fields[] = {
    { STR_INIT("MaxPrice"), 1, FIELD_STR, AT(max_price), .max = 32 },
    { STR_INIT("SpotInstanceType"), 2, FIELD_STR, AT(spot_instance_type), .max = 32 },
    { STR_INIT("BlockDurationMinutes"), 3, FIELD_INT, AT(block_duration_minutes) },
    { STR_INIT("InstanceInterruptionBehavior"), 4, FIELD_STR, AT(instance_interruption_behavior), .max = 32 },
};
#undef AT
const struct schema template_spot_form_schema = SCHEMA_OF("LaunchTemplateSpotMarketOptionsRequest", struct template_spot,
    template_spot_form_schema_fields);

#define AT(member) .offset = offsetof(struct template_market, member)
static const struct field template_market_form_schema_fields[] = {
    { STR_INIT("MarketType"), 1, FIELD_STR, AT(market_type), .max = 32 },
    { STR_INIT("SpotOptions"), 2, FIELD_STRUCT, AT(spot), .schema = &template_spot_form_schema },
};
#undef AT
const struct schema template_market_form_schema = SCHEMA_OF("LaunchTemplateInstanceMarketOptionsRequest", struct template_market,
    template_market_form_schema_fields);

#define AT(member) .offset = offsetof(struct template_credit, member)
static const struct field template_credit_form_schema_fields[] = {
    { STR_INIT("CpuCredits"), 1, FIELD_STR, AT(cpu_credits), .max = 32 },
};
#undef AT
const struct schema template_credit_form_schema = SCHEMA_OF("CreditSpecificationRequest", struct template_credit,
    template_credit_form_schema_fields);

#define AT(member) .offset = offsetof(struct template_cpu, member)
static const struct field template_cpu_form_schema_fields[] = {
    { STR_INIT("CoreCount"), 1, FIELD_INT, AT(core_count) },
    { STR_INIT("ThreadsPerCore"), 2, FIELD_INT, AT(threads_per_core) },
};
#undef AT
const struct schema template_cpu_form_schema = SCHEMA_OF("LaunchTemplateCpuOptionsRequest", struct template_cpu,
    template_cpu_form_schema_fields);

#define AT(member) .offset = offsetof(struct template_metadata, member)
static const struct field template_metadata_form_schema_fields[] = {
    { STR_INIT("HttpTokens"), 1, FIELD_STR, AT(http_tokens), .max = 32 },
    { STR_INIT("HttpPutResponseHopLimit"), 2, FIELD_INT, AT(http_put_response_hop_limit) },
    { STR_INIT("HttpEndpoint"), 3, FIELD_STR, AT(http_endpoint), .max = 32 },
    { STR_INIT("HttpProtocolIpv6"), 4, FIELD_STR, AT(http_protocol_ipv6), .max = 32 },
    { STR_INIT("InstanceMetadataTags"), 5, FIELD_STR, AT(instance_metadata_tags), .max = 32 },
};
#undef AT
const struct schema template_metadata_form_schema = SCHEMA_OF("LaunchTemplateInstanceMetadataOptionsRequest",
    struct template_metadata, template_metadata_form_schema_fields);

#define AT(member) .offset = offsetof(struct launch_template_data, member)
static const struct field launch_template_form_schema_fields[] = {
    { STR_INIT("EbsOptimized"), 1, FIELD_BOOL, AT(ebs_optimized) },
    { STR_INIT("IamInstanceProfile"), 2, FIELD_STRUCT, AT(profile), .schema = &template_profile_form_schema },
    { STR_INIT("BlockDeviceMapping"), 3, FIELD_LIST, AT(devices), .element = FIELD_STRUCT, .schema = &template_device_form_schema,
      .max = 100 },
    { STR_INIT("ImageId"), 4, FIELD_STR, AT(image_id), .max = 128 },
    { STR_INIT("InstanceType"), 5, FIELD_STR, AT(instance_type), .max = 64 },
    { STR_INIT("KeyName"), 6, FIELD_STR, AT(key_name), .max = 255 },
    { STR_INIT("Monitoring"), 7, FIELD_STRUCT, AT(monitoring), .schema = &template_monitoring_form_schema },
    { STR_INIT("DisableApiTermination"), 8, FIELD_BOOL, AT(disable_api_termination) },
    { STR_INIT("DisableApiStop"), 9, FIELD_BOOL, AT(disable_api_stop) },
    { STR_INIT("InstanceInitiatedShutdownBehavior"), 10, FIELD_STR, AT(shutdown), .max = 32 },
    { STR_INIT("UserData"), 11, FIELD_STR, AT(user_data), .max = 21848 },
    { STR_INIT("TagSpecification"), 12, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &template_tags_form_schema,
      .max = 20 },
    { STR_INIT("InstanceMarketOptions"), 13, FIELD_STRUCT, AT(market), .schema = &template_market_form_schema },
    { STR_INIT("CreditSpecification"), 14, FIELD_STRUCT, AT(credit), .schema = &template_credit_form_schema },
    { STR_INIT("CpuOptions"), 15, FIELD_STRUCT, AT(cpu), .schema = &template_cpu_form_schema },
    { STR_INIT("MetadataOptions"), 16, FIELD_STRUCT, AT(metadata), .schema = &template_metadata_form_schema },
    { STR_INIT("SecurityGroupId"), 17, FIELD_LIST, AT(group_ids), .element = FIELD_STR, .max = 100 },
    { STR_INIT("SecurityGroup"), 18, FIELD_LIST, AT(group_names), .element = FIELD_STR, .max = 100 },
    { STR_INIT("InstanceRequirements"), 19, FIELD_STRUCT, AT(requirements), .schema = &template_requirements_form_schema },
};
#undef AT
const struct schema launch_template_form_schema = SCHEMA_OF("RequestLaunchTemplateData", struct launch_template_data,
    launch_template_form_schema_fields);

#define AT(member) .offset = offsetof(struct launch_template, member)
static const struct field launch_template_schema_fields[] = {
    { STR_INIT("launchTemplateId"), 1, FIELD_STR, AT(id) },
    { STR_INIT("launchTemplateName"), 2, FIELD_STR, AT(name) },
    { STR_INIT("createTime"), 3, FIELD_TIME, AT(create_time) },
    { STR_INIT("createdBy"), 4, FIELD_STR, AT(created_by) },
    { STR_INIT("defaultVersionNumber"), 5, FIELD_INT, AT(default_version_number) },
    { STR_INIT("latestVersionNumber"), 6, FIELD_INT, AT(latest_version_number) },
    { STR_INIT("tagSet"), 7, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
};
#undef AT
const struct schema launch_template_schema = SCHEMA_OF("LaunchTemplate", struct launch_template, launch_template_schema_fields);

#define AT(member) .offset = offsetof(struct launch_template_version, member)
static const struct field launch_template_version_schema_fields[] = {
    { STR_INIT("launchTemplateId"), 1, FIELD_STR, AT(id) },
    { STR_INIT("launchTemplateName"), 2, FIELD_STR, AT(name) },
    { STR_INIT("versionNumber"), 3, FIELD_INT, AT(version_number) },
    { STR_INIT("versionDescription"), 4, FIELD_STR, AT(description) },
    { STR_INIT("createTime"), 5, FIELD_TIME, AT(create_time) },
    { STR_INIT("createdBy"), 6, FIELD_STR, AT(created_by) },
    { STR_INIT("defaultVersion"), 7, FIELD_BOOL, AT(default_version), .always = true },
    { STR_INIT("launchTemplateData"), 8, FIELD_STRUCT, AT(data), .schema = &launch_template_data_schema },
};
#undef AT
const struct schema launch_template_version_schema = SCHEMA_OF("LaunchTemplateVersion", struct launch_template_version,
    launch_template_version_schema_fields);

#define AT(member) .offset = offsetof(struct create_template_request, member)
static const struct field create_template_request_schema_fields[] = {
    { STR_INIT("ClientToken"), 1, FIELD_STR, AT(token), .max = 128 },
    { STR_INIT("LaunchTemplateName"), 2, FIELD_STR, AT(name), .min = 3, .max = 128, .required = true },
    { STR_INIT("VersionDescription"), 3, FIELD_STR, AT(description), .max = 255 },
    { STR_INIT("LaunchTemplateData"), 4, FIELD_STRUCT, AT(data), .schema = &launch_template_form_schema, .required = true },
    { STR_INIT("TagSpecification"), 5, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_specification_schema,
      .max = 10 },
};
#undef AT
const struct schema create_template_request_schema = SCHEMA_OF("CreateLaunchTemplateRequest", struct create_template_request,
    create_template_request_schema_fields);

#define AT(member) .offset = offsetof(struct create_version_request, member)
static const struct field create_version_request_schema_fields[] = {
    { STR_INIT("ClientToken"), 1, FIELD_STR, AT(token), .max = 128 },
    { STR_INIT("LaunchTemplateId"), 2, FIELD_STR, AT(id), .max = 64 },
    { STR_INIT("LaunchTemplateName"), 3, FIELD_STR, AT(name), .max = 128 },
    { STR_INIT("VersionDescription"), 4, FIELD_STR, AT(description), .max = 255 },
    { STR_INIT("LaunchTemplateData"), 5, FIELD_STRUCT, AT(data), .schema = &launch_template_form_schema, .required = true },
};
#undef AT
const struct schema create_version_request_schema = SCHEMA_OF("CreateLaunchTemplateVersionRequest", struct create_version_request,
    create_version_request_schema_fields);

#define AT(member) .offset = offsetof(struct template_request, member)
static const struct field template_request_schema_fields[] = {
    { STR_INIT("ClientToken"), 1, FIELD_STR, AT(token), .max = 128 },
    { STR_INIT("LaunchTemplateId"), 2, FIELD_STR, AT(id), .max = 64 },
    { STR_INIT("LaunchTemplateName"), 3, FIELD_STR, AT(name), .max = 128 },
    { STR_INIT("SetDefaultVersion"), 4, FIELD_STR, AT(set_default_version), .max = 16 },
    { STR_INIT("LaunchTemplateVersion"), 5, FIELD_LIST, AT(versions), .element = FIELD_STR, .max = 200 },
    { STR_INIT("MaxResults"), 6, FIELD_INT, AT(max_results), .min = 1, .max = 200 },
    { STR_INIT("NextToken"), 7, FIELD_STR, AT(next_token), .max = 64 },
};
#undef AT
const struct schema template_request_schema = SCHEMA_OF("ModifyLaunchTemplateRequest", struct template_request,
    template_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_templates_request, member)
static const struct field describe_templates_request_schema_fields[] = {
    { STR_INIT("LaunchTemplateId"), 1, FIELD_LIST, AT(ids), .element = FIELD_STR, .max = 200 },
    { STR_INIT("LaunchTemplateName"), 2, FIELD_LIST, AT(names), .element = FIELD_STR, .max = 200 },
    { STR_INIT("Filter"), 3, FIELD_LIST, AT(filters), .element = FIELD_STRUCT, .schema = &ec2_filter_schema, .max = 200 },
};
#undef AT
const struct schema describe_templates_request_schema = SCHEMA_OF("DescribeLaunchTemplatesRequest",
    struct describe_templates_request, describe_templates_request_schema_fields);

#define AT(member) .offset = offsetof(struct template_response, member)
static const struct field template_response_schema_fields[] = {
    { STR_INIT("launchTemplate"), 1, FIELD_STRUCT, AT(template), .schema = &launch_template_schema },
};
#undef AT
const struct schema template_response_schema = SCHEMA_OF("CreateLaunchTemplateResult", struct template_response,
    template_response_schema_fields);

#define AT(member) .offset = offsetof(struct describe_templates_response, member)
static const struct field describe_templates_response_schema_fields[] = {
    { STR_INIT("launchTemplates"), 1, FIELD_LIST, AT(templates), .element = FIELD_STRUCT, .schema = &launch_template_schema },
};
#undef AT
const struct schema describe_templates_response_schema = SCHEMA_OF("DescribeLaunchTemplatesResult",
    struct describe_templates_response, describe_templates_response_schema_fields);

#define AT(member) .offset = offsetof(struct version_response, member)
static const struct field version_response_schema_fields[] = {
    { STR_INIT("launchTemplateVersion"), 1, FIELD_STRUCT, AT(version), .schema = &launch_template_version_schema },
};
#undef AT
const struct schema version_response_schema = SCHEMA_OF("CreateLaunchTemplateVersionResult", struct version_response,
    version_response_schema_fields);

#define AT(member) .offset = offsetof(struct versions_response, member)
static const struct field versions_response_schema_fields[] = {
    { STR_INIT("launchTemplateVersionSet"), 1, FIELD_LIST, AT(versions), .element = FIELD_STRUCT,
      .schema = &launch_template_version_schema },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema versions_response_schema = SCHEMA_OF("DescribeLaunchTemplateVersionsResult", struct versions_response,
    versions_response_schema_fields);

#define AT(member) .offset = offsetof(struct deleted_version, member)
static const struct field deleted_version_schema_fields[] = {
    { STR_INIT("launchTemplateId"), 1, FIELD_STR, AT(id) },
    { STR_INIT("launchTemplateName"), 2, FIELD_STR, AT(name) },
    { STR_INIT("versionNumber"), 3, FIELD_INT, AT(version_number) },
};
#undef AT
const struct schema deleted_version_schema = SCHEMA_OF("DeleteLaunchTemplateVersionsResponseSuccessItem", struct deleted_version,
    deleted_version_schema_fields);

#define AT(member) .offset = offsetof(struct deleted_versions_response, member)
static const struct field deleted_versions_response_schema_fields[] = {
    { STR_INIT("successfullyDeletedLaunchTemplateVersionSet"), 1, FIELD_LIST, AT(deleted), .element = FIELD_STRUCT,
      .schema = &deleted_version_schema },
};
#undef AT
const struct schema deleted_versions_response_schema = SCHEMA_OF("DeleteLaunchTemplateVersionsResult",
    struct deleted_versions_response, deleted_versions_response_schema_fields);
