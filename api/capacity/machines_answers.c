/* machines_answers.c: berth:Provisioned: what a provisioner has answered moves the machines of its pool. Answers are believed only so far:
 *
 *   up     starting, running   BOOTING: it has max(twice expect_s, the pool's warm-up, 15 minutes) to register
 *          failed              the order is dropped, with the reason on the pool; its class says when and of which type the next one is
 *   down   gone, stopped, suspended    the record goes, and with it the container instance
 *   list   a machine that two complete lists in a row do not have is gone, unless its agent is connected; one that Berth has not ordered is ended after
 *          two lists if it has an id (or adopted: adopt.c), and left alone without one. "plan":true: it is asked for a plan next
 *   plan   offers.c
 *
 * An outcome that is not known (no answer, no JSON, a machine left out) changes nothing: a list comes next, then the same call with the same ids. After
 * five attempts the order is ended instead. */
#include "api/capacity/machines.h"

#include "api/handlers.h"
#include "api/tasks/waits.h"
#include "base/num.h"

enum { ATTEMPTS_MAX = 5, LIST_LATER_MS = 10 * 60 * 1000, STOPPING_AGAIN_MS = 15 * 1000 };
static const int64_t expect_max_s = 7 * 86400;

struct answer {
    struct op_ctx *ctx;
    struct kept_pool *pool;
    const struct provisioned *given;
    const struct json *request, *reply;      /* reply NULL: the outcome is not known */
    struct str why;                          /* … because */
};

static struct str text_of(const struct json *item, const char *key)
{
    struct str text = json_get_str(item, str_from(key));
    return str_is_set(text) ? str_shorten(text, MACHINE_TEXT_MAX) : text;
}

static struct str name_of(struct answer *answer, const struct kept_machine *machine)
{
    return arena_printf(answer->ctx->arena, STR_FMT "%s" STR_FMT, STR_ARG(machine_id_text(machine->id, answer->ctx->arena)),
                        machine->type.len > 0 ? " of type " : "", STR_ARG(machine->type));
}

/* ---- lists of machines in JSON ---- */

static const struct json *machines_in(const struct json *object)
{
    const struct json *list = json_get(object, STR("machines"));
    return list != NULL && list->type == JSON_ARRAY ? list : NULL;
}

static const struct json *find_item(const struct json *list, struct str id, struct str handle)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        struct str its_handle = text_of(&list->as.items[i], "handle");
        bool same = str_is_set(id) && str_eq(json_get_str(&list->as.items[i], STR("id")), id);
        bool other = same && str_is_set(handle) && str_is_set(its_handle) && !str_eq(handle, its_handle);
        if (same && !other) { return &list->as.items[i]; }
    }
    return NULL;
}

static bool says(const struct json *item, const char *const *words, size_t count)
{
    struct str state = json_get_str(item, STR("state"));
    for (size_t w = 0; w < count; w++) {
        if (str_eq(state, str_from(words[w]))) { return true; }
    }
    return false;
}
#define SAYS(item, ...) says(item, (const char *const[]){ __VA_ARGS__ }, COUNT_OF(((const char *const[]){ __VA_ARGS__ })))

static enum pool_failure class_of(const struct json *item)
{
    static const struct { struct str word; enum pool_failure failure; } classes[] = {
        { STR_INIT("capacity"), POOL_FAILURE_CAPACITY }, { STR_INIT("quota"), POOL_FAILURE_QUOTA }, { STR_INIT("config"), POOL_FAILURE_CONFIG },
    };
    struct str word = json_get_str(item, STR("class"));
    for (size_t c = 0; c < COUNT_OF(classes); c++) {
        if (str_eq(word, classes[c].word)) { return classes[c].failure; }
    }
    return POOL_FAILURE_TRANSIENT;
}

/* ---- up ---- */

static void up_failed(struct answer *answer, const struct kept_machine *machine, enum pool_failure failure, struct str why)
{
    pool_line(answer->ctx, answer->pool, "could not start " STR_FMT ": " STR_FMT, STR_ARG(name_of(answer, machine)), STR_ARG(why));
    pool_fail(answer->ctx, answer->pool, failure, machine->type, why);
    if (answer->pool->offers.count > 0) { answer->pool->plan_due = OPT_TRUE; }
    machine_gone(answer->ctx, machine, why);
}

