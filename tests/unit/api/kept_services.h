/* kept_services.h: services and their tasks as records, for tests of operations that meet services. */
#ifndef BERTH_TESTS_KEPT_SERVICES_H
#define BERTH_TESTS_KEPT_SERVICES_H

#include "api/core/placement.h"
#include "api/services/services.h"
#include "scheduler/reconcile/roster.h"
#include "tests/unit/api/machines.h"

/* One job of the writer, by hand. */
struct by_hand { struct api_fixture *f; struct arena arena; struct op_ctx ctx; };

static inline struct op_ctx *hand_begin(struct by_hand *hand, struct api_fixture *f)
{
    *hand = (struct by_hand){ .f = f };
    arena_init(&hand->arena, FIXTURE_ARENA_BYTES);
    struct store_txn *txn = store_write_begin(f->store);
    hand->ctx = fixture_ctx(f, txn, &hand->arena, OP_WRITE);
    store_job_begin(txn);
    return &hand->ctx;
}

static inline void hand_end(struct by_hand *hand)
{
    int64_t revision;
    CHECK("the job is kept", store_job_end(hand->ctx.txn, true));
    CHECK("the commit is kept", store_write_commit(hand->ctx.txn, &revision));
    arena_finish(&hand->arena);
}

/* An ACTIVE service of the cluster "default". Its number. */
static inline int64_t service_add(struct api_fixture *f, const char *name, enum deployment_controller_type controller, int64_t desired)
{
    struct by_hand hand;
    struct op_ctx *ctx = hand_begin(&hand, f);
    struct deployment_configuration configuration = {
        .strategy = DEPLOYMENT_STRATEGY_ROLLING, .maximum_percent = opt_int_of(200), .minimum_healthy_percent = opt_int_of(100),
    };
    struct service service = {
        .cluster_number = store_cluster(ctx->txn, STR("default"), ctx->arena)->number, .name = str_from(name), .controller = controller,
        .scheduling = SCHEDULING_STRATEGY_REPLICA, .desired_count = desired, .configuration = &configuration, .propagate_tags = PROPAGATE_TAGS_NONE,
    };
    service_become(&service, SERVICE_ACTIVE, f->now_ms);
    services_changed(ctx, &service);
    int64_t number = service.number;
    hand_end(&hand);
    return number;
}

static inline void service_end(struct api_fixture *f, int64_t number, enum service_status status)
{
    struct by_hand hand;
    struct op_ctx *ctx = hand_begin(&hand, f);
    struct service service = *store_service(ctx->txn, number, ctx->arena);
    service_become(&service, status, f->now_ms);
    services_changed(ctx, &service);
    hand_end(&hand);
}

/* The task, which RunTask made, is one of the service from now on. */
static inline void service_adopt(struct api_fixture *f, const char *task_arn, const char *name, int64_t number, int64_t deployment)
{
    struct by_hand hand;
    struct op_ctx *ctx = hand_begin(&hand, f);
    struct id id = { 0 };
    CHECK(task_arn, id_parse(str_slice(str_from(task_arn), strlen(task_arn) - ID_HEX_LEN, strlen(task_arn)), &id));
    const struct task *found = store_task(ctx->txn, id, ctx->arena);
    struct task task = *found;
    task.group = arena_printf(ctx->arena, "service:%s", name);
    task.started_by = names_deployment_id(deployment, ctx->arena);
    task.service = number;
    task.deployment = deployment;
    placement_change_task(ctx, found, &task);
    hand_end(&hand);
}

#endif
