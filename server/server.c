/* server.c: starting and stopping, in order. Each part only knows the parts that were started before it. */
#include "server/server.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/tell/role_credentials.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "server/calls/service_calls.h"
#include "server/calls/target_checks.h"
#include "server/front/services.h"
#include "server/keys.h"
#include "server/members/members.h"
#include "server/provision/provision.h"
#include "server/webhooks/webhooks.h"
#include "server/routes.h"
#include "server/secret_key.h"
#include "server/writing/stepper.h"
#include "server/ticker.h"

enum {
    TEXTS_CEILING = 64 * 1024,
    KEYS_CEILING = 64 * 1024 * 1024,
    QUEUE_MAX = 8192,
    THREADS_USUAL = 256, CONNECTIONS_USUAL = 16384,
    VIEWERS_MAX = 128,                       /* a thread each, and half of them at most */
    STOP_PATIENCE_MS = 15 * 1000,            /* for requests that run: more than any of them takes */
    TOKEN_MS = 60 * 1000, LOST_MS = 10 * 1000,       /* of ExecuteCommand: until a client comes, and until it comes back */
};

struct server {
    struct arena texts;                      /* settings, for the server's whole life */
    struct api_config api;
    struct seal_key secret_key;              /* api borrows it */
    char audit_key[ROLE_KEY_LEN];
    struct str root_id, root_secret;         /* for the server that leads; empty: none */
    const char *url, *agent_url;
    struct tls *tls;                         /* NULL: plain HTTP */
    struct members *members;                 /* NULL: this server is alone */
    struct store *store;
    int lock;                                /* of the data folder */
    struct auth *auth;
    struct writer *writer;
    struct sessions *sessions;
    struct logs *logs;
    struct exec *exec;
    struct command_sessions *commands;
    struct stream *stream;
    struct event_cache *events;
    struct board_cache *boards;
    struct headroom_cache *headroom;
    struct health_counts *health;
    struct samples *samples;
    struct archive *archive;                 /* NULL: metrics are not kept */
    struct held *held; const char *held_path;    /* the file that keeps it */
    struct requests *requests;
    struct client_metrics *client_metrics;
    struct pulls *pulls;
    struct agent_logs *agent_logs;
    struct last_run *last_run;
    struct stepper *stepper;
    struct calls *calls;
    struct service_calls *service_calls;
    struct provision *provision;
    struct webhooks *webhooks;
    struct target_checks *target_checks;
    struct ticker *ticker;
    struct http *http;
    struct listener *listener;
    struct metrics metrics;
    atomic_bool stopping, clock_doubted;
    struct paths paths;                      /* lent to handlers */
};

enum { EXPRESS_USUAL_PORT = 8080 };
static const int64_t keep_usual_ms = (int64_t)3600 * 1000, role_life_usual_ms = (int64_t)6 * 3600 * 1000,
    events_usual_ms = (int64_t)24 * 3600 * 1000;

/* ---- what the writer calls behind each commit ---- */

static void on_commit(void *context, int64_t revision)
{
    struct server *server = context;
    if (server->members != NULL) { member_committed(members_member(server->members), revision); }
    stream_notify(server->stream, revision);
}

static void on_effects(void *context, const struct effect_list *effects)
{
    struct server *server = context;
    if (effects->count > 0) { sessions_apply(server->sessions, effects); }
    service_calls_make(server->service_calls, effects->calls);
    provision_make(server->provision, effects->provisions);
    for (const struct event_line *line = effects->lines; line != NULL; line = line->next) { log_line(LOG_INFO, "service", STR_FMT, STR_ARG(line->text)); }
}

static void on_due(void *context, int64_t due_ms)
{
    struct server *server = context;
    stepper_tell(server->stepper, due_ms);
}

static void on_announced(void *context)
{
    struct server *server = context;
    if (server->listener != NULL) { listener_wake(server->listener); }
}

static bool check_clock(struct err *err)
{
    return clock_is_set(clock_now_ms())
        || err_set(err, ERR_SERVER, "The clock of this machine is not set: it should be between 2020 and 9999. What is stored would be dated wrongly.");
}

/* ---- keys ---- */

static bool is_loopback(const char *host) { return auth_is_loopback(str_from(host)) || strcmp(host, "localhost") == 0; }

