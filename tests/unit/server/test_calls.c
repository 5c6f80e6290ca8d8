/* HTTP calls of the server: answers, limits, receivers that fail, and a stop while calls are on their way. */
#include "server/calls/calls.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/lock.h"
#include "tests/unit/check.h"

/* ---- a receiver: each connection gets the same answer, and then its end ---- */

struct receiver { int fd; pthread_t thread; const char *head; size_t filler; bool silent; char got[4096]; };

static void serve(struct receiver *receiver, int fd)
{
    static char zeros[1024];
    ssize_t length = read(fd, receiver->got, sizeof receiver->got - 1);
    receiver->got[length < 0 ? 0 : length] = '\0';
    memset(zeros, '0', sizeof zeros);
    if (write(fd, receiver->head, strlen(receiver->head)) < 0) { return; }
    for (size_t left = receiver->filler; left > 0;) {
        size_t now = left < sizeof zeros ? left : sizeof zeros;
        if (send(fd, zeros, now, MSG_NOSIGNAL) < 0) { return; }
        left -= now;
    }
}

static void *receive(void *context)
{
    struct receiver *receiver = context;
    for (int fd; (fd = accept(receiver->fd, NULL, NULL)) >= 0; close(fd)) {
        if (!receiver->silent) { serve(receiver, fd); }
        while (receiver->silent && read(fd, receiver->got, sizeof receiver->got) > 0) { }
    }
    return NULL;
}

static struct str listen_on(int *fd, struct arena *arena)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT(bind(*fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(*fd, CALLS_MAX) == 0);
    ASSERT(getsockname(*fd, (struct sockaddr *)&address, &size) == 0);
    return arena_printf(arena, "http://127.0.0.1:%d/x", ntohs(address.sin_port));
}

static void end_receiver(struct receiver *receiver)
{
    shutdown(receiver->fd, SHUT_RDWR);
    ASSERT(pthread_join(receiver->thread, NULL) == 0);
    close(receiver->fd);
}

/* ---- outcomes ---- */

struct taken { sem_t done; int status; size_t length; char reply[64], problem[256]; bool stopped; int count; };

static void take(void *context, const struct call_outcome *outcome)
{
    struct taken *taken = context;
    taken->count++;
    taken->status = outcome->http_status;
    taken->length = outcome->reply.len;
    (void)snprintf(taken->reply, sizeof taken->reply, STR_FMT, STR_ARG(str_slice(outcome->reply, 0, 40)));
    (void)snprintf(taken->problem, sizeof taken->problem, "%s", outcome->problem == NULL ? "" : outcome->problem);
    taken->stopped = outcome->stopped;
    ASSERT(sem_post(&taken->done) == 0);
}

static struct taken call_once(struct calls *calls, struct str url, struct str body, int64_t timeout_ms)
{
    struct taken taken = { .status = -1 };
    struct err err = { 0 };
    ASSERT(sem_init(&taken.done, 0, 0) == 0);
    CHECK("submitted", calls_submit(calls, &(struct call_request){ .url = url, .body = body, .timeout_ms = timeout_ms, .done = take, .context = &taken }, &err));
    while (sem_wait(&taken.done) != 0) { }
    CHECK_EQ("once", taken.count, 1);
    return taken;
}

