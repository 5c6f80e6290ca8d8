/* fuzz_api_head.c: a head that the API's port takes is one that base/http/head.c takes, and both read the same of it. CivetWeb's own reading
 * cannot be called, so each input goes to a real server over loopback. */
#include "server/net/http.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/http/head.h"
#include "base/log.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 1024 * 1024 };

/* The server's reading of the first request. Written by its thread before the client reads the end of the connection. */
static struct { bool called, refused; struct str method, path, query; size_t count; struct sigv4_header headers[SIGV4_HEADERS_MAX]; } seen;
static struct arena arena;

static void handle(void *context, struct http_request *request, struct http_answer *answer)
{
    (void)context;
    answer->close = true;
    if (seen.called) { return; }
    seen.called = true;
    seen.refused = request->body_state == HTTP_HEAD_BROKEN;
    if (seen.refused) { return; }
    seen.method = arena_str(&arena, request->method);
    seen.path = arena_str(&arena, request->path);
    seen.query = arena_str(&arena, request->query);
    seen.count = request->header_count;
    for (size_t h = 0; h < seen.count; h++) {
        seen.headers[h] = (struct sigv4_header){ arena_str(&arena, request->headers[h].name), arena_str(&arena, request->headers[h].value) };
    }
}

static int start(void)
{
    struct err err = { 0 };
    log_set_level(LOG_ERROR);
    arena_init(&arena, CEILING);
    struct http *http = http_start(&(struct http_config){ .host = "127.0.0.1", .threads = 4, .handler = handle }, &err);
    ASSERT(http != NULL);
    return http_port(http);                               /* it runs as long as the process */
}

static void exchange(int port, struct str bytes)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const struct linger at_once = { .l_onoff = 1 };       /* no port stays behind */
    char answer[4096];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    ASSERT(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0);
    (void)!send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
    (void)shutdown(fd, SHUT_WR);
    while (recv(fd, answer, sizeof answer, 0) > 0) { }
    close(fd);
}

/* The API's port takes chunks, and head_read does not: they get a name that says nothing. */
static struct str without_chunks(struct str head)
{
    static const struct str name = STR_INIT("\nTransfer-Encoding:");
    char *copy = arena_alloc(&arena, head.len + 1, 1);
    memcpy(copy, head.ptr, head.len);
    for (size_t at = 0; at + name.len <= head.len; at++) {
        if (str_eq_nocase((struct str){ copy + at, name.len }, name)) { copy[at + 1] = 'X'; }
    }
    return (struct str){ copy, head.len };
}

static void compare(struct str bytes)
{
    struct head head;
    ASSERT(head_read(without_chunks(bytes), &head) == HEAD_WHOLE);
    ASSERT(str_eq(head.method, seen.method) && str_eq(head.path, seen.path) && head.header_count == seen.count);
    ASSERT(str_eq(str_is_set(head.query) ? head.query : STR(""), seen.query));
    for (size_t h = 0; h < seen.count; h++) {
        ASSERT(str_eq(head.headers[h].value, seen.headers[h].value));
        ASSERT(str_eq(head.headers[h].name, seen.headers[h].name) || str_eq_nocase(seen.headers[h].name, STR("Transfer-Encoding")));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int port;
    if (port == 0) { port = start(); }
    struct str bytes = fuzz_str(data, size);
    const char *end = memmem(bytes.ptr, bytes.len, "\r\n\r\n", 4);
    if (end == NULL) { return 0; }                        /* it would wait for more, and has no head that could be compared */
    bytes.len = (size_t)(end - bytes.ptr) + 4;            /* what follows is another request */
    size_t blank = 0;
    while (blank < bytes.len && isspace((unsigned char)bytes.ptr[blank])) { blank++; }    /* RFC 9112, 2.2: empty lines before it may be ignored */
    seen.called = false;
    exchange(port, bytes);
    if (seen.called && !seen.refused && seen.count > 0) {     /* without headers white space is all that CivetWeb can have ignored */ compare(str_slice(bytes, blank, bytes.len)); }
    arena_reset(&arena);
    return 0;
}
