/* Calls that steps of services name again and again: each is made once, until its end has been written. */
#include "server/calls/service_calls.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/log.h"
#include "tests/unit/server/server_fixture.h"

struct bench { char dir[FIXTURE_PATH_MAX]; struct store *store; struct api_config api; struct calls *calls; struct writer *writer; struct service_calls *own; int fd; struct str url; };

static void on_commit(void *context, int64_t revision)
{
    (void)context;
    (void)revision;
}

static void on_effects(void *context, const struct effect_list *effects)
{
    (void)context;
    (void)effects;
}

static void open_bench(struct bench *b, struct arena *arena)
{
    struct err err = { 0 };
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t size = sizeof address;
    fixture_make_dir(b->dir);
    b->store = fixture_open_store(b->dir, FIXTURE_MAP_BYTES);
    b->api = (struct api_config){ .names = { STR("us-east-1"), STR("123456789012") } };
    b->calls = calls_start(&err);
    b->own = service_calls_create(b->calls);
    b->writer = writer_start(&(struct writer_config){ .store = b->store, .api = &b->api, .queue_max = 4, .committed = on_commit, .effects = on_effects }, &err);
    ASSERT(b->calls != NULL && b->writer != NULL);
    service_calls_start(b->own, b->writer);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    b->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT(bind(b->fd, (struct sockaddr *)&address, size) == 0 && listen(b->fd, 16) == 0);
    ASSERT(getsockname(b->fd, (struct sockaddr *)&address, &size) == 0);
    b->url = arena_printf(arena, "http://127.0.0.1:%d/", ntohs(address.sin_port));
}

/* A connection of a call that has sent its head. */
static int accept_call(struct bench *b)
{
    char head[4096];
    int fd = accept(b->fd, NULL, NULL);
    ASSERT(fd >= 0 && read(fd, head, sizeof head) > 0);
    return fd;
}

static bool is_quiet(struct bench *b) { return poll(&(struct pollfd){ b->fd, POLLIN, 0 }, 1, 100) == 0; }

static void name(struct bench *b, int64_t service, const char *key)
{
    service_calls_make(b->own, &(struct service_call){ .service = service, .key = str_from(key), .url = b->url, .timeout_ms = 60000 });
}

static void test_once(struct bench *b)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    int64_t jobs = writer_count(b->writer).jobs;
    name(b, 1, "a");
    int first = accept_call(b);
    name(b, 1, "a");
    CHECK("it is on its way", is_quiet(b));
    name(b, 1, "b");
    name(b, 2, "a");
    int others[] = { accept_call(b), accept_call(b) };
    CHECK_EQ("no end yet", writer_count(b->writer).jobs, jobs);
    ASSERT(write(first, answer, strlen(answer)) == (ssize_t)strlen(answer));
    close(first);
    while (writer_count(b->writer).jobs == jobs) { usleep(1000); }
    for (struct pollfd next = { b->fd, POLLIN, 0 }; poll(&next, 1, 10) == 0;) { name(b, 1, "a"); }      /* its place is free soon after the commit */
    int again = accept_call(b);
    CHECK("once again", is_quiet(b));
    close(again);
    for (size_t o = 0; o < COUNT_OF(others); o++) { close(others[o]); }
}

int main(void)
{
    struct arena arena;
    struct bench b;
    log_set_level(LOG_ERROR);
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    open_bench(&b, &arena);
    test_once(&b);
    name(&b, 3, "while it stops");
    calls_stop(b.calls);
    name(&b, 4, "after the stop");
    writer_stop(b.writer);
    service_calls_free(b.own);                                    /* nothing is left in its list */
    calls_free(b.calls);
    store_close(b.store);
    fixture_remove_dir(b.dir);
    close(b.fd);
    arena_finish(&arena);
    return check_report();
}
