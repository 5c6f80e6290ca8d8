/* routes.c: which path goes where, and who may go there. */
#include "server/routes.h"

#include <stddef.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/front/access.h"
#include "server/front/answers.h"
#include "server/front/rest.h"
#include "server/ha.h"
#include "server/key_paths.h"

enum method { METHOD_ANY, METHOD_GET, METHOD_POST };             /* GET includes HEAD */
enum access { ACCESS_OPEN, ACCESS_OWN, ACCESS_READER, ACCESS_AGENTS, ACCESS_ADMINS };

#define LENDS(member) offsetof(struct paths, member)     /* the struct that a row's handler borrows */

/* The answering one of several servers with one state. The leader, to whom the others hand it on; any server, as far as its store is; any, without its
 * store; or nobody but the leader, because an agent has to know whom it talks to. */
enum seat { AT_LEADER, AT_ANY, AT_ALL_TIMES, AT_LEADER_ITSELF };

/* ACCESS_OWN: the handler checks the signature, because earlier checks have their own answers. */
static const struct route {
    enum method method; struct str path; enum access access; PATH_HANDLER((*handle)); size_t lends; enum seat seat;
} routes[] = {
    { METHOD_GET,  STR_INIT("/"),                    ACCESS_OPEN,   page_handle, LENDS(front), AT_ALL_TIMES },
    { METHOD_ANY,  STR_INIT("/"),                    ACCESS_OWN,    aws_handle, LENDS(aws), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/agent/poll"), ACCESS_AGENTS, agent_poll_handle, LENDS(agents), AT_LEADER_ITSELF },
    { METHOD_POST, STR_INIT("/berth/v1/agent/reports"), ACCESS_AGENTS, agent_reports_handle, LENDS(agents), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/agent/logs"), ACCESS_AGENTS, agent_logs_handle, LENDS(agents), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/agent/health"), ACCESS_AGENTS, agent_health_handle, LENDS(front), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/agent/checks"), ACCESS_AGENTS, agent_checks_handle, LENDS(front), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/agent/pulled"), ACCESS_AGENTS, agent_pulled_handle, LENDS(front), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/agent/own-log"), ACCESS_AGENTS, agent_own_log_handle, LENDS(figures), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/agent-log"),  ACCESS_READER, agent_log_handle, LENDS(figures), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/agent/samples"), ACCESS_AGENTS, agent_samples_handle, LENDS(agents), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/idle"),       ACCESS_READER, idle_handle, LENDS(figures), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/samples"),    ACCESS_READER, samples_handle, LENDS(figures), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/board"),      ACCESS_READER, past_board_handle, LENDS(figures), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/agent/pulls"), ACCESS_AGENTS, agent_pulls_handle, LENDS(figures), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/pulls"),      ACCESS_READER, pulls_handle, LENDS(figures), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/gpus"),       ACCESS_READER, gpus_handle, LENDS(front), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/gpus"),       ACCESS_ADMINS, gpus_set_handle, LENDS(front), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/capacity"),   ACCESS_ADMINS, capacity_set_handle, LENDS(front), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/alarms/"),    ACCESS_ADMINS, alarm_set_handle, LENDS(front), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/agent/exec"), ACCESS_AGENTS, agent_exec_handle, LENDS(exec), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/exec"),       ACCESS_ADMINS, exec_begin_handle, LENDS(exec), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/exec/io"),    ACCESS_ADMINS, exec_io_handle, LENDS(exec), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/state"),      ACCESS_READER, state_handle, LENDS(viewers), AT_ANY },
    { METHOD_GET,  STR_INIT("/berth/v1/events"),     ACCESS_READER, events_handle, LENDS(viewers), AT_ANY },
    { METHOD_GET,  STR_INIT("/berth/v1/ecs-events"), ACCESS_READER, ecs_events_handle, LENDS(viewers), AT_ANY },
    { METHOD_GET,  STR_INIT("/berth/v1/logs"),       ACCESS_READER, logs_handle, LENDS(viewers), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/history"),    ACCESS_READER, history_handle, LENDS(viewers), AT_ANY },
    { METHOD_GET,  STR_INIT("/berth/v1/usage"),      ACCESS_READER, usage_handle, LENDS(viewers), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/history/"),   ACCESS_READER, history_task_handle, LENDS(viewers), AT_ANY },
    { METHOD_POST, STR_INIT("/berth/v1/whatif"),     ACCESS_READER, what_if_handle, LENDS(whatif), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/whatif/service"), ACCESS_READER, what_if_update_handle, LENDS(whatif), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/whatif/drain"), ACCESS_READER, what_if_drain_handle, LENDS(whatif), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/why"),        ACCESS_READER, why_handle, LENDS(whatif), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/headroom"),   ACCESS_READER, headroom_handle, LENDS(whatif), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/queue"),      ACCESS_READER, queue_handle, LENDS(whatif), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/target-groups"), ACCESS_READER, traffic_handle, LENDS(viewers), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/services/"),  ACCESS_READER, endpoints_handle, LENDS(viewers), AT_ANY },
    { METHOD_GET,  STR_INIT("/berth/v1/names"),      ACCESS_READER, names_handle, LENDS(viewers), AT_ANY },
    { METHOD_POST, STR_INIT("/berth/v1/feeds/"),     ACCESS_AGENTS, feed_applied_handle, LENDS(viewers), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/schedules"),  ACCESS_READER, schedules_handle, LENDS(front), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/rules"),      ACCESS_READER, schedules_handle, LENDS(front), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/caller"),     ACCESS_READER, caller_handle, LENDS(front), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/keys"),       ACCESS_ADMINS, keys_handle, LENDS(front), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/keys"),       ACCESS_ADMINS, keys_change_handle, LENDS(front), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/ha"),         ACCESS_READER, ha_handle, LENDS(front), AT_ALL_TIMES },
    { METHOD_POST, STR_INIT("/berth/v1/ha/hand-over"), ACCESS_ADMINS, ha_hand_over_handle, LENDS(front), AT_LEADER },
    { METHOD_POST, STR_INIT("/berth/v1/ha/forget"), ACCESS_ADMINS, ha_forget_handle, LENDS(front), AT_LEADER },
    { METHOD_GET,  STR_INIT("/berth/v1/ha/copy"),    ACCESS_OPEN,   ha_copy_handle, LENDS(front), AT_ALL_TIMES },      /* by a word */
    { METHOD_GET,  STR_INIT("/berth/v1/ha/key"),     ACCESS_OPEN,   ha_key_handle, LENDS(front), AT_ALL_TIMES },
    { METHOD_GET,  STR_INIT("/status.txt"),          ACCESS_READER, status_handle, LENDS(whatif), AT_LEADER },
    { METHOD_GET,  STR_INIT("/metrics"),             ACCESS_READER, metrics_handle, LENDS(metrics), AT_ALL_TIMES },
    { METHOD_GET,  STR_INIT("/healthz"),             ACCESS_OPEN,   health_handle, LENDS(front), AT_ALL_TIMES },
};
static const struct route file_route = { METHOD_GET, STR_INIT(""), ACCESS_OPEN, page_handle, LENDS(front), AT_ALL_TIMES };   /* every other path */

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

