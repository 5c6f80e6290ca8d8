/* The simulation: sim [SEED [STEPS]]; without a seed, 200 of them, each in its own process, as many at once as there are processors. A seed that
 * fails is printed with the command that runs it alone, and no other is begun then. A seed that once failed stays in the list for ever. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/sim/sim.h"

enum { STEPS = SIM_STEPS, SEEDS = 200 };
static const uint64_t first_seeds[] = { 2026, 99991, 31337, 424242 };      /* then 1, 2, 3 … */

struct seeds { pid_t process[SEEDS]; size_t begun, passed, failed; };

static uint64_t seed_at(size_t at) { return at < COUNT_OF(first_seeds) ? first_seeds[at] : at + 1 - COUNT_OF(first_seeds); }

static void begin_seed(struct seeds *seeds)
{
    pid_t process = fork();
    ASSERT(process >= 0);
    if (process == 0) {
        sim_run(seed_at(seeds->begun), STEPS);
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
        fprintf(stderr, "seed %llu failed; alone: %s %llu %d\n", (unsigned long long)seed_at(at), program, (unsigned long long)seed_at(at), STEPS);
    }
}

static void run_seeds(struct seeds *seeds, const char *program)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t at_once = processors < 1 ? 1 : (size_t)processors;
    while ((seeds->begun < SEEDS && seeds->failed == 0) || seeds->begun > seeds->passed + seeds->failed) {
        bool begins = seeds->begun < SEEDS && seeds->failed == 0 && seeds->begun - seeds->passed - seeds->failed < at_once;
        if (begins) { begin_seed(seeds); } else { end_seed(seeds, program); }
    }
}

static uint64_t number(const char *text)
{
    int64_t value = 0;
    if (!str_to_i64(str_from(text), &value) || value < 0) {
        fprintf(stderr, "usage: sim [SEED [STEPS]]\n");
        exit(2);
    }
    return (uint64_t)value;
}

int main(int argc, char **argv)
{
    static struct seeds seeds;
    if (argc > 1) {
        sim_run(number(argv[1]), argc > 2 ? number(argv[2]) : STEPS);
        return 0;
    }
    run_seeds(&seeds, argv[0]);
    printf("%zu seeds of %d steps\n", seeds.begun, STEPS);
    printf("%zu passed, %zu failed\n", seeds.passed, seeds.failed);
    return seeds.failed == 0 ? 0 : 1;
}
