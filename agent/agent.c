/* agent.c: opens the loop, puts this machine or a simulated fleet into it, and turns it until *stop is set. */
#include "agent/agent.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/link/client.h"
#include "agent/fake/fake.h"
#include "agent/machine.h"
#include "agent/registration/register.h"
#include "agent/core/state_file.h"
#include "base/file.h"
#include "base/log.h"

enum { TURN_MS = 100, CREDENTIALS_ARENA_MAX = 1024 * 1024, DESCRIBE_ARENA_MAX = 1024 * 1024, LOCK_PATH_MAX = 4096 };

/* Two agents with one folder would be one machine twice. The lock ends with the process. */
static int lock_dir(const char *dir, struct err *err)
{
    char path[LOCK_PATH_MAX];
    if (!state_file_make_dir(dir, err)) { return -1; }
    if (snprintf(path, sizeof path, "%s/agent.lock", dir) >= (int)sizeof path) {
        err_set(err, ERR_INVALID_PARAMETER, "The folder's name is too long: %s", dir);
        return -1;
    }
    int lock = file_lock(path);
    if (lock < 0 && errno == EWOULDBLOCK) {
        err_set(err, ERR_INVALID_PARAMETER, "Another agent is running with the folder %s.", dir);
    } else if (lock < 0) {
        err_set(err, ERR_SERVER, "%s: %s", path, strerror(errno));
    }
    return lock;
}

/* *left: a thread still holds the client, which then stays as long as the process. */
static bool run_machine(const struct agent_config *config, struct client *client, const struct endpoint *server, const atomic_bool *stop,
                        bool *left, struct err *err)
{
    log_keep();
    struct machine *machine = machine_create(config, client, server, left, err);
    if (machine == NULL) { return false; }
    bool refused = false;
    while (!refused && !atomic_load(stop)) {
        client_turn(client, TURN_MS);
        refused = machine_is_refused(machine, err);
    }
    machine_leave(machine);
    client_close(client);
    *left = !machine_destroy(machine);
    return !refused;
}

static bool run_fleet(const struct agent_config *config, struct client *client, const struct endpoint *server, const atomic_bool *stop,
                      struct err *err)
{
    struct fleet *fleet = fleet_create(config, client, server, err);
    if (fleet == NULL) { return false; }
    bool refused = false;
    while (!refused && !atomic_load(stop)) {
        client_turn(client, TURN_MS);
        refused = fleet_is_refused(fleet, err);
    }
    client_close(client);
    fleet_destroy(fleet);
    return !refused;
}

static bool run(const struct agent_config *config, const atomic_bool *stop, struct arena *arena, struct err *err)
{
    struct endpoint server;
    struct endpoints servers;
    struct credentials credentials;
    if (config->join == NULL) { return err_set(err, ERR_INVALID_PARAMETER, "Which server should this agent join?"); }
    if (config->data_dir == NULL) { return err_set(err, ERR_INVALID_PARAMETER, "The agent needs a folder for its state."); }
    if (!endpoints_parse(str_from(config->join), &servers, err) || !credentials_find(config, &credentials, arena, err)) { return false; }
    credentials_hide();
    server = servers.items[0];
    int lock = lock_dir(config->data_dir, err);
    if (lock < 0) { return false; }
    struct client *client = client_create(&credentials, config->region, err);
    if (client != NULL) {
        client_set_ca(client, config->ca_file);
        client_set_servers(client, &server, &servers);
    }
    bool good = client != NULL, left = false;
    if (good && config->fake != NULL) {
        good = run_fleet(config, client, &server, stop, err);
    } else if (good) {
        good = run_machine(config, client, &server, stop, &left, err);
    }
    if (!left) { client_destroy(client); }
    close(lock);
    return good;
}

bool agent_run(const struct agent_config *config, const atomic_bool *stop, struct err *err)
{
    prctl(PR_SET_DUMPABLE, 0);                   /* no other process of this user reads the key, and no dump of memory holds it */
    signal(SIGPIPE, SIG_IGN);                    /* a call that finds a connection or a pipe closed reports that */
    struct arena arena = { .ceiling = CREDENTIALS_ARENA_MAX };
    bool good = run(config, stop, &arena, err);
    arena_finish(&arena);
    return good;
}

/* ---- for a person ---- */

static void describe_gpus(const struct inventory *inventory, char *out, size_t size, struct arena *arena)
{
    const struct gpu_inventory *gpus = &inventory->gpus;
    if (gpus->count > 0) {
        struct str model = gpu_short_model(gpus->gpus[0].model, arena);
        (void)snprintf(out, size, "%zu %s" STR_FMT, gpus->count, inventory->simulated ? "simulated " : "", STR_ARG(model));
    } else if (inventory->gpus_off) {
        (void)snprintf(out, size, "%lld NVIDIA devices that cannot be used", (long long)gpus->pci_devices);
    } else {
        (void)snprintf(out, size, "no GPU");
    }
}

bool agent_describe_machine(const struct agent_config *config, char *out, unsigned long size)
{
    struct arena arena = { .ceiling = DESCRIBE_ARENA_MAX };
    struct inventory inventory;
    struct err err = { 0 };
    char gpus[160];
    bool has_gpus = false;
    if (config->fake != NULL) {
        (void)snprintf(out, size, "simulated machines: %s", config->fake);
    } else if (!inventory_of_machine(config, &inventory, &arena, &err)) {
        (void)snprintf(out, size, "%s", err.message);
    } else {
        describe_gpus(&inventory, gpus, sizeof gpus, &arena);
        has_gpus = inventory.gpus.count > 0;
        (void)snprintf(out, size, "%d CPU, %.1f GiB, %s", inventory.cpus, (double)inventory.memory_mib / 1024.0, gpus);
    }
    arena_finish(&arena);
    return has_gpus;
}
