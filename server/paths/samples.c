/* samples.c: samples joined with what the store knows of machines and who holds their GPUs, as JSON and as metrics.
 *
 * GET /berth/v1/samples?cluster=NAME&instance=ID     both optional
 *     {"total":2,"machines":[{"id":…,"cluster":…,"name":…,"at":ms or null,"simulated":false,"taskCount":1,"gpus":[{"uuid":…,"model":…,
 *      "tasks":[id],"at":ms, what struct wire_gpu_sample knows}],"containers":[{"task":id,"container":…,"at":ms, what struct
 *      wire_container_sample knows}]}]}
 * with each machine that has GPUs or reports containers. A GPU without a sample has no "at". */
#include "server/paths/figures.h"

#include <stdlib.h>

#include "base/clock.h"
#include "server/front/answers.h"
#include "wire/own_json.h"

enum {
    MACHINES_LISTED_MAX = 1000, GPUS_EXPORTED_MAX = 4096, CONTAINERS_EXPORTED_MAX = 4096,
    LISTED_BYTES_MAX = 16 * 1024 * 1024,
};

/* ---- the join ---- */

struct gpu_row { struct gpu gpu; const struct gpu_sample *sample; struct str_list tasks; };      /* sample NULL: nothing is known */
struct machine_row {
    struct str cluster, id, name;
    struct machine_sample sample;            /* all zero: it does not tell */
    struct gpu_row *gpus; size_t gpu_count;
    size_t task_count;
};
struct join {
    struct samples *samples; struct store_txn *txn; struct arena *arena; int64_t now_ms;
    struct str wanted_cluster;               /* absent: all */
    bool enough;                             /* nobody takes any more: the rest is only counted */
    size_t machines;                         /* that were wanted */
    const struct cluster *cluster;           /* of the last machine */
    void (*take)(void *context, const struct machine_row *row);
    void *context;
};

static struct str hex_of(struct id id, struct arena *arena)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    return arena_str(arena, (struct str){ hex, ID_HEX_LEN });
}

static void add_holder(struct machine_row *row, struct str uuid, struct str task, struct arena *arena)
{
    for (size_t g = 0; g < row->gpu_count; g++) {
        struct str_list *tasks = &row->gpus[g].tasks;
        if (!str_eq(row->gpus[g].gpu.uuid, uuid) || (tasks->count > 0 && str_eq(tasks->items[tasks->count - 1], task))) { continue; }
        size_t size = tasks->count * sizeof *tasks->items;
        tasks->items = arena_grow(arena, tasks->items, size, size + sizeof *tasks->items);
        tasks->items[tasks->count++] = task;
    }
}

static void find_holders(struct join *join, const struct id *ids, struct machine_row *row)
{
    for (size_t t = 0; row->gpu_count > 0 && t < row->task_count; t++) {
        const struct task *task = store_task(join->txn, ids[t], join->arena);
        for (size_t c = 0; task != NULL && c < task->containers.count; c++) {
            const struct str_list *uuids = &task->containers.items[c].gpu_ids;
            for (size_t u = 0; u < uuids->count; u++) { add_holder(row, uuids->items[u], hex_of(ids[t], join->arena), join->arena); }
        }
    }
}

static const struct gpu_sample *find_sample(const struct machine_sample *sample, struct str uuid)
{
    for (size_t g = 0; g < sample->gpus.count; g++) {
        if (str_eq(sample->gpus.items[g].uuid, uuid)) { return &sample->gpus.items[g]; }
    }
    return NULL;
}

static int by_id(const void *a, const void *b) { return memcmp(a, b, sizeof(struct id)); }

/* Drops samples of containers whose task is not on the machine. */
static void keep_live(struct machine_row *row, const struct id *ids)
{
    size_t kept = 0;
    for (size_t c = 0; c < row->sample.containers.count; c++) {
        const struct container_sample *container = &row->sample.containers.items[c];
        bool lives = row->task_count > 0 && bsearch(&container->task, ids, row->task_count, sizeof *ids, by_id) != NULL;
        if (lives) { row->sample.containers.items[kept++] = *container; }
    }
    row->sample.containers.count = kept;
}

static struct str name_of(const struct instance *instance, struct str id)
{
    bool found;
    struct str name = instance_attribute(instance, STR("berth.name"), &found);
    return name.len > 0 ? name : instance->ec2_instance_id.len > 0 ? instance->ec2_instance_id : str_slice(id, 0, 8);
}

static bool is_wanted(struct join *join, const struct instance *instance)
{
    if (join->cluster == NULL || join->cluster->number != instance->cluster_number) {
        join->cluster = store_cluster_by_number(join->txn, instance->cluster_number, join->arena);
    }
    return join->cluster != NULL && (!str_is_set(join->wanted_cluster) || str_eq(join->wanted_cluster, join->cluster->name));
}

