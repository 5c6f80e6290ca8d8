/* config.h: the settings of every command. One table gives each its name, and from the name follow the flag (--name), the
 * environment variable (BERTH_NAME) and the word in a --config file. Strongest first: flag, environment, file, the ECS agent's
 * own settings (agent only), default. Unknown names are refused. */
#ifndef BERTH_CLI_SETTINGS_CONFIG_H
#define BERTH_CLI_SETTINGS_CONFIG_H

#include "base/arena.h"
#include "base/err.h"

enum command { COMMAND_DEV, COMMAND_SERVER, COMMAND_AGENT, COMMAND_KEYS, COMMAND_TLS, COMMAND_LOGS, COMMAND_EXEC, COMMAND_HISTORY,
    COMMAND_WHATIF, COMMAND_WHY, COMMAND_HEADROOM, COMMAND_QUEUE, COMMAND_IDLE, COMMAND_USAGE, COMMAND_SERVICES, COMMAND_DEPLOY, COMMAND_WATCH, COMMAND_GPU,
    COMMAND_CAPACITY, COMMAND_HA, COMMAND_TOP, COMMAND_FEED, COMMAND_INGRESS, COMMAND_DOCTOR, COMMAND_CHECK, COMMAND_VERSION, COMMAND_COUNT };

/* A setting's subject in --help and the manual, in their order. */
#define GROUP_TABLE(X) /* enum, title */                                        \
    X(GROUP_CONNECTION, "Connection")                                           \
    X(GROUP_PLACE,      "Cluster and region")                                   \
    X(GROUP_TASKS,      "Tasks")                                                \
    X(GROUP_PROXY,      "Proxy")                                                \
    X(GROUP_ACCESS,     "Keys and TLS")                                         \
    X(GROUP_HA,         "Several servers")                                      \
    X(GROUP_MACHINE,    "Machines")                                             \
    X(GROUP_CONTAINERS, "Containers")                                           \
    X(GROUP_IMAGES,     "Images")                                               \
    X(GROUP_GPUS,       "GPUs")                                                 \
    X(GROUP_KEEPING,    "How long things are kept")                             \
    X(GROUP_SIMULATION, "Simulation")                                           \
    X(GROUP_GENERAL,    "General")

#define X(id, title) id,
enum setting_group { GROUP_TABLE(X) GROUP_COUNT };
#undef X

enum setting_use { COMMON, RARE };                       /* RARE: only in --help-all, and in --help of a command with few settings */

