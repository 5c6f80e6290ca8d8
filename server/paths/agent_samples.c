/* agent_samples.c: the use of machines, as agents report it: Berth's agent for GPUs and containers, the ECS agent for containers, by telemetry.
 *
 * POST /berth/v1/agent/samples                 struct wire_samples in wire/wire.h */
#include "server/paths/agents.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "base/text/duration.h"
#include "server/front/access.h"
#include "server/figures/holders.h"
#include "server/front/answers.h"

enum { NEWS_MAX = 256 };

struct teller { const struct agent_paths *paths; struct arena *arena; int64_t now_ms; struct str cluster; const struct instance *instance; };

/* Only machines that exist have samples: otherwise anyone with an agent's key could fill the memory under made-up names. */
static bool find_teller(struct teller *teller, struct str cluster, struct str instance, struct err *err)
{
    teller->instance = agents_find_instance(teller->paths->front, cluster, instance, &teller->cluster, teller->arena, err);
    return teller->instance != NULL;
}

static struct machine_sample begin_sample(const struct teller *teller, size_t gpus, size_t containers)
{
    return (struct machine_sample){
        .instance = teller->instance->id, .at_ms = teller->now_ms, .gpus = { ARENA_NEW(teller->arena, struct gpu_sample, gpus + 1), 0 },
        .containers = { ARENA_NEW(teller->arena, struct container_sample, containers + 1), 0 },
    };
}

static bool add_container(const struct teller *teller, struct machine_sample *sample, const struct wire_container_sample *told, int64_t at_ms,
                          struct err *err)
{
    struct container_sample container = { .told = *told, .at_ms = at_ms };
    container.told.task = (struct str){ NULL, 0 };
    if (!names_read_id(&teller->paths->front->api->names, told->task, STR("task"), teller->cluster, &container.task, err)) { return false; }
    if (!names_is_valid(told->container)) { return err_set(err, ERR_INVALID_PARAMETER, "The container's name is not valid."); }
    sample->containers.items[sample->containers.count++] = container;
    return true;
}

/* ---- who holds the GPUs, and what of them is idle ---- */

struct holders { struct held_gpu *gpus; size_t count; const struct task **tasks; size_t task_count; };

static size_t count_gpus(const struct task *task)
{
    size_t count = 0;
    for (size_t c = 0; c < task->containers.count; c++) { count += task->containers.items[c].gpu_ids.count; }
    return count;
}

static void add_holder(struct holders *holders, const struct task *task, size_t room)
{
    struct idle_wish wish = held_wish(task);
    bool runs = task->last_status == TASK_RUNNING && task->desired_status == TASK_RUNNING;
    holders->tasks[holders->task_count++] = task;
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        for (size_t g = 0; g < container->gpu_ids.count && holders->count < room; g++) {
            const int64_t share = gpu_share_of(container->gpu_share);
            holders->gpus[holders->count++] = (struct held_gpu){ task->id, container->gpu_ids.items[g], share, runs, wish.excused };
        }
    }
}

/* False: the store can't be read, and nobody knows who holds what. */
static bool find_held(const struct front *front, struct id instance, struct holders *holders, struct arena *arena)
{
    struct id *ids;
    struct store_txn *txn = store_read_begin(front->store);
    size_t count = store_tasks_on_instance(txn, instance, &ids, arena);
    *holders = (struct holders){ ARENA_NEW(arena, struct held_gpu, HELD_OF_MACHINE_MAX), 0, NULL, 0 };
    holders->tasks = (const struct task **)arena_alloc(arena, count + 1, sizeof *holders->tasks);
    for (size_t t = 0; t < count && holders->count < HELD_OF_MACHINE_MAX; t++) {
        const struct task *task = store_task(txn, ids[t], arena);
        if (task != NULL && count_gpus(task) > 0) { add_holder(holders, task, HELD_OF_MACHINE_MAX); }
    }
    return store_read_end(txn);
}

static const struct task *holder_of(const struct holders *holders, struct id id)
{
    for (size_t t = 0; t < holders->task_count; t++) {
        if (id_eq(holders->tasks[t]->id, id)) { return holders->tasks[t]; }
    }
    return NULL;
}

