/* docker.h: shared by the files of the Docker runtime, each named above its functions. For this wing only. docker.c makes the calls; most of
 * the others turn text into text, and are tested without an engine. */
#ifndef BERTH_AGENT_DOCKER_DOCKER_H
#define BERTH_AGENT_DOCKER_DOCKER_H

#include "agent/docker/http.h"
#include "agent/core/runtime.h"
#include "base/lock.h"

#define DOCKER_LABEL_TASK       "com.amazonaws.ecs.task-arn"
#define DOCKER_LABEL_CONTAINER  "com.amazonaws.ecs.container-name"
#define DOCKER_LABEL_FAMILY     "com.amazonaws.ecs.task-definition-family"
#define DOCKER_LABEL_VERSION    "com.amazonaws.ecs.task-definition-version"
#define DOCKER_LABEL_CLUSTER    "com.amazonaws.ecs.cluster"
#define DOCKER_LABEL_AGENT      "berth.agent"                 /* its maker; this and the next three are enough when the agent's files are lost: orphans.h */
#define DOCKER_LABEL_GPUS       "berth.gpus"                  /* UUIDs between commas */
#define DOCKER_LABEL_GPU_SHARE  "berth.gpu-share"             /* thousandths of each */
#define DOCKER_LABEL_TIMEOUT    "berth.stop-timeout"          /* seconds */
#define DOCKER_NAME_PREFIX      "berth-"
#define DOCKER_HOLDER_NAME      "~internal~ecs~pause"        /* in the label of a container's name: no definition can have it */
#define DOCKER_TASK_NETWORK     "berth-tasks"
#define DOCKER_TASK_BRIDGE      "berth0"
#define DOCKER_CGROUP           "/berth"
#define DOCKER_CGROUP_ROOT      "/sys/fs/cgroup"

/* ---- docker/call.c: calls whose failures have ECS's names ---- */

enum docker_step {
    DOCKER_MEET, DOCKER_PULL, DOCKER_RESOLVE, DOCKER_CREATE, DOCKER_START, DOCKER_STOP, DOCKER_INSPECT, DOCKER_REMOVE,
    DOCKER_REMOVE_IMAGE, DOCKER_LIST, DOCKER_LOGS, DOCKER_EXEC, DOCKER_NETWORK, DOCKER_STEP_COUNT
};
int64_t docker_timeout_ms(enum docker_step step);
struct str docker_duration_text(int64_t ms, struct arena *arena);               /* "4m0s", as Go writes a duration */
/* One call with the step's time-out, or the call's own when it has one. True: a 2xx, a 304 (already so), or the status
 * `accepted` (0: none). False: *err in ECS's form, with ERR_UNAVAILABLE when the engine itself did not answer. */
bool docker_step_call(struct docker_http *http, enum docker_step step, struct docker_call call, long accepted,
                      struct docker_reply *reply, struct arena *arena, struct err *err);
bool docker_step_judge(enum docker_step step, int64_t timeout_ms, const struct docker_reply *reply, struct arena *arena, struct err *err);
/* The same for a call that answers JSON. *tree is NULL when the status was `accepted`. */
bool docker_step_json(struct docker_http *http, enum docker_step step, struct docker_call call, long accepted,
                      const struct json **tree, struct arena *arena, struct err *err);
/* "/containers/<id><rest>", the id escaped. */
struct str docker_container_path(struct str id, const char *rest, struct arena *arena);

/* ---- docker/exec.c ---- */

bool docker_exec(struct docker_http *http, struct str container, const struct exec_command *command, struct exec_channel *channel, struct err *err);
void docker_exec_resize(struct docker_http *http, const struct exec_channel *channel, int64_t rows, int64_t cols);
struct opt_int docker_exec_end(struct docker_http *http, const struct exec_channel *channel);

/* ---- docker/images.c ---- */

bool docker_image_find(struct docker_http *http, struct str image, struct image_facts *facts, struct arena *arena, struct err *err);
bool docker_image_resolve(struct docker_http *http, const struct image_request *request, struct str *digest, struct arena *arena, struct err *err);
bool docker_image_pull(struct docker_http *http, const struct image_request *request, struct err *err);
bool docker_images_used(struct docker_http *http, struct str_list *ids, struct arena *arena, struct err *err);
bool docker_image_remove(struct docker_http *http, struct str image, struct err *err);

