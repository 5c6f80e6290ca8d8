/* pulls.c: a pull is of a machine; who waits for it follows from the tasks that are placed there. As JSON:
 *
 * {"pulls":[{"instance":"<32 hex>","image":"train:3","layers":9,"layersDone":3,     layers 0: nothing is known yet
 *   "bytes":327155712,"bytesKnown":880803840,        of the layers whose size is known so far
 *   "tasks":["<32 hex>", …]}]}                       that wait for it; none: it was ordered early */
#include "api/tell/pulls.h"

#include "wire/own_json.h"
#include "api/core/support.h"

bool api_find_reporter(struct op_ctx *ctx, struct str cluster, struct str instance, struct id *id, struct err *err)
{
    const struct instance *found = support_find_reporter(ctx, cluster, instance, err);
    if (found != NULL) { *id = found->id; }
    return found != NULL;
}

/* ---- who waits ---- */

static bool waits_for(const struct task *task, const struct taskdef *taskdef, struct str image)
{
    const struct container_definition_list *definitions = &taskdef->def.container_definitions;
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        bool known = container->index >= 0 && (uint64_t)container->index < definitions->count;
        if (known && container->status == TASK_PENDING && str_eq(definitions->items[container->index].image, image)) { return true; }
    }
    return false;
}

const struct image_pull *pulls_of_task(struct op_ctx *ctx, const struct task *task, const struct image_pull_list *pulls)
{
    const struct taskdef *taskdef = NULL;
    if (!task_is_live(task) || task->desired_status == TASK_STOPPED) { return NULL; }
    for (size_t p = 0; p < pulls->count; p++) {
        if (!id_eq(pulls->items[p].instance, task->instance)) { continue; }
        if (taskdef == NULL) { taskdef = store_taskdef_of(ctx->txn, task, ctx->arena); }
        if (taskdef != NULL && waits_for(task, taskdef, pulls->items[p].image)) { return &pulls->items[p]; }
    }
    return NULL;
}

/* ---- as JSON ---- */

static void put_tasks(struct op_ctx *ctx, struct json_out *out, struct image_pull *pull)
{
    const struct image_pull_list one = { pull, 1 };
    struct id *ids;
    size_t count = store_tasks_on_instance(ctx->txn, pull->instance, &ids, ctx->arena);
    json_key(out, STR("tasks"));
    json_open(out, '[');
    for (size_t t = 0; t < count; t++) {
        const struct task *task = store_task(ctx->txn, ids[t], ctx->arena);
        char hex[ID_HEX_LEN + 1];
        if (task == NULL || pulls_of_task(ctx, task, &one) == NULL) { continue; }
        id_hex(task->id, hex);
        json_str(out, (struct str){ hex, ID_HEX_LEN });
    }
    json_close(out, ']');
}

void api_print_pulls(struct op_ctx *ctx, const struct image_pull_list *pulls, struct buf *out)
{
    struct json_out json = json_out_to(out);
    json_open(&json, '{');
    json_key(&json, STR("pulls"));
    json_open(&json, '[');
    for (size_t p = 0; p < pulls->count; p++) {
        struct image_pull *pull = &pulls->items[p];
        json_open(&json, '{');
        own_json_id(&json, STR("instance"), pull->instance);
        own_json_str(&json, STR("image"), pull->image);
        own_json_i64(&json, STR("layers"), pull->layers);
        own_json_i64(&json, STR("layersDone"), pull->layers_done);
        own_json_i64(&json, STR("bytes"), pull->bytes);
        own_json_i64(&json, STR("bytesKnown"), pull->bytes_known);
        put_tasks(ctx, &json, pull);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
}