static void up_answered(struct answer *answer, struct kept_machine *machine, const struct json *item)
{
    struct op_ctx *ctx = answer->ctx;
    int64_t expect_s = min_i64(max_i64(json_get_i64(item, STR("expect_s"), 0), 0), expect_max_s);
    struct str type = text_of(item, "type");
    machine_take_handle(ctx, machine, text_of(item, "handle"));
    machine->price = price_said(item, ctx->arena);
    if (machine->state == MACHINE_ORDERED) {
        machine_move(machine, MACHINE_BOOTING, STR("the provisioner has started it"), ctx->now_ms);
        machine->next_ms = ctx->now_ms + max_i64(MACHINE_REGISTER_MS, max_i64(2 * expect_s, answer->pool->warm_up_s) * 1000);
        waits_renew(ctx, machine);
    }
    if (str_is_set(type) && type.len > 0) { machine->type = type; }
    machine_put(ctx, machine);
    answer->pool->failures = 0;
}

/* The same call comes again, after a list. */
static void not_known(struct answer *answer, struct kept_machine *machine)
{
    struct op_ctx *ctx = answer->ctx;
    machine->attempts++;
    if (machine->state == MACHINE_ORDERED && machine->attempts >= ATTEMPTS_MAX) {
        struct str why = arena_printf(ctx->arena, "no clear answer in %d attempts; the last: " STR_FMT, ATTEMPTS_MAX, STR_ARG(answer->why));
        machine_move(machine, MACHINE_STOPPING, why, ctx->now_ms);
        machine->next_ms = 0;
        pool_fail(ctx, answer->pool, POOL_FAILURE_TRANSIENT, machine->type, why);
        pool_line(ctx, answer->pool, STR_FMT " is given up: " STR_FMT, STR_ARG(name_of(answer, machine)), STR_ARG(why));
    } else {
        machine->next_ms = ctx->now_ms + pool_backoff_ms(POOL_FAILURE_TRANSIENT, machine->attempts, ctx->rng);
        answer->pool->failure = str_shorten(answer->why, MACHINE_TEXT_MAX);
        answer->pool->failed_ms = ctx->now_ms;
    }
    answer->pool->list_ms = ctx->now_ms;
    machine_put(ctx, machine);
}

static void take_up(struct answer *answer, struct kept_machine *machine, const struct json *item)
{
    bool ordered = machine->state == MACHINE_ORDERED;
    if (answer->given->end == PROVISIONED_REFUSED && ordered) {
        up_failed(answer, machine, POOL_FAILURE_CONFIG, answer->why);
    } else if (SAYS(item, "starting", "running")) {
        up_answered(answer, machine, item);
    } else if (SAYS(item, "failed") && ordered) {
        struct str why = text_of(item, "error");
        up_failed(answer, machine, class_of(item), str_is_set(why) ? why : STR("the provisioner gave no reason"));
    } else if (ordered) {
        not_known(answer, machine);
    }
}

/* ---- down ---- */

static void take_down(struct answer *answer, struct kept_machine *machine, const struct json *item)
{
    struct op_ctx *ctx = answer->ctx;
    if (SAYS(item, "gone", "stopped", "suspended")) {
        machine_gone(ctx, machine, STR("The machine has left its pool"));
    } else if (SAYS(item, "stopping")) {
        machine->next_ms = ctx->now_ms + STOPPING_AGAIN_MS;
        machine_put(ctx, machine);
    } else {
        struct str error = text_of(item, "error");
        if (str_is_set(error)) { answer->why = error; }
        pool_line(ctx, answer->pool, "could not end " STR_FMT ": " STR_FMT, STR_ARG(name_of(answer, machine)), STR_ARG(answer->why));
        not_known(answer, machine);
    }
}

/* A stray that is still there comes back with the next lists. */
static void drop_stray(struct kept_pool *pool, struct str id, struct str handle)
{
    size_t kept = 0;
    for (size_t s = 0; s < pool->strays.count; s++) {
        const struct pool_stray *stray = &pool->strays.items[s];
        if (!str_eq(stray->id, id) || !str_eq(stray->handle, handle)) { pool->strays.items[kept++] = *stray; }
    }
    pool->strays.count = kept;
}

static bool is_stray(const struct kept_pool *pool, struct str id, struct str handle)
{
    for (size_t s = 0; s < pool->strays.count; s++) {
        if (str_eq(pool->strays.items[s].id, id) && str_eq(pool->strays.items[s].handle, handle)) { return true; }
    }
    return false;
}

/* Nothing was done, so it is no attempt. */
static void take_later(struct answer *answer, struct kept_machine *machine, const struct json *item)
{
    (void)item;
    machine->next_ms = answer->pool->blocked_until_ms;
    if (machine->state == MACHINE_ORDERED || machine->state == MACHINE_STOPPING) { machine_put(answer->ctx, machine); }
}

