/* http.c: one request, one easy handle from the pool, one reply. */
#include "agent/docker/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lock.h"

enum { IDLE_MAX = 16, PREFIX_SIZE = 16, CONNECT_TIMEOUT_MS = 10 * 1000 };

struct docker_http {
    char *socket_path;
    char prefix[PREFIX_SIZE];
    struct lock lock;
    CURL *idle[IDLE_MAX];                            /* under `lock` */
    size_t idle_count;
};

static pthread_once_t curl_started = PTHREAD_ONCE_INIT;

static void start_curl(void) { ASSERT(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK); }

struct docker_http *docker_http_create(const char *socket_path)
{
    ASSERT(pthread_once(&curl_started, start_curl) == 0);
    struct docker_http *http = calloc(1, sizeof *http);
    char *path = strdup(socket_path);
    ASSERT(http != NULL && path != NULL);
    http->socket_path = path;
    lock_init(&http->lock);
    return http;
}

void docker_http_destroy(struct docker_http *http)
{
    if (http == NULL) { return; }
    for (size_t i = 0; i < http->idle_count; i++) { curl_easy_cleanup(http->idle[i]); }
    lock_finish(&http->lock);
    free(http->socket_path);
    free(http);
}

void docker_http_set_prefix(struct docker_http *http, struct str prefix)
{
    ASSERT(str_to_cstr(prefix, http->prefix, sizeof http->prefix)); /* two numbers below 1000 */
}

void docker_put_escaped(struct buf *buf, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (plain || c == '-' || c == '.' || c == '_' || c == '~') {
            buf_put_char(buf, c);
        } else {
            buf_printf(buf, "%%%02X", (unsigned int)(unsigned char)c);
        }
    }
}

/* ---- the pool ---- */

static CURL *take_handle(struct docker_http *http)
{
    lock_take(&http->lock);
    CURL *handle = http->idle_count > 0 ? http->idle[--http->idle_count] : NULL;
    lock_drop(&http->lock);
    if (handle == NULL) { handle = curl_easy_init(); }
    ASSERT(handle != NULL);
    return handle;
}

static void give_handle(struct docker_http *http, CURL *handle)
{
    curl_easy_reset(handle);                         /* forgets the options, keeps the open connection */
    lock_take(&http->lock);
    ASSERT(http->idle_count <= IDLE_MAX);                        /* counted by us */
    bool kept = http->idle_count < IDLE_MAX;
    if (kept) { http->idle[http->idle_count++] = handle; }
    lock_drop(&http->lock);
    if (!kept) { curl_easy_cleanup(handle); }
}

/* ---- one call ---- */

struct receiver {
    CURL *handle;
    const struct docker_call *call;
    struct buf body;
    bool enough, too_large;
    int64_t last_ms;                                 /* monotonic: when it began, or the last byte came */
    bool begun, silent, cancelled;
};

static size_t receive(char *bytes, size_t one, size_t count, void *context)
{
    struct receiver *receiver = context;
    size_t size = one * count;                       /* libcurl promises that one is 1 */
    long status = 0;
    receiver->begun = true;
    receiver->last_ms = clock_monotonic_ms();
    curl_easy_getinfo(receiver->handle, CURLINFO_RESPONSE_CODE, &status);
    if (receiver->call->sink != NULL && status < 300) {
        receiver->enough = !receiver->call->sink(receiver->call->sink_context, (struct str){ bytes, size });
        return receiver->enough ? 0 : size;
    }
    receiver->too_large = size > DOCKER_REPLY_MAX - receiver->body.len;
    if (receiver->too_large) { return 0; }
    buf_put(&receiver->body, (struct str){ bytes, size });
    return size;
}

/* libcurl calls this about once a second while nothing arrives, and more often while something does. */
static int keep_waiting(void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up)
{
    (void)down_total;
    (void)down;
    (void)up_total;
    (void)up;
    struct receiver *receiver = context;
    const struct docker_call *call = receiver->call;
    int64_t patience_ms = receiver->begun ? call->silence_ms : call->begin_ms;
    receiver->silent = patience_ms > 0 && clock_monotonic_ms() - receiver->last_ms > patience_ms;
    receiver->cancelled = call->cancelled != NULL && atomic_load(call->cancelled);
    return receiver->silent || receiver->cancelled ? 1 : 0;
}

static void set_options(CURL *handle, const struct docker_http *http, const struct docker_call *call, struct receiver *receiver,
                        struct curl_slist *headers, const char *url, char *error_text)
{
    curl_easy_setopt(handle, CURLOPT_URL, url);
    curl_easy_setopt(handle, CURLOPT_UNIX_SOCKET_PATH, http->socket_path);
    curl_easy_setopt(handle, CURLOPT_PROXY, "");                     /* http_proxy of the environment is not meant for a socket */
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, call->method);
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, error_text);
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, (long)call->timeout_ms);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, receiver);
    if (call->begin_ms > 0 || call->silence_ms > 0 || call->cancelled != NULL) {
        curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
        curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, keep_waiting);
        curl_easy_setopt(handle, CURLOPT_XFERINFODATA, receiver);
    }
    /* A POST without a body still says its length, or the engine waits for one. */
    if (str_is_set(call->body) || strcmp(call->method, "POST") == 0) {
        curl_easy_setopt(handle, CURLOPT_POSTFIELDS, call->body.len > 0 ? call->body.ptr : "");
        curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, (long)call->body.len);
    }
}

