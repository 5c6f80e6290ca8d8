/* The simulation: sim [tasks|services SEED [STEPS]]; with a seed it checks everything after each step. Without one: 200 seeds of tasks, then 100 of services,
 * each in its own process, as many at once as there are processors. A seed that fails is printed with the command that runs it alone, and no other is
 * begun then. A seed that once failed stays in the list for ever. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/sim/sim.h"

enum { STEPS = SIM_STEPS, TASKS_SEEDS = 200, SERVICES_SEEDS = 100, SEEDS_MAX = TASKS_SEEDS };
static const uint64_t first_seeds[] = { 2026, 99991, 31337, 424242 };      /* then 1, 2, 3 … */
struct kind { const char *name; void (*run)(uint64_t seed, uint64_t steps); size_t seeds; };
static const struct kind kinds[] = { { "tasks", sim_run, TASKS_SEEDS }, { "services", sim_services_run, SERVICES_SEEDS } };

struct seeds { const struct kind *kind; pid_t process[SEEDS_MAX]; size_t begun, passed, failed; };

static uint64_t seed_at(size_t at) { return at < COUNT_OF(first_seeds) ? first_seeds[at] : at + 1 - COUNT_OF(first_seeds); }

static void begin_seed(struct seeds *seeds)
{
    pid_t process = fork();
    ASSERT(process >= 0);
    if (process == 0) {
        seeds->kind->run(seed_at(seeds->begun), STEPS);
        exit(0);
    }
    seeds->process[seeds->begun++] = process;
}

static void end_seed(struct seeds *seeds, const char *program)
{
    int status = 0;
    size_t at = 0;
    pid_t process = waitpid(-1, &status, 0);
    while (at < seeds->begun && seeds->process[at] != process) { at++; }
    ASSERT(at < seeds->begun);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        seeds->passed++;
    } else {
        seeds->failed++;
        fprintf(stderr, "seed %llu failed; alone: %s %s %llu %d\n", (unsigned long long)seed_at(at), program, seeds->kind->name,
                (unsigned long long)seed_at(at), STEPS);
    }
}

static void run_seeds(struct seeds *seeds, const char *program)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t at_once = processors < 1 ? 1 : (size_t)processors;
    while ((seeds->begun < seeds->kind->seeds && seeds->failed == 0) || seeds->begun > seeds->passed + seeds->failed) {
        bool begins = seeds->begun < seeds->kind->seeds && seeds->failed == 0 && seeds->begun - seeds->passed - seeds->failed < at_once;
        if (begins) { begin_seed(seeds); } else { end_seed(seeds, program); }
    }
}

static uint64_t number(const char *text)
{
    int64_t value = 0;
    if (!str_to_i64(str_from(text), &value) || value < 0) {
        fprintf(stderr, "usage: sim [tasks|services SEED [STEPS]]\n");
        exit(2);
    }
    return (uint64_t)value;
}

int main(int argc, char **argv)
{
    size_t passed = 0, failed = 0;
    for (size_t k = 0; k < COUNT_OF(kinds) && failed == 0; k++) {
        struct seeds seeds = { .kind = &kinds[k] };
        if (argc > 1 && strcmp(argv[1], kinds[k].name) != 0) { continue; }
        if (argc > 2) {
            sim_closely = true;
            kinds[k].run(number(argv[2]), argc > 3 ? number(argv[3]) : STEPS);
            return 0;
        }
        run_seeds(&seeds, argv[0]);
        printf("%zu seeds of %d steps, %s\n", seeds.begun, STEPS, kinds[k].name);
        passed += seeds.passed;
        failed += seeds.failed;
    }
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
