/* stub_server.h: a server of a few lines for the agent's tests: plain sockets, one thread per connection, one request per
 * connection, answers by the test's own function. It keeps what it was asked, in order. */
#ifndef BERTH_TESTS_STUB_SERVER_H
#define BERTH_TESTS_STUB_SERVER_H

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

enum { STUB_REQUESTS_MAX = 512, STUB_TEXT_MAX = 64 * 1024 };
enum { LONG_MS = 120 * 1000 };               /* for what must come: waiting long costs nothing when all is well */

struct stub_request { char path[128], operation[64], date[32], authorization[512]; char *body; };
struct stub_answer { int status; char body[STUB_TEXT_MAX]; const char *date; };   /* date: a Date header, NULL: none */

struct stub_server {
    void (*answer)(void *owner, const struct stub_request *request, struct stub_answer *answer);
    void *owner;
    int listener;
    char url[64];
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct stub_request requests[STUB_REQUESTS_MAX];     /* guarded by mutex */
    size_t count, open;                                  /* guarded by mutex */
    bool stopping;                                       /* guarded by mutex */
};

struct stub_connection { struct stub_server *server; int fd; };

static inline void stub_header(const char *head, const char *name, char *out, size_t size)
{
    const char *at = strcasestr(head, name);
    out[0] = '\0';
    if (at == NULL) { return; }
    at += strlen(name);
    size_t len = strcspn(at, "\r");
    if (len < size) {
        memcpy(out, at, len);
        out[len] = '\0';
    }
}

static inline bool stub_read(int fd, struct stub_request *request)
{
    char *text = calloc(1, STUB_TEXT_MAX), length[32] = "", target[128] = "";
    size_t len = 0, wanted = SIZE_MAX;
    while (text != NULL && len < wanted && len < STUB_TEXT_MAX - 1) {
        ssize_t got = read(fd, text + len, STUB_TEXT_MAX - 1 - len);
        if (got <= 0) { break; }
        len += (size_t)got;
        const char *end = strstr(text, "\r\n\r\n");
        if (end == NULL) { continue; }
        stub_header(text, "\r\nContent-Length: ", length, sizeof length);
        wanted = (size_t)(end + 4 - text) + (size_t)strtoul(length, NULL, 10);
    }
    const char *end = text == NULL ? NULL : strstr(text, "\r\n\r\n");
    if (end == NULL) {
        free(text);
        return false;
    }
    sscanf(text, "POST %127s", request->path);
    static const char ecs[] = "AmazonEC2ContainerServiceV20141113.";       /* other services' operations keep their word */
    stub_header(text, "\r\nX-Amz-Target: ", target, sizeof target);
    stub_header(text, "\r\nX-Amz-Date: ", request->date, sizeof request->date);
    stub_header(text, "\r\nAuthorization: ", request->authorization, sizeof request->authorization);
    bool is_ecs = strncmp(target, ecs, sizeof ecs - 1) == 0;
    snprintf(request->operation, sizeof request->operation, "%.63s", target + (is_ecs ? sizeof ecs - 1 : 0));
    request->body = strdup(end + 4);
    free(text);
    return true;
}

static inline bool stub_is_reports(const struct stub_request *request) { return strcmp(request->path, "/berth/v1/agent/reports") == 0; }

/* An ACK for each report of a call. */
static inline void stub_acknowledge(const struct stub_request *request, struct stub_answer *answer)
{
    const char *ack = "{\"acknowledgment\":\"ACK\"}";
    int depth = 0, len = snprintf(answer->body, sizeof answer->body, "{\"answers\":[%s", ack);
    bool quoted = false;
    for (const char *at = request->body; *at != '\0'; at++) {
        if (*at == '"' && (at == request->body || at[-1] != '\\')) { quoted = !quoted; }
        if (quoted) { continue; }
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        if (*at == ',' && depth == 2) { len += snprintf(answer->body + len, sizeof answer->body - (size_t)len, ",%s", ack); }
    }
    snprintf(answer->body + len, sizeof answer->body - (size_t)len, "]}");
}

