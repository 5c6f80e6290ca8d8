/* inventory.c: looking at the machine: processors, memory, GPUs, name. */
#include "agent/gpu/mps.h"
#include "agent/registration/inventory.h"

#include <limits.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/task/orphans.h"
#include "base/num.h"

enum { MIB = 1024 * 1024, NAME_MAX_LEN = 128, PROBLEM_MAX = 128, CPUS_MAX = 8192 };

/* The first line of a small file, trimmed; empty when it can't be read. */
static struct str first_line(const char *path, struct arena *arena)
{
    char line[256];
    FILE *file = fopen(path, "re");
    if (file == NULL) { return STR(""); }
    bool good = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    return good ? arena_str(arena, str_trim(str_from(line))) : STR("");
}

/* The processors that this process may use: in a container fewer than the machine's. */
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

void inventory_judge_gpus(const struct agent_config *config, struct inventory *inventory)
{
    bool usable = inventory->gpus.count > 0, switched_off = config->gpu_support == GPU_SUPPORT_OFF;
    inventory->gpu_problem = inventory->gpus.problem;
    inventory->gpus_off = inventory->gpus.pci_devices > 0 && (switched_off || !usable);
    if (!switched_off) { return; }
    inventory->gpus.pci_devices = max_i64(inventory->gpus.pci_devices, (int64_t)inventory->gpus.count);
    inventory->gpus_off = inventory->gpus.pci_devices > 0;
    inventory->gpus.count = 0;
    inventory->gpus.problem = inventory->gpu_problem = (struct str){ 0 };
}

static bool find_real_gpus(const struct agent_config *config, struct inventory *inventory, struct arena *arena, struct err *err)
{
    gpu_probe(&inventory->gpus, arena);
    inventory->holds_shares = !config->no_mps && mps_is_here();
    bool usable = inventory->gpus.count > 0;
    if (config->gpu_support == GPU_SUPPORT_ON && !usable) {
        struct str why = str_is_set(inventory->gpus.problem) ? inventory->gpus.problem : STR("this machine shows none");
        return err_set(err, ERR_INVALID_PARAMETER, "GPU support is asked for, but there are no usable GPUs: " STR_FMT, STR_ARG(why));
    }
    inventory_judge_gpus(config, inventory);
    return true;
}

static bool find_gpus(const struct agent_config *config, struct inventory *inventory, struct arena *arena, struct err *err)
{
    if (config->fake_gpus == NULL) { return find_real_gpus(config, inventory, arena, err); }
    struct str agent;
    struct err none = { 0 };                             /* without a folder there is nothing to register */
    bool has_folder = config->data_dir != NULL && orphans_agent_name(config->data_dir, &agent, arena, &none);
    inventory->simulated = true;
    return gpu_simulate(str_from(config->fake_gpus), has_folder ? agent : inventory->name, &inventory->gpus, arena, err);
}

/* ---- its address ---- */

static bool is_own_host(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET) { return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET; }
    return address->ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

/* The address that packets to this host would carry. Nothing is sent: connecting a datagram socket only asks the kernel. */
static struct str source_towards(const char *host, struct arena *arena)
{
    const struct addrinfo wanted = { .ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV };
    struct addrinfo *found = NULL;
    struct sockaddr_storage own = { 0 };
    socklen_t size = sizeof own;
    char text[INET6_ADDRSTRLEN + IF_NAMESIZE];
    if (getaddrinfo(host, "9", &wanted, &found) != 0) { return STR(""); }
    int fd = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool good = fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) == 0 && getsockname(fd, (struct sockaddr *)&own, &size) == 0
        && !is_own_host(&own) && getnameinfo((struct sockaddr *)&own, size, text, sizeof text, NULL, 0, NI_NUMERICHOST) == 0;
    if (fd >= 0) { close(fd); }
    freeaddrinfo(found);
    return good ? arena_str(arena, str_from(text)) : STR("");
}

/* "10.0.0.5:9280", "[fd00::5]:9280", "berth.example" without port and brackets. */
static struct str host_of(struct str place)
{
    size_t end = str_find(place, ']');
    if (str_starts_with(place, STR("[")) && end < place.len) { return str_slice(place, 1, end); }
    return str_slice(place, 0, str_find(place, ':'));
}

struct str inventory_address(const struct endpoint *server, struct arena *arena)
{
    static const char anywhere[] = "192.0.2.1";      /* of a network that is reserved for examples: any way out will do */
    struct str address = source_towards(arena_cstr(arena, host_of(str_from(server->host))), arena);
    return address.len > 0 ? address : source_towards(anywhere, arena);
}

/* ---- the whole ---- */

bool inventory_read_custom(struct inventory *inventory, const char *text, struct arena *arena, struct err *err)
{
    if (text == NULL || text[0] == '\0') { return true; }
    struct err parse = { 0 };
    const struct json *tree = json_parse(str_from(text), arena, &parse);
    bool good = tree != NULL && tree->type == JSON_OBJECT;
    for (size_t m = 0; good && m < tree->count; m++) { good = tree->as.members[m].value.type == JSON_STRING; }
    if (!good) {
        return err_set(err, ERR_INVALID_PARAMETER, "Instance attributes are a JSON object of strings, as in {\"rack\":\"r7\"}; this is not: %s", text);
    }
    inventory->custom = tree;
    return true;
}

bool inventory_of_machine(const struct agent_config *config, struct inventory *inventory, struct arena *arena, struct err *err)
{
    *inventory = (struct inventory){ .cpus = count_cpus(), .no_privileged = config->no_privileged };
    inventory->name = config->instance_name != NULL ? str_from(config->instance_name) : host_name(arena);
    if (config->machine_id != NULL) { inventory->machine_id = str_from(config->machine_id); }
    if (config->machine_token != NULL) { inventory->machine_token = str_from(config->machine_token); }
    int64_t memory_mib = count_memory_mib(arena);
    if (config->reserved_memory_mib < 0 || config->reserved_memory_mib >= memory_mib) {
        return err_set(err, ERR_INVALID_PARAMETER, "%ld MiB of memory cannot be kept from tasks: the machine has %lld MiB.",
                       config->reserved_memory_mib, (long long)memory_mib);
    }
    inventory->memory_mib = memory_mib - config->reserved_memory_mib;
    inventory->instance_type = first_line("/sys/class/dmi/id/product_name", arena);
    return find_gpus(config, inventory, arena, err) && inventory_read_custom(inventory, config->instance_attributes, arena, err);
}
