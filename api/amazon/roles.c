/* roles.c: IAM's roles with their policies. Tasks may have any role without a record here (docs/roles.md). */
#include "api/amazon/amazon.h"
#include "api/aws/iam.h"

enum { ROLES_MAX = 1000, ATTACHED_MAX = 20, INLINED_BYTES_MAX = 10240 };        /* IAM's limits, 10 attached policies until they are raised */

/* ---- finding and checking ---- */

const struct kept_plain *iam_find_role(struct op_ctx *ctx, struct str name, struct err *err)
{
    const struct kept_plain *role = store_plain(ctx->txn, PLAIN_KIND_ROLE, name, ctx->arena);
    if (role == NULL) { (void)err_set(err, ERR_IAM_NOT_FOUND, "The role with name " STR_FMT " cannot be found.", AMAZON_SHOWN(name)); }
    return role;
}

bool iam_check_path(struct str path, struct err *err)
{
    bool good = path.len == 0 || (path.ptr[0] == '/' && path.ptr[path.len - 1] == '/');
    for (size_t c = 0; c < path.len; c++) { good = good && path.ptr[c] > ' ' && path.ptr[c] < 0x7F; }
    return good || err_set(err, ERR_VALIDATION, "The specified value for path is invalid. It must begin and end with / and contain only ASCII characters.");
}

bool iam_check_name(struct str name, const char *member, struct err *err)
{
    for (size_t c = 0; c < name.len; c++) {
        char byte = name.ptr[c];
        bool good = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || memchr("+=,.@-_", byte, 7) != NULL;
        if (good) { continue; }
        return err_set(err, ERR_VALIDATION, "The specified value for %s is invalid. It must contain only alphanumeric characters and/or the following: +=,.@_-",
                       member);
    }
    return true;
}

static bool check_document(struct op_ctx *ctx, struct str document, struct err *err)
{
    struct err unread = { 0 };
    const struct json *json = json_parse(document, ctx->arena, &unread);
    bool good = json != NULL && json->type == JSON_OBJECT;
    return good || err_set(err, ERR_IAM_MALFORMED_POLICY, "This policy contains invalid Json");
}

bool iam_has_room(struct op_ctx *ctx, enum plain_kind kind, size_t most, const char *quota, struct err *err)
{
    return store_count_plain(ctx->txn, kind, STR("")) < most || err_set(err, ERR_LIMIT_EXCEEDED, "Cannot exceed quota for %s: %zu", quota, most);
}

struct kept_plain_list iam_profiles_of(struct op_ctx *ctx, struct str role)
{
    struct kept_plain *all;
    size_t count = store_list_plain(ctx->txn, PLAIN_KIND_PROFILE, STR(""), &all, ctx->arena);
    struct kept_plain_list found = { all, 0 };
    for (size_t p = 0; p < count; p++) {
        if (str_list_has(&all[p].roles, role)) { found.items[found.count++] = all[p]; }
    }
    return found;
}

/* ---- shown ---- */

void iam_show_role(struct op_ctx *ctx, const struct kept_plain *role, struct iam_role *shown)
{
    *shown = (struct iam_role){
        .path = role->path, .role_name = role->id, .role_id = sts_iam_id(STR("AROA"), role->id, ctx->arena),
        .arn = arena_printf(ctx->arena, "arn:aws:iam::" STR_FMT ":role" STR_FMT STR_FMT, STR_ARG(ctx->config->names.account), STR_ARG(role->path),
                            STR_ARG(role->id)),
        .create_date = role->created_ms, .trust = amazon_encode(role->trust, ctx->arena), .description = role->description,
        .max_session_duration = opt_int_of(role->session_s), .tags = amazon_shown_tags(&role->tags),
    };
    if (role->boundary.len == 0) { return; }
    shown->permissions_boundary = ARENA_NEW(ctx->arena, struct iam_boundary, 1);
    *shown->permissions_boundary = (struct iam_boundary){ STR("Policy"), role->boundary };
}

static void show_one(struct op_ctx *ctx, const struct kept_plain *role, void *output)
{
    struct role_response *out = output;
    out->role = ARENA_NEW(ctx->arena, struct iam_role, 1);
    iam_show_role(ctx, role, out->role);
}

/* ---- roles ---- */

AMAZON_OPERATION(op_create_role)
{
    const struct create_role_request *in = input;
    const struct kept_plain role = {
        .kind = PLAIN_KIND_ROLE, .id = in->role_name, .tags = in->tags, .created_ms = ctx->now_ms, .path = in->path.len > 0 ? in->path : STR("/"),
        .description = in->description, .trust = in->assume_role_policy_document,
        .session_s = in->max_session_duration.set ? in->max_session_duration.value : 3600, .boundary = in->permissions_boundary,
    };
    if (!iam_check_name(role.id, "roleName", err) || !iam_check_path(in->path, err) || !amazon_check_tags(&in->tags, ERR_VALIDATION, err)) { return false; }
    if (!check_document(ctx, role.trust, err)) { return false; }
    if (store_plain(ctx->txn, PLAIN_KIND_ROLE, role.id, ctx->arena) != NULL) {
        return err_set(err, ERR_IAM_EXISTS, "Role with name " STR_FMT " already exists.", STR_ARG(role.id));
    }
    if (!iam_has_room(ctx, PLAIN_KIND_ROLE, ROLES_MAX, "RolesPerAccount", err)) { return false; }
    store_put_plain(ctx->txn, &role);
    show_one(ctx, &role, output);
    return true;
}

