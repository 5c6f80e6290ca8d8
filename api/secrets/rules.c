/* rules.c: one secret: its name, its ARN, its versions, its tags. */
#include "api/secrets/secrets.h"
#include "base/text/arn.h"

/* ---- names ---- */

bool secrets_is_gone(const struct op_ctx *ctx, const struct kept_secret *secret)
{
    return secret->deleted_ms != 0 && secret->delete_on_ms <= ctx->now_ms;
}

struct str secrets_arn(struct op_ctx *ctx, const struct kept_secret *secret)
{
    const struct names *names = &ctx->config->names;
    if (secret->kind == SECRET_OF_ASM) {
        return arena_printf(ctx->arena, "arn:aws:secretsmanager:" STR_FMT ":" STR_FMT ":secret:" STR_FMT "-" STR_FMT, STR_ARG(names->region),
                            STR_ARG(names->account), STR_ARG(secret->name), STR_ARG(secret->suffix));
    }
    return arena_printf(ctx->arena, "arn:aws:ssm:" STR_FMT ":" STR_FMT ":parameter%s" STR_FMT, STR_ARG(names->region), STR_ARG(names->account),
                        str_starts_with(secret->name, STR("/")) ? "" : "/", STR_ARG(secret->name));
}

static const struct kept_secret *find_name(struct op_ctx *ctx, enum secret_kind kind, struct str name)
{
    const struct kept_secret *found = name.len == 0 ? NULL : store_secret(ctx->txn, kind, name, ctx->arena);
    return found == NULL || secrets_is_gone(ctx, found) ? NULL : found;
}

/* "NAME-AbCdEf": the six characters must be right. Or the name alone, which may itself end like that. */
static const struct kept_secret *find_suffixed(struct op_ctx *ctx, struct str text)
{
    const struct kept_secret *found = NULL;
    if (text.len > SECRET_SUFFIX_LEN + 1 && text.ptr[text.len - SECRET_SUFFIX_LEN - 1] == '-') {
        found = find_name(ctx, SECRET_OF_ASM, str_slice(text, 0, text.len - SECRET_SUFFIX_LEN - 1));
    }
    if (found != NULL && str_ends_with(text, found->suffix)) { return found; }
    return find_name(ctx, SECRET_OF_ASM, text);
}

/* "prod/db" means "/prod/db", because a name with several levels begins with a slash. "db" means "db" first, then "/db". */
static const struct kept_secret *find_unslashed(struct op_ctx *ctx, struct str text)
{
    struct str slashed = arena_printf(ctx->arena, "/" STR_FMT, STR_ARG(text));
    const struct kept_secret *found = str_find(text, '/') < text.len ? NULL : find_name(ctx, SECRET_OF_SSM, text);
    return found != NULL ? found : find_name(ctx, SECRET_OF_SSM, slashed);
}

const struct kept_secret *secrets_find(struct op_ctx *ctx, enum secret_kind kind, struct str reference)
{
    struct arn arn;
    const struct names *names = &ctx->config->names;
    bool is_secret = kind == SECRET_OF_ASM;
    struct str head = is_secret ? STR("secret:") : STR("parameter/");
    if (!arn_looks_like(reference)) { return find_name(ctx, kind, reference); }
    bool is_ours = arn_parse(reference, &arn) && str_eq(arn.service, is_secret ? STR("secretsmanager") : STR("ssm"))
        && str_eq(arn.region, names->region) && str_eq(arn.account, names->account) && str_starts_with(arn.resource, head);
    if (!is_ours) { return NULL; }
    struct str rest = str_slice(arn.resource, head.len, arn.resource.len);
    return is_secret ? find_suffixed(ctx, rest) : find_unslashed(ctx, rest);
}

/* ---- values ---- */

bool secrets_open(struct op_ctx *ctx, const struct kept_secret *secret, const struct secret_version *version, struct str *value, struct err *err)
{
    struct str context = secret_context(secret, version, ctx->arena);
    return (ctx->config->secret_key != NULL && seal_open(ctx->config->secret_key, context, version->sealed, value, ctx->arena))
        || err_set(err, ERR_SERVER, "The value can't be decrypted with this server's key.");
}

void secrets_add_version(struct op_ctx *ctx, struct kept_secret *secret, struct str id, struct str value)
{
    ASSERT(ctx->config->secret_key != NULL);
    size_t kept = secret->versions.count < SECRET_VERSIONS_MAX ? secret->versions.count : SECRET_VERSIONS_MAX - 1;
    struct secret_version *versions = ARENA_NEW(ctx->arena, struct secret_version, kept + 1);
    versions[0] = (struct secret_version){
        .id = id, .number = secret->versions.count == 0 ? 1 : secret->versions.items[0].number + 1, .created_ms = ctx->now_ms,
    };
    versions[0].sealed = seal_close(ctx->config->secret_key, secret_context(secret, &versions[0], ctx->arena), value, ctx->arena);
    for (size_t v = 0; v < kept; v++) { versions[v + 1] = secret->versions.items[v]; }
    secret->versions = (struct secret_version_list){ versions, kept + 1 };
    secret->changed_ms = ctx->now_ms;
    secret->user = support_caller_arn(ctx);
}

/* ---- pages and tags ---- */

bool secrets_position(struct op_ctx *ctx, struct str list, struct str token, struct str *position, struct err *err)
{
    struct err refused = { 0 };
    return paging_position(ctx, list, token, position, &refused)
        || err_set(err, ERR_INVALID_NEXT_TOKEN, "The NextToken must be the one that the page before gave.");
}

bool secrets_put_tags(struct op_ctx *ctx, struct tag_list *tags, const struct tag_list *more, enum err_code invalid, struct err *err)
{
    struct err refused = { 0 };
    if (!support_check_tags(more, TAGGED_OTHER, &refused)) { return err_set(err, invalid, "%s", refused.message); }
    struct tag_list merged = *tags;
    support_change_tags(ctx, &merged, more, NULL);
    if (merged.count > TAGS_MAX) { return err_set(err, invalid, "A resource can have at most %d tags; it would have %zu.", TAGS_MAX, merged.count); }
    *tags = merged;
    return true;
}

/* ---- the end ---- */

void secrets_expire(struct op_ctx *ctx, size_t limit)
{
    struct kept_secret *page = ARENA_NEW(ctx->arena, struct kept_secret, SECRET_PAGE);
    struct str after = { NULL, 0 };
    size_t dropped = 0;
    for (size_t count = SECRET_PAGE; count == SECRET_PAGE && dropped < limit;) {
        count = store_list_secrets(ctx->txn, SECRET_OF_ASM, after, page, SECRET_PAGE, ctx->arena);
        for (size_t s = 0; s < count && dropped < limit; s++) {
            after = page[s].name;
            if (!secrets_is_gone(ctx, &page[s])) { continue; }
            store_drop_secret(ctx->txn, SECRET_OF_ASM, page[s].name);
            dropped++;
        }
    }
}
