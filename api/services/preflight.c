/* preflight.c: whether a new deployment has room, told before it starts: on the header of the reply, and in the deployment's first event. It tries on the
 * world, which is as before when it returns. */
#include "api/capacity/choice.h"
#include "api/core/placement.h"
#include "api/services/books.h"
#include "base/num.h"
#include "scheduler/reconcile/roster.h"

enum { LOOKED_AT_MAX = SCHED_TRY_MAX };                           /* new tasks that are tried, and old tasks that are taken away for a trial */

/* ---- trials ---- */

static int64_t try_some(struct books *books, const struct demand *demand, int64_t count, struct evidence *evidence)
{
    struct placement placements[LOOKED_AT_MAX];
    *evidence = (struct evidence){ 0 };
    if (count <= 0) { return 0; }
    return (int64_t)sched_try(books->ctx->world, demand, (size_t)min_i64(count, LOOKED_AT_MAX), false, placements, evidence);
}

static bool is_old(const struct books *books, const struct service_task *task)
{
    return !task->leaving && books->deployments[task->deployment].digits != books->service.revision;
}

/* How many new tasks have room when `count` old ones are gone. */
static int64_t try_without(struct books *books, const struct demand *demand, int64_t count)
{
    struct op_ctx *ctx = books->ctx;
    const struct task *taken[LOOKED_AT_MAX];
    struct evidence evidence;
    size_t taken_count = 0;
    for (size_t t = 0; t < books->state.task_count && taken_count < LOOKED_AT_MAX && (int64_t)taken_count < count; t++) {
        const struct service_task *one = &books->state.tasks[t];
        const struct task *task = !is_old(books, one) || one->waits ? NULL : store_task(ctx->txn, one->id, ctx->arena);
        if (task != NULL) { taken[taken_count++] = task; }
    }
    for (size_t t = 0; t < taken_count; t++) { sched_drop_task(ctx->world, taken[t]->id); }
    int64_t fits = try_some(books, demand, (int64_t)taken_count, &evidence);
    for (size_t t = 0; t < taken_count; t++) { placement_tell_task(ctx->world, taken[t], ctx->arena); }
    return fits;
}

/* ---- words ---- */

static int64_t gpus_of(const struct demand *demand)
{
    int64_t count = 0;
    for (size_t c = 0; c < demand->container_count; c++) { count += max_i64(0, demand->gpus[c].count); }
    return count;
}

struct str services_machine_name(struct op_ctx *ctx, struct id id)
{
    const struct instance *instance = store_instance(ctx->txn, id, ctx->arena);
    return instance == NULL ? STR("?") : support_instance_name(instance, ctx->arena);
}

bool services_lack(const struct demand *demand, const struct evidence *evidence, int64_t *needs, const char **unit)
{
    const struct { enum verdict verdict; int64_t needs; const char *unit, *one; } rows[] = {
        { LACKS_GPU, gpus_of(demand), "GPUs", "GPU" }, { LACKS_CPU, demand->cpu, "CPU units", "CPU unit" },
        { LACKS_MEMORY, demand->memory_mib, "MiB of memory", "MiB of memory" },
    };
    for (size_t r = 0; evidence->group_count > 0 && r < COUNT_OF(rows); r++) {
        if (rows[r].verdict != evidence->groups[0].verdict) { continue; }
        *needs = rows[r].needs;
        *unit = rows[r].needs == 1 ? rows[r].one : rows[r].unit;
        return true;
    }
    return false;
}

/* The group that lacks the same as the nearest and has most of it: free, or in all. The nearest lacks fewer things, which may be a smaller machine. */
static const struct evidence_group *largest_of(const struct evidence *evidence, bool in_all)
{
    const struct evidence_group *largest = &evidence->groups[0];
    for (size_t g = 1; g < evidence->group_count; g++) {
        const struct evidence_group *group = &evidence->groups[g];
        if (group->verdict != largest->verdict || group->impossible != largest->impossible) { continue; }
        if (in_all ? group->total > largest->total : group->most > largest->most) { largest = group; }
    }
    return largest;
}

