/* Written by tools/shapes from api/aws/groups.shapes. */
#include "api/aws/groups.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct group_template, member)
static const struct field group_template_schema_fields[] = {
    { STR_INIT("LaunchTemplateId"), 1, FIELD_STR, AT(id), .max = 64 },
    { STR_INIT("LaunchTemplateName"), 2, FIELD_STR, AT(name), .max = 128 },
    { STR_INIT("Version"), 3, FIELD_STR, AT(version), .max = 16 },
};
#undef AT
const struct schema group_template_schema = SCHEMA_OF("LaunchTemplateSpecification", struct group_template,
    group_template_schema_fields);

#define AT(member) .offset = offsetof(struct group_tag, member)
static const struct field group_tag_schema_fields[] = {
    { STR_INIT("ResourceId"), 1, FIELD_STR, AT(resource_id) },
    { STR_INIT("ResourceType"), 2, FIELD_STR, AT(resource_type) },
    { STR_INIT("Key"), 3, FIELD_STR, AT(key), .min = 1, .max = 128, .required = true },
    { STR_INIT("Value"), 4, FIELD_STR, AT(value), .max = 256 },
    { STR_INIT("PropagateAtLaunch"), 5, FIELD_BOOL, AT(propagate_at_launch), .always = true },
};
#undef AT
const struct schema group_tag_schema = SCHEMA_OF("TagDescription", struct group_tag, group_tag_schema_fields);

#define AT(member) .offset = offsetof(struct group_instance, member)
static const struct field group_instance_schema_fields[] = {
    { STR_INIT("InstanceId"), 1, FIELD_STR, AT(id) },
    { STR_INIT("InstanceType"), 2, FIELD_STR, AT(type) },
    { STR_INIT("AvailabilityZone"), 3, FIELD_STR, AT(zone) },
    { STR_INIT("LifecycleState"), 4, FIELD_STR, AT(state) },
    { STR_INIT("HealthStatus"), 5, FIELD_STR, AT(health) },
    { STR_INIT("LaunchTemplate"), 6, FIELD_STRUCT, AT(template), .schema = &group_template_schema },
    { STR_INIT("ProtectedFromScaleIn"), 7, FIELD_BOOL, AT(protected), .always = true },
};
#undef AT
const struct schema group_instance_schema = SCHEMA_OF("Instance", struct group_instance, group_instance_schema_fields);

#define AT(member) .offset = offsetof(struct auto_scaling_group, member)
static const struct field auto_scaling_group_schema_fields[] = {
    { STR_INIT("AutoScalingGroupName"), 1, FIELD_STR, AT(name) },
    { STR_INIT("AutoScalingGroupARN"), 2, FIELD_STR, AT(arn) },
    { STR_INIT("LaunchTemplate"), 3, FIELD_STRUCT, AT(template), .schema = &group_template_schema },
    { STR_INIT("MinSize"), 4, FIELD_INT, AT(min_size) },
    { STR_INIT("MaxSize"), 5, FIELD_INT, AT(max_size) },
    { STR_INIT("DesiredCapacity"), 6, FIELD_INT, AT(desired_capacity) },
    { STR_INIT("DefaultCooldown"), 7, FIELD_INT, AT(default_cooldown) },
    { STR_INIT("AvailabilityZones"), 8, FIELD_LIST, AT(zones), .element = FIELD_STR },
    { STR_INIT("HealthCheckType"), 9, FIELD_STR, AT(health_check) },
    { STR_INIT("HealthCheckGracePeriod"), 10, FIELD_INT, AT(grace) },
    { STR_INIT("Instances"), 11, FIELD_LIST, AT(instances), .element = FIELD_STRUCT, .schema = &group_instance_schema },
    { STR_INIT("CreatedTime"), 12, FIELD_TIME, AT(created_time) },
    { STR_INIT("VPCZoneIdentifier"), 13, FIELD_STR, AT(subnets) },
    { STR_INIT("Status"), 14, FIELD_STR, AT(status) },
    { STR_INIT("Tags"), 15, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &group_tag_schema },
    { STR_INIT("TerminationPolicies"), 16, FIELD_LIST, AT(termination_policies), .element = FIELD_STR },
    { STR_INIT("NewInstancesProtectedFromScaleIn"), 17, FIELD_BOOL, AT(protects_new), .always = true },
    { STR_INIT("ServiceLinkedRoleARN"), 18, FIELD_STR, AT(role) },
};
#undef AT
const struct schema auto_scaling_group_schema = SCHEMA_OF("AutoScalingGroup", struct auto_scaling_group,
    auto_scaling_group_schema_fields);

