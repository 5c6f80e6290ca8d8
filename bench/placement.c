/* placement: offers the tasks of a trace one by one to a cluster and measures how much of its GPUs ends up allocated. A task is
 * placed or dropped for good; nothing that fits is declined. The experiment is described in bench/README.md.
 *
 *   placement --nodes FILE --pods FILE --order FILE [--noderank FILE] --policy NAME|default [--json] [--csv FILE]
 *             [--ties first|random] [--copies N]
 *
 * --order and --noderank may be given several times, one run each. Of machines that cost the same the first in the node rank is taken. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/rng.h"
#include "bench/placement.h"
#include "scheduler/policy.h"

enum { ORDERS_MAX = 64, PERCENT_MAX = 400, KIND_COUNT = 6 };
static const char *const kind_names[KIND_COUNT] = { "none", "share", "gpu1", "gpu2", "gpu4", "gpu8" };

struct options {
    const char *nodes, *pods, *orders[ORDERS_MAX], *ranks[ORDERS_MAX], *policy, *csv;
    size_t order_count, rank_count, copies;
    bool json, random_ties;
};

struct run {
    const struct trace *trace;
    struct outlook *outlook;
    const struct policy *policy;
    int32_t (*rank)(const struct machine *machine);              /* instead of the policy's cost; the policy then only says what fits */
    bool random_ties, random_device;
    struct rng rng;

    size_t count;
    struct machine *machines;                                    /* in node rank order */
    int16_t (*free)[DEVICES_MAX];
    uint32_t *version;
    int32_t **cost;                                              /* [task][machine], as of … */
    uint32_t **known;                                            /* … this version */
    struct ask *asks;
    struct outlook_stake *stakes;                                /* by machine */

    int64_t arrived, allocated;                                  /* thousandths */
    double fragments, frag_sum[PERCENT_MAX], sum[PERCENT_MAX];
    size_t samples[PERCENT_MAX];
    double first_rejection;                                      /* in % of capacity; below 0: none */
    size_t offered[KIND_COUNT], accepted[KIND_COUNT];
    double us_sum, us_most;
    size_t decisions;
};

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static size_t task_kind(const struct trace_task *task)
{
    if (task->devices == 0) { return 0; }
    return 1 + (size_t)task_size_of((uint32_t)task->devices, task->share == DEVICE_WHOLE);
}

/* ---- the strategies of ECS, and chance ---- */
static int32_t rank_cpu(const struct machine *machine) { return machine->cpu_free; }
static int32_t rank_memory(const struct machine *machine) { return machine->memory_free; }
static int32_t rank_tasks(const struct machine *machine) { return (int32_t)machine->task_count; }
static int32_t rank_none(const struct machine *machine) { return (void)machine, 0; }
static const struct { const char *name; int32_t (*rank)(const struct machine *machine); } ranks[] = {
    { "binpack-cpu", rank_cpu }, { "binpack-memory", rank_memory }, { "spread-instance", rank_tasks }, { "random", rank_none },
};

/* ---- a cluster ---- */
static const struct rig *rig_of(int32_t devices)
{
    static struct rig rigs[DEVICES_MAX + 1];
    rigs[devices].count = (uint32_t)devices;
    return &rigs[devices];
}

static void run_stake(struct run *run, size_t m)
{
    struct outlook_stake was = run->stakes[m];
    run->stakes[m] = outlook_stake(run->outlook, &run->machines[m]);
    if (!outlook_exchange(run->outlook, &was, &run->stakes[m])) { return; }
    for (size_t n = 0; n < run->count; n++) { run->version[n] += outlook_concerns(run->outlook, &run->stakes[n]); }
}

static double run_fragments(const struct run *run, size_t m)
{
    struct outlook_state state = outlook_state(&run->machines[m]);
    return (double)outlook_measure(run->outlook, &state).fragments / (double)run->outlook->weight;
}

