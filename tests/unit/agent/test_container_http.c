/* Requests of containers over the wire, and that none of them keeps others from their answers: by saying nothing, by taking nothing, or by
 * questions that take long. */
#include "tests/unit/check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/inside/container_http.h"
#include "base/clock.h"
#include "base/lock.h"

enum { BIG = 8 * 1024 * 1024, THREADS = 8, OF_ADDRESS = 96, IN_ALL = 256, PATIENCE_MS = 60000, LOOK_MS = 5, SILENCE_MS = 4000 };

static struct lock gate = { PTHREAD_MUTEX_INITIALIZER };         /* "/wait" is answered when it is open */

static void echo(void *context, const struct container_request *request, struct container_answer *answer)
{
    (void)context;
    answer->status = 200;
    if (str_eq(request->path, STR("/wait"))) {
        lock_take(&gate);
        lock_drop(&gate);
    }
    if (str_eq(request->path, STR("/big"))) {
        answer->body = (struct str){ ARENA_NEW(request->arena, char, BIG), BIG };
        memset((char *)(uintptr_t)answer->body.ptr, 'x', BIG);
        return;
    }
    answer->body = arena_printf(request->arena, STR_FMT " " STR_FMT " " STR_FMT " %d", STR_ARG(request->method), STR_ARG(request->path), STR_ARG(request->body), request->door);
}

/* A connection from 127.0.0.<from> that has said `words`. */
static int call(int port, int from, struct str words)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)from - 1) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT(bind(fd, (const struct sockaddr *)&own, sizeof own) == 0 && connect(fd, (const struct sockaddr *)&at, sizeof at) == 0);
    while (words.len > 0) {
        ssize_t sent = send(fd, words.ptr, words.len, MSG_NOSIGNAL);
        if (sent <= 0) { break; }
        words = str_slice(words, (size_t)sent, words.len);
    }
    return fd;
}

static void exchange(int port, struct str words, char *out, size_t size)
{
    int fd = call(port, 1, words);
    size_t len = 0;
    (void)shutdown(fd, SHUT_WR);
    for (ssize_t got = 1; got > 0 && len < size - 1; len += got > 0 ? (size_t)got : 0) { got = recv(fd, out + len, size - 1 - len, 0); }
    out[len] = '\0';
    close(fd);
}

static void test_http(void)
{
    enum { DOOR = 7 };
    static const struct { const char *name; struct str words; const char *want; } rows[] = {
        { "a question",          STR_INIT("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"), "GET /a  7" },
        { "with a body",         STR_INIT("PUT /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"), "PUT /b abc 7" },
        { "nonsense",            STR_INIT("nonsense\r\n\r\n"), "This is no request.\n" },
        { "half a question",     STR_INIT("GET /a HTTP/1.1\r\n"), "" },
        { "half a body",         STR_INIT("PUT /b HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\nabc"), "" },
        { "too large a body",    STR_INIT("PUT /b HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\nabc"), "The request is too large.\n" },
        { "nothing",             STR_INIT(""), "" },
        { "a head alone",        STR_INIT("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n"), "" },
    };
    struct err err = { 0 };
    char out[4096];
    struct container_http *http = container_http_create(echo, NULL);
    int port = container_http_listen(http, "127.0.0.1", 0, DOOR, &err);
    CHECK("a port", port > 0);
    CHECK_EQ("taken", container_http_listen(http, "127.0.0.1", port, DOOR, &err), 0);
    CHECK("… is said", strstr(err.message, "Address already in use") != NULL);
    err = (struct err){ 0 };
    CHECK_EQ("not ours", container_http_listen(http, "192.0.2.1", 1, DOOR, &err), 0);
    err = (struct err){ 0 };
    CHECK("it starts", container_http_start(http, &err));
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        exchange(port, rows[r].words, out, sizeof out);
        const char *body = strstr(out, "\r\n\r\n");
        CHECK_STR(rows[r].name, str_from(body == NULL ? "" : body + 4), str_from(rows[r].want));
    }
    container_http_destroy(http);
}

