/* service_bodies.h: requests about services, as the schema reads them, by the rules alone: no world, no clock, and a store that has a cluster, but no capacity
 * provider. */
#ifndef BERTH_TESTS_SERVICE_BODIES_H
#define BERTH_TESTS_SERVICE_BODIES_H

#include <stdlib.h>

#include "api/rules/rules.h"
#include "store/store.h"
#include "tests/unit/check.h"

struct bench {
    struct arena arena;
    struct api_config config;
    struct op_ctx ctx;
    struct cluster cluster;
};

/* One for all rows. Its files are removed at once: it stays open until the process ends. */
static inline struct store_txn *bench_store(const struct cluster *cluster)
{
    static struct store *store;
    static struct store_txn *look;
    char dir[] = "/tmp/berth-rules-XXXXXX", file[64];
    int64_t revision;
    struct err err = { 0 };
    if (look != NULL) { return look; }
    ASSERT(mkdtemp(dir) != NULL && store_open(&(struct store_config){ .dir = dir, .map_size = 4 << 20 }, &store, &err));
    static const char *const names[] = { "data.mdb", "lock.mdb" };
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        snprintf(file, sizeof file, "%s/%s", dir, names[n]);
        (void)remove(file);
    }
    (void)remove(dir);
    struct store_txn *txn = store_write_begin(store);
    store_job_begin(txn);
    struct cluster first = *cluster;
    first.number = 0;
    store_put_cluster(txn, &first);
    ASSERT(first.number == cluster->number);
    ASSERT(store_job_end(txn, true) && store_write_commit(txn, &revision));
    look = store_read_begin(store);
    return look;
}

static inline void bench_open(struct bench *bench)
{
    *bench = (struct bench){ .cluster = { .number = 1, .name = STR("blue"), .status = CLUSTER_ACTIVE }, .config.names = { STR("us-east-1"), STR("123456789012") } };
    arena_init(&bench->arena, 64 << 20);
    bench->ctx = (struct op_ctx){ .config = &bench->config, .arena = &bench->arena, .txn = bench_store(&bench->cluster) };
}

#define REPLICA  "\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":2"
#define DAEMON   "\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"schedulingStrategy\":\"DAEMON\""
#define EXTERNAL "\"serviceName\":\"web\",\"deploymentController\":{\"type\":\"EXTERNAL\"}"

static inline void *bench_read(struct bench *bench, const struct schema *schema, const char *text)
{
    struct err err = { 0 };
    void *out = arena_alloc(&bench->arena, 1, schema->size);
    const struct json *json = json_parse(str_from(text), &bench->arena, &err);
    CHECK(text, json != NULL && schema_decode(schema, json, out, &bench->arena, ERR_INVALID_PARAMETER, &err));
    if (err.code != ERR_NONE) { fprintf(stderr, "%s\n", err.message); }
    return out;
}

/* web:REVISION with a container "web"; `more` are further members, and `in_web` members of the container. */
static inline const struct taskdef *bench_taskdef_of(struct bench *bench, int revision, const char *more, const char *in_web)
{
    struct str text = arena_printf(&bench->arena, "{\"family\":\"web\",\"revision\":%d,\"status\":\"ACTIVE\",\"compatibilities\":[\"EC2\",\"EXTERNAL\"]%s,"
        "\"containerDefinitions\":[{\"name\":\"web\",\"image\":\"i\",\"memory\":64%s}]}", revision, more, in_web);
    struct taskdef *taskdef = ARENA_NEW(&bench->arena, struct taskdef, 1);
    taskdef->def = *(const struct task_definition *)bench_read(bench, &task_definition_schema, text.ptr);
    return taskdef;
}

/* The same, whose container maps port 80. */
static inline const struct taskdef *bench_taskdef(struct bench *bench, int revision, const char *more, const char *in_web)
{
    return bench_taskdef_of(bench, revision, more, arena_printf(&bench->arena, ",\"portMappings\":[{\"containerPort\":80}]%s", in_web).ptr);
}

/* "accepted", or "Error: its text". */
static inline struct str bench_result(struct bench *bench, bool good, const struct err *err)
{
    CHECK_EQ(err->message, good, err->code == ERR_NONE);
    return good ? STR("accepted") : arena_printf(&bench->arena, "%s: %s", err_wire_name(err->code), err->message);
}

/* The members of a CreateService, through all of its rules. */
static inline struct str bench_create(struct bench *bench, const char *members, const struct taskdef *taskdef, struct service_draft *draft)
{
    struct err err = { 0 };
    const struct create_service_request *request =
        bench_read(bench, &create_service_request_schema, arena_printf(&bench->arena, "{%s}", members).ptr);
    bool is_external = request->deployment_controller != NULL && request->deployment_controller->type == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL;
    bool good = service_check_first(request, &err) && (is_external || service_check_taskdef(taskdef, &err))
        && service_draft_new(&bench->ctx, request, &bench->cluster, is_external ? NULL : taskdef, draft, &err);
    return bench_result(bench, good, &err);
}

/* The draft as the record of a service that was created. */
static inline void bench_keep(struct service_draft *draft)
{
    service_become(&draft->service, SERVICE_ACTIVE, 1000);
    draft->service.number = 9;
    draft->service.revision = draft->revision.digits = 77;
    draft->revision.service = 9;
    draft->revision.created_ms = 1000;
}

static inline struct str bench_json(struct bench *bench, const struct schema *schema, const void *value)
{
    struct buf text = buf_in(&bench->arena);
    struct json_out out = json_out_to(&text);
    schema_print(schema, value, &out);
    return buf_str(&text);
}

#define REGISTRY(end) "arn:aws:servicediscovery:us-east-1:123456789012:service/" end
#define INVALID     "InvalidParameterException: "
#define UNSUPPORTED "UnsupportedFeatureException: "
#define CLIENT      "ClientException: "

#endif
