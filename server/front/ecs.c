/* ecs.c: the ECS API on the wire, JSON 1.1, and its neighbours' (api/core/aws.c): X-Amz-Target names service and operation, the
 * service's table does the rest. */
#include "server/front/answers.h"
#include "server/front/audit.h"
#include "server/front/aws.h"
#include "server/front/last_run.h"

#include "base/log.h"

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

/* What is no JSON 1.1 request at all is answered in XML, as the real front end does. */
static bool refuse_in_xml(const struct http_request *request, struct http_answer *answer)
{
    bool posted = str_eq(request->method, STR("POST"));
    if (posted && is_json(request)) { return false; }
    bool targeted = posted && str_is_set(http_header(request, STR("X-Amz-Target")));
    answer_text(answer, targeted ? 404 : 403, STR("application/xml"), targeted ? unknown_xml : unable_xml);
    return true;
}

/* NULL and *err: no service has such an operation. *service is ECS when the target names none. */
static const struct operation *find_operation(const struct http_request *request, const struct api_service **service, struct err *err)
{
    struct str name, target = http_header(request, STR("X-Amz-Target"));
    const struct api_service *found = api_service_of(target, &name);
    const struct operation *operation = found == NULL ? NULL : api_service_operation(found, name);
    *service = found == NULL ? &ecs_service : found;
    if (operation != NULL) { return operation; }
    if (!str_is_set(target)) {
        (void)err_set(err, ERR_UNKNOWN_OPERATION, "%s", "");
    } else {
        (void)err_set(err, ERR_UNKNOWN_OPERATION, "Berth does not serve " STR_FMT "%s" STR_FMT ".", STR_ARG(found == NULL ? STR("") : found->name),
                      found == NULL ? "" : ":", STR_ARG(str_slice(found == NULL ? target : name, 0, 128)));
    }
    return NULL;
}

/* On the spot. What is printed lives in the arena, so the transaction ends before a byte is sent. */
static bool run_read(const struct aws_paths *aws, struct http_request *request, const struct caller *caller, struct api_call *call,
                     struct err *err)
{
    struct api_config config;
    struct op_ctx ctx = front_read(aws->front, request, caller, &config);
    bool good = api_run(call, &ctx, err);
    if (store_read_end(ctx.txn)) { return good && command_calls_complete(aws, request, caller, call, err); }
    *err = (struct err){ 0 };                             /* even a refusal may rest on nothing */
    return err_set(err, ERR_SERVER, "The store can't be read.");
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

/* Reports show at debug. Of the neighbours, who read is told too, and of what only admins may. */
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
    answer->headers = arena_printf(request->arena, "x-berth-warning: " STR_FMT "\r\n", STR_ARG(warning));
}

static bool run_operation(const struct aws_paths *aws, struct http_request *request, struct http_answer *answer, const struct api_service *service,
                          const struct operation *operation, struct err *err)
{
    struct caller caller;
    if (!auth_check(aws->front->auth, request, service->name, &caller, err)) { return false; }
    if (request->body.len == 0) { return err_set(err, ERR_SERIALIZATION, "%s", ""); }
    struct api_call call;
    bool write = operation->access == OP_WRITE && operation->run != NULL;
    bool good = api_prepare_for(service, aws->front->api, &caller, operation->name, request->body, request->arena, &call, err)
        && (write ? run_write(aws, request, &caller, &call, err) : run_read(aws, request, &caller, &call, err));
    tell_audit(aws, request, service, &caller, operation, &call, err);
    if (!good) { return false; }
    switch (api_run_outcome(&call)) {
    case RUN_NONE:        break;
    case RUN_ALL_STARTED: last_run_all_started(aws->last_run);             break;
    case RUN_LEFT_OUT:    last_run_left_out(aws->last_run, request->body); break;
    }
    answer->status = 200;
    answer->type = STR("application/x-amz-json-1.1");
    give_warning(request, answer, operation, &caller, call.warning);
    api_print(&call, &answer->body);
    return true;
}

void ecs_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct aws_paths *aws = context;
    (void)caller;                                         /* checked here: what comes before the signature has its own answers */
    if (refuse_in_xml(request, answer)) {
        metrics_count(aws->front->metrics, NULL, ERR_CLIENT);
        return;
    }
    struct err err = { 0 };
    const struct api_service *service;
    const struct operation *operation = find_operation(request, &service, &err);
    bool good = operation != NULL && run_operation(aws, request, answer, service, operation, &err);
    metrics_count(aws->front->metrics, operation, good ? ERR_NONE : err.code);
    if (!good) { answer_service_error(answer, service, &err); }
}
