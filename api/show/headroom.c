/* headroom.c: how much more would fit. As JSON:
 *
 * {"revision":17,                             the world after that commit, or after a later one
 *  "clusters":[{"name":"default",
 *    "instances":12,                          that take tasks: ACTIVE, and their agents connected
 *    "cpuFree":30720,"memoryFree":241664,"mostCpuFree":8192,"mostMemoryFree":65536,     CPU units, MiB; in all, and on one instance
 *    "gpusFree":22,"gpusQuarantined":1,       GPUs without any holder; GPUs out of the pool
 *    "fits":[{"gpus":1,"tasks":22},{"gpus":2,"tasks":10},{"gpus":4,"tasks":4},{"gpus":8,"tasks":1}],
 *                                             this many tasks with that many whole GPUs, if all had that size; only GPUs are counted
 *    "models":[{"model":"V100","instances":4,"gpusFree":16,"gpusQuarantined":0,"fits":[…]}]}]}             by berth.gpu-model; null: unknown */
#include "api/core/api.h"
#include "wire/own_json.h"
#include "api/core/support.h"

enum { REPORTED_MAX = 1000 };

static bool op_headroom(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct headroom_report *report = output;
    struct str *names = ARENA_NEW(ctx->arena, struct str, REPORTED_MAX);
    size_t count = store_list_clusters(ctx->txn, (struct str){ 0 }, names, REPORTED_MAX, ctx->arena);
    (void)input;
    (void)err;
    *report = (struct headroom_report){ store_revision(ctx->txn), ARENA_NEW(ctx->arena, struct headroom_cluster, count), 0 };
    for (size_t c = 0; c < count; c++) {
        const struct cluster *cluster = store_cluster(ctx->txn, names[c], ctx->arena);
        if (cluster == NULL || cluster->status == CLUSTER_INACTIVE) { continue; }
        ASSERT(report->count < count);
        struct headroom_cluster *told = &report->clusters[report->count++];
        told->name = names[c];
        sched_headroom(ctx->world, cluster->number, &told->room);
        for (size_t m = 0; m < told->room.model_count; m++) {        /* the world changes after this */
            told->room.models[m].model = arena_str(ctx->arena, told->room.models[m].model);
        }
    }
    return true;
}

static const struct schema report_schema = { STR_INIT("headroom"), sizeof(struct headroom_report), NULL, 0 };    /* api_print_headroom prints it */
static const struct operation headroom_operation = {
    .name = STR_INIT("berth:Headroom"), .output = &report_schema, .access = OP_LOOK, .invalid = ERR_INVALID_PARAMETER, .run = op_headroom,
};

void api_prepare_headroom(struct api_call *call) { *call = (struct api_call){ .operation = &headroom_operation }; }

const struct headroom_report *api_headroom(const struct api_call *call)
{
    ASSERT(call->operation == &headroom_operation);
    return call->output;
}

static void put_part(struct json_out *out, const struct headroom_part *part)
{
    own_json_i64(out, STR("gpusFree"), part->gpus_free);
    own_json_i64(out, STR("gpusQuarantined"), part->gpus_out);
    json_key(out, STR("fits"));
    json_open(out, '[');
    for (size_t s = 0; s < HEADROOM_SIZES; s++) {
        json_open(out, '{');
        own_json_i64(out, STR("gpus"), sched_headroom_sizes[s]);
        own_json_i64(out, STR("tasks"), part->tasks[s]);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_cluster(struct json_out *out, const struct headroom_cluster *cluster)
{
    const struct headroom *room = &cluster->room;
    json_open(out, '{');
    own_json_str(out, STR("name"), cluster->name);
    own_json_i64(out, STR("instances"), room->all.instances);
    own_json_i64(out, STR("cpuFree"), room->cpu);
    own_json_i64(out, STR("memoryFree"), room->memory_mib);
    own_json_i64(out, STR("mostCpuFree"), room->most_cpu);
    own_json_i64(out, STR("mostMemoryFree"), room->most_memory_mib);
    put_part(out, &room->all);
    json_key(out, STR("models"));
    json_open(out, '[');
    ASSERT(room->model_count <= HEADROOM_MODELS_MAX);
    for (size_t m = 0; m < room->model_count; m++) {
        json_open(out, '{');
        own_json_str(out, STR("model"), room->models[m].model);
        own_json_i64(out, STR("instances"), room->models[m].instances);
        put_part(out, &room->models[m]);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_close(out, '}');
}

bool api_print_headroom(const struct headroom_report *report, struct str cluster, struct buf *out)
{
    struct json_out json = json_out_to(out);
    bool found = cluster.len == 0;
    json_open(&json, '{');
    own_json_i64(&json, STR("revision"), report->revision);
    json_key(&json, STR("clusters"));
    json_open(&json, '[');
    for (size_t c = 0; c < report->count; c++) {
        if (cluster.len > 0 && !str_eq(report->clusters[c].name, cluster)) { continue; }
        put_cluster(&json, &report->clusters[c]);
        found = true;
    }
    json_close(&json, ']');
    json_close(&json, '}');
    return found;
}
