/* report_batches.c: many of an agent's reports in one job of the writer. Each is a separate operation, which decides before its first
 * write: so a refused one has written nothing, and the others count. A report that comes again changes nothing. */
#include "api/handlers.h"
#include "api/schemas/agents.h"
#include "api/core/support.h"
#include "wire/wire.h"

struct report_batch {
    struct submit_task_state_change_request *reports;
    const struct err **refusals;             /* of each; NULL: none so far */
    size_t count;
};

static const struct err *keep_err(const struct err *err, struct arena *arena) { return arena_copy(arena, err, sizeof *err); }

static bool op_submit_reports(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct report_batch *batch = input;
    (void)output;
    (void)err;
    ASSERT(batch->count > 0 && batch->count <= WIRE_REPORTS_MAX);
    for (size_t r = 0; r < batch->count; r++) {
        struct err refusal = { 0 };
        struct submit_task_state_change_response response;
        if (batch->refusals[r] != NULL) { continue; }
        if (!op_submit_task_state_change(ctx, &batch->reports[r], &response, &refusal)) { batch->refusals[r] = keep_err(&refusal, ctx->arena); }
    }
    return true;
}

static const struct operation reports_operation = {
    .name = STR_INIT("berth:SubmitReports"), .access = OP_WRITE, .role = ACCESS_AGENT, .invalid = ERR_INVALID_PARAMETER, .run = op_submit_reports,
};

static const struct json *find_list(const struct json *json, struct err *err)
{
    const struct json *list = json_get(json, STR("reports"));
    if (list == NULL || list->type != JSON_ARRAY) {
        err_set(err, ERR_INVALID_PARAMETER, "reports must be a list.");
        return NULL;
    }
    if (list->count > 0 && list->count <= WIRE_REPORTS_MAX) { return list; }
    err_set(err, ERR_INVALID_PARAMETER, "reports must have 1 to %d items.", (int)WIRE_REPORTS_MAX);
    return NULL;
}

bool api_prepare_reports(struct str body, struct arena *arena, struct api_call *call, struct err *err)
{
    const struct json *json = json_parse(body, arena, err), *list = json == NULL ? NULL : find_list(json, err);
    if (list == NULL) { return false; }
    struct report_batch *batch = ARENA_NEW(arena, struct report_batch, 1);
    *batch = (struct report_batch){ ARENA_NEW(arena, struct submit_task_state_change_request, list->count),
                                    ARENA_NEW(arena, const struct err *, list->count), list->count };
    for (size_t r = 0; r < list->count; r++) {
        struct err refusal = { 0 };
        bool good = schema_decode(&submit_task_state_change_request_schema, &list->as.items[r], &batch->reports[r], arena, ERR_INVALID_PARAMETER, &refusal);
        if (!good) { batch->refusals[r] = keep_err(&refusal, arena); }
    }
    if (arena_exhausted(arena)) { return err_set(err, ERR_REQUEST_TOO_LARGE, "The request needs more memory than one request may use."); }
    *call = (struct api_call){ .operation = &reports_operation, .input = batch };
    return true;
}

struct str api_report_task(const struct api_call *call, size_t report)
{
    const struct report_batch *batch = call->input;
    ASSERT(report < batch->count);
    return batch->reports[report].task;
}

const struct err *const *api_report_refusals(const struct api_call *call, size_t *count)
{
    const struct report_batch *batch = call->input;
    *count = batch->count;
    return batch->refusals;
}
