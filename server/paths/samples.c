/* samples.c: samples joined with what the store knows of machines and who holds their GPUs, as JSON and as metrics.
 *
 * GET /berth/v1/samples?cluster=NAME&instance=ID     both optional
 *     {"total":2,"machines":[{"id":…,"cluster":…,"name":…,"at":ms or null,"simulated":false,"taskCount":1,"gpus":[{"uuid":…,"model":…,
 *      "tasks":[id],"at":ms, what struct wire_gpu_sample knows}],"containers":[{"task":id,"container":…,"at":ms, what struct
 *      wire_container_sample knows}]}]}
 * with each machine that has GPUs or reports containers. A GPU without a sample has no "at".
 *
 * GET /berth/v1/samples?since=1h&gpu=UUID or task=ID or instance=ID, and, all optional, until=, step=60s, figures=utilization,powerWatts
 *     {"since":ms,"until":ms,"stepMs":15000,"gpus":[{"uuid":…,"owners":[{"containerInstance":…,"cluster":…,"tasks":[{"task":…,"family":…,"service":…,
 *      "startedBy":…}]}],"at":[ms],"owner":[0],"utilization":[0.5]}]}
 * over time: a column a figure, null where it is not known, and a number of "owners" for each point, null where it is not known any more. A point is the mean
 * of a step; one with two owners has a point for each. Within a day samples are 15 s apart, before that 15 minutes. */
#include "server/paths/figures.h"

#include <math.h>
#include <stdlib.h>

#include "base/text/duration.h"
#include "server/front/answers.h"
#include "wire/own_json.h"

enum { MACHINES_LISTED_MAX = 1000, LISTED_BYTES_MAX = 16 * 1024 * 1024 };

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

/* ---- over time ---- */

enum { OVER_TIME_GPUS_MAX = 64, POINTS_MAX = 65536, POINTS_USUAL = 720, SERIES_CEILING = 16 * 1024 * 1024 };

struct over_time {
    int64_t since_ms, until_ms, step_ms;
    enum archive_kind kind;
    struct id task;                          /* zero: all */
    bool figures[GPU_FIGURES];
    struct str gpus[OVER_TIME_GPUS_MAX]; size_t gpu_count;
};

static bool read_figures(struct over_time *query, struct str text, struct err *err)
{
    struct str word, rest = text;
    for (size_t f = 0; f < GPU_FIGURES; f++) { query->figures[f] = !str_is_set(text); }
    while (rest.len > 0) {
        size_t f = 0;
        (void)str_cut(rest, ',', &word, &rest);
        while (f < GPU_FIGURES && !str_eq(gpu_figure_kinds[f].member, word)) { f++; }
        if (f == GPU_FIGURES) { return err_set(err, ERR_INVALID_PARAMETER, "There is no figure \"" STR_FMT "\".", STR_ARG(str_slice(word, 0, 64))); }
        query->figures[f] = true;
    }
    return true;
}

/* Before a day only every quarter of an hour has a sample. */
static bool read_times(struct over_time *query, const struct http_request *request, struct err *err)
{
    static const int64_t day_ms = (int64_t)ARCHIVE_DAY_SAMPLES * ARCHIVE_DAY_MS;
    struct str step = query_parameter(request, STR("step"));
    query->until_ms = request->now_ms;
    if (!query_moment(request, STR("since"), &query->since_ms, err) || !query_moment(request, STR("until"), &query->until_ms, err)) { return false; }
    if (query->until_ms > request->now_ms) { query->until_ms = request->now_ms; }
    if (query->since_ms >= query->until_ms) { return err_set(err, ERR_INVALID_PARAMETER, "since should be before until."); }
    query->kind = query->since_ms >= request->now_ms - day_ms - ARCHIVE_MONTH_MS ? ARCHIVE_DAY : ARCHIVE_MONTH;
    int64_t unit = query->kind == ARCHIVE_DAY ? ARCHIVE_DAY_MS : ARCHIVE_MONTH_MS, range = query->until_ms - query->since_ms;
    query->step_ms = (range / POINTS_USUAL / unit + 1) * unit;
    if (str_is_set(step) && (!duration_parse(step, &query->step_ms) || query->step_ms <= 0)) {
        return err_set(err, ERR_INVALID_PARAMETER, "step can't be \"" STR_FMT "\": it should be a time such as 15s or 5m.", STR_ARG(str_slice(step, 0, 64)));
    }
    if (query->step_ms < unit) { query->step_ms = unit; }
    return true;
}