AMAZON_OPERATION(op_get_role)
{
    const struct role_request *in = input;
    const struct kept_plain *role = iam_find_role(ctx, in->role_name, err);
    if (role != NULL) { show_one(ctx, role, output); }
    return role != NULL;
}

AMAZON_OPERATION(op_list_roles)
{
    const struct list_request *in = input;
    struct list_roles_response *out = output;
    struct kept_plain *roles;
    (void)err;
    size_t count = store_list_plain(ctx->txn, PLAIN_KIND_ROLE, STR(""), &roles, ctx->arena);
    out->roles.items = ARENA_NEW(ctx->arena, struct iam_role, count + 1);
    for (size_t r = 0; r < count; r++) {
        if (str_starts_with(roles[r].path, in->path_prefix)) { iam_show_role(ctx, &roles[r], &out->roles.items[out->roles.count++]); }
    }
    return true;
}

AMAZON_OPERATION(op_delete_role)
{
    const struct role_request *in = input;
    (void)output;
    const struct kept_plain *role = iam_find_role(ctx, in->role_name, err);
    if (role == NULL) { return false; }
    if (role->inlined.count > 0) { return err_set(err, ERR_IAM_CONFLICT, "Cannot delete entity, must delete policies first."); }
    if (role->attached.count > 0) { return err_set(err, ERR_IAM_CONFLICT, "Cannot delete entity, must detach all policies first."); }
    if (iam_profiles_of(ctx, role->id).count > 0) {
        return err_set(err, ERR_IAM_CONFLICT, "Cannot delete entity, must remove roles from instance profile first.");
    }
    store_drop_plain(ctx->txn, role);
    return true;
}

AMAZON_OPERATION(op_update_role)
{
    const struct update_role_request *in = input;
    (void)output;
    const struct kept_plain *found = iam_find_role(ctx, in->role_name, err);
    if (found == NULL) { return false; }
    struct kept_plain role = *found;
    if (str_is_set(in->description)) { role.description = in->description; }
    if (in->max_session_duration.set) { role.session_s = in->max_session_duration.value; }
    store_put_plain(ctx->txn, &role);
    return true;
}

AMAZON_OPERATION(op_update_role_description)
{
    const struct update_role_request *in = input;
    if (!op_update_role(ctx, input, NULL, err)) { return false; }
    show_one(ctx, iam_find_role(ctx, in->role_name, err), output);
    return true;
}

AMAZON_OPERATION(op_update_assume_role_policy)
{
    const struct update_trust_request *in = input;
    (void)output;
    const struct kept_plain *found = iam_find_role(ctx, in->role_name, err);
    if (found == NULL || !check_document(ctx, in->policy_document, err)) { return false; }
    struct kept_plain role = *found;
    role.trust = in->policy_document;
    store_put_plain(ctx->txn, &role);
    return true;
}

AMAZON_OPERATION(op_put_role_permissions_boundary)
{
    const struct boundary_request *in = input;
    (void)output;
    const struct kept_plain *found = iam_find_role(ctx, in->role_name, err);
    if (found == NULL) { return false; }
    struct kept_plain role = *found;
    role.boundary = in->permissions_boundary;
    store_put_plain(ctx->txn, &role);
    return true;
}

AMAZON_OPERATION(op_delete_role_permissions_boundary)
{
    const struct role_request *in = input;
    (void)output;
    const struct kept_plain *found = iam_find_role(ctx, in->role_name, err);
    if (found == NULL) { return false; }
    struct kept_plain role = *found;
    role.boundary = (struct str){ NULL, 0 };
    store_put_plain(ctx->txn, &role);
    return true;
}

/* ---- inline policies ---- */

static const struct iam_policy *find_policy(const struct kept_plain *role, struct str name, struct err *err)
{
    for (size_t p = 0; p < role->inlined.count; p++) {
        if (str_eq(role->inlined.items[p].name, name)) { return &role->inlined.items[p]; }
    }
    (void)err_set(err, ERR_IAM_NOT_FOUND, "The role policy with name " STR_FMT " cannot be found.", AMAZON_SHOWN(name));
    return NULL;
}

/* The role's inline policies without the one of that name, with room for one more. */
static struct iam_policy_list policies_without(struct op_ctx *ctx, const struct kept_plain *role, struct str name)
{
    struct iam_policy_list others = { ARENA_NEW(ctx->arena, struct iam_policy, role->inlined.count + 1), 0 };
    for (size_t p = 0; p < role->inlined.count; p++) {
        if (!str_eq(role->inlined.items[p].name, name)) { others.items[others.count++] = role->inlined.items[p]; }
    }
    return others;
}

