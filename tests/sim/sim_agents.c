/* The simulated machines: the containers on them, and their bad reports. */
#include <stdlib.h>
#include <string.h>

#include "tests/sim/sim.h"

enum { ARENA_SIZE = 64 * 1024 * 1024, SETTLE_ROUNDS_MAX = 200, LOST_MS = 35 * 1000, LATE_MS = 2000 };

#define EARLY_PULLS ",{\"name\":\"" EARLY_PULLS_ATTRIBUTE "\",\"value\":\"true\"}"

void sim_register(struct sim *sim, struct sim_agent *agent)
{
    struct arena arena = { 0 };
    struct str reply;
    struct err err;
    arena_init(&arena, ARENA_SIZE);
    struct buf body = buf_in(&arena);
    buf_printf(&body, "{\"clientToken\":\"%s-%llu\",\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":4096},"
                      "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":2048}],\"attributes\":["
                      "{\"name\":\"ecs.availability-zone\",\"value\":\"%c\"},"
                      "{\"name\":\"ecs.capability.container-health-check\"}", agent->token, (unsigned long long)sim->calls,
               (char)('a' + (agent - sim->agents) % 2));
    if ((agent - sim->agents) % 3 != 0) { buf_printf(&body, EARLY_PULLS); }
    buf_printf(&body, "],\"platformDevices\":[");
    for (int g = 0; g < agent->gpus; g++) {
        buf_printf(&body, "%s{\"id\":\"GPU-%s-%d\",\"type\":\"GPU\"}", g == 0 ? "" : ",", agent->token, g);
    }
    buf_printf(&body, "]");
    if (agent->arn[0] != '\0') {
        buf_printf(&body, ",\"containerInstanceArn\":\"%s\"", agent->arn);
    }
    buf_printf(&body, "}");
    if (sim_call(sim, "RegisterContainerInstance", buf_str(&body), &arena, &reply, &err) && agent->arn[0] == '\0') {
        struct str arn = json_get_str(json_get(json_parse(reply, &arena, &err), STR("containerInstance")), STR("containerInstanceArn"));
        if (!str_to_cstr(arn, agent->arn, sizeof agent->arn) || !id_parse(str_slice(arn, arn.len - ID_HEX_LEN, arn.len), &agent->instance)) {
            sim_fail(sim, "a registration without an ARN", reply.ptr);
        }
    }
    arena_finish(&arena);
}

void sim_agent_wake(struct sim *sim, struct id instance)
{
    for (size_t a = 0; a < sim->agent_count; a++) { sim->agents[a].woken = sim->agents[a].woken || id_eq(sim->agents[a].instance, instance); }
}

static void set_presence(struct sim *sim, struct sim_agent *agent, bool online)
{
    struct arena arena = { 0 };
    struct api_call call;
    arena_init(&arena, ARENA_SIZE);
    if (online) { api_prepare_presence(&(struct agent_presence){ agent->instance, agent->lease_ms }, &arena, &call); }
    else        { api_prepare_absence(&(struct machine_batch){ &agent->instance, 1, 1 }, &arena, &call); }
    if (sim_internal(sim, &call, &arena)) {
        agent->online = online;
        agent->woken = agent->woken || online;
    }
    arena_finish(&arena);
}

static struct sim_run *find_run(struct sim_agent *agent, struct str arn)
{
    for (size_t r = 0; r < agent->run_count; r++) {
        if (str_eq(str_from(agent->runs[r].arn), arn)) {
            return &agent->runs[r];
        }
    }
    return NULL;
}

static void queue_report(struct sim *sim, struct sim_agent *agent, const char *arn, const char *status, int exit_code)
{
    if (agent->report_count == SIM_REPORTS_MAX) {
        sim_fail(sim, "too many reports wait", arn);
    }
    struct sim_report *report = &agent->reports[agent->report_count++];
    const struct sim_run *run = find_run(agent, str_from(arn));
    *report = (struct sim_report){ .status = status, .exit_code = exit_code, .health = run == NULL || !run->active ? NULL : run->health };
    memcpy(report->arn, arn, strlen(arn) + 1);
}

static void end_run(struct sim *sim, struct sim_agent *agent, struct sim_run *run, int exit_code)
{
    run->active = false;
    run->exit_code = exit_code;
    if (agent->dead) { return; }             /* it is found by the next start */
    queue_report(sim, agent, run->arn, "STOPPED", exit_code);
}

