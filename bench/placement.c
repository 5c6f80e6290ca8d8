/* placement: offers the tasks of a trace one by one to a cluster and measures how much of its GPUs ends up allocated. A task is
 * placed or dropped permanently; nothing that fits is declined. The experiment is described in
 * bench/results/2026-11-22-placement.md.
 *
 *   placement --nodes FILE --pods FILE --order FILE [--noderank FILE] --policy NAME|default [--json] [--csv FILE]
 *             [--ties first|random] [--copies N]
 *
 * --order and --noderank may be given several times, one run each. Of machines that cost the same the first in the node rank is taken. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "bench/placement.h"
#include "scheduler/place/policy.h"

enum { ORDERS_MAX = 64, PERCENT_MAX = 400, KIND_COUNT = 6 };
static const char *const kind_names[KIND_COUNT] = { "none", "share", "gpu1", "gpu2", "gpu4", "gpu8" };

struct options {
    const char *nodes, *pods, *orders[ORDERS_MAX], *ranks[ORDERS_MAX], *policy, *csv;
    size_t order_count, rank_count, copies;
    bool json, random_ties;
};

/* The strategies of ECS as Berth has them: where instances are equal, by gpu-mix. */
static const struct { const char *name; struct strategy strategy; } strategies[] = {
    { "binpack-cpu",     { STRATEGY_BINPACK, STR_INIT("cpu") }        },
    { "binpack-memory",  { STRATEGY_BINPACK, STR_INIT("memory") }     },
    { "spread-instance", { STRATEGY_SPREAD,  STR_INIT("instanceId") } },
};

struct run {
    const struct trace *trace;
    const struct options *options;
    struct world *world;
    struct strategy strategies[2]; size_t strategy_count;
    struct demand *demands;                                      /* by task */
    struct outlook *outlook;                                     /* for the measure of fragmentation alone */

    size_t count;
    struct machine *machines;                                    /* separate books, in node rank order: a placed task must fit */
    int16_t (*free)[DEVICES_MAX];

    int64_t arrived, allocated;                                  /* thousandths */
    double fragments, frag_sum[PERCENT_MAX], sum[PERCENT_MAX];
    size_t samples[PERCENT_MAX];
    double first_rejection;                                      /* in % of capacity; below 0: none */
    size_t offered[KIND_COUNT], accepted[KIND_COUNT];
    double us_sum, us_most, us_placed, us_placed_most;           /* of all decisions; of those that found a place */
    uint32_t decisions, placed;
};
enum { CLUSTER = 1 };

/* The time of this thread's own work: a machine that others use as well would else be measured instead. */
static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static size_t task_kind(const struct trace_task *task)
{
    if (task->devices == 0) { return 0; }
    return 1 + (size_t)task_size_of((uint32_t)task->devices, task->share == DEVICE_WHOLE);
}

/* ---- numbers as ids, which sort alike ---- */
static struct id id_of(uint32_t number)
{
    struct id id = { { 0 } };
    for (size_t b = 0; b < sizeof number; b++) { id.bytes[b] = (uint8_t)(number >> (24 - 8 * b)); }
    return id;
}

static uint32_t number_of(struct id id)
{
    uint32_t number = 0;
    for (size_t b = 0; b < sizeof number; b++) { number = number << 8 | id.bytes[b]; }
    return number;
}

/* ---- a cluster ---- */
static const struct rig *rig_of(int32_t devices)
{
    static struct rig rigs[DEVICES_MAX + 1];
    rigs[devices].count = (uint32_t)devices;
    return &rigs[devices];
}

static double run_fragments(const struct run *run, size_t m)
{
    struct outlook_state state = outlook_state(&run->machines[m]);
    return (double)outlook_measure(run->outlook, &state).fragments / (double)run->outlook->weight;
}

