/* A hundred thousand tasks, listed page by page while tasks come and go: each that lived throughout is seen exactly once, none
 * twice, in one order, and a page costs what it shows, wherever it lies. Work is counted in entries of the store, not timed. */
#include "api/schemas/tasks.h"
#include "tests/unit/api/machines.h"

enum {
    TASKS = 100000, BATCH = 5000, EXTRA_MAX = 4000, FAMILIES = 4, PAGE = 100,
    WORK_MAX = 2 * PAGE,                     /* entries that one page may touch: the index is read a little ahead */
    SCAN_WORK_MAX = 30 * PAGE,               /* … where no index serves: a page then looks at this many records, and may be short */
};

/* The fate of a task while a list was read, or before. */
enum fate { FATE_LIVES, FATE_STOPPED_EARLY, FATE_STOPPED, FATE_ADDED };
struct book { struct id id; uint8_t fate; uint32_t seen; };

struct list_scale {
    struct api_fixture f;
    struct id machine;
    int64_t cluster;
    struct book *books; size_t count;
};

/* ---- tasks, made and stopped in the store itself ---- */

static struct str family_of(size_t number)
{
    static const struct str families[FAMILIES] = { STR_INIT("a"), STR_INIT("b"), STR_INIT("c"), STR_INIT("d") };
    return families[number % FAMILIES];
}

static struct str group_of(size_t number)
{
    static const struct str groups[FAMILIES] = { STR_INIT("family:a"), STR_INIT("family:b"), STR_INIT("family:c"), STR_INIT("family:d") };
    return groups[number % FAMILIES];
}

/* Every tenth is started by "me", every fiftieth is of another launch type. */
static bool is_mine(size_t number) { return number % 10 == 0; }
static bool is_external(size_t number) { return number % 50 == 0; }

static void put_task(struct list_scale *scale, struct store_txn *txn, enum fate fate)
{
    size_t number = scale->count++;
    scale->f.by_hand = true;
    struct task_container container = { .status = fate == FATE_STOPPED_EARLY ? TASK_STOPPED : TASK_PENDING };
    bool stopped = fate == FATE_STOPPED_EARLY;
    scale->books[number] = (struct book){ .id = id_new(&scale->f.ids, scale->f.now_ms), .fate = (uint8_t)fate };
    store_put_task(txn, &(struct task){
        .id = scale->books[number].id, .cluster_number = scale->cluster, .family = family_of(number), .revision = 1,
        .instance = scale->machine, .last_status = stopped ? TASK_STOPPED : TASK_PENDING,
        .desired_status = stopped ? TASK_STOPPED : TASK_RUNNING, .group = group_of(number),
        .started_by = is_mine(number) ? STR("me") : (struct str){ 0 },
        .launch_type = is_external(number) ? LAUNCH_TYPE_EXTERNAL : LAUNCH_TYPE_EC2, .containers = { &container, 1 }, .version = 1,
        .created_ms = scale->f.now_ms, .stopped_ms = stopped ? scale->f.now_ms : 0,
    });
}

static void commit(struct store_txn *txn)
{
    int64_t revision;
    CHECK("committed", store_write_commit(txn, &revision));
}

static void open_scale(struct list_scale *scale)
{
    cluster_open(&scale->f);
    scale->machine = machine_add(&scale->f, "a", 0);
    scale->books = calloc(TASKS + EXTRA_MAX, sizeof *scale->books);
    ASSERT(scale->books != NULL);
    struct store_txn *reader = store_read_begin(scale->f.store);
    scale->cluster = store_cluster(reader, STR("default"), &scale->f.kept)->number;
    CHECK("read", store_read_end(reader));
    while (scale->count < TASKS) {
        struct store_txn *txn = store_write_begin(scale->f.store);
        for (size_t n = 0; n < BATCH; n++) { put_task(scale, txn, scale->count % 3 == 2 ? FATE_STOPPED_EARLY : FATE_LIVES); }
        commit(txn);
    }
}

static void close_scale(struct list_scale *scale)
{
    free(scale->books);
    fixture_close(&scale->f);
}

