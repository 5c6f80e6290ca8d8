#include "server/figures/held.h"

#include <stdlib.h>

#include "base/id_map.h"
#include "base/lock.h"
#include "base/num.h"

static const struct str first_line = STR_INIT("berth-held 1");

struct holding {                                /* a task and one of its GPUs */
    struct id task;
    char *uuid;                              /* owned */
    int64_t share;
    struct idle idle;
    int64_t sampled, used, idled, run;       /* thousandths of a GPU times ms; run: of `idled`, what this time of idleness has added */
    double memory; bool memory_known;
    bool excused;
};
struct machine { struct id instance; int64_t told_ms; struct holding *pairs; size_t count; };
struct held {
    struct idle_rule rule;
    struct lock lock;                        /* guards all below */
    struct id_map by_instance;
    size_t count;                            /* pairs */
};

struct held *held_create(const struct idle_rule *rule)
{
    struct held *held = calloc(1, sizeof *held);
    ASSERT(held != NULL);
    held->rule = *rule;
    lock_init(&held->lock);
    return held;
}

const struct idle_rule *held_rule(const struct held *held) { return &held->rule; }

static void free_pairs(struct holding *pairs, size_t count)
{
    for (size_t p = 0; p < count; p++) { free(pairs[p].uuid); }
    free(pairs);
}

static void drop_machine(struct held *held, struct machine *machine) REQUIRES(held->lock)
{
    id_map_remove(&held->by_instance, machine->instance);
    ASSERT(held->count >= machine->count);
    held->count -= machine->count;
    free_pairs(machine->pairs, machine->count);
    free(machine);
}

void held_destroy(struct held *held) NO_THREAD_SAFETY
{
    if (held == NULL) { return; }
    for (size_t s = 0; s < held->by_instance.seat_count; s++) {
        struct machine *machine = held->by_instance.seats[s].thing;
        if (machine != NULL) { drop_machine(held, machine); }
    }
    lock_finish(&held->lock);
    id_map_finish(&held->by_instance);
    free(held);
}

static bool is_idle(const struct holding *pair) { return pair->idle.is_idle && !pair->excused; }

static struct machine *machine_of(struct held *held, struct id instance) REQUIRES(held->lock)
{
    struct machine *machine = id_map_find(&held->by_instance, instance);
    if (machine != NULL) { return machine; }
    machine = calloc(1, sizeof *machine);
    ASSERT(machine != NULL);
    machine->instance = instance;
    id_map_add(&held->by_instance, instance, machine);
    return machine;
}

/* ---- taking samples ---- */

static struct holding pair_make(struct id task, struct str uuid, int64_t share)
{
    struct holding pair = { .task = task, .share = share, .uuid = calloc(1, uuid.len + 1) };
    ASSERT(pair.uuid != NULL);
    memcpy(pair.uuid, uuid.ptr, uuid.len);
    return pair;
}

/* The pair as it was, moved out of the old ones; both are in the order of tasks, and `from` is where that task's may begin. */
static struct holding take_over(struct machine *machine, size_t *from, const struct held_gpu *gpu)
{
    while (*from < machine->count && id_cmp(machine->pairs[*from].task, gpu->task) < 0) { (*from)++; }
    for (size_t p = *from; p < machine->count && id_eq(machine->pairs[p].task, gpu->task); p++) {
        struct holding *pair = &machine->pairs[p];
        if (pair->uuid == NULL || !str_eq(str_from(pair->uuid), gpu->uuid)) { continue; }
        struct holding moved = *pair;
        moved.share = gpu->share;
        pair->uuid = NULL;
        return moved;
    }
    return pair_make(gpu->task, gpu->uuid, gpu->share);
}

static struct gpu_sample *sample_of(struct machine_sample *told, struct str uuid)
{
    for (size_t g = 0; g < told->gpus.count; g++) {
        if (str_eq(told->gpus.items[g].uuid, uuid)) { return &told->gpus.items[g]; }
    }
    return NULL;
}

static void excuse(struct holding *pair, bool excused)
{
    if (excused && !pair->excused) {
        pair->idled -= pair->run;
        pair->run = 0;
    }
    pair->excused = excused;
}

