/* rest.h: requests of REST services of AWS (API_REST): a path names the operation, and its parts and the query are members of the input, beside those of
 * the body. The signature's scope names the service, as paths alone do not. */
#ifndef BERTH_SERVER_FRONT_REST_H
#define BERTH_SERVER_FRONT_REST_H

#include "api/core/api.h"
#include "server/net/http.h"

const struct api_service *rest_service_of(const struct http_request *request);      /* NULL: the request is signed for no such service */
/* The operation's name, and the input as one JSON object, in the request's arena. A path that the service does not have is shown as it is. */
void rest_read(const struct http_request *request, const struct api_service *service, struct str *operation, struct str *body);

#endif
