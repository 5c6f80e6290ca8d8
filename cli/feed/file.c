#include "cli/feed/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cli/feed/process.h"

enum { RELOAD_PAUSE_MS = 1000, RELOAD_MAX_MS = 30 * 1000 };

/* Has the file this text? */
static bool has_text(const char *path, struct str text, struct arena *arena)
{
    char *bytes = arena_bytes(arena, text.len + 1);
    size_t len = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    for (ssize_t got = 1; fd >= 0 && got > 0 && len <= text.len; len += got > 0 ? (size_t)got : 0) { got = read(fd, bytes + len, text.len + 1 - len); }
    if (fd >= 0) { close(fd); }
    return fd >= 0 && str_eq((struct str){ bytes, len }, text);
}

/* The program that reads it may be another user's. Some programs read a file again only when another is moved to its place. */
static bool write_readable(const char *path, struct str text, struct arena *arena, struct err *err)
{
    const char *fresh = arena_printf(arena, "%s.new", path).ptr;
    int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    bool good = fd >= 0 && file_write_all(fd, text) && fsync(fd) == 0;
    int cause = errno;
    if (fd >= 0) { close(fd); }
    if (good && rename(fresh, path) == 0) { return true; }
    return err_set(err, ERR_SERVER, "%s can't be written: %s.", path, strerror(good ? errno : cause));
}

/* Runs the command, at most once a second. */
static bool reload(struct feed_file *file, struct feed_applied *applied, struct arena *arena, struct err *err)
{
    char *const argv[] = { (char[]){ "/bin/sh" }, (char[]){ "-c" }, (char *)(uintptr_t)file->reload, NULL };
    int64_t now_ms = clock_monotonic_ms();
    if (file->reloaded_ms > 0 && now_ms - file->reloaded_ms < RELOAD_PAUSE_MS) {
        applied->soon = true;
        return false;
    }
    file->reloaded_ms = now_ms;
    file->reload_due = !process_run(argv, RELOAD_MAX_MS, arena, err);
    return !file->reload_due;
}

bool file_apply(void *context, const struct feed_state *state, struct feed_applied *applied, struct arena *arena, struct err *err)
{
    struct feed_file *file = context;
    struct buf text = buf_in(arena);
    file->render->put(state, &text);
    if (!has_text(file->path, buf_str(&text), arena)) {
        if (!write_readable(file->path, buf_str(&text), arena, err)) { return false; }
        file->reload_due = file->reload != NULL;
    }
    return !file->reload_due || reload(file, applied, arena, err);
}