static void pair_take(struct holding *pair, const struct idle_rule *rule, const struct held_gpu *gpu, struct gpu_sample *sample)
{
    static const struct idle_rule never = { 0, 0 };
    excuse(pair, gpu->excused);
    if (sample == NULL) { return; }                              /* the next one ends the idleness, if it comes late */
    const struct opt_double load = gpu_figure(&sample->told, GPU_UTILIZATION), memory = gpu_figure(&sample->told, GPU_MEMORY_USED);
    struct idle_step step = idle_take(&pair->idle, gpu->runs ? rule : &never, load.set, load.value, sample->at_ms);
    int64_t idled = pair->excused ? 0 : step.idle_ms * pair->share;
    pair->sampled += step.sampled_ms * pair->share;
    pair->used += (int64_t)((double)(step.sampled_ms * pair->share) * (load.set ? load.value > 1 ? 1 : load.value : 0));
    pair->idled += idled;
    pair->run = pair->idle.is_idle ? pair->run + idled : 0;
    pair->memory = memory.value;
    pair->memory_known = memory.set;
    if (is_idle(pair)) { sample->idle_since_ms = pair->idle.since_ms; }
}

/* One line of news a task: it had no idle GPU and has one, or the other way round. */
static size_t tell(const struct machine *machine, const bool *was_idle, struct held_news *news, size_t most)
{
    size_t count = 0;
    for (size_t p = 0, end; p < machine->count; p = end) {
        bool was = false, is = false;
        for (end = p; end < machine->count && id_eq(machine->pairs[end].task, machine->pairs[p].task); end++) {
            was |= was_idle[end];
            is |= is_idle(&machine->pairs[end]);
        }
        if (was != is && count < most) { news[count++] = (struct held_news){ machine->pairs[p].task, is }; }
    }
    return count;
}

size_t held_take(struct held *held, const struct held_gpu *gpus, size_t count, struct machine_sample *told, struct held_news *news, size_t most)
{
    lock_take(&held->lock);
    struct machine *machine = machine_of(held, told->instance);
    size_t room = HELD_MAX - (held->count - machine->count), from = 0;
    if (count > HELD_OF_MACHINE_MAX) { count = HELD_OF_MACHINE_MAX; }
    if (count > room) { count = room; }
    struct holding *pairs = calloc(count + 1, sizeof *pairs);
    bool *was_idle = calloc(count + 1, sizeof *was_idle);
    ASSERT(pairs != NULL && was_idle != NULL);
    for (size_t g = 0; g < count; g++) {
        ASSERT(g == 0 || id_cmp(gpus[g - 1].task, gpus[g].task) <= 0);
        pairs[g] = take_over(machine, &from, &gpus[g]);
        was_idle[g] = is_idle(&pairs[g]);
        pair_take(&pairs[g], &held->rule, &gpus[g], sample_of(told, gpus[g].uuid));
    }
    held->count = held->count - machine->count + count;
    free_pairs(machine->pairs, machine->count);
    machine->pairs = pairs;
    machine->count = count;
    machine->told_ms = told->at_ms;
    size_t news_count = tell(machine, was_idle, news, most);
    if (count == 0) { drop_machine(held, machine); }
    lock_drop(&held->lock);
    free(was_idle);
    return news_count;
}

/* ---- asking ---- */

static void add_idle(struct held_idle *item, const struct holding *pair, struct arena *arena)
{
    item->gpus += pair->share;
    item->idle_gpu_ms += pair->idled / GPU_SHARE_WHOLE;
    if (!is_idle(pair)) {
        item->all_since_ms = INT64_MAX;
        return;
    }
    item->idle_gpus += pair->share;
    if (item->since_ms == 0 || pair->idle.since_ms < item->since_ms) { item->since_ms = pair->idle.since_ms; }
    item->all_since_ms = max_i64(item->all_since_ms, pair->idle.since_ms);
    item->memory_used_bytes += pair->memory;
    item->memory_known |= pair->memory_known;
    size_t size = item->uuids.count * sizeof *item->uuids.items;
    item->uuids.items = arena_grow(arena, item->uuids.items, size, size + sizeof *item->uuids.items);
    item->uuids.items[item->uuids.count++] = arena_str(arena, str_from(pair->uuid));
}

