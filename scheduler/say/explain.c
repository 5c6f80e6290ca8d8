/* explain.c: evidence in words, for people: the need, what each group of instances lacked, and what would change it. */
#include "base/num.h"
#include "scheduler/scheduler.h"

enum { EXPLANATION_MAX = 1024, QUOTE_MAX = 160 };

struct str verdict_reason(enum verdict verdict)
{
    static const struct str reasons[VERDICT_COUNT] = {
        [FITS] = STR_INIT(""),                   [NOT_ACTIVE] = STR_INIT("INACTIVE"),        [NO_AGENT] = STR_INIT("AGENT"),
        [LACKS_ATTRIBUTE] = STR_INIT("ATTRIBUTE"), [NOT_MEMBER] = STR_INIT("MEMBEROF"),      [NOT_DISTINCT] = STR_INIT("DISTINCTINSTANCE"),
        [LACKS_CPU] = STR_INIT("RESOURCE:CPU"),  [LACKS_MEMORY] = STR_INIT("RESOURCE:MEMORY"), [LACKS_GPU] = STR_INIT("RESOURCE:GPU"),
        [LACKS_GPU_MEMORY] = STR_INIT("RESOURCE:GPU"), [LACKS_PORT] = STR_INIT("RESOURCE:PORTS"),
        [LACKS_INTERFACE] = STR_INIT("RESOURCE:ENI"), [AWAITS_DAEMON] = STR_INIT("DAEMON"), [ROOM_KEPT] = STR_INIT("RESOURCE"),
    };
    ASSERT((int)verdict >= 0 && verdict < VERDICT_COUNT);
    return reasons[verdict];
}

/* ---- small words ---- */
static const char *plural(int64_t count) { return count == 1 ? "" : "s"; }

static void put_instances(struct buf *out, int64_t count)
{
    buf_put_i64(out, count);
    buf_put(out, count == 1 ? STR(" instance") : STR(" instances"));
}

/* Where the first bytes of `s` end that are at most `most` and whole characters. */
static size_t whole_chars(struct str s, size_t most)
{
    if (s.len <= most) { return s.len; }
    while (most > 0 && ((unsigned char)s.ptr[most] & 0xC0) == 0x80) { most--; }
    return most;
}

/* A text of the user, cut when it is long. */
static void put_quote(struct buf *out, struct str quote)
{
    buf_put(out, str_slice(quote, 0, whole_chars(quote, QUOTE_MAX)));
    if (quote.len > QUOTE_MAX) { buf_put(out, STR("…")); }
}

/* "4 GPUs", "1 GPU", "no GPU" · "512 CPU units" · "16384 MiB of memory" */
static void put_amount(struct buf *out, enum verdict resource, int64_t amount)
{
    if (amount == 0) { buf_put(out, STR("no")); } else { buf_put_i64(out, amount); }
    if (resource == LACKS_GPU) {
        buf_printf(out, " GPU%s", plural(amount > 0 ? amount : 1));
    } else if (resource == LACKS_CPU) {
        buf_printf(out, " CPU unit%s", plural(amount));
    } else {
        buf_put(out, amount == 0 ? STR(" memory") : STR(" MiB of memory"));
    }
}

/* ---- the need ---- */
struct gpus {
    int64_t count; bool all;                 /* whole ones */
    size_t shares; int64_t share;            /* parts of one, and the largest of them; 0: as the memory gives */
    int64_t memory_mib;                      /* the most that is asked for on one device */
};

static struct gpus demand_gpus(const struct demand *demand)
{
    struct gpus gpus = { 0 };
    for (size_t c = 0; c < demand->container_count; c++) {
        const struct gpu_ask *ask = &demand->gpus[c];
        if (ask->count == 0) { continue; }
        gpus.all |= ask->count == DEMAND_GPUS_ALL;
        if (ask->memory_mib > gpus.memory_mib) { gpus.memory_mib = ask->memory_mib; }
        if (ask->share != GPU_WHOLE) {
            gpus.shares++;
            gpus.share = ask->share > gpus.share ? ask->share : gpus.share;
        } else if (ask->count > 0 && gpus.count < INT32_MAX) {
            gpus.count += ask->count;
        }
    }
    return gpus;
}

