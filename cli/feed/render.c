#include "cli/feed/render.h"

#include "cli/feed/names.h"
#include "cli/feed/plan.h"
#include "cli/feed/traefik.h"

/* ---- walking ---- */

typedef void put_target(const struct feed_group *group, const struct feed_target *target, void *context);

/* Calls `put` for each healthy target of the group. Gives their number. */
static size_t each_target(const struct feed_group *group, put_target *put, void *context)
{
    size_t count = 0;
    for (size_t t = 0; t < group->targets.count; t++) {
        if (!plan_wants(&group->targets.items[t])) { continue; }
        put(group, &group->targets.items[t], context);
        count++;
    }
    return count;
}

static void each(const struct feed_state *state, put_target *put, void *context)
{
    for (size_t g = 0; g < state->groups.count; g++) {
        if (plan_is_name(state->groups.items[g].name)) { (void)each_target(&state->groups.items[g], put, context); }
    }
}

static void put_member(struct json_out *out, struct str name, struct str value)
{
    json_name(out, name);
    json_str(out, value);
}

/* ---- Prometheus: file_sd, http_sd ---- */

static void put_prometheus_target(const struct feed_group *group, const struct feed_target *target, void *context)
{
    struct json_out *out = context;
    json_open(out, '{');
    json_name(out, STR("targets"));
    json_open(out, '[');
    json_str(out, plan_address(target, out->buf->arena));
    json_close(out, ']');
    json_name(out, STR("labels"));
    json_open(out, '{');
    put_member(out, STR("__meta_berth_target_group"), group->name);
    put_member(out, STR("__meta_berth_zone"), target->zone);
    put_member(out, STR("__meta_berth_task"), target->task);
    json_close(out, '}');
    json_close(out, '}');
}

static void put_prometheus(const struct feed_state *state, struct buf *buf)
{
    struct json_out out = json_out_to(buf);
    json_open(&out, '[');
    each(state, put_prometheus_target, &out);
    json_close(&out, ']');
    buf_put_char(buf, '\n');
}

/* ---- nginx ---- */

static void put_nginx_server(const struct feed_group *group, const struct feed_target *target, void *context)
{
    struct buf *out = context;
    (void)group;
    buf_printf(out, "  server " STR_FMT " max_fails=2 fail_timeout=10s;\n", STR_ARG(plan_address(target, out->arena)));
}

/* nginx refuses an upstream without a server. */
static void put_nginx(const struct feed_state *state, struct buf *out)
{
    for (size_t g = 0; g < state->groups.count; g++) {
        const struct feed_group *group = &state->groups.items[g];
        if (!plan_is_name(group->name)) { continue; }
        buf_printf(out, "upstream " PLAN_BACKEND STR_FMT " {\n", STR_ARG(group->name));
        if (str_eq(group->algorithm, STR("least_outstanding_requests"))) { buf_put(out, STR("  least_conn;\n")); }
        if (str_eq(group->algorithm, STR("weighted_random"))) { buf_put(out, STR("  random;\n")); }
        if (each_target(group, put_nginx_server, out) == 0) { buf_put(out, STR("  server 127.0.0.1:9 down;\n")); }
        buf_put(out, STR("  keepalive 32;\n}\n"));
    }
}

/* ---- Envoy: endpoints (EDS) ---- */

static void put_endpoint(struct json_out *out, const struct feed_target *target, struct str health)
{
    json_open(out, '{');
    put_member(out, STR("health_status"), health);
    json_name(out, STR("endpoint"));
    json_open(out, '{');
    json_name(out, STR("address"));
    json_open(out, '{');
    json_name(out, STR("socket_address"));
    json_open(out, '{');
    put_member(out, STR("address"), target->address);
    json_name(out, STR("port_value"));
    json_i64(out, target->port.value);
    for (int closed = 0; closed < 4; closed++) { json_close(out, '}'); }
}

/* Envoy ends the requests of an endpoint that drains, so these are in it. */
static void put_endpoints(struct json_out *out, const struct feed_group *group)
{
    json_open(out, '{');
    json_name(out, STR("lb_endpoints"));
    json_open(out, '[');
    for (size_t t = 0; t < group->targets.count; t++) {
        struct feed_target target = group->targets.items[t];
        bool drains = str_eq(target.state, STR("draining"));
        if (drains) { target.state = STR("healthy"); }               /* its other members are checked as those of a healthy one */
        if (plan_wants(&target)) { put_endpoint(out, &target, drains ? STR("DRAINING") : STR("HEALTHY")); }
    }
    json_close(out, ']');
    json_close(out, '}');
}

static void put_envoy(const struct feed_state *state, struct buf *buf)
{
    struct json_out out = json_out_to(buf);
    json_open(&out, '{');
    put_member(&out, STR("version_info"), arena_printf(buf->arena, "%lld", (long long)state->revision.value));
    json_name(&out, STR("resources"));
    json_open(&out, '[');
    for (size_t g = 0; g < state->groups.count; g++) {
        const struct feed_group *group = &state->groups.items[g];
        if (!plan_is_name(group->name)) { continue; }
        json_open(&out, '{');
        put_member(&out, STR("@type"), STR("type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"));
        put_member(&out, STR("cluster_name"), arena_printf(buf->arena, PLAN_BACKEND STR_FMT, STR_ARG(group->name)));
        json_name(&out, STR("endpoints"));
        json_open(&out, '[');
        put_endpoints(&out, group);
        json_close(&out, ']');
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
    buf_put_char(buf, '\n');
}

/* ---- all of them ---- */

static const struct render renders[] = {
    { STR_INIT("prometheus"), false, false, put_prometheus }, { STR_INIT("hosts"), false, true, names_put_hosts },
    { STR_INIT("srv"), false, true, names_put_zone },         { STR_INIT("nginx"), true, false, put_nginx },
    { STR_INIT("traefik"), true, false, traefik_put },        { STR_INIT("envoy"), true, false, put_envoy },
};

const struct render *render_find(struct str kind)
{
    for (size_t r = 0; r < COUNT_OF(renders); r++) {
        if (str_eq(renders[r].kind, kind)) { return &renders[r]; }
    }
    return NULL;
}