static void tell(const struct held *held, const struct instance *instance, const struct task *task, const struct held_idle *idle)
{
    char hex[ID_HEX_LEN + 1], id[ID_HEX_LEN + 1], after[DURATION_TEXT_SIZE];
    id_hex(task->id, hex);
    struct str name = instance_name(instance, id);
    duration_print(held_rule(held)->after_ms, after);
    if (idle != NULL) {
        log_line(LOG_WARN, "idle", "a task holds idle GPUs: task=%s family=" STR_FMT " machine=" STR_FMT " gpus=%g idle=%g: below %g %% of use for %s", hex,
                 STR_ARG(task->family), STR_ARG(name), (double)idle->gpus / GPU_SHARE_WHOLE, (double)idle->idle_gpus / GPU_SHARE_WHOLE,
                 held_rule(held)->below * 100, after);
    } else {
        log_line(LOG_INFO, "idle", "a task holds no idle GPU any more: task=%s family=" STR_FMT " machine=" STR_FMT, hex, STR_ARG(task->family), STR_ARG(name));
    }
}

static const struct held_idle *idle_of(const struct held_idle *items, size_t count, struct id task)
{
    for (size_t i = 0; i < count; i++) {
        if (id_eq(items[i].task, task)) { return &items[i]; }
    }
    return NULL;
}

static void stop(const struct agent_paths *paths, const struct task *task, const struct held_idle *idle, int64_t now_ms, struct arena *arena)
{
    int64_t at_ms = held_stops_ms(paths->held, task, idle);
    struct err err = { 0 };
    struct api_call call;
    struct job job = { .call = &call, .arena = arena };
    char hex[ID_HEX_LEN + 1];
    if (at_ms == 0 || now_ms < at_ms) { return; }
    id_hex(task->id, hex);
    const struct idle_rule *rule = held_rule(paths->held);
    api_prepare_stop_idle(&(struct stop_idle){ task->id, now_ms - idle->all_since_ms - rule->after_ms, rule->below }, arena, &call);
    if (!writer_run(paths->front->writer, &job, &err)) {
        log_line(LOG_WARN, "idle", "an idle task was not stopped: task=%s: %s", hex, err.message);
    } else if (api_stopped_idle(&call)) {
        log_line(LOG_INFO, "idle", "an idle task is stopped, as its tag says: task=%s", hex);
    }
}

/* Before the samples are kept: they learn which GPUs are held idle. Stops tasks whose tag says so. */
static void take_held(const struct agent_paths *paths, const struct instance *instance, struct machine_sample *sample, struct arena *arena)
{
    struct holders holders;
    struct held_news news[NEWS_MAX];
    struct held_idle *idle;
    if (sample->gpus.count == 0 || !find_held(paths->front, instance->id, &holders, arena)) { return; }
    size_t count = held_take(paths->held, holders.gpus, holders.count, sample, news, NEWS_MAX);
    size_t idle_count = held_list(paths->held, instance->id, &idle, arena);
    for (size_t n = 0; n < count; n++) {
        const struct task *task = holder_of(&holders, news[n].task);
        if (task != NULL) { tell(paths->held, instance, task, idle_of(idle, idle_count, news[n].task)); }
    }
    for (size_t i = 0; i < idle_count; i++) {
        const struct task *task = holder_of(&holders, idle[i].task);
        if (task != NULL) { stop(paths, task, &idle[i], sample->at_ms, arena); }
    }
}

/* ---- Berth's agent ---- */

/* An age beyond the limit counts as the limit. */
static int64_t moment_of(const struct teller *teller, struct opt_int age_ms)
{
    return teller->now_ms - (age_ms.set ? min_i64(age_ms.value, SAMPLES_KEPT_MS) : 0);
}

static struct gpu_sample read_gpu(const struct wire_gpu_sample *told, int64_t at_ms)
{
    struct gpu_sample gpu = { .uuid = told->uuid, .at_ms = at_ms };
    for (size_t f = 0; f < GPU_FIGURES; f++) {
        if (told->of[f].set) { gpu_figure_set(&gpu.told, (enum gpu_figure)f, told->of[f].value); }
    }
    return gpu;
}

/* A store that can't be read leaves the GPUs without holders. */
static void find_holders(const struct teller *teller, struct machine_sample *sample)
{
    struct store_txn *txn = store_read_begin(teller->paths->front->store);
    holders_find(txn, teller->paths->samples, sample, teller->now_ms, teller->arena);
    if (store_read_end(txn)) { return; }
    for (size_t g = 0; g < sample->gpus.count; g++) { sample->gpus.items[g].holders.count = 0; }
}