/* A machine has room for this many containers in this test; ones that have ended and were reported make place. */
static struct sim_run *new_run(struct sim *sim, struct sim_agent *agent)
{
    if (agent->run_count == SIM_RUNS_MAX) {
        sim_fail(sim, "too many runs", agent->arn);
    }
    return &agent->runs[agent->run_count++];
}

static bool take_gpu(struct sim_run *run, struct str id, int thousandths)
{
    if (run->gpu_count == SIM_GPUS_MAX || !str_to_cstr(id, run->gpus[run->gpu_count].id, sizeof run->gpus[0].id)) {
        return false;
    }
    run->gpus[run->gpu_count++].thousandths = thousandths;
    return true;
}

/* A part of a GPU is in the container's environment. */
static void take_share(struct sim *sim, struct sim_run *run, const struct pair_list *environment)
{
    struct str device = { NULL, 0 };
    int thousandths = 0;
    for (size_t e = 0; e < environment->count; e++) {
        const struct pair *pair = &environment->items[e];
        if (str_eq(pair->key, STR("NVIDIA_VISIBLE_DEVICES")) && !str_eq(pair->value, STR("void"))) {
            device = pair->value;
        } else if (str_eq(pair->key, STR("BERTH_GPU_SHARE"))) {
            char text[16];
            thousandths = str_to_cstr(pair->value, text, sizeof text) ? (int)(strtod(text, NULL) * 1000 + 0.5) : 0;
        }
    }
    bool told = str_is_set(device) && thousandths > 0 && thousandths < 1000;
    if (str_is_set(device) != (thousandths > 0) || (told && !take_gpu(run, device, thousandths))) {
        sim_fail(sim, "a part of a GPU that no agent takes", run->arn);
    }
}

/* The agent's own books: it waits with a container while one that the store has ended still has its GPU. Two that both live in the
 * store must never want the same, so of them the books know nothing. */
static bool waits_for_gpu(struct sim *sim, const struct sim_agent *agent, const struct sim_run *wanted)
{
    struct arena arena = { 0 };
    bool waits = false;
    arena_init(&arena, ARENA_SIZE);
    struct store_txn *txn = store_read_begin(sim->store);
    for (size_t r = 0; r < agent->run_count; r++) {
        const struct sim_run *run = &agent->runs[r];
        const struct task *task = run->active ? store_task(txn, run->task, &arena) : NULL;
        if (!run->active || run == wanted || (task != NULL && task_is_live(task))) { continue; }
        for (size_t g = 0; g < run->gpu_count; g++) {
            for (size_t w = 0; w < wanted->gpu_count; w++) { waits = waits || strcmp(run->gpus[g].id, wanted->gpus[w].id) == 0; }
        }
    }
    if (!store_read_end(txn)) {
        sim_fail(sim, "a read failed", "books");
    }
    arena_finish(&arena);
    return waits;
}

static void begin_run(struct sim *sim, struct sim_agent *agent, const struct wire_task *task)
{
    struct sim_run *run = new_run(sim, agent);
    *run = (struct sim_run){ .active = true };
    if (!str_to_cstr(task->arn, run->arn, sizeof run->arn) || !id_parse(str_slice(task->arn, task->arn.len - ID_HEX_LEN, task->arn.len), &run->task)) {
        sim_fail(sim, "a payload without an ARN", "");
    }
    for (size_t a = 0; a < task->associations.count; a++) {
        const struct wire_association *association = &task->associations.items[a];
        if (association->containers.count != 1 || !take_gpu(run, association->name, 1000)) {
            sim_fail(sim, "a GPU association that no agent takes", run->arn);
        }
    }
    for (size_t c = 0; c < task->containers.count; c++) {
        take_share(sim, run, &task->containers.items[c].environment);
        run->checked = run->checked || task->containers.items[c].health_check_type.len > 0;
    }
    if (waits_for_gpu(sim, agent, run)) {
        agent->run_count--;
        agent->woken = true;                 /* told again, until it reports */
    }
}

