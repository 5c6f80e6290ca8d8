/* help.c: --help and --help-all, and the overview of all commands. */
#include "cli/help/help.h"

enum { SETTINGS_FEW = 16, TEXT_COLUMN = 36 };            /* SETTINGS_FEW: a command with at most this many settings shows all of them */

#define X(id, title) title,
static const char *const titles[GROUP_COUNT] = { GROUP_TABLE(X) };
#undef X

const char *help_group_title(enum setting_group group)
{
    ASSERT(group < GROUP_COUNT);
    return titles[group];
}

static void put_blanks(struct buf *out, size_t count)
{
    for (size_t b = 0; b < count; b++) { buf_put_char(out, ' '); }
}

/* The next word of `text`; "(default: x" is one word. */
static struct str cut_word(struct str text, struct str *rest)
{
    struct str word, after, second;
    str_cut(text, ' ', &word, rest);
    if (str_eq(word, STR("(default:"))) {
        str_cut(*rest, ' ', &second, &after);
        word = str_slice(text, 0, word.len + 1 + second.len);
        *rest = after;
    }
    return word;
}

/* Appends `text` word by word. The line has `column` characters already; later lines begin at `indent`. Ends the last line. */
static void put_wrapped(struct buf *out, struct str text, size_t column, size_t indent)
{
    struct str rest;
    for (bool first = true; text.len > 0; first = false, text = rest) {
        struct str word = cut_word(text, &rest);
        if (column + 1 + word.len > HELP_COLUMNS) {
            buf_put_char(out, '\n');
            put_blanks(out, indent);
            column = indent;
        } else if (!first) {
            buf_put_char(out, ' ');
            column++;
        }
        buf_put(out, word);
        column += word.len;
    }
    buf_put_char(out, '\n');
}

static void put_setting(struct buf *out, const struct setting_row *row)
{
    size_t start = out->len;
    buf_printf(out, "  --%s%s%s", row->name, row->metavar == NULL ? "" : " ", row->metavar == NULL ? "" : row->metavar);
    if (out->len - start >= TEXT_COLUMN) {
        buf_put_char(out, '\n');
        start = out->len;
    }
    ASSERT(out->len - start <= TEXT_COLUMN);             /* else the subtraction below would wrap */
    put_blanks(out, TEXT_COLUMN - (out->len - start));
    struct buf text = buf_in(out->arena);
    help_setting_text(row, &text);
    put_wrapped(out, buf_str(&text), TEXT_COLUMN, TEXT_COLUMN);
}

void help_setting_text(const struct setting_row *row, struct buf *out)
{
    buf_put(out, str_from(row->help));
    if (row->fallback != NULL) { buf_printf(out, " (default: %s)", row->fallback); }
}

static size_t count_settings(enum command command)
{
    size_t count = 0;
    for (enum setting s = 0; s < SETTING_COUNT; s++) { count += config_row_is_for(s, command); }
    return count;
}

/* Appends the settings of one group, below its title. Returns the number of the command's settings that it left out. */
static size_t put_group(enum setting_group group, enum command command, bool all, struct buf *out)
{
    size_t shown = 0, hidden = 0;
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
        const struct setting_row *row = &config_rows[s];
        if (row->group != group || !config_row_is_for(s, command)) { continue; }
        if (!all && row->use == RARE) {
            hidden++;
            continue;
        }
        if (shown++ == 0) { buf_printf(out, "%s:\n", titles[group]); }
        put_setting(out, row);
    }
    return hidden;
}

void help_command(enum command command, bool all, struct buf *out)
{
    ASSERT(command < COMMAND_COUNT && cli_commands[command].name != NULL);           /* every command has a row */
    const struct command_row *row = &cli_commands[command];
    struct str line, rest;
    const char *lead = "Usage: ";
    for (struct str usage = str_from(row->usage); usage.len > 0; usage = rest, lead = "       ") {
        str_cut(usage, '\n', &line, &rest);
        buf_printf(out, "%s" STR_FMT "\n", lead, STR_ARG(line));
    }
    if (row->text[0] != '\0') { buf_put_char(out, '\n'); }
    for (struct str text = str_from(row->text); text.len > 0; text = rest) {
        str_cut(text, '\n', &line, &rest);
        put_wrapped(out, line, 0, 0);
    }
    buf_put_char(out, '\n');
    size_t hidden = 0;
    for (enum setting_group group = 0; group < GROUP_COUNT; group++) {
        hidden += put_group(group, command, all || count_settings(command) <= SETTINGS_FEW, out);
    }
    buf_put(out, STR("\nSettings are also read from the environment (BERTH_NAME) and the --config file (`name = value`).\n"));
    if (hidden > 0) { buf_printf(out, "%zu more settings: berth %s --help-all\n", hidden, row->name); }
}

void help_overview(struct buf *out)
{
    buf_put(out, STR("Berth: a control plane for your own GPU machines that speaks the Amazon ECS API.\n\nUsage: berth COMMAND [settings]\n\n"));
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        buf_printf(out, "  %-8s %s\n", cli_commands[c].name, cli_commands[c].summary);
    }
    buf_put(out, STR("\n`berth COMMAND --help` shows the common settings of a command, --help-all shows all.\n"
                     "Each setting --some-name can also be set as BERTH_SOME_NAME in the environment, or as\n"
                     "`some-name = value` in a file named by --config.\n"
                     "`berth help --write DIR` writes manual pages and completion for bash, zsh and fish below DIR.\n"));
}
