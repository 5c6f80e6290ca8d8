/* board.c: everything the page shows, in one piece of JSON, and what changed since. The page is written against this shape:
 *
 * {"revision":17,                             of the last commit seen: ask for changes behind it
 *  "clusters":[{"name":"default","arn":"arn:…","status":"ACTIVE","instances":2,"running":3,"pending":0,"live":3}],
 *  "instances":[{"id":"<32 hex>","arn":"arn:…","cluster":"default",
 *    "name":"node-a",                         attribute berth.name, else the EC2 id, else the first 8 digits of the id
 *    "type":"p3.8xlarge",                     attribute ecs.instance-type; null when the agent sent none
 *    "status":"ACTIVE","connected":true,"simulated":false,
 *    "changed":1735689600000,                 ms: when the agent was last seen to come or go; null: never
 *    "registered":1735689600000,
 *    "cpu":32768,"cpuFree":30720,"memory":245760,"memoryFree":241664,       CPU units, MiB
 *    "running":1,"pending":0,                 tasks
 *    "agentVersion":"0.1.0",                  or null
 *    "gpus":[{"uuid":"GPU-…","model":"V100","memory":16384,"profile":null,"used":0.75,
 *      "fault":{"reason":"Xid 79: …","since":ms,"by":null,"gone":true},       null: it is in the pool; by: the person, null: its agent
 *      "holders":[{"task":"<id>","container":"main","share":0.5}, …]}, …],
 *    "islands":[0,0,1,1],                     of each GPU: which of them are better connected among themselves; null: not known, or all alike
 *    "health":"IMPAIRED","healthReason":"…",  of its accelerators, from its agent; null: no report, all is well
 *    "findings":[{"check":"nvidia-driver","status":"FAIL","text":"…","remedy":"…"}]}],
 *                                             in slot order; model null and memory 0 when the agent did not say, profile for a
 *                                             MIG instance; used is the sum of the shares: 1 when one container holds all of it
 *  "instancesTotal":2,                        more than the list holds when it was cut
 *  "services":[{"id":"7",                     its number: a later service with the same ARN has another one
 *    "arn":"arn:…","name":"web","cluster":"default","status":"ACTIVE","strategy":"ROLLING","scheduling":"REPLICA",
 *    "taskDefinition":"web:3",                or null
 *    "desired":2,"running":2,"pending":0,"created":ms,
 *    "targetGroups":["arn:…"],                of its load balancers, also the alternate ones
 *    "deployments":[{"id":"ecs-svc/1","status":"PRIMARY","taskDefinition":"web:3","desired":2,"running":2,"pending":0,"failed":0,
 *      "rollout":"COMPLETED","reason":"…"}],  or its task sets, whose failed, rollout and reason are null; the PRIMARY, then the newest
 *    "rollout":{"status":"SUCCESSFUL","reason":null},       of its newest service deployment; null: it has none
 *    "events":[{"at":ms,"message":"…"}]}],    the newest 10, newest first
 *                                             ACTIVE and DRAINING ones
 *  "servicesTotal":1,                         more than the list holds when it was cut
 *  "tasks":[{"id":"<32 hex>","arn":"arn:…","cluster":"default","family":"train:3","group":"family:train","startedBy":null,
 *    "service":"web",                         name; null: it has no service
 *    "lastStatus":"RUNNING","desiredStatus":"RUNNING","instance":"<id>","gpus":0.5,"cpu":2048,"memory":4096,
 *    "created":ms,"pullStarted":ms,"pullStopped":ms,"started":ms,"stopping":ms,"stopped":ms,        null: has not happened
 *    "gang":"<id>",                           its first task, the same for all of a gang; null: it was started alone
 *    "stopCode":"UserInitiated","reason":"Task stopped by user",            or null
 *    "containers":[{"name":"main","status":"RUNNING","exitCode":null,"reason":null,"gpuIds":["GPU-…"],"gpuShare":0.5}]}],
 *                                             live ones, newest first, then those that wait for room, whose instance is null, newest first,
 *                                             then stopped ones, the last to stop first
 *  "liveTotal":3}                             live tasks: more than the list holds when it was cut
 *
 * Changes: {"revision":18,"clusters":[all],"instances":[…],"services":[…],"tasks":[…],"gone":["<id>", …]}. An entry replaces
 * the known entry with the same id; `gone` has the ids of tasks, instances and services to forget. A machine or a service is listed too
 * when only a task of it changed, because its free resources and the holders of its GPUs, or its counts, changed. */
