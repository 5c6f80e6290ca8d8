/* One run of the simulation: a store in its own folder, and step after step from a seed. */
#include "tests/sim/sim.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { ARENA_SIZE = 64 * 1024 * 1024, STOPPED_KEEP_MS = 3600 * 1000, STEPS_MOST = 20 };

_Noreturn void sim_fail(const struct sim *sim, const char *what, const char *detail)
{
    fprintf(stderr, "sim: seed %llu: %s: %s\n", (unsigned long long)sim->seed, what, detail);
    exit(1);
}

static void open_store(struct sim *sim)
{
    struct err err = { 0 };
    struct store_config config = { .dir = sim->dir, .map_size = 256 * 1024 * 1024, .sync = false };
    if (!store_open(&config, &sim->store, &err)) {
        sim_fail(sim, "the store does not open", err.message);
    }
}

static void build_world(struct sim *sim)
{
    arena_finish(&sim->world_arena);
    arena_init(&sim->world_arena, ARENA_SIZE);
    sim->world = sched_world_create(&sim->world_arena);
    sim->touched = true;
    struct store_txn *txn = store_read_begin(sim->store);
    api_load_world(sim->world, txn);
    if (!store_read_end(txn)) {
        sim_fail(sim, "the world can't be loaded", "the read failed");
    }
}

/* Memory is forgotten, the file stays: what kill -9 does. */
void sim_crash(struct sim *sim)
{
    sim->crashes++;
    sim->unchecked = SIM_CHECK_EVERY;
    store_close(sim->store);
    open_store(sim);
    build_world(sim);
    sim_server_restarts(sim);
}

static const struct caller sim_caller = { .access_key = STR_INIT("AKIASIM"), .user = STR_INIT("sim"), .role = ACCESS_ADMIN };

struct op_ctx sim_reader(struct sim *sim, struct store_txn *txn, struct arena *arena)
{
    return (struct op_ctx){ .config = &sim->config, .txn = txn, .arena = arena, .now_ms = sim->now_ms, .caller = sim_caller };
}

static void run_job(struct sim *sim, struct store_txn *txn, struct sim_job *job, struct arena *arena)
{
    struct op_ctx ctx = sim_reader(sim, txn, arena);
    ctx.world = sim->world;
    ctx.ids = &sim->ids;
    ctx.rng = &sim->server_rng;
    bool steps = sim->services && str_eq(job->call.operation->name, STR("berth:StepServices"));
    struct sim_before *before = steps ? sim_services_before(sim, txn, arena) : NULL;
    store_job_begin(txn);
    job->err = (struct err){ 0 };
    job->good = api_run(&job->call, &ctx, &job->err);
    if (!store_job_end(txn, job->good && job->call.operation->access == OP_WRITE)) {
        sim_fail(sim, "the store is poisoned", store_txn_problem(txn));
    }
    job->effects = ctx.effects;
    if (steps) { sim_services_after(sim, txn, before, arena); }
}

static void apply_effects(struct sim *sim, const struct sim_job *job)
{
    for (size_t e = 0; job->good && e < job->effects.count; e++) {
        if (job->effects.items[e].kind != EFFECT_CLOSE_INSTANCE) { sim_agent_wake(sim, job->effects.items[e].instance); }
    }
}

/* Runs them as the writer would, with now and then a commit that the disk refuses: then nobody is answered, and the world is built
 * again. */
bool sim_write(struct sim *sim, struct sim_job *jobs, size_t count, struct arena *arena)
{
    struct store_txn *txn = store_write_begin(sim->store);
    bool kept = false;
    sim->touched = true;                                 /* by a refusal or a question too, if it leaves something behind */
    for (size_t j = 0; j < count; j++) {
        run_job(sim, txn, &jobs[j], arena);
        kept = kept || jobs[j].call.operation->access == OP_WRITE;
    }
    if (!kept) {
        store_write_abort(txn);
        return true;
    }
    if (sim->faults && rng_below(&sim->rng, 40) == 0) {
        store_write_abort(txn);
        build_world(sim);
        sim->failed_commits++;
        return false;
    }
    int64_t revision;
    if (!store_write_commit(txn, &revision)) {
        sim_fail(sim, "a commit failed", "without being made to");
    }
    for (size_t j = 0; j < count; j++) { apply_effects(sim, &jobs[j]); }
    return true;
}

