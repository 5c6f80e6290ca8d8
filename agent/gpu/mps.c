#include "agent/gpu/mps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

enum {
    DAEMONS_MAX = 64, UUID_MAX = GPU_UUID_SIZE, PATH_SIZE = 4096, LOOK_MS = 1000,
    START_MS = 10 * 1000, QUIT_MS = 5 * 1000, NAP_MS = 20,   /* how long the program may take, and how often it is looked at */
    AGAIN_FIRST_MS = 1000, AGAIN_MOST_MS = 30 * 1000,        /* between tries to start one that dies or does not start */
};

static const char program[] = "nvidia-cuda-mps-control";

struct daemon { char uuid[UUID_MAX]; int64_t next_ms, pause_ms; bool told; };    /* next_ms: no start before; told: the log says that it does not start */

struct mps {
    const char *dir;                             /* owned */
    struct gpu_books *books;
    struct lock lock;                            /* guards the daemons; held while one is started or ended */
    struct daemon daemons[DAEMONS_MAX]; size_t count;
    pthread_t thread;
    struct lock wait_lock; struct lock_signal stop;
    bool stopping;                               /* guarded by wait_lock */
};

/* ---- the program ---- */

bool mps_is_here(void)
{
    struct str path = str_from(getenv("PATH")), folder;
    char file[PATH_SIZE];
    for (bool more = path.len > 0; more;) {
        more = str_cut(path, ':', &folder, &path);
        if (snprintf(file, sizeof file, STR_FMT "/%s", STR_ARG(folder), program) < (int)sizeof file && access(file, X_OK) == 0) { return true; }
    }
    return false;
}

static bool ended_in_time(pid_t pid, int64_t until_ms, int *status)
{
    pid_t got = 0;
    while ((got = waitpid(pid, status, WNOHANG)) == 0 && clock_monotonic_ms() < until_ms) { clock_sleep_ms(NAP_MS); }
    if (got == 0) {
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, status, 0);
    }
    return got == pid;
}

static bool failed(struct err *err, const char *what) { return err_set(err, ERR_SERVER, "MPS: %s: %s", what, strerror(errno)); }

/* Runs the program with this argument, or with a command at its standard input, for the GPU's daemon. */
static bool run(const struct mps *mps, const char *uuid, const char *argument, const char *command, int64_t patience_ms, struct err *err)
{
    char pipe_dir[PATH_SIZE], log_dir[PATH_SIZE], visible[UUID_MAX + 32];
    const char *path = getenv("PATH"), *home = getenv("HOME"), *arguments[] = { program, argument, NULL };
    char path_word[PATH_SIZE], home_word[PATH_SIZE];
    int ends[2], status = 0;
    (void)snprintf(pipe_dir, sizeof pipe_dir, "CUDA_MPS_PIPE_DIRECTORY=%s/%s/pipe", mps->dir, uuid);
    (void)snprintf(log_dir, sizeof log_dir, "CUDA_MPS_LOG_DIRECTORY=%s/%s/log", mps->dir, uuid);
    (void)snprintf(visible, sizeof visible, "CUDA_VISIBLE_DEVICES=%s", uuid);
    (void)snprintf(path_word, sizeof path_word, "PATH=%s", path == NULL ? "/usr/bin:/bin" : path);
    (void)snprintf(home_word, sizeof home_word, "HOME=%s", home == NULL ? "/" : home);
    char *environment[] = { pipe_dir, log_dir, visible, path_word, home_word, NULL };
    if (pipe2(ends, O_CLOEXEC) != 0) { return failed(err, "no pipe"); }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    pid_t pid = -1;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);                  /* which this process ignores, as it holds back others */
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setsigdefault(&attributes, &usual);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    (void)posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    (void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int code = posix_spawnp(&pid, program, &actions, &attributes, (char *const *)(void *)arguments, environment);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    close(ends[0]);
    ssize_t wrote = code == 0 && command != NULL ? write(ends[1], command, strlen(command)) : 0;
    close(ends[1]);
    if (code != 0) {
        errno = code;
        return failed(err, program);
    }
    bool good = ended_in_time(pid, clock_monotonic_ms() + patience_ms, &status) && wrote >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return good || err_set(err, ERR_SERVER, "MPS: %s does not do its work for %s; its log is in %s/%s/log", program, uuid, mps->dir, uuid);
}

