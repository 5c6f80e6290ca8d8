/* services.h: the questions about one service that `berth services` and `berth deploy` ask. Private to cli/commands. */
#ifndef BERTH_CLI_COMMANDS_SERVICES_H
#define BERTH_CLI_COMMANDS_SERVICES_H

#include "cli/words.h"

/* The service with this name or ARN, as DescribeServices shows it. `cluster` NULL: the default one. False: *err, ERR_SERVICE_NOT_FOUND if there is none. */
bool cli_find_service(const struct remote *remote, const char *cluster, const char *name, const struct json **service, struct arena *arena, struct err *err);

/* The service deployment with this ARN. False: *err, ERR_SERVICE_DEPLOYMENT_NOT_FOUND if there is none. */
bool cli_find_deployment(const struct remote *remote, struct str arn, const struct json **deployment, struct arena *arena, struct err *err);

/* Prints "2026-11-21 11:29:57  " and the message, without the line's end. At most `width` bytes of the message. */
void cli_print_event(const struct json *event, size_t width);

#endif
