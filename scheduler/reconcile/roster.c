/* roster.c: see roster.h. A service has a list of its tasks. It is in the line of those that are due, or in the line of its cluster's services that
 * wait for room, or in neither; and beside that in the heap of those that have a time. */
#include "scheduler/reconcile/roster.h"

#include "base/table.h"
#include "scheduler/world/pool.h"

struct kept_task { struct roster_task told; uint32_t service, next, previous; };         /* told: first, for roster_walk. Numbers of slots */
struct link { uint32_t next, previous; };
struct line { uint32_t first, last; };
enum line_name { IN_NO_LINE, IN_DUE, IN_WAITING };
struct kept_service {
    int64_t number, wake_ms, rests_until_ms;
    uint32_t cluster, first_task, task_count, unsettled_count;
    uint32_t heap_at;                                         /* NONE: it has no time */
    struct link link;                                         /* in one of the two lines */
    enum line_name line;
    bool below; int64_t since_ms;                             /* its turn among those that wait */
    struct { bool on; struct link others; } watches[ROSTER_WATCHED_COUNT];               /* others: of the cluster, that watch the same */
};
struct kept_cluster { int64_t number; struct line waiting; uint32_t first_watcher[ROSTER_WATCHED_COUNT]; };

struct roster {
    struct pool pool;
    struct slots tasks, services, clusters;
    struct wide_table tasks_by_id;
    struct hash_table services_by_number, clusters_by_number;
    struct line due;
    int64_t schedules_due_ms, pools_due_ms;
    uint32_t *heap; uint32_t heap_count, heap_capacity;       /* of services; the earliest time first */
};

enum { REST_TASKS = 1000 };                                   /* tasks for which a service rests a millisecond after a step */

static struct kept_task *task_at(const struct roster *roster, uint32_t n) { return SLOTS_AT(&roster->tasks, struct kept_task, n); }
static struct kept_service *service_at(const struct roster *roster, uint32_t n) { return SLOTS_AT(&roster->services, struct kept_service, n); }
static struct kept_cluster *cluster_at(const struct roster *roster, uint32_t n) { return SLOTS_AT(&roster->clusters, struct kept_cluster, n); }

/* ---- life ---- */

static void finish(void *given)
{
    struct roster *roster = given;
    wide_table_finish(&roster->tasks_by_id);
    table_finish(&roster->services_by_number);
    table_finish(&roster->clusters_by_number);
}

struct roster *roster_create(struct arena *arena)
{
    struct roster *roster = ARENA_NEW(arena, struct roster, 1);
    roster->pool.arena = arena;
    slots_init(&roster->tasks, sizeof(struct kept_task));
    slots_init(&roster->services, sizeof(struct kept_service));
    slots_init(&roster->clusters, sizeof(struct kept_cluster));
    roster->due = (struct line){ NONE, NONE };
    arena_at_end(arena, finish, roster);
    return roster;
}

/* ---- finding ---- */

static uint32_t find_task(const struct roster *roster, struct id id)
{
    uint64_t hash = hash_id(id);
    const struct hash_table *table = TABLE_PART(&roster->tasks_by_id, hash);
    size_t at = 0;
    for (uint32_t n = table_first(table, hash, &at); n != NONE; n = table_next(table, hash, &at)) {
        if (id_eq(task_at(roster, n)->told.id, id)) { return n; }
    }
    return NONE;
}

static uint32_t find_service(const struct roster *roster, int64_t number)
{
    uint64_t hash = hash_mix((uint64_t)number);
    size_t at = 0;
    for (uint32_t n = table_first(&roster->services_by_number, hash, &at); n != NONE; n = table_next(&roster->services_by_number, hash, &at)) {
        if (service_at(roster, n)->number == number) { return n; }
    }
    return NONE;
}

static uint32_t find_cluster(const struct roster *roster, int64_t number)
{
    uint64_t hash = hash_mix((uint64_t)number);
    size_t at = 0;
    for (uint32_t n = table_first(&roster->clusters_by_number, hash, &at); n != NONE; n = table_next(&roster->clusters_by_number, hash, &at)) {
        if (cluster_at(roster, n)->number == number) { return n; }
    }
    return NONE;
}

