#include "cli/feed/configuration.h"

#include <stdlib.h>

#include "cli/feed/conditions.h"
#include "cli/feed/plan.h"

enum { PORTS_MAX = 256, PORT_MAX = 65535 };
#define RULE_IS "{ var(txn.berth_rule) -m str " STR_FMT " }"

struct writer {
    const struct feed_state *state; const struct configuration_settings *settings;
    int64_t now_ms; bool with_servers;
    struct buf *out; struct str_list *left_out, *certificates; size_t room, certificates_room;
    int64_t ports[PORTS_MAX]; size_t port_count;                 /* taken by listeners so far */
};

/* ---- words ---- */

static void add_to(struct str_list *list, size_t *room, struct str text, struct arena *arena)
{
    if (list->count == *room) {
        size_t wider = *room == 0 ? 16 : 2 * *room;
        list->items = arena_grow(arena, list->items, *room * sizeof *list->items, wider * sizeof *list->items);
        *room = wider;
    }
    list->items[list->count++] = text;
}

static bool is_tcp(struct str protocol) { return str_eq(protocol, STR("TCP")) || str_eq(protocol, STR("TLS")); }
static bool is_encrypted(struct str protocol) { return str_eq(protocol, STR("HTTPS")) || str_eq(protocol, STR("TLS")); }

/* Can a listener of the protocol send to the group? */
static bool can_send(const struct writer *writer, struct str group, bool tcp)
{
    for (size_t g = 0; g < writer->state->groups.count; g++) {
        const struct feed_group *kept = &writer->state->groups.items[g];
        if (str_eq(kept->name, group)) { return plan_is_name(group) && is_tcp(kept->protocol) == tcp; }
    }
    return false;
}

/* ---- actions ---- */

/* `condition`: when the action is that of a rule; TRUE for a listener of TCP. */
static void put_forward(struct writer *writer, struct str arn, const struct feed_action *action, struct str condition, bool tcp)
{
    struct buf *out = writer->out;
    bool weighted = action->groups.count > 1, sticky = weighted && !tcp && action->stickiness_seconds.value > 0;
    for (int step = sticky ? 0 : 1; step < 2; step++) {
        for (size_t g = 0; g < action->groups.count; g++) {
            struct str group = action->groups.items[g].group;
            if (!can_send(writer, group, tcp)) { continue; }
            buf_printf(out, "  use_backend " PLAN_BACKEND STR_FMT " if " STR_FMT, STR_ARG(group), STR_ARG(condition));
            if (step == 0) {
                buf_printf(out, " { req.cook(AWSALBTG) -m str " STR_FMT " } { nbsrv(" PLAN_BACKEND STR_FMT ") gt 0 }", STR_ARG(group), STR_ARG(group));
            } else if (weighted) {
                struct str key = plan_weight_key(arn, group, out->arena);
                buf_printf(out, " { str(" STR_FMT "),map_str_int(%s,0),sub(txn.berth_rand) gt 0 }", STR_ARG(key), writer->settings->map);
            }
            buf_put_char(out, '\n');
        }
    }
    if (weighted || action->groups.count == 0) { buf_printf(out, "  use_backend berth_none if " STR_FMT "\n", STR_ARG(condition)); }
}

static void put_redirect(struct writer *writer, const struct feed_listener *listener, int64_t port, const struct feed_action *action, struct str condition)
{
    static const struct conditions_url url = {
        STR_INIT("%[req.hdr(host),field(1,:)]"), STR_INIT("%[path]"), STR_INIT("%[query]"), STR_INIT("%[var(txn.berth_query)]"), '%',
    };
    struct buf location = buf_in(writer->out->arena);
    conditions_put_location(action, is_encrypted(listener->protocol), port, &url, &location);
    buf_printf(writer->out, "  http-request redirect code %d location ", action->status.value == 301 ? 301 : 302);
    conditions_put_quoted(buf_str(&location), writer->out);
    buf_printf(writer->out, " if " STR_FMT "\n", STR_ARG(condition));
}