int64_t services_largest_free(const struct evidence *evidence) { return largest_of(evidence, false)->most; }

/* Whether no instance has that much, as far as the groups tell: machines that lack something else were not asked about CPU and memory. */
static bool none_has(const struct evidence *evidence, int64_t needs)
{
    enum verdict lacks = evidence->groups[0].verdict;
    bool none = true;
    for (size_t g = 0; g < evidence->group_count; g++) {
        none &= lacks == LACKS_GPU ? evidence->groups[g].gpus < needs : evidence->groups[g].verdict == lacks && evidence->groups[g].total < needs;
    }
    return none;
}

/* "no instance has 9 GPUs; the largest has 8 (node-b)". A larger machine may lack something else: then it has no name. */
static struct str never_fits(struct op_ctx *ctx, const struct evidence *evidence, int64_t needs, const char *unit)
{
    const struct evidence_group *largest = largest_of(evidence, true);
    struct str where = services_machine_name(ctx, largest->example);
    int64_t gpus = 0;
    for (size_t g = 0; g < evidence->group_count; g++) { gpus = max_i64(gpus, evidence->groups[g].gpus); }
    if (!none_has(evidence, needs)) {
        return arena_printf(ctx->arena, "no instance has %lld %s and all else that it needs; of those that only lack that, the largest has %lld (" STR_FMT ")",
                            (long long)needs, unit, (long long)largest->total, STR_ARG(where));
    }
    if (largest->verdict == LACKS_GPU && gpus > largest->total) {
        return arena_printf(ctx->arena, "no instance has %lld %s; the largest has %lld", (long long)needs, unit, (long long)gpus);
    }
    return arena_printf(ctx->arena, "no instance has %lld %s; the largest has %lld (" STR_FMT ")", (long long)needs, unit, (long long)largest->total,
                        STR_ARG(where));
}

struct str services_lack_text(struct op_ctx *ctx, const struct demand *demand, const struct evidence *evidence)
{
    const struct evidence_group *nearest = &evidence->groups[0];
    int64_t needs;
    const char *unit;
    ASSERT(evidence->group_count > 0);
    if (!services_lack(demand, evidence, &needs, &unit)) {
        return arena_printf(ctx->arena, "the nearest instance (" STR_FMT ") is refused for " STR_FMT,
                            STR_ARG(services_machine_name(ctx, nearest->example)), STR_ARG(verdict_reason(nearest->verdict)));
    }
    if (nearest->impossible) { return never_fits(ctx, evidence, needs, unit); }
    const struct evidence_group *largest = largest_of(evidence, false);
    return arena_printf(ctx->arena, "needs %lld %s on one instance, the largest free slot is %lld (" STR_FMT ")", (long long)needs, unit,
                        (long long)largest->most, STR_ARG(services_machine_name(ctx, largest->example)));
}

/* The task after whose end there is room, where one is enough; absent: not known. */
static struct str who_holds(struct books *books, const struct evidence *evidence)
{
    struct op_ctx *ctx = books->ctx;
    char hex[ID_HEX_LEN + 1];
    if (evidence->holder_count != 1) { return (struct str){ NULL, 0 }; }
    const struct task *holder = store_task(ctx->txn, evidence->holders[0], ctx->arena);
    if (holder == NULL) { return (struct str){ NULL, 0 }; }
    id_hex(holder->id, hex);
    struct str machine = services_machine_name(ctx, holder->instance);
    return arena_printf(ctx->arena, " There is room on " STR_FMT " when task %s of " STR_FMT " ends.", STR_ARG(machine), hex, STR_ARG(holder->group));
}

/* Names of machines and groups are others' texts: in a header they are printable ASCII. */
static struct str for_header(struct str text, struct arena *arena)
{
    char *safe = arena_copy(arena, text.ptr, text.len);
    for (size_t c = 0; c < text.len; c++) {
        if (safe[c] < ' ' || safe[c] > '~') { safe[c] = '?'; }
    }
    return (struct str){ safe, text.len };
}

/* ---- the verdict ---- */

