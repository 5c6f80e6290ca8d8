/* test_queue.c: the order of tasks that wait, both sides of each limit, and random changes beside a plain list that is searched from end to end. */
#include "scheduler/queue/queue.h"

#include "base/rng.h"
#include "tests/unit/check.h"

#define NOW 1700000000000
#define HOUR ((int64_t)3600 * 1000)

static struct id id_of(unsigned n) { struct id id = { { 1 } }; memcpy(&id.bytes[8], &n, sizeof n); return id; }

static struct waiting waiting_of(unsigned n, int64_t since_ms)
{
    return (struct waiting){ .tasks = { id_of(n) }, .count = 1, .cluster = 1, .shape = 7, .since_ms = since_ms };
}

static bool is(const struct waiting *waiting, unsigned n) { return waiting != NULL && id_eq(waiting->tasks[0], id_of(n)); }

/* ---- order ---- */

struct side { int64_t priority, waited_ms; bool large; int64_t length_ms; };

static struct waiting waiting_on(const struct side *side, unsigned n)
{
    struct waiting waiting = waiting_of(n, NOW - side->waited_ms);
    waiting.priority = side->priority;
    waiting.large = side->large;
    waiting.length_ms = side->length_ms;
    waiting.shape = n;
    return waiting;
}

static void test_order(struct arena *arena)
{
    static const struct { const char *row; struct side first, second; } rows[] = {
        { "priority", { 1, 0, false, 0 }, { 0, 1000, false, 0 } },
        { "priority below 0", { -99, 0, false, 0 }, { -100, 1000, false, 0 } },
        { "arrival", { 0, 2, false, 0 }, { 0, 1, false, 0 } },
        { "one step of age is one of priority, and the large one is first", { 0, 6 * HOUR, true, 0 }, { 1, 0, false, 0 } },
        { "a moment earlier it has not that step", { 1, 0, false, 0 }, { 0, 6 * HOUR - 1, true, 0 } },
        { "ten steps", { 0, 60 * HOUR, false, 0 }, { 9, 0, false, 0 } },
        { "ten steps against ten", { 0, 60 * HOUR, false, 0 }, { 10, 1, true, 1 } },
        { "a moment before the tenth", { 10, 1, false, 0 }, { 0, 60 * HOUR - 1, false, 0 } },
        { "no eleventh step", { 11, 0, false, 0 }, { 0, 900 * HOUR, false, 0 } },
        { "large", { 0, 1, true, 0 }, { 0, 2, false, 0 } },
        { "two large ones", { 0, 2, true, 0 }, { 0, 1, true, 0 } },
        { "large before short", { 0, 1, true, 9000 }, { 0, 2, false, 1000 } },
        { "short", { 0, 1, false, 999 }, { 0, 2, false, 1000 } },
        { "short of large ones", { 0, 1, true, 999 }, { 0, 2, true, 1000 } },
        { "a known length before an unknown one", { 0, 1, false, INT64_MAX - 1 }, { 0, 2, false, 0 } },
        { "equal lengths", { 0, 2, false, 1000 }, { 0, 1, false, 1000 } },
        { "a step of age is before large", { 0, 6 * HOUR, false, 0 }, { 0, 6 * HOUR - 1, true, 0 } },
        { "a step of age is before short", { 0, 6 * HOUR, false, 0 }, { 0, 6 * HOUR - 1, false, 1 } },
        { "old ones: arrival alone", { 0, 61 * HOUR, false, 0 }, { 0, 60 * HOUR, true, 1 } },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        for (int turned = 0; turned < 2; turned++) {
            struct queue *queue = queue_create(arena);
            const struct waiting first = waiting_on(&rows[r].first, 1), second = waiting_on(&rows[r].second, 2);
            queue_put(queue, turned ? &second : &first);
            queue_put(queue, turned ? &first : &second);
            CHECK(rows[r].row, is(queue_next(queue, NOW), 1));
            const struct waiting *listed[2];
            CHECK_EQ(rows[r].row, (int64_t)queue_list(queue, 0, NOW, listed, arena), 2);
            CHECK(rows[r].row, is(listed[0], 1) && is(listed[1], 2));
            struct queue_place place;
            CHECK(rows[r].row, queue_place(queue, id_of(2), NOW, &place) && place.ahead == 1 && place.ahead_in_shape == 0);
        }
    }
}

/* ---- classes that found no room ---- */

