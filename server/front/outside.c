/* outside.c: the port through which operations reach things outside the store: logs, the sessions of ExecuteCommand, metrics of clients, and figures of
 * machines. */
#include "server/front/aws.h"

#include "api/schemas/task_access.h"
#include "server/archive/archive.h"
#include "server/exec/command_sessions.h"
#include "server/figures/client_metrics.h"
#include "server/front/audit.h"
#include "server/sessions/sessions.h"

/* "http://host:9281" → "ws://host:9281/v1/data-channel/NAME", as Session Manager's own addresses look. */
static struct str stream_url(struct str endpoint, const char *session, struct arena *arena)
{
    size_t scheme = str_starts_with(endpoint, STR("https")) ? sizeof "https" - 1 : sizeof "http" - 1;
    struct str rest = str_slice(endpoint, scheme, endpoint.len);
    while (str_ends_with(rest, STR("/"))) { rest.len--; }
    return arena_printf(arena, "ws%s" STR_FMT COMMAND_SESSION_PATH "%s?role=publish_subscribe", scheme == sizeof "https" - 1 ? "s" : "", STR_ARG(rest),
                        session);
}

static struct session make_session(struct op_ctx *ctx, const struct command_ticket *ticket)
{
    return (struct session){
        .session_id = arena_str(ctx->arena, str_from(ticket->session)), .token_value = arena_str(ctx->arena, str_from(ticket->token)),
        .stream_url = stream_url(ctx->config->endpoint, ticket->session, ctx->arena),
    };
}

static bool begin_session(struct op_ctx *ctx, struct id instance, const struct wire_exec *message, struct session *session, struct err *err)
{
    const struct outside_call *call = ctx->outside->context;
    struct command_ticket ticket;
    bool good = sessions_polls(call->aws->sessions, instance)
        || err_set(err, ERR_TARGET_NOT_CONNECTED, "The execute command failed: the way into a container is Berth's own agent, which is not "
                   "connected on the task's machine.");
    good = good && command_sessions_add(call->aws->commands, instance, message, &ticket, err);
    audit_exec(call->request, &ctx->caller, message, err);
    if (good) { *session = make_session(ctx, &ticket); }
    return good;
}

static bool keep_group(struct op_ctx *ctx, struct str name, struct err *err)
{
    const struct outside_call *call = ctx->outside->context;
    struct api_call kept;
    struct job job = { .call = &kept, .arena = ctx->arena, .caller = ctx->caller };
    api_prepare_log_group(&(struct kept_log_group){ name }, ctx->arena, &kept);
    return writer_run(call->aws->front->writer, &job, err);
}

static bool renew_session(struct op_ctx *ctx, struct str name, struct session *session)
{
    const struct outside_call *call = ctx->outside->context;
    struct command_ticket ticket;
    if (!command_sessions_renew(call->aws->commands, name, &ticket)) { return false; }
    *session = make_session(ctx, &ticket);
    return true;
}

static void end_session(struct op_ctx *ctx, struct str name)
{
    const struct outside_call *call = ctx->outside->context;
    command_sessions_end(call->aws->commands, name);
}

static bool put_metric(struct op_ctx *ctx, struct str key, int64_t at_ms, const struct metric_value *value)
{
    const struct outside_call *call = ctx->outside->context;
    return client_metrics_put(call->aws->client_metrics, key, at_ms, value, ctx->now_ms);
}

/* ---- figures of GPUs ---- */

struct points {
    const struct gpu_asked *asked; struct id task, instance;
    void (*take)(void *context, int64_t at_ms, double value); void *context;
};

static bool is_holder(const struct points *points, const struct gpu_holder *holder)
{
    const struct gpu_asked *asked = points->asked;
    return (!str_is_set(asked->family) || str_eq(holder->family, asked->family)) && (!str_is_set(asked->service) || str_eq(holder->service, asked->service))
        && (!str_is_set(asked->task) || id_eq(holder->task, points->task));
}

/* owner NULL: it is not known any more. */
static bool is_asked(const struct points *points, const struct owner_change *owner)
{
    const struct gpu_asked *asked = points->asked;
    bool by_place = str_is_set(asked->cluster) || str_is_set(asked->instance), by_holder = str_is_set(asked->family) || str_is_set(asked->service)
        || str_is_set(asked->task), held = false;
    if (owner == NULL) { return !by_place && !by_holder; }
    if (str_is_set(asked->cluster) && !str_eq(asked->cluster, owner->cluster)) { return false; }
    if (str_is_set(asked->instance) && !id_eq(points->instance, owner->instance)) { return false; }
    for (size_t h = 0; h < owner->holders.count; h++) { held = held || is_holder(points, &owner->holders.items[h]); }
    return held || !by_holder;
}