static void take_payload(struct sim *sim, struct sim_agent *agent, const struct wire_task *task)
{
    struct sim_run *run = find_run(agent, task->arn);
    if (str_eq(task->desired_status, STR("RUNNING"))) {
        if (run == NULL) {
            begin_run(sim, agent, task);
        } else if (!run->active) {
            queue_report(sim, agent, run->arn, "STOPPED", run->exit_code);     /* told again: the report got lost */
        } else if (run->running) {
            queue_report(sim, agent, run->arn, "RUNNING", 0);
        }
    } else if (run == NULL) {
        char arn[SIM_ARN_MAX];
        if (!str_to_cstr(task->arn, arn, sizeof arn)) {
            sim_fail(sim, "a payload with a long ARN", "");
        }
        queue_report(sim, agent, arn, "STOPPED", 0);
    } else if (run->active) {
        end_run(sim, agent, run, 137);
    } else {
        queue_report(sim, agent, run->arn, "STOPPED", run->exit_code);
    }
}

/* A task that a manifest does not name is asked about and stopped; the server says no more than its store. */
static void take_manifest(struct sim *sim, struct sim_agent *agent, const struct wire_manifest *manifest)
{
    for (size_t r = 0; r < agent->run_count; r++) {
        struct sim_run *run = &agent->runs[r];
        bool listed = !run->active;
        for (size_t t = 0; t < manifest->tasks.count; t++) { listed = listed || str_eq(manifest->tasks.items[t].task_arn, str_from(run->arn)); }
        if (!listed) {
            end_run(sim, agent, run, 137);
        }
    }
}

/* In any order, some twice, some not at all: the machine gets those once more. */
static size_t choose_payloads(struct sim *sim, struct sim_agent *agent, struct op_ctx *ctx, const struct work_list *work, size_t limit,
                              const struct wire_payload **payloads)
{
    size_t count = 0;
    agent->woken = false;
    for (size_t w = 0; w < work->count; w++) {
        bool lost = sim->faults && rng_below(&sim->rng, 4) == 0, twice = sim->faults && rng_below(&sim->rng, 5) == 0;
        const struct wire_payload *payload = lost || count >= limit ? NULL : work_payload(ctx, &work->items[w]);
        agent->woken = agent->woken || payload == NULL;
        for (int time = 0; payload != NULL && time < 1 + twice; time++) {
            size_t at = sim->faults ? rng_below(&sim->rng, count + 1) : count;
            payloads[count] = payload;
            if (at < count) {
                payloads[count] = payloads[at];
                payloads[at] = payload;
            }
            count++;
        }
    }
    return count;
}

/* Early pulls end at once, some of them badly; with faults a report may be lost, or an earlier one come again. */
static void report_pulled(struct sim *sim, struct sim_agent *agent, const struct wire_pull_list *pulls, struct arena *arena)
{
    for (size_t p = 0; p < pulls->count; p++) {
        struct pulled pulled = { pulls->items[p].service, pulls->items[p].revision, rng_below(&sim->rng, 3) == 0 ? STR("no such image") : STR("") };
        struct pulled_report report = { .container_instance = str_from(agent->arn), .pulls = { &pulled, 1 } };
        struct api_call call;
        struct err err = { 0 };
        struct buf body = buf_in(arena);
        struct json_out out = json_out_to(&body);
        if (sim->faults && rng_below(&sim->rng, 2) == 0) { continue; }
        schema_print(&pulled_report_schema, &report, &out);
        if (!api_prepare_pulled(&sim->config, buf_str(&body), arena, &call, &err)) { sim_fail(sim, "a report of early pulls is refused", err.message); }
        sim->pulled += sim_internal(sim, &call, arena);
    }
}

