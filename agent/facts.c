/* facts.c: looking at the machine: processors, memory, GPUs, name. */
#include "agent/register.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"

enum { MIB = 1024 * 1024, NAME_MAX_LEN = 128, PROBLEM_MAX = 128, CPUS_MAX = 8192 };

/* The first line of a small file, trimmed; empty when there is none. */
static struct str first_line(const char *path, struct arena *arena)
{
    char line[256];
    FILE *file = fopen(path, "re");
    if (file == NULL) { return STR(""); }
    bool good = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    return good ? arena_str(arena, str_trim(str_from(line))) : STR("");
}

/* What this process may run on, which in a container is less than what the machine has. */
static int count_cpus(void)
{
    cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
    ASSERT(set != NULL);
    bool good = sched_getaffinity(0, CPU_ALLOC_SIZE(CPUS_MAX), set) == 0;
    int count = good ? CPU_COUNT_S(CPU_ALLOC_SIZE(CPUS_MAX), set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    CPU_FREE(set);
    return count < 1 ? 1 : count;
}

static int64_t count_memory_mib(struct arena *arena)
{
    int64_t pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE), bytes, limit;
    if (!mul_i64(pages, page_size, &bytes) || bytes < 0) { bytes = 0; }
    bool limited = str_to_i64(first_line("/sys/fs/cgroup/memory.max", arena), &limit) && limit > 0;   /* "max": no limit */
    return (limited ? min_i64(bytes, limit) : bytes) / MIB;
}

static struct str host_name(struct arena *arena)
{
    char name[NAME_MAX_LEN + 1];
    if (gethostname(name, sizeof name) != 0) { return STR("localhost"); }
    name[NAME_MAX_LEN] = '\0';
    return arena_str(arena, str_from(name));
}

/* ---- GPUs ---- */

void facts_judge_gpus(const struct agent_config *config, struct facts *facts)
{
    bool usable = facts->gpus.count > 0, switched_off = config->gpu_support == GPU_SUPPORT_OFF;
    facts->gpu_problem = facts->gpus.problem;
    facts->gpus_off = facts->gpus.pci_devices > 0 && (switched_off || !usable);
    if (!switched_off) { return; }
    facts->gpus.pci_devices = max_i64(facts->gpus.pci_devices, (int64_t)facts->gpus.count);
    facts->gpus_off = facts->gpus.pci_devices > 0;
    facts->gpus.count = 0;
    facts->gpus.problem = facts->gpu_problem = (struct str){ 0 };
}

static bool find_real_gpus(const struct agent_config *config, struct facts *facts, struct arena *arena, struct err *err)
{
    gpu_probe(&facts->gpus, arena);
    bool usable = facts->gpus.count > 0;
    if (config->gpu_support == GPU_SUPPORT_ON && !usable) {
        struct str why = str_is_set(facts->gpus.problem) ? facts->gpus.problem : STR("this machine shows none");
        return err_set(err, ERR_INVALID_PARAMETER, "GPU support is asked for, but there are no usable GPUs: " STR_FMT, STR_ARG(why));
    }
    facts_judge_gpus(config, facts);
    return true;
}

static bool find_gpus(const struct agent_config *config, struct facts *facts, struct arena *arena, struct err *err)
{
    if (config->fake_gpus == NULL) { return find_real_gpus(config, facts, arena, err); }
    facts->simulated = true;
    return gpu_simulate(str_from(config->fake_gpus), facts->name, &facts->gpus, arena, err);
}

/* ---- the whole ---- */

bool facts_read_custom(struct facts *facts, const char *text, struct arena *arena, struct err *err)
{
    if (text == NULL || text[0] == '\0') { return true; }
    struct err parse = { 0 };
    const struct json *tree = json_parse(str_from(text), arena, &parse);
    bool good = tree != NULL && tree->type == JSON_OBJECT;
    for (size_t m = 0; good && m < tree->count; m++) { good = tree->as.members[m].value.type == JSON_STRING; }
    if (!good) {
        return err_set(err, ERR_INVALID_PARAMETER, "Instance attributes are a JSON object of strings, as in {\"rack\":\"r7\"}; this is not: %s", text);
    }
    facts->custom = tree;
    return true;
}

bool facts_of_machine(const struct agent_config *config, struct facts *facts, struct arena *arena, struct err *err)
{
    *facts = (struct facts){ .cpus = count_cpus() };
    facts->name = config->instance_name != NULL ? str_from(config->instance_name) : host_name(arena);
    int64_t memory_mib = count_memory_mib(arena);
    if (config->reserved_memory_mib < 0 || config->reserved_memory_mib >= memory_mib) {
        return err_set(err, ERR_INVALID_PARAMETER, "%ld MiB of memory cannot be kept from tasks: the machine has %lld MiB.",
                       config->reserved_memory_mib, (long long)memory_mib);
    }
    facts->memory_mib = memory_mib - config->reserved_memory_mib;
    facts->instance_type = first_line("/sys/class/dmi/id/product_name", arena);
    return find_gpus(config, facts, arena, err) && facts_read_custom(facts, config->instance_attributes, arena, err);
}

bool facts_of_type(const struct instance_type *type, struct str name, struct facts *facts, struct arena *arena, struct err *err)
{
    *facts = (struct facts){
        .name = name, .cpus = type->vcpus, .memory_mib = type->memory_mib, .simulated = true, .instance_type = type->name,
        .runtime = STR("simulated"),
    };
    if (type->gpus == 0) { return true; }
    struct str spec = arena_printf(arena, STR_FMT ":%d", STR_ARG(type->gpu_model), type->gpus);
    if (!gpu_simulate(spec, name, &facts->gpus, arena, err)) { return false; }
    for (size_t g = 0; g < facts->gpus.count; g++) { facts->gpus.gpus[g].memory_mib = type->gpu_memory_mib; }
    return true;
}
