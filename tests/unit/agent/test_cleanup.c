/* test_cleanup.c: what stopped tasks leave is removed when its time has come, not before, and by the agent that runs then. */
#include "agent/task/cleanup.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/agent/scripted_runtime.h"
#include "tests/unit/check.h"

enum { LONG_MS = 120 * 1000, HOUR_MS = 3600 * 1000 };

static char dir[] = "/tmp/berth-leftovers-XXXXXX";
static struct scripted runtime;
static atomic_int threads;

static struct cleanup *open_with(int64_t keep_ms, bool begin)
{
    struct err err = { 0 };
    struct cleanup *cleanup = cleanup_create(&runtime.base, dir, keep_ms, &threads, &err);
    CHECK_STR("opened", str_from(err.message), STR(""));
    ASSERT(cleanup != NULL && (!begin || cleanup_begin(cleanup, &err)));
    return cleanup;
}

static void close_it(struct cleanup *cleanup)
{
    cleanup_leave(cleanup);
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; atomic_load(&threads) > 0 && clock_monotonic_ms() < until_ms;) { clock_sleep_ms(5); }
    CHECK_EQ("its thread has ended", atomic_load(&threads), 0);
    cleanup_destroy(cleanup);
}

static size_t files(void)
{
    DIR *listing = opendir(dir);
    size_t count = 0;
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) { count += entry->d_name[0] != '.'; }
    closedir(listing);
    return count;
}

/* Two containers of a task that has ended. */
/* One that is due soon may be gone when this returns. */
static void note(struct cleanup *cleanup, const char *task)
{
    struct err err = { 0 };
    struct str ids[] = { STR("0"), STR("1") };
    const struct str_list containers = { ids, COUNT_OF(ids) };
    CHECK("noted", cleanup_add(cleanup, task, &containers, &err));
}

static void add(struct cleanup *cleanup, const char *task)
{
    note(cleanup, task);
    CHECK("known", cleanup_knows(cleanup, task) && !cleanup_knows(cleanup, "other"));
}

static void make_containers_by(const struct scripted_rule *rules, size_t count)
{
    struct arena arena = { .ceiling = 1 << 20 };
    static const char *const names[] = { "a", "b" };
    scripted_open(&runtime, rules, count);
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        struct wire_container container = { .name = str_from(names[n]) };
        struct wire_task task = { .interfaces = { NULL, 0 } };
        struct container_spec spec = { .container = &container, .task = &task };
        struct str id;
        struct err err = { 0 };
        CHECK("made", runtime.base.ops->create(&runtime.base, &spec, &id, &arena, &err));
    }
    arena_finish(&arena);
}

static void make_containers(void) { make_containers_by(NULL, 0); }

static bool is_noted(const char *text)
{
    lock_take(&runtime.lock);
    bool noted = strstr(runtime.notes, text) != NULL;
    lock_drop(&runtime.lock);
    return noted;
}

static void await_gone(struct cleanup *cleanup, const char *task)
{
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; cleanup_knows(cleanup, task) && clock_monotonic_ms() < until_ms;) { clock_sleep_ms(5); }
    CHECK("no longer known", !cleanup_knows(cleanup, task));
    CHECK("both are removed", is_noted("remove a;") && is_noted("remove b;"));
    CHECK_EQ("and the file", files(), 0);
}

static void test_due(void)
{
    make_containers();
    struct cleanup *cleanup = open_with(20, true);
    note(cleanup, "task1");
    await_gone(cleanup, "task1");
    close_it(cleanup);
    scripted_close(&runtime);
}

/* Tried again after 2 s, not only after a minute. */
static void test_again(void)
{
    static const struct scripted_rule rule = { .name = "a", .stays_once = true };
    make_containers_by(&rule, 1);
    struct cleanup *cleanup = open_with(1, true);
    add(cleanup, "task1");
    await_gone(cleanup, "task1");
    CHECK("not at once", is_noted("keep a;remove a;remove b;"));
    close_it(cleanup);
    scripted_close(&runtime);
}

static void test_over_restarts(void)
{
    make_containers();
    struct cleanup *cleanup = open_with(500, false);
    add(cleanup, "task1");
    close_it(cleanup);
    CHECK_EQ("on file", files(), 1);
    cleanup = open_with(HOUR_MS, true);
    CHECK("remembered", cleanup_knows(cleanup, "task1"));
    await_gone(cleanup, "task1");                    /* when it was due then: the setting of today does not count */
    close_it(cleanup);
    scripted_close(&runtime);
}

static void test_not_before(void)
{
    make_containers();
    struct cleanup *cleanup = open_with(HOUR_MS, true);
    add(cleanup, "task1");
    struct cleanup *quick = open_with(1, true);      /* of the same folder: sees the first one's file */
    note(quick, "task2");
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; cleanup_knows(quick, "task2") && clock_monotonic_ms() < until_ms;) { clock_sleep_ms(5); }
    CHECK("not due yet", cleanup_knows(quick, "task1") && cleanup_knows(cleanup, "task1"));
    CHECK_EQ("on file", files(), 1);
    cleanup_leave(cleanup);
    close_it(quick);
    cleanup_destroy(cleanup);
    scripted_close(&runtime);
}

static void test_damage(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/task9.left", dir);
    FILE *file = fopen(path, "w");
    ASSERT(file != NULL && fputs("{", file) >= 0 && fclose(file) == 0);
    scripted_open(&runtime, NULL, 0);
    struct cleanup *cleanup = open_with(HOUR_MS, true);
    CHECK("what cannot be read is left for a person", !cleanup_knows(cleanup, "task9") && access(path, F_OK) == 0);
    close_it(cleanup);
    scripted_close(&runtime);
    unlink(path);
}

int main(void)
{
    ASSERT(mkdtemp(dir) != NULL);
    test_due();
    test_again();
    test_over_restarts();
    char path[64];
    test_not_before();
    snprintf(path, sizeof path, "%s/task1.left", dir);
    CHECK("the first one's file", unlink(path) == 0);
    test_damage();
    CHECK("nothing is left", rmdir(dir) == 0);
    return check_report();
}