const struct str preflight_words[] = {
    [PREFLIGHT_ROOM] = STR_INIT("ROOM"), [PREFLIGHT_SOME_ROOM] = STR_INIT("SOME_ROOM"), [PREFLIGHT_SWAP] = STR_INIT("SWAP"),
    [PREFLIGHT_WAIT] = STR_INIT("WAIT"), [PREFLIGHT_DEADLOCK] = STR_INIT("DEADLOCK"), [PREFLIGHT_INFEASIBLE] = STR_INIT("INFEASIBLE"),
};

/* `missing`: tasks of the PRIMARY; `want`: those that may start at once; `may_stop`: old tasks, as the lower limit allows. */
struct limits { int64_t missing, old, may_stop, want; };

static struct limits limits_of(const struct books *books)
{
    const struct service_state *state = &books->state;
    struct limits limits = { .missing = state->desired };
    int64_t healthy = 0, useless = 0;                    /* useless: old ones that count for nothing, and stop first */
    for (size_t t = 0; t < state->task_count; t++) {
        bool old = is_old(books, &state->tasks[t]), counts = reconcile_is_healthy(state, &state->tasks[t]);
        healthy += counts;
        useless += old && !counts;
        limits.old += old;
        limits.missing -= !old && !state->tasks[t].leaving;
    }
    limits.may_stop = min_i64(limits.old, useless + max_i64(0, healthy - reconcile_lower(state->desired, state->min_percent)));
    limits.want = min_i64(limits.missing, max_i64(reconcile_upper(state->desired, state->max_percent) - (int64_t)state->task_count, limits.old > 0 ? 1 : 0));
    return limits;
}

static enum preflight decide(struct books *books, const struct demand *demand, const struct limits *limits, struct str *text)
{
    struct op_ctx *ctx = books->ctx;
    struct evidence evidence;
    int64_t fits = try_some(books, demand, limits->want, &evidence), may_stop = limits->may_stop;
    struct str orders = { NULL, 0 };
    bool grows = books->next_scales && provider_grows(ctx, books->next_provider, &orders);
    const char *rest = limits->old > 0 ? "the others follow as old tasks stop" : grows ? "the others wait for machines" : "the others wait for room";
    if (fits > 0 && fits < min_i64(limits->want, LOOKED_AT_MAX)) {
        *text = arena_printf(ctx->arena, "%lld of %lld new tasks fit now (" STR_FMT "); %s.", (long long)fits, (long long)limits->missing,
                             STR_ARG(services_lack_text(books->ctx, demand, &evidence)), rest);
        return PREFLIGHT_SOME_ROOM;
    }
    if (fits > 0 || limits->want <= 0) { return PREFLIGHT_ROOM; }
    if (books->next_scales && (evidence.group_count == 0 || provider_is_empty(ctx, books->next_provider))) {
        *text = arena_printf(ctx->arena, "waits for a machine: " STR_FMT ".", STR_ARG(orders));
        return PREFLIGHT_WAIT;
    }
    struct str lacks = services_lack_text(books->ctx, demand, &evidence);
    if (may_stop > 0 && try_without(books, demand, may_stop) > 0) {
        *text = arena_printf(ctx->arena, "no room is free (" STR_FMT "); replaces in place, %lld tasks at a time, as minimumHealthyPercent %lld allows.",
                             STR_ARG(lacks), (long long)may_stop, (long long)books->state.min_percent);
        return PREFLIGHT_SWAP;
    }
    if (evidence.impossible && !grows) {
        *text = arena_printf(ctx->arena, "is unable to progress: " STR_FMT ".", STR_ARG(lacks));
        return PREFLIGHT_INFEASIBLE;
    }
    bool own = limits->old > 0 && try_without(books, demand, limits->old) > 0;
    if (own && books->state.stops_first > 0) {
        *text = arena_printf(ctx->arena, "no room is free (" STR_FMT "); one old task at a time makes room, as berth:replace says.", STR_ARG(lacks));
        return PREFLIGHT_SWAP;
    }
    if (grows) {
        *text = arena_printf(ctx->arena, "waits for a machine (" STR_FMT "): " STR_FMT ".", STR_ARG(lacks), STR_ARG(orders));
        return PREFLIGHT_WAIT;
    }
    if (own) {
        *text = arena_printf(ctx->arena, "is unable to progress: " STR_FMT ", and minimumHealthyPercent %lld keeps all %lld old tasks, which hold the rest. "
                             "Tag the service berth:replace=stop-first, or lower minimumHealthyPercent, or free that much.", STR_ARG(lacks),
                             (long long)books->state.min_percent, (long long)limits->old);
        return PREFLIGHT_DEADLOCK;
    }
    struct str holder = who_holds(books, &evidence);
    int64_t turn = roster_turn(sched_roster(ctx->world), books->service.number);
    struct str line = turn < 2 ? STR("") : arena_printf(ctx->arena, " %lld services come before it.", (long long)turn - 1);
    if (turn == 2) { line = STR(" One service comes before it."); }
    *text = arena_printf(ctx->arena, "waits for room: " STR_FMT "." STR_FMT STR_FMT, STR_ARG(lacks), STR_ARG(holder), STR_ARG(line));
    return PREFLIGHT_WAIT;
}