/* Between two pages: three tasks somewhere are ordered to stop, two are new. */
static void stir(struct list_scale *scale, struct rng *rng)
{
    struct arena arena;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    struct store_txn *txn = store_write_begin(scale->f.store);
    for (int n = 0; n < 3; n++) {
        struct book *book = &scale->books[rng_below(rng, scale->count)];
        if (book->fate != FATE_LIVES && book->fate != FATE_ADDED) { continue; }
        struct task task = *store_task(txn, book->id, &arena);
        task.desired_status = TASK_STOPPED;
        store_put_task(txn, &task);
        book->fate = FATE_STOPPED;
    }
    for (int n = 0; n < 2 && scale->count < TASKS + EXTRA_MAX; n++) { put_task(scale, txn, FATE_ADDED); }
    commit(txn);
    arena_finish(&arena);
}

/* ---- one list, from its first page to its last ---- */

struct walk_result { size_t pages, listed; uint64_t most_work; };

/* The id's place in the books, which are sorted by id. */
static struct book *book_of(struct list_scale *scale, struct str arn)
{
    struct id id;
    size_t low = 0, high = scale->count;
    CHECK("an ARN ends in an id", arn.len > ID_HEX_LEN && id_parse(str_slice(arn, arn.len - ID_HEX_LEN, arn.len), &id));
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = id_cmp(id, scale->books[middle].id);
        if (order == 0) { return &scale->books[middle]; }
        if (order < 0) { high = middle; } else { low = middle + 1; }
    }
    return NULL;
}

/* Reads one page; *token becomes that of the next, absent on the last. */
static uint64_t read_page(struct list_scale *scale, const struct list_tasks_request *filter, struct str *token, struct id *last, size_t *listed)
{
    struct arena arena;
    struct err err = { 0 };
    struct list_tasks_request request = *filter;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    request.max_results = opt_int_of(PAGE);
    request.next_token = *token;
    struct api_call call = { .operation = api_operation(STR("ListTasks")), .input = &request };
    struct store_txn *txn = store_read_begin(scale->f.store);
    struct op_ctx ctx = fixture_ctx(&scale->f, txn, &arena, OP_READ);
    CHECK("a page", api_run(&call, &ctx, &err));
    uint64_t work = store_touched(txn);
    CHECK("the page is sound", store_read_end(txn));

    const struct list_tasks_response *response = call.output;
    CHECK("no longer than asked for", response->task_arns.count <= PAGE);
    for (size_t t = 0; t < response->task_arns.count; t++) {
        struct book *book = book_of(scale, response->task_arns.items[t]);
        if (book == NULL) { CHECK("a task that exists", false); continue; }
        CHECK("in the order of creation", id_cmp(book->id, *last) > 0);
        *last = book->id;
        book->seen++;
    }
    *listed += response->task_arns.count;
    *token = arena_str(&scale->f.kept, response->next_token);
    arena_finish(&arena);
    return work;
}

static struct walk_result walk_list(struct list_scale *scale, const struct list_tasks_request *filter, struct rng *rng)
{
    struct walk_result result = { 0 };
    struct str token = { 0 };
    struct id last = { 0 };
    for (size_t n = 0; n < scale->count; n++) { scale->books[n].seen = 0; }
    do {
        uint64_t work = read_page(scale, filter, &token, &last, &result.listed);
        if (work > result.most_work) { result.most_work = work; }
        result.pages++;
        if (rng != NULL) { stir(scale, rng); }
    } while (str_is_set(token) && result.pages <= TASKS);
    return result;
}

/* ---- what must hold ---- */

enum wish { WISH_ALL, WISH_FAMILY, WISH_MINE, WISH_EXTERNAL };
static bool is_wished(enum wish wish, size_t number)
{
    switch (wish) {
    case WISH_ALL:      return true;
    case WISH_FAMILY:   return str_eq(family_of(number), STR("b"));
    case WISH_MINE:     return is_mine(number);
    case WISH_EXTERNAL: return is_external(number);
    }
    return false;
}

