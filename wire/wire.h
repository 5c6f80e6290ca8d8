/* wire.h: the messages between the server and an agent, in the ECS agent's own shapes: envelopes {"type":…,"message":{…}}
 * with payloads, acks, heartbeats and manifests. Berth's agent gets them by long polling (struct poll_request), the ECS agent
 * over its websocket. Knows shapes only. Both sides use this header, and the agent uses nothing else of api/. */
#ifndef BERTH_WIRE_WIRE_H
#define BERTH_WIRE_WIRE_H

#include "model/ecs/taskdef.h"
#include "model/schema.h"
#include "wire/gpu_figure.h"

/* ---- the protocol's number: which versions of server and of Berth's own agent work together ----
 *
 * Each side sends the newest and the oldest number that it speaks; they fit if these ranges overlap. New members, messages
 * and reasons need no new number, because each side ignores what it does not know. Any other change needs a new number. */
enum {
    PROTOCOL_NEWEST = 1,
    PROTOCOL_OLDEST = 1,
    PROTOCOL_UNTOLD = 1,                             /* for peers without a number: they are older than the numbers */
    PROTOCOL_MAX = 1000000,
};
#define PROTOCOL_ATTRIBUTE        "berth.protocol"           /* attributes of an agent's registration: newest, and oldest */
#define PROTOCOL_OLDEST_ATTRIBUTE "berth.oldest-protocol"
struct protocol_range { int64_t oldest, newest; };
enum protocol_fit { PROTOCOL_FITS, PROTOCOL_TOO_OLD, PROTOCOL_TOO_NEW };      /* too old, too new: theirs, for us */
enum protocol_fit protocol_fit(struct protocol_range ours, struct protocol_range theirs);
/* For the server about an agent, or the reverse: false and *err (ERR_CLIENT) with the side to update. `version`:
 * the peer's, may be empty. */
bool protocol_check_agent(struct protocol_range agent, struct str version, struct err *err);
bool protocol_check_server(struct protocol_range server, struct str version, struct err *err);

/* POST /berth/v1/agent/poll. One open poll per session; answered at once when there are messages, after wait_seconds with a
 * HeartbeatMessage when there are none. A message is sent again until its id is in `acks` of a later poll. */
struct poll_request {
    struct str cluster, container_instance;          /* as registered: ARN */
    struct str session;                              /* absent in the first poll of a connection */
    struct str_list acks;                            /* messageIds of the last answers */
    struct str_list stop_candidates;                 /* task ARNs that run here and were not in the last manifest */
    struct opt_int wait_seconds;                     /* 0 … 25 */
    struct opt_int lease_seconds;                    /* the lease that it uses now, 0: none; absent: it does not know leases */
    struct opt_int checks;                           /* the number of the BerthChecksMessage that it follows, 0: none; absent: it does not know them */
    struct opt_int protocol, oldest_protocol;        /* newest and oldest that it speaks; absent: PROTOCOL_UNTOLD */
};
extern const struct schema poll_request_schema;
/* The answer is {"session":"…","messages":[envelope, …],"protocol":N,"oldestProtocol":N,"version":"…","leaseSeconds":N}.
 * leaseSeconds is present if the server fences: an agent
 * stops its tasks by itself when its last answered poll was sent longer ago than that. */

/* Reasons for a task's end in an agent's report: each has a stop code of ECS. */
#define WIRE_REASON_SPOT   "Your Spot Task was interrupted"
#define WIRE_REASON_FENCED "The machine was out of the server's reach for longer than its lease"
/* From the end of its lease a machine takes at most FENCE_STOP_S to stop its tasks; the server waits FENCE_MARGIN_S. */
enum { FENCE_STOP_S = 30, FENCE_MARGIN_S = 60 };

struct wire_association { struct str name, type; struct str_list containers; };   /* type "gpu": name is the UUID, one container */
struct wire_association_list { struct wire_association *items; size_t count; };