/* The server gets it a while after it was sent, and the answer may not come. */
static void poll(struct sim *sim, struct sim_agent *agent)
{
    int64_t sent_ms = sim->now_ms;
    if (sim->faults) { sim->now_ms += (int64_t)rng_below(&sim->rng, LATE_MS); }
    sim_time_passes(sim);
    agent->heard_ms = sim->now_ms;
    if (!agent->online) { set_presence(sim, agent, true); }
    if (!agent->online || (sim->faults && rng_below(&sim->rng, 5) == 0)) { return; }
    agent->sent_ms = sent_ms;
    agent->lies = false;

    struct arena arena = { 0 };
    arena_init(&arena, ARENA_SIZE);
    struct store_txn *txn = store_read_begin(sim->store);
    struct op_ctx ctx = sim_reader(sim, txn, &arena);
    struct work_list work;
    const struct wire_payload *payloads[SIM_REPORTS_MAX];
    const struct wire_manifest *manifest = work_manifest(&ctx, agent->instance);
    size_t room = agent->report_count < SIM_REPORTS_MAX / 2 ? SIM_REPORTS_MAX / 2 - agent->report_count : 0, count = 0;
    bool told = agent->woken || (sim->faults && rng_below(&sim->rng, 4) == 0);
    if (told && work_for_instance(&ctx, agent->instance, &work)) { count = choose_payloads(sim, agent, &ctx, &work, room / 2, payloads); }
    const struct instance *instance = store_instance(txn, agent->instance, &arena);
    struct wire_pull_list pulls = { NULL, 0 };
    if (told && instance != NULL) { pulls = work_pulls(&ctx, instance); }
    if (!store_read_end(txn)) {
        sim_fail(sim, "work can't be read", agent->arn);
    }
    report_pulled(sim, agent, &pulls, &arena);
    bool manifest_lost = sim->faults && rng_below(&sim->rng, 4) != 0;
    if (!manifest_lost && manifest != NULL) { take_manifest(sim, agent, manifest); }
    for (size_t p = 0; p < count; p++) {
        take_payload(sim, agent, &payloads[p]->tasks.items[0]);
    }
    arena_finish(&arena);
}

struct str sim_report_body(const struct sim_report *report, struct arena *arena)
{
    struct str exit_part = strcmp(report->status, "STOPPED") == 0 ? arena_printf(arena, ",\"exitCode\":%d", report->exit_code) : STR("");
    struct str health = report->health != NULL ? arena_printf(arena, ",\"healthStatus\":\"%s\"", report->health) : STR("");
    return arena_printf(arena, "{\"task\":\"%s\",\"status\":\"%s\",\"containers\":[{\"containerName\":\"a\",\"status\":\"%s\"" STR_FMT STR_FMT "}]}",
                        report->arn, report->status, report->status, STR_ARG(exit_part), STR_ARG(health));
}

static void note_end(struct sim *sim, struct sim_agent *agent, struct str arn)
{
    struct id id;
    struct sim_run *run = find_run(agent, arn);
    if (run != NULL) { run->end_heard = true; }
    if (!id_parse(str_slice(arn, arn.len - ID_HEX_LEN, arn.len), &id)) { sim_fail(sim, "a report without an ARN", arn.ptr); }
    for (size_t t = 0; t < sim->task_count; t++) { sim->tasks[t].end_heard = sim->tasks[t].end_heard || id_eq(sim->tasks[t].id, id); }
}

void sim_report_heard(struct sim *sim, struct sim_agent *agent, const struct sim_report *report, bool kept)
{
    if (kept && strcmp(report->status, "STOPPED") == 0) { note_end(sim, agent, str_from(report->arn)); }
    for (size_t r = 0; r < agent->report_count; r++) {
        const struct sim_report *waiting = &agent->reports[r];
        if (strcmp(waiting->arn, report->arn) != 0 || waiting->status != report->status || waiting->health != report->health) { continue; }
        memmove(&agent->reports[r], &agent->reports[r + 1], (agent->report_count - r - 1) * sizeof *waiting);
        agent->report_count--;
        return;
    }
}

/* One report goes out: any of those that wait, and with faults it may stay and be said again. */
static void report(struct sim *sim, struct sim_agent *agent)
{
    if (agent->report_count == 0) {
        return;
    }
    struct sim_report said = agent->reports[sim->faults ? rng_below(&sim->rng, agent->report_count) : 0];
    struct arena arena = { 0 };
    struct str reply;
    struct err err;
    arena_init(&arena, ARENA_SIZE);
    bool kept = sim_call(sim, "SubmitTaskStateChange", sim_report_body(&said, &arena), &arena, &reply, &err);
    bool repeat = sim->faults && rng_below(&sim->rng, 5) == 0;
    if ((kept || err.code == ERR_INVALID_PARAMETER) && !repeat) { sim_report_heard(sim, agent, &said, kept); }
    arena_finish(&arena);
}

