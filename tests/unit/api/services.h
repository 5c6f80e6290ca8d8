/* services.h: services for tests of api/: definitions a:1, a:2 and vpc:1, calls in a row, and a service deployment whose status a test chooses. */
#ifndef BERTH_TESTS_SERVICES_H
#define BERTH_TESTS_SERVICES_H

#include "tests/unit/api/machines.h"

#define ACCOUNT_ARN "arn:aws:ecs:us-east-1:123456789012:"
#define INVALID     "InvalidParameterException: "
#define WEB(more)   "{\"serviceName\":\"web\",\"taskDefinition\":\"a:1\",\"desiredCount\":2" more "}"
#define OF_WEB(more) "{\"service\":\"web\"" more "}"
#define SETS(more)  "{\"serviceName\":\"sets\",\"deploymentController\":{\"type\":\"EXTERNAL\"}" more "}"

static inline void services_open(struct api_fixture *f)
{
    cluster_open(f);
    define(f, "a", "", "");
    define(f, "a", "", "");
    define(f, "vpc", "", ",\"networkMode\":\"awsvpc\"");
}

/* A call and one member of its reply; without a path the whole reply. `want` NULL: there is no such member. */
struct call { const char *row, *operation, *body, *path, *want; };

static inline void check_calls(struct api_fixture *f, const struct call *calls, size_t count)
{
    for (size_t c = 0; c < count; c++) {
        struct str reply = fixture_call(f, calls[c].operation, calls[c].body);
        struct str found = calls[c].path == NULL ? reply : fixture_at(f, reply, calls[c].path);
        if (calls[c].want == NULL) { CHECK(calls[c].row, f->code == ERR_NONE && !str_is_set(found)); } else { CHECK_STR(calls[c].row, found, str_from(calls[c].want)); }
    }
}

/* The calls, in a new store. */
static inline void run_calls(const struct call *calls, size_t count)
{
    struct api_fixture f;
    services_open(&f);
    check_calls(&f, calls, count);
    fixture_close(&f);
}

static inline struct str describe(struct api_fixture *f, const char *service)
{
    return fixture_call(f, "DescribeServices", text(f, "{\"services\":[\"%s\"],\"include\":[\"TAGS\"]}", service));
}

/* The newest service deployment of a service takes these steps; UNSET ends them. */
enum { ACT_STEPS_MAX = 4 };
static inline void act_goes(struct api_fixture *f, const char *service, const enum service_deployment_status steps[ACT_STEPS_MAX])
{
    struct arena arena;
    int64_t revision;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    struct store_txn *txn = store_write_begin(f->store);
    const struct cluster *cluster = store_cluster(txn, STR("default"), &arena);
    const struct service *found = store_service_named(txn, cluster->number, str_from(service), &arena);
    struct service_deployment act = *store_service_deployment(txn, found->number, found->last_service_deployment, &arena);
    for (int s = 0; s < ACT_STEPS_MAX && steps[s] != SERVICE_DEPLOYMENT_STATUS_UNSET; s++) { service_deployment_become(&act, steps[s], f->now_ms); }
    store_job_begin(txn);
    store_put_service_deployment(txn, &act);
    CHECK("kept", store_job_end(txn, true) && store_write_commit(txn, &revision));
    arena_finish(&arena);
}

#endif