/* A value by reference: provider "ssm" or "asm"; type "ENVIRONMENT_VARIABLE" with target "CONTAINER", or "BOOTSTRAP" with
 * "LOG_DRIVER": then `name` is an option of the log driver. */
struct wire_secret { struct str name, value_from, region, provider, type, target; };
struct wire_secret_list { struct wire_secret *items; size_t count; };

struct wire_docker_config { struct str config, host_config, version; };           /* JSON texts, laid over the agent's own */
/* type "asm": a name and a password, kept in Secrets Manager. There is no "ecr": Berth has no key to an AWS account, and the ECS
 * agent would then ignore the logins in its own settings. */
struct wire_asm_auth { struct str credentials_parameter, region; };
struct wire_registry_auth { struct str type; struct wire_asm_auth *asm_auth; };
struct wire_container {
    struct str name, image, container_arn;
    struct str_list command, entry_point, links;
    struct opt_int cpu, memory;                      /* shares, MiB */
    enum opt_bool essential;
    struct pair_list environment;                    /* final: overrides merged */
    struct environment_file_list environment_files;  /* the first file with a variable wins; `environment` overrides all files */
    struct wire_secret_list secrets;
    struct port_mapping_list port_mappings;
    struct mount_point_list mount_points;
    struct volume_from_list volumes_from;
    struct container_dependency_list depends_on;
    struct opt_int start_timeout, stop_timeout;      /* seconds */
    struct container_restart_policy *restart_policy;
    struct str overrides;                            /* "{}" */
    struct wire_docker_config *docker_config;
    struct wire_registry_auth *registry_authentication;
    struct str health_check_type;                    /* "docker" when there is a health check */
    struct str logs_auth_strategy;                   /* "ExecutionRole": Docker's awslogs driver writes with that role's keys */
};
struct wire_container_list { struct wire_container *items; size_t count; };

/* A network interface for a task with its own address: only the name that the agent uses in reports. The agent chooses the address. */
struct wire_interface { struct str attachment_arn; };
struct wire_interface_list { struct wire_interface *items; size_t count; };

struct wire_host_volume { struct str source_path; };
/* type "host": a bind mount, or without a path a volume that is removed with the task; type "docker": as configured. */
struct wire_volume { struct str name, type; struct wire_host_volume *host; struct docker_volume_configuration *docker; };
struct wire_volume_list { struct wire_volume *items; size_t count; };

/* Temporary keys of a role. credentialsId is the secret part of the address at which containers ask for them. */
struct wire_role_credentials {
    struct str credentials_id, role_arn, access_key_id, secret_access_key, session_token, expiration, credential_scope;
};
extern const struct schema wire_role_credentials_schema;

struct wire_task {
    struct str arn, task_cluster_arn, family, version, desired_status, overrides, network_mode, launch_type, group;
    struct str pid_mode, ipc_mode;                   /* "host", "task", "none"; absent: each container its own */
    struct opt_double cpu;                           /* vCPU; unset: no limit for the task as a whole */
    struct opt_int memory;                           /* MiB */
    struct wire_association_list associations;
    struct wire_interface_list interfaces;
    struct wire_volume_list volumes;
    struct wire_container_list containers;
    struct str task_definition_account_id;
    struct wire_role_credentials *role_credentials, *execution_role_credentials;      /* NULL: it has no such role */
};
struct wire_task_list { struct wire_task *items; size_t count; };

struct wire_payload {                                /* "PayloadMessage": one task each */
    struct str cluster_arn, container_instance_arn, message_id;
    struct opt_int generated_at, seq_num, timeline;
    struct wire_task_list tasks;
};
extern const struct schema wire_payload_schema;

struct wire_heartbeat { struct str message_id; enum opt_bool healthy; };          /* "HeartbeatMessage" */
extern const struct schema wire_heartbeat_schema;

