#include "agent/task/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/core/state_file.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"

enum { PATH_LEN_MAX = 4096, RETRY_MS = 2000, RETRY_DOUBLINGS = 5, FILE_ARENA_MAX = 1024 * 1024, LOOK_MS = 30 * 1000, THREAD_STACK = 512 * 1024 };
#define ENDING ".left"

struct leftover { struct leftover *next; char id[TASK_ID_MAX]; int64_t due_ms; int failures; };        /* due: wall clock */

struct cleanup {
    struct runtime *runtime;                         /* lent */
    const char *dir;                                 /* lent */
    int64_t keep_ms;
    atomic_int *threads;                             /* lent */
    struct lock lock;
    struct lock_signal changed;
    struct leftover *first;                          /* guarded by lock */
    bool closing;
};

/* ---- files ---- */

static bool path_of(const struct cleanup *cleanup, const char *id, char path[PATH_LEN_MAX], struct err *err)
{
    int len = snprintf(path, PATH_LEN_MAX, "%s/%s" ENDING, cleanup->dir, id);
    return (len > 0 && len < PATH_LEN_MAX) || err_set(err, ERR_INVALID_PARAMETER, "The folder's name is too long: %s", cleanup->dir);
}

static bool write_file(struct cleanup *cleanup, const char *id, int64_t due_ms, const struct str_list *containers, struct err *err)
{
    char path[PATH_LEN_MAX];
    if (!path_of(cleanup, id, path, err)) { return false; }
    struct arena arena = { .ceiling = FILE_ARENA_MAX };
    struct buf text = buf_in(&arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '{');
    json_key(&out, STR("removeAt"));
    json_i64(&out, due_ms);
    json_key(&out, STR("containers"));
    json_open(&out, '[');
    for (size_t c = 0; c < containers->count; c++) { json_str(&out, containers->items[c]); }
    json_close(&out, ']');
    json_close(&out, '}');
    bool good = state_file_write(path, buf_str(&text), err);
    arena_finish(&arena);
    return good;
}

/* NULL and *err: it cannot be read. */
static const struct json *read_file(const struct cleanup *cleanup, const char *id, struct arena *arena, struct err *err)
{
    char path[PATH_LEN_MAX];
    struct str text;
    if (!path_of(cleanup, id, path, err) || !state_file_read(path, &text, arena, err)) { return NULL; }
    return json_parse(str_is_set(text) ? text : STR(""), arena, err);
}

/* ---- the list ---- */

static void add(struct cleanup *cleanup, const char *id, int64_t due_ms) REQUIRES(cleanup->lock)
{
    struct leftover *leftover = calloc(1, sizeof *leftover);
    ASSERT(leftover != NULL);
    ASSERT(strlen(id) < sizeof leftover->id);
    (void)snprintf(leftover->id, sizeof leftover->id, "%s", id);
    leftover->due_ms = due_ms;
    leftover->next = cleanup->first;
    cleanup->first = leftover;
}

static struct leftover *find(struct cleanup *cleanup, const char *id) REQUIRES(cleanup->lock)
{
    struct leftover *leftover = cleanup->first;
    while (leftover != NULL && strcmp(leftover->id, id) != 0) { leftover = leftover->next; }
    return leftover;
}

static void drop(struct cleanup *cleanup, const char *id) REQUIRES(cleanup->lock)
{
    for (struct leftover **at = &cleanup->first; *at != NULL; at = &(*at)->next) {
        struct leftover *leftover = *at;
        if (strcmp(leftover->id, id) != 0) { continue; }
        *at = leftover->next;
        free(leftover);
        return;
    }
}

static struct leftover *next_due(struct cleanup *cleanup) REQUIRES(cleanup->lock)
{
    struct leftover *soonest = cleanup->first;
    for (struct leftover *one = cleanup->first; one != NULL; one = one->next) {
        if (one->due_ms < soonest->due_ms) { soonest = one; }
    }
    return soonest;
}

/* ---- removal ---- */

static bool remove_all(struct cleanup *cleanup, const char *id, struct err *err)
{
    struct arena arena = { .ceiling = FILE_ARENA_MAX };
    char path[PATH_LEN_MAX];
    const struct json *tree = read_file(cleanup, id, &arena, err), *containers = json_get(tree, STR("containers"));
    bool good = tree != NULL;
    for (size_t c = 0; good && containers != NULL && containers->type == JSON_ARRAY && c < containers->count; c++) {
        const struct json *container = &containers->as.items[c];
        good = container->type != JSON_STRING || cleanup->runtime->ops->remove(cleanup->runtime, container->as.string, err);
    }
    arena_finish(&arena);
    good = good && path_of(cleanup, id, path, err);
    if (good) { state_file_remove(path); }
    return good;
}

static void remove_one(struct cleanup *cleanup, const char *id)
{
    struct err err = { 0 };
    bool good = remove_all(cleanup, id, &err);
    if (!good) { log_line(LOG_WARN, "agent", "what a stopped task left cannot be removed, trying again task=%s: %s", id, err.message); }
    lock_take(&cleanup->lock);
    struct leftover *leftover = find(cleanup, id);
    ASSERT(leftover != NULL);                        /* only this thread removes one */
    if (good) {
        drop(cleanup, id);
    } else {
        leftover->due_ms = clock_now_ms() + (RETRY_MS << min_i64(leftover->failures++, RETRY_DOUBLINGS));       /* 2 s to 64 s */
    }
    lock_drop(&cleanup->lock);
    if (good) { log_line(LOG_DEBUG, "agent", "what a stopped task left was removed task=%s", id); }
}