/* A root key is put down by the server that leads. */
static bool check_keys(struct server *server, const struct server_config *config, const char *host, struct arena *arena, struct err *err)
{
    if (is_loopback(host) || (server->members != NULL && config->root_access_key_id != NULL)) { return true; }
    struct access_key_list keys = { 0 };
    struct store_txn *txn = store_read_begin(server->store);
    (void)store_list_access_keys(txn, &keys, arena);
    if (!store_read_end(txn)) { return err_set(err, ERR_SERVER, "The access keys can't be read."); }
    for (size_t k = 0; k < keys.count; k++) {
        if (keys.items[k].revoked_ms == 0) { return true; }
    }
    return err_set(err, ERR_INVALID_PARAMETER, "Berth does not listen on %s without an access key, because nobody could use it. "
                   "Make one first: berth keys create", host);
}

/* Made once and kept: keys of roles that were given out stay good when the server starts again. Their first half never changes. */
static bool ready_role_key(struct server *server, struct arena *arena, struct err *err)
{
    struct str key = { NULL, 0 };
    for (int tries = 0; tries < 2 && !role_key_is_good(key); tries++) {
        if (tries > 0 && !keys_make_role_key(server->store, err)) { return false; }
        struct store_txn *txn = store_read_begin(server->store);
        key = store_meta(txn, role_key_name, arena);
        if (!store_read_end(txn)) { return err_set(err, ERR_SERVER, "The key of the roles can't be read."); }
    }
    if (!role_key_is_good(key)) { return err_set(err, ERR_SERVER, "The key of the roles can't be made."); }
    memcpy(server->audit_key, key.ptr, sizeof server->audit_key);
    return true;
}

static void start_auth(struct server *server, const struct server_config *config, const char *host)
{
    const char *said = config->open_dashboard;
    enum dashboard unsaid = is_loopback(host) ? DASHBOARD_UNTIL_KEY : DASHBOARD_OFF;
    const struct auth_config auth_config = {
        .store = server->store, .region = server->api.names.region,
        .dashboard = said == NULL ? unsaid : strcmp(said, "loopback") == 0 ? DASHBOARD_LOOPBACK : DASHBOARD_OFF,
    };
    server->auth = auth_create(&auth_config);
}

/* ---- TLS ---- */

/* Several servers with TLS, each with a certificate for the others. */
static bool members_are_certified(const struct server_config *config)
{
    return config->ha != NULL && config->tls_cert != NULL && config->ha_ca != NULL && config->ha_cert != NULL && config->ha_key != NULL;
}

static bool start_tls(struct server *server, const struct server_config *config, const char *host, struct err *err)
{
    const char *agent_host = config->agent_host != NULL ? config->agent_host : host;
    bool cert = config->tls_cert != NULL, key = config->tls_key != NULL;
    if (cert != key) {
        return err_set(err, ERR_INVALID_PARAMETER, "A certificate and its key go together: %s is missing.", cert ? "tls-key" : "tls-cert");
    }
    if (cert) {
        server->tls = tls_create(config->tls_cert, config->tls_key, err);
        return server->tls != NULL && (!members_are_certified(config) || tls_ask_for_certificates(server->tls, config->ha_ca, err));
    }
    if (!is_loopback(host) || !is_loopback(agent_host)) {
        log_line(LOG_WARN, "server", "requests are signed but not encrypted beyond this machine: see tls-cert, or put a proxy with TLS before it");
    }
    return true;
}

/* ---- parts ---- */

static struct str text_of(struct server *server, const char *text, const char *otherwise)
{
    return arena_str(&server->texts, str_from(text != NULL ? text : otherwise));
}

static void read_settings(struct server *server, const struct server_config *config)
{
    server->api = (struct api_config){
        .names = { text_of(server, config->region, "us-east-1"), text_of(server, config->account, "123456789012") },
        .endpoint = text_of(server, config->endpoint, ""),
        .stopped_task_keep_ms = config->stopped_task_keep_ms > 0 ? config->stopped_task_keep_ms : keep_usual_ms,
        .inactive_instance_keep_ms = config->inactive_instance_keep_ms,
        .events_keep_ms = config->events_keep_ms > 0 ? config->events_keep_ms : config->webhooks != NULL ? events_usual_ms : 0,
        .history_keep_ms = config->history_keep_ms,
        .role_life_ms = config->role_life_ms > 0 ? config->role_life_ms : role_life_usual_ms,
        .provision_timeout_ms = config->provision_timeout_ms,
        .scaling_minute_ms = config->scaling_minute_ms > 0 ? config->scaling_minute_ms : SCALING_MINUTE_MS,
        .strict_aws = config->strict_aws,
        .express_domain = text_of(server, config->express_domain, "express.localhost"),
        .express_port = config->express_domain == NULL ? EXPRESS_USUAL_PORT : config->express_port,
    };
}

