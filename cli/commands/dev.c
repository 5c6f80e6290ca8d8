/* `berth dev`: server and agent in one process, and HAProxy beside it if it is wanted, with everything for a first try: a key, a credentials
 * file for the AWS clients, the cluster, and a first task definition. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/link/credentials.h"
#include "base/assert.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "server/front/auth.h"
#include "cli/cli.h"
#include "cli/feed/ingress.h"
#include "cli/settings/config_internal.h"
#include "server/keys.h"
#include "cli/remote.h"
#include "server/server.h"

struct dev {
    const struct config *config;
    struct arena *arena;
    struct server_config server_config;
    struct server *server;
    struct agent_config agent_config;
    struct agent_recovered recovered;
    char machine[256];                       /* the machine, in a line */
    bool has_gpus;
    enum log_level log_level;                /* used after the greeting */
    struct key_pair key;
    bool has_ingress;
    struct ingress_settings ingress;
    struct remote remote;                    /* of the ingress */
    atomic_bool stop;
    struct err agent_err;
    bool agent_failed;
};

static bool write_file(const char *path, struct str text, struct err *err)
{
    return file_replace(path, text) || err_set(err, ERR_SERVER, "%s can't be written: %s.", path, strerror(errno));
}

/* The key of an earlier run, or a new one. Both sides find it in the data folder's credentials file. */
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

/* The first task: one that this machine can run. */
#define HELLO(family, says, more) "{\"family\":\"" family "\",\"containerDefinitions\":[{\"name\":\"hello\",\"image\":\"busybox\",\"cpu\":100,\"memory\":64," \
    "\"essential\":true,\"entryPoint\":[\"sh\",\"-c\"],\"command\":[\"echo " says "; sleep 60\"]" more "}]}"
struct hello { const char *family, *definition; };
static const struct hello hello_gpu = { "hello-gpu", HELLO("hello-gpu", "my GPUs: $NVIDIA_VISIBLE_DEVICES",
                                                           ",\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"1\"}]") };
static const struct hello hello_cpu = { "hello", HELLO("hello", "hello from $(hostname)", "") };
static const struct hello *hello_of(const struct dev *dev) { return dev->has_gpus ? &hello_gpu : &hello_cpu; }

static struct remote remote_of(const struct dev *dev)
{
    return (struct remote){ .url = server_url(dev->server), .region = dev->server_config.region,
                            .access_key = dev->server_config.root_access_key_id, .secret = dev->server_config.root_secret_access_key };
}

/* As JSON has it; in the arena. */
static struct str json_text(const char *text, struct arena *arena)
{
    struct buf out = buf_in(arena);
    struct json_out json = json_out_to(&out);
    json_str(&json, str_from(text));
    return buf_str(&out);
}