#define SETTING_TABLE(X) /* enum, name, metavar, default, kind, commands, group, common or rare, help; a default of NULL is "not set" */            \
    X(SETTING_JOIN, "join", "URL,...", NULL, KIND_URLS, FOR(AGENT) | FOR(DOCTOR), GROUP_CONNECTION, COMMON,                                              \
      "the server to join (required), or several of one state")                                                                                         \
    X(SETTING_SERVER, "server", "URL", "http://127.0.0.1:9280", KIND_URL, FOR_ASKING, GROUP_CONNECTION, COMMON, "the server to ask")                \
    X(SETTING_LISTEN, "listen", "HOST:PORT", "127.0.0.1:9280", KIND_ADDRESS, FOR(DEV) | FOR(SERVER), GROUP_CONNECTION, COMMON,                      \
      "address for clients and the dashboard")                                                                                                      \
    X(SETTING_AGENT_LISTEN, "agent-listen", "HOST:PORT", NULL, KIND_ADDRESS, FOR(DEV) | FOR(SERVER), GROUP_CONNECTION, COMMON,                      \
      "address for waiting agents (default: host of --listen, port + 1)")                                                                           \
    X(SETTING_ENDPOINT, "endpoint", "URL", NULL, KIND_URL, FOR(SERVER), GROUP_CONNECTION, COMMON,                                                   \
      "URL given to agents, for --agent-listen (default: the host that the agent used)")                                                            \
    X(SETTING_API_ENDPOINT, "api-endpoint", "URL", NULL, KIND_URL, FOR(SERVER), GROUP_CONNECTION, RARE,                                             \
      "URL of --listen for logs from machines of the ECS agent, and for machines of provisioners (default: the host that the agent used)")            \
    X(SETTING_AGENT_LINKS, "agent-links", "N", "16384", KIND_NUMBER, FOR(DEV) | FOR(SERVER), GROUP_CONNECTION, RARE,                                \
      "most connections of agents at once")                                                                                                         \
    X(SETTING_THREADS, "threads", "N", "256", KIND_NUMBER, FOR(DEV) | FOR(SERVER), GROUP_CONNECTION, RARE,                                          \
      "most connections of clients at once; above three quarters, each is closed after its answer")                                                      \
    X(SETTING_CA, "ca", "FILE", NULL, KIND_TEXT, FOR(AGENT) | FOR_ASKING | FOR(DOCTOR), GROUP_CONNECTION, COMMON,                                   \
      "authority of an https server, in PEM (default: AWS_CA_BUNDLE, else those of the system)")                                                    \
    X(SETTING_CLUSTER, "cluster", "NAME", "default", KIND_TEXT, FOR(DEV) | FOR(AGENT) | FOR(LOGS) | FOR(EXEC), GROUP_PLACE, COMMON, "the cluster")  \
    X(SETTING_HISTORY_CLUSTER, "cluster", "NAME", NULL, KIND_TEXT,                                                                                     \
      FOR(HISTORY) | FOR(HEADROOM) | FOR(QUEUE) | FOR(IDLE) | FOR(USAGE) | FOR(TOP), GROUP_PLACE, COMMON,                                              \
      "only this cluster (default: all)")                                                                                                           \
    X(SETTING_ASKED_CLUSTER, "cluster", "NAME", NULL, KIND_TEXT, FOR(WHATIF) | FOR(WHY) | FOR(SERVICES) | FOR(DEPLOY), GROUP_PLACE, COMMON,         \
      "the cluster (default: default)")                                                                                                             \
    X(SETTING_REGION, "region", "NAME", "us-east-1", KIND_NAME,                                                                                     \
      FOR(DEV) | FOR(SERVER) | FOR(AGENT) | FOR_ASKING | FOR(DOCTOR), GROUP_PLACE, COMMON,                                                          \
      "the region in ARNs and signatures")                                                                                                          \
    X(SETTING_ACCOUNT, "account", "DIGITS", "123456789012", KIND_ACCOUNT, FOR(DEV) | FOR(SERVER), GROUP_PLACE, RARE,                                \
      "the account in ARNs, 12 digits")                                                                                                             \
    X(SETTING_TASK_DEFINITION, "task-definition", "FAMILY[:REVISION]", NULL, KIND_TEXT, FOR(WHATIF) | FOR(WHY) | FOR(DEPLOY), GROUP_TASKS, COMMON,  \
      "the task definition to run")                                                                                                                 \
    X(SETTING_IMAGE, "image", "[CONTAINER=]IMAGE,...", NULL, KIND_LIST, FOR(DEPLOY), GROUP_TASKS, COMMON,                                           \
      "register a new revision of the task definition with this image, and run it; may be given more than once")                                    \
    X(SETTING_DESIRED_COUNT, "desired-count", "N", NULL, KIND_NUMBER, FOR(WHATIF) | FOR(DEPLOY), GROUP_TASKS, COMMON,                               \
      "how many tasks the service keeps running")                                                                                                   \
    X(SETTING_DRAIN, "drain", "MACHINE", NULL, KIND_TEXT, FOR(WHATIF), GROUP_TASKS, COMMON,                                                         \
      "a machine: its name, id or ARN")                                                                                                             \
    X(SETTING_FORCE, "force", NULL, NULL, KIND_FLAG, FOR(WHATIF) | FOR(DEPLOY), GROUP_TASKS, COMMON,                                                \
      "start a new deployment even if nothing has changed")                                                                                         \
    X(SETTING_TIMEOUT, "timeout", "TIME", "30m", KIND_DURATION, FOR(DEPLOY), GROUP_TASKS, COMMON, "how long to wait for the end of the deployment") \
    X(SETTING_SCALING_MINUTE, "scaling-minute", "TIME", "60s", KIND_DURATION, FOR(DEV) | FOR(SERVER), GROUP_TASKS, RARE,                            \
      "how long a minute lasts when services scale, 1s to 60s: with 20s they scale out after one minute instead of three")                          \
    X(SETTING_PROVISION_TIMEOUT, "provision-timeout", "TIME", "30m", KIND_DURATION, FOR(DEV) | FOR(SERVER), GROUP_TASKS, RARE,                      \
      "how long a task waits for a machine of its capacity provider; at least 1s. The tag berth:queue sets another time for a task or a service")     \
    X(SETTING_COUNT_OF_TASKS, "count", "N", NULL, KIND_NUMBER, FOR(WHATIF) | FOR(WHY), GROUP_TASKS, COMMON,                                         \
      "how many tasks, 1 to 10 (default: 1)")                                                                                                       \
    X(SETTING_GROUP, "group", "NAME", NULL, KIND_TEXT, FOR(WHATIF), GROUP_TASKS, COMMON, "the group of the tasks")                                  \
    X(SETTING_CONSTRAINTS, "placement-constraints", "TEXT", NULL, KIND_TEXT, FOR(WHATIF), GROUP_TASKS, COMMON,                                      \
      "type=distinctInstance, type=memberOf,expression=..., or a JSON list")                                                                        \
    X(SETTING_STRATEGY, "placement-strategy", "TEXT", NULL, KIND_TEXT, FOR(WHATIF), GROUP_TASKS, COMMON, "type=spread,field=..., or a JSON list")   \
    X(SETTING_TAGS, "tags", "TEXT", NULL, KIND_TEXT, FOR(WHATIF), GROUP_TASKS, COMMON, "key=berth:gang,value=true, or a JSON list")                 \
    X(SETTING_OVERRIDES, "overrides", "JSON", NULL, KIND_TEXT, FOR(WHATIF), GROUP_TASKS, COMMON, "the overrides of RunTask")                        \
    X(SETTING_INPUT, "cli-input-json", "JSON|file://PATH", NULL, KIND_TEXT, FOR(WHATIF), GROUP_TASKS, COMMON,                                       \
      "the input of RunTask or UpdateService; other flags override it")                                                                             \
    X(SETTING_FAMILY, "family", "NAME[:REVISION]", NULL, KIND_TEXT, FOR(HISTORY), GROUP_TASKS, COMMON, "only this family, or this revision of it")  \
    X(SETTING_STARTED_BY, "started-by", "TEXT", NULL, KIND_TEXT, FOR(HISTORY), GROUP_TASKS, COMMON, "only tasks with this startedBy")               \
    X(SETTING_SINCE, "since", "TIME", NULL, KIND_TEXT, FOR(HISTORY), GROUP_TASKS, COMMON,                                                           \
      "only tasks that stopped in the last TIME: 30m, 24h, 7d")                                                                                     \
    X(SETTING_UNTIL, "until", "TIME", NULL, KIND_TEXT, FOR(HISTORY) | FOR(USAGE), GROUP_TASKS, COMMON, "only up to TIME ago")                          \
    X(SETTING_BY, "by", "WHOM", "family", KIND_TEXT, FOR(USAGE), GROUP_TASKS, COMMON, "tag:KEY, family, service, startedBy or cluster")                \
    X(SETTING_USAGE_SINCE, "since", "TIME", "7d", KIND_TEXT, FOR(USAGE), GROUP_TASKS, COMMON, "only the time since TIME ago")                          \
    X(SETTING_CSV, "csv", NULL, NULL, KIND_FLAG, FOR(USAGE), GROUP_GENERAL, COMMON, "comma-separated values, for spreadsheets")                        \
    X(SETTING_LIMIT, "limit", "N", "20", KIND_NUMBER, FOR(HISTORY), GROUP_TASKS, COMMON, "show at most N tasks; 0: all")                            \
    X(SETTING_CONTAINER, "container", "NAME", NULL, KIND_TEXT, FOR(LOGS) | FOR(EXEC), GROUP_TASKS, COMMON,                                          \
      "the container (default: all; exec: the only one)")                                                                                           \
    X(SETTING_FOLLOW, "follow", NULL, NULL, KIND_FLAG, FOR(LOGS), GROUP_TASKS, COMMON, "keep printing until the task has stopped")                  \
    X(SETTING_SOCKET, "socket", "PATH", NULL, KIND_TEXT, FOR(FEED), GROUP_PROXY, COMMON,                                                            \
      "haproxy: its stats socket, with level admin, or the socket of its master")                                                                   \
    X(SETTING_ADMIN, "admin", "URL", "http://127.0.0.1:2019", KIND_URL, FOR(FEED), GROUP_PROXY, COMMON, "caddy: its admin API")                     \
    X(SETTING_FILE, "file", "PATH", NULL, KIND_TEXT, FOR(FEED), GROUP_PROXY, COMMON, "the file to write, for all kinds but haproxy and caddy")      \
    X(SETTING_RELOAD, "reload", "COMMAND", NULL, KIND_TEXT, FOR(FEED), GROUP_PROXY, COMMON, "a command for the shell, run when the file has changed")\
    X(SETTING_FEED_ONCE, "once", NULL, NULL, KIND_FLAG, FOR(FEED), GROUP_PROXY, COMMON, "apply the present state, and end")                         \
    X(SETTING_FEED_NAME, "name", "NAME", NULL, KIND_NAME, FOR(FEED) | FOR(INGRESS), GROUP_PROXY, COMMON,                                            \
      "the name of this proxy at the server (default: its kind and the host name)")                                                                 \
    X(SETTING_INGRESS, "ingress", NULL, NULL, KIND_FLAG, FOR(DEV), GROUP_PROXY, COMMON,                                                             \
      "run HAProxy for the listeners of load balancers too, as berth ingress does")                                                                 \
    X(SETTING_PROXY, "proxy", "PROGRAM", "haproxy", KIND_TEXT, FOR(DEV) | FOR(INGRESS), GROUP_PROXY, RARE,                                          \
      "the program of HAProxy, 2.6 or newer")                                                                                                       \
    X(SETTING_CONFIG_ONLY, "config-only", NULL, NULL, KIND_FLAG, FOR(INGRESS), GROUP_PROXY, COMMON,                                                 \
      "print the configuration of HAProxy, and end")                                                                                                \
    X(SETTING_MAP_PORTS, "map-ports", "[BALANCER:]PORT=PORT,...", NULL, KIND_LIST, FOR(DEV) | FOR(INGRESS), GROUP_PROXY, RARE,                      \
      "listen on the second port for listeners of the first; may be given more than once")                                                          \
    X(SETTING_CERTIFICATES, "certificates", "DIR", NULL, KIND_TEXT, FOR(DEV) | FOR(INGRESS), GROUP_PROXY, RARE,                                     \
      "certificates with their keys: ID.pem, where ID is the end of the ARN in a listener, or default.pem")                                         \
    X(SETTING_ACCESS_LOG, "access-log", "stdout|off|HOST:PORT|PATH", "stdout", KIND_TEXT, FOR(DEV) | FOR(INGRESS), GROUP_PROXY, RARE,               \
      "where requests are logged: standard output, nowhere, or a syslog server")                                                                    \
    X(SETTING_METRICS, "metrics", "HOST:PORT", NULL, KIND_ADDRESS, FOR(DEV) | FOR(INGRESS), GROUP_PROXY, RARE,                                      \
      "address for /metrics: requests, errors and sessions by target group (default: none)")                                                        \
    X(SETTING_EXPRESS_DOMAIN, "express-domain", "HOST:PORT", "express.localhost:8080", KIND_ADDRESS, FOR(DEV) | FOR(SERVER), GROUP_PROXY, RARE,     \
      "where new Express services are reached: NAME.HOST, at this port of the machine of berth ingress")                                            \
    X(SETTING_TLS_CERT, "tls-cert", "FILE", NULL, KIND_TEXT, FOR(SERVER), GROUP_ACCESS, COMMON,                                                     \
      "use TLS on both ports, with this certificate chain in PEM")                                                                                  \
    X(SETTING_TLS_KEY, "tls-key", "FILE", NULL, KIND_TEXT, FOR(SERVER), GROUP_ACCESS, COMMON, "the private key of --tls-cert, in PEM")              \
    X(SETTING_HA, "ha", "etcd://HOST:PORT,.../NAME", NULL, KIND_TEXT, FOR(SERVER) | FOR(DOCTOR), GROUP_HA, COMMON,                                  \
      "be one of several servers with one state, whose log is in this etcd; etcds:// for TLS")                                                      \
    X(SETTING_ADVERTISE, "advertise", "URL", NULL, KIND_URL, FOR(SERVER), GROUP_HA, COMMON,                                                         \
      "the URL at which the other servers and the agents reach this one")                                                                           \
    X(SETTING_HA_MEMBER, "ha-member", "NAME", NULL, KIND_NAME, FOR(SERVER), GROUP_HA, COMMON,                                                       \
      "the name of this server among them (default: the host name)")                                                                                \
    X(SETTING_HA_LEASE, "ha-lease", "TIME", "3s", KIND_DURATION, FOR(SERVER), GROUP_HA, RARE,                                                       \
      "how long a server that leads and says nothing is waited for, 2s to 30s")                                                                     \
    X(SETTING_HA_SEAL, "ha-seal", NULL, NULL, KIND_FLAG, FOR(SERVER), GROUP_HA, RARE,                                                               \
      "encrypt what goes into etcd, with a key that only the servers have")                                                                         \
    X(SETTING_MAX_STALE, "max-stale", "TIME", "10s", KIND_DURATION, FOR(SERVER), GROUP_HA, RARE,                                                    \
      "how old the state may be that the page and local reads show, while this server has not all of the log")                                       \
    X(SETTING_HA_CA, "ha-ca", "FILE", NULL, KIND_TEXT, FOR(SERVER) | FOR(DOCTOR), GROUP_HA, RARE,                                                   \
      "authority of etcd and of the other servers, in PEM")                                                                                         \
    X(SETTING_HA_CERT, "ha-cert", "FILE", NULL, KIND_TEXT, FOR(SERVER) | FOR(DOCTOR), GROUP_HA, RARE,                                               \
      "the certificate that etcd and the other servers get to see, in PEM")                                                                            \
    X(SETTING_HA_KEY, "ha-key", "FILE", NULL, KIND_TEXT, FOR(SERVER) | FOR(DOCTOR), GROUP_HA, RARE,                                                 \
      "the private key of --ha-cert, in PEM")                                                                                                       \
    X(SETTING_HA_USER, "ha-user", "NAME", NULL, KIND_TEXT, FOR(SERVER) | FOR(DOCTOR), GROUP_HA, RARE,                                               \
      "the user for etcd; set its password in the environment")                                                                                     \
    X(SETTING_HA_PASSWORD, "ha-password", "TEXT", NULL, KIND_TEXT, FOR(SERVER) | FOR(DOCTOR), GROUP_HA, RARE,                                       \
      "the password of --ha-user")                                                                                                                  \
    X(SETTING_HOST, "host", "NAME,...", NULL, KIND_TEXT, FOR(TLS), GROUP_ACCESS, COMMON,                                                            \
      "create: names and addresses that clients use for the server")                                                                                \
    X(SETTING_OPEN_DASHBOARD, "open-dashboard", "loopback|off", NULL, KIND_DASHBOARD, FOR(DEV) | FOR(SERVER), GROUP_ACCESS, COMMON,                 \
      "who reads without a key: users of this machine, or nobody (default: off, but loopback in dev, and in a server on loopback that never "       \
      "had a key)")                                                                                                                                 \
    X(SETTING_ROLE_KEYS, "role-keys-last", "TIME", "6h", KIND_DURATION, FOR(DEV) | FOR(SERVER), GROUP_ACCESS, RARE,                                 \
      "how long the temporary keys of a task's role are valid; renewed at half of it")                                                              \
    X(SETTING_ROOT_ID, "root-access-key-id", "ID", NULL, KIND_TEXT, FOR(DEV) | FOR(SERVER), GROUP_ACCESS, RARE,                                     \
      "the id of the first access key; set it and its secret in the environment")                                                                   \
    X(SETTING_ROOT_SECRET, "root-secret-access-key", "SECRET", NULL, KIND_TEXT, FOR(DEV) | FOR(SERVER), GROUP_ACCESS, RARE,                         \
      "the secret of the first access key")                                                                                                         \
    X(SETTING_USER, "user", "NAME", NULL, KIND_NAME, FOR(KEYS), GROUP_ACCESS, COMMON,                                                               \
      "create: the user of the key (default: the name of the role)")                                                                                \
    X(SETTING_ROLE, "role", "admin|agent|viewer", "admin", KIND_ROLE, FOR(KEYS), GROUP_ACCESS, COMMON, "create: what the key may do")               \
    X(SETTING_KEY_CLUSTER, "cluster", "NAME", NULL, KIND_TEXT, FOR(KEYS), GROUP_ACCESS, COMMON,                                                     \
      "create: bind an agent's key to this cluster (default: with --instance, default)")                                                            \
    X(SETTING_KEY_INSTANCE, "instance", "NAME|ID|ARN", NULL, KIND_TEXT, FOR(KEYS), GROUP_ACCESS, COMMON,                                            \
      "create: bind an agent's key to this machine")                                                                                                \
    X(SETTING_NAME, "name", "NAME", NULL, KIND_TEXT, FOR(AGENT), GROUP_MACHINE, COMMON, "the name of this machine (default: its host name)")        \
    X(SETTING_ATTRIBUTES, "instance-attributes", "JSON", NULL, KIND_TEXT, FOR(AGENT), GROUP_MACHINE, COMMON,                                        \
      "custom attributes: a JSON object of strings")                                                                                                \
    X(SETTING_MACHINE_ID, "machine-id", "ID", NULL, KIND_TEXT, FOR(AGENT), GROUP_MACHINE, RARE,                                                     \
      "the id or the handle of this machine at the provisioner that has started it")                                                                \
    X(SETTING_MACHINE_TOKEN, "machine-token", "WORD", NULL, KIND_TEXT, FOR(AGENT), GROUP_MACHINE, RARE,                                             \
      "the token of the order of this machine; best given as BERTH_MACHINE_TOKEN")                                                                  \
    X(SETTING_PROVISIONERS, "provisioners", "FILE", NULL, KIND_TEXT, FOR(DEV) | FOR(SERVER), GROUP_MACHINE, RARE,                                   \
      "programs that start and end machines for Auto Scaling groups: a JSON object, see docs/provisioners.md (default: none)")                      \
    X(SETTING_INSTANCE_TYPES, "instance-types", "FILE", NULL, KIND_TEXT, FOR(DEV) | FOR(SERVER) | FOR(AGENT), GROUP_MACHINE, RARE,                  \
      "types of machines of yours, and prices: a CSV file, see docs/provisioners.md. An agent needs it for --fake (default: none)")                 \
    X(SETTING_RESERVED_MEMORY, "reserved-memory", "MIB", "0", KIND_NUMBER, FOR(AGENT), GROUP_MACHINE, RARE, "memory that tasks cannot use")         \
    X(SETTING_ADDRESS, "address", "ADDRESS", NULL, KIND_TEXT, FOR(AGENT), GROUP_MACHINE, RARE,                                                      \
      "where tasks of a gang on other machines reach this one (default: its own address on the way to the server)")                                 \
    X(SETTING_SAMPLE_INTERVAL, "sample-interval", "TIME", "10s", KIND_DURATION, FOR(DEV) | FOR(AGENT), GROUP_MACHINE, RARE,                         \
      "how often the agent reports the use of GPUs and containers; 0s: never")                                                                      \
    X(SETTING_SPOT_DRAINING, "spot-draining", NULL, NULL, KIND_FLAG, FOR(AGENT), GROUP_MACHINE, COMMON,                                             \
      "drain when the cloud says that it will take the machine away")                                                                               \
    X(SETTING_NOTICE_FILE, "spot-notice-file", "PATH", NULL, KIND_TEXT, FOR(AGENT), GROUP_MACHINE, RARE,                                            \
      "drain when this file says that the machine will be taken away (default: notice.json in --data)")                                             \
    X(SETTING_NOTICE_IN, "in", "TIME", "120s", KIND_DURATION, FOR(AGENT), GROUP_MACHINE, RARE, "notice: when the machine will be taken away")       \
    X(SETTING_FENCE_AFTER, "fence-after", "TIME", "0s", KIND_DURATION, FOR(SERVER), GROUP_MACHINE, COMMON,                                          \
      "a machine that cannot reach the server for this long stops its tasks; a minute later they count as stopped; 0s: never")                      \
    X(SETTING_ECS_CONFIG, "ecs-config", "FILE", NULL, KIND_TEXT, FOR(AGENT), GROUP_MACHINE, RARE,                                                   \
      "settings of the ECS agent (default: /etc/ecs/ecs.config if it exists)")                                                                      \
    X(SETTING_RUNTIME, "runtime", "auto|docker|process", "auto", KIND_RUNTIME, FOR(DEV) | FOR(AGENT), GROUP_CONTAINERS, COMMON,                     \
      "auto: Docker; in dev, processes without it")                                                                                                 \
    X(SETTING_DOCKER_SOCKET, "docker-socket", "PATH", "/var/run/docker.sock", KIND_TEXT,                                                            \
      FOR(DEV) | FOR(AGENT) | FOR(DOCTOR), GROUP_CONTAINERS, RARE,                                                                                  \
      "the socket of the Docker Engine")                                                                                                            \
    X(SETTING_STOP_TIMEOUT, "stop-timeout", "TIME", "30s", KIND_DURATION, FOR(AGENT), GROUP_CONTAINERS, COMMON,                                     \
      "time to stop, for containers without stopTimeout")                                                                                           \
    X(SETTING_TASK_CLEANUP_WAIT, "task-cleanup-wait", "TIME", "3h", KIND_DURATION, FOR(AGENT), GROUP_CONTAINERS, RARE,                              \
      "how long the containers of a stopped task are kept; 0s: not at all")                                                                         \
    X(SETTING_ALLOW_VOLUMES, "allow-volumes", "DIR,...", NULL, KIND_TEXT, FOR(DEV) | FOR(AGENT), GROUP_CONTAINERS, COMMON,                          \
      "host folders that tasks may mount (default: none)")                                                                                          \
    X(SETTING_NO_PRIVILEGED, "no-privileged", NULL, NULL, KIND_FLAG, FOR(AGENT), GROUP_CONTAINERS, COMMON,                                          \
      "refuse privileged containers and added rights: docs/agents.md")                                                                              \
    X(SETTING_ALLOW_DEVICES, "allow-devices", "PATH,...", NULL, KIND_TEXT, FOR(AGENT), GROUP_CONTAINERS, RARE,                                      \
      "devices that containers may ask for (default: all but GPUs; with --no-privileged, none)")                                                    \
    X(SETTING_TASK_SUBNET, "task-subnet", "CIDR", NULL, KIND_TEXT, FOR(DEV) | FOR(AGENT), GROUP_CONTAINERS, RARE,                                   \
      "addresses for tasks with the network mode awsvpc (default: chosen by Docker)")                                                               \
    X(SETTING_DYNAMIC_PORTS, "dynamic-ports", "FIRST-LAST", NULL, KIND_TEXT, FOR(AGENT), GROUP_CONTAINERS, RARE,                                    \
      "host ports for containers that name none (default: 49153-65535)")                                                                            \
    X(SETTING_METADATA, "metadata-listen", "auto|loopback|off|HOST:PORT", "auto", KIND_TEXT, FOR(AGENT), GROUP_CONTAINERS, RARE,                    \
      "address for containers that ask for metadata and keys; auto: 169.254.170.2:80 if possible, else 127.0.0.1")                                  \
    X(SETTING_S3_ENDPOINT, "s3-endpoint", "URL", NULL, KIND_TEXT, FOR(DEV) | FOR(AGENT), GROUP_CONTAINERS, RARE,                                    \
      "the S3 store of environmentFiles, or file:///DIR for DIR/BUCKET/KEY")                                                                        \
    X(SETTING_S3_PROFILE, "s3-profile", "NAME", NULL, KIND_TEXT, FOR(DEV) | FOR(AGENT), GROUP_CONTAINERS, RARE,                                     \
      "profile in the AWS credentials file for --s3-endpoint (default: the agent's own keys)")                                                      \
    X(SETTING_IMAGE_PULL, "image-pull", "default|always|once|prefer-cached", "default", KIND_IMAGE_PULL,                                            \
      FOR(DEV) | FOR(AGENT), GROUP_IMAGES, COMMON,                                                                                                  \
      "when images are pulled: docs/images.md")                                                                                                     \
    X(SETTING_REGISTRY_AUTH, "registry-auth", "FILE", NULL, KIND_TEXT, FOR(DEV) | FOR(AGENT), GROUP_IMAGES, COMMON,                                 \
      "logins for registries, a file like ~/.docker/config.json")                                                                                   \
    X(SETTING_REGISTRY_AUTH_DATA, "registry-auth-data", "JSON", NULL, KIND_TEXT, FOR(AGENT), GROUP_IMAGES, RARE,                                    \
      "logins for registries; set it in the environment only")                                                                                      \
    X(SETTING_IMAGE_PULL_TIMEOUT, "image-pull-timeout", "TIME", "2h", KIND_DURATION, FOR(AGENT), GROUP_IMAGES, RARE, "most time for one pull")      \
    X(SETTING_IMAGE_PULL_INACTIVITY, "image-pull-inactivity-timeout", "TIME", "1m", KIND_DURATION, FOR(AGENT), GROUP_IMAGES, RARE,                  \
      "most time for a pull without progress")                                                                                                      \
    X(SETTING_PRE_PULL, "pre-pull", "IMAGE,...", NULL, KIND_TEXT, FOR(AGENT), GROUP_IMAGES, RARE, "images to pull before a task needs them")        \
    X(SETTING_NO_IMAGE_CLEANUP, "no-image-cleanup", NULL, NULL, KIND_FLAG, FOR(AGENT), GROUP_IMAGES, RARE, "never remove unused images")            \
    X(SETTING_IMAGE_CLEANUP_INTERVAL, "image-cleanup-interval", "TIME", "30m", KIND_DURATION, FOR(AGENT), GROUP_IMAGES, RARE,                       \
      "how often unused images are removed")                                                                                                        \
    X(SETTING_IMAGE_MINIMUM_AGE, "image-minimum-age", "TIME", "1h", KIND_DURATION, FOR(AGENT), GROUP_IMAGES, RARE,                                  \
      "how long an image is kept after its pull, used or not")                                                                                      \
    X(SETTING_IMAGES_PER_CLEANUP, "images-per-cleanup", "N", "5", KIND_NUMBER, FOR(AGENT), GROUP_IMAGES, RARE,                                      \
      "most unused images removed at a time")                                                                                                       \
    X(SETTING_NO_MPS, "no-mps", NULL, NULL, KIND_FLAG, FOR(AGENT), GROUP_GPUS, RARE,                                                                \
      "do not start NVIDIA's MPS for GPUs that are shared: tasks are not held to their shares")                                                     \
    X(SETTING_GPU_SUPPORT, "gpu-support", "auto|on|off", "auto", KIND_GPU_SUPPORT, FOR(AGENT) | FOR(DOCTOR), GROUP_GPUS, COMMON,                    \
      "use GPUs; on: do not start without one")                                                                                                     \
    X(SETTING_CUDA, "cuda", "VERSION", NULL, KIND_TEXT, FOR(DOCTOR), GROUP_GPUS, COMMON,                                                            \
      "check that the driver can run images with this CUDA version, such as 12.4")                                                                  \
    X(SETTING_REASON, "reason", "TEXT", NULL, KIND_TEXT, FOR(GPU), GROUP_GPUS, COMMON, "quarantine: the reason, shown to others")                   \
    X(SETTING_KEEP_STOPPED, "keep-stopped", "TIME", "1h", KIND_DURATION, FOR(DEV) | FOR(SERVER), GROUP_KEEPING, COMMON,                             \
      "how long stopped tasks can be described; at least 1h")                                                                                       \
    X(SETTING_KEEP_INACTIVE, "keep-inactive", "TIME", "1h", KIND_DURATION, FOR(DEV) | FOR(SERVER), GROUP_KEEPING, RARE,                             \
      "how long deregistered machines can be described; longer while a task that ran there can be")                                                 \
    X(SETTING_IDLE_AFTER, "idle-after", "TIME", "10m", KIND_DURATION, FOR(DEV) | FOR(SERVER), GROUP_GPUS, RARE,                                     \
      "how long the use of a held GPU stays below --idle-below before it counts as idle; 0s: never")                                                \
    X(SETTING_IDLE_BELOW, "idle-below", "PERCENT", "5", KIND_NUMBER, FOR(DEV) | FOR(SERVER), GROUP_GPUS, RARE,                                      \
      "use below which a held GPU is idle")                                                                                                         \
    X(SETTING_KEEP_EVENTS, "keep-events", "TIME", NULL, KIND_DURATION, FOR(DEV) | FOR(SERVER), GROUP_KEEPING, RARE,                                 \
      "how long events in EventBridge's form are kept: docs/events.md (default: 24h with --webhooks, otherwise none is written)")                   \
    X(SETTING_WEBHOOKS, "webhooks", "FILE", NULL, KIND_TEXT, FOR(DEV) | FOR(SERVER), GROUP_KEEPING, RARE,                                           \
      "addresses that get each event: a JSON object, see docs/events.md (default: none)")                                                           \
    X(SETTING_KEEP_HISTORY, "keep-history", "TIME", "30d", KIND_DURATION, FOR(DEV) | FOR(SERVER), GROUP_KEEPING, COMMON,                            \
      "how long the history keeps tasks; 0s: no history")                                                                                           \
    X(SETTING_METRICS_SPACE, "metrics-space", "MIB", "10240", KIND_NUMBER, FOR(DEV) | FOR(SERVER), GROUP_KEEPING, RARE,                             \
      "most space for a day and a month of metrics, 0.11 MiB a GPU; 0: none are kept")                                                                \
    X(SETTING_HISTORY_LOGS, "history-logs", "MIB", "4096", KIND_NUMBER, FOR(DEV) | FOR(SERVER), GROUP_KEEPING, RARE,                                \
      "most space for the ends of logs in the history; the oldest are removed first")                                                               \
    X(SETTING_FAKE, "fake", "TYPE[:N],...", NULL, KIND_TEXT, FOR(AGENT), GROUP_SIMULATION, COMMON,                                                  \
      "simulate machines of these types, instead of this one")                                                                                      \
    X(SETTING_FAKE_GPUS, "fake-gpus", "MODEL:N", "V100:4", KIND_TEXT, FOR(DEV), GROUP_SIMULATION, COMMON,                                           \
      "GPUs to simulate if this machine has none")                                                                                                  \
    X(SETTING_AGENT_FAKE_GPUS, "fake-gpus", "MODEL:N", NULL, KIND_TEXT, FOR(AGENT), GROUP_SIMULATION, COMMON, "simulate GPUs on this machine")      \
    X(SETTING_NO_FAKE, "no-fake", NULL, NULL, KIND_FLAG, FOR(DEV), GROUP_SIMULATION, COMMON, "simulate no GPUs")                                    \
    X(SETTING_FAKE_TASK_TIME, "fake-task-time", "TIME", "0s", KIND_DURATION, FOR(AGENT), GROUP_SIMULATION, RARE,                                    \
      "how long a simulated task runs; 0s: until it is stopped")                                                                                    \
    X(SETTING_FAKE_SILENT, "fake-silent", NULL, NULL, KIND_FLAG, FOR(AGENT), GROUP_SIMULATION, RARE, "simulated tasks print nothing")               \
    X(SETTING_FAKE_FAULTS, "fake-faults", "MACHINE/GPU=EVENT@AFTER[+FOR],...", NULL, KIND_TEXT, FOR(AGENT), GROUP_SIMULATION, RARE,                 \
      "simulated GPUs that fail, such as p3.16xlarge-1/5=xid79@10s+1m; events: xidNUMBER, gone, memory; of the GPU \"targets\": codeNUMBER, timeout,"     \
      " refused")                                                                                                                                   \
    X(SETTING_DATA, "data", "DIR", NULL, KIND_TEXT,                                                                                                 \
      FOR(DEV) | FOR(SERVER) | FOR(AGENT) | FOR(KEYS) | FOR(DOCTOR) | FOR(CHECK) | FOR(TLS) | FOR(HA), GROUP_GENERAL, COMMON,                       \
      "the data folder (default: berth-data; agent: berth-agent-data)")                                                                             \
    X(SETTING_INGRESS_DATA, "data", "DIR", "berth-ingress-data", KIND_TEXT, FOR(INGRESS), GROUP_GENERAL, COMMON,                                    \
      "the folder of its files: HAProxy's configuration and socket")                                                                                \
    X(SETTING_CONFIG, "config", "FILE", NULL, KIND_TEXT, FOR_ALL, GROUP_GENERAL, COMMON, "read settings from FILE, lines of `name = value`")        \
    X(SETTING_OUTPUT, "output", "text|json", "text", KIND_OUTPUT,                                                                                   \
      FOR(KEYS) | FOR(HISTORY) | FOR(WHATIF) | FOR(WHY) | FOR(HEADROOM) | FOR(QUEUE) | FOR(IDLE) | FOR(USAGE) | FOR(SERVICES) | FOR(GPU)               \
      | FOR(HA) | FOR(TOP) | FOR(DOCTOR) | FOR(CHECK), GROUP_GENERAL, COMMON, "json: for programs")                                                        \
    X(SETTING_TOP_GPUS, "gpus", NULL, NULL, KIND_FLAG, FOR(TOP), GROUP_GENERAL, COMMON, "one line per GPU (on a terminal, c changes it)")         \
    X(SETTING_ONCE, "once", NULL, NULL, KIND_FLAG, FOR(TOP), GROUP_GENERAL, COMMON,                                                                 \
      "print one table and end (default: when the output is no terminal)")                                                                          \
    X(SETTING_STRICT_AWS, "strict-aws", NULL, NULL, KIND_FLAG, FOR(DEV) | FOR(SERVER), GROUP_GENERAL, RARE,                                         \
      "reject requests that ECS rejects, instead of accepting them with a warning")                                                                 \
    X(SETTING_LOG_LEVEL, "log-level", "debug|info|warn|error", "info", KIND_LOG_LEVEL, FOR_ALL, GROUP_GENERAL, RARE,                                \
      "how much to log on standard error")