/* "0.5 of a GPU" from 500 thousandths. */
static void put_share(struct buf *out, int64_t share)
{
    int64_t digits = share;
    int places = 3;
    ASSERT(share > 0 && share < GPU_WHOLE);
    for (; places > 1 && digits % 10 == 0; places--) { digits /= 10; }
    buf_printf(out, "0.%0*lld", places, (long long)digits);
}

static bool has_verdict(const struct evidence *evidence, enum verdict verdict)
{
    for (size_t g = 0; g < evidence->group_count; g++) {
        if (evidence->groups[g].verdict == verdict) { return true; }
    }
    return false;
}

static void put_and(struct buf *out, size_t start)
{
    if (out->len > start) { buf_put(out, STR(" and ")); }
}

static void put_gpu_need(struct buf *out, struct gpus gpus)
{
    if (gpus.all) {
        buf_put(out, STR("all GPUs of an instance"));
        if (gpus.count > 0) { buf_printf(out, " and %lld more", (long long)gpus.count); }
    } else {
        if (gpus.count > 0 || gpus.shares == 0) { put_amount(out, LACKS_GPU, gpus.count); }
        if (gpus.count > 0 && gpus.shares > 0) { buf_put(out, STR(" and ")); }
        if (gpus.shares > 1) { buf_printf(out, "%zu parts of a GPU, the largest ", gpus.shares); }
        if (gpus.shares > 0 && gpus.share > 0) {
            put_share(out, gpus.share);
            if (gpus.shares == 1) { buf_put(out, STR(" of a GPU")); }
        } else if (gpus.shares > 0) {
            buf_put(out, gpus.shares == 1 ? STR("a part of a GPU") : STR("as its memory"));
        }
    }
    if (gpus.memory_mib > 0) { buf_printf(out, " with %lld MiB of GPU memory", (long long)gpus.memory_mib); }
    if (gpus.count > 1 || (gpus.count > 0 && gpus.shares > 0)) { buf_put(out, STR(" on one instance")); }
}

static void put_port_need(struct buf *out, const struct demand *demand)
{
    enum { PORTS_TOLD_MAX = 5 };
    buf_printf(out, "host port%s", plural((int64_t)demand->port_count));
    for (size_t p = 0; p < demand->port_count && p < PORTS_TOLD_MAX; p++) {
        buf_printf(out, "%s %lld%s", p == 0 ? "" : ",", (long long)(demand->ports[p] & 0xFFFF),
                   (demand->ports[p] & 0x10000) != 0 ? "/udp" : "");
    }
    if (demand->port_count > PORTS_TOLD_MAX) { buf_put(out, STR(", …")); }
}

static void put_gang(struct buf *out, const struct evidence *evidence)
{
    if (evidence->gang_size == 0) { return; }
    bool one = evidence->gang_fitted == 1;
    buf_printf(out, "%lld task%s together", (long long)evidence->gang_size, plural(evidence->gang_size));
    if (evidence->gang_fitted == 0) {
        buf_put(out, evidence->gang_size == 1 ? STR(", which ") : STR(", of which each "));
    } else {
        buf_printf(out, ": %lld %s, and with %s in place the next ", (long long)evidence->gang_fitted, one ? "fits" : "fit", one ? "that" : "those");
    }
}

