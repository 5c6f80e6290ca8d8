/* iam.c: the caller as IAM's user, instance profiles, tags, and the table of IAM's operations. Access is checked by Berth's own keys: nothing that is kept
 * here grants or denies anything. */
#include "api/amazon/amazon.h"
#include "api/aws/iam.h"

enum { PROFILES_MAX = 1000 };

/* ---- the user: clients read the account from its ARN ---- */

static AMAZON_OPERATION(op_get_user)
{
    const struct get_user_request *in = input;
    struct get_user_response *out = output;
    struct str name = ctx->caller.user;
    if (in->user_name.len > 0 && !str_eq(in->user_name, name)) {
        return err_set(err, ERR_IAM_NOT_FOUND, "The user with name " STR_FMT " cannot be found.", AMAZON_SHOWN(in->user_name));
    }
    out->user = ARENA_NEW(ctx->arena, struct iam_user, 1);
    *out->user = (struct iam_user){ STR("/"), name, sts_iam_id(STR("AIDA"), name, ctx->arena), support_caller_arn(ctx), ctx->now_ms };
    return true;
}

/* ---- instance profiles ---- */

static const struct kept_plain *find_profile(struct op_ctx *ctx, struct str name, struct err *err)
{
    const struct kept_plain *profile = store_plain(ctx->txn, PLAIN_KIND_PROFILE, name, ctx->arena);
    if (profile == NULL) { (void)err_set(err, ERR_IAM_NOT_FOUND, "Instance Profile " STR_FMT " cannot be found.", AMAZON_SHOWN(name)); }
    return profile;
}

static void show_profile(struct op_ctx *ctx, const struct kept_plain *profile, struct iam_profile *shown)
{
    *shown = (struct iam_profile){
        .path = profile->path, .name = profile->id, .id = sts_iam_id(STR("AIPA"), profile->id, ctx->arena),
        .arn = arena_printf(ctx->arena, "arn:aws:iam::" STR_FMT ":instance-profile" STR_FMT STR_FMT, STR_ARG(ctx->config->names.account),
                            STR_ARG(profile->path), STR_ARG(profile->id)),
        .create_date = profile->created_ms, .roles = { ARENA_NEW(ctx->arena, struct iam_role, profile->roles.count + 1), 0 },
        .tags = amazon_shown_tags(&profile->tags),
    };
    for (size_t r = 0; r < profile->roles.count; r++) {                /* a role in a profile can't be deleted */
        const struct kept_plain *role = store_plain(ctx->txn, PLAIN_KIND_ROLE, profile->roles.items[r], ctx->arena);
        if (role != NULL) { iam_show_role(ctx, role, &shown->roles.items[shown->roles.count++]); }
    }
}

static void show_one(struct op_ctx *ctx, const struct kept_plain *profile, void *output)
{
    struct profile_response *out = output;
    out->profile = ARENA_NEW(ctx->arena, struct iam_profile, 1);
    show_profile(ctx, profile, out->profile);
}

static void show_all(struct op_ctx *ctx, const struct kept_plain_list *profiles, struct profiles_response *out)
{
    out->profiles.items = ARENA_NEW(ctx->arena, struct iam_profile, profiles->count + 1);
    for (size_t p = 0; p < profiles->count; p++) { show_profile(ctx, &profiles->items[p], &out->profiles.items[out->profiles.count++]); }
}

static AMAZON_OPERATION(op_create_instance_profile)
{
    const struct create_profile_request *in = input;
    const struct kept_plain profile = {
        .kind = PLAIN_KIND_PROFILE, .id = in->name, .tags = in->tags, .created_ms = ctx->now_ms, .path = in->path.len > 0 ? in->path : STR("/"),
    };
    if (!iam_check_name(in->name, "instanceProfileName", err) || !iam_check_path(in->path, err) || !amazon_check_tags(&in->tags, ERR_VALIDATION, err)) {
        return false;
    }
    if (store_plain(ctx->txn, PLAIN_KIND_PROFILE, in->name, ctx->arena) != NULL) {
        return err_set(err, ERR_IAM_EXISTS, "Instance Profile " STR_FMT " already exists.", STR_ARG(in->name));
    }
    if (!iam_has_room(ctx, PLAIN_KIND_PROFILE, PROFILES_MAX, "InstanceProfilesPerAccount", err)) { return false; }
    store_put_plain(ctx->txn, &profile);
    show_one(ctx, &profile, output);
    return true;
}

static AMAZON_OPERATION(op_get_instance_profile)
{
    const struct profile_request *in = input;
    const struct kept_plain *profile = find_profile(ctx, in->name, err);
    if (profile != NULL) { show_one(ctx, profile, output); }
    return profile != NULL;
}

