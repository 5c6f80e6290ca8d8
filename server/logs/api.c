/* api.c: the operations of CloudWatch Logs that Berth serves, and what they share. */
#include "server/logs/api.h"

#include "api/core/binding.h"
#include "api/tell/log_names.h"
#include "api/tell/role_credentials.h"
#include "server/front/answers.h"

static const struct str target_prefix = STR_INIT("Logs_20140328.");

static const struct logs_operation {
    struct str name; const struct schema *input; bool writes, in_group; LOGS_OPERATION((*run));
} operations[] = {
    { STR_INIT("CreateLogGroup"),     &logs_make_group_schema,  true,  true,  logs_make_group },
    { STR_INIT("CreateLogStream"),    &logs_make_stream_schema, true,  true,  logs_make_stream },
    { STR_INIT("DescribeLogGroups"),  &logs_groups_schema,      false, false, logs_describe_groups },
    { STR_INIT("DescribeLogStreams"), &logs_streams_schema,     false, true,  logs_describe_streams },
    { STR_INIT("FilterLogEvents"),    &logs_filter_schema,      false, true,  logs_filter_events },
    { STR_INIT("GetLogEvents"),       &logs_get_schema,         false, true,  logs_get_events },
    { STR_INIT("PutLogEvents"),       &logs_put_schema,         true,  true,  logs_put_events },
};

bool logs_api_is_meant(const struct http_request *request)
{
    return str_eq(request->method, STR("POST")) && str_starts_with(http_header(request, STR("X-Amz-Target")), target_prefix);
}

static const struct logs_operation *find_operation(const struct http_request *request, struct str *name)
{
    struct str target = http_header(request, STR("X-Amz-Target"));
    *name = str_slice(target, target_prefix.len, target.len);
    for (size_t o = 0; o < COUNT_OF(operations); o++) {
        if (str_eq(operations[o].name, *name)) { return &operations[o]; }
    }
    return NULL;
}

/* What a task prints is written with the keys of its execution role, which only agents hold. No task may read what others print, nor an agent
 * whose key is bound. */
static bool may_call(const struct logs_operation *operation, const struct caller *caller)
{
    if (caller->role == ACCESS_TASK) { return operation->writes && caller->session->kind == ROLE_EXECUTION; }
    if (!operation->writes) { return !binding_is_set(caller); }
    return caller->role == ACCESS_ADMIN || caller->role == ACCESS_AGENT;
}

static bool check_role(const struct aws_paths *aws, const struct http_request *request, const struct logs_operation *operation,
                       const struct caller *caller, struct err *err)
{
    if (may_call(operation, caller)) { return true; }
    const struct denial denial = { .action = arena_printf(request->arena, "logs:" STR_FMT, STR_ARG(operation->name)) };
    return caller_deny(&aws->front->api->names, caller, &denial, request->arena, err);
}

/* A name, or "arn:aws:logs:REGION:ACCOUNT:log-group:NAME", with or without ":*". */
static bool read_group(struct logs_call *call, struct err *err)
{
    const struct logs_input *input = call->input;
    if (str_is_set(input->group) == str_is_set(input->group_id)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Exactly one of logGroupName and logGroupIdentifier must be given.");
    }
    call->group = str_is_set(input->group) ? input->group : input->group_id;
    struct str start = arena_printf(call->request->arena, "arn:aws:logs:" STR_FMT ":" STR_FMT ":log-group:",
                                    STR_ARG(call->aws->front->api->names.region), STR_ARG(call->aws->front->api->names.account));
    if (!str_is_set(input->group) && str_starts_with(call->group, start)) {
        call->group = str_slice(call->group, start.len, call->group.len);
        if (str_ends_with(call->group, STR(":*"))) { call->group.len -= 2; }
    }
    return log_group_name_is_valid(call->group)
        || err_set(err, ERR_INVALID_PARAMETER, "1 validation error detected: Value at 'logGroupName' failed to satisfy constraint: Member must "
                   "satisfy regular expression pattern: [\\.\\-_/#A-Za-z0-9]+");
}

