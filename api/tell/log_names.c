/* log_names.c: names of groups and streams, and who else may have the output. */
#include "api/tell/log_names.h"

#include "wire/agent_protocol.h"
#include "api/definitions/rules.h"
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

/* ---- what Berth does not have ---- */

bool log_is_sent_away(enum log_driver driver)
{
    switch (driver) {
    case LOG_DRIVER_SYSLOG:
    case LOG_DRIVER_JOURNALD:
    case LOG_DRIVER_GELF:
    case LOG_DRIVER_FLUENTD:
    case LOG_DRIVER_SPLUNK:      return true;
    case LOG_DRIVER_UNSET:
    case LOG_DRIVER_JSON_FILE:
    case LOG_DRIVER_AWSLOGS:
    case LOG_DRIVER_AWSFIRELENS:
    case LOG_DRIVER_COUNT:       break;
    }
    return false;
}

/* The setting that Berth lacks to get the output, from its own agent or by Docker's awslogs driver on a machine of the ECS agent. NULL: none. */
static const char *missing_for(const struct instance *instance, const struct container_definition *container, bool has_role)
{
    enum log_driver driver = container_log_driver(container);
    bool offers;
    (void)instance_attribute(instance, STR("ecs.capability.execution-role-awslogs"), &offers);
    if (agent_is_own(instance)) { return log_is_sent_away(driver) ? "its definition needs another log driver: json-file, awslogs or none" : NULL; }
    if (driver != LOG_DRIVER_AWSLOGS) { return "its definition needs the log driver awslogs, and the task an executionRoleArn"; }
    if (!has_role) { return "the task needs an executionRoleArn"; }
    if (!offers) { return "its agent needs \"awslogs\" in ECS_AVAILABLE_LOGGING_DRIVERS, and ECS_ENABLE_AWSLOGS_EXECUTIONROLE_OVERRIDE=true"; }
    return NULL;
}

struct str log_elsewhere(const struct instance *instance, const struct container_definition *container, bool has_role, struct arena *arena)
{
    const char *missing = missing_for(instance, container, has_role);
    struct str endpoint = option_of(container, STR("awslogs-endpoint"));
    struct str driver = enum_word(&log_driver_names, (int)container_log_driver(container));
    if (missing != NULL) {
        struct str where = log_is_sent_away(container_log_driver(container))
            ? arena_printf(arena, "goes where its log driver, " STR_FMT ", sends it", STR_ARG(driver))
            : STR("stays with Docker on its machine, where the ECS agent runs and `docker logs` shows it");
        return arena_printf(arena, "What container " STR_FMT " prints " STR_FMT ". For Berth to have it, %s. See docs/logs.md.", STR_ARG(container->name),
                            STR_ARG(where), missing);
    }
    if (endpoint.len == 0 || agent_is_own(instance)) { return (struct str){ 0 }; }
    return arena_printf(arena, "What container " STR_FMT " prints goes to " STR_FMT ", the awslogs-endpoint of its definition.", STR_ARG(container->name),
                        STR_ARG(endpoint));
}
