/* api.h: the ECS operations, and Berth's own internal ones, over a store transaction and the scheduler. Knows shapes, rules
 * and wording; refuses to know sockets, threads and the clock: time, ids and chance come in the context, so that the same
 * inputs give the same bytes. Handlers decide everything before their first write, and record effects instead of acting. */
#ifndef BERTH_API_CORE_API_H
#define BERTH_API_CORE_API_H

#include "api/core/context.h"
#include "wire/checks.h"

/* ---- the tables of operations ---- */
const struct operation *api_operations(size_t *count);                  /* the 77 of the model, sorted by name */
const struct operation *api_operation(struct str name);                 /* NULL: unknown */

/* A service of the API's port: ECS, and those that its tasks and its clients lean on. server/front/services.c has the table of them. */
enum api_protocol { API_JSON, API_QUERY, API_REST };   /* JSON 1.1; a form in and XML out; JSON, with the operation in the path */
struct api_path { struct str method, path, operation; };                        /* of API_REST: "/schedules/{Name}" */
struct service_error { enum err_code code; struct str name; int status; };     /* status 0: as the table of errors has it */
struct api_service {
    struct str name;                         /* the scope of signatures, and the text before ":RunTask" in refusals */
    enum api_protocol protocol;
    struct str target;                       /* API_JSON: what X-Amz-Target begins with, its dot included */
    struct str message;                      /* API_JSON, API_REST: how an error calls its text */
    struct str version, space;               /* API_QUERY: the form's Version, and the name space of the answers */
    bool ec2;                                /* API_QUERY: EC2's form of it: flat lists (schema_read_form), and other answers */
    struct str item;                         /* API_QUERY: how their items are called in XML (schema_print_xml) */
    const struct api_path *paths; size_t path_count;             /* API_REST */
    bool early;                              /* a body that is no JSON, and an unknown operation, are refused before the signature is checked */
    bool named;                              /* calls are counted by the operation's name, and told to the audit */
    struct str unserved, unserved_more;      /* not early: the texts before and after the name of an operation that is not served */
    struct str resource;                     /* on which a role's refusal says that the action may not be done; absent: it does not say */
    const struct operation *operations; size_t count;            /* sorted by name */
    const struct service_error *errors; size_t error_count;      /* those that it calls otherwise than the table of errors */
};
extern const struct api_service ecs_service, secretsmanager_service, ssm_service, sts_service, alarms_service, alarms_query_service, events_service,
    scheduler_service, elbv2_service, scaling_service, iam_service, ec2_service, groups_service;
const struct operation *api_service_operation(const struct api_service *service, struct str name);       /* NULL: unknown */
struct str api_error_name(const struct api_service *service, enum err_code code);
int        api_error_status(const struct api_service *service, enum err_code code);                       /* of HTTP */

/* Asks whether the caller may do that, and decodes the body by the operation's schema and the service's protocol, after kind_forms.h has read what only
 * Berth understands. ERR_UNKNOWN_OPERATION, ERR_ACCESS_DENIED, which comes before anything is said of the request,
 * ERR_SERIALIZATION or the operation's complaint. An operation that is not served still reads and checks its request,
 * and then answers ERR_UNSUPPORTED_FEATURE where the model declares it for that operation, otherwise ERR_CLIENT, naming itself. */
bool api_prepare(const struct api_config *config, const struct caller *caller, struct str operation, struct str body,
                 struct arena *arena, struct api_call *call, struct err *err);
bool api_prepare_for(const struct api_service *service, const struct api_config *config, const struct caller *caller, struct str operation,
                     struct str body, struct arena *arena, struct api_call *call, struct err *err);
bool api_run(struct api_call *call, struct op_ctx *ctx, struct err *err);
/* Behind a run that went well, when its transaction has ended well too: what the handler has left for then (op_ctx.finish). */
bool api_finish(struct api_call *call, struct op_ctx *ctx, struct err *err);
void api_print(const struct api_call *call, struct buf *out);                  /* as JSON */
/* Behind a run that went well: was it a RunTask, and did all of its tasks start? */
enum run_outcome { RUN_NONE, RUN_ALL_STARTED, RUN_LEFT_OUT };
enum run_outcome api_run_outcome(const struct api_call *call);

/* ---- what Berth asks of itself: the same path, a table of its own ---- */
struct agent_presence { struct id instance; int64_t lease_ms; };        /* it came; how long its machine runs tasks without a word from here; 0: for ever */
/* Machines to which the same happened, lent until the job is done: it ends with the one at which `limit` tasks have been changed. */
struct machine_batch { const struct id *instances; size_t count, limit; };
/* The ECS agent's report on its machine: how its Docker is (UNSET: not a word), and which versions these are (NULL: not a word). Lent until
 * the job is done. */
