/* secretsmanager.c: AWS Secrets Manager, as much of it as definitions need: texts with a current version and the one before. Values
 * leave by GetSecretValue alone. */
#include "api/core/api.h"
#include "api/aws/secrets.h"
#include "api/secrets/secrets.h"

static const struct str current = STR_INIT("AWSCURRENT"), previous = STR_INIT("AWSPREVIOUS");
enum { RECOVERY_DAYS = 30, RECOVERY_DAYS_MIN = 7 };
static const int64_t day_ms = 24 * 60 * 60 * 1000;

static struct str stage_of(size_t version) { return version == 0 ? current : previous; }

/* ---- finding ---- */

static const struct kept_secret *find(struct op_ctx *ctx, struct str id, struct err *err)
{
    const struct kept_secret *found = secrets_find(ctx, SECRET_OF_ASM, id);
    if (found == NULL) { (void)err_set(err, ERR_RESOURCE_NOT_FOUND, "Secrets Manager can't find the specified secret."); }
    return found;
}

/* A secret that is marked for deletion can only be described and restored. */
static const struct kept_secret *find_usable(struct op_ctx *ctx, struct str id, struct err *err)
{
    const struct kept_secret *found = find(ctx, id, err);
    if (found == NULL || found->deleted_ms == 0) { return found; }
    (void)err_set(err, ERR_INVALID_REQUEST, "You can't perform this operation on the secret because it was marked for deletion.");
    return NULL;
}

/* ---- writing a value ---- */

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || memchr("/_+=.@-", c, 7) != NULL;
}

static bool check_name(struct str name, struct err *err)
{
    for (size_t c = 0; c < name.len; c++) {
        if (is_name_char(name.ptr[c])) { continue; }
        return err_set(err, ERR_VALIDATION, "Invalid name. Must be a valid name containing alphanumeric characters, or any of the following:"
                       " -/_+=.@!");
    }
    return name.len <= SECRET_NAME_MAX
        || err_set(err, ERR_INVALID_PARAMETER, "Berth keeps names of at most %d characters.", SECRET_NAME_MAX);
}

static bool check_text(struct str binary, struct err *err)
{
    return !str_is_set(binary)
        || err_set(err, ERR_INVALID_PARAMETER, "Berth keeps texts: give SecretString instead of SecretBinary (a container's environment is text).");
}

/* The client's token, or a random UUID. */
static struct str version_id(struct op_ctx *ctx, struct str token)
{
    if (str_is_set(token)) { return token; }
    char *text = arena_alloc(ctx->arena, ID_UUID_LEN + 1, 1);
    id_uuid(id_random(ctx->rng), text);
    return (struct str){ text, ID_UUID_LEN };
}

static struct str make_suffix(struct op_ctx *ctx)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    char *text = arena_alloc(ctx->arena, SECRET_SUFFIX_LEN + 1, 1);
    for (size_t c = 0; c < SECRET_SUFFIX_LEN; c++) { text[c] = letters[rng_below(ctx->rng, sizeof letters - 1)]; }
    return (struct str){ text, SECRET_SUFFIX_LEN };
}

/* A repeated call with the same token gets the same answer. *again: there is nothing to write. */
static bool check_token(struct op_ctx *ctx, const struct kept_secret *secret, struct str token, struct str value, bool *again, struct err *err)
{
    *again = false;
    for (size_t v = 0; str_is_set(token) && v < secret->versions.count; v++) {
        const struct secret_version *version = &secret->versions.items[v];
        struct str known;
        if (!str_eq(version->id, token)) { continue; }
        if (!secrets_open(ctx, secret, version, &known, err)) { return false; }
        *again = str_eq_constant_time(known, value);
        return *again || err_set(err, ERR_RESOURCE_EXISTS, "You can't use ClientRequestToken " STR_FMT " because that value is already in use for"
                                 " a version of secret " STR_FMT ".", STR_ARG(token), STR_ARG(secrets_arn(ctx, secret)));
    }
    return true;
}