/* A cluster stays once it is known: it is small, and clusters are few. */
static uint32_t know_cluster(struct roster *roster, int64_t number)
{
    uint32_t found = find_cluster(roster, number);
    if (found != NONE) { return found; }
    found = slots_take(&roster->pool, &roster->clusters);
    *cluster_at(roster, found) = (struct kept_cluster){ number, { NONE, NONE }, { NONE, NONE, NONE, NONE } };
    table_add(&roster->clusters_by_number, hash_mix((uint64_t)number), found);
    return found;
}

/* ---- lines ---- */

static struct line *line_of(struct roster *roster, const struct kept_service *service)
{
    return service->line == IN_DUE ? &roster->due : &cluster_at(roster, service->cluster)->waiting;
}

static void leave_line(struct roster *roster, uint32_t n)
{
    struct kept_service *service = service_at(roster, n);
    if (service->line == IN_NO_LINE) { return; }
    struct line *line = line_of(roster, service);
    const struct link link = service->link;
    if (link.previous == NONE) { line->first = link.next; } else { service_at(roster, link.previous)->link.next = link.next; }
    if (link.next == NONE) { line->last = link.previous; } else { service_at(roster, link.next)->link.previous = link.previous; }
    service->line = IN_NO_LINE;
}

static void join_line(struct roster *roster, uint32_t n, enum line_name which)
{
    struct kept_service *service = service_at(roster, n);
    if (service->line == which) { return; }
    leave_line(roster, n);
    service->line = which;
    struct line *line = line_of(roster, service);
    service->link = (struct link){ NONE, line->last };
    if (line->last == NONE) { line->first = n; } else { service_at(roster, line->last)->link.next = n; }
    line->last = n;
}

static bool is_before(const struct kept_service *a, const struct kept_service *b)
{
    if (a->below != b->below) { return a->below; }
    return a->since_ms != b->since_ms ? a->since_ms < b->since_ms : a->number < b->number;
}

/* Behind the last that comes before it: most often at the end. */
static void join_waiting(struct roster *roster, uint32_t n)
{
    leave_line(roster, n);
    struct kept_service *service = service_at(roster, n);
    struct line *line = &cluster_at(roster, service->cluster)->waiting;
    uint32_t previous = line->last;
    while (previous != NONE && is_before(service, service_at(roster, previous))) { previous = service_at(roster, previous)->link.previous; }
    uint32_t next = previous == NONE ? line->first : service_at(roster, previous)->link.next;
    service->line = IN_WAITING;
    service->link = (struct link){ next, previous };
    if (previous == NONE) { line->first = n; } else { service_at(roster, previous)->link.next = n; }
    if (next == NONE) { line->last = n; } else { service_at(roster, next)->link.previous = n; }
}

/* ---- times: a heap of services ---- */

static bool is_earlier(const struct roster *roster, uint32_t a, uint32_t b)
{
    const struct kept_service *left = service_at(roster, a), *right = service_at(roster, b);
    return left->wake_ms != right->wake_ms ? left->wake_ms < right->wake_ms : left->number < right->number;
}

static void seat(struct roster *roster, uint32_t at, uint32_t n)
{
    roster->heap[at] = n;
    service_at(roster, n)->heap_at = at;
}

