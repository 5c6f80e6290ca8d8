/* work_secrets.c: in the shape that the ECS agent takes: a parameter's ARN becomes a name and a region, a secret's stays whole. */
#include "api/tell/work_secrets.h"

#include "base/text/arn.h"

/* arn:…:parameter/prod/db is /prod/db; arn:…:parameter/db is db. */
static struct str parameter_name(const struct arn *arn)
{
    struct str word, name;
    (void)str_cut(arn->resource, '/', &word, &name);
    bool has_levels = str_find(name, '/') < name.len;
    return has_levels ? str_slice(arn->resource, word.len, arn->resource.len) : name;
}

static struct wire_secret make_secret(const struct names *names, const struct secret *from, bool for_log)
{
    struct arn arn;
    struct secret_ref ref;
    struct err unread = { 0 };
    struct wire_secret out = {
        .name = from->name, .value_from = from->value_from, .region = names->region, .provider = STR("ssm"),
        .type = for_log ? STR("BOOTSTRAP") : STR("ENVIRONMENT_VARIABLE"), .target = for_log ? STR("LOG_DRIVER") : STR("CONTAINER"),
    };
    if (!secret_ref_parse(from->value_from, SECRET_OF_SSM, &ref, &unread)) { return out; }       /* the agent says what is wrong with it */
    if (ref.kind == SECRET_OF_ASM) { out.provider = STR("asm"); }
    if (!arn_parse(from->value_from, &arn)) { return out; }
    if (arn.region.len > 0) { out.region = arn.region; }
    bool is_here = str_eq(arn.region, names->region) && str_eq(arn.account, names->account);
    if (ref.kind == SECRET_OF_SSM && is_here) { out.value_from = parameter_name(&arn); }
    return out;
}

struct wire_secret_list work_secrets(const struct names *names, const struct container_definition *def, struct arena *arena)
{
    const struct secret_list *options = def->log_configuration == NULL ? NULL : &def->log_configuration->secret_options;
    size_t more = options == NULL ? 0 : options->count;
    struct wire_secret_list out = { ARENA_NEW(arena, struct wire_secret, def->secrets.count + more), 0 };
    for (size_t s = 0; s < def->secrets.count; s++) { out.items[out.count++] = make_secret(names, &def->secrets.items[s], false); }
    for (size_t s = 0; s < more; s++) { out.items[out.count++] = make_secret(names, &options->items[s], true); }
    return out.count > 0 ? out : (struct wire_secret_list){ NULL, 0 };
}

struct environment_file_list work_environment_files(const struct container_definition *def, const struct container_override *over,
                                                    struct arena *arena)
{
    size_t more = over == NULL ? 0 : over->environment_files.count;
    struct environment_file_list out = { ARENA_NEW(arena, struct environment_file, def->environment_files.count + more), 0 };
    for (size_t f = 0; f < def->environment_files.count; f++) { out.items[out.count++] = def->environment_files.items[f]; }
    for (size_t f = 0; f < more; f++) { out.items[out.count++] = over->environment_files.items[f]; }
    return out.count > 0 ? out : (struct environment_file_list){ NULL, 0 };
}
