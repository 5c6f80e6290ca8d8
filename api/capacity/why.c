/* why.c: why the pool of a capacity provider has as many machines as it has: the answer to `berth why PROVIDER`. It makes the next decision from the state
 * of now, and changes nothing. As JSON:
 *
 * {"provider":{"name":"gpu","arn":"…","kind":"AUTO_SCALING_GROUP","status":"ACTIVE"},          or MANAGED_INSTANCES
 *  "pool":{"name":"gpu","min":0,"max":5,"desired":3,"suspendedBy":"alice"},                    null: it is not suspended
 *  "needed":3,"size":2,"target":100,"wanted":3,         null: it does not scale by itself
 *  "waiting":4,"askedFor":1,                            tasks; machines that a person has to allow
 *  "evidence":[{"use":"busy","type":"g4dn.xlarge","machines":2,"running":2,"waiting":0,"tasks":["<32 hex>"]}],    up to ten of the waiting ones. use: busy,
 *                                                       free, on order (a waiting task goes there), new (not ordered yet) or unused
 *  "machines":[{"id":"m-…","type":"…","state":"BOOTING","since":ms,"tasks":0,"reason":"…","late":false,"replaced":"…","by":ms}],
 *  "reasons":["…"],"next":[{"what":"…","at":ms}],       in order of time
 *  "detail":"…"}                                        the decision as a paragraph */
#include "api/capacity/choice.h"
#include "api/capacity/providers.h"
#include "api/capacity/scale.h"
#include "api/core/api.h"
#include "base/num.h"
#include "base/text/duration.h"
#include "wire/own_json.h"

enum { REASONS_MAX = 32, NEXT_MAX = 32, SHOWN_TASKS = 10, SHOWN_MACHINES = 1000, ROWS_MAX = 64 };

struct why_provider_request { struct str provider; };
#define AT(member) .offset = offsetof(struct why_provider_request, member)
static const struct field why_provider_fields[] = { { STR_INIT("provider"), 0, FIELD_STR, AT(provider), .required = true, .min = 1, .max = 2048 } };
#undef AT
static const struct schema why_provider_schema = SCHEMA_OF("why provider", struct why_provider_request, why_provider_fields);
struct why_provider { struct str json; };
static const struct schema why_provider_reply = { STR_INIT("why a provider"), sizeof(struct why_provider), NULL, 0 };

struct step_ahead { struct str what; int64_t at_ms; };
struct telling {
    struct op_ctx *ctx;
    const struct kept_provider *provider;
    struct kept_pool pool;
    struct pool_look look;
    struct capacity_view view;
    bool scales;
    struct str_list reasons;
    struct step_ahead next[NEXT_MAX]; size_t next_count;
};

static void add(struct telling *telling, struct str text)
{
    if (telling->reasons.count < REASONS_MAX) { telling->reasons.items[telling->reasons.count++] = text; }
}

/* In order of time; past events are left out. */
static void add_next(struct telling *telling, int64_t at_ms, struct str what)
{
    size_t n = telling->next_count;
    if (at_ms <= telling->ctx->now_ms || n == NEXT_MAX) { return; }
    for (; n > 0 && telling->next[n - 1].at_ms > at_ms; n--) { telling->next[n] = telling->next[n - 1]; }
    telling->next[n] = (struct step_ahead){ what, at_ms };
    telling->next_count++;
}

static const char *span(int64_t ms, struct arena *arena)
{
    char text[DURATION_TEXT_SIZE];
    duration_print(ms, text);
    return arena_printf(arena, "%s", text).ptr;
}

/* ---- reasons ---- */

static int64_t asked_for(const struct telling *telling)
{
    int64_t have = machines_counted(telling->look.machines, telling->look.count);
    return telling->look.rules.asks ? max_i64(telling->pool.desired - max_i64(telling->pool.approved, have), 0) : 0;
}