#define AT(member) .offset = offsetof(struct group_activity, member)
static const struct field group_activity_schema_fields[] = {
    { STR_INIT("ActivityId"), 1, FIELD_STR, AT(id) },
    { STR_INIT("AutoScalingGroupName"), 2, FIELD_STR, AT(group) },
    { STR_INIT("Description"), 3, FIELD_STR, AT(description) },
    { STR_INIT("Cause"), 4, FIELD_STR, AT(cause) },
    { STR_INIT("StartTime"), 5, FIELD_TIME, AT(start_time) },
    { STR_INIT("EndTime"), 6, FIELD_TIME, AT(end_time) },
    { STR_INIT("StatusCode"), 7, FIELD_STR, AT(status_code) },
    { STR_INIT("StatusMessage"), 8, FIELD_STR, AT(status_message) },
    { STR_INIT("Progress"), 9, FIELD_INT, AT(progress) },
    { STR_INIT("AutoScalingGroupARN"), 10, FIELD_STR, AT(arn) },
};
#undef AT
const struct schema group_activity_schema = SCHEMA_OF("Activity", struct group_activity, group_activity_schema_fields);

#define AT(member) .offset = offsetof(struct not_available, member)
static const struct field not_available_schema_fields[] = {
    { STR_INIT("unused"), 1, FIELD_STR, AT(unused) },
};
#undef AT
const struct schema not_available_schema = SCHEMA_OF("NotAvailable", struct not_available, not_available_schema_fields);

#define AT(member) .offset = offsetof(struct group_settings, member)
static const struct field group_settings_schema_fields[] = {
    { STR_INIT("AutoScalingGroupName"), 1, FIELD_STR, AT(name), .min = 1, .max = 255, .required = true },
    { STR_INIT("LaunchTemplate"), 2, FIELD_STRUCT, AT(template), .schema = &group_template_schema },
    { STR_INIT("MinSize"), 3, FIELD_INT, AT(min_size), .max = 10000 },
    { STR_INIT("MaxSize"), 4, FIELD_INT, AT(max_size), .max = 10000 },
    { STR_INIT("DesiredCapacity"), 5, FIELD_INT, AT(desired), .max = 10000 },
    { STR_INIT("AvailabilityZones"), 6, FIELD_LIST, AT(zones), .element = FIELD_STR, .max = 20 },
    { STR_INIT("HealthCheckType"), 7, FIELD_STR, AT(health_check), .max = 32 },
    { STR_INIT("HealthCheckGracePeriod"), 8, FIELD_INT, AT(grace), .max = 604800 },
    { STR_INIT("VPCZoneIdentifier"), 9, FIELD_STR, AT(subnets), .max = 5000 },
    { STR_INIT("NewInstancesProtectedFromScaleIn"), 10, FIELD_BOOL, AT(protects_new) },
    { STR_INIT("Tags"), 11, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &group_tag_schema, .max = 50 },
    { STR_INIT("LaunchConfigurationName"), 12, FIELD_STR, AT(configuration) },
    { STR_INIT("MixedInstancesPolicy"), 13, FIELD_STRUCT, AT(mixed), .schema = &not_available_schema },
    { STR_INIT("InstanceId"), 14, FIELD_STR, AT(instance_id) },
    { STR_INIT("TargetGroupARNs"), 15, FIELD_LIST, AT(target_groups), .element = FIELD_STR },
    { STR_INIT("LoadBalancerNames"), 16, FIELD_LIST, AT(balancers), .element = FIELD_STR },
    { STR_INIT("PlacementGroup"), 17, FIELD_STR, AT(placement_group) },
    { STR_INIT("MaxInstanceLifetime"), 18, FIELD_INT, AT(lifetime) },
    { STR_INIT("DefaultCooldown"), 19, FIELD_INT, AT(cooldown) },
    { STR_INIT("TerminationPolicies"), 20, FIELD_LIST, AT(policies), .element = FIELD_STR },
    { STR_INIT("CapacityRebalance"), 21, FIELD_BOOL, AT(rebalance) },
    { STR_INIT("DefaultInstanceWarmup"), 22, FIELD_INT, AT(warmup) },
    { STR_INIT("DesiredCapacityType"), 23, FIELD_STR, AT(unit) },
    { STR_INIT("Context"), 24, FIELD_STR, AT(context) },
    { STR_INIT("ServiceLinkedRoleARN"), 25, FIELD_STR, AT(role) },
    { STR_INIT("LifecycleHookSpecificationList"), 26, FIELD_LIST, AT(hooks), .element = FIELD_STRUCT,
      .schema = &not_available_schema },
    { STR_INIT("TrafficSources"), 27, FIELD_LIST, AT(traffic), .element = FIELD_STRUCT, .schema = &not_available_schema },
    { STR_INIT("InstanceMaintenancePolicy"), 28, FIELD_STRUCT, AT(maintenance), .schema = &not_available_schema },
};
#undef AT
const struct schema group_settings_schema = SCHEMA_OF("CreateAutoScalingGroupType", struct group_settings,
    group_settings_schema_fields);

