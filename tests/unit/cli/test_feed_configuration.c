/* HAProxy's configuration: the words of conditions and redirects, listeners, target groups, and the parts that are left out. */
#include "../check.h"
#include "base/num.h"
#include "cli/feed/conditions.h"
#include "cli/feed/configuration.h"
#include "cli/feed/figures.h"
#include "cli/feed/follow.h"

/* ---- words ---- */

static const struct { const char *text, *quoted; } quotes[] = {
    { "", "\"\"" }, { "a b", "\"a b\"" }, { "a\"b", "\"a\\\"b\"" }, { "a\\b", "\"a\\\\b\"" }, { "$HOME", "\"\\$HOME\"" }, { "a\nglobal", "\"a\\x0aglobal\"" },
    { "'#'", "\"'#'\"" }, { "\x7F", "\"\\x7f\"" },
};

static const struct { const char *pattern, *one, *expression; } patterns[] = {
    { "/img/*", ".", "/img/.*" }, { "/a?b", ".", "/a.b" }, { "a.b+(c)[d]^e$", ".", "a\\x2eb\\x2b\\x28c\\x29\\x5bd\\x5d\\x5ee\\x24" }, { "a*", "[^&]", "a[^&]*" },
    { "x y\\z", ".", "x\\x20y\\x5cz" }, { "\n", ".", "\\x0a" }, { "\xC3\xA9", ".", "\xC3\xA9" },
};

/* As the query of a redirect, so that a '?' is before it. */
static const struct { const char *text, *format; } redirects[] = {
    { "#{host}", "HOST" }, { "/#{path}", "/PATH" }, { "/x/#{path}", "/x/PATH" }, { "a=#{query}", "a=QUERY" },
    { "#{port}", "81" }, { "#{protocol}", "http" }, { "100%", "100%%" }, { "#{other}", "#{other}" }, { "#{host", "#{host" },
};

static void test_words(struct arena *arena)
{
    const struct conditions_url url = { STR("HOST"), STR("/PATH"), STR("QUERY"), STR("?QUERY"), '%' };
    for (size_t r = 0; r < COUNT_OF(quotes); r++) {
        struct buf out = buf_in(arena);
        conditions_put_quoted(str_from(quotes[r].text), &out);
        CHECK_STR(quotes[r].text, buf_str(&out), str_from(quotes[r].quoted));
    }
    for (size_t r = 0; r < COUNT_OF(patterns); r++) {
        struct buf out = buf_in(arena);
        conditions_put_pattern(str_from(patterns[r].pattern), patterns[r].one, &out);
        CHECK_STR(patterns[r].pattern, buf_str(&out), str_from(patterns[r].expression));
    }
    for (size_t r = 0; r < COUNT_OF(redirects); r++) {
        struct buf out = buf_in(arena);
        conditions_put_location(&(struct feed_action){ .query = str_from(redirects[r].text) }, false, 81, &url, &out);
        CHECK_STR(redirects[r].text, buf_str(&out), arena_printf(arena, "http://HOST:81/PATH?%s", redirects[r].format));
    }
}

/* ---- conditions ---- */

#define CONDITION(field, more, values) "[{\"field\":\"" field "\"" more ",\"values\":[" values "]}]"
static const struct { const char *conditions, *acls; } conditions[] = {
    { CONDITION("path-pattern", "", "\"/a\",\"/b*\""), "  acl r_r1_0 path -m reg \"^/a\\$\"\n  acl r_r1_0 path -m reg \"^/b.*\\$\"\n" },
    { CONDITION("host-header", "", "\"*.x\""), "  acl r_r1_0 req.hdr(host),field(1,:) -m reg -i \"^.*\\\\x2ex\\$\"\n" },
    { CONDITION("http-header", ",\"header\":\"X-A\"", "\"b\""), "  acl r_r1_0 req.fhdr(X-A) -m reg -i \"^b\\$\"\n" },
    { CONDITION("http-header", ",\"header\":\"X) A\"", "\"b\""), "  acl r_r1_0 always_false\n" },
    { CONDITION("http-header", "", "\"b\""), "  acl r_r1_0 always_false\n" },
    { CONDITION("http-request-method", "", "\"GET\""), "  acl r_r1_0 method -m reg \"^GET\\$\"\n" },
    { CONDITION("query-string", "", "\"k=v*\",\"w\""),
      "  acl r_r1_0 query -m reg -i \"(^|&)k=v[^&]*(&|\\$)\"\n  acl r_r1_0 query -m reg -i \"(^|&)[^&=]*=w(&|\\$)\"\n" },
    { CONDITION("source-ip", "", "\"10.0.0.0/8\",\"fd00::/8\",\"-f /etc/passwd\""), "  acl r_r1_0 src \"10.0.0.0/8\"\n  acl r_r1_0 src \"fd00::/8\"\n" },
    { CONDITION("source-ip", "", "\"x\""), "  acl r_r1_0 always_false\n" },
    { CONDITION("moon-phase", "", "\"full\""), "  acl r_r1_0 always_false\n" },
    { CONDITION("path-pattern", "", ""), "  acl r_r1_0 always_false\n" },
};