static void put_machine(struct run *run, size_t m, const struct trace_node *node, struct arena *arena)
{
    struct sched_gpu gpus[DEVICES_MAX];
    struct sched_attribute model = { STR("berth.gpu-model"), run->trace->models[node->model] };
    for (int32_t slot = 0; slot < node->devices; slot++) {
        run->free[m][slot] = DEVICE_WHOLE;
        gpus[slot] = (struct sched_gpu){ .uuid = arena_printf(arena, "GPU-%zu-%d", m, slot), .model = model.value };
    }
    run->machines[m] = (struct machine){ .cpu = node->cpu, .memory = node->memory, .cpu_free = node->cpu, .memory_free = node->memory,
                                         .kind = node->model, .rig = rig_of(node->devices), .device_free = run->free[m] };
    sched_put_instance(run->world, &(struct sched_instance){
        .id = id_of((uint32_t)m + 1), .cluster = CLUSTER, .active = true, .connected = true, .cpu = node->cpu, .memory_mib = node->memory,
        .gpus = gpus, .gpu_count = (size_t)node->devices, .attributes = &model, .attribute_count = 1,
    });
}

/* "A|B" as a constraint on the instance's attribute. */
static const struct expression *expression_of(const struct trace *trace, uint32_t spec, struct arena *arena)
{
    struct buf text = buf_in(arena);
    struct str name, rest = trace->specs[spec];
    buf_put(&text, STR("attribute:berth.gpu-model in ["));
    for (bool more = true; more;) {
        struct str tail;
        more = str_cut(rest, '|', &name, &tail);
        buf_printf(&text, STR_FMT "%s", STR_ARG(str_trim(name)), more ? ", " : "]");
        rest = tail;
    }
    struct err err = { 0 };
    const struct expression *expression = expression_compile(buf_str(&text), arena, &err);
    if (expression == NULL) {
        fprintf(stderr, "gpu_spec " STR_FMT ": %s\n", STR_ARG(trace->specs[spec]), err.message);
        exit(1);
    }
    return expression;
}

static void run_demands(struct run *run, struct arena *arena)
{
    const struct trace *trace = run->trace;
    const struct expression **specs = ARENA_NEW(arena, const struct expression *, trace->spec_count);
    for (uint32_t spec = 1; spec < trace->spec_count; spec++) { specs[spec] = expression_of(trace, spec, arena); }
    run->demands = ARENA_NEW(arena, struct demand, trace->task_count);
    for (size_t t = 0; t < trace->task_count; t++) {
        const struct trace_task *task = &trace->tasks[t];
        run->demands[t] = (struct demand){
            .cluster = CLUSTER, .cpu = task->cpu, .memory_mib = task->memory, .container_count = 1, .gpus = { { task->devices, task->share, 0 } },
            .expressions = &specs[task->spec], .expression_count = task->spec > 0, .group = STR("family:trace"),
            .strategies = run->strategies, .strategy_count = run->strategy_count,
        };
    }
}

static void run_begin(struct run *run, const uint32_t *rank, struct arena *arena)
{
    const struct trace *trace = run->trace;
    run->count = trace->node_count;
    run->machines = ARENA_NEW(arena, struct machine, run->count);
    run->free = arena_alloc(arena, run->count, sizeof *run->free);
    run->outlook = trace_outlook(trace, arena);
    run->world = sched_world_create(arena);
    run->first_rejection = -1;
    size_t *at = ARENA_NEW(arena, size_t, run->count);           /* the node of each place */
    for (size_t n = 0; n < run->count; n++) { at[rank == NULL ? n : rank[n]] = n; }
    for (size_t m = 0; m < run->count; m++) {
        put_machine(run, m, &trace->nodes[at[m]], arena);
        run->fragments += run_fragments(run, m);
    }
    run_demands(run, arena);
    sched_set_usual(run->world, CLUSTER, run->demands, trace->task_times, trace->task_count);
}

