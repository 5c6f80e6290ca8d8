/* http_client.h: one server over loopback and a client with plain sockets, for test_http.c. */
#ifndef BERTH_TESTS_HTTP_CLIENT_H
#define BERTH_TESTS_HTTP_CLIENT_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "server/server.h"
#include "tests/unit/server/server_fixture.h"

enum { REPLY_MAX = 1 << 20, REQUEST_MAX = 8192, THREADS = 16 };

static char dir[FIXTURE_PATH_MAX];
static struct server *server;
static struct arena arena;

static int dial(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)server_port(server)) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval patience = { .tv_sec = 120 };
    ASSERT(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
    ASSERT(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    return fd;
}

static bool send_all(int fd, struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t sent = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
        if (sent <= 0) { return false; }
        bytes = str_slice(bytes, (size_t)sent, bytes.len);
    }
    return true;
}

struct reply { int status; struct str head, body; bool closed; };

static struct str header_of(const struct reply *reply, const char *name)
{
    struct str line, rest = reply->head, key, value;
    while (str_cut(rest, '\n', &line, &rest) || line.len > 0) {
        if (str_cut(line, ':', &key, &value) && str_eq_nocase(key, str_from(name))) { return str_trim(value); }
        if (rest.len == 0) { break; }
    }
    return (struct str){ NULL, 0 };
}

/* Reads one reply; what came behind it stays in `buf` for the next. */
static struct reply read_reply(int fd, struct buf *buf, bool without_body)
{
    struct reply reply = { 0 };
    for (;;) {
        struct str got = buf_str(buf);
        const char *end = memmem(got.ptr, got.len, "\r\n\r\n", 4);
        if (end != NULL) {
            size_t head = (size_t)(end - got.ptr) + 4;
            int64_t length = 0, status = 0;
            reply.head = str_slice(got, 0, head);
            (void)str_to_i64(header_of(&reply, "Content-Length"), &length);
            (void)str_to_i64(str_slice(got, 9, 12), &status);
            size_t total = head + (without_body ? 0 : (size_t)length);
            if (got.len >= total) {
                reply.head = arena_str(&arena, reply.head);
                reply.body = arena_str(&arena, str_slice(got, head, total));
                reply.status = (int)status;
                memmove(buf->ptr, buf->ptr + total, buf->len - total);
                buf->len -= total;
                return reply;
            }
        }
        ssize_t more = recv(fd, buf_room(buf, 65536), 65536, 0);
        if (more <= 0) {
            reply.closed = true;
            return reply;
        }
        buf->len += (size_t)more;
    }
}

static struct reply exchange(struct str request)
{
    int fd = dial();
    struct buf buf = buf_in(&arena);
    (void)send_all(fd, request);
    struct reply reply = read_reply(fd, &buf, str_starts_with(request, STR("HEAD")));
    close(fd);
    return reply;
}

static struct str format_request(const char *method, const char *path, const char *headers, struct str body)
{
    struct buf out = buf_in(&arena);
    buf_printf(&out, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s", method, path, server_port(server), headers);
    if (body.len > 0) { buf_printf(&out, "Content-Length: %zu\r\n", body.len); }
    buf_put(&out, STR("\r\n"));
    buf_put(&out, body);
    return buf_str(&out);
}

static struct reply ask(const char *method, const char *path, const char *headers, const char *body)
{
    return exchange(format_request(method, path, headers, str_from(body)));
}

/* A signed request; `operation` NULL: a path of Berth's own. */
static struct str signed_request(const char *key, const char *path, const char *operation, struct str body)
{
    char time[SIGV4_TIME_LEN + 1];
    sigv4_format_time(clock_now_ms(), time);
    struct str host = arena_printf(&arena, "127.0.0.1:%d", server_port(server));
    struct str target = arena_printf(&arena, "AmazonEC2ContainerServiceV20141113.%s", operation == NULL ? "" : operation);
    const struct sigv4_header headers[] = {
        { STR("host"), host }, { STR("x-amz-date"), str_from(time) }, { STR("x-amz-target"), target },
    };
    const struct sigv4_request request = {
        .method = STR("POST"), .path = str_from(path), .query = STR(""), .body = body, .headers = headers,
        .header_count = operation == NULL ? 2 : 3,
    };
    struct str authorization = sigv4_sign(&request, str_from(key), STR(KEY_SECRET), STR("us-east-1"), STR("ecs"), str_from(time), &arena);
    struct str lines = arena_printf(&arena, "X-Amz-Date: %s\r\nAuthorization: " STR_FMT "\r\nContent-Type: application/x-amz-json-1.1\r\n%s"
                                    STR_FMT "%s", time, STR_ARG(authorization), operation == NULL ? "" : "X-Amz-Target: ",
                                    STR_ARG(operation == NULL ? STR("") : target), operation == NULL ? "" : "\r\n");
    return format_request("POST", path, lines.ptr, body);
}

static struct reply call(const char *operation, const char *body)
{
    return exchange(signed_request(ADMIN_ID, "/", operation, str_from(body)));
}

static struct str type_of(const struct reply *reply)
{
    struct err err = { 0 };
    return json_get_str(json_parse(reply->body, &arena, &err), STR("__type"));
}

#endif
