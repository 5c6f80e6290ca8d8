/* templates.c: EC2's launch templates. A template is a record, and so is each of its versions. */
#include "api/amazon/templates.h"

#include "api/amazon/amazon.h"
#include "api/aws/templates.h"
#include "base/text/base64.h"

enum { TEMPLATES_MAX = 500, VERSIONS_MAX = 1000, VERSIONS_PAGE = 100 };

/* ---- finding ---- */

static struct str version_id(struct op_ctx *ctx, struct str template, int64_t number)
{
    return arena_printf(ctx->arena, STR_FMT "/%08lld", STR_ARG(template), (long long)number);
}

static const struct kept_plain *find_named(struct op_ctx *ctx, struct str name)
{
    struct kept_plain *templates;
    size_t count = store_list_plain(ctx->txn, PLAIN_KIND_TEMPLATE, STR(""), &templates, ctx->arena);
    for (size_t t = 0; t < count; t++) {
        if (str_eq(templates[t].name, name)) { return &templates[t]; }
    }
    return NULL;
}

struct str template_named(struct op_ctx *ctx, struct str name)
{
    const struct kept_plain *found = find_named(ctx, name);
    return found == NULL ? (struct str){ NULL, 0 } : found->id;
}

static const struct kept_plain *by_id(struct op_ctx *ctx, struct str id, struct err *err)
{
    if (!str_starts_with(id, STR("lt-"))) {
        (void)err_set(err, ERR_EC2_TEMPLATE_MALFORMED, "Invalid id: \"" STR_FMT "\" (expecting \"lt-...\")", AMAZON_SHOWN(id));
        return NULL;
    }
    const struct kept_plain *found = store_plain(ctx->txn, PLAIN_KIND_TEMPLATE, id, ctx->arena);
    if (found == NULL) {
        (void)err_set(err, ERR_EC2_TEMPLATE_NOT_FOUND, "The specified launch template, with template ID " STR_FMT ", does not exist.", AMAZON_SHOWN(id));
    }
    return found;
}

static const struct kept_plain *by_name(struct op_ctx *ctx, struct str name, struct err *err)
{
    const struct kept_plain *found = find_named(ctx, name);
    if (found == NULL) {
        (void)err_set(err, ERR_EC2_TEMPLATE_NAME_NOT_FOUND, "The specified launch template, with template name " STR_FMT ", does not exist.",
                      AMAZON_SHOWN(name));
    }
    return found;
}

static const struct kept_plain *find_template(struct op_ctx *ctx, struct str id, struct str name, struct err *err)
{
    if ((id.len > 0) == (name.len > 0)) {
        (void)err_set(err, ERR_VALIDATION, "The request must contain exactly one of LaunchTemplateId and LaunchTemplateName");
        return NULL;
    }
    return id.len > 0 ? by_id(ctx, id, err) : by_name(ctx, name, err);
}

/* 0: no number. */
static int64_t number_of(const struct kept_plain *template, struct str version)
{
    int64_t number = 0;
    if (version.len == 0 || str_eq(version, STR("$Default"))) { return template->template->default_version; }
    if (str_eq(version, STR("$Latest"))) { return template->template->latest_version; }
    return str_to_i64(version, &number) && number > 0 && number <= template->template->latest_version ? number : 0;
}

static const struct kept_plain *find_version(struct op_ctx *ctx, const struct kept_plain *template, struct str version)
{
    int64_t number = number_of(template, version);
    return number == 0 ? NULL : store_plain(ctx->txn, PLAIN_KIND_TEMPLATE_VERSION, version_id(ctx, template->id, number), ctx->arena);
}

static bool no_version(const struct kept_plain *template, struct str version, struct err *err)
{
    return err_set(err, ERR_EC2_VERSION_NOT_FOUND, "Could not find launch template version " STR_FMT " of the launch template " STR_FMT ".",
                   AMAZON_SHOWN(version), STR_ARG(template->id));
}

const struct launch_template_data *template_data(struct op_ctx *ctx, struct str id, struct str version)
{
    const struct kept_plain *template = store_plain(ctx->txn, PLAIN_KIND_TEMPLATE, id, ctx->arena);
    const struct kept_plain *found = template == NULL ? NULL : find_version(ctx, template, version);
    return found == NULL ? NULL : found->version->data;
}

static bool is_cluster_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
}

