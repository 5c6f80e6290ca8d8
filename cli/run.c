#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/interruption.h"
#include "base/assert.h"
#include "base/clock.h"
#include "base/log.h"
#include "cli/cli.h"
#include "cli/settings/config_internal.h"
#include "model/catalogue/catalogue.h"
#include "model/scaling.h"
#include "server/members/members.h"
#include "server/net/http.h"
#include "server/server.h"

void cli_hold_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGUSR1);                        /* a spot notice, to the agent only */
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

bool cli_wait_for_stop(struct server *server, struct err *err)
{
    static const struct timespec look_every = { .tv_sec = 1 };
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    while (sigtimedwait(&signals, NULL, &look_every) < 0) {
        if (server_is_over(server, err)) { return false; }
    }
    return true;
}

bool cli_check_ca(const char *ca_file, struct err *err)
{
    if (ca_file == NULL || access(ca_file, R_OK) == 0) {
        return true;
    }
    return err_set(err, ERR_INVALID_PARAMETER, "the file %s of --ca can't be read: %s.", ca_file, strerror(errno));
}

enum { PORT_MAX = 65535 };

/* "[::1]:9280" → "::1" and 9280; the form was checked when the setting was read. */
const char *cli_split_address(const char *address, int *port_number, struct arena *arena)
{
    struct str text = str_from(address);
    size_t colon = text.len;
    while (colon > 0 && text.ptr[colon - 1] != ':') {
        colon--;
    }
    int64_t port = 0;
    bool good = colon > 0 && str_to_i64(str_slice(text, colon, text.len), &port);
    ASSERT(good && port >= 0 && port <= PORT_MAX);       /* settings/check.c has checked it */
    struct str host = str_slice(text, 0, colon - 1);
    if (host.len >= 2 && host.ptr[0] == '[') {
        host = str_slice(host, 1, host.len - 1);
    }
    *port_number = (int)port;
    return arena_cstr(arena, host);
}

/* By default agents use the port after the API's. */
static void set_addresses(const struct config *config, struct server_config *server, struct arena *arena)
{
    const char *agents = config_text(config, SETTING_AGENT_LISTEN);
    server->host = cli_split_address(config_text(config, SETTING_LISTEN), &server->port, arena);
    server->express_domain = cli_split_address(config_text(config, SETTING_EXPRESS_DOMAIN), &server->express_port, arena);
    if (agents != NULL) {
        server->agent_host = cli_split_address(agents, &server->agent_port, arena);
    } else {
        server->agent_host = server->host;
        server->agent_port = server->port == 0 || server->port == PORT_MAX ? 0 : server->port + 1;
        ASSERT(server->agent_port == 0 || (server->agent_port <= PORT_MAX && server->agent_port != server->port));
    }
}

/* A host name is at most 128 bytes in a listener's rule; that of a service is before the domain. */
static bool check_express(const struct server_config *server, struct err *err)
{
    enum { DOMAIN_MAX = 96 };
    struct str domain = str_from(server->express_domain);
    bool good = server->express_port > 0 && domain.len > 0 && domain.len <= DOMAIN_MAX;
    for (size_t c = 0; good && c < domain.len; c++) { good = domain.ptr[c] != '\0' && strchr("abcdefghijklmnopqrstuvwxyz0123456789-.", domain.ptr[c]) != NULL; }
    return good
        || err_set(err, ERR_INVALID_PARAMETER, "express-domain can't be %s:%d: it should be a host name in small letters and a port of 1 or more.",
                   server->express_domain, server->express_port);
}

static bool take_types(const struct config *config, struct arena *arena, struct err *err)
{
    const char *path = config_text(config, SETTING_INSTANCE_TYPES);
    struct str text;
    struct err why = { 0 };
    if (path == NULL) { return true; }
    if (!config_load_file(path, arena, &text)) { return err_set(err, ERR_INVALID_PARAMETER, "the file %s can't be read.", path); }
    return catalogue_add(text, &why) || err_set(err, ERR_INVALID_PARAMETER, "%s: %s", path, why.message);
}