struct machine_report { struct id instance; enum instance_health_check_state docker; const struct version_info *version; };
/* Drops stopped tasks, deregistered instances, and history past its keep, at most `limit` of each; and deleted
 * definitions without tasks. */
struct expire_tasks { int64_t limit; };
void api_prepare_presence(const struct agent_presence *input, struct arena *arena, struct api_call *call);
void api_prepare_absence(const struct machine_batch *input, struct arena *arena, struct api_call *call);      /* their agents have gone */
void api_prepare_fence(const struct machine_batch *input, struct arena *arena, struct api_call *call);        /* their leases are over, what ran has ended */
size_t api_machines_done(const struct api_call *call);                  /* behind the run: with how many of them, from the first on, all is done */
void api_prepare_machine_report(const struct machine_report *input, struct arena *arena, struct api_call *call);
/* Would it be written down: something has changed, or no report on Docker has come for ten minutes. */
bool api_machine_report_is_news(const struct instance *instance, const struct machine_report *report, int64_t now_ms);
/* Writes down until when the clock was believed: a small write, which also shows that writing works. */
struct kept_clock { int64_t wall_ms; };
void    api_prepare_keep_clock(const struct kept_clock *input, struct arena *arena, struct api_call *call);
int64_t api_kept_clock(struct store_txn *txn, struct arena *arena);     /* 0: none */
/* A group of CloudWatch Logs that a client has made: a plain record. Its streams, and groups that only have streams, are in files. */
enum { LOG_GROUPS_KEPT_MAX = 10000 };
struct kept_log_group { struct str name; };
void   api_prepare_log_group(const struct kept_log_group *input, struct arena *arena, struct api_call *call);
bool   api_log_group_is_kept(struct store_txn *txn, struct str name, struct arena *arena);
/* How far a webhook has got in the events of the outbox: the number of the last one that it took. */
struct events_told { struct str webhook; int64_t number; };
void    api_prepare_events_told(const struct events_told *input, struct arena *arena, struct api_call *call);
int64_t api_events_told(struct store_txn *txn, struct str webhook, struct arena *arena);       /* -1: it is new */
/* An access key made or revoked, or another key for those of tasks' roles, by an admin. */
enum key_action { KEY_CREATE, KEY_REVOKE, KEY_ROTATE_ROLES };
struct key_order { enum key_action action; struct access_key key; const char *role_key; size_t role_key_len; };      /* REVOKE: the key's id alone */
void    api_prepare_key_order(const struct key_order *input, struct arena *arena, struct api_call *call);
void api_prepare_expire(const struct expire_tasks *input, struct arena *arena, struct api_call *call);
bool api_expire_again(const struct api_call *call);                     /* behind the run: as many tasks went as might, so there may be more */

/* ---- services and schedules ---- */
/* Does the next steps of services that are due, and the runs of schedules: some, so that other jobs do not wait long. */
struct step_services { bool alone; };        /* no other job came since the step before: this one may take longer */
void    api_prepare_step_services(bool alone, struct arena *arena, struct api_call *call);
bool    api_print_schedules(struct op_ctx *ctx, bool rules, struct str token, struct buf *text, struct err *err);       /* schedules/show.c has the shape */
/* Looks at scalable targets, of these services, and changes desired counts by their policies and scheduled actions. Histories are empty unless a minute has
 * just ended. Lent until the job is done. */
struct scale_services { const struct service_minutes *items; size_t count; };
void    api_prepare_scale_services(const struct scale_services *input, struct arena *arena, struct api_call *call);
size_t  api_waiting_tasks(struct world *world);                         /* entries of the queue: a gang is one */
int64_t api_services_due_ms(struct world *world, int64_t now_ms);       /* when a step is due; `now_ms`: at once; 0: no time is known */
/* The end of a struct service_call. Lent until the job is done; one that nothing waits for any more changes nothing. */
struct service_called {
    int64_t service, number; struct str key;
    int64_t http_status;                     /* 0: there was no answer */
    struct str reply, problem;               /* the answer's body; why there was none */
};
void    api_prepare_service_called(const struct service_called *input, struct arena *arena, struct api_call *call);

/* ---- machines of pools: capacity/machines.h ---- */
/* The end of a struct provision_call, whose pool, number, verb and body it has. Lent until the job is done; one that nothing waits for any more changes
 * nothing. */
