/* run.c: RunTask, for which the scheduler chooses the machines, and StartTask, which names them. Both decide everything before the first
 * write; a task that finds no place is an entry of failures[], not an error. */
#include "api/tasks/run.h"

#include "api/core/quotas.h"
#include "api/handlers.h"
#include "api/show/view.h"
#include "api/tasks/demand.h"
#include "api/tasks/keeping.h"
#include "api/tasks/waits.h"
#include "scheduler/queue/queue.h"

enum { TASKS_PER_CALL_MAX = 10 };
static const int64_t TOKEN_LIFE_MS = (int64_t)24 * 60 * 60 * 1000;

/* ---- the same call again ---- */

static int64_t request_hash(struct op_ctx *ctx, const struct run_task_request *request)
{
    struct run_task_request asked = *request;
    asked.client_token = asked.cluster = (struct str){ 0 };
    return support_request_hash(&run_task_request_schema, &asked, ctx->arena);
}

/* The error names the earlier call's tasks, so that a client can look at them. */
static bool refuse_replay(struct op_ctx *ctx, const struct cluster *cluster, const struct id *ids, size_t count, struct err *err)
{
    struct str *arns = ARENA_NEW(ctx->arena, struct str, count);
    for (size_t t = 0; t < count; t++) { arns[t] = names_task_arn(&ctx->config->names, cluster->name, ids[t], ctx->arena); }
    err->resource_ids = arns;
    err->resource_id_count = count;
    return err_set(err, ERR_CONFLICT, "The clientToken was used before with other parameters, for task " STR_FMT ".", STR_ARG(arns[0]));
}

/* *tasks are those of an earlier call with this token, in their present state; none when there was no such call. False and
 * ERR_CONFLICT when that call asked for something else. */
static bool find_replay(struct op_ctx *ctx, const struct cluster *cluster, const struct run_task_request *request, int64_t hash,
                        struct task_view_list *tasks, struct err *err)
{
    struct id *ids;
    size_t count = store_tasks_by_token(ctx->txn, cluster->number, request->client_token, &ids, ctx->arena);
    if (count == 0) { return true; }

    struct view_cache cache = view_cache_for(ctx, cluster);
    tasks->items = ARENA_NEW(ctx->arena, struct task_view, count);
    for (size_t t = 0; t < count; t++) {
        const struct task *task = store_task(ctx->txn, ids[t], ctx->arena);
        if (task == NULL || task->created_ms + TOKEN_LIFE_MS <= ctx->now_ms) { continue; }
        if (task->request_hash != hash) { return refuse_replay(ctx, cluster, ids + t, count - t, err); }
        const struct taskdef *taskdef = view_taskdef_of(ctx, &cache, task);
        view_task_fill(ctx, &cache, task, taskdef, true, &tasks->items[tasks->count++]);
    }
    ASSERT(tasks->count <= count);
    return true;
}

/* ---- RunTask ---- */

bool launch_prepare_run(struct op_ctx *ctx, const struct cluster *cluster, const struct run_task_request *request,
                        struct launch *launch, struct err *err)
{
    const struct launch_request common = {
        .task_definition = request->task_definition, .group = request->group, .started_by = request->started_by,
        .reference_id = request->reference_id, .launch_type = request->launch_type, .strategy = &request->capacity_provider_strategy,
        .platform_version = request->platform_version, .network = request->network_configuration,
        .overrides = request->overrides, .tags = &request->tags, .propagate_tags = request->propagate_tags,
        .managed_tags = request->enable_ecs_managed_tags, .execute_command = request->enable_execute_command,
        .volume_configuration_count = request->volume_configurations.count,
    };
    if (!launch_check_group(request->group, err) || !launch_prepare(ctx, cluster, &common, launch, err)) { return false; }
    if (!demand_add_constraints(ctx, &launch->taskdef->def, &request->placement_constraints, &launch->demand, err)) { return false; }
    if (!demand_add_strategies(ctx, &request->placement_strategy, &launch->demand, err)) { return false; }
    if (!waits_read(&launch->pattern.tags, &launch->wish, err)) { return false; }
    if (!idle_wish_read(&launch->pattern.tags, &(struct idle_wish){ 0 }, err)) { return false; }
    if (!launch->wish.waits && !choice_scales(&launch->choice) && sched_instance_count(ctx->world, cluster->number) == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "No Container Instances were found in your cluster.");
    }
    if (request->placement_strategy.count + request->placement_constraints.count > 0) {
        launch->pattern.placing = ARENA_NEW(ctx->arena, struct task_placing, 1);
        launch->pattern.placing->strategies = request->placement_strategy;
        launch->pattern.placing->constraints = request->placement_constraints;
    }
    return true;
}