/* False with ERR_NONE in *err: no answer. */
static bool run_write(struct sim *sim, struct api_call *call, struct arena *arena, struct err *err)
{
    struct sim_job job = { .call = *call };
    bool answered = sim_write(sim, &job, 1, arena);
    *call = job.call;
    *err = answered ? job.err : (struct err){ 0 };
    return answered && job.good;
}

static bool run_read(struct sim *sim, struct api_call *call, struct arena *arena, struct err *err)
{
    struct store_txn *txn = store_read_begin(sim->store);
    struct op_ctx ctx = sim_reader(sim, txn, arena);
    bool good = api_run(call, &ctx, err);
    if (!store_read_end(txn)) {
        sim_fail(sim, "a read failed", call->operation->name.ptr);
    }
    return good;
}

void sim_prepare(struct sim *sim, const char *operation, struct str body, struct arena *arena, struct api_call *call)
{
    struct err err = { 0 };
    struct str name = str_from(operation);
    bool alarms = str_starts_with(name, alarms_service.target);
    if (alarms) { name = str_slice(name, alarms_service.target.len, name.len); }
    sim->calls++;
    if (!api_prepare_for(alarms ? &alarms_service : &ecs_service, &sim->config, &sim_caller, name, body, arena, call, &err)) {
        sim_fail(sim, operation, err.message);
    }
}

bool sim_call(struct sim *sim, const char *operation, struct str body, struct arena *arena, struct str *reply, struct err *err)
{
    struct api_call call = { 0 };
    struct buf out = buf_in(arena);
    *err = (struct err){ 0 };
    *reply = STR("{}");
    sim_prepare(sim, operation, body, arena, &call);
    bool good = call.operation->access == OP_WRITE ? run_write(sim, &call, arena, err) : run_read(sim, &call, arena, err);
    if (good) {
        api_print(&call, &out);
        *reply = buf_str(&out);
    } else {
        sim->refusals++;
    }
    return good;
}

bool sim_internal(struct sim *sim, struct api_call *call, struct arena *arena)
{
    struct err err = { 0 };
    return run_write(sim, call, arena, &err);
}

static const char *const definitions[] = {
    "{\"family\":\"cpu\",\"containerDefinitions\":[{\"name\":\"a\",\"image\":\"i\",\"cpu\":256,\"memory\":128}]}",
    "{\"family\":\"one\",\"containerDefinitions\":[{\"name\":\"a\",\"image\":\"i\",\"memory\":64,\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"1\"}]}]}",
    "{\"family\":\"four\",\"containerDefinitions\":[{\"name\":\"a\",\"image\":\"i\",\"memory\":64,\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"4\"}]}]}",
    ("{\"family\":\"pair\",\"containerDefinitions\":[{\"name\":\"a\",\"image\":\"i\",\"memory\":64,\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"1\"}]},"
    "{\"name\":\"b\",\"image\":\"i\",\"memory\":64,\"essential\":false,\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"2\"}]}]}"),
    "{\"family\":\"part\",\"containerDefinitions\":[{\"name\":\"a\",\"image\":\"i\",\"memory\":64,\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"0.4\"}]}]}",
    ("{\"family\":\"parts\",\"containerDefinitions\":[{\"name\":\"a\",\"image\":\"i\",\"memory\":64,\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"0.7\"}]},"
    "{\"name\":\"b\",\"image\":\"i\",\"memory\":64,\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"0.3\"}]}]}"),
    "{\"family\":\"port\",\"containerDefinitions\":[{\"name\":\"a\",\"image\":\"i\",\"memory\":64,\"portMappings\":[{\"containerPort\":80,\"hostPort\":8080}]}]}",
    "{\"family\":\"checked\",\"containerDefinitions\":[{\"name\":\"a\",\"image\":\"i\",\"memory\":64,\"healthCheck\":{\"command\":[\"CMD\",\"true\"]}}]}",
};
static const char *const families[] = { "cpu", "one", "four", "pair", "part", "parts", "port" };