bool cli_server_config(const struct config *config, struct server_config *server, struct arena *arena, struct err *err)
{
    enum {
        KEEP_MIN_MS = 3600 * 1000, ROLE_KEYS_MIN_MS = 10 * 1000, THREADS_MIN = 4, HISTORY_LOGS_MAX_MIB = 1 << 30, METRICS_MAX_MIB = 1 << 20,
        MIB = 1024 * 1024,
    };
    const char *data = config_text(config, SETTING_DATA);
    *server = (struct server_config){
        .data_dir = data == NULL ? "berth-data" : data,
        .region = config_text(config, SETTING_REGION),
        .account = config_text(config, SETTING_ACCOUNT),
        .threads = (int)config_number(config, SETTING_THREADS),
        .agent_links = (int)config_number(config, SETTING_AGENT_LINKS),
        .stopped_task_keep_ms = config_duration_ms(config, SETTING_KEEP_STOPPED),
        .inactive_instance_keep_ms = config_duration_ms(config, SETTING_KEEP_INACTIVE),
        .events_keep_ms = config_text(config, SETTING_KEEP_EVENTS) == NULL ? 0 : config_duration_ms(config, SETTING_KEEP_EVENTS),
        .webhooks = config_text(config, SETTING_WEBHOOKS),
        .history_keep_ms = config_duration_ms(config, SETTING_KEEP_HISTORY),
        .idle_below = (double)config_number(config, SETTING_IDLE_BELOW) / 100, .idle_after_ms = config_duration_ms(config, SETTING_IDLE_AFTER),
        .role_life_ms = config_duration_ms(config, SETTING_ROLE_KEYS),
        .root_access_key_id = config_text(config, SETTING_ROOT_ID),
        .root_secret_access_key = config_text(config, SETTING_ROOT_SECRET),
        .open_dashboard = config_text(config, SETTING_OPEN_DASHBOARD),
        .strict_aws = config_flag(config, SETTING_STRICT_AWS),
        .provisioners = config_text(config, SETTING_PROVISIONERS),
        .scaling_minute_ms = config_duration_ms(config, SETTING_SCALING_MINUTE),
        .provision_timeout_ms = config_duration_ms(config, SETTING_PROVISION_TIMEOUT),
    };
    if (!take_types(config, arena, err)) { return false; }
    set_addresses(config, server, arena);
    if (!check_express(server, err)) { return false; }
    if (config_number(config, SETTING_IDLE_BELOW) > 100) {
        return err_set(err, ERR_INVALID_PARAMETER, "idle-below can't be %lld: it should be between 0 and 100.",
                       (long long)config_number(config, SETTING_IDLE_BELOW));
    }
    int64_t threads = config_number(config, SETTING_THREADS);
    if (threads < THREADS_MIN || threads > HTTP_THREADS_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "threads can't be %lld: it should be between %d and %d.", (long long)threads,
                       THREADS_MIN, HTTP_THREADS_MAX);
    }
    int64_t history_logs_mib = config_number(config, SETTING_HISTORY_LOGS);
    if (history_logs_mib < 1 || history_logs_mib > HISTORY_LOGS_MAX_MIB) {
        return err_set(err, ERR_INVALID_PARAMETER, "history-logs can't be %lld: it should be between 1 and %d.", (long long)history_logs_mib,
                       HISTORY_LOGS_MAX_MIB);
    }
    server->history_logs_max = history_logs_mib * MIB;
    int64_t metrics_mib = config_number(config, SETTING_METRICS_SPACE);
    if (metrics_mib < 0 || metrics_mib > METRICS_MAX_MIB) {
        return err_set(err, ERR_INVALID_PARAMETER, "metrics-space can't be %lld: it should be between 0 and %d.", (long long)metrics_mib, (int)METRICS_MAX_MIB);
    }
    server->metrics_max = metrics_mib * MIB;
    if (server->role_life_ms < ROLE_KEYS_MIN_MS) {
        return err_set(err, ERR_INVALID_PARAMETER, "role-keys-last can't be less than 10s: agents and clients need time to renew the keys.");
    }
    if (server->provision_timeout_ms < 1000) { return err_set(err, ERR_INVALID_PARAMETER, "provision-timeout should be at least 1s."); }
    if (server->scaling_minute_ms < 1000 || server->scaling_minute_ms > SCALING_MINUTE_MS) {
        return err_set(err, ERR_INVALID_PARAMETER, "scaling-minute can't be %lldms: it should be between 1s and 60s.", (long long)server->scaling_minute_ms);
    }
    if (server->stopped_task_keep_ms < KEEP_MIN_MS) {
        return err_set(err, ERR_INVALID_PARAMETER, "keep-stopped can't be less than 1h: the waiters of ECS clients need it.");
    }
    return true;
}

