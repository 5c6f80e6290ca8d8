/* sts.c: the one question that tools ask of STS before they talk to ECS: who am I? */
#include "api/core/api.h"
#include "api/core/support.h"
#include "api/tell/role_credentials.h"
#include "base/sigv4.h"

struct get_caller_identity_request { char nothing; };
static const struct schema request_schema = { STR_INIT("GetCallerIdentityRequest"), sizeof(struct get_caller_identity_request), NULL, 0 };

struct get_caller_identity_response { struct str arn, user_id, account; };
#define AT(member) .offset = offsetof(struct get_caller_identity_response, member)
static const struct field response_fields[] = {
    { STR_INIT("Arn"),     0, FIELD_STR, AT(arn) },
    { STR_INIT("UserId"),  0, FIELD_STR, AT(user_id) },
    { STR_INIT("Account"), 0, FIELD_STR, AT(account) },
};
#undef AT
static const struct schema response_schema = SCHEMA_OF("GetCallerIdentityResponse", struct get_caller_identity_response, response_fields);

struct str sts_iam_id(struct str prefix, struct str name, struct arena *arena)
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
    if (caller->session == NULL) { return sts_iam_id(STR("AIDA"), caller->user, arena); }
    id_hex(caller->session->task, task);
    struct str role = sts_iam_id(STR("AROA"), caller->session->role_arn, arena);
    return arena_printf(arena, STR_FMT ":%s", STR_ARG(role), task);
}

static bool get_caller_identity(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct get_caller_identity_response *out = output;
    const struct caller *caller = &ctx->caller;
    (void)input;
    (void)err;
    out->arn = caller_arn(&ctx->config->names, caller, ctx->arena);
    out->user_id = user_id(caller, ctx->arena);
    out->account = caller->session == NULL ? ctx->config->names.account : role_account(caller->session->role_arn);
    return true;
}

static const struct operation operations[] = {
    { STR_INIT("GetCallerIdentity"), &request_schema, &response_schema, OP_OUTSIDE, ACCESS_TASK, ERR_VALIDATION, get_caller_identity },
};

/* The query protocol's names for what the JSON protocol calls otherwise. */
static const struct service_error errors[] = {
    { ERR_MISSING_TOKEN, STR_INIT("MissingAuthenticationToken"), 403 }, { ERR_INCOMPLETE_SIGNATURE, STR_INIT("IncompleteSignature"), 400 },
    { ERR_UNRECOGNIZED_CLIENT, STR_INIT("InvalidClientTokenId"), 403 }, { ERR_INVALID_SIGNATURE, STR_INIT("SignatureDoesNotMatch"), 403 },
    { ERR_UNKNOWN_OPERATION, STR_INIT("InvalidAction"), 400 }, { ERR_EXPIRED_TOKEN, STR_INIT("ExpiredToken"), 403 },
    { ERR_THROTTLING, STR_INIT("Throttling"), 400 },
};

const struct api_service sts_service = {
    .name = STR_INIT("sts"), .protocol = API_QUERY, .version = STR_INIT("2011-06-15"), .space = STR_INIT("https://sts.amazonaws.com/doc/2011-06-15/"),
    .item = STR_INIT("member"), .unserved = STR_INIT("sts:"), .unserved_more = STR_INIT(". Of STS it serves GetCallerIdentity alone."),
    .operations = operations, .count = COUNT_OF(operations), .errors = errors, .error_count = COUNT_OF(errors),
};