static bool op_create_secret(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct create_secret_request *in = input;
    struct create_secret_response *out = output;
    if (!check_name(in->name, err) || !check_text(in->secret_binary, err)) { return false; }
    const struct kept_secret *known = secrets_find(ctx, SECRET_OF_ASM, in->name);
    bool again = false;
    if (known != NULL && known->deleted_ms != 0) {
        return err_set(err, ERR_INVALID_REQUEST, "You can't create this secret because a secret with this name is already scheduled for deletion.");
    }
    if (known != NULL && !check_token(ctx, known, in->client_request_token, in->secret_string, &again, err)) { return false; }
    if (known != NULL && !again) {
        return err_set(err, ERR_RESOURCE_EXISTS, "The operation failed because the secret " STR_FMT " already exists.", STR_ARG(in->name));
    }
    struct kept_secret secret = again ? *known : (struct kept_secret){
        .kind = SECRET_OF_ASM, .name = in->name, .suffix = make_suffix(ctx), .description = in->description, .kms_key_id = in->kms_key_id,
        .user = support_caller_arn(ctx), .created_ms = ctx->now_ms, .changed_ms = ctx->now_ms,
    };
    if (!again && !secrets_put_tags(ctx, &secret.tags, &in->tags, ERR_INVALID_PARAMETER, err)) { return false; }
    if (!again) {
        if (str_is_set(in->secret_string)) { secrets_add_version(ctx, &secret, version_id(ctx, in->client_request_token), in->secret_string); }
        store_put_secret(ctx->txn, &secret);
    }
    *out = (struct create_secret_response){ .arn = secrets_arn(ctx, &secret), .name = secret.name };
    if (secret.versions.count > 0) { out->version_id = secret.versions.items[0].id; }
    return true;
}

static bool check_stages(const struct str_list *stages, struct err *err)
{
    bool usual = stages->count == 0 || (stages->count == 1 && str_eq(stages->items[0], current));
    return usual || err_set(err, ERR_INVALID_PARAMETER, "Berth keeps the stages AWSCURRENT and AWSPREVIOUS: a new value is AWSCURRENT.");
}

static bool op_put_secret_value(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct put_secret_value_request *in = input;
    struct put_secret_value_response *out = output;
    bool again;
    if (!check_text(in->secret_binary, err) || !check_stages(&in->version_stages, err)) { return false; }
    if (!str_is_set(in->secret_string)) { return err_set(err, ERR_INVALID_REQUEST, "You must provide either SecretString or SecretBinary."); }
    const struct kept_secret *found = find_usable(ctx, in->secret_id, err);
    if (found == NULL || !check_token(ctx, found, in->client_request_token, in->secret_string, &again, err)) { return false; }
    struct kept_secret secret = *found;
    struct str id = version_id(ctx, in->client_request_token);
    if (!again) {
        secrets_add_version(ctx, &secret, id, in->secret_string);
        store_put_secret(ctx->txn, &secret);
    }
    *out = (struct put_secret_value_response){ .arn = secrets_arn(ctx, &secret), .name = secret.name, .version_id = id };
    out->version_stages = (struct str_list){ ARENA_NEW(ctx->arena, struct str, 1), 1 };
    out->version_stages.items[0] = str_eq(secret.versions.items[0].id, id) ? current : previous;
    return true;
}

static bool op_update_secret(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct update_secret_request *in = input;
    struct update_secret_response *out = output;
    bool again = false;
    if (!check_text(in->secret_binary, err)) { return false; }
    const struct kept_secret *found = find_usable(ctx, in->secret_id, err);
    bool has_value = str_is_set(in->secret_string);
    if (found == NULL || (has_value && !check_token(ctx, found, in->client_request_token, in->secret_string, &again, err))) { return false; }
    struct kept_secret secret = *found;
    *out = (struct update_secret_response){ .arn = secrets_arn(ctx, &secret), .name = secret.name };
    if (has_value) { out->version_id = version_id(ctx, in->client_request_token); }
    if (has_value && !again) { secrets_add_version(ctx, &secret, out->version_id, in->secret_string); }
    if (str_is_set(in->description)) { secret.description = in->description; }
    if (str_is_set(in->kms_key_id)) { secret.kms_key_id = in->kms_key_id; }
    secret.changed_ms = ctx->now_ms;
    store_put_secret(ctx->txn, &secret);
    return true;
}

/* ---- reading a value ---- */

/* Index of the version; the number of versions: there is no such version. */
static size_t find_version(const struct kept_secret *secret, struct str id, struct str stage)
{
    size_t at = 0;
    for (; at < secret->versions.count; at++) {
        bool id_fits = !str_is_set(id) || str_eq(secret->versions.items[at].id, id);
        bool stage_fits = str_is_set(stage) ? str_eq(stage_of(at), stage) : str_is_set(id) || at == 0;
        if (id_fits && stage_fits) { break; }
    }
    return at;
}

