/* rules.c: what requests for Express services may ask, and the parts that they get. Pure. */
#include "api/express/express.h"

#include <math.h>

#include "base/sigv4.h"
#include "model/taskdef.h"

static const struct str main_name = STR_INIT("Main"), port_name = STR_INIT("main");
const struct str express_policy = STR_INIT("express");
const struct express_scaling express_scaling_default = { 1, 20, 60, EXPRESS_GATEWAY_SERVICE_SCALING_METRIC_AVERAGE_CPU };

enum { PATH_MAX_BYTES = 1024, PORT_DEFAULT = 80, FAMILY_MAX = 255 };

/* ---- requests ---- */

static bool check_one_source(const struct express_request *request, struct err *err)
{
    const struct { bool given; const char *member; } rows[] = {
        { request->container != NULL, "primaryContainer" }, { request->execution_role.len > 0, "executionRoleArn" },
        { request->task_role.len > 0, "taskRoleArn" }, { request->cpu.len > 0, "cpu" }, { request->memory.len > 0, "memory" },
    };
    for (size_t r = 0; request->task_definition.len > 0 && r < COUNT_OF(rows); r++) {
        if (rows[r].given) { return err_set(err, ERR_INVALID_PARAMETER, "%s can't be specified together with taskDefinitionArn.", rows[r].member); }
    }
    return true;
}

static bool check_path(struct str path, struct err *err)
{
    bool good = path.len <= PATH_MAX_BYTES && (path.len == 0 || path.ptr[0] == '/');
    for (size_t c = 0; c < path.len; c++) { good = good && path.ptr[c] > ' ' && path.ptr[c] <= '~'; }
    return good || err_set(err, ERR_INVALID_PARAMETER, "healthCheckPath must begin with '/' and have at most %d printable characters without blanks.",
                           PATH_MAX_BYTES);
}

bool express_check(const struct express_request *request, bool is_new, struct err *err)
{
    if (!check_one_source(request, err) || !check_path(request->health_path, err)) { return false; }
    if (is_new && request->task_definition.len == 0 && request->container == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "primaryContainer or taskDefinitionArn must be specified.");
    }
    if (is_new && request->task_definition.len == 0 && request->execution_role.len == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "executionRoleArn must be specified together with primaryContainer.");
    }
    return true;
}

/* ---- the task definition ---- */

bool express_defines(const struct express_request *request)
{
    return request->container != NULL || request->execution_role.len > 0 || request->task_role.len > 0 || request->cpu.len > 0 || request->memory.len > 0
        || (request->network != NULL && request->task_definition.len == 0);
}

static struct log_configuration *logs_of(const struct names *names, const struct express_gateway_service_aws_logs_configuration *given, struct arena *arena)
{
    if (given == NULL) { return NULL; }
    const struct pair options[] = {
        { STR("awslogs-group"), given->log_group }, { STR("awslogs-region"), names->region }, { STR("awslogs-stream-prefix"), given->log_stream_prefix },
    };
    struct log_configuration *logs = ARENA_NEW(arena, struct log_configuration, 1);
    logs->log_driver = LOG_DRIVER_AWSLOGS;
    logs->options = (struct pair_list){ arena_copy(arena, options, sizeof options), COUNT_OF(options) };
    return logs;
}

static struct container_definition container_of(const struct names *names, const struct express_gateway_container *given, struct arena *arena)
{
    struct port_mapping *port = ARENA_NEW(arena, struct port_mapping, 1);
    struct repository_credentials *credentials = NULL;
    *port = (struct port_mapping){ .name = port_name, .protocol = TRANSPORT_PROTOCOL_TCP,
                                   .container_port = given->container_port.set ? given->container_port : opt_int_of(PORT_DEFAULT) };
    if (given->repository_credentials != NULL) {
        credentials = ARENA_NEW(arena, struct repository_credentials, 1);
        credentials->credentials_parameter = given->repository_credentials->credentials_parameter;
    }
    return (struct container_definition){
        .name = main_name, .image = given->image, .essential = OPT_TRUE, .port_mappings = { port, 1 }, .command = given->command,
        .environment = given->environment, .secrets = given->secrets, .repository_credentials = credentials,
        .log_configuration = logs_of(names, given->aws_logs_configuration, arena),
    };
}

static void set_text(struct str *text, struct str given) { if (given.len > 0) { *text = given; } }

/* Main is replaced; the containers beside it stay. */
static void set_container(const struct names *names, const struct express_gateway_container *given, struct task_definition *def, struct arena *arena)
{
    struct container_definition_list *list = &def->container_definitions;
    struct container_definition *items = ARENA_NEW(arena, struct container_definition, list->count + 1);
    size_t at = list->count;
    for (size_t c = 0; c < list->count; c++) {
        items[c] = list->items[c];
        if (str_eq(items[c].name, main_name)) { at = c; }
    }
    items[at] = container_of(names, given, arena);
    *list = (struct container_definition_list){ items, at == list->count ? at + 1 : list->count };
}

