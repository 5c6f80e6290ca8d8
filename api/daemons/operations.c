/* operations.c: CreateDaemon, UpdateDaemon and DeleteDaemon. The tasks start and stop in later steps. */
#include "api/daemons/daemons.h"
#include "api/handlers.h"
#include "api/rules/settings.h"

/* ---- finding ---- */

const struct service *daemons_find(struct op_ctx *ctx, struct str arn, const struct cluster **cluster, enum err_code missing, struct err *err)
{
    struct service_name name;
    if (!names_read_daemon(&ctx->config->names, arn, &name, err)) { return NULL; }
    *cluster = support_cluster_ever(ctx, name.cluster, err);
    if (*cluster == NULL) { return NULL; }
    const struct service *daemon = store_daemon_named(ctx->txn, (*cluster)->number, name.service, ctx->arena);
    if (daemon != NULL && daemon->status != SERVICE_INACTIVE) { return daemon; }
    (void)err_set(err, missing, "Daemon not found.");
    return NULL;
}

static const struct service *find_active(struct op_ctx *ctx, struct str arn, const struct cluster **cluster, struct err *err)
{
    const struct service *daemon = daemons_find(ctx, arn, cluster, ERR_DAEMON_NOT_FOUND, err);
    if (daemon == NULL || daemon->status == SERVICE_ACTIVE) { return daemon; }
    (void)err_set(err, ERR_DAEMON_NOT_ACTIVE, "Daemon was not ACTIVE.");
    return NULL;
}

struct str daemons_arn(struct op_ctx *ctx, const struct cluster *cluster, const struct service *daemon)
{
    return names_daemon_arn(&ctx->config->names, cluster->name, daemon->name, ctx->arena);
}

struct str daemons_deployment_arn(struct op_ctx *ctx, const struct cluster *cluster, const struct service *daemon)
{
    return names_daemon_deployment_arn(&ctx->config->names, cluster->name, daemon->name, daemon->last_service_deployment, ctx->arena);
}

enum daemon_status daemons_status(const struct service *daemon)
{
    return daemon->status == SERVICE_ACTIVE ? DAEMON_STATUS_ACTIVE : DAEMON_STATUS_DELETE_IN_PROGRESS;
}

/* Clients compare createdAt with their own clock, whose steps are finer than a millisecond: the next one is not before the request came. */
static void round_time_up(struct op_ctx *ctx) { ctx->now_ms++; }

/* ---- CreateDaemon ---- */

/* The request without its token, its cluster and its tags. */
static int64_t hash_of(const struct create_daemon_request *given, struct arena *arena)
{
    struct create_daemon_request request = *given;
    request.client_token = request.cluster_arn = (struct str){ NULL, 0 };
    request.tags = (struct tag_list){ NULL, 0 };
    return support_request_hash(&create_daemon_request_schema, &request, arena);
}

/* True and *same: the call that made it is repeated, because its reply was lost. */
static bool check_name_is_free(struct op_ctx *ctx, const struct create_daemon_request *request, const struct service *known, bool *same, struct err *err)
{
    *same = false;
    if (known == NULL || known->status == SERVICE_INACTIVE) { return true; }
    if (known->status == SERVICE_DRAINING) {
        return err_set(err, ERR_INVALID_PARAMETER, "The daemon can't be created: its deployment deletion is ongoing.");
    }
    *same = request->client_token.len > 0 && str_eq(known->client_token, request->client_token) && known->request_hash == hash_of(request, ctx->arena);
    return *same || err_set(err, ERR_INVALID_PARAMETER, "A daemon with the name '" STR_FMT "' already exists.", STR_ARG(known->name));
}

static bool has_room(struct op_ctx *ctx, const struct cluster *cluster, struct err *err)
{
    struct service_number *daemons = ARENA_NEW(ctx->arena, struct service_number, CLUSTER_DAEMONS_MAX);
    size_t count = store_list_daemons(ctx->txn, cluster->number, (struct str){ NULL, 0 }, daemons, CLUSTER_DAEMONS_MAX, ctx->arena);
    return count < CLUSTER_DAEMONS_MAX || err_set(err, ERR_CLIENT, "A cluster can have at most %d daemons.", CLUSTER_DAEMONS_MAX);
}