#define AT(member) .offset = offsetof(struct groups_filter, member)
static const struct field groups_filter_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name), .min = 1, .max = 255, .required = true },
    { STR_INIT("Values"), 2, FIELD_LIST, AT(values), .element = FIELD_STR, .max = 200 },
};
#undef AT
const struct schema groups_filter_schema = SCHEMA_OF("Filter", struct groups_filter, groups_filter_schema_fields);

#define AT(member) .offset = offsetof(struct describe_auto_scaling_groups_request, member)
static const struct field describe_auto_scaling_groups_request_schema_fields[] = {
    { STR_INIT("AutoScalingGroupNames"), 1, FIELD_LIST, AT(names), .element = FIELD_STR, .max = 100 },
    { STR_INIT("Filters"), 2, FIELD_LIST, AT(filters), .element = FIELD_STRUCT, .schema = &groups_filter_schema, .max = 20 },
};
#undef AT
const struct schema describe_auto_scaling_groups_request_schema = SCHEMA_OF("AutoScalingGroupNamesType",
    struct describe_auto_scaling_groups_request, describe_auto_scaling_groups_request_schema_fields);

#define AT(member) .offset = offsetof(struct auto_scaling_group_request, member)
static const struct field auto_scaling_group_request_schema_fields[] = {
    { STR_INIT("AutoScalingGroupName"), 1, FIELD_STR, AT(name), .min = 1, .max = 255, .required = true },
    { STR_INIT("ForceDelete"), 2, FIELD_BOOL, AT(force) },
};
#undef AT
const struct schema auto_scaling_group_request_schema = SCHEMA_OF("DeleteAutoScalingGroupType", struct auto_scaling_group_request,
    auto_scaling_group_request_schema_fields);

#define AT(member) .offset = offsetof(struct desired_capacity_request, member)
static const struct field desired_capacity_request_schema_fields[] = {
    { STR_INIT("AutoScalingGroupName"), 1, FIELD_STR, AT(name), .min = 1, .max = 255, .required = true },
    { STR_INIT("DesiredCapacity"), 2, FIELD_INT, AT(desired), .max = 10000, .required = true },
    { STR_INIT("HonorCooldown"), 3, FIELD_BOOL, AT(honor_cooldown) },
};
#undef AT
const struct schema desired_capacity_request_schema = SCHEMA_OF("SetDesiredCapacityType", struct desired_capacity_request,
    desired_capacity_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_group_activities_request, member)
static const struct field describe_group_activities_request_schema_fields[] = {
    { STR_INIT("AutoScalingGroupName"), 1, FIELD_STR, AT(name), .max = 255 },
};
#undef AT
const struct schema describe_group_activities_request_schema = SCHEMA_OF("DescribeScalingActivitiesType",
    struct describe_group_activities_request, describe_group_activities_request_schema_fields);

#define AT(member) .offset = offsetof(struct protection_request, member)
static const struct field protection_request_schema_fields[] = {
    { STR_INIT("AutoScalingGroupName"), 1, FIELD_STR, AT(name), .min = 1, .max = 255, .required = true },
    { STR_INIT("InstanceIds"), 2, FIELD_LIST, AT(ids), .element = FIELD_STR, .min = 1, .max = 50, .required = true },
    { STR_INIT("ProtectedFromScaleIn"), 3, FIELD_BOOL, AT(protected), .required = true },
};
#undef AT
const struct schema protection_request_schema = SCHEMA_OF("SetInstanceProtectionQuery", struct protection_request,
    protection_request_schema_fields);

#define AT(member) .offset = offsetof(struct group_tags_request, member)
static const struct field group_tags_request_schema_fields[] = {
    { STR_INIT("Tags"), 1, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &group_tag_schema, .min = 1, .max = 1000,
      .required = true },
};
#undef AT
const struct schema group_tags_request_schema = SCHEMA_OF("CreateOrUpdateTagsType", struct group_tags_request,
    group_tags_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_auto_scaling_groups_response, member)
static const struct field describe_auto_scaling_groups_response_schema_fields[] = {
    { STR_INIT("AutoScalingGroups"), 1, FIELD_LIST, AT(groups), .element = FIELD_STRUCT, .schema = &auto_scaling_group_schema },
};
#undef AT
const struct schema describe_auto_scaling_groups_response_schema = SCHEMA_OF("AutoScalingGroupsType",
    struct describe_auto_scaling_groups_response, describe_auto_scaling_groups_response_schema_fields);

#define AT(member) .offset = offsetof(struct describe_group_activities_response, member)
static const struct field describe_group_activities_response_schema_fields[] = {
    { STR_INIT("Activities"), 1, FIELD_LIST, AT(activities), .element = FIELD_STRUCT, .schema = &group_activity_schema },
};
#undef AT
const struct schema describe_group_activities_response_schema = SCHEMA_OF("ActivitiesType",
    struct describe_group_activities_response, describe_group_activities_response_schema_fields);
