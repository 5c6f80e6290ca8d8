/* alarms.c: alarms and schedules, for clients that speak no AWS.
 *
 * GET  /berth/v1/schedules, /berth/v1/rules    ?nextToken=: those of EventBridge Scheduler and of EventBridge: api/schedules/show.c has the shape
 * POST /berth/v1/alarms/NAME                   {"state":"OK", "ALARM" or "INSUFFICIENT_DATA","reason":"…"}: the same as SetAlarmState of CloudWatch.
 *                                              NAME is encoded as in a form: a blank is %20 or +. */
#include "server/front/answers.h"
#include "server/front/audit.h"
#include "server/paths/figures.h"

#include "base/text/form.h"

static const struct str stem = STR_INIT("/berth/v1/alarms/");
static const struct str operation = STR_INIT("SetAlarmState");

/* The body of SetAlarmState. False and *err: the request's is no JSON object. */
static bool make_body(const struct http_request *request, struct buf *body, struct err *err)
{
    const struct json *json = json_parse(request->body, request->arena, err);
    if (json == NULL) { return false; }
    struct str state = json_get_str(json, STR("state")), reason = json_get_str(json, STR("reason"));
    struct json_out out = json_out_to(body);
    json_open(&out, '{');
    json_name(&out, STR("AlarmName"));
    json_str(&out, form_decode(str_slice(request->path, stem.len, request->path.len), request->arena));
    json_name(&out, STR("StateValue"));
    json_str(&out, state);
    json_name(&out, STR("StateReason"));
    json_str(&out, reason);
    json_close(&out, '}');
    return true;
}

void alarm_set_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    struct err err = { 0 };
    struct api_call call;
    struct job job = { .call = &call, .arena = request->arena, .caller = *caller };
    struct buf body = buf_in(request->arena);
    if (make_body(request, &body, &err) && api_prepare_for(&alarms_service, front->api, caller, operation, buf_str(&body), request->arena, &call, &err)
        && writer_run(front->writer, &job, &err)) {
        buf_put(&answer->body, STR("{}"));
        answer_json(front, answer);
    } else {
        answer_refusal(front, answer, &err);
    }
    audit_call(front, &(struct audit){ .request = request, .caller = caller, .service = alarms_service.name, .operation = operation, .level = LOG_INFO,
                                        .err = &err });
}

/* ---- schedules ---- */

void schedules_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    struct api_config config;
    struct err err = { 0 };
    bool rules = str_ends_with(request->path, STR("/rules"));
    struct op_ctx ctx = front_read(front, request, caller, &config);
    bool good = api_print_schedules(&ctx, rules, query_parameter(request, STR("nextToken")), &answer->body, &err);
    if (!store_read_end(ctx.txn)) {
        answer_unreadable(front, answer);
    } else if (!good) {
        answer_refusal(front, answer, &err);
    } else {
        answer_json(front, answer);
    }
}
