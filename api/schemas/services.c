/* Written by tools/shapes from api/schemas/services.shapes. */
#include "api/schemas/services.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct advanced_configuration, member)
static const struct field advanced_configuration_schema_fields[] = {
    { STR_INIT("alternateTargetGroupArn"), 1, FIELD_STR, AT(alternate_target_group_arn) },
    { STR_INIT("productionListenerRule"), 2, FIELD_STR, AT(production_listener_rule) },
    { STR_INIT("testListenerRule"), 3, FIELD_STR, AT(test_listener_rule) },
    { STR_INIT("roleArn"), 4, FIELD_STR, AT(role_arn) },
};
#undef AT
const struct schema advanced_configuration_schema = SCHEMA_OF("AdvancedConfiguration", struct advanced_configuration,
    advanced_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct load_balancer, member)
static const struct field load_balancer_schema_fields[] = {
    { STR_INIT("targetGroupArn"), 1, FIELD_STR, AT(target_group_arn) },
    { STR_INIT("loadBalancerName"), 2, FIELD_STR, AT(load_balancer_name) },
    { STR_INIT("containerName"), 3, FIELD_STR, AT(container_name), .max = 255 },
    { STR_INIT("containerPort"), 4, FIELD_INT, AT(container_port), .min = 1, .max = 65535 },
    { STR_INIT("advancedConfiguration"), 5, FIELD_STRUCT, AT(advanced_configuration), .schema = &advanced_configuration_schema },
};
#undef AT
const struct schema load_balancer_schema = SCHEMA_OF("LoadBalancer", struct load_balancer, load_balancer_schema_fields);

#define AT(member) .offset = offsetof(struct service_registry, member)
static const struct field service_registry_schema_fields[] = {
    { STR_INIT("registryArn"), 1, FIELD_STR, AT(registry_arn) },
    { STR_INIT("port"), 2, FIELD_INT, AT(port), .min = 1, .max = 65535 },
    { STR_INIT("containerName"), 3, FIELD_STR, AT(container_name), .max = 255 },
    { STR_INIT("containerPort"), 4, FIELD_INT, AT(container_port), .min = 1, .max = 65535 },
};
#undef AT
const struct schema service_registry_schema = SCHEMA_OF("ServiceRegistry", struct service_registry,
    service_registry_schema_fields);

static const struct str threshold_type_words[] = { STR_INIT("COUNT"), STR_INIT("BOUNDED_PERCENT"),
    STR_INIT("UNBOUNDED_PERCENT") };
const struct enum_names threshold_type_names = { threshold_type_words, COUNT_OF(threshold_type_words) };

#define AT(member) .offset = offsetof(struct threshold_configuration, member)
static const struct field threshold_configuration_schema_fields[] = {
    { STR_INIT("type"), 1, FIELD_ENUM, AT(type), .names = &threshold_type_names, .required = true },
    { STR_INIT("value"), 2, FIELD_INT, AT(value), .min = 1, .max = INT32_MAX, .required = true, .always = true },
};
#undef AT
const struct schema threshold_configuration_schema = SCHEMA_OF("ThresholdConfiguration", struct threshold_configuration,
    threshold_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct deployment_circuit_breaker, member)
static const struct field deployment_circuit_breaker_schema_fields[] = {
    { STR_INIT("enable"), 1, FIELD_BOOL, AT(enable), .required = true, .always = true },
    { STR_INIT("rollback"), 2, FIELD_BOOL, AT(rollback), .required = true, .always = true },
    { STR_INIT("resetOnHealthyTask"), 3, FIELD_BOOL, AT(reset_on_healthy_task) },
    { STR_INIT("thresholdConfiguration"), 4, FIELD_STRUCT, AT(threshold_configuration),
      .schema = &threshold_configuration_schema },
};
#undef AT
const struct schema deployment_circuit_breaker_schema = SCHEMA_OF("DeploymentCircuitBreaker", struct deployment_circuit_breaker,
    deployment_circuit_breaker_schema_fields);

#define AT(member) .offset = offsetof(struct deployment_alarms, member)
static const struct field deployment_alarms_schema_fields[] = {
    { STR_INIT("alarmNames"), 1, FIELD_LIST, AT(alarm_names), .element = FIELD_STR, .required = true },
    { STR_INIT("rollback"), 2, FIELD_BOOL, AT(rollback), .required = true, .always = true },
    { STR_INIT("enable"), 3, FIELD_BOOL, AT(enable), .required = true, .always = true },
};
#undef AT
const struct schema deployment_alarms_schema = SCHEMA_OF("DeploymentAlarms", struct deployment_alarms,
    deployment_alarms_schema_fields);

static const struct str deployment_lifecycle_hook_action_words[] = { STR_INIT("ROLLBACK"), STR_INIT("CONTINUE") };
const struct enum_names deployment_lifecycle_hook_action_names = { deployment_lifecycle_hook_action_words,
    COUNT_OF(deployment_lifecycle_hook_action_words) };

#define AT(member) .offset = offsetof(struct deployment_lifecycle_hook_timeout_configuration, member)
static const struct field deployment_lifecycle_hook_timeout_configuration_schema_fields[] = {
    { STR_INIT("timeoutInMinutes"), 1, FIELD_INT, AT(timeout_in_minutes), .min = 1, .max = 20160 },
    { STR_INIT("action"), 2, FIELD_ENUM, AT(action), .names = &deployment_lifecycle_hook_action_names },
};
#undef AT
const struct schema deployment_lifecycle_hook_timeout_configuration_schema = SCHEMA_OF("DeploymentLifecycleHookTimeoutConfiguration",
    struct deployment_lifecycle_hook_timeout_configuration, deployment_lifecycle_hook_timeout_configuration_schema_fields);

static const struct str deployment_lifecycle_hook_target_type_words[] = { STR_INIT("AWS_LAMBDA"), STR_INIT("PAUSE") };
const struct enum_names deployment_lifecycle_hook_target_type_names = { deployment_lifecycle_hook_target_type_words,
    COUNT_OF(deployment_lifecycle_hook_target_type_words) };