/* A page is cleared when it is first touched. A page of 2 MiB takes 7 ms on a virtual machine whose host reclaims free memory, which would delay
 * the writing thread; one of 4 KiB takes 15 us. Systems use large pages by default. A kernel without this call keeps its default. */
static void refuse_large_pages(void) { (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

static void take_ha(const struct config *config, struct server_config *server)
{
    server->ha = config_text(config, SETTING_HA);
    server->ha_member = config_text(config, SETTING_HA_MEMBER);
    server->advertise = config_text(config, SETTING_ADVERTISE);
    server->ha_lease_ms = config_duration_ms(config, SETTING_HA_LEASE);
    server->ha_seal = config_flag(config, SETTING_HA_SEAL);
    server->max_stale_ms = config_duration_ms(config, SETTING_MAX_STALE);
    server->ha_ca = config_text(config, SETTING_HA_CA);
    server->ha_cert = config_text(config, SETTING_HA_CERT);
    server->ha_key = config_text(config, SETTING_HA_KEY);
    server->ha_user = config_text(config, SETTING_HA_USER);
    server->ha_password = config_text(config, SETTING_HA_PASSWORD);
}

static void set_aside(const struct server_config *config, struct err *err)
{
    if (err->code == ERR_STORE_DAMAGED && config->ha != NULL) { members_set_aside(config->data_dir, err); }
}

int cli_server(const struct config *config, struct arena *arena, struct err *err)
{
    enum { FENCE_MIN_MS = 10 * 1000 };
    struct server_config server_config;
    if (!cli_server_config(config, &server_config, arena, err)) {
        return 1;
    }
    server_config.endpoint = config_text(config, SETTING_ENDPOINT);
    server_config.api_endpoint = config_text(config, SETTING_API_ENDPOINT);
    server_config.tls_cert = config_text(config, SETTING_TLS_CERT);
    server_config.tls_key = config_text(config, SETTING_TLS_KEY);
    server_config.fence_after_ms = config_duration_ms(config, SETTING_FENCE_AFTER);
    if (server_config.fence_after_ms > 0 && server_config.fence_after_ms < FENCE_MIN_MS) {
        err_set(err, ERR_INVALID_PARAMETER, "fence-after can't be less than 10s: agents poll six times in that time.");
        return 1;
    }
    take_ha(config, &server_config);
    refuse_large_pages();
    cli_hold_signals();
    struct server *server = server_start(&server_config, err);
    if (server == NULL) {
        set_aside(&server_config, err);
        return 1;
    }
    log_line(LOG_INFO, "server", "ready at %s agents=%s data=%s", server_url(server), server_agent_url(server), server_config.data_dir);
    bool good = cli_wait_for_stop(server, err);
    log_line(good ? LOG_INFO : LOG_ERROR, "server", "stopping%s%s", good ? "" : ": ", good ? "" : err->message);
    server_stop(server);
    set_aside(&server_config, err);
    return good ? 0 : 1;
}

static enum image_pull image_pull_of(const char *word)
{
    static const struct { const char *word; enum image_pull behaviour; } behaviours[] = {
        { "default", IMAGE_PULL_DEFAULT }, { "always", IMAGE_PULL_ALWAYS }, { "once", IMAGE_PULL_ONCE }, { "prefer-cached", IMAGE_PULL_PREFER_CACHED },
    };
    size_t b = 0;
    while (b < COUNT_OF(behaviours) - 1 && strcmp(word, behaviours[b].word) != 0) { b++; }
    ASSERT(strcmp(word, behaviours[b].word) == 0);       /* settings/check.c allows no other word */
    return behaviours[b].behaviour;
}

void cli_agent_config(const struct config *config, struct agent_config *agent)
{
    static const struct { const char *word; enum runtime_kind kind; } runtimes[] = {
        { "auto", RUNTIME_AUTO }, { "docker", RUNTIME_DOCKER }, { "process", RUNTIME_PROCESS },
    };
    *agent = (struct agent_config){ .region = config_text(config, SETTING_REGION), .cluster = config_text(config, SETTING_CLUSTER),
                                    .docker_socket = config_text(config, SETTING_DOCKER_SOCKET),
                                    .allow_volumes = config_text(config, SETTING_ALLOW_VOLUMES),
                                    .task_subnet = config_text(config, SETTING_TASK_SUBNET),
                                    .image_pull = image_pull_of(config_text(config, SETTING_IMAGE_PULL)),
                                    .sample_every_ms = config_duration_ms(config, SETTING_SAMPLE_INTERVAL),
                                    .registry_auth = config_text(config, SETTING_REGISTRY_AUTH),
                                    .s3_endpoint = config_text(config, SETTING_S3_ENDPOINT),
                                    .s3_profile = config_text(config, SETTING_S3_PROFILE) };
    size_t r = 0;
    while (r < COUNT_OF(runtimes) - 1 && strcmp(config_text(config, SETTING_RUNTIME), runtimes[r].word) != 0) { r++; }
    ASSERT(strcmp(config_text(config, SETTING_RUNTIME), runtimes[r].word) == 0);     /* as above */
    agent->runtime = runtimes[r].kind;
}

static void set_images(const struct config *config, struct agent_config *agent)
{
    agent->image_pull_limit_ms = config_duration_ms(config, SETTING_IMAGE_PULL_TIMEOUT);
    agent->image_pull_silence_ms = config_duration_ms(config, SETTING_IMAGE_PULL_INACTIVITY);
    agent->registry_auth_data = config_text(config, SETTING_REGISTRY_AUTH_DATA);
    agent->image_cleanup_off = config_flag(config, SETTING_NO_IMAGE_CLEANUP);
    agent->image_cleanup_every_ms = config_duration_ms(config, SETTING_IMAGE_CLEANUP_INTERVAL);
    agent->image_minimum_age_ms = config_duration_ms(config, SETTING_IMAGE_MINIMUM_AGE);
    agent->images_per_cleanup = (long)config_number(config, SETTING_IMAGES_PER_CLEANUP);
    agent->pre_pull = config_text(config, SETTING_PRE_PULL);
    agent->task_cleanup_wait_ms = config_duration_ms(config, SETTING_TASK_CLEANUP_WAIT);
}

struct stop_watch { atomic_bool stop; const char *notice_file; };

static void wait_for_notices_and_stop(const struct stop_watch *watch)
{
    enum { NOTICE_MS = INTERRUPTION_LEAD_S * 1000 };
    sigset_t signals;
    int received;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGUSR1);
    while (sigwait(&signals, &received) == 0 && received == SIGUSR1) {
        struct err err = { 0 };
        if (!notice_write(watch->notice_file, clock_now_ms() + NOTICE_MS, &err)) { log_line(LOG_ERROR, "agent", "%s", err.message); }
    }
}

static void *wait_and_stop(void *context)
{
    struct stop_watch *watch = context;
    wait_for_notices_and_stop(watch);
    log_line(LOG_INFO, "agent", "stopping; containers keep running");
    atomic_store(&watch->stop, true);
    return NULL;
}

/* The notice file of the agent with this folder. */
static const char *notice_file(const struct config *config, const char *data, struct arena *arena, struct err *err)
{
    enum { NOTICE_PATH_MAX = 4096 };
    const char *named = config_text(config, SETTING_NOTICE_FILE);
    char *path = ARENA_NEW(arena, char, NOTICE_PATH_MAX);
    return named != NULL ? named : notice_path(data, path, NOTICE_PATH_MAX, err) ? path : NULL;
}

/* berth agent notice: the running agent finds it within a second. */
static int give_notice(const struct config *config, const char *file, struct err *err)
{
    ASSERT(config->argument_count > 0);
    if (strcmp(config->arguments[0], "notice") != 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "\"%s\" is not a word of this command; see --help.", config->arguments[0]) ? 0 : 1;
    }
    int64_t in_ms = config_duration_ms(config, SETTING_NOTICE_IN);
    if (!notice_write(file, clock_now_ms() + in_ms, err)) { return 1; }
    printf("The agent drains this machine and stops its tasks in time: %lld s left.\n", (long long)(in_ms / 1000));
    return 0;
}

