/* The files of feeds: a state of each kind of target, and one of names, in each format. */
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
#define NAME(name, address, port, protocol) "{\"name\":\"" name "\",\"address\":\"" address "\",\"port\":" port ",\"protocol\":\"" protocol "\"}"
#define LONG "a23456789012345678901234567890123456789012345678901234567890123"
static const char names[] =
    "{\"revision\":3,\"commit\":7,\"names\":[" NAME("api", "10.0.0.7", "80", "tcp") "," NAME("api", "10.0.0.7", "81", "tcp") "," NAME("api", "fd00::", "80", "tcp") ","
    NAME(LONG, "10.0.0.9", "1", "tcp") "," NAME("dns.prod", "10.0.0.7", "53", "udp") "," NAME("evil\\n", "10.0.0.1", "1", "tcp") "," NAME("host.prod", "host.example", "1", "tcp") ","
    NAME("my_web.prod", "10.0.0.7", "80", "tcp") "," NAME("my_web.prod", "10.0.0.8", "80", "tcp") "," NAME("two.prod", "10.0.0.9", "0", "tcp") "]}";
static const char no_names[] = "{\"revision\":3,\"commit\":8,\"names\":[]}";

#define LABELS "\"labels\":{\"__meta_berth_target_group\":\"web\",\"__meta_berth_zone\":\"a\",\"__meta_berth_task\":\"arn:t1\"}"
#define ENDPOINT(health, address) "{\"health_status\":\"" health "\",\"endpoint\":{\"address\":{\"socket_address\":{\"address\":\"" address "\",\"port_value\":8080}}}}"
#define ASSIGNMENT(name, endpoints) \
    "{\"@type\":\"type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment\",\"cluster_name\":\"" name "\",\"endpoints\":[{\"lb_endpoints\":[" endpoints "]}]}"
#define ZONE(serial) "$ORIGIN berth.\n$TTL 5\n@ IN SOA ns hostmaster " serial " 60 10 600 5\n@ IN NS ns\nns IN A 127.0.0.1\n"

static const struct { const char *kind, *state, *text; bool carries; } rows[] = {
    { "prometheus", full, "[{\"targets\":[\"10.0.0.7:8080\"]," LABELS "},{\"targets\":[\"[fd00::7]:8080\"]," LABELS "}]\n", false },
    { "prometheus", empty, "[]\n", false },
    { "hosts", names, "10.0.0.7 api.berth\nfd00:: api.berth\n10.0.0.9 " LONG ".berth\n10.0.0.7 dns.prod.berth\n# my_web.prod is left out: it is no DNS name\n"
                      "10.0.0.9 two.prod.berth\n", false },
    { "hosts", no_names, "", false },
    { "srv", names, ZONE("7") "api IN A 10.0.0.7\n_api._tcp IN SRV 0 100 80 ip-10-0-0-7\n_api._tcp IN SRV 0 100 81 ip-10-0-0-7\n"
                    "api IN AAAA fd00::\n_api._tcp IN SRV 0 100 80 ip-fd00--0\n" LONG " IN A 10.0.0.9\n"
                    "dns.prod IN A 10.0.0.7\n_dns._udp.prod IN SRV 0 100 53 ip-10-0-0-7\n; my_web.prod is left out: it is no DNS name\ntwo.prod IN A 10.0.0.9\n"
                    "ip-10-0-0-7 IN A 10.0.0.7\nip-10-0-0-9 IN A 10.0.0.9\nip-fd00--0 IN AAAA fd00::\n", false },
    { "srv", no_names, ZONE("8"), false },
    { "nginx", full, "upstream tg_web {\n  least_conn;\n  server 10.0.0.7:8080 max_fails=2 fail_timeout=10s;\n  server [fd00::7]:8080 max_fails=2 fail_timeout=10s;\n"
                     "  keepalive 32;\n}\nupstream tg_rpc {\n  random;\n  server 127.0.0.1:9 down;\n  keepalive 32;\n}\n", true },
    { "nginx", empty, "", true },
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
        CHECK_EQ(rows[r].kind, render->names, state->commit.set);
        arena_finish(&arena);
    }
    CHECK("haproxy has no file", render_find(STR("haproxy")) == NULL);
    return check_report();
}