/* GPUs whenever some are wanted; CPU and memory where they lack, or where nothing else could be said. */
static void put_need(struct buf *out, const struct demand *demand, const struct evidence *evidence)
{
    struct gpus gpus = demand_gpus(demand);
    bool lacks_cpu = has_verdict(evidence, LACKS_CPU), lacks_memory = has_verdict(evidence, LACKS_MEMORY);
    bool lacks_port = has_verdict(evidence, LACKS_PORT), wants_gpus = gpus.all || gpus.count > 0 || gpus.shares > 0;
    bool lacks_interface = has_verdict(evidence, LACKS_INTERFACE);
    bool nothing = !lacks_cpu && !lacks_memory && !lacks_port && !lacks_interface && !wants_gpus;
    put_gang(out, evidence);
    buf_put(out, STR("needs "));
    size_t start = out->len;
    if (wants_gpus) { put_gpu_need(out, gpus); }
    if (lacks_cpu || (nothing && demand->cpu > 0)) {
        put_and(out, start);
        put_amount(out, LACKS_CPU, demand->cpu);
    }
    if (lacks_memory || (nothing && demand->memory_mib > 0)) {
        put_and(out, start);
        put_amount(out, LACKS_MEMORY, demand->memory_mib);
    }
    if (lacks_port) {
        put_and(out, start);
        put_port_need(out, demand);
    }
    if (lacks_interface) {
        put_and(out, start);
        buf_put(out, STR("a network interface"));
    }
    if (out->len == start) { buf_put(out, STR("an instance")); }
}

/* ---- what the groups lacked ---- */
struct telling {
    const struct demand *demand; const struct evidence_group *group;
    bool own;                                /* some of the held amount would be the gang's own */
};

static void tell_status(struct buf *out, const struct telling *t)
{
    put_instances(out, t->group->count);
    buf_put(out, t->group->count == 1 ? STR(" takes no new tasks") : STR(" take no new tasks"));
}

static void tell_agent(struct buf *out, const struct telling *t)
{
    put_instances(out, t->group->count);
    buf_put(out, t->group->count == 1 ? STR(" has an agent that is not connected") : STR(" have agents that are not connected"));
}

static void tell_daemon(struct buf *out, const struct telling *t)
{
    put_instances(out, t->group->count);
    buf_put(out, t->group->count == 1 ? STR(" waits for its daemons") : STR(" wait for their daemons"));
}

static void tell_attribute(struct buf *out, const struct telling *t)
{
    put_instances(out, t->group->count);
    buf_put(out, t->group->count == 1 ? STR(" lacks the attribute ") : STR(" lack the attribute "));
    put_quote(out, t->group->what);
    for (size_t a = 0; a < t->demand->attribute_count; a++) {
        const struct sched_attribute *attribute = &t->demand->attributes[a];
        if (!str_eq(attribute->name, t->group->what) || !str_is_set(attribute->value)) { continue; }
        buf_put(out, STR(" == "));
        put_quote(out, attribute->value);
    }
}

static void tell_member(struct buf *out, const struct telling *t)
{
    put_instances(out, t->group->count);
    buf_put(out, t->group->count == 1 ? STR(" does not match the constraint ") : STR(" do not match the constraint "));
    put_quote(out, t->group->what);
}

static void tell_distinct(struct buf *out, const struct telling *t)
{
    put_instances(out, t->group->count);
    buf_printf(out, " already %s a task of the group ", t->group->count == 1 ? "has" : "have");
    put_quote(out, t->demand->group);
}

static void tell_port(struct buf *out, const struct telling *t)
{
    put_instances(out, t->group->count);
    buf_printf(out, " %s host port " STR_FMT " %s", t->group->count == 1 ? "has" : "have", STR_ARG(t->group->what),
               t->group->impossible ? "reserved" : "in use");
}

static void tell_interface(struct buf *out, const struct telling *t)
{
    put_instances(out, t->group->count);
    buf_printf(out, " %s %s%lld network interface%s for tasks and all are in use", t->group->count == 1 ? "has" : "have",
               t->group->mixed ? "up to " : "", (long long)t->group->total, plural(t->group->total));
}