/* Two servers with one store would each place as if it were alone, and give GPUs out twice. */
static bool lock_dir(struct server *server, const char *data_dir, struct err *err)
{
    const char *path = arena_printf(&server->texts, "%s/server.lock", data_dir).ptr;
    server->lock = file_lock(path);
    if (server->lock >= 0) { return true; }
    return errno == EWOULDBLOCK ? err_set(err, ERR_INVALID_PARAMETER, "Another server is running with the folder %s.", data_dir)
                                : err_set(err, ERR_SERVER, "%s: %s", path, strerror(errno));
}

/* ---- one of several servers ---- */

/* The start-up records, which only the one that leads writes. The rest of the process has begun already. */
static bool write_start(struct server *server, struct err *err)
{
    struct arena arena;
    arena_init(&arena, KEYS_CEILING);
    bool good = keys_put_root(server->store, server->root_id, server->root_secret, &arena, err) && ready_role_key(server, &arena, err);
    arena_finish(&arena);
    return good;
}

static bool on_lead(void *context)
{
    struct server *server = context;
    struct err err = { 0 };
    bool good = write_start(server, &err) && writer_open(server->writer, &err);
    if (good && !sessions_resume(server->sessions, &err)) {
        writer_close(server->writer);
        good = false;
    }
    if (!good) { log_line(LOG_ERROR, "ha", "this server can't lead: %s", err.message); }
    return good;
}

static void on_follow(void *context)
{
    struct server *server = context;
    writer_close(server->writer);
    sessions_pause(server->sessions);
}

static void on_applied(void *context, int64_t revision)
{
    struct server *server = context;
    writer_forget_ahead(server->writer);                 /* somebody leads */
    stream_notify(server->stream, revision);
}

static void on_suspect(void *context)
{
    struct server *server = context;
    writer_read_ahead(server->writer);
}

static bool leads_surely(void *context)
{
    const struct server *server = context;
    return member_leads_surely(members_member(server->members), MEMBERS_PROOF_MS);
}

static bool confirm_lead(void *context, struct err *err)
{
    const struct server *server = context;
    return member_confirm(members_member(server->members), err);
}

static bool explain_commit(void *context, int64_t revision, struct err *err)
{
    const struct server *server = context;
    return member_explain(members_member(server->members), revision, err);
}

static const struct writer_log shared_log = { confirm_lead, explain_commit };

static bool start_members(struct server *server, const struct server_config *config, const char *data_dir, int threads, struct err *err)
{
    enum { LEASE_USUAL_MS = 3000, STALE_USUAL_MS = 10000 };
    char host[HA_NAME_MAX + 1] = "";
    if (config->ha == NULL) { return true; }
    if (config->ha_member == NULL && gethostname(host, sizeof host - 1) != 0) { return err_set(err, ERR_SERVER, "This machine has no name."); }
    server->root_id = text_of(server, config->root_access_key_id, "");
    server->root_secret = text_of(server, config->root_secret_access_key, "");
    const struct members_config members = {
        .etcd = { .url = text_of(server, config->ha, "").ptr, config->ha_user, config->ha_password,
                  config->ha_ca == NULL ? NULL : text_of(server, config->ha_ca, "").ptr, config->ha_cert, config->ha_key,
                  config->advertise },
        .name = config->ha_member != NULL ? config->ha_member : host, .advertise = config->advertise,
        .lease_ms = config->ha_lease_ms > 0 ? config->ha_lease_ms : LEASE_USUAL_MS, .certified = members_are_certified(config),
        .data_dir = text_of(server, data_dir, "").ptr, .max_stale_ms = config->max_stale_ms > 0 ? config->max_stale_ms : STALE_USUAL_MS,
        .holding_max = (size_t)threads / 2, .lead = on_lead, .follow = on_follow, .applied = on_applied, .suspect = on_suspect, .context = server,
    };
    return members_create(&members, &server->members, err);
}