int cli_agent(const struct config *config, struct arena *arena, struct err *err)
{
    static struct stop_watch watch;                      /* outlives this function: its thread may still wait when the agent fails */
    static const struct { const char *word; enum gpu_support support; } supports[] = {
        { "auto", GPU_SUPPORT_AUTO }, { "on", GPU_SUPPORT_ON }, { "off", GPU_SUPPORT_OFF },
    };
    struct agent_config agent;
    const char *data = config_text(config, SETTING_DATA) == NULL ? "berth-agent-data" : config_text(config, SETTING_DATA);
    watch.notice_file = notice_file(config, data, arena, err);
    if (watch.notice_file == NULL) { return 1; }
    if (config->argument_count > 0) { return give_notice(config, watch.notice_file, err); }
    if (config_text(config, SETTING_JOIN) == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "no server to join: add --join http://HOST:9280.") ? 0 : 1;
    }
    if (!cli_check_ca(config_text(config, SETTING_CA), err)) {
        return 1;
    }
    if (!take_types(config, arena, err)) { return 1; }
    cli_agent_config(config, &agent);
    agent.ca_file = config_text(config, SETTING_CA);
    agent.join = config_text(config, SETTING_JOIN);
    agent.data_dir = data;
    agent.notice_file = watch.notice_file;
    agent.spot_draining = config_flag(config, SETTING_SPOT_DRAINING);
    agent.metadata_listen = config_text(config, SETTING_METADATA);
    agent.fake = config_text(config, SETTING_FAKE);
    agent.fake_gpus = config_text(config, SETTING_AGENT_FAKE_GPUS);
    agent.fake_faults = config_text(config, SETTING_FAKE_FAULTS);
    agent.fake_task_ms = (long)config_duration_ms(config, SETTING_FAKE_TASK_TIME);
    agent.dynamic_ports = config_text(config, SETTING_DYNAMIC_PORTS);
    agent.no_privileged = config_flag(config, SETTING_NO_PRIVILEGED);
    agent.allow_devices = config_text(config, SETTING_ALLOW_DEVICES);
    agent.address = config_text(config, SETTING_ADDRESS);
    agent.fake_silent = config_flag(config, SETTING_FAKE_SILENT);
    agent.instance_attributes = config_text(config, SETTING_ATTRIBUTES);
    agent.instance_name = config_text(config, SETTING_NAME);
    agent.machine_id = config_text(config, SETTING_MACHINE_ID);
    agent.machine_token = config_text(config, SETTING_MACHINE_TOKEN);
    agent.reserved_memory_mib = (long)config_number(config, SETTING_RESERVED_MEMORY);
    agent.stop_timeout_s = (long)(config_duration_ms(config, SETTING_STOP_TIMEOUT) / 1000);
    set_images(config, &agent);
    size_t s = 0;
    while (s < COUNT_OF(supports) - 1 && strcmp(config_text(config, SETTING_GPU_SUPPORT), supports[s].word) != 0) { s++; }
    ASSERT(strcmp(config_text(config, SETTING_GPU_SUPPORT), supports[s].word) == 0);
    agent.gpu_support = supports[s].support;
    agent.no_mps = config_flag(config, SETTING_NO_MPS);
    cli_hold_signals();
    pthread_t waiter;
    if (pthread_create(&waiter, NULL, wait_and_stop, &watch) != 0) {
        return err_set(err, ERR_SERVER, "a thread can't be started.") ? 0 : 1;
    }
    pthread_detach(waiter);
    return agent_run(&agent, &watch.stop, err) ? 0 : 1;
}
