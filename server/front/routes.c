/* routes.c: which path goes where, and who may go there. */
#include "server/room.h"

#include "api/core/binding.h"
#include "base/clock.h"
#include "base/log.h"

enum method { METHOD_ANY, METHOD_GET, METHOD_POST };             /* GET includes HEAD */
enum access { ACCESS_OPEN, ACCESS_OWN, ACCESS_READER, ACCESS_AGENTS, ACCESS_ADMINS };

/* ACCESS_OWN: the handler checks the signature, because what comes before it has answers of its own. */
static const struct route {
    enum method method; struct str path; enum access access; ROUTE((*handle));
} routes[] = {
    { METHOD_GET,  STR_INIT("/"),                    ACCESS_READER, page_handle },
    { METHOD_ANY,  STR_INIT("/"),                    ACCESS_OWN,    ecs_handle },
    { METHOD_POST, STR_INIT("/berth/v1/agent/poll"), ACCESS_AGENTS, agent_poll_handle },
    { METHOD_POST, STR_INIT("/berth/v1/agent/reports"), ACCESS_AGENTS, agent_reports_handle },
    { METHOD_POST, STR_INIT("/berth/v1/agent/logs"), ACCESS_AGENTS, agent_logs_handle },
    { METHOD_POST, STR_INIT("/berth/v1/agent/health"), ACCESS_AGENTS, agent_health_handle },
    { METHOD_POST, STR_INIT("/berth/v1/agent/samples"), ACCESS_AGENTS, agent_samples_handle },
    { METHOD_GET,  STR_INIT("/berth/v1/samples"),    ACCESS_READER, samples_handle },
    { METHOD_POST, STR_INIT("/berth/v1/agent/pulls"), ACCESS_AGENTS, agent_pulls_handle },
    { METHOD_GET,  STR_INIT("/berth/v1/pulls"),      ACCESS_READER, pulls_handle },
    { METHOD_GET,  STR_INIT("/berth/v1/gpus"),       ACCESS_READER, gpus_handle },
    { METHOD_POST, STR_INIT("/berth/v1/gpus"),       ACCESS_ADMINS, gpus_set_handle },
    { METHOD_POST, STR_INIT("/berth/v1/agent/exec"), ACCESS_AGENTS, agent_exec_handle },
    { METHOD_POST, STR_INIT("/berth/v1/exec"),       ACCESS_ADMINS, exec_begin_handle },
    { METHOD_POST, STR_INIT("/berth/v1/exec/io"),    ACCESS_ADMINS, exec_io_handle },
    { METHOD_GET,  STR_INIT("/berth/v1/state"),      ACCESS_READER, state_handle },
    { METHOD_GET,  STR_INIT("/berth/v1/events"),     ACCESS_READER, events_handle },
    { METHOD_GET,  STR_INIT("/berth/v1/logs"),       ACCESS_READER, logs_handle },
    { METHOD_GET,  STR_INIT("/berth/v1/history"),    ACCESS_READER, history_handle },
    { METHOD_GET,  STR_INIT("/berth/v1/history/"),   ACCESS_READER, history_task_handle },
    { METHOD_POST, STR_INIT("/berth/v1/whatif"),     ACCESS_READER, what_if_handle },
    { METHOD_GET,  STR_INIT("/berth/v1/why"),        ACCESS_READER, why_handle },
    { METHOD_GET,  STR_INIT("/berth/v1/headroom"),   ACCESS_READER, headroom_handle },
    { METHOD_GET,  STR_INIT("/metrics"),             ACCESS_READER, metrics_handle },
    { METHOD_GET,  STR_INIT("/healthz"),             ACCESS_OPEN,   health_handle },
};
static const struct route file_route = { METHOD_GET, STR_INIT(""), ACCESS_READER, page_handle };   /* every other path */

static bool method_fits(enum method wanted, struct str method)
{
    switch (wanted) {
    case METHOD_ANY:  return true;
    case METHOD_GET:  return str_eq(method, STR("GET")) || str_eq(method, STR("HEAD"));
    case METHOD_POST: return str_eq(method, STR("POST"));
    }
    return false;
}

/* A row that ends with a slash is for every path below it. */
static bool path_fits(struct str row, struct str path)
{
    return str_eq(row, path) || (row.len > 1 && str_ends_with(row, STR("/")) && str_starts_with(path, row));
}

/* NULL: the path is known, but not with this method. */
static const struct route *find_route(const struct http_request *request)
{
    bool known = false;
    for (size_t r = 0; r < COUNT_OF(routes); r++) {
        if (!path_fits(routes[r].path, request->path)) { continue; }
        if (method_fits(routes[r].method, request->method)) { return &routes[r]; }
        known = true;
    }
    return !known && method_fits(file_route.method, request->method) ? &file_route : NULL;
}

bool routes_check_agent(struct server *server, const struct http_request *request, struct caller *caller, struct err *err)
{
    if (!auth_check(server->auth, request, STR("ecs"), caller, err)) { return false; }
    if (caller->role == ACCESS_AGENT || caller->role == ACCESS_ADMIN) { return true; }
    struct str who = caller_arn(&server->api.names, caller, request->arena);
    return err_set(err, ERR_ACCESS_DENIED, "User: " STR_FMT " is not authorized to perform: ecs:Poll on resource: * because no "
                   "identity-based policy allows the ecs:Poll action", STR_ARG(who));
}

