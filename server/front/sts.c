/* sts.c: the one question that tools ask of STS before they talk to ECS: who am I? The query protocol: a form in, XML out. */
#include "server/front/answers.h"
#include "server/front/aws.h"

#include "api/tell/role_credentials.h"
#include "base/log.h"

static const struct str sts_namespace = STR_INIT("https://sts.amazonaws.com/doc/2011-06-15/");

/* The query protocol's names for what the JSON protocol calls otherwise. */
static const struct { enum err_code code; const char *name; int status; } sts_errors[] = {
    { ERR_MISSING_TOKEN, "MissingAuthenticationToken", 403 }, { ERR_INCOMPLETE_SIGNATURE, "IncompleteSignature", 400 },
    { ERR_UNRECOGNIZED_CLIENT, "InvalidClientTokenId", 403 }, { ERR_INVALID_SIGNATURE, "SignatureDoesNotMatch", 403 },
    { ERR_UNKNOWN_OPERATION, "InvalidAction", 400 }, { ERR_EXPIRED_TOKEN, "ExpiredToken", 403 },
    { ERR_THROTTLING, "Throttling", 400 },
};

bool sts_is_meant(const struct http_request *request)
{
    struct str type, parameters;
    (void)str_cut(http_header(request, STR("Content-Type")), ';', &type, &parameters);
    return str_eq_nocase(str_trim(type), STR("application/x-www-form-urlencoded"))
        && !str_is_set(http_header(request, STR("X-Amz-Target")));
}

static void answer_sts_error(struct http_answer *answer, const struct http_request *request, const struct err *err)
{
    struct str name = str_from(err_wire_name(err->code));
    int status = err_http_status(err->code);
    for (size_t e = 0; e < COUNT_OF(sts_errors); e++) {
        if (sts_errors[e].code != err->code) { continue; }
        name = str_from(sts_errors[e].name);
        status = sts_errors[e].status;
    }
    answer_query_error(answer, request, sts_namespace, name, status, str_from(err->message));
    answer_wait(answer, err);
}

/* Ids of IAM begin with AIDA (users) or AROA (roles) and hold 16 letters and digits more; the same name has the same one everywhere. */
static struct str iam_id(struct str prefix, struct str name, struct arena *arena)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    uint8_t hash[32];
    sha256_bytes(name, hash);
    struct buf id = buf_in(arena);
    buf_put(&id, prefix);
    for (size_t c = 0; c < 16; c++) { buf_put_char(&id, letters[hash[c] % 32]); }
    return buf_str(&id);
}

static struct str user_id(const struct caller *caller, struct arena *arena)
{
    char task[ID_HEX_LEN + 1];
    if (caller->session == NULL) { return iam_id(STR("AIDA"), caller->user, arena); }
    id_hex(caller->session->task, task);
    struct str role = iam_id(STR("AROA"), caller->session->role_arn, arena);
    return arena_printf(arena, STR_FMT ":%s", STR_ARG(role), task);
}

static void answer_identity(const struct front *front, struct http_request *request, struct http_answer *answer,
                            const struct caller *caller)
{
    answer_text(answer, 200, STR("text/xml"), STR("<GetCallerIdentityResponse xmlns=\""));
    buf_put(&answer->body, sts_namespace);
    buf_put(&answer->body, STR("\"><GetCallerIdentityResult>"));
    xml_put_element(&answer->body, STR("Arn"), caller_arn(&front->api->names, caller, request->arena));
    xml_put_element(&answer->body, STR("UserId"), user_id(caller, request->arena));
    xml_put_element(&answer->body, STR("Account"), caller->session == NULL ? front->api->names.account : role_account(caller->session->role_arn));
    buf_put(&answer->body, STR("</GetCallerIdentityResult><ResponseMetadata>"));
    xml_put_element(&answer->body, STR("RequestId"), str_from(request->id));
    buf_put(&answer->body, STR("</ResponseMetadata></GetCallerIdentityResponse>"));
}

void sts_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    (void)caller;                                         /* checked here, for the service sts */
    struct caller who;
    struct err err = { 0 };
    struct str action = http_form_value(request->body, STR("Action"), request->arena);
    bool good = auth_check(front->auth, request, STR("sts"), &who, &err);
    if (good && !str_eq(action, STR("GetCallerIdentity"))) {
        good = err_set(&err, ERR_UNKNOWN_OPERATION, "Berth does not serve sts:" STR_FMT ". Of STS it serves GetCallerIdentity alone.",
                       STR_ARG(str_slice(action, 0, 64)));
    }
    metrics_count(front->metrics, NULL, err.code);
    if (good) {
        answer_identity(front, request, answer, &who);
    } else {
        answer_sts_error(answer, request, &err);
    }
}
