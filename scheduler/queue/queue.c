/* queue.c: see queue.h. A class is a list in order of arrival, whose first entry has waited longest, so only first entries are compared. Times of giving up
 * are in a heap. */
#include "scheduler/queue/queue.h"

#include "base/table.h"
#include "scheduler/world/pool.h"

enum { HEAP_LEAST = 64 };
struct entry {
    struct waiting waiting;
    struct entry *before, *behind;
    struct class *class;
    size_t heap_at;                                            /* its place in the heap + 1; 0: it has none */
    uint32_t slot;
};
struct class {
    struct class *next;
    struct entry *first, *last;
    int64_t cluster, priority, length_ms;                      /* length_ms: INT64_MAX where nobody knows */
    uint64_t provider, shape;
    uint32_t quota;
    size_t gang, entries;                                      /* tasks of each entry; how many there are */
    bool replaces, given_large, large, reserve;                          /* as it was put; and in its pool */
    struct queue_starts *starts;                               /* its own; NULL: nobody has asked */
    int64_t again_ms;                                          /* it is tried then, tried or not; 0: no such time */
    bool tried;                                                /* without room since it grew last */
    uint32_t slot;
};
struct queue {
    struct pool pool;
    struct slots entry_slots, class_slots;
    struct hash_table by_first;                                /* entries, by their first task */
    struct class *classes;                                     /* those with entries */
    size_t count, large_count;
    struct entry **heap; size_t heap_count, heap_capacity;     /* by until_ms */
};

static struct entry *find(const struct queue *queue, struct id first)
{
    uint64_t hash = hash_id(first);
    size_t at;
    for (uint32_t n = table_first(&queue->by_first, hash, &at); n != NONE; n = table_next(&queue->by_first, hash, &at)) {
        struct entry *entry = SLOTS_AT(&queue->entry_slots, struct entry, n);
        if (id_eq(entry->waiting.tasks[0], first)) { return entry; }
    }
    return NULL;
}

size_t queue_count(const struct queue *queue) { return queue->count; }

size_t queue_of_providers(const struct queue *queue, int64_t cluster)
{
    size_t count = 0;
    for (const struct class *class = queue->classes; class != NULL; class = class->next) {
        if (class->cluster == cluster && class->provider != 0) { count += class->entries * class->gang; }
    }
    return count;
}

const struct waiting *queue_find(const struct queue *queue, struct id first)
{
    const struct entry *entry = find(queue, first);
    return entry == NULL ? NULL : &entry->waiting;
}

/* ---- the heap ---- */

static void set_at(struct queue *queue, size_t place, struct entry *entry)
{
    queue->heap[place] = entry;
    entry->heap_at = place + 1;
}

static void sift_up(struct queue *queue, size_t place)
{
    struct entry *entry = queue->heap[place];
    for (; place > 0 && entry->waiting.until_ms < queue->heap[(place - 1) / 2]->waiting.until_ms; place = (place - 1) / 2) {
        set_at(queue, place, queue->heap[(place - 1) / 2]);
    }
    set_at(queue, place, entry);
}

static void sift_down(struct queue *queue, size_t place)
{
    struct entry *entry = queue->heap[place];
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= queue->heap_count) { break; }
        if (child + 1 < queue->heap_count && queue->heap[child + 1]->waiting.until_ms < queue->heap[child]->waiting.until_ms) { child++; }
        if (queue->heap[child]->waiting.until_ms >= entry->waiting.until_ms) { break; }
        set_at(queue, place, queue->heap[child]);
        place = child;
    }
    set_at(queue, place, entry);
}

static void heap_add(struct queue *queue, struct entry *entry)
{
    if (entry->waiting.until_ms == 0) { return; }
    if (queue->heap_count == queue->heap_capacity) {
        size_t capacity = queue->heap_capacity == 0 ? HEAP_LEAST : 2 * queue->heap_capacity;
        queue->heap = pool_grow(&queue->pool, queue->heap, queue->heap_capacity * sizeof *queue->heap, capacity * sizeof *queue->heap);
        queue->heap_capacity = capacity;
    }
    set_at(queue, queue->heap_count++, entry);
    sift_up(queue, queue->heap_count - 1);
}

static void heap_remove(struct queue *queue, struct entry *entry)
{
    if (entry->heap_at == 0) { return; }
    size_t place = entry->heap_at - 1;
    struct entry *last = queue->heap[--queue->heap_count];
    entry->heap_at = 0;
    if (last == entry) { return; }
    set_at(queue, place, last);
    sift_up(queue, place);
    sift_down(queue, last->heap_at - 1);
}

