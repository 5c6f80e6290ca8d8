#include "api/gang.h"

static const struct str tag_key = STR_INIT("berth:gang"), id_name = STR_INIT("BERTH_GANG_ID"), rank_name = STR_INIT("BERTH_GANG_RANK"),
    size_name = STR_INIT("BERTH_GANG_SIZE");

bool gang_read(const struct tag_list *tags, bool *gang, struct err *err)
{
    *gang = false;
    for (size_t t = 0; t < tags->count; t++) {
        const struct tag *tag = &tags->items[t];
        if (!str_eq(tag->key, tag_key)) { continue; }
        *gang = str_eq(tag->value, STR("true"));
        if (*gang || str_eq(tag->value, STR("false"))) { return true; }
        return err_set(err, ERR_INVALID_PARAMETER, "The tag berth:gang can't be \"" STR_FMT "\": it should be true or false.", STR_ARG(tag->value));
    }
    return true;
}

bool gang_is_variable(struct str name) { return str_eq(name, id_name) || str_eq(name, rank_name) || str_eq(name, size_name); }

void gang_put_variables(const struct task_gang *gang, struct pair_list *environment, struct arena *arena)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(gang->first, hex);
    struct pair *next = &environment->items[environment->count];
    next[0] = (struct pair){ id_name, arena_str(arena, str_from(hex)) };
    next[1] = (struct pair){ rank_name, arena_printf(arena, "%lld", (long long)gang->rank) };
    next[2] = (struct pair){ size_name, arena_printf(arena, "%lld", (long long)gang->size) };
    environment->count += GANG_VARIABLE_COUNT;
}