struct wire_manifest_task { struct str task_arn, task_cluster_arn, desired_status; };
struct wire_manifest_task_list { struct wire_manifest_task *items; size_t count; };
struct wire_manifest {                               /* "TaskManifestMessage": all that should run here */
    struct str cluster_arn, container_instance_arn, message_id;
    struct opt_int generated_at, timeline;
    struct wire_manifest_task_list tasks;
};
extern const struct schema wire_manifest_schema;

struct wire_stop_ack {                               /* "TaskStopVerificationAck": stop exactly these */
    struct str message_id;
    struct opt_int generated_at;
    struct wire_manifest_task_list stop_tasks;
};
extern const struct schema wire_stop_ack_schema;

struct wire_role_message {                           /* "IAMRoleCredentialsMessage": new keys under the old id */
    struct str message_id, task_arn, task_cluster_arn, role_type;                 /* "TaskApplication", "TaskExecution" */
    struct wire_role_credentials *role_credentials;
};
extern const struct schema wire_role_message_schema;

/* POST /berth/v1/agent/reports: events of tasks, of one machine or of many: {"reports":[{…}, …]}, one or more, each in the shape of
 * SubmitTaskStateChange's input. They are taken in this order and answered one by one, as that operation would have answered:
 * {"answers":[{"acknowledgment":"ACK"},{"__type":"InvalidParameterException","message":"…"}]}. A refused one does not affect the others.
 * Older versions of the agent send a single report as that operation, as the ECS agent does. */
enum { WIRE_REPORTS_MAX = 256 };

enum { PULLS_TOLD_MAX = 8 };
struct pull_news { struct str image; struct opt_int layers, layers_done, bytes, bytes_known; };      /* bytes_known: of layers whose size is known */
struct pull_news_list { struct pull_news *items; size_t count; };
struct pull_report {                                 /* POST /berth/v1/agent/pulls: all images that a machine pulls now, or none */
    struct str cluster, container_instance;          /* as registered: ARN */
    struct pull_news_list pulls;
};
extern const struct schema pull_report_schema;

/* POST /berth/v1/agent/own-log: the last lines of an agent's own log, for people who look at its machine; replaces the earlier report. */
enum { OWN_LOG_TEXT_MAX = 48 * 1024 };               /* 16 KiB, and a byte that is not UTF-8 becomes three */
struct own_log_report {
    struct str cluster, container_instance;          /* as registered: ARN */
    struct str text;                                 /* whole lines */
};
extern const struct schema own_log_report_schema;

/* ---- early pulls: the images of a revision, before a task of its service stops on the machine to make room ---- */

#define EARLY_PULLS_ATTRIBUTE "berth.early-pulls"    /* of an agent's registration: it knows these messages, and its runtime has images */
enum { WIRE_PULLS_MAX = 16, WIRE_PULL_IMAGES_MAX = 64 };
struct wire_pull_image { struct str image; struct wire_registry_auth *registry_authentication; };
struct wire_pull_image_list { struct wire_pull_image *items; size_t count; };
struct wire_pull { struct opt_int service, revision; struct wire_pull_image_list images; };          /* numbers of the server: they come back in reports */
struct wire_pull_list { struct wire_pull *items; size_t count; };
struct wire_pulls {                                  /* "BerthPullsMessage": all that are wanted; replaces the earlier message */
    struct str message_id;
    struct wire_pull_list pulls;
};
extern const struct schema wire_pulls_schema;

struct pulled { struct opt_int service, revision; struct str reason; };          /* reason: why an image cannot be pulled; absent: all are there */
struct pulled_list { struct pulled *items; size_t count; };
struct pulled_report {                               /* POST /berth/v1/agent/pulled: all pulls of the last message that have ended */
    struct str cluster, container_instance;          /* as registered: ARN */
    struct pulled_list pulls;
};
extern const struct schema pulled_report_schema;

