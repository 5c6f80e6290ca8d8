/* shim.c: the process that watches one command of the process runtime: the agent's own program, started again. It lives apart from the agent,
 * so that the command outlives it, and writes down how the command ended.
 *
 * It leaves the agent's session, so that a Ctrl-C there ends the agent alone, and is no child of the agent for long. Processes that the
 * command leaves behind become the shim's own children (it is their reaper) and are ended with the command, as a container's processes are.
 * When the shim itself is killed, the kernel kills the command.
 *
 * It knows nothing that its command does not: the agent's key is neither in its memory nor in its environment. So others may look at it, as
 * the agent does for the I/O figures of the command's processes. */
#include "agent/process/process.h"
#include "agent/process/values.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/core/runtime.h"
#include "agent/core/state_file.h"
#include "base/clock.h"

enum { REST_ROUNDS = 500, REST_PAUSE_MS = 10, CANNOT_EXEC = 127, SIGNALED = 128 };

/* ---- reports to the agent, which reads our standard output ---- */

static void say(const char *text)
{
    while (write(STDOUT_FILENO, text, strlen(text)) < 0 && errno == EINTR) { }     /* an agent that has gone reads nothing */
}

static int fail(const char *text)
{
    say(text);
    return 1;
}

static void leave_streams(void)
{
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere < 0) { return; }
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) { dup2(nowhere, fd); }
    if (nowhere > STDERR_FILENO) { close(nowhere); }
}

/* ---- the spec ---- */

struct command { char **argv, **envp; const char *cwd; struct process_check check; };

static char **words_of(const struct json *list, struct arena *arena)
{
    size_t count = list != NULL && list->type == JSON_ARRAY ? list->count : 0;
    char **words = ARENA_NEW(arena, char *, count + 1);
    for (size_t w = 0; w < count; w++) {
        struct str word = list->as.items[w].type == JSON_STRING ? list->as.items[w].as.string : STR("");
        words[w] = arena_copy(arena, arena_cstr(arena, word), word.len + 1);
    }
    return words;
}

static bool read_command(const char *dir, struct command *command, struct arena *arena)
{
    char path[PROCESS_PATH_MAX];
    struct str text = { 0 };
    struct err err = { 0 };
    if (!process_path(dir, "spec.json", path) || !state_file_read(path, &text, arena, &err) || !str_is_set(text)) { return false; }
    const struct json *tree = json_parse(text, arena, &err);
    if (tree == NULL) { return false; }
    *command = (struct command){
        .argv = words_of(json_get(tree, STR("argv")), arena), .envp = words_of(json_get(tree, STR("env")), arena),
        .cwd = arena_cstr(arena, json_get_str(tree, STR("cwd"))), .check = process_check_of(json_get(tree, STR("check")), arena),
    };
    return command->argv[0] != NULL;
}

/* ---- the command ---- */

static void open_as(const char *path, int flags, int fd)
{
    int opened = open(path, flags, 0600);
    if (opened < 0 || opened == fd) { return; }
    dup2(opened, fd);
    close(opened);
}

/* Never returns. `failed` is closed by a successful exec; otherwise errno goes through it, or its negative when the working
 * directory is to blame. */
_Noreturn static void become(const char *dir, const struct command *command, int failed)
{
    char output[PROCESS_PATH_MAX];
    sigset_t none;
    sigemptyset(&none);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (process_path(dir, "output.log", output)) {
        open_as("/dev/null", O_RDONLY, STDIN_FILENO);
        open_as(output, O_WRONLY | O_CREAT | O_APPEND, STDOUT_FILENO);
        dup2(STDOUT_FILENO, STDERR_FILENO);
    }
    int why = 0;
    if (chdir(command->cwd) != 0) { why = -errno; }
    if (why == 0) {
        environ = command->envp;                                           /* the PATH that counts is the container's */
        execvp(command->argv[0], command->argv);
        why = errno;
    }
    while (write(failed, &why, sizeof why) < 0 && errno == EINTR) { }
    _exit(CANNOT_EXEC);
}

static pid_t run_command(const char *dir, const struct command *command, char *text, size_t size)
{
    int failed[2];
    if (pipe2(failed, O_CLOEXEC) != 0) {
        (void)snprintf(text, size, "a pipe cannot be made: %s", strerror(errno));
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) { become(dir, command, failed[1]); }
    close(failed[1]);
    int why = pid < 0 ? errno : 0;
    ssize_t got = pid < 0 ? 0 : read(failed[0], &why, sizeof why);
    close(failed[0]);
    if (pid > 0 && got == 0) { return pid; }
    if (pid > 0) { waitpid(pid, NULL, 0); }
    (void)snprintf(text, size, "%s: %s", why < 0 ? command->cwd : command->argv[0], strerror(why < 0 ? -why : why));
    return -1;
}

/* ---- watching it ---- */