/* ---- a decision, and our own books of it ---- */
static bool machine_could(const struct run *run, size_t m, const struct trace_task *task)
{
    const struct machine *machine = &run->machines[m];
    if (machine->cpu_free < task->cpu || machine->memory_free < task->memory || !trace_fits(run->trace, task->spec, machine->kind)) { return false; }
    int32_t devices = 0;
    for (uint32_t slot = 0; slot < machine->rig->count; slot++) { devices += run->free[m][slot] >= task->share; }
    return devices >= task->devices;
}

static void book(struct run *run, const struct trace_task *task, const struct placement *placement)
{
    size_t m = number_of(placement->instance) - 1;
    struct machine *machine = &run->machines[m];
    ASSERT(machine_could(run, m, task));
    run->fragments -= run_fragments(run, m);
    for (uint64_t left = placement->gpu_slots[0]; left != 0; left &= left - 1) {
        int16_t *free = &run->free[m][__builtin_ctzll(left)];
        ASSERT(*free >= task->share);
        *free = (int16_t)(*free - task->share);
    }
    ASSERT(__builtin_popcountll(placement->gpu_slots[0]) == task->devices);
    machine->cpu_free -= task->cpu;
    machine->memory_free -= task->memory;
    run->fragments += run_fragments(run, m);
}

static void sample(struct run *run)
{
    double capacity = (double)run->trace->capacity, arrived = 100 * (double)run->arrived / capacity;
    long percent = lround(arrived);
    if (percent >= PERCENT_MAX) { return; }
    run->sum[percent] += round(10000 * (double)run->allocated / capacity) / 100;   /* the published series has two digits */
    run->frag_sum[percent] += 100 * run->fragments / capacity;
    run->samples[percent]++;
}

static void run_offer(struct run *run, uint32_t number)
{
    const struct trace_task *task = &run->trace->tasks[number];
    struct demand *demand = &run->demands[number];
    struct id id = id_of(++run->decisions);
    struct placement placement;
    demand->seed = run->decisions;
    double began = now_us();
    bool placed = sched_place(run->world, demand, &id, 1, false, &placement, NULL) == 1;
    double took = now_us() - began;
    run->us_sum += took;
    run->us_most = took > run->us_most ? took : run->us_most;

    int64_t asks = (int64_t)task->devices * task->share;
    run->arrived += asks;
    run->offered[task_kind(task)]++;
    if (placed) {
        book(run, task, &placement);
        run->placed++;
        run->us_placed += took;
        run->us_placed_most = took > run->us_placed_most ? took : run->us_placed_most;
        run->allocated += asks;
        run->accepted[task_kind(task)]++;
    } else {
        for (size_t m = 0; m < run->count; m++) { ASSERT(!machine_could(run, m, task)); }    /* nothing that fits is declined */
        if (asks > 0 && run->first_rejection < 0) { run->first_rejection = 100 * (double)run->arrived / (double)run->trace->capacity; }
    }
    sample(run);
}

/* ---- results ---- */
/* The average over the arrivals at which demand came to `percent` whole per cent of the capacity, as published; NAN: there were none. */
static double at_percent(const struct run *run, const double *sum, size_t percent)
{
    return run->samples[percent] == 0 ? (double)NAN : sum[percent] / (double)run->samples[percent];
}

static void print_number(const char *name, double value)
{
    if (isnan(value)) {
        printf("\"%s\":null,", name);
    } else {
        printf("\"%s\":%.4f,", name, value);
    }
}