static void put_fixed(struct writer *writer, const struct feed_action *action, struct str condition)
{
    struct buf *out = writer->out;
    bool known = action->status.value >= 200 && action->status.value <= 599;
    buf_printf(out, "  http-request return status %lld", (long long)(known ? action->status.value : 503));
    if (action->body.len > 0) {
        buf_put(out, STR(" content-type "));
        conditions_put_quoted(action->content_type.len > 0 ? action->content_type : STR("text/plain"), out);
        buf_put(out, STR(" string "));
        conditions_put_quoted(action->body, out);
    }
    buf_printf(out, " if " STR_FMT "\n", STR_ARG(condition));
}

/* Answers of HAProxy itself, then backends: HAProxy reads all http-request lines before it chooses a backend. */
static void put_answer(struct writer *writer, const struct feed_listener *listener, int64_t port, struct str arn, const struct feed_action *action)
{
    struct str condition = arena_printf(writer->out->arena, RULE_IS, STR_ARG(plan_end_of(arn)));
    if (str_eq(action->type, STR("redirect"))) { put_redirect(writer, listener, port, action, condition); }
    if (str_eq(action->type, STR("fixed-response"))) { put_fixed(writer, action, condition); }
    if (str_eq(action->type, STR("forward")) && action->groups.count > 1 && action->stickiness_seconds.value > 0) {
        buf_printf(writer->out, "  http-request set-var(txn.berth_sticky) int(%lld) if " STR_FMT "\n", (long long)action->stickiness_seconds.value,
                   STR_ARG(condition));
    }
}

static void put_backends(struct writer *writer, struct str arn, const struct feed_action *action)
{
    struct str condition = arena_printf(writer->out->arena, RULE_IS, STR_ARG(plan_end_of(arn)));
    if (str_eq(action->type, STR("forward"))) { put_forward(writer, arn, action, condition, false); }
}

/* ---- listeners ---- */

static int by_priority(const void *a, const void *b)
{
    const struct feed_rule *left = a, *right = b;
    return left->priority.value < right->priority.value ? -1 : left->priority.value > right->priority.value;
}

/* The rules that can be written, in their order. */
static struct feed_rule_list rules_of(struct writer *writer, const struct feed_listener *listener)
{
    struct feed_rule_list rules = { ARENA_NEW(writer->out->arena, struct feed_rule, listener->rules.count + 1), 0 };
    for (size_t r = 0; r < listener->rules.count; r++) {
        const struct feed_rule *rule = &listener->rules.items[r];
        if (plan_is_name(plan_end_of(rule->arn))) { rules.items[rules.count++] = *rule; }
    }
    qsort(rules.items, rules.count, sizeof *rules.items, by_priority);
    return rules;
}

static void put_http(struct writer *writer, const struct feed_listener *listener, int64_t port)
{
    struct buf *out = writer->out;
    struct feed_rule_list rules = rules_of(writer, listener);
    buf_printf(out, "  http-request disable-l7-retry unless { method GET HEAD OPTIONS }\n"
                    "  http-request set-header X-Forwarded-Proto %s\n  http-request set-header X-Forwarded-Port %lld\n"
                    "  http-request set-var(txn.berth_rand) rand(1000)\n"
                    "  http-request set-var-fmt(txn.berth_query) ?%%[query] if { query -m len gt 0 }\n",
               is_encrypted(listener->protocol) ? "https" : "http", (long long)port);
    for (size_t r = 0; r < rules.count; r++) { conditions_put(&rules.items[r], out); }
    buf_printf(out, "  http-request set-var(txn.berth_rule) str(" STR_FMT ") unless { var(txn.berth_rule) -m found }\n", STR_ARG(plan_end_of(listener->arn)));
    for (size_t r = 0; r < rules.count; r++) { put_answer(writer, listener, port, rules.items[r].arn, rules.items[r].action); }
    put_answer(writer, listener, port, listener->arn, listener->action);
    buf_put(out, STR("  http-response add-header Set-Cookie \"AWSALBTG=%[be_name,regsub(^tg_,)]; Max-Age=%[var(txn.berth_sticky)]; Path=/; HttpOnly\""
                     " if { var(txn.berth_sticky) -m found }\n"));
    for (size_t r = 0; r < rules.count; r++) { put_backends(writer, rules.items[r].arn, rules.items[r].action); }
    put_backends(writer, listener->arn, listener->action);
}