static bool check_access(const struct front *front, const struct route *route, const struct http_request *request, struct caller *caller,
                         struct err *err)
{
    switch (route->access) {
    case ACCESS_OPEN:
    case ACCESS_OWN:    return true;
    case ACCESS_READER: return access_check_reader(front, request, caller, err);
    case ACCESS_AGENTS: return access_check_agent(front, request, caller, err);
    case ACCESS_ADMINS: return access_check_admin(front, request, caller, err);
    }
    return false;
}

/* The checks before any handler. */
static bool check_request(const struct front *front, const struct http_request *request, struct err *err)
{
    if (atomic_load(front->stopping)) { return err_set(err, ERR_SERVER, "The server is starting or stopping; try again."); }
    switch (request->body_state) {
    case HTTP_BODY_WHOLE:     return true;
    case HTTP_BODY_TOO_LARGE: return err_set(err, ERR_REQUEST_TOO_LARGE, "The request is larger than %d bytes.", HTTP_BODY_MAX);
    case HTTP_BODY_BROKEN:    return err_set(err, ERR_SERIALIZATION, "The request ended before its body did.");
    case HTTP_BODY_NO_ROOM:   return err_set(err, ERR_UNAVAILABLE, "The server holds too many large requests at once; try again.");
    case HTTP_HEAD_BROKEN:    return err_set(err, ERR_SERIALIZATION, "The head of the request is not valid HTTP/1.1, or could be read in two ways.");
    }
    return true;
}

