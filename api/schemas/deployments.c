/* Written by tools/shapes from api/schemas/deployments.shapes. */
#include "api/schemas/deployments.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct describe_service_deployments_request, member)
static const struct field describe_service_deployments_request_schema_fields[] = {
    { STR_INIT("serviceDeploymentArns"), 1, FIELD_LIST, AT(service_deployment_arns), .element = FIELD_STR, .min = 1, .max = 20,
      .required = true },
};
#undef AT
const struct schema describe_service_deployments_request_schema = SCHEMA_OF("DescribeServiceDeploymentsRequest",
    struct describe_service_deployments_request, describe_service_deployments_request_schema_fields);

#define AT(member) .offset = offsetof(struct service_revision_summary, member)
static const struct field service_revision_summary_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("requestedTaskCount"), 2, FIELD_INT, AT(requested_task_count), .always = true },
    { STR_INIT("runningTaskCount"), 3, FIELD_INT, AT(running_task_count), .always = true },
    { STR_INIT("pendingTaskCount"), 4, FIELD_INT, AT(pending_task_count), .always = true },
    { STR_INIT("requestedTestTrafficWeight"), 5, FIELD_DOUBLE, AT(requested_test_traffic_weight), .always = true },
    { STR_INIT("requestedProductionTrafficWeight"), 6, FIELD_DOUBLE, AT(requested_production_traffic_weight), .always = true },
};
#undef AT
const struct schema service_revision_summary_schema = SCHEMA_OF("ServiceRevisionSummary", struct service_revision_summary,
    service_revision_summary_schema_fields);

#define AT(member) .offset = offsetof(struct deployment_lifecycle_hook_detail, member)
static const struct field deployment_lifecycle_hook_detail_schema_fields[] = {
    { STR_INIT("hookId"), 1, FIELD_STR, AT(hook_id) },
    { STR_INIT("targetType"), 2, FIELD_ENUM, AT(target_type), .names = &deployment_lifecycle_hook_target_type_names },
    { STR_INIT("targetArn"), 3, FIELD_STR, AT(target_arn) },
    { STR_INIT("status"), 4, FIELD_ENUM, AT(status), .names = &deployment_lifecycle_hook_status_names },
    { STR_INIT("expiresAt"), 5, FIELD_TIME, AT(expires_at) },
    { STR_INIT("timeoutAction"), 6, FIELD_ENUM, AT(timeout_action), .names = &deployment_lifecycle_hook_action_names },
};
#undef AT
const struct schema deployment_lifecycle_hook_detail_schema = SCHEMA_OF("DeploymentLifecycleHookDetail",
    struct deployment_lifecycle_hook_detail, deployment_lifecycle_hook_detail_schema_fields);

#define AT(member) .offset = offsetof(struct rollback, member)
static const struct field rollback_schema_fields[] = {
    { STR_INIT("reason"), 1, FIELD_STR, AT(reason) },
    { STR_INIT("startedAt"), 2, FIELD_TIME, AT(started_at) },
    { STR_INIT("serviceRevisionArn"), 3, FIELD_STR, AT(service_revision_arn) },
};
#undef AT
const struct schema rollback_schema = SCHEMA_OF("Rollback", struct rollback, rollback_schema_fields);

#define AT(member) .offset = offsetof(struct service_deployment_circuit_breaker, member)
static const struct field service_deployment_circuit_breaker_schema_fields[] = {
    { STR_INIT("status"), 1, FIELD_ENUM, AT(status), .names = &service_deployment_rollback_monitors_status_names },
    { STR_INIT("failureCount"), 2, FIELD_INT, AT(failure_count), .always = true },
    { STR_INIT("threshold"), 3, FIELD_INT, AT(threshold), .always = true },
};
#undef AT
const struct schema service_deployment_circuit_breaker_schema = SCHEMA_OF("ServiceDeploymentCircuitBreaker",
    struct service_deployment_circuit_breaker, service_deployment_circuit_breaker_schema_fields);

