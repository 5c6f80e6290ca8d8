#include "cli/feed/caddy.h"

#include <stdlib.h>

#include "cli/feed/plan.h"

#define HANDLER  "tg-"
#define DRAINING "berth-draining"                                /* the server that keeps what drains, and the "@id" of its handler */
enum { BUSY_MAX = 256, ANSWER_MAX = 64 << 20, STATUS_GOOD = 200 };

/* ---- what Caddy has ---- */

struct handler { struct str id; const struct json *upstreams; };         /* NULL: it has none yet */
struct seen { struct handler *handlers; size_t count, room; struct arena *arena; };

/* Collects the handlers with an "@id". The depth of a JSON document is limited where it is read. */
static void find_handlers(const struct json *value, struct seen *seen)    // NOLINT(misc-no-recursion)
{
    if (value->type == JSON_ARRAY) {
        for (size_t i = 0; i < value->count; i++) { find_handlers(&value->as.items[i], seen); }
    }
    if (value->type != JSON_OBJECT) { return; }
    struct str id = json_get_str(value, STR("@id"));
    if (str_is_set(id) && str_eq(json_get_str(value, STR("handler")), STR("reverse_proxy"))) {
        if (seen->count == seen->room) {
            size_t wider = seen->room == 0 ? 16 : 2 * seen->room;
            seen->handlers = arena_grow(seen->arena, seen->handlers, seen->room * sizeof *seen->handlers, wider * sizeof *seen->handlers);
            seen->room = wider;
        }
        seen->handlers[seen->count++] = (struct handler){ id, json_get(value, STR("upstreams")) };
    }
    for (size_t m = 0; m < value->count; m++) { find_handlers(&value->as.members[m].value, seen); }
}

static const struct handler *find_handler(const struct seen *seen, struct str id)
{
    for (size_t h = 0; h < seen->count; h++) {
        if (str_eq(seen->handlers[h].id, id)) { return &seen->handlers[h]; }
    }
    return NULL;
}

/* The object of the list whose member has this text. */
static const struct json *find_in(const struct json *list, struct str member, struct str text)
{
    for (size_t i = 0; list != NULL && list->type == JSON_ARRAY && i < list->count; i++) {
        if (str_eq(json_get_str(&list->as.items[i], member), text)) { return &list->as.items[i]; }
    }
    return NULL;
}

/* ---- the plan ---- */

struct maker {
    struct caddy_plan *plan; struct arena *arena;
    const struct handler *parked; const struct json *counts;
    struct str_list draining;                                    /* addresses that must be in berth-draining */
};

static struct str upstreams_of(const struct str_list *addresses, struct arena *arena)
{
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '[');
    for (size_t a = 0; a < addresses->count; a++) {
        json_open(&out, '{');
        json_name(&out, STR("dial"));
        json_str(&out, addresses->items[a]);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    return buf_str(&text);
}

/* Has the handler these upstreams, in any order? */
static bool has_all(const struct handler *handler, const struct str_list *addresses)
{
    size_t count = handler != NULL && handler->upstreams != NULL ? handler->upstreams->count : 0;
    for (size_t a = 0; count == addresses->count && a < count; a++) {
        if (find_in(handler->upstreams, STR("dial"), addresses->items[a]) == NULL) { return false; }
    }
    return count == addresses->count;
}

/* A target that drains: it is busy if it leaves now, or has requests. */
static void drain(struct maker *maker, const struct handler *handler, const struct feed_target *target, struct str address)
{
    bool leaves = find_in(handler->upstreams, STR("dial"), address) != NULL;
    bool left = maker->parked != NULL && find_in(maker->parked->upstreams, STR("dial"), address) != NULL;
    if (!leaves && (!left || json_get_i64(find_in(maker->counts, STR("address"), address), STR("num_requests"), 0) <= 0)) { return; }
    maker->draining.items[maker->draining.count++] = address;
    if (maker->plan->busy.count < BUSY_MAX) { maker->plan->busy.items[maker->plan->busy.count++] = target->number; }
}

static void make_group(struct maker *maker, const struct feed_group *group, const struct handler *handler)
{
    struct str_list wanted = { ARENA_NEW(maker->arena, struct str, group->targets.count + 1), 0 };
    for (size_t t = 0; t < group->targets.count; t++) {
        struct feed_target target = group->targets.items[t];
        bool drains = str_eq(target.state, STR("draining"));
        if (drains) { target.state = STR("healthy"); }            /* its other members are checked as those of a healthy one */
        if (!plan_wants(&target)) { continue; }
        struct str address = plan_address(&target, maker->arena);
        if (drains) { drain(maker, handler, &target, address); } else { wanted.items[wanted.count++] = address; }
    }
    if (handler->upstreams != NULL && has_all(handler, &wanted)) { return; }
    maker->plan->requests[maker->plan->count++] = (struct caddy_request){
        handler->upstreams == NULL ? "PUT" : "PATCH", arena_printf(maker->arena, "/id/" STR_FMT "/upstreams", STR_ARG(handler->id)),
        upstreams_of(&wanted, maker->arena),
    };
}

