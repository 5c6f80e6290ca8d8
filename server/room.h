/* room.h: what the files of this room share: the server as one thing, and the handlers that routes.c names. Private to
 * server/. */
#ifndef BERTH_SERVER_ROOM_H
#define BERTH_SERVER_ROOM_H

#include <stdatomic.h>

#include "base/log.h"
#include "api/tell/role_credentials.h"
#include "server/front/auth.h"
#include "server/figures/headroom.h"
#include "server/net/http.h"
#include "server/figures/impaired.h"
#include "server/front/last_run.h"
#include "server/net/listener.h"
#include "server/logs/logs.h"
#include "server/figures/metrics.h"
#include "server/figures/pulls.h"
#include "server/figures/samples.h"
#include "server/sessions/sessions.h"
#include "server/live/news.h"
#include "server/live/stream.h"
#include "server/ticker.h"
#include "server/net/tls.h"
#include "server/writer.h"

struct server {
    struct arena texts;                      /* settings, for the server's whole life */
    struct api_config api;
    struct seal_key secret_key;              /* api borrows it */
    char audit_key[ROLE_KEY_LEN];            /* what names of secrets are told by in the audit; never changes */
    bool endpoint_given;                     /* otherwise agents are told the name they called, with the listener's port */
    struct str api_endpoint;                 /* empty: machines are told the name they called, with the API's port */
    const char *url, *agent_url;
    struct tls *tls;                         /* NULL: plain HTTP */
    struct store *store;
    int lock;                                /* of the data folder */
    struct auth *auth;
    struct writer *writer;
    struct sessions *sessions;
    struct logs *logs;
    struct exec *exec;
    struct command_sessions *commands;
    struct stream *stream;
    struct news *news;
    struct boards *boards;
    struct headroom_cache *headroom;
    struct impaired *impaired;
    struct samples *samples;
    struct pulls *pulls;
    struct last_run *last_run;
    struct ticker *ticker;
    struct http *http;
    struct listener *listener;
    struct metrics metrics;
    atomic_bool stopping, clock_doubted;
};

/* routes.c: every request comes in here. */
void routes_handle(void *server, struct http_request *request, struct http_answer *answer);

/* Signed by somebody who may be an agent? */
MUST_USE bool routes_check_agent(struct server *server, const struct http_request *request, struct caller *caller, struct err *err);

extern const struct listener_ops agent_link_ops;         /* agent_links.c: what comes in at the agents' listener */

/* command_calls.c: what the server has to do with a read that went well, before it is answered: sessions of ExecuteCommand. */
MUST_USE bool command_calls_complete(struct server *server, struct http_request *request, const struct caller *caller, struct api_call *call,
                                     struct err *err);
/* audit.c: what the audit is told of a call that has been answered, or refused. */
struct audit {
    const struct http_request *request; const struct caller *caller;
    struct str service, operation;
    const struct api_call *call;             /* looked at when it went well; NULL: its reply names nothing */
    enum log_level level;
    const struct err *err;
};
void audit_call(struct server *server, const struct audit *audit);
/* The same for what is told by its handler; things: " task=… container=…", each value from audit_value. */
void audit_line(const struct http_request *request, const struct caller *caller, struct str name, struct str things, enum log_level level,
                const struct err *err);
struct str audit_value(struct str text, struct arena *arena);        /* in the arena: no blank, no end of line, not too long */
/* exec_paths.c: a line of the audit. */
void exec_audit(const struct http_request *request, const struct caller *caller, const struct wire_exec *message, const struct err *err);

/* agents.c: a machine that is registered, by its cluster and itself as an agent names them; the cluster's name goes into *cluster. NULL
 * and *err: there is none. */
const struct instance *agents_find_instance(struct server *server, struct str cluster_reference, struct str instance_reference,
                                            struct str *cluster, struct arena *arena, struct err *err);

/* May the caller act for that machine (api/core/binding.h)? */
MUST_USE bool agents_check_binding(struct server *server, struct http_request *request, const struct caller *caller, struct id instance,
                                   struct err *err);

/* telemetry.c: one frame of the telemetry channel of that machine's ECS agent; the answer, absent when there is none. What it tells of other
 * machines, or of tasks that are placed there, is passed over. */
