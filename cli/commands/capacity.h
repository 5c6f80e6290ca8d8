/* capacity.h: how `berth why PROVIDER` prints its answer. Private to cli/commands. */
#ifndef BERTH_CLI_COMMANDS_CAPACITY_H
#define BERTH_CLI_COMMANDS_CAPACITY_H

#include "cli/words.h"

void cli_print_why_provider(const struct json *reply);

#endif
