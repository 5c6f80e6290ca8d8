/* config.h: the agent's settings. */
#ifndef BERTH_AGENT_CORE_CONFIG_H
#define BERTH_AGENT_CORE_CONFIG_H

#include <stdatomic.h>
#include <stdbool.h>

enum runtime_kind { RUNTIME_AUTO, RUNTIME_DOCKER, RUNTIME_PROCESS };   /* AUTO: Docker when its socket answers */
enum gpu_support { GPU_SUPPORT_AUTO, GPU_SUPPORT_ON, GPU_SUPPORT_OFF };

enum image_pull { IMAGE_PULL_DEFAULT, IMAGE_PULL_ALWAYS, IMAGE_PULL_ONCE, IMAGE_PULL_PREFER_CACHED };    /* images/rules.h */

/* The tasks of an earlier run that the agent found again, and how many of them had lost a container. Set before it connects. */
struct agent_recovered { atomic_uint tasks, lost; atomic_bool told; };

struct agent_config {                        /* texts NUL-terminated, borrowed until agent_run returns; NULL: the default */
    const char *join;                        /* base URL of the server; of several with one state: with commas between */
    const char *cluster;                     /* name; "default" */
    const char *data_dir;                    /* files: instance ARN, tasks, processes of the process runtime, leases */
    const char *region;
    const char *access_key_id, *secret_access_key, *session_token;   /* NULL: environment, then credentials file, as AWS clients do */
    const char *ca_file;                     /* PEM: who signs the server's certificate; NULL: the system's list */
    const char *docker_socket;               /* path; "/var/run/docker.sock" */
    const char *allow_volumes;               /* "DIR,DIR": host directories that tasks may mount; NULL: none */
    const char *allow_devices;               /* "/dev/fuse,/dev/infiniband": devices that containers may ask for; NULL: no list */
    const char *task_subnet;                 /* "10.32.0.0/20": addresses of awsvpc tasks; NULL: Docker chooses */
    const char *dynamic_ports;               /* "40000-50000": host ports for those that a definition leaves open; NULL: 49153-65535 */
    bool no_privileged;                      /* privileged containers and similar ones are refused, and their capability is not registered */
    const char *address;                     /* under which other machines reach this one; NULL: the one that leads to the server */
    const char *fake;                        /* "p3.16xlarge:100", "c5.2xlarge,p3.2xlarge:2": simulated machines; NULL: this one */
    const char *fake_faults;                 /* "p3.16xlarge-1/5=xid79@10s+1m": GPUs of simulated machines that fail; NULL: none do */
    const char *fake_gpus;                   /* "V100:4": this machine with simulated GPUs (dev); NULL: real ones only */
    const char *instance_attributes;         /* JSON object of custom attributes */
    const char *metadata_listen;             /* "auto", "loopback" (NULL too), "off" or HOST:PORT: see agent/inside/taskmeta.h */
    const char *instance_name;               /* attribute berth.name; NULL: the host's */
    const char *machine_id;                  /* attribute berth.machine-id, from the provisioner that has started this machine; NULL: none has */
    const char *machine_token;               /* attribute berth.machine-token, the word of its order; NULL: it got none */
    const char *s3_endpoint;                 /* where environment files come from: see agent/task/s3.h; NULL: nowhere */
    const char *s3_profile;                  /* profile of the credentials file for that store; NULL: its keys are the agent's own */
    enum runtime_kind runtime;
    bool no_mps;                                 /* shares of GPUs are not enforced, also where NVIDIA's MPS is */
    enum gpu_support gpu_support;
    long reserved_memory_mib;
    long stop_timeout_s;                     /* SIGTERM to SIGKILL when the container names none: 30 */
    const char *notice_file;                 /* a notice that the machine will be taken away; NULL: notice.json in data_dir */
    bool spot_draining;                      /* ask the cloud's metadata service for such notices */
    enum image_pull image_pull;
    long long image_pull_limit_ms, image_pull_silence_ms;    /* of one pull: in all, and without progress; 0: two hours, a minute */
    const char *registry_auth;               /* a file like Docker's config.json, read again for each pull; NULL: none */
    const char *registry_auth_data;          /* logins for registries as JSON; NULL: none */
    bool image_cleanup_off;
    long long image_cleanup_every_ms, image_minimum_age_ms;
    long images_per_cleanup;
    const char *pre_pull;                    /* "IMAGE,IMAGE": pulled before a task needs them; NULL: none */
    long long task_cleanup_wait_ms;          /* how long a stopped task's containers are kept; 0: not at all */
    long long sample_every_ms;               /* how often it reports the usage of GPUs; 0: never */
    long fake_task_ms;                       /* how long a simulated task runs; 0: until it is stopped */
    bool fake_silent;                        /* simulated tasks print nothing */
    struct agent_recovered *recovered;       /* NULL: nobody asks */
};

#endif
