/* process.h: the files through which the process runtime and its shims know of each other. For this wing only.
 *
 * DIR/<id>/spec.json   the command                     written before all others
 *          lock        held by the shim while it lives
 *          pid         shim and command, with their start times   written when the command runs
 *          output.log  both streams
 *          health      what its health check says          written when that changes
 *          exit        how it ended                    written when no process of it is left
 *          work/       where it runs, unless the definition has a directory */
#ifndef BERTH_AGENT_PROCESS_PROCESS_H
#define BERTH_AGENT_PROCESS_PROCESS_H

#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"
#include "agent/core/runtime.h"
#include "base/json.h"

enum { PROCESS_PATH_MAX = 4096, PROCESS_ARENA_MAX = 16 * 1024 * 1024, PROCESS_BOOT_MAX = 64 };

/* Signals to a shim: end the command politely; end it now. */
#define PROCESS_SIGNAL_STOP SIGTERM
#define PROCESS_SIGNAL_KILL SIGUSR1

/* A process by number and start time, so that a number that was given out again is not taken for it. */
struct process_name { pid_t pid; int64_t start; };
struct process_pids { struct process_name shim, command; int64_t started_ms; char boot[PROCESS_BOOT_MAX]; };
struct process_exit { int64_t code, finished_ms; };

/* process/checks.c: the health check of a command, in its shim */
struct process_check {
    char **argv;                                         /* NULL: there is none */
    int64_t interval_ms, timeout_ms, start_period_ms, retries;
    int64_t begun_ms, due_ms;                            /* due: the next check begins, or the present one has taken too long */
    pid_t pid;                                           /* of the present one; 0: none */
    bool late;                                           /* … it was killed */
    int64_t failures;                                    /* bad ones in a row */
    enum health_status health;                           /* UNSET: not known yet */
};
/* From "Healthcheck" of Docker's Config; words are in the arena. */
struct process_check process_check_of(const struct json *given, struct arena *arena);
void process_check_begin(struct process_check *check, int64_t now_ms);                                /* times are monotonic */
int64_t process_check_wait_ms(const struct process_check *check, int64_t now_ms);                     /* until there is something to do; -1: never */
void process_check_turn(struct process_check *check, char **envp, const char *cwd, int64_t now_ms);   /* begins or ends a check when it is due */
void process_check_ended(struct process_check *check, const char *dir, pid_t pid, int status, int64_t now_ms);       /* any child has ended */
enum health_status process_read_health(const char *dir, struct arena *arena);                         /* UNSET: nothing is known */

/* process/exec.c */
bool process_exec_start(const char *dir, const struct exec_command *command, struct exec_channel *channel, struct err *err);
void process_exec_resize(const struct exec_channel *channel, int64_t rows, int64_t cols);
struct opt_int process_exec_end(const struct exec_channel *channel, bool unwanted);

/* process/lost.c */
void process_put_found(struct json_out *out, const struct container_found *found);         /* members of an object */
void process_read_found(const struct json *tree, struct container_found *found, struct arena *arena);     /* without the id */
char *process_shim_word(const char *dir, struct arena *arena);      /* identifies a shim of the folder without that folder */
char **process_shim_environment(char **environment, struct arena *arena);                 /* without the agent's settings and keys */
/* Gives a new folder in `dir` to shims that have lost theirs; the runtime's list then shows them. Failures are logged. */
void process_adopt_lost(const char *dir);

/* process/usage.c: as runtime_ops.usage has it; `dirs` are the containers' folders. Processes that were begun from outside, as by a command of
 * ECS Exec, are not counted. */
void process_read_uses(const char (*dirs)[PROCESS_PATH_MAX], struct container_usage *uses, size_t count);

bool process_path(const char *dir, const char *file, char path[PROCESS_PATH_MAX]);     /* false: too long */
int64_t process_start_time(pid_t pid);                                /* in clock ticks since boot; -1: no such process */
void process_boot(char boot[PROCESS_BOOT_MAX]);                       /* a word that only this boot has */
bool process_write_pids(const char *dir, const struct process_pids *pids, struct err *err);
bool process_read_pids(const char *dir, struct process_pids *pids);   /* false: not written */
const struct json *process_read_spec(const char *dir, struct arena *arena);    /* NULL: no spec */
bool process_write_exit(const char *dir, const struct process_exit *exit, struct err *err);
bool process_read_exit(const char *dir, struct process_exit *exit);
bool process_is_alive(const struct process_name *name);

#endif