static enum docker_outcome outcome_of(CURLcode code, const struct receiver *receiver)
{
    if (code == CURLE_OK || receiver->enough) { return DOCKER_ANSWERED; }
    if (receiver->too_large) { return DOCKER_TOO_LARGE; }
    if (code == CURLE_ABORTED_BY_CALLBACK) { return receiver->cancelled ? DOCKER_CANCELLED : DOCKER_SILENT; }
    return code == CURLE_OPERATION_TIMEDOUT ? DOCKER_TIMED_OUT : DOCKER_UNREACHABLE;
}

/* libcurl's message names a host and a port that do not exist; the system's own helps ("Permission denied"). */
static struct str problem_of(CURL *handle, const struct docker_http *http, CURLcode code, const char *error_text, struct arena *arena)
{
    long number = 0;
    char text[128];
    curl_easy_getinfo(handle, CURLINFO_OS_ERRNO, &number);
    bool is_system = code == CURLE_COULDNT_CONNECT && number != 0;
    const char *why = is_system ? strerror_r((int)number, text, sizeof text) : error_text;
    return arena_printf(arena, "%s: %s", http->socket_path, why[0] != '\0' ? why : curl_easy_strerror(code));
}

static struct curl_slist *headers_of(const struct docker_call *call, struct arena *arena)
{
    const char *const lines[] = {
        "Content-Type: application/json",
        "Expect:",                                   /* no round trip before a long body */
        str_is_set(call->registry_auth) ? arena_printf(arena, "X-Registry-Auth: " STR_FMT, STR_ARG(call->registry_auth)).ptr : NULL,
    };
    struct curl_slist *headers = NULL;
    for (size_t l = 0; l < COUNT_OF(lines) && lines[l] != NULL; l++) {
        struct curl_slist *longer = curl_slist_append(headers, lines[l]);
        ASSERT(longer != NULL);
        headers = longer;
    }
    return headers;
}

void docker_http_call(struct docker_http *http, const struct docker_call *call, struct docker_reply *reply, struct arena *arena)
{
    ASSERT(call->timeout_ms > 0);                               /* ours */
    CURL *handle = take_handle(http);
    struct receiver receiver = { .handle = handle, .call = call, .body = buf_in(arena), .last_ms = clock_monotonic_ms() };
    char error_text[CURL_ERROR_SIZE] = "";
    struct str url = arena_printf(arena, "http://docker%s" STR_FMT, http->prefix, STR_ARG(call->path));
    struct curl_slist *headers = headers_of(call, arena);
    set_options(handle, http, call, &receiver, headers, url.ptr, error_text);
    CURLcode code = curl_easy_perform(handle);

    *reply = (struct docker_reply){ .outcome = outcome_of(code, &receiver), .body = buf_str(&receiver.body) };
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &reply->status);
    if (reply->outcome == DOCKER_TOO_LARGE) {
        reply->problem = arena_printf(arena, "the answer is longer than %d MiB", DOCKER_REPLY_MAX >> 20);
    } else if (reply->outcome != DOCKER_ANSWERED) {
        reply->problem = problem_of(handle, http, code, error_text, arena);
    }
    curl_slist_free_all(headers);
    give_handle(http, handle);
}

/* ---- a separate connection for a command's streams ---- */

static int connect_socket(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct timeval patience = { .tv_sec = CONNECT_TIMEOUT_MS / 1000 };
    if (!str_to_cstr(str_from(path), address.sun_path, sizeof address.sun_path)) { return -1; }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) { return -1; }
    bool good = setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0
        && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0
        && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    if (good) { return fd; }
    close(fd);
    return -1;
}

static bool send_all(int fd, struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t sent = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) { continue; }
        if (sent < 0) { return false; }
        bytes = str_slice(bytes, (size_t)sent, bytes.len);
    }
    return true;
}

/* Byte by byte, so that the bytes behind the head stay in the socket. */
static bool read_head(int fd, char *head, size_t size)
{
    size_t len = 0;
    while (len + 1 < size) {
        ssize_t got = recv(fd, head + len, 1, 0);
        if (got < 0 && errno == EINTR) { continue; }
        if (got <= 0) { return false; }
        head[++len] = '\0';
        if (len >= 4 && memcmp(head + len - 4, "\r\n\r\n", 4) == 0) { return true; }
    }
    return false;
}

bool docker_http_upgrade(struct docker_http *http, struct str path, struct str body, int *fd, struct arena *arena, struct err *err)
{
    char head[4096] = "";
    struct str request = arena_printf(arena, "POST %s" STR_FMT " HTTP/1.1\r\nHost: docker\r\nContent-Type: application/json\r\nConnection: Upgrade\r\n"
                                      "Upgrade: tcp\r\nContent-Length: %zu\r\n\r\n" STR_FMT, http->prefix, STR_ARG(path), body.len, STR_ARG(body));
    *fd = connect_socket(http->socket_path);
    if (*fd < 0) { return err_set(err, ERR_UNAVAILABLE, "%s: %s", http->socket_path, strerror(errno)); }
    bool good = send_all(*fd, request) && read_head(*fd, head, sizeof head);
    struct str version, status;
    (void)str_cut(str_from(head), ' ', &version, &status);
    if (good && (str_starts_with(status, STR("101")) || str_starts_with(status, STR("200")))) { return true; }
    struct str line, rest;
    (void)str_cut(status, '\r', &line, &rest);
    close(*fd);
    *fd = -1;
    return err_set(err, ERR_SERVER, "CannotExecError: Docker does not connect to the command: " STR_FMT, STR_ARG(good ? line : STR("no answer")));
}
