/* completion.c: completion of commands, settings and their values, for bash, zsh and fish. */
#include "cli/help/help.h"

#define FIRST_LINE "completion for berth, written by `berth help --write`\n"

enum value { VALUE_NONE, VALUE_FREE, VALUE_FILE, VALUE_FOLDER, VALUE_WORDS };

static bool is_plain_word(struct str word)
{
    for (size_t c = 0; c < word.len; c++) {
        if (word.ptr[c] != '-' && (word.ptr[c] < 'a' || word.ptr[c] > 'z')) { return false; }
    }
    return word.len > 0;
}

/* The values of a setting, by its metavar: "auto|on|HOST:PORT" has the words auto and on, which are appended to `words` with a blank between. */
static enum value value_of(const struct setting_row *row, struct buf *words)
{
    if (row->metavar == NULL) { return VALUE_NONE; }
    struct str metavar = str_from(row->metavar), word, rest;
    if (str_eq(metavar, STR("FILE")) || str_eq(metavar, STR("PATH"))) { return VALUE_FILE; }
    if (str_eq(metavar, STR("DIR"))) { return VALUE_FOLDER; }
    for (; metavar.len > 0; metavar = rest) {
        str_cut(metavar, '|', &word, &rest);
        if (is_plain_word(word)) { buf_printf(words, "%s" STR_FMT, words->len == 0 ? "" : " ", STR_ARG(word)); }
    }
    return words->len == 0 ? VALUE_FREE : VALUE_WORDS;
}

/* Appends `text` for the inside of single quotes: `quote` replaces a quote, and a backslash is put before each character of `escaped`. */
static void put_quoted(struct buf *out, const char *text, const char *quote, const char *escaped)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            buf_put(out, str_from(quote));
            continue;
        }
        if (strchr(escaped, *text) != NULL) { buf_put_char(out, '\\'); }
        buf_put_char(out, *text);
    }
}

/* ---- bash ---- */

/* Is this the first row of its name? Some names have a row for each command. */
static bool is_first_of_name(enum setting setting)
{
    ASSERT(setting < SETTING_COUNT);
    for (enum setting s = 0; s < setting; s++) {
        if (str_eq(str_from(config_rows[s].name), str_from(config_rows[setting].name))) { return false; }
    }
    return true;
}

/* Appends a row of a case for all settings with such a value. */
static void bash_values(enum value wanted, const char *action, struct buf *out)
{
    const char *lead = "    ";
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
        struct buf words = buf_in(out->arena);
        if (value_of(&config_rows[s], &words) != wanted || !is_first_of_name(s)) { continue; }
        buf_printf(out, "%s--%s", lead, config_rows[s].name);
        lead = " | ";
    }
    buf_printf(out, ") %s ;;\n", action);
}

static void bash_words(struct buf *out)
{
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
        struct buf words = buf_in(out->arena);
        if (value_of(&config_rows[s], &words) != VALUE_WORDS || !is_first_of_name(s)) { continue; }
        buf_printf(out, "    --%s) words='" STR_FMT "' ;;\n", config_rows[s].name, STR_ARG(buf_str(&words)));
    }
}

void completion_bash(struct buf *out)
{
    buf_put(out, STR("# " FIRST_LINE
        "_berth_files()\n{\n    compopt -o filenames 2>/dev/null\n    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$current\")\n}\n\n"
        "_berth()\n{\n    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=''\n    COMPREPLY=()\n"
        "    [ \"$current\" != = ] || current=''\n    [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
        "    case $before in\n"));
    bash_values(VALUE_FREE, "return", out);
    bash_values(VALUE_FILE, "_berth_files -f; return", out);
    bash_values(VALUE_FOLDER, "_berth_files -d; return", out);
    bash_words(out);
    buf_put(out, STR("    *)\n        case ${COMP_WORDS[1]} in\n"));
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        buf_printf(out, "        %s) words='%s", cli_commands[c].name, cli_commands[c].words);
        for (enum setting s = 0; s < SETTING_COUNT; s++) {
            if (config_row_is_for(s, c)) { buf_printf(out, " --%s", config_rows[s].name); }
        }
        buf_put(out, STR(" --help --help-all' ;;\n"));
    }
    buf_put(out, STR("        esac\n        ;;\n    esac\n    [ \"$COMP_CWORD\" -gt 1 ] || words='"));
    for (enum command c = 0; c < COMMAND_COUNT; c++) { buf_printf(out, "%s ", cli_commands[c].name); }
    buf_put(out, STR("help'\n    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n}\n\ncomplete -F _berth berth\n"));
}