static struct str may_not_wait(struct op_ctx *ctx, const struct launch *launch, struct str detail)
{
    if (launch->wish.given) { return arena_printf(ctx->arena, "Too many tasks wait already. " STR_FMT, STR_ARG(detail)); }
    return arena_printf(ctx->arena, "In the cluster %d tasks wait for capacity providers already, which is the limit. " STR_FMT, (int)QUEUE_OF_PROVIDERS_MAX,
                        STR_ARG(detail));
}

/* Tasks of one capacity provider, or of none. */
static void run_some(struct op_ctx *ctx, struct launch *launch, const struct id *ids, size_t count, struct run_task_response *response)
{
    struct placement placements[TASKS_PER_CALL_MAX];
    struct evidence evidence = { 0 };
    struct task_view *views = response->tasks.items + response->tasks.count;
    ASSERT(count >= 1 && count <= TASKS_PER_CALL_MAX);
    keeping_refresh(ctx, launch->cluster->number);
    struct failure over;
    size_t allowed = quotas_allow(ctx, launch->cluster, &launch->pattern.tags, &launch->demand, count, launch->gang, &over);
    size_t placed = allowed == 0 ? 0 : sched_place(ctx->world, &launch->demand, ids, allowed, launch->gang, placements, &evidence);
    ASSERT(placed <= allowed && allowed <= count);
    ASSERT(!launch->gang || placed == 0 || placed == count);

    size_t waits = waits_room(ctx, launch, count - placed), made = placed + waits;
    for (size_t t = 0; t < placed; t++) {
        struct task_gang gang = { ids[0], (int64_t)t, (int64_t)count };
        launch->pattern.gang = launch->gang ? &gang : NULL;
        launch_task(ctx, launch, ids[t], &placements[t], &views[t]);
    }
    launch->pattern.gang = NULL;
    if (waits > 0) { waits_enter(ctx, launch, ids + placed, waits, views + placed); }
    response->tasks.count += made;
    struct failure_list failures = placed < allowed ? launch_failures(ctx, launch, &evidence, count - made) : launch_failures_of(ctx, over, count - made);
    if (made < count && launch->wish.waits) { failures.items[0].detail = may_not_wait(ctx, launch, failures.items[0].detail); }
    for (size_t f = 0; f < failures.count; f++) { response->failures.items[response->failures.count++] = failures.items[f]; }
}

/* A gang goes to one provider. */
static void run_tasks(struct op_ctx *ctx, struct launch *launch, size_t count, struct run_task_response *response)
{
    struct id ids[TASKS_PER_CALL_MAX];
    size_t providers[TASKS_PER_CALL_MAX] = { 0 }, done = 0;
    bool chooses = launch->choice.count > 0;
    ASSERT(count >= 1 && count <= TASKS_PER_CALL_MAX);
    response->tasks.items = ARENA_NEW(ctx->arena, struct task_view, count);
    response->failures.items = ARENA_NEW(ctx->arena, struct failure, count);
    for (size_t t = 0; t < count; t++) {
        ids[t] = id_new(ctx->ids, ctx->now_ms);
        if (chooses) { providers[t] = launch->gang && t > 0 ? providers[0] : strategy_add(launch->choice.shares, launch->choice.count); }
    }
    while (done < count) {
        size_t next = done + 1;
        while (next < count && providers[next] == providers[done]) { next++; }
        if (chooses) { launch_on_provider(ctx, launch, providers[done]); }
        run_some(ctx, launch, ids + done, next - done, response);
        done = next;
    }
    ASSERT(response->tasks.count + response->failures.count == count);
}

bool op_run_task(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct run_task_request *request = input;
    struct run_task_response *response = output;
    *response = (struct run_task_response){ { LIST_NOTHING, 0 }, { LIST_NOTHING, 0 } };
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    if (cluster == NULL || !support_check_token(request->client_token, err)) { return false; }

    bool has_token = request->client_token.len > 0;
    int64_t hash = has_token ? request_hash(ctx, request) : 0;
    if (has_token) {
        if (!find_replay(ctx, cluster, request, hash, &response->tasks, err)) { return false; }
        if (response->tasks.count > 0) { return true; }
    }

    struct launch launch;
    if (!launch_prepare_run(ctx, cluster, request, &launch, err)) { return false; }
    if (has_token) {
        launch.pattern.client_token = request->client_token;
        launch.pattern.request_hash = hash;
    }
    run_tasks(ctx, &launch, request->count.set ? (size_t)request->count.value : 1, response);
    return true;
}