/* ---- entries ---- */

static bool is_same_shape(const struct class *a, const struct class *b)
{
    return a->cluster == b->cluster && a->provider == b->provider && a->shape == b->shape && a->quota == b->quota;
}

static struct class class_of(const struct waiting *waiting)
{
    return (struct class){
        .cluster = waiting->cluster, .priority = waiting->priority, .length_ms = waiting->length_ms == 0 ? INT64_MAX : waiting->length_ms,
        .provider = waiting->provider, .shape = waiting->shape, .quota = waiting->quota, .gang = waiting->count, .given_large = waiting->large,
        .large = waiting->large, .reserve = waiting->reserve, .replaces = waiting->replaces,
    };
}

static struct class *find_class(struct queue *queue, const struct class *like)
{
    for (struct class *class = queue->classes; class != NULL; class = class->next) {
        if (is_same_shape(class, like) && class->priority == like->priority && class->length_ms == like->length_ms && class->gang == like->gang
            && class->given_large == like->given_large && class->reserve == like->reserve && class->replaces == like->replaces) {
            return class;
        }
    }
    return NULL;
}

/* Has `class` no room where `other` has none? */
static bool needs_as_much(const struct class *class, const struct class *other)
{
    return is_same_shape(class, other) && class->gang >= other->gang && class->length_ms >= other->length_ms;
}

static struct class *add_class(struct queue *queue, const struct class *like)
{
    uint32_t slot = slots_take(&queue->pool, &queue->class_slots);
    struct class *class = SLOTS_AT(&queue->class_slots, struct class, slot);
    *class = *like;
    class->slot = slot;
    class->next = queue->classes;
    for (const struct class *other = queue->classes; other != NULL; other = other->next) { class->tried |= other->tried && needs_as_much(class, other); }
    queue->classes = class;
    return class;
}

static bool came_before(const struct entry *a, const struct entry *b)
{
    if (a->waiting.since_ms != b->waiting.since_ms) { return a->waiting.since_ms < b->waiting.since_ms; }
    return id_cmp(a->waiting.tasks[0], b->waiting.tasks[0]) < 0;
}

void queue_put(struct queue *queue, const struct waiting *waiting)
{
    ASSERT(waiting->count >= 1 && waiting->count <= QUEUE_GANG_MAX);
    ASSERT(waiting->priority >= -QUEUE_PRIORITY_MAX && waiting->priority <= QUEUE_PRIORITY_MAX && waiting->since_ms > 0);
    ASSERT(waiting->length_ms >= 0);
    const struct class like = class_of(waiting);
    struct class *class = find_class(queue, &like);
    if (class == NULL) { class = add_class(queue, &like); }
    uint32_t slot = slots_take(&queue->pool, &queue->entry_slots);
    struct entry *entry = SLOTS_AT(&queue->entry_slots, struct entry, slot);
    *entry = (struct entry){ .slot = slot, .waiting = *waiting, .class = class, .before = class->last };
    while (entry->before != NULL && came_before(entry, entry->before)) { entry->before = entry->before->before; }
    entry->behind = entry->before == NULL ? class->first : entry->before->behind;
    *(entry->before == NULL ? &class->first : &entry->before->behind) = entry;
    *(entry->behind == NULL ? &class->last : &entry->behind->before) = entry;
    table_add(&queue->by_first, hash_id(waiting->tasks[0]), slot);
    heap_add(queue, entry);
    class->entries++;
    queue->count++;
    queue->large_count += waiting->large;
}

static void drop_class(struct queue *queue, struct class *class)
{
    struct class **at = &queue->classes;
    while (*at != class) { at = &(*at)->next; }
    *at = class->next;
    pool_give(&queue->pool, class->starts, sizeof *class->starts);
    slots_give(&queue->class_slots, class->slot);
}

void queue_drop(struct queue *queue, struct id first)
{
    struct entry *entry = find(queue, first);
    if (entry == NULL) { return; }
    struct class *class = entry->class;
    bool large = entry->waiting.large;
    *(entry->before == NULL ? &class->first : &entry->before->behind) = entry->behind;
    *(entry->behind == NULL ? &class->last : &entry->behind->before) = entry->before;
    class->entries--;
    if (class->first == NULL) { drop_class(queue, class); }
    table_remove(&queue->by_first, hash_id(first), entry->slot);
    heap_remove(queue, entry);
    slots_give(&queue->entry_slots, entry->slot);
    ASSERT(queue->count > 0);
    queue->count--;
    queue->large_count -= large;
}

