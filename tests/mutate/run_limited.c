/*
 * run_limited.c - runs a command with a limit on its time and on the size of its files.
 *
 *   run_limited SECONDS MAX_MB STDOUT STDERR COMMAND...
 *
 * Prints one line: how it ended (exit N, signal N, timeout), whether processes were left
 * behind (left N), and the peak of the resident memory in kB.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void redirect(const char *path, int to)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd < 0 || dup2(fd, to) < 0) {
        perror(path);
        _exit(126);
    }
    close(fd);
}

/* A process group of its own, so that a timeout ends children too. */
static void run_child(char **argv)
{
    const struct rlimit none = {0, 0};
    struct rlimit most = {0, 0};
    sigset_t all;

    most.rlim_cur = most.rlim_max = strtoull(argv[2], NULL, 10) << 20;
    setpgid(0, 0);
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &most);
    signal(SIGXFSZ, SIG_IGN); /* writing more fails */
    redirect("/dev/null", STDIN_FILENO);
    redirect(argv[3], STDOUT_FILENO);
    redirect(argv[4], STDERR_FILENO);
    execvp(argv[5], argv + 5);
    perror(argv[5]);
    _exit(127);
}

/* Wait for a child. @return whether it ended within the time */
static int wait_for(pid_t pid, long seconds, int *status, struct rusage *usage)
{
    struct timespec now, end, left;
    sigset_t child;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += seconds;
    while (wait4(pid, status, WNOHANG, usage) == 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec >= end.tv_sec)
            return 0;
        left = (struct timespec){end.tv_sec - now.tv_sec, 0};
        sigtimedwait(&child, NULL, &left);
    }
    return 1;
}

int main(int argc, char **argv)
{
    struct rusage usage = {0};
    sigset_t child;
    int status = 0, in_time, is_left;
    pid_t pid;

    if (argc < 6) {
        fprintf(stderr, "usage: run_limited SECONDS MAX_MB STDOUT STDERR COMMAND...\n");
        return 2;
    }
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    if ((pid = fork()) < 0) {
        perror("run_limited: fork");
        return 1;
    }
    if (pid == 0)
        run_child(argv);
    setpgid(pid, pid);
    in_time = wait_for(pid, strtol(argv[1], NULL, 10), &status, &usage);
    is_left = kill(-pid, SIGKILL) == 0;
    if (!in_time) {
        wait4(pid, &status, 0, &usage);
        printf("timeout %s", argv[1]);
    } else if (WIFSIGNALED(status)) {
        printf("signal %d", WTERMSIG(status));
    } else {
        printf("exit %d", WEXITSTATUS(status));
    }
    printf(" left %d peak %ld\n", in_time && is_left, usage.ru_maxrss);
    return 0;
}