void sim_remember(struct sim *sim, struct str reply, struct arena *arena)
{
    struct err err = { 0 };
    const struct json *tasks = json_get(json_parse(reply, arena, &err), STR("tasks"));
    for (size_t t = 0; tasks != NULL && t < tasks->count; t++) {
        struct str arn = json_get_str(&tasks->as.items[t], STR("taskArn"));
        bool waits = str_eq(json_get_str(&tasks->as.items[t], STR("lastStatus")), STR("PROVISIONING"));
        struct id id;
        if (arn.len < ID_HEX_LEN || !id_parse(str_slice(arn, arn.len - ID_HEX_LEN, arn.len), &id)) {
            sim_fail(sim, "a reply without a task's ARN", arn.ptr);
        }
        if (sim->task_count < SIM_TASKS_MAX) {
            sim->tasks[sim->task_count++] = (struct sim_task){ .id = id, .furthest = waits ? TASK_PROVISIONING : TASK_PENDING, .desired = TASK_RUNNING };
        }
    }
}

static struct str random_task(struct sim *sim, struct arena *arena)
{
    char hex[ID_HEX_LEN + 1];
    /* From a hot set (the newest) and a cold one (any), so that the same task is often met again. */
    size_t newest = sim->task_count < 8 ? sim->task_count : 8;
    size_t index = rng_below(&sim->rng, 2) == 0 ? sim->task_count - 1 - rng_below(&sim->rng, newest) : rng_below(&sim->rng, sim->task_count);
    id_hex(sim->tasks[index].id, hex);
    return arena_str(arena, str_from(hex));
}

/* The answer to a trial of RunTask, as JSON; the absent text when it would be refused. */
static struct str ask_what_if(struct sim *sim, struct str body, struct arena *arena)
{
    struct api_call call = { 0 };
    struct err err = { 0 };
    struct buf out = buf_in(arena);
    if (!api_prepare_what_if(&sim->config, body, arena, &call, &err)) {
        sim_fail(sim, "what-if", err.message);
    }
    if (!run_write(sim, &call, arena, &err)) {
        return (struct str){ 0 };
    }
    struct store_txn *txn = store_read_begin(sim->store);
    struct op_ctx ctx = sim_reader(sim, txn, arena);
    api_print_what_if(&ctx, &call, &out);
    if (!store_read_end(txn)) {
        sim_fail(sim, "a read failed", "what-if");
    }
    return buf_str(&out);
}

/* The machine and the GPUs of each task, as text: alike in the two replies. */
static struct str places_of(struct str reply, const char *list, const char *machine, struct arena *arena)
{
    struct err err = { 0 };
    struct buf out = buf_in(arena);
    struct json_out json = json_out_to(&out);
    const struct json *tasks = json_get(json_parse(reply, arena, &err), str_from(list));
    for (size_t t = 0; tasks != NULL && t < tasks->count; t++) {
        const struct json *task = &tasks->as.items[t], *containers = json_get(task, STR("containers")), *instance = json_get(task, str_from(machine));
        if (instance == NULL) { continue; }                      /* it waits */
        buf_put(&out, instance->type == JSON_STRING ? instance->as.string : json_get_str(instance, STR("arn")));
        for (size_t c = 0; c < containers->count; c++) {
            const struct json *gpus = json_get(&containers->as.items[c], STR("gpuIds"));
            buf_put_char(&out, ' ');
            if (gpus != NULL && gpus->count > 0) { json_dump(&json, gpus); }
        }
        buf_put_char(&out, '\n');
    }
    return buf_str(&out);
}