/* row->sample is filled in already; all zero: there is no sample. */
static void join_tasks(struct join *join, const struct instance *instance, struct machine_row *row)
{
    ASSERT(join->cluster != NULL);
    struct id *ids;
    row->id = hex_of(instance->id, join->arena);
    row->cluster = join->cluster->name;
    row->name = arena_str(join->arena, name_of(instance, row->id));
    row->gpu_count = instance->gpus.count;
    row->gpus = ARENA_NEW(join->arena, struct gpu_row, row->gpu_count + 1);
    for (size_t g = 0; g < row->gpu_count; g++) {
        const struct gpu *gpu = &instance->gpus.items[g];
        row->gpus[g].gpu = (struct gpu){ .uuid = arena_str(join->arena, gpu->uuid), .model = arena_str(join->arena, gpu->model) };
        row->gpus[g].sample = find_sample(&row->sample, gpu->uuid);
    }
    row->task_count = store_tasks_on_instance(join->txn, instance->id, &ids, join->arena);
    find_holders(join, ids, row);
    keep_live(row, ids);
}

static void join_machine(void *context, const struct instance *instance)
{
    struct join *join = context;
    struct machine_row row = { 0 };
    if (!is_wanted(join, instance)) { return; }
    bool tells = samples_of(join->samples, instance->id, join->now_ms, &row.sample, join->arena);
    if (!tells && instance->gpus.count == 0) { return; }
    join->machines++;
    if (join->enough) { return; }
    join_tasks(join, instance, &row);
    join->take(join->context, &row);
}

/* ---- as JSON ---- */

struct listing { struct json_out out; size_t listed; struct join *join; };

static void put_figures(struct json_out *out, const struct gpu_figures *told)
{
    for (size_t f = 0; f < GPU_FIGURES; f++) {
        struct opt_double value = gpu_figure(told, (enum gpu_figure)f);
        if (!value.set) { continue; }
        json_key(out, gpu_figure_kinds[f].member);
        json_double(out, value.value);
    }
}

/* All numbers in the schema of `told`. */
static void put_values(struct json_out *out, const struct schema *schema, const void *told)
{
    for (size_t f = 0; f < schema->count; f++) {
        const struct field *field = &schema->fields[f];
        struct opt_double value;
        if (field->kind != FIELD_DOUBLE) { continue; }
        memcpy(&value, (const char *)told + field->offset, sizeof value);
        if (!value.set) { continue; }
        json_key(out, field->name);
        json_double(out, value.value);
    }
}

static void put_gpu(struct json_out *out, const struct gpu_row *row)
{
    json_open(out, '{');
    own_json_str(out, STR("uuid"), row->gpu.uuid);
    own_json_str(out, STR("model"), row->gpu.model);
    own_json_strs(out, STR("tasks"), &row->tasks);
    if (row->sample != NULL) {
        own_json_ms(out, STR("at"), row->sample->at_ms);
        put_figures(out, &row->sample->told);
    }
    json_close(out, '}');
}

static void put_container(struct json_out *out, const struct container_sample *container)
{
    json_open(out, '{');
    own_json_id(out, STR("task"), container->task);
    own_json_str(out, STR("container"), container->told.container);
    own_json_ms(out, STR("at"), container->at_ms);
    put_values(out, &wire_container_sample_schema, &container->told);
    json_close(out, '}');
}

static void list_machine(void *context, const struct machine_row *row)
{
    struct listing *listing = context;
    struct json_out *out = &listing->out;
    listing->listed++;
    listing->join->enough = listing->listed == MACHINES_LISTED_MAX || out->buf->len > LISTED_BYTES_MAX;
    json_open(out, '{');
    own_json_str(out, STR("id"), row->id);
    own_json_str(out, STR("cluster"), row->cluster);
    own_json_str(out, STR("name"), row->name);
    own_json_ms(out, STR("at"), row->sample.at_ms);
    json_key(out, STR("simulated"));
    json_bool(out, row->sample.simulated);
    own_json_i64(out, STR("taskCount"), (int64_t)row->task_count);
    json_key(out, STR("gpus"));
    json_open(out, '[');
    for (size_t g = 0; g < row->gpu_count; g++) { put_gpu(out, &row->gpus[g]); }
    json_close(out, ']');
    json_key(out, STR("containers"));
    json_open(out, '[');
    for (size_t c = 0; c < row->sample.containers.count; c++) { put_container(out, &row->sample.containers.items[c]); }
    json_close(out, ']');
    json_close(out, '}');
}

/* All, or the one that is asked for. */
static void join_wanted(struct join *join, struct str id_text)
{
    struct id id;
    if (!str_is_set(id_text)) {
        store_scan_instances(join->txn, join_machine, join);
        return;
    }
    const struct instance *instance = id_parse(id_text, &id) ? store_instance(join->txn, id, join->arena) : NULL;
    if (instance != NULL && instance->status != INSTANCE_INACTIVE) { join_machine(join, instance); }
}

void samples_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct figure_paths *paths = context;
    (void)caller;
    struct listing listing = { .out = json_out_to(&answer->body) };
    struct join join = {
        .samples = paths->samples, .arena = request->arena, .now_ms = request->now_ms, .take = list_machine, .context = &listing,
        .wanted_cluster = query_parameter(request, STR("cluster")),
    };
    listing.join = &join;
    json_open(&listing.out, '{');
    json_key(&listing.out, STR("machines"));
    json_open(&listing.out, '[');
    join.txn = store_read_begin(paths->front->store);
    join_wanted(&join, query_parameter(request, STR("instance")));
    json_close(&listing.out, ']');
    own_json_i64(&listing.out, STR("total"), (int64_t)join.machines);
    json_close(&listing.out, '}');
    if (store_read_end(join.txn)) { answer_json(paths->front, answer); } else { answer_unreadable(paths->front, answer); }
}
