/*
 * child.c - forks a child with limits, watches it through memory that both share, and
 * says how it ended.
 *
 * Progress is a counter.  Time without progress is the elapsed time while the child
 * computes, however few processors a busy machine gives it: a child that waits for a
 * disk, for the reader of its output, or that is suspended, is not stalled, and many
 * threads do not reach the limit earlier than one.
 */
#include "io/base/child.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/base/sanitized.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SHOWN_BYTES = 1024 };

/* Seconds of computing without progress, unless the environment sets them: a base, and
 * what a step such as sorting takes of a large file. */
enum { STALL_SECONDS = 20, FILE_BYTES_PER_SECOND = 4 << 20 };
static const char stall_variable[] = "RIBOGRID_STALL_SECONDS";

/* A child that gets this part of a processor computes; one that waits gets less. */
static const double computing_part = 0.01;

/* Memory of a child: a minimum, or a multiple of its files if that is more, because a
 * pair takes 12 bytes, which deflate compresses at most 1032-fold, and 64 as an edge of a
 * graph; and the stacks of its threads. */
static const int64_t min_bytes = INT64_C(2) << 30;
enum { BYTES_PER_PROCESSOR = 16 << 20, BYTES_PER_FILE_BYTE = 8192 };

/* Where the stack is unlimited, an endless recursion would take all memory. */
enum { STACK_BYTES = 64 << 20 };

/* Parent and child share it.  The parent trusts nothing in it. */
typedef struct {
    atomic_uint_fast64_t ticks;
    char path[PATH_SHOWN_BYTES]; /* of the result file being read */
} page_t;

static page_t *page;  /* of this process's child, or its own if it is one */
static bool is_child; /* this process is one */

void child_tick(void)
{
    if (is_child)
        atomic_fetch_add_explicit(&page->ticks, 1, memory_order_relaxed);
}

void child_reads(const char *path)
{
    if (is_child)
        snprintf(page->path, sizeof(page->path), "%s", path);
}

/* @return the sum of the sizes of the files that words name */
static int64_t file_bytes(int n, char *const *words)
{
    int64_t bytes = 0;

    for (int i = 0; i < n; i++) {
        const char *value = words[i][0] == '-' ? strchr(words[i], '=') : NULL;
        struct stat file;

        if (stat(value != NULL ? value + 1 : words[i], &file) == 0 &&
            S_ISREG(file.st_mode) && file.st_size < INT64_MAX - bytes)
            bytes += file.st_size;
    }
    return bytes;
}

child_limits_t child_limits(int n, char *const *words, int64_t machine_bytes)
{
    const int64_t files = file_bytes(n, words);
    int64_t bytes = files < machine_bytes / BYTES_PER_FILE_BYTE
                        ? files * BYTES_PER_FILE_BYTE
                        : machine_bytes;

    bytes = bytes > min_bytes ? bytes : min_bytes;
    bytes += sysconf(_SC_NPROCESSORS_ONLN) * BYTES_PER_PROCESSOR;
    return (child_limits_t){.memory_bytes = bytes < machine_bytes ? bytes : machine_bytes,
                            .seconds =
                                STALL_SECONDS + (double)files / FILE_BYTES_PER_SECOND};
}

/* Lower a soft limit; never raise it. */
static void lower_limit(__rlimit_resource_t resource, rlim_t bytes)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur <= bytes)
        return;
    limit.rlim_cur = bytes;
    setrlimit(resource, &limit);
}

