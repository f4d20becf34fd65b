/*
 * remote_ssh.c - a stream to a server that ssh starts.
 */
#include "dispatcher/remote/remote_ssh.h"

#include "io/base/logmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the new process. @param failed  gets errno, and is closed if it becomes ssh */
static void become_ssh(int stream, int failed, const char *host)
{
    char ssh[] = "ssh", no_terminal[] = "-T", command[] = "ribogrid",
         serve[] = "serve-device", stdio[] = "--stdio";
    char *argv[] = {ssh,   no_terminal, (char *)(uintptr_t)host, command, serve,
                    stdio, NULL};
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_DFL);
    if (dup2(stream, STDIN_FILENO) >= 0 && dup2(stream, STDOUT_FILENO) >= 0)
        execvp(ssh, argv);
    if (write(failed, &errno, sizeof(errno)) > 0)
        _exit(EXIT_FAILED);
    _exit(EXIT_FAILED);
}

status_t remote_ssh_start(const char *host, stream_end_t *out)
{
    int stream[2] = {-1, -1}, failed[2] = {-1, -1}, why = 0;
    pid_t pid = -1;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream) == 0 &&
        pipe2(failed, O_CLOEXEC) == 0 && (pid = fork()) == 0)
        become_ssh(stream[1], failed[1], host);
    why = pid < 0 ? errno : 0;
    if (stream[1] >= 0)
        close(stream[1]);
    if (failed[1] >= 0)
        close(failed[1]);
    if (pid > 0 && read(failed[0], &why, sizeof(why)) != sizeof(why))
        why = 0;
    if (failed[0] >= 0)
        close(failed[0]);
    if (why == 0) {
        out->in = out->out = stream[0];
        out->child = pid;
        return ST_OK;
    }
    if (stream[0] >= 0)
        close(stream[0]);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    log_error("%s: cannot run ssh: %s; install an ssh client", out->name, strerror(why));
    return ST_EPEER;
}
