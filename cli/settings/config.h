/* config.h: the settings of every command. One table gives each its name, and from the name follow the flag (--name), the
 * environment variable (BERTH_NAME) and the word in a --config file. Strongest first: flag, environment, file, the ECS agent's
 * own settings (agent only), default. What no row knows is refused. */
#ifndef BERTH_CLI_SETTINGS_CONFIG_H
#define BERTH_CLI_SETTINGS_CONFIG_H

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"

enum command { COMMAND_DEV, COMMAND_SERVER, COMMAND_AGENT, COMMAND_KEYS, COMMAND_TLS, COMMAND_LOGS, COMMAND_EXEC, COMMAND_HISTORY,
    COMMAND_WHATIF, COMMAND_WHY, COMMAND_HEADROOM, COMMAND_GPU, COMMAND_TOP, COMMAND_DOCTOR,
    COMMAND_VERSION, COMMAND_COUNT };

#define SETTING_TABLE(X) /* enum, name, metavar, default, kind, commands, help; a default of NULL is "not set" */                    \
    X(SETTING_CONFIG, "config", "FILE", NULL, KIND_TEXT, FOR_ALL, "read settings from FILE, lines of `name = value`")               \
    X(SETTING_DATA, "data", "DIR", NULL, KIND_TEXT, FOR(DEV) | FOR(SERVER) | FOR(AGENT) | FOR(KEYS) | FOR(DOCTOR) | FOR(TLS),        \
      "keep state in DIR (dev, server, keys, tls: berth-data; agent: berth-agent-data)")                                                 \
    X(SETTING_LISTEN, "listen", "HOST:PORT", "127.0.0.1:9280", KIND_ADDRESS, FOR(DEV) | FOR(SERVER), "where to listen")             \
    X(SETTING_AGENT_LISTEN, "agent-listen", "HOST:PORT", NULL, KIND_ADDRESS, FOR(DEV) | FOR(SERVER),                                 \
      "where agents' long polls and websockets come in (default: the host of --listen, its port and one)")                           \
    X(SETTING_AGENT_LINKS, "agent-links", "N", "16384", KIND_NUMBER, FOR(DEV) | FOR(SERVER), "agents' connections at once")         \
    X(SETTING_ENDPOINT, "endpoint", "URL", NULL, KIND_URL, FOR(SERVER),                                                             \
      "what agents are told to connect to, a way to --agent-listen (unset: the name that the asking agent called, and its port)")   \
    X(SETTING_API_ENDPOINT, "api-endpoint", "URL", NULL, KIND_URL, FOR(SERVER),                                                     \
      "where Docker on machines of the ECS agent writes logs, a way to --listen (unset: the name that their agent called, and that port)") \
    X(SETTING_TLS_CERT, "tls-cert", "FILE", NULL, KIND_TEXT, FOR(SERVER),                                                           \
      "speak TLS on both ports, with this certificate (PEM, its chain behind it); with tls-key")                                    \
    X(SETTING_TLS_KEY, "tls-key", "FILE", NULL, KIND_TEXT, FOR(SERVER), "the certificate's key (PEM)")                              \
    X(SETTING_HOST, "host", "NAME,...", NULL, KIND_TEXT, FOR(TLS), "create: names and addresses by which clients call the server")   \
    X(SETTING_REGION, "region", "NAME", "us-east-1", KIND_NAME, FOR(DEV) | FOR(SERVER) | FOR(AGENT) | FOR_ASKING | FOR(DOCTOR),      \
      "the region that requests are signed for and that stands in ARNs")                                                            \
    X(SETTING_ACCOUNT, "account", "DIGITS", "123456789012", KIND_ACCOUNT, FOR(DEV) | FOR(SERVER),                                   \
      "the account that stands in ARNs, 12 digits")                                                                                 \
    X(SETTING_THREADS, "threads", "N", "256", KIND_NUMBER, FOR(DEV) | FOR(SERVER), "connections of the API at once; past three quarters, answers end them") \
    X(SETTING_KEEP_STOPPED, "keep-stopped", "TIME", "1h", KIND_DURATION, FOR(DEV) | FOR(SERVER),                                    \
      "how long a stopped task can be described, an hour or more")                                                                  \
    X(SETTING_KEEP_INACTIVE, "keep-inactive", "TIME", "1h", KIND_DURATION, FOR(DEV) | FOR(SERVER),                                  \
      "how long a deregistered machine can be described, once no task that ran there can be")                                       \
    X(SETTING_KEEP_HISTORY, "keep-history", "TIME", "30d", KIND_DURATION, FOR(DEV) | FOR(SERVER),                                   \
      "how long the history knows a stopped task; 0s: no history")                                                                  \
    X(SETTING_HISTORY_LOGS, "history-logs", "MIB", "4096", KIND_NUMBER, FOR(DEV) | FOR(SERVER),                                     \
      "how much the ends of logs in the history may take, all together; then the oldest go")                                       \
    X(SETTING_ROLE_KEYS, "role-keys-last", "TIME", "6h", KIND_DURATION, FOR(DEV) | FOR(SERVER),                                     \
      "how long the temporary keys of a task's role are good; new ones come at half of it")                                         \
    X(SETTING_FENCE_AFTER, "fence-after", "TIME", "0s", KIND_DURATION, FOR(SERVER),                                                  \
      "machines that can't reach the server for so long stop their tasks, and a minute later they count as stopped; 0s: never")     \
    X(SETTING_OPEN_DASHBOARD, "open-dashboard", "loopback|off", NULL, KIND_DASHBOARD, FOR(DEV) | FOR(SERVER),                        \
      "who reads on this machine needs no key (unset: loopback in dev; off in server, unless it listens on loopback and no key was ever made)") \
    X(SETTING_STRICT_AWS, "strict-aws", NULL, NULL, KIND_FLAG, FOR(DEV) | FOR(SERVER),                                              \
      "refuse what ECS refuses, where Berth would read it kindly and warn")                                                         \
    X(SETTING_ROOT_ID, "root-access-key-id", "ID", NULL, KIND_TEXT, FOR(DEV) | FOR(SERVER),                                         \
      "the first access key, with root-secret-access-key; put both into the environment")                                           \
    X(SETTING_ROOT_SECRET, "root-secret-access-key", "SECRET", NULL, KIND_TEXT, FOR(DEV) | FOR(SERVER), "its secret")               \
    X(SETTING_JOIN, "join", "URL", NULL, KIND_URL, FOR(AGENT) | FOR(DOCTOR), "the server to join (required)")                        \
    X(SETTING_CLUSTER, "cluster", "NAME", "default", KIND_TEXT, FOR(DEV) | FOR(AGENT) | FOR(LOGS) | FOR(EXEC), "the cluster")       \
    X(SETTING_RUNTIME, "runtime", "auto|docker|process", "auto", KIND_RUNTIME, FOR(DEV) | FOR(AGENT),                               \
      "what runs containers; auto is Docker, and in dev plain processes where Docker does not answer")                              \
    X(SETTING_DOCKER_SOCKET, "docker-socket", "PATH", "/var/run/docker.sock", KIND_TEXT, FOR(DEV) | FOR(AGENT) | FOR(DOCTOR),        \
      "the Docker Engine's socket")                                                                                                 \
    X(SETTING_S3_ENDPOINT, "s3-endpoint", "URL", NULL, KIND_TEXT, FOR(DEV) | FOR(AGENT),                                             \
      "where environmentFiles come from: an S3-compatible store, or file:///DIR for DIR/BUCKET/KEY")                                \
    X(SETTING_S3_PROFILE, "s3-profile", "NAME", NULL, KIND_TEXT, FOR(DEV) | FOR(AGENT),                                              \
      "the profile of the AWS credentials file whose keys that store knows (default: the agent's own keys)")                        \
    X(SETTING_FAKE, "fake", "TYPE[:N],...", NULL, KIND_TEXT, FOR(AGENT),                                                            \
      "simulate machines of these instance types instead of joining with this one")                                                 \
    X(SETTING_FAKE_TASK_TIME, "fake-task-time", "TIME", "0s", KIND_DURATION, FOR(AGENT),                                            \
      "how long a simulated task runs; 0s: until it is stopped")                                                                    \
    X(SETTING_FAKE_SILENT, "fake-silent", NULL, NULL, KIND_FLAG, FOR(AGENT), "simulated tasks print nothing")                        \
    X(SETTING_FAKE_FAULTS, "fake-faults", "MACHINE/GPU=EVENT@AFTER[+FOR],...", NULL, KIND_TEXT, FOR(AGENT),                             \
      "simulated GPUs that fail, as in p3.16xlarge-1/5=xid79@10s+1m; events are xid and its number, gone, memory")                  \
    X(SETTING_FAKE_GPUS, "fake-gpus", "MODEL:N", "V100:4", KIND_TEXT, FOR(DEV),                                                     \
      "GPUs to simulate when this machine has none")                                                                                \
    X(SETTING_AGENT_FAKE_GPUS, "fake-gpus", "MODEL:N", NULL, KIND_TEXT, FOR(AGENT), "simulate GPUs on this machine, for trying things out") \
    X(SETTING_NO_FAKE, "no-fake", NULL, NULL, KIND_FLAG, FOR(DEV), "simulate no GPUs")                                              \
    X(SETTING_GPU_SUPPORT, "gpu-support", "auto|on|off", "auto", KIND_GPU_SUPPORT, FOR(AGENT) | FOR(DOCTOR),                         \
      "use the machine's GPUs; on: refuse to start without one")                                                                    \
    X(SETTING_ATTRIBUTES, "instance-attributes", "JSON", NULL, KIND_TEXT, FOR(AGENT), "custom attributes, an object of strings")    \
    X(SETTING_NAME, "name", "NAME", NULL, KIND_TEXT, FOR(AGENT), "what to call this machine (default: its host name)")              \
    X(SETTING_METADATA, "metadata-listen", "auto|loopback|off|HOST:PORT", "auto", KIND_TEXT, FOR(AGENT),                             \
      "where containers find their metadata and keys; auto: 169.254.170.2:80 where the agent may, else 127.0.0.1")                  \
    X(SETTING_RESERVED_MEMORY, "reserved-memory", "MIB", "0", KIND_NUMBER, FOR(AGENT), "memory that tasks can't have")              \
    X(SETTING_STOP_TIMEOUT, "stop-timeout", "TIME", "30s", KIND_DURATION, FOR(AGENT),                                               \
      "from SIGTERM to SIGKILL for containers that name no stopTimeout")                                                            \
    X(SETTING_ALLOW_VOLUMES, "allow-volumes", "DIR,...", NULL, KIND_TEXT, FOR(DEV) | FOR(AGENT),                                    \
      "directories of this machine that tasks may mount, with all below them (default: none)")                                      \
    X(SETTING_DYNAMIC_PORTS, "dynamic-ports", "FIRST-LAST", NULL, KIND_TEXT, FOR(AGENT),                                            \
      "host ports for those that a definition leaves open (default: 49153-65535)")                                                  \
    X(SETTING_NO_PRIVILEGED, "no-privileged", NULL, NULL, KIND_FLAG, FOR(AGENT),                                                    \
      "run no privileged containers, nor any with added capabilities, devices or name spaces of the host: docs/agents.md")          \
    X(SETTING_ALLOW_DEVICES, "allow-devices", "PATH,...", NULL, KIND_TEXT, FOR(AGENT),                                              \
      "devices that containers may ask for (default: all but GPUs, or none with --no-privileged)")                                  \
    X(SETTING_ADDRESS, "address", "ADDRESS", NULL, KIND_TEXT, FOR(AGENT),                                                           \
      "under which other machines reach this one, for gangs (default: the address that it reaches the server from)")                \
    X(SETTING_SPOT_DRAINING, "spot-draining", NULL, NULL, KIND_FLAG, FOR(AGENT),                                                     \
      "ask the cloud's metadata service whether this machine will be taken away")                                                   \
    X(SETTING_NOTICE_FILE, "spot-notice-file", "PATH", NULL, KIND_TEXT, FOR(AGENT),                                                 \
      "word that this machine will be taken away (default: notice.json in --data)")                                                 \
    X(SETTING_NOTICE_IN, "in", "TIME", "120s", KIND_DURATION, FOR(AGENT), "notice: when the machine will be taken away")            \
    X(SETTING_TASK_SUBNET, "task-subnet", "CIDR", NULL, KIND_TEXT, FOR(DEV) | FOR(AGENT),                                           \
      "addresses for tasks with the network mode awsvpc (default: Docker chooses)")                                                 \
    X(SETTING_IMAGE_PULL, "image-pull", "default|always|once|prefer-cached", "default", KIND_IMAGE_PULL, FOR(DEV) | FOR(AGENT),     \
      "when images are pulled: docs/images.md")                                                                                     \
    X(SETTING_IMAGE_PULL_TIMEOUT, "image-pull-timeout", "TIME", "2h", KIND_DURATION, FOR(AGENT), "how long one pull may take")      \
    X(SETTING_IMAGE_PULL_INACTIVITY, "image-pull-inactivity-timeout", "TIME", "1m", KIND_DURATION, FOR(AGENT),                      \
      "how long a pull may make no progress")                                                                                       \
    X(SETTING_REGISTRY_AUTH, "registry-auth", "FILE", NULL, KIND_TEXT, FOR(DEV) | FOR(AGENT),                                       \
      "logins for registries, a file like ~/.docker/config.json; read again for each pull")                                         \
    X(SETTING_REGISTRY_AUTH_DATA, "registry-auth-data", "JSON", NULL, KIND_TEXT, FOR(AGENT),                                        \
      "logins for registries; put it into the environment, not on the command line")                                                \
    X(SETTING_NO_IMAGE_CLEANUP, "no-image-cleanup", NULL, NULL, KIND_FLAG, FOR(AGENT), "keep images that nobody uses any more")     \
    X(SETTING_IMAGE_CLEANUP_INTERVAL, "image-cleanup-interval", "TIME", "30m", KIND_DURATION, FOR(AGENT), "how often unused images go")\
    X(SETTING_IMAGE_MINIMUM_AGE, "image-minimum-age", "TIME", "1h", KIND_DURATION, FOR(AGENT),                                      \
      "how long an image stays after it was pulled, used or not")                                                                   \
    X(SETTING_IMAGES_PER_CLEANUP, "images-per-cleanup", "N", "5", KIND_NUMBER, FOR(AGENT), "how many unused images go at a time")   \
    X(SETTING_PRE_PULL, "pre-pull", "IMAGE,...", NULL, KIND_TEXT, FOR(AGENT), "images to pull before a task wants them")            \
    X(SETTING_TASK_CLEANUP_WAIT, "task-cleanup-wait", "TIME", "3h", KIND_DURATION, FOR(AGENT),                                      \
      "how long a stopped task's containers are kept; 0s: not at all")                                                              \
    X(SETTING_SAMPLE_INTERVAL, "sample-interval", "TIME", "10s", KIND_DURATION, FOR(DEV) | FOR(AGENT),                               \
      "how often the agent tells what GPUs and containers use; 0s: never")                                                                       \
    X(SETTING_ECS_CONFIG, "ecs-config", "FILE", NULL, KIND_TEXT, FOR(AGENT),                                                        \
      "the ECS agent's own settings (default: /etc/ecs/ecs.config when it is there)")                                               \
    X(SETTING_USER, "user", "NAME", NULL, KIND_NAME, FOR(KEYS), "create: whom the key is for (default: what --role says)")          \
    X(SETTING_ROLE, "role", "admin|agent|viewer", "admin", KIND_ROLE, FOR(KEYS), "create: what the key may do")                     \
    X(SETTING_KEY_CLUSTER, "cluster", "NAME", NULL, KIND_TEXT, FOR(KEYS),                                                           \
      "create: bind an agent's key to this cluster (default with --instance: default)")                                             \
    X(SETTING_KEY_INSTANCE, "instance", "NAME|ID|ARN", NULL, KIND_TEXT, FOR(KEYS), "create: bind an agent's key to this machine")   \
    X(SETTING_OUTPUT, "output", "text|json", "text", KIND_OUTPUT,                                   \
      FOR(KEYS) | FOR(HISTORY) | FOR(WHATIF) | FOR(WHY) | FOR(HEADROOM) | FOR(GPU) | FOR(TOP) | FOR(DOCTOR), \
      "json is for programs (keys: in the names of IAM)")                                                                           \
    X(SETTING_SERVER, "server", "URL", "http://127.0.0.1:9280", KIND_URL, FOR_ASKING, "the server to ask")                          \
    X(SETTING_CA, "ca", "FILE", NULL, KIND_TEXT, FOR(AGENT) | FOR_ASKING | FOR(DOCTOR),                                              \
      "believe an https server whose certificate this authority signed (PEM; default: AWS_CA_BUNDLE, or whom the system trusts)")   \
    X(SETTING_CONTAINER, "container", "NAME", NULL, KIND_TEXT, FOR(LOGS) | FOR(EXEC), "only this container; exec: in this one")         \
    X(SETTING_FOLLOW, "follow", NULL, NULL, KIND_FLAG, FOR(LOGS), "go on until the task has stopped")                               \
    X(SETTING_HISTORY_CLUSTER, "cluster", "NAME", NULL, KIND_TEXT, FOR(HISTORY) | FOR(HEADROOM) | FOR(TOP), "only this cluster")               \
    X(SETTING_FAMILY, "family", "NAME[:REVISION]", NULL, KIND_TEXT, FOR(HISTORY), "only this family, or one revision of it")        \
    X(SETTING_STARTED_BY, "started-by", "TEXT", NULL, KIND_TEXT, FOR(HISTORY), "only what was started by this")                     \
    X(SETTING_SINCE, "since", "TIME", NULL, KIND_TEXT, FOR(HISTORY), "only what stopped in the last TIME: 30m, 24h, 7d")            \
    X(SETTING_UNTIL, "until", "TIME", NULL, KIND_TEXT, FOR(HISTORY), "only what stopped before that: TIME ago")                     \
    X(SETTING_LIMIT, "limit", "N", "20", KIND_NUMBER, FOR(HISTORY), "at most so many tasks; 0: all")                                \
    X(SETTING_ASKED_CLUSTER, "cluster", "NAME", NULL, KIND_TEXT, FOR(WHATIF) | FOR(WHY), "the cluster (default: default)")          \
    X(SETTING_TASK_DEFINITION, "task-definition", "FAMILY[:REVISION]", NULL, KIND_TEXT, FOR(WHATIF) | FOR(WHY), "what would run")   \
    X(SETTING_COUNT_OF_TASKS, "count", "N", NULL, KIND_NUMBER, FOR(WHATIF) | FOR(WHY), "so many tasks, 1 to 10 (default: 1)")       \
    X(SETTING_CUDA, "cuda", "VERSION", NULL, KIND_TEXT, FOR(DOCTOR), "is the driver new enough for images with this CUDA, as in 12.4?") \
    X(SETTING_REASON, "reason", "TEXT", NULL, KIND_TEXT, FOR(GPU), "quarantine: why, for others to read")                           \
    X(SETTING_ONCE, "once", NULL, NULL, KIND_FLAG, FOR(TOP), "print one table and end, as it does when its output is no terminal")   \
    X(SETTING_GROUP, "group", "NAME", NULL, KIND_TEXT, FOR(WHATIF), "the group of the tasks")                                       \
    X(SETTING_CONSTRAINTS, "placement-constraints", "TEXT", NULL, KIND_TEXT, FOR(WHATIF),                                           \
      "type=distinctInstance, type=memberOf,expression=..., or a list as JSON")                                                     \
    X(SETTING_STRATEGY, "placement-strategy", "TEXT", NULL, KIND_TEXT, FOR(WHATIF), "type=spread,field=..., or a list as JSON")     \
    X(SETTING_TAGS, "tags", "TEXT", NULL, KIND_TEXT, FOR(WHATIF), "key=berth:gang,value=true, or a list as JSON")                   \
    X(SETTING_OVERRIDES, "overrides", "JSON", NULL, KIND_TEXT, FOR(WHATIF), "as of RunTask")                                        \
    X(SETTING_INPUT, "cli-input-json", "JSON|file://PATH", NULL, KIND_TEXT, FOR(WHATIF), "RunTask's input; what is said beside it wins") \
    X(SETTING_LOG_LEVEL, "log-level", "debug|info|warn|error", "info", KIND_LOG_LEVEL, FOR_ALL, "how much to tell on standard error")