/* @return what RLIMIT_DATA counts of this process, or 0 */
static int64_t own_bytes(void)
{
    FILE *f = fopen("/proc/self/statm", "re");
    long long pages = 0;

    if (f == NULL)
        return 0;
    if (fscanf(f, "%*s %*s %*s %*s %*s %lld", &pages) != 1)
        pages = 0;
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

/* In the child: its limits, and its end when the parent ends. */
static void become_child(pid_t parent, int64_t memory_bytes)
{
    is_child = true;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it has ended before the call above */
        _exit(EXIT_FAILED);
    lower_limit(RLIMIT_CORE, 0);
    if (IS_SANITIZED)
        return;
    lower_limit(RLIMIT_STACK, STACK_BYTES);
    lower_limit(RLIMIT_DATA, (rlim_t)memory_bytes);
}

static double stall_seconds(const child_limits_t *limits)
{
    const char *text = getenv(stall_variable);
    double seconds = text != NULL ? strtod(text, NULL) : 0;

    return seconds > 0 ? seconds : limits->seconds;
}

status_t child_fork(const child_limits_t *limits, child_t *out)
{
    pid_t parent = getpid(), pid;

    if (page == NULL) {
        void *shared = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        if (shared == MAP_FAILED)
            return log_nomem("a process");
        page = shared;
    }
    memset(page, 0, sizeof(*page));
    if (!limits->is_guest) {
        signal(SIGCHLD, SIG_DFL); /* else children may not be waited for */
        fflush(NULL);             /* what is buffered is written once */
    }
    if ((pid = fork()) < 0) {
        log_error(
            "cannot start a process that reads the file: %s; end other processes or "
            "raise `ulimit -u`",
            strerror(errno));
        return ST_EIO;
    }
    if (pid == 0)
        become_child(parent, limits->memory_bytes + (limits->is_guest ? own_bytes() : 0));
    *out =
        (child_t){.pid = pid, .wall_s = clock_now_s(), .limit_s = stall_seconds(limits)};
    return ST_OK;
}

double child_watch_s(const child_t *child)
{
    double often = child->limit_s / 20;

    return often < 0.05 ? 0.05 : often > 5 ? 5 : often;
}

/* @return the processor time of all threads of a process, or -1 */
static double cpu_seconds(pid_t pid)
{
    struct timespec t;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return -1;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void child_watch(child_t *c)
{
    uint64_t ticks = atomic_load_explicit(&page->ticks, memory_order_relaxed);
    double cpu_s = cpu_seconds(c->pid), wall_s = clock_now_s();
    double busy_s = cpu_s - c->cpu_s, elapsed_s = wall_s - c->wall_s;

    if (cpu_s < 0) /* it has ended */
        return;
    if (busy_s > computing_part * elapsed_s)
        busy_s = elapsed_s;
    c->busy_s = ticks == c->ticks ? c->busy_s + busy_s : 0;
    c->ticks = ticks;
    c->cpu_s = cpu_s;
    c->wall_s = wall_s;
    if (c->busy_s <= c->limit_s)
        return;
    c->was_stalled = true;
    kill(c->pid, SIGKILL);
}

static bool is_crash(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGILL ||
           number == SIGFPE || number == SIGABRT || number == SIGSYS || number == SIGTRAP;
}

int child_ended(const child_t *c, int wait_status)
{
    char path[PATH_SHOWN_BYTES];
    int number = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;

    if (WIFEXITED(wait_status))
        return WEXITSTATUS(wait_status);
    snprintf(path, sizeof(path), "%.*s", PATH_SHOWN_BYTES - 1,
             page->path[0] != '\0' ? page->path : "the command");
    if (c->was_stalled)
        log_error("%s: no progress in %.3g s of computing: the file is damaged; copy it "
                  "again or make it again",
                  path, c->limit_s);
    else if (is_crash(number))
        log_error(
            "%s: reading it ended in a crash, probably inside HDF5 (signal %d, %s): "
            "the file is damaged; copy it again or make it again",
            path, number, strsignal(number));
    else
        log_error(
            "%s: the process that read it was killed (signal %d, %s), by the system "
            "if memory ran out; give the job more memory",
            path, number, strsignal(number));
    return EXIT_FAILED;
}

/* What a shell, a terminal or a scheduler sends. */
static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { N_PASSED_ON = sizeof(passed_on) / sizeof(passed_on[0]) };

/* Wait for the child, passing signals on. @return its status, as of waitpid */
static int wait_for(child_t *c, const sigset_t *signals)
{
    double often = child_watch_s(c);
    struct timespec timeout = {.tv_sec = (time_t)often,
                               .tv_nsec = (long)(1e9 * (often - (double)(time_t)often))};
    int status = 0;
    pid_t ended;

    while ((ended = waitpid(c->pid, &status, WNOHANG)) == 0 ||
           (ended < 0 && errno == EINTR)) {
        int number = sigtimedwait(signals, NULL, &timeout);

        if (number > 0 && number != SIGCHLD)
            kill(c->pid, number);
        child_watch(c);
    }
    return ended == c->pid ? status : EXIT_FAILED << 8; /* as if it had exited so */
}

/* End as the child did, by a signal that is no crash. */
static void end_by(int number)
{
    sigset_t only;

    lower_limit(RLIMIT_CORE, 0);
    signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
}

int child_run(const child_limits_t *limits, int (*fn)(int, char **), int argc,
              char **argv)
{
    sigset_t signals, before;
    child_t child;
    status_t st;
    int status;

    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    for (int i = 0; i < N_PASSED_ON; i++)
        sigaddset(&signals, passed_on[i]);
    sigprocmask(SIG_BLOCK, &signals, &before);
    st = child_fork(limits, &child);
    if (st == ST_OK && child.pid == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        exit(fn(argc, argv));
    }
    if (st == ST_OK) {
        status = wait_for(&child, &signals);
        if (WIFSIGNALED(status) && !is_crash(WTERMSIG(status)) &&
            WTERMSIG(status) != SIGKILL)
            end_by(WTERMSIG(status));
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return st == ST_OK ? child_ended(&child, status) : status_exit_code(st);
}