/* The port to listen on: that of the listener, or its second one. */
static int64_t port_of(const struct writer *writer, const struct feed_listener *listener)
{
    struct str rest = str_from(writer->settings->map_ports), item, from, to, balancer, port;
    while (rest.len > 0) {
        int64_t from_port, to_port;
        str_cut(rest, ',', &item, &rest);
        if (!str_cut(item, '=', &from, &to)) { continue; }
        bool named = str_cut(from, ':', &balancer, &port);
        if (str_to_i64(named ? port : from, &from_port) && str_to_i64(to, &to_port) && from_port == listener->port.value
            && (!named || str_eq(balancer, listener->load_balancer))) {
            return to_port;
        }
    }
    return listener->port.value;
}

/* " crt FILE" for each certificate, or for default.pem. False: there is none. */
static bool put_certificates(struct writer *writer, const struct feed_listener *listener, struct buf *out, struct buf *stamps)
{
    const char *folder = writer->settings->certificates;
    size_t before = out->len;
    for (size_t c = 0; folder != NULL && c <= listener->certificates.count; c++) {
        bool last = c == listener->certificates.count;
        struct str name = last ? STR("default") : plan_end_of(listener->certificates.items[c]);
        const char *path = arena_printf(out->arena, "%s/" STR_FMT ".pem", folder, STR_ARG(name)).ptr;
        int64_t stamp = (last && out->len > before) || !plan_is_name(name) ? 0 : writer->settings->stamp(path);
        if (stamp == 0) { continue; }
        buf_printf(stamps, "  # " STR_FMT ".pem of %lld\n", STR_ARG(name), (long long)stamp);
        buf_put(out, STR(" crt "));
        conditions_put_quoted(str_from(path), out);
        add_to(writer->certificates, &writer->certificates_room, str_from(path), out->arena);
    }
    return out->len > before;
}

static bool take_port(struct writer *writer, int64_t port)
{
    for (size_t p = 0; p < writer->port_count; p++) {
        if (writer->ports[p] == port) { return false; }
    }
    if (writer->port_count == PORTS_MAX || port <= 0 || port > PORT_MAX) { return false; }
    writer->ports[writer->port_count++] = port;
    return true;
}

static void put_listener(struct writer *writer, const struct feed_listener *listener)
{
    struct arena *arena = writer->out->arena;
    struct buf *out = writer->out, bind = buf_in(arena), stamps = buf_in(arena);
    bool tcp = is_tcp(listener->protocol), encrypted = is_encrypted(listener->protocol);
    int64_t port = port_of(writer, listener);
    const char *why = NULL;
    if (encrypted) { buf_put(&bind, STR(" ssl")); }
    if (!tcp && !str_eq(listener->protocol, STR("HTTP")) && !str_eq(listener->protocol, STR("HTTPS"))) {
        why = "HAProxy has no such protocol";
    } else if (!plan_is_name(listener->load_balancer) || !plan_is_name(plan_end_of(listener->arn))) {
        why = "its name can't be written";
    } else if (encrypted && !put_certificates(writer, listener, &bind, &stamps)) {
        why = "no certificate is in the folder of --certificates";
    } else if (!take_port(writer, port)) {
        why = "another listener has its port, or there are too many; see --map-ports";
    }
    if (why != NULL) {
        struct str sentence = arena_printf(arena, "the listener of " STR_FMT " at port %lld (" STR_FMT ") is left out: %s.", STR_ARG(listener->load_balancer),
                                           (long long)listener->port.value, STR_ARG(listener->protocol), why);
        add_to(writer->left_out, &writer->room, sentence, arena);
        return;
    }
    buf_printf(out, "\nfrontend l_" STR_FMT "_%lld\n  bind :%lld" STR_FMT "%s\n" STR_FMT, STR_ARG(listener->load_balancer),
               (long long)listener->port.value, (long long)port, STR_ARG(buf_str(&bind)), encrypted && !tcp ? " alpn h2,http/1.1" : "",
               STR_ARG(buf_str(&stamps)));
    if (!tcp) {
        put_http(writer, listener, port);
        return;
    }
    buf_put(out, STR("  mode tcp\n  option tcplog\n  tcp-request content set-var(txn.berth_rand) rand(1000)\n"));
    put_forward(writer, listener->arn, listener->action, STR("TRUE"), true);
}

