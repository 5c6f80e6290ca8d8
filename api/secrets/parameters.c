/* parameters.c: SSM's Parameter Store, as much of it as definitions need: the current version of a parameter and the one before.
 * Parameters of all types are sealed on disk; WithDecryption only says whether a SecureString is shown in the open. */
#include "api/handlers.h"
#include "api/aws/parameters.h"
#include "api/schemas/task_access.h"
#include "api/secrets/secrets.h"
#include "base/sigv4.h"
#include "base/text/arn.h"

enum { LEVELS_MAX = 15, STANDARD_MAX = 4096, ADVANCED_MAX = 8192, PATH_RESULTS = 10, DESCRIBE_RESULTS = 50 };

/* ---- names ---- */

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || memchr("._-/", c, 4) != NULL;
}

static bool check_name(struct str name, struct err *err)
{
    size_t slashes = 0, word = 0;
    bool good = !str_ends_with(name, STR("/"));
    for (size_t c = 0; c < name.len; c++) {
        bool slash = name.ptr[c] == '/';
        good = good && is_name_char(name.ptr[c]) && !(slash && c > 0 && word == 0);
        slashes += slash ? 1 : 0;
        word = slash ? 0 : word + 1;
    }
    if (!good) {
        return err_set(err, ERR_VALIDATION, "Parameter name: can't be prefixed with \"ssm\" (case-insensitive). If formed as a path, it can"
                       " consist of sub-paths divided by slash symbol; each sub-path can be formed as a mix of letters, numbers and the"
                       " following 3 symbols .-_");
    }
    if (slashes > 0 && name.ptr[0] != '/') { return err_set(err, ERR_VALIDATION, "Parameter name must be a fully qualified name."); }
    struct str first = str_slice(name, slashes > 0 ? 1 : 0, name.len);
    if (str_eq_nocase(str_slice(first, 0, 3), STR("aws")) || str_eq_nocase(str_slice(first, 0, 3), STR("ssm"))) {
        return err_set(err, ERR_VALIDATION, "No access to reserved parameter name: " STR_FMT ".", STR_ARG(str_slice(name, 0, SECRET_NAME_MAX)));
    }
    if (slashes > LEVELS_MAX) { return err_set(err, ERR_VALIDATION, "A parameter's name has at most %d levels.", LEVELS_MAX); }
    return name.len <= SECRET_NAME_MAX || err_set(err, ERR_VALIDATION, "Berth keeps names of at most %d characters.", SECRET_NAME_MAX);
}

/* "NAME:3" and "ARN:3" name one version. *version 0: the current version; -1: a label, which Berth does not store. */
static struct str cut_selector(struct str reference, struct str *selector, int64_t *version)
{
    struct arn arn;
    bool is_arn = arn_parse(reference, &arn);
    struct str text = is_arn ? arn.resource : reference;
    size_t colon = str_find(text, ':');
    *selector = (struct str){ NULL, 0 };
    *version = 0;
    if (colon == text.len) { return reference; }
    *selector = str_slice(text, colon, text.len);
    if (!str_to_i64(str_slice(*selector, 1, selector->len), version) || *version <= 0) { *version = -1; }
    return str_slice(reference, 0, reference.len - selector->len);
}

static bool not_found(struct str name, struct err *err)
{
    return err_set(err, ERR_PARAMETER_NOT_FOUND, "Parameter " STR_FMT " not found.", STR_ARG(str_slice(name, 0, SECRET_NAME_MAX)));
}

/* ---- reading ---- */

static struct str printed_hex(struct str bytes, struct arena *arena)
{
    struct buf out = buf_in(arena);
    buf_put_hex(&out, bytes);
    return buf_str(&out);
}

static bool show(struct op_ctx *ctx, const struct kept_secret *found, const struct secret_version *version, enum opt_bool in_the_open,
                 struct parameter *out, struct err *err)
{
    *out = (struct parameter){
        .name = found->name, .type = found->type, .version = opt_int_of(version->number), .last_modified_date = version->created_ms,
        .arn = secrets_arn(ctx, found), .data_type = found->data_type,
    };
    if (found->type == PARAMETER_TYPE_SECURE_STRING && in_the_open != OPT_TRUE) {
        out->value = printed_hex(version->sealed, ctx->arena);
        return true;
    }
    return secrets_open(ctx, found, version, &out->value, err);
}