enum provisioned_end {
    PROVISIONED_ANSWERED,                    /* `text` is the answer, which may be no JSON */
    PROVISIONED_LATER,                       /* the provisioner asks to be called later: nothing was done */
    PROVISIONED_UNKNOWN,                     /* no answer: anything may have been done */
    PROVISIONED_REFUSED                      /* it could not be called at all, until a setting changes */
};
struct provisioned { struct str pool, verb, body, text; int64_t number; enum provisioned_end end; };      /* text: of the others, why */
void    api_prepare_provisioned(const struct provisioned *input, struct arena *arena, struct api_call *call);

/* ---- an agent's reports of many tasks in one call: tasks/report_batches.c; wire.h has the shape ---- */
/* Those that can't be read are refused one by one; false and *err when that is so of the list itself. */
bool api_prepare_reports(struct str body, struct arena *arena, struct api_call *call, struct err *err);
/* One for each report, in their order, behind the run: why it was refused, NULL: it was taken. */
const struct err *const *api_report_refusals(const struct api_call *call, size_t *count);
struct str api_report_task(const struct api_call *call, size_t report);      /* the task, as the agent wrote it; absent: it could not be read */

/* ---- GPUs that are out of the pool: gpu_health.c ---- */
/* An agent's report, in the shape of health_report_schema. */
bool api_prepare_health(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err);
/* {"uuid":"GPU-…","state":"QUARANTINED" or "AVAILABLE","reason":"…"}, in the name of the caller, who must be an administrator. */
bool api_prepare_set_gpu(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err);
void api_print_gpu_faults(struct op_ctx *ctx, struct buf *out);
/* Stops a task whose tag says so: it has held all its GPUs idle for `idle_ms` longer than makes them idle, below this part of use. */
struct stop_idle { struct id task; int64_t idle_ms; double below; };
void api_prepare_stop_idle(const struct stop_idle *input, struct arena *arena, struct api_call *call);
bool api_stopped_idle(const struct api_call *call);                      /* false: it is no more, or its tag is another one */

/* ---- health checks of targets: traffic/checks.c ---- */
/* An agent's report, in the shape of checks_report_schema. */
bool api_prepare_checks(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err);
/* The targets that no agent checks, and what the server has found about them. The list lives in the context's arena; the other one in `arena`. */
struct target_check_list api_server_checks(struct op_ctx *ctx);
void api_prepare_server_checks(const struct check_told_list *told, struct arena *arena, struct api_call *call);

/* ---- early pulls: services/pulls.c ---- */
/* An agent's report, in the shape of pulled_report_schema. */
bool api_prepare_pulled(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err);

/* A machine's health as ECS shows it: the agent's connection, and behind it the accelerators, where there are some or the agent has reported
 * them, and Docker, where it has. */
struct container_instance_health_status *api_instance_health(const struct instance *instance, struct arena *arena);

/* ---- the world: built from the store at start or after a failed commit ---- */
void api_load_world(struct world *world, struct store_txn *txn);

/* ---- what the page and the command line read ---- */
/* The whole board as JSON: {"revision":…,"clusters":[…],"instances":[…],"tasks":[…]}. */
void api_print_board(struct op_ctx *ctx, struct buf *out);
/* The changes after `revision`, in the same shapes, as {"revision":…,"instances":[…],"tasks":[…],"gone":[…]}; false when the
 * feed does not reach back so far: then send the whole board. */
bool api_print_board_changes(struct op_ctx *ctx, int64_t revision, struct buf *out);
/* The state as plain text, for a terminal. `queue` is api_queue_text's, `fits` lines that say how much more fits. */
void api_print_status(struct op_ctx *ctx, struct str queue, struct str fits, struct buf *out);

/* The history of tasks that have stopped; history.c has the shape. Texts that are absent and times that are 0 let
 * everything pass; since_ms is the first millisecond that counts, until_ms the first that does not. */
struct history_query {
    struct str cluster, family, started_by;  /* family: "train" or "train:3" */
    int64_t since_ms, until_ms;
    size_t limit;                            /* 1..100; 0: 100 */
    struct str next_token;
};
bool api_print_history(struct op_ctx *ctx, const struct history_query *query, struct buf *out, struct err *err);
/* Hours of GPUs; show/usage.c has the shape. by: "family", "service", "startedBy", "cluster" or "tag:KEY". It reads all of the history since then. */
struct usage_query { struct str by, cluster; int64_t since_ms, until_ms; };      /* cluster absent: all */
bool api_print_usage(struct op_ctx *ctx, const struct usage_query *query, struct buf *out, struct err *err);
bool api_print_history_task(struct op_ctx *ctx, struct id id, struct buf *out);     /* false: the history does not know it */