static bool start_store(struct server *server, const struct server_config *config, const char *data_dir, struct err *err)
{
    /* The key is made behind the store. LMDB would take an empty file for a new store. */
    const char *key = arena_printf(&server->texts, "%s/secrets.key", data_dir).ptr, *file = arena_printf(&server->texts, "%s/data.mdb", data_dir).ptr;
    struct stat facts;
    if (access(key, F_OK) == 0 && stat(file, &facts) == 0 && facts.st_size == 0) {
        return err_set(err, ERR_STORE_DAMAGED, "The store in %s is damaged: its file is empty. Restore a copy: docs/scale.md, \"Keep a copy\".", data_dir);
    }
    struct store_config store_config = { .dir = data_dir, .map_size = config->map_size, .sync = true, .recall_later = true };
    if (server->members != NULL) {
        store_config.sink = member_sink;
        store_config.sink_context = members_member(server->members);
    }
    return store_open(&store_config, &server->store, err) && lock_dir(server, data_dir, err)
        && (server->members == NULL || members_join(server->members, &store_config, &server->store, err));
}

/* A server that joins has the key by now. The first one makes it later. */
static bool ready_seal(struct server *server, const struct server_config *config, const char *data_dir, struct err *err)
{
    bool found;
    if (!secret_key_read(data_dir, &server->secret_key, &found, err)) { return false; }
    if (found) { member_seal(members_member(server->members), &server->secret_key, config->ha_seal); }
    return true;
}

/* While the writer's thread reads the world. */
static bool start_memory(struct server *server, const struct server_config *config, const char *data_dir, const char *host,
                         struct err *err)
{
    enum { CATCH_UP_MS = 10 * 60 * 1000 };
    if (!store_recall(server->store, err)) { return false; }
    bool shares = server->members != NULL;
    if (shares && !ready_seal(server, config, data_dir, err)) { return false; }
    if (shares && !member_catch_up(members_member(server->members), clock_monotonic_ms() + CATCH_UP_MS, err)) { return false; }
    struct arena arena;
    arena_init(&arena, KEYS_CEILING);
    server->api.secret_key = &server->secret_key;
    bool good = secret_key_load(data_dir, server->store, &server->secret_key, err) && (!shares || ready_seal(server, config, data_dir, err))
        && (shares || keys_put_root(server->store, str_from(config->root_access_key_id), str_from(config->root_secret_access_key), &arena, err))
        && check_keys(server, config, host, &arena, err)
        && check_keys(server, config, config->agent_host != NULL ? config->agent_host : host, &arena, err)
        && (shares || ready_role_key(server, &arena, err));
    arena_finish(&arena);
    return good;
}

static bool start_writer(struct server *server, const struct server_config *server_config, struct err *err)
{
    const struct writer_config config = {
        .store = server->store, .api = &server->api, .queue_max = QUEUE_MAX, .committed = on_commit, .effects = on_effects,
        .due = on_due, .context = server, .log = server->members == NULL ? NULL : &shared_log,
    };
    server->calls = calls_start(err);
    if (server->calls == NULL) { return false; }
    server->service_calls = service_calls_create(server->calls);
    server->provision = provision_create(&(struct provision_config){ server_config->provisioners, server->calls }, err);
    if (server->provision == NULL) { return false; }
    const struct webhooks_config webhooks = {
        server_config->webhooks, server->calls, server->store, server->stream, server->members == NULL ? NULL : leads_surely, server,
    };
    server->webhooks = webhooks_create(&webhooks, err);
    if (server->webhooks == NULL) { return false; }
    server->stepper = stepper_create();
    server->writer = writer_start(&config, err);
    if (server->writer != NULL) { service_calls_start(server->service_calls, server->writer); }
    return server->writer != NULL;
}

/* The last of what takes long: the threads of the listeners are made while the world is still being read. */
static bool finish_writer(struct server *server, struct err *err)
{
    if (!writer_ready(server->writer, err)) { return false; }
    stream_notify(server->stream, writer_count(server->writer).revision);
    return true;
}

static void on_offer(void *context, struct id instance, struct str_list *messages, struct arena *arena)
{
    struct server *server = context;
    exec_offer(server->exec, instance, messages, arena);
}

static void on_command(void *context, struct id instance)
{
    struct server *server = context;
    sessions_wake(server->sessions, instance);
}