#define AT(member) .offset = offsetof(struct service_deployment_alarms, member)
static const struct field service_deployment_alarms_schema_fields[] = {
    { STR_INIT("status"), 1, FIELD_ENUM, AT(status), .names = &service_deployment_rollback_monitors_status_names },
    { STR_INIT("alarmNames"), 2, FIELD_LIST, AT(alarm_names), .element = FIELD_STR },
    { STR_INIT("triggeredAlarmNames"), 3, FIELD_LIST, AT(triggered_alarm_names), .element = FIELD_STR },
};
#undef AT
const struct schema service_deployment_alarms_schema = SCHEMA_OF("ServiceDeploymentAlarms", struct service_deployment_alarms,
    service_deployment_alarms_schema_fields);

#define AT(member) .offset = offsetof(struct service_deployment_view, member)
static const struct field service_deployment_view_schema_fields[] = {
    { STR_INIT("serviceDeploymentArn"), 1, FIELD_STR, AT(service_deployment_arn) },
    { STR_INIT("serviceArn"), 2, FIELD_STR, AT(service_arn) },
    { STR_INIT("clusterArn"), 3, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("createdAt"), 4, FIELD_TIME, AT(created_at) },
    { STR_INIT("startedAt"), 5, FIELD_TIME, AT(started_at) },
    { STR_INIT("finishedAt"), 6, FIELD_TIME, AT(finished_at) },
    { STR_INIT("stoppedAt"), 7, FIELD_TIME, AT(stopped_at) },
    { STR_INIT("updatedAt"), 8, FIELD_TIME, AT(updated_at) },
    { STR_INIT("sourceServiceRevisions"), 9, FIELD_LIST, AT(source_service_revisions), .element = FIELD_STRUCT,
      .schema = &service_revision_summary_schema },
    { STR_INIT("targetServiceRevision"), 10, FIELD_STRUCT, AT(target_service_revision),
      .schema = &service_revision_summary_schema },
    { STR_INIT("status"), 11, FIELD_ENUM, AT(status), .names = &service_deployment_status_names },
    { STR_INIT("statusReason"), 12, FIELD_STR, AT(status_reason) },
    { STR_INIT("lifecycleStage"), 13, FIELD_ENUM, AT(lifecycle_stage), .names = &service_deployment_lifecycle_stage_names },
    { STR_INIT("lifecycleHookDetails"), 14, FIELD_LIST, AT(lifecycle_hook_details), .element = FIELD_STRUCT,
      .schema = &deployment_lifecycle_hook_detail_schema },
    { STR_INIT("deploymentConfiguration"), 15, FIELD_STRUCT, AT(deployment_configuration),
      .schema = &deployment_configuration_schema },
    { STR_INIT("rollback"), 16, FIELD_STRUCT, AT(rollback), .schema = &rollback_schema },
    { STR_INIT("deploymentCircuitBreaker"), 17, FIELD_STRUCT, AT(deployment_circuit_breaker),
      .schema = &service_deployment_circuit_breaker_schema },
    { STR_INIT("alarms"), 18, FIELD_STRUCT, AT(alarms), .schema = &service_deployment_alarms_schema },
};
#undef AT
const struct schema service_deployment_view_schema = SCHEMA_OF("ServiceDeployment", struct service_deployment_view,
    service_deployment_view_schema_fields);

