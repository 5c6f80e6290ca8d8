/* reply.c: reading addresses and the errors in answers. */
#include "agent/link/client.h"

#include "base/json.h"

enum { ERROR_BODY_MAX = 64 * 1024, ERROR_ARENA_MAX = 2 * 1024 * 1024 };

/* ---- addresses ---- */

static bool is_loopback(struct str host)
{
    return str_eq(host, STR("localhost")) || str_starts_with(host, STR("127.")) || str_starts_with(host, STR("[::1]"));
}

bool endpoint_parse(struct str url, struct endpoint *endpoint, struct err *err)
{
    *endpoint = (struct endpoint){ 0 };
    bool secure = str_starts_with(url, STR("https://"));
    bool plain = str_starts_with(url, STR("http://"));
    if ((!secure && !plain) || url.len >= CLIENT_URL_MAX || str_find(url, '\0') != url.len || str_find(url, '?') != url.len) {
        return err_set(err, ERR_INVALID_PARAMETER, "\"" STR_FMT "\" is no address of a server; one looks like"
                       " http://10.0.0.5:9280 or https://berth.example.", STR_ARG(url));
    }
    while (str_ends_with(url, STR("/"))) { url.len--; }
    size_t head = secure ? strlen("https://") : strlen("http://");
    if (url.len <= head) { return err_set(err, ERR_INVALID_PARAMETER, "The server's address names no host."); }
    size_t slash = head + str_find(str_slice(url, head, url.len), '/');
    struct str host = str_slice(url, head, slash), standard = secure ? STR(":443") : STR(":80");
    endpoint->loopback = is_loopback(host);
    if (str_ends_with(host, standard)) { host.len -= standard.len; }       /* no client writes the usual port into Host */
    bool fits = str_to_cstr(str_slice(url, 0, slash), endpoint->origin, sizeof endpoint->origin);
    fits = str_to_cstr(host, endpoint->host, sizeof endpoint->host) && fits;
    fits = str_to_cstr(str_slice(url, slash, url.len), endpoint->prefix, sizeof endpoint->prefix) && fits;
    ASSERT(fits);                                               /* url.len was checked above */
    return true;
}

bool endpoints_parse(struct str urls, struct endpoints *endpoints, struct err *err)
{
    struct str url, rest = urls;
    *endpoints = (struct endpoints){ .count = 0 };
    for (bool more = true; more;) {
        more = str_cut(rest, ',', &url, &rest);
        if (endpoints->count == ENDPOINTS_MAX) { return err_set(err, ERR_INVALID_PARAMETER, "An agent knows %d servers at most.", ENDPOINTS_MAX); }
        if (!endpoint_parse(str_trim(url), &endpoints->items[endpoints->count], err)) { return false; }
        endpoints->count++;
    }
    return true;
}

/* ---- answers ---- */

bool reply_is_transient(const struct reply *reply)
{
    return reply->status == 0 || reply->status >= 500 || reply->status == 429 || reply->err.code == ERR_THROTTLING
        || reply->err.code == ERR_SERVER || reply->err.code == ERR_UNAVAILABLE;
}

enum err_code reply_error_code(struct str name, long status)
{
    struct str head, tail;
    if (str_cut(name, '#', &head, &tail)) { name = tail; }
    str_cut(name, ':', &name, &tail);
    for (int code = ERR_NONE + 1; code < ERR_COUNT; code++) {
        if (str_eq(name, str_from(err_wire_name((enum err_code)code)))) { return (enum err_code)code; }
    }
    return status >= 500 ? ERR_UNAVAILABLE : ERR_CLIENT;
}

void reply_read_error(struct reply *reply)
{
    struct arena arena = { .ceiling = ERROR_ARENA_MAX };
    struct err parse = { 0 };
    const struct json *tree = reply->body.len < ERROR_BODY_MAX ? json_parse(reply->body, &arena, &parse) : NULL;
    struct str name = json_get_str(tree, STR("__type")), message = json_get_str(tree, STR("message"));
    if (!str_is_set(message)) { message = json_get_str(tree, STR("Message")); }
    enum err_code code = reply_error_code(name, reply->status);
    if (message.len > 0) {
        err_set(&reply->err, code, STR_FMT, STR_ARG(message));
    } else {
        err_set(&reply->err, code, "The server answered with HTTP status %ld.", reply->status);
    }
    arena_finish(&arena);
}