/* The machines that the call was for. */
static void take_machines(struct answer *answer, void (*take)(struct answer *, struct kept_machine *, const struct json *), bool down)
{
    const struct json *asked = machines_in(answer->request), *said = machines_in(answer->reply);
    for (size_t m = 0; asked != NULL && m < asked->count; m++) {
        struct id id;
        struct str name = json_get_str(&asked->as.items[m], STR("id")), handle = json_get_str(&asked->as.items[m], STR("handle"));
        if (down && is_stray(answer->pool, name, handle)) {
            drop_stray(answer->pool, name, handle);
            continue;
        }
        const struct kept_machine *found = machine_id_read(name, &id) ? store_machine(answer->ctx->txn, id, answer->ctx->arena) : NULL;
        if (found == NULL || !str_eq(found->pool, answer->pool->name)) { continue; }
        struct kept_machine machine = *found;
        const struct json *item = find_item(said, name, down ? handle : (struct str){ NULL, 0 });
        if (!down || machine.state == MACHINE_STOPPING) { take(answer, &machine, item); }
    }
}

/* ---- list ---- */

static bool agent_is_there(struct op_ctx *ctx, const struct kept_machine *machine)
{
    const struct instance *instance = id_is_zero(machine->instance) ? NULL : store_instance(ctx->txn, machine->instance, ctx->arena);
    return instance != NULL && instance->status != INSTANCE_INACTIVE && instance->agent_connected == OPT_TRUE;
}

/* Orders that the provisioner has not answered for are tried again anyway. */
static void list_one(struct answer *answer, const struct kept_machine *found, const struct json *list, bool complete)
{
    struct op_ctx *ctx = answer->ctx;
    const struct json *item = find_item(list, machine_id_text(found->id, ctx->arena), found->reference);
    bool there = item != NULL && !SAYS(item, "gone", "suspended");
    struct kept_machine machine = *found;
    if (machine.state == MACHINE_ORDERED || (!there && !complete)) { return; }
    machine.missed = there || agent_is_there(ctx, found) ? 0 : machine.missed + 1;
    if (machine.missed >= 2) {
        pool_line(ctx, answer->pool, STR_FMT " has vanished: two lists of the provisioner did not have it", STR_ARG(name_of(answer, found)));
        machine_gone(ctx, found, STR("The machine has vanished"));
    } else if (machine.missed != found->missed) {
        machine_put(ctx, &machine);
    }
}

static bool is_known(const struct kept_machine *machines, size_t count, const struct json *list, const struct json *item, struct op_ctx *ctx)
{
    struct id id;
    if (!machine_id_read(json_get_str(item, STR("id")), &id)) { return false; }
    for (size_t m = 0; m < count; m++) {
        if (id_eq(machines[m].id, id)) { return find_item(list, machine_id_text(id, ctx->arena), machines[m].reference) == item; }
    }
    return false;
}

static int64_t lists_before(const struct kept_pool *pool, struct str id, struct str handle)
{
    for (size_t s = 0; s < pool->strays.count; s++) {
        if (str_eq(pool->strays.items[s].id, id) && str_eq(pool->strays.items[s].handle, handle)) { return pool->strays.items[s].lists; }
    }
    return 0;
}

/* A provisioner may list the machines of all its pools in each of them. */
static bool is_of_another_pool(const struct answer *answer, struct str name)
{
    struct id id;
    const struct kept_machine *found = machine_id_read(name, &id) ? store_machine(answer->ctx->txn, id, answer->ctx->arena) : NULL;
    return found != NULL && !str_eq(found->pool, answer->pool->name);
}

/* The fate of one that was not in the list before. */
static const char *fate_of(struct str id, bool adopts)
{
    if (!str_is_set(id)) { return "; without an id it is left alone"; }
    return adopts ? ": it is adopted if the next list has it, too" : ": it is ended if the next list has it, too";
}

/* True: the next list decides about one of them. */
static bool find_strays(struct answer *answer, const struct kept_machine *machines, size_t count, const struct json *list)
{
    struct op_ctx *ctx = answer->ctx;
    struct adoption adoption = { .ctx = ctx, .pool = answer->pool, .have = machines_counted(machines, count) };
    bool adopts = rules_of(pool_provider(ctx, answer->pool)).adopts && answer->pool->removed != OPT_TRUE;
    struct pool_stray *strays = ARENA_NEW(ctx->arena, struct pool_stray, POOL_STRAYS_MAX);
    size_t found = 0;
    bool undecided = false;
    for (size_t i = 0; i < list->count && found < POOL_STRAYS_MAX; i++) {
        const struct json *item = &list->as.items[i];
        struct str id = text_of(item, "id"), handle = text_of(item, "handle");
        if (SAYS(item, "gone", "stopping", "suspended") || is_known(machines, count, list, item, ctx) || is_of_another_pool(answer, id)) { continue; }
        int64_t before = lists_before(answer->pool, id, handle);
        struct id known;
        if (adopts && before > 0 && machine_id_read(id, &known) && adopt_one(&adoption, known, item)) { continue; }
        strays[found++] = (struct pool_stray){ id, handle, before + 1 };
        if (before > 0) { continue; }
        undecided = undecided || str_is_set(id);
        pool_line(ctx, answer->pool, "the provisioner lists \"" STR_FMT "\" " STR_FMT ", which the pool does not have%s", STR_ARG(id), STR_ARG(handle),
                  fate_of(id, adopts));
    }
    answer->pool->strays = (struct pool_stray_list){ strays, found };
    adopt_instances(&adoption);
    return undecided;
}