#include "api/core/api.h"
#include "wire/own_json.h"
#include "api/core/support.h"
#include "api/show/board_services.h"

#include <stdlib.h>

enum {
    BOARD_INSTANCES_MAX = 5000,
    BOARD_SERVICES_MAX = 1000,
    BOARD_LIVE_TASKS_MAX = 5000,             /* on instances */
    BOARD_WAITING_TASKS_MAX = 1000,          /* the oldest */
    BOARD_STOPPED_TASKS_MAX = 200,
    BOARD_STOPPED_LOOKED_AT = 1000,          /* the newest of each cluster: the tasks that stopped last are nearly always among them */
    BOARD_CHANGES_MAX = 4096,                /* with more changes, the whole board is less work */
    BOARD_CLUSTERS_MAX = 1000,
    BOARD_PAGE = 512,
};
static const size_t BOARD_SCRATCH_MAX = (size_t)64 << 20;

struct ids_seen { struct id *items; size_t count, capacity; };
struct number_list { int64_t *items; size_t count, capacity; };
struct known_cluster { int64_t number; struct str name; };
struct known_names { struct str family; int64_t revision; bool of_daemon; struct str *names; size_t count; };

struct board {
    struct op_ctx *ctx;
    struct json_out out;
    struct arena scratch;                    /* for one record at a time */
    struct arena kept;                       /* for the whole board */
    struct known_cluster *clusters; size_t cluster_count;
    struct known_names *names; size_t name_count, name_capacity;   /* containers of the definitions read so far */
};

static void board_finish(struct board *board)
{
    arena_finish(&board->scratch);
    arena_finish(&board->kept);
}

static void ids_add(struct arena *arena, struct ids_seen *ids, struct id id)
{
    if (ids->count == ids->capacity) {
        size_t capacity = ids->capacity == 0 ? 256 : ids->capacity * 2;
        ids->items = arena_grow(arena, ids->items, ids->capacity * sizeof *ids->items, capacity * sizeof *ids->items);
        ids->capacity = capacity;
    }
    ASSERT(ids->count < ids->capacity);
    ids->items[ids->count++] = id;
}

static int newest_first(const void *a, const void *b) { return id_cmp(*(const struct id *)b, *(const struct id *)a); }

static void ids_sort(struct ids_seen *ids)
{
    if (ids->count > 1) { qsort(ids->items, ids->count, sizeof *ids->items, newest_first); }
}

static void ids_unique(struct ids_seen *ids)
{
    size_t kept = 0;
    ids_sort(ids);
    for (size_t i = 0; i < ids->count; i++) {
        if (kept == 0 || !id_eq(ids->items[kept - 1], ids->items[i])) { ids->items[kept++] = ids->items[i]; }
    }
    ASSERT(kept <= ids->count);
    ids->count = kept;
}

static void numbers_add(struct arena *arena, struct number_list *numbers, int64_t number)
{
    if (numbers->count == numbers->capacity) {
        size_t capacity = numbers->capacity == 0 ? 64 : numbers->capacity * 2;
        numbers->items = arena_grow(arena, numbers->items, numbers->capacity * sizeof *numbers->items, capacity * sizeof *numbers->items);
        numbers->capacity = capacity;
    }
    ASSERT(numbers->count < numbers->capacity);
    numbers->items[numbers->count++] = number;
}

