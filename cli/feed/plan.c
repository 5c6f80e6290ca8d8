#include "cli/feed/plan.h"

#include <stdlib.h>

#include "base/num.h"

enum { NUMBER_LEN = 16, NAME_MAX_LEN = 128, PORT_MAX = 65535, WEIGHT_FULL = 100, WEIGHT_STEP = 10, PARTS = 1000, BUSY_MAX = 256 };

/* ---- names from outside ---- */

bool plan_is_name(struct str text)
{
    for (size_t c = 0; c < text.len; c++) {
        char letter = text.ptr[c];
        bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
        if (!plain && letter != '-' && letter != '_' && letter != '.') { return false; }
    }
    return text.len > 0 && text.len <= NAME_MAX_LEN;
}

static bool is_number(struct str text)
{
    for (size_t c = 0; c < text.len; c++) {
        if (str_hex_value(text.ptr[c]) < 0) { return false; }
    }
    return text.len == NUMBER_LEN;
}

static bool is_address(struct str text)
{
    for (size_t c = 0; c < text.len; c++) {
        if (str_hex_value(text.ptr[c]) < 0 && text.ptr[c] != '.' && text.ptr[c] != ':') { return false; }
    }
    return text.len > 0 && text.len <= NAME_MAX_LEN;
}

bool plan_wants(const struct feed_target *target)
{
    return str_eq(target->state, STR("healthy")) && is_number(target->number) && is_address(target->address)
           && target->port.value > 0 && target->port.value <= PORT_MAX;
}

struct str plan_address(const struct feed_target *target, struct arena *arena)
{
    bool six = str_find(target->address, ':') < target->address.len;
    return arena_printf(arena, "%s" STR_FMT "%s:%lld", six ? "[" : "", STR_ARG(target->address), six ? "]" : "", (long long)target->port.value);
}

/* ---- a server ---- */

int64_t plan_weight(const struct feed_group *group, const struct feed_target *target, int64_t now_ms)
{
    int64_t span_ms = group->slow_start_seconds.value * 1000, past_ms = now_ms - target->since.value;
    if (span_ms <= 0 || past_ms >= span_ms) { return WEIGHT_FULL; }
    return max_i64(WEIGHT_STEP, max_i64(past_ms, 0) * WEIGHT_FULL / span_ms / WEIGHT_STEP * WEIGHT_STEP);
}

static bool checks(const struct feed_group *group)
{
    return group->health_check != NULL && group->health_check->enabled != OPT_FALSE;
}

void plan_put_server(const struct feed_group *group, const struct feed_target *target, struct buf *out)
{
    const struct feed_check *check = group->health_check;
    buf_put(out, plan_address(target, out->arena));
    if (checks(group)) {
        int64_t port;
        buf_printf(out, " check inter %llds rise 1 fall %lld", (long long)max_i64(check->interval_seconds.value, 1),
                   (long long)max_i64(check->unhealthy.value, 1));
        if (str_to_i64(check->port, &port) && port > 0 && port <= PORT_MAX) { buf_printf(out, " port %lld", (long long)port); }
    }
    if (str_eq(group->protocol, STR("HTTPS")) || str_eq(group->protocol, STR("TLS"))) { buf_put(out, STR(" ssl verify none")); }
    if (str_eq(group->protocol_version, STR("HTTP2")) || str_eq(group->protocol_version, STR("GRPC"))) { buf_put(out, STR(" proto h2")); }
}

/* ---- what HAProxy has ---- */

static int by_name(const void *a, const void *b)
{
    const struct plan_server *left = a, *right = b;
    int order = str_cmp(left->backend, right->backend);
    return order != 0 ? order : str_cmp(left->name, right->name);
}

static int by_backend(const void *a, const void *b) { return str_cmp(((const struct plan_backend *)a)->name, ((const struct plan_backend *)b)->name); }

void plan_sort(struct plan_seen *seen)
{
    if (seen->server_count > 0) { qsort(seen->servers, seen->server_count, sizeof *seen->servers, by_name); }
    if (seen->backend_count > 0) { qsort(seen->backends, seen->backend_count, sizeof *seen->backends, by_backend); }
}

static const struct plan_server *find_server(const struct plan_seen *seen, struct str backend, struct str name)
{
    const struct plan_server wanted = { .backend = backend, .name = name };
    return seen->server_count == 0 ? NULL : bsearch(&wanted, seen->servers, seen->server_count, sizeof wanted, by_name);
}

