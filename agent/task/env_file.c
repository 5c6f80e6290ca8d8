#include "agent/task/env_file.h"

static void set(struct pair_list *list, struct str name, struct str value)
{
    for (size_t p = 0; p < list->count; p++) {
        if (!str_eq(list->items[p].key, name)) { continue; }
        list->items[p].value = value;
        return;
    }
    list->items[list->count++] = (struct pair){ name, value };
}

bool env_file_parse(struct str text, struct pair_list *out, struct arena *arena, struct err *err)
{
    if (text.len > ENV_FILE_MAX) { return err_set(err, ERR_INVALID_PARAMETER, "it has more than %d bytes", ENV_FILE_MAX); }
    *out = (struct pair_list){ ARENA_NEW(arena, struct pair, ENV_NAMES_MAX + 1), 0 };
    struct str line, rest = text, name, value;
    for (size_t number = 1; rest.len > 0; number++) {
        (void)str_cut(rest, '\n', &line, &rest);
        if (line.len > ENV_LINE_MAX) { return err_set(err, ERR_INVALID_PARAMETER, "line %zu has more than %d bytes", number, ENV_LINE_MAX); }
        if (str_find(line, '\0') < line.len) { return err_set(err, ERR_INVALID_PARAMETER, "line %zu holds a NUL", number); }
        if (str_ends_with(line, STR("\r"))) { line.len--; }
        if (str_starts_with(line, STR("#")) || !str_cut(line, '=', &name, &value) || name.len == 0 || value.len == 0) { continue; }
        set(out, name, value);
        if (out->count > ENV_NAMES_MAX) { return err_set(err, ERR_INVALID_PARAMETER, "it has more than %d variables", ENV_NAMES_MAX); }
    }
    return true;
}
