#include "cli/remote.h"

#include <curl/curl.h>
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "agent/link/ca.h"
#include "base/assert.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/sigv4.h"

enum { CONNECT_TIMEOUT_MS = 5000, REPLY_TIMEOUT_MS = 60000, SILENCE_MAX_S = 6 * 60 };

struct question { const char *path_and_query, *operation; struct str body; bool is_post; };      /* operation: of ECS, or NULL */
struct sink { struct buf *buf; size_t max; FILE *file; CURL *curl; int write_errno; char why[CURL_ERROR_SIZE]; struct str warning; };

/* An error's body is kept for its message, even if the body is for a file. Writes to the file are flushed at once, so that a follower of a log
 * gets each line when it arrives, and a signal loses nothing. */
static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
    struct sink *sink = context;
    long status = 0;
    curl_easy_getinfo(sink->curl, CURLINFO_RESPONSE_CODE, &status);
    if (sink->file != NULL && status == 200) {
        if (fwrite(bytes, size, count, sink->file) == count && fflush(sink->file) == 0) { return size * count; }
        sink->write_errno = errno;
        return CURL_WRITEFUNC_ERROR;
    }
    if (sink->max > 0 && sink->buf->len + size * count > sink->max) { return CURL_WRITEFUNC_ERROR; }
    buf_put(sink->buf, (struct str){ bytes, size * count });
    return size * count;
}

/* libcurl calls it with each line of the head. */
static size_t take_header(char *bytes, size_t size, size_t count, void *context)
{
    struct sink *sink = context;
    struct str name, value;
    if (str_cut((struct str){ bytes, size * count }, ':', &name, &value) && str_eq_nocase(name, STR("x-berth-warning"))) {
        sink->warning = arena_str(sink->buf->arena, str_trim(value));
    }
    return size * count;
}

/* libcurl calls it each second: without a reader of the pipe, even a silent answer ends. */
static int look_at_reader(void *context, curl_off_t to_get, curl_off_t got, curl_off_t to_send, curl_off_t sent)
{
    struct sink *sink = context;
    struct pollfd reader = { fileno(sink->file), 0, 0 };
    (void)to_get;
    (void)got;
    (void)to_send;
    (void)sent;
    if (poll(&reader, 1, 0) != 1 || (reader.revents & (POLLERR | POLLHUP)) == 0) { return 0; }
    sink->write_errno = EPIPE;
    return 1;
}

static struct str host_of(const char *url)
{
    struct str rest = str_from(url), scheme, after;
    if (str_cut(rest, ':', &scheme, &after)) {
        rest = str_slice(after, 2, after.len);
    }
    struct str host, path;
    str_cut(rest, '/', &host, &path);
    return host;
}

static struct curl_slist *add_header(struct curl_slist *list, struct sigv4_header header, struct arena *arena)
{
    return curl_slist_append(list, arena_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(header.name), STR_ARG(header.value)).ptr);
}

static struct curl_slist *signed_headers(const struct remote *remote, struct str method, struct str path, struct str query, struct str target,
                                         struct str body, struct arena *arena)
{
    char time[SIGV4_TIME_LEN + 1];
    struct sigv4_header headers[5];
    size_t count = 0;
    sigv4_format_time(clock_now_ms(), time);
    headers[count++] = (struct sigv4_header){ STR("host"), host_of(remote->url) };
    headers[count++] = (struct sigv4_header){ STR("x-amz-date"), arena_str(arena, str_from(time)) };
    if (str_is_set(target)) {
        headers[count++] = (struct sigv4_header){ STR("x-amz-target"), target };
        headers[count++] = (struct sigv4_header){ STR("content-type"), STR("application/x-amz-json-1.1") };
    }
    if (remote->session_token != NULL) {
        headers[count++] = (struct sigv4_header){ STR("x-amz-security-token"), str_from(remote->session_token) };
    }
    ASSERT(count <= COUNT_OF(headers));
    struct sigv4_request request = { method, path, query, body, headers, count };
    struct str authorization = sigv4_sign(&request, str_from(remote->access_key), str_from(remote->secret), str_from(remote->region), STR("ecs"),
                                          str_from(time), arena);
    struct curl_slist *list = NULL;
    for (size_t h = 0; h < count; h++) {
        list = add_header(list, headers[h], arena);
    }
    return add_header(list, (struct sigv4_header){ STR("authorization"), authorization }, arena);
}

/* The server's message, and its code if it is one of ours. */
static bool refused(long status, struct str body, struct arena *arena, struct err *err)
{
    struct err ignored = { 0 };
    const struct json *json = json_parse(body, arena, &ignored);
    struct str type = json_get_str(json, STR("__type")), message = json_get_str(json, STR("message"));
    for (enum err_code code = ERR_NONE + 1; code < ERR_COUNT; code++) {
        if (str_eq(type, str_from(err_wire_name(code)))) {
            return err_set(err, code, STR_FMT ": " STR_FMT, STR_ARG(type), STR_ARG(message));
        }
    }
    struct str start = str_trim(str_slice(body, 0, 200));
    return err_set(err, ERR_SERVER, "the server answered with status %ld: " STR_FMT, status, STR_ARG(start));
}

/* For an endless answer only the silence is limited, to a little more than the server's own limit. */
static void set_patience(CURL *curl, const struct remote *remote)
{
    if (!remote->endless) {
        curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(remote->timeout_ms > 0 ? remote->timeout_ms : REPLY_TIMEOUT_MS));
        return;
    }
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_MAX_S);
}

