/* why.c: why a service is as it is, and what helps: the answer to `berth why SERVICE`. It looks at the records, the roster and the world, and changes
 * nothing. As JSON:
 *
 * {"service":{"arn":"…","name":"…","cluster":"…","status":"ACTIVE","desired":2,"running":1,"pending":0},
 *  "deployment":{"id":"ecs-svc/…","status":"PRIMARY","rollout":"IN_PROGRESS","taskDefinition":"web:3","created":…},     null: it has none
 *  "verdict":"WAIT",                        ROOM, SOME_ROOM, SWAP, WAIT, DEADLOCK or INFEASIBLE: for the tasks that are missing; null: none is
 *  "reasons":["…"],                         one sentence each
 *  "detail":"…"}                            all this as a paragraph */
#include "api/core/api.h"
#include "api/services/books.h"
#include "api/traffic/traffic.h"
#include "base/num.h"
#include "scheduler/reconcile/feeds.h"
#include "wire/own_json.h"

struct why_service_request { struct str cluster, service; };
#define AT(member) .offset = offsetof(struct why_service_request, member)
static const struct field why_service_fields[] = {
    { STR_INIT("cluster"), 0, FIELD_STR, AT(cluster), .max = 2048 },
    { STR_INIT("service"), 0, FIELD_STR, AT(service), .required = true, .min = 1, .max = 2048 },
};
#undef AT
static const struct schema why_service_schema = SCHEMA_OF("why service", struct why_service_request, why_service_fields);

struct why_service { struct str json; };
static const struct schema why_service_reply = { STR_INIT("why a service"), sizeof(struct why_service), NULL, 0 };

enum { REASONS_MAX = 32 };
struct reasons { struct books *books; struct str_list list; };

static void add(struct reasons *reasons, struct str text)
{
    if (reasons->list.count < REASONS_MAX) { reasons->list.items[reasons->list.count++] = text; }
}

static const struct kept_deployment *primary_of(const struct books *books)
{
    for (size_t d = 0; d < books->deployment_count; d++) {
        if (books->deployments[d].status == DEPLOYMENT_STATUS_PRIMARY) { return &books->deployments[d]; }
    }
    return NULL;
}

/* ---- reasons ---- */

static void add_failures(struct reasons *reasons, const struct kept_deployment *primary)
{
    struct books *books = reasons->books;
    struct op_ctx *ctx = books->ctx;
    const struct breaker *breaker = &books->state.breaker;
    bool rolling = primary->rollout == DEPLOYMENT_ROLLOUT_STATE_IN_PROGRESS;
    if (primary->rollout == DEPLOYMENT_ROLLOUT_STATE_FAILED) {
        add(reasons, arena_printf(ctx->arena, "Its deployment failed: " STR_FMT, STR_ARG(primary->rollout_reason)));
    }
    if (rolling && primary->failed > 0 && breaker->enabled) {
        add(reasons, arena_printf(ctx->arena, "Tasks have failed %lld times; at %lld the circuit breaker ends the deployment.", (long long)primary->failed,
                                  (long long)breaker_threshold(breaker, books->state.desired)));
    } else if (primary->failed > 0 || primary->unstarted > 0) {
        add(reasons, arena_printf(ctx->arena, "Tasks have failed %lld times, and no circuit breaker ends the deployment.",
                                  (long long)max_i64(primary->failed, primary->unstarted)));
    }
    if (primary->next_start_ms > ctx->now_ms) {
        add(reasons, arena_printf(ctx->arena, "The next start is in %lld s: after failures the pauses grow. An update of the service ends the pause.",
                                  (long long)((primary->next_start_ms - ctx->now_ms + 999) / 1000)));
    }
    if (primary->last_failure.len > 0 && (primary->failed > 0 || primary->unstarted > 0)) {
        add(reasons, arena_printf(ctx->arena, "The last failure: " STR_FMT, STR_ARG(primary->last_failure)));
    }
}

static void add_hooks(struct reasons *reasons)
{
    struct books *books = reasons->books;
    const struct service_deployment *act = &books->act;
    if (!books->has_act || service_deployment_has_ended(act->status)) { return; }
    for (size_t h = 0; h < act->hooks.count; h++) {
        const struct kept_hook *hook = &act->hooks.items[h];
        struct str stage = enum_word(&service_deployment_lifecycle_stage_names, (int)act->stage);
        if (hook->status == DEPLOYMENT_LIFECYCLE_HOOK_STATUS_AWAITING_ACTION) {
            add(reasons, arena_printf(books->ctx->arena, "A pause in the stage " STR_FMT " waits for ContinueServiceDeployment (hook " STR_FMT ").",
                                      STR_ARG(stage), STR_ARG(hook->id)));
        } else if (hook->status == DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS) {
            add(reasons, arena_printf(books->ctx->arena, "A hook of the stage " STR_FMT " has not answered yet (" STR_FMT ").", STR_ARG(stage),
                                      STR_ARG(hook->id)));
        }
    }
}

