/* aws.c: one way for all services of AWS that Berth serves (services.c): X-Amz-Target or a form names service and operation, the rows do the
 * rest. */
#include "server/front/aws.h"

#include "base/clock.h"
#include "base/log.h"
#include "server/front/answers.h"
#include "server/front/audit.h"
#include "server/front/last_run.h"
#include "server/front/rest.h"
#include "server/front/services.h"

static const struct str unable_xml = STR_INIT("<AccessDeniedException>\n  <Message>Unable to determine service/operation name to be "
    "authorized</Message>\n</AccessDeniedException>\n");
static const struct str unknown_xml = STR_INIT("<UnknownOperationException/>\n");

static bool is_json(const struct http_request *request)
{
    static const struct str types[] = {
        STR_INIT("application/x-amz-json-1.1"), STR_INIT("application/x-amz-json-1.0"), STR_INIT("application/json"),
    };
    struct str type, parameters;
    (void)str_cut(http_header(request, STR("Content-Type")), ';', &type, &parameters);
    type = str_trim(type);
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        if (str_eq_nocase(type, types[t])) { return true; }
    }
    return false;
}

/* The service and the operation of a request. */
struct aim { const struct api_service *service; const struct operation *operation; struct str target, name, body; };

/* By the target, else by the form, or by the path of a REST service. The service is ECS when nothing names one; the operation NULL when no service has it. */
static struct aim find_aim(const struct http_request *request)
{
    struct aim aim = { .target = http_header(request, STR("X-Amz-Target")), .body = request->body };
    aim.service = services_of_target(aim.target, &aim.name);
    if (!str_is_set(aim.target) && query_is_form(request)) {
        struct str scope = STR("");
        (void)other_service_scope(request, &scope);
        aim.service = services_of_form(http_form_value(request->body, STR("Version"), request->arena), scope);
        aim.name = http_form_value(request->body, STR("Action"), request->arena);
    }
    if (!str_is_set(aim.target) && aim.service == NULL) { aim.service = rest_service_of(request); }
    if (aim.service != NULL && aim.service->protocol == API_REST) { rest_read(request, aim.service, &aim.name, &aim.body); }
    if (aim.service == NULL) {
        aim.service = &ecs_service;
        aim.name = aim.target;
    } else {
        aim.operation = api_service_operation(aim.service, aim.name);
    }
    return aim;
}

/* A request that is not posted, or, for services that check this early, that is not JSON 1.1, is answered in XML, as ECS does. */
static bool refuse_in_xml(const struct http_request *request, const struct aim *aim, struct http_answer *answer)
{
    bool posted = str_eq(request->method, STR("POST"));
    if (aim->service->protocol != API_JSON || (posted && (!aim->service->early || is_json(request)))) { return false; }
    bool targeted = posted && str_is_set(aim->target);
    answer_text(answer, targeted ? 404 : 403, STR("application/xml"), targeted ? unknown_xml : unable_xml);
    return true;
}

static bool refuse_unserved(const struct aim *aim, struct err *err)
{
    const struct api_service *service = aim->service;
    bool is_known = str_starts_with(aim->target, service->target);
    if (!service->early) {
        return err_set(err, ERR_UNKNOWN_OPERATION, "Berth does not serve " STR_FMT STR_FMT STR_FMT, STR_ARG(service->unserved),
                       STR_ARG(str_slice(aim->name, 0, 64)), STR_ARG(service->unserved_more));
    }
    if (!str_is_set(aim->target)) { return err_set(err, ERR_UNKNOWN_OPERATION, "%s", ""); }
    return err_set(err, ERR_UNKNOWN_OPERATION, "Berth does not serve " STR_FMT "%s" STR_FMT ".", STR_ARG(is_known ? service->name : STR("")),
                   is_known ? ":" : "", STR_ARG(str_slice(aim->name, 0, 128)));
}

/* On the spot. What is printed lives in the arena, so the transaction ends before a byte is sent, and before anything is done outside. */
static bool run_read(const struct aws_paths *aws, struct http_request *request, const struct caller *caller, struct api_call *call,
                     struct err *err)
{
    struct api_config config;
    struct outside_call outside_call = { aws, request };
    const struct outside outside = outside_of(&outside_call);
    struct op_ctx ctx = front_read(aws->front, request, caller, &config);
    ctx.outside = &outside;
    bool good = api_run(call, &ctx, err);
    if (store_read_end(ctx.txn)) { return good && api_finish(call, &ctx, err); }
    *err = (struct err){ 0 };                             /* even a refusal may rest on nothing */
    return err_set(err, ERR_SERVER, "The store can't be read.");
}

/* On the spot, without a transaction. */
static bool run_outside(const struct aws_paths *aws, struct http_request *request, const struct caller *caller, struct api_call *call, struct err *err)
{
    struct outside_call outside_call = { aws, request };
    const struct outside outside = outside_of(&outside_call);
    struct op_ctx ctx = {
        .config = aws->front->api, .arena = request->arena, .now_ms = request->now_ms, .caller = *caller, .outside = &outside,
    };
    return api_run(call, &ctx, err);
}

static bool run_write(const struct aws_paths *aws, struct http_request *request, const struct caller *caller, struct api_call *call,
                      struct err *err)
{
    struct job job = { .call = call, .arena = request->arena, .caller = *caller };
    return writer_run(aws->front->writer, &job, err);
}