static bool perform(const struct remote *remote, const struct question *question, struct sink *sink, struct arena *arena, struct err *err)
{
    struct str path, query, target = { 0 }, body = question->body;
    str_cut(str_from(question->path_and_query), '?', &path, &query);
    if (question->operation != NULL) {
        target = arena_printf(arena, "AmazonEC2ContainerServiceV20141113.%s", question->operation);
    }
    struct str method = question->is_post ? STR("POST") : STR("GET");
    struct curl_slist *headers = signed_headers(remote, method, path, query, target, body, arena);
    if (question->is_post && question->operation == NULL) {
        headers = curl_slist_append(headers, "content-type: application/json");
    }
    curl_easy_setopt(sink->curl, CURLOPT_URL, arena_printf(arena, "%s%s", remote->url, question->path_and_query).ptr);
    curl_easy_setopt(sink->curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(sink->curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
    curl_easy_setopt(sink->curl, CURLOPT_ERRORBUFFER, sink->why);
    ca_set(sink->curl, remote->ca_file);
    set_patience(sink->curl, remote);
    curl_easy_setopt(sink->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(sink->curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(sink->curl, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(sink->curl, CURLOPT_WRITEDATA, sink);
    curl_easy_setopt(sink->curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(sink->curl, CURLOPT_HEADERDATA, sink);
    if (sink->file != NULL) {
        curl_easy_setopt(sink->curl, CURLOPT_NOPROGRESS, 0L);
        curl_easy_setopt(sink->curl, CURLOPT_XFERINFOFUNCTION, look_at_reader);
        curl_easy_setopt(sink->curl, CURLOPT_XFERINFODATA, sink);
    }
    if (question->is_post) {
        curl_easy_setopt(sink->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
        curl_easy_setopt(sink->curl, CURLOPT_POSTFIELDS, body.ptr);
    }
    CURLcode code = curl_easy_perform(sink->curl);
    long status = 0;
    curl_easy_getinfo(sink->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    if (sink->write_errno != 0) {
        return sink->write_errno == EPIPE || err_set(err, ERR_SERVER, "the output can't be written: %s.", strerror(sink->write_errno));
    }
    if (code != CURLE_OK) {
        const char *why = sink->why[0] != '\0' ? sink->why : curl_easy_strerror(code);
        return err_set(err, ERR_UNAVAILABLE, "no answer from %s: %s%s.", remote->url, why, ca_advice(code, why));
    }
    return status == 200 || refused(status, buf_str(sink->buf), arena, err);
}

static bool call(const struct remote *remote, const struct question *question, FILE *file, struct str *reply, struct str *warning,
                 struct arena *arena, struct err *err)
{
    ASSERT(question->path_and_query[0] == '/');          /* a path of ours, which is signed as it is */
    ASSERT(question->is_post || (question->operation == NULL && question->body.len == 0));
    ASSERT(file == NULL || !question->is_post);
    struct buf buf = buf_in(arena);
    struct sink sink = { .buf = &buf, .file = file, .curl = curl_easy_init() };
    if (sink.curl == NULL) {
        return err_set(err, ERR_SERVER, "libcurl does not start.");
    }
    bool good = perform(remote, question, &sink, arena, err);
    curl_easy_cleanup(sink.curl);
    *reply = buf_str(&buf);
    if (warning != NULL) { *warning = sink.warning; }
    return good;
}

bool remote_operation(const struct remote *remote, const char *operation, struct str body, struct str *reply, struct str *warning,
                      struct arena *arena, struct err *err)
{
    ASSERT(operation != NULL);
    return call(remote, &(struct question){ "/", operation, body, true }, NULL, reply, warning, arena, err);
}

bool remote_post(const struct remote *remote, const char *path, struct str body, struct str *reply, struct arena *arena, struct err *err)
{
    return call(remote, &(struct question){ path, NULL, body, true }, NULL, reply, NULL, arena, err);
}

bool remote_get_text(const struct remote *remote, const char *path_and_query, struct str *body, struct arena *arena, struct err *err)
{
    return call(remote, &(struct question){ path_and_query, NULL, STR(""), false }, NULL, body, NULL, arena, err);
}

bool remote_get(const struct remote *remote, const char *path_and_query, FILE *out, struct arena *arena, struct err *err)
{
    struct str ignored;
    ASSERT(out != NULL);
    return call(remote, &(struct question){ path_and_query, NULL, STR(""), false }, out, &ignored, NULL, arena, err);
}

bool remote_plain(const char *method, const char *url, struct str body, size_t max, long *status, struct str *reply, struct arena *arena, struct err *err)
{
    struct buf buf = buf_in(arena);
    struct sink sink = { .buf = &buf, .max = max, .curl = curl_easy_init() };
    if (sink.curl == NULL) { return err_set(err, ERR_SERVER, "libcurl does not start."); }
    struct curl_slist *headers = body.len == 0 ? NULL : curl_slist_append(NULL, "content-type: application/json");
    curl_easy_setopt(sink.curl, CURLOPT_URL, url);
    curl_easy_setopt(sink.curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(sink.curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(sink.curl, CURLOPT_ERRORBUFFER, sink.why);
    curl_easy_setopt(sink.curl, CURLOPT_TIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
    curl_easy_setopt(sink.curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(sink.curl, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(sink.curl, CURLOPT_WRITEDATA, &sink);
    ca_set(sink.curl, NULL);
    if (body.len > 0) {
        curl_easy_setopt(sink.curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
        curl_easy_setopt(sink.curl, CURLOPT_POSTFIELDS, body.ptr);
    }
    CURLcode code = curl_easy_perform(sink.curl);
    curl_easy_getinfo(sink.curl, CURLINFO_RESPONSE_CODE, status);
    curl_easy_cleanup(sink.curl);
    curl_slist_free_all(headers);
    *reply = buf_str(&buf);
    return code == CURLE_OK || err_set(err, ERR_UNAVAILABLE, "no answer from %s: %s.", url, sink.why[0] != '\0' ? sink.why : curl_easy_strerror(code));
}
