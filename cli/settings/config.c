#include "cli/settings/config.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/text/duration.h"
#include "cli/settings/config_internal.h"

#define FOR(name) (1u << COMMAND_##name)
#define FOR_ALL   ((1u << COMMAND_COUNT) - 1u)
#define FOR_ASKING (FOR(LOGS) | FOR(EXEC) | FOR(HISTORY) | FOR(WHATIF) | FOR(WHY) | FOR(HEADROOM) | FOR(QUEUE) | FOR(IDLE) | FOR(USAGE) \
                    | FOR(SERVICES) | FOR(DEPLOY) | FOR(WATCH) | FOR(GPU) | FOR(CAPACITY) | FOR(TOP) | FOR(FEED) | FOR(INGRESS) | FOR(KEYS) | FOR(HA))
#define X(id, name, metavar, fallback, kind, commands, group, use, help) { name, metavar, fallback, help, kind, commands, group, use },
const struct setting_row config_rows[SETTING_COUNT] = { SETTING_TABLE(X) };
#undef X

/* Variables that begin with BERTH_ and are not settings: a task gets them about itself. */
static const struct str told_to_tasks[] = {
    STR_INIT("BERTH_TASK_ARN"), STR_INIT("BERTH_TASK_ID"), STR_INIT("BERTH_GPU_SHARE"), STR_INIT("BERTH_GPU_MEMORY_MIB"),
    STR_INIT("BERTH_GANG_ID"), STR_INIT("BERTH_GANG_RANK"), STR_INIT("BERTH_GANG_SIZE"),
};

bool config_row_is_for(enum setting setting, enum command command)
{
    return (config_rows[setting].commands & (1u << command)) != 0;
}

static bool find_setting(struct str name, enum command command, enum setting *found)
{
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
        if (config_row_is_for(s, command) && str_eq(name, str_from(config_rows[s].name))) {
            *found = s;
            return true;
        }
    }
    return false;
}

/* " Did you mean --listen?", or nothing. The text lives in `arena`. */
static const char *hint(struct str name, unsigned commands, const char *prefix, struct arena *arena)
{
    const char *nearest = config_nearest(name, commands);
    return nearest == NULL ? "" : arena_printf(arena, " Did you mean %s%s?", prefix, nearest).ptr;
}

bool config_set(struct config *config, enum setting setting, struct str value, const char *where, struct arena *arena,
                struct err *err)
{
    if (config->values[setting] != NULL) {
        return true;                                     /* a stronger source has set it */
    }
    if (str_find(value, '\0') < value.len) {
        return err_set(err, ERR_INVALID_PARAMETER, "%s: the value of %s has a zero byte.", where, config_rows[setting].name);
    }
    const char *text = arena_cstr(arena, value);
    if (!config_check(config_rows[setting].kind, value)) {
        return err_set(err, ERR_INVALID_PARAMETER, "%s: %s can't be \"%s\": it should be %s.", where, config_rows[setting].name, text,
                       config_wanted(config_rows[setting].kind));
    }
    config->values[setting] = text;
    return true;
}

/* "--name value", "--name=value", "--flag". *used: the number of words read. */
static bool read_flag(struct config *config, const struct config_sources *sources, int at, int *used, struct arena *arena,
                      struct err *err)
{
    struct str word = str_from(sources->argv[at]), name, value;
    bool joined = str_cut(str_slice(word, 2, word.len), '=', &name, &value);
    enum setting setting;
    if (!find_setting(name, config->command, &setting)) {
        return err_set(err, ERR_INVALID_PARAMETER, "there is no setting --" STR_FMT " here; see --help.%s", STR_ARG(name),
                       hint(name, 1u << config->command, "--", arena));
    }
    *used = 1;
    if (config_rows[setting].kind == KIND_FLAG) {
        if (joined) {
            return err_set(err, ERR_INVALID_PARAMETER, "--" STR_FMT " takes no value.", STR_ARG(name));
        }
        value = STR("true");
    } else if (!joined) {
        if (at + 1 >= sources->argc) {
            return err_set(err, ERR_INVALID_PARAMETER, "--" STR_FMT " needs a value: %s.", STR_ARG(name), config_rows[setting].metavar);
        }
        value = str_from(sources->argv[at + 1]);
        *used = 2;
    }
    if (config->values[setting] != NULL && config_rows[setting].kind == KIND_LIST) {
        value = arena_printf(arena, "%s," STR_FMT, config->values[setting], STR_ARG(value));       /* given again: more items */
        config->values[setting] = NULL;
    }
    if (config->values[setting] != NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "--" STR_FMT " is given twice.", STR_ARG(name));
    }
    return config_set(config, setting, value, "command line", arena, err);
}