/* Kills the direct children, again and again: their own children become ours, until no child is left. */
static void kill_children(void)
{
    char path[64], list[4096];
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    if (file == NULL) { return; }
    size_t len = fread(list, 1, sizeof list - 1, file);
    fclose(file);
    struct str word, rest = { list, len };
    while (rest.len > 0) {
        int64_t pid;
        str_cut(rest, ' ', &word, &rest);
        if (str_to_i64(word, &pid) && pid > 1) { kill((pid_t)pid, SIGKILL); }
    }
}

static void end_rest(pid_t command)
{
    for (int round = 0; round < REST_ROUNDS; round++) {
        kill(-command, SIGKILL);
        kill_children();
        pid_t reaped;
        do {
            reaped = waitpid(-1, NULL, WNOHANG);
        } while (reaped > 0);
        if (reaped < 0 && errno == ECHILD) { return; }
        clock_sleep_ms(REST_PAUSE_MS);
    }
}

/* A command with its health check, and its folder. */
struct watch { const char *dir; struct command *command; pid_t pid; };

/* True: the command has ended, *status says how. Reaps all other processes that have ended. */
static bool reap(const struct watch *watch, int *status)
{
    int ended;
    bool found = false;
    for (pid_t pid = waitpid(-1, &ended, WNOHANG); pid > 0; pid = waitpid(-1, &ended, WNOHANG)) {
        process_check_ended(&watch->command->check, watch->dir, pid, ended, clock_monotonic_ms());
        if (pid == watch->pid) {
            *status = ended;
            found = true;
        }
    }
    return found;
}

/* The next signal; 0: the health check has something to do. */
static int wait_for_signal(const struct process_check *check, const sigset_t *signals)
{
    int64_t wait_ms = process_check_wait_ms(check, clock_monotonic_ms());
    const struct timespec wait = { .tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000 };
    int number = wait_ms < 0 ? sigwaitinfo(signals, NULL) : sigtimedwait(signals, NULL, &wait);
    return number > 0 ? number : 0;
}

static int stand_over(const struct watch *watch, const sigset_t *signals)
{
    struct command *command = watch->command;
    int status = 0;
    process_check_begin(&command->check, clock_monotonic_ms());
    while (!reap(watch, &status)) {
        process_check_turn(&command->check, command->envp, command->cwd, clock_monotonic_ms());
        int number = wait_for_signal(&command->check, signals);
        if (number == PROCESS_SIGNAL_STOP) { kill(-watch->pid, SIGTERM); }
        if (number == PROCESS_SIGNAL_KILL) { kill(-watch->pid, SIGKILL); }
    }
    return WIFSIGNALED(status) ? SIGNALED + WTERMSIG(status) : WEXITSTATUS(status);
}

/* One shim per command, and one command per folder, however often start is called. */
static bool is_first(const char *dir)
{
    char path[PROCESS_PATH_MAX];
    if (!process_path(dir, "lock", path)) { return false; }
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);            /* stays open while we live */
    struct process_pids pids;
    return lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 && !process_read_pids(dir, &pids);
}

static int shim(const char *dir, struct arena *arena)
{
    struct command command;
    char text[512], trouble[768];
    if (!is_first(dir)) { return fail("ok\n"); }
    if (!read_command(dir, &command, arena)) { return fail("its spec.json cannot be read\n"); }
    command.envp = process_values_read(STDIN_FILENO, command.envp, arena);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, PROCESS_SIGNAL_STOP);
    sigaddset(&signals, PROCESS_SIGNAL_KILL);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1);

    pid_t pid = run_command(dir, &command, text, sizeof text);
    if (pid < 0) {
        (void)snprintf(trouble, sizeof trouble, "%s\n", text);
        return fail(trouble);
    }
    struct process_pids pids = {
        .shim = { getpid(), process_start_time(getpid()) }, .command = { pid, process_start_time(pid) }, .started_ms = clock_now_ms(),
    };
    process_boot(pids.boot);
    struct err err = { 0 };
    if (!process_write_pids(dir, &pids, &err)) {
        end_rest(pid);
        return fail("its files cannot be written\n");
    }
    say("ok\n");
    leave_streams();
    const struct watch watch = { dir, &command, pid };
    struct process_exit ended = { .code = stand_over(&watch, &signals) };
    end_rest(pid);
    ended.finished_ms = clock_now_ms();
    /* A full disk: somebody will make room. A folder that is gone: nobody needs the exit code any more. */
    while (access(dir, F_OK) == 0 && !process_write_exit(dir, &ended, &err)) {
        err = (struct err){ 0 };
        clock_sleep_ms(1000);
    }
    return 0;
}

int runtime_process_shim(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "This is not for people: the agent starts it.\n");
        return 2;
    }
    close_range(STDERR_FILENO + 1, ~0U, 0);
    pid_t apart = fork();
    if (apart != 0) { return apart < 0 ? fail("a process cannot be started\n") : 0; }
    struct arena arena = { .ceiling = PROCESS_ARENA_MAX };
    int result = shim(argv[2], &arena);
    arena_finish(&arena);
    return result;
}
