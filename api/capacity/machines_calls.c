/* machines_calls.c: the next call of a pool to its provisioner, as JSON (protocol berth-provisioner/1; docs/provisioners.md). The server adds what it knows
 * of the call itself: "protocol", "request" and "deadline_s".
 *
 *   list   {"pool":"gpu"}
 *   plan   offers.c
 *   up     {"pool":"gpu","attempt":1,"machines":[{"id":"m-…","type":"g5.xlarge","alternatives":["…"],"reason":"…","zone":"…",
 *           "join":{"server":"http://…","cluster":"…","token":"…","attributes":{"berth.machine-id":"m-…"}},"launch_template":{"id":"…","version":"…"},
 *           "tags":{"Name":"…"},"subnets":["…"]}],"handles":["…"]}
 *   down   {"pool":"gpu","attempt":1,"machines":[{"id":"m-…","handle":"…","reason":"…","mode":"terminate"}],"handles":["…"]}
 *          mode: or "suspend" (berth:suspend) */
#include "api/capacity/machines.h"

#include "api/amazon/templates.h"
#include "api/capacity/scale.h"
#include "base/num.h"

struct call_out { struct op_ctx *ctx; const struct kept_pool *pool; struct buf buf, handles; struct json_out json; int64_t attempts; bool sleeps; };

static void put_text(struct json_out *json, struct str key, struct str value)
{
    if (!str_is_set(value)) { return; }
    json_key(json, key);
    json_str(json, value);
}

static void put_list(struct json_out *json, struct str key, const struct str_list *list, struct str without)
{
    json_key(json, key);
    json_open(json, '[');
    for (size_t i = 0; i < list->count; i++) {
        if (!str_eq(list->items[i], without)) { json_str(json, list->items[i]); }
    }
    json_close(json, ']');
}

static const struct launch_template_data *template_of(struct op_ctx *ctx, const struct kept_pool *pool)
{
    return str_is_set(pool->template) ? template_data(ctx, pool->template, pool->template_version) : NULL;
}

/* That of the pool's provider. A group may order machines before it has one: then its template names the cluster. Absent: nobody does. */
static struct str cluster_to_join(struct op_ctx *ctx, const struct kept_pool *pool, const struct kept_machine *machine)
{
    int64_t number = machine->cluster != 0 ? machine->cluster : pool->cluster;
    const struct cluster *cluster = number == 0 ? NULL : support_kept_cluster_by_number(ctx, number);
    return cluster != NULL ? cluster->name : template_cluster(template_of(ctx, pool), ctx->arena);
}

static void put_join(struct call_out *out, const struct kept_machine *machine, struct str id)
{
    struct op_ctx *ctx = out->ctx;
    json_key(&out->json, STR("join"));
    json_open(&out->json, '{');
    put_text(&out->json, STR("server"), ctx->config->join);
    put_text(&out->json, STR("cluster"), cluster_to_join(ctx, out->pool, machine));
    put_text(&out->json, STR("token"), machine->token);
    json_key(&out->json, STR("attributes"));
    json_open(&out->json, '{');
    put_text(&out->json, STR(MACHINE_ID_ATTRIBUTE), id);
    json_close(&out->json, '}');
    json_close(&out->json, '}');
}

/* A group's tag goes before one of the template with the same key. */
static void put_tags(struct call_out *out)
{
    const struct kept_pool *pool = out->pool;
    const struct launch_template_data *data = template_of(out->ctx, pool);
    struct str_list keys = { ARENA_NEW(out->ctx->arena, struct str, pool->tags.count), 0 };
    json_key(&out->json, STR("tags"));
    json_open(&out->json, '{');
    for (size_t t = 0; t < pool->tags.count; t++) {
        if (pool->tags.items[t].propagate_at_launch != OPT_TRUE) { continue; }
        put_text(&out->json, pool->tags.items[t].key, pool->tags.items[t].value);
        keys.items[keys.count++] = pool->tags.items[t].key;
    }
    for (size_t s = 0; data != NULL && s < data->tags.count; s++) {
        const struct template_tags *one = &data->tags.items[s];
        for (size_t t = 0; str_eq(one->resource_type, STR("instance")) && t < one->tags.count; t++) {
            if (!str_list_has(&keys, one->tags.items[t].key)) { put_text(&out->json, one->tags.items[t].key, one->tags.items[t].value); }
        }
    }
    json_close(&out->json, '}');
}

static void put_template(struct call_out *out)
{
    const struct kept_pool *pool = out->pool;
    struct json_out *json = &out->json;
    json_key(json, STR("launch_template"));
    json_open(json, '{');
    put_text(json, STR("id"), pool->template);
    put_text(json, STR("version"), pool->template_version);
    json_close(json, '}');
    put_tags(out);
    put_list(json, STR("subnets"), &pool->subnets, STR(""));
}