static const struct str deployment_lifecycle_hook_stage_words[] = { STR_INIT("RECONCILE_SERVICE"), STR_INIT("PRE_SCALE_UP"),
    STR_INIT("POST_SCALE_UP"), STR_INIT("TEST_TRAFFIC_SHIFT"), STR_INIT("POST_TEST_TRAFFIC_SHIFT"),
    STR_INIT("PRE_PRODUCTION_TRAFFIC_SHIFT"), STR_INIT("PRODUCTION_TRAFFIC_SHIFT"), STR_INIT("POST_PRODUCTION_TRAFFIC_SHIFT") };
const struct enum_names deployment_lifecycle_hook_stage_names = { deployment_lifecycle_hook_stage_words,
    COUNT_OF(deployment_lifecycle_hook_stage_words) };

#define AT(member) .offset = offsetof(struct deployment_lifecycle_hook, member)
static const struct field deployment_lifecycle_hook_schema_fields[] = {
    { STR_INIT("targetType"), 1, FIELD_ENUM, AT(target_type), .names = &deployment_lifecycle_hook_target_type_names },
    { STR_INIT("hookTargetArn"), 2, FIELD_STR, AT(hook_target_arn) },
    { STR_INIT("roleArn"), 3, FIELD_STR, AT(role_arn) },
    { STR_INIT("lifecycleStages"), 4, FIELD_LIST, AT(lifecycle_stages), .element = FIELD_ENUM,
      .names = &deployment_lifecycle_hook_stage_names },
    { STR_INIT("hookDetails"), 5, FIELD_JSON, AT(hook_details) },
    { STR_INIT("timeoutConfiguration"), 6, FIELD_STRUCT, AT(timeout_configuration),
      .schema = &deployment_lifecycle_hook_timeout_configuration_schema },
};
#undef AT
const struct schema deployment_lifecycle_hook_schema = SCHEMA_OF("DeploymentLifecycleHook", struct deployment_lifecycle_hook,
    deployment_lifecycle_hook_schema_fields);

#define AT(member) .offset = offsetof(struct linear_configuration, member)
static const struct field linear_configuration_schema_fields[] = {
    { STR_INIT("stepPercent"), 1, FIELD_DOUBLE, AT(step_percent), .min = 3, .max = 100, .always = true },
    { STR_INIT("stepBakeTimeInMinutes"), 2, FIELD_INT, AT(step_bake_time_in_minutes), .max = 1440, .always = true },
};
#undef AT
const struct schema linear_configuration_schema = SCHEMA_OF("LinearConfiguration", struct linear_configuration,
    linear_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct canary_configuration, member)
static const struct field canary_configuration_schema_fields[] = {
    { STR_INIT("canaryPercent"), 1, FIELD_DOUBLE, AT(canary_percent), .max = 100, .always = true },
    { STR_INIT("canaryBakeTimeInMinutes"), 2, FIELD_INT, AT(canary_bake_time_in_minutes), .max = 1440, .always = true },
};
#undef AT
const struct schema canary_configuration_schema = SCHEMA_OF("CanaryConfiguration", struct canary_configuration,
    canary_configuration_schema_fields);

static const struct str deployment_strategy_words[] = { STR_INIT("ROLLING"), STR_INIT("BLUE_GREEN"), STR_INIT("LINEAR"),
    STR_INIT("CANARY") };
const struct enum_names deployment_strategy_names = { deployment_strategy_words, COUNT_OF(deployment_strategy_words) };

#define AT(member) .offset = offsetof(struct deployment_configuration, member)
static const struct field deployment_configuration_schema_fields[] = {
    { STR_INIT("deploymentCircuitBreaker"), 1, FIELD_STRUCT, AT(deployment_circuit_breaker),
      .schema = &deployment_circuit_breaker_schema },
    { STR_INIT("maximumPercent"), 2, FIELD_INT, AT(maximum_percent), .max = INT32_MAX },
    { STR_INIT("minimumHealthyPercent"), 3, FIELD_INT, AT(minimum_healthy_percent), .max = INT32_MAX },
    { STR_INIT("alarms"), 4, FIELD_STRUCT, AT(alarms), .schema = &deployment_alarms_schema },
    { STR_INIT("strategy"), 5, FIELD_ENUM, AT(strategy), .names = &deployment_strategy_names },
    { STR_INIT("bakeTimeInMinutes"), 6, FIELD_INT, AT(bake_time_in_minutes), .max = 1440 },
    { STR_INIT("lifecycleHooks"), 7, FIELD_LIST, AT(lifecycle_hooks), .element = FIELD_STRUCT,
      .schema = &deployment_lifecycle_hook_schema },
    { STR_INIT("linearConfiguration"), 8, FIELD_STRUCT, AT(linear_configuration), .schema = &linear_configuration_schema },
    { STR_INIT("canaryConfiguration"), 9, FIELD_STRUCT, AT(canary_configuration), .schema = &canary_configuration_schema },
};
#undef AT
const struct schema deployment_configuration_schema = SCHEMA_OF("DeploymentConfiguration", struct deployment_configuration,
    deployment_configuration_schema_fields);

static const struct str deployment_controller_type_words[] = { STR_INIT("ECS"), STR_INIT("CODE_DEPLOY"), STR_INIT("EXTERNAL") };
const struct enum_names deployment_controller_type_names = { deployment_controller_type_words,
    COUNT_OF(deployment_controller_type_words) };

#define AT(member) .offset = offsetof(struct deployment_controller, member)
static const struct field deployment_controller_schema_fields[] = {
    { STR_INIT("type"), 1, FIELD_ENUM, AT(type), .names = &deployment_controller_type_names, .required = true },
};
#undef AT
const struct schema deployment_controller_schema = SCHEMA_OF("DeploymentController", struct deployment_controller,
    deployment_controller_schema_fields);