static void sift_up(struct roster *roster, uint32_t at)
{
    uint32_t n = roster->heap[at];
    while (at > 0 && is_earlier(roster, n, roster->heap[(at - 1) / 2])) {
        seat(roster, at, roster->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    seat(roster, at, n);
}

static void sift_down(struct roster *roster, uint32_t at)
{
    uint32_t n = roster->heap[at];
    for (uint32_t child = 2 * at + 1; child < roster->heap_count; child = 2 * at + 1) {
        if (child + 1 < roster->heap_count && is_earlier(roster, roster->heap[child + 1], roster->heap[child])) { child++; }
        if (!is_earlier(roster, roster->heap[child], n)) { break; }
        seat(roster, at, roster->heap[child]);
        at = child;
    }
    seat(roster, at, n);
}

static void take_time(struct roster *roster, uint32_t n)
{
    uint32_t at = service_at(roster, n)->heap_at, last;
    if (at == NONE) { return; }
    ASSERT(at < roster->heap_count && roster->heap[at] == n);
    service_at(roster, n)->heap_at = NONE;
    last = roster->heap[--roster->heap_count];
    if (last == n) { return; }
    seat(roster, at, last);
    sift_up(roster, at);
    sift_down(roster, service_at(roster, last)->heap_at);
}

static void set_time(struct roster *roster, uint32_t n, int64_t at_ms)
{
    take_time(roster, n);
    if (at_ms == 0) { return; }
    if (roster->heap_count == roster->heap_capacity) {
        uint32_t old = roster->heap_capacity, more = old == 0 ? 16 : old * 2;
        roster->heap = pool_grow(&roster->pool, roster->heap, old * sizeof *roster->heap, more * sizeof *roster->heap);
        roster->heap_capacity = more;
    }
    service_at(roster, n)->wake_ms = at_ms;
    seat(roster, roster->heap_count++, n);
    sift_up(roster, roster->heap_count - 1);
}

/* ---- services ---- */

static void watch(struct roster *roster, uint32_t n, enum roster_watched what, bool watches)
{
    struct kept_service *service = service_at(roster, n);
    if (service->watches[what].on == watches) { return; }
    uint32_t *first = &cluster_at(roster, service->cluster)->first_watcher[what];
    service->watches[what].on = watches;
    if (watches) {
        service->watches[what].others = (struct link){ *first, NONE };
        if (*first != NONE) { service_at(roster, *first)->watches[what].others.previous = n; }
        *first = n;
        return;
    }
    const struct link link = service->watches[what].others;
    if (link.previous == NONE) { *first = link.next; } else { service_at(roster, link.previous)->watches[what].others.next = link.next; }
    if (link.next != NONE) { service_at(roster, link.next)->watches[what].others.previous = link.previous; }
}

/* Tasks may come before their service, and stay when it is gone: then its number alone is known, and it is never due. */
static uint32_t know_service(struct roster *roster, int64_t number)
{
    uint32_t found = find_service(roster, number);
    if (found != NONE) { return found; }
    found = slots_take(&roster->pool, &roster->services);
    *service_at(roster, found) = (struct kept_service){ .number = number, .cluster = NONE, .first_task = NONE, .heap_at = NONE };
    table_add(&roster->services_by_number, hash_mix((uint64_t)number), found);
    return found;
}

static void forget_if_empty(struct roster *roster, uint32_t n)
{
    const struct kept_service *service = service_at(roster, n);
    if (service->cluster != NONE || service->task_count > 0) { return; }
    table_remove(&roster->services_by_number, hash_mix((uint64_t)service->number), n);
    slots_give(&roster->services, n);
}

static void touch(struct roster *roster, uint32_t n)
{
    if (service_at(roster, n)->cluster != NONE) { join_line(roster, n, IN_DUE); }
}

void roster_add_service(struct roster *roster, int64_t number, int64_t cluster, bool daemon)
{
    uint32_t n = know_service(roster, number), place = know_cluster(roster, cluster);
    struct kept_service *service = service_at(roster, n);
    ASSERT(number > 0 && cluster > 0);
    ASSERT(service->cluster == NONE || service->cluster == place);
    service->cluster = place;
    watch(roster, n, WATCH_FLEET, daemon);
    touch(roster, n);
}

bool roster_is_daemon(const struct roster *roster, int64_t number)
{
    uint32_t n = find_service(roster, number);
    return n != NONE && service_at(roster, n)->watches[WATCH_FLEET].on;
}

void roster_drop_service(struct roster *roster, int64_t number)
{
    uint32_t n = find_service(roster, number);
    if (n == NONE || service_at(roster, n)->cluster == NONE) { return; }
    leave_line(roster, n);
    take_time(roster, n);
    for (int what = 0; what < ROSTER_WATCHED_COUNT; what++) { watch(roster, n, (enum roster_watched)what, false); }
    service_at(roster, n)->cluster = NONE;
    forget_if_empty(roster, n);
}

void roster_touch(struct roster *roster, int64_t number)
{
    uint32_t n = find_service(roster, number);
    if (n == NONE) { return; }
    service_at(roster, n)->rests_until_ms = 0;
    touch(roster, n);
}

void roster_settle(struct roster *roster, int64_t number, int64_t wake_ms)
{
    uint32_t n = find_service(roster, number);
    if (n == NONE || service_at(roster, n)->cluster == NONE) { return; }
    leave_line(roster, n);
    set_time(roster, n, wake_ms);
}

void roster_wait(struct roster *roster, int64_t number, bool below, int64_t since_ms, int64_t wake_ms)
{
    uint32_t n = find_service(roster, number);
    if (n == NONE || service_at(roster, n)->cluster == NONE) { return; }
    service_at(roster, n)->below = below;
    service_at(roster, n)->since_ms = since_ms;
    join_waiting(roster, n);
    set_time(roster, n, wake_ms);
}

int64_t roster_turn(const struct roster *roster, int64_t number)
{
    uint32_t n = find_service(roster, number);
    int64_t turn = 0;
    if (n == NONE || service_at(roster, n)->line != IN_WAITING) { return 0; }
    for (; n != NONE; n = service_at(roster, n)->link.previous) { turn++; }
    return turn;
}

void roster_room_grew(struct roster *roster, int64_t cluster)
{
    uint32_t place = find_cluster(roster, cluster);
    if (place == NONE) { return; }
    while (cluster_at(roster, place)->waiting.first != NONE) { join_line(roster, cluster_at(roster, place)->waiting.first, IN_DUE); }
}

static void touch_watchers(struct roster *roster, uint32_t place, enum roster_watched what)
{
    for (uint32_t n = cluster_at(roster, place)->first_watcher[what]; n != NONE; n = service_at(roster, n)->watches[what].others.next) { touch(roster, n); }
}

void roster_watch(struct roster *roster, int64_t number, enum roster_watched what, bool watches)
{
    uint32_t n = find_service(roster, number);
    if (n != NONE && service_at(roster, n)->cluster != NONE) { watch(roster, n, what, watches); }
}

void roster_changed_in(struct roster *roster, int64_t cluster, enum roster_watched what)
{
    uint32_t place = find_cluster(roster, cluster);
    if (place != NONE) { touch_watchers(roster, place, what); }
}

void roster_changed(struct roster *roster, enum roster_watched what)
{
    for (uint32_t place = 0; place < roster->clusters.count; place++) { touch_watchers(roster, place, what); }
}

/* A change of a large service is looked at together with those that follow soon, since each step looks at all of its tasks. */
int64_t roster_next(struct roster *roster, int64_t now_ms)
{
    while (roster->heap_count > 0 && service_at(roster, roster->heap[0])->wake_ms <= now_ms) {
        uint32_t n = roster->heap[0];
        take_time(roster, n);
        touch(roster, n);
    }
    while (roster->due.first != NONE) {
        uint32_t n = roster->due.first;
        struct kept_service *service = service_at(roster, n);
        int64_t rest = service->rests_until_ms;
        leave_line(roster, n);
        if (rest > now_ms && rest - now_ms <= service->task_count / REST_TASKS) {        /* else the clock was set back */
            if (service->heap_at == NONE || service->wake_ms > rest) { set_time(roster, n, rest); }
            continue;
        }
        take_time(roster, n);
        service->rests_until_ms = now_ms + service->task_count / REST_TASKS;
        return service->number;
    }
    return 0;
}

void roster_schedules_due(struct roster *roster, int64_t due_ms) { roster->schedules_due_ms = due_ms; }
void roster_pools_due(struct roster *roster, int64_t due_ms) { roster->pools_due_ms = due_ms; }
int64_t roster_pools_due_ms(const struct roster *roster) { return roster->pools_due_ms; }

/* The earlier time; 0: there is no time. */
static int64_t earlier(int64_t a_ms, int64_t b_ms) { return a_ms == 0 || (b_ms != 0 && b_ms < a_ms) ? b_ms : a_ms; }

int64_t roster_due_ms(const struct roster *roster, int64_t now_ms)
{
    if (roster->due.first != NONE) { return now_ms; }
    int64_t wake_ms = roster->heap_count == 0 ? 0 : service_at(roster, roster->heap[0])->wake_ms;
    return earlier(wake_ms, earlier(roster->schedules_due_ms, roster->pools_due_ms));
}

/* ---- tasks ---- */

static void link_task(struct roster *roster, uint32_t t, uint32_t n)
{
    struct kept_service *service = service_at(roster, n);
    struct kept_task *task = task_at(roster, t);
    task->service = n;
    task->previous = NONE;
    task->next = service->first_task;
    if (task->next != NONE) { task_at(roster, task->next)->previous = t; }
    service->first_task = t;
    service->task_count++;
}

static void set_unsettled(struct roster *roster, struct kept_task *task, bool unsettled)
{
    struct kept_service *service = service_at(roster, task->service);
    if (unsettled && !task->told.unsettled) { service->unsettled_count++; }
    if (!unsettled && task->told.unsettled) { service->unsettled_count--; }
    task->told.unsettled = unsettled;
    ASSERT(service->unsettled_count <= service->task_count);
}

void roster_put(struct roster *roster, const struct roster_task *told)
{
    uint32_t t = find_task(roster, told->id);
    ASSERT(told->service > 0 && told->deployment > 0);
    bool is_new = t == NONE;
    if (is_new) {
        t = slots_take(&roster->pool, &roster->tasks);
        task_at(roster, t)->told = (struct roster_task){ .was_healthy = false };
        uint64_t hash = hash_id(told->id);
        table_add(TABLE_PART(&roster->tasks_by_id, hash), hash, t);
        link_task(roster, t, know_service(roster, told->service));
    }
    struct kept_task *task = task_at(roster, t);
    ASSERT(is_new || task->told.service == told->service);
    const struct roster_task before = task->told;
    task->told = *told;
    task->told.was_healthy = before.was_healthy || told->was_healthy;
    task->told.targets = is_new ? HEALTH_NOT_KNOWN : before.targets;
    task->told.unsettled = before.unsettled;
    set_unsettled(roster, task, told->balanced);
    touch(roster, task->service);
}

void roster_drop(struct roster *roster, struct id id)
{
    uint32_t t = find_task(roster, id);
    if (t == NONE) { return; }
    struct kept_task *task = task_at(roster, t);
    uint32_t n = task->service;
    set_unsettled(roster, task, false);
    struct kept_service *service = service_at(roster, n);
    if (task->previous == NONE) { service->first_task = task->next; } else { task_at(roster, task->previous)->next = task->next; }
    if (task->next != NONE) { task_at(roster, task->next)->previous = task->previous; }
    service->task_count--;
    uint64_t hash = hash_id(id);
    table_remove(TABLE_PART(&roster->tasks_by_id, hash), hash, t);
    slots_give(&roster->tasks, t);
    touch(roster, n);
    forget_if_empty(roster, n);
}

const struct roster_task *roster_task(const struct roster *roster, struct id id)
{
    uint32_t t = find_task(roster, id);
    return t == NONE ? NULL : &task_at(roster, t)->told;
}

void roster_set_healthy(struct roster *roster, struct id id)
{
    uint32_t t = find_task(roster, id);
    if (t != NONE) { task_at(roster, t)->told.was_healthy = true; }
}

void roster_set_targets(struct roster *roster, struct id id, enum task_health targets, bool unsettled)
{
    uint32_t t = find_task(roster, id);
    if (t == NONE) { return; }
    task_at(roster, t)->told.targets = targets;
    set_unsettled(roster, task_at(roster, t), unsettled);
}

void roster_targets_changed(struct roster *roster, struct id id)
{
    uint32_t t = find_task(roster, id);
    if (t == NONE) { return; }
    set_unsettled(roster, task_at(roster, t), true);
    touch(roster, task_at(roster, t)->service);
}

size_t roster_count(const struct roster *roster, int64_t number)
{
    uint32_t n = find_service(roster, number);
    return n == NONE ? 0 : service_at(roster, n)->task_count;
}

size_t roster_unsettled(const struct roster *roster, int64_t number)
{
    uint32_t n = find_service(roster, number);
    return n == NONE ? 0 : service_at(roster, n)->unsettled_count;
}

const struct roster_task *roster_walk(const struct roster *roster, int64_t number, const struct roster_task *last)
{
    uint32_t n = last == NULL ? find_service(roster, number) : NONE, t = NONE;
    if (n != NONE) { t = service_at(roster, n)->first_task; }
    if (last != NULL) { t = ((const struct kept_task *)last)->next; }
    return t == NONE ? NULL : &task_at(roster, t)->told;
}

size_t roster_tasks(const struct roster *roster, int64_t number, struct roster_task *tasks)
{
    size_t count = 0;
    for (const struct roster_task *task = roster_walk(roster, number, NULL); task != NULL; task = roster_walk(roster, number, task)) { tasks[count++] = *task; }
    ASSERT(count == roster_count(roster, number));
    return count;
}
