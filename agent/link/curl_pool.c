/* curl_pool.c: libcurl's multi interface over epoll. */
#include "agent/link/curl_pool.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

enum { EVENTS_PER_RUN = 64 };

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *known)
{
    (void)easy;
    struct curl_pool *pool = user;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(pool->epoll, EPOLL_CTL_DEL, fd, NULL);                   /* it may be closed already */
        return 0;
    }
    struct epoll_event event = { .data.fd = fd };
    if (what != CURL_POLL_OUT) { event.events |= EPOLLIN; }
    if (what != CURL_POLL_IN) { event.events |= EPOLLOUT; }
    int result = epoll_ctl(pool->epoll, known == NULL ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
    if (result != 0) { log_line(LOG_ERROR, "agent", "a connection cannot be watched errno=%d", errno); }
    curl_multi_assign(pool->multi, fd, pool);
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *user)
{
    (void)multi;
    struct curl_pool *pool = user;
    pool->due_ms = timeout_ms < 0 ? INT64_MAX : clock_monotonic_ms() + timeout_ms;
    return 0;
}

struct curl_pool *curl_pool_create(int outer_epoll)
{
    struct curl_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) { return NULL; }
    *pool = (struct curl_pool){ .multi = curl_multi_init(), .epoll = epoll_create1(EPOLL_CLOEXEC), .due_ms = INT64_MAX };
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = pool };
    if (pool->multi == NULL || pool->epoll < 0 || epoll_ctl(outer_epoll, EPOLL_CTL_ADD, pool->epoll, &event) != 0) {
        curl_pool_destroy(pool);
        return NULL;
    }
    curl_multi_setopt(pool->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(pool->multi, CURLMOPT_SOCKETDATA, pool);
    curl_multi_setopt(pool->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(pool->multi, CURLMOPT_TIMERDATA, pool);
    return pool;
}

void curl_pool_destroy(struct curl_pool *pool)
{
    if (pool == NULL) { return; }
    if (pool->multi != NULL) { curl_multi_cleanup(pool->multi); }
    if (pool->epoll >= 0) { close(pool->epoll); }
    free(pool);
}

void curl_pool_run(struct curl_pool *pool)
{
    struct epoll_event events[EVENTS_PER_RUN];
    int running, count = epoll_wait(pool->epoll, events, EVENTS_PER_RUN, 0);
    for (int e = 0; e < count; e++) {
        int mask = (events[e].events & EPOLLIN ? CURL_CSELECT_IN : 0) | (events[e].events & EPOLLOUT ? CURL_CSELECT_OUT : 0)
                 | (events[e].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        curl_multi_socket_action(pool->multi, events[e].data.fd, mask, &running);
    }
    if (clock_monotonic_ms() >= pool->due_ms) {
        pool->due_ms = INT64_MAX;
        curl_multi_socket_action(pool->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
}

CURL *curl_pool_ended(struct curl_pool *pool, CURLcode *result)
{
    int left;
    for (CURLMsg *message = curl_multi_info_read(pool->multi, &left); message != NULL; message = curl_multi_info_read(pool->multi, &left)) {
        if (message->msg != CURLMSG_DONE) { continue; }
        *result = message->data.result;                                    /* the message dies with the handle's removal */
        return message->easy_handle;
    }
    return NULL;
}
