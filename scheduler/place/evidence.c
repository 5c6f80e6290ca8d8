/* evidence.c: why nothing fitted. Gathered only after a search that failed: instances are looked at thoroughly, and those that
 * were refused for the same reason with the same means are counted together, nearest miss first. */
#include "base/num.h"
#include "scheduler/place/search.h"

/* Two tallies to merge can always be found, since there are fewer kinds of reasons than tallies. */
_Static_assert(TALLIES_MAX > 2 * VERDICT_COUNT, "two tallies share verdict and impossible");

static bool holds_some(const struct task_slot *task, enum verdict resource)
{
    return resource == LACKS_GPU ? task->gpu_count > 0 : resource == LACKS_CPU ? task->cpu > 0 : task->memory_mib > 0;
}

/* Tasks of a trial are the newest everywhere, so they are first in the list. The others are only asked about beside them. */
static void note_holders(const struct world *world, const struct instance_slot *instance, struct evidence_group *group)
{
    uint32_t next = instance->tasks;
    for (; next != NONE && id_is_trial(task_at(world, next)->id); next = task_at(world, next)->next) { group->asked = true; }
    if (!group->asked) { return; }
    for (; next != NONE && !group->held; next = task_at(world, next)->next) { group->held = holds_some(task_at(world, next), group->verdict); }
}

struct tally tally_of(const struct search *search, uint32_t number, const struct look *look)
{
    const struct instance_slot *instance = instance_at(search->world, number);
    ASSERT(look->verdict != FITS && look->lacking > 0);
    struct tally tally = { .lacking = look->lacking, .port = look->port };
    tally.group = (struct evidence_group){
        .verdict = look->verdict, .impossible = look->impossible, .count = 1, .example = instance->id, .what = look->what,
        .gpus = instance->gpu_count,
    };
    bool may_be_held = look->verdict == LACKS_CPU || look->verdict == LACKS_MEMORY || look->verdict == LACKS_GPU;
    if (may_be_held && !look->impossible) { note_holders(search->world, instance, &tally.group); }
    if (look->verdict == LACKS_CPU) {
        tally.group.most = instance_cpu_free(instance);
        tally.group.total = instance->cpu;
    } else if (look->verdict == LACKS_MEMORY) {
        tally.group.most = instance_memory_free(instance);
        tally.group.total = instance->memory_mib;
    } else if (look->verdict == LACKS_INTERFACE) {
        tally.group.total = instance->interfaces;
    } else if (look->verdict == LACKS_GPU_MEMORY) {
        for (uint32_t slot = 0; slot < instance->gpu_count; slot++) {
            if (instance->rig->memory_mib[slot] > tally.group.total) { tally.group.total = instance->rig->memory_mib[slot]; }
        }
    } else if (look->verdict == LACKS_GPU) {
        for (uint32_t slot = 0; slot < instance->gpu_count; slot++) {
            if (instance->gpu_free[slot] > tally.group.most_share) { tally.group.most_share = instance->gpu_free[slot]; }
        }
        tally.group.most = bits_count(instance_gpus_free(instance));
        tally.group.total = instance->gpu_count;
        tally.group.out = bits_count(instance->gpus_out);
        tally.group.why = look->why;
    }
    return tally;
}

/* The same reason: they may be counted together when there is no room for more. */
static bool is_alike(const struct tally *a, const struct tally *b)
{
    return a->group.verdict == b->group.verdict && a->group.impossible == b->group.impossible;
}

/* The same reason with the same means. */
static bool is_same(const struct tally *a, const struct tally *b)
{
    return is_alike(a, b) && a->group.total == b->group.total && a->port == b->port && a->group.out == b->group.out
        && str_is_set(a->group.what) == str_is_set(b->group.what) && str_eq(a->group.what, b->group.what)
        && str_eq(a->group.why, b->group.why);
}

/* Negative when `a` came nearer: possible before impossible, then fewer things lacking, then the later verdict (it passed more
 * checks), then more of the lacking amount; at last the smaller id, so that the order is one and the same everywhere. */
static int compare(const struct tally *a, const struct tally *b)
{
    if (a->group.impossible != b->group.impossible) { return a->group.impossible ? 1 : -1; }
    if (a->lacking != b->lacking) { return a->lacking < b->lacking ? -1 : 1; }
    if (a->group.verdict != b->group.verdict) { return a->group.verdict > b->group.verdict ? -1 : 1; }
    if (a->group.most != b->group.most) { return a->group.most > b->group.most ? -1 : 1; }
    if (a->group.most_share != b->group.most_share) { return a->group.most_share > b->group.most_share ? -1 : 1; }
    if (a->group.total != b->group.total) { return a->group.total > b->group.total ? -1 : 1; }
    return id_cmp(a->group.example, b->group.example);
}

