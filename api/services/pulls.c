/* pulls.c: early pulls: before an old task stops to make room, its machine pulls the images of the new revision. The service's record has when each machine was
 * asked, api/tell/work_pulls.c tells the machine, and its report ends the pull. A machine is asked once for a revision. */
#include "api/core/api.h"
#include "api/services/books.h"
#include "base/time/calendar.h"
#include "wire/wire.h"

enum { REASON_MAX = 640 };

static const struct early_pull *find_pull(const struct service *service, struct id instance, int64_t revision)
{
    for (size_t p = 0; p < service->early_pulls.count; p++) {
        const struct early_pull *pull = &service->early_pulls.items[p];
        if (pull->revision == revision && id_eq(pull->instance, instance)) { return pull; }
    }
    return NULL;
}

void pulls_look(struct books *books, struct service_task *task)
{
    struct id instance = books->instances[task->instance];
    const struct early_pull *pull = find_pull(&books->service, instance, books->service.revision);
    struct str value;
    bool takes = sched_attribute(books->ctx->world, instance, STR(EARLY_PULLS_ATTRIBUTE), &value) && str_is_set(value);
    task->pull = !takes ? PULL_NONE : pull == NULL ? PULL_CAN : pull->ended == OPT_TRUE ? PULL_ENDED : PULL_ASKED;
    task->pull_ms = pull == NULL ? 0 : pull->since_ms;
}

void pulls_ask(struct books *books)
{
    struct op_ctx *ctx = books->ctx;
    struct early_pull_list *pulls = &books->service.early_pulls;
    if (books->plan.steady && pulls->count > 0) {
        *pulls = (struct early_pull_list){ NULL, 0 };
        books->service_changed = true;
    }
    if (books->plan.pull == NO_TASK) { return; }
    struct id instance = books->instances[books->state.tasks[books->plan.pull].instance];
    struct early_pull_list kept = { ARENA_NEW(ctx->arena, struct early_pull, pulls->count + 1), 0 };
    for (size_t p = pulls->count < EARLY_PULLS_MAX ? 0 : 1; p < pulls->count; p++) {
        if (pulls->items[p].revision == books->service.revision) { kept.items[kept.count++] = pulls->items[p]; }
    }
    kept.items[kept.count++] = (struct early_pull){ .instance = instance, .revision = books->service.revision, .since_ms = ctx->now_ms };
    ASSERT(kept.count <= EARLY_PULLS_MAX);
    *pulls = kept;
    books->service_changed = true;
    support_effect(ctx, EFFECT_PULLS_INSTANCE, instance);
}

struct str pulls_reason(struct books *books)
{
    struct op_ctx *ctx = books->ctx;
    const struct early_pull_list *pulls = &books->service.early_pulls;
    for (size_t p = 0; p < pulls->count; p++) {
        const struct early_pull *pull = &pulls->items[p];
        if (pull->revision != books->service.revision || pull->ended == OPT_TRUE || ctx->now_ms >= pull->since_ms + PULL_WAIT_MS) { continue; }
        int since_s = (int)(pull->since_ms / 1000 % DAY_S);
        return arena_printf(ctx->arena, "The image of the new revision is being pulled on " STR_FMT " since %02d:%02d:%02d UTC; an old task stops there when "
                            "the image has come, or after ten minutes.", STR_ARG(services_machine_name(ctx, pull->instance)), since_s / 3600,
                            since_s / 60 % 60, since_s % 60);
    }
    return (struct str){ NULL, 0 };
}

/* ---- the report of its end ---- */

/* True: it was waited for. */
static bool take_pulled(struct op_ctx *ctx, const struct instance *instance, const struct pulled *pulled)
{
    const struct service *found = store_service(ctx->txn, pulled->service.value, ctx->arena);
    const struct early_pull *pull = found == NULL ? NULL : find_pull(found, instance->id, pulled->revision.value);
    if (pull == NULL || pull->ended == OPT_TRUE) { return false; }
    struct service service = *found;
    size_t at = (size_t)(pull - found->early_pulls.items);
    service.early_pulls.items = arena_copy(ctx->arena, found->early_pulls.items, found->early_pulls.count * sizeof *found->early_pulls.items);
    service.early_pulls.items[at].ended = OPT_TRUE;
    store_put_service(ctx->txn, &service);
    if (pulled->reason.len > 0) {
        services_add_event(ctx, service.number, arena_printf(ctx->arena,
            "(service " STR_FMT ") (deployment " STR_FMT ") an image cannot be pulled on " STR_FMT " before an old task stops there: " STR_FMT,
            STR_ARG(service.name), STR_ARG(names_deployment_id(pull->revision, ctx->arena)), STR_ARG(support_instance_name(instance, ctx->arena)),
            STR_ARG(str_shorten(pulled->reason, REASON_MAX))));
    }
    roster_touch(sched_roster(ctx->world), service.number);
    return true;
}

static bool op_report_pulled(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct pulled_report *report = input;
    const struct instance *instance = support_find_reporter(ctx, report->cluster, report->container_instance, err);
    bool is_news = false;
    (void)output;
    if (instance == NULL) { return false; }
    for (size_t p = 0; p < report->pulls.count; p++) { is_news |= take_pulled(ctx, instance, &report->pulls.items[p]); }
    if (is_news) { support_effect(ctx, EFFECT_PULLS_INSTANCE, instance->id); }        /* a message may not have had room for all */
    return true;
}

static const struct operation pulled_operation = {
    .name = STR_INIT("berth:ReportPulled"), .input = &pulled_report_schema, .access = OP_WRITE, .invalid = ERR_INVALID_PARAMETER, .run = op_report_pulled,
};

bool api_prepare_pulled(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err)
{
    return api_decode(config, &pulled_operation, body, arena, call, err);
}
