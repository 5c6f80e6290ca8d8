/* The index of tasks against a model: tasks are made in heaps of every size, under few keys and under more than wait at once, and in
 * the same transactions looked for, ordered to stop and dropped; some transactions come to nothing. */
#include "base/rng.h"
#include "tests/unit/store/store_fixture.h"

enum { TASKS_MAX = 20000, ROUNDS = 120, HEAP_MAX = 700, WORDS = 8, CLUSTERS = 2 };

struct entry { bool there; uint8_t cluster, family, starter, group; enum task_status desired; };
struct model {
    struct store_fixture f;
    struct rng rng;
    struct entry *entries, *kept;            /* by the number of the task; kept: as it was at the last commit */
    size_t count, kept_count;
    int64_t clusters[CLUSTERS];
    struct id *ids;
};

static const struct str words[WORDS] = {
    STR_INIT(""), STR_INIT("a"), STR_INIT("b"), STR_INIT("bb"), STR_INIT("c"), STR_INIT("family:a"), STR_INIT("x"), STR_INIT("y"),
};

static struct task task_of(const struct model *model, size_t number)
{
    const struct entry *entry = &model->entries[number];
    struct task task = make_task((uint32_t)number + 1, model->clusters[entry->cluster], id_number(1000000));
    task.family = words[entry->family];
    task.started_by = words[entry->starter];
    task.group = words[entry->group];
    task.desired_status = entry->desired;
    return task;
}

static void put(struct model *model, struct store_txn *txn, size_t number)
{
    struct task task = task_of(model, number);
    store_put_task(txn, &task);
}

/* `spread`: how many words are in use. */
static void add_heap(struct model *model, struct store_txn *txn, size_t count, uint64_t spread)
{
    for (size_t n = 0; n < count && model->count < TASKS_MAX; n++) {
        model->entries[model->count] = (struct entry){
            .there = true, .cluster = (uint8_t)rng_below(&model->rng, CLUSTERS), .family = (uint8_t)(1 + rng_below(&model->rng, spread)),
            .starter = (uint8_t)rng_below(&model->rng, spread), .group = (uint8_t)rng_below(&model->rng, WORDS), .desired = TASK_RUNNING,
        };
        put(model, txn, model->count++);
    }
}

/* Tasks of any age, in any order, among them those of this transaction; some twice. */
static void change_some(struct model *model, struct store_txn *txn, size_t count)
{
    for (size_t n = 0; n < count && model->count > 0; n++) {
        size_t recent = model->count > 50 ? model->count - 50 : 0;
        size_t number = rng_below(&model->rng, 2) == 0 ? recent + rng_below(&model->rng, model->count - recent) : rng_below(&model->rng, model->count);
        struct entry *entry = &model->entries[number];
        if (!entry->there) { continue; }
        if (rng_below(&model->rng, 2) == 0) {
            store_drop_task(txn, id_number((uint32_t)number + 1));
            entry->there = false;
        } else {
            entry->desired = TASK_STOPPED;
            put(model, txn, number);
        }
    }
}

static bool is_under(const struct entry *entry, uint8_t cluster, enum task_index index, uint8_t word, enum task_status desired)
{
    if (!entry->there || entry->cluster != cluster || entry->desired != desired) { return false; }
    switch (index) {
    case TASKS_BY_CLUSTER:    return true;
    case TASKS_BY_FAMILY:     return entry->family == word;
    case TASKS_BY_STARTED_BY: return entry->starter == word;
    case TASKS_BY_GROUP:      return entry->group == word && !(entry->family == 1 && word == 5);         /* its family's own group */
    }
    return false;
}

static bool same_list(struct model *model, struct store_txn *txn, uint8_t cluster, enum task_index index, uint8_t word, enum task_status desired)
{
    size_t got = store_list_tasks(txn, model->clusters[cluster], index, words[word], desired, (struct id){ { 0 } }, model->ids, TASKS_MAX), at = 0;
    bool same = true;
    for (size_t t = 0; t < model->count && same; t++) {
        if (!is_under(&model->entries[t], cluster, index, word, desired)) { continue; }
        same = at < got && id_eq(model->ids[at], id_number((uint32_t)t + 1));
        at++;
    }
    return same && at == got;
}

static void check_lists(struct model *model, struct store_txn *txn, const char *row)
{
    static const enum task_status statuses[] = { TASK_RUNNING, TASK_STOPPED };
    bool same = true;
    for (uint8_t cluster = 0; cluster < CLUSTERS; cluster++) {
        for (size_t s = 0; s < COUNT_OF(statuses); s++) {
            same = same && same_list(model, txn, cluster, TASKS_BY_CLUSTER, 0, statuses[s]);
            for (uint8_t word = 1; word < WORDS; word++) {
                same = same && same_list(model, txn, cluster, TASKS_BY_FAMILY, word, statuses[s])
                    && same_list(model, txn, cluster, TASKS_BY_STARTED_BY, word, statuses[s])
                    && same_list(model, txn, cluster, TASKS_BY_GROUP, word, statuses[s]);
            }
        }
    }
    CHECK(row, same);
}

static void round_of(struct model *model)
{
    struct store_txn *txn = store_write_begin(model->f.store);
    size_t steps = 1 + rng_below(&model->rng, 4);
    for (size_t s = 0; s < steps; s++) {
        add_heap(model, txn, rng_below(&model->rng, 3) == 0 ? 1 + rng_below(&model->rng, HEAP_MAX) : 1 + rng_below(&model->rng, 12),
                 1 + rng_below(&model->rng, WORDS - 1));
        if (rng_below(&model->rng, 2) == 0) { change_some(model, txn, rng_below(&model->rng, rng_below(&model->rng, 4) == 0 ? HEAP_MAX : 20)); }
        if (rng_below(&model->rng, 8) == 0) { check_lists(model, txn, "as the writer sees it"); }
    }
    size_t size = TASKS_MAX * sizeof *model->entries;
    if (rng_below(&model->rng, 6) == 0) {
        store_write_abort(txn);
        memcpy(model->entries, model->kept, size);
        model->count = model->kept_count;
        return;
    }
    fixture_commit("a round", txn);
    memcpy(model->kept, model->entries, size);
    model->kept_count = model->count;
}

int main(void)
{
    static struct model model;
    fixture_begin(&model.f, 0);
    rng_seed(&model.rng, 7);
    model.entries = calloc(TASKS_MAX, sizeof *model.entries);
    model.kept = calloc(TASKS_MAX, sizeof *model.kept);
    model.ids = calloc(TASKS_MAX, sizeof *model.ids);
    ASSERT(model.entries != NULL && model.kept != NULL && model.ids != NULL);
    struct store_txn *txn = store_write_begin(model.f.store);
    for (size_t c = 0; c < CLUSTERS; c++) { model.clusters[c] = put_cluster(txn, c == 0 ? STR("first") : STR("second")); }
    fixture_commit("clusters", txn);
    for (int r = 0; r < ROUNDS; r++) {
        round_of(&model);
        txn = store_read_begin(model.f.store);
        check_lists(&model, txn, "as readers see it");
        CHECK("read", store_read_end(txn));
        if (r % 10 == 9) { fixture_check("every invariant", &model.f); }
    }
    CHECK("many tasks", model.count > TASKS_MAX / 2);
    free(model.entries);
    free(model.kept);
    free(model.ids);
    fixture_end(&model.f);
    return check_report();
}