/* `steady`: the fate of those that matched before the first page and still do after the last. */
static void check_seen(const struct list_scale *scale, const char *row, enum wish wish, enum fate steady)
{
    int64_t missed = 0, twice = 0, strangers = 0, all = 0;
    for (size_t n = 0; n < scale->count; n++) {
        const struct book *book = &scale->books[n];
        bool wished = is_wished(wish, n), in_between = book->fate == FATE_ADDED || book->fate == FATE_STOPPED;
        all += wished && book->fate == steady;
        missed += wished && book->fate == steady && book->seen == 0;
        twice += book->seen > 1;
        strangers += book->seen > 0 && (!wished || (book->fate != steady && !in_between));
    }
    CHECK(row, all > 10 * PAGE);
    CHECK_EQ(row, missed, 0);
    CHECK_EQ(row, twice, 0);
    CHECK_EQ(row, strangers, 0);
}

/* Tasks that came and went during the last list are history for the next. */
static void settle(struct list_scale *scale)
{
    for (size_t n = 0; n < scale->count; n++) {
        struct book *book = &scale->books[n];
        if (book->fate == FATE_ADDED) { book->fate = FATE_LIVES; }
        if (book->fate == FATE_STOPPED) { book->fate = FATE_STOPPED_EARLY; }
    }
}

static void test_lists(struct list_scale *scale)
{
    static const struct {
        const char *row, *family, *started_by; enum launch_type launch_type; enum desired_status desired; enum wish wish; uint64_t work;
    } rows[] = {
        { "all",                  NULL, NULL, LAUNCH_TYPE_UNSET,    DESIRED_STATUS_UNSET,   WISH_ALL,      WORK_MAX },
        { "a family",             "b",  NULL, LAUNCH_TYPE_UNSET,    DESIRED_STATUS_RUNNING, WISH_FAMILY,   WORK_MAX },
        { "started by",           NULL, "me", LAUNCH_TYPE_UNSET,    DESIRED_STATUS_UNSET,   WISH_MINE,     WORK_MAX },
        { "stopped",              NULL, NULL, LAUNCH_TYPE_UNSET,    DESIRED_STATUS_STOPPED, WISH_ALL,      WORK_MAX },
        { "stopped, of a family", "b",  NULL, LAUNCH_TYPE_UNSET,    DESIRED_STATUS_STOPPED, WISH_FAMILY,   WORK_MAX },
        { "stopped, started by",  NULL, "me", LAUNCH_TYPE_UNSET,    DESIRED_STATUS_STOPPED, WISH_MINE,     WORK_MAX },
        { "a launch type",        NULL, NULL, LAUNCH_TYPE_EXTERNAL, DESIRED_STATUS_UNSET,   WISH_EXTERNAL, SCAN_WORK_MAX },
    };
    struct rng rng;
    rng_seed(&rng, 7);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const struct list_tasks_request filter = {
            .family = str_from(rows[r].family), .started_by = str_from(rows[r].started_by), .launch_type = rows[r].launch_type,
            .desired_status = rows[r].desired,
        };
        settle(scale);
        struct walk_result result = walk_list(scale, &filter, &rng);
        check_seen(scale, rows[r].row, rows[r].wish, rows[r].desired == DESIRED_STATUS_STOPPED ? FATE_STOPPED_EARLY : FATE_LIVES);
        CHECK(rows[r].row, result.most_work <= rows[r].work);
        if (result.most_work > rows[r].work) { fprintf(stderr, "%s: a page touched %llu entries\n", rows[r].row, (unsigned long long)result.most_work); }
    }
}

/* When nothing moves, the list is the whole of it, exactly. */
static void test_calm(struct list_scale *scale)
{
    size_t live = 0;
    for (size_t n = 0; n < scale->count; n++) { live += scale->books[n].fate == FATE_LIVES || scale->books[n].fate == FATE_ADDED; }
    struct walk_result result = walk_list(scale, &(struct list_tasks_request){ 0 }, NULL);
    CHECK_EQ("each of them", (int64_t)result.listed, (int64_t)live);
    CHECK_EQ("on full pages", (int64_t)result.pages, (int64_t)((live + PAGE - 1) / PAGE));
}

int main(void)
{
    static struct list_scale scale;
    open_scale(&scale);
    test_lists(&scale);
    test_calm(&scale);
    close_scale(&scale);
    return check_report();
}