static void put_machine(struct call_out *out, const struct kept_machine *machine)
{
    struct str id = machine_id_text(machine->id, out->ctx->arena);
    struct json_out *json = &out->json;
    bool up = machine->state == MACHINE_ORDERED;
    json_open(json, '{');
    put_text(json, STR("id"), id);
    put_text(json, STR("handle"), machine->reference);
    put_text(json, STR("type"), machine->type);
    put_text(json, STR("reason"), machine->reason);
    if (up) {
        put_list(json, STR("alternatives"), &out->pool->types, machine->type);
        put_text(json, STR("zone"), machine->zone);
        put_join(out, machine, id);
        put_template(out);
    } else {
        put_text(json, STR("mode"), out->sleeps ? STR("suspend") : STR("terminate"));
    }
    json_close(json, '}');
    out->attempts = max_i64(out->attempts, machine->attempts);
}

static void put_stray(struct call_out *out, const struct pool_stray *stray)
{
    json_open(&out->json, '{');
    put_text(&out->json, STR("id"), stray->id);
    put_text(&out->json, STR("handle"), stray->handle);
    put_text(&out->json, STR("reason"), STR("the pool has no such machine"));
    put_text(&out->json, STR("mode"), STR("terminate"));
    json_close(&out->json, '}');
}

static struct call_out begin(const struct pool_look *look)
{
    return (struct call_out){ .ctx = look->ctx, .pool = look->pool, .buf = buf_in(look->ctx->arena), .handles = buf_in(look->ctx->arena),
                              .sleeps = look->rules.sleeps };
}

/* The handles of machines that are there, so that a list of hosts knows which are taken. */
static void put_handles(const struct pool_look *look, struct buf *buf)
{
    struct json_out json = json_out_to(buf);
    json_open(&json, '[');
    for (size_t m = 0; m < look->count; m++) {
        if (str_is_set(look->machines[m].reference)) { json_str(&json, look->machines[m].reference); }
    }
    json_close(&json, ']');
}

static void name_call(struct call_out *out, struct str verb, struct str body)
{
    support_provision(out->ctx, &(struct provision_call){
        .provisioner = out->pool->provisioner, .pool = out->pool->name, .number = out->pool->call, .verb = verb, .body = body,
    });
}

static struct json_out begin_body(const struct call_out *out, struct buf *body)
{
    struct json_out json = json_out_to(body);
    json_open(&json, '{');
    put_text(&json, STR("pool"), out->pool->name);
    return json;
}

static void call_list(const struct pool_look *look)
{
    struct call_out out = begin(look);
    struct json_out json = begin_body(&out, &out.buf);
    json_close(&json, '}');
    name_call(&out, STR("list"), buf_str(&out.buf));
}

static void call_plan(const struct pool_look *look)
{
    struct call_out out = begin(look);
    struct json_out json = begin_body(&out, &out.buf);
    const struct str_list types = capacity_candidates(look);
    int64_t have = machines_counted(look->machines, look->count);
    put_handles(look, &out.handles);
    json_key(&json, STR("wanted"));
    json_i64(&json, max_i64(look->pool->desired - have, 0));
    put_list(&json, STR("types"), &types, STR(""));
    json_key(&json, STR("handles"));
    json_raw(&json, buf_str(&out.handles));
    json_close(&json, '}');
    name_call(&out, STR("plan"), buf_str(&out.buf));
}

/* Strays are ended after two lists, unless they are adopted. Returns how many. */
static size_t put_strays(struct call_out *out, const struct pool_look *look)
{
    size_t named = 0;
    for (size_t s = 0; !look->rules.adopts && s < look->pool->strays.count && named < PROVISION_BATCH; s++) {
        const struct pool_stray *stray = &look->pool->strays.items[s];
        if (!str_is_set(stray->id) || stray->lists < 2) { continue; }
        put_stray(out, stray);
        named++;
    }
    return named;
}

/* False: no machine in this state waits for a call. */
static bool call_for(const struct pool_look *look, enum machine_state state)
{
    struct call_out out = begin(look);
    struct buf body = buf_in(look->ctx->arena);
    bool down = state == MACHINE_STOPPING;
    out.json = json_out_to(&out.buf);
    json_open(&out.json, '[');
    size_t named = down ? put_strays(&out, look) : 0;
    for (size_t m = 0; m < look->count && named < PROVISION_BATCH; m++) {
        if (look->machines[m].state != state || look->machines[m].next_ms > look->ctx->now_ms) { continue; }
        put_machine(&out, &look->machines[m]);
        named++;
    }
    json_close(&out.json, ']');
    if (named == 0) { return false; }
    put_handles(look, &out.handles);
    struct json_out json = begin_body(&out, &body);
    json_key(&json, STR("attempt"));
    json_i64(&json, out.attempts + 1);
    json_key(&json, STR("machines"));
    json_raw(&json, buf_str(&out.buf));
    json_key(&json, STR("handles"));
    json_raw(&json, buf_str(&out.handles));
    json_close(&json, '}');
    name_call(&out, down ? STR("down") : STR("up"), buf_str(&body));
    return true;
}

bool machines_call(const struct pool_look *look)
{
    const struct kept_pool *pool = look->pool;
    int64_t now_ms = look->ctx->now_ms;
    bool may_order = pool->blocked_until_ms <= now_ms && pool->refused != OPT_TRUE;
    if (pool->list_ms <= now_ms) {
        call_list(look);
        return true;
    }
    if (pool->plan_due == OPT_TRUE) {
        call_plan(look);
        return true;
    }
    return call_for(look, MACHINE_STOPPING) || (may_order && call_for(look, MACHINE_ORDERED));
}