/* The GPUs that a task had or has. */
static void list_task(struct over_time *query, struct store_txn *txn, struct id id, struct arena *arena)
{
    const struct task *task = store_task(txn, id, arena);
    const struct history *past = task == NULL ? store_history(txn, id, arena) : NULL;
    size_t count = task != NULL ? task->containers.count : past != NULL ? past->containers.count : 0;
    query->task = id;
    for (size_t c = 0; c < count; c++) {
        const struct str_list *uuids = task != NULL ? &task->containers.items[c].gpu_ids : &past->containers.items[c].gpu_ids;
        for (size_t u = 0; u < uuids->count && query->gpu_count < OVER_TIME_GPUS_MAX; u++) {
            bool known = false;
            for (size_t g = 0; g < query->gpu_count; g++) { known = known || str_eq(query->gpus[g], uuids->items[u]); }
            if (!known) { query->gpus[query->gpu_count++] = uuids->items[u]; }
        }
    }
}

static bool read_gpus(struct over_time *query, const struct figure_paths *paths, const struct http_request *request, struct err *err)
{
    struct str gpu = query_parameter(request, STR("gpu")), task = query_parameter(request, STR("task")), instance = query_parameter(request, STR("instance"));
    struct id id;
    if (str_is_set(gpu) + str_is_set(task) + str_is_set(instance) != 1) {
        return err_set(err, ERR_INVALID_PARAMETER, "With since, say whose samples: gpu=UUID, task=ID or instance=ID.");
    }
    if (str_is_set(gpu)) {
        query->gpus[query->gpu_count++] = gpu;
        return true;
    }
    if (!id_parse(str_is_set(task) ? task : instance, &id)) { return err_set(err, ERR_INVALID_PARAMETER, "An id has 32 digits, 0 to 9 and a to f."); }
    if (str_is_set(instance)) {
        query->gpu_count = archive_list(paths->archive, id, query->gpus, OVER_TIME_GPUS_MAX, request->arena);
        return true;
    }
    struct store_txn *txn = store_read_begin(paths->front->store);
    list_task(query, txn, id, request->arena);
    return store_read_end(txn) || err_set(err, ERR_SERVER, "The store can't be read.");
}

static void put_owners(struct json_out *out, const struct archive_series *series)
{
    json_key(out, STR("owners"));
    json_open(out, '[');
    for (size_t o = 0; o < series->owner_count; o++) {
        const struct owner_change *owner = &series->owners[o];
        json_open(out, '{');
        own_json_id(out, STR("containerInstance"), owner->instance);
        own_json_str(out, STR("cluster"), owner->cluster);
        json_key(out, STR("tasks"));
        json_open(out, '[');
        for (size_t h = 0; h < owner->holders.count; h++) {
            json_open(out, '{');
            own_json_id(out, STR("task"), owner->holders.items[h].task);
            own_json_str(out, STR("family"), owner->holders.items[h].family);
            own_json_str(out, STR("service"), owner->holders.items[h].service);
            own_json_str(out, STR("startedBy"), owner->holders.items[h].started_by);
            json_close(out, '}');
        }
        json_close(out, ']');
        json_close(out, '}');
    }
    json_close(out, ']');
}

static bool is_of_task(const struct archive_series *series, uint32_t owner, struct id task)
{
    const struct owner_change *change = owner == OWNERS_NONE ? NULL : &series->owners[owner];
    for (size_t h = 0; change != NULL && h < change->holders.count; h++) {
        if (id_eq(change->holders.items[h].task, task)) { return true; }
    }
    return id_is_zero(task);
}

/* Points in place of samples: the mean of those that follow each other with one owner in one step. */
static void thin(struct archive_series *series, const struct over_time *query)
{
    size_t count = 0;
    for (size_t s = 0; s < series->count;) {
        const struct archive_sample first = series->samples[s];
        double sums[GPU_FIGURES] = { 0 };
        int64_t counts[GPU_FIGURES] = { 0 };
        for (; s < series->count && series->samples[s].owner == first.owner && series->samples[s].at_ms / query->step_ms == first.at_ms / query->step_ms; s++) {
            for (size_t f = 0; f < GPU_FIGURES; f++) {
                struct opt_double value = gpu_figure(&series->samples[s].figures, (enum gpu_figure)f);
                if (value.set) { sums[f] += value.value; counts[f]++; }
            }
        }
        if (!is_of_task(series, first.owner, query->task)) { continue; }
        struct archive_sample *point = &series->samples[count++];
        *point = (struct archive_sample){ .at_ms = first.at_ms, .owner = first.owner };
        for (size_t f = 0; f < GPU_FIGURES; f++) {
            if (counts[f] > 0) { gpu_figure_set(&point->figures, (enum gpu_figure)f, sums[f] / (double)counts[f]); }
        }
    }
    series->count = count;
}