/* The name that the text begins with, in quotes or not. */
static struct str leading_name(struct str text)
{
    size_t begin = text.len > 0 && (text.ptr[0] == '"' || text.ptr[0] == '\''), end = begin;
    while (end < text.len && is_cluster_byte(text.ptr[end])) { end++; }
    return str_slice(text, begin, end);
}

/* Scripts write the setting in many ways: into a here-document, with echo, in quotes. */
struct str template_cluster(const struct launch_template_data *data, struct arena *arena)
{
    static const struct str setting = STR_INIT("ECS_CLUSTER=");
    struct str cluster = { NULL, 0 }, script = data == NULL || !str_is_set(data->user_data) ? cluster : base64_decode(data->user_data, arena);
    for (size_t at = 0; at + setting.len < script.len; at++) {
        bool whole = at == 0 || !is_cluster_byte(script.ptr[at - 1]);
        if (!whole || memcmp(script.ptr + at, setting.ptr, setting.len) != 0) { continue; }
        struct str name = leading_name(str_slice(script, at + setting.len, script.len));
        if (name.len > 0) { cluster = name; }
    }
    return cluster;
}

/* ---- shown ---- */

static struct launch_template show_template(struct op_ctx *ctx, const struct kept_plain *kept)
{
    return (struct launch_template){
        .id = kept->id, .name = kept->name, .create_time = kept->created_ms,
        .created_by = arena_printf(ctx->arena, "arn:aws:iam::" STR_FMT ":root", STR_ARG(ctx->config->names.account)),
        .default_version_number = opt_int_of(kept->template->default_version), .latest_version_number = opt_int_of(kept->template->latest_version),
        .tags = amazon_shown_tags(&kept->tags),
    };
}

static void show_one(struct op_ctx *ctx, const struct kept_plain *kept, void *output)
{
    struct template_response *out = output;
    out->template = ARENA_NEW(ctx->arena, struct launch_template, 1);
    *out->template = show_template(ctx, kept);
}

static struct launch_template_version show_version(struct op_ctx *ctx, const struct kept_plain *template, const struct kept_plain *kept)
{
    return (struct launch_template_version){
        .id = template->id, .name = template->name, .version_number = opt_int_of(kept->version->number), .description = kept->version->description,
        .create_time = kept->created_ms, .created_by = arena_printf(ctx->arena, "arn:aws:iam::" STR_FMT ":root", STR_ARG(ctx->config->names.account)),
        .default_version = opt_bool_of(kept->version->number == template->template->default_version), .data = kept->version->data,
    };
}

/* ---- making ---- */

static bool is_name(struct str name)
{
    for (size_t c = 0; c < name.len; c++) {
        char byte = name.ptr[c];
        bool good = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || memchr("().-/_", byte, 6) != NULL;
        if (!good) { return false; }
    }
    return true;
}

/* An empty user data is as none. A type and requirements exclude each other. */
static bool check_data(struct op_ctx *ctx, const struct launch_template_data *given, struct launch_template_data **data, struct err *err)
{
    *data = ARENA_NEW(ctx->arena, struct launch_template_data, 1);
    **data = *given;
    if (given->user_data.len == 0) { (*data)->user_data = (struct str){ NULL, 0 }; }
    if (given->instance_type.len > 0 && given->requirements != NULL) {
        return err_set(err, ERR_VALIDATION, "You can't specify both InstanceType and InstanceRequirements");
    }
    return true;
}

static struct kept_plain put_version(struct op_ctx *ctx, const struct kept_plain *template, struct str token, struct str description,
                                     struct launch_template_data *data)
{
    struct kept_template_version *version = ARENA_NEW(ctx->arena, struct kept_template_version, 1);
    *version = (struct kept_template_version){ template->template->latest_version, description, token, data };
    const struct kept_plain kept = {
        .kind = PLAIN_KIND_TEMPLATE_VERSION, .id = version_id(ctx, template->id, version->number), .created_ms = ctx->now_ms, .version = version,
    };
    store_put_plain(ctx->txn, &kept);
    return kept;
}

