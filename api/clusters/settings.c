/* settings.c: account settings. A principal's own value comes first, then the root's value for all principals, then the default of the name. */
#include "api/clusters/settings.h"

#include "api/handlers.h"
#include "api/tell/role_credentials.h"

/* ---- the names ---- */

enum { VALUES_MAX = 3, PRINCIPAL_ARN_MAX = 300 };       /* the ARN in bytes: a user's name has 128 at most */
struct rule {
    struct str values[VALUES_MAX];           /* the values that may be set; none: the setting can't be set */
    struct str fallback;
    bool root_only, stays_on;
};
#define ON       STR_INIT("enabled")
#define OFF      STR_INIT("disabled")
static const struct rule rules[SETTING_NAME_COUNT] = {
    [SETTING_NAME_SERVICELONGARNFORMAT]            = { { ON }, ON, false, true },     /* the short forms are gone since 2021 */
    [SETTING_NAME_TASKLONGARNFORMAT]               = { { ON }, ON, false, true },
    [SETTING_NAME_CONTAINERINSTANCELONGARNFORMAT]  = { { ON }, ON, false, true },
    [SETTING_NAME_AWSVPCTRUNKING]                  = { { ON, OFF }, OFF, false, false },
    [SETTING_NAME_CONTAINERINSIGHTS]               = { { ON, OFF, STR_INIT("enhanced") }, OFF, false, false },
    [SETTING_NAME_DUALSTACKIPV6]                   = { { ON, OFF }, OFF, false, false },            /* only in ECS's text */
    [SETTING_NAME_FARGATEFIPSMODE]                 = { { ON, OFF }, OFF, false, false },
    [SETTING_NAME_TAGRESOURCEAUTHORIZATION]        = { { STR_INIT("on"), STR_INIT("off") }, STR_INIT("on"), false, false },
    [SETTING_NAME_FARGATETASKRETIREMENTWAITPERIOD] = { { STR_INIT("0"), STR_INIT("7"), STR_INIT("14") }, STR_INIT("7"), true, false },
    [SETTING_NAME_GUARDDUTYACTIVATE]               = { { { 0 } }, STR_INIT("off"), false, false },
    [SETTING_NAME_DEFAULTLOGDRIVERMODE]            = { { STR_INIT("blocking"), STR_INIT("non-blocking") }, STR_INIT("non-blocking"), false, false },
    [SETTING_NAME_FARGATEEVENTWINDOWS]             = { { ON, OFF }, OFF, false, false },
};
#undef ON
#undef OFF

static bool check_value(enum setting_name name, struct str value, bool is_root, struct err *err)
{
    const struct rule *rule = &rules[name];
    struct str word = enum_word(&setting_name_names, (int)name);
    if (!str_is_set(rule->values[0])) {
        return err_set(err, ERR_INVALID_PARAMETER, "The account setting " STR_FMT " can not be changed.", STR_ARG(word));
    }
    if (rule->root_only && !is_root) {
        return err_set(err, ERR_INVALID_PARAMETER, "The account setting " STR_FMT " can be set for the root user only.", STR_ARG(word));
    }
    for (size_t v = 0; v < VALUES_MAX && str_is_set(rule->values[v]); v++) {
        if (str_eq(rule->values[v], value)) { return true; }
    }
    if (rule->stays_on && str_eq(value, STR("disabled"))) { return err_set(err, ERR_INVALID_PARAMETER, "You can no longer disable Long Arn settings"); }
    return err_set(err, ERR_INVALID_PARAMETER, "The value \"" STR_FMT "\" is not valid for the account setting " STR_FMT ".",
                   STR_ARG(str_slice(value, 0, 100)), STR_ARG(word));
}

/* ---- the principals ---- */

static struct str root_arn(struct op_ctx *ctx)
{
    return arena_printf(ctx->arena, "arn:aws:iam::" STR_FMT ":root", STR_ARG(ctx->config->names.account));
}

/* A task asks as its role, even when the role is of another account. */
static struct str own_principal(struct op_ctx *ctx)
{
    return ctx->caller.session != NULL ? ctx->caller.session->role_arn : support_caller_arn(ctx);
}

/* The principal: the caller, unless the request names the root, a user or a role of this account. */
static bool read_principal(struct op_ctx *ctx, struct str reference, struct str *principal, struct err *err)
{
    struct str account = arena_printf(ctx->arena, "arn:aws:iam::" STR_FMT ":", STR_ARG(ctx->config->names.account));
    *principal = str_is_set(reference) ? reference : own_principal(ctx);
    if (!str_is_set(reference) && ctx->caller.session != NULL) { return true; }
    struct str rest = str_slice(*principal, account.len, principal->len);
    bool ours = str_starts_with(*principal, account) && principal->len <= PRINCIPAL_ARN_MAX;
    bool known = str_eq(rest, STR("root")) || (str_starts_with(rest, STR("user/")) && rest.len > 5)
              || (str_starts_with(rest, STR("role/")) && rest.len > 5);
    if (ours && known) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "The principal ARN is invalid: it must name the root, a user or a role of the account "
                   STR_FMT ".", STR_ARG(ctx->config->names.account));
}

/* ---- explicit and effective ---- */

/* Absent: the principal has not set it. */
static struct str explicit_value(struct op_ctx *ctx, struct str principal, enum setting_name name)
{
    const struct account_settings *settings = store_account_settings(ctx->txn, principal, ctx->arena);
    struct str word = enum_word(&setting_name_names, (int)name);
    for (size_t v = 0; settings != NULL && v < settings->values.count; v++) {
        if (str_eq(settings->values.items[v].key, word)) { return settings->values.items[v].value; }
    }
    return (struct str){ 0 };
}