static bool op_get_secret_value(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct get_secret_value_request *in = input;
    struct get_secret_value_response *out = output;
    const struct kept_secret *secret = find(ctx, in->secret_id, err);
    if (secret == NULL) { return false; }
    if (!secrets_may_read(ctx, secret)) { return secrets_deny(ctx, "secretsmanager:GetSecretValue", secrets_arn(ctx, secret), err); }
    if (find_usable(ctx, in->secret_id, err) == NULL) { return false; }
    size_t at = find_version(secret, in->version_id, in->version_stage);
    if (at == secret->versions.count) {
        bool by_id = str_is_set(in->version_id);
        struct str asked = by_id ? in->version_id : str_is_set(in->version_stage) ? in->version_stage : current;
        return err_set(err, ERR_RESOURCE_NOT_FOUND, "Secrets Manager can't find the specified secret value for %s: " STR_FMT,
                       by_id ? "VersionId" : "staging label", STR_ARG(asked));
    }
    const struct secret_version *version = &secret->versions.items[at];
    *out = (struct get_secret_value_response){
        .arn = secrets_arn(ctx, secret), .name = secret->name, .version_id = version->id, .created_date = version->created_ms,
        .version_stages = { ARENA_NEW(ctx->arena, struct str, 1), 1 },
    };
    out->version_stages.items[0] = stage_of(at);
    return secrets_open(ctx, secret, version, &out->secret_string, err);
}

/* ---- describing ---- */

/* {"ID":["AWSCURRENT"],…}; absent when there is no version. */
static struct str print_stages(struct op_ctx *ctx, const struct kept_secret *secret)
{
    if (secret->versions.count == 0) { return (struct str){ NULL, 0 }; }
    struct buf text = buf_in(ctx->arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '{');
    for (size_t v = 0; v < secret->versions.count; v++) {
        json_key(&out, secret->versions.items[v].id);
        json_open(&out, '[');
        json_str(&out, stage_of(v));
        json_close(&out, ']');
    }
    json_close(&out, '}');
    return buf_str(&text);
}

static bool op_describe_secret(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_secret_request *in = input;
    struct describe_secret_response *out = output;
    const struct kept_secret *secret = find(ctx, in->secret_id, err);
    if (secret == NULL) { return false; }
    *out = (struct describe_secret_response){
        .arn = secrets_arn(ctx, secret), .name = secret->name, .description = secret->description, .kms_key_id = secret->kms_key_id,
        .last_changed_date = secret->changed_ms, .deleted_date = secret->deleted_ms, .tags = secret->tags,
        .version_ids_to_stages = print_stages(ctx, secret), .created_date = secret->created_ms,
    };
    return true;
}

/* ---- lists ---- */

/* A filter's value fits when the text begins with it; with "!" before it, when the text does not. */
static bool begins(struct str text, const struct str_list *values)
{
    bool any = false, wanted = false;
    for (size_t v = 0; v < values->count; v++) {
        struct str value = values->items[v];
        bool barred = str_starts_with(value, STR("!"));
        if (barred && str_starts_with(text, str_slice(value, 1, value.len))) { return false; }
        wanted = wanted || !barred;
        any = any || (!barred && str_starts_with(text, value));
    }
    return any || !wanted;
}

static bool name_begins(const struct kept_secret *secret, const struct str_list *values) { return begins(secret->name, values); }
static bool description_begins(const struct kept_secret *secret, const struct str_list *values) { return begins(secret->description, values); }

static bool a_key_begins(const struct kept_secret *secret, const struct str_list *values)
{
    for (size_t t = 0; t < secret->tags.count; t++) {
        if (begins(secret->tags.items[t].key, values)) { return true; }
    }
    return false;
}

static bool a_value_begins(const struct kept_secret *secret, const struct str_list *values)
{
    for (size_t t = 0; t < secret->tags.count; t++) {
        if (begins(secret->tags.items[t].value, values)) { return true; }
    }
    return false;
}

static bool anything_begins(const struct kept_secret *secret, const struct str_list *values)
{
    return name_begins(secret, values) || description_begins(secret, values) || a_key_begins(secret, values) || a_value_begins(secret, values);
}