static void tell_kept_devices(struct buf *out, const struct evidence_group *group)
{
    buf_put(out, group->count == 1 ? STR(" although it has ") : STR(" although each has "));
    put_quote(out, group->what);
    buf_put(out, str_eq(group->what, STR("1")) ? STR(" NVIDIA device") : STR(" NVIDIA devices"));
}

static void tell_gpus_kept_back(struct buf *out, const struct telling *t)
{
    const struct evidence_group *group = t->group;
    bool one = group->count == 1;
    put_instances(out, group->count);
    buf_put(out, one ? STR(" has no GPU to give") : STR(" have no GPU to give"));
    if (!str_is_set(group->why)) { buf_put(out, one ? STR(": GPU support is off on its agent") : STR(": GPU support is off on their agents")); }
    if (group->what.len > 0) { tell_kept_devices(out, group); }
    if (!str_is_set(group->why)) { return; }
    buf_put(out, STR(": "));
    put_quote(out, group->why);
}

/* Devices of the instance that no task may have. */
static void tell_quarantined(struct buf *out, const struct evidence_group *group)
{
    buf_printf(out, " and %s%lld %s quarantined", group->mixed ? "up to " : "", (long long)group->out, group->out == 1 ? "is" : "are");
}

/* " and all are held by running tasks" */
static void tell_held(struct buf *out, const struct telling *t)
{
    const struct evidence_group *group = t->group;
    bool is_gpu = group->verdict == LACKS_GPU, one = is_gpu && group->total == 1 && group->count == 1;
    buf_put(out, one ? STR(" and it is ") : is_gpu ? STR(" and all are ") : STR(" and all of it is "));
    if (group->asked) {
        buf_put(out, group->held ? STR("held by running tasks and the tasks of this question") : STR("held by the tasks of this question"));
    } else if (t->own) {
        buf_put(out, STR("taken"));
    } else {
        buf_put(out, one ? STR("held by a running task") : STR("held by running tasks"));
    }
}

/* How much is free, where all of it together would be enough. */
static void tell_free(struct buf *out, const struct telling *t)
{
    const struct evidence_group *group = t->group;
    struct gpus gpus = demand_gpus(t->demand);
    bool for_shares = group->verdict == LACKS_GPU && gpus.shares > 0 && gpus.count == 0 && !gpus.all;
    if (for_shares && group->most_share > 0 && group->most_share < GPU_WHOLE) {
        buf_put(out, STR(", with at most "));
        put_share(out, group->most_share);
        buf_put(out, STR(" of one free"));
    } else if (group->most > 0) {
        buf_printf(out, ", of which at most %lld %s free", (long long)group->most, group->most == 1 ? "is" : "are");
    } else if (group->out > 0 && group->out == group->total) {
        buf_put(out, group->total == 1 && group->count == 1 ? STR(" and it is quarantined") : STR(" and all are quarantined"));
        return;
    } else if (group->out > 0) {
        buf_put(out, STR(", of which none is free"));
    } else {
        tell_held(out, t);
    }
    if (group->out > 0) { tell_quarantined(out, group); }
}

static void tell_gpu_memory(struct buf *out, const struct telling *t)
{
    put_instances(out, t->group->count);
    buf_put(out, t->group->count == 1 ? STR(" has GPUs with ") : STR(" have GPUs with "));
    if (t->group->total == 0) {
        buf_put(out, STR("an unknown amount of memory"));
    } else {
        buf_printf(out, "only %s%lld MiB of memory", t->group->mixed ? "up to " : "", (long long)t->group->total);
    }
}

static void tell_resource(struct buf *out, const struct telling *t)
{
    const struct evidence_group *group = t->group;
    bool has_some = group->total > 0, kept_back = group->verdict == LACKS_GPU && str_is_set(group->what);
    if (kept_back) {
        tell_gpus_kept_back(out, t);
        return;
    }
    put_instances(out, group->count);
    buf_put(out, group->count == 1 ? STR(" has ") : STR(" have "));
    if (has_some && group->impossible) { buf_put(out, STR("only ")); }
    if (has_some && group->mixed) { buf_put(out, STR("up to ")); }
    put_amount(out, group->verdict, group->total);
    if (has_some && group->count > 1 && !group->mixed) { buf_put(out, STR(" each")); }
    if (has_some && !group->impossible) { tell_free(out, t); }
}

