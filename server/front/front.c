/* front.c: addresses as the asking machine can use them, and transactions for reading. */
#include "server/front/front.h"

/* "[::1]:9280" → "[::1]" */
static struct str without_port(struct str host)
{
    size_t end = host.len;
    while (end > 0 && host.ptr[end - 1] >= '0' && host.ptr[end - 1] <= '9') { end--; }
    return end > 0 && host.ptr[end - 1] == ':' ? str_slice(host, 0, end - 1) : host;
}

static struct str same_host(const struct front *front, struct str host, int port, struct arena *arena)
{
    ASSERT(port > 0);                                     /* as bound; it is noted before requests are let in */
    struct buf url = buf_in(arena);
    buf_put(&url, str_from(front->addresses.scheme));
    buf_put(&url, STR("://"));
    buf_put(&url, without_port(host));
    buf_put_char(&url, ':');
    buf_put_i64(&url, port);
    return buf_str(&url);
}

struct str front_api_endpoint(const struct front *front, const struct http_request *request)
{
    struct str host = http_header(request, STR("Host"));
    return front->addresses.api.len > 0 || host.len == 0 ? front->addresses.api : same_host(front, host, front->addresses.api_port, request->arena);
}

/* Without a setting, agents get the name that they called, which works for them. It goes into JSON only, and it is one of
 * the signed headers. */
static struct str endpoint_for(const struct front *front, const struct http_request *request)
{
    struct str host = http_header(request, STR("Host"));
    return front->addresses.agents_given || host.len == 0 ? front->api->endpoint : same_host(front, host, front->addresses.agent_port, request->arena);
}

struct op_ctx front_read(const struct front *front, struct http_request *request, const struct caller *caller, struct api_config *config)
{
    *config = *front->api;
    config->endpoint = endpoint_for(front, request);
    return (struct op_ctx){
        .config = config, .txn = store_read_begin(front->store), .arena = request->arena, .now_ms = request->now_ms,
        .caller = *caller,
    };
}

/* With `x-berth-read: local` the state of this server will do, and the answer says how long ago that had all of the log. */
bool front_is_current(const struct front *front, struct http_request *request, struct http_answer *answer, struct err *err)
{
    struct str level = http_header(request, STR("x-berth-read"));
    if (str_is_set(level) && !str_eq(level, STR("local")) && !str_eq(level, STR("checked"))) {
        return err_set(err, ERR_INVALID_PARAMETER, "The header x-berth-read is local or checked.");
    }
    if (front->members == NULL) { return true; }
    if (!str_eq(level, STR("local"))) { return member_read(members_member(front->members), err); }
    struct member_state state;
    member_look(members_member(front->members), &state);
    answer->headers = arena_printf(request->arena, STR_FMT "x-berth-lag-ms: %lld\r\n", STR_ARG(answer->headers), (long long)state.kept_ms);
    return members_is_fresh(front->members, err);
}