#define AT(member) .offset = offsetof(struct describe_service_deployments_response, member)
static const struct field describe_service_deployments_response_schema_fields[] = {
    { STR_INIT("serviceDeployments"), 1, FIELD_LIST, AT(service_deployments), .element = FIELD_STRUCT,
      .schema = &service_deployment_view_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema describe_service_deployments_response_schema = SCHEMA_OF("DescribeServiceDeploymentsResponse",
    struct describe_service_deployments_response, describe_service_deployments_response_schema_fields);

#define AT(member) .offset = offsetof(struct created_at, member)
static const struct field created_at_schema_fields[] = {
    { STR_INIT("before"), 1, FIELD_TIME, AT(before) },
    { STR_INIT("after"), 2, FIELD_TIME, AT(after) },
};
#undef AT
const struct schema created_at_schema = SCHEMA_OF("CreatedAt", struct created_at, created_at_schema_fields);

#define AT(member) .offset = offsetof(struct list_service_deployments_request, member)
static const struct field list_service_deployments_request_schema_fields[] = {
    { STR_INIT("service"), 1, FIELD_STR, AT(service), .required = true },
    { STR_INIT("cluster"), 2, FIELD_STR, AT(cluster) },
    { STR_INIT("status"), 3, FIELD_LIST, AT(status), .element = FIELD_ENUM, .names = &service_deployment_status_names },
    { STR_INIT("createdAt"), 4, FIELD_STRUCT, AT(created_at), .schema = &created_at_schema },
    { STR_INIT("nextToken"), 5, FIELD_STR, AT(next_token) },
    { STR_INIT("maxResults"), 6, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
};
#undef AT
const struct schema list_service_deployments_request_schema = SCHEMA_OF("ListServiceDeploymentsRequest",
    struct list_service_deployments_request, list_service_deployments_request_schema_fields);

#define AT(member) .offset = offsetof(struct service_deployment_brief, member)
static const struct field service_deployment_brief_schema_fields[] = {
    { STR_INIT("serviceDeploymentArn"), 1, FIELD_STR, AT(service_deployment_arn) },
    { STR_INIT("serviceArn"), 2, FIELD_STR, AT(service_arn) },
    { STR_INIT("clusterArn"), 3, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("startedAt"), 4, FIELD_TIME, AT(started_at) },
    { STR_INIT("createdAt"), 5, FIELD_TIME, AT(created_at) },
    { STR_INIT("finishedAt"), 6, FIELD_TIME, AT(finished_at) },
    { STR_INIT("targetServiceRevisionArn"), 7, FIELD_STR, AT(target_service_revision_arn) },
    { STR_INIT("status"), 8, FIELD_ENUM, AT(status), .names = &service_deployment_status_names },
    { STR_INIT("statusReason"), 9, FIELD_STR, AT(status_reason) },
};
#undef AT
const struct schema service_deployment_brief_schema = SCHEMA_OF("ServiceDeploymentBrief", struct service_deployment_brief,
    service_deployment_brief_schema_fields);

#define AT(member) .offset = offsetof(struct list_service_deployments_response, member)
static const struct field list_service_deployments_response_schema_fields[] = {
    { STR_INIT("serviceDeployments"), 1, FIELD_LIST, AT(service_deployments), .element = FIELD_STRUCT,
      .schema = &service_deployment_brief_schema },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_service_deployments_response_schema = SCHEMA_OF("ListServiceDeploymentsResponse",
    struct list_service_deployments_response, list_service_deployments_response_schema_fields);

static const struct str stop_service_deployment_stop_type_words[] = { STR_INIT("ABORT"), STR_INIT("ROLLBACK") };
const struct enum_names stop_service_deployment_stop_type_names = { stop_service_deployment_stop_type_words,
    COUNT_OF(stop_service_deployment_stop_type_words) };

#define AT(member) .offset = offsetof(struct stop_service_deployment_request, member)
static const struct field stop_service_deployment_request_schema_fields[] = {
    { STR_INIT("serviceDeploymentArn"), 1, FIELD_STR, AT(service_deployment_arn), .required = true },
    { STR_INIT("stopType"), 2, FIELD_ENUM, AT(stop_type), .names = &stop_service_deployment_stop_type_names },
};
#undef AT
const struct schema stop_service_deployment_request_schema = SCHEMA_OF("StopServiceDeploymentRequest",
    struct stop_service_deployment_request, stop_service_deployment_request_schema_fields);

#define AT(member) .offset = offsetof(struct stop_service_deployment_response, member)
static const struct field stop_service_deployment_response_schema_fields[] = {
    { STR_INIT("serviceDeploymentArn"), 1, FIELD_STR, AT(service_deployment_arn) },
};
#undef AT
const struct schema stop_service_deployment_response_schema = SCHEMA_OF("StopServiceDeploymentResponse",
    struct stop_service_deployment_response, stop_service_deployment_response_schema_fields);

#define AT(member) .offset = offsetof(struct continue_service_deployment_request, member)
static const struct field continue_service_deployment_request_schema_fields[] = {
    { STR_INIT("serviceDeploymentArn"), 1, FIELD_STR, AT(service_deployment_arn), .required = true },
    { STR_INIT("hookId"), 2, FIELD_STR, AT(hook_id), .required = true },
    { STR_INIT("action"), 3, FIELD_ENUM, AT(action), .names = &deployment_lifecycle_hook_action_names },
};
#undef AT
const struct schema continue_service_deployment_request_schema = SCHEMA_OF("ContinueServiceDeploymentRequest",
    struct continue_service_deployment_request, continue_service_deployment_request_schema_fields);

#define AT(member) .offset = offsetof(struct continue_service_deployment_response, member)
static const struct field continue_service_deployment_response_schema_fields[] = {
    { STR_INIT("serviceDeploymentArn"), 1, FIELD_STR, AT(service_deployment_arn) },
};
#undef AT
const struct schema continue_service_deployment_response_schema = SCHEMA_OF("ContinueServiceDeploymentResponse",
    struct continue_service_deployment_response, continue_service_deployment_response_schema_fields);

#define AT(member) .offset = offsetof(struct describe_service_revisions_request, member)
static const struct field describe_service_revisions_request_schema_fields[] = {
    { STR_INIT("serviceRevisionArns"), 1, FIELD_LIST, AT(service_revision_arns), .element = FIELD_STR, .min = 1, .max = 20,
      .required = true },
};
#undef AT
const struct schema describe_service_revisions_request_schema = SCHEMA_OF("DescribeServiceRevisionsRequest",
    struct describe_service_revisions_request, describe_service_revisions_request_schema_fields);

#define AT(member) .offset = offsetof(struct service_revision_load_balancer, member)
static const struct field service_revision_load_balancer_schema_fields[] = {
    { STR_INIT("targetGroupArn"), 1, FIELD_STR, AT(target_group_arn) },
    { STR_INIT("productionListenerRule"), 2, FIELD_STR, AT(production_listener_rule) },
};
#undef AT
const struct schema service_revision_load_balancer_schema = SCHEMA_OF("ServiceRevisionLoadBalancer",
    struct service_revision_load_balancer, service_revision_load_balancer_schema_fields);

#define AT(member) .offset = offsetof(struct resolved_configuration, member)
static const struct field resolved_configuration_schema_fields[] = {
    { STR_INIT("loadBalancers"), 1, FIELD_LIST, AT(load_balancers), .element = FIELD_STRUCT,
      .schema = &service_revision_load_balancer_schema },
};
#undef AT
const struct schema resolved_configuration_schema = SCHEMA_OF("ResolvedConfiguration", struct resolved_configuration,
    resolved_configuration_schema_fields);

static const struct str managed_resource_status_words[] = { STR_INIT("PROVISIONING"), STR_INIT("ACTIVE"),
    STR_INIT("DEPROVISIONING"), STR_INIT("DELETED"), STR_INIT("FAILED") };
const struct enum_names managed_resource_status_names = { managed_resource_status_words,
    COUNT_OF(managed_resource_status_words) };

#define AT(member) .offset = offsetof(struct managed_load_balancer, member)
static const struct field managed_load_balancer_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &managed_resource_status_names, .required = true },
    { STR_INIT("statusReason"), 3, FIELD_STR, AT(status_reason) },
    { STR_INIT("updatedAt"), 4, FIELD_TIME, AT(updated_at), .required = true },
    { STR_INIT("scheme"), 5, FIELD_STR, AT(scheme), .required = true },
    { STR_INIT("subnetIds"), 6, FIELD_LIST, AT(subnet_ids), .element = FIELD_STR },
    { STR_INIT("securityGroupIds"), 7, FIELD_LIST, AT(security_group_ids), .element = FIELD_STR },
};
#undef AT
const struct schema managed_load_balancer_schema = SCHEMA_OF("ManagedLoadBalancer", struct managed_load_balancer,
    managed_load_balancer_schema_fields);

#define AT(member) .offset = offsetof(struct managed_security_group, member)
static const struct field managed_security_group_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &managed_resource_status_names, .required = true },
    { STR_INIT("statusReason"), 3, FIELD_STR, AT(status_reason) },
    { STR_INIT("updatedAt"), 4, FIELD_TIME, AT(updated_at), .required = true },
};
#undef AT
const struct schema managed_security_group_schema = SCHEMA_OF("ManagedSecurityGroup", struct managed_security_group,
    managed_security_group_schema_fields);

