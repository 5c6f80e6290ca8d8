#include "cli/feed/traefik.h"

#include "base/json.h"
#include "cli/feed/conditions.h"
#include "cli/feed/plan.h"

#define NOTHING "berth-none"                                     /* a service without servers: Traefik answers 503 */
enum { PRIORITY_FIRST = 60000, PRIORITY_LAST = 1 };              /* the greatest is the first; ELB's go to 50000, and there the least is the first */

/* Traefik refuses an object without members, so the members of each are collected first. */
enum part { HTTP_ROUTERS, HTTP_SERVICES, HTTP_MIDDLEWARES, HTTP_TRANSPORTS, TCP_ROUTERS, TCP_SERVICES, PART_COUNT };
static const struct { const char *protocol; struct str name; } parts[PART_COUNT] = {
    [HTTP_ROUTERS] = { "http", STR_INIT("routers") }, [HTTP_SERVICES] = { "http", STR_INIT("services") },
    [HTTP_MIDDLEWARES] = { "http", STR_INIT("middlewares") }, [HTTP_TRANSPORTS] = { "http", STR_INIT("serversTransports") },
    [TCP_ROUTERS] = { "tcp", STR_INIT("routers") }, [TCP_SERVICES] = { "tcp", STR_INIT("services") },
};
struct writer { const struct feed_state *state; struct arena *arena; struct buf texts[PART_COUNT]; struct json_out outs[PART_COUNT]; };

static void open_in(struct json_out *out, struct str name, char bracket)
{
    json_key(out, name);
    json_open(out, bracket);
}

static void put_member(struct json_out *out, struct str name, struct str value)
{
    json_name(out, name);
    json_str(out, value);
}

static void put_number(struct json_out *out, struct str name, int64_t value)
{
    json_name(out, name);
    json_i64(out, value);
}

static bool is_tcp(struct str protocol) { return str_eq(protocol, STR("TCP")) || str_eq(protocol, STR("TLS")); }
static bool is_encrypted(struct str protocol) { return str_eq(protocol, STR("HTTPS")) || str_eq(protocol, STR("TLS")); }
static struct str service_of(struct str group, struct arena *arena) { return arena_printf(arena, "tg-" STR_FMT, STR_ARG(group)); }

/* ---- target groups ---- */

static void put_sticky(struct json_out *out, const char *cookie, int64_t seconds)
{
    if (seconds <= 0) { return; }
    open_in(out, STR("sticky"), '{');
    open_in(out, STR("cookie"), '{');
    put_member(out, STR("name"), str_from(cookie));
    json_name(out, STR("httpOnly"));
    json_bool(out, true);
    put_number(out, STR("maxAge"), seconds);
    json_close(out, '}');
    json_close(out, '}');
}

/* Traefik knows one status or all below 400, so a check with other codes is left to Berth. */
static void put_check(struct json_out *out, const struct feed_group *group, struct arena *arena)
{
    const struct feed_check *check = group->health_check;
    int64_t code, port;
    bool asks = check != NULL && check->enabled != OPT_FALSE && str_eq(check->protocol, group->protocol) && !str_eq(group->protocol_version, STR("GRPC"));
    if (!asks || !str_to_i64(check->codes, &code) || str_contains(check->path, STR("{{"))) { return; }
    open_in(out, STR("healthCheck"), '{');
    put_member(out, STR("path"), check->path.len > 0 ? check->path : STR("/"));
    put_number(out, STR("status"), code);
    if (check->interval_seconds.value > 0) { put_member(out, STR("interval"), arena_printf(arena, "%llds", (long long)check->interval_seconds.value)); }
    if (check->timeout_seconds.value > 0) { put_member(out, STR("timeout"), arena_printf(arena, "%llds", (long long)check->timeout_seconds.value)); }
    if (str_to_i64(check->port, &port)) { put_number(out, STR("port"), port); }
    json_close(out, '}');
}