/* ---- target groups ---- */

static bool is_codes(struct str codes)
{
    for (size_t c = 0; c < codes.len; c++) {
        if ((codes.ptr[c] < '0' || codes.ptr[c] > '9') && codes.ptr[c] != ',' && codes.ptr[c] != '-') { return false; }
    }
    return codes.len > 0;
}

static void put_check(const struct feed_check *check, struct buf *out)
{
    if (check->timeout_seconds.value > 0) { buf_printf(out, "  timeout check %llds\n", (long long)check->timeout_seconds.value); }
    if (!str_eq(check->protocol, STR("HTTP")) && !str_eq(check->protocol, STR("HTTPS"))) { return; }
    buf_put(out, STR("  option httpchk\n  http-check send meth GET uri "));
    conditions_put_quoted(check->path.len > 0 ? check->path : STR("/"), out);
    buf_printf(out, " ver HTTP/1.1 hdr Host berth hdr Connection close\n  http-check expect status " STR_FMT "\n",
               STR_ARG(is_codes(check->codes) ? check->codes : STR("200")));
}

static void put_group(const struct writer *writer, const struct feed_group *group)
{
    static const struct { struct str algorithm; const char *balance; } balances[] = {
        { STR_INIT("least_outstanding_requests"), "leastconn" }, { STR_INIT("weighted_random"), "random" },
    };
    const char *balance = "roundrobin";
    struct buf *out = writer->out;
    for (size_t b = 0; b < COUNT_OF(balances); b++) { balance = str_eq(group->algorithm, balances[b].algorithm) ? balances[b].balance : balance; }
    buf_printf(out, "\nbackend " PLAN_BACKEND STR_FMT "\n", STR_ARG(group->name));
    if (is_tcp(group->protocol)) { buf_put(out, STR("  mode tcp\n")); }
    buf_printf(out, "  balance %s\n", balance);
    if (group->health_check != NULL && group->health_check->enabled != OPT_FALSE) { put_check(group->health_check, out); }
    if (group->stickiness_seconds.value > 0 && is_tcp(group->protocol)) {
        buf_printf(out, "  stick-table type ipv6 size 100k expire %llds\n  stick on src\n", (long long)group->stickiness_seconds.value);
    } else if (group->stickiness_seconds.value > 0) {
        buf_printf(out, "  use-server %%[req.cook(AWSALB)] if { req.cook(AWSALB) -m len 16 }\n"
                        "  http-response add-header Set-Cookie \"AWSALB=%%[srv_name]; Max-Age=%lld; Path=/; HttpOnly\" if { srv_name -m len 16 }\n",
                   (long long)group->stickiness_seconds.value);
    }
    for (size_t t = 0; writer->with_servers && t < group->targets.count; t++) {
        const struct feed_target *target = &group->targets.items[t];
        if (!plan_wants(target)) { continue; }
        buf_printf(out, "  server " STR_FMT " ", STR_ARG(target->number));
        plan_put_server(group, target, out);
        buf_printf(out, " weight %lld\n", (long long)plan_weight(group, target, writer->now_ms));
    }
}

