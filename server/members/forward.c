/* forward.c: a follower hands a request on to the leader as it came: the same bytes and the same Host, so that its signature holds and the leader checks it. */
#include "server/members/members_internal.h"

#include <curl/curl.h>
#include <stdio.h>

#include "base/clock.h"

enum { CONNECT_MS = 2000, ANSWER_MS = 60 * 1000, ANSWER_MAX = 64 << 20, HEADER_MAX = 16 * 1024, AGAIN_MS = 50 };

struct forwarded { struct http_answer *answer; struct arena *arena; struct buf headers; bool too_large; };

/* Headers of the connection between two, in requests and in answers; and those of an answer that this server makes. */
static const struct str hops[] = {
    STR_INIT("Connection"), STR_INIT("Keep-Alive"), STR_INIT("Transfer-Encoding"), STR_INIT("Content-Length"), STR_INIT("Expect"), STR_INIT("Upgrade"),
    STR_INIT("TE"), STR_INIT("Trailer"), STR_INIT("Proxy-Connection"),
};
static const struct str own[] = { STR_INIT("Content-Type"), STR_INIT("Date"), STR_INIT("x-amzn-RequestId") };

static bool is_among(struct str name, const struct str *names, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        if (str_eq_nocase(name, names[n])) { return true; }
    }
    return false;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    struct forwarded *forwarded = context;
    size_t length = size * count;
    forwarded->too_large = length > ANSWER_MAX - forwarded->answer->body.len;
    if (forwarded->too_large) { return CURL_WRITEFUNC_ERROR; }
    buf_put(&forwarded->answer->body, (struct str){ bytes, length });
    return length;
}

/* The leader's own headers come through; a head that goes on from line to line does not come from a server of Berth. */
static size_t take_header(char *bytes, size_t size, size_t count, void *context)
{
    struct forwarded *forwarded = context;
    struct str line = str_trim((struct str){ bytes, size * count }), name, value;
    if (str_starts_with(line, STR("HTTP/"))) { forwarded->headers.len = 0; return size * count; }
    if (!str_cut(line, ':', &name, &value)) { return size * count; }
    value = str_trim(value);
    if (str_eq_nocase(name, STR("Content-Type"))) { forwarded->answer->type = arena_str(forwarded->arena, value); }
    if (is_among(name, hops, COUNT_OF(hops)) || is_among(name, own, COUNT_OF(own)) || forwarded->headers.len + line.len > HEADER_MAX) { return size * count; }
    buf_printf(&forwarded->headers, STR_FMT ": " STR_FMT "\r\n", STR_ARG(name), STR_ARG(value));
    return size * count;
}

static struct curl_slist *headers_of(const struct members *members, const struct http_request *request)
{
    struct curl_slist *headers = NULL;
    for (size_t h = 0; h < request->header_count; h++) {
        struct str name = request->headers[h].name, value = request->headers[h].value;
        if (is_among(name, hops, COUNT_OF(hops))) { continue; }
        struct str line = value.len > 0 ? arena_printf(request->arena, STR_FMT ": " STR_FMT, STR_ARG(name), STR_ARG(value))
                                        : arena_printf(request->arena, STR_FMT ";", STR_ARG(name));      /* libcurl's way to say an empty header */
        headers = curl_slist_append(headers, line.ptr);
    }
    headers = curl_slist_append(headers, arena_printf(request->arena, FORWARDED_HEADER ": %s", members->self.name).ptr);
    return curl_slist_append(headers, "Expect:");
}

enum sent { SENT_ANSWERED, SENT_NOT, SENT_PERHAPS };

/* Did the leader get it? Where no connection came to be, it did not. */
static bool is_not_sent(CURLcode code)
{
    return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CONNECT_ERROR;
}

static enum sent send_to(const struct members *members, struct http_request *request, struct http_answer *answer, const char *address)
{
    struct forwarded forwarded = { .answer = answer, .arena = request->arena, .headers = buf_in(request->arena) };
    size_t begin = answer->body.len;
    long status = 0;
    CURL *curl = curl_easy_init();
    if (curl == NULL) { return SENT_NOT; }
    struct str url = str_is_set(request->query) && request->query.len > 0
        ? arena_printf(request->arena, "%s" STR_FMT "?" STR_FMT, address, STR_ARG(request->path), STR_ARG(request->query))
        : arena_printf(request->arena, "%s" STR_FMT, address, STR_ARG(request->path));
    struct curl_slist *headers = headers_of(members, request);
    curl_easy_setopt(curl, CURLOPT_URL, url.ptr);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)ANSWER_MS);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &forwarded);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &forwarded);
    members_set_tls(members, curl);
    if (request->body.len > 0 || str_eq(request->method, STR("POST"))) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body.len > 0 ? request->body.ptr : "");
    }
    if (str_eq(request->method, STR("HEAD"))) { curl_easy_setopt(curl, CURLOPT_NOBODY, 1L); }
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, arena_printf(request->arena, STR_FMT, STR_ARG(request->method)).ptr);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    if (code == CURLE_OK && status >= 200 && status < 600) {
        answer->status = (int)status;
        answer->headers = buf_str(&forwarded.headers);
        return SENT_ANSWERED;
    }
    answer->body.len = begin;
    answer->type = (struct str){ NULL, 0 };
    return is_not_sent(code) ? SENT_NOT : SENT_PERHAPS;
}

static enum forward_end failed(struct err *err, const char *why)
{
    (void)err_set(err, ERR_UNAVAILABLE, "%s", why);
    return FORWARD_FAILED;
}

enum forward_end members_forward(struct members *members, struct http_request *request, struct http_answer *answer, struct err *err)
{
    char address[HA_ADDRESS_MAX + 1];
    int64_t until_ms = clock_monotonic_ms() + MEMBERS_HOLD_MS;
    enum sent sent = SENT_NOT;
    bool here = false;
    if (str_is_set(http_header(request, STR(FORWARDED_HEADER)))) { return failed(err, "This server does not lead. Ask again."); }
    if (atomic_fetch_add(&members->holding, 1) >= members->config.holding_max) {
        atomic_fetch_sub(&members->holding, 1);
        return failed(err, "Too many requests wait for a leader. Ask again.");
    }
    while (sent == SENT_NOT && clock_monotonic_ms() < until_ms && member_leader(members->member, until_ms, address)) {
        here = member_role(members->member) == MEMBER_LEADS;
        if (here) { break; }
        sent = send_to(members, request, answer, address);
        if (sent == SENT_NOT) { clock_sleep_ms(AGAIN_MS); }
    }
    atomic_fetch_sub(&members->holding, 1);
    if (here || sent == SENT_ANSWERED) { return here ? FORWARD_HERE : FORWARD_DONE; }
    return failed(err, sent == SENT_NOT ? "No server leads at the moment. Ask again."
                                        : "It is not known whether this was done: the server that leads broke off. Look, and ask again.");
}