static void run_begin(struct run *run, const uint32_t *rank, struct arena *arena)
{
    const struct trace *trace = run->trace;
    run->count = trace->node_count;
    run->machines = ARENA_NEW(arena, struct machine, run->count);
    run->free = arena_alloc(arena, run->count, sizeof *run->free);
    run->version = ARENA_NEW(arena, uint32_t, run->count);
    run->stakes = ARENA_NEW(arena, struct outlook_stake, run->count);
    run->cost = ARENA_NEW(arena, int32_t *, trace->task_count);
    run->known = ARENA_NEW(arena, uint32_t *, trace->task_count);
    run->asks = ARENA_NEW(arena, struct ask, trace->task_count);
    run->first_rejection = -1;
    for (size_t t = 0; t < trace->task_count; t++) {
        const struct trace_task *task = &trace->tasks[t];
        run->asks[t] = (struct ask){ .cpu = task->cpu, .memory = task->memory, .part_count = 1, .parts = { { task->devices, task->share, 0 } } };
    }
    size_t *at = ARENA_NEW(arena, size_t, run->count);           /* the node of each place */
    for (size_t n = 0; n < run->count; n++) { at[rank == NULL ? n : rank[n]] = n; }
    for (size_t m = 0; m < run->count; m++) {
        const struct trace_node *node = &trace->nodes[at[m]];
        for (int32_t slot = 0; slot < node->devices; slot++) { run->free[m][slot] = DEVICE_WHOLE; }
        run->machines[m] = (struct machine){ .cpu = node->cpu, .memory = node->memory, .cpu_free = node->cpu, .memory_free = node->memory,
                                             .kind = node->model, .rig = rig_of(node->devices), .device_free = run->free[m] };
        run->version[m] = 1;
    }
    for (size_t m = 0; m < run->count; m++) {
        run->stakes[m] = outlook_stake(run->outlook, &run->machines[m]);
        outlook_add(run->outlook, &run->stakes[m]);
        run->fragments += run_fragments(run, m);
    }
    outlook_settle(run->outlook);
}

/* ---- a decision ---- */
static int32_t machine_cost(const struct run *run, size_t m, uint32_t task)
{
    const struct machine *machine = &run->machines[m];
    const struct ask *ask = &run->asks[task];
    if (machine->cpu_free < ask->cpu || machine->memory_free < ask->memory) { return COST_NONE; }
    if (!trace_fits(run->trace, run->trace->tasks[task].spec, machine->kind)) { return COST_NONE; }
    int32_t cost = policy_cost(run->policy, run->outlook, machine, ask, NULL);
    return cost == COST_NONE || run->rank == NULL ? cost : run->rank(machine);
}

/* The machine that costs least, or `count` when none can take the task. */
static size_t run_decide(struct run *run, uint32_t task)
{
    size_t best = run->count, ties = 0;
    int32_t least = COST_NONE, *cost = run->cost[task];
    uint32_t *known = run->known[task];
    for (size_t m = 0; m < run->count; m++) {
        if (known[m] != run->version[m]) {
            known[m] = run->version[m];
            cost[m] = machine_cost(run, m, task);
        }
        if (cost[m] > least || cost[m] == COST_NONE) { continue; }
        if (cost[m] == least && !run->random_ties) { continue; }
        ties = cost[m] == least ? ties + 1 : 1;
        least = cost[m];
        if (ties == 1 || rng_below(&run->rng, ties) == 0) { best = m; }
    }
    return best;
}

/* One of the devices that a share fits on. */
static uint64_t random_device(struct run *run, size_t m, int32_t share)
{
    uint64_t chosen = 0, fits = 0;
    for (uint32_t slot = 0; slot < run->machines[m].rig->count; slot++) {
        if (run->free[m][slot] < share) { continue; }
        if (rng_below(&run->rng, ++fits) == 0) { chosen = (uint64_t)1 << slot; }
    }
    return chosen;
}

static void run_place(struct run *run, size_t m, uint32_t task)
{
    struct machine *machine = &run->machines[m];
    const struct trace_task *wants = &run->trace->tasks[task];
    struct choice choice;
    ASSERT(policy_cost(run->policy, run->outlook, machine, &run->asks[task], &choice) != COST_NONE);
    if (run->random_device && wants->devices > 0 && wants->share < DEVICE_WHOLE) { choice.slots[0] = random_device(run, m, wants->share); }
    run->fragments -= run_fragments(run, m);
    for (uint64_t left = choice.slots[0]; left != 0; left &= left - 1) {
        int16_t *free = &run->free[m][__builtin_ctzll(left)];
        ASSERT(*free >= wants->share);
        *free = (int16_t)(*free - wants->share);
    }
    machine->cpu_free -= wants->cpu;
    machine->memory_free -= wants->memory;
    machine->task_count++;
    if (wants->devices > 0) { machine->size_tasks[task_size_of((uint32_t)wants->devices, wants->share == DEVICE_WHOLE)]++; }
    run->version[m]++;
    run->fragments += run_fragments(run, m);
    run_stake(run, m);
}

