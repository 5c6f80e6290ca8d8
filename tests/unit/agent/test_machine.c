/* test_machine.c: what a machine decides about a payload, a manifest and its settings, and how long it remembers ended tasks. */
#include "agent/machine_internal.h"

#include <stdio.h>

#include "tests/unit/check.h"

static void test_payload(void)
{
    static const struct { const char *row; struct payload_case which; enum payload_step step; } rows[] = {
        { "a new one",                        { .known = false },                                PAYLOAD_TAKE_ON },
        { "a new one that should not run",    { .stop = true },                                  PAYLOAD_STOPPED },
        { "one that has ended here",          { .ended = true },                                 PAYLOAD_STOPPED },
        { "the same, ordered to stop",        { .ended = true, .stop = true },                   PAYLOAD_STOPPED },
        { "one that runs",                    { .known = true },                                 PAYLOAD_UPDATE },
        { "one that runs, ordered to stop",   { .known = true, .stop = true },                   PAYLOAD_UPDATE },
        { "its file could not be written",    { .known = true, .dropped = true },                PAYLOAD_LATER },
        { "the same, ordered to stop",        { .known = true, .dropped = true, .stop = true },  PAYLOAD_LATER },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ(rows[r].row, payload_step_of(rows[r].which), rows[r].step); }
}

static void test_manifest(void)
{
    struct wire_manifest_task tasks[] = {
        { .task_arn = STR("arn:a"), .desired_status = STR("RUNNING") }, { .task_arn = STR("arn:b"), .desired_status = STR("STOPPED") },
    };
    const struct wire_manifest manifest = { .tasks = { tasks, COUNT_OF(tasks) } }, empty = { 0 };
    CHECK("a task that should run", manifest_lists(&manifest, STR("arn:a")));
    CHECK("one that should stop", !manifest_lists(&manifest, STR("arn:b")));
    CHECK("one that is not in it", !manifest_lists(&manifest, STR("arn:c")));
    CHECK("an empty manifest", !manifest_lists(&empty, STR("arn:a")));
}

static void test_ended(void)
{
    static struct ended_tasks ended;
    char id[TASK_ID_MAX];
    CHECK("nothing has ended", !ended_has(&ended, "t0"));
    for (int n = 0; n < ENDED_KEPT; n++) {
        (void)snprintf(id, sizeof id, "t%d", n);
        ended_add(&ended, id);
    }
    CHECK("as many as it keeps: the first", ended_has(&ended, "t0"));
    CHECK("and the last", ended_has(&ended, id));
    ended_add(&ended, "more");
    CHECK("one more takes the place of the first", ended_has(&ended, "more") && !ended_has(&ended, "t0"));
    CHECK("and of no other", ended_has(&ended, "t1") && ended_has(&ended, id));
    CHECK("a beginning is another task", !ended_has(&ended, "t"));
}

static void test_paths(void)
{
    static const struct { const char *row, *text; size_t count; const char *first, *last; } rows[] = {
        { "no setting",            NULL,                  0, NULL,        NULL        },
        { "an empty one",          "",                    0, NULL,        NULL        },
        { "one",                   "/srv/data",           1, "/srv/data", "/srv/data" },
        { "two, with blanks",      " /srv/data , /mnt ",  2, "/srv/data", "/mnt"      },
        { "nothing between",       "/a,,/b,",             2, "/a",        "/b"        },
        { "the root",              "/",                   1, "/",         "/"         },
    };
    static const char *const bad[] = { "srv/data", "/srv,data", "./a", "~" };
    struct arena arena = { .ceiling = 64 * 1024 };
    struct err err = { 0 };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const char *const *paths = read_paths("allow-volumes", rows[r].text, &arena, &err);
        size_t count = 0;
        CHECK(rows[r].row, paths != NULL);
        while (paths != NULL && paths[count] != NULL) { count++; }
        CHECK_EQ(rows[r].row, count, rows[r].count);
        if (count != rows[r].count || count == 0) { continue; }
        CHECK_STR(rows[r].row, str_from(paths[0]), str_from(rows[r].first));
        CHECK_STR(rows[r].row, str_from(paths[count - 1]), str_from(rows[r].last));
    }
    for (size_t b = 0; b < COUNT_OF(bad); b++) {
        struct err why = { 0 };
        CHECK(bad[b], read_paths("allow-volumes", bad[b], &arena, &why) == NULL);
        CHECK(bad[b], strstr(why.message, "allow-volumes takes absolute paths") != NULL);
    }
    arena_finish(&arena);
}

int main(void)
{
    test_payload();
    test_manifest();
    test_ended();
    test_paths();
    return check_report();
}
