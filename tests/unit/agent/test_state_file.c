/* The agent's files: replaced whole, and what a torn or damaged one does. */
#include "agent/core/state_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/task/task.h"
#include "tests/unit/check.h"

static char dir[] = "/tmp/berth-state-XXXXXX";

static const char *path_in(const char *name)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void write_raw(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK("written", file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void test_write_and_read(void)
{
    struct arena arena = { .ceiling = 1 << 20 };
    struct err err = { 0 };
    struct str text;
    CHECK("none is no error", state_file_read(path_in("none"), &text, &arena, &err) && !str_is_set(text));
    CHECK("first", state_file_write(path_in("a"), STR("one"), &err));
    struct stat one, two;
    CHECK("there", stat(path_in("a"), &one) == 0);
    CHECK("second", state_file_write(path_in("a"), STR(""), &err));
    CHECK("another file, not the old one written over", stat(path_in("a"), &two) == 0 && one.st_ino != two.st_ino);
    CHECK("read", state_file_read(path_in("a"), &text, &arena, &err) && str_is_set(text));
    CHECK_STR("the second", text, STR(""));
    struct stat info;
    CHECK("for its owner only", stat(path_in("a"), &info) == 0 && (info.st_mode & 0777) == 0600);
    CHECK("no draft stays", stat(path_in("a.new"), &info) != 0);
    state_file_remove(path_in("a"));
    CHECK("removed", state_file_read(path_in("a"), &text, &arena, &err) && !str_is_set(text));
    CHECK("a folder that is not there", !state_file_write(path_in("no/such"), STR("x"), &err));
    err = (struct err){ 0 };
    CHECK("folders with parents", state_file_make_dir(path_in("x/y/z"), &err) && state_file_make_dir(path_in("x/y/z"), &err));
    write_raw(path_in("file"), "");
    CHECK("a file in the way", !state_file_make_dir(path_in("file"), &err));
    arena_finish(&arena);
}

/* A crash between the steps of a write leaves a draft, whole or half; the file itself is the old one. */
static void test_torn(void)
{
    struct arena arena = { .ceiling = 1 << 20 };
    struct err err = { 0 };
    struct identity identity = { STR("arn:1"), STR("lab"), STR("token") }, found;
    CHECK("saved", identity_save(dir, &identity, &err));
    write_raw(path_in("agent.json.new"), "{\"containerInstanceArn\":\"arn:2\",\"clu");
    CHECK("loaded", identity_load(dir, &found, &arena, &err));
    CHECK_STR("the old one", found.arn, STR("arn:1"));
    CHECK_STR("cluster", found.cluster, STR("lab"));
    CHECK_STR("token", found.client_token, STR("token"));
    identity.arn = STR("arn:3");
    CHECK("saved over the draft", identity_save(dir, &identity, &err) && identity_load(dir, &found, &arena, &err));
    CHECK_STR("the new one", found.arn, STR("arn:3"));

    write_raw(path_in("agent.json"), "{\"containerInstanceArn\":\"arn:2\",\"clu");
    CHECK("a damaged file is reported, not ignored", !identity_load(dir, &found, &arena, &err));
    CHECK("with its name", strstr(err.message, "agent.json") != NULL);
    err = (struct err){ 0 };
    state_file_remove(path_in("agent.json"));
    CHECK("none yet", identity_load(dir, &found, &arena, &err) && !str_is_set(found.arn));
    arena_finish(&arena);
}

static void test_task_files(void)
{
    static const struct { const char *text; bool good; } rows[] = {
        { "{\"payload\":{\"tasks\":[]},\"containers\":{\"a\":\"1\"}}", true }, { "{\"containers\":{}}", false }, { "{\"payload\":{", false }, { "", false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena = { .ceiling = 1 << 20 };
        struct err err = { 0 };
        struct saved_task saved;
        write_raw(path_in("t.json"), rows[r].text);
        CHECK_EQ(rows[r].text, task_load(path_in("t.json"), &saved, &arena, &err), rows[r].good);
        arena_finish(&arena);
    }
}

int main(void)
{
    CHECK("a folder", mkdtemp(dir) != NULL);
    test_write_and_read();
    test_torn();
    test_task_files();
    char command[256];
    (void)snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK("cleared", system(command) == 0);
    return check_report();
}