#define AT(member) .offset = offsetof(struct managed_certificate, member)
static const struct field managed_certificate_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &managed_resource_status_names, .required = true },
    { STR_INIT("statusReason"), 3, FIELD_STR, AT(status_reason) },
    { STR_INIT("updatedAt"), 4, FIELD_TIME, AT(updated_at), .required = true },
    { STR_INIT("domainName"), 5, FIELD_STR, AT(domain_name), .required = true },
};
#undef AT
const struct schema managed_certificate_schema = SCHEMA_OF("ManagedCertificate", struct managed_certificate,
    managed_certificate_schema_fields);

#define AT(member) .offset = offsetof(struct managed_listener, member)
static const struct field managed_listener_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &managed_resource_status_names, .required = true },
    { STR_INIT("statusReason"), 3, FIELD_STR, AT(status_reason) },
    { STR_INIT("updatedAt"), 4, FIELD_TIME, AT(updated_at), .required = true },
};
#undef AT
const struct schema managed_listener_schema = SCHEMA_OF("ManagedListener", struct managed_listener,
    managed_listener_schema_fields);

#define AT(member) .offset = offsetof(struct managed_listener_rule, member)
static const struct field managed_listener_rule_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &managed_resource_status_names, .required = true },
    { STR_INIT("statusReason"), 3, FIELD_STR, AT(status_reason) },
    { STR_INIT("updatedAt"), 4, FIELD_TIME, AT(updated_at), .required = true },
};
#undef AT
const struct schema managed_listener_rule_schema = SCHEMA_OF("ManagedListenerRule", struct managed_listener_rule,
    managed_listener_rule_schema_fields);