AMAZON_OPERATION(op_put_role_policy)
{
    const struct put_role_policy_request *in = input;
    size_t bytes = 0;
    (void)output;
    const struct kept_plain *found = iam_find_role(ctx, in->role_name, err);
    if (found == NULL || !iam_check_name(in->policy_name, "policyName", err) || !check_document(ctx, in->policy_document, err)) { return false; }
    struct kept_plain role = *found;
    role.inlined = policies_without(ctx, found, in->policy_name);
    role.inlined.items[role.inlined.count++] = (struct iam_policy){ in->policy_name, in->policy_document };
    for (size_t p = 0; p < role.inlined.count; p++) { bytes += role.inlined.items[p].document.len; }
    if (bytes > INLINED_BYTES_MAX) {
        return err_set(err, ERR_LIMIT_EXCEEDED, "Maximum policy size of %d bytes exceeded for role " STR_FMT, INLINED_BYTES_MAX, STR_ARG(role.id));
    }
    store_put_plain(ctx->txn, &role);
    return true;
}

AMAZON_OPERATION(op_get_role_policy)
{
    const struct role_policy_request *in = input;
    struct policy_response *out = output;
    const struct kept_plain *role = iam_find_role(ctx, in->role_name, err);
    const struct iam_policy *policy = role == NULL ? NULL : find_policy(role, in->policy_name, err);
    if (policy == NULL) { return false; }
    *out = (struct policy_response){ role->id, policy->name, amazon_encode(policy->document, ctx->arena) };
    return true;
}

AMAZON_OPERATION(op_delete_role_policy)
{
    const struct role_policy_request *in = input;
    (void)output;
    const struct kept_plain *found = iam_find_role(ctx, in->role_name, err);
    if (found == NULL || find_policy(found, in->policy_name, err) == NULL) { return false; }
    struct kept_plain role = *found;
    role.inlined = policies_without(ctx, found, in->policy_name);
    store_put_plain(ctx->txn, &role);
    return true;
}

AMAZON_OPERATION(op_list_role_policies)
{
    const struct role_request *in = input;
    struct policy_names_response *out = output;
    const struct kept_plain *role = iam_find_role(ctx, in->role_name, err);
    if (role == NULL) { return false; }
    out->policy_names.items = ARENA_NEW(ctx->arena, struct str, role->inlined.count + 1);
    for (size_t p = 0; p < role->inlined.count; p++) { out->policy_names.items[out->policy_names.count++] = role->inlined.items[p].name; }
    return true;
}

/* ---- attached policies: ARNs alone, of AWS's own and of others ---- */

static struct str_list attached_without(struct op_ctx *ctx, const struct kept_plain *role, struct str arn)
{
    struct str_list others = { ARENA_NEW(ctx->arena, struct str, role->attached.count + 1), 0 };
    for (size_t p = 0; p < role->attached.count; p++) {
        if (!str_eq(role->attached.items[p], arn)) { others.items[others.count++] = role->attached.items[p]; }
    }
    return others;
}

AMAZON_OPERATION(op_attach_role_policy)
{
    const struct attach_request *in = input;
    (void)output;
    const struct kept_plain *found = iam_find_role(ctx, in->role_name, err);
    if (found == NULL) { return false; }
    if (!str_starts_with(in->policy_arn, STR("arn:"))) { return err_set(err, ERR_VALIDATION, "ARN " STR_FMT " is not valid.", AMAZON_SHOWN(in->policy_arn)); }
    struct kept_plain role = *found;
    role.attached = attached_without(ctx, found, in->policy_arn);
    if (role.attached.count >= ATTACHED_MAX) {
        return err_set(err, ERR_LIMIT_EXCEEDED, "Cannot exceed quota for PoliciesPerRole: %d", ATTACHED_MAX);
    }
    role.attached.items[role.attached.count++] = in->policy_arn;
    store_put_plain(ctx->txn, &role);
    return true;
}

AMAZON_OPERATION(op_detach_role_policy)
{
    const struct attach_request *in = input;
    (void)output;
    const struct kept_plain *found = iam_find_role(ctx, in->role_name, err);
    if (found == NULL) { return false; }
    if (!str_list_has(&found->attached, in->policy_arn)) {
        return err_set(err, ERR_IAM_NOT_FOUND, "Policy " STR_FMT " was not found.", AMAZON_SHOWN(in->policy_arn));
    }
    struct kept_plain role = *found;
    role.attached = attached_without(ctx, found, in->policy_arn);
    store_put_plain(ctx->txn, &role);
    return true;
}

AMAZON_OPERATION(op_list_attached_role_policies)
{
    const struct role_request *in = input;
    struct attached_response *out = output;
    const struct kept_plain *role = iam_find_role(ctx, in->role_name, err);
    if (role == NULL) { return false; }
    out->attached_policies.items = ARENA_NEW(ctx->arena, struct iam_attached, role->attached.count + 1);
    for (size_t p = 0; p < role->attached.count; p++) {
        struct str arn = role->attached.items[p], name = arn, head;
        while (str_cut(name, '/', &head, &name)) { }                /* the name is behind the last slash */
        out->attached_policies.items[out->attached_policies.count++] = (struct iam_attached){ head, arn };
    }
    return true;
}
