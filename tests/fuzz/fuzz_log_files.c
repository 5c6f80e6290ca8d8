/* fuzz_log_files.c: a log group's file and a log's times as a disk may give them back: all that is read of them stays within them, and they go on. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "server/logs/groups.h"
#include "server/logs/marks.h"
#include "tests/fuzz/fuzz.h"

static char dir[64], group_file[400], marks_file[128];
static struct log_groups *groups;
static const struct str group_name = STR_INIT("a/group");

static void leave(void)
{
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", dir);
    ASSERT(system(command) == 0);
}

/* The one group's file: the only one there is. */
static void begin(void)
{
    struct err err = { 0 };
    (void)snprintf(dir, sizeof dir, "/tmp/berth-fuzz-logs-XXXXXX");
    ASSERT(mkdtemp(dir) != NULL && atexit(leave) == 0);
    groups = log_groups_create(dir, &err);
    ASSERT(groups != NULL && log_groups_make(groups, group_name, 1, &err));
    (void)snprintf(marks_file, sizeof marks_file, "%s/marks", dir);
    DIR *entries = opendir(dir);
    ASSERT(entries != NULL);
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (entry->d_name[0] != '.') { (void)snprintf(group_file, sizeof group_file, "%s/%s", dir, entry->d_name); }
    }
    (void)closedir(entries);
    ASSERT(group_file[0] != '\0');
}

static void write_file(const char *path, struct str bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ASSERT(fd >= 0 && file_write_all(fd, bytes));
    (void)close(fd);
}

/* A stream that is added is found, for any earlier bytes of the file, unless the file can't be one. */
static void check_group(struct str bytes, struct arena *arena)
{
    struct log_group_list all;
    struct log_stream_list list;
    struct err err = { 0 };
    const struct log_stream stream = { .name = STR("made up"), .task = { { 7 } }, .container = STR("main"), .created_ms = 5 };
    write_file(group_file, bytes);
    if (log_groups_list(groups, &all, arena, &err)) { ASSERT(all.count <= 1); }
    if (log_groups_streams(groups, group_name, &list, arena, &err)) {
        for (size_t s = 0; s < list.count; s++) { ASSERT(list.items[s].name.len > 0 && str_contains(bytes, list.items[s].name)); }
    }
    if (!log_groups_add(groups, group_name, &stream, &err) || !log_groups_streams(groups, group_name, &list, arena, &err)) { return; }
    bool found = false;
    for (size_t s = 0; s < list.count; s++) { found = found || str_eq(list.items[s].name, stream.name); }
    bool headless = bytes.len > 0 && str_find(bytes, '\n') == bytes.len;              /* nothing was whole: the line takes the head's place */
    ASSERT(found || headless);
}

static void check_marks(struct str bytes, struct arena *arena)
{
    struct err err = { 0 };
    const struct log_mark added = { .offset = 1000, .time_ms = 2000, .received_ms = 2000 };
    struct log_mark first, last;
    write_file(marks_file, bytes);
    struct log_mark_list list = log_marks_read(marks_file, arena);
    ASSERT(list.count == bytes.len / sizeof *list.items);
    static const int64_t offsets[] = { INT64_MIN, -1, 0, 1, 1000, INT64_MAX };
    for (size_t o = 0; o < COUNT_OF(offsets); o++) {
        const struct log_mark *at = log_marks_at(&list, offsets[o]);
        ASSERT(at == NULL || (at >= list.items && at < list.items + list.count && at->offset <= offsets[o]));
    }
    ASSERT(log_marks_ends(marks_file, &first, &last) == (list.count > 0));
    ASSERT(log_marks_add(marks_file, 1000, &added, 1, &err));
    list = log_marks_read(marks_file, arena);
    ASSERT(list.count > 0 && list.items[list.count - 1].offset == 1000);
    ASSERT(list.count == 1 || (list.items[list.count - 2].offset < 1000 && list.items[list.count - 2].time_ms <= list.items[list.count - 1].time_ms));
    char fresh[160];
    (void)snprintf(fresh, sizeof fresh, "%s.new", marks_file);
    ASSERT(log_marks_cut(marks_file, fresh, 1000, &err));
    ASSERT(log_marks_ends(marks_file, &first, &last) && last.offset == 1000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) {
        arena_init(&arena, 1 << 26);
        begin();
    }
    if (size > 64 * 1024) { return 0; }
    check_group(fuzz_str(data, size), &arena);
    check_marks(fuzz_str(data, size), &arena);
    arena_reset(&arena);
    return 0;
}