/* A client that is silent for five seconds is closed: on a machine that is slow today nothing can be said of who is held. */
static bool is_early(int64_t began_ms) { return clock_monotonic_ms() - began_ms < SILENCE_MS; }

/* Is the connection still held? One that was ended is seen so at once, or soon. */
static bool is_held(int fd)
{
    char byte;
    return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
}

static bool ends(int fd)
{
    for (int64_t until_ms = clock_monotonic_ms() + PATIENCE_MS; is_held(fd) && clock_monotonic_ms() < until_ms;) { clock_sleep_ms(LOOK_MS); }
    return !is_held(fd);
}

static bool is_served(int port)
{
    char out[4096];
    exchange(port, STR("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"), out, sizeof out);
    return strstr(out, "GET /a  7") != NULL;
}

/* Many at once that ask for the same; others are answered meanwhile. */
static void test_crowds(void)
{
    static const struct { const char *name; struct str words; size_t count; bool held; } rows[] = {
        { "say nothing",        STR_INIT(""),                                           OF_ADDRESS,     true },
        { "say half",           STR_INIT("GET /a HTTP/1.1\r\n"),                        OF_ADDRESS,     true },
        { "take nothing",       STR_INIT("GET /big HTTP/1.1\r\nHost: x\r\n\r\n"),      THREADS * 2,    false },
        { "ask what takes long", STR_INIT("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n"),    THREADS * 2,    true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        int crowd[OF_ADDRESS];
        struct container_http *http = container_http_create(echo, NULL);
        int port = container_http_listen(http, "127.0.0.1", 0, 7, &err);
        CHECK(rows[r].name, container_http_start(http, &err));
        lock_take(&gate);
        int64_t began_ms = clock_monotonic_ms();
        for (size_t c = 0; c < rows[r].count; c++) { crowd[c] = call(port, 2, rows[r].words); }
        CHECK(rows[r].name, is_served(port));
        size_t held = 0;
        for (size_t c = 0; c < rows[r].count; c++) { held += is_held(crowd[c]); }
        CHECK(rows[r].name, !rows[r].held || held == rows[r].count || !is_early(began_ms));
        lock_drop(&gate);
        container_http_destroy(http);
        for (size_t c = 0; c < rows[r].count; c++) { close(crowd[c]); }
    }
}

/* One connection more than an address may have, and more than there are places: the oldest of that address, or of the fullest, goes. */
static void test_bounds(void)
{
    enum { ADDRESSES = IN_ALL / OF_ADDRESS + 2 };
    struct err err = { 0 };
    int crowd[ADDRESSES][OF_ADDRESS + 1];
    struct container_http *http = container_http_create(echo, NULL);
    int port = container_http_listen(http, "127.0.0.1", 0, 7, &err);
    CHECK("it starts", container_http_start(http, &err));
    int64_t began_ms = clock_monotonic_ms();
    int lonely = call(port, 100, STR("GET"));
    for (int a = 0; a < ADDRESSES - 1; a++) {
        for (int c = 0; c < OF_ADDRESS; c++) { crowd[a][c] = call(port, 2 + a, STR("GET")); }
        if (a > 0) { continue; }
        CHECK("as many as it may have", is_served(port) && (is_held(crowd[0][0]) || !is_early(began_ms)));
        crowd[0][OF_ADDRESS] = call(port, 2, STR("GET"));
        CHECK("one more: the oldest goes", ends(crowd[0][0]));
        CHECK("and no other", (is_held(crowd[0][1]) && is_held(crowd[0][OF_ADDRESS])) || !is_early(began_ms));
    }
    CHECK("all places are taken", is_served(port));
    CHECK("others' stay", is_held(lonely) || !is_early(began_ms));
    container_http_destroy(http);
    close(lonely);
    for (int a = 0; a < ADDRESSES - 1; a++) {
        for (int c = 0; c < OF_ADDRESS + (a == 0); c++) { close(crowd[a][c]); }
    }
}

int main(void)
{
    test_http();
    test_crowds();
    test_bounds();
    return check_report();
}
