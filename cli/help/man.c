/* man.c: the manual pages, in the macros of man(7). */
#include "cli/help/help.h"

/* Appends plain text, so that roff prints each character as it is. */
static void put_text(struct buf *out, struct str text)
{
    static const struct { char letter; struct str roff; } special[] = {
        { '\\', STR_INIT("\\e") }, { '-', STR_INIT("\\-") }, { '`', STR_INIT("\\(ga") }, { '\'', STR_INIT("\\(aq") }, { '~', STR_INIT("\\(ti") },
        { '^', STR_INIT("\\(ha") },
    };
    if (str_starts_with(text, STR("."))) { buf_put(out, STR("\\&")); }
    for (size_t c = 0; c < text.len; c++) {
        struct str one = str_slice(text, c, c + 1);
        for (size_t s = 0; s < sizeof special / sizeof special[0]; s++) {
            if (text.ptr[c] == special[s].letter) { one = special[s].roff; }
        }
        buf_put(out, one);
    }
}

/* Appends each line of `text` as a line, after a line `macro`, which separates it from the one before. */
static void put_lines(struct buf *out, struct str text, const char *macro)
{
    struct str line, rest;
    for (bool first = true; text.len > 0; first = false, text = rest) {
        str_cut(text, '\n', &line, &rest);
        if (!first) { buf_printf(out, "%s\n", macro); }
        put_text(out, line);
        buf_put_char(out, '\n');
    }
}

static void put_head(struct buf *out, const char *name, const char *summary)
{
    buf_printf(out, ".TH %s 1 \"\" \"Berth %s\" \"Berth\"\n.nh\n.ad l\n.SH NAME\n", name, BERTH_VERSION);
    put_text(out, str_from(name));
    buf_put(out, STR(" \\- "));
    put_text(out, str_from(summary));
    buf_put(out, STR("\n.SH SYNOPSIS\n"));
}

static void put_setting(struct buf *out, const struct setting_row *row)
{
    struct buf text = buf_in(out->arena);
    buf_put(out, STR(".TP\n\\fB\\-\\-"));
    put_text(out, str_from(row->name));
    buf_put(out, STR("\\fR"));
    if (row->metavar != NULL) {
        buf_put(out, STR(" \\fI"));
        put_text(out, str_from(row->metavar));
        buf_put(out, STR("\\fR"));
    }
    buf_put_char(out, '\n');
    help_setting_text(row, &text);
    put_lines(out, buf_str(&text), ".br");
}

static void put_group(struct buf *out, enum setting_group group, enum command command)
{
    bool titled = false;
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
        if (config_rows[s].group != group || !config_row_is_for(s, command)) { continue; }
        if (!titled) { buf_printf(out, ".SS \"%s\"\n", help_group_title(group)); }
        titled = true;
        put_setting(out, &config_rows[s]);
    }
}

void man_command(enum command command, struct buf *out)
{
    ASSERT(command < COMMAND_COUNT && cli_commands[command].summary != NULL);
    const struct command_row *row = &cli_commands[command];
    struct buf name = buf_in(out->arena);
    buf_printf(&name, "berth-%s%c", row->name, '\0');
    put_head(out, name.ptr, row->summary);
    put_lines(out, str_from(row->usage), ".br");
    if (row->text[0] != '\0') {
        buf_put(out, STR(".SH DESCRIPTION\n"));
        put_lines(out, str_from(row->text), ".PP");
    }
    buf_put(out, STR(".SH SETTINGS\n"));
    for (enum setting_group group = 0; group < GROUP_COUNT; group++) { put_group(out, group, command); }
    buf_put(out, STR(".SH ENVIRONMENT\nEach setting can also be set as BERTH_NAME in the environment: in capital letters, with _ for \\-.\n"
                     ".SH SEE ALSO\n.BR berth (1)\n"));
}

void man_overview(struct buf *out)
{
    put_head(out, "berth", "a control plane for your own GPU machines that speaks the Amazon ECS API");
    put_text(out, STR("berth COMMAND [settings]\n"));
    buf_put(out, STR(".br\nberth help \\-\\-write DIR\n.SH COMMANDS\n"));
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        buf_printf(out, ".TP\n.BR berth\\-%s (1)\n", cli_commands[c].name);
        put_lines(out, str_from(cli_commands[c].summary), ".br");
    }
    buf_put(out, STR(".TP\n.B berth help \\-\\-write DIR\n"));
    put_text(out, STR("Writes these pages, and completion for bash, zsh and fish, below DIR. For one user: berth help --write ~/.local/share\n"));
    buf_put(out, STR(".SH SETTINGS\n"));
    put_text(out, STR("A setting has one name everywhere: --some-name on the command line, BERTH_SOME_NAME in the environment, and a line some-name = value "
                      "in the file named by --config. The command line comes first, then the environment, then the file. berth agent also reads "
                      "the settings of the ECS agent, and they come last. An unknown name is an error.\n"));
    buf_put(out, STR(".SH EXIT STATUS\n0: success. 1: the command failed. 2: its settings are wrong. Other values are on the page of the command.\n"));
}
