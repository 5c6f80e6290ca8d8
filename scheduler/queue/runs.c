/* runs.c: see runs.h. A family has a count for each step of lengths; when there are many, all are halved, so that new runs count. */
#include "scheduler/queue/runs.h"

#include "base/num.h"
#include "base/table.h"
#include "scheduler/world/pool.h"

enum { STEPS = 88, STEPS_OF_DOUBLE = 4, FIRST_MS = 1000, COUNT_MOST = 1000 };         /* from a second to 40 days */
struct family { uint64_t hash; uint32_t total; uint16_t counts[STEPS]; };
struct kept_run { struct run run; uint32_t slot, before, behind; };                   /* the list of preemptible ones */
struct runs {
    struct pool pool;
    struct slots families, live;
    struct hash_table families_by_hash, live_by_id;
    uint32_t family_count, next_family;                       /* the one that goes next, when all are there */
    uint32_t first_preemptible;
    int64_t lowest;                                           /* priority of a preemptible one, since there was none */
};

static struct family *family_at(const struct runs *runs, uint32_t n) { return SLOTS_AT(&runs->families, struct family, n); }
static struct kept_run *run_at(const struct runs *runs, uint32_t n) { return SLOTS_AT(&runs->live, struct kept_run, n); }

static void finish(void *given)
{
    struct runs *runs = given;
    table_finish(&runs->families_by_hash);
    table_finish(&runs->live_by_id);
}

struct runs *runs_create(struct arena *arena)
{
    struct runs *runs = ARENA_NEW(arena, struct runs, 1);
    runs->pool.arena = arena;
    runs->first_preemptible = NONE;
    slots_init(&runs->families, sizeof(struct family));
    slots_init(&runs->live, sizeof(struct kept_run));
    arena_at_end(arena, finish, runs);
    return runs;
}

/* ---- past runs ---- */

/* The longest length that counts as this step. */
static int64_t step_ms(unsigned step)
{
    static const int64_t parts[STEPS_OF_DOUBLE] = { FIRST_MS, 1189, 1414, 1682 };
    ASSERT(step < STEPS);
    return parts[step % STEPS_OF_DOUBLE] << (step / STEPS_OF_DOUBLE);
}

static unsigned step_of(int64_t ms)
{
    unsigned step = 0;
    while (step < STEPS - 1 && step_ms(step) < ms) { step++; }
    return step;
}

int64_t runs_step(int64_t ms) { return step_ms(step_of(ms)); }

static struct family *find_family(const struct runs *runs, uint64_t hash)
{
    size_t at;
    for (uint32_t n = table_first(&runs->families_by_hash, hash, &at); n != NONE; n = table_next(&runs->families_by_hash, hash, &at)) {
        if (family_at(runs, n)->hash == hash) { return family_at(runs, n); }
    }
    return NULL;
}

static struct family *add_family(struct runs *runs, uint64_t hash)
{
    uint32_t number = runs->next_family;
    if (runs->family_count < RUNS_FAMILIES) {
        number = slots_take(&runs->pool, &runs->families);
        runs->family_count++;
    } else {
        table_remove(&runs->families_by_hash, family_at(runs, number)->hash, number);
        runs->next_family = (number + 1) % RUNS_FAMILIES;
    }
    *family_at(runs, number) = (struct family){ .hash = hash };
    table_add(&runs->families_by_hash, hash, number);
    return family_at(runs, number);
}

void runs_ended(struct runs *runs, uint64_t hash, int64_t ran_ms)
{
    struct family *family = find_family(runs, hash);
    if (family == NULL) { family = add_family(runs, hash); }
    family->counts[step_of(ran_ms)]++;
    family->total++;
    if (family->total < COUNT_MOST) { return; }
    family->total = 0;
    for (unsigned s = 0; s < STEPS; s++) { family->total += family->counts[s] /= 2; }
}

int64_t runs_length(const struct runs *runs, uint64_t hash, unsigned percent, size_t least)
{
    const struct family *family = find_family(runs, hash);
    if (family == NULL || family->total < least || family->total == 0) { return 0; }
    uint32_t wanted = (family->total * percent + 99) / 100, seen = 0;
    unsigned step = 0;
    while ((seen += family->counts[step]) < wanted) { step++; }
    return step_ms(step);
}

/* ---- live tasks ---- */

static uint32_t find_run(const struct runs *runs, struct id task)
{
    uint64_t hash = hash_id(task);
    size_t at;
    for (uint32_t n = table_first(&runs->live_by_id, hash, &at); n != NONE; n = table_next(&runs->live_by_id, hash, &at)) {
        if (id_eq(run_at(runs, n)->run.task, task)) { return n; }
    }
    return NONE;
}

static void unlink_run(struct runs *runs, const struct kept_run *kept)
{
    if (!kept->run.preemptible) { return; }
    if (kept->before == NONE) { runs->first_preemptible = kept->behind; } else { run_at(runs, kept->before)->behind = kept->behind; }
    if (kept->behind != NONE) { run_at(runs, kept->behind)->before = kept->before; }
}

static void link_run(struct runs *runs, struct kept_run *kept)
{
    if (!kept->run.preemptible) { return; }
    if (runs->first_preemptible == NONE || kept->run.priority < runs->lowest) { runs->lowest = kept->run.priority; }
    kept->before = NONE;
    kept->behind = runs->first_preemptible;
    if (kept->behind != NONE) { run_at(runs, kept->behind)->before = kept->slot; }
    runs->first_preemptible = kept->slot;
}

void runs_put(struct runs *runs, const struct run *run)
{
    uint32_t number = find_run(runs, run->task);
    if (number == NONE) {
        number = slots_take(&runs->pool, &runs->live);
        table_add(&runs->live_by_id, hash_id(run->task), number);
    } else {
        unlink_run(runs, run_at(runs, number));
    }
    struct kept_run *kept = run_at(runs, number);
    kept->run = *run;
    kept->slot = number;
    link_run(runs, kept);
}

void runs_drop(struct runs *runs, struct id task)
{
    uint32_t number = find_run(runs, task);
    if (number == NONE) { return; }
    unlink_run(runs, run_at(runs, number));
    table_remove(&runs->live_by_id, hash_id(task), number);
    slots_give(&runs->live, number);
}

const struct run *runs_find(const struct runs *runs, struct id task)
{
    uint32_t number = find_run(runs, task);
    return number == NONE ? NULL : &run_at(runs, number)->run;
}

bool runs_may_stop(const struct runs *runs, int64_t priority) { return runs->first_preemptible != NONE && runs->lowest <= priority; }

const struct run *runs_preemptible(const struct runs *runs, const struct run *last)
{
    uint32_t next = last == NULL ? runs->first_preemptible : ((const struct kept_run *)last)->behind;
    return next == NONE ? NULL : &run_at(runs, next)->run;
}

int64_t runs_end_ms(const struct runs *runs, const struct run *run, int64_t now_ms, unsigned percent, size_t least)
{
    int64_t length_ms = run->most_ms;
    if (run->leaves) { return now_ms + RUNS_STOP_MS; }
    if (length_ms == 0 && run->guessed) { length_ms = runs_length(runs, run->family, percent, least); }
    if (length_ms == 0) { return INT64_MAX; }
    int64_t end_ms = (run->started_ms == 0 ? now_ms : run->started_ms) + length_ms;
    return end_ms > now_ms ? end_ms : INT64_MAX;
}