static bool chance(struct sim *sim, uint64_t one_in) { return one_in > 0 && rng_below(&sim->rng, one_in) == 0; }

/* The first check passes, later ones may not. */
static void check_health(struct sim *sim, struct sim_agent *agent, struct sim_run *run)
{
    static const char *const healthy = "HEALTHY", *const sick = "UNHEALTHY";
    const char *now = run->health == NULL || sim->mood.sickens == 0 ? healthy : chance(sim, sim->mood.sickens) ? sick : run->health;
    if (now == run->health || agent->dead) { return; }
    run->health = now;
    queue_report(sim, agent, run->arn, "RUNNING", 0);
}

/* Something happens on the machine itself: a container comes up, or ends by itself. */
static void live(struct sim *sim, struct sim_agent *agent)
{
    for (size_t r = 0; r < agent->run_count; r++) {
        struct sim_run *run = &agent->runs[r];
        if (agent->report_count >= SIM_REPORTS_MAX - 2 || !run->active || rng_below(&sim->rng, 2) == 0) {
            continue;
        }
        if (!run->running && chance(sim, sim->mood.fails)) {
            end_run(sim, agent, run, 1);
        } else if (!run->running) {
            run->running = true;
            if (!agent->dead) { queue_report(sim, agent, run->arn, "RUNNING", 0); }
        } else if (chance(sim, sim->mood.exits)) {
            end_run(sim, agent, run, (int)rng_below(&sim->rng, 3));
        } else if (run->checked) {
            check_health(sim, agent, run);
        }
    }
}

/* The agent is killed and comes back: reports that it had not sent are gone from its memory, the containers are as they are. It sends again some of those that
 * were acknowledged. */
static void restart(struct sim *sim, struct sim_agent *agent)
{
    agent->report_count = 0;
    agent->woken = true;
    if (!agent->cut) { sim_register(sim, agent); }
    for (size_t r = 0; r < agent->run_count; r++) {
        const struct sim_run *run = &agent->runs[r];
        if (run->end_heard && rng_below(&sim->rng, 8) != 0) { continue; }
        if (run->running || !run->active) { queue_report(sim, agent, run->arn, run->active ? "RUNNING" : "STOPPED", run->exit_code); }
    }
}

/* ---- leases ---- */

static void end_lease(struct sim *sim, struct sim_agent *agent)
{
    for (size_t r = 0; r < agent->run_count; r++) {
        if (agent->runs[r].active && agent->report_count < SIM_REPORTS_MAX - 2) { end_run(sim, agent, &agent->runs[r], 137); }
    }
}

/* In pieces, between which it may come back. Whatever an honest agent that lives still runs then would be counted as ended: that is what leases are for. */
static void fence(struct sim *sim, struct sim_agent *agent)
{
    for (size_t r = 0; r < agent->run_count; r++) {
        if (agent->runs[r].active && !agent->dead && !agent->lies) {
            sim_fail(sim, "a task is fenced while its agent lives and runs it", agent->runs[r].arn);
        }
    }
    struct arena arena = { 0 };
    struct api_call call;
    arena_init(&arena, ARENA_SIZE);
    api_prepare_fence(&(struct machine_batch){ &agent->instance, 1, 1 + (size_t)rng_below(&sim->rng, 4) }, &arena, &call);
    if (sim_internal(sim, &call, &arena) && api_machines_done(&call) == 1) {
        sim->fences++;
        agent->heard_ms = INT64_MAX / 2;     /* until it comes back */
    }
    arena_finish(&arena);
}

void sim_time_passes(struct sim *sim)
{
    for (size_t a = 0; a < sim->agent_count; a++) {
        struct sim_agent *agent = &sim->agents[a];
        if (agent->lease_ms > 0 && !agent->dead && sim->now_ms >= agent->sent_ms + agent->lease_ms) { end_lease(sim, agent); }
    }
    for (size_t a = 0; a < sim->agent_count; a++) {
        struct sim_agent *agent = &sim->agents[a];
        if (agent->online && sim->now_ms - agent->heard_ms > LOST_MS) { set_presence(sim, agent, false); }
        int64_t over_ms = agent->heard_ms + agent->lease_ms + (int64_t)FENCE_MARGIN_S * 1000;
        if (!agent->online && agent->lease_ms > 0 && sim->now_ms >= over_ms) { fence(sim, agent); }
    }
}