typedef bool filter_fits(const struct kept_secret *secret, const struct str_list *values);
static const struct { struct str key; filter_fits *fits; } filters[] = {
    { STR_INIT("name"), name_begins }, { STR_INIT("description"), description_begins }, { STR_INIT("tag-key"), a_key_begins },
    { STR_INIT("tag-value"), a_value_begins }, { STR_INIT("all"), anything_begins },
};

static filter_fits *find_filter(struct str key)
{
    for (size_t f = 0; f < COUNT_OF(filters); f++) {
        if (str_eq(filters[f].key, key)) { return filters[f].fits; }
    }
    return NULL;
}

static bool check_filters(const struct secret_filter_list *list, struct err *err)
{
    for (size_t f = 0; f < list->count; f++) {
        if (find_filter(list->items[f].key) != NULL) { continue; }
        return err_set(err, ERR_INVALID_PARAMETER, "Berth knows no filter \"" STR_FMT "\" of secrets: name, description, tag-key, tag-value and all.",
                       STR_ARG(str_slice(list->items[f].key, 0, 100)));
    }
    return true;
}

static bool is_listed(struct op_ctx *ctx, const struct list_secrets_request *in, const struct kept_secret *secret)
{
    if (secrets_is_gone(ctx, secret) || (secret->deleted_ms != 0 && in->include_planned_deletion != OPT_TRUE)) { return false; }
    for (size_t f = 0; f < in->filters.count; f++) {
        if (!find_filter(in->filters.items[f].key)(secret, &in->filters.items[f].values)) { return false; }
    }
    return true;
}

static struct secret_list_entry list_entry(struct op_ctx *ctx, const struct kept_secret *secret)
{
    return (struct secret_list_entry){
        .arn = secrets_arn(ctx, secret), .name = secret->name, .description = secret->description, .kms_key_id = secret->kms_key_id,
        .last_changed_date = secret->changed_ms, .deleted_date = secret->deleted_ms, .tags = secret->tags,
        .secret_versions_to_stages = print_stages(ctx, secret), .created_date = secret->created_ms,
    };
}

static bool op_list_secrets(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_secrets_request *in = input;
    struct list_secrets_response *out = output;
    struct str after;
    size_t limit = in->max_results.set ? (size_t)in->max_results.value : 100;
    if (!check_filters(&in->filters, err) || !secrets_position(ctx, STR("ListSecrets"), in->next_token, &after, err)) { return false; }
    struct kept_secret *page = ARENA_NEW(ctx->arena, struct kept_secret, SECRET_PAGE);
    out->secret_list = (struct secret_list_entry_list){ ARENA_NEW(ctx->arena, struct secret_list_entry, limit), 0 };
    for (size_t count = SECRET_PAGE; count == SECRET_PAGE;) {
        count = store_list_secrets(ctx->txn, SECRET_OF_ASM, after, page, SECRET_PAGE, ctx->arena);
        for (size_t s = 0; s < count; s++) {
            if (!is_listed(ctx, in, &page[s])) { after = page[s].name; continue; }
            if (out->secret_list.count == limit) {
                out->next_token = paging_token(ctx, STR("ListSecrets"), after);
                return true;
            }
            out->secret_list.items[out->secret_list.count++] = list_entry(ctx, &page[s]);
            after = page[s].name;
        }
    }
    return true;
}

/* ---- the end, and back ---- */

static bool op_delete_secret(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_secret_request *in = input;
    struct delete_secret_response *out = output;
    bool at_once = in->force_delete_without_recovery == OPT_TRUE;
    int64_t days = in->recovery_window_in_days.set ? in->recovery_window_in_days.value : RECOVERY_DAYS;
    if (at_once && in->recovery_window_in_days.set) {
        return err_set(err, ERR_INVALID_PARAMETER, "You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays.");
    }
    if (days < RECOVERY_DAYS_MIN || days > RECOVERY_DAYS) {
        return err_set(err, ERR_INVALID_PARAMETER, "The RecoveryWindowInDays value must be between %d and %d days (inclusive).", RECOVERY_DAYS_MIN,
                       RECOVERY_DAYS);
    }
    const struct kept_secret *found = at_once ? find(ctx, in->secret_id, err) : find_usable(ctx, in->secret_id, err);
    if (found == NULL) { return false; }
    struct kept_secret secret = *found;
    secret.deleted_ms = ctx->now_ms;
    secret.delete_on_ms = at_once ? ctx->now_ms : ctx->now_ms + days * day_ms;
    if (at_once) { store_drop_secret(ctx->txn, secret.kind, secret.name); } else { store_put_secret(ctx->txn, &secret); }
    *out = (struct delete_secret_response){ .arn = secrets_arn(ctx, &secret), .name = secret.name, .deletion_date = secret.delete_on_ms };
    return true;
}

