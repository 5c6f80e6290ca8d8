/* `berth dev`: server and agent in one process, with everything that a first minute needs made ready: a key, a credentials
 * file for the AWS clients, the cluster, and a first task definition. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/credentials.h"
#include "base/assert.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "server/cli.h"
#include "server/config_internal.h"
#include "server/keys.h"
#include "server/remote.h"
#include "server/server.h"

struct dev {
    const struct config *config;
    struct arena *arena;
    struct server_config server_config;
    struct server *server;
    struct agent_config agent_config;
    struct key_pair key;
    atomic_bool stop;
    struct err agent_err;
    bool agent_failed;
};

static bool write_file(const char *path, struct str text, struct err *err)
{
    return file_replace(path, text) || err_set(err, ERR_SERVER, "%s can't be written: %s.", path, strerror(errno));
}

/* The key of an earlier run, or a new one: the data folder's credentials file is where both sides find it. */
static bool ready_key(struct dev *dev, const char *path, struct err *err)
{
    struct str text;
    struct credentials found;
    if (dev->server_config.root_access_key_id != NULL) {
        return true;
    }
    if (config_load_file(path, dev->arena, &text) && credentials_parse(text, STR("default"), &found, dev->arena)) {
        dev->server_config.root_access_key_id = arena_cstr(dev->arena, found.access_key_id);
        dev->server_config.root_secret_access_key = arena_cstr(dev->arena, found.secret_access_key);
        return true;
    }
    keys_generate(&dev->key);
    dev->server_config.root_access_key_id = dev->key.id;
    dev->server_config.root_secret_access_key = dev->key.secret;
    return write_file(path, arena_printf(dev->arena, "[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n", dev->key.id, dev->key.secret),
                      err);
}

static bool ready_folder(const char *data, struct err *err)
{
    if (mkdir(data, 0700) != 0 && errno != EEXIST) {
        return err_set(err, ERR_SERVER, "the data folder %s can't be made: %s.", data, strerror(errno));
    }
    return true;
}

static const char hello_gpu[] =
    "{\"family\":\"hello-gpu\",\"containerDefinitions\":[{\"name\":\"hello\",\"image\":\"busybox\",\"cpu\":100,\"memory\":64,\"essential\":true,"
    "\"entryPoint\":[\"sh\",\"-c\"],\"command\":[\"echo my GPUs: $NVIDIA_VISIBLE_DEVICES; sleep 60\"],"
    "\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"1\"}]}]}";

static struct remote remote_of(const struct dev *dev)
{
    return (struct remote){ .url = server_url(dev->server), .region = dev->server_config.region,
                            .access_key = dev->server_config.root_access_key_id, .secret = dev->server_config.root_secret_access_key };
}

/* The cluster (made anew or found: CreateCluster is idempotent), and the first definition when there is none of that name. */
static bool ready_first_things(struct dev *dev, struct err *err)
{
    struct remote remote = remote_of(dev);
    struct str reply, cluster = arena_printf(dev->arena, "{\"clusterName\":\"%s\"}", config_text(dev->config, SETTING_CLUSTER));
    struct err missing = { 0 };
    if (!remote_operation(&remote, "CreateCluster", cluster, &reply, dev->arena, err)) {
        return false;
    }
    if (remote_operation(&remote, "DescribeTaskDefinition", STR("{\"taskDefinition\":\"hello-gpu\"}"), &reply, dev->arena, &missing)) {
        return true;
    }
    return remote_operation(&remote, "RegisterTaskDefinition", str_from(hello_gpu), &reply, dev->arena, err);
}

static bool docker_answers(const char *socket_path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(socket_path) >= sizeof address.sun_path) {
        return false;
    }
    memcpy(address.sun_path, socket_path, strlen(socket_path));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool answers = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return answers;
}

/* Only here may plain processes stand in for Docker unasked: a first try should need neither root nor an engine. */
static void ready_agent(struct dev *dev, const char *data)
{
    cli_agent_config(dev->config, &dev->agent_config);
    struct agent_config *agent = &dev->agent_config;
    if (agent->runtime == RUNTIME_AUTO) {
        agent->runtime = docker_answers(agent->docker_socket) ? RUNTIME_DOCKER : RUNTIME_PROCESS;
    }
    agent->join = server_url(dev->server);
    agent->access_key_id = dev->server_config.root_access_key_id;
    agent->secret_access_key = dev->server_config.root_secret_access_key;
    agent->data_dir = arena_printf(dev->arena, "%s/agent", data).ptr;
    agent->fake_gpus = config_flag(dev->config, SETTING_NO_FAKE) ? NULL : config_text(dev->config, SETTING_FAKE_GPUS);
    agent->instance_name = "dev";
}

