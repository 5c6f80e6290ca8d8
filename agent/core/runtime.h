/* runtime.h: how containers are run on a machine: one table of functions per kind (Docker Engine, plain processes). Calls
 * block and are made from the thread of the task they belong to; a runtime serves many threads at once. Knows containers;
 * refuses to know tasks' rules (order, essential, restarts) and the server. */
#ifndef BERTH_AGENT_CORE_RUNTIME_H
#define BERTH_AGENT_CORE_RUNTIME_H

#include <stdatomic.h>

#include "wire/wire.h"
#include "base/err.h"
#include "model/ecs/task.h"

struct runtime;

/* A container to create, resolved from the payload. Borrowed until the call returns. */
struct container_spec {
    struct str task_arn, cluster, family, revision;
    struct str agent;                            /* its maker, for its labels; absent: no such labels */
    const struct wire_container *container;
    const struct wire_task *task;
    struct str_list gpus;                        /* UUIDs; none: the container sees no GPU */
    int64_t gpu_share, stop_timeout_s;           /* thousandths of each; both for the labels */
    const char *mps_pipe;                        /* the folder of the MPS that holds its share of a GPU, under this name inside too; NULL: none does */
    bool simulated_gpus;                         /* the environment names UUIDs, no device is asked for */
    struct pair_list environment;                /* all of it, in order; later ones win */
    struct pair_list values;                     /* fetched by reference: they win, and are in no file of the agent */
    struct pair_list log_options;                /* also fetched by reference, for the log driver */
};

struct container_state {
    bool exists, running;
    struct opt_int exit_code;                    /* once it has run and ended */
    bool oom_killed;
    int64_t started_ms, finished_ms;             /* 0: not yet */
    struct network_binding_list bindings;        /* while running */
    struct str image;                            /* the id of its image; absent: not known */
    enum health_status health;                   /* of the check that the runtime runs; UNSET: it runs none */
};

/* The network interface that `hold` makes for a task. */
struct task_held { struct str address, mac_address; };   /* of the task's own network interface; empty: it has none */

/* A container of an earlier run of the agent, found again by its labels. */
struct container_found {
    struct str id, task_arn, container_name;
    struct str agent;                            /* its maker; absent: its labels name none, and have none of the rest */
    struct str_list gpus;
    int64_t gpu_share, stop_timeout_s;
    bool is_holder;                              /* made by `hold`, and removed by `let_go` */
};
struct container_found_list { struct container_found *items; size_t count; };

/* A command that is run beside a container's own. */
struct exec_command { struct str_list words; bool tty; struct opt_int rows, cols; };

enum { EXEC_ID_MAX = 80 };
struct exec_channel {
    int fd;                                      /* its streams, both ways, not blocking: a terminal or a socket */
    int pid;                                     /* of a process */
    char id[EXEC_ID_MAX];                        /* the engine's name of the command */
    bool framed;                                 /* the output comes in Docker's frames */
    unsigned char head[8]; size_t head_len; uint64_t left;       /* of the frame at hand */
};
/* exec_channel.c: turns bytes that were read into text, in place; and closes the channel. */
struct str exec_channel_text(struct exec_channel *channel, char *bytes, size_t len);
void       exec_channel_close(struct exec_channel *channel);

/* A container's usage since it was last started, as far as its runtime knows. */
struct container_usage {
    struct opt_double cpu_seconds, memory_bytes; /* memory: now */
    struct opt_double network_received_bytes, network_sent_bytes, block_read_bytes, block_written_bytes;
    int64_t read_ms;                             /* monotonic; 0: it could not be read */
};

struct container_output { struct str text; struct log_time_list times; };

/* ---- images: what a runtime can do with them, one attempt each; images/images.h decides when and how often ---- */

struct image_facts { bool exists; struct str id, digest; };      /* digest: "sha256:…" in the image's registry; absent: unknown */
struct image_progress { int64_t layers, layers_done, bytes, bytes_known; };  /* bytes_known: of the layers whose size is known so far */

struct image_request {
    struct str image;                            /* "name", "name:tag", "name@digest", with or without a host */
    struct str digest;                           /* absent: the image that has the name now */
    struct str auth;                             /* the value of X-Registry-Auth; absent: without a login */
    int64_t begin_ms, silence_ms, timeout_ms;    /* until the first byte, between two, in all */
    const atomic_bool *cancelled;
    void (*tell)(void *owner, const struct image_progress *progress);
    void *owner;
};

struct image_ops {
    bool (*find)(struct runtime *runtime, struct str image, struct image_facts *facts, struct arena *arena, struct err *err);
    /* Asks the registry for the digest of the name. "CannotPullImageManifestError: …" */
    bool (*resolve)(struct runtime *runtime, const struct image_request *request, struct str *digest, struct arena *arena, struct err *err);
    /* "CannotPullContainerError: …". With a digest it pulls that one, and then gives it the name. */
    bool (*pull)(struct runtime *runtime, const struct image_request *request, struct err *err);
    /* The ids of images that containers were made of, running or not. */
    bool (*used)(struct runtime *runtime, struct str_list *ids, struct arena *arena, struct err *err);
    /* Removes the name, and the image with its last name. Gone already: true. Never an image that a container was made of. */
    bool (*remove)(struct runtime *runtime, struct str image, struct err *err);
};