/* The nearer of the two lends its example and its words. */
static void merge(struct tally *into, const struct tally *other)
{
    ASSERT(is_alike(into, other));
    struct tally farther = *other;
    if (compare(other, into) < 0) {
        farther = *into;
        *into = *other;
    }
    struct evidence_group *group = &into->group;
    const struct evidence_group *more = &farther.group;
    group->mixed = group->mixed || more->mixed || group->total != more->total;
    group->held = group->held || more->held || group->asked != more->asked;
    group->asked = group->asked || more->asked;
    group->count += more->count;
    group->most = max_i64(group->most, more->most);
    group->most_share = max_i64(group->most_share, more->most_share);
    group->out = max_i64(group->out, more->out);
    group->gpus = max_i64(group->gpus, more->gpus);
    group->total = max_i64(group->total, more->total);
}

static void tally_add(struct tallies *tallies, const struct tally *one)
{
    if (tallies->count > 0 && is_same(&tallies->items[tallies->last], one)) {
        merge(&tallies->items[tallies->last], one);
        return;
    }
    size_t alike = TALLIES_MAX;
    for (size_t t = 0; t < tallies->count; t++) {
        if (is_same(&tallies->items[t], one)) {
            merge(&tallies->items[t], one);
            tallies->last = t;
            return;
        }
        if (is_alike(&tallies->items[t], one)) { alike = t; }
    }
    if (tallies->count < TALLIES_MAX - 2 * VERDICT_COUNT || (alike == TALLIES_MAX && tallies->count < TALLIES_MAX)) {
        tallies->items[tallies->count++] = *one;                 /* the last places are kept for reasons that have no tally yet */
    } else {
        ASSERT(alike < TALLIES_MAX);
        merge(&tallies->items[alike], one);
    }
}

static void tallies_sort(struct tallies *tallies)
{
    for (size_t t = 1; t < tallies->count; t++) {
        struct tally moved = tallies->items[t];
        size_t at = t;
        for (; at > 0 && compare(&moved, &tallies->items[at - 1]) < 0; at--) { tallies->items[at] = tallies->items[at - 1]; }
        tallies->items[at] = moved;
    }
}

/* Merges the farthest two that are alike. Where no two are alike, the farthest tally is left out, and its instances only count as looked at. */
static void tallies_shorten(struct tallies *tallies)
{
    for (size_t far = tallies->count; far-- > 1;) {
        for (size_t near = far; near-- > 0;) {
            if (!is_alike(&tallies->items[near], &tallies->items[far])) { continue; }
            merge(&tallies->items[near], &tallies->items[far]);
            memmove(&tallies->items[far], &tallies->items[far + 1], (tallies->count - far - 1) * sizeof tallies->items[0]);
            tallies->count--;
            return;
        }
    }
    tallies->count--;
}

/* "8080", "53/udp" */
static struct str port_text(char text[PORT_TEXT_SIZE], int64_t port)
{
    char digits[8];
    size_t len = 0, count = 0;
    for (int64_t rest = port & 0xFFFF; rest > 0 || count == 0; rest /= 10) { digits[count++] = (char)('0' + rest % 10); }
    while (count > 0) { text[len++] = digits[--count]; }
    if ((port & 0x10000) != 0) {
        memcpy(text + len, "/udp", 4);
        len += 4;
    }
    ASSERT(len > 0 && len <= PORT_TEXT_SIZE);
    return (struct str){ text, len };
}

static void evidence_write(struct tallies *tallies, struct evidence *evidence)
{
    tallies_sort(tallies);
    while (tallies->count > EVIDENCE_GROUPS_MAX) { tallies_shorten(tallies); }
    for (size_t t = 0; t < tallies->count; t++) {
        evidence->groups[t] = tallies->items[t].group;
        if (evidence->groups[t].verdict == LACKS_PORT) {
            evidence->groups[t].what = port_text(evidence->port_texts[t], tallies->items[t].port);
        }
    }
    ASSERT(tallies->count <= EVIDENCE_GROUPS_MAX);
    evidence->group_count = tallies->count;
}

void tallies_begin(struct tallies *tallies) { tallies->count = tallies->last = 0; }

void tallies_put(struct tallies *tallies, const struct tally *each, size_t count)
{
    for (size_t t = 0; t < count; t++) {
        if (each[t].group.count > 0) { tally_add(tallies, &each[t]); }
    }
}

void evidence_of_many(struct tallies *tallies, struct evidence *evidence)
{
    *evidence = (struct evidence){ .impossible = tallies->count > 0 };
    for (size_t t = 0; t < tallies->count; t++) {
        evidence->impossible &= tallies->items[t].group.impossible;
        evidence->instances += tallies->items[t].group.count;
    }
    evidence_write(tallies, evidence);
}

void evidence_of_one(const struct search *search, uint32_t instance, const struct look *look, struct evidence *evidence)
{
    *evidence = (struct evidence){ .instances = 1, .impossible = look->impossible, .only_one = true };
    struct tallies tallies;
    const struct tally one = tally_of(search, instance, look);
    tallies_begin(&tallies);
    tallies_put(&tallies, &one, 1);
    evidence_write(&tallies, evidence);
}
