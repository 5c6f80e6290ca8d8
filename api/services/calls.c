/* calls.c: the calls over HTTP of a service: lifecycle hooks of the present stage, and alarms whose names are addresses. A step names each call that is
 * due; the server makes it unless it is on its way already; its end is an operation of Berth's own, which changes the record. So a call that was lost,
 * with its server or before it began, is made again with the same key. */
#include "api/services/books.h"

#include "api/handlers.h"
#include "api/services/answers.h"
#include "base/json.h"

enum { AGAIN_MS = 10 * 1000 };                           /* a call that is due is named again after this */

/* ---- the body of a call ---- */

static void put_weights(struct books *books, struct json_out *out, struct str name, bool shown, bool of_test)
{
    const struct service_deployment *act = &books->act;
    struct op_ctx *ctx = books->ctx;
    json_name(out, name);
    json_open(out, '{');
    for (size_t r = 0; shown && r <= act->sources.count; r++) {
        const struct revision_count *count = r == 0 ? act->target : &act->sources.items[r - 1];
        int64_t tenths = of_test ? count->test : count->production;
        json_key(out, names_revision_arn(&ctx->config->names, books->cluster->name, books->service.name, count->digits, ctx->arena));
        if (tenths % 10 == 0) { json_i64(out, tenths / 10); } else { json_double(out, (double)tenths / 10); }
    }
    json_close(out, '}');
}

/* A stage that shifts traffic has begun with the weights that it aims at; before a step of production they are those of now. */
static struct str hook_body(struct books *books, const struct kept_hook *hook, const struct deployment_lifecycle_hook *given)
{
    struct op_ctx *ctx = books->ctx;
    const struct names *names = &ctx->config->names;
    struct str cluster = books->cluster->name, service = books->service.name;
    enum rollout_stage stage = books->plan.traffic.at.stage;
    struct buf body = buf_in(ctx->arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    json_name(&out, STR("executionId"));
    json_str(&out, hook->id);
    json_name(&out, STR("lifecycleStage"));
    json_str(&out, books_stage_name(stage));
    json_name(&out, STR("resourceArn"));
    json_str(&out, names_service_deployment_arn(names, cluster, service, books->act.id, ctx->arena));
    json_name(&out, STR("executionDetails"));
    json_open(&out, '{');
    json_name(&out, STR("serviceArn"));
    json_str(&out, names_service_arn(names, cluster, service, ctx->arena));
    json_name(&out, STR("targetServiceRevisionArn"));
    json_str(&out, names_revision_arn(names, cluster, service, books->act.target->digits, ctx->arena));
    put_weights(books, &out, STR("testTrafficWeights"), stage == STAGE_TEST_TRAFFIC_SHIFT, true);
    put_weights(books, &out, STR("productionTrafficWeights"), stage == STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT || stage == STAGE_PRODUCTION_TRAFFIC_SHIFT, false);
    json_close(&out, '}');
    struct str details = answer_details(given->hook_details, hook->details, ctx->arena);
    if (details.len > 0) {
        json_name(&out, STR("hookDetails"));
        json_raw(&out, details);
    }
    json_close(&out, '}');
    return buf_str(&body);
}

/* ---- the calls that are due ---- */

/* True: it is due now. The step comes again then, or while it is due. */
static bool wait_for_call(struct books *books, int64_t call_ms)
{
    ASSERT(books->has_act);                              /* books_name_calls has seen it */
    int64_t now_ms = books->ctx->now_ms, next_ms = call_ms > now_ms ? call_ms : now_ms + AGAIN_MS;
    if (books->call_ms == 0 || next_ms < books->call_ms) { books->call_ms = next_ms; }
    return call_ms <= now_ms;
}

static void name_hooks(struct books *books)
{
    const struct deployment_lifecycle_hook_list *given = &books->act.configuration->lifecycle_hooks;
    for (size_t h = 0; h < books->act.hooks.count; h++) {
        const struct kept_hook *hook = &books->act.hooks.items[h];
        if (hook->status != DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS || hook->place < 0 || hook->place >= (int64_t)given->count) { continue; }
        if (!wait_for_call(books, hook->call_ms)) { continue; }
        const struct deployment_lifecycle_hook *to = &given->items[hook->place];
        support_call(books->ctx, &(struct service_call){
            .service = books->service.number, .number = hook->calls, .key = hook->id, .url = to->hook_target_arn, .body = hook_body(books, hook, to),
            .timeout_ms = HOOK_CALL_MS,
        });
    }
}

static void name_checks(struct books *books)
{
    for (size_t c = 0; c < books->act.checks.count; c++) {
        const struct kept_check *check = &books->act.checks.items[c];
        if (!wait_for_call(books, check->call_ms)) { continue; }
        support_call(books->ctx, &(struct service_call){
            .service = books->service.number, .number = check->calls, .key = check->url, .url = check->url, .timeout_ms = CHECK_CALL_MS,
        });
    }
}

void books_name_calls(struct books *books)
{
    if (!books->has_act || service_deployment_has_ended(books->act.status)) { return; }
    name_hooks(books);
    if (books_watch_alarms(books)) { name_checks(books); }
}

/* ---- the end of a call ---- */

/* True: the hook waited for it. */
static bool take_for_hook(struct op_ctx *ctx, const struct service *service, struct service_deployment *act, const struct service_called *called)
{
    const struct deployment_lifecycle_hook_list *given = &act->configuration->lifecycle_hooks;
    for (size_t h = 0; h < act->hooks.count; h++) {
        const struct kept_hook *hook = &act->hooks.items[h];
        bool waits = hook->status == DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS && hook->calls == called->number && str_eq(hook->id, called->key);
        if (!waits || hook->place < 0 || hook->place >= (int64_t)given->count) { continue; }
        act->hooks.items = arena_copy(ctx->arena, act->hooks.items, act->hooks.count * sizeof *act->hooks.items);
        struct kept_hook *taken = &act->hooks.items[h];
        answer_hook(taken, given->items[hook->place].hook_target_arn, called, ctx->now_ms, ctx->arena);
        const struct cluster *cluster = store_cluster_by_number(ctx->txn, service->cluster_number, ctx->arena);
        if (cluster != NULL && taken->status != DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS) { lines_of_hook(ctx, cluster, service, taken); }
        return true;
    }
    return false;
}

static bool take_for_check(struct op_ctx *ctx, struct service_deployment *act, const struct service_called *called)
{
    for (size_t c = 0; c < act->checks.count; c++) {
        if (act->checks.items[c].calls != called->number || !str_eq(act->checks.items[c].url, called->key)) { continue; }
        act->checks.items = arena_copy(ctx->arena, act->checks.items, act->checks.count * sizeof *act->checks.items);
        answer_check(&act->checks.items[c], called, ctx->now_ms);
        return true;
    }
    return false;
}

/* The next step decides on it. */
bool op_service_called(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct service_called *called = input;
    (void)output;
    (void)err;
    const struct service *service = store_service(ctx->txn, called->service, ctx->arena);
    if (service == NULL || id_is_zero(service->last_service_deployment)) { return true; }
    const struct service_deployment *found = store_service_deployment(ctx->txn, service->number, service->last_service_deployment, ctx->arena);
    if (found == NULL || service_deployment_has_ended(found->status)) { return true; }
    struct service_deployment act = *found;
    if (!take_for_hook(ctx, service, &act, called) && !take_for_check(ctx, &act, called)) { return true; }
    store_put_service_deployment(ctx->txn, &act);
    roster_touch(sched_roster(ctx->world), service->number);
    return true;
}