/* ---- docker/progress.c: the lines that the engine sends during a pull ---- */

enum { DOCKER_LAYERS_MAX = 256, DOCKER_LINE_MAX = 16 * 1024, DOCKER_ERROR_MAX = 512 };
struct docker_layer { uint64_t name; int64_t bytes, size; bool done; };          /* name: a hash of its id */
struct docker_pull_stream {
    char line[DOCKER_LINE_MAX];
    size_t len;
    bool too_long;                                   /* the rest of the line is dropped; important lines are short */
    bool begun;                                      /* a whole line has come */
    char error[DOCKER_ERROR_MAX];                    /* the first one; empty: none so far */
    struct docker_layer layers[DOCKER_LAYERS_MAX]; size_t layer_count;
};
bool docker_pull_feed(struct docker_pull_stream *stream, struct str bytes);      /* true: the progress has changed */
void docker_pull_end(struct docker_pull_stream *stream);
struct image_progress docker_pull_progress(const struct docker_pull_stream *stream);

/* ---- docker/create.c: the body of /containers/create ---- */

struct docker_peer { struct str container_name, docker_name; };                  /* a container of the same task, created before */
struct docker_peer_list { struct docker_peer *items; size_t count; };

struct docker_plan {
    const struct container_spec *spec;
    struct docker_peer_list peers;                   /* needed for links and volumesFrom only */
    const char *const *volume_allow;                 /* directories that tasks may mount, resolved, none within another; may be NULL */
    struct str volume_folder;                        /* where this container's places are made: docker/mounts.c; absent: they can't be */
    struct str_list *volume_sources;                 /* lent: filled with the directories for its places 0, 1, … */
    struct str cgroup_parent;                        /* of the task as a whole; absent: the engine's own */
    bool nvidia_default;                             /* the engine's default runtime is NVIDIA's */
    bool no_privileged;                              /* privileged containers, and settings that amount to that, are refused */
    const char *const *device_allow;                 /* as in runtime_docker_allow_devices; may be NULL */
    struct port_span dynamic_ports;
    /* The first of `count` free host ports in a row; 0: no such row is free. */
    int64_t (*find_ports)(struct port_span span, int64_t count, enum transport_protocol protocol);
};
/* The agent's own settings, the payload's dockerConfig over them, and the labels and limits that win over both. *body lives in `arena`. */
bool docker_create_body(const struct docker_plan *plan, struct str *body, struct arena *arena, struct err *err);

/* "berth-<family>-<revision>-<container>-<suffix>"; characters that Docker's names can't have are replaced. */
struct str docker_container_name(const struct container_spec *spec, struct str suffix, struct arena *arena);

/* The labels by which a task's containers are found, as an object. */
void docker_put_labels(struct json_out *out, const struct container_spec *spec, struct str container_name, struct arena *arena);

/* ---- docker/hold.c ---- */

/* The name spaces of the task's holder that its containers join. */
struct docker_share { struct str holder; bool network, pids, ipc; };               /* holder absent: none */
struct docker_share docker_share_of(const struct wire_task *task, struct arena *arena);
struct str docker_holder_name(struct str task_arn, struct arena *arena);           /* "berth-pause-<task id>" */

struct docker_hold {
    struct docker_http *http; struct lock *network_lock;             /* lent; the lock is for making the network once */
    const struct container_spec *spec; bool nvidia_default; struct str task_subnet;
};
/* Makes and starts the task's holder unless it runs already, or is not needed. *held lives in `arena`. */
bool docker_hold(const struct docker_hold *hold, struct task_held *held, struct arena *arena, struct err *err);
/* As in runtime.h. A holder that was removed does not hold anything either. */
bool docker_wait_held(struct docker_http *http, struct str task_arn, int64_t wait_ms, bool *held, struct arena *arena, struct err *err);
bool docker_let_go(struct docker_http *http, struct str task_arn, struct arena *arena, struct err *err);
extern const unsigned char pause_program[];
extern const size_t pause_program_size;