/* With the token of the one that has the name, this is the same call again. */
AMAZON_OPERATION(op_create_launch_template)
{
    const struct create_template_request *in = input;
    struct tag_list tags;
    struct launch_template_data *data;
    if (!is_name(in->name)) {
        return err_set(err, ERR_VALIDATION, "A launch template name must be between 3 and 128 characters, and may contain letters, numbers, and the following"
                       " characters: - ( ) . / _");
    }
    if (!check_data(ctx, in->data, &data, err) || !ec2_take_tags(ctx, &in->tags, STR("launch-template"), &tags, err)) { return false; }
    const struct kept_plain *known = find_named(ctx, in->name);
    if (known != NULL && in->token.len > 0 && str_eq(known->template->token, in->token)) {
        show_one(ctx, known, output);
        return true;
    }
    if (known != NULL) { return err_set(err, ERR_EC2_TEMPLATE_EXISTS, "Launch template name already in use."); }
    if (!ec2_has_room(ctx, PLAIN_KIND_TEMPLATE, TEMPLATES_MAX, "launch templates", err)) { return false; }
    struct kept_template template = { 1, 1, in->token };
    const struct kept_plain kept = {
        .kind = PLAIN_KIND_TEMPLATE, .id = ec2_new_id(ctx, "lt-"), .name = in->name, .tags = tags, .created_ms = ctx->now_ms, .template = &template,
    };
    store_put_plain(ctx->txn, &kept);
    (void)put_version(ctx, &kept, in->token, in->description, data);
    show_one(ctx, &kept, output);
    return true;
}

AMAZON_OPERATION(op_create_launch_template_version)
{
    const struct create_version_request *in = input;
    struct version_response *out = output;
    struct launch_template_data *data;
    const struct kept_plain *found = find_template(ctx, in->id, in->name, err);
    if (found == NULL || !check_data(ctx, in->data, &data, err)) { return false; }
    out->version = ARENA_NEW(ctx->arena, struct launch_template_version, 1);
    const struct kept_plain *latest = find_version(ctx, found, STR("$Latest"));
    if (latest != NULL && in->token.len > 0 && str_eq(latest->version->token, in->token)) {
        *out->version = show_version(ctx, found, latest);
        return true;
    }
    if (store_count_plain(ctx->txn, PLAIN_KIND_TEMPLATE_VERSION, found->id) >= VERSIONS_MAX) {
        return err_set(err, ERR_LIMIT_EXCEEDED, "The maximum number of versions of a launch template has been reached: %d", VERSIONS_MAX);
    }
    struct kept_plain kept = *found;
    struct kept_template template = *found->template;
    template.latest_version++;
    kept.template = &template;
    store_put_plain(ctx->txn, &kept);
    const struct kept_plain version = put_version(ctx, &kept, in->token, in->description, data);
    *out->version = show_version(ctx, &kept, &version);
    return true;
}

/* ---- asking ---- */

static struct str name_of(const struct kept_plain *plain) { return plain->name; }
static const struct ec2_filter_row filter_rows[] = { { STR_INIT("launch-template-name"), name_of } };

AMAZON_OPERATION(op_describe_launch_templates)
{
    const struct describe_templates_request *in = input;
    struct describe_templates_response *out = output;
    struct kept_plain *items;
    const struct ec2_filters filters = { filter_rows, COUNT_OF(filter_rows), &in->filters };
    size_t named = in->ids.count + in->names.count, count = store_list_plain(ctx->txn, PLAIN_KIND_TEMPLATE, STR(""), &items, ctx->arena);
    if (!ec2_check_filters(&filters, err)) { return false; }
    out->templates.items = ARENA_NEW(ctx->arena, struct launch_template, named + count + 1);
    for (size_t n = 0; n < named; n++) {
        bool is_id = n < in->ids.count;
        const struct kept_plain *found = is_id ? by_id(ctx, in->ids.items[n], err) : by_name(ctx, in->names.items[n - in->ids.count], err);
        if (found == NULL) { return false; }
        if (ec2_passes(&filters, found)) { out->templates.items[out->templates.count++] = show_template(ctx, found); }
    }
    for (size_t t = 0; t < count && named == 0; t++) {
        if (ec2_passes(&filters, &items[t])) { out->templates.items[out->templates.count++] = show_template(ctx, &items[t]); }
    }
    return true;
}