/* A cluster without machines is no scarcity, unless a capacity provider has to order them: often they come after the services. */
enum preflight services_verdict(struct books *books, struct str *text)
{
    struct demand demand;
    struct err unread = { 0 };
    const struct service_state *state = &books->state;
    bool counts = state->strategy != ROLLOUT_DAEMON && state->strategy != ROLLOUT_MANAGED && state->strategy != ROLLOUT_EXTERNAL && state->desired <= INT32_MAX;
    *text = (struct str){ NULL, 0 };
    if (!counts || !starts_demand(books, &demand, &unread)) { return PREFLIGHT_ROOM; }
    if (!books->next_scales && sched_instance_count(books->ctx->world, books->cluster->number) == 0) { return PREFLIGHT_ROOM; }
    const struct limits limits = limits_of(books);
    return decide(books, &demand, &limits, text);
}

static struct str event_text(const struct books *books, struct str told)
{
    return arena_printf(books->ctx->arena, "(service " STR_FMT ") (deployment " STR_FMT ") " STR_FMT, STR_ARG(books->service.name),
                        STR_ARG(names_deployment_id(books->service.revision, books->ctx->arena)), STR_ARG(told));
}

void services_preflight(struct op_ctx *ctx, int64_t service)
{
    struct books books;
    struct str told;
    if (ctx->config->strict_aws || !books_open(ctx, service, &books)) { return; }
    books_fill(&books, 0);
    enum preflight verdict = services_verdict(&books, &told);
    if (verdict == PREFLIGHT_ROOM) { return; }
    struct str text = event_text(&books, told);
    services_add_event(ctx, service, text);
    books.act.verdict = verdict;
    store_put_service_deployment(ctx->txn, &books.act);
    ctx->warning = for_header(text, ctx->arena);
}

/* Tasks of the PRIMARY are missing; without that a start is a replacement. */
static bool is_short(const struct books *books)
{
    int64_t present = 0;
    for (size_t t = 0; t < books->state.task_count; t++) {
        const struct service_task *task = &books->state.tasks[t];
        present += !task->leaving && books->deployments[task->deployment].digits == books->service.revision;
    }
    return present < books->state.desired;
}

struct str preflight_again(struct books *books)
{
    struct str told;
    const struct str nothing = { NULL, 0 };
    bool goes_on = books->has_act && !service_deployment_has_ended(books->act.status);
    bool waits = books->plan.wants > (int64_t)books->placed_count && books->plan.stop_count == 0;
    if (!goes_on || !waits || !is_short(books) || books->ctx->config->strict_aws) { return nothing; }
    enum preflight verdict = services_verdict(books, &told);
    if (verdict == PREFLIGHT_ROOM || (int64_t)verdict == books->act.verdict) { return nothing; }
    books->act.verdict = verdict;
    books->act_changed = true;
    return event_text(books, told);
}
