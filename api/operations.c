/* operations.c: the table of operations, in order of their names. Everything that differs between operations is a cell here:
 * what it reads and prints, whether it writes, who may call it, and what a broken limit is called. */
#include "api/handlers.h"
#include "api/schemas/agents.h"
#include "api/schemas/attributes.h"
#include "api/schemas/capacity.h"
#include "api/schemas/clusters.h"
#include "api/schemas/daemons.h"
#include "api/schemas/deployments.h"
#include "api/schemas/express.h"
#include "api/schemas/instances.h"
#include "api/schemas/services.h"
#include "api/schemas/settings.h"
#include "api/schemas/tags.h"
#include "api/schemas/task_access.h"
#include "api/schemas/taskdefs.h"
#include "api/schemas/tasks.h"
#include "api/schemas/tasksets.h"

/* The name appears in two spellings: as on the wire, and as C's names of its schemas and its handler have it. */
#define SERVED(wire, noun, access, role, invalid) \
    { STR_INIT(wire), &noun##_request_schema, &noun##_response_schema, access, role, invalid, op_##noun }

/* Served, with {} as its reply. */
#define SILENT(wire, noun, access, role, invalid) \
    { STR_INIT(wire), &noun##_request_schema, NULL, access, role, invalid, op_##noun }

static const struct operation operations[] = {
    SERVED("ContinueServiceDeployment", continue_service_deployment, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("CreateCapacityProvider", create_capacity_provider, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("CreateCluster", create_cluster, OP_WRITE, ACCESS_AGENT, ERR_INVALID_PARAMETER),
    SERVED("CreateDaemon", create_daemon, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("CreateExpressGatewayService", create_express_gateway_service, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("CreateService", create_service, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("CreateTaskSet", create_task_set, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("DeleteAccountSetting", delete_account_setting, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("DeleteAttributes", delete_attributes, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("DeleteCapacityProvider", delete_capacity_provider, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("DeleteCluster", delete_cluster, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("DeleteDaemon", delete_daemon, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("DeleteDaemonTaskDefinition", delete_daemon_task_definition, OP_WRITE, ACCESS_ADMIN, ERR_CLIENT),
    SERVED("DeleteExpressGatewayService", delete_express_gateway_service, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("DeleteService", delete_service, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("DeleteTaskDefinitions", delete_task_definitions, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("DeleteTaskSet", delete_task_set, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("DeregisterContainerInstance", deregister_container_instance, OP_WRITE, ACCESS_AGENT, ERR_INVALID_PARAMETER),
    SERVED("DeregisterTaskDefinition", deregister_task_definition, OP_WRITE, ACCESS_ADMIN, ERR_CLIENT),
    SERVED("DescribeCapacityProviders", describe_capacity_providers, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("DescribeClusters", describe_clusters, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("DescribeContainerInstances", describe_container_instances, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("DescribeDaemon", describe_daemon, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("DescribeDaemonDeployments", describe_daemon_deployments, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("DescribeDaemonRevisions", describe_daemon_revisions, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("DescribeDaemonTaskDefinition", describe_daemon_task_definition, OP_READ, ACCESS_VIEWER, ERR_CLIENT),
    SERVED("DescribeExpressGatewayService", describe_express_gateway_service, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("DescribeServiceDeployments", describe_service_deployments, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("DescribeServiceRevisions", describe_service_revisions, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("DescribeServices", describe_services, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("DescribeTaskDefinition", describe_task_definition, OP_READ, ACCESS_VIEWER, ERR_CLIENT),
    SERVED("DescribeTaskSets", describe_task_sets, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("DescribeTasks", describe_tasks, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("DiscoverPollEndpoint", discover_poll_endpoint, OP_READ, ACCESS_AGENT, ERR_INVALID_PARAMETER),
    SERVED("ExecuteCommand", execute_command, OP_READ, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("GetTaskProtection", get_task_protection, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("ListAccountSettings", list_account_settings, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("ListAttributes", list_attributes, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("ListClusters", list_clusters, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("ListContainerInstances", list_container_instances, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("ListDaemonDeployments", list_daemon_deployments, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("ListDaemonTaskDefinitions", list_daemon_task_definitions, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("ListDaemons", list_daemons, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("ListServiceDeployments", list_service_deployments, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("ListServices", list_services, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("ListServicesByNamespace", list_services_by_namespace, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("ListTagsForResource", list_tags_for_resource, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("ListTaskDefinitionFamilies", list_task_definition_families, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("ListTaskDefinitions", list_task_definitions, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("ListTasks", list_tasks, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER),
    SERVED("PutAccountSetting", put_account_setting, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("PutAccountSettingDefault", put_account_setting_default, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("PutAttributes", put_attributes, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("PutClusterCapacityProviders", put_cluster_capacity_providers, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("RegisterContainerInstance", register_container_instance, OP_WRITE, ACCESS_AGENT, ERR_INVALID_PARAMETER),
    SERVED("RegisterDaemonTaskDefinition", register_daemon_task_definition, OP_WRITE, ACCESS_ADMIN, ERR_CLIENT),
    SERVED("RegisterTaskDefinition", register_task_definition, OP_WRITE, ACCESS_ADMIN, ERR_CLIENT),
    SERVED("RunTask", run_task, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("StartTask", start_task, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("StopServiceDeployment", stop_service_deployment, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("StopTask", stop_task, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("SubmitAttachmentStateChanges", submit_attachment_state_changes, OP_WRITE, ACCESS_AGENT, ERR_INVALID_PARAMETER),
    SERVED("SubmitContainerStateChange", submit_container_state_change, OP_WRITE, ACCESS_AGENT, ERR_INVALID_PARAMETER),
    SERVED("SubmitTaskStateChange", submit_task_state_change, OP_WRITE, ACCESS_AGENT, ERR_INVALID_PARAMETER),
    SILENT("TagResource", tag_resource, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SILENT("UntagResource", untag_resource, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("UpdateCapacityProvider", update_capacity_provider, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("UpdateCluster", update_cluster, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("UpdateClusterSettings", update_cluster_settings, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("UpdateContainerAgent", update_container_agent, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("UpdateContainerInstancesState", update_container_instances_state, OP_WRITE, ACCESS_AGENT, ERR_INVALID_PARAMETER),
    SERVED("UpdateDaemon", update_daemon, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("UpdateExpressGatewayService", update_express_gateway_service, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("UpdateService", update_service, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("UpdateServicePrimaryTaskSet", update_service_primary_task_set, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("UpdateTaskProtection", update_task_protection, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
    SERVED("UpdateTaskSet", update_task_set, OP_WRITE, ACCESS_ADMIN, ERR_INVALID_PARAMETER),
};
#undef SERVED
#undef SILENT

const struct api_service ecs_service = {
    .name = STR_INIT("ecs"), .target = STR_INIT("AmazonEC2ContainerServiceV20141113."), .message = STR_INIT("message"),
    .early = true, .named = true, .resource = STR_INIT("*"),
    .operations = operations, .count = COUNT_OF(operations),
};

const struct operation *api_operations(size_t *count)
{
    *count = COUNT_OF(operations);
    return operations;
}

const struct operation *api_operation(struct str name)
{
    return api_service_operation(&ecs_service, name);
}