static void check_run(struct sim *sim, struct str answer, struct str reply, bool gang, struct arena *arena)
{
    struct err err = { 0 };
    const struct json *made = json_parse(reply, arena, &err), *tasks = json_get(made, STR("tasks")), *failures = json_get(made, STR("failures"));
    struct str would = places_of(answer, "placements", "instance", arena), did = places_of(reply, "tasks", "containerInstanceArn", arena);
    if (!str_is_set(answer) || !str_eq(would, did)) {
        sim_fail(sim, "RunTask did something else than what-if said", arena_printf(arena, STR_FMT "but\n" STR_FMT, STR_ARG(would), STR_ARG(did)).ptr);
    }
    if (gang && tasks->count > 0 && failures->count > 0) {
        sim_fail(sim, "half a gang started", reply.ptr);
    }
}

struct sim_agent *sim_random_agent(struct sim *sim) { return &sim->agents[rng_below(&sim->rng, sim->agent_count)]; }

static const char *random_family(struct sim *sim) { return families[rng_below(&sim->rng, COUNT_OF(families))]; }

/* In the bodies of requests chance is asked in separate statements: C leaves open in which order arguments are worked out, and a seed must
 * mean the same with every compiler. */
static struct str run_body(struct sim *sim, struct arena *arena)
{
    static const char gang[] = ",\"tags\":[{\"key\":\"berth:gang\",\"value\":\"true\"}]";
#define TAG(key, value) "{\"key\":\"berth:" key "\",\"value\":\"" value "\"}"
    static const char waits[] = ",\"tags\":[" TAG("queue", "wait:2h") "]", urgent[] = ",\"tags\":[" TAG("queue", "wait") "," TAG("priority", "20") "]",
        held[] = ",\"tags\":[" TAG("queue", "wait:30m") "," TAG("reserve", "true") "]", team[] = ",\"tags\":[{\"key\":\"team\",\"value\":\"ml\"}," TAG("queue", "wait:1h") "]",
        brief[] = ",\"tags\":[" TAG("preemptible", "true") "," TAG("max-runtime", "10m") "]", gang_waits[] = ",\"tags\":[" TAG("queue", "wait:1h") "," TAG("gang", "true") "]";
    static const char *const extras[] = { "", gang, ",\"placementStrategy\":[{\"type\":\"spread\",\"field\":\"instanceId\"}]", ",\"placementConstraints\":[{\"type\":\"distinctInstance\"}]",
                                          ",\"placementStrategy\":[{\"type\":\"binpack\",\"field\":\"memory\"}]", ",\"placementStrategy\":[{\"type\":\"random\"}]",
                                          waits, urgent, held, team, brief, brief, gang_waits };
    const char *family = random_family(sim);
    int count = 1 + (int)rng_below(&sim->rng, 3);
    return arena_printf(arena, "{\"taskDefinition\":\"%s\",\"count\":%d%s}", family, count, extras[rng_below(&sim->rng, COUNT_OF(extras))]);
}

static struct str start_body(struct sim *sim, struct arena *arena)
{
    const char *family = random_family(sim);
    return arena_printf(arena, "{\"taskDefinition\":\"%s\",\"containerInstances\":[\"%s\"]}", family, sim_random_agent(sim)->arn);
}

static struct str stop_body(struct sim *sim, struct arena *arena)
{
    return arena_printf(arena, "{\"task\":\"%s\",\"reason\":\"sim\"}", random_task(sim, arena).ptr);
}

static struct str describe_body(struct sim *sim, struct arena *arena)
{
    return arena_printf(arena, "{\"tasks\":[\"%s\"]}", random_task(sim, arena).ptr);
}

