/* log_names.c: names of groups and streams. */
#include "api/log_names.h"

#include "api/taskdef_rules.h"
#include "model/taskdef.h"

enum { NAME_MAX_LEN = 512 };

static bool is_group_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || memchr("_-/.#", c, 5) != NULL;
}

static bool is_stream_char(char c) { return c != ':' && c != '*' && (unsigned char)c >= 0x20 && c != 0x7F; }

static bool all_are(struct str text, bool (*fits)(char c))
{
    for (size_t i = 0; i < text.len; i++) {
        if (!fits(text.ptr[i])) { return false; }
    }
    return text.len >= 1 && text.len <= NAME_MAX_LEN;
}

bool log_group_name_is_valid(struct str name) { return all_are(name, is_group_char); }
bool log_stream_name_is_valid(struct str name) { return all_are(name, is_stream_char); }

/* Longer ones are cut so that `room` bytes are left. */
static struct str made_valid(struct str text, bool (*fits)(char c), size_t room, struct arena *arena)
{
    text = str_slice(text, 0, NAME_MAX_LEN - room);
    char *out = arena_copy(arena, text.ptr, text.len);
    for (size_t i = 0; i < text.len; i++) {
        if (!fits(out[i])) { out[i] = '-'; }
    }
    return (struct str){ out, text.len };
}

static struct str option_of(const struct container_definition *container, struct str name)
{
    if (container == NULL || container_log_driver(container) != LOG_DRIVER_AWSLOGS) { return STR(""); }
    const struct pair_list *options = &container->log_configuration->options;
    for (size_t o = 0; o < options->count; o++) {
        if (str_eq(options->items[o].key, name)) { return options->items[o].value; }
    }
    return STR("");
}

struct log_names log_names_of(const struct task_definition *def, struct str container, struct id task, struct arena *arena)
{
    const struct container_definition *definition = taskdef_container(def, container);
    struct str group = option_of(definition, STR("awslogs-group")), prefix = option_of(definition, STR("awslogs-stream-prefix"));
    char hex[ID_HEX_LEN + 1];
    id_hex(task, hex);
    struct str end = arena_printf(arena, STR_FMT "/%s", STR_ARG(container), hex);
    return (struct log_names){
        .group = group.len > 0 ? made_valid(group, is_group_char, 0, arena)
                               : arena_printf(arena, "/berth/" STR_FMT, STR_ARG(def->family)),
        .stream = prefix.len == 0 ? end
            : arena_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(made_valid(prefix, is_stream_char, end.len + 1, arena)), STR_ARG(end)),
    };
}
