/* commands.c: the commands of berth. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/help/help.h"

#define SIGNED "Requests are signed with the keys of the AWS environment or credentials file."

static int print_version(const struct config *config, struct arena *arena, struct err *err)
{
    (void)config;
    (void)arena;
    (void)err;
    printf("berth %s\n", BERTH_VERSION);
    return 0;
}

const struct command_row cli_commands[COMMAND_COUNT] = {
    [COMMAND_DEV] = { "dev", "berth dev [settings]", "try Berth: server and agent in one process on this machine",
        "Starts the server and an agent in one process. State, logs and an access key are kept in the data folder, so the next start "
        "continues from there. Without GPUs in this machine, simulated ones are used. Without Docker, tasks run as plain processes. "
        "Both are marked as such. With --ingress, HAProxy serves the listeners of load balancers.", "", cli_dev, 0 },
    [COMMAND_SERVER] = { "server", "berth server [settings]", "the control plane: ECS API, scheduler, store and dashboard",
        "It refuses to listen beyond loopback until there is an access key: see `berth keys --help`.", "", cli_server, 0 },
    [COMMAND_AGENT] = { "agent", "berth agent --join URL [settings]\nberth agent notice [--in TIME] [--data DIR]",
        "one per machine: registers it and runs its containers",
        "Requests are signed with the keys of the AWS environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or credentials file. "
        "The ECS agent's settings are read too, from the environment and --ecs-config. When the agent stops, its containers keep running; "
        "the next start finds them again.\n"
        "`berth agent notice`, or SIGUSR1, tells the running agent that this machine will be taken away. It drains and stops its tasks in time.",
        "notice", cli_agent, 1 },
    [COMMAND_KEYS] = { "keys", "berth keys create [settings]\nberth keys list [settings]\nberth keys revoke ID [settings]\n"
                               "berth keys rotate-roles [settings]", "access keys that sign requests",
        "Works on the data folder of the server, also while the server runs. For one of several servers with one state it asks the server at --server, with "
        "an admin's key from the AWS environment or credentials file.\n"
        "rotate-roles ends all temporary keys of task roles.", "create list revoke rotate-roles", cli_keys, 2 },
    [COMMAND_HA] = { "ha", "berth ha [settings]\nberth ha hand-over [settings]\nberth ha forget NAME [settings]\nberth ha begin-again [ENTRY] --data DIR",
        "several servers with one state: who leads, and the others",
        "Without a word: the servers, the last entry of the log that each has on its disk, and the log itself. hand-over: the server that leads gives up the "
        "lead, and another takes it at once. forget: takes a dead server out of the list; by itself it leaves after some seconds. Both are for "
        "admins. docs/high-availability.md shows how to run several servers. " SIGNED "\n"
        "begin-again is for the loss of etcd: it works on the folder of a server that does not run, names its last entry, and with that number lets the folder "
        "begin a new cluster.", "status hand-over forget begin-again", cli_ha, 2 },
    [COMMAND_TLS] = { "tls", "berth tls create --host NAME[,NAME...] [settings]", "create a private authority and a server certificate",
        "The first time it creates an authority in tls/ in the data folder, and a certificate for the server, signed by it. Run it again before "
        "the certificate expires, or for other names. The authority stays the same, so clients need no change, and a running server takes "
        "the new certificate.", "create", cli_tls, 1 },
    [COMMAND_LOGS] = { "logs", "berth logs TASK [settings]", "show what a task has printed",
        "TASK is an id or an ARN. " SIGNED, "", cli_logs, 1 },
    [COMMAND_EXEC] = { "exec", "berth exec TASK [settings] -- COMMAND", "run a command in the container of a task",
        "TASK is the id or ARN of a running task. If berth has a terminal, the command gets one too. The exit status is that of the command, "
        "or 255 if it is not known. Only for admins. " SIGNED, "", cli_exec, 1 },
    [COMMAND_HISTORY] = { "history", "berth history [TASK] [settings]", "list stopped tasks, or show why one stopped",
        "With TASK, an id or an ARN: its timeline, exit codes, GPUs and the end of its log. Without it: a table, last stopped first. "
        SIGNED, "", cli_history, 1 },
    [COMMAND_WHATIF] = { "whatif", "berth whatif --task-definition FAMILY [--count N] [settings]\n"
        "berth whatif SERVICE [--task-definition FAMILY] [--desired-count N] [settings]\n"
        "berth whatif --drain MACHINE [settings]",
        "what run-task, update-service or a drain would do now, without doing it",
        "Shows where each task would run and on which GPUs, and why the others would not start. The settings are those of "
        "`aws ecs run-task`; --cli-input-json takes the same file. The exit status is 0 if all tasks would start, 3 if not.\n"
        "With SERVICE, a name or an ARN: whether an update of the service has room, with the settings of `aws ecs update-service`. The exit status is 0 if "
        "new tasks can start, 3 if the update waits for room.\n"
        "With --drain: where the tasks of that machine would be replaced, which would not fit, and which are in the way. The exit status is 0 if it would "
        "get empty by itself, 3 if not. " SIGNED, "", cli_what_if, 1 },
    [COMMAND_WHY] = { "why", "berth why TASK [settings]\nberth why SERVICE [settings]\nberth why PROVIDER [settings]\nberth why last [settings]\n"
        "berth why --task-definition FAMILY [settings]",
        "why a task, a service or a capacity provider is as it is",
        "With TASK, an id or an ARN: its machine, how it was chosen, and why the task waits or has stopped. With SERVICE, a name or an ARN: why tasks "
        "are missing, and what helps. With PROVIDER, an ARN, or a name that no service of the cluster has: why it has as many machines as it has, for which "
        "tasks, and what comes next. With --task-definition: why a new "
        "task cannot start, on each machine, and which tasks hold what it needs. With the word last: the same for the last run-task, if not all "
        "of its tasks could start; otherwise for the newest task. " SIGNED, "last", cli_why, 1 },
    [COMMAND_HEADROOM] = { "headroom", "berth headroom [settings]", "how many more GPU tasks fit now",
        "Shows how many tasks of 1, 2, 4 and 8 whole GPUs fit, if all had that size, and the free GPUs, CPU units and MiB of memory. "
        SIGNED, "", cli_headroom, 0 },
    [COMMAND_QUEUE] = { "queue", "berth queue [settings]", "the tasks that wait for room",
        "Lists tasks that were started with the tag berth:queue and have no room yet, in the order in which they are tried, and what they lack. "
        SIGNED, "", cli_queue, 0 },
    [COMMAND_IDLE] = { "idle", "berth idle [settings]", "tasks that hold GPUs and do not use them",
        "Lists running tasks with GPUs whose use stays low, longest first: since when, the memory that they use there, the GPU-hours that were idle so far, "
        "and when the tag berth:idle-stop ends them. " SIGNED, "", cli_idle, 0 },
    [COMMAND_USAGE] = { "usage", "berth usage [--by tag:KEY|family|service|startedBy|cluster] [--since TIME] [settings]",
        "GPU-hours: held, used, idle and waited for, by whom",
        "Adds up the history and the running tasks. A shared GPU counts as its part. "
        SIGNED, "", cli_usage, 0 },
    [COMMAND_SERVICES] = { "services", "berth services [SERVICE] [settings]", "list services and how far their deployments are",
        "Without SERVICE: a table of the cluster's services, with a line for each deployment. With SERVICE, a name or an ARN: its deployments, how the "
        "last one went and why, and the last 10 events. " SIGNED, "", cli_services, 1 },
    [COMMAND_DEPLOY] = { "deploy", "berth deploy SERVICE [--image [CONTAINER=]IMAGE] [settings]", "update a service, and wait until the deployment has ended",
        "SERVICE is a name or an ARN. With --image: registers a new revision of the service's task definition, or of --task-definition, in which only the "
        "images differ. Then it updates the service, and shows the tasks and the service's events until the deployment has ended. Without a change it only "
        "waits for the present deployment. Ctrl-C ends the command; the deployment goes on.\n"
        "The exit status is 0 if the deployment is SUCCESSFUL, 3 if it is ROLLBACK_SUCCESSFUL, ROLLBACK_FAILED or STOPPED, 4 if it has not ended in time, "
        "and 1 after another error. If the change needs no deployment, 0 means that the service has as many running tasks as it wants. "
        SIGNED, "", cli_deploy, 1 },
    [COMMAND_WATCH] = { "watch", "berth watch TASK [settings]", "follow a task until it has stopped",
        "TASK is an id or an ARN. Prints a line for each change: waiting for room, pulling images, running, stopped. Ctrl-C ends the command; the task goes "
        "on.\n"
        "The exit status is that of the task: 0 if all its containers ended with 0, otherwise the first other one; 125 if the task never ran, or a container "
        "has none; 2 if the task cannot be followed. " SIGNED, "", cli_watch, 1 },
    [COMMAND_CAPACITY] = { "capacity", "berth capacity approve PROVIDER [settings]\nberth capacity suspend PROVIDER [settings]\n"
        "berth capacity resume PROVIDER [settings]",
        "allow, stop or resume the orders of a capacity provider",
        "approve allows the machines that a capacity provider with the tag berth:approve wants now; `berth why PROVIDER` says how many. suspend: nothing is "
        "ordered until resume. resume also ends the pauses after failures. " SIGNED, "approve suspend resume", cli_capacity, 2 },
    [COMMAND_GPU] = { "gpu", "berth gpu [list] [settings]\nberth gpu quarantine UUID [settings]\nberth gpu restore UUID [settings]",
        "list GPUs in quarantine, or change which are",
        "A GPU in quarantine gets no new task; its running tasks continue. Agents put failing GPUs in quarantine, and restore them when they "
        "are healthy again. restore also overrides a fault found by an agent, until it finds a new one. " SIGNED, "list quarantine restore",
        cli_gpu, 2 },
    [COMMAND_TOP] = { "top", "berth top [settings]", "how busy the GPUs of each machine are",
        "One line per machine: GPUs in use, tasks, average load of its GPUs, their memory, highest temperature and power. On a terminal it is "
        "redrawn every two seconds; arrows, Page Up, Page Down, Home and End scroll, and q ends it. " SIGNED, "", cli_top, 0 },
    [COMMAND_FEED] = { "feed", "berth feed haproxy --socket PATH [settings]\nberth feed caddy --admin URL [settings]\n"
        "berth feed nginx|traefik|envoy|prometheus|hosts|srv --file PATH [settings]",
        "tell a proxy, or another program, the healthy targets of target groups",
        "haproxy: the backend tg_NAME gets the healthy targets of the target group NAME as servers, by the runtime interface, without a reload. Targets that "
        "leave get no new request, and the server stops their tasks when their requests have ended. "
        "caddy: the same for the upstreams of the handler with the \"@id\" tg-NAME, by the admin API. The other kinds write a file when the targets change; "
        "hosts and srv have the names of services too. "
        "The server hears what proxies have applied. It runs until it is stopped; while the server does not answer, all stays as it is. " SIGNED,
        "haproxy caddy nginx traefik envoy prometheus hosts srv", cli_feed, 1 },
    [COMMAND_INGRESS] = { "ingress", "berth ingress [settings]", "run HAProxy for all listeners of load balancers",
        "Writes the configuration of HAProxy for the listeners and rules, and runs it. Targets and weights change without a reload, listeners and rules with "
        "one that loses no request. " SIGNED, "", cli_ingress, 0 },
    [COMMAND_DOCTOR] = { "doctor", "berth doctor [--join URL] [settings]\nberth doctor --data DIR\nberth doctor --ha URL [settings]",
        "check this machine, the data folder of a server, or several servers and their etcd",
        "Prints one line per finding, with what to do about it. It checks Docker, the disk, the NVIDIA driver from the PCI bus to containers, and "
        "the answer, clock and key of the server. With --data: the folder and store of a server instead. With --ha: whether each "
        "node of etcd answers, how long a write takes there, its room and clock, and who leads. The exit status is 1 if a check fails.",
        "", cli_doctor, 0 },
    [COMMAND_CHECK] = { "check", "berth check [--data DIR] [settings]", "check that everything in a server's store fits together",
        "Checks every record and index of the store in DIR, also while a server runs on it, and changes nothing. It prints one line for each kind of "
        "invariant, with the number of checks, and where the invariant does not hold. The exit status is 0 if all hold, 1 if one does not, and 2 if the "
        "store cannot be read.",
        "", cli_check, 0 },
    [COMMAND_VERSION] = { "version", "berth version", "print the version", "", "", print_version, 0 },
};
