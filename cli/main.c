/* berth: one program, a table of subcommands. */
#include <stdio.h>
#include <string.h>

#include "agent/runtime.h"
#include "base/assert.h"
#include "base/log.h"
#include "cli/cli.h"

extern char **environ;

enum { SETTINGS_ARENA_SIZE = 16 * 1024 * 1024 };

static int print_version(const struct config *config, struct arena *arena, struct err *err)
{
    (void)config;
    (void)arena;
    (void)err;
    printf("berth %s\n", BERTH_VERSION);
    return 0;
}

static const struct {
    const char *name, *usage, *summary, *more;
    int (*run)(const struct config *config, struct arena *arena, struct err *err);
    size_t arguments_max;
} commands[COMMAND_COUNT] = {
    [COMMAND_DEV] = { "dev", "berth dev [settings]", "try it: server and agent in one process on this machine",
        "Starts the control plane and an agent in one process. State, logs and an access key are kept in the data\n"
        "folder, so that stopping and starting again goes on where it was. Where this machine has no GPUs, simulated\n"
        "ones stand in; where Docker does not answer, tasks run as plain processes. Both are said wherever they show.\n",
        cli_dev, 0 },
    [COMMAND_SERVER] = { "server", "berth server [settings]", "the control plane: ECS API, scheduler, store and dashboard",
        "Beyond loopback it refuses to listen until there is an access key: see `berth keys --help`.\n", cli_server, 0 },
    [COMMAND_AGENT] = { "agent", "berth agent --join URL [settings]\n       berth agent notice [--in TIME] [--data DIR]",
        "one per machine: registers it and runs its containers",
        "Requests are signed with the keys of the usual AWS environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or\n"
        "credentials file. The ECS agent's own settings are read too, from the environment and --ecs-config.\n"
        "Stopping the agent leaves its containers running; the next start finds them again.\n"
        "`berth agent notice`, or SIGUSR1, tells the running agent that the machine will be taken away: it drains, and stops\n"
        "its tasks in time.\n", cli_agent, 1 },
    [COMMAND_KEYS] = { "keys", "berth keys create|list|revoke ID|rotate-roles [settings]", "access keys that sign requests",
        "Works on the server's data folder, also while the server runs. rotate-roles ends all temporary keys of tasks' roles.\n", cli_keys, 2 },
    [COMMAND_TLS] = { "tls", "berth tls create --host NAME[,NAME...] [settings]", "a certificate of one's own making, for tls-cert",
        "Makes an authority in the data folder's tls/, the first time, and a certificate for the server from it. Again, before it has\n"
        "expired or for other names: the authority stays, so that clients have nothing to do, and a running server takes it.\n",
        cli_tls, 1 },
    [COMMAND_LOGS] = { "logs", "berth logs TASK [settings]", "what a task has printed",
        "TASK is an id or an ARN. Signed with the keys of the usual AWS environment or credentials file.\n", cli_logs, 1 },
    [COMMAND_EXEC] = { "exec", "berth exec TASK [settings] -- COMMAND", "run a command in a task's container",
        "TASK is an id or an ARN that runs. From a terminal the command gets a terminal. Ends with the command's own status, or\n"
        "255 when that is not known. For admins; signed with the keys of the usual AWS environment or credentials file.\n", cli_exec, 1 },
    [COMMAND_HISTORY] = { "history", "berth history [TASK] [settings]", "tasks that have stopped, or one of them and why",
        "TASK is an id or an ARN: its timeline, exit codes, GPUs and the end of its log. Without one: a table, the last to\n"
        "stop first. Signed with the keys of the usual AWS environment or credentials file.\n", cli_history, 1 },
    [COMMAND_WHATIF] = { "whatif", "berth whatif --task-definition FAMILY [--count N] [settings]", "what run-task would do now, without doing it",
        "Where each task would go, with its GPUs, and why the others would not start. The settings are those of\n"
        "`aws ecs run-task`; --cli-input-json takes the same file. Ends with status 0 when all tasks would start, 3 when not all.\n"
        "Signed with the keys of the usual AWS environment or credentials file.\n", cli_what_if, 0 },
    [COMMAND_WHY] = { "why", "berth why TASK | last | --task-definition FAMILY [settings]", "why a task is where it is, or why it would not start",
        "TASK is an id or an ARN: its place, how it was chosen, and why it waits or has stopped. With --task-definition: what\n"
        "stands in the way of a new task, on which machines, and which tasks hold what it needs. The word last: the same of the last\n"
        "run-task when not all of its tasks could start; when they could, it is the task that was made last.\n"
        "Signed with the keys of the usual AWS environment or credentials file.\n", cli_why, 1 },
    [COMMAND_HEADROOM] = { "headroom", "berth headroom [settings]", "how many more GPU tasks fit now",
        "Tasks of 1, 2, 4 and 8 whole GPUs, if all were of that size; free GPUs, CPU units and MiB of memory.\n"
        "Signed with the keys of the usual AWS environment or credentials file.\n", cli_headroom, 0 },
    [COMMAND_GPU] = { "gpu", "berth gpu [list | quarantine UUID | restore UUID] [settings]", "GPUs that are out of the pool, and taking one out or back",
        "A GPU in quarantine gets no new task; what runs on it goes on. Agents take GPUs out that fail, and give them back when\n"
        "they are well again; restore gives one back that the agent still doubts, until it finds something new.\n"
        "Signed with the keys of the usual AWS environment or credentials file.\n", cli_gpu, 2 },
    [COMMAND_TOP] = { "top", "berth top [settings]", "what machines use of their GPUs",
        "Per machine: GPUs held, tasks, how busy its GPUs are on average, their memory, the hottest, their power. On a terminal as\n"
        "many as fit, drawn anew every two seconds; arrows, Page Up and Down, Home and End scroll, q ends.\n"
        "Signed with the keys of the usual AWS environment or credentials file.\n", cli_top, 0 },
    [COMMAND_DOCTOR] = { "doctor", "berth doctor [--join URL] [settings] | --data DIR", "is this machine, or this server's folder, in order?",
        "One line per finding, with what mends it: Docker, disk, the NVIDIA driver from the PCI bus up to containers, the server's\n"
        "answer, clock and key. With --data: a server's folder and store instead. Ends with status 1 when something fails.\n", cli_doctor, 0 },
    [COMMAND_VERSION] = { "version", "berth version", "the version of this program", "", print_version, 0 },
};