struct runtime_ops {
    const char *name;                            /* "docker", "process" */
    const struct image_ops *images;              /* NULL: it runs without */
    /* Makes the name spaces that the containers of the spec's task share, before the first `create` of one; made already: returns the same
     * again. For one container of a task at a time. NULL: containers of this runtime share nothing. *held lives in `arena`. */
    bool (*hold)(struct runtime *runtime, const struct container_spec *spec, struct task_held *held, struct arena *arena, struct err *err);
    /* Does `hold` make anything for this task? NULL as above. */
    bool (*shares)(const struct wire_task *task);
    /* Watches the name spaces that `hold` made: returns when their holder has ended (*held false) or `wait_ms` are over. NULL as above. */
    bool (*wait_held)(struct runtime *runtime, struct str task_arn, int64_t wait_ms, bool *held, struct err *err);
    /* After the end of the task's last container: removes what `hold` made. Never made, gone already: true. NULL as above. */
    bool (*let_go)(struct runtime *runtime, struct str task_arn, struct err *err);
    /* *id lives in `arena`: 64 hex digits of Docker, or the process runtime's own. */
    bool (*create)(struct runtime *runtime, const struct container_spec *spec, struct str *id, struct arena *arena, struct err *err);
    /* A container that has ended runs once more. ERR_UNAVAILABLE: nobody knows whether it runs now. */
    bool (*start)(struct runtime *runtime, struct str id, struct err *err);
    /* Returns when the container has ended, `wait_ms` are over, or within a second or so of *stop (NULL: never stopped); fills *state in each
     * case. */
    bool (*wait)(struct runtime *runtime, struct str id, int64_t wait_ms, const atomic_bool *stop, struct container_state *state,
                 struct arena *arena, struct err *err);
    /* SIGTERM, then SIGKILL after timeout_s. Returns when it is down. Not running: nothing. */
    bool (*stop)(struct runtime *runtime, struct str id, int64_t timeout_s, struct err *err);
    bool (*remove)(struct runtime *runtime, struct str id, struct err *err);     /* gone already: true */
    /* Up to `limit` bytes of the output (both streams as they came) from byte `offset` on, empty at the end, and when they were
     * written, as far as that is known. */
    bool (*logs)(struct runtime *runtime, struct str id, int64_t offset, size_t limit, struct container_output *output, struct arena *arena,
                 struct err *err);
    /* Runs a command in a running container. The channel is closed by exec_channel_close, after exec_end. */
    bool (*exec)(struct runtime *runtime, struct str id, const struct exec_command *command, struct exec_channel *channel, struct err *err);
    void (*exec_resize)(struct runtime *runtime, struct exec_channel *channel, int64_t rows, int64_t cols);
    /* The command's output has ended, or nobody needs it any more (`kill`): fills in its exit code. Unset: not known. */
    void (*exec_end)(struct runtime *runtime, struct exec_channel *channel, bool kill, struct opt_int *exit_code);
    bool (*list)(struct runtime *runtime, struct container_found_list *found, struct arena *arena, struct err *err);
    /* "DockerVersion: 20.10.24", for the registration. */
    struct str (*version)(struct runtime *runtime);
    void (*destroy)(struct runtime *runtime);
    /* The engine's own JSON about a container, and about its usage now. NULL: this runtime has none. */
    bool (*inspect)(struct runtime *runtime, struct str id, const struct json **tree, struct arena *arena, struct err *err);   /* *tree NULL: it is gone */
    bool (*stats)(struct runtime *runtime, struct str id, const struct json **tree, struct arena *arena, struct err *err);
    /* Fills in `uses` for each of `ids`; leaves early, the rest zeroed, once *stop. */
    void (*usage)(struct runtime *runtime, const struct str_list *ids, struct container_usage *uses, const atomic_bool *stop);
};
struct runtime { const struct runtime_ops *ops; };   /* each kind's own struct begins with this */

/* Owned by the caller (ops->destroy); the path is borrowed until then. NULL and *err when its engine does not answer. */
struct runtime *runtime_docker_create(const char *socket_path, struct err *err);
/* Host directories that tasks may mount, with all below them; absolute, ended by NULL. Their links are followed now. Without this call every
 * host path is refused; volumes that Docker keeps are always allowed. `dir`: a folder of the agent for the mounts. Before the first `create`
 * only. */
void runtime_docker_allow_volumes(struct runtime *runtime, const char *const *paths, const char *dir);
/* The range of this host's ports for those that a definition leaves open. False and *err: the text is not "FIRST-LAST" within 1 to 65535. */
struct port_span { int64_t first, last; };
bool port_span_read(struct str text, struct port_span *span, struct err *err);
void runtime_docker_dynamic_ports(struct runtime *runtime, struct port_span span);    /* without this call: 49153 to 65535 */
/* Refuses privileged containers, and rights that lead as far: capabilities, name spaces and devices of the host. */
void runtime_docker_refuse_privileged(struct runtime *runtime);
/* The devices that containers may ask for, with all below them; absolute, ended by NULL, borrowed until `destroy`. Without this call: all but
 * those of GPUs, or none when privileged containers are refused. */
void runtime_docker_allow_devices(struct runtime *runtime, const char *const *paths);
/* "10.32.0.0/20": the addresses of tasks with network mode awsvpc. Borrowed until `destroy`; NULL, and without this call: Docker chooses.
 * False when the network exists already with other addresses. */
bool runtime_docker_task_subnet(struct runtime *runtime, const char *subnet, struct err *err);
struct runtime *runtime_process_create(const char *dir, struct err *err);       /* `dir`: where it keeps its tasks' files */

/* The hidden subcommand of berth that watches one process: starts it, waits, writes down how it ended. */
int runtime_process_shim(int argc, char **argv);

#endif