static bool run(struct logs_call *call, const struct logs_operation *operation, struct err *err)
{
    struct logs_input *input = ARENA_NEW(call->request->arena, struct logs_input, 1);
    call->input = input;
    const struct json *json = json_parse(call->request->body, call->request->arena, err);
    return json != NULL && schema_decode(operation->input, json, input, call->request->arena, ERR_INVALID_PARAMETER, err)
        && (!operation->in_group || read_group(call, err)) && operation->run(call, err);
}

void logs_api_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct aws_paths *aws = context;
    (void)caller;                                         /* checked here, for the service logs */
    struct caller who;
    struct str name;
    struct err err = { 0 };
    const struct logs_operation *operation = find_operation(request, &name);
    struct logs_call call = { .aws = aws, .request = request, .caller = &who, .out = json_out_to(&answer->body) };
    bool good = auth_check(aws->front->auth, request, STR("logs"), &who, &err);
    if (good && operation == NULL) {
        good = err_set(&err, ERR_UNKNOWN_OPERATION, "Berth does not serve " STR_FMT " of CloudWatch Logs. What tasks print is read with "
                       "FilterLogEvents and GetLogEvents, and followed with `aws logs tail --follow`.", STR_ARG(str_slice(name, 0, 64)));
    }
    json_open(&call.out, '{');
    good = good && check_role(aws, request, operation, &who, &err) && run(&call, operation, &err);
    json_close(&call.out, '}');
    if (good && arena_exhausted(request->arena)) { good = err_set(&err, ERR_SERVER, "The answer needs more memory than a request may take."); }
    metrics_count(aws->front->metrics, NULL, err.code);
    if (!good) {
        answer_error(answer, &err);
        return;
    }
    answer->status = 200;
    answer->type = STR("application/x-amz-json-1.1");
}

/* ---- what they share ---- */

struct logs_page logs_page_of(const struct logs_input *input)
{
    return (struct logs_page){ .events_max = input->limit.set ? (size_t)input->limit.value : LOGS_PAGE_EVENTS };
}

bool logs_page_takes(struct logs_page *page, const struct log_event *event)
{
    size_t size = event->message.len + LOG_EVENT_OVERHEAD;
    if (page->events == page->events_max || (page->events > 0 && page->bytes + size > LOGS_PAGE_BYTES)) { return false; }
    page->events++;
    page->bytes += size;
    return true;
}

void logs_print_event(const struct log_event *event, struct json_out *out)
{
    json_key(out, STR("timestamp"));
    json_i64(out, event->time_ms);
    json_key(out, STR("message"));
    json_str(out, event->message);
    json_key(out, STR("ingestionTime"));
    json_i64(out, event->received_ms);
}

bool logs_are_closed(struct logs_call *call, const struct log_stream *streams, size_t count, bool *closed, struct err *err)
{
    struct store_txn *txn = store_read_begin(call->aws->front->store);
    for (size_t s = 0; s < count; s++) {
        const struct task *task = store_task(txn, streams[s].task, call->request->arena);
        closed[s] = task == NULL || !task_is_live(task);
    }
    return store_read_end(txn) || err_set(err, ERR_SERVER, "The store can't be read.");
}

bool logs_find_stream(struct logs_call *call, struct str name, struct log_stream *stream, struct err *err)
{
    struct log_stream_list list;
    if (!log_groups_streams(logs_groups(call->aws->logs), call->group, &list, call->request->arena, err)) { return false; }
    for (size_t s = 0; s < list.count; s++) {
        if (!str_eq(list.items[s].name, name)) { continue; }
        *stream = list.items[s];
        return true;
    }
    return err_set(err, ERR_RESOURCE_NOT_FOUND, "The specified log stream does not exist.");
}