/* The request that makes berth-draining have the addresses that drain. */
static struct caddy_request make_draining(const struct maker *maker)
{
    static const struct str path = STR_INIT("/config/apps/http/servers/" DRAINING);
    if (maker->draining.count == 0) { return (struct caddy_request){ "DELETE", path, STR("") }; }
    struct str upstreams = upstreams_of(&maker->draining, maker->arena);
    return (struct caddy_request){ "POST", path, arena_printf(maker->arena, "{\"listen\":[],\"routes\":[{\"handle\":[{\"@id\":\"" DRAINING "\","
        "\"handler\":\"reverse_proxy\",\"upstreams\":" STR_FMT "}]}]}", STR_ARG(upstreams)) };
}

static size_t count_targets(const struct feed_state *state)
{
    size_t count = 0;
    for (size_t g = 0; g < state->groups.count; g++) { count += state->groups.items[g].targets.count; }
    return count;
}

void caddy_make(const struct feed_state *state, const struct json *config, const struct json *upstreams, struct caddy_plan *plan, struct arena *arena)
{
    size_t targets = count_targets(state);
    struct seen seen = { .arena = arena };
    find_handlers(config, &seen);
    *plan = (struct caddy_plan){ .requests = ARENA_NEW(arena, struct caddy_request, state->groups.count + 1), .count = 1,
                                 .busy = { ARENA_NEW(arena, struct str, targets + 1), 0 } };
    struct maker maker = { plan, arena, find_handler(&seen, STR(DRAINING)), upstreams, { ARENA_NEW(arena, struct str, targets + 1), 0 } };
    for (size_t g = 0; g < state->groups.count; g++) {
        const struct feed_group *group = &state->groups.items[g];
        const struct handler *handler = plan_is_name(group->name) ? find_handler(&seen, arena_printf(arena, HANDLER STR_FMT, STR_ARG(group->name))) : NULL;
        if (handler == NULL) { continue; }                        /* this proxy does not carry the group */
        plan->carried++;
        make_group(&maker, group, handler);
    }
    /* The first of all: an address that is in no handler between two requests would lose its count. */
    plan->requests[0] = make_draining(&maker);
    if (maker.draining.count == 0 ? maker.parked == NULL : has_all(maker.parked, &maker.draining)) {
        plan->requests++;
        plan->count--;
    }
}

/* ---- asking ---- */

static bool ask(const struct caddy *caddy, const struct caddy_request *request, struct str *answer, struct arena *arena, struct err *err)
{
    long status;
    struct str admin = str_from(caddy->admin);
    if (str_ends_with(admin, STR("/"))) { admin.len--; }
    struct str url = arena_printf(arena, STR_FMT STR_FMT, STR_ARG(admin), STR_ARG(request->path));
    if (!remote_plain(request->method, url.ptr, request->body, ANSWER_MAX, &status, answer, arena, err)) { return false; }
    struct str start = str_trim(str_shorten(*answer, 200));
    return status == STATUS_GOOD || err_set(err, ERR_SERVER, "Caddy refuses %s " STR_FMT " with status %ld: " STR_FMT, request->method,
                                            STR_ARG(request->path), status, STR_ARG(start));
}

static const struct json *get(const struct caddy *caddy, struct str path, struct arena *arena, struct err *err)
{
    struct str answer;
    struct err why = { 0 };
    if (!ask(caddy, &(struct caddy_request){ "GET", path, STR("") }, &answer, arena, err)) { return NULL; }
    const struct json *json = json_parse(answer, arena, &why);
    if (json == NULL) { err_set(err, ERR_SERVER, "%s" STR_FMT " is not Caddy's admin API: %s", caddy->admin, STR_ARG(path), why.message); }
    return json;
}

bool caddy_apply(void *context, const struct feed_state *state, struct feed_applied *applied, struct arena *arena, struct err *err)
{
    const struct caddy *caddy = context;
    struct caddy_plan plan;
    const struct json *config = get(caddy, STR("/config/"), arena, err);
    const struct json *upstreams = config == NULL ? NULL : get(caddy, STR("/reverse_proxy/upstreams"), arena, err);
    if (upstreams == NULL) { return false; }
    caddy_make(state, config, upstreams, &plan, arena);
    if (plan.carried == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "no reverse_proxy handler of Caddy has the \"@id\" " HANDLER "NAME of a target group NAME.");
    }
    for (size_t r = 0; r < plan.count && !applied->partly; r++) {          /* each may need those before it */
        struct str answer;
        applied->partly = !ask(caddy, &plan.requests[r], &answer, arena, err);
    }
    applied->busy = plan.busy;
    applied->soon = plan.busy.count > 0;
    return true;
}