static int by_number(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void numbers_unique(struct number_list *numbers)
{
    size_t kept = 0;
    if (numbers->count > 1) { qsort(numbers->items, numbers->count, sizeof *numbers->items, by_number); }
    for (size_t i = 0; i < numbers->count; i++) {
        if (kept == 0 || numbers->items[kept - 1] != numbers->items[i]) { numbers->items[kept++] = numbers->items[i]; }
    }
    ASSERT(kept <= numbers->count);
    numbers->count = kept;
}

/* ---- clusters ---- */

static void put_cluster(struct board *board, const struct cluster *cluster)
{
    struct json_out *out = &board->out;
    struct cluster_counts counts = store_cluster_counts(board->ctx->txn, cluster->number);
    json_open(out, '{');
    own_json_str(out, STR("name"), cluster->name);
    own_json_str(out, STR("arn"), names_cluster_arn(&board->ctx->config->names, cluster->name, &board->scratch));
    own_json_str(out, STR("status"), enum_word(&cluster_status_names, (int)cluster->status));
    own_json_i64(out, STR("instances"), counts.instances);
    own_json_i64(out, STR("running"), counts.running);
    own_json_i64(out, STR("pending"), counts.pending);
    own_json_i64(out, STR("live"), counts.live_tasks);
    json_close(out, '}');
}

/* Prints the clusters, and keeps their names: other records have only their numbers. */
static void put_clusters(struct board *board)
{
    struct str *names = ARENA_NEW(&board->kept, struct str, BOARD_CLUSTERS_MAX);
    size_t count = store_list_clusters(board->ctx->txn, (struct str){ 0 }, names, BOARD_CLUSTERS_MAX, &board->kept);
    board->clusters = ARENA_NEW(&board->kept, struct known_cluster, count);

    json_key(&board->out, STR("clusters"));
    json_open(&board->out, '[');
    for (size_t c = 0; c < count; c++) {
        const struct cluster *cluster = store_cluster(board->ctx->txn, names[c], &board->scratch);
        if (cluster != NULL && cluster->status != CLUSTER_INACTIVE) {
            board->clusters[board->cluster_count++] = (struct known_cluster){ cluster->number, names[c] };
            put_cluster(board, cluster);
        }
        arena_reset(&board->scratch);
    }
    json_close(&board->out, ']');
}

/* The name of a cluster; absent: it is deleted. */
static struct str cluster_name(const struct board *board, int64_t number)
{
    for (size_t c = 0; c < board->cluster_count; c++) {
        if (board->clusters[c].number == number) { return board->clusters[c].name; }
    }
    return (struct str){ 0 };
}

/* ---- the names of containers ---- */

static const struct known_names *names_of(struct board *board, const struct task *task)
{
    for (size_t n = board->name_count; n > 0; n--) {             /* the newest definition is needed most often */
        const struct known_names *known = &board->names[n - 1];
        if (known->revision == task->revision && str_eq(known->family, task->family) && known->of_daemon == (task->of_daemon == OPT_TRUE)) { return known; }
    }
    if (board->name_count == board->name_capacity) {
        size_t capacity = board->name_capacity == 0 ? 16 : board->name_capacity * 2;
        board->names = arena_grow(&board->kept, board->names, board->name_capacity * sizeof *board->names,
                                  capacity * sizeof *board->names);
        board->name_capacity = capacity;
    }
    struct known_names *known = &board->names[board->name_count++];
    *known = (struct known_names){ arena_str(&board->kept, task->family), task->revision, task->of_daemon == OPT_TRUE, NULL, 0 };

    const struct taskdef *taskdef = store_taskdef_of(board->ctx->txn, task, &board->scratch);
    if (taskdef == NULL) { return known; }
    known->count = taskdef->def.container_definitions.count;
    known->names = ARENA_NEW(&board->kept, struct str, known->count);
    for (size_t c = 0; c < known->count; c++) {
        known->names[c] = arena_str(&board->kept, taskdef->def.container_definitions.items[c].name);
    }
    return known;
}

static struct str container_name(struct board *board, const struct task *task, const struct task_container *container)
{
    const struct known_names *known = names_of(board, task);
    bool there = container->index >= 0 && (uint64_t)container->index < known->count;
    return there ? known->names[container->index] : (struct str){ 0 };
}

/* ---- instances ---- */

struct holder { struct str uuid, container; struct id task; int64_t share; };
struct holder_list { struct holder *items; size_t count, capacity; };

static void add_holders(struct board *board, const struct task *task, const struct task_container *container, struct holder_list *holders)
{
    size_t wanted = holders->count + container->gpu_ids.count;
    if (wanted > holders->capacity) {
        size_t wider = wanted * 2;
        holders->items = arena_grow(&board->scratch, holders->items, holders->capacity * sizeof *holders->items, wider * sizeof *holders->items);
        holders->capacity = wider;
    }
    for (size_t g = 0; g < container->gpu_ids.count; g++) {
        holders->items[holders->count++] = (struct holder){
            container->gpu_ids.items[g], container_name(board, task, container), task->id, gpu_share_of(container->gpu_share),
        };
    }
}

/* Finds the holders of the instance's GPUs. Tasks are read only when a GPU is held. */
static struct holder_list find_holders(struct board *board, struct id instance, const struct instance_usage *usage)
{
    struct holder_list holders = { 0 };
    if (usage->gpus.count == 0) { return holders; }
    struct id *ids;
    size_t count = store_tasks_on_instance(board->ctx->txn, instance, &ids, &board->scratch);
    for (size_t t = 0; t < count; t++) {
        const struct task *task = store_task(board->ctx->txn, ids[t], &board->scratch);
        for (size_t c = 0; task != NULL && c < task->containers.count; c++) { add_holders(board, task, &task->containers.items[c], &holders); }
    }
    return holders;
}

static void put_holders(struct board *board, struct str uuid, const struct holder_list *holders)
{
    struct json_out *out = &board->out;
    json_key(out, STR("holders"));
    json_open(out, '[');
    for (size_t h = 0; h < holders->count; h++) {
        const struct holder *holder = &holders->items[h];
        if (!str_eq(holder->uuid, uuid)) { continue; }
        json_open(out, '{');
        own_json_id(out, STR("task"), holder->task);
        own_json_str(out, STR("container"), holder->container);
        own_json_thousandths(out, STR("share"), holder->share);
        json_close(out, '}');
    }
    json_close(out, ']');
}

/* The worse of two faults: a device that is gone is worse than one in quarantine. */
static const struct gpu_fault *fault_of(const struct instance *instance, struct str uuid)
{
    const struct gpu_fault *found = NULL;
    for (size_t f = 0; f < instance->gpu_faults.count; f++) {
        const struct gpu_fault *fault = &instance->gpu_faults.items[f];
        if (str_is_set(fault->restored_by) || !str_eq(fault->uuid, uuid)) { continue; }
        if (found == NULL || fault->gone == OPT_TRUE) { found = fault; }
    }
    return found;
}

static void put_fault(struct json_out *out, const struct gpu_fault *fault)
{
    json_key(out, STR("fault"));
    if (fault == NULL) {
        json_raw(out, STR("null"));
        return;
    }
    json_open(out, '{');
    own_json_str(out, STR("reason"), fault->reason);
    own_json_ms(out, STR("since"), fault->since_ms);
    own_json_str(out, STR("by"), fault->by);
    json_key(out, STR("gone"));
    json_bool(out, fault->gone == OPT_TRUE);
    json_close(out, '}');
}

static void put_findings(struct json_out *out, const struct instance *instance)
{
    const struct machine_health *health = instance->health;
    own_json_str(out, STR("health"), health == NULL ? (struct str){ NULL, 0 } : enum_word(&instance_health_check_state_names, (int)health->state));
    own_json_str(out, STR("healthReason"), health == NULL ? (struct str){ NULL, 0 } : health->reason);
    json_key(out, STR("findings"));
    json_open(out, '[');
    for (size_t f = 0; health != NULL && f < health->findings.count; f++) {
        const struct finding *finding = &health->findings.items[f];
        json_open(out, '{');
        own_json_str(out, STR("check"), finding->check);
        own_json_str(out, STR("status"), enum_word(&finding_status_names, (int)finding->status));
        own_json_str(out, STR("text"), finding->text);
        own_json_str(out, STR("remedy"), finding->remedy);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_gpus(struct board *board, const struct instance *instance, const struct holder_list *holders)
{
    struct json_out *out = &board->out;
    json_key(out, STR("gpus"));
    json_open(out, '[');
    for (size_t g = 0; g < instance->gpus.count; g++) {
        const struct gpu *gpu = &instance->gpus.items[g];
        int64_t used = 0;
        for (size_t h = 0; h < holders->count; h++) { used += str_eq(holders->items[h].uuid, gpu->uuid) ? holders->items[h].share : 0; }
        json_open(out, '{');
        own_json_str(out, STR("uuid"), gpu->uuid);
        own_json_str(out, STR("model"), gpu->model);
        own_json_i64(out, STR("memory"), gpu->memory_mib);
        own_json_str(out, STR("profile"), gpu->profile);
        own_json_thousandths(out, STR("used"), used);
        put_fault(out, fault_of(instance, gpu->uuid));
        put_holders(board, gpu->uuid, holders);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_islands(struct board *board, const struct instance *instance)
{
    size_t count = instance->gpus.count, *islands = ARENA_NEW(&board->scratch, size_t, count + 1);
    const int64_t *scores = instance_gpu_links(instance, &board->scratch);
    size_t found = scores == NULL ? 0 : gpu_islands(scores, count, islands);
    json_key(&board->out, STR("islands"));
    if (found > 0) { json_open(&board->out, '['); } else { json_raw(&board->out, STR("null")); }
    for (size_t g = 0; found > 0 && g < count; g++) { json_i64(&board->out, (int64_t)islands[g]); }
    if (found > 0) { json_close(&board->out, ']'); }
}

static void put_instance(struct board *board, const struct instance *instance)
{
    struct json_out *out = &board->out;
    struct str cluster = cluster_name(board, instance->cluster_number);
    struct instance_usage usage;
    store_instance_usage(board->ctx->txn, instance->id, &usage, &board->scratch);
    struct holder_list holders = find_holders(board, instance->id, &usage);
    bool simulated, typed;
    struct str type = instance_attribute(instance, STR("ecs.instance-type"), &typed);
    (void)instance_attribute(instance, STR("berth.simulated"), &simulated);

    json_open(out, '{');
    own_json_id(out, STR("id"), instance->id);
    own_json_str(out, STR("arn"), names_instance_arn(&board->ctx->config->names, cluster, instance->id, &board->scratch));
    own_json_str(out, STR("cluster"), cluster);
    own_json_str(out, STR("name"), support_instance_name(instance, &board->scratch));
    own_json_str(out, STR("type"), type);
    own_json_str(out, STR("status"), enum_word(&instance_status_names, (int)instance->status));
    json_key(out, STR("connected"));
    json_bool(out, instance->agent_connected == OPT_TRUE);
    json_key(out, STR("simulated"));
    json_bool(out, simulated);
    own_json_ms(out, STR("changed"), instance->agent_changed_ms);
    own_json_ms(out, STR("registered"), instance->registered_ms);
    own_json_i64(out, STR("cpu"), instance->cpu);
    own_json_i64(out, STR("cpuFree"), usage.cpu < instance->cpu ? instance->cpu - usage.cpu : 0);
    own_json_i64(out, STR("memory"), instance->memory_mib);
    own_json_i64(out, STR("memoryFree"), usage.memory_mib < instance->memory_mib ? instance->memory_mib - usage.memory_mib : 0);
    own_json_i64(out, STR("running"), usage.running);
    own_json_i64(out, STR("pending"), usage.pending);
    own_json_str(out, STR("agentVersion"), instance->version_info == NULL ? (struct str){ 0 } : instance->version_info->agent_version);
    put_gpus(board, instance, &holders);
    put_islands(board, instance);
    put_findings(out, instance);
    json_close(out, '}');
}

/* ---- tasks ---- */

static void put_container(struct board *board, const struct task *task, const struct task_container *container)
{
    struct json_out *out = &board->out;
    json_open(out, '{');
    own_json_str(out, STR("name"), container_name(board, task, container));
    own_json_str(out, STR("status"), enum_word(&task_status_names, (int)container->status));
    own_json_opt_int(out, STR("exitCode"), container->exit_code);
    own_json_str(out, STR("reason"), container->reason);
    own_json_strs(out, STR("gpuIds"), &container->gpu_ids);
    own_json_thousandths(out, STR("gpuShare"), gpu_share_of(container->gpu_share));
    json_close(out, '}');
}

static void put_task(struct board *board, const struct task *task)
{
    struct json_out *out = &board->out;
    struct str cluster = cluster_name(board, task->cluster_number);
    json_open(out, '{');
    own_json_id(out, STR("id"), task->id);
    own_json_str(out, STR("arn"), names_task_arn(&board->ctx->config->names, cluster, task->id, &board->scratch));
    own_json_str(out, STR("cluster"), cluster);
    own_json_str(out, STR("family"), arena_printf(&board->scratch, STR_FMT ":%lld", STR_ARG(task->family), (long long)task->revision));
    own_json_str(out, STR("group"), task->group);
    own_json_str(out, STR("startedBy"), task->started_by);
    own_json_str(out, STR("service"), board_service_name(task));
    own_json_str(out, STR("lastStatus"), enum_word(&task_status_names, (int)task->last_status));
    own_json_str(out, STR("desiredStatus"), enum_word(&task_status_names, (int)task->desired_status));
    own_json_id(out, STR("instance"), task->instance);
    own_json_thousandths(out, STR("gpus"), task_gpu_thousandths(task));
    own_json_i64(out, STR("cpu"), task->cpu);
    own_json_i64(out, STR("memory"), task->memory_mib);
    own_json_ms(out, STR("created"), task->created_ms);
    own_json_ms(out, STR("pullStarted"), task->pull_started_ms);
    own_json_ms(out, STR("pullStopped"), task->pull_stopped_ms);
    own_json_ms(out, STR("started"), task->started_ms);
    own_json_ms(out, STR("stopping"), task->stopping_ms);
    own_json_ms(out, STR("stopped"), task->stopped_ms);
    own_json_str(out, STR("stopCode"), enum_word(&task_stop_code_names, (int)task->stop_code));
    own_json_str(out, STR("reason"), task->stopped_reason);
    own_json_id(out, STR("gang"), task->gang == NULL ? (struct id){ 0 } : task->gang->first);
    json_key(out, STR("containers"));
    json_open(out, '[');
    for (size_t c = 0; c < task->containers.count; c++) { put_container(board, task, &task->containers.items[c]); }
    json_close(out, ']');
    json_close(out, '}');
}

/* ---- the whole board ---- */

/* All instances of all clusters, and the live tasks on them. */
static void collect_instances(struct board *board, struct ids_seen *instances, struct ids_seen *tasks, int64_t *instances_total)
{
    struct id page[BOARD_PAGE];
    for (size_t c = 0; c < board->cluster_count; c++) {
        struct id after = { 0 };
        size_t count;
        do {
            count = store_list_instances(board->ctx->txn, board->clusters[c].number, INSTANCE_STATUS_UNSET, after, page, BOARD_PAGE);
            for (size_t i = 0; i < count; i++) {
                struct id *ids;
                size_t task_count = store_tasks_on_instance(board->ctx->txn, page[i], &ids, &board->scratch);
                for (size_t t = 0; t < task_count; t++) { ids_add(&board->kept, tasks, ids[t]); }
                if (instances->count < BOARD_INSTANCES_MAX) { ids_add(&board->kept, instances, page[i]); }
                after = page[i];
                arena_reset(&board->scratch);
            }
            *instances_total += (int64_t)count;
        } while (count == BOARD_PAGE);
        if (tasks->count > (size_t)2 * BOARD_LIVE_TASKS_MAX) {
            ids_sort(tasks);
            tasks->count = BOARD_LIVE_TASKS_MAX;
        }
    }
    ids_sort(tasks);
    if (tasks->count > BOARD_LIVE_TASKS_MAX) { tasks->count = BOARD_LIVE_TASKS_MAX; }
}

/* Live tasks on no instance: they wait for room. Behind the others, newest first as these. */
static void collect_waiting(struct board *board, struct ids_seen *tasks)
{
    struct id *ids;
    size_t count = store_tasks_on_instance(board->ctx->txn, (struct id){ 0 }, &ids, &board->scratch);
    for (size_t t = count < BOARD_WAITING_TASKS_MAX ? count : BOARD_WAITING_TASKS_MAX; t > 0; t--) { ids_add(&board->kept, tasks, ids[t - 1]); }
    arena_reset(&board->scratch);
}

struct stopped { struct id id; int64_t stopped_ms; };

static int last_first(const void *a, const void *b)
{
    const struct stopped *left = a, *right = b;
    if (left->stopped_ms != right->stopped_ms) { return left->stopped_ms < right->stopped_ms ? 1 : -1; }
    return id_cmp(right->id, left->id);
}

/* Puts the last tasks of a cluster from the index of tasks with desired status STOPPED into a ring. Returns their number. */
static size_t list_last_stopped(struct board *board, int64_t cluster, struct id ring[BOARD_STOPPED_LOOKED_AT])
{
    struct id page[BOARD_PAGE], after = { 0 };
    size_t seen = 0, count;
    do {
        count = store_list_tasks(board->ctx->txn, cluster, TASKS_BY_CLUSTER, (struct str){ 0 }, TASK_STOPPED, after, page, BOARD_PAGE);
        for (size_t i = 0; i < count; i++) { ring[seen++ % BOARD_STOPPED_LOOKED_AT] = page[i]; }
        if (count > 0) { after = page[count - 1]; }
    } while (count == BOARD_PAGE);
    return seen < BOARD_STOPPED_LOOKED_AT ? seen : BOARD_STOPPED_LOOKED_AT;
}

static void collect_stopped(struct board *board, struct ids_seen *tasks)
{
    struct id *ring = ARENA_NEW(&board->kept, struct id, BOARD_STOPPED_LOOKED_AT);
    struct stopped *found = ARENA_NEW(&board->kept, struct stopped, BOARD_STOPPED_TASKS_MAX + BOARD_STOPPED_LOOKED_AT);
    size_t found_count = 0;
    for (size_t c = 0; c < board->cluster_count; c++) {
        size_t count = list_last_stopped(board, board->clusters[c].number, ring);
        for (size_t i = 0; i < count; i++) {
            const struct task *task = store_task(board->ctx->txn, ring[i], &board->scratch);
            if (task != NULL && !task_is_live(task)) { found[found_count++] = (struct stopped){ task->id, task->stopped_ms }; }
            arena_reset(&board->scratch);
        }
        ASSERT(found_count <= BOARD_STOPPED_TASKS_MAX + BOARD_STOPPED_LOOKED_AT);
        if (found_count > 1) { qsort(found, found_count, sizeof *found, last_first); }
        if (found_count > BOARD_STOPPED_TASKS_MAX) { found_count = BOARD_STOPPED_TASKS_MAX; }
    }
    for (size_t i = 0; i < found_count; i++) { ids_add(&board->kept, tasks, found[i].id); }
}

/* A reply that is larger than its arena is cut, not refused: the totals beside the lists show it. */
static bool is_full(const struct board *board) { return arena_exhausted(board->out.buf->arena); }

static void put_instances(struct board *board, const struct ids_seen *instances, struct ids_seen *gone)
{
    json_key(&board->out, STR("instances"));
    json_open(&board->out, '[');
    for (size_t i = 0; i < instances->count && !is_full(board); i++) {
        const struct instance *instance = store_instance(board->ctx->txn, instances->items[i], &board->scratch);
        bool there = instance != NULL && instance->status != INSTANCE_INACTIVE;
        if (there) { put_instance(board, instance); } else { ids_add(&board->kept, gone, instances->items[i]); }
        arena_reset(&board->scratch);
    }
    json_close(&board->out, ']');
}

static bool put_service(struct board *board, int64_t number)
{
    struct op_ctx ctx = *board->ctx;
    ctx.arena = &board->scratch;
    const struct service *service = store_service(ctx.txn, number, ctx.arena);
    if (service == NULL || service->status == SERVICE_INACTIVE || service->daemon != NULL) { return false; }
    struct str name = cluster_name(board, service->cluster_number);
    const struct cluster *cluster = str_is_set(name) ? store_cluster(ctx.txn, name, ctx.arena) : NULL;
    if (cluster == NULL) { return false; }
    board_put_service(&ctx, cluster, service, &board->out);
    return true;
}

/* Adds those that are not there to `gone`. */
static void put_services(struct board *board, const struct number_list *services, struct number_list *gone)
{
    json_key(&board->out, STR("services"));
    json_open(&board->out, '[');
    for (size_t s = 0; s < services->count && !is_full(board); s++) {
        if (!put_service(board, services->items[s])) { numbers_add(&board->kept, gone, services->items[s]); }
        arena_reset(&board->scratch);
    }
    json_close(&board->out, ']');
}

static void put_tasks(struct board *board, const struct ids_seen *tasks)
{
    json_key(&board->out, STR("tasks"));
    json_open(&board->out, '[');
    for (size_t t = 0; t < tasks->count && !is_full(board); t++) {
        const struct task *task = store_task(board->ctx->txn, tasks->items[t], &board->scratch);
        if (task != NULL) { put_task(board, task); }
        arena_reset(&board->scratch);
    }
    json_close(&board->out, ']');
}

static void board_begin(struct board *board, struct op_ctx *ctx, struct buf *out)
{
    *board = (struct board){ .ctx = ctx, .out = json_out_to(out) };
    arena_init(&board->scratch, BOARD_SCRATCH_MAX);
    arena_init(&board->kept, BOARD_SCRATCH_MAX);
    json_open(&board->out, '{');
    own_json_i64(&board->out, STR("revision"), store_revision(ctx->txn));
    put_clusters(board);
}

struct collected_services { struct board *board; struct number_list services; int64_t total; };

static void collect_service(void *context, const struct service *service)
{
    struct collected_services *collected = context;
    collected->total++;
    if (collected->services.count < BOARD_SERVICES_MAX) { numbers_add(&collected->board->kept, &collected->services, service->number); }
}

void api_print_board(struct op_ctx *ctx, struct buf *out)
{
    AUTO(board_finish) struct board board;
    struct collected_services collected = { .board = &board };
    struct ids_seen instances = { 0 }, tasks = { 0 }, gone = { 0 };
    struct number_list gone_services = { 0 };
    int64_t instances_total = 0, live_total = 0;
    board_begin(&board, ctx, out);
    collect_instances(&board, &instances, &tasks, &instances_total);
    collect_waiting(&board, &tasks);
    collect_stopped(&board, &tasks);
    store_scan_services(ctx->txn, collect_service, &collected);
    for (size_t c = 0; c < board.cluster_count; c++) {
        live_total += store_cluster_counts(ctx->txn, board.clusters[c].number).live_tasks;
    }

    put_instances(&board, &instances, &gone);
    own_json_i64(&board.out, STR("instancesTotal"), instances_total);
    put_services(&board, &collected.services, &gone_services);
    own_json_i64(&board.out, STR("servicesTotal"), collected.total);
    put_tasks(&board, &tasks);
    own_json_i64(&board.out, STR("liveTotal"), live_total);
    json_close(&board.out, '}');
}

/* ---- what changed ---- */

static void sort_changes(struct board *board, const struct change *changes, size_t count, struct ids_seen *instances,
                         struct ids_seen *tasks, struct number_list *services)
{
    for (size_t c = 0; c < count; c++) {
        switch (changes[c].kind) {
        case CHANGE_INSTANCE:  ids_add(&board->kept, instances, changes[c].id); break;
        case CHANGE_TASK:
        case CHANGE_TASK_GONE: ids_add(&board->kept, tasks, changes[c].id); break;
        case CHANGE_SERVICE:   numbers_add(&board->kept, services, store_changed_service(&changes[c])); break;
        case CHANGE_CLUSTER:                                     /* all clusters are sent anyway */
        case CHANGE_TASKDEF:   break;
        }
    }
    ids_unique(tasks);
}

/* A changed task changes the entries of its machine and its service. A removed task changes nothing, because it stopped long ago. */
static void add_touched(struct board *board, struct ids_seen *tasks, struct ids_seen *instances, struct number_list *services, struct ids_seen *gone)
{
    size_t kept = 0;
    for (size_t t = 0; t < tasks->count; t++) {
        const struct task *task = store_task(board->ctx->txn, tasks->items[t], &board->scratch);
        if (task == NULL) {
            ids_add(&board->kept, gone, tasks->items[t]);
        } else {
            if (!id_is_zero(task->instance)) { ids_add(&board->kept, instances, task->instance); }
            if (task->service != 0) { numbers_add(&board->kept, services, task->service); }
            tasks->items[kept++] = tasks->items[t];
        }
        arena_reset(&board->scratch);
    }
    tasks->count = kept;
    ids_unique(instances);
    numbers_unique(services);
}

static void put_gone(struct board *board, const struct ids_seen *gone, const struct number_list *gone_services)
{
    json_key(&board->out, STR("gone"));
    json_open(&board->out, '[');
    for (size_t g = 0; g < gone->count; g++) {
        char hex[ID_HEX_LEN + 1];
        id_hex(gone->items[g], hex);
        json_str(&board->out, (struct str){ hex, ID_HEX_LEN });
    }
    for (size_t g = 0; g < gone_services->count; g++) { json_str(&board->out, board_service_id(gone_services->items[g], &board->scratch)); }
    json_close(&board->out, ']');
}

/* All changes up to now, or none: a page can't see that some are missing. */
static bool read_changes(struct op_ctx *ctx, int64_t revision, struct change *changes, size_t *count)
{
    struct change behind;
    bool complete = false;
    *count = store_changes(ctx->txn, revision, changes, BOARD_CHANGES_MAX, &complete);
    if (!complete || *count == 0) { return complete; }
    bool is_more = store_changes(ctx->txn, changes[*count - 1].revision, &behind, 1, &complete) > 0;
    return complete && !is_more;
}

bool api_print_board_changes(struct op_ctx *ctx, int64_t revision, struct buf *out)
{
    struct change *changes = ARENA_NEW(ctx->arena, struct change, BOARD_CHANGES_MAX);
    size_t count = 0;
    if (!read_changes(ctx, revision, changes, &count)) { return false; }

    AUTO(board_finish) struct board board;
    struct ids_seen instances = { 0 }, tasks = { 0 }, gone = { 0 };
    struct number_list services = { 0 }, gone_services = { 0 };
    board_begin(&board, ctx, out);
    sort_changes(&board, changes, count, &instances, &tasks, &services);
    add_touched(&board, &tasks, &instances, &services, &gone);

    put_instances(&board, &instances, &gone);
    put_services(&board, &services, &gone_services);
    put_tasks(&board, &tasks);
    put_gone(&board, &gone, &gone_services);
    json_close(&board.out, '}');
    return true;
}
