/* outside.c: the port through which operations reach things outside the store: logs, the sessions of ExecuteCommand, and the metrics of clients. */
#include "server/front/aws.h"

#include "api/schemas/task_access.h"
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

struct outside outside_of(struct outside_call *call)
{
    return (struct outside){
        .context = call, .store = call->aws->front->store, .logs = call->aws->logs,
        .session_begin = begin_session, .session_renew = renew_session, .session_end = end_session, .metric_put = put_metric,
    };
}
