/* Written by tools/shapes from api/schemas/tasks.shapes. */
#include "api/schemas/tasks.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct run_task_request, member)
static const struct field run_task_request_schema_fields[] = {
    { STR_INIT("capacityProviderStrategy"), 1, FIELD_LIST, AT(capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema, .max = 20 },
    { STR_INIT("cluster"), 2, FIELD_STR, AT(cluster) },
    { STR_INIT("count"), 3, FIELD_INT, AT(count), .min = 1, .max = 10 },
    { STR_INIT("enableECSManagedTags"), 4, FIELD_BOOL, AT(enable_ecs_managed_tags) },
    { STR_INIT("enableExecuteCommand"), 5, FIELD_BOOL, AT(enable_execute_command) },
    { STR_INIT("group"), 6, FIELD_STR, AT(group), .max = 255 },
    { STR_INIT("launchType"), 7, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("networkConfiguration"), 8, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT("overrides"), 9, FIELD_STRUCT, AT(overrides), .schema = &task_override_schema },
    { STR_INIT("placementConstraints"), 10, FIELD_LIST, AT(placement_constraints), .element = FIELD_STRUCT,
      .schema = &placement_constraint_schema, .max = 10 },
    { STR_INIT("placementStrategy"), 11, FIELD_LIST, AT(placement_strategy), .element = FIELD_STRUCT,
      .schema = &placement_strategy_schema, .max = 5 },
    { STR_INIT("platformVersion"), 12, FIELD_STR, AT(platform_version) },
    { STR_INIT("propagateTags"), 13, FIELD_ENUM, AT(propagate_tags), .names = &propagate_tags_names },
    { STR_INIT("referenceId"), 14, FIELD_STR, AT(reference_id), .max = 1024 },
    { STR_INIT("startedBy"), 15, FIELD_STR, AT(started_by), .max = 128 },
    { STR_INIT("tags"), 16, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("taskDefinition"), 17, FIELD_STR, AT(task_definition), .min = 1, .max = 2048, .required = true },
    { STR_INIT("clientToken"), 18, FIELD_STR, AT(client_token), .max = 64 },
    { STR_INIT("volumeConfigurations"), 19, FIELD_LIST, AT(volume_configurations), .element = FIELD_STRUCT,
      .schema = &task_volume_configuration_schema },
};
#undef AT
const struct schema run_task_request_schema = SCHEMA_OF("RunTaskRequest", struct run_task_request,
    run_task_request_schema_fields);

#define AT(member) .offset = offsetof(struct run_task_response, member)
static const struct field run_task_response_schema_fields[] = {
    { STR_INIT("tasks"), 1, FIELD_LIST, AT(tasks), .element = FIELD_STRUCT, .schema = &task_view_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema run_task_response_schema = SCHEMA_OF("RunTaskResponse", struct run_task_response,
    run_task_response_schema_fields);

#define AT(member) .offset = offsetof(struct start_task_request, member)
static const struct field start_task_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("containerInstances"), 2, FIELD_LIST, AT(container_instances), .element = FIELD_STR, .max = 10, .required = true },
    { STR_INIT("enableECSManagedTags"), 3, FIELD_BOOL, AT(enable_ecs_managed_tags) },
    { STR_INIT("enableExecuteCommand"), 4, FIELD_BOOL, AT(enable_execute_command) },
    { STR_INIT("group"), 5, FIELD_STR, AT(group), .max = 255 },
    { STR_INIT("networkConfiguration"), 6, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT("overrides"), 7, FIELD_STRUCT, AT(overrides), .schema = &task_override_schema },
    { STR_INIT("propagateTags"), 8, FIELD_ENUM, AT(propagate_tags), .names = &propagate_tags_names },
    { STR_INIT("referenceId"), 9, FIELD_STR, AT(reference_id), .max = 1024 },
    { STR_INIT("startedBy"), 10, FIELD_STR, AT(started_by), .max = 36 },
    { STR_INIT("tags"), 11, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("taskDefinition"), 12, FIELD_STR, AT(task_definition), .min = 1, .max = 2048, .required = true },
    { STR_INIT("volumeConfigurations"), 13, FIELD_LIST, AT(volume_configurations), .element = FIELD_STRUCT,
      .schema = &task_volume_configuration_schema },
};
#undef AT
const struct schema start_task_request_schema = SCHEMA_OF("StartTaskRequest", struct start_task_request,
    start_task_request_schema_fields);

#define AT(member) .offset = offsetof(struct start_task_response, member)
static const struct field start_task_response_schema_fields[] = {
    { STR_INIT("tasks"), 1, FIELD_LIST, AT(tasks), .element = FIELD_STRUCT, .schema = &task_view_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema start_task_response_schema = SCHEMA_OF("StartTaskResponse", struct start_task_response,
    start_task_response_schema_fields);

#define AT(member) .offset = offsetof(struct stop_task_request, member)
static const struct field stop_task_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("task"), 2, FIELD_STR, AT(task), .required = true },
    { STR_INIT("reason"), 3, FIELD_STR, AT(reason) },
};
#undef AT
const struct schema stop_task_request_schema = SCHEMA_OF("StopTaskRequest", struct stop_task_request,
    stop_task_request_schema_fields);

#define AT(member) .offset = offsetof(struct stop_task_response, member)
static const struct field stop_task_response_schema_fields[] = {
    { STR_INIT("task"), 1, FIELD_STRUCT, AT(task), .schema = &task_view_schema },
};
#undef AT
const struct schema stop_task_response_schema = SCHEMA_OF("StopTaskResponse", struct stop_task_response,
    stop_task_response_schema_fields);

static const struct str task_field_words[] = { STR_INIT("TAGS") };
const struct enum_names task_field_names = { task_field_words, COUNT_OF(task_field_words) };

#define AT(member) .offset = offsetof(struct describe_tasks_request, member)
static const struct field describe_tasks_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("tasks"), 2, FIELD_LIST, AT(tasks), .element = FIELD_STR, .max = 100, .required = true },
    { STR_INIT("include"), 3, FIELD_LIST, AT(include), .element = FIELD_ENUM, .names = &task_field_names },
};
#undef AT
const struct schema describe_tasks_request_schema = SCHEMA_OF("DescribeTasksRequest", struct describe_tasks_request,
    describe_tasks_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_tasks_response, member)
