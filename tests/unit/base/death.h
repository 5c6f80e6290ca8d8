/* death.h: runs what must end the process in a child, and says whether it did, by abort. */
#ifndef BERTH_TESTS_DEATH_H
#define BERTH_TESTS_DEATH_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static inline bool aborts(void (*deed)(void))
{
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit no_core = { 0, 0 };
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGABRT, SIG_DFL);
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDERR_FILENO);                  /* the message is expected; it would look like a failure */
        deed();
        _exit(0);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

#endif