/* ---- docker/cgroup.c: the limits of a task as a whole ---- */

/* How the engine keeps cgroups; FOREIGN: another program owns the tree. */
enum docker_cgroups { DOCKER_CGROUPS_FOREIGN, DOCKER_CGROUPS_V1, DOCKER_CGROUPS_V2 };
enum docker_cgroups docker_cgroups_of(const struct json *info);                    /* from the answer of /info */
struct docker_limit { const char *controller, *file; char value[48]; };            /* controller "": version 2 has one tree */
struct docker_limits { struct docker_limit items[4]; size_t count; };
void docker_limits_of(enum docker_cgroups kind, const struct wire_task *task, struct docker_limits *limits);   /* none: the task has no limits */
/* `root`: where cgroups are mounted. A cgroup that cannot be made is logged, and then there is no parent. */
void docker_cgroup_make(enum docker_cgroups kind, struct str root, const struct wire_task *task, struct arena *arena);
struct str docker_cgroup_parent(enum docker_cgroups kind, struct str root, struct str task_arn, struct arena *arena);   /* absent: none */
void docker_cgroup_remove(enum docker_cgroups kind, struct str root, struct str task_arn, struct arena *arena);

/* ---- docker/merge.c ---- */

enum docker_section { DOCKER_CONFIG, DOCKER_HOST_CONFIG };
/* `over` laid over `base` by the rules of Go's decoder: a scalar or list replaces, an object is merged member by member, null empties a list
 * or map and leaves a scalar. The result borrows from both. */
const struct json *docker_merge(const struct json *base, const struct json *over, struct arena *arena);
const struct json *docker_get_nocase(const struct json *object, struct str key);
/* The object in `text` (absent or empty: NULL). Refuses members that a payload may not set, with ECS's name for the section's errors. */
bool docker_parse_overlay(enum docker_section section, struct str text, const struct json **overlay, struct arena *arena,
                          struct err *err);

/* ---- docker/rights.c ---- */

/* Does this HostConfig ask for more than the machine's owner allows? *err names it. */
bool docker_check_rights(const struct docker_plan *plan, const struct json *host, struct arena *arena, struct err *err);

/* ---- docker/volumes.c ---- */

/* The source of an entry in HostConfig.Binds, before its colon: an allowed host path, resolved, or the name of Docker's volume. */
bool docker_volume_source(const struct docker_plan *plan, struct str volume_name, struct str *source, struct arena *arena,
                          struct err *err);
/* For a volume with a dockerVolumeConfiguration: its *name, and the *body for /volumes/create. Absent body: the volume must exist already.
 * Absent name: the caller does nothing. */
bool docker_volume_body(const struct docker_plan *plan, struct str volume_name, struct str *name, struct str *body,
                        struct arena *arena, struct err *err);
/* Did docker_volume_source name this volume for this task? Then it is removed with the task's last container. */
bool docker_volume_belongs(struct str docker_name, struct str task_arn);
bool docker_is_below(struct str path, struct str directory);                       /* or the directory itself; compares the texts */
struct str docker_folder_of(struct str path);                                      /* up to its last slash */
struct str docker_task_id(struct str task_arn);                                    /* the last part of its ARN */
struct str docker_safe_name(struct str text, struct arena *arena);              /* for names of containers and volumes */

/* ---- docker/mounts.c ---- */