static bool read_arguments(struct config *config, const struct config_sources *sources, struct arena *arena, struct err *err)
{
    for (int at = 0, used = 1; at < sources->argc; at += used) {
        struct str word = str_from(sources->argv[at]);
        used = 1;
        if (str_eq(word, STR("--help")) || str_eq(word, STR("-h"))) {
            config->help = HELP_COMMON;
            return true;
        }
        if (str_eq(word, STR("--help-all"))) {
            config->help = HELP_ALL;
            return true;
        }
        if (str_eq(word, STR("--")) && config->command == COMMAND_EXEC) {
            config->rest = sources->argv + at + 1;
            config->rest_count = (size_t)(sources->argc - at - 1);
            return true;
        }
        if (str_starts_with(word, STR("--"))) {
            if (!read_flag(config, sources, at, &used, arena, err)) {
                return false;
            }
        } else if (config->argument_count < CONFIG_ARGUMENTS_MAX) {
            config->arguments[config->argument_count++] = sources->argv[at];
        } else {
            return err_set(err, ERR_INVALID_PARAMETER, "too many words: \"%s\" is not expected.", sources->argv[at]);
        }
    }
    return true;
}

/* BERTH_FAKE_GPUS → fake-gpus */
static struct str name_from_variable(struct str variable, struct arena *arena)
{
    struct str rest = str_slice(variable, strlen("BERTH_"), variable.len);
    char *name = ARENA_NEW(arena, char, rest.len + 1);
    for (size_t c = 0; c < rest.len; c++) {
        bool upper = rest.ptr[c] >= 'A' && rest.ptr[c] <= 'Z';
        name[c] = rest.ptr[c] == '_' ? '-' : upper ? (char)(rest.ptr[c] - 'A' + 'a') : rest.ptr[c];
    }
    return (struct str){ name, rest.len };
}

/* As hint(), the other way: fake-gpus → BERTH_FAKE_GPUS */
static const char *variable_hint(struct str name, struct arena *arena)
{
    struct str nearest = str_from(config_nearest(name, FOR_ALL));
    char *variable = ARENA_NEW(arena, char, nearest.len + 1);
    for (size_t c = 0; c < nearest.len; c++) {
        bool lower = nearest.ptr[c] >= 'a' && nearest.ptr[c] <= 'z';
        variable[c] = nearest.ptr[c] == '-' ? '_' : lower ? (char)(nearest.ptr[c] - 'a' + 'A') : nearest.ptr[c];
    }
    return nearest.len == 0 ? "" : arena_printf(arena, " Did you mean BERTH_" STR_FMT "?", (int)nearest.len, variable).ptr;
}

static bool is_told_to_tasks(struct str variable)
{
    for (size_t t = 0; t < COUNT_OF(told_to_tasks); t++) {
        if (str_eq(variable, told_to_tasks[t])) {
            return true;
        }
    }
    return false;
}

/* A variable of another command is not a mistake: several commands may share an environment. */
static bool known_to_any_command(struct str name)
{
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        enum setting setting;
        if (find_setting(name, c, &setting)) {
            return true;
        }
    }
    return false;
}