static inline void *stub_serve(void *arg)
{
    struct stub_connection *connection = arg;
    struct stub_server *server = connection->server;
    struct stub_request request = { .path = "" };
    if (stub_read(connection->fd, &request)) {
        struct stub_answer *answer = calloc(1, sizeof *answer);
        answer->status = 200;
        pthread_mutex_lock(&server->mutex);
        if (server->count < STUB_REQUESTS_MAX) { server->requests[server->count++] = request; }
        pthread_cond_broadcast(&server->changed);
        pthread_mutex_unlock(&server->mutex);
        server->answer(server->owner, &request, answer);
        char head[256];
        int len = snprintf(head, sizeof head, "HTTP/1.1 %d X\r\nContent-Length: %zu\r\nConnection: close\r\n%s%s%s\r\n", answer->status, strlen(answer->body),
                           answer->date == NULL ? "" : "Date: ", answer->date == NULL ? "" : answer->date, answer->date == NULL ? "" : "\r\n");
        if (send(connection->fd, head, (size_t)len, 0) == len) { (void)send(connection->fd, answer->body, strlen(answer->body), 0); }
        free(answer);
    }
    close(connection->fd);
    pthread_mutex_lock(&server->mutex);
    server->open--;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->mutex);
    free(connection);
    return NULL;
}

static inline void *stub_main(void *arg)
{
    struct stub_server *server = arg;
    for (int fd = accept(server->listener, NULL, NULL); fd >= 0; fd = accept(server->listener, NULL, NULL)) {
        struct stub_connection *connection = malloc(sizeof *connection);
        *connection = (struct stub_connection){ server, fd };
        pthread_mutex_lock(&server->mutex);
        server->open++;
        pthread_mutex_unlock(&server->mutex);
        pthread_t thread;
        if (pthread_create(&thread, NULL, stub_serve, connection) == 0) { pthread_detach(thread); }
    }
    return NULL;
}

static inline void stub_start(struct stub_server *server, void (*answer)(void *owner, const struct stub_request *, struct stub_answer *), void *owner)
{
    signal(SIGPIPE, SIG_IGN);                            /* clients leave when they like */
    memset(server, 0, sizeof *server);
    server->answer = answer;
    server->owner = owner;
    pthread_mutex_init(&server->mutex, NULL);
    pthread_cond_init(&server->changed, NULL);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(server->listener, 64) != 0
        || getsockname(server->listener, (struct sockaddr *)&address, &size) != 0) {
        perror("stub");
        exit(2);
    }
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d", ntohs(address.sin_port));
    pthread_create(&server->thread, NULL, stub_main, server);
}

/* The index of the n-th request (from 0) of this kind; SIZE_MAX when it does not come within ten seconds. `path` or
 * `operation` may be NULL; `text` must be in the body. */
static inline size_t stub_wait(struct stub_server *server, const char *path, const char *operation, const char *text, size_t nth)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    size_t found = SIZE_MAX;
    pthread_mutex_lock(&server->mutex);
    for (bool late = false; found == SIZE_MAX && !late;) {
        size_t seen = 0;
        for (size_t r = 0; r < server->count && found == SIZE_MAX; r++) {
            const struct stub_request *request = &server->requests[r];
            bool match = (path == NULL || strcmp(request->path, path) == 0) && (operation == NULL || strcmp(request->operation, operation) == 0)
                      && (text == NULL || strstr(request->body, text) != NULL);
            if (match && seen++ == nth) { found = r; }
        }
        if (found == SIZE_MAX) { late = pthread_cond_timedwait(&server->changed, &server->mutex, &until) != 0; }
    }
    pthread_mutex_unlock(&server->mutex);
    return found;
}

static inline void stub_stop(struct stub_server *server)
{
    pthread_mutex_lock(&server->mutex);
    server->stopping = true;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->mutex);
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->listener);
    pthread_mutex_lock(&server->mutex);
    while (server->open > 0) { pthread_cond_wait(&server->changed, &server->mutex); }
    pthread_mutex_unlock(&server->mutex);
    for (size_t r = 0; r < server->count; r++) { free(server->requests[r].body); }
}

#endif
