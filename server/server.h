/* server.h: the control plane in one process: HTTP in and out, signatures, the one writing thread, agents' sessions, the live
 * stream and the page. Knows sockets, threads and the clock; refuses to know what an operation means (api/) and how placement
 * is decided (scheduler/).
 *
 * Everything is kept in the data directory: the store's files in the directory itself, container logs in `logs/` and metrics in
 * `metrics/` below it. */
#ifndef BERTH_SERVER_SERVER_H
#define BERTH_SERVER_SERVER_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct server_config {                       /* texts are borrowed while server_start runs; NULL or 0: the default */
    const char *data_dir;                    /* "berth-data"; made when missing */
    const char *host;                        /* "127.0.0.1"; an IPv4 or IPv6 address without brackets */
    int port;                                /* 0: any that is free, see server_port */
    const char *agent_host;                  /* where agents come in; default: `host` */
    int agent_port;                          /* 0: any that is free */
    int agent_links;                         /* their connections that can be open at once: 16,384 */
    const char *endpoint;                    /* the URL that agents connect to; default: as the asking agent called us */
    const char *api_endpoint;                /* the URL for log drivers of tasks; default: the name that the agent called, and the port of the API */
    const char *tls_cert, *tls_key;          /* PEM files: both, and both ports speak TLS, or neither */
    const char *region;                      /* "us-east-1" */
    const char *account;                     /* "123456789012" */
    int threads;                             /* connections that can be open at once: 256 */
    int64_t stopped_task_keep_ms;            /* an hour */
    int64_t inactive_instance_keep_ms;       /* 0: until its last task is forgotten */
    int64_t events_keep_ms;                  /* 0: 24 hours with webhooks, else no events are written */
    const char *webhooks;                    /* a file, server/webhooks/settings.h; NULL: none */
    int64_t history_keep_ms;                 /* 0: no history is kept */
    int64_t metrics_max;                     /* bytes of the files of GPUs' metrics; 0: none are kept */
    double idle_below; int64_t idle_after_ms;        /* a held GPU is idle when its use, of 1, stays below for that long; 0: never */
    int64_t history_logs_max;                /* bytes of logs' ends in the history; 0: 4 GiB */
    int64_t role_life_ms;                    /* of the keys of tasks' roles; 0: 6 h */
    int64_t scaling_minute_ms;               /* 0: a minute */
    int64_t provision_timeout_ms;            /* how long tasks wait for machines of their capacity provider; 0: 30 minutes */
    int64_t fence_after_ms;                  /* agents' lease; 0: none: tasks of lost machines keep their resources */
    const char *root_access_key_id, *root_secret_access_key;   /* both or neither: put into the store as user root, role admin */
    const char *open_dashboard;              /* "loopback", "off"; default: loopback on a host that is, and until the first key is made */
    bool strict_aws;                         /* refuse request forms that are Berth's own */
    const char *express_domain;              /* of the host names of Express services, and the port of their listener; NULL: "express.localhost", 8080 */
    int express_port;
    const char *provisioners;                /* a file: see server/provision/settings.h; NULL: there are none */
    const char *ha;                          /* etcd://HOST:PORT,.../NAME: this server is one of several with one state; NULL: it is alone */
    const char *ha_member, *advertise;       /* its name among them, and the URL at which they reach it */
    const char *ha_user, *ha_password, *ha_ca, *ha_cert, *ha_key;      /* for etcd; NULL: none. ha_ca also for the other servers */
    int64_t ha_lease_ms;                     /* 0: 3 s */
    bool ha_seal;                            /* what goes into the log is encrypted */
    int64_t max_stale_ms;                    /* 0: 10 s */
    size_t map_size;                         /* bytes of address space for the store: 64 GiB */
};

struct server;

/* Owned; answers requests when it returns. NULL and *err when it could not start: the port is taken, the data can't be read,
 * or the address is beyond loopback and there is no access key. */
struct server *server_start(const struct server_config *config, struct err *err);
int            server_port(const struct server *server);             /* as bound */
const char    *server_agent_url(const struct server *server);        /* "http://127.0.0.1:9281" */
const char    *server_url(const struct server *server);              /* "http://127.0.0.1:9280", borrowed until server_stop */
/* Whether it can't go on and should be stopped, and why; what the disk has done to the store is the one cause. Any thread. */
bool           server_is_over(struct server *server, struct err *err);
/* Finishes what runs, refuses what comes, closes long polls and streams, and returns when all is on disk. Accepts NULL. */
void           server_stop(struct server *server);

#endif