/* The servers of a backend: the first, and how many. */
static const struct plan_server *servers_of(const struct plan_seen *seen, struct str backend, size_t *count)
{
    size_t from = 0, to;
    while (from < seen->server_count && !str_eq(seen->servers[from].backend, backend)) { from++; }
    for (to = from; to < seen->server_count && str_eq(seen->servers[to].backend, backend); to++) { }
    *count = to - from;
    return seen->servers + from;
}

/* ---- the commands ---- */

struct maker { struct plan *plan; struct arena *arena; size_t room, busy_room; };

static void add_to(struct str_list *list, size_t *room, struct str text, struct arena *arena)
{
    if (list->count == *room) {
        size_t wider = *room == 0 ? 16 : 2 * *room;
        list->items = arena_grow(arena, list->items, *room * sizeof *list->items, wider * sizeof *list->items);
        *room = wider;
    }
    list->items[list->count++] = text;
}

#define COMMAND(maker, ...) add_to(&(maker)->plan->commands, &(maker)->room, arena_printf((maker)->arena, __VA_ARGS__), (maker)->arena)

/* Enables a server. A health check of HAProxy begins only when it is asked for. */
static void ready(struct maker *maker, const struct feed_group *group, struct str backend, struct str name)
{
    if (checks(group)) { COMMAND(maker, "enable health " STR_FMT "/" STR_FMT, STR_ARG(backend), STR_ARG(name)); }
    COMMAND(maker, "set server " STR_FMT "/" STR_FMT " state ready", STR_ARG(backend), STR_ARG(name));
}

static void want(struct maker *maker, const struct feed_group *group, const struct feed_target *target, struct str backend, const struct plan_server *server,
                 int64_t now_ms)
{
    int64_t weight = plan_weight(group, target, now_ms);
    if (server == NULL) {
        struct buf text = buf_in(maker->arena);
        plan_put_server(group, target, &text);
        COMMAND(maker, "add server " STR_FMT "/" STR_FMT " " STR_FMT " weight %lld", STR_ARG(backend), STR_ARG(target->number), STR_ARG(buf_str(&text)),
                (long long)weight);
    } else if (server->weight != weight) {
        COMMAND(maker, "set server " STR_FMT "/" STR_FMT " weight %lld", STR_ARG(backend), STR_ARG(target->number), (long long)weight);
    }
    if (server == NULL || server->admin != 0) { ready(maker, group, backend, target->number); }
}

/* A cookie would bring requests to a server that drains, so a group with stickiness takes it out at once. */
static void release(struct maker *maker, const struct feed_group *group, const struct plan_server *server, bool drains)
{
    bool out = group->stickiness_seconds.value > 0;
    bool stopped = (server->admin & (out ? SERVER_MAINT : SERVER_MAINT | SERVER_DRAIN)) != 0;
    if (!stopped) {
        COMMAND(maker, "set server " STR_FMT "/" STR_FMT " state %s", STR_ARG(server->backend), STR_ARG(server->name), out ? "maint" : "drain");
    }
    if (!stopped || server->requests > 0) {
        if (drains && maker->plan->busy.count < BUSY_MAX) { add_to(&maker->plan->busy, &maker->busy_room, server->name, maker->arena); }
        maker->plan->waits = true;
        return;
    }
    if ((server->admin & SERVER_MAINT) == 0) {
        COMMAND(maker, "set server " STR_FMT "/" STR_FMT " state maint", STR_ARG(server->backend), STR_ARG(server->name));
    }
    COMMAND(maker, "del server " STR_FMT "/" STR_FMT, STR_ARG(server->backend), STR_ARG(server->name));
}

static int by_number(const void *a, const void *b)
{
    const struct feed_target *const *left = a, *const *right = b;
    return str_cmp((*left)->number, (*right)->number);
}

/* The backend of the group; absent: this proxy does not carry it. */
static struct str backend_of(const struct feed_group *group, const struct plan_seen *seen, struct arena *arena)
{
    const struct plan_backend its = { .name = arena_printf(arena, PLAN_BACKEND STR_FMT, STR_ARG(group->name)) };
    bool carried = plan_is_name(group->name) && seen->backend_count > 0
        && bsearch(&its, seen->backends, seen->backend_count, sizeof its, by_backend) != NULL;
    return carried ? its.name : (struct str){ NULL, 0 };
}

static void want_targets(struct maker *maker, const struct feed_group *group, const struct plan_seen *seen, int64_t now_ms)
{
    struct str backend = backend_of(group, seen, maker->arena);
    for (size_t t = 0; str_is_set(backend) && t < group->targets.count; t++) {
        const struct feed_target *target = &group->targets.items[t];
        if (plan_wants(target)) { want(maker, group, target, backend, find_server(seen, backend, target->number), now_ms); }
    }
}