static bool op_restore_secret(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct restore_secret_request *in = input;
    struct restore_secret_response *out = output;
    const struct kept_secret *found = find(ctx, in->secret_id, err);
    if (found == NULL) { return false; }
    struct kept_secret secret = *found;
    secret.deleted_ms = secret.delete_on_ms = 0;
    store_put_secret(ctx->txn, &secret);
    *out = (struct restore_secret_response){ .arn = secrets_arn(ctx, &secret), .name = secret.name };
    return true;
}

/* ---- tags ---- */

static bool op_tag_secret(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct tag_secret_request *in = input;
    (void)output;
    const struct kept_secret *found = find_usable(ctx, in->secret_id, err);
    if (found == NULL) { return false; }
    struct kept_secret secret = *found;
    if (!secrets_put_tags(ctx, &secret.tags, &in->tags, ERR_INVALID_PARAMETER, err)) { return false; }
    store_put_secret(ctx->txn, &secret);
    return true;
}

static bool op_untag_secret(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct untag_secret_request *in = input;
    (void)output;
    const struct kept_secret *found = find_usable(ctx, in->secret_id, err);
    if (found == NULL) { return false; }
    struct kept_secret secret = *found;
    support_change_tags(ctx, &secret.tags, NULL, &in->tag_keys);
    store_put_secret(ctx->txn, &secret);
    return true;
}

/* A secret never has a policy here: roles decide. */
static bool op_get_resource_policy(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct get_resource_policy_request *in = input;
    struct get_resource_policy_response *out = output;
    const struct kept_secret *secret = find(ctx, in->secret_id, err);
    if (secret == NULL) { return false; }
    *out = (struct get_resource_policy_response){ .arn = secrets_arn(ctx, secret), .name = secret->name };
    return true;
}

/* ---- the table ---- */

#define ROW(wire, noun, access, role) \
    { STR_INIT(wire), &noun##_request_schema, &noun##_response_schema, access, role, ERR_INVALID_PARAMETER, op_##noun }
#define SILENT(wire, noun, access, role) \
    { STR_INIT(wire), &noun##_request_schema, NULL, access, role, ERR_INVALID_PARAMETER, op_##noun }
static const struct operation operations[] = {
    ROW("CreateSecret", create_secret, OP_WRITE, ACCESS_ADMIN),
    ROW("DeleteSecret", delete_secret, OP_WRITE, ACCESS_ADMIN),
    ROW("DescribeSecret", describe_secret, OP_READ, ACCESS_ADMIN),
    ROW("GetResourcePolicy", get_resource_policy, OP_READ, ACCESS_ADMIN),
    ROW("GetSecretValue", get_secret_value, OP_READ, ACCESS_TASK),
    ROW("ListSecrets", list_secrets, OP_READ, ACCESS_ADMIN),
    ROW("PutSecretValue", put_secret_value, OP_WRITE, ACCESS_ADMIN),
    ROW("RestoreSecret", restore_secret, OP_WRITE, ACCESS_ADMIN),
    SILENT("TagResource", tag_secret, OP_WRITE, ACCESS_ADMIN),
    SILENT("UntagResource", untag_secret, OP_WRITE, ACCESS_ADMIN),
    ROW("UpdateSecret", update_secret, OP_WRITE, ACCESS_ADMIN),
};
#undef ROW
#undef SILENT

static const struct service_error errors[] = { { ERR_SERVER, STR_INIT("InternalServiceError"), 0 } };

const struct api_service secretsmanager_service = {
    .name = STR_INIT("secretsmanager"), .target = STR_INIT("secretsmanager."), .message = STR_INIT("Message"),
    .early = true, .named = true, .resource = STR_INIT("*"),
    .operations = operations, .count = COUNT_OF(operations), .errors = errors, .error_count = COUNT_OF(errors),
};