/* AWS tells the ids of its machine images by parameters of these names. Berth has no images: an id follows from the name, so it is the same one always. */
static const struct str image_names = STR_INIT("/aws/service/ecs/optimized-ami/");

static void show_image(struct op_ctx *ctx, struct str name, struct parameter *out)
{
    static const struct str end = STR_INIT("/image_id");
    bool plain = str_ends_with(name, end);
    uint8_t hash[32];
    char hex[2 * sizeof hash + 1];
    sha256_bytes(plain ? str_slice(name, 0, name.len - end.len) : name, hash);
    str_put_hex(hex, hash, sizeof hash);
    *out = (struct parameter){
        .name = name, .type = PARAMETER_TYPE_STRING, .version = opt_int_of(1), .data_type = STR("text"),
        .value = arena_printf(ctx->arena, plain ? "ami-%.17s" : "{\"image_id\":\"ami-%.17s\"}", hex),
        .arn = arena_printf(ctx->arena, "arn:aws:ssm:" STR_FMT "::parameter" STR_FMT, STR_ARG(ctx->config->names.region), STR_ARG(name)),
    };
}

static bool read_one(struct op_ctx *ctx, struct str reference, const char *action, enum opt_bool in_the_open, struct parameter *out,
                     struct err *err)
{
    struct str selector;
    int64_t version;
    struct str name = cut_selector(reference, &selector, &version);
    if (str_starts_with(name, image_names) && !str_is_set(selector) && name.len <= SECRET_NAME_MAX) {
        show_image(ctx, name, out);
        return true;
    }
    const struct kept_secret *found = secrets_find(ctx, SECRET_OF_SSM, name);
    if (found == NULL) { return not_found(name, err); }
    if (!secrets_may_read(ctx, found)) { return secrets_deny(ctx, action, secrets_arn(ctx, found), err); }
    for (size_t v = 0; v < found->versions.count; v++) {
        if (version != 0 && found->versions.items[v].number != version) { continue; }
        bool good = show(ctx, found, &found->versions.items[v], in_the_open, out, err);
        out->selector = selector;
        return good;
    }
    return err_set(err, ERR_PARAMETER_VERSION_NOT_FOUND, "Systems Manager could not find version " STR_FMT " of " STR_FMT ". Berth keeps the current"
                   " version and the one before, and no labels.", STR_ARG(str_slice(selector, 1, selector.len)), STR_ARG(found->name));
}

static bool op_get_parameter(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct get_parameter_request *in = input;
    struct get_parameter_response *out = output;
    out->parameter = ARENA_NEW(ctx->arena, struct parameter, 1);
    return read_one(ctx, in->name, "ssm:GetParameter", in->with_decryption, out->parameter, err);
}

static bool op_get_parameters(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct get_parameters_request *in = input;
    struct get_parameters_response *out = output;
    out->parameters = (struct parameter_list){ ARENA_NEW(ctx->arena, struct parameter, in->names.count), 0 };
    out->invalid_parameters = (struct str_list){ ARENA_NEW(ctx->arena, struct str, in->names.count), 0 };
    for (size_t n = 0; n < in->names.count; n++) {
        struct err refused = { 0 };
        if (read_one(ctx, in->names.items[n], "ssm:GetParameters", in->with_decryption, &out->parameters.items[out->parameters.count], &refused)) {
            out->parameters.count++;
        } else if (refused.code == ERR_PARAMETER_NOT_FOUND || refused.code == ERR_PARAMETER_VERSION_NOT_FOUND) {
            out->invalid_parameters.items[out->invalid_parameters.count++] = in->names.items[n];
        } else {
            *err = refused;
            return false;
        }
    }
    return true;
}

/* ---- filters ---- */

/* Whether this parameter passes one filter; both forms of filters are read like this. */
struct filter { struct str key, option; const struct str_list *values; };
typedef bool filter_fits(const struct kept_secret *found, const struct filter *filter, struct str value);

static bool name_fits(const struct kept_secret *found, const struct filter *filter, struct str value)
{
    if (str_eq(filter->option, STR("BeginsWith"))) { return str_starts_with(found->name, value); }
    if (str_eq(filter->option, STR("Contains"))) { return str_contains(found->name, value); }
    return str_eq(found->name, value);
}

static bool type_fits(const struct kept_secret *found, const struct filter *filter, struct str value)
{
    (void)filter;
    return str_eq(enum_word(&parameter_type_names, (int)found->type), value);
}