static void tell_orders(struct telling *telling)
{
    struct arena *arena = telling->ctx->arena;
    const struct kept_pool *pool = &telling->pool;
    int64_t now_ms = telling->ctx->now_ms;
    if (pool->suspended == OPT_TRUE) {
        add(telling, arena_printf(arena, "It is suspended by " STR_FMT ": nothing is ordered until `berth capacity resume " STR_FMT "`.",
                                  STR_ARG(pool->suspended_by), STR_ARG(telling->provider->name)));
    }
    if (asked_for(telling) > 0) {
        add(telling, arena_printf(arena, "%lld machines are not ordered before somebody allows it: `berth capacity approve " STR_FMT "`.",
                                  (long long)asked_for(telling), STR_ARG(telling->provider->name)));
    }
    if (str_is_set(pool->failure)) {
        add(telling, arena_printf(arena, "The last failure of its provisioner, %s ago: " STR_FMT, span(now_ms - pool->failed_ms, arena),
                                  STR_ARG(pool->failure)));
    }
    if (pool->refused == OPT_TRUE) { add(telling, STR("Nothing is ordered until the group or the provisioner is changed, or `berth capacity resume`.")); }
    add_next(telling, pool->blocked_until_ms, STR("it orders again"));
    for (size_t b = 0; b < pool->blocks.count; b++) {
        if (pool->blocks.items[b].until_ms <= now_ms) { continue; }
        add(telling, arena_printf(arena, "The type " STR_FMT " is left out for %s, because an order of it has failed.", STR_ARG(pool->blocks.items[b].type),
                                  span(pool->blocks.items[b].until_ms - now_ms, arena)));
        add_next(telling, pool->blocks.items[b].until_ms, arena_printf(arena, "the type " STR_FMT " is tried again", STR_ARG(pool->blocks.items[b].type)));
    }
}

/* Twice as long as half of its time to register. */
static bool is_late(const struct kept_machine *machine, int64_t now_ms)
{
    return machine->state == MACHINE_BOOTING && machine->next_ms != 0 && now_ms > machine->since_ms + (machine->next_ms - machine->since_ms) / 2;
}

static void tell_machine(struct telling *telling, const struct kept_machine *machine)
{
    struct arena *arena = telling->ctx->arena;
    int64_t now_ms = telling->ctx->now_ms;
    struct str id = machine_id_text(machine->id, arena), because = machine_replaced_because(telling->ctx, machine);
    if (is_late(machine, now_ms)) {
        add(telling, arena_printf(arena, STR_FMT " is late: it was started %s ago and has not registered.", STR_ARG(id),
                                  span(now_ms - machine->since_ms, arena)));
    }
    if (machine->state == MACHINE_BOOTING) {
        add_next(telling, machine->next_ms, arena_printf(arena, STR_FMT " is given up if it has not registered, and another one is ordered", STR_ARG(id)));
    }
    if (machine->attempts > 0) {
        add(telling, arena_printf(arena, "The provisioner has given no clear answer about " STR_FMT " %lld times.", STR_ARG(id), (long long)machine->attempts));
    }
    if (machine->state == MACHINE_ACTIVE && str_is_set(because)) {
        add(telling, arena_printf(arena, STR_FMT ": " STR_FMT ". It drains when another one has come for it.", STR_ARG(id), STR_ARG(because)));
        add_next(telling, machine->replace_by_ms, arena_printf(arena, "the tasks of " STR_FMT " are stopped", STR_ARG(id)));
    }
    if (machine->state != MACHINE_LEAVING) { return; }
    add(telling, arena_printf(arena, STR_FMT " drains: " STR_FMT ".", STR_ARG(id), STR_ARG(str_is_set(because) ? because : machine->reason)));
    add_next(telling, machine->drain_by_ms, arena_printf(arena, "the tasks of " STR_FMT " are stopped", STR_ARG(id)));
}

