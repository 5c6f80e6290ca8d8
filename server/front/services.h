/* services.h: the table of AWS's services on the API's port: each row names its operations, its protocol and its errors (api/core/api.h). */
#ifndef BERTH_SERVER_FRONT_SERVICES_H
#define BERTH_SERVER_FRONT_SERVICES_H

#include "api/core/api.h"

extern const struct api_service *const services_table[];                       /* ECS first; ends with NULL */
/* By X-Amz-Target. NULL: unknown; otherwise *operation is the rest. */
const struct api_service *services_of_target(struct str target, struct str *operation);
/* By the Version of a form; else by the scope of its signature, if that is a service of the query protocol; else the first one. */
const struct api_service *services_of_form(struct str version, struct str scope);

#endif