/* All load balancers for the proxies that carry the requests; api/traffic/feed.c has the shape. `rates`: requests a second of a group, by its name. */
struct request_rates { struct opt_double (*of)(void *context, struct str group); void *context; };
void api_print_traffic(struct op_ctx *ctx, const struct request_rates *rates, struct buf *out);
/* Where the tasks of a service are reached, and the names of all services and target groups: api/discovery/endpoints.c has the shapes. The revision is another
 * one when these are others. False: there is no such service (ERR_RESOURCE_NOT_FOUND). */
bool    api_print_endpoints(struct op_ctx *ctx, struct str cluster, struct str service, int64_t *revision, struct buf *out, struct err *err);
int64_t api_print_names(struct op_ctx *ctx, struct buf *out);
/* {"revision":N,"busy":["…"],"requests":[…]}: the proxy's feed of this name has applied the revision, and has requests at those draining targets.
 * *counts: its counters of requests by target group, of each of its processes (`source`), with limits of the bytes in their names. */
enum { REQUEST_SOURCE_MAX = 64, REQUEST_GROUP_MAX = 128 };
struct request_count { struct str group, source; struct opt_int count; };
struct request_count_list { struct request_count *items; size_t count; };
bool api_prepare_feed_applied(const struct api_config *config, struct str body, struct str feed, struct arena *arena, struct api_call *call,
                              struct request_count_list *counts, struct err *err);

/* ---- where it would go, and why it does not: questions that change nothing ---- */
/* The outcome that RunTask would have now with this input (its own, as JSON): prepared here, run by the writer where the world is, and printed
 * from a read. what_if.c has the shape. */
bool api_prepare_what_if(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err);
void api_print_what_if(struct op_ctx *ctx, const struct api_call *call, struct buf *out);
/* Why a task is where it is, or is no more; why.c has the shape. `pulls`: of all machines, now (api/tell/pulls.h). False: nobody knows it. */
struct image_pull_list;
bool api_print_why(struct op_ctx *ctx, struct id id, const struct image_pull_list *pulls, struct buf *out);

/* The tasks that wait for room: {"cluster":"…"} or {}; asked of the writer, and already printed: api/show/queue.c has the shape. */
bool api_prepare_queue(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err);
struct str api_queue_text(const struct api_call *call);                  /* behind the run; lives in its arena */

/* The same of a service: {"cluster":"…","service":"…"}, both names or ARNs; asked of the writer, and already printed: api/services/why.c has the shape. */
bool api_prepare_why_service(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err);
struct str api_why_service(const struct api_call *call);                 /* behind the run; lives in its arena */

/* The same of a capacity provider: {"provider":"…"}, a name or an ARN; asked of the writer, and already printed: api/capacity/why.c has the shape. */
bool api_prepare_why_provider(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err);
struct str api_why_provider(const struct api_call *call);                /* behind the run; lives in its arena */
/* {"provider":"…","action":"APPROVE", "SUSPEND" or "RESUME"}, in the name of the caller, who must be an administrator: api/capacity/orders.c. */
bool api_prepare_order_capacity(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err);

/* The verdict on an update of a service, with the input of UpdateService; asked and printed like that: api/services/what_if.c has the shape. */
bool api_prepare_what_if_update(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err);
struct str api_what_if_update(const struct api_call *call);              /* behind the run; lives in its arena */
/* The outcome for a machine's tasks if it were DRAINING: {"cluster":"…","instance":"…"}; asked and printed like that: api/show/what_if_drain.c has
 * the shape. */
bool api_prepare_what_if_drain(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err);
struct str api_what_if_drain(const struct api_call *call);               /* behind the run; lives in its arena */
/* The instance of a reference, which may be the name of a machine. Looks at all of the cluster's. False and *err: none, or several have the name. */
bool api_find_machine(struct op_ctx *ctx, struct str cluster, struct str reference, struct id *id, struct err *err);

/* How much more would fit in each cluster now; asked of the writer like the above. */
struct headroom_cluster { struct str name; struct headroom room; };
struct headroom_report { int64_t revision; struct headroom_cluster *clusters; size_t count; };   /* of the world after that commit, or later */
void api_prepare_headroom(struct api_call *call);
const struct headroom_report *api_headroom(const struct api_call *call);                         /* behind the run; lives in its arena */
/* {"revision":…,"clusters":[…]}, all or the one of that name; headroom.c has the shape. False: no cluster has that name. */
bool api_print_headroom(const struct headroom_report *report, struct str cluster, struct buf *out);

#endif