#define AT(member) .offset = offsetof(struct managed_target_group, member)
static const struct field managed_target_group_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &managed_resource_status_names, .required = true },
    { STR_INIT("statusReason"), 3, FIELD_STR, AT(status_reason) },
    { STR_INIT("updatedAt"), 4, FIELD_TIME, AT(updated_at), .required = true },
    { STR_INIT("healthCheckPath"), 5, FIELD_STR, AT(health_check_path), .required = true },
    { STR_INIT("healthCheckPort"), 6, FIELD_INT, AT(health_check_port), .required = true, .always = true },
    { STR_INIT("port"), 7, FIELD_INT, AT(port), .required = true, .always = true },
};
#undef AT
const struct schema managed_target_group_schema = SCHEMA_OF("ManagedTargetGroup", struct managed_target_group,
    managed_target_group_schema_fields);

static const struct str access_type_words[] = { STR_INIT("PUBLIC"), STR_INIT("PRIVATE") };
const struct enum_names access_type_names = { access_type_words, COUNT_OF(access_type_words) };

#define AT(member) .offset = offsetof(struct managed_ingress_path, member)
static const struct field managed_ingress_path_schema_fields[] = {
    { STR_INIT("accessType"), 1, FIELD_ENUM, AT(access_type), .names = &access_type_names, .required = true },
    { STR_INIT("endpoint"), 2, FIELD_STR, AT(endpoint), .required = true },
    { STR_INIT("loadBalancer"), 3, FIELD_STRUCT, AT(load_balancer), .schema = &managed_load_balancer_schema },
    { STR_INIT("loadBalancerSecurityGroups"), 4, FIELD_LIST, AT(load_balancer_security_groups), .element = FIELD_STRUCT,
      .schema = &managed_security_group_schema },
    { STR_INIT("certificate"), 5, FIELD_STRUCT, AT(certificate), .schema = &managed_certificate_schema },
    { STR_INIT("listener"), 6, FIELD_STRUCT, AT(listener), .schema = &managed_listener_schema },
    { STR_INIT("rule"), 7, FIELD_STRUCT, AT(rule), .schema = &managed_listener_rule_schema },
    { STR_INIT("targetGroups"), 8, FIELD_LIST, AT(target_groups), .element = FIELD_STRUCT,
      .schema = &managed_target_group_schema },
};
#undef AT
const struct schema managed_ingress_path_schema = SCHEMA_OF("ManagedIngressPath", struct managed_ingress_path,
    managed_ingress_path_schema_fields);

#define AT(member) .offset = offsetof(struct managed_scalable_target, member)
static const struct field managed_scalable_target_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &managed_resource_status_names, .required = true },
    { STR_INIT("statusReason"), 3, FIELD_STR, AT(status_reason) },
    { STR_INIT("updatedAt"), 4, FIELD_TIME, AT(updated_at), .required = true },
    { STR_INIT("minCapacity"), 5, FIELD_INT, AT(min_capacity), .required = true, .always = true },
    { STR_INIT("maxCapacity"), 6, FIELD_INT, AT(max_capacity), .required = true, .always = true },
};
#undef AT
const struct schema managed_scalable_target_schema = SCHEMA_OF("ManagedScalableTarget", struct managed_scalable_target,
    managed_scalable_target_schema_fields);