static void put_column(struct json_out *out, const struct archive_series *series, enum gpu_figure figure)
{
    static const double exact = 1e6;
    bool any = false;
    for (size_t s = 0; s < series->count; s++) { any = any || gpu_figure(&series->samples[s].figures, figure).set; }
    if (!any) { return; }
    json_key(out, gpu_figure_kinds[figure].member);
    json_open(out, '[');
    for (size_t s = 0; s < series->count; s++) {
        struct opt_double value = gpu_figure(&series->samples[s].figures, figure);
        if (!value.set) { json_raw(out, STR("null")); continue; }
        double few = round(value.value * exact) / exact;              /* a mean has no use for more digits */
        json_double(out, few);
    }
    json_close(out, ']');
}

static void put_series(struct json_out *out, const struct archive_series *series, const struct over_time *query)
{
    json_open(out, '{');
    own_json_str(out, STR("uuid"), series->uuid);
    put_owners(out, series);
    json_key(out, STR("at"));
    json_open(out, '[');
    for (size_t s = 0; s < series->count; s++) { json_i64(out, series->samples[s].at_ms); }
    json_close(out, ']');
    json_key(out, STR("owner"));
    json_open(out, '[');
    for (size_t s = 0; s < series->count; s++) {
        if (series->samples[s].owner == OWNERS_NONE) { json_raw(out, STR("null")); } else { json_i64(out, series->samples[s].owner); }
    }
    json_close(out, ']');
    for (size_t f = 0; f < GPU_FIGURES; f++) {
        if (query->figures[f]) { put_column(out, series, (enum gpu_figure)f); }
    }
    json_close(out, '}');
}

static void print_over_time(const struct figure_paths *paths, const struct over_time *query, struct json_out *out)
{
    struct arena arena;
    arena_init(&arena, SERIES_CEILING);
    json_open(out, '{');
    own_json_ms(out, STR("since"), query->since_ms);
    own_json_ms(out, STR("until"), query->until_ms);
    own_json_i64(out, STR("stepMs"), query->step_ms);
    json_key(out, STR("gpus"));
    json_open(out, '[');
    for (size_t g = 0; g < query->gpu_count; g++) {
        struct archive_series series;
        if (archive_read(paths->archive, query->gpus[g], query->kind, query->since_ms, query->until_ms, &series, &arena)) {
            thin(&series, query);
            put_series(out, &series, query);
        }
        arena_reset(&arena);
    }
    json_close(out, ']');
    json_close(out, '}');
    arena_finish(&arena);
}

static void handle_over_time(const struct figure_paths *paths, struct http_request *request, struct http_answer *answer)
{
    struct err err = { 0 };
    struct over_time *query = ARENA_NEW(request->arena, struct over_time, 1);
    bool good = (paths->archive != NULL || err_set(&err, ERR_INVALID_PARAMETER, "This server keeps no metrics: see metrics-space."))
        && read_times(query, request, &err) && read_figures(query, query_parameter(request, STR("figures")), &err) && read_gpus(query, paths, request, &err);
    if (good && (query->until_ms - query->since_ms) / query->step_ms * (int64_t)query->gpu_count > POINTS_MAX) {
        good = err_set(&err, ERR_INVALID_PARAMETER, "These are more than %d points: ask with a larger step.", (int)POINTS_MAX);
    }
    if (!good) {
        answer_refusal(paths->front, answer, &err);
        return;
    }
    struct json_out out = json_out_to(&answer->body);
    print_over_time(paths, query, &out);
    answer_json(paths->front, answer);
}

/* ---- the path ---- */

void samples_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct figure_paths *paths = context;
    (void)caller;
    if (str_is_set(query_parameter(request, STR("since")))) {
        handle_over_time(paths, request, answer);
        return;
    }
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