void queue_set_until(struct queue *queue, struct id first, int64_t until_ms)
{
    struct entry *entry = find(queue, first);
    if (entry == NULL) { return; }
    heap_remove(queue, entry);
    entry->waiting.until_ms = until_ms;
    heap_add(queue, entry);
}

/* ---- life ---- */

static void finish(void *given) { table_finish(&((struct queue *)given)->by_first); }

struct queue *queue_create(struct arena *arena)
{
    struct queue *queue = ARENA_NEW(arena, struct queue, 1);
    queue->pool.arena = arena;
    slots_init(&queue->entry_slots, sizeof(struct entry));
    slots_init(&queue->class_slots, sizeof(struct class));
    arena_at_end(arena, finish, queue);
    return queue;
}

/* ---- order ---- */

static int64_t age_steps(const struct waiting *waiting, int64_t now_ms)
{
    int64_t steps = now_ms > waiting->since_ms ? (now_ms - waiting->since_ms) / QUEUE_AGE_MS : 0;
    return steps < QUEUE_AGE_MOST ? steps : QUEUE_AGE_MOST;
}

/* Those with all the steps are in order of arrival, so each has a last one that can be before it. */
static bool is_before(const struct entry *a, const struct entry *b, int64_t now_ms)
{
    int64_t first_steps = age_steps(&a->waiting, now_ms), second_steps = age_steps(&b->waiting, now_ms);
    int64_t first = a->waiting.priority + first_steps, second = b->waiting.priority + second_steps;
    bool first_old = first_steps == QUEUE_AGE_MOST, second_old = second_steps == QUEUE_AGE_MOST;
    if (first != second) { return first > second; }
    if (first_old != second_old) { return first_old; }
    if (!first_old && a->class->replaces != b->class->replaces) { return a->class->replaces; }
    if (!first_old && a->class->large != b->class->large) { return a->class->large; }
    if (!first_old && a->class->length_ms != b->class->length_ms) { return a->class->length_ms < b->class->length_ms; }
    return came_before(a, b);
}

void queue_room_grew(struct queue *queue, int64_t cluster)
{
    for (struct class *class = queue->classes; class != NULL; class = class->next) {
        if (class->cluster == cluster) { class->tried = false; }
    }
}

void queue_again(struct queue *queue, struct id first, int64_t at_ms)
{
    const struct entry *entry = find(queue, first);
    if (entry != NULL && (entry->class->again_ms == 0 || at_ms < entry->class->again_ms)) { entry->class->again_ms = at_ms; }
}

static bool is_tried(const struct class *class, int64_t now_ms) { return class->tried && (class->again_ms == 0 || class->again_ms > now_ms); }

const struct waiting *queue_next(const struct queue *queue, int64_t now_ms)
{
    const struct entry *best = NULL;
    for (const struct class *class = queue->classes; class != NULL; class = class->next) {
        if (!is_tried(class, now_ms) && (best == NULL || is_before(class->first, best, now_ms))) { best = class->first; }
    }
    return best == NULL ? NULL : &best->waiting;
}

void queue_no_room(struct queue *queue, struct id first)
{
    const struct entry *entry = find(queue, first);
    if (entry == NULL) { return; }
    for (struct class *class = queue->classes; class != NULL; class = class->next) { class->tried |= needs_as_much(class, entry->class); }
    entry->class->again_ms = 0;
}

const struct waiting *queue_first_large(const struct queue *queue, int64_t cluster, uint64_t provider, int64_t now_ms)
{
    const struct entry *best = NULL;
    for (const struct class *class = queue->classes; class != NULL; class = class->next) {
        bool counts = class->large && class->cluster == cluster && class->provider == provider;
        if (counts && (best == NULL || is_before(class->first, best, now_ms))) { best = class->first; }
    }
    return best == NULL ? NULL : &best->waiting;
}

size_t queue_large_count(const struct queue *queue) { return queue->large_count; }

int64_t queue_rank(const struct waiting *waiting, int64_t now_ms) { return waiting->priority + age_steps(waiting, now_ms); }

void queue_set_large(struct queue *queue, struct id first, bool large)
{
    const struct entry *entry = find(queue, first);
    if (entry != NULL) { entry->class->large = entry->class->given_large && large; }
}

size_t queue_large(const struct queue *queue, int64_t cluster, int64_t now_ms, const struct waiting **items, size_t limit)
{
    size_t count = 0;
    for (const struct class *class = queue->classes; class != NULL; class = class->next) {
        if (!class->given_large || class->cluster != cluster) { continue; }
        size_t at = count < limit ? count : limit;
        while (at > 0 && is_before(class->first, find(queue, items[at - 1]->tasks[0]), now_ms)) { at--; }
        if (at == limit) { continue; }
        count += count < limit;
        for (size_t n = count - 1; n > at; n--) { items[n] = items[n - 1]; }
        items[at] = &class->first->waiting;
    }
    return count;
}