static void test_answers(struct calls *calls, struct arena *arena)
{
    static const struct { const char *row, *head, *body, *sent; size_t filler; int status; const char *reply, *problem; } rows[] = {
        { "a post", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "{\"a\":1}", "POST /x HTTP/1.1\r\n", 0, 200, "{}", "" },
        { "a get", "HTTP/1.1 204 No\r\n\r\n", NULL, "GET /x HTTP/1.1\r\n", 0, 204, "", "" },
        { "an error", "HTTP/1.1 500 No\r\nContent-Length: 1\r\n\r\nx", "{}", "POST ", 0, 500, "x", "" },
        { "no redirect", "HTTP/1.1 302 Away\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", NULL, "GET ", 0, 302, "", "" },
        { "as much as may be", "HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n", NULL, "GET ", CALL_REPLY_MAX, 200, "0000000000000000000000000000000000000000", "" },
        { "a byte more", "HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n", NULL, "GET ", CALL_REPLY_MAX + 1, 0, "", "the answer is larger than 64 KiB" },
        { "half an answer", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", NULL, "GET ", 3, 0, "", "6 bytes" },
        { "no HTTP", "hello\r\n\r\n", NULL, "GET ", 0, 0, "", "Received HTTP/0.9 when not allowed" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct receiver receiver = { .head = rows[r].head, .filler = rows[r].filler };
        struct str url = listen_on(&receiver.fd, arena);
        ASSERT(pthread_create(&receiver.thread, NULL, receive, &receiver) == 0);
        struct taken taken = call_once(calls, url, rows[r].body == NULL ? (struct str){ NULL, 0 } : str_from(rows[r].body), 5000);
        end_receiver(&receiver);
        CHECK_EQ(rows[r].row, taken.status, rows[r].status);
        CHECK_STR(rows[r].row, str_from(taken.reply), str_from(rows[r].reply));
        CHECK(rows[r].row, strstr(taken.problem, rows[r].problem) != NULL && (taken.problem[0] == '\0') == (rows[r].problem[0] == '\0'));
        CHECK(rows[r].row, strncmp(receiver.got, rows[r].sent, strlen(rows[r].sent)) == 0);
        CHECK(rows[r].row, rows[r].body == NULL || strstr(receiver.got, "Content-Type: application/json\r\n") != NULL);
        CHECK(rows[r].row, rows[r].body == NULL || strstr(receiver.got, rows[r].body) != NULL);
    }
}

static void test_no_answer(struct calls *calls, struct arena *arena)
{
    struct receiver receiver = { .silent = true };
    struct str url = listen_on(&receiver.fd, arena);
    ASSERT(pthread_create(&receiver.thread, NULL, receive, &receiver) == 0);
    struct taken taken = call_once(calls, url, STR("{}"), 50);
    CHECK_EQ("a silent receiver", taken.status, 0);
    CHECK("a silent receiver", strstr(taken.problem, "timed out") != NULL && !taken.stopped);
    end_receiver(&receiver);
    taken = call_once(calls, url, STR("{}"), 5000);
    CHECK("nobody listens", strstr(taken.problem, "Failed to connect") != NULL);
    taken = call_once(calls, STR("file:///etc/hostname"), (struct str){ NULL, 0 }, 5000);
    CHECK("another scheme", strstr(taken.problem, "not supported or disabled") != NULL);
    taken = call_once(calls, STR("http://"), (struct str){ NULL, 0 }, 5000);
    CHECK("no host", taken.problem[0] != '\0');
}

/* Nobody accepts: the calls wait until the stop. */
static void test_stop(struct arena *arena)
{
    static struct taken taken[CALLS_MAX];
    struct err err = { 0 };
    int fd;
    struct calls *calls = calls_start(&err);
    struct str url = listen_on(&fd, arena), large = { arena_alloc(arena, 1, CALL_BODY_MAX + 1), CALL_BODY_MAX + 1 };
    for (size_t c = 0; c < CALLS_MAX; c++) {
        ASSERT(sem_init(&taken[c].done, 0, 0) == 0);
        CHECK("there is room", calls_submit(calls, &(struct call_request){ .url = url, .body = STR("{}"), .timeout_ms = 60000, .done = take, .context = &taken[c] }, &err));
    }
    CHECK("one more", !calls_submit(calls, &(struct call_request){ .url = url, .body = STR("{}"), .timeout_ms = 60000, .done = take, .context = &taken[0] }, &err));
    CHECK_EQ("one more", err.code, ERR_THROTTLING);
    err = (struct err){ 0 };
    CHECK("too large", !calls_submit(calls, &(struct call_request){ .url = url, .body = large, .timeout_ms = 60000, .done = take, .context = &taken[0] }, &err));
    CHECK_EQ("too large", err.code, ERR_REQUEST_TOO_LARGE);
    calls_stop(calls);
    err = (struct err){ 0 };
    CHECK("too late", !calls_submit(calls, &(struct call_request){ .url = url, .body = STR("{}"), .timeout_ms = 60000, .done = take, .context = &taken[0] }, &err));
    CHECK_EQ("too late", err.code, ERR_UNAVAILABLE);
    calls_free(calls);
    for (size_t c = 0; c < CALLS_MAX; c++) { CHECK("it stops", taken[c].count == 1 && taken[c].stopped && taken[c].status == 0); }
    close(fd);
    calls_stop(NULL);
    calls_free(NULL);
}

int main(void)
{
    struct arena arena;
    struct err err = { 0 };
    arena_init(&arena, 8 * 1024 * 1024);
    struct calls *calls = calls_start(&err);
    CHECK("it starts", calls != NULL);
    test_answers(calls, &arena);
    test_no_answer(calls, &arena);
    calls_stop(calls);
    calls_free(calls);
    test_stop(&arena);
    arena_finish(&arena);
    return check_report();
}