#define AT(member) .offset = offsetof(struct service_connect_test_traffic_header_match_rules, member)
static const struct field service_connect_test_traffic_header_match_rules_schema_fields[] = {
    { STR_INIT("exact"), 1, FIELD_STR, AT(exact), .required = true },
};
#undef AT
const struct schema service_connect_test_traffic_header_match_rules_schema = SCHEMA_OF("ServiceConnectTestTrafficHeaderMatchRules",
    struct service_connect_test_traffic_header_match_rules, service_connect_test_traffic_header_match_rules_schema_fields);

#define AT(member) .offset = offsetof(struct service_connect_test_traffic_header_rules, member)
static const struct field service_connect_test_traffic_header_rules_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name), .required = true },
    { STR_INIT("value"), 2, FIELD_STRUCT, AT(value), .schema = &service_connect_test_traffic_header_match_rules_schema },
};
#undef AT
const struct schema service_connect_test_traffic_header_rules_schema = SCHEMA_OF("ServiceConnectTestTrafficHeaderRules",
    struct service_connect_test_traffic_header_rules, service_connect_test_traffic_header_rules_schema_fields);

#define AT(member) .offset = offsetof(struct service_connect_test_traffic_rules, member)
static const struct field service_connect_test_traffic_rules_schema_fields[] = {
    { STR_INIT("header"), 1, FIELD_STRUCT, AT(header), .schema = &service_connect_test_traffic_header_rules_schema,
      .required = true },
};
#undef AT
const struct schema service_connect_test_traffic_rules_schema = SCHEMA_OF("ServiceConnectTestTrafficRules",
    struct service_connect_test_traffic_rules, service_connect_test_traffic_rules_schema_fields);

#define AT(member) .offset = offsetof(struct service_connect_client_alias, member)
static const struct field service_connect_client_alias_schema_fields[] = {
    { STR_INIT("port"), 1, FIELD_INT, AT(port), .max = 65535, .required = true },
    { STR_INIT("dnsName"), 2, FIELD_STR, AT(dns_name) },
    { STR_INIT("testTrafficRules"), 3, FIELD_STRUCT, AT(test_traffic_rules),
      .schema = &service_connect_test_traffic_rules_schema },
};
#undef AT
const struct schema service_connect_client_alias_schema = SCHEMA_OF("ServiceConnectClientAlias",
    struct service_connect_client_alias, service_connect_client_alias_schema_fields);

#define AT(member) .offset = offsetof(struct timeout_configuration, member)
static const struct field timeout_configuration_schema_fields[] = {
    { STR_INIT("idleTimeoutSeconds"), 1, FIELD_INT, AT(idle_timeout_seconds), .max = 2147483647 },
    { STR_INIT("perRequestTimeoutSeconds"), 2, FIELD_INT, AT(per_request_timeout_seconds), .max = 2147483647 },
};
#undef AT
const struct schema timeout_configuration_schema = SCHEMA_OF("TimeoutConfiguration", struct timeout_configuration,
    timeout_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct service_connect_tls_certificate_authority, member)
static const struct field service_connect_tls_certificate_authority_schema_fields[] = {
    { STR_INIT("awsPcaAuthorityArn"), 1, FIELD_STR, AT(aws_pca_authority_arn) },
};
#undef AT
const struct schema service_connect_tls_certificate_authority_schema = SCHEMA_OF("ServiceConnectTlsCertificateAuthority",
    struct service_connect_tls_certificate_authority, service_connect_tls_certificate_authority_schema_fields);

#define AT(member) .offset = offsetof(struct service_connect_tls_configuration, member)
static const struct field service_connect_tls_configuration_schema_fields[] = {
    { STR_INIT("issuerCertificateAuthority"), 1, FIELD_STRUCT, AT(issuer_certificate_authority),
      .schema = &service_connect_tls_certificate_authority_schema, .required = true },
    { STR_INIT("kmsKey"), 2, FIELD_STR, AT(kms_key) },
    { STR_INIT("roleArn"), 3, FIELD_STR, AT(role_arn) },
};
#undef AT
const struct schema service_connect_tls_configuration_schema = SCHEMA_OF("ServiceConnectTlsConfiguration",
    struct service_connect_tls_configuration, service_connect_tls_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct service_connect_service, member)
static const struct field service_connect_service_schema_fields[] = {
    { STR_INIT("portName"), 1, FIELD_STR, AT(port_name), .required = true },
    { STR_INIT("discoveryName"), 2, FIELD_STR, AT(discovery_name) },
    { STR_INIT("clientAliases"), 3, FIELD_LIST, AT(client_aliases), .element = FIELD_STRUCT,
      .schema = &service_connect_client_alias_schema },
    { STR_INIT("ingressPortOverride"), 4, FIELD_INT, AT(ingress_port_override), .max = 65535 },
    { STR_INIT("timeout"), 5, FIELD_STRUCT, AT(timeout), .schema = &timeout_configuration_schema },
    { STR_INIT("tls"), 6, FIELD_STRUCT, AT(tls), .schema = &service_connect_tls_configuration_schema },
};
#undef AT
const struct schema service_connect_service_schema = SCHEMA_OF("ServiceConnectService", struct service_connect_service,
    service_connect_service_schema_fields);

static const struct str service_connect_access_logging_format_words[] = { STR_INIT("TEXT"), STR_INIT("JSON") };
const struct enum_names service_connect_access_logging_format_names = { service_connect_access_logging_format_words,
    COUNT_OF(service_connect_access_logging_format_words) };

static const struct str service_connect_include_query_parameters_words[] = { STR_INIT("DISABLED"), STR_INIT("ENABLED") };
const struct enum_names service_connect_include_query_parameters_names = { service_connect_include_query_parameters_words,
    COUNT_OF(service_connect_include_query_parameters_words) };