static bool tier_fits(const struct kept_secret *found, const struct filter *filter, struct str value)
{
    (void)filter;
    return str_eq(enum_word(&parameter_tier_names, (int)found->tier), value);
}

/* Whether the name is below `path`: at any depth, or directly. */
static bool is_below(struct str name, struct str path, bool recursive)
{
    size_t len = str_ends_with(path, STR("/")) ? path.len - 1 : path.len;
    if (!str_starts_with(name, str_slice(path, 0, len)) || name.len <= len || name.ptr[len] != '/') { return false; }
    struct str rest = str_slice(name, len + 1, name.len);
    return recursive || str_find(rest, '/') == rest.len;
}

static bool path_fits(const struct kept_secret *found, const struct filter *filter, struct str value)
{
    return is_below(found->name, value, str_eq(filter->option, STR("Recursive")));
}

static const struct { struct str key; const char *options; filter_fits *fits; } filters[] = {
    { STR_INIT("Name"), "Equals BeginsWith Contains", name_fits }, { STR_INIT("Type"), "Equals", type_fits },
    { STR_INIT("Tier"), "Equals", tier_fits },                     { STR_INIT("Path"), "OneLevel Recursive", path_fits },
};

static filter_fits *find_filter(const struct filter *filter)
{
    for (size_t f = 0; f < COUNT_OF(filters); f++) {
        if (!str_eq(filters[f].key, filter->key)) { continue; }
        struct str option, rest = str_from(filters[f].options);
        for (bool more = true; more;) {
            more = str_cut(rest, ' ', &option, &rest);
            if (!str_is_set(filter->option) || str_eq(option, filter->option)) { return filters[f].fits; }
        }
    }
    return NULL;
}

struct filters { struct filter *items; size_t count; };

static void add_filter(struct filters *list, struct str key, struct str option, const struct str_list *values)
{
    list->items[list->count++] = (struct filter){ key, option, values };
}

static bool check_filters(const struct filters *list, struct err *err)
{
    for (size_t f = 0; f < list->count; f++) {
        if (find_filter(&list->items[f]) != NULL) { continue; }
        return err_set(err, ERR_VALIDATION, "Berth knows no filter \"" STR_FMT "\" with option \"" STR_FMT "\": Name (Equals, BeginsWith, Contains), Type,"
                       " Tier (Equals) and Path (OneLevel, Recursive).", STR_ARG(str_slice(list->items[f].key, 0, 100)),
                       STR_ARG(str_slice(list->items[f].option, 0, 100)));
    }
    return true;
}

static bool passes(const struct kept_secret *found, const struct filters *list)
{
    for (size_t f = 0; f < list->count; f++) {
        const struct filter *filter = &list->items[f];
        bool any = filter->values->count == 0;
        for (size_t v = 0; v < filter->values->count; v++) { any = any || find_filter(filter)(found, filter, filter->values->items[v]); }
        if (!any) { return false; }
    }
    return true;
}

/* ---- lists ---- */

struct listing {
    struct str list, path;                   /* path: only the parameters below it; absent: all */
    bool recursive;
    struct filters filters;
    size_t limit;
    struct kept_secret *items; size_t count;
    struct str next_token;
};

/* The first name to read: names below a path are next to each other. */
static struct str first_position(struct op_ctx *ctx, const struct listing *listing)
{
    bool has_slash = str_ends_with(listing->path, STR("/"));
    return str_is_set(listing->path) ? arena_printf(ctx->arena, STR_FMT "%s", STR_ARG(listing->path), has_slash ? "" : "/") : (struct str){ NULL, 0 };
}

static bool list_parameters(struct op_ctx *ctx, struct listing *listing, struct str token, struct err *err)
{
    struct str after, start = first_position(ctx, listing);
    if (!check_filters(&listing->filters, err) || !secrets_position(ctx, listing->list, token, &after, err)) { return false; }
    if (!str_is_set(after)) { after = start; }
    struct kept_secret *page = ARENA_NEW(ctx->arena, struct kept_secret, SECRET_PAGE);
    listing->items = ARENA_NEW(ctx->arena, struct kept_secret, listing->limit);
    for (size_t count = SECRET_PAGE; count == SECRET_PAGE;) {
        count = store_list_secrets(ctx->txn, SECRET_OF_SSM, after, page, SECRET_PAGE, ctx->arena);
        for (size_t s = 0; s < count; s++) {
            if (str_is_set(start) && !str_starts_with(page[s].name, start)) { return true; }
            bool wanted = (!str_is_set(start) || is_below(page[s].name, listing->path, listing->recursive)) && passes(&page[s], &listing->filters);
            if (wanted && listing->count == listing->limit) {
                listing->next_token = paging_token(ctx, listing->list, after);
                return true;
            }
            if (wanted) { listing->items[listing->count++] = page[s]; }
            after = page[s].name;
        }
    }
    return true;
}