const struct waiting *queue_expired(const struct queue *queue, int64_t now_ms)
{
    bool is_due = queue->heap_count > 0 && queue->heap[0]->waiting.until_ms <= now_ms;
    return is_due ? &queue->heap[0]->waiting : NULL;
}

int64_t queue_due_ms(const struct queue *queue, int64_t now_ms)
{
    if (queue_next(queue, now_ms) != NULL) { return now_ms; }
    int64_t due_ms = queue->heap_count == 0 ? 0 : queue->heap[0]->waiting.until_ms;
    for (const struct class *class = queue->classes; class != NULL; class = class->next) {
        if (class->again_ms != 0 && (due_ms == 0 || class->again_ms < due_ms)) { due_ms = class->again_ms; }
    }
    return due_ms != 0 && due_ms < now_ms ? now_ms : due_ms;
}

/* ---- for people ---- */

const struct queue_starts *queue_starts(const struct queue *queue, struct id first)
{
    const struct entry *entry = find(queue, first);
    return entry == NULL ? NULL : entry->class->starts;
}

void queue_set_starts(struct queue *queue, struct id first, const struct queue_starts *starts)
{
    const struct entry *entry = find(queue, first);
    if (entry == NULL) { return; }
    if (entry->class->starts == NULL) { entry->class->starts = pool_take(&queue->pool, sizeof *starts); }
    *entry->class->starts = *starts;
}

bool queue_place(const struct queue *queue, struct id first, int64_t now_ms, struct queue_place *place)
{
    const struct entry *entry = find(queue, first);
    *place = (struct queue_place){ 0, 0 };
    if (entry == NULL) { return false; }
    for (const struct class *class = queue->classes; class != NULL; class = class->next) {
        if (class->cluster != entry->class->cluster) { continue; }
        size_t ahead = 0;
        for (const struct entry *other = class->first; other != NULL && other != entry && is_before(other, entry, now_ms); other = other->behind) { ahead++; }
        place->ahead += ahead;
        if (is_same_shape(class, entry->class)) { place->ahead_in_shape += ahead; }
    }
    return true;
}

/* Merges the classes, of which there are few. */
static size_t merge(const struct entry **heads, size_t classes, int64_t now_ms, const struct waiting **items, size_t limit)
{
    for (size_t count = 0;; count++) {
        size_t best = classes;
        for (size_t c = 0; c < classes; c++) {
            if (heads[c] != NULL && (best == classes || is_before(heads[c], heads[best], now_ms))) { best = c; }
        }
        if (best == classes || count == limit) { return count; }
        items[count] = &heads[best]->waiting;
        heads[best] = heads[best]->behind;
    }
}

static const struct entry **room_for_heads(const struct queue *queue, struct arena *arena)
{
    size_t classes = 0;
    for (const struct class *class = queue->classes; class != NULL; class = class->next) { classes++; }
    return (const struct entry **)arena_alloc(arena, classes + 1, sizeof(struct entry *));
}

size_t queue_list(const struct queue *queue, int64_t cluster, int64_t now_ms, const struct waiting **items, struct arena *arena)
{
    const struct entry **heads = room_for_heads(queue, arena);
    size_t classes = 0;
    for (const struct class *class = queue->classes; class != NULL; class = class->next) {
        if (cluster == 0 || class->cluster == cluster) { heads[classes++] = class->first; }
    }
    return merge(heads, classes, now_ms, items, queue->count);
}

size_t queue_list_for(const struct queue *queue, uint64_t provider, int64_t now_ms, const struct waiting **items, size_t limit, struct arena *arena)
{
    const struct entry **heads = room_for_heads(queue, arena);
    size_t classes = 0;
    for (const struct class *class = queue->classes; class != NULL; class = class->next) {
        if (class->provider == provider) { heads[classes++] = class->first; }
    }
    return merge(heads, classes, now_ms, items, limit);
}

size_t queue_tasks_for(const struct queue *queue, uint64_t provider)
{
    size_t count = 0;
    for (const struct class *class = queue->classes; class != NULL; class = class->next) {
        if (class->provider == provider) { count += class->entries * class->gang; }
    }
    return count;
}

bool queue_waits_for(const struct queue *queue, int64_t cluster, uint64_t provider)
{
    for (const struct class *class = queue->classes; class != NULL; class = class->next) {
        if (class->cluster == cluster && class->provider == provider) { return true; }
    }
    return false;
}