#define AT(member) .offset = offsetof(struct service_connect_access_log_configuration, member)
static const struct field service_connect_access_log_configuration_schema_fields[] = {
    { STR_INIT("format"), 1, FIELD_ENUM, AT(format), .names = &service_connect_access_logging_format_names, .required = true },
    { STR_INIT("includeQueryParameters"), 2, FIELD_ENUM, AT(include_query_parameters),
      .names = &service_connect_include_query_parameters_names },
};
#undef AT
const struct schema service_connect_access_log_configuration_schema = SCHEMA_OF("ServiceConnectAccessLogConfiguration",
    struct service_connect_access_log_configuration, service_connect_access_log_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct service_connect_configuration, member)
static const struct field service_connect_configuration_schema_fields[] = {
    { STR_INIT("enabled"), 1, FIELD_BOOL, AT(enabled), .required = true, .always = true },
    { STR_INIT("namespace"), 2, FIELD_STR, AT(namespace) },
    { STR_INIT("services"), 3, FIELD_LIST, AT(services), .element = FIELD_STRUCT, .schema = &service_connect_service_schema },
    { STR_INIT("logConfiguration"), 4, FIELD_STRUCT, AT(log_configuration), .schema = &log_configuration_schema },
    { STR_INIT("accessLogConfiguration"), 5, FIELD_STRUCT, AT(access_log_configuration),
      .schema = &service_connect_access_log_configuration_schema },
};
#undef AT
const struct schema service_connect_configuration_schema = SCHEMA_OF("ServiceConnectConfiguration",
    struct service_connect_configuration, service_connect_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct service_managed_ebs_volume_configuration, member)
static const struct field service_managed_ebs_volume_configuration_schema_fields[] = {
    { STR_INIT("encrypted"), 1, FIELD_BOOL, AT(encrypted) },
    { STR_INIT("kmsKeyId"), 2, FIELD_STR, AT(kms_key_id) },
    { STR_INIT("volumeType"), 3, FIELD_STR, AT(volume_type) },
    { STR_INIT("sizeInGiB"), 4, FIELD_INT, AT(size_in_gib) },
    { STR_INIT("snapshotId"), 5, FIELD_STR, AT(snapshot_id) },
    { STR_INIT("volumeInitializationRate"), 6, FIELD_INT, AT(volume_initialization_rate) },
    { STR_INIT("iops"), 7, FIELD_INT, AT(iops) },
    { STR_INIT("throughput"), 8, FIELD_INT, AT(throughput) },
    { STR_INIT("tagSpecifications"), 9, FIELD_LIST, AT(tag_specifications), .element = FIELD_STRUCT,
      .schema = &ebs_tag_specification_schema },
    { STR_INIT("roleArn"), 10, FIELD_STR, AT(role_arn), .required = true },
    { STR_INIT("filesystemType"), 11, FIELD_ENUM, AT(filesystem_type), .names = &task_filesystem_type_names },
};
#undef AT
const struct schema service_managed_ebs_volume_configuration_schema = SCHEMA_OF("ServiceManagedEBSVolumeConfiguration",
    struct service_managed_ebs_volume_configuration, service_managed_ebs_volume_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct service_volume_configuration, member)
static const struct field service_volume_configuration_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name), .required = true },
    { STR_INIT("managedEBSVolume"), 2, FIELD_STRUCT, AT(managed_ebs_volume),
      .schema = &service_managed_ebs_volume_configuration_schema },
};
#undef AT
const struct schema service_volume_configuration_schema = SCHEMA_OF("ServiceVolumeConfiguration",
    struct service_volume_configuration, service_volume_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct vpc_lattice_configuration, member)
static const struct field vpc_lattice_configuration_schema_fields[] = {
    { STR_INIT("roleArn"), 1, FIELD_STR, AT(role_arn), .required = true },
    { STR_INIT("targetGroupArn"), 2, FIELD_STR, AT(target_group_arn), .required = true },
    { STR_INIT("portName"), 3, FIELD_STR, AT(port_name), .required = true },
};
#undef AT
const struct schema vpc_lattice_configuration_schema = SCHEMA_OF("VpcLatticeConfiguration", struct vpc_lattice_configuration,
    vpc_lattice_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct metric_configuration, member)
static const struct field metric_configuration_schema_fields[] = {
    { STR_INIT("metricNames"), 1, FIELD_LIST, AT(metric_names), .element = FIELD_STR, .min = 1, .max = 5, .required = true },
    { STR_INIT("resolutionSeconds"), 2, FIELD_INT, AT(resolution_seconds), .min = 20, .max = 60, .required = true },
};
#undef AT
const struct schema metric_configuration_schema = SCHEMA_OF("MetricConfiguration", struct metric_configuration,
    metric_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct monitoring_configuration, member)
static const struct field monitoring_configuration_schema_fields[] = {
    { STR_INIT("metricConfigurations"), 1, FIELD_LIST, AT(metric_configurations), .element = FIELD_STRUCT,
      .schema = &metric_configuration_schema, .max = 5 },
};
#undef AT
const struct schema monitoring_configuration_schema = SCHEMA_OF("MonitoringConfiguration", struct monitoring_configuration,
    monitoring_configuration_schema_fields);

static const struct str availability_zone_rebalancing_words[] = { STR_INIT("ENABLED"), STR_INIT("DISABLED") };
const struct enum_names availability_zone_rebalancing_names = { availability_zone_rebalancing_words,
    COUNT_OF(availability_zone_rebalancing_words) };

static const struct str scheduling_strategy_words[] = { STR_INIT("REPLICA"), STR_INIT("DAEMON") };
const struct enum_names scheduling_strategy_names = { scheduling_strategy_words, COUNT_OF(scheduling_strategy_words) };