static bool start_sessions(struct server *server, const struct server_config *config, int threads, struct err *err)
{
    const struct sessions_config sessions_config = {
        .store = server->store, .writer = server->writer, .api = &server->api, .waiting_max = (size_t)(threads / 4),
        .announced = on_announced, .offer = on_offer, .context = server, .lease_ms = config->fence_after_ms,
        .leads = server->members == NULL ? NULL : leads_surely,
    };
    struct exec_config exec_config = exec_usual;
    if (threads / 8 < EXEC_SESSIONS_MAX) { exec_config.sessions_max = (size_t)(threads / 8); }       /* each may hold two threads */
    server->exec = exec_create(&exec_config);
    exec_watch(server->exec, on_announced, server);
    const struct command_sessions_config command_config = {
        .exec = server->exec, .sessions_max = exec_config.sessions_max, .token_ms = TOKEN_MS, .lost_ms = LOST_MS, .wake = on_command, .context = server,
    };
    server->commands = command_sessions_create(&command_config);
    server->sessions = sessions_create(&sessions_config, err);
    return server->sessions != NULL;
}

static bool start_ticker(struct server *server, struct err *err)
{
    server->target_checks = target_checks_create(server->store, &server->api);
    const struct ticker_config config = {
        .store = server->store, .writer = server->writer, .sessions = server->sessions, .logs = server->logs, .tls = server->tls,
        .figures = { server->samples, server->requests, server->client_metrics, server->api.scaling_minute_ms },
        .held = server->held, .held_path = server->held_path,
        .targets = server->target_checks, .clock_doubted = &server->clock_doubted,
    };
    server->ticker = ticker_start(&config, err);
    return server->ticker != NULL;
}

static bool start_logs(struct server *server, const struct server_config *config, const char *data_dir, struct err *err)
{
    server->logs = task_logs_create(arena_printf(&server->texts, "%s/logs", data_dir).ptr, err);
    if (server->logs != NULL && config->history_logs_max > 0) { logs_keep_ended(server->logs, config->history_logs_max); }
    return server->logs != NULL;
}

static void start_held(struct server *server, const struct server_config *config, const char *data_dir)
{
    const struct idle_rule rule = { config->idle_below, config->idle_after_ms };
    server->held = held_create(&rule);
    server->held_path = arena_printf(&server->texts, "%s/gpu-use", data_dir).ptr;
    held_file_read(server->held_path, server->held);
    server->api.usage_of = held_usage_of;
    server->api.usage_owner = server->held;
}

/* The store is still open, and no task changes any more. */
static void held_finish(struct server *server)
{
    if (server->held != NULL && server->store != NULL) { held_file_write(server->held_path, server->held, server->store, clock_now_ms()); }
    held_destroy(server->held);
}

static bool start_figures(struct server *server, const struct server_config *config, const char *data_dir, struct err *err)
{
    start_held(server, config, data_dir);
    server->headroom = headroom_create(server->writer);
    server->health = health_counts_create(server->store);
    server->samples = samples_create(SAMPLES_MAX);
    server->requests = requests_create();
    server->client_metrics = client_metrics_create(server->api.scaling_minute_ms);
    if (config->metrics_max == 0) { return true; }
    server->archive = archive_open(arena_printf(&server->texts, "%s/metrics", data_dir).ptr, config->metrics_max, err);
    return server->archive != NULL;
}

/* All that handlers borrow. The ports are known later: note_addresses. */
static bool lend_parts(struct server *server, const struct server_config *config)
{
    struct paths *paths = &server->paths;
    const struct front *front = &paths->front;
    ASSERT(server->store != NULL && server->writer != NULL && server->auth != NULL && server->logs != NULL);
    ASSERT(server->sessions != NULL && server->commands != NULL && server->exec != NULL && server->samples != NULL);
    server->metrics.services = services_table;
    paths->front = (struct front){
        .api = &server->api, .store = server->store, .writer = server->writer, .auth = server->auth, .metrics = &server->metrics,
        .audit_key = { server->audit_key, sizeof server->audit_key }, .stopping = &server->stopping, .members = server->members,
        .addresses = {
            .scheme = server->tls != NULL ? "https" : "http", .agents_given = config->endpoint != NULL,
            .api = text_of(server, config->api_endpoint, ""),
        },
    };
    paths->aws = (struct aws_paths){ front, server->last_run, server->sessions, server->commands, server->logs, server->client_metrics,
                                     server->samples, server->archive };
    paths->agents = (struct agent_paths){ front, server->sessions, server->logs, server->samples, server->archive, server->held };
    paths->exec = (struct exec_paths){ front, server->exec, server->sessions };
    paths->viewers = (struct viewer_paths){ front, server->stream, server->events, server->boards, server->logs, server->samples, server->requests };
    paths->figures = (struct figure_paths){ front, server->samples, server->pulls, server->archive, server->held, server->agent_logs };
    paths->whatif = (struct whatif_paths){ front, server->headroom, server->last_run, server->pulls };
    paths->agent_port = (struct agent_port){ front, server->sessions, server->commands, &paths->agents };
    paths->metrics = (struct metrics_paths){
        .front = front, .sessions = server->sessions, .stream = server->stream, .headroom = server->headroom, .health = server->health,
        .samples = server->samples, .archive = server->archive, .held = server->held, .webhooks = server->webhooks, .clock_doubted = &server->clock_doubted,
    };
    return true;
}