static void put_servers(struct json_out *out, const struct feed_group *group, struct arena *arena)
{
    bool h2 = str_eq(group->protocol_version, STR("GRPC")) || str_eq(group->protocol_version, STR("HTTP2"));
    const char *scheme = is_encrypted(group->protocol) ? "https" : h2 ? "h2c" : "http";
    open_in(out, STR("servers"), '[');
    for (size_t t = 0; t < group->targets.count; t++) {
        if (!plan_wants(&group->targets.items[t])) { continue; }
        struct str address = plan_address(&group->targets.items[t], arena);
        json_open(out, '{');
        if (is_tcp(group->protocol)) {
            put_member(out, STR("address"), address);
        } else {
            put_member(out, STR("url"), arena_printf(arena, "%s://" STR_FMT, scheme, STR_ARG(address)));
        }
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_group(struct writer *writer, const struct feed_group *group)
{
    bool tcp = is_tcp(group->protocol), https = str_eq(group->protocol, STR("HTTPS"));
    struct json_out *out = &writer->outs[tcp ? TCP_SERVICES : HTTP_SERVICES];
    open_in(out, service_of(group->name, writer->arena), '{');
    open_in(out, STR("loadBalancer"), '{');
    put_servers(out, group, writer->arena);
    if (!tcp) {
        put_sticky(out, "AWSALB", group->stickiness_seconds.value);
        put_check(out, group, writer->arena);
    }
    if (https) { put_member(out, STR("serversTransport"), STR("berth")); }
    json_close(out, '}');
    json_close(out, '}');
    if (https && writer->texts[HTTP_TRANSPORTS].len == 0) {       /* as with ELB, the certificates of targets are not checked */
        json_raw(&writer->outs[HTTP_TRANSPORTS], STR("\"berth\":{\"insecureSkipVerify\":true}"));
    }
}

/* ---- actions ---- */

static bool can_send(const struct writer *writer, struct str group, bool tcp)
{
    for (size_t g = 0; g < writer->state->groups.count; g++) {
        const struct feed_group *kept = &writer->state->groups.items[g];
        if (str_eq(kept->name, group)) { return plan_is_name(group) && is_tcp(kept->protocol) == tcp; }
    }
    return false;
}

static void put_weighted(struct writer *writer, struct str name, const struct feed_action *action, bool tcp)
{
    struct json_out *out = &writer->outs[tcp ? TCP_SERVICES : HTTP_SERVICES];
    open_in(out, name, '{');
    open_in(out, STR("weighted"), '{');
    open_in(out, STR("services"), '[');
    for (size_t g = 0; g < action->groups.count; g++) {
        const struct feed_choice *choice = &action->groups.items[g];
        if (!can_send(writer, choice->group, tcp)) { continue; }
        json_open(out, '{');
        put_member(out, STR("name"), service_of(choice->group, writer->arena));
        put_number(out, STR("weight"), choice->weight.value);
        json_close(out, '}');
    }
    json_close(out, ']');
    if (!tcp) { put_sticky(out, "AWSALBTG", action->stickiness_seconds.value); }
    json_close(out, '}');
    json_close(out, '}');
}

/* The service to which the action sends; absent: none. `name` is the router's. */
static struct str service_for(struct writer *writer, struct str name, const struct feed_action *action, bool tcp)
{
    size_t sent = 0;
    for (size_t g = 0; str_eq(action->type, STR("forward")) && g < action->groups.count; g++) { sent += can_send(writer, action->groups.items[g].group, tcp); }
    if (sent == 0) { return (struct str){ NULL, 0 }; }
    if (action->groups.count == 1) { return service_of(action->groups.items[0].group, writer->arena); }
    put_weighted(writer, name, action, tcp);
    return name;
}

/* False: it is no redirect, or has a text that Traefik would read as a template. */
static bool put_redirect(struct writer *writer, struct str name, const struct feed_listener *listener, const struct feed_action *action)
{
    static const struct conditions_url url = { STR_INIT("${1}"), STR_INIT("${2}"), STR_INIT("${4}"), STR_INIT("${3}"), '$' };
    struct json_out *out = &writer->outs[HTTP_MIDDLEWARES];
    struct buf location = buf_in(writer->arena);
    if (!str_eq(action->type, STR("redirect"))) { return false; }
    conditions_put_location(action, is_encrypted(listener->protocol), listener->port.value, &url, &location);
    if (str_contains(buf_str(&location), STR("{{"))) { return false; }
    open_in(out, name, '{');
    open_in(out, STR("redirectRegex"), '{');
    put_member(out, STR("regex"), STR("^https?://([^/]*?)(?::[0-9]+)?(/[^?]*)([?](.*))?$"));
    put_member(out, STR("replacement"), buf_str(&location));
    json_name(out, STR("permanent"));
    json_bool(out, action->status.value == 301);
    json_close(out, '}');
    json_close(out, '}');
    return true;
}

/* ---- rules ---- */

/* A value of a condition. False: Traefik's rules can't say it. */
static bool put_value(const struct feed_condition *condition, struct str value, struct buf *out)
{
    struct str field = condition->field, key, pattern = value;
    if (str_eq(field, STR("source-ip"))) {
        if (conditions_is_network(value)) { buf_printf(out, "ClientIP(`" STR_FMT "`)", STR_ARG(value)); }
        return conditions_is_network(value);
    }
    if (str_eq(field, STR("http-request-method"))) {
        if (plan_is_name(value)) { buf_printf(out, "Method(`" STR_FMT "`)", STR_ARG(value)); }
        return plan_is_name(value);
    }
    if (str_eq(field, STR("path-pattern"))) {
        buf_put(out, STR("PathRegexp(`^"));
    } else if (str_eq(field, STR("host-header"))) {
        buf_put(out, STR("HostRegexp(`(?i)^"));
    } else if (str_eq(field, STR("http-header")) && plan_is_name(condition->header)) {
        buf_printf(out, "HeaderRegexp(`" STR_FMT "`, `(?i)^", STR_ARG(condition->header));
    } else if (str_eq(field, STR("query-string")) && str_cut(value, '=', &key, &pattern) && plan_is_name(key)) {
        buf_printf(out, "QueryRegexp(`" STR_FMT "`, `(?i)^", STR_ARG(key));
    } else {
        return false;
    }
    conditions_put_pattern(pattern, ".", out);
    buf_put(out, STR("$`)"));
    return true;
}

/* All conditions, each with any of its values. False: one can't be said. */
static bool put_conditions(const struct feed_rule *rule, struct buf *out)
{
    for (size_t c = 0; c < rule->conditions.count; c++) {
        const struct feed_condition *condition = &rule->conditions.items[c];
        struct buf any = buf_in(out->arena);
        for (size_t v = 0; v < condition->values.count; v++) {
            struct buf one = buf_in(out->arena);
            if (put_value(condition, condition->values.items[v], &one)) { buf_printf(&any, "%s" STR_FMT, any.len > 0 ? " || " : "", STR_ARG(buf_str(&one))); }
        }
        if (any.len == 0) { return false; }
        buf_printf(out, "%s(" STR_FMT ")", out->len > 0 ? " && " : "", STR_ARG(buf_str(&any)));
    }
    return out->len > 0;
}

/* ---- listeners ---- */

static void put_router(struct json_out *out, struct str name, const struct feed_listener *listener, struct str rule, struct str service, struct arena *arena)
{
    open_in(out, name, '{');
    open_in(out, STR("entryPoints"), '[');
    json_str(out, arena_printf(arena, STR_FMT "-%lld", STR_ARG(listener->load_balancer), (long long)listener->port.value));
    json_close(out, ']');
    put_member(out, STR("rule"), rule);
    put_member(out, STR("service"), service);
    if (is_encrypted(listener->protocol)) {
        open_in(out, STR("tls"), '{');
        json_close(out, '}');
    }
}

/* A router for the action of a rule, or of the listener itself. */
static void put_http(struct writer *writer, const struct feed_listener *listener, struct str arn, const struct feed_action *action, struct str rule,
                     int64_t priority)
{
    struct json_out *out = &writer->outs[HTTP_ROUTERS];
    struct str name = plan_end_of(arn);
    if (!plan_is_name(name)) { return; }
    struct str service = service_for(writer, name, action, false);
    bool redirects = put_redirect(writer, name, listener, action);
    put_router(out, name, listener, rule, str_is_set(service) ? service : STR(NOTHING), writer->arena);
    put_number(out, STR("priority"), priority);
    if (redirects) {
        open_in(out, STR("middlewares"), '[');
        json_str(out, name);
        json_close(out, ']');
    }
    json_close(out, '}');
}

static void put_listener(struct writer *writer, const struct feed_listener *listener)
{
    struct str name = plan_end_of(listener->arn);
    if (!plan_is_name(listener->load_balancer) || !plan_is_name(name)) { return; }
    if (is_tcp(listener->protocol)) {
        struct str service = service_for(writer, name, listener->action, true);
        if (!str_is_set(service)) { return; }                     /* connections without a router are closed */
        put_router(&writer->outs[TCP_ROUTERS], name, listener, STR("HostSNI(`*`)"), service, writer->arena);
        json_close(&writer->outs[TCP_ROUTERS], '}');
        return;
    }
    if (!str_eq(listener->protocol, STR("HTTP")) && !str_eq(listener->protocol, STR("HTTPS"))) { return; }
    for (size_t r = 0; r < listener->rules.count; r++) {
        const struct feed_rule *rule = &listener->rules.items[r];
        struct buf text = buf_in(writer->arena);
        if (put_conditions(rule, &text)) { put_http(writer, listener, rule->arn, rule->action, buf_str(&text), PRIORITY_FIRST - rule->priority.value); }
    }
    put_http(writer, listener, listener->arn, listener->action, STR("PathPrefix(`/`)"), PRIORITY_LAST);
}

void traefik_put(const struct feed_state *state, struct buf *buf)
{
    struct writer writer = { .state = state, .arena = buf->arena };
    struct json_out out = json_out_to(buf);
    const char *open = "";
    for (enum part p = 0; p < PART_COUNT; p++) {
        writer.texts[p] = buf_in(buf->arena);
        writer.outs[p] = json_out_to(&writer.texts[p]);
    }
    json_raw(&writer.outs[HTTP_SERVICES], STR("\"" NOTHING "\":{\"loadBalancer\":{\"servers\":[]}}"));
    for (size_t g = 0; g < state->groups.count; g++) {
        if (plan_is_name(state->groups.items[g].name)) { put_group(&writer, &state->groups.items[g]); }
    }
    for (size_t l = 0; l < state->listeners.count; l++) { put_listener(&writer, &state->listeners.items[l]); }
    json_open(&out, '{');
    for (enum part p = 0; p < PART_COUNT; p++) {
        if (writer.texts[p].len == 0) { continue; }
        if (strcmp(open, parts[p].protocol) != 0) {
            if (open[0] != '\0') { json_close(&out, '}'); }
            open = parts[p].protocol;
            open_in(&out, str_from(open), '{');
        }
        json_name(&out, parts[p].name);
        json_raw(&out, arena_printf(buf->arena, "{" STR_FMT "}", STR_ARG(buf_str(&writer.texts[p]))));
    }
    json_close(&out, '}');
    json_close(&out, '}');
    buf_put_char(buf, '\n');
}