/* Only a signature will do: a browser's kept password would serve any page that posts here. */
static bool check_admin(struct server *server, const struct http_request *request, struct caller *caller, struct err *err)
{
    if (!auth_check(server->auth, request, STR("ecs"), caller, err)) { return false; }
    if (caller->role == ACCESS_ADMIN) { return true; }
    struct str who = caller_arn(&server->api.names, caller, request->arena);
    return err_set(err, ERR_ACCESS_DENIED, "User: " STR_FMT " is not authorized to perform: this takes the key of an administrator", STR_ARG(who));
}

/* These paths show all machines at once. */
static bool check_reader(struct server *server, const struct http_request *request, struct caller *caller, struct err *err)
{
    if (!auth_check_reader(server->auth, request, caller, err)) { return false; }
    return !binding_is_set(caller)
        || err_set(err, ERR_ACCESS_DENIED, "The access key is bound to " STR_FMT ", and may not read this.",
                   STR_ARG(binding_text(&caller->binding, request->arena)));
}

static bool check_access(struct server *server, const struct route *route, const struct http_request *request, struct caller *caller,
                         struct err *err)
{
    switch (route->access) {
    case ACCESS_OPEN:
    case ACCESS_OWN:    return true;
    case ACCESS_READER: return check_reader(server, request, caller, err);
    case ACCESS_AGENTS: return routes_check_agent(server, request, caller, err);
    case ACCESS_ADMINS: return check_admin(server, request, caller, err);
    }
    return false;
}

/* What stands between any request and its handler. */
static bool check_request(struct server *server, const struct http_request *request, struct err *err)
{
    if (atomic_load(&server->stopping)) { return err_set(err, ERR_SERVER, "The server is starting or stopping; try again."); }
    switch (request->body_state) {
    case HTTP_BODY_WHOLE:     return true;
    case HTTP_BODY_TOO_LARGE: return err_set(err, ERR_REQUEST_TOO_LARGE, "The request is larger than %d bytes.", HTTP_BODY_MAX);
    case HTTP_BODY_BROKEN:    return err_set(err, ERR_SERIALIZATION, "The request ended before its body did.");
    case HTTP_BODY_NO_ROOM:   return err_set(err, ERR_UNAVAILABLE, "The server holds too many large requests at once; try again.");
    case HTTP_HEAD_BROKEN:    return err_set(err, ERR_SERIALIZATION, "The head of the request is not valid HTTP/1.1, or could be read in two ways.");
    }
    return true;
}

static void refuse(struct server *server, const struct route *route, struct http_answer *answer, const struct err *err)
{
    metrics_count(&server->metrics, NULL, err->code);
    answer_error(answer, err);
    if (route == NULL || route->access != ACCESS_READER || answer->status >= 500) { return; }
    if (err->retry_after_s > 0) {
        answer->status = 429;
        return;
    }
    answer->status = 401;                                 /* a browser then asks for a key's id and secret */
    struct buf headers = buf_in(answer->body.arena);
    buf_put(&headers, answer->headers);
    buf_put(&headers, STR("WWW-Authenticate: Basic realm=\"Berth: access key id and secret\", charset=\"UTF-8\"\r\n"));
    answer->headers = buf_str(&headers);
}

/* Paths of clients of AWS: "/", and whatever a REST service has. Berth's own are not among them. */
static bool is_of_aws(const struct route *route) { return route == NULL || route->handle == ecs_handle || route->handle == page_handle; }

static void dispatch(struct server *server, struct http_request *request, struct http_answer *answer)
{
    struct err err = { 0 };
    struct caller caller = { 0 };
    const struct route *route = find_route(request);
    if (!check_request(server, request, &err)) {
        refuse(server, NULL, answer, &err);
        if (atomic_load(&server->stopping)) {
            answer->status = 503;
            answer->close = true;
        }
    } else if (is_of_aws(route) && other_service_is_meant(request)) {
        other_service_handle(server, request, answer, &caller);
    } else if (route == NULL) {
        metrics_count(&server->metrics, NULL, ERR_CLIENT);
        answer_text(answer, 405, STR("text/plain; charset=utf-8"), STR("This path does not know this method.\n"));
    } else if (!check_access(server, route, request, &caller, &err)) {
        refuse(server, route, answer, &err);
    } else if (route->handle == ecs_handle && sts_is_meant(request)) {
        sts_handle(server, request, answer, &caller);
    } else if (route->handle == ecs_handle && logs_api_is_meant(request)) {
        logs_api_handle(server, request, answer, &caller);
    } else {
        route->handle(server, request, answer, &caller);
    }
}

void routes_handle(void *context, struct http_request *request, struct http_answer *answer)
{
    struct server *server = context;
    int64_t began_ms = clock_monotonic_ms();
    dispatch(server, request, answer);
    struct str target = http_header(request, STR("X-Amz-Target"));
    enum log_level level = answer->status < 400 ? LOG_DEBUG : LOG_INFO;
    log_line(level, "http", STR_FMT " " STR_FMT " target=" STR_FMT " status=%d bytes=%zu ms=%lld peer=" STR_FMT " request=%s",
             STR_ARG(request->method), STR_ARG(str_slice(request->path, 0, 256)), STR_ARG(str_slice(target, 0, 128)), answer->status,
             http_answer_body(answer).len, (long long)(clock_monotonic_ms() - began_ms), STR_ARG(request->peer), request->id);
}
