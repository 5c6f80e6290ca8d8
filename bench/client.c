#include "bench/client.h"

#include <errno.h>
#include <openssl/ssl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/sigv4.h"

enum { FILES_MAX = 1 << 18, HEAD_ROOM = 1024 };

static SSL_CTX *tls_context;                                /* NULL: plain */
static SSL *tls_of[FILES_MAX];                              /* by socket */

_Noreturn void bench_fail(const char *what, struct str detail)
{
    fprintf(stderr, "bench: %s: " STR_FMT "\n", what, (int)(detail.len > 400 ? 400 : detail.len), detail.ptr);
    exit(1);
}

int64_t bench_now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

uint64_t bench_chance(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

int64_t bench_number(const char *text)
{
    int64_t number;
    if (!str_to_i64(str_from(text), &number) || number < 0) { bench_fail("this is no number", str_from(text)); }
    return number;
}

static int by_value(const void *a, const void *b)
{
    int64_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return (left > right) - (left < right);
}

void bench_sort(int64_t *values, size_t count) { qsort(values, count, sizeof *values, by_value); }

double bench_ms(const int64_t *sorted_us, size_t count, size_t percent)
{
    ASSERT(count > 0 && percent <= 100);
    size_t at = count * percent / 100;
    return (double)sorted_us[at < count ? at : count - 1] / 1e3;
}

static _Noreturn void give_up(const char *what)
{
    perror(what);
    exit(1);
}

struct str bench_request(const struct bench_target *target, const char *path, const char *operation, struct str body, struct arena *arena)
{
    char time[SIGV4_TIME_LEN + 1];
    sigv4_format_time(clock_now_ms(), time);
    struct str host = arena_printf(arena, "%s:%d", target->host, target->port);
    struct str name = arena_printf(arena, "AmazonEC2ContainerServiceV20141113.%s", operation == NULL ? "None" : operation);
    struct sigv4_header headers[] = {
        { STR("host"), host }, { STR("x-amz-date"), str_from(time) }, { STR("content-type"), STR("application/x-amz-json-1.1") }, { STR("x-amz-target"), name },
    };
    struct sigv4_request request = { .method = STR("POST"), .path = str_from(path), .body = body, .headers = headers,
                                     .header_count = COUNT_OF(headers) };
    struct str authorization = sigv4_sign(&request, str_from(target->access_key), str_from(target->secret), STR("us-east-1"), STR("ecs"),
                                          str_from(time), arena);
    struct buf out = buf_in(arena);
    (void)buf_room(&out, HEAD_ROOM + body.len);
    buf_printf(&out, "POST %s HTTP/1.1\r\nhost: " STR_FMT "\r\nx-amz-date: %s\r\ncontent-type: application/x-amz-json-1.1\r\n"
               "x-amz-target: " STR_FMT "\r\nauthorization: " STR_FMT "\r\ncontent-length: %zu\r\n\r\n",
               path, STR_ARG(host), time, STR_ARG(name), STR_ARG(authorization), body.len);
    buf_put(&out, body);
    return buf_str(&out);
}

void bench_begin(void)
{
    if (getenv("BENCH_TLS") == NULL) { return; }
    tls_context = SSL_CTX_new(TLS_client_method());
    ASSERT(tls_context != NULL);
    SSL_CTX_set_mode(tls_context, SSL_MODE_RELEASE_BUFFERS);
}

static void begin_tls(int fd)
{
    ASSERT(fd < FILES_MAX);
    SSL *ssl = tls_of[fd] = SSL_new(tls_context);
    if (ssl == NULL || SSL_set_fd(ssl, fd) != 1 || SSL_connect(ssl) != 1) { give_up("the TLS handshake"); }
}

bool bench_send(int fd, struct str request)
{
    if (tls_of[fd] != NULL) { return SSL_write(tls_of[fd], request.ptr, (int)request.len) == (int)request.len; }
    return write(fd, request.ptr, request.len) == (ssize_t)request.len;
}

static ssize_t receive(int fd, char *out, size_t size)
{
    return tls_of[fd] != NULL ? SSL_read(tls_of[fd], out, (int)size) : read(fd, out, size);
}

int bench_try_connect(const struct bench_target *target)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)target->port) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0) { return -1; }
    if (inet_pton(AF_INET, target->host, &address.sin_addr) != 1 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (tls_context != NULL) { begin_tls(fd); }
    return fd;
}

int bench_connect(const struct bench_target *target)
{
    int fd = bench_try_connect(target);
    if (fd < 0) { give_up("connect"); }
    return fd;
}

void bench_close(int fd)
{
    SSL_free(tls_of[fd]);
    tls_of[fd] = NULL;
    close(fd);
}

/* The value of header `wanted`, which is given with its colon. */
static struct str find_header(struct str head, struct str wanted)
{
    struct str line, rest = head;
    while (rest.len > 0) {
        str_cut(rest, '\n', &line, &rest);
        if (line.len > wanted.len && str_eq_nocase(str_slice(line, 0, wanted.len), wanted)) { return str_trim(str_slice(line, wanted.len, line.len)); }
    }
    return (struct str){ NULL, 0 };
}

/* True once an answer is whole. */
static bool take_answer(struct bench_answer *answer, int *status, struct str *body, bool *closed)
{
    const char *end = memmem(answer->bytes, answer->len, "\r\n\r\n", 4);
    int64_t length;
    if (end == NULL) { return false; }
    size_t size = (size_t)(end - answer->bytes) + 4;
    struct str head = { answer->bytes, size };
    if (!str_to_i64(find_header(head, STR("content-length:")), &length) || length < 0) {
        *closed = true;
        return false;
    }
    if (answer->len < size + (size_t)length) { return false; }
    answer->last = str_eq_nocase(find_header(head, STR("connection:")), STR("close"));
    int64_t code = 0;
    str_to_i64((struct str){ answer->bytes + 9, 3 }, &code);
    *status = (int)code;
    *body = (struct str){ answer->bytes + size, (size_t)length };
    answer->len = 0;
    return true;
}

bool bench_answer_read(int fd, struct bench_answer *answer, int *status, struct str *body, bool *closed)
{
    *closed = false;
    do {                                         /* bytes that TLS has read already, no socket reports */
        if (answer->len == sizeof answer->bytes) { give_up("an answer of more than 16 MiB"); }
        ssize_t got = receive(fd, answer->bytes + answer->len, sizeof answer->bytes - answer->len);
        if (got <= 0) {
            *closed = got == 0 || (errno != EAGAIN && errno != EINTR);
            return false;
        }
        answer->len += (size_t)got;
        if (take_answer(answer, status, body, closed)) { return true; }
    } while (!*closed && tls_of[fd] != NULL && SSL_pending(tls_of[fd]) > 0);
    return false;
}

struct str bench_call(int fd, struct str request, struct bench_answer *answer, int *status)
{
    struct str body = STR("");
    bool closed = false;
    if (!bench_send(fd, request)) {
        give_up("write");
    }
    answer->len = 0;
    while (!bench_answer_read(fd, answer, status, &body, &closed)) {
        if (closed) {
            give_up("the server closed the connection");
        }
    }
    return body;
}

struct str bench_ask(const struct bench_target *target, int fd, const char *operation, struct str body, struct bench_answer *answer, struct arena *arena)
{
    int status = 0;
    struct str reply = bench_call(fd, bench_request(target, "/", operation, body, arena), answer, &status);
    if (status != 200) { bench_fail(operation, reply); }
    return reply;
}