/* ---- one daemon ---- */

/* One that has ended and that nobody has asked about is still in the table of processes. */
static bool lives(pid_t pid)
{
    char path[64], text[256] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) { return false; }
    ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    const char *name_end = size > 0 ? strrchr(text, ')') : NULL;
    return name_end != NULL && name_end[1] == ' ' && name_end[2] != 'Z' && name_end[2] != 'X';
}

/* 0: there is none. */
static pid_t pid_of(const struct mps *mps, const char *uuid)
{
    char path[PATH_SIZE], text[32] = "";
    int64_t pid = 0;
    (void)snprintf(path, sizeof path, "%s/%s/pipe/%s.pid", mps->dir, uuid, program);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) { return 0; }
    ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    bool good = size > 0 && str_to_i64(str_trim((struct str){ text, (size_t)size }), &pid) && pid > 1 && pid <= INT32_MAX;
    return good && lives((pid_t)pid) ? (pid_t)pid : 0;
}

static bool make_folders(const struct mps *mps, const char *uuid, struct err *err)
{
    static const char *const below[] = { "", "/pipe", "/log" };
    char path[PATH_SIZE];
    for (size_t b = 0; b < sizeof below / sizeof *below; b++) {
        (void)snprintf(path, sizeof path, "%s/%s%s", mps->dir, uuid, below[b]);
        if (mkdir(path, 0755) != 0 && errno != EEXIST) { return failed(err, path); }
    }
    return true;
}

/* The daemon's lock is held. */
static bool start(struct mps *mps, struct daemon *daemon, struct err *err)
{
    int64_t now_ms = clock_monotonic_ms();
    if (now_ms < daemon->next_ms) {
        return err_set(err, ERR_SERVER, "MPS: the daemon of %s does not start; the next try is in %lld s", daemon->uuid,
                       (long long)((daemon->next_ms - now_ms) / 1000 + 1));
    }
    bool good = make_folders(mps, daemon->uuid, err) && run(mps, daemon->uuid, "-d", NULL, START_MS, err);
    for (int64_t until_ms = now_ms + START_MS; good && pid_of(mps, daemon->uuid) == 0 && clock_monotonic_ms() < until_ms;) { clock_sleep_ms(NAP_MS); }
    if (good && pid_of(mps, daemon->uuid) == 0) { good = err_set(err, ERR_SERVER, "MPS: the daemon of %s has ended at once", daemon->uuid); }
    daemon->pause_ms = daemon->pause_ms == 0 ? AGAIN_FIRST_MS : daemon->pause_ms * 2 < AGAIN_MOST_MS ? daemon->pause_ms * 2 : AGAIN_MOST_MS;
    daemon->next_ms = clock_monotonic_ms() + daemon->pause_ms;       /* also one that has started: it may die soon */
    if (good) {
        log_line(LOG_INFO, "agent", "MPS holds the shares of gpu=%s", daemon->uuid);
    } else if (!daemon->told) {
        log_line(LOG_WARN, "agent", "%s", err->message);
    }
    daemon->told = !good;
    return good;
}

static void quit(const struct mps *mps, const char *uuid)
{
    struct err err = { 0 };
    pid_t pid = pid_of(mps, uuid);
    if (pid == 0) { return; }
    bool good = run(mps, uuid, NULL, "quit\n", QUIT_MS, &err);
    for (int64_t until_ms = clock_monotonic_ms() + QUIT_MS; good && pid_of(mps, uuid) != 0 && clock_monotonic_ms() < until_ms;) { clock_sleep_ms(NAP_MS); }
    if (pid_of(mps, uuid) == pid) { (void)kill(pid, SIGKILL); }
    log_line(LOG_INFO, "agent", "gpu=%s is not shared any more: its MPS has ended", uuid);
}

/* NULL: there are too many. */
static struct daemon *daemon_of(struct mps *mps, struct str uuid)
{
    for (size_t d = 0; d < mps->count; d++) {
        if (str_eq(str_from(mps->daemons[d].uuid), uuid)) { return &mps->daemons[d]; }
    }
    bool plain = uuid.len > 0 && uuid.len < UUID_MAX && str_find(uuid, '/') == uuid.len && uuid.ptr[0] != '.';
    if (!plain || mps->count == DAEMONS_MAX) { return NULL; }
    struct daemon *daemon = &mps->daemons[mps->count++];
    *daemon = (struct daemon){ .next_ms = 0 };
    memcpy(daemon->uuid, uuid.ptr, uuid.len);
    return daemon;
}