static const struct feed_state *state_of(const char *row, struct str text, struct arena *arena)
{
    static const struct feed_state nothing;
    struct err err = { 0 };
    const struct feed_state *state = feed_read(text, arena, &err);
    CHECK_STR(row, str_from(err.message), STR(""));
    return state == NULL ? &nothing : state;
}

#define STATE(groups, listeners) "{\"revision\":1,\"groups\":[" groups "],\"listeners\":[" listeners "]}"
#define LISTENER(port, protocol, more, action, rules) \
    "{\"arn\":\"x/l1\",\"loadBalancer\":\"web\",\"port\":" port ",\"protocol\":\"" protocol "\"" more ",\"action\":" action ",\"rules\":[" rules "]}"
#define FIXED "{\"type\":\"fixed-response\",\"status\":404,\"contentType\":\"text/html\",\"body\":\"no\"}"

static void test_conditions(struct arena *arena)
{
    for (size_t r = 0; r < COUNT_OF(conditions); r++) {
        struct buf out = buf_in(arena);
        struct str text = arena_printf(arena, STATE("", LISTENER("80", "HTTP", "", FIXED, "{\"arn\":\"x/r1\",\"action\":" FIXED ",\"conditions\":%s}")),
                                       conditions[r].conditions);
        const struct feed_state *state = state_of(conditions[r].conditions, text, arena);
        if (state->listeners.count == 0) { continue; }
        conditions_put(&state->listeners.items[0].rules.items[0], &out);
        CHECK_STR(conditions[r].conditions, buf_str(&out),
                  arena_printf(arena, "%s  http-request set-var(txn.berth_rule) str(r1) if !{ var(txn.berth_rule) -m found } r_r1_0\n", conditions[r].acls));
    }
}

/* ---- listeners and groups ---- */

#define TARGET "{\"number\":\"00000000000000aa\",\"address\":\"10.0.0.7\",\"port\":8080,\"state\":\"healthy\"}"
#define GROUP(name, protocol, more) "{\"name\":\"" name "\",\"protocol\":\"" protocol "\"" more "}"
#define FORWARD(groups) "{\"type\":\"forward\",\"groups\":[" groups "]}"
#define REDIRECT(more) "{\"type\":\"redirect\",\"status\":301" more "}"
#define WHEN "if { var(txn.berth_rule) -m str l1 }"
#define CHECKED(protocol, more) ",\"healthCheck\":{\"enabled\":true,\"protocol\":\"" protocol "\"" more "}"

