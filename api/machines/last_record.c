#include "api/machines/last_record.h"

/* The record that was registered last with the word is stored under the word. */
static struct str meta_name(struct op_ctx *ctx, const struct instance *instance, struct str word)
{
    return arena_printf(ctx->arena, "machine/%lld/" STR_FMT, (long long)instance->cluster_number, STR_ARG(word));
}

/* Absent: its agent sends no such word. */
static struct str word_of(const struct instance *instance)
{
    bool found;
    return instance_attribute(instance, STR(MACHINE_ATTRIBUTE), &found);
}

bool last_record_has_word(const struct instance *instance) { return word_of(instance).len > 0; }

bool last_record_same_word(const struct instance *a, const struct instance *b) { return str_eq(word_of(a), word_of(b)); }

bool last_record_find(struct op_ctx *ctx, const struct instance *instance, struct id *id)
{
    struct str word = word_of(instance);
    if (word.len == 0) { return false; }
    struct str text = store_meta(ctx->txn, meta_name(ctx, instance, word), ctx->arena);
    return str_is_set(text) && id_parse(text, id);
}

void last_record_put(struct op_ctx *ctx, const struct instance *instance)
{
    char hex[ID_HEX_LEN + 1];
    ASSERT(last_record_has_word(instance));
    id_hex(instance->id, hex);
    store_put_meta(ctx->txn, meta_name(ctx, instance, word_of(instance)), arena_str(ctx->arena, str_from(hex)));
}

void last_record_forget(struct op_ctx *ctx, const struct instance *instance)
{
    struct id last;
    if (last_record_find(ctx, instance, &last) && id_eq(last, instance->id)) {
        store_put_meta(ctx->txn, meta_name(ctx, instance, word_of(instance)), (struct str){ 0 });
    }
}