#define X(id, name, metavar, fallback, kind, commands, help) id,
enum setting { SETTING_TABLE(X) SETTING_COUNT };
#undef X

enum { CONFIG_ARGUMENTS_MAX = 4 };
struct config {
    enum command command;
    const char *values[SETTING_COUNT];                   /* NUL-terminated, in the arena; NULL: not set */
    const char *arguments[CONFIG_ARGUMENTS_MAX]; size_t argument_count;   /* words that are no flags */
    char *const *rest; size_t rest_count;                /* behind a `--`, borrowed from the sources */
    bool help;                                           /* --help stood there: nothing else was checked */
};

/* Where settings come from, handed in so that tests need no process of their own. */
struct config_sources {
    int argc; char *const *argv;                         /* behind the command's name */
    char *const *environment;                            /* "NAME=value", ends with NULL */
    const char *default_ecs_config;                      /* read when it exists and none is named; NULL: none */
};

/* False and ERR_INVALID_PARAMETER with a sentence that names the setting, where it stood, and what would be right. */
bool config_read(enum command command, const struct config_sources *sources, struct config *config, struct arena *arena, struct err *err);

const char *config_text(const struct config *config, enum setting setting);              /* NULL: not set */
bool        config_flag(const struct config *config, enum setting setting);
int64_t     config_number(const struct config *config, enum setting setting);            /* checked before: never fails */
int64_t     config_duration_ms(const struct config *config, enum setting setting);
void        config_print_settings(enum command command, FILE *out);                      /* the settings part of --help */

#endif