/* Appends the machine's idle tasks to items, which has room for each of its pairs. */
static size_t list_machine(const struct machine *machine, struct held_idle *items, size_t count, struct arena *arena)
{
    for (size_t p = 0, end; p < machine->count; p = end) {
        const struct holding *first = &machine->pairs[p];
        struct held_idle item = { .instance = machine->instance, .task = first->task };
        bool any = false;
        for (end = p; end < machine->count && id_eq(machine->pairs[end].task, first->task); end++) { any |= is_idle(&machine->pairs[end]); }
        if (!any) { continue; }
        for (size_t q = p; q < end; q++) { add_idle(&item, &machine->pairs[q], arena); }
        if (item.all_since_ms == INT64_MAX) { item.all_since_ms = 0; }
        items[count++] = item;
    }
    return count;
}

size_t held_list(struct held *held, struct id instance, struct held_idle **items, struct arena *arena)
{
    size_t count = 0, idle = 0;
    bool all = id_is_zero(instance);
    lock_take(&held->lock);
    for (size_t s = 0; s < held->by_instance.seat_count; s++) {
        const struct machine *machine = held->by_instance.seats[s].thing;
        if (machine == NULL || !(all || id_eq(machine->instance, instance))) { continue; }
        for (size_t p = 0; p < machine->count; p++) { idle += machine->pairs[p].idle.is_idle; }
    }
    *items = ARENA_NEW(arena, struct held_idle, idle + 1);       /* each has an idle pair */
    for (size_t s = 0; s < held->by_instance.seat_count && idle > 0; s++) {
        const struct machine *machine = held->by_instance.seats[s].thing;
        if (machine != NULL && (all || id_eq(machine->instance, instance))) { count = list_machine(machine, *items, count, arena); }
    }
    lock_drop(&held->lock);
    ASSERT(count <= idle);
    return count;
}

int64_t held_idle_thousandths(struct held *held)
{
    int64_t sum = 0;
    lock_take(&held->lock);
    for (size_t s = 0; s < held->by_instance.seat_count; s++) {
        const struct machine *machine = held->by_instance.seats[s].thing;
        for (size_t p = 0; machine != NULL && p < machine->count; p++) {
            const struct holding *pair = &machine->pairs[p];
            sum += is_idle(pair) ? pair->share : 0;
        }
    }
    lock_drop(&held->lock);
    return sum;
}

struct task_usage held_usage(struct held *held, struct id instance, struct id task)
{
    struct task_usage usage = { 0 };
    lock_take(&held->lock);
    const struct machine *machine = id_map_find(&held->by_instance, instance);
    for (size_t p = 0; machine != NULL && p < machine->count; p++) {
        const struct holding *pair = &machine->pairs[p];
        if (!id_eq(pair->task, task)) { continue; }
        usage.sampled_gpu_ms += pair->sampled / GPU_SHARE_WHOLE;
        usage.used_gpu_ms += pair->used / GPU_SHARE_WHOLE;
        usage.idle_gpu_ms += pair->idled / GPU_SHARE_WHOLE;
    }
    lock_drop(&held->lock);
    return usage;
}

struct task_usage held_usage_of(const void *held, struct id instance, struct id task)
{
    union { const void *lent; struct held *own; } owner = { held };
    return held_usage(owner.own, instance, task);
}

/* ---- what tags say ---- */

struct idle_wish held_wish(const struct task *task)
{
    struct idle_wish wish;
    struct err unread = { 0 };
    (void)idle_wish_read(&task->tags, &wish, &unread);           /* what can't be read was set on the task later: it says nothing */
    return wish;
}

int64_t held_stops_ms(const struct held *held, const struct task *task, const struct held_idle *idle)
{
    struct idle_wish wish = held_wish(task);
    bool stops = wish.stops && idle->all_since_ms != 0 && task->desired_status == TASK_RUNNING;
    return stops ? idle->all_since_ms + held_rule(held)->after_ms + wish.grace_ms : 0;
}

/* ---- keeping ---- */