static void tell_impossible(struct telling *telling)
{
    const struct capacity_view *view = &telling->view;
    for (uint32_t s = 0; s < view->demand.shape_count; s++) {
        int64_t tasks = 0;
        for (size_t t = 0; t < view->demand.task_count; t++) {
            tasks += view->demand.tasks[t].shape == s && view->plan.places[t].fate == FATE_IMPOSSIBLE;
        }
        if (tasks == 0 || view->plan.lacks[s].verdict == FITS) { continue; }
        struct buf text = buf_in(telling->ctx->arena);
        buf_printf(&text, "%lld waiting tasks fit on no machine that the group can have: one ", (long long)tasks);
        capacity_explain_lack(&view->demand, &view->plan, s, &text);
        buf_put_char(&text, '.');
        add(telling, buf_str(&text));
    }
}

static void tell_price(struct telling *telling)
{
    int64_t left = max_i64(telling->look.price_left, 0);
    bool may_matter = telling->view.plan.held > 0 || telling->pool.held == OPT_TRUE;
    if (telling->look.rules.price_max == 0 || !may_matter) { return; }
    add(telling, arena_printf(telling->ctx->arena, "berth:max-price leaves %lld.%02lld US dollars an hour for more machines.", (long long)(left / PRICE_DOLLAR),
                              (long long)(left % PRICE_DOLLAR / (PRICE_DOLLAR / 100))));
}

/* Types of its plan that the provisioner has no more of. */
static void tell_offers(struct telling *telling)
{
    const struct kept_pool *pool = &telling->pool;
    bool may_matter = telling->view.plan.held > 0 || pool->held == OPT_TRUE;
    for (size_t o = 0; may_matter && o < pool->offers.count; o++) {
        if (pool->offers.items[o].left != 0) { continue; }
        add(telling, arena_printf(telling->ctx->arena, "The provisioner has no more machines of type " STR_FMT ".", STR_ARG(pool->offers.items[o].type)));
    }
}

static void tell_all(struct telling *telling)
{
    tell_orders(telling);
    tell_offers(telling);
    for (size_t m = 0; m < telling->look.count; m++) { tell_machine(telling, &telling->look.machines[m]); }
    if (telling->scales) {
        tell_impossible(telling);
        tell_price(telling);
        if (telling->view.more_waiting > 0) {
            add(telling, arena_printf(telling->ctx->arena, "%zu more tasks wait; the next look sees them.", telling->view.more_waiting));
        }
        add_next(telling, telling->view.decision.again_ms, STR("the size may change"));
    }
    add_next(telling, replace_next_ms(&telling->look), STR("a machine is old enough to be replaced, or its turn comes"));
    add_next(telling, telling->pool.list_ms, STR("the provisioner is asked which machines there are"));
}

/* ---- the evidence ---- */

enum use { USE_BUSY, USE_FREE, USE_ON_ORDER, USE_NEW, USE_UNUSED };
static const struct str use_words[] = {
    [USE_BUSY] = STR_INIT("busy"), [USE_FREE] = STR_INIT("free"), [USE_ON_ORDER] = STR_INIT("on order"), [USE_NEW] = STR_INIT("new"),
    [USE_UNUSED] = STR_INIT("unused"),
};
struct row { enum use use; struct str type; int64_t machines, running, waiting; struct id tasks[SHOWN_TASKS]; };
struct rows { struct row *items; size_t count; };

/* NULL: there are too many types. */
static struct row *row_of(struct rows *rows, enum use use, struct str type)
{
    size_t r = 0;
    while (r < rows->count && !(rows->items[r].use == use && str_eq(rows->items[r].type, type))) { r++; }
    if (r == ROWS_MAX) { return NULL; }
    if (r == rows->count) { rows->items[rows->count++] = (struct row){ .use = use, .type = type }; }
    return &rows->items[r];
}

static void put_waiting(struct row *row, struct id task)
{
    if (row == NULL) { return; }
    if (row->waiting < SHOWN_TASKS) { row->tasks[row->waiting] = task; }
    row->waiting++;
}

static enum use use_of(const struct capacity_view *view, size_t m)
{
    const struct capacity_machine *machine = &view->demand.machines[m];
    return machine->busy ? USE_BUSY : !view->plan.reserved[m] ? USE_UNUSED : machine->on_order ? USE_ON_ORDER : USE_FREE;
}