#define AT(member) .offset = offsetof(struct create_service_request, member)
static const struct field create_service_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("serviceName"), 2, FIELD_STR, AT(service_name), .min = 1, .max = 255, .required = true },
    { STR_INIT("taskDefinition"), 3, FIELD_STR, AT(task_definition) },
    { STR_INIT("availabilityZoneRebalancing"), 4, FIELD_ENUM, AT(availability_zone_rebalancing),
      .names = &availability_zone_rebalancing_names },
    { STR_INIT("loadBalancers"), 5, FIELD_LIST, AT(load_balancers), .element = FIELD_STRUCT, .schema = &load_balancer_schema,
      .max = 5 },
    { STR_INIT("serviceRegistries"), 6, FIELD_LIST, AT(service_registries), .element = FIELD_STRUCT,
      .schema = &service_registry_schema },
    { STR_INIT("desiredCount"), 7, FIELD_INT, AT(desired_count), .max = INT32_MAX },
    { STR_INIT("clientToken"), 8, FIELD_STR, AT(client_token), .max = 36 },
    { STR_INIT("launchType"), 9, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("capacityProviderStrategy"), 10, FIELD_LIST, AT(capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema, .max = 20 },
    { STR_INIT("platformVersion"), 11, FIELD_STR, AT(platform_version) },
    { STR_INIT("role"), 12, FIELD_STR, AT(role) },
    { STR_INIT("deploymentConfiguration"), 13, FIELD_STRUCT, AT(deployment_configuration),
      .schema = &deployment_configuration_schema },
    { STR_INIT("placementConstraints"), 14, FIELD_LIST, AT(placement_constraints), .element = FIELD_STRUCT,
      .schema = &placement_constraint_schema, .max = 10 },
    { STR_INIT("placementStrategy"), 15, FIELD_LIST, AT(placement_strategy), .element = FIELD_STRUCT,
      .schema = &placement_strategy_schema, .max = 5 },
    { STR_INIT("networkConfiguration"), 16, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT("healthCheckGracePeriodSeconds"), 17, FIELD_INT, AT(health_check_grace_period_seconds), .max = INT32_MAX },
    { STR_INIT("schedulingStrategy"), 18, FIELD_ENUM, AT(scheduling_strategy), .names = &scheduling_strategy_names },
    { STR_INIT("deploymentController"), 19, FIELD_STRUCT, AT(deployment_controller), .schema = &deployment_controller_schema },
    { STR_INIT("tags"), 20, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("enableECSManagedTags"), 21, FIELD_BOOL, AT(enable_ecs_managed_tags) },
    { STR_INIT("propagateTags"), 22, FIELD_ENUM, AT(propagate_tags), .names = &propagate_tags_names },
    { STR_INIT("enableExecuteCommand"), 23, FIELD_BOOL, AT(enable_execute_command) },
    { STR_INIT("serviceConnectConfiguration"), 24, FIELD_STRUCT, AT(service_connect_configuration),
      .schema = &service_connect_configuration_schema },
    { STR_INIT("volumeConfigurations"), 25, FIELD_LIST, AT(volume_configurations), .element = FIELD_STRUCT,
      .schema = &service_volume_configuration_schema },
    { STR_INIT("vpcLatticeConfigurations"), 26, FIELD_LIST, AT(vpc_lattice_configurations), .element = FIELD_STRUCT,
      .schema = &vpc_lattice_configuration_schema },
    { STR_INIT("monitoring"), 27, FIELD_STRUCT, AT(monitoring), .schema = &monitoring_configuration_schema },
};
#undef AT
const struct schema create_service_request_schema = SCHEMA_OF("CreateServiceRequest", struct create_service_request,
    create_service_request_schema_fields);

static const struct str scale_unit_words[] = { STR_INIT("PERCENT") };
const struct enum_names scale_unit_names = { scale_unit_words, COUNT_OF(scale_unit_words) };

#define AT(member) .offset = offsetof(struct scale, member)
static const struct field scale_schema_fields[] = {
    { STR_INIT("value"), 1, FIELD_DOUBLE, AT(value), .max = 100, .always = true },
    { STR_INIT("unit"), 2, FIELD_ENUM, AT(unit), .names = &scale_unit_names },
};
#undef AT
const struct schema scale_schema = SCHEMA_OF("Scale", struct scale, scale_schema_fields);

#define AT(member) .offset = offsetof(struct deployment_ephemeral_storage, member)
static const struct field deployment_ephemeral_storage_schema_fields[] = {
    { STR_INIT("kmsKeyId"), 1, FIELD_STR, AT(kms_key_id) },
};
#undef AT
const struct schema deployment_ephemeral_storage_schema = SCHEMA_OF("DeploymentEphemeralStorage",
    struct deployment_ephemeral_storage, deployment_ephemeral_storage_schema_fields);

static const struct str stability_status_words[] = { STR_INIT("STEADY_STATE"), STR_INIT("STABILIZING") };
const struct enum_names stability_status_names = { stability_status_words, COUNT_OF(stability_status_words) };