static struct str list_body(struct sim *sim, struct arena *arena)
{
    (void)sim;
    (void)arena;
    return STR("{}");
}

static struct str drain_body(struct sim *sim, struct arena *arena)
{
    const struct sim_agent *agent = sim_random_agent(sim);
    return arena_printf(arena, "{\"containerInstances\":[\"%s\"],\"status\":\"%s\"}", agent->arn, rng_below(&sim->rng, 3) == 0 ? "DRAINING" : "ACTIVE");
}

const char *sim_random_request(struct sim *sim, struct arena *arena, struct str *body)
{
    static const struct { uint64_t below; const char *operation; struct str (*body)(struct sim *sim, struct arena *arena); } requests[] = {
        { 9, "RunTask", run_body }, { 11, "StartTask", start_body }, { 15, "StopTask", stop_body }, { 17, "DescribeTasks", describe_body },
        { 18, "ListTasks", list_body }, { 20, "UpdateContainerInstancesState", drain_body },
    };
    uint64_t dice = rng_below(&sim->rng, 20);
    size_t r = 0;
    while (sim->task_count > 0 && dice >= requests[r].below) { r++; }      /* the first thing that anybody asks for is a task */
    *body = requests[r].body(sim, arena);
    return requests[r].operation;
}

static void sim_request(struct sim *sim, struct arena *arena)
{
    struct str body, reply, answer = { 0 };
    struct err err;
    const char *operation = sim_random_request(sim, arena, &body);
    bool runs = strcmp(operation, "RunTask") == 0;
    if (runs) { answer = ask_what_if(sim, body, arena); }
    if (!sim_call(sim, operation, body, arena, &reply, &err)) { return; }
    if (runs) { check_run(sim, answer, reply, str_ends_with(body, STR("\"true\"}]}")), arena); }
    if (runs || strcmp(operation, "StartTask") == 0) { sim_remember(sim, reply, arena); }
}

/* Time jumps; stopped tasks that are past their keep go. */
static void sim_tick(struct sim *sim, struct arena *arena)
{
    struct api_call call;
    struct expire_tasks expire = { .limit = 100 };
    sim->now_ms += (int64_t)rng_below(&sim->rng, rng_below(&sim->rng, 10) == 0 ? STOPPED_KEEP_MS : 5000);
    sim_time_passes(sim);
    api_prepare_expire(&expire, arena, &call);
    (void)sim_internal(sim, &call, arena);
    for (int n = 0; !sim->services && n < STEPS_MOST; n++) {
        int64_t due_ms = api_services_due_ms(sim->world, sim->now_ms);
        if (due_ms == 0 || due_ms > sim->now_ms) { break; }
        api_prepare_step_services(false, arena, &call);
        (void)sim_internal(sim, &call, arena);
    }
}

void sim_step(struct sim *sim)
{
    struct arena arena = { 0 };
    arena_init(&arena, ARENA_SIZE);
    sim->now_ms += (int64_t)rng_below(&sim->rng, 50);
    uint64_t dice = rng_below(&sim->rng, 100);
    if (dice < 32) {
        sim_request(sim, &arena);
    } else if (dice < 35) {
        sim_burst(sim);
    } else if (dice < 86) {
        sim_agent_step(sim);
    } else if (dice < 90) {
        sim_gpus_step(sim);
    } else if (dice < 97) {
        sim_tick(sim, &arena);
    } else {
        sim_crash(sim);
    }
    arena_finish(&arena);
}