/* Agents' reports, which are many. */
static bool is_report(const struct operation *operation)
{
    static const struct str reports[] = {
        STR_INIT("SubmitAttachmentStateChanges"), STR_INIT("SubmitContainerStateChange"), STR_INIT("SubmitTaskStateChange"),
    };
    for (size_t r = 0; r < COUNT_OF(reports); r++) {
        if (str_eq(reports[r], operation->name)) { return true; }
    }
    return false;
}

/* Reports show at debug. Reads of other services, and operations for admins only, are written too. */
static void tell_audit(const struct aws_paths *aws, const struct http_request *request, const struct api_service *service, const struct caller *caller,
                       const struct operation *operation, const struct api_call *call, const struct err *err)
{
    bool is_told = operation->access == OP_WRITE || service != &ecs_service || operation->role == ACCESS_ADMIN;
    if (!is_told) { return; }
    audit_call(aws->front, &(struct audit){
        .request = request, .caller = caller, .service = service->name, .operation = operation->name, .call = call,
        .level = is_report(operation) ? LOG_DEBUG : LOG_INFO, .err = err,
    });
}

/* The text is Berth's own, so it is safe in a header. */
static void give_warning(struct http_request *request, struct http_answer *answer, const struct operation *operation,
                         const struct caller *caller, struct str warning)
{
    if (!str_is_set(warning)) { return; }
    log_line(LOG_WARN, "api", STR_FMT " user=" STR_FMT " request=%s: " STR_FMT, STR_ARG(operation->name), STR_ARG(caller->user),
             request->id, STR_ARG(warning));
    answer->headers = arena_printf(request->arena, STR_FMT "x-berth-warning: " STR_FMT "\r\n", STR_ARG(answer->headers), STR_ARG(warning));
}

static bool run_call(const struct aws_paths *aws, struct http_request *request, const struct caller *caller, struct api_call *call, struct err *err)
{
    enum op_access access = call->operation->access;
    switch (access) {
    case OP_WRITE:   return run_write(aws, request, caller, call, err);
    case OP_OUTSIDE: return run_outside(aws, request, caller, call, err);
    case OP_READ:
    case OP_LOOK:    break;
    }
    return run_read(aws, request, caller, call, err);
}

static void answer_call(struct http_answer *answer, const struct http_request *request, const struct api_service *service, const struct api_call *call)
{
    answer->status = 200;
    if (service->protocol == API_QUERY) {
        answer_query(answer, request, service, call);
        return;
    }
    answer->type = service->protocol == API_REST ? STR("application/json") : STR("application/x-amz-json-1.1");
    api_print(call, &answer->body);
}

/* An endpoint for agents is that of the server that leads. */
bool aws_is_read(const struct http_request *request)
{
    const struct aim aim = find_aim(request);
    return aim.operation != NULL && aim.operation->access == OP_READ && !str_eq(aim.operation->name, STR("DiscoverPollEndpoint"));
}

static bool run_operation(const struct aws_paths *aws, struct http_request *request, struct http_answer *answer, const struct aim *aim, struct err *err)
{
    struct caller caller;
    const struct api_service *service = aim->service;
    const struct operation *operation = aim->operation;
    if (operation == NULL && service->early) { return refuse_unserved(aim, err); }
    /* Before the caller's key is read: it may be new, or revoked. */
    if (operation != NULL && operation->access == OP_READ && !front_is_current(aws->front, request, answer, err)) { return false; }
    if (!auth_check(aws->front->auth, request, service->name, &caller, err)) { return false; }
    if (operation == NULL) { return refuse_unserved(aim, err); }
    if (request->body.len == 0 && service->early) { return err_set(err, ERR_SERIALIZATION, "%s", ""); }
    struct api_call call;
    bool good = api_prepare_for(service, aws->front->api, &caller, operation->name, aim->body, request->arena, &call, err)
        && run_call(aws, request, &caller, &call, err);
    if (service->named) { tell_audit(aws, request, service, &caller, operation, &call, err); }
    if (!good) { return false; }
    switch (api_run_outcome(&call)) {
    case RUN_NONE:        break;
    case RUN_ALL_STARTED: last_run_all_started(aws->last_run);             break;
    case RUN_LEFT_OUT:    last_run_left_out(aws->last_run, request->body); break;
    }
    give_warning(request, answer, operation, &caller, call.warning);
    answer_call(answer, request, service, &call);
    return true;
}

void aws_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct aws_paths *aws = context;
    (void)caller;                                         /* checked here: what comes before the signature has its own answers */
    const struct aim aim = find_aim(request);
    if (refuse_in_xml(request, &aim, answer)) {
        metrics_count(aws->front->metrics, NULL, ERR_CLIENT);
        return;
    }
    struct err err = { 0 };
    int64_t begun_us = clock_monotonic_us();
    bool good = run_operation(aws, request, answer, &aim, &err);
    const struct operation *operation = aim.service->named ? aim.operation : NULL;
    metrics_count(aws->front->metrics, operation, good ? ERR_NONE : err.code);
    metrics_time(aws->front->metrics, operation, clock_monotonic_us() - begun_us);
    if (!good) { answer_service_error(answer, request, aim.service, &err); }
}