enum { DOCKER_TOKEN_LEN = 32, DOCKER_DIR_MAX = 4096 };
struct docker_mounts {
    char **allowed;                                  /* ended by NULL; owned */
    char dir[DOCKER_DIR_MAX];                        /* the agent's own */
    bool can;                                        /* it may mount, and the engine sees it */
};
/* `paths` as in runtime_docker_allow_volumes; the log names paths that cannot be used. */
void docker_mounts_init(struct docker_mounts *mounts, const char *const *paths, const char *dir, const char *socket_path);
void docker_mounts_finish(struct docker_mounts *mounts);
/* Writes down the source of each place of a container that will be created. `folder`: DIR/<token>, new. */
bool docker_mounts_keep(struct str folder, const struct str_list *sources, struct arena *arena, struct err *err);
void docker_mounts_drop(struct str folder, struct arena *arena);                   /* it was not created after all */
/* Around each start of `container`, the answer of /containers/{id}/json. "CannotStartContainerError: …" and nothing is mounted. */
bool docker_mounts_make(const struct docker_mounts *mounts, const struct json *container, struct arena *arena, struct err *err);
void docker_mounts_undo(const struct docker_mounts *mounts, const struct json *container, struct arena *arena);
void docker_mounts_forget(const struct docker_mounts *mounts, const struct json *container, struct arena *arena);     /* it was removed */
/* Removes places of containers that are not in the answer of /containers/json. */
void docker_mounts_sweep(const struct docker_mounts *mounts, const struct json *containers, struct arena *arena);

/* ---- docker/ports.c ---- */

extern const struct port_span docker_usual_ports;    /* ECS's dynamic range */
int64_t docker_find_ports(struct port_span span, int64_t count, enum transport_protocol protocol);

/* ---- docker/read.c: the engine's answers ---- */

/* The labels of a container of Berth's, in an entry of the answer of /containers/json. */
void docker_read_found(const struct json *container, struct container_found *found, struct arena *arena);
/* From the answer of /containers/{id}/json. */
bool docker_read_state(const struct json *inspect, struct container_state *state, struct arena *arena);
/* From the answer of /containers/ID/stats. Memory is without files that are merely cached, as in `docker stats`. False: it does not run.
 * read_ms is not touched. */
bool docker_read_usage(const struct json *stats, struct container_usage *use);
/* "sha256:…" of the first repository digest in the answer of /images/{id}/json; absent when it has none. */
struct str docker_read_digest(const struct json *image);
/* The same for the repository that `image` names; of another one only when that has none. */
struct str docker_read_digest_of(const struct json *tree, struct str image);
/* "2024-05-01T10:00:00.123456789Z", or with an offset; the engine's "0001-01-01T00:00:00Z" gives 0. False: another form. */
bool docker_parse_time(struct str text, int64_t *epoch_ns);
/* {"message":"…"} of a failed call in one line; the raw text when it has another form. Lives in `arena`. */
struct str docker_read_message(struct str body, struct arena *arena);
/* "name:tag", "name@sha256:…", "host:5000/name" into the parameters fromImage and tag; the tag is "latest" when the name has none. */
void docker_split_image(struct str image, struct str *name, struct str *tag);

/* ---- docker/logs.c: one container's output by byte offset ---- */

/* How far a container's output was read. The engine has no offsets, only times: everything before `since_ns` was read, and `frames` whole
 * frames of those from then on, and `partial` bytes of the one after. */
struct docker_log_cursor {
    bool is_tty;                                     /* the output is bytes without frames: only `offset` counts */
    int64_t offset;
    int64_t since_ns, frames, partial;
    int64_t next_ns, next_frames, newest_ns;         /* the next window, which becomes the first when it is old enough */
};
struct docker_log_reader {
    struct docker_log_cursor *cursor;                /* lent; right again after docker_log_end */
    struct buf out;
    struct log_time_list times;                      /* of `out` */
    int64_t wanted;                                  /* the offset from which bytes go to `out` */
    size_t limit;
    /* of the frame at hand */
    unsigned char head[8]; size_t head_len;          /* stream, three zeros, length */
    char stamp[40]; size_t stamp_len; bool stamped;
    int64_t stamp_ns, left, text_at, skip_frames;    /* text_at: bytes of this frame's text that were read */
    bool full, broken;
};

/* *cursor is set back to the beginning when `offset` lies before it. */
void docker_log_begin(struct docker_log_reader *reader, struct docker_log_cursor *cursor, int64_t offset, size_t limit, struct arena *arena);
bool docker_log_feed(void *reader, struct str bytes);            /* false: full or broken */
bool docker_log_end(struct docker_log_reader *reader);           /* false: the bytes were no frames */

#endif
