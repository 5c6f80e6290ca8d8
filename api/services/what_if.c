/* what_if.c: whether an update of a service would have room now: the verdict on the service as it is after UpdateService. It looks at the records, the
 * roster and the world, and changes nothing. As JSON:
 *
 * {"service":"web","cluster":"default","taskDefinition":"web:3","desired":2,           as they are after the request
 *  "deploys":true,                          a new deployment begins
 *  "verdict":"WAIT",                        as `berth why SERVICE` has it
 *  "detail":"…"}                            the verdict as a sentence */
#include "api/core/api.h"
#include "api/rules/rules.h"
#include "api/services/books.h"
#include "wire/own_json.h"

struct what_if_update { struct str json; };
static const struct schema what_if_update_reply = { STR_INIT("what if an update"), sizeof(struct what_if_update), NULL, 0 };

enum { SUPPOSED_DIGITS = 1 };                                    /* no deployment has them: those of the records begin with a time */

/* The books as they are after the request: its deployment is the PRIMARY, and has no task yet. */
static void suppose(struct books *books, struct service_draft *draft, bool deploys)
{
    struct op_ctx *ctx = books->ctx;
    books->service = draft->service;
    if (!deploys) { return; }
    struct kept_deployment *deployments = ARENA_NEW(ctx->arena, struct kept_deployment, books->deployment_count + 1);
    for (size_t d = 0; d < books->deployment_count; d++) {
        deployments[d] = books->deployments[d];
        if (deployments[d].status == DEPLOYMENT_STATUS_PRIMARY) { deployment_become(&deployments[d], DEPLOYMENT_STATUS_ACTIVE, ctx->now_ms); }
    }
    struct kept_deployment *primary = &deployments[books->deployment_count++];
    *primary = (struct kept_deployment){ .digits = SUPPOSED_DIGITS, .service = draft->service.number };
    deployment_become(primary, DEPLOYMENT_STATUS_PRIMARY, ctx->now_ms);
    books->deployments = deployments;
    books->service.revision = draft->revision.digits = SUPPOSED_DIGITS;
    books->supposed = &draft->revision;
    books->has_act = false;
}

/* A verdict is not known of a service whose number of tasks follows from something else, nor where no machine is. */
static bool check(struct books *books, struct err *err)
{
    struct demand demand;
    if (books->service.controller == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL || books->service.scheduling == SCHEDULING_STRATEGY_DAEMON) {
        return err_set(err, ERR_INVALID_PARAMETER, "There is no verdict for a daemon, or for a service whose deployment controller is EXTERNAL.");
    }
    if (!starts_demand(books, &demand, err)) { return false; }
    if (!books->next_scales && sched_instance_count(books->ctx->world, books->cluster->number) == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "No Container Instances were found in your cluster.");
    }
    return true;
}

static struct str detail_of(struct op_ctx *ctx, enum preflight verdict, struct str text)
{
    static const char *const begins[] = {
        [PREFLIGHT_ROOM] = "The tasks that would start now have room.", [PREFLIGHT_SOME_ROOM] = "", [PREFLIGHT_SWAP] = "At present ",
        [PREFLIGHT_WAIT] = "It ", [PREFLIGHT_DEADLOCK] = "It ", [PREFLIGHT_INFEASIBLE] = "It ",
    };
    return arena_printf(ctx->arena, "%s" STR_FMT, begins[verdict], STR_ARG(text));
}

static struct str print(struct op_ctx *ctx, struct books *books, const struct service_draft *draft, bool deploys)
{
    struct buf buf = buf_in(ctx->arena);
    struct json_out out = json_out_to(&buf);
    struct str text;
    enum preflight verdict = services_verdict(books, &text);
    json_open(&out, '{');
    own_json_str(&out, STR("service"), draft->service.name);
    own_json_str(&out, STR("cluster"), books->cluster->name);
    own_json_str(&out, STR("taskDefinition"), arena_printf(ctx->arena, STR_FMT ":%lld", STR_ARG(draft->revision.family), (long long)draft->revision.revision));
    own_json_i64(&out, STR("desired"), draft->service.desired_count);
    json_name(&out, STR("deploys"));
    json_bool(&out, deploys);
    own_json_str(&out, STR("verdict"), preflight_words[verdict]);
    own_json_str(&out, STR("detail"), detail_of(ctx, verdict, text));
    json_close(&out, '}');
    return buf_str(&buf);
}

static bool ask(struct op_ctx *ctx, const struct update_service_request *request, struct what_if_update *reply, struct err *err)
{
    const struct cluster *cluster;
    struct service_draft draft;
    struct books books;
    bool deploys;
    if (!services_draft_update(ctx, request, &cluster, &draft, &deploys, err)) { return false; }
    if (!books_open(ctx, draft.service.number, &books)) { return err_set(err, ERR_SERVER, "The service can't be read."); }
    suppose(&books, &draft, deploys);
    if (!check(&books, err)) { return false; }
    books_fill(&books, 0);
    reply->json = print(ctx, &books, &draft, deploys);
    return true;
}

/* The random numbers go on as if nobody had asked. */
static bool op_what_if_update(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct rng chance = *ctx->rng;
    bool good = ask(ctx, input, output, err);
    *ctx->rng = chance;
    return good;
}

static const struct operation what_if_update_operation = {
    STR_INIT("berth:WhatIfUpdate"), &update_service_request_schema, &what_if_update_reply, OP_LOOK, ACCESS_VIEWER, ERR_INVALID_PARAMETER,
    op_what_if_update,
};

bool api_prepare_what_if_update(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err)
{
    return api_decode(config, &what_if_update_operation, body, arena, call, err);
}

struct str api_what_if_update(const struct api_call *call) { return ((const struct what_if_update *)call->output)->json; }
