/* amazon.c: tags and texts that the services of this wing share. */
#include "api/amazon/amazon.h"

bool amazon_check_tags(const struct tag_list *tags, enum err_code code, struct err *err)
{
    struct err refused = { 0 };
    return support_check_tags(tags, TAGGED_OTHER, &refused) || err_set(err, code, "%s", refused.message);
}

static bool has_key(const struct tag_list *tags, struct str key)
{
    for (size_t t = 0; t < tags->count; t++) {
        if (str_eq(tags->items[t].key, key)) { return true; }
    }
    return false;
}

struct tag_list amazon_change_tags(struct op_ctx *ctx, const struct tag_list *tags, const struct tag_list *added, const struct str_list *removed)
{
    struct tag_list changed = { ARENA_NEW(ctx->arena, struct tag, tags->count + added->count), 0 };
    for (size_t t = 0; t < tags->count; t++) {
        bool stays = !has_key(added, tags->items[t].key) && !str_list_has(removed, tags->items[t].key);
        if (stays) { changed.items[changed.count++] = tags->items[t]; }
    }
    for (size_t a = 0; a < added->count; a++) { changed.items[changed.count++] = added->items[a]; }
    return changed;
}

struct tag_list amazon_shown_tags(const struct tag_list *tags)
{
    return tags->count > 0 ? *tags : (struct tag_list){ LIST_NOTHING, 0 };
}

struct str amazon_encode(struct str text, struct arena *arena)
{
    struct buf out = buf_in(arena);
    for (size_t c = 0; c < text.len; c++) {
        char byte = text.ptr[c];
        bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || memchr("-_.~", byte, 4) != NULL;
        if (plain) { buf_put_char(&out, byte); } else { buf_printf(&out, "%%%02X", (unsigned)(unsigned char)byte); }
    }
    return buf_str(&out);
}