#define AT(member) .offset = offsetof(struct managed_application_auto_scaling_policy, member)
static const struct field managed_application_auto_scaling_policy_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &managed_resource_status_names, .required = true },
    { STR_INIT("statusReason"), 3, FIELD_STR, AT(status_reason) },
    { STR_INIT("updatedAt"), 4, FIELD_TIME, AT(updated_at), .required = true },
    { STR_INIT("policyType"), 5, FIELD_STR, AT(policy_type), .required = true },
    { STR_INIT("targetValue"), 6, FIELD_DOUBLE, AT(target_value), .required = true, .always = true },
    { STR_INIT("metric"), 7, FIELD_STR, AT(metric), .required = true },
};
#undef AT
const struct schema managed_application_auto_scaling_policy_schema = SCHEMA_OF("ManagedApplicationAutoScalingPolicy",
    struct managed_application_auto_scaling_policy, managed_application_auto_scaling_policy_schema_fields);

#define AT(member) .offset = offsetof(struct managed_auto_scaling, member)
static const struct field managed_auto_scaling_schema_fields[] = {
    { STR_INIT("scalableTarget"), 1, FIELD_STRUCT, AT(scalable_target), .schema = &managed_scalable_target_schema },
    { STR_INIT("applicationAutoScalingPolicies"), 2, FIELD_LIST, AT(application_auto_scaling_policies), .element = FIELD_STRUCT,
      .schema = &managed_application_auto_scaling_policy_schema },
};
#undef AT
const struct schema managed_auto_scaling_schema = SCHEMA_OF("ManagedAutoScaling", struct managed_auto_scaling,
    managed_auto_scaling_schema_fields);

#define AT(member) .offset = offsetof(struct managed_metric_alarm, member)
static const struct field managed_metric_alarm_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &managed_resource_status_names, .required = true },
    { STR_INIT("statusReason"), 3, FIELD_STR, AT(status_reason) },
    { STR_INIT("updatedAt"), 4, FIELD_TIME, AT(updated_at), .required = true },
};
#undef AT
const struct schema managed_metric_alarm_schema = SCHEMA_OF("ManagedMetricAlarm", struct managed_metric_alarm,
    managed_metric_alarm_schema_fields);

#define AT(member) .offset = offsetof(struct managed_log_group, member)
static const struct field managed_log_group_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &managed_resource_status_names, .required = true },
    { STR_INIT("statusReason"), 3, FIELD_STR, AT(status_reason) },
    { STR_INIT("updatedAt"), 4, FIELD_TIME, AT(updated_at), .required = true },
    { STR_INIT("logGroupName"), 5, FIELD_STR, AT(log_group_name), .required = true },
};
#undef AT
const struct schema managed_log_group_schema = SCHEMA_OF("ManagedLogGroup", struct managed_log_group,
    managed_log_group_schema_fields);

#define AT(member) .offset = offsetof(struct ecs_managed_resources, member)
static const struct field ecs_managed_resources_schema_fields[] = {
    { STR_INIT("ingressPaths"), 1, FIELD_LIST, AT(ingress_paths), .element = FIELD_STRUCT,
      .schema = &managed_ingress_path_schema },
    { STR_INIT("autoScaling"), 2, FIELD_STRUCT, AT(auto_scaling), .schema = &managed_auto_scaling_schema },
    { STR_INIT("metricAlarms"), 3, FIELD_LIST, AT(metric_alarms), .element = FIELD_STRUCT,
      .schema = &managed_metric_alarm_schema },
    { STR_INIT("serviceSecurityGroups"), 4, FIELD_LIST, AT(service_security_groups), .element = FIELD_STRUCT,
      .schema = &managed_security_group_schema },
    { STR_INIT("logGroups"), 5, FIELD_LIST, AT(log_groups), .element = FIELD_STRUCT, .schema = &managed_log_group_schema },
};
#undef AT
const struct schema ecs_managed_resources_schema = SCHEMA_OF("ECSManagedResources", struct ecs_managed_resources,
    ecs_managed_resources_schema_fields);