void held_print(struct held *held, struct buf *out)
{
    lock_take(&held->lock);
    buf_put(out, first_line);
    buf_put_char(out, '\n');
    for (size_t s = 0; s < held->by_instance.seat_count; s++) {
        const struct machine *machine = held->by_instance.seats[s].thing;
        for (size_t p = 0; machine != NULL && p < machine->count; p++) {
            const struct holding *pair = &machine->pairs[p];
            char instance[ID_HEX_LEN + 1], task[ID_HEX_LEN + 1];
            id_hex(machine->instance, instance);
            id_hex(pair->task, task);
            buf_printf(out, "%s %s %lld %lld %lld %lld %s\n", instance, task, (long long)pair->share, (long long)pair->sampled, (long long)pair->used,
                       (long long)pair->idled, pair->uuid);
        }
    }
    lock_drop(&held->lock);
}

struct line { struct id instance; struct holding pair; };

/* Its numbers are what print has written, or the line is not taken. The UUID comes last: it is the machine's own text. */
static bool read_line(struct str text, struct line *line)
{
    struct str words[6], rest = text;
    int64_t numbers[4];
    bool good = true;
    for (size_t w = 0; w < COUNT_OF(words); w++) { good = good && str_cut(rest, ' ', &words[w], &rest); }
    if (!good || rest.len == 0 || !id_parse(words[0], &line->instance) || !id_parse(words[1], &line->pair.task)) { return false; }
    for (size_t n = 0; n < COUNT_OF(numbers); n++) { good = good && str_to_i64(words[n + 2], &numbers[n]) && numbers[n] >= 0; }
    if (!good || numbers[0] > GPU_SHARE_WHOLE || numbers[2] > numbers[1]) { return false; }
    line->pair = pair_make(line->pair.task, rest, numbers[0]);
    line->pair.sampled = numbers[1];
    line->pair.used = numbers[2];
    line->pair.idled = numbers[3];
    return true;
}

static void add_pair(struct held *held, const struct line *line) REQUIRES(held->lock)
{
    struct machine *machine = machine_of(held, line->instance);
    machine->pairs = realloc(machine->pairs, (machine->count + 1) * sizeof *machine->pairs);
    ASSERT(machine->pairs != NULL);
    machine->pairs[machine->count++] = line->pair;
    held->count++;
}

/* Within a machine tasks must be in order: a line out of order is not believed. */
static bool is_in_order(struct held *held, const struct line *line) REQUIRES(held->lock)
{
    const struct machine *machine = id_map_find(&held->by_instance, line->instance);
    return machine == NULL || (machine->count < HELD_OF_MACHINE_MAX && id_cmp(machine->pairs[machine->count - 1].task, line->pair.task) <= 0);
}

void held_read(struct held *held, struct str text)
{
    struct str head, rest;
    if (!str_cut(text, '\n', &head, &rest) || !str_eq(head, first_line)) { return; }
    lock_take(&held->lock);
    ASSERT(held->count == 0);
    for (struct str line_text; str_cut(rest, '\n', &line_text, &rest) && held->count < HELD_MAX;) {
        struct line line = { 0 };
        if (!read_line(line_text, &line)) { continue; }
        if (is_in_order(held, &line)) { add_pair(held, &line); } else { free(line.pair.uuid); }
    }
    lock_drop(&held->lock);
}

void held_sweep(struct held *held, int64_t before_ms, bool (*lives)(void *context, struct id instance), void *context)
{
    struct id *silent;
    size_t count = 0;
    lock_take(&held->lock);
    silent = calloc(held->by_instance.seat_count + 1, sizeof *silent);
    ASSERT(silent != NULL);
    for (size_t s = 0; s < held->by_instance.seat_count; s++) {
        const struct machine *machine = held->by_instance.seats[s].thing;
        if (machine != NULL && machine->told_ms < before_ms) { silent[count++] = machine->instance; }
    }
    lock_drop(&held->lock);
    for (size_t i = 0; i < count; i++) {                         /* the store is asked without the lock */
        if (lives(context, silent[i])) { continue; }
        lock_take(&held->lock);
        struct machine *machine = id_map_find(&held->by_instance, silent[i]);
        if (machine != NULL && machine->told_ms < before_ms) { drop_machine(held, machine); }
        lock_drop(&held->lock);
    }
    free(silent);
}