#define AT(member) .offset = offsetof(struct task_set, member)
static const struct field task_set_schema_fields[] = {
    { STR_INIT("id"), 1, FIELD_STR, AT(id) },
    { STR_INIT("taskSetArn"), 2, FIELD_STR, AT(task_set_arn) },
    { STR_INIT("serviceArn"), 3, FIELD_STR, AT(service_arn) },
    { STR_INIT("clusterArn"), 4, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("startedBy"), 5, FIELD_STR, AT(started_by) },
    { STR_INIT("externalId"), 6, FIELD_STR, AT(external_id) },
    { STR_INIT("status"), 7, FIELD_STR, AT(status) },
    { STR_INIT("taskDefinition"), 8, FIELD_STR, AT(task_definition) },
    { STR_INIT("computedDesiredCount"), 9, FIELD_INT, AT(computed_desired_count), .always = true },
    { STR_INIT("pendingCount"), 10, FIELD_INT, AT(pending_count), .always = true },
    { STR_INIT("runningCount"), 11, FIELD_INT, AT(running_count), .always = true },
    { STR_INIT("createdAt"), 12, FIELD_TIME, AT(created_at) },
    { STR_INIT("updatedAt"), 13, FIELD_TIME, AT(updated_at) },
    { STR_INIT("launchType"), 14, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("capacityProviderStrategy"), 15, FIELD_LIST, AT(capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema },
    { STR_INIT("platformVersion"), 16, FIELD_STR, AT(platform_version) },
    { STR_INIT("platformFamily"), 17, FIELD_STR, AT(platform_family) },
    { STR_INIT("networkConfiguration"), 18, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT("loadBalancers"), 19, FIELD_LIST, AT(load_balancers), .element = FIELD_STRUCT, .schema = &load_balancer_schema },
    { STR_INIT("serviceRegistries"), 20, FIELD_LIST, AT(service_registries), .element = FIELD_STRUCT,
      .schema = &service_registry_schema },
    { STR_INIT("scale"), 21, FIELD_STRUCT, AT(scale), .schema = &scale_schema },
    { STR_INIT("stabilityStatus"), 22, FIELD_ENUM, AT(stability_status), .names = &stability_status_names },
    { STR_INIT("stabilityStatusAt"), 23, FIELD_TIME, AT(stability_status_at) },
    { STR_INIT("tags"), 24, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("fargateEphemeralStorage"), 25, FIELD_STRUCT, AT(fargate_ephemeral_storage),
      .schema = &deployment_ephemeral_storage_schema },
};
#undef AT
const struct schema task_set_schema = SCHEMA_OF("TaskSet", struct task_set, task_set_schema_fields);

#define AT(member) .offset = offsetof(struct service_connect_service_resource, member)
static const struct field service_connect_service_resource_schema_fields[] = {
    { STR_INIT("discoveryName"), 1, FIELD_STR, AT(discovery_name) },
    { STR_INIT("discoveryArn"), 2, FIELD_STR, AT(discovery_arn) },
};
#undef AT
const struct schema service_connect_service_resource_schema = SCHEMA_OF("ServiceConnectServiceResource",
    struct service_connect_service_resource, service_connect_service_resource_schema_fields);

static const struct str deployment_rollout_state_words[] = { STR_INIT("COMPLETED"), STR_INIT("FAILED"), STR_INIT("IN_PROGRESS") };
const struct enum_names deployment_rollout_state_names = { deployment_rollout_state_words,
    COUNT_OF(deployment_rollout_state_words) };

#define AT(member) .offset = offsetof(struct deployment, member)
static const struct field deployment_schema_fields[] = {
    { STR_INIT("id"), 1, FIELD_STR, AT(id) },
    { STR_INIT("status"), 2, FIELD_STR, AT(status) },
    { STR_INIT("taskDefinition"), 3, FIELD_STR, AT(task_definition) },
    { STR_INIT("desiredCount"), 4, FIELD_INT, AT(desired_count), .always = true },
    { STR_INIT("pendingCount"), 5, FIELD_INT, AT(pending_count), .always = true },
    { STR_INIT("runningCount"), 6, FIELD_INT, AT(running_count), .always = true },
    { STR_INIT("failedTasks"), 7, FIELD_INT, AT(failed_tasks), .always = true },
    { STR_INIT("createdAt"), 8, FIELD_TIME, AT(created_at) },
    { STR_INIT("updatedAt"), 9, FIELD_TIME, AT(updated_at) },
    { STR_INIT("capacityProviderStrategy"), 10, FIELD_LIST, AT(capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema },
    { STR_INIT("launchType"), 11, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("platformVersion"), 12, FIELD_STR, AT(platform_version) },
    { STR_INIT("platformFamily"), 13, FIELD_STR, AT(platform_family) },
    { STR_INIT("networkConfiguration"), 14, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT("rolloutState"), 15, FIELD_ENUM, AT(rollout_state), .names = &deployment_rollout_state_names },
    { STR_INIT("rolloutStateReason"), 16, FIELD_STR, AT(rollout_state_reason) },
    { STR_INIT("serviceConnectConfiguration"), 17, FIELD_STRUCT, AT(service_connect_configuration),
      .schema = &service_connect_configuration_schema },
    { STR_INIT("serviceConnectResources"), 18, FIELD_LIST, AT(service_connect_resources), .element = FIELD_STRUCT,
      .schema = &service_connect_service_resource_schema },
    { STR_INIT("volumeConfigurations"), 19, FIELD_LIST, AT(volume_configurations), .element = FIELD_STRUCT,
      .schema = &service_volume_configuration_schema },
    { STR_INIT("fargateEphemeralStorage"), 20, FIELD_STRUCT, AT(fargate_ephemeral_storage),
      .schema = &deployment_ephemeral_storage_schema },
    { STR_INIT("vpcLatticeConfigurations"), 21, FIELD_LIST, AT(vpc_lattice_configurations), .element = FIELD_STRUCT,
      .schema = &vpc_lattice_configuration_schema },
};
#undef AT
const struct schema deployment_schema = SCHEMA_OF("Deployment", struct deployment, deployment_schema_fields);

#define AT(member) .offset = offsetof(struct service_event, member)
static const struct field service_event_schema_fields[] = {
    { STR_INIT("id"), 1, FIELD_STR, AT(id) },
    { STR_INIT("createdAt"), 2, FIELD_TIME, AT(created_at) },
    { STR_INIT("message"), 3, FIELD_STR, AT(message) },
};
#undef AT
const struct schema service_event_schema = SCHEMA_OF("ServiceEvent", struct service_event, service_event_schema_fields);

#define AT(member) .offset = offsetof(struct service_current_revision_summary, member)
static const struct field service_current_revision_summary_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("requestedTaskCount"), 2, FIELD_INT, AT(requested_task_count), .always = true },
    { STR_INIT("runningTaskCount"), 3, FIELD_INT, AT(running_task_count), .always = true },
    { STR_INIT("pendingTaskCount"), 4, FIELD_INT, AT(pending_task_count), .always = true },
};
#undef AT
const struct schema service_current_revision_summary_schema = SCHEMA_OF("ServiceCurrentRevisionSummary",
    struct service_current_revision_summary, service_current_revision_summary_schema_fields);

static const struct str resource_management_type_words[] = { STR_INIT("CUSTOMER"), STR_INIT("ECS") };
const struct enum_names resource_management_type_names = { resource_management_type_words,
    COUNT_OF(resource_management_type_words) };