/* ---- StartTask ---- */

struct start { struct op_ctx *ctx; struct launch *launch; struct start_task_response *response; };

static void add_failure(struct start *start, struct failure failure)
{
    start->response->failures.items[start->response->failures.count++] = failure;
}

/* On exactly this machine, or not at all. */
static void start_on(struct start *start, struct str reference, struct id id)
{
    struct op_ctx *ctx = start->ctx;
    const struct cluster *cluster = start->launch->cluster;
    struct str arn = names_instance_arn(&ctx->config->names, cluster->name, id, ctx->arena);
    const struct instance *instance = store_instance(ctx->txn, id, ctx->arena);
    if (instance == NULL || instance->cluster_number != cluster->number) {
        add_failure(start, view_missing(reference, arn));
        return;
    }
    if (instance->status != INSTANCE_ACTIVE) {
        add_failure(start, (struct failure){ .arn = arn, .reason = STR("INACTIVE") });
        return;
    }

    struct id task = id_new(ctx->ids, ctx->now_ms);
    struct placement placement;
    struct evidence evidence = { 0 };
    struct failure over;
    if (quotas_allow(ctx, cluster, &start->launch->pattern.tags, &start->launch->demand, 1, false, &over) == 0) {
        over.arn = arn;
        add_failure(start, over);
        return;
    }
    enum verdict verdict = sched_place_on(ctx->world, id, &start->launch->demand, task, &placement, &evidence);
    if (verdict == FITS) {
        ASSERT(id_eq(placement.instance, id));
        launch_task(ctx, start->launch, task, &placement, &start->response->tasks.items[start->response->tasks.count++]);
        return;
    }
    struct failure failure = launch_failure(ctx, start->launch, &evidence);
    failure.arn = arn;
    failure.reason = verdict_reason(verdict);
    add_failure(start, failure);
}

bool op_start_task(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct start_task_request *request = input;
    struct start_task_response *response = output;
    *response = (struct start_task_response){ { LIST_NOTHING, 0 }, { LIST_NOTHING, 0 } };
    const struct launch_request common = {
        .task_definition = request->task_definition, .group = request->group, .started_by = request->started_by,
        .reference_id = request->reference_id, .network = request->network_configuration, .overrides = request->overrides,
        .tags = &request->tags, .propagate_tags = request->propagate_tags, .managed_tags = request->enable_ecs_managed_tags,
        .execute_command = request->enable_execute_command,
        .volume_configuration_count = request->volume_configurations.count,
    };
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    struct launch launch;
    size_t count = request->container_instances.count;
    if (cluster == NULL) { return false; }
    if (count == 0) { return err_set(err, ERR_CLIENT, "Container Instances cannot be empty."); }
    if (!launch_check_group(request->group, err) || !launch_prepare(ctx, cluster, &common, &launch, err)) { return false; }
    if (launch.gang) {
        return err_set(err, ERR_INVALID_PARAMETER, "The tag berth:gang is for RunTask: StartTask starts on each machine that has room.");
    }
    if (!waits_read(&launch.pattern.tags, &launch.wish, err)) { return false; }
    if (!idle_wish_read(&launch.pattern.tags, &(struct idle_wish){ 0 }, err)) { return false; }
    if (launch.wish.waits) {
        return err_set(err, ERR_INVALID_PARAMETER, "The tag berth:queue is for RunTask: StartTask starts now or not at all.");
    }
    struct task_placing placing = { .named = OPT_TRUE };
    launch.pattern.placing = &placing;

    struct id *ids = ARENA_NEW(ctx->arena, struct id, count);
    for (size_t i = 0; i < count; i++) {
        struct str reference = request->container_instances.items[i];
        if (!names_read_id(&ctx->config->names, reference, STR("container-instance"), cluster->name, &ids[i], err)) { return false; }
    }

    response->tasks.items = ARENA_NEW(ctx->arena, struct task_view, count);
    response->failures.items = ARENA_NEW(ctx->arena, struct failure, count);
    struct start start = { ctx, &launch, response };
    for (size_t i = 0; i < count; i++) { start_on(&start, request->container_instances.items[i], ids[i]); }
    ASSERT(response->tasks.count + response->failures.count == count);
    return true;
}

enum run_outcome api_run_outcome(const struct api_call *call)
{
    if (call->operation->run != op_run_task) { return RUN_NONE; }
    const struct run_task_response *response = call->output;
    return response->failures.count > 0 ? RUN_LEFT_OUT : RUN_ALL_STARTED;
}