static void *cleanup_main(void *arg)
{
    struct cleanup *cleanup = arg;
    atomic_int *threads = cleanup->threads;
    lock_take(&cleanup->lock);
    while (!cleanup->closing) {
        const struct leftover *soonest = next_due(cleanup);
        int64_t wait_ms = soonest == NULL ? LOOK_MS : soonest->due_ms - clock_now_ms();
        if (wait_ms > 0) {                               /* the wall clock may be set: it is looked at again */
            lock_wait_until(&cleanup->changed, &cleanup->lock, clock_monotonic_ms() + min_i64(wait_ms, LOOK_MS));
            continue;
        }
        char id[TASK_ID_MAX];
        memcpy(id, soonest->id, sizeof id);
        lock_drop(&cleanup->lock);
        remove_one(cleanup, id);
        lock_take(&cleanup->lock);
    }
    lock_drop(&cleanup->lock);
    ASSERT(atomic_fetch_sub(threads, 1) > 0);
    return NULL;
}

/* ---- the door ---- */

bool cleanup_add(struct cleanup *cleanup, const char *task_id, const struct str_list *containers, struct err *err)
{
    ASSERT(task_id[0] != '\0' && containers->count > 0);
    int64_t due_ms = clock_now_ms() + cleanup->keep_ms;
    if (!write_file(cleanup, task_id, due_ms, containers, err)) { return false; }
    lock_take(&cleanup->lock);
    drop(cleanup, task_id);
    ASSERT(find(cleanup, task_id) == NULL);
    add(cleanup, task_id, due_ms);
    lock_wake_all(&cleanup->changed);
    lock_drop(&cleanup->lock);
    return true;
}

bool cleanup_knows(struct cleanup *cleanup, const char *task_id)
{
    lock_take(&cleanup->lock);
    bool known = find(cleanup, task_id) != NULL;
    lock_drop(&cleanup->lock);
    return known;
}

/* A file that cannot be read stays where it is, for a person to look at. */
static void take_up(struct cleanup *cleanup, const char *name)
{
    char id[TASK_ID_MAX];
    struct str text = str_from(name);
    if (!str_ends_with(text, STR(ENDING)) || !str_to_cstr(str_slice(text, 0, text.len - strlen(ENDING)), id, sizeof id)) { return; }
    struct arena arena = { .ceiling = FILE_ARENA_MAX };
    struct err err = { 0 };
    const struct json *tree = read_file(cleanup, id, &arena, &err);
    if (tree == NULL) {
        log_line(LOG_ERROR, "agent", "what a stopped task left is not known file=%s/%s: %s", cleanup->dir, name, err.message);
    } else {
        lock_take(&cleanup->lock);
        add(cleanup, id, json_get_i64(tree, STR("removeAt"), 0));
        lock_drop(&cleanup->lock);
    }
    arena_finish(&arena);
}

struct cleanup *cleanup_create(struct runtime *runtime, const char *dir, int64_t keep_ms, atomic_int *threads, struct err *err)
{
    DIR *listing = opendir(dir);
    if (listing == NULL) {
        err_set(err, ERR_SERVER, "The folder of tasks cannot be read: %s: %s", dir, strerror(errno));
        return NULL;
    }
    struct cleanup *cleanup = calloc(1, sizeof *cleanup);
    ASSERT(cleanup != NULL);
    cleanup->runtime = runtime;
    cleanup->dir = dir;
    cleanup->keep_ms = keep_ms;
    cleanup->threads = threads;
    lock_init(&cleanup->lock);
    lock_signal_init(&cleanup->changed);
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) { take_up(cleanup, entry->d_name); }
    closedir(listing);
    return cleanup;
}

bool cleanup_begin(struct cleanup *cleanup, struct err *err)
{
    pthread_attr_t attributes;
    pthread_t thread;
    ASSERT(pthread_attr_init(&attributes) == 0);
    ASSERT(pthread_attr_setstacksize(&attributes, THREAD_STACK) == 0);
    ASSERT(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
    atomic_fetch_add(cleanup->threads, 1);
    bool good = pthread_create(&thread, &attributes, cleanup_main, cleanup) == 0;
    if (!good) { ASSERT(atomic_fetch_sub(cleanup->threads, 1) > 0); }
    pthread_attr_destroy(&attributes);
    return good || err_set(err, ERR_SERVER, "A thread cannot be started.");
}

void cleanup_leave(struct cleanup *cleanup)
{
    if (cleanup == NULL) { return; }
    lock_take(&cleanup->lock);
    cleanup->closing = true;
    lock_wake_all(&cleanup->changed);
    lock_drop(&cleanup->lock);
}

void cleanup_destroy(struct cleanup *cleanup)
{
    if (cleanup == NULL) { return; }
    while (cleanup->first != NULL) {
        struct leftover *leftover = cleanup->first;
        cleanup->first = leftover->next;
        free(leftover);
    }
    lock_signal_finish(&cleanup->changed);
    lock_finish(&cleanup->lock);
    free(cleanup);
}