#define AT(member) .offset = offsetof(struct service, member)
static const struct field service_schema_fields[] = {
    { STR_INIT("serviceArn"), 1, FIELD_STR, AT(service_arn) },
    { STR_INIT("serviceName"), 2, FIELD_STR, AT(service_name) },
    { STR_INIT("clusterArn"), 3, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("loadBalancers"), 4, FIELD_LIST, AT(load_balancers), .element = FIELD_STRUCT, .schema = &load_balancer_schema },
    { STR_INIT("serviceRegistries"), 5, FIELD_LIST, AT(service_registries), .element = FIELD_STRUCT,
      .schema = &service_registry_schema },
    { STR_INIT("status"), 6, FIELD_STR, AT(status) },
    { STR_INIT("desiredCount"), 7, FIELD_INT, AT(desired_count), .always = true },
    { STR_INIT("runningCount"), 8, FIELD_INT, AT(running_count), .always = true },
    { STR_INIT("pendingCount"), 9, FIELD_INT, AT(pending_count), .always = true },
    { STR_INIT("launchType"), 10, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("capacityProviderStrategy"), 11, FIELD_LIST, AT(capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema },
    { STR_INIT("platformVersion"), 12, FIELD_STR, AT(platform_version) },
    { STR_INIT("platformFamily"), 13, FIELD_STR, AT(platform_family) },
    { STR_INIT("taskDefinition"), 14, FIELD_STR, AT(task_definition) },
    { STR_INIT("deploymentConfiguration"), 15, FIELD_STRUCT, AT(deployment_configuration),
      .schema = &deployment_configuration_schema },
    { STR_INIT("taskSets"), 16, FIELD_LIST, AT(task_sets), .element = FIELD_STRUCT, .schema = &task_set_schema },
    { STR_INIT("deployments"), 17, FIELD_LIST, AT(deployments), .element = FIELD_STRUCT, .schema = &deployment_schema },
    { STR_INIT("roleArn"), 18, FIELD_STR, AT(role_arn) },
    { STR_INIT("events"), 19, FIELD_LIST, AT(events), .element = FIELD_STRUCT, .schema = &service_event_schema },
    { STR_INIT("createdAt"), 20, FIELD_TIME, AT(created_at) },
    { STR_INIT("currentServiceDeployment"), 21, FIELD_STR, AT(current_service_deployment) },
    { STR_INIT("currentServiceRevisions"), 22, FIELD_LIST, AT(current_service_revisions), .element = FIELD_STRUCT,
      .schema = &service_current_revision_summary_schema },
    { STR_INIT("placementConstraints"), 23, FIELD_LIST, AT(placement_constraints), .element = FIELD_STRUCT,
      .schema = &placement_constraint_schema },
    { STR_INIT("placementStrategy"), 24, FIELD_LIST, AT(placement_strategy), .element = FIELD_STRUCT,
      .schema = &placement_strategy_schema },
    { STR_INIT("networkConfiguration"), 25, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT("healthCheckGracePeriodSeconds"), 26, FIELD_INT, AT(health_check_grace_period_seconds) },
    { STR_INIT("schedulingStrategy"), 27, FIELD_ENUM, AT(scheduling_strategy), .names = &scheduling_strategy_names },
    { STR_INIT("deploymentController"), 28, FIELD_STRUCT, AT(deployment_controller), .schema = &deployment_controller_schema },
    { STR_INIT("tags"), 29, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("createdBy"), 30, FIELD_STR, AT(created_by) },
    { STR_INIT("enableECSManagedTags"), 31, FIELD_BOOL, AT(enable_ecs_managed_tags), .always = true },
    { STR_INIT("propagateTags"), 32, FIELD_ENUM, AT(propagate_tags), .names = &propagate_tags_names },
    { STR_INIT("enableExecuteCommand"), 33, FIELD_BOOL, AT(enable_execute_command), .always = true },
    { STR_INIT("availabilityZoneRebalancing"), 34, FIELD_ENUM, AT(availability_zone_rebalancing),
      .names = &availability_zone_rebalancing_names },
    { STR_INIT("resourceManagementType"), 35, FIELD_ENUM, AT(resource_management_type),
      .names = &resource_management_type_names },
};
#undef AT
const struct schema service_schema = SCHEMA_OF("Service", struct service, service_schema_fields);

#define AT(member) .offset = offsetof(struct create_service_response, member)
static const struct field create_service_response_schema_fields[] = {
    { STR_INIT("service"), 1, FIELD_STRUCT, AT(service), .schema = &service_schema },
};
#undef AT
const struct schema create_service_response_schema = SCHEMA_OF("CreateServiceResponse", struct create_service_response,
    create_service_response_schema_fields);

#define AT(member) .offset = offsetof(struct update_service_request, member)
static const struct field update_service_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("service"), 2, FIELD_STR, AT(service), .required = true },
    { STR_INIT("desiredCount"), 3, FIELD_INT, AT(desired_count), .max = INT32_MAX },
    { STR_INIT("taskDefinition"), 4, FIELD_STR, AT(task_definition) },
    { STR_INIT("capacityProviderStrategy"), 5, FIELD_LIST, AT(capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema, .max = 20 },
    { STR_INIT("deploymentConfiguration"), 6, FIELD_STRUCT, AT(deployment_configuration),
      .schema = &deployment_configuration_schema },
    { STR_INIT("availabilityZoneRebalancing"), 7, FIELD_ENUM, AT(availability_zone_rebalancing),
      .names = &availability_zone_rebalancing_names },
    { STR_INIT("networkConfiguration"), 8, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT("placementConstraints"), 9, FIELD_LIST, AT(placement_constraints), .element = FIELD_STRUCT,
      .schema = &placement_constraint_schema, .max = 10 },
    { STR_INIT("placementStrategy"), 10, FIELD_LIST, AT(placement_strategy), .element = FIELD_STRUCT,
      .schema = &placement_strategy_schema, .max = 5 },
    { STR_INIT("platformVersion"), 11, FIELD_STR, AT(platform_version) },
    { STR_INIT("forceNewDeployment"), 12, FIELD_BOOL, AT(force_new_deployment) },
    { STR_INIT("healthCheckGracePeriodSeconds"), 13, FIELD_INT, AT(health_check_grace_period_seconds), .max = INT32_MAX },
    { STR_INIT("deploymentController"), 14, FIELD_STRUCT, AT(deployment_controller), .schema = &deployment_controller_schema },
    { STR_INIT("enableExecuteCommand"), 15, FIELD_BOOL, AT(enable_execute_command) },
    { STR_INIT("enableECSManagedTags"), 16, FIELD_BOOL, AT(enable_ecs_managed_tags) },
    { STR_INIT("loadBalancers"), 17, FIELD_LIST, AT(load_balancers), .element = FIELD_STRUCT, .schema = &load_balancer_schema,
      .max = 5 },
    { STR_INIT("propagateTags"), 18, FIELD_ENUM, AT(propagate_tags), .names = &propagate_tags_names },
    { STR_INIT("serviceRegistries"), 19, FIELD_LIST, AT(service_registries), .element = FIELD_STRUCT,
      .schema = &service_registry_schema },
    { STR_INIT("serviceConnectConfiguration"), 20, FIELD_STRUCT, AT(service_connect_configuration),
      .schema = &service_connect_configuration_schema },
    { STR_INIT("volumeConfigurations"), 21, FIELD_LIST, AT(volume_configurations), .element = FIELD_STRUCT,
      .schema = &service_volume_configuration_schema },
    { STR_INIT("vpcLatticeConfigurations"), 22, FIELD_LIST, AT(vpc_lattice_configurations), .element = FIELD_STRUCT,
      .schema = &vpc_lattice_configuration_schema },
    { STR_INIT("monitoring"), 23, FIELD_STRUCT, AT(monitoring), .schema = &monitoring_configuration_schema },
};
#undef AT
const struct schema update_service_request_schema = SCHEMA_OF("UpdateServiceRequest", struct update_service_request,
    update_service_request_schema_fields);