/* It counts all leases from the start, and every agent connects again. */
void sim_server_restarts(struct sim *sim)
{
    for (size_t a = 0; a < sim->agent_count; a++) {
        sim->agents[a].heard_ms = sim->now_ms;
        sim->agents[a].woken = true;
    }
}

/* The agent dies, or is started again; the network goes, or is back. */
static void trouble(struct sim *sim, struct sim_agent *agent)
{
    if (agent->dead) {
        agent->dead = false;
        agent->report_count = 0;
        bool forgets = sim->faults && rng_below(&sim->rng, 4) != 0;
        agent->lies = agent->lies || forgets;
        if (forgets) { agent->sent_ms = sim->now_ms; }
        sim_time_passes(sim);
        restart(sim, agent);
    } else if (rng_below(&sim->rng, 2) == 0) {
        agent->dead = true;
        agent->report_count = 0;
    } else {
        agent->cut = !agent->cut;
        agent->woken = true;
    }
}

void sim_agent_step(struct sim *sim)
{
    struct sim_agent *agent = sim_random_agent(sim);
    uint64_t dice = rng_below(&sim->rng, 100);
    bool away = agent->cut || agent->dead;
    if (dice < 4 || (away && dice < 12)) {
        trouble(sim, agent);
    } else if (dice < 75 && away) {
        return;
    } else if (dice < 35) {
        poll(sim, agent);
    } else if (dice < 75) {
        report(sim, agent);
    } else if (dice < 97) {
        live(sim, agent);
    } else if (!away) {
        restart(sim, agent);
    }
}

void sim_stop_everything(struct sim *sim)
{
    for (size_t t = 0; t < sim->task_count; t++) {
        struct arena arena = { 0 };
        struct str reply;
        struct err err;
        char hex[ID_HEX_LEN + 1];
        arena_init(&arena, ARENA_SIZE);
        id_hex(sim->tasks[t].id, hex);
        (void)sim_call(sim, "StopTask", arena_printf(&arena, "{\"task\":\"%s\"}", hex), &arena, &reply, &err);
        arena_finish(&arena);
    }
}

void sim_agents_live(struct sim *sim)
{
    for (size_t a = 0; a < sim->agent_count; a++) { live(sim, &sim->agents[a]); }
}

void sim_agents_stay(struct sim *sim)
{
    for (size_t a = 0; a < sim->agent_count; a++) {
        struct sim_agent *agent = &sim->agents[a];
        if (agent->online && !agent->cut && !agent->dead) { agent->sent_ms = agent->heard_ms = sim->now_ms; }
    }
}

void sim_agents_forget(struct sim *sim)
{
    struct arena arena = { 0 };
    arena_init(&arena, ARENA_SIZE);
    struct store_txn *txn = store_read_begin(sim->store);
    for (size_t a = 0; a < sim->agent_count; a++) {
        struct sim_agent *agent = &sim->agents[a];
        size_t kept = 0;
        for (size_t r = 0; r < agent->run_count; r++) {
            if (agent->runs[r].active || store_task(txn, agent->runs[r].task, &arena) != NULL) { agent->runs[kept++] = agent->runs[r]; }
            arena_reset(&arena);
        }
        agent->run_count = kept;
    }
    if (!store_read_end(txn)) { sim_fail(sim, "a read failed", "runs"); }
    arena_finish(&arena);
}

/* Whether it had something to do. */
static bool settle_agent(struct sim *sim, struct sim_agent *agent)
{
    bool busy = agent->dead || agent->cut || agent->woken;
    if (agent->dead) { trouble(sim, agent); }
    agent->cut = false;
    poll(sim, agent);
    busy = busy || agent->report_count > 0;
    while (agent->report_count > 0) { report(sim, agent); }
    return busy;
}

/* From here on a machine gets its work only when an effect wakes it. */
void sim_agents_settle(struct sim *sim)
{
    bool busy = true;
    for (int round = 0; busy && round < SETTLE_ROUNDS_MAX; round++) {
        busy = false;
        for (size_t a = 0; a < sim->agent_count; a++) { busy = settle_agent(sim, &sim->agents[a]) || busy; }
    }
    if (busy) { sim_fail(sim, "the machines do not come to rest", ""); }
}