static void release_servers(struct maker *maker, const struct feed_group *group, const struct plan_seen *seen)
{
    struct str backend = backend_of(group, seen, maker->arena);
    if (!str_is_set(backend)) { return; }
    const struct feed_target **targets = ARENA_NEW(maker->arena, const struct feed_target *, group->targets.count + 1);
    for (size_t t = 0; t < group->targets.count; t++) { targets[t] = &group->targets.items[t]; }
    qsort(targets, group->targets.count, sizeof *targets, by_number);
    size_t count;
    const struct plan_server *servers = servers_of(seen, backend, &count);
    for (size_t s = 0; s < count; s++) {
        const struct feed_target key = { .number = servers[s].name }, *wanted = &key;
        const struct feed_target **found = bsearch(&wanted, targets, group->targets.count, sizeof *targets, by_number);
        if (is_number(servers[s].name) && (found == NULL || !plan_wants(*found))) {
            release(maker, group, &servers[s], found != NULL && str_eq((*found)->state, STR("draining")));
        }
    }
}

static void make_weights(struct maker *maker, const struct feed_state *state, const struct plan_seen *seen)
{
    struct pair_list wanted = plan_weights(state, maker->arena);
    for (size_t w = 0; w < wanted.count; w++) {
        const struct pair *pair = &wanted.items[w];
        size_t s = 0;
        while (s < seen->weights.count && !str_eq(seen->weights.items[s].key, pair->key)) { s++; }
        if (s < seen->weights.count && str_eq(seen->weights.items[s].value, pair->value)) { continue; }
        COMMAND(maker, "%s map " STR_FMT " " STR_FMT " " STR_FMT, s < seen->weights.count ? "set" : "add", STR_ARG(seen->map), STR_ARG(pair->key),
                STR_ARG(pair->value));
    }
}

void plan_make(const struct feed_state *state, const struct plan_seen *seen, int64_t now_ms, struct plan *plan, struct arena *arena)
{
    struct maker maker = { .plan = plan, .arena = arena };
    *plan = (struct plan){ .waits = false };
    /* A group has servers before it gets requests, and gives its requests away before it loses servers. */
    for (size_t g = 0; g < state->groups.count; g++) { want_targets(&maker, &state->groups.items[g], seen, now_ms); }
    if (str_is_set(seen->map)) { make_weights(&maker, state, seen); }
    for (size_t g = 0; g < state->groups.count; g++) { release_servers(&maker, &state->groups.items[g], seen); }
}

/* ---- weights ---- */

struct str plan_end_of(struct str arn)
{
    size_t from = arn.len;
    while (from > 0 && arn.ptr[from - 1] != '/') { from--; }
    return str_slice(arn, from, arn.len);
}

struct str plan_weight_key(struct str arn, struct str group, struct arena *arena)
{
    return arena_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(plan_end_of(arn)), STR_ARG(group));
}

static int64_t weight_of(const struct feed_choice *choice) { return max_i64(choice->weight.value, 0); }

static void add_weights(struct pair_list *list, size_t *room, struct str arn, const struct feed_action *action, struct arena *arena)
{
    int64_t sum = 0, so_far = 0;
    if (action->groups.count < 2 || !plan_is_name(plan_end_of(arn))) { return; }
    for (size_t g = 0; g < action->groups.count; g++) { sum += weight_of(&action->groups.items[g]); }
    for (size_t g = 0; g < action->groups.count; g++) {
        const struct feed_choice *choice = &action->groups.items[g];
        if (!plan_is_name(choice->group)) { continue; }
        if (list->count == *room) {
            size_t wider = *room == 0 ? 16 : 2 * *room;
            list->items = arena_grow(arena, list->items, *room * sizeof *list->items, wider * sizeof *list->items);
            *room = wider;
        }
        so_far += weight_of(choice);
        list->items[list->count++] = (struct pair){ plan_weight_key(arn, choice->group, arena),
                                                    arena_printf(arena, "%lld", (long long)(sum == 0 ? 0 : so_far * PARTS / sum)) };
    }
}

struct pair_list plan_weights(const struct feed_state *state, struct arena *arena)
{
    struct pair_list list = { 0 };
    size_t room = 0;
    for (size_t l = 0; l < state->listeners.count; l++) {
        const struct feed_listener *listener = &state->listeners.items[l];
        add_weights(&list, &room, listener->arn, listener->action, arena);
        for (size_t r = 0; r < listener->rules.count; r++) { add_weights(&list, &room, listener->rules.items[r].arn, listener->rules.items[r].action, arena); }
    }
    return list;
}