/* Tasks that are not as they should be, counted. */
static void add_tasks(struct reasons *reasons)
{
    struct books *books = reasons->books;
    struct op_ctx *ctx = books->ctx;
    int64_t protected = 0, lost = 0, draining = 0, leaving = 0, starting = 0, unknown = 0, waiting = 0;
    for (size_t t = 0; t < books->state.task_count; t++) {
        const struct service_task *task = &books->state.tasks[t];
        bool old = books->deployments[task->deployment].status != DEPLOYMENT_STATUS_PRIMARY;
        protected += old && !task->leaving && task->protected_until_ms > ctx->now_ms;
        lost += task->machine == MACHINE_LOST;
        draining += task->machine == MACHINE_DRAINING && !task->leaving;
        leaving += task->leaving;
        starting += !task->running && !task->leaving && !task->waits;
        waiting += task->waits;
        unknown += task->running && !task->leaving && task->health == HEALTH_NOT_KNOWN;
    }
    const struct { int64_t count; const char *one, *many; } rows[] = {
        { starting, "One task is starting: `berth why TASK` says where it is.", "%lld tasks are starting: `berth why TASK` says where each is." },
        { waiting, "One task waits for a machine of its capacity provider: `berth why TASK` and `berth queue` say what it lacks.",
          "%lld tasks wait for machines of their capacity providers: `berth why TASK` and `berth queue` say what they lack." },
        { unknown, "The health checks of one running task have not decided yet.", "The health checks of %lld running tasks have not decided yet." },
        { leaving, "One task is stopping.", "%lld tasks are stopping." },
        { protected, "One old task is protected, and stays until its protection ends.",
          "%lld old tasks are protected, and stay until their protection ends." },
        { draining, "One task is on a draining machine, and is replaced as the limits and the room allow.",
          "%lld tasks are on draining machines, and are replaced as the limits and the room allow." },
        { lost, "One task is on a machine whose agent is gone; it counts for nothing.",
          "%lld tasks are on machines whose agents are gone; they count for nothing." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (rows[r].count == 0) { continue; }
        struct buf text = buf_in(ctx->arena);
        const char *number = strstr(rows[r].many, "%lld");
        if (rows[r].count == 1) {
            buf_put(&text, str_from(rows[r].one));
        } else {
            buf_put(&text, (struct str){ rows[r].many, (size_t)(number - rows[r].many) });
            buf_printf(&text, "%lld%s", (long long)rows[r].count, number + 4);
        }
        add(reasons, buf_str(&text));
    }
}

static void add_targets(struct reasons *reasons)
{
    struct books *books = reasons->books;
    struct op_ctx *ctx = books->ctx;
    for (size_t t = 0; t < books->state.task_count && reasons->list.count < REASONS_MAX / 2; t++) {
        const struct service_task *task = &books->state.tasks[t];
        const struct kept_target *target = task->leaving || task->health == HEALTH_NO_CHECK ? NULL : targets_unhealthy(ctx, task->id);
        if (target == NULL) { continue; }
        add(reasons, arena_printf(ctx->arena, STR_FMT ":%lld is unhealthy in the target group " STR_FMT ": " STR_FMT, STR_ARG(target->name),
                                  (long long)target->port, STR_ARG(target->group), STR_ARG(target->description)));
    }
}

static void add_feed(struct reasons *reasons)
{
    struct books *books = reasons->books;
    struct str feed = { NULL, 0 };
    for (size_t t = 0; t < books->state.task_count && feed.len == 0; t++) { feed = targets_behind(books->ctx, books->state.tasks[t].id); }
    if (feed.len == 0) { return; }
    add(reasons, arena_printf(books->ctx->arena, "The proxy " STR_FMT " has not taken over the service's targets. New ones wait %d s for it, those that leave "
                              "their group's delay.", STR_ARG(feed), FEED_BEHIND_MS / 1000));
}

/* ---- the answer ---- */

static void put_deployment(struct op_ctx *ctx, struct json_out *out, const struct books *books, const struct kept_deployment *primary)
{
    if (primary == NULL) {
        own_json_str(out, STR("deployment"), (struct str){ NULL, 0 });
        return;
    }
    const struct service_revision *revision = store_service_revision(ctx->txn, books->service.number, primary->digits, ctx->arena);
    json_name(out, STR("deployment"));
    json_open(out, '{');
    own_json_str(out, STR("id"), names_deployment_id(primary->digits, ctx->arena));
    own_json_str(out, STR("status"), enum_word(&deployment_status_names, (int)primary->status));
    own_json_str(out, STR("rollout"), enum_word(&deployment_rollout_state_names, (int)primary->rollout));
    if (revision != NULL) {
        own_json_str(out, STR("taskDefinition"), arena_printf(ctx->arena, STR_FMT ":%lld", STR_ARG(revision->family), (long long)revision->revision));
    }
    own_json_ms(out, STR("created"), primary->created_ms);
    json_close(out, '}');
}

static struct str detail_of(struct op_ctx *ctx, const struct books *books, const struct reasons *reasons, int64_t running)
{
    struct buf text = buf_in(ctx->arena);
    buf_printf(&text, "%lld of %lld tasks run.", (long long)running, (long long)books->service.desired_count);
    for (size_t r = 0; r < reasons->list.count; r++) { buf_printf(&text, " " STR_FMT, STR_ARG(reasons->list.items[r])); }
    if (reasons->list.count == 0) { buf_put(&text, STR(" Nothing is missing.")); }
    return buf_str(&text);
}

static void print(struct op_ctx *ctx, struct books *books, struct buf *buf)
{
    struct json_out out = json_out_to(buf);
    const struct kept_deployment *primary = primary_of(books);
    struct reasons reasons = { books, { ARENA_NEW(ctx->arena, struct str, REASONS_MAX), 0 } };
    struct str verdict_text = { NULL, 0 }, pulling = pulls_reason(books);
    int64_t running = 0, pending = 0, present = 0;
    for (size_t t = 0; t < books->state.task_count; t++) {
        const struct service_task *task = &books->state.tasks[t];
        running += task->running && !task->leaving;
        pending += !task->running && !task->leaving;
        present += !task->leaving && primary != NULL && books->deployments[task->deployment].digits == primary->digits;
    }
    bool missing = primary != NULL && present < books->state.desired;
    enum preflight verdict = missing ? services_verdict(books, &verdict_text) : PREFLIGHT_ROOM;
    if (verdict_text.len > 0) { add(&reasons, arena_printf(ctx->arena, "Its deployment " STR_FMT, STR_ARG(verdict_text))); }
    if (pulling.len > 0) { add(&reasons, pulling); }
    if (primary != NULL) { add_failures(&reasons, primary); }
    add_hooks(&reasons);
    add_tasks(&reasons);
    add_targets(&reasons);
    add_feed(&reasons);

    json_open(&out, '{');
    json_name(&out, STR("service"));
    json_open(&out, '{');
    own_json_str(&out, STR("arn"), names_service_arn(&ctx->config->names, books->cluster->name, books->service.name, ctx->arena));
    own_json_str(&out, STR("name"), books->service.name);
    own_json_str(&out, STR("cluster"), books->cluster->name);
    own_json_str(&out, STR("status"), enum_word(&service_status_names, (int)books->service.status));
    own_json_i64(&out, STR("desired"), books->service.desired_count);
    own_json_i64(&out, STR("running"), running);
    own_json_i64(&out, STR("pending"), pending);
    json_close(&out, '}');
    put_deployment(ctx, &out, books, primary);
    own_json_str(&out, STR("verdict"), missing ? preflight_words[verdict] : (struct str){ NULL, 0 });
    own_json_strs(&out, STR("reasons"), &reasons.list);
    own_json_str(&out, STR("detail"), detail_of(ctx, books, &reasons, running));
    json_close(&out, '}');
}

static bool op_why_service(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct why_service_request *request = input;
    struct why_service *reply = output;
    const struct cluster *cluster;
    struct books books;
    struct buf json = buf_in(ctx->arena);
    const struct service *service = services_find(ctx, request->cluster, request->service, &cluster, err);
    if (service == NULL) { return false; }
    if (!books_open(ctx, service->number, &books)) { return err_set(err, ERR_SERVICE_NOT_ACTIVE, "The service is INACTIVE: it was deleted."); }
    books_fill(&books, 0);
    print(ctx, &books, &json);
    reply->json = buf_str(&json);
    return true;
}

static const struct operation why_service_operation = {
    STR_INIT("berth:WhyService"), &why_service_schema, &why_service_reply, OP_LOOK, ACCESS_VIEWER, ERR_INVALID_PARAMETER, op_why_service,
};

bool api_prepare_why_service(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err)
{
    return api_decode(config, &why_service_operation, body, arena, call, err);
}

struct str api_why_service(const struct api_call *call) { return ((const struct why_service *)call->output)->json; }
