/* board_services.c: the entries of services on the board, made of the views that DescribeServices shows. */
#include "api/show/board_services.h"

#include "api/core/support.h"
#include "api/show/view.h"
#include "wire/own_json.h"

enum { EVENTS_SHOWN = 10 };

struct str board_service_id(int64_t number, struct arena *arena) { return arena_printf(arena, "%lld", (long long)number); }

struct str board_service_name(const struct task *task)
{
    static const struct str head = STR_INIT("service:");
    bool is_of_service = task->service != 0 && str_starts_with(task->group, head);
    return is_of_service ? str_slice(task->group, head.len, task->group.len) : (struct str){ NULL, 0 };
}

/* "web:3" of the definition's ARN. */
static struct str short_taskdef(struct str arn)
{
    size_t from = arn.len;
    while (from > 0 && arn.ptr[from - 1] != '/') { from--; }
    return str_slice(arn, from, arn.len);
}

static void put_deployment(struct json_out *out, struct str status, const struct deployment_view *deployment)
{
    json_open(out, '{');
    own_json_str(out, STR("id"), deployment->id);
    own_json_str(out, STR("status"), status);
    own_json_str(out, STR("taskDefinition"), short_taskdef(deployment->task_definition));
    own_json_opt_int(out, STR("desired"), deployment->desired_count);
    own_json_opt_int(out, STR("running"), deployment->running_count);
    own_json_opt_int(out, STR("pending"), deployment->pending_count);
    own_json_opt_int(out, STR("failed"), deployment->failed_tasks);
    own_json_str(out, STR("rollout"), enum_word(&deployment_rollout_state_names, (int)deployment->rollout_state));
    own_json_str(out, STR("reason"), deployment->rollout_state_reason);
    json_close(out, '}');
}

static void put_task_set(struct json_out *out, const struct task_set *set)
{
    struct deployment_view deployment = {
        .id = set->id, .task_definition = set->task_definition,
        .desired_count = set->computed_desired_count, .running_count = set->running_count, .pending_count = set->pending_count,
    };
    put_deployment(out, set->status, &deployment);
}

static void put_deployments(struct json_out *out, const struct service_view *view)
{
    json_key(out, STR("deployments"));
    json_open(out, '[');
    for (size_t d = 0; d < view->deployments.count; d++) { put_deployment(out, view->deployments.items[d].status, &view->deployments.items[d]); }
    for (size_t s = 0; s < view->task_sets.count; s++) { put_task_set(out, &view->task_sets.items[s]); }
    json_close(out, ']');
}

static void put_group_arns(struct json_out *out, const struct load_balancer_list *balancers)
{
    for (size_t b = 0; b < balancers->count; b++) {
        const struct load_balancer *balancer = &balancers->items[b];
        const struct advanced_configuration *advanced = balancer->advanced_configuration;
        if (balancer->target_group_arn.len > 0) { json_str(out, balancer->target_group_arn); }
        if (advanced != NULL && advanced->alternate_target_group_arn.len > 0) { json_str(out, advanced->alternate_target_group_arn); }
    }
}

/* A service with task sets may have load balancers in these alone. */
static void put_target_groups(struct json_out *out, const struct service_view *view)
{
    json_key(out, STR("targetGroups"));
    json_open(out, '[');
    put_group_arns(out, &view->load_balancers);
    for (size_t s = 0; s < view->task_sets.count; s++) { put_group_arns(out, &view->task_sets.items[s].load_balancers); }
    json_close(out, ']');
}

static void put_rollout(struct op_ctx *ctx, const struct service *service, struct json_out *out)
{
    struct id newest = service->last_service_deployment;
    const struct service_deployment *act = id_is_zero(newest) ? NULL : store_service_deployment(ctx->txn, service->number, newest, ctx->arena);
    json_key(out, STR("rollout"));
    if (act == NULL) {
        json_raw(out, STR("null"));
        return;
    }
    json_open(out, '{');
    own_json_str(out, STR("status"), enum_word(&service_deployment_status_names, (int)act->status));
    own_json_str(out, STR("reason"), act->status_reason);
    json_close(out, '}');
}

static void put_events(struct json_out *out, const struct service_view *view)
{
    json_key(out, STR("events"));
    json_open(out, '[');
    for (size_t e = 0; e < view->events.count && e < EVENTS_SHOWN; e++) {
        const struct service_event *event = &view->events.items[e];
        json_open(out, '{');
        own_json_ms(out, STR("at"), event->created_at);
        own_json_str(out, STR("message"), event->message);
        json_close(out, '}');
    }
    json_close(out, ']');
}

void board_put_service(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service, struct json_out *out)
{
    ASSERT(cluster->number == service->cluster_number && service->status != SERVICE_INACTIVE);
    const struct service_view *view = view_service(ctx, cluster, service, false);
    const struct deployment_configuration *configuration = view->deployment_configuration;
    json_open(out, '{');
    own_json_str(out, STR("id"), board_service_id(service->number, ctx->arena));
    own_json_str(out, STR("arn"), view->service_arn);
    own_json_str(out, STR("name"), view->service_name);
    own_json_str(out, STR("cluster"), cluster->name);
    own_json_str(out, STR("status"), view->status);
    own_json_str(out, STR("strategy"), configuration == NULL ? (struct str){ NULL, 0 } : enum_word(&deployment_strategy_names, (int)configuration->strategy));
    own_json_str(out, STR("scheduling"), enum_word(&scheduling_strategy_names, (int)view->scheduling_strategy));
    own_json_str(out, STR("taskDefinition"), short_taskdef(view->task_definition));
    own_json_opt_int(out, STR("desired"), view->desired_count);
    own_json_opt_int(out, STR("running"), view->running_count);
    own_json_opt_int(out, STR("pending"), view->pending_count);
    own_json_ms(out, STR("created"), view->created_at);
    put_target_groups(out, view);
    put_deployments(out, view);
    put_rollout(ctx, service, out);
    put_events(out, view);
    json_close(out, '}');
}
