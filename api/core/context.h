/* context.h: what an operation works with: settings, who asks, the transaction and the world, and the call that it answers. */
#ifndef BERTH_API_CORE_CONTEXT_H
#define BERTH_API_CORE_CONTEXT_H

#include "base/seal.h"
#include "model/names.h"
#include "scheduler/scheduler.h"
#include "store/store.h"

/* Use of the GPUs that a task holds: GPU-milliseconds that samples cover, and of these in use, and idle. The server knows it, and lends it. */
struct task_usage { int64_t sampled_gpu_ms, used_gpu_ms, idle_gpu_ms; };
typedef struct task_usage task_usage_of(const void *owner, struct id instance, struct id task);

/* ---- settings that operations read; the same for the life of the process ---- */
struct api_config {
    task_usage_of *usage_of; const void *usage_owner;    /* NULL: nobody knows the use of GPUs */
    struct names names;
    struct str endpoint;                     /* base URL that DiscoverPollEndpoint gives out, "http://127.0.0.1:9280" */
    struct str join;                         /* base URL of this API that machines of pools join */
    struct str logs_endpoint;                /* base URL of this API as the asking machine's Docker reaches it; empty: not known */
    int64_t stopped_task_keep_ms;            /* how long a stopped task stays describable: an hour at least */
    int64_t inactive_instance_keep_ms;       /* how long a deregistered instance does, and all its tasks must be forgotten */
    int64_t events_keep_ms;                  /* how long events for others are kept (api/outbox/outbox.h): 0: none is written */
    int64_t history_keep_ms;                 /* how long the history knows it: 0: there is none */
    int64_t role_life_ms;                    /* how long keys of tasks' roles last */
    int64_t provision_timeout_ms;            /* how long a task waits for a machine of its capacity provider; 0: 30 minutes */
    int64_t scaling_minute_ms;               /* how long a minute of scaling lasts (model/scaling.h) */
    const struct seal_key *secret_key;       /* borrowed; NULL: this process keeps no secrets */
    bool strict_aws;                         /* refuse the forms of requests that only Berth reads */
    struct str express_domain; int64_t express_port;     /* hosts of Express services are in it; of the listener that is made for them */
};

/* ---- who asks ---- */
struct role_session;
struct caller {
    struct str access_key, user; enum access_role role;
    struct key_binding binding;              /* of ACCESS_AGENT: what its key is bound to (api/core/binding.h) */
    const struct role_session *session;      /* of ACCESS_TASK: which task asks, by which of its roles (api/tell/role_credentials.h) */
};
/* "arn:aws:iam::ACCOUNT:user/NAME", or the assumed role of a task. */
struct str caller_arn(const struct names *names, const struct caller *caller, struct arena *arena);

/* A refusal: "User: <ARN> is not authorized to perform: ACTION on resource: RESOURCE because REASON". Absent texts: no resource; the reason
 * that no policy allows the action; without an action, "to act for RESOURCE: REASON", and without both, "to perform: REASON". */
struct denial { struct str action, resource, reason; };
/* False and ERR_ACCESS_DENIED; the one text for all refusals of an action. */
bool caller_deny(const struct names *names, const struct caller *caller, const struct denial *denial, struct arena *arena, struct err *err);

/* ---- effects: hints that leave after the commit; losing them all loses nothing ---- */
/* There may be work for it; it is to pull other images early; it is no longer registered. */
enum effect_kind { EFFECT_WAKE_INSTANCE, EFFECT_PULLS_INSTANCE, EFFECT_CLOSE_INSTANCE };
struct effect { enum effect_kind kind; struct id instance; };
/* A call over HTTP that a service waits for: a POST of the body, or a GET without one. It is named again in later steps until its end has been taken
 * (berth:ServiceCalled). */
struct service_call {
    struct service_call *next;
    int64_t service, number;                 /* the service's number; which call of the key it is */
    struct str key;                          /* identifies what waits for it */
    struct str url, body;
    int64_t timeout_ms;
};
/* A call of a provisioner for a pool. It is named again in later steps until its end has been taken (berth:Provisioned). */
struct provision_call {
    struct provision_call *next;
    struct str provisioner, pool;            /* provisioner absent: the default one */
    int64_t number;                          /* which call of the pool it is */
    struct str verb, body;                   /* "up", "down" or "list"; a JSON object */
};
struct event_line { struct event_line *next; struct str text; };      /* for the log of the server */
struct effect_list { struct effect *items; size_t count, capacity; struct service_call *calls; struct provision_call *provisions; struct event_line *lines; };