static bool op_get_parameters_by_path(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct get_parameters_by_path_request *in = input;
    struct get_parameters_by_path_response *out = output;
    struct filter *items = ARENA_NEW(ctx->arena, struct filter, in->parameter_filters.count);
    struct listing listing = {
        .list = STR("GetParametersByPath"), .path = in->path, .recursive = in->recursive == OPT_TRUE, .filters = { items, 0 },
        .limit = in->max_results.set ? (size_t)in->max_results.value : PATH_RESULTS,
    };
    if (!str_starts_with(in->path, STR("/"))) {
        return err_set(err, ERR_VALIDATION, "The parameter path must begin with a slash: a hierarchy is /a/b, and all of it is /.");
    }
    for (size_t f = 0; f < in->parameter_filters.count; f++) {
        const struct parameter_filter *filter = &in->parameter_filters.items[f];
        add_filter(&listing.filters, filter->key, filter->option, &filter->values);
    }
    if (!list_parameters(ctx, &listing, in->next_token, err)) { return false; }
    out->next_token = listing.next_token;
    out->parameters = (struct parameter_list){ ARENA_NEW(ctx->arena, struct parameter, listing.count), 0 };
    for (size_t s = 0; s < listing.count; s++) {
        if (!read_one(ctx, listing.items[s].name, "ssm:GetParametersByPath", in->with_decryption, &out->parameters.items[s], err)) { return false; }
        out->parameters.count++;
    }
    return true;
}

static struct parameter_metadata metadata_of(struct op_ctx *ctx, const struct kept_secret *found)
{
    return (struct parameter_metadata){
        .name = found->name, .arn = secrets_arn(ctx, found), .type = found->type, .key_id = found->kms_key_id,
        .last_modified_date = found->changed_ms, .last_modified_user = found->user, .description = found->description,
        .version = opt_int_of(found->versions.items[0].number), .tier = found->tier, .data_type = found->data_type,
    };
}

static bool op_describe_parameters(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_parameters_request *in = input;
    struct describe_parameters_response *out = output;
    struct filter *items = ARENA_NEW(ctx->arena, struct filter, in->parameter_filters.count + in->filters.count);
    struct listing listing = {
        .list = STR("DescribeParameters"), .filters = { items, 0 },
        .limit = in->max_results.set ? (size_t)in->max_results.value : DESCRIBE_RESULTS,
    };
    for (size_t f = 0; f < in->parameter_filters.count; f++) {
        const struct parameter_filter *filter = &in->parameter_filters.items[f];
        add_filter(&listing.filters, filter->key, filter->option, &filter->values);
    }
    for (size_t f = 0; f < in->filters.count; f++) {                     /* the older form: the first letters of a name */
        bool by_name = str_eq(in->filters.items[f].key, STR("Name"));
        add_filter(&listing.filters, in->filters.items[f].key, by_name ? STR("BeginsWith") : (struct str){ NULL, 0 }, &in->filters.items[f].values);
    }
    if (!list_parameters(ctx, &listing, in->next_token, err)) { return false; }
    out->next_token = listing.next_token;
    out->parameters = (struct parameter_metadata_list){ ARENA_NEW(ctx->arena, struct parameter_metadata, listing.count), listing.count };
    for (size_t s = 0; s < listing.count; s++) { out->parameters.items[s] = metadata_of(ctx, &listing.items[s]); }
    return true;
}

/* ---- writing ---- */

