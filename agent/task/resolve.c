/* resolve.c: the container's own environment wins over its files, the first file over the second, and secrets over all. */
#include "agent/task/resolve.h"

#include "agent/task/env_file.h"
#include "base/text/arn.h"

static bool has(const struct pair_list *list, struct str name)
{
    for (size_t p = 0; p < list->count; p++) {
        if (str_eq(list->items[p].key, name)) { return true; }
    }
    return false;
}

/* The GPUs that a container sees, and the agent's own variables: a file or a secret may not set these. */
static bool is_ours(struct str name)
{
    return str_starts_with(name, STR("BERTH_")) || str_eq(name, STR("NVIDIA_VISIBLE_DEVICES")) || str_eq(name, STR("CUDA_VISIBLE_DEVICES"));
}

static void put(struct pair_list *list, struct pair pair, struct arena *arena)
{
    for (size_t p = 0; p < list->count; p++) {
        if (!str_eq(list->items[p].key, pair.key)) { continue; }
        list->items[p] = pair;
        return;
    }
    list->items = arena_grow(arena, list->items, list->count * sizeof *list->items, (list->count + 1) * sizeof *list->items);
    list->items[list->count++] = pair;
}

/* ---- environment files ---- */

static bool read_file(const struct resolver *resolver, struct str reference, struct pair_list *file, bool *transient, struct arena *arena,
                      struct err *err)
{
    struct arn arn;
    struct str bucket, key, text;
    if (!arn_parse(reference, &arn) || !str_eq(arn.service, STR("s3")) || !str_cut(arn.resource, '/', &bucket, &key)) {
        return err_set(err, ERR_INVALID_PARAMETER, "it is not the ARN of an object: arn:aws:s3:::BUCKET/KEY.env");
    }
    return s3_get(resolver->s3, bucket, key, ENV_FILE_MAX, resolver->stop, &text, transient, arena, err) && env_file_parse(text, file, arena, err);
}

static bool add_files(const struct resolver *resolver, const struct wire_container *container, struct pair_list *values, bool *transient,
                      struct arena *arena, struct err *err)
{
    for (size_t f = 0; f < container->environment_files.count; f++) {
        struct str reference = container->environment_files.items[f].value;
        struct pair_list file = { NULL, 0 };
        struct err why = { 0 };
        if (!read_file(resolver, reference, &file, transient, arena, &why)) {
            return err_set(err, why.code, "ResourceInitializationError: failed to download env files: " STR_FMT ": %s",
                           STR_ARG(str_slice(reference, 0, 200)), why.message);
        }
        for (size_t p = 0; p < file.count; p++) {
            struct str name = file.items[p].key;
            if (!has(&container->environment, name) && !has(values, name) && !is_ours(name)) { put(values, file.items[p], arena); }
        }
    }
    return true;
}

/* ---- secrets ---- */

static bool fetch(const struct resolver *resolver, const struct wire_secret *secret, struct str *value, bool *transient, struct arena *arena,
                  struct err *err)
{
    struct secret_ref ref;
    enum secret_kind bare = str_eq(secret->provider, STR("asm")) ? SECRET_OF_ASM : SECRET_OF_SSM;
    if (!secret_ref_parse(secret->value_from, bare, &ref, err)
        || !secrets_fetch(resolver->client, resolver->server, &ref, value, transient, arena, err)) {
        return false;
    }
    return str_find(*value, '\0') == value->len || err_set(err, ERR_INVALID_PARAMETER, "the value holds a NUL, which no environment can");
}

static bool add_secrets(const struct resolver *resolver, const struct wire_container *container, struct resolved *out, bool *transient,
                        struct arena *arena, struct err *err)
{
    for (size_t s = 0; s < container->secrets.count; s++) {
        const struct wire_secret *secret = &container->secrets.items[s];
        bool for_log = str_eq(secret->target, STR("LOG_DRIVER"));
        struct str value;
        struct err why = { 0 };
        if (!fetch(resolver, secret, &value, transient, arena, &why)) {
            return err_set(err, why.code, "ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed:"
                           " %s", why.message);
        }
        if (for_log || !is_ours(secret->name)) { put(for_log ? &out->log_options : &out->values, (struct pair){ secret->name, value }, arena); }
    }
    return true;
}

bool resolve_container(const struct resolver *resolver, const struct wire_container *container, struct resolved *out, bool *transient,
                       struct arena *arena, struct err *err)
{
    *out = (struct resolved){ { NULL, 0 }, { NULL, 0 } };
    *transient = false;
    return add_files(resolver, container, &out->values, transient, arena, err) && add_secrets(resolver, container, out, transient, arena, err);
}