struct str telemetry_take(struct server *server, struct id instance, struct str frame, struct arena *arena);
/* From the handshake of the ECS agent's first websocket. */
void telemetry_take_version(struct server *server, const struct http_request *request);

void samples_take_telemetry(struct server *server, struct id instance, const struct json *message, struct arena *arena);     /* samples_in.c */
void samples_print_metrics(struct server *server, struct arena *arena, struct buf *out);                 /* samples_out.c */

/* One handler per path; what each may assume (a caller, a whole body) stands in the table of routes.c. */
#define ROUTE(name) void name(struct server *server, struct http_request *request, struct http_answer *answer, const struct caller *caller)
ROUTE(ecs_handle);
ROUTE(sts_handle);
ROUTE(agent_poll_handle);                    /* agents.c */
ROUTE(agent_reports_handle);
ROUTE(agent_logs_handle);
ROUTE(agent_samples_handle);                 /* samples_in.c */
ROUTE(samples_handle);                       /* samples_out.c */
ROUTE(agent_pulls_handle);                   /* pulls.c */
ROUTE(pulls_handle);
ROUTE(agent_health_handle);                  /* gpus.c */
ROUTE(gpus_handle);
ROUTE(gpus_set_handle);
ROUTE(exec_begin_handle);                    /* exec_paths.c */
ROUTE(exec_io_handle);
ROUTE(agent_exec_handle);
ROUTE(page_handle);                          /* pages.c */
ROUTE(state_handle);
ROUTE(events_handle);
ROUTE(logs_handle);
ROUTE(history_handle);                       /* history.c */
ROUTE(history_task_handle);
ROUTE(what_if_handle);                       /* questions.c */
ROUTE(why_handle);
ROUTE(headroom_handle);
ROUTE(metrics_handle);                       /* metrics.c */
ROUTE(health_handle);                        /* pages.c */
ROUTE(logs_api_handle);                      /* logs/api.c */
ROUTE(other_service_handle);                 /* other_services.c */
bool sts_is_meant(const struct http_request *request);
bool other_service_is_meant(const struct http_request *request);
bool logs_api_is_meant(const struct http_request *request);

/* answers.c: the shapes of answers. */
void answer_error(struct http_answer *answer, const struct err *err);          /* JSON 1.1, as ECS words it */
void answer_service_error(struct http_answer *answer, const struct api_service *service, const struct err *err);   /* … or another one */
void answer_wait(struct http_answer *answer, const struct err *err);           /* Retry-After, where there is one */
void answer_print_error(struct json_out *json, const struct api_service *service, const struct err *err);    /* as such an answer's body has it */
void answer_text(struct http_answer *answer, int status, struct str type, struct str text);
/* The query protocol's: XML, in the name space of the service, or in none when that is empty. */
void answer_query_error(struct http_answer *answer, const struct http_request *request, struct str space, struct str code, int status, struct str message);
void xml_put_element(struct buf *out, struct str name, struct str text);
/* Of Berth's own paths: a body of JSON that is printed already, and a refusal. Both are counted. */
void answer_json(struct server *server, struct http_answer *answer);
void answer_refusal(struct server *server, struct http_answer *answer, const struct err *err);    /* 404: it is not there */
/* Where the asking machine reaches the API, for what runs there beside its agent; empty: nobody knows. In the request's arena. */
struct str answer_api_endpoint(const struct server *server, const struct http_request *request);
struct str query_parameter(const struct http_request *request, struct str name);                  /* absent too when it has no value */

void answer_unreadable(struct server *server, struct http_answer *answer);     /* pages.c: the store can't be read */
/* logs/silence.c: of a task, or of one container, of which nothing is there. False and *err where nothing will come: why, and what to do. A task
 * with one container has its name in *container then. */
MUST_USE bool logs_explain(struct server *server, struct id task, struct str *container, struct arena *arena, struct err *err);
extern const struct str live_headers;                                          /* pages.c: of what is never kept by a browser */

const char *server_scheme(const struct server *server);                        /* "https" */

/* A context for reading; ends with store_read_end(ctx->txn). `config` is lent room for what this request is told. */
struct op_ctx read_context(struct server *server, struct http_request *request, const struct caller *caller,
                           struct api_config *config);

#endif
