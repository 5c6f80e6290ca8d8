/* curl_pool.h: a hundred or so calls that share one of libcurl's multi handles. libcurl looks through all connections of a handle whenever a
 * request begins: with ten thousand connections in one handle, that would be most of the work. For this wing only; the loop's thread. */
#ifndef BERTH_AGENT_LINK_CURL_POOL_H
#define BERTH_AGENT_LINK_CURL_POOL_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct curl_pool {
    CURLM *multi;
    int epoll;                                   /* of its connections; itself watched by the loop's */
    int64_t due_ms;                              /* monotonic: when libcurl must be called; INT64_MAX: never */
    size_t calls;                                /* that belong to it, on their way or not */
};

struct curl_pool *curl_pool_create(int outer_epoll);  /* owned; NULL and errno when there are no descriptors left */
void curl_pool_destroy(struct curl_pool *pool);  /* its calls have been taken off; NULL: nothing */
void curl_pool_run(struct curl_pool *pool);      /* its calls have been removed; NULL: nothing */
CURL *curl_pool_ended(struct curl_pool *pool, CURLcode *result);  /* serves the connections that are ready, without waiting */

#endif