/* ---- all of it ---- */

static void put_log(const char *access_log, struct buf *out)
{
    if (str_eq(str_from(access_log), STR("off"))) { return; }
    if (str_eq(str_from(access_log), STR("stdout"))) {
        buf_put(out, STR("  log stdout format raw local0\n"));
        return;
    }
    buf_put(out, STR("  log "));
    conditions_put_quoted(str_from(access_log), out);
    buf_put(out, STR(" local0\n"));
}

static void put_all(struct writer *writer, struct str version)
{
    static const char defaults[] =
        "\ndefaults\n  mode http\n  log global\n  option httplog\n  option forwardfor\n  option redispatch 1\n  option idle-close-on-response\n"
        "  retries 3\n  retry-on conn-failure empty-response\n  timeout connect 2s\n  timeout client 60s\n  timeout server 60s\n"
        "  timeout http-request 10s\n  timeout http-keep-alive 60s\n  timeout tunnel 1h\n";
    struct buf *out = writer->out;
    buf_printf(out, "# Written by berth ingress, which writes it again when listeners, rules or target groups change.\n\nglobal\n"
                    "  description berth-" STR_FMT "\n  hard-stop-after 1h\n", STR_ARG(version));
    put_log(writer->settings->access_log, out);
    buf_put(out, str_from(defaults));
    for (size_t l = 0; l < writer->state->listeners.count; l++) { put_listener(writer, &writer->state->listeners.items[l]); }
    for (size_t g = 0; g < writer->state->groups.count; g++) {
        if (plan_is_name(writer->state->groups.items[g].name)) { put_group(writer, &writer->state->groups.items[g]); }
    }
    if (writer->port_count == 0) {                               /* HAProxy does not run without a listener: this one has no clients */
        buf_put(out, STR("\nfrontend berth_none\n  bind "));
        conditions_put_quoted(arena_printf(out->arena, "unix@%s.sock", writer->settings->map), out);
        buf_put(out, STR(" mode 600\n"));
    }
    buf_put(out, STR("\nbackend berth_none\n"));
}

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv: begun with 14695981039346656037. */
static uint64_t hash_on(uint64_t hash, struct str text)
{
    for (size_t c = 0; c < text.len; c++) { hash = (hash ^ (unsigned char)text.ptr[c]) * 1099511628211u; }
    return hash;
}

void configuration_make(const struct feed_state *state, const struct configuration_settings *settings, int64_t now_ms, struct configuration *out,
                        struct arena *arena)
{
    struct buf bare = buf_in(arena), text = buf_in(arena);
    struct str_list ignored = { NULL, 0 }, ignored_too = { NULL, 0 };
    struct writer writer = { .state = state, .settings = settings, .now_ms = now_ms, .out = &bare, .left_out = &ignored,
                             .certificates = &ignored_too };
    static const uint64_t begin = 14695981039346656037u;
    put_all(&writer, STR(""));
    *out = (struct configuration){ .version = arena_printf(arena, "%016llx", (unsigned long long)hash_on(begin, buf_str(&bare))),
                                   .left_out_hash = begin };
    writer = (struct writer){ .state = state, .settings = settings, .now_ms = now_ms, .with_servers = true, .out = &text, .left_out = &out->left_out,
                              .certificates = &out->certificates };
    put_all(&writer, out->version);
    for (size_t n = 0; n < out->left_out.count; n++) { out->left_out_hash = hash_on(out->left_out_hash, out->left_out.items[n]); }
    out->text = buf_str(&text);
}

struct str configuration_map(const struct feed_state *state, struct arena *arena)
{
    struct pair_list weights = plan_weights(state, arena);
    struct buf text = buf_in(arena);
    for (size_t w = 0; w < weights.count; w++) { buf_printf(&text, STR_FMT " " STR_FMT "\n", STR_ARG(weights.items[w].key), STR_ARG(weights.items[w].value)); }
    return buf_str(&text);
}
