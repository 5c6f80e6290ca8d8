/* gpus.c: faults of GPUs, the states of targets, and the ends of early pulls, as agents report them; and what people tell GPUs and capacity providers.
 *
 * POST /berth/v1/agent/health                  an agent's report: model/gpu_health.h has its shape
 * POST /berth/v1/agent/checks                  the states of the targets on its machine: wire/checks.h
 * POST /berth/v1/agent/pulled                  the early pulls that have ended: struct pulled_report in wire/wire.h
 * GET  /berth/v1/gpus                          the GPUs that are out of the pool: api/machines/gpu_health.c has the shape
 * POST /berth/v1/gpus                          {"uuid":"GPU-…","state":"QUARANTINED" or "AVAILABLE","reason":"…"}: by hand
 * POST /berth/v1/capacity                      {"provider":"…","action":"APPROVE", "SUSPEND" or "RESUME"} */
#include "server/paths/figures.h"

#include "server/front/answers.h"
#include "server/front/audit.h"

typedef bool prepare_call(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err);

static struct err run_and_answer(const struct front *front, struct http_request *request, struct http_answer *answer, const struct caller *caller,
                                 prepare_call *prepare)
{
    struct err err = { 0 };
    struct api_call call;
    struct job job = { .call = &call, .arena = request->arena, .caller = *caller };
    if (prepare(front->api, request->body, request->arena, &call, &err) && writer_run(front->writer, &job, &err)) {
        buf_put(&answer->body, STR("{}"));
        answer_json(front, answer);
    } else {
        answer_refusal(front, answer, &err);
    }
    return err;
}

void agent_health_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    (void)run_and_answer(front, request, answer, caller, api_prepare_health);
}

void agent_checks_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    (void)run_and_answer(front, request, answer, caller, api_prepare_checks);
}

void agent_pulled_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    (void)run_and_answer(front, request, answer, caller, api_prepare_pulled);
}

void gpus_set_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    struct err err = run_and_answer(front, request, answer, caller, api_prepare_set_gpu);
    audit_call(front, &(struct audit){ .request = request, .caller = caller, .service = ecs_service.name, .operation = STR("SetGpu"),
                                        .level = LOG_INFO, .err = &err });
}

void capacity_set_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    struct err err = run_and_answer(front, request, answer, caller, api_prepare_order_capacity);
    audit_call(front, &(struct audit){ .request = request, .caller = caller, .service = ecs_service.name, .operation = STR("OrderCapacity"),
                                        .level = LOG_INFO, .err = &err });
}

void gpus_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    struct api_config config;
    struct op_ctx ctx = front_read(front, request, caller, &config);
    api_print_gpu_faults(&ctx, &answer->body);
    if (store_read_end(ctx.txn)) { answer_json(front, answer); } else { answer_unreadable(front, answer); }
}
