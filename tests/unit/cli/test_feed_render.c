/* The files of feeds: one state, in which each kind of target is, in each format. */
#include "../check.h"
#include "base/num.h"
#include "cli/feed/follow.h"
#include "cli/feed/render.h"

#define TARGET(number, address, state) \
    "{\"number\":\"" number "\",\"address\":\"" address "\",\"port\":8080,\"task\":\"arn:t1\",\"zone\":\"a\",\"state\":\"" state "\"}"
#define A "00000000000000aa"
#define B "00000000000000bb"

static const char full[] =
    "{\"revision\":7,\"listeners\":[],\"groups\":[{\"name\":\"web\",\"protocol\":\"HTTP\",\"algorithm\":\"least_outstanding_requests\",\"targets\":["
    TARGET(A, "10.0.0.7", "healthy") "," TARGET("00000000000000dd", "10.0.0.8", "draining") "," TARGET("00000000000000ee", "10.0.0.9", "initial") ","
    TARGET("00000000000000ff", "10.0.0.9", "unhealthy") "," TARGET(B, "fd00::7", "healthy") "," TARGET("00000000000000cc", "evil;\\n", "healthy") "]},"
    "{\"name\":\"rpc\",\"protocol\":\"HTTP\",\"protocolVersion\":\"GRPC\",\"algorithm\":\"weighted_random\",\"targets\":[]},{\"name\":\"x y\",\"targets\":[]}]}";
static const char empty[] = "{\"revision\":8,\"listeners\":[],\"groups\":[]}";

#define LABELS "\"labels\":{\"__meta_berth_target_group\":\"web\",\"__meta_berth_zone\":\"a\",\"__meta_berth_task\":\"arn:t1\"}"
#define ENDPOINT(health, address) "{\"health_status\":\"" health "\",\"endpoint\":{\"address\":{\"socket_address\":{\"address\":\"" address "\",\"port_value\":8080}}}}"
#define ASSIGNMENT(name, endpoints) \
    "{\"@type\":\"type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment\",\"cluster_name\":\"" name "\",\"endpoints\":[{\"lb_endpoints\":[" endpoints "]}]}"
#define ZONE(serial) "$ORIGIN berth.\n$TTL 5\n@ IN SOA ns hostmaster " serial " 60 10 600 5\n@ IN NS ns\nns IN A 127.0.0.1\n"

static const struct { const char *kind, *state, *text; bool carries; } rows[] = {
    { "prometheus", full, "[{\"targets\":[\"10.0.0.7:8080\"]," LABELS "},{\"targets\":[\"[fd00::7]:8080\"]," LABELS "}]\n", false },
    { "prometheus", empty, "[]\n", false },
    { "hosts", full, "10.0.0.7 web.berth\nfd00::7 web.berth\n", false },
    { "hosts", empty, "", false },
    { "srv", full, ZONE("7") "_web._tcp IN SRV 0 100 8080 t" A "\nt" A " IN A 10.0.0.7\nweb IN A 10.0.0.7\n"
                             "_web._tcp IN SRV 0 100 8080 t" B "\nt" B " IN AAAA fd00::7\nweb IN AAAA fd00::7\n", false },
    { "srv", empty, ZONE("8"), false },
    { "nginx", full, "upstream tg_web {\n  least_conn;\n  server 10.0.0.7:8080 max_fails=2 fail_timeout=10s;\n  server [fd00::7]:8080 max_fails=2 fail_timeout=10s;\n"
                     "  keepalive 32;\n}\nupstream tg_rpc {\n  random;\n  server 127.0.0.1:9 down;\n  keepalive 32;\n}\n", true },
    { "nginx", empty, "", true },
    { "traefik", full, "{\"http\":{\"services\":{\"tg-web\":{\"loadBalancer\":{\"servers\":[{\"url\":\"http://10.0.0.7:8080\"},{\"url\":\"http://[fd00::7]:8080\"}]}},"
                       "\"tg-rpc\":{\"loadBalancer\":{\"servers\":[]}}}}}\n", true },
    { "traefik", empty, "{\"http\":{\"services\":{}}}\n", true },
    { "envoy", full, "{\"version_info\":\"7\",\"resources\":[" ASSIGNMENT("tg_web", ENDPOINT("HEALTHY", "10.0.0.7") "," ENDPOINT("DRAINING", "10.0.0.8") ","
                     ENDPOINT("HEALTHY", "fd00::7")) "," ASSIGNMENT("tg_rpc", "") "]}\n", true },
    { "envoy", empty, "{\"version_info\":\"8\",\"resources\":[]}\n", true },
};

int main(void)
{
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena;
        struct err err = { 0 };
        arena_init(&arena, 1 << 20);
        const struct feed_state *state = feed_read(str_from(rows[r].state), &arena, &err);
        const struct render *render = render_find(str_from(rows[r].kind));
        struct buf out = buf_in(&arena);
        CHECK_STR(rows[r].kind, str_from(err.message), STR(""));
        if (state == NULL || render == NULL) { continue; }
        render->put(state, &out);
        CHECK_STR(rows[r].kind, buf_str(&out), str_from(rows[r].text));
        CHECK_EQ(rows[r].kind, render->carries, rows[r].carries);
        arena_finish(&arena);
    }
    CHECK("haproxy has no file", render_find(STR("haproxy")) == NULL);
    return check_report();
}
