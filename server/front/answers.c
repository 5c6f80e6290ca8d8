/* answers.c: what the answers of all paths have in common. */
#include "server/front/answers.h"

#include "base/text/duration.h"
#include "base/text/xml.h"

const struct str live_headers = STR_INIT(SAFE_HEADERS "Cache-Control: no-store\r\n");

void answer_text(struct http_answer *answer, int status, struct str type, struct str text)
{
    answer->status = status;
    answer->type = type;
    answer->body.len = HTTP_HEAD_ROOM;                    /* earlier text is not sent */
    buf_put(&answer->body, text);
}

static void print_resource_ids(const struct err *err, struct json_out *json)
{
    json_key(json, STR("resourceIds"));
    json_open(json, '[');
    for (size_t r = 0; r < err->resource_id_count; r++) { json_str(json, err->resource_ids[r]); }
    json_close(json, ']');
}

void answer_print_error(struct json_out *json, const struct api_service *service, const struct err *err)
{
    json_open(json, '{');
    json_key(json, STR("__type"));
    json_str(json, api_error_name(service, err->code));
    if (err->message[0] != '\0') {
        json_key(json, service->message);
        json_str(json, str_from(err->message));
    }
    if (err->resource_id_count > 0) { print_resource_ids(err, json); }
    json_close(json, '}');
}

static void answer_json_error(struct http_answer *answer, const struct api_service *service, const struct err *err)
{
    ASSERT(err->code != ERR_NONE);
    struct str type = service->protocol == API_REST ? STR("application/json") : STR("application/x-amz-json-1.1");
    answer_text(answer, api_error_status(service, err->code), type, STR(""));
    struct json_out json = json_out_to(&answer->body);
    answer_print_error(&json, service, err);
    struct buf line = buf_in(answer->body.arena);
    buf_put(&line, STR("x-amzn-ErrorType: "));
    buf_put(&line, api_error_name(service, err->code));
    buf_put(&line, STR("\r\n"));
    answer->headers = buf_str(&line);
    answer_wait(answer, err);
}

void answer_error(struct http_answer *answer, const struct err *err) { answer_json_error(answer, &ecs_service, err); }

void answer_service_error(struct http_answer *answer, const struct http_request *request, const struct api_service *service, const struct err *err)
{
    if (service->protocol != API_QUERY) {
        answer_json_error(answer, service, err);
        return;
    }
    struct str name = api_error_name(service, err->code), message = str_from(err->message);
    int status = api_error_status(service, err->code);
    if (service->ec2) {
        answer_ec2_error(answer, request, name, status, message);
    } else {
        answer_query_error(answer, request, service->space, name, status, message);
    }
    answer_wait(answer, err);
}

void answer_wait(struct http_answer *answer, const struct err *err)
{
    ASSERT(err->retry_after_s >= 0);
    if (err->retry_after_s == 0) { return; }
    struct buf lines = buf_in(answer->body.arena);
    buf_put(&lines, answer->headers);
    buf_printf(&lines, "Retry-After: %d\r\n", err->retry_after_s);
    answer->headers = buf_str(&lines);
}

void answer_json(const struct front *front, struct http_answer *answer)
{
    ASSERT(answer->status == 200);
    metrics_count(front->metrics, NULL, ERR_NONE);
    answer->type = STR("application/json");
    answer->headers = live_headers;
}

void answer_refusal(const struct front *front, struct http_answer *answer, const struct err *err)
{
    metrics_count(front->metrics, NULL, err->code);
    answer_error(answer, err);
    if (err->code == ERR_RESOURCE_NOT_FOUND) { answer->status = 404; }
}

void answer_unreadable(const struct front *front, struct http_answer *answer)
{
    struct err err = { 0 };
    (void)err_set(&err, ERR_SERVER, "The store can't be read.");
    metrics_count(front->metrics, NULL, err.code);
    answer_error(answer, &err);
}

struct str query_parameter(const struct http_request *request, struct str name)
{
    struct str value = http_parameter(request, name);
    return value.len > 0 ? value : (struct str){ 0 };
}

bool query_is_form(const struct http_request *request)
{
    struct str type, parameters;
    (void)str_cut(http_header(request, STR("Content-Type")), ';', &type, &parameters);
    return str_eq_nocase(str_trim(type), STR("application/x-www-form-urlencoded"));
}