static void tell_kept(struct buf *out, const struct telling *t)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(t->group->keeper, hex);
    put_instances(out, t->group->count);
    buf_printf(out, " %s room that is kept for the waiting task %s%s", t->group->count == 1 ? "has" : "have", hex, t->group->count == 1 ? "" : " or others");
}

static void (*const tells[VERDICT_COUNT])(struct buf *, const struct telling *) = {
    [NOT_ACTIVE] = tell_status,      [NO_AGENT] = tell_agent,         [LACKS_ATTRIBUTE] = tell_attribute, [NOT_MEMBER] = tell_member,
    [NOT_DISTINCT] = tell_distinct,  [LACKS_CPU] = tell_resource,     [LACKS_MEMORY] = tell_resource,     [LACKS_GPU] = tell_resource,
    [LACKS_PORT] = tell_port,        [LACKS_GPU_MEMORY] = tell_gpu_memory,
    [LACKS_INTERFACE] = tell_interface, [AWAITS_DAEMON] = tell_daemon, [ROOM_KEPT] = tell_kept,
};

/* ---- what would change it ---- */
static void put_outlook(struct buf *out, const struct demand *demand, const struct evidence *evidence)
{
    static const struct str outlooks[VERDICT_COUNT] = {
        [NOT_ACTIVE]   = STR_INIT(" Would fit when an instance takes new tasks again."),
        [NO_AGENT]     = STR_INIT(" Would fit when an agent connects again."),
        [AWAITS_DAEMON] = STR_INIT(" Would fit when the daemons there run."),
        [NOT_MEMBER]   = STR_INIT(" Would fit when the tasks there that the constraint names are gone."),
        [NOT_DISTINCT] = STR_INIT(" Would fit when a task of that group ends."),
        [LACKS_CPU]    = STR_INIT(" Would fit when enough running tasks end."),
        [LACKS_MEMORY] = STR_INIT(" Would fit when enough running tasks end."),
        [LACKS_PORT]   = STR_INIT(" Would fit when the task that holds the port ends."),
        [LACKS_INTERFACE] = STR_INIT(" Would fit when a task with a network interface ends."),
        [ROOM_KEPT]         = STR_INIT(" Would fit now if it ended before that task can start: the tag berth:max-runtime says so."),
    };
    for (size_t g = 0; evidence->impossible && g < evidence->group_count; g++) {
        if (!str_is_set(evidence->groups[g].why)) { continue; }
        buf_put(out, STR(" Would fit when the GPUs of such an instance work: `berth doctor` there tells more."));
        return;
    }
    if (evidence->impossible) {
        buf_put(out, evidence->only_one ? STR(" That instance can never hold it.")
                                        : STR(" No instance of this cluster can ever hold it."));
        return;
    }
    if (evidence->gang_size > 1) {
        buf_printf(out, " Room for %lld%s is missing.", (long long)(evidence->gang_size - evidence->gang_fitted), evidence->gang_fitted > 0 ? " more" : "");
        return;
    }
    const struct evidence_group *nearest = &evidence->groups[0];
    if (nearest->asked && !nearest->held) {
        buf_put(out, STR(" There is no room for more of them."));
        return;
    }
    if (nearest->verdict != LACKS_GPU) {
        buf_put(out, outlooks[nearest->verdict]);
        return;
    }
    struct gpus gpus = demand_gpus(demand);
    if (gpus.shares > 0) {
        buf_put(out, STR(" Would fit when enough of a GPU is free."));
    } else if (gpus.all) {
        buf_put(out, STR(" Would fit when all GPUs of one instance are free."));
    } else if (nearest->out > 0 && gpus.count > nearest->total - nearest->out) {
        buf_put(out, STR(" Would fit when quarantined GPUs come back."));
    } else if (gpus.count - nearest->most == 1) {
        buf_put(out, STR(" Would fit when a task with a GPU ends."));
    } else {
        buf_printf(out, " Would fit when %lld more GPUs are free on one instance.", (long long)(gpus.count - nearest->most));
    }
}