#define AT(member) .offset = offsetof(struct runtime_platform_override, member)
static const struct field runtime_platform_override_schema_fields[] = {
    { STR_INIT("cpuArchitecture"), 1, FIELD_STR, AT(cpu_architecture) },
};
#undef AT
const struct schema runtime_platform_override_schema = SCHEMA_OF("RuntimePlatformOverride", struct runtime_platform_override,
    runtime_platform_override_schema_fields);

#define AT(member) .offset = offsetof(struct service_revision_overrides, member)
static const struct field service_revision_overrides_schema_fields[] = {
    { STR_INIT("runtimePlatform"), 1, FIELD_STRUCT, AT(runtime_platform), .schema = &runtime_platform_override_schema },
};
#undef AT
const struct schema service_revision_overrides_schema = SCHEMA_OF("ServiceRevisionOverrides", struct service_revision_overrides,
    service_revision_overrides_schema_fields);

#define AT(member) .offset = offsetof(struct service_revision_view, member)
static const struct field service_revision_view_schema_fields[] = {
    { STR_INIT("serviceRevisionArn"), 1, FIELD_STR, AT(service_revision_arn) },
    { STR_INIT("serviceArn"), 2, FIELD_STR, AT(service_arn) },
    { STR_INIT("clusterArn"), 3, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("taskDefinition"), 4, FIELD_STR, AT(task_definition) },
    { STR_INIT("capacityProviderStrategy"), 5, FIELD_LIST, AT(capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema },
    { STR_INIT("launchType"), 6, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("platformVersion"), 7, FIELD_STR, AT(platform_version) },
    { STR_INIT("platformFamily"), 8, FIELD_STR, AT(platform_family) },
    { STR_INIT("loadBalancers"), 9, FIELD_LIST, AT(load_balancers), .element = FIELD_STRUCT, .schema = &load_balancer_schema },
    { STR_INIT("serviceRegistries"), 10, FIELD_LIST, AT(service_registries), .element = FIELD_STRUCT,
      .schema = &service_registry_schema },
    { STR_INIT("networkConfiguration"), 11, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT("containerImages"), 12, FIELD_LIST, AT(container_images), .element = FIELD_STRUCT,
      .schema = &container_image_schema },
    { STR_INIT("guardDutyEnabled"), 13, FIELD_BOOL, AT(guard_duty_enabled), .always = true },
    { STR_INIT("serviceConnectConfiguration"), 14, FIELD_STRUCT, AT(service_connect_configuration),
      .schema = &service_connect_configuration_schema },
    { STR_INIT("volumeConfigurations"), 15, FIELD_LIST, AT(volume_configurations), .element = FIELD_STRUCT,
      .schema = &service_volume_configuration_schema },
    { STR_INIT("fargateEphemeralStorage"), 16, FIELD_STRUCT, AT(fargate_ephemeral_storage),
      .schema = &deployment_ephemeral_storage_schema },
    { STR_INIT("createdAt"), 17, FIELD_TIME, AT(created_at) },
    { STR_INIT("vpcLatticeConfigurations"), 18, FIELD_LIST, AT(vpc_lattice_configurations), .element = FIELD_STRUCT,
      .schema = &vpc_lattice_configuration_schema },
    { STR_INIT("resolvedConfiguration"), 19, FIELD_STRUCT, AT(resolved_configuration), .schema = &resolved_configuration_schema },
    { STR_INIT("ecsManagedResources"), 20, FIELD_STRUCT, AT(ecs_managed_resources), .schema = &ecs_managed_resources_schema },
    { STR_INIT("overrides"), 21, FIELD_STRUCT, AT(overrides), .schema = &service_revision_overrides_schema },
    { STR_INIT("monitoring"), 22, FIELD_STRUCT, AT(monitoring), .schema = &monitoring_configuration_schema },
};
#undef AT
const struct schema service_revision_view_schema = SCHEMA_OF("ServiceRevision", struct service_revision_view,
    service_revision_view_schema_fields);

#define AT(member) .offset = offsetof(struct describe_service_revisions_response, member)
static const struct field describe_service_revisions_response_schema_fields[] = {
    { STR_INIT("serviceRevisions"), 1, FIELD_LIST, AT(service_revisions), .element = FIELD_STRUCT,
      .schema = &service_revision_view_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema describe_service_revisions_response_schema = SCHEMA_OF("DescribeServiceRevisionsResponse",
    struct describe_service_revisions_response, describe_service_revisions_response_schema_fields);
