/* lines.c: events of services for the log of the server and for the outbox, under the names and the types that ECS gives them in EventBridge. */
#include "api/services/books.h"

#include "api/outbox/outbox.h"

#define INFO  STR_INIT("INFO")
#define WARN  STR_INIT("WARN")
#define ERROR STR_INIT("ERROR")

struct line { struct str name, type; };                  /* name absent: EventBridge gets no such event */

static const struct line of_kinds[EVENT_KIND_COUNT] = {
    [EVENT_STOPPED] = { STR_INIT("TASKS_STOPPED"), INFO }, [EVENT_STEADY] = { STR_INIT("SERVICE_STEADY_STATE"), INFO },
    [EVENT_SET_STEADY] = { STR_INIT("TASKSET_STEADY_STATE"), INFO }, [EVENT_COMPLETED] = { STR_INIT("SERVICE_DEPLOYMENT_COMPLETED"), INFO },
    [EVENT_FAILED_TO_START] = { STR_INIT("SERVICE_DEPLOYMENT_FAILED"), ERROR }, [EVENT_FAILED] = { STR_INIT("SERVICE_DEPLOYMENT_FAILED"), ERROR },
    [EVENT_ALARM] = { STR_INIT("SERVICE_DEPLOYMENT_FAILED"), ERROR }, [EVENT_NO_PLACE] = { STR_INIT("SERVICE_TASK_PLACEMENT_FAILURE"), ERROR },
    [EVENT_UNABLE] = { STR_INIT("SERVICE_TASK_START_IMPAIRED"), WARN }, [EVENT_GAVE_UP] = { STR_INIT("SERVICE_TASK_PLACEMENT_FAILURE"), ERROR },
    [EVENT_NO_MACHINES] = { STR_INIT("SERVICE_TASK_PLACEMENT_FAILURE"), ERROR }, [EVENT_LIMIT] = { STR_INIT("SERVICE_TASK_PLACEMENT_FAILURE"), ERROR },
    [EVENT_THROTTLED] = { STR_INIT("ECS_OPERATION_THROTTLED"), ERROR },
};

static const struct line of_hooks[DEPLOYMENT_LIFECYCLE_HOOK_STATUS_COUNT] = {
    [DEPLOYMENT_LIFECYCLE_HOOK_STATUS_AWAITING_ACTION] = { STR_INIT("HOOK_AWAITING_ACTION"), INFO },
    [DEPLOYMENT_LIFECYCLE_HOOK_STATUS_SUCCEEDED] = { STR_INIT("HOOK_SUCCEEDED"), INFO },
    [DEPLOYMENT_LIFECYCLE_HOOK_STATUS_FAILED] = { STR_INIT("HOOK_FAILED"), ERROR },
    [DEPLOYMENT_LIFECYCLE_HOOK_STATUS_TIMED_OUT] = { STR_INIT("HOOK_TIMED_OUT"), ERROR },
};

static void put_line(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service, const struct line *line, struct str more,
                     struct str deployment)
{
    if (line->name.len == 0) { return; }
    outbox_service(ctx, cluster, service, &(struct outbox_action){ line->name, line->type, more, deployment });
    bool is_daemon = service->daemon != NULL;
    struct str arn = (is_daemon ? names_daemon_arn : names_service_arn)(&ctx->config->names, cluster->name, service->name, ctx->arena);
    support_line(ctx, arena_printf(ctx->arena, "eventName=" STR_FMT " eventType=" STR_FMT " %s=" STR_FMT " " STR_FMT, STR_ARG(line->name),
                                   STR_ARG(line->type), is_daemon ? "daemon" : "service", STR_ARG(arn), STR_ARG(more)));
}

/* "ecs-svc/…" of the revision that the service is to run. */
static struct str deployment_of(const struct books *books)
{
    bool has_one = books->service.daemon == NULL && books->service.revision > 0;
    return has_one ? names_deployment_id(books->service.revision, books->ctx->arena) : STR("");
}

void lines_of_event(struct books *books, enum event_kind kind, struct str message)
{
    put_line(books->ctx, books->cluster, &books->service, &of_kinds[kind], message, deployment_of(books));
}

void lines_of_launch(struct books *books, struct str message)
{
    static const struct line line = { STR_INIT("SERVICE_TASK_CONFIGURATION_FAILURE"), ERROR };
    put_line(books->ctx, books->cluster, &books->service, &line, message, deployment_of(books));
}

void lines_of_begin(struct books *books)
{
    static const struct line line = { STR_INIT("SERVICE_DEPLOYMENT_IN_PROGRESS"), INFO };
    struct op_ctx *ctx = books->ctx;
    bool is_daemon = books->service.daemon != NULL;
    struct str arn = (is_daemon ? names_daemon_deployment_arn : names_service_deployment_arn)(&ctx->config->names, books->cluster->name, books->service.name,
                                                                                            books->act.id, ctx->arena);
    put_line(ctx, books->cluster, &books->service, &line, arn, deployment_of(books));
}

void lines_of_hook(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service, const struct kept_hook *hook)
{
    put_line(ctx, cluster, service, &of_hooks[hook->status],
             arena_printf(ctx->arena, "hook=" STR_FMT " " STR_FMT, STR_ARG(hook->id), STR_ARG(hook->reason)), STR(""));
}