/* No instance has as many GPUs as are needed, and this one has some. */
static bool has_too_few_gpus(const struct evidence_group *group)
{
    return group->verdict == LACKS_GPU && group->impossible && group->total > 0 && !str_is_set(group->what);
}

/* How many GPUs the largest instance has, where that is the reason; 0 where it is not: a larger one lacks something else. */
static int64_t largest_of(const struct demand *demand, const struct evidence *evidence)
{
    int64_t gpus = 0;
    bool is_reason = false;
    if (!evidence->impossible || evidence->only_one || demand_gpus(demand).shares > 0) { return 0; }     /* each instance with a GPU has enough for a part */
    for (size_t g = 0; g < evidence->group_count; g++) { gpus = max_i64(gpus, evidence->groups[g].gpus); }
    for (size_t g = 0; g < evidence->group_count; g++) { is_reason |= has_too_few_gpus(&evidence->groups[g]) && evidence->groups[g].total == gpus; }
    return is_reason ? gpus : 0;
}

/* The group has the largest instances and no others, so that put_largest has said all of it. */
static bool is_largest(const struct evidence_group *group, int64_t largest)
{
    return largest > 0 && has_too_few_gpus(group) && group->total == largest && !group->mixed;
}

/* "needs 5 GPUs on one instance; the largest has 4 (3 instances)" */
static void put_largest(struct buf *out, const struct evidence *evidence, int64_t largest)
{
    int64_t count = 0;
    bool known = true;
    for (size_t g = 0; g < evidence->group_count; g++) {
        const struct evidence_group *group = &evidence->groups[g];
        known = known && (group->gpus < largest || is_largest(group, largest));
        if (is_largest(group, largest)) { count += group->count; }
    }
    buf_printf(out, "; the largest has %lld", (long long)largest);
    if (!known) { return; }
    buf_put(out, STR(" ("));
    put_instances(out, count);
    buf_put_char(out, ')');
}

/* Groups that would make the text too long are left out, farthest first; the outlook is always told. */
static void put_groups(struct buf *out, const struct demand *demand, const struct evidence *evidence, size_t room)
{
    size_t start = out->len;
    int64_t largest = largest_of(demand, evidence);
    if (largest > 0) { put_largest(out, evidence, largest); }
    for (size_t g = 0; g < evidence->group_count; g++) {
        const struct evidence_group *group = &evidence->groups[g];
        if (is_largest(group, largest)) { continue; }
        ASSERT(group->count > 0 && (int)group->verdict > FITS && group->verdict < VERDICT_COUNT);
        const struct telling telling = { demand, group, evidence->gang_fitted > 0 };
        ASSERT(tells[group->verdict] != NULL);
        size_t before = out->len;
        buf_put(out, out->len > start ? STR("; ") : STR(". "));
        tells[group->verdict](out, &telling);
        if (out->len - start > room) {
            out->len = before;
            buf_put(out, STR("; …"));
            return;
        }
    }
}

void sched_explain(const struct demand *demand, const struct evidence *evidence, struct buf *out)
{
    size_t start = out->len;
    put_need(out, demand, evidence);
    if (evidence->instances == 0) {
        buf_put(out, STR(". The cluster has no instances."));
    } else if (evidence->group_count > 0) {
        put_groups(out, demand, evidence, EXPLANATION_MAX - 140 - (out->len - start));
        buf_put_char(out, '.');
        put_outlook(out, demand, evidence);
    }
    ASSERT(out->len - start <= EXPLANATION_MAX);
}