#define AT(member) .offset = offsetof(struct update_service_response, member)
static const struct field update_service_response_schema_fields[] = {
    { STR_INIT("service"), 1, FIELD_STRUCT, AT(service), .schema = &service_schema },
};
#undef AT
const struct schema update_service_response_schema = SCHEMA_OF("UpdateServiceResponse", struct update_service_response,
    update_service_response_schema_fields);

#define AT(member) .offset = offsetof(struct delete_service_request, member)
static const struct field delete_service_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("service"), 2, FIELD_STR, AT(service), .required = true },
    { STR_INIT("force"), 3, FIELD_BOOL, AT(force) },
};
#undef AT
const struct schema delete_service_request_schema = SCHEMA_OF("DeleteServiceRequest", struct delete_service_request,
    delete_service_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_service_response, member)
static const struct field delete_service_response_schema_fields[] = {
    { STR_INIT("service"), 1, FIELD_STRUCT, AT(service), .schema = &service_schema },
};
#undef AT
const struct schema delete_service_response_schema = SCHEMA_OF("DeleteServiceResponse", struct delete_service_response,
    delete_service_response_schema_fields);

static const struct str service_field_words[] = { STR_INIT("TAGS") };
const struct enum_names service_field_names = { service_field_words, COUNT_OF(service_field_words) };

#define AT(member) .offset = offsetof(struct describe_services_request, member)
static const struct field describe_services_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("services"), 2, FIELD_LIST, AT(services), .element = FIELD_STR, .min = 1, .max = 10, .required = true },
    { STR_INIT("include"), 3, FIELD_LIST, AT(include), .element = FIELD_ENUM, .names = &service_field_names },
};
#undef AT
const struct schema describe_services_request_schema = SCHEMA_OF("DescribeServicesRequest", struct describe_services_request,
    describe_services_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_services_response, member)
static const struct field describe_services_response_schema_fields[] = {
    { STR_INIT("services"), 1, FIELD_LIST, AT(services), .element = FIELD_STRUCT, .schema = &service_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema describe_services_response_schema = SCHEMA_OF("DescribeServicesResponse", struct describe_services_response,
    describe_services_response_schema_fields);

#define AT(member) .offset = offsetof(struct list_services_request, member)
static const struct field list_services_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
    { STR_INIT("maxResults"), 3, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
    { STR_INIT("launchType"), 4, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("schedulingStrategy"), 5, FIELD_ENUM, AT(scheduling_strategy), .names = &scheduling_strategy_names },
    { STR_INIT("resourceManagementType"), 6, FIELD_ENUM, AT(resource_management_type), .names = &resource_management_type_names },
};
#undef AT
const struct schema list_services_request_schema = SCHEMA_OF("ListServicesRequest", struct list_services_request,
    list_services_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_services_response, member)
static const struct field list_services_response_schema_fields[] = {
    { STR_INIT("serviceArns"), 1, FIELD_LIST, AT(service_arns), .element = FIELD_STR },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_services_response_schema = SCHEMA_OF("ListServicesResponse", struct list_services_response,
    list_services_response_schema_fields);

#define AT(member) .offset = offsetof(struct list_services_by_namespace_request, member)
static const struct field list_services_by_namespace_request_schema_fields[] = {
    { STR_INIT("namespace"), 1, FIELD_STR, AT(namespace), .required = true },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
    { STR_INIT("maxResults"), 3, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
};
#undef AT
const struct schema list_services_by_namespace_request_schema = SCHEMA_OF("ListServicesByNamespaceRequest",
    struct list_services_by_namespace_request, list_services_by_namespace_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_services_by_namespace_response, member)
static const struct field list_services_by_namespace_response_schema_fields[] = {
    { STR_INIT("serviceArns"), 1, FIELD_LIST, AT(service_arns), .element = FIELD_STR },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_services_by_namespace_response_schema = SCHEMA_OF("ListServicesByNamespaceResponse",
    struct list_services_by_namespace_response, list_services_by_namespace_response_schema_fields);