static const struct field describe_tasks_response_schema_fields[] = {
    { STR_INIT("tasks"), 1, FIELD_LIST, AT(tasks), .element = FIELD_STRUCT, .schema = &task_view_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema describe_tasks_response_schema = SCHEMA_OF("DescribeTasksResponse", struct describe_tasks_response,
    describe_tasks_response_schema_fields);

static const struct str desired_status_words[] = { STR_INIT("RUNNING"), STR_INIT("PENDING"), STR_INIT("STOPPED") };
const struct enum_names desired_status_names = { desired_status_words, COUNT_OF(desired_status_words) };

#define AT(member) .offset = offsetof(struct list_tasks_request, member)
static const struct field list_tasks_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("containerInstance"), 2, FIELD_STR, AT(container_instance) },
    { STR_INIT("family"), 3, FIELD_STR, AT(family) },
    { STR_INIT("nextToken"), 4, FIELD_STR, AT(next_token) },
    { STR_INIT("maxResults"), 5, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
    { STR_INIT("startedBy"), 6, FIELD_STR, AT(started_by), .max = 128 },
    { STR_INIT("serviceName"), 7, FIELD_STR, AT(service_name) },
    { STR_INIT("desiredStatus"), 8, FIELD_ENUM, AT(desired_status), .names = &desired_status_names },
    { STR_INIT("launchType"), 9, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("daemonName"), 10, FIELD_STR, AT(daemon_name) },
};
#undef AT
const struct schema list_tasks_request_schema = SCHEMA_OF("ListTasksRequest", struct list_tasks_request,
    list_tasks_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_tasks_response, member)
static const struct field list_tasks_response_schema_fields[] = {
    { STR_INIT("taskArns"), 1, FIELD_LIST, AT(task_arns), .element = FIELD_STR },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_tasks_response_schema = SCHEMA_OF("ListTasksResponse", struct list_tasks_response,
    list_tasks_response_schema_fields);
