#include "cli/waiting.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/words.h"

static char farewell[512];                               /* for the signal handler */

void waiting_begin(struct waiting_line *line) { *line = (struct waiting_line){ .on_terminal = isatty(STDOUT_FILENO) == 1 }; }

void waiting_say(struct waiting_line *line, struct str before, struct str text)
{
    text = str_shorten(text, WAITING_LINE_SIZE - 1);
    if (str_eq(text, str_from(line->said))) { return; }
    memcpy(line->said, text.ptr, text.len);
    line->said[text.len] = '\0';
    fputs(line->on_terminal ? "\r\x1b[K\x1b[?7l" : "", stdout);
    cli_print(before, WAITING_LINE_SIZE, false);
    cli_print(text, WAITING_LINE_SIZE, false);
    fputs(line->on_terminal ? "\x1b[?7h" : "\n", stdout);
    (void)fflush(stdout);
}

void waiting_keep(struct waiting_line *line)
{
    if (line->on_terminal && line->said[0] != '\0') { putchar('\n'); }
    line->said[0] = '\0';
}

void waiting_above(struct waiting_line *line)
{
    if (!line->on_terminal) { return; }
    fputs("\r\x1b[K", stdout);
    line->said[0] = '\0';
}

void waiting_end(struct waiting_line *line)
{
    if (line->on_terminal && line->said[0] != '\0') { putchar('\n'); }
    (void)fflush(stdout);
}

static void on_end(int number)
{
    (void)!write(STDERR_FILENO, farewell, strlen(farewell));
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

void waiting_farewell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(farewell, sizeof farewell, format, arguments);
    va_end(arguments);
    (void)sigaction(SIGINT, &(struct sigaction){ .sa_handler = on_end }, NULL);
    (void)sigaction(SIGTERM, &(struct sigaction){ .sa_handler = on_end }, NULL);
}

bool waiting_may_pass(const struct err *err)
{
    return err->code == ERR_UNAVAILABLE || err->code == ERR_SERVER || err->code == ERR_THROTTLING;
}
