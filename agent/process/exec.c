/* exec.c: a command beside a process: a child of the agent with the process's environment and folder, on a terminal or a pair
 * of sockets. It does not outlive the thread that started it. */
#include "agent/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/core/state_file.h"
#include "base/clock.h"

enum { TERMINAL_MAX = 128, KILL_PAUSE_MS = 20, HANGUP_TRIES = 50, SIGNALED = 128, CANNOT_EXEC = 127, ROWS = 24, COLS = 80 };

struct start { char **argv, **envp; const char *cwd; };

static char **words_of(const struct str *items, size_t count, struct arena *arena)
{
    char **words = ARENA_NEW(arena, char *, count + 1);
    for (size_t w = 0; w < count; w++) { words[w] = arena_copy(arena, arena_cstr(arena, items[w]), items[w].len + 1); }
    return words;
}

static bool read_start(const char *dir, const struct exec_command *command, struct start *start, struct arena *arena, struct err *err)
{
    char path[PROCESS_PATH_MAX];
    struct str text = { 0 };
    if (!process_path(dir, "spec.json", path) || !state_file_read(path, &text, arena, err)) { return false; }
    const struct json *tree = str_is_set(text) ? json_parse(text, arena, err) : NULL;
    const struct json *env = json_get(tree, STR("env"));
    if (env == NULL || env->type != JSON_ARRAY) { return err->code != ERR_NONE || err_set(err, ERR_SERVER, "CannotExecError: the process is not there"); }
    struct str *variables = ARENA_NEW(arena, struct str, env->count + 1);
    for (size_t v = 0; v < env->count; v++) { variables[v] = env->as.items[v].type == JSON_STRING ? env->as.items[v].as.string : STR(""); }
    *start = (struct start){
        .argv = words_of(command->words.items, command->words.count, arena), .envp = words_of(variables, env->count, arena),
        .cwd = arena_cstr(arena, json_get_str(tree, STR("cwd"))),
    };
    return true;
}

static void set_size(int fd, int64_t rows, int64_t cols)
{
    struct winsize size = { .ws_row = (unsigned short)(rows > 0 ? rows : ROWS), .ws_col = (unsigned short)(cols > 0 ? cols : COLS) };
    (void)ioctl(fd, TIOCSWINSZ, &size);                   /* a terminal of another size still works */
}

/* The agent's end and the command's. */
static bool open_streams(const struct exec_command *command, int ends[2])
{
    char name[TERMINAL_MAX];
    if (!command->tty) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0; }
    ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (ends[0] < 0) { return false; }
    bool named = grantpt(ends[0]) == 0 && unlockpt(ends[0]) == 0 && ptsname_r(ends[0], name, sizeof name) == 0;
    ends[1] = named ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
    if (ends[1] < 0) {
        close(ends[0]);
        return false;
    }
    set_size(ends[0], command->rows.value, command->cols.value);
    return true;
}

_Noreturn static void end_with(const char *text, size_t len)
{
    while (write(STDERR_FILENO, text, len) < 0 && errno == EINTR) { }
    _exit(CANNOT_EXEC);
}

/* In the child, which has only async-signal-safe calls. */
_Noreturn static void become(const struct start *start, int end, bool tty, pid_t parent)
{
    static const char no_folder[] = "The process's folder cannot be entered.\n", no_command[] = "The command cannot be run.\n";
    sigset_t none;
    sigemptyset(&none);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) { _exit(CANNOT_EXEC); }
    if (tty) { ioctl(end, TIOCSCTTY, 0); }
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) { dup2(end, fd); }
    for (int number = 1; number < NSIG; number++) { signal(number, SIG_DFL); }
    sigprocmask(SIG_SETMASK, &none, NULL);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    if (chdir(start->cwd) != 0) { end_with(no_folder, sizeof no_folder - 1); }
    environ = start->envp;
    execvp(start->argv[0], start->argv);
    end_with(no_command, sizeof no_command - 1);
}

bool process_exec_start(const char *dir, const struct exec_command *command, struct exec_channel *channel, struct err *err)
{
    struct arena arena = { .ceiling = PROCESS_ARENA_MAX };
    struct start start;
    int ends[2];
    *channel = (struct exec_channel){ .fd = -1 };
    bool good = read_start(dir, command, &start, &arena, err)
        && (open_streams(command, ends) || err_set(err, ERR_SERVER, "CannotExecError: no streams: %s", strerror(errno)));
    if (good) {
        pid_t parent = getpid(), pid = fork();
        if (pid == 0) { become(&start, ends[1], command->tty, parent); }
        close(ends[1]);
        channel->fd = ends[0];
        channel->pid = pid;
        good = (pid > 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) || err_set(err, ERR_SERVER, "CannotExecError: %s", strerror(errno));
        if (!good) { exec_channel_close(channel); }
    }
    arena_finish(&arena);
    return good;
}

void process_exec_resize(const struct exec_channel *channel, int64_t rows, int64_t cols) { set_size(channel->fd, rows, cols); }

/* A command that nobody needs gets SIGHUP first. */
struct opt_int process_exec_end(const struct exec_channel *channel, bool unwanted)
{
    int status = 0;
    pid_t ended = 0;
    if (unwanted) { (void)kill(-channel->pid, SIGHUP); }
    for (int tries = 0; unwanted && tries < HANGUP_TRIES && ended == 0; tries++) {
        ended = waitpid(channel->pid, &status, WNOHANG);
        if (ended == 0) { clock_sleep_ms(KILL_PAUSE_MS); }
    }
    if (unwanted && ended == 0) { (void)kill(-channel->pid, SIGKILL); }
    while (ended == 0 || (ended < 0 && errno == EINTR)) { ended = waitpid(channel->pid, &status, 0); }
    if (ended < 0 || unwanted) { return (struct opt_int){ 0 }; }
    return opt_int_of(WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALED + WTERMSIG(status));
}