static AMAZON_OPERATION(op_list_instance_profiles)
{
    const struct list_request *in = input;
    struct kept_plain_list all = { NULL, 0 };
    (void)err;
    size_t count = store_list_plain(ctx->txn, PLAIN_KIND_PROFILE, STR(""), &all.items, ctx->arena);
    for (size_t p = 0; p < count; p++) {
        if (str_starts_with(all.items[p].path, in->path_prefix)) { all.items[all.count++] = all.items[p]; }
    }
    show_all(ctx, &all, output);
    return true;
}

static AMAZON_OPERATION(op_list_instance_profiles_for_role)
{
    const struct role_request *in = input;
    if (iam_find_role(ctx, in->role_name, err) == NULL) { return false; }
    const struct kept_plain_list found = iam_profiles_of(ctx, in->role_name);
    show_all(ctx, &found, output);
    return true;
}

static AMAZON_OPERATION(op_delete_instance_profile)
{
    const struct profile_request *in = input;
    (void)output;
    const struct kept_plain *profile = find_profile(ctx, in->name, err);
    if (profile == NULL) { return false; }
    if (profile->roles.count > 0) { return err_set(err, ERR_IAM_CONFLICT, "Cannot delete entity, must remove roles from instance profile first."); }
    store_drop_plain(ctx->txn, profile);
    return true;
}

static AMAZON_OPERATION(op_add_role_to_instance_profile)
{
    const struct profile_role_request *in = input;
    (void)output;
    const struct kept_plain *found = find_profile(ctx, in->name, err);
    if (found == NULL || iam_find_role(ctx, in->role_name, err) == NULL) { return false; }
    if (found->roles.count > 0) { return err_set(err, ERR_LIMIT_EXCEEDED, "Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1"); }
    struct kept_plain profile = *found;
    struct str role = in->role_name;
    profile.roles = (struct str_list){ &role, 1 };
    store_put_plain(ctx->txn, &profile);
    return true;
}

static AMAZON_OPERATION(op_remove_role_from_instance_profile)
{
    const struct profile_role_request *in = input;
    (void)output;
    const struct kept_plain *found = find_profile(ctx, in->name, err);
    if (found == NULL) { return false; }
    if (!str_list_has(&found->roles, in->role_name)) {
        return err_set(err, ERR_IAM_NOT_FOUND, "The role with name " STR_FMT " cannot be found.", AMAZON_SHOWN(in->role_name));
    }
    struct kept_plain profile = *found;
    profile.roles = (struct str_list){ NULL, 0 };
    store_put_plain(ctx->txn, &profile);
    return true;
}

/* ---- tags: of a role, or of an instance profile ---- */

static const struct kept_plain *find_tagged(struct op_ctx *ctx, const struct iam_tag_request *in, struct err *err)
{
    return in->profile.len > 0 ? find_profile(ctx, in->profile, err) : iam_find_role(ctx, in->role_name, err);
}

static AMAZON_OPERATION(op_change_iam_tags)
{
    const struct iam_tag_request *in = input;
    (void)output;
    const struct kept_plain *found = find_tagged(ctx, in, err);
    if (found == NULL || !amazon_check_tags(&in->tags, ERR_VALIDATION, err)) { return false; }
    struct kept_plain changed = *found;
    changed.tags = amazon_change_tags(ctx, &found->tags, &in->tags, &in->tag_keys);
    if (!amazon_check_tags(&changed.tags, ERR_VALIDATION, err)) { return false; }
    store_put_plain(ctx->txn, &changed);
    return true;
}

static AMAZON_OPERATION(op_list_iam_tags)
{
    struct iam_tags_response *out = output;
    const struct kept_plain *found = find_tagged(ctx, input, err);
    if (found == NULL) { return false; }
    out->tags = amazon_shown_tags(&found->tags);
    return true;
}

/* ---- the tables ---- */

/* Clients look for the element of a result also where it has no members. */
struct nothing { bool none; };
static const struct schema nothing_schema = { STR_INIT("nothing"), sizeof(struct nothing), NULL, 0 };