/* A line, or more, that the configuration has (or, after a '!', does not have). */
static const struct { const char *row, *state, *line, *left_out; } texts[] = {
    { "no listener, without which HAProxy does not start", STATE("", ""), "\nfrontend berth_none\n  bind \"unix@/m.sock\" mode 600\n", "" },
    { "not beside a listener", STATE("", LISTENER("80", "HTTP", "", FIXED, "")), "!frontend berth_none", "" },
    { "a port", STATE("", LISTENER("80", "HTTP", "", FIXED, "")), "\nfrontend l_web_80\n  bind :80\n", "" },
    { "a mapped port", STATE("", LISTENER("81", "HTTP", "", FIXED, "")), "\nfrontend l_web_81\n  bind :8081\n", "" },
    { "the port of this balancer", STATE("", LISTENER("82", "HTTP", "", FIXED, "")), "\n  bind :8082\n", "" },
    { "the port of another", STATE("", LISTENER("83", "HTTP", "", FIXED, "")), "\n  bind :83\n", "" },
    { "a port that is taken", STATE("", LISTENER("80", "HTTP", "", FIXED, "") "," LISTENER("80", "HTTP", "", FIXED, "")), "\n  bind :80\n",
      "the listener of web at port 80 (HTTP) is left out: another listener has its port, or there are too many; see --map-ports." },
    { "no port", STATE("", LISTENER("0", "HTTP", "", FIXED, "")), "!frontend l_",
      "the listener of web at port 0 (HTTP) is left out: another listener has its port, or there are too many; see --map-ports." },
    { "UDP", STATE("", LISTENER("53", "UDP", "", FIXED, "")), "!frontend l_", "the listener of web at port 53 (UDP) is left out: HAProxy has no such protocol." },
    { "TLS by the certificate's id", STATE("", LISTENER("443", "HTTPS", ",\"certificates\":[\"x/own\"]", FIXED, "")),
      "\n  bind :443 ssl crt \"/c/own.pem\" alpn h2,http/1.1\n  # own.pem of 7\n", "" },
    { "TLS by the default", STATE("", LISTENER("443", "HTTPS", ",\"certificates\":[\"x/other\"]", FIXED, "")), "\n  bind :443 ssl crt \"/c/default.pem\" alpn", "" },
    { "TLS behind TCP", STATE("", LISTENER("443", "TLS", "", FORWARD(""), "")), "\n  bind :443 ssl crt \"/c/default.pem\"\n  # default.pem of 7\n  mode tcp\n", "" },
    { "fixed", STATE("", LISTENER("80", "HTTP", "", FIXED, "")), "\n  http-request return status 404 content-type \"text/html\" string \"no\" " WHEN "\n", "" },
    { "fixed without a body", STATE("", LISTENER("80", "HTTP", "", "{\"type\":\"fixed-response\",\"status\":204}", "")),
      "\n  http-request return status 204 " WHEN "\n", "" },
    { "fixed with a status of none", STATE("", LISTENER("80", "HTTP", "", "{\"type\":\"fixed-response\",\"status\":199}", "")), " return status 503 ", "" },
    { "to HTTPS", STATE("", LISTENER("80", "HTTP", "", REDIRECT(",\"protocol\":\"HTTPS\",\"port\":\"443\""), "")),
      "\n  http-request redirect code 301 location \"https://%[req.hdr(host),field(1,:)]%[path]%[var(txn.berth_query)]\" " WHEN "\n", "" },
    { "to another host and port", STATE("", LISTENER("80", "HTTP", "", REDIRECT(",\"host\":\"y\",\"port\":\"8\",\"path\":\"/z\",\"query\":\"\""), "")),
      " location \"http://y:8/z\" ", "" },
    { "to the mapped port", STATE("", LISTENER("81", "HTTP", "", REDIRECT(""), "")), " location \"http://%[req.hdr(host),field(1,:)]:8081%[path]", "" },
    { "forward", STATE(GROUP("a", "HTTP", ""), LISTENER("80", "HTTP", "", FORWARD("{\"group\":\"a\",\"weight\":0}"), "")), "\n  use_backend tg_a " WHEN "\n", "" },
    { "forward to a group that is not there", STATE("", LISTENER("80", "HTTP", "", FORWARD("{\"group\":\"a\"}"), "")), "!use_backend tg_", "" },
    { "forward to a group of TCP", STATE(GROUP("a", "TCP", ""), LISTENER("80", "HTTP", "", FORWARD("{\"group\":\"a\"}"), "")), "!use_backend tg_", "" },
    { "weights", STATE(GROUP("a", "HTTP", "") "," GROUP("b", "HTTP", ""), LISTENER("80", "HTTP", "", FORWARD("{\"group\":\"a\"},{\"group\":\"b\"}"), "")),
      "\n  use_backend tg_a " WHEN " { str(l1/a),map_str_int(/m,0),sub(txn.berth_rand) gt 0 }\n"
      "  use_backend tg_b " WHEN " { str(l1/b),map_str_int(/m,0),sub(txn.berth_rand) gt 0 }\n  use_backend berth_none " WHEN "\n", "" },
    { "TCP", STATE(GROUP("a", "TCP", ""), LISTENER("80", "TCP", "", FORWARD("{\"group\":\"a\"}"), "")), "\n  use_backend tg_a if TRUE\n", "" },
    { "the order of rules", STATE("", LISTENER("80", "HTTP", "", FIXED, "{\"arn\":\"x/r2\",\"priority\":2,\"action\":" FIXED "},"
                                                                       "{\"arn\":\"x/r1\",\"priority\":1,\"action\":" FIXED "}")),
      " str(r1) if !{ var(txn.berth_rule) -m found }\n  http-request set-var(txn.berth_rule) str(r2) if", "" },
    { "a group", STATE(GROUP("a", "HTTP", ",\"targets\":[" TARGET "]"), ""), "\nbackend tg_a\n  balance roundrobin\n  server 00000000000000aa 10.0.0.7:8080 weight 100\n", "" },
    { "a group of TCP", STATE(GROUP("a", "TCP", ",\"algorithm\":\"least_outstanding_requests\""), ""), "\nbackend tg_a\n  mode tcp\n  balance leastconn\n", "" },
    { "a group of TCP that keeps clients", STATE(GROUP("a", "TCP", ",\"stickinessSeconds\":3600"), ""),
      "\nbackend tg_a\n  mode tcp\n  balance roundrobin\n  stick-table type ipv6 size 100k expire 3600s\n  stick on src\n", "" },
    { "a random choice", STATE(GROUP("a", "HTTP", ",\"algorithm\":\"weighted_random\""), ""), "\n  balance random\n", "" },
    { "a name that is not valid", STATE(GROUP("a b", "HTTP", ""), ""), "!tg_", "" },
    { "checks", STATE(GROUP("a", "HTTP", CHECKED("HTTP", ",\"path\":\"/h x\",\"timeoutSeconds\":3,\"codes\":\"200,204-206\"")), ""),
      "\n  timeout check 3s\n  option httpchk\n  http-check send meth GET uri \"/h x\" ver HTTP/1.1 hdr Host berth hdr Connection close\n"
      "  http-check expect status 200,204-206\n", "" },
    { "codes that are not valid", STATE(GROUP("a", "HTTP", CHECKED("HTTP", ",\"codes\":\"200 string x\"")), ""), "\n  http-check expect status 200\n", "" },
    { "checks by connecting", STATE(GROUP("a", "HTTP", CHECKED("TCP", "")), ""), "!httpchk", "" },
    { "stickiness", STATE(GROUP("a", "HTTP", ",\"stickinessSeconds\":9"), ""), "\n  use-server %[req.cook(AWSALB)] if { req.cook(AWSALB) -m len 16 }\n", "" },
};

