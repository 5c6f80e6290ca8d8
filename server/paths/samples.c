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
        if (str_eq(sample->gpus.items[g].told.uuid, uuid)) { return &sample->gpus.items[g]; }
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
        put_values(out, &wire_gpu_sample_schema, &row->sample->told);
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

/* ---- as metrics ---- */

/* Prometheus wants all lines of a metric together, so everything is gathered first. */
struct exported {
    struct arena *arena;
    struct gpu_line { struct str labels; struct wire_gpu_sample told; } *gpus; size_t gpu_count;
    struct container_line { struct str labels; struct container_sample sample; } *containers; size_t container_count;
    int64_t left_out;
};

static void put_label(struct buf *out, const char *name, struct str value)
{
    buf_printf(out, "%s%s=\"", out->len > 0 ? "," : "", name);
    for (size_t c = 0; c < value.len; c++) {
        if (value.ptr[c] == '"' || value.ptr[c] == '\\' || value.ptr[c] == '\n') { buf_put_char(out, '\\'); }
        buf_put_char(out, value.ptr[c] == '\n' ? 'n' : value.ptr[c]);
    }
    buf_put_char(out, '"');
}

static struct buf machine_labels(const struct machine_row *row, struct arena *arena)
{
    struct buf labels = buf_in(arena);
    put_label(&labels, "cluster", row->cluster);
    put_label(&labels, "container_instance", row->id);
    put_label(&labels, "machine", row->name);
    return labels;
}

static struct str gpu_labels(const struct machine_row *row, const struct gpu_row *gpu, struct arena *arena)
{
    struct buf labels = machine_labels(row, arena), tasks = buf_in(arena);
    for (size_t t = 0; t < gpu->tasks.count; t++) { buf_printf(&tasks, "%s" STR_FMT, t > 0 ? "," : "", STR_ARG(gpu->tasks.items[t])); }
    put_label(&labels, "gpu", gpu->gpu.uuid);
    put_label(&labels, "model", gpu->gpu.model);
    put_label(&labels, "task", buf_str(&tasks));
    put_label(&labels, "simulated", row->sample.simulated ? STR("true") : STR("false"));
    return buf_str(&labels);
}

static void export_machine(void *context, const struct machine_row *row)
{
    struct exported *exported = context;
    for (size_t g = 0; g < row->gpu_count; g++) {
        const struct gpu_row *gpu = &row->gpus[g];
        if (gpu->sample == NULL) { continue; }
        if (exported->gpu_count == GPUS_EXPORTED_MAX) { exported->left_out++; continue; }
        exported->gpus[exported->gpu_count++] = (struct gpu_line){ gpu_labels(row, gpu, exported->arena), gpu->sample->told };
    }
    for (size_t c = 0; c < row->sample.containers.count; c++) {
        const struct container_sample *sample = &row->sample.containers.items[c];
        if (exported->container_count == CONTAINERS_EXPORTED_MAX) { exported->left_out++; continue; }
        struct buf labels = machine_labels(row, exported->arena);
        put_label(&labels, "task", hex_of(sample->task, exported->arena));
        put_label(&labels, "container", sample->told.container);
        exported->containers[exported->container_count++] = (struct container_line){ buf_str(&labels), *sample };
    }
}

struct metric_kind { const char *name, *help; size_t offset; };
static const struct metric_kind gpu_gauges[] = {
    { "berth_gpu_utilization_ratio", "Part of the time in which something ran on the GPU, 0 to 1.", offsetof(struct gpu_line, told.utilization) },
    { "berth_gpu_memory_used_bytes", "Memory of the GPU that is in use.", offsetof(struct gpu_line, told.memory_used_bytes) },
    { "berth_gpu_memory_total_bytes", "Memory that the GPU has.", offsetof(struct gpu_line, told.memory_total_bytes) },
    { "berth_gpu_temperature_celsius", "Temperature of the GPU.", offsetof(struct gpu_line, told.temperature_celsius) },
    { "berth_gpu_power_watts", "Power that the GPU draws.", offsetof(struct gpu_line, told.power_watts) },
    { "berth_gpu_clock_hertz", "Clock of the GPU's processors.", offsetof(struct gpu_line, told.clock_hertz) },
    { "berth_gpu_processes", "Processes that compute on the GPU.", offsetof(struct gpu_line, told.processes) },
};
static const struct metric_kind container_gauges[] = {
    { "berth_container_cpu_cores", "Processor cores that the container keeps busy.", offsetof(struct container_line, sample.told.cpu_cores) },
    { "berth_container_memory_bytes", "Memory that the container uses.", offsetof(struct container_line, sample.told.memory_bytes) },
};
static const struct metric_kind container_counters[] = {
    { "berth_container_network_receive_bytes_total", "Bytes that the container has received.",
      offsetof(struct container_line, sample.told.network_received_bytes) },
    { "berth_container_network_transmit_bytes_total", "Bytes that the container has sent.",
      offsetof(struct container_line, sample.told.network_sent_bytes) },
    { "berth_container_block_read_bytes_total", "Bytes that the container has read from disks.",
      offsetof(struct container_line, sample.told.block_read_bytes) },
    { "berth_container_block_write_bytes_total", "Bytes that the container has written to disks.",
      offsetof(struct container_line, sample.told.block_written_bytes) },
};