/* ---- the port to things outside the store, lent by the server to operations that run on the spot ---- */
struct session;
struct wire_exec;
struct metric_value;
struct op_ctx;
struct gpu_asked { int figure; int64_t from_ms, until_ms; struct str cluster, service, family, task, instance, gpu; };     /* absent: any */
struct outside {
    void *context;                           /* the server's */
    struct store *store;                     /* of an OP_OUTSIDE operation, which opens its transactions itself */
    struct logs *logs;                       /* the files of logs, which server/logs alone knows */
    /* Writes down that this log group was made (api_prepare_log_group). False and *err: it is there already, or it can't be written. */
    bool (*group_keep)(struct op_ctx *ctx, struct str name, struct err *err);
    /* Sessions of ExecuteCommand. False and *err: no session is possible. The session's texts live in ctx->arena. */
    bool (*session_begin)(struct op_ctx *ctx, struct id instance, const struct wire_exec *message, struct session *session, struct err *err);
    bool (*session_renew)(struct op_ctx *ctx, struct str name, struct session *session);      /* false: it is over */
    void (*session_end)(struct op_ctx *ctx, struct str name);                                 /* not there: nothing */
    /* Data points of a client's metric (model/metric.h). False: there are too many metrics. */
    bool (*metric_put)(struct op_ctx *ctx, struct str key, int64_t at_ms, const struct metric_value *value);
    /* A figure (enum gpu_figure) of the GPUs that all given members name, at the times at which their owner was this one. False: there are too many GPUs, and
     * only some were looked at. */
    bool (*gpu_points)(struct op_ctx *ctx, const struct gpu_asked *asked, void (*take)(void *context, int64_t at_ms, double value), void *context);
    /* Use of a task's containers now: cores and bytes, unset where no report has come. */
    void (*task_use)(struct op_ctx *ctx, const struct task *task, struct opt_double *cores, struct opt_double *memory_bytes);
};

/* ---- one operation at work ---- */
struct op_ctx {
    const struct api_config *config;
    struct store_txn *txn;                   /* lent; NULL in OP_OUTSIDE */
    struct arena *arena;                     /* the request's; lent */
    struct world *world;                     /* lent by the writer, to writes and looks; NULL in reads */
    struct id_gen *ids;                      /* lent; NULL in reads */
    struct rng *rng;                         /* lent; NULL in reads */
    int64_t now_ms;
    struct caller caller;
    struct effect_list effects;              /* items in `arena` */
    struct str warning;                      /* one line for the caller; absent: all is well */
    const struct outside *outside;           /* lent to what runs on the spot; else NULL */
    /* Set by a read that has something to do outside, once the transaction has ended well: it may still refuse. */
    bool (*finish)(struct op_ctx *ctx, void *output, struct err *err);
    const struct cluster *kept_cluster; const struct taskdef *kept_taskdef; const struct instance *kept_instance;   /* what support_kept_… read last */
};

/* OP_LOOK: asks the world, where it lives; writes nothing. OP_OUTSIDE: on the spot, without a transaction, over op_ctx.outside. */
enum op_access { OP_READ, OP_WRITE, OP_LOOK, OP_OUTSIDE };
struct operation {
    struct str name;
    const struct schema *input, *output;     /* NULL output: the reply is {} */
    enum op_access access;
    enum access_role role;                   /* the least that may call it: ACCESS_VIEWER for reads, AGENT for agents' own;
                                              * TASK: the handler asks more closely; UNSET: Berth's own, which no caller can name */
    enum err_code invalid;                   /* what a broken limit is called: ERR_INVALID_PARAMETER or ERR_CLIENT */
    bool (*run)(struct op_ctx *ctx, const void *input, void *output, struct err *err);
};

/* A request on its way: prepared on the HTTP thread, run there (reads) or by the writer, printed on the HTTP thread. */
struct api_call {
    const struct operation *operation;
    const void *input;
    void *output;
    struct str warning;                      /* one line for the caller; absent: all is well */
};

#endif