static bool read_environment(struct config *config, const struct config_sources *sources, struct arena *arena, struct err *err)
{
    for (char *const *entry = sources->environment; *entry != NULL; entry++) {
        struct str variable, value;
        if (!str_cut(str_from(*entry), '=', &variable, &value) || !str_starts_with(variable, STR("BERTH_"))) {
            continue;
        }
        struct str name = name_from_variable(variable, arena);
        enum setting setting;
        if (find_setting(name, config->command, &setting)) {
            if (!config_set(config, setting, value, arena_cstr(arena, variable), arena, err)) {
                return false;
            }
        } else if (!known_to_any_command(name) && !is_told_to_tasks(variable) && !config_is_kubernetes(variable, value)) {
            return err_set(err, ERR_INVALID_PARAMETER, "there is no setting " STR_FMT " (from the environment); see --help.%s", STR_ARG(variable),
                           variable_hint(name, arena));
        }
    }
    return true;
}

static bool read_file_line(struct config *config, struct str line, const char *where, struct arena *arena, struct err *err)
{
    struct str name, value;
    line = str_trim(line);
    if (line.len == 0 || line.ptr[0] == '#') {
        return true;
    }
    if (!str_cut(line, '=', &name, &value)) {
        return err_set(err, ERR_INVALID_PARAMETER, "%s: \"" STR_FMT "\" should have the form `name = value`.", where, STR_ARG(line));
    }
    name = str_trim(name);
    enum setting setting;
    if (find_setting(name, config->command, &setting)) {
        return config_set(config, setting, str_trim(value), where, arena, err);
    }
    if (known_to_any_command(name)) {
        return true;
    }
    return err_set(err, ERR_INVALID_PARAMETER, "%s: there is no setting " STR_FMT "; see --help.%s", where, STR_ARG(name), hint(name, FOR_ALL, "", arena));
}

static bool read_file(struct config *config, struct arena *arena, struct err *err)
{
    const char *path = config->values[SETTING_CONFIG];
    struct str text;
    if (path == NULL) {
        return true;
    }
    if (!config_load_file(path, arena, &text)) {
        return err_set(err, ERR_INVALID_PARAMETER, "the file %s of --config can't be read.", path);
    }
    for (int number = 1; text.len > 0; number++) {
        struct str line, rest;
        str_cut(text, '\n', &line, &rest);
        const char *where = arena_printf(arena, "%s:%d", path, number).ptr;
        if (!read_file_line(config, line, where, arena, err)) {
            return false;
        }
        text = rest;
    }
    return true;
}

static void fill_defaults(struct config *config)
{
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
        ASSERT(config->values[s] == NULL || config_row_is_for(s, config->command));   /* every source asks for the command's row first */
        if (config->values[s] == NULL && config_row_is_for(s, config->command)) {
            config->values[s] = config_rows[s].fallback;
        }
    }
}

bool config_read(enum command command, const struct config_sources *sources, struct config *config, struct arena *arena, struct err *err)
{
    ASSERT(command < COMMAND_COUNT);                            /* named by us */
    *config = (struct config){ .command = command };
    if (!read_arguments(config, sources, arena, err)) {
        return false;
    }
    if (config->help != HELP_NONE) {
        return true;
    }
    if (!read_environment(config, sources, arena, err) || !read_file(config, arena, err)) {
        return false;
    }
    if (command == COMMAND_AGENT && !config_read_ecs(config, sources, arena, err)) {
        return false;
    }
    fill_defaults(config);
    return true;
}

const char *config_text(const struct config *config, enum setting setting)
{
    ASSERT(config_row_is_for(setting, config->command));               /* asked for by us */
    return config->values[setting];
}

bool config_flag(const struct config *config, enum setting setting)
{
    ASSERT(config_rows[setting].kind == KIND_FLAG);             /* asked for by us */
    return config_text(config, setting) != NULL && strcmp(config_text(config, setting), "false") != 0;
}

int64_t config_number(const struct config *config, enum setting setting)
{
    int64_t number = 0;
    bool good = str_to_i64(str_from(config_text(config, setting)), &number);
    ASSERT(config_rows[setting].kind == KIND_NUMBER && good);   /* checked when it was read */
    return number;
}

int64_t config_duration_ms(const struct config *config, enum setting setting)
{
    int64_t ms = 0;
    bool good = duration_parse(str_from(config_text(config, setting)), &ms);
    ASSERT(config_rows[setting].kind == KIND_DURATION && good); /* checked when it was read */
    return ms;
}