static bool check_value(const struct put_parameter_request *in, enum parameter_tier tier, struct err *err)
{
    size_t max = tier == PARAMETER_TIER_STANDARD ? STANDARD_MAX : ADVANCED_MAX;
    if (in->value.len == 0) {
        return err_set(err, ERR_VALIDATION, "1 validation error detected: Value '' at 'value' failed to satisfy constraint: Member must have length"
                       " greater than or equal to 1");
    }
    if (in->value.len > max) {
        return err_set(err, ERR_VALIDATION, "The value has %zu characters; a parameter of tier %s has at most %zu.", in->value.len,
                       tier == PARAMETER_TIER_STANDARD ? "Standard" : "Advanced", max);
    }
    if (str_is_set(in->allowed_pattern) || str_is_set(in->policies)) {
        return err_set(err, ERR_VALIDATION, "%s is not supported for parameters.", str_is_set(in->policies) ? "Policies" : "AllowedPattern");
    }
    return true;
}

/* The parameter after the request `in`; `known`: the parameter before, may be NULL. */
static bool make_parameter(struct op_ctx *ctx, const struct put_parameter_request *in, const struct kept_secret *known, struct kept_secret *out,
                           struct err *err)
{
    *out = known != NULL ? *known : (struct kept_secret){ .kind = SECRET_OF_SSM, .name = in->name, .created_ms = ctx->now_ms };
    if (in->type != PARAMETER_TYPE_UNSET) { out->type = in->type; }
    if (in->tier != PARAMETER_TIER_UNSET) { out->tier = in->tier; }
    if (out->tier == PARAMETER_TIER_UNSET) { out->tier = PARAMETER_TIER_STANDARD; }
    if (out->type == PARAMETER_TYPE_UNSET) { return err_set(err, ERR_VALIDATION, "A parameter type is required when you create a parameter."); }
    if (known != NULL && in->tags.count > 0) {
        return err_set(err, ERR_VALIDATION, "Invalid request: tags and overwrite can't be used together. To create a parameter with tags, please"
                       " remove overwrite flag. To update tags for an existing parameter, please use AddTagsToResource or RemoveTagsFromResource.");
    }
    if (!check_value(in, out->tier, err) || !secrets_put_tags(ctx, &out->tags, &in->tags, ERR_VALIDATION, err)) { return false; }
    if (str_is_set(in->description)) { out->description = in->description; }
    if (str_is_set(in->data_type) || known == NULL) { out->data_type = str_is_set(in->data_type) ? in->data_type : STR("text"); }
    if (str_is_set(in->key_id)) { out->kms_key_id = in->key_id; }
    if (out->type == PARAMETER_TYPE_SECURE_STRING && !str_is_set(out->kms_key_id)) { out->kms_key_id = STR("alias/aws/ssm"); }
    return true;
}

static bool op_put_parameter(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct put_parameter_request *in = input;
    struct put_parameter_response *out = output;
    struct kept_secret parameter;
    if (!check_name(in->name, err)) { return false; }
    const struct kept_secret *known = secrets_find(ctx, SECRET_OF_SSM, in->name);
    if (known != NULL && in->overwrite != OPT_TRUE) {
        return err_set(err, ERR_PARAMETER_EXISTS, "The parameter already exists. To overwrite this value, set the overwrite option in the request to"
                       " true.");
    }
    if (!make_parameter(ctx, in, known, &parameter, err)) { return false; }
    secrets_add_version(ctx, &parameter, (struct str){ NULL, 0 }, in->value);
    store_put_secret(ctx->txn, &parameter);
    *out = (struct put_parameter_response){ opt_int_of(parameter.versions.items[0].number), parameter.tier };
    return true;
}

static bool op_delete_parameter(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_parameter_request *in = input;
    (void)output;
    const struct kept_secret *found = secrets_find(ctx, SECRET_OF_SSM, in->name);
    if (found == NULL) { return not_found(in->name, err); }
    store_drop_secret(ctx->txn, SECRET_OF_SSM, found->name);
    return true;
}

static bool op_delete_parameters(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_parameters_request *in = input;
    struct delete_parameters_response *out = output;
    (void)err;
    out->deleted_parameters = (struct str_list){ ARENA_NEW(ctx->arena, struct str, in->names.count), 0 };
    out->invalid_parameters = (struct str_list){ ARENA_NEW(ctx->arena, struct str, in->names.count), 0 };
    for (size_t n = 0; n < in->names.count; n++) {
        const struct kept_secret *found = secrets_find(ctx, SECRET_OF_SSM, in->names.items[n]);
        struct str_list *list = found == NULL ? &out->invalid_parameters : &out->deleted_parameters;
        if (found != NULL) { store_drop_secret(ctx->txn, SECRET_OF_SSM, found->name); }
        list->items[list->count++] = in->names.items[n];
    }
    return true;
}

