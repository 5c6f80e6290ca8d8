#include "server/provision/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"

enum { LOOK_MS = 20, ENDS = 3 };

struct run {
    pid_t pid;
    int ends[ENDS];                          /* this side of its output [1] and error [2]; -1: closed */
    struct buf output, words;
    bool too_large;
};

/* ---- its start ---- */

static void close_end(int *end)
{
    if (*end >= 0) { (void)close(*end); }
    *end = -1;
}

/* The folder of a path; "." when it names none. */
static const char *folder_of(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? "." : slash == path ? "/" : arena_cstr(arena, (struct str){ path, (size_t)(slash - path) });
}

/* Not by fork, which would copy the page tables of a large server. Returns 0 or an errno. */
static int spawn(const struct program *program, const int theirs[ENDS], pid_t *pid, struct arena *arena)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ASSERT(posix_spawn_file_actions_init(&actions) == 0 && posix_spawnattr_init(&attributes) == 0);
    for (int e = 0; e < ENDS; e++) { posix_spawn_file_actions_adddup2(&actions, theirs[e], e); }
    posix_spawn_file_actions_addclosefrom_np(&actions, ENDS);
    posix_spawn_file_actions_addchdir_np(&actions, folder_of(program->words[0], arena));
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    char *const *words = (char *const *)(uintptr_t)program->words, *const *environment = (char *const *)(uintptr_t)program->environment;
    int problem = posix_spawn(pid, words[0], &actions, &attributes, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return problem;
}

/* The input is a file in memory: it is whole when the program starts, and nothing waits for a program that does not read. */
static int make_input(struct str input)
{
    int fd = memfd_create("request", MFD_CLOEXEC);
    bool good = fd >= 0 && file_write_all(fd, input) && lseek(fd, 0, SEEK_SET) == 0;
    if (good) { return fd; }
    close_end(&fd);
    return -1;
}

static bool begin(const struct program *program, struct run *run, struct arena *arena, struct err *err)
{
    int pipes[ENDS][2] = { { make_input(program->input), -1 }, { -1, -1 }, { -1, -1 } }, theirs[ENDS] = { pipes[0][0], -1, -1 };
    int problem = theirs[0] < 0 ? errno : 0;
    run->ends[0] = -1;
    for (int e = 1; e < ENDS; e++) {
        if (problem == 0 && pipe2(pipes[e], O_CLOEXEC) != 0) { problem = errno; }
        run->ends[e] = pipes[e][0];
        theirs[e] = pipes[e][1];
        if (problem == 0 && fcntl(run->ends[e], F_SETFL, O_NONBLOCK) != 0) { problem = errno; }
    }
    if (problem == 0) { problem = spawn(program, theirs, &run->pid, arena); }
    for (int e = 0; e < ENDS; e++) {
        close_end(&theirs[e]);
        if (problem != 0) { close_end(&run->ends[e]); }
    }
    return problem == 0 || err_set(err, ERR_SERVER, "%s can't be run: %s", program->words[0], strerror(problem));
}

/* ---- its streams ---- */

/* Bytes above the limit are read and dropped. */
static void take(struct run *run, int e, struct buf *buf, size_t limit)
{
    char bytes[16 * 1024];
    ssize_t got;
    while ((got = read(run->ends[e], bytes, sizeof bytes)) > 0) {
        bool fits = buf->len + (size_t)got <= limit;
        if (fits) { buf_put(buf, (struct str){ bytes, (size_t)got }); }
        if (!fits && e == 1) { run->too_large = true; }
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) { close_end(&run->ends[e]); }
}

static void move_streams(struct run *run, int patience_ms)
{
    struct pollfd fds[ENDS] = { { -1, 0, 0 }, { run->ends[1], POLLIN, 0 }, { run->ends[2], POLLIN, 0 } };
    if (poll(fds, ENDS, patience_ms) <= 0) { return; }
    if (fds[1].revents != 0 && run->ends[1] >= 0) { take(run, 1, &run->output, PROGRAM_OUTPUT_MAX); }
    if (fds[2].revents != 0 && run->ends[2] >= 0) { take(run, 2, &run->words, PROGRAM_WORDS_MAX); }
}

/* Until it ends or the time has come. A program that it left behind may keep the streams open: they are not waited for. */
static bool watch(struct run *run, int64_t until_ms, const atomic_bool *stopping, int *status)
{
    for (;;) {
        bool is_over = clock_monotonic_ms() >= until_ms || run->too_large || (stopping != NULL && atomic_load(stopping));
        pid_t ended = waitpid(run->pid, status, WNOHANG);
        move_streams(run, ended != 0 || is_over ? 0 : LOOK_MS);
        if (ended != 0 || is_over) { return ended != 0; }
    }
}

/* ---- the run ---- */

static struct str last_line(struct str words)
{
    words = str_trim(words);
    size_t from = words.len;
    while (from > 0 && words.ptr[from - 1] != '\n') { from--; }
    return str_shorten(str_slice(words, from, words.len), 200);
}

bool program_run(const struct program *program, struct arena *arena, struct program_end *end, struct err *err)
{
    struct run run = { .output = buf_in(arena), .words = buf_in(arena) };
    int status = 0;
    *end = (struct program_end){ .exited = false };
    if (!begin(program, &run, arena, err)) { return false; }
    bool ended = watch(&run, clock_monotonic_ms() + program->timeout_ms, program->stopping, &status), in_time = ended;
    bool stopped = atomic_load(program->stopping), large = run.too_large;
    if (!ended) {
        (void)kill(-run.pid, SIGTERM);
        run.too_large = false;                               /* it is watched once more */
        ended = watch(&run, clock_monotonic_ms() + (stopped ? PROGRAM_TERM_MS / 10 : PROGRAM_TERM_MS), NULL, &status);
    }
    if (!ended) {
        (void)kill(-run.pid, SIGKILL);
        while (waitpid(run.pid, &status, 0) < 0 && errno == EINTR) { }
    }
    for (int e = 0; e < ENDS; e++) { close_end(&run.ends[e]); }
    end->exited = in_time && WIFEXITED(status) && !large;
    end->code = WEXITSTATUS(status);
    end->output = buf_str(&run.output);
    end->words = last_line(buf_str(&run.words));
    if (end->exited) { return true; }
    end->why = large     ? STR("its output is larger than 1 MiB")
             : in_time   ? arena_printf(arena, "signal %d ended it", WTERMSIG(status))
             : stopped   ? STR("the server stops")
                         : arena_printf(arena, "it did not end in %lld s", (long long)(program->timeout_ms / 1000));
    return true;
}