/* All versions, the newest first, in pages. The token is the number of the version before. */
static bool list_versions(struct op_ctx *ctx, const struct kept_plain *template, const struct template_request *in, struct versions_response *out,
                          struct err *err)
{
    size_t limit = in->max_results.set && in->max_results.value < VERSIONS_PAGE ? (size_t)in->max_results.value : VERSIONS_PAGE;
    int64_t before = template->template->latest_version + 1;
    if (in->next_token.len > 0 && (!str_to_i64(in->next_token, &before) || before < 1 || before > template->template->latest_version)) {
        return err_set(err, ERR_VALIDATION, "The nextToken is not valid");
    }
    out->versions.items = ARENA_NEW(ctx->arena, struct launch_template_version, limit);
    for (int64_t number = before - 1; number > 0; number--) {
        const struct kept_plain *version = store_plain(ctx->txn, PLAIN_KIND_TEMPLATE_VERSION, version_id(ctx, template->id, number), ctx->arena);
        if (version == NULL) { continue; }
        if (out->versions.count == limit) {
            out->next_token = arena_printf(ctx->arena, "%lld", (long long)number + 1);
            break;
        }
        out->versions.items[out->versions.count++] = show_version(ctx, template, version);
    }
    return true;
}

AMAZON_OPERATION(op_describe_launch_template_versions)
{
    const struct template_request *in = input;
    struct versions_response *out = output;
    const struct kept_plain *template = find_template(ctx, in->id, in->name, err);
    if (template == NULL) { return false; }
    if (in->versions.count == 0) { return list_versions(ctx, template, in, out, err); }
    out->versions.items = ARENA_NEW(ctx->arena, struct launch_template_version, in->versions.count);
    for (size_t v = 0; v < in->versions.count; v++) {
        const struct kept_plain *version = find_version(ctx, template, in->versions.items[v]);
        if (version == NULL) { return no_version(template, in->versions.items[v], err); }
        out->versions.items[out->versions.count++] = show_version(ctx, template, version);
    }
    return true;
}

/* ---- changing, deleting ---- */

AMAZON_OPERATION(op_modify_launch_template)
{
    const struct template_request *in = input;
    const struct kept_plain *found = find_template(ctx, in->id, in->name, err);
    if (found == NULL) { return false; }
    const struct kept_plain *version = find_version(ctx, found, in->set_default_version);
    if (version == NULL) { return no_version(found, in->set_default_version, err); }
    struct kept_plain kept = *found;
    struct kept_template template = *found->template;
    template.default_version = version->version->number;
    kept.template = &template;
    store_put_plain(ctx->txn, &kept);
    show_one(ctx, &kept, output);
    return true;
}

AMAZON_OPERATION(op_delete_launch_template)
{
    const struct template_request *in = input;
    const struct kept_plain *found = find_template(ctx, in->id, in->name, err);
    if (found == NULL) { return false; }
    store_drop_plain_under(ctx->txn, PLAIN_KIND_TEMPLATE_VERSION, found->id);
    store_drop_plain(ctx->txn, found);
    show_one(ctx, found, output);
    return true;
}

/* First all are checked. The default version stays, and so does the latest, as its number counts on. */
AMAZON_OPERATION(op_delete_launch_template_versions)
{
    const struct template_request *in = input;
    struct deleted_versions_response *out = output;
    const struct kept_plain *template = find_template(ctx, in->id, in->name, err);
    if (template == NULL) { return false; }
    const struct kept_plain **gone = ARENA_NEW(ctx->arena, const struct kept_plain *, in->versions.count);
    for (size_t v = 0; v < in->versions.count; v++) {
        gone[v] = find_version(ctx, template, in->versions.items[v]);
        if (gone[v] == NULL) { return no_version(template, in->versions.items[v], err); }
        if (gone[v]->version->number != template->template->default_version && gone[v]->version->number != template->template->latest_version) { continue; }
        return err_set(err, ERR_VALIDATION, "The default version and the latest version of a launch template cannot be deleted");
    }
    out->deleted.items = ARENA_NEW(ctx->arena, struct deleted_version, in->versions.count + 1);
    for (size_t v = 0; v < in->versions.count; v++) {
        bool again = false;
        for (size_t b = 0; b < v; b++) { again = again || str_eq(gone[b]->id, gone[v]->id); }
        if (again) { continue; }
        store_drop_plain(ctx->txn, gone[v]);
        out->deleted.items[out->deleted.count++] = (struct deleted_version){ template->id, template->name, opt_int_of(gone[v]->version->number) };
    }
    return true;
}
