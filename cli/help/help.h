/* help.h: --help, the manual pages and the completion of shells. All of them are made from two tables:
 * the commands (below) and their settings (settings/config.h). */
#ifndef BERTH_CLI_HELP_HELP_H
#define BERTH_CLI_HELP_HELP_H

#include "base/buf.h"
#include "cli/settings/config.h"

enum { HELP_COLUMNS = 100 };                             /* no line of --help is longer */

/* One command. In `usage` and `text` a line break ends a line or a paragraph. `words` may follow the command, for completion. */
struct command_row {
    const char *name, *usage, *summary, *text, *words;
    int (*run)(const struct config *config, struct arena *arena, struct err *err);
    size_t arguments_max;
};
extern const struct command_row cli_commands[COMMAND_COUNT];    /* cli/commands.c */

/* help.c. Each of these functions appends to `out`. */
void help_overview(struct buf *out);                            /* berth --help */
void help_command(enum command command, bool all, struct buf *out);     /* berth COMMAND --help; all: --help-all */
const char *help_group_title(enum setting_group group);
void help_setting_text(const struct setting_row *row, struct buf *out); /* with its default */

/* man.c */
void man_overview(struct buf *out);                             /* berth(1), in man(7) macros */
void man_command(enum command command, struct buf *out);        /* berth-COMMAND(1) */

/* completion.c */
void completion_bash(struct buf *out);
void completion_zsh(struct buf *out);
void completion_fish(struct buf *out);

/* write.c: all pages and completions, at their places below `share`, as in /usr/local/share. Makes the folders. False and *err: a file can't be
 * written. */
MUST_USE bool help_write(const char *share, struct arena *arena, struct err *err);

#endif