/* ---- tags ---- */

static const struct kept_secret *find_resource(struct op_ctx *ctx, struct str type, struct str id, struct err *err)
{
    if (!str_eq(type, STR("Parameter"))) {
        (void)err_set(err, ERR_VALIDATION, "Berth supports only resources of type Parameter.");
        return NULL;
    }
    const struct kept_secret *found = secrets_find(ctx, SECRET_OF_SSM, id);
    if (found == NULL) { (void)err_set(err, ERR_RESOURCE_NOT_FOUND, "The resource ID is not valid. Verify that you entered the correct ID and try again."); }
    return found;
}

static bool op_add_tags_to_resource(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct add_tags_to_resource_request *in = input;
    (void)output;
    const struct kept_secret *found = find_resource(ctx, in->resource_type, in->resource_id, err);
    if (found == NULL) { return false; }
    struct kept_secret parameter = *found;
    if (!secrets_put_tags(ctx, &parameter.tags, &in->tags, ERR_VALIDATION, err)) { return false; }
    store_put_secret(ctx->txn, &parameter);
    return true;
}

static bool op_remove_tags_from_resource(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct remove_tags_from_resource_request *in = input;
    (void)output;
    const struct kept_secret *found = find_resource(ctx, in->resource_type, in->resource_id, err);
    if (found == NULL) { return false; }
    struct kept_secret parameter = *found;
    support_change_tags(ctx, &parameter.tags, NULL, &in->tag_keys);
    store_put_secret(ctx->txn, &parameter);
    return true;
}

static bool op_list_parameter_tags(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_parameter_tags_request *in = input;
    struct list_parameter_tags_response *out = output;
    const struct kept_secret *found = find_resource(ctx, in->resource_type, in->resource_id, err);
    if (found == NULL) { return false; }
    out->tag_list = found->tags;
    return true;
}

/* ---- the table ---- */

#define ROW(wire, noun, access, role) \
    { STR_INIT(wire), &noun##_request_schema, &noun##_response_schema, access, role, ERR_VALIDATION, op_##noun }
#define SILENT(wire, noun, access, role) \
    { STR_INIT(wire), &noun##_request_schema, NULL, access, role, ERR_VALIDATION, op_##noun }
static const struct operation operations[] = {
    SILENT("AddTagsToResource", add_tags_to_resource, OP_WRITE, ACCESS_ADMIN),
    SILENT("DeleteParameter", delete_parameter, OP_WRITE, ACCESS_ADMIN),
    ROW("DeleteParameters", delete_parameters, OP_WRITE, ACCESS_ADMIN),
    ROW("DescribeParameters", describe_parameters, OP_READ, ACCESS_ADMIN),
    ROW("GetParameter", get_parameter, OP_READ, ACCESS_TASK),
    ROW("GetParameters", get_parameters, OP_READ, ACCESS_TASK),
    ROW("GetParametersByPath", get_parameters_by_path, OP_READ, ACCESS_TASK),
    ROW("ListTagsForResource", list_parameter_tags, OP_READ, ACCESS_ADMIN),
    ROW("PutParameter", put_parameter, OP_WRITE, ACCESS_ADMIN),
    SILENT("RemoveTagsFromResource", remove_tags_from_resource, OP_WRITE, ACCESS_ADMIN),
    { STR_INIT("ResumeSession"), &session_reference_schema, &resume_session_response_schema, OP_READ, ACCESS_ADMIN, ERR_VALIDATION,
      op_resume_session },
    { STR_INIT("TerminateSession"), &session_reference_schema, &session_reference_schema, OP_READ, ACCESS_ADMIN, ERR_VALIDATION,
      op_terminate_session },
};
#undef ROW
#undef SILENT

static const struct service_error errors[] = {
    { ERR_SERVER, STR_INIT("InternalServerError"), 0 }, { ERR_INVALID_NEXT_TOKEN, STR_INIT("InvalidNextToken"), 0 },
    { ERR_RESOURCE_NOT_FOUND, STR_INIT("InvalidResourceId"), 0 },
};

const struct api_service ssm_service = {
    .name = STR_INIT("ssm"), .target = STR_INIT("AmazonSSM."), .message = STR_INIT("message"),
    .early = true, .named = true, .resource = STR_INIT("*"),
    .operations = operations, .count = COUNT_OF(operations), .errors = errors, .error_count = COUNT_OF(errors),
};