static void take_list(struct answer *answer)
{
    struct op_ctx *ctx = answer->ctx;
    const struct json *list = machines_in(answer->reply), *complete = json_get(answer->reply, STR("complete"));
    struct kept_machine *machines;
    size_t count = store_list_machines(ctx->txn, answer->pool->name, &machines, ctx->arena);
    bool unsettled = false;
    for (size_t m = 0; m < count; m++) { unsettled |= machines[m].state != MACHINE_ACTIVE; }
    if (list == NULL) {
        bool refused = answer->given->end == PROVISIONED_REFUSED;
        if (refused) { answer->pool->refused = OPT_TRUE; }
        answer->pool->failures++;
        answer->pool->list_ms = ctx->now_ms + (refused ? LIST_LATER_MS : pool_backoff_ms(POOL_FAILURE_TRANSIENT, answer->pool->failures, ctx->rng));
        answer->pool->failure = str_shorten(answer->why, MACHINE_TEXT_MAX);
        answer->pool->failed_ms = ctx->now_ms;
        return;
    }
    const struct json *plan = json_get(answer->reply, STR("plan"));
    answer->pool->plan_due = opt_bool_of(plan != NULL && plan->type == JSON_TRUE);
    if (answer->pool->plan_due != OPT_TRUE) { offers_drop(answer->pool); }
    unsettled |= find_strays(answer, machines, count, list);
    answer->pool->list_ms = ctx->now_ms + (unsettled ? MACHINES_LIST_SOON_MS : LIST_LATER_MS);
    for (size_t m = 0; m < count; m++) { list_one(answer, &machines[m], list, complete != NULL && complete->type == JSON_TRUE); }
}

/* ---- the operation ---- */

/* One that is not there is asked for again behind the next list. */
static void take_plan(struct answer *answer)
{
    answer->pool->plan_due = OPT_FALSE;
    offers_read(answer->ctx, answer->pool, answer->reply);
}

static void read_reply(struct answer *answer)
{
    struct err err = { 0 };
    bool is_plan = str_eq(answer->given->verb, STR("plan"));
    answer->request = json_parse(answer->given->body, answer->ctx->arena, &err);
    answer->why = answer->given->text;
    if (answer->given->end != PROVISIONED_ANSWERED) { return; }
    answer->reply = json_parse(answer->given->text, answer->ctx->arena, &err);
    answer->why = answer->reply == NULL ? arena_printf(answer->ctx->arena, "the answer is no JSON: %s", err.message) : STR("the answer leaves it out");
    if (!is_plan && machines_in(answer->reply) == NULL) { answer->reply = NULL; }
}

bool op_provisioned(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct provisioned *given = input;
    (void)output;
    (void)err;
    const struct kept_pool *found = store_pool(ctx->txn, given->pool, ctx->arena);
    if (found == NULL || found->call != given->number) { return true; }
    struct kept_pool pool = *found;
    struct answer answer = { .ctx = ctx, .pool = &pool, .given = given };
    read_reply(&answer);
    if (str_eq(given->verb, STR("plan"))) {
        take_plan(&answer);
    } else if (given->end == PROVISIONED_LATER) {
        pool_fail(ctx, &pool, POOL_FAILURE_TRANSIENT, STR(""), answer.why);
        pool.list_ms = max_i64(pool.list_ms, str_eq(given->verb, STR("list")) ? pool.blocked_until_ms : 0);
        take_machines(&answer, take_later, false);
    } else if (str_eq(given->verb, STR("list"))) {
        take_list(&answer);
    } else {
        bool down = str_eq(given->verb, STR("down"));
        take_machines(&answer, down ? take_down : take_up, down);
        if (down && pool.offers.count > 0) { pool.plan_due = OPT_TRUE; }         /* it has more than before */
    }
    pool.call++;
    pool.due_ms = ctx->now_ms;
    pools_keep(ctx, &pool);
    return true;
}
