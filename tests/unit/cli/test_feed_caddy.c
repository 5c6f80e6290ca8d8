/* The requests of a feed to Caddy's admin API: the state of load balancers, Caddy's configuration and its counts of requests, and the requests. */
#include "../check.h"
#include "base/num.h"
#include "cli/feed/caddy.h"

#define TARGET_AT(number, address, state) "{\"number\":\"" number "\",\"address\":\"" address "\",\"port\":80,\"state\":\"" state "\"}"
#define TARGET(number, state) TARGET_AT(number, "10.0.0.7", state)
#define A "00000000000000aa"
#define B "00000000000000bb"
#define GROUP(targets) "[{\"name\":\"web\",\"protocol\":\"HTTP\",\"targets\":[" targets "]}]"
#define DIAL(address) "{\"dial\":\"" address ":80\"}"
#define HANDLER(id, upstreams) "{\"@id\":\"" id "\",\"handler\":\"reverse_proxy\"" upstreams "}"
#define WEB(upstreams) HANDLER("tg-web", ",\"upstreams\":[" upstreams "]")
#define APP(web, more) "{\"apps\":{\"http\":{\"servers\":{\"s\":{\"routes\":[{\"handle\":[{\"handler\":\"subroute\",\"routes\":[{\"handle\":[" web "]}]}]}]}" more "}}}}"
#define PARK(upstreams) "{\"listen\":[],\"routes\":[{\"handle\":[" HANDLER("berth-draining", ",\"upstreams\":[" upstreams "]") "]}]}"
#define PARKED(upstreams) ",\"berth-draining\":" PARK(upstreams)
#define COUNT(address, requests) "{\"address\":\"" address ":80\",\"num_requests\":" requests ",\"fails\":0}"
#define SET(upstreams) "PATCH /id/tg-web/upstreams [" upstreams "]\n"
#define KEEP(upstreams) "POST /config/apps/http/servers/berth-draining " PARK(upstreams) "\n"
#define FREE "DELETE /config/apps/http/servers/berth-draining \n"
#define SEVEN DIAL("10.0.0.7")
#define EIGHT DIAL("10.0.0.8")

