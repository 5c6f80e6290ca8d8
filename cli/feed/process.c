#include "cli/feed/process.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"

enum { PAUSE_MS = 500, PAUSE_MAX_MS = 30 * 1000, STEADY_MS = 60 * 1000, CHECK_MS = 10 * 1000, STEP_MS = 20, ASK_MS = 1000, WORDS_MAX = 4096 };

/* In the child: it gets all signals again, and SIGTERM when its parent ends. Does not return. */
static void become(char *const argv[], int output)
{
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (output >= 0 && (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)) { _exit(126); }
    execvp(argv[0], argv);
    _exit(127);
}

static pid_t start(char *const argv[], int output)
{
    pid_t pid = fork();
    if (pid == 0) { become(argv, output); }
    return pid;
}

/* Waits until the child has ended. False: the time is over, and it runs. */
static bool wait_for(pid_t pid, int64_t patience_ms, int *status)
{
    int64_t end_ms = clock_monotonic_ms() + patience_ms;
    while (waitpid(pid, status, WNOHANG) == 0) {
        if (clock_monotonic_ms() >= end_ms) { return false; }
        clock_sleep_ms(STEP_MS);
    }
    return true;
}

static void kill_now(pid_t pid)
{
    int status;
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, &status, 0);
}

bool process_run(char *const argv[], int64_t patience_ms, struct arena *arena, struct err *err)
{
    char *words = ARENA_NEW(arena, char, WORDS_MAX + 1);
    FILE *output = tmpfile();
    int status = 0;
    if (output == NULL) { return err_set(err, ERR_SERVER, "a file can't be made: %s.", strerror(errno)); }
    pid_t pid = start(argv, fileno(output));
    bool ended = pid > 0 && wait_for(pid, patience_ms, &status);
    if (pid > 0 && !ended) { kill_now(pid); }
    rewind(output);
    size_t len = fread(words, 1, WORDS_MAX, output);
    fclose(output);
    if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 0) { return true; }
    if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 127) { return err_set(err, ERR_SERVER, "there is no program %s.", argv[0]); }
    struct str why = str_shorten(str_trim((struct str){ words, len }), 400);
    return err_set(err, ERR_SERVER, "%s %s: " STR_FMT, argv[0], ended ? "fails" : "does not end", STR_ARG(why));
}

bool process_check(const struct proxy_process *process, const char *configuration, struct arena *arena, struct err *err)
{
    char *const argv[] = { (char *)(uintptr_t)process->program, (char[]){ "-c" }, (char[]){ "-q" }, (char[]){ "-f" }, (char *)(uintptr_t)configuration, NULL };
    struct err why = { 0 };
    return process_run(argv, CHECK_MS, arena, &why) || err_set(err, ERR_SERVER, "the configuration %s is refused: %s", configuration, why.message);
}

bool process_runs(struct proxy_process *process)
{
    int status;
    int64_t now_ms = clock_monotonic_ms();
    if (process->pid == 0 || waitpid(process->pid, &status, WNOHANG) == 0) { return process->pid > 0; }
    process->pid = 0;
    process->pause_ms = now_ms - process->started_ms >= STEADY_MS ? PAUSE_MS : min_i64(max_i64(2 * process->pause_ms, PAUSE_MS), PAUSE_MAX_MS);
    process->next_ms = now_ms + process->pause_ms;
    log_line(LOG_ERROR, "ingress", "HAProxy has ended, and is started again in %lld ms", (long long)process->pause_ms);
    return false;
}

bool process_may_start(const struct proxy_process *process) { return process->pid == 0 && clock_monotonic_ms() >= process->next_ms; }

bool process_start(struct proxy_process *process, struct err *err)
{
    char *const argv[] = { (char *)(uintptr_t)process->program, (char[]){ "-W" }, (char[]){ "-db" }, (char[]){ "-S" }, (char *)(uintptr_t)process->socket,
                           (char[]){ "-f" }, (char *)(uintptr_t)process->configuration, NULL };
    ASSERT(process->pid == 0);
    process->pid = start(argv, -1);
    process->started_ms = clock_monotonic_ms();
    if (process->pid > 0) { return true; }
    process->pid = 0;
    return err_set(err, ERR_SERVER, "HAProxy can't be started: %s.", strerror(errno));
}

void process_reload(const struct proxy_process *process)
{
    if (process->pid > 0) { (void)kill(process->pid, SIGUSR2); }
}

void process_end(struct proxy_process *process, int64_t patience_ms)
{
    int status;
    if (process->pid == 0) { return; }
    int64_t end_ms = clock_monotonic_ms() + patience_ms;
    bool ended;
    do {
        (void)kill(process->pid, SIGUSR1);                       /* again and again: a master that reloads does not hear it */
        ended = wait_for(process->pid, ASK_MS, &status);
    } while (!ended && clock_monotonic_ms() < end_ms);
    if (!ended) { kill_now(process->pid); }
    process->pid = 0;
}
