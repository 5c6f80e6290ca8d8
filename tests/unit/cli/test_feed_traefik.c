/* Traefik's file: the rules, services and middlewares of listeners. Traefik 3.7 has read the same texts, and routed by them. */
#include "../check.h"
#include "base/num.h"
#include "cli/feed/follow.h"
#include "cli/feed/traefik.h"

#define TARGETS "\"targets\":[{\"number\":\"00000000000000aa\",\"address\":\"10.0.0.7\",\"port\":80,\"state\":\"healthy\"}]"
#define GROUP(name, more) "{\"name\":\"" name "\"," more TARGETS "}"
#define LISTENER(protocol, action, rules) "{\"arn\":\"x/l1\",\"loadBalancer\":\"web\",\"port\":81,\"protocol\":\"" protocol "\",\"action\":" action ",\"rules\":[" rules "]}"
#define RULE(conditions, action) "{\"arn\":\"x/r1\",\"priority\":10,\"conditions\":[" conditions "],\"action\":" action "}"
#define CONDITION(field, more, values) "{\"field\":\"" field "\"" more ",\"values\":[" values "]}"
#define TO(groups) "{\"type\":\"forward\",\"groups\":[" groups "]}"
#define STICKY(groups) "{\"type\":\"forward\",\"stickinessSeconds\":60,\"groups\":[" groups "]}"
#define PART(group, weight) "{\"group\":\"" group "\",\"weight\":" weight "}"
#define FIXED "{\"type\":\"fixed-response\",\"status\":404}"
#define HTTP "\"protocol\":\"HTTP\","

#define NONE "\"berth-none\":{\"loadBalancer\":{\"servers\":[]}}"
#define SERVERS(scheme) "\"servers\":[{\"url\":\"" scheme "://10.0.0.7:80\"}]"
#define SERVICE(name, more) "\"tg-" name "\":{\"loadBalancer\":{" SERVERS("http") more "}}"
#define ROUTER(name, rule, service, priority, more) \
    "\"" name "\":{\"entryPoints\":[\"web-81\"],\"rule\":\"" rule "\",\"service\":\"" service "\",\"priority\":" priority more "}"
#define LAST ROUTER("l1", "PathPrefix(`/`)", "berth-none", "1", "")
#define FILE_OF(routers, services) "{\"http\":{\"routers\":{" routers "},\"services\":{" NONE services "}}}\n"
/* One rule that sends to the group web. */
#define RULE_STATE(conditions) LISTENER("HTTP", FIXED, RULE(conditions, TO(PART("web", "1"))))
#define RULE_FILE(rule) FILE_OF(ROUTER("r1", rule, "tg-web", "59990", "") "," LAST, "," SERVICE("web", ""))
#define NO_RULE FILE_OF(LAST, "," SERVICE("web", ""))
#define REDIRECT(members) LISTENER("HTTP", "{\"type\":\"redirect\"" members "}", "")
#define REDIRECT_FILE(replacement, permanent) \
    "{\"http\":{\"routers\":{" ROUTER("l1", "PathPrefix(`/`)", "berth-none", "1", ",\"middlewares\":[\"l1\"]") "},\"services\":{" NONE "},\"middlewares\":{" \
    "\"l1\":{\"redirectRegex\":{\"regex\":\"^https?://([^/]*?)(?::[0-9]+)?(/[^?]*)([?](.*))?$\",\"replacement\":\"" replacement "\",\"permanent\":" permanent "}}}}}\n"