static bool take_report(const struct teller *teller, const struct wire_samples *told, struct err *err)
{
    struct machine_sample sample = begin_sample(teller, told->gpus.count, told->containers.count);
    int64_t gpus_ms = moment_of(teller, told->gpus_age_ms), containers_ms = moment_of(teller, told->containers_age_ms);
    sample.simulated = told->simulated == OPT_TRUE;
    for (size_t g = 0; g < told->gpus.count; g++) {
        sample.gpus.items[sample.gpus.count++] = read_gpu(&told->gpus.items[g], gpus_ms);
    }
    for (size_t c = 0; c < told->containers.count; c++) {
        if (!add_container(teller, &sample, &told->containers.items[c], containers_ms, err)) { return false; }
    }
    find_holders(teller, &sample);
    take_held(teller->paths, teller->instance, &sample, teller->arena);
    if (teller->paths->archive != NULL) { archive_put(teller->paths->archive, &sample, teller->cluster); }
    return samples_put(teller->paths->samples, &sample, true, teller->now_ms)
        || err_set(err, ERR_UNAVAILABLE, "The server keeps samples of %d GPUs and containers, and has that many.", (int)SAMPLES_MAX);
}

void agent_samples_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct agent_paths *paths = context;
    struct err err = { 0 };
    struct wire_samples told;
    struct teller teller = { .paths = paths, .arena = request->arena, .now_ms = request->now_ms };
    const struct json *json = json_parse(request->body, request->arena, &err);
    bool good = json != NULL && schema_decode(&wire_samples_schema, json, &told, request->arena, ERR_INVALID_PARAMETER, &err)
        && find_teller(&teller, told.cluster, told.container_instance, &err)
        && access_check_binding(paths->front, request, caller, teller.instance->id, &err) && take_report(&teller, &told, &err);
    if (good) {
        buf_put(&answer->body, STR("{}"));
        answer_json(paths->front, answer);
    } else {
        answer_refusal(paths->front, answer, &err);
    }
}

/* ---- the ECS agent ---- */

static double number_of(const struct json *value)
{
    if (value == NULL) { return 0; }
    return value->type == JSON_INT ? (double)value->as.integer : value->type == JSON_REAL ? value->as.real : 0;
}

/* The mean of a set of measurements of the last 20 seconds; unset: there are none, or none that a machine could have. */
static struct opt_double mean_of(const struct json *set, double unit)
{
    double count = number_of(json_get(set, STR("sampleCount"))), sum = number_of(json_get(set, STR("sum")));
    static const double most = 1e18;
    double mean = count > 0 ? sum / count * unit : -1;
    return mean >= 0 && mean < most ? (struct opt_double){ mean, true } : (struct opt_double){ 0 };
}

/* The agent reports CPU in hundredths of the whole machine, and memory in MiB. Values that are not in ECS's shape are ignored. */
static void take_task(const struct teller *teller, const struct json *task, struct machine_sample *sample, size_t most)
{
    static const double units_per_core = 1024, mib = 1 << 20;
    const struct json *containers = json_get(task, STR("containerMetrics"));
    double cores = (double)teller->instance->cpu / units_per_core;
    for (size_t c = 0; containers != NULL && containers->type == JSON_ARRAY && c < containers->count && sample->containers.count < most; c++) {
        const struct json *container = &containers->as.items[c];
        const struct wire_container_sample told = {
            .task = json_get_str(task, STR("taskArn")), .container = json_get_str(container, STR("containerName")),
            .cpu_cores = mean_of(json_get(container, STR("cpuStatsSet")), cores / 100),
            .memory_bytes = mean_of(json_get(container, STR("memoryStatsSet")), mib),
        };
        struct err err = { 0 };
        if (add_container(teller, sample, &told, teller->now_ms, &err)) { continue; }
        log_line(LOG_DEBUG, "agents", "a container's metrics are ignored: %s", err.message);
    }
}

void agent_samples_take(const struct agent_paths *paths, struct id instance, const struct json *message, struct arena *arena)
{
    struct teller teller = { .paths = paths, .arena = arena, .now_ms = clock_now_ms() };
    struct err err = { 0 };
    const struct json *metadata = json_get(message, STR("metadata")), *tasks = json_get(message, STR("taskMetrics"));
    if (tasks == NULL || tasks->type != JSON_ARRAY || tasks->count == 0) { return; }         /* an idle machine */
    if (!find_teller(&teller, json_get_str(metadata, STR("cluster")), json_get_str(metadata, STR("containerInstance")), &err)) {
        log_line(LOG_DEBUG, "agents", "metrics are ignored: %s", err.message);
        return;
    }
    if (!id_eq(teller.instance->id, instance)) { return; }
    struct machine_sample sample = begin_sample(&teller, 0, WIRE_CONTAINERS_MAX);
    for (size_t t = 0; t < tasks->count; t++) { take_task(&teller, &tasks->as.items[t], &sample, WIRE_CONTAINERS_MAX); }
    if (!samples_put(paths->samples, &sample, false, teller.now_ms)) { log_line(LOG_WARN, "agents", "there is no room for more metrics of containers"); }
}