bool mps_ready(struct mps *mps, struct str uuid, const char **pipe, struct arena *arena, struct err *err)
{
    lock_take(&mps->lock);
    struct daemon *daemon = daemon_of(mps, uuid);
    bool good = daemon == NULL ? err_set(err, ERR_SERVER, "MPS: no daemon for this GPU") : pid_of(mps, daemon->uuid) != 0 || start(mps, daemon, err);
    if (good) { *pipe = arena_printf(arena, "%s/%s/pipe", mps->dir, daemon->uuid).ptr; }
    lock_drop(&mps->lock);
    return good;
}

/* ---- the thread ---- */

static bool is_among(const char *uuid, char (*shared)[GPU_UUID_SIZE], size_t count)
{
    size_t s = 0;
    while (s < count && strcmp(shared[s], uuid) != 0) { s++; }
    return s < count;
}

/* A daemon that has run for long enough is tried again soon when it dies. */
static void look_at(struct mps *mps, struct daemon *daemon)
{
    struct err err = { 0 };
    bool lives = pid_of(mps, daemon->uuid) != 0;
    int64_t now_ms = clock_monotonic_ms();
    if (lives && now_ms > daemon->next_ms + AGAIN_MOST_MS) { daemon->pause_ms = 0; }
    if (lives || now_ms < daemon->next_ms) { return; }
    if (!daemon->told) { log_line(LOG_WARN, "agent", "the MPS of gpu=%s has died: it is started again", daemon->uuid); }
    (void)start(mps, daemon, &err);
}

static void look(struct mps *mps)
{
    char shared[DAEMONS_MAX][GPU_UUID_SIZE];
    lock_take(&mps->lock);
    size_t count = gpu_books_shared(mps->books, shared, DAEMONS_MAX);
    for (size_t s = 0; s < count; s++) { (void)daemon_of(mps, str_from(shared[s])); }        /* also those that an agent before has started */
    for (size_t d = 0; d < mps->count;) {
        if (is_among(mps->daemons[d].uuid, shared, count)) {
            look_at(mps, &mps->daemons[d++]);
            continue;
        }
        quit(mps, mps->daemons[d].uuid);
        mps->daemons[d] = mps->daemons[--mps->count];
    }
    lock_drop(&mps->lock);
}

static void *mps_thread(void *context)
{
    struct mps *mps = context;
    for (bool going = true; going;) {
        lock_take(&mps->wait_lock);
        bool in_time = true;
        int64_t until_ms = clock_monotonic_ms() + LOOK_MS;
        while (!mps->stopping && in_time) { in_time = lock_wait_until(&mps->stop, &mps->wait_lock, until_ms); }
        going = !mps->stopping;
        lock_drop(&mps->wait_lock);
        if (going) { look(mps); }
    }
    return NULL;
}

static void free_mps(struct mps *mps)
{
    lock_signal_finish(&mps->stop);
    lock_finish(&mps->wait_lock);
    lock_finish(&mps->lock);
    free((void *)(uintptr_t)mps->dir);
    free(mps);
}

struct mps *mps_create(const char *dir, struct gpu_books *books, struct err *err)
{
    if (mkdir(dir, 0755) != 0 && errno != EEXIST) {
        (void)failed(err, dir);
        return NULL;
    }
    struct mps *mps = calloc(1, sizeof *mps);
    ASSERT(mps != NULL);
    mps->dir = realpath(dir, NULL);              /* clients may have another working folder */
    mps->books = books;
    lock_init(&mps->lock);
    lock_init(&mps->wait_lock);
    lock_signal_init(&mps->stop);
    if (mps->dir != NULL && pthread_create(&mps->thread, NULL, mps_thread, mps) == 0) { return mps; }
    (void)err_set(err, ERR_SERVER, "There is no thread for MPS.");
    free_mps(mps);
    return NULL;
}

void mps_destroy(struct mps *mps)
{
    if (mps == NULL) { return; }
    lock_take(&mps->wait_lock);
    mps->stopping = true;
    lock_wake_all(&mps->stop);
    lock_drop(&mps->wait_lock);
    ASSERT(pthread_join(mps->thread, NULL) == 0);
    free_mps(mps);
}