static bool check_first(const struct create_daemon_request *request, struct err *err)
{
    if (!names_is_valid(request->daemon_name)) {
        return err_set(err, ERR_INVALID_PARAMETER, "daemonName must have 1 to 255 letters, digits, hyphens and underscores.");
    }
    return support_check_token(request->client_token, err) && service_check_tags(&request->tags, err);
}

bool op_create_daemon(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct create_daemon_request *request = input;
    struct create_daemon_response *response = output;
    struct service daemon = { .name = request->daemon_name, .tags = request->tags, .client_token = request->client_token };
    struct service_revision revision;
    bool same;
    round_time_up(ctx);
    const struct cluster *cluster = support_cluster(ctx, request->cluster_arn, err);
    if (cluster == NULL || !check_first(request, err)) { return false; }
    const struct service *known = store_daemon_named(ctx->txn, cluster->number, request->daemon_name, ctx->arena);
    const struct daemon_wish wish = {
        request->daemon_task_definition_arn, &request->capacity_provider_arns, request->deployment_configuration, request->propagate_tags,
        request->enable_ecs_managed_tags, request->enable_execute_command,
    };
    if (!check_name_is_free(ctx, request, known, &same, err)) { return false; }
    if (!same && (!daemons_draft(ctx, cluster, &wish, &daemon, &revision, err) || !has_room(ctx, cluster, err))) { return false; }

    if (same) {
        daemon = *known;
    } else {
        daemon.request_hash = hash_of(request, ctx->arena);
        daemon.created_by = support_caller_arn(ctx);
        service_become(&daemon, SERVICE_ACTIVE, ctx->now_ms);
        services_deploy(ctx, &daemon, &revision);
    }
    *response = (struct create_daemon_response){
        daemons_arn(ctx, cluster, &daemon), daemons_status(&daemon), daemon.created_ms, daemons_deployment_arn(ctx, cluster, &daemon),
    };
    return true;
}

/* ---- UpdateDaemon ---- */

bool op_update_daemon(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct update_daemon_request *request = input;
    struct update_daemon_response *response = output;
    const struct cluster *cluster;
    struct service_revision revision;
    round_time_up(ctx);
    const struct service *found = find_active(ctx, request->daemon_arn, &cluster, err);
    const struct daemon_wish wish = {
        request->daemon_task_definition_arn, &request->capacity_provider_arns, request->deployment_configuration, request->propagate_tags,
        request->enable_ecs_managed_tags, request->enable_execute_command,
    };
    if (found == NULL) { return false; }
    struct service daemon = *found;
    if (!daemons_draft(ctx, cluster, &wish, &daemon, &revision, err)) { return false; }

    services_deploy(ctx, &daemon, &revision);
    *response = (struct update_daemon_response){
        daemons_arn(ctx, cluster, &daemon), daemons_status(&daemon), daemon.created_ms, daemon.daemon->updated_ms,
        daemons_deployment_arn(ctx, cluster, &daemon),
    };
    return true;
}

/* ---- DeleteDaemon ---- */

bool op_delete_daemon(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_daemon_request *request = input;
    struct delete_daemon_response *response = output;
    const struct cluster *cluster;
    const struct service *found = find_active(ctx, request->daemon_arn, &cluster, err);
    if (found == NULL) { return false; }

    struct service daemon = *found;
    struct managed_daemon managed = *found->daemon;
    managed.updated_ms = ctx->now_ms;
    daemon.daemon = &managed;
    services_delete(ctx, &daemon);
    *response = (struct delete_daemon_response){
        daemons_arn(ctx, cluster, &daemon), DAEMON_STATUS_DELETE_IN_PROGRESS, daemon.created_ms, managed.updated_ms,
        daemons_deployment_arn(ctx, cluster, &daemon),
    };
    return true;
}