#define WRITE(name, input, output, run) { STR_INIT(name), &input##_schema, &output##_schema, OP_WRITE, ACCESS_ADMIN, ERR_VALIDATION, run }
#define READ(name, input, output, run) { STR_INIT(name), &input##_schema, &output##_schema, OP_READ, ACCESS_VIEWER, ERR_VALIDATION, run }
static const struct operation operations[] = {
    WRITE("AddRoleToInstanceProfile", profile_role_request, nothing, op_add_role_to_instance_profile),
    WRITE("AttachRolePolicy", attach_request, nothing, op_attach_role_policy),
    WRITE("CreateInstanceProfile", create_profile_request, profile_response, op_create_instance_profile),
    WRITE("CreateRole", create_role_request, role_response, op_create_role),
    WRITE("DeleteInstanceProfile", profile_request, nothing, op_delete_instance_profile),
    WRITE("DeleteRole", role_request, nothing, op_delete_role),
    WRITE("DeleteRolePermissionsBoundary", role_request, nothing, op_delete_role_permissions_boundary),
    WRITE("DeleteRolePolicy", role_policy_request, nothing, op_delete_role_policy),
    WRITE("DetachRolePolicy", attach_request, nothing, op_detach_role_policy),
    READ("GetInstanceProfile", profile_request, profile_response, op_get_instance_profile),
    READ("GetRole", role_request, role_response, op_get_role),
    READ("GetRolePolicy", role_policy_request, policy_response, op_get_role_policy),
    READ("GetUser", get_user_request, get_user_response, op_get_user),
    READ("ListAttachedRolePolicies", role_request, attached_response, op_list_attached_role_policies),
    READ("ListInstanceProfileTags", iam_tag_request, iam_tags_response, op_list_iam_tags),
    READ("ListInstanceProfiles", list_request, profiles_response, op_list_instance_profiles),
    READ("ListInstanceProfilesForRole", role_request, profiles_response, op_list_instance_profiles_for_role),
    READ("ListRolePolicies", role_request, policy_names_response, op_list_role_policies),
    READ("ListRoleTags", iam_tag_request, iam_tags_response, op_list_iam_tags),
    READ("ListRoles", list_request, list_roles_response, op_list_roles),
    WRITE("PutRolePermissionsBoundary", boundary_request, nothing, op_put_role_permissions_boundary),
    WRITE("PutRolePolicy", put_role_policy_request, nothing, op_put_role_policy),
    WRITE("RemoveRoleFromInstanceProfile", profile_role_request, nothing, op_remove_role_from_instance_profile),
    WRITE("TagInstanceProfile", iam_tag_request, nothing, op_change_iam_tags),
    WRITE("TagRole", iam_tag_request, nothing, op_change_iam_tags),
    WRITE("UntagInstanceProfile", iam_tag_request, nothing, op_change_iam_tags),
    WRITE("UntagRole", iam_tag_request, nothing, op_change_iam_tags),
    WRITE("UpdateAssumeRolePolicy", update_trust_request, nothing, op_update_assume_role_policy),
    WRITE("UpdateRole", update_role_request, nothing, op_update_role),
    WRITE("UpdateRoleDescription", update_role_request, role_response, op_update_role_description),
};
#undef READ
#undef WRITE

static const struct service_error errors[] = {
    { ERR_VALIDATION, STR_INIT("ValidationError"), 400 }, { ERR_LIMIT_EXCEEDED, STR_INIT("LimitExceeded"), 409 },
    { ERR_INVALID_PARAMETER, STR_INIT("ValidationError"), 400 }, { ERR_SERIALIZATION, STR_INIT("ValidationError"), 400 },
    { ERR_ACCESS_DENIED, STR_INIT("AccessDenied"), 403 }, { ERR_SERVER, STR_INIT("ServiceFailure"), 500 },
    { ERR_MISSING_TOKEN, STR_INIT("MissingAuthenticationToken"), 403 }, { ERR_INCOMPLETE_SIGNATURE, STR_INIT("IncompleteSignature"), 400 },
    { ERR_UNRECOGNIZED_CLIENT, STR_INIT("InvalidClientTokenId"), 403 }, { ERR_INVALID_SIGNATURE, STR_INIT("SignatureDoesNotMatch"), 403 },
    { ERR_UNKNOWN_OPERATION, STR_INIT("InvalidAction"), 400 }, { ERR_EXPIRED_TOKEN, STR_INIT("ExpiredToken"), 403 },
    { ERR_THROTTLING, STR_INIT("Throttling"), 400 },
};

const struct api_service iam_service = {
    .name = STR_INIT("iam"), .named = true, .unserved = STR_INIT("iam:"), .resource = STR_INIT("*"),
    .unserved_more = STR_INIT(". Of IAM it serves the operations on roles, their policies and instance profiles, and GetUser."),
    .operations = operations, .count = COUNT_OF(operations), .errors = errors, .error_count = COUNT_OF(errors),
    .protocol = API_QUERY, .version = STR_INIT("2010-05-08"), .space = STR_INIT("https://iam.amazonaws.com/doc/2010-05-08/"),
    .item = STR_INIT("member"),
};