static void run_offer(struct run *run, uint32_t task, FILE *csv, size_t number, struct arena *arena)
{
    const struct trace_task *wants = &run->trace->tasks[task];
    if (run->cost[task] == NULL) {
        run->cost[task] = ARENA_NEW(arena, int32_t, run->count);
        run->known[task] = ARENA_NEW(arena, uint32_t, run->count);
    }
    double began = now_us();
    size_t m = run_decide(run, task);
    double took = now_us() - began;
    run->us_sum += took;
    run->us_most = took > run->us_most ? took : run->us_most;
    run->decisions++;

    int64_t demand = (int64_t)wants->devices * wants->share;
    double capacity = (double)run->trace->capacity;
    run->arrived += demand;
    run->offered[task_kind(wants)]++;
    if (m < run->count) {
        run_place(run, m, task);
        run->allocated += demand;
        run->accepted[task_kind(wants)]++;
    } else if (demand > 0 && run->first_rejection < 0) {
        run->first_rejection = 100 * (double)run->arrived / capacity;
    }
    double arrived = 100 * (double)run->arrived / capacity, allocated = 100 * (double)run->allocated / capacity;
    long percent = lround(arrived);
    if (percent < PERCENT_MAX) {
        run->sum[percent] += round(allocated * 100) / 100;       /* the published series has two digits */
        run->frag_sum[percent] += 100 * run->fragments / capacity;
        run->samples[percent]++;
    }
    if (csv != NULL) { fprintf(csv, "%.*s,%zu,%.3f,%.3f\n", STR_ARG(run->policy->name), number, arrived, allocated); }
}

/* ---- results ---- */
/* The average over the arrivals at which demand came to so many whole per cent of the capacity, as published; NAN: there were none. */
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

static void print_json(const struct run *run, const struct options *options, size_t number)
{
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
    printf("\"decisions\":%zu,\"acceptance\":{", run->decisions);
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

static void print_text(const struct run *run, const struct options *options, size_t number)
{
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

static void choose_policy(struct run *run, const char *name)
{
    struct str wanted = str_from(name);
    run->policy = policy_find(wanted);
    if (str_eq(wanted, STR("default"))) { run->policy = &policies[0]; }
    for (size_t r = 0; r < COUNT_OF(ranks); r++) {
        if (!str_eq(wanted, str_from(ranks[r].name))) { continue; }
        run->policy = policy_find(STR("best-fit"));
        run->rank = ranks[r].rank;
        run->random_device = ranks[r].rank == rank_none;
        run->random_ties |= run->random_device;
    }
    if (run->policy == NULL) { usage("no such policy:", name); }
}

/* A rank must give every node a place of its own. With copies, each copy follows the one before. */
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

static void run_order(const struct trace *trace, const struct options *options, size_t number, FILE *csv)
{
    struct arena arena = { 0 };
    arena_init(&arena, (size_t)1 << 32);
    struct run *run = ARENA_NEW(&arena, struct run, 1);
    run->trace = trace;
    run->outlook = trace_outlook(trace, &arena);
    run->random_ties = options->random_ties;
    rng_seed(&run->rng, number + 1);
    choose_policy(run, options->policy);
    run_begin(run, options->rank_count == 0 ? NULL : read_rank(trace, options->ranks[number], options->copies, &arena), &arena);
    size_t count = 0;
    const uint32_t *order = trace_read_numbers(options->orders[number], trace->row_count, &count, &arena);
    for (size_t copy = 0; copy < options->copies; copy++) {
        for (size_t a = 0; a < count; a++) { run_offer(run, trace->rows[order[a]], csv, number, &arena); }
    }
    if (options->json) {
        print_json(run, options, number);
    } else {
        print_text(run, options, number);
    }
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
