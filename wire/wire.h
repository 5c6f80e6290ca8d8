/* wire.h: the messages between the server and an agent, in the ECS agent's own shapes: envelopes {"type":…,"message":{…}}
 * with payloads, acks, heartbeats and manifests. Berth's agent gets them by long polling (struct poll_request), the ECS agent
 * over its websocket. Knows shapes only. Both sides use this header, and the agent uses nothing else of api/. */
#ifndef BERTH_WIRE_WIRE_H
#define BERTH_WIRE_WIRE_H

#include "model/ecs/taskdef.h"
#include "model/schema.h"

/* ---- the protocol's number: which versions of server and of Berth's own agent understand each other ----
 *
 * Each side tells the newest number that it speaks and the oldest that it still speaks; they fit when these overlap. New members, messages
 * and reasons need no new number, for what one side does not know it passes over. Whatever else changes what is said needs one. */
enum {
    PROTOCOL_NEWEST = 1,
    PROTOCOL_OLDEST = 1,
    PROTOCOL_UNTOLD = 1,                             /* what those speak that tell no number: they are older than the numbers */
    PROTOCOL_MAX = 1000000,
};
#define PROTOCOL_ATTRIBUTE        "berth.protocol"           /* with which an agent registers: newest, and oldest */
#define PROTOCOL_OLDEST_ATTRIBUTE "berth.oldest-protocol"
struct protocol_range { int64_t oldest, newest; };
enum protocol_fit { PROTOCOL_FITS, PROTOCOL_TOO_OLD, PROTOCOL_TOO_NEW };      /* too old, too new: theirs, for us */
enum protocol_fit protocol_fit(struct protocol_range ours, struct protocol_range theirs);
/* For the server about an agent, for an agent about the server: false and *err (ERR_CLIENT) with what is to be updated. `version`:
 * theirs, may be empty. */
bool protocol_check_agent(struct protocol_range agent, struct str version, struct err *err);
bool protocol_check_server(struct protocol_range server, struct str version, struct err *err);

/* POST /berth/v1/agent/poll. One open poll per session; answered at once when there are messages, after wait_seconds with a
 * HeartbeatMessage when there are none. A message is sent again until its id stands in `acks` of a later poll. */
struct poll_request {
    struct str cluster, container_instance;          /* as registered: ARN */
    struct str session;                              /* absent in the first poll: "connected anew" */
    struct str_list acks;                            /* messageIds of the last answers */
    struct str_list stop_candidates;                 /* task ARNs that run here and were not in the last manifest */
    struct opt_int wait_seconds;                     /* 0 … 25 */
    struct opt_int lease_seconds;                    /* the lease it goes by now, 0: none; absent: it knows of no leases */
    struct opt_int protocol, oldest_protocol;        /* newest and oldest that it speaks; absent: PROTOCOL_UNTOLD */
};
extern const struct schema poll_request_schema;
/* The answer is {"session":"…","messages":[envelope, …],"protocol":N,"oldestProtocol":N,"version":"…","leaseSeconds":N}.
 * leaseSeconds is there when the server fences: an agent
 * whose last answered poll was sent longer ago than that stops its tasks by itself. */

/* Reasons of a task's end that an agent gives and the server knows: each has a stop code of ECS. */
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
 * agent would then pass over the logins that its own settings hold. */
struct wire_asm_auth { struct str credentials_parameter, region; };
struct wire_registry_auth { struct str type; struct wire_asm_auth *asm_auth; };
struct wire_container {
    struct str name, image, container_arn;
    struct str_list command, entry_point, links;
    struct opt_int cpu, memory;                      /* shares, MiB */
    enum opt_bool essential;
    struct pair_list environment;                    /* final: overrides merged */
    struct environment_file_list environment_files;  /* the first to name a variable wins, `environment` before all of them */
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

/* What a task with an address of its own is given: only the name under which the agent tells of it. The agent chooses the address. */
struct wire_interface { struct str attachment_arn; };
struct wire_interface_list { struct wire_interface *items; size_t count; };

struct wire_host_volume { struct str source_path; };
/* type "host": a bind mount, or without a path a volume that goes with the task; type "docker": as configured. */
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

/* POST /berth/v1/agent/reports: what happened to tasks, of one machine or of many: {"reports":[{…}, …]}, one or more, each in the shape
 * of SubmitTaskStateChange's input. They are taken in this order and answered one by one, as that operation would have answered:
 * {"answers":[{"acknowledgment":"ACK"},{"__type":"InvalidParameterException","message":"…"}]}. One that is refused refuses no other.
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

enum { LOG_TIMES_MAX = 4096 };
struct log_time { struct opt_int at, ms; };          /* from byte `at` of a text on: written at this moment, ms since 1970 */
struct log_time_list { struct log_time *items; size_t count; };      /* in order of `at` */
struct log_chunk {                                   /* POST /berth/v1/agent/logs: bytes of one container's output, in order */
    struct str cluster, task, container;             /* task: ARN */
    struct opt_int offset;                           /* bytes sent before this chunk: repeats are recognised */
    struct str text;                                 /* as JSON: bytes that are not UTF-8 were replaced */
    struct log_time_list times;                      /* none: written when the chunk came */
};
extern const struct schema log_chunk_schema;

/* POST /berth/v1/agent/samples: how much of what it has a machine uses now. What is not known is left out. What an earlier report
 * named and this does not is no longer there. */
struct wire_gpu_sample {
    struct str uuid;
    struct opt_double utilization;                   /* 0 to 1: the part of the time in which something ran on it */
    struct opt_double memory_used_bytes, memory_total_bytes, temperature_celsius, power_watts, clock_hertz, processes;
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
    enum opt_bool simulated;                         /* no such GPUs exist: their figures are made up */
    struct opt_int gpus_age_ms, containers_age_ms;   /* how long ago they were read; unset: now */
    struct wire_gpu_sample_list gpus;
    struct wire_container_sample_list containers;
};
extern const struct schema wire_gpu_sample_schema, wire_container_sample_schema, wire_samples_schema;

/* ---- commands in running containers: see server/exec/exec.h ---- */

struct wire_exec {                                   /* "BerthExecMessage": run this, and talk about it at /berth/v1/agent/exec */
    struct str message_id, session, task_arn, container;
    struct str_list command;
    enum opt_bool tty;
    struct opt_int rows, cols;
};
extern const struct schema wire_exec_schema;

/* Both ways a line of JSON, and behind it bytes. POST /berth/v1/agent/exec (the agent: its bytes are the command's output) and
 * /berth/v1/exec/io (who started it: the command's input). */
struct exec_ask {
    struct str session;
    struct opt_int offset;                           /* of the bytes that come along, among all that were ever sent */
    struct opt_int from;                             /* which bytes of the other side to answer with; unset: none */
    struct opt_int wait;                             /* seconds, until there are some */
    struct opt_int rows, cols;                       /* of the terminal: what it is, or what the agent has been told */
    enum opt_bool ended;                             /* no more bytes will come; from the agent: the command has ended, and how */
    enum opt_bool leaves;                            /* whoever started it is going */
    struct opt_int exit_code; struct str reason;
};
extern const struct schema exec_ask_schema;
struct exec_answer {
    struct opt_int taken;                            /* how many bytes were taken of all that were ever sent */
    struct opt_int offset;                           /* of the bytes that come along */
    struct opt_int rows, cols;
    enum opt_bool ended;                             /* behind these bytes come no more */
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