static void refuse(const struct front *front, const struct route *route, struct http_answer *answer, const struct err *err)
{
    metrics_count(front->metrics, NULL, err->code);
    answer_error(answer, err);
    if (route == NULL || route->access != ACCESS_READER || answer->status >= 500) { return; }
    if (err->retry_after_s > 0) {
        answer->status = 429;
        return;
    }
    answer->status = 401;
    struct buf headers = buf_in(answer->body.arena);
    buf_put(&headers, answer->headers);
    /* Not Basic, which works too: for that a browser would ask with its own window, and keep the secret. The page asks, and signs. */
    buf_printf(&headers, "WWW-Authenticate: AWS4-HMAC-SHA256 realm=\"Berth\", region=\"" STR_FMT "\", service=\"ecs\"\r\n",
               STR_ARG(front->api->names.region));
    answer->headers = buf_str(&headers);
}

/* Paths of clients of AWS: "/", and any path of a REST service. Berth's own are not among them. */
static bool is_of_aws(const struct route *route) { return route == NULL || route->handle == aws_handle || route->handle == page_handle; }

static bool is_read_of_aws(const struct route *route, const struct http_request *request)
{
    return is_of_aws(route) && (route == NULL || route->handle == aws_handle || rest_service_of(request) != NULL) && aws_is_read(request);
}

/* On a server that follows another. True: the request is answered. */
static bool hand_on(const struct front *front, const struct route *route, struct http_request *request, struct http_answer *answer)
{
    struct err err = { 0 };
    if (front->members == NULL) { return false; }
    struct member *member = members_member(front->members);
    enum seat seat = route == NULL || rest_service_of(request) != NULL ? AT_LEADER : route->seat;
    if (seat == AT_ALL_TIMES || member_role(member) == MEMBER_LEADS || is_read_of_aws(route, request)) { return false; }
    if (seat == AT_ANY) {
        if (members_is_fresh(front->members, &err)) { return false; }
    } else if (seat == AT_LEADER_ITSELF) {
        (void)err_set(&err, ERR_UNAVAILABLE, "This server does not lead. Ask where to poll.");
    } else {
        switch (members_forward(front->members, request, answer, &err)) {
        case FORWARD_DONE:   return true;
        case FORWARD_HERE:   return false;
        case FORWARD_FAILED: break;
        }
    }
    refuse(front, NULL, answer, &err);
    return true;
}

static void dispatch(const struct paths *paths, struct http_request *request, struct http_answer *answer)
{
    const struct front *front = &paths->front;
    struct err err = { 0 };
    struct caller caller = { 0 };
    const struct route *route = find_route(request);
    if (!check_request(front, request, &err)) {
        refuse(front, NULL, answer, &err);
        if (atomic_load(front->stopping)) {
            answer->status = 503;
            answer->close = true;
        }
    } else if (hand_on(front, route, request, answer)) {
        return;
    } else if (is_of_aws(route) && other_service_is_meant(request)) {
        other_service_handle(front, request, answer, &caller);
    } else if (is_of_aws(route) && rest_service_of(request) != NULL) {
        aws_handle(&paths->aws, request, answer, &caller);
    } else if (route == NULL) {
        metrics_count(front->metrics, NULL, ERR_CLIENT);
        answer_text(answer, 405, STR("text/plain; charset=utf-8"), STR("This path does not know this method.\n"));
    } else if (!check_access(front, route, request, &caller, &err)) {
        refuse(front, route, answer, &err);
    } else {
        route->handle((const char *)paths + route->lends, request, answer, &caller);
    }
}

void routes_handle(void *context, struct http_request *request, struct http_answer *answer)
{
    const struct paths *paths = context;
    int64_t began_ms = clock_monotonic_ms();
    dispatch(paths, request, answer);
    ASSERT(answer->status >= 200 && answer->status < 600);        /* handlers set it, no request does */
    struct str target = http_header(request, STR("X-Amz-Target"));
    enum log_level level = answer->status < 400 ? LOG_DEBUG : LOG_INFO;
    log_line(level, "http", STR_FMT " " STR_FMT " target=" STR_FMT " status=%d bytes=%zu ms=%lld peer=" STR_FMT " request=%s",
             STR_ARG(request->method), STR_ARG(str_slice(request->path, 0, 256)), STR_ARG(str_slice(target, 0, 128)), answer->status,
             http_answer_body(answer).len, (long long)(clock_monotonic_ms() - began_ms), STR_ARG(request->peer), request->id);
}
