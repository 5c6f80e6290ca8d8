/* other_services.c: requests for services of AWS that Berth does not serve. Whoever signs for one of them hears its name and the operation's,
 * as an error of the protocol that its clients speak. The signature is not checked: the answer does not depend on it. */
#include "server/front/answers.h"
#include "server/front/aws.h"
#include "server/front/services.h"

#include "base/text/xml.h"

enum form { FORM_JSON, FORM_QUERY, FORM_S3, FORM_CBOR };

/* Those that signatures call otherwise than clients do, or that have a separate form that the request does not show. */
static const struct { struct str scope, name; enum form form; } others[] = {
    { STR_INIT("monitoring"), STR_INIT("cloudwatch"), FORM_JSON },    { STR_INIT("route53"), STR_INIT("route53"), FORM_QUERY },
    { STR_INIT("s3"),         STR_INIT("s3"),         FORM_S3 },      { STR_INIT("cloudfront"), STR_INIT("cloudfront"), FORM_QUERY },
};

static bool is_served(struct str scope)
{
    for (size_t s = 0; services_table[s] != NULL; s++) {
        if (str_eq(scope, services_table[s]->name)) { return true; }
    }
    return false;
}

bool other_service_scope(const struct http_request *request, struct str *scope)
{
    struct sigv4_authorization authorization;
    struct err unread = { 0 };
    struct str header = http_header(request, STR("Authorization"));
    if (!str_is_set(header) || !sigv4_parse_authorization(header, &authorization, &unread)) { return false; }
    *scope = str_slice(authorization.service, 0, 64);
    return true;
}

static bool is_cbor(const struct http_request *request) { return str_eq(http_header(request, STR("Smithy-Protocol")), STR("rpc-v2-cbor")); }

/* A target of a served service decides, for any scope of the signature: such a request is refused in that service's words. No
 * service is served in CBOR. */
bool other_service_is_meant(const struct http_request *request)
{
    struct str scope, operation;
    return services_of_target(http_header(request, STR("X-Amz-Target")), &operation) == NULL && other_service_scope(request, &scope)
        && (is_cbor(request) || !is_served(scope));
}

static enum form form_of(const struct http_request *request, enum form own)
{
    if (is_cbor(request)) { return FORM_CBOR; }
    if (str_is_set(http_header(request, STR("X-Amz-Target")))) { return FORM_JSON; }
    return query_is_form(request) && own == FORM_JSON ? FORM_QUERY : own;
}

/* Behind the last `mark`. */
static struct str behind(struct str text, char mark)
{
    size_t at = text.len;
    while (at > 0 && text.ptr[at - 1] != mark) { at--; }
    return str_slice(text, at, text.len);
}

/* "cloudwatch:ListMetrics"; of a REST service "s3 (GET /bucket)". */
static struct str name_operation(const struct http_request *request, struct str service, enum form form)
{
    struct str name = { 0 }, target = http_header(request, STR("X-Amz-Target"));
    if (form == FORM_CBOR) {
        name = behind(request->path, '/');
    } else if (str_is_set(target)) {
        name = behind(target, '.');
    } else if (query_is_form(request)) {
        name = http_form_value(request->body, STR("Action"), request->arena);
    }
    if (name.len > 0) { return arena_printf(request->arena, STR_FMT ":" STR_FMT, STR_ARG(service), STR_ARG(str_slice(name, 0, 64))); }
    return arena_printf(request->arena, STR_FMT " (" STR_FMT " " STR_FMT ")", STR_ARG(service), STR_ARG(request->method),
                        STR_ARG(str_slice(request->path, 0, 128)));
}

/* A text of CBOR: its kind and length, then its bytes; an error's are shorter than 64 KiB. */
static void put_cbor(struct buf *out, struct str text)
{
    buf_put_char(out, 0x79);
    buf_put_char(out, (char)(text.len >> 8 & 0xFF));
    buf_put_char(out, (char)(text.len & 0xFF));
    buf_put(out, text);
}

static void answer_cbor(struct http_answer *answer, const struct err *err)
{
    answer_text(answer, err_http_status(err->code), STR("application/cbor"), STR(""));
    buf_put_char(&answer->body, (char)0xA2);                      /* a map of two */
    put_cbor(&answer->body, STR("__type"));
    put_cbor(&answer->body, str_from(err_wire_name(err->code)));
    put_cbor(&answer->body, STR("message"));
    put_cbor(&answer->body, str_from(err->message));
    answer->headers = STR("smithy-protocol: rpc-v2-cbor\r\n");
}

static void answer_s3(struct http_answer *answer, const struct http_request *request, const struct err *err)
{
    answer_text(answer, err_http_status(err->code), STR("application/xml"), STR("<Error>"));
    xml_put_element(&answer->body, STR("Code"), STR("NotImplemented"));
    xml_put_element(&answer->body, STR("Message"), str_from(err->message));
    xml_put_element(&answer->body, STR("RequestId"), str_from(request->id));
    buf_put(&answer->body, STR("</Error>"));
}

void other_service_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    (void)caller;
    struct str scope = STR(""), name;
    enum form form = FORM_JSON;
    struct err err = { 0 };
    (void)other_service_scope(request, &scope);
    name = scope;
    for (size_t o = 0; o < COUNT_OF(others); o++) {
        if (!str_eq(others[o].scope, scope)) { continue; }
        name = others[o].name;
        form = others[o].form;
    }
    form = form_of(request, form);
    (void)err_set(&err, ERR_UNKNOWN_OPERATION, "Berth does not serve " STR_FMT "%s. "
                  "It serves ecs, secretsmanager, ssm, logs, sts and parts of autoscaling, cloudwatch, ec2, elasticloadbalancing, events, iam, "
                  "scheduler and application-autoscaling.",
                  STR_ARG(name_operation(request, name, form)), form == FORM_CBOR ? " in CBOR" : "");
    metrics_count(front->metrics, NULL, err.code);
    switch (form) {
    case FORM_JSON:  answer_error(answer, &err); return;
    case FORM_QUERY: answer_query_error(answer, request, STR(""), STR("InvalidAction"), err_http_status(err.code), str_from(err.message)); return;
    case FORM_S3:    answer_s3(answer, request, &err); return;
    case FORM_CBOR:  answer_cbor(answer, &err); return;
    }
}