static void print_json(const struct run *run, size_t number)
{
    const struct options *options = run->options;
    static const size_t percents[] = { 90, 95, 100, 110, 120, 130 };
    printf("{\"policy\":\"%s\",\"order\":\"%s\",", options->policy, options->orders[number]);
    for (size_t p = 0; p < COUNT_OF(percents); p++) {
        char name[32];
        snprintf(name, sizeof name, "alloc_at_%zu", percents[p]);
        print_number(name, at_percent(run, run->sum, percents[p]));
    }
    print_number("frag_at_100", at_percent(run, run->frag_sum, 100));
    print_number("frag_at_130", at_percent(run, run->frag_sum, 130));
    print_number("alloc_at_end", 100 * (double)run->allocated / (double)run->trace->capacity);
    print_number("first_rejection_at", run->first_rejection < 0 ? (double)NAN : run->first_rejection);
    print_number("us_per_decision_mean", run->us_sum / (double)run->decisions);
    print_number("us_per_decision_max", run->us_most);
    print_number("us_per_placed_mean", run->us_placed / (double)run->placed);
    print_number("us_per_placed_max", run->us_placed_most);
    printf("\"decisions\":%u,\"acceptance\":{", run->decisions);
    for (size_t k = 0; k < KIND_COUNT; k++) {
        printf("%s\"%s\":", k == 0 ? "" : ",", kind_names[k]);
        if (run->offered[k] == 0) {
            printf("null");
        } else {
            printf("%.4f", 100 * (double)run->accepted[k] / (double)run->offered[k]);
        }
    }
    printf("}}\n");
    fflush(stdout);
}

static void print_text(const struct run *run, size_t number)
{
    const struct options *options = run->options;
    printf("%s, %s: %.2f %% of the GPUs allocated at 100 %% arrived, %.2f %% at 130 %%, %.2f %% at the end; first rejection at %.2f %%\n",
           options->policy, options->orders[number], at_percent(run, run->sum, 100), at_percent(run, run->sum, 130),
           100 * (double)run->allocated / (double)run->trace->capacity, run->first_rejection);
}

/* ---- the command line ---- */
static _Noreturn void usage(const char *complaint, const char *detail)
{
    fprintf(stderr, "placement: %s %s\nusage: placement --nodes FILE --pods FILE --order FILE [--noderank FILE] --policy NAME|default [--json] "
                    "[--csv FILE] [--ties first|random] [--copies N]\n", complaint, detail);
    exit(2);
}

static void parse_option(struct options *options, const char *name, const char *value)
{
    struct str key = str_from(name), text = str_from(value);
    int64_t copies = 0;
    if (str_eq(key, STR("--nodes"))) {
        options->nodes = value;
    } else if (str_eq(key, STR("--pods"))) {
        options->pods = value;
    } else if (str_eq(key, STR("--policy"))) {
        options->policy = value;
    } else if (str_eq(key, STR("--csv"))) {
        options->csv = value;
    } else if (str_eq(key, STR("--order")) && options->order_count < ORDERS_MAX) {
        options->orders[options->order_count++] = value;
    } else if (str_eq(key, STR("--noderank")) && options->rank_count < ORDERS_MAX) {
        options->ranks[options->rank_count++] = value;
    } else if (str_eq(key, STR("--ties")) && (str_eq(text, STR("first")) || str_eq(text, STR("random")))) {
        options->random_ties = str_eq(text, STR("random"));
    } else if (str_eq(key, STR("--copies")) && str_to_i64(text, &copies) && copies >= 1 && copies <= 100) {
        options->copies = (size_t)copies;
    } else {
        usage("can't be understood:", name);
    }
}

static struct options parse(int argc, char **argv)
{
    struct options options = { .copies = 1, .policy = "default" };
    for (int a = 1; a < argc; a++) {
        if (str_eq(str_from(argv[a]), STR("--json"))) {
            options.json = true;
            continue;
        }
        if (a + 1 == argc) { usage("no value for", argv[a]); }
        parse_option(&options, argv[a], argv[a + 1]);
        a++;
    }
    if (options.nodes == NULL || options.pods == NULL || options.order_count == 0) { usage("wants", "--nodes, --pods and --order"); }
    if (options.rank_count != 0 && options.rank_count != options.order_count) { usage("wants", "a --noderank for each --order, or none"); }
    return options;
}