void express_define(const struct names *names, const struct express_request *request, struct task_definition *def, struct arena *arena)
{
    if (def->container_definitions.count == 0) {
        def->family = str_slice(def->family, 0, FAMILY_MAX);
        def->network_mode = NETWORK_MODE_BRIDGE;                 /* each machine has it, and a proxy elsewhere reaches it */
    }
    if (def->cpu.len == 0) { def->cpu = STR("256"); }
    if (def->memory.len == 0) { def->memory = STR("512"); }
    if (request->container != NULL) { set_container(names, request->container, def, arena); }
    if (request->network != NULL) { def->network_mode = NETWORK_MODE_AWSVPC; }
    set_text(&def->execution_role_arn, request->execution_role);
    set_text(&def->task_role_arn, request->task_role);
    set_text(&def->cpu, request->cpu);
    set_text(&def->memory, request->memory);
}

const struct container_definition *express_main(const struct task_definition *def) { return taskdef_container(def, main_name); }

bool express_port(const struct task_definition *def, int64_t *port, struct err *err)
{
    const struct container_definition *container = express_main(def);
    size_t count = container == NULL ? 0 : container->port_mappings.count;
    const struct port_mapping *mapping = count == 1 ? &container->port_mappings.items[0] : NULL;
    if (mapping == NULL || !mapping->container_port.set || mapping->name.len == 0 || mapping->protocol == TRANSPORT_PROTOCOL_UDP) {
        return err_set(err, ERR_INVALID_PARAMETER, "The task definition must have a container Main with one port mapping, which has a containerPort, "
                       "the protocol tcp and a name.");
    }
    *port = mapping->container_port.value;
    return true;
}

/* ---- scaling ---- */

static const enum predefined_metric metrics[EXPRESS_GATEWAY_SERVICE_SCALING_METRIC_COUNT] = {
    [EXPRESS_GATEWAY_SERVICE_SCALING_METRIC_AVERAGE_CPU] = PREDEFINED_CPU,
    [EXPRESS_GATEWAY_SERVICE_SCALING_METRIC_AVERAGE_MEMORY] = PREDEFINED_MEMORY,
    [EXPRESS_GATEWAY_SERVICE_SCALING_METRIC_REQUEST_COUNT_PER_TARGET] = PREDEFINED_REQUESTS,
};

bool express_scale(const struct express_scaling *base, const struct express_gateway_scaling_target *given, struct express_scaling *scaling, struct err *err)
{
    *scaling = *base;
    if (given == NULL) { return true; }
    if (given->min_task_count.set) { scaling->min = given->min_task_count.value; }
    if (given->max_task_count.set) { scaling->max = given->max_task_count.value; }
    if (given->auto_scaling_metric != EXPRESS_GATEWAY_SERVICE_SCALING_METRIC_UNSET) { scaling->metric = given->auto_scaling_metric; }
    if (given->auto_scaling_target_value.set) { scaling->value = given->auto_scaling_target_value.value; }
    if (scaling->min > scaling->max) { return err_set(err, ERR_INVALID_PARAMETER, "minTaskCount must not be greater than maxTaskCount."); }
    return scaling->value > 0 || err_set(err, ERR_INVALID_PARAMETER, "autoScalingTargetValue must be above 0.");
}

struct express_scaling express_scaling_of(const struct kept_scaling *target)
{
    struct express_scaling scaling = express_scaling_default;
    if (target == NULL) { return scaling; }
    scaling.min = target->min;
    scaling.max = target->max;
    for (size_t p = 0; p < target->policies.count; p++) {
        const struct kept_policy *policy = &target->policies.items[p];
        if (!str_eq(policy->name, express_policy) || policy->tracking == NULL || policy->tracking->predefined == NULL) { continue; }
        scaling.value = llround(policy->tracking->target_value.value);
        for (int m = 1; m < EXPRESS_GATEWAY_SERVICE_SCALING_METRIC_COUNT; m++) {
            if (metrics[m] == policy->tracking->predefined->type) { scaling.metric = (enum express_gateway_service_scaling_metric)m; }
        }
    }
    return scaling;
}

struct target_tracking *express_tracking(const struct express_scaling *scaling, struct str resource_label, struct arena *arena)
{
    struct target_tracking *tracking = ARENA_NEW(arena, struct target_tracking, 1);
    tracking->target_value = (struct opt_double){ (double)scaling->value, true };
    tracking->predefined = ARENA_NEW(arena, struct predefined_metric_specification, 1);
    tracking->predefined->type = metrics[scaling->metric];
    if (tracking->predefined->type == PREDEFINED_REQUESTS) { tracking->predefined->resource_label = resource_label; }
    return tracking;
}

/* ---- names ---- */

struct str express_label(struct str cluster, struct str service, struct arena *arena)
{
    enum { NAME_SHOWN = 20, HASH_SHOWN = 8 };
    char hash[SIGV4_HEX_LEN + 1];
    struct buf label = buf_in(arena);
    sha256_hex(arena_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(cluster), STR_ARG(service)), hash);
    for (size_t c = 0; c < service.len && c < NAME_SHOWN; c++) {
        char letter = service.ptr[c];
        if (letter >= 'A' && letter <= 'Z') { letter = (char)(letter - 'A' + 'a'); }
        bool plain = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
        if (!plain && buf_str(&label).len == 0) { continue; }    /* names of hosts and groups begin with a letter or a digit */
        buf_put(&label, (struct str){ plain ? &letter : "-", 1 });
    }
    if (buf_str(&label).len > 0) { buf_put(&label, STR("-")); }
    buf_put(&label, (struct str){ hash, HASH_SHOWN });
    return buf_str(&label);
}