static void print_overview(FILE *out)
{
    fprintf(out, "Berth: a control plane for your own GPU machines that speaks the Amazon ECS API.\n\nUsage: berth COMMAND [settings]\n\n");
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        fprintf(out, "  %-8s %s\n", commands[c].name, commands[c].summary);
    }
    fprintf(out, "\n`berth COMMAND --help` tells more. Every setting --some-name can also be given as BERTH_SOME_NAME in the\n"
                 "environment or as `some-name = value` in a file named by --config.\n");
}

static void print_help(enum command command)
{
    printf("Usage: %s\n\n%s\nSettings:\n", commands[command].usage, commands[command].more);
    config_print_settings(command, stdout);
    printf("\nThe environment (BERTH_%s …) and --config know the same names.\n", command == COMMAND_AGENT ? "JOIN" : "DATA");
}

static int run_command(enum command command, int argc, char **argv)
{
    struct arena arena = { 0 };
    struct err err = { 0 };
    struct config config;
    struct config_sources sources = { .argc = argc, .argv = argv, .environment = environ, .default_ecs_config = "/etc/ecs/ecs.config" };
    arena_init(&arena, SETTINGS_ARENA_SIZE);
    int status = 2;
    if (config_read(command, &sources, &config, &arena, &err)) {
        if (config.help) {
            print_help(command);
            status = 0;
        } else if (config.argument_count > commands[command].arguments_max) {
            err_set(&err, ERR_INVALID_PARAMETER, "\"%s\" is one word too many; see --help.", config.arguments[commands[command].arguments_max]);
        } else {
            enum log_level level = LOG_INFO;
            bool known = log_level_from(config_text(&config, SETTING_LOG_LEVEL), &level);
            ASSERT(known);
            log_set_level(level);
            status = commands[command].run(&config, &arena, &err);
        }
    }
    if (status != 0 && err.code != ERR_NONE) {
        fprintf(stderr, "berth %s: %s\n", commands[command].name, err.message);
    }
    arena_finish(&arena);
    return status;
}

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "__shim") == 0) {
        return runtime_process_shim(argc, argv);
    }
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_overview(argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        if (strcmp(argv[1], commands[c].name) == 0 || (c == COMMAND_VERSION && strcmp(argv[1], "--version") == 0)) {
            return run_command(c, argc - 2, argv + 2);
        }
    }
    fprintf(stderr, "berth: there is no command \"%s\".\n\n", argv[1]);
    print_overview(stderr);
    return 2;
}