static void *agent_thread(void *context)
{
    struct dev *dev = context;
    if (!agent_run(&dev->agent_config, &dev->stop, &dev->agent_err)) {
        dev->agent_failed = true;
        log_line(LOG_ERROR, "agent", "%s", dev->agent_err.message);
    }
    return NULL;
}

static bool machine_is_connected(const struct dev *dev, struct arena *arena)
{
    struct remote remote = remote_of(dev);
    struct err err = { 0 };
    struct str reply, connected = arena_printf(arena, "{\"cluster\":\"%s\",\"filter\":\"agentConnected == true\"}",
                                               config_text(dev->config, SETTING_CLUSTER));
    return remote_operation(&remote, "ListContainerInstances", connected, &reply, arena, &err)
        && strstr(arena_cstr(arena, reply), "container-instance/") != NULL;
}

/* Who reads "Ready" runs a task, which finds no place before the agent is connected. An agent in trouble is not waited for long:
 * the log says what it has. */
static void wait_for_machine(const struct dev *dev)
{
    enum { LOOK_EVERY_MS = 5, PATIENCE_MS = 5000, ARENA_MAX = 1024 * 1024 };
    struct arena arena;
    arena_init(&arena, ARENA_MAX);
    int64_t until_ms = clock_monotonic_ms() + PATIENCE_MS;
    while (!machine_is_connected(dev, &arena) && clock_monotonic_ms() < until_ms) {
        arena_reset(&arena);
        clock_sleep_ms(LOOK_EVERY_MS);
    }
    arena_finish(&arena);
}

static void greet(const struct dev *dev, const char *data, int64_t started_ms)
{
    char machine[256];
    agent_describe_machine(&dev->agent_config, machine, sizeof machine);
    const char *url = server_url(dev->server), *region = dev->server_config.region;
    printf("Berth %s  dev mode: server and agent in one process, state kept in %s\n", BERTH_VERSION, data);
    printf("  API     %s   ECS JSON 1.1, region \"%s\", account %s\n", url, region, dev->server_config.account);
    printf("  Status  %s/\n", url);
    printf("  Agent   %s\n", machine);
    printf("  Keys    %s in %s/credentials\n\n", dev->server_config.root_access_key_id, data);
    printf("Try:  export AWS_SHARED_CREDENTIALS_FILE=%s/credentials AWS_DEFAULT_REGION=%s\n", data, region);
    printf("      aws --endpoint-url %s ecs run-task --task-definition hello-gpu\n", url);
    printf("Ready in %lld ms. Ctrl-C stops; run again to continue where you were.\n", (long long)(clock_monotonic_ms() - started_ms));
    fflush(stdout);
}

static bool run_both(struct dev *dev, const char *data, int64_t started_ms, struct err *err)
{
    pthread_t thread;
    const char *endpoint_file = arena_printf(dev->arena, "%s/endpoint", data).ptr;
    struct str url = arena_printf(dev->arena, "%s\n", server_url(dev->server));
    if (!ready_first_things(dev, err) || !write_file(endpoint_file, url, err)) {
        return false;
    }
    ready_agent(dev, data);
    if (pthread_create(&thread, NULL, agent_thread, dev) != 0) {
        return err_set(err, ERR_SERVER, "no thread could be started.");
    }
    wait_for_machine(dev);
    greet(dev, data, started_ms);
    cli_wait_for_stop();
    atomic_store(&dev->stop, true);
    pthread_join(thread, NULL);
    return true;
}

int cli_dev(const struct config *config, struct arena *arena, struct err *err)
{
    int64_t started_ms = clock_monotonic_ms();
    struct dev dev = { .config = config, .arena = arena };
    if (!cli_server_config(config, &dev.server_config, arena, err)) {
        return 1;
    }
    const char *data = dev.server_config.data_dir;
    if (!ready_folder(data, err) || !ready_key(&dev, arena_printf(arena, "%s/credentials", data).ptr, err)) {
        return 1;
    }
    cli_hold_signals();
    dev.server = server_start(&dev.server_config, err);
    if (dev.server == NULL) {
        return 1;
    }
    bool good = run_both(&dev, data, started_ms, err);
    server_stop(dev.server);
    return good ? 0 : 1;
}