void sim_open(struct sim *sim, uint64_t seed, bool services)
{
    static const int gpus[] = { 0, 1, 4, 8, 2, 8 };
    static const int64_t leases_ms[] = { 0, 120000, 40000, 60000, 120000, 0 };
    *sim = (struct sim){ .seed = seed, .now_ms = 1750000000000, .faults = true, .services = services, .mood = { .exits = 6 } };
    rng_seed(&sim->rng, seed);
    rng_seed(&sim->server_rng, seed + 1);
    sim->ids.rng = &sim->server_rng;
    sim->config = (struct api_config){ .names = { STR("us-east-1"), STR("123456789012") }, .endpoint = STR("http://127.0.0.1:1"),
                                       .stopped_task_keep_ms = STOPPED_KEEP_MS, .inactive_instance_keep_ms = STOPPED_KEEP_MS,
                                       .history_keep_ms = 2 * STOPPED_KEEP_MS };
    snprintf(sim->dir, sizeof sim->dir, "/tmp/berth-sim-XXXXXX");
    if (mkdtemp(sim->dir) == NULL) {
        sim_fail(sim, "no temporary folder", sim->dir);
    }
    open_store(sim);
    build_world(sim);
    struct arena arena = { 0 };
    struct str reply;
    struct err err;
    arena_init(&arena, ARENA_SIZE);
    sim->faults = false;
    static const char quotas[] = "{\"tags\":[{\"key\":\"berth:quota\",\"value\":\"team:ml:3\"}]}";
    (void)sim_call(sim, "CreateCluster", str_from(quotas), &arena, &reply, &err);
    for (size_t d = 0; d < COUNT_OF(definitions); d++) {
        if (!sim_call(sim, "RegisterTaskDefinition", str_from(definitions[d]), &arena, &reply, &err)) {
            sim_fail(sim, "a definition is refused", err.message);
        }
    }
    sim->agent_count = 2 + rng_below(&sim->rng, SIM_AGENTS_MAX - 1);
    for (size_t a = 0; a < sim->agent_count; a++) {
        sim->agents[a].gpus = gpus[a];
        sim->agents[a].lease_ms = leases_ms[a];
        sim->agents[a].sent_ms = sim->agents[a].heard_ms = sim->now_ms;
        snprintf(sim->agents[a].token, sizeof sim->agents[a].token, "machine-%zu", a);
        sim_register(sim, &sim->agents[a]);
    }
    if (services) { sim_traffic_open(sim); }
    sim->faults = true;
    arena_finish(&arena);
}

void sim_close(struct sim *sim)
{
    store_close(sim->store);
    arena_finish(&sim->world_arena);
    DIR *dir = opendir(sim->dir);
    for (struct dirent *entry = dir == NULL ? NULL : readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    rmdir(sim->dir);
}

void sim_print(const struct sim *sim)
{
    fprintf(stderr, "seed %llu: %llu calls, %llu refused, %zu tasks, %llu crashes, %llu failed commits, %llu fences, up to %zu jobs a commit\n",
            (unsigned long long)sim->seed, (unsigned long long)sim->calls, (unsigned long long)sim->refusals, sim->task_count,
            (unsigned long long)sim->crashes, (unsigned long long)sim->failed_commits, (unsigned long long)sim->fences, sim->largest);
    if (!sim->services) { return; }
    fprintf(stderr, "    %llu steps of services, %llu tasks of services, %llu shifts of traffic, %llu stages with hooks, %llu early pulls\n",
            (unsigned long long)sim->steps, (unsigned long long)sim->starts, (unsigned long long)sim->shifted, (unsigned long long)sim->hooked,
            (unsigned long long)sim->pulled);
}

void sim_run(uint64_t seed, uint64_t steps)
{
    static struct sim sim;
    sim_open(&sim, seed, false);
    for (uint64_t step = 0; step < steps; step++) {
        sim_step(&sim);
        sim_check(&sim);
    }
    sim.faults = false;
    sim_agents_settle(&sim);
    sim_check_all(&sim);
    sim_check_running(&sim);
    sim_stop_everything(&sim);
    sim_agents_settle(&sim);
    sim_check_all(&sim);
    sim_check_settled(&sim);
    sim_print(&sim);
    sim_close(&sim);
}
