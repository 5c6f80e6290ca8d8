/* answers.h: the shapes of answers: ECS's errors, the query protocol's XML, and those of Berth's own paths. */
#ifndef BERTH_SERVER_FRONT_ANSWERS_H
#define BERTH_SERVER_FRONT_ANSWERS_H

#include "server/front/front.h"

/* 'self' alone: the page loads nothing from elsewhere, runs nothing inline and can't be framed. */
#define SAFE_HEADERS "Content-Security-Policy: default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n" \
    "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
extern const struct str live_headers;                                          /* of answers that a browser must not keep */

void answer_error(struct http_answer *answer, const struct err *err);          /* JSON 1.1, as ECS words it */
/* As that service words it, in its protocol. */
void answer_service_error(struct http_answer *answer, const struct http_request *request, const struct api_service *service, const struct err *err);
void answer_wait(struct http_answer *answer, const struct err *err);           /* adds Retry-After, where *err has one */
void answer_print_error(struct json_out *json, const struct api_service *service, const struct err *err);    /* the body of such an answer */
void answer_text(struct http_answer *answer, int status, struct str type, struct str text);

/* The query protocol's: XML, in the name space of the service, or without one when `space` is empty. */
void answer_query_error(struct http_answer *answer, const struct http_request *request, struct str space, struct str code, int status, struct str message);
void answer_ec2_error(struct http_answer *answer, const struct http_request *request, struct str code, int status, struct str message);
void answer_query(struct http_answer *answer, const struct http_request *request, const struct api_service *service, const struct api_call *call);

/* For Berth's own paths; all three are counted. answer_json: the body is JSON that is printed already. A refusal's status is 404 for
 * ERR_RESOURCE_NOT_FOUND. Unreadable: the store can't be read. */
void answer_json(const struct front *front, struct http_answer *answer);
void answer_refusal(const struct front *front, struct http_answer *answer, const struct err *err);
void answer_unreadable(const struct front *front, struct http_answer *answer);

bool       query_is_form(const struct http_request *request);      /* its body is a form, by its Content-Type */
struct str query_parameter(const struct http_request *request, struct str name);                  /* absent also when it has no value */
/* A time before now such as 24h, or milliseconds since 1970; *ms stays where the request does not have it. */
bool       query_moment(const struct http_request *request, struct str name, int64_t *ms, struct err *err);

#endif
