/* Written by tools/shapes from model/ecs/service.shapes. */
#include "model/ecs/service.h"

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

static const struct str deployment_lifecycle_hook_status_words[] = { STR_INIT("AWAITING_ACTION"), STR_INIT("IN_PROGRESS"),
    STR_INIT("SUCCEEDED"), STR_INIT("FAILED"), STR_INIT("TIMED_OUT") };
const struct enum_names deployment_lifecycle_hook_status_names = { deployment_lifecycle_hook_status_words,
    COUNT_OF(deployment_lifecycle_hook_status_words) };

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

static const struct str scale_unit_words[] = { STR_INIT("PERCENT") };
const struct enum_names scale_unit_names = { scale_unit_words, COUNT_OF(scale_unit_words) };

#define AT(member) .offset = offsetof(struct scale, member)
static const struct field scale_schema_fields[] = {
    { STR_INIT("value"), 1, FIELD_DOUBLE, AT(value), .max = 100, .always = true },
    { STR_INIT("unit"), 2, FIELD_ENUM, AT(unit), .names = &scale_unit_names },
};
#undef AT
const struct schema scale_schema = SCHEMA_OF("Scale", struct scale, scale_schema_fields);

static const struct str stability_status_words[] = { STR_INIT("STEADY_STATE"), STR_INIT("STABILIZING") };
const struct enum_names stability_status_names = { stability_status_words, COUNT_OF(stability_status_words) };

static const struct str deployment_rollout_state_words[] = { STR_INIT("COMPLETED"), STR_INIT("FAILED"), STR_INIT("IN_PROGRESS") };
const struct enum_names deployment_rollout_state_names = { deployment_rollout_state_words,
    COUNT_OF(deployment_rollout_state_words) };

#define AT(member) .offset = offsetof(struct service_event, member)
static const struct field service_event_schema_fields[] = {
    { STR_INIT("id"), 1, FIELD_STR, AT(id) },
    { STR_INIT("createdAt"), 2, FIELD_TIME, AT(created_at) },
    { STR_INIT("message"), 3, FIELD_STR, AT(message) },
};
#undef AT
const struct schema service_event_schema = SCHEMA_OF("ServiceEvent", struct service_event, service_event_schema_fields);

static const struct str service_deployment_rollback_monitors_status_words[] = { STR_INIT("TRIGGERED"), STR_INIT("MONITORING"),
    STR_INIT("MONITORING_COMPLETE"), STR_INIT("DISABLED") };
const struct enum_names service_deployment_rollback_monitors_status_names = { service_deployment_rollback_monitors_status_words,
    COUNT_OF(service_deployment_rollback_monitors_status_words) };

static const struct str service_deployment_status_words[] = { STR_INIT("PENDING"), STR_INIT("SUCCESSFUL"), STR_INIT("STOPPED"),
    STR_INIT("STOP_REQUESTED"), STR_INIT("IN_PROGRESS"), STR_INIT("ROLLBACK_REQUESTED"), STR_INIT("ROLLBACK_IN_PROGRESS"),
    STR_INIT("ROLLBACK_SUCCESSFUL"), STR_INIT("ROLLBACK_FAILED") };
const struct enum_names service_deployment_status_names = { service_deployment_status_words,
    COUNT_OF(service_deployment_status_words) };

static const struct str service_deployment_lifecycle_stage_words[] = { STR_INIT("RECONCILE_SERVICE"), STR_INIT("PRE_SCALE_UP"),
    STR_INIT("SCALE_UP"), STR_INIT("POST_SCALE_UP"), STR_INIT("TEST_TRAFFIC_SHIFT"), STR_INIT("POST_TEST_TRAFFIC_SHIFT"),
    STR_INIT("PRODUCTION_TRAFFIC_SHIFT"), STR_INIT("POST_PRODUCTION_TRAFFIC_SHIFT"), STR_INIT("BAKE_TIME"),
    STR_INIT("CLEAN_UP") };
const struct enum_names service_deployment_lifecycle_stage_names = { service_deployment_lifecycle_stage_words,
    COUNT_OF(service_deployment_lifecycle_stage_words) };

#define AT(member) .offset = offsetof(struct container_image, member)
static const struct field container_image_schema_fields[] = {
    { STR_INIT("containerName"), 1, FIELD_STR, AT(container_name) },
    { STR_INIT("imageDigest"), 2, FIELD_STR, AT(image_digest) },
    { STR_INIT("image"), 3, FIELD_STR, AT(image) },
};
#undef AT
const struct schema container_image_schema = SCHEMA_OF("ContainerImage", struct container_image, container_image_schema_fields);
