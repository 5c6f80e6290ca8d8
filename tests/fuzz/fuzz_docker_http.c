/* fuzz_docker_http.c: for any bytes from Docker's socket, a call ends with an answer that is no longer than what came, or with words for
 * why not; the same bytes make a stream of a command, cut anywhere. The first byte chooses how the answer is taken. */
#include "agent/docker/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/core/runtime.h"
#include "base/lock.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 32 * 1024 * 1024, PATIENCE_MS = 10000, PIECE = 7, FRAMES_MAX = 64 * 1024 };

static char dir[] = "/tmp/berth-fuzz-docker-XXXXXX", path[sizeof dir + 8];
static struct lock lock = { PTHREAD_MUTEX_INITIALIZER };
static char answer[FRAMES_MAX];                      /* under `lock`: a connection may outlive the call that began it */
static size_t answer_len;

static void tidy(void)
{
    (void)unlink(path);
    (void)rmdir(dir);
}

/* Docker, for one request a connection. */
static void *be_docker(void *arg)
{
    static char copy[FRAMES_MAX];
    int listening = *(int *)arg;
    for (;;) {
        char request[4096];
        int fd = accept(listening, NULL, NULL);
        size_t len = 0;
        ssize_t got = 1;
        while (got > 0 && memmem(request, len, "\r\n\r\n", 4) == NULL && len < sizeof request) {
            got = recv(fd, request + len, sizeof request - len, 0);
            len += got > 0 ? (size_t)got : 0;
        }
        lock_take(&lock);
        memcpy(copy, answer, answer_len);
        len = answer_len;
        lock_drop(&lock);
        (void)!send(fd, copy, len, MSG_NOSIGNAL);
        (void)shutdown(fd, SHUT_WR);
        while (recv(fd, request, sizeof request, 0) > 0) { }
        close(fd);
    }
    return NULL;
}

static void open_once(void)
{
    static int listening;
    pthread_t thread;
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    ASSERT(mkdtemp(dir) != NULL && atexit(tidy) == 0);
    (void)snprintf(path, sizeof path, "%s/socket", dir);
    memcpy(at.sun_path, path, strlen(path));
    listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT(bind(listening, (struct sockaddr *)&at, sizeof at) == 0 && listen(listening, 8) == 0);
    ASSERT(pthread_create(&thread, NULL, be_docker, &listening) == 0 && pthread_detach(thread) == 0);
}

struct taken { size_t bytes, most; };
static bool take(void *context, struct str bytes)
{
    struct taken *taken = context;
    taken->bytes += bytes.len;
    return taken->bytes < taken->most;
}

static void check_call(struct docker_http *http, bool sinks, size_t most, struct arena *arena)
{
    struct taken taken = { .most = most };
    struct docker_reply reply = { 0 };
    struct docker_call call = {
        .method = "GET", .path = STR("/info"), .timeout_ms = PATIENCE_MS, .sink = sinks ? take : NULL, .sink_context = &taken,
    };
    docker_http_call(http, &call, &reply, arena);
    if (reply.outcome == DOCKER_ANSWERED) {
        ASSERT(reply.body.len + taken.bytes <= answer_len);
    } else {
        ASSERT(reply.outcome == DOCKER_UNREACHABLE && reply.problem.len > 0);
    }
}

static void check_upgrade(struct docker_http *http, struct arena *arena)
{
    struct err err = { 0 };
    int fd = -1;
    bool good = docker_http_upgrade(http, STR("/exec/x/start"), STR("{}"), &fd, arena, &err);
    ASSERT(good == (fd >= 0) && good == (err.code == ERR_NONE) && (good || err.message[0] != '\0'));
    if (good) { close(fd); }
}

static void check_frames(struct str bytes)
{
    static char whole[FRAMES_MAX], cut[FRAMES_MAX], text[FRAMES_MAX];
    struct exec_channel one = { .fd = -1, .framed = true }, two = one;
    size_t size = bytes.len < FRAMES_MAX ? bytes.len : FRAMES_MAX, len = 0;
    memcpy(whole, bytes.ptr, size);
    memcpy(cut, bytes.ptr, size);
    struct str at_once = exec_channel_text(&one, whole, size);
    for (size_t at = 0; at < size; at += PIECE) {
        struct str part = exec_channel_text(&two, cut + at, size - at < PIECE ? size - at : PIECE);
        memcpy(text + len, part.ptr, part.len);
        len += part.len;
    }
    ASSERT(str_eq(at_once, (struct str){ text, len }) && one.left == two.left && one.head_len == two.head_len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) {
        arena_init(&arena, CEILING);
        open_once();
    }
    if (size == 0 || size > FRAMES_MAX) { return 0; }
    struct str bytes = fuzz_str(data + 1, size - 1);
    check_frames(bytes);
    lock_take(&lock);
    memcpy(answer, bytes.ptr, bytes.len);
    answer_len = bytes.len;
    lock_drop(&lock);
    struct docker_http *http = docker_http_create(path);       /* no connection of an earlier answer */
    if (data[0] % 3 == 2) {
        check_upgrade(http, &arena);
    } else {
        check_call(http, data[0] % 3 == 1, (size_t)data[0] * 4, &arena);
    }
    docker_http_destroy(http);
    arena_reset(&arena);
    return 0;
}