#define X(id, name, metavar, fallback, kind, commands, group, use, help) id,
enum setting { SETTING_TABLE(X) SETTING_COUNT };
#undef X

enum setting_kind {
    KIND_TEXT, KIND_LIST, KIND_FLAG, KIND_NUMBER, KIND_DURATION, KIND_ADDRESS, KIND_URL, KIND_URLS, KIND_NAME, KIND_ACCOUNT, KIND_RUNTIME,
    KIND_GPU_SUPPORT, KIND_IMAGE_PULL, KIND_DASHBOARD, KIND_ROLE, KIND_OUTPUT, KIND_LOG_LEVEL, SETTING_KIND_COUNT
};
/* One row of SETTING_TABLE. `metavar` is NULL for a flag; `fallback` is the default, NULL: not set. */
struct setting_row {
    const char *name, *metavar, *fallback, *help;
    enum setting_kind kind; unsigned commands;           /* commands: a bit each, 1 << COMMAND_... */
    enum setting_group group; enum setting_use use;
};
extern const struct setting_row config_rows[SETTING_COUNT];
bool config_row_is_for(enum setting setting, enum command command);

enum config_help { HELP_NONE, HELP_COMMON, HELP_ALL };

enum { CONFIG_ARGUMENTS_MAX = 4 };
struct config {
    enum command command;
    const char *values[SETTING_COUNT];                   /* NUL-terminated, in the arena; NULL: not set */
    const char *arguments[CONFIG_ARGUMENTS_MAX]; size_t argument_count;   /* words that are not flags */
    char *const *rest; size_t rest_count;                /* after a `--`, borrowed from the sources */
    enum config_help help;                               /* not HELP_NONE: --help or --help-all was given, and nothing else was checked */
};

/* The sources of settings, as arguments, so that tests need no separate process. */
struct config_sources {
    int argc; char *const *argv;                         /* after the command's name */
    char *const *environment;                            /* "NAME=value", ends with NULL */
    const char *default_ecs_config;                      /* read when it exists and none is named; NULL: none */
};

/* False and ERR_INVALID_PARAMETER with a sentence that names the setting, its source, and the allowed values. */
bool config_read(enum command command, const struct config_sources *sources, struct config *config, struct arena *arena, struct err *err);

const char *config_text(const struct config *config, enum setting setting);              /* NULL: not set */
bool        config_flag(const struct config *config, enum setting setting);
int64_t     config_number(const struct config *config, enum setting setting);            /* checked before: never fails */
int64_t     config_duration_ms(const struct config *config, enum setting setting);

#endif