static void give_points(struct archive *archive, struct str uuid, enum archive_kind kind, int64_t from_ms, int64_t until_ms, const struct points *points,
                        struct arena *arena)
{
    struct archive_series series;
    if (from_ms >= until_ms || !archive_read(archive, uuid, kind, from_ms, until_ms, &series, arena)) { return; }
    for (size_t s = 0; s < series.count; s++) {
        const struct archive_sample *sample = &series.samples[s];
        struct opt_double value = gpu_figure(&sample->figures, (enum gpu_figure)points->asked->figure);
        if (!value.set || !is_asked(points, sample->owner == OWNERS_NONE ? NULL : &series.owners[sample->owner])) { continue; }
        points->take(points->context, sample->at_ms, value.value);
    }
}

enum { POINTS_GPUS_MAX = 256 };

static size_t gpus_of_task(struct op_ctx *ctx, struct id id, struct str *uuids)
{
    const struct task *task = store_task(ctx->txn, id, ctx->arena);
    const struct history *past = task == NULL ? store_history(ctx->txn, id, ctx->arena) : NULL;
    size_t count = 0, containers = task != NULL ? task->containers.count : past != NULL ? past->containers.count : 0;
    for (size_t c = 0; c < containers; c++) {
        const struct str_list *own = task != NULL ? &task->containers.items[c].gpu_ids : &past->containers.items[c].gpu_ids;
        for (size_t u = 0; u < own->count && count < POINTS_GPUS_MAX; u++) {
            if (!str_list_has(&(struct str_list){ uuids, count }, own->items[u])) { uuids[count++] = own->items[u]; }
        }
    }
    return count;
}

/* One more than are read: then there are too many. */
static size_t list_gpus(struct op_ctx *ctx, struct archive *archive, const struct points *points, struct str *uuids)
{
    if (str_is_set(points->asked->gpu)) {
        uuids[0] = points->asked->gpu;
        return 1;
    }
    if (str_is_set(points->asked->task)) { return gpus_of_task(ctx, points->task, uuids); }
    return archive_list(archive, points->instance, uuids, POINTS_GPUS_MAX + 1, ctx->arena);
}

/* The last day has the samples, before it are means. */
static bool gpu_points(struct op_ctx *ctx, const struct gpu_asked *asked, void (*take)(void *context, int64_t at_ms, double value), void *context)
{
    enum { SERIES_CEILING = 16 * 1024 * 1024 };
    const struct outside_call *call = ctx->outside->context;
    struct archive *archive = call->aws->archive;
    struct points points = { .asked = asked, .take = take, .context = context };
    int64_t day_ms = (ctx->now_ms / ARCHIVE_MONTH_MS * ARCHIVE_MONTH_MS) - (int64_t)ARCHIVE_DAY_SAMPLES * ARCHIVE_DAY_MS + ARCHIVE_MONTH_MS;
    struct str *uuids = ARENA_NEW(ctx->arena, struct str, POINTS_GPUS_MAX + 1);
    if (archive == NULL || (str_is_set(asked->task) && !id_parse(asked->task, &points.task))) { return true; }
    if (str_is_set(asked->instance) && !id_parse(asked->instance, &points.instance)) { return true; }
    struct arena arena;
    arena_init(&arena, SERIES_CEILING);
    size_t count = list_gpus(ctx, archive, &points, uuids);
    for (size_t g = 0; g < count && g < POINTS_GPUS_MAX; g++) {
        give_points(archive, uuids[g], ARCHIVE_MONTH, asked->from_ms, asked->until_ms < day_ms ? asked->until_ms : day_ms, &points, &arena);
        give_points(archive, uuids[g], ARCHIVE_DAY, asked->from_ms > day_ms ? asked->from_ms : day_ms, asked->until_ms, &points, &arena);
        arena_reset(&arena);
    }
    arena_finish(&arena);
    return count <= POINTS_GPUS_MAX;
}

static void task_use(struct op_ctx *ctx, const struct task *task, struct opt_double *cores, struct opt_double *memory_bytes)
{
    static const struct str_list no_gpus;
    const struct outside_call *call = ctx->outside->context;
    struct task_use use = samples_of_task(call->aws->samples, task->instance, task->id, &no_gpus, ctx->now_ms);
    *cores = use.cores;
    *memory_bytes = use.memory_bytes;
}

struct outside outside_of(struct outside_call *call)
{
    return (struct outside){
        .context = call, .store = call->aws->front->store, .logs = call->aws->logs,
        .group_keep = keep_group, .session_begin = begin_session, .session_renew = renew_session, .session_end = end_session, .metric_put = put_metric,
        .gpu_points = gpu_points, .task_use = task_use,
    };
}