enum { LOG_TIMES_MAX = 4096 };
struct log_time { struct opt_int at, ms; };          /* from byte `at` of a text on: written at this moment, ms since 1970 */
struct log_time_list { struct log_time *items; size_t count; };      /* in order of `at` */
struct log_chunk {                                   /* POST /berth/v1/agent/logs: bytes of one container's output, in order */
    struct str cluster, task, container;             /* task: ARN */
    struct opt_int offset;                           /* bytes sent before this chunk: repeats are recognised */
    struct str text;                                 /* as JSON: bytes that are not UTF-8 were replaced */
    struct log_time_list times;                      /* none: written when the chunk came */
    enum opt_bool resends;                           /* bytes that the server lacks before `offset` can be sent again: it may ask for them */
};
extern const struct schema log_chunk_schema;
struct log_taken { struct opt_int from; };           /* its answer; from: nothing was taken, send again from this byte on */
extern const struct schema log_taken_schema;

/* POST /berth/v1/agent/samples: a machine's resource use now. Unknown figures are left out. A report replaces
 * the earlier one completely. */
struct wire_gpu_sample {
    struct str uuid;
    struct opt_double of[GPU_FIGURES];
};
struct wire_gpu_sample_list { struct wire_gpu_sample *items; size_t count; };
struct wire_container_sample {
    struct str task, container;                      /* task: ARN */
    struct opt_double cpu_cores, memory_bytes;
    struct opt_double network_received_bytes, network_sent_bytes, block_read_bytes, block_written_bytes;     /* since it was started */
};
struct wire_container_sample_list { struct wire_container_sample *items; size_t count; };
enum { WIRE_CONTAINERS_MAX = 4096 };
struct wire_samples {
    struct str cluster, container_instance;          /* as registered: ARN */
    enum opt_bool simulated;                         /* the GPUs do not exist, and their figures are invented */
    struct opt_int gpus_age_ms, containers_age_ms;   /* how long ago they were read; unset: now */
    struct wire_gpu_sample_list gpus;
    struct wire_container_sample_list containers;
};
extern const struct schema wire_gpu_sample_schema, wire_container_sample_schema, wire_samples_schema;

/* ---- commands in running containers: see server/exec/exec.h ---- */

struct wire_exec {                                   /* "BerthExecMessage": run this, and exchange its data at /berth/v1/agent/exec */
    struct str message_id, session, task_arn, container;
    struct str_list command;
    enum opt_bool tty;
    struct opt_int rows, cols;
};
extern const struct schema wire_exec_schema;

/* Request and answer are a line of JSON, followed by bytes. POST /berth/v1/agent/exec (from the agent: the command's output) and
 * /berth/v1/exec/io (from the client: the command's input). */
struct exec_ask {
    struct str session;
    struct opt_int offset;                           /* of the bytes that follow, among all bytes sent */
    struct opt_int from;                             /* the first byte to answer with; unset: none */
    struct opt_int wait;                             /* seconds, until there are some */
    struct opt_int rows, cols;                       /* of the terminal: its size, or the last size that the agent got */
    enum opt_bool ended;                             /* no more bytes will come; from the agent: the command has ended, and how */
    enum opt_bool leaves;                            /* the client leaves */
    struct opt_int exit_code; struct str reason;
};
extern const struct schema exec_ask_schema;
struct exec_answer {
    struct opt_int taken;                            /* bytes received, of all bytes sent */
    struct opt_int offset;                           /* of the bytes that follow */
    struct opt_int rows, cols;
    enum opt_bool ended;                             /* no more bytes follow these */
    struct opt_int exit_code; struct str reason;
};
extern const struct schema exec_answer_schema;
struct exec_begin {                                  /* POST /berth/v1/exec answers {"session":"…"} */
    struct str cluster, task, container;
    struct str_list command;
    enum opt_bool tty;
    struct opt_int rows, cols;
};
extern const struct schema exec_begin_schema;

/* {"type":"<type>","message":{…}} */
void wire_print(struct str type, const struct schema *schema, const void *message, struct json_out *out);

#endif