static bool start_http(struct server *server, const struct server_config *config, const char *host, int threads, struct err *err)
{
    const struct http_config http_config = {
        .host = host, .port = config->port, .threads = threads, .tls = server->tls, .handler = routes_handle, .context = &server->paths,
    };
    server->http = http_start(&http_config, err);
    return server->http != NULL;
}

static bool start_listener(struct server *server, const struct server_config *config, const char *host, struct err *err)
{
    const struct listener_config listener_config = {
        .host = config->agent_host != NULL ? config->agent_host : host, .port = config->agent_port,
        .connections_max = config->agent_links > 0 ? (size_t)config->agent_links : CONNECTIONS_USUAL, .tls = server->tls,
        .ops = &agent_connection_ops, .context = &server->paths.agent_port,
    };
    server->listener = listener_start(&listener_config, err);
    return server->listener != NULL;
}

/* The address in a form that works on this machine: 0.0.0.0 is everywhere, and so on loopback too. */
static const char *make_url(struct server *server, const char *host, int port)
{
    bool any4 = strcmp(host, "0.0.0.0") == 0, any6 = strcmp(host, "::") == 0, six = strchr(host, ':') != NULL;
    const char *shown = any4 ? "127.0.0.1" : any6 ? "::1" : host;
    return arena_printf(&server->texts, six ? "%s://[%s]:%d" : "%s://%s:%d", server->paths.front.addresses.scheme, shown, port).ptr;
}

/* The same host as in `url`, which members.c has checked, with another port. */
static struct str url_beside(struct server *server, const char *url, int port)
{
    struct str text = str_from(url), scheme = str_slice(text, 0, str_starts_with(text, STR("https://")) ? 8 : 7), host = str_slice(text, scheme.len, text.len);
    size_t slash = str_find(host, '/');
    host = str_slice(host, 0, slash);
    for (size_t c = host.len; c > 0 && host.ptr[c - 1] != ']'; c--) {
        if (host.ptr[c - 1] != ':') { continue; }
        host = str_slice(host, 0, c - 1);
        break;
    }
    return arena_printf(&server->texts, STR_FMT STR_FMT ":%d", STR_ARG(scheme), STR_ARG(host), port);
}

/* Before `stopping` is taken back: until then no handler runs. */
static void note_addresses(struct server *server, const struct server_config *config, const char *host)
{
    struct front_addresses *addresses = &server->paths.front.addresses;
    addresses->api_port = http_port(server->http);
    addresses->agent_port = listener_port(server->listener);
    ASSERT(addresses->api_port > 0 && addresses->agent_port > 0);
    server->url = make_url(server, host, addresses->api_port);
    server->agent_url = make_url(server, config->agent_host != NULL ? config->agent_host : host, addresses->agent_port);
    server->paths.metrics.http = server->http;
    server->paths.metrics.listener = server->listener;
    server->api.join = addresses->api.len > 0 ? addresses->api : str_from(server->url);
    if (server->members != NULL && !addresses->agents_given) {
        addresses->agents_given = true;
        server->api.endpoint = url_beside(server, config->advertise, addresses->agent_port);
    }
    if (!addresses->agents_given) { server->api.endpoint = str_from(server->agent_url); }
}

/* Whole boards take megabytes while they are printed. By itself glibc learns from the first such block to keep such blocks on its heaps, of which
 * there are eight a core. */
static void give_memory_back(void)
{
    enum { LARGE = 1024 * 1024, KEPT = 4 * 1024 * 1024 };
    (void)mallopt(M_MMAP_THRESHOLD, LARGE);              /* these are the system's again when they are freed */
    (void)mallopt(M_TRIM_THRESHOLD, KEPT);
}