/* ---- XML ---- */

void answer_query_error(struct http_answer *answer, const struct http_request *request, struct str space, struct str code, int status, struct str message)
{
    ASSERT(status >= 400 && code.len > 0);
    answer_text(answer, status, STR("text/xml"), STR("<ErrorResponse"));
    if (space.len > 0) {
        buf_put(&answer->body, STR(" xmlns=\""));
        buf_put(&answer->body, space);
        buf_put_char(&answer->body, '"');
    }
    buf_put(&answer->body, STR("><Error>"));
    xml_put_element(&answer->body, STR("Type"), status >= 500 ? STR("Receiver") : STR("Sender"));
    xml_put_element(&answer->body, STR("Code"), code);
    xml_put_element(&answer->body, STR("Message"), message);
    buf_put(&answer->body, STR("</Error>"));
    xml_put_element(&answer->body, STR("RequestId"), str_from(request->id));
    buf_put(&answer->body, STR("</ErrorResponse>"));
}

void answer_ec2_error(struct http_answer *answer, const struct http_request *request, struct str code, int status, struct str message)
{
    ASSERT(status >= 400 && code.len > 0);
    answer_text(answer, status, STR("text/xml"), STR("<Response><Errors><Error>"));
    xml_put_element(&answer->body, STR("Code"), code);
    xml_put_element(&answer->body, STR("Message"), message);
    buf_put(&answer->body, STR("</Error></Errors>"));
    xml_put_element(&answer->body, STR("RequestID"), str_from(request->id));
    buf_put(&answer->body, STR("</Response>"));
}

/* <requestId>…</requestId>…: an operation without a reply's table says true. */
static void put_ec2(struct http_answer *answer, const struct http_request *request, const struct api_service *service, const struct api_call *call)
{
    xml_put_element(&answer->body, STR("requestId"), str_from(request->id));
    if (call->operation->output != NULL) {
        schema_print_xml(call->operation->output, call->output, service->item, &answer->body);
    } else {
        xml_put_element(&answer->body, STR("return"), STR("true"));
    }
}

/* <XResult>…</XResult><ResponseMetadata>…: an operation without a reply's table has no result. */
static void put_result(struct http_answer *answer, const struct http_request *request, const struct api_service *service, const struct api_call *call)
{
    const struct operation *operation = call->operation;
    if (operation->output != NULL) {
        buf_printf(&answer->body, "<" STR_FMT "Result>", STR_ARG(operation->name));
        schema_print_xml(operation->output, call->output, service->item, &answer->body);
        buf_printf(&answer->body, "</" STR_FMT "Result>", STR_ARG(operation->name));
    }
    buf_put(&answer->body, STR("<ResponseMetadata>"));
    xml_put_element(&answer->body, STR("RequestId"), str_from(request->id));
    buf_put(&answer->body, STR("</ResponseMetadata>"));
}

/* <XResponse xmlns="…">…</XResponse> */
void answer_query(struct http_answer *answer, const struct http_request *request, const struct api_service *service, const struct api_call *call)
{
    const struct operation *operation = call->operation;
    answer_text(answer, 200, STR("text/xml"), STR(""));
    buf_printf(&answer->body, "<" STR_FMT "Response xmlns=\"" STR_FMT "\">", STR_ARG(operation->name), STR_ARG(service->space));
    if (service->ec2) { put_ec2(answer, request, service, call); } else { put_result(answer, request, service, call); }
    buf_printf(&answer->body, "</" STR_FMT "Response>", STR_ARG(operation->name));
}

bool query_moment(const struct http_request *request, struct str name, int64_t *ms, struct err *err)
{
    struct str text = query_parameter(request, name);
    int64_t ago_ms;
    if (!str_is_set(text) || (str_to_i64(text, ms) && *ms >= 0)) { return true; }
    if (duration_parse(text, &ago_ms)) {
        *ms = ago_ms < request->now_ms ? request->now_ms - ago_ms : 0;
        return true;
    }
    return err_set(err, ERR_INVALID_PARAMETER, STR_FMT " can't be \"" STR_FMT "\": it should be a time before now such as 30m, 24h or 7d, or "
                   "milliseconds since 1970.", STR_ARG(name), STR_ARG(str_slice(text, 0, 64)));
}
