/* service.h: CloudWatch Logs as a row of the table of services (server/front/services.c). */
#ifndef BERTH_SERVER_LOGS_SERVICE_H
#define BERTH_SERVER_LOGS_SERVICE_H

#include "api/core/api.h"

extern const struct api_service logs_service;

#endif