/* "default" is what a demand without strategies gets. */
static void choose_policy(struct run *run, const char *name)
{
    struct str wanted = str_from(name);
    const struct policy *policy = policy_find(wanted);
    if (policy != NULL) { run->strategies[run->strategy_count++] = (struct strategy){ STRATEGY_BINPACK, policy->name }; }
    for (size_t s = 0; s < COUNT_OF(strategies); s++) {
        if (str_eq(wanted, str_from(strategies[s].name))) { run->strategies[run->strategy_count++] = strategies[s].strategy; }
    }
    if (run->strategy_count == 0 && !str_eq(wanted, STR("default"))) { usage("no such policy:", name); }
    if (run->options->random_ties || str_eq(wanted, STR("random"))) { run->strategies[run->strategy_count++] = (struct strategy){ .kind = STRATEGY_RANDOM }; }
}

/* A rank must give every node a different place. With copies, each copy follows the one before. */
static uint32_t *read_rank(const struct trace *trace, const char *path, size_t copies, struct arena *arena)
{
    size_t count = 0, nodes = trace->node_count / copies;
    uint32_t *rank = trace_read_numbers(path, nodes, &count, arena), *all = ARENA_NEW(arena, uint32_t, trace->node_count);
    uint8_t *seen = ARENA_NEW(arena, uint8_t, nodes);
    for (size_t n = 0; n < count; n++) { seen[rank[n]] = 1; }
    for (size_t n = 0; n < nodes; n++) {
        if (count != nodes || !seen[n]) {
            fprintf(stderr, "%s: is not an order of %zu nodes\n", path, nodes);
            exit(1);
        }
    }
    for (size_t n = 0; n < trace->node_count; n++) { all[n] = rank[n % nodes] + (uint32_t)(n / nodes * nodes); }
    return all;
}

static void print_curve(const struct run *run, FILE *csv, size_t number)
{
    for (size_t percent = 0; percent < PERCENT_MAX; percent++) {
        if (run->samples[percent] == 0) { continue; }
        fprintf(csv, "%s,%zu,%zu,%.4f\n", run->options->policy, number, percent, at_percent(run, run->sum, percent));
    }
}

static void run_order(const struct trace *trace, const struct options *options, size_t number, FILE *csv)
{
    struct arena arena = { 0 };
    arena_init(&arena, (size_t)1 << 32);
    struct run *run = ARENA_NEW(&arena, struct run, 1);
    run->trace = trace;
    run->options = options;
    choose_policy(run, options->policy);
    run_begin(run, options->rank_count == 0 ? NULL : read_rank(trace, options->ranks[number], options->copies, &arena), &arena);
    size_t count = 0;
    const uint32_t *order = trace_read_numbers(options->orders[number], trace->row_count, &count, &arena);
    for (size_t a = 0; a < count * options->copies; a++) { run_offer(run, trace->rows[order[a / options->copies]]); }
    if (options->json) {
        print_json(run, number);
    } else {
        print_text(run, number);
    }
    if (csv != NULL) { print_curve(run, csv, number); }
    arena_finish(&arena);
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    struct arena arena = { 0 };
    arena_init(&arena, (size_t)1 << 30);
    struct trace trace = { 0 };
    trace_read_nodes(&trace, options.nodes, &arena);
    trace_read_tasks(&trace, options.pods, &arena);
    trace_copy_nodes(&trace, options.copies, &arena);
    FILE *csv = options.csv == NULL ? NULL : fopen(options.csv, "w");
    if (options.csv != NULL && csv == NULL) {
        perror(options.csv);
        return 1;
    }
    if (csv != NULL) { fprintf(csv, "policy,order,arrived,allocated\n"); }
    for (size_t number = 0; number < options.order_count; number++) { run_order(&trace, &options, number, csv); }
    if (csv != NULL) { fclose(csv); }
    arena_finish(&arena);
    return 0;
}