static struct rows rows_of(const struct telling *telling)
{
    const struct capacity_view *view = &telling->view;
    struct rows rows = { ARENA_NEW(telling->ctx->arena, struct row, ROWS_MAX), 0 };
    for (size_t m = 0; m < view->demand.machine_count; m++) {
        struct row *row = row_of(&rows, use_of(view, m), view->machines[m]->type);
        if (row == NULL) { continue; }
        row->machines++;
        row->running += view->demand.machines[m].tasks;
    }
    for (size_t t = 0; t < view->demand.task_count; t++) {
        const struct capacity_place *place = &view->plan.places[t];
        if (place->fate != FATE_MACHINE) { continue; }
        put_waiting(row_of(&rows, use_of(view, place->at), view->machines[place->at]->type), view->demand.tasks[t].id);
    }
    for (size_t n = 0; n < view->plan.new_count; n++) {
        struct row *row = row_of(&rows, USE_NEW, view->demand.types[view->plan.news[n].type].type->name);
        if (row == NULL) { continue; }
        row->machines++;
        for (size_t t = 0; t < view->plan.news[n].task_count; t++) { put_waiting(row, view->plan.news[n].tasks[t]); }
    }
    return rows;
}

static void put_evidence(const struct telling *telling, struct json_out *out)
{
    struct rows rows = telling->scales ? rows_of(telling) : (struct rows){ NULL, 0 };
    json_name(out, STR("evidence"));
    json_open(out, '[');
    for (size_t r = 0; r < rows.count; r++) {
        const struct row *row = &rows.items[r];
        json_open(out, '{');
        own_json_str(out, STR("use"), use_words[row->use]);
        own_json_str(out, STR("type"), row->type);
        own_json_i64(out, STR("machines"), row->machines);
        own_json_i64(out, STR("running"), row->running);
        own_json_i64(out, STR("waiting"), row->waiting);
        json_name(out, STR("tasks"));
        json_open(out, '[');
        for (int64_t t = 0; t < row->waiting && t < SHOWN_TASKS; t++) {
            char hex[ID_HEX_LEN + 1];
            id_hex(row->tasks[t], hex);
            json_str(out, str_from(hex));
        }
        json_close(out, ']');
        json_close(out, '}');
    }
    json_close(out, ']');
}

/* ---- as JSON ---- */