static void test_no_room(struct arena *arena)
{
    static const struct { const char *row; struct waiting other; bool skipped; } rows[] = {
        { "as the one that failed", { .cluster = 1, .shape = 7, .count = 2, .length_ms = 1000 }, true },
        { "another priority", { .cluster = 1, .shape = 7, .count = 2, .length_ms = 1000, .priority = 5 }, true },
        { "longer", { .cluster = 1, .shape = 7, .count = 2, .length_ms = 1001 }, true },
        { "of a length that nobody knows", { .cluster = 1, .shape = 7, .count = 2 }, true },
        { "shorter", { .cluster = 1, .shape = 7, .count = 2, .length_ms = 999 }, false },
        { "a larger gang", { .cluster = 1, .shape = 7, .count = 3, .length_ms = 1000 }, true },
        { "no gang", { .cluster = 1, .shape = 7, .count = 1, .length_ms = 1000 }, false },
        { "another shape", { .cluster = 1, .shape = 8, .count = 2, .length_ms = 1000 }, false },
        { "another provider", { .cluster = 1, .provider = 3, .shape = 7, .count = 2, .length_ms = 1000 }, false },
        { "another cluster", { .cluster = 2, .shape = 7, .count = 2, .length_ms = 1000 }, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        for (int late = 0; late < 2; late++) {                   /* it comes when the other one has been tried */
            struct queue *queue = queue_create(arena);
            struct waiting failed = waiting_of(1, NOW), other = rows[r].other;
            failed.count = 2;
            failed.length_ms = 1000;
            other.tasks[0] = id_of(2);
            other.since_ms = NOW;
            queue_put(queue, &failed);
            if (!late) { queue_put(queue, &other); }
            queue_no_room(queue, id_of(1));
            if (late) { queue_put(queue, &other); }
            CHECK_EQ(rows[r].row, queue_next(queue, NOW) == NULL, rows[r].skipped);
            CHECK_EQ(rows[r].row, queue_due_ms(queue, NOW), rows[r].skipped ? 0 : NOW);
            queue_room_grew(queue, 3);
            CHECK_EQ("room of a third cluster", queue_next(queue, NOW) == NULL, rows[r].skipped);
            queue_room_grew(queue, 1);
            CHECK(rows[r].row, queue_next(queue, NOW) != NULL);
        }
    }
}

static void test_large(struct arena *arena)
{
    struct queue *queue = queue_create(arena);
    struct waiting small = waiting_of(1, NOW), large = waiting_of(2, NOW), gang = waiting_of(3, NOW - 1);
    large.large = gang.large = true;
    gang.count = 2;
    gang.provider = 9;
    queue_put(queue, &small);
    CHECK("none is large", queue_first_large(queue, 1, 0, NOW) == NULL);
    queue_put(queue, &large);
    queue_put(queue, &gang);
    queue_no_room(queue, id_of(2));
    CHECK("one that was tried", is(queue_first_large(queue, 1, 0, NOW), 2));
    CHECK("of its provider", is(queue_first_large(queue, 1, 9, NOW), 3));
    CHECK("of its cluster", queue_first_large(queue, 2, 0, NOW) == NULL);
}

static void test_expiry(struct arena *arena)
{
    struct queue *queue = queue_create(arena);
    CHECK_EQ("an empty queue", queue_due_ms(queue, NOW), 0);
    struct waiting waiting = waiting_of(1, NOW);
    waiting.until_ms = NOW + 1000;
    queue_put(queue, &waiting);
    queue_no_room(queue, id_of(1));
    CHECK_EQ("it is due at its end", queue_due_ms(queue, NOW), NOW + 1000);
    CHECK("a moment before", queue_expired(queue, NOW + 999) == NULL);
    CHECK("its end", is(queue_expired(queue, NOW + 1000), 1));
    CHECK_EQ("late", queue_due_ms(queue, NOW + 5000), NOW + 5000);
    struct waiting other = waiting_of(2, NOW);
    other.until_ms = NOW + 2000;
    queue_put(queue, &other);
    queue_set_until(queue, id_of(1), NOW + 3000);
    CHECK("its end is later", is(queue_expired(queue, NOW + 2999), 2) && queue_due_ms(queue, NOW) == NOW + 2000);
    queue_drop(queue, id_of(2));
    CHECK("and comes", queue_expired(queue, NOW + 2999) == NULL && is(queue_expired(queue, NOW + 3000), 1));
    queue_set_until(queue, id_of(2), NOW);
    queue_drop(queue, id_of(1));
    queue_drop(queue, id_of(1));
    CHECK("gone", queue_expired(queue, NOW + 5000) == NULL && queue_find(queue, id_of(1)) == NULL && queue_count(queue) == 0);
}

/* ---- beside a plain list ---- */

enum { MODEL_MAX = 64, STEPS = 20000 };
struct model_entry { struct waiting waiting; bool tried; };
struct model { struct model_entry items[MODEL_MAX]; size_t count; unsigned number; int64_t now_ms; struct rng rng; };

static int64_t rank_of(const struct waiting *waiting, int64_t now_ms, bool *old)
{
    int64_t steps = (now_ms - waiting->since_ms) / QUEUE_AGE_MS;
    *old = steps >= QUEUE_AGE_MOST;
    return waiting->priority + (*old ? QUEUE_AGE_MOST : steps);
}

static bool model_before(const struct waiting *a, const struct waiting *b, int64_t now_ms)
{
    bool a_old, b_old, a_large = a->large, b_large = b->large, a_replaces = a->replaces, b_replaces = b->replaces;
    int64_t a_rank = rank_of(a, now_ms, &a_old), b_rank = rank_of(b, now_ms, &b_old);
    uint64_t a_length = a->length_ms == 0 ? UINT64_MAX : (uint64_t)a->length_ms, b_length = b->length_ms == 0 ? UINT64_MAX : (uint64_t)b->length_ms;
    if (a_rank != b_rank) { return a_rank > b_rank; }
    if (a_old != b_old) { return a_old; }
    if (!a_old && a_replaces != b_replaces) { return a_replaces; }
    if (!a_old && a_large != b_large) { return a_large; }
    if (!a_old && a_length != b_length) { return a_length < b_length; }
    if (a->since_ms != b->since_ms) { return a->since_ms < b->since_ms; }
    return id_cmp(a->tasks[0], b->tasks[0]) < 0;
}

static bool covers(const struct waiting *failed, const struct waiting *other)
{
    uint64_t length = failed->length_ms == 0 ? UINT64_MAX : (uint64_t)failed->length_ms;
    return failed->cluster == other->cluster && failed->provider == other->provider && failed->shape == other->shape && other->count >= failed->count
           && (other->length_ms == 0 || (uint64_t)other->length_ms >= length);
}

static const struct model_entry *model_next(const struct model *model)
{
    const struct model_entry *best = NULL;
    for (size_t e = 0; e < model->count; e++) {
        const struct model_entry *entry = &model->items[e];
        if (!entry->tried && (best == NULL || model_before(&entry->waiting, &best->waiting, model->now_ms))) { best = entry; }
    }
    return best;
}

static int64_t pick(struct model *model, uint64_t count) { return (int64_t)rng_below(&model->rng, count); }

static void model_put(struct model *model, struct queue *queue)
{
    struct waiting waiting = waiting_of(++model->number, model->now_ms - pick(model, 3) * HOUR);
    waiting.cluster = 1 + pick(model, 2);
    waiting.provider = (uint64_t)pick(model, 2);
    waiting.shape = (uint64_t)pick(model, 3);
    waiting.priority = pick(model, 3) * 4;
    waiting.count = pick(model, 4) == 0 ? 2 : 1;
    waiting.large = waiting.shape == 2;
    waiting.replaces = pick(model, 3) == 0;
    waiting.length_ms = pick(model, 3) * HOUR;
    waiting.until_ms = pick(model, 2) == 0 ? 0 : model->now_ms + pick(model, 100) * HOUR;
    struct model_entry entry = { .waiting = waiting };
    for (size_t e = 0; e < model->count; e++) { entry.tried |= model->items[e].tried && covers(&model->items[e].waiting, &waiting); }
    model->items[model->count++] = entry;
    queue_put(queue, &waiting);
}

static void model_drop(struct model *model, struct queue *queue, size_t at)
{
    queue_drop(queue, model->items[at].waiting.tasks[0]);
    model->items[at] = model->items[--model->count];
}

static void model_step(struct model *model, struct queue *queue)
{
    const struct model_entry *next = model_next(model);
    switch (pick(model, 8)) {
    case 0: case 1: case 2: if (model->count < MODEL_MAX) { model_put(model, queue); } break;
    case 3: if (model->count > 0) { model_drop(model, queue, (size_t)pick(model, model->count)); } break;
    case 4: {
        int64_t cluster = 1 + pick(model, 2);
        queue_room_grew(queue, cluster);
        for (size_t e = 0; e < model->count; e++) { model->items[e].tried &= model->items[e].waiting.cluster != cluster; }
        break;
    }
    case 5: model->now_ms += pick(model, 12) * HOUR; break;
    default:
        if (next == NULL) { break; }
        struct waiting failed = next->waiting;
        queue_no_room(queue, failed.tasks[0]);
        for (size_t e = 0; e < model->count; e++) { model->items[e].tried |= covers(&failed, &model->items[e].waiting); }
    }
}

static bool agrees(const struct model *model, const struct queue *queue, struct arena *arena)
{
    const struct model_entry *next = model_next(model);
    const struct waiting *got = queue_next(queue, model->now_ms), *listed[MODEL_MAX];
    int64_t soonest = 0;
    bool good = (next == NULL) == (got == NULL) && (got == NULL || id_eq(got->tasks[0], next->waiting.tasks[0]));
    size_t of_providers = 0, of_one = 0;
    for (size_t e = 0; e < model->count; e++) {
        const struct waiting *one = &model->items[e].waiting;
        of_providers += one->cluster == 1 && one->provider != 0 ? one->count : 0;
        of_one += one->provider == 1 ? one->count : 0;
    }
    good = good && queue_of_providers(queue, 1) == of_providers && queue_tasks_for(queue, 1) == of_one
        && queue_count(queue) == model->count && queue_list(queue, 0, model->now_ms, listed, arena) == model->count;
    for (size_t e = 0; good && e < model->count; e++) {
        const struct waiting *one = &model->items[e].waiting;
        if (one->until_ms != 0 && (soonest == 0 || one->until_ms < soonest)) { soonest = one->until_ms; }
        struct queue_place place;
        size_t ahead = 0;
        for (size_t o = 0; o < model->count; o++) {
            const struct waiting *other = &model->items[o].waiting;
            ahead += other->cluster == one->cluster && model_before(other, one, model->now_ms);
        }
        good = queue_place(queue, one->tasks[0], model->now_ms, &place) && place.ahead == ahead && (e == 0 || model_before(listed[e - 1], listed[e], model->now_ms));
    }
    const struct waiting *expired = queue_expired(queue, model->now_ms);
    bool is_over = soonest != 0 && soonest <= model->now_ms;
    return good && (expired != NULL) == is_over && (!is_over || expired->until_ms == soonest);
}

static void test_model(struct arena *arena)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct model model = { .now_ms = NOW };
        rng_seed(&model.rng, seed);
        struct queue *queue = queue_create(arena);
        struct arena scratch;
        arena_init(&scratch, 1 << 20);
        size_t bad = 0;
        for (int step = 0; step < STEPS / 5; step++) {
            model_step(&model, queue);
            bad += !agrees(&model, queue, &scratch);
            arena_reset(&scratch);
        }
        arena_finish(&scratch);
        CHECK_EQ("the queue and the plain list agree after each step", (int64_t)bad, 0);
    }
}

/* Room for one task an hour; a short and a large one come each hour. The long one starts: all that are before it are those that are as old. */
static void test_nothing_starves(struct arena *arena)
{
    struct queue *queue = queue_create(arena);
    struct waiting patient = waiting_of(1, NOW);
    queue_put(queue, &patient);
    unsigned number = 1;
    int64_t hours = 0;
    for (; hours < 500 && queue_find(queue, id_of(1)) != NULL; hours++) {
        int64_t now_ms = NOW + hours * HOUR;
        struct waiting brief = waiting_of(++number, now_ms), large = waiting_of(++number, now_ms);
        brief.length_ms = 1000;
        large.large = true;
        queue_put(queue, &brief);
        queue_put(queue, &large);
        struct id first = queue_next(queue, now_ms)->tasks[0];
        queue_drop(queue, first);
    }
    CHECK("it is tried after 6 h, when it has a step of age, and before 60 h", hours > 6 && hours <= 61);
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, 64 << 20);
    test_order(&arena);
    test_no_room(&arena);
    test_large(&arena);
    test_expiry(&arena);
    test_model(&arena);
    test_nothing_starves(&arena);
    arena_finish(&arena);
    return check_report();
}