/* ---- zsh ---- */

static void zsh_setting(const struct setting_row *row, struct buf *out)
{
    struct buf words = buf_in(out->arena);
    enum value value = value_of(row, &words);
    buf_printf(out, "      '--%s%s[", row->name, value == VALUE_NONE ? "" : "=");
    put_quoted(out, row->help, "'\\''", "[]:\\");
    buf_put_char(out, ']');
    if (value != VALUE_NONE) {
        buf_put_char(out, ':');
        put_quoted(out, row->metavar, "'\\''", "[]:\\");
        buf_put(out, value == VALUE_FILE ? STR(":_files") : value == VALUE_FOLDER ? STR(":_files -/") : value == VALUE_FREE ? STR(": ") : STR(":("));
        if (value == VALUE_WORDS) { buf_printf(out, STR_FMT ")", STR_ARG(buf_str(&words))); }
    }
    buf_put(out, STR("' \\\n"));
}

void completion_zsh(struct buf *out)
{
    buf_put(out, STR("#compdef berth\n# " FIRST_LINE "_berth()\n{\n  local -a commands\n  commands=(\n"));
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        buf_printf(out, "    '%s:", cli_commands[c].name);
        put_quoted(out, cli_commands[c].summary, "'\\''", "");
        buf_put(out, STR("'\n"));
    }
    buf_put(out, STR("    'help:list the commands'\n  )\n  if (( CURRENT == 2 )); then\n    _describe -t commands command commands\n    return\n  fi\n"
                     "  shift words\n  (( CURRENT-- ))\n  case $words[1] in\n"));
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        buf_printf(out, "  %s)\n    _arguments \\\n", cli_commands[c].name);
        for (enum setting s = 0; s < SETTING_COUNT; s++) {
            if (config_row_is_for(s, c)) { zsh_setting(&config_rows[s], out); }
        }
        buf_put(out, STR("      '--help[show the common settings]' \\\n      '--help-all[show all settings]' \\\n"));
        buf_printf(out, "      '*:word:(%s)'\n    ;;\n", cli_commands[c].words);
    }
    buf_put(out, STR("  esac\n}\n\n_berth \"$@\"\n"));
}

/* ---- fish ---- */

static void fish_setting(const struct command_row *command, const struct setting_row *row, struct buf *out)
{
    struct buf words = buf_in(out->arena);
    enum value value = value_of(row, &words);
    buf_printf(out, "complete -c berth -n '__fish_seen_subcommand_from %s' -l %s", command->name, row->name);
    buf_put(out, value == VALUE_NONE ? STR("") : value == VALUE_FILE ? STR(" -r -F") : STR(" -x"));
    if (value == VALUE_FOLDER) { buf_put(out, STR(" -a '(__fish_complete_directories)'")); }
    if (value == VALUE_WORDS) { buf_printf(out, " -a '" STR_FMT "'", STR_ARG(buf_str(&words))); }
    buf_put(out, STR(" -d '"));
    put_quoted(out, row->help, "\\'", "\\");
    buf_put(out, STR("'\n"));
}

void completion_fish(struct buf *out)
{
    buf_put(out, STR("# " FIRST_LINE "complete -c berth -f\ncomplete -c berth -n __fish_use_subcommand -a help -d 'list the commands'\n"));
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        const struct command_row *row = &cli_commands[c];
        buf_printf(out, "complete -c berth -n __fish_use_subcommand -a %s -d '", row->name);
        put_quoted(out, row->summary, "\\'", "\\");
        buf_put(out, STR("'\n"));
        if (row->words[0] != '\0') { buf_printf(out, "complete -c berth -n '__fish_seen_subcommand_from %s' -a '%s'\n", row->name, row->words); }
        for (enum setting s = 0; s < SETTING_COUNT; s++) {
            if (config_row_is_for(s, c)) { fish_setting(row, &config_rows[s], out); }
        }
        buf_printf(out, "complete -c berth -n '__fish_seen_subcommand_from %s' -l help -d 'show the common settings'\n", row->name);
        buf_printf(out, "complete -c berth -n '__fish_seen_subcommand_from %s' -l help-all -d 'show all settings'\n", row->name);
    }
}