static void put_machines(const struct telling *telling, struct json_out *out)
{
    struct op_ctx *ctx = telling->ctx;
    json_name(out, STR("machines"));
    json_open(out, '[');
    for (size_t m = 0; m < telling->look.count && m < SHOWN_MACHINES; m++) {
        const struct kept_machine *machine = &telling->look.machines[m];
        json_open(out, '{');
        own_json_str(out, STR("id"), machine_id_text(machine->id, ctx->arena));
        own_json_str(out, STR("type"), machine->type);
        own_json_str(out, STR("state"), enum_word(&machine_state_names, (int)machine->state));
        own_json_ms(out, STR("since"), machine->since_ms);
        own_json_i64(out, STR("tasks"), machine_task_count(ctx, machine));
        own_json_str(out, STR("reason"), machine->reason);
        json_name(out, STR("late"));
        json_bool(out, is_late(machine, ctx->now_ms));
        own_json_str(out, STR("replaced"), machine_replaced_because(ctx, machine));
        own_json_ms(out, STR("by"), machine->state == MACHINE_LEAVING ? machine->drain_by_ms : machine->replace_by_ms);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_next(const struct telling *telling, struct json_out *out)
{
    json_name(out, STR("next"));
    json_open(out, '[');
    for (size_t n = 0; n < telling->next_count; n++) {
        json_open(out, '{');
        own_json_str(out, STR("what"), telling->next[n].what);
        own_json_ms(out, STR("at"), telling->next[n].at_ms);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_heads(const struct telling *telling, struct json_out *out)
{
    const struct kept_provider *provider = telling->provider;
    const struct kept_pool *pool = &telling->pool;
    json_name(out, STR("provider"));
    json_open(out, '{');
    own_json_str(out, STR("name"), provider->name);
    own_json_str(out, STR("arn"), provider_arn(&telling->ctx->config->names, provider->name, telling->ctx->arena));
    own_json_str(out, STR("kind"), provider->managed != NULL ? STR("MANAGED_INSTANCES") : STR("AUTO_SCALING_GROUP"));
    own_json_str(out, STR("status"), enum_word(&capacity_provider_status_names, (int)provider->status));
    json_close(out, '}');
    json_name(out, STR("pool"));
    json_open(out, '{');
    own_json_str(out, STR("name"), pool->name);
    own_json_i64(out, STR("min"), pool->min);
    own_json_i64(out, STR("max"), pool->max);
    own_json_i64(out, STR("desired"), pool->desired);
    own_json_str(out, STR("suspendedBy"), pool->suspended == OPT_TRUE ? pool->suspended_by : (struct str){ NULL, 0 });
    json_close(out, '}');
}

static struct opt_int figure(const struct telling *telling, int64_t value) { return (struct opt_int){ value, telling->scales }; }

static struct str detail_of(const struct telling *telling)
{
    struct buf text = buf_in(telling->ctx->arena);
    if (telling->scales) {
        capacity_explain(&telling->view.decision, &telling->view.demand, &telling->view.plan, &text);
    } else {
        buf_printf(&text, "It has no managed scaling: its group is to have %lld machines, as somebody has set.", (long long)telling->pool.desired);
    }
    return buf_str(&text);
}

static struct str print(const struct telling *telling)
{
    struct buf json = buf_in(telling->ctx->arena);
    struct json_out out = json_out_to(&json);
    const struct capacity_decision *decision = &telling->view.decision;
    json_open(&out, '{');
    put_heads(telling, &out);
    own_json_opt_int(&out, STR("needed"), figure(telling, decision->needed));
    own_json_opt_int(&out, STR("size"), figure(telling, decision->size));
    own_json_opt_int(&out, STR("target"), figure(telling, decision->target));
    own_json_opt_int(&out, STR("wanted"), figure(telling, decision->wanted));
    own_json_opt_int(&out, STR("waiting"), figure(telling, (int64_t)(telling->view.demand.task_count + telling->view.more_waiting)));
    own_json_i64(&out, STR("askedFor"), asked_for(telling));
    put_evidence(telling, &out);
    put_machines(telling, &out);
    own_json_strs(&out, STR("reasons"), &telling->reasons);
    put_next(telling, &out);
    own_json_str(&out, STR("detail"), detail_of(telling));
    json_close(&out, '}');
    return buf_str(&json);
}

static bool op_why_provider(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct why_provider_request *request = input;
    struct why_provider *reply = output;
    struct telling telling = { .ctx = ctx, .provider = provider_find(ctx, request->provider) };
    const struct kept_pool *pool = telling.provider == NULL ? NULL : store_pool(ctx->txn, telling.provider->pool, ctx->arena);
    if (telling.provider == NULL) { return err_set(err, ERR_RESOURCE_NOT_FOUND, "There is no such capacity provider."); }
    if (pool == NULL) { return err_set(err, ERR_RESOURCE_NOT_FOUND, "The capacity provider's Auto Scaling group does not exist any more."); }
    telling.pool = *pool;
    telling.reasons.items = ARENA_NEW(ctx->arena, struct str, REASONS_MAX);
    look_open(&telling.look, ctx, &telling.pool);
    telling.scales = capacity_view_open(&telling.look, &telling.view);
    tell_all(&telling);
    reply->json = print(&telling);
    return true;
}

static const struct operation why_provider_operation = {
    STR_INIT("berth:WhyProvider"), &why_provider_schema, &why_provider_reply, OP_LOOK, ACCESS_VIEWER, ERR_INVALID_PARAMETER, op_why_provider,
};

bool api_prepare_why_provider(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err)
{
    return api_decode(config, &why_provider_operation, body, arena, call, err);
}

struct str api_why_provider(const struct api_call *call) { return ((const struct why_provider *)call->output)->json; }
