/* waiting.h: what a command shows while it waits for a server's task or deployment: one line about the present state. On a terminal it is redrawn; elsewhere a
 * line is printed when it is another one. Private to cli/. */
#ifndef BERTH_CLI_WAITING_H
#define BERTH_CLI_WAITING_H

#include "base/err.h"
#include "base/str.h"

enum { WAITING_LINE_SIZE = 200, WAITING_LOOK_MS = 1000 };
struct waiting_line { bool on_terminal; char said[WAITING_LINE_SIZE]; };

void waiting_begin(struct waiting_line *line);
/* The line about the present state, behind `before`, such as a time; the same text as last: nothing. A terminal cuts a long line. */
void waiting_say(struct waiting_line *line, struct str before, struct str text);
/* The line stays on the terminal, and the next one comes below it. */
void waiting_keep(struct waiting_line *line);
/* Something else is printed next, with its line's end: on a terminal the line is drawn again below it. */
void waiting_above(struct waiting_line *line);
void waiting_end(struct waiting_line *line);

/* SIGINT and SIGTERM end the command at once with these words, also while the server does not answer. Printed as printf does, cut at 500 bytes. */
void waiting_farewell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A server that does not answer, is busy or starts again is asked again. */
bool waiting_may_pass(const struct err *err);

#endif
