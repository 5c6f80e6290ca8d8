/* board_services.h: a service on the board. Private to api/show/. */
#ifndef BERTH_API_SHOW_BOARD_SERVICES_H
#define BERTH_API_SHOW_BOARD_SERVICES_H

#include "api/core/api.h"

/* Prints the entry of a service; board.c has its shape. Reads into ctx->arena. */
void board_put_service(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service, struct json_out *out);

/* The name of the task's service, which is in its group; absent: it has none. */
struct str board_service_name(const struct task *task);

/* The id of a service on the board: its number. Unlike its ARN, a later service of the same name has another one. */
struct str board_service_id(int64_t number, struct arena *arena);

#endif