static const struct { const char *row, *groups, *config, *counts, *requests, *busy; size_t carried; } rows[] = {
    { "a healthy target comes", GROUP(TARGET(A, "healthy")), APP(WEB(""), ""), "", SET(SEVEN), "", 1 },
    { "it is there", GROUP(TARGET(A, "healthy")), APP(WEB(SEVEN), ""), "", "", "", 1 },
    { "two, in another order", GROUP(TARGET(A, "healthy") "," TARGET_AT(B, "10.0.0.8", "healthy")), APP(WEB(EIGHT "," SEVEN), ""), "", "", "", 1 },
    { "one too many", GROUP(TARGET(A, "healthy")), APP(WEB(EIGHT "," SEVEN), ""), "", SET(SEVEN), "", 1 },
    { "another one", GROUP(TARGET(A, "healthy")), APP(WEB(EIGHT), ""), "", SET(SEVEN), "", 1 },
    { "a handler without upstreams", GROUP(TARGET(A, "healthy")), APP(HANDLER("tg-web", ""), ""), "", "PUT /id/tg-web/upstreams [" SEVEN "]\n", "", 1 },
    { "… gets none", GROUP(""), APP(HANDLER("tg-web", ""), ""), "", "PUT /id/tg-web/upstreams []\n", "", 1 },
    { "IPv6", GROUP(TARGET_AT(A, "fd00::7", "healthy")), APP(WEB(""), ""), "", SET(DIAL("[fd00::7]")), "", 1 },
    { "neither an initial nor an unhealthy one, nor one without a good address", GROUP(TARGET(A, "initial") "," TARGET(A, "unhealthy") "," TARGET_AT(B, "x\\\"", "healthy")),
      APP(WEB(SEVEN), ""), "", SET(""), "", 1 },
    { "draining: kept for its count first, then out; it may have a request", GROUP(TARGET(A, "draining")), APP(WEB(SEVEN), ""), COUNT("10.0.0.7", "0"),
      KEEP(SEVEN) SET(""), A "\n", 1 },
    { "kept, and out not yet", GROUP(TARGET(A, "draining")), APP(WEB(SEVEN), PARKED(SEVEN)), COUNT("10.0.0.7", "0"), SET(""), A "\n", 1 },
    { "it has a request", GROUP(TARGET(A, "draining")), APP(WEB(""), PARKED(SEVEN)), COUNT("10.0.0.7", "1"), "", A "\n", 1 },
    { "it has none", GROUP(TARGET(A, "draining")), APP(WEB(""), PARKED(SEVEN)), COUNT("10.0.0.7", "0"), FREE, "", 1 },
    { "its count is not known", GROUP(TARGET(A, "draining")), APP(WEB(""), PARKED(SEVEN)), "", FREE, "", 1 },
    { "it was out before: nobody knows of requests", GROUP(TARGET(A, "draining")), APP(WEB(""), ""), COUNT("10.0.0.7", "1"), "", "", 1 },
    { "one is free, one leaves", GROUP(TARGET(A, "draining") "," TARGET_AT(B, "10.0.0.8", "draining")), APP(WEB(EIGHT), PARKED(SEVEN)),
      COUNT("10.0.0.7", "0") "," COUNT("10.0.0.8", "2"), KEEP(EIGHT) SET(""), B "\n", 1 },
    { "gone with its requests", GROUP(""), APP(WEB(""), PARKED(SEVEN)), COUNT("10.0.0.7", "1"), FREE, "", 1 },
    { "unhealthy: leaves, and is not called busy", GROUP(TARGET(A, "unhealthy")), APP(WEB(SEVEN), ""), COUNT("10.0.0.7", "1"), SET(""), "", 1 },
    { "no handler", GROUP(TARGET(A, "healthy")), APP(HANDLER("tg-other", ",\"upstreams\":[" EIGHT "]"), ""), "", "", "", 0 },
    { "no reverse_proxy", GROUP(TARGET(A, "healthy")), APP("{\"@id\":\"tg-web\",\"handler\":\"headers\"}", ""), "", "", "", 0 },
    { "no configuration", GROUP(TARGET(A, "healthy")), "null", "", "", "", 0 },
    { "upstreams of another shape", GROUP(""), APP(HANDLER("tg-web", ",\"upstreams\":7"), ""), "", "", "", 1 },
};

int main(void)
{
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena;
        struct err err = { 0 };
        struct caddy_plan plan;
        arena_init(&arena, 1 << 20);
        const struct feed_state *state = feed_read(arena_printf(&arena, "{\"revision\":1,\"groups\":%s,\"listeners\":[]}", rows[r].groups), &arena, &err);
        const struct json *config = json_parse(str_from(rows[r].config), &arena, &err), *counts = json_parse(arena_printf(&arena, "[%s]", rows[r].counts), &arena, &err);
        struct buf requests = buf_in(&arena), busy = buf_in(&arena);
        CHECK_STR(rows[r].row, str_from(err.message), STR(""));
        if (state == NULL || config == NULL || counts == NULL) { continue; }
        caddy_make(state, config, counts, &plan, &arena);
        for (size_t n = 0; n < plan.count; n++) {
            buf_printf(&requests, "%s " STR_FMT " " STR_FMT "\n", plan.requests[n].method, STR_ARG(plan.requests[n].path), STR_ARG(plan.requests[n].body));
        }
        for (size_t b = 0; b < plan.busy.count; b++) { buf_printf(&busy, STR_FMT "\n", STR_ARG(plan.busy.items[b])); }
        CHECK_STR(rows[r].row, buf_str(&requests), str_from(rows[r].requests));
        CHECK_STR(rows[r].row, buf_str(&busy), str_from(rows[r].busy));
        CHECK_EQ(rows[r].row, plan.carried, rows[r].carried);
        arena_finish(&arena);
    }
    return check_report();
}