static struct setting show(enum setting_name name, struct str value, struct str principal)
{
    enum setting_type type = str_is_set(rules[name].values[0]) ? SETTING_TYPE_USER : SETTING_TYPE_AWS_MANAGED;
    return (struct setting){ .name = name, .value = value, .principal_arn = principal, .type = type };
}

/* The reply shows the principal whose setting it is; a default belongs to the root. */
static struct setting effective(struct op_ctx *ctx, struct str principal, enum setting_name name)
{
    struct str value = explicit_value(ctx, principal, name), root = root_arn(ctx);
    if (str_is_set(value)) { return show(name, value, principal); }
    value = explicit_value(ctx, root, name);
    ASSERT(rules[name].fallback.len > 0);                        /* each row of the table has one */
    return show(name, str_is_set(value) ? value : rules[name].fallback, root);
}

struct str settings_effective(struct op_ctx *ctx, enum setting_name name)
{
    return effective(ctx, own_principal(ctx), name).value;
}

/* ---- put and delete ---- */

/* Writes the principal's record with this value of the name; an absent value removes the name from it. */
static void keep(struct op_ctx *ctx, struct str principal, enum setting_name name, struct str value)
{
    const struct account_settings *known = store_account_settings(ctx->txn, principal, ctx->arena);
    size_t known_count = known == NULL ? 0 : known->values.count;
    struct account_settings settings = { .principal = principal };
    struct str word = enum_word(&setting_name_names, (int)name);
    settings.values.items = ARENA_NEW(ctx->arena, struct pair, known_count + 1);
    for (size_t v = 0; v < known_count; v++) {
        if (!str_eq(known->values.items[v].key, word)) { settings.values.items[settings.values.count++] = known->values.items[v]; }
    }
    if (str_is_set(value)) { settings.values.items[settings.values.count++] = (struct pair){ word, value }; }
    ASSERT(settings.values.count <= known_count + 1);            /* there is room for all known values and one more */
    store_put_account_settings(ctx->txn, &settings);
}

static bool put(struct op_ctx *ctx, struct str principal, enum setting_name name, struct str value, struct setting **out, struct err *err)
{
    if (!check_value(name, value, str_eq(principal, root_arn(ctx)), err)) { return false; }
    keep(ctx, principal, name, value);
    *out = ARENA_NEW(ctx->arena, struct setting, 1);
    **out = show(name, value, principal);
    return true;
}

bool op_put_account_setting(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct put_account_setting_request *in = input;
    struct put_account_setting_response *out = output;
    struct str principal;
    return read_principal(ctx, in->principal_arn, &principal, err) && put(ctx, principal, in->name, in->value, &out->setting, err);
}

bool op_put_account_setting_default(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct put_account_setting_default_request *in = input;
    struct put_account_setting_default_response *out = output;
    return put(ctx, root_arn(ctx), in->name, in->value, &out->setting, err);
}

/* The reply is the value that is valid from now on. */
bool op_delete_account_setting(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_account_setting_request *in = input;
    struct delete_account_setting_response *out = output;
    struct str principal;
    if (!read_principal(ctx, in->principal_arn, &principal, err)) { return false; }
    keep(ctx, principal, in->name, (struct str){ 0 });
    out->setting = ARENA_NEW(ctx->arena, struct setting, 1);
    *out->setting = effective(ctx, principal, in->name);
    out->setting->principal_arn = principal;
    return true;
}

/* ---- list ---- */

/* Whether this name is in the requested list. *setting is then the entry to show. */
static bool is_listed(struct op_ctx *ctx, const struct list_account_settings_request *in, struct str principal, enum setting_name name,
                      struct setting *setting)
{
    if (in->name != SETTING_NAME_UNSET && in->name != name) { return false; }
    if (in->effective_settings == OPT_TRUE) {
        *setting = effective(ctx, principal, name);
    } else {
        *setting = show(name, explicit_value(ctx, principal, name), principal);
    }
    return str_is_set(setting->value) && (!str_is_set(in->value) || str_eq(in->value, setting->value));
}

bool op_list_account_settings(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    enum { PAGE_MAX = 10 };
    const struct list_account_settings_request *in = input;
    struct list_account_settings_response *out = output;
    struct str list = STR("ListAccountSettings"), after, principal;
    if (!paging_position(ctx, list, in->next_token, &after, err) || !read_principal(ctx, in->principal_arn, &principal, err)) { return false; }
    if (str_is_set(in->value) && in->name == SETTING_NAME_UNSET) {
        return err_set(err, ERR_INVALID_PARAMETER, "To filter by value, give the name of the account setting too.");
    }

    size_t limit = in->max_results.set ? (size_t)in->max_results.value : PAGE_MAX;
    int first = str_is_set(after) ? enum_value(&setting_name_names, after) + 1 : 1;
    out->settings.items = ARENA_NEW(ctx->arena, struct setting, limit);
    for (int name = first; name < SETTING_NAME_COUNT; name++) {
        struct setting setting;
        if (!is_listed(ctx, in, principal, (enum setting_name)name, &setting)) { continue; }
        if (out->settings.count == limit) {
            int last = (int)out->settings.items[limit - 1].name;
            out->next_token = paging_token(ctx, list, enum_word(&setting_name_names, last));
            break;
        }
        out->settings.items[out->settings.count++] = setting;
    }
    return true;
}
