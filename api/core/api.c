/* api.c: the way of one call: find its row, may this caller do that, decode, run, print. Nothing here knows any operation. */
#include "api/core/api.h"

#include "api/core/binding.h"
#include "api/core/kind_forms.h"
#include "api/core/support.h"
#include "api/tell/role_credentials.h"

/* An arena that has passed its ceiling still serves, so the question is asked after a stage. */
static bool check_arena(const struct arena *arena, enum err_code code, const char *text, struct err *err)
{
    return !arena_exhausted(arena) || err_set(err, code, "%s", text);
}

/* Each role may do what the roles below it may. Tasks are separate: see task_may. */
static int role_rank(enum access_role role)
{
    static const int ranks[ACCESS_ROLE_COUNT] = { [ACCESS_VIEWER] = 1, [ACCESS_AGENT] = 2, [ACCESS_ADMIN] = 3 };
    ASSERT((int)role >= 0 && role < ACCESS_ROLE_COUNT);
    return ranks[role];
}

/* Operations by which a task may change itself, which the handlers check, or tell its figures. */
static const struct str changes_of_tasks[] = { STR_INIT("PutMetricData"), STR_INIT("UpdateTaskProtection") };
/* The output of a task is written with the keys of its execution role, which only agents hold. */
static const struct str writes_of_execution[] = { STR_INIT("CreateLogGroup"), STR_INIT("CreateLogStream"), STR_INIT("PutLogEvents") };

static bool is_named(struct str name, const struct str *names, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        if (str_eq(names[n], name)) { return true; }
    }
    return false;
}

/* By its own role it may read what every viewer may of ECS; its execution role is not for the ECS API. */
static bool task_may(const struct caller *caller, const struct operation *operation)
{
    if (caller->role != ACCESS_TASK || caller->session == NULL) { return false; }
    if (caller->session->kind != ROLE_TASK) { return is_named(operation->name, writes_of_execution, COUNT_OF(writes_of_execution)); }
    if (is_named(operation->name, changes_of_tasks, COUNT_OF(changes_of_tasks))) { return true; }
    return operation->role == ACCESS_VIEWER && api_operation(operation->name) == operation;
}

/* Operations by which an agent with a bound key may read; the handlers check that it is its own machine or cluster. */
static const struct str reads_of_bound[] = { STR_INIT("DescribeClusters"), STR_INIT("DescribeContainerInstances"), STR_INIT("ListTagsForResource") };

static bool bound_may(const struct caller *caller, const struct operation *operation)
{
    return !binding_is_set(caller) || operation->role != ACCESS_VIEWER
        || (api_operation(operation->name) == operation && is_named(operation->name, reads_of_bound, COUNT_OF(reads_of_bound)));
}

static bool check_role(const struct api_service *service, const struct api_config *config, const struct caller *caller,
                       const struct operation *operation, struct arena *arena, struct err *err)
{
    bool may = role_rank(caller->role) >= role_rank(operation->role) && bound_may(caller, operation);
    if (may || task_may(caller, operation)) { return true; }
    const struct denial denial = {
        .action = arena_printf(arena, STR_FMT ":" STR_FMT, STR_ARG(service->name), STR_ARG(operation->name)), .resource = service->resource,
    };
    return caller_deny(&config->names, caller, &denial, arena, err);
}

bool api_decode(const struct api_config *config, const struct operation *row, struct str body, struct arena *arena, struct api_call *call,
                struct err *err)
{
    const struct json *json = json_parse(body, arena, err);
    struct str warning = { 0 };
    if (json != NULL) { json = kind_forms_read(row->input, json, config->strict_aws, arena, &warning, err); }
    if (json == NULL) { return false; }
    void *input = arena_alloc(arena, 1, row->input->size);
    if (!schema_decode(row->input, json, input, arena, row->invalid, err)) { return false; }
    if (!check_arena(arena, ERR_REQUEST_TOO_LARGE, "The request needs more memory than one request may use.", err)) { return false; }
    *call = (struct api_call){ .operation = row, .input = input, .warning = warning };
    return true;
}

static bool decode_form(const struct api_service *service, const struct operation *row, struct str body, struct arena *arena, struct api_call *call,
                        struct err *err)
{
    void *input = arena_alloc(arena, 1, row->input->size);
    *call = (struct api_call){ .operation = row, .input = input };
    return schema_read_form(row->input, body, service->ec2, input, arena, row->invalid, err);
}

bool api_prepare_for(const struct api_service *service, const struct api_config *config, const struct caller *caller, struct str operation,
                     struct str body, struct arena *arena, struct api_call *call, struct err *err)
{
    const struct operation *row = api_service_operation(service, operation);
    if (row == NULL) {
        return err_set(err, ERR_UNKNOWN_OPERATION, "There is no operation \"" STR_FMT "\".", STR_ARG(str_slice(operation, 0, 128)));
    }
    if (!check_role(service, config, caller, row, arena, err)) { return false; }
    return service->protocol == API_QUERY ? decode_form(service, row, body, arena, call, err) : api_decode(config, row, body, arena, call, err);
}

bool api_prepare(const struct api_config *config, const struct caller *caller, struct str operation, struct str body,
                 struct arena *arena, struct api_call *call, struct err *err)
{
    return api_prepare_for(&ecs_service, config, caller, operation, body, arena, call, err);
}

bool api_run(struct api_call *call, struct op_ctx *ctx, struct err *err)
{
    const struct operation *operation = call->operation;
    ASSERT(operation != NULL);
    ASSERT(operation->access == OP_READ || operation->access == OP_OUTSIDE || ctx->ids != NULL);

    if (operation->output != NULL) { call->output = arena_alloc(ctx->arena, 1, operation->output->size); }
    if (!operation->run(ctx, call->input, call->output, err)) {
        ASSERT(err->code != ERR_NONE);
        return false;
    }
    if (str_is_set(ctx->warning)) { call->warning = ctx->warning; }
    /* A write is already done: only a read may still be refused, and a write's reply is bounded by its request. */
    return operation->access == OP_WRITE
        || check_arena(ctx->arena, ERR_CLIENT, "The reply needs more memory than one request may use: ask for fewer things at once.", err);
}

bool api_finish(struct api_call *call, struct op_ctx *ctx, struct err *err)
{
    return ctx->finish == NULL || ctx->finish(ctx, call->output, err);
}

void api_print(const struct api_call *call, struct buf *out)
{
    if (call->operation->output == NULL) {
        buf_put(out, STR("{}"));
        return;
    }
    struct json_out json = json_out_to(out);
    schema_print(call->operation->output, call->output, &json);
}