/* Creates the cluster (CreateCluster is idempotent), and the first definition if its family does not exist. */
static bool ready_first_things(struct dev *dev, struct err *err)
{
    struct remote remote = remote_of(dev);
    const char *name = config_text(dev->config, SETTING_CLUSTER);
    struct str reply, cluster = arena_printf(dev->arena, "{\"clusterName\":" STR_FMT "}", STR_ARG(json_text(name, dev->arena)));
    struct str known = arena_printf(dev->arena, "{\"taskDefinition\":\"%s\"}", hello_of(dev)->family);
    struct err missing = { 0 };
    if (!remote_operation(&remote, "CreateCluster", cluster, &reply, NULL, dev->arena, err)) {
        return false;
    }
    if (remote_operation(&remote, "DescribeTaskDefinition", known, &reply, NULL, dev->arena, &missing)) {
        return true;
    }
    return remote_operation(&remote, "RegisterTaskDefinition", str_from(hello_of(dev)->definition), &reply, NULL, dev->arena, err);
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

/* Only `berth dev` uses plain processes in place of Docker without a setting: a first try should need neither root nor an engine. */
static void ready_agent(struct dev *dev, const char *data)
{
    cli_agent_config(dev->config, &dev->agent_config);
    struct agent_config *agent = &dev->agent_config;
    if (agent->runtime == RUNTIME_AUTO) {
        agent->runtime = docker_answers(agent->docker_socket) ? RUNTIME_DOCKER : RUNTIME_PROCESS;
    }
    ASSERT(agent->runtime != RUNTIME_AUTO);              /* decided here, so that the greeting can name it */
    agent->join = server_url(dev->server);
    agent->access_key_id = dev->server_config.root_access_key_id;
    agent->secret_access_key = dev->server_config.root_secret_access_key;
    agent->data_dir = arena_printf(dev->arena, "%s/agent", data).ptr;
    agent->fake_gpus = config_flag(dev->config, SETTING_NO_FAKE) ? NULL : config_text(dev->config, SETTING_FAKE_GPUS);
    agent->instance_name = "dev";
    agent->recovered = &dev->recovered;
    dev->has_gpus = agent_describe_machine(agent, dev->machine, sizeof dev->machine);
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

static bool is_stopping(void *context) { return atomic_load(&((struct dev *)context)->stop); }

/* Checked before anything is started. */
static bool ready_ingress(struct dev *dev, const char *data, struct err *err)
{
    dev->has_ingress = config_flag(dev->config, SETTING_INGRESS);
    if (!dev->has_ingress) { return true; }
    cli_ingress_settings(dev->config, &dev->ingress, dev->arena);
    dev->ingress.remote = &dev->remote;
    dev->ingress.name = cli_feed_name(NULL, "ingress", dev->arena);
    dev->ingress.folder = arena_printf(dev->arena, "%s/ingress", data).ptr;
    dev->ingress.ended = is_stopping;
    dev->ingress.context = dev;
    return ingress_check(&dev->ingress, dev->arena, err);
}

static void *ingress_thread(void *context)
{
    enum { ARENA_MAX = 1024 * 1024 };
    struct dev *dev = context;
    struct err err = { 0 };
    struct arena arena;
    arena_init(&arena, ARENA_MAX);
    if (!ingress_run(&dev->ingress, &arena, &err)) { log_line(LOG_ERROR, "ingress", "%s", err.message); }
    arena_finish(&arena);
    return NULL;
}

static bool machine_is_connected(const struct dev *dev, struct arena *arena)
{
    struct remote remote = remote_of(dev);
    struct err err = { 0 };
    struct str reply, connected = arena_printf(arena, "{\"cluster\":" STR_FMT ",\"filter\":\"agentConnected == true\"}",
                                               STR_ARG(json_text(config_text(dev->config, SETTING_CLUSTER), arena)));
    return remote_operation(&remote, "ListContainerInstances", connected, &reply, NULL, arena, &err)
        && strstr(arena_cstr(arena, reply), "container-instance/") != NULL;
}

/* After "Ready" users run a task, which needs a connected agent. The wait is short even if the agent fails:
 * the log says why. */
static void wait_for_machine(const struct dev *dev)
{
    enum { LOOK_EVERY_MS = 5, PATIENCE_MS = 5000, ARENA_MAX = 1024 * 1024 };
    struct arena arena;
    arena_init(&arena, ARENA_MAX);
    int64_t until_ms = clock_monotonic_ms() + PATIENCE_MS;
    while (!(atomic_load(&dev->recovered.told) && machine_is_connected(dev, &arena)) && clock_monotonic_ms() < until_ms) {
        arena_reset(&arena);
        clock_sleep_ms(LOOK_EVERY_MS);
    }
    arena_finish(&arena);
}

/* ---- printing ---- */

/* Quoted for the shell. */
static const char *quoted(const char *text, struct arena *arena)
{
    struct buf out = buf_in(arena);
    if (text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,-")] == '\0') { return text; }
    buf_put_char(&out, '\'');
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\'') { buf_put(&out, STR("'\\'")); }
        buf_put_char(&out, *c);
    }
    buf_put(&out, STR("'"));
    return arena_cstr(arena, buf_str(&out));
}

static const char *absolute(const char *path, struct arena *arena)
{
    char *found = realpath(path, NULL);
    const char *copy = found == NULL ? path : arena_cstr(arena, str_from(found));
    free(found);
    return copy;
}

/* The program's name for the shell: `berth` if PATH leads to this program, else its whole path. */
static const char *program_name(struct arena *arena)
{
    const char *self = absolute("/proc/self/exe", arena), *search = getenv("PATH");
    struct str folder, rest = str_from(search == NULL ? "" : search);
    while (rest.len > 0) {
        (void)str_cut(rest, ':', &folder, &rest);
        const char *there = arena_printf(arena, STR_FMT "/berth", STR_ARG(folder)).ptr;
        if (access(there, X_OK) == 0) { return strcmp(absolute(there, arena), self) == 0 ? "berth" : quoted(self, arena); }
    }
    return quoted(self, arena);
}

/* Commands that work when they are pasted, in any folder. */
static void suggest(const struct dev *dev, const char *data)
{
    const char *url = server_url(dev->server), *program = program_name(dev->arena), *host = dev->server_config.host;
    bool alone = auth_is_loopback(str_from(host)) || strcmp(host, "localhost") == 0;
    const char *folder = absolute(data, dev->arena), *credentials = quoted(arena_printf(dev->arena, "%s/credentials", folder).ptr, dev->arena);
    printf("Try:  export AWS_SHARED_CREDENTIALS_FILE=%s AWS_DEFAULT_REGION=%s\n", credentials, dev->server_config.region);
    printf("      aws --endpoint-url %s ecs run-task --task-definition %s\n", url, hello_of(dev)->family);
    printf("      %s why last --server %s\n", program, url);
    printf("To add a simulated machine:\n");
    printf("      %s agent --join %s --fake p3.16xlarge --data %s\n", program, url, quoted(arena_printf(dev->arena, "%s/second", folder).ptr, dev->arena));
    if (alone) {
        printf("      (a real one must reach this server: %s dev --listen 0.0.0.0:%d)\n", program, server_port(dev->server));
        return;
    }
    char name[HOST_NAME_MAX + 1] = "";
    bool everywhere = strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
    (void)gethostname(name, sizeof name - 1);
    printf("To add a real machine with Berth installed, paste these lines there, with the secret from that file:\n");
    printf("      export AWS_ACCESS_KEY_ID=%s AWS_SECRET_ACCESS_KEY=\n", dev->server_config.root_access_key_id);
    printf("      berth agent --join %s\n", everywhere ? arena_printf(dev->arena, "http://%s:%d", name, server_port(dev->server)).ptr : url);
}

static void greet(const struct dev *dev, const char *data, int64_t started_ms)
{
    const char *url = server_url(dev->server), *region = dev->server_config.region;
    unsigned recovered = atomic_load(&dev->recovered.tasks), lost = atomic_load(&dev->recovered.lost);
    bool docker = dev->agent_config.runtime == RUNTIME_DOCKER, simulated = strstr(dev->machine, "simulated") != NULL;
    printf("Berth %s  dev mode: server and agent in one process, state kept in %s\n", BERTH_VERSION, data);
    printf("  API     %s   ECS JSON 1.1, region \"%s\", account %s\n", url, region, dev->server_config.account);
    printf("  Status  %s/\n", url);
    printf("  Agent   %s%s\n", dev->machine, simulated ? " (--no-fake: without)" : "");
    printf("  Runtime %s\n", docker ? "Docker" : "plain processes, without isolation");
    if (dev->has_ingress) { printf("  Ingress HAProxy, for the listeners of load balancers\n"); }
    printf("  Keys    %s in %s/credentials\n\n", dev->server_config.root_access_key_id, data);
    suggest(dev, data);
    if (recovered > 0) { printf("Recovered %u task%s, %u lost.\n", recovered - lost, recovered - lost == 1 ? "" : "s", lost); }
    printf("Ready in %lld ms. Ctrl-C stops; the next run continues from there.\n", (long long)(clock_monotonic_ms() - started_ms));
    fflush(stdout);
}

static bool run_both(struct dev *dev, const char *data, int64_t started_ms, struct err *err)
{
    pthread_t thread, ingress;
    const char *endpoint_file = arena_printf(dev->arena, "%s/endpoint", data).ptr;
    struct str url = arena_printf(dev->arena, "%s\n", server_url(dev->server));
    ready_agent(dev, data);
    if (!ready_first_things(dev, err) || !write_file(endpoint_file, url, err)) {
        return false;
    }
    if (pthread_create(&thread, NULL, agent_thread, dev) != 0) {
        return err_set(err, ERR_SERVER, "a thread can't be started.");
    }
    dev->remote = remote_of(dev);
    if (dev->has_ingress && pthread_create(&ingress, NULL, ingress_thread, dev) != 0) {
        log_line(LOG_ERROR, "ingress", "a thread can't be started");
        dev->has_ingress = false;
    }
    wait_for_machine(dev);
    greet(dev, data, started_ms);
    log_set_level(dev->log_level);
    bool good = cli_wait_for_stop(dev->server, err);
    atomic_store(&dev->stop, true);
    if (dev->has_ingress) { pthread_join(ingress, NULL); }
    pthread_join(thread, NULL);
    return good;
}

int cli_dev(const struct config *config, struct arena *arena, struct err *err)
{
    int64_t started_ms = clock_monotonic_ms();
    struct dev dev = { .config = config, .arena = arena };
    if (!cli_server_config(config, &dev.server_config, arena, err)) {
        return 1;
    }
    if (dev.server_config.open_dashboard == NULL) { dev.server_config.open_dashboard = "loopback"; }
    const char *data = dev.server_config.data_dir;
    if (!ready_folder(data, err) || !ready_ingress(&dev, data, err) || !ready_key(&dev, arena_printf(arena, "%s/credentials", data).ptr, err)) {
        return 1;
    }
    bool known = log_level_from(config_text(config, SETTING_LOG_LEVEL), &dev.log_level);
    ASSERT(known);
    if (dev.log_level == LOG_INFO) { log_set_level(LOG_WARN); }          /* the greeting says it */
    cli_hold_signals();
    dev.server = server_start(&dev.server_config, err);
    if (dev.server == NULL) {
        return 1;
    }
    bool good = run_both(&dev, data, started_ms, err);
    server_stop(dev.server);
    return good ? 0 : 1;
}