#define WEB GROUP("web", HTTP)
static const struct { const char *row, *groups, *listeners, *file; } rows[] = {
    { "no group: no object without members", "", "", "{\"http\":{\"services\":{" NONE "}}}\n" },
    { "a path", WEB, RULE_STATE(CONDITION("path-pattern", "", "\"/a\",\"/b?/*\"")), RULE_FILE("(PathRegexp(`^/a$`) || PathRegexp(`^/b./.*$`))") },
    { "neither quotes nor a template", WEB, RULE_STATE(CONDITION("path-pattern", "", "\"/`{{x\"")), RULE_FILE("(PathRegexp(`^/\\\\x60\\\\x7b\\\\x7bx$`))") },
    { "a host", WEB, RULE_STATE(CONDITION("host-header", "", "\"*.x\"")), RULE_FILE("(HostRegexp(`(?i)^.*\\\\x2ex$`))") },
    { "a header", WEB, RULE_STATE(CONDITION("http-header", ",\"header\":\"X-A\"", "\"b*\"")), RULE_FILE("(HeaderRegexp(`X-A`, `(?i)^b.*$`))") },
    { "a header's name that is more than a name", WEB, RULE_STATE(CONDITION("http-header", ",\"header\":\"X`\"", "\"b\"")), NO_RULE },
    { "a query, and a value without a key", WEB, RULE_STATE(CONDITION("query-string", "", "\"k=v*\",\"w\"")), RULE_FILE("(QueryRegexp(`k`, `(?i)^v.*$`))") },
    { "a key with a pattern", WEB, RULE_STATE(CONDITION("query-string", "", "\"k*=v\"")), NO_RULE },
    { "a method and an address", WEB, RULE_STATE(CONDITION("http-request-method", "", "\"GET\"") "," CONDITION("source-ip", "", "\"10.0.0.0/8\",\"fd00::/8\"")),
      RULE_FILE("(Method(`GET`)) && (ClientIP(`10.0.0.0/8`) || ClientIP(`fd00::/8`))") },
    { "neither of them", WEB, RULE_STATE(CONDITION("http-request-method", "", "\"GET`\"") "," CONDITION("source-ip", "", "\"10.0.0.0/8\"")), NO_RULE },
    { "an address that is no address", WEB, RULE_STATE(CONDITION("source-ip", "", "\"`\"")), NO_RULE },
    { "another field", WEB, RULE_STATE(CONDITION("moon-phase", "", "\"full\"")), NO_RULE },
    { "no condition", WEB, RULE_STATE(""), NO_RULE },
    { "weights", WEB "," GROUP("b", HTTP), LISTENER("HTTP", STICKY(PART("web", "0") "," PART("b", "7") "," PART("gone", "1")), ""),
      FILE_OF(ROUTER("l1", "PathPrefix(`/`)", "l1", "1", ""), "," SERVICE("web", "") "," SERVICE("b", "") ",\"l1\":{\"weighted\":{\"services\":["
              "{\"name\":\"tg-web\",\"weight\":0},{\"name\":\"tg-b\",\"weight\":7}],\"sticky\":{\"cookie\":{\"name\":\"AWSALBTG\",\"httpOnly\":true,\"maxAge\":60}}}}") },
    { "a group that is not there", "", LISTENER("HTTP", TO(PART("gone", "1")), ""), FILE_OF(LAST, "") },
    { "stickiness and checks", GROUP("web", HTTP "\"stickinessSeconds\":60,\"healthCheck\":{\"enabled\":true,\"protocol\":\"HTTP\",\"path\":\"/h\",\"port\":\"82\","
                                     "\"intervalSeconds\":5,\"timeoutSeconds\":2,\"codes\":\"204\"},"), "",
      "{\"http\":{\"services\":{" NONE "," SERVICE("web", ",\"sticky\":{\"cookie\":{\"name\":\"AWSALB\",\"httpOnly\":true,\"maxAge\":60}},\"healthCheck\":{\"path\":\"/h\","
                                                   "\"status\":204,\"interval\":\"5s\",\"timeout\":\"2s\",\"port\":82}") "}}}\n" },
    { "more codes than Traefik can say", GROUP("web", HTTP "\"healthCheck\":{\"enabled\":true,\"protocol\":\"HTTP\",\"codes\":\"200-399\"},"), "",
      "{\"http\":{\"services\":{" NONE "," SERVICE("web", "") "}}}\n" },
    { "TLS behind, and gRPC", GROUP("s", "\"protocol\":\"HTTPS\",") "," GROUP("g", HTTP "\"protocolVersion\":\"GRPC\","), "",
      "{\"http\":{\"services\":{" NONE ",\"tg-s\":{\"loadBalancer\":{" SERVERS("https") ",\"serversTransport\":\"berth\"}},\"tg-g\":{\"loadBalancer\":{" SERVERS("h2c") "}}},"
      "\"serversTransports\":{\"berth\":{\"insecureSkipVerify\":true}}}}\n" },
    { "TLS in front", "", LISTENER("HTTPS", FIXED, ""), FILE_OF("\"l1\":{\"entryPoints\":[\"web-81\"],\"rule\":\"PathPrefix(`/`)\",\"service\":\"berth-none\",\"tls\":{},\"priority\":1}", "") },
    { "TCP", GROUP("raw", "\"protocol\":\"TCP\","), LISTENER("TCP", TO(PART("raw", "1")), ""),
      "{\"http\":{\"services\":{" NONE "}},\"tcp\":{\"routers\":{\"l1\":{\"entryPoints\":[\"web-81\"],\"rule\":\"HostSNI(`*`)\",\"service\":\"tg-raw\"}},"
      "\"services\":{\"tg-raw\":{\"loadBalancer\":{\"servers\":[{\"address\":\"10.0.0.7:80\"}]}}}}}\n" },
    { "TCP to a group of HTTP", WEB, LISTENER("TLS", TO(PART("web", "1")), ""), "{\"http\":{\"services\":{" NONE "," SERVICE("web", "") "}}}\n" },
    { "UDP", "", LISTENER("UDP", FIXED, ""), "{\"http\":{\"services\":{" NONE "}}}\n" },
    { "a redirect", "", REDIRECT(",\"protocol\":\"HTTPS\",\"port\":\"443\",\"status\":301"), REDIRECT_FILE("https://${1}${2}${3}", "true") },
    { "… with all its members", "", REDIRECT(",\"host\":\"a.b\",\"path\":\"/$/#{path}\",\"query\":\"q=#{query}\",\"status\":302"), REDIRECT_FILE("http://a.b:81/$$${2}?q=${4}", "false") },
    { "… with a template", "", REDIRECT(",\"path\":\"/{{env}}\",\"status\":302"), FILE_OF(LAST, "") },
    { "names of another form", GROUP("x y", HTTP), "{\"arn\":\"x/l 1\",\"loadBalancer\":\"web\",\"port\":81,\"protocol\":\"HTTP\",\"action\":" FIXED "}",
      "{\"http\":{\"services\":{" NONE "}}}\n" },
};

int main(void)
{
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena;
        struct err err = { 0 };
        arena_init(&arena, 1 << 20);
        struct str text = arena_printf(&arena, "{\"revision\":1,\"groups\":[%s],\"listeners\":[%s]}", rows[r].groups, rows[r].listeners);
        const struct feed_state *state = feed_read(text, &arena, &err);
        struct buf out = buf_in(&arena);
        CHECK_STR(rows[r].row, str_from(err.message), STR(""));
        if (state == NULL) { continue; }
        traefik_put(state, &out);
        CHECK_STR(rows[r].row, buf_str(&out), str_from(rows[r].file));
        arena_finish(&arena);
    }
    return check_report();
}