/* Lines begin with their labels. */
static void put_lines(const struct metric_kind *kind, const char *type, const void *lines, size_t size, size_t count, struct buf *out)
{
    ASSERT(kind->offset + sizeof(struct opt_double) <= size);
    buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", kind->name, kind->help, kind->name, type);
    for (size_t l = 0; l < count; l++) {
        const char *line = (const char *)lines + l * size;
        struct str labels;
        struct opt_double value;
        memcpy(&labels, line, sizeof labels);
        memcpy(&value, line + kind->offset, sizeof value);
        if (value.set) { buf_printf(out, "%s{" STR_FMT "} %.15g\n", kind->name, STR_ARG(labels), value.value); }
    }
}

static void put_containers(const struct metric_kind *kind, const char *type, const struct exported *exported, struct buf *out)
{
    put_lines(kind, type, exported->containers, sizeof *exported->containers, exported->container_count, out);
}

/* Those that come first by id, so that each answer lists the same; machines of which nothing can be listed are not read. */
static void export_telling(struct join *join, struct exported *exported)
{
    struct sample_size *sizes;
    size_t count = samples_list(join->samples, join->now_ms, &sizes, join->arena);
    for (size_t m = 0; m < count; m++) {
        const struct sample_size *size = &sizes[m];
        bool room = (size->gpus > 0 && exported->gpu_count < GPUS_EXPORTED_MAX)
            || (size->containers > 0 && exported->container_count < CONTAINERS_EXPORTED_MAX);
        const struct instance *instance = room ? store_instance(join->txn, size->instance, join->arena) : NULL;
        if (!room) { exported->left_out += (int64_t)(size->gpus + size->containers); }
        if (instance != NULL && instance->status != INSTANCE_INACTIVE) { join_machine(join, instance); }
    }
}

void samples_print_metrics(struct samples *samples, struct store *store, struct arena *arena, struct buf *out)
{
    int64_t now_ms = clock_now_ms();
    if (samples_count(samples, now_ms) == 0) { return; }
    struct exported exported = {
        .arena = arena, .gpus = ARENA_NEW(arena, struct gpu_line, GPUS_EXPORTED_MAX),
        .containers = ARENA_NEW(arena, struct container_line, CONTAINERS_EXPORTED_MAX),
    };
    struct join join = { .samples = samples, .arena = arena, .now_ms = now_ms, .take = export_machine, .context = &exported };
    join.txn = store_read_begin(store);
    export_telling(&join, &exported);
    if (!store_read_end(join.txn)) { return; }            /* a gap in the curve is the truth */
    ASSERT(exported.gpu_count <= GPUS_EXPORTED_MAX && exported.container_count <= CONTAINERS_EXPORTED_MAX && exported.left_out >= 0);
    for (size_t k = 0; k < COUNT_OF(gpu_gauges); k++) { put_lines(&gpu_gauges[k], "gauge", exported.gpus, sizeof *exported.gpus, exported.gpu_count, out); }
    for (size_t k = 0; k < COUNT_OF(container_gauges); k++) { put_containers(&container_gauges[k], "gauge", &exported, out); }
    for (size_t k = 0; k < COUNT_OF(container_counters); k++) { put_containers(&container_counters[k], "counter", &exported, out); }
    buf_printf(out, "# HELP berth_samples_left_out GPUs and containers beyond %d and %d, which are not listed here.\n# TYPE berth_samples_left_out "
               "gauge\nberth_samples_left_out %lld\n", (int)GPUS_EXPORTED_MAX, (int)CONTAINERS_EXPORTED_MAX, (long long)exported.left_out);
}
