/* words.h: what commands that ask a server have in common: the question, JSON that is read without fear, and how it is printed.
 * What comes from tasks and agents is printed without control characters. Private to the commands of server/. */
#ifndef BERTH_CLI_WORDS_H
#define BERTH_CLI_WORDS_H

#include "base/json.h"
#include "cli/remote.h"

enum { CLI_TIME_SIZE = 32 };

/* ---- asking ---- */
/* GET, or POST of a body of JSON when there is one. */
bool cli_ask(const struct remote *remote, const char *path, struct str body, const struct json **reply, struct arena *arena, struct err *err);
/* The id in an id or an ARN, as 32 hex digits. */
bool cli_read_task(const char *text, const char **hex, struct arena *arena, struct err *err);

/* ---- reading ---- */
double             cli_number(const struct json *object, const char *name);           /* with or without decimals; 0: none */
const struct json *cli_list(const struct json *object, const char *name);             /* empty when there is none */
struct str         cli_text(const struct json *object, const char *name);             /* "-" when there is none */

/* ---- printing ---- */
void        cli_print(struct str text, size_t width, bool fill);     /* at most so many bytes, and blanks up to there */
void        cli_print_json(const struct json *value, struct arena *arena);
struct str  cli_or_dash(struct str text);
const char *cli_time_text(int64_t ms, bool with_ms, char out[CLI_TIME_SIZE]);         /* UTC; "-" for 0 */

#endif