struct server *server_start(const struct server_config *config, struct err *err)
{
    give_memory_back();
    const char *host = config->host != NULL ? config->host : "127.0.0.1";
    const char *data_dir = config->data_dir != NULL ? config->data_dir : "berth-data";
    int threads = config->threads > 0 ? config->threads : THREADS_USUAL;
    struct server *server = calloc(1, sizeof *server);
    ASSERT(server != NULL);
    atomic_store(&server->stopping, true);                /* nobody is served before everything is there */
    arena_init(&server->texts, TEXTS_CEILING);
    server->lock = -1;
    read_settings(server, config);
    server->pulls = pulls_create();
    server->agent_logs = agent_logs_create();
    server->last_run = last_run_create();
    server->stream = stream_create(threads / 2 < VIEWERS_MAX ? (size_t)(threads / 2) : VIEWERS_MAX);
    server->events = event_cache_create();
    server->boards = board_cache_create();
    bool good = check_clock(err) && start_members(server, config, data_dir, threads, err) && start_store(server, config, data_dir, err)
        && start_writer(server, config, err)
        && start_memory(server, config, data_dir, host, err);
    if (good) { start_auth(server, config, host); }
    good = good && start_tls(server, config, host, err) && start_logs(server, config, data_dir, err)
        && start_sessions(server, config, threads, err) && start_figures(server, config, data_dir, err) && lend_parts(server, config)
        && start_http(server, config, host, threads, err)
        && start_listener(server, config, host, err) && finish_writer(server, err);
    if (good) {
        note_addresses(server, config, host);
        good = start_ticker(server, err) && provision_start(server->provision, server->writer, err) && webhooks_start(server->webhooks, server->writer, err)
            && stepper_start(server->stepper, server->writer, err)
            && (server->members == NULL || member_start(members_member(server->members), err));
    }
    if (!good) {
        server_stop(server);
        return NULL;
    }
    atomic_store(&server->stopping, false);
    return server;
}

const struct paths *server_paths(const struct server *server) { return &server->paths; }

int server_port(const struct server *server) { return http_port(server->http); }

const char *server_url(const struct server *server) { return server->url; }
const char *server_agent_url(const struct server *server) { return server->agent_url; }

bool server_is_over(struct server *server, struct err *err)
{
    return store_is_over(server->store, err) || (server->members != NULL && member_is_over(members_member(server->members), err));
}

void server_stop(struct server *server)
{
    if (server == NULL) { return; }
    atomic_store(&server->stopping, true);
    if (server->members != NULL) { member_stop(members_member(server->members)); }
    if (server->sessions != NULL) { sessions_stop(server->sessions); }
    if (server->stream != NULL) { stream_stop(server->stream); }
    if (server->logs != NULL) { logs_stop(server->logs); }
    if (server->exec != NULL) { exec_stop(server->exec); }
    ticker_stop(server->ticker);
    target_checks_free(server->target_checks);
    stepper_stop(server->stepper);
    calls_stop(server->calls);
    provision_stop(server->provision);
    webhooks_stop(server->webhooks);
    if (server->http != NULL) { http_finish_running(server->http, STOP_PATIENCE_MS); }
    http_stop(server->http);                              /* before the listener, which /metrics asks */
    listener_stop(server->listener);
    writer_stop(server->writer);
    stepper_free(server->stepper);
    service_calls_free(server->service_calls);
    provision_free(server->provision);
    webhooks_free(server->webhooks);
    calls_free(server->calls);
    headroom_destroy(server->headroom);
    health_counts_destroy(server->health);
    archive_close(server->archive);
    held_finish(server);
    samples_destroy(server->samples);
    requests_destroy(server->requests);
    client_metrics_destroy(server->client_metrics);
    pulls_destroy(server->pulls);
    agent_logs_destroy(server->agent_logs);
    last_run_destroy(server->last_run);
    sessions_destroy(server->sessions);
    command_sessions_destroy(server->commands);
    exec_destroy(server->exec);
    stream_destroy(server->stream);
    event_cache_destroy(server->events);
    board_cache_destroy(server->boards);
    task_logs_destroy(server->logs);
    auth_destroy(server->auth);
    tls_destroy(server->tls);
    store_close(server->store);
    members_free(server->members);
    if (server->lock >= 0) { (void)close(server->lock); }
    arena_finish(&server->texts);
    free(server);
}
