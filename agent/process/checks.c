/* checks.c: the health check of a command, as its shim runs it: one process after another in the command's environment and folder, by Docker's rules.
 * The first begins an interval after the start, each next one an interval after the end of the one before. A check that ends well makes the command
 * healthy; as many bad ones in a row as `retries` make it unhealthy, without those of the start period before it was healthy for the first time. A check that
 * takes longer than its timeout is killed, and is a bad one. */
#include "agent/process/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/core/state_file.h"
#include "base/clock.h"
#include "base/num.h"

enum { NANOSECONDS_OF_MS = 1000000, USUAL_MS = 30 * 1000, USUAL_RETRIES = 3, CANNOT_EXEC = 127 };
static const struct str shell_kind = STR_INIT("CMD-SHELL"), exec_kind = STR_INIT("CMD");

static int64_t ms_of(const struct json *given, struct str name, int64_t usual_ms)
{
    int64_t ms = json_get_i64(given, name, 0) / NANOSECONDS_OF_MS;
    return ms > 0 ? ms : usual_ms;
}

struct process_check process_check_of(const struct json *given, struct arena *arena)
{
    const struct json *test = json_get(given, STR("Test"));
    struct process_check check = { 0 };
    if (test == NULL || test->type != JSON_ARRAY || test->count < 2 || test->as.items[0].type != JSON_STRING) { return check; }
    bool shell = str_eq(test->as.items[0].as.string, shell_kind);
    if (!shell && !str_eq(test->as.items[0].as.string, exec_kind)) { return check; }
    char **words = ARENA_NEW(arena, char *, test->count + 3);
    size_t count = 0;
    if (shell) {
        words[count++] = arena_copy(arena, "/bin/sh", sizeof "/bin/sh");
        words[count++] = arena_copy(arena, "-c", sizeof "-c");
    }
    for (size_t w = 1; w < test->count; w++) {
        struct str word = test->as.items[w].type == JSON_STRING ? test->as.items[w].as.string : STR("");
        words[count++] = arena_copy(arena, arena_cstr(arena, word), word.len + 1);
    }
    int64_t retries = json_get_i64(given, STR("Retries"), 0);
    return (struct process_check){
        .argv = words, .interval_ms = ms_of(given, STR("Interval"), USUAL_MS), .timeout_ms = ms_of(given, STR("Timeout"), USUAL_MS),
        .start_period_ms = ms_of(given, STR("StartPeriod"), 0), .retries = retries > 0 ? retries : USUAL_RETRIES,
    };
}

void process_check_begin(struct process_check *check, int64_t now_ms)
{
    check->begun_ms = now_ms;
    check->due_ms = now_ms + check->interval_ms;
}

int64_t process_check_wait_ms(const struct process_check *check, int64_t now_ms)
{
    return check->argv == NULL ? -1 : max_i64(0, check->due_ms - now_ms);
}

_Noreturn static void become(const struct process_check *check, char **envp, const char *cwd)
{
    sigset_t none;
    sigemptyset(&none);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (chdir(cwd) == 0) {
        environ = envp;
        execvp(check->argv[0], check->argv);
    }
    _exit(CANNOT_EXEC);
}

void process_check_turn(struct process_check *check, char **envp, const char *cwd, int64_t now_ms)
{
    if (check->argv == NULL || now_ms < check->due_ms) { return; }
    if (check->pid > 0) {
        kill(-check->pid, SIGKILL);
        kill(check->pid, SIGKILL);                                         /* it may not have its own group yet */
        check->late = true;
        check->due_ms = now_ms + check->timeout_ms;                        /* again, should it not end */
        return;
    }
    pid_t pid = fork();
    if (pid == 0) { become(check, envp, cwd); }
    check->pid = pid > 0 ? pid : 0;
    check->late = false;
    check->due_ms = now_ms + (pid > 0 ? check->timeout_ms : check->interval_ms);
}

/* On the disk, where the agent looks. */
static void tell(const char *dir, bool healthy)
{
    char path[PROCESS_PATH_MAX];
    struct err err = { 0 };
    if (process_path(dir, "health", path)) { (void)state_file_write(path, healthy ? STR("healthy") : STR("unhealthy"), &err); }
}

void process_check_ended(struct process_check *check, const char *dir, pid_t pid, int status, int64_t now_ms)
{
    if (check->argv == NULL || pid != check->pid) { return; }
    bool good = !check->late && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    bool spared = check->health == HEALTH_STATUS_UNSET && now_ms - check->begun_ms < check->start_period_ms;
    kill(-pid, SIGKILL);                                                   /* the rest of its group */
    check->pid = 0;
    check->due_ms = now_ms + check->interval_ms;
    check->failures = good || spared ? 0 : check->failures + 1;
    enum health_status health = good ? HEALTH_STATUS_HEALTHY : check->failures >= check->retries ? HEALTH_STATUS_UNHEALTHY : check->health;
    if (health != check->health) { tell(dir, health == HEALTH_STATUS_HEALTHY); }
    check->health = health;
}

enum health_status process_read_health(const char *dir, struct arena *arena)
{
    char path[PROCESS_PATH_MAX];
    struct str text = { 0 };
    struct err err = { 0 };
    if (!process_path(dir, "health", path) || !state_file_read(path, &text, arena, &err)) { return HEALTH_STATUS_UNSET; }
    return str_eq(text, STR("healthy")) ? HEALTH_STATUS_HEALTHY : str_eq(text, STR("unhealthy")) ? HEALTH_STATUS_UNHEALTHY : HEALTH_STATUS_UNSET;
}