static int64_t stamp_of(const char *path) { return strcmp(path, "/c/own.pem") == 0 || strcmp(path, "/c/default.pem") == 0 ? 7 : 0; }

static const struct configuration_settings settings = { "/m", "81=8081,web:82=8082,other:83=8083", "/c", "stdout", stamp_of };

static void test_texts(struct arena *arena)
{
    for (size_t r = 0; r < COUNT_OF(texts); r++) {
        struct configuration made;
        bool without = texts[r].line[0] == '!';
        configuration_make(state_of(texts[r].row, str_from(texts[r].state), arena), &settings, 0, &made, arena);
        bool has = str_contains(made.text, str_from(texts[r].line + without));
        CHECK(texts[r].row, has != without);
        if (has == without) { fprintf(stderr, STR_FMT "\n", STR_ARG(made.text)); }
        CHECK_STR(texts[r].row, made.left_out.count == 0 ? STR("") : made.left_out.items[0], str_from(texts[r].left_out));
    }
}

static void test_version(struct arena *arena)
{
    static const char *const states[] = {                        /* the first two differ in targets and weights alone */
        STATE(GROUP("a", "HTTP", ""), LISTENER("80", "HTTP", "", FORWARD("{\"group\":\"a\",\"weight\":1}"), "")),
        STATE(GROUP("a", "HTTP", ",\"targets\":[" TARGET "]"), LISTENER("80", "HTTP", "", FORWARD("{\"group\":\"a\",\"weight\":2}"), "")),
        STATE(GROUP("a", "HTTP", ",\"stickinessSeconds\":1"), LISTENER("80", "HTTP", "", FORWARD("{\"group\":\"a\",\"weight\":1}"), "")),
    };
    struct configuration made[3];
    for (size_t n = 0; n < 3; n++) { configuration_make(state_of("version", str_from(states[n]), arena), &settings, 0, &made[n], arena); }
    CHECK_STR("targets and weights need no reload", made[1].version, made[0].version);
    CHECK("a group's settings do", !str_eq(made[2].version, made[0].version));
    CHECK("the text has it", str_contains(made[0].text, arena_printf(arena, "\n  description berth-" STR_FMT "\n", STR_ARG(made[0].version))));
}

static void test_figures(struct arena *arena)
{
    struct buf out = buf_in(arena);
    figures_print(STR("# pxname,svname\nl_web_80,FRONTEND,,,9,9,9,9\ntg_a,00000000000000aa,1,1,5,5,0,8\n"
                      "tg_a,BACKEND,1,2,3,4,5,60,7,8,9,10,,11,12,,,,,,,,,,,,,,,,,,,,,,,,,70,71,72,73,74,75\nberth_none,BACKEND,0,0,0,0,0,6\n"), &out);
    CHECK("requests", str_contains(buf_str(&out), STR("\nberth_ingress_requests_total{target_group=\"a\"} 60\n")));
    CHECK("errors", str_contains(buf_str(&out), STR("{target_group=\"a\",kind=\"connect\"} 11\nberth_ingress_errors_total{target_group=\"a\",kind=\"answer\"} 12\n")));
    CHECK("answers", str_contains(buf_str(&out), STR("{target_group=\"a\",status=\"1xx\"} 70\n")) && str_contains(buf_str(&out), STR("status=\"5xx\"} 74\n")));
    CHECK("only target groups", !str_contains(buf_str(&out), STR("none")));
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, 16 << 20);
    test_words(&arena);
    test_conditions(&arena);
    test_texts(&arena);
    test_version(&arena);
    test_figures(&arena);
    arena_finish(&arena);
    return check_report();
}
