/* gpus.c: faults of GPUs, the states of targets, and the ends of early pulls, as agents report them; and what people tell GPUs and capacity providers.
 *
 * POST /berth/v1/agent/health                  an agent's report: model/gpu_health.h has its shape
 * POST /berth/v1/agent/checks                  the states of the targets on its machine: wire/checks.h
 * POST /berth/v1/agent/pulled                  the early pulls that have ended: struct pulled_report in wire/wire.h
 * GET  /berth/v1/idle?cluster=NAME            GPUs that tasks hold and do not use, the longest idle first; the parameter is optional:
 *     {"now":ms,"below":0.05,"afterSeconds":600,"gpus":3.5,                     of all clusters
 *      "tasks":[{"task":"<32 hex>","arn":"arn:…","cluster":"default","family":"train:3","group":"family:train","startedBy":null,
 *        "instance":"<32 hex>","instanceName":"node-a","gpus":2,"idleGpus":1,    that it holds, and those of them that are idle
 *        "gpuIds":["GPU-…"],"memoryUsedBytes":123,                              of the idle ones; null: not known
 *        "since":ms,"idleGpuSeconds":1234.5,                                    since its start, also of earlier times
 *        "stopsAt":ms}]}                         null: no tag says so, or not all of its GPUs are idle
 * GET  /berth/v1/gpus                          the GPUs that are out of the pool: api/machines/gpu_health.c has the shape
 * POST /berth/v1/gpus                          {"uuid":"GPU-…","state":"QUARANTINED" or "AVAILABLE","reason":"…"}: by hand
 * POST /berth/v1/capacity                      {"provider":"…","action":"APPROVE", "SUSPEND" or "RESUME"} */
#include "server/paths/figures.h"

#include <stdlib.h>

#include "server/front/answers.h"
#include "server/front/audit.h"
#include "wire/own_json.h"

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

/* ---- held idle ---- */

static int longest_first(const void *a, const void *b)
{
    const struct held_idle *one = a, *other = b;
    if (one->since_ms != other->since_ms) { return one->since_ms < other->since_ms ? -1 : 1; }
    return id_cmp(one->task, other->task);
}

static void put_task(struct op_ctx *ctx, const struct held *held, const struct held_idle *idle, struct str wanted, struct json_out *out)
{
    const struct task *task = store_task(ctx->txn, idle->task, ctx->arena);
    const struct cluster *cluster = task == NULL ? NULL : store_cluster_by_number(ctx->txn, task->cluster_number, ctx->arena);
    if (cluster == NULL || !task_is_live(task) || (str_is_set(wanted) && !str_eq(wanted, cluster->name))) { return; }
    json_open(out, '{');
    own_json_id(out, STR("task"), task->id);
    own_json_str(out, STR("arn"), names_task_arn(&ctx->config->names, cluster->name, task->id, ctx->arena));
    own_json_str(out, STR("cluster"), cluster->name);
    own_json_str(out, STR("family"), arena_printf(ctx->arena, STR_FMT ":%lld", STR_ARG(task->family), (long long)task->revision));
    own_json_str(out, STR("group"), task->group);
    own_json_str(out, STR("startedBy"), task->started_by);
    own_json_id(out, STR("instance"), idle->instance);
    own_json_str(out, STR("instanceName"), store_instance_traits(ctx->txn, idle->instance, ctx->arena).name);
    own_json_thousandths(out, STR("gpus"), idle->gpus);
    own_json_thousandths(out, STR("idleGpus"), idle->idle_gpus);
    own_json_strs(out, STR("gpuIds"), &idle->uuids);
    own_json_opt_int(out, STR("memoryUsedBytes"), (struct opt_int){ (int64_t)idle->memory_used_bytes, idle->memory_known });
    own_json_ms(out, STR("since"), idle->since_ms);
    own_json_thousandths(out, STR("idleGpuSeconds"), idle->idle_gpu_ms);
    own_json_ms(out, STR("stopsAt"), held_stops_ms(held, task, idle));
    json_close(out, '}');
}

void idle_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct figure_paths *paths = context;
    struct api_config config;
    struct held_idle *items;
    struct op_ctx ctx = front_read(paths->front, request, caller, &config);
    size_t count = held_list(paths->held, (struct id){ { 0 } }, &items, request->arena);
    struct json_out out = json_out_to(&answer->body);
    if (count > 1) { qsort(items, count, sizeof *items, longest_first); }
    json_open(&out, '{');
    own_json_ms(&out, STR("now"), request->now_ms);
    json_key(&out, STR("below"));
    json_double(&out, held_rule(paths->held)->below);
    own_json_i64(&out, STR("afterSeconds"), held_rule(paths->held)->after_ms / 1000);
    own_json_thousandths(&out, STR("gpus"), held_idle_thousandths(paths->held));
    json_key(&out, STR("tasks"));
    json_open(&out, '[');
    for (size_t i = 0; i < count; i++) { put_task(&ctx, paths->held, &items[i], query_parameter(request, STR("cluster")), &out); }
    json_close(&out, ']');
    json_close(&out, '}');
    if (store_read_end(ctx.txn)) { answer_json(paths->front, answer); } else { answer_unreadable(paths->front, answer); }
}
